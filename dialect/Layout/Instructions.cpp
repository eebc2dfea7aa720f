//===- Instructions.cpp - The instructions of kernels -----------*- C++ -*-===//

#include "tilec/Layout/Instructions.h"

#include "tilec/Layout/Parse.h"

using namespace tilec::layout;

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

using Types = InstructionTypes;
using E = ElementType;

namespace {

/// mma.sync: m16n8kK with 32 threads; the accumulator is the same for all of them.
struct MmaRow {
  const char *name;
  int64_t elementBits;
  int64_t k;
  const char *a;
  const char *b;
  std::vector<Types> types;
};

struct MatrixCopyRow {
  const char *name;
  int64_t rows;
  const char *source;
  const char *destination;
  int lowestArch;
};

/// wgmma: m64nNkK with 128 threads. A lies in registers or in shared memory, B in shared memory.
struct WgmmaRow {
  int64_t k;
  const char *a;
  std::vector<Types> types;
};

} // namespace

/// Rows of 8x8 matrices start at multiples of 16 bytes (PTX ISA, ldmatrix).
static constexpr int64_t kRowBytes = 16;
/// Of all accumulators of mma.sync.
static constexpr int64_t kMmaRows = 16, kMmaColumns = 8;
static constexpr const char *kMmaAccumulator = "((4,8),(2,2)):((32,1),(16,8))";

static const std::vector<Types> &fmaTypes() {
  static const std::vector<Types> types = {{E::F32, E::F32, 20, false, "fma.f32"},
                                           {E::F64, E::F64, 20, false, "fma.f64"},
                                           // Computed in f32, each result rounded (docs/language.md).
                                           {E::F16, E::F16, 20, false, "fma.f32"},
                                           {E::BF16, E::BF16, 20, false, "fma.f32"},
                                           {E::S8, E::S32, 20, false, "fma.s8"}};
  return types;
}

static const std::vector<MmaRow> &mmaRows() {
  static const std::vector<MmaRow> rows = {
      {"mma.m16n8k16.16", 16, 16, "((4,8),(2,2,2)):((32,1),(16,8,128))", "((4,8),(2,2)):((16,1),(8,64))",
       {{E::F16, E::F32, 80, false, "mma.f16"}, {E::F16, E::F16, 80, false, "mma.f16"},
        {E::BF16, E::F32, 80, false, "mma.bf16"}}},
      {"mma.m16n8k8.16", 16, 8, "((4,8),(2,2)):((32,1),(16,8))", "((4,8),2):((16,1),8)",
       {{E::F16, E::F32, 75, false, "mma.f16"}, {E::F16, E::F16, 75, false, "mma.f16"},
        {E::BF16, E::F32, 80, false, "mma.bf16"}}},
      {"mma.m16n8k8.tf32", 32, 8, "((4,8),(2,2)):((16,1),(8,64))", "((4,8),2):((8,1),32)",
       {{E::TF32, E::F32, 80, false, "mma.tf32"}}},
      {"mma.m16n8k4.tf32", 32, 4, "((4,8),2):((16,1),8)", "((4,8),1):((8,1),0)",
       {{E::TF32, E::F32, 80, false, "mma.tf32"}}},
      {"mma.m16n8k32.8", 8, 32, "((4,8),(4,2,2)):((64,1),(16,8,256))", "((4,8),(4,2)):((32,1),(8,128))",
       {{E::S8, E::S32, 80, false, "mma.s8"}, {E::E4M3, E::F32, 89, false, "mma.e4m3"},
        {E::E5M2, E::F32, 89, false, "mma.e5m2"}}},
  };
  return rows;
}

// 8x8 matrices of 16-bit elements: index = element in its row + 8 * row.
static constexpr MatrixCopyRow kMatrixCopy[] = {
    {"ldmatrix.x1", 8, "((8,4),8):((8,0),1)", "(32,2):(2,1)", 75},
    {"ldmatrix.x2", 16, "((16,2),8):((8,0),1)", "(32,(2,2)):(2,(1,64))", 75},
    {"ldmatrix.x4", 32, "(32,8):(8,1)", "(32,(2,4)):(2,(1,64))", 75},
    {"ldmatrix.x1.trans", 8, "((8,4),8):((8,0),1)", "((4,8),(1,2)):((16,1),(1,8))", 75},
    {"ldmatrix.x2.trans", 16, "((16,2),8):((8,0),1)", "((4,8),(1,2,2)):((16,1),(1,8,64))", 75},
    {"ldmatrix.x4.trans", 32, "(32,8):(8,1)", "((4,8),(1,2,4)):((16,1),(1,8,64))", 75},
    {"stmatrix.x4", 32, "(32,(2,4)):(2,(1,64))", "(32,8):(8,1)", 90},
    {"stmatrix.x4.trans", 32, "((4,8),(1,2,4)):((16,1),(1,8,64))", "(32,8):(8,1)", 90},
};

static const std::vector<WgmmaRow> &wgmmaRows() {
  static const std::vector<WgmmaRow> rows = {
      {8, "((4,8,4),(2,2)):((64,1,16),(8,256))", {{E::TF32, E::F32, 90, true, "wgmma.tf32"}}},
      {16, "((4,8,4),(2,2,2)):((128,1,16),(64,8,512))",
       {{E::F16, E::F32, 90, true, "wgmma.f16"}, {E::F16, E::F16, 90, true, "wgmma.f16"},
        {E::BF16, E::F32, 90, true, "wgmma.bf16"}}},
      {32, "((4,8,4),(4,2,2)):((256,1,16),(64,8,1024))",
       {{E::S8, E::S32, 90, true, "wgmma.s8"}, {E::E4M3, E::F32, 90, true, "wgmma.e4m3"},
        {E::E4M3, E::F16, 90, true, "wgmma.e4m3"}, {E::E5M2, E::F32, 90, true, "wgmma.e5m2"},
        {E::E5M2, E::F16, 90, true, "wgmma.e5m2"}}},
  };
  return rows;
}

/// A butterfly exchanges values of lanes whose numbers differ in one bit.
static constexpr int64_t kButterflies[] = {1, 2, 4, 8, 16};

const char *tilec::layout::toString(ElementType type) {
  static constexpr const char *kNames[] = {"b16", "b32", "f16", "bf16", "tf32", "f32", "f64", "s8", "s32", "e4m3", "e5m2"};
  return kNames[static_cast<unsigned>(type)];
}

/// Parses an entry of the tables above, whose texts the tests check.
static Layout entry(const char *text) { return *parseLayout(text); }

static std::string butterflyName(int64_t distance) { return "shfl.bfly." + std::to_string(distance); }

std::vector<std::string> tilec::layout::instructionNames() {
  std::vector<std::string> names;
  for (const MmaRow &row : mmaRows())
    names.push_back(row.name);
  for (const MatrixCopyRow &row : kMatrixCopy)
    names.push_back(row.name);
  return names;
}

std::vector<std::string> tilec::layout::allInstructionNames() {
  std::vector<std::string> names = {"fma"};
  for (int64_t distance : kButterflies)
    names.push_back(butterflyName(distance));
  for (const std::string &name : instructionNames())
    names.push_back(name);
  for (const WgmmaRow &row : wgmmaRows())
    names.push_back("wgmma.m64n256k" + std::to_string(row.k));
  return names;
}

/// Lanes that are `distance` apart hold the values of both afterwards, the lower lane's first.
static InstructionLayout butterfly(int64_t distance) {
  IntTuple lanes = IntTuple::tuple({distance, 2, 16 / distance});
  Layout before = *Layout::get(IntTuple::tuple({32, 1}), IntTuple::tuple({1, 0}));
  Layout after = *Layout::get(IntTuple::tuple({lanes, 2}),
                              IntTuple::tuple({IntTuple::tuple({1, 0, 2 * distance}), distance}));
  InstructionLayout result{butterflyName(distance), 32, {{"source", 32, 1, before}, {"destination", 32, 1, after}}};
  result.kind = InstructionKind::Exchange;
  result.types = {{E::B32, E::B32, 30}};
  return result;
}

static InstructionLayout fma() {
  Layout one = *Layout::get(IntTuple::tuple({1, 1}), IntTuple::tuple({0, 0}));
  InstructionLayout result{"fma", 32, {{"A", 1, 1, one}, {"B", 1, 1, one}, {"C", 1, 1, one}}};
  result.m = result.n = result.k = result.threads = 1;
  result.types = fmaTypes();
  return result;
}

static InstructionLayout mma(const MmaRow &row) {
  InstructionLayout result{row.name,
                           row.elementBits,
                           {{"A", kMmaRows, row.k, entry(row.a)}, {"B", kMmaColumns, row.k, entry(row.b)}, {"C", kMmaRows, kMmaColumns, entry(kMmaAccumulator)}}};
  result.m = kMmaRows;
  result.n = kMmaColumns;
  result.k = row.k;
  result.types = row.types;
  return result;
}

static InstructionLayout matrixCopy(const MatrixCopyRow &row) {
  InstructionLayout result{row.name,
                           16,
                           {{"source", 8, row.rows, entry(row.source)}, {"destination", 8, row.rows, entry(row.destination)}}};
  bool loads = row.name[0] == 'l';
  result.kind = loads ? InstructionKind::LoadMatrix : InstructionKind::StoreMatrix;
  result.operands[loads ? 0 : 1].sharedAlignment = kRowBytes;
  result.types = {{E::B16, E::B16, row.lowestArch}};
  return result;
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
  const WgmmaRow *row = nullptr;
  for (const WgmmaRow &candidate : wgmmaRows())
    if (candidate.k == *depth)
      row = &candidate;
  if (!row)
    return Result<InstructionLayout>(
        Error{"wgmma with k = " + std::to_string(*depth) + ", 8, 16 or 32 is needed"});
  Result<Layout> c = wgmmaAccumulator(*n);
  Result<Layout> sharedA = wgmmaSharedOperand(64, *depth), sharedB = wgmmaSharedOperand(c ? *n : 8, *depth);
  for (const Result<Layout> &needed : {c, sharedA, sharedB})
    if (!needed)
      return Result<InstructionLayout>(needed.error());
  InstructionLayout result{std::string(name), 256 / *depth, {{"A", 64, *depth, entry(row->a)}, {"C", 64, *n, *c}}};
  result.m = 64;
  result.n = *n;
  result.k = *depth;
  result.threads = 128;
  result.types = row->types;
  result.shared = {{"A", 64, *depth, *sharedA, kRowBytes}, {"B", *n, *depth, *sharedB, kRowBytes}};
  return Result<InstructionLayout>(std::move(result));
}

Result<InstructionLayout> tilec::layout::instructionLayout(std::string_view name) {
  if (name == "fma")
    return fma();
  for (int64_t distance : kButterflies)
    if (name == butterflyName(distance))
      return butterfly(distance);
  for (const MmaRow &row : mmaRows())
    if (name == row.name)
      return mma(row);
  for (const MatrixCopyRow &row : kMatrixCopy)
    if (name == row.name)
      return matrixCopy(row);
  if (auto found = wgmma(name))
    return *found;
  std::string known;
  for (const std::string &other : instructionNames())
    known += other + ", ";
  return Error{"unknown instruction; known are " + known + "fma, shfl.bfly.1 to 16, wgmma.m64nNkK"};
}

std::string tilec::layout::findWarpMultiply(int64_t m, int64_t n, int64_t k, ElementType element, ElementType accumulator) {
  for (const MmaRow &row : mmaRows())
    for (const Types &types : row.types)
      if (m == kMmaRows && n == kMmaColumns && k == row.k && types.element == element && types.accumulator == accumulator)
        return row.name;
  return {};
}

std::string tilec::layout::describeInstruction(const InstructionLayout &instruction) {
  std::string text = instruction.name + "\n";
  if (instruction.kind == InstructionKind::Multiply)
    text += "shape: m" + std::to_string(instruction.m) + " n" + std::to_string(instruction.n) + " k" +
            std::to_string(instruction.k) + "\n";
  text += "threads: " + std::to_string(instruction.threads) + "\n";
  for (const InstructionTypes &types : instruction.types) {
    text += std::string("types: ") + toString(types.element);
    if (instruction.kind == InstructionKind::Multiply)
      text += std::string(" to ") + toString(types.accumulator);
    text += ", sm_" + std::to_string(types.lowestArch) + (types.archSpecific ? "a only" : " on");
    if (types.rate[0])
      text += std::string(", rate units.") + types.rate;
    text += "\n";
  }
  auto describe = [&](const OperandLayout &operand) {
    text += operand.name + ": (" + std::to_string(operand.rows) + "," + std::to_string(operand.columns) + ") in " +
            (operand.sharedAlignment ? "shared memory, aligned to " + std::to_string(operand.sharedAlignment) + " bytes"
                                     : std::string("registers")) +
            ", " + operand.threadValue.str() + "\n";
  };
  for (const OperandLayout &operand : instruction.operands)
    describe(operand);
  for (const OperandLayout &operand : instruction.shared)
    describe(operand);
  return text;
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
