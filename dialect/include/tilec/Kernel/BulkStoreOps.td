//===- BulkStoreOps.td - Copies by tensor maps to global memory -*- tablegen -*-===//
//
// One thread asks, the tensor memory accelerator copies a box from shared memory
// into a tensor; groups tell when it is done (PTX ISA 9.7.9.27).
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_KERNEL_BULKSTOREOPS_TD
#define TILEC_KERNEL_BULKSTOREOPS_TD

include "tilec/Kernel/BulkCopyOps.td"

/// The text of a copy of `rank` dimensions.
class TmaStoreText<int rank> : VocabularyEntry<"tma_store_" # rank # "d"> {
  defvar axes = !foreach(i, !range(rank), !substr("xyzvw", i, 1));
  let prototype = "template <typename T> void " # function # "(const TensorMap *map, " #
                  !interleave(!foreach(axis, axes, "int " # axis), ", ") # ", const T *source)";
  let lowestArch = 90;
  let device = [{R"cuda(
template <typename T>
__device__ __forceinline__ void }] # function # "(const TensorMap *map, " #
    !interleave(!foreach(axis, axes, "int " # axis), ", ") # [{, const T *source) {
  asm volatile("cp.async.bulk.tensor.}] # rank # "d.global.shared::cta.bulk_group [%0, {" #
    !interleave(!foreach(i, !range(rank), "%" # !add(i, 1)), ", ") # "}], [%" # !add(rank, 1) # "];\"\n               ::\"l\"(map), " #
    !interleave(!foreach(axis, axes, "\"r\"(" # axis # ")"), ", ") # [{, "r"((unsigned)__cvta_generic_to_shared(source))
               : "memory");
}
)cuda"}];
  let emulator = "    const int at[] = {" # !interleave(axes, ", ") # "};\n    table->storeBulk(map, at, " # rank # ", source, site);\n";
  let order = OrderAsync;
}

foreach rank = 1...5 in
  def Kernel_TmaStoreText#rank : TmaStoreText<rank>;

def Kernel_TmaStoreOp : Op<Kernel_Dialect, "tma_store", [
    AttrSizedOperandSegments, MemoryEffects<[MemWrite<Kernel_GlobalMemory>, MemWrite<Kernel_Phases>]>,
    DeclareOpInterfaceMethods<VocabularyCallInterface, ["getCallee"]>]> {
  let summary = "copies a box from shared to global memory, asynchronously";
  let description = [{
    One thread issues the copy. Coordinates, in elements, name the first element
    of the box, innermost dimension first; elements outside the tensor are not
    written. The address in shared memory is a multiple of 128 bytes. What plain
    stores have put there, a `fence_proxy_async` has made known.
  }];
  let arguments = (ins Kernel_TensorMap:$map, Variadic<Index>:$coordinates, Kernel_SharedRead:$source, Kernel_Indices:$sourceIndices);
  let assemblyFormat = "$map `[` $coordinates `]` `,` $source `[` $sourceIndices `]` attr-dict `:` type($source) `[` type($sourceIndices) `]`";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    static ::llvm::StringRef getFunctionName() { return "tma_store"; }
  }];
}

def Kernel_BulkCommitOp : Kernel_Op<"bulk_commit", "bulk_commit"> {
  let summary = "closes this thread's group of copies to global memory";
  let assemblyFormat = "attr-dict";
  let prototype = "void bulk_commit()";
  let lowestArch = 90;
  let device = [{R"cuda(
__device__ __forceinline__ void bulk_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
)cuda"}];
  let emulator = [{
    table->commitBulk();
  }];
  let effects = [MemoryEffects<[MemWrite<Kernel_Phases>]>];
}

class Kernel_BulkWaitOp<string name, string modifier, string reads> : Kernel_Op<name, name> {
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$pending);
  let assemblyFormat = "$pending attr-dict";
  let prototype = "template <int N> void " # name # "()";
  let templateArguments = "int64_t(getPending())";
  let lowestArch = 90;
  let device = [{R"cuda(
template <int N> __device__ __forceinline__ void }] # name # [{() {
  asm volatile("cp.async.bulk.wait_group}] # modifier # [{ %0;" ::"n"(N) : "memory");
}
)cuda"}];
  let emulator = "    table->waitBulk(N, " # reads # ");\n";
  let order = OrderAsync;
}

def Kernel_BulkWaitReadOp : Kernel_BulkWaitOp<"bulk_wait_read", ".read", "true"> {
  let summary = "waits until all but `pending` of this thread's groups have read shared memory, which may be overwritten then";
}

def Kernel_BulkWaitAllOp : Kernel_BulkWaitOp<"bulk_wait", "", "false"> {
  let summary = "waits until all but `pending` of this thread's groups are done";
}

#endif
