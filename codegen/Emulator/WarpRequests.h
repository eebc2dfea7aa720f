//===- WarpRequests.h - What one request of a warp costs ------*- C++ -*-===//
//
// Pure functions of the addresses that the lanes of a warp ask for at once.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_EMULATOR_WARPREQUESTS_H
#define TILEC_EMULATOR_WARPREQUESTS_H

#include <cstdint>

namespace tilec::emulator {

/// One request: byte offsets from an aligned base, of the lanes in `active`.
/// All lanes move `bytes` (1 to 16, a power of two) and are aligned to that.
struct WarpRequest {
  const uint32_t *offsets = nullptr;
  uint32_t active = 0;
  unsigned bytes = 0;
  /// Of an atomic operation: lanes that want one word take turns.
  bool takesTurns = false;
};

/// Writes the distinct 32-byte sectors, ascending; returns how many (0 to 32).
unsigned listSectors(const WarpRequest &request, uint32_t sectors[32]);

/// Different addresses of the active lanes: constant memory serves one after the other. (CUDA C++
/// Programming Guide 13.0, "Constant Memory": a request is split into as many as there are
/// different addresses in it.)
unsigned countAddresses(const WarpRequest &request);

struct Wavefronts {
  /// Passes of 32 banks that deliver the request.
  unsigned actual = 0;
  /// Passes if every bank had only one word in each.
  unsigned ideal = 0;
  /// Most words of one bank in one pass.
  unsigned degree = 0;
};

/// Shared memory's passes. 4 bytes a lane and less are one pass. 8 and 16 bytes
/// a lane are 2 and 4 passes of 16 and 8 lanes each; they are halved (32 and 16
/// lanes) where all pairs T, T^1, or all pairs T, T^2, want equal addresses.
/// (Measurements in NVIDIA forum thread 77228.) Of an atomic operation as many as one bank has lanes.
Wavefronts countWavefronts(const WarpRequest &request);

} // namespace tilec::emulator

#endif // TILEC_EMULATOR_WARPREQUESTS_H
