//===- AtomicCells.h - What atomic accesses tell other blocks -*- C++ -*-===//
//
// Blocks of different clusters learn of each other's work only from elements of
// global memory that both access atomically. Shared by all workers of a launch.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_EMULATOR_ATOMICCELLS_H
#define TILEC_EMULATOR_ATOMICCELLS_H

#include "Clocks.h"
#include "GlobalMemory.h"

#include <mutex>
#include <unordered_map>
#include <vector>

namespace tilec::emulator {

class AtomicCells {
public:
  /// Runs `access` with no other atomic access in between.
  template <typename Access>
  void run(Access access) {
    std::lock_guard<std::mutex> lock(mutex);
    access();
  }

  /// The same; then `visitor`, which releases `released`, has visited the
  /// element. Returns what visitors before it have released.
  template <typename Access>
  OtherBlocks visit(uintptr_t address, Visitor visitor, const OtherBlocks &released,
                    Access access) {
    std::lock_guard<std::mutex> lock(mutex);
    access();
    Cell &cell = cells[address];
    const OtherBlocks before = cell.released;
    cell.released = joined(before, released);
    for (Visitor &other : cell.visitors)
      if (other.block() == visitor.block() && other.thread() == visitor.thread()) {
        other = visitor;
        return before;
      }
    cell.visitors.push_back(visitor);
    return before;
  }

  /// Who has visited the element: the latest visit of each thread.
  std::vector<Visitor> visitorsOf(uintptr_t address) {
    std::lock_guard<std::mutex> lock(mutex);
    return cells[address].visitors;
  }

private:
  struct Cell {
    OtherBlocks released;
    std::vector<Visitor> visitors;
  };
  std::mutex mutex;
  std::unordered_map<uintptr_t, Cell> cells;
};

} // namespace tilec::emulator

#endif // TILEC_EMULATOR_ATOMICCELLS_H
