"""Nests of one product C = A B in many mappings, good and bad, for measuring how well times are predicted.

A mapping is a form and what it leaves open, as in "plain bm=64 bn=64 bk=16 tm=4 tn=4 stages=2 raster=grouped:8". Forms:

  naive   a thread computes one element of C from where A and B lie: bm, bn (a block's threads)
  smem    blocks stage tiles in shared memory, a thread computes one element: bm, bn, bk
  plain   a thread computes tm x tn elements that lie together: bm, bn, bk, tm, tn
  quads   a thread computes qm x qn tiles of tm x tn elements that lie apart, its registers are filled one step ahead
  warps   warps of wm x wn, lanes in Z-order, 4x4 tiles a thread (wm * wn / 512 of them); rows of A, B and C are dense

All take stages (1: copy, barrier, compute), raster (row, column, grouped:N) and layout of A in shared memory: rows (as it
lies in memory), padded (rows of bk + pad elements) or columns (k by k, bm + pad elements apart).
"""

from mapping_words import parse_form

COMMON = {"stages": 1, "raster": "row", "layout": "rows", "pad": 4}
KNOWN = {
    "naive": {**COMMON, "bm": 16, "bn": 16},
    "smem": {**COMMON, "bm": 32, "bn": 32, "bk": 32},
    "plain": {**COMMON, "bm": 64, "bn": 64, "bk": 16, "tm": 4, "tn": 4, "lanes": "row"},
    "quads": {**COMMON, "bm": 128, "bn": 128, "bk": 16, "tm": 4, "tn": 4, "qm": 2, "qn": 2},
    "warps": {**COMMON, "bm": 128, "bn": 256, "bk": 16, "wm": 64, "wn": 64},
}


def header(dense):
    strides = "?, 1" if dense else "?, ?"
    return f"!G = memref<?x?xf32, strided<[{strides}]>>\n"


def kernel(form, v, body, types, dense=False):
    raster = v["raster"].replace(":", " = ")
    lines = "\n".join("    " + line if line else "" for line in body)
    return f"""// Made by test/perf/gemm_nests.py.
{header(dense)}{types}
tile.kernel @{form}(%A: !G[%M, %K], %B: !G[%K, %N], %C: !G[%M, %N], %M: index, %N: index, %K: index)
    dataflow(output_stationary) {{
  tile.for (%m0, %n0) in (%M, %N) by ({v["bm"]}, {v["bn"]}) at dram on block raster({raster}) {{
{lines}
  }}
}}
"""


def tile(name, rows, columns, level, layout=""):
    return f"!{name} = memref<{rows}x{columns}xf32{layout}, #tile.level<{level}>>\n"


def shared_tiles(v):
    bm, bk, pad = v["bm"], v["bk"], v["pad"]
    layouts = {
        "rows": "",
        "padded": f', #tile.layout<"({bm},{bk}):({bk + pad},1)">',
        "columns": f', #tile.layout<"({bm},{bk}):(1,{bm + pad})">',
    }
    if v["layout"] not in layouts:
        raise ValueError(f"unknown layout '{v['layout']}'; known are {', '.join(layouts)}")
    return tile("sA", bm, bk, "smem", layouts[v["layout"]]) + tile("sB", bk, v["bn"], "smem")


def staged(v, inner):
    """The body of a block that walks k through shared memory."""
    pipeline = f" pipeline({v['stages']})" if v["stages"] > 1 else ""
    return [
        "%c = tile.hold init(0.0 : f32) : !c",
        f"tile.for (%k0) in (%K) by ({v['bk']}) at dram{pipeline} {{",
        "  %sA = tile.stage %A[%m0, %k0] : !G to !sA",
        "  %sB = tile.stage %B[%k0, %n0] : !G to !sB",
        *("  " + line for line in inner),
        "}",
        "tile.store %c to %C[%m0, %n0] : !c to !G",
    ]


def naive(v):
    types = "!e = memref<1x1xf32, strided<[?, ?], offset: ?>>\n" + tile("r", 1, 1, "rf")
    body = [
        f"tile.for (%m, %n) in ({v['bm']}, {v['bn']}) by (1, 1) at dram on thread {{",
        "  %c = tile.hold init(0.0 : f32) : !r",
        "  tile.for (%k) in (%K) by (1) at dram {",
        "    %a = tile.part %A[%m0 + %m, %k] : !G to !e",
        "    %b = tile.part %B[%k, %n0 + %n] : !G to !e",
        "    linalg.matmul ins(%a, %b : !e, !e) outs(%c : !r)",
        "  }",
        "  tile.store %c to %C[%m0 + %m, %n0 + %n] : !r to !G",
        "}",
    ]
    return kernel("naive", v, body, types)


def smem(v):
    bm, bn, bk = v["bm"], v["bn"], v["bk"]
    strides = {"rows": (bk, 1), "padded": (bk + v["pad"], 1), "columns": (1, bm + v["pad"])}[v["layout"]]
    types = shared_tiles(v) + tile("a", 1, bk, "smem", f", strided<[{strides[0]}, {strides[1]}], offset: ?>")
    types += tile("b", bk, 1, "smem", f", strided<[{bn}, 1], offset: ?>")
    types += tile("r", 1, 1, "rf") + tile("c", bm, bn, "rf")
    inner = [
        f"tile.for (%m, %n) in ({bm}, {bn}) by (1, 1) at smem on thread {{",
        "  %a = tile.part %sA[%m, 0] : !sA to !a",
        "  %b = tile.part %sB[0, %n] : !sB to !b",
        "  %r = tile.part %c[%m, %n] : !c to !r",
        "  linalg.matmul ins(%a, %b : !a, !b) outs(%r : !r)",
        "}",
    ]
    return kernel("smem", v, staged(v, inner), types)


def plain(v):
    bm, bn, tm, tn = v["bm"], v["bn"], v["tm"], v["tn"]
    types = shared_tiles(v) + tile("c", bm, bn, "rf") + tile("rA", tm, 1, "rf") + tile("rB", 1, tn, "rf")
    types += tile("r", tm, tn, "rf")
    # The last induction variable runs along the lanes of a warp.
    loop = (f"(%m1, %n1) in ({bm}, {bn}) by ({tm}, {tn})" if v["lanes"] == "row" else
            f"(%n1, %m1) in ({bn}, {bm}) by ({tn}, {tm})")
    inner = [
        f"tile.for {loop} at smem on thread {{",
        "  %r = tile.part %c[%m1, %n1] : !c to !r",
        f"  tile.for (%k1) in ({v['bk']}) by (1) at smem {{",
        "    %rA = tile.stage %sA[%m1, %k1] : !sA to !rA",
        "    %rB = tile.stage %sB[%k1, %n1] : !sB to !rB",
        "    linalg.matmul ins(%rA, %rB : !rA, !rB) outs(%r : !r)",
        "  }",
        "}",
    ]
    return kernel("plain", v, staged(v, inner), types)


def quads(v):
    bm, bn, tm, tn = v["bm"], v["bn"], v["tm"], v["tn"]
    hm, hn = bm // v["qm"], bn // v["qn"]
    types = shared_tiles(v) + tile("c", bm, bn, "rf") + tile("rA", bm, 1, "rf") + tile("rB", 1, bn, "rf")
    types += tile("a", tm, 1, "rf") + tile("b", 1, tn, "rf") + tile("q", tm, tn, "rf")
    inner = [
        f"tile.for (%k1) in ({v['bk']}) by (1) at smem pipeline(2) {{",
        "  %rA = tile.stage %sA[0, %k1] : !sA to !rA",
        "  %rB = tile.stage %sB[%k1, 0] : !sB to !rB",
        f"  tile.for (%mq, %nq) in ({bm}, {bn}) by ({hm}, {hn}) at rf on unroll {{",
        f"    tile.for (%m1, %n1) in ({hm}, {hn}) by ({tm}, {tn}) at rf on thread {{",
        "      %a = tile.part %rA[%mq + %m1, 0] : !rA to !a",
        "      %b = tile.part %rB[0, %nq + %n1] : !rB to !b",
        "      %q = tile.part %c[%mq + %m1, %nq + %n1] : !c to !q",
        "      linalg.matmul ins(%a, %b : !a, !b) outs(%q : !q)",
        "    }",
        "  }",
        "}",
    ]
    return kernel("quads", v, staged(v, inner), types)


def warps(v):
    bm, bn, wm, wn = v["bm"], v["bn"], v["wm"], v["wn"]
    types = shared_tiles(v) + tile("c", bm, bn, "rf") + tile("cw", wm, wn, "rf")
    types += tile("rA", wm, 1, "rf") + tile("rB", 1, wn, "rf")
    types += tile("a", 4, 1, "rf") + tile("b", 1, 4, "rf") + tile("q", 4, 4, "rf")
    inner = [
        f"tile.for (%mw, %nw) in ({bm}, {bn}) by ({wm}, {wn}) at smem on warp {{",
        "  %cw = tile.part %c[%mw, %nw] : !c to !cw",
        f"  tile.for (%k1) in ({v['bk']}) by (1) at smem on unroll {{",
        "    %rA = tile.stage %sA[%mw, %k1] : !sA to !rA",
        "    %rB = tile.stage %sB[%k1, %nw] : !sB to !rB",
        f"    tile.for (%nu, %mu) in ({wn}, {wm}) by (32, 16) at rf on unroll {{",
        "      tile.for (%nt) in (32) by (8) at rf on thread {",
        "        tile.for (%mt) in (16) by (4) at rf on thread {",
        "          tile.for (%nz) in (8) by (4) at rf on thread {",
        "            %a = tile.part %rA[%mu + %mt, 0] : !rA to !a",
        "            %b = tile.part %rB[0, %nu + %nt + %nz] : !rB to !b",
        "            %q = tile.part %cw[%mu + %mt, %nu + %nt + %nz] : !cw to !q",
        "            linalg.matmul ins(%a, %b : !a, !b) outs(%q : !q)",
        "          }",
        "        }",
        "      }",
        "    }",
        "  }",
        "}",
    ]
    return kernel("warps", v, staged(v, inner), types, dense=True)


def nest(words):
    """The text of a mapping's nest."""
    form, values = parse_form(words, KNOWN)
    return {"naive": naive, "smem": smem, "plain": plain, "quads": quads, "warps": warps}[form](values)


def small_shape(words):
    """Extents around the edges of a mapping's tiles: two blocks and a bit each way, two stages and a bit."""
    _, v = parse_form(words, KNOWN)
    return f"m={v['bm'] + 3},n={v['bn'] + 5},k={2 * v.get('bk', 8) + 1}"
