//===- RequestClasses.h - Executions that cost the same ----------*- C++ -*-===//
//
// A kernel executes an access millions of times, but from few kinds of places:
// those are told apart, and counted.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_ANALYSIS_REQUESTCLASSES_H
#define TILEC_LIB_ANALYSIS_REQUESTCLASSES_H

#include "tilec/Analysis/AccessSites.h"

namespace tilec::analysis {

/// Executions of an access that start alike.
struct StartClass {
  /// One of the places that they start from.
  llvm::SmallVector<int64_t, 4> start;
  int64_t times = 0;
};

/// Tells starts along a dimension apart: those with equal keys count as one. The first two numbers say what lies beyond the edges, and move one
/// way only as the start grows; the third is a multiple of the start modulo something, or the start itself.
using StartKey = std::array<int64_t, 3>;

/// The coordinates that lanes and steps of a site add to a start.
class StartSpans {
public:
  explicit StartSpans(const AccessSite &site);
  /// How many of the coordinates along dimension `dim` from `start` on lie below 0, and how many above
  /// `extent` - 1.
  std::pair<int64_t, int64_t> getClips(unsigned dim, int64_t start, int64_t extent) const;
  /// What is added to a start along `dim`.
  int64_t getLowest(unsigned dim) const { return lowest[dim]; }
  int64_t getHighest(unsigned dim) const { return highest[dim]; }

private:
  llvm::SmallVector<int64_t> lowest, highest;
};

/// Does a lane at these coordinates take part: are the sums that `site` guards in their ranges?
bool meetsGuards(const AccessSite &site, llvm::ArrayRef<int64_t> at);

/// The executions of `site` in the whole grid. Absent where there are too many classes.
std::optional<std::vector<StartClass>>
classifyStarts(const AccessSite &site, const NestModel &model,
               llvm::function_ref<StartKey(unsigned dim, int64_t start)> keyOf);

/// The byte address of each lane of `warp` from the start of tile or operand on, for an execution
/// from `start` plus `step` on; `elementOf` has the element number of coordinates, or none where the
/// lane does not ask.
std::vector<std::optional<int64_t>>
getAddresses(const AccessSite &site, const WarpLanes &warp, llvm::ArrayRef<int64_t> start,
             llvm::ArrayRef<int64_t> step,
             llvm::function_ref<std::optional<int64_t>(llvm::MutableArrayRef<int64_t>)> elementOf);

/// "0, 1, 2 ... (32)"
std::string listSome(llvm::ArrayRef<int64_t> numbers);

} // namespace tilec::analysis

#endif // TILEC_LIB_ANALYSIS_REQUESTCLASSES_H
