//===- Touches.h - What ops read and write in memory -------------*- C++ -*-===//
//
// The boxes of elements that ops of a kernel touch in operands and in tiles of
// shared memory, and whether two of them can meet.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TILE_TOUCHES_H
#define TILEC_TILE_TOUCHES_H

#include "tilec/Tile/Access.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

namespace tilec::tile {

/// A box of elements of `at.root` that one execution of `op` touches.
struct Touch {
  mlir::Operation *op;
  Access at;
  /// Extents of the box; dynamic where it goes to the end of the dimension.
  llvm::SmallVector<int64_t> shape;
  bool reads = false, writes = false;
  /// The subscript of the dimension that data numbers is a place in the indices: others have other numbers.
  bool byPlace = false;
  /// How a store adds to what is there.
  std::optional<Combine> combine = std::nullopt;
  /// Touches of one root with the same number differ in their ops only, which stand in one block.
  unsigned kind = 0;
};

/// The touches of each operand and of each tile in shared memory, in the order of the program.
llvm::MapVector<mlir::Value, llvm::SmallVector<Touch>> getTouches(KernelOp kernel);

/// Linear constraints on the numbers of iterations and on sizes, as two executions of ops see them. Side 0 and side 1
/// have induction variables of their own, but for those of loops outside of `scope`, which are the same for both.
class TouchSystem {
public:
  /// A sum of multiples of variables, by number, and a constant.
  struct Sum {
    llvm::SmallVector<std::pair<unsigned, int64_t>> terms;
    int64_t constant = 0;
    Sum operator+(const Sum &other) const;
    Sum operator-(const Sum &other) const;
    Sum operator*(int64_t factor) const;
  };

  TouchSystem(KernelOp kernel, mlir::Operation *scope) : kernel(kernel), scope(scope) {}

  /// A new variable, not negative.
  Sum addVariable();
  void requireNotNegative(const Sum &sum);
  void requireZero(const Sum &sum);
  /// A value of the nest: an induction variable, a size, or whatever else, of which nothing is known.
  Sum getValue(mlir::Value value, unsigned side);
  Sum getSum(const LinearExpr &sum, unsigned side);
  /// The number of an iteration: the value of the induction variable over its step.
  Sum getIteration(mlir::Value inductionVar, unsigned side);
  /// The extent of dimension `dim` of `root`; any number where nothing tells it.
  Sum getExtent(mlir::Value root, unsigned dim);
  /// `sum` is at least 0 and less than dimension `dim` of `root`.
  void requireInside(const Sum &sum, mlir::Value root, unsigned dim);
  /// Both sides touch one element.
  void requireSameElement(const Touch &first, const Touch &second);
  /// Coordinate `dim` of that element.
  Sum getElement(unsigned dim) const { return elements[dim]; }

  /// No integers fulfil all constraints. Exact; false as well where there are more variables than are tried.
  bool isEmpty() const;

private:
  Sum divide(const Quotient &quotient, unsigned side);

  KernelOp kernel;
  mlir::Operation *scope;
  unsigned variables = 0;
  llvm::SmallVector<Sum> notNegative, zero, elements;
  /// By value; of side 1 only what differs from side 0.
  llvm::DenseMap<mlir::Value, Sum> known[2];
  llvm::DenseMap<mlir::Value, Sum> iterations[2];
};

} // namespace tilec::tile

#endif // TILEC_TILE_TOUCHES_H
