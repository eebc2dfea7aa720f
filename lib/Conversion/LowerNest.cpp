//===- LowerNest.cpp - The walk over a nest ------------------------*- C++ -*-===//

#include "Lowering.h"

#include "Scalars.h"
#include "tilec/Analysis/ComputeDecisions.h"
#include "tilec/Analysis/CopyDecisions.h"
#include "tilec/Analysis/Exchange.h"
#include "tilec/Analysis/PipelineDecisions.h"
#include "tilec/Conversion/Launch.h"
#include "tilec/Tile/Open.h"
#include "tilec/Tile/Teams.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec;

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

static Value createThread(Context &context) {
  auto thread = kernel::ThreadOp::create(context.b, named(context.kernel.getLoc(), "thread"), context.b.getIndexType());
  context.start = thread;
  return thread;
}

Lowering::Lowering(tile::KernelOp kernel, kernel::FuncOp function, OpBuilder &builder)
    : context(kernel, function, builder), threads(context, createThread(context), tile::getComputeThreads(kernel)), operands(context),
      shared(context), registers(context, threads), cluster(context), grid(context, cluster),
      sums(context, threads, shared, registers, cluster, grid) {}

Copying Lowering::getCopying() {
  // Narrow copies are for launches that are rare, and would take registers of producers. Without producers the units wait
  // for the copies: written out, gemm.mlir is 5 % faster on an H100.
  return {context, threads, operands, shared, /*narrowIsRare=*/ring != nullptr};
}

/// What the nest decides can be carried out; what it leaves open is refused where it is met.
static LogicalResult checkDecisions(tile::KernelOp kernel) {
  WalkResult result = kernel.walk([](Operation *op) -> WalkResult {
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case<tile::StageOp, tile::StoreOp, tile::ForOp, linalg::LinalgOp>([](auto decided) { return analysis::checkDecisions(decided); })
        .Default(success());
  });
  return failure(result.wasInterrupted());
}

FailureOr<kernel::FuncOp> tilec::lowerKernel(tile::KernelOp kernel, OpBuilder &builder) {
  if (failed(tile::refuseOpen(kernel)) || failed(checkDecisions(kernel)))
    return failure();
  FailureOr<runtime::KernelDescription> launch = describeLaunch(kernel);
  if (failed(launch))
    return failure();
  Lowering lowering(kernel, createFunction(kernel, *launch, builder), builder);
  if (failed(lowering.shared.readPlan()))
    return failure();
  FailureOr<DenseSet<Operation *>> exchanges = analysis::getExchanges(kernel);
  if (failed(exchanges))
    return failure();
  lowering.exchanges = std::move(*exchanges);
  mapParameters(*launch, lowering);
  if (tile::getTeams(kernel) == 1)
    lowering.threads.nameDigits();
  if (failed(lowerOps(kernel.getBody().front(), lowering)))
    return failure();
  kernel::ReturnOp::create(builder, kernel.getLoc());
  lowering.shared.setBytes();
  return lowering.context.function;
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

LogicalResult tilec::lowerOps(llvm::iterator_range<Block::iterator> ops, Lowering &lowering) {
  for (Operation &op : ops)
    if (failed(lowerOp(op, lowering)))
      return failure();
  return success();
}

LogicalResult tilec::lowerBody(tile::ForOp loop, Lowering &lowering, ArrayRef<tile::StageOp> but) {
  for (Operation &op : loop.getBody().front())
    if (!llvm::is_contained(but, dyn_cast<tile::StageOp>(op)) && failed(lowerOp(op, lowering)))
      return failure();
  return success();
}

LogicalResult tilec::lower(scf::IfOp op, Lowering &lowering) {
  if (op.getNumResults() != 0) // limit_x18
    return op.emitOpError("with results is not lowered; store to a held tile instead");
  OpBuilder &b = lowering.context.b;
  auto lowered = scf::IfOp::create(b, unnamed(op.getLoc()), lowering.context.values.lookup(op.getCondition()), op.elseBlock() != nullptr);
  for (auto [from, to] : {std::pair(op.thenBlock(), lowered.thenBlock()), std::pair(op.elseBlock(), lowered.elseBlock())}) {
    if (!from)
      continue;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(to->getTerminator());
    if (failed(lowerOps(from->without_terminator(), lowering)))
      return failure();
  }
  return success();
}

/// Do threads wait for each other ahead of `op`, since they hand on elements of operands? For the copies of a pipeline
/// they do so ahead of its loop.
static bool waitsAhead(Operation &op, const DenseSet<Operation *> &exchanges) {
  auto isPipelined = [](Operation *loop) { return isa<tile::ForOp>(loop) && cast<tile::ForOp>(loop).getPipeline(); };
  if (exchanges.empty() || (isa<tile::StageOp>(op) && isPipelined(op.getParentOp())))
    return false;
  auto meets = [&](Operation &inner) { return exchanges.contains(&inner); };
  return meets(op) || (isPipelined(&op) && llvm::any_of(op.getRegion(0).front(), meets));
}

LogicalResult tilec::lowerOp(Operation &op, Lowering &lowering) {
  if (waitsAhead(op, lowering.exchanges))
    lowering.threads.wait(unnamed(op.getLoc()));
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case<tile::ForOp, tile::HoldOp, tile::StageOp, tile::StoreOp, linalg::LinalgOp, scf::IfOp>(
          [&](auto known) { return lower(known, lowering); })
      .Case<tile::PartOp, tile::LaunchOp>([](auto) { return success(); }) // Followed from its uses; read by describeLaunch.
      .Default([&](Operation *scalar) {                   // Rule C1 has refused others.
        Context &context = lowering.context;
        Value result = lowerScalar(context.index, context.b, *scalar, context.values);
        if (result.getDefiningOp() && result.use_empty()) // A value of its own has the nest's name.
          result.setLoc(scalar->getLoc());
        return success();
      });
}
