//===- RunMemory.cpp - What a run takes on the host -------------*- C++ -*-===//
//
// Without exceptions a program ends where memory does, so a run asks beforehand.
//
//===----------------------------------------------------------------------===//

#include "RunMemory.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MathExtras.h"

#include <fstream>
#include <limits>
#include <new>

using namespace tilec;
using namespace tilec::runtime;
using llvm::StringRef;

/// Bytes of memory that may still be taken; none where the system does not tell.
static std::optional<int64_t> getFreeMemory() {
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    StringRef text = line;
    int64_t kilobytes;
    if (text.consume_front("MemAvailable:") && !text.trim().consumeInteger(10, kilobytes))
      return kilobytes * 1024;
  }
  return std::nullopt;
}

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

static int64_t multiply(int64_t a, int64_t b) {
  int64_t product;
  return llvm::MulOverflow(a, b, product) ? kMost : product;
}

MaybeError tilec::checkMemory(const KernelDescription &kernel, const RunPlan &plan, bool compares) {
  // A comparison keeps what read tensors held, and of each element its value; of written ones also the expected value, the
  // terms of its error bound, the bound and their order.
  constexpr int64_t kReadElement = 16, kWrittenElement = 80;
  int64_t bytes = 0;
  for (size_t i = 0; i < plan.tensors.size(); ++i) {
    const TensorArgument &argument = kernel.tensors[i];
    const TensorPlan &tensor = plan.tensors[i];
    Result<int64_t> span = spanBytes(argument.type, tensor.shape, tensor.strides);
    if (!span)
      return Error{"operand '" + argument.name + "': " + span.message()};
    int64_t elements = 1;
    for (int64_t extent : tensor.shape)
      elements = multiply(elements, extent);
    int64_t perElement = !compares ? 0 : argument.written ? kWrittenElement : kReadElement;
    for (int64_t more : {*span, compares ? *span : 0, multiply(elements, perElement)})
      if (llvm::AddOverflow(bytes, more, bytes))
        bytes = kMost;
  }
  std::string text = "running this takes about " + std::to_string(bytes >> 20) + " MiB of memory for tensors";
  std::optional<int64_t> available = getFreeMemory();
  if (available && bytes > *available)
    return Error{text + ", " + std::to_string(*available >> 20) + " MiB are free; try smaller extents or gaps"};
  // A limit of the process.
  void *probe = ::operator new(size_t(bytes), std::nothrow);
  if (!probe)
    return Error{text + ", more than this process gets; try smaller extents or gaps"};
  ::operator delete(probe);
  return std::nullopt;
}
