//===- InstructionUse.cpp - Computations that one instruction does -*- C++ -*-===//

#include "tilec/Tile/InstructionUse.h"

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
      return loop.getUnit() == Unit::Warpgroup ? loop : ForOp();
  return {};
}

/// The argument of the body that `value` is, through conversions to wider types.
static BlockArgument getArgument(Value value) {
  if (auto extend = value.getDefiningOp<arith::ExtFOp>())
    value = extend.getIn();
  return dyn_cast<BlockArgument>(value);
}

/// Is the body c + a * b, in the type of c? Gives the numbers of a's and b's arguments.
static std::optional<std::pair<unsigned, unsigned>> matchBody(linalg::LinalgOp compute) {
  Block &body = *compute.getBlock();
  auto sum = body.getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!sum)
    return std::nullopt;
  for (auto [total, product] : {std::make_pair(sum.getLhs(), sum.getRhs()), std::make_pair(sum.getRhs(), sum.getLhs())}) {
    auto multiply = product.getDefiningOp<arith::MulFOp>();
    if (total != body.getArgument(2) || !multiply)
      continue;
    BlockArgument a = getArgument(multiply.getLhs()), b = getArgument(multiply.getRhs());
    if (a && b && a.getArgNumber() + b.getArgNumber() == 1)
      return std::make_pair(a.getArgNumber(), b.getArgNumber());
  }
  return std::nullopt;
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

/// A product c(m, n) += a(m, k) * b(n, k), whatever its sizes: all of the use but the instruction.
static std::optional<InstructionUse> matchProduct(linalg::LinalgOp compute) {
  if (compute.getNumLoops() != 3 || compute.getNumDpsInputs() != 2 || compute.getNumDpsInits() != 1 || !matchBody(compute))
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
    unsigned other = dims->first == use.k ? dims->second : dims->first;
    (other == use.m ? use.a : use.b) = input;
  }
  return use.a && use.b ? std::optional(use) : std::nullopt;
}

/// What an instruction multiplies and adds up in f32.
static std::optional<layout::ElementType> getElementType(Type type) {
  if (type.isBF16())
    return layout::ElementType::BF16;
  if (type.isF16())
    return layout::ElementType::F16;
  return std::nullopt;
}

static Type getElement(OpOperand *operand) { return getElementTypeOrSelf(operand->get().getType()); }

/// The instruction of a warpgroup for the types and sizes of `use`. Fails with what it looked for and why.
static layout::Result<layout::InstructionLayout> findInstruction(const InstructionUse &use) {
  std::optional<layout::ElementType> element = getElementType(getElement(use.a));
  if (!element || getElement(use.a) != getElement(use.b) || !getElement(use.c).isF32()) {
    std::string types;
    llvm::raw_string_ostream(types) << "no instruction multiplies " << getElement(use.a) << " and " << getElement(use.b) << " and adds up in " << getElement(use.c);
    return layout::Error{types};
  }
  auto record = layout::instructionLayout(use.name);
  if (record && record->elementBits != getElement(use.a).getIntOrFloatBitWidth())
    return layout::Error{"'" + record->name + "' multiplies elements of " + std::to_string(record->elementBits) + " bits"};
  return record;
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
  if (!compute || !getUnitLoop(op))
    return std::nullopt;
  std::optional<InstructionUse> use = matchProduct(compute);
  if (use)
    use->name = ::getName(compute, *use);
  return use;
}

// kernel_c7
LogicalResult tilec::tile::verifyInstructionUse(linalg::LinalgOp compute) {
  ForOp units = getUnitLoop(compute);
  if (!units)
    return success();
  auto fail = [&](const Twine &why) {
    InFlightDiagnostic diag = compute->emitOpError("is executed by a warpgroup, but is no instruction of one: ") << why;
    diag.attachNote(units.getLoc()) << "the loop on warpgroup; a loop on thread in it would say which thread computes what";
    return diag;
  };
  std::optional<InstructionUse> use = getInstructionUse(compute);
  if (!use)
    return fail("expected a product c(m, n) += a(m, k) * b(n, k)");
  auto record = findInstruction(*use);
  if (!record)
    return fail(record.error().message);
  for (OpOperand *input : {use->a, use->b})
    if (getLevel(input->get().getType()) != Level::SMEM)
      return fail("operand #" + Twine(input->getOperandNumber()) + " lies in " + stringifyLevel(*getLevel(input->get().getType())) + ", not in smem");
  if (getLevel(use->c->get().getType()) != Level::RF)
    return fail("its result lies in " + stringifyLevel(*getLevel(use->c->get().getType())) + ", not in rf");
  std::optional<StringRef> stated = getInstruction(compute);
  if (stated && *stated != record->name)
    return fail("tile.instruction is '" + *stated + "', but unit, types and sizes make it '" + record->name + "'");
  return success();
}
