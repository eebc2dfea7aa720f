//===- RunArgumentsTest.cpp - The user's words for a run -----------------===//
//
// Names, extents, files and layouts, right and refused.
//
//===----------------------------------------------------------------------===//

#include "RunTestHelp.h"
#include "tilec/Runtime/Npy.h"

#include <cstdlib>
#include <unistd.h>

using namespace tilec;

namespace {

/// Runs naive at 5 x 4 x 3 with one more --arg.
RunResult runWith(const std::string &name, const std::string &value) {
  static const CompileResult compiled = compileExample("naive");
  RunOptions options = onCPU(5, 4, 3);
  options.arguments[name] = value;
  return run(compiled, 0, options);
}

void expectRejected(const RunResult &result, const std::string &message) {
  EXPECT_EQ(result.status, Status::Rejected);
  EXPECT_EQ(getText(result), message);
}

/// A file in a folder of this test's own, removed at its end.
class NpyFile {
public:
  explicit NpyFile(std::vector<int64_t> shape) {
    char pattern[] = "/tmp/tilec-run-XXXXXX";
    folder = mkdtemp(pattern);
    path = folder + "/a.npy";
    auto tensor = runtime::HostTensor::create(runtime::ElementType::F32, shape, runtime::rowMajorStrides(shape));
    runtime::fillIntegers(*tensor, 3);
    std::ofstream(path, std::ios::binary) << runtime::printNpy(*tensor);
  }
  ~NpyFile() {
    unlink(path.c_str());
    rmdir(folder.c_str());
  }
  std::string folder, path;
};

} // namespace

TEST(RunArguments, RefusesUnknownNames) {
  expectRejected(runWith("gamma", "1"), "--arg: kernel 'naive' has no argument 'gamma' of that kind; it has A, B, C, alpha, beta");
  expectRejected(runWith("M", "1"),
                 "--arg: kernel 'naive' has no argument 'M' of that kind; it has A, B, C, alpha, beta; the extent M is given with --shape");
  expectRejected(runWith("A.pad", "1"), "--arg A.pad: no such setting; a tensor has order, gap and offset");
}

TEST(RunArguments, RefusesUnknownExtents) {
  RunOptions options = onCPU(5, 4, 3);
  options.shape["p"] = 1;
  expectRejected(run(compileExample("naive"), 0, options), "--shape: kernel 'naive' has no argument 'p' of that kind; it has M, N, K");
}

TEST(RunArguments, RefusesWhatIsNoValue) {
  expectRejected(runWith("alpha", "fast"), "--arg alpha: 'fast' is no number; the argument is of type f32");
  expectRejected(runWith("alpha", ""), "--arg alpha: '' is no number; the argument is of type f32");
  expectRejected(runWith("A.order", "row"), "--arg A.order: 'row' is no order, expected rows or columns");
  expectRejected(runWith("A.gap", "-1"), "--arg A.gap: '-1' is no number of elements from 0 to 2147483648");
}

// maxExtent is 2^31 - 1 - 65536 = 2147418111.
TEST(RunArguments, RefusesExtentsOutOfRange) {
  RunOptions options = onCPU(5, 4, int64_t(1) << 40);
  expectRejected(run(compileExample("naive"), 0, options), "--shape k=1099511627776: an extent lies within 0..2147418111");
}

TEST(RunArguments, TakesNamesInEitherCase) {
  RunResult result = run(compileExample("naive"), 0, onCPU(5, 4, 3));
  EXPECT_EQ(result.shape, (std::map<std::string, int64_t>{{"M", 5}, {"N", 4}, {"K", 3}}));
  EXPECT_EQ(result.lines.front(), "naive on the emulator, M=5, N=4, K=3, alpha=1, beta=1");
}

TEST(RunArguments, HasDefaultExtents) {
  RunOptions options = onCPU(5, 4, 3);
  options.shape.erase("k");
  EXPECT_EQ(run(compileExample("naive"), 0, options).shape["K"], defaultExtentOnCPU - 4);
  options.verify = false;
  EXPECT_EQ(run(compileExample("naive"), 0, options).shape["K"], defaultExtentOnCPU);
}

// Blocks of one race with others only where there are others: one and a half of 256 along the grid, which its tiles do not divide.
TEST(RunArguments, VerifiesSeveralBlocksAndEdges) {
  std::string text = readExample("vecadd");
  size_t at = text.find("by (1024)");
  ASSERT_NE(at, std::string::npos);
  RunOptions options;
  options.place = RunPlace::CPU;
  EXPECT_EQ(run(compileText(text, "vecadd"), 0, options).shape["N"], 1536);
}

TEST(RunArguments, TakesExtentsFromFiles) {
  NpyFile file({6, 3});
  RunOptions options;
  options.place = RunPlace::CPU;
  options.shape["n"] = 4;
  options.arguments["A"] = file.path;
  RunResult result = run(compileExample("naive"), 0, options);
  EXPECT_EQ(result.status, Status::Done) << getText(result);
  EXPECT_EQ(result.shape, (std::map<std::string, int64_t>{{"M", 6}, {"N", 4}, {"K", 3}}));
  EXPECT_TRUE(contains(getText(result), "files: all 24 elements of C agree")) << getText(result);
}

TEST(RunArguments, RefusesFilesOfOtherShapes) {
  NpyFile flat({15}), wide({5, 4});
  expectRejected(runWith("A", flat.path), "--arg A: " + flat.path + " holds an array of shape (15), the operand has 2 dimensions");
  expectRejected(runWith("A", wide.path),
                 "--arg A: " + wide.path + " holds an array of shape (5, 4), the operand has 3 elements along dimension 1 (K)");
}

// C = alpha A B + beta C with alpha = 0 and beta = 2: twice what C holds.
TEST(RunArguments, SavesWhatTheRunLeaves) {
  NpyFile a({5, 3}), c({5, 4});
  RunOptions options = onCPU(5, 4, 3);
  options.arguments["A"] = a.path;
  options.arguments["C"] = c.path;
  options.arguments["alpha"] = "0";
  options.arguments["beta"] = "2";
  std::string saved = c.folder + "/saved.npy";
  options.saves = {"C"};
  std::vector<double> before = runtime::readNpy(c.path)->values;
  for (bool verify : {false, true}) {
    options.verify = verify;
    RunResult result = run(compileExample("naive"), 0, options);
    EXPECT_EQ(result.status, Status::Done) << getText(result);
    std::ofstream(saved, std::ios::binary) << result.saved["C"];
    auto after = runtime::readNpy(saved);
    ASSERT_TRUE(after) << after.message();
    EXPECT_EQ(after->shape, (std::vector<int64_t>{5, 4}));
    for (size_t i = 0; i < before.size(); ++i)
      EXPECT_EQ(after->values[i], 2 * before[i]);
    unlink(saved.c_str());
  }
}

TEST(RunArguments, RefusesToSaveWhatIsNoTensor) {
  RunOptions options = onCPU(5, 4, 3);
  options.saves = {"alpha"};
  expectRejected(run(compileExample("naive"), 0, options), "--save: kernel 'naive' has no argument 'alpha' of that kind; it has A, B, C");
}
