//===- GemmTexts.h - GEMM kernels as the printer writes them --*- C++ -*-===//
//
// Texts with the shape of generated kernels, and how to launch them.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TEST_UNIT_EMULATOR_GEMMTEXTS_H
#define TILEC_TEST_UNIT_EMULATOR_GEMMTEXTS_H

#include "Harness.h"

namespace tilec::emulator::test {

/// C = A B, row-major with any row pitch. Tiles of bm x bn x 16, threads of
/// tm x tn, 256 threads: bm * bn = 256 * tm * tn. A is kept transposed in
/// shared memory, rows padded by 4.
struct GemmShape {
  int bm = 64, bn = 64, tm = 4, tn = 4;
};

/// One tile, two barriers a step; reads its fragments with lds_vector.
Kernel blockTiledGemm(const GemmShape &shape = {});

/// The same with `stages` tiles that cp.async fills ahead.
Kernel pipelinedGemm(int stages, const GemmShape &shape = {});

/// A problem and its expected result; integers small enough to be exact.
struct GemmProblem {
  int64_t m, n, k;
  std::vector<TestTensor> tensors;
  std::vector<float> expected;

  /// Rows of A, B, C are `extra` elements longer than what they hold.
  GemmProblem(int64_t m, int64_t n, int64_t k, int64_t extra = 0);
  bool isRight() const;
};

/// Sets the grid and runs it.
Report launchGemm(Kernel kernel, const GemmShape &shape, GemmProblem &problem,
                  const RunOptions &options = {});

} // namespace tilec::emulator::test

#endif // TILEC_TEST_UNIT_EMULATOR_GEMMTEXTS_H
