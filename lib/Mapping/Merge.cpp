//===- Merge.cpp - Dimensions that are walked as one ------------*- C++ -*-===//

#include "tilec/Mapping/Merge.h"

#include "Generics.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilec/Tile/Access.h"
#include "tilec/Tile/Program.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::mapping;
using linalg::LinalgOp;

//===----------------------------------------------------------------------===//
// What can be merged
//===----------------------------------------------------------------------===//

namespace {

/// A dimension and the one after it are a link; links are taken away until all that are left agree.
class Merger {
public:
  explicit Merger(tile::KernelOp kernel);
  /// Of each array whether a dimension and the next are one.
  llvm::MapVector<Value, llvm::SmallBitVector> run();

private:
  /// An op, and of each of its dimensions the one that is walked inside of it.
  struct Walk {
    LinalgOp op;
    SmallVector<std::optional<unsigned>> next;
  };

  void addWalk(LinalgOp op);
  bool isLinked(Value array, unsigned dim) const {
    auto links = arrays.find(array);
    return links != arrays.end() && links->second.test(dim);
  }
  bool agrees(const Walk &walk, unsigned outer, unsigned inner) const;
  bool narrowWalks();
  bool narrowArrays();

  llvm::MapVector<Value, llvm::SmallBitVector> arrays;
  std::vector<Walk> walks;
};

} // namespace

/// The dimension that an expression is, if it is one alone.
static std::optional<unsigned> getDim(AffineExpr expr) {
  auto dim = dyn_cast<AffineDimExpr>(expr);
  return dim ? std::optional(dim.getPosition()) : std::nullopt;
}

Merger::Merger(tile::KernelOp kernel) {
  for (LinalgOp op : kernel.getBody().getOps<LinalgOp>())
    addWalk(op);
}

void Merger::addWalk(LinalgOp op) {
  Walk &walk = walks.emplace_back(Walk{op, SmallVector<std::optional<unsigned>>(op.getNumLoops())});
  // Who asks for its place, or says how dimensions are walked, has them as they are.
  bool keeps = op.hasIndexSemantics() || !op->getDiscardableAttrs().empty();
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (!type || type.getRank() == 0)
      continue;
    bool isDense = type.getLayout().isIdentity() && tile::getLevel(type) == tile::Level::DRAM;
    arrays.insert({operand.get(), llvm::SmallBitVector(type.getRank() - 1, isDense)});
    ArrayRef<AffineExpr> exprs = op.getMatchingIndexingMap(&operand).getResults();
    for (size_t place = 0; !keeps && place + 1 < exprs.size(); ++place)
      if (std::optional<unsigned> outer = getDim(exprs[place]), inner = getDim(exprs[place + 1]); outer && inner && !walk.next[*outer])
        walk.next[*outer] = inner;
  }
}

/// Does `inner` follow `outer` wherever an operand of the op has one of them?
bool Merger::agrees(const Walk &walk, unsigned outer, unsigned inner) const {
  LinalgOp op = walk.op;
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  if (outer == inner || iterators[outer] != iterators[inner])
    return false;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    unsigned linked = 0, found = 0;
    for (auto [place, expr] : llvm::enumerate(map.getResults())) {
      found += expr.isFunctionOfDim(outer) + expr.isFunctionOfDim(inner);
      bool follows = place + 1 < map.getNumResults() && getDim(expr) == outer && getDim(map.getResult(place + 1)) == inner;
      linked += follows && isLinked(operand.get(), place);
    }
    if (found != 2 * linked || linked > 1)
      return false;
  }
  return true;
}

bool Merger::narrowWalks() {
  bool changed = false;
  for (Walk &walk : walks)
    for (auto [outer, inner] : llvm::enumerate(walk.next))
      if (inner && !agrees(walk, outer, *inner)) {
        inner = std::nullopt;
        changed = true;
      }
  return changed;
}

bool Merger::narrowArrays() {
  bool changed = false;
  for (const Walk &walk : walks) {
    LinalgOp op = walk.op;
    for (OpOperand &operand : op->getOpOperands()) {
      auto links = arrays.find(operand.get());
      if (links == arrays.end())
        continue;
      ArrayRef<AffineExpr> exprs = op.getMatchingIndexingMap(&operand).getResults();
      for (unsigned place : links->second.set_bits()) {
        std::optional<unsigned> outer = getDim(exprs[place]), inner = getDim(exprs[place + 1]);
        if (outer && inner && walk.next[*outer] == inner)
          continue;
        links->second.reset(place);
        changed = true;
      }
    }
  }
  return changed;
}

llvm::MapVector<Value, llvm::SmallBitVector> Merger::run() {
  while (narrowWalks() || narrowArrays()) {
  }
  return std::move(arrays);
}

/// The dimensions of an array with these links, parted into those that are one.
static SmallVector<ReassociationIndices> listGroups(const llvm::SmallBitVector &links) {
  SmallVector<ReassociationIndices> groups = {{0}};
  for (unsigned dim = 0; dim < links.size(); ++dim) {
    if (!links.test(dim))
      groups.emplace_back();
    groups.back().push_back(dim + 1);
  }
  return groups;
}

/// Of each array of a kernel the dimensions that are one; arrays that stay as they are are not there.
using MergedDims = llvm::DenseMap<Value, SmallVector<ReassociationIndices>>;

/// Is what is left to `kernel` a kernel, and no extent of it larger than those of operands may be?
static bool isAllowed(tile::KernelOp kernel, const MergedDims &merged, ArrayRef<int64_t> arguments) {
  llvm::SmallPtrSet<Value, 8> stay, go;
  std::vector<tile::Factors> products;
  for (BlockArgument argument : kernel.getBody().getArguments()) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type)
      continue;
    auto groups = merged.find(argument);
    for (unsigned dim = 0; groups == merged.end() && dim < type.getRank(); ++dim)
      if (auto size = dyn_cast<Value>(kernel.getOperandExtent(argument.getArgNumber(), dim)))
        stay.insert(size);
    if (groups == merged.end())
      continue;
    for (const ReassociationIndices &group : groups->second) {
      int64_t product = 1;
      tile::Factors &factors = products.emplace_back();
      for (int64_t dim : group) {
        OpFoldResult extent = factors.emplace_back(kernel.getOperandExtent(argument.getArgNumber(), dim));
        if (llvm::MulOverflow(product, getValue(extent, arguments), product) || product > tile::kMostExtent)
          return false;
        if (auto size = dyn_cast<Value>(extent))
          (group.size() > 1 ? go : stay).insert(size);
      }
    }
  }
  // An extent of an array of the kernel is a number, or one of an operand, too (rule K6).
  for (auto alloc : kernel.getBody().getOps<memref::AllocOp>())
    if (auto groups = merged.find(alloc); groups != merged.end())
      for (const ReassociationIndices &group : groups->second) {
        tile::Factors factors = llvm::map_to_vector<1>(group, [&](int64_t dim) { return alloc.getMixedSizes()[dim]; });
        bool isNumber = llvm::all_of(factors, [](OpFoldResult factor) { return isa<Attribute>(factor); });
        if (!isNumber && llvm::none_of(products, [&](const tile::Factors &product) { return tile::areEqual(product, factors); }))
          return false;
      }
  // What computations ask for must still be an extent of an operand.
  return llvm::all_of(go, [&](Value size) {
    return stay.contains(size) || llvm::all_of(size.getUsers(), [&](Operation *user) { return isa<memref::AllocOp>(user) && merged.contains(user->getResult(0)); });
  });
}

static MergedDims findMerged(tile::KernelOp kernel, ArrayRef<int64_t> arguments) {
  MergedDims merged;
  for (const auto &[array, links] : Merger(kernel).run())
    if (links.any())
      merged[array] = listGroups(links);
  return isAllowed(kernel, merged, arguments) ? merged : MergedDims();
}

bool mapping::canMerge(tile::KernelOp kernel, ArrayRef<int64_t> arguments) { return !findMerged(kernel, arguments).empty(); }

//===----------------------------------------------------------------------===//
// The kernel on merged arrays
//===----------------------------------------------------------------------===//

namespace {

class MergeWriter {
public:
  MergeWriter(tile::KernelOp kernel, const MergedDims &merged) : kernel(kernel), merged(merged) {}

  /// Makes the kernel, called `name`.
  tile::KernelOp write(StringRef name, OpBuilder &b);
  /// What a run of it is given where one of `kernel` is given `operands`.
  SmallVector<Value> give(ValueRange operands, OpBuilder &b, Location loc) const;
  /// Truth of whether operands may have the merged extents of such a run; null where all are numbers.
  Value writeQuestion(ValueRange operands, OpBuilder &b, Location loc) const;

private:
  MemRefType getType(Value array) const;
  int64_t addExtent(ArrayRef<OpFoldResult> factors);
  SmallVector<int64_t> addExtents(unsigned operand);
  void writeOp(LinalgOp op, OpBuilder &b, IRMapping &copied) const;
  void writeAlloc(memref::AllocOp alloc, OpBuilder &b, IRMapping &copied) const;
  Value getProduct(ArrayRef<OpFoldResult> factors, ValueRange operands, OpBuilder &b, Location loc) const;

  tile::KernelOp kernel;
  const MergedDims &merged;
  /// The arguments of `kernel` that stay, in their order, then new sizes, by what they are products of.
  SmallVector<BlockArgument> kept;
  std::vector<tile::Factors> products;
};

} // namespace

MemRefType MergeWriter::getType(Value array) const {
  auto groups = merged.find(array);
  auto type = cast<MemRefType>(array.getType());
  return groups == merged.end() ? type : memref::CollapseShapeOp::computeCollapsedType(type, groups->second);
}

/// How a bracket list says the product of `factors`.
int64_t MergeWriter::addExtent(ArrayRef<OpFoldResult> factors) {
  int64_t number = 1;
  for (OpFoldResult factor : factors)
    number *= getConstantIntValue(factor).value_or(1);
  if (llvm::all_of(factors, [](OpFoldResult factor) { return isa<Attribute>(factor); }))
    return tile::KernelOp::encodeExtent(number);
  if (factors.size() == 1)
    return llvm::find(kept, cast<Value>(factors.front())) - kept.begin();
  auto known = llvm::find_if(products, [&](const tile::Factors &product) { return tile::areEqual(product, factors); });
  int64_t code = kept.size() + (known - products.begin());
  if (known == products.end())
    products.emplace_back(factors);
  return code;
}

SmallVector<int64_t> MergeWriter::addExtents(unsigned operand) {
  Value array = kernel.getBody().getArgument(operand);
  auto groups = merged.find(array);
  SmallVector<int64_t> codes;
  auto add = [&](ArrayRef<int64_t> dims) { codes.push_back(addExtent(llvm::map_to_vector(dims, [&](int64_t dim) { return kernel.getOperandExtent(operand, dim); }))); };
  if (groups != merged.end())
    llvm::for_each(groups->second, add);
  else
    for (int64_t dim = 0; dim < cast<MemRefType>(array.getType()).getRank(); ++dim)
      add(dim);
  return codes;
}

/// An op on merged arrays has one dimension where it had those that are one.
void MergeWriter::writeOp(LinalgOp op, OpBuilder &b, IRMapping &copied) const {
  llvm::SmallBitVector isInner(op.getNumLoops());
  SmallVector<llvm::SmallBitVector> inner;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    llvm::SmallBitVector &places = inner.emplace_back(map.getNumResults());
    if (auto groups = merged.find(operand.get()); groups != merged.end())
      for (const ReassociationIndices &group : groups->second)
        for (int64_t place : ArrayRef(group).drop_front()) {
          places.set(place);
          isInner.set(*getDim(map.getResult(place)));
        }
  }
  if (isInner.none()) {
    b.clone(*op, copied);
    return;
  }
  // The outermost of merged dimensions stands for all of them.
  SmallVector<AffineExpr> dims;
  SmallVector<utils::IteratorType> iterators;
  for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
    dims.push_back(b.getAffineDimExpr(iterators.size()));
    if (!isInner.test(loop))
      iterators.push_back(iterator);
  }
  SmallVector<AffineMap> maps;
  for (auto [operand, places] : llvm::zip_equal(op->getOpOperands(), inner)) {
    SmallVector<AffineExpr> exprs;
    for (auto [place, expr] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (!places.test(place))
        exprs.push_back(expr.replaceDims(dims));
    maps.push_back(AffineMap::get(iterators.size(), 0, exprs, b.getContext()));
  }
  auto get = [&](Value value) { return copied.lookupOrDefault(value); };
  auto made = linalg::GenericOp::create(b, op.getLoc(), TypeRange(), llvm::map_to_vector(op.getDpsInputs(), get), llvm::map_to_vector(op.getDpsInits(), get), maps, iterators);
  op->getRegion(0).cloneInto(&made.getRegion(), copied);
}

void MergeWriter::writeAlloc(memref::AllocOp alloc, OpBuilder &b, IRMapping &copied) const {
  auto groups = merged.find(alloc);
  if (groups == merged.end()) {
    b.clone(*alloc, copied);
    return;
  }
  SmallVector<OpFoldResult> extents = alloc.getMixedSizes();
  SmallVector<Value> sizes;
  for (const ReassociationIndices &group : groups->second) {
    auto factors = llvm::map_to_vector(group, [&](int64_t dim) { return extents[dim]; });
    if (llvm::all_of(factors, [](OpFoldResult factor) { return isa<Attribute>(factor); }))
      continue;
    auto product = llvm::find_if(products, [&](const tile::Factors &product) { return tile::areEqual(product, factors); });
    sizes.push_back(factors.size() == 1 ? copied.lookup(cast<Value>(factors.front())) : b.getBlock()->getArgument(kept.size() + (product - products.begin())));
  }
  copied.map(alloc.getResult(), memref::AllocOp::create(b, alloc.getLoc(), getType(alloc), sizes).getResult());
}

static std::string nameOf(OpFoldResult extent) {
  auto size = dyn_cast<Value>(extent);
  if (!size)
    return std::to_string(cast<IntegerAttr>(cast<Attribute>(extent)).getInt());
  auto name = size.getLoc()->findInstanceOf<NameLoc>();
  return name ? name.getName().str() : "size";
}

tile::KernelOp MergeWriter::write(StringRef name, OpBuilder &b) {
  llvm::SmallPtrSet<Value, 8> extents;
  for (BlockArgument argument : kernel.getBody().getArguments()) {
    auto groups = merged.find(argument);
    for (unsigned dim = 0; isa<MemRefType>(argument.getType()) && dim < cast<MemRefType>(argument.getType()).getRank(); ++dim)
      if (groups == merged.end() || llvm::any_of(groups->second, [&](const ReassociationIndices &group) { return group.size() == 1 && group.front() == dim; }))
        if (auto size = dyn_cast<Value>(kernel.getOperandExtent(argument.getArgNumber(), dim)))
          extents.insert(size);
  }
  llvm::copy_if(kernel.getBody().getArguments(), std::back_inserter(kept), [&](BlockArgument argument) { return !argument.getType().isIndex() || extents.contains(argument); });
  SmallVector<Type> types;
  SmallVector<Location> locations;
  SmallVector<Attribute> shapes;
  for (BlockArgument argument : kept) {
    bool isArray = isa<MemRefType>(argument.getType());
    types.push_back(isArray ? Type(getType(argument)) : argument.getType());
    locations.push_back(argument.getLoc());
    shapes.push_back(b.getDenseI64ArrayAttr(isArray ? addExtents(argument.getArgNumber()) : SmallVector<int64_t>()));
  }
  for (const tile::Factors &product : products) {
    types.push_back(b.getIndexType());
    locations.push_back(NameLoc::get(b.getStringAttr(llvm::join(llvm::map_range(product, nameOf), "x")), kernel.getLoc()));
    shapes.push_back(b.getDenseI64ArrayAttr({}));
  }
  auto made = tile::KernelOp::create(b, kernel.getLoc(), name, b.getFunctionType(types, {}), b.getArrayAttr(shapes), /*dataflow=*/{}, /*arg_attrs=*/{}, /*res_attrs=*/{},
                                     /*sym_visibility=*/{});
  OpBuilder::InsertionGuard guard(b);
  Block *inside = b.createBlock(&made.getBody(), {}, types, locations);
  IRMapping copied;
  for (auto [before, after] : llvm::zip(kept, inside->getArguments()))
    copied.map(before, after);
  for (Operation &op : kernel.getBody().front()) {
    if (auto computation = dyn_cast<LinalgOp>(op))
      writeOp(computation, b, copied);
    else if (auto alloc = dyn_cast<memref::AllocOp>(op))
      writeAlloc(alloc, b, copied);
    else
      b.clone(op, copied);
  }
  return made;
}

Value MergeWriter::getProduct(ArrayRef<OpFoldResult> factors, ValueRange operands, OpBuilder &b, Location loc) const {
  Value product;
  for (OpFoldResult factor : factors) {
    auto size = dyn_cast<Value>(factor);
    Value next = size ? operands[cast<BlockArgument>(size).getArgNumber()] : arith::ConstantIndexOp::create(b, loc, *getConstantIntValue(factor)).getResult();
    product = product ? arith::MulIOp::create(b, loc, product, next).getResult() : next;
  }
  return product;
}

SmallVector<Value> MergeWriter::give(ValueRange operands, OpBuilder &b, Location loc) const {
  SmallVector<Value> given;
  for (BlockArgument argument : kept) {
    Value operand = operands[argument.getArgNumber()];
    auto groups = merged.find(argument);
    given.push_back(groups == merged.end() ? operand : memref::CollapseShapeOp::create(b, loc, operand, groups->second).getResult());
  }
  for (const tile::Factors &product : products)
    given.push_back(getProduct(product, operands, b, loc));
  return given;
}

Value MergeWriter::writeQuestion(ValueRange operands, OpBuilder &b, Location loc) const {
  Value all;
  for (const tile::Factors &product : products) {
    Value most = arith::ConstantIndexOp::create(b, loc, tile::kMostExtent);
    Value fits = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule, getProduct(product, operands, b, loc), most);
    all = all ? arith::AndIOp::create(b, loc, all, fits).getResult() : fits;
  }
  return all;
}

/// A copy of `kernel` whose ops have maps that can be changed.
static OwningOpRef<tile::KernelOp> copyGeneral(tile::KernelOp kernel) {
  OwningOpRef<tile::KernelOp> general = kernel.clone();
  for (LinalgOp op : llvm::to_vector(general->getBody().getOps<LinalgOp>()))
    mapping::generalize(op);
  return general;
}

MergedKernel mapping::writeMerged(tile::KernelOp kernel, ArrayRef<int64_t> arguments) {
  OwningOpRef<tile::KernelOp> general = copyGeneral(kernel);
  MergedDims dims = findMerged(*general, arguments);
  MergeWriter writer(*general, dims);
  OpBuilder b(kernel);
  MergedKernel made = {writer.write(tile::makeName(kernel, "_merged"), b), kernel};
  SmallVector<tile::RunOp> runs = tile::listRuns(kernel);
  if (runs.empty()) {
    std::string apart = tile::makeName(kernel, "_apart");
    b.setInsertionPointAfter(kernel);
    tile::ProgramOp program = tile::createProgram(b, kernel);
    kernel.setSymName(apart);
    OpBuilder inside(program.getBody());
    runs.push_back(tile::RunOp::create(inside, kernel.getLoc(), apart, program.getBody().getArguments()));
  }
  bool asks = false;
  for (tile::RunOp run : runs) {
    OpBuilder at(run);
    Value question = writer.writeQuestion(run.getOperands(), at, run.getLoc());
    asks |= bool(question);
    if (question) {
      auto choice = scf::IfOp::create(at, run.getLoc(), question, /*withElseRegion=*/true);
      at = choice.getThenBodyBuilder();
      run->moveBefore(choice.elseBlock()->getTerminator());
    }
    SmallVector<Value> given = writer.give(run.getOperands(), at, run.getLoc());
    tile::RunOp::create(at, run.getLoc(), made.merged.getSymName(), given);
    if (!question)
      run.erase();
  }
  if (!asks) {
    kernel.erase();
    made.apart = nullptr;
  }
  return made;
}
