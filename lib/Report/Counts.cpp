//===- Counts.cpp - What a run counted, for each transfer --------*- C++ -*-===//
//
// A transfer and an access belong together if one op makes both, on one operand
// or one staged tile, in one direction.
//
//===----------------------------------------------------------------------===//

#include "tilec/Report/Counts.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;
using namespace tilec::report;

SourcePlace tilec::report::placeOf(Operation *op) {
  if (auto file = op->getLoc()->findInstanceOf<FileLineColLoc>())
    return {file.getLine(), file.getColumn()};
  return {};
}

namespace {

/// Transfers that the counters cannot tell from each other, and what was counted for them.
struct Group {
  SourcePlace op;
  std::string operand;
  SourcePlace array;
  bool writes = false;
  SmallVector<size_t, 1> transfers;
  int64_t bytes = 0;
  int64_t portBytes = 0;
};

} // namespace

/// The end of `transfer` that counts it: the memory, not the registers; of two memories the source.
static Group groupOf(const Transfer &transfer) {
  Group group;
  group.op = placeOf(transfer.op);
  group.writes = transfer.from == tile::Level::RF;
  if (tile::isOperandLevel(group.writes ? transfer.to : transfer.from))
    group.operand = transfer.name;
  else if (transfer.sharedTile)
    group.array = placeOf(transfer.sharedTile);
  return group;
}

static bool matches(const Group &group, const CountedAccess &access) {
  return group.op == access.op && group.operand == access.operand && group.array == access.array &&
         group.writes == access.writes;
}

/// The groups in program order; `unclaimed` receives accesses that belong to none.
static std::vector<Group> groupTransfers(ArrayRef<Transfer> transfers,
                                         ArrayRef<CountedAccess> counted,
                                         std::vector<const CountedAccess *> *unclaimed) {
  std::vector<Group> groups;
  for (auto [number, transfer] : llvm::enumerate(transfers)) {
    Group own = groupOf(transfer);
    auto same = llvm::find_if(groups, [&](const Group &group) {
      return group.op == own.op && group.operand == own.operand && group.array == own.array &&
             group.writes == own.writes;
    });
    if (same == groups.end())
      same = groups.insert(groups.end(), std::move(own));
    same->transfers.push_back(number);
  }
  for (const CountedAccess &access : counted) {
    auto owner =
        llvm::find_if(groups, [&](const Group &group) { return matches(group, access); });
    if (owner == groups.end()) {
      if (unclaimed)
        unclaimed->push_back(&access);
      continue;
    }
    owner->bytes += access.bytes;
    owner->portBytes += access.portBytes;
  }
  return groups;
}

std::vector<TransferCount> tilec::report::countTransfers(ArrayRef<Transfer> transfers,
                                                         ArrayRef<CountedAccess> counted) {
  std::vector<TransferCount> counts(transfers.size());
  for (const Group &group : groupTransfers(transfers, counted, nullptr))
    if (group.transfers.size() == 1)
      counts[group.transfers.front()] = {group.bytes, group.portBytes};
  return counts;
}

std::vector<CountMismatch> tilec::report::findMismatches(const NestModel &model,
                                                         ArrayRef<Transfer> transfers,
                                                         ArrayRef<CountedAccess> counted) {
  std::vector<CountMismatch> mismatches;
  std::vector<const CountedAccess *> unclaimed;
  for (const Group &group : groupTransfers(transfers, counted, &unclaimed)) {
    const Transfer &first = transfers[group.transfers.front()];
    int64_t bytes = 0, portBytes = 0;
    bool conditional = false, known = true;
    for (size_t number : group.transfers) {
      bytes += transfers[number].bytes();
      portBytes += transfers[number].portBytes.value_or(0);
      known &= transfers[number].portBytes.has_value();
      conditional |= transfers[number].conditional;
    }
    auto hold = [&](int64_t predicted, int64_t seen, StringRef what) {
      if (conditional ? seen <= predicted : seen == predicted)
        return true;
      mismatches.push_back({first.op, (first.name + ", " + first.getSource() + " -> " +
                                       stringifyLevel(first.to) + ": " + (conditional ? "at most " : "") + Twine(predicted) +
                                       " " + what + ", " + Twine(seen) + " counted")
                                          .str()});
      return false;
    };
    // What ports see of accesses is compared with their requests; what loops exchange is in no access.
    if (hold(bytes, group.bytes, "bytes delivered") && known && isa<tile::ForOp>(first.op))
      hold(portBytes, group.portBytes, "port bytes");
  }
  for (const CountedAccess *access : unclaimed)
    if (!access->operand.empty()) {
      tile::KernelOp kernel = model.kernel;
      mismatches.push_back({kernel, access->operand + ": " + std::to_string(access->bytes) +
                                        " bytes counted that no op of the nest " +
                                        (access->writes ? "writes" : "reads")});
    }
  return mismatches;
}
