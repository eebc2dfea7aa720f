//===- Fibers.h - Threads of control on stacks of their own ---*- C++ -*-===//
//
// One fiber for each thread of a block. Stacks are kept from block to block,
// each above a page that faults. The switch itself is Boost.Context's, by its C
// functions: no exceptions, no unwinding.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_EMULATOR_FIBERS_H
#define TILEC_EMULATOR_FIBERS_H

#include "StackPool.h"

#include <boost/context/detail/fcontext.hpp>

#include <cstddef>
#include <vector>

namespace tilec::emulator {

class Fibers {
public:
  /// Usable bytes of one stack.
  static constexpr size_t stackBytes = 64 * 1024;

  Fibers() = default;
  ~Fibers();
  Fibers(const Fibers &) = delete;
  Fibers &operator=(const Fibers &) = delete;

  /// Takes `count` stacks of `stacks`, which gets them back at the end; false
  /// where the system gives no memory.
  bool allocate(unsigned count, StackPool &stacks);
  /// Lets fiber `index` begin with `body` at its next turn, whatever it did
  /// before. `body` must not return.
  void start(unsigned index, void (*body)());
  /// From outside: gives fiber `index` a turn, until it calls suspend().
  void resume(unsigned index);
  /// From a fiber: ends its turn.
  void suspend();

private:
  using Context = boost::context::detail::fcontext_t;
  using Transfer = boost::context::detail::transfer_t;

  struct Fiber {
    Context context = nullptr;
    void (*body)() = nullptr;
    /// What the address sanitizer keeps for a stack that is not in use.
    void *fakeStack = nullptr;
  };
  static void begin(Transfer transfer);
  char *topOf(unsigned index) const;
  // Tell the address sanitizer, in builds with it, which stack is in use.
  void leave(void **fakeStack, const void *bottom, size_t bytes);
  void arrive(void *fakeStack, const void **bottom, size_t *bytes);

  StackPool *pool = nullptr;
  char *memory = nullptr;
  std::vector<Fiber> fibers;
  unsigned current = 0;
  Context outside = nullptr;
  const void *outsideBottom = nullptr;
  size_t outsideBytes = 0;
};

} // namespace tilec::emulator

#endif // TILEC_EMULATOR_FIBERS_H
