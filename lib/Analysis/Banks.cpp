//===- Banks.cpp - Bank conflicts of a nest's accesses ----------*- C++ -*-===//

#include "tilec/Analysis/CopyPlan.h"
#include "tilec/Analysis/WarpRequests.h"
#include "tilec/Layout/Banks.h"

#include <set>

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;

double BankAccess::degree() const {
  return idealWavefronts ? static_cast<double>(wavefronts) / static_cast<double>(idealWavefronts)
                         : 1.0;
}

static layout::BankModel bankModelOf(const MachineSpec &machine) {
  return {machine.limits.smemBanks.value, machine.limits.smemBankWidth.value,
          machine.computeCapability() >= std::pair(7, 0)};
}

/// Words of all banks that one wavefront brings suffice for the different words of the request.
static int64_t countIdeal(const std::vector<std::optional<int64_t>> &addresses, int64_t bytes,
                          const layout::BankReport &report, const layout::BankModel &banks) {
  std::set<int64_t> words;
  for (std::optional<int64_t> address : addresses)
    for (int64_t byte = 0; address && byte < bytes; byte += std::min(bytes, banks.bankBytes))
      words.insert((*address + byte) / banks.bankBytes);
  int64_t full = llvm::divideCeil(static_cast<int64_t>(words.size()), banks.banks);
  return std::max(report.idealWavefronts, full);
}

/// False where the site cannot be described by addresses that are aligned.
static bool fill(BankAccess &access, const layout::ComposedLayout &layout,
                 const layout::BankModel &banks) {
  const AccessSite &site = access.site;
  for (unsigned warp = 0; warp < site.warps.size(); ++warp) {
    std::vector<std::optional<int64_t>> addresses = getAddresses(site, warp, layout);
    auto report = layout::analyzeBankAddresses(addresses, site.bytesPerLane(), banks);
    if (!report)
      return false;
    int64_t ideal = countIdeal(addresses, site.bytesPerLane(), *report, banks);
    // Ideal counts differ where a warp is partly idle: the worst is the one that loses most.
    if (warp > 0 && report->wavefronts - ideal <= access.wavefronts - access.idealWavefronts)
      continue;
    access.warp = warp;
    access.wavefronts = report->wavefronts;
    access.idealWavefronts = ideal;
    access.threads.clear();
    access.addresses.clear();
    if (report->wavefronts == ideal)
      continue;
    auto worst = std::max_element(report->conflicts.begin(), report->conflicts.end(),
                                  [](const auto &a, const auto &b) {
                                    return a.addresses.size() < b.addresses.size();
                                  });
    if (worst == report->conflicts.end())
      continue;
    access.bank = worst->bank;
    for (int64_t lane : worst->lanes)
      access.threads.push_back(warp * tile::kWarpThreads + lane);
    access.addresses.assign(worst->addresses.begin(), worst->addresses.end());
  }
  return true;
}

/// The smallest stride of the rows of tile `number`, padded by at most one word of each bank, with
/// which none of its accesses loses a wavefront.
static std::optional<int64_t> findFreeStride(const NestModel &model, unsigned number,
                                             ArrayRef<BankAccess> accesses,
                                             const layout::BankModel &banks) {
  const TileModel &tile = model.tiles[number];
  std::optional<SmallVector<int64_t>> strides = getStrides(*tile.layout);
  if (!strides || strides->size() != 2 || ((*strides)[0] != 1 && (*strides)[1] != 1))
    return std::nullopt;
  unsigned row = (*strides)[1] == 1 ? 0 : 1;
  int64_t dense = tile.shape[1 - row];
  int64_t most = banks.banks * banks.bankBytes / tile.elementBytes;
  for (int64_t pad = 0; pad <= most; ++pad) {
    layout::IntTuple distances[2] = {1, 1};
    distances[row] = dense + pad;
    auto padded = layout::Layout::get(layout::IntTuple::tuple({tile.shape[0], tile.shape[1]}),
                                      layout::IntTuple::tuple({distances[0], distances[1]}));
    bool free = llvm::all_of(accesses, [&](const BankAccess &access) {
      if (access.site.root != number)
        return true;
      BankAccess tried;
      tried.site = access.site;
      return fill(tried, *padded, banks) && tried.wavefronts == tried.idealWavefronts;
    });
    if (free)
      return dense + pad;
  }
  return std::nullopt;
}

std::vector<BankAccess> tilec::analysis::analyzeBankAccesses(const NestModel &model,
                                                             const MachineSpec &machine) {
  layout::BankModel banks = bankModelOf(machine);
  std::vector<BankAccess> accesses;
  for (AccessSite &site : findAccessSites(model)) {
    if (!site.shared)
      continue;
    BankAccess access;
    const layout::ComposedLayout &layout = *model.tiles[site.root].layout;
    access.site = std::move(site);
    if (fill(access, layout, banks))
      accesses.push_back(std::move(access));
  }
  for (BankAccess &access : accesses)
    if (!access.threads.empty())
      access.freeStride = findFreeStride(model, access.site.root, accesses, banks);
  return accesses;
}

/// "0, 1, 2 ... (32)"
static std::string listSome(ArrayRef<int64_t> numbers) {
  constexpr size_t kShown = 3;
  std::string text;
  for (int64_t number : numbers.take_front(kShown))
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  if (numbers.size() > kShown)
    text += " ... (" + std::to_string(numbers.size()) + ")";
  return text;
}

std::string tilec::analysis::describe(const BankAccess &access) {
  std::string text = std::string("a warp ") + (access.site.writes ? "writes " : "reads ") +
                     access.site.name + " in shared memory in " +
                     std::to_string(access.wavefronts) + " wavefronts instead of " +
                     std::to_string(access.idealWavefronts);
  if (!access.threads.empty())
    text += ": threads " + listSome(access.threads) + " use bank " + std::to_string(access.bank) +
            " at bytes " + listSome(access.addresses);
  if (access.freeStride)
    text += "; a stride of " + std::to_string(*access.freeStride) + " elements would do";
  return text;
}
