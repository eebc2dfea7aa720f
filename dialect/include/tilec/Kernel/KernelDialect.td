//===- KernelDialect.td - The kernel dialect ---------------*- tablegen -*-===//

#ifndef TILEC_KERNEL_KERNELDIALECT_TD
#define TILEC_KERNEL_KERNELDIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "llvm/TableGen/SearchableTable.td"
include "tilec/Kernel/KernelInterfaces.td"

def Kernel_Dialect : Dialect {
  let name = "kernel";
  let cppNamespace = "::tilec::kernel";
  let summary = "the device vocabulary: one op for each function a kernel may call";
  let description = [{
    One thread's program, together with upstream `scf.if`, `arith`, `math`, and
    loads and stores of `memref`. Memrefs are flat by this level: layouts have
    become address arithmetic. Global memory is `memref<?xT>`; constant memory, shared memory and
    register arrays carry `#tile.level<constant>`, `#tile.level<smem>` and `#tile.level<rf>`.

    The function, its loops, its arrays and the parts of a block with roles of
    their own are ops whose attributes say all that the text says: no attribute
    of another kind changes what is printed.

    Every other op is one call of one function of the vocabulary, which is one
    instruction or a short fixed sequence. The record of the op is the only place
    where the function is defined: its name, its prototype, its CUDA text and the
    lowest architecture. The emulator implements the same prototypes.
  }];
  let dependentDialects = ["::tilec::tile::TileDialect"];
  let useDefaultTypePrinterParser = 1;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

class Kernel_MemRef<Type type, string check, string what>
    : ConfinedType<type, [CPred<"::tilec::kernel::" # check # "($_self)">], what, "::mlir::MemRefType">;

class Kernel_GlobalMemRef<Type type = AnyMemRef> : Kernel_MemRef<type, "isGlobal", "memref in global memory">;
class Kernel_ConstantMemRef<Type type = AnyMemRef> : Kernel_MemRef<type, "isConstant", "memref in constant memory">;
class Kernel_SharedMemRef<Type type = AnyMemRef> : Kernel_MemRef<type, "isShared", "memref in shared memory">;
class Kernel_RegisterMemRef<Type type = AnyMemRef> : Kernel_MemRef<type, "isInRegisters", "memref in registers">;

def Kernel_Global : Kernel_GlobalMemRef<>;
def Kernel_Constant : Kernel_ConstantMemRef<>;
def Kernel_Shared : Kernel_SharedMemRef<>;
def Kernel_RegisterArray : Kernel_RegisterMemRef<>;

def Kernel_AddedInMemory : Type<CPred<"::tilec::kernel::isAddedInMemory($_self)">, "f32, f64 or i32">;

// Registers are MLIR's default resource, since loads and stores of them are those of `memref`. An effect on shared memory
// with a value is an access to that array; without one it orders accesses.
def Kernel_GlobalMemory : Resource<"::tilec::kernel::GlobalMemory">;
def Kernel_SharedMemory : Resource<"::tilec::kernel::SharedMemory">;
def Kernel_ConstantMemory : Resource<"::tilec::kernel::ConstantMemory">;
/// Phases of mbarriers and of groups of asynchronous copies.
def Kernel_Phases : Resource<"::tilec::kernel::Phases">;
/// What threads hold together: lanes in a shuffle, warps that deal out registers.
def Kernel_Threads : Resource<"::tilec::kernel::Threads">;

// What a function does to the memory that it is given.
def Kernel_GlobalRead : Arg<Kernel_Global, "", [MemRead<Kernel_GlobalMemory>]>;
def Kernel_GlobalWrite : Arg<Kernel_Global, "", [MemWrite<Kernel_GlobalMemory>]>;
class Kernel_GlobalUpdate<Type type> : Arg<type, "", [MemRead<Kernel_GlobalMemory>, MemWrite<Kernel_GlobalMemory>]>;
def Kernel_ConstantRead : Arg<Kernel_Constant, "", [MemRead<Kernel_ConstantMemory>]>;
def Kernel_SharedRead : Arg<Kernel_Shared, "", [MemRead<Kernel_SharedMemory>]>;
def Kernel_SharedWrite : Arg<Kernel_Shared, "", [MemWrite<Kernel_SharedMemory>]>;
def Kernel_SharedUpdate : Arg<Kernel_Shared, "", [MemRead<Kernel_SharedMemory>, MemWrite<Kernel_SharedMemory>]>;
def Kernel_RegisterRead : Arg<Kernel_RegisterArray, "", [MemRead]>;
def Kernel_RegisterWrite : Arg<Kernel_RegisterArray, "", [MemWrite]>;
defvar Kernel_Indices = Variadic<AnySignlessIntegerOrIndex>;

/// Nothing that accesses memory moves across.
def Kernel_Orders : MemoryEffects<[
    MemRead<Kernel_GlobalMemory>, MemWrite<Kernel_GlobalMemory>, MemRead<Kernel_SharedMemory>, MemWrite<Kernel_SharedMemory>]>;

/// The loop on threads whose iteration the op belongs to: accesses of one loop are each thread's own (rule I1). 0 for
/// none, -1 where lanes of a warp execute an iteration together.
defvar Kernel_ThreadLoop = ConfinedAttr<DefaultValuedAttr<I64Attr, "0">, [IntMinValue<-1>]>;
class ThreadLoopFormat {
  string text = "(`thread_loop` $threadLoop^)?";
}

//===----------------------------------------------------------------------===//
// The vocabulary
//===----------------------------------------------------------------------===//

/// Whose accesses to memory a function orders: nobody's, of its own thread, of the warp, of a group of warps, of the whole block,
/// of who waits for a phase of an mbarrier, of the cluster, of the grid, of what its warpgroup or thread has asked for and hardware does
/// meanwhile.
class Order;
def OrderNone : Order;
def OrderThread : Order;
def OrderWarp : Order;
def OrderGroup : Order;
def OrderBlock : Order;
def OrderPhase : Order;
def OrderCluster : Order;
def OrderGrid : Order;
def OrderAsync : Order;

def VocabularyOrder : GenericEnum {
  let FilterClass = "Order";
}

/// The columns of the vocabulary table.
class VocabularyEntry<string functionName> {
  string function = functionName;
  /// Declaration without attributes, as the emulator has it too; a template may
  /// be explicitly instantiated from it.
  string prototype = "";
  /// CUDA C++ definition; the text put in front of a kernel that calls it.
  code device = [{}];
  /// What the function does in the emulator: its body, which calls the functions of the run-time (RuntimeFunctions.td) through
  /// `table`, with the line of the call as `site`. Of what is no function, a macro or a type, the text.
  string emulator = "";
  /// Memory serves lanes of a warp together that call the function in the same iterations of the loops around it, which are
  /// `position()` in the body.
  bit perWarp = 0;
  /// Each call by a thread has the same result.
  bit constant = 0;
  Order order = OrderNone;
  /// What it does to memory, besides what its operands say.
  list<Trait> effects = !if(!eq(order, OrderNone), []<Trait>, [Kernel_Orders]);
  /// Lowest compute capability times ten.
  bits<8> lowestArch = 75;
  /// Only in the architecture's own variant: sm_90a, not sm_90.
  bit archSpecific = 0;
  assert !not(!empty(emulator)), "'" # functionName # "' has no body for the emulator";
  code host = [{R"cpp(}] # emulator # [{)cpp"}];
}

def VocabularyTable : GenericTable {
  let FilterClass = "VocabularyEntry";
  let CppTypeName = "VocabularyEntry";
  let Fields = ["function", "prototype", "device", "host", "perWarp", "constant", "order", "lowestArch", "archSpecific"];
  string TypeOf_order = "VocabularyOrder";
}

/// An op of the vocabulary. Arguments of the call are the operands in order; a
/// memref operand takes the following group of indices and is passed as the
/// address of that element.
class Kernel_Op<string mnemonic, string functionName, list<Trait> own = []>
    : Op<Kernel_Dialect, mnemonic>, VocabularyEntry<functionName> {
  /// The interface of calls, with the methods that the op has of its own.
  Trait call = VocabularyCallInterface;
  let traits = !listconcat(own, [call], effects);
  /// Values of the template arguments, in C++.
  string templateArguments = "";
  let extraClassDeclaration = [{
    static ::llvm::StringRef getFunctionName() { return "}] # functionName # [{"; }
  }] # !if(!empty(templateArguments), "",
           "::llvm::SmallVector<int64_t> getTemplateArguments() { return {" # templateArguments # "}; }");
}

#endif
