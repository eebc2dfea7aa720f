//===- ChainLister.cpp - What blocks of chains can have ---------*- C++ -*-===//
//
// Rows of a block and keys of a step, by who multiplies: warpgroups, warps or threads.
//
//===----------------------------------------------------------------------===//

#include "Schemes.h"
#include "tilec/Mapping/Chain.h"
#include "tilec/Tile/Distribution.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::mapping;

namespace {
/// The width of an instruction's result at most (PTX ISA 9.7.15.5.2). It goes by eight, as that of a warp is.
constexpr int64_t kMostColumns = 256;
/// Shared memory that slots of a ring of producers leave to barriers.
constexpr int64_t kBesideRing = 1024;
constexpr int64_t kProducers = 4, kMostStages = 4;
/// As many keys as a step has even where there are fewer.
constexpr int64_t kFewKeys = 64;
/// Registers of a thread beside what it multiplies.
constexpr int64_t kOtherRegisters = 40;

class ChainLister {
public:
  ChainLister(const Problem &problem, const MachineSpec &machine, std::vector<Candidate> &candidates)
      : problem(problem), chain(*problem.chain), machine(machine), candidates(candidates) {}

  void run();

private:
  void listGroups(MathType type);
  void listWarps(MathType type);
  void listThreads(double rate);
  /// Threads that take rows beside each other.
  void listLines(double rate);
  /// Adds `mapping` with blocks of `units` that have so many rows each, in steps of `keys`. `busy` is what a step of a block takes beside products, of which units of the
  /// SM do `rate` a cycle; `kept` the bytes of a block's shared memory beside its slots.
  void add(double rate, int64_t units, int64_t rows, int64_t keys, int64_t mostStages, double busy = 0, int64_t kept = 0);
  bool hasRegisters(int64_t numbers) const { return numbers / tile::kWarpThreads + kOtherRegisters <= machine.limits.registersPerThread.value; }
  /// Slots where threads copy: one, or another that is copied ahead where they need not wait for it.
  int64_t getAhead() const { return machine.features.cpAsync ? 2 : 1; }
  /// Cycles that requests of a warp for `bytes` take of shared memory.
  double getLoading(int64_t bytes) const { return double(bytes) / double(machine.limits.smemBanks.value * machine.limits.smemBankWidth.value); }

  const Problem &problem;
  const Chain &chain;
  const MachineSpec &machine;
  std::vector<Candidate> &candidates;
  /// Numbers a token, up to what is multiplied at once: what is beyond the last one is zero.
  int64_t depth = 0, columns = 0;
  Mapping mapping;
};
} // namespace

void ChainLister::add(double rate, int64_t units, int64_t rows, int64_t keys, int64_t mostStages, double busy, int64_t kept) {
  const Dim &all = problem.dims[chain.key];
  mapping.tile[chain.row] = units * rows;
  mapping.tile[chain.key] = keys;
  if ((units > 1 && (units - 1) * rows >= problem.dims[chain.row].size) || (keys > kFewKeys && keys >= 2 * all.size))
    return;
  int64_t slot = getTileBytes(chain.keys, mapping.tile) + getTileBytes(chain.values, mapping.tile);
  mapping.stages = std::min((machine.limits.smemPerBlock.value - (mapping.producers > 0 ? kBesideRing : 0) - kept) / slot, mostStages);
  double rounds = std::ceil(countTiles(problem, mapping.tile) / double(machine.sms.value)), steps = double(llvm::divideCeil(all.size, keys));
  // A lone warp of a scheduler that takes rows beside each other has no other to wait with: 128 queries and 32 keys of 128 numbers took 1446 us on an H200 where 823 were
  // predicted, and where two blocks share an SM, of 96 numbers, 2669 where 2793 were.
  int64_t resident = machine.smemPerSM() / (kept + std::max<int64_t>(mapping.stages, 1) * slot), threads = rows / std::max<int64_t>(mapping.rows, 1) * kChainLines;
  if (mapping.rows > 1 && std::min(double(resident), rounds) * double(threads) < kLeastChainThreads)
    return;
  if (mapping.stages >= std::min<int64_t>(mostStages, 2))
    candidates.push_back({mapping, rounds * steps * std::max(double(keys * units * rows * (depth + columns)) / rate, busy)});
}

void ChainLister::listGroups(MathType type) {
  mapping.producers = kProducers;
  mapping.warpRows = kGroupRows;
  for (int64_t groups : {2, 3, 1})
    for (int64_t keys : {128, 64, 256})
      add(machine.rate(MathUnit::Wgmma, type)->rate.value, groups, kGroupRows, keys, kMostStages);
}

void ChainLister::listWarps(MathType type) {
  mapping.producers = 0;
  for (int64_t rows : {2 * kMmaRows, kMmaRows})
    for (int64_t warps : {4, 8, 2, 1})
      for (int64_t keys : {64, 128, 32}) {
        mapping.warpRows = rows;
        // Results and scores are there in f32, queries and weights in 16 bits, and what is loaded of keys or values for one step of the depth.
        if (!hasRegisters(rows * (columns + keys) + rows * (depth + keys) / 2 + std::max(keys, columns) * kChainDepth / 2))
          continue;
        // Each warp loads all of the keys and values.
        add(machine.rate(MathUnit::Mma, type)->rate.value, warps, rows, keys, getAhead(),
            getLoading(warps * keys * (depth + columns) * bytesPerElement(type)));
      }
}

void ChainLister::listThreads(double rate) {
  constexpr int64_t kBytes = 4;
  mapping.producers = mapping.warpRows = 0;
  for (int64_t rows : {128, 64, 256})
    for (int64_t keys : {64, 32, 128, 16})
      for (int64_t buffers : {2, 1}) {
        mapping.buffers = buffers;
        int64_t down = rows / kChainThreads, across = keys / kChainThreads, wide = columns / kChainThreads;
        // Of each product a step of the depth is loaded ahead.
        int64_t loaded = std::max((down + across) * kQuad, down * kQuad + kQuad * wide) * buffers;
        if (!hasRegisters((down * (across + wide) + loaded) * tile::kWarpThreads))
          continue;
        // Threads of a warp stand in two rows.
        int64_t requests = kChainThreads * kChainThreads / tile::kWarpThreads * (depth * (2 * down + kChainThreads * across) + keys * (2 * down + kChainThreads * wide));
        add(rate, 1, rows, keys, getAhead(), getLoading(requests * kBytes), rows * (depth + keys) * kBytes);
      }
}

void ChainLister::listLines(double rate) {
  constexpr int64_t kBytes = 4, kHeight = 8;
  mapping.producers = mapping.warpRows = 0;
  mapping.buffers = 2;
  mapping.rows = kHeight;
  for (int64_t rows : {256, 128, 64})
    for (int64_t keys : {64, 32, 16}) {
      int64_t across = keys / kChainLines, wide = columns / kChainLines;
      if (!hasRegisters((kHeight * (across + wide) + mapping.buffers * (kHeight + std::max(across, wide))) * tile::kWarpThreads))
        continue;
      // Pairs of lanes read the same: a request for four rows or columns takes half of its wavefronts.
      int64_t warps = rows / kHeight * kChainLines / tile::kWarpThreads, requests = warps * (depth * (kHeight / 2 + across) + keys * (kHeight + wide) / 2);
      add(rate, 1, rows, keys, getAhead(), double(requests), (rows * depth + (rows + kQuad) * keys) * kBytes);
    }
  mapping.rows = 1;
}

void ChainLister::run() {
  Type element = getElementTypeOrSelf(chain.keys.memref.getType());
  if (isa<Value>(problem.dims[chain.depth].extent) || isa<Value>(problem.dims[chain.column].extent))
    return;
  bool isByThreads = element.isF32();
  depth = llvm::alignTo(problem.dims[chain.depth].size, isByThreads ? kQuad : kChainDepth);
  columns = llvm::alignTo(problem.dims[chain.column].size, isByThreads ? kChainThreads : kMmaColumns);
  mapping.scheme = Scheme::Chain;
  mapping.tile.assign(problem.dims.size(), 1);
  mapping.tile[chain.depth] = depth;
  mapping.tile[chain.column] = columns;
  mapping.row = chain.row;
  mapping.column = chain.column;
  mapping.depth = chain.key;
  if (isByThreads) {
    if (const MathRate *rate = machine.rate(MathUnit::Fma, MathType::F32)) {
      listThreads(rate->rate.value);
      listLines(rate->rate.value);
    }
    return;
  }
  mapping.warpColumns = columns;
  MathType type = *getMathType(element);
  if (columns > kMostColumns)
    return;
  if (canWarpgroupsMultiply(type, machine))
    listGroups(type);
  if (machine.rate(MathUnit::Mma, type))
    listWarps(type);
}

void mapping::listChains(const Problem &problem, const MachineSpec &machine, std::vector<Candidate> &candidates) { ChainLister(problem, machine, candidates).run(); }
