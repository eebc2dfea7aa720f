// 64 products of bf16, added up in f32 and rounded, as a layer of attention has them: c[b, m, n] = a[b, m, k] * w[b, k, n].
!H = memref<?x?x?xbf16>
!F = memref<?x?x?xf32>
#id = affine_map<(b, m, n) -> (b, m, n)>
tile.kernel @batches(%A: !H[%B, %M, %K], %W: !H[%B, %K, %N], %C: !H[%B, %M, %N], %B: index, %M: index, %N: index, %K: index) {
  %zero = arith.constant 0.0 : f32
  %S = memref.alloc(%B, %M, %N) : !F
  linalg.fill ins(%zero : f32) outs(%S : !F)
  linalg.batch_matmul ins(%A, %W : !H, !H) outs(%S : !F)
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%S : !F) outs(%C : !H) {
  ^bb0(%x: f32, %o: bf16):
    %r = arith.truncf %x : f32 to bf16
    linalg.yield %r : bf16
  }
}
