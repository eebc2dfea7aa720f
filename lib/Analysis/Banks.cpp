//===- Banks.cpp - Bank conflicts of a nest's accesses ----------*- C++ -*-===//

#include "RequestClasses.h"

#include "tilec/Analysis/CopyPlan.h"
#include "tilec/Analysis/WarpRequests.h"

#include <numeric>

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
  /// Beyond `most` wavefronts, or wavefronts and requests, counting stops, and the total stays unknown; nobody asks about the worst request.
  Counter(const NestModel &model, const layout::BankModel &banks, BankLimits most) : model(model), banks(banks), most(most) {}
  Counter(const NestModel &model, const layout::BankModel &banks) : model(model), banks(banks), keepsWorst(true) {}

  /// False where the site cannot be described by addresses that are aligned.
  bool count(BankAccess &access) {
    const AccessSite &site = access.site;
    banks.takesTurns = site.atomic;
    if (site.isBulk()) {
      countBoxes(access);
      return true;
    }
    if (site.scattered) { // Known when the kernel runs; taken for rows in order.
      access.wavefronts = access.idealWavefronts = llvm::divideCeil(tile::kWarpThreads * site.bytesPerLane(), banks.banks * banks.bankBytes);
      return true;
    }
    const layout::ComposedLayout &layout = *model.tiles[site.root].layout;
    // Where all lanes move by the same whole words their requests turn the banks round: all cost the
    // same, wherever they start.
    bool alike = getStrides(layout) && site.elementBytes % banks.bankBytes == 0;
    StartSpans spans(site);
    auto getClips = [&](unsigned dim, int64_t start) {
      return spans.getClips(dim, start, site.guards[dim - site.rank()]);
    };
    auto classes = classifyStarts(site, model, [&](unsigned dim, int64_t start) {
      if (dim < site.rank())
        return StartKey{alike ? 0 : start, 0, 0};
      auto [low, high] = getClips(dim, start);
      return StartKey{low, high, 0};
    });
    auto elementOf = [&](MutableArrayRef<int64_t> at) -> std::optional<int64_t> {
      if (!meetsGuards(site, at))
        return std::nullopt;
      return layout.at(at.data(), site.rank());
    };
    // Nothing guards the elements, and each dimension has one stride.
    bool isSum = site.rank() == site.at.size() && layout.layout().modes().size() == site.rank();
    std::optional<int64_t> period = isSum ? getPeriod(site, layout) : std::nullopt;
    /// By the number of the warp, and where in a period its lanes begin.
    llvm::DenseMap<std::pair<size_t, int64_t>, const layout::BankCount *> known;
    std::vector<StartClass> first = {{{}, 0}};
    for (const Subscript &subscript : site.at)
      first.front().start.push_back(subscript.constant);
    RequestTotals totals;
    size_t left = kMostRequests;
    for (const StartClass &start : classes ? *classes : first) {
      bool all = !alike;
      for (size_t dim = site.rank(); dim < site.at.size(); ++dim)
        all |= getClips(dim, start.start[dim]) != std::pair<int64_t, int64_t>();
      for (auto [number, warp] : llvm::enumerate(site.warps))
        for (const AccessStep &step : site.steps) {
          if (left-- == 0 && classes)
            return true; // Too many; the total stays unknown.
          auto findAddresses = [&] {
            return isSum ? getAddressesOfSums(site, warp, layout, getFirst(layout, start.start, step.by)) : getAddresses(site, warp, start.start, step.by, elementOf);
          };
          const layout::BankCount *own = nullptr, *&cost = period ? known[{number, getFirst(layout, start.start, step.by) % *period}] : own;
          if (!cost)
            cost = countRequest(findAddresses(), site.bytesPerLane());
          if (!cost)
            return false;
          int64_t full = llvm::divideCeil(cost->words, banks.banks);
          int64_t ideal = std::max(cost->idealWavefronts, full), times = start.times * step.times;
          if (isWorse(access, cost->wavefronts, ideal)) {
            access.warp = warp.warp;
            access.wavefronts = cost->wavefronts;
            access.idealWavefronts = ideal;
            if (keepsWorst)
              worst = findAddresses();
          }
          if (!all)
            times *= countSteps(site);
          totals.requests += cost->wavefronts ? times : 0;
          totals.cost += times * cost->wavefronts;
          totals.ideal += times * ideal;
          if (most.exceeds(totals))
            return true;
          if (!all)
            break; // The others cost the same.
        }
    }
    if (classes)
      access.total = totals;
    return true;
  }

  /// Says which threads meet in the worst request that was counted.
  void describeWorst(BankAccess &access) const {
    if (access.wavefronts == access.idealWavefronts || worst.empty())
      return;
    auto report = layout::analyzeBankAddresses(worst, access.site.bytesPerLane(), banks);
    auto most = std::max_element(report->conflicts.begin(), report->conflicts.end(),
                                 [](const auto &a, const auto &b) { return a.addresses.size() < b.addresses.size(); });
    if (most == report->conflicts.end())
      return;
    access.bank = most->bank;
    for (int64_t lane : most->lanes)
      access.threads.push_back(access.warp * tile::kWarpThreads + lane);
    access.addresses.assign(most->addresses.begin(), most->addresses.end());
  }

private:
  /// Where the element at these coordinates lies in a sum of one stride a dimension, before a swizzle.
  static int64_t getFirst(const layout::ComposedLayout &layout, ArrayRef<int64_t> start, ArrayRef<int64_t> step) {
    int64_t first = 0;
    for (auto [mode, from, by] : llvm::zip(layout.layout().modes(), start, step))
      first += mode.stride * (from + by);
    return first;
  }

  /// What getAddresses gives for elements that lie at `first`, before a swizzle, and by one stride a dimension from there.
  static std::vector<std::optional<int64_t>> getAddressesOfSums(const AccessSite &site, const WarpLanes &warp, const layout::ComposedLayout &layout, int64_t first) {
    std::vector<std::optional<int64_t>> addresses(warp.lanes.size());
    layout::Swizzle swizzle = layout.swizzle();
    for (auto [lane, address] : llvm::zip_equal(warp.lanes, addresses)) {
      if (!lane)
        continue;
      int64_t sum = layout.baseOffset() + first;
      for (auto [mode, coordinate] : llvm::zip(layout.layout().modes(), *lane))
        sum += mode.stride * coordinate;
      address = swizzle(sum) * site.elementBytes;
    }
    return addresses;
  }

  /// Requests of a warp whose lanes begin so many elements later, before a swizzle, have addresses that differ by whole words and whole accesses.
  /// Nothing where lanes may lie ahead of where the warp begins.
  std::optional<int64_t> getPeriod(const AccessSite &site, const layout::ComposedLayout &layout) const {
    auto isAhead = [](const WarpLanes &warp) {
      return llvm::all_of(warp.lanes, [](const LaneCoordinates &lane) { return !lane || llvm::all_of(*lane, [](int64_t at) { return at >= 0; }); });
    };
    if (!llvm::all_of(site.warps, isAhead))
      return std::nullopt;
    layout::Swizzle swizzle = layout.swizzle();
    int64_t mixed = swizzle.isIdentity() ? 1 : int64_t(1) << (swizzle.bits() + swizzle.base() + std::abs(swizzle.shift()));
    return std::lcm(mixed, std::lcm(site.bytesPerLane(), std::lcm(banks.bankBytes, site.elementBytes)));
  }

  /// Requests whose addresses differ by whole words and whole accesses cost the same; null where they are not aligned.
  const layout::BankCount *countRequest(const std::vector<std::optional<int64_t>> &addresses, int64_t bytes) {
    constexpr int64_t kNone = -1;
    SmallVector<int64_t, tile::kWarpThreads> lanes;
    int64_t unit = std::lcm(bytes, banks.bankBytes), base = kNone;
    for (const std::optional<int64_t> &address : addresses) {
      if (address && *address < 0)
        return nullptr;
      if (address && base == kNone)
        base = *address / unit * unit;
      lanes.push_back(address ? *address - base : INT64_MIN);
    }
    auto [known, isNew] = counts.try_emplace(std::move(lanes));
    if (!isNew)
      return &known->second;
    auto cost = layout::countWavefronts(addresses, bytes, banks);
    if (!cost)
      return nullptr;
    known->second = *cost;
    return &known->second;
  }

  /// A box fills all banks.
  void countBoxes(BankAccess &access) const {
    const AccessSite &site = access.site;
    int64_t bytes = llvm::product_of(site.box) * site.elementBytes;
    access.wavefronts = access.idealWavefronts =
        llvm::divideCeil(bytes, banks.banks * banks.bankBytes);
    // Where loops move others' extents, of the iterations that there are.
    SmallVector<unsigned> around = llvm::map_to_vector(site.loops, [](const auto &loop) { return loop.first; });
    int64_t times = static_cast<int64_t>(site.warps.size()) * model.iterationsOf(around);
    access.total = {times, times * access.wavefronts, times * access.wavefronts};
  }

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

  const NestModel &model;
  layout::BankModel banks;
  BankLimits most;
  bool keepsWorst = false;
  /// The addresses of the worst request's lanes.
  std::vector<std::optional<int64_t>> worst;
  /// By the lanes' addresses from the first one's unit on.
  std::map<SmallVector<int64_t, tile::kWarpThreads>, layout::BankCount> counts;
};

} // namespace

std::vector<BankAccess> tilec::analysis::analyzeBankAccesses(const NestModel &model,
                                                             std::vector<AccessSite> &sites,
                                                             const MachineSpec &machine) {
  layout::BankModel banks = getBankModel(machine);
  std::vector<BankAccess> accesses;
  accesses.reserve(sites.size());
  for (AccessSite &site : sites) {
    if (!site.shared || site.warps.empty())
      continue;
    BankAccess &access = accesses.emplace_back();
    access.site = std::move(site);
    Counter counter(model, banks);
    if (counter.count(access))
      counter.describeWorst(access);
    else
      accesses.pop_back();
  }
  return accesses;
}

std::optional<RequestTotals> tilec::analysis::countBankAccesses(const NestModel &model, std::vector<AccessSite> &sites, const MachineSpec &machine,
                                                                const BankLimits &most) {
  layout::BankModel banks = getBankModel(machine);
  RequestTotals sum;
  for (AccessSite &site : sites) {
    if (!site.shared || site.warps.empty() || site.scattered) // No layout helps where data says which banks are asked.
      continue;
    BankAccess access;
    access.site = std::move(site);
    if (!Counter(model, banks, most.after(sum)).count(access)) // No aligned addresses describe it.
      continue;
    if (!access.total)
      return std::nullopt;
    sum = sum + *access.total;
  }
  return sum;
}

std::string tilec::analysis::describe(const BankAccess &access) {
  std::string text = std::string("a warp ") + (access.site.atomic ? "updates " : access.site.writes ? "writes " : "reads ") +
                     access.site.name + " in shared memory in " +
                     std::to_string(access.wavefronts) + " wavefronts instead of " +
                     std::to_string(access.idealWavefronts);
  if (!access.threads.empty())
    text += ": threads " + listSome(access.threads) + " use bank " + std::to_string(access.bank) +
            " at bytes " + listSome(access.addresses);
  return text;
}
