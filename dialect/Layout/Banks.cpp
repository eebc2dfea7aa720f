//===- Banks.cpp - Shared-memory bank conflicts of a layout -----*- C++ -*-===//

#include "tilec/Layout/Banks.h"

#include <algorithm>
#include <map>
#include <set>

using namespace tilec::layout;

static constexpr int64_t kWarpLanes = 32;

/// True if every lane has the address of the lane whose number differs by `mask`.
static bool pairsAgree(const std::vector<std::optional<int64_t>> &addresses, size_t mask) {
  for (size_t lane = 0; lane < addresses.size(); ++lane) {
    size_t other = lane ^ mask;
    if (other < addresses.size() && addresses[lane] && addresses[other] &&
        *addresses[lane] != *addresses[other])
      return false;
  }
  return true;
}

/// The lanes that go together, or why they cannot go at all.
static Result<int64_t> getLanesPerPhase(const std::vector<std::optional<int64_t>> &addresses,
                                        int64_t accessBytes, const BankModel &model) {
  if (accessBytes != 1 && accessBytes != 2 && accessBytes != 4 && accessBytes != 8 &&
      accessBytes != 16)
    return Error{"an access of " + std::to_string(accessBytes) +
                 " bytes, 1, 2, 4, 8 or 16 is possible"};
  if (model.banks < 1 || model.bankBytes < 1)
    return Error{"a memory of " + std::to_string(model.banks) + " banks of " +
                 std::to_string(model.bankBytes) + " bytes, at least 1 of each is needed"};
  if (addresses.size() > kWarpLanes)
    return Error{std::to_string(addresses.size()) + " lanes, a warp has 32"};
  for (size_t lane = 0; lane < addresses.size(); ++lane)
    if (addresses[lane] && (*addresses[lane] < 0 || *addresses[lane] % accessBytes != 0))
      return Error{"lane " + std::to_string(lane) + ": address " +
                   std::to_string(*addresses[lane]) + " is not a multiple of " +
                   std::to_string(accessBytes) + ", the width of the access"};
  int64_t phases = std::max<int64_t>(1, accessBytes / 4);
  if (model.mergeEqualPairs && !model.takesTurns && phases > 1 && (pairsAgree(addresses, 1) || pairsAgree(addresses, 2)))
    phases /= 2;
  return kWarpLanes / phases;
}

Result<BankCount>
tilec::layout::countWavefronts(const std::vector<std::optional<int64_t>> &addresses,
                               int64_t accessBytes, const BankModel &model) {
  Result<int64_t> lanesPerPhase = getLanesPerPhase(addresses, accessBytes, model);
  if (!lanesPerPhase)
    return lanesPerPhase.error();
  BankCount count;
  // (bank, word) pairs of a phase in order: words of one bank are neighbours.
  std::vector<std::pair<int64_t, int64_t>> words;
  std::vector<int64_t> all;
  for (size_t first = 0; first < addresses.size(); first += *lanesPerPhase) {
    words.clear();
    size_t end = std::min<size_t>(first + *lanesPerPhase, addresses.size());
    for (size_t lane = first; lane < end; ++lane) {
      if (!addresses[lane])
        continue;
      int64_t last = (*addresses[lane] + accessBytes - 1) / model.bankBytes;
      for (int64_t word = *addresses[lane] / model.bankBytes; word <= last; ++word)
        words.emplace_back(word % model.banks, word);
    }
    std::sort(words.begin(), words.end());
    if (!model.takesTurns)
      words.erase(std::unique(words.begin(), words.end()), words.end());
    int64_t most = 0, inBank = 0;
    for (size_t i = 0; i < words.size(); ++i) {
      inBank = i > 0 && words[i].first == words[i - 1].first ? inBank + 1 : 1;
      most = std::max(most, inBank);
      all.push_back(words[i].second);
    }
    count.wavefronts += most;
    count.idealWavefronts += most > 0;
  }
  std::sort(all.begin(), all.end());
  count.words = std::unique(all.begin(), all.end()) - all.begin();
  return count;
}

Result<BankReport>
tilec::layout::analyzeBankAddresses(const std::vector<std::optional<int64_t>> &addresses,
                                    int64_t accessBytes, const BankModel &model) {
  Result<int64_t> together = getLanesPerPhase(addresses, accessBytes, model);
  if (!together)
    return together.error();
  int64_t lanesPerPhase = *together, phases = kWarpLanes / lanesPerPhase;

  BankReport report;
  for (int64_t phase = 0; phase < phases; ++phase) {
    std::map<int64_t, std::set<int64_t>> wordsOfBank, lanesOfBank;
    int64_t end = std::min<int64_t>((phase + 1) * lanesPerPhase, addresses.size());
    for (int64_t lane = phase * lanesPerPhase; lane < end; ++lane) {
      if (!addresses[lane])
        continue;
      int64_t firstWord = *addresses[lane] / model.bankBytes;
      int64_t lastWord = (*addresses[lane] + accessBytes - 1) / model.bankBytes;
      for (int64_t word = firstWord; word <= lastWord; ++word) {
        wordsOfBank[word % model.banks].insert(word);
        lanesOfBank[word % model.banks].insert(lane);
      }
    }
    int64_t most = 0;
    for (const auto &[bank, words] : wordsOfBank) {
      const std::set<int64_t> &lanes = lanesOfBank[bank];
      size_t passes = model.takesTurns ? lanes.size() : words.size();
      most = std::max<int64_t>(most, passes);
      if (passes < 2)
        continue;
      BankConflict conflict{phase, bank, {lanes.begin(), lanes.end()}, {}};
      for (int64_t word : words)
        conflict.addresses.push_back(word * model.bankBytes);
      report.conflicts.push_back(std::move(conflict));
    }
    report.wavefronts += most;
    report.idealWavefronts += most > 0;
  }
  return report;
}

/// The byte address of each lane, or why the access is not one instruction.
static Result<std::vector<std::optional<int64_t>>> laneAddresses(const ComposedLayout &tile,
                                                                 const WarpAccess &access) {
  if (!tile.layout().isStatic() || !access.lanes.isStatic())
    return Error{"bank analysis of a symbolic layout: " + tile.str() + ", " + access.lanes.str()};
  if (access.lanes.rank() != 2)
    return Error{"the access layout " + access.lanes.str() + " has rank " +
                 std::to_string(access.lanes.rank()) + ", (lane, value) is needed"};
  if (access.elementBytes < 1 || access.elementBytes > 16)
    return Error{"elements of " + std::to_string(access.elementBytes) +
                 " bytes, between 1 and 16 is possible"};
  int64_t lanes = access.lanes.mode(0).size(), values = access.lanes.mode(1).size();
  if (lanes > kWarpLanes)
    return Error{std::to_string(lanes) + " lanes, a warp has 32"};
  if (values > 16 || values * access.elementBytes != access.accessBytes)
    return Error{std::to_string(values) + " values of " + std::to_string(access.elementBytes) +
                 " bytes do not fill an access of " + std::to_string(access.accessBytes)};
  if (access.lanes.cosize() > tile.size())
    return Error{"the access reaches index " + std::to_string(access.lanes.cosize() - 1) +
                 " of a tile of " + std::to_string(tile.size()) + " elements"};

  std::vector<std::optional<int64_t>> addresses;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    int64_t first[2] = {lane, 0};
    int64_t start = tile(access.lanes.at(first, 2));
    for (int64_t value = 1; value < values; ++value) {
      int64_t coordinate[2] = {lane, value};
      int64_t offset = tile(access.lanes.at(coordinate, 2));
      if (offset != start + value)
        return Error{"value " + std::to_string(value) + " of lane " + std::to_string(lane) +
                     " lies at offset " + std::to_string(offset) + ", one access from offset " +
                     std::to_string(start) + " on needs it at " + std::to_string(start + value)};
    }
    if (start > INT64_MAX / access.elementBytes)
      return Error{"the address of lane " + std::to_string(lane) + " overflows 64 bits"};
    addresses.push_back(start * access.elementBytes);
  }
  return addresses;
}

Result<BankReport> tilec::layout::analyzeBanks(const ComposedLayout &tile, const WarpAccess &access,
                                               const BankModel &model) {
  Result<std::vector<std::optional<int64_t>>> addresses = laneAddresses(tile, access);
  if (!addresses)
    return addresses.error();
  return analyzeBankAddresses(*addresses, access.accessBytes, model);
}
