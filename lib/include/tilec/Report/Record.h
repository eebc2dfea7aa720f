//===- Record.h - What tilec knows of a kernel -------------------*- C++ -*-===//
//
// One record for each kernel: what was predicted, measured and verified. Plain
// data; the printers are the only readers of its layout. What is not known is
// absent and prints as null.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_REPORT_RECORD_H
#define TILEC_REPORT_RECORD_H

#include "tilec/Analysis/StageFigures.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilec::report {

/// The simple model: the whole kernel against DRAM and the arithmetic units.
struct RooflineRecord : analysis::RooflineFigures {
  /// "compute" or "memory"; empty if unknown.
  std::string verdict;
};

/// One operand in one stage.
struct OperandRecord {
  std::string name;
  /// Levels that it moves between; those of the stage turned round for what is written.
  std::string from;
  std::string to;
  /// "input" or "output".
  std::string role;
  /// "read", "write" or "combine".
  std::string access;
  std::vector<int64_t> tile;
  /// Times that the tile is moved, in all units together.
  int64_t copies = 0;
  std::optional<double> localReuse;
  std::optional<double> globalReuse;
  double multicast = 1;
  /// Bytes delivered into the consumer's level; and those of the whole sectors or wavefronts that leave
  /// or enter the memory for it, absent where they cannot be counted.
  int64_t bytes = 0;
  std::optional<int64_t> portBytes;
  std::optional<int64_t> countedBytes;
  std::optional<int64_t> countedPortBytes;
  /// Moved only if a condition in the kernel holds.
  bool conditional = false;
};

/// A change of the nest.
struct ChangeRecord {
  /// In words: "block tile 64x64".
  std::string change;
  /// "block_tile", "thread_tile", "pipeline", "raster", "layout" or "thread_order", with the new steps, depth, sides of a raster or
  /// order; "combination", without, of several changes.
  std::string kind;
  std::vector<int64_t> values;
};

/// A change of the nest, or several at once, that was tried and pays.
struct SuggestionRecord : ChangeRecord {
  /// What the reuse of the stage that it is listed at becomes.
  std::optional<double> reuse;
  /// Predicted time with it, of the nest's own.
  double timeShare = 1;
};

/// What the report advises: a suggestion, with the nest that it makes.
struct AdviceRecord {
  SuggestionRecord suggestion;
  /// One by one.
  std::vector<ChangeRecord> changes;
  double seconds = 0;
  /// The changed nest, as text that tilec reads.
  std::string nest;
};

/// A machine level that a stage passes through.
struct ViaRecord {
  std::string level;
  std::optional<int64_t> bytes;
  std::optional<double> bytesPerCycle;
  std::optional<double> hitRate;
  std::optional<double> requiredReuse;
  std::optional<double> guaranteedReuse;
  std::optional<bool> satisfied;
  std::vector<SuggestionRecord> suggestions;
};

/// One stage of the realistic model. Rates are bytes in a cycle of one SM.
struct StageRecord : analysis::StageFigures {
  std::string from;
  std::string to;
  std::optional<double> opportunisticReuse;
  std::vector<ViaRecord> via;
  std::vector<SuggestionRecord> suggestions;
  std::vector<OperandRecord> operands;
};

/// The blocks that run at one time, and what they read.
struct WaveRecord {
  /// "first", "steady" or "last".
  std::string name;
  int64_t blocks = 0;
  int64_t requestedBytes = 0;
  int64_t uniqueBytes = 0;
  /// requested / unique.
  double factor = 1;
};

/// What an order of blocks gives.
struct OrderRecord {
  /// "row", "column", "grouped = 8", ...
  std::string order;
  /// Over all waves.
  int64_t requestedBytes = 0;
  int64_t uniqueBytes = 0;
  double factor = 1;
  /// Bytes that a wave's tiles take at one time.
  int64_t workingSetBytes = 0;
  std::vector<WaveRecord> waves;
  /// Bytes that DRAM would deliver and take, outputs included.
  int64_t dramBytes = 0;
};

struct RasterRecord {
  /// The nest's own order, and others.
  OrderRecord own;
  std::vector<OrderRecord> others;
  /// The order whose blocks share most of what L2 can hold, and how many times as much as with the nest's own.
  std::string best;
  int64_t bestDramBytes = 0;
  double gain = 1;
};

/// The least that blocks must read, however they are tiled, with the memory on chip that they use.
struct LowerBoundRecord {
  int64_t capacityBytes = 0;
  double exponent = 1;
  double bytes = 0;
  double movedBytes = 0;
  /// moved / bound.
  double distance = 0;
  /// With its numbers and its source.
  std::string formula;
};

/// Bytes of one SM under way while DRAM is waited for.
struct LatencyRecord {
  double latencyCycles = 0;
  int64_t tileBytes = 0;
  /// Copies that the nest keeps of a staged tile.
  int64_t depth = 1;
  double tileCycles = 0;
  double neededBytes = 0;
  double inFlightBytes = 0;
  bool hidden = false;
  std::optional<int64_t> suggestedDepth;
};

/// What the first request of a warp at one load or store costs, at the warp that fares worst.
struct WarpRequestRecord {
  /// The operand, or the one that the tile in shared memory was staged from.
  std::string operand;
  std::string location;
  /// "read" or "write".
  std::string access;
  int64_t bytesPerLane = 0;
  /// Wavefronts of shared memory, sectors of global memory, or accesses of constant memory; and how many would do.
  int64_t count = 0;
  int64_t ideal = 0;
  /// Threads that get into each other's way and the byte addresses they ask for; may be empty.
  std::vector<int64_t> threads;
  std::vector<int64_t> addresses;
  /// Executed only under a condition that the nest states.
  bool conditional = false;
  /// Of the whole grid, if the condition holds: requests, wavefronts or sectors, and how many would do;
  /// absent where they cannot be counted.
  std::optional<int64_t> requests, total, idealTotal;
  /// A layout of the tile that serves all its accesses better, and the wavefronts that they take in
  /// it; empty and absent where there is none.
  std::string layout;
  std::optional<int64_t> layoutTotal;
  /// `requests` and `total` as a run counted them.
  std::optional<int64_t> countedRequests, countedTotal;
};

struct ResourcesRecord {
  std::optional<int64_t> smemBytes;
  std::optional<int64_t> smemLimit;
  std::optional<int64_t> threadsPerBlock;
  std::optional<int64_t> registersEstimated;
  std::optional<int64_t> registers;
  std::optional<int64_t> spillBytes;
  std::optional<int64_t> blocksPerSM;
  /// "shared memory", "registers", "threads" or "blocks".
  std::string occupancyLimit;
  std::optional<double> waves;
  /// Memory that the launcher adds.
  int64_t workspaceBytes = 0;
};

/// Cycles that one resource is busy.
struct ResourceTimeRecord {
  std::string resource;
  double cycles = 0;
};

/// Bytes of the different sectors that each wave of blocks touched, summed over the waves: DRAM
/// cannot move less, if caches keep nothing between waves. From the counters of a run.
struct CountedDramRecord {
  int64_t blocksPerWave = 0;
  int64_t bytesRead = 0;
  int64_t bytesWritten = 0;
};

struct PerformanceRecord {
  std::optional<double> cycles;
  std::optional<double> seconds;
  std::optional<double> tflops;
  std::optional<double> fractionOfPeak;
  /// What DRAM delivers and takes, of predictions only.
  std::optional<double> dramBytesPerSecond;
  std::optional<double> fractionOfBandwidth;
};

struct MeasuredRecord {
  PerformanceRecord performance;
  /// The device that ran it, and what it was held against.
  std::string device;
  std::string against;
  std::optional<double> againstSeconds;
};

struct VerifyRecord {
  bool passed = false;
  int64_t elements = 0;
  int64_t mismatches = 0;
  std::optional<double> maxError;
  std::string message;
};

struct NoteRecord {
  std::string location;
  std::string message;
};

struct DiagnosticRecord {
  /// "error", "warning" or "remark".
  std::string severity;
  std::string location;
  std::string message;
  std::vector<NoteRecord> notes;
  /// Changes that would do, as data.
  std::vector<SuggestionRecord> fixes;
};

/// A number that time was made from and that is another machine's.
struct StandInRecord {
  std::string number;
  double value = 0;
  std::string unit;
  /// Whose it is, and by what rule.
  std::string rule;
};

struct KernelRecord {
  std::string kernel;
  /// What the launcher asks for; empty where no CUDA text was made.
  std::string symbol;
  std::string machine;
  std::string arch;
  /// Sizes in the order of the kernel's arguments.
  std::vector<std::pair<std::string, int64_t>> shape;
  /// Sizes that nobody gave.
  std::vector<std::string> shapeByDefault;
  /// Empty if the kernel declares none.
  std::string dataflow;
  /// Unit and operand type that compute, e.g. "fma" and "f32"; empty if unknown.
  std::string unit;
  std::string elementType;
  RooflineRecord roofline;
  /// What a reader should know first, in a sentence: the limiter, and what would help most.
  std::string headline;
  /// dram, l2, l1, smem, stores, dsmem, issue, compute, latency, occupancy, launch or power.
  std::string limiter;
  /// Why it is that, in a clause.
  std::string limiterReason;
  std::vector<StandInRecord> standIns;
  /// Fastest first.
  std::vector<AdviceRecord> advice;
  std::optional<double> computeCycles;
  std::vector<StageRecord> stages;
  std::optional<RasterRecord> raster;
  std::optional<LatencyRecord> latency;
  std::optional<LowerBoundRecord> lowerBound;
  /// Accesses to shared, to global and to constant memory.
  std::vector<WarpRequestRecord> banks;
  std::vector<WarpRequestRecord> coalescing;
  std::vector<WarpRequestRecord> constants;
  ResourcesRecord resources;
  /// The time, the cycles that no order of the same work can beat, and how long each resource is busy,
  /// longest first; "latency" is what blocks take that wait for nothing but their own loads.
  PerformanceRecord predicted;
  std::optional<double> leastCycles;
  /// Bytes that DRAM and L2 deliver and take.
  std::optional<double> dramBytes, l2Bytes;
  std::vector<ResourceTimeRecord> resourceTimes;
  std::optional<CountedDramRecord> countedDram;
  std::optional<MeasuredRecord> measured;
  std::optional<VerifyRecord> verify;
  std::vector<DiagnosticRecord> diagnostics;
};

struct Record {
  std::string version = "0.1.0";
  std::vector<KernelRecord> kernels;
};

/// The record as JSON, schema 1, indented by two. Ratios and rates have four significant
/// digits, bytes and counts are exact.
std::string printJson(const Record &record);

/// The record as tables and sentences, 100 columns wide at most where names allow it.
std::string printText(const Record &record);

} // namespace tilec::report

#endif // TILEC_REPORT_RECORD_H
