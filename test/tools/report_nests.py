"""Small nests of many kinds for check_reports.py: products, transposes, reductions, elementwise programs, sums over blocks.

  list_nests() -> [(name, text, shape)]    shape as --shape takes it
"""

F32 = "f32"


def memref(shape, kind, level="", layout=""):
    extents = "".join(f"{extent}x" for extent in shape)
    return f"memref<{extents}{kind}{layout}{f', #tile.level<{level}>' if level else ''}>"


def product(bm, bn, bk, tm, tn, depth=1, kind=F32, raster="", sum_kind="", by_columns=False):
    """A block stages tiles of A and B, a thread computes tm x tn elements."""
    sum_kind = sum_kind or kind
    pipeline = f" pipeline({depth})" if depth > 1 else ""
    order = f" raster({raster})" if raster else ""
    layout = f', #tile.layout<"({bm},{bk}):(1,{bm + 4})">' if by_columns else ""
    return f"""
!G = {memref("??", kind, layout=", strided<[?, ?]>")}
!C = {memref("??", sum_kind, layout=", strided<[?, ?]>")}
!sA = {memref((bm, bk), kind, "smem", layout)}
!sB = {memref((bk, bn), kind, "smem")}
!c = {memref((bm, bn), sum_kind, "rf")}
!rA = {memref((tm, 1), kind, "rf")}
!rB = {memref((1, tn), kind, "rf")}
!r = {memref((tm, tn), sum_kind, "rf")}

tile.kernel @product(%A: !G[%M, %K], %B: !G[%K, %N], %C: !C[%M, %N], %M: index, %N: index, %K: index)
    dataflow(output_stationary) {{
  tile.for (%m0, %n0) in (%M, %N) by ({bm}, {bn}) at dram on block{order} {{
    %c = tile.hold init({0 if sum_kind.startswith("i") else 0.0} : {sum_kind}) : !c
    tile.for (%k0) in (%K) by ({bk}) at dram{pipeline} {{
      %sA = tile.stage %A[%m0, %k0] : !G to !sA
      %sB = tile.stage %B[%k0, %n0] : !G to !sB
      tile.for (%m1, %n1) in ({bm}, {bn}) by ({tm}, {tn}) at smem on thread {{
        %r = tile.part %c[%m1, %n1] : !c to !r
        tile.for (%k1) in ({bk}) by (1) at smem {{
          %rA = tile.stage %sA[%m1, %k1] : !sA to !rA
          %rB = tile.stage %sB[%k1, %n1] : !sB to !rB
          linalg.matmul ins(%rA, %rB : !rA, !rB) outs(%r : !r)
        }}
      }}
    }}
    tile.store %c to %C[%m0, %n0] : !c to !C
  }}
}}
"""


def naive_product(bm, bn):
    """A thread computes one element from where A and B lie."""
    return f"""
!G = memref<?x?xf32, strided<[?, ?]>>
!e = memref<1x1xf32, strided<[?, ?], offset: ?>>
!r = memref<1x1xf32, #tile.level<rf>>

tile.kernel @naive_product(%A: !G[%M, %K], %B: !G[%K, %N], %C: !G[%M, %N], %M: index, %N: index, %K: index)
    dataflow(output_stationary) {{
  tile.for (%m0, %n0) in (%M, %N) by ({bm}, {bn}) at dram on block {{
    tile.for (%m, %n) in ({bm}, {bn}) by (1, 1) at dram on thread {{
      %c = tile.hold init(0.0 : f32) : !r
      tile.for (%k) in (%K) by (1) at dram {{
        %a = tile.part %A[%m0 + %m, %k] : !G to !e
        %b = tile.part %B[%k, %n0 + %n] : !G to !e
        linalg.matmul ins(%a, %b : !e, !e) outs(%c : !r)
      }}
      tile.store %c to %C[%m0 + %m, %n0 + %n] : !r to !G
    }}
  }}
}}
"""


def stationary_product(bm, bn, bk, split=0):
    """Weight-stationary, or with k cut over blocks."""
    tiles = f"""
!G = memref<?x?xf32, strided<[?, ?]>>
!sA = {memref((bm, bk), F32, "smem")}
!sB = {memref((bk, bn), F32, "smem")}
!c = {memref((bm, bn), F32, "rf")}
!rA = memref<4x1xf32, #tile.level<rf>>
!rB = memref<1x4xf32, #tile.level<rf>>
!r = memref<4x4xf32, #tile.level<rf>>
"""
    compute = f"""tile.for (%m1, %n1) in ({bm}, {bn}) by (4, 4) at smem on thread {{
        %r = tile.part %c[%m1, %n1] : !c to !r
        tile.for (%k1) in ({bk}) by (1) at smem {{
          %rA = tile.stage %sA[%m1, %k1] : !sA to !rA
          %rB = tile.stage %sB[%k1, %n1] : !sB to !rB
          linalg.matmul ins(%rA, %rB : !rA, !rB) outs(%r : !r)
        }}
      }}"""
    head = "(%A: !G[%M, %K], %B: !G[%K, %N], %C: !G[%M, %N], %M: index, %N: index, %K: index)"
    if split:
        return f"""{tiles}
tile.kernel @split{head} dataflow(split_reduction) {{
  tile.for (%ks, %m0, %n0) in (%K, %M, %N) by ({split}, {bm}, {bn}) at dram on block {{
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k0) in ({split}) by ({bk}) at dram {{
      %sA = tile.stage %A[%m0, %ks + %k0] : !G to !sA
      %sB = tile.stage %B[%ks + %k0, %n0] : !G to !sB
      {compute}
    }}
    tile.store %c to %C[%m0, %n0] combine(add) unordered : !c to !G
  }}
}}
"""
    return f"""{tiles}
tile.kernel @weights{head} dataflow(weight_stationary) {{
  tile.for (%k0, %n0) in (%K, %N) by ({bk}, {bn}) at dram on block {{
    %sB = tile.stage %B[%k0, %n0] : !G to !sB
    tile.for (%m0) in (%M) by ({bm}) at dram {{
      %c = tile.hold init(0.0 : f32) : !c
      %sA = tile.stage %A[%m0, %k0] : !G to !sA
      {compute}
      tile.store %c to %C[%m0, %n0] combine(add) unordered : !c to !G
    }}
  }}
}}
"""


def transpose(tile, rows, pad=None):
    """Through shared memory; `pad` states a layout."""
    layout = "" if pad is None else f', #tile.layout<"({tile},{tile}):({tile + pad},1)">'
    return f"""
!G = memref<?x?xf32, strided<[?, 1]>>
!s = {memref((tile, tile), F32, "smem", layout)}
!p = memref<1x1xf32, #tile.level<smem>>
!e = memref<1x1xf32, strided<[?, 1], offset: ?>>

tile.kernel @transpose(%A: !G[%M, %N], %B: !G[%N, %M], %M: index, %N: index) {{
  tile.for (%i0, %j0) in (%M, %N) by ({tile}, {tile}) at dram on block {{
    %s = tile.stage %A[%i0, %j0] : !G to !s
    tile.for (%q) in ({tile}) by ({rows}) at smem on unroll {{
      tile.for (%j1, %i1) in ({rows}, {tile}) by (1, 1) at smem on thread {{
        %p = tile.part %s[%i1, %q + %j1] : !s to !p
        %b = tile.part %B[%j0 + %q + %j1, %i0 + %i1] : !G to !e
        linalg.transpose ins(%p : !p) outs(%b : !e) permutation = [1, 0]
      }}
    }}
  }}
}}
"""


def naive_transpose(tile, rows, lanes="ij"):
    loop = f"(%i1, %j1) in ({rows}, {tile})" if lanes == "ij" else f"(%j1, %i1) in ({tile}, {rows})"
    return f"""
!G = memref<?x?xf32, strided<[?, 1]>>
!e = memref<1x1xf32, strided<[?, 1], offset: ?>>

tile.kernel @naive_transpose(%A: !G[%M, %N], %B: !G[%N, %M], %M: index, %N: index) {{
  tile.for (%i0, %j0) in (%M, %N) by ({tile}, {tile}) at dram on block {{
    tile.for (%q) in ({tile}) by ({rows}) at dram on unroll {{
      tile.for {loop} by (1, 1) at dram on thread {{
        %a = tile.part %A[%i0 + %q + %i1, %j0 + %j1] : !G to !e
        %b = tile.part %B[%j0 + %j1, %i0 + %q + %i1] : !G to !e
        linalg.transpose ins(%a : !e) outs(%b : !e) permutation = [1, 0]
      }}
    }}
  }}
}}
"""


def elementwise(inputs, threads, copies, operation="arith.addf", kind=F32):
    """Z = X1 op X2 ... for vectors."""
    names = [f"%X{i}" for i in range(inputs)]
    steps = threads * copies
    index = "%i0 + %q + %i1" if copies > 1 else "%i0 + %i1"
    loads = "\n".join(f"        %x{i} = tile.stage {name}[{index}] : !V to !e" for i, name in enumerate(names))
    chain = "".join(f"\n          %s{i} = {operation} %{'a0' if i == 1 else f's{i - 1}'}, %a{i} : {kind}" for i in range(1, inputs))
    scalars = ", ".join(f"%a{i}: {kind}" for i in range(inputs)) + f", %o: {kind}"
    maps = ", ".join(["affine_map<(i) -> (i)>"] * (inputs + 1))
    body = f"""{loads}
        %y = tile.hold init(0.0 : {kind}) : !e
        linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel"]}}
            ins({", ".join(f"%x{i}" for i in range(inputs))} : {", ".join(["!e"] * inputs)}) outs(%y : !e) {{
        ^bb0({scalars}):{chain}
          linalg.yield %{f's{inputs - 1}' if inputs > 1 else 'a0'} : {kind}
        }}
        tile.store %y to %Z[{index}] : !e to !V"""
    threads_loop = f"      tile.for (%i1) in ({threads}) by (1) at dram on thread {{\n{body}\n      }}"
    if copies > 1:
        threads_loop = f"    tile.for (%q) in ({steps}) by ({threads}) at dram on unroll {{\n{threads_loop}\n    }}"
    operands = ", ".join(f"{name}: !V[%N]" for name in names)
    return f"""
!V = {memref("?", kind, layout=", strided<[?]>")}
!e = {memref((1,), kind, "rf")}

tile.kernel @elementwise({operands}, %Z: !V[%N], %N: index) {{
  tile.for (%i0) in (%N) by ({steps}) at dram on block {{
{threads_loop}
  }}
}}
"""


def row_sums(threads, width):
    """The threads of a block add up one row."""
    return f"""
!G = memref<?x?xf32, strided<[?, ?]>>
!V = memref<?xf32, strided<[?]>>
!x = {memref((1, width), F32, "rf")}
!s = memref<1xf32, #tile.level<rf>>

tile.kernel @row_sums(%X: !G[%M, %N], %S: !V[%M], %M: index, %N: index) {{
  tile.for (%i) in (%M) by (1) at dram on block {{
    %s = tile.hold init(0.0 : f32) : !s
    tile.for (%j1) in ({threads * width}) by ({width}) at dram on thread reduce(add) {{
      tile.for (%j0) in (%N) by ({threads * width}) at dram {{
        %x = tile.stage %X[%i, %j0 + %j1] : !G to !x
        linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                        iterator_types = ["parallel", "reduction"]}} ins(%x : !x) outs(%s : !s) {{
        ^bb0(%a: f32, %sum: f32):
          %r = arith.addf %sum, %a : f32
          linalg.yield %r : f32
        }}
      }}
    }}
    tile.store %s to %S[%i] : !s to !V
  }}
}}
"""


def column_sums(threads, rows):
    """A thread adds up one column; blocks take `rows` rows each and add to the result."""
    return f"""
!G = memref<?x?xf32, strided<[?, ?]>>
!V = memref<?xf32, strided<[?]>>
!x = memref<1x1xf32, #tile.level<rf>>
!s = memref<1xf32, #tile.level<rf>>

tile.kernel @column_sums(%X: !G[%M, %N], %S: !V[%N], %M: index, %N: index) {{
  tile.for (%i0, %j0) in (%M, %N) by ({rows}, {threads}) at dram on block {{
    tile.for (%j) in ({threads}) by (1) at dram on thread {{
      %s = tile.hold init(0.0 : f32) : !s
      tile.for (%i) in ({rows}) by (1) at dram {{
        %x = tile.stage %X[%i0 + %i, %j0 + %j] : !G to !x
        linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>],
                        iterator_types = ["reduction", "parallel"]}} ins(%x : !x) outs(%s : !s) {{
        ^bb0(%a: f32, %sum: f32):
          %r = arith.addf %sum, %a : f32
          linalg.yield %r : f32
        }}
      }}
      tile.store %s to %S[%j0 + %j] combine(add) unordered : !s to !V
    }}
  }}
}}
"""


def list_products():
    nests = []
    for bm, bn, bk, tm, tn in [(16, 16, 16, 2, 2), (32, 32, 16, 4, 4), (32, 32, 8, 2, 2), (32, 64, 16, 4, 4), (64, 64, 16, 4, 4),
                               (64, 64, 8, 8, 8), (64, 128, 8, 8, 4), (128, 64, 16, 8, 4), (128, 128, 8, 8, 8), (128, 128, 16, 8, 8),
                               (128, 128, 32, 4, 8), (256, 128, 8, 16, 8), (64, 64, 32, 2, 4), (128, 32, 16, 4, 4)]:
        nests.append((f"product {bm}x{bn}x{bk} {tm}x{tn}", product(bm, bn, bk, tm, tn), "m=4096,n=4096,k=4096"))
    for depth in (2, 3):
        nests.append((f"product 64x64x16 pipeline {depth}", product(64, 64, 16, 4, 4, depth), "m=4096,n=4096,k=4096"))
        nests.append((f"product 128x128x16 pipeline {depth}", product(128, 128, 16, 8, 8, depth, by_columns=True), "m=2048,n=2048,k=4096"))
    for raster in ("column", "grouped = 8", "boxes = 8x8", "diagonal"):
        nests.append((f"product 64x64x16 {raster}", product(64, 64, 16, 4, 4, raster=raster), "m=8192,n=8192,k=1024"))
    nests.append(("product f64", product(32, 32, 8, 4, 4, kind="f64"), "m=2048,n=2048,k=2048"))
    nests.append(("product f16", product(128, 128, 32, 8, 8, kind="f16", sum_kind="f32"), "m=4096,n=4096,k=4096"))
    nests.append(("product bf16", product(64, 64, 32, 4, 4, kind="bf16", sum_kind="f32"), "m=4096,n=4096,k=4096"))
    nests.append(("product of few rows", product(64, 64, 16, 4, 4), "m=64,n=4096,k=4096"))
    nests.append(("product of one tile", product(64, 64, 16, 4, 4), "m=64,n=64,k=4096"))
    nests.append(("product at edges", product(64, 64, 16, 4, 4), "m=1000,n=1001,k=999"))
    nests.append(("product of short k", product(64, 64, 16, 4, 4), "m=8192,n=8192,k=64"))
    for bm, bn in ((16, 16), (8, 32), (32, 8), (4, 64)):
        nests.append((f"naive product {bm}x{bn}", naive_product(bm, bn), "m=2048,n=2048,k=2048"))
    for bm, bn, bk in ((64, 64, 16), (32, 64, 8), (128, 64, 32)):
        nests.append((f"weights {bm}x{bn}x{bk}", stationary_product(bm, bn, bk), "m=4096,n=2048,k=2048"))
    for split in (256, 1024):
        nests.append((f"split {split}", stationary_product(64, 64, 16, split), "m=256,n=256,k=16384"))
    return nests


def list_others():
    nests = []
    for tile, rows, pad in ((32, 8, None), (32, 8, 0), (32, 8, 1), (32, 32, None), (64, 4, 0), (64, 16, None), (16, 16, 0)):
        nests.append((f"transpose {tile} {rows} {pad}", transpose(tile, rows, pad), "m=8192,n=8192"))
    for tile, rows, lanes in ((32, 8, "ij"), (32, 8, "ji"), (16, 16, "ij"), (64, 4, "ji")):
        nests.append((f"naive transpose {tile} {rows} {lanes}", naive_transpose(tile, rows, lanes), "m=4096,n=4096"))
    for inputs, threads, copies in ((2, 256, 4), (2, 128, 1), (3, 256, 2), (4, 512, 4), (2, 1024, 8), (2, 32, 1)):
        nests.append((f"elementwise {inputs} {threads} {copies}", elementwise(inputs, threads, copies), "n=67108864"))
    nests.append(("elementwise f64", elementwise(2, 256, 4, kind="f64"), "n=16777216"))
    nests.append(("elementwise of few", elementwise(2, 256, 4), "n=100000"))
    for threads, width in ((256, 4), (32, 1), (1024, 4), (128, 2)):
        nests.append((f"row sums {threads} {width}", row_sums(threads, width), "m=8192,n=8192"))
    for threads, rows in ((256, 64), (64, 512)):
        nests.append((f"column sums {threads} {rows}", column_sums(threads, rows), "m=8192,n=8192"))
    return nests


def list_nests():
    return list_products() + list_others()
