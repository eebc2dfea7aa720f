//===- BulkCopies.h - Boxes that the hardware fetches ---------*- C++ -*-===//
//
// A box is checked and counted when it is asked for, and delivered when the
// phase of its mbarrier must end. What it overwrites is poisoned at once.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_EMULATOR_BULKCOPIES_H
#define TILEC_EMULATOR_BULKCOPIES_H

#include "ClusterAccesses.h"
#include "GlobalAccesses.h"
#include "Mbarrier.h"

#include <optional>
#include <vector>

namespace tilec::emulator {

class BulkCopies {
public:
  BulkCopies(const Launch &launch, Cluster &cluster, Witness &witness, Sites &sites,
             const BlockMemory &memory, GlobalAccesses &globals,
             ClusterAccesses &clusterAccesses)
      : launch(launch), cluster(cluster), witness(witness), sites(sites), memory(memory),
        globals(globals), clusterAccesses(clusterAccesses) {}

  /// `mask` 0: to this block.
  void copyBulk(void *dest, const void *map, const int *coordinates, int rank, void *bar, int mask,
                int line);

  /// The map that the kernel's parameter stands for; ends the block where there is none.
  const TensorMap &findMap(const void *map, int line);
  /// Ends the block where the hardware would stop.
  void checkCoordinates(const TensorMap &map, const int *coordinates, int rank, int line);
  /// Boxes lie at multiples of so many bytes of shared memory.
  static uintptr_t alignmentOf(const runtime::TensorMapValues &map);

private:
  /// The array that the box goes to, or null.
  const SharedArray *findDest(const BulkCopy &copy);
  /// Checks what a box reads; lists its distinct sectors and the bytes inside of the tensor.
  void checkSource(const BulkCopy &copy, std::vector<uint32_t> &sectors, uint64_t &present);
  void checkOrder(const BulkCopy &copy, uint64_t first, uint64_t end);
  /// Asks for the box in another block of the cluster, or in this one.
  void begin(Block &other, const BulkCopy &copy, uintptr_t bar);

  const Launch &launch;
  Cluster &cluster;
  Witness &witness;
  Sites &sites;
  const BlockMemory &memory;
  GlobalAccesses &globals;
  ClusterAccesses &clusterAccesses;
};

} // namespace tilec::emulator

#endif // TILEC_EMULATOR_BULKCOPIES_H
