//===- BulkPlanTest.cpp - Tiles as boxes ------------------------*- C++ -*-===//
//
// Which layouts are boxes, and how blocks part them, worked by hand.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/BulkPlan.h"
#include "tilec/Layout/Parse.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;

namespace {

layout::Result<BoxShape> boxOf(const std::string &text, int64_t elementBytes) {
  auto layout = layout::parseComposedLayout(text);
  EXPECT_TRUE(static_cast<bool>(layout)) << text;
  SmallVector<int64_t> shape;
  for (size_t dim = 0; dim < layout->layout().rank(); ++dim)
    shape.push_back(layout->layout().mode(dim).size());
  return getBoxShape(*layout, shape, elementBytes);
}

std::string str(const layout::Result<BoxShape> &box) {
  if (!box)
    return box.error().message;
  std::string text = std::to_string(box->pieces) + " of";
  for (auto [dim, extent] : llvm::zip_equal(box->dims, box->extents))
    text += " d" + std::to_string(dim) + ":" + std::to_string(extent);
  return text + ", " + std::to_string(box->bytes) + " bytes, " + std::to_string(box->alignment()) + " apart, swizzle " +
         std::to_string(box->swizzleBytes);
}

TEST(BulkPlanTest, Boxes) {
  EXPECT_EQ(str(boxOf("(32,16):(16,1)", 4)), "1 of d1:16 d0:32, 2048 bytes, 128 apart, swizzle 0");
  EXPECT_EQ(str(boxOf("(32,16):(1,32)", 4)), "1 of d0:32 d1:16, 2048 bytes, 128 apart, swizzle 0");
  // Dimensions of one element come last, whatever their strides.
  EXPECT_EQ(str(boxOf("(1,32,16):(0,16,1)", 4)), "1 of d2:16 d1:32 d0:1, 2048 bytes, 128 apart, swizzle 0");
  EXPECT_EQ(str(boxOf("(1,32,16):(1,16,1)", 4)), "1 of d2:16 d1:32 d0:1, 2048 bytes, 128 apart, swizzle 0");
  // Modes that are one stride after all.
  EXPECT_EQ(str(boxOf("((4,8),16):((16,64),1)", 4)), "1 of d1:16 d0:32, 2048 bytes, 128 apart, swizzle 0");
}

// Of 16-byte chunks 2, 4 and 8 change places; the pattern repeats after 8 rows of so many chunks.
TEST(BulkPlanTest, Swizzles) {
  EXPECT_EQ(str(boxOf("Sw<3,3,3> o 0 o (128,64):(64,1)", 2)), "1 of d1:64 d0:128, 16384 bytes, 1024 apart, swizzle 128");
  EXPECT_EQ(str(boxOf("Sw<2,2,3> o 0 o (32,16):(16,1)", 4)), "1 of d1:16 d0:32, 2048 bytes, 512 apart, swizzle 64");
  EXPECT_EQ(str(boxOf("Sw<1,4,3> o 0 o (32,32):(32,1)", 1)), "1 of d1:32 d0:32, 1024 bytes, 256 apart, swizzle 32");
  // Chunks of 32 bytes, chunks from other rows, a swizzle of 16 chunks, an offset inside of the pattern.
  for (const char *text : {"Sw<2,3,3> o 0 o (32,16):(16,1)", "Sw<2,2,2> o 0 o (32,16):(16,1)", "Sw<4,2,4> o 0 o (32,16):(16,1)", "Sw<2,2,3> o 4 o (32,16):(16,1)"})
    EXPECT_NE(str(boxOf(text, 4)).find("needs a tile without swizzle, or with one of rows of 32, 64 or 128 bytes"), std::string::npos) << text;
}

TEST(BulkPlanTest, Pieces) {
  EXPECT_EQ(str(boxOf("Sw<3,3,3> o 0 o (64,(64,4)):(64,(1,4096))", 2)), "4 of d1:64 d0:64, 8192 bytes, 1024 apart, swizzle 128");
  EXPECT_EQ(str(boxOf("(64,(64,4)):(64,(1,4096))", 2)), "4 of d1:64 d0:64, 8192 bytes, 128 apart, swizzle 0");
  EXPECT_EQ(str(boxOf("((64,4),32):((32,2048),1)", 4)), "1 of d1:32 d0:256, 32768 bytes, 128 apart, swizzle 0");
  EXPECT_EQ(str(boxOf("((64,2),(64,2)):((64,8192),(1,4096))", 2)), "needs a tile of one nested mode at most, of two parts, which is copied in several boxes")
      << "two nested dimensions";
  EXPECT_EQ(str(boxOf("(64,(32,2,2)):(32,(1,4096,2048))", 2)), "needs a tile of one nested mode at most, of two parts, which is copied in several boxes");
  EXPECT_EQ(str(boxOf("(64,(64,4)):(64,(1,8192))", 2)), "writes boxes one after the other; along dimension 1 they are 8192 elements apart, and one has 4096");
  EXPECT_EQ(str(boxOf("(64,(64,4)):(256,(1,64))", 2)), "1 of d1:256 d0:64, 32768 bytes, 128 apart, swizzle 0");
  EXPECT_EQ(str(boxOf("(64,64):(72,1)", 2)), "writes a box without gaps; dimension 0 of the tile has stride 72, the box 64");
}

// 16 rows of 1024 bytes by two blocks: 8 rows each. By three: not in thirds, so two of them copy. 128 floats by three: 42.67
// each is no slice, 64 is one of 256 bytes; by eight: slices of 128 bytes are four. One row has one slice.
TEST(BulkPlanTest, Slices) {
  BoxShape rows = *boxOf("(16,256):(256,1)", 4), row = *boxOf("128:1", 4);
  EXPECT_EQ(countSlices(rows, 2), 2);
  EXPECT_EQ(countSlices(rows, 3), 2);
  EXPECT_EQ(countSlices(row, 3), 2);
  EXPECT_EQ(countSlices(row, 8), 4);
  EXPECT_EQ(countSlices(*boxOf("(1,64):(64,1)", 4), 4), 2);
  EXPECT_EQ(countSlices(*boxOf("32:1", 4), 4), 1);
}

// 32 rows of a swizzle part into 4 slices of 8 rows; 4 boxes part among 2 and 4 blocks as they are, and among 8 by their rows.
TEST(BulkPlanTest, SlicesOfSwizzles) {
  BoxShape rows = *boxOf("Sw<3,3,3> o 0 o (32,64):(64,1)", 2), boxes = *boxOf("Sw<3,3,3> o 0 o (64,(64,4)):(64,(1,4096))", 2);
  EXPECT_EQ(countSlices(rows, 8), 4);
  EXPECT_EQ(countSlices(rows, 3), 2);
  EXPECT_FALSE(rows.canSlice(8));
  EXPECT_TRUE(boxes.partsPieces(2));
  EXPECT_TRUE(boxes.partsPieces(4));
  EXPECT_FALSE(boxes.partsPieces(8));
  EXPECT_TRUE(boxes.canSlice(8));
  EXPECT_FALSE(boxes.canSlice(3));
  EXPECT_FALSE(boxes.canSlice(16));
}

} // namespace
