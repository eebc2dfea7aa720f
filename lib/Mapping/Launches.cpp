//===- Launches.cpp - Computations that take several launches ---*- C++ -*-===//
//
// Ops are taken in their order, and each joins the launch ahead of it where one mapping does both (Problem::get). Arrays that only one launch
// uses stay on the chip; the others lie in DRAM while the program runs.
//
//===----------------------------------------------------------------------===//

#include "tilec/Mapping/Launches.h"

#include "Schemes.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Verifier.h"
#include "tilec/Mapping/Chain.h"
#include "tilec/Mapping/RowGroup.h"
#include "tilec/Tile/Access.h"
#include "tilec/Tile/Program.h"
#include "llvm/ADT/SetVector.h"

#include <numeric>

using namespace mlir;
using namespace tilec;
using namespace tilec::mapping;
using linalg::LinalgOp;

/// So many ops may stand between one that makes a group of rows of those before it and the next.
static constexpr size_t kMostBetween = 12;

namespace {

/// An array that a program makes of an argument.
struct Copied {
  MemRefType type;
  CopyAhead copy;
};

/// Makes kernels of some of a kernel's ops, and the program that runs them.
class LaunchWriter {
public:
  explicit LaunchWriter(tile::KernelOp kernel) : kernel(kernel), block(kernel.getBody().front()) {}

  /// Makes a kernel called `name` of `ops`, in which copies stand for some arguments; `given` is what a run gives to it.
  tile::KernelOp write(ArrayRef<LinalgOp> ops, const DenseMap<Value, Copied> &copies, StringRef name, OpBuilder &b, SmallVectorImpl<Value> &given) const;

  /// Makes the program, with no runs yet; `copied` maps the kernel's arguments to its own.
  tile::ProgramOp writeProgram(OpBuilder &b, IRMapping &copied) const;

private:
  void listUses(ArrayRef<LinalgOp> ops, llvm::SetVector<Value> &memrefs, llvm::SetVector<Value> &numbers, llvm::SetVector<Operation *> &computed) const;
  bool isInside(Value memref, ArrayRef<LinalgOp> ops) const;

  tile::KernelOp kernel;
  Block &block;
};

} // namespace

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

/// What a kernel says of the extents of an array like an operand of extents `codes`, the array's.
static void shapeCodes(const Copied &array, SmallVectorImpl<int64_t> &codes) {
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

/// The factors of the dimensions in each result of `map`, sums of multiples of them (checkMaps), and last what is added.
static SmallVector<SmallVector<int64_t>> getFactors(AffineMap map) {
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
  IRRewriter rewriter(b);
  rewriter.setInsertionPoint(op);
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  if (!generic)
    generic = *linalg::generalizeNamedOp(rewriter, op);
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

//===----------------------------------------------------------------------===//
// Several computations
//===----------------------------------------------------------------------===//

namespace {

/// What several ops can be.
enum class Part { Several, Launch, Rows, Chain };

class Parter {
public:
  Parter(tile::KernelOp kernel, ArrayRef<int64_t> arguments) : kernel(kernel), arguments(arguments), writer(kernel) {}
  void run();
  /// Parts a group of rows, or products with softmax between, for which the kernel's runs stand until then; returns the kernels.
  SmallVector<tile::KernelOp> split();

private:
  Part judge(ArrayRef<LinalgOp> ops) const;
  bool isLaunch(ArrayRef<LinalgOp> ops) const { return judge(ops) == Part::Launch; }
  size_t countRows(ArrayRef<LinalgOp> ops) const;
  size_t countChain(ArrayRef<LinalgOp> ops) const;
  void moveFills();
  void join(LinalgOp op);
  void part(ArrayRef<LinalgOp> all, function_ref<size_t(ArrayRef<LinalgOp>)> asGroup);
  SmallVector<tile::KernelOp> replace();
  SmallVector<tile::KernelOp> writeAll(OpBuilder inside, IRMapping &copied, Operation *place);

  tile::KernelOp kernel;
  ArrayRef<int64_t> arguments;
  LaunchWriter writer;
  std::vector<SmallVector<LinalgOp>> launches;
};

} // namespace

/// Is there one mapping for `ops`, by an op with what follows element by element, or as a group of rows?
Part Parter::judge(ArrayRef<LinalgOp> ops) const {
  ScopedDiagnosticHandler quiet(kernel->getContext(), [](Diagnostic &) { return success(); });
  OwningOpRef<ModuleOp> alone = ModuleOp::create(kernel->getLoc());
  OpBuilder b(alone->getBodyRegion());
  SmallVector<Value> given;
  tile::KernelOp made = writer.write(ops, DenseMap<Value, Copied>(), "launch", b, given);
  // What one of them writes another may read only by the same name.
  llvm::SmallPtrSet<Value, 8> arrays;
  bool hasTwo = llvm::any_of(given, [&](Value value) { return isa<MemRefType>(value.getType()) && !arrays.insert(tile::getArray(value)).second; });
  if (hasTwo || failed(verify(*alone)))
    return Part::Several;
  SmallVector<int64_t> sizes = llvm::map_to_vector(given, [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument ? arguments[argument.getArgNumber()] : int64_t(0);
  });
  if (succeeded(Problem::get(made, sizes)))
    return Part::Launch;
  if (succeeded(getRowProblem(made, sizes)))
    return Part::Rows;
  return succeeded(getChainProblem(made, sizes)) ? Part::Chain : Part::Several;
}

/// The most of the first of `ops` that are a group of rows; 0 where none are.
size_t Parter::countRows(ArrayRef<LinalgOp> ops) const {
  size_t most = 0;
  for (size_t count = 2; count <= std::min(ops.size(), most + kMostBetween); ++count)
    if (judge(ops.take_front(count)) == Part::Rows)
      most = count;
  return most;
}

/// The most of the first of `ops` that are two products with softmax between; 0 where none are.
size_t Parter::countChain(ArrayRef<LinalgOp> ops) const {
  auto isProduct = [](LinalgOp op) { return op.getNumReductionLoops() > 0 && op.getNumDpsInputs() == 2; };
  size_t count = 0, products = 0, most = 0;
  while (count < ops.size() && products < 2)
    products += isProduct(ops[count++]);
  for (; products == 2 && count <= ops.size() && judge(ops.take_front(count)) == Part::Chain; ++count)
    most = count;
  return most;
}

/// Does `op` read `array`, and not only its extents?
static bool readsElements(Operation *op, Value array) {
  auto computes = dyn_cast<LinalgOp>(op);
  return !computes || llvm::any_of(computes->getOpOperands(), [&](OpOperand &operand) {
    return operand.get() == array && (computes.isDpsInit(&operand) || computes.payloadUsesValueFromOperand(&operand));
  });
}

/// What fills an array stands right ahead of who needs its elements.
void Parter::moveFills() {
  auto all = llvm::to_vector(kernel.getBody().getOps<LinalgOp>());
  for (LinalgOp op : llvm::reverse(all)) {
    bool reads = llvm::any_of(op.getDpsInputs(), [](Value input) { return isa<MemRefType>(input.getType()); });
    if (reads || op.getNumDpsInits() != 1)
      continue;
    for (Operation *next = op->getNextNode(); next; next = next->getNextNode())
      if (llvm::is_contained(next->getOperands(), op.getDpsInits()[0])) {
        if (readsElements(next, op.getDpsInits()[0]))
          op->moveBefore(next);
        break;
      }
  }
}

/// Adds `op` to the last launch where that can be, else it begins another.
void Parter::join(LinalgOp op) {
  SmallVector<LinalgOp> joined = launches.empty() ? SmallVector<LinalgOp>() : launches.back();
  joined.push_back(op);
  if (joined.size() > 1 && isLaunch(joined))
    launches.back() = joined;
  else
    launches.push_back({op});
}

/// Parts all ops, of which those that `asGroup` says may be several computations in one launch.
void Parter::part(ArrayRef<LinalgOp> all, function_ref<size_t(ArrayRef<LinalgOp>)> asGroup) {
  for (size_t next = 0; next < all.size();) {
    size_t before = launches.size();
    join(all[next]);
    ArrayRef<LinalgOp> rest = all.drop_front(next);
    size_t together = launches.size() > before ? asGroup(rest) : 0;
    if (together > 0)
      launches.back() = SmallVector<LinalgOp>(rest.take_front(together));
    next += std::max<size_t>(together, 1);
  }
}

void Parter::run() {
  auto all = llvm::to_vector(kernel.getBody().getOps<LinalgOp>());
  // What is one launch stays as it was written, and what is told of it, too; but programs alone give arrays by other extents to kernels.
  bool hasViews = llvm::any_of(kernel.getBody().front(), [](Operation &op) { return tile::isView(&op); });
  if (!hasViews && (all.size() < 2 || judge(all) != Part::Several))
    return;
  moveFills();
  part(llvm::to_vector(kernel.getBody().getOps<LinalgOp>()), [&](ArrayRef<LinalgOp> ops) { return std::max(countRows(ops), countChain(ops)); });
  if (hasViews || launches.size() > 1)
    replace();
}

SmallVector<tile::KernelOp> Parter::split() {
  bool isChain = judge(llvm::to_vector(kernel.getBody().getOps<LinalgOp>())) == Part::Chain;
  moveFills();
  part(llvm::to_vector(kernel.getBody().getOps<LinalgOp>()), [&](ArrayRef<LinalgOp> ops) { return isChain ? countRows(ops) : 0; });
  return replace();
}

/// Writes the launches where the kernel is run, or, where no program runs it, a program of them.
SmallVector<tile::KernelOp> Parter::replace() {
  IRMapping copied;
  if (tile::RunOp run = tile::findRun(kernel)) {
    copied.map(kernel.getBody().getArguments(), run.getOperands());
    SmallVector<tile::KernelOp> kernels = writeAll(OpBuilder(run), copied, run->getParentOfType<tile::ProgramOp>());
    run.erase();
    return kernels;
  }
  OpBuilder b(kernel);
  tile::ProgramOp program = writer.writeProgram(b, copied);
  return writeAll(OpBuilder(program.getBody()), copied, program);
}

/// What stands in the program for an argument, array or view of the kernel.
static Value give(Value value, OpBuilder &inside, IRMapping &copied) {
  if (copied.contains(value))
    return copied.lookup(value);
  if (auto alloc = value.getDefiningOp<memref::AllocOp>()) {
    SmallVector<Value> sizes = llvm::map_to_vector(alloc.getDynamicSizes(), [&](Value size) { return copied.lookup(size); });
    copied.map(value, tile::WorkspaceOp::create(inside, alloc.getLoc(), alloc.getType(), sizes, alloc.getType().getShape(), /*rows=*/{}).getResult());
  } else {
    give(value.getDefiningOp()->getOperand(0), inside, copied);
    inside.clone(*value.getDefiningOp(), copied);
  }
  return copied.lookup(value);
}

/// Writes kernels ahead of `place`, and runs of them at `inside`, where `copied` has what stands for the kernel's arguments.
SmallVector<tile::KernelOp> Parter::writeAll(OpBuilder inside, IRMapping &copied, Operation *place) {
  OpBuilder b(place);
  SmallVector<tile::KernelOp> kernels;
  for (auto [number, ops] : llvm::enumerate(launches)) {
    SmallVector<Value> given;
    tile::KernelOp made = writer.write(ops, DenseMap<Value, Copied>(), tile::makeName(kernel, "_" + Twine(number)), b, given);
    SmallVector<Value> operands = llvm::map_to_vector(given, [&](Value value) { return give(value, inside, copied); });
    tile::RunOp::create(inside, ops.front()->getLoc(), made.getSymName(), operands);
    kernels.push_back(made);
  }
  kernel.erase();
  return kernels;
}

void mapping::partLaunches(tile::KernelOp kernel, ArrayRef<int64_t> arguments) { Parter(kernel, arguments).run(); }

SmallVector<tile::KernelOp> mapping::splitLaunch(tile::KernelOp kernel, ArrayRef<int64_t> arguments) { return Parter(kernel, arguments).split(); }

//===----------------------------------------------------------------------===//
// Copies ahead
//===----------------------------------------------------------------------===//

/// Do instructions of `machine` want the rows of both inputs along the depth? Of products of two matrices, whose copies can be turned.
static std::optional<MatrixProblem> getNarrowMatrices(const Problem &problem, const MachineSpec &machine) {
  SmallVector<MatrixProblem> matrices = problem.dims.size() == 3 ? getMatrixProblems(problem) : SmallVector<MatrixProblem>();
  if (matrices.empty() || bytesPerElement(matrices.front().type) == 2)
    return std::nullopt;
  MathType type = matrices.front().type;
  bool known = machine.rate(MathUnit::Wgmma, type) || (machine.rate(MathUnit::Mma, type) && canWarpsMultiply(type));
  return known ? std::optional(matrices.front()) : std::nullopt;
}

/// The dimension of the result's columns, of a product of two matrices on CUDA cores. An operand that lies along rows or columns comes in whole boxes, and one that lies
/// along the depth is turned by threads that copy it, element by element wherever its rows begin: these keep up with one operand, not with two, so that of the columns is
/// worth a copy ahead.
static std::optional<unsigned> getColumns(const Problem &problem) {
  if (problem.dims.size() != 3 || !getMatrixProblems(problem).empty())
    return std::nullopt;
  SmallVector<std::pair<unsigned, unsigned>> sides = getSides(problem);
  return sides.empty() ? std::nullopt : std::optional(sides.front().second);
}

/// The copy of `input` by which neighbours of the result's columns read neighbours: of its subscripts' terms it has the common factors' multiples alone; and where
/// the last one's columns move by more than one still, an element for each of its terms' values. Of operands and windows whose extents are numbers.
static std::optional<CopyAhead> findSpread(const Problem &problem, const Use &input, unsigned columns) {
  auto type = cast<MemRefType>(input.memref.getType());
  unsigned dims = problem.dims.size();
  if (!type.hasStaticShape() || !type.getLayout().isIdentity() || type.getRank() == 0)
    return std::nullopt;
  CopyAhead copy;
  copy.operand = cast<BlockArgument>(input.memref).getArgNumber();
  SmallVector<SmallVector<int64_t>> factors = getFactors(input.map);
  for (ArrayRef<int64_t> place : factors) {
    int64_t every = 0;
    for (int64_t factor : place)
      every = std::gcd(every, factor);
    copy.every.push_back(std::max<int64_t>(every, 1));
  }
  ArrayRef<int64_t> last = factors.back();
  if (last[columns] <= 1 || llvm::any_of(last, [](int64_t factor) { return factor < 0; }))
    return std::nullopt;
  if (copy.every.back() == last[columns])
    return copy;
  copy.every.back() = 1;
  for (unsigned dim = 0; dim < dims; ++dim)
    if (last[dim] != 0 && dim != columns)
      copy.terms.push_back({dim, last[dim], problem.dims[dim].size});
  copy.terms.push_back({columns, last[columns], problem.dims[columns].size});
  bool known = last.back() == 0 && llvm::all_of(copy.terms, [&](CopyAhead::Term term) { return isa<Attribute>(problem.dims[term.dim].extent); });
  return known ? std::optional(copy) : std::nullopt;
}

SmallVector<CopyAhead> mapping::findCopies(const Problem &problem, const MachineSpec &machine) {
  SmallVector<CopyAhead> copies;
  SmallVector<std::pair<unsigned, unsigned>> sides = getSides(problem);
  std::optional<MatrixProblem> matrix = getNarrowMatrices(problem, machine);
  std::optional<unsigned> columns = getColumns(problem);
  for (const Use &input : problem.inputs) {
    auto type = cast<MemRefType>(input.memref.getType());
    auto argument = dyn_cast<BlockArgument>(input.memref);
    if (!argument || input.memref == problem.output.memref || llvm::any_of(copies, [&](CopyAhead copy) { return copy.operand == argument.getArgNumber(); }))
      continue;
    // What else reads the operand reads other elements of it.
    if (!sides.empty() && input.memref.hasOneUse())
      if (std::optional<CopyAhead> spread = findSpread(problem, input, sides.front().second)) {
        copies.push_back(*spread);
        continue;
      }
    // What stands in the product twice, as in A^T A, has rows along both.
    std::optional<unsigned> fast = Problem::getFastDim(input);
    bool liesAlong = columns && fast && !problem.dims[*fast].parallel;
    bool isOther = (matrix && fast != matrix->depth) || (liesAlong && Problem::uses(input.map, *columns));
    bool isTurned = isOther && type.getLayout().isIdentity() && problem.inputs[0].memref != problem.inputs[1].memref;
    if (isTurned || (problem.hasOddRows(input) && !liesAlong))
      copies.push_back({argument.getArgNumber(), isTurned, {}, {}});
  }
  return copies;
}

/// The array that `copy` makes of a memref like `type`, whose rows have distances that a launch knows.
static MemRefType openRows(MemRefType type, const CopyAhead &copy) {
  SmallVector<int64_t> shape(type.getShape());
  if (copy.isTurned)
    std::reverse(shape.begin(), shape.end());
  for (auto [extent, every] : llvm::zip(shape, copy.every))
    extent = llvm::divideCeil(extent, every);
  if (!copy.terms.empty())
    shape.pop_back();
  for (const CopyAhead::Term &term : copy.terms)
    shape.push_back(term.extent);
  SmallVector<int64_t> strides(shape.size(), ShapedType::kDynamic);
  strides.back() = 1;
  return MemRefType::get(shape, type.getElementType(), StridedLayoutAttr::get(type.getContext(), 0, strides), type.getMemorySpace());
}

/// Gives `to` the elements of `from` that `copy` says.
static void createSpread(OpBuilder &b, Location loc, Value from, Value to, const CopyAhead &copy) {
  unsigned rank = cast<MemRefType>(to.getType()).getRank(), rows = copy.every.size() - 1;
  SmallVector<AffineExpr> places;
  for (unsigned dim = 0; dim < rows; ++dim)
    places.push_back(b.getAffineDimExpr(dim) * copy.every[dim]);
  AffineExpr last = copy.terms.empty() ? b.getAffineDimExpr(rows) * copy.every.back() : b.getAffineConstantExpr(0);
  for (auto [number, term] : llvm::enumerate(copy.terms))
    last = last + b.getAffineDimExpr(rows + number) * term.factor;
  places.push_back(last);
  AffineMap maps[] = {AffineMap::get(rank, 0, places, b.getContext()), b.getMultiDimIdentityMap(rank)};
  SmallVector<utils::IteratorType> parallel(rank, utils::IteratorType::parallel);
  linalg::GenericOp::create(b, loc, from, to, maps, parallel, [](OpBuilder &inside, Location loc, ValueRange elements) { linalg::YieldOp::create(inside, loc, elements[0]); });
}

/// A kernel that copies operand `from` of the writer's kernel to `to`.
static tile::KernelOp writeCopy(tile::KernelOp kernel, BlockArgument from, const Copied &to, StringRef name, OpBuilder &b, SmallVectorImpl<Value> &given) {
  auto type = cast<MemRefType>(from.getType());
  SmallVector<int64_t> codes;
  given.push_back(from);
  SmallVector<Type> types = {type, to.type};
  SmallVector<Location> locations = {from.getLoc(), NameLoc::get(b.getStringAttr("rows"), kernel.getLoc())};
  for (unsigned dim = 0; dim < type.getRank(); ++dim) {
    OpFoldResult extent = kernel.getOperandExtent(from.getArgNumber(), dim);
    auto size = dyn_cast<Value>(extent);
    if (!size) {
      codes.push_back(tile::KernelOp::encodeExtent(type.getDimSize(dim)));
      continue;
    }
    auto known = llvm::find(given, size);
    // The array that is written to stands between the operand and its sizes.
    codes.push_back(known - given.begin() + 1);
    if (known == given.end()) {
      given.push_back(size);
      types.push_back(size.getType());
      locations.push_back(size.getLoc());
    }
  }
  SmallVector<Attribute> shapes = {b.getDenseI64ArrayAttr(codes)};
  shapeCodes(to, codes);
  shapes.push_back(b.getDenseI64ArrayAttr(codes));
  shapes.append(types.size() - 2, b.getDenseI64ArrayAttr({}));
  auto made = tile::KernelOp::create(b, kernel.getLoc(), name, b.getFunctionType(types, {}), b.getArrayAttr(shapes), /*dataflow=*/{}, /*arg_attrs=*/{},
                                     /*res_attrs=*/{}, /*sym_visibility=*/{});
  OpBuilder::InsertionGuard guard(b);
  Block *inside = b.createBlock(&made.getBody(), {}, types, locations);
  if (to.copy.isTurned)
    linalg::TransposeOp::create(b, kernel.getLoc(), inside->getArgument(0), inside->getArgument(1), ArrayRef<int64_t>{1, 0});
  else if (!to.copy.every.empty())
    createSpread(b, kernel.getLoc(), inside->getArgument(0), inside->getArgument(1), to.copy);
  else
    linalg::CopyOp::create(b, kernel.getLoc(), ValueRange{inside->getArgument(0)}, ValueRange{inside->getArgument(1)});
  return made;
}

/// Has programs do what `program` does in the place of `runs`, which ran a kernel with its arguments.
static void moveToRuns(tile::ProgramOp program, ArrayRef<tile::RunOp> runs) {
  for (tile::RunOp run : runs) {
    OpBuilder b(run);
    IRMapping given;
    given.map(program.getBody().getArguments(), run.getOperands());
    for (Operation &op : program.getBody().front())
      b.clone(op, given);
    run.erase();
  }
  if (!runs.empty())
    program.erase();
}

SmallVector<tile::KernelOp> mapping::writeCopies(tile::KernelOp kernel, ArrayRef<CopyAhead> copies) {
  LaunchWriter writer(kernel);
  SmallVector<tile::RunOp> runs = tile::listRuns(kernel);
  OpBuilder b(kernel);
  IRMapping copied;
  tile::ProgramOp program = writer.writeProgram(b, copied);
  OpBuilder inside(program.getBody());
  DenseMap<Value, Copied> made;
  IRMapping arrays = copied;
  SmallVector<tile::KernelOp> kernels;
  auto addRun = [&](tile::KernelOp made, ArrayRef<Value> given) {
    tile::RunOp::create(inside, made.getLoc(), made.getSymName(), given);
    kernels.push_back(made);
  };
  for (auto [number, copy] : llvm::enumerate(copies)) {
    BlockArgument argument = kernel.getBody().getArgument(copy.operand);
    Copied to = {openRows(cast<MemRefType>(argument.getType()), copy), copy};
    SmallVector<Value> extents, given;
    for (unsigned dim = 0; dim < cast<MemRefType>(argument.getType()).getRank(); ++dim)
      if (auto size = dyn_cast<Value>(kernel.getOperandExtent(copy.operand, dim)))
        extents.push_back(copied.lookup(size));
    if (copy.isTurned)
      std::reverse(extents.begin(), extents.end());
    auto name = argument.getLoc()->findInstanceOf<NameLoc>();
    Location place = NameLoc::get(b.getStringAttr((name ? name.getName().str() : "operand") + "_rows"), kernel.getLoc());
    Value array = tile::WorkspaceOp::create(inside, place, to.type, extents, to.type.getShape(), b.getI64IntegerAttr(tile::kWidestBytes));
    b.setInsertionPoint(program);
    tile::KernelOp copying = writeCopy(kernel, argument, to, tile::makeName(kernel, "_rows" + Twine(number)), b, given);
    SmallVector<Value> run = llvm::map_to_vector(given, [&](Value value) { return copied.lookup(value); });
    run.insert(run.begin() + 1, array);
    addRun(copying, run);
    made[argument] = to;
    arrays.map(argument, array);
  }
  SmallVector<Value> given;
  b.setInsertionPoint(program);
  tile::KernelOp rest = writer.write(llvm::to_vector(kernel.getBody().getOps<LinalgOp>()), made, tile::makeName(kernel, "_rest"), b, given);
  addRun(rest, llvm::map_to_vector(given, [&](Value value) { return arrays.lookup(value); }));
  kernel.erase();
  moveToRuns(program, runs);
  return kernels;
}
