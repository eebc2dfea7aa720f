//===- memory.cu - Kernels that memory bounds, beside hand-written ones -*- CUDA -*-===//
//
//   memory JOBS
//
// JOBS holds groups of kernels that do the same, one line each: cubins of tilec with their launch, and the kernels written by hand below. All of a
// group run one after the other, again and again, the L2 flushed ahead of each; the medians are printed. What a hand-written kernel stores is
// compared with what the others do. memory.py writes JOBS, and prints a table of what this prints.
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

//===----------------------------------------------------------------------===//
// By hand
//===----------------------------------------------------------------------===//

/// 16 bytes a thread where all is whole, else 4 bytes.
__global__ void __launch_bounds__(256) add(const float *__restrict__ x, const float *__restrict__ y, float *__restrict__ z, long n) {
  long i = (long(blockIdx.x) * 256 + threadIdx.x) * 4;
  if (i + 3 < n) {
    float4 a = *(const float4 *)(x + i), b = *(const float4 *)(y + i);
    *(float4 *)(z + i) = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
    return;
  }
  for (; i < n; ++i)
    z[i] = x[i] + y[i];
}

/// 64x64, an element at a time, rows longer by a word: for any row length.
template <typename T> __global__ void __launch_bounds__(256) transpose(const T *__restrict__ a, T *__restrict__ b, int m, int n) {
  __shared__ T tile[64][64 + 4 / sizeof(T)];
  int column = threadIdx.x % 64, row = threadIdx.x / 64, i0 = blockIdx.y * 64, j0 = blockIdx.x * 64;
#pragma unroll
  for (int r = row; r < 64; r += 4)
    if (i0 + r < m && j0 + column < n)
      tile[r][column] = a[long(i0 + r) * n + j0 + column];
  __syncthreads();
#pragma unroll
  for (int r = row; r < 64; r += 4)
    if (j0 + r < n && i0 + column < m)
      b[long(j0 + r) * m + i0 + column] = tile[column][r];
}

/// 64x64, 16 bytes in and out, 4x4 transposed in registers, groups of 16 bytes swizzled; rows of whole 16 bytes, whole tiles.
__global__ void __launch_bounds__(256) transpose16(const float *__restrict__ a, float *__restrict__ b, int m, int n) {
  __shared__ float4 tile[64][16];
  int group = threadIdx.x % 16, row = threadIdx.x / 16, i0 = blockIdx.y * 64, j0 = blockIdx.x * 64;
#pragma unroll
  for (int r = row; r < 64; r += 16)
    tile[r][group ^ (r / 4 % 8)] = *(const float4 *)(a + long(i0 + r) * n + j0 + group * 4);
  __syncthreads();
  float4 v[4];
#pragma unroll
  for (int e = 0; e < 4; ++e)
    v[e] = tile[group * 4 + e][row ^ (group % 8)];
#pragma unroll
  for (int e = 0; e < 4; ++e)
    *(float4 *)(b + long(j0 + row * 4 + e) * m + i0 + group * 4) =
        make_float4((&v[0].x)[e], (&v[1].x)[e], (&v[2].x)[e], (&v[3].x)[e]);
}

/// Narrow elements, 16 bytes in and out: a thread turns as many rows as a word has elements in registers, words of a column lie beside each other in shared
/// memory, groups of 16 bytes swizzled; rows of whole 16 bytes, whole tiles.
template <typename T> __global__ void __launch_bounds__(256) transposeNarrow(const T *__restrict__ a, T *__restrict__ b, int m, int n) {
  constexpr int E = 4 / sizeof(T), L = 16 / sizeof(T);
  __shared__ unsigned tile[8 * L][32];
  int chunk = threadIdx.x % 8, word = threadIdx.x / 8, i0 = blockIdx.y * 32 * E, j0 = blockIdx.x * 8 * L;
  union {
    uint4 all;
    T one[L];
  } rows[E];
#pragma unroll
  for (int e = 0; e < E; ++e)
    rows[e].all = *(const uint4 *)(a + long(i0 + word * E + e) * n + j0 + chunk * L);
#pragma unroll
  for (int j = 0; j < L; ++j) {
    union {
      unsigned all;
      T one[E];
    } turned;
#pragma unroll
    for (int e = 0; e < E; ++e)
      turned.one[e] = rows[e].one[j];
    tile[chunk * L + j][((word / 4) ^ chunk) * 4 + word % 4] = turned.all;
  }
  __syncthreads();
#pragma unroll
  for (int column = word; column < 8 * L; column += 32)
    *(uint4 *)(b + long(j0 + column) * m + i0 + chunk * L) = *(const uint4 *)&tile[column][(chunk ^ (column / L)) * 4];
}

/// 3x3, edges repeated: a thread has 4 rows of 4 columns, rows in registers; rows of whole 16 bytes.
__global__ void __launch_bounds__(128) stencil(const float *__restrict__ x, const float *__restrict__ w, float *__restrict__ y, int m, int n) {
  int j = (blockIdx.x * 32 + threadIdx.x % 32) * 4, i = (blockIdx.y * 4 + threadIdx.x / 32) * 4;
  if (i >= m || j >= n)
    return;
  float k[9], row[3][6];
  for (int e = 0; e < 9; ++e)
    k[e] = w[e];
  auto load = [&](float *to, int at) {
    const float *from = x + long(min(max(at, 0), m - 1)) * n;
    float4 v = *(const float4 *)(from + j);
    to[0] = from[max(j - 1, 0)], to[1] = v.x, to[2] = v.y, to[3] = v.z, to[4] = v.w, to[5] = from[min(j + 4, n - 1)];
  };
  load(row[0], i - 1), load(row[1], i);
#pragma unroll
  for (int r = 0; r < 4; ++r) {
    load(row[(r + 2) % 3], i + r + 1);
    float sum[4] = {};
    for (int p = 0; p < 3; ++p)
      for (int q = 0; q < 3; ++q)
        for (int e = 0; e < 4; ++e)
          sum[e] += row[(r + p) % 3][e + q] * k[3 * p + q];
    if (i + r < m)
      *(float4 *)(y + long(i + r) * n + j) = make_float4(sum[0], sum[1], sum[2], sum[3]);
  }
}

/// The same for any row length: a thread has 4 rows of a column.
__global__ void __launch_bounds__(128) stencil1(const float *__restrict__ x, const float *__restrict__ w, float *__restrict__ y, int m, int n) {
  int j = blockIdx.x * 128 + threadIdx.x, i = blockIdx.y * 4;
  if (j >= n)
    return;
  float k[9], row[3][3];
  for (int e = 0; e < 9; ++e)
    k[e] = w[e];
  auto load = [&](float *to, int at) {
    const float *from = x + long(min(max(at, 0), m - 1)) * n;
    to[0] = from[max(j - 1, 0)], to[1] = from[j], to[2] = from[min(j + 1, n - 1)];
  };
  load(row[0], i - 1), load(row[1], i);
#pragma unroll
  for (int r = 0; r < 4; ++r) {
    load(row[(r + 2) % 3], i + r + 1);
    float sum = 0;
    for (int p = 0; p < 3; ++p)
      for (int q = 0; q < 3; ++q)
        sum += row[(r + p) % 3][q] * k[3 * p + q];
    if (i + r < m)
      y[long(i + r) * n + j] = sum;
  }
}

template <typename Combine> __device__ float ofBlock(float own, float *parts, Combine combine) {
  for (int by = 16; by > 0; by /= 2)
    own = combine(own, __shfl_xor_sync(~0u, own, by));
  if (threadIdx.x % 32 == 0)
    parts[threadIdx.x / 32] = own;
  __syncthreads();
  float all = parts[0];
  for (unsigned warp = 1; warp < blockDim.x / 32; ++warp)
    all = combine(all, parts[warp]);
  __syncthreads();
  return all;
}

/// A block a row, 16 bytes a thread and step.
__global__ void __launch_bounds__(256) rowsum(const float *__restrict__ x, float *__restrict__ s, int n) {
  __shared__ float parts[8];
  const float4 *row = (const float4 *)(x + long(blockIdx.x) * n);
  float sum = 0;
#pragma unroll 4
  for (int j = threadIdx.x; j < n / 4; j += 256) {
    float4 v = row[j];
    sum += v.x + v.y + v.z + v.w;
  }
  sum = ofBlock(sum, parts, [](float a, float b) { return a + b; });
  if (threadIdx.x == 0)
    s[blockIdx.x] = sum;
}

/// A block 32 columns, a warp every 32nd row of them.
__global__ void __launch_bounds__(1024) colsum(const float *__restrict__ x, float *__restrict__ s, int m, int n) {
  __shared__ float parts[32][33];
  int column = blockIdx.x * 32 + threadIdx.x % 32, warp = threadIdx.x / 32;
  float sum = 0;
#pragma unroll 8
  for (int i = warp; i < m; i += 32)
    sum += column < n ? x[long(i) * n + column] : 0;
  parts[warp][threadIdx.x % 32] = sum;
  __syncthreads();
  if (warp == 0 && column < n) {
    for (int other = 1; other < 32; ++other)
      sum += parts[other][threadIdx.x];
    s[column] = sum;
  }
}

/// A block a row of 1024 or 8192, which stays in registers.
template <int Groups> __global__ void __launch_bounds__(256) softmax(const float *__restrict__ x, float *__restrict__ y, int n) {
  __shared__ float parts[8];
  const float4 *row = (const float4 *)(x + long(blockIdx.x) * n);
  float4 v[Groups];
  float most = -INFINITY, sum = 0;
  for (int g = 0; g < Groups; ++g)
    v[g] = row[g * 256 + threadIdx.x];
  for (int g = 0; g < Groups; ++g)
    most = fmaxf(fmaxf(most, fmaxf(v[g].x, v[g].y)), fmaxf(v[g].z, v[g].w));
  most = ofBlock(most, parts, [](float a, float b) { return fmaxf(a, b); });
  for (int g = 0; g < Groups; ++g) {
    v[g] = make_float4(expf(v[g].x - most), expf(v[g].y - most), expf(v[g].z - most), expf(v[g].w - most));
    sum += v[g].x + v[g].y + v[g].z + v[g].w;
  }
  float by = 1 / ofBlock(sum, parts, [](float a, float b) { return a + b; });
  for (int g = 0; g < Groups; ++g)
    ((float4 *)(y + long(blockIdx.x) * n))[g * 256 + threadIdx.x] = make_float4(v[g].x * by, v[g].y * by, v[g].z * by, v[g].w * by);
}

//===----------------------------------------------------------------------===//
// Jobs
//===----------------------------------------------------------------------===//

static void check(int error, const char *what) {
  if (error == 0)
    return;
  fprintf(stderr, "memory: %s: error %d\n", what, error);
  exit(1);
}

struct Job {
  std::string label;
  /// Of a cubin; null for one by hand.
  CUfunction function = nullptr;
  unsigned grid[3] = {1, 1, 1}, threads = 1, shared = 0;
  /// Numbers of buffers, and values.
  std::vector<std::pair<char, long>> parameters;
  std::vector<float> times;
  std::string note;
};

struct Group {
  std::string name;
  double bytes = 0;
  int out = 0;
  long outBytes = 0;
  std::vector<Job> jobs;
};

constexpr int kBuffers = 4;
constexpr long kBufferBytes = 288l << 20, kFlushed = 256l << 20;
static char *buffers[kBuffers], *flushed;

static void launchByHand(const std::string &name, const Job &job) {
  auto p = [&](int i) { return (float *)buffers[job.parameters[i].second]; };
  auto v = [&](int i) { return job.parameters[i].second; };
  auto ceil = [](long a, long b) { return unsigned((a + b - 1) / b); };
  auto turn = [&](auto element) {
    using T = decltype(element);
    dim3 tiles(ceil(v(3), 64), ceil(v(2), 64)), wide(v(3) * sizeof(T) / 128, v(2) * sizeof(T) / 128);
    if (name == "transpose")
      transpose<<<tiles, 256>>>((const T *)p(0), (T *)p(1), v(2), v(3));
    else
      transposeNarrow<<<wide, 256>>>((const T *)p(0), (T *)p(1), v(2), v(3));
  };
  if (name == "add")
    add<<<ceil(v(3), 1024), 256>>>(p(0), p(1), p(2), v(3));
  else if (name == "transpose" || name == "transposeNarrow")
    v(4) == 1 ? turn((unsigned char)0) : v(4) == 2 ? turn((unsigned short)0) : turn(0.0f);
  else if (name == "transpose16")
    transpose16<<<dim3(v(3) / 64, v(2) / 64), 256>>>(p(0), p(1), v(2), v(3));
  else if (name == "stencil")
    stencil<<<dim3(ceil(v(4), 128), ceil(v(3), 16)), 128>>>(p(0), p(1), p(2), v(3), v(4));
  else if (name == "stencil1")
    stencil1<<<dim3(ceil(v(4), 128), ceil(v(3), 4)), 128>>>(p(0), p(1), p(2), v(3), v(4));
  else if (name == "rowsum")
    rowsum<<<v(2), 256>>>(p(0), p(1), v(3));
  else if (name == "colsum")
    colsum<<<ceil(v(3), 32), 1024>>>(p(0), p(1), v(2), v(3));
  else if (name == "softmax" && v(3) == 8192)
    softmax<8><<<v(2), 256>>>(p(0), p(1), v(3));
  else if (name == "softmax" && v(3) == 1024)
    softmax<1><<<v(2), 256>>>(p(0), p(1), v(3));
  else if (name == "copy")
    cudaMemcpyAsync(p(1), p(0), v(2), cudaMemcpyDeviceToDevice);
  else
    check(1, name.c_str());
}

static void launch(const Job &job) {
  if (!job.function) {
    launchByHand(job.label, job);
    return;
  }
  std::vector<long> values;
  for (auto [kind, value] : job.parameters)
    values.push_back(kind == 'b' ? (long)buffers[value] : value);
  std::vector<void *> pointers;
  for (long &value : values)
    pointers.push_back(&value); // Little-endian: an int is the first half.
  check(cuLaunchKernel(job.function, job.grid[0], job.grid[1], job.grid[2], job.threads, 1, 1, job.shared, nullptr, pointers.data(), nullptr), "launch");
}

/// Runs each once, and compares what it stores with what the first job by hand does.
static void compare(Group &group) {
  std::vector<char> wanted, seen(group.outBytes);
  auto fill = [&](Job &job, std::vector<char> &to) {
    cudaMemset(buffers[group.out], 0, group.outBytes);
    launch(job);
    check(cudaDeviceSynchronize(), job.label.c_str());
    to.resize(group.outBytes);
    cudaMemcpy(to.data(), buffers[group.out], group.outBytes, cudaMemcpyDeviceToHost);
  };
  for (Job &job : group.jobs)
    if (wanted.empty() && !job.function)
      fill(job, wanted);
  if (wanted.empty())
    return;
  for (Job &job : group.jobs) {
    if (job.label == "copy") // Beside others for its time.
      continue;
    fill(job, seen);
    double worst = 0;
    const float *a = (const float *)wanted.data(), *b = (const float *)seen.data();
    for (long i = 0; i < group.outBytes / 4; ++i)
      if (memcmp(a + i, b + i, 4) != 0) {
        double apart = std::fabs(double(a[i]) - b[i]) / (std::fabs(a[i]) + 1e-6);
        worst = apart > worst || apart != apart ? (apart != apart ? INFINITY : apart) : worst;
      }
    if (worst > 1e-4)
      job.note = " DIFFERS";
  }
}

static void measure(Group &group, int times) {
  cudaEvent_t from, to;
  cudaEventCreate(&from), cudaEventCreate(&to);
  for (int time = 0; time < times; ++time)
    for (Job &job : group.jobs) {
      cudaMemsetAsync(flushed, time, kFlushed);
      cudaEventRecord(from);
      launch(job);
      cudaEventRecord(to);
      check(cudaEventSynchronize(to), job.label.c_str());
      cudaEventElapsedTime(&job.times.emplace_back(), from, to);
    }
  for (Job &job : group.jobs) {
    std::nth_element(job.times.begin(), job.times.begin() + times / 2, job.times.end());
    printf("%s\t%s\t%s\t%.2f\t%.0f%s\n", group.name.c_str(), job.function ? "tilec" : "hand", job.label.c_str(), job.times[times / 2] * 1e3,
           group.bytes / job.times[times / 2] / 1e6, job.note.c_str());
  }
  fflush(stdout);
}

/// group NAME BYTES OUT OUTBYTES | tilec LABEL CUBIN KERNEL GX GY GZ THREADS SHARED PARAMETER... | hand NAME PARAMETER...
static std::vector<Group> readJobs(const char *path) {
  std::vector<Group> groups;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string kind, cubin, kernel;
    words >> kind;
    if (kind == "group") {
      Group &group = groups.emplace_back();
      words >> group.name >> group.bytes >> group.out >> group.outBytes;
      continue;
    }
    Job &job = groups.back().jobs.emplace_back();
    words >> job.label;
    if (kind == "tilec") {
      words >> cubin >> kernel >> job.grid[0] >> job.grid[1] >> job.grid[2] >> job.threads >> job.shared;
      CUmodule module;
      check(cuModuleLoad(&module, cubin.c_str()), cubin.c_str());
      check(cuModuleGetFunction(&job.function, module, kernel.c_str()), kernel.c_str());
      cuFuncSetAttribute(job.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, job.shared);
    }
    for (std::string parameter; words >> parameter;)
      job.parameters.emplace_back(parameter[0], atol(parameter.c_str() + 1));
  }
  return groups;
}

__global__ void fill(float *to, long count) {
  for (long i = blockIdx.x * 256l + threadIdx.x; i < count; i += gridDim.x * 256l)
    to[i] = float((i * 2654435761ul >> 7) % 4096) / 4096;
}

int main(int, char **arguments) {
  cudaFree(nullptr);
  for (char *&buffer : buffers) {
    check(cudaMalloc(&buffer, kBufferBytes), "memory");
    fill<<<4096, 256>>>((float *)buffer, kBufferBytes / 4);
  }
  check(cudaMalloc(&flushed, kFlushed), "memory");
  for (Group &group : readJobs(arguments[1])) {
    compare(group);
    measure(group, 21);
  }
}
