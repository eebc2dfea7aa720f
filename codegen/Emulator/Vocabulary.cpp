//===- Vocabulary.cpp - The run-time's side of the table ------*- C++ -*-===//
//
// See Vocabulary.h.
//
//===----------------------------------------------------------------------===//

#include "Vocabulary.h"

#include "Block.h"

namespace tilec::emulator {

namespace {

/// A plain function for a member of a part of the block.
template <auto Part, auto Member>
struct Forward;
template <typename P, P Block::*Part, typename R, typename... A, R (P::*Member)(A...)>
struct Forward<Part, Member> {
  static R call(A... arguments) { return (Block::current()->*Part.*Member)(arguments...); }
};
template <typename P, P Block::*Part, typename R, typename... A, R (P::*Member)(A...) const>
struct Forward<Part, Member> {
  static R call(A... arguments) { return (Block::current()->*Part.*Member)(arguments...); }
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
