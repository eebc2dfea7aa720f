//===- SiteBuilder.h - Sites and the lanes that access at them --*- C++ -*-===//
//
// What all kinds of accesses to memory have in common: where a site begins, which
// threads take part, and what each lane adds.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_ANALYSIS_SITEBUILDER_H
#define TILEC_LIB_ANALYSIS_SITEBUILDER_H

#include "tilec/Analysis/AccessSites.h"
#include "tilec/Analysis/CopyPlan.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <functional>
#include <vector>

namespace tilec::analysis {

class SiteBuilder {
public:
  SiteBuilder(const NestModel &model, const LaunchLayouts &layouts);

  /// A new site of the access at `place`, within the loops `around`.
  AccessSite &start(mlir::Operation *op, const Place &place, bool writes, int64_t elementBytes,
                    llvm::ArrayRef<unsigned> around);
  /// Adds to where a site starts a sum of loops; those on threads are the lanes' part.
  void addStart(AccessSite &site, const Subscript &subscript) const;
  /// Adds one instruction: `coordinates(thread)` of each lane of each warp of the first `count` threads.
  static void addWarps(AccessSite &site, llvm::function_ref<LaneCoordinates(int64_t)> coordinates, int64_t count);

  /// Adds the site of the indices that say where the elements of the last one lie, if `place` is gathered: a lane loads one for each
  /// instruction; for boxes one lane loads one for all of them.
  void addIndexSite(const Place &place);

  /// Does `thread` run the loops `around`? Threads beyond those of the outermost loop on threads are
  /// idle; inside of it, what a loop leaves over does the same again.
  bool isActive(llvm::ArrayRef<unsigned> around, int64_t thread) const;
  /// Of threads that do the same in memory the first does it: is a thread one, where `spread` and
  /// the loops around say who holds what?
  std::function<bool(int64_t)> getIsFirst(const tile::Distribution &spread, llvm::ArrayRef<unsigned> around) const;
  /// What the lane of `thread` adds to a sum of loops.
  int64_t coordinateAt(const Subscript &subscript, int64_t thread) const;
  /// What the lane of `thread` adds to the place where an access starts, with its share of what a
  /// register tile has spread.
  llvm::SmallVector<int64_t, 4> coordinatesAt(const Place &place, int64_t thread, const tile::Distribution *spread) const;

  /// For each dimension a number that the lowering knows to divide the coordinate, 0 if it is
  /// always 0; or the coordinate without its constant.
  llvm::SmallVector<int64_t> getDivisors(const Place &place, bool withConstant = true) const;
  CopySource getSource(const Place &place) const;
  /// The same of a tile in shared memory that lies as `layout`.
  TilePlace getTilePlace(const Place &place, const layout::ComposedLayout &layout) const;
  /// Does the launch take this form of moving elements of the operand at `place`?
  bool isTaken(CopyForm form, const Place &place, const CopySource &source, bool whole = false) const;
  /// Does TMA take the operand at `place` as this launch has it, for boxes of `op` that are contiguous along dimension `along`?
  bool takesBoxes(mlir::Operation *op, const Place &place, unsigned along) const;

  int64_t getThreads() const { return threads; }
  /// All sites, each guarded by the loops around it whose extents others move.
  std::vector<AccessSite> takeSites();

  const NestModel &model;
  const LaunchLayouts &layouts;

private:
  std::string nameAt(const Place &place) const;
  /// A number that divides what loops and sizes add to a sum, 0 where that is nothing.
  int64_t getDivisor(const Subscript &subscript) const;
  /// How many elements of the operand lie before `place`, as a sum of loops and sizes.
  static Subscript countBefore(const Place &place, llvm::ArrayRef<int64_t> strides);
  // Of loops on threads; looked up in the nest once each, as every thread asks for them.
  int64_t strideOf(unsigned number) const;
  int64_t threadsOf(unsigned number) const;
  int64_t threadValue(const Term &term, int64_t thread) const;

  int64_t threads;
  /// Of each loop; 0 where nobody has asked yet.
  mutable llvm::SmallVector<int64_t> strides, counts;
  std::vector<AccessSite> sites;
};

/// The sites of copying a tile of shared memory, by all threads of the block or by TMA: what is read, and what is written.
void addCopySites(SiteBuilder &builder, const TileModel &tile, bool reads, bool writes);

/// The site of filling a held tile of shared memory with its initial value.
void addFillSite(SiteBuilder &builder, const TileModel &tile);

} // namespace tilec::analysis

#endif // TILEC_LIB_ANALYSIS_SITEBUILDER_H
