//===- CompilerTest.cpp - Compiling with NVRTC ----------------*- C++ -*-===//
//
// Skipped with the search's own reason where there is no NVRTC.
//
//===----------------------------------------------------------------------===//

#include "tilec/NVRTC/Compiler.h"

#include <gtest/gtest.h>

#include <optional>

using namespace tilec;
using namespace tilec::nvrtc;

namespace {

constexpr const char *scaleSource = R"(#line 7 "scale.mlir"
static __device__ int unused() { return 1; }
extern "C" __global__ void __launch_bounds__(128) scale(float *p, float a) {
  __shared__ float s[64];
  s[threadIdx.x & 63] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = a * s[(threadIdx.x + 1) & 63];
}
)";

/// 64 values live at once, in blocks that leave 64 registers a thread.
constexpr const char *spillingSource = R"(
extern "C" __global__ void __launch_bounds__(1024) spilling(float *p, int n) {
  float a[96];
#pragma unroll
  for (int i = 0; i < 96; ++i) a[i] = p[i * n + threadIdx.x];
  for (int k = 0; k < n; ++k)
#pragma unroll
    for (int i = 0; i < 96; ++i) a[i] = a[i] * a[(i + 1) % 96] + p[k];
#pragma unroll
  for (int i = 0; i < 96; ++i) p[i * n + threadIdx.x] = a[i];
}
)";

class NVRTC : public testing::Test {
protected:
  void SetUp() override {
    runtime::Result<Compiler> opened = Compiler::open(runtime::cudaSearchOfProcess());
    if (!opened)
      GTEST_SKIP() << opened.message();
    compiler.emplace(std::move(*opened));
  }

  std::optional<Compiler> compiler;
};

std::string errorsOf(const CompileOutput &output) {
  std::string text;
  for (const Diagnostic &diagnostic : output.diagnostics)
    if (diagnostic.severity == Severity::Error)
      text += diagnostic.file + ":" + std::to_string(diagnostic.line) + ": " + diagnostic.message +
              "\n";
  return text;
}

TEST_F(NVRTC, CompilesForAmpereAndHopper) {
  for (const char *arch : {"sm_80", "sm_90a"}) {
    CompileOptions options;
    options.ptx = true;
    CompileOutput output = compiler->compile(scaleSource, "scale.cu", arch, options);
    ASSERT_TRUE(output.ok) << output.log;
    EXPECT_TRUE(output.diagnostics.empty()) << output.log;
    ASSERT_GT(output.cubin.size(), 4u);
    EXPECT_EQ(output.cubin[1], 'E');
    EXPECT_NE(output.ptx.find(".entry scale"), std::string::npos) << output.ptx;
    EXPECT_NE(output.ptx.find(std::string(".target ") + arch), std::string::npos);
    ASSERT_EQ(output.kernels.size(), 1u);
    EXPECT_EQ(output.kernels[0].kernel, "scale");
    EXPECT_GT(output.kernels[0].registers, 3u);
    EXPECT_LT(output.kernels[0].registers, 40u);
    // 64 floats.
    EXPECT_EQ(output.kernels[0].staticSharedBytes, 256u);
    EXPECT_EQ(output.kernels[0].spillStoreBytes, 0u);
  }
}

TEST_F(NVRTC, EqualArgumentsGiveEqualBytes) {
  CompileOptions options;
  options.lineInfo = true;
  CompileOutput first = compiler->compile(scaleSource, "scale.cu", "sm_80", options);
  CompileOutput second = compiler->compile(scaleSource, "scale.cu", "sm_80", options);
  ASSERT_TRUE(first.ok && second.ok);
  EXPECT_EQ(first.cubin, second.cubin);
  options.lineInfo = false;
  EXPECT_LT(compiler->compile(scaleSource, "scale.cu", "sm_80", options).cubin.size(),
            first.cubin.size());
}

TEST_F(NVRTC, DebugIsAccepted) {
  CompileOptions options;
  options.debug = true;
  EXPECT_TRUE(compiler->compile(scaleSource, "scale.cu", "sm_80", options).ok);
}

TEST_F(NVRTC, BrokenSourceNamesFileAndLine) {
  CompileOutput output =
      compiler->compile("#line 42 \"gemm.mlir\"\nextern \"C\" __global__ void f() { x = 3; }\n",
                        "gemm.cu", "sm_80", {});
  EXPECT_FALSE(output.ok);
  EXPECT_TRUE(output.cubin.empty());
  EXPECT_EQ(errorsOf(output), "gemm.mlir:42: identifier \"x\" is undefined\n");
}

TEST_F(NVRTC, BrokenAssemblyIsAnError) {
  CompileOutput output = compiler->compile(
      "extern \"C\" __global__ void f() { asm volatile(\"foo.bar;\"); }", "f.cu", "sm_80", {});
  EXPECT_FALSE(output.ok);
  EXPECT_NE(errorsOf(output).find("foo"), std::string::npos) << output.log;
}

TEST_F(NVRTC, TooMuchStaticSharedMemoryIsExplained) {
  // 12289 floats are 4 bytes over 48 KiB.
  CompileOutput output = compiler->compile(
      "extern \"C\" __global__ void f(float *p) { __shared__ float s[12289]; s[threadIdx.x] = "
      "p[0]; __syncthreads(); p[1] = s[5]; }",
      "f.cu", "sm_80", {});
  EXPECT_FALSE(output.ok);
  EXPECT_NE(errorsOf(output).find("49156"), std::string::npos) << output.log;
}

TEST_F(NVRTC, SpillsAreWarnings) {
  CompileOutput output = compiler->compile(spillingSource, "spilling.cu", "sm_80", {});
  ASSERT_TRUE(output.ok) << output.log;
  ASSERT_EQ(output.kernels.size(), 1u);
  // 65536 registers for 1024 threads.
  EXPECT_LE(output.kernels[0].registers, 64u);
  EXPECT_GT(output.kernels[0].spillStoreBytes, 0u);
  EXPECT_GT(output.kernels[0].spillLoadBytes, 0u);
  ASSERT_EQ(output.diagnostics.size(), 1u) << output.log;
  EXPECT_EQ(output.diagnostics[0].severity, Severity::Warning);
}

TEST_F(NVRTC, MaxRegistersLimits) {
  const char *source = R"(
extern "C" __global__ void f(float *p, int n) {
  float a[64];
#pragma unroll
  for (int i = 0; i < 64; ++i) a[i] = p[i * n];
  for (int k = 0; k < n; ++k)
#pragma unroll
    for (int i = 0; i < 64; ++i) a[i] = a[i] * a[(i + 1) % 64] + p[k];
#pragma unroll
  for (int i = 0; i < 64; ++i) p[i * n] = a[i];
})";
  CompileOptions options;
  options.maxRegisters = 40;
  CompileOutput limited = compiler->compile(source, "f.cu", "sm_80", options);
  CompileOutput free = compiler->compile(source, "f.cu", "sm_80", {});
  ASSERT_TRUE(limited.ok && free.ok);
  EXPECT_LE(limited.kernels.at(0).registers, 40u);
  EXPECT_GT(free.kernels.at(0).registers, 64u);
}

TEST_F(NVRTC, SerializedWgmmaIsAWarning) {
  // The accumulator is read while the wgmma that writes it is in flight.
  const char *source = R"(
extern "C" __global__ void __launch_bounds__(128) w(float *p, unsigned long long a,
                                                   unsigned long long b, int n) {
  float d[4] = {p[0], p[1], p[2], p[3]};
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  for (int i = 0; i < n; ++i) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, "
                 "1, 1, 1, 0, 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(a), "l"(b));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    d[0] += 1.0f;
    p[i] = d[1];
  }
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  p[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
})";
  if (compiler->checkArch("sm_90a"))
    GTEST_SKIP() << "no sm_90a";
  CompileOutput output = compiler->compile(source, "w.cu", "sm_90a", {});
  ASSERT_TRUE(output.ok) << output.log;
  bool warned = false;
  for (const Diagnostic &diagnostic : output.diagnostics)
    warned |= diagnostic.severity == Severity::Warning &&
              diagnostic.message.find("serialized") != std::string::npos;
  EXPECT_TRUE(warned) << output.log;
}

TEST_F(NVRTC, UnknownArchNamesTheSupportedOnes) {
  EXPECT_FALSE(compiler->checkArch("sm_80"));
  EXPECT_FALSE(compiler->checkArch("sm_90a"));
  for (const char *arch : {"sm_99", "sm_80a", "sm_90f", "sm_", "80", "sm_80 --time=x", ""}) {
    CompileOutput output = compiler->compile(scaleSource, "scale.cu", arch, {});
    EXPECT_FALSE(output.ok);
    std::string errors = errorsOf(output);
    EXPECT_NE(errors.find(std::string("cannot compile for '") + arch + "'; it supports sm_"),
              std::string::npos)
        << errors;
    EXPECT_NE(errors.find("sm_90, sm_90a"), std::string::npos) << errors;
  }
}

TEST_F(NVRTC, RefusesNul) {
  std::string source = scaleSource;
  source[10] = '\0';
  EXPECT_EQ(errorsOf(compiler->compile(source, "scale.cu", "sm_80", {})),
            ":0: the source holds a NUL byte at offset 10\n");
}

TEST(NVRTCAbsent, SearchListsPlaces) {
  runtime::CudaSearch search;
  search.explicitPath = "/nowhere/toolkit";
  search.systemRoot = "/nowhere";
  runtime::Result<Compiler> opened = Compiler::open(search);
  if (opened)
    GTEST_SKIP() << "the loader itself finds " << opened->libraryPath();
  EXPECT_EQ(opened.message().find("found no libnvrtc.so.13 or libnvrtc.so.12; tried\n"
                                  "  /nowhere/toolkit/lib64 (--cuda-path)"),
            0u)
      << opened.message();
}

} // namespace
