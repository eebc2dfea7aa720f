//===- MatrixOps.td - Matrices in the registers of a warp --*- tablegen -*-===//
//
// Matrices of 8 rows of 16 bytes between shared memory and registers
// (PTX ISA 9.7.14.5.15 and 16).
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_KERNEL_MATRIXOPS_TD
#define TILEC_KERNEL_MATRIXOPS_TD

include "tilec/Kernel/KernelDialect.td"

/// What the lanes of a warp do as one, with what they hold.
defvar Kernel_Warp = MemoryEffects<[MemRead<Kernel_Threads>, MemWrite<Kernel_Threads>]>;

class MatrixWords<int count> {
  string arguments = "{" # !interleave(!foreach(i, !range(count), "%" # i), ", ") # "}";
  string stored = "{" # !interleave(!foreach(i, !range(count), "%" # !add(i, 1)), ", ") # "}";
  string outputs = !interleave(!foreach(i, !range(count), "\"=r\"(word[" # i # "])"), ", ");
  string inputs = !interleave(!foreach(i, !range(count), "\"r\"(word[" # i # "])"), ", ");
}

/// The text of the two forms of an instruction, by the template argument.
class MatrixForms<string start, string end> {
  string text = "  if constexpr (Trans)\n    asm volatile(\"" # start # ".trans.shared.b16 " # end # "\n  else\n    asm volatile(\"" # start # ".shared.b16 " # end;
}

class LdmatrixText<int count> : VocabularyEntry<"ldmatrix_x" # count> {
  let prototype = "template <int Trans, typename T> void " # function # "(T *dest, const T *source)";
  defvar words = MatrixWords<count>;
  let device = [{R"cuda(
template <int Trans, typename T> __device__ __forceinline__ void }] # function # [{(T *dest, const T *source) {
  const unsigned from = (unsigned)__cvta_generic_to_shared(source);
  unsigned word[}] # count # "];\n" #
    MatrixForms<"ldmatrix.sync.aligned.m8n8.x" # count, words.arguments # ", [%" # count # "];\"\n                 : " # words.outputs # " : \"r\"(from) : \"memory\");">.text # [{
  memcpy(dest, word, sizeof(word));
}
)cuda"}];
  let emulator = "    table->loadMatrices(dest, " # !mul(count, 4) # ", source, " # count # ", Trans, site, position());\n";
  let perWarp = 1;
}

class StmatrixText<int count> : VocabularyEntry<"stmatrix_x" # count> {
  let prototype = "template <int Trans, typename T> void " # function # "(T *dest, const T *source)";
  let lowestArch = 90;
  defvar words = MatrixWords<count>;
  let device = [{R"cuda(
template <int Trans, typename T> __device__ __forceinline__ void }] # function # [{(T *dest, const T *source) {
  const unsigned to = (unsigned)__cvta_generic_to_shared(dest);
  unsigned word[}] # count # [{];
  memcpy(word, source, sizeof(word));
}] # MatrixForms<"stmatrix.sync.aligned.m8n8.x" # count, "[%0], " # words.stored # ";\"\n                 ::\"r\"(to), " # words.inputs # " : \"memory\");">.text # [{
}
)cuda"}];
  let emulator = "    table->storeMatrices(dest, source, " # !mul(count, 4) # ", " # count # ", Trans, site, position());\n";
  let perWarp = 1;
}

foreach count = [1, 2, 4] in {
  def Kernel_LdmatrixText#count : LdmatrixText<count>;
  def Kernel_StmatrixText#count : StmatrixText<count>;
}

/// Numbers of matrices that an instruction moves.
defvar Kernel_MatrixCount = ConfinedAttr<I64Attr, [AttrConstraint<
    CPred<"::llvm::is_contained({1, 2, 4}, ::llvm::cast<::mlir::IntegerAttr>($_self).getInt())">, "whose value is 1, 2 or 4">]>;

class Kernel_MatrixMoveOp<string mnemonic> : Op<Kernel_Dialect, mnemonic, [
    AttrSizedOperandSegments, ThreadLoopInterface, Kernel_Warp,
    DeclareOpInterfaceMethods<VocabularyCallInterface, ["getCallee", "getTemplateArguments", "countIndices"]>]> {
  let description = [{
    All 32 lanes of a warp execute it. Lane i < 8 `count` has the address of row i %
    8 of matrix i / 8, 8 elements of 16 bits, or as many bytes of others, at a multiple of
    16 bytes. Of each matrix every lane has two elements, one after the other from that of
    `registers` on: 2 (lane % 4) and the next one of row lane / 4 or, with `transpose`, those of
    column lane / 4 in rows 2 (lane % 4) and the next one.
  }];
  let hasVerifier = 1;
  code classBase = [{
    static ::llvm::StringRef getFunctionName() { return "}] # mnemonic # [{"; }
  }];
  let extraClassDeclaration = classBase;
}

def Kernel_LdmatrixOp : Kernel_MatrixMoveOp<"ldmatrix"> {
  let summary = "loads matrices from shared memory into the registers of a warp";
  let arguments = (ins Kernel_RegisterWrite:$registers, Kernel_Indices:$registerIndices, Kernel_SharedRead:$shared, Kernel_Indices:$sharedIndices,
                       Kernel_MatrixCount:$count, UnitAttr:$transpose, Kernel_ThreadLoop:$threadLoop);
  let assemblyFormat = "$registers `[` $registerIndices `]` `,` $shared `[` $sharedIndices `]` " # ThreadLoopFormat<>.text #
                       " attr-dict `:` type($registers) `[` type($registerIndices) `]` `,` type($shared) `[` type($sharedIndices) `]`";
}

def Kernel_StmatrixOp : Kernel_MatrixMoveOp<"stmatrix"> {
  let summary = "stores matrices from the registers of a warp to shared memory";
  let arguments = (ins Kernel_SharedWrite:$shared, Kernel_Indices:$sharedIndices, Kernel_RegisterRead:$registers, Kernel_Indices:$registerIndices,
                       Kernel_MatrixCount:$count, UnitAttr:$transpose, Kernel_ThreadLoop:$threadLoop);
  let assemblyFormat = "$shared `[` $sharedIndices `]` `,` $registers `[` $registerIndices `]` " # ThreadLoopFormat<>.text #
                       " attr-dict `:` type($shared) `[` type($sharedIndices) `]` `,` type($registers) `[` type($registerIndices) `]`";
}

//===----------------------------------------------------------------------===//
// Multiplications
//===----------------------------------------------------------------------===//

class MmaText<string type, int k, string accumulator = "f32"> : VocabularyEntry<"mma_m16n8k" # k # "_" # accumulator # "_" # type # "_" # type> {
  defvar element = !if(!eq(accumulator, "f32"), "float", "int");
  defvar constraint = !if(!eq(accumulator, "f32"), "\"+f\"", "\"+r\"");
  let prototype = "template <typename C, typename A, typename B> void " # function # "(C &c, const A *a, const B &b)";
  let lowestArch = 80;
  let device = [{R"cuda(
template <typename C, typename A, typename B>
__device__ __forceinline__ void }] # function # [{(C &c, const A *a, const B &b) {
  static_assert(sizeof(C) == 16 && sizeof(B) == 8, "the elements of a thread");
  unsigned x[4], y[2];
  memcpy(x, a, sizeof(x));
  memcpy(y, &b, sizeof(y));
  }] # element # " (&d)[4] = reinterpret_cast<" # element # [{ (&)[4]>(c);
  asm volatile("mma.sync.aligned.m16n8k}] # k # ".row.col." # accumulator # "." # type # "." # type # "." # accumulator # [{ "
               "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : }] # !interleave(!foreach(i, [0, 1, 2, 3], constraint # "(d[" # i # "])"), ", ") # [{
               : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
}
)cuda"}];
  let emulator = "    static_assert(sizeof(C) == 16 && sizeof(B) == 8, \"the elements of a thread\");\n" #
                 "    table->multiplyInWarp(&c, a, &b, \"" # type # "\", site);\n";
}

def Kernel_MmaBF16Text : MmaText<"bf16", 16>;
def Kernel_MmaF16Text : MmaText<"f16", 16>;
def Kernel_MmaTF32Text : MmaText<"tf32", 8>;
def Kernel_MmaS8Text : MmaText<"s8", 32, "s32">;

def Kernel_MmaOp : Op<Kernel_Dialect, "mma", [
    AttrSizedOperandSegments, Kernel_Warp, DeclareOpInterfaceMethods<VocabularyCallInterface, ["getCallee", "countIndices"]>]> {
  let summary = "adds the product of a 16 x k and a k x 8 matrix to the accumulators of a warp";
  let description = [{
    All 32 lanes execute it; k is 16 of 16 bits, 8 of tf32 and 32 of 8 bits. Both
    operands are of elements `type`. A lane holds 16 bytes of a, 8 of b and 4
    accumulators, in the order of PTX ISA 9.7.14.5: with e elements in 4 bytes,
    lane t has e consecutive k from e (t % 4) on, of rows t / 4 and t / 4 + 8 of a and
    of column t / 4 of b, then the same 4 e further along k. Its accumulators are
    columns 2 (t % 4) and the next one of those two rows. Those of a are one after the
    other from that of `a` on: of 16 bits they are what a lane has of the accumulators
    of two products beside each other.
  }];
  let arguments = (ins
    Arg<Kernel_RegisterArray, "", [MemRead, MemWrite]>:$acc, Variadic<Index>:$accIndices, Kernel_RegisterRead:$a, Variadic<Index>:$aIndices,
    Kernel_RegisterRead:$b, Variadic<Index>:$bIndices, TypeAttr:$type);
  let assemblyFormat = [{
    $acc `[` $accIndices `]` `,` $a `[` $aIndices `]` `,` $b `[` $bIndices `]` attr-dict `:` type($acc) `,` type($a) `,` type($b)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    static ::llvm::StringRef getFunctionName() { return "mma"; }
  }];
}

#endif
