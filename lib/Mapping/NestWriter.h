//===- NestWriter.h - Loops and tiles of a mapping ----------------*- C++ -*-===//
//
// Writes loops over dimensions of an iteration space, and the tiles that belong to where they stand: subscripts and
// shapes follow from the maps of the operands.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_MAPPING_NESTWRITER_H
#define TILEC_MAPPING_NESTWRITER_H

#include "tilec/Mapping/Problem.h"

namespace tilec::mapping {

/// An operand or a tile, where its elements lie in the iteration space, and how many loops over each dimension stood
/// around it when it was made: the loops since then move the place in it.
struct Placed {
  mlir::Value memref;
  mlir::AffineMap map;
  llvm::SmallVector<unsigned> origin;
  /// What the operand is called that it is or was made from.
  std::string name;
};

/// A loop over one dimension.
struct LoopOver {
  unsigned dim;
  mlir::OpFoldResult extent;
  int64_t step;
};

class NestWriter {
public:
  /// Writes the ops of `kernel`, the copy of the problem's, at its end.
  NestWriter(const Problem &problem, tile::KernelOp kernel);

  mlir::OpBuilder &builder() { return b; }

  /// Opens a loop; what follows is written in its body until it is closed.
  tile::ForOp open(llvm::ArrayRef<LoopOver> over, tile::Level level, tile::Unit unit, llvm::StringRef suffix);
  void close(tile::ForOp loop) { b.setInsertionPointAfter(loop); shrink(loop); }

  /// Moves what is placed from here on, in the loop of `variable`, by `factor` times it along `dim`.
  void move(unsigned dim, mlir::Value variable, int64_t factor) { terms[dim].push_back({variable, factor}); }
  /// Has loops over `row` that are opened from here on move places by `factor` along `column`, too, and all places by `constant`.
  void moveAlong(unsigned row, unsigned column, int64_t factor, int64_t constant);

  /// Has the innermost loop over `dim` go from `last` down.
  void turn(unsigned dim, int64_t last);

  /// The extent that tiles made from here on have along `dim`; the whole dimension's where it is static, at first.
  void setTile(unsigned dim, int64_t extent) { tile[dim] = extent; }
  int64_t getTile(unsigned dim) const { return tile[dim]; }
  /// What stands for a value of the problem's kernel.
  mlir::Value copyOf(mlir::Value value) const { return copied.lookupOrDefault(value); }
  /// `number` as the extent of a loop.
  mlir::OpFoldResult number(int64_t value) { return b.getIndexAttr(value); }

  /// The operand that `use` of the problem's kernel is in the written one.
  Placed operand(const Use &use) const;
  tile::StageOp stage(const Placed &source, tile::Level level, Placed &tile, llvm::StringRef prefix);
  Placed part(const Placed &source, llvm::StringRef prefix);
  /// A tile of elements of the type of `init`, where those of `use` lie.
  Placed hold(const Use &use, mlir::TypedAttr init, llvm::StringRef prefix, tile::Level level = tile::Level::RF);
  tile::StoreOp store(const Placed &tile, const Placed &dest);
  /// A copy of `op` that works on `operands` in place of its memrefs, with maps that count from where they begin. Dimension i of it is
  /// dimension `dims`[i] of the problem.
  mlir::linalg::LinalgOp compute(mlir::linalg::LinalgOp op, llvm::ArrayRef<Placed> operands, llvm::ArrayRef<unsigned> dims);
  /// The problem's root on `operands`.
  void computeRoot(llvm::ArrayRef<Placed> operands);
  /// A computation whose result is `result`, at the points of the dimensions that it and `inputs` have; it reduces along those that the result lacks. `body` makes
  /// what it yields from the elements there, the result's the last, the value of each dimension, and what stands for values of the problem's kernel.
  using Body = llvm::function_ref<mlir::Value(mlir::OpBuilder &b, llvm::ArrayRef<mlir::Value> elements, llvm::function_ref<mlir::Value(unsigned)> getIndex,
                                              const mlir::IRMapping &copied)>;
  /// Its loops are in the order in which the largest of these lies: what is done to a whole tile has an element's place for each of its points (dialect/Tile/Companions.cpp).
  void computeGeneric(llvm::ArrayRef<Placed> inputs, const Placed &result, Body body);
  /// The loops so far, each with its dimensions, and the computation that the root became.
  llvm::ArrayRef<std::pair<tile::ForOp, llvm::SmallVector<unsigned>>> getLoops() const { return loops; }
  mlir::Operation *getRoot() const { return root; }
  tile::KernelOp getKernel() const { return kernel; }
  /// What follows the root on tile `result` of its result; returns the tile to store. `together`: threads hold the tile together, and of what lies as it does load
  /// several elements at a time.
  Placed epilogue(Placed result, bool together = false);

private:
  void shrink(tile::ForOp loop);
  llvm::SmallVector<unsigned> countTerms() const;
  void addPlaces(mlir::Operation *op, llvm::ArrayRef<unsigned> dims);
  llvm::SmallVector<mlir::Value> subscripts(const Placed &source, mlir::AffineMap &map) const;
  mlir::MemRefType tileType(const Placed &like, tile::Level level, mlir::Type element = {}) const;
  /// A location of its own for each op, which analyses tell accesses apart by, called `name`.
  mlir::Location place(const llvm::Twine &name);

  const Problem &problem;
  tile::KernelOp kernel;
  mlir::OpBuilder b;
  mlir::IRMapping copied;
  /// What a loop around adds to a place: a multiple of its variable, or, where that is null, of one.
  struct Term {
    mlir::Value variable;
    int64_t factor = 1;
  };
  /// How loops over one dimension move places along another.
  struct Move {
    unsigned row, column;
    int64_t factor;
  };
  std::optional<Move> along;
  /// Of each dimension what loops add, and the extent of tiles.
  llvm::SmallVector<llvm::SmallVector<Term>> terms;
  llvm::SmallVector<int64_t> tile;
  unsigned line = 0;
  llvm::SmallVector<std::pair<tile::ForOp, llvm::SmallVector<unsigned>>> loops;
  mlir::Operation *root = nullptr;
};

} // namespace tilec::mapping

#endif // TILEC_MAPPING_NESTWRITER_H
