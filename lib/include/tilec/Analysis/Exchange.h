//===- Exchange.h - What threads hand on through DRAM ------------*- C++ -*-===//
//
// What a loop on threads writes is seen by what follows in the same block. In shared
// memory tile-place-barriers sees to that; operands in DRAM are touched by so many
// threads in so many ways that the accesses of the nest are held against each other.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_EXCHANGE_H
#define TILEC_ANALYSIS_EXCHANGE_H

#include "tilec/Tile/Tile.h"
#include "llvm/ADT/DenseSet.h"

namespace tilec::analysis {

/// The ops, executed by all threads of a block, ahead of which the threads have to wait for each other: one of them may
/// touch elements of an operand that another thread has written, or write what another one has read. Fails with a
/// diagnostic where the threads of a loop would have to wait inside of it.
mlir::FailureOr<llvm::DenseSet<mlir::Operation *>> getExchanges(tile::KernelOp kernel);

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_EXCHANGE_H
