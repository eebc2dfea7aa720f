//===- RunReportTest.cpp - Counts against predictions ------------*- C++ -*-===//
//
// A run whose counts are not those that the analysis predicts is refused.
//
//===----------------------------------------------------------------------===//

#include "RunTestHelp.h"

using namespace tilec;

namespace {

/// What reportRun says of a run of vecadd that `change` has tampered with.
struct Outcome {
  bool agrees = false;
  std::vector<Diagnostic> diagnostics;
};

Outcome reportChanged(const std::function<void(CountedTraffic &)> &change) {
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
  Outcome outcome;
  CompileOptions compiling;
  compiling.onDiagnostic = [&](const Diagnostic &diagnostic) { outcome.diagnostics.push_back(diagnostic); };
  outcome.agrees = reportRun(compiled, 0, ran, compiling);
  return outcome;
}

} // namespace

TEST(RunReport, AgreesWithCounts) {
  Outcome outcome = reportChanged([](CountedTraffic &) {});
  EXPECT_TRUE(outcome.agrees);
  EXPECT_TRUE(outcome.diagnostics.empty());
}

TEST(RunReport, RefusesOtherBytes) {
  Outcome outcome = reportChanged([](CountedTraffic &site) { site.bytes += 4; });
  EXPECT_FALSE(outcome.agrees);
  ASSERT_EQ(outcome.diagnostics.size(), 1u);
  EXPECT_EQ(outcome.diagnostics.front().severity, Severity::Error);
  EXPECT_NE(outcome.diagnostics.front().message.find("4000 bytes delivered, 4004 counted"), std::string::npos)
      << outcome.diagnostics.front().message;
}

TEST(RunReport, RefusesOtherSectorsAndRequests) {
  Outcome outcome = reportChanged([](CountedTraffic &site) {
    ++site.sectors;
    --site.requests;
  });
  EXPECT_FALSE(outcome.agrees);
  EXPECT_EQ(outcome.diagnostics.size(), 2u);
}
