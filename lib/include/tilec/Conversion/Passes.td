//===- Passes.td - From nests to kernels -------------------*- tablegen -*-===//

#ifndef TILEC_CONVERSION_PASSES_TD
#define TILEC_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerToKernelPass : Pass<"tile-lower-to-kernel", "::mlir::ModuleOp"> {
  let summary = "lowers each nest to one thread's program";
  let description = [{
    Each `tile.kernel` becomes a `kernel.func` of the same name:
    unit loops become arithmetic on the block's and the thread's number, staged
    and held tiles become shared arrays and arrays of the thread, copies and
    computations become loops over elements with predicates at the edges. Copies
    ahead of their use are ops of a pipeline, which `kernel-lower-pipelines` lowers;
    what C++ does not compute as the nest means it is left to `kernel-lower-floats`.
    Barriers are placed by `tile-place-barriers`. Preserves numerics: yes.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect", "::tilec::kernel::KernelDialect"];
}

def LowerPipelinesPass : Pass<"kernel-lower-pipelines", "::tilec::kernel::FuncOp"> {
  let summary = "says by which instructions threads wait for slots of pipelines";
  let description = [{
    A pipeline without roles becomes groups of `cp_async` and waits for the oldest of
    them. One with roles becomes arrivals at mbarriers and waits for their
    phases; a thread keeps the slot whose turn it is and the parity of its phase in
    registers. Preserves numerics: yes.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def LowerFloatsPass : Pass<"kernel-lower-floats", "::tilec::kernel::FuncOp"> {
  let summary = "says by which functions a kernel computes what C++ has no operator for";
  let description = [{
    Each op on f16 and bf16 computes in f32, and rounds where its result is narrow and may
    have more digits; variables, and what is widened again, stay f32;
    `arith.maximumf` and `arith.minimumf` become `kernel.max_nan` and
    `kernel.min_nan`. Preserves numerics: yes, to the bit, but for exponentials of narrow
    types, which may be the number beside the nearest.
  }];
}

def UnswitchLoopsPass : Pass<"kernel-unswitch-loops", "::tilec::kernel::FuncOp"> {
  let summary = "asks ahead of loops whether vectors can be loaded";
  let description = [{
    A loop that asks in each iteration whether an operand's address is a multiple of
    a vector's bytes is written twice: without the question, where all that it asks
    so holds, and with it where not; a single question is not asked there either. Loops
    that are written out, and those in which threads exchange something, stay as
    they are. Preserves numerics: yes.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect"];
}

def PlaceBarriersPass : Pass<"tile-place-barriers", "::tilec::kernel::FuncOp"> {
  let summary = "places the block barriers that accesses to shared memory need";
  let description = [{
    A barrier is placed before an access to a shared array that conflicts with an
    access since the last barrier: a read after a write, or a write after a
    read, around loops too. Accesses by asynchronous copies count from the wait
    that completes them. A barrier is never placed where threads may disagree
    about reaching it; there a conflict is an error. Preserves numerics: yes.
  }];
  let dependentDialects = ["::tilec::kernel::KernelDialect"];
  let statistics = [Statistic<"numBarriers", "barriers", "Number of barriers placed">];
}

#endif
