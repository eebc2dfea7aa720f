// Planes enlarged by two, each element four times.
func.func @up(%x: tensor<16x64x64x64xf32>) -> tensor<16x64x128x128xf32> {
  %c2 = arith.constant 2 : index
  %e = tensor.empty() : tensor<16x64x128x128xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%e : tensor<16x64x128x128xf32>) {
  ^bb0(%o: f32):
    %a = linalg.index 0 : index
    %b = linalg.index 1 : index
    %c = linalg.index 2 : index
    %d = linalg.index 3 : index
    %h = arith.divsi %c, %c2 : index
    %w = arith.divsi %d, %c2 : index
    %v = tensor.extract %x[%a, %b, %h, %w] : tensor<16x64x64x64xf32>
    linalg.yield %v : f32
  } -> tensor<16x64x128x128xf32>
  return %r : tensor<16x64x128x128xf32>
}
