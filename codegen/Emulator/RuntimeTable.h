//===- RuntimeTable.h - What a kernel in host code calls ------*- C++ -*-===//
//
// The interface between the run-time in tilec and the device side, which is
// compiled in front of each kernel. Plain C++ without any header, since it is
// part of the text that the host compiler reads. Sizes are in bytes, lines
// count in the kernel's text.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_EMULATOR_RUNTIMETABLE_H
#define TILEC_EMULATOR_RUNTIMETABLE_H

namespace tilec_emulator {

/// The iterations of the loops around a call, as one number.
using Position = unsigned long long;

/// The run-time's functions; a module gets them when it is loaded, so that it
/// links with nothing.
struct RuntimeTable {
  int (*blockX)();
  int (*threadX)();
  /// Declares or finds an array of the block; `offset` -1: in static memory.
  void *(*sharedArray)(const char *name, unsigned long elementBytes, unsigned long count,
                       long offset, int line);
  /// Checks and counts a read, and tells where the bytes are to be taken from. Lanes of a warp that
  /// do the same at one `position` in the loops around the line are served together.
  const void *(*readGlobal)(const void *source, unsigned bytes, int line, Position position);
  const void *(*readShared)(const void *source, unsigned bytes, int line, Position position);
  /// The same place in the shared memory of block `rank` of the cluster.
  const void *(*readCluster)(const void *source, unsigned bytes, int rank, int line,
                             Position position);
  /// Checks and counts a write, and tells where the bytes are to be put.
  /// `uninitialised`: the value is the pattern of registers never written.
  void *(*writeGlobal)(void *dest, unsigned bytes, bool uninitialised, int line,
                       Position position);
  void *(*writeShared)(void *dest, unsigned bytes, int line, Position position);
  /// Runs add(dest, value) with no other atomic access in between.
  void (*atomicGlobal)(void *dest, const void *value, unsigned bytes, bool uninitialised,
                       void (*add)(void *dest, const void *value), int line, Position position);
  void (*copyAsync)(void *dest, const void *source, unsigned bytes, bool valid, int line,
                    Position position);
  void (*commitCopies)();
  void (*waitCopies)(int pending);
  void (*syncBlock)(int line);
  /// Hands in `value` (up to 8 bytes) and replaces it by that of another lane.
  void (*shuffleXor)(void *value, unsigned bytes, int mask, int line);

  int (*blockCount)();
  int (*clusterRank)();
  void (*fenceGpu)();
  int (*atomicFetchAdd)(int *dest, int value, int line, Position position);
  void (*syncNamed)(int id, int count, int line);
  void (*syncWarp)(int line);
  void (*syncCluster)(int line);
  void (*setMaxRegisters)(int count, bool increase, int line);

  /// Something computed that has no meaning.
  void (*reportArithmetic)(const char *what, int line);

  // Mbarriers. Their state is kept outside of the kernel's shared memory.
  void (*startBarrier)(void *bar, int arrivals, int line);
  void (*arrive)(void *bar, int line);
  void (*arriveExpect)(void *bar, int bytes, int line);
  void (*arriveRemote)(void *bar, int rank, int line);
  void (*arriveAfterCopies)(void *bar, int line);
  void (*waitBarrier)(void *bar, int parity, int line);
  void (*fenceBarrierStarts)();
  void (*fenceProxy)();
  /// Copies a box of a tensor map with `rank` coordinates; `mask` has a bit for
  /// each block of the cluster that gets it, 0 stands for the one that asks.
  void (*copyBulk)(void *dest, const void *map, const int *coordinates, int rank, void *bar,
                   int mask, int line);
};

/// One parameter of a kernel, as its C++ type has it.
struct ParameterShape {
  unsigned bytes;
  bool isPointer;
};

/// The one symbol that a module exports.
struct KernelEntry {
  unsigned parameterCount;
  const ParameterShape *parameters;
  /// The text has functions that order less than whole blocks, or several.
  bool needsClocks;
  void (*bind)(const RuntimeTable *table);
  /// Calls the kernel as the current thread; one address a parameter.
  void (*launch)(void *const *arguments);
};

} // namespace tilec_emulator

#endif // TILEC_EMULATOR_RUNTIMETABLE_H
