//===- SyncOps.td - Identity, barriers and shuffles --------*- tablegen -*-===//

#ifndef TILEC_KERNEL_SYNCOPS_TD
#define TILEC_KERNEL_SYNCOPS_TD

include "tilec/Kernel/KernelDialect.td"

def Kernel_BlockOp : Kernel_Op<"block", "block_x"> {
  let effects = [Pure];
  let summary = "this block's number in the grid";
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
  let prototype = "int block_x()";
  let device = [{R"cuda(
__device__ __forceinline__ int block_x() { return blockIdx.x; }
)cuda"}];
  let emulator = [{
    return table->getNumber();
  }];
  let constant = 1;
}

def Kernel_ThreadOp : Kernel_Op<"thread", "thread_x"> {
  let effects = [Pure];
  let summary = "this thread's number in its block";
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
  let prototype = "int thread_x()";
  let device = [{R"cuda(
__device__ __forceinline__ int thread_x() { return threadIdx.x; }
)cuda"}];
  let emulator = [{
    return table->getThread();
  }];
  let constant = 1;
}

def Kernel_SyncBlockOp : Kernel_Op<"sync_block", "sync_block"> {
  let summary = "waits for all threads of the block; what they wrote is visible after it";
  let assemblyFormat = "attr-dict";
  let prototype = "void sync_block()";
  let device = [{R"cuda(
__device__ __forceinline__ void sync_block() { __syncthreads(); }
)cuda"}];
  let emulator = [{
    table->syncBlock(site);
  }];
  let order = OrderBlock;
}

def Kernel_ShflXorOp : Kernel_Op<"shfl_xor", "shfl_xor", [AllTypesMatch<["value", "result"]>]> {
  let effects = [MemoryEffects<[MemRead<Kernel_Threads>, MemWrite<Kernel_Threads>]>];
  let summary = "the value of the lane whose number differs by `mask`; all 32 lanes take part";
  let arguments = (ins AnyType:$value, Index:$mask);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$value `,` $mask attr-dict `:` type($value)";
  let prototype = "template <typename T> T shfl_xor(T value, int mask)";
  let device = [{R"cuda(
template <typename T> __device__ __forceinline__ T shfl_xor(T value, int mask) {
  return __shfl_xor_sync(0xffffffffu, value, mask);
}
)cuda"}];
  let emulator = [{
    static_assert(sizeof(T) <= 8, "a shuffle moves up to 8 bytes");
    T result = value;
    table->shuffleXor(&result, sizeof(T), mask, site);
    return result;
  }];
}

#endif
