//===- ConstantOps.td - Constant memory --------------------*- tablegen -*-===//

#ifndef TILEC_KERNEL_CONSTANTOPS_TD
#define TILEC_KERNEL_CONSTANTOPS_TD

include "tilec/Kernel/KernelDialect.td"

def Kernel_ConstantOp : Kernel_Op<"constant", "CONSTANT"> {
  let summary = "an operand of the launch in constant memory";
  let traits = [Pure];
  let description = [{
    `CONSTANT(float, W, 25)` declares `W` ahead of the kernel. The launcher copies tensor number `tensor` of the launch there before the kernel runs.
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$tensor);
  let results = (outs Kernel_ConstantMemRef<StaticShapeMemRefOf<[AnyType]>>:$array);
  let assemblyFormat = "$tensor attr-dict `:` type($array)";
  let device = [{R"cuda(
#define CONSTANT(T, name, count) __constant__ __align__(16) T name[count]
)cuda"}];
  let emulator = [{
#define CONSTANT(T, name, count) static const tilec_emulator::ConstantArray<T> name = {#name}
}];
}

def Kernel_LdcOp : Kernel_Op<"ldc", "ldc"> {
  let summary = "loads one element from constant memory";
  let arguments = (ins Kernel_ConstantRead:$source, Kernel_Indices:$indices);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$source `[` $indices `]` attr-dict `:` type($source) `,` type($indices) `->` type($result)";
  let prototype = "template <typename T> T ldc(const T *source)";
  let device = [{R"cuda(
template <typename T> __device__ __forceinline__ T ldc(const T *source) { return *source; }
)cuda"}];
  let emulator = [{
    T value;
    __builtin_memcpy(&value, table->readConstant(source, sizeof(T), site, position()), sizeof(T));
    return value;
  }];
  let perWarp = 1;
}

#endif
