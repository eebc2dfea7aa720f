//===- Launches.cpp - Computations that take several launches ---*- C++ -*-===//
//
// Ops are taken in their order, and each joins the launch ahead of it where one mapping does both (Problem::get). Arrays that only one launch
// uses stay on the chip; the others lie in DRAM while the program runs.
//
//===----------------------------------------------------------------------===//

#include "tilec/Mapping/Launches.h"

#include "LaunchWriter.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Verifier.h"
#include "tilec/Mapping/Chain.h"
#include "tilec/Mapping/RowGroup.h"
#include "tilec/Tile/Access.h"
#include "tilec/Tile/Program.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::mapping;
using linalg::LinalgOp;

/// So many ops may stand between one that makes a group of rows of those before it and the next.
static constexpr size_t kMostBetween = 12;

namespace {

/// What several ops can be.
enum class Part { Several, Launch, Rows, Chain };

class Parter {
public:
  Parter(tile::KernelOp kernel, ArrayRef<int64_t> arguments) : kernel(kernel), arguments(arguments), writer(kernel) {}
  void run();
  /// Parts a group of rows, or products with softmax between, for which the kernel's runs stand until then; returns the kernels.
  SmallVector<tile::KernelOp> split();

private:
  Part judge(ArrayRef<LinalgOp> ops) const;
  bool isLaunch(ArrayRef<LinalgOp> ops) const { return judge(ops) == Part::Launch; }
  size_t countRows(ArrayRef<LinalgOp> ops) const;
  size_t countChain(ArrayRef<LinalgOp> ops) const;
  void moveFills();
  void join(LinalgOp op);
  void part(ArrayRef<LinalgOp> all, function_ref<size_t(ArrayRef<LinalgOp>)> asGroup);
  SmallVector<tile::KernelOp> replace();
  SmallVector<tile::KernelOp> writeAll(OpBuilder inside, IRMapping &copied, Operation *place);

  tile::KernelOp kernel;
  ArrayRef<int64_t> arguments;
  LaunchWriter writer;
  std::vector<SmallVector<LinalgOp>> launches;
};

} // namespace

/// Is `op` a product of numbers that tensor cores multiply?
static bool isOfInstructions(LinalgOp op) {
  return op.getNumReductionLoops() > 0 && op.getNumDpsInputs() > 1 && llvm::all_of(op.getDpsInputs(), [](Value input) {
           return isa<MemRefType>(input.getType()) && cast<MemRefType>(input.getType()).getElementTypeBitWidth() <= 16;
         });
}

/// Does `op` compute a function of each element of an array as large as its result, beside what `made` has rounded for it, in more digits than 16 bits have?
static bool computesFunctionOfOperand(LinalgOp op, ArrayRef<LinalgOp> made) {
  llvm::SmallPtrSet<Value, 4> elements;
  for (OpOperand *input : op.getDpsInputOperands()) {
    auto type = dyn_cast<MemRefType>(input->get().getType());
    bool isMade = llvm::any_of(made, [&](LinalgOp other) { return llvm::is_contained(other.getDpsInits(), input->get()); });
    if (isMade && type.getElementTypeBitWidth() > 16)
      return false;
    if (!isMade && type && op.getMatchingIndexingMap(input).isPermutation())
      elements.insert(op.getMatchingBlockArgument(input));
  }
  for (Operation &inner : *op.getBlock()) {
    bool depends = llvm::any_of(inner.getOperands(), [&](Value operand) { return elements.contains(operand); });
    if (depends && isa<math::MathDialect>(inner.getDialect()) && inner.getResult(0).getType().getIntOrFloatBitWidth() > 16)
      return true;
    if (depends)
      elements.insert(inner.result_begin(), inner.result_end());
  }
  return false;
}

/// Would warps that have multiplied by instructions compute such a function? 4096x5632x2048 in f16, times silu of an operand in f32, whose division has a branch and a call, took 238 us
/// on an H200, 158 by prediction, and 127 and 38 in two launches; in f16, where it has none, 167.
static bool isFasterApart(ArrayRef<LinalgOp> ops) {
  auto product = llvm::find_if(ops, isOfInstructions);
  if (product == ops.end())
    return false;
  return llvm::any_of(llvm::enumerate(ops), [&](auto pair) {
    return pair.index() > size_t(product - ops.begin()) && computesFunctionOfOperand(pair.value(), ops.take_front(pair.index()));
  });
}

/// Is there one mapping for `ops`, by an op with what follows element by element, or as a group of rows?
Part Parter::judge(ArrayRef<LinalgOp> ops) const {
  ScopedDiagnosticHandler quiet(kernel->getContext(), [](Diagnostic &) { return success(); });
  OwningOpRef<ModuleOp> alone = ModuleOp::create(kernel->getLoc());
  OpBuilder b(alone->getBodyRegion());
  SmallVector<Value> given;
  tile::KernelOp made = writer.write(ops, DenseMap<Value, Copied>(), "launch", b, given);
  // What one of them writes another may read only by the same name.
  llvm::SmallPtrSet<Value, 8> arrays, written;
  for (LinalgOp op : ops)
    for (Value init : op.getDpsInits())
      written.insert(tile::getArray(init));
  bool hasTwo = llvm::any_of(given, [&](Value value) {
    return isa<MemRefType>(value.getType()) && written.contains(tile::getArray(value)) && !arrays.insert(tile::getArray(value)).second;
  });
  if (hasTwo || failed(verify(*alone)))
    return Part::Several;
  SmallVector<int64_t> sizes = llvm::map_to_vector(given, [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument ? arguments[argument.getArgNumber()] : int64_t(0);
  });
  if (succeeded(Problem::get(made, sizes)))
    return isFasterApart(ops) ? Part::Several : Part::Launch;
  if (succeeded(getRowProblem(made, sizes)))
    return Part::Rows;
  return succeeded(getChainProblem(made, sizes)) ? Part::Chain : Part::Several;
}

/// The most of the first of `ops` that are a group of rows; 0 where none are.
size_t Parter::countRows(ArrayRef<LinalgOp> ops) const {
  size_t most = 0;
  for (size_t count = 2; count <= std::min(ops.size(), most + kMostBetween); ++count)
    if (judge(ops.take_front(count)) == Part::Rows)
      most = count;
  return most;
}

/// The most of the first of `ops` that are two products with softmax between; 0 where none are.
size_t Parter::countChain(ArrayRef<LinalgOp> ops) const {
  auto isProduct = [](LinalgOp op) { return op.getNumReductionLoops() > 0 && op.getNumDpsInputs() == 2; };
  size_t count = 0, products = 0, most = 0;
  while (count < ops.size() && products < 2)
    products += isProduct(ops[count++]);
  for (; products == 2 && count <= ops.size() && judge(ops.take_front(count)) == Part::Chain; ++count)
    most = count;
  return most;
}

/// Does `op` read `array`, and not only its extents?
static bool readsElements(Operation *op, Value array) {
  auto computes = dyn_cast<LinalgOp>(op);
  return !computes || llvm::any_of(computes->getOpOperands(), [&](OpOperand &operand) {
    return operand.get() == array && (computes.isDpsInit(&operand) || computes.payloadUsesValueFromOperand(&operand));
  });
}

/// What fills an array stands right ahead of who needs its elements.
void Parter::moveFills() {
  auto all = llvm::to_vector(kernel.getBody().getOps<LinalgOp>());
  for (LinalgOp op : llvm::reverse(all)) {
    bool reads = llvm::any_of(op.getDpsInputs(), [](Value input) { return isa<MemRefType>(input.getType()); });
    if (reads || op.getNumDpsInits() != 1)
      continue;
    for (Operation *next = op->getNextNode(); next; next = next->getNextNode())
      if (llvm::is_contained(next->getOperands(), op.getDpsInits()[0])) {
        if (readsElements(next, op.getDpsInits()[0]))
          op->moveBefore(next);
        break;
      }
  }
}

/// Adds `op` to the last launch where that can be, else it begins another.
void Parter::join(LinalgOp op) {
  SmallVector<LinalgOp> joined = launches.empty() ? SmallVector<LinalgOp>() : launches.back();
  joined.push_back(op);
  if (joined.size() > 1 && isLaunch(joined))
    launches.back() = joined;
  else
    launches.push_back({op});
}

/// Parts all ops, of which those that `asGroup` says may be several computations in one launch.
void Parter::part(ArrayRef<LinalgOp> all, function_ref<size_t(ArrayRef<LinalgOp>)> asGroup) {
  for (size_t next = 0; next < all.size();) {
    size_t before = launches.size();
    join(all[next]);
    ArrayRef<LinalgOp> rest = all.drop_front(next);
    size_t together = launches.size() > before ? asGroup(rest) : 0;
    if (together > 0)
      launches.back() = SmallVector<LinalgOp>(rest.take_front(together));
    next += std::max<size_t>(together, 1);
  }
}

void Parter::run() {
  auto all = llvm::to_vector(kernel.getBody().getOps<LinalgOp>());
  // What is one launch stays as it was written, and what is told of it, too; but programs alone give arrays by other extents to kernels.
  bool hasViews = llvm::any_of(kernel.getBody().front(), [](Operation &op) { return tile::isView(&op); });
  if (!hasViews && (all.size() < 2 || judge(all) != Part::Several))
    return;
  moveFills();
  part(llvm::to_vector(kernel.getBody().getOps<LinalgOp>()), [&](ArrayRef<LinalgOp> ops) { return std::max(countRows(ops), countChain(ops)); });
  if (hasViews || launches.size() > 1)
    replace();
}

SmallVector<tile::KernelOp> Parter::split() {
  bool isChain = judge(llvm::to_vector(kernel.getBody().getOps<LinalgOp>())) == Part::Chain;
  moveFills();
  part(llvm::to_vector(kernel.getBody().getOps<LinalgOp>()), [&](ArrayRef<LinalgOp> ops) { return isChain ? countRows(ops) : 0; });
  return replace();
}

/// Writes the launches where the kernel is run, or, where no program runs it, a program of them.
SmallVector<tile::KernelOp> Parter::replace() {
  IRMapping copied;
  if (tile::RunOp run = tile::findRun(kernel)) {
    copied.map(kernel.getBody().getArguments(), run.getOperands());
    SmallVector<tile::KernelOp> kernels = writeAll(OpBuilder(run), copied, run->getParentOfType<tile::ProgramOp>());
    run.erase();
    return kernels;
  }
  OpBuilder b(kernel);
  tile::ProgramOp program = writer.writeProgram(b, copied);
  return writeAll(OpBuilder(program.getBody()), copied, program);
}

/// What stands in the program for an argument, array or view of the kernel.
static Value give(Value value, OpBuilder &inside, IRMapping &copied) {
  if (copied.contains(value))
    return copied.lookup(value);
  if (auto alloc = value.getDefiningOp<memref::AllocOp>()) {
    SmallVector<Value> sizes = llvm::map_to_vector(alloc.getDynamicSizes(), [&](Value size) { return copied.lookup(size); });
    copied.map(value, tile::WorkspaceOp::create(inside, alloc.getLoc(), alloc.getType(), sizes, alloc.getType().getShape(), /*rows=*/{}).getResult());
  } else {
    give(value.getDefiningOp()->getOperand(0), inside, copied);
    inside.clone(*value.getDefiningOp(), copied);
  }
  return copied.lookup(value);
}

/// Writes kernels ahead of `place`, and runs of them at `inside`, where `copied` has what stands for the kernel's arguments.
SmallVector<tile::KernelOp> Parter::writeAll(OpBuilder inside, IRMapping &copied, Operation *place) {
  OpBuilder b(place);
  SmallVector<tile::KernelOp> kernels;
  for (auto [number, ops] : llvm::enumerate(launches)) {
    SmallVector<Value> given;
    tile::KernelOp made = writer.write(ops, DenseMap<Value, Copied>(), tile::makeName(kernel, "_" + Twine(number)), b, given);
    SmallVector<Value> operands = llvm::map_to_vector(given, [&](Value value) { return give(value, inside, copied); });
    tile::RunOp::create(inside, ops.front()->getLoc(), made.getSymName(), operands);
    kernels.push_back(made);
  }
  kernel.erase();
  return kernels;
}

void mapping::partLaunches(tile::KernelOp kernel, ArrayRef<int64_t> arguments) { Parter(kernel, arguments).run(); }

SmallVector<tile::KernelOp> mapping::splitLaunch(tile::KernelOp kernel, ArrayRef<int64_t> arguments) { return Parter(kernel, arguments).split(); }
