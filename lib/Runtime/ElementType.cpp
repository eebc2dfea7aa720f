//===- ElementType.cpp - Bit-exact element conversions --------*- C++ -*-===//
//
// Narrow floating-point formats are described by their field widths and
// converted by one pair of functions.
//
//===----------------------------------------------------------------------===//

#include "tilec/Runtime/ElementType.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace tilec::runtime {

namespace {

struct TypeInfo {
  ElementType type;
  std::string_view name;
  unsigned bytes;
  /// Explicit mantissa bits; 0 for integers.
  unsigned mantissaBits;
};

constexpr TypeInfo types[] = {
    {ElementType::F64, "f64", 8, 52},   {ElementType::F32, "f32", 4, 23},
    {ElementType::TF32, "tf32", 4, 10}, {ElementType::F16, "f16", 2, 10},
    {ElementType::BF16, "bf16", 2, 7},  {ElementType::E4M3, "e4m3", 1, 3},
    {ElementType::E5M2, "e5m2", 1, 2},  {ElementType::S64, "s64", 8, 0},
    {ElementType::S32, "s32", 4, 0},
    {ElementType::S16, "s16", 2, 0},    {ElementType::S8, "s8", 1, 0},
    {ElementType::U8, "u8", 1, 0},
};

const TypeInfo &info(ElementType type) { return types[static_cast<unsigned>(type)]; }

/// A binary format narrower than double.
struct FloatFormat {
  unsigned exponentBits;
  unsigned mantissaBits;
  /// False for E4M3: the topmost exponent holds finite values, and only the
  /// all-ones pattern is NaN.
  bool hasInfinity;

  int bias() const { return (1 << (exponentBits - 1)) - 1; }
  uint32_t exponentMask() const { return (1u << exponentBits) - 1; }
  uint32_t mantissaMask() const { return (1u << mantissaBits) - 1; }
  uint32_t nan() const {
    return hasInfinity ? (exponentMask() << mantissaBits) | (1u << (mantissaBits - 1))
                       : (1u << (exponentBits + mantissaBits)) - 1;
  }
  uint32_t overflow() const { return hasInfinity ? exponentMask() << mantissaBits : nan(); }
};

constexpr FloatFormat f16Format = {5, 10, true};
constexpr FloatFormat bf16Format = {8, 7, true};
constexpr FloatFormat tf32Format = {8, 10, true};
constexpr FloatFormat e4m3Format = {4, 3, false};
constexpr FloatFormat e5m2Format = {5, 2, true};

double decode(const FloatFormat &format, uint32_t bits) {
  uint32_t mantissa = bits & format.mantissaMask();
  uint32_t exponent = (bits >> format.mantissaBits) & format.exponentMask();
  bool negative = bits >> (format.exponentBits + format.mantissaBits) & 1;
  double magnitude;
  uint32_t allOnes = (format.exponentMask() << format.mantissaBits) | format.mantissaMask();
  if (format.hasInfinity ? exponent == format.exponentMask() : (bits & allOnes) == allOnes)
    magnitude = format.hasInfinity && mantissa == 0 ? std::numeric_limits<double>::infinity()
                                                    : std::numeric_limits<double>::quiet_NaN();
  else if (exponent == 0)
    magnitude = std::ldexp(mantissa, 1 - format.bias() - int(format.mantissaBits));
  else
    magnitude = std::ldexp(mantissa + (1u << format.mantissaBits),
                           int(exponent) - format.bias() - int(format.mantissaBits));
  return negative ? -magnitude : magnitude;
}

/// Rounds to nearest, ties to even; rounds once, so going through f32 first
/// (which would round twice) must not happen.
uint32_t encode(const FloatFormat &format, double value) {
  uint32_t sign = std::signbit(value) ? 1u << (format.exponentBits + format.mantissaBits) : 0;
  if (std::isnan(value))
    return sign | format.nan();
  double magnitude = std::fabs(value);
  if (magnitude == 0)
    return sign;
  if (std::isinf(magnitude))
    return sign | format.overflow();
  int exponent = std::ilogb(magnitude);
  int smallestNormal = 1 - format.bias();
  if (exponent < smallestNormal)
    exponent = smallestNormal;
  // In units of the last place; nearbyint rounds ties to even in the default
  // mode, and scaling by a power of two is exact here.
  double units = std::nearbyint(std::ldexp(magnitude, int(format.mantissaBits) - exponent));
  // One addition carries a rounded-up mantissa into the exponent, and makes a
  // subnormal that rounds up to the smallest normal right as well.
  int biased = exponent + format.bias();
  if (biased > int(format.exponentMask()))
    return sign | format.overflow();
  uint32_t bits = (uint32_t(biased - 1) << format.mantissaBits) + uint32_t(units);
  return sign | (bits >= format.overflow() ? format.overflow() : bits);
}

const FloatFormat &narrowFormat(ElementType type) {
  switch (type) {
  case ElementType::F16:
    return f16Format;
  case ElementType::BF16:
    return bf16Format;
  case ElementType::E4M3:
    return e4m3Format;
  default:
    return e5m2Format;
  }
}

template <typename T>
double load(const void *source) {
  T value;
  std::memcpy(&value, source, sizeof(T));
  return double(value);
}

template <typename T>
void store(T value, void *target) {
  std::memcpy(target, &value, sizeof(T));
}

template <typename T>
void storeSaturated(double value, void *target) {
  double rounded = std::isnan(value) ? 0.0 : std::nearbyint(value);
  constexpr double low = std::numeric_limits<T>::min();
  // One more than the largest value, which has no double if it has 64 bits.
  constexpr double beyond = 2.0 * static_cast<double>(std::numeric_limits<T>::max() / 2 + 1);
  store(rounded < low ? std::numeric_limits<T>::min() : rounded >= beyond ? std::numeric_limits<T>::max() : static_cast<T>(rounded), target);
}

} // namespace

unsigned byteWidth(ElementType type) { return info(type).bytes; }

std::string_view elementTypeName(ElementType type) { return info(type).name; }

std::optional<ElementType> parseElementType(std::string_view name) {
  for (const TypeInfo &entry : types)
    if (entry.name == name)
      return entry.type;
  return std::nullopt;
}

bool isFloatingPoint(ElementType type) { return info(type).mantissaBits != 0; }

double machineEpsilon(ElementType type) {
  return isFloatingPoint(type) ? std::ldexp(1.0, -int(info(type).mantissaBits)) : 0.0;
}

double decodeElement(ElementType type, const void *source) {
  switch (type) {
  case ElementType::F64:
    return load<double>(source);
  case ElementType::F32:
  case ElementType::TF32:
    return load<float>(source);
  case ElementType::S64:
    return load<int64_t>(source);
  case ElementType::S32:
    return load<int32_t>(source);
  case ElementType::S16:
    return load<int16_t>(source);
  case ElementType::S8:
    return load<int8_t>(source);
  case ElementType::U8:
    return load<uint8_t>(source);
  case ElementType::F16:
  case ElementType::BF16: {
    uint16_t bits;
    std::memcpy(&bits, source, sizeof(bits));
    return decode(narrowFormat(type), bits);
  }
  case ElementType::E4M3:
  case ElementType::E5M2: {
    uint8_t bits;
    std::memcpy(&bits, source, sizeof(bits));
    return decode(narrowFormat(type), bits);
  }
  }
  return 0;
}

void encodeElement(ElementType type, double value, void *target) {
  switch (type) {
  case ElementType::F64:
    return store(value, target);
  case ElementType::F32:
    // As `encode`, which it is ten times faster than.
    return store(float(value), target);
  case ElementType::TF32:
    // The ten bits of the mantissa are the upper ones of an f32.
    return store(encode(tf32Format, value) << 13, target);
  case ElementType::F16:
  case ElementType::BF16:
    return store(uint16_t(encode(narrowFormat(type), value)), target);
  case ElementType::E4M3:
  case ElementType::E5M2:
    return store(uint8_t(encode(narrowFormat(type), value)), target);
  case ElementType::S64:
    return storeSaturated<int64_t>(value, target);
  case ElementType::S32:
    return storeSaturated<int32_t>(value, target);
  case ElementType::S16:
    return storeSaturated<int16_t>(value, target);
  case ElementType::S8:
    return storeSaturated<int8_t>(value, target);
  case ElementType::U8:
    return storeSaturated<uint8_t>(value, target);
  }
}

double roundToType(ElementType type, double value) {
  unsigned char bytes[8] = {};
  encodeElement(type, value, bytes);
  return decodeElement(type, bytes);
}

} // namespace tilec::runtime
