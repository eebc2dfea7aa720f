// Heads turned by positions: each half of a vector by the other.
#id = affine_map<(h, t, d) -> (h, t, d)>
#cs = affine_map<(h, t, d) -> (t, d)>
func.func @rotary(%x: tensor<64x2048x128xf32>, %cos: tensor<2048x128xf32>, %sin: tensor<2048x128xf32>) -> tensor<64x2048x128xf32> {
  %a = tensor.extract_slice %x[0, 0, 0] [64, 2048, 64] [1, 1, 1] : tensor<64x2048x128xf32> to tensor<64x2048x64xf32>
  %b = tensor.extract_slice %x[0, 0, 64] [64, 2048, 64] [1, 1, 1] : tensor<64x2048x128xf32> to tensor<64x2048x64xf32>
  %e8 = tensor.empty() : tensor<64x2048x64xf32>
  %n = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%b : tensor<64x2048x64xf32>) outs(%e8 : tensor<64x2048x64xf32>) {
  ^bb0(%i: f32, %o: f32):
    %1 = arith.negf %i : f32
    linalg.yield %1 : f32
  } -> tensor<64x2048x64xf32>
  %rot = tensor.concat dim(2) %n, %a : (tensor<64x2048x64xf32>, tensor<64x2048x64xf32>) -> tensor<64x2048x128xf32>
  %e = tensor.empty() : tensor<64x2048x128xf32>
  %r = linalg.generic {indexing_maps = [#id, #cs, #id, #cs, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %cos, %rot, %sin : tensor<64x2048x128xf32>, tensor<2048x128xf32>, tensor<64x2048x128xf32>, tensor<2048x128xf32>) outs(%e : tensor<64x2048x128xf32>) {
  ^bb0(%p: f32, %c: f32, %q: f32, %s: f32, %o: f32):
    %1 = arith.mulf %p, %c : f32
    %2 = arith.mulf %q, %s : f32
    %3 = arith.addf %1, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<64x2048x128xf32>
  return %r : tensor<64x2048x128xf32>
}
