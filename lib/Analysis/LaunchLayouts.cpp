//===- LaunchLayouts.cpp - How a launch lays operands out -------*- C++ -*-===//

#include "tilec/Analysis/LaunchLayouts.h"

#include "tilec/Analysis/NestModel.h"
#include "tilec/Tile/Program.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;

bool tilec::analysis::takesColumns(ArrayRef<std::optional<int64_t>> strides) {
  return strides.size() > 1 && strides.front() == 1 && !strides.back();
}

SmallVector<int64_t> tilec::analysis::layOut(ArrayRef<int64_t> shape, ArrayRef<std::optional<int64_t>> strides, const OpenLayout &open) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  SmallVector<int64_t> result(shape.size());
  int64_t next = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    size_t dim = open.columns ? i : shape.size() - 1 - i;
    if (i == 1 && llvm::AddOverflow(next, open.gap, next))
      next = kMost;
    int64_t aligned = i > 0 && next < kMost - open.multiple ? int64_t(llvm::alignTo(next, open.multiple)) : next;
    result[dim] = strides[dim].value_or(aligned);
    int64_t span;
    if (llvm::MulOverflow(result[dim], std::max<int64_t>(shape[dim], 1), span))
      span = kMost;
    next = std::max(next, span);
  }
  return result;
}

static SmallVector<int64_t> getDenseStrides(const NestModel &model, unsigned argument) {
  tile::KernelOp kernel = model.kernel;
  auto type = cast<MemRefType>(kernel.getArgumentTypes()[argument]);
  SmallVector<std::optional<int64_t>> strides(type.getRank());
  if (FailureOr<SmallVector<int64_t>> fixed = tile::getStaticStrides(type); succeeded(fixed))
    for (auto [stride, known] : llvm::zip_equal(strides, *fixed))
      if (!ShapedType::isDynamic(known))
        stride = known;
  int64_t multiple = std::max<int64_t>(1, tile::getRowBytes(kernel, argument) * 8 / type.getElementTypeBitWidth());
  return layOut(model.operandShape(argument), strides, {takesColumns(strides), /*gap=*/0, multiple});
}

LaunchLayouts tilec::analysis::getDenseLayouts(const NestModel &model) {
  LaunchLayouts layouts;
  tile::KernelOp kernel = model.kernel;
  for (auto [number, type] : llvm::enumerate(kernel.getArgumentTypes()))
    if (isa<MemRefType>(type))
      layouts[number] = {getDenseStrides(model, number), 0};
  return layouts;
}
