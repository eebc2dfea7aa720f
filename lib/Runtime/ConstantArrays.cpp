//===- ConstantArrays.cpp - A kernel's arrays in constant memory -*- C++ -*-===//
//
// See ConstantArrays.h.
//
//===----------------------------------------------------------------------===//

#include "ConstantArrays.h"

namespace tilec::runtime {

ConstantArrays::~ConstantArrays() {
  if (last)
    state->destroy(last);
}

MaybeError ConstantArrays::find(void *module, const KernelDescription &kernel) {
  for (size_t number = 0; number < kernel.tensors.size(); ++number) {
    const TensorArgument &tensor = kernel.tensors[number];
    if (!tensor.constant || tensor.symbol.empty())
      continue;
    size_t bytes = byteWidth(tensor.type);
    for (const Extent &extent : tensor.shape)
      bytes *= size_t(extent.value);
    Array array{number, 0, 0};
    if (MaybeError error = state->check(state->f.moduleGetGlobal(&array.address, &array.bytes, module, tensor.symbol.c_str()), "cuModuleGetGlobal"))
      return Error{"kernel '" + kernel.symbol + "' has no array '" + tensor.symbol + "' in constant memory: " + error->message};
    if (array.bytes < bytes)
      return Error{"kernel '" + kernel.symbol + "' has " + std::to_string(array.bytes) + " bytes of constant memory for tensor '" + tensor.name +
                   "' of " + std::to_string(bytes)};
    array.bytes = bytes;
    arrays.push_back(array);
  }
  return std::nullopt;
}

MaybeError ConstantArrays::fill(const LaunchArguments &arguments, StreamHandle stream) {
  if (last)
    if (MaybeError error = state->wait(stream, last))
      return error;
  for (const Array &array : arrays)
    if (MaybeError error = state->check(state->f.memcpyDtoDAsync(array.address, arguments.tensors[array.tensor].address, array.bytes, stream),
                                        "cuMemcpyDtoDAsync"))
      return error;
  return std::nullopt;
}

MaybeError ConstantArrays::finish(StreamHandle stream) {
  Result<EventHandle> event = state->record(stream);
  if (!event)
    return event.error();
  if (last)
    state->destroy(last);
  last = *event;
  return std::nullopt;
}

} // namespace tilec::runtime
