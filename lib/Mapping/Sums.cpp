//===- Sums.cpp - Threads that share a reduction ----------------*- C++ -*-===//
//
// Where an input's neighbours lie along the reduction, the threads of a block share it, each with some side by side. Where
// they lie along the result, threads take columns of it, and the blocks of a cluster share the rows.
//
//===----------------------------------------------------------------------===//

#include "Schemes.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::mapping;
using tile::ForOp;
using tile::Level;
using tile::Unit;

/// Bytes at DRAM's rate, by the share of SMs that have a block, and of the threads that hide its latency.
static double getCycles(const Problem &problem, const Mapping &mapping, const MachineSpec &machine, double threads) {
  const LevelSpec &dram = machine.level(MemoryLevel::Dram);
  double perCycle = dram.bandwidth ? dram.bandwidth->value / machine.boostClock.value : 1000;
  double all = countTiles(problem, mapping.tile) * double(mapping.split) * threads * double(mapping.vector);
  double idle = std::max(1.0, double(machine.sms.value) * 4096 / all);
  // Short lines are over before they are under way, and narrow loads take more instructions.
  idle *= 1 + 0.01 * std::max(0.0, 1024 / (threads * double(mapping.vector)) - 1);
  idle *= 1 + 0.02 * (4.0 / double(std::min<int64_t>(mapping.vector, 4)) - 1);
  return getOperandBytes(problem) / perCycle * idle + countTiles(problem, mapping.tile) * 600 / double(machine.sms.value) / 4;
}

void mapping::listSums(const Problem &problem, const MachineSpec &machine, const Wish &wish, std::vector<Candidate> &candidates) {
  SmallVector<unsigned> reduced = getReduced(problem), parallel = getParallel(problem);
  std::optional<tile::Combine> combine = getCombine(problem);
  if (reduced.empty() || parallel.empty() || !combine || !problem.init)
    return;
  Mapping mapping;
  mapping.scheme = Scheme::Sums;
  mapping.tile.assign(problem.dims.size(), 1);
  mapping.column = Problem::getFastDim(problem.output).value_or(parallel.back());
  std::optional<unsigned> along;
  for (const Use &input : problem.inputs)
    if (std::optional<unsigned> fast = Problem::getFastDim(input); fast && !problem.dims[*fast].parallel)
      along = fast;
  if (along) {
    mapping.row = *along;
    for (int64_t threads : {32, 64, 128, 256, 512, 1024})
      for (int64_t vector : {1, 2, 4, 8}) {
        mapping.tile[*along] = threads * vector;
        mapping.vector = vector;
        candidates.push_back({mapping, getCycles(problem, mapping, machine, double(threads))});
      }
    return;
  }
  if (reduced.size() > 1)
    return;
  mapping.row = reduced.back();
  for (int64_t threads : {32, 64, 128, 256})
    for (int64_t vector : {1, 2, 4})
      for (int64_t rows : {4, 8, 16})
        for (int64_t split : {1, 2, 4, 8}) {
          if (split > 1 && !machine.features.dsmem)
            continue;
          mapping.tile[mapping.column] = threads * vector;
          mapping.tile[mapping.row] = wish.tile[mapping.row].value_or(rows);
          mapping.vector = vector;
          mapping.split = split;
          candidates.push_back({mapping, getCycles(problem, mapping, machine, double(threads * rows))});
        }
}

/// All threads of a block share the reduction of an element.
static void writeLines(const Problem &problem, const Mapping &mapping, NestWriter &w) {
  SmallVector<LoopOver> grid;
  for (unsigned dim : getGrid(problem, mapping)) {
    grid.push_back({dim, problem.dims[dim].extent, 1});
    w.setTile(dim, 1);
  }
  w.open(grid, Level::DRAM, Unit::Block, "0");
  Placed result = w.hold(problem.output, problem.init, "t");
  int64_t line = mapping.tile[mapping.row];
  ForOp threads = w.open({{mapping.row, w.number(line), mapping.vector}}, Level::DRAM, Unit::Thread, "1");
  threads.setReduce(*getCombine(problem));
  for (unsigned dim : getReduced(problem)) {
    w.open({{dim, problem.dims[dim].extent, mapping.tile[dim]}}, Level::DRAM, Unit::Time, "0");
    w.setTile(dim, dim == mapping.row ? mapping.vector : 1);
  }
  SmallVector<Placed> operands;
  for (const Use &input : problem.inputs)
    w.stage(w.operand(input), Level::RF, operands.emplace_back(), "r");
  operands.push_back(result);
  w.computeRoot(operands);
  w.close(threads);
  result = w.epilogue(result);
  w.store(result, w.operand({problem.getResult(), problem.output.map}));
}

/// Threads take columns; blocks of a cluster share the rows.
static void writeColumns(const Problem &problem, const Mapping &mapping, NestWriter &w) {
  BlockLoops loops = openBlock(problem, mapping, w);
  ForOp threads = w.open({{mapping.column, w.number(mapping.tile[mapping.column]), mapping.vector}}, Level::DRAM, Unit::Thread, "1");
  w.setTile(mapping.column, mapping.vector);
  SmallVector<Placed> operands;
  for (const Use &input : problem.inputs)
    w.stage(w.operand(input), Level::RF, operands.emplace_back(), "r");
  operands.push_back(w.part(loops.result, "q"));
  w.computeRoot(operands);
  w.close(threads);
  finishBlock(problem, mapping, w, loops);
}

void mapping::writeSums(const Problem &problem, const Mapping &mapping, NestWriter &w) {
  if (mapping.tile[mapping.column] == 1)
    writeLines(problem, mapping, w);
  else
    writeColumns(problem, mapping, w);
}
