//===- WriteOut.cpp - Ops that stand for others -----------------*- C++ -*-===//

#include "Forms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilec;
using linalg::GenericOp;

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

/// Packs are pads, views and transposes.
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
      (void)linalg::lowerPack(rewriter, pack);
    else
      (void)linalg::lowerUnPack(rewriter, cast<linalg::UnPackOp>(op));
  }
}

void mapping::writeOut(ModuleOp module) {
  lowerPacks(module);
  fillSplats(module);
  SmallVector<GenericOp> ops;
  module.walk([&](GenericOp op) { ops.push_back(op); });
  for (GenericOp op : ops)
    if (op.hasPureTensorSemantics())
      readFilled(op);
  SmallVector<linalg::FillOp> fills;
  module.walk([&](linalg::FillOp fill) { fills.push_back(fill); });
  for (linalg::FillOp fill : fills)
    if (fill->getNumResults() == 1 && fill->use_empty())
      fill.erase();
}
