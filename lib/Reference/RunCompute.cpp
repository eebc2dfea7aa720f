//===- RunCompute.cpp - Running linalg ops ----------------------*- C++ -*-===//
//
// The loops of a linalg op. Where all elements of the box are present, nothing
// is checked inside of them.
//
//===----------------------------------------------------------------------===//

#include "Program.h"

#include <cmath>

using namespace tilec;
using namespace tilec::reference;

bool ComputeNode::isPresent(const Machine &machine, llvm::ArrayRef<int64_t> iteration) const {
  for (const Operand &operand : operands) {
    const View &view = machine.views[operand.view];
    const Root &root = *view.root;
    const int64_t *coefficients = operand.coefficients.data();
    int64_t offset = 0;
    for (size_t dim = 0; dim < operand.constants.size(); ++dim, coefficients += extents.size()) {
      int64_t coordinate = view.origin[dim] + operand.constants[dim];
      for (size_t loop = 0; loop < extents.size(); ++loop)
        coordinate += coefficients[loop] * iteration[loop];
      if (coordinate < 0 || coordinate >= root.shape[dim])
        return false;
      offset += coordinate * root.strides[dim];
    }
    if (root.present && !root.present[offset])
      return false;
  }
  return true;
}

namespace {
/// One operand while the loops run.
struct Cursor {
  Cell *data;
  /// Null where the values are exact.
  ErrorBound *bounds;
  uint8_t *stored;
  int64_t offset;
  const int64_t *steps;
  uint32_t element;
  std::optional<uint32_t> yielded;
};
} // namespace

template <bool kBounds>
static void runElement(llvm::MutableArrayRef<Cursor> cursors, const Code &code, Registers &registers) {
  for (const Cursor &cursor : cursors) {
    registers.cells[cursor.element] = cursor.data[cursor.offset];
    if constexpr (kBounds)
      registers.bounds[cursor.element] =
          cursor.bounds ? cursor.bounds[cursor.offset] : ErrorBound::exact(cursor.data[cursor.offset].real);
  }
  if constexpr (kBounds)
    runWithBounds(code, registers);
  else
    reference::run(code, registers);
  for (const Cursor &cursor : cursors) {
    if (!cursor.yielded)
      continue;
    cursor.data[cursor.offset] = registers.cells[*cursor.yielded];
    if (kBounds && cursor.bounds)
      cursor.bounds[cursor.offset] = registers.bounds[*cursor.yielded];
    if (cursor.stored)
      cursor.stored[cursor.offset] = 1;
  }
}

template <bool kBounds, bool kChecked>
void ComputeNode::runLoops(Machine &machine) {
  size_t loops = extents.size();
  llvm::SmallVector<int64_t, 8> iteration(loops, 0);
  llvm::SmallVector<Cursor, 4> cursors;
  for (const Operand &operand : operands) {
    const View &view = machine.views[operand.view];
    const Root &root = *view.root;
    int64_t offset = 0;
    for (size_t dim = 0; dim < operand.constants.size(); ++dim)
      offset += (view.origin[dim] + operand.constants[dim]) * root.strides[dim];
    cursors.push_back({root.data, root.bounds, root.stored, offset, operand.steps.data(), operand.element,
                       operand.yielded});
  }
  while (true) {
    for (auto [number, loop] : indices)
      machine.registers.cells[number].whole = iteration[loop];
    if (!kChecked || isPresent(machine, iteration))
      runElement<kBounds>(cursors, code, machine.registers);
    // `running` are the loops of more than one iteration, the innermost first.
    bool done = true;
    for (unsigned loop : running) {
      bool wraps = ++iteration[loop] == extents[loop];
      int64_t distance = wraps ? 1 - extents[loop] : 1;
      for (Cursor &cursor : cursors)
        cursor.offset += cursor.steps[loop] * distance;
      if (!wraps) {
        done = false;
        break;
      }
      iteration[loop] = 0;
    }
    if (done)
      return;
  }
}

void ComputeNode::run(Machine &machine) {
  if (llvm::is_contained(extents, 0))
    return;
  bool checks = false;
  for (const Operand &operand : operands) {
    const View &view = machine.views[operand.view];
    checks |= !view.root->allPresent;
    for (size_t dim = 0; dim < operand.constants.size(); ++dim)
      checks |= view.origin[dim] + operand.least[dim] < 0 ||
                view.origin[dim] + operand.most[dim] >= view.root->shape[dim];
  }
  if (machine.keepsBounds)
    return checks ? runLoops<true, true>(machine) : runLoops<true, false>(machine);
  return checks ? runLoops<false, true>(machine) : runLoops<false, false>(machine);
}
