//===- Npy.h - NumPy array files ------------------------------*- C++ -*-===//
//
// Reads and writes .npy (NEP 1, versions 1 to 3). NumPy has no bf16, tf32 or
// fp8, so tensors of these types are stored as float32, which holds them
// exactly.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_RUNTIME_NPY_H
#define TILEC_RUNTIME_NPY_H

#include "tilec/Runtime/HostTensor.h"

#include <string>

namespace tilec::runtime {

/// A file's contents; values in row-major order whatever the file's order.
struct NpyArray {
  std::vector<int64_t> shape;
  std::vector<double> values;
  /// The same of i8, in all their bits; empty for other types.
  std::vector<int64_t> integers;
};

/// Reads little-endian f2, f4, f8, i1, u1, i2, i4, i8, and b1. The error names the
/// file and what was expected.
Result<NpyArray> readNpy(const std::string &path);

/// Reads a file into a tensor: shapes must be equal, and values that the
/// element type does not hold are rounded, except that integer types refuse
/// them, as others than S64 do integers beyond 2^53.
MaybeError loadNpy(const std::string &path, HostTensor &tensor);

/// The bytes of a file, version 1.0, row-major, without gaps.
std::string printNpy(const HostTensor &tensor);

} // namespace tilec::runtime

#endif // TILEC_RUNTIME_NPY_H
