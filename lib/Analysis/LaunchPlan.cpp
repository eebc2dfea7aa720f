//===- LaunchPlan.cpp - What launching a kernel takes -----------*- C++ -*-===//

#include "tilec/Analysis/CutTail.h"
#include "tilec/Analysis/LaunchPlan.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tilec/Analysis/BulkPlan.h"
#include "tilec/Analysis/BulkStore.h"
#include "tilec/Analysis/CopyDecisions.h"
#include "tilec/Analysis/SharedPlan.h"
#include "tilec/Tile/CutLoop.h"
#include "tilec/Tile/Distribution.h"
#include "tilec/Tile/Teams.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;
using tile::ForOp;
using tile::LaunchOp;

/// Adds the grid's extents and steps; gives back the loop in it that is cut, null where there is none.
static ForOp addGrid(tile::KernelOp kernel, LaunchPlan &plan) {
  ForOp cutLoop;
  kernel.walk<WalkOrder::PreOrder>([&](ForOp loop) {
    if (loop.getUnit() != tile::Unit::Block && loop.getUnit() != tile::Unit::Cluster)
      return WalkResult::skip();
    for (unsigned i = 0; i < loop.getNumLoops(); ++i) {
      plan.extents.push_back(loop.getExtent(i));
      plan.steps.push_back(loop.getSteps()[i]);
    }
    if (loop.getUnit() == tile::Unit::Cluster)
      return WalkResult::advance();
    cutLoop = loop.getCutLoop();
    return WalkResult::skip();
  });
  return cutLoop;
}

/// Room for the sums of the parts of cut tiles, and for the numbers of parts that are done.
static LogicalResult addWorkspaces(ForOp cutLoop, int64_t threads, LaunchPlan &plan) {
  Builder builder(cutLoop.getContext());
  for (auto [number, held] : llvm::enumerate(tile::getSums(cutLoop))) {
    FailureOr<tile::Distribution> distribution = tile::getDistribution(held);
    if (failed(distribution))
      return failure();
    plan.workspaces.push_back(tile::WorkspaceAttr::get(builder.getContext(), builder.getStringAttr(tile::getPartsName(held, number)),
                                                       countHolders(*distribution, threads) * plan.cluster * distribution->getLocalElements(),
                                                       cast<MemRefType>(held.getType()).getElementType(), tile::Each::Part));
  }
  // A tile of the grid is one for each block of a cluster.
  plan.workspaces.push_back(
      tile::WorkspaceAttr::get(builder.getContext(), builder.getStringAttr("parts_done"), plan.cluster, builder.getI32Type(), tile::Each::Tile));
  return success();
}

FailureOr<LaunchPlan> tilec::analysis::planLaunch(tile::KernelOp kernel) {
  LaunchPlan plan;
  ForOp cutLoop = addGrid(kernel, plan);
  int64_t computing = tile::getComputeThreads(kernel);
  plan.threads = computing * tile::getTeams(kernel);
  kernel.walk([&](ForOp loop) {
    plan.threads += loop.getProducers().value_or(0) * tile::kWarpThreads;
    if (loop.getRegisters())
      plan.minBlocks = 1;
  });
  // Lowering refuses larger clusters.
  plan.cluster = std::min(getClusterSize(getClusteredLoop(kernel)), kMostClusterBlocks);
  SharedPlan shared = planShared(kernel);
  plan.smemBytes = shared.bytes;
  plan.dynamicSmem = shared.isDynamic();
  if (cutLoop && failed(addWorkspaces(cutLoop, computing, plan)))
    return failure();
  for (tile::StageOp stage : getBulkStages(kernel)) {
    FailureOr<BulkCopy> copy = getBulkCopy(stage);
    if (failed(copy))
      return failure();
    plan.maps.push_back(tile::BoxAttr::get(kernel.getContext(), copy->box.operand.getArgNumber(),
                                           llvm::to_vector_of<int64_t>(copy->box.dims), copy->extents, copy->box.swizzleBytes));
  }
  for (tile::StoreOp store : getBulkStores(kernel)) {
    std::optional<tile::Distribution> spread = getSpread(store.getTile());
    FailureOr<BulkStore> bulk = spread ? getBulkStore(store, *spread) : FailureOr<BulkStore>();
    if (failed(bulk))
      return failure();
    auto dims = llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(bulk->type.getRank())));
    auto extents = llvm::to_vector(llvm::reverse(bulk->type.getShape()));
    plan.maps.push_back(tile::BoxAttr::get(kernel.getContext(), bulk->operand.getArgNumber(), dims, extents, bulk->swizzleBytes));
  }
  return plan;
}

LaunchOp tilec::analysis::getLaunch(tile::KernelOp kernel) {
  auto launches = kernel.getBody().getOps<LaunchOp>();
  return launches.empty() ? LaunchOp() : *launches.begin();
}

static SmallVector<Attribute> getEntries(std::optional<ArrayAttr> list) {
  return list ? llvm::to_vector(list->getValue()) : SmallVector<Attribute>();
}

static LogicalResult withAdvice(InFlightDiagnostic diag, LaunchOp launch) {
  diag.attachNote(launch.getLoc()) << "without the launch it is planned again";
  return failure();
}

static LogicalResult checkNumber(LaunchOp launch, StringRef what, int64_t stated, int64_t taken) {
  return stated == taken ? success() : withAdvice(launch.emitOpError("states ") << what << " " << stated << ", but the loops take " << taken, launch);
}

static LogicalResult checkList(LaunchOp launch, StringRef what, std::optional<ArrayAttr> stated, ArrayRef<Attribute> taken) {
  SmallVector<Attribute> entries = getEntries(stated);
  if (entries == taken)
    return success();
  InFlightDiagnostic diag = launch.emitOpError("states other ");
  return withAdvice(std::move(diag << what << " than the loops take, which are ") << (taken.empty() ? "none: " : "") << ArrayAttr::get(launch.getContext(), taken), launch);
}

static LogicalResult checkGrid(LaunchOp launch, const LaunchPlan &plan) {
  SmallVector<OpFoldResult> stated;
  auto dynamic = launch.getExtents().begin();
  Builder builder(launch.getContext());
  for (int64_t extent : launch.getStaticExtents())
    stated.push_back(ShapedType::isDynamic(extent) ? OpFoldResult(*dynamic++) : OpFoldResult(builder.getIndexAttr(extent)));
  bool equal = launch.getSteps() == ArrayRef(plan.steps) && stated.size() == plan.extents.size();
  for (size_t i = 0; equal && i < stated.size(); ++i)
    equal = isEqualConstantIntOrValue(stated[i], plan.extents[i]);
  return equal ? success() : withAdvice(launch.emitOpError("states another grid than the loops on block walk, in steps of [") << plan.steps << "]", launch);
}

/// More dynamic shared memory than the arrays take is a decision; static one is what the compiler lays out.
static LogicalResult checkSmem(LaunchOp launch, const LaunchPlan &plan) {
  std::optional<int64_t> stated = plan.dynamicSmem ? launch.getDynamicSmem() : launch.getStaticSmem();
  bool other = plan.dynamicSmem ? launch.getStaticSmem().has_value() : launch.getDynamicSmem().has_value();
  if (!other && (stated.value_or(0) == plan.smemBytes))
    return success();
  InFlightDiagnostic diag = launch.emitOpError("states ");
  diag << (launch.getDynamicSmem() ? "dynamic_smem(" : "static_smem(")
       << (launch.getDynamicSmem() ? *launch.getDynamicSmem() : launch.getStaticSmem().value_or(0)) << "), but the kernel's arrays take " << plan.smemBytes << " bytes ";
  diag << (plan.dynamicSmem ? "of dynamic shared memory" : "of static shared memory; with smem_at of all arrays they lie in dynamic one");
  return withAdvice(std::move(diag), launch);
}

LogicalResult tilec::analysis::checkLaunch(LaunchOp launch) { // launch_l4
  FailureOr<LaunchPlan> plan = planLaunch(launch->getParentOfType<tile::KernelOp>());
  if (failed(plan) || failed(checkGrid(launch, *plan)) || failed(checkNumber(launch, "threads", launch.getThreads(), plan->threads)) ||
      failed(checkNumber(launch, "blocks of a cluster", launch.getCluster().value_or(1), plan->cluster)))
    return failure();
  if (plan->minBlocks && !launch.getMinBlocks())
    return launch.emitOpError("states no min_blocks, but a loop parts registers among its warps; without it the compiler ignores that");
  if (failed(checkSmem(launch, *plan)) || failed(checkList(launch, "workspaces", launch.getWorkspaces(), plan->workspaces)) ||
      failed(checkList(launch, "tensor maps", launch.getMaps(), plan->maps)))
    return failure();
  return success();
}
