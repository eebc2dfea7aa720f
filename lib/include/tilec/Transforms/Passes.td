//===- Passes.td - From nests to planned nests -------------*- tablegen -*-===//

#ifndef TILEC_TRANSFORMS_PASSES_TD
#define TILEC_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def SetTargetPass : Pass<"tile-set-target", "::mlir::ModuleOp"> {
  let summary = "says what machine and sizes a module is compiled for";
  let description = [{
    Writes `tile.target` and `tile.sizes` on the module, where planning and analysing passes read them. What the
    options leave out stays as the module says it; without either the machine is `sm80`, and sizes are 4096.
    Preserves numerics: yes.
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"\"", "Machine: a built-in name or a machine file">,
    ListOption<"shape", "shape", "std::string", "Values of sizes: 'm=4096', or numbers in the order of the arguments">
  ];
}

def AnnotateReusePass : Pass<"tile-annotate-reuse", "::mlir::ModuleOp"> {
  let summary = "writes traffic and reuse beside the ops that cause them";
  let description = [{
    Each op that moves data gets `tile.traffic`: bytes delivered and leaving the
    source, local and global reuse, multicast. Each kernel gets `tile.stages`:
    what each stage must deliver and what the nest guarantees. With `remarks`,
    the same as remarks. Formulas: docs/analysis.md. Preserves numerics: yes.
  }];
  let options = [
    Option<"remarks", "remarks", "bool", /*default=*/"false", "Emit remarks as well">
  ];
}

def CheckMachinePass : Pass<"tile-check-machine", "::mlir::ModuleOp"> {
  let summary = "rejects what a machine cannot hold and warns of starvation";
  let description = [{
    Errors where a block needs more shared memory, registers or threads than the
    machine has, or a feature that it lacks; each names the op, the numbers, the
    limit's source and what would fit. A warning for each stage of a
    compute-bound kernel that starves the arithmetic units, with the smallest
    changes that would do. A warning for each bank conflict that another layout
    of the tile would avoid, and for each access whose requests leave most of the
    sectors that they touch; both name threads and addresses. Changes nothing.
  }];
  let options = [
    Option<"werror", "werror", "bool", /*default=*/"false", "Warnings of starvation and of latency are errors">
  ];
}

def PartLoopsPass : Pass<"tile-part-loops", "::mlir::ModuleOp"> {
  let summary = "parts loops of which subscripts take quotients and remainders";
  let description = [{
    A subscript may divide a sum by a number. Where one induction variable of the sum moves within multiples of the number, its loop gets
    two: one that goes over these multiples, and one that goes over what is between them. Quotient and remainder are then sums of induction variables, and no thread
    divides. What stays is the quotient of an induction variable whose loop has a dynamic extent by what divides its step, and of sizes.
    Iterations, and their order, are the same. Where the extent is no multiple of the number, there are more of them at the end, which store
    nothing, or else the division is refused (X54). With `remarks`, says which loops are parted. Preserves numerics: yes.
  }];
  let options = [Option<"remarks", "remarks", "bool", /*default=*/"false", "Emit remarks">];
}

def PlanLayoutPass : Pass<"tile-plan-layout", "::mlir::ModuleOp"> {
  let summary = "lays out staged tiles so that warps meet no bank conflicts";
  let description = [{
    A staged tile of shared memory whose type states no layout, and whose accesses
    collide in the row-major one, gets a padding or a swizzle. Candidates are held
    against all accesses of the tile, as wide as the lowering will make them; the
    best one needs fewer wavefronts and neither more instructions nor more
    sectors, fits the machine, and costs no block on an SM. Layouts that the nest
    states are kept. A tile that TMA fills and an instruction of a warpgroup reads gets rows of 128 bytes, swizzled, or
    the longest that divide its own. Parts of the tile stop stating strides. With `remarks`, says
    what was chosen and what it gains, and where conflicts remain. Preserves
    numerics: yes.
  }];
  let options = [
    Option<"remarks", "remarks", "bool", /*default=*/"false", "Emit remarks">
  ];
}

def PlanStorePass : Pass<"tile-plan-store", "::mlir::ModuleOp"> {
  let summary = "decides which tiles are stored by way of shared memory";
  let description = [{
    Writes `through` of stores of tiles that an instruction spreads over threads: slices whose rows are 128 bytes, or 64 or 32, where
    threads that stored straight from registers would write parts of sectors, the threads can part such slices and shared memory
    has room for one; else 0. Tiles that loops spread over threads get slices in the same case, where the block is alone on its SM, and
    nothing else. What the nest states is kept. Preserves numerics: yes.
  }];
  let options = [Option<"remarks", "remarks", "bool", /*default=*/"false", "Emit remarks">];
}

def PlanCopyPass : Pass<"tile-plan-copy", "::mlir::ModuleOp"> {
  let summary = "decides how tiles are copied, loaded and stored";
  let description = [{
    Writes what stages and stores leave open: the forms of a copy to shared memory in the order in which a launch is asked
    (16 bytes at a time by cp.async where the operand and the tile have them side by side and aligned), whether it asks for
    each element or once for the tile if that is present, how many rounds are written out (at edges more where tiles do not make up
    the operand at the module's sizes), how many blocks of a cluster
    part a box of TMA, and how many elements a thread loads from shared memory and stores at once, or a warp by ldmatrix. What the nest states is
    kept; it is an error if that cannot be carried out. Preserves numerics: yes.
  }];
  let options = [Option<"remarks", "remarks", "bool", /*default=*/"false", "Emit remarks">];
}

def PlanPipelinePass : Pass<"tile-plan-pipeline", "::mlir::ModuleOp"> {
  let summary = "decides where pipelined loops choose, ask for and give back copies";
  let description = [{
    Writes `choose` and `issue` of pipelined loops, whose stages state their forms (tile-plan-copy), and `release` of those
    with producers. What the nest states is kept; it is an error if that cannot be carried out. Preserves numerics: yes.
  }];
  let options = [Option<"remarks", "remarks", "bool", /*default=*/"false", "Emit remarks">];
}

def PlanComputePass : Pass<"tile-plan-compute", "::mlir::ModuleOp"> {
  let summary = "decides the order of a computation's points";
  let description = [{
    Writes `tile.instruction` and `tile.order` of computations of more than one dimension: as the dimensions are numbered. What the nest states is kept.
    Preserves numerics: yes.
  }];
  let options = [Option<"remarks", "remarks", "bool", /*default=*/"false", "Emit remarks">];
}

def PlanRasterPass : Pass<"tile-plan-raster", "::mlir::ModuleOp"> {
  let summary = "decides the order of the grid's tiles and when its last wave is cut";
  let description = [{
    Writes `raster(row)` of a grid that states no order, and the numbers of `tail(cut)`. What the nest states is kept.
    Preserves numerics: yes.
  }];
  let options = [Option<"remarks", "remarks", "bool", /*default=*/"false", "Emit remarks">];
}

def PlanSharedPass : Pass<"tile-plan-smem", "::mlir::ModuleOp"> {
  let summary = "places the arrays of shared memory";
  let description = [{
    Where a block takes more than the 48 KiB of static shared memory, each array gets
    a place in the dynamic one, written as `smem_at`: staged tiles, barriers of rings,
    scratch memory of reductions and of cut waves, in the order in which the nest comes to
    them, each at the next multiple of 128 bytes. Places that the nest states are
    kept; it is an error if only some arrays have one, or two share one. Preserves
    numerics: yes.
  }];
  let options = [Option<"remarks", "remarks", "bool", /*default=*/"false", "Emit remarks">];
}

def PlanRegistersPass : Pass<"tile-plan-registers", "::mlir::ModuleOp"> {
  let summary = "says which thread holds what of each register tile";
  let description = [{
    Tiles in rf that are declared outside of the loops on threads that use them get `spread`, the thread/value layout that these
    loops make of them. One that the nest states is verified (rule H6). A loop with producers whose other threads need more registers than
    an even share of an SM's gets `registers`, where the machine has setmaxnreg and both roles are whole warpgroups. Preserves numerics: yes.
  }];
  let options = [Option<"remarks", "remarks", "bool", /*default=*/"false", "Emit remarks">];
}

def PlanLaunchPass : Pass<"tile-plan-launch", "::mlir::ModuleOp"> {
  let summary = "says how the kernel is launched";
  let description = [{
    Writes `tile.launch` at the end of a kernel that has none: grid, threads, blocks of a cluster, shared memory, workspaces of
    cut waves and tensor maps, all as the planned loops take them, and `min_blocks(2)` where the compiler would leave an SM
    registers for one block only and takes little more than two can have (`compiler.registers.room`), and `min_blocks(1)` where shared memory has room for
    one block, which needs more than half of the registers: the compiler would keep to half by itself. Kernels that a program runs after others are `dependent` where the
    machine has such launches. One that the nest states must
    agree with them (rule L4), but for more dynamic shared memory, `min_blocks` and `dependent`, which are kept. Preserves numerics: yes.
  }];
  let options = [Option<"remarks", "remarks", "bool", /*default=*/"false", "Emit remarks">];
}

#endif
