//===- AlgebraPropertyTest.cpp - The algebra against brute force -*- C++ -*-===//
//
// Every operation is compared with its definition, coordinate by coordinate, on layouts drawn with
// a fixed seed and on one exhaustive domain.
//
//===----------------------------------------------------------------------===//

#include "LayoutTestUtils.h"

#include <algorithm>
#include <chrono>
#include <random>
#include <set>

using namespace tilec::layout;

namespace {

/// Layouts of up to four leaves, nested at random; strides dense, with gaps, or arbitrary.
class Generator {
public:
  explicit Generator(unsigned seed) : engine(seed) {}

  int64_t number(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(engine);
  }

  Layout layout() {
    size_t count = number(1, 4);
    std::vector<int64_t> extents(count), strides(count);
    for (int64_t &extent : extents)
      extent = number(1, 6);
    std::vector<size_t> order(count);
    for (size_t i = 0; i < count; ++i)
      order[i] = i;
    std::shuffle(order.begin(), order.end(), engine);
    int64_t kind = number(0, 3), next = 1;
    for (size_t leaf : order) {
      if (kind == 1)
        next *= number(1, 3);
      strides[leaf] = kind == 2 ? number(0, 12) : next;
      next *= extents[leaf];
    }
    if (kind == 3)
      strides[number(0, count - 1)] = 0;
    size_t leaf = 0;
    IntTuple shape = nest(extents, count, leaf);
    return *Layout::get(shape, shape.withLeaves(strides));
  }

private:
  /// Puts `count` extents into one or two levels of brackets.
  IntTuple nest(const std::vector<int64_t> &extents, size_t count, size_t &leaf) {
    if (count == 1 && number(0, 1))
      return extents[leaf++];
    std::vector<IntTuple> elements;
    while (count > 0) {
      size_t part = number(1, std::min<int64_t>(count, 2));
      if (part == 1) {
        elements.push_back(extents[leaf++]);
      } else {
        elements.push_back(IntTuple::tuple({extents[leaf], extents[leaf + 1]}));
        leaf += 2;
      }
      count -= part;
    }
    return IntTuple::tuple(std::move(elements));
  }

  std::mt19937 engine;
};

std::set<int64_t> image(const Layout &layout) {
  std::set<int64_t> offsets;
  for (int64_t i = 0; i < layout.size(); ++i)
    offsets.insert(layout(i));
  return offsets;
}

bool isInjective(const Layout &layout) {
  return static_cast<int64_t>(image(layout).size()) == layout.size();
}

/// True if R(i) = A(B(i)) for every i, where A's last mode runs on.
bool isComposition(const Layout &r, const Layout &a, const Layout &b) {
  if (r.size() != b.size())
    return false;
  for (int64_t i = 0; i < b.size(); ++i)
    if (r(i) != a(b(i)))
      return false;
  return true;
}

TEST(LayoutProperty, CompositionIsCompositionOfFunctions) {
  Generator random(1);
  int accepted = 0, refused = 0;
  for (int n = 0; n < 40000; ++n) {
    Layout a = random.layout(), b = random.layout();
    Result<Layout> r = composition(a, b);
    if (!r) {
      EXPECT_NE(r.error().message.find("composition: "), std::string::npos) << r.error().message;
      ++refused;
      continue;
    }
    ++accepted;
    ASSERT_TRUE(isComposition(*r, a, b)) << a.str() << " o " << b.str() << " = " << r->str();
    // Compatible with B: a coordinate of B is one of R.
    for (int64_t i = 0; i < b.size(); ++i)
      ASSERT_EQ(*r->offset(*b.unflatten(i)), (*r)(i)) << a.str() << " o " << b.str();
  }
  EXPECT_GT(accepted, 10000);
  EXPECT_GT(refused, 5000);
}

/// Layouts of rank 1 to 3 with extents 1, 2, 3, 4 and 6, whose last modes continue or lie far away.
std::vector<Layout> exhaustiveLefts(size_t maxRank) {
  const int64_t extents[] = {1, 2, 3, 4, 6};
  std::vector<Layout> lefts;
  for (int64_t x : extents) {
    lefts.push_back(*Layout::get(x, 1));
    for (int64_t y : extents) {
      for (int64_t far : {x, int64_t(100)})
        lefts.push_back(*Layout::get(IntTuple::tuple({x, y}), IntTuple::tuple({1, far})));
      if (maxRank < 3)
        continue;
      for (int64_t z : extents)
        for (int64_t far : {int64_t(7), int64_t(100)})
          lefts.push_back(
              *Layout::get(IntTuple::tuple({x, y, z}), IntTuple::tuple({far, 1, 10 * far})));
    }
  }
  return lefts;
}

TEST(LayoutProperty, CompositionIsExactOnAnExhaustiveDomain) {
  // Every B of one mode s:d inside A's domain; for s = 1 every d below size(A).
  int64_t pairs = 0, accepted = 0, wrong = 0;
  for (const Layout &a : exhaustiveLefts(3))
    for (int64_t s = 1; s <= a.size(); ++s)
      for (int64_t d = 0; (s - 1) * d < a.size() && d < a.size(); ++d) {
        Layout b = *Layout::get(s, d);
        ++pairs;
        Result<Layout> r = composition(a, b);
        if (!r)
          continue;
        ++accepted;
        wrong += !isComposition(*r, a, b);
      }
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(pairs, 40000);
  EXPECT_GT(accepted, 10000);
  RecordProperty("pairs", std::to_string(pairs));
  RecordProperty("accepted", std::to_string(accepted));
}

TEST(LayoutProperty, CompositionRefusesCarriesAndNothingElse) {
  // B = (s1,s2):(d1,d2) whose modes compose one by one: refused exactly where the layout of both
  // results is not A o B.
  int64_t accepted = 0, carries = 0;
  for (const Layout &a : exhaustiveLefts(2))
    for (int64_t s1 = 1; s1 <= 6; ++s1)
      for (int64_t d1 = 0; d1 <= 8; ++d1) {
        Result<Layout> first = composition(a, *Layout::get(s1, d1));
        if (!first)
          continue;
        for (int64_t s2 = 2; s2 <= 6; ++s2)
          for (int64_t d2 = 0; d2 <= 8; ++d2) {
            Result<Layout> second = composition(a, *Layout::get(s2, d2));
            if (!second)
              continue;
            Layout b = *Layout::get(IntTuple::tuple({s1, s2}), IntTuple::tuple({d1, d2}));
            bool right = isComposition(*Layout::concat({*first, *second}), a, b);
            Result<Layout> both = composition(a, b);
            ASSERT_EQ(bool(both), right) << a.str() << " o " << b.str();
            ++(right ? accepted : carries);
          }
      }
  EXPECT_GT(accepted, 10000);
  EXPECT_GT(carries, 500);
}

TEST(LayoutProperty, CoalesceKeepsTheFunction) {
  Generator random(2);
  for (int n = 0; n < 20000; ++n) {
    Layout a = random.layout();
    Layout c = coalesce(a);
    ASSERT_EQ(c.size(), a.size());
    for (int64_t i = 0; i < a.size(); ++i)
      ASSERT_EQ(c(i), a(i)) << a.str() << " -> " << c.str();
    for (const Mode &mode : c.modes())
      ASSERT_TRUE(mode.extent != 1 || c == L("1:0")) << c.str();
  }
}

TEST(LayoutProperty, ComplementIsDisjointAndOrdered) {
  Generator random(3);
  int accepted = 0;
  for (int n = 0; n < 20000; ++n) {
    Layout a = random.layout();
    int64_t target = random.number(1, 300);
    Result<Layout> c = complement(a, target);
    if (!c)
      continue;
    ++accepted;
    for (int64_t i = 1; i < c->size(); ++i)
      ASSERT_LT((*c)(i - 1), (*c)(i)) << a.str() << ": " << c->str();
    std::set<int64_t> offsets = image(a), sums;
    for (int64_t x : offsets)
      for (int64_t i = 0; i < c->size(); ++i)
        ASSERT_TRUE(sums.insert(x + (*c)(i)).second) << a.str() << ": " << c->str();
    // Both together reach at least the target.
    ASSERT_GE(c->cosize() + a.cosize() - 1, std::min<int64_t>(target, *sums.rbegin() + 1));
    bool dense = static_cast<int64_t>(sums.size()) == *sums.rbegin() + 1;
    if (dense) {
      ASSERT_GE(static_cast<int64_t>(sums.size()), target) << a.str() << ": " << c->str();
    }
  }
  EXPECT_GT(accepted, 5000);
}

TEST(LayoutProperty, DividesAreBijections) {
  Generator random(4);
  int even = 0, uneven = 0;
  for (int n = 0; n < 30000; ++n) {
    Layout a = random.layout(), b = random.layout();
    if (!isInjective(b))
      continue;
    for (auto divide : {logicalDivide, zippedDivide, tiledDivide}) {
      Result<Layout> r = divide(a, b);
      if (!r)
        continue;
      ASSERT_EQ(str(composition(coalesce(a), b)), r->mode(0).str());
      std::multiset<int64_t> before, after;
      for (int64_t i = 0; i < a.size(); ++i)
        before.insert(a(i));
      for (int64_t i = 0; i < r->size(); ++i)
        after.insert((*r)(i));
      if (a.size() == r->size()) {
        ASSERT_EQ(before, after) << a.str() << " / " << b.str() << " = " << r->str();
        ++even;
      } else {
        ASSERT_GT(after.size(), before.size());
        ASSERT_TRUE(std::includes(after.begin(), after.end(), before.begin(), before.end()))
            << a.str() << " / " << b.str() << " = " << r->str();
        ++uneven;
      }
    }
  }
  EXPECT_GT(even, 1000);
  EXPECT_GT(uneven, 1000);
}

TEST(LayoutProperty, ProductsPlaceDisjointCopies) {
  Generator random(5);
  int accepted = 0;
  for (int n = 0; n < 3000; ++n) {
    Layout a = random.layout(), b = random.layout();
    if (!isInjective(a) || !isInjective(b))
      continue;
    Result<Layout> r = logicalProduct(a, b);
    if (!r)
      continue;
    ++accepted;
    ASSERT_EQ(r->mode(0), a);
    ASSERT_EQ(r->mode(1).size(), b.size());
    ASSERT_TRUE(isInjective(*r)) << a.str() << " x " << b.str() << " = " << r->str();
    Result<Layout> blocked = blockedProduct(a, b), raked = rakedProduct(a, b);
    ASSERT_TRUE(blocked && raked) << a.str() << " x " << b.str();
    ASSERT_EQ(image(*blocked), image(*r));
    ASSERT_EQ(image(*raked), image(*r));
    // Mode i of the one is (A_i, B_i), of the other (B_i, A_i).
    for (size_t i = 0; i < blocked->rank(); ++i) {
      ASSERT_EQ(blocked->mode(i).mode(0), raked->mode(i).mode(1));
      ASSERT_EQ(blocked->mode(i).mode(1), raked->mode(i).mode(0));
    }
  }
  EXPECT_GT(accepted, 400);
}

TEST(LayoutProperty, InversesInvert) {
  Generator random(6);
  int left = 0;
  for (int n = 0; n < 30000; ++n) {
    Layout a = random.layout();
    Result<Layout> r = rightInverse(a);
    ASSERT_TRUE(r) << a.str();
    for (int64_t i = 0; i < r->size(); ++i) {
      ASSERT_LT((*r)(i), a.size()) << a.str();
      ASSERT_EQ(a((*r)(i)), i) << a.str() << ": " << r->str();
    }
    Result<Layout> l = leftInverse(a);
    if (!isInjective(a)) {
      ASSERT_FALSE(l) << a.str();
      continue;
    }
    if (!l)
      continue;
    ++left;
    for (int64_t i = 0; i < a.size(); ++i)
      ASSERT_EQ((*l)(a(i)), i) << a.str() << ": " << l->str();
    // A compact layout has one inverse from both sides.
    if (a.size() == a.cosize()) {
      ASSERT_EQ(r->size(), a.size()) << a.str() << ": " << r->str();
    }
  }
  EXPECT_GT(left, 5000);
}

TEST(LayoutProperty, TextRoundTripsAndCoordinatesAgree) {
  Generator random(7);
  for (int n = 0; n < 20000; ++n) {
    Layout a = random.layout();
    ASSERT_EQ(L(a.str()), a);
    ASSERT_EQ(L(a.str()).hash(), a.hash());
    for (int64_t i = 0; i < a.size(); ++i) {
      IntTuple coordinate = *a.unflatten(i);
      ASSERT_EQ(*a.offset(coordinate), a(i));
      ASSERT_EQ(*a.offset(i), a(i));
      ASSERT_EQ(*a.index(coordinate), i);
    }
  }
}

/// Ten operations on layouts of the size that kernels use. The fastest of many batches counts, so
/// that a busy test machine does not fail it.
TEST(LayoutProperty, AnOperationTakesMicroseconds) {
  Layout a = L("((8,16),(64,2)):((64,512),(1,8192))"), b = L("((4,8),(2,2)):((32,1),(16,8))");
  Layout compact = L("((2,2),(2,2)):((1,8),(2,4))");
  Tiler tiler = T("[64:1,32:1]");
  constexpr int kBatches = 50, kRounds = 40;
  size_t done = 0;
  double best = 1e9;
  for (int batch = 0; batch < kBatches; ++batch) {
    auto start = std::chrono::steady_clock::now();
    for (int n = 0; n < kRounds; ++n) {
      done += coalesce(a).rank();
      done += bool(composition(a, b));
      done += bool(complement(b, 1024));
      done += bool(logicalDivide(a, tiler)) + bool(zippedDivide(a, tiler)) +
              bool(tiledDivide(a, tiler));
      done += bool(logicalProduct(compact, L("2:1"))) + bool(blockedProduct(compact, L("2:1")));
      done += bool(rightInverse(compact)) + bool(leftInverse(compact));
    }
    std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    best = std::min(best, time.count() / (10.0 * kRounds));
  }
  EXPECT_EQ(done, kBatches * kRounds * (coalesce(a).rank() + 9u));
  EXPECT_LT(best, 10.0);
  RecordProperty("microseconds_per_operation", std::to_string(best));
}

} // namespace
