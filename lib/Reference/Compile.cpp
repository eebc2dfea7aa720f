//===- Compile.cpp - From a kernel to nodes ---------------------*- C++ -*-===//
//
// Arguments, memrefs and every op but those of linalg (CompileCompute.cpp).
//
//===----------------------------------------------------------------------===//

#include "Compiler.h"

#include "tilec/Tile/Program.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::reference;

/// The instructions that follow each other make one node.
static Code &getCode(Body &body) {
  if (body.empty() || !body.back()->getCode())
    body.push_back(std::make_unique<ScalarNode>());
  return *body.back()->getCode();
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

LogicalResult Compiler::bindArguments(tile::KernelOp kernel, const Arguments &arguments) {
  const BufferView *operand = arguments.operands.begin();
  const int64_t *size = arguments.sizes.begin();
  const Scalar *scalar = arguments.scalars.begin();
  for (BlockArgument argument : kernel.getBody().getArguments()) {
    Type type = argument.getType();
    if (isa<MemRefType>(type)) {
      Root &root = machine.roots.emplace_back();
      root.isOperand = true;
      root.data = std::visit([](auto *data) { return reinterpret_cast<Cell *>(data); }, operand->data);
      root.bounds = operand->bounds;
      root.stored = operand->stored;
      root.shape = operand->shape;
      root.strides = operand->strides;
      if (failed(createView(argument, &root)))
        return failure();
      ++operand;
      continue;
    }
    Cell cell;
    if (type.isIndex())
      cell.whole = *size++;
    else if (const double *real = std::get_if<double>(scalar++))
      cell.real = *real;
    else
      cell.whole = wrapToWidth(std::get<int64_t>(scalar[-1]), type.getIntOrFloatBitWidth());
    registers.set(argument, cell);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Memrefs
//===----------------------------------------------------------------------===//

FailureOr<uint32_t> Compiler::getView(Operation *user, Value memref) {
  auto known = views.find(memref);
  if (known == views.end())
    return user->emitOpError("uses a memref that is no operand, staged or held tile or a part of one");
  return known->second;
}

template <typename Op>
FailureOr<std::optional<Numbered>> Compiler::getNumbered(Op op) {
  if (!op.getIndices())
    return std::optional<Numbered>();
  FailureOr<uint32_t> indices = getView(op, op.getIndices());
  if (failed(indices))
    return failure();
  return std::optional<Numbered>(Numbered{*indices, static_cast<unsigned>(*op.getAlong()), op});
}

FailureOr<uint32_t> Compiler::createView(Value memref, Root *root) {
  if (cast<MemRefType>(memref.getType()).getRank() > kMaxRank)
    return emitError(memref.getLoc(), "rank is ") << cast<MemRefType>(memref.getType()).getRank()
                                                  << ", but the reference evaluator knows ranks up to " << kMaxRank;
  View &view = machine.views.emplace_back();
  view.root = root;
  return views[memref] = machine.views.size() - 1;
}

/// A tile is a row-major array here, whatever its layout: that says where elements lie, not what they are.
FailureOr<uint32_t> Compiler::createTile(Value tile) { return createTile(tile, cast<MemRefType>(tile.getType()).getShape()); }

/// The extents of an array of a kernel without loops, or of a view of one; sizes are arguments of the kernel.
SmallVector<int64_t> Compiler::getShape(Value memref) {
  SmallVector<int64_t> shape;
  for (const tile::Factors &factors : tile::getExtents(memref)) {
    int64_t &product = shape.emplace_back(1);
    for (OpFoldResult factor : factors) {
      auto number = dyn_cast<Attribute>(factor);
      product *= number ? cast<IntegerAttr>(number).getInt() : machine.registers.cells[registers.get(cast<Value>(factor))].whole;
    }
  }
  return shape;
}

/// The same elements by other extents.
FailureOr<uint32_t> Compiler::createReshaped(Operation *op) {
  FailureOr<uint32_t> source = getView(op, op->getOperand(0));
  if (failed(source))
    return failure();
  const Root &array = *machine.views[*source].root;
  Root &root = machine.roots.emplace_back();
  root.shape = getShape(op->getResult(0));
  root.strides.resize(root.shape.size(), 1);
  for (size_t dim = root.shape.size(); dim-- > 1;)
    root.strides[dim - 1] = root.strides[dim] * root.shape[dim];
  root.data = array.data;
  root.bounds = array.bounds;
  root.present = array.present;
  root.stored = array.stored;
  root.isOperand = array.isOperand;
  return createView(op->getResult(0), &root);
}

FailureOr<uint32_t> Compiler::createTile(Value tile, ArrayRef<int64_t> shape) {
  // 2^26 elements take 2.7 GB with their bounds; the units of a machine hold far less.
  constexpr int64_t kMaxElements = static_cast<int64_t>(1) << 26;
  auto type = cast<MemRefType>(tile.getType());
  int64_t elements = 1;
  Root &root = machine.roots.emplace_back();
  root.shape = llvm::to_vector(shape);
  root.strides.resize(type.getRank());
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    root.strides[dim] = elements;
    if (llvm::MulOverflow(elements, root.shape[dim], elements) || elements > kMaxElements)
      return emitError(tile.getLoc(), "a tile of type ")
             << type << " has too many elements for the reference evaluator, which holds " << kMaxElements;
  }
  root.ownData.resize(elements);
  root.ownPresent.assign(elements, 1);
  root.data = root.ownData.data();
  root.present = root.ownPresent.data();
  if (machine.keepsBounds) {
    root.ownBounds.resize(elements);
    root.bounds = root.ownBounds.data();
  }
  return createView(tile, &root);
}

FailureOr<Linear> Compiler::compileLinear(Operation *user, AffineExpr expr, ValueRange operands) {
  Linear sum;
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    sum.constant = constant.getValue();
    return sum;
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    sum.terms.push_back({registers.get(operands[dim.getPosition()]), 1});
    return sum;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (binary && expr.getKind() == AffineExprKind::Add) {
    FailureOr<Linear> lhs = compileLinear(user, binary.getLHS(), operands);
    FailureOr<Linear> rhs = compileLinear(user, binary.getRHS(), operands);
    if (failed(lhs) || failed(rhs))
      return failure();
    lhs->terms.append(rhs->terms);
    lhs->constant += rhs->constant;
    return lhs;
  }
  auto factor = binary ? dyn_cast<AffineConstantExpr>(binary.getRHS()) : AffineConstantExpr();
  if (!factor || expr.getKind() != AffineExprKind::Mul)
    return user->emitOpError("has a subscript that is no sum of multiples of values");
  FailureOr<Linear> lhs = compileLinear(user, binary.getLHS(), operands);
  if (failed(lhs))
    return failure();
  for (auto &term : lhs->terms)
    term.second *= factor.getValue();
  lhs->constant *= factor.getValue();
  return lhs;
}

FailureOr<SmallVector<Linear>> Compiler::compileSubscripts(Operation *user, AffineMap map, ValueRange operands) {
  SmallVector<Linear> subscripts;
  for (AffineExpr expr : map.getResults()) {
    FailureOr<Linear> sum = compileLinear(user, expr, operands);
    if (failed(sum))
      return failure();
    subscripts.push_back(*sum);
  }
  return subscripts;
}

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

LogicalResult Compiler::compileBlock(Block &block, Body &body) {
  for (Operation &op : block)
    if (failed(compileOp(op, body)))
      return failure();
  return success();
}

LogicalResult Compiler::compileOp(Operation &op, Body &body) {
  if (isa<tile::LaunchOp>(op)) // How, not what.
    return success();
  if (auto loop = dyn_cast<tile::ForOp>(op))
    return loop.getTied().empty() ? compileFor(loop, body) : compileTied(loop, body);
  if (auto part = dyn_cast<tile::PartOp>(op))
    return compilePart(part, body);
  if (auto hold = dyn_cast<tile::HoldOp>(op))
    return compileHold(hold, body);
  if (auto stage = dyn_cast<tile::StageOp>(op))
    return compileStage(stage, body);
  if (auto alloc = dyn_cast<memref::AllocOp>(op))
    return success(succeeded(createTile(alloc, getShape(alloc))));
  if (tile::isView(&op))
    return success(succeeded(createReshaped(&op)));
  if (auto store = dyn_cast<tile::StoreOp>(op))
    return compileStore(store, body);
  if (auto compute = dyn_cast<linalg::LinalgOp>(op))
    return compileCompute(compute, body);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return compileIf(branch, body);
  if (auto yield = dyn_cast<scf::YieldOp>(op)) {
    for (auto [value, result] : llvm::zip_equal(yield.getResults(), yield->getParentOp()->getResults())) {
      Instruction move{Opcode::Move};
      move.a = registers.get(value);
      move.result = registers.get(result);
      getCode(body).push_back(move);
    }
    return success();
  }
  return compileScalar(&op, registers, getCode(body));
}

LogicalResult Compiler::compileFor(tile::ForOp loop, Body &body) {
  auto node = std::make_unique<LoopNode>();
  for (unsigned i = 0; i < loop.getNumLoops(); ++i) {
    LoopNode::Dim &dim = node->dims.emplace_back();
    dim.iv = registers.get(loop.getInductionVar(i));
    dim.step = loop.getSteps()[i];
    OpFoldResult extent = loop.getExtent(i);
    if (auto value = dyn_cast<Value>(extent))
      dim.extent.terms.push_back({registers.get(value), 1});
    else
      dim.extent.constant = cast<IntegerAttr>(cast<Attribute>(extent)).getInt();
  }
  node->counts = countsBlocks(loop);
  node->isBlock = node->counts && !loop.getBody().walk([&](tile::ForOp inner) {
    return countsBlocks(inner) ? WalkResult::interrupt() : WalkResult::advance();
  }).wasInterrupted();
  if (failed(compileBlock(loop.getBody().front(), node->body)))
    return failure();
  body.push_back(std::move(node));
  return success();
}

LogicalResult Compiler::compileIf(scf::IfOp op, Body &body) {
  for (Type type : op.getResultTypes())
    if (isa<MemRefType>(type))
      return op.emitOpError("has no meaning in the reference evaluator: it results in a memref");
  auto node = std::make_unique<IfNode>();
  node->condition = registers.get(op.getCondition());
  if (failed(compileBlock(op.getThenRegion().front(), node->thenBody)))
    return failure();
  if (!op.getElseRegion().empty() && failed(compileBlock(op.getElseRegion().front(), node->elseBody)))
    return failure();
  body.push_back(std::move(node));
  return success();
}

LogicalResult Compiler::compilePart(tile::PartOp part, Body &body) {
  FailureOr<uint32_t> source = getView(part, part.getSource());
  FailureOr<SmallVector<Linear>> subscripts = compileSubscripts(part, part.getMap(), part.getOperands_());
  if (failed(source) || failed(subscripts))
    return failure();
  FailureOr<uint32_t> view = createView(part.getPart(), machine.views[*source].root);
  if (failed(view))
    return failure();
  auto node = std::make_unique<PartNode>();
  node->source = *source;
  node->part = *view;
  node->subscripts = *subscripts;
  body.push_back(std::move(node));
  return success();
}

FailureOr<Element> Compiler::getInit(tile::HoldOp hold) {
  Element init;
  if (auto number = dyn_cast<FloatAttr>(hold.getInit())) {
    init.value.real = number.getValueAsDouble();
    init.bound = ErrorBound::exact(init.value.real);
  } else if (auto number = dyn_cast<IntegerAttr>(hold.getInit()); number && number.getValue().getBitWidth() <= 64) {
    init.value.whole = wrapToWidth(number.getValue().getSExtValue(), number.getValue().getBitWidth());
  } else {
    return hold.emitOpError("has no meaning in the reference evaluator: it starts from ") << hold.getInit();
  }
  return init;
}

LogicalResult Compiler::compileHold(tile::HoldOp hold, Body &body) {
  FailureOr<uint32_t> tile = createTile(hold.getTile());
  FailureOr<Element> init = getInit(hold);
  if (failed(tile) || failed(init))
    return failure();
  auto node = std::make_unique<HoldNode>();
  node->tile = *tile;
  node->init = init->value;
  node->bound = init->bound;
  body.push_back(std::move(node));
  return success();
}

LogicalResult Compiler::compileStage(tile::StageOp stage, Body &body) {
  FailureOr<uint32_t> source = getView(stage, stage.getSource());
  FailureOr<SmallVector<Linear>> subscripts = compileSubscripts(stage, stage.getMap(), stage.getOperands_());
  if (failed(source) || failed(subscripts))
    return failure();
  FailureOr<uint32_t> tile = createTile(stage.getTile());
  FailureOr<std::optional<Numbered>> numbered = getNumbered(stage);
  if (failed(tile) || failed(numbered))
    return failure();
  auto node = std::make_unique<StageNode>();
  node->numbered = *numbered;
  node->source = *source;
  node->tile = *tile;
  node->subscripts = *subscripts;
  node->pad = stage.getPad();
  body.push_back(std::move(node));
  return success();
}

static Opcode getCombineOpcode(tile::Combine combine, bool isFloat) {
  switch (combine) {
  case tile::Combine::Add:
    return isFloat ? Opcode::AddF : Opcode::AddI;
  case tile::Combine::Max:
    return isFloat ? Opcode::MaximumF : Opcode::MaxSI;
  case tile::Combine::Min:
    return isFloat ? Opcode::MinimumF : Opcode::MinSI;
  case tile::Combine::Mul:
    return isFloat ? Opcode::MulF : Opcode::MulI;
  case tile::Combine::MaxNum:
    return Opcode::MaxNumF;
  case tile::Combine::MinNum:
    return Opcode::MinNumF;
  case tile::Combine::And:
    return Opcode::AndI;
  case tile::Combine::Or:
    return Opcode::OrI;
  case tile::Combine::Xor:
    return Opcode::XorI;
  }
  llvm_unreachable("all combinations are named");
}

LogicalResult Compiler::compileStore(tile::StoreOp store, Body &body) {
  FailureOr<uint32_t> tile = getView(store, store.getTile()), dest = getView(store, store.getDest());
  FailureOr<SmallVector<Linear>> subscripts = compileSubscripts(store, store.getMap(), store.getOperands_());
  FailureOr<std::optional<Numbered>> numbered = getNumbered(store);
  if (failed(tile) || failed(dest) || failed(subscripts) || failed(numbered))
    return failure();
  auto node = std::make_unique<StoreNode>();
  node->numbered = *numbered;
  if (store.getUnique())
    node->numbered->unique = true;
  node->tile = *tile;
  node->dest = *dest;
  auto type = cast<MemRefType>(store.getTile().getType());
  node->shape = llvm::to_vector(type.getShape());
  node->subscripts = *subscripts;
  if (std::optional<tile::Combine> combine = store.getCombine()) {
    Type element = type.getElementType();
    node->old = registers.create();
    node->added = registers.create();
    Instruction instruction{getCombineOpcode(*combine, isa<FloatType>(element))};
    instruction.width = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
    instruction.format = Format::of(element);
    instruction.result = instruction.a = node->old;
    instruction.b = node->added;
    instruction.op = store;
    node->combine.push_back(instruction);
  }
  body.push_back(std::move(node));
  return success();
}

LogicalResult tilec::reference::compile(tile::KernelOp kernel, const Arguments &arguments, Machine &machine,
                                        Body &body) {
  Compiler compiler(machine);
  if (failed(compiler.bindArguments(kernel, arguments)))
    return failure();
  return compiler.compileBlock(kernel.getBody().front(), body);
}
