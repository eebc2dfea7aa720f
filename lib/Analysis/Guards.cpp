//===- Guards.cpp - Points that a computation leaves out --------*- C++ -*-===//
//
// The rule by which computations are lowered (getGuard of LowerCompute.cpp), on the model.
//
//===----------------------------------------------------------------------===//

#include "Guards.h"

#include "tilec/Analysis/AbsentElements.h"

#include <map>

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;

namespace {

/// A coordinate that exists in 0 .. extent - 1 of an operand.
struct Coordinate {
  Presence presence;
  OpFoldResult extent;
  OpOperand *owner = nullptr;
  /// The owner reads a staged tile that is written as well.
  bool updated = false;
};

class GuardFinder {
public:
  GuardFinder(const NestModel &model, const ComputeModel &compute, unsigned first)
      : model(model), compute(compute), first(first) {}

  SmallVector<Presence> find();

private:
  SmallVector<SmallVector<CountTerm, 2>> dimsOf(const ComputeOperand &operand) const;
  SmallVector<Coordinate> coordinatesOf(const Place &place, const ComputeOperand &operand,
                                        ArrayRef<Subscript> inner = {}) const;
  SmallVector<Coordinate> findStored() const;
  bool implies(const Coordinate &known, const Coordinate &wanted) const;
  std::map<std::pair<bool, unsigned>, int64_t> factorsOf(const Presence &presence) const;

  const NestModel &model;
  const ComputeModel &compute;
  unsigned first;
};

} // namespace

SmallVector<SmallVector<CountTerm, 2>> GuardFinder::dimsOf(const ComputeOperand &operand) const {
  SmallVector<SmallVector<CountTerm, 2>> dims;
  for (const auto &factors : operand.dims) {
    auto &terms = dims.emplace_back();
    for (auto [dim, factor] : factors)
      terms.push_back({first + dim, factor});
  }
  return dims;
}

/// The coordinates of the op's element at `place`, in the operand that it is copied from.
SmallVector<Coordinate> GuardFinder::coordinatesOf(const Place &place,
                                                   const ComputeOperand &operand,
                                                   ArrayRef<Subscript> inner) const {
  SmallVector<Coordinate> coordinates;
  std::optional<unsigned> root = model.operandOf(place);
  tile::KernelOp kernel = model.kernel;
  for (Presence &presence : getPresence(model, place, dimsOf(operand), inner)) {
    OpFoldResult extent = kernel.getOperandExtent(*root, coordinates.size());
    coordinates.push_back({std::move(presence), extent});
  }
  return coordinates;
}

/// What holds wherever the op's result is stored in the end; nothing where that is not known.
SmallVector<Coordinate> GuardFinder::findStored() const {
  if (compute.outputs.size() != 1)
    return {};
  const ComputeOperand &output = compute.outputs.front();
  if (output.place.isOperand)
    return coordinatesOf(output.place, output);
  tile::StoreOp op = getOnlyStore(model.tiles[output.place.root].op->getResult(0));
  auto only = llvm::find_if(model.stores, [&](const StoreModel &store) { return store.op == op.getOperation(); });
  if (!op || only == model.stores.end())
    return {};
  for (const Subscript &subscript : only->to.at)
    for (const Term &term : subscript.terms)
      if (!llvm::is_contained(compute.loops, term.loop))
        return {};
  return coordinatesOf(only->to, output, output.place.at);
}

/// The factors of loops (true) and dimensions (false) that take more than one value.
std::map<std::pair<bool, unsigned>, int64_t>
GuardFinder::factorsOf(const Presence &presence) const {
  std::map<std::pair<bool, unsigned>, int64_t> factors;
  for (const Term &term : presence.subscript.terms) {
    tile::ForOp loop = model.loops[term.loop].op;
    if (loop.getStaticCount(model.loops[term.loop].number) != 1)
      factors[{true, term.loop}] += term.factor;
  }
  for (const CountTerm &term : presence.dims)
    if (compute.extents[term.variable - first] != 1)
      factors[{false, term.variable}] += term.factor;
  return factors;
}

/// Does `known` exist only where `wanted` does?
bool GuardFinder::implies(const Coordinate &known, const Coordinate &wanted) const {
  auto factors = factorsOf(wanted.presence);
  int64_t offset = wanted.presence.subscript.constant - known.presence.subscript.constant;
  if (known.extent != wanted.extent || factors != factorsOf(known.presence) || offset > 0)
    return false;
  bool positive = llvm::all_of(factors, [](const auto &factor) { return factor.second >= 0; });
  return offset == 0 || (positive && wanted.presence.subscript.constant >= 0);
}

SmallVector<Presence> GuardFinder::find() {
  SmallVector<Presence> guards;
  SmallVector<Coordinate> inputs;
  auto inputAt = compute.inputs.begin(), outputAt = compute.outputs.begin();
  auto op = cast<linalg::LinalgOp>(compute.op);
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    bool isOutput = op.isDpsInit(&operand);
    const ComputeOperand &entry = isOutput ? *outputAt++ : *inputAt++;
    if (entry.place.isOperand)
      for (Coordinate &coordinate : coordinatesOf(entry.place, entry))
        guards.push_back(std::move(coordinate.presence));
    else if ((!isOutput || compute.outputs.size() > 1) && model.operandOf(entry.place))
      for (Coordinate &coordinate : coordinatesOf(entry.place, entry)) {
        coordinate.owner = &operand;
        coordinate.updated = isWrittenInPlace(operand.get());
        inputs.push_back(std::move(coordinate));
      }
  }
  bool strict = mayHaveNoMeaning(op);
  SmallVector<Coordinate> stored = findStored();
  for (const Coordinate &input : inputs) {
    auto settles = [&](const Coordinate &known) { return implies(known, input); };
    if (!strict && llvm::any_of(stored, settles))
      continue;
    // Where `input` is absent, so are these.
    SmallVector<OpOperand *> zero;
    for (const Coordinate &other : inputs)
      if (settles(other) && !other.updated)
        zero.push_back(other.owner);
    if (strict || !isZeroNeutral(op, zero))
      guards.push_back(input.presence);
  }
  return guards;
}

SmallVector<Presence> tilec::analysis::getGuards(const NestModel &model,
                                                 const ComputeModel &compute, unsigned first) {
  return GuardFinder(model, compute, first).find();
}
