//===- Peel.h - Iterations at the edges of what is written out ----*- C++ -*-===//
//
// Of a loop that is written out, where only the first iterations reach beyond an operand's beginning and the last beyond its end, those in between ask for
// nothing. They are a loop of their own: no compiler finds it in comparisons with what differs between rows.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CONVERSION_PEEL_H
#define TILEC_CONVERSION_PEEL_H

#include "Context.h"

namespace tilec {

/// How many iterations of induction variable `i` of `loop`, which is written out, are loops of their own: the first ones and the last ones. None where no iteration
/// would ask less, or where the first ones ask no more than others.
std::pair<int64_t, int64_t> getPeeled(Context &context, tile::ForOp loop, unsigned i);

} // namespace tilec

#endif // TILEC_CONVERSION_PEEL_H
