//===- ProgramOp.cpp - tile.program, tile.workspace, tile.run ---*- C++ -*-===//
//
// Syntax and rules G of programs, M of workspaces and N of runs.
//
//===----------------------------------------------------------------------===//

#include "Signature.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "tilec/Tile/Distribution.h"
#include "tilec/Tile/Program.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

//===----------------------------------------------------------------------===//
// tile.program
//===----------------------------------------------------------------------===//

ParseResult ProgramOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  return failure(parser.parseSymbolName(name, getSymNameAttrName(result.name), result.attributes) ||
                 parseSignature(parser, result, getShapesAttrName(result.name), getFunctionTypeAttrName(result.name), arguments) ||
                 parser.parseOptionalAttrDictWithKeyword(result.attributes) || parseBody(parser, result, arguments));
}

void ProgramOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  printSignature(printer, getBody(), getShapes());
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {getSymNameAttrName(), getFunctionTypeAttrName(), getShapesAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false, /*printBlockTerminators=*/false);
}

OpFoldResult ProgramOp::getOperandExtent(unsigned arg, unsigned dim) { return getSignatureExtent(getBody(), getShapes(), arg, dim); }

/// What the launcher computes: sizes, and truths of them.
static bool isSizeArithmetic(Operation *op) {
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return compare.getLhs().getType().isIndex();
  if (isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op))
    return op->getResult(0).getType().isInteger(1);
  return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::DivUIOp, arith::CeilDivUIOp, arith::RemUIOp, arith::MinUIOp, arith::MaxUIOp>(op) &&
         op->getResult(0).getType().isIndex();
}

/// Rules G2 to G4 of what stands in `block`.
static LogicalResult verifySteps(Block &block) {
  for (Operation &op : block) {
    if (auto choice = dyn_cast<scf::IfOp>(op)) {
      if (choice.getNumResults() != 0) // program_g3
        return choice.emitOpError("has results, but stands in a program, where it chooses what runs");
      Operation *condition = choice.getCondition().getDefiningOp();
      if (!condition || !(isSizeArithmetic(condition) || isa<arith::ConstantOp>(condition))) // program_g3
        return choice.emitOpError("has a condition that is not computed from sizes");
      for (Region *part : choice.getRegions())
        for (Block &inner : *part)
          if (failed(verifySteps(inner)))
            return failure();
      continue;
    }
    if (isView(&op)) {
      if (failed(verifyView(&op)))
        return failure();
      continue;
    }
    if (!isa<RunOp, WorkspaceOp, scf::YieldOp, arith::ConstantOp>(op) && !isSizeArithmetic(&op)) // program_g2
      return op.emitOpError("stands in a program, which holds tile.run, tile.workspace, views of arrays, scf.if, constants, and what is computed from sizes");
  }
  return success();
}

LogicalResult ProgramOp::verifyRegions() {
  if (failed(verifySignature(*this, getShapes())) || failed(verifySteps(getBody().front()))) // program_g1
    return failure();
  if (!getBody().walk([](RunOp) { return WalkResult::interrupt(); }).wasInterrupted()) // program_g2
    return emitOpError("runs no kernel");
  return success();
}

//===----------------------------------------------------------------------===//
// tile.workspace
//===----------------------------------------------------------------------===//

SmallVector<OpFoldResult> WorkspaceOp::getMixedExtents() {
  Builder builder(getContext());
  return getMixedValues(getStaticExtents(), getExtents(), builder);
}

LogicalResult WorkspaceOp::verify() {
  if (!(*this)->getParentOfType<ProgramOp>()) // program_g3
    return emitOpError("stands in no tile.program");
  auto type = dyn_cast<MemRefType>(getMemref().getType());
  if (!type || getLevel(type) != Level::DRAM) // workspace_m1
    return emitOpError("makes a memref in dram, got ") << getMemref().getType();
  if (type.getRank() != int64_t(getStaticExtents().size())) // workspace_m1
    return emitOpError("lists ") << getStaticExtents().size() << " extents, but its type is " << type;
  for (auto [dim, listed] : llvm::enumerate(getStaticExtents()))
    if (listed != type.getDimSize(dim)) // workspace_m1
      return emitOpError("lists ") << (ShapedType::isDynamic(listed) ? "a size" : std::to_string(listed)) << " for dimension " << dim << " of "
                                   << type << "; sizes are extents of dynamic dimensions, numbers those of static ones";
  if (!getRows()) {
    if (!type.getLayout().isIdentity()) // workspace_m2
      return emitOpError("lies without gaps, but its type is ") << type << "; rows(N) asks for rows that begin at multiples of N bytes";
    return success();
  }
  if (!type.getElementType().isIntOrFloat() || type.getRank() == 0) // workspace_m2
    return emitOpError("has no rows that rows(N) could align, got ") << type;
  int64_t rows = *getRows(), element = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  if (!llvm::isPowerOf2_64(rows) || rows < element || rows > 256) // workspace_m2
    return emitOpError("has rows(") << rows << "), expected a power of two from " << element << " to 256";
  FailureOr<SmallVector<int64_t>> strides = getStaticStrides(type);
  bool open = succeeded(strides) && strides->back() == 1 && llvm::all_of(ArrayRef(*strides).drop_back(), ShapedType::isDynamic);
  if (!open) // workspace_m2
    return emitOpError("has rows whose distance is known at launch, expected dynamic strides and a last one of 1, got ") << type;
  return success();
}

//===----------------------------------------------------------------------===//
// tile.run
//===----------------------------------------------------------------------===//

KernelOp RunOp::getKernelOp() { return SymbolTable::lookupNearestSymbolFrom<KernelOp>(*this, getKernelAttr()); }

/// May `given` be passed where a kernel says `expected`: the same, but for what the kernel leaves open?
static bool isAccepted(Type given, Type expected) {
  if (given == expected)
    return true;
  auto from = dyn_cast<MemRefType>(given), to = dyn_cast<MemRefType>(expected);
  if (!from || !to || from.getRank() != to.getRank() || from.getElementType() != to.getElementType())
    return false;
  // The launcher copies what lies in dram to constant memory.
  if (from.getMemorySpace() != to.getMemorySpace() && !(getLevel(from) == Level::DRAM && isInConstantMemory(to)))
    return false;
  FailureOr<SmallVector<int64_t>> fromStrides = getStaticStrides(from), toStrides = getStaticStrides(to);
  if (failed(fromStrides) || failed(toStrides))
    return false;
  // Without gaps dynamic extents give dynamic strides, which are none that a launch could choose.
  bool strides = to.getLayout().isIdentity() ? from.getLayout().isIdentity()
                                             : llvm::all_of(llvm::zip(*fromStrides, *toStrides), [](auto pair) {
                                                 return ShapedType::isDynamic(std::get<1>(pair)) || std::get<0>(pair) == std::get<1>(pair);
                                               });
  return strides && llvm::all_of(llvm::zip(from.getShape(), to.getShape()),
                                 [](auto pair) { return ShapedType::isDynamic(std::get<1>(pair)) || std::get<0>(pair) == std::get<1>(pair); });
}

/// Rule N2 for operand `number`: its extents are those that `kernel` is told.
static LogicalResult verifyExtents(RunOp run, KernelOp kernel, unsigned number) {
  for (auto [dim, extent] : llvm::enumerate(getExtents(run.getOperands()[number]))) {
    OpFoldResult told = kernel.getOperandExtent(number, dim);
    if (auto size = dyn_cast<Value>(told))
      told = run.getOperands()[cast<BlockArgument>(size).getArgNumber()];
    if (!areEqual(extent, told)) // run_n2
      return run.emitOpError("operand #") << number << " has another extent along dimension " << dim << " than @" << run.getKernel()
                                          << " is told: both must be products of the same sizes and numbers";
  }
  return success();
}

static bool writes(KernelOp kernel, unsigned number) {
  return llvm::any_of(getTileUses(kernel.getBody().getArgument(number)), [](const TileUse &use) { return use.writes; });
}

LogicalResult RunOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (!(*this)->getParentOfType<ProgramOp>()) // program_g3
    return emitOpError("stands in no tile.program");
  auto kernel = symbols.lookupNearestSymbolFrom<KernelOp>(*this, getKernelAttr());
  if (!kernel) // run_n1
    return emitOpError("names '") << getKernel() << "', which is no kernel of this module";
  if (getOperands().size() != kernel.getNumArguments()) // run_n1
    return emitOpError("gives ") << getOperands().size() << " arguments to @" << getKernel() << ", which takes " << kernel.getNumArguments();
  for (auto [number, given] : llvm::enumerate(getOperands())) {
    Type expected = kernel.getArgumentTypes()[number];
    if (!isAccepted(given.getType(), expected)) // run_n1
      return emitOpError("gives ") << given.getType() << " as argument #" << number << " of @" << getKernel() << ", which takes " << expected;
  }
  for (auto [number, given] : llvm::enumerate(getOperands())) {
    if (!isa<MemRefType>(given.getType()))
      continue;
    if (failed(verifyExtents(*this, kernel, number)))
      return failure();
    auto isGiven = [array = getArray(given)](Value other) { return getArray(other) == array; };
    if (writes(kernel, number) && llvm::count_if(getOperands(), isGiven) > 1) // run_n3
      return emitOpError("gives operand #") << number << ", which @" << getKernel() << " writes, to it a second time";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Kernels of programs
//===----------------------------------------------------------------------===//

SmallVector<RunOp> tile::listRuns(ProgramOp program) {
  SmallVector<RunOp> runs;
  program.getBody().walk([&](RunOp run) { runs.push_back(run); });
  return runs;
}

SmallVector<RunOp> tile::listRuns(KernelOp kernel) {
  auto module = kernel->getParentOfType<ModuleOp>();
  SmallVector<RunOp> runs;
  if (module)
    for (auto program : module.getOps<ProgramOp>())
      llvm::append_range(runs, llvm::make_filter_range(listRuns(program), [&](RunOp run) { return run.getKernel() == kernel.getSymName(); }));
  return runs;
}

RunOp tile::findRun(KernelOp kernel) {
  SmallVector<RunOp> runs = listRuns(kernel);
  return runs.empty() ? RunOp() : runs.front();
}

int64_t tile::getRowBytes(KernelOp kernel, unsigned number) {
  std::optional<int64_t> least;
  for (RunOp run : listRuns(kernel)) {
    auto workspace = run.getOperands()[number].getDefiningOp<WorkspaceOp>();
    int64_t rows = workspace ? workspace.getRows().value_or(1) : 1;
    least = std::min(least.value_or(rows), rows);
  }
  return least.value_or(1);
}

ProgramOp tile::createProgram(OpBuilder &builder, KernelOp kernel) {
  auto program = ProgramOp::create(builder, kernel.getLoc(), kernel.getSymName(), kernel.getFunctionType(), kernel.getShapes(), /*arg_attrs=*/{}, /*res_attrs=*/{},
                                   /*sym_visibility=*/{});
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Location> locations = llvm::map_to_vector(kernel.getBody().getArguments(), [](BlockArgument argument) { return argument.getLoc(); });
  builder.createBlock(&program.getBody(), {}, kernel.getArgumentTypes(), locations);
  return program;
}

std::string tile::makeName(Operation *symbol, const Twine &suffix) {
  std::string name = (SymbolTable::getSymbolName(symbol).getValue() + suffix).str();
  auto module = symbol->getParentOfType<ModuleOp>();
  while (module.lookupSymbol(name))
    name += "_";
  return name;
}

void tile::cloneProgramOf(KernelOp kernel, OpBuilder &builder) {
  RunOp run = findRun(kernel);
  if (!run)
    return;
  auto program = cast<ProgramOp>(builder.clone(*run->getParentOfType<ProgramOp>()));
  for (RunOp other : listRuns(program))
    if (other.getKernel() != kernel.getSymName())
      other.erase();
  // Of an array its views come after it.
  SmallVector<Operation *> arrays;
  program.getBody().walk([&](Operation *op) {
    if (isa<WorkspaceOp>(op) || isView(op))
      arrays.push_back(op);
  });
  for (Operation *array : llvm::reverse(arrays))
    if (array->use_empty())
      array->erase();
}
