//===- CompileLogTest.cpp - Reading NVRTC's log ---------------*- C++ -*-===//
//
// Logs as NVRTC 13.0 and older versions write them.
//
//===----------------------------------------------------------------------===//

#include "tilec/NVRTC/CompileLog.h"

#include <gtest/gtest.h>

using namespace tilec::nvrtc;

namespace {

TEST(CompileLog, FrontEnd) {
  CompileLog log = parseCompileLog("gemm (v2).mlir(42): error: identifier \"x\" is undefined\n"
                                   "    f(3): error: this is an echoed source line\n"
                                   "    ^\n"
                                   "\n"
                                   "k.cu(7): warning #550-D: variable \"a\" was set\r\n"
                                   "nvrtc: error: invalid value for --gpu-architecture (-arch)\n"
                                   "2 errors detected in the compilation of \"kernel.cu\".\n");
  ASSERT_EQ(log.diagnostics.size(), 3u);
  EXPECT_EQ(log.diagnostics[0].severity, Severity::Error);
  EXPECT_EQ(log.diagnostics[0].file, "gemm (v2).mlir");
  EXPECT_EQ(log.diagnostics[0].line, 42u);
  EXPECT_EQ(log.diagnostics[0].message, "identifier \"x\" is undefined");
  EXPECT_EQ(log.diagnostics[1].severity, Severity::Warning);
  EXPECT_EQ(log.diagnostics[1].line, 7u);
  EXPECT_EQ(log.diagnostics[1].message, "variable \"a\" was set");
  EXPECT_EQ(log.diagnostics[2].severity, Severity::Error);
  EXPECT_EQ(log.diagnostics[2].message, "invalid value for --gpu-architecture (-arch)");
}

TEST(CompileLog, ResourcesOfEachKernel) {
  CompileLog log = parseCompileLog(
      "ptxas info    : Overriding maximum register limit 256 for 'other' with  32\n"
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'gemm' for 'sm_80'\n"
      "ptxas info    : Function properties for gemm\n"
      "ptxas         .     64 bytes stack frame, 60 bytes spill stores, 72 bytes spill loads\n"
      "ptxas info    : Used 255 registers, used 2 barriers, 256 bytes cumulative stack size, "
      "8192 bytes smem, 364 bytes cmem[0]\n"
      "ptxas info    : Compile time = 22.305 ms\n"
      "ptxas info    : Function properties for helper\n"
      "ptxas         .     0 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads\n"
      // Version 12 has no prefix on the second line and no barriers.
      "ptxas info    : Compiling entry function 'copy' for 'sm_80'\n"
      "ptxas info    : Function properties for copy\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 8 registers, 360 bytes cmem[0]\n");
  ASSERT_EQ(log.kernels.size(), 2u);
  EXPECT_EQ(log.kernels[0].kernel, "gemm");
  EXPECT_EQ(log.kernels[0].registers, 255u);
  EXPECT_EQ(log.kernels[0].barriers, 2u);
  EXPECT_EQ(log.kernels[0].stackBytes, 256u);
  // Its own spills and those of the function it calls: 60 + 4 and 72 + 8.
  EXPECT_EQ(log.kernels[0].spillStoreBytes, 64u);
  EXPECT_EQ(log.kernels[0].spillLoadBytes, 80u);
  EXPECT_EQ(log.kernels[0].staticSharedBytes, 8192u);
  EXPECT_EQ(log.kernels[1].kernel, "copy");
  EXPECT_EQ(log.kernels[1].registers, 8u);
  EXPECT_EQ(log.kernels[1].staticSharedBytes, 0u);
  ASSERT_EQ(log.diagnostics.size(), 1u);
  EXPECT_EQ(log.diagnostics[0].severity, Severity::Warning);
  EXPECT_EQ(log.diagnostics[0].message,
            "kernel 'gemm' spills registers: 64 bytes of stores and 80 bytes of loads per thread "
            "at 255 registers");
}

TEST(CompileLog, Ptxas) {
  CompileLog log = parseCompileLog(
      "ptxas info    : (C7519) warpgroup.arrive is injected in around line 56 by compiler\n"
      "ptxas info    : (C7510) wgmma.mma_async instructions are serialized\n"
      "ptxas info    : (C9999) Potential Performance Loss: something new\n"
      "ptxas warning : Value of threads per SM is out of range\n"
      "ptxas application ptx input, line 21; error   : Unknown modifier '.bar'\n"
      "ptxas fatal   : Ptx assembly aborted due to errors\n");
  ASSERT_EQ(log.diagnostics.size(), 6u);
  EXPECT_EQ(log.diagnostics[0].severity, Severity::Note);
  EXPECT_EQ(log.diagnostics[1].severity, Severity::Warning);
  EXPECT_EQ(log.diagnostics[1].message,
            "ptxas: (C7510) wgmma.mma_async instructions are serialized");
  EXPECT_EQ(log.diagnostics[2].severity, Severity::Warning);
  EXPECT_EQ(log.diagnostics[3].severity, Severity::Warning);
  EXPECT_EQ(log.diagnostics[3].message, "ptxas: Value of threads per SM is out of range");
  EXPECT_EQ(log.diagnostics[4].severity, Severity::Error);
  EXPECT_EQ(log.diagnostics[4].message,
            "ptxas: application ptx input, line 21: Unknown modifier '.bar'");
  EXPECT_EQ(log.diagnostics[5].severity, Severity::Error);
}

TEST(CompileLog, HostileText) {
  for (const char *text : {"", "\n\n", "(", "): ", "a(: ", "a(1): ", "a(99999999999): error: x",
                           "ptxas", "ptxas :", "Compiling entry function '", "Used  registers"})
    EXPECT_TRUE(parseCompileLog(text).diagnostics.empty()) << text;
}

} // namespace
