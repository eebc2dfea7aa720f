// The same of bf16, 64 images, added up in f32 and rounded.
func.func @filter_half(%x: tensor<64x58x58x128xbf16>, %w: tensor<3x3x128x128xbf16>) -> tensor<64x56x56x128xbf16> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x56x56x128xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x56x56x128xf32>) -> tensor<64x56x56x128xf32>
  %sums = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<64x58x58x128xbf16>, tensor<3x3x128x128xbf16>) outs(%zeros : tensor<64x56x56x128xf32>) -> tensor<64x56x56x128xf32>
  %out = tensor.empty() : tensor<64x56x56x128xbf16>
  %rounded = linalg.generic {indexing_maps = [affine_map<(n, h, w, f) -> (n, h, w, f)>, affine_map<(n, h, w, f) -> (n, h, w, f)>],
                             iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%sums : tensor<64x56x56x128xf32>) outs(%out : tensor<64x56x56x128xbf16>) {
  ^bb0(%s: f32, %o: bf16):
    %r = arith.truncf %s : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<64x56x56x128xbf16>
  return %rounded : tensor<64x56x56x128xbf16>
}
