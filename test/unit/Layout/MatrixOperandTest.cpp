//===- MatrixOperandTest.cpp - Tiles that wgmma reads -----------*- C++ -*-===//

#include "tilec/Layout/MatrixOperand.h"
#include "tilec/Layout/Parse.h"
#include "gtest/gtest.h"

using namespace tilec::layout;

static Result<MatrixOperand> match(const char *layout, MatrixParts parts, int64_t bits = 16) {
  return matchMatrixOperand(*parseComposedLayout(layout), bits, parts);
}

// 128 rows of 64 k of 16 bits, 128 bytes each, swizzled: 8 rows take 8 * 64 elements.
TEST(MatrixOperandTest, KMajor) {
  auto found = match("Sw<3,3,3> o 0 o (128,64):(64,1)", {{64, 16}, {64, 16}, 1});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->major, SmemMajor::K);
  EXPECT_EQ(found->swizzle, SmemSwizzle::Bytes128);
  EXPECT_EQ(found->stride, 512);
}

// 64 k of 256 n, in four pieces of 64 n: pieces are 4096 elements apart, 8 k take 8 * 64 elements.
TEST(MatrixOperandTest, MNMajor) {
  auto found = match("Sw<3,3,3> o 0 o (64,(64,4)):(64,(1,4096))", {{16, 256}, {16, 0}, 0});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->major, SmemMajor::MN);
  EXPECT_EQ(found->swizzle, SmemSwizzle::Bytes128);
  EXPECT_EQ(found->leading, 4096);
  EXPECT_EQ(found->stride, 512);
}

// B as [n, k]: its first mode runs along n.
TEST(MatrixOperandTest, KMajorOfB) {
  auto found = match("Sw<2,3,3> o 0 o (256,32):(32,1)", {{256, 16}, {0, 16}, 1});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->swizzle, SmemSwizzle::Bytes64);
  EXPECT_EQ(found->stride, 256);
}

// Without a swizzle: 8 x 8 elements lie together, those beside along k 64 elements on, 8 rows further 128.
TEST(MatrixOperandTest, NoSwizzle) {
  auto found = match("((8,8),(8,2)):((8,128),(1,64))", {{64, 16}, {0, 0}, 1});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->swizzle, SmemSwizzle::None);
  EXPECT_EQ(found->leading, 64);
  EXPECT_EQ(found->stride, 128);
}

// 128 rows of 64 elements are whole rows of 128 bytes; 96 elements along m or n are three of 64 bytes, 64 rows of 32 elements apart.
TEST(MatrixOperandTest, TileLayouts) {
  EXPECT_EQ(matrixTileLayout({128, 64}, 1, SmemSwizzle::Bytes128, 16)->str(), "Sw<3,3,3> o 0 o (128,64):(64,1)");
  EXPECT_EQ(matrixTileLayout({96, 64}, 0, SmemSwizzle::Bytes64, 16)->str(), "Sw<2,3,3> o 0 o ((32,3),64):((1,2048),32)");
  EXPECT_EQ(matrixTileLayout({64, 16}, 1, SmemSwizzle::None, 8)->str(), "(64,16):(16,1)");
  EXPECT_EQ(matrixTileLayout({64, 96}, 1, SmemSwizzle::Bytes128, 16).error().message, "rows of 96 elements are not pieces of 64");
}

TEST(MatrixOperandTest, Refused) {
  auto error = [](Result<MatrixOperand> found) { return found ? std::string("accepted") : found.error().message; };
  // Rows without a swizzle are no pattern of 8 x 16 bytes.
  EXPECT_EQ(error(match("(128,64):(64,1)", {{64, 16}, {64, 16}, 1})),
            "wgmma reads no tile with layout (128,64):(64,1); for instance Sw<3,3,3> o 0 o ((8,8),(64,1)):((64,512),(1,0)) is one of its layouts");
  // Parts that begin at row 4 begin inside of 8 rows.
  EXPECT_EQ(error(match("Sw<3,3,3> o 0 o (128,64):(64,1)", {{64, 16}, {4, 16}, 1})),
            "parts of a tile with layout Sw<3,3,3> o 0 o (128,64):(64,1) start inside of its pattern");
  // 8-bit elements run along k only.
  EXPECT_EQ(error(match("Sw<3,4,3> o 0 o (32,128):(128,1)", {{32, 128}, {0, 0}, 0}, 8)),
            "wgmma reads elements of 8 bits where they lie side by side along k, but layout Sw<3,4,3> o 0 o (32,128):(128,1) has them so along m or n");
  EXPECT_NE(error(match("(2,64,16):(1024,16,1)", {{64, 16}, {0, 0}, 1})), "accepted");
}
