//===- Launch.cpp - What a nest says about its launch -----------*- C++ -*-===//
//
// Parameters in the order: operands, sizes, dynamic strides, scalars, workspaces.
//
//===----------------------------------------------------------------------===//

#include "tilec/Conversion/Launch.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tilec/Analysis/CutTail.h"
#include "tilec/Analysis/LaunchPlan.h"
#include "tilec/Analysis/NestModel.h"
#include "tilec/Analysis/ScalarBody.h"
#include "tilec/Tile/Distribution.h"
#include "tilec/Tile/Program.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::runtime;

std::optional<ElementType> tilec::getElementType(Type type) {
  if (type.isF64())
    return ElementType::F64;
  if (type.isF32())
    return ElementType::F32;
  if (type.isF16())
    return ElementType::F16;
  if (type.isBF16())
    return ElementType::BF16;
  if (isa<Float8E4M3FNType>(type))
    return ElementType::E4M3;
  if (isa<Float8E5M2Type>(type))
    return ElementType::E5M2;
  if (type.isInteger(64))
    return ElementType::S64;
  if (type.isInteger(32))
    return ElementType::S32;
  if (type.isInteger(16))
    return ElementType::S16;
  if (type.isInteger(8))
    return ElementType::S8;
  return std::nullopt;
}

/// Is the operand read, is it written, through any chain of parts?
static void findUses(Value operand, TensorArgument &tensor) {
  for (const tile::TileUse &use : tile::getTileUses(operand)) {
    tensor.written |= use.writes;
    Operation *user = use.operand->getOwner();
    auto store = dyn_cast<tile::StoreOp>(user);
    auto compute = dyn_cast<linalg::LinalgOp>(user);
    tensor.read |= !use.writes || (store && store.getCombine()) || (compute && analysis::ScalarBody(compute).isLoaded(*use.operand));
  }
}

/// CUDA C++ Programming Guide 13.0, "Function Parameters": from sm_70 on, with drivers from CUDA 12.1 on. NVRTC 13.0
/// refuses one byte more, and does not say why.
constexpr size_t kMostParameterBytes = 32764;

/// The bytes that the parameters take, each aligned to its own size, tensor maps to 64.
static size_t countParameterBytes(const KernelDescription &launch) {
  size_t bytes = 0;
  for (const Parameter &parameter : launch.parameters) {
    size_t size = 8, alignment = 8;
    if (parameter.kind == Parameter::Kind::Size)
      size = alignment = 4;
    else if (parameter.kind == Parameter::Kind::Scalar)
      size = alignment = byteWidth(launch.scalars[parameter.index].type);
    else if (parameter.kind == Parameter::Kind::TensorMap)
      size = 128, alignment = 64;
    bytes = llvm::alignTo(bytes, alignment) + size;
  }
  return bytes;
}

static Extent toExtent(OpFoldResult extent) {
  if (std::optional<int64_t> fixed = getConstantIntValue(extent))
    return Extent::constant(*fixed);
  auto argument = cast<BlockArgument>(cast<Value>(extent));
  return Extent::argument(llvm::count_if(argument.getOwner()->getArguments().take_front(argument.getArgNumber()),
                                         [](BlockArgument earlier) { return earlier.getType().isIndex(); }));
}

/// The extents of the dimensions that `indices` number, as far as arguments and numbers say them. `unique` becomes true where no two numbers may be the same.
static SmallVector<OpFoldResult> findNumbered(Value indices, bool &unique) {
  SmallVector<OpFoldResult> extents;
  for (OpOperand &use : indices.getUses()) {
    auto add = [&](auto op, Value numbered) {
      if (op.getIndices() != indices)
        return;
      unsigned along = *op.getAlong();
      if (auto operand = dyn_cast<BlockArgument>(numbered))
        extents.push_back(op->template getParentOfType<tile::KernelOp>().getOperandExtent(operand.getArgNumber(), along));
      else
        extents.push_back(Builder(op.getContext()).getIndexAttr(cast<MemRefType>(numbered.getType()).getDimSize(along)));
    };
    if (auto stage = dyn_cast<tile::StageOp>(use.getOwner())) {
      add(stage, stage.getSource());
    } else if (auto store = dyn_cast<tile::StoreOp>(use.getOwner())) {
      add(store, store.getDest());
      unique |= store.getUnique() && store.getIndices() == indices;
    } else if (tile::isView(use.getOwner())) {
      llvm::append_range(extents, findNumbered(use.getOwner()->getResult(0), unique));
    }
    auto run = dyn_cast<tile::RunOp>(use.getOwner());
    tile::KernelOp kernel = run ? run.getKernelOp() : tile::KernelOp();
    if (!kernel)
      continue;
    for (OpFoldResult extent : findNumbered(kernel.getBody().getArgument(use.getOperandNumber()), unique)) {
      if (auto size = dyn_cast<Value>(extent))
        extent = run.getOperands()[cast<BlockArgument>(size).getArgNumber()];
      if (getConstantIntValue(extent) || isa<BlockArgument>(cast<Value>(extent)))
        extents.push_back(extent);
    }
  }
  return extents;
}

static TensorArgument describeOperand(BlockArgument argument, ElementType type) {
  Operation *op = argument.getOwner()->getParentOp();
  auto kernel = dyn_cast<tile::KernelOp>(op);
  TensorArgument tensor;
  tensor.name = analysis::nameOf(argument);
  tensor.type = type;
  tensor.constant = tile::isInConstantMemory(argument.getType());
  if (kernel)
    findUses(argument, tensor);
  for (OpFoldResult extent : findNumbered(argument, tensor.unique))
    tensor.numbered.push_back(toExtent(extent));
  for (auto [dim, stride] : llvm::enumerate(*tile::getStaticStrides(cast<MemRefType>(argument.getType())))) {
    unsigned number = argument.getArgNumber();
    tensor.shape.push_back(toExtent(kernel ? kernel.getOperandExtent(number, dim) : cast<tile::ProgramOp>(op).getOperandExtent(number, dim)));
    tensor.strides.push_back(ShapedType::isDynamic(stride) ? Stride::dynamic() : Stride::constant(stride));
  }
  return tensor;
}

FailureOr<KernelDescription> tilec::describeArguments(FunctionOpInterface op) {
  KernelDescription launch;
  launch.symbol = op.getName().str();
  for (BlockArgument argument : op.getArguments()) {
    if (argument.getType().isIndex()) {
      launch.sizes.push_back({analysis::nameOf(argument)});
      continue;
    }
    auto memref = dyn_cast<MemRefType>(argument.getType());
    std::optional<ElementType> type = getElementType(memref ? memref.getElementType() : argument.getType());
    if (!type) // limit_x30
      return op.emitOpError("argument #") << argument.getArgNumber() << " has type " << argument.getType()
                                          << "; kernels take f64, f32, f16, bf16, f8E4M3FN, f8E5M2, i64, i32, i16 and i8";
    if (memref)
      launch.tensors.push_back(describeOperand(argument, *type));
    else
      launch.scalars.push_back({analysis::nameOf(argument), *type});
  }
  return launch;
}

/// In the order of the C signature: operands, sizes, dynamic strides, scalars, workspaces, tensor maps.
static void listParameters(KernelDescription &launch) {
  auto add = [&](size_t count, Parameter (*make)(unsigned)) {
    for (size_t number = 0; number < count; ++number)
      launch.parameters.push_back(make(number));
  };
  for (auto [number, tensor] : llvm::enumerate(launch.tensors))
    if (!tensor.constant)
      launch.parameters.push_back(Parameter::tensorBase(number));
  add(launch.sizes.size(), Parameter::size);
  for (auto [number, tensor] : llvm::enumerate(launch.tensors))
    for (auto [dim, stride] : llvm::enumerate(tensor.strides))
      if (!stride.value)
        launch.parameters.push_back(Parameter::tensorStride(number, dim));
  add(launch.scalars.size(), Parameter::scalar);
  add(launch.workspaces.size(), Parameter::workspace);
  add(launch.tensorMaps.size(), Parameter::tensorMap);
}

/// What the loops say of the grid beside its extents: whether blocks persist, and how a last wave is cut.
static void describeLoops(tile::KernelOp kernel, KernelDescription &launch) {
  for (auto loop : kernel.getBody().getOps<tile::ForOp>()) {
    launch.persistent |= loop.getPersistent();
    tile::ForOp cutLoop = loop.getCutLoop();
    if (!cutLoop)
      continue;
    launch.cutLoop = {toExtent(cutLoop.getExtent(0)), cutLoop.getSteps()[0]};
    analysis::CutWorth worth = analysis::getCutWorth(cutLoop);
    launch.cutWorthIdle = worth.idle;
    launch.cutEvenSpare = worth.spare;
    launch.cutWorthSteps = worth.steps;
  }
}

/// A loop around `loop`, of those that are `meant`, that moves the extent of induction variable `i`; null for none.
static tile::ForOp getMoving(tile::ForOp loop, unsigned i, llvm::function_ref<bool(tile::ForOp)> meant) {
  auto extent = dyn_cast<Value>(loop.getExtent(i));
  if (!extent)
    return {};
  for (auto [value, factor] : tile::getIndexSum(extent).terms)
    if (auto outer = dyn_cast<tile::ForOp>(value.getParentBlock()->getParentOp()); outer && isa<BlockArgument>(value) && meant(outer))
      return outer;
  return {};
}

/// Is `loop` that on the blocks of a cluster?
static bool isInCluster(tile::ForOp loop) { return loop.getUnit() == tile::Unit::Block && isa<tile::ForOp>(loop->getParentOp()); }

static bool hasProducers(tile::ForOp loop) {
  return loop.walk([](tile::ForOp inner) { return inner.getProducers() ? WalkResult::interrupt() : WalkResult::advance(); }).wasInterrupted();
}

/// Threads that wait for each other run as many iterations: those of a loop that others part once more, and those of blocks of a cluster, whose producers share slots.
static LogicalResult checkIterations(tile::ForOp loop) {
  for (unsigned i = 0; i < loop.getNumLoops(); ++i) {
    if (tile::ForOp blocks = getMoving(loop, i, isInCluster); blocks && hasProducers(loop)) {
      InFlightDiagnostic diag = loop.emitOpError("has producers, and another number of iterations for each block of a cluster, which wait for one another"); // limit_x45
      diag.attachNote(blocks.getLoc()) << "this loop on block moves the extent of induction variable " << i;
      return diag;
    }
    tile::ForOp threads = getMoving(loop, i, [](tile::ForOp outer) { return tile::isThreadUnit(outer); });
    if (!threads || !loop.getBody().walk([](tile::ForOp inner) { return tile::isThreadUnit(inner) ? WalkResult::interrupt() : WalkResult::advance(); })
                         .wasInterrupted())
      continue;
    InFlightDiagnostic diag = loop.emitOpError("has another number of iterations for each thread, and a loop on threads in it, whose threads may wait for one another"); // limit_x45
    diag.attachNote(threads.getLoc()) << "this loop on " << stringifyUnit(threads.getUnit()) << " moves the extent of induction variable " << i;
    return diag;
  }
  return success();
}

/// A launch computes its grid, and the steps that it cuts, from sizes.
static LogicalResult checkExtents(tile::KernelOp kernel) {
  WalkResult result = kernel.walk([&](tile::ForOp loop) -> WalkResult {
    if (failed(checkIterations(loop)))
      return failure();
    if (loop.getUnit() != tile::Unit::Cluster && loop.getUnit() != tile::Unit::Block && !loop.getCutTail())
      return success();
    for (unsigned i = 0; i < loop.getNumLoops(); ++i) {
      OpFoldResult extent = loop.getExtent(i);
      auto argument = dyn_cast_if_present<BlockArgument>(dyn_cast<Value>(extent));
      if (!getConstantIntValue(extent) && !(argument && argument.getOwner()->getParentOp() == kernel)) // limit_x34
        return loop.emitOpError("the extent of induction variable ") << i << " is neither a constant nor a size argument; a launch needs its value";
    }
    return success();
  });
  return failure(result.wasInterrupted());
}

static void describeWorkspaces(tile::LaunchOp op, KernelDescription &launch) {
  if (!op.getWorkspacesAttr())
    return;
  for (auto entry : op.getWorkspacesAttr().getAsRange<tile::WorkspaceAttr>()) {
    auto each = entry.getEach() == tile::Each::Part ? Workspace::Each::Part : Workspace::Each::Tile;
    launch.workspaces.push_back({entry.getName().str(), *getElementType(entry.getElement()), each, entry.getElements()});
  }
}

static Swizzle toSwizzle(int64_t bytes) {
  return bytes == 128 ? Swizzle::Bytes128 : bytes == 64 ? Swizzle::Bytes64 : bytes == 32 ? Swizzle::Bytes32 : Swizzle::None;
}

static void describeMaps(tile::KernelOp kernel, tile::LaunchOp op, KernelDescription &launch) {
  if (!op.getMapsAttr())
    return;
  for (auto box : op.getMapsAttr().getAsRange<tile::BoxAttr>()) {
    TensorMapArgument &map = launch.tensorMaps.emplace_back();
    map.tensor = llvm::count_if(kernel.getBody().getArguments().take_front(box.getArgument()),
                                [](BlockArgument earlier) { return isa<MemRefType>(earlier.getType()); });
    map.dims.assign(box.getDims().begin(), box.getDims().end());
    map.box.assign(box.getExtents().begin(), box.getExtents().end());
    map.swizzle = toSwizzle(box.getSwizzle());
    map.optional = true;
  }
}

FailureOr<KernelDescription> tilec::describeLaunch(tile::KernelOp kernel) {
  tile::LaunchOp op = analysis::getLaunch(kernel);
  if (!op)
    return kernel.emitOpError("does not say how it is launched; run tile-plan-launch");
  if (failed(analysis::checkLaunch(op)) || failed(checkExtents(kernel)))
    return failure();
  FailureOr<KernelDescription> launch = describeArguments(kernel);
  if (failed(launch))
    return failure();
  launch->blockThreads = op.getThreads();
  launch->clusterBlocks = op.getCluster().value_or(1);
  launch->dependent = op.getDependent();
  launch->staticSharedBytes = op.getStaticSmem().value_or(0);
  launch->dynamicSharedBytes = op.getDynamicSmem().value_or(0);
  Operation::operand_range::iterator dynamic = op.getExtents().begin();
  for (auto [extent, step] : llvm::zip_equal(op.getStaticExtents(), op.getSteps()))
    launch->grid.push_back({ShapedType::isDynamic(extent) ? toExtent(OpFoldResult(*dynamic++)) : Extent::constant(extent), step});
  describeLoops(kernel, *launch);
  describeWorkspaces(op, *launch);
  describeMaps(kernel, op, *launch);
  listParameters(*launch);
  if (size_t bytes = countParameterBytes(*launch); bytes > kMostParameterBytes) // limit_x32
    return kernel.emitOpError("takes ") << bytes << " bytes of parameters in " << launch->parameters.size() << " arguments (operands, sizes, "
                                        << "strides that are not static, scalars); CUDA allows " << kMostParameterBytes
                                        << " (CUDA C++ Programming Guide, Function Parameters)";
  return launch;
}
