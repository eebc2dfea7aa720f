//===- Fibers.cpp - Threads of control on stacks of their own -*- C++ -*-===//
//
// See Fibers.h.
//
//===----------------------------------------------------------------------===//

#include "Fibers.h"

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define TILEC_ADDRESS_SANITIZER
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define TILEC_ADDRESS_SANITIZER
#endif

#ifdef TILEC_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace tilec::emulator {

namespace {
// Equal frames at equal distances would share a few sets of the caches.
constexpr size_t colours = 16;
constexpr size_t colourBytes = 256;
constexpr size_t pitch = StackPool::guardBytes + Fibers::stackBytes + colours * colourBytes;
} // namespace

Fibers::~Fibers() {
  if (!memory)
    return;
#ifdef TILEC_ADDRESS_SANITIZER
  // Whoever gets the addresses next knows nothing of the frames that were here.
  ASAN_UNPOISON_MEMORY_REGION(memory, fibers.size() * pitch);
#endif
  pool->giveBack(memory, fibers.size(), pitch);
}

bool Fibers::allocate(unsigned count, StackPool &stacks) {
  fibers.resize(count);
  pool = &stacks;
  memory = stacks.take(count, pitch);
  return memory != nullptr;
}

char *Fibers::topOf(unsigned index) const {
  return memory + (index + 1) * pitch - index % colours * colourBytes;
}

void Fibers::start(unsigned index, void (*body)()) {
#ifdef TILEC_ADDRESS_SANITIZER
  // Frames of the body before it never returned.
  ASAN_UNPOISON_MEMORY_REGION(topOf(index) - stackBytes, stackBytes);
#endif
  fibers[index] = {boost::context::detail::make_fcontext(topOf(index), stackBytes, begin), body,
                   nullptr};
}

void Fibers::resume(unsigned index) {
  current = index;
  void *fakeStack = nullptr;
  leave(&fakeStack, topOf(index) - stackBytes, stackBytes);
  Transfer back = boost::context::detail::jump_fcontext(fibers[index].context, this);
  arrive(fakeStack, nullptr, nullptr);
  fibers[index].context = back.fctx;
}

void Fibers::begin(Transfer transfer) {
  Fibers &self = *static_cast<Fibers *>(transfer.data);
  self.outside = transfer.fctx;
  self.arrive(nullptr, &self.outsideBottom, &self.outsideBytes);
  self.fibers[self.current].body();
}

void Fibers::suspend() {
  Fiber &self = fibers[current];
  leave(&self.fakeStack, outsideBottom, outsideBytes);
  Transfer back = boost::context::detail::jump_fcontext(outside, nullptr);
  outside = back.fctx;
  arrive(self.fakeStack, &outsideBottom, &outsideBytes);
}

void Fibers::leave(void **fakeStack, const void *bottom, size_t bytes) {
#ifdef TILEC_ADDRESS_SANITIZER
  __sanitizer_start_switch_fiber(fakeStack, bottom, bytes);
#endif
}

void Fibers::arrive(void *fakeStack, const void **bottom, size_t *bytes) {
#ifdef TILEC_ADDRESS_SANITIZER
  __sanitizer_finish_switch_fiber(fakeStack, bottom, bytes);
#endif
}

} // namespace tilec::emulator
