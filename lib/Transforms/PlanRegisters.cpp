//===- PlanRegisters.cpp - tile-plan-registers ------------------*- C++ -*-===//
//
// Writes who holds what of tiles in registers, and how many registers roles get.
//
//===----------------------------------------------------------------------===//

#include "PlanPass.h"

#include "tilec/Analysis/Capacity.h"
#include "tilec/Tile/Distributions.h"
#include "tilec/Tile/InstructionUse.h"
#include "tilec/Tile/Spread.h"
#include "tilec/Tile/Teams.h"
#include "tilec/Transforms/ModuleTarget.h"

namespace tilec {
#define GEN_PASS_DEF_PLANREGISTERSPASS
#include "tilec/Transforms/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;

/// setmaxnreg sets multiples of 8, up to 256, for whole warpgroups of 4 warps (PTX ISA 9.7.20.5).
constexpr int64_t kGrain = 8, kGroupThreads = 4 * tile::kWarpThreads;
/// Of producers that may have to copy by cp.async. With 40 they spill; with 56, 64 and 80, and the rest to the others, S2 is at 1.022, 1.022 and 1.039
/// of cublasLt, in clusters at 1.046, 1.043 and 0.998 (docs/results/gpu.md): the compiler deals out registers otherwise.
constexpr int64_t kProducers = 64;

/// Registers of producers and of other threads.
struct Registers {
  int64_t producers, others;
};

/// Those where others would like more than an even share; nothing where that does, or where registers cannot be dealt out.
static std::optional<Registers> chooseRegisters(const analysis::NestModel &model, int64_t producers, const MachineSpec &machine) {
  int64_t others = model.threadsPerBlock() * tile::getTeams(model.kernel), pool = analysis::getRegisterPool(machine, producers + others);
  if (!machine.features.setmaxnreg || producers % kGroupThreads != 0 || others % kGroupThreads != 0)
    return std::nullopt;
  int64_t even = pool / (producers + others);
  int64_t liked = llvm::alignTo(analysis::wantedRegisters(model, others, machine), kGrain);
  bool sums = llvm::any_of(model.computes, [](const analysis::ComputeModel &compute) {
    std::optional<tile::InstructionUse> use = tile::getInstructionUse(compute.op);
    return use && use->isAsynchronous();
  });
  int64_t most = (pool - producers * (sums ? tile::kProducerRegistersBesideSums : kProducers)) / others / kGrain * kGrain;
  int64_t given = std::min({liked, most, machine.limits.registersPerThread.value / kGrain * kGrain});
  if (given <= even)
    return std::nullopt;
  return Registers{std::min(kProducers, (pool - others * given) / producers / kGrain * kGrain), given};
}

/// `registers` of a loop with producers that leaves them open.
static LogicalResult planRoles(tile::ForOp loop, const MachineSpec &machine, bool remarks) {
  auto kernel = loop->getParentOfType<tile::KernelOp>();
  FailureOr<analysis::NestModel> model = analysis::NestModel::get(kernel, getArguments(kernel));
  if (failed(model))
    return failure();
  std::optional<Registers> given = chooseRegisters(*model, *loop.getProducers() * tile::kWarpThreads, machine);
  if (!given)
    return success();
  loop.setRegisters(ArrayRef<int64_t>{given->producers, given->others});
  if (remarks)
    loop.emitRemark("gives ") << given->others << " registers to each thread that computes and " << given->producers
                              << " to each producer: evenly dealt out they would be too few for the tiles";
  return success();
}

LogicalResult tilec::planRegisters(tile::KernelOp kernel, const MachineSpec &machine, bool remarks) {
  tile::Distributions distributions; // Which does not look at what is written here.
  WalkResult result = kernel.walk([&](Operation *op) -> WalkResult {
    if (auto loop = dyn_cast<tile::ForOp>(op); loop && loop.getProducers() && !loop.getRegisters())
      return planRoles(loop, machine, remarks);
    if (!isa<tile::HoldOp, tile::StageOp>(op) || tile::getLevel(op->getResult(0).getType()) != tile::Level::RF || tile::getSpreadText(op))
      return success();
    FailureOr<tile::Distribution> distribution = distributions.get(op->getResult(0));
    if (failed(distribution))
      return failure();
    if (distribution->isLocal())
      return success();
    std::string spread =
        tile::getThreadValueLayout(*distribution, cast<MemRefType>(op->getResult(0).getType()).getShape()).str();
    if (auto hold = dyn_cast<tile::HoldOp>(op))
      hold.setSpread(spread);
    else
      cast<tile::StageOp>(op).setSpread(spread);
    if (remarks)
      op->emitRemark("is spread over threads as loops on them part it: ") << distribution->getLocalElements() << " elements a thread";
    return success();
  });
  return failure(result.wasInterrupted());
}

template struct tilec::PlanPass<tilec::impl::PlanRegistersPassBase, planRegisters>;
