//===- WarpMatrices.h - Matrices in the registers of a warp ---*- C++ -*-===//
//
// ldmatrix, stmatrix and mma: each lane hands in what it has, and takes from all
// others what its part of the result needs.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_EMULATOR_WARPMATRICES_H
#define TILEC_EMULATOR_WARPMATRICES_H

#include "Meetings.h"
#include "SharedAccesses.h"

namespace tilec::emulator {

class WarpMatrices {
public:
  WarpMatrices(Threads &threads, Meetings &meetings, SharedAccesses &shared) : threads(threads), meetings(meetings), shared(shared) {}

  // By threads of the block.
  void loadMatrices(void *registers, unsigned bytes, const void *source, int count, int transposes, int line, Position position);
  void storeMatrices(void *dest, const void *registers, unsigned bytes, int count, int transposes, int line, Position position);
  void multiplyInWarp(void *accumulators, const void *a, const void *b, const char *type, int line);

private:
  Threads &threads;
  Meetings &meetings;
  SharedAccesses &shared;
};

} // namespace tilec::emulator

#endif // TILEC_EMULATOR_WARPMATRICES_H
