//===- ReferenceTestUtils.h - Nests and buffers for tests --------*- C++ -*-===//
//
// Parses kernels and holds operands.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TEST_UNIT_REFERENCE_REFERENCETESTUTILS_H
#define TILEC_TEST_UNIT_REFERENCE_REFERENCETESTUTILS_H

#include "tilec/Reference/Evaluate.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <string>
#include <vector>

namespace tilec::reference {

/// One kernel, and what was said about it.
class ParsedKernel {
public:
  static ParsedKernel fromText(llvm::StringRef text) { return ParsedKernel(text, false); }
  static ParsedKernel fromFile(llvm::StringRef path) { return ParsedKernel(path, true); }

  tile::KernelOp get() { return *module->getOps<tile::KernelOp>().begin(); }
  std::string &said() { return *messages; }

private:
  ParsedKernel(llvm::StringRef source, bool isPath) {
    context = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
    context->loadDialect<tile::TileDialect, mlir::arith::ArithDialect, mlir::linalg::LinalgDialect,
                         mlir::math::MathDialect, mlir::memref::MemRefDialect, mlir::scf::SCFDialect>();
    context->printOpOnDiagnostic(false);
    messages = std::make_unique<std::string>();
    context->getDiagEngine().registerHandler([said = messages.get()](mlir::Diagnostic &d) { *said += d.str() + "\n"; });
    module = isPath ? mlir::parseSourceFile<mlir::ModuleOp>(source, context.get())
                    : mlir::parseSourceString<mlir::ModuleOp>(source, context.get());
    EXPECT_TRUE(module) << *messages;
  }

  std::unique_ptr<mlir::MLIRContext> context;
  std::unique_ptr<std::string> messages;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// An operand of doubles with any strides, its gaps filled with a mark.
struct Buffer {
  static constexpr double kGap = -12345.0;

  Buffer(std::vector<int64_t> shape, std::vector<int64_t> strides) : shape(shape), strides(strides) {
    int64_t last = 0;
    for (size_t dim = 0; dim < shape.size(); ++dim)
      last += std::max<int64_t>(shape[dim] - 1, 0) * strides[dim];
    data.assign(last + 1, kGap);
    stored.assign(last + 1, 0);
  }
  /// Row-major without gaps.
  explicit Buffer(std::vector<int64_t> shape) : Buffer(shape, compact(shape)) {}

  static std::vector<int64_t> compact(const std::vector<int64_t> &shape) {
    std::vector<int64_t> strides(shape.size(), 1);
    for (size_t dim = shape.size(); dim-- > 1;)
      strides[dim - 1] = strides[dim] * std::max<int64_t>(shape[dim], 1);
    return strides;
  }

  int64_t offset(std::vector<int64_t> element) const {
    int64_t sum = 0;
    for (size_t dim = 0; dim < element.size(); ++dim)
      sum += element[dim] * strides[dim];
    return sum;
  }
  double &at(std::vector<int64_t> element) { return data[offset(element)]; }

  /// Calls `value(i, j)` for each element of a matrix (or `value(i, 0)` of a vector).
  template <typename Value>
  Buffer &fill(Value value) {
    for (int64_t i = 0; i < shape[0]; ++i)
      for (int64_t j = 0; j < (shape.size() > 1 ? shape[1] : 1); ++j)
        data[i * strides[0] + (shape.size() > 1 ? j * strides[1] : 0)] = value(i, j);
    return *this;
  }

  BufferView view() {
    BufferView result;
    result.data = data.data();
    result.shape.assign(shape.begin(), shape.end());
    result.strides.assign(strides.begin(), strides.end());
    return result;
  }
  BufferView viewWithBounds() {
    BufferView result = view();
    bounds.clear();
    for (double value : data)
      bounds.push_back(ErrorBound::exact(value));
    result.bounds = bounds.data();
    result.stored = stored.data();
    return result;
  }

  std::vector<int64_t> shape, strides;
  std::vector<double> data;
  std::vector<ErrorBound> bounds;
  std::vector<uint8_t> stored;
};

/// Small whole numbers of both signs, the same each time: sums of products of them are exact.
inline double number(int64_t i, int64_t j, int64_t seed) {
  return static_cast<double>((i * 7 + j * 13 + seed * 5 + (i * j) % 11) % 17 - 8);
}

} // namespace tilec::reference

#endif // TILEC_TEST_UNIT_REFERENCE_REFERENCETESTUTILS_H
