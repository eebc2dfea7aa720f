//===- BoxRows.h - Bytes of an operand that boxes take ------------*- C++ -*-===//
//
// A box has thousands of elements, but few rows that lie in one piece each.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_ANALYSIS_BOXROWS_H
#define TILEC_LIB_ANALYSIS_BOXROWS_H

#include "tilec/Analysis/AccessSites.h"

namespace tilec::analysis {

class BoxRows {
public:
  /// Of an operand of extents `shape` that lies as `layout` says.
  BoxRows(const AccessSite &site, const OperandLayout &layout, llvm::ArrayRef<int64_t> shape) : site(site), layout(layout), shape(shape) {}

  /// Adds what of the site's box that begins at `first` plus `start` lies inside of the operand.
  void add(llvm::ArrayRef<int64_t> first, llvm::ArrayRef<int64_t> start);
  /// Different bytes.
  int64_t countBytes() const;
  /// Different pieces of `size` bytes, each from a multiple of `size` on, with some of the bytes.
  int64_t countTouched(int64_t size) const;

private:
  /// Bytes from the operand's start on, the first one and the one behind the last.
  using Row = std::pair<int64_t, int64_t>;
  /// Sorts rows and joins those that meet.
  void join();

  const AccessSite &site;
  const OperandLayout &layout;
  llvm::ArrayRef<int64_t> shape;
  std::vector<Row> rows;
};

} // namespace tilec::analysis

#endif // TILEC_LIB_ANALYSIS_BOXROWS_H
