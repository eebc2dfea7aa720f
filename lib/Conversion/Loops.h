//===- Loops.h - Loops of the kernel ------------------------------*- C++ -*-===//
//
// Loops that count, and those that a nest's loops on time become.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CONVERSION_LOOPS_H
#define TILEC_CONVERSION_LOOPS_H

#include "Context.h"

namespace tilec {

/// The values that a loop of the kernel takes: from `first` to below `bound`, both of its type.
struct TimeBounds {
  mlir::Value first, bound, step;
};

/// The steps of a cut loop that a block does: from `first` to below `last`.
struct StepRange {
  mlir::Value first, last;
};

/// A loop over `count` numbers from `first` on, each times `step`, whose body is written out `unrolled`; its variable has `name`.
void createCountedLoop(Context &context, mlir::Location loc, llvm::StringRef name, int64_t count, int64_t step, bool unrolled,
                       llvm::function_ref<void(const IndexExpr &)> body, int64_t first = 0);

/// Writes out `factor` iterations of the loop of `iv`, if it is a loop's variable; all without one. A loop whose variable
/// indexes registers is written out: registers have no addresses.
void setUnrolled(mlir::Value iv, int64_t factor = kernel::ForOp::kWhole);

/// No value of induction variable `i` is greater.
int64_t getLast(tile::ForOp loop, unsigned i);

/// The values that induction variable `i` takes; of a cut loop, in the steps `cut`. `ahead` iterations more, and the one
/// past the last, are computed too.
TimeBounds getTimeBounds(Context &context, tile::ForOp loop, unsigned i, std::optional<StepRange> cut, int64_t ahead = 0);

/// The loop over these values. Its body is entered by who calls.
kernel::ForOp createTimeLoop(Context &context, tile::ForOp loop, unsigned i, const TimeBounds &bounds);

} // namespace tilec

#endif // TILEC_CONVERSION_LOOPS_H
