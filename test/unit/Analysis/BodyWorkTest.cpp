//===- BodyWorkTest.cpp - Instructions of a computation's body --*- C++ -*-===//

#include "Nests.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "tilec/Analysis/BodyWork.h"
#include "gtest/gtest.h"

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

/// Instructions of a point, where an exponential takes 8, a quotient 11 and a conversion 1.
double count(const std::string &body, const std::string &element = "f32") {
  CompilerFunctions functions;
  functions.exp.value = 8;
  functions.divide.value = 11;
  functions.convert.value = 1;
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
  // The exponential of a difference by y: (1 + 2 + 1) + (8 + 1 + 1) + (11 + 2 + 1).
  std::string quotient = "    %d = arith.subf %x, %y : f16\n    %e = math.exp %d : f16\n    %r = arith.divf %e, %y : f16\n";
  EXPECT_EQ(count(quotient, "f16"), 28.0);
  // A power of 2, a reciprocal, and three conversions back.
  EXPECT_EQ(countOf("f16", quotient, countSpecials), 5.0);
}

TEST(BodyWork, OfSpecialFunctions) {
  // A power of 2 and a reciprocal; a sum takes none.
  EXPECT_EQ(countOf("f32", "    %e = math.exp %x : f32\n    %r = arith.divf %e, %y : f32\n", countSpecials), 2.0);
  EXPECT_EQ(countOf("f32", "    %r = arith.addf %x, %y : f32\n", countSpecials), 0.0);
}

} // namespace
