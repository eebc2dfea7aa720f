//===- BulkCopies.cpp - Boxes that the hardware fetches -------*- C++ -*-===//
//
// A box is checked and counted when it is asked for, and delivered when the
// phase of its mbarrier must end. What it overwrites is poisoned at once.
//
//===----------------------------------------------------------------------===//

#include "Block.h"
#include "Cluster.h"
#include "Poison.h"

#include <algorithm>
#include <cstring>

namespace tilec::emulator {

namespace {

// PTX ISA 9.7.9.27.1 and 5.5.1.
constexpr uintptr_t mapAlignment = 64;
constexpr uintptr_t destAlignment = 128;
/// Boxes begin at multiples of so many bytes in their rows; at others an H100 meets an illegal instruction (docs/results/gpu.md).
constexpr int64_t firstAlignment = 16;
/// Rows of banks after which a swizzle repeats.
constexpr uintptr_t swizzleRows = 8;
constexpr uint64_t sectorBytes = 32;
constexpr uint64_t baseAlignment = 256;

uintptr_t addressOf(const void *pointer) { return reinterpret_cast<uintptr_t>(pointer); }

/// One row of a box along its innermost dimension.
struct BoxRow {
  /// Bytes of the box before it.
  uint64_t boxOffset;
  /// Elements [first, end) of it are in the tensor; `source` is the first's.
  int64_t first, end;
  uintptr_t source;
};

template <typename Visit>
void forEachRow(const BulkCopy &copy, Visit visit) {
  const runtime::TensorMapValues &map = copy.map->values;
  const size_t rank = map.box.size();
  const int64_t width = map.strides[0];
  const uint64_t rowBytes = uint64_t(map.box[0]) * runtime::byteWidth(map.type);
  const int64_t x = copy.coordinates[0];
  BoxRow row;
  row.first = std::clamp<int64_t>(-x, 0, map.box[0]);
  row.end = std::clamp<int64_t>(map.extents[0] - x, row.first, map.box[0]);
  std::vector<unsigned> index(rank, 0);
  for (row.boxOffset = 0;; row.boxOffset += rowBytes) {
    bool inside = row.first < row.end;
    int64_t position = (x + row.first) * width;
    for (size_t dim = 1; dim < rank; ++dim) {
      const int64_t at = int64_t(copy.coordinates[dim]) + index[dim];
      inside &= at >= 0 && at < map.extents[dim];
      position += at * map.strides[dim];
    }
    BoxRow clipped = row;
    if (!inside)
      clipped.first = clipped.end = 0;
    clipped.source = map.address + position;
    visit(clipped);
    size_t dim = 1;
    while (dim < rank && ++index[dim] == map.box[dim])
      index[dim++] = 0;
    if (dim >= rank)
      return;
  }
}

} // namespace

void Block::copyBulk(void *dest, const void *map, const int *coordinates, int rankOfMap, void *bar,
                     int mask, int line) {
  const uintptr_t mapAddress = addressOf(map);
  if (mapAddress % mapAlignment != 0)
    report(FindingKind::Misaligned, line, "", [&] {
      return format("%s copies by a tensor map %u bytes past a multiple of %u", who().c_str(),
                    unsigned(mapAddress % mapAlignment), unsigned(mapAlignment));
    });
  TensorMapHandle handle;
  std::memcpy(&handle, map, sizeof(handle));
  if (handle.magic != TensorMapHandle::magicNumber || handle.index >= launch.tensorMaps.size()) {
    report(FindingKind::OperandRole, line, "", [&] {
      return format("%s copies by something that is no tensor map of the launch", who().c_str());
    });
    abandon();
  }
  BulkCopy copy;
  copy.map = &launch.tensorMaps[handle.index];
  copy.dest = addressOf(dest);
  copy.agent = self();
  copy.line = line;
  const runtime::TensorMapValues &values = copy.map->values;
  const std::string &operand = copy.map->operand->getName();
  if (size_t(rankOfMap) != values.box.size() || values.isEmpty()) {
    report(FindingKind::OperandRole, line, operand, [&] {
      return values.isEmpty()
                 ? format("%s copies from %s, which has no elements", who().c_str(), operand.c_str())
                 : format("%s copies a box of %s with %d coordinates, its map has %zu",
                          who().c_str(), operand.c_str(), rankOfMap, values.box.size());
    });
    abandon();
  }
  std::copy_n(coordinates, rankOfMap, copy.coordinates.begin());
  if (const int64_t first = int64_t(coordinates[0]) * byteWidth(values.type); first % firstAlignment != 0) {
    report(FindingKind::Misaligned, line, operand, [&] {
      return format("%s copies a box of %s that begins at element %d of its rows, which is not at a multiple of %d bytes",
                    who().c_str(), operand.c_str(), coordinates[0], int(firstAlignment));
    });
    abandon();
  }
  const uint64_t boxBytes = values.boxBytes();
  const SharedArray *array = shared.findHolder(copy.dest, boxBytes);
  if (!array) {
    reportOutOfBounds(copy.dest, boxBytes, AccessOp::WriteShared, line);
    return;
  }
  const uintptr_t alignment =
      std::max(destAlignment, swizzleRows * runtime::swizzleBytes(values.swizzle));
  if (copy.dest % alignment != 0) {
    report(FindingKind::Misaligned, line, array->name, [&] {
      return format("%s copies a box to %s, which is %u bytes past a multiple of %u", who().c_str(),
                    array->describe(copy.dest).c_str(), unsigned(copy.dest % alignment),
                    unsigned(alignment));
    });
    return;
  }
  const unsigned targets = mask == 0 ? 1u << rank : unsigned(mask);
  if (targets >> cluster.size() != 0) {
    report(FindingKind::OutOfBounds, line, array->name, [&] {
      return format("%s copies to blocks 0x%x of a cluster of %u", who().c_str(), targets,
                    cluster.size());
    });
    return;
  }

  countBulk(copy, *array, __builtin_popcount(targets));
  for (unsigned to = 0; to < cluster.size(); ++to) {
    if (!(targets >> to & 1))
      continue;
    Block &other = cluster.getBlock(to);
    BulkCopy there = copy;
    there.dest = translate(copy.dest, other, line);
    const uintptr_t barrier = translate(addressOf(bar), other, line);
    if (there.dest && barrier)
      other.beginBulk(*this, there, barrier, boxBytes);
  }
}

void Block::checkBulkSource(const BulkCopy &copy, std::vector<uint32_t> &sectors,
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
    if (!checks() || !operand.tracksRaces())
      return;
    for (uint64_t element = (row.source - operand.getBegin()) / width, end = element + bytes / width;
         element < end; ++element)
      if (operand.isVisited(element)) {
        report(FindingKind::MissingFence, copy.line, operand.getName(), [&] {
          return format("%s copies a box of %s that holds what this kernel wrote; bulk copies may "
                        "miss that",
                        who().c_str(), operand.getName().c_str());
        });
        return;
      }
  });
  std::sort(sectors.begin(), sectors.end());
  sectors.erase(std::unique(sectors.begin(), sectors.end()), sectors.end());
}

void Block::countBulk(const BulkCopy &copy, const SharedArray &array, unsigned copies) {
  std::vector<uint32_t> sectors;
  uint64_t present = 0;
  checkBulkSource(copy, sectors, present);
  const uint64_t boxBytes = copy.map->values.boxBytes();
  log.countBulkRead(copy.line, *copy.map->operand, boxBytes, present * copies, sectors, wave);
  log.countBulkWrite(copy.line, array, boxBytes, copies);
}

void Block::beginBulk(Block &issuer, const BulkCopy &copy, uintptr_t bar, uint64_t bytes) {
  Mbarrier &barrier = findBarrier(reinterpret_cast<void *>(bar), "copies for", copy.line);
  if (!barrier.fenced)
    issuer.report(FindingKind::MissingFence, copy.line, barrier.name, [&] {
      return format("%s copies for %s of block %u, which no fence_mbarrier_init has made known",
                    issuer.who().c_str(), barrier.name.c_str(), number);
    });
  const SharedArray *array = shared.findHolder(copy.dest, bytes);
  checkNoBarrier(copy.dest, bytes, "copies a box to", copy.line);
  if (clocks) {
    const auto verdict =
        history->noteWrite(copy.dest - shared.getOrigin(), bytes, issuer.self(),
                           clocks->of(issuer.self()), ClockedHistory::Copy::Bulk);
    if (verdict.conflict != ClockedHistory::Conflict::None)
      reportClocked(verdict, *array, copy.line, issuer.who() + " copies a box to");
  }
  poison(reinterpret_cast<void *>(copy.dest), bytes, array->elementBytes);
  barrier.copies.push_back(copy);
}

void Block::landBulk(Mbarrier &barrier, const BulkCopy &copy) {
  const runtime::TensorMapValues &map = copy.map->values;
  const unsigned width = runtime::byteWidth(map.type);
  const uint64_t rowBytes = uint64_t(map.box[0]) * width;
  constexpr uint64_t chunkBytes = 16;
  std::vector<char> bytes(rowBytes);
  const uint64_t offset = copy.dest - shared.getOrigin();
  forEachRow(copy, [&](const BoxRow &row) {
    std::fill(bytes.begin(), bytes.end(), 0);
    if (row.first != row.end)
      std::memcpy(bytes.data() + row.first * width, reinterpret_cast<const void *>(row.source),
                  (row.end - row.first) * width);
    // The swizzle goes by addresses; the origin is a multiple of its period.
    for (uint64_t chunk = 0; chunk < rowBytes; chunk += chunkBytes)
      std::memcpy(reinterpret_cast<void *>(
                      shared.getOrigin() +
                      runtime::swizzled(map.swizzle, offset + row.boxOffset + chunk)),
                  bytes.data() + chunk, chunkBytes);
  });
  if (history)
    history->land(offset, map.boxBytes(), barrier.agent, barrier.phase + 1,
                  ClockedHistory::Copy::Bulk);
}

} // namespace tilec::emulator
