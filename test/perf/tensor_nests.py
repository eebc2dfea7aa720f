"""Nests of C = A B on tensor cores in many mappings, for measuring them beside cublasLt.

A mapping is what it leaves open, as in "bm=128 bn=256 stages=4 raster=grouped:16":

  bm, bn, bk        the tile of a block
  groups            warpgroups that multiply, one above the other: each has bm / groups rows, a multiple of 64
  teams             so many times as many warpgroups, which take a block's tiles in turn (1: together)
  registers         P:C registers of a producer's thread and of others; 0: as planned
  stages            slots of the ring
  raster            row, column, grouped:N
  cluster           MxN blocks of a cluster, which share what they copy
  split             blocks of a cluster that part k and add up what they have (without cluster)
  ab, out           types of A and B (bf16, f16) and of C (f32, or that of A)
  b                 kn: rows of B run along n; nk: along k
  release           end: an iteration's instructions are waited for; next: they run on in the next one
  blocks            persistent or plain (one tile a block)
  through           columns of a slice by way of which C is stored; 0: straight from registers
  store             threads: they store the slices; tma:N: TMA does, with N slots a warp
"""

import sys

from mapping_words import parse_values

KNOWN = {"bm": 128, "bn": 256, "bk": 64, "groups": 2, "teams": 1, "registers": "0", "stages": 4, "raster": "grouped:16", "cluster": "1x1", "split": 1, "ab": "bf16", "out": "bf16",
         "b": "kn", "release": "next", "blocks": "persistent", "through": 64, "store": "threads"}


def parse(words):
    return parse_values(words.split(), KNOWN)


def nest(v):
    ab, out, bm, bn, bk = v["ab"], v["out"], v["bm"], v["bn"], v["bk"]
    rows = bm // v["groups"]
    nk = v["b"] == "nk"
    shape_b = f"{bn}x{bk}" if nk else f"{bk}x{bn}"
    part_b = f"{bn}x16" if nk else f"16x{bn}"
    cm, cn = map(int, v["cluster"].split("x"))
    raster = f" raster({v['raster'].replace(':', ' = ')})"
    persistent = " persistent" if v["blocks"] == "persistent" else ""
    if v["teams"] > 1:
        persistent += f" teams({v['teams']})"
    registers = f" registers({v['registers'].replace(':', ', ')})" if v["registers"] != "0" else ""
    through = f" through({v['through']})"
    if v["store"] != "threads":
        through += f" copy(tma) slots({v['store'].split(':')[1]})"
    lines = [f"!A = memref<?x?x{ab}, strided<[?, 1]>>", f"!C = memref<?x?x{out}, strided<[?, 1]>>",
             f"!sA = memref<{bm}x{bk}x{ab}, #tile.level<smem>>", f"!sB = memref<{shape_b}x{ab}, #tile.level<smem>>",
             f"!iA = memref<64x16x{ab}, #tile.level<smem>>", f"!iB = memref<{part_b}x{ab}, #tile.level<smem>>",
             f"!iC = memref<64x{bn}xf32, #tile.level<rf>>", f"!c = memref<{bm}x{bn}xf32, #tile.level<rf>>",
             f"!r = memref<{bm}x{bn}x{out}, #tile.level<rf>>", "#id = affine_map<(m, n) -> (m, n)>",
             f"tile.kernel @tensor(%A: !A[%M, %K], %B: !A[{'%N, %K' if nk else '%K, %N'}], %C: !C[%M, %N], %M: index, %N: index, %K: index)",
             "    dataflow(output_stationary) {"]
    m, n, depth = "%m0", "%n0", 1
    if cm * cn > 1:
        lines.append(f"  tile.for (%mc, %nc) in (%M, %N) by ({bm * cm}, {bn * cn}) at dram on cluster{persistent}{raster} {{")
        lines.append(f"    tile.for (%mb, %nb) in ({bm * cm}, {bn * cn}) by ({bm}, {bn}) at dram on block {{")
        m, n, depth = "%mc + %mb", "%nc + %nb", 2
    elif v["split"] > 1:
        lines += [f"  tile.for (%m0, %n0) in (%M, %N) by ({bm}, {bn}) at dram on cluster{persistent}{raster} {{", "    %c = tile.hold init(0.0 : f32) : !c",
                  f"    tile.for (%ks) in ({bk * v['split']}) by ({bk}) at dram on block reduce(add) {{"]
        depth = 2
    else:
        lines.append(f"  tile.for (%m0, %n0) in (%M, %N) by ({bm}, {bn}) at dram on block{persistent}{raster} {{")
    split = v["split"] > 1
    k = "%k0 + %ks" if split else "%k0"
    body = [] if split else ["%c = tile.hold init(0.0 : f32) : !c"]
    body += [f"tile.for (%k0) in (%K) by ({bk * v['split']}) at dram pipeline({v['stages']}) producers(4){registers} release({v['release']}) {{",
             f"  %a = tile.stage %A[{m}, {k}] copy(tma) : !A to !sA",
             f"  %b = tile.stage %B[{f'{n}, {k}' if nk else f'{k}, {n}'}] copy(tma) : !A to !sB",
             f"  tile.for (%mw) in ({bm}) by ({rows}) at smem on warpgroup {{",
             f"    tile.for (%k1, %m1) in ({bk}, {rows}) by (16, 64) at smem on unroll {{",
             "      %x = tile.part %a[%mw + %m1, %k1] : !sA to !iA",
             f"      %y = tile.part %b[{'0, %k1' if nk else '%k1, 0'}] : !sB to !iB",
             "      %s = tile.part %c[%mw + %m1, 0] : !c to !iC"]
    if nk:
        body.append("      linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]"
                    " ins(%x, %y : !iA, !iB) outs(%s : !iC)")
    else:
        body.append("      linalg.matmul ins(%x, %y : !iA, !iB) outs(%s : !iC)")
    body += ["    }", "  }", "}"]
    lines += ["  " * (depth + 1) + line for line in body]
    if split:
        lines.append("    }")
        depth = 1
    if out == "f32":
        body = [f"tile.store %c to %C[{m}, {n}]{through} : !c to !C"]
    else:
        body = [f"%r = tile.hold init(0.0 : {out}) : !r",
                "linalg.generic {indexing_maps = [#id, #id], iterator_types = [\"parallel\", \"parallel\"]} ins(%c : !c) outs(%r : !r) {",
                f"^bb0(%v: f32, %o: {out}):", f"  %w = arith.truncf %v : f32 to {out}", f"  linalg.yield %w : {out}", "}",
                f"tile.store %r to %C[{m}, {n}]{through} : !r to !C"]
    lines += ["  " * (depth + 1) + line for line in body]
    lines += ["  " * level + "}" for level in range(depth, -1, -1)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(nest(parse(" ".join(sys.argv[1:]))))
