// A token's way through a layer of Llama 3 8B: queries of 32 heads, keys and values of 8, which go into caches of 4096 tokens at the place of the token; keys after it do not count.
func.func @decode(%token: tensor<1x4096xf16>, %g1: tensor<4096xf16>, %wq: tensor<4096x4096xf16>, %wk: tensor<1024x4096xf16>, %wv: tensor<1024x4096xf16>, %cosines: tensor<4096x128xf16>, %sines: tensor<4096x128xf16>, %keys: tensor<8x4096x128xf16>, %values: tensor<8x4096x128xf16>, %wo: tensor<4096x4096xf16>, %g2: tensor<4096xf16>, %w1: tensor<14336x4096xf16>, %w3: tensor<14336x4096xf16>, %w2: tensor<4096x14336xf16>, %place: tensor<i64>) -> (tensor<1x4096xf16>, tensor<8x4096x128xf16>, tensor<8x4096x128xf16>) {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %ne = arith.constant 4096.0 : f32
  %eps = arith.constant 1.0e-05 : f32
  %scale = arith.constant 0.088388348 : f32
  %number = tensor.extract %place[] : tensor<i64>
  %at = arith.index_cast %number : i64 to index
  %cos = tensor.extract_slice %cosines[%at, 0] [1, 128] [1, 1] : tensor<4096x128xf16> to tensor<1x128xf16>
  %sin = tensor.extract_slice %sines[%at, 0] [1, 128] [1, 1] : tensor<4096x128xf16> to tensor<1x128xf16>
  %t1 = tensor.empty() : tensor<1xf32>
  %t2 = linalg.fill ins(%zero : f32) outs(%t1 : tensor<1xf32>) -> tensor<1xf32>
  %t3 = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>], iterator_types = ["parallel", "reduction"]} ins(%token : tensor<1x4096xf16>) outs(%t2 : tensor<1xf32>) {
  ^bb0(%a0: f16, %a1: f32):
    %x = arith.extf %a0 : f16 to f32
    %q = arith.mulf %x, %x : f32
    %s = arith.addf %a1, %q : f32
    linalg.yield %s : f32
  } -> tensor<1xf32>
  %t4 = tensor.empty() : tensor<1x4096xf16>
  %t5 = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>, affine_map<(m, k) -> (k)>, affine_map<(m, k) -> (m, k)>], iterator_types = ["parallel", "parallel"]} ins(%token, %t3, %g1 : tensor<1x4096xf16>, tensor<1xf32>, tensor<4096xf16>) outs(%t4 : tensor<1x4096xf16>) {
  ^bb0(%a0: f16, %a1: f32, %a2: f16, %a3: f16):
    %x = arith.extf %a0 : f16 to f32
    %m = arith.divf %a1, %ne : f32
    %e = arith.addf %m, %eps : f32
    %r = math.rsqrt %e : f32
    %n = arith.mulf %x, %r : f32
    %g = arith.extf %a2 : f16 to f32
    %y = arith.mulf %n, %g : f32
    %h = arith.truncf %y : f32 to f16
    linalg.yield %h : f16
  } -> tensor<1x4096xf16>
  %t6 = tensor.empty() : tensor<1x4096xf32>
  %t7 = linalg.fill ins(%zero : f32) outs(%t6 : tensor<1x4096xf32>) -> tensor<1x4096xf32>
  %t8 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%t5, %wq : tensor<1x4096xf16>, tensor<4096x4096xf16>) outs(%t7 : tensor<1x4096xf32>) {
  ^bb0(%a0: f16, %a1: f16, %a2: f32):
    %x = arith.extf %a0 : f16 to f32
    %y = arith.extf %a1 : f16 to f32
    %z = arith.mulf %x, %y : f32
    %s = arith.addf %a2, %z : f32
    linalg.yield %s : f32
  } -> tensor<1x4096xf32>
  %t9 = tensor.empty() : tensor<1x4096xf16>
  %t10 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%t8 : tensor<1x4096xf32>) outs(%t9 : tensor<1x4096xf16>) {
  ^bb0(%a0: f32, %a1: f16):
    %x = arith.truncf %a0 : f32 to f16
    linalg.yield %x : f16
  } -> tensor<1x4096xf16>
  %t11 = tensor.expand_shape %t10 [[0], [1, 2]] output_shape [1, 32, 128] : tensor<1x4096xf16> into tensor<1x32x128xf16>
  %t12 = tensor.extract_slice %t11[0, 0, 0] [1, 32, 64] [1, 1, 1] : tensor<1x32x128xf16> to tensor<1x32x64xf16>
  %t13 = tensor.extract_slice %t11[0, 0, 64] [1, 32, 64] [1, 1, 1] : tensor<1x32x128xf16> to tensor<1x32x64xf16>
  %t14 = tensor.empty() : tensor<1x32x64xf16>
  %t15 = linalg.generic {indexing_maps = [affine_map<(m, h, d) -> (m, h, d)>, affine_map<(m, h, d) -> (m, h, d)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%t13 : tensor<1x32x64xf16>) outs(%t14 : tensor<1x32x64xf16>) {
  ^bb0(%a0: f16, %a1: f16):
    %x = arith.negf %a0 : f16
    linalg.yield %x : f16
  } -> tensor<1x32x64xf16>
  %t16 = tensor.concat dim(2) %t15, %t12 : (tensor<1x32x64xf16>, tensor<1x32x64xf16>) -> tensor<1x32x128xf16>
  %t17 = tensor.empty() : tensor<1x32x128xf16>
  %t18 = linalg.generic {indexing_maps = [affine_map<(m, h, d) -> (m, h, d)>, affine_map<(m, h, d) -> (m, h, d)>, affine_map<(m, h, d) -> (m, d)>, affine_map<(m, h, d) -> (m, d)>, affine_map<(m, h, d) -> (m, h, d)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%t11, %t16, %cos, %sin : tensor<1x32x128xf16>, tensor<1x32x128xf16>, tensor<1x128xf16>, tensor<1x128xf16>) outs(%t17 : tensor<1x32x128xf16>) {
  ^bb0(%a0: f16, %a1: f16, %a2: f16, %a3: f16, %a4: f16):
    %x = arith.mulf %a0, %a2 : f16
    %y = arith.mulf %a1, %a3 : f16
    %z = arith.addf %x, %y : f16
    linalg.yield %z : f16
  } -> tensor<1x32x128xf16>
  %t19 = tensor.empty() : tensor<1x1024xf32>
  %t20 = linalg.fill ins(%zero : f32) outs(%t19 : tensor<1x1024xf32>) -> tensor<1x1024xf32>
  %t21 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%t5, %wk : tensor<1x4096xf16>, tensor<1024x4096xf16>) outs(%t20 : tensor<1x1024xf32>) {
  ^bb0(%a0: f16, %a1: f16, %a2: f32):
    %x = arith.extf %a0 : f16 to f32
    %y = arith.extf %a1 : f16 to f32
    %z = arith.mulf %x, %y : f32
    %s = arith.addf %a2, %z : f32
    linalg.yield %s : f32
  } -> tensor<1x1024xf32>
  %t22 = tensor.empty() : tensor<1x1024xf16>
  %t23 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%t21 : tensor<1x1024xf32>) outs(%t22 : tensor<1x1024xf16>) {
  ^bb0(%a0: f32, %a1: f16):
    %x = arith.truncf %a0 : f32 to f16
    linalg.yield %x : f16
  } -> tensor<1x1024xf16>
  %t24 = tensor.expand_shape %t23 [[0], [1, 2]] output_shape [1, 8, 128] : tensor<1x1024xf16> into tensor<1x8x128xf16>
  %t25 = tensor.extract_slice %t24[0, 0, 0] [1, 8, 64] [1, 1, 1] : tensor<1x8x128xf16> to tensor<1x8x64xf16>
  %t26 = tensor.extract_slice %t24[0, 0, 64] [1, 8, 64] [1, 1, 1] : tensor<1x8x128xf16> to tensor<1x8x64xf16>
  %t27 = tensor.empty() : tensor<1x8x64xf16>
  %t28 = linalg.generic {indexing_maps = [affine_map<(m, h, d) -> (m, h, d)>, affine_map<(m, h, d) -> (m, h, d)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%t26 : tensor<1x8x64xf16>) outs(%t27 : tensor<1x8x64xf16>) {
  ^bb0(%a0: f16, %a1: f16):
    %x = arith.negf %a0 : f16
    linalg.yield %x : f16
  } -> tensor<1x8x64xf16>
  %t29 = tensor.concat dim(2) %t28, %t25 : (tensor<1x8x64xf16>, tensor<1x8x64xf16>) -> tensor<1x8x128xf16>
  %t30 = tensor.empty() : tensor<1x8x128xf16>
  %t31 = linalg.generic {indexing_maps = [affine_map<(m, h, d) -> (m, h, d)>, affine_map<(m, h, d) -> (m, h, d)>, affine_map<(m, h, d) -> (m, d)>, affine_map<(m, h, d) -> (m, d)>, affine_map<(m, h, d) -> (m, h, d)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%t24, %t29, %cos, %sin : tensor<1x8x128xf16>, tensor<1x8x128xf16>, tensor<1x128xf16>, tensor<1x128xf16>) outs(%t30 : tensor<1x8x128xf16>) {
  ^bb0(%a0: f16, %a1: f16, %a2: f16, %a3: f16, %a4: f16):
    %x = arith.mulf %a0, %a2 : f16
    %y = arith.mulf %a1, %a3 : f16
    %z = arith.addf %x, %y : f16
    linalg.yield %z : f16
  } -> tensor<1x8x128xf16>
  %t32 = tensor.empty() : tensor<1x1024xf32>
  %t33 = linalg.fill ins(%zero : f32) outs(%t32 : tensor<1x1024xf32>) -> tensor<1x1024xf32>
  %t34 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%t5, %wv : tensor<1x4096xf16>, tensor<1024x4096xf16>) outs(%t33 : tensor<1x1024xf32>) {
  ^bb0(%a0: f16, %a1: f16, %a2: f32):
    %x = arith.extf %a0 : f16 to f32
    %y = arith.extf %a1 : f16 to f32
    %z = arith.mulf %x, %y : f32
    %s = arith.addf %a2, %z : f32
    linalg.yield %s : f32
  } -> tensor<1x1024xf32>
  %t35 = tensor.empty() : tensor<1x1024xf16>
  %t36 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%t34 : tensor<1x1024xf32>) outs(%t35 : tensor<1x1024xf16>) {
  ^bb0(%a0: f32, %a1: f16):
    %x = arith.truncf %a0 : f32 to f16
    linalg.yield %x : f16
  } -> tensor<1x1024xf16>
  %t37 = tensor.expand_shape %t36 [[0], [1, 2]] output_shape [1, 8, 128] : tensor<1x1024xf16> into tensor<1x8x128xf16>
  %t38 = tensor.collapse_shape %t31 [[0, 1], [2]] : tensor<1x8x128xf16> into tensor<8x128xf16>
  %t39 = tensor.insert_slice %t38 into %keys[0, %at, 0] [8, 1, 128] [1, 1, 1] : tensor<8x128xf16> into tensor<8x4096x128xf16>
  %t40 = tensor.collapse_shape %t37 [[0, 1], [2]] : tensor<1x8x128xf16> into tensor<8x128xf16>
  %t41 = tensor.insert_slice %t40 into %values[0, %at, 0] [8, 1, 128] [1, 1, 1] : tensor<8x128xf16> into tensor<8x4096x128xf16>
  %t42 = tensor.expand_shape %t18 [[0], [1, 2], [3]] output_shape [1, 8, 4, 128] : tensor<1x32x128xf16> into tensor<1x8x4x128xf16>
  %t43 = tensor.collapse_shape %t42 [[0, 1], [2], [3]] : tensor<1x8x4x128xf16> into tensor<8x4x128xf16>
  %t44 = tensor.empty() : tensor<8x4x4096xf32>
  %t45 = linalg.fill ins(%zero : f32) outs(%t44 : tensor<8x4x4096xf32>) -> tensor<8x4x4096xf32>
  %t46 = linalg.generic {indexing_maps = [affine_map<(g, r, l, d) -> (g, r, d)>, affine_map<(g, r, l, d) -> (g, l, d)>, affine_map<(g, r, l, d) -> (g, r, l)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%t43, %t39 : tensor<8x4x128xf16>, tensor<8x4096x128xf16>) outs(%t45 : tensor<8x4x4096xf32>) {
  ^bb0(%a0: f16, %a1: f16, %a2: f32):
    %x = arith.extf %a0 : f16 to f32
    %y = arith.extf %a1 : f16 to f32
    %z = arith.mulf %x, %y : f32
    %s = arith.addf %a2, %z : f32
    linalg.yield %s : f32
  } -> tensor<8x4x4096xf32>
  %t47 = tensor.empty() : tensor<8x4x4096xf32>
  %t48 = linalg.generic {indexing_maps = [affine_map<(g, r, l) -> (g, r, l)>, affine_map<(g, r, l) -> (g, r, l)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%t46 : tensor<8x4x4096xf32>) outs(%t47 : tensor<8x4x4096xf32>) {
  ^bb0(%a0: f32, %a1: f32):
    %l = linalg.index 2 : index
    %ok = arith.cmpi sle, %l, %at : index
    %x = arith.mulf %a0, %scale : f32
    %y = arith.select %ok, %x, %least : f32
    linalg.yield %y : f32
  } -> tensor<8x4x4096xf32>
  %t49 = tensor.empty() : tensor<8x4xf32>
  %t50 = linalg.fill ins(%least : f32) outs(%t49 : tensor<8x4xf32>) -> tensor<8x4xf32>
  %t51 = linalg.generic {indexing_maps = [affine_map<(g, r, l) -> (g, r, l)>, affine_map<(g, r, l) -> (g, r)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%t48 : tensor<8x4x4096xf32>) outs(%t50 : tensor<8x4xf32>) {
  ^bb0(%a0: f32, %a1: f32):
    %x = arith.maximumf %a0, %a1 : f32
    linalg.yield %x : f32
  } -> tensor<8x4xf32>
  %t52 = tensor.empty() : tensor<8x4x4096xf32>
  %t53 = linalg.generic {indexing_maps = [affine_map<(g, r, l) -> (g, r, l)>, affine_map<(g, r, l) -> (g, r)>, affine_map<(g, r, l) -> (g, r, l)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%t48, %t51 : tensor<8x4x4096xf32>, tensor<8x4xf32>) outs(%t52 : tensor<8x4x4096xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32):
    %x = arith.subf %a0, %a1 : f32
    %y = math.exp %x : f32
    linalg.yield %y : f32
  } -> tensor<8x4x4096xf32>
  %t54 = tensor.empty() : tensor<8x4xf32>
  %t55 = linalg.fill ins(%zero : f32) outs(%t54 : tensor<8x4xf32>) -> tensor<8x4xf32>
  %t56 = linalg.generic {indexing_maps = [affine_map<(g, r, l) -> (g, r, l)>, affine_map<(g, r, l) -> (g, r)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%t53 : tensor<8x4x4096xf32>) outs(%t55 : tensor<8x4xf32>) {
  ^bb0(%a0: f32, %a1: f32):
    %x = arith.addf %a0, %a1 : f32
    linalg.yield %x : f32
  } -> tensor<8x4xf32>
  %t57 = tensor.empty() : tensor<8x4x4096xf16>
  %t58 = linalg.generic {indexing_maps = [affine_map<(g, r, l) -> (g, r, l)>, affine_map<(g, r, l) -> (g, r)>, affine_map<(g, r, l) -> (g, r, l)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%t53, %t56 : tensor<8x4x4096xf32>, tensor<8x4xf32>) outs(%t57 : tensor<8x4x4096xf16>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f16):
    %x = arith.divf %a0, %a1 : f32
    %y = arith.truncf %x : f32 to f16
    linalg.yield %y : f16
  } -> tensor<8x4x4096xf16>
  %t59 = tensor.empty() : tensor<8x4x128xf32>
  %t60 = linalg.fill ins(%zero : f32) outs(%t59 : tensor<8x4x128xf32>) -> tensor<8x4x128xf32>
  %t61 = linalg.generic {indexing_maps = [affine_map<(g, r, d, l) -> (g, r, l)>, affine_map<(g, r, d, l) -> (g, l, d)>, affine_map<(g, r, d, l) -> (g, r, d)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%t58, %t41 : tensor<8x4x4096xf16>, tensor<8x4096x128xf16>) outs(%t60 : tensor<8x4x128xf32>) {
  ^bb0(%a0: f16, %a1: f16, %a2: f32):
    %x = arith.extf %a0 : f16 to f32
    %y = arith.extf %a1 : f16 to f32
    %z = arith.mulf %x, %y : f32
    %s = arith.addf %a2, %z : f32
    linalg.yield %s : f32
  } -> tensor<8x4x128xf32>
  %t62 = tensor.empty() : tensor<8x4x128xf16>
  %t63 = linalg.generic {indexing_maps = [affine_map<(g, r, d) -> (g, r, d)>, affine_map<(g, r, d) -> (g, r, d)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%t61 : tensor<8x4x128xf32>) outs(%t62 : tensor<8x4x128xf16>) {
  ^bb0(%a0: f32, %a1: f16):
    %x = arith.truncf %a0 : f32 to f16
    linalg.yield %x : f16
  } -> tensor<8x4x128xf16>
  %t64 = tensor.collapse_shape %t63 [[0, 1, 2]] : tensor<8x4x128xf16> into tensor<4096xf16>
  %t65 = tensor.expand_shape %t64 [[0, 1]] output_shape [1, 4096] : tensor<4096xf16> into tensor<1x4096xf16>
  %t66 = tensor.empty() : tensor<1x4096xf32>
  %t67 = linalg.fill ins(%zero : f32) outs(%t66 : tensor<1x4096xf32>) -> tensor<1x4096xf32>
  %t68 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%t65, %wo : tensor<1x4096xf16>, tensor<4096x4096xf16>) outs(%t67 : tensor<1x4096xf32>) {
  ^bb0(%a0: f16, %a1: f16, %a2: f32):
    %x = arith.extf %a0 : f16 to f32
    %y = arith.extf %a1 : f16 to f32
    %z = arith.mulf %x, %y : f32
    %s = arith.addf %a2, %z : f32
    linalg.yield %s : f32
  } -> tensor<1x4096xf32>
  %t69 = tensor.empty() : tensor<1x4096xf16>
  %t70 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%t68 : tensor<1x4096xf32>) outs(%t69 : tensor<1x4096xf16>) {
  ^bb0(%a0: f32, %a1: f16):
    %x = arith.truncf %a0 : f32 to f16
    linalg.yield %x : f16
  } -> tensor<1x4096xf16>
  %t71 = tensor.empty() : tensor<1x4096xf16>
  %t72 = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m, k)>], iterator_types = ["parallel", "parallel"]} ins(%token, %t70 : tensor<1x4096xf16>, tensor<1x4096xf16>) outs(%t71 : tensor<1x4096xf16>) {
  ^bb0(%a0: f16, %a1: f16, %a2: f16):
    %x = arith.addf %a0, %a1 : f16
    linalg.yield %x : f16
  } -> tensor<1x4096xf16>
  %t73 = tensor.empty() : tensor<1xf32>
  %t74 = linalg.fill ins(%zero : f32) outs(%t73 : tensor<1xf32>) -> tensor<1xf32>
  %t75 = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>], iterator_types = ["parallel", "reduction"]} ins(%t72 : tensor<1x4096xf16>) outs(%t74 : tensor<1xf32>) {
  ^bb0(%a0: f16, %a1: f32):
    %x = arith.extf %a0 : f16 to f32
    %q = arith.mulf %x, %x : f32
    %s = arith.addf %a1, %q : f32
    linalg.yield %s : f32
  } -> tensor<1xf32>
  %t76 = tensor.empty() : tensor<1x4096xf16>
  %t77 = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>, affine_map<(m, k) -> (k)>, affine_map<(m, k) -> (m, k)>], iterator_types = ["parallel", "parallel"]} ins(%t72, %t75, %g2 : tensor<1x4096xf16>, tensor<1xf32>, tensor<4096xf16>) outs(%t76 : tensor<1x4096xf16>) {
  ^bb0(%a0: f16, %a1: f32, %a2: f16, %a3: f16):
    %x = arith.extf %a0 : f16 to f32
    %m = arith.divf %a1, %ne : f32
    %e = arith.addf %m, %eps : f32
    %r = math.rsqrt %e : f32
    %n = arith.mulf %x, %r : f32
    %g = arith.extf %a2 : f16 to f32
    %y = arith.mulf %n, %g : f32
    %h = arith.truncf %y : f32 to f16
    linalg.yield %h : f16
  } -> tensor<1x4096xf16>
  %t78 = tensor.empty() : tensor<1x14336xf32>
  %t79 = linalg.fill ins(%zero : f32) outs(%t78 : tensor<1x14336xf32>) -> tensor<1x14336xf32>
  %t80 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%t77, %w1 : tensor<1x4096xf16>, tensor<14336x4096xf16>) outs(%t79 : tensor<1x14336xf32>) {
  ^bb0(%a0: f16, %a1: f16, %a2: f32):
    %x = arith.extf %a0 : f16 to f32
    %y = arith.extf %a1 : f16 to f32
    %z = arith.mulf %x, %y : f32
    %s = arith.addf %a2, %z : f32
    linalg.yield %s : f32
  } -> tensor<1x14336xf32>
  %t81 = tensor.empty() : tensor<1x14336xf16>
  %t82 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%t80 : tensor<1x14336xf32>) outs(%t81 : tensor<1x14336xf16>) {
  ^bb0(%a0: f32, %a1: f16):
    %x = arith.truncf %a0 : f32 to f16
    linalg.yield %x : f16
  } -> tensor<1x14336xf16>
  %t83 = tensor.empty() : tensor<1x14336xf32>
  %t84 = linalg.fill ins(%zero : f32) outs(%t83 : tensor<1x14336xf32>) -> tensor<1x14336xf32>
  %t85 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%t77, %w3 : tensor<1x4096xf16>, tensor<14336x4096xf16>) outs(%t84 : tensor<1x14336xf32>) {
  ^bb0(%a0: f16, %a1: f16, %a2: f32):
    %x = arith.extf %a0 : f16 to f32
    %y = arith.extf %a1 : f16 to f32
    %z = arith.mulf %x, %y : f32
    %s = arith.addf %a2, %z : f32
    linalg.yield %s : f32
  } -> tensor<1x14336xf32>
  %t86 = tensor.empty() : tensor<1x14336xf16>
  %t87 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%t85 : tensor<1x14336xf32>) outs(%t86 : tensor<1x14336xf16>) {
  ^bb0(%a0: f32, %a1: f16):
    %x = arith.truncf %a0 : f32 to f16
    linalg.yield %x : f16
  } -> tensor<1x14336xf16>
  %t88 = tensor.empty() : tensor<1x14336xf16>
  %t89 = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m, k)>], iterator_types = ["parallel", "parallel"]} ins(%t82, %t87 : tensor<1x14336xf16>, tensor<1x14336xf16>) outs(%t88 : tensor<1x14336xf16>) {
  ^bb0(%a0: f16, %a1: f16, %a2: f16):
    %x = arith.extf %a0 : f16 to f32
    %n = arith.negf %x : f32
    %e = math.exp %n : f32
    %o = arith.constant 1.0 : f32
    %d = arith.addf %e, %o : f32
    %s = arith.divf %x, %d : f32
    %y = arith.extf %a1 : f16 to f32
    %z = arith.mulf %s, %y : f32
    %h = arith.truncf %z : f32 to f16
    linalg.yield %h : f16
  } -> tensor<1x14336xf16>
  %t90 = tensor.empty() : tensor<1x4096xf32>
  %t91 = linalg.fill ins(%zero : f32) outs(%t90 : tensor<1x4096xf32>) -> tensor<1x4096xf32>
  %t92 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%t89, %w2 : tensor<1x14336xf16>, tensor<4096x14336xf16>) outs(%t91 : tensor<1x4096xf32>) {
  ^bb0(%a0: f16, %a1: f16, %a2: f32):
    %x = arith.extf %a0 : f16 to f32
    %y = arith.extf %a1 : f16 to f32
    %z = arith.mulf %x, %y : f32
    %s = arith.addf %a2, %z : f32
    linalg.yield %s : f32
  } -> tensor<1x4096xf32>
  %t93 = tensor.empty() : tensor<1x4096xf16>
  %t94 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%t92 : tensor<1x4096xf32>) outs(%t93 : tensor<1x4096xf16>) {
  ^bb0(%a0: f32, %a1: f16):
    %x = arith.truncf %a0 : f32 to f16
    linalg.yield %x : f16
  } -> tensor<1x4096xf16>
  %t95 = tensor.empty() : tensor<1x4096xf16>
  %t96 = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m, k)>], iterator_types = ["parallel", "parallel"]} ins(%t72, %t94 : tensor<1x4096xf16>, tensor<1x4096xf16>) outs(%t95 : tensor<1x4096xf16>) {
  ^bb0(%a0: f16, %a1: f16, %a2: f16):
    %x = arith.addf %a0, %a1 : f16
    linalg.yield %x : f16
  } -> tensor<1x4096xf16>
  return %t96, %t39, %t41 : tensor<1x4096xf16>, tensor<8x4096x128xf16>, tensor<8x4096x128xf16>
}
