//===- MathOps.td - Arithmetic that C++ has no spelling for -*- tablegen -*-===//

#ifndef TILEC_KERNEL_MATHOPS_TD
#define TILEC_KERNEL_MATHOPS_TD

include "tilec/Kernel/KernelDialect.td"
include "tilec/Kernel/KernelInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// PTX ISA, floating point instructions min and max: of two zeros +0 is the greater; .NaN (f32, from sm_80 on) gives NaN
// where either input is one, otherwise the other input is given.
class Kernel_Extremum<string mnemonic, string instruction> : Kernel_Op<mnemonic, mnemonic, [
    CallOpInterface, Pure, AllTypesMatch<["lhs", "rhs", "result"]>]> {
  let arguments = (ins AnyTypeOf<[F32, F64]>:$lhs, AnyTypeOf<[F32, F64]>:$rhs);
  let results = (outs AnyTypeOf<[F32, F64]>:$result);
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
}

def Kernel_MaxNanOp : Kernel_Extremum<"max_nan", "max"> {
  let summary = "the greater of two numbers; NaN if either is; +0 is greater than -0";
}

def Kernel_MinNanOp : Kernel_Extremum<"min_nan", "min"> {
  let summary = "the lesser of two numbers; NaN if either is; -0 is less than +0";
}

#endif
