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
  table.readCluster = Forward<&Block::readCluster>::call;
  table.writeGlobal = Forward<&Block::writeGlobal>::call;
  table.writeShared = Forward<&Block::writeShared>::call;
  table.atomicGlobal = Forward<&Block::atomicGlobal>::call;
  table.copyAsync = Forward<&Block::copyAsync>::call;
  table.commitCopies = Forward<&Block::commitCopies>::call;
  table.waitCopies = Forward<&Block::waitCopies>::call;
  table.syncBlock = Forward<&Block::syncBlock>::call;
  table.shuffleXor = Forward<&Block::shuffleXor>::call;
  table.blockCount = Forward<&Block::getBlockCount>::call;
  table.clusterRank = Forward<&Block::getRank>::call;
  table.fenceGpu = Forward<&Block::fenceGpu>::call;
  table.atomicFetchAdd = Forward<&Block::atomicFetchAdd>::call;
  table.syncNamed = Forward<&Block::syncNamed>::call;
  table.syncWarp = Forward<&Block::syncWarp>::call;
  table.syncCluster = Forward<&Block::syncCluster>::call;
  table.setMaxRegisters = Forward<&Block::setMaxRegisters>::call;
  table.reportArithmetic = Forward<&Block::reportArithmetic>::call;
  table.startBarrier = Forward<&Block::startBarrier>::call;
  table.arrive = Forward<&Block::arrive>::call;
  table.arriveExpect = Forward<&Block::arriveExpect>::call;
  table.arriveRemote = Forward<&Block::arriveRemote>::call;
  table.arriveAfterCopies = Forward<&Block::arriveAfterCopies>::call;
  table.waitBarrier = Forward<&Block::waitBarrier>::call;
  table.fenceBarrierStarts = Forward<&Block::fenceBarrierStarts>::call;
  table.fenceProxy = Forward<&Block::fenceProxy>::call;
  table.copyBulk = Forward<&Block::copyBulk>::call;
  return table;
}

constexpr tilec_emulator::RuntimeTable runtimeTable = makeTable();

} // namespace

const tilec_emulator::RuntimeTable &getRuntimeTable() { return runtimeTable; }

} // namespace tilec::emulator
