//===- MemoryOps.td - Loads, stores and shared memory ------*- tablegen -*-===//

#ifndef TILEC_KERNEL_MEMORYOPS_TD
#define TILEC_KERNEL_MEMORYOPS_TD

include "tilec/Kernel/KernelDialect.td"

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

def Kernel_SharedOp : Kernel_Op<"shared", "SHARED"> {
  let summary = "declares an array in the block's shared memory";
  let traits = [];
  let description = [{
    `SHARED(float, sA, 2112)` declares `sA` as an array of the block; with a byte
    offset it is a part of the block's dynamic shared memory,
    `SHARED_AT(float, sA, 2112, 8448)`. Contents are undefined at the start. Of a
    `guarded` array mbarriers say when it may be read and written; no barrier of
    the block is placed for it.
  }];
  let arguments = (ins OptionalAttr<ConfinedAttr<I64Attr, [IntNonNegative]>>:$offset, UnitAttr:$guarded);
  let results = (outs Res<Kernel_SharedMemRef<StaticShapeMemRefOf<[AnyType]>>, "", [MemAlloc<Kernel_SharedMemory>]>:$buffer);
  let assemblyFormat = "(`at` $offset^)? (`guarded` $guarded^)? attr-dict `:` type($buffer)";
  let device = [{R"cuda(
#define SHARED(T, name, count) __shared__ __align__(128) T name[count]
extern __shared__ __align__(1024) unsigned char tilec_dynamic_shared[];
#define SHARED_AT(T, name, count, offset) T *const name = (T *)(tilec_dynamic_shared + (offset))
)cuda"}];
  let emulator = [{
#define SHARED(T, name, count) SHARED_AT(T, name, count, -1)
#define SHARED_AT(T, name, count, offset) \
  T *const name = (T *)tilec_emulator::table->sharedArray(#name, sizeof(T), count, offset, __LINE__)
}];
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

def Kernel_LdgOp : Kernel_Op<"ldg", "ldg"> {
  let summary = "loads one element from global memory";
  let arguments = (ins Kernel_GlobalRead:$source, Kernel_Indices:$indices);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$source `[` $indices `]` attr-dict `:` type($source) `,` type($indices) `->` type($result)";
  let prototype = "template <typename T> T ldg(const T *source)";
  let device = [{R"cuda(
template <typename T> __device__ __forceinline__ T ldg(const T *source) { return *source; }
)cuda"}];
  let emulator = [{
    T value;
    __builtin_memcpy(&value, table->readGlobal(source, sizeof(T), site, position()), sizeof(T));
    return value;
  }];
  let perWarp = 1;
}

def Kernel_LdgIndexOp : Kernel_Op<"ldg_index", "ldg_index"> {
  let summary = "loads the number of an element from global memory";
  let description = "The index that is there, or -1 where it is none of 0 ... extent - 1. Loads of one place stay several: each asks.";
  let effects = [MemoryEffects<[MemWrite<Kernel_Threads>]>];
  let arguments = (ins Kernel_GlobalRead:$source, Kernel_Indices:$indices, Index:$extent);
  let results = (outs Index:$result);
  let assemblyFormat = "$source `[` $indices `]` `below` $extent attr-dict `:` type($source) `,` type($indices)";
  let prototype = "template <typename T> int ldg_index(const T *source, int extent)";
  let device = [{R"cuda(
template <typename T> __device__ __forceinline__ int ldg_index(const T *source, int extent) {
  const T index = *source;
  return index >= 0 && index < extent ? (int)index : -1;
}
)cuda"}];
  let emulator = [{
    T index;
    __builtin_memcpy(&index, table->readGlobal(source, sizeof(T), site, position()), sizeof(T));
    if (index >= 0 && index < extent)
      return index;
    table->reportIndex(index, extent, site);
    return -1;
  }];
  let perWarp = 1;
}

def Kernel_IsAlignedOp : Kernel_Op<"is_aligned", "is_aligned"> {
  let effects = [Pure];
  let templateArguments = "int64_t(getBytes())";
  let summary = "is an element's address a multiple of so many bytes";
  let arguments = (ins Kernel_Global:$source, Kernel_Indices:$indices, I64Attr:$bytes);
  let results = (outs I1:$result);
  let assemblyFormat = "$bytes `,` $source `[` $indices `]` attr-dict `:` type($source) `,` type($indices)";
  let prototype = "template <int N, typename T> bool is_aligned(const T *source)";
  let device = [{R"cuda(
template <int N, typename T> __device__ __forceinline__ bool is_aligned(const T *source) {
  return (unsigned long long)source % N == 0;
}
)cuda"}];
  let emulator = [{
    return (unsigned long)source % N == 0;
  }];
}

def Kernel_StgOp : Kernel_Op<"stg", "stg"> {
  let summary = "stores one element to global memory";
  let arguments = (ins Kernel_GlobalWrite:$dest, Kernel_Indices:$indices, AnyType:$value);
  let assemblyFormat = "$value `,` $dest `[` $indices `]` attr-dict `:` type($value) `,` type($dest) `,` type($indices)";
  let prototype = "template <typename T> void stg(T *dest, T value)";
  let device = [{R"cuda(
template <typename T> __device__ __forceinline__ void stg(T *dest, T value) { *dest = value; }
)cuda"}];
  let emulator = [{
    const bool uninitialised = isUninitialised(value);
    __builtin_memcpy(table->writeGlobal(dest, sizeof(T), uninitialised, site, position()), &value, sizeof(T));
  }];
  let perWarp = 1;
}

class Kernel_VectorMove<string mnemonic, string text, string body, OpVariable destOperand, OpVariable sourceOperand, bit shared = 0>
    : Kernel_Op<mnemonic, mnemonic, !listconcat([AttrSizedOperandSegments], !if(shared, [ThreadLoopInterface], []<Trait>))> {
  let description = [{
    Moves `width` consecutive elements with one instruction. `width` elements take
    4, 8 or 16 bytes, and both addresses are multiples of that size.
  }];
  let arguments = !con((ins
    destOperand:$dest, Kernel_Indices:$destIndices, sourceOperand:$source, Kernel_Indices:$sourceIndices, I64Attr:$width),
    !if(shared, (ins Kernel_ThreadLoop:$threadLoop), (ins)));
  let assemblyFormat = "$width `,` $dest `[` $destIndices `]` `,` $source `[` $sourceIndices `]` " #
    !if(shared, ThreadLoopFormat<>.text, "") #
    " attr-dict `:` type($dest) `[` type($destIndices) `]` `,` type($source) `[` type($sourceIndices) `]`";
  let prototype = "template <int N, typename T> void " # mnemonic # "(T *dest, const T *source)";
  let templateArguments = "int64_t(getWidth())";
  // One access of N elements: the struct has their size and alignment.
  let device = [{R"cuda(
template <int N, typename T> __device__ __forceinline__ void }] # mnemonic # [{(T *dest, const T *source) {
  struct __align__(sizeof(T) * N) Vector { T element[N]; };
  }] # text # [{
}
)cuda"}];
  let emulator = "    constexpr unsigned bytes = N * sizeof(T);" # body;
  let perWarp = 1;
}

class VectorText {
  string load = "const Vector v = *(const Vector *)source;\n  for (int i = 0; i < N; ++i) dest[i] = v.element[i];";
  string store = "Vector v;\n  for (int i = 0; i < N; ++i) v.element[i] = source[i];\n  *(Vector *)dest = v;";
}

def Kernel_LdgVectorOp : Kernel_VectorMove<"ldg_vector", VectorText<>.load, [{
    __builtin_memcpy(dest, table->readGlobal(source, bytes, site, position()), bytes);
  }], Kernel_RegisterWrite, Kernel_GlobalRead> {
  let summary = "loads consecutive elements from global memory into registers";
}

def Kernel_StgVectorOp : Kernel_VectorMove<"stg_vector", VectorText<>.store, [{
    bool uninitialised = false;
    for (int i = 0; i < N; ++i)
      uninitialised |= isUninitialised(source[i]);
    __builtin_memcpy(table->writeGlobal(dest, bytes, uninitialised, site, position()), source, bytes);
  }], Kernel_GlobalWrite, Kernel_RegisterRead> {
  let summary = "stores consecutive elements from registers to global memory";
}

//===----------------------------------------------------------------------===//
// Shared memory accesses
//===----------------------------------------------------------------------===//

def Kernel_LdsOp : Kernel_Op<"lds", "lds", [ThreadLoopInterface]> {
  let summary = "loads one element from shared memory";
  let arguments = (ins Kernel_SharedRead:$source, Kernel_Indices:$indices,
                       Kernel_ThreadLoop:$threadLoop);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$source `[` $indices `]` " # ThreadLoopFormat<>.text # " attr-dict `:` type($source) `,` type($indices) `->` type($result)";
  let prototype = "template <typename T> T lds(const T *source)";
  let device = [{R"cuda(
template <typename T> __device__ __forceinline__ T lds(const T *source) { return *source; }
)cuda"}];
  let emulator = [{
    T value;
    __builtin_memcpy(&value, table->readShared(source, sizeof(T), site, position()), sizeof(T));
    return value;
  }];
  let perWarp = 1;
}

def Kernel_StsOp : Kernel_Op<"sts", "sts", [ThreadLoopInterface]> {
  let summary = "stores one element to shared memory";
  let description = "What is stored `ahead` is of a slot of a pipeline that nobody reads before a wait of the pipeline, as what `cp_async` copies.";
  let arguments = (ins Kernel_SharedWrite:$dest, Kernel_Indices:$indices,
                       AnyType:$value, Kernel_ThreadLoop:$threadLoop, UnitAttr:$ahead);
  let assemblyFormat = "$value `,` $dest `[` $indices `]` (`ahead` $ahead^)? " # ThreadLoopFormat<>.text # " attr-dict `:` type($value) `,` type($dest) `,` type($indices)";
  let prototype = "template <typename T> void sts(T *dest, T value)";
  let device = [{R"cuda(
template <typename T> __device__ __forceinline__ void sts(T *dest, T value) { *dest = value; }
)cuda"}];
  let emulator = [{
    __builtin_memcpy(table->writeShared(dest, sizeof(T), site, position()), &value, sizeof(T));
  }];
  let perWarp = 1;
}

def Kernel_LdsVectorOp : Kernel_VectorMove<"lds_vector", VectorText<>.load, [{
    __builtin_memcpy(dest, table->readShared(source, bytes, site, position()), bytes);
  }], Kernel_RegisterWrite, Kernel_SharedRead, 1> {
  let summary = "loads consecutive elements from shared memory into registers";
}

def Kernel_StsVectorOp : Kernel_VectorMove<"sts_vector", VectorText<>.store, [{
    __builtin_memcpy(table->writeShared(dest, bytes, site, position()), source, bytes);
  }], Kernel_SharedWrite, Kernel_RegisterRead, 1> {
  let summary = "stores consecutive elements from registers to shared memory";
}

#endif
