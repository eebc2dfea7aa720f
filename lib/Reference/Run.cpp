//===- Run.cpp - Loops, copies and scalars ----------------------*- C++ -*-===//
//
// What every node but a linalg op does when it runs.
//
//===----------------------------------------------------------------------===//

#include "Program.h"

#include <algorithm>
#include <cmath>

using namespace tilec;
using namespace tilec::reference;

void tilec::reference::run(const Body &body, Machine &machine) {
  for (const std::unique_ptr<Node> &node : body)
    node->run(machine);
}

void tilec::reference::runCode(const Code &code, Machine &machine) {
  if (machine.keepsBounds)
    runWithBounds(code, machine.registers);
  else
    run(code, machine.registers);
}

void ScalarNode::run(Machine &machine) { runCode(code, machine); }

void IfNode::run(Machine &machine) {
  reference::run(machine.registers.cells[condition].whole ? thenBody : elseBody, machine);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void LoopNode::run(Machine &machine) {
  if (!counts)
    return runDim(machine, 0);
  int64_t outer = machine.block;
  runDim(machine, 0);
  machine.block = outer;
}

void LoopNode::runDim(Machine &machine, unsigned dim) {
  if (dim == dims.size()) {
    if (!isBlock || !machine.blocks ||
        std::binary_search(machine.blocks->begin(), machine.blocks->end(), machine.block))
      reference::run(body, machine);
    return;
  }
  const Dim &loop = dims[dim];
  int64_t extent = loop.extent.evaluate(machine.registers.cells);
  int64_t outer = machine.block, count = extent <= 0 ? 0 : (extent - 1) / loop.step + 1;
  for (int64_t i = 0; i < count; ++i) {
    machine.registers.cells[loop.iv].whole = i * loop.step;
    if (counts)
      machine.block = outer * count + i;
    runDim(machine, dim + 1);
  }
  machine.block = outer;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

void PartNode::run(Machine &machine) {
  const View &from = machine.views[source];
  View &to = machine.views[part];
  for (size_t dim = 0; dim < subscripts.size(); ++dim)
    to.origin[dim] = from.origin[dim] + subscripts[dim].evaluate(machine.registers.cells);
}

void HoldNode::run(Machine &machine) {
  Root &root = *machine.views[tile].root;
  std::fill(root.ownData.begin(), root.ownData.end(), init);
  std::fill(root.ownBounds.begin(), root.ownBounds.end(), bound);
}

/// For each element of one dimension of a box its coordinate in a root, -1 where that is outside.
using Coordinates = llvm::SmallVector<int64_t, 16>;
using Box = llvm::SmallVector<Coordinates, 3>;

/// The coordinate that an absent one reads instead, or -1.
static int64_t padCoordinate(int64_t coordinate, int64_t extent, std::optional<tile::Pad> pad) {
  if (coordinate >= 0 && coordinate < extent)
    return coordinate;
  if (!pad || *pad == tile::Pad::Zero || extent == 0)
    return -1;
  if (*pad == tile::Pad::Clamp)
    return coordinate < 0 ? 0 : extent - 1;
  if (*pad == tile::Pad::Wrap)
    return ((coordinate % extent) + extent) % extent;
  if (extent == 1)
    return 0;
  // Mirrored at both ends, edge not repeated: a period of 2 (extent - 1).
  int64_t period = 2 * (extent - 1), within = ((coordinate % period) + period) % period;
  return within < extent ? within : period - within;
}

/// Where a box of `shape` at `subscripts` of `view` lies in its root.
static Box locate(const Machine &machine, const View &view, llvm::ArrayRef<Linear> subscripts,
                                       llvm::ArrayRef<int64_t> shape, std::optional<tile::Pad> pad) {
  const Root &root = *view.root;
  Box dims(shape.size());
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    int64_t first = view.origin[dim];
    if (!subscripts.empty())
      first += subscripts[dim].evaluate(machine.registers.cells);
    dims[dim].resize(shape[dim]);
    for (int64_t i = 0; i < shape[dim]; ++i)
      dims[dim][i] = padCoordinate(first + i, root.shape[dim], pad);
  }
  return dims;
}

/// Replaces the places of a dimension by the numbers that are there, -1 where there is none. One that the root does not have has no meaning. The first place.
static int64_t number(Machine &machine, Box &dims, const View &view, llvm::ArrayRef<Linear> subscripts, const Numbered &numbered) {
  const Root &indices = *machine.views[numbered.indices].root;
  int64_t first = view.origin[numbered.dim] + subscripts[numbered.dim].evaluate(machine.registers.cells);
  for (auto [i, coordinate] : llvm::enumerate(dims[numbered.dim])) {
    int64_t place = first + static_cast<int64_t>(i);
    coordinate = -1;
    if (place < 0 || place >= indices.shape[0])
      continue;
    int64_t found = indices.data[place * indices.strides[0]].whole;
    if (found >= 0 && found < view.root->shape[numbered.dim])
      coordinate = found;
    else if (!machine.registers.failed)
      machine.registers.failed = numbered.op;
  }
  return first;
}

/// Where an element lies in a root; none where it is absent.
static std::optional<int64_t> getOffset(const Root &root, llvm::ArrayRef<Coordinates> dims,
                                        llvm::ArrayRef<int64_t> element) {
  int64_t offset = 0;
  for (size_t dim = 0; dim < dims.size(); ++dim) {
    int64_t coordinate = dims[dim][element[dim]];
    if (coordinate < 0)
      return std::nullopt;
    offset += coordinate * root.strides[dim];
  }
  if (root.present && !root.present[offset])
    return std::nullopt;
  return offset;
}

/// Calls `visit` with each element of a box, the last dimension fastest.
template <typename Visit>
static void forEachElement(llvm::ArrayRef<int64_t> shape, Visit visit) {
  if (llvm::is_contained(shape, 0))
    return;
  llvm::SmallVector<int64_t, kMaxRank> element(shape.size(), 0);
  while (true) {
    visit(llvm::ArrayRef<int64_t>(element));
    size_t dim = shape.size();
    while (dim > 0 && ++element[dim - 1] == shape[dim - 1])
      element[--dim] = 0;
    if (dim == 0)
      return;
  }
}

static ErrorBound getBound(const Root &root, int64_t offset) {
  return root.bounds ? root.bounds[offset] : ErrorBound::exact(root.data[offset].real);
}

void StageNode::run(Machine &machine) {
  const View &from = machine.views[source];
  const Root &root = *from.root;
  Root &to = *machine.views[tile].root;
  Box dims = locate(machine, from, subscripts, to.shape, pad);
  if (numbered)
    number(machine, dims, from, subscripts, *numbered);
  // With clamp, reflect and wrap elements are absent only where the operand has none at all.
  bool hasValues = pad.has_value();
  to.allPresent = true;
  int64_t next = 0; // Tiles are row-major, as the elements come.
  forEachElement(to.shape, [&](llvm::ArrayRef<int64_t> element) {
    std::optional<int64_t> offset = getOffset(root, dims, element);
    to.data[next] = offset ? root.data[*offset] : Cell();
    if (machine.keepsBounds)
      to.bounds[next] = offset ? getBound(root, *offset) : ErrorBound::exact(0);
    to.present[next] = offset || hasValues;
    to.allPresent &= to.present[next++] != 0;
  });
}

void StoreNode::run(Machine &machine) {
  const View &from = machine.views[tile], &to = machine.views[dest];
  const Root &root = *from.root;
  Root &target = *to.root;
  Box sources = locate(machine, from, {}, shape, std::nullopt);
  Box targets = locate(machine, to, subscripts, shape, std::nullopt);
  int64_t first = numbered ? number(machine, targets, to, subscripts, *numbered) : 0;
  std::vector<Cell> &cells = machine.registers.cells;
  std::vector<ErrorBound> &bounds = machine.registers.bounds;
  forEachElement(shape, [&](llvm::ArrayRef<int64_t> element) {
    std::optional<int64_t> source = getOffset(root, sources, element);
    if (!source)
      return;
    int64_t offset = 0;
    for (size_t dim = 0; dim < targets.size(); ++dim) {
      int64_t coordinate = targets[dim][element[dim]];
      if (coordinate < 0)
        return;
      offset += coordinate * target.strides[dim];
    }
    if (target.present && !target.present[offset])
      return; // Absent elements stay absent.
    if (numbered && numbered->unique) {
      int64_t place = first + element[numbered->dim];
      if (places.try_emplace(offset, place).first->second != place && !machine.registers.failed)
        machine.registers.failed = numbered->op;
    }
    Cell value = root.data[*source];
    ErrorBound bound = machine.keepsBounds ? getBound(root, *source) : ErrorBound();
    if (!combine.empty()) {
      cells[old] = target.data[offset];
      cells[added] = value;
      bounds[old] = machine.keepsBounds ? getBound(target, offset) : ErrorBound();
      bounds[added] = bound;
      runCode(combine, machine);
      value = cells[old];
      bound = bounds[old];
    }
    target.data[offset] = value;
    if (machine.keepsBounds && target.bounds)
      target.bounds[offset] = bound;
    if (target.stored)
      target.stored[offset] = 1;
  });
}
