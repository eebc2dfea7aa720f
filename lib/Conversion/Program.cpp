//===- Program.cpp - What a program says about its launches -----*- C++ -*-===//

#include "tilec/Conversion/Program.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilec/Conversion/Launch.h"
#include "tilec/Tile/Program.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

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
    value.condition = condition;
    made.values.push_back(value);
    return made.values.size() - 1;
  }
  void addValue(Operation &op);
  std::optional<unsigned> addCondition(scf::IfOp op, bool isThen);
  LogicalResult addBlock(Block &block);
  unsigned addProduct(ArrayRef<OpFoldResult> factors);
  std::vector<unsigned> addExtents(Value memref);
  LogicalResult addArray(tile::WorkspaceOp op);
  void addStep(tile::RunOp op);
  LogicalResult noteUses();

  tile::ProgramOp program;
  ProgramDescription made;
  /// The value that is 1 where what is being added exists.
  std::optional<unsigned> condition;
  /// Runs that read arrays which nobody has written before.
  SmallVector<std::pair<tile::RunOp, Value>> early;
  /// The number of each size among the values, of each operand and array, and of each scalar.
  DenseMap<Value, unsigned> values, tensors, scalars;
};

} // namespace

/// The kind of `op`, and whether its operands change places for it.
static std::pair<SizeValue::Kind, bool> getKind(Operation &op) {
  using Kind = SizeValue::Kind;
  using Predicate = arith::CmpIPredicate;
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    // Sizes are never negative.
    switch (compare.getPredicate()) {
    case Predicate::eq:
      return {Kind::Equal, false};
    case Predicate::ne:
      return {Kind::Unequal, false};
    case Predicate::slt:
    case Predicate::ult:
      return {Kind::Less, false};
    case Predicate::sle:
    case Predicate::ule:
      return {Kind::LessOrEqual, false};
    case Predicate::sgt:
    case Predicate::ugt:
      return {Kind::Less, true};
    case Predicate::sge:
    case Predicate::uge:
      return {Kind::LessOrEqual, true};
    }
  }
  Kind kind = llvm::TypeSwitch<Operation *, Kind>(&op)
                  .Case<arith::AddIOp>([](auto) { return Kind::Add; })
                  .Case<arith::SubIOp>([](auto) { return Kind::Subtract; })
                  .Case<arith::MulIOp>([](auto) { return Kind::Multiply; })
                  .Case<arith::DivUIOp>([](auto) { return Kind::Divide; })
                  .Case<arith::CeilDivUIOp>([](auto) { return Kind::CeilDivide; })
                  .Case<arith::RemUIOp>([](auto) { return Kind::Remainder; })
                  .Case<arith::MinUIOp, arith::AndIOp>([](auto) { return Kind::Min; })
                  .Case<arith::MaxUIOp, arith::OrIOp>([](auto) { return Kind::Max; })
                  .Case<arith::XOrIOp>([](auto) { return Kind::Unequal; });
  return {kind, false};
}

void Describer::addValue(Operation &op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto number = cast<IntegerAttr>(constant.getValue());
    values[constant] = add({SizeValue::Kind::Constant, number.getType().isInteger(1) ? int64_t(number.getValue().getBoolValue()) : number.getInt()});
    return;
  }
  auto [kind, swaps] = getKind(op);
  unsigned left = values.lookup(op.getOperand(0)), right = values.lookup(op.getOperand(1));
  values[op.getResult(0)] = add({kind, 0, swaps ? right : left, swaps ? left : right});
}

/// What one of the parts of `op` needs, the condition around it included.
std::optional<unsigned> Describer::addCondition(scf::IfOp op, bool isThen) {
  unsigned truth = values.lookup(op.getCondition());
  if (!isThen)
    truth = add({SizeValue::Kind::Equal, 0, truth, add({SizeValue::Kind::Constant, 0})});
  return condition ? add({SizeValue::Kind::Min, 0, *condition, truth}) : truth;
}

unsigned Describer::addProduct(ArrayRef<OpFoldResult> factors) {
  std::optional<unsigned> product;
  for (OpFoldResult factor : factors) {
    auto size = dyn_cast<Value>(factor);
    unsigned value = size ? values.lookup(size) : add({SizeValue::Kind::Constant, cast<IntegerAttr>(cast<Attribute>(factor)).getInt()});
    product = product ? add({SizeValue::Kind::Multiply, 0, *product, value}) : value;
  }
  // What has no factors is the extent of no dimensions.
  return product ? *product : add({SizeValue::Kind::Constant, 1});
}

/// The value of each extent of `memref`.
std::vector<unsigned> Describer::addExtents(Value memref) {
  std::vector<unsigned> extents;
  for (const tile::Factors &extent : tile::getExtents(memref))
    extents.push_back(addProduct(extent));
  return extents;
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
  array.condition = condition;
  array.shape = addExtents(op.getMemref());
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
  step.condition = condition;
  auto kernels = program->getParentOfType<ModuleOp>().getOps<tile::KernelOp>();
  step.kernel = std::distance(kernels.begin(), llvm::find(kernels, op.getKernelOp()));
  for (Value operand : op.getOperands()) {
    if (isa<MemRefType>(operand.getType())) {
      ProgramTensor &given = step.tensors.emplace_back(ProgramTensor{tensors.lookup(tile::getArray(operand))});
      if (!tile::isView(operand.getDefiningOp()))
        continue;
      given.shape = addExtents(operand);
      if (given.array < made.arguments.tensors.size())
        made.arguments.tensors[given.array].dense = true;
    } else if (operand.getType().isIndex())
      step.sizes.push_back(values.lookup(operand));
    else if (auto constant = operand.getDefiningOp<arith::ConstantOp>())
      step.scalars.push_back({std::nullopt, getNumber(constant)});
    else
      step.scalars.push_back({scalars.lookup(operand), 0});
  }
}

/// An operand is read where a kernel reads it that no kernel before has written it for, whatever the sizes. An array that none before may
/// have written is a mistake.
LogicalResult Describer::noteUses() {
  DenseMap<Value, SmallVector<Block *>> written;
  for (tile::RunOp run : tile::listRuns(program)) {
    FailureOr<KernelDescription> kernel = describeArguments(run.getKernelOp());
    if (failed(kernel))
      return failure();
    auto given = llvm::make_filter_range(run.getOperands(), [](Value operand) { return isa<MemRefType>(operand.getType()); });
    for (auto [operand, argument] : llvm::zip_equal(given, kernel->tensors)) {
      Value array = tile::getArray(operand);
      SmallVector<Block *> &writers = written[array];
      unsigned number = tensors.lookup(array);
      if (number < made.arguments.tensors.size()) {
        bool isSure = llvm::any_of(writers, [&](Block *block) { return block->findAncestorOpInBlock(*run); });
        made.arguments.tensors[number].read |= argument.read && !isSure;
        made.arguments.tensors[number].written |= argument.written;
      } else if (argument.read && writers.empty()) {
        early.push_back({run, array});
      }
      if (argument.written)
        writers.push_back(run->getBlock());
    }
  }
  return success();
}

LogicalResult Describer::addBlock(Block &block) {
  for (Operation &op : block) {
    if (auto workspace = dyn_cast<tile::WorkspaceOp>(op)) {
      if (failed(addArray(workspace)))
        return failure();
    } else if (auto run = dyn_cast<tile::RunOp>(op)) {
      addStep(run);
    } else if (auto choice = dyn_cast<scf::IfOp>(op)) {
      for (Region *part : choice.getRegions()) {
        if (part->empty())
          continue;
        llvm::SaveAndRestore inside(condition, addCondition(choice, part == &choice.getThenRegion()));
        if (failed(addBlock(part->front())))
          return failure();
      }
    } else if (op.getNumResults() == 1 && (op.getResult(0).getType().isIndex() || op.getResult(0).getType().isInteger(1))) {
      addValue(op);
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
  if (failed(addBlock(program.getBody().front())) || failed(noteUses()))
    return failure();
  for (auto [run, array] : early) {
    InFlightDiagnostic warning = run.emitWarning("reads a workspace that no run before it writes");
    warning.attachNote(array.getLoc()) << "the workspace";
  }
  return std::move(made);
}

FailureOr<ProgramDescription> tilec::describeProgram(tile::ProgramOp program) { return Describer(program).run(); }
