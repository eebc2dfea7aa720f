//===- RowGroup.cpp - Rows that several ops reduce --------------*- C++ -*-===//
//
// Arrays are followed to the op that wrote what they hold, so that it does not matter which of them are one. Dimensions of ops are the same where
// one reads what the other writes, or both read an operand, by them.
//
//===----------------------------------------------------------------------===//

#include "tilec/Mapping/RowGroup.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::mapping;
using linalg::LinalgOp;

namespace {

/// An op, and of each of its operands the number of the op that wrote what it reads there: -1 where none has, nothing where it reads none.
struct Step {
  LinalgOp op;
  SmallVector<std::optional<int>> from;
  /// The number of its first loop among those of all ops.
  unsigned firstLoop = 0;
  bool isLive = false;
};

class RowReader {
public:
  RowReader(tile::KernelOp kernel, ArrayRef<LinalgOp> ops, ArrayRef<Value> arrays, ArrayRef<int64_t> arguments)
      : kernel(kernel), ops(ops), arrays(arrays), arguments(arguments) {}
  FailureOr<Problem> run();

private:
  /// Is `array` there before the ops and after them?
  bool isOperand(Value array) const { return isa<BlockArgument>(array) || llvm::is_contained(arrays, array); }
  bool readSteps();
  void findLive(unsigned number);
  void joinLoops();
  bool readDims();
  bool addValues();
  unsigned addInput(const Use &place);
  bool checkReduction(const RowValue &value) const;
  bool checkStores() const;
  AffineMap toGroup(const Step &step, AffineMap map) const;
  bool usesReduced(AffineMap map) const;

  tile::KernelOp kernel;
  ArrayRef<LinalgOp> ops;
  ArrayRef<Value> arrays;
  ArrayRef<int64_t> arguments;
  std::vector<Step> steps;
  /// The op that writes last to each operand.
  llvm::MapVector<Value, unsigned> last;
  llvm::IntEqClasses loops;
  Problem problem;
  RowGroup group;
  /// Of each class of loops the dimension.
  llvm::DenseMap<unsigned, unsigned> dims;
  /// Of each step its value.
  SmallVector<std::optional<unsigned>> valueOf;
};

} // namespace

/// Does `op` need what `operand` holds?
static bool reads(LinalgOp op, OpOperand &operand) { return isa<MemRefType>(operand.get().getType()) && op.payloadUsesValueFromOperand(&operand); }

bool RowReader::readSteps() {
  llvm::DenseMap<Value, unsigned> written;
  unsigned loop = 0;
  for (LinalgOp op : ops) {
    Step &step = steps.emplace_back();
    step.op = op;
    step.firstLoop = loop;
    loop += op.getNumLoops();
    if (op.getNumDpsInits() != 1 || failed(checkMaps(op)))
      return false;
    for (OpOperand &operand : op->getOpOperands()) {
      auto from = written.find(operand.get());
      bool has = from != written.end();
      step.from.push_back(reads(op, operand) ? std::optional<int>(has ? int(from->second) : -1) : std::nullopt);
      // Of an array of the kernel that nobody has written nothing is known.
      if (step.from.back() == -1 && !isOperand(operand.get()))
        return false;
    }
    written[op.getDpsInits()[0]] = steps.size() - 1;
    if (isOperand(op.getDpsInits()[0]))
      last[op.getDpsInits()[0]] = steps.size() - 1;
  }
  loops.grow(loop);
  for (auto [operand, number] : last)
    findLive(number);
  return !last.empty();
}

void RowReader::findLive(unsigned number) {
  SmallVector<unsigned> waiting = {number};
  while (!waiting.empty()) {
    Step &step = steps[waiting.pop_back_val()];
    if (step.isLive)
      continue;
    step.isLive = true;
    for (std::optional<int> from : step.from)
      if (from && *from >= 0)
        waiting.push_back(*from);
  }
}

void RowReader::joinLoops() {
  // Of what operands hold at first, the loop that walks each of their dimensions.
  llvm::DenseMap<std::pair<Value, unsigned>, unsigned> walked;
  for (const Step &step : steps) {
    if (!step.isLive)
      continue;
    LinalgOp op = step.op;
    for (auto [operand, from] : llvm::zip_equal(op->getOpOperands(), step.from)) {
      if (!from)
        continue;
      AffineMap map = op.getMatchingIndexingMap(&operand);
      for (auto [position, expr] : llvm::enumerate(map.getResults())) {
        auto dim = dyn_cast<AffineDimExpr>(expr);
        if (!dim)
          continue;
        unsigned loop = step.firstLoop + dim.getPosition();
        if (*from < 0) {
          loops.join(loop, walked.insert({{operand.get(), position}, loop}).first->second);
          continue;
        }
        const Step &maker = steps[*from];
        LinalgOp made = maker.op;
        loops.join(loop, maker.firstLoop + made.getMatchingIndexingMap(made.getDpsInitOperand(0)).getDimPosition(position));
      }
    }
  }
  loops.compress();
}

/// The dimensions are those of the first op that reduces; each loop is one of them, no two of an op the same, and whoever reduces does so along all that are reduced.
bool RowReader::readDims() {
  const Step *root = nullptr;
  for (const Step &step : steps)
    if (LinalgOp op = step.op; !root && step.isLive && op.getNumReductionLoops() > 0)
      root = &step;
  if (!root)
    return false;
  problem.root = root->op;
  for (auto [loop, iterator] : llvm::enumerate(problem.root.getIteratorTypesArray())) {
    problem.dims.emplace_back().parallel = iterator == utils::IteratorType::parallel;
    if (!dims.insert({loops[root->firstLoop + loop], loop}).second)
      return false;
  }
  for (const Step &step : steps) {
    if (!step.isLive)
      continue;
    LinalgOp op = step.op;
    llvm::SmallBitVector seen(problem.dims.size());
    for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
      auto dim = dims.find(loops[step.firstLoop + loop]);
      if (dim == dims.end() || seen.test(dim->second) || (iterator != utils::IteratorType::parallel && problem.dims[dim->second].parallel))
        return false;
      if (op.getNumReductionLoops() > 0 && (iterator == utils::IteratorType::parallel) != problem.dims[dim->second].parallel)
        return false;
      seen.set(dim->second);
    }
    if (op.getNumReductionLoops() > 0 && !seen.all())
      return false;
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<MemRefType>(operand.get().getType()))
        continue;
      for (auto [position, expr] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults())) {
        auto number = dyn_cast<AffineDimExpr>(expr);
        if (!number)
          continue;
        Dim &dim = problem.dims[dims[loops[step.firstLoop + number.getPosition()]]];
        OpFoldResult extent = getOperandExtent(operand.get(), position);
        if (dim.extent && dim.extent != extent)
          return false;
        dim.extent = extent;
        dim.size = getValue(extent, arguments);
      }
    }
  }
  return llvm::all_of(problem.dims, [](const Dim &dim) { return dim.extent && dim.size > 0; });
}

AffineMap RowReader::toGroup(const Step &step, AffineMap map) const {
  SmallVector<AffineExpr> exprs;
  for (unsigned loop = 0; loop < map.getNumDims(); ++loop)
    exprs.push_back(getAffineDimExpr(dims.lookup(loops[step.firstLoop + loop]), map.getContext()));
  return map.replaceDimsAndSymbols(exprs, {}, problem.dims.size(), 0);
}

bool RowReader::usesReduced(AffineMap map) const {
  for (auto [number, dim] : llvm::enumerate(problem.dims))
    if (!dim.parallel && Problem::uses(map, number))
      return true;
  return false;
}

unsigned RowReader::addInput(const Use &place) {
  for (auto [number, value] : llvm::enumerate(group.values))
    if (!value.op && value.place.memref == place.memref && value.place.map == place.map)
      return number;
  RowValue &value = group.values.emplace_back();
  value.place = place;
  value.isLong = usesReduced(place.map);
  problem.inputs.push_back(place);
  return group.values.size() - 1;
}

/// May `op` have no meaning for numbers that nobody has given it?
static bool isPartial(LinalgOp op) {
  return llvm::any_of(op.getBlock()->without_terminator(), [](Operation &each) {
    return !isSpeculatable(&each) || isa<arith::FPToSIOp, arith::FPToUIOp, arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(each);
  });
}

bool RowReader::addValues() {
  valueOf.resize(steps.size());
  for (auto [number, step] : llvm::enumerate(steps)) {
    if (!step.isLive)
      continue;
    LinalgOp op = step.op;
    OpOperand *init = op.getDpsInitOperand(0);
    RowValue value;
    value.op = op;
    value.place = {init->get(), toGroup(step, op.getMatchingIndexingMap(init))};
    value.isLong = usesReduced(value.place.map);
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      value.dims.push_back(dims.lookup(loops[step.firstLoop + loop]));
    bool reduces = op.getNumReductionLoops() > 0;
    if (!reduces && !op.getMatchingIndexingMap(init).isPermutation())
      return false;
    for (auto [operand, from] : llvm::zip_equal(op->getOpOperands(), step.from)) {
      std::optional<unsigned> source;
      if (from && *from >= 0) {
        // What is handed on is read by dimensions alone.
        if (!op.getMatchingIndexingMap(&operand).isProjectedPermutation())
          return false;
        source = *valueOf[*from];
      } else if (from) {
        source = addInput({operand.get(), toGroup(step, op.getMatchingIndexingMap(&operand))});
      }
      if (source)
        value.depth = std::max(value.depth, group.values[*source].depth + (reduces ? 1 : 0));
      if (reduces && &operand == init) {
        value.init = from && *from >= 0 ? getFill(steps[*from].op) : TypedAttr();
        value.first = value.init ? std::nullopt : source;
        source.reset();
      }
      value.operands.push_back(source);
    }
    if (reduces) {
      value.depth = std::max(value.depth, 1u);
      value.kind = tile::getUpdateKind(op, *init);
      if (!checkReduction(value))
        return false;
    }
    group.padsRows &= value.isLong || reduces || !isPartial(op);
    group.values.push_back(value);
    valueOf[number] = group.values.size() - 1;
  }
  for (auto [operand, number] : last)
    group.outputs.push_back(*valueOf[number]);
  return true;
}

/// Threads share a sum, so that what is beyond the end of a row must be known by an operand that has its extents. The rows are all there is beside.
bool RowReader::checkReduction(const RowValue &value) const {
  if (!value.kind)
    return false;
  SmallVector<unsigned> sources = group.getSources(value);
  for (auto [number, dim] : llvm::enumerate(problem.dims)) {
    if (Problem::uses(value.place.map, number) != dim.parallel)
      return false;
    AffineExpr itself = getAffineDimExpr(number, value.place.map.getContext());
    if (!dim.parallel && llvm::none_of(sources, [&](unsigned source) { return llvm::is_contained(group.values[source].place.map.getResults(), itself); }))
      return false;
  }
  return true;
}

/// Each element is written by one block, once, and who reads what it was before is who writes it.
bool RowReader::checkStores() const {
  for (unsigned output : group.outputs) {
    const RowValue &value = group.values[output];
    for (auto [number, dim] : llvm::enumerate(problem.dims))
      if (Problem::uses(value.place.map, number) != (dim.parallel || value.isLong))
        return false;
    for (const Use &input : problem.inputs)
      if (input.memref == value.place.memref && input.map != value.place.map)
        return false;
  }
  return true;
}

FailureOr<Problem> RowReader::run() {
  ScopedDiagnosticHandler quiet(kernel.getContext(), [](Diagnostic &) { return success(); });
  problem.kernel = kernel;
  if (!readSteps())
    return failure();
  joinLoops();
  if (!readDims() || !addValues() || !checkStores())
    return failure();
  // What is not read along whole rows is another kind of sum, a product for example.
  bool whole = llvm::any_of(problem.inputs, [&](const Use &input) { return problem.usesAll(input.map); });
  if (!whole || llvm::all_of(problem.dims, [](const Dim &dim) { return !dim.parallel; }))
    return failure();
  problem.output = group.values[group.outputs.back()].place;
  group.setPasses();
  problem.rows = std::make_shared<const RowGroup>(std::move(group));
  return problem;
}

FailureOr<Problem> mapping::getRowProblem(tile::KernelOp kernel, ArrayRef<int64_t> arguments) {
  return RowReader(kernel, llvm::to_vector(kernel.getBody().getOps<LinalgOp>()), {}, arguments).run();
}

FailureOr<Problem> mapping::getRowProblem(tile::KernelOp kernel, ArrayRef<LinalgOp> ops, ArrayRef<Value> arrays, ArrayRef<int64_t> arguments) {
  return RowReader(kernel, ops, arrays, arguments).run();
}

SmallVector<unsigned> RowGroup::getSources(const RowValue &value, ArrayRef<unsigned> made) const {
  SmallVector<unsigned> sources, waiting;
  llvm::SmallDenseSet<unsigned> seen;
  const RowValue *reader = &value;
  while (true) {
    for (std::optional<unsigned> operand : reader->operands)
      if (operand && seen.insert(*operand).second)
        (values[*operand].op && values[*operand].isLong && !llvm::is_contained(made, *operand) ? waiting : sources).push_back(*operand);
    if (waiting.empty())
      return sources;
    reader = &values[waiting.pop_back_val()];
  }
}

/// A function or a quotient takes more than an instruction.
static bool hasFunctions(linalg::LinalgOp op) {
  return llvm::any_of(*op.getBlock(), [](Operation &inner) { return isa_and_nonnull<math::MathDialect>(inner.getDialect()) || isa<arith::DivFOp>(inner); });
}

SmallVector<unsigned> RowGroup::getMade() const {
  SmallVector<unsigned> made;
  for (auto [number, value] : llvm::enumerate(values)) {
    if (!value.op || !value.isLong || value.kind || !hasFunctions(value.op) || !value.place.map.isPermutation())
      continue;
    SmallVector<unsigned> along = llvm::filter_to_vector(getSources(value), [&](unsigned source) { return values[source].isLong; });
    if (along.size() != 1 || values[along.front()].place.map != value.place.map ||
        getElementTypeOrSelf(values[along.front()].place.memref.getType()) != getElementTypeOrSelf(value.place.memref.getType()))
      continue;
    unsigned only[] = {unsigned(number)}, walks = 0;
    bool isLast = true;
    for (ArrayRef<unsigned> sinks : passes) {
      bool reads = false, readsOwn = false;
      for (unsigned sink : sinks) {
        SmallVector<unsigned> sources = getSources(values[sink], only);
        reads |= llvm::is_contained(sources, number);
        readsOwn |= llvm::is_contained(sources, along.front());
      }
      walks += reads;
      isLast &= walks == 0 || !readsOwn;
    }
    if (walks > 1 && isLast)
      made.push_back(number);
  }
  return made;
}

void RowGroup::setPasses() {
  llvm::MapVector<std::pair<unsigned, tile::Combine>, SmallVector<unsigned>> reductions;
  unsigned deepest = 0;
  for (auto [number, value] : llvm::enumerate(values)) {
    deepest = std::max(deepest, value.depth);
    if (value.kind)
      reductions[{value.depth, *value.kind}].push_back(number);
  }
  for (unsigned depth = 1; depth <= deepest; ++depth)
    for (const auto &[key, numbers] : reductions)
      if (key.first == depth)
        passes.push_back(numbers);
  SmallVector<unsigned> stored = llvm::filter_to_vector(outputs, [&](unsigned output) { return values[output].isLong; });
  if (!stored.empty())
    passes.push_back(stored);
  for (ArrayRef<unsigned> pass : passes) {
    llvm::SmallSetVector<unsigned, 8> read;
    for (unsigned sink : pass)
      read.insert_range(getSources(values[sink]));
    for (unsigned source : read)
      ++values[source].passes;
  }
}
