//===- CopiesAhead.cpp - Operands that are copied ahead of use --*- C++ -*-===//
//
// Rows that begin where no vector does, or run the other way, or of which neighbours in a row of the result read elements that lie apart, are copied by a launch of their own.
//
//===----------------------------------------------------------------------===//

#include "LaunchWriter.h"
#include "Schemes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/AffineExpr.h"
#include "tilec/Tile/Access.h"

#include <numeric>

using namespace mlir;
using namespace tilec;
using namespace tilec::mapping;
using linalg::LinalgOp;

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

/// Bytes of which rows of a copy of `use` begin at multiples: whole lines, where that does not make the array much larger.
static int64_t getRowBytes(const Problem &problem, const Use &use, bool isTurned, const MachineSpec &machine) {
  constexpr int64_t kMostAdded = 8; // One part of so many.
  ArrayRef<AffineExpr> places = use.map.getResults();
  auto type = cast<MemRefType>(use.memref.getType());
  auto last = dyn_cast<AffineDimExpr>(isTurned ? places.front() : places.back());
  int64_t row = last ? problem.dims[last.getPosition()].size * type.getElementTypeBitWidth() / 8 : 0, bytes = machine.limits.lineBytes.value;
  while (bytes > tile::kWidestBytes && int64_t(llvm::alignTo(row, bytes)) - row > row / kMostAdded)
    bytes /= 2;
  return bytes;
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
  // Boxes whose rows begin inside of sectors take L2 longer (`timing.box_sector`).
  SmallVector<MatrixProblem> matrices = getMatrixProblems(problem);
  bool inBoxes = !matrices.empty() && canWarpgroupsMultiply(matrices.front().type, machine);
  int64_t multiple = inBoxes ? machine.limits.sectorBytes.value : tile::kWidestBytes;
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
    if (isTurned || (problem.hasOddRows(input, multiple) && !liesAlong))
      copies.push_back({argument.getArgNumber(), isTurned, {}, {}, getRowBytes(problem, input, isTurned, machine)});
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
    Value array = tile::WorkspaceOp::create(inside, place, to.type, extents, to.type.getShape(), b.getI64IntegerAttr(copy.rowBytes));
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
