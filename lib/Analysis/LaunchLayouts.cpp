//===- LaunchLayouts.cpp - How a launch lays operands out -------*- C++ -*-===//
//
// Where their types leave it open: without gaps, but for those that a program's workspaces have.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/AccessSites.h"
#include "tilec/Tile/Program.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;

static SmallVector<int64_t> getDenseStrides(const NestModel &model, unsigned argument) {
  tile::KernelOp kernel = model.kernel;
  auto type = cast<MemRefType>(kernel.getArgumentTypes()[argument]);
  SmallVector<int64_t> shape = model.operandShape(argument);
  SmallVector<int64_t> strides(shape.size(), ShapedType::kDynamic);
  if (FailureOr<SmallVector<int64_t>> fixed = tile::getStaticStrides(type); succeeded(fixed))
    strides = *fixed;
  int64_t dense = 1, rows = std::max<int64_t>(1, tile::getRowBytes(kernel, argument) * 8 / type.getElementTypeBitWidth());
  // The type may take columns alone; the launcher lays operands out alike.
  bool columns = shape.size() > 1 && strides.front() == 1 && ShapedType::isDynamic(strides.back());
  for (size_t i = 0; i < shape.size(); ++i) {
    size_t dim = columns ? i : shape.size() - 1 - i;
    if (ShapedType::isDynamic(strides[dim]))
      strides[dim] = llvm::alignTo(dense, rows);
    dense = std::max<int64_t>(strides[dim] * std::max<int64_t>(shape[dim], 1), dense);
  }
  return strides;
}

LaunchLayouts tilec::analysis::getDenseLayouts(const NestModel &model) {
  LaunchLayouts layouts;
  tile::KernelOp kernel = model.kernel;
  for (auto [number, type] : llvm::enumerate(kernel.getArgumentTypes()))
    if (isa<MemRefType>(type))
      layouts[number] = {getDenseStrides(model, number), 0};
  return layouts;
}
