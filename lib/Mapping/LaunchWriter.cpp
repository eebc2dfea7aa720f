//===- LaunchWriter.cpp - Kernels of some ops of a kernel -------*- C++ -*-===//

#include "LaunchWriter.h"

#include "Generics.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/AffineExpr.h"
#include "tilec/Tile/Access.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::mapping;
using linalg::LinalgOp;

/// Is `memref` an array that nobody but `ops` uses?
bool LaunchWriter::isInside(Value memref, ArrayRef<LinalgOp> ops) const {
  return memref.getDefiningOp<memref::AllocOp>() && llvm::all_of(memref.getUsers(), [&](Operation *user) { return llvm::is_contained(ops, user); });
}

static SmallVector<OpFoldResult> getExtents(Value memref) {
  return llvm::map_to_vector(llvm::seq<unsigned>(cast<MemRefType>(memref.getType()).getRank()), [&](unsigned dim) { return getOperandExtent(memref, dim); });
}

/// What `ops` use of the kernel: arrays, sizes and scalars, and ops that compute others from these, in their order.
void LaunchWriter::listUses(ArrayRef<LinalgOp> ops, llvm::SetVector<Value> &memrefs, llvm::SetVector<Value> &numbers,
                            llvm::SetVector<Operation *> &computed) const {
  SmallVector<Operation *> waiting;
  for (LinalgOp op : ops)
    op->walk([&](Operation *inner) { waiting.push_back(inner); });
  llvm::SmallPtrSet<Operation *, 8> needed;
  while (!waiting.empty())
    for (Value operand : waiting.pop_back_val()->getOperands()) {
      if (operand.getParentBlock() != &block)
        continue;
      Operation *maker = operand.getDefiningOp();
      if (isa<MemRefType>(operand.getType()))
        memrefs.insert(operand);
      else if (!maker)
        numbers.insert(operand);
      else if (needed.insert(maker).second)
        waiting.push_back(maker);
    }
  for (Operation &op : block)
    if (needed.contains(&op))
      computed.insert(&op);
}

void mapping::shapeCodes(const Copied &array, SmallVectorImpl<int64_t> &codes) {
  if (array.copy.isTurned)
    std::reverse(codes.begin(), codes.end());
  if (!array.copy.every.empty())
    codes = llvm::map_to_vector(array.type.getShape(), tile::KernelOp::encodeExtent);
}

static bool comesBefore(Value a, Value b) {
  auto first = dyn_cast<BlockArgument>(a), second = dyn_cast<BlockArgument>(b);
  if (first && second)
    return first.getArgNumber() < second.getArgNumber();
  if (first || second)
    return bool(first);
  return a.getDefiningOp()->isBeforeInBlock(b.getDefiningOp());
}

SmallVector<SmallVector<int64_t>> mapping::getFactors(AffineMap map) {
  SmallVector<int64_t> point(map.getNumDims(), 0);
  SmallVector<int64_t> origin = map.compose(point);
  SmallVector<SmallVector<int64_t>> factors(map.getNumResults());
  for (int64_t &place : point) {
    place = 1;
    for (auto [terms, value, constant] : llvm::zip_equal(factors, map.compose(point), origin))
      terms.push_back(value - constant);
    place = 0;
  }
  for (auto [terms, constant] : llvm::zip_equal(factors, origin))
    terms.push_back(constant);
  return factors;
}

/// Where what read by `map` stands in the array that `copy` makes.
static AffineMap findInCopy(AffineMap map, const CopyAhead &copy) {
  MLIRContext *context = map.getContext();
  if (copy.isTurned)
    return AffineMap::get(map.getNumDims(), 0, {map.getResult(1), map.getResult(0)}, context);
  SmallVector<AffineExpr> places;
  for (auto [factors, every] : llvm::zip_equal(getFactors(map), copy.every)) {
    AffineExpr place = getAffineConstantExpr(factors.pop_back_val() / every, context);
    for (auto [dim, factor] : llvm::enumerate(factors))
      place = place + getAffineDimExpr(dim, context) * (factor / every);
    places.push_back(place);
  }
  if (!copy.terms.empty())
    places.pop_back();
  for (const CopyAhead::Term &term : copy.terms)
    places.push_back(getAffineDimExpr(term.dim, context));
  return AffineMap::get(map.getNumDims(), 0, places, context);
}

/// Has `op` read the array that `copy` makes.
static void moveUses(LinalgOp op, Value array, const CopyAhead &copy, OpBuilder &b) {
  if (!llvm::is_contained(op->getOperands(), array))
    return;
  linalg::GenericOp generic = generalize(op);
  SmallVector<AffineMap> maps = generic.getIndexingMapsArray();
  for (auto [map, operand] : llvm::zip_equal(maps, generic->getOperands()))
    if (operand == array)
      map = findInCopy(map, copy);
  generic.setIndexingMapsAttr(b.getAffineMapArrayAttr(maps));
}

tile::KernelOp LaunchWriter::write(ArrayRef<LinalgOp> ops, const DenseMap<Value, Copied> &copies, StringRef name, OpBuilder &b,
                                   SmallVectorImpl<Value> &given) const {
  llvm::SetVector<Value> memrefs, numbers;
  llvm::SetVector<Operation *> computed;
  listUses(ops, memrefs, numbers, computed);
  SmallVector<Value> arrays = memrefs.takeVector();
  llvm::sort(arrays, comesBefore);
  for (Value array : arrays)
    for (OpFoldResult extent : getExtents(array))
      if (auto size = dyn_cast<Value>(extent))
        numbers.insert(size);
  llvm::copy_if(arrays, std::back_inserter(given), [&](Value array) { return !isInside(array, ops); });
  size_t operands = given.size();
  SmallVector<Value> rest = numbers.takeVector();
  llvm::sort(rest, comesBefore);
  llvm::append_range(given, rest);

  SmallVector<Type> types;
  SmallVector<Location> locations;
  SmallVector<Attribute> shapes;
  for (auto [number, value] : llvm::enumerate(given)) {
    auto copy = copies.find(value);
    types.push_back(copy == copies.end() ? value.getType() : Type(copy->second.type));
    locations.push_back(value.getLoc());
    SmallVector<int64_t> codes;
    if (number < operands)
      for (OpFoldResult extent : getExtents(value)) {
        auto size = dyn_cast<Value>(extent);
        codes.push_back(size ? llvm::find(given, size) - given.begin() : tile::KernelOp::encodeExtent(cast<IntegerAttr>(cast<Attribute>(extent)).getInt()));
      }
    if (copy != copies.end())
      shapeCodes(copy->second, codes);
    shapes.push_back(b.getDenseI64ArrayAttr(codes));
  }
  auto made = tile::KernelOp::create(b, kernel->getLoc(), name, b.getFunctionType(types, {}), b.getArrayAttr(shapes),
                                     /*dataflow=*/{}, /*arg_attrs=*/{}, /*res_attrs=*/{}, /*sym_visibility=*/{});
  OpBuilder::InsertionGuard guard(b);
  Block *inside = b.createBlock(&made.getBody(), {}, types, locations);
  IRMapping copied;
  copied.map(ArrayRef(given), inside->getArguments());
  for (Operation &op : block)
    if (computed.contains(&op) || llvm::is_contained(ops, &op) || (op.getNumResults() == 1 && llvm::is_contained(arrays, op.getResult(0)) && isInside(op.getResult(0), ops)))
      b.clone(op, copied);
  for (const auto &[argument, array] : copies)
    if (array.copy.isTurned || !array.copy.every.empty())
      for (LinalgOp op : llvm::to_vector(inside->getOps<LinalgOp>()))
        moveUses(op, copied.lookup(argument), array.copy, b);
  return made;
}

tile::ProgramOp LaunchWriter::writeProgram(OpBuilder &b, IRMapping &copied) const {
  tile::ProgramOp program = tile::createProgram(b, kernel);
  copied.map(block.getArguments(), program.getBody().getArguments());
  return program;
}
