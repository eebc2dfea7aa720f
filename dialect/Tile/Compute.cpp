//===- Compute.cpp - Rules on computation -----------------------*- C++ -*-===//
//
// C1: scalar ops are of a closed list. C2: what a linalg op reads and writes, it
// reads and writes by one map and part. C3: types of scalars and elements. C4:
// linalg ops work on operands, tiles and parts of them. C5: in which order. C6, C7: by which
// instruction.
//
//===----------------------------------------------------------------------===//

#include "Compute.h"

#include "tilec/Layout/Instructions.h"
#include "tilec/Tile/Access.h"
#include "tilec/Tile/ComputeClauses.h"
#include "tilec/Tile/InstructionUse.h"
#include "tilec/Tile/ScalarOps.h"
#include "tilec/Tile/Program.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilec::tile;

//===----------------------------------------------------------------------===//
// What is read and written
//===----------------------------------------------------------------------===//

namespace {
/// How the boxes of two operands of one root lie.
enum class Overlap { Same, Apart, Unknown };

/// A memref of a computation and the box of its root that it is.
struct Box {
  OpOperand *operand;
  Access access;
  ArrayRef<int64_t> shape;

  explicit Box(OpOperand &operand)
      : operand(&operand), access(traceParts(operand.get())), shape(cast<MemRefType>(operand.get().getType()).getShape()) {}
};
} // namespace

static Overlap getOverlap(const Box &a, const Box &b) {
  bool same = true;
  for (auto [x, y, extentX, extentY] : llvm::zip_equal(a.access.subscripts, b.access.subscripts, a.shape, b.shape)) {
    LinearExpr distance = y;
    for (auto [value, factor] : x.terms)
      distance.add(value, -factor);
    if (!distance.terms.empty()) {
      same = false;
      continue;
    }
    int64_t offset = distance.constant - x.constant;
    if ((!ShapedType::isDynamic(extentX) && offset >= extentX) || (!ShapedType::isDynamic(extentY) && -offset >= extentY))
      return Overlap::Apart;
    same &= offset == 0;
  }
  return same ? Overlap::Same : Overlap::Unknown;
}

static InFlightDiagnostic &noteRoot(InFlightDiagnostic &diag, const Box &box) {
  diag.attachNote(box.access.root.getLoc()) << "what both are parts of";
  return diag;
}

// kernel_c2
static LogicalResult verifyReadsAndWrites(linalg::LinalgOp compute) {
  SmallVector<Box> outs;
  for (OpOperand &init : compute.getDpsInitsMutable()) {
    Box out(init);
    for (const Box &other : outs)
      if (other.access.root == out.access.root && getOverlap(other, out) != Overlap::Apart) {
        InFlightDiagnostic diag = compute->emitOpError("writes outs #")
                                  << outs.size() << " over outs #" << &other - outs.begin()
                                  << " (rule C2); which of the two values would stay is not said";
        return noteRoot(diag, out);
      }
    outs.push_back(std::move(out));
  }
  for (OpOperand *input : compute.getDpsInputOperands()) {
    if (!isa<MemRefType>(input->get().getType()) || compute.getMatchingBlockArgument(input).use_empty())
      continue;
    Box in(*input);
    for (auto [number, out] : llvm::enumerate(outs)) {
      if (out.access.root != in.access.root)
        continue;
      Overlap overlap = getOverlap(in, out);
      AffineMap reads = compute.getMatchingIndexingMap(input), writes = compute.getMatchingIndexingMap(out.operand);
      if (overlap == Overlap::Apart || (overlap == Overlap::Same && reads == writes))
        continue;
      InFlightDiagnostic diag = compute->emitOpError("reads ins #") << input->getOperandNumber() << " from where it writes outs #"
                                                                    << number << ", by another ";
      if (overlap == Overlap::Same)
        diag << "map (" << AffineMapAttr::get(reads) << ", not " << AffineMapAttr::get(writes) << ")";
      else
        diag << "part";
      diag << " (rule C2): an element may be written before it is read; read a copy, which tile.stage or another computation makes";
      return noteRoot(diag, in);
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The rules of one op
//===----------------------------------------------------------------------===//

// kernel_c4
static LogicalResult verifyOperands(linalg::LinalgOp compute) {
  for (OpOperand &operand : compute->getOpOperands()) {
    Type type = operand.get().getType();
    if (isa<MemRefType>(type)) {
      Value root = getArray(traceParts(operand.get()).root);
      auto argument = dyn_cast<BlockArgument>(root);
      if (argument ? isa<KernelOp>(argument.getOwner()->getParentOp()) : isa_and_present<HoldOp, StageOp, memref::AllocOp>(root.getDefiningOp()))
        continue;
      InFlightDiagnostic diag = compute->emitOpError("operand #")
                                << operand.getOperandNumber()
                                << " is no operand of the kernel, staged or held tile, or part of one (rule C4)";
      diag.attachNote(root.getLoc()) << "it comes from here";
      return diag;
    }
    if (compute.isDpsInit(&operand) || !isScalarType(type))
      return compute->emitOpError("operand #")
             << operand.getOperandNumber() << " is of type " << type << "; computations work on memrefs, and read scalars (rule C4)";
  }
  return success();
}

static LogicalResult verifyCompute(linalg::LinalgOp compute) {
  if (failed(verifyOperands(compute)) || failed(verifyReadsAndWrites(compute)))
    return failure();
  for (Operation &inner : compute.getBlock()->without_terminator())
    if (failed(verifyScalar(&inner, /*inBody=*/true)))
      return failure();
  return success();
}

// kernel_c3
static LogicalResult verifyElements(Operation *op, Value memref) {
  auto type = dyn_cast<MemRefType>(memref.getType());
  if (!type || isElementType(type.getElementType()))
    return success();
  InFlightDiagnostic diag = op->emitOpError("has a memref of ")
                            << type.getElementType() << "; elements are f64, f32, f16, bf16, f8E4M3FN, f8E5M2, i64, i32, i16 and i8 (rule C3)";
  diag.attachNote(memref.getLoc()) << "the memref";
  return diag;
}

/// Is dimension `dim` one of each result? Points that differ in it write different elements then.
static bool isOfEachResult(linalg::LinalgOp compute, int64_t dim) {
  return llvm::all_of(compute.getDpsInitsMutable(), [&](OpOperand &init) {
    return llvm::is_contained(compute.getMatchingIndexingMap(&init).getResults(), getAffineDimExpr(dim, compute->getContext()));
  });
}

std::optional<Turn> tilec::tile::findTurn(linalg::LinalgOp compute, ArrayRef<int64_t> order) {
  SmallVector<int64_t> ranges = compute.getStaticLoopRanges();
  auto longer = llvm::to_vector(llvm::make_filter_range(order, [&](int64_t dim) { return ranges[dim] != 1; }));
  return longer.size() < 2 ? std::nullopt : std::optional(Turn{longer.back(), longer[longer.size() - 2]});
}

static LogicalResult verifySnake(linalg::LinalgOp compute, ArrayRef<int64_t> order) {
  Attribute attribute = compute->getAttr(kSnake);
  if (!attribute)
    return success();
  std::optional<Turn> turn = findTurn(compute, order);
  if (!isa<mlir::UnitAttr>(attribute) || !turn) // kernel_c5
    return compute->emitOpError("has ") << kSnake << "; expected a unit beside a " << kOrder << " of two dimensions or more that have more than one place";
  if (!isOfEachResult(compute, turn->dim)) // kernel_c5
    return compute->emitOpError("has ") << kSnake << ", but dimension " << turn->dim
                                        << ", the last one, is none of each result, so that the points that write an element would change their order";
  return success();
}

static LogicalResult verifyOrder(linalg::LinalgOp compute) {
  Attribute attribute = compute->getAttr(kOrder);
  if (!attribute)
    return verifySnake(compute, {});
  auto order = dyn_cast<DenseI64ArrayAttr>(attribute);
  int64_t loops = compute.getNumLoops();
  SmallVector<int64_t> sorted = order ? llvm::to_vector(order.asArrayRef()) : SmallVector<int64_t>();
  llvm::sort(sorted);
  if (!order || sorted != llvm::to_vector(llvm::seq<int64_t>(loops))) // kernel_c5
    return compute->emitOpError("has ") << kOrder << " " << attribute << "; expected array<i64: ...> with each number below " << loops << " once";
  int64_t last = -1;
  for (int64_t dim : order.asArrayRef()) {
    if (isOfEachResult(compute, dim))
      continue;
    if (dim < last) // kernel_c5
      return compute->emitOpError("has ") << kOrder << " with dimension " << last << " outside of " << dim
                                          << "; neither is a dimension of each result, so that the points that write an element would change their order";
    last = dim;
  }
  return verifySnake(compute, order.asArrayRef());
}

static LogicalResult verifyInstruction(linalg::LinalgOp compute) {
  Attribute attribute = compute->getAttr(kInstruction);
  if (!attribute)
    return success();
  auto name = dyn_cast<StringAttr>(attribute);
  if (!name) // kernel_c6
    return compute->emitOpError("has ") << kInstruction << " " << attribute << "; expected the name of an instruction";
  auto instruction = tilec::layout::instructionLayout(name.getValue());
  if (!instruction) // kernel_c6
    return compute->emitOpError("has ") << kInstruction << " " << attribute << ": " << instruction.error().message;
  if (instruction->kind != tilec::layout::InstructionKind::Multiply) // kernel_c6
    return compute->emitOpError("has ") << kInstruction << " " << attribute << ", which does not multiply";
  return success();
}

/// An array between the computations of a kernel without loops, or a view of one (rule C4).
static bool isIntermediate(Operation *op) {
  auto kernel = dyn_cast<KernelOp>(op->getParentOp());
  return (isa<memref::AllocOp>(op) || isView(op)) && kernel && kernel.getBody().getOps<ForOp>().empty();
}

/// Who makes `array`: an op, or the kernel whose operand it is.
static Operation *getOwner(Value array) {
  auto argument = dyn_cast<BlockArgument>(array);
  return argument ? argument.getOwner()->getParentOp() : array.getDefiningOp();
}

static LogicalResult verifyIntermediate(Operation *op) {
  if (!isView(op))
    return success();
  if (!isa<memref::AllocOp, KernelOp>(getOwner(getArray(op->getResult(0))))) // kernel_c4
    return op->emitOpError("is a view of what is no operand of the kernel or array of it (rule C4)");
  if (failed(verifyView(op)))
    return failure();
  for (auto [dim, extent] : llvm::enumerate(getExtents(op->getResult(0))))
    if (extent.size() > 1 && llvm::any_of(extent, [](OpFoldResult factor) { return isa<Value>(factor); })) // kernel_c4
      return op->emitOpError("has a product of sizes for extent of dimension ") << dim << "; what a kernel without loops merges are dimensions whose extents are numbers (rule C4)";
  return success();
}

LogicalResult tilec::tile::verifyComputations(KernelOp kernel) {
  for (BlockArgument argument : kernel.getBody().getArguments())
    if (failed(verifyElements(kernel, argument)))
      return failure();
  WalkResult result = kernel.getBody().walk<WalkOrder::PreOrder>([](Operation *op) -> WalkResult {
    if (auto compute = dyn_cast<linalg::LinalgOp>(op))
      return failed(verifyCompute(compute)) || failed(verifyOrder(compute)) || failed(verifyInstruction(compute)) ||
                     failed(verifyInstructionUse(compute))
                 ? WalkResult::interrupt() : WalkResult::skip();
    if (auto hold = dyn_cast<HoldOp>(op))
      return WalkResult(verifyElements(op, hold.getTile()));
    if (isIntermediate(op))
      return WalkResult(verifyIntermediate(op));
    if (isa_and_present<TileDialect>(op->getDialect()) || isa<scf::IfOp, scf::YieldOp>(op))
      return WalkResult::advance();
    return WalkResult(verifyScalar(op, /*inBody=*/false));
  });
  return failure(result.wasInterrupted());
}
