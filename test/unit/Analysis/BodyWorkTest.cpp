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

/// Instructions of a point of y = `body` of x and y, where an exponential takes 8 and a quotient 11.
double count(const std::string &body) {
  Context context;
  Nest nest = parse(context,
                    "!v = memref<?xf32>\n"
                    "#id = affine_map<(i) -> (i)>\n"
                    "tile.kernel @t(%X: !v[%N], %Y: !v[%N], %N: index) {\n"
                    "  linalg.generic {indexing_maps = [#id, #id], iterator_types = [\"parallel\"]} ins(%X : !v) outs(%Y : !v) {\n"
                    "  ^bb0(%x: f32, %y: f32):\n" + body + "    linalg.yield %r : f32\n  }\n}\n",
                    {"X", "Y", "N"});
  CompilerFunctions functions;
  functions.exp.value = 8;
  functions.divide.value = 11;
  linalg::LinalgOp op;
  nest.kernel.walk([&](linalg::LinalgOp found) { op = found; });
  return countInstructionsOfPoint(op, functions);
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

} // namespace
