//===- WarpInstruction.cpp - Products of warps --------------------*- C++ -*-===//

#include "WarpInstruction.h"

#include "tilec/Tile/ComputeClauses.h"
#include "tilec/Tile/Distribution.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;
using layout::ElementType;

static Type getElement(const OpOperand *operand) { return getElementTypeOrSelf(operand->get().getType()); }

static std::optional<ElementType> getInputType(Type type) {
  if (type.isBF16())
    return ElementType::BF16;
  if (type.isF16())
    return ElementType::F16;
  if (type.isTF32())
    return ElementType::TF32;
  return type.isInteger(8) ? std::optional(ElementType::S8) : std::nullopt;
}

static std::optional<ElementType> getSumType(Type type) {
  if (type.isF32())
    return ElementType::F32;
  if (type.isF16())
    return ElementType::F16;
  return type.isInteger(32) ? std::optional(ElementType::S32) : std::nullopt;
}

/// The instruction for the sizes and types of `use`, wherever its operands lie.
static std::string findMultiply(linalg::LinalgOp compute, const InstructionUse &use) {
  SmallVector<int64_t> ranges = compute.getStaticLoopRanges();
  std::optional<ElementType> input = getInputType(use.aType), sum = getSumType(getElement(use.c));
  if (!input || !sum || use.aType != use.bType)
    return {};
  return layout::findWarpMultiply(ranges[use.m], ranges[use.n], ranges[use.k], *input, *sum);
}

static bool isInRegisters(const OpOperand *operand) { return getLevel(operand->get().getType()) == Level::RF; }

std::string tilec::tile::findWarpInstruction(linalg::LinalgOp compute, const InstructionUse &use) {
  std::optional<StringRef> stated = getInstruction(compute);
  if (!isInRegisters(use.a) || !isInRegisters(use.b) || !isInRegisters(use.c))
    return {};
  std::string name = findMultiply(compute, use);
  return !stated || *stated == name ? name : std::string();
}

// kernel_c8
LogicalResult tilec::tile::verifyWarpInstruction(linalg::LinalgOp compute, const std::optional<InstructionUse> &use) {
  std::optional<StringRef> stated = getInstruction(compute);
  layout::Result<layout::InstructionLayout> record = layout::instructionLayout(stated.value_or(kByElement).str());
  if (!record || record->threads != kWarpThreads)
    return success();
  auto fail = [&](const Twine &why) { return compute->emitOpError("is to be computed by '") << *stated << "' in a loop on warp, but " << why; };
  if (!use)
    return fail("is no product c(m, n) += a(m, k) * b(n, k)");
  if (findMultiply(compute, *use) != *stated) {
    SmallVector<int64_t> ranges = compute.getStaticLoopRanges();
    return fail("multiplies ") << ranges[use->m] << " x " << ranges[use->k] << " and " << ranges[use->n] << " x " << ranges[use->k] << " elements of "
                               << use->aType << " and " << use->bType << " and adds up in " << getElement(use->c)
                               << "; expected m" << record->m << " n" << record->n << " k" << record->k << " of its types";
  }
  for (OpOperand *operand : {use->a, use->b, use->c})
    if (!isInRegisters(operand))
      return fail("operand #") << operand->getOperandNumber() << " lies in " << stringifyLevel(*getLevel(operand->get().getType())) << ", not in rf";
  return success();
}
