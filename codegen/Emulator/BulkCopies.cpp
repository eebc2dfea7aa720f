//===- BulkCopies.cpp - Boxes that the hardware fetches -------*- C++ -*-===//
//
// See BulkCopies.h.
//
//===----------------------------------------------------------------------===//

#include "BulkCopies.h"

#include "Boxes.h"
#include "Cluster.h"

#include <algorithm>
#include <cstring>

namespace tilec::emulator {

namespace {

// PTX ISA 9.7.9.27.1 and 5.5.1.
constexpr uintptr_t mapAlignment = 64;
constexpr uintptr_t destAlignment = 128;
/// Boxes begin at multiples of so many bytes in their rows; at others an H100 meets an illegal
/// instruction (docs/results/gpu.md).
constexpr int64_t firstAlignment = 16;
/// Rows of banks after which a swizzle repeats.
constexpr uintptr_t swizzleRows = 8;
constexpr uint64_t sectorBytes = 32;
constexpr uint64_t baseAlignment = 256;

} // namespace

void BulkCopies::copyBulk(void *dest, const void *map, const int *coordinates, int rank, void *bar,
                          int mask, int line) {
  BulkCopy copy;
  copy.map = &findMap(map, line);
  copy.dest = addressOf(dest);
  copy.agent = witness.self();
  copy.line = line;
  checkCoordinates(*copy.map, coordinates, rank, line);
  globals.checkWaited(*copy.map->operand, line);
  std::copy_n(coordinates, rank, copy.coordinates.begin());
  const SharedArray *array = findDest(copy);
  if (!array)
    return;
  const unsigned targets = mask == 0 ? 1u << witness.getRank() : unsigned(mask);
  if (targets >> cluster.size() != 0) {
    witness.report(FindingKind::OutOfBounds, line, array->name, [&] {
      return format("%s copies to blocks 0x%x of a cluster of %u", witness.who().c_str(), targets,
                    cluster.size());
    });
    return;
  }
  std::vector<uint32_t> sectors;
  uint64_t present = 0;
  checkSource(copy, sectors, present);
  sites.countBox(line, *copy.map->operand, *array, copy.map->values.boxBytes(), present,
                 __builtin_popcount(targets), sectors);
  for (unsigned to = 0; to < cluster.size(); ++to)
    if (targets >> to & 1)
      begin(cluster.getBlock(to), copy, addressOf(bar));
}

const TensorMap &BulkCopies::findMap(const void *map, int line) {
  const uintptr_t address = addressOf(map);
  if (address % mapAlignment != 0)
    witness.report(FindingKind::Misaligned, line, "", [&] {
      return format("%s copies by a tensor map %u bytes past a multiple of %u",
                    witness.who().c_str(), unsigned(address % mapAlignment),
                    unsigned(mapAlignment));
    });
  TensorMapHandle handle;
  std::memcpy(&handle, map, sizeof(handle));
  if (handle.magic != TensorMapHandle::magicNumber || handle.index >= launch.tensorMaps.size()) {
    witness.report(FindingKind::OperandRole, line, "", [&] {
      return format("%s copies by something that is no tensor map of the launch",
                    witness.who().c_str());
    });
    witness.abandon();
  }
  return launch.tensorMaps[handle.index];
}

void BulkCopies::checkCoordinates(const TensorMap &map, const int *coordinates, int rank,
                                  int line) {
  const runtime::TensorMapValues &values = map.values;
  const std::string &operand = map.operand->getName();
  if (size_t(rank) != values.box.size() || values.isEmpty()) {
    witness.report(FindingKind::OperandRole, line, operand, [&] {
      return values.isEmpty()
                 ? format("%s copies from %s, which has no elements", witness.who().c_str(),
                          operand.c_str())
                 : format("%s copies a box of %s with %d coordinates, its map has %zu",
                          witness.who().c_str(), operand.c_str(), rank, values.box.size());
    });
    witness.abandon();
  }
  if (int64_t(coordinates[0]) * byteWidth(values.type) % firstAlignment != 0) {
    witness.report(FindingKind::Misaligned, line, operand, [&] {
      return format("%s copies a box of %s that begins at element %d of its rows, which is not at "
                    "a multiple of %d bytes",
                    witness.who().c_str(), operand.c_str(), coordinates[0], int(firstAlignment));
    });
    witness.abandon();
  }
}

uintptr_t BulkCopies::alignmentOf(const runtime::TensorMapValues &map) {
  return std::max<uintptr_t>(destAlignment, swizzleRows * runtime::swizzleBytes(map.swizzle));
}

const SharedArray *BulkCopies::findDest(const BulkCopy &copy) {
  const runtime::TensorMapValues &values = copy.map->values;
  const SharedArray *array = memory.shared.findHolder(copy.dest, values.boxBytes());
  if (!array) {
    sites.reportOutOfBounds(copy.dest, values.boxBytes(), AccessOp::WriteShared, copy.line);
    return nullptr;
  }
  const uintptr_t alignment = alignmentOf(values);
  if (copy.dest % alignment == 0)
    return array;
  witness.report(FindingKind::Misaligned, copy.line, array->name, [&] {
    return format("%s copies a box to %s, which is %u bytes past a multiple of %u",
                  witness.who().c_str(), array->describe(copy.dest).c_str(),
                  unsigned(copy.dest % alignment), unsigned(alignment));
  });
  return nullptr;
}

void BulkCopies::checkSource(const BulkCopy &copy, std::vector<uint32_t> &sectors,
                             uint64_t &present) {
  Operand &operand = *copy.map->operand;
  const unsigned width = operand.getElementBytes();
  const uintptr_t origin = operand.getBegin() / baseAlignment * baseAlignment;
  forEachRow(copy, [&](const BoxRow &row) {
    if (row.first == row.end)
      return;
    const uint64_t bytes = (row.end - row.first) * width;
    present += bytes;
    for (uint64_t sector = (row.source - origin) / sectorBytes,
                  last = (row.source + bytes - 1 - origin) / sectorBytes;
         sector <= last; ++sector)
      sectors.push_back(uint32_t(sector));
    const uint64_t first = (row.source - operand.getBegin()) / width;
    checkOrder(copy, first, first + bytes / width);
  });
  std::sort(sectors.begin(), sectors.end());
  sectors.erase(std::unique(sectors.begin(), sectors.end()), sectors.end());
}

void BulkCopies::checkOrder(const BulkCopy &copy, uint64_t first, uint64_t end) {
  Operand &operand = *copy.map->operand;
  if (!witness.checks() || !operand.tracksRaces())
    return;
  for (uint64_t element = first; element < end; ++element)
    if (operand.isVisited(element)) {
      witness.report(FindingKind::MissingFence, copy.line, operand.getName(), [&] {
        return format("%s copies a box of %s that holds what this kernel wrote; bulk copies may "
                      "miss that",
                      witness.who().c_str(), operand.getName().c_str());
      });
      return;
    }
}

void BulkCopies::begin(Block &other, const BulkCopy &copy, uintptr_t bar) {
  BulkCopy there = copy;
  there.dest = clusterAccesses.translate(copy.dest, other, copy.line);
  const uintptr_t barrierThere = clusterAccesses.translate(bar, other, copy.line);
  if (!there.dest || !barrierThere)
    return;
  Mbarrier &barrier = other.mbarriers.find(barrierThere, "copies for", witness, copy.line);
  if (!barrier.fenced)
    witness.report(FindingKind::MissingFence, copy.line, barrier.name, [&] {
      return format("%s copies for %s of block %d, which no fence_mbarrier_init has made known",
                    witness.who().c_str(), barrier.name.c_str(), other.witness.getNumber());
    });
  other.sharedAccesses.beginBox(there, copy.map->values.boxBytes(), witness);
  barrier.copies.push_back(there);
}

} // namespace tilec::emulator
