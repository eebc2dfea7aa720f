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

void listProducts(const Problem &problem, const MachineSpec &machine, std::vector<Candidate> &candidates);
void listInstructions(const Problem &problem, const MachineSpec &machine, std::vector<Candidate> &candidates);
void listStreams(const Problem &problem, const MachineSpec &machine, std::vector<Candidate> &candidates);
void listSums(const Problem &problem, const MachineSpec &machine, std::vector<Candidate> &candidates);

void writeProducts(const Problem &problem, const Mapping &mapping, NestWriter &writer);
void writeInstructions(const Problem &problem, const Mapping &mapping, NestWriter &writer);
void writeStreams(const Problem &problem, const Mapping &mapping, NestWriter &writer);
void writeSums(const Problem &problem, const Mapping &mapping, NestWriter &writer);

/// The innermost loop over clusters or blocks, and the outermost of the reduction.
struct BlockLoops {
  tile::ForOp block, steps;
  /// The result's tile.
  Placed result;
};

/// The tile of the result at the writer's place, as it is before the root.
Placed makeResult(const Problem &problem, NestWriter &writer);
/// Opens the loops over clusters and blocks, makes the result's tile, and opens the loops over steps of the reduction.
BlockLoops openBlock(const Problem &problem, const Mapping &mapping, NestWriter &writer);
/// Closes the reduction, finishes the result and stores it.
void finishBlock(const Problem &problem, const Mapping &mapping, NestWriter &writer, const BlockLoops &loops);

/// The dimensions that are parallel, and those that are reduced, in their order.
llvm::SmallVector<unsigned> getParallel(const Problem &problem);
llvm::SmallVector<unsigned> getReduced(const Problem &problem);
/// The dimensions of the result's rows and columns for products: pairs of parallel dimensions such that each input moves with
/// exactly one of the two, the result with both, and its neighbours lie along the second.
llvm::SmallVector<std::pair<unsigned, unsigned>> getSides(const Problem &problem);

/// What the root combines its result's elements by; absent where that is no such operation.
std::optional<tile::Combine> getCombine(const Problem &problem);

/// Is the reduction walked in steps of the tile (else it is one step)?
bool isWalked(const Problem &problem, const Mapping &mapping, unsigned dim);
/// Bytes of a tile of `use`.
int64_t getTileBytes(const Use &use, llvm::ArrayRef<int64_t> tile);
/// Tiles of the result.
double countTiles(const Problem &problem, llvm::ArrayRef<int64_t> tile);
/// Bytes that all blocks together ask L2 for.
double getRequestedBytes(const Problem &problem, const Mapping &mapping);
/// Bytes of the operands, each counted once.
double getOperandBytes(const Problem &problem);

} // namespace tilec::mapping

#endif // TILEC_MAPPING_SCHEMES_H
