//===- NaiveLoops.cpp - What the examples compute, in plain loops ----------===//
//
// In double precision: on small integers everything here is exact.
//
//===----------------------------------------------------------------------===//

#include "NaiveLoops.h"

#include <algorithm>
#include <functional>
#include <map>

using namespace tilec;

using Values = std::vector<double>;

static size_t indexOf(const runtime::KernelDescription &kernel, const std::string &tensor) {
  size_t i = 0;
  while (kernel.tensors[i].name != tensor)
    ++i;
  return i;
}

Values &NaiveOperands::of(const std::string &tensor) { return values[indexOf(kernel, tensor)]; }

const std::vector<int64_t> &NaiveOperands::shapeOf(const std::string &tensor) const { return shapes[indexOf(kernel, tensor)]; }

double NaiveOperands::scalar(const std::string &name, double otherwise) const {
  for (size_t i = 0; i < kernel.scalars.size(); ++i)
    if (kernel.scalars[i].name == name)
      return scalars[i];
  return otherwise;
}

/// C = alpha A B + beta C; C is not read where beta is 0.
static void multiply(NaiveOperands &x) {
  const Values &a = x.of("A"), &b = x.of("B");
  Values &c = x.of("C");
  int64_t m = x.shapeOf("A")[0], k = x.shapeOf("A")[1], n = x.shapeOf("B")[1];
  double alpha = x.scalar("alpha", 1), beta = x.scalar("beta", 0);
  Values sums(n);
  for (int64_t i = 0; i < m; ++i) {
    std::fill(sums.begin(), sums.end(), 0);
    for (int64_t p = 0; p < k; ++p)
      for (int64_t j = 0; j < n; ++j)
        sums[j] += a[i * k + p] * b[p * n + j];
    for (int64_t j = 0; j < n; ++j)
      c[i * n + j] = beta != 0 ? alpha * sums[j] + beta * c[i * n + j] : alpha * sums[j];
  }
}

/// B[j, i] = A[i, j].
static void transpose(NaiveOperands &x) {
  int64_t m = x.shapeOf("A")[0], n = x.shapeOf("A")[1];
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j)
      x.of("B")[j * m + i] = x.of("A")[i * n + j];
}

/// S[i] = sum over j of X[i, j].
static void sumRows(NaiveOperands &x) {
  int64_t m = x.shapeOf("X")[0], n = x.shapeOf("X")[1];
  for (int64_t i = 0; i < m; ++i) {
    x.of("S")[i] = 0;
    for (int64_t j = 0; j < n; ++j)
      x.of("S")[i] += x.of("X")[i * n + j];
  }
}

/// Z = X + Y.
static void add(NaiveOperands &x) {
  for (int64_t i = 0; i < x.shapeOf("Z")[0]; ++i)
    x.of("Z")[i] = x.of("X")[i] + x.of("Y")[i];
}

/// Y[i, j] = sum over 3x3 of X[i + p - 1, j + q - 1] W[p, q], edges repeated.
static void convolve(NaiveOperands &x) {
  int64_t m = x.shapeOf("X")[0], n = x.shapeOf("X")[1];
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t p = 0; p < 3; ++p)
        for (int64_t q = 0; q < 3; ++q)
          sum += x.of("X")[std::clamp<int64_t>(i + p - 1, 0, m - 1) * n + std::clamp<int64_t>(j + q - 1, 0, n - 1)] *
                 x.of("W")[p * 3 + q];
      x.of("Y")[i * n + j] = sum;
    }
}

bool tilec::runNaively(NaiveOperands &operands) {
  using Formula = void (*)(NaiveOperands &);
  static const std::map<std::string, Formula> formulas = {
      {"naive", multiply},      {"smem", multiply},     {"gemm", multiply},   {"s1", multiply},
      {"tile32", multiply},     {"tile64", multiply},   {"rowsum", sumRows},  {"stencil", convolve},
      {"transpose", transpose}, {"transpose_naive", transpose}, {"vecadd", add},
      {"split_k_cluster", multiply}, {"persistent", multiply},
      {"s2", multiply}, {"s2_cluster", multiply}};
  auto formula = formulas.find(operands.kernel.symbol);
  if (formula == formulas.end())
    return false;
  formula->second(operands);
  return true;
}
