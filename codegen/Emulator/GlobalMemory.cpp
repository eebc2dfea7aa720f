//===- GlobalMemory.cpp - Operands as the kernel sees them ----*- C++ -*-===//
//
// See GlobalMemory.h.
//
//===----------------------------------------------------------------------===//

#include "GlobalMemory.h"

#include "Findings.h"
#include "Poison.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <sys/mman.h>

namespace tilec::emulator {

namespace {
// Addresses that miss an operand by less than this are still known as its own.
constexpr uint64_t surroundings = uint64_t(64) << 20;
constexpr uint64_t maxBytes = (uint64_t(1) << 32) - 4096;
constexpr uint64_t pageBytes = 4096;
constexpr uint64_t sectorBytes = 32;
constexpr uint64_t baseAlignment = 256;
} // namespace

std::string Visitor::describe() const {
  if (isAnyBlock())
    return "other blocks";
  if (thread() == anyThread)
    return format("other threads of block %u", block());
  return format("thread %u of block %u", thread(), block());
}

Operand::~Operand() {
  if (mapped)
    munmap(reinterpret_cast<void *>(mapped), mappedBytes);
}

template <typename Visit>
void Operand::forEachElement(Visit visit) const {
  if (bytes == 0)
    return;
  std::vector<int64_t> index(shape.size(), 0);
  for (;;) {
    visit(std::inner_product(index.begin(), index.end(), strides.begin(), int64_t(0)));
    size_t dim = shape.size();
    while (dim > 0 && ++index[dim - 1] == shape[dim - 1])
      index[--dim] = 0;
    if (dim == 0)
      return;
  }
}

runtime::MaybeError Operand::create(const runtime::TensorArgument &tensor,
                                    std::vector<int64_t> tensorShape,
                                    const runtime::TensorBinding &binding, uint64_t baseOffset,
                                    bool trackRaces) {
  name = tensor.name;
  elementBytes = runtime::byteWidth(tensor.type);
  read = tensor.read;
  written = tensor.written;
  constant = tensor.constant;
  shape = std::move(tensorShape);
  strides = binding.strides;
  runtime::Result<int64_t> span = runtime::spanBytes(tensor.type, shape, strides);
  if (!span)
    return span.error();
  bytes = *span;
  if (bytes > maxBytes)
    return runtime::Error{format("operand %s spans %llu bytes; the emulator takes up to %llu",
                                 name.c_str(), (unsigned long long)bytes,
                                 (unsigned long long)maxBytes)};

  const uint64_t usable = (baseOffset + bytes + pageBytes - 1) / pageBytes * pageBytes;
  mappedBytes = usable + 2 * surroundings;
  void *memory =
      mmap(nullptr, mappedBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return runtime::Error{format("no address space for operand %s of %llu bytes", name.c_str(),
                                 (unsigned long long)bytes)};
  mapped = reinterpret_cast<uintptr_t>(memory);
  begin = mapped + surroundings + baseOffset;
  char *first = static_cast<char *>(memory) + surroundings;
  if (usable != 0) {
    if (mprotect(first, usable, PROT_READ | PROT_WRITE) != 0)
      return runtime::Error{format("no memory for operand %s of %llu bytes", name.c_str(),
                                   (unsigned long long)bytes)};
    poison(first, usable, elementBytes);
  }

  const uint64_t positions = bytes / elementBytes;
  logical.assign(positions, 0);
  const char *source = reinterpret_cast<const char *>(binding.address);
  char *dest = reinterpret_cast<char *>(begin);
  // What is only written starts as NaN: its old contents must not matter.
  forEachElement([&](int64_t position) {
    logical[position] = 1;
    if (read)
      std::memcpy(dest + position * elementBytes, source + position * elementBytes, elementBytes);
  });

  if (trackRaces && written) {
    writers = std::make_unique<std::atomic<uint64_t>[]>(positions);
    readers = std::make_unique<std::atomic<uint64_t>[]>(positions);
  }
  const uint64_t sectors = (baseOffset % baseAlignment + bytes + sectorBytes - 1) / sectorBytes;
  readWave = std::make_unique<std::atomic<uint32_t>[]>(sectors);
  writtenWave = std::make_unique<std::atomic<uint32_t>[]>(sectors);
  return std::nullopt;
}

void Operand::copyBack(const runtime::TensorBinding &binding) const {
  const char *source = reinterpret_cast<const char *>(begin);
  char *dest = reinterpret_cast<char *>(binding.address);
  forEachElement([&](int64_t position) {
    // The caller's element stays where the kernel was not given it and did not write it.
    if (!read && tracksRaces() && !isVisited(position))
      return;
    std::memcpy(dest + position * elementBytes, source + position * elementBytes, elementBytes);
  });
}

void Operand::touchSector(uint32_t sector, uint32_t wave, bool write) {
  std::atomic<uint32_t> &mark = write ? writtenWave[sector] : readWave[sector];
  if (mark.load(std::memory_order_relaxed) == wave + 1)
    return;
  if (mark.exchange(wave + 1, std::memory_order_relaxed) != wave + 1)
    ++(write ? uniqueWritten : uniqueRead);
}

std::string Operand::describe(uintptr_t address) const {
  const int64_t distance = int64_t(address - begin);
  std::string shapeText;
  for (int64_t extent : shape)
    shapeText += format("%s%lld", shapeText.empty() ? "" : ", ", (long long)extent);
  if (distance < 0)
    return format("%s, %lld bytes before its first element", name.c_str(), (long long)-distance);

  // Largest stride first; what is left over lands in the innermost index, which
  // may then pass the end of its row.
  std::vector<size_t> order(shape.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return strides[a] > strides[b]; });
  std::vector<int64_t> index(shape.size(), 0);
  int64_t rest = distance / elementBytes;
  for (size_t dim : order) {
    index[dim] = rest / strides[dim];
    rest %= strides[dim];
  }
  std::string indexText;
  for (int64_t i : index)
    indexText += format("%s%lld", indexText.empty() ? "" : ", ", (long long)i);
  return format("%s[%s] of shape [%s]", name.c_str(), indexText.c_str(), shapeText.c_str());
}

} // namespace tilec::emulator
