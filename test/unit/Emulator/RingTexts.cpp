//===- RingTexts.cpp - Kernels with roles and rings of barriers -*- C++ -*-===//
//
// See RingTexts.h.
//
//===----------------------------------------------------------------------===//

#include "RingTexts.h"

namespace tilec::emulator::test {

namespace {

const char *const ringText = R"cuda(
extern "C" __global__ void __launch_bounds__(256, 1)
test(const float *A, const float *B, float *C, const __grid_constant__ TensorMap B_map, int M, int N, int K,
     long long A_row, long long A_column, long long B_row, long long B_column, long long C_row, long long C_column) {
  SHARED_AT(float, sB, 768, 0);
  SHARED_AT(float, sA, 864, 3072);
  SHARED(long long, full, 3);
  SHARED(long long, empty, 3);
  const int t = thread_x();
  if (t == 0) {
    for (int s = 0; s < 3; ++s) {
      mbarrier_init(&full[s], 129);
      mbarrier_init(&empty[s], 4);
    }
    fence_mbarrier_init();
  }
  sync_block();
  const int columns = (N + 31) / 32, tiles = (M + 31) / 32 * columns, steps = (K + 7) / 8;
  int n = 0;
  if (t < 128) {
    setmaxnreg_dec<40>();
    for (int tile = block_x(); tile < tiles; tile += block_count()) {
      const int m0 = tile / columns * 32, n0 = tile % columns * 32;
      for (int k = 0; k < steps; ++k, ++n) {
        const int s = n % 3;
        mbarrier_wait(&empty[s], (n / 3 + 1) % 2);
        if (t == 0) {
          mbarrier_arrive_expect_tx(&full[s], 1024);
          tma_load_2d(&sB[s * 256], &B_map, n0, 8 * k, &full[s]);
        }
        for (int i = t; i < 256; i += 128) {
          const int row = i / 8, column = i % 8;
          cp_async<1>(sA, s * 288 + column * 36 + row, &A[(m0 + row) * A_row + (8 * k + column) * A_column],
                      m0 + row < M && 8 * k + column < K);
        }
        cp_async_mbarrier_arrive(&full[s]);
      }
    }
  } else {
    setmaxnreg_inc<232>();
    const int m1 = (t - 128) / 8 * 2, n1 = t % 8 * 4;
    for (int tile = block_x(); tile < tiles; tile += block_count()) {
      const int m0 = tile / columns * 32, n0 = tile % columns * 32;
      float c[2][4] = {};
      for (int k = 0; k < steps; ++k, ++n) {
        const int s = n % 3;
        mbarrier_wait(&full[s], n / 3 % 2);
        if (n > 0) {  // The values of the stage before have come.
          sync_warp();
          if (t % 32 == 0) mbarrier_arrive(&empty[(n + 2) % 3]);
        }
        for (int j = 0; j < 8; ++j) {
          float a[2], b[4];
          lds_vector<2>(a, &sA[s * 288 + j * 36 + m1]);
          lds_vector<4>(b, &sB[s * 256 + j * 32 + n1]);
          for (int x = 0; x < 2; ++x)
            for (int y = 0; y < 4; ++y) c[x][y] += a[x] * b[y];
        }
        // end of step
      }
      for (int x = 0; x < 2; ++x)
        for (int y = 0; y < 4; ++y)
          if (m0 + m1 + x < M && n0 + n1 + y < N) stg(&C[(m0 + m1 + x) * C_row + (n0 + n1 + y) * C_column], c[x][y]);
    }
  }
}
)cuda";

const char *const multicastText = R"cuda(
extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(160, 1)
test(const float *A, const float *B, float *C, const __grid_constant__ TensorMap A_map,
     const __grid_constant__ TensorMap B_map, int M, int N, int K,
     long long A_row, long long A_column, long long B_row, long long B_column, long long C_row, long long C_column) {
  SHARED(float, sA, 768);
  SHARED(float, sB, 768);
  SHARED(long long, full, 3);
  SHARED(long long, empty, 3);
  const int t = thread_x(), rank = cluster_rank();
  if (t == 0) {
    for (int s = 0; s < 3; ++s) {
      mbarrier_init(&full[s], 1);
      mbarrier_init(&empty[s], 8);
    }
    fence_mbarrier_init();
  }
  cluster_sync();
  const int columns = (N + 31) / 32, pair = block_x() / 2;
  const int m0 = (2 * (pair / columns) + rank) * 32, n0 = pair % columns * 32, steps = (K + 7) / 8;
  if (t >= 128) {
    if (t == 128)
      for (int k = 0; k < steps; ++k) {
        const int s = k % 3;
        mbarrier_wait(&empty[s], (k / 3 + 1) % 2);
        mbarrier_arrive_expect_tx(&full[s], 2048);
        tma_load_2d(&sA[s * 256], &A_map, 8 * k, m0, &full[s]);
        if (rank == 0) tma_load_multicast_2d(&sB[s * 256], &B_map, n0, 8 * k, &full[s], 3);
      }
  } else {
    const int m1 = t / 8 * 2, n1 = t % 8 * 4;
    float c[2][4] = {};
    for (int k = 0; k < steps; ++k) {
      const int s = k % 3;
      mbarrier_wait(&full[s], k / 3 % 2);
      if (k > 0) {
        sync_warp();
        if (t % 32 < 2) mbarrier_arrive_remote(&empty[(k + 2) % 3], t % 2);
      }
      for (int j = 0; j < 8; ++j)
        for (int x = 0; x < 2; ++x)
          for (int y = 0; y < 4; ++y)
            c[x][y] += lds(&sA[s * 256 + (m1 + x) * 8 + j]) * lds(&sB[s * 256 + j * 32 + n1 + y]);
    }
    for (int x = 0; x < 2; ++x)
      for (int y = 0; y < 4; ++y)
        if (m0 + m1 + x < M && n0 + n1 + y < N) stg(&C[(m0 + m1 + x) * C_row + (n0 + n1 + y) * C_column], c[x][y]);
  }
  cluster_sync();
}
)cuda";

Kernel gemmKernel(const char *text, unsigned blocks, unsigned threads) {
  Kernel kernel;
  kernel.text = text;
  kernel.blocks = blocks;
  kernel.blockThreads = threads;
  kernel.tensors = {"A", "B", "C="};
  kernel.sizes = {"M", "N", "K"};
  kernel.passStrides = true;
  return kernel;
}

} // namespace

Kernel ringGemm(unsigned blocks) {
  Kernel kernel = gemmKernel(ringText, blocks, 256);
  kernel.dynamicSharedBytes = 3072 + 864 * 4;
  kernel.tensorMaps = {{1, {1, 0}, {32, 8}, runtime::Swizzle::None}};
  return kernel;
}

Kernel multicastGemm(unsigned blocks) {
  Kernel kernel = gemmKernel(multicastText, blocks, 160);
  kernel.clusterBlocks = 2;
  kernel.tensorMaps = {{0, {1, 0}, {8, 32}, runtime::Swizzle::None},
                       {1, {1, 0}, {32, 8}, runtime::Swizzle::None}};
  return kernel;
}

RingProblem::RingProblem(int64_t m, int64_t n, int64_t k) : m(m), n(n), k(k) {
  const auto aligned = [](int64_t extent) { return (extent + 15) / 8 * 8; };
  tensors = {TestTensor::matrix(m, k, aligned(k)), TestTensor::matrix(k, n, aligned(n)),
             TestTensor::matrix(m, n, n + 3)};
}

bool RingProblem::isRight() {
  for (int64_t row = 0; row < m; ++row)
    for (int64_t column = 0; column < n; ++column) {
      float sum = 0;
      for (int64_t j = 0; j < k; ++j)
        sum += tensors[0].at(row, j) * tensors[1].at(j, column);
      if (tensors[2].at(row, column) != sum)
        return false;
    }
  return true;
}

} // namespace tilec::emulator::test
