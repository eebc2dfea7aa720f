//===- Problem.h - What a kernel without loops computes -----------*- C++ -*-===//
//
// A kernel whose `linalg` ops stand on operands, outside of loops, says what to compute and leaves open how. This is
// what mapping reads of it: iteration space, operands and their maps. Ops have no names here.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_MAPPING_PROBLEM_H
#define TILEC_MAPPING_PROBLEM_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "tilec/Tile/Access.h"
#include "tilec/Tile/Tile.h"

#include <memory>

namespace tilec::mapping {

struct Chain;
struct RowGroup;

/// Does `kernel` compute on its operands outside of loops, so that all of its mapping is open?
bool isOpen(tile::KernelOp kernel);

/// Points of the iteration spaces of all ops of an open kernel; `arguments` has the value of each size argument by its number.
double countPoints(tile::KernelOp kernel, llvm::ArrayRef<int64_t> arguments);

/// A dimension of the iteration space.
struct Dim {
  bool parallel = true;
  /// A number, or a size argument of the kernel.
  mlir::OpFoldResult extent;
  /// The extent's value, which mappings are judged with.
  int64_t size = 0;
};

/// A memref that an op reads or writes, and where.
struct Use {
  mlir::Value memref;
  mlir::AffineMap map;
};

/// The extent along `dim` of what ops of a kernel without loops work on: a number, or a size argument; and its value where `arguments` are those of the sizes.
mlir::OpFoldResult getOperandExtent(mlir::Value memref, unsigned dim);
int64_t getValue(mlir::OpFoldResult extent, llvm::ArrayRef<int64_t> arguments);

/// What `op` gives each element of its only result where that is a constant and it reads nothing.
mlir::TypedAttr getFill(mlir::linalg::LinalgOp op);

/// Succeeds where `op` has one result, each subscript of which is a dimension of its own, and maps of sums; the diagnostic says what it has otherwise.
mlir::LogicalResult checkMaps(mlir::linalg::LinalgOp op);

/// One op that needs a mapping, `root`, with what can be done on its result while it is on the chip.
struct Problem {
  tile::KernelOp kernel;
  mlir::linalg::LinalgOp root;
  llvm::SmallVector<Dim> dims;
  /// Memrefs that the root reads and does not write, in its order.
  llvm::SmallVector<Use> inputs;
  Use output;
  /// What each element of the result is before the root; absent where it is what the operand holds.
  mlir::TypedAttr init;
  /// Does the root read its result's elements before it writes them?
  bool accumulates = false;
  /// Computations on the result, element by element, in their order; the last one's result is what is stored.
  llvm::SmallVector<mlir::linalg::LinalgOp> epilogue;
  /// Where all ops of the kernel are one group of rows; `root` is then the first that reduces, `inputs` what the kernel reads, and `output` its last result.
  std::shared_ptr<const RowGroup> rows;
  /// Where all ops of the kernel are two products with softmax between.
  std::shared_ptr<const Chain> chain;

  /// The operand that is stored to.
  mlir::Value getResult() const;
  /// Adds `ops`, which stand after the root. Fails with a diagnostic where they are not on its result, element by element, or the last of them leaves that in no operand.
  mlir::LogicalResult addEpilogue(llvm::ArrayRef<mlir::linalg::LinalgOp> ops);

  /// Fails with a diagnostic where the kernel computes what no mapping is known for. `arguments` has the value of each
  /// size argument by its number.
  static mlir::FailureOr<Problem> get(tile::KernelOp kernel, llvm::ArrayRef<int64_t> arguments);

  /// Is dimension `dim` in a subscript of `map`?
  static bool uses(mlir::AffineMap map, unsigned dim) { return map.isFunctionOfDim(dim); }
  /// Is each dimension in a subscript of `map`, but for those that are known to be one element long?
  bool usesAll(mlir::AffineMap map) const {
    return llvm::all_of(llvm::seq<unsigned>(dims.size()), [&](unsigned dim) { return uses(map, dim) || (dims[dim].size == 1 && llvm::isa<mlir::Attribute>(dims[dim].extent)); });
  }
  /// The dimension along which neighbours of `use` lie side by side: the one dimension of the subscript of the memref's
  /// dimension of stride 1; absent where there is none.
  static std::optional<unsigned> getFastDim(const Use &use);
  /// Do rows of `use` begin, at the problem's sizes, elsewhere than at multiples of `multiple` bytes, by default of what the widest copies need? False where launches may lay
  /// it out otherwise.
  bool hasOddRows(const Use &use, int64_t multiple = tile::kWidestBytes) const;
  /// Operations on numbers of each point: a fused multiply-add for each product that is added up.
  double getPoints() const;
};

} // namespace tilec::mapping

#endif // TILEC_MAPPING_PROBLEM_H
