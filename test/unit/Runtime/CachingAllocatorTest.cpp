//===- CachingAllocatorTest.cpp - Reuse of device memory ------*- C++ -*-===//
//
// A fake device records what the allocator asks of it.
//
//===----------------------------------------------------------------------===//

#include "tilec/Runtime/CachingAllocator.h"

#include <gtest/gtest.h>

using namespace tilec::runtime;

namespace {

class FakeSource : public MemorySource {
public:
  Result<uint64_t> allocate(size_t bytes) override {
    if (bytes > available)
      return Error{"full"};
    log += "allocate " + std::to_string(bytes) + "; ";
    return next += 0x1000;
  }
  void release(uint64_t address) override {
    log += "release; ";
    available = capacityAfterRelease;
  }
  Result<EventHandle> record(StreamHandle stream) override {
    if (!recordWorks)
      return Error{"broken"};
    ++liveEvents;
    log += "record " + name(stream) + "; ";
    return EventHandle(stream);
  }
  MaybeError wait(StreamHandle stream, EventHandle event) override {
    log += name(stream) + " waits for " + name(event) + "; ";
    return std::nullopt;
  }
  void destroy(EventHandle event) override { --liveEvents; }

  std::string takeLog() { return std::exchange(log, ""); }

  size_t available = SIZE_MAX;
  size_t capacityAfterRelease = SIZE_MAX;
  bool recordWorks = true;
  int liveEvents = 0;

private:
  static std::string name(void *handle) {
    return std::string(1, char('a' + (reinterpret_cast<uintptr_t>(handle) - 1)));
  }
  uint64_t next = 0;
  std::string log;
};

const StreamHandle a = StreamHandle(1);
const StreamHandle b = StreamHandle(2);
const StreamHandle c = StreamHandle(3);

TEST(CachingAllocator, NextIterationGetsTheSameAddressesWithoutWaiting) {
  FakeSource source;
  CachingAllocator allocator(source);
  uint64_t first = 0;
  for (int i = 0; i < 3; ++i) {
    MemoryBlock block = *allocator.allocate(1000, a);
    if (i == 0)
      first = block.address;
    EXPECT_EQ(block.address, first);
    // 1000 rounded up to 512.
    EXPECT_EQ(block.bytes, 1024u);
    allocator.free(block);
  }
  EXPECT_EQ(source.takeLog(), "allocate 1024; record a; record a; record a; ");
  EXPECT_EQ(allocator.statistics().deviceAllocations, 1u);
  EXPECT_EQ(allocator.statistics().bytesCached, 1024u);
  EXPECT_EQ(allocator.statistics().bytesInUse, 0u);
}

TEST(CachingAllocator, BlocksInUseAreNotShared) {
  FakeSource source;
  CachingAllocator allocator(source);
  MemoryBlock one = *allocator.allocate(1000, a);
  MemoryBlock two = *allocator.allocate(1000, a);
  EXPECT_NE(one.address, two.address);
  allocator.free(one);
  // Another size does not take the free block.
  EXPECT_NE(allocator.allocate(2000, a)->address, one.address);
  EXPECT_EQ(allocator.allocate(600, a)->address, one.address);
}

TEST(CachingAllocator, AnotherStreamWaitsOnTheDevice) {
  FakeSource source;
  CachingAllocator allocator(source);
  MemoryBlock block = *allocator.allocate(1000, a);
  allocator.free(block);
  source.takeLog();
  EXPECT_EQ(allocator.allocate(1000, b)->address, block.address);
  EXPECT_EQ(source.takeLog(), "b waits for a; ");
  EXPECT_EQ(source.liveEvents, 0);
}

TEST(CachingAllocator, UsesOnOtherStreamsAreWaitedFor) {
  FakeSource source;
  CachingAllocator allocator(source);
  MemoryBlock block = *allocator.allocate(1000, a);
  block.alsoUsedBy = {b, c};
  allocator.free(block);
  source.takeLog();
  EXPECT_EQ(allocator.allocate(1000, a)->address, block.address);
  EXPECT_EQ(source.takeLog(), "a waits for b; a waits for c; ");
}

TEST(CachingAllocator, OwnStreamComesFirst) {
  FakeSource source;
  CachingAllocator allocator(source);
  MemoryBlock one = *allocator.allocate(1000, a);
  MemoryBlock two = *allocator.allocate(1000, b);
  allocator.free(one);
  allocator.free(two);
  EXPECT_EQ(allocator.allocate(1000, a)->address, one.address);
}

TEST(CachingAllocator, FullDeviceEmptiesTheCache) {
  FakeSource source;
  CachingAllocator allocator(source);
  allocator.free(*allocator.allocate(1000, a));
  source.available = 0;
  source.takeLog();
  EXPECT_TRUE(allocator.allocate(4000, a).ok());
  EXPECT_EQ(source.takeLog(), "release; allocate 4096; ");
  EXPECT_EQ(allocator.statistics().bytesCached, 0u);

  source.available = 0;
  auto refused = allocator.allocate(9000, a);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.message(), "full; asked for 9216 bytes with 4096 in use");
}

TEST(CachingAllocator, BlocksWithoutAnEventAreGivenBack) {
  FakeSource source;
  CachingAllocator allocator(source);
  MemoryBlock block = *allocator.allocate(1000, a);
  source.recordWorks = false;
  source.takeLog();
  allocator.free(block);
  EXPECT_EQ(source.takeLog(), "release; ");
  EXPECT_EQ(allocator.statistics().bytesCached, 0u);
}

TEST(CachingAllocator, DestructorGivesEverythingBack) {
  FakeSource source;
  {
    CachingAllocator allocator(source);
    // 3 MiB in steps of 2 MiB.
    MemoryBlock block = *allocator.allocate(size_t(3) << 20, a);
    EXPECT_EQ(block.bytes, size_t(4) << 20);
    allocator.free(block);
    source.takeLog();
  }
  EXPECT_EQ(source.takeLog(), "release; ");
  EXPECT_EQ(source.liveEvents, 0);
}

} // namespace
