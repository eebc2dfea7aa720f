//===- PipelineOps.td - Pipelines of slots ------------------*- tablegen -*-===//
//
// Copies ahead of their use, before it is said by which instructions threads wait
// for them. `kernel-lower-pipelines` makes groups of cp.async of a pipeline, or
// mbarriers with their phases.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_KERNEL_PIPELINEOPS_TD
#define TILEC_KERNEL_PIPELINEOPS_TD

include "tilec/Kernel/BarrierOps.td"
include "tilec/Kernel/KernelDialect.td"
include "mlir/IR/AttrTypeBase.td"

def Kernel_Pipeline : TypeDef<Kernel_Dialect, "Pipeline"> {
  let mnemonic = "pipeline";
  let summary = "slots of shared memory that are filled and read in turn";
}

def Kernel_Turn : TypeDef<Kernel_Dialect, "Turn"> {
  let mnemonic = "turn";
  let summary = "the slot of a pipeline whose turn it is for a thread";
}

class Kernel_PipelineOp<string mnemonic, list<Trait> traits = []> : Op<Kernel_Dialect, "pipeline_" # mnemonic, traits> {
  let hasVerifier = 1;
}

def Kernel_PipelineCreateOp : Kernel_PipelineOp<"create", [AttrSizedOperandSegments]> {
  let summary = "a pipeline, all of whose slots are empty";
  let description = [{
    ```mlir
    %p = kernel.pipeline_create slots(3)
    %q = kernel.pipeline_create slots(4) full(%full, 129) empty(%empty, 2) : memref<4xi64, #tile.level<smem>>, memref<4xi64, #tile.level<smem>>
    %r = kernel.pipeline_create slots(4) full(%full, 1) empty(%empty, 4) order(%order, 4 : memref<2xi64, #tile.level<smem>>)
         : memref<4xi64, #tile.level<smem>>, memref<4xi64, #tile.level<smem>>
    ```

    The threads of `%p` fill its slots and read them: a slot is filled in the
    iteration after the one that has read it, and the barrier that makes copies
    visible in between is placed by `tile-place-barriers`. `%q` has an mbarrier
    a slot that says that it is full, after so many arrivals, and one that it is
    empty. Threads of one role fill its slots, those of another read them
    (`kernel.roles`). All threads of the block come here. In a `cluster` blocks
    fill slots of each other. Where a condition `alone` holds, one thread fills slots: it arrives
    once, with the bytes that it expects. The slots of `%r` are read by teams in turn,
    for which it has a barrier a team: it says, after so many arrivals of the team before, that it is this team's turn.
  }];
  let arguments = (ins
    ConfinedAttr<I64Attr, [IntMinValue<2>]>:$slots,
    Optional<Kernel_Mbarriers>:$full, OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$fills,
    Optional<Kernel_Mbarriers>:$empty, OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$releases, UnitAttr:$cluster,
    Optional<I1>:$alone, Optional<Kernel_Mbarriers>:$order, OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$handovers);
  let results = (outs Kernel_Pipeline:$pipeline);
  let assemblyFormat = "`slots` `(` $slots `)` (`full` `(` $full^ `,` $fills `)` `empty` `(` $empty `,` $releases `)` (`cluster` $cluster^)? (`alone` `(` $alone^ `)`)? "
                       "(`order` `(` $order^ `,` $handovers `:` type($order) `)`)? `:` type($full) `,` type($empty))? attr-dict";
  let extraClassDeclaration = [{
    /// Do threads of different roles fill and read its slots?
    bool hasRoles() { return bool(getFull()); }
    /// The teams that read its slots in turn: 1 where all threads do together.
    int64_t getTeams() { return getOrder() ? getOrder().getType().getNumElements() : 1; }
  }];
}

def Kernel_PipelineEnterOp : Kernel_PipelineOp<"enter", [AttrSizedOperandSegments]> {
  let summary = "begins with the first slot: its turn comes first for this thread";
  let description = [{
    ```mlir
    %turn = kernel.pipeline_enter %p
    %turn = kernel.pipeline_enter %p team(%team) steps(%steps)
    ```

    Where teams read slots in turn, so many steps are one team's at a time: the first one comes first for team 0, those after as many steps of
    each team before for the others.
  }];
  let arguments = (ins Kernel_Pipeline:$pipeline, Optional<Index>:$team, Optional<Index>:$steps);
  let results = (outs Kernel_Turn:$turn);
  let assemblyFormat = "$pipeline (`team` `(` $team^ `)` `steps` `(` $steps `)`)? attr-dict";
}

def Kernel_PipelineBeginOp : Kernel_PipelineOp<"begin"> {
  let summary = "waits until the team before has waited for all of its slots";
  let description = [{
    Only then do the parities of slots tell this team's fillings from earlier ones: a slot that the team before still waits for may be two
    fillings behind.
  }];
  let arguments = (ins Kernel_Turn:$turn);
  let assemblyFormat = "$turn attr-dict";
}

def Kernel_PipelineEndOp : Kernel_PipelineOp<"end"> {
  let summary = "a warp of a team has waited for all slots of its turn; after it come those of the team's next one";
  let description = "One lane arrives for the next team, where `pipeline_begin` waits. Slots may be given back later.";
  let arguments = (ins Kernel_Turn:$turn, Index:$lane);
  let assemblyFormat = "$turn `by` $lane attr-dict";
}

def Kernel_PipelineAcquireOp : Kernel_PipelineOp<"acquire"> {
  let summary = "waits for a slot to be empty, and gives its number";
  let description = [{
    ```mlir
    %slot = kernel.pipeline_acquire %turn
    %slot = kernel.pipeline_acquire %turn before %use
    ```

    The first waits for the slot whose turn it is. Threads that read what they
    fill do not wait: theirs is the slot before the one that they have waited
    for, whose readers are all done.
  }];
  let arguments = (ins Kernel_Turn:$turn, Optional<Index>:$use);
  let results = (outs Index:$slot);
  let assemblyFormat = "$turn (`before` $use^)? attr-dict";
}

def Kernel_PipelineExpectOp : Kernel_PipelineOp<"expect"> {
  let summary = "one thread's arrival for bulk copies to a slot, which may bring bytes";
  let description = [{
    `kernel.pipeline_expect %p[%slot] bytes(1024)`: the slot is not full before so
    many bytes have come. With 0 bytes it is the arrival alone.
  }];
  let arguments = (ins Kernel_Pipeline:$pipeline, Index:$slot, ConfinedAttr<I64Attr, [IntNonNegative]>:$bytes);
  let assemblyFormat = "$pipeline `[` $slot `]` `bytes` `(` $bytes `)` attr-dict";
}

def Kernel_PipelineCommitOp : Kernel_PipelineOp<"commit"> {
  let summary = "this thread has asked for all of its copies to a slot";
  let description = [{
    ```mlir
    kernel.pipeline_commit %p[%slot]
    kernel.pipeline_commit %p[%slot] stores
    kernel.pipeline_commit %p[%slot] proxy_fence
    ```

    It arrives when its copies by cp.async are there. With `stores`, where it may have stored to the slot as well, it arrives
    twice: once more for what it stored. With `proxy_fence` it waits for its copies and arrives once, so that bulk copies and
    tensor cores, which read through another proxy, see what it copied and stored.
  }];
  let arguments = (ins Kernel_Pipeline:$pipeline, Index:$slot, UnitAttr:$stores, UnitAttr:$proxy_fence);
  let assemblyFormat = "$pipeline `[` $slot `]` (`stores` $stores^)? (`proxy_fence` $proxy_fence^)? attr-dict";
}

def Kernel_PipelineWaitOp : Kernel_PipelineOp<"wait"> {
  let summary = "waits for the slot whose turn it is to be full, and gives its number";
  let description = [{
    Without roles only the thread's own copies are waited for; those of others are
    there after a barrier.
  }];
  let arguments = (ins Kernel_Turn:$turn);
  let results = (outs Index:$slot);
  let assemblyFormat = "$turn attr-dict";
}

def Kernel_PipelineSlotOp : Kernel_PipelineOp<"slot"> {
  let summary = "the slot whose turn it is, which this thread has waited for before";
  let description = "In a loop that waits for the slot of its next iteration: the one that it waited for in the iteration before.";
  let arguments = (ins Kernel_Turn:$turn);
  let results = (outs Index:$slot);
  let assemblyFormat = "$turn attr-dict";
}

def Kernel_PipelineReleaseOp : Kernel_PipelineOp<"release", [AttrSizedOperandSegments]> {
  let summary = "a warp gives a slot back that its threads have read";
  let description = [{
    ```mlir
    kernel.pipeline_release %turn[%slot] by %lane
    kernel.pipeline_release %turn[%slot] by %lane to %rank of 4
    kernel.pipeline_release %turn[%slot] by %lane late(%held : memref<index, #tile.level<rf>>)
    ```

    One lane arrives. Where `of` so many blocks fill slots of each other, that
    many do: each lane arrives at the block of its `rank`. `late` gives back
    the slot that `held` keeps, unless it is negative, and lets it keep this one: after the
    wait for a slot the loads of the one before have returned. With a constant -1 for the slot it keeps none.
  }];
  let arguments = (ins
    Kernel_Turn:$turn, Index:$slot, Index:$lane, Optional<Index>:$rank, OptionalAttr<ConfinedAttr<I64Attr, [IntMinValue<2>]>>:$blocks,
    Optional<Kernel_RegisterMemRef<MemRefRankOf<[Index], [0]>>>:$held);
  let assemblyFormat = "$turn `[` $slot `]` `by` $lane (`to` $rank^ `of` $blocks)? (`late` `(` $held^ `:` type($held) `)`)? attr-dict";
}

def Kernel_PipelineAdvanceOp : Kernel_PipelineOp<"advance"> {
  let summary = "after this slot it is the turn of the next";
  let description = "Where slots are filled by those who read them, the slot is the one that was waited for.";
  let arguments = (ins Kernel_Turn:$turn, Index:$slot);
  let assemblyFormat = "$turn `[` $slot `]` attr-dict";
}

def Kernel_PipelineDrainOp : Kernel_PipelineOp<"drain"> {
  let summary = "waits for all copies of a pipeline, and in a cluster for all blocks to be done with it";
  let arguments = (ins Kernel_Pipeline:$pipeline);
  let assemblyFormat = "$pipeline attr-dict";
}

#endif
