//===- BulkStores.cpp - Boxes that the hardware stores --------*- C++ -*-===//
//
// See BulkStores.h.
//
//===----------------------------------------------------------------------===//

#include "BulkStores.h"

#include "Boxes.h"

#include <algorithm>
#include <cstring>

namespace tilec::emulator {

void BulkStores::storeBulk(const void *map, const int *coordinates, int rank, const void *source, int line) {
  Store store;
  BulkCopy &box = store.box;
  box.map = &copies.findMap(map, line);
  box.dest = addressOf(source);
  box.agent = witness.self();
  box.line = line;
  copies.checkCoordinates(*box.map, coordinates, rank, line);
  std::copy_n(coordinates, rank, box.coordinates.begin());
  const SharedArray *array = findSource(box);
  if (!array)
    return;
  Issuer &issuer = issuers[threads.getThread()];
  checkRead(issuer, box, *array);
  checkWrite(box, *array);
  store.group = issuer.groups;
  issuer.stores.push_back(std::move(store));
}

const SharedArray *BulkStores::findSource(const BulkCopy &box) {
  const runtime::TensorMapValues &values = box.map->values;
  const SharedArray *array = memory.shared.findHolder(box.dest, values.boxBytes());
  if (!array) {
    sites.reportOutOfBounds(box.dest, values.boxBytes(), AccessOp::ReadShared, box.line);
    return nullptr;
  }
  const uintptr_t alignment = BulkCopies::alignmentOf(values);
  if (box.dest % alignment == 0)
    return array;
  witness.report(FindingKind::Misaligned, box.line, array->name, [&] {
    return format("%s stores a box from %s, which is %u bytes past a multiple of %u", witness.who().c_str(),
                  array->describe(box.dest).c_str(), unsigned(box.dest % alignment), unsigned(alignment));
  });
  return nullptr;
}

void BulkStores::checkRead(Issuer &issuer, const BulkCopy &box, const SharedArray &array) {
  Clocks *clocks = witness.getClocks();
  if (!clocks)
    return;
  if (issuer.agent == 0)
    issuer.agent = clocks->addAgent(Clocks::Agent::Store);
  const auto verdict = memory.history->noteBulkRead(memory.offsetOf(box.dest), box.map->values.boxBytes(), issuer.agent, issuer.groups + 1,
                                                    clocks->of(witness.self()));
  if (verdict.conflict != ClockedHistory::Conflict::None)
    shared.reportClocked(verdict, array, box.line, witness.who() + " stores a box from");
}

void BulkStores::checkWrite(const BulkCopy &box, const SharedArray &array) {
  Site site;
  site.line = box.line;
  site.op = AccessOp::WriteGlobal;
  site.operand = box.map->operand;
  site.begin = site.operand->getBegin();
  const unsigned width = runtime::byteWidth(box.map->values.type);
  std::vector<uintptr_t> places;
  uint64_t present = 0;
  forEachRow(box, [&](const BoxRow &row) {
    if (row.first == row.end)
      return;
    const uint64_t bytes = (row.end - row.first) * width;
    globals.check(site, row.source, bytes, /*uninitialised=*/false);
    present += bytes;
    for (uintptr_t place = row.source; place < row.source + bytes; place += width)
      places.push_back(place);
  });
  sites.countStoredBox(box.line, *site.operand, array, box.map->values.boxBytes(), present, places);
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

void BulkStores::waitBulk(int pending, bool reads) {
  Issuer &issuer = issuers[threads.getThread()];
  if (issuer.groups <= unsigned(pending))
    return;
  const unsigned groups = issuer.groups - pending;
  std::vector<Store> left;
  for (Store &store : issuer.stores) {
    if (store.group < groups && !store.read)
      read(store);
    if (store.group < groups && !reads)
      write(store);
    else
      left.push_back(std::move(store));
  }
  issuer.stores = std::move(left);
  if (Clocks *clocks = witness.getClocks(); clocks && issuer.agent != 0)
    clocks->learnReads(witness.self(), issuer.agent, groups);
}

void BulkStores::read(Store &store) {
  const runtime::TensorMapValues &map = store.box.map->values;
  constexpr uint64_t chunkBytes = 16;
  const uint64_t offset = memory.offsetOf(store.box.dest);
  store.bytes.resize(map.boxBytes());
  // As Boxes.cpp lays them.
  for (uint64_t chunk = 0; chunk < store.bytes.size(); chunk += chunkBytes)
    std::memcpy(&store.bytes[chunk], reinterpret_cast<const void *>(memory.shared.getOrigin() + runtime::swizzled(map.swizzle, offset + chunk)),
                chunkBytes);
  store.read = true;
}

void BulkStores::write(const Store &store) {
  if (!store.box.map->operand->isWritten())
    return;
  const unsigned width = runtime::byteWidth(store.box.map->values.type);
  forEachRow(store.box, [&](const BoxRow &row) {
    if (row.first != row.end)
      std::memcpy(reinterpret_cast<void *>(row.source), &store.bytes[row.boxOffset + row.first * width], (row.end - row.first) * width);
  });
}

void BulkStores::finish() {
  for (unsigned thread = 0; thread < issuers.size(); ++thread)
    for (const Store &store : issuers[thread].stores) {
      if (store.read) {
        write(store);
        continue;
      }
      threads.speakOf(thread);
      witness.report(FindingKind::MissingWait, store.box.line, "", [&] {
        return format("%s ends with no bulk_wait_read for this store", witness.who().c_str());
      });
    }
}

} // namespace tilec::emulator
