//===- WriteOut.cpp - Ops that stand for others -----------------*- C++ -*-===//

#include "Forms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace tilec;
using linalg::GenericOp;

void mapping::expandDivisions(ModuleOp module) {
  SmallVector<Operation *> divisions;
  module.walk([&](Operation *op) {
    if (isa<arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp>(op))
      divisions.push_back(op);
  });
  // Subscripts that are divided by 1 are sums of dimensions as they stand.
  for (Operation *op : divisions)
    if (matchPattern(op->getOperand(1), m_One()))
      op->getResult(0).replaceAllUsesWith(op->getOperand(0));
  if (divisions.empty())
    return;
  RewritePatternSet patterns(module.getContext());
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  (void)applyPatternsGreedily(module, std::move(patterns), GreedyRewriteConfig().enableFolding(false));
}

/// What is asserted, of extents that ops have in common, is the caller's to keep: a launcher asks for operands whose extents agree.
static void dropAsserts(ModuleOp module) {
  SmallVector<cf::AssertOp> asserts;
  module.walk([&](cf::AssertOp op) { asserts.push_back(op); });
  for (cf::AssertOp op : asserts)
    op.erase();
}

/// Arrays whose extents are known are of them: casts to fewer known extents go, by MLIR's patterns, from what is returned, too.
static void takeCasts(func::FuncOp function) {
  if (!function.getBody().hasOneBlock() || function.getOps<tensor::CastOp>().empty())
    return;
  MLIRContext *context = function.getContext();
  RewritePatternSet patterns(context);
  context->getOrLoadDialect<linalg::LinalgDialect>()->getCanonicalizationPatterns(patterns);
  context->getOrLoadDialect<tensor::TensorDialect>()->getCanonicalizationPatterns(patterns);
  tensor::CastOp::getCanonicalizationPatterns(patterns, context);
  tensor::EmptyOp::getCanonicalizationPatterns(patterns, context);
  tensor::DimOp::getCanonicalizationPatterns(patterns, context);
  (void)applyPatternsGreedily(function, std::move(patterns));
  Operation *end = function.getBody().back().getTerminator();
  for (OpOperand &result : end->getOpOperands())
    if (auto cast = result.get().getDefiningOp<tensor::CastOp>(); cast && cast.getSource().getType().hasStaticShape())
      result.set(cast.getSource());
  function.setFunctionType(FunctionType::get(context, function.getArgumentTypes(), end->getOperandTypes()));
  for (auto cast : llvm::make_early_inc_range(function.getOps<tensor::CastOp>()))
    if (cast->use_empty())
      cast.erase();
}

/// Reshapes between known extents are views.
static void takeReshapes(ModuleOp module) {
  SmallVector<tensor::ReshapeOp> reshapes;
  module.walk([&](tensor::ReshapeOp op) { reshapes.push_back(op); });
  for (tensor::ReshapeOp op : reshapes) {
    auto from = cast<RankedTensorType>(op.getSource().getType()), to = dyn_cast<RankedTensorType>(op.getType());
    if (!from.hasStaticShape() || !to || !to.hasStaticShape() || from.getRank() == 0 || to.getRank() == 0)
      continue;
    OpBuilder b(op);
    auto all = [](int64_t rank) { return SmallVector<ReassociationIndices>{llvm::to_vector(llvm::seq<int64_t>(rank))}; };
    Value line = op.getSource();
    if (from.getRank() > 1)
      line = tensor::CollapseShapeOp::create(b, op.getLoc(), line, all(from.getRank()));
    if (to.getRank() > 1)
      line = tensor::ExpandShapeOp::create(b, op.getLoc(), to, line, all(to.getRank()));
    op.replaceAllUsesWith(line);
    Operation *shape = op.getShape().getDefiningOp();
    op.erase();
    if (shape && shape->use_empty())
      shape->erase();
  }
}

/// Numbers that a function computes of single elements, or of arguments, are computed in the bodies that read them.
static bool isScalarOp(Operation *op) {
  return op && op->getNumResults() == 1 && !op->hasTrait<OpTrait::ConstantLike>() && !isa<ShapedType>(op->getResult(0).getType()) &&
         (isa<tensor::ExtractOp>(op) || isa<arith::ArithDialect, math::MathDialect>(op->getDialect()));
}

static Value copyScalar(OpBuilder &b, Value value, IRMapping &copied) {
  Operation *op = value.getDefiningOp();
  if (copied.contains(value) || !isScalarOp(op))
    return copied.lookupOrDefault(value);
  for (Value operand : op->getOperands())
    copyScalar(b, operand, copied);
  return b.clone(*op, copied)->getResult(0);
}

static void sinkScalars(GenericOp op) {
  OpBuilder b = OpBuilder::atBlockBegin(op.getBody());
  IRMapping copied;
  llvm::SetVector<Value> read;
  getUsedValuesDefinedAbove(op.getRegion(), read);
  for (Value value : read)
    if (isScalarOp(value.getDefiningOp()))
      replaceAllUsesInRegionWith(value, copyScalar(b, value, copied), op.getRegion());
  for (OpOperand *input : op.getDpsInputOperands())
    if (isScalarOp(input->get().getDefiningOp()))
      op.getMatchingBlockArgument(input).replaceAllUsesWith(copyScalar(b, input->get(), copied));
  mapping::dropUnread(op);
}

static void sinkAllScalars(ModuleOp module) {
  SmallVector<linalg::FillOp> fills;
  module.walk([&](linalg::FillOp fill) {
    if (fill.hasPureTensorSemantics() && isScalarOp(fill.getInputs()[0].getDefiningOp()))
      fills.push_back(fill);
  });
  for (linalg::FillOp fill : fills)
    mapping::generalize(fill);
  SmallVector<GenericOp> ops;
  module.walk([&](GenericOp op) { ops.push_back(op); });
  for (GenericOp op : ops)
    if (op.hasPureTensorSemantics())
      sinkScalars(op);
  SmallVector<Operation *> scalars;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.getBody().hasOneBlock())
      for (Operation &op : function.getBody().front())
        if (isScalarOp(&op))
          scalars.push_back(&op);
  for (Operation *op : llvm::reverse(scalars))
    if (op->use_empty())
      op->erase();
}

/// A constant array of one number is filled with it.
static void fillSplats(ModuleOp module) {
  SmallVector<arith::ConstantOp> constants;
  module.walk([&](arith::ConstantOp constant) {
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (elements && elements.isSplat() && isa<RankedTensorType>(constant.getType()))
      constants.push_back(constant);
  });
  for (arith::ConstantOp constant : constants) {
    OpBuilder b(constant);
    auto type = cast<RankedTensorType>(constant.getType());
    Value number = arith::ConstantOp::create(b, constant.getLoc(), cast<TypedAttr>(cast<DenseElementsAttr>(constant.getValue()).getSplatValue<Attribute>()));
    Value empty = tensor::EmptyOp::create(b, constant.getLoc(), type, ValueRange());
    constant.replaceAllUsesWith(linalg::FillOp::create(b, constant.getLoc(), number, empty).getResult(0));
    constant.erase();
  }
}

/// Has `op` compute with the numbers of the arrays that it reads, where all elements of one are the same constant.
static void readFilled(GenericOp op) {
  for (OpOperand *input : op.getDpsInputOperands()) {
    auto fill = input->get().getDefiningOp<linalg::FillOp>();
    TypedAttr number;
    BlockArgument element = op.getMatchingBlockArgument(input);
    if (!fill || !matchPattern(fill.getInputs()[0], m_Constant(&number)) || number.getType() != element.getType() || element.use_empty())
      continue;
    OpBuilder b = OpBuilder::atBlockBegin(op.getBody());
    element.replaceAllUsesWith(arith::ConstantOp::create(b, op.getLoc(), number));
  }
  mapping::dropUnread(op);
}

/// Packs are pads, views and transposes: not what MLIR 22 makes of those of one tile, which takes the wrong dimensions where others are not packed.
static void lowerPacks(ModuleOp module) {
  SmallVector<Operation *> packs;
  module.walk([&](Operation *op) {
    if (isa<linalg::PackOp, linalg::UnPackOp>(op))
      packs.push_back(op);
  });
  IRRewriter rewriter(module.getContext());
  for (Operation *op : packs) {
    rewriter.setInsertionPoint(op);
    if (auto pack = dyn_cast<linalg::PackOp>(op))
      (void)linalg::lowerPack(rewriter, pack, /*lowerPadLikeWithInsertSlice=*/false);
    else
      (void)linalg::lowerUnPack(rewriter, cast<linalg::UnPackOp>(op), /*lowerUnpadLikeWithExtractSlice=*/false);
  }
}

/// What is returned of an argument by other extents is a copy.
static void copyReturnedViews(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return;
  Operation *end = function.getBody().back().getTerminator();
  for (OpOperand &result : end->getOpOperands()) {
    Value array = result.get();
    while (array.getDefiningOp<tensor::ExpandShapeOp>() || array.getDefiningOp<tensor::CollapseShapeOp>())
      array = array.getDefiningOp()->getOperand(0);
    auto type = dyn_cast<RankedTensorType>(result.get().getType());
    if (array == result.get() || !isa<BlockArgument>(array) || !type || !type.hasStaticShape())
      continue;
    OpBuilder b(end);
    Value empty = tensor::EmptyOp::create(b, end->getLoc(), type, ValueRange());
    result.set(linalg::CopyOp::create(b, end->getLoc(), result.get(), empty)->getResult(0));
  }
}

void mapping::writeOut(ModuleOp module) {
  lowerPacks(module);
  dropAsserts(module);
  for (auto function : module.getOps<func::FuncOp>())
    takeCasts(function);
  takeReshapes(module);
  for (auto function : module.getOps<func::FuncOp>())
    copyReturnedViews(function);
  sinkAllScalars(module);
  fillSplats(module);
  SmallVector<GenericOp> ops;
  module.walk([&](GenericOp op) { ops.push_back(op); });
  for (GenericOp op : ops)
    if (op.hasPureTensorSemantics())
      readFilled(op);
}

void mapping::eraseUnread(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    for (Block &block : function.getBody())
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
        if (isOpTriviallyDead(&op))
          op.erase();
}
