//===- Instructions.cpp - Which lane holds which element --------*- C++ -*-===//

#include "tilec/Layout/Instructions.h"

#include "tilec/Layout/Parse.h"

using namespace tilec::layout;

//===----------------------------------------------------------------------===//
// Register layouts
//===----------------------------------------------------------------------===//

namespace {
struct MmaRow {
  const char *name;
  int64_t elementBits;
  int64_t k;
  const char *a;
  const char *b;
};

struct MatrixCopyRow {
  const char *name;
  int64_t rows;
  const char *source;
  const char *destination;
};
} // namespace

// m16n8kK with 32 threads; the accumulator is the same for all of them.
static constexpr const char *kMmaAccumulator = "((4,8),(2,2)):((32,1),(16,8))";
static constexpr MmaRow kMma[] = {
    {"mma.m16n8k16.16", 16, 16, "((4,8),(2,2,2)):((32,1),(16,8,128))",
     "((4,8),(2,2)):((16,1),(8,64))"},
    {"mma.m16n8k8.16", 16, 8, "((4,8),(2,2)):((32,1),(16,8))", "((4,8),2):((16,1),8)"},
    {"mma.m16n8k8.tf32", 32, 8, "((4,8),(2,2)):((16,1),(8,64))", "((4,8),2):((8,1),32)"},
    {"mma.m16n8k4.tf32", 32, 4, "((4,8),2):((16,1),8)", "((4,8),1):((8,1),0)"},
    {"mma.m16n8k32.8", 8, 32, "((4,8),(4,2,2)):((64,1),(16,8,256))",
     "((4,8),(4,2)):((32,1),(8,128))"},
};

// 8x8 matrices of 16-bit elements: index = element in its row + 8 * row.
static constexpr MatrixCopyRow kMatrixCopy[] = {
    {"ldmatrix.x1", 8, "((8,4),8):((8,0),1)", "(32,2):(2,1)"},
    {"ldmatrix.x2", 16, "((16,2),8):((8,0),1)", "(32,(2,2)):(2,(1,64))"},
    {"ldmatrix.x4", 32, "(32,8):(8,1)", "(32,(2,4)):(2,(1,64))"},
    {"ldmatrix.x1.trans", 8, "((8,4),8):((8,0),1)", "((4,8),(1,2)):((16,1),(1,8))"},
    {"ldmatrix.x2.trans", 16, "((16,2),8):((8,0),1)", "((4,8),(1,2,2)):((16,1),(1,8,64))"},
    {"ldmatrix.x4.trans", 32, "(32,8):(8,1)", "((4,8),(1,2,4)):((16,1),(1,8,64))"},
    {"stmatrix.x4", 32, "(32,(2,4)):(2,(1,64))", "(32,8):(8,1)"},
    {"stmatrix.x4.trans", 32, "((4,8),(1,2,4)):((16,1),(1,8,64))", "(32,8):(8,1)"},
};

/// Parses an entry of the tables above, whose texts the tests check.
static Layout entry(const char *text) { return *parseLayout(text); }

std::vector<std::string> tilec::layout::instructionNames() {
  std::vector<std::string> names;
  for (const MmaRow &row : kMma)
    names.push_back(row.name);
  for (const MatrixCopyRow &row : kMatrixCopy)
    names.push_back(row.name);
  return names;
}

Result<Layout> tilec::layout::wgmmaAccumulator(int64_t n) {
  if (n < 8 || n > 256 || n % 8 != 0)
    return Error{"wgmma with n = " + std::to_string(n) + ", a multiple of 8 up to 256 is needed"};
  return Layout::get(
      IntTuple::tuple({IntTuple::tuple({4, 8, 4}), IntTuple::tuple({2, 2, n / 8})}),
      IntTuple::tuple({IntTuple::tuple({128, 1, 16}), IntTuple::tuple({64, 8, 512})}));
}

Result<Layout> tilec::layout::wgmmaSharedOperand(int64_t rows, int64_t columns) {
  return Layout::get(IntTuple::tuple({128, IntTuple::tuple({rows, columns})}),
                     IntTuple::tuple({0, IntTuple::tuple({1, rows})}));
}

/// Reads "wgmma.m64n128k16"; no value if `name` is not of that form.
static std::optional<Result<InstructionLayout>> wgmma(std::string_view name) {
  constexpr std::string_view prefix = "wgmma.m64n";
  if (name.substr(0, prefix.size()) != prefix)
    return std::nullopt;
  std::string_view rest = name.substr(prefix.size());
  size_t k = rest.find('k');
  if (k == std::string_view::npos)
    return std::nullopt;
  Result<int64_t> n = parseInteger(rest.substr(0, k)), depth = parseInteger(rest.substr(k + 1));
  if (!n || !depth)
    return std::nullopt;
  const char *a = nullptr;
  if (*depth == 8)
    a = "((4,8,4),(2,2)):((64,1,16),(8,256))";
  else if (*depth == 16)
    a = "((4,8,4),(2,2,2)):((128,1,16),(64,8,512))";
  else if (*depth == 32)
    a = "((4,8,4),(4,2,2)):((256,1,16),(64,8,1024))";
  else
    return Result<InstructionLayout>(
        Error{"wgmma with k = " + std::to_string(*depth) + ", 8, 16 or 32 is needed"});
  Result<Layout> c = wgmmaAccumulator(*n);
  if (!c)
    return Result<InstructionLayout>(c.error());
  return Result<InstructionLayout>(InstructionLayout{
      std::string(name), 256 / *depth, {{"A", 64, *depth, entry(a)}, {"C", 64, *n, *c}}});
}

Result<InstructionLayout> tilec::layout::instructionLayout(std::string_view name) {
  for (const MmaRow &row : kMma)
    if (name == row.name)
      return InstructionLayout{row.name,
                               row.elementBits,
                               {{"A", 16, row.k, entry(row.a)},
                                {"B", 8, row.k, entry(row.b)},
                                {"C", 16, 8, entry(kMmaAccumulator)}}};
  for (const MatrixCopyRow &row : kMatrixCopy)
    if (name == row.name)
      return InstructionLayout{row.name,
                               16,
                               {{"source", 8, row.rows, entry(row.source)},
                                {"destination", 8, row.rows, entry(row.destination)}}};
  if (auto found = wgmma(name))
    return *found;
  std::string known;
  for (const std::string &other : instructionNames())
    known += other + ", ";
  return Error{"unknown instruction; known are " + known + "wgmma.m64nNkK"};
}

//===----------------------------------------------------------------------===//
// Shared-memory atoms
//===----------------------------------------------------------------------===//

SmemSwizzleInfo tilec::layout::smemSwizzleInfo(SmemSwizzle mode) {
  switch (mode) {
  case SmemSwizzle::None:
    return {*Swizzle::get(0, 4, 3), "SWIZZLE_NONE", 0, 16, 16};
  case SmemSwizzle::Bytes32:
    return {*Swizzle::get(1, 4, 3), "SWIZZLE_32B", 3, 32, 256};
  case SmemSwizzle::Bytes64:
    return {*Swizzle::get(2, 4, 3), "SWIZZLE_64B", 2, 64, 512};
  case SmemSwizzle::Bytes128:
    break;
  }
  return {*Swizzle::get(3, 4, 3), "SWIZZLE_128B", 1, 128, 1024};
}

Result<ComposedLayout> tilec::layout::smemAtom(SmemMajor major, SmemSwizzle mode,
                                               int64_t elementBits) {
  if (elementBits != 8 && elementBits != 16 && elementBits != 32)
    return Error{"a shared-memory atom of " + std::to_string(elementBits) +
                 "-bit elements, 8, 16 or 32 is possible"};
  SmemSwizzleInfo info = smemSwizzleInfo(mode);
  int64_t elementBytes = elementBits / 8, row = info.rowBytes / elementBytes;
  int elementShift = elementBytes == 4 ? 2 : elementBytes == 2 ? 1 : 0;
  Result<Swizzle> swizzle = Swizzle::get(
      info.byteSwizzle.bits(), info.byteSwizzle.base() - elementShift, info.byteSwizzle.shift());
  Result<Layout> layout = major == SmemMajor::K
                              ? Layout::get(IntTuple::tuple({8, row}), IntTuple::tuple({row, 1}))
                              : Layout::get(IntTuple::tuple({row, 8}), IntTuple::tuple({1, row}));
  if (!swizzle || !layout)
    return swizzle ? layout.error() : swizzle.error();
  return ComposedLayout::get(*swizzle, 0, *layout);
}

Result<Layout> tilec::layout::wgmmaCanonicalLayout(SmemMajor major, SmemSwizzle mode,
                                                   int64_t elementBits, int64_t groups,
                                                   int64_t depth, int64_t leading, int64_t stride) {
  if (elementBits != 8 && elementBits != 16 && elementBits != 32)
    return Error{"a wgmma operand of " + std::to_string(elementBits) +
                 "-bit elements, 8, 16 or 32 is possible"};
  // Elements of a 16-byte chunk, and chunks of a swizzled row.
  int64_t chunk = 128 / elementBits, chunks = smemSwizzleInfo(mode).rowBytes / 16;
  int64_t row = chunk * chunks;
  auto tuple = [](std::vector<IntTuple> elements) { return IntTuple::tuple(std::move(elements)); };
  if (major == SmemMajor::K && depth != 2)
    return Error{"a K-major wgmma operand is 2 chunks of 16 bytes deep, got " +
                 std::to_string(depth)};
  if (major == SmemMajor::K)
    return Layout::get(
        tuple({tuple({8, groups}), tuple({chunk, depth})}),
        tuple({tuple({row, stride}), tuple({1, mode == SmemSwizzle::None ? leading : chunk})}));
  // Without a swizzle the two offsets change places.
  bool plain = mode == SmemSwizzle::None;
  return Layout::get(
      tuple({tuple({chunk, chunks, groups}), tuple({8, depth})}),
      tuple({tuple({1, chunk, plain ? stride : leading}), tuple({row, plain ? leading : stride})}));
}

Result<ComposedLayout> tilec::layout::tileToShape(const ComposedLayout &atom,
                                                  const std::vector<int64_t> &shape) {
  const Layout &inner = atom.layout();
  if (!inner.isStatic() || shape.size() < inner.rank())
    return Error{"an atom " + inner.str() + " of rank " + std::to_string(inner.rank()) +
                 " repeated over " + std::to_string(shape.size()) + " modes"};
  std::vector<IntTuple> counts;
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t extent = i < inner.rank() ? inner.mode(i).size() : 1;
    if (shape[i] < 1 || shape[i] % extent != 0)
      return Error{"mode " + std::to_string(i) + ": extent " + std::to_string(shape[i]) +
                   " is not a multiple of " + std::to_string(extent) + ", the atom's"};
    counts.push_back(shape[i] / extent);
  }
  Result<Layout> grid = Layout::columnMajor(IntTuple::tuple(std::move(counts)));
  if (!grid)
    return grid.error();
  Result<Layout> tiled = blockedProduct(inner, *grid);
  if (!tiled)
    return tiled.error();
  return atom.withLayout(*std::move(tiled));
}
