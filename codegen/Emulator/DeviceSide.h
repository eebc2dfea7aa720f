//===- DeviceSide.h - The device vocabulary in host code ------*- C++ -*-===//
//
// Stands in front of a kernel's text when the host compiler reads it: CUDA's
// spellings, and the functions of the vocabulary with the prototypes of the
// kernel dialect. Each has the line of its call as one more argument, by
// default, and hands the work to the run-time.
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

/// Exports the kernel; stands after its text.
#define TILEC_EMULATOR_KERNEL(name, needsClocks)                                                   \
  extern "C" __attribute__((visibility("default"))) const tilec_emulator::KernelEntry *            \
  tilec_emulator_kernel() {                                                                        \
    static constexpr tilec_emulator::KernelEntry entry =                                           \
        tilec_emulator::Entry<name>::entry(needsClocks);                                           \
    return &entry;                                                                                 \
  }

//===----------------------------------------------------------------------===//
// Identity, barriers and shuffles
//===----------------------------------------------------------------------===//

// Const, though it calls: within one thread the answer never changes.
__attribute__((const, noinline)) static int block_x() { return tilec_emulator::table->blockX(); }
__attribute__((const, noinline)) static int thread_x() { return tilec_emulator::table->threadX(); }

inline void sync_block(int site = __builtin_LINE()) { tilec_emulator::table->syncBlock(site); }

template <typename T>
inline T shfl_xor(T value, int mask, int site = __builtin_LINE()) {
  static_assert(sizeof(T) <= 8, "a shuffle moves up to 8 bytes");
  T result = value;
  tilec_emulator::table->shuffleXor(&result, sizeof(T), mask, site);
  return result;
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

#define SHARED(T, name, count) SHARED_AT(T, name, count, -1)
#define SHARED_AT(T, name, count, offset)                                                          \
  T *const name = (T *)tilec_emulator::table->sharedArray(#name, sizeof(T), count, offset, __LINE__)

template <int N, typename T>
inline bool is_aligned(const T *source) {
  return (unsigned long)source % N == 0;
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

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

  template <typename T>
  T lds(const T *source, int site = __builtin_LINE()) const {
    T value;
    __builtin_memcpy(&value, table->readShared(source, sizeof(T), site, position()), sizeof(T));
    return value;
  }

  template <typename T>
  void sts(T *dest, T value, int site = __builtin_LINE()) const {
    __builtin_memcpy(table->writeShared(dest, sizeof(T), site, position()), &value, sizeof(T));
  }

  template <int N, typename T>
  void lds_vector(T *dest, const T *source, int site = __builtin_LINE()) const {
    constexpr unsigned bytes = N * sizeof(T);
    __builtin_memcpy(dest, table->readShared(source, bytes, site, position()), bytes);
  }

  template <int N, typename T>
  void sts_vector(T *dest, const T *source, int site = __builtin_LINE()) const {
    constexpr unsigned bytes = N * sizeof(T);
    __builtin_memcpy(table->writeShared(dest, bytes, site, position()), source, bytes);
  }

  template <int N, typename T>
  void lds_cluster(T *dest, const T *source, int rank, int site = __builtin_LINE()) const {
    constexpr unsigned bytes = N * sizeof(T);
    __builtin_memcpy(dest, table->readCluster(source, bytes, rank, site, position()), bytes);
  }

  template <typename T>
  T ldg(const T *source, int site = __builtin_LINE()) const {
    T value;
    __builtin_memcpy(&value, table->readGlobal(source, sizeof(T), site, position()), sizeof(T));
    return value;
  }

  template <typename T>
  void stg(T *dest, T value, int site = __builtin_LINE()) const {
    const bool uninitialised = isUninitialised(value);
    __builtin_memcpy(table->writeGlobal(dest, sizeof(T), uninitialised, site, position()), &value,
                     sizeof(T));
  }

  template <int N, typename T>
  void ldg_vector(T *dest, const T *source, int site = __builtin_LINE()) const {
    constexpr unsigned bytes = N * sizeof(T);
    __builtin_memcpy(dest, table->readGlobal(source, bytes, site, position()), bytes);
  }

  template <int N, typename T>
  void stg_vector(T *dest, const T *source, int site = __builtin_LINE()) const {
    constexpr unsigned bytes = N * sizeof(T);
    bool uninitialised = false;
    for (int i = 0; i < N; ++i)
      uninitialised |= isUninitialised(source[i]);
    __builtin_memcpy(table->writeGlobal(dest, bytes, uninitialised, site, position()), source,
                     bytes);
  }

  template <typename T>
  void atomic_add(T *dest, T value, int site = __builtin_LINE()) const {
    const auto add = [](void *to, const void *what) { *(T *)to += *(const T *)what; };
    table->atomicGlobal(dest, &value, sizeof(T), isUninitialised(value), add, site, position());
  }

  int atomic_fetch_add(int *dest, int value, int site = __builtin_LINE()) const {
    return table->atomicFetchAdd(dest, value, site, position());
  }

  template <int N, typename T>
  void cp_async(T *array, int at, const T *source, bool valid, int site = __builtin_LINE()) const {
    constexpr unsigned bytes = N * sizeof(T);
    static_assert(bytes == 4 || bytes == 8 || bytes == 16, "cp.async moves 4, 8 or 16 bytes");
    table->copyAsync(array + at, source, bytes, valid, site, position());
  }

private:
  unsigned long long around = 0;
  unsigned long long iteration = 0;
  bool first = true;
};

} // namespace tilec_emulator

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

inline void cp_async_commit() { tilec_emulator::table->commitCopies(); }

template <int N>
inline void cp_async_wait() {
  tilec_emulator::table->waitCopies(N);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

template <typename T>
inline T max_nan(T a, T b) {
  return a != a || b != b ? a + b : tilec_emulator::maxNum(a, b);
}

template <typename T>
inline T min_nan(T a, T b) {
  return a != a || b != b ? a + b : tilec_emulator::minNum(a, b);
}

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

} // namespace tilec_emulator

template <int Bits, int Unsigned>
inline long long int_div(long long a, long long b, int site = __builtin_LINE()) {
  return tilec_emulator::divide<Bits, Unsigned>(a, b, site, [](auto x, auto y) { return (long long)(x / y); });
}

template <int Bits, int Unsigned>
inline long long int_rem(long long a, long long b, int site = __builtin_LINE()) {
  return tilec_emulator::divide<Bits, Unsigned>(a, b, site, [](auto x, auto y) { return (long long)(x % y); });
}

template <int Bits>
inline long long shift_left(long long a, long long b, int site = __builtin_LINE()) {
  if (!tilec_emulator::canShift<Bits>(tilec_emulator::cut<Bits, 0>(b), site))
    return 0;
  return tilec_emulator::cut<Bits, 0>(a << b);
}

template <int Bits, int Unsigned>
inline long long shift_right(long long a, long long b, int site = __builtin_LINE()) {
  if (!tilec_emulator::canShift<Bits>(tilec_emulator::cut<Bits, 0>(b), site))
    return 0;
  a = tilec_emulator::cut<Bits, Unsigned>(a);
  return Unsigned ? (long long)((unsigned long long)a >> b) : a >> b;
}

template <int Bits, int Unsigned, typename T>
inline long long to_int(T value, int site = __builtin_LINE()) {
  // Powers of two are exact in every type.
  const double whole = trunc((double)value), end = ldexp(1.0, Unsigned ? Bits : Bits - 1);
  if (whole >= (Unsigned ? 0.0 : -end) && whole < end)
    return Unsigned ? (long long)(unsigned long long)whole : (long long)whole;
  tilec_emulator::table->reportArithmetic("converts a number that does not fit the integer", site);
  return 0;
}

//===----------------------------------------------------------------------===//
// Mbarriers
//===----------------------------------------------------------------------===//

inline void mbarrier_init(long long *bar, int arrivals, int site = __builtin_LINE()) {
  tilec_emulator::table->startBarrier(bar, arrivals, site);
}

inline void mbarrier_arrive(long long *bar, int site = __builtin_LINE()) {
  tilec_emulator::table->arrive(bar, site);
}

inline void mbarrier_arrive_expect_tx(long long *bar, int bytes, int site = __builtin_LINE()) {
  tilec_emulator::table->arriveExpect(bar, bytes, site);
}

inline void mbarrier_arrive_remote(long long *bar, int rank, int site = __builtin_LINE()) {
  tilec_emulator::table->arriveRemote(bar, rank, site);
}

inline void cp_async_mbarrier_arrive(long long *bar, int site = __builtin_LINE()) {
  tilec_emulator::table->arriveAfterCopies(bar, site);
}

inline void mbarrier_wait(long long *bar, int parity, int site = __builtin_LINE()) {
  tilec_emulator::table->waitBarrier(bar, parity, site);
}

inline void fence_mbarrier_init() { tilec_emulator::table->fenceBarrierStarts(); }
inline void fence_proxy_async() { tilec_emulator::table->fenceProxy(); }

//===----------------------------------------------------------------------===//
// Bulk copies
//===----------------------------------------------------------------------===//

/// Holds the number of one of the launch's maps.
struct __align__(64) TensorMap {
  unsigned long long opaque[16];
};

template <typename T>
inline void tma_load_1d(T *dest, const TensorMap *map, int x, long long *bar,
               int site = __builtin_LINE()) {
  const int at[] = {x};
  tilec_emulator::table->copyBulk(dest, map, at, 1, bar, 0, site);
}

template <typename T>
inline void tma_load_2d(T *dest, const TensorMap *map, int x, int y, long long *bar,
               int site = __builtin_LINE()) {
  const int at[] = {x, y};
  tilec_emulator::table->copyBulk(dest, map, at, 2, bar, 0, site);
}

template <typename T>
inline void tma_load_3d(T *dest, const TensorMap *map, int x, int y, int z, long long *bar,
               int site = __builtin_LINE()) {
  const int at[] = {x, y, z};
  tilec_emulator::table->copyBulk(dest, map, at, 3, bar, 0, site);
}

template <typename T>
inline void tma_load_4d(T *dest, const TensorMap *map, int x, int y, int z, int v, long long *bar,
               int site = __builtin_LINE()) {
  const int at[] = {x, y, z, v};
  tilec_emulator::table->copyBulk(dest, map, at, 4, bar, 0, site);
}

template <typename T>
inline void tma_load_5d(T *dest, const TensorMap *map, int x, int y, int z, int v, int w, long long *bar,
               int site = __builtin_LINE()) {
  const int at[] = {x, y, z, v, w};
  tilec_emulator::table->copyBulk(dest, map, at, 5, bar, 0, site);
}

template <typename T>
inline void tma_load_multicast_1d(T *dest, const TensorMap *map, int x, long long *bar, int mask,
               int site = __builtin_LINE()) {
  const int at[] = {x};
  tilec_emulator::table->copyBulk(dest, map, at, 1, bar, mask, site);
}

template <typename T>
inline void tma_load_multicast_2d(T *dest, const TensorMap *map, int x, int y, long long *bar, int mask,
               int site = __builtin_LINE()) {
  const int at[] = {x, y};
  tilec_emulator::table->copyBulk(dest, map, at, 2, bar, mask, site);
}

template <typename T>
inline void tma_load_multicast_3d(T *dest, const TensorMap *map, int x, int y, int z, long long *bar, int mask,
               int site = __builtin_LINE()) {
  const int at[] = {x, y, z};
  tilec_emulator::table->copyBulk(dest, map, at, 3, bar, mask, site);
}

template <typename T>
inline void tma_load_multicast_4d(T *dest, const TensorMap *map, int x, int y, int z, int v, long long *bar, int mask,
               int site = __builtin_LINE()) {
  const int at[] = {x, y, z, v};
  tilec_emulator::table->copyBulk(dest, map, at, 4, bar, mask, site);
}

template <typename T>
inline void tma_load_multicast_5d(T *dest, const TensorMap *map, int x, int y, int z, int v, int w, long long *bar, int mask,
               int site = __builtin_LINE()) {
  const int at[] = {x, y, z, v, w};
  tilec_emulator::table->copyBulk(dest, map, at, 5, bar, mask, site);
}

//===----------------------------------------------------------------------===//
// Clusters, roles and the whole grid
//===----------------------------------------------------------------------===//

inline int block_count() { return tilec_emulator::table->blockCount(); }
inline int cluster_rank() { return tilec_emulator::table->clusterRank(); }
inline void fence_gpu() { tilec_emulator::table->fenceGpu(); }

inline void sync_named(int id, int threads, int site = __builtin_LINE()) {
  tilec_emulator::table->syncNamed(id, threads, site);
}

inline void sync_warp(int site = __builtin_LINE()) { tilec_emulator::table->syncWarp(site); }
inline void cluster_sync(int site = __builtin_LINE()) { tilec_emulator::table->syncCluster(site); }

template <int N>
inline void setmaxnreg_inc(int site = __builtin_LINE()) {
  tilec_emulator::table->setMaxRegisters(N, true, site);
}

template <int N>
inline void setmaxnreg_dec(int site = __builtin_LINE()) {
  tilec_emulator::table->setMaxRegisters(N, false, site);
}

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

#define lds tilecLoop.lds
#define sts tilecLoop.sts
#define lds_vector tilecLoop.lds_vector
#define sts_vector tilecLoop.sts_vector
#define lds_cluster tilecLoop.lds_cluster
#define ldg tilecLoop.ldg
#define stg tilecLoop.stg
#define ldg_vector tilecLoop.ldg_vector
#define stg_vector tilecLoop.stg_vector
#define atomic_add tilecLoop.atomic_add
#define atomic_fetch_add tilecLoop.atomic_fetch_add
#define cp_async tilecLoop.cp_async

#endif // TILEC_EMULATOR_DEVICESIDE_H
