//===- Import.cpp - From functions to kernels without loops -----*- C++ -*-===//
//
// A function of `linalg` ops becomes a kernel whose mapping is open. Tensors become memrefs by MLIR's bufferization;
// what is returned becomes an operand that is written; and extents that ops require to be equal become one size.
//
//===----------------------------------------------------------------------===//

#include "Forms.h"
#include "Parts.h"
#include "Simplify.h"
#include "Sizes.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Verifier.h"
#include "tilec/Mapping/Import.h"
#include "tilec/Mapping/Problem.h"
#include "tilec/Tile/Program.h"

using namespace mlir;
using namespace tilec;
using mapping::ExtentClasses, mapping::Signature, mapping::getGroups;

/// Is `function` what becomes a kernel?
static LogicalResult check(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return function.emitOpError("has control flow; a kernel is made of linalg ops one after the other"); // limit_x43
  Block &body = function.getBody().front();
  for (Operation &op : body.without_terminator()) {
    if (isa<memref::GetGlobalOp>(op))
      return op.emitError("is an array of several constants; make it an argument, which whoever launches gives"); // limit_x43
    auto dim = dyn_cast<memref::DimOp>(op);
    if (!isa<linalg::LinalgOp, memref::AllocOp>(op) && !(dim && dim.getConstantIndex()) && !tile::isView(&op) && !op.hasTrait<OpTrait::ConstantLike>())
      return op.emitError("stands in a function that is to become a kernel, which is made of linalg ops, arrays between them, copies and views of these, pads by constants and slices as far as their extents are known, extents of known dimensions, and constants"); // limit_x43
  }
  if (body.getOps<linalg::LinalgOp>().empty())
    return function.emitOpError("has no linalg op, so that there is nothing to compile"); // limit_x43
  for (auto op : body.getOps<linalg::LinalgOp>())
    for (auto load : op.getBlock()->getOps<memref::LoadOp>())
      return load.emitError("takes elements of an array of type ") << load.getMemRefType() << " at places that are computed; tilec gathers by indices of one dynamic extent"; // limit_x43
  for (BlockArgument argument : body.getArguments())
    if (auto type = dyn_cast<MemRefType>(argument.getType()))
      if (auto [strides, offset] = std::pair<SmallVector<int64_t>, int64_t>(); failed(type.getStridesAndOffset(strides, offset)) || offset != 0)
        return function.emitError("argument #") << argument.getArgNumber() << " must be a memref of strides without an offset, got " << type; // limit_x43
  for (Value result : body.getTerminator()->getOperands())
    if (!isa<BlockArgument>(result) && !tile::getArray(result).getDefiningOp<memref::AllocOp>())
      return function.emitError("returns what is neither an argument nor a new array of the function"); // limit_x43
  return success();
}

/// Has `from` stand for `array`, at the end of the kernel's block, by the extents of that.
static LogicalResult copyView(OpBuilder &b, Location loc, Value from, Value array, ArrayRef<ReassociationIndices> groups, const Signature &signature, IRMapping &copied) {
  FailureOr<Value> view = mapping::nameAs(b, loc, from, array, groups, signature);
  if (succeeded(view))
    copied.map(array, *view);
  return view;
}

/// Do ops read the only result of `op` in their bodies, and not as an operand alone?
static bool isReadInBodies(Operation *op) {
  return llvm::any_of(op->getUsers(), [&](Operation *user) { return user->getBlock() != op->getBlock(); });
}

/// Makes the kernel ahead of `function`.
static LogicalResult makeKernel(func::FuncOp function) {
  if (failed(check(function)))
    return failure();
  Block &body = function.getBody().front();
  SmallVector<Value> operands(body.getArguments());
  auto named = [&](const Twine &name) -> Location { return NameLoc::get(StringAttr::get(function.getContext(), name), function.getLoc()); };
  SmallVector<Location> names = llvm::map_to_vector(body.getArguments(), [&](BlockArgument argument) {
    return mapping::getName(argument.getLoc()).empty() ? named("arg" + Twine(argument.getArgNumber())) : argument.getLoc();
  });
  // An argument that is returned is written where it lies.
  SmallVector<Value> results = llvm::filter_to_vector(body.getTerminator()->getOperands(), [](Value result) { return !isa<BlockArgument>(result); });
  for (auto [number, result] : llvm::enumerate(results))
    names.push_back(named(results.size() == 1 ? Twine("result") : "result" + Twine(number)));
  llvm::append_range(operands, results);
  ExtentClasses classes(body);
  Signature signature(classes, function.getLoc(), operands, names);
  OpBuilder b(function);
  auto kernel = tile::KernelOp::create(b, function.getLoc(), function.getSymName(), b.getFunctionType(signature.getTypes(), {}), signature.getShapes(),
                                       /*dataflow=*/{}, /*arg_attrs=*/{}, /*res_attrs=*/{}, /*sym_visibility=*/{});
  Block &inside = kernel.getBody().emplaceBlock();
  inside.addArguments(signature.getTypes(), signature.getNames());
  IRMapping copied;
  copied.map(ValueRange(operands), inside.getArguments().take_front(operands.size()));
  b.setInsertionPointToEnd(&inside);
  // What is returned by other extents is written by those that it is made with.
  for (Value result : results)
    for (Operation *view = result.getDefiningOp(); tile::isView(view); view = view->getOperand(0).getDefiningOp())
      if (failed(copyView(b, view->getLoc(), copied.lookup(view->getResult(0)), view->getOperand(0), getGroups(view), signature, copied)))
        return failure();
  for (Operation &op : body.without_terminator()) {
    if (op.getNumResults() == 1 && copied.contains(op.getResult(0)))
      continue;
    if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
      FailureOr<SmallVector<Value>> dynamic = signature.getSizes(alloc, inside);
      if (failed(dynamic))
        return failure();
      copied.map(alloc.getResult(), memref::AllocOp::create(b, alloc.getLoc(), alloc.getType(), *dynamic).getResult());
    } else if (tile::isView(&op)) {
      if (failed(copyView(b, op.getLoc(), copied.lookup(op.getOperand(0)), op.getResult(0), getGroups(&op), signature, copied)))
        return failure();
    } else if (auto dim = dyn_cast<memref::DimOp>(op)) {
      // Bodies may compute with extents.
      if (isReadInBodies(&op))
        copied.map(dim.getResult(), getValueOrCreateConstantIndexOp(b, dim.getLoc(), mapping::getOperandExtent(copied.lookup(dim.getSource()), *dim.getConstantIndex())));
    } else if (!op.hasTrait<OpTrait::ConstantLike>() || !op.getResult(0).getType().isIndex() || isReadInBodies(&op)) {
      b.clone(op, copied);
    }
  }
  return verify(kernel);
}

void mapping::registerImport(DialectRegistry &registry) {
  registry.insert<cf::ControlFlowDialect, func::FuncDialect, tensor::TensorDialect, bufferization::BufferizationDialect>();
  arith::registerBufferizableOpInterfaceExternalModels(registry);
  linalg::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerBufferizableOpInterfaceExternalModels(registry);
  bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(registry);
}

/// Ops that stand for several, as softmax does.
static void decompose(ModuleOp module) {
  SmallVector<linalg::AggregatedOpInterface> all;
  module.walk([&](linalg::AggregatedOpInterface op) { all.push_back(op); });
  IRRewriter rewriter(module.getContext());
  for (linalg::AggregatedOpInterface op : all) {
    rewriter.setInsertionPoint(op);
    if (FailureOr<SmallVector<Value>> parts = op.decomposeOperation(rewriter); succeeded(parts))
      rewriter.replaceOp(op, *parts);
  }
}

/// Makes the same op on tensors of what stands for several and works on memrefs: they are made of tensors. True where there is one.
static bool liftAggregates(ModuleOp module) {
  SmallVector<DestinationStyleOpInterface> all;
  module.walk([&](linalg::AggregatedOpInterface op) {
    auto written = dyn_cast<DestinationStyleOpInterface>(op.getOperation());
    // Bufferization takes tensors that are made of one array for two.
    if (written && written.hasPureBufferSemantics() && llvm::SmallPtrSet<Value, 4>(op->operand_begin(), op->operand_end()).size() == op->getNumOperands())
      all.push_back(written);
  });
  for (DestinationStyleOpInterface op : all) {
    OpBuilder b(op);
    SmallVector<Value> operands;
    SmallVector<Type> results;
    for (OpOperand &operand : op->getOpOperands()) {
      bool isArray = isa<MemRefType>(operand.get().getType());
      Type tensor = isArray ? memref::getTensorTypeFromMemRefType(operand.get().getType()) : Type();
      operands.push_back(isArray ? Value(bufferization::ToTensorOp::create(b, op.getLoc(), tensor, operand.get(), /*restrict=*/true, /*writable=*/op.isDpsInit(&operand)))
                                 : operand.get());
      if (op.isDpsInit(&operand))
        results.push_back(tensor);
    }
    Operation *lifted = mlir::clone(b, op, results, operands);
    for (auto [result, init] : llvm::zip_equal(lifted->getResults(), op.getDpsInits()))
      bufferization::MaterializeInDestinationOp::create(b, op.getLoc(), Type(), result, init, /*restrict=*/true, /*writable=*/true);
    op->erase();
  }
  return !all.empty();
}

/// Gives each op that begins with a filled tensor a fill of its own: bufferization would copy one that several change. And each that begins with nothing a tensor of its own: what
/// several wrote one after the other would be one array.
static void partBegins(ModuleOp module) {
  SmallVector<Operation *> begins;
  module.walk([&](Operation *op) {
    if (isa<linalg::FillOp, tensor::EmptyOp>(op) && op->getNumResults() == 1 && !op->getResult(0).hasOneUse())
      begins.push_back(op);
  });
  // A fill that is copied is one more that begins with a tensor.
  llvm::stable_sort(begins, [](Operation *a, Operation *b) { return isa<linalg::FillOp>(a) && !isa<linalg::FillOp>(b); });
  for (Operation *begin : begins)
    for (OpOperand &use : llvm::make_early_inc_range(begin->getUses())) {
      auto user = dyn_cast<linalg::LinalgOp>(use.getOwner());
      if (user && user.isDpsInit(&use) && !begin->getResult(0).hasOneUse())
        use.set(OpBuilder(user).clone(*begin)->getResult(0));
    }
}

/// Copies of whole arrays are ops as others are; those of arrays to themselves, which bufferization leaves where a result is in its place, are none.
static void takeCopies(func::FuncOp function) {
  function.walk([](memref::CopyOp copy) {
    auto isPart = [](Value array) { return array.getDefiningOp<memref::SubViewOp>() != nullptr; };
    if (isPart(copy.getSource()) || isPart(copy.getTarget()))
      return;
    if (copy.getSource() != copy.getTarget()) {
      OpBuilder b(copy);
      linalg::CopyOp::create(b, copy.getLoc(), copy.getSource(), copy.getTarget());
    }
    copy.erase();
  });
}

/// Arrays end with the launches that use them, wherever the function says that they do.
static void dropDeallocations(ModuleOp module) {
  module.walk([](memref::DeallocOp op) {
    if (op.getMemref().getDefiningOp<memref::AllocOp>())
      op.erase();
  });
}

/// Arrays that nobody writes, as the windows of pooling, which say only how far it goes, hold zeros.
static void fillUnwritten(func::FuncOp function) {
  function.walk([](memref::AllocOp alloc) {
    auto writes = [&](Operation *user) {
      auto op = dyn_cast<linalg::LinalgOp>(user);
      return !op || llvm::is_contained(op.getDpsInits(), alloc.getResult());
    };
    Type element = alloc.getType().getElementType();
    if (alloc->use_empty() || !element.isIntOrFloat() || llvm::any_of(alloc->getUsers(), writes))
      return;
    OpBuilder b(alloc->getContext());
    b.setInsertionPointAfter(alloc);
    Value zero = arith::ConstantOp::create(b, alloc.getLoc(), b.getZeroAttr(element));
    linalg::FillOp::create(b, alloc.getLoc(), zero, alloc.getResult());
  });
}

/// A function on memrefs says with one number where one element along a dimension lies: what is copied there has a number for each of its own (Places.cpp).
static LogicalResult checkPlaces(ModuleOp module) {
  WalkResult result = module.walk([](memref::SubViewOp slice) -> WalkResult {
    for (auto [dim, offset, size] : llvm::enumerate(slice.getStaticOffsets(), slice.getStaticSizes()))
      if (ShapedType::isDynamic(offset) && size != 1)
        return slice.emitError("is a part of several elements along dimension ") << dim << ", where its place is computed; expected 1, or a function on tensors"; // limit_x43
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult mapping::importFunctions(ModuleOp module, bool isSimplified) {
  module.getContext()->loadDialect<tile::TileDialect, memref::MemRefDialect, bufferization::BufferizationDialect>();
  if (failed(checkPlaces(module)))
    return failure();
  dropDeallocations(module);
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  bool tensors = liftAggregates(module);
  tensors |= llvm::any_of(module.getOps<func::FuncOp>(), [&](func::FuncOp function) {
    return llvm::any_of(function.getArgumentTypes(), isTensor) || llvm::any_of(function.getResultTypes(), isTensor);
  });
  if (tensors) {
    decompose(module);
    nameExtents(module);
    placeSlices(module);
  }
  for (auto function : module.getOps<func::FuncOp>())
    widenIndices(function);
  if (tensors) {
    writeOut(module);
    partResults(module);
    readSlices(module);
    joinPairs(module);
    takeExtracts(module);
    expandDivisions(module);
    partDivided(module);
    eraseUnread(module);
    simplify(module, isSimplified);
    takeSlices(module);
    partBegins(module);
    bufferization::OneShotBufferizationOptions options;
    options.bufferizeFunctionBoundaries = true;
    options.setFunctionBoundaryTypeConversion(bufferization::LayoutMapOption::IdentityLayoutMap);
    bufferization::BufferizationState state;
    if (failed(bufferization::runOneShotModuleBufferize(module, options, state)))
      return failure();
  }
  for (auto function : module.getOps<func::FuncOp>()) {
    takeCopies(function);
    widenFlags(function);
    fillUnwritten(function);
  }
  auto become = [](func::FuncOp function) {
    LogicalResult made = makeKernel(function);
    if (succeeded(made)) // Else what has been made may still use what it has.
      function.erase();
    return made;
  };
  for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
    if (function.isExternal())
      return function.emitError("has no body, so that there is nothing to compile"); // limit_x43
    if (!hasOwnNests(function)) {
      if (failed(become(function)))
        return failure();
      continue;
    }
    FailureOr<SmallVector<func::FuncOp>> parts = partFunction(function);
    if (failed(parts))
      return failure();
    function.erase();
    for (func::FuncOp part : *parts)
      if (failed(become(part)))
        return failure();
  }
  for (auto program : module.getOps<tile::ProgramOp>())
    giveSizes(program);
  return success();
}
