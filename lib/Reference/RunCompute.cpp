//===- RunCompute.cpp - Running linalg ops ----------------------*- C++ -*-===//
//
// The loops of a linalg op. What is outside of an operand is left out of a row
// at once; elements are asked only of tiles that do not have all of theirs.
//
//===----------------------------------------------------------------------===//

#include "Program.h"

#include "Rounding.h"

#include <cmath>

using namespace tilec;
using namespace tilec::reference;

namespace {
/// Iterations of the innermost loop.
struct Range {
  int64_t begin, end;
};

/// A coordinate of an operand that leaves its root somewhere in the box.
struct Limit {
  int64_t first;
  /// Of each loop.
  llvm::ArrayRef<int64_t> coefficients;
  int64_t extent;

  /// Narrows `range` to the iterations of loop `inner` that are inside, while the others are at `iteration`.
  void narrow(llvm::ArrayRef<int64_t> iteration, std::optional<unsigned> inner, Range &range) const {
    int64_t start = first;
    for (auto [coefficient, i] : llvm::zip_equal(coefficients, iteration))
      start += coefficient * i;
    int64_t step = inner ? coefficients[*inner] : 0;
    if (step == 0) {
      if (start < 0 || start >= extent)
        range.end = range.begin;
      return;
    }
    int64_t least = step > 0 ? -start : start - (extent - 1), end = step > 0 ? extent - start : start + 1;
    range.begin = std::max(range.begin, llvm::divideCeilSigned(least, std::abs(step)));
    range.end = std::min(range.end, llvm::divideCeilSigned(end, std::abs(step)));
  }
};

/// One operand while the loops run.
struct Cursor {
  Cell *data;
  /// Null where the values are exact.
  ErrorBound *bounds;
  uint8_t *stored;
  /// Null where all elements are present.
  const uint8_t *present;
  int64_t offset;
  const int64_t *steps;
  /// That of the innermost loop.
  int64_t step;
  uint32_t element;
  std::optional<uint32_t> yielded;

  bool isPresent() const { return !present || present[offset]; }
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

namespace {
/// The operands of a body that does nothing but add a product to the third of them.
struct ProductSum {
  const Cursor *a, *b, *sum;
};
} // namespace

static std::optional<ProductSum> findProductSum(llvm::ArrayRef<Cursor> cursors, const Code &code) {
  if (code.size() != 1 || code.front().opcode != Opcode::FmaF)
    return std::nullopt;
  auto find = [&](uint32_t element) {
    auto found = llvm::find_if(cursors, [&](const Cursor &cursor) { return cursor.element == element; });
    return found == cursors.end() ? nullptr : &*found;
  };
  ProductSum sum{find(code.front().a), find(code.front().b), find(code.front().c)};
  auto yields = [](const Cursor &cursor) { return cursor.yielded.has_value(); };
  if (!sum.a || !sum.b || !sum.sum || sum.sum->yielded != code.front().result || llvm::count_if(cursors, yields) != 1)
    return std::nullopt;
  return sum;
}

/// `count` iterations of a row of one, as runElement, without a copy of what it works on; the cursors stay.
template <bool kBounds>
static void runProductSum(const ProductSum &cursors, const Format &format, int64_t count) {
  auto [a, b, c] = cursors;
  for (int64_t i = 0, atA = a->offset, atB = b->offset, atC = c->offset; i < count; ++i, atA += a->step, atB += b->step, atC += c->step) {
    double x = a->data[atA].real, y = b->data[atB].real, &sum = c->data[atC].real, product = x * y, next = product + sum;
    if (kBounds && c->bounds) {
      ErrorBound boundX = a->bounds ? a->bounds[atA] : ErrorBound::exact(x), boundY = b->bounds ? b->bounds[atB] : ErrorBound::exact(y);
      c->bounds[atC] = addBound(product, multiplyBound(x, boundX, y, boundY, product, format), sum, c->bounds[atC], next, format);
    }
    sum = next;
    if (c->stored)
      c->stored[atC] = 1;
  }
}

template <bool kBounds>
void ComputeNode::runLoops(Machine &machine) {
  llvm::SmallVector<int64_t, 8> iteration(extents.size(), 0);
  llvm::SmallVector<Cursor, 4> cursors;
  llvm::SmallVector<Limit, 4> limits;
  for (const Operand &operand : operands) {
    const View &view = machine.views[operand.view];
    const Root &root = *view.root;
    int64_t offset = 0;
    for (size_t dim = 0; dim < operand.constants.size(); ++dim) {
      int64_t origin = view.origin[dim];
      offset += (origin + operand.constants[dim]) * root.strides[dim];
      if (origin + operand.least[dim] < 0 || origin + operand.most[dim] >= root.shape[dim])
        limits.push_back({origin + operand.constants[dim],
                          llvm::ArrayRef(operand.coefficients).slice(dim * extents.size(), extents.size()), root.shape[dim]});
    }
    cursors.push_back({root.data, root.bounds, root.stored, root.allPresent ? nullptr : root.present, offset,
                       operand.steps.data(), running.empty() ? 0 : operand.steps[running.front()], operand.element, operand.yielded});
  }
  // `running` are the loops of more than one iteration, the innermost first: a row is all iterations of that one.
  llvm::ArrayRef<unsigned> outer(running);
  std::optional<unsigned> inner;
  if (!outer.empty()) {
    inner = outer.front();
    outer = outer.drop_front();
  }
  bool asks = llvm::any_of(cursors, [](const Cursor &cursor) { return cursor.present; });
  std::optional<ProductSum> products = asks || !inner ? std::nullopt : findProductSum(cursors, code);
  auto advance = [&](unsigned loop, int64_t distance) {
    for (Cursor &cursor : cursors)
      cursor.offset += cursor.steps[loop] * distance;
  };
  while (true) {
    for (auto [number, loop] : indices)
      machine.registers.cells[number].whole = iteration[loop];
    Range row = {0, inner ? extents[*inner] : 1};
    for (const Limit &limit : limits)
      limit.narrow(iteration, inner, row);
    if (inner)
      advance(*inner, row.begin);
    // An absent element that all of them have leaves nothing to do.
    if (asks && inner && row.begin < row.end && llvm::any_of(cursors, [](const Cursor &cursor) { return cursor.step == 0 && !cursor.isPresent(); }))
      row.end = row.begin;
    if (products && row.begin < row.end) {
      runProductSum<kBounds>(*products, code.front().format, row.end - row.begin);
      advance(*inner, row.end - row.begin);
    }
    for (int64_t i = row.begin; i < row.end && !products; ++i) {
      for (auto [number, loop] : indices)
        if (loop == inner)
          machine.registers.cells[number].whole = i;
      if (!asks || llvm::all_of(cursors, [](const Cursor &cursor) { return cursor.isPresent(); }))
        runElement<kBounds>(cursors, code, machine.registers);
      for (Cursor &cursor : cursors)
        cursor.offset += cursor.step;
    }
    if (inner)
      advance(*inner, -std::max(row.begin, row.end));
    bool done = true;
    for (unsigned loop : outer) {
      bool wraps = ++iteration[loop] == extents[loop];
      advance(loop, wraps ? 1 - extents[loop] : 1);
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
  if (machine.keepsBounds)
    return runLoops<true>(machine);
  runLoops<false>(machine);
}
