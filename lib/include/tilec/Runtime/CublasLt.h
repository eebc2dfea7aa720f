//===- CublasLt.h - The library GEMM to compare with ----------*- C++ -*-===//
//
// C = alpha * A * B + beta * C by cublasLt, opened at run time: the fastest of
// the algorithms that its heuristics propose, which can be 14 % faster than the
// first one.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_RUNTIME_CUBLASLT_H
#define TILEC_RUNTIME_CUBLASLT_H

#include "tilec/Runtime/Bench.h"
#include "tilec/Runtime/CudaPaths.h"
#include "tilec/Runtime/Device.h"

#include <cstdint>
#include <memory>
#include <string>

namespace tilec::runtime {

/// A matrix on the device; strides in elements. One of them must be 1, or the
/// extent along it 1.
struct DeviceMatrix {
  uint64_t address = 0;
  int64_t rowStride = 0;
  int64_t columnStride = 0;
};

/// C[m, n] = alpha * A[m, k] * B[k, n] + beta * C. A transposed operand is one
/// whose row stride is 1.
struct GemmProblem {
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  /// Of A and B: F32, TF32 (f32 in memory, tensor cores allowed), F16, BF16,
  /// or E4M3. Sums are in f32; e4m3 with fast accumulation.
  ElementType inputType = ElementType::F32;
  /// Of C: F32, F16 or BF16.
  ElementType outputType = ElementType::F32;
  DeviceMatrix a;
  DeviceMatrix b;
  DeviceMatrix c;
  float alpha = 1;
  float beta = 0;
};

/// The matrices as a column-major library sees them.
struct ColumnMajorOperand {
  uint64_t address = 0;
  bool transposed = false;
  /// Rows, columns and leading dimension as stored.
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t leadingDimension = 0;
};

struct ColumnMajorGemm {
  ColumnMajorOperand a;
  ColumnMajorOperand b;
  ColumnMajorOperand c;
};

/// Writes the problem as column-major C = op(A) * op(B), swapping the operands
/// where C is row-major. Fails for empty problems and for matrices without a
/// dimension of stride 1.
Result<ColumnMajorGemm> toColumnMajor(const GemmProblem &problem);

class CublasLt {
public:
  /// Looks for libcublasLt.so.13, then .12, in toolkitPlaces(search). The
  /// device must stay open.
  static Result<CublasLt> open(const Device &device, const CudaSearch &search);

  /// 130000 for 13.0.0.
  size_t version() const;
  const std::string &libraryPath() const;

  /// All algorithms that the heuristics propose for the problem, best guess
  /// first, at most `most`; each runs on the problem's matrices. The workspace
  /// of 256 MiB belongs to `stream`, the only stream to launch them in.
  Result<std::vector<Launchable>> algorithms(const GemmProblem &problem, const Stream &stream,
                                             unsigned most = 8) const;

  /// The fastest of them by a short benchmark.
  Result<Launchable> fastest(const GemmProblem &problem, Stream &stream) const;

private:
  struct Library;
  explicit CublasLt(std::shared_ptr<Library> library) : library(std::move(library)) {}

  std::shared_ptr<Library> library;
};

} // namespace tilec::runtime

#endif // TILEC_RUNTIME_CUBLASLT_H
