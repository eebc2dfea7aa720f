// One thread follows next[next[...]] for N steps: what a load is waited for. Kernel IR, since no nest reads a place that it has read from memory.
kernel.func @chase(%next: memref<?xi32>, %last: memref<?xi32>, %N: index) reads(%next) threads(1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %at = kernel.registers init(0 : i32) : memref<i32, #tile.level<rf>>
  kernel.for %k = %c0 to %N step %c1 {
    %place = memref.load %at[] : memref<i32, #tile.level<rf>>
    %element = arith.extsi %place : i32 to i64
    %followed = kernel.ldg %next[%element] : memref<?xi32>, i64 -> i32
    memref.store %followed, %at[] : memref<i32, #tile.level<rf>>
  }
  %end = memref.load %at[] : memref<i32, #tile.level<rf>>
  %first = arith.constant 0 : i64
  kernel.stg %end, %last[%first] : i32, memref<?xi32>, i64
  kernel.return
}
