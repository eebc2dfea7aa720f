// RUN: tilec-opt %s --split-input-file --verify-diagnostics

func.func @one_slot() {
  // expected-error@+1 {{attribute 'slots' failed to satisfy constraint: 64-bit signless integer attribute whose minimum value is 2}}
  %p = kernel.pipeline_create slots(1)
  return
}

// -----

#smem = #tile.level<smem>
func.func @barriers_of_one_kind(%full: memref<2xi64, #smem>) {
  // expected-error@+1 {{has barriers and arrivals of one kind only; it has both of both kinds, or none}}
  %p = "kernel.pipeline_create"(%full) <{slots = 2, fills = 1, operandSegmentSizes = array<i32: 1, 0, 0, 0>}> : (memref<2xi64, #smem>) -> !kernel.pipeline
  return
}

// -----

#smem = #tile.level<smem>
func.func @too_few_barriers(%full: memref<4xi64, #smem>, %empty: memref<3xi64, #smem>) {
  // expected-error@+1 {{has 4 slots and barriers of type 'memref<3xi64, #tile.level<smem>>'; it needs one a slot}}
  %p = kernel.pipeline_create slots(4) full(%full, 1) empty(%empty, 1) : memref<4xi64, #smem>, memref<3xi64, #smem>
  return
}

// -----

func.func @alone_without_barriers(%c: i1) {
  // expected-error@+1 {{has one thread that fills slots, but no barriers that it arrives at}}
  %p = "kernel.pipeline_create"(%c) <{slots = 2, operandSegmentSizes = array<i32: 0, 0, 1, 0>}> : (i1) -> !kernel.pipeline
  return
}

// -----

func.func @cluster_without_barriers() {
  // expected-error@+1 {{in a cluster needs barriers, which tell blocks about slots of each other}}
  %p = "kernel.pipeline_create"() <{slots = 2, cluster, operandSegmentSizes = array<i32: 0, 0, 0, 0>}> : () -> !kernel.pipeline
  return
}

// -----

func.func @pipeline_handed_on(%p: !kernel.pipeline) {
  // expected-error@+1 {{is of a pipeline that is handed on; pipelines are used by name}}
  %t = kernel.pipeline_enter %p
  return
}

// -----

func.func @commit_handed_on(%p: !kernel.pipeline, %slot: index) {
  // expected-error@+1 {{is of a pipeline that is handed on; pipelines are used by name}}
  kernel.pipeline_commit %p[%slot]
  return
}

// -----

func.func @stores_of_groups(%slot: index) {
  %p = kernel.pipeline_create slots(2)
  // expected-error@+1 {{has stores of a pipeline without barriers to arrive at}}
  kernel.pipeline_commit %p[%slot] stores
  return
}

// -----

func.func @fence_of_groups(%slot: index) {
  %p = kernel.pipeline_create slots(2)
  // expected-error@+1 {{has proxy_fence of a pipeline without barriers to arrive at}}
  kernel.pipeline_commit %p[%slot] proxy_fence
  return
}

// -----

func.func @turn_handed_on(%t: !kernel.turn) {
  // expected-error@+1 {{is of a turn that is handed on; turns are used by name}}
  %slot = kernel.pipeline_wait %t
  return
}

// -----

func.func @bytes_without_barriers(%slot: index) {
  %p = kernel.pipeline_create slots(2)
  // expected-error@+1 {{is of a pipeline without barriers, which count no bytes}}
  kernel.pipeline_expect %p[%slot] bytes(16)
  return
}

// -----

#smem = #tile.level<smem>
func.func @nothing_to_drain(%full: memref<2xi64, #smem>, %empty: memref<2xi64, #smem>) {
  %p = kernel.pipeline_create slots(2) full(%full, 1) empty(%empty, 1) : memref<2xi64, #smem>, memref<2xi64, #smem>
  // expected-error@+1 {{is of a pipeline whose readers wait for each slot; nothing is under way after them}}
  kernel.pipeline_drain %p
  return
}

// -----

func.func @acquire_at_its_turn() {
  %p = kernel.pipeline_create slots(2)
  %t = kernel.pipeline_enter %p
  // expected-error@+1 {{needs the slot that its own is before: its pipeline has no barriers}}
  %fill = kernel.pipeline_acquire %t
  return
}

// -----

#smem = #tile.level<smem>
func.func @acquire_before(%full: memref<2xi64, #smem>, %empty: memref<2xi64, #smem>) {
  %p = kernel.pipeline_create slots(2) full(%full, 1) empty(%empty, 1) : memref<2xi64, #smem>, memref<2xi64, #smem>
  %t = kernel.pipeline_enter %p
  %use = kernel.pipeline_wait %t
  // expected-error@+1 {{waits for its slot; it is not that before another}}
  %fill = kernel.pipeline_acquire %t before %use
  return
}

// -----

func.func @acquire_before_any(%use: index) {
  %p = kernel.pipeline_create slots(2)
  %t = kernel.pipeline_enter %p
  // expected-error@+1 {{gives the slot before one that this thread has not waited for}}
  %fill = kernel.pipeline_acquire %t before %use
  return
}

// -----

func.func @release_without_barriers(%lane: index) {
  %p = kernel.pipeline_create slots(2)
  %t = kernel.pipeline_enter %p
  %use = kernel.pipeline_wait %t
  // expected-error@+1 {{is of a pipeline without barriers, whose slots nobody waits for}}
  kernel.pipeline_release %t[%use] by %lane
  return
}

// -----

#smem = #tile.level<smem>
func.func @release_to_others(%full: memref<2xi64, #smem>, %empty: memref<2xi64, #smem>, %lane: index) {
  %p = kernel.pipeline_create slots(2) full(%full, 1) empty(%empty, 1) : memref<2xi64, #smem>, memref<2xi64, #smem>
  %t = kernel.pipeline_enter %p
  %use = kernel.pipeline_wait %t
  // expected-error@+1 {{gives a slot back to 4 blocks; its pipeline is filled by one}}
  kernel.pipeline_release %t[%use] by %lane to %lane of 4
  return
}

// -----

#smem = #tile.level<smem>
func.func @release_to_one(%full: memref<2xi64, #smem>, %empty: memref<2xi64, #smem>, %lane: index) {
  %p = kernel.pipeline_create slots(2) full(%full, 1) empty(%empty, 1) cluster : memref<2xi64, #smem>, memref<2xi64, #smem>
  %t = kernel.pipeline_enter %p
  %use = kernel.pipeline_wait %t
  // expected-error@+1 {{gives a slot back to 1 blocks; its pipeline is filled by several}}
  kernel.pipeline_release %t[%use] by %lane
  return
}

// -----

// Each role has its own turn.
#smem = #tile.level<smem>
func.func @release_of_another(%full: memref<2xi64, #smem>, %empty: memref<2xi64, #smem>, %lane: index) {
  %p = kernel.pipeline_create slots(2) full(%full, 1) empty(%empty, 1) : memref<2xi64, #smem>, memref<2xi64, #smem>
  %producer = kernel.pipeline_enter %p
  %fill = kernel.pipeline_acquire %producer
  %consumer = kernel.pipeline_enter %p
  // expected-error@+1 {{gives back a slot that this thread has not waited for}}
  kernel.pipeline_release %consumer[%fill] by %lane
  return
}

// -----

func.func @advance_past_the_filled() {
  %p = kernel.pipeline_create slots(2)
  %t = kernel.pipeline_enter %p
  %use = kernel.pipeline_wait %t
  %fill = kernel.pipeline_acquire %t before %use
  // expected-error@+1 {{passes a slot whose turn it was not}}
  kernel.pipeline_advance %t[%fill]
  return
}

// -----

#smem = #tile.level<smem>
func.func @order_without_barriers(%order: memref<2xi64, #smem>) {
  // expected-error@+1 {{has barriers for the order of teams without arrivals or without barriers of slots}}
  %p = "kernel.pipeline_create"(%order) <{slots = 2, handovers = 4, operandSegmentSizes = array<i32: 0, 0, 0, 1>}> : (memref<2xi64, #smem>) -> !kernel.pipeline
  return
}

// -----

#smem = #tile.level<smem>
func.func @order_of_one(%full: memref<2xi64, #smem>, %empty: memref<2xi64, #smem>, %order: memref<1xi64, #smem>) {
  // expected-error@+1 {{has barriers of type 'memref<1xi64, #tile.level<smem>>' for the order of teams; it needs one for each of several}}
  %p = kernel.pipeline_create slots(2) full(%full, 1) empty(%empty, 1) order(%order, 4 : memref<1xi64, #smem>) : memref<2xi64, #smem>, memref<2xi64, #smem>
  return
}

// -----

#smem = #tile.level<smem>
func.func @team_without_order(%full: memref<2xi64, #smem>, %empty: memref<2xi64, #smem>, %team: index) {
  %p = kernel.pipeline_create slots(2) full(%full, 1) empty(%empty, 1) : memref<2xi64, #smem>, memref<2xi64, #smem>
  // expected-error@+1 {{is of a team, but lacks its steps, or its pipeline has no order of teams}}
  %t = kernel.pipeline_enter %p team(%team) steps(%team)
  return
}

// -----

func.func @begin_without_team() {
  %p = kernel.pipeline_create slots(2)
  %t = kernel.pipeline_enter %p
  // expected-error@+1 {{is of a turn that no team takes}}
  kernel.pipeline_begin %t
  return
}

// -----

func.func @end_without_team(%lane: index) {
  %p = kernel.pipeline_create slots(2)
  %t = kernel.pipeline_enter %p
  // expected-error@+1 {{is of a turn that no team takes}}
  kernel.pipeline_end %t by %lane
  return
}

// -----

#smem = #tile.level<smem>
func.func @slot_with_barriers(%full: memref<2xi64, #smem>, %empty: memref<2xi64, #smem>) {
  %p = kernel.pipeline_create slots(2) full(%full, 1) empty(%empty, 1) : memref<2xi64, #smem>, memref<2xi64, #smem>
  %t = kernel.pipeline_enter %p
  // expected-error@+1 {{is of a pipeline with barriers, whose readers wait for each slot when they come to it}}
  %use = kernel.pipeline_slot %t
  return
}
