//===- KernelDialect.td - The kernel dialect ---------------*- tablegen -*-===//

#ifndef TILEC_KERNEL_KERNELDIALECT_TD
#define TILEC_KERNEL_KERNELDIALECT_TD

include "mlir/IR/OpBase.td"
include "llvm/TableGen/SearchableTable.td"

def Kernel_Dialect : Dialect {
  let name = "kernel";
  let cppNamespace = "::tilec::kernel";
  let summary = "the device vocabulary: one op for each function a kernel may call";
  let description = [{
    One thread's program, together with upstream `gpu.func`, `scf`, `arith`,
    `math` and `memref`. Memrefs are flat by this level: layouts have become
    address arithmetic. Global memory is `memref<?xT>`, shared memory and register
    arrays carry `#tile.level<smem>` and `#tile.level<rf>`.

    Every op is one call of one function of the vocabulary, which is one
    instruction or a short fixed sequence. The record of the op is the only place
    where the function is defined: its name, its prototype, its CUDA text and the
    lowest architecture. The emulator implements the same prototypes.
  }];
  let dependentDialects = ["::tilec::tile::TileDialect"];
  let useDefaultTypePrinterParser = 1;
}

/// The columns of the vocabulary table.
class VocabularyEntry<string functionName> {
  string function = functionName;
  /// Declaration without attributes, as the emulator has it too; a template may
  /// be explicitly instantiated from it.
  string prototype = "";
  /// CUDA C++ definition; the text put in front of a kernel that calls it.
  code device = [{}];
  /// Lowest compute capability times ten.
  bits<8> lowestArch = 75;
  /// Only in the architecture's own variant: sm_90a, not sm_90.
  bit archSpecific = 0;
}

def VocabularyTable : GenericTable {
  let FilterClass = "VocabularyEntry";
  let CppTypeName = "VocabularyEntry";
  let Fields = ["function", "prototype", "device", "lowestArch", "archSpecific"];
}

/// An op of the vocabulary. Arguments of the call are the operands in order; a
/// memref operand takes the following group of indices and is passed as the
/// address of that element.
class Kernel_Op<string mnemonic, string functionName, list<Trait> traits = []>
    : Op<Kernel_Dialect, mnemonic, traits>, VocabularyEntry<functionName> {
  let extraClassDeclaration = [{
    static ::llvm::StringRef getFunctionName() { return "}] # functionName # [{"; }
  }];
}

#endif
