//===- Program.cpp - What a program says about its launches -----*- C++ -*-===//

#include "tilec/Conversion/Program.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tilec/Conversion/Launch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::runtime;

namespace {

class Describer {
public:
  explicit Describer(tile::ProgramOp program) : program(program) {}
  FailureOr<ProgramDescription> run();

private:
  unsigned add(SizeValue value) {
    made.values.push_back(value);
    return made.values.size() - 1;
  }
  void addValue(Operation &op);
  LogicalResult addArray(tile::WorkspaceOp op);
  void addStep(tile::RunOp op);
  LogicalResult noteUses();

  tile::ProgramOp program;
  ProgramDescription made;
  /// Runs that read arrays which nobody has written before.
  SmallVector<std::pair<tile::RunOp, Value>> early;
  /// The number of each size among the values, of each operand and array, and of each scalar.
  DenseMap<Value, unsigned> values, tensors, scalars;
};

} // namespace

static SizeValue::Kind getKind(Operation &op) {
  using Kind = SizeValue::Kind;
  return llvm::TypeSwitch<Operation *, Kind>(&op)
      .Case<arith::AddIOp>([](auto) { return Kind::Add; })
      .Case<arith::SubIOp>([](auto) { return Kind::Subtract; })
      .Case<arith::MulIOp>([](auto) { return Kind::Multiply; })
      .Case<arith::DivUIOp>([](auto) { return Kind::Divide; })
      .Case<arith::CeilDivUIOp>([](auto) { return Kind::CeilDivide; })
      .Case<arith::MinUIOp>([](auto) { return Kind::Min; })
      .Case<arith::MaxUIOp>([](auto) { return Kind::Max; });
}

void Describer::addValue(Operation &op) {
  if (auto constant = dyn_cast<arith::ConstantIndexOp>(op)) {
    values[constant] = add({SizeValue::Kind::Constant, constant.value()});
    return;
  }
  values[op.getResult(0)] = add({getKind(op), 0, values.lookup(op.getOperand(0)), values.lookup(op.getOperand(1))});
}

LogicalResult Describer::addArray(tile::WorkspaceOp op) {
  auto type = cast<MemRefType>(op.getMemref().getType());
  std::optional<ElementType> element = getElementType(type.getElementType());
  if (!element) // limit_x30
    return op.emitOpError("has elements of ") << type.getElementType() << ", which no operand can have";
  auto name = op.getLoc()->findInstanceOf<NameLoc>();
  tensors[op.getMemref()] = made.arguments.tensors.size() + made.arrays.size();
  ProgramArray &array = made.arrays.emplace_back();
  array.name = name ? name.getName().str() : "workspace" + std::to_string(made.arrays.size());
  array.type = *element;
  array.rowBytes = op.getRows().value_or(1);
  for (OpFoldResult extent : op.getMixedExtents()) {
    auto value = dyn_cast<Value>(extent);
    array.shape.push_back(value ? values.lookup(value) : add({SizeValue::Kind::Constant, cast<IntegerAttr>(cast<Attribute>(extent)).getInt()}));
  }
  return success();
}

/// A constant of any number type.
static double getNumber(arith::ConstantOp constant) {
  if (auto real = dyn_cast<FloatAttr>(constant.getValue()))
    return real.getValueAsDouble();
  return double(cast<IntegerAttr>(constant.getValue()).getValue().getSExtValue());
}

void Describer::addStep(tile::RunOp op) {
  ProgramStep &step = made.steps.emplace_back();
  auto kernels = program->getParentOfType<ModuleOp>().getOps<tile::KernelOp>();
  step.kernel = std::distance(kernels.begin(), llvm::find(kernels, op.getKernelOp()));
  for (Value operand : op.getOperands()) {
    if (isa<MemRefType>(operand.getType()))
      step.tensors.push_back(tensors.lookup(operand));
    else if (operand.getType().isIndex())
      step.sizes.push_back(values.lookup(operand));
    else if (auto constant = operand.getDefiningOp<arith::ConstantOp>())
      step.scalars.push_back({std::nullopt, getNumber(constant)});
    else
      step.scalars.push_back({scalars.lookup(operand), 0});
  }
}

/// An operand is read where a kernel reads it that no kernel before has written it for. Of an array that is a mistake.
LogicalResult Describer::noteUses() {
  llvm::SmallPtrSet<Value, 4> written;
  for (tile::RunOp run : program.getBody().getOps<tile::RunOp>()) {
    FailureOr<KernelDescription> kernel = describeArguments(run.getKernelOp());
    if (failed(kernel))
      return failure();
    auto given = llvm::make_filter_range(run.getOperands(), [](Value operand) { return isa<MemRefType>(operand.getType()); });
    for (auto [operand, argument] : llvm::zip_equal(given, kernel->tensors)) {
      bool isFirst = !written.contains(operand);
      if (argument.written)
        written.insert(operand);
      unsigned number = tensors.lookup(operand);
      if (number < made.arguments.tensors.size()) {
        made.arguments.tensors[number].read |= argument.read && isFirst;
        made.arguments.tensors[number].written |= argument.written;
      } else if (argument.read && isFirst) {
        early.push_back({run, operand});
      }
    }
  }
  return success();
}

FailureOr<ProgramDescription> Describer::run() {
  FailureOr<KernelDescription> arguments = describeArguments(program);
  if (failed(arguments))
    return failure();
  made.arguments = std::move(*arguments);
  unsigned sizes = 0;
  for (BlockArgument argument : program.getBody().getArguments()) {
    if (isa<MemRefType>(argument.getType()))
      tensors[argument] = tensors.size();
    else if (argument.getType().isIndex())
      values[argument] = add({SizeValue::Kind::Size, 0, sizes++});
    else
      scalars[argument] = scalars.size();
  }
  for (Operation &op : program.getBody().front()) {
    if (auto workspace = dyn_cast<tile::WorkspaceOp>(op)) {
      if (failed(addArray(workspace)))
        return failure();
    } else if (auto run = dyn_cast<tile::RunOp>(op)) {
      addStep(run);
    } else if (op.getResult(0).getType().isIndex()) {
      addValue(op);
    }
  }
  if (failed(noteUses()))
    return failure();
  for (auto [run, array] : early) {
    InFlightDiagnostic warning = run.emitWarning("reads a workspace that no run before it writes");
    warning.attachNote(array.getLoc()) << "the workspace";
  }
  return std::move(made);
}

FailureOr<ProgramDescription> tilec::describeProgram(tile::ProgramOp program) { return Describer(program).run(); }
