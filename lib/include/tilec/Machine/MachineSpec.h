//===- MachineSpec.h - What a GPU can hold, move and compute ----*- C++ -*-===//
//
// The machine model that every analysis reads: memory levels with capacity,
// bandwidth and latency, rates of the arithmetic units, limits, features and
// fixed costs. Every number carries the source it was taken from; a number that
// nobody knows is absent, never a default, or another machine's and marked so.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_MACHINE_MACHINESPEC_H
#define TILEC_MACHINE_MACHINESPEC_H

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilec {

/// A value and where it comes from: a document, a measurement, or the path of
/// the machine file that states it.
template <typename T>
struct Sourced {
  T value{};
  std::string source;
  /// Taken from another machine by a rule (addStandIns), since nothing states it of this one.
  bool standIn = false;
};

/// A count or a size in bytes.
using SourcedInt = Sourced<int64_t>;
/// A rate, a time or a frequency.
using SourcedReal = Sourced<double>;

/// Memory levels, from the farthest to the nearest.
enum class MemoryLevel { Dram, L2, L1, Smem, Rf };
constexpr unsigned kNumMemoryLevels = 5;

/// Who multiplies: FMA of the CUDA cores, warp-wide mma.sync, warpgroup-wide wgmma.
enum class MathUnit { Fma, Mma, Wgmma };
constexpr unsigned kNumMathUnits = 3;

/// Type of the operands of a multiplication. Accumulation is in f64 for f64, in
/// s32 for s8, otherwise in f32; CUDA-core f16 and bf16 accumulate in their own type.
enum class MathType { F64, F32, TF32, F16, BF16, E4M3, E5M2, S8 };
constexpr unsigned kNumMathTypes = 8;

/// The spelling in machine files and reports: "dram", "l2", "l1", "smem", "rf".
const char *toString(MemoryLevel level);
/// "fma", "mma" or "wgmma".
const char *toString(MathUnit unit);
/// "f64", "f32", "tf32", "f16", "bf16", "e4m3", "e5m2" or "s8".
const char *toString(MathType type);
/// Bytes that one operand element takes in memory (tf32: 4).
int64_t bytesPerElement(MathType type);

/// One memory level.
struct LevelSpec {
  /// Bytes: l2 of the whole GPU; smem and rf of one SM.
  std::optional<SourcedInt> capacity;
  /// dram: GB/s (1e9 bytes) of the whole GPU. l2: B/cycle of the whole GPU.
  /// l1, smem: B/cycle of one SM.
  std::optional<SourcedReal> bandwidth;
  /// dram: the share of the bandwidth that kernels get, at most 1.
  std::optional<SourcedReal> sustained;
  /// dram, l2, smem: cycles from a load's issue to the use of its value.
  std::optional<SourcedReal> latency;
  /// dram, l2, smem: the same in a kernel that keeps the machine busy.
  std::optional<SourcedReal> loadedLatency;

  /// What a kernel waits for a value: under load where that is known.
  const std::optional<SourcedReal> &waitNumber() const { return loadedLatency ? loadedLatency : latency; }
};

/// What one arithmetic unit does with one operand type.
struct MathRate {
  /// Fused multiply-adds in a cycle on one SM.
  SourcedReal rate;
  /// GHz that the peak is stated at, where that is below boost.
  std::optional<SourcedReal> clock;
  /// Fused multiply-adds that one warp instruction stands for (mma and wgmma: largest shape).
  std::optional<SourcedInt> perInstruction;
};

/// Hard limits of launches and allocations, and the grain of memory accesses.
struct LimitsSpec {
  /// Bytes of shared memory that a block may have when the launch opts in.
  SourcedInt smemPerBlock;
  /// Bytes of shared memory that the system takes for each resident block (may be 0).
  SourcedInt smemReservedPerBlock;
  /// Grain, in bytes, in which a block's shared memory is allocated.
  SourcedInt smemAllocationUnit;
  /// Bytes that a kernel's arrays in constant memory take together.
  std::optional<SourcedInt> constantBytes;
  /// Registers (32 bits) of one thread.
  SourcedInt registersPerThread;
  /// Grain, in registers, in which a warp's registers are allocated.
  SourcedInt registerAllocationUnit;
  SourcedInt warpSize;
  SourcedInt threadsPerBlock;
  /// Resident threads on one SM.
  SourcedInt threadsPerSM;
  /// Resident blocks on one SM.
  SourcedInt blocksPerSM;
  /// Blocks of one cluster; absent where there are no clusters.
  std::optional<SourcedInt> clusterSize;
  /// Blocks along the first dimension of a grid.
  SourcedInt gridX;
  SourcedInt smemBanks;
  /// Bytes that a bank delivers in a cycle.
  SourcedInt smemBankWidth;
  /// Bytes of the smallest piece that L2 and DRAM transfer.
  SourcedInt sectorBytes;
  /// Bytes of a cache line.
  SourcedInt lineBytes;
  /// Warp instructions that an SM issues in a cycle (one for each scheduler).
  SourcedInt issueSlots;
};

/// Fixed costs, each absent where unknown.
struct CostsSpec {
  /// Microseconds from one kernel launch to the next in a stream.
  std::optional<SourcedReal> launch;
  /// The same of kernels that are launched while the one ahead ends; where it is absent, `launch`.
  std::optional<SourcedReal> dependentLaunch;
  /// Cycles of a cluster-wide barrier.
  std::optional<SourcedReal> clusterBarrier;
  /// Cycles of a load from another block's shared memory in the cluster.
  std::optional<SourcedReal> dsmemLatency;
  /// Bytes that an SM reads from other blocks' shared memory in a cycle.
  std::optional<SourcedReal> dsmemBandwidth;
  /// Cycles of an SM for each line that a warp's store touches.
  std::optional<SourcedReal> storeLine;
  /// Elements that L2 adds to in a cycle.
  std::optional<SourcedReal> atomics;
};

/// Instructions that a compiler adds to those that a nest asks for.
struct CompilerInstructions {
  /// Of a piece that goes through registers into shared memory, with its addresses and predicates; by cp.async; and
  /// of the copies of a step, whatever their number.
  SourcedReal copy, asyncCopy, copyStep, asyncStep;
  /// Of a load or store of an operand without a copy, with its address.
  SourcedReal access;
  /// Of a load of one of several elements that a step of a loop reads where they lie: there are no registers for an address of each, which is made anew.
  SourcedReal accessRow;
  /// Of one of several that a thread loads once, element by element: of a window.
  SourcedReal accessWindow;
  /// Of a request to a swizzled tile, to find where its element lies.
  SourcedInt swizzled;
  /// Of one in a loop that may run past the operand's edge: with its address and the question whether there is an element.
  SourcedReal guarded;
  /// Of a warp before its first step: who it is and where its tiles lie; and where guarded accesses are all that it does.
  SourcedReal start, guardedStart;
  /// Of an iteration that stays one: counting and comparing.
  SourcedReal loop;
  /// Of a load of 16 bytes from another block: with its address and what it is added to.
  SourcedReal fetch;
};

/// Instructions of a warp for a function of f32 that is not one of its own.
struct CompilerFunctions {
  SourcedReal divide, remainder, sqrt, rsqrt, exp, exp2, expm1, log, pow, sin, tanh, erf, integerDivide, convert, expNarrow, divideKept;
};

/// How far a compiler reorders a loop over time.
struct CompilerSchedule {
  /// A loop of up to so many FMA of a thread is unrolled as a whole; a longer one to `unrollPart`, or left as it is
  /// where one iteration has more.
  SourcedReal unrollWhole, unrollPart;
  /// Loads of consecutive iterations are joined where an iteration has no more FMA of a thread.
  SourcedReal joinMost;
  /// Loads of operands that a thread has under way.
  SourcedReal loadsAhead;
  /// The same of guarded ones.
  SourcedReal guardedAhead;
};

/// Registers of a thread that a compiler takes beside those of tiles.
struct CompilerRegisters {
  /// Of kernels with loops: where a thread and its block are, extents, strides, counters.
  SourcedInt loops;
  /// Addresses of copies that run ahead and their places in the ring, strides aside; where blocks walk tiles, which
  /// makes the rest again for each; and more where the nest stages registers ahead too.
  SourcedInt ahead, aheadPersistent, aheadBuffers;
  /// Shares, owners and partial results of a last wave that is cut.
  SourcedInt cut;
  /// A block's rank in its cluster and the address of another's shared memory, where blocks add up their tiles.
  SourcedInt clusterSum;
  /// Loads under way of an operand that a loop reads where it lies, and of shared memory that a computation reads.
  SourcedInt underWay, fromShared;
  /// Of values on their way through registers into shared memory in a loop, the share that waits at once; the
  /// others are loaded while the first are stored.
  SourcedReal waitingShare;
  /// Of copies that a thread has under way together beyond the first eight, those that keep an address of their own.
  SourcedReal addressShare;
  /// Of what the compiler would like, what it cannot do without: it spills what is missing.
  SourcedReal neededShare;
  /// Of a thread that gives instructions of warps their operands, and by the sums that it holds.
  SourcedInt warp;
  SourcedReal warpShare;
  /// Its addresses: of each piece beyond eight that it copies in a step, and of each step of instructions beyond two whose elements lanes load one by one.
  SourcedInt warpPiece, warpStep;
  /// By how many percent the compiler goes below what it would like so that one block more fits an SM, by itself; and where it is asked
  /// for two blocks (min_blocks(2)), up to which it is.
  SourcedInt squeeze, room;
  /// Of a loop that reads operands where they lie, an element at a time: values and addresses of the iterations that the compiler writes out, as
  /// far as they cost no occupancy.
  SourcedInt unrolled;

  /// Of kernels without loops: as `loops`; and where each element that a thread copies goes, with its value.
  SourcedInt straight, copied;
  /// Of kernels whose threads take a few elements of each operand, compute and store: what all share, each dimension in which elements may
  /// be absent, and functions of the pipe of special ones; and of those that do so in a loop what all share.
  SourcedInt stream, guardedDimension, special, streamed;
  /// What extents and strides take there that are known only at launch; `loops` has it, too.
  SourcedInt atLaunch;
  /// Elements moved from operand to operand: what all share, and each.
  SourcedInt moved, movedElement;

  // A thread that does one element at a time, each after a branch since it may lie beyond an edge: the compiler
  // keeps the branches, so the values of one element live together, whatever is unrolled.
  /// Where a thread and its block are, the element's number, and 2 that every kernel has.
  SourcedInt element;
  /// Each dimension but one: a number and its share of a sum.
  SourcedInt elementDimension;
  /// Each input: a product of 64 bits for its address, in one half of which the value comes, and the rest.
  SourcedInt elementInput;
  /// Of the numbers of elements that follow, the share that is kept; the others are made when they are needed.
  SourcedReal followingShare;
  /// Where the element goes through shared memory: its place there.
  SourcedInt elementShared;

  /// Unrolled elements under way together: of the first input, of each other, of each element, and what they need
  /// less where they have one dimension.
  SourcedInt together, togetherInput, togetherElement, togetherLine;
  /// Up to so many inputs of one dimension are loaded for all elements at once, without branches.
  SourcedInt predicated;
};

/// What a compiler makes of kernels for an architecture. Machine files need not say it: it comes from
/// lib/Machine/targets/compilers, by the architecture.
struct CompilerSpec {
  CompilerInstructions instructions;
  CompilerFunctions functions;
  CompilerSchedule schedule;
  CompilerRegisters registers;
};

/// How the times of a kernel's units make one time; from the same files as the compiler's figures.
struct TimingSpec {
  /// Times that overlap in part add up as the root of this power of their sum: units that are busy nearly all the
  /// time wait for one another. What blocks wait for, with all that keeps units busy.
  SourcedReal overlap;
  /// The same of issue slots and shared memory, and of these with DRAM.
  SourcedReal overlapArray, overlapMemory;
  /// The same where warps that only copy take the waits upon them.
  SourcedReal overlapRoles;
  /// The same of issue and shared memory, which the few warps that compute beside them need both.
  SourcedReal overlapUnits;
  /// So many warps of a scheduler do not hide one another's stalls.
  SourcedReal stallWarps;
  /// What a block with fewer takes, beside warps that copy for it, of the time for which it computes.
  SourcedReal fewWarps;
  /// Cycles that a warp which only copies takes for each copy of its threads, at most.
  SourcedReal producerCopy;
  /// The same in issue slots that warps which compute leave beside their products.
  SourcedReal producerSlots;
  /// What instructions that compute take longer, for each share of their registers that the compiler is asked to do without.
  SourcedReal tightRegisters;
  /// Bytes of instructions without a loop that warps do not wait for, and what of the others an SM fetches in a cycle.
  SourcedReal codeHeld, codeRate;
  /// Issue slots that an instruction of a copy takes where nothing else runs.
  SourcedReal copySlots;
  /// Waits of a block beside its steps: for its first tile, and for its results to leave.
  SourcedReal endWaits;
  /// Waits for DRAM before the first step of a kernel that finds caches cold: for its code and for its parameters.
  SourcedReal startWaits;
  /// Cycles from the start of one block on an SM to that of the next.
  SourcedReal blockStart;
  /// Bytes that one SM takes from L2 in a cycle, whatever the others leave.
  SourcedReal l2Port;
  /// Waiting limits a kernel where it takes so many times as long as the busiest unit is busy.
  SourcedReal waitMargin;
  /// A grid limits a kernel where it gives SMs blocks for less of the time.
  SourcedReal idleShare;
  /// Of the blocks of an SM, so many are at the same step of their work as those of other SMs once they have drifted apart; of those that ask for tiles two steps
  /// ahead and more; all where a scheduler has no more warps than this; and in how many rounds of blocks they drift apart, having begun together.
  SourcedReal stepBlocks, stepFar, stepWarps, stepRounds;
  /// L2 keeps what is touched up to this share of it.
  SourcedReal l2Share;
  /// It does not throw out what was touched longest ago: to inputs a byte of the results between takes the room of so many, and to results one of inputs.
  SourcedReal l2Others;
  /// Of sectors that are written in many parts, those that L2 writes back and reads again before they are whole.
  SourcedReal l2Parted;
  /// Bytes that L2 could move in the time that it takes a sector which two blocks of a wave write in part.
  SourcedReal splitSector;
  /// Bytes that L2 could deliver in the time that it takes a sector more than a row of a box would fill, and a line more.
  SourcedReal boxSector, boxLine;
  /// How suddenly L2 loses what takes more: the power of the footprint in the odds of a miss.
  SourcedReal l2Power;
  /// An SM takes so long for a line of which a copy through registers loads a part, beyond the time of whole lines.
  SourcedReal partialLine;
  /// Lanes of the pipe of reciprocals, roots, powers and conversions to narrow floats.
  SourcedReal specialLanes;
  /// What a byte that DRAM delivers takes of the time of a byte of a copy, which is half delivered and half taken.
  SourcedReal dramRead;
  /// Of L2's capacity, results of others that a kernel finds there and that are written back while it runs.
  SourcedReal l2Found;
  /// Of the bytes of boxes that blocks ask for, those that L2 delivers: what neighbouring SMs ask for at one time comes once.
  SourcedReal boxShare;
};

/// Instructions and mechanisms that the machine has.
struct Features {
  bool cpAsync = false;
  bool mbarrier = false;
  bool clusters = false;
  bool dsmem = false;
  bool tma = false;
  bool multicast = false;
  bool wgmma = false;
  bool setmaxnreg = false;
  /// Kernels are launched while the one ahead in the stream ends (PTX: griddepcontrol).
  bool dependentLaunch = false;
};

/// (major, minor) of an architecture: "sm_90" is (9, 0), "sm_100" is (10, 0).
std::pair<int, int> computeCapability(const std::string &arch);

/// One machine. Built by the functions of Targets.h, which check it; helpers
/// below rely on those checks.
struct MachineSpec {
  /// Key that selects the machine, and what it is called in reports.
  std::string name;
  /// Marketing name; empty where a machine file gives none.
  std::string title;
  /// Other names that select it.
  std::vector<std::string> aliases;
  /// Instruction set, e.g. "sm_80".
  std::string arch;
  /// Instruction set with architecture-specific features, e.g. "sm_90a"; equals
  /// `arch` where there is none.
  std::string featureArch;

  /// Streaming multiprocessors.
  SourcedInt sms;
  /// GHz that peak figures are computed with.
  SourcedReal boostClock;
  /// GHz that settle under heavy load.
  std::optional<SourcedReal> loadClock;

  std::array<LevelSpec, kNumMemoryLevels> levels;
  std::map<std::pair<MathUnit, MathType>, MathRate> rates;

  LimitsSpec limits;
  CostsSpec costs;
  CompilerSpec compiler;
  TimingSpec timing;
  Features features;

  const LevelSpec &level(MemoryLevel level) const { return levels[static_cast<unsigned>(level)]; }
  LevelSpec &level(MemoryLevel level) { return levels[static_cast<unsigned>(level)]; }

  /// The rate of `unit` on `type`, or null where the machine has none or it is unknown.
  const MathRate *rate(MathUnit unit, MathType type) const;

  /// GHz at which peak figures of `unit` on `type` hold: the rate's own clock, at most boost.
  double clockGHz(MathUnit unit, MathType type) const;

  /// Of `arch`.
  std::pair<int, int> computeCapability() const;

  /// Bytes of shared memory of one SM.
  int64_t smemPerSM() const;
  /// Registers (32 bits) of one SM: capacity of rf / 4.
  int64_t registersPerSM() const;
  /// Blocks of the largest cluster: 1 without clusters; with clusters and no stated
  /// size, the 8 that CUDA guarantees.
  int64_t maxClusterSize() const;
  /// Bytes that a kernel's arrays in constant memory take together, with whose number that is.
  SourcedInt maxConstantBytes() const;

  /// An SM's share of DRAM: bandwidth / (SMs * clock), at boost.
  /// A100 80GB: 2039e9 / (108 * 1.41e9) = 13.39 B/cycle/SM.
  double dramBytesPerCyclePerSM() const;
  /// The same at `clockGHz`.
  double dramBytesPerCyclePerSM(double clockGHz) const;

  /// An SM's share of what `level` delivers in a cycle at `clockGHz`. dram: as above.
  /// l2: bandwidth / SMs. l1, smem: bandwidth. Absent where unknown.
  std::optional<double> bytesPerCyclePerSM(MemoryLevel level, double clockGHz) const;

  /// Operand bytes that keep `unit` busy: 2 operands * bytes * FMA/cycle/SM.
  /// A100 fma f32: 2 * 4 * 64 = 512 B/cycle/SM. Absent where the rate is unknown.
  std::optional<double> operandBytesPerCycle(MathUnit unit, MathType type) const;

  /// Times that each byte out of `level` must be used: operandBytesPerCycle /
  /// bytesPerCyclePerSM, at the clock of the unit and type. A100 80GB fma f32: dram 512 / 13.39
  /// = 38.24, smem 512 / 128 = 4.
  std::optional<double> requiredAmplification(MemoryLevel level, MathUnit unit,
                                              MathType type) const;

  /// Ridge of the roofline: FMA/cycle/SM / dram B/cycle/SM. A100 80GB fma f32: 64 / 13.39 = 4.78.
  std::optional<double> fmaPerDramByte(MathUnit unit, MathType type) const;

  /// Peak of the whole GPU: 2 * rate * SMs * clock. A100 fma f32: 2 * 64 * 108 * 1.41e9 = 19.49
  /// TFLOP/s.
  std::optional<double> peakTFlops(MathUnit unit, MathType type) const;

  /// Share of the issue slots that `unit` takes at its peak: rate / perInstruction / issueSlots.
  /// f32 FMA: A100 64 / 32 / 4 = 0.5, H100 128 / 32 / 4 = 1 (an FMA needs every slot).
  std::optional<double> issueShare(MathUnit unit, MathType type) const;
};

} // namespace tilec

#endif // TILEC_MACHINE_MACHINESPEC_H
