//===- Coalescing.cpp - Sectors that a nest's requests touch ----*- C++ -*-===//

#include "tilec/Analysis/WarpRequests.h"

#include <set>

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;

static GlobalAccess countSectors(const AccessSite &site, unsigned warp, ArrayRef<int64_t> strides,
                                 int64_t sectorBytes) {
  GlobalAccess access;
  access.warp = warp;
  std::set<int64_t> sectors, starts;
  std::vector<std::optional<int64_t>> addresses = getAddresses(site, warp, strides);
  for (std::optional<int64_t> address : addresses) {
    if (!address)
      continue;
    starts.insert(*address);
    int64_t last = (*address + site.bytesPerLane() - 1) / sectorBytes;
    for (int64_t sector = *address / sectorBytes; sector <= last; ++sector)
      sectors.insert(sector);
  }
  access.sectors = static_cast<int64_t>(sectors.size());
  access.idealSectors = llvm::divideCeil(
      static_cast<int64_t>(starts.size()) * site.bytesPerLane(), sectorBytes);
  if (access.sectors <= access.idealSectors)
    return access;
  for (unsigned lane = 1; lane < addresses.size(); ++lane) {
    if (!addresses[lane] || !addresses[lane - 1])
      continue;
    int64_t apart = *addresses[lane] - *addresses[lane - 1];
    if (apart == 0 || apart == site.bytesPerLane())
      continue;
    int64_t thread = warp * tile::kWarpThreads + lane;
    access.threads = {thread - 1, thread};
    access.addresses = {*addresses[lane - 1], *addresses[lane]};
    break;
  }
  return access;
}

std::vector<GlobalAccess> tilec::analysis::analyzeCoalescing(const NestModel &model,
                                                             const MachineSpec &machine) {
  std::vector<GlobalAccess> accesses;
  for (AccessSite &site : findAccessSites(model)) {
    if (site.shared)
      continue;
    SmallVector<int64_t> strides = getOperandStrides(model, site.root);
    GlobalAccess worst;
    for (unsigned warp = 0; warp < site.warps.size(); ++warp) {
      GlobalAccess access = countSectors(site, warp, strides, machine.limits.sectorBytes.value);
      if (warp == 0 || access.sectors - access.idealSectors > worst.sectors - worst.idealSectors)
        worst = std::move(access);
    }
    worst.site = std::move(site);
    accesses.push_back(std::move(worst));
  }
  return accesses;
}

std::string tilec::analysis::describe(const GlobalAccess &access) {
  std::string text = std::string("a warp ") + (access.site.writes ? "writes " : "reads ") +
                     access.site.name + " in " + std::to_string(access.sectors) +
                     " sectors instead of " + std::to_string(access.idealSectors);
  for (auto [i, thread] : llvm::enumerate(access.threads))
    text += (i ? ", thread " : ": thread ") + std::to_string(thread) + " at byte " +
            std::to_string(access.addresses[i]);
  return text;
}
