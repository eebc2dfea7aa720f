//===- OpenNest.cpp - A nest that leaves sizes open -------------*- C++ -*-===//
//
// The computations that it means, written plainly, and the loops that it states.
//
//===----------------------------------------------------------------------===//

#include "tilec/Mapping/OpenNest.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tilec/Tile/Access.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::mapping;
using tile::ForOp;
using tile::HoldOp;
using tile::KernelOp;

KernelOp OpenNest::getKernel() const { return *ModuleOp(*written).getOps<KernelOp>().begin(); }

/// Does the first computation that writes `held` read what is there before?
bool OpenNest::readsInit(Value held) const {
  for (const WrittenOp &written : ops) {
    linalg::LinalgOp op = written.op;
    for (OpOperand &operand : op->getOpOperands())
      if (isa<MemRefType>(operand.get().getType()) && tile::traceParts(operand.get()).root == held)
        return op.payloadUsesValueFromOperand(&operand);
  }
  return false;
}

KernelOp OpenNest::writePlain(OpBuilder &builder) const {
  KernelOp from = getKernel();
  auto plain = cast<KernelOp>(builder.cloneWithoutRegions(*from));
  Block &body = plain.getBody().emplaceBlock();
  IRMapping copied;
  for (BlockArgument argument : from.getBody().getArguments())
    copied.map(argument, body.addArgument(argument.getType(), argument.getLoc()));
  OpBuilder b = OpBuilder::atBlockEnd(&body);
  from.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<KernelOp>(op))
      return WalkResult::advance();
    if (auto hold = dyn_cast<HoldOp>(op)) {
      Value array = copied.lookupOrNull(stored.lookup(hold.getTile()));
      auto extents = arrays.find(hold.getTile());
      if (!array && extents == arrays.end())
        return WalkResult::advance(); // Nobody uses it.
      if (!array) {
        SmallVector<int64_t> shape;
        SmallVector<Value> sizes;
        for (OpFoldResult extent : extents->second) {
          auto number = dyn_cast<Attribute>(extent);
          shape.push_back(number ? cast<IntegerAttr>(number).getInt() : ShapedType::kDynamic);
          if (!number)
            sizes.push_back(copied.lookup(cast<Value>(extent)));
        }
        auto type = MemRefType::get(shape, cast<MemRefType>(hold.getTile().getType()).getElementType());
        array = memref::AllocOp::create(b, hold.getLoc(), type, sizes);
      }
      copied.map(hold.getTile(), array);
      if (readsInit(hold.getTile())) {
        Value init = arith::ConstantOp::create(b, hold.getLoc(), cast<TypedAttr>(hold.getInit()));
        linalg::FillOp::create(b, hold.getLoc(), ValueRange(init), ValueRange(array));
      }
      return WalkResult::advance();
    }
    auto compute = dyn_cast<linalg::LinalgOp>(op);
    if (!compute) {
      if (!isa<tile::TileDialect>(op->getDialect()))
        b.clone(*op, copied);
      return WalkResult::advance();
    }
    Operation *copy = b.clone(*op, copied);
    for (OpOperand &operand : op->getOpOperands())
      if (isa<MemRefType>(operand.get().getType()))
        copy->setOperand(operand.getOperandNumber(), copied.lookup(tile::traceToOperand(operand.get()).root));
    return WalkResult::skip();
  });
  return plain;
}

unsigned OpenNest::getRoot(const Problem &problem) const {
  // Fills that hold tiles became stand among the computations; otherwise they are in order.
  KernelOp plain = problem.kernel;
  unsigned number = 0;
  for (auto op : plain.getBody().getOps<linalg::LinalgOp>()) {
    if (op == problem.root)
      break;
    if (number < ops.size() && op.getLoc() == linalg::LinalgOp(ops[number].op).getLoc())
      ++number;
  }
  return number;
}

SmallVector<WrittenLoop> OpenNest::getLoops(unsigned op) const {
  SmallVector<WrittenLoop> loops;
  linalg::LinalgOp compute = ops[op].op;
  for (auto loop = compute->getParentOfType<ForOp>(); loop; loop = loop->getParentOfType<ForOp>()) {
    WrittenLoop &written = loops.emplace_back();
    written.loop = loop;
    for (Value variable : loop.getBody().getArguments())
      for (auto [dim, moves] : llvm::enumerate(ops[op].moves))
        if (llvm::is_contained(moves, variable))
          written.dims.push_back(dim);
  }
  std::reverse(loops.begin(), loops.end());
  return loops;
}
