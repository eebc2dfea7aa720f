//===- ProgramDescription.h - What a program launches, as data --*- C++ -*-===//
//
// The contract of a tile.program: what it is called with, the numbers that the launcher computes from its sizes, arrays
// between kernels, and the kernels in their order with what each is given. No driver is needed to read it.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_RUNTIME_PROGRAMDESCRIPTION_H
#define TILEC_RUNTIME_PROGRAMDESCRIPTION_H

#include "tilec/Runtime/KernelDescription.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilec::runtime {

/// A number known at compile time, a size, or what is computed from two numbers before it; never negative. A truth is 1 or 0.
struct SizeValue {
  enum class Kind { Constant, Size, Add, Subtract, Multiply, Divide, CeilDivide, Remainder, Min, Max, Less, LessOrEqual, Equal, Unequal };
  Kind kind = Kind::Constant;
  /// Of a constant.
  int64_t constant = 0;
  /// The number of a size; of two values.
  unsigned left = 0, right = 0;
  /// The value that is 1 where this one is computed, which is 0 where it is not; it always is where there is none.
  std::optional<unsigned> condition = {};
};

/// An array in DRAM that lives as long as a run of the program. Its last dimension is dense.
struct ProgramArray {
  std::string name;
  ElementType type = ElementType::F32;
  /// The value that each extent is.
  std::vector<unsigned> shape;
  /// Rows begin at multiples of so many bytes; those of an element where they follow each other.
  unsigned rowBytes = 1;
  /// The value that is 1 where the array exists; it always does where there is none.
  std::optional<unsigned> condition;
};

/// A scalar of a kernel: one of the program's, or a number.
struct ProgramScalar {
  std::optional<unsigned> argument;
  double constant = 0;
};

/// What a kernel is given for an operand.
struct ProgramTensor {
  /// The program's operands by number, then its arrays.
  unsigned array = 0;
  /// Of an array without gaps that is given by other extents: the value of each.
  std::optional<std::vector<unsigned>> shape = {};
};

struct ProgramStep {
  /// Which of the kernels that come with the program.
  unsigned kernel = 0;
  std::vector<ProgramTensor> tensors;
  /// The value of each size.
  std::vector<unsigned> sizes;
  std::vector<ProgramScalar> scalars;
  /// The value that is 1 where the step is executed; it always is where there is none.
  std::optional<unsigned> condition;
};

struct ProgramDescription {
  /// Operands, sizes and scalars, described as those of a kernel whose symbol is the program's name.
  KernelDescription arguments;
  std::vector<SizeValue> values;
  std::vector<ProgramArray> arrays;
  std::vector<ProgramStep> steps;
};

/// Is the step executed, the array there, or the value computed, where the program's values are these?
template <typename Part>
bool isChosen(const Part &part, const std::vector<int64_t> &values) {
  return !part.condition || values[*part.condition] != 0;
}

/// Each of the program's values. Fails, naming the value, where one is negative, divided by 0, or more than 2^62.
Result<std::vector<int64_t>> computeValues(const ProgramDescription &program, const std::vector<int64_t> &sizes);

/// Where the elements of an array lie.
struct ArrayLayout {
  std::vector<int64_t> shape;
  /// In elements.
  std::vector<int64_t> strides;
};

/// The layout of each array, without elements where it is not there. Fails for extents above maxExtent and for arrays of more than 2^62 bytes.
Result<std::vector<ArrayLayout>> layOutArrays(const ProgramDescription &program, const std::vector<int64_t> &values);

/// Fails where an operand that kernels are given by other extents has gaps between its rows.
MaybeError checkDense(const ProgramDescription &program, const LaunchArguments &arguments);

/// The extents of what a kernel is given, whose array has `shape`.
std::vector<int64_t> getShape(const ProgramTensor &tensor, const std::vector<int64_t> &values, const std::vector<int64_t> &shape);

/// The sizes and scalars of a step, and the places that its operands have in `tensors`: those of the program, then its arrays.
LaunchArguments bindStep(const ProgramStep &step, const std::vector<int64_t> &values, const std::vector<double> &scalars,
                         const std::vector<TensorBinding> &tensors);

} // namespace tilec::runtime

#endif // TILEC_RUNTIME_PROGRAMDESCRIPTION_H
