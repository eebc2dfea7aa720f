//===- MatrixTiles.h - Matrices that tensor cores read --------*- C++ -*-===//
//
// Where descriptors put the elements of a matrix in shared memory, and the
// arithmetic of one instruction. Pure functions of bits and bytes.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_EMULATOR_MATRIXTILES_H
#define TILEC_EMULATOR_MATRIXTILES_H

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace tilec::emulator {

/// The fields of a matrix descriptor, in bytes (PTX ISA 9.7.15.5.1). Places count from the origin of a block's shared
/// memory, whose static and dynamic parts are twice what the field's 14 bits can tell; the bit above them is free.
struct MatrixDescriptor {
  uint64_t start = 0;
  uint64_t leading = 0;
  uint64_t stride = 0;
  /// Bytes of a swizzled row; 0 for none.
  unsigned swizzle = 0;

  static MatrixDescriptor decode(uint64_t bits);
  uint64_t encode() const;
  /// Bytes after which the pattern repeats.
  uint64_t period() const { return 8 * uint64_t(swizzle); }
};

/// Types of elements, as PTX writes them.
enum class MatrixType { BF16, F16, TF32, E4M3, E5M2, S8 };
MatrixType matrixTypeOf(std::string_view name);
unsigned bytesOf(MatrixType type);
double decodeElement(MatrixType type, const void *from);
/// Of what products of such elements are added to: an f32 or, of integers, an s32 that wraps.
double decodeAccumulator(MatrixType type, uint32_t word);
uint32_t encodeAccumulator(MatrixType type, double sum);

/// What one instruction reads of one operand: `rows` of m or n, and 32 bytes of k, in chunks of 16 bytes.
struct MatrixTile {
  static constexpr unsigned chunkBytes = 16;

  MatrixDescriptor descriptor;
  MatrixType type = MatrixType::BF16;
  unsigned rows = 0;
  /// Contiguous along the rows' dimension.
  bool transposed = false;

  /// Elements of k.
  unsigned depth() const;
  uint64_t bytes() const { return uint64_t(rows) * 2 * chunkBytes; }
  void forEachChunk(const std::function<void(uint64_t offset)> &visit) const;
  /// The elements, [k][row].
  std::vector<double> read(const char *origin) const;

private:
  /// Of a matrix along k, chunk `along` of two of row `across`; otherwise chunk `along` of the rows at k = `across`.
  uint64_t offsetOf(unsigned across, unsigned along) const;
};

/// accumulators[row][column] += a * b, as words. Products are exact; their sum with the accumulator is rounded to an f32 once, which
/// is closer than the hardware is. Integers wrap.
void multiply(const MatrixTile &a, const MatrixTile &b, const char *origin, std::vector<uint32_t> &accumulators);
/// The same where the elements of a, [k][row], are given.
void multiply(const std::vector<double> &left, const MatrixTile &b, const char *origin, std::vector<uint32_t> &accumulators);

} // namespace tilec::emulator

#endif // TILEC_EMULATOR_MATRIXTILES_H
