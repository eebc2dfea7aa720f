//===- LayoutAttrTest.cpp - Maps, strides and runs of layouts ---*- C++ -*-===//
//
// The affine map of a layout attribute is compared with the layout at every element.
//
//===----------------------------------------------------------------------===//

#include "tilec/Layout/Parse.h"
#include "tilec/Tile/Tile.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tilec;

namespace {

class LayoutAttrTest : public testing::Test {
protected:
  LayoutAttrTest() { context.loadDialect<tile::TileDialect>(); }

  tile::LayoutAttr get(StringRef text) {
    return cast<tile::LayoutAttr>(parseAttribute(("#tile.layout<\"" + text + "\">").str(), &context));
  }
  MemRefType getType(StringRef text) { return cast<MemRefType>(parseType(text, &context)); }

  MLIRContext context;
};

/// The value of a map's one result, computed by the affine expressions themselves.
int64_t evaluate(AffineMap map, ArrayRef<int64_t> coordinate, ArrayRef<int64_t> symbols) {
  MLIRContext *context = map.getContext();
  SmallVector<AffineExpr> dims, values;
  for (int64_t x : coordinate)
    dims.push_back(getAffineConstantExpr(x, context));
  for (int64_t x : symbols)
    values.push_back(getAffineConstantExpr(x, context));
  return cast<AffineConstantExpr>(map.getResult(0).replaceDimsAndSymbols(dims, values)).getValue();
}

TEST_F(LayoutAttrTest, MapIsTheLayoutAtEveryElement) {
  for (StringRef text : {"((2,2),2):((4,1),2)", "(4,8):(1,5)", "((2,3,2),(5,2)):((1,20,60),(4,2))", "12:3",
                         "((2,(2,3)),4):((1,(8,16)),2)", "(1,(1,4)):(7,(9,2))", "(4,8):(0,1)",
                         "Sw<3,3,3> o 0 o (8,64):(64,1)", "Sw<2,3,3> o 5 o (8,32):(32,1)",
                         "Sw<5,0,5> o 0 o (32,32):(32,1)", "Sw<3,0,-7> o 0 o (16,128):(128,1)",
                         "Sw<2,1,2> o 3 o ((2,8),(4,2)):((64,8),(1,4))", "Sw<0,0,0> o 9 o (4,8):(1,4)"}) {
    tile::LayoutAttr attr = get(text);
    const layout::ComposedLayout &layout = attr.getLayout();
    AffineMap map = attr.getAffineMap();
    ASSERT_EQ(map.getNumResults(), 1u) << text.str();
    ASSERT_EQ(map.getNumDims(), layout.layout().rank()) << text.str();
    for (int64_t index = 0; index < layout.size(); ++index) {
      SmallVector<int64_t> coordinate;
      int64_t rest = index;
      for (size_t dim = 0; dim < layout.layout().rank(); ++dim) {
        coordinate.push_back(rest % layout.layout().mode(dim).size());
        rest /= layout.layout().mode(dim).size();
      }
      ASSERT_EQ(evaluate(map, coordinate, {}), layout(index)) << text.str() << " at index " << index;
    }
  }
}

TEST_F(LayoutAttrTest, UnknownStridesAreSymbolsInOrder) {
  AffineMap map = get("(?,(2,3)):(?,(1,?))").getAffineMap();
  ASSERT_EQ(map.getNumSymbols(), 2u);
  // (4, 5): 4 * 100, then 5 = 1 + 2 * 2, so 1 * 1 + 2 * 10.
  EXPECT_EQ(evaluate(map, {4, 5}, {100, 10}), 400 + 1 + 20);
}

TEST_F(LayoutAttrTest, CompactRowMajorIsTheIdentity) {
  // ((2,2),2):((2,4),1): row 2 * b + a lies at 2 * a + 4 * b, twice the row.
  for (StringRef text : {"(4,8):(8,1)", "8:1", "(4,(2,4)):(8,(1,2))", "(4,1,8):(8,3,1)", "(?,8):(8,1)",
                         "((2,2),2):((2,4),1)"}) {
    EXPECT_TRUE(get(text).isIdentity()) << text.str();
    EXPECT_TRUE(get(text).getAffineMap().isIdentity()) << text.str();
  }
  for (StringRef text : {"(4,8):(1,4)", "(4,8):(9,1)", "8:2", "(4,?):(?,1)", "(4,(2,4)):(8,(4,1))",
                         "Sw<1,0,3> o 0 o (4,8):(8,1)", "Sw<0,0,0> o 1 o 8:1"}) {
    EXPECT_FALSE(get(text).isIdentity()) << text.str();
    EXPECT_FALSE(get(text).getAffineMap().isIdentity()) << text.str();
  }
}

TEST_F(LayoutAttrTest, StridesWhereEachModeHasOne) {
  SmallVector<int64_t> strides;
  int64_t offset;
  // (4,3):(2,8) is one run of 12 elements 2 apart, since 4 * 2 = 8.
  MemRefType nested = getType("memref<12x5xf32, #tile.layout<\"((4,3),5):((2,8),30)\">>");
  ASSERT_TRUE(succeeded(nested.getStridesAndOffset(strides, offset)));
  EXPECT_EQ(strides, (SmallVector<int64_t>{2, 30}));
  EXPECT_EQ(offset, 0);

  MemRefType moved = getType("memref<?x4xf32, #tile.layout<\"Sw<0,0,0> o 6 o (?,4):(?,1)\">>");
  ASSERT_TRUE(succeeded(moved.getStridesAndOffset(strides, offset)));
  EXPECT_EQ(strides, (SmallVector<int64_t>{ShapedType::kDynamic, 1}));
  EXPECT_EQ(offset, 6);

  for (StringRef text : {"memref<4x4xf32, #tile.layout<\"((2,2),4):((4,1),8)\">>",
                         "memref<8x8xf32, #tile.layout<\"Sw<1,0,3> o 0 o (8,8):(8,1)\">>"})
    EXPECT_TRUE(failed(getType(text).getStridesAndOffset(strides, offset))) << text.str();
}

TEST_F(LayoutAttrTest, AnyMemRefHasALayout) {
  auto spell = [&](StringRef text) {
    FailureOr<layout::ComposedLayout> layout = tile::getStaticLayout(getType(text));
    return failed(layout) ? std::string("none") : layout->layout().str();
  };
  EXPECT_EQ(spell("memref<4x8xf32>"), "(4,8):(8,1)");
  EXPECT_EQ(spell("memref<4x8xf32, strided<[1, 5]>>"), "(4,8):(1,5)");
  EXPECT_EQ(spell("memref<4x8xf32, #tile.layout<\"(4,8):(1,5)\">>"), "(4,8):(1,5)");
  EXPECT_EQ(spell("memref<?x8xf32>"), "none");
  EXPECT_EQ(spell("memref<4x8xf32, strided<[?, 1]>>"), "none");
  EXPECT_EQ(spell("memref<4x8xf32, strided<[-8, 1]>>"), "none");
}

TEST_F(LayoutAttrTest, RunsAreProvedElementByElement) {
  auto runs = [&](StringRef text, unsigned dim, int64_t width) {
    return tile::hasAlignedRuns(get(text).getLayout(), dim, width);
  };
  EXPECT_TRUE(runs("(128,16):(1,132)", 0, 4));
  EXPECT_FALSE(runs("(128,16):(1,132)", 1, 2));
  EXPECT_FALSE(runs("(128,16):(1,133)", 0, 2)); // Column 1 starts at 133.
  EXPECT_TRUE(runs("(128,16):(1,134)", 0, 2));
  EXPECT_FALSE(runs("(128,16):(1,134)", 0, 4)); // 134 = 2 mod 4.
  // The swizzle moves groups of 2^2 elements, or of 2.
  EXPECT_TRUE(runs("Sw<3,2,3> o 0 o (8,32):(32,1)", 1, 4));
  EXPECT_FALSE(runs("Sw<3,1,4> o 0 o (8,32):(32,1)", 1, 4));
  EXPECT_TRUE(runs("Sw<3,1,4> o 0 o (8,32):(32,1)", 1, 2));
  EXPECT_FALSE(runs("Sw<3,2,3> o 1 o (8,32):(32,1)", 1, 4));
  // Four side by side, then a jump; eight are none.
  EXPECT_TRUE(runs("((4,2),4):((1,16),4)", 0, 4));
  EXPECT_FALSE(runs("((4,2),4):((1,16),4)", 0, 8));
  // 34 = 8 * 4 + 2: what is left over is no whole run.
  EXPECT_TRUE(runs("(2,34):(36,1)", 1, 4));
}

} // namespace
