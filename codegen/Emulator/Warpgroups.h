//===- Warpgroups.h - Multiplications by four warps -----------*- C++ -*-===//
//
// wgmma is asynchronous: operands are read and accumulators written at the last
// moment that the rules allow, when a thread waits for the group. Until then the
// accumulators hold NaN, and what is read belongs to an agent of the warpgroup
// whose ticks are its groups.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_EMULATOR_WARPGROUPS_H
#define TILEC_EMULATOR_WARPGROUPS_H

#include "MatrixTiles.h"
#include "SharedAccesses.h"

#include <memory>
#include <string>
#include <vector>

namespace tilec::emulator {

class Warpgroups {
public:
  Warpgroups(Threads &threads, Witness &witness, Sites &sites, BlockMemory &memory, Mbarriers &mbarriers, SharedAccesses &shared)
      : threads(threads), witness(witness), sites(sites), memory(memory), mbarriers(mbarriers), shared(shared) {}
  void start();

  // By threads of the block.
  long long describeMatrix(const void *from, int swizzle, int leading, int stride, int line);
  void wgmma(void *accumulators, int columns, const char *types, unsigned long long a, unsigned long long b, int transposesA,
             int transposesB, int line);
  void wgmmaRegisters(void *accumulators, int columns, const char *types, const void *a, unsigned long long b, int transposesB, int line);
  void fenceAccumulators() { ++issuers[threads.getThread()].fences; }
  void commitWgmma(int line);
  void waitWgmma(int pending, int line);

  /// Reports multiplications that nobody has waited for, or that a warpgroup does not execute as one.
  void reportUnfinished();
  /// What a thread waits for, for a message.
  std::string describeWait(unsigned thread) const;

private:
  /// The accumulators of a warpgroup that multiplications with no wait in between add to: [row][column].
  struct Accumulators {
    std::vector<uint32_t> values;
    unsigned columns = 0;
    /// Threads that have their part back.
    unsigned delivered = 0;
  };
  /// What the four warps execute as one.
  struct Multiplication {
    int line = 0;
    MatrixTile a, b;
    /// Elements of a, [k][row], where threads hold them.
    bool holdsA = false;
    std::vector<double> left;
    unsigned group = 0;
    unsigned arrived = 0;
    bool starts = false;
    /// Its operands lie in shared memory.
    bool valid = true;
    std::shared_ptr<Accumulators> accumulators;
  };
  struct Warpgroup {
    std::vector<Multiplication> multiplications;
    /// Those before have been computed.
    size_t computed = 0;
    /// Threads that have closed each group.
    std::vector<unsigned> commits;
    /// Threads that wait, and for how many groups.
    std::vector<std::pair<unsigned, unsigned>> waiters;
    /// Reads shared memory; none yet: 0.
    unsigned agent = 0;
  };
  /// A thread's part of accumulators.
  struct Registers {
    uint32_t *place = nullptr;
    unsigned count = 0;
    std::shared_ptr<Accumulators> accumulators;
    unsigned group = 0;
    int line = 0;
    /// No multiplication has them any more; `values` is what the last one left, `fences` those of the thread by then.
    bool returned = false;
    std::vector<uint32_t> values;
    unsigned fences = 0;
  };
  /// What a thread holds of a first matrix, as its latest multiplication found it.
  struct Factors {
    const void *place = nullptr;
    std::vector<char> values;
    unsigned group = 0;
    int line = 0;
    /// That multiplication has been waited for.
    bool returned = false;
    unsigned fences = 0;
  };
  struct Issuer {
    size_t issued = 0;
    unsigned groups = 0;
    unsigned fences = 0;
    std::vector<Registers> registers;
    std::vector<Factors> factors;
  };

  Warpgroup &warpgroupOf(unsigned thread) { return warpgroups[thread / size]; }
  /// Ends the block where its threads do not make a warpgroup.
  void checkWhole(int line);
  /// The next multiplication of the thread, which `asked` must be too if another thread has been here before.
  Multiplication &join(Issuer &issuer, const Multiplication &asked);
  /// The thread multiplies `asked`, of which it holds what is at `a`, if that is not null.
  void multiplyBy(const Multiplication &asked, void *accumulators, const void *a);
  /// Hands what the thread holds of a first matrix to the multiplication.
  void takeFactors(Issuer &issuer, Multiplication &multiplication, const void *place);
  void checkFactors(const Factors &factors, int line);
  /// Hands the thread's registers to the multiplication.
  void takeRegisters(Issuer &issuer, Multiplication &multiplication, uint32_t *place, unsigned count);
  /// The entry of registers at a place; ends the block where others overlap that a multiplication has.
  Registers &findRegisters(Issuer &issuer, uint32_t *place, unsigned count, int line);
  void checkFence(const Issuer &issuer, const Registers &registers, int line);
  /// A multiplication has the registers: did the thread write them?
  void checkUntouched(const Registers &registers, int line);
  void readOperand(Multiplication &multiplication, const MatrixTile &tile, bool first);
  bool checkPlace(const MatrixTile &tile, int line);
  void compute(Warpgroup &warpgroup, unsigned groups);
  void deliver(Issuer &issuer, unsigned groups, int line);
  void reportApart(int line, int other);

  /// Threads of a warpgroup.
  static constexpr unsigned size = 128;

  Threads &threads;
  Witness &witness;
  Sites &sites;
  BlockMemory &memory;
  Mbarriers &mbarriers;
  SharedAccesses &shared;
  std::vector<Warpgroup> warpgroups;
  std::vector<Issuer> issuers;
};

} // namespace tilec::emulator

#endif // TILEC_EMULATOR_WARPGROUPS_H
