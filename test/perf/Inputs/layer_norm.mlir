// Layer norm of rows, as frameworks write it out; the reciprocal of the length is a constant, which takes the same time.
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#one = affine_map<(d0) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
func.func @layer_norm(%x: tensor<?x?xf32>, %gain: tensor<?xf32>, %bias: tensor<?xf32>, %eps: f32) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %s0 = tensor.dim %x, %c0 : tensor<?x?xf32>
  %c1 = arith.constant 1 : index
  %s1 = tensor.dim %x, %c1 : tensor<?x?xf32>
  %zero = arith.constant 0.0 : f32
  %er = tensor.empty(%s0) : tensor<?xf32>
  %eo = tensor.empty(%s0, %s1) : tensor<?x?xf32>
  %inv = arith.constant 0.125 : f32
  %v1 = linalg.fill ins(%zero : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %v2 = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xf32>) outs(%v1 : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %b, %a : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %v3 = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%v2 : tensor<?xf32>) outs(%er : tensor<?xf32>) {
  ^bb0(%i0: f32, %o: f32):
    %r = arith.mulf %i0, %inv : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %v4 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %v3 : tensor<?x?xf32>, tensor<?xf32>) outs(%eo : tensor<?x?xf32>) {
  ^bb0(%i0: f32, %i1: f32, %o: f32):
    %r = arith.subf %i0, %i1 : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %v5 = linalg.fill ins(%zero : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %v6 = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%v4 : tensor<?x?xf32>) outs(%v5 : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %d = arith.mulf %a, %a : f32
    %r = arith.addf %b, %d : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %v7 = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%v6 : tensor<?xf32>) outs(%er : tensor<?xf32>) {
  ^bb0(%i0: f32, %o: f32):
    %v = arith.mulf %i0, %inv : f32
    %w = arith.addf %v, %eps : f32
    %r = math.rsqrt %w : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %v8 = linalg.generic {indexing_maps = [#all, #row, #column, #column, #all], iterator_types = ["parallel", "parallel"]} ins(%v4, %v7, %gain, %bias : tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) outs(%eo : tensor<?x?xf32>) {
  ^bb0(%i0: f32, %i1: f32, %i2: f32, %i3: f32, %o: f32):
    %p = arith.mulf %i0, %i1 : f32
    %g = arith.mulf %p, %i2 : f32
    %r = arith.addf %g, %i3 : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  return %v8 : tensor<?x?xf32>
}

