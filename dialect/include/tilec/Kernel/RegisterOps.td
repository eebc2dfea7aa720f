//===- RegisterOps.td - What compilers make of registers ---*- tablegen -*-===//
//
// Functions that leave all values as they are, for the registers that hold them.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_KERNEL_REGISTEROPS_TD
#define TILEC_KERNEL_REGISTEROPS_TD

include "tilec/Kernel/KernelDialect.td"

/// Registers that a function reads and writes, as the array that the indices leave.
def Kernel_RegisterUpdate : Arg<Kernel_RegisterArray, "", [MemRead, MemWrite]>;

def Kernel_SettleOp : Kernel_Op<"settle", "settle"> {
  let summary = "what a thread has computed so far is in its registers";
  let description = [{
    No instruction. Between two places that use what was computed from accumulators, ptxas may compute it again at each; it then takes the
    accumulators to be read while multiplications go on, and makes these wait for each other (C7514).
  }];
  let arguments = (ins Kernel_RegisterUpdate:$registers);
  let assemblyFormat = "$registers attr-dict `:` type($registers)";
  let call = DeclareOpInterfaceMethods<VocabularyCallInterface, ["countIndices"]>;
  let prototype = "template <typename D> void settle(D &d)";
  let device = [{R"cuda(
template <typename D> __device__ __forceinline__ void settle(D &d) {
  static_assert(sizeof(D) % 4 == 0, "whole registers");
  unsigned (&word)[sizeof(D) / 4] = reinterpret_cast<unsigned (&)[sizeof(D) / 4]>(d);
#pragma unroll
  for (int i = 0; i < (int)sizeof(D) / 4; ++i) asm volatile("" : "+r"(word[i]));
}
)cuda"}];
  let emulator = [{
    (void)d;
  }];
}

def Kernel_LoosenOp : Kernel_Op<"loosen", "loosen"> {
  let summary = "what a thread has computed so far may be in other registers from here on";
  let description = [{
    An instruction for each register, which ptxas does not see through. Where sums are stored four at a time it has them be in registers beside
    one another, in the loop that adds to them as well, where products then read two registers of a bank at once (docs/results/gpu.md). After it
    they are in registers of the loop's own.
  }];
  let arguments = (ins Kernel_RegisterUpdate:$registers);
  let assemblyFormat = "$registers attr-dict `:` type($registers)";
  let call = DeclareOpInterfaceMethods<VocabularyCallInterface, ["countIndices"]>;
  let prototype = "template <typename D> void loosen(D &d)";
  let device = [{R"cuda(
template <typename D> __device__ __forceinline__ void loosen(D &d) {
  static_assert(sizeof(D) % 4 == 0, "whole registers");
  unsigned (&word)[sizeof(D) / 4] = reinterpret_cast<unsigned (&)[sizeof(D) / 4]>(d);
  // Values stay, in registers other than those of their loop: grids have one dimension, but no compiler knows.
  const unsigned zero = gridDim.z - 1;
#pragma unroll
  for (int i = 0; i < (int)sizeof(D) / 4; ++i) word[i] ^= zero;
}
)cuda"}];
  let emulator = [{
    (void)d;
  }];
}

#endif
