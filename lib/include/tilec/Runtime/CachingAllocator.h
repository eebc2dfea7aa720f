//===- CachingAllocator.h - Device memory that is used again --*- C++ -*-===//
//
// cuMemAlloc and cuMemFree stop the device, which empties the queue of
// launches. This allocator keeps freed blocks and hands them out again in
// stream order: the next iteration of a loop gets the same addresses, at once
// and without waiting.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_RUNTIME_CACHINGALLOCATOR_H
#define TILEC_RUNTIME_CACHINGALLOCATOR_H

#include "tilec/Runtime/Result.h"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace tilec::runtime {

using StreamHandle = void *;
using EventHandle = void *;

/// What the allocator needs from a device; tests put a fake in its place.
class MemorySource {
public:
  virtual ~MemorySource() = default;
  /// New memory; the error is final only after the cache was emptied.
  virtual Result<uint64_t> allocate(size_t bytes) = 0;
  /// Waits for the device and gives memory back.
  virtual void release(uint64_t address) = 0;
  /// An event after the work queued in `stream` so far.
  virtual Result<EventHandle> record(StreamHandle stream) = 0;
  /// Makes later work of `stream` wait for `event`, on the device.
  virtual MaybeError wait(StreamHandle stream, EventHandle event) = 0;
  virtual void destroy(EventHandle event) = 0;
};

/// Memory in use. Freed blocks belong to the stream they were allocated for.
struct MemoryBlock {
  uint64_t address = 0;
  /// At least what was asked for.
  size_t bytes = 0;
  StreamHandle stream = nullptr;
  /// Other streams whose work touches the block.
  std::vector<StreamHandle> alsoUsedBy;
};

struct AllocatorStatistics {
  size_t bytesInUse = 0;
  size_t bytesCached = 0;
  /// Calls of MemorySource::allocate that succeeded.
  size_t deviceAllocations = 0;
};

/// Safe to use from several threads.
class CachingAllocator {
public:
  /// `source` must outlive the allocator.
  explicit CachingAllocator(MemorySource &source) : source(source) {}
  /// Gives the cached blocks back.
  ~CachingAllocator();
  CachingAllocator(const CachingAllocator &) = delete;
  CachingAllocator &operator=(const CachingAllocator &) = delete;

  /// Memory for work queued in `stream` from now on. Reuses the block of this
  /// size that was freed last, one of the same stream first. Where the device
  /// has no memory left, the cache is emptied and asking repeated.
  Result<MemoryBlock> allocate(size_t bytes, StreamHandle stream);

  /// Takes a block back. Work queued so far in its streams may still use it.
  void free(MemoryBlock block);

  /// Gives all cached blocks back to the device; waits for it.
  void releaseCached();

  AllocatorStatistics statistics() const;

private:
  struct Event {
    EventHandle handle;
    StreamHandle stream;
  };
  struct FreeBlock {
    MemoryBlock block;
    /// Reached when the last use of the block is done.
    std::vector<Event> lastUses;
  };

  void releaseCachedLocked();

  MemorySource &source;
  mutable std::mutex mutex;
  /// The block freed last is at the end.
  std::vector<FreeBlock> cached;
  AllocatorStatistics counts;
};

} // namespace tilec::runtime

#endif // TILEC_RUNTIME_CACHINGALLOCATOR_H
