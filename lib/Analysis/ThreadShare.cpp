//===- ThreadShare.cpp - Which threads run an op, and on what ---*- C++ -*-===//
//
// The rules are those of tile/Distribution.h, read off the model, whose loops may be
// others than the nest's.
//
//===----------------------------------------------------------------------===//

#include "ThreadShare.h"

#include "tilec/Tile/Distribution.h"

#include <map>

using namespace mlir;
using namespace tilec::analysis;
using namespace tilec::tile;

//===----------------------------------------------------------------------===//
// Numbers of threads
//===----------------------------------------------------------------------===//

static int64_t countRunning(const NestModel &model, ArrayRef<unsigned> around) {
  for (unsigned number : around) // The outermost comes first.
    if (model.loops[number].onThreads())
      return model.threadsOf(number);
  return model.threadsPerBlock();
}

//===----------------------------------------------------------------------===//
// Shares
//===----------------------------------------------------------------------===//

std::vector<ThreadShare> tilec::analysis::shareThreads(const NestModel &model,
                                                       ArrayRef<unsigned> around,
                                                       ArrayRef<unsigned> loops) {
  struct Digit {
    int64_t stride, count;
    unsigned loop;
  };
  SmallVector<Digit> digits;
  for (unsigned loop : loops)
    if (model.loops[loop].onThreads() && model.loops[loop].count() > 1)
      digits.push_back({model.threadStrideOf(loop), model.loops[loop].count(), loop});
  llvm::sort(digits, [](const Digit &a, const Digit &b) { return a.stride < b.stride; });
  int64_t threads = countRunning(model, around);
  // Digits that divide each other and the threads: each combination has as many threads.
  bool even = true;
  int64_t below = 1, combinations = 1;
  for (const Digit &digit : digits) {
    even &= digit.stride % below == 0;
    below = digit.stride * digit.count;
    combinations *= digit.count;
  }
  if (even && threads % below == 0)
    return {{{}, threads / combinations}};
  std::map<SmallVector<int64_t>, int64_t> times;
  for (int64_t thread = 0; thread < threads; ++thread) {
    SmallVector<int64_t> values;
    for (const Digit &digit : digits)
      values.push_back(thread / digit.stride % digit.count);
    ++times[values];
  }
  std::vector<ThreadShare> shares;
  for (const auto &[values, number] : times) {
    ThreadShare &share = shares.emplace_back();
    share.threads = number;
    for (auto [digit, value] : llvm::zip_equal(digits, values))
      share.fixed.emplace_back(digit.loop, value);
    for (unsigned loop : loops)
      if (model.loops[loop].onThreads() && model.loops[loop].count() == 1)
        share.fixed.emplace_back(loop, 0);
  }
  return shares;
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// Do the loops that move `subscript` walk parts that lie side by side and cover `extent`? Returns
/// what one part spans, 0 if they do not.
static int64_t getPartExtent(const NestModel &model, const Subscript &subscript, int64_t extent) {
  SmallVector<std::pair<int64_t, int64_t>> digits; // Step and count.
  int64_t count = 1;
  for (const Term &term : subscript.terms) {
    const LoopModel &loop = model.loops[term.loop];
    if (loop.count() > 1)
      digits.emplace_back(term.factor * loop.step, loop.count());
    count *= std::max<int64_t>(loop.count(), 1);
  }
  llvm::sort(digits);
  int64_t span = extent / count;
  for (auto [step, times] : digits) {
    if (step != span)
      return 0;
    span *= times;
  }
  return span == extent && subscript.constant == 0 ? extent / count : 0;
}

TileParts tilec::analysis::getTileParts(const NestModel &model, unsigned number) {
  const TileModel &tile = model.tiles[number];
  TileParts whole{{}, SmallVector<Subscript, 2>(tile.shape.size()), tile.shape};
  std::optional<TileParts> parts;
  model.forEachUse(number, [&](const Place &place, ArrayRef<unsigned> around) {
    bool moved = llvm::any_of(place.at, [](const Subscript &subscript) {
      return !subscript.terms.empty();
    });
    if (parts || !moved)
      return;
    parts = whole;
    for (auto [dim, subscript] : llvm::enumerate(place.at)) {
      parts->at[dim] = subscript;
      parts->shape[dim] = getPartExtent(model, subscript, tile.shape[dim]);
      for (const Term &term : subscript.terms)
        parts->loops.push_back(term.loop);
    }
  });
  // What is not shared evenly the lowering refuses.
  bool usable = parts && !llvm::is_contained(parts->shape, 0) &&
                llvm::none_of(parts->loops, [&](unsigned loop) {
                  return llvm::is_contained(tile.loops, loop) ||
                         llvm::count(parts->loops, loop) > 1;
                });
  return usable ? *parts : whole;
}
