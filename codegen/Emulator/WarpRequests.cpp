//===- WarpRequests.cpp - What one request of a warp costs ----*- C++ -*-===//
//
// See WarpRequests.h.
//
//===----------------------------------------------------------------------===//

#include "WarpRequests.h"

#include <algorithm>

namespace tilec::emulator {

namespace {

constexpr unsigned lanes = 32;
constexpr unsigned banks = 32;
constexpr unsigned bankBytes = 4;
constexpr unsigned sectorBytes = 32;

bool isActive(const WarpRequest &request, unsigned lane) { return request.active >> lane & 1; }

/// Do all pairs of active lanes that differ by `distance` agree?
bool pairsAgree(const WarpRequest &request, unsigned distance) {
  for (unsigned lane = 0; lane < lanes; ++lane)
    if (isActive(request, lane) && isActive(request, lane ^ distance) &&
        request.offsets[lane] != request.offsets[lane ^ distance])
      return false;
  return true;
}

/// Most different words of one bank among `count` lanes from `first` on; 0
/// where none of them is active.
unsigned passDegree(const WarpRequest &request, unsigned first, unsigned count) {
  uint32_t words[banks][lanes];
  unsigned used[banks] = {};
  unsigned degree = 0;
  const unsigned wordsPerLane = std::max(1u, request.bytes / bankBytes);
  for (unsigned lane = first; lane < first + count; ++lane) {
    if (!isActive(request, lane))
      continue;
    for (unsigned i = 0; i < wordsPerLane; ++i) {
      const uint32_t word = request.offsets[lane] / bankBytes + i;
      const unsigned bank = word % banks;
      uint32_t *end = words[bank] + used[bank];
      if (!request.takesTurns && std::find(words[bank], end, word) != end)
        continue;
      *end = word;
      degree = std::max(degree, ++used[bank]);
    }
  }
  return degree;
}

} // namespace

unsigned listSectors(const WarpRequest &request, uint32_t sectors[lanes]) {
  unsigned count = 0;
  bool ascending = true;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if (!isActive(request, lane))
      continue;
    const uint32_t sector = request.offsets[lane] / sectorBytes;
    if (count && sector == sectors[count - 1])
      continue;
    ascending &= count == 0 || sector > sectors[count - 1];
    sectors[count++] = sector;
  }
  if (ascending)
    return count;
  std::sort(sectors, sectors + count);
  return std::unique(sectors, sectors + count) - sectors;
}

unsigned countAddresses(const WarpRequest &request) {
  uint32_t offsets[lanes];
  unsigned count = 0;
  for (unsigned lane = 0; lane < lanes; ++lane)
    if (isActive(request, lane) && std::find(offsets, offsets + count, request.offsets[lane]) == offsets + count)
      offsets[count++] = request.offsets[lane];
  return count;
}

Wavefronts countWavefronts(const WarpRequest &request) {
  unsigned lanesPerPass = lanes;
  if (request.bytes > bankBytes) {
    lanesPerPass = lanes * bankBytes / request.bytes;
    if (!request.takesTurns && (pairsAgree(request, 1) || pairsAgree(request, 2)))
      lanesPerPass *= 2;
  }
  Wavefronts result;
  for (unsigned first = 0; first < lanes; first += lanesPerPass) {
    const unsigned degree = passDegree(request, first, lanesPerPass);
    result.actual += degree;
    result.ideal += degree != 0;
    result.degree = std::max(result.degree, degree);
  }
  return result;
}

} // namespace tilec::emulator
