//===- CachingAllocator.cpp - Device memory that is used again -*- C++ -*-===//
//
// Blocks are matched by rounded size alone: a kernel's buffers come in few
// sizes, and splitting blocks would tie together uses that events must keep
// apart.
//
//===----------------------------------------------------------------------===//

#include "tilec/Runtime/CachingAllocator.h"

#include <algorithm>

namespace tilec::runtime {

namespace {

/// Small sizes in steps of 512 bytes, large ones in the driver's pages.
constexpr size_t smallStep = 512;
constexpr size_t largeStep = size_t(2) << 20;
constexpr size_t largeFrom = size_t(1) << 20;

size_t roundedSize(size_t bytes) {
  size_t step = bytes >= largeFrom ? largeStep : smallStep;
  if (bytes > SIZE_MAX - step)
    return bytes;
  return std::max<size_t>((bytes + step - 1) / step * step, step);
}

} // namespace

CachingAllocator::~CachingAllocator() { releaseCached(); }

Result<MemoryBlock> CachingAllocator::allocate(size_t bytes, StreamHandle stream) {
  std::lock_guard<std::mutex> lock(mutex);
  size_t size = roundedSize(bytes);

  auto candidate = cached.rend();
  for (auto block = cached.rbegin(); block != cached.rend(); ++block) {
    if (block->block.bytes != size)
      continue;
    if (candidate == cached.rend())
      candidate = block;
    if (block->block.stream == stream) {
      candidate = block;
      break;
    }
  }
  if (candidate != cached.rend()) {
    // The stream's own earlier work comes first anyway.
    for (const Event &use : candidate->lastUses)
      if (use.stream != stream)
        if (MaybeError error = source.wait(stream, use.handle))
          return *error;
    for (const Event &use : candidate->lastUses)
      source.destroy(use.handle);
    MemoryBlock block{candidate->block.address, size, stream, {}};
    cached.erase(std::next(candidate).base());
    counts.bytesCached -= size;
    counts.bytesInUse += size;
    return block;
  }

  Result<uint64_t> address = source.allocate(size);
  if (!address && !cached.empty()) {
    releaseCachedLocked();
    address = source.allocate(size);
  }
  if (!address)
    return Error{address.message() + "; asked for " + std::to_string(size) + " bytes with " +
                 std::to_string(counts.bytesInUse) + " in use"};
  ++counts.deviceAllocations;
  counts.bytesInUse += size;
  return MemoryBlock{*address, size, stream, {}};
}

void CachingAllocator::free(MemoryBlock block) {
  std::lock_guard<std::mutex> lock(mutex);
  counts.bytesInUse -= block.bytes;
  FreeBlock freed;
  block.alsoUsedBy.push_back(block.stream);
  for (StreamHandle stream : block.alsoUsedBy) {
    Result<EventHandle> event = source.record(stream);
    if (!event) {
      // Nothing tells when the block is free: give it back, which waits.
      for (const Event &use : freed.lastUses)
        source.destroy(use.handle);
      source.release(block.address);
      return;
    }
    freed.lastUses.push_back({*event, stream});
  }
  block.alsoUsedBy.clear();
  counts.bytesCached += block.bytes;
  freed.block = std::move(block);
  cached.push_back(std::move(freed));
}

void CachingAllocator::releaseCached() {
  std::lock_guard<std::mutex> lock(mutex);
  releaseCachedLocked();
}

void CachingAllocator::releaseCachedLocked() {
  for (const FreeBlock &freed : cached) {
    source.release(freed.block.address);
    for (const Event &use : freed.lastUses)
      source.destroy(use.handle);
    counts.bytesCached -= freed.block.bytes;
  }
  cached.clear();
}

AllocatorStatistics CachingAllocator::statistics() const {
  std::lock_guard<std::mutex> lock(mutex);
  return counts;
}

} // namespace tilec::runtime
