//===- BankSearch.cpp - A placement without bank conflicts ------*- C++ -*-===//

#include "tilec/Layout/Banks.h"

#include "CheckedMath.h"

#include <algorithm>

using namespace tilec::layout;

/// The tile with `pitch` elements from one row (column) to the next.
static Result<Layout> pitched(const TileShape &tile, int64_t pitch) {
  IntTuple shape = IntTuple::tuple({tile.rows, tile.columns});
  return Layout::get(shape,
                     tile.rowMajor ? IntTuple::tuple({pitch, 1}) : IntTuple::tuple({1, pitch}));
}

Result<std::vector<Placement>> tilec::layout::listPlacements(const TileShape &tile,
                                                             int64_t elementBytes,
                                                             int64_t chunkBytes,
                                                             const BankModel &model) {
  int64_t inner = tile.rowMajor ? tile.columns : tile.rows;
  int64_t outer = tile.rowMajor ? tile.rows : tile.columns;
  Result<Layout> plain = pitched(tile, inner);
  if (!plain)
    return plain.error();
  auto bytes = checkedMul(plain->cosize(), elementBytes);
  if (!bytes)
    return Error{"the bytes of a tile of " + plain->str() + " overflow 64 bits"};
  std::vector<Placement> list{{*plain, plain->cosize()}};

  // The units that move are accesses, swizzling inside one would tear it apart; and of narrow
  // elements whole words may have to move to reach every bank.
  for (int base = 0; (elementBytes << base) <= 16; ++base) {
    if ((elementBytes << base) < chunkBytes)
      continue;
    for (int bits = 1; bits <= 5; ++bits)
      for (int shift = bits; bits + base + shift <= 32; ++shift) {
        Result<Swizzle> swizzle = Swizzle::get(bits, base, shift);
        if (!swizzle || plain->cosize() % swizzle->blockSize() != 0 ||
            (int64_t(1) << (base + shift)) >= plain->cosize())
          continue;
        Result<ComposedLayout> layout = ComposedLayout::get(*swizzle, 0, *plain);
        if (layout)
          list.push_back({*layout, plain->cosize()});
      }
  }

  // Every row must start aligned to an access. A pad of all banks is no pad.
  int64_t step = std::max<int64_t>(1, chunkBytes / elementBytes);
  int64_t firstPad = inner % step == 0 ? step : step - inner % step;
  for (int64_t pad = firstPad; pad * elementBytes < model.banks * model.bankBytes; pad += step) {
    auto pitch = checkedAdd(inner, pad);
    auto elements = pitch ? checkedMul(*pitch, outer) : std::nullopt;
    Result<Layout> padded = elements ? pitched(tile, *pitch) : plain;
    if (elements && padded)
      list.push_back({*padded, *elements});
  }
  return list;
}

Result<BankFreeTile> tilec::layout::findConflictFreeTile(const TileShape &tile,
                                                         const std::vector<WarpAccess> &accesses,
                                                         const BankModel &model) {
  if (accesses.empty())
    return Error{"no access is given, so every placement is free of conflicts"};
  int64_t elementBytes = accesses[0].elementBytes, chunkBytes = 1;
  for (const WarpAccess &access : accesses) {
    if (access.elementBytes != elementBytes)
      return Error{"accesses with elements of " + std::to_string(elementBytes) + " and " +
                   std::to_string(access.elementBytes) + " bytes to one tile"};
    chunkBytes = std::max(chunkBytes, access.accessBytes);
  }
  if (elementBytes < 1 || chunkBytes > 16)
    return Error{"elements of " + std::to_string(elementBytes) + " bytes, accesses of " +
                 std::to_string(chunkBytes) + "; 1 to 16 is possible"};
  Result<std::vector<Placement>> list = listPlacements(tile, elementBytes, chunkBytes, model);
  if (!list)
    return list.error();

  double best = 0;
  std::string bestLayout;
  Error lastError;
  for (const Placement &candidate : *list) {
    std::vector<BankReport> reports;
    double worst = 0;
    for (const WarpAccess &access : accesses) {
      Result<BankReport> report = analyzeBanks(candidate.layout, access, model);
      if (!report) {
        lastError = report.error();
        break;
      }
      worst = std::max(worst, report->degree());
      reports.push_back(*std::move(report));
    }
    if (reports.size() < accesses.size())
      continue;
    if (worst == 1.0)
      return BankFreeTile{candidate.layout, candidate.elements, std::move(reports)};
    if (bestLayout.empty() || worst < best) {
      best = worst;
      bestLayout = candidate.layout.str();
    }
  }
  if (bestLayout.empty())
    return Error{"no placement allows these accesses: " + lastError.message};
  return Error{"none of " + std::to_string(list->size()) +
               " placements is free of conflicts; the best, " + bestLayout + ", has degree " +
               std::to_string(best)};
}
