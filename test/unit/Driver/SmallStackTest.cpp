//===- SmallStackTest.cpp - Callers with little stack -----------*- C++ -*-===//
//
// A program that embeds tilec may call it from threads whose stacks are small:
// MLIR's parser, verifier and printer recurse on stacks of their own.
//
//===----------------------------------------------------------------------===//

#include "RunTestHelp.h"

#include "tilec/Driver/Explore.h"

#include <pthread.h>

using namespace tilec;

namespace {

/// Calls `work` on a stack of 128 KiB.
template <typename Work>
void runOnSmallStack(Work work) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, 128 << 10), 0);
  pthread_t thread;
  auto call = [](void *data) -> void * {
    (*static_cast<Work *>(data))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, call, &work), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

/// Loops inside of each other, `depth` of them.
std::string nest(unsigned depth) {
  std::string text = "tile.kernel @deep(%Y: memref<64xf32>[64]) {\n";
  for (unsigned i = 0; i < depth; ++i)
    text += "tile.for (%i" + std::to_string(i) + ") in (1) by (1) at dram {\n";
  text += R"(
    %c = tile.hold init(1.0 : f32) : memref<64xf32, #tile.level<rf>>
    tile.store %c to %Y[0] : memref<64xf32, #tile.level<rf>> to memref<64xf32>
)";
  return text + std::string(depth + 1, '}');
}

TEST(SmallStack, Compiles) {
  runOnSmallStack([] {
    CompileResult result = compileText(nest(200), "deep");
    ASSERT_EQ(result.kernels.size(), 1u);
    EXPECT_TRUE(contains(result.kernels[0].cuda, "deep(float *__restrict__ Y)"));
  });
}

TEST(SmallStack, Explores) {
  runOnSmallStack([] {
    ExploreOptions options;
    options.variations = {{"sms", {}}};
    EXPECT_EQ(explore(nest(200), "deep.mlir", options).status, Status::Done);
  });
}

TEST(SmallStack, RunsAndReports) {
  runOnSmallStack([] {
    CompileResult compiled = compileText(nest(200), "deep");
    RunOptions running;
    running.place = RunPlace::CPU;
    RunResult ran = run(compiled, 0, running);
    EXPECT_EQ(ran.status, Status::Done) << getText(ran);
    EXPECT_TRUE(reportRun(compiled, 0, ran, {}));
  });
}

TEST(SmallStack, RefusesWhatIsDeeper) {
  runOnSmallStack([] {
    CompileOptions options;
    std::string message;
    options.onDiagnostic = [&](const Diagnostic &diagnostic) { message = diagnostic.message; };
    EXPECT_EQ(compile(nest(300), "deep.mlir", options).status, Status::Rejected);
    EXPECT_EQ(message, "brackets nest deeper than 256");
  });
}

} // namespace
