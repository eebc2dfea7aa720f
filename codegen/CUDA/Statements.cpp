//===- Statements.cpp - Ops as C++ statements -------------------*- C++ -*-===//
//
// See Statements.h.
//
//===----------------------------------------------------------------------===//

#include "Statements.h"

#include "Wrap.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tilec;

void StatementPrinter::line(Location loc, const Twine &text) {
  std::string file;
  NestPlace place = getPlace(loc, &file);
  if (lineDirectives && place.line != 0 && place.line != lastLine) {
    body += "#line " + std::to_string(place.line) + " \"" + toHarmless(file) + "\"\n";
    places.push_back(place);
    lastLine = place.line;
  }
  std::string content = text.str();
  SmallVector<std::string> lines = {content};
  if (!StringRef(content).starts_with("#")) // A directive is one line, at the margin.
    lines = wrapStatement(content, 2 * depth);
  place = expressions.takeAccessPlace().value_or(place);
  for (const std::string &part : lines) {
    body += part + "\n";
    places.push_back(place);
  }
}

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

/// What a value without a name of its own is called: after what it is used for. Users that have been `seen` suggest nothing.
static std::string suggestName(Value value, const NameScopes &names, llvm::SmallPtrSetImpl<Operation *> &seen) {
  if (value.getType().isInteger(1))
    return "inside";
  SmallVector<OpOperand *> uses(llvm::make_pointer_range(value.getUses()));
  for (OpOperand *use : llvm::reverse(uses)) { // The latest comes first; what a value was made for, last.
    Operation *user = use->getOwner();
    if (auto call = dyn_cast<kernel::VocabularyCall>(user)) {
      // The memory whose element it counts.
      for (unsigned i = use->getOperandNumber(); i-- > 0;)
        if (Value memory = user->getOperand(i); isa<MemRefType>(memory.getType()))
          if (use->getOperandNumber() <= i + call.countIndices(memory) && names.isNamed(user->getOperand(i)))
            return (names.lookup(user->getOperand(i)) + "_at").str();
      continue;
    }
    if (!isa<arith::AddIOp, arith::SubIOp, arith::IndexCastOp>(user) || !seen.insert(user).second)
      continue;
    if (std::optional<std::string> name = getSourceName(user->getLoc()))
      return *name + "_from";
    if (std::string name = suggestName(user->getResult(0), names, seen); name != "x")
      return name;
  }
  return "x";
}

LogicalResult StatementPrinter::printVariable(Operation &op) {
  FailureOr<std::string> type = expressions.typeName(op.getResult(0).getType(), op.getLoc());
  if (failed(type))
    return failure();
  std::string text = expressions.printDefinition(&op).text;
  std::string wish = getSourceName(op.getLoc()).value_or("");
  llvm::SmallPtrSet<Operation *, 8> seen;
  if (wish.empty())
    wish = suggestName(op.getResult(0), names, seen);
  StringRef name = names.declare(op.getResult(0), wish);
  line(op.getLoc(), "const " + *type + " " + name + " = " + text + ";");
  return success();
}

/// The assignment that a scalar's declaration can be written with: its first use, in the same block.
static memref::StoreOp getInitialStore(kernel::RegistersOp op) {
  if (op.getArray().getType().getRank() != 0 || op.getInit())
    return {};
  Operation *first = nullptr;
  for (Operation *user : op->getUsers()) {
    Operation *inBlock = op->getBlock()->findAncestorOpInBlock(*user);
    if (!first || inBlock->isBeforeInBlock(first))
      first = inBlock;
  }
  auto store = dyn_cast_if_present<memref::StoreOp>(first);
  return store && store.getMemRef() == op.getArray() ? store : memref::StoreOp();
}

LogicalResult StatementPrinter::printArray(kernel::RegistersOp op) {
  if (getInitialStore(op)) // Declared there.
    return success();
  MemRefType array = op.getArray().getType();
  FailureOr<std::string> type = expressions.typeName(array.getElementType(), op.getLoc());
  if (failed(type))
    return failure();
  std::string text = *type + " " + names.declare(op.getArray(), getSourceName(op.getLoc()).value_or("r")).str();
  for (int64_t extent : array.getShape())
    text += "[" + std::to_string(extent) + "]";
  if (std::optional<TypedAttr> init = op.getInit()) // Of an array, zeros.
    text += " = " + (array.getRank() == 0 ? expressions.printConstant(*init).text : "{}");
  line(op.getLoc(), text + ";");
  return success();
}

/// The elements of an array as one row.
LogicalResult StatementPrinter::printFlat(memref::CollapseShapeOp op) {
  FailureOr<std::string> type = expressions.typeName(op.getResultType().getElementType(), op.getLoc());
  if (failed(type))
    return failure();
  std::string first = expressions.operand(op.getSrc(), Binding::Primary);
  for (int64_t i = 0; i < op.getSrcType().getRank(); ++i)
    first += "[0]";
  StringRef name = names.declare(op.getResult(), getSourceName(op.getLoc()).value_or("flat"));
  line(op.getLoc(), *type + " *const " + name + " = &" + first + ";");
  return success();
}

LogicalResult StatementPrinter::printShared(kernel::SharedOp op) {
  MemRefType type = op.getBuffer().getType();
  FailureOr<std::string> element = expressions.typeName(type.getElementType(), op.getLoc());
  if (failed(element))
    return failure();
  expressions.getNeeds().functions.insert("SHARED");
  std::string name = names.declare(op.getBuffer(), getSourceName(op.getLoc()).value_or("tile")).str();
  sharedArrays.push_back({name, getPlace(op.getLoc())});
  std::string text = *element + ", " + name + ", " + std::to_string(type.getNumElements());
  if (op.getOffset())
    line(op.getLoc(), "SHARED_AT(" + text + ", " + std::to_string(*op.getOffset()) + ");");
  else
    line(op.getLoc(), "SHARED(" + text + ");");
  return success();
}

/// They are variables of the file, whose names the launcher asks for.
LogicalResult StatementPrinter::printConstants(StringRef symbol) {
  llvm::StringSet<> taken;
  taken.insert(symbol);
  for (auto op : function.getBody().front().getOps<kernel::ConstantOp>()) {
    MemRefType type = op.getArray().getType();
    FailureOr<std::string> element = expressions.typeName(type.getElementType(), op.getLoc());
    if (failed(element))
      return failure();
    expressions.getNeeds().functions.insert("CONSTANT");
    std::string name = names.declare(op.getArray(), toSymbol(getSourceName(op.getLoc()).value_or("constant"), taken)).str();
    constants.push_back({name, unsigned(op.getTensor())});
    line(op.getLoc(), "CONSTANT(" + *element + ", " + name + ", " + std::to_string(type.getNumElements()) + ");");
  }
  if (!constants.empty())
    line(function.getLoc(), "");
  return success();
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

LogicalResult StatementPrinter::printFor(kernel::ForOp loop) {
  if (std::optional<uint64_t> factor = loop.getUnroll())
    line(loop.getLoc(), "#pragma unroll" + (loop.isWrittenOut() ? "" : " " + std::to_string(*factor)));
  std::string lower = expressions.print(loop.getLowerBound()).text, upper = expressions.operand(loop.getUpperBound(), Binding::Shift);
  Attribute step;
  bool one = matchPattern(loop.getStep(), m_Constant(&step)) && cast<IntegerAttr>(step).getInt() == 1;
  std::string by = expressions.print(loop.getStep()).text;
  names.push();
  std::string iv = names.declare(loop.getInductionVar(), getSourceName(loop.getInductionVar().getLoc()).value_or("i")).str();
  FailureOr<std::string> type = expressions.typeName(loop.getInductionVar().getType(), loop.getLoc());
  if (failed(type))
    return failure();
  line(loop.getLoc(), "for (" + *type + " " + iv + " = " + lower + "; " + iv + " < " + upper + "; " +
                          (one ? "++" + iv : iv + " += " + by) + ") {");
  ++depth;
  LogicalResult printed = printBlock(*loop.getBody());
  --depth;
  names.pop();
  line(loop.getLoc(), "}");
  return printed;
}

LogicalResult StatementPrinter::printIf(scf::IfOp op) {
  std::string name;
  if (op.getNumResults() > 1)
    return op.emitError("a condition with several results has no spelling in CUDA C++");
  if (op.getNumResults() == 1) {
    FailureOr<std::string> type = expressions.typeName(op.getResult(0).getType(), op.getLoc());
    if (failed(type))
      return failure();
    name = names.declare(op.getResult(0), getSourceName(op.getLoc()).value_or("x")).str();
    line(op.getLoc(), *type + " " + name + ";");
  }
  auto branch = [&](Block &block) {
    ++depth;
    names.push();
    LogicalResult printed = printBlock(block);
    if (!name.empty())
      line(op.getLoc(), name + " = " + expressions.print(cast<scf::YieldOp>(block.getTerminator()).getOperand(0)).text + ";");
    names.pop();
    --depth;
    return printed;
  };
  line(op.getLoc(), (continuesElse ? "} else if (" : "if (") + expressions.print(op.getCondition()).text + ") {");
  continuesElse = false;
  if (failed(branch(*op.thenBlock())))
    return failure();
  // An else that holds a condition alone goes on as else if.
  if (op.elseBlock() && name.empty()) {
    auto inner = dyn_cast<scf::IfOp>(op.elseBlock()->front());
    if (inner && inner.getNumResults() == 0 && inner->getNextNode() == op.elseBlock()->getTerminator()) {
      continuesElse = true;
      return printIf(inner);
    }
  }
  if (op.elseBlock() && (!op.elseBlock()->without_terminator().empty() || !name.empty())) {
    line(op.getLoc(), "} else {");
    if (failed(branch(*op.elseBlock())))
      return failure();
  }
  line(op.getLoc(), "}");
  return success();
}

LogicalResult StatementPrinter::printRoles(kernel::RolesOp op) {
  line(op.getLoc(), "if (" + expressions.print(op.getCondition()).text + ") {");
  for (unsigned group : {0u, 1u}) {
    if (group == 1)
      line(op.getLoc(), "} else {");
    ++depth;
    names.push();
    if (failed(printBlock(*op.getBlock(group))))
      return failure();
    names.pop();
    --depth;
  }
  line(op.getLoc(), "}");
  return success();
}

LogicalResult StatementPrinter::printStore(memref::StoreOp op) {
  auto array = op.getMemRef().getDefiningOp<kernel::RegistersOp>();
  if (array && getInitialStore(array) == op) {
    FailureOr<std::string> type = expressions.typeName(array.getArray().getType().getElementType(), op.getLoc());
    if (failed(type))
      return failure();
    std::string value = expressions.print(op.getValue()).text;
    line(op.getLoc(), *type + " " + names.declare(array.getArray(), getSourceName(array.getLoc()).value_or("r")) + " = " + value + ";");
    return success();
  }
  std::string target = expressions.element(op.getMemRef(), op.getIndices());
  // x = x + y reads better as x += y.
  for (auto [symbol, isIt] : {std::pair("+=", isa_and_present<arith::AddFOp, arith::AddIOp>(op.getValue().getDefiningOp())),
                              std::pair("*=", isa_and_present<arith::MulFOp, arith::MulIOp>(op.getValue().getDefiningOp()))}) {
    if (!isIt || !inlining.isInlined(op.getValue()))
      continue;
    Operation *sum = op.getValue().getDefiningOp();
    // Of 32 bits and more, it must not say that nothing wraps.
    auto overflow = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(sum);
    if (overflow && !overflow.hasNoSignedWrap() && op.getValue().getType().getIntOrFloatBitWidth() >= 32)
      continue;
    for (unsigned side : {0u, 1u}) {
      auto load = sum->getOperand(side).getDefiningOp<memref::LoadOp>();
      if (!load || !inlining.isInlined(load) || load.getMemRef() != op.getMemRef() || load.getIndices() != op.getIndices())
        continue;
      line(op.getLoc(), target + " " + symbol + " " + expressions.print(sum->getOperand(1 - side)).text + ";");
      return success();
    }
  }
  line(op.getLoc(), target + " = " + expressions.print(op.getValue()).text + ";");
  return success();
}

LogicalResult StatementPrinter::printStatement(Operation &op) {
  if (op.hasTrait<OpTrait::IsTerminator>())
    return success();
  if (isa<kernel::ConstantOp>(op)) // Declared ahead of the kernel.
    return success();
  if (op.getNumResults() == 1 && inlining.isInlined(op.getResult(0)))
    return success();
  if (auto loop = dyn_cast<kernel::ForOp>(op))
    return printFor(loop);
  if (auto roles = dyn_cast<kernel::RolesOp>(op))
    return printRoles(roles);
  if (auto condition = dyn_cast<scf::IfOp>(op)) {
    if (condition.getNumResults() == 1 && inlining.isSimpleTernary(condition))
      return printVariable(op);
    return printIf(condition);
  }
  if (auto array = dyn_cast<kernel::RegistersOp>(op))
    return printArray(array);
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return printStore(store);
  if (auto flat = dyn_cast<memref::CollapseShapeOp>(op))
    return printFlat(flat);
  if (auto buffer = dyn_cast<kernel::SharedOp>(op))
    return printShared(buffer);
  if (op.getNumResults() == 1 && !(op.use_empty() && isa<kernel::VocabularyCall>(op)))
    return printVariable(op);
  if (auto call = dyn_cast<kernel::VocabularyCall>(op)) {
    line(op.getLoc(), expressions.printCall(call).text + ";");
    return success();
  }
  return op.emitError() << "'" << op.getName() << "' has no spelling in CUDA C++";
}

LogicalResult StatementPrinter::printBlock(Block &block) {
  for (Operation &op : block)
    if (failed(printStatement(op)) || expressions.isBroken())
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

LogicalResult StatementPrinter::printSignature(StringRef symbol) {
  std::vector<std::string> parameters;
  for (BlockArgument argument : function.getArguments()) {
    Type type = argument.getType();
    std::string wish = getSourceName(argument.getLoc()).value_or("arg" + std::to_string(argument.getArgNumber()));
    if (isa<kernel::TensorMapType>(type)) {
      expressions.getNeeds().functions.insert("TensorMap");
      parameters.push_back("const __grid_constant__ TensorMap " + names.declare(argument, wish).str());
      continue;
    }
    auto memref = dyn_cast<MemRefType>(type);
    FailureOr<std::string> element = expressions.typeName(memref ? memref.getElementType() : type, function.getLoc());
    if (failed(element))
      return failure();
    bool readOnly = function.onlyReads(argument.getArgNumber());
    std::string name = names.declare(argument, wish).str();
    // The launcher refuses operands that overlap, so __restrict__ holds.
    parameters.push_back((readOnly ? "const " : "") + *element + (memref ? " *__restrict__ " : " ") + name);
  }
  std::string threads = std::to_string(function.getThreads());
  // How many blocks an SM holds at least: without it, ptxas ignores setmaxnreg.
  if (std::optional<uint64_t> blocks = function.getMinBlocks())
    threads += ", " + std::to_string(*blocks);
  std::string cluster;
  if (uint64_t blocks = function.getCluster(); blocks > 1) {
    cluster = "__cluster_dims__(" + std::to_string(blocks) + ", 1, 1) ";
  }
  std::string text = "extern \"C\" __global__ void " + cluster + "__launch_bounds__(" + threads + ")\n" + symbol.str() + "(";
  constexpr size_t kWidth = 110;
  size_t column = symbol.size() + 1;
  for (auto [i, parameter] : llvm::enumerate(parameters)) {
    bool last = i + 1 == parameters.size();
    if (column + parameter.size() + 2 > kWidth) {
      text += "\n" + std::string(symbol.size() + 1, ' ');
      column = symbol.size() + 1;
    }
    text += parameter + (last ? "" : ", ");
    column += parameter.size() + 2;
  }
  text += ") {";
  SmallVector<StringRef> lines;
  StringRef(text).split(lines, '\n');
  for (StringRef part : lines)
    line(function.getLoc(), part.rtrim());
  return success();
}

LogicalResult StatementPrinter::printKernel(StringRef symbol) {
  names.push();
  names.reserve(symbol);
  if (failed(printConstants(symbol)) || failed(printSignature(symbol)))
    return failure();
  ++depth;
  if (failed(printBlock(function.getBody().front())))
    return failure();
  --depth;
  line(function.getLoc(), "}");
  return success();
}
