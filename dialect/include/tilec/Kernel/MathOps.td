//===- MathOps.td - Arithmetic that C++ has no spelling for -*- tablegen -*-===//

#ifndef TILEC_KERNEL_MATHOPS_TD
#define TILEC_KERNEL_MATHOPS_TD

include "tilec/Kernel/KernelDialect.td"

def Kernel_Real : AnyTypeOf<[F32, F64]>;
def Kernel_Narrow : AnyTypeOf<[F16, BF16]>;
def Kernel_Widened : AnyTypeOf<[F16, BF16, F8E4M3FN, F8E5M2]>;

// PTX ISA, floating point instructions min and max: of two zeros +0 is the greater; .NaN (f32, from sm_80 on) gives NaN
// where either input is one, otherwise the other input is given.
class Kernel_Extremum<string mnemonic, string instruction> : Kernel_Op<mnemonic, mnemonic, [AllTypesMatch<["lhs", "rhs", "result"]>]> {
  let effects = [Pure];
  let arguments = (ins Kernel_Real:$lhs, Kernel_Real:$rhs);
  let results = (outs Kernel_Real:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
  let prototype = "template <typename T> T " # mnemonic # "(T a, T b)";
  let device = [{R"cuda(
template <typename T> __device__ __forceinline__ T }] # mnemonic # [{(T a, T b) {
  T result;
  if constexpr (sizeof(T) == 4) {
#if __CUDA_ARCH__ >= 800
    asm("}] # instruction # [{.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
    return result;
#else
    asm("}] # instruction # [{.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
#endif
  } else {
    asm("}] # instruction # [{.f64 %0, %1, %2;" : "=d"(result) : "d"(a), "d"(b));
  }
  return a != a || b != b ? a + b : result;
}
)cuda"}];
  let emulator = "    return a != a || b != b ? a + b : " # !if(!eq(instruction, "max"), "maxNum", "minNum") # "(a, b);\n";
}

def Kernel_MaxNanOp : Kernel_Extremum<"max_nan", "max"> {
  let summary = "the greater of two numbers; NaN if either is; +0 is greater than -0";
}

def Kernel_MinNanOp : Kernel_Extremum<"min_nan", "min"> {
  let summary = "the lesser of two numbers; NaN if either is; -0 is less than +0";
}

def Kernel_Exp2FlushedOp : Kernel_Op<"exp2_flushed", "exp2_flushed"> {
  let summary = "a power of 2, for which numbers below 2^-126 are zero";
  let effects = [Pure];
  let arguments = (ins F32:$value);
  let results = (outs F32:$result);
  let assemblyFormat = "$value attr-dict";
  let prototype = "float exp2_flushed(float value)";
  let device = [{R"cuda(
__device__ __forceinline__ float exp2_flushed(float value) {
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(value));
  return result;
}
)cuda"}];
  let emulator = [{
    float result = __builtin_exp2f(value);
    return result < 0x1p-126f ? 0 : result;
}];
}

def Kernel_ToTF32Op : Kernel_Op<"tf32_from", "tf32_from"> {
  let summary = "an f32 without the 13 last bits of its significand, as tensor cores read it";
  let effects = [Pure];
  let arguments = (ins F32:$value);
  let results = (outs F32:$result);
  let assemblyFormat = "$value attr-dict";
  let prototype = "float tf32_from(float value)";
  let device = [{R"cuda(
__device__ __forceinline__ float tf32_from(float value) { return __uint_as_float(__float_as_uint(value) & 0xffffe000); }
)cuda"}];
  let emulator = [{
    unsigned bits;
    __builtin_memcpy(&bits, &value, sizeof(bits));
    bits &= 0xffffe000;
    __builtin_memcpy(&value, &bits, sizeof(bits));
    return value;
}];
}

//===----------------------------------------------------------------------===//
// Numbers of 16 and of 8 bits
//===----------------------------------------------------------------------===//

// Memory and registers hold them as bits; what is computed with them is computed in f32, and rounded. CUDA's own types need
// headers, which NVRTC does not bring.

class Kernel_NarrowText<string type, string storage> : VocabularyEntry<type> {
  let prototype = "struct " # type;
  let device = [{R"cuda(
struct }] # type # " { unsigned " # storage # [{ bits; };
)cuda"}];
  let emulator = "\nstruct " # type # " { unsigned " # storage # " bits; };\n";
}

def Kernel_HalfText : Kernel_NarrowText<"Half", "short">;
def Kernel_BFloatText : Kernel_NarrowText<"BFloat", "short">;
def Kernel_E4M3Text : Kernel_NarrowText<"E4M3", "char">;
def Kernel_E5M2Text : Kernel_NarrowText<"E5M2", "char">;

class Kernel_FromNarrowText<string functionName, string type, string text, int exponentBits, int mantissaBits> : VocabularyEntry<functionName> {
  let prototype = "float " # functionName # "(" # type # " value)";
  let device = [{R"cuda(
__device__ __forceinline__ float }] # functionName # "(" # type # [{ value) {
  }] # text # [{
}
)cuda"}];
  let emulator = "    return widen<" # exponentBits # ", " # mantissaBits # ">(value.bits);\n";
}

def Kernel_FromHalfText : Kernel_FromNarrowText<"float_from_half", "Half", [{float result;
  asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(value.bits));
  return result;}], 5, 10>;
def Kernel_FromBFloatText : Kernel_FromNarrowText<"float_from_bfloat", "BFloat", "return __uint_as_float((unsigned)value.bits << 16);", 8, 7>;

/// Of 8 bits: by way of the f16 that has them in front of its own.
class Kernel_FromShortText<string functionName, string type, string halfBits, string value> : VocabularyEntry<functionName> {
  let prototype = "float " # functionName # "(" # type # " value)";
  let device = [{R"cuda(
__device__ __forceinline__ float }] # functionName # "(" # type # [{ value) {
  const unsigned short half = }] # halfBits # [{;
  float result;
  asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(half));
  return }] # value # [{;
}
)cuda"}];
  let emulator = "    const unsigned short half = " # halfBits # ";\n    const float result = widen<5, 10>(half);\n    return " # value # ";\n";
}

// Exponents of e5m2 are those of f16; those of e4m3 are 8 less, its highest one is no infinity, and all bits set are NaN.
def Kernel_FromE5M2Text : Kernel_FromShortText<"float_from_e5m2", "E5M2", "value.bits << 8", "result">;
def Kernel_FromE4M3Text : Kernel_FromShortText<"float_from_e4m3", "E4M3", "(value.bits & 0x7f) == 0x7f ? 0x7fff : (value.bits & 0x80) << 8 | (value.bits & 127) << 7",
                                               "result * 256.0f">;

// Rounded once, to nearest, ties to even: f64 does not become an f32 first.
class Kernel_ToNarrowText<string functionName, string type, string text, int exponentBits, int mantissaBits> : VocabularyEntry<functionName> {
  let prototype = "template <typename T> " # type # " " # functionName # "(T value)";
  let device = [{R"cuda(
template <typename T> __device__ __forceinline__ }] # type # " " # functionName # [{(T value) {
  }] # type # " result;\n  " # text # [{
  return result;
}
)cuda"}];
  let emulator = "    return {narrow<" # exponentBits # ", " # mantissaBits # ">(value)};\n";
}

def Kernel_ToHalfText : Kernel_ToNarrowText<"half_from", "Half", [{if constexpr (sizeof(T) == 8)
    asm("cvt.rn.f16.f64 %0, %1;" : "=h"(result.bits) : "d"((double)value));
  else
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(result.bits) : "f"((float)value));}], 5, 10>;

// Of an f64, what an f32 cannot hold is left in its last bit, so that nothing is taken for a tie that is none.
def Kernel_ToBFloatText : Kernel_ToNarrowText<"bfloat_from", "BFloat", [{float single = value;
  if constexpr (sizeof(T) == 8) {
    single = __double2float_rz(value);
    if (value == value && (T)single != value) single = __uint_as_float(__float_as_uint(single) | 1);
  }
#if __CUDA_ARCH__ >= 800
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(result.bits) : "f"(single));
#else
  const unsigned bits = __float_as_uint(single);
  result.bits = single != single ? 0x7fff : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
#endif}], 8, 7>;

// A bf16 is the upper half of an f32. From sm_80 on one instruction rounds two f32 to two bf16 of a word; of one with a zero
// the word is the rounded f32, with nothing left to shift.
def Kernel_RoundedBFloatOp : Kernel_Op<"rounded_bfloat", "rounded_bfloat"> {
  let summary = "an f32 rounded to the nearest bf16, of two that are as near the even one, as an f32";
  let effects = [Pure];
  let arguments = (ins F32:$value);
  let results = (outs F32:$result);
  let assemblyFormat = "$value attr-dict";
  let prototype = "float rounded_bfloat(float value)";
  let device = [{R"cuda(
__device__ __forceinline__ float rounded_bfloat(float value) {
  unsigned bits;
#if __CUDA_ARCH__ >= 800
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(value), "f"(0.0f));
#else
  bits = __float_as_uint(value);
  bits = value != value ? 0x7fff0000 : (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000;
#endif
  return __uint_as_float(bits);
}
)cuda"}];
  let emulator = "    return widen<8, 7>(narrow<8, 7>(value));\n";
}

def Kernel_UpperHalfText : VocabularyEntry<"bfloat_of"> {
  let prototype = "BFloat bfloat_of(float value)";
  let device = [{R"cuda(
__device__ __forceinline__ BFloat bfloat_of(float value) {
  BFloat result;
  result.bits = __float_as_uint(value) >> 16;
  return result;
}
)cuda"}];
  let emulator = [{
    unsigned bits;
    __builtin_memcpy(&bits, &value, sizeof(bits));
    return {(unsigned short)(bits >> 16)};
}];
}

// Of a product by log2(e) the last digit says less the larger it is: 2^-17 of the result at most, by which one f16 or bf16 in
// some hundred is another one than the nearest. The root of the result is no subnormal number, which the instruction does not give.
def Kernel_ExpNarrowOp : Kernel_Op<"exp_narrow", "exp_narrow"> {
  let summary = "e to the power of a number, to within 2^-16 of itself: for what is rounded to 16 bits";
  let effects = [Pure];
  let arguments = (ins F32:$value);
  let results = (outs F32:$result);
  let assemblyFormat = "$value attr-dict";
  let prototype = "float exp_narrow(float value)";
  let device = [{R"cuda(
__device__ __forceinline__ float exp_narrow(float value) {
  float root;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(value * 0.72134752f));
  return root * root;
}
)cuda"}];
  let emulator = "    return expf(value);\n";
}

// What is computed of the divisor alone the compiler computes once for all that is divided by it.
class Kernel_DivideNarrow<string mnemonic, string type, string text> : Kernel_Op<mnemonic, mnemonic> {
  let summary = "a quotient of two " # type # " that is rounded to " # type # " as the exact one would be";
  let effects = [Pure];
  let arguments = (ins F32:$lhs, F32:$rhs);
  let results = (outs F32:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict";
  let prototype = "float " # mnemonic # "(float a, float b)";
  let device = [{R"cuda(
__device__ __forceinline__ float }] # mnemonic # [{(float a, float b) {
  float reciprocal;
  }] # text # [{
}
)cuda"}];
  let emulator = "    return a / b;\n";
}

// Such a quotient is 2^-17 of itself or more away from all that is halfway between two bf16, unless it is one of these itself, among
// the subnormal ones. The divisor is scaled to where its reciprocal is neither subnormal nor infinite.
def Kernel_DivideBFloatOp : Kernel_DivideNarrow<"divide_bfloat", "bf16", [{const float size = fabsf(b), scale = size > 0x1p100f ? 0x1p-32f : size < 0x1p-100f ? 0x1p32f : 1.0f;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(reciprocal) : "f"(b * scale));
  return a * scale * reciprocal;}]>;

// 2^-23 or more: the reciprocal takes two f32, of the same sign, so that products with infinity are not NaN.
def Kernel_DivideHalfOp : Kernel_DivideNarrow<"divide_half", "f16", [{asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(reciprocal) : "f"(b));
  const float most = reciprocal * (1 - 0x1p-22f);
  float rest = fmaf(-b, most, 1.0f) * reciprocal;
  if (rest != rest) rest = most;
  return fmaf(a, most, a * rest);}]>;

/// The vocabulary's row depends on the type.
class Kernel_NarrowOp<string mnemonic> : Op<Kernel_Dialect, mnemonic, [
    Pure, DeclareOpInterfaceMethods<VocabularyCallInterface, ["getCallee"]>]> {
  code classBase = [{
    static ::llvm::StringRef getFunctionName() { return "}] # mnemonic # [{"; }
  }];
  let extraClassDeclaration = classBase;
}

def Kernel_WidenOp : Kernel_NarrowOp<"widen"> {
  let summary = "a number of 16 or 8 bits as an f32";
  let arguments = (ins Kernel_Widened:$value);
  let results = (outs F32:$result);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

def Kernel_RoundOp : Kernel_NarrowOp<"round"> {
  let summary = "the nearest f16 or bf16, of two that are as near the even one";
  let description = [{
    What is `exact` is such a number already: nothing is rounded, and of a bf16 nothing converted.
  }];
  let arguments = (ins Kernel_Real:$value, UnitAttr:$exact);
  let results = (outs Kernel_Narrow:$result);
  let assemblyFormat = "(`exact` $exact^)? $value attr-dict `:` type($value) `->` type($result)";
  let builders = [OpBuilder<(ins "::mlir::Type":$type, "::mlir::Value":$value), [{ build($_builder, $_state, type, value, false); }]>];
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

// What C++ and PTX leave open has no meaning in a nest either, and the emulator reports it. Operands of fewer than 64 bits
// arrive sign-extended; of the result, the low `Bits` are meant.
class Kernel_IntegerOp<string mnemonic, dag more, string moreFormat> : Kernel_Op<mnemonic, mnemonic, [AllTypesMatch<["lhs", "rhs"]>]> {
  let effects = [Pure];
  let arguments = !con((ins AnySignlessInteger:$lhs, AnySignlessInteger:$rhs), more);
  let results = (outs I64:$result);
  let assemblyFormat = "$lhs `,` $rhs " # moreFormat # " attr-dict `:` type($lhs)";
}

defvar unsignedFormat = "(`unsigned` $isUnsigned^)?";

class Kernel_DivisionOp<string mnemonic, string symbol>
    : Kernel_IntegerOp<mnemonic, (ins UnitAttr:$isUnsigned), unsignedFormat> {
  let prototype = "template <int Bits, int Unsigned> long long " # mnemonic # "(long long a, long long b)";
  let templateArguments = "getLhs().getType().getIntOrFloatBitWidth(), getIsUnsigned()";
  let device = [{R"cuda(
template <int Bits, int Unsigned> __device__ __forceinline__ long long }] # mnemonic # [{(long long a, long long b) {
  if constexpr (Unsigned != 0 && Bits <= 32)
    return ((unsigned)a & (~0u >> (32 - Bits))) }] # symbol # [{ ((unsigned)b & (~0u >> (32 - Bits)));
  else if constexpr (Unsigned != 0)
    return (unsigned long long)a }] # symbol # [{ (unsigned long long)b;
  else if constexpr (Bits <= 32)
    return (int)a }] # symbol # [{ (int)b;
  else
    return a }] # symbol # [{ b;
}
)cuda"}];
  let emulator = "    return divide<Bits, Unsigned>(a, b, site, [](auto x, auto y) { return (long long)(x " # symbol # " y); });\n";
}

def Kernel_IntDivOp : Kernel_DivisionOp<"int_div", "/"> {
  let summary = "the quotient of two integers, toward zero; the divisor is not 0, and the quotient fits";
}

def Kernel_IntRemOp : Kernel_DivisionOp<"int_rem", "%"> {
  let summary = "what a division by `int_div` leaves, with the sign of the dividend; has a meaning where that does";
}

def Kernel_ShiftLeftOp : Kernel_IntegerOp<"shift_left", (ins), ""> {
  let summary = "the bits of an integer moved up by fewer than it has";
  let prototype = "template <int Bits> long long shift_left(long long a, long long b)";
  let templateArguments = "getLhs().getType().getIntOrFloatBitWidth()";
  let device = [{R"cuda(
template <int Bits> __device__ __forceinline__ long long shift_left(long long a, long long b) {
  if constexpr (Bits <= 32)
    return (int)((unsigned)a << (int)b);
  else
    return (long long)((unsigned long long)a << b);
}
)cuda"}];
  let emulator = [{
    return canShift<Bits>(cut<Bits, 0>(b), site) ? cut<Bits, 0>(a << b) : 0;
  }];
}

def Kernel_ShiftRightOp : Kernel_IntegerOp<"shift_right", (ins UnitAttr:$isUnsigned), unsignedFormat> {
  let summary = "the bits of an integer moved down by fewer than it has, after copies of its sign, or of 0 where it is unsigned";
  let prototype = "template <int Bits, int Unsigned> long long shift_right(long long a, long long b)";
  let templateArguments = "getLhs().getType().getIntOrFloatBitWidth(), getIsUnsigned()";
  let device = [{R"cuda(
template <int Bits, int Unsigned> __device__ __forceinline__ long long shift_right(long long a, long long b) {
  if constexpr (Unsigned != 0 && Bits <= 32)
    return ((unsigned)a & (~0u >> (32 - Bits))) >> (int)b;
  else if constexpr (Unsigned != 0)
    return (unsigned long long)a >> b;
  else if constexpr (Bits <= 32)
    return (int)a >> (int)b;
  else
    return a >> b;
}
)cuda"}];
  let emulator = [{
    if (!canShift<Bits>(cut<Bits, 0>(b), site))
      return 0;
    a = cut<Bits, Unsigned>(a);
    return Unsigned ? (long long)((unsigned long long)a >> b) : a >> b;
  }];
}

def Kernel_ToIntOp : Kernel_Op<"to_int", "to_int"> {
  let effects = [Pure];
  let templateArguments = "int64_t(getBits()), getIsUnsigned()";
  let summary = "a number rounded toward zero, as an integer of so many bits, which it fits";
  let arguments = (ins Kernel_Real:$value, I64Attr:$bits, UnitAttr:$isUnsigned);
  let results = (outs I64:$result);
  let assemblyFormat = "$bits (`unsigned` $isUnsigned^)? `,` $value attr-dict `:` type($value)";
  let prototype = "template <int Bits, int Unsigned, typename T> long long to_int(T value)";
  let device = [{R"cuda(
template <int Bits, int Unsigned, typename T> __device__ __forceinline__ long long to_int(T value) {
  if constexpr (Unsigned != 0 && Bits <= 32)
    return (unsigned)value;
  else if constexpr (Unsigned != 0)
    return (unsigned long long)value;
  else if constexpr (Bits <= 32)
    return (int)value;
  else
    return (long long)value;
}
)cuda"}];
  let emulator = [{
    // Powers of two are exact in every type.
    const double whole = trunc((double)value), end = ldexp(1.0, Unsigned ? Bits : Bits - 1);
    if (whole >= (Unsigned ? 0.0 : -end) && whole < end)
      return Unsigned ? (long long)(unsigned long long)whole : (long long)whole;
    table->reportArithmetic("converts a number that does not fit the integer", site);
    return 0;
  }];
}

#endif
