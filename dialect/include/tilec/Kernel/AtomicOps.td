//===- AtomicOps.td - Updates of memory that several threads make --*- tablegen -*-===//

#ifndef TILEC_KERNEL_ATOMICOPS_TD
#define TILEC_KERNEL_ATOMICOPS_TD

include "tilec/Kernel/KernelDialect.td"

/// How an element and a value become one: `call` of CUDA, and the same of `old` and `value` in C++.
class AtomicKind<string kindName, string cudaCall, string hostText, Type valueType> {
  string name = kindName;
  string call = cudaCall;
  string made = hostText;
  Type type = valueType;
}
def AtomicAdd : AtomicKind<"add", "atomicAdd", "old + value", Kernel_AddedInMemory>;
def AtomicMax : AtomicKind<"max", "atomicMax", "old < value ? value : old", I32>;
def AtomicMin : AtomicKind<"min", "atomicMin", "value < old ? value : old", I32>;
def AtomicAnd : AtomicKind<"and", "atomicAnd", "old & value", I32>;
def AtomicOr : AtomicKind<"or", "atomicOr", "old | value", I32>;
def AtomicXor : AtomicKind<"xor", "atomicXor", "old ^ value", I32>;

class Kernel_Atomic<AtomicKind kind, string symbol, dag destination, string moreFormat, string body, list<Trait> own = []>
    : Kernel_Op<symbol, symbol, own> {
  let arguments = !con(destination, (ins Kernel_Indices:$indices, kind.type:$value), !if(!empty(own), (ins), (ins Kernel_ThreadLoop:$threadLoop)));
  let assemblyFormat = "$value `,` $dest `[` $indices `]` " # moreFormat # " attr-dict `:` type($value) `,` type($dest) `,` type($indices)";
  let prototype = "template <typename T> void " # symbol # "(T *dest, T value)";
  let device = [{R"cuda(
template <typename T> __device__ __forceinline__ void }] # symbol # "(T *dest, T value) { " # kind.call # [{(dest, value); }
)cuda"}];
  let emulator = body;
  let perWarp = 1;
}

class Kernel_GlobalAtomic<AtomicKind kind> : Kernel_Atomic<kind, "atomic_" # kind.name, (ins Kernel_GlobalUpdate<Kernel_Global>:$dest), "", [{
    const auto update = [](void *to, const void *what) {
      const T old = *(const T *)to, value = *(const T *)what;
      *(T *)to = }] # kind.made # [{;
    };
    table->atomicGlobal(dest, &value, sizeof(T), isUninitialised(value), update, site, position());
  }]> {
  let summary = "combines a value with one element of global memory, atomically: " # kind.name;
  let description = "The order in which blocks do is not fixed, so float sums may differ between runs.";
}

class Kernel_SharedAtomic<AtomicKind kind> : Kernel_Atomic<kind, "atomic_" # kind.name # "_shared", (ins Kernel_SharedUpdate:$dest), ThreadLoopFormat<>.text, [{
    T *const to = (T *)table->atomicShared(dest, sizeof(T), isUninitialised(value), site, position());
    const T old = *to;
    *to = }] # kind.made # ";\n  ", [ThreadLoopInterface]> {
  let summary = "combines a value with one element of shared memory, atomically: " # kind.name;
  let description = "The order in which threads do is not fixed, so float sums may differ between runs.";
}

def Kernel_AtomicAddOp : Kernel_GlobalAtomic<AtomicAdd>;
def Kernel_AtomicMaxOp : Kernel_GlobalAtomic<AtomicMax>;
def Kernel_AtomicMinOp : Kernel_GlobalAtomic<AtomicMin>;
def Kernel_AtomicAndOp : Kernel_GlobalAtomic<AtomicAnd>;
def Kernel_AtomicOrOp : Kernel_GlobalAtomic<AtomicOr>;
def Kernel_AtomicXorOp : Kernel_GlobalAtomic<AtomicXor>;

def Kernel_AtomicAddSharedOp : Kernel_SharedAtomic<AtomicAdd>;
def Kernel_AtomicMaxSharedOp : Kernel_SharedAtomic<AtomicMax>;
def Kernel_AtomicMinSharedOp : Kernel_SharedAtomic<AtomicMin>;
def Kernel_AtomicAndSharedOp : Kernel_SharedAtomic<AtomicAnd>;
def Kernel_AtomicOrSharedOp : Kernel_SharedAtomic<AtomicOr>;
def Kernel_AtomicXorSharedOp : Kernel_SharedAtomic<AtomicXor>;

#endif
