//===- BanksTest.cpp - Wavefronts of shared-memory accesses -----*- C++ -*-===//

#include "LayoutTestUtils.h"

#include "tilec/Layout/Banks.h"
#include "tilec/Layout/Instructions.h"

using namespace tilec::layout;

namespace {

std::vector<std::optional<int64_t>> lanes(int64_t count, int64_t step) {
  std::vector<std::optional<int64_t>> addresses;
  for (int64_t lane = 0; lane < count; ++lane)
    addresses.push_back(lane * step);
  return addresses;
}

/// "wavefronts/ideal".
std::string wavefronts(const Result<BankReport> &report) {
  if (!report)
    return "error: " + report.error().message;
  return std::to_string(report->wavefronts) + "/" + std::to_string(report->idealWavefronts);
}

TEST(Banks, FourByteStrides) {
  // Lanes 4*s bytes apart meet in gcd(s, 32) words a bank.
  EXPECT_EQ(wavefronts(analyzeBankAddresses(lanes(32, 4), 4)), "1/1");
  EXPECT_EQ(wavefronts(analyzeBankAddresses(lanes(32, 8), 4)), "2/1");
  EXPECT_EQ(wavefronts(analyzeBankAddresses(lanes(32, 12), 4)), "1/1");
  EXPECT_EQ(wavefronts(analyzeBankAddresses(lanes(32, 32), 4)), "8/1");
  EXPECT_EQ(wavefronts(analyzeBankAddresses(lanes(32, 128), 4)), "32/1");
  EXPECT_EQ(wavefronts(analyzeBankAddresses(lanes(32, 132), 4)), "1/1");
}

TEST(Banks, EqualWordsAreBroadcast) {
  EXPECT_EQ(wavefronts(analyzeBankAddresses(lanes(32, 0), 4)), "1/1");
  // Two 2-byte lanes in each word: 16 words in 16 banks.
  EXPECT_EQ(wavefronts(analyzeBankAddresses(lanes(32, 2), 2)), "1/1");
}

TEST(Banks, LanesTakeTurns) {
  BankModel model;
  model.mergeEqualPairs = model.takesTurns = true;
  auto count = [&](int64_t step, int64_t bytes) {
    auto addresses = lanes(32, step);
    BankCount cost = *countWavefronts(addresses, bytes, model);
    EXPECT_EQ(wavefronts(analyzeBankAddresses(addresses, bytes, model)), std::to_string(cost.wavefronts) + "/" + std::to_string(cost.idealWavefronts));
    return cost.wavefronts;
  };
  EXPECT_EQ(count(4, 4), 1);
  EXPECT_EQ(count(128, 4), 32);
  // All at one word, of 4 bytes or, in two phases, of 8.
  EXPECT_EQ(count(0, 4), 32);
  EXPECT_EQ(count(0, 8), 32);
}

TEST(Banks, WideAccessesGoInPhases) {
  EXPECT_EQ(wavefronts(analyzeBankAddresses(lanes(32, 8), 8)), "2/2");
  EXPECT_EQ(wavefronts(analyzeBankAddresses(lanes(32, 16), 16)), "4/4");
  // 8 lanes of a quarter warp, 128 bytes apart, all in banks 0 to 3: 8 wavefronts each.
  EXPECT_EQ(wavefronts(analyzeBankAddresses(lanes(32, 128), 16)), "32/4");
  // 144 = 128 + 16: each lane starts 4 banks further.
  EXPECT_EQ(wavefronts(analyzeBankAddresses(lanes(32, 144), 16)), "4/4");
  // Only the first quarter is active.
  EXPECT_EQ(wavefronts(analyzeBankAddresses(lanes(8, 128), 16)), "8/1");
}

TEST(Banks, MergeRule) {
  BankModel merging;
  merging.mergeEqualPairs = true;
  auto pairs = [](int64_t distance, int64_t step) {
    std::vector<std::optional<int64_t>> addresses;
    // Lane T and T ^ distance share an address.
    for (int64_t lane = 0; lane < 32; ++lane)
      addresses.push_back((lane & ~distance) * step);
    return addresses;
  };
  EXPECT_EQ(wavefronts(analyzeBankAddresses(pairs(1, 8), 8)), "2/2");
  // 16 distinct 8-byte words 16 bytes apart take 2 wavefronts in one phase: 64 banks' worth.
  EXPECT_EQ(wavefronts(analyzeBankAddresses(pairs(1, 8), 8, merging)), "2/1");
  // 8 bytes apart for each pair: 16 * 8 = 128 bytes, one wavefront.
  EXPECT_EQ(wavefronts(analyzeBankAddresses({0,  0,  8,  8,  16,  16,  24,  24,  32,  32, 40,
                                             40, 48, 48, 56, 56,  64,  64,  72,  72,  80, 80,
                                             88, 88, 96, 96, 104, 104, 112, 112, 120, 120},
                                            8, merging)),
            "1/1");
  // 16-byte accesses merge within half warps: 4 phases become 2.
  EXPECT_EQ(wavefronts(analyzeBankAddresses(lanes(32, 0), 16, merging)), "2/2");
  EXPECT_EQ(wavefronts(analyzeBankAddresses(lanes(32, 0), 16)), "4/4");
  // Without equal pairs the option changes nothing.
  EXPECT_EQ(wavefronts(analyzeBankAddresses(lanes(32, 16), 16, merging)), "4/4");
}

TEST(Banks, NamesLanesAndAddresses) {
  // 64 bytes apart: lanes 0, 2, 4, ... meet in bank 0, lanes 1, 3, ... in bank 16.
  Result<BankReport> report = analyzeBankAddresses(lanes(4, 64), 4);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->wavefronts, 2);
  EXPECT_EQ(report->degree(), 2.0);
  ASSERT_EQ(report->conflicts.size(), 2u);
  EXPECT_EQ(report->conflicts[1].bank, 16);
  EXPECT_EQ(report->conflicts[1].lanes, (std::vector<int64_t>{1, 3}));
  EXPECT_EQ(report->conflicts[1].addresses, (std::vector<int64_t>{64, 192}));
}

TEST(Banks, Refusals) {
  EXPECT_EQ(wavefronts(analyzeBankAddresses(lanes(32, 4), 12)),
            "error: an access of 12 bytes, 1, 2, 4, 8 or 16 is possible");
  EXPECT_EQ(wavefronts(analyzeBankAddresses(lanes(32, 4), 8)),
            "error: lane 1: address 4 is not a multiple of 8, the width of the access");
  EXPECT_EQ(wavefronts(analyzeBankAddresses(lanes(33, 4), 4)), "error: 33 lanes, a warp has 32");
  // Down a column the four values of a lane are 64 elements apart.
  EXPECT_EQ(
      wavefronts(analyzeBanks(C("(64,64):(64,1)"), {L("(8,4):(4,1)"), 4, 16})),
      "error: value 1 of lane 0 lies at offset 64, one access from offset 0 on needs it at 1");
  EXPECT_EQ(wavefronts(analyzeBanks(C("(8,8):(8,1)"), {L("(32,1):(64,0)"), 4, 4})),
            "error: the access reaches index 1984 of a tile of 64 elements");
  EXPECT_EQ(wavefronts(analyzeBanks(C("(8,8):(8,1)"), {L("(32,2):(1,0)"), 4, 4})),
            "error: 2 values of 4 bytes do not fill an access of 4");
}

/// ldmatrix.x4 on rows r0..r0+31 of a row-major (rows, 64) tile of 16-bit elements: lane t gives
/// row t, values run along the row. Logical index = row + rows * column.
WarpAccess ldmatrixRows(int64_t rows) {
  return {*Layout::get(IntTuple::tuple({32, 8}), IntTuple::tuple({1, rows})), 2, 16};
}

TEST(Banks, HopperSwizzleFreesLdmatrix) {
  // Rows of 128 bytes: 8 rows of a quarter warp all start in bank 0.
  EXPECT_EQ(wavefronts(analyzeBanks(C("(64,64):(64,1)"), ldmatrixRows(64))), "32/4");
  EXPECT_EQ(wavefronts(analyzeBanks(C("Sw<3,3,3> o 0 o (64,64):(64,1)"), ldmatrixRows(64))), "4/4");
  // Rows of 64 bytes: every second row meets, 4 wavefronts a phase.
  EXPECT_EQ(wavefronts(analyzeBanks(C("(64,32):(32,1)"), ldmatrixRows(64))), "16/4");
  EXPECT_EQ(wavefronts(analyzeBanks(C("Sw<2,3,3> o 0 o (64,32):(32,1)"), ldmatrixRows(64))), "4/4");
}

TEST(BankSearch, FindsASwizzleForRowsAndColumns) {
  // f32 32x32, read along rows and along columns, one element a lane.
  WarpAccess row{L("(32,1):(32,0)"), 4, 4}, column{L("(32,1):(1,0)"), 4, 4};
  Result<BankFreeTile> found = findConflictFreeTile({32, 32, true}, {row, column});
  ASSERT_TRUE(found) << found.error().message;
  // A swizzle needs no memory, so it wins over 33 elements a row; 5 bits move one element each.
  EXPECT_EQ(found->layout.str(), "Sw<5,0,5> o 0 o (32,32):(32,1)");
  EXPECT_EQ(found->elements, 1024);
  for (const BankReport &report : found->reports)
    EXPECT_EQ(report.degree(), 1.0);
}

TEST(BankSearch, KeepsWhatIsAlreadyFree) {
  WarpAccess row{L("(32,1):(32,0)"), 4, 4};
  Result<BankFreeTile> found = findConflictFreeTile({32, 32, true}, {row});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->layout.str(), "(32,32):(32,1)");
}

TEST(BankSearch, FindsTheHopperSwizzle) {
  Result<BankFreeTile> found = findConflictFreeTile({64, 64, true}, {ldmatrixRows(64)});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->layout.str(), "Sw<3,3,3> o 0 o (64,64):(64,1)");
}

TEST(BankSearch, MovesWholeWordsOfNarrowElements) {
  // 16-bit elements, rows of 128 bytes: a column needs 32 words, so the xor starts at bit 1.
  WarpAccess column{L("(32,1):(1,0)"), 2, 2};
  Result<BankFreeTile> found = findConflictFreeTile({32, 64, true}, {column});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->layout.str(), "Sw<5,1,5> o 0 o (32,64):(64,1)");
}

TEST(BankSearch, PadsWhereRowsAreMisaligned) {
  // Rows of 7 floats read 16 bytes at a time: a pitch of 8 aligns them, yet lanes 0 and 4 meet
  // (4 * 32 = 128 bytes); 12 puts 8 lanes at 48 bytes apart, 16-byte chunks 0 3 6 1 4 7 2 5.
  WarpAccess rows{L("(8,4):(1,8)"), 4, 16};
  Result<BankFreeTile> found = findConflictFreeTile({8, 7, true}, {rows});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->layout.str(), "(8,7):(12,1)");
  EXPECT_EQ(found->elements, 96);
  Result<BankFreeTile> columnMajor =
      findConflictFreeTile({7, 8, false}, {{L("(8,4):(7,1)"), 4, 16}});
  ASSERT_TRUE(columnMajor) << columnMajor.error().message;
  EXPECT_EQ(columnMajor->layout.str(), "(7,8):(1,12)");
}

TEST(BankSearch, SaysWhenThereIsNone) {
  // Pairs of floats along rows keep pairs together and aligned, so a column of single floats meets
  // only even banks: 16 of them for 32 lanes, degree 2 at best.
  WarpAccess pairs{L("(16,2):(64,32)"), 4, 8}, column{L("(32,1):(1,0)"), 4, 4};
  Result<BankFreeTile> found = findConflictFreeTile({32, 32, true}, {pairs, column});
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().message.find("has degree 2.000000"), std::string::npos)
      << found.error().message;
  EXPECT_FALSE(findConflictFreeTile({32, 32, true}, {}));
  EXPECT_FALSE(findConflictFreeTile({0, 32, true}, {column}));
}

} // namespace
