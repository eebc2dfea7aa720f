//===- Program.cpp - Kernels that are launched one after the other -*- C++ -*-===//

#include "tilec/Runtime/Program.h"

#include <algorithm>

namespace tilec::runtime {

MaybeError Program::launch(const LaunchArguments &arguments, Stream &stream) const {
  if (arguments.tensors.size() != program.arguments.tensors.size() || arguments.scalars.size() != program.arguments.scalars.size())
    return Error{"program '" + program.arguments.symbol + "' takes " + std::to_string(program.arguments.tensors.size()) + " operands and " +
                 std::to_string(program.arguments.scalars.size()) + " scalars, got " + std::to_string(arguments.tensors.size()) + " and " +
                 std::to_string(arguments.scalars.size())};
  Result<std::vector<int64_t>> values = computeValues(program, arguments.sizes);
  if (!values)
    return values.error();
  if (MaybeError error = checkDense(program, arguments))
    return error;
  Result<std::vector<ArrayLayout>> layouts = layOutArrays(program, *values);
  if (!layouts)
    return layouts.error();
  std::vector<DeviceBuffer> buffers;
  std::vector<TensorBinding> tensors = arguments.tensors;
  for (size_t i = 0; i < layouts->size(); ++i) {
    const ArrayLayout &layout = (*layouts)[i];
    Result<int64_t> bytes = spanBytes(program.arrays[i].type, layout.shape, layout.strides);
    Result<DeviceBuffer> buffer = device.allocate(std::max<int64_t>(*bytes, 1), stream);
    if (!buffer)
      return Error{"program '" + program.arguments.symbol + "' has no memory for its workspace '" + program.arrays[i].name + "': " + buffer.message()};
    tensors.push_back({buffer->address(), layout.strides});
    buffers.push_back(std::move(*buffer));
  }
  for (const ProgramStep &step : program.steps) {
    if (!isChosen(step, *values))
      continue;
    if (MaybeError error = kernels[step.kernel]->launch(bindStep(step, *values, arguments.scalars, tensors), stream))
      return error;
  }
  return std::nullopt;
}

} // namespace tilec::runtime
