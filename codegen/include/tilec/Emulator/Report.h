//===- Report.h - What a run in the emulator found and counted -*- C++ -*-===//
//
// The findings (rules that the kernel broke) and the counters (traffic of each
// call of the vocabulary, and of each operand and shared array) of one run.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_EMULATOR_REPORT_H
#define TILEC_EMULATOR_REPORT_H

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tilec::emulator {

enum class FindingKind {
  /// An access outside the logical elements of an operand or a shared array.
  OutOfBounds,
  /// An address that is no multiple of the access's size.
  Misaligned,
  /// A write to an operand that is only read, or a read of an element of an
  /// operand that is only written, before anybody wrote it.
  OperandRole,
  /// A read of shared memory that nobody wrote in this block.
  UninitialisedShared,
  /// A store to global memory of the pattern that uninitialised registers hold.
  UninitialisedRegister,
  /// Two threads of a block, one of them writing, with no barrier in between.
  SharedRace,
  /// Two threads, one of them writing the same element of an operand, not ordered.
  GlobalRace,
  /// An access to bytes that an asynchronous copy, or the kernel ahead in the stream, may still be writing.
  MissingWait,
  /// A barrier that some threads leave out, or reach at another line.
  Barrier,
  /// A shuffle whose lanes do not all take part at one line.
  Shuffle,
  /// All threads that are left wait.
  Deadlock,
  /// A shared array larger than what the launch provides, or redefined.
  SharedArray,
  /// Plain accesses that bulk copies or other blocks may see too late.
  MissingFence,
  /// A copy over bytes that a thread has released while its read of them may
  /// still be on its way.
  EarlyRelease,
  /// A multiplication that is not all of a warpgroup's, or into registers that another one has.
  Warpgroup,
  /// Register counts that the hardware does not take, or not from all warps.
  Registers,
  /// A division by zero, a shift by the width or more, a conversion of a number that does not fit.
  Arithmetic,
  /// An index that the operand which it numbers does not have.
  Index,
  /// A workspace that a launch leaves otherwise than the next one needs it.
  Workspace
};

/// "out of bounds", "shared race", ...
std::string_view findingKindName(FindingKind kind);

/// One broken rule at one line, with the first case of it in full.
struct Finding {
  FindingKind kind = FindingKind::OutOfBounds;
  /// Line of the kernel text, from 1; 0 where no line is to blame.
  int line = 0;
  /// Of the first case.
  unsigned block = 0;
  unsigned thread = 0;
  /// Cases of this kind at this line, on the same object.
  uint64_t count = 0;
  /// The first case in words.
  std::string message;
};

/// `Matrix`: reads of shared memory by tensor cores.
enum class AccessKind { Read, Write, Atomic, Matrix };

/// What one call of the vocabulary moved from or to one object. A copy from
/// global to shared memory counts twice: as a read of the one and a write of
/// the other.
struct SiteCounters {
  int line = 0;
  /// Name of the operand or shared array.
  std::string object;
  /// An operand, in global or in constant memory; otherwise in shared memory.
  bool global = false;
  bool constant = false;
  AccessKind access = AccessKind::Read;
  /// Of a bulk copy: the bytes of a box. Of a multiplication: those of the matrix.
  unsigned bytesPerLane = 0;
  /// Executions by a lane.
  uint64_t accesses = 0;
  /// accesses * bytesPerLane: what arrives where it is used. Of bulk copies, the
  /// elements inside of the tensor, once for each block that gets them.
  uint64_t bytes = 0;
  /// Executions by a warp: those of its lanes in the same iterations of all loops (since the last
  /// barrier) make one request.
  uint64_t requests = 0;
  /// Global: distinct aligned 32-byte sectors of each request, summed.
  uint64_t sectors = 0;
  /// Constant: different addresses of each request, summed; they are served one after the other.
  uint64_t constantAccesses = 0;
  /// Shared: passes of 32 banks of 4 bytes.
  uint64_t wavefronts = 0;
  /// Shared: the same without bank conflicts.
  uint64_t idealWavefronts = 0;
  /// Shared: most different words of one bank in one pass (1 = no conflict).
  unsigned conflictDegree = 0;

  /// What leaves the memory: sectors * 32, or wavefronts * 128; of constant memory each access of a
  /// request has an element.
  uint64_t portBytes() const {
    return constant ? constantAccesses * bytesPerLane : global ? sectors * 32 : wavefronts * 128;
  }
};

/// Sums over the call sites of one operand or shared array. Atomics count as
/// written.
struct ObjectCounters {
  std::string name;
  bool global = false;
  uint64_t bytesRead = 0;
  uint64_t bytesWritten = 0;
  uint64_t portBytesRead = 0;
  uint64_t portBytesWritten = 0;
  /// Shared: bytes of the matrices that tensor cores read, in none of the others.
  uint64_t bytesMultiplied = 0;
  /// Global: bytes of the distinct sectors that each wave of blocks touches,
  /// summed over the waves. No cache can make DRAM move less, if it keeps
  /// nothing from one wave to the next.
  uint64_t uniqueBytesRead = 0;
  uint64_t uniqueBytesWritten = 0;
};

struct Report {
  /// One for each kind, line and object, ordered by line.
  std::vector<Finding> findings;
  /// Different findings beyond RunOptions::maxFindings.
  uint64_t findingsDropped = 0;
  /// Ordered by line, then object.
  std::vector<SiteCounters> sites;
  /// Operands in the order of the description, then shared arrays.
  std::vector<ObjectCounters> objects;
  uint64_t blocks = 0;

  bool ok() const { return findings.empty() && findingsDropped == 0; }
  /// Null where there is no object of that name.
  const ObjectCounters *findObject(std::string_view name) const;
  /// One line a finding: "NAME:LINE: KIND: MESSAGE (COUNT times)", and "; from ORIGIN" where `originOf` has
  /// one for its line.
  std::string describeFindings(std::string_view name,
                               const std::function<std::string(int line)> &originOf = {}) const;
};

} // namespace tilec::emulator

#endif // TILEC_EMULATOR_REPORT_H
