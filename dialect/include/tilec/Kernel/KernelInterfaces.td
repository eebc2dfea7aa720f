//===- KernelInterfaces.td - What all vocabulary ops share -*- tablegen -*-===//

#ifndef TILEC_KERNEL_KERNELINTERFACES_TD
#define TILEC_KERNEL_KERNELINTERFACES_TD

include "mlir/IR/OpBase.td"

def VocabularyCallInterface : OpInterface<"VocabularyCall"> {
  let cppNamespace = "::tilec::kernel";
  let description = "A call of one function of the device vocabulary.";
  let methods = [
    InterfaceMethod<"The function's name, the key of the vocabulary table.",
      "::llvm::StringRef", "getCallee", (ins), [{}], [{ return $_op.getFunctionName(); }]>,
    InterfaceMethod<"Values of the template arguments, in order.",
      "::llvm::SmallVector<int64_t>", "getTemplateArguments", (ins), [{}], [{ return {}; }]>,
    InterfaceMethod<"Whether the function takes a buffer among its operands as an array and an element number, not as an address.",
      "bool", "takesElementNumber", (ins "::mlir::Value":$buffer), [{}], [{ return false; }]>,
    InterfaceMethod<"How many indices follow a buffer among the operands: its rank or, where the function takes an array, fewer.",
      "unsigned", "countIndices", (ins "::mlir::Value":$buffer), [{}],
      [{ return ::llvm::cast<::mlir::MemRefType>(buffer.getType()).getRank(); }]>
  ];
}

def ThreadLoopInterface : OpInterface<"ThreadLoopMember"> {
  let cppNamespace = "::tilec::kernel";
  let description = "An access, or a loop, that may belong to an iteration of a loop on threads.";
  let methods = [
    InterfaceMethod<"The loop's number; 0 for none, -1 where lanes of a warp execute an iteration together.",
      "uint64_t", "getThreadLoop">,
    InterfaceMethod<"", "void", "setThreadLoop", (ins "uint64_t":$number)>
  ];
}

#endif
