//===- BulkCopyOps.td - Tensor maps and the copies by them -*- tablegen -*-===//
//
// One thread asks, the tensor memory accelerator copies a box of a tensor into
// shared memory and tells an mbarrier the bytes (PTX ISA 9.7.9.27).
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_KERNEL_BULKCOPYOPS_TD
#define TILEC_KERNEL_BULKCOPYOPS_TD

include "tilec/Kernel/KernelDialect.td"
include "tilec/Kernel/BarrierOps.td"
include "mlir/IR/AttrTypeBase.td"

def Kernel_TensorMap : TypeDef<Kernel_Dialect, "TensorMap"> {
  let mnemonic = "tensor_map";
  let summary = "describes boxes of a tensor in global memory";
  let description = [{
    A kernel's parameter that the launcher makes from an operand: extents and
    strides, the shape of a box, the swizzle in shared memory. Printed as `const
    __grid_constant__ TensorMap name`, and handed on by its address.
  }];
}

def Kernel_TensorMapText : VocabularyEntry<"TensorMap"> {
  let prototype = "struct TensorMap";
  let lowestArch = 90;
  // The driver's CUtensorMap: 128 opaque bytes, aligned to 64.
  let device = [{R"cuda(
struct __align__(64) TensorMap { unsigned long long opaque[16]; };
)cuda"}];
  // Holds the number of one of the launch's maps.
  let emulator = [{
struct __align__(64) TensorMap { unsigned long long opaque[16]; };
}];
}

/// The text of a copy of `rank` dimensions; its function is "tma_load_2d" or "tma_load_multicast_2d".
class TmaLoadText<int rank, bit multicast = 0>
    : VocabularyEntry<"tma_load_" # !if(multicast, "multicast_", "") # rank # "d"> {
  defvar axes = !foreach(i, !range(rank), !substr("xyzvw", i, 1));
  defvar parameters = "T *dest, const TensorMap *map, " # !interleave(!foreach(axis, axes, "int " # axis), ", ") #
                      ", long long *bar" # !if(multicast, ", int mask", "");
  defvar first = !if(multicast, 4, 3);
  let prototype = "template <typename T> void " # function # "(" # parameters # ")";
  let lowestArch = 90;
  let device = [{R"cuda(
template <typename T>
__device__ __forceinline__ void }] # function # "(" # !subst(", long long", ",\n    long long", parameters) # [{) {
  const unsigned to = (unsigned)__cvta_generic_to_shared(dest), barrier = (unsigned)__cvta_generic_to_shared(bar);
}] # "  asm volatile(\"cp.async.bulk.tensor." # rank # "d.shared::cluster.global.mbarrier::complete_tx::bytes" #
    !if(multicast, ".multicast::cluster", "") # " \"\n               \"[%0], [%1, {" #
    !interleave(!foreach(i, !range(rank), "%" # !add(i, first)), ", ") # "}], [%2]" # !if(multicast, ", %3", "") # ";\" ::" #
    "\"r\"(to), \"l\"(map), \"r\"(barrier)" # !if(multicast, ", \"h\"((short)mask)", "") #
    ",\n               " # !interleave(!foreach(axis, axes, "\"r\"(" # axis # ")"), ", ") # " : \"memory\");" # [{
}
)cuda"}];
  let emulator = "    const int at[] = {" # !interleave(axes, ", ") # "};\n    table->copyBulk(dest, map, at, " # rank #
                 ", bar, " # !if(multicast, "mask", "0") # ", site);\n";
  let order = OrderPhase;
}

foreach rank = 1...5 in {
  def Kernel_TmaLoadText#rank : TmaLoadText<rank>;
  def Kernel_TmaLoadMulticastText#rank : TmaLoadText<rank, 1>;
}

/// The vocabulary's row depends on the number of coordinates.
class Kernel_TmaLoadBase<string mnemonic, dag more, string moreFormat> : Op<Kernel_Dialect, mnemonic, [
    AttrSizedOperandSegments, MemoryEffects<[MemRead<Kernel_GlobalMemory>]>, DeclareOpInterfaceMethods<VocabularyCallInterface, ["getCallee"]>]> {
  let arguments = !con((ins
    Kernel_SharedWrite:$dest, Kernel_Indices:$destIndices,
    Kernel_TensorMap:$map, Variadic<Index>:$coordinates, Arg<Kernel_Mbarriers, "", [MemWrite<Kernel_Phases>]>:$barrier,
    Kernel_Indices:$barrierIndices), more);
  let assemblyFormat = "$dest `[` $destIndices `]` `,` $map `[` $coordinates `]` `,` $barrier `[` $barrierIndices `]` " # moreFormat #
    " attr-dict `:` type($dest) `[` type($destIndices) `]` `,` type($barrier) `[` type($barrierIndices) `]`";
  let hasVerifier = 1;
  code classBase = [{
    static ::llvm::StringRef getFunctionName() { return "}] # mnemonic # [{"; }
  }];
  let extraClassDeclaration = classBase;
}

def Kernel_TmaLoadOp : Kernel_TmaLoadBase<"tma_load", (ins), ""> {
  let summary = "copies a box from global to shared memory, asynchronously";
  let description = [{
    One thread issues the copy. Coordinates, in elements, name the first element
    of the box, innermost dimension first; elements outside the tensor arrive as
    zeros. The address in shared memory is a multiple of 128 bytes. The bytes of
    the whole box count for the barrier's current phase, and are there for who
    has waited for its end.
  }];
}

def Kernel_TmaLoadMulticastOp : Kernel_TmaLoadBase<"tma_load_multicast", (ins Index:$mask), "`,` $mask"> {
  let summary = "copies a box into shared memory of several blocks of the cluster, asynchronously";
  let description = [{
    As `tma_load`, to the same place of each block whose bit is set in `mask`,
    and counted by the same barrier of each.
  }];
}

def Kernel_PrefetchMapOp : Kernel_Op<"prefetch_map", "prefetch_map"> {
  let summary = "fetches a tensor map ahead of the first copy by it";
  let arguments = (ins Kernel_TensorMap:$map);
  let assemblyFormat = "$map attr-dict";
  let prototype = "void prefetch_map(const TensorMap *map)";
  let lowestArch = 90;
  let device = [{R"cuda(
__device__ __forceinline__ void prefetch_map(const TensorMap *map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}
)cuda"}];
  let emulator = [{
    (void)map;
  }];
  let effects = [MemoryEffects<[MemWrite<Kernel_Phases>]>];
}

def Kernel_FenceProxyAsyncOp : Kernel_Op<"fence_proxy_async", "fence_proxy_async"> {
  let summary = "orders this thread's plain accesses to shared memory before later bulk copies";
  let assemblyFormat = "attr-dict";
  let prototype = "void fence_proxy_async()";
  let lowestArch = 90;
  let device = [{R"cuda(
__device__ __forceinline__ void fence_proxy_async() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
)cuda"}];
  let emulator = [{
    table->fenceProxy();
  }];
  let order = OrderThread;
}

#endif
