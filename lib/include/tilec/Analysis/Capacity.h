//===- Capacity.h - What a nest needs of a machine ---------------*- C++ -*-===//
//
// Shared memory, registers and threads of a block, and the features that the
// nest asks for, against the limits of a machine.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_CAPACITY_H
#define TILEC_ANALYSIS_CAPACITY_H

#include "tilec/Analysis/NestModel.h"
#include "tilec/Machine/MachineSpec.h"

namespace tilec::analysis {

/// One thing that a machine does not allow.
struct Violation {
  /// The op that asks for it.
  mlir::Operation *op = nullptr;
  /// What is asked for, the limit, and its source.
  std::string message;
  /// Contributions and legal alternatives, each at an op.
  std::vector<std::pair<mlir::Operation *, std::string>> notes;
};

/// What one block needs.
struct Resources {
  /// Bytes of all staged tiles in shared memory, each in a place of its own: cosize of the
  /// layout * element bytes * pipeline depth, aligned to 16 bytes (formula 14).
  int64_t smemBytes = 0;
  int64_t threadsPerBlock = 1;
  /// Registers (32 bits) of a thread that tiles take, of those that live together
  /// (formula 15). Addresses and counters come on top; see estimateRegisters.
  int64_t tileRegisters = 0;
};

/// What one thread holds of register tile `number`, in elements: its elements divided by
/// the threads that it is spread over.
int64_t elementsPerThread(const NestModel &model, unsigned number);

/// What lives of `registers` of the ops of `block` and of regions in it, each from its op to the last one that uses it, where it is most.
int64_t liveRegisters(mlir::Block &block,
                      const llvm::DenseMap<mlir::Operation *, int64_t> &registers);

Resources countResources(const NestModel &model);

/// Registers (32 bits) that a compiler would like to give each of a block's threads (formula 29). Where that is more than
/// a thread may have, values are spilled (getSpilledRegisters); occupancy is that of so many registers, so that spilling
/// never pays.
int64_t wantedRegisters(const NestModel &model, int64_t threadsPerBlock, const MachineSpec &machine);

/// Of a thread, values that do not fit its registers in each step of its loops, and go to local memory and back.
int64_t getSpilledRegisters(const NestModel &model, int64_t threadsPerBlock, const MachineSpec &machine);

/// The blocks an SM that fit if the compiler takes fewer registers than it would like, by so little that it can: more than 1 where it has to be asked.
int64_t getSqueezedBlocks(const NestModel &model, int64_t threadsPerBlock, const MachineSpec &machine);

/// How many times as many registers as it is asked to do with (`min_blocks`) the compiler would like to give each of a block's threads; 1 where it is not asked.
double getTightness(const NestModel &model, int64_t threadsPerBlock, const MachineSpec &machine);

/// Of these as many as a thread may have.
int64_t estimateRegisters(const NestModel &model, int64_t threadsPerBlock,
                          const MachineSpec &machine);

/// Registers that a block of `threads` threads has when it starts, alone on an SM: an even share of each thread, a multiple of 8 (PTX ISA
/// 9.7.20.5: setmaxnreg takes from and gives to this pool, and waits for ever for more).
int64_t getRegisterPool(const MachineSpec &machine, int64_t threads);

/// The limits and missing features that the nest runs into, none if it fits.
std::vector<Violation> checkMachine(const NestModel &model, const MachineSpec &machine);

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_CAPACITY_H
