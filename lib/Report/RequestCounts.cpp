//===- RequestCounts.cpp - What a run counted, for each access --*- C++ -*-===//
//
// An access and a counted one belong together if one op makes both, on one
// operand or one staged tile, in one direction.
//
//===----------------------------------------------------------------------===//

#include "tilec/Report/RequestCounts.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;
using namespace tilec::report;

/// Is this the operand or the tile that `site` accesses, and in its direction?
static bool isObjectOf(const CountedAccess &counted, const AccessSite &site,
                       const SourcePlace &array) {
  return counted.op == placeOf(site.op) && counted.writes == site.writes &&
         (site.shared ? counted.operand.empty() && counted.array == array
                      : counted.operand == site.name);
}

/// Accesses that the run cannot tell apart.
static bool areCountedTogether(const AccessSite &one, const AccessSite &other) {
  return one.op == other.op && one.shared == other.shared && one.root == other.root &&
         one.writes == other.writes;
}

bool tilec::report::arePartsOfOne(const AccessSite &one, const AccessSite &other) {
  return isa<tile::StageOp, tile::StoreOp>(one.op) && !one.copy && areCountedTogether(one, other);
}

using GetArray = llvm::function_ref<SourcePlace(const AccessSite &)>;

static std::pair<int64_t, int64_t> sumUp(const AccessSite &site, ArrayRef<CountedAccess> counted,
                                         GetArray arrayOf) {
  std::pair<int64_t, int64_t> sum;
  SourcePlace array = arrayOf(site);
  for (const CountedAccess &other : counted)
    if (isObjectOf(other, site, array)) {
      sum.first += other.requests;
      sum.second += other.portUnits;
    }
  return sum;
}

template <typename Access>
static std::vector<RequestCount> count(ArrayRef<Access> accesses, ArrayRef<CountedAccess> counted,
                                       GetArray arrayOf) {
  std::vector<RequestCount> counts;
  for (const Access &access : accesses) {
    RequestCount &entry = counts.emplace_back();
    auto isSame = [&](const Access &other) { return areCountedTogether(other.site, access.site); };
    if (arePartsOfOne(access.site, access.site) || llvm::count_if(accesses, isSame) == 1)
      std::tie(entry.requests, entry.cost) = sumUp(access.site, counted, arrayOf);
  }
  return counts;
}

template <typename Access>
static std::vector<CountMismatch> compare(ArrayRef<Access> accesses,
                                          ArrayRef<CountedAccess> counted, GetArray arrayOf) {
  std::vector<CountMismatch> mismatches;
  for (const Access &access : accesses) {
    const AccessSite &site = access.site;
    RequestTotals predicted;
    bool known = true;
    const Access *first = nullptr;
    for (const Access &other : accesses) {
      if (!areCountedTogether(other.site, site))
        continue;
      first = first ? first : &other;
      known &= other.total.has_value();
      predicted.requests += other.total ? other.total->requests : 0;
      predicted.cost += other.total ? other.total->cost : 0;
    }
    if (first != &access || !known)
      continue;
    auto hold = [&](int64_t wanted, int64_t seen, StringRef unit) {
      if (site.conditional ? seen <= wanted : seen == wanted)
        return;
      mismatches.push_back({site.op, (site.name + (site.writes ? ", written: " : ", read: ") +
                                      (site.conditional ? "at most " : "") + Twine(wanted) + " " +
                                      unit + " predicted, " + Twine(seen) + " counted")
                                         .str()});
    };
    auto [requests, cost] = sumUp(site, counted, arrayOf);
    hold(predicted.requests, requests, site.shared ? "requests of shared memory" : "requests");
    hold(predicted.cost, cost, site.shared ? "wavefronts" : site.constant ? "accesses of constant memory" : "sectors");
  }
  return mismatches;
}

static SourcePlace noArray(const AccessSite &) { return {}; }

std::vector<RequestCount> tilec::report::countRequests(const NestModel &model,
                                                       ArrayRef<BankAccess> accesses,
                                                       ArrayRef<CountedAccess> counted) {
  return count(accesses, counted,
               [&](const AccessSite &site) { return placeOf(model.tiles[site.root].op); });
}

std::vector<RequestCount> tilec::report::countRequests(ArrayRef<GlobalAccess> accesses,
                                                       ArrayRef<CountedAccess> counted) {
  return count(accesses, counted, noArray);
}

std::vector<CountMismatch> tilec::report::findMismatches(const NestModel &model,
                                                         ArrayRef<BankAccess> accesses,
                                                         ArrayRef<CountedAccess> counted) {
  return compare(accesses, counted,
                 [&](const AccessSite &site) { return placeOf(model.tiles[site.root].op); });
}

std::vector<CountMismatch> tilec::report::findMismatches(ArrayRef<GlobalAccess> accesses,
                                                         ArrayRef<CountedAccess> counted) {
  return compare(accesses, counted, noArray);
}

std::optional<int64_t> tilec::report::getPortBytes(const NestModel &model, const Transfer &transfer,
                                                   ArrayRef<BankAccess> banks,
                                                   ArrayRef<GlobalAccess> coalescing,
                                                   ArrayRef<GlobalAccess> constants,
                                                   const MachineSpec &machine) {
  // An instruction of a unit reads each element of its operands once.
  if (llvm::any_of(model.computes, [&](const ComputeModel &compute) { return compute.byUnit && compute.op == transfer.op; }))
    return transfer.bytes();
  // The end that is counted is the memory, not the registers; of two memories the source.
  bool writes = transfer.from == tile::Level::RF;
  tile::Level memory = writes ? transfer.to : transfer.from;
  bool global = memory == tile::Level::DRAM;
  std::optional<RequestTotals> total;
  const AccessSite *first = nullptr;
  unsigned found = 0;
  auto look = [&](const auto &access, bool isObject) {
    const AccessSite &site = access.site;
    if (site.op != transfer.op || site.writes != writes || !isObject)
      return;
    if (found > 0 && arePartsOfOne(*first, site)) {
      total = total && access.total ? std::optional(*total + *access.total) : std::nullopt;
      return;
    }
    first = &site;
    total = access.total;
    ++found;
  };
  if (tile::isOperandLevel(memory))
    for (const GlobalAccess &access : global ? coalescing : constants)
      look(access, access.site.root == transfer.operand);
  else
    for (const BankAccess &access : banks)
      look(access, model.tiles[access.site.root].op == transfer.sharedTile);
  if (found != 1 || !total)
    return std::nullopt;
  if (memory == tile::Level::Constant)
    return total->cost * transfer.elementBytes;
  return total->cost * (global ? machine.limits.sectorBytes.value
                               : machine.limits.smemBanks.value * machine.limits.smemBankWidth.value);
}
