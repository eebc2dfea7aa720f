//===- NarrowFloats.h - Arithmetic on f16 and bf16 ---------------*- C++ -*-===//
//
// What a kernel computes with numbers of 16 bits, in f32.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CONVERSION_NARROWFLOATS_H
#define TILEC_CONVERSION_NARROWFLOATS_H

#include "tilec/Kernel/Kernel.h"

namespace tilec {

/// Lets each op on f16 and bf16 compute in f32, and round where its result is narrow.
void widenNarrowFloats(kernel::FuncOp function);

} // namespace tilec

#endif // TILEC_CONVERSION_NARROWFLOATS_H
