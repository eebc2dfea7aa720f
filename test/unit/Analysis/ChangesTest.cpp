//===- ChangesTest.cpp - What might make a nest faster ----------*- C++ -*-===//

#include "Nests.h"

#include "tilec/Analysis/Changes.h"
#include "tilec/Analysis/GrowStep.h"
#include "tilec/Report/BuildRecord.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;
using namespace tilec::test;

namespace {

class ChangesTest : public ::testing::Test {
protected:
  NestModel read(const std::string &text) {
    nest = parse(context, text);
    return *NestModel::get(nest.kernel, {-1, -1, -1, 4096, 4096, 4096});
  }

  std::vector<std::string> list(const std::string &text, const MachineSpec &spec) {
    NestModel model = read(text);
    auto analyses = report::analyzeKernel(nest.kernel, model.arguments, spec);
    EXPECT_TRUE(succeeded(analyses));
    std::vector<std::string> texts;
    for (const Change &change : listChanges(model, analyses->prediction, {}, spec))
      texts.push_back(change.text);
    return texts;
  }

  bool lists(const std::vector<std::string> &texts, const char *text) { return llvm::is_contained(texts, text); }

  Context context;
  Nest nest;
};

// Each of two steps halved, kept, doubled and four times as large, from a quarter to 8 times in all: 16 - the own - 16 times.
TEST_F(ChangesTest, OfTile64) {
  std::vector<std::string> texts = list(exampleText("seed/tile64.mlir"), machine("sm80"));
  EXPECT_EQ(llvm::count_if(texts, [](const std::string &text) { return text.rfind("block tile", 0) == 0; }), 14);
  EXPECT_TRUE(lists(texts, "block tile 128x64"));
  EXPECT_FALSE(lists(texts, "block tile 64x64"));
  EXPECT_FALSE(lists(texts, "block tile 256x256"));
  EXPECT_TRUE(lists(texts, "thread tile 8x4"));
  EXPECT_TRUE(lists(texts, "pipeline(2)"));
  EXPECT_TRUE(lists(texts, "raster(grouped = 16)"));
  EXPECT_TRUE(lists(texts, "threads in the order (arg1, arg0)"));
}

TEST_F(ChangesTest, NoPipelinesWithoutCpAsync) {
  EXPECT_FALSE(lists(list(exampleText("seed/tile64.mlir"), machine("v100")), "pipeline(2)"));
}

// Blocks of 128 rows have tiles of 128 rows, and loops over threads that walk them.
TEST_F(ChangesTest, StepsChangeWithTheirTiles) {
  NestModel model = read(exampleText("seed/tile64.mlir"));
  NestModel wider = changeStep(model, 0, 128);
  EXPECT_EQ(wider.loops[0].step, 128);
  EXPECT_EQ(wider.loops[3].extent, 128);
  EXPECT_EQ(wider.loops[4].extent, 64);
  EXPECT_EQ(wider.threadsPerBlock(), 512);
  EXPECT_EQ(wider.tiles[1].shape, (SmallVector<int64_t, 2>{128, 16}));
  EXPECT_EQ(changeStep(model, 0, 32).tiles[1].shape, (SmallVector<int64_t, 2>{32, 16}));
}

// gemm.mlir parts c in its main loop and in its epilogue: both change, parts included.
TEST_F(ChangesTest, AllLoopsOverATileChangeAlike) {
  NestModel model = read(exampleText("gemm.mlir"));
  unsigned first = llvm::find_if(model.loops, [](const LoopModel &loop) { return loop.onThreads(); }) - model.loops.begin();
  NestModel changed = changeStep(model, first, 8);
  for (const LoopModel &loop : changed.loops)
    if (loop.onThreads() && loop.number == 0) {
      EXPECT_EQ(loop.step, 8);
    }
  int64_t parts = llvm::count_if(changed.parts, [](const PartModel &part) { return part.shape == SmallVector<int64_t, 2>{8, 4}; });
  EXPECT_EQ(parts, 2);
}

} // namespace
