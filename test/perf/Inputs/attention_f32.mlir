// softmax(s Q K^T) V in f32 for 64 numbers a token.
func.func @attention(%q: tensor<?x?x64xf32>, %k: tensor<?x?x64xf32>, %v: tensor<?x?x64xf32>) -> tensor<?x?x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %q, %c0 : tensor<?x?x64xf32>
  %n = tensor.dim %q, %c1 : tensor<?x?x64xf32>
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.125 : f32
  %s_e = tensor.empty(%b, %n, %n) : tensor<?x?x?xf32>
  %s_f = linalg.fill ins(%zero : f32) outs(%s_e : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.batch_matmul indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>]
      ins(%q, %k : tensor<?x?x64xf32>, tensor<?x?x64xf32>) outs(%s_f : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %x_e = tensor.empty(%b, %n, %n) : tensor<?x?x?xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<?x?x?xf32>) outs(%x_e : tensor<?x?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.mulf %a, %scale : f32
    linalg.yield %r : f32
  } -> tensor<?x?x?xf32>
  %w_e = tensor.empty(%b, %n, %n) : tensor<?x?x?xf32>
  %w = linalg.softmax dimension(2) ins(%x : tensor<?x?x?xf32>) outs(%w_e : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %y_e = tensor.empty(%b, %n) : tensor<?x?x64xf32>
  %y_f = linalg.fill ins(%zero : f32) outs(%y_e : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %y = linalg.batch_matmul ins(%w, %v : tensor<?x?x?xf32>, tensor<?x?x64xf32>) outs(%y_f : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %y : tensor<?x?x64xf32>
}
