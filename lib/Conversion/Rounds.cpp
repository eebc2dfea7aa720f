//===- Rounds.cpp - What threads do of a tile together ------------*- C++ -*-===//

#include "Rounds.h"

#include "Loops.h"

using namespace mlir;
using namespace tilec;

Coordinates tilec::add(Coordinates sum, const Coordinates &more) {
  for (auto [coordinate, other] : llvm::zip_equal(sum, more))
    coordinate.add(other);
  return sum;
}

Rounds::Rounds(Context &context, Threads &threads, Location loc, const analysis::CopyTile &tile, analysis::CopyForm form,
               std::pair<int64_t, int64_t> unroll, std::function<std::string(unsigned)> nameOfDim)
    : context(context), threads(threads), index(context.index), loc(loc), places(analysis::getCopyDigits(tile, form)), unroll(unroll),
      nameOfDim(std::move(nameOfDim)), rank(tile.shape.size()), groups(llvm::product_of(tile.shape) / form.width),
      rounds(groups / threads.getCount()) {}

void Rounds::forEachRound(int64_t step, llvm::function_ref<void(const IndexExpr &)> body) {
  auto [most, rare] = unroll;
  createCountedLoop(context, loc, "e", rounds, step, !context.isRare && rounds <= most, [&, rare = rare](const IndexExpr &round) {
    if (context.isRare && rounds > rare)
      setUnrolled(round.terms.front().first, rare);
    body(round);
  });
}

void Rounds::forEachGroup(llvm::function_ref<void(const Coordinates &)> body) {
  // Groups of less than a round are numbered by threads, whose numbers are then known to be as small.
  if (rounds == 0 || !analysis::isSumOfPlaces(places, threads.getCount()))
    return forEachByNumber(body);
  Coordinates byThread = getThreadOffsets();
  forEachRound(1, [&](const IndexExpr &round) { body(add(byThread, getRoundOffsets(round))); });
  forFirstThreads([&] { body(add(byThread, getRoundOffsets(constantIndex(rounds)))); });
}

void Rounds::forFirstThreads(llvm::function_ref<void()> body) {
  int64_t left = groups - rounds * threads.getCount();
  if (left == 0)
    return;
  OpBuilder::InsertionGuard guard(context.b);
  context.enterIf(loc, arith::CmpIOp::create(context.b, loc, arith::CmpIPredicate::slt, threads.getNumber(), index.constant(loc, left)));
  body();
}

//===----------------------------------------------------------------------===//
// Even rounds
//===----------------------------------------------------------------------===//

Coordinates Rounds::getThreadOffsets() {
  Coordinates offsets(rank);
  int64_t below = 1, count = threads.getCount();
  for (const analysis::CopyDigit &place : places) {
    if (int64_t own = std::min(place.count, count / std::min(count, below)); own > 1)
      offsets[place.dim] = offsets[place.dim] + valueIndex(threads.getDigit(named(loc, nameOfDim(place.dim)), {own, place.step, below}));
    below *= place.count;
  }
  return offsets;
}

Coordinates Rounds::getRoundOffsets(const IndexExpr &round) {
  Coordinates offsets(rank);
  int64_t below = 1, count = threads.getCount();
  for (const analysis::CopyDigit &place : places) {
    int64_t above = below * place.count;
    if (above > count) {
      // The digit's part that the rounds walk: round / (below / threads) % (...); of the last digit no round goes beyond.
      int64_t first = std::max<int64_t>(below / count, 1), own = std::max<int64_t>(count / below, 1);
      Value digit = index.div(loc, index.materialize(loc, round), first);
      if (&place != &places.back())
        digit = index.rem(loc, digit, place.count / own);
      offsets[place.dim] = offsets[place.dim] + valueIndex(digit, place.step * own);
    }
    below = above;
  }
  return offsets;
}

//===----------------------------------------------------------------------===//
// Rounds by number
//===----------------------------------------------------------------------===//

Coordinates Rounds::getGroupOffsets(Value number) {
  Coordinates offsets(rank);
  for (const analysis::CopyDigit &place : places) {
    Value digit = index.rem(named(loc, nameOfDim(place.dim)), number, place.count);
    offsets[place.dim] = offsets[place.dim] + valueIndex(digit, place.step);
    if (&place != &places.back()) // The last quotient is a digit itself.
      number = index.div(&place + 1 == &places.back() ? named(loc, nameOfDim(places.back().dim)) : loc, number, place.count);
  }
  return offsets;
}

void Rounds::forEachByNumber(llvm::function_ref<void(const Coordinates &)> body) {
  int64_t count = threads.getCount(), whole = rounds * count;
  if (rounds > 0)
    forEachRound(count, [&](const IndexExpr &first) {
      Value number = index.materialize(named(loc, "at"), first + valueIndex(threads.getNumber()));
      index.know(number, {1, 0, whole - 1, {}});
      body(getGroupOffsets(number));
    });
  forFirstThreads([&] {
    Value number = index.materialize(named(loc, "at"), valueIndex(threads.getNumber()) + constantIndex(whole));
    // It may be the thread's own number, which is as small as this only inside of the condition.
    IndexFacts outside = index.factsOf(number);
    index.know(number, {1, whole, groups - 1, {}});
    body(getGroupOffsets(number));
    index.know(number, outside);
  });
}
