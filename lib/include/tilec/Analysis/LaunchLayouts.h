//===- LaunchLayouts.h - How a launch lays operands out ----------*- C++ -*-===//
//
// Strides that a kernel leaves open are a launch's own. One rule says what they are: to the
// analysis, which counts for them, and to a run, which makes arrays of them.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_LAUNCHLAYOUTS_H
#define TILEC_ANALYSIS_LAUNCHLAYOUTS_H

#include "llvm/ADT/SmallVector.h"

#include <map>
#include <optional>

namespace tilec::analysis {

class NestModel;

/// How an operand's layout is known where its type leaves it open.
struct OperandLayout {
  llvm::SmallVector<int64_t> strides;
  /// Elements from an address that is a multiple of 256 bytes to element 0.
  int64_t offset = 0;
};

/// Layouts of all operands of a launch by argument number.
using LaunchLayouts = std::map<unsigned, OperandLayout>;

/// What is wanted of the strides that a kernel leaves open.
struct OpenLayout {
  /// The first dimension is the contiguous one, not the last.
  bool columns = false;
  /// Elements between one row (column) and the next, and a number that their distance is to be a multiple of.
  int64_t gap = 0;
  int64_t multiple = 1;
};

/// Do strides, absent where a kernel leaves them open, ask for columns?
bool takesColumns(llvm::ArrayRef<std::optional<int64_t>> strides);

/// The strides of an operand of `shape`: those that are there, and others so that nothing overlaps. The largest number stands for those that
/// pass it.
llvm::SmallVector<int64_t> layOut(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<std::optional<int64_t>> strides, const OpenLayout &open);

/// The layouts of all operands: strides that a type gives; for others those of a dense row-major
/// operand, whose last dimension has stride 1, or the first one where the type says so and leaves the last one open; aligned. Workspaces of
/// a program have the gaps that it gives them.
LaunchLayouts getDenseLayouts(const NestModel &model);

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_LAUNCHLAYOUTS_H
