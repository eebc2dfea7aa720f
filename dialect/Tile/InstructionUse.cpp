//===- InstructionUse.cpp - Computations that one instruction does -*- C++ -*-===//

#include "tilec/Tile/InstructionUse.h"

#include "WarpInstruction.h"

#include "tilec/Tile/Access.h"
#include "tilec/Tile/ComputeClauses.h"
#include "tilec/Tile/Distribution.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

//===----------------------------------------------------------------------===//
// What a computation is
//===----------------------------------------------------------------------===//

ForOp tilec::tile::getUnitLoop(Operation *compute) {
  for (auto loop = compute->getParentOfType<ForOp>(); loop; loop = loop->getParentOfType<ForOp>())
    if (isThreadUnit(loop))
      return getUnitThreads(loop.getUnit()) > 1 ? loop : ForOp();
  return {};
}

namespace {
/// An argument of the body, and the type in which it is multiplied.
struct Factor {
  unsigned argument;
  Type type;
};
} // namespace

/// What `value` is, through a conversion to a wider type and through rounding to tf32; nothing for other values.
static std::optional<Factor> getFactor(Value value) {
  if (Operation *convert = value.getDefiningOp(); isa_and_present<arith::ExtFOp, arith::ExtSIOp>(convert))
    value = convert->getOperand(0);
  Type type = value.getType();
  if (auto rounded = value.getDefiningOp<arith::TruncFOp>(); rounded && type.isTF32())
    value = rounded.getIn();
  auto argument = dyn_cast<BlockArgument>(value);
  return argument ? std::optional(Factor{argument.getArgNumber(), type}) : std::nullopt;
}

/// The types of a and b where the body is c + a * b, in the type of c; nothing for another body.
static std::optional<std::array<Type, 2>> matchBody(linalg::LinalgOp compute) {
  Block &body = *compute.getBlock();
  Operation *sum = body.getTerminator()->getOperand(0).getDefiningOp();
  if (!isa_and_present<arith::AddFOp, arith::AddIOp>(sum))
    return std::nullopt;
  unsigned total = sum->getOperand(0) == body.getArgument(2) ? 0 : 1;
  Operation *product = sum->getOperand(1 - total).getDefiningOp();
  if (sum->getOperand(total) != body.getArgument(2) || !isa_and_present<arith::MulFOp, arith::MulIOp>(product))
    return std::nullopt;
  std::optional<Factor> x = getFactor(product->getOperand(0)), y = getFactor(product->getOperand(1));
  if (!x || !y || x->argument + y->argument != 1)
    return std::nullopt;
  return x->argument == 0 ? std::array{x->type, y->type} : std::array{y->type, x->type};
}

/// Which dimensions of the iteration space, of those that `ranges` gives more than one place, move an operand; nothing where some subscript is no such
/// dimension by itself, or the same as another.
static std::optional<llvm::SmallBitVector> getDims(AffineMap map, ArrayRef<int64_t> ranges) {
  SmallVector<AffineExpr> dims;
  for (auto [number, range] : llvm::enumerate(ranges))
    dims.push_back(range == 1 ? getAffineConstantExpr(0, map.getContext()) : getAffineDimExpr(number, map.getContext()));
  llvm::SmallBitVector moving(map.getNumDims());
  for (AffineExpr result : map.getResults()) {
    AffineExpr place = result.replaceDims(dims);
    if (isa<AffineConstantExpr>(place))
      continue;
    auto dim = dyn_cast<AffineDimExpr>(place);
    if (!dim || moving.test(dim.getPosition()))
      return std::nullopt;
    moving.set(dim.getPosition());
  }
  return moving;
}

/// The dimensions of a product by which of its operands they move: those that move only c and x, only c and y, and only x and y.
static std::optional<std::array<unsigned, 3>> findDims(linalg::LinalgOp compute, ArrayRef<int64_t> ranges) {
  std::array<std::optional<llvm::SmallBitVector>, 3> moved;
  for (OpOperand &operand : compute->getOpOperands())
    if (!(moved[operand.getOperandNumber()] = getDims(compute.getMatchingIndexingMap(&operand), ranges)))
      return std::nullopt;
  std::array<std::optional<unsigned>, 3> found;
  for (unsigned dim = 0; dim < compute.getNumLoops(); ++dim) {
    if (ranges[dim] == 1)
      continue;
    bool x = moved[0]->test(dim), y = moved[1]->test(dim), c = moved[2]->test(dim);
    unsigned kind = x && y ? 2 : x ? 0 : 1;
    if (x + y + c != 2 || found[kind])
      return std::nullopt;
    found[kind] = dim;
  }
  if (!found[0] || !found[1] || !found[2])
    return std::nullopt;
  return std::array{*found[0], *found[1], *found[2]};
}

/// The dimension of an operand's tile that `dim` of the iteration space moves.
static unsigned getPlace(AffineMap map, unsigned dim) {
  return llvm::find_if(map.getResults(), [&](AffineExpr result) { return result.isFunctionOfDim(dim); }) - map.getResults().begin();
}

std::optional<InstructionUse> tilec::tile::findProduct(linalg::LinalgOp compute, ArrayRef<int64_t> ranges) {
  if (compute.getNumDpsInputs() != 2 || compute.getNumDpsInits() != 1)
    return std::nullopt;
  std::optional<std::array<Type, 2>> types = matchBody(compute);
  std::optional<std::array<unsigned, 3>> dims = types ? findDims(compute, ranges) : std::nullopt;
  if (!dims)
    return std::nullopt;
  InstructionUse use;
  use.c = compute.getDpsInitOperand(0);
  use.k = (*dims)[2];
  // Rows of c are the dimension that comes first.
  AffineMap result = compute.getMatchingIndexingMap(use.c);
  unsigned a = getPlace(result, (*dims)[0]) < getPlace(result, (*dims)[1]) ? 0 : 1;
  use.m = (*dims)[a];
  use.n = (*dims)[1 - a];
  use.a = compute.getDpsInputOperand(a);
  use.b = compute.getDpsInputOperand(1 - a);
  use.aType = (*types)[a];
  use.bType = (*types)[1 - a];
  return use;
}

static std::optional<InstructionUse> findOwnProduct(linalg::LinalgOp compute) { return findProduct(compute, compute.getStaticLoopRanges()); }

static Type getElement(OpOperand *operand) { return getElementTypeOrSelf(operand->get().getType()); }

static bool isShortFloat(Type type) { return isa<Float8E4M3FNType, Float8E5M2Type>(type); }

/// The type in which an instruction adds up products of elements of `type`; null where none multiplies them.
static Type getSumType(Type type) {
  MLIRContext *context = type.getContext();
  if (type.isBF16() || type.isF16() || type.isTF32() || isShortFloat(type))
    return Float32Type::get(context);
  return type.isInteger(8) ? Type(IntegerType::get(context, 32)) : Type();
}

/// Why there is no instruction of a warpgroup for the types and sizes of `use`; empty where there is one.
static std::string findObstacle(const InstructionUse &use, ArrayRef<int64_t> ranges) {
  constexpr int64_t kRows = 64, kDepthBits = 256; // PTX ISA 9.7.15.5.2
  int64_t columns = ranges[use.n], bits = getElement(use.a).getIntOrFloatBitWidth();
  Type a = use.aType, b = use.bType, sum = getElement(use.c);
  std::string why;
  llvm::raw_string_ostream text(why);
  auto record = layout::instructionLayout(use.name);
  if ((a != b && !(isShortFloat(a) && isShortFloat(b))) || !getSumType(a) || getSumType(a) != sum)
    text << "no instruction multiplies " << a << " and " << b << " and adds up in " << sum
         << (a.isF32() && b.isF32() ? "; a body that rounds both by arith.truncf toward_zero to tf32 has one" : "");
  else if (ranges[use.m] != kRows || ranges[use.k] != kDepthBits / bits)
    text << "m is " << ranges[use.m] << " and k " << ranges[use.k] << "; of elements of " << bits << " bits m " << kRows << " and k " << kDepthBits / bits << " are needed";
  else if (!record)
    text << record.error().message;
  else if (a.isInteger() && columns > 24 && columns % 16 != 0) // PTX ISA 9.7.15.5.2
    text << "wgmma of integers with n = " << columns << "; 8, 16, 24 or a multiple of 16 up to 256 is needed";
  return why;
}

/// May the threads of a warpgroup hold a of `use`? Those of other types hold it otherwise than what they add up.
static bool isHeldByGroup(const InstructionUse &use) { return use.aType.isBF16() || use.aType.isF16(); }

//===----------------------------------------------------------------------===//
// The use
//===----------------------------------------------------------------------===//

std::pair<unsigned, unsigned> InstructionUse::getMatrixDims(OpOperand &operand) const {
  AffineMap map = cast<linalg::LinalgOp>(operand.getOwner()).getMatchingIndexingMap(&operand);
  return {getPlace(map, &operand == b ? n : m), getPlace(map, &operand == c ? n : k)};
}

static std::string getName(linalg::LinalgOp compute, const InstructionUse &use) {
  SmallVector<int64_t> ranges = compute.getStaticLoopRanges();
  return "wgmma.m" + std::to_string(ranges[use.m]) + "n" + std::to_string(ranges[use.n]) + "k" + std::to_string(ranges[use.k]);
}

std::optional<InstructionUse> tilec::tile::getInstructionUse(Operation *op) {
  auto compute = dyn_cast<linalg::LinalgOp>(op);
  ForOp units = compute ? getUnitLoop(op) : ForOp();
  std::optional<InstructionUse> use = units ? findOwnProduct(compute) : std::nullopt;
  if (!use)
    return std::nullopt;
  use->unit = units.getUnit();
  use->name = use->unit == Unit::Warp ? findWarpInstruction(compute, *use) : ::getName(compute, *use);
  return use->name.empty() ? std::nullopt : use;
}

// kernel_c7
LogicalResult tilec::tile::verifyInstructionUse(linalg::LinalgOp compute) {
  ForOp units = getUnitLoop(compute);
  if (!units)
    return success();
  if (units.getUnit() == Unit::Warp)
    return verifyWarpInstruction(compute, findOwnProduct(compute));
  auto fail = [&](const Twine &why) {
    InFlightDiagnostic diag = compute->emitOpError("is executed by a warpgroup, but is no instruction of one: ") << why;
    diag.attachNote(units.getLoc()) << "the loop on warpgroup; a loop on thread in it would say which thread computes what";
    return diag;
  };
  std::optional<InstructionUse> use = getInstructionUse(compute);
  if (!use)
    return fail("expected a product c(m, n) += a(m, k) * b(n, k), with one place in all other dimensions");
  if (std::string why = findObstacle(*use, compute.getStaticLoopRanges()); !why.empty())
    return fail(why);
  for (OpOperand *input : {use->a, use->b}) {
    Level level = *getLevel(input->get().getType());
    if (level == Level::SMEM || (level == Level::RF && input == use->a && isHeldByGroup(*use)))
      continue;
    return fail("operand #" + Twine(input->getOperandNumber()) + " lies in " + stringifyLevel(level) + ", not in smem" +
                (input == use->a ? "; of bf16 and f16 it may lie in rf" : ""));
  }
  if (getLevel(use->c->get().getType()) != Level::RF)
    return fail("its result lies in " + stringifyLevel(*getLevel(use->c->get().getType())) + ", not in rf");
  std::optional<StringRef> stated = getInstruction(compute);
  if (stated && *stated != use->name)
    return fail("tile.instruction is '" + *stated + "', but unit, types and sizes make it '" + use->name + "'");
  return success();
}
