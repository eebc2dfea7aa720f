//===- ThreadShare.h - Which threads run an op, and on what ------*- C++ -*-===//
//
// Loops on threads are digits of a thread's number. All threads of a block run what
// stands outside of such loops, and what they do not tell apart they do several times.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_ANALYSIS_THREADSHARE_H
#define TILEC_LIB_ANALYSIS_THREADSHARE_H

#include "tilec/Analysis/NestModel.h"

namespace tilec::analysis {

/// The loops that spread a register tile, and what each of their iterations holds of it.
struct TileParts {
  llvm::SmallVector<unsigned> loops;
  /// Of a part in the tile.
  llvm::SmallVector<Subscript, 2> at;
  llvm::SmallVector<int64_t, 2> shape;
};

/// The parts of register tile `number`; one part where none of its uses spreads it.
TileParts getTileParts(const NestModel &model, unsigned number);

/// Iterations of loops on threads, and how many threads run each of them.
struct ThreadShare {
  /// (loop, iteration); no entry where all iterations of all loops are meant.
  llvm::SmallVector<std::pair<unsigned, int64_t>> fixed;
  int64_t threads = 1;
};

/// How the threads that run what stands inside of `around` share the iterations of those of
/// `loops` that are on threads.
std::vector<ThreadShare> shareThreads(const NestModel &model, llvm::ArrayRef<unsigned> around,
                                      llvm::ArrayRef<unsigned> loops);

} // namespace tilec::analysis

#endif // TILEC_LIB_ANALYSIS_THREADSHARE_H
