// heads.mlir for any number of tokens.
#row = affine_map<(b, t, n, k) -> (b, t, k)>
#weight = affine_map<(b, t, n, k) -> (n, k)>
#result = affine_map<(b, t, n, k) -> (b, t, n)>
#all = affine_map<(b, t, n) -> (b, t, n)>
#bias = affine_map<(b, t, n) -> (n)>
#id = affine_map<(b, h, t, s) -> (b, h, t, s)>
#query = affine_map<(b, h, t, s, d) -> (b, h, t, d)>
#key = affine_map<(b, h, t, s, d) -> (b, h, s, d)>
#score = affine_map<(b, h, t, s, d) -> (b, h, t, s)>
#share = affine_map<(b, h, t, d, s) -> (b, h, t, s)>
#value = affine_map<(b, h, t, d, s) -> (b, h, s, d)>
#sum = affine_map<(b, h, t, d, s) -> (b, h, t, d)>

func.func @heads(%x: tensor<4x?x1024xbf16>, %wa: tensor<3072x1024xbf16>, %ba: tensor<3072xbf16>, %wp: tensor<1024x1024xbf16>, %bp: tensor<1024xbf16>) -> tensor<4x?x1024xbf16> {
  %one = arith.constant 1 : index
  %len = tensor.dim %x, %one : tensor<4x?x1024xbf16>
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.125 : f32
  %never = arith.constant 0xFF800000 : f32
  // Queries, keys and values.
  %wide = tensor.empty(%len) : tensor<4x?x3072xf32>
  %wide0 = linalg.fill ins(%zero : f32) outs(%wide : tensor<4x?x3072xf32>) -> tensor<4x?x3072xf32>
  %made = linalg.generic {indexing_maps = [#row, #weight, #result], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %wa : tensor<4x?x1024xbf16>, tensor<3072x1024xbf16>) outs(%wide0 : tensor<4x?x3072xf32>) {
  ^bb0(%a: bf16, %w: bf16, %o: f32):
    %a1 = arith.extf %a : bf16 to f32
    %w1 = arith.extf %w : bf16 to f32
    %m = arith.mulf %a1, %w1 : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<4x?x3072xf32>
  %short = tensor.empty(%len) : tensor<4x?x3072xbf16>
  %qkv = linalg.generic {indexing_maps = [#all, #bias, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%made, %ba : tensor<4x?x3072xf32>, tensor<3072xbf16>) outs(%short : tensor<4x?x3072xbf16>) {
  ^bb0(%v: f32, %c: bf16, %o: bf16):
    %c1 = arith.extf %c : bf16 to f32
    %s = arith.addf %v, %c1 : f32
    %r = arith.truncf %s : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<4x?x3072xbf16>
  // Heads.
  %moved = tensor.empty(%len) : tensor<4x16x?x64xbf16>
  %q0 = tensor.extract_slice %qkv[0, 0, 0] [4, %len, 1024] [1, 1, 1] : tensor<4x?x3072xbf16> to tensor<4x?x1024xbf16>
  %q1 = tensor.expand_shape %q0 [[0], [1], [2, 3]] output_shape [4, %len, 16, 64] : tensor<4x?x1024xbf16> into tensor<4x?x16x64xbf16>
  %q = linalg.transpose ins(%q1 : tensor<4x?x16x64xbf16>) outs(%moved : tensor<4x16x?x64xbf16>) permutation = [0, 2, 1, 3]
  %k0 = tensor.extract_slice %qkv[0, 0, 1024] [4, %len, 1024] [1, 1, 1] : tensor<4x?x3072xbf16> to tensor<4x?x1024xbf16>
  %k1 = tensor.expand_shape %k0 [[0], [1], [2, 3]] output_shape [4, %len, 16, 64] : tensor<4x?x1024xbf16> into tensor<4x?x16x64xbf16>
  %k = linalg.transpose ins(%k1 : tensor<4x?x16x64xbf16>) outs(%moved : tensor<4x16x?x64xbf16>) permutation = [0, 2, 1, 3]
  %v0 = tensor.extract_slice %qkv[0, 0, 2048] [4, %len, 1024] [1, 1, 1] : tensor<4x?x3072xbf16> to tensor<4x?x1024xbf16>
  %v1 = tensor.expand_shape %v0 [[0], [1], [2, 3]] output_shape [4, %len, 16, 64] : tensor<4x?x1024xbf16> into tensor<4x?x16x64xbf16>
  %v = linalg.transpose ins(%v1 : tensor<4x?x16x64xbf16>) outs(%moved : tensor<4x16x?x64xbf16>) permutation = [0, 2, 1, 3]
  // Attention.
  %scores = tensor.empty(%len, %len) : tensor<4x16x?x?xf32>
  %scores0 = linalg.fill ins(%zero : f32) outs(%scores : tensor<4x16x?x?xf32>) -> tensor<4x16x?x?xf32>
  %qk = linalg.generic {indexing_maps = [#query, #key, #score], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<4x16x?x64xbf16>, tensor<4x16x?x64xbf16>) outs(%scores0 : tensor<4x16x?x?xf32>) {
  ^bb0(%a: bf16, %c: bf16, %o: f32):
    %a1 = arith.extf %a : bf16 to f32
    %c1 = arith.extf %c : bf16 to f32
    %m = arith.mulf %a1, %c1 : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<4x16x?x?xf32>
  %masked = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%qk : tensor<4x16x?x?xf32>) outs(%scores : tensor<4x16x?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %scaled = arith.mulf %a, %scale : f32
    %t = linalg.index 2 : index
    %u = linalg.index 3 : index
    %seen = arith.cmpi sge, %t, %u : index
    %r = arith.select %seen, %scaled, %never : f32
    linalg.yield %r : f32
  } -> tensor<4x16x?x?xf32>
  %shares = linalg.softmax dimension(3) ins(%masked : tensor<4x16x?x?xf32>) outs(%scores : tensor<4x16x?x?xf32>) -> tensor<4x16x?x?xf32>
  %narrow = tensor.empty(%len, %len) : tensor<4x16x?x?xbf16>
  %p = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%shares : tensor<4x16x?x?xf32>) outs(%narrow : tensor<4x16x?x?xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %r = arith.truncf %a : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<4x16x?x?xbf16>
  %sums = tensor.empty(%len) : tensor<4x16x?x64xf32>
  %sums0 = linalg.fill ins(%zero : f32) outs(%sums : tensor<4x16x?x64xf32>) -> tensor<4x16x?x64xf32>
  %pv = linalg.generic {indexing_maps = [#share, #value, #sum], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<4x16x?x?xbf16>, tensor<4x16x?x64xbf16>) outs(%sums0 : tensor<4x16x?x64xf32>) {
  ^bb0(%a: bf16, %c: bf16, %o: f32):
    %a1 = arith.extf %a : bf16 to f32
    %c1 = arith.extf %c : bf16 to f32
    %m = arith.mulf %a1, %c1 : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<4x16x?x64xf32>
  %y0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%pv : tensor<4x16x?x64xf32>) outs(%moved : tensor<4x16x?x64xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %r = arith.truncf %a : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<4x16x?x64xbf16>
  %back = tensor.empty(%len) : tensor<4x?x16x64xbf16>
  %y1 = linalg.transpose ins(%y0 : tensor<4x16x?x64xbf16>) outs(%back : tensor<4x?x16x64xbf16>) permutation = [0, 2, 1, 3]
  %y = tensor.collapse_shape %y1 [[0], [1], [2, 3]] : tensor<4x?x16x64xbf16> into tensor<4x?x1024xbf16>
  // And what puts heads together.
  %out = tensor.empty(%len) : tensor<4x?x1024xf32>
  %out0 = linalg.fill ins(%zero : f32) outs(%out : tensor<4x?x1024xf32>) -> tensor<4x?x1024xf32>
  %projected = linalg.generic {indexing_maps = [#row, #weight, #result], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%y, %wp : tensor<4x?x1024xbf16>, tensor<1024x1024xbf16>) outs(%out0 : tensor<4x?x1024xf32>) {
  ^bb0(%a: bf16, %w: bf16, %o: f32):
    %a1 = arith.extf %a : bf16 to f32
    %w1 = arith.extf %w : bf16 to f32
    %m = arith.mulf %a1, %w1 : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<4x?x1024xf32>
  %last = tensor.empty(%len) : tensor<4x?x1024xbf16>
  %r = linalg.generic {indexing_maps = [#all, #bias, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%projected, %bp : tensor<4x?x1024xf32>, tensor<1024xbf16>) outs(%last : tensor<4x?x1024xbf16>) {
  ^bb0(%v2: f32, %c: bf16, %o: bf16):
    %c1 = arith.extf %c : bf16 to f32
    %s = arith.addf %v2, %c1 : f32
    %n = arith.truncf %s : f32 to bf16
    linalg.yield %n : bf16
  } -> tensor<4x?x1024xbf16>
  return %r : tensor<4x?x1024xbf16>
}
