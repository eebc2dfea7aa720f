//===- Evaluate.h - What a nest means ----------------------------*- C++ -*-===//
//
// Runs a kernel of the tile dialect on host memory, one scalar operation after
// the other: floating-point numbers in double precision, integers exactly. It
// shares no code with the lowering, so that a generated kernel can be held
// against it.
//
// All units are plain loops here. Of an absent element nothing is known: what
// would be computed from one, or into one, is not.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_REFERENCE_EVALUATE_H
#define TILEC_REFERENCE_EVALUATE_H

#include "tilec/Reference/ErrorBound.h"
#include "tilec/Tile/Tile.h"

#include <optional>
#include <variant>

namespace tilec::reference {

/// The memory of one operand. All arrays share shape and strides.
struct BufferView {
  /// Element (0, ..., 0); `double` where the operand's elements are floating-point numbers, else
  /// `int64_t`.
  std::variant<double *, int64_t *> data;
  /// In elements; the shape is that of the kernel's extents.
  llvm::SmallVector<int64_t> shape, strides;
  /// Optional: for each element how far what a kernel computes may lie from its value, whatever the order of its
  /// sums. Before the evaluation that of the value that is there, as a rule ErrorBound::exact.
  ErrorBound *bounds = nullptr;
  /// Optional: set to 1 where an element is stored, otherwise left alone.
  uint8_t *stored = nullptr;
};

using Scalar = std::variant<double, int64_t>;

/// Values of a kernel's arguments, each kind in the order of the kernel's arguments.
struct Arguments {
  llvm::SmallVector<BufferView> operands;
  llvm::SmallVector<int64_t> sizes;
  llvm::SmallVector<Scalar> scalars;
};

struct Options {
  /// If set, only these blocks run, numbered as by `getNumBlocks`.
  std::optional<llvm::ArrayRef<int64_t>> blocks;
};

/// Runs `kernel`. Intermediate results are not rounded to their types, integers wrap at their widths.
/// combine(max) and combine(min) give NaN where either side is NaN. Fails with a diagnostic at the op
/// for arguments that do not fit the kernel, for ops that have no meaning here, for a division of
/// integers by zero, and for an index that an operand does not have.
llvm::LogicalResult evaluate(tile::KernelOp kernel, const Arguments &arguments, const Options &options = {});

/// The number of blocks of `kernel`, 1 where no loop runs on blocks. Blocks count all iterations of
/// the loops on cluster and block, the outermost slowest and the last induction variable fastest,
/// whatever the raster; the blocks of a cluster that reduce count as one. `sizes` as in `Arguments`. Fails with a diagnostic where there are several
/// grids or an extent is no size.
llvm::FailureOr<int64_t> getNumBlocks(tile::KernelOp kernel, llvm::ArrayRef<int64_t> sizes);

/// At most `most` blocks of `kernel`, in ascending order, spread over the grid: the corners first, since
/// edges meet there, then others, evenly. All of them where there are no more than `most`.
llvm::FailureOr<llvm::SmallVector<int64_t>> sampleBlocks(tile::KernelOp kernel, llvm::ArrayRef<int64_t> sizes,
                                                         int64_t most);

} // namespace tilec::reference

#endif // TILEC_REFERENCE_EVALUATE_H
