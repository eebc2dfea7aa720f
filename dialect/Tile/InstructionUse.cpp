//===- InstructionUse.cpp - Computations that one instruction does -*- C++ -*-===//

#include "tilec/Tile/InstructionUse.h"

#include "WarpInstruction.h"

#include "tilec/Tile/Access.h"
#include "tilec/Tile/ComputeClauses.h"
#include "tilec/Tile/Distribution.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

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

/// The positions in the iteration space that a map's two results are; nothing for another map.
static std::optional<std::pair<unsigned, unsigned>> getTwoDims(AffineMap map) {
  if (map.getNumResults() != 2)
    return std::nullopt;
  auto first = dyn_cast<AffineDimExpr>(map.getResult(0)), second = dyn_cast<AffineDimExpr>(map.getResult(1));
  if (!first || !second || first == second)
    return std::nullopt;
  return std::make_pair(first.getPosition(), second.getPosition());
}

std::optional<InstructionUse> tilec::tile::findProduct(linalg::LinalgOp compute) {
  if (compute.getNumLoops() != 3 || compute.getNumDpsInputs() != 2 || compute.getNumDpsInits() != 1)
    return std::nullopt;
  std::optional<std::array<Type, 2>> types = matchBody(compute);
  if (!types)
    return std::nullopt;
  InstructionUse use;
  use.c = compute.getDpsInitOperand(0);
  auto result = getTwoDims(compute.getMatchingIndexingMap(use.c));
  if (!result)
    return std::nullopt;
  std::tie(use.m, use.n) = *result;
  use.k = 3 - use.m - use.n;
  for (OpOperand *input : compute.getDpsInputOperands()) {
    auto dims = getTwoDims(compute.getMatchingIndexingMap(input));
    if (!dims || (dims->first != use.k && dims->second != use.k))
      return std::nullopt;
    bool isA = (dims->first == use.k ? dims->second : dims->first) == use.m;
    (isA ? use.a : use.b) = input;
    (isA ? use.aType : use.bType) = (*types)[input->getOperandNumber()];
  }
  return use.a && use.b ? std::optional(use) : std::nullopt;
}

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

//===----------------------------------------------------------------------===//
// The use
//===----------------------------------------------------------------------===//

unsigned InstructionUse::getDepthDim(OpOperand &operand) const {
  auto compute = cast<linalg::LinalgOp>(operand.getOwner());
  return compute.getMatchingIndexingMap(&operand).getDimPosition(0) == k ? 0 : 1;
}

static std::string getName(linalg::LinalgOp compute, const InstructionUse &use) {
  SmallVector<int64_t> ranges = compute.getStaticLoopRanges();
  return "wgmma.m" + std::to_string(ranges[use.m]) + "n" + std::to_string(ranges[use.n]) + "k" + std::to_string(ranges[use.k]);
}

std::optional<InstructionUse> tilec::tile::getInstructionUse(Operation *op) {
  auto compute = dyn_cast<linalg::LinalgOp>(op);
  ForOp units = compute ? getUnitLoop(op) : ForOp();
  std::optional<InstructionUse> use = units ? findProduct(compute) : std::nullopt;
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
    return verifyWarpInstruction(compute, findProduct(compute));
  auto fail = [&](const Twine &why) {
    InFlightDiagnostic diag = compute->emitOpError("is executed by a warpgroup, but is no instruction of one: ") << why;
    diag.attachNote(units.getLoc()) << "the loop on warpgroup; a loop on thread in it would say which thread computes what";
    return diag;
  };
  std::optional<InstructionUse> use = getInstructionUse(compute);
  if (!use)
    return fail("expected a product c(m, n) += a(m, k) * b(n, k)");
  if (std::string why = findObstacle(*use, compute.getStaticLoopRanges()); !why.empty())
    return fail(why);
  for (OpOperand *input : {use->a, use->b})
    if (getLevel(input->get().getType()) != Level::SMEM)
      return fail("operand #" + Twine(input->getOperandNumber()) + " lies in " + stringifyLevel(*getLevel(input->get().getType())) + ", not in smem");
  if (getLevel(use->c->get().getType()) != Level::RF)
    return fail("its result lies in " + stringifyLevel(*getLevel(use->c->get().getType())) + ", not in rf");
  std::optional<StringRef> stated = getInstruction(compute);
  if (stated && *stated != use->name)
    return fail("tile.instruction is '" + *stated + "', but unit, types and sizes make it '" + use->name + "'");
  return success();
}
