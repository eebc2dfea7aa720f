// Rows of a table for tokens, as a model begins.
#m = affine_map<(b, t, c) -> (b, t)>
#r = affine_map<(b, t, c) -> (b, t, c)>
func.func @embedding(%w: tensor<50257x1024xbf16>, %i: tensor<8x1024xi64>) -> tensor<8x1024x1024xbf16> {
  %e = tensor.empty() : tensor<8x1024x1024xbf16>
  %r = linalg.generic {indexing_maps = [#m, #r], iterator_types = ["parallel", "parallel", "parallel"]} ins(%i : tensor<8x1024xi64>) outs(%e : tensor<8x1024x1024xbf16>) {
  ^bb0(%in: i64, %out: bf16):
    %x = arith.index_cast %in : i64 to index
    %c = linalg.index 2 : index
    %v = tensor.extract %w[%x, %c] : tensor<50257x1024xbf16>
    linalg.yield %v : bf16
  } -> tensor<8x1024x1024xbf16>
  return %r : tensor<8x1024x1024xbf16>
}
