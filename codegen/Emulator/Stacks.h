//===- Stacks.h - Stacks for fibers ---------------------------*- C++ -*-===//
//
// One stack for each thread of a block, each below it a page that faults, all
// kept from block to block. The switch itself is Boost.Context's, by its C
// functions: no exceptions, no unwinding.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_EMULATOR_STACKS_H
#define TILEC_EMULATOR_STACKS_H

#include <boost/context/detail/fcontext.hpp>

#include <cstddef>

namespace tilec::emulator {

using Context = boost::context::detail::fcontext_t;
using Transfer = boost::context::detail::transfer_t;

class Stacks {
public:
  /// Usable bytes of one stack.
  static constexpr size_t bytes = 64 * 1024;

  ~Stacks();
  /// Makes `count` stacks; false where the system gives no memory.
  bool allocate(unsigned count);
  /// A fiber on stack `index` that starts with `entry` at the first switch to it.
  Context start(unsigned index, void (*entry)(Transfer)) const;

private:
  char *memory = nullptr;
  size_t mappedBytes = 0;
};

} // namespace tilec::emulator

#endif // TILEC_EMULATOR_STACKS_H
