//===- ScalarOps.cpp - What may be computed with numbers --------*- C++ -*-===//
//
// The list, and rules C1 and C3 for one op.
//
//===----------------------------------------------------------------------===//

#include "tilec/Tile/ScalarOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tilec::tile;

static constexpr ScalarOperands Any = ScalarOperands::Any, Float = ScalarOperands::Float,
                                Integer = ScalarOperands::Integer, Logic = ScalarOperands::Logic;

static constexpr ScalarOp kScalarOps[] = {
    {"linalg.index", Any},       {"arith.constant", Any},     {"arith.select", Any},
    // Floating-point numbers.
    {"arith.addf", Float},       {"arith.subf", Float},       {"arith.mulf", Float},
    {"arith.divf", Float},       {"arith.remf", Float},       {"arith.negf", Float},
    {"arith.maximumf", Float},   {"arith.minimumf", Float},   {"arith.maxnumf", Float},
    {"arith.minnumf", Float},    {"arith.cmpf", Float},       {"math.absf", Float},
    {"math.ceil", Float},        {"math.cos", Float},         {"math.erf", Float},
    {"math.exp", Float},         {"math.exp2", Float},        {"math.expm1", Float},
    {"math.floor", Float},       {"math.fma", Float},         {"math.log", Float},
    {"math.log1p", Float},       {"math.log2", Float},        {"math.powf", Float},
    {"math.round", Float},       {"math.roundeven", Float},   {"math.rsqrt", Float},
    {"math.sin", Float},         {"math.sqrt", Float},        {"math.tanh", Float},
    {"math.trunc", Float},
    // Integers.
    {"arith.addi", Integer},     {"arith.subi", Integer},     {"arith.muli", Integer},
    {"arith.divsi", Integer},    {"arith.divui", Integer},    {"arith.remsi", Integer},
    {"arith.remui", Integer},    {"arith.maxsi", Integer},    {"arith.minsi", Integer},
    {"arith.maxui", Integer},    {"arith.minui", Integer},    {"arith.shli", Integer},
    {"arith.shrsi", Integer},    {"arith.shrui", Integer},    {"math.absi", Integer},
    {"arith.andi", Logic},       {"arith.ori", Logic},        {"arith.xori", Logic},
    {"arith.cmpi", Logic},
    // Conversions.
    {"arith.extf", Float},       {"arith.truncf", Float},     {"arith.fptosi", Float},
    {"arith.fptoui", Float},     {"arith.sitofp", Logic},     {"arith.uitofp", Logic},
    {"arith.extsi", Logic},      {"arith.extui", Logic},      {"arith.trunci", Integer},
    {"arith.index_cast", Integer}, {"arith.index_castui", Integer},
};

ArrayRef<ScalarOp> tilec::tile::getScalarOps() { return kScalarOps; }

static bool isShortFloat(Type type) { return isa<Float8E4M3FNType, Float8E5M2Type>(type); }

bool tilec::tile::isElementType(Type type) {
  return isa<Float64Type, Float32Type, Float16Type, BFloat16Type>(type) || isShortFloat(type) || type.isSignlessInteger(8) ||
         type.isSignlessInteger(16) || type.isSignlessInteger(32) || type.isSignlessInteger(64);
}

bool tilec::tile::isFlushed(Operation *op) {
  auto power = dyn_cast<math::Exp2Op>(op);
  return power && power.getType().isF32() && arith::bitEnumContainsAll(power.getFastmath(), arith::FastMathFlags::afn);
}

bool tilec::tile::isScalarType(Type type) {
  return isElementType(type) || type.isSignlessInteger(1) || type.isIndex();
}

/// tf32 lies between rounding an f32 and widening it again: it says how precise a product is.
static bool isBetween(Operation *op, Type type) {
  auto narrowed = dyn_cast<arith::TruncFOp>(op);
  bool makes = narrowed && narrowed.getIn().getType().isF32(), widens = isa<arith::ExtFOp>(op) && op->getResult(0).getType().isF32();
  return type.isTF32() && (makes || widens);
}

static bool takes(ScalarOperands operands, Type type) {
  switch (operands) {
  case Any:
    return true;
  case Float:
    return isa<FloatType>(type);
  case Integer:
    return !isa<FloatType>(type) && !type.isInteger(1);
  case Logic:
    return !isa<FloatType>(type);
  }
  return false;
}

/// What to write instead of an op that is not on the list.
static StringRef getWayOut(Operation *op, bool inBody) {
  StringRef dialect = op->getName().getDialectNamespace();
  if (dialect == "memref" || dialect == "tile" || dialect == "affine" || dialect == "vector")
    return inBody ? "name the memory in ins or outs, whose maps say which element is meant"
                  : "name the memory in tile.stage, tile.part or tile.store";
  if (dialect == "scf" || dialect == "cf")
    return inBody ? "choose between two values by arith.select" : "loops are tile.for, conditions scf.if";
  if (dialect == "func" || isa<CallOpInterface>(op))
    return "write out here what it computes";
  if (dialect == "linalg")
    return "let one op follow the other";
  return "the rule lists the ops of arith and math that it may be written with";
}

LogicalResult tilec::tile::verifyScalar(Operation *op, bool inBody) {
  StringRef name = op->getName().getStringRef();
  const auto *listed = llvm::find_if(kScalarOps, [&](const ScalarOp &entry) { return entry.name == name; });
  if (listed == std::end(kScalarOps)) // kernel_c1
    return op->emitError() << "'" << name << "' is no scalar op, which is all that "
                           << (inBody ? "the body of a computation" : "a kernel") << " computes with (rule C1); "
                           << getWayOut(op, inBody);
  for (auto types : {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types)
      if (!isScalarType(type) && !isBetween(op, type)) // kernel_c3
        return op->emitOpError("computes with ")
               << type << "; scalars are f64, f32, f16, bf16, i64, i32, i16, i8, i1 and index (rule C3)";
  for (auto types : {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types)
      if (isShortFloat(type) && !isa<arith::ExtFOp, arith::ConstantOp>(op)) // kernel_c3
        return op->emitOpError("computes with ") << type << ", which only arith.extf takes, to a wider type (rule C3)";
  for (Type type : op->getOperandTypes())
    if (!takes(listed->operands, type)) // kernel_c3
      return op->emitOpError("computes with ")
             << type << ", which takes arith.andi, ori, xori, select and cmpi with eq and ne (rule C3); extend it to i32";
  auto compare = dyn_cast<arith::CmpIOp>(op);
  if (compare && compare.getLhs().getType().isInteger(1) && compare.getPredicate() != arith::CmpIPredicate::eq &&
      compare.getPredicate() != arith::CmpIPredicate::ne) // kernel_c3
    return op->emitOpError("compares i1 by ") << arith::stringifyCmpIPredicate(compare.getPredicate())
                                              << ", but only by eq and ne (rule C3); extend it to i32";
  if (isa<arith::FPToSIOp, arith::FPToUIOp, arith::IndexCastOp, arith::IndexCastUIOp>(op) &&
      op->getResult(0).getType().isInteger(1)) // kernel_c3
    return op->emitOpError("converts to i1 (rule C3); compare with 0 instead");
  auto narrowed = dyn_cast<arith::TruncFOp>(op);
  arith::RoundingMode mode = narrowed ? narrowed.getRoundingmode().value_or(arith::RoundingMode::to_nearest_even) : arith::RoundingMode::to_nearest_even;
  bool chops = narrowed && narrowed.getType().isTF32();
  if (mode != (chops ? arith::RoundingMode::toward_zero : arith::RoundingMode::to_nearest_even)) // kernel_c3
    return op->emitOpError("rounds by ") << arith::stringifyRoundingMode(mode) << "; conversions round to nearest, ties to even, and to tf32 toward_zero (rule C3)";
  return success();
}
