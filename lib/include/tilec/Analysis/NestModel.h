//===- NestModel.h - A kernel as loops, tiles and accesses -------*- C++ -*-===//
//
// What analyses need to know of a tile.kernel at given extents, as plain data
// that can be changed: a tile size or a cluster shape can be tried without
// touching the kernel.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_NESTMODEL_H
#define TILEC_ANALYSIS_NESTMODEL_H

#include "tilec/Tile/Distribution.h"

#include <string>
#include <vector>

namespace tilec::analysis {

/// `factor` times the induction variable of loop `loop`.
struct Term {
  unsigned loop;
  int64_t factor;
};

/// A subscript: a sum of induction variables and a constant.
struct Subscript {
  llvm::SmallVector<Term, 4> terms;
  /// With the values of `sizes`.
  int64_t constant = 0;
  /// The sizes in it, by the numbers of their arguments, and the constant without them: what a kernel knows that is compiled for all sizes.
  llvm::SmallVector<std::pair<unsigned, int64_t>, 0> sizes;
  int64_t written = 0;

  bool movedBy(unsigned loop) const;
  void add(const Subscript &other);
};

/// One induction variable.
struct LoopModel {
  tile::ForOp op;
  unsigned number = 0;
  /// The most that it is, where loops around it say how much.
  int64_t extent = 0;
  std::optional<Subscript> bound = {};
  int64_t step = 1;
  /// The induction variable of the nest over this one: subscripts divide it by what divides its step.
  int64_t scale = 1;
  tile::Unit unit = tile::Unit::Time;
  /// Of a loop on block: how many of its consecutive iterations make one cluster.
  int64_t clusterBlocks = 1;

  /// Iterations, the most of them: ceil(extent / step).
  int64_t count() const { return (extent + step - 1) / step; }
  bool onThreads() const { return tile::isThreadUnit(unit); }
  bool onBlocks() const { return unit == tile::Unit::Block || unit == tile::Unit::Cluster; }
};

/// A dimension of an operand that an operand of indices, by the number of its argument, numbers.
struct GatheredDim {
  unsigned dim;
  unsigned indices;
};

/// Where a view lies: in a tile or in an operand.
struct Place {
  /// Number of the tile, or of the kernel argument if `isOperand`.
  unsigned root = 0;
  bool isOperand = false;
  /// Of the view's first element, one for each dimension of the root.
  llvm::SmallVector<Subscript, 2> at;
  /// The subscript of this dimension is a place among indices.
  std::optional<GatheredDim> gather = {};
  bool movedBy(unsigned loop) const;
  /// Of an operand: the argument, and its dimension, in which subscript `dim` is a place.
  std::pair<unsigned, unsigned> getBounds(unsigned dim) const { return gather && gather->dim == dim ? std::pair(gather->indices, 0u) : std::pair(root, dim); }
  /// The place of the indices; absent where there are none.
  std::optional<Place> getIndices() const;
};

/// The result of a stage or a hold.
struct TileModel {
  mlir::Operation *op = nullptr;
  tile::Level level = tile::Level::RF;
  llvm::SmallVector<int64_t, 2> shape;
  int64_t elementBytes = 0;
  /// Where its elements lie in shared memory; absent where no static layout says.
  std::optional<layout::ComposedLayout> layout;
  /// Elements that the layout spans, gaps between rows included.
  int64_t cosize = 0;
  /// Copies that a pipelined loop keeps of it.
  int64_t depth = 1;
  /// Of a register tile that instructions work on, the threads of their unit, and of one that is spread as other tiles are, all that hold
  /// it: each has a share of its own.
  int64_t lanes = 1;
  /// Loops around it, outermost first.
  llvm::SmallVector<unsigned> loops;
  /// What it is copied from; absent for a held tile.
  std::optional<Place> source;
  std::optional<tile::Pad> pad;
  /// Inside of an `scf.if`: copied only if its condition holds.
  bool conditional = false;
  /// Copied by TMA, once for all blocks of a cluster that want the same.
  bool boxed = false;
  /// Some op uses what it holds. A copy to registers that nobody reads is left out.
  bool isRead = false;
  /// The one computation that uses it loads each element where it computes with it (getReaderThatLoads): it takes no registers.
  bool passes = false;

  int64_t elements() const;
  bool isCopied() const { return source && (isRead || level != tile::Level::RF); }
};

/// An operand of a linalg op: where it lies and which element an iteration reads.
struct ComputeOperand {
  Place place;
  int64_t elementBytes = 0;
  llvm::SmallVector<int64_t, 2> shape;
  /// Of each dimension: (iteration dimension, factor); constants are in `place`.
  llvm::SmallVector<llvm::SmallVector<std::pair<unsigned, int64_t>, 2>, 2> dims;
  /// The op's region uses what is there.
  bool isRead = false;
};

/// A linalg op: its iteration space and what it reads and writes.
struct ComputeModel {
  mlir::Operation *op = nullptr;
  mlir::Type elementType;
  llvm::SmallVector<int64_t> extents;
  llvm::SmallVector<bool> reduction;
  llvm::SmallVector<unsigned> loops;
  std::vector<ComputeOperand> inputs;
  std::vector<ComputeOperand> outputs;
  bool conditional = false;
  /// One instruction of a warpgroup or warp computes all points (tilec/Tile/InstructionUse.h).
  bool byUnit = false;
  /// How its points are spread where threads compute on what they hold of whole tiles.
  std::optional<tile::Distribution> spread;

  bool reduces() const { return llvm::is_contained(reduction, true); }
};

/// A tile.part: its place and shape in the tile or operand at its root.
struct PartModel {
  mlir::Operation *op = nullptr;
  Place place;
  llvm::SmallVector<int64_t, 2> shape;
};

/// A tile.store.
struct StoreModel {
  mlir::Operation *op = nullptr;
  Place from;
  Place to;
  llvm::SmallVector<int64_t, 2> shape;
  int64_t elementBytes = 0;
  llvm::SmallVector<unsigned> loops;
  bool combines = false;
  bool conditional = false;
};

/// A kernel at given extents.
class NestModel {
public:
  /// Reads `kernel`. `arguments` holds the value of each kernel argument by its number;
  /// only those of size arguments are used. Fails with a diagnostic on the kernel or the
  /// op in question where a size is missing or something is not analysable.
  static mlir::FailureOr<NestModel> get(tile::KernelOp kernel, llvm::ArrayRef<int64_t> arguments);

  tile::KernelOp kernel;
  llvm::SmallVector<int64_t> arguments;
  std::vector<LoopModel> loops;
  std::vector<TileModel> tiles;
  std::vector<ComputeModel> computes;
  std::vector<StoreModel> stores;
  /// Those that some op uses.
  std::vector<PartModel> parts;

  /// Calls `see(place, loops around)` for each read or write of tile `number` by computation or
  /// a store.
  template <typename Fn>
  void forEachUse(unsigned number, Fn see) const {
    auto check = [&](const Place &place, llvm::ArrayRef<unsigned> around) {
      if (!place.isOperand && place.root == number)
        see(place, around);
    };
    for (const ComputeModel &compute : computes) {
      for (const ComputeOperand &input : compute.inputs)
        check(input.place, compute.loops);
      for (const ComputeOperand &output : compute.outputs)
        check(output.place, compute.loops);
    }
    for (const StoreModel &store : stores)
      check(store.from, store.loops);
  }

  /// Extents of operand `argument`.
  llvm::SmallVector<int64_t> operandShape(unsigned argument) const;
  int64_t operandElementBytes(unsigned argument) const;
  /// The extents in which the subscripts of `place`, in an operand, are places.
  llvm::SmallVector<int64_t> boundsOf(const Place &place) const;
  /// The place in an operand that `place` was copied from, through all stages; null for a held tile.
  const Place *operandPlaceOf(const Place &place) const;
  /// The operand that `place` was copied from, through all stages; absent for a held tile.
  std::optional<unsigned> operandOf(const Place &place) const;
  /// The name in the source of the held tile that `place`, which comes from no operand, was copied from; "tile" for none.
  std::string heldNameOf(const Place &place) const;
  /// True if the kernel stores to operand `argument`.
  bool isStoredTo(unsigned argument) const;
  tile::Level levelOf(const Place &place) const;
  /// Iterations of `loops` together, outermost first: of bounded ones those that there are.
  int64_t iterationsOf(llvm::ArrayRef<unsigned> loops) const;
  /// Iterations of a loop on average over those of the loops around it.
  double meanCount(unsigned loop) const;
  /// What is at least 0 in the iterations of `loop` that there are, and less than its extent; absent where its extent is one number.
  std::optional<Subscript> getRest(unsigned loop) const;
  /// The values that an induction variable of the nest takes here.
  int64_t countOf(tile::ForOp op, unsigned number) const;
  /// Threads of a block; those that the loop of an induction variable runs on, and how far apart its consecutive values are.
  int64_t threadsPerBlock() const;
  int64_t threadsOf(unsigned loop) const;
  int64_t threadStrideOf(unsigned loop) const;
  /// Blocks of the grid.
  int64_t blocks() const;
  /// Subscripts of `place` in the operand (or the held tile) that it was copied from.
  llvm::SmallVector<Subscript, 2> tracedSubscripts(const Place &place) const;
};

/// The name of an argument or a loop's induction variable in the source: what its location
/// says, else "arg0", "arg1", ...
std::string nameOf(mlir::BlockArgument argument);

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_NESTMODEL_H
