//===- ClusterOps.td - Clusters, roles and the whole grid --*- tablegen -*-===//
//
// What blocks know of each other, and how warps of one block part the work.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_KERNEL_CLUSTEROPS_TD
#define TILEC_KERNEL_CLUSTEROPS_TD

include "tilec/Kernel/KernelDialect.td"

//===----------------------------------------------------------------------===//
// The grid
//===----------------------------------------------------------------------===//

def Kernel_BlockCountOp : Kernel_Op<"block_count", "block_count"> {
  let effects = [Pure];
  let summary = "the number of blocks of the grid";
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
  let prototype = "int block_count()";
  let device = [{R"cuda(
__device__ __forceinline__ int block_count() { return gridDim.x; }
)cuda"}];
  let emulator = [{
    return table->getBlockCount();
  }];
}

def Kernel_FenceGpuOp : Kernel_Op<"fence_gpu", "fence_gpu"> {
  let summary = "orders this thread's accesses to global memory for all blocks";
  let description = "What comes before it is seen by who learns, from an atomic access after it, that it has happened.";
  let assemblyFormat = "attr-dict";
  let prototype = "void fence_gpu()";
  let device = [{R"cuda(
__device__ __forceinline__ void fence_gpu() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }
)cuda"}];
  let emulator = [{
    table->fenceGpu();
  }];
  let order = OrderGrid;
}

def Kernel_WaitGridOp : Kernel_Op<"wait_grid", "wait_grid"> {
  let summary = "waits until the kernel ahead in the stream has ended";
  let description = [{
    Of a kernel that is launched as a dependent of that one (CUDA C++ Programming Guide 13.0, Programmatic Dependent Launch), the first that a thread does: what is
    there in global memory is complete after it. Elsewhere it does nothing.
  }];
  let assemblyFormat = "attr-dict";
  let prototype = "void wait_grid()";
  let device = [{R"cuda(
__device__ __forceinline__ void wait_grid() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
)cuda"}];
  let emulator = [{
    table->waitGrid();
  }];
  let order = OrderGrid;
  let lowestArch = 90;
}

def Kernel_AtomicFetchAddOp : Kernel_Op<"atomic_fetch_add", "atomic_fetch_add"> {
  let summary = "adds to an integer in global memory and gives what was there before";
  let description = [{
    Releases what this thread has written or seen, and acquires what those have
    released that added before it: the last of several blocks sees what all wrote.
  }];
  let arguments = (ins Kernel_GlobalUpdate<Kernel_GlobalMemRef<MemRefOf<[I32]>>>:$dest, Kernel_Indices:$indices, I32:$value);
  let results = (outs I32:$result);
  let assemblyFormat = "$value `,` $dest `[` $indices `]` attr-dict `:` type($dest) `,` type($indices)";
  let prototype = "int atomic_fetch_add(int *dest, int value)";
  let device = [{R"cuda(
__device__ __forceinline__ int atomic_fetch_add(int *dest, int value) {
  int old;
  asm volatile("atom.acq_rel.gpu.global.add.s32 %0, [%1], %2;"
               : "=r"(old) : "l"(__cvta_generic_to_global(dest)), "r"(value) : "memory");
  return old;
}
)cuda"}];
  let emulator = [{
    return table->atomicFetchAdd(dest, value, site, position());
  }];
  let perWarp = 1;
  let order = OrderGrid;
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

def Kernel_ClusterRankOp : Kernel_Op<"cluster_rank", "cluster_rank"> {
  let effects = [Pure];
  let summary = "this block's number in its cluster";
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
  let prototype = "int cluster_rank()";
  let lowestArch = 90;
  let device = [{R"cuda(
__device__ __forceinline__ int cluster_rank() {
  int rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
)cuda"}];
  let emulator = [{
    return table->getRank();
  }];
}

def Kernel_ClusterSyncOp : Kernel_Op<"cluster_sync", "cluster_sync"> {
  let summary = "waits for all threads of the cluster; what they wrote is visible after it";
  let assemblyFormat = "attr-dict";
  let prototype = "void cluster_sync()";
  let lowestArch = 90;
  let device = [{R"cuda(
__device__ __forceinline__ void cluster_sync() {
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}
)cuda"}];
  let emulator = [{
    table->syncCluster(site);
  }];
  let order = OrderCluster;
}

def Kernel_LdsClusterOp : Kernel_Op<"lds_cluster", "lds_cluster"> {
  let summary = "loads consecutive elements of another block's array in shared memory into registers";
  let description = [{
    The array is `source` as block `rank` of the cluster has it. `width` elements
    take 1, 2, 4, 8 or 16 bytes, and both addresses are multiples of that size. The other block
    must have written them before, and end after: a `cluster_sync` on either side.
  }];
  let arguments = (ins Kernel_RegisterWrite:$dest, Index:$destIndex,
    Kernel_SharedRead:$source, Index:$sourceIndex, Index:$rank, I64Attr:$width);
  let assemblyFormat = [{
    $width `,` $dest `[` $destIndex `]` `,` $source `[` $sourceIndex `]` `,` $rank attr-dict `:` type($dest) `,` type($source)
  }];
  let prototype = "template <int N, typename T> void lds_cluster(T *dest, const T *source, int rank)";
  let templateArguments = "int64_t(getWidth())";
  let lowestArch = 90;
  let device = [{R"cuda(
template <int N, typename T> __device__ __forceinline__ void lds_cluster(T *dest, const T *source, int rank) {
  constexpr int bytes = N * (int)sizeof(T);
  unsigned from, word[4];
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(from) : "r"((unsigned)__cvta_generic_to_shared(source)), "r"(rank));
  if constexpr (bytes == 16)
    asm volatile("ld.shared::cluster.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3]) : "r"(from) : "memory");
  else if constexpr (bytes == 8)
    asm volatile("ld.shared::cluster.v2.b32 {%0, %1}, [%2];" : "=r"(word[0]), "=r"(word[1]) : "r"(from) : "memory");
  else if constexpr (bytes == 4)
    asm volatile("ld.shared::cluster.b32 %0, [%1];" : "=r"(word[0]) : "r"(from) : "memory");
  else if constexpr (bytes == 2)
    asm volatile("ld.shared::cluster.u16 %0, [%1];" : "=r"(word[0]) : "r"(from) : "memory");
  else
    asm volatile("ld.shared::cluster.u8 %0, [%1];" : "=r"(word[0]) : "r"(from) : "memory");
  for (int i = 0; i < N; ++i) dest[i] = ((const T *)word)[i];
}
)cuda"}];
  let emulator = [{
    constexpr unsigned bytes = N * sizeof(T);
    __builtin_memcpy(dest, table->readCluster(source, bytes, rank, site, position()), bytes);
  }];
  let perWarp = 1;
}

//===----------------------------------------------------------------------===//
// Roles of warps
//===----------------------------------------------------------------------===//

def Kernel_SyncNamedOp : Kernel_Op<"sync_named", "sync_named"> {
  let summary = "waits for so many threads at barrier `id`; what they wrote is visible after it";
  let description = "`id` is 1 to 15 (0 is that of `sync_block`), `threads` a multiple of 32; warps take part as a whole.";
  let arguments = (ins Index:$id, Index:$threads);
  let assemblyFormat = "$id `,` $threads attr-dict";
  let prototype = "void sync_named(int id, int threads)";
  let device = [{R"cuda(
__device__ __forceinline__ void sync_named(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
)cuda"}];
  let emulator = [{
    table->syncNamed(id, threads, site);
  }];
  let order = OrderGroup;
}

def Kernel_SyncWarpOp : Kernel_Op<"sync_warp", "sync_warp"> {
  let summary = "waits for all lanes of the warp; what they wrote is visible after it";
  let assemblyFormat = "attr-dict";
  let prototype = "void sync_warp()";
  let device = [{R"cuda(
__device__ __forceinline__ void sync_warp() { asm volatile("bar.warp.sync 0xffffffff;" ::: "memory"); }
)cuda"}];
  let emulator = [{
    table->syncWarp(site);
  }];
  let order = OrderWarp;
}

def Kernel_TeamOp : Kernel_Op<"team", "team_of"> {
  let summary = "the team that this thread is in: teams are so many threads, whole warps, one after the other from the block's first on";
  let description = "The same number for all lanes of a warp, which the compiler sees by the shuffle; all 32 take part.";
  let arguments = (ins ConfinedAttr<I64Attr, [IntPositive]>:$threads);
  let results = (outs Index:$result);
  let assemblyFormat = "`of` `(` $threads `)` attr-dict";
  let prototype = "template <int threads> int team_of()";
  let templateArguments = "int64_t(getThreads())";
  let effects = [MemoryEffects<[MemRead<Kernel_Threads>, MemWrite<Kernel_Threads>]>];
  let device = [{R"cuda(
template <int threads> __device__ __forceinline__ int team_of() {
  return __shfl_sync(0xffffffffu, int(threadIdx.x) / threads, 0);
}
)cuda"}];
  let emulator = [{
    return table->getThread() / threads;
  }];
}

class Kernel_SetMaxRegistersOp<string direction> : Kernel_Op<"setmaxnreg_" # direction, "setmaxnreg_" # direction> {
  let description = [{
    A multiple of 8 from 24 to 256. All warps of a warpgroup (128 threads) do it.
    Has no effect unless the launch bounds give the number of blocks in an SM.
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntMinValue<24>, IntMaxValue<256>]>:$registers);
  let assemblyFormat = "$registers attr-dict";
  let prototype = "template <int N> void setmaxnreg_" # direction # "()";
  let templateArguments = "int64_t(getRegisters())";
  let effects = [MemoryEffects<[MemWrite<Kernel_Threads>]>];
  let lowestArch = 90;
  let archSpecific = 1;
  let device = [{R"cuda(
template <int N> __device__ __forceinline__ void setmaxnreg_}] # direction # [{() {
  asm volatile("setmaxnreg.}] # direction # [{.sync.aligned.u32 %0;" ::"n"(N));
}
)cuda"}];
  let emulator = "    table->setMaxRegisters(N, " # !if(!eq(direction, "inc"), "true", "false") # ", site);\n";
}

def Kernel_SetMaxRegistersIncOp : Kernel_SetMaxRegistersOp<"inc"> {
  let summary = "waits for more registers for each thread of the warpgroup";
}

def Kernel_SetMaxRegistersDecOp : Kernel_SetMaxRegistersOp<"dec"> {
  let summary = "gives back registers of each thread of the warpgroup";
}

#endif
