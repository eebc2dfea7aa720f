//===- ProgramTest.cpp - What a launcher computes of a program -*- C++ -*-===//
//
// Sizes from sizes, arrays with aligned rows, and what each step is given.
//
//===----------------------------------------------------------------------===//

#include "tilec/Runtime/Program.h"

#include <gtest/gtest.h>

using namespace tilec::runtime;

namespace {

/// Values: the size N, 8, ceil(N / 8), N - 8; an array [ceil(N / 8), N] of f32 with rows of 16 bytes.
ProgramDescription describe() {
  using Kind = SizeValue::Kind;
  ProgramDescription program;
  program.arguments.symbol = "p";
  program.arguments.sizes = {{"N"}};
  program.values = {{Kind::Size, 0, 0, 0}, {Kind::Constant, 8}, {Kind::CeilDivide, 0, 0, 1}, {Kind::Subtract, 0, 0, 1}};
  program.arrays = {{"W", ElementType::F32, {2, 0}, 16}};
  return program;
}

} // namespace

TEST(Values, FollowFromSizes) {
  Result<std::vector<int64_t>> values = computeValues(describe(), {17});
  ASSERT_TRUE(bool(values)) << values.message();
  EXPECT_EQ(*values, (std::vector<int64_t>{17, 8, 3, 9}));
}

TEST(Values, KnowAllOperations) {
  using Kind = SizeValue::Kind;
  ProgramDescription program = describe();
  for (Kind kind : {Kind::Add, Kind::Multiply, Kind::Divide, Kind::Min, Kind::Max})
    program.values.push_back({kind, 0, 0, 1});
  Result<std::vector<int64_t>> values = computeValues(program, {17});
  ASSERT_TRUE(bool(values)) << values.message();
  EXPECT_EQ(*values, (std::vector<int64_t>{17, 8, 3, 9, 25, 136, 2, 8, 17}));
}

TEST(Values, AreSizes) {
  // 7 - 8 is none.
  EXPECT_EQ(computeValues(describe(), {7}).message(), "program 'p' computes 7 - 8, which is no size");
  EXPECT_EQ(computeValues(describe(), {-1}).message(), "program 'p': size N = -1 is not from 0 to 2147418111");
  EXPECT_EQ(computeValues(describe(), {}).message(), "program 'p' takes 1 sizes, got 0");
  ProgramDescription program = describe();
  program.values[1].constant = 0;
  EXPECT_EQ(computeValues(program, {8}).message(), "program 'p' computes 8 divided, rounded up, by 0, which is no size");
  program = describe();
  for (unsigned last = 0; last < 3; ++last)
    program.values.push_back({SizeValue::Kind::Multiply, 0, last == 0 ? 0u : 3 + last, last == 0 ? 0u : 3 + last});
  // 2^30 squared is 2^60; squared again it is more than 2^62.
  EXPECT_FALSE(bool(computeValues(program, {int64_t(1) << 30})));
}

TEST(Arrays, HaveAlignedRows) {
  // Rows of 17 elements of 4 bytes: 68 bytes, 80 to the next multiple of 16.
  Result<std::vector<ArrayLayout>> layouts = layOutArrays(describe(), {17, 8, 3, 9});
  ASSERT_TRUE(bool(layouts)) << layouts.message();
  EXPECT_EQ(layouts->front().shape, (std::vector<int64_t>{3, 17}));
  EXPECT_EQ(layouts->front().strides, (std::vector<int64_t>{20, 1}));
}

TEST(Arrays, LieWithoutGapsElse) {
  ProgramDescription program = describe();
  program.arrays[0].rowBytes = 1;
  program.arrays[0].shape = {2, 1, 0};
  Result<std::vector<ArrayLayout>> layouts = layOutArrays(program, {17, 8, 3, 9});
  ASSERT_TRUE(bool(layouts)) << layouts.message();
  EXPECT_EQ(layouts->front().strides, (std::vector<int64_t>{136, 17, 1}));
}

TEST(Arrays, AreNoLargerThanMemoryCanBe) {
  ProgramDescription program = describe();
  EXPECT_EQ(layOutArrays(program, {int64_t(1) << 31, 8, 3, 9}).message(),
            "workspace 'W' of program 'p' has an extent of 2147483648, which is more than 2147418111");
  program.arrays[0].shape = {0, 0, 0};
  EXPECT_FALSE(bool(layOutArrays(program, {maxExtent, 8, 3, 9})));
}

/// A program of size n with the values n, 10, n < 10, and, where that is 1, 10 - n, whose array has that many elements.
ProgramDescription describeChoice() {
  ProgramDescription program;
  program.arguments.symbol = "p";
  program.arguments.sizes = {{"n"}};
  program.values = {{SizeValue::Kind::Size, 0, 0, 0},
                    {SizeValue::Kind::Constant, 10, 0, 0},
                    {SizeValue::Kind::Less, 0, 0, 1},
                    {SizeValue::Kind::Subtract, 0, 1, 0, 2u}};
  ProgramArray &array = program.arrays.emplace_back();
  array.name = "W";
  array.shape = {3};
  array.condition = 2;
  program.steps.resize(2);
  program.steps[0].condition = 2;
  return program;
}

TEST(Choices, ComputeWhatTheyCallFor) {
  // 10 - 4 = 6; 10 - 12 is no size, but nobody asks for it.
  EXPECT_EQ(*computeValues(describeChoice(), {4}), (std::vector<int64_t>{4, 10, 1, 6}));
  EXPECT_EQ(*computeValues(describeChoice(), {12}), (std::vector<int64_t>{12, 10, 0, 0}));
  EXPECT_EQ(layOutArrays(describeChoice(), {4, 10, 1, 6})->front().shape, (std::vector<int64_t>{6}));
  EXPECT_EQ(layOutArrays(describeChoice(), {12, 10, 0, 7})->front().shape, (std::vector<int64_t>{0}));
  EXPECT_TRUE(isChosen(describeChoice().steps[0], {4, 10, 1, 6}));
  EXPECT_FALSE(isChosen(describeChoice().steps[0], {12, 10, 0, 0}));
  EXPECT_TRUE(isChosen(describeChoice().steps[1], {12, 10, 0, 0}));
}

TEST(Choices, Compare) {
  const struct {
    SizeValue::Kind kind;
    int64_t less, same, more;
  } cases[] = {{SizeValue::Kind::Less, 1, 0, 0}, {SizeValue::Kind::LessOrEqual, 1, 1, 0}, {SizeValue::Kind::Equal, 0, 1, 0}, {SizeValue::Kind::Unequal, 1, 0, 1}, {SizeValue::Kind::Remainder, 7, 0, 2}};
  for (const auto &[kind, less, same, more] : cases) {
    ProgramDescription program = describeChoice();
    program.values = {{SizeValue::Kind::Size, 0, 0, 0}, {SizeValue::Kind::Constant, 9, 0, 0}, {kind, 0, 0, 1}};
    EXPECT_EQ(computeValues(program, {7})->back(), less);
    EXPECT_EQ(computeValues(program, {9})->back(), same);
    EXPECT_EQ(computeValues(program, {11})->back(), more);
  }
}

TEST(Steps, AreGivenOperandsArraysAndNumbers) {
  ProgramStep step;
  step.tensors = {{1}, {0}, {1, {{3, 2}}}};
  step.sizes = {2, 0};
  step.scalars = {{std::nullopt, 0.5}, {0u, 0}};
  LaunchArguments bound = bindStep(step, {17, 8, 3, 9}, {2.0}, {{256, {1}}, {512, {20, 1}}});
  EXPECT_EQ(bound.tensors[0].address, 512u);
  EXPECT_EQ(bound.tensors[1].address, 256u);
  // By extents of 9 and 3 the same array has other strides.
  EXPECT_EQ(bound.tensors[2].address, 512u);
  EXPECT_EQ(bound.tensors[2].strides, (std::vector<int64_t>{3, 1}));
  EXPECT_EQ(getShape(step.tensors[2], {17, 8, 3, 9}, {27}), (std::vector<int64_t>{9, 3}));
  EXPECT_EQ(getShape(step.tensors[0], {17, 8, 3, 9}, {27}), (std::vector<int64_t>{27}));
  EXPECT_EQ(bound.sizes, (std::vector<int64_t>{3, 17}));
  EXPECT_EQ(bound.scalars, (std::vector<double>{0.5, 2.0}));
}

TEST(Operands, LieWithoutGapsWhereTheyAreGivenByOtherExtents) {
  ProgramDescription program = describe();
  TensorArgument &tensor = program.arguments.tensors.emplace_back();
  tensor.name = "A";
  tensor.shape = {Extent::constant(1), Extent::constant(3), Extent::argument(0)};
  tensor.strides = {Stride::dynamic(), Stride::dynamic(), Stride::constant(1)};
  auto check = [&](std::vector<int64_t> strides) { return checkDense(program, {{{0, strides}}, {17}, {}}); };
  EXPECT_FALSE(check({99, 20, 1}));
  tensor.dense = true;
  // Where there is one place the distance of the next says nothing.
  EXPECT_FALSE(check({99, 17, 1}));
  ASSERT_TRUE(check({99, 20, 1}));
  EXPECT_EQ(check({99, 20, 1})->message, "tensor 'A' of program 'p' has stride 20 along dimension 1, expected 17: its rows lie without gaps, since kernels are given it by other extents");
}
