//===- Banks.h - Shared-memory bank conflicts of a layout -------*- C++ -*-===//
//
// How many wavefronts one warp-wide access takes. Rules: 32 banks of 4 bytes; 8-byte accesses go by
// half warps and 16-byte accesses by quarter warps; lanes that read the same word share it (NVIDIA
// forum thread 77228).
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LAYOUT_BANKS_H
#define TILEC_LAYOUT_BANKS_H

#include "tilec/Layout/Swizzle.h"

#include <optional>

namespace tilec::layout {

struct BankModel {
  int64_t banks = 32;
  /// Bytes that one bank delivers in a wavefront; one word.
  int64_t bankBytes = 4;
  /// Compute capability 7.0 and later: two phases become one if, for the whole warp, every lane T
  /// has the address of lane T^1, or every lane T that of lane T^2. Idle lanes agree with any.
  bool mergeEqualPairs = false;
  /// Lanes that ask for one word take turns, as those of atomic operations do, instead of sharing it.
  bool takesTurns = false;
};

/// Several words of one bank that one phase asks for, or several lanes where they take turns.
struct BankConflict {
  int64_t phase;
  int64_t bank;
  /// The lanes that use this bank in this phase, ascending.
  std::vector<int64_t> lanes;
  /// The byte address of each distinct word, ascending; as many wavefronts as words, or as lanes.
  std::vector<int64_t> addresses;
};

struct BankReport {
  /// Wavefronts that the access takes: over its phases, the sum of the most words in one bank.
  int64_t wavefronts = 0;
  /// Wavefronts without any conflict: one for each phase with an active lane.
  int64_t idealWavefronts = 0;
  std::vector<BankConflict> conflicts;

  /// 1 if there is no conflict.
  double degree() const {
    return idealWavefronts ? static_cast<double>(wavefronts) / idealWavefronts : 1.0;
  }
};

/// What analyzeBankAddresses counts, without the conflicts in full.
struct BankCount {
  int64_t wavefronts = 0;
  int64_t idealWavefronts = 0;
  /// Different words that the lanes ask for.
  int64_t words = 0;
};

/// Counts the wavefronts of the byte addresses of at most 32 lanes. Errors as below.
Result<BankCount> countWavefronts(const std::vector<std::optional<int64_t>> &addresses,
                                  int64_t accessBytes, const BankModel &model = BankModel());

/// Analyses the byte addresses of at most 32 lanes, no value for an inactive lane.
/// Errors: accessBytes not 1, 2, 4, 8 or 16, or a misaligned or negative address.
Result<BankReport> analyzeBankAddresses(const std::vector<std::optional<int64_t>> &addresses,
                                        int64_t accessBytes, const BankModel &model = BankModel());

/// One warp-wide access to a tile. `lanes` is of rank 2: (lane, value) -> logical index of the
/// tile; the values of a lane are what its one instruction moves. For ldmatrix and stmatrix a
/// lane's values are the 16-byte row whose address it gives.
struct WarpAccess {
  Layout lanes;
  int64_t elementBytes = 0;
  int64_t accessBytes = 0;
};

/// Analyses an access to a tile that lies in shared memory as `tile` says, from byte 0 on.
/// Errors: as above; more than 32 lanes, values that do not fill the access or do not lie side by
/// side, an index outside the tile.
Result<BankReport> analyzeBanks(const ComposedLayout &tile, const WarpAccess &access,
                                const BankModel &model = BankModel());

/// A tile to place in shared memory.
struct TileShape {
  int64_t rows;
  int64_t columns;
  /// True if the elements of a row lie side by side.
  bool rowMajor;
};

/// A way to place a tile.
struct Placement {
  ComposedLayout layout;
  /// Elements that the buffer needs.
  int64_t elements;
};

/// Every placement to try, the smallest buffer first: as it is, swizzled, and with padded rows
/// (columns, if column-major). Accesses of `chunkBytes` stay whole and aligned; what is not a power
/// of two, or above 16, never is. Error: an overflow.
Result<std::vector<Placement>> listPlacements(const TileShape &tile, int64_t elementBytes,
                                              int64_t chunkBytes,
                                              const BankModel &model = BankModel());

/// A placement and its proof.
struct BankFreeTile {
  ComposedLayout layout;
  /// Elements that the buffer needs.
  int64_t elements;
  /// The report of each access, in order.
  std::vector<BankReport> reports;
};

/// The placement with the smallest buffer under which no access conflicts: as it is, swizzled, or
/// with padded rows (columns, if column-major), in this order among equals. All accesses have the
/// same element size. Error: none found, with the best degree seen.
Result<BankFreeTile> findConflictFreeTile(const TileShape &tile,
                                          const std::vector<WarpAccess> &accesses,
                                          const BankModel &model = BankModel());

} // namespace tilec::layout

#endif // TILEC_LAYOUT_BANKS_H
