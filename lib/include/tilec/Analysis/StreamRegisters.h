//===- StreamRegisters.h - Registers of threads that stream -----*- C++ -*-===//
//
// Kernels that memory bounds take few registers: what a thread loads, an address of each operand,
// and questions at edges. Here a few more or less are a tenth, so these are counted one by one
// (docs/analysis.md, formula 29).
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_STREAMREGISTERS_H
#define TILEC_ANALYSIS_STREAMREGISTERS_H

#include "tilec/Analysis/NestModel.h"
#include "tilec/Machine/MachineSpec.h"

namespace tilec::analysis {

/// Of an operand's address, or a stride that is known only at launch: 64 bits.
constexpr int64_t kWideRegisters = 2;

/// Of a thread: those that the compiler cannot do without, and with those that it takes where they
/// cost no occupancy.
struct RegisterRange {
  int64_t needed = 0;
  int64_t liked = 0;
};

/// Some loop of `loops` comes more than once, on time or written out.
bool repeats(const NestModel &model, llvm::ArrayRef<unsigned> loops);

/// What the compiler keeps of extents and strides that are known only at launch; 0 where all are
/// numbers.
int64_t getLaunchRegisters(const NestModel &model, const CompilerRegisters &compiler);

/// A thread's share of `tile` is loaded from an operand in one of two ways, as vectors or element
/// by element, and is narrow: where these ways meet, each element has a register.
bool isSpreadOut(const TileModel &tile);

/// Of a thread that loads a few elements of each operand into registers, once, computes, and
/// stores; absent where it does more.
std::optional<RegisterRange> getStreamRegisters(const NestModel &model,
                                                const CompilerRegisters &compiler);

/// Of a thread that loads several elements of an operand in each iteration of a loop, and shares
/// nothing; absent where it does otherwise.
std::optional<RegisterRange> getStreamedLoopRegisters(const NestModel &model,
                                                      const CompilerSpec &compiler);

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_STREAMREGISTERS_H
