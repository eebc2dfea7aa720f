//===- LowerFunction.cpp - A kernel's function and its parameters --*- C++ -*-===//

#include "Lowering.h"

#include "tilec/Analysis/BulkStore.h"
#include "tilec/Analysis/LaunchPlan.h"
#include "tilec/Analysis/NestModel.h"
#include "tilec/Conversion/Launch.h"
#include "tilec/Tile/CutLoop.h"

using namespace mlir;
using namespace tilec;
using Kind = runtime::Parameter::Kind;

namespace {
/// A nest's arguments as the description counts them: operands, sizes and scalars each for themselves.
struct Arguments {
  explicit Arguments(tile::KernelOp kernel) {
    for (BlockArgument argument : kernel.getBody().getArguments())
      (isa<MemRefType>(argument.getType()) ? operands : argument.getType().isIndex() ? sizes : scalars).push_back(argument);
  }

  /// The argument that a parameter says something of.
  BlockArgument get(const runtime::Parameter &parameter) const {
    return (parameter.kind == Kind::Size ? sizes : parameter.kind == Kind::Scalar ? scalars : operands)[parameter.index];
  }

  SmallVector<BlockArgument> operands, sizes, scalars;
};
} // namespace

/// The sums of the kernel's cut loop, if it has one.
static SmallVector<Value> getSums(tile::KernelOp kernel) {
  for (auto loop : kernel.getBody().getOps<tile::ForOp>())
    if (tile::ForOp cut = loop.getCutLoop())
      return llvm::to_vector(tile::getSums(cut));
  return {};
}

kernel::FuncOp tilec::createFunction(tile::KernelOp kernel, const runtime::KernelDescription &launch, OpBuilder &b) {
  Arguments arguments(kernel);
  SmallVector<Value> sums = getSums(kernel);
  auto array = [](Type element) { return MemRefType::get({ShapedType::kDynamic}, element); };
  auto elementOf = [](Value memref) { return cast<MemRefType>(memref.getType()).getElementType(); };
  auto declare = [&](const runtime::Parameter &parameter) -> std::pair<Type, Location> {
    if (parameter.kind == Kind::Workspace) {
      bool counts = parameter.index >= sums.size(); // Counters come after the sums.
      return {array(counts ? b.getI32Type() : elementOf(sums[parameter.index])),
              named(kernel.getLoc(), launch.workspaces[parameter.index].name)};
    }
    if (parameter.kind == Kind::TensorMap) {
      const std::string &name = launch.tensors[launch.tensorMaps[parameter.index].tensor].name;
      return {kernel::TensorMapType::get(b.getContext()), named(kernel.getLoc(), name + "_map")};
    }
    BlockArgument source = arguments.get(parameter);
    std::string name = analysis::nameOf(source);
    if (parameter.kind == Kind::TensorStride)
      return {b.getI64Type(), named(source.getLoc(), name + "_s" + Twine(parameter.dim))};
    return {parameter.kind == Kind::TensorBase ? array(elementOf(source)) : source.getType(), named(source.getLoc(), name)};
  };
  SmallVector<Type> types;
  SmallVector<Location> locations;
  for (const runtime::Parameter &parameter : launch.parameters) {
    auto [type, location] = declare(parameter);
    types.push_back(type);
    locations.push_back(location);
  }
  auto function = kernel::FuncOp::create(b, kernel.getLoc(), kernel.getSymName(), types, tile::getComputeThreads(kernel));
  function.setMinBlocks(analysis::getLaunch(kernel).getMinBlocks());
  for (auto [argument, location] : llvm::zip_equal(function.getArguments(), locations))
    argument.setLoc(location);
  b.setInsertionPointToStart(&function.getBody().front());
  if (launch.dependent)
    kernel::WaitGridOp::create(b, kernel.getLoc());
  return function;
}

/// The arrays of operands in constant memory, ahead of all that reads them.
static void declareConstants(const runtime::KernelDescription &launch, const Arguments &arguments, Lowering &lowering) {
  OpBuilder &b = lowering.context.b;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&lowering.context.function.getBody().front());
  for (auto [number, tensor] : llvm::enumerate(launch.tensors)) {
    if (!tensor.constant)
      continue;
    BlockArgument operand = arguments.operands[number];
    auto type = cast<MemRefType>(operand.getType());
    auto flat = MemRefType::get({type.getNumElements()}, type.getElementType(), MemRefLayoutAttrInterface(), type.getMemorySpace());
    lowering.operands.add(operand, kernel::ConstantOp::create(b, named(operand.getLoc(), tensor.name), flat, number));
  }
}

void tilec::mapParameters(const runtime::KernelDescription &launch, Lowering &lowering) {
  Context &context = lowering.context;
  Arguments arguments(context.kernel);
  lowering.sums.setSums(getSums(context.kernel));
  SmallVector<Operation *> bulk = analysis::getBulkOps(context.kernel);
  SmallVector<int64_t> reads;
  for (auto [argument, parameter] : llvm::zip_equal(context.function.getArguments(), launch.parameters)) {
    switch (parameter.kind) {
    case Kind::TensorBase:
      if (!launch.tensors[parameter.index].written)
        reads.push_back(argument.getArgNumber());
      lowering.operands.add(arguments.get(parameter), argument);
      break;
    case Kind::Size:
      context.values.map(arguments.get(parameter), argument);
      context.index.know(argument, {1, 0, runtime::maxExtent, {}});
      break;
    case Kind::TensorStride:
      lowering.operands.setStride(arguments.get(parameter), parameter.dim, argument);
      break;
    case Kind::Scalar:
      context.values.map(arguments.get(parameter), argument);
      break;
    case Kind::Workspace:
      lowering.sums.addWorkspace(argument);
      break;
    case Kind::TensorMap:
      lowering.operands.setMap(bulk[parameter.index], argument);
      break;
    }
  }
  context.function.setReads(reads);
  declareConstants(launch, arguments, lowering);
}
