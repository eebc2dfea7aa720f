//===- AccessLog.h - Counting accesses warp by warp -----------*- C++ -*-===//
//
// Lanes run one after another here, but memory serves warps. So each lane's
// accesses are kept until its warp reaches a barrier; then those of a call site
// in the same iterations of the loops around it are looked at together, as one
// request.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_EMULATOR_ACCESSLOG_H
#define TILEC_EMULATOR_ACCESSLOG_H

#include "GlobalMemory.h"
#include "RuntimeTable.h"
#include "SharedMemory.h"
#include "WarpRequests.h"

#include "tilec/Emulator/Report.h"

#include <algorithm>
#include <array>
#include <deque>
#include <unordered_map>
#include <vector>

namespace tilec::emulator {

using tilec_emulator::Position;

constexpr unsigned warpLanes = 32;

enum class AccessOp : uint8_t { ReadConstant, ReadGlobal, WriteGlobal, AtomicGlobal, ReadShared, WriteShared, AtomicShared, ReadMatrix };

/// One call site's accesses of one width to one object.
struct Site {
  int line = 0;
  AccessOp op = AccessOp::ReadGlobal;
  unsigned bytes = 0;
  /// One of the two.
  Operand *operand = nullptr;
  const SharedArray *array = nullptr;
  /// Addresses begin .. begin + lastOffset are inside the object.
  uintptr_t begin = 0;
  uint64_t lastOffset = 0;
  /// What logged offsets count from: aligned to sectors and to all banks.
  uintptr_t origin = 0;
  SiteCounters counters;

  /// An execution of a warp: where in the loops, and the lanes that take part.
  struct Execution {
    Position position = 0;
    uint32_t active = 0;
  };
  struct WarpLog {
    /// For each lane the execution after its latest one, where its next one is looked for first.
    std::array<uint32_t, warpLanes> next = {};
    std::vector<Execution> executions;
    /// Lanes that have made an execution; what the only one does next is new.
    uint32_t makers = 0;
    /// The first execution at each position, of the first `indexed` ones.
    std::unordered_map<Position, unsigned> byPosition;
    unsigned indexed = 0;
    /// [execution][lane]
    std::vector<uint32_t> offsets;
  };
  std::vector<WarpLog> warps;

  /// Shared requests that differ only by a constant take the same wavefronts,
  /// and come in rows: the last full one and its answer.
  std::array<uint32_t, warpLanes> lastOffsets = {};
  Wavefronts lastWavefronts;
  bool hasLast = false;

  /// The next site of the same line.
  Site *next = nullptr;
};

class AccessLog {
public:
  explicit AccessLog(unsigned warps) : warps(warps) {}

  /// The site of an access that lies in its object, or null.
  Site *find(int line, AccessOp op, unsigned bytes, uintptr_t address) const {
    if (size_t(line) >= heads.size())
      return nullptr;
    for (Site *site = heads[line]; site; site = site->next)
      if (site->op == op && site->bytes == bytes && address - site->begin <= site->lastOffset)
        return site;
    return nullptr;
  }
  Site *add(int line, AccessOp op, unsigned bytes, Operand &operand);
  Site *add(int line, AccessOp op, unsigned bytes, const SharedArray &array, uintptr_t origin);

  /// Keeps one lane's access; false where the lane is too far ahead of what is
  /// counted: flush the warp, then try again.
  bool log(Site &site, unsigned warp, unsigned lane, uintptr_t address, Position position) {
    Site::WarpLog &w = site.warps[warp];
    const uint32_t self = uint32_t(1) << lane;
    unsigned n = w.next[lane];
    if (n >= w.executions.size() || w.executions[n].position != position ||
        w.executions[n].active & self) {
      n = findExecution(w, self, position);
      if (n == maxExecutions)
        return false;
    }
    w.executions[n].active |= self;
    w.next[lane] = n + 1;
    w.offsets[n * warpLanes + lane] = uint32_t(address - site.origin);
    return true;
  }
  /// Count a bulk copy of boxes, `boxBytes` each: `bytes` of these sectors, and `copies` boxes in shared memory.
  void countBulkGlobal(int line, AccessOp op, Operand &operand, unsigned boxBytes, uint64_t bytes,
                       const std::vector<uint32_t> &sectors, uint32_t wave);
  void countBulkShared(int line, AccessOp op, const SharedArray &array, unsigned boxBytes, unsigned copies);
  void countMatrix(int line, const SharedArray &array, unsigned bytes);
  /// Counts what the lanes of a warp have logged; `wave` is that of the block.
  void flush(unsigned warp, uint32_t wave);

  const std::deque<Site> &getSites() const { return sites; }

private:
  /// What is kept of a warp at a site takes up to 32 MiB. Where a lane fills that and others, which a condition keeps from the site,
  /// have gone further meanwhile, their requests are counted apart from those that it makes later.
  static constexpr unsigned maxExecutions = 1 << 18;

  /// The first execution at `position` without the lane of `self`, made if need be; maxExecutions
  /// where there is no room for it.
  static unsigned findExecution(Site::WarpLog &log, uint32_t self, Position position);
  Site *addSite(int line, AccessOp op, unsigned bytes);
  /// The site of a bulk copy; find() never gives it.
  Site &bulkSite(int line, AccessOp op, unsigned boxBytes, const std::string &object);
  void flushSite(Site &site, Site::WarpLog &warp, uint32_t wave);
  void countGlobal(Site &site, const WarpRequest &request, uint32_t wave);
  void countShared(Site &site, const WarpRequest &request);
  void countConstant(Site &site, const WarpRequest &request);

  unsigned warps;
  std::deque<Site> sites;
  /// The first site of each line.
  std::vector<Site *> heads;
};

} // namespace tilec::emulator

#endif // TILEC_EMULATOR_ACCESSLOG_H
