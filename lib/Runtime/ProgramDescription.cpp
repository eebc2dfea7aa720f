//===- ProgramDescription.cpp - What a program launches, as data -*- C++ -*-===//

#include "tilec/Runtime/ProgramDescription.h"

#include "tilec/Runtime/HostTensor.h"

#include <algorithm>

namespace tilec::runtime {

static constexpr int64_t mostValue = int64_t(1) << 62;

/// What a value of two others is; nothing where it is none.
static std::optional<int64_t> compute(SizeValue::Kind kind, int64_t a, int64_t b) {
  switch (kind) {
  case SizeValue::Kind::Add:
    return a > mostValue - b ? std::nullopt : std::optional(a + b);
  case SizeValue::Kind::Subtract:
    return a < b ? std::nullopt : std::optional(a - b);
  case SizeValue::Kind::Multiply:
    return b != 0 && a > mostValue / b ? std::nullopt : std::optional(a * b);
  case SizeValue::Kind::Divide:
    return b == 0 ? std::nullopt : std::optional(a / b);
  case SizeValue::Kind::CeilDivide:
    return b == 0 ? std::nullopt : std::optional(a / b + (a % b != 0));
  case SizeValue::Kind::Remainder:
    return b == 0 ? std::nullopt : std::optional(a % b);
  case SizeValue::Kind::Less:
    return a < b;
  case SizeValue::Kind::LessOrEqual:
    return a <= b;
  case SizeValue::Kind::Equal:
    return a == b;
  case SizeValue::Kind::Unequal:
    return a != b;
  case SizeValue::Kind::Min:
    return std::min(a, b);
  case SizeValue::Kind::Max:
    return std::max(a, b);
  case SizeValue::Kind::Constant:
  case SizeValue::Kind::Size:
    break;
  }
  return std::nullopt;
}

static const char *nameOf(SizeValue::Kind kind) {
  switch (kind) {
  case SizeValue::Kind::Add:
    return " + ";
  case SizeValue::Kind::Subtract:
    return " - ";
  case SizeValue::Kind::Multiply:
    return " * ";
  case SizeValue::Kind::Divide:
    return " / ";
  case SizeValue::Kind::CeilDivide:
    return " divided, rounded up, by ";
  case SizeValue::Kind::Remainder:
    return " modulo ";
  default:
    return " and ";
  }
}

Result<std::vector<int64_t>> computeValues(const ProgramDescription &program, const std::vector<int64_t> &sizes) {
  const std::string where = "program '" + program.arguments.symbol + "'";
  if (sizes.size() != program.arguments.sizes.size())
    return Error{where + " takes " + std::to_string(program.arguments.sizes.size()) + " sizes, got " + std::to_string(sizes.size())};
  for (size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] < 0 || sizes[i] > maxExtent)
      return Error{where + ": size " + program.arguments.sizes[i].name + " = " + std::to_string(sizes[i]) + " is not from 0 to " + std::to_string(maxExtent)};
  std::vector<int64_t> values;
  for (const SizeValue &value : program.values) {
    if (!isChosen(value, values)) {
      values.push_back(0);
      continue;
    }
    if (value.kind == SizeValue::Kind::Constant && value.constant < 0)
      return Error{where + " gives " + std::to_string(value.constant) + ", which is no size"};
    if (value.kind == SizeValue::Kind::Constant || value.kind == SizeValue::Kind::Size) {
      values.push_back(value.kind == SizeValue::Kind::Constant ? value.constant : sizes[value.left]);
      continue;
    }
    int64_t a = values[value.left], b = values[value.right];
    std::optional<int64_t> computed = compute(value.kind, a, b);
    if (!computed)
      return Error{where + " computes " + std::to_string(a) + nameOf(value.kind) + std::to_string(b) + ", which is no size"};
    values.push_back(*computed);
  }
  return values;
}

Result<std::vector<ArrayLayout>> layOutArrays(const ProgramDescription &program, const std::vector<int64_t> &values) {
  std::vector<ArrayLayout> layouts;
  for (const ProgramArray &array : program.arrays) {
    const std::string where = "workspace '" + array.name + "' of program '" + program.arguments.symbol + "'";
    ArrayLayout layout;
    for (unsigned number : array.shape) {
      const int64_t extent = isChosen(array, values) ? values[number] : 0;
      if (extent > maxExtent)
        return Error{where + " has an extent of " + std::to_string(extent) + ", which is more than " + std::to_string(maxExtent)};
      layout.shape.push_back(extent);
    }
    layout.strides.assign(layout.shape.size(), 1);
    int64_t width = byteWidth(array.type), unit = std::max<int64_t>(1, int64_t(array.rowBytes) / width);
    for (size_t dim = layout.shape.size(); dim-- > 1;) {
      int64_t run = std::max<int64_t>(layout.shape[dim], 1);
      if (layout.strides[dim] > mostValue / width / run)
        return Error{where + " is larger than 2^62 bytes"};
      run *= layout.strides[dim];
      layout.strides[dim - 1] = (run + unit - 1) / unit * unit;
    }
    Result<int64_t> bytes = spanBytes(array.type, layout.shape, layout.strides);
    if (!bytes)
      return Error{where + ": " + bytes.message()};
    layouts.push_back(std::move(layout));
  }
  return layouts;
}

MaybeError checkDense(const ProgramDescription &program, const LaunchArguments &arguments) {
  for (size_t i = 0; i < arguments.tensors.size(); ++i) {
    const TensorArgument &tensor = program.arguments.tensors[i];
    if (!tensor.dense)
      continue;
    Result<std::vector<int64_t>> shape = tensorShape(program.arguments, tensor, arguments.sizes);
    if (!shape)
      return shape.error();
    const std::vector<int64_t> &strides = arguments.tensors[i].strides;
    std::vector<int64_t> dense = rowMajorStrides(*shape);
    for (size_t dim = 0; dim < dense.size(); ++dim)
      if (dim >= strides.size() || ((*shape)[dim] > 1 && strides[dim] != dense[dim]))
        return Error{"tensor '" + tensor.name + "' of program '" + program.arguments.symbol + "' has stride " +
                     (dim < strides.size() ? std::to_string(strides[dim]) : "none") + " along dimension " + std::to_string(dim) + ", expected " + std::to_string(dense[dim]) +
                     ": its rows lie without gaps, since kernels are given it by other extents"};
  }
  return std::nullopt;
}

std::vector<int64_t> getShape(const ProgramTensor &tensor, const std::vector<int64_t> &values, const std::vector<int64_t> &shape) {
  if (!tensor.shape)
    return shape;
  std::vector<int64_t> extents;
  for (unsigned value : *tensor.shape)
    extents.push_back(values[value]);
  return extents;
}

LaunchArguments bindStep(const ProgramStep &step, const std::vector<int64_t> &values, const std::vector<double> &scalars,
                         const std::vector<TensorBinding> &tensors) {
  LaunchArguments arguments;
  for (const ProgramTensor &tensor : step.tensors) {
    TensorBinding &given = arguments.tensors.emplace_back(tensors[tensor.array]);
    if (tensor.shape)
      given.strides = rowMajorStrides(getShape(tensor, values, {}));
  }
  for (unsigned value : step.sizes)
    arguments.sizes.push_back(values[value]);
  for (const ProgramScalar &scalar : step.scalars)
    arguments.scalars.push_back(scalar.argument ? scalars[*scalar.argument] : scalar.constant);
  return arguments;
}

} // namespace tilec::runtime
