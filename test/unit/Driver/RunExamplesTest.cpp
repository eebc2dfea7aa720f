//===- RunExamplesTest.cpp - Every other example, awkward shapes ---------===//
//
// All kernels of an example, with extents around the edge of its tile.
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

class Examples : public testing::TestWithParam<Example> {};

} // namespace

TEST_P(Examples, AreRightForAwkwardExtents) {
  CompileResult compiled = compileExample(GetParam().name);
  int64_t t = GetParam().tile;
  const int64_t extents[] = {0, 1, 7, t - 1, t, t + 1, 2 * t + 3};
  for (size_t kernel = 0; kernel < compiled.kernels.size(); ++kernel)
    for (size_t i = 0; i < 7; ++i) {
      RunOptions options;
      options.place = RunPlace::CPU;
      // Shifted against each other by a step that is prime to 7.
      const std::vector<runtime::SizeArgument> &sizes = compiled.kernels[kernel].launch.sizes;
      for (size_t size = 0; size < sizes.size(); ++size)
        options.shape[sizes[size].name] = extents[(i + 3 * size) % 7];
      RunResult result = run(compiled, kernel, options);
      EXPECT_EQ(result.status, Status::Done) << getText(result);
    }
}

INSTANTIATE_TEST_SUITE_P(Driver, Examples,
                         testing::Values(Example{"vecadd", 1024}, Example{"transpose", 32}, Example{"transpose_naive", 32},
                                         Example{"rowsum", 128}, Example{"stencil", 32}, Example{"seed/tile32", 32},
                                         Example{"seed/tile64", 64}, Example{"fast/s1", 128}, Example{"split_k", 128},
                                         Example{"weight_stationary", 64}),
                         [](const testing::TestParamInfo<Example> &info) {
                           std::string name = info.param.name;
                           std::replace(name.begin(), name.end(), '/', '_');
                           return name;
                         });
