//===- DeviceSide.h - The device vocabulary in host code ------*- C++ -*-===//
//
// Stands in front of a kernel's text when the host compiler reads it: CUDA's
// spellings, and the functions of the vocabulary, generated from its table. Each
// has the line of its call as one more argument, by default, and hands the work
// to the run-time.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_EMULATOR_DEVICESIDE_H
#define TILEC_EMULATOR_DEVICESIDE_H

#include "RuntimeTable.h"
// Of libstdc++ the C library's header alone: what C++ puts around it takes half of a kernel's compilation.
#define _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#include <math.h>

//===----------------------------------------------------------------------===//
// CUDA's spellings
//===----------------------------------------------------------------------===//

#define __global__
#define __device__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __grid_constant__
#define __align__(bytes) __attribute__((aligned(bytes)))

// A macro: some C libraries declare a function of that name, others do not.
#define rsqrtf(x) (1.0f / sqrtf(x))
#define rsqrt(x) (1.0 / sqrt(x))
// As PTX max and min, to which these compile: +0 is greater than -0. C leaves that open.
#define fmaxf(a, b) tilec_emulator::maxNum<float>(a, b)
#define fminf(a, b) tilec_emulator::minNum<float>(a, b)
#define fmax(a, b) tilec_emulator::maxNum<double>(a, b)
#define fmin(a, b) tilec_emulator::minNum<double>(a, b)
#ifndef _LIBCPP_VERSION
// The names that CUDA overloads for float; the printer writes expf and exp, a text edited by hand may not.
#define TILEC_OVERLOAD_FOR_FLOAT(name) \
  inline float name(float x) { return name##f(x); }
TILEC_OVERLOAD_FOR_FLOAT(ceil)
TILEC_OVERLOAD_FOR_FLOAT(cos)
TILEC_OVERLOAD_FOR_FLOAT(erf)
TILEC_OVERLOAD_FOR_FLOAT(exp)
TILEC_OVERLOAD_FOR_FLOAT(exp2)
TILEC_OVERLOAD_FOR_FLOAT(fabs)
TILEC_OVERLOAD_FOR_FLOAT(floor)
TILEC_OVERLOAD_FOR_FLOAT(log)
TILEC_OVERLOAD_FOR_FLOAT(log2)
TILEC_OVERLOAD_FOR_FLOAT(sin)
TILEC_OVERLOAD_FOR_FLOAT(sqrt)
TILEC_OVERLOAD_FOR_FLOAT(tanh)
#undef TILEC_OVERLOAD_FOR_FLOAT
inline float fma(float a, float b, float c) { return fmaf(a, b, c); }
inline float pow(float a, float b) { return powf(a, b); }
inline float abs(float x) { return fabsf(x); }
inline double abs(double x) { return fabs(x); }
inline int abs(int x) { return x < 0 ? -x : x; }
inline long long abs(long long x) { return x < 0 ? -x : x; }
#endif
inline int min(int a, int b) { return b < a ? b : a; }
inline int max(int a, int b) { return a < b ? b : a; }
inline long long min(long long a, long long b) { return b < a ? b : a; }
inline long long max(long long a, long long b) { return a < b ? b : a; }

//===----------------------------------------------------------------------===//
// Plumbing
//===----------------------------------------------------------------------===//

namespace tilec_emulator {

static const RuntimeTable *table;

template <typename T>
inline T maxNum(T a, T b) {
  return a != a || a < b || (a == b && __builtin_signbit(a)) ? b : a;
}
template <typename T>
inline T minNum(T a, T b) {
  return a != a || a > b || (a == b && __builtin_signbit(b)) ? b : a;
}

template <typename T>
struct IsFloat {
  static constexpr bool value = false;
};
template <>
struct IsFloat<float> {
  static constexpr bool value = true;
};
template <>
struct IsFloat<double> {
  static constexpr bool value = true;
};

/// Is `value` the pattern that -ftrivial-auto-var-init gives to a variable?
/// Narrow types have too few values for the answer to mean anything.
template <typename T>
inline bool isUninitialised(const T &value) {
  if (sizeof(T) < 4)
    return false;
#ifdef __clang__
  const unsigned char pattern = IsFloat<T>::value ? 0xff : 0xaa;
#else
  const unsigned char pattern = 0xfe;
#endif
  unsigned char bytes[sizeof(T)];
  __builtin_memcpy(bytes, &value, sizeof(T));
  for (unsigned i = 0; i < sizeof(T); ++i)
    if (bytes[i] != pattern)
      return false;
  return true;
}

/// The number whose bits these are, of a type with so many bits of exponent and mantissa.
template <int Exponent, int Mantissa>
inline float widen(unsigned short bits) {
  constexpr int highest = (1 << Exponent) - 1, bias = highest / 2;
  const int exponent = bits >> Mantissa & highest, mantissa = bits & ((1 << Mantissa) - 1);
  float size = exponent == 0 ? ldexpf(mantissa, 1 - bias - Mantissa) : ldexpf(mantissa | 1 << Mantissa, exponent - bias - Mantissa);
  if (exponent == highest)
    size = mantissa == 0 ? __builtin_inff() : __builtin_nanf("");
  return bits >> 15 ? -size : size;
}

/// The bits of the nearest number of such a type; of two that are as near, of the even one.
template <int Exponent, int Mantissa>
inline unsigned short narrow(double value) {
  constexpr int highest = (1 << Exponent) - 1, bias = highest / 2;
  constexpr unsigned infinity = (unsigned)highest << Mantissa;
  if (value != value)
    return 0x7fff;
  const unsigned sign = __builtin_signbit(value) ? 0x8000 : 0;
  const double size = fabs(value);
  if (size == 0 || size == (double)__builtin_inff())
    return sign | (size == 0 ? 0 : infinity);
  int exponent = ilogb(size);
  if (exponent < 1 - bias)
    exponent = 1 - bias;
  if (exponent > bias)
    return sign | infinity;
  // A mantissa that is rounded up to the next power of two carries into the exponent.
  return sign | (((unsigned)(exponent + bias - 1) << Mantissa) + (unsigned)nearbyint(ldexp(size, Mantissa - exponent)));
}

template <unsigned... I>
struct Indices {};
template <unsigned N, unsigned... I>
struct MakeIndices : MakeIndices<N - 1, N - 1, I...> {};
template <unsigned... I>
struct MakeIndices<0, I...> {
  using Type = Indices<I...>;
};

template <typename T>
struct IsPointer {
  static constexpr bool value = false;
};
template <typename T>
struct IsPointer<T *> {
  static constexpr bool value = true;
};

template <auto K>
struct Entry;
template <typename... P, void (*K)(P...)>
struct Entry<K> {
  // One more than needed: there are no empty arrays.
  static constexpr ParameterShape shapes[] = {{sizeof(P), IsPointer<P>::value}..., {0, false}};
  template <unsigned... I>
  static void call(void *const *arguments, Indices<I...>) {
    K(*static_cast<P *>(arguments[I])...);
  }
  static void launch(void *const *arguments) {
    call(arguments, typename MakeIndices<sizeof...(P)>::Type());
  }
  static void bind(const RuntimeTable *given) { table = given; }
  static constexpr KernelEntry entry(bool needsClocks) {
    return {sizeof...(P), shapes, needsClocks, bind, launch};
  }
};

} // namespace tilec_emulator

namespace tilec_emulator {

/// An array in constant memory: a launch has its elements where it has operands.
template <typename T>
struct ConstantArray {
  const char *name;
  operator const T *() const { return (const T *)table->constantArray(name); }
};

} // namespace tilec_emulator

/// Exports the kernel; stands after its text.
#define TILEC_EMULATOR_KERNEL(name, needsClocks)                                                   \
  extern "C" __attribute__((visibility("default"))) const tilec_emulator::KernelEntry *            \
  tilec_emulator_kernel() {                                                                        \
    static constexpr tilec_emulator::KernelEntry entry =                                           \
        tilec_emulator::Entry<name>::entry(needsClocks);                                           \
    return &entry;                                                                                 \
  }

//===----------------------------------------------------------------------===//
// Functions of the vocabulary
//===----------------------------------------------------------------------===//

#include "tilec/Emulator/Types.inc"

namespace tilec_emulator {

/// The loops that a thread is in, and its iteration of each. Memory serves lanes of a warp together
/// that call a function at one place in the text in the same iterations, so functions that are
/// counted warp by warp are members: in the text they are called on the innermost loop around them.
class Loop {
public:
  constexpr Loop() = default;
  constexpr explicit Loop(unsigned long long around) : around(around) {}

  /// Of all iterations in a kernel's run two hardly ever have the same; 0 outside of loops.
  unsigned long long position() const { return (around + iteration) * 0x9e3779b97f4a7c15u; }
  unsigned long long getAround() const { return around; }
  /// False.
  bool next() {
    ++iteration;
    return false;
  }
  bool isFirst() {
    const bool was = first;
    first = false;
    return was;
  }

#include "tilec/Emulator/WarpFunctions.inc"

private:
  unsigned long long around = 0;
  unsigned long long iteration = 0;
  bool first = true;
};

} // namespace tilec_emulator

namespace tilec_emulator {

/// The value that the low `Bits` of `value` have.
template <int Bits, int Unsigned>
inline long long cut(long long value) {
  constexpr int above = 64 - Bits;
  return Unsigned ? (long long)((unsigned long long)value << above >> above) : value << above >> above;
}

template <int Bits, int Unsigned>
inline bool canDivide(long long a, long long b, int site) {
  const char *what = b == 0 ? "divides by zero" : nullptr;
  if (!Unsigned && b == -1 && a == (long long)(~0ull << (Bits - 1)))
    what = "divides the least integer by -1";
  if (what)
    table->reportArithmetic(what, site);
  return !what;
}

template <int Bits>
inline bool canShift(long long by, int site) {
  if (by >= 0 && by < Bits)
    return true;
  table->reportArithmetic("shifts by as many bits as there are, or more", site);
  return false;
}

/// compute(a, b) of numbers of the right width and sign; 0 where that has no meaning, which is reported.
template <int Bits, int Unsigned, typename Compute>
inline long long divide(long long a, long long b, int site, Compute compute) {
  a = cut<Bits, Unsigned>(a);
  b = cut<Bits, Unsigned>(b);
  if (!canDivide<Bits, Unsigned>(a, b, site))
    return 0;
  return Unsigned ? compute((unsigned long long)a, (unsigned long long)b) : compute(a, b);
}

/// A multiplication with N columns into the N / 2 accumulators of this thread.
template <int N, typename D>
inline void wgmma(D &d, unsigned long long a, unsigned long long b, const char *types, int transposesA, int transposesB, int site) {
  static_assert(sizeof(D) == 2 * N, "the accumulators of a thread");
  table->wgmma(&d, N, types, a, b, transposesA, transposesB, site);
}

template <int N, typename D, typename A>
inline void wgmmaRegisters(D &d, const A *a, unsigned long long b, const char *types, int transposesB, int site) {
  static_assert(sizeof(D) == 2 * N && sizeof(A) == 2, "the accumulators and the factors of a thread");
  table->wgmmaRegisters(&d, N, types, a, b, transposesB, site);
}

} // namespace tilec_emulator

#include "tilec/Emulator/ThreadFunctions.inc"

//===----------------------------------------------------------------------===//
// The text's loops
//===----------------------------------------------------------------------===//

static const tilec_emulator::Loop tilecLoop;

// Loops that run once declare what their bodies see, so that an else after one still belongs to the
// same if.
#define for(...)                                                                                   \
  for (tilec_emulator::Loop tilecAround(tilecLoop.position()); tilecAround.isFirst();)             \
    for (tilec_emulator::Loop tilecLoop(tilecAround.getAround()); tilecLoop.isFirst();)               \
      for (__VA_ARGS__)                                                                            \
        if (tilecLoop.next()) {                                                                    \
        } else

#include "tilec/Emulator/WarpNames.inc"

#endif // TILEC_EMULATOR_DEVICESIDE_H
