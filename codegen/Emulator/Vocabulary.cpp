//===- Vocabulary.cpp - The run-time's side of the table ------*- C++ -*-===//
//
// See Vocabulary.h.
//
//===----------------------------------------------------------------------===//

#include "Vocabulary.h"

#include "Block.h"

namespace tilec::emulator {

namespace {

/// A plain function for a member of Block.
template <auto Member>
struct Forward;
template <typename R, typename... A, R (Block::*Member)(A...)>
struct Forward<Member> {
  static R call(A... arguments) { return (Block::current()->*Member)(arguments...); }
};
template <typename R, typename... A, R (Block::*Member)(A...) const>
struct Forward<Member> {
  static R call(A... arguments) { return (Block::current()->*Member)(arguments...); }
};

constexpr tilec_emulator::RuntimeTable makeTable() {
  tilec_emulator::RuntimeTable table{};
#include "tilec/Emulator/RuntimeForwards.inc"
  return table;
}

constexpr tilec_emulator::RuntimeTable runtimeTable = makeTable();

} // namespace

const tilec_emulator::RuntimeTable &getRuntimeTable() { return runtimeTable; }

} // namespace tilec::emulator
