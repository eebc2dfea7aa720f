//===- StreamRegisters.cpp - Registers of threads that stream ---*- C++ -*-===//

#include "tilec/Analysis/StreamRegisters.h"

#include "tilec/Analysis/BodyWork.h"
#include "tilec/Analysis/Capacity.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;
using tilec::tile::Level;
using tilec::tile::Unit;

/// Bytes of a register.
constexpr int64_t kRegister = 4;

static MemRefType getOperandType(const NestModel &model, unsigned argument) {
  tile::KernelOp kernel = model.kernel;
  return dyn_cast<MemRefType>(kernel.getBody().getArgument(argument).getType());
}

static bool hasOpenSizes(MemRefType operand) {
  SmallVector<int64_t> strides;
  int64_t offset;
  return !operand.hasStaticShape() || failed(operand.getStridesAndOffset(strides, offset)) ||
         llvm::is_contained(strides, ShapedType::kDynamic);
}

bool tilec::analysis::repeats(const NestModel &model, ArrayRef<unsigned> loops) {
  return llvm::any_of(loops, [&](unsigned loop) {
    Unit unit = model.loops[loop].unit;
    return (unit == Unit::Time || unit == Unit::Unroll) && model.loops[loop].count() > 1;
  });
}

int64_t tilec::analysis::getLaunchRegisters(const NestModel &model,
                                            const CompilerRegisters &compiler) {
  tile::KernelOp kernel = model.kernel;
  bool open = llvm::any_of(llvm::seq(kernel.getBody().getNumArguments()), [&](unsigned argument) {
    MemRefType operand = getOperandType(model, argument);
    return operand && hasOpenSizes(operand);
  });
  return open ? compiler.atLaunch.value : 0;
}

bool tilec::analysis::isSpreadOut(const TileModel &tile) {
  // Where the block asks once, there are two texts, and they do not meet.
  auto stage = dyn_cast<tile::StageOp>(tile.op);
  bool meet = !stage || stage.getEdges() != tile::EdgeCheck::Block;
  return meet && tile.level == Level::RF && tile.source && tile.source->isOperand &&
         tile.elementBytes < kRegister && tile.lanes == 1 && !tile.conditional;
}

/// Dimensions of its operand in which `tile` may not be there as a whole: a thread asks.
static int64_t countGuards(const NestModel &model, const TileModel &tile) {
  int64_t guards = 0;
  MemRefType operand = getOperandType(model, tile.source->root);
  SmallVector<int64_t> extents = model.boundsOf(*tile.source);
  for (auto [dim, subscript] : llvm::enumerate(tile.source->at)) {
    int64_t first = subscript.constant, last = subscript.constant + tile.shape[dim] - 1;
    for (const Term &term : subscript.terms) {
      const LoopModel &loop = model.loops[term.loop];
      int64_t farthest = term.factor * (loop.count() - 1) * loop.step;
      (farthest < 0 ? first : last) += farthest;
    }
    guards += operand.isDynamicDim(static_cast<unsigned>(dim)) || first < 0 || last >= extents[dim];
  }
  return guards;
}

/// Of a tile inside of loops that the nest says to write out.
static int64_t countCopies(const NestModel &model, const TileModel &tile) {
  int64_t copies = 1;
  for (unsigned loop : tile.loops)
    if (model.loops[loop].unit == Unit::Unroll)
      copies *= model.loops[loop].count();
  return copies;
}

/// Of what a thread holds of tile `number`, packed.
static int64_t countWords(const NestModel &model, unsigned number) {
  return llvm::divideCeil(elementsPerThread(model, number) * model.tiles[number].elementBytes,
                          kRegister);
}

std::optional<RegisterRange>
tilec::analysis::getStreamRegisters(const NestModel &model, const CompilerRegisters &compiler) {
  int64_t held = 0, apart = 0, packed = 0, guards = 0,
          addresses = kWideRegisters * static_cast<int64_t>(model.stores.size());
  for (auto [number, tile] : llvm::enumerate(model.tiles)) {
    if (tile.level != Level::RF || tile.conditional || tile.depth > 1 || tile.lanes > 1)
      return std::nullopt;
    if (!tile.isCopied())
      continue;
    bool own =
        llvm::any_of(tile.loops, [&](unsigned loop) { return model.loops[loop].onThreads(); });
    if (!tile.source->isOperand || !own || tile.source->gather)
      return std::nullopt;
    int64_t elements = elementsPerThread(model, number), words = countWords(model, number),
            copies = countCopies(model, tile);
    held += copies * (isSpreadOut(tile) ? elements : words);
    // The text without vectors takes narrow elements one by one; what is spread out is packed to be
    // stored, a tile at a time.
    apart += isSpreadOut(tile) || words >= elements ? 0 : copies * elements;
    packed = std::max(packed, isSpreadOut(tile) ? words : 0);
    guards = std::max(guards, countGuards(model, tile));
    addresses += kWideRegisters * copies;
  }
  if (held == 0)
    return std::nullopt;
  bool special = llvm::any_of(model.computes, [](const ComputeModel &compute) {
    return countSpecials(cast<linalg::LinalgOp>(compute.op)) > 0;
  });
  int64_t needed = compiler.stream.value + compiler.guardedDimension.value * guards +
                   (special ? compiler.special.value : 0) + getLaunchRegisters(model, compiler) +
                   held;
  // In a branch an address is made where it is used, and what is loaded takes its place.
  return RegisterRange{needed, needed + apart + packed + (guards > 0 ? 0 : addresses)};
}

std::optional<RegisterRange>
tilec::analysis::getStreamedLoopRegisters(const NestModel &model, const CompilerSpec &compiler) {
  int64_t held = 0, words = 0, sums = 0, vector = 0;
  bool converts = false, guarded = false;
  for (auto [number, tile] : llvm::enumerate(model.tiles)) {
    if (tile.level == Level::SMEM)
      return std::nullopt;
    int64_t elements = elementsPerThread(model, number);
    sums += tile.source ? 0 : countWords(model, number);
    if (!tile.source || !tile.source->isOperand || !repeats(model, tile.loops) || elements == 1)
      continue;
    bool narrow = tile.elementBytes < kRegister;
    int64_t copies = std::min(countCopies(model, tile),
                              static_cast<int64_t>(compiler.schedule.loadsAhead.value));
    words += countWords(model, number);
    held += copies * (narrow ? elements : countWords(model, number));
    vector = std::max(vector, elements * tile.elementBytes);
    converts |= narrow;
    guarded |= countGuards(model, tile) > 0;
  }
  if (held == 0)
    return std::nullopt;
  // What is written out there is not counted: with it the mapper takes slower nests for sums of narrow
  // columns (docs/results/prediction.md).
  if (!model.loops.empty() && tile::ForOp(model.loops.front().op).getCutLoop()) {
    int64_t registers = compiler.registers.straight.value + sums + words;
    return RegisterRange{registers, registers};
  }
  // What comes next is loaded before this is used, unless there is something to convert, or a
  // branch in the way of more than one vector.
  int64_t ahead = converts ? 0 : vector <= tile::kWidestBytes ? 2 : guarded ? 0 : 1;
  int64_t needed = compiler.registers.streamed.value + sums + held;
  return RegisterRange{needed, needed + ahead * held};
}
