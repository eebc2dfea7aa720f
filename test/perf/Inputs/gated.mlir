// What follows attention in a layer of Llama's, without its norm: two products of a token's numbers, one times silu of the other, a third product, and the token's numbers added.
!x = tensor<4096x2048xf16>
!up = tensor<5632x2048xf16>
!down = tensor<2048x5632xf16>
!h = tensor<4096x5632xf16>
!sums = tensor<4096x5632xf32>
#id = affine_map<(m, n) -> (m, n)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @gated(%x: !x, %w1: !up, %w3: !up, %w2: !down) -> !x {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f16
  %e = tensor.empty() : !sums
  %f1 = linalg.fill ins(%zero : f32) outs(%e : !sums) -> !sums
  %p1 = linalg.matmul indexing_maps = [#a, #b, #c] ins(%x, %w1 : !x, !up) outs(%f1 : !sums) -> !sums
  %eh = tensor.empty() : !h
  %h1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%p1 : !sums) outs(%eh : !h) {
  ^bb0(%v: f32, %old: f16):
    %t = arith.truncf %v : f32 to f16
    linalg.yield %t : f16
  } -> !h
  %silu = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%h1 : !h) outs(%eh : !h) {
  ^bb0(%v: f16, %old: f16):
    %n = arith.negf %v : f16
    %exp = math.exp %n : f16
    %d = arith.addf %exp, %one : f16
    %s = arith.divf %v, %d : f16
    linalg.yield %s : f16
  } -> !h
  %f3 = linalg.fill ins(%zero : f32) outs(%e : !sums) -> !sums
  %p3 = linalg.matmul indexing_maps = [#a, #b, #c] ins(%x, %w3 : !x, !up) outs(%f3 : !sums) -> !sums
  %h3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%p3 : !sums) outs(%eh : !h) {
  ^bb0(%v: f32, %old: f16):
    %t = arith.truncf %v : f32 to f16
    linalg.yield %t : f16
  } -> !h
  %h = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%silu, %h3 : !h, !h) outs(%eh : !h) {
  ^bb0(%a: f16, %b: f16, %old: f16):
    %m = arith.mulf %a, %b : f16
    linalg.yield %m : f16
  } -> !h
  %ex = tensor.empty() : tensor<4096x2048xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%ex : tensor<4096x2048xf32>) -> tensor<4096x2048xf32>
  %p2 = linalg.matmul indexing_maps = [#a, #b, #c] ins(%h, %w2 : !h, !down) outs(%f2 : tensor<4096x2048xf32>) -> tensor<4096x2048xf32>
  %ey = tensor.empty() : !x
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%p2 : tensor<4096x2048xf32>) outs(%ey : !x) {
  ^bb0(%v: f32, %old: f16):
    %t = arith.truncf %v : f32 to f16
    linalg.yield %t : f16
  } -> !x
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %x : !x, !x) outs(%ey : !x) {
  ^bb0(%a: f16, %b: f16, %old: f16):
    %s = arith.addf %a, %b : f16
    linalg.yield %s : f16
  } -> !x
  return %r : !x
}
