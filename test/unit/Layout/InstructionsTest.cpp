//===- InstructionsTest.cpp - Instruction layouts against words -*- C++ -*-===//
//
// Each table entry is compared with what the PTX manual says in words, for every lane and value.
//
//===----------------------------------------------------------------------===//

#include "LayoutTestUtils.h"

#include "tilec/Layout/Instructions.h"

#include <functional>
#include <set>

using namespace tilec::layout;

namespace {

using Formula = std::function<std::pair<int64_t, int64_t>(int64_t t, int64_t v)>;

InstructionLayout instruction(const char *name) {
  Result<InstructionLayout> found = instructionLayout(name);
  EXPECT_TRUE(found) << (found ? "" : found.error().message);
  return *found;
}

/// Compares (t, v) -> (row, column) with `words`, which also fixes the number of values.
void expectWords(const OperandLayout &operand, int64_t threads, int64_t values,
                 const Formula &words) {
  ASSERT_EQ(operand.threadValue.mode(0).size(), threads) << operand.name;
  ASSERT_EQ(operand.threadValue.mode(1).size(), values) << operand.name;
  for (int64_t t = 0; t < threads; ++t)
    for (int64_t v = 0; v < values; ++v) {
      int64_t coordinate[] = {t, v};
      auto [row, column] = words(t, v);
      ASSERT_LT(row, operand.rows);
      ASSERT_LT(column, operand.columns);
      ASSERT_EQ(operand.threadValue.at(coordinate, 2), row + operand.rows * column)
          << operand.name << " t" << t << " v" << v;
    }
}

/// Every element of the tile is held by exactly one lane.
void expectBijection(const OperandLayout &operand) {
  std::set<int64_t> seen;
  for (int64_t i = 0; i < operand.threadValue.size(); ++i)
    seen.insert(operand.threadValue(i));
  EXPECT_EQ(static_cast<int64_t>(seen.size()), operand.rows * operand.columns) << operand.name;
  EXPECT_EQ(operand.threadValue.size(), operand.rows * operand.columns) << operand.name;
}

TEST(Instructions, EveryEntryIsWellFormed) {
  for (const std::string &name : instructionNames())
    for (const OperandLayout &operand : instruction(name.c_str()).operands) {
      EXPECT_EQ(operand.threadValue.mode(0).size(), 32) << name;
      // An address operand of x1 and x2 repeats rows.
      EXPECT_EQ(operand.threadValue.cosize(), operand.rows * operand.columns) << name;
    }
}

TEST(Instructions, MmaM16N8K16InWords) {
  InstructionLayout mma = instruction("mma.m16n8k16.16");
  expectWords(mma.operands[0], 32, 8, [](int64_t t, int64_t v) {
    return std::pair(t / 4 + 8 * ((v >> 1) & 1), 2 * (t % 4) + (v & 1) + 8 * (v >> 2));
  });
  expectWords(mma.operands[1], 32, 4, [](int64_t t, int64_t v) {
    return std::pair(t / 4, 2 * (t % 4) + (v & 1) + 8 * (v >> 1));
  });
  expectWords(mma.operands[2], 32, 4, [](int64_t t, int64_t v) {
    return std::pair(t / 4 + 8 * (v >> 1), 2 * (t % 4) + (v & 1));
  });
}

TEST(Instructions, OtherMmaShapesInWords) {
  // PTX: tf32 fragments hold one element a register, row t/4 (+8), column t%4 (+4).
  InstructionLayout tf32 = instruction("mma.m16n8k8.tf32");
  expectWords(tf32.operands[0], 32, 4, [](int64_t t, int64_t v) {
    return std::pair(t / 4 + 8 * (v & 1), t % 4 + 4 * (v >> 1));
  });
  expectWords(tf32.operands[1], 32, 2,
              [](int64_t t, int64_t v) { return std::pair(t / 4, t % 4 + 4 * v); });
  InstructionLayout k4 = instruction("mma.m16n8k4.tf32");
  expectWords(k4.operands[0], 32, 2,
              [](int64_t t, int64_t v) { return std::pair(t / 4 + 8 * v, t % 4); });
  expectWords(k4.operands[1], 32, 1, [](int64_t t, int64_t) { return std::pair(t / 4, t % 4); });
  InstructionLayout k8 = instruction("mma.m16n8k8.16");
  expectWords(k8.operands[0], 32, 4, [](int64_t t, int64_t v) {
    return std::pair(t / 4 + 8 * (v >> 1), 2 * (t % 4) + (v & 1));
  });
  expectWords(k8.operands[1], 32, 2,
              [](int64_t t, int64_t v) { return std::pair(t / 4, 2 * (t % 4) + v); });
  // PTX: four 8-bit elements a register.
  InstructionLayout s8 = instruction("mma.m16n8k32.8");
  expectWords(s8.operands[0], 32, 16, [](int64_t t, int64_t v) {
    return std::pair(t / 4 + 8 * ((v >> 2) & 1), 4 * (t % 4) + (v & 3) + 16 * (v >> 3));
  });
  expectWords(s8.operands[1], 32, 8, [](int64_t t, int64_t v) {
    return std::pair(t / 4, 4 * (t % 4) + (v & 3) + 16 * (v >> 2));
  });
  for (const std::string &name : instructionNames())
    if (name.rfind("mma.", 0) == 0)
      for (const OperandLayout &operand : instruction(name.c_str()).operands)
        expectBijection(operand);
}

TEST(Instructions, LdmatrixInWords) {
  // Operand tiles are (element in its row, row).
  for (auto [name, values] :
       {std::pair("ldmatrix.x1", 2), {"ldmatrix.x2", 4}, {"ldmatrix.x4", 8}}) {
    InstructionLayout plain = instruction(name);
    expectWords(plain.operands[1], 32, values, [](int64_t t, int64_t v) {
      return std::pair(2 * (t % 4) + (v & 1), t / 4 + 8 * (v >> 1));
    });
    InstructionLayout trans = instruction((std::string(name) + ".trans").c_str());
    expectWords(trans.operands[1], 32, values, [](int64_t t, int64_t v) {
      return std::pair(t / 4, 2 * (t % 4) + (v & 1) + 8 * (v >> 1));
    });
    // Lane t gives the address of row t; lanes past the rows repeat them.
    int64_t rows = plain.operands[0].columns;
    for (const InstructionLayout &copy : {plain, trans})
      expectWords(copy.operands[0], 32, 8,
                  [=](int64_t t, int64_t v) { return std::pair(v, t % rows); });
  }
  for (const char *suffix : {"x4", "x4.trans"}) {
    InstructionLayout load = instruction((std::string("ldmatrix.") + suffix).c_str());
    InstructionLayout store = instruction((std::string("stmatrix.") + suffix).c_str());
    EXPECT_EQ(store.operands[0].threadValue, load.operands[1].threadValue);
    EXPECT_EQ(store.operands[1].threadValue, load.operands[0].threadValue);
  }
}

TEST(Instructions, WgmmaInWords) {
  for (int64_t n : {8, 16, 64, 128, 256}) {
    InstructionLayout wgmma = instruction(("wgmma.m64n" + std::to_string(n) + "k16").c_str());
    expectWords(wgmma.operands[1], 128, n / 2, [](int64_t t, int64_t v) {
      return std::pair(16 * (t / 32) + (t % 32) / 4 + 8 * ((v >> 1) & 1),
                       8 * (v / 4) + 2 * (t % 4) + (v & 1));
    });
    expectBijection(wgmma.operands[1]);
    // A of each warp is the A fragment of m16n8k16 for its 16 rows.
    expectWords(wgmma.operands[0], 128, 8, [](int64_t t, int64_t v) {
      return std::pair(16 * (t / 32) + (t % 32) / 4 + 8 * ((v >> 1) & 1),
                       2 * (t % 4) + (v & 1) + 8 * (v >> 2));
    });
  }
  EXPECT_EQ(str(wgmmaAccumulator(128)), "((4,8,4),(2,2,16)):((128,1,16),(64,8,512))");
  expectBijection(instruction("wgmma.m64n8k32").operands[0]);
  expectBijection(instruction("wgmma.m64n8k8").operands[0]);
  EXPECT_EQ(str(wgmmaAccumulator(12)),
            "error: wgmma with n = 12, a multiple of 8 up to 256 is needed");
  EXPECT_EQ(instructionLayout("wgmma.m64n264k16").error().message,
            "wgmma with n = 264, a multiple of 8 up to 256 is needed");
  EXPECT_EQ(instructionLayout("wgmma.m64n64k7").error().message,
            "wgmma with k = 7, 8, 16 or 32 is needed");
  EXPECT_EQ(instructionLayout("mma.m1").error().message.substr(0, 41),
            "unknown instruction; known are mma.m16n8k");
}

// The tables of the PTX ISA, as text.
TEST(Instructions, RecordsAsText) {
  auto text = [](const char *name) { return describeInstruction(instruction(name)); };
  EXPECT_EQ(text("fma"), "fma\nshape: m1 n1 k1\nthreads: 1\n"
                         "types: f32 to f32, sm_20 on, rate units.fma.f32\n"
                         "types: f64 to f64, sm_20 on, rate units.fma.f64\n"
                         "types: f16 to f16, sm_20 on, rate units.fma.f32\n"
                         "types: bf16 to bf16, sm_20 on, rate units.fma.f32\n"
                         "types: s8 to s32, sm_20 on, rate units.fma.s8\n"
                         "A: (1,1) in registers, (1,1):(0,0)\nB: (1,1) in registers, (1,1):(0,0)\n"
                         "C: (1,1) in registers, (1,1):(0,0)\n");
  EXPECT_EQ(text("mma.m16n8k16.16"), "mma.m16n8k16.16\nshape: m16 n8 k16\nthreads: 32\n"
                                     "types: f16 to f32, sm_80 on, rate units.mma.f16\n"
                                     "types: f16 to f16, sm_80 on, rate units.mma.f16\n"
                                     "types: bf16 to f32, sm_80 on, rate units.mma.bf16\n"
                                     "A: (16,16) in registers, ((4,8),(2,2,2)):((32,1),(16,8,128))\n"
                                     "B: (8,16) in registers, ((4,8),(2,2)):((16,1),(8,64))\n"
                                     "C: (16,8) in registers, ((4,8),(2,2)):((32,1),(16,8))\n");
  EXPECT_EQ(text("ldmatrix.x4.trans"), "ldmatrix.x4.trans\nthreads: 32\ntypes: b16, sm_75 on\n"
                                       "source: (8,32) in shared memory, aligned to 16 bytes, (32,8):(8,1)\n"
                                       "destination: (8,32) in registers, ((4,8),(1,2,4)):((16,1),(1,8,64))\n");
  EXPECT_EQ(text("stmatrix.x4"), "stmatrix.x4\nthreads: 32\ntypes: b16, sm_90 on\n"
                                 "source: (8,32) in registers, (32,(2,4)):(2,(1,64))\n"
                                 "destination: (8,32) in shared memory, aligned to 16 bytes, (32,8):(8,1)\n");
  EXPECT_EQ(text("wgmma.m64n64k8"), "wgmma.m64n64k8\nshape: m64 n64 k8\nthreads: 128\n"
                                    "types: tf32 to f32, sm_90a only, rate units.wgmma.tf32\n"
                                    "A: (64,8) in registers, ((4,8,4),(2,2)):((64,1,16),(8,256))\n"
                                    "C: (64,64) in registers, ((4,8,4),(2,2,8)):((128,1,16),(64,8,512))\n"
                                    "A: (64,8) in shared memory, aligned to 16 bytes, (128,(64,8)):(0,(1,64))\n"
                                    "B: (64,8) in shared memory, aligned to 16 bytes, (128,(64,8)):(0,(1,64))\n");
  EXPECT_EQ(text("shfl.bfly.4"), "shfl.bfly.4\nthreads: 32\ntypes: b32, sm_30 on\n"
                                 "source: (32,1) in registers, (32,1):(1,0)\n"
                                 "destination: (32,1) in registers, ((4,2,4),2):((1,0,8),4)\n");
}

// Lane t exchanges with lane t xor D, so that both hold the elements of both, the lower lane's first.
TEST(Instructions, ButterfliesInWords) {
  for (int64_t distance : {1, 2, 4, 8, 16}) {
    InstructionLayout exchange = instruction(("shfl.bfly." + std::to_string(distance)).c_str());
    expectWords(exchange.operands[0], 32, 1, [](int64_t t, int64_t) { return std::pair(t, int64_t(0)); });
    expectWords(exchange.operands[1], 32, 2, [=](int64_t t, int64_t v) {
      int64_t other = t ^ distance;
      return std::pair(v == 0 ? std::min(t, other) : std::max(t, other), int64_t(0));
    });
  }
}

// Every row is found by its name, says which threads its layouts are of, and has types; what multiplies names a rate.
TEST(Instructions, EveryRowIsWhole) {
  for (const std::string &name : allInstructionNames()) {
    InstructionLayout row = instruction(name.c_str());
    EXPECT_EQ(row.name, name);
    ASSERT_FALSE(row.types.empty()) << name;
    for (const OperandLayout &operand : row.operands)
      EXPECT_EQ(operand.threadValue.mode(0).size(), row.threads) << name;
    for (const OperandLayout &operand : row.shared)
      EXPECT_GT(operand.sharedAlignment, 0) << name;
    for (const InstructionTypes &types : row.types) {
      std::string unit = name.substr(0, name.find('.'));
      bool multiplies = row.kind == InstructionKind::Multiply;
      // What multiplies one element at a time computes f16 and bf16 in f32.
      bool inF32 = row.threads == 1 && (types.element == ElementType::F16 || types.element == ElementType::BF16);
      EXPECT_EQ(types.rate, multiplies ? unit + "." + (inF32 ? "f32" : toString(types.element)) : std::string()) << name;
    }
    if (row.kind != InstructionKind::Multiply)
      continue;
    EXPECT_EQ(row.operands[0].rows, row.m) << name;
    EXPECT_EQ(row.operands[0].columns, row.k) << name;
    EXPECT_EQ(row.operands.back().rows * row.operands.back().columns, row.m * row.n) << name;
  }
}

TEST(Instructions, SmemAtomsMatchTheTables) {
  using S = SmemSwizzle;
  struct Row {
    S mode;
    const char *k8, *k16, *k32, *mn8, *mn16, *mn32;
  };
  const Row rows[] = {{S::None, "Sw<0,4,3> o 0 o (8,16):(16,1)", "Sw<0,3,3> o 0 o (8,8):(8,1)",
                       "Sw<0,2,3> o 0 o (8,4):(4,1)", "Sw<0,4,3> o 0 o (16,8):(1,16)",
                       "Sw<0,3,3> o 0 o (8,8):(1,8)", "Sw<0,2,3> o 0 o (4,8):(1,4)"},
                      {S::Bytes32, "Sw<1,4,3> o 0 o (8,32):(32,1)", "Sw<1,3,3> o 0 o (8,16):(16,1)",
                       "Sw<1,2,3> o 0 o (8,8):(8,1)", "Sw<1,4,3> o 0 o (32,8):(1,32)",
                       "Sw<1,3,3> o 0 o (16,8):(1,16)", "Sw<1,2,3> o 0 o (8,8):(1,8)"},
                      {S::Bytes64, "Sw<2,4,3> o 0 o (8,64):(64,1)", "Sw<2,3,3> o 0 o (8,32):(32,1)",
                       "Sw<2,2,3> o 0 o (8,16):(16,1)", "Sw<2,4,3> o 0 o (64,8):(1,64)",
                       "Sw<2,3,3> o 0 o (32,8):(1,32)", "Sw<2,2,3> o 0 o (16,8):(1,16)"},
                      {S::Bytes128, "Sw<3,4,3> o 0 o (8,128):(128,1)",
                       "Sw<3,3,3> o 0 o (8,64):(64,1)", "Sw<3,2,3> o 0 o (8,32):(32,1)",
                       "Sw<3,4,3> o 0 o (128,8):(1,128)", "Sw<3,3,3> o 0 o (64,8):(1,64)",
                       "Sw<3,2,3> o 0 o (32,8):(1,32)"}};
  for (const Row &row : rows) {
    EXPECT_EQ(str(smemAtom(SmemMajor::K, row.mode, 8)), row.k8);
    EXPECT_EQ(str(smemAtom(SmemMajor::K, row.mode, 16)), row.k16);
    EXPECT_EQ(str(smemAtom(SmemMajor::K, row.mode, 32)), row.k32);
    EXPECT_EQ(str(smemAtom(SmemMajor::MN, row.mode, 8)), row.mn8);
    EXPECT_EQ(str(smemAtom(SmemMajor::MN, row.mode, 16)), row.mn16);
    EXPECT_EQ(str(smemAtom(SmemMajor::MN, row.mode, 32)), row.mn32);
  }
  EXPECT_FALSE(smemAtom(SmemMajor::K, S::None, 64));
}

TEST(Instructions, SmemChunkRules) {
  // 16-byte chunk c of row r lies at c ^ ((r / 4) % 2), c ^ ((r / 2) % 4), c ^ (r % 8).
  const std::pair<SmemSwizzle, std::function<int64_t(int64_t)>> rules[] = {
      {SmemSwizzle::None, [](int64_t) { return 0; }},
      {SmemSwizzle::Bytes32, [](int64_t r) { return r / 4 % 2; }},
      {SmemSwizzle::Bytes64, [](int64_t r) { return r / 2 % 4; }},
      {SmemSwizzle::Bytes128, [](int64_t r) { return r % 8; }}};
  for (const auto &[mode, flip] : rules) {
    SmemSwizzleInfo info = smemSwizzleInfo(mode);
    int64_t chunks = info.rowBytes / 16;
    ComposedLayout atom = *smemAtom(SmemMajor::K, mode, 8);
    for (int64_t r = 0; r < 8; ++r)
      for (int64_t c = 0; c < chunks; ++c) {
        int64_t coordinate[] = {r, 16 * c};
        EXPECT_EQ(atom.at(coordinate, 2), r * info.rowBytes + 16 * (c ^ flip(r)));
      }
    // Without a swizzle any 16 bytes are a repeat.
    if (mode != SmemSwizzle::None) {
      EXPECT_EQ(info.repeatBytes, 8 * info.rowBytes);
    }
  }
}

TEST(Instructions, TileToShape) {
  auto tiled = [](SmemMajor major, SmemSwizzle mode, std::vector<int64_t> shape) {
    Result<ComposedLayout> result = tileToShape(*smemAtom(major, mode, 16), shape);
    return result ? result->layout().str() : result.error().message;
  };
  using S = SmemSwizzle;
  EXPECT_EQ(tiled(SmemMajor::K, S::Bytes128, {128, 64}), "((8,16),(64,1)):((64,512),(1,0))");
  EXPECT_EQ(tiled(SmemMajor::K, S::Bytes128, {128, 128}), "((8,16),(64,2)):((64,512),(1,8192))");
  EXPECT_EQ(tiled(SmemMajor::K, S::Bytes128, {128, 64, 4}),
            "((8,16),(64,1),(1,4)):((64,512),(1,0),(0,8192))");
  EXPECT_EQ(tiled(SmemMajor::K, S::Bytes64, {128, 64}), "((8,16),(32,2)):((32,256),(1,4096))");
  EXPECT_EQ(tiled(SmemMajor::K, S::Bytes64, {64, 32}), "((8,8),(32,1)):((32,256),(1,0))");
  EXPECT_EQ(tiled(SmemMajor::K, S::Bytes32, {128, 64}), "((8,16),(16,4)):((16,128),(1,2048))");
  EXPECT_EQ(tiled(SmemMajor::MN, S::Bytes128, {128, 64}), "((64,2),(8,8)):((1,512),(64,1024))");
  EXPECT_EQ(tiled(SmemMajor::K, S::Bytes128, {128, 96}),
            "mode 1: extent 96 is not a multiple of 64, the atom's");
}

TEST(Instructions, WgmmaOperandsInSharedMemory) {
  EXPECT_EQ(str(wgmmaSharedOperand(64, 16)), "(128,(64,16)):(0,(1,64))");
  EXPECT_EQ(str(wgmmaSharedOperand(256, 16)), "(128,(256,16)):(0,(1,256))");
  // 16-bit elements: T = 8; leading 111 and stride 222 stand for LBO and SBO.
  auto canonical = [](SmemMajor major, SmemSwizzle mode) {
    return str(wgmmaCanonicalLayout(major, mode, 16, 4, 2, 111, 222));
  };
  using S = SmemSwizzle;
  EXPECT_EQ(canonical(SmemMajor::K, S::None), "((8,4),(8,2)):((8,222),(1,111))");
  EXPECT_EQ(canonical(SmemMajor::K, S::Bytes32), "((8,4),(8,2)):((16,222),(1,8))");
  EXPECT_EQ(canonical(SmemMajor::K, S::Bytes64), "((8,4),(8,2)):((32,222),(1,8))");
  EXPECT_EQ(canonical(SmemMajor::K, S::Bytes128), "((8,4),(8,2)):((64,222),(1,8))");
  EXPECT_EQ(canonical(SmemMajor::MN, S::None), "((8,1,4),(8,2)):((1,8,222),(8,111))");
  EXPECT_EQ(canonical(SmemMajor::MN, S::Bytes32), "((8,2,4),(8,2)):((1,8,111),(16,222))");
  EXPECT_EQ(canonical(SmemMajor::MN, S::Bytes64), "((8,4,4),(8,2)):((1,8,111),(32,222))");
  EXPECT_EQ(canonical(SmemMajor::MN, S::Bytes128), "((8,8,4),(8,2)):((1,8,111),(64,222))");
  EXPECT_FALSE(wgmmaCanonicalLayout(SmemMajor::K, S::None, 64, 4, 2, 8, 8));
  EXPECT_EQ(str(wgmmaCanonicalLayout(SmemMajor::K, S::Bytes128, 16, 4, 1, 8, 8)),
            "error: a K-major wgmma operand is 2 chunks of 16 bytes deep, got 1");
}

TEST(Instructions, TiledAtomsAreCanonical) {
  // 16 columns of a (128,64) K-major tile: 8-row groups lie 8 * 64 = 512 elements apart.
  ComposedLayout tile = *tileToShape(*smemAtom(SmemMajor::K, SmemSwizzle::Bytes128, 16), {128, 64});
  Layout operand = *wgmmaCanonicalLayout(SmemMajor::K, SmemSwizzle::Bytes128, 16, 16, 2, 0, 512);
  for (int64_t row = 0; row < 128; ++row)
    for (int64_t column = 0; column < 16; ++column) {
      int64_t coordinate[] = {row, column};
      ASSERT_EQ(tile.layout().at(coordinate, 2), operand.at(coordinate, 2));
    }
  // 16 deep of a (128,64) MN-major tile: atoms along MN 512 apart, 8-deep groups 1024 apart.
  ComposedLayout mn = *tileToShape(*smemAtom(SmemMajor::MN, SmemSwizzle::Bytes128, 16), {128, 64});
  Layout mnOperand =
      *wgmmaCanonicalLayout(SmemMajor::MN, SmemSwizzle::Bytes128, 16, 2, 2, 512, 1024);
  for (int64_t row = 0; row < 128; ++row)
    for (int64_t column = 0; column < 16; ++column) {
      int64_t coordinate[] = {row, column};
      ASSERT_EQ(mn.layout().at(coordinate, 2), mnOperand.at(coordinate, 2));
    }
}

} // namespace
