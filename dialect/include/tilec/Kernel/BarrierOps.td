//===- BarrierOps.td - Barriers in shared memory -----------*- tablegen -*-===//
//
// An mbarrier counts arrivals and bytes. Its phases are numbered from 0; a phase
// ends when all arrivals and all bytes that it expects have come. PTX ISA
// 9.7.13.15 has the rules.
//
// The barriers of a kernel are elements of shared arrays of i64, which is
// `long long` in the text.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_KERNEL_BARRIEROPS_TD
#define TILEC_KERNEL_BARRIEROPS_TD

include "tilec/Kernel/KernelDialect.td"

/// An array of mbarriers.
def Kernel_Mbarriers : Kernel_SharedMemRef<MemRefOf<[I64]>>;

/// A function of one barrier and at most one number.
class Kernel_BarrierOp<string mnemonic, string number = ""> : Kernel_Op<mnemonic, mnemonic> {
  defvar barrier = (ins Arg<Kernel_Mbarriers, "", [MemRead<Kernel_Phases>, MemWrite<Kernel_Phases>]>:$barrier,
                    Kernel_Indices:$indices);
  let arguments = !if(!empty(number), barrier, !con(barrier, !dag(ins, [Index], [number])));
  let assemblyFormat = "$barrier `[` $indices `]`" # !if(!empty(number), "", " `,` $" # number) #
                       " attr-dict `:` type($barrier) `,` type($indices)";
  let order = OrderPhase;
}

def Kernel_MbarrierInitOp : Kernel_BarrierOp<"mbarrier_init", "arrivals"> {
  let summary = "starts a barrier whose phases end after so many arrivals";
  let prototype = "void mbarrier_init(long long *bar, int arrivals)";
  let lowestArch = 80;
  let device = [{R"cuda(
__device__ __forceinline__ void mbarrier_init(long long *bar, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(bar)), "r"(arrivals)
               : "memory");
}
)cuda"}];
  let emulator = [{
    table->startBarrier(bar, arrivals, site);
  }];
}

def Kernel_MbarrierArriveOp : Kernel_BarrierOp<"mbarrier_arrive"> {
  let summary = "arrives; who waits for the phase sees what this thread wrote before";
  let prototype = "void mbarrier_arrive(long long *bar)";
  let lowestArch = 80;
  let device = [{R"cuda(
__device__ __forceinline__ void mbarrier_arrive(long long *bar) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"((unsigned)__cvta_generic_to_shared(bar)) : "memory");
}
)cuda"}];
  let emulator = [{
    table->arrive(bar, site);
  }];
}

def Kernel_MbarrierArriveExpectTxOp : Kernel_BarrierOp<"mbarrier_arrive_expect_tx", "bytes"> {
  let summary = "arrives, and lets the phase wait for so many bytes of bulk copies as well";
  let prototype = "void mbarrier_arrive_expect_tx(long long *bar, int bytes)";
  let lowestArch = 90;
  let device = [{R"cuda(
__device__ __forceinline__ void mbarrier_arrive_expect_tx(long long *bar, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(bar)),
               "r"(bytes) : "memory");
}
)cuda"}];
  let emulator = [{
    table->arriveExpect(bar, bytes, site);
  }];
}

def Kernel_MbarrierWaitOp : Kernel_BarrierOp<"mbarrier_wait", "parity"> {
  let summary = "waits until the latest phase of this parity (0 for the first one) has ended";
  let description = [{
    On a fresh barrier a wait with parity 1 goes through, as if a phase before
    the first one had ended.
  }];
  let prototype = "void mbarrier_wait(long long *bar, int parity)";
  let lowestArch = 90;
  // Acquire at the scope of the block is the default.
  let device = [{R"cuda(
__device__ __forceinline__ void mbarrier_wait(long long *bar, int parity) {
  asm volatile(
      "{\n.reg .pred done;\n"
      "again:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@!done bra again;\n}" ::"r"((unsigned)__cvta_generic_to_shared(bar)), "r"(parity) : "memory");
}
)cuda"}];
  let emulator = [{
    table->waitBarrier(bar, parity, site);
  }];
}

def Kernel_CpAsyncMbarrierArriveOp : Kernel_BarrierOp<"cp_async_mbarrier_arrive"> {
  let summary = "arrives when all copies that this thread has issued so far have landed";
  let description = [{
    One of the arrivals that the barrier was started with (`.noinc`). Does not
    publish what the thread wrote in other ways.
  }];
  let prototype = "void cp_async_mbarrier_arrive(long long *bar)";
  let lowestArch = 80;
  let device = [{R"cuda(
__device__ __forceinline__ void cp_async_mbarrier_arrive(long long *bar) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"((unsigned)__cvta_generic_to_shared(bar))
               : "memory");
}
)cuda"}];
  let emulator = [{
    table->arriveAfterCopies(bar, site);
  }];
}

def Kernel_MbarrierArriveRemoteOp : Kernel_BarrierOp<"mbarrier_arrive_remote", "rank"> {
  let summary = "arrives at the same barrier of another block of the cluster";
  let prototype = "void mbarrier_arrive_remote(long long *bar, int rank)";
  let lowestArch = 90;
  // No .release.cluster: ptxas makes that a fence of the whole GPU before each arrive.
  let device = [{R"cuda(
__device__ __forceinline__ void mbarrier_arrive_remote(long long *bar, int rank) {
  asm volatile(
      "{\n.reg .b32 remote;\nmapa.shared::cluster.u32 remote, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [remote];\n}" ::"r"((unsigned)__cvta_generic_to_shared(bar)), "r"(rank)
      : "memory");
}
)cuda"}];
  let emulator = [{
    table->arriveRemote(bar, rank, site);
  }];
}

def Kernel_FenceMbarrierInitOp : Kernel_Op<"fence_mbarrier_init", "fence_mbarrier_init"> {
  let summary = "makes started barriers known to the other blocks of the cluster and to bulk copies";
  let assemblyFormat = "attr-dict";
  let prototype = "void fence_mbarrier_init()";
  let lowestArch = 90;
  let device = [{R"cuda(
__device__ __forceinline__ void fence_mbarrier_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
)cuda"}];
  let emulator = [{
    table->fenceBarrierStarts();
  }];
  let order = OrderPhase;
}

#endif
