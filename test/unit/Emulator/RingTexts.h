//===- RingTexts.h - Kernels with roles and rings of barriers -*- C++ -*-===//
//
// A GEMM of 32x32 tiles whose copies run in warps of their own, through a ring of
// three stages: A element by element, transposed, B by boxes. And its form for
// a cluster of two blocks that share B's boxes.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TEST_UNIT_EMULATOR_RINGTEXTS_H
#define TILEC_TEST_UNIT_EMULATOR_RINGTEXTS_H

#include "Harness.h"

namespace tilec::emulator::test {

/// Persistent: `blocks` blocks take tiles in turn.
Kernel ringGemm(unsigned blocks);

/// Each pair of blocks computes tiles below each other; the first one fetches
/// B's boxes for both. M must be a multiple of 64.
Kernel multicastGemm(unsigned blocks);

/// C = A B, rows of A and B a multiple of 32 bytes apart.
struct RingProblem {
  int64_t m, n, k;
  std::vector<TestTensor> tensors;

  RingProblem(int64_t m, int64_t n, int64_t k);
  std::vector<int64_t> sizes() const { return {m, n, k}; }
  bool isRight();
};

} // namespace tilec::emulator::test

#endif // TILEC_TEST_UNIT_EMULATOR_RINGTEXTS_H
