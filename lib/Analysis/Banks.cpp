//===- Banks.cpp - Bank conflicts of a nest's accesses ----------*- C++ -*-===//

#include "RequestClasses.h"

#include "tilec/Analysis/CopyPlan.h"
#include "tilec/Analysis/WarpRequests.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;

double BankAccess::degree() const {
  return idealWavefronts ? static_cast<double>(wavefronts) / static_cast<double>(idealWavefronts)
                         : 1.0;
}

layout::BankModel tilec::analysis::getBankModel(const MachineSpec &machine) {
  return {machine.limits.smemBanks.value, machine.limits.smemBankWidth.value,
          machine.computeCapability() >= std::pair(7, 0)};
}

/// Requests that are looked at for one access.
constexpr size_t kMostRequests = 1 << 15;

namespace {

class Counter {
public:
  Counter(const NestModel &model, const layout::BankModel &banks) : model(model), banks(banks) {}

  /// False where the site cannot be described by addresses that are aligned.
  bool count(BankAccess &access) {
    const AccessSite &site = access.site;
    const layout::ComposedLayout &layout = *model.tiles[site.root].layout;
    // Where all lanes move by the same whole words their requests turn the banks round: all cost the
    // same, wherever they start.
    bool alike = getStrides(layout) && site.elementBytes % banks.bankBytes == 0;
    auto classes = classifyStarts(site, model, [&](unsigned, int64_t start) {
      return StartKey{alike ? 0 : start, 0, 0};
    });
    size_t most = site.warps.size() * site.steps.size();
    if (!alike && classes && classes->size() * most > kMostRequests)
      classes.reset();
    if (alike && !classes) {
      // Loops that move several dimensions do no harm here.
      int64_t times = 1;
      for (auto [number, count] : site.loops)
        times *= count;
      classes = {{SmallVector<int64_t, 4>(site.at.size(), 0), times}};
    }
    RequestTotals totals;
    auto elementOf = [&](MutableArrayRef<int64_t> at) {
      return std::optional<int64_t>(layout.at(at.data(), at.size()));
    };
    SmallVector<int64_t, 4> origin(site.at.size(), 0);
    std::vector<StartClass> first = {{origin, 0}};
    for (const StartClass &start : classes ? *classes : first)
      for (const WarpLanes &warp : site.warps)
        for (const AccessStep &step : site.steps) {
          auto addresses = getAddresses(site, warp, start.start, step.by, elementOf);
          auto cost = layout::countWavefronts(addresses, site.bytesPerLane(), banks);
          if (!cost)
            return false;
          int64_t full = llvm::divideCeil(cost->words, banks.banks);
          int64_t ideal = std::max(cost->idealWavefronts, full), times = start.times * step.times;
          if (isWorse(access, cost->wavefronts, ideal))
            describeWorst(access, warp, addresses, cost->wavefronts, ideal);
          if (alike)
            times *= countSteps(site);
          totals.requests += times;
          totals.cost += times * cost->wavefronts;
          totals.ideal += times * ideal;
          if (alike)
            break; // The others cost the same.
        }
    if (classes && !site.unmodelled)
      access.total = totals;
    return true;
  }

private:
  /// Instructions of all steps, over those of the first.
  static int64_t countSteps(const AccessSite &site) {
    int64_t steps = 0;
    for (const AccessStep &step : site.steps)
      steps += step.times;
    return steps / site.steps.front().times;
  }

  static bool isWorse(const BankAccess &access, int64_t wavefronts, int64_t ideal) {
    return access.wavefronts == 0 ||
           wavefronts - ideal > access.wavefronts - access.idealWavefronts;
  }

  void describeWorst(BankAccess &access, const WarpLanes &warp,
                     const std::vector<std::optional<int64_t>> &addresses, int64_t wavefronts,
                     int64_t ideal) {
    access.warp = warp.warp;
    access.wavefronts = wavefronts;
    access.idealWavefronts = ideal;
    access.threads.clear();
    access.addresses.clear();
    if (wavefronts == ideal)
      return;
    auto report = layout::analyzeBankAddresses(addresses, access.site.bytesPerLane(), banks);
    auto worst = std::max_element(report->conflicts.begin(), report->conflicts.end(),
                                  [](const auto &a, const auto &b) {
                                    return a.addresses.size() < b.addresses.size();
                                  });
    if (worst == report->conflicts.end())
      return;
    access.bank = worst->bank;
    for (int64_t lane : worst->lanes)
      access.threads.push_back(warp.warp * tile::kWarpThreads + lane);
    access.addresses.assign(worst->addresses.begin(), worst->addresses.end());
  }

  const NestModel &model;
  const layout::BankModel &banks;
};

} // namespace

std::vector<BankAccess> tilec::analysis::analyzeBankAccesses(const NestModel &model,
                                                             const LaunchLayouts &layouts,
                                                             const MachineSpec &machine,
                                                             std::optional<unsigned> onlyTile) {
  layout::BankModel banks = getBankModel(machine);
  std::vector<BankAccess> accesses;
  for (AccessSite &site : findAccessSites(model, layouts, onlyTile)) {
    if (!site.shared || site.warps.empty())
      continue;
    BankAccess access;
    access.site = std::move(site);
    if (Counter(model, banks).count(access))
      accesses.push_back(std::move(access));
  }
  return accesses;
}

std::string tilec::analysis::describe(const BankAccess &access) {
  std::string text = std::string("a warp ") + (access.site.writes ? "writes " : "reads ") +
                     access.site.name + " in shared memory in " +
                     std::to_string(access.wavefronts) + " wavefronts instead of " +
                     std::to_string(access.idealWavefronts);
  if (!access.threads.empty())
    text += ": threads " + listSome(access.threads) + " use bank " + std::to_string(access.bank) +
            " at bytes " + listSome(access.addresses);
  return text;
}
