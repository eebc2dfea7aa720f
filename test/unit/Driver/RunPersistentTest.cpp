//===- RunPersistentTest.cpp - Blocks that take one tile after another ---===//
//
// Every example with a persistent grid: what one tile leaves in shared memory, in
// registers or under way must not disturb the next.
//
//===----------------------------------------------------------------------===//

#include "RunTestHelp.h"

#include <algorithm>

using namespace tilec;

namespace {

struct Example {
  const char *name;
  /// Edge of the tile of a block along the longest extent.
  int64_t tile;
};

class Persistent : public testing::TestWithParam<Example> {};

/// The text with all of its grids persistent.
std::string makePersistent(std::string text) {
  const std::string before = "at dram on block", after = before + " persistent";
  size_t grids = 0;
  for (size_t at = text.find(before); at != std::string::npos; at = text.find(before, at + after.size()), ++grids)
    text.replace(at, before.size(), after);
  EXPECT_GE(grids, 1u);
  return text;
}

} // namespace

TEST_P(Persistent, IsRightWhateverTheDeviceRunsAtOnce) {
  CompileResult compiled = compileText(makePersistent(readExample(GetParam().name)), GetParam().name);
  int64_t t = GetParam().tile;
  // 2t + 3 makes three tiles along an extent: nine of two extents are walked by 1, 4 and 80 blocks.
  const int64_t extents[] = {0, 1, t, t + 1, 2 * t + 3};
  const unsigned residentBlocks[] = {1, 4, 80};
  using Schedule = EmulatorSettings::Schedule;
  const Schedule schedules[] = {Schedule::InOrder, Schedule::Reversed, Schedule::WarpAhead, Schedule::Random};
  for (size_t kernel = 0; kernel < compiled.kernels.size(); ++kernel) {
    ASSERT_TRUE(compiled.kernels[kernel].launch.persistent);
    for (size_t i = 0; i < 6; ++i) {
      RunOptions options;
      options.place = RunPlace::CPU;
      options.emulator.residentBlocks = residentBlocks[i % 3];
      options.emulator.schedule = schedules[i % 4];
      const std::vector<runtime::SizeArgument> &sizes = compiled.kernels[kernel].launch.sizes;
      for (size_t size = 0; size < sizes.size(); ++size)
        options.shape[sizes[size].name] = i < 3 ? 2 * t + 3 : extents[(i + 2 * size) % 5];
      RunResult result = run(compiled, kernel, options);
      EXPECT_EQ(result.status, Status::Done) << getText(result);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Driver, Persistent,
                         testing::Values(Example{"vecadd", 1024}, Example{"transpose", 32}, Example{"rowsum", 128},
                                         Example{"stencil", 32}, Example{"smem", 32}, Example{"gemm", 128},
                                         Example{"fast/s1", 128}),
                         [](const testing::TestParamInfo<Example> &info) {
                           std::string name = info.param.name;
                           std::replace(name.begin(), name.end(), '/', '_');
                           return name;
                         });
