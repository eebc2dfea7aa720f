//===- MatrixOps.cpp - Matrices in the registers of a warp ------*- C++ -*-===//
//
// How many elements a lane has, and which instructions there are.
//
//===----------------------------------------------------------------------===//

#include "tilec/Kernel/Kernel.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::kernel;

/// Are the registers after `leading` indices an array of `bytes`?
static LogicalResult verifyBytes(Operation *op, StringRef what, Value registers, size_t leading, int64_t bytes) {
  auto type = cast<MemRefType>(registers.getType());
  if (leading >= size_t(type.getRank()))
    return op->emitOpError() << "has " << leading << " indices of " << what << " of rank " << type.getRank() << ", which leave no array";
  int64_t has = ShapedType::getNumElements(type.getShape().drop_front(leading)) * type.getElementTypeBitWidth() / 8;
  if (has != bytes)
    return op->emitOpError() << "has " << has << " bytes of " << what << ", expected " << bytes;
  return success();
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

/// Of the functions for 1, 2 and 4 matrices.
static StringRef pickByCount(const StringRef (&functions)[3], uint64_t count) { return functions[count / 2]; }

template <typename Op>
static unsigned countIndicesOf(Op op, Value buffer) {
  return buffer == op.getRegisters() ? op.getRegisterIndices().size() : op.getSharedIndices().size();
}

/// Of other elements than those of 16 bits rows are moved as they are.
template <typename Op>
static LogicalResult verifyMove(Op op) {
  for (Value memory : {Value(op.getRegisters()), Value(op.getShared())}) {
    unsigned bits = cast<MemRefType>(memory.getType()).getElementTypeBitWidth();
    if (bits != 16 && (bits > 32 || op.getTranspose()))
      return op.emitOpError() << "moves elements of " << bits << " bits, expected " << (op.getTranspose() ? "16" : "8, 16 or 32");
  }
  return success();
}

StringRef LdmatrixOp::getCallee() { return pickByCount({"ldmatrix_x1", "ldmatrix_x2", "ldmatrix_x4"}, getCount()); }
SmallVector<int64_t> LdmatrixOp::getTemplateArguments() { return {getTranspose()}; }
unsigned LdmatrixOp::countIndices(Value buffer) { return countIndicesOf(*this, buffer); }
LogicalResult LdmatrixOp::verify() { return verifyMove(*this); }

StringRef StmatrixOp::getCallee() { return pickByCount({"stmatrix_x1", "stmatrix_x2", "stmatrix_x4"}, getCount()); }
SmallVector<int64_t> StmatrixOp::getTemplateArguments() { return {getTranspose()}; }
unsigned StmatrixOp::countIndices(Value buffer) { return countIndicesOf(*this, buffer); }
LogicalResult StmatrixOp::verify() { return verifyMove(*this); }

//===----------------------------------------------------------------------===//
// Multiplications
//===----------------------------------------------------------------------===//

StringRef MmaOp::getCallee() {
  Type type = getType();
  if (type.isBF16())
    return "mma_m16n8k16_f32_bf16_bf16";
  if (type.isF16())
    return "mma_m16n8k16_f32_f16_f16";
  if (type.isTF32())
    return "mma_m16n8k8_f32_tf32_tf32";
  return type.isInteger(8) ? "mma_m16n8k32_s32_s8_s8" : "";
}

unsigned MmaOp::countIndices(Value buffer) {
  return buffer == getAcc() ? getAccIndices().size() : buffer == getA() ? getAIndices().size() : getBIndices().size();
}

LogicalResult MmaOp::verify() {
  if (getCallee().empty())
    return emitOpError() << "multiplies " << getType() << ", possible are bf16, f16, tf32 and i8";
  Type element = cast<MemRefType>(getAcc().getType()).getElementType();
  if (!(getType().isInteger(8) ? element.isInteger(32) : element.isF32()))
    return emitOpError() << "has accumulators of type " << element << ", expected " << (getType().isInteger(8) ? "i32" : "f32");
  if (failed(verifyBytes(*this, "accumulators", getAcc(), getAccIndices().size(), 16)))
    return failure();
  auto a = cast<MemRefType>(getA().getType());
  if (static_cast<int64_t>(getAIndices().size()) != a.getRank())
    return emitOpError() << "has " << getAIndices().size() << " indices of a of rank " << a.getRank() << ", expected the first element's";
  if (int64_t has = a.getNumElements() * a.getElementTypeBitWidth() / 8; has < 16)
    return emitOpError() << "has " << has << " bytes of a, expected 16 or more";
  return verifyBytes(*this, "b", getB(), getBIndices().size(), 8);
}
