//===- KernelOps.cpp - Ops of the device vocabulary -------------*- C++ -*-===//
//
// Functions of the vocabulary by types and by the number of operands.
//
//===----------------------------------------------------------------------===//

#include "tilec/Kernel/Kernel.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::kernel;

#define GET_OP_CLASSES
#include "tilec/Kernel/KernelOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Functions by type
//===----------------------------------------------------------------------===//

StringRef WidenOp::getCallee() {
  Type type = getValue().getType();
  if (isa<Float8E4M3FNType, Float8E5M2Type>(type))
    return isa<Float8E4M3FNType>(type) ? "float_from_e4m3" : "float_from_e5m2";
  return type.isF16() ? "float_from_half" : "float_from_bfloat";
}
StringRef RoundOp::getCallee() {
  if (getType().isF16())
    return "half_from";
  return getExact() && getValue().getType().isF32() ? "bfloat_of" : "bfloat_from";
}

bool CpAsyncOp::takesElementNumber(Value buffer) { return buffer == getDest(); }

//===----------------------------------------------------------------------===//
// Bulk copies
//===----------------------------------------------------------------------===//

constexpr size_t mostCoordinates = 5;

/// The function for so many coordinates; empty where there is none.
static StringRef pickByRank(const StringRef (&functions)[mostCoordinates], size_t rank) {
  return rank >= 1 && rank <= mostCoordinates ? functions[rank - 1] : StringRef();
}

StringRef TmaLoadOp::getCallee() {
  static constexpr StringRef functions[] = {"tma_load_1d", "tma_load_2d", "tma_load_3d", "tma_load_4d", "tma_load_5d"};
  return pickByRank(functions, getCoordinates().size());
}

StringRef TmaLoadMulticastOp::getCallee() {
  static constexpr StringRef functions[] = {"tma_load_multicast_1d", "tma_load_multicast_2d", "tma_load_multicast_3d",
                                            "tma_load_multicast_4d", "tma_load_multicast_5d"};
  return pickByRank(functions, getCoordinates().size());
}

StringRef TmaStoreOp::getCallee() {
  static constexpr StringRef functions[] = {"tma_store_1d", "tma_store_2d", "tma_store_3d", "tma_store_4d", "tma_store_5d"};
  return pickByRank(functions, getCoordinates().size());
}

static LogicalResult verifyRank(Operation *op, size_t coordinates) {
  if (coordinates >= 1 && coordinates <= mostCoordinates)
    return success();
  return op->emitOpError() << "has " << coordinates << " coordinates, a tensor map has 1 to " << mostCoordinates;
}

LogicalResult TmaLoadOp::verify() { return verifyRank(*this, getCoordinates().size()); }
LogicalResult TmaLoadMulticastOp::verify() { return verifyRank(*this, getCoordinates().size()); }
LogicalResult TmaStoreOp::verify() { return verifyRank(*this, getCoordinates().size()); }

//===----------------------------------------------------------------------===//
// Whole arrays
//===----------------------------------------------------------------------===//

unsigned SettleOp::countIndices(Value) { return 0; }
unsigned LoosenOp::countIndices(Value) { return 0; }
