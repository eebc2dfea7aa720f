//===- Launch.cpp - What a nest says about its launch -----------*- C++ -*-===//
//
// Parameters in the order: operands, sizes, dynamic strides, scalars, workspaces.
//
//===----------------------------------------------------------------------===//

#include "tilec/Conversion/Launch.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tilec/Analysis/BulkPlan.h"
#include "tilec/Analysis/CopyDecisions.h"
#include "tilec/Analysis/CutTail.h"
#include "tilec/Analysis/NestModel.h"
#include "tilec/Analysis/ScalarBody.h"
#include "tilec/Tile/CutLoop.h"
#include "tilec/Tile/Distribution.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::runtime;

int64_t tilec::getBlockThreads(tile::KernelOp kernel) {
  int64_t threads = tile::getComputeThreads(kernel);
  kernel.walk([&](tile::ForOp loop) { threads += loop.getProducers().value_or(0) * tile::kWarpThreads; });
  return threads;
}

SmallVector<tile::StageOp> tilec::getBulkStages(tile::KernelOp kernel) {
  SmallVector<tile::StageOp> stages;
  kernel.walk<WalkOrder::PreOrder>([&](tile::StageOp stage) {
    if (stage.getCopy() == tile::Copy::Tma)
      stages.push_back(stage);
  });
  return stages;
}

FailureOr<BulkCopy> tilec::describeBulkCopy(tile::StageOp stage) {
  FailureOr<analysis::BulkBox> box = analysis::getBulkBox(stage, cast<MemRefType>(stage.getTile().getType()));
  if (failed(box))
    return failure();
  if (box->stride != 1) {
    InFlightDiagnostic diag = stage.emitOpError("copy(tma) copies along a dimension of stride 1; dimension ");
    diag << box->dims.front() << ", which is contiguous in the tile, is not known to be so in the operand";
    diag.attachNote(box->operand.getLoc()) << "the operand is of type " << box->operand.getType();
    return diag;
  }
  BulkCopy copy;
  TensorMapArgument &map = copy.map;
  map.dims.assign(box->dims.begin(), box->dims.end());
  map.box.assign(box->extents.begin(), box->extents.end());
  map.optional = true;
  copy.sharers = analysis::getSharers(analysis::getClusteredLoop(stage->getParentOfType<tile::KernelOp>()), stage);
  copy.sliced = analysis::getSliced(box->extents);
  copy.slices = analysis::getSlices(stage, copy.sharers.size(), map.box[copy.sliced], box->bytes);
  map.box[copy.sliced] /= copy.slices;
  return copy;
}

static std::optional<ElementType> getElementType(Type type) {
  if (type.isF64())
    return ElementType::F64;
  if (type.isF32())
    return ElementType::F32;
  if (type.isF16())
    return ElementType::F16;
  if (type.isBF16())
    return ElementType::BF16;
  if (type.isInteger(32))
    return ElementType::S32;
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

/// Room for what so many threads hold of `held`.
static FailureOr<Workspace> describeParts(Value held, unsigned number, int64_t threads) {
  Type element = cast<MemRefType>(held.getType()).getElementType();
  std::optional<ElementType> type = getElementType(element);
  if (!type)
    return held.getDefiningOp()->emitOpError("parts of a tile of ") << element << " cannot be kept in memory";
  FailureOr<tile::Distribution> distribution = tile::getDistribution(held);
  if (failed(distribution))
    return failure();
  Workspace workspace;
  workspace.name = tile::getPartsName(held, number);
  workspace.type = *type;
  workspace.elements = threads * distribution->getLocalElements();
  return workspace;
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

FailureOr<KernelDescription> tilec::describeLaunch(tile::KernelOp kernel) {
  KernelDescription launch;
  launch.symbol = kernel.getSymName().str();
  launch.blockThreads = getBlockThreads(kernel);
  llvm::DenseMap<unsigned, unsigned> sizeNumbers;
  std::vector<Parameter> bases, sizes, strides, scalars;
  for (BlockArgument argument : kernel.getBody().getArguments())
    if (argument.getType().isIndex()) {
      sizeNumbers[argument.getArgNumber()] = launch.sizes.size();
      sizes.push_back(Parameter::size(launch.sizes.size()));
      launch.sizes.push_back({analysis::nameOf(argument)});
    }
  auto toExtent = [&](OpFoldResult extent) {
    if (std::optional<int64_t> fixed = getConstantIntValue(extent))
      return Extent::constant(*fixed);
    return Extent::argument(sizeNumbers.lookup(cast<BlockArgument>(cast<Value>(extent)).getArgNumber()));
  };
  for (BlockArgument argument : kernel.getBody().getArguments()) {
    unsigned number = argument.getArgNumber();
    auto memref = dyn_cast<MemRefType>(argument.getType());
    if (argument.getType().isIndex())
      continue;
    std::optional<ElementType> type = getElementType(memref ? memref.getElementType() : argument.getType());
    if (!type)
      return kernel.emitOpError("argument #") << number << " has type " << argument.getType()
                                              << "; kernels take f64, f32, f16, bf16, i32 and i8";
    if (!memref) {
      scalars.push_back(Parameter::scalar(launch.scalars.size()));
      launch.scalars.push_back({analysis::nameOf(argument), *type});
      continue;
    }
    TensorArgument tensor;
    tensor.name = analysis::nameOf(argument);
    tensor.type = *type;
    findUses(argument, tensor);
    SmallVector<int64_t> fixed = *tile::getStaticStrides(memref);
    for (int64_t dim = 0; dim < memref.getRank(); ++dim) {
      tensor.shape.push_back(toExtent(kernel.getOperandExtent(number, dim)));
      if (ShapedType::isDynamic(fixed[dim])) {
        strides.push_back(Parameter::tensorStride(launch.tensors.size(), dim));
        tensor.strides.push_back(Stride::dynamic());
      } else {
        tensor.strides.push_back(Stride::constant(fixed[dim]));
      }
    }
    bases.push_back(Parameter::tensorBase(launch.tensors.size()));
    launch.tensors.push_back(std::move(tensor));
  }
  tile::ForOp cutLoop;
  kernel.walk<WalkOrder::PreOrder>([&](tile::ForOp loop) {
    if (loop.getUnit() != tile::Unit::Block && loop.getUnit() != tile::Unit::Cluster)
      return WalkResult::skip();
    for (unsigned i = 0; i < loop.getNumLoops(); ++i)
      launch.grid.push_back({toExtent(loop.getExtent(i)), loop.getSteps()[i]});
    launch.persistent |= loop.getPersistent();
    if (loop.getUnit() == tile::Unit::Cluster)
      return WalkResult::advance();
    cutLoop = loop.getCutLoop();
    return WalkResult::skip();
  });
  std::vector<Parameter> workspaces;
  if (cutLoop) {
    launch.cutLoop = {toExtent(cutLoop.getExtent(0)), cutLoop.getSteps()[0]};
    analysis::CutWorth worth = analysis::getCutWorth(cutLoop);
    launch.cutWorthIdle = worth.idle;
    launch.cutEvenSpare = worth.spare;
    // A tile of the grid is one for each block of a cluster. Lowering refuses larger clusters.
    int64_t blocks = std::min<int64_t>(analysis::getClusterSize(analysis::getClusteredLoop(kernel)), analysis::kMostClusterBlocks);
    for (auto [number, held] : llvm::enumerate(tile::getSums(cutLoop))) {
      FailureOr<Workspace> workspace = describeParts(held, number, tile::getComputeThreads(kernel) * blocks);
      if (failed(workspace))
        return failure();
      launch.workspaces.push_back(std::move(*workspace));
    }
    // How many parts of a tile are done.
    launch.workspaces.push_back({"parts_done", ElementType::S32, Workspace::Each::Tile, blocks});
    for (size_t i = 0; i < launch.workspaces.size(); ++i)
      workspaces.push_back(Parameter::workspace(i));
  }
  std::vector<Parameter> maps;
  for (tile::StageOp stage : getBulkStages(kernel)) {
    FailureOr<BulkCopy> copy = describeBulkCopy(stage);
    if (failed(copy))
      return failure();
    TensorMapArgument &map = copy->map;
    unsigned number = cast<BlockArgument>(tile::traceParts(stage.getSource()).root).getArgNumber();
    for (unsigned i = 0; i < number; ++i)
      map.tensor += isa<MemRefType>(kernel.getBody().getArgument(i).getType());
    maps.push_back(Parameter::tensorMap(launch.tensorMaps.size()));
    launch.tensorMaps.push_back(std::move(map));
  }
  for (const std::vector<Parameter> &part : {bases, sizes, strides, scalars, workspaces, maps})
    launch.parameters.insert(launch.parameters.end(), part.begin(), part.end());
  if (size_t bytes = countParameterBytes(launch); bytes > kMostParameterBytes)
    return kernel.emitOpError("takes ") << bytes << " bytes of parameters in " << launch.parameters.size() << " arguments (operands, sizes, "
                                        << "strides that are not static, scalars); CUDA allows " << kMostParameterBytes
                                        << " (CUDA C++ Programming Guide, Function Parameters)";
  return launch;
}
