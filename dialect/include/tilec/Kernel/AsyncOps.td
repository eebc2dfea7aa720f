//===- AsyncOps.td - Asynchronous copies -------------------*- tablegen -*-===//

#ifndef TILEC_KERNEL_ASYNCOPS_TD
#define TILEC_KERNEL_ASYNCOPS_TD

include "tilec/Kernel/KernelDialect.td"

def Kernel_CpAsyncOp : Kernel_Op<"cp_async", "cp_async", [AttrSizedOperandSegments, ThreadLoopInterface]> {
  let summary = "copies consecutive elements from global to shared memory, asynchronously";
  let description = [{
    `width` elements take 4, 8 or 16 bytes; both addresses are multiples of that.
    Where `valid` is false nothing is read and zeros are written. The bytes
    are there for this thread after the `cp_async_wait` that covers its group,
    for others after a barrier that follows. The function takes the place in shared memory as an array and an element
    number: NVRTC computes addresses of elements in 64 bits, and their constant parts then take an instruction each.
  }];
  let arguments = (ins
    Kernel_SharedWrite:$dest, Kernel_Indices:$destIndices,
    Kernel_GlobalRead:$source, Kernel_Indices:$sourceIndices,
    I1:$valid, I64Attr:$width, Kernel_ThreadLoop:$threadLoop);
  let assemblyFormat = "$width `,` $dest `[` $destIndices `]` `,` $source `[` $sourceIndices `]` `if` $valid " # ThreadLoopFormat<>.text #
    " attr-dict `:` type($dest) `[` type($destIndices) `]` `,` type($source) `[` type($sourceIndices) `]`";
  let prototype = "template <int N, typename T> void cp_async(T *array, int at, const T *source, bool valid)";
  let call = DeclareOpInterfaceMethods<VocabularyCallInterface, ["takesElementNumber"]>;
  let templateArguments = "int64_t(getWidth())";
  let lowestArch = 80;
  // PTX ISA 9.7.9.25: cp-size is 4, 8 or 16; src-size 0 fills with zeros. 16 bytes bypass L1 (.cg).
  let device = [{R"cuda(
template <int N, typename T> __device__ __forceinline__ void cp_async(T *array, int at, const T *source, bool valid) {
  constexpr int bytes = N * (int)sizeof(T);
  const unsigned to = (unsigned)__cvta_generic_to_shared(array) + at * (int)sizeof(T), read = valid ? bytes : 0;
  if constexpr (bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(source), "r"(read) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(source), "n"(bytes), "r"(read)
                 : "memory");
}
)cuda"}];
  let emulator = [{
    constexpr unsigned bytes = N * sizeof(T);
    static_assert(bytes == 4 || bytes == 8 || bytes == 16, "cp.async moves 4, 8 or 16 bytes");
    table->copyAsync(array + at, source, bytes, valid, site, position());
  }];
  let perWarp = 1;
}

def Kernel_CpAsyncCommitOp : Kernel_Op<"cp_async_commit", "cp_async_commit"> {
  let summary = "closes this thread's group of asynchronous copies";
  let assemblyFormat = "attr-dict";
  let prototype = "void cp_async_commit()";
  let lowestArch = 80;
  let device = [{R"cuda(
__device__ __forceinline__ void cp_async_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
)cuda"}];
  let emulator = [{
    table->commitCopies();
  }];
  let effects = [MemoryEffects<[MemWrite<Kernel_Phases>]>];
}

def Kernel_CpAsyncWaitOp : Kernel_Op<"cp_async_wait", "cp_async_wait"> {
  let summary = "waits until at most `pending` of this thread's groups are on their way";
  let arguments = (ins I64Attr:$pending);
  let assemblyFormat = "$pending attr-dict";
  let prototype = "template <int N> void cp_async_wait()";
  let templateArguments = "int64_t(getPending())";
  let lowestArch = 80;
  let device = [{R"cuda(
template <int N> __device__ __forceinline__ void cp_async_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}
)cuda"}];
  let emulator = [{
    table->waitCopies(N);
  }];
  let order = OrderThread;
}

#endif
