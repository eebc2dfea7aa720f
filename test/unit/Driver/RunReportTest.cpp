//===- RunReportTest.cpp - Counts against predictions ------------*- C++ -*-===//
//
// A run whose counts are not those that the analysis predicts is refused.
//
//===----------------------------------------------------------------------===//

#include "RunTestHelp.h"

using namespace tilec;

namespace {

/// What reportRun says of a run of vecadd that `change` has tampered with.
struct Verdict {
  bool agrees = false;
  std::vector<Diagnostic> diagnostics;
};

Verdict reportChanged(const std::function<void(CountedTraffic &)> &change) {
  CompileResult compiled = compileText(readExample("vecadd"), "vecadd");
  RunOptions options;
  options.place = RunPlace::CPU;
  options.shape = {{"N", 1000}};
  RunResult ran = run(compiled, 0, options);
  EXPECT_EQ(ran.status, Status::Done) << getText(ran);
  EXPECT_FALSE(ran.counted.empty());
  if (ran.counted.empty())
    return {};
  change(ran.counted.front());
  Verdict verdict;
  CompileOptions compiling;
  compiling.onDiagnostic = [&](const Diagnostic &diagnostic) { verdict.diagnostics.push_back(diagnostic); };
  verdict.agrees = reportRun(compiled, 0, ran, compiling);
  return verdict;
}

} // namespace

TEST(RunReport, AgreesWithCounts) {
  Verdict verdict = reportChanged([](CountedTraffic &) {});
  EXPECT_TRUE(verdict.agrees);
  EXPECT_TRUE(verdict.diagnostics.empty());
}

TEST(RunReport, RefusesOtherBytes) {
  Verdict verdict = reportChanged([](CountedTraffic &site) { site.bytes += 4; });
  EXPECT_FALSE(verdict.agrees);
  ASSERT_EQ(verdict.diagnostics.size(), 1u);
  EXPECT_EQ(verdict.diagnostics.front().severity, Severity::Error);
  EXPECT_NE(verdict.diagnostics.front().message.find("4000 bytes delivered, 4004 counted"), std::string::npos)
      << verdict.diagnostics.front().message;
}

TEST(RunReport, RefusesOtherSectorsAndRequests) {
  Verdict verdict = reportChanged([](CountedTraffic &site) {
    ++site.sectors;
    --site.requests;
  });
  EXPECT_FALSE(verdict.agrees);
  EXPECT_EQ(verdict.diagnostics.size(), 2u);
}
