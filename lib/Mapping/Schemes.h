//===- Schemes.h - What blocks can do with their tiles ------------*- C++ -*-===//
//
// For each scheme of Mapping.h the candidates that it has for a problem, with what bounds say of their time, and how its
// nest is written.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_MAPPING_SCHEMES_H
#define TILEC_MAPPING_SCHEMES_H

#include "NestWriter.h"
#include "tilec/Mapping/Mapping.h"

namespace tilec::mapping {

/// A mapping and a time that it hardly goes below, in cycles.
struct Candidate {
  Mapping mapping;
  double cycles = 0;
};

/// What a nest that is written in part says of the numbers of a mapping; nothing says what is open.
struct Wish {
  explicit Wish(const Problem &problem) : tile(problem.dims.size()), warp(problem.dims.size()) {}

  /// Of each dimension, what a block takes of it, and a warp.
  llvm::SmallVector<std::optional<int64_t>> tile, warp;
  std::optional<int64_t> stages, producers;
  llvm::SmallVector<unsigned> grid;
  /// Is there a nest, which says when the result is read?
  bool isNest = false;

  /// Has `mapping` the tile that is asked for?
  bool agrees(const Mapping &mapping) const;
  /// The numbers to try along `dim` for a block, where `open` are those that are tried otherwise.
  llvm::SmallVector<int64_t> getTiles(unsigned dim, llvm::ArrayRef<int64_t> open) const;
};

/// What `nest` says.
Wish getWish(const OpenNest &nest, const Problem &problem);

void listProducts(const Problem &problem, const MachineSpec &machine, const Wish &wish, std::vector<Candidate> &candidates);
void listInstructions(const Problem &problem, const MachineSpec &machine, const Wish &wish, std::vector<Candidate> &candidates);
void listWarpInstructions(const Problem &problem, const MachineSpec &machine, const Wish &wish, std::vector<Candidate> &candidates);
void listStreams(const Problem &problem, const MachineSpec &machine, const Wish &wish, std::vector<Candidate> &candidates);
void listSums(const Problem &problem, const MachineSpec &machine, const Wish &wish, std::vector<Candidate> &candidates);
void listRows(const Problem &problem, const MachineSpec &machine, std::vector<Candidate> &candidates);
void listChains(const Problem &problem, const MachineSpec &machine, std::vector<Candidate> &candidates);
/// Streams whose crossed inputs are turned in registers on their way to shared memory, where rows of these and of the result are whole vectors; `streams` says what is staged.
std::vector<Mapping> listTurned(const Problem &problem, const Mapping &streams);
/// What `getDoubt` says of them.
double getDoubtOfStreams(const Problem &problem, const Mapping &mapping);
double getDoubtOfSums(const Problem &problem, const Mapping &mapping);
double getDoubtOfRows(const Problem &problem, const Mapping &mapping);
/// The loops of `nest` as they are, with numbers for what is open.
void listFillings(const OpenNest &nest, const Problem &problem, const MachineSpec &machine, std::vector<Candidate> &candidates);

void writeProducts(const Problem &problem, const Mapping &mapping, NestWriter &writer);
void writeInstructions(const Problem &problem, const Mapping &mapping, NestWriter &writer);
void writeWarpInstructions(const Problem &problem, const Mapping &mapping, NestWriter &writer);
void writeStreams(const Problem &problem, const Mapping &mapping, NestWriter &writer);
void writeSums(const Problem &problem, const Mapping &mapping, NestWriter &writer);
void writeRows(const Problem &problem, const Mapping &mapping, NestWriter &writer);
void writeChain(const Problem &problem, const Mapping &mapping, NestWriter &writer);

/// Fills tiles in shared memory with what `mapping` says is staged of `operands`, turned; and what a thread needs of one, as `input` lies.
llvm::SmallVector<Placed> writeTurned(const Problem &problem, const Mapping &mapping, llvm::ArrayRef<Placed> operands, NestWriter &writer);
Placed loadTurned(const Use &input, const Placed &tile, NestWriter &writer);

/// A copy of `nest` with numbers for what is open; null where they do not fit together.
tile::KernelOp fillNest(const OpenNest &nest, const Problem &problem, const Mapping &mapping, mlir::OpBuilder &builder);
/// Gives the nest that `writer` has written what `open` says: clauses, layouts, names. False where it does not have its loops and stages.
bool keepWritten(const OpenNest &open, const Problem &problem, const NestWriter &writer);

/// The innermost loop over clusters or blocks, and the outermost of the reduction.
struct BlockLoops {
  tile::ForOp block, steps;
  /// The result's tile.
  Placed result;
};

/// The tile of the result at the writer's place, as it is before the root; what is `addedLast` is not in it yet.
Placed makeResult(const Problem &problem, NestWriter &writer, bool addedLast = false);
/// Opens the loops over clusters and blocks, makes the result's tile, and opens the loops over steps of the reduction.
BlockLoops openBlock(const Problem &problem, const Mapping &mapping, NestWriter &writer);
/// Closes the reduction, has `addLast`, if it is there, add to the result, finishes the result and stores it.
void finishBlock(const Problem &problem, const Mapping &mapping, NestWriter &writer, const BlockLoops &loops, llvm::function_ref<void(const Placed &)> addLast = nullptr);

/// The dimensions that are parallel, and those that are reduced, in their order.
llvm::SmallVector<unsigned> getParallel(const Problem &problem);
llvm::SmallVector<unsigned> getReduced(const Problem &problem);
/// The same in the order in which a block walks them, the slowest first.
llvm::SmallVector<unsigned> getReduced(const Problem &problem, const Mapping &mapping);
/// The dimensions of the grid in their order.
llvm::SmallVector<unsigned> getGrid(const Problem &problem, const Mapping &mapping);
/// The dimensions of the result's rows and columns for products: pairs of parallel dimensions such that each input moves with
/// exactly one of the two, the result with both, and its neighbours lie along the second.
llvm::SmallVector<std::pair<unsigned, unsigned>> getSides(const Problem &problem);

/// What a problem of one product asks of instructions of the tensor cores.
struct MatrixProblem {
  /// What they multiply.
  MathType type;
  /// Dimensions of the iteration space.
  unsigned row, column, depth;
  /// Elements of 32 bytes: how far one instruction goes along `depth` (PTX ISA 9.7.14.5 and 9.7.15).
  int64_t step;
};
/// What the root of `problem` is in tiles of such a product, with one place in all other dimensions: of each choice of rows, columns and depth that it is one
/// in, the last reduced dimension first. None where it is none, or instructions add up in another type.
llvm::SmallVector<MatrixProblem> getMatrixProblems(const Problem &problem);
/// That of `mapping`.
MatrixProblem getMatrixProblem(const Problem &problem, const Mapping &mapping);
/// What instructions multiply of elements of `type`; nothing where none does.
std::optional<MathType> getMathType(mlir::Type type);
/// Has `machine` instructions of warpgroups for `type`, and TMA to fill the tiles that they read?
bool canWarpgroupsMultiply(MathType type, const MachineSpec &machine);
/// Rows of an instruction of a warpgroup, and bytes of its depth (PTX ISA 9.7.15.5.2).
constexpr int64_t kGroupRows = 64, kGroupDepthBytes = 32;
/// Rows and columns of an instruction of a warp (PTX ISA 9.7.14.5).
constexpr int64_t kMmaRows = 16, kMmaColumns = 8;
/// Are there instructions of warps that multiply `type`? Those of 8-bit floats are not lowered (limit X31).
inline bool canWarpsMultiply(MathType type) { return type != MathType::E4M3 && type != MathType::E5M2; }

/// Lays out a tile of `math` that warps multiply along `depth`, so that their loads do not collide.
void layOutForWarps(MathType math, unsigned depth, const Use &input, tile::StageOp stage);

/// Chains: the depth of an instruction of 16-bit floats, and threads that stand beside each other, and below each other, where they multiply. Where they take rows beside
/// each other there are so many for each.
constexpr int64_t kChainDepth = kGroupDepthBytes / 2, kChainThreads = 16, kChainLines = 8;
/// Of those an SM has as many at least: two warps for each of its schedulers.
constexpr int64_t kLeastChainThreads = 256;

/// Bytes of a bank of shared memory.
constexpr int64_t kBankBytes = 4;

/// The side of a quad: as many elements as threads load at once.
constexpr int64_t kQuad = 4;
/// Lays out a tile that `map` indexes so that neighbours lie along dimension `side`, and with `gap` elements between one line and the next, so that
/// threads which take neighbours along another dimension use other banks.
void layOutAlong(unsigned side, mlir::AffineMap map, mlir::Value tile, int64_t gap = kQuad);

/// Is each element of `input` an operand of one element of the result, as of matrices that multiply a vector, so that no tile has it read less often?
bool isReadOnce(const Problem &problem, const Use &input);
/// What the root combines its result's elements by; absent where that is no such operation.
std::optional<tile::Combine> getCombine(const Problem &problem);

/// Is the reduction walked in steps of the tile (else it is one step)?
bool isWalked(const Problem &problem, const Mapping &mapping, unsigned dim);
/// Bytes of a tile of `use`.
int64_t getTileBytes(const Use &use, llvm::ArrayRef<int64_t> tile);
/// Products: the warps of a block that multiply.
int64_t countWarps(const Mapping &mapping);
/// Pieces in which threads copy what a step of a product takes.
int64_t countPieces(const Problem &problem, const Mapping &mapping);
/// Tiles of the result.
double countTiles(const Problem &problem, llvm::ArrayRef<int64_t> tile);
/// Bytes that all blocks together ask L2 for.
double getRequestedBytes(const Problem &problem, const Mapping &mapping);
/// Bytes of the operands, each counted once.
double getOperandBytes(const Problem &problem);

} // namespace tilec::mapping

#endif // TILEC_MAPPING_SCHEMES_H
