//===- ElementTypeTest.cpp - Element conversions --------------*- C++ -*-===//
//
// Every code of the narrow formats, and rounding at every midpoint.
//
//===----------------------------------------------------------------------===//

#include "tilec/Runtime/ElementType.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

using namespace tilec::runtime;

namespace {

uint32_t encodeBits(ElementType type, double value) {
  uint32_t bits = 0;
  encodeElement(type, value, &bits);
  return bits;
}

double decodeBits(ElementType type, uint32_t bits) { return decodeElement(type, &bits); }

/// For each code: decoding and encoding gives the code back. For each pair of
/// neighbouring positive finite values: their midpoint goes to the even code,
/// and a hair to either side to the nearer one.
void checkAllCodes(ElementType type, uint32_t signBit) {
  for (uint32_t code = 0; code < 2 * signBit; ++code) {
    double value = decodeBits(type, code);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(decodeBits(type, encodeBits(type, value))));
      continue;
    }
    ASSERT_EQ(encodeBits(type, value), code);
    double next = decodeBits(type, code + 1);
    if (code >= signBit || !std::isfinite(value) || !std::isfinite(next))
      continue;
    ASSERT_LT(value, next);
    double middle = value + (next - value) / 2;
    uint32_t even = code & 1 ? code + 1 : code;
    ASSERT_EQ(encodeBits(type, middle), even);
    ASSERT_EQ(encodeBits(type, std::nextafter(middle, 0)), code);
    ASSERT_EQ(encodeBits(type, std::nextafter(middle, next)), code + 1);
    ASSERT_EQ(encodeBits(type, -middle), even | signBit);
  }
}

TEST(ElementType, AllCodesOfNarrowFormats) {
  checkAllCodes(ElementType::F16, 0x8000);
  checkAllCodes(ElementType::BF16, 0x8000);
  checkAllCodes(ElementType::E4M3, 0x80);
  checkAllCodes(ElementType::E5M2, 0x80);
}

TEST(ElementType, KnownValues) {
  EXPECT_EQ(encodeBits(ElementType::F16, 1.0), 0x3c00u);
  EXPECT_EQ(encodeBits(ElementType::F16, 65504.0), 0x7bffu);
  // 65520 is midway between 65504 and 65536, and 65504 is odd.
  EXPECT_EQ(encodeBits(ElementType::F16, 65519.0), 0x7bffu);
  EXPECT_EQ(encodeBits(ElementType::F16, 65520.0), 0x7c00u);
  EXPECT_EQ(encodeBits(ElementType::F16, 1e300), 0x7c00u);
  EXPECT_EQ(encodeBits(ElementType::F16, -0.0), 0x8000u);
  // The smallest subnormal is 2^-24; half of it is a tie with zero.
  EXPECT_EQ(encodeBits(ElementType::F16, std::ldexp(1.0, -25)), 0u);
  EXPECT_EQ(encodeBits(ElementType::F16, std::ldexp(1.5, -25)), 1u);
  EXPECT_EQ(encodeBits(ElementType::BF16, 1.0), 0x3f80u);
  // Largest finite e4m3: 1.75 * 2^8; 464 is its midpoint to the missing 480.
  EXPECT_EQ(decodeBits(ElementType::E4M3, 0x7e), 448.0);
  EXPECT_EQ(encodeBits(ElementType::E4M3, 464.0), 0x7eu);
  EXPECT_EQ(encodeBits(ElementType::E4M3, 465.0), 0x7fu);
  EXPECT_TRUE(std::isnan(decodeBits(ElementType::E4M3, 0xff)));
  EXPECT_EQ(decodeBits(ElementType::E5M2, 0x7b), 57344.0);
}

TEST(ElementType, F32AndTF32) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 100000; ++i) {
    uint64_t bits = random();
    double value;
    std::memcpy(&value, &bits, sizeof(value));
    // Keep half of the exponents inside the range of f32.
    if (i & 1)
      value = std::ldexp(1.0 + double(bits >> 12) * 0x1p-52, int(bits % 300) - 160);
    if (std::isnan(value))
      continue;
    float expected = static_cast<float>(value);
    uint32_t expectedBits;
    std::memcpy(&expectedBits, &expected, sizeof(expected));
    ASSERT_EQ(encodeBits(ElementType::F32, value), expectedBits) << value;
  }
  // Ten bits of mantissa: 1 + 2^-11 is a tie and goes down, 1 + 3 * 2^-11 up.
  EXPECT_EQ(roundToType(ElementType::TF32, 1 + std::ldexp(1, -11)), 1.0);
  EXPECT_EQ(roundToType(ElementType::TF32, 1 + std::ldexp(3, -11)), 1 + std::ldexp(4, -11));
}

TEST(ElementType, IntegersRoundAndSaturate) {
  EXPECT_EQ(roundToType(ElementType::S8, 127.4), 127.0);
  EXPECT_EQ(roundToType(ElementType::S8, 300), 127.0);
  EXPECT_EQ(roundToType(ElementType::S8, -300), -128.0);
  EXPECT_EQ(roundToType(ElementType::U8, -1), 0.0);
  EXPECT_EQ(roundToType(ElementType::S32, 2.5), 2.0);
  EXPECT_EQ(roundToType(ElementType::S32, 1e300), 2147483647.0);
  EXPECT_EQ(roundToType(ElementType::S32, std::nan("")), 0.0);
  EXPECT_EQ(roundToType(ElementType::S16, 40000), 32767.0);
  EXPECT_EQ(roundToType(ElementType::S64, -1e15 - 0.5), -1e15);
  EXPECT_EQ(roundToType(ElementType::S64, 1e300), 0x1p63);
  EXPECT_EQ(roundToType(ElementType::S64, -1e300), -0x1p63);
}

TEST(ElementType, NamesAndProperties) {
  for (const char *name :
       {"f64", "f32", "tf32", "f16", "bf16", "e4m3", "e5m2", "s64", "s32", "s16", "s8", "u8"}) {
    auto type = parseElementType(name);
    ASSERT_TRUE(type);
    EXPECT_EQ(elementTypeName(*type), name);
  }
  EXPECT_FALSE(parseElementType("f31"));
  EXPECT_EQ(byteWidth(ElementType::TF32), 4u);
  EXPECT_EQ(machineEpsilon(ElementType::F32), std::numeric_limits<float>::epsilon());
  EXPECT_EQ(machineEpsilon(ElementType::S8), 0.0);
}

} // namespace
