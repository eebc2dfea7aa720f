//===- BodyWorkTest.cpp - Instructions of a computation's body --*- C++ -*-===//

#include "Nests.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "tilec/Analysis/BodyWork.h"
#include "gtest/gtest.h"
#include <regex>

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;
using namespace tilec::test;

namespace {

/// Calls `count` with the op of y = `body` of x and y of type `element`.
double countOf(const std::string &element, const std::string &body, llvm::function_ref<double(linalg::LinalgOp)> count) {
  Context context;
  Nest nest = parse(context,
                    "!v = memref<?x" + element + ">\n"
                    "#id = affine_map<(i) -> (i)>\n"
                    "tile.kernel @t(%X: !v[%N], %Y: !v[%N], %N: index) {\n"
                    "  linalg.generic {indexing_maps = [#id, #id], iterator_types = [\"parallel\"]} ins(%X : !v) outs(%Y : !v) {\n"
                    "  ^bb0(%x: " + element + ", %y: " + element + "):\n" + body + "    linalg.yield %r : " + element + "\n  }\n}\n",
                    {"X", "Y", "N"});
  linalg::LinalgOp op;
  nest.kernel.walk([&](linalg::LinalgOp found) { op = found; });
  return count(op);
}

/// Instructions of a point, where an exponential takes 8, of a narrow type 3, a quotient 11, by one number 2, and a conversion 1.
double count(const std::string &body, const std::string &element = "f32") {
  CompilerFunctions functions;
  functions.exp.value = 8;
  functions.divide.value = 11;
  functions.convert.value = 1;
  functions.expNarrow.value = 3;
  functions.divideKept.value = 2;
  return countOf(element, body, [&](linalg::LinalgOp op) { return countInstructionsOfPoint(op, functions); });
}

TEST(BodyWork, OfOneInstruction) {
  EXPECT_EQ(count("    %r = arith.addf %x, %y : f32\n"), 1.0);
  // A product that one sum takes is one instruction with it.
  EXPECT_EQ(count("    %p = arith.mulf %x, %x : f32\n    %r = arith.addf %p, %y : f32\n"), 1.0);
}

TEST(BodyWork, OfFunctions) {
  // A difference, an exponential and a sum: 1 + 8 + 1.
  EXPECT_EQ(count("    %d = arith.subf %x, %y : f32\n    %e = math.exp %d : f32\n    %r = arith.addf %e, %y : f32\n"), 10.0);
  // The exponential of a difference by y: 1 + 8 + 11.
  EXPECT_EQ(count("    %d = arith.subf %x, %y : f32\n    %e = math.exp %d : f32\n    %r = arith.divf %e, %y : f32\n"), 20.0);
}

TEST(BodyWork, OfNarrowFloats) {
  // Both operands are converted to f32, and the sum back: 1 + 2 + 1.
  EXPECT_EQ(count("    %r = arith.addf %x, %y : bf16\n", "bf16"), 4.0);
  // The greater of two is a bf16 already: 1 + 2.
  EXPECT_EQ(count("    %r = arith.maximumf %x, %y : bf16\n", "bf16"), 3.0);
  // A product is rounded before it is added: 1 + 1, two operands, two results.
  EXPECT_EQ(count("    %p = arith.mulf %x, %x : bf16\n    %r = arith.addf %p, %y : bf16\n", "bf16"), 6.0);
  // The exponential of a difference by y: 1 + 3 + 11, two operands, three results, of which the first two are widened again.
  std::string quotient = "    %d = arith.subf %x, %y : f16\n    %e = math.exp %d : f16\n    %r = arith.divf %e, %y : f16\n";
  EXPECT_EQ(count(quotient, "f16"), 22.0);
  // A rounded bf16 is an f32.
  EXPECT_EQ(count(std::regex_replace(quotient, std::regex("f16"), "bf16"), "bf16"), 20.0);
  // A power of 2 and a reciprocal.
  EXPECT_EQ(countOf("f16", quotient, countSpecials), 2.0);
  // By one number the quotient is a product: 2, an operand and a result, and no reciprocal.
  std::string byThree = "    %c = arith.constant 3.0 : bf16\n    %r = arith.divf %x, %c : bf16\n";
  EXPECT_EQ(count(byThree, "bf16"), 4.0);
  EXPECT_EQ(countOf("bf16", byThree, countSpecials), 0.0);
}

TEST(BodyWork, OfSpecialFunctions) {
  // A power of 2 and a reciprocal; a sum takes none.
  EXPECT_EQ(countOf("f32", "    %e = math.exp %x : f32\n    %r = arith.divf %e, %y : f32\n", countSpecials), 2.0);
  EXPECT_EQ(countOf("f32", "    %r = arith.addf %x, %y : f32\n", countSpecials), 0.0);
}

} // namespace
