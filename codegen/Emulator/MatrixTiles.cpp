//===- MatrixTiles.cpp - Matrices that tensor cores read ------*- C++ -*-===//
//
// See MatrixTiles.h.
//
//===----------------------------------------------------------------------===//

#include "MatrixTiles.h"

#include <cmath>
#include <cstring>

namespace tilec::emulator {

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

namespace {
constexpr unsigned dropped = 4;
constexpr unsigned leadingAt = 16;
constexpr unsigned strideAt = 32;
constexpr unsigned swizzleAt = 62;
constexpr uint64_t startMask = (1 << 15) - 1;
constexpr uint64_t distanceMask = (1 << 14) - 1;
/// By the descriptor's code.
constexpr unsigned swizzles[] = {0, 128, 64, 32};
} // namespace

MatrixDescriptor MatrixDescriptor::decode(uint64_t bits) {
  return {(bits & startMask) << dropped, (bits >> leadingAt & distanceMask) << dropped, (bits >> strideAt & distanceMask) << dropped,
          swizzles[bits >> swizzleAt]};
}

uint64_t MatrixDescriptor::encode() const {
  uint64_t code = 0;
  while (swizzles[code] != swizzle)
    ++code;
  return (start >> dropped & startMask) | (leading >> dropped & distanceMask) << leadingAt | (stride >> dropped & distanceMask) << strideAt |
         code << swizzleAt;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

MatrixType matrixTypeOf(std::string_view name) {
  constexpr std::string_view names[] = {"bf16", "f16", "tf32", "e4m3", "e5m2", "s8"};
  unsigned type = 0;
  while (names[type] != name)
    ++type;
  return MatrixType(type);
}

unsigned bytesOf(MatrixType type) {
  switch (type) {
  case MatrixType::BF16:
  case MatrixType::F16:
    return 2;
  case MatrixType::TF32:
    return 4;
  case MatrixType::E4M3:
  case MatrixType::E5M2:
  case MatrixType::S8:
    return 1;
  }
  return 1;
}

/// The number whose bits these are. `highest` exponents are infinities and NaNs, but of e4m3.
static double decodeFloat(uint32_t bits, int exponentBits, int mantissaBits, bool isE4M3) {
  const int highest = (1 << exponentBits) - 1, bias = highest / 2;
  const int exponent = bits >> mantissaBits & highest, mantissa = bits & ((1 << mantissaBits) - 1);
  double size = exponent == 0 ? std::ldexp(mantissa, 1 - bias - mantissaBits)
                              : std::ldexp(mantissa | 1 << mantissaBits, exponent - bias - mantissaBits);
  if (isE4M3 ? exponent == highest && mantissa == (1 << mantissaBits) - 1 : exponent == highest)
    size = mantissa == 0 ? INFINITY : NAN;
  return bits >> (exponentBits + mantissaBits) & 1 ? -size : size;
}

double decodeElement(MatrixType type, const void *from) {
  uint32_t bits = 0;
  std::memcpy(&bits, from, bytesOf(type));
  switch (type) {
  case MatrixType::BF16:
    bits <<= 16;
    break;
  case MatrixType::TF32:
    // PTX ISA 9.7.15.3: the 13 low bits are ignored.
    bits &= ~uint32_t(0x1fff);
    break;
  case MatrixType::F16:
    return decodeFloat(bits, 5, 10, false);
  case MatrixType::E4M3:
    return decodeFloat(bits, 4, 3, true);
  case MatrixType::E5M2:
    return decodeFloat(bits, 5, 2, false);
  case MatrixType::S8:
    return int8_t(bits);
  }
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

double decodeAccumulator(MatrixType type, uint32_t word) {
  float single;
  std::memcpy(&single, &word, sizeof(single));
  return type == MatrixType::S8 ? double(int32_t(word)) : double(single);
}

uint32_t encodeAccumulator(MatrixType type, double sum) {
  if (type == MatrixType::S8)
    return uint32_t(int64_t(sum));
  const float single = float(sum);
  uint32_t word;
  std::memcpy(&word, &single, sizeof(word));
  return word;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

unsigned MatrixTile::depth() const { return 2 * chunkBytes / bytesOf(type); }

// The canonical layouts (PTX ISA 9.7.15.5.1; cute/arch/mma_sm90_desc.hpp has them as layouts): groups of 8 rows of a swizzle's bytes.
uint64_t MatrixTile::offsetOf(unsigned across, unsigned along) const {
  const MatrixDescriptor &d = descriptor;
  const unsigned rowBytes = d.swizzle == 0 ? chunkBytes : d.swizzle;
  const unsigned perRow = rowBytes / chunkBytes;
  uint64_t offset = d.start + across % 8 * rowBytes;
  if (!transposed)
    offset += across / 8 * d.stride + along * (d.swizzle == 0 ? d.leading : chunkBytes);
  else if (d.swizzle == 0)
    offset += across / 8 * d.leading + along * d.stride;
  else
    offset += across / 8 * d.stride + along % perRow * chunkBytes + along / perRow * d.leading;
  // Bits 7 and up of the address, as many as chunks of a row need, go to bits 4 and up.
  return offset ^ (offset >> 7 & (perRow - 1)) << 4;
}

void MatrixTile::forEachChunk(const std::function<void(uint64_t offset)> &visit) const {
  const unsigned across = transposed ? depth() : rows;
  const unsigned along = transposed ? rows * bytesOf(type) / chunkBytes : 2;
  for (unsigned i = 0; i < across; ++i)
    for (unsigned j = 0; j < along; ++j)
      visit(offsetOf(i, j));
}

std::vector<double> MatrixTile::read(const char *origin) const {
  const unsigned width = bytesOf(type);
  const unsigned perChunk = chunkBytes / width;
  std::vector<double> elements(depth() * rows);
  for (unsigned k = 0; k < depth(); ++k)
    for (unsigned row = 0; row < rows; ++row) {
      const unsigned across = transposed ? k : row;
      const unsigned along = transposed ? row : k;
      elements[k * rows + row] = decodeElement(type, origin + offsetOf(across, along / perChunk) + along % perChunk * width);
    }
  return elements;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

void multiply(const MatrixTile &a, const MatrixTile &b, const char *origin, std::vector<uint32_t> &accumulators) {
  multiply(a.read(origin), b, origin, accumulators);
}

void multiply(const std::vector<double> &left, const MatrixTile &b, const char *origin, std::vector<uint32_t> &accumulators) {
  const std::vector<double> right = b.read(origin);
  const unsigned columns = b.rows, rows = left.size() / b.depth();
  std::vector<double> sums(columns);
  for (unsigned row = 0; row < rows; ++row) {
    uint32_t *words = &accumulators[row * columns];
    for (unsigned n = 0; n < columns; ++n)
      sums[n] = decodeAccumulator(b.type, words[n]);
    for (unsigned k = 0; k < b.depth(); ++k) {
      const double factor = left[k * rows + row];
      const double *others = &right[k * columns];
      for (unsigned n = 0; n < columns; ++n)
        sums[n] += factor * others[n];
    }
    for (unsigned n = 0; n < columns; ++n)
      words[n] = encodeAccumulator(b.type, sums[n]);
  }
}

} // namespace tilec::emulator
