"""Nests of C = A B on the tensor cores of warps in many mappings, for measuring them beside cublasLt and for tests.

A mapping is what it leaves open, as in "bm=128 bn=256 wm=64 wn=64 stages=3":

  bm, bn, bk        the tile of a block
  wm, wn            the tile of a warp; the block has (bm / wm) x (bn / wn) warps
  stages            slots of the ring of copies by cp.async
  buffers           copies of the register tiles that a warp multiplies: 2 loads one step of 16 ahead, 1 none
  begin             where the first of these loads stand: in the step of the ring before (ahead), in its own (here); empty: as planned
  issue             when an iteration asks for copies: first or after_loads; empty: as planned
  producers         warps that fill the ring, by TMA; 0: all threads by cp.async
  raster            row, column, grouped:N
  ab, out           types of A and B (bf16, f16; f32, rounded to tf32; i8) and of C (that of the sums, or that of A)
  a                 mk: rows of A run along k; km: along m
  b                 kn: rows of B run along n; nk: along k
  through           columns of a slice by way of which C is stored; 0: straight from registers; empty: as planned
  layout            swizzled: shared tiles as ldmatrix reads them without conflicts; plain: rows side by side
  loop              ring: as above; shared: of tiles that are copied once, ahead of the loop; registers: nothing but instructions, on what warps load
                    once ahead of theirs: what they can do at most
"""

import sys

from mapping_words import parse_values

KNOWN = {"bm": 128, "bn": 128, "bk": 32, "wm": 64, "wn": 64, "stages": 4, "buffers": 2, "begin": "", "issue": "", "producers": 0, "raster": "grouped:8", "ab": "bf16", "out": "bf16",
         "a": "mk", "b": "kn", "through": "", "layout": "swizzled", "loop": "ring"}


def parse(words):
    return parse_values(words.split(), KNOWN)


BYTES = {"bf16": 2, "f16": 2, "f32": 4, "i8": 1}


def shared(rows, columns, element, is_swizzled):
    """The type of a tile. Of swizzled rows up to 128 bytes lie as TMA would place them, longer ones in pieces."""
    level = "#tile.level<smem>"
    if not is_swizzled:
        return f"memref<{rows}x{columns}x{element}, {level}>"
    bits, run = next((bits, 16 << bits) for bits in (3, 2, 1) if columns * BYTES[element] % (16 << bits) == 0)
    run //= BYTES[element]
    base = {1: 4, 2: 3, 4: 2}[BYTES[element]]
    layout = f"({rows},{run}):({run},1)" if columns == run else f"({rows},({run},{columns // run})):({run},(1,{rows * run}))"
    return f"memref<{rows}x{columns}x{element}, #tile.layout<\"Sw<{bits},{base},3> o 0 o {layout}\">, {level}>"


def product(maps, element):
    """The computation of an instruction."""
    if element != "f32":
        return [f"linalg.matmul indexing_maps = [{maps}] ins(%a, %b : !iA, !iB) outs(%s : !iC)"]
    return [f"linalg.generic {{indexing_maps = [{maps}], iterator_types = [\"parallel\", \"parallel\", \"reduction\"]}} ins(%a, %b : !iA, !iB) outs(%s : !iC) {{",
            "^bb0(%p: f32, %q: f32, %o: f32):", "  %p1 = arith.truncf %p toward_zero : f32 to tf32", "  %q1 = arith.truncf %q toward_zero : f32 to tf32",
            "  %p2 = arith.extf %p1 : tf32 to f32", "  %q2 = arith.extf %q1 : tf32 to f32", "  %x = arith.mulf %p2, %q2 : f32",
            "  %y = arith.addf %o, %x : f32", "  linalg.yield %y : f32", "}"]


def tile(first, second, is_turned):
    """Shape and subscripts of a tile whose dimensions may be exchanged."""
    (extent, at), (other, there) = (second, first) if is_turned else (first, second)
    return extent, other, f"{at}, {there}"


def copies(v, loop, ring, stages):
    """The loop along k and its copies, or what stands in their place."""
    if v["loop"] == "shared":
        return [*(stage.replace("%k0", "0") for stage in stages), loop + " {"]
    return [f"{loop}{ring} {{", *stages]


def nest(v):
    ab, out, bm, bn, bk, wm, wn = v["ab"], v["out"], v["bm"], v["bn"], v["bk"], v["wm"], v["wn"]
    km, nk, swizzled = v["a"] == "km", v["b"] == "nk", v["layout"] == "swizzled"
    step, sums = 32 // BYTES[ab], "i32" if ab == "i8" else "f32"
    rows_a, columns_a, from_a = tile((bm, "%m0"), (bk, "%k0"), km)
    rows_b, columns_b, from_b = tile((bk, "%k0"), (bn, "%n0"), nk)
    held_a, held_b = tile((wm, "%mw"), (step, "%k1"), km), tile((step, "%k1"), (wn, "%nw"), nk)
    part_a, part_b = tile((16, "%mi"), (step, "0"), km), tile((step, "0"), (8, "%ni"), nk)
    rf = "#tile.level<rf>"
    ahead = f" pipeline({v['buffers']})" if v["buffers"] > 1 else ""
    ahead += f" begin({v['begin']})" if v["begin"] else ""
    ring, copy = (f" producers({v['producers']})", " copy(tma)") if v["producers"] else ("", "")
    ring += f" issue({v['issue']})" if v["issue"] else ""
    through = f" through({v['through']})" if v["through"] else ""
    maps = [f"affine_map<(m, n, k) -> ({'k, m' if km else 'm, k'})>", f"affine_map<(m, n, k) -> ({'n, k' if nk else 'k, n'})>",
            "affine_map<(m, n, k) -> (m, n)>"]
    lines = [f"!A = memref<?x?x{ab}, strided<[?, 1]>>", f"!C = memref<?x?x{out}, strided<[?, 1]>>",
             f"!sA = {shared(rows_a, columns_a, ab, swizzled)}", f"!sB = {shared(rows_b, columns_b, ab, swizzled)}",
             f"!rA = memref<{held_a[0]}x{held_a[1]}x{ab}, {rf}>", f"!rB = memref<{held_b[0]}x{held_b[1]}x{ab}, {rf}>",
             f"!iA = memref<{part_a[0]}x{part_a[1]}x{ab}, {rf}>", f"!iB = memref<{part_b[0]}x{part_b[1]}x{ab}, {rf}>",
             f"!iC = memref<16x8x{sums}, {rf}>", f"!c = memref<{bm}x{bn}x{sums}, {rf}>", f"!r = memref<{bm}x{bn}x{out}, {rf}>",
             "#id = affine_map<(m, n) -> (m, n)>",
             f"tile.kernel @mma(%A: !A[{'%K, %M' if km else '%M, %K'}], %B: !A[{'%N, %K' if nk else '%K, %N'}], %C: !C[%M, %N], %M: index, %N: index, %K: index)",
             "    dataflow(output_stationary) {",
             f"  tile.for (%m0, %n0) in (%M, %N) by ({bm}, {bn}) at dram on block raster({v['raster'].replace(':', ' = ')}) {{",
             f"    %c = tile.hold init({'0' if ab == 'i8' else '0.0'} : {sums}) : !c",
             *copies(v, f"    tile.for (%k0) in (%K) by ({bk}) at dram", f" pipeline({v['stages']}){ring}",
                     [f"      %sA = tile.stage %A[{from_a}]{copy} : !A to !sA", f"      %sB = tile.stage %B[{from_b}]{copy} : !A to !sB"]),
             f"      tile.for (%mw, %nw) in ({bm}, {bn}) by ({wm}, {wn}) at smem on warp {{",
             f"        tile.for (%k1) in ({bk}) by ({step}) at smem{ahead} {{",
             f"          %rA = tile.stage %sA[{held_a[2]}] : !sA to !rA", f"          %rB = tile.stage %sB[{held_b[2]}] : !sB to !rB",
             f"          tile.for (%mi, %ni) in ({wm}, {wn}) by (16, 8) at rf on unroll {{",
             f"            %a = tile.part %rA[{part_a[2]}] : !rA to !iA", f"            %b = tile.part %rB[{part_b[2]}] : !rB to !iB",
             "            %s = tile.part %c[%mw + %mi, %nw + %ni] : !c to !iC",
             *("            " + line for line in product(", ".join(maps), ab)), "          }", "        }", "      }", "    }"]
    if out == sums:
        lines.append(f"    tile.store %c to %C[%m0, %n0]{through} : !c to !C")
    else:
        lines += [f"    %r = tile.hold init(0.0 : {out}) : !r",
                  "    linalg.generic {indexing_maps = [#id, #id], iterator_types = [\"parallel\", \"parallel\"]} ins(%c : !c) outs(%r : !r) {",
                  f"    ^bb0(%v: f32, %o: {out}):", f"      %w = arith.truncf %v : f32 to {out}", f"      linalg.yield %w : {out}", "    }",
                  f"    tile.store %r to %C[%m0, %n0]{through} : !r to !C"]
    return "\n".join(lines + ["  }", "}"]) + "\n"


def registers(v):
    """C = K / step times the product of the first columns of A and rows of B, K in steps of an instruction."""
    ab, bm, bn, wm, wn = v["ab"], v["bm"], v["bn"], v["wm"], v["wn"]
    step, sums, rf = 32 // BYTES[ab], "i32" if ab == "i8" else "f32", "#tile.level<rf>"
    maps = ", ".join(f"affine_map<(m, n, k) -> ({place})>" for place in ("m, k", "k, n", "m, n"))
    lines = [f"!A = memref<?x?x{ab}, strided<[?, 1]>>", f"!C = memref<?x?x{sums}, strided<[?, 1]>>", f"!rA = memref<{wm}x{step}x{ab}, {rf}>",
             f"!rB = memref<{step}x{wn}x{ab}, {rf}>", f"!iA = memref<16x{step}x{ab}, {rf}>", f"!iB = memref<{step}x8x{ab}, {rf}>",
             f"!iC = memref<16x8x{sums}, {rf}>", f"!c = memref<{bm}x{bn}x{sums}, {rf}>",
             "tile.kernel @registers(%A: !A[%M, %K], %B: !A[%K, %N], %C: !C[%M, %N], %M: index, %N: index, %K: index) {",
             f"  tile.for (%m0, %n0) in (%M, %N) by ({bm}, {bn}) at dram on block {{", f"    %c = tile.hold init({'0' if ab == 'i8' else '0.0'} : {sums}) : !c",
             f"    tile.for (%mw, %nw) in ({bm}, {bn}) by ({wm}, {wn}) at smem on warp {{", "      %rA = tile.stage %A[%m0 + %mw, 0] pad(zero) : !A to !rA",
             "      %rB = tile.stage %B[0, %n0 + %nw] pad(zero) : !A to !rB", f"      tile.for (%k) in (%K) by ({step}) at rf {{",
             f"        tile.for (%mi, %ni) in ({wm}, {wn}) by (16, 8) at rf on unroll {{", "          %a = tile.part %rA[%mi, 0] : !rA to !iA",
             "          %b = tile.part %rB[0, %ni] : !rB to !iB", "          %s = tile.part %c[%mw + %mi, %nw + %ni] : !c to !iC",
             *("          " + line for line in product(maps, ab)), "        }", "      }", "    }", "    tile.store %c to %C[%m0, %n0] : !c to !C", "  }", "}"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    values = parse(" ".join(sys.argv[1:]))
    sys.stdout.write(registers(values) if values["loop"] == "registers" else nest(values))
