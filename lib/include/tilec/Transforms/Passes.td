//===- Passes.td - From nests to planned nests -------------*- tablegen -*-===//

#ifndef TILEC_TRANSFORMS_PASSES_TD
#define TILEC_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def AnnotateReusePass : Pass<"tile-annotate-reuse", "::mlir::ModuleOp"> {
  let summary = "writes traffic and reuse beside the ops that cause them";
  let description = [{
    Each op that moves data gets `tile.traffic`: bytes delivered and leaving the
    source, local and global reuse, multicast. Each kernel gets `tile.stages`:
    what each stage must deliver and what the nest guarantees. With `remarks`,
    the same as remarks. Formulas: docs/analysis.md. Preserves numerics: yes.
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"sm80\"", "Machine: a built-in name or a machine file">,
    ListOption<"shape", "shape", "std::string", "Values of sizes: 'm=4096', or numbers in the order of the arguments">,
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
    changes that would do. A warning for each bank conflict and a remark for each
    request of a warp that touches more sectors than its bytes fill; both name
    threads and addresses. Changes nothing.
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"sm80\"", "Machine: a built-in name or a machine file">,
    ListOption<"shape", "shape", "std::string", "Values of sizes: 'm=4096', or numbers in the order of the arguments">,
    Option<"werror", "werror", "bool", /*default=*/"false", "Warnings of starvation and of latency are errors">
  ];
}

#endif
