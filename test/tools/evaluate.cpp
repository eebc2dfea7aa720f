//===- evaluate.cpp - The reference evaluator on JSON -----------*- C++ -*-===//
//
//   tilec-evaluate NEST.mlir ARGUMENTS.json
//
// Runs the first kernel of a file on
//   {"operands": [{"shape": [..], "strides": [..], "data": [..]}, ..], "sizes": [..], "scalars": [..]}
// and prints the data of its last operand as a JSON array.
//
//===----------------------------------------------------------------------===//

#include "tilec/Reference/Evaluate.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace tilec;
using namespace tilec::reference;

static std::vector<int64_t> getIntegers(const llvm::json::Array *array) {
  std::vector<int64_t> result;
  for (const llvm::json::Value &value : *array)
    result.push_back(*value.getAsInteger());
  return result;
}

int main(int argc, char **argv) {
  if (argc != 3) {
    llvm::errs() << "usage: tilec-evaluate NEST.mlir ARGUMENTS.json\n";
    return 2;
  }
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<tile::TileDialect, mlir::arith::ArithDialect, mlir::linalg::LinalgDialect,
                      mlir::math::MathDialect, mlir::memref::MemRefDialect, mlir::scf::SCFDialect>();
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(argv[1], &context);
  auto file = llvm::MemoryBuffer::getFile(argv[2]);
  if (!module || !file)
    return 1;
  llvm::Expected<llvm::json::Value> input = llvm::json::parse((*file)->getBuffer());
  if (!input) {
    llvm::errs() << argv[2] << ": " << toString(input.takeError()) << "\n";
    return 1;
  }
  auto kernel = *module->getOps<tile::KernelOp>().begin();
  const llvm::json::Object &given = *input->getAsObject();
  std::vector<std::vector<double>> reals;
  std::vector<std::vector<int64_t>> integers;
  Arguments arguments;
  auto types = llvm::make_filter_range(kernel.getArgumentTypes(), llvm::IsaPred<mlir::MemRefType>);
  for (auto [type, value] : llvm::zip(types, *given.getArray("operands"))) {
    const llvm::json::Object &operand = *value.getAsObject();
    BufferView &view = arguments.operands.emplace_back();
    view.shape = llvm::to_vector(getIntegers(operand.getArray("shape")));
    view.strides = llvm::to_vector(getIntegers(operand.getArray("strides")));
    integers.push_back(getIntegers(operand.getArray("data")));
    reals.emplace_back(integers.back().begin(), integers.back().end());
    if (llvm::isa<mlir::FloatType>(llvm::cast<mlir::MemRefType>(type).getElementType()))
      view.data = reals.back().data();
    else
      view.data = integers.back().data();
  }
  arguments.sizes = llvm::to_vector(getIntegers(given.getArray("sizes")));
  for (mlir::Type type : kernel.getArgumentTypes()) {
    if (llvm::isa<mlir::MemRefType, mlir::IndexType>(type))
      continue;
    int64_t value = *(*given.getArray("scalars"))[arguments.scalars.size()].getAsInteger();
    arguments.scalars.push_back(llvm::isa<mlir::FloatType>(type) ? Scalar(static_cast<double>(value)) : Scalar(value));
  }
  if (failed(evaluate(kernel, arguments)))
    return 1;
  llvm::json::Array result;
  for (size_t i = 0; i < reals.back().size(); ++i) {
    bool isReal = std::holds_alternative<double *>(arguments.operands.back().data);
    double value = isReal ? reals.back()[i] : static_cast<double>(integers.back()[i]);
    // JSON has no infinity; a maximum of nothing is one.
    result.push_back(std::isinf(value) ? llvm::json::Value("-inf") : llvm::json::Value(value));
  }
  llvm::outs() << llvm::json::Value(std::move(result)) << "\n";
  return 0;
}
