//===- CompileScalar.cpp - arith and math ops to instructions ---*- C++ -*-===//
//
// One instruction an op; conversions between floating-point types change no value,
// since everything is a double.
//
//===----------------------------------------------------------------------===//

#include "CompileScalar.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "tilec/Tile/ScalarOps.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <optional>

using namespace mlir;
using namespace tilec::reference;

uint32_t RegisterMap::create() {
  registers.cells.push_back(Cell{0.0});
  registers.bounds.push_back(ErrorBound());
  return registers.cells.size() - 1;
}

uint32_t RegisterMap::get(Value value) {
  auto [entry, isNew] = numbers.try_emplace(value, 0);
  if (isNew)
    entry->second = create();
  return entry->second;
}

void RegisterMap::set(Value value, Cell cell) {
  uint32_t number = get(value);
  registers.cells[number] = cell;
  registers.bounds[number] = isa<FloatType>(value.getType()) ? ErrorBound::exact(cell.real) : ErrorBound();
}

static unsigned getWidth(Type type) { return type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 64; }

/// The opcode of an op that is one instruction of its operands.
static std::optional<Opcode> getOpcode(Operation *op) {
  using Result = std::optional<Opcode>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<arith::AddFOp>([](auto) { return Opcode::AddF; })
      .Case<arith::SubFOp>([](auto) { return Opcode::SubF; })
      .Case<arith::MulFOp>([](auto) { return Opcode::MulF; })
      .Case<arith::DivFOp>([](auto) { return Opcode::DivF; })
      .Case<arith::RemFOp>([](auto) { return Opcode::RemF; })
      .Case<arith::NegFOp>([](auto) { return Opcode::NegF; })
      .Case<arith::MaximumFOp>([](auto) { return Opcode::MaximumF; })
      .Case<arith::MinimumFOp>([](auto) { return Opcode::MinimumF; })
      .Case<arith::MaxNumFOp>([](auto) { return Opcode::MaxNumF; })
      .Case<arith::MinNumFOp>([](auto) { return Opcode::MinNumF; })
      .Case<arith::ExtFOp>([](auto) { return Opcode::Move; })
      .Case<arith::TruncFOp>([](arith::TruncFOp narrowed) {
        return narrowed.getRoundingmode() == arith::RoundingMode::toward_zero ? Opcode::ChopF : Opcode::RoundF;
      })
      .Case<arith::CmpFOp>([](auto) { return Opcode::CmpF; })
      .Case<arith::CmpIOp>([](auto) { return Opcode::CmpI; })
      .Case<arith::SelectOp>([](arith::SelectOp select) {
        return isa<FloatType>(select.getType()) ? Opcode::SelectF : Opcode::SelectI;
      })
      .Case<arith::AddIOp>([](auto) { return Opcode::AddI; })
      .Case<arith::SubIOp>([](auto) { return Opcode::SubI; })
      .Case<arith::MulIOp>([](auto) { return Opcode::MulI; })
      .Case<arith::DivSIOp>([](auto) { return Opcode::DivSI; })
      .Case<arith::DivUIOp>([](auto) { return Opcode::DivUI; })
      .Case<arith::RemSIOp>([](auto) { return Opcode::RemSI; })
      .Case<arith::RemUIOp>([](auto) { return Opcode::RemUI; })
      .Case<arith::MaxSIOp>([](auto) { return Opcode::MaxSI; })
      .Case<arith::MinSIOp>([](auto) { return Opcode::MinSI; })
      .Case<arith::MaxUIOp>([](auto) { return Opcode::MaxUI; })
      .Case<arith::MinUIOp>([](auto) { return Opcode::MinUI; })
      .Case<arith::AndIOp>([](auto) { return Opcode::AndI; })
      .Case<arith::OrIOp>([](auto) { return Opcode::OrI; })
      .Case<arith::XOrIOp>([](auto) { return Opcode::XorI; })
      .Case<arith::ShLIOp>([](auto) { return Opcode::ShlI; })
      .Case<arith::ShRSIOp>([](auto) { return Opcode::ShrSI; })
      .Case<arith::ShRUIOp>([](auto) { return Opcode::ShrUI; })
      .Case<arith::ExtSIOp, arith::IndexCastOp>([](auto) { return Opcode::WrapI; })
      .Case<arith::TruncIOp>([](auto) { return Opcode::WrapI; })
      .Case<arith::ExtUIOp, arith::IndexCastUIOp>([](auto) { return Opcode::ZeroExtendI; })
      .Case<arith::SIToFPOp>([](auto) { return Opcode::SIToFP; })
      .Case<arith::UIToFPOp>([](auto) { return Opcode::UIToFP; })
      .Case<arith::FPToSIOp>([](auto) { return Opcode::FPToSI; })
      .Case<arith::FPToUIOp>([](auto) { return Opcode::FPToUI; })
      .Case<math::AbsIOp>([](auto) { return Opcode::AbsI; })
      .Case<math::FmaOp>([](auto) { return Opcode::FmaF; })
      .Case<math::AbsFOp>([](auto) { return Opcode::AbsF; })
      .Case<math::ExpOp>([](auto) { return Opcode::Exp; })
      .Case<math::Exp2Op>([](auto) { return Opcode::Exp2; })
      .Case<math::ExpM1Op>([](auto) { return Opcode::ExpM1; })
      .Case<math::LogOp>([](auto) { return Opcode::Log; })
      .Case<math::Log2Op>([](auto) { return Opcode::Log2; })
      .Case<math::Log1pOp>([](auto) { return Opcode::Log1P; })
      .Case<math::SqrtOp>([](auto) { return Opcode::Sqrt; })
      .Case<math::RsqrtOp>([](auto) { return Opcode::Rsqrt; })
      .Case<math::TanhOp>([](auto) { return Opcode::Tanh; })
      .Case<math::SinOp>([](auto) { return Opcode::Sin; })
      .Case<math::CosOp>([](auto) { return Opcode::Cos; })
      .Case<math::ErfOp>([](auto) { return Opcode::Erf; })
      .Case<math::PowFOp>([](auto) { return Opcode::PowF; })
      .Case<math::FloorOp>([](auto) { return Opcode::Floor; })
      .Case<math::CeilOp>([](auto) { return Opcode::Ceil; })
      .Case<math::RoundOp>([](auto) { return Opcode::Round; })
      .Case<math::RoundEvenOp>([](auto) { return Opcode::RoundEven; })
      .Case<math::TruncOp>([](auto) { return Opcode::Trunc; })
      .Default(Result());
}

static LogicalResult compileConstant(arith::ConstantOp op, RegisterMap &map) {
  if (auto number = dyn_cast<FloatAttr>(op.getValue())) {
    map.set(op.getResult(), Cell{number.getValueAsDouble()});
    return success();
  }
  auto number = dyn_cast<IntegerAttr>(op.getValue());
  if (!number || number.getValue().getBitWidth() > 64)
    return op.emitOpError("has no meaning in the reference evaluator: a constant of type ") << op.getType();
  Cell cell;
  cell.whole = wrapToWidth(number.getValue().getSExtValue(), getWidth(op.getType()));
  map.set(op.getResult(), cell);
  return success();
}

LogicalResult tilec::reference::compileScalar(Operation *op, RegisterMap &map, Code &code) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return compileConstant(constant, map);
  std::optional<Opcode> opcode = getOpcode(op);
  bool isScalar = llvm::all_of(op->getOperandTypes(), [](Type type) {
    return isa<FloatType, IndexType>(type) || (type.isInteger() && getWidth(type) <= 64);
  });
  if (!opcode || !isScalar)
    return op->emitOpError("has no meaning in the reference evaluator");
  Instruction instruction{*opcode};
  instruction.op = op;
  instruction.result = map.get(op->getResult(0));
  instruction.a = instruction.b = map.get(op->getOperand(0));
  if (op->getNumOperands() > 1)
    instruction.b = map.get(op->getOperand(1));
  if (op->getNumOperands() > 2)
    instruction.c = map.get(op->getOperand(2));
  instruction.width = getWidth(op->getResult(0).getType());
  instruction.format = Format::of(op->getResult(0).getType());
  // Of powers that are smaller than 2^-126 some are taken for zero (tile::isFlushed), in attention those of functions, too. All are off to one side then, but bounds of sums
  // grow with the root of their terms: this is enough for 2^20 of them.
  if (isa<math::ExpOp, math::Exp2Op>(op) && op->getResult(0).getType().isF32())
    instruction.format.smallest = 0x1p-116;
  if (auto compare = dyn_cast<arith::CmpFOp>(op)) {
    instruction.aux = static_cast<uint8_t>(compare.getPredicate());
  } else if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    instruction.aux = static_cast<uint8_t>(compare.getPredicate());
    instruction.width = getWidth(compare.getLhs().getType());
  } else {
    instruction.aux = getWidth(op->getOperand(0).getType());
  }
  code.push_back(instruction);
  return success();
}
