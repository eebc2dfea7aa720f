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
  table.blockX = Forward<&Block::getNumber>::call;
  table.threadX = Forward<&Block::getThread>::call;
  table.sharedArray = Forward<&Block::sharedArray>::call;
  table.readGlobal = Forward<&Block::readGlobal>::call;
  table.readShared = Forward<&Block::readShared>::call;
  table.writeGlobal = Forward<&Block::writeGlobal>::call;
  table.writeShared = Forward<&Block::writeShared>::call;
  table.atomicGlobal = Forward<&Block::atomicGlobal>::call;
  table.copyAsync = Forward<&Block::copyAsync>::call;
  table.commitCopies = Forward<&Block::commitCopies>::call;
  table.waitCopies = Forward<&Block::waitCopies>::call;
  table.syncBlock = Forward<&Block::syncBlock>::call;
  table.notEmulated = Forward<&Block::notEmulated>::call;
  table.shuffleXor = Forward<&Block::shuffleXor>::call;
  return table;
}

constexpr tilec_emulator::RuntimeTable runtimeTable = makeTable();

} // namespace

const tilec_emulator::RuntimeTable &getRuntimeTable() { return runtimeTable; }

} // namespace tilec::emulator
