//===- GemmTexts.cpp - GEMM kernels as the printer writes them -*- C++ -*-===//
//
// See GemmTexts.h.
//
//===----------------------------------------------------------------------===//

#include "GemmTexts.h"

namespace tilec::emulator::test {

static const char *const head = R"cuda(
extern "C" __global__ void __launch_bounds__(256) test(const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C,
    int M, int N, int K, long long A_s0, long long A_s1, long long B_s0, long long B_s1, long long C_s0, long long C_s1) {
)cuda";

static const char *const tail = R"cuda(
  for (int i = 0; i < TM; ++i)
    for (int j = 0; j < TN; ++j)
      if (m0 + m1 + i < M && n0 + n1 + j < N)
        stg(&C[(m0 + m1 + i) * C_s0 + (n0 + n1 + j) * C_s1], c[i][j]);
}
)cuda";

static const char *const blockTiledBody = R"cuda(
  SHARED(float, sA, 16 * (BM + 4));
  SHARED(float, sB, 16 * BN);
  const int m0 = block_x() / ((N + BN - 1) / BN) * BM, n0 = block_x() % ((N + BN - 1) / BN) * BN;
  const int m1 = thread_x() / (BN / TN) * TM, n1 = thread_x() % (BN / TN) * TN;
  float c[TM][TN];
  for (int i = 0; i < TM; ++i)
    for (int j = 0; j < TN; ++j) c[i][j] = 0.0f;
  for (int k0 = 0; k0 < K; k0 += 16) {
    for (int i = thread_x(); i < BM * 16; i += 256)
      sts(&sA[i % 16 * (BM + 4) + i / 16], m0 + i / 16 < M && k0 + i % 16 < K ? ldg(&A[(m0 + i / 16) * A_s0 + (k0 + i % 16) * A_s1]) : 0.0f);
    for (int i = thread_x(); i < BN * 16; i += 256)
      sts(&sB[i], k0 + i / BN < K && n0 + i % BN < N ? ldg(&B[(k0 + i / BN) * B_s0 + (n0 + i % BN) * B_s1]) : 0.0f);
    sync_block(); // filled
    for (int k1 = 0; k1 < 16; ++k1) {
      float ra[TM], rb[TN];
      for (int i = 0; i < TM; i += 4) lds_vector<4>(&ra[i], &sA[k1 * (BM + 4) + m1 + i]);
      for (int j = 0; j < TN; j += 4) lds_vector<4>(&rb[j], &sB[k1 * BN + n1 + j]);
      for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; ++j) c[i][j] += ra[i] * rb[j];
    }
    sync_block(); // read
  })cuda";

static const char *const pipelinedBody = R"cuda(
  SHARED(float, sA, STAGES * 16 * (BM + 4));
  SHARED(float, sB, STAGES * 16 * BN);
  const int m0 = block_x() / ((N + BN - 1) / BN) * BM, n0 = block_x() % ((N + BN - 1) / BN) * BN;
  const int m1 = thread_x() / (BN / TN) * TM, n1 = thread_x() % (BN / TN) * TN;
  float c[TM][TN];
  for (int i = 0; i < TM; ++i)
    for (int j = 0; j < TN; ++j) c[i][j] = 0.0f;
  const int steps = (K + 15) / 16;
  for (int s = 0; s < steps + STAGES - 1; ++s) {
    if (s < steps) {
      const int k0 = s * 16, stage = s % STAGES;
      for (int i = thread_x(); i < BM * 16; i += 256) {
        const bool valid = m0 + i / 16 < M && k0 + i % 16 < K;
        cp_async<1>(sA, stage * 16 * (BM + 4) + i % 16 * (BM + 4) + i / 16, &A[(m0 + i / 16) * A_s0 + (k0 + i % 16) * A_s1], valid);
      }
      for (int i = thread_x(); i < BN * 16; i += 256) {
        const bool valid = k0 + i / BN < K && n0 + i % BN < N;
        cp_async<1>(sB, stage * 16 * BN + i, &B[(k0 + i / BN) * B_s0 + (n0 + i % BN) * B_s1], valid);
      }
    }
    cp_async_commit();
    if (s < STAGES - 1) continue;
    const int stage = (s - (STAGES - 1)) % STAGES;
    cp_async_wait<STAGES - 1>();
    sync_block(); // filled
    for (int k1 = 0; k1 < 16; ++k1) {
      float ra[TM], rb[TN];
      for (int i = 0; i < TM; ++i) ra[i] = lds(&sA[stage * 16 * (BM + 4) + k1 * (BM + 4) + m1 + i]);
      for (int j = 0; j < TN; ++j) rb[j] = lds(&sB[stage * 16 * BN + k1 * BN + n1 + j]);
      for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; ++j) c[i][j] += ra[i] * rb[j];
    }
    sync_block(); // read
  })cuda";

static Kernel makeGemm(const GemmShape &shape, const char *body, int stages) {
  Kernel kernel;
  const auto constant = [](const char *name, int value) {
    return "constexpr int " + std::string(name) + " = " + std::to_string(value) + ";\n";
  };
  kernel.text = constant("BM", shape.bm) + constant("BN", shape.bn) + constant("TM", shape.tm) +
                constant("TN", shape.tn) + constant("STAGES", stages) + head + body + tail;
  kernel.blockThreads = 256;
  kernel.tensors = {"A", "B", "C="};
  kernel.sizes = {"m", "n", "k"};
  kernel.passStrides = true;
  kernel.staticSharedBytes = stages * 16 * (shape.bm + 4 + shape.bn) * 4;
  return kernel;
}

Kernel blockTiledGemm(const GemmShape &shape) { return makeGemm(shape, blockTiledBody, 1); }

Kernel pipelinedGemm(int stages, const GemmShape &shape) {
  return makeGemm(shape, pipelinedBody, stages);
}

GemmProblem::GemmProblem(int64_t m, int64_t n, int64_t k, int64_t extra)
    : m(m), n(n),
      k(k), tensors{TestTensor::matrix(m, k, k + extra), TestTensor::matrix(k, n, n + extra),
                    TestTensor::matrix(m, n, n + extra)},
      expected(m * n, 0.0f) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t l = 0; l < k; ++l)
      for (int64_t j = 0; j < n; ++j)
        expected[i * n + j] += tensors[0].at(i, l) * tensors[1].at(l, j);
}

bool GemmProblem::isRight() const {
  const TestTensor &c = tensors[2];
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j)
      if (!(c.data[i * c.strides[0] + j] == expected[i * n + j]))
        return false;
  return true;
}

Report launchGemm(Kernel kernel, const GemmShape &shape, GemmProblem &problem,
                  const RunOptions &options) {
  kernel.blocks = ((problem.m + shape.bm - 1) / shape.bm) * ((problem.n + shape.bn - 1) / shape.bn);
  return launch(kernel, problem.tensors, {problem.m, problem.n, problem.k}, {}, options);
}

} // namespace tilec::emulator::test
