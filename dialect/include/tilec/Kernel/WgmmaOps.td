//===- WgmmaOps.td - Tensor cores of a warpgroup -----------*- tablegen -*-===//
//
// Four warps multiply a tile of 64 rows with one of n columns, both read from
// shared memory by descriptors, while their threads go on (PTX ISA 9.7.15).
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_KERNEL_WGMMAOPS_TD
#define TILEC_KERNEL_WGMMAOPS_TD

include "tilec/Kernel/RegisterOps.td"

//===----------------------------------------------------------------------===//
// Operands in shared memory
//===----------------------------------------------------------------------===//

def Kernel_MatrixDescriptorOp : Kernel_Op<"matrix_descriptor", "matrix_descriptor"> {
  let summary = "says where a matrix begins in shared memory, and how it lies there";
  let description = [{
    The 64 bits of PTX ISA 9.7.15.5.1. `swizzle` is 0 for none, or the bytes of a
    row of a swizzled matrix. Of a matrix whose contiguous dimension is k,
    `stride_bytes` lead from 8 rows to the next 8, and `leading_bytes`, without a
    swizzle, from 16 bytes of a row to the next 16. Otherwise, `leading_bytes`
    lead to the next row of swizzled bytes and `stride_bytes` to the next 8 of k;
    without a swizzle it is the other way round. The address and both are
    multiples of 16, and what is swizzled begins at a multiple of 8 such rows,
    except that 32 bytes of k are a step within a row.
  }];
  let arguments = (ins Kernel_Shared:$buffer, Kernel_Indices:$indices, I64Attr:$leading_bytes, I64Attr:$stride_bytes, I64Attr:$swizzle);
  let results = (outs I64:$result);
  let assemblyFormat = "$buffer `[` $indices `]` attr-dict `:` type($buffer) `,` type($indices)";
  let prototype = "template <int Swizzle, int Leading, int Stride, typename T> long long matrix_descriptor(const T *array, int at)";
  let call = DeclareOpInterfaceMethods<VocabularyCallInterface, ["takesElementNumber"]>;
  let templateArguments = "int64_t(getSwizzle()), int64_t(getLeadingBytes()), int64_t(getStrideBytes())";
  let effects = [Pure];
  let hasVerifier = 1;
  let lowestArch = 75;
  // Addresses and distances without their 4 low bits, 14 bits each; the swizzle's code.
  let device = [{R"cuda(
template <int Swizzle, int Leading, int Stride, typename T>
__device__ __forceinline__ long long matrix_descriptor(const T *array, int at) {
  constexpr long long code = Swizzle == 128 ? 1 : Swizzle == 64 ? 2 : Swizzle == 32 ? 3 : 0;
  const unsigned address = (unsigned)__cvta_generic_to_shared(array) + at * (int)sizeof(T);
  constexpr long long leading = Leading >> 4 & 0x3fff, stride = Stride >> 4 & 0x3fff;
  return (address >> 4 & 0x3fff) | leading << 16 | stride << 32 | code << 62;
}
)cuda"}];
  let emulator = [{
    return table->describeMatrix(array + at, Swizzle, Leading, Stride, site);
  }];
}

//===----------------------------------------------------------------------===//
// The multiplication
//===----------------------------------------------------------------------===//

/// Types of an instruction, and its columns: PTX ISA 9.7.15.5.2.
class WgmmaTypes<string aType, string bType, int depth, string accumulatorType = "f32", bit transposable = 0> {
  string a = aType;
  string b = bType;
  int k = depth;
  string accumulator = accumulatorType;
  bit transposes = transposable;
  list<int> columns = !if(!eq(accumulator, "f32"), !range(8, 257, 8), !listconcat([8, 16, 24], !range(32, 257, 16)));
}

/// The text of a multiplication with n columns, whose first matrix lies in shared memory or in registers.
class WgmmaText<int n, WgmmaTypes types, bit inRegisters = 0>
    : VocabularyEntry<"wgmma_" # !if(inRegisters, "registers_", "") # "m64n" # n # "k" # types.k # "_" # types.accumulator # "_" # types.a # "_" # types.b> {
  defvar count = !div(n, 2);
  defvar shape = "m64n" # n # "k" # types.k;
  defvar constraint = !if(!eq(types.accumulator, "f32"), "+f", "+r");
  defvar element = !if(!eq(types.accumulator, "f32"), "float", "int");
  defvar parameters = "(D &d, " # !if(inRegisters, "const A *a", "unsigned long long a") # ", unsigned long long b)";
  defvar templates = "template <" # !if(types.transposes, !if(inRegisters, "", "int TransA, ") # "int TransB, ", "") # "typename D" # !if(inRegisters, ", typename A", "") # ">";
  // Of the words of `a`, or its descriptor, and of what follows.
  defvar left = !if(inRegisters, "{%" # count # ", %" # !add(count, 1) # ", %" # !add(count, 2) # ", %" # !add(count, 3) # "}", "%" # count);
  defvar next = !add(count, !if(inRegisters, 4, 1));
  let prototype = templates # " void " # function # parameters;
  let lowestArch = 90;
  let archSpecific = 1;
  // The product is added (scale-d) as it is (imm-scale). No clobber: what it reads and writes is ordered by its fences and waits.
  let device = [{R"cuda(
#define tilec_four(i) "}] # constraint # "\"(c[i]), \"" # constraint # "\"(c[i + 1]), \"" # constraint # "\"(c[i + 2]), \"" # constraint # [{"(c[i + 3])
}] # templates # [{
__device__ __forceinline__ void }] # function # parameters # [{ {
  static_assert(sizeof(D) == }] # !mul(count, 4) # [{, "the accumulators of a thread");
  }] # !if(inRegisters, "unsigned x[4];\n  memcpy(x, a, sizeof(x));\n  ", "") # element # " (&c)[" # count # "] = reinterpret_cast<" # element # " (&)[" # count # [{]>(d);
  asm volatile("wgmma.mma_async.sync.aligned.}] # shape # "." # types.accumulator # "." # types.a # "." # types.b # [{ {"
               "}] # !interleave(!foreach(first, !range(0, count, 16), !interleave(!foreach(i, !range(first, !if(!lt(!add(first, 16), count), !add(first, 16), count)), "%" # i), ", ")),
                                 ", \"\n               \"") # "\"\n               \"}, " # left # ", %" # next # ", 1" #
               !if(!eq(types.accumulator, "f32"), ", 1, 1", "") #
               !if(types.transposes, !if(inRegisters, "", ", %" # !add(next, 1)) # ", %" # !add(next, !if(inRegisters, 1, 2)), "") # ";\"\n               : " #
               !interleave(!foreach(first, !range(0, count, 24), !interleave(!foreach(i, !range(first, !if(!lt(!add(first, 24), count), !add(first, 24), count), 4), "tilec_four(" # i # ")"), ", ")),
                           ",\n                 ") #
               "\n               : " # !if(inRegisters, "\"r\"(x[0]), \"r\"(x[1]), \"r\"(x[2]), \"r\"(x[3])", "\"l\"(a)") # ", \"l\"(b)" #
               !if(types.transposes, !if(inRegisters, ", \"n\"(TransB)", ", \"n\"(TransA), \"n\"(TransB)"), "") # [{);
}
#undef tilec_four
)cuda"}];
  let emulator = "    wgmma" # !if(inRegisters, "Registers", "") # "<" # n # ">(d, a, b, \"" # types.a # "." # types.b # "\", " #
                 !if(inRegisters, "TransB", !if(types.transposes, "TransA, TransB", "0, 0")) # ", site);\n";
}

def Wgmma_bf16_bf16 : WgmmaTypes<"bf16", "bf16", 16, "f32", 1>;
def Wgmma_f16_f16 : WgmmaTypes<"f16", "f16", 16, "f32", 1>;
def Wgmma_tf32_tf32 : WgmmaTypes<"tf32", "tf32", 8>;
def Wgmma_e4m3_e4m3 : WgmmaTypes<"e4m3", "e4m3", 32>;
def Wgmma_e4m3_e5m2 : WgmmaTypes<"e4m3", "e5m2", 32>;
def Wgmma_e5m2_e4m3 : WgmmaTypes<"e5m2", "e4m3", 32>;
def Wgmma_e5m2_e5m2 : WgmmaTypes<"e5m2", "e5m2", 32>;
def Wgmma_s8_s8 : WgmmaTypes<"s8", "s8", 32, "s32">;

foreach types = [Wgmma_bf16_bf16, Wgmma_f16_f16, Wgmma_tf32_tf32, Wgmma_e4m3_e4m3, Wgmma_e4m3_e5m2, Wgmma_e5m2_e4m3, Wgmma_e5m2_e5m2, Wgmma_s8_s8] in
  foreach n = types.columns in
    def Kernel_WgmmaText_#types.a#_#types.b#_#n : WgmmaText<n, types>;
foreach types = [Wgmma_bf16_bf16, Wgmma_f16_f16] in
  foreach n = types.columns in
    def Kernel_WgmmaRegistersText_#types.a#_#n : WgmmaText<n, types, 1>;

def Kernel_WgmmaOp : Op<Kernel_Dialect, "wgmma", [
    MemoryEffects<[MemRead<Kernel_SharedMemory>]>,
    DeclareOpInterfaceMethods<VocabularyCallInterface, ["getCallee", "getTemplateArguments", "countIndices"]>]> {
  let summary = "adds the product of a 64 x k and a k x n matrix to a warpgroup's accumulators, asynchronously";
  let description = [{
    All 128 threads of a warpgroup execute it. The descriptors are of matrices in
    shared memory, of elements `a` and `b`: k is 16 of 16 bits, 8 of tf32 and 32 of
    8 bits. Contiguous along k or, transposed, along the other dimension, which
    takes 16 bits. The accumulators are the n / 2 elements of the registers after
    the leading indices; element v of thread t is row 16 (t / 32) + t % 32 / 4 + 8
    (v / 2 % 2) and column 8 (v / 4) + 2 (t % 4) + v % 2. Nobody touches them before
    a `wgmma_wait` for the group, but another `wgmma` with the same ones. A
    `wgmma_fence` is between other accesses to them and this one.
  }];
  let arguments = (ins
    Kernel_RegisterUpdate:$acc, Variadic<Index>:$indices, I64:$aDescriptor, I64:$bDescriptor,
    ConfinedAttr<I64Attr, [IntPositive]>:$n, TypeAttr:$a, TypeAttr:$b, UnitAttr:$transpose_a, UnitAttr:$transpose_b);
  let assemblyFormat = "$acc `[` $indices `]` `,` $aDescriptor `,` $bDescriptor attr-dict `:` type($acc)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    static ::llvm::StringRef getFunctionName() { return "wgmma"; }
  }];
}

def Kernel_WgmmaRegistersOp : Op<Kernel_Dialect, "wgmma_registers", [
    AttrSizedOperandSegments, MemoryEffects<[MemRead<Kernel_SharedMemory>]>,
    DeclareOpInterfaceMethods<VocabularyCallInterface, ["getCallee", "getTemplateArguments", "countIndices"]>]> {
  let summary = "the same with a first matrix that the threads of the warpgroup hold";
  let description = [{
    Both matrices are of elements `type`, bf16 or f16, and k is 16. A thread has 8
    elements of the first one, one after the other from that of `left` on: they are
    what it has of accumulators of 16 columns (`wgmma`). Nobody writes them before a
    `wgmma_wait` for the group; a `wgmma_fence` is between writing them and this.
  }];
  let arguments = (ins
    Kernel_RegisterUpdate:$acc, Variadic<Index>:$indices, Kernel_RegisterRead:$left, Variadic<Index>:$leftIndices, I64:$bDescriptor,
    ConfinedAttr<I64Attr, [IntPositive]>:$n, TypeAttr:$type, UnitAttr:$transpose_b);
  let assemblyFormat = "$acc `[` $indices `]` `,` $left `[` $leftIndices `]` `,` $bDescriptor attr-dict `:` type($acc) `,` type($left)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    static ::llvm::StringRef getFunctionName() { return "wgmma_registers"; }
  }];
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

class Kernel_WgmmaOrderOp<string which, string instruction> : Kernel_Op<"wgmma_" # which, "wgmma_" # which> {
  let assemblyFormat = "attr-dict";
  let prototype = "void wgmma_" # which # "()";
  let lowestArch = 90;
  let archSpecific = 1;
  let device = [{R"cuda(
__device__ __forceinline__ void wgmma_}] # which # "() { asm volatile(\"wgmma." # instruction # [{.sync.aligned;" ::: "memory"); }
)cuda"}];
}

def Kernel_WgmmaFenceOp : Kernel_WgmmaOrderOp<"fence", "fence"> {
  let summary = "orders this thread's accesses to registers before those of its warpgroup's later multiplications";
  let description = "Before the first multiplication of a kernel, and after other accesses to accumulators.";
  let emulator = [{
    table->fenceAccumulators();
  }];
  let order = OrderAsync;
}

def Kernel_WgmmaCommitOp : Kernel_WgmmaOrderOp<"commit", "commit_group"> {
  let summary = "closes the group of the warpgroup's multiplications so far";
  let emulator = [{
    table->commitWgmma(site);
  }];
  let effects = [MemoryEffects<[MemWrite<Kernel_Phases>]>];
}

def Kernel_WgmmaWaitText : VocabularyEntry<"wgmma_wait"> {
  let prototype = "template <int N> void wgmma_wait()";
  let lowestArch = 90;
  let archSpecific = 1;
  let device = [{R"cuda(
template <int N> __device__ __forceinline__ void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory");
}
)cuda"}];
  let emulator = [{
    table->waitWgmma(N, site);
  }];
  let order = OrderAsync;
}

// Arithmetic on accumulators is no access to memory: what holds it back is that the wait writes them, too. No instructions. Of another type
// than theirs, ptxas would see them copied after the next fence.
class WgmmaWaitForText<string type, string element, string constraint> : VocabularyEntry<"wgmma_wait_" # type> {
  let prototype = "template <int N, typename D> void " # function # "(D &d)";
  let lowestArch = 90;
  let archSpecific = 1;
  let device = [{R"cuda(
template <int N, typename D> __device__ __forceinline__ void }] # function # [{(D &d) {
  }] # element # " (&c)[sizeof(D) / 4] = reinterpret_cast<" # element # [{ (&)[sizeof(D) / 4]>(d);
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory");
#pragma unroll
  for (int i = 0; i < (int)sizeof(D) / 4; ++i) asm volatile("" : "}] # constraint # [{"(c[i])::"memory");
}
)cuda"}];
  let emulator = [{
    table->waitWgmma(N, site);
  }];
  let order = OrderAsync;
}

def Kernel_WgmmaWaitF32Text : WgmmaWaitForText<"f32", "float", "+f">;
def Kernel_WgmmaWaitS32Text : WgmmaWaitForText<"s32", "int", "+r">;

def Kernel_WgmmaWaitOp : Op<Kernel_Dialect, "wgmma_wait", [
    AttrSizedOperandSegments, Kernel_Orders, DeclareOpInterfaceMethods<VocabularyCallInterface, ["getCallee", "getTemplateArguments", "countIndices"]>]> {
  let summary = "waits until at most `pending` groups of the warpgroup's multiplications are not done";
  let description = [{
    Their accumulators may be used then, and what they read overwritten. The
    compiler moves no arithmetic on `acc` to before the wait.
  }];
  let arguments = (ins Optional<Kernel_RegisterMemRef<MemRefOf<[F32, I32]>>>:$acc, Variadic<Index>:$indices, ConfinedAttr<I64Attr, [IntNonNegative]>:$pending);
  let assemblyFormat = "($acc^ `[` $indices `]`)? attr-dict (`:` type($acc)^)?";
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "int64_t":$pending), [{ build($_builder, $_state, ::mlir::Value(), ::mlir::ValueRange(), pending); }]>];
  let extraClassDeclaration = [{
    static ::llvm::StringRef getFunctionName() { return "wgmma_wait"; }
  }];
}

#endif
