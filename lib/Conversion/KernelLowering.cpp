//===- KernelLowering.cpp - From a nest to one thread's program -*- C++ -*-===//
//
// The function's frame, and the walk over the nest.
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tilec/Analysis/BulkPlan.h"
#include "tilec/Analysis/ComputeDecisions.h"
#include "tilec/Analysis/CopyDecisions.h"
#include "tilec/Analysis/Exchange.h"
#include "tilec/Analysis/LaunchPlan.h"
#include "tilec/Analysis/NestModel.h"
#include "tilec/Analysis/PipelineDecisions.h"
#include "tilec/Conversion/Launch.h"
#include "tilec/Tile/CutLoop.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec;

Location tilec::unnamed(Location loc) {
  while (auto name = dyn_cast<NameLoc>(loc))
    loc = name.getChildLoc();
  return loc;
}

Location tilec::named(Location loc, const Twine &name) {
  return NameLoc::get(StringAttr::get(loc.getContext(), name), unnamed(loc));
}

std::string tilec::nameOf(Location loc, StringRef fallback) {
  if (auto name = dyn_cast<NameLoc>(loc))
    return name.getName().str();
  return fallback.str();
}

//===----------------------------------------------------------------------===//
// The frame
//===----------------------------------------------------------------------===//

LogicalResult KernelLowering::createFunction() {
  FailureOr<runtime::KernelDescription> launch = describeLaunch(kernel);
  if (failed(launch))
    return failure();
  blockThreads = activeThreads = tile::getComputeThreads(kernel);
  plan = analysis::planShared(kernel);
  if (plan.isDynamic() && !plan.placed)
    return kernel.emitOpError("takes ") << plan.bytes << " bytes of shared memory, and nothing says where its arrays lie; run tile-plan-smem";
  FailureOr<DenseSet<Operation *>> found = analysis::getExchanges(kernel);
  if (failed(found))
    return failure();
  exchanges = std::move(*found);

  for (auto loop : kernel.getBody().getOps<tile::ForOp>())
    if (tile::ForOp cut = loop.getCutLoop())
      sums = tile::getSums(cut);

  // The description counts operands, sizes and scalars each for themselves.
  SmallVector<BlockArgument> operands, sizes, scalars;
  for (BlockArgument argument : kernel.getBody().getArguments())
    (isa<MemRefType>(argument.getType()) ? operands : argument.getType().isIndex() ? sizes : scalars).push_back(argument);

  using Kind = runtime::Parameter::Kind;
  SmallVector<Type> types;
  SmallVector<Location> locations;
  for (const runtime::Parameter &parameter : launch->parameters) {
    if (parameter.kind == Kind::Workspace) {
      const runtime::Workspace &workspace = launch->workspaces[parameter.index];
      Type element = b.getI32Type(); // Of counters, which come after the sums.
      if (parameter.index < sums.size())
        element = cast<MemRefType>(sums[parameter.index].getType()).getElementType();
      types.push_back(MemRefType::get({ShapedType::kDynamic}, element));
      locations.push_back(named(kernel.getLoc(), workspace.name));
      continue;
    }
    if (parameter.kind == Kind::TensorMap) {
      types.push_back(kernel::TensorMapType::get(b.getContext()));
      locations.push_back(named(kernel.getLoc(), launch->tensors[launch->tensorMaps[parameter.index].tensor].name + "_map"));
      continue;
    }
    BlockArgument source = parameter.kind == Kind::Size ? sizes[parameter.index]
                           : parameter.kind == Kind::Scalar ? scalars[parameter.index] : operands[parameter.index];
    std::string name = analysis::nameOf(source);
    if (parameter.kind == Kind::TensorBase)
      types.push_back(MemRefType::get({ShapedType::kDynamic}, cast<MemRefType>(source.getType()).getElementType()));
    else
      types.push_back(parameter.kind == Kind::TensorStride ? b.getI64Type() : source.getType());
    locations.push_back(parameter.kind == Kind::TensorStride ? named(source.getLoc(), name + "_s" + Twine(parameter.dim))
                                                             : named(source.getLoc(), name));
  }
  function = kernel::FuncOp::create(b, kernel.getLoc(), kernel.getSymName(), types, blockThreads);
  function.setMinBlocks(analysis::getLaunch(kernel).getMinBlocks());
  for (auto [argument, loc] : llvm::zip_equal(function.getArguments(), locations))
    argument.setLoc(loc);

  SmallVector<tile::StageOp> bulkStages = analysis::getBulkStages(kernel);
  SmallVector<int64_t> reads;
  for (auto [argument, parameter] : llvm::zip_equal(function.getArguments(), launch->parameters)) {
    switch (parameter.kind) {
    case Kind::TensorBase: {
      const runtime::TensorArgument &tensor = launch->tensors[parameter.index];
      if (!tensor.written)
        reads.push_back(argument.getArgNumber());
      values.map(operands[parameter.index], argument);
      strides[operands[parameter.index]].resize(tensor.shape.size());
      break;
    }
    case Kind::Size:
      values.map(sizes[parameter.index], argument);
      index.know(argument, {1, 0, runtime::maxExtent, {}});
      break;
    case Kind::TensorStride:
      strides[operands[parameter.index]][parameter.dim] = argument;
      break;
    case Kind::Scalar:
      values.map(scalars[parameter.index], argument);
      break;
    case Kind::Workspace:
      workspaces.push_back(argument);
      break;
    case Kind::TensorMap:
      tensorMaps[bulkStages[parameter.index]] = argument;
      break;
    }
  }
  function.setReads(reads);
  b.setInsertionPointToStart(&function.getBody().front());
  thread = kernel::ThreadOp::create(b, named(kernel.getLoc(), "thread"), b.getIndexType());
  index.know(thread, {1, 0, blockThreads - 1, {}});
  nameThreadDigits();
  return success();
}

void KernelLowering::nameThreadDigits() {
  kernel.walk([&](tile::ForOp loop) {
    if (!tile::isThreadUnit(loop))
      return;
    for (unsigned i = 0; i < loop.getNumLoops(); ++i)
      if (int64_t count = *loop.getStaticCount(i); count > 1)
        threadDigit(loop.getInductionVar(i).getLoc(), {count, loop.getSteps()[i], tile::getThreadStride(loop, i)});
  });
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

FailureOr<kernel::FuncOp> KernelLowering::run() {
  if (failed(checkDecisions(kernel)) || failed(createFunction()) || failed(lowerBlock(kernel.getBody().front())))
    return failure();
  kernel::ReturnOp::create(b, kernel.getLoc());
  plan.isDynamic() ? function.setDynamicShared(plan.bytes) : function.setStaticShared(plan.bytes);
  return function;
}

Value KernelLowering::createShared(Location loc, analysis::SharedUse use, Operation *op, Type element, Value held) {
  const analysis::SharedArray *array = plan.find(use, op, held);
  assert(array && array->elementBytes * 8 == element.getIntOrFloatBitWidth() && "the lowering and the plan walk alike");
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(thread.getDefiningOp());
  auto type = MemRefType::get({array->elements}, element, MemRefLayoutAttrInterface(),
                              tile::LevelAttr::get(b.getContext(), tile::Level::SMEM));
  return kernel::SharedOp::create(b, loc, type, plan.isDynamic() ? b.getI64IntegerAttr(array->offset) : IntegerAttr());
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

OpFoldResult KernelLowering::mapExtent(OpFoldResult extent) {
  if (auto value = dyn_cast<Value>(extent))
    return values.lookup(value);
  return extent;
}

Value KernelLowering::getExtentValue(Location loc, OpFoldResult extent) {
  std::optional<int64_t> fixed = getStatic(extent);
  return fixed ? index.constant(loc, *fixed) : cast<Value>(extent);
}

IndexExpr KernelLowering::mapSum(const tile::LinearExpr &sum) {
  IndexExpr expr = constantIndex(sum.constant);
  for (auto [value, factor] : sum.terms)
    expr = expr + valueIndex(values.lookup(value), factor);
  return expr;
}

LogicalResult KernelLowering::lowerBlock(Block &block) {
  for (Operation &op : block)
    if (failed(lowerOp(op)))
      return failure();
  return success();
}

LogicalResult KernelLowering::lowerIf(scf::IfOp op) {
  if (op.getNumResults() != 0)
    return op.emitOpError("with results is not lowered; store to a held tile instead");
  auto lowered = scf::IfOp::create(b, unnamed(op.getLoc()), values.lookup(op.getCondition()), op.elseBlock() != nullptr);
  for (auto [from, to] : {std::pair(op.thenBlock(), lowered.thenBlock()), std::pair(op.elseBlock(), lowered.elseBlock())}) {
    if (!from)
      continue;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(to->getTerminator());
    for (Operation &inner : from->without_terminator())
      if (failed(lowerOp(inner)))
        return failure();
  }
  return success();
}

/// Do threads wait for each other ahead of `op`, since they hand on elements of operands? For the copies of a pipeline
/// they do so ahead of its loop.
bool KernelLowering::waitsAhead(Operation &op) {
  auto isPipelined = [](Operation *loop) { return isa<tile::ForOp>(loop) && cast<tile::ForOp>(loop).getPipeline(); };
  if (isa<tile::StageOp>(op) && isPipelined(op.getParentOp()))
    return false;
  auto meets = [&](Operation &inner) { return exchanges.contains(&inner); };
  return meets(op) || (isPipelined(&op) && llvm::any_of(op.getRegion(0).front(), meets));
}

LogicalResult KernelLowering::lowerOp(Operation &op) {
  if (!exchanges.empty() && waitsAhead(op))
    waitForThreads(unnamed(op.getLoc()));
  if (auto loop = dyn_cast<tile::ForOp>(op))
    return lowerFor(loop);
  if (auto hold = dyn_cast<tile::HoldOp>(op))
    return lowerHold(hold);
  if (auto stage = dyn_cast<tile::StageOp>(op))
    return lowerStage(stage);
  if (isa<tile::PartOp, tile::LaunchOp>(op)) // Followed from its uses; read by describeLaunch.
    return success();
  if (auto store = dyn_cast<tile::StoreOp>(op))
    return lowerStore(store);
  if (auto compute = dyn_cast<linalg::LinalgOp>(op))
    return lowerCompute(compute);
  if (auto condition = dyn_cast<scf::IfOp>(op))
    return lowerIf(condition);
  Value result = lowerScalar(op, values); // Rule C1 has refused others.
  if (result.getDefiningOp() && result.use_empty()) // A value of its own has the nest's name.
    result.setLoc(op.getLoc());
  return success();
}
