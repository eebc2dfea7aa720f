//===- BulkStores.h - Boxes that the hardware stores ----------*- C++ -*-===//
//
// A box is checked and counted when it is asked for, read from shared memory in
// the wait that says that it has been read, and written in the wait that says
// that it is done, or when its block ends.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_EMULATOR_BULKSTORES_H
#define TILEC_EMULATOR_BULKSTORES_H

#include "BulkCopies.h"
#include "GlobalAccesses.h"
#include "SharedAccesses.h"

#include <vector>

namespace tilec::emulator {

class BulkStores {
public:
  BulkStores(Threads &threads, Witness &witness, Sites &sites, BlockMemory &memory, GlobalAccesses &globals, SharedAccesses &shared,
             BulkCopies &copies)
      : threads(threads), witness(witness), sites(sites), memory(memory), globals(globals), shared(shared), copies(copies) {}
  void start() { issuers.assign(threads.size(), {}); }

  // By threads of the block.
  void storeBulk(const void *map, const int *coordinates, int rank, const void *source, int line);
  void commitBulk() { ++issuers[threads.getThread()].groups; }
  /// `reads`: until they have been read.
  void waitBulk(int pending, bool reads);

  /// At the block's end: writes what has been read, reports what has not.
  void finish();

private:
  struct Store {
    /// `dest` is where it is read.
    BulkCopy box;
    unsigned group = 0;
    bool read = false;
    /// Its rows.
    std::vector<char> bytes;
  };
  struct Issuer {
    unsigned groups = 0;
    /// Reads shared memory; none yet: 0.
    unsigned agent = 0;
    std::vector<Store> stores;
  };

  const SharedArray *findSource(const BulkCopy &box);
  void checkRead(Issuer &issuer, const BulkCopy &box, const SharedArray &array);
  void checkWrite(const BulkCopy &box, const SharedArray &array);
  void read(Store &store);
  void write(const Store &store);

  Threads &threads;
  Witness &witness;
  Sites &sites;
  BlockMemory &memory;
  GlobalAccesses &globals;
  SharedAccesses &shared;
  BulkCopies &copies;
  std::vector<Issuer> issuers;
};

} // namespace tilec::emulator

#endif // TILEC_EMULATOR_BULKSTORES_H
