//===- WgmmaOps.cpp - Tensor cores of a warpgroup ---------------*- C++ -*-===//
//
// Which multiplications there are, and what their operands look like.
//
//===----------------------------------------------------------------------===//

#include "tilec/Kernel/Kernel.h"

#include "tilec/Kernel/Vocabulary.h"

#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::kernel;

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

bool MatrixDescriptorOp::takesElementNumber(Value) { return true; }

LogicalResult MatrixDescriptorOp::verify() {
  // PTX ISA 9.7.15.5.1: 14 bits without the 4 low ones.
  constexpr uint64_t step = 16, most = step * ((1 << 14) - 1);
  if (uint64_t swizzle = getSwizzle(); swizzle != 0 && swizzle != 32 && swizzle != 64 && swizzle != 128)
    return emitOpError() << "has a swizzle of " << swizzle << " bytes, possible are 0, 32, 64 and 128";
  for (auto [name, bytes] : {std::pair("leading_bytes", getLeadingBytes()), std::pair("stride_bytes", getStrideBytes())})
    if (bytes % step != 0 || bytes > most)
      return emitOpError() << "has " << name << " of " << static_cast<int64_t>(bytes) << ", possible are multiples of " << step << " up to " << most;
  return success();
}

//===----------------------------------------------------------------------===//
// Multiplications
//===----------------------------------------------------------------------===//

namespace {
/// An operand's type as PTX writes it, and how many elements of a row one instruction takes: 32 bytes.
struct ElementType {
  StringRef name;
  unsigned k;
};
} // namespace

static std::optional<ElementType> getElementType(Type type) {
  if (type.isBF16())
    return ElementType{"bf16", 16};
  if (type.isF16())
    return ElementType{"f16", 16};
  if (type.isTF32())
    return ElementType{"tf32", 8};
  if (isa<Float8E4M3FNType>(type))
    return ElementType{"e4m3", 32};
  if (isa<Float8E5M2Type>(type))
    return ElementType{"e5m2", 32};
  if (type.isInteger(8))
    return ElementType{"s8", 32};
  return std::nullopt;
}

/// The row of the vocabulary; null where there is none.
static const VocabularyEntry *getRow(WgmmaOp op) {
  std::optional<ElementType> a = getElementType(op.getA()), b = getElementType(op.getB());
  if (!a || !b || a->k != b->k)
    return nullptr;
  return lookupFunction((Twine("wgmma_m64n") + Twine(op.getN()) + "k" + Twine(a->k) + "_" + (a->name == "s8" ? "s32" : "f32") + "_" + a->name + "_" +
                         b->name)
                            .str());
}

StringRef WgmmaOp::getCallee() {
  const VocabularyEntry *row = getRow(*this);
  return row ? row->function : StringRef();
}

static bool isTransposable(Type type) { return type.isBF16() || type.isF16(); }

SmallVector<int64_t> WgmmaOp::getTemplateArguments() {
  if (!isTransposable(getA()))
    return {};
  return {getTransposeA(), getTransposeB()};
}

unsigned WgmmaOp::countIndices(Value) { return getIndices().size(); }

/// What is left of registers after their leading indices must be an array.
static LogicalResult verifyArray(Operation *op, MemRefType registers, size_t leading) {
  if (leading < size_t(registers.getRank()))
    return success();
  return op->emitOpError() << "has " << leading << " indices of registers of rank " << registers.getRank() << ", which leave no array";
}

/// Verifies the registers that a multiplication with `columns` adds to.
static LogicalResult verifyAccumulators(Operation *op, MemRefType registers, size_t leading, Type expected, uint64_t columns) {
  if (Type element = registers.getElementType(); element != expected)
    return op->emitOpError() << "has accumulators of type " << element << ", expected " << expected;
  if (failed(verifyArray(op, registers, leading)))
    return failure();
  int64_t count = ShapedType::getNumElements(registers.getShape().drop_front(leading));
  if (count != static_cast<int64_t>(columns / 2))
    return op->emitOpError() << "has " << count << " accumulators, a thread has " << columns / 2 << " of " << columns << " columns";
  return success();
}

LogicalResult WgmmaOp::verify() {
  if (!getRow(*this))
    return emitOpError() << "multiplies " << getA() << " and " << getB() << " with " << getN()
                         << " columns; possible are bf16, f16, tf32, any two of f8E4M3FN and f8E5M2 with multiples of 8 up to 256, and i8 with 8, 16, 24 and "
                            "multiples of 16 from 32 to 256";
  if ((getTransposeA() || getTransposeB()) && !isTransposable(getA()))
    return emitOpError() << "transposes " << getA() << ", possible are bf16 and f16";
  Type expected = getA().isInteger(8) ? Type(IntegerType::get(getContext(), 32)) : Type(Float32Type::get(getContext()));
  return verifyAccumulators(*this, getAcc().getType(), getIndices().size(), expected, getN());
}

StringRef WgmmaRegistersOp::getCallee() {
  std::optional<ElementType> type = isTransposable(getType()) ? getElementType(getType()) : std::nullopt;
  const VocabularyEntry *row =
      type ? lookupFunction((Twine("wgmma_registers_m64n") + Twine(getN()) + "k" + Twine(type->k) + "_f32_" + type->name + "_" + type->name).str()) : nullptr;
  return row ? row->function : StringRef();
}

SmallVector<int64_t> WgmmaRegistersOp::getTemplateArguments() { return {getTransposeB()}; }
unsigned WgmmaRegistersOp::countIndices(Value buffer) { return buffer == getAcc() ? getIndices().size() : getLeftIndices().size(); }

LogicalResult WgmmaRegistersOp::verify() {
  if (getCallee().empty())
    return emitOpError() << "multiplies " << getType() << " with " << getN() << " columns; possible are bf16 and f16 with multiples of 8 up to 256";
  auto left = cast<MemRefType>(getLeft().getType());
  if (left.getElementType() != getType())
    return emitOpError() << "holds factors of type " << left.getElementType() << ", expected " << getType();
  if (static_cast<int64_t>(getLeftIndices().size()) != left.getRank())
    return emitOpError() << "has " << getLeftIndices().size() << " indices of factors of rank " << left.getRank() << ", expected the first one's";
  return verifyAccumulators(*this, cast<MemRefType>(getAcc().getType()), getIndices().size(), Float32Type::get(getContext()), getN());
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

StringRef WgmmaWaitOp::getCallee() {
  if (!getAcc())
    return "wgmma_wait";
  return cast<MemRefType>(getAcc().getType()).getElementType().isF32() ? "wgmma_wait_f32" : "wgmma_wait_s32";
}
SmallVector<int64_t> WgmmaWaitOp::getTemplateArguments() { return {static_cast<int64_t>(getPending())}; }
unsigned WgmmaWaitOp::countIndices(Value) { return getIndices().size(); }

LogicalResult WgmmaWaitOp::verify() {
  return getAcc() ? verifyArray(*this, cast<MemRefType>(getAcc().getType()), getIndices().size()) : success();
}
