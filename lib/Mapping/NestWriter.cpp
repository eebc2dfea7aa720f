//===- NestWriter.cpp - Loops and tiles of a mapping ------------*- C++ -*-===//

#include "NestWriter.h"

#include "Generics.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::mapping;
using tile::ForOp;
using tile::Level;

NestWriter::NestWriter(const Problem &problem, tile::KernelOp kernel)
    : problem(problem), kernel(kernel), b(kernel.getContext()), terms(problem.dims.size()), tile(problem.dims.size(), 1) {
  Region &body = kernel.getBody();
  if (body.empty())
    body.emplaceBlock();
  b.setInsertionPointToEnd(&body.front());
  tile::KernelOp original = problem.kernel;
  Block &from = original.getBody().front();
  for (BlockArgument argument : from.getArguments())
    copied.map(argument, body.addArgument(argument.getType(), argument.getLoc()));
  for (Operation &op : from)
    if (!isa<linalg::LinalgOp, memref::AllocOp>(op))
      b.clone(op, copied);
  for (auto [extent, dim] : llvm::zip_equal(tile, problem.dims))
    if (auto number = dyn_cast<Attribute>(dim.extent))
      extent = cast<IntegerAttr>(number).getInt();
}

Location NestWriter::place(const Twine &name) {
  return NameLoc::get(b.getStringAttr(name), FileLineColLoc::get(b.getContext(), "mapping", ++line, 1));
}

static StringRef getName(Location loc) {
  auto name = dyn_cast<NameLoc>(loc);
  return name ? name.getName().strref() : StringRef();
}

ForOp NestWriter::open(ArrayRef<LoopOver> over, Level level, tile::Unit unit, StringRef suffix) {
  SmallVector<Value> extents;
  SmallVector<int64_t> staticExtents, steps;
  SmallVector<Location> names;
  SmallVector<Type> types(over.size(), b.getIndexType());
  for (const LoopOver &loop : over) {
    OpFoldResult extent = loop.extent;
    if (auto value = dyn_cast<Value>(extent))
      extent = copied.lookupOrDefault(value);
    dispatchIndexOpFoldResult(extent, extents, staticExtents);
    steps.push_back(loop.step);
    std::string name = "d" + std::to_string(loop.dim);
    if (auto size = dyn_cast<Value>(problem.dims[loop.dim].extent))
      if (StringRef own = getName(size.getLoc()); !own.empty())
        name = own.lower();
    names.push_back(place(name + suffix));
  }
  ForOp::Properties clauses;
  clauses.static_extents = b.getDenseI64ArrayAttr(staticExtents);
  clauses.steps = b.getDenseI64ArrayAttr(steps);
  clauses.level = tile::LevelAttr::get(b.getContext(), level);
  clauses.unit = tile::UnitAttr::get(b.getContext(), unit);
  clauses.operandSegmentSizes = {static_cast<int32_t>(extents.size()), 0};
  auto loop = ForOp::create(b, place(""), TypeRange(), extents, clauses, ArrayRef<NamedAttribute>(), /*numRegions=*/1);
  loops.push_back({loop, llvm::map_to_vector(over, [](const LoopOver &one) { return one.dim; })});
  Block &body = loop.getBody().emplaceBlock();
  body.addArguments(types, names);
  for (auto [variable, loopOver] : llvm::zip_equal(body.getArguments(), over)) {
    terms[loopOver.dim].push_back({variable});
    if (along && along->row == loopOver.dim)
      move(along->column, variable, along->factor);
  }
  b.setInsertionPointToEnd(&body);
  return loop;
}

void NestWriter::shrink(ForOp loop) {
  for (SmallVector<Term> &own : terms)
    llvm::erase_if(own, [&](Term term) { return term.variable && loop.getBody().isAncestor(term.variable.getParentRegion()); });
}

void NestWriter::moveAlong(unsigned row, unsigned column, int64_t factor, int64_t constant) {
  along = {row, column, factor};
  if (constant != 0)
    terms[column].push_back({Value(), constant});
}

void NestWriter::turn(unsigned dim, int64_t last) {
  terms[dim].back().factor *= -1;
  terms[dim].push_back({Value(), last});
}

SmallVector<unsigned> NestWriter::countTerms() const {
  return llvm::map_to_vector(terms, [](const SmallVector<Term> &of) { return unsigned(of.size()); });
}

Placed NestWriter::operand(const Use &use) const {
  return {copied.lookupOrDefault(use.memref), use.map, SmallVector<unsigned>(problem.dims.size(), 0), getName(use.memref.getLoc()).str()};
}

/// The least that `expr` is at points from 0 to below `tile`; mirrored dimensions have theirs at the last.
static int64_t getLeast(AffineExpr expr, ArrayRef<int64_t> tile) {
  SmallVector<int64_t> point(tile.size(), 0);
  auto at = [&](ArrayRef<int64_t> place) { return AffineMap::get(tile.size(), 0, expr).compose(place)[0]; };
  int64_t least = at(point), begin = least;
  for (auto [dim, extent] : llvm::enumerate(tile)) {
    point[dim] = extent - 1;
    least += std::min<int64_t>(at(point) - begin, 0);
    point[dim] = 0;
  }
  return least;
}

/// `map` that counts from where a tile of these extents begins.
static AffineMap fromOrigin(AffineMap map, ArrayRef<int64_t> tile) {
  SmallVector<AffineExpr> results = llvm::map_to_vector(map.getResults(), [&](AffineExpr result) { return result - getLeast(result, tile); });
  return simplifyAffineMap(AffineMap::get(map.getNumDims(), 0, results, map.getContext()));
}

/// The subscripts of the current place in `source`, as a map of the values that are returned.
SmallVector<Value> NestWriter::subscripts(const Placed &source, AffineMap &map) const {
  SmallVector<Value> values;
  SmallVector<AffineExpr> sums(problem.dims.size(), getAffineConstantExpr(0, b.getContext()));
  for (unsigned dim = 0; dim < sums.size(); ++dim) {
    if (!Problem::uses(source.map, dim))
      continue;
    for (const Term &term : ArrayRef(terms[dim]).drop_front(source.origin[dim])) {
      if (!term.variable) {
        sums[dim] = sums[dim] + term.factor;
        continue;
      }
      sums[dim] = sums[dim] + getAffineDimExpr(values.size(), b.getContext()) * term.factor;
      values.push_back(term.variable);
    }
  }
  // A tile begins where its least element is.
  SmallVector<AffineExpr> begins;
  SmallVector<AffineExpr> zeros(sums.size(), getAffineConstantExpr(0, b.getContext()));
  for (AffineExpr result : source.map.getResults()) {
    int64_t first = AffineMap::get(0, 0, result.replaceDims(zeros)).compose(ArrayRef<int64_t>())[0];
    begins.push_back(result.replaceDims(sums) + (getLeast(result, tile) - first));
  }
  map = AffineMap::get(values.size(), 0, begins, b.getContext());
  return values;
}

MemRefType NestWriter::tileType(const Placed &like, Level level, Type element) const {
  SmallVector<int64_t> shape;
  for (AffineExpr result : like.map.getResults())
    shape.push_back(1 - getLeast(-result, tile) - getLeast(result, tile));
  return MemRefType::get(shape, element ? element : cast<MemRefType>(like.memref.getType()).getElementType(), MemRefLayoutAttrInterface(), tile::LevelAttr::get(b.getContext(), level));
}

tile::StageOp NestWriter::stage(const Placed &source, Level level, Placed &made, StringRef prefix) {
  AffineMap map;
  SmallVector<Value> values = subscripts(source, map);
  values.insert(values.begin(), source.memref);
  tile::StageOp::Properties clauses;
  clauses.map = AffineMapAttr::get(map);
  clauses.operandSegmentSizes = {1, static_cast<int32_t>(values.size()) - 1, 0};
  Type type = tileType(source, level);
  auto stage = tile::StageOp::create(b, place(prefix + source.name), TypeRange(type), values, clauses);
  made = {stage.getTile(), fromOrigin(source.map, tile), countTerms(), source.name};
  return stage;
}

Placed NestWriter::part(const Placed &source, StringRef prefix) {
  AffineMap map;
  SmallVector<Value> values = subscripts(source, map);
  auto from = cast<MemRefType>(source.memref.getType());
  MemRefType type = tileType(source, tile::getLevel(from).value_or(Level::DRAM));
  if (!from.getMemorySpace()) {
    // A part of an operand lies as the operand does.
    FailureOr<SmallVector<int64_t>> strides = tile::getStaticStrides(from);
    auto layout = StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, succeeded(strides) ? ArrayRef<int64_t>(*strides) : ArrayRef<int64_t>());
    type = MemRefType::get(type.getShape(), type.getElementType(), layout, Attribute());
  }
  Value part = tile::PartOp::create(b, place(prefix + source.name), type, source.memref, values, map);
  return {part, fromOrigin(source.map, tile), countTerms(), source.name};
}

Placed NestWriter::hold(const Use &use, TypedAttr init, StringRef prefix, Level level) {
  Placed like = operand(use);
  tile::HoldOp::Properties clauses;
  clauses.init = init;
  Type type = tileType(like, level, init.getType());
  Value held = tile::HoldOp::create(b, place(prefix + like.name), TypeRange(type), ValueRange(), clauses);
  return {held, fromOrigin(use.map, tile), countTerms(), like.name};
}

tile::StoreOp NestWriter::store(const Placed &tile, const Placed &dest) {
  AffineMap map;
  SmallVector<Value> values = subscripts(dest, map);
  values.insert(values.begin(), {tile.memref, dest.memref});
  tile::StoreOp::Properties clauses;
  clauses.map = AffineMapAttr::get(map);
  clauses.operandSegmentSizes = {1, 1, static_cast<int32_t>(values.size()) - 2, 0};
  return tile::StoreOp::create(b, place(""), TypeRange(), values, clauses);
}

/// What the body of `op` takes for the numbers of its points counts from the tile's place: adds that place, by dimension `dims` of the problem.
void NestWriter::addPlaces(Operation *op, ArrayRef<unsigned> dims) {
  op->walk([&](linalg::IndexOp index) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfter(index);
    Value number = index;
    Operation *first = nullptr;
    for (const Term &term : terms[dims[index.getDim()]]) {
      Value moved = term.variable;
      if (!moved || term.factor != 1) {
        Value factor = arith::ConstantIndexOp::create(b, index.getLoc(), term.factor);
        moved = moved ? arith::MulIOp::create(b, index.getLoc(), moved, factor).getResult() : factor;
      }
      number = arith::AddIOp::create(b, index.getLoc(), number, moved);
      first = first ? first : number.getDefiningOp();
    }
    if (first)
      index.getResult().replaceAllUsesExcept(number, first);
  });
}

linalg::LinalgOp NestWriter::compute(linalg::LinalgOp op, ArrayRef<Placed> operands, ArrayRef<unsigned> dims) {
  SmallVector<Value> values;
  unsigned next = 0;
  SmallVector<AffineMap> maps;
  SmallVector<int64_t> extents = llvm::map_to_vector(dims, [&](unsigned dim) { return tile[dim]; });
  for (OpOperand &operand : op->getOpOperands()) {
    bool array = isa<MemRefType>(operand.get().getType());
    values.push_back(array ? operands[next++].memref : copied.lookupOrDefault(operand.get()));
    maps.push_back(fromOrigin(op.getMatchingIndexingMap(&operand), extents));
  }
  IRMapping captured = copied;
  for (auto [from, to] : llvm::zip_equal(op->getOperands(), values))
    captured.map(from, to);
  // One value may be several operands, which get tiles of their own.
  Operation *copy = op->clone(captured);
  copy->setOperands(values);
  if (isa<linalg::GenericOp>(copy))
    copy->setAttr("indexing_maps", b.getAffineMapArrayAttr(maps));
  copy->setLoc(place(""));
  b.insert(copy);
  addPlaces(copy, dims);
  if (op == problem.root)
    root = copy;
  return cast<linalg::LinalgOp>(copy);
}

void NestWriter::computeGeneric(ArrayRef<Placed> inputs, const Placed &result, Body body) {
  SmallVector<AffineMap> maps = llvm::map_to_vector(inputs, [](const Placed &input) { return input.map; });
  maps.push_back(result.map);
  SmallVector<unsigned> dims;
  SmallVector<AffineExpr> exprs(problem.dims.size(), getAffineConstantExpr(0, b.getContext()));
  SmallVector<utils::IteratorType> iterators;
  SmallVector<unsigned> order = llvm::to_vector(llvm::seq<unsigned>(exprs.size()));
  AffineMap whole = result.map;
  for (const Placed &input : inputs)
    if (input.map.getNumResults() > whole.getNumResults())
      whole = input.map;
  auto getPlace = [&](unsigned dim) { return whole.getResultPosition(getAffineDimExpr(dim, b.getContext())).value_or(exprs.size()); };
  llvm::stable_sort(order, [&](unsigned a, unsigned b) { return getPlace(a) < getPlace(b); });
  for (unsigned dim : order) {
    if (llvm::none_of(maps, [&](AffineMap map) { return Problem::uses(map, dim); }))
      continue;
    exprs[dim] = getAffineDimExpr(dims.size(), b.getContext());
    dims.push_back(dim);
    iterators.push_back(Problem::uses(result.map, dim) ? utils::IteratorType::parallel : utils::IteratorType::reduction);
  }
  for (AffineMap &map : maps)
    map = map.replaceDimsAndSymbols(exprs, {}, dims.size(), 0);
  SmallVector<Value> values = llvm::map_to_vector(inputs, [](const Placed &input) { return input.memref; });
  auto make = [&](OpBuilder &inside, Location loc, ValueRange elements) {
    auto getIndex = [&](unsigned dim) -> Value { return linalg::IndexOp::create(inside, loc, llvm::find(dims, dim) - dims.begin()); };
    Value yielded = body(inside, llvm::to_vector(elements), getIndex, copied);
    linalg::YieldOp::create(inside, loc, yielded);
  };
  auto made = linalg::GenericOp::create(b, place(""), TypeRange(), values, ValueRange(result.memref), maps, iterators, make);
  addPlaces(made, dims);
}

void NestWriter::computeRoot(ArrayRef<Placed> operands) {
  compute(problem.root, operands, llvm::to_vector(llvm::seq<unsigned>(problem.dims.size())));
}

/// `next` with what `last` does to `made` ahead of it, where both can be one.
static linalg::LinalgOp joinLast(linalg::LinalgOp last, linalg::LinalgOp next, const Placed &made) {
  linalg::GenericOp first = generalize(last), second = first ? generalize(next) : linalg::GenericOp();
  if (!second)
    return next;
  linalg::GenericOp joined = joinElementwise(first, second);
  if (!joined)
    return second;
  if (auto hold = made.memref.getDefiningOp<tile::HoldOp>(); hold && hold->use_empty())
    hold->erase();
  return joined;
}

Placed NestWriter::epilogue(Placed result, bool together) {
  Value array = problem.output.memref;
  linalg::LinalgOp last;
  bool lastLoads = false;
  for (linalg::LinalgOp op : problem.epilogue) {
    // The op's dimensions are those of the result, in some order; what it reads is traced to the iteration space by them.
    AffineMap written = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
    SmallVector<AffineExpr> dims(written.getNumDims());
    SmallVector<unsigned> numbers(dims.size());
    for (auto [expr, own] : llvm::zip_equal(written.getResults(), problem.output.map.getResults())) {
      unsigned position = cast<AffineDimExpr>(expr).getPosition();
      dims[position] = own;
      numbers[position] = cast<AffineDimExpr>(own).getPosition();
    }
    Value next = op.getDpsInits()[0];
    Type before = cast<MemRefType>(result.memref.getType()).getElementType(), after = cast<MemRefType>(next.getType()).getElementType();
    Placed to = result;
    if (next != array && op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)))
      stage(operand({next, problem.output.map}), Level::RF, to, "r");
    else if (before != after)
      to = hold({next, problem.output.map}, b.getZeroAttr(after), "r");
    SmallVector<Placed> operands;
    auto getMap = [&](OpOperand &operand) { return op.getMatchingIndexingMap(&operand).replaceDimsAndSymbols(dims, {}, problem.dims.size(), 0); };
    // Of several the computation loads the last itself (getReaderThatLoads); the others would take registers.
    OpOperand *loaded = nullptr;
    for (OpOperand *input : op.getDpsInputOperands())
      if (together && isa<MemRefType>(input->get().getType()) && input->get() != array && getMap(*input) == problem.output.map)
        loaded = input;
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<MemRefType>(operand.get().getType()))
        continue;
      if (op.isDpsInit(&operand))
        operands.push_back(to);
      else if (operand.get() == array)
        operands.push_back(result);
      else if (&operand == loaded)
        stage(this->operand({operand.get(), getMap(operand)}), Level::RF, operands.emplace_back(), "r");
      else
        operands.push_back(part(this->operand({operand.get(), getMap(operand)}), ""));
    }
    // What is done to a whole tile has an element's place for each of its points (dialect/Tile/Companions.cpp).
    linalg::LinalgOp computed = compute(op, operands, numbers);
    auto generic = dyn_cast<linalg::GenericOp>(computed.getOperation());
    if (generic && !written.isIdentity()) {
      IRRewriter rewriter(generic);
      SmallVector<unsigned> order = llvm::map_to_vector(written.getResults(), [](AffineExpr expr) { return cast<AffineDimExpr>(expr).getPosition(); });
      if (FailureOr<linalg::GenericOp> turned = linalg::interchangeGenericOp(rewriter, generic, order); succeeded(turned)) {
        computePlaces(*turned);
        computed = *turned;
      }
    }
    // Where what was computed from accumulators waits for loads, ptxas computes it again beside them, and serializes wgmma (docs/results/gpu.md, "What follows products").
    if (last && (loaded != nullptr) != lastLoads)
      computed = joinLast(last, computed, result);
    last = computed;
    lastLoads |= loaded != nullptr;
    result = to;
    array = next;
  }
  return result;
}
