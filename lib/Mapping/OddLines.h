//===- OddLines.h - Lines that begin where no vector does --------*- C++ -*-===//

#ifndef TILEC_MAPPING_ODDLINES_H
#define TILEC_MAPPING_ODDLINES_H

#include "Schemes.h"
#include "Skew.h"
#include "llvm/Support/MathExtras.h"

namespace tilec::mapping {

/// How a block loads lines, along the dimension of the result's rows, of what it stages. Line i of a tile is loaded from `factor` * (i % `period`) - `back` on, counted from
/// the first element that is needed of each, `loaded` elements of it.
struct OddLines {
  /// `mapping` is one of listOddLines, where rows of the result begin as `rows` says.
  OddLines(const Problem &problem, const Mapping &mapping, const Skew &rows);

  int64_t factor, period, back;
  /// Elements of each line of the tile in shared memory that come before those that are needed.
  int64_t ahead, loaded;
  /// Where the first line lies from the block's place on, so many lines `before` the first that is needed; how many there are, and how many threads load at once.
  int64_t first, before, count, pass;
  /// Rows of the result so far from each other read what lies a bank further.
  int64_t apart;

  /// Elements that are loaded for each that is read.
  double getShareLoaded(const Mapping &mapping) const { return double(loaded * count) / double(mapping.tile[mapping.row] * mapping.tile[mapping.column]); }
  /// What lies between the ends of lines in shared memory, in elements, but for whole vectors.
  int64_t getStride(const Mapping &mapping) const { return llvm::mod(-factor, mapping.vector); }
  /// The loops on threads that read the tile, vectors of the result's rows, without conflicts of banks where rows begin so that there are none.
  llvm::SmallVector<LoopOver> getLoops(const Mapping &mapping, NestWriter &writer) const;
};

/// Streams whose crossed inputs are loaded so; `streams` says what is staged, `getSkew` where the result's rows of a mapping begin.
std::vector<Mapping> listOddLines(const Problem &problem, const Mapping &streams, llvm::function_ref<std::optional<Skew>(const Mapping &)> getSkew);
/// Fills tiles in shared memory with what `mapping` says is staged of `operands`.
llvm::SmallVector<Placed> writeOddLines(const Problem &problem, const Mapping &mapping, const OddLines &lines, llvm::ArrayRef<Placed> operands, NestWriter &writer);

} // namespace tilec::mapping

#endif // TILEC_MAPPING_ODDLINES_H
