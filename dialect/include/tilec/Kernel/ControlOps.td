//===- ControlOps.td - The function, its loops and registers -*- tablegen -*-===//
//
// What CUDA C++ has words for: these ops call nothing.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_KERNEL_CONTROLOPS_TD
#define TILEC_KERNEL_CONTROLOPS_TD

include "tilec/Kernel/KernelDialect.td"
include "tilec/Kernel/KernelInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/Interfaces/LoopLikeInterface.td"

class Kernel_ControlOp<string mnemonic, list<Trait> traits = []> : Op<Kernel_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

def Kernel_FuncOp : Kernel_ControlOp<"func", [FunctionOpInterface, IsolatedFromAbove]> {
  let summary = "a kernel: the program of one thread, and how it is launched";
  let description = [{
    ```mlir
    kernel.func @copy(%A: memref<?xf32>, %B: memref<?xf32>, %n: index) reads(%A) threads(256) dynamic_shared(1024) {
      ...
    }
    ```

    Parameters are operands in global memory, scalars and tensor maps. `reads`
    names the operands that nothing is written to. The rest is what the launch
    must keep: threads of a block, blocks that an SM holds at least (without it
    ptxas ignores `setmaxnreg`), blocks of a cluster, and bytes of shared memory,
    in which all arrays of the body lie.
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type, OptionalAttr<DictArrayAttr>:$arg_attrs,
    OptionalAttr<DictArrayAttr>:$res_attrs, ConfinedAttr<I64Attr, [IntPositive]>:$threads,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$reads,
    OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$min_blocks,
    ConfinedAttr<DefaultValuedAttr<I64Attr, "1">, [IntPositive]>:$cluster,
    ConfinedAttr<DefaultValuedAttr<I64Attr, "0">, [IntNonNegative]>:$static_shared,
    ConfinedAttr<DefaultValuedAttr<I64Attr, "0">, [IntNonNegative]>:$dynamic_shared);
  let regions = (region SizedRegion<1>:$body);
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::TypeRange":$parameters, "int64_t":$threads)>];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Is parameter `number` an operand that nothing is written to?
    bool onlyReads(unsigned number) { return ::llvm::is_contained(getReads(), int64_t(number)); }

    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
  }];
}

def Kernel_ReturnOp : Kernel_ControlOp<"return", [Pure, Terminator, HasParent<"FuncOp">]> {
  let summary = "ends the thread's program";
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// Loops and roles
//===----------------------------------------------------------------------===//

def Kernel_YieldOp : Kernel_ControlOp<"yield", [Pure, Terminator, ParentOneOf<["ForOp", "RolesOp"]>]> {
  let summary = "ends an iteration, or a part of a block; not written";
  let assemblyFormat = "attr-dict";
}

def Kernel_ForOp : Kernel_ControlOp<"for", [
    AllTypesMatch<["lowerBound", "upperBound", "step"]>, RecursiveMemoryEffects, SingleBlockImplicitTerminator<"YieldOp">, ThreadLoopInterface,
    DeclareOpInterfaceMethods<LoopLikeOpInterface, ["getLoopInductionVars"]>]> {
  let summary = "a loop of C++";
  let description = [{
    ```mlir
    kernel.for unroll(2) pipeline %k = %c0 to %K step %c16 { ... }
    ```

    Values that iterations hand on are in register arrays. `unroll` writes the
    loop out, `unroll(2)` two iterations at a time. In a `pipeline` copies of
    an iteration fill slots that it does not read.
  }];
  let arguments = (ins
    AnySignlessIntegerOrIndex:$lowerBound, AnySignlessIntegerOrIndex:$upperBound, AnySignlessIntegerOrIndex:$step,
    OptionalAttr<ConfinedAttr<I64Attr, [IntNonNegative]>>:$unroll, UnitAttr:$pipeline, Kernel_ThreadLoop:$threadLoop);
  let regions = (region SizedRegion<1>:$region);
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$lowerBound, "::mlir::Value":$upperBound, "::mlir::Value":$step)>];
  let hasCustomAssemblyFormat = 1;
  let hasCanonicalizer = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// The factor of `unroll` that writes all iterations out.
    static constexpr uint64_t kWhole = 0;

    ::mlir::Value getInductionVar() { return getBody()->getArgument(0); }
    bool isWrittenOut() { return getUnroll() == kWhole; }
  }];
}

def Kernel_RolesOp : Kernel_ControlOp<"roles", [
    RecursiveMemoryEffects, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "parts the threads of a block into two groups with programs of their own";
  let description = [{
    ```mlir
    kernel.roles %produces threads [64, 128] { ... } else { ... }
    ```

    `condition` is true for the `threads[0]` threads of the first region and
    false for the `threads[1]` of the second. Both are whole warps, all threads of
    the block together. Barriers in a region are for its own threads; what the
    groups hand on is ordered by mbarriers. With `teams(2)` the second group is two
    teams, one after the other, whose threads wait for those of their own team.
  }];
  let arguments = (ins I1:$condition, DenseI64ArrayAttr:$threads, OptionalAttr<ConfinedAttr<I64Attr, [IntMinValue<2>]>>:$teams);
  let regions = (region SizedRegion<1>:$first, SizedRegion<1>:$second);
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$condition, "::llvm::ArrayRef<int64_t>":$threads, CArg<"int64_t", "1">:$teams)>];
  let assemblyFormat = "$condition `threads` $threads (`teams` `(` $teams^ `)`)? $first `else` $second attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Block *getBlock(unsigned group) { return &(*this)->getRegion(group).front(); }
  }];
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

def Kernel_RegistersOp : Kernel_ControlOp<"registers"> {
  let summary = "an array in the thread's registers, or a variable";
  let description = [{
    `kernel.registers init(0 : index) : memref<index, #tile.level<rf>>` is `int r =
    0;`. Arrays begin as zeros, or undefined.
  }];
  let arguments = (ins OptionalAttr<TypedAttrInterface>:$init);
  let results = (outs Res<Kernel_RegisterMemRef<AnyStaticShapeMemRef>, "", [MemAlloc]>:$array);
  let assemblyFormat = "(`init` `(` $init^ `)`)? attr-dict `:` type($array)";
  let builders = [OpBuilder<(ins "::mlir::MemRefType":$type), [{ build($_builder, $_state, type, ::mlir::TypedAttr()); }]>];
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
}

#endif
