// The greatest of each row, and where it is first, as exporters write it.
#i = affine_map<(m, k) -> (m, k)>
#o = affine_map<(m, k) -> (m)>
func.func @maxidx(%x: tensor<4096x32000xf32>) -> (tensor<4096xf32>, tensor<4096xi64>) {
  %ninf = arith.constant 0xFF800000 : f32
  %z = arith.constant 0 : i64
  %e = tensor.empty() : tensor<4096xf32>
  %f = linalg.fill ins(%ninf : f32) outs(%e : tensor<4096xf32>) -> tensor<4096xf32>
  %ei = tensor.empty() : tensor<4096xi64>
  %fi = linalg.fill ins(%z : i64) outs(%ei : tensor<4096xi64>) -> tensor<4096xi64>
  %r:2 = linalg.generic {indexing_maps = [#i, #o, #o], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4096x32000xf32>) outs(%f, %fi : tensor<4096xf32>, tensor<4096xi64>) {
  ^bb0(%in: f32, %m: f32, %mi: i64):
    %k = linalg.index 1 : index
    %ki = arith.index_cast %k : index to i64
    %mx = arith.maximumf %in, %m : f32
    %c = arith.cmpf ogt, %in, %m : f32
    %s = arith.select %c, %ki, %mi : i64
    linalg.yield %mx, %s : f32, i64
  } -> (tensor<4096xf32>, tensor<4096xi64>)
  return %r#0, %r#1 : tensor<4096xf32>, tensor<4096xi64>
}
