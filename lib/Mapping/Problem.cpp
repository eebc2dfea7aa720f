//===- Problem.cpp - What a kernel without loops computes -------*- C++ -*-===//

#include "tilec/Mapping/Problem.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "tilec/Tile/Access.h"
#include "tilec/Tile/Program.h"

#include <numeric>

using namespace mlir;
using namespace tilec;
using namespace tilec::mapping;
using linalg::LinalgOp;

bool mapping::isOpen(tile::KernelOp kernel) {
  // Whoever stages, stores, launches or branches has said how.
  auto saysHow = [](Operation &op) { return isa<tile::TileDialect>(op.getDialect()) || (op.getNumRegions() > 0 && !isa<LinalgOp>(op)); };
  return !kernel.getBody().getOps<LinalgOp>().empty() && llvm::none_of(kernel.getBody().front(), saysHow);
}

OpFoldResult mapping::getOperandExtent(Value memref, unsigned dim) {
  tile::Factors factors = tile::getExtents(memref)[dim];
  if (factors.size() == 1)
    return factors.front();
  // Rule C4: what views merge are numbers.
  int64_t product = 1;
  for (OpFoldResult factor : factors)
    product *= *getConstantIntValue(factor);
  return Builder(memref.getContext()).getIndexAttr(product);
}

int64_t mapping::getValue(OpFoldResult extent, ArrayRef<int64_t> arguments) {
  if (auto number = dyn_cast<Attribute>(extent))
    return cast<IntegerAttr>(number).getInt();
  return arguments[cast<BlockArgument>(cast<Value>(extent)).getArgNumber()];
}

double mapping::countPoints(tile::KernelOp kernel, ArrayRef<int64_t> arguments) {
  double points = 0;
  for (LinalgOp op : kernel.getBody().getOps<LinalgOp>()) {
    SmallVector<double> extents(op.getNumLoops(), 1);
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<MemRefType>(operand.get().getType()))
        continue;
      for (auto [position, expr] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
        if (auto dim = dyn_cast<AffineDimExpr>(expr))
          extents[dim.getPosition()] = double(getValue(getOperandExtent(operand.get(), position), arguments));
    }
    points += std::accumulate(extents.begin(), extents.end(), 1.0, std::multiplies<double>());
  }
  return points;
}

TypedAttr mapping::getFill(LinalgOp op) {
  if (op.getNumDpsInits() != 1 || !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isPermutation() || llvm::any_of(op.getDpsInputs(), [](Value input) { return isa<MemRefType>(input.getType()); }))
    return {};
  Value yielded = op.getBlock()->getTerminator()->getOperand(0);
  if (auto argument = dyn_cast<BlockArgument>(yielded); argument && argument.getOwner() == op.getBlock())
    yielded = op->getOperand(argument.getArgNumber());
  TypedAttr value;
  return matchPattern(yielded, m_Constant(&value)) ? value : TypedAttr();
}

/// Is `expr` a sum of multiples of dimensions and a constant?
static bool isSum(AffineExpr expr) {
  bool sum = true;
  expr.walk([&](AffineExpr part) {
    if (part.getKind() == AffineExprKind::Mod || part.getKind() == AffineExprKind::FloorDiv || part.getKind() == AffineExprKind::CeilDiv)
      sum = false;
  });
  return sum;
}

LogicalResult mapping::checkMaps(LinalgOp root) {
  for (BlockArgument operand : root->getParentOfType<tile::KernelOp>().getBody().getArguments())
    if (tile::isInConstantMemory(operand.getType())) // limit_x42
      return root->emitError("stands in a kernel with an operand of type ") << operand.getType() << "; a mapping is known for operands in dram";
  if (root.getNumDpsInits() != 1)
    return root->emitError("has ") << root.getNumDpsInits() << " results; a mapping is known for one"; // limit_x42
  for (OpOperand &operand : root->getOpOperands())
    if (isa<MemRefType>(operand.get().getType()) && !llvm::all_of(root.getMatchingIndexingMap(&operand).getResults(), isSum))
      return root->emitError("operand #") << operand.getOperandNumber() << " has map " << AffineMapAttr::get(root.getMatchingIndexingMap(&operand))
                                          << ", which is no sum of multiples of dimensions";
  if (cast<MemRefType>(root.getDpsInits()[0].getType()).getRank() == 0)
    return root->emitError("has a result of rank 0; give it a dimension of 1"); // limit_x42
  AffineMap written = root.getMatchingIndexingMap(root.getDpsInitOperand(0));
  if (!written.isProjectedPermutation())
    return root->emitError("writes its result by map ") << AffineMapAttr::get(written) << "; a mapping is known where each subscript is a dimension of its own, so that all of it is written"; // limit_x42
  return success();
}

/// Fills in dimensions with their extents, which all operands that state one must agree on.
static LogicalResult readDims(Problem &problem, ArrayRef<int64_t> arguments) {
  LinalgOp root = problem.root;
  problem.dims.resize(root.getNumLoops());
  for (auto [dim, iterator] : llvm::zip_equal(problem.dims, root.getIteratorTypesArray()))
    dim.parallel = iterator == utils::IteratorType::parallel;
  for (OpOperand &operand : root->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    AffineMap map = root.getMatchingIndexingMap(&operand);
    for (auto [position, expr] : llvm::enumerate(map.getResults())) {
      auto number = dyn_cast<AffineDimExpr>(expr);
      if (!number)
        continue;
      Dim &dim = problem.dims[number.getPosition()];
      OpFoldResult extent = getOperandExtent(operand.get(), position);
      if (dim.extent && dim.extent != extent) {
        InFlightDiagnostic diag = root->emitError("operand #") << operand.getOperandNumber() << " has another extent along dimension " << position
                                                               << " than an operand before it, and both are extents of d" << number.getPosition();
        return diag << "; give both the same size";
      }
      dim.extent = extent;
      dim.size = getValue(extent, arguments);
    }
  }
  for (auto [number, dim] : llvm::enumerate(problem.dims)) {
    if (!dim.extent)
      return root->emitError("has no operand that d") << number << " is a subscript of, which would say how far it goes"; // limit_x42
    if (dim.size == 0)
      return root->emitError("computes nothing: the extent of d") << number << " is 0; --shape says other sizes";
  }
  return success();
}

/// The op that decides the mapping: the one that reduces, or else the first that is no fill.
static FailureOr<LinalgOp> findRoot(ArrayRef<LinalgOp> ops) {
  LinalgOp root;
  for (LinalgOp op : ops)
    if (op.getNumReductionLoops() > 0) {
      if (root) {
        InFlightDiagnostic diag = op->emitError("is the second computation of the kernel that reduces; a kernel is one launch, which one of them is mapped to"); // limit_x42
        diag.attachNote(root.getLoc()) << "the first one";
        return diag;
      }
      root = op;
    }
  if (!root)
    for (LinalgOp op : ops)
      if (!getFill(op)) {
        root = op;
        break;
      }
  return root ? root : ops.back();
}

/// Does `op` compute element (i, j, ...) of its result from element (i, j, ...) of `result`, among other things?
static bool isOnResult(LinalgOp op, Value result) {
  if (op.getNumReductionLoops() > 0 || op.getNumDpsInits() != 1)
    return false;
  AffineMap written = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (!written.isPermutation())
    return false;
  bool reads = op.getDpsInits()[0] == result && op.payloadUsesValueFromOperand(op.getDpsInitOperand(0));
  for (OpOperand *input : op.getDpsInputOperands())
    if (input->get() == result) {
      if (op.getMatchingIndexingMap(input) != written)
        return false;
      reads = true;
    }
  return reads;
}

FailureOr<Problem> Problem::get(tile::KernelOp kernel, ArrayRef<int64_t> arguments) {
  auto ops = llvm::to_vector(kernel.getBody().getOps<LinalgOp>());
  Problem problem;
  problem.kernel = kernel;
  FailureOr<LinalgOp> root = findRoot(ops);
  if (failed(root) || failed(checkMaps(*root)))
    return failure();
  problem.root = *root;
  OpOperand *init = root->getDpsInitOperand(0);
  problem.output = {init->get(), root->getMatchingIndexingMap(init)};
  problem.accumulates = root->payloadUsesValueFromOperand(init);
  for (OpOperand *input : root->getDpsInputOperands())
    if (isa<MemRefType>(input->get().getType()))
      problem.inputs.push_back({input->get(), root->getMatchingIndexingMap(input)});
  if (failed(readDims(problem, arguments)))
    return failure();

  size_t before = llvm::find(ops, *root) - ops.begin();
  for (LinalgOp op : ArrayRef(ops).take_front(before)) {
    TypedAttr fill = getFill(op);
    if (!fill)
      return op->emitError("stands ahead of the computation that the kernel is mapped to and is no fill; put it in a kernel of its own"); // limit_x42
    if (op.getDpsInits()[0] != problem.output.memref)
      return op->emitError("fills another array than the one that the kernel's computation adds to; put it in a kernel of its own"); // limit_x42
    problem.init = fill;
  }
  if (failed(problem.addEpilogue(ArrayRef(ops).drop_front(before + 1))))
    return failure();
  for (const Use &input : problem.inputs)
    if (problem.init && input.memref == problem.output.memref)
      return problem.root->emitError("reads as an input what is filled before it; write the constant in its body"); // limit_x42
  return problem;
}

LogicalResult Problem::addEpilogue(ArrayRef<LinalgOp> ops) {
  Value result = output.memref;
  for (LinalgOp op : ops) {
    if (!isOnResult(op, result))
      return op->emitError("is not element by element on the result of what stands ahead of it; put it in a kernel of its own"); // limit_x42
    for (Value input : op.getDpsInputs())
      if (isa<MemRefType>(input.getType()) && input != result && !isa<BlockArgument>(input))
        return op->emitError("reads an array of the kernel beside the result of what stands ahead of it, which is not held; put it in a kernel of its own"); // limit_x42
    Value next = op.getDpsInits()[0];
    if (next != result && isa<BlockArgument>(result))
      return op->emitError("computes another operand than the result that it reads, which then were two results; let the first be a memref.alloc"); // limit_x42
    epilogue.push_back(op);
    result = next;
  }
  if (!isa<BlockArgument>(result))
    return root->emitError("leaves its result in an array of the kernel, which nobody reads"); // limit_x42
  return success();
}

Value Problem::getResult() const {
  return epilogue.empty() ? output.memref : LinalgOp(epilogue.back()).getDpsInits()[0];
}

std::optional<unsigned> Problem::getFastDim(const Use &use) {
  FailureOr<SmallVector<int64_t>> strides = tile::getStaticStrides(cast<MemRefType>(use.memref.getType()));
  if (failed(strides))
    return std::nullopt;
  for (auto [expr, stride] : llvm::zip_equal(use.map.getResults(), *strides)) {
    if (stride != 1)
      continue;
    for (unsigned dim = 0; dim < use.map.getNumDims(); ++dim)
      if (expr == getAffineDimExpr(dim, use.map.getContext()))
        return dim;
    // Of a window the dimension that moves by one; the first is the window's place.
    for (unsigned dim = 0; dim < use.map.getNumDims(); ++dim)
      if (expr.isFunctionOfDim(dim))
        return dim;
  }
  return std::nullopt;
}

bool Problem::hasOddRows(const Use &use, int64_t multiple) const {
  auto type = cast<MemRefType>(use.memref.getType());
  if (type.getRank() < 2 || !type.getLayout().isIdentity())
    return false;
  auto last = dyn_cast<AffineDimExpr>(use.map.getResults().back());
  return last && dims[last.getPosition()].size * type.getElementTypeBitWidth() / 8 % multiple != 0;
}

double Problem::getPoints() const {
  double points = 1;
  for (const Dim &dim : dims)
    points *= double(dim.size);
  return points;
}
