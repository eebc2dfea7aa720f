//===- TiedLoop.cpp - Loops that reduce several tiles as one -----*- C++ -*-===//
//
// Docs/language.md, 7.5 and 7.6: each iteration begins with tuples as tiles are held
// with; what they leave is combined in the order that is said there.
//
//===----------------------------------------------------------------------===//

#include "Compiler.h"

#include "tilec/Tile/Distribution.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::reference;

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

/// For each element of a tile the value of the digit of a thread's number, of those that are `stride` apart, that holds it; -1 for none.
static std::vector<int64_t> getHolders(const tile::Distribution &distribution, ArrayRef<int64_t> shape, int64_t stride) {
  std::vector<int64_t> holders;
  for (int64_t element = 0, elements = llvm::product_of(shape); element < elements; ++element) {
    std::optional<int64_t> holder;
    int64_t below = element;
    for (unsigned dim = shape.size(); dim-- > 0; below /= shape[dim])
      for (const tile::Digit &digit : distribution.dims[dim])
        if (digit.threadStride == stride) {
          int64_t number = below % shape[dim] / digit.step % digit.count;
          holder = holder.value_or(number) == number ? number : -1;
        }
    holders.push_back(holder.value_or(-1));
  }
  return holders;
}

/// How many neighbours of an induction variable with `count` values, whose threads are `stride` apart, are combined in pairs.
static int64_t getPaired(int64_t blockThreads, int64_t count, int64_t stride) {
  if (blockThreads % tile::kWarpThreads != 0 || !llvm::isPowerOf2_64(count) || !llvm::isPowerOf2_64(stride))
    return 1;
  return std::max<int64_t>(1, std::min(count, tile::kWarpThreads / stride));
}

LogicalResult Compiler::compileTied(tile::ForOp loop, Body &body) {
  auto node = std::make_unique<TiedLoopNode>();
  bool onThreads = tile::isThreadUnit(loop);
  FailureOr<tile::Distribution> distribution = tile::getDistribution(loop.getTied().front());
  if (failed(distribution))
    return failure();
  ArrayRef<int64_t> shape = cast<MemRefType>(loop.getTied().front().getType()).getShape();
  node->elements = llvm::product_of(shape);
  auto getWhere = [&](tile::ForOp around, unsigned i) -> std::vector<int64_t> {
    int64_t stride = tile::getThreadStride(around, i);
    return tile::isThreadUnit(around) && distribution->isPartedBy(stride) ? getHolders(*distribution, shape, stride) : std::vector<int64_t>();
  };
  int64_t blockThreads = tile::getComputeThreads(loop->getParentOfType<tile::KernelOp>());
  for (unsigned i = 0; i < loop.getNumLoops(); ++i) {
    std::optional<int64_t> count = loop.getStaticCount(i);
    if (!count)
      return loop.emitOpError("has no meaning in the reference evaluator: it ties tiles over a dynamic extent");
    int64_t paired = onThreads ? getPaired(blockThreads, *count, tile::getThreadStride(loop, i)) : 1;
    node->dims.push_back({{registers.get(loop.getInductionVar(i)), loop.getSteps()[i], getWhere(loop, i)}, *count, paired});
  }
  Operation *hold = loop.getTied().front().getDefiningOp();
  for (auto outer = loop->getParentOfType<tile::ForOp>(); outer && !outer->isAncestor(hold); outer = outer->getParentOfType<tile::ForOp>())
    for (unsigned i = 0; i < outer.getNumLoops(); ++i)
      if (std::vector<int64_t> holders = getWhere(outer, i); !holders.empty())
        node->around.push_back({registers.get(outer.getInductionVar(i)), outer.getSteps()[i], std::move(holders)});
  Block &combiner = loop.getCombiner();
  for (auto [number, tile] : llvm::enumerate(loop.getTied())) {
    FailureOr<uint32_t> view = getView(loop, tile);
    FailureOr<Element> init = getInit(tile.getDefiningOp<tile::HoldOp>());
    if (failed(view) || failed(init))
      return failure();
    node->members.push_back({*view, *init, registers.get(combiner.getArgument(number)), registers.get(combiner.getArgument(loop.getTied().size() + number)),
                             registers.get(combiner.getTerminator()->getOperand(number))});
  }
  for (Operation &inner : combiner.without_terminator())
    if (failed(compileScalar(&inner, registers, node->combine)))
      return failure();
  if (failed(compileBlock(loop.getBody().front(), node->body)))
    return failure();
  body.push_back(std::move(node));
  return success();
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

TiedLoopNode::Tuple TiedLoopNode::combineTwo(Machine &machine, const Tuple &lower, const Tuple &upper) const {
  Registers &registers = machine.registers;
  for (auto [member, first, second] : llvm::zip_equal(members, lower, upper)) {
    registers.cells[member.lower] = first.value;
    registers.cells[member.upper] = second.value;
    registers.bounds[member.lower] = first.bound;
    registers.bounds[member.upper] = second.bound;
  }
  runCode(combine, machine);
  return llvm::map_to_vector<4>(members, [&](const Member &member) { return Element{registers.cells[member.made], registers.bounds[member.made]}; });
}

TiedLoopNode::Tuple TiedLoopNode::get(const Machine &machine, int64_t element) const {
  return llvm::map_to_vector<4>(members, [&](const Member &member) {
    const Root &root = *machine.views[member.view].root;
    return Element{root.data[element], root.bounds ? root.bounds[element] : ErrorBound()};
  });
}

void TiedLoopNode::set(Machine &machine, int64_t element, const Tuple &tuple) const {
  for (auto [member, part] : llvm::zip_equal(members, tuple)) {
    Root &root = *machine.views[member.view].root;
    root.data[element] = part.value;
    if (root.bounds)
      root.bounds[element] = part.bound;
  }
}

/// Puts the values of the last of `tuples`' dimensions together: neighbours in pairs as far as `paired` goes, then one after the other.
void TiedLoopNode::fold(Machine &machine, std::vector<Tuple> &tuples, int64_t count, int64_t paired) const {
  std::vector<Tuple> folded;
  for (size_t first = 0; first < tuples.size(); first += count) {
    auto at = [&](int64_t number) -> Tuple & { return tuples[first + number]; };
    for (int64_t width = 1; width < paired; width *= 2)
      for (int64_t number = 0; number < count; number += 2 * width)
        at(number) = combineTwo(machine, at(number), at(number + width));
    for (int64_t number = paired; number < count; number += paired)
      at(0) = combineTwo(machine, at(0), at(number));
    folded.push_back(at(0));
  }
  tuples = std::move(folded);
}

bool TiedLoopNode::holds(const Machine &machine, int64_t element) const {
  auto isThere = [&](const Place &place) {
    return place.holders.empty() || place.holders[element] * place.step == machine.registers.cells[place.iv].whole;
  };
  return llvm::all_of(dims, isThere) && llvm::all_of(around, isThere);
}

void TiedLoopNode::runIterations(Machine &machine, unsigned dim, bool ofHolders, llvm::function_ref<void()> visit) const {
  if (dim == dims.size())
    return visit();
  // The other induction variables are walked by another call.
  if (dims[dim].holders.empty() == ofHolders)
    return runIterations(machine, dim + 1, ofHolders, visit);
  for (int64_t i = 0; i < dims[dim].count; ++i) {
    machine.registers.cells[dims[dim].iv].whole = i * dims[dim].step;
    runIterations(machine, dim + 1, ofHolders, visit);
  }
}

void TiedLoopNode::run(Machine &machine) {
  std::vector<Tuple> before;
  for (int64_t element = 0; element < elements; ++element)
    before.push_back(get(machine, element));
  std::vector<Tuple> after = before;
  Tuple neutral = llvm::map_to_vector<4>(members, [](const Member &member) { return member.init; });
  runIterations(machine, 0, /*ofHolders=*/true, [&] {
    llvm::SmallVector<int64_t> held;
    for (int64_t element = 0; element < elements; ++element)
      if (holds(machine, element))
        held.push_back(element);
    std::vector<std::vector<Tuple>> left(held.size());
    runIterations(machine, 0, /*ofHolders=*/false, [&] {
      for (int64_t element = 0; element < elements; ++element)
        set(machine, element, neutral);
      reference::run(body, machine);
      for (auto [element, tuples] : llvm::zip_equal(held, left))
        tuples.push_back(get(machine, element));
    });
    for (auto [element, tuples] : llvm::zip_equal(held, left)) {
      for (const Dim &dim : llvm::reverse(dims))
        if (dim.holders.empty())
          fold(machine, tuples, dim.count, dim.paired);
      after[element] = combineTwo(machine, before[element], tuples.front());
    }
  });
  for (int64_t element = 0; element < elements; ++element)
    set(machine, element, after[element]);
}
