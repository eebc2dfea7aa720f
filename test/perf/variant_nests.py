"""Nests that differ from examples/fast/s1.mlir and s2.mlir in one decision each.

A variant is the example's text with that decision changed, and the tiles and loops that follow from it; it says nothing
else. What an edit looks for must be there: an example that changes so that an edit no longer applies is an error, not a
variant less.
"""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Nest:
    def __init__(self, base):
        self.name = base
        self.text = (ROOT / "examples/fast" / (base + ".mlir")).read_text()

    def sub(self, pattern, text, count=0):
        self.text, found = re.subn(pattern, text, self.text, count=count, flags=re.MULTILINE)
        if not found:
            raise ValueError(f"examples/fast/{self.name}.mlir has no '{pattern}'")
        return self

    def alias(self, name, shape, level, layout=""):
        layout = f', #tile.layout<"{layout}">' if layout else ""
        return self.sub(rf"^!{name} = .*$", f"!{name} = memref<{shape}xf32{layout}, #tile.level<{level}>>")

    def tiles(self, bm=128, bn=256, bk=None, wm=64, wn=64, layout="({bm},{bk}):(1,{bm}+4)"):
        """Tiles of a block and of a warp, as deep as the example's where bk is left open; `layout` of A in shared memory."""
        bk = bk or int(re.search(r"\(%k0\) in \(%K\) by \((\d+)\)", self.text)[1])
        layout = re.sub(r"(\d+)\+(\d+)", lambda sum: str(int(sum[1]) + int(sum[2])), layout.format(bm=bm, bk=bk))
        self.alias("sA", f"{bm}x{bk}", "smem", layout)
        self.alias("sB", f"{bk}x{bn}", "smem").alias("c", f"{bm}x{bn}", "rf").alias("cw", f"{wm}x{wn}", "rf")
        self.alias("rA", f"{wm}x1", "rf").alias("rB", f"1x{wn}", "rf")
        self.sub(r"by \(\d+, \d+\) at dram on block", f"by ({bm}, {bn}) at dram on block")
        self.sub(r"\(%k0\) in \(%K\) by \(\d+\)", f"(%k0) in (%K) by ({bk})")
        self.sub(r"\(%mw, %nw\) in \(\d+, \d+\) by \(\d+, \d+\)", f"(%mw, %nw) in ({bm}, {bn}) by ({wm}, {wn})")
        runs = "%kh" if "%kh" in self.text else "%k1"
        self.sub(rf"\({runs}\) in \(\d+\)", f"({runs}) in ({bk})")
        return self if (wm, wn) == (64, 64) else self.inner(wm=wm, wn=wn)

    def inner(self, wm=64, wn=64, lanes="quads", quad=(4, 2), order=None):
        """The loops over a warp's tile: 16 x 32 elements at a time, 4x4 a lane, in parts of `quad`, in the example's order."""
        unrolled = " ".join(line for line in self.text.splitlines() if "on unroll" in line)
        order = order or "".join(name[0] for name in re.findall(r"%(j|nu|mu)\b", unrolled))
        digits = {  # (variable, extent, step) of loops over lanes, the slowest first
            "quads": [("nt", 32, 8), ("mt", 16, 4), ("nz", 8, 4)],
            "rows": [("mt", 16, 4), ("nt", 32, 4)],
            "columns": [("nt", 32, 4), ("mt", 16, 4)],
            "quads along m": [("nt", 32, 4), ("mt", 16, 8), ("mz", 8, 4)],
        }[lanes]
        loops = [f"tile.for (%{name}) in ({extent}) by ({step}) at rf on thread {{" for name, extent, step in digits]
        walks = {"m": ("mu", wm, 16), "n": ("nu", wn, 32), "i": ("i", 4, quad[0]), "j": ("j", 4, quad[1])}
        walks = [walks[letter] for letter in order if walks[letter][1] > walks[letter][2]]
        names, extents, steps = zip(*walks)
        loops.append(f"tile.for ({', '.join('%' + name for name in names)}) in ({', '.join(map(str, extents))}) by "
                     f"({', '.join(map(str, steps))}) at rf on unroll {{")
        used = list(names) + [name for name, _, _ in digits]
        place = {dim: " + ".join("%" + name for name in used if name in whose) or "0"
                 for dim, whose in (("m", ("mu", "mt", "mz", "i")), ("n", ("nu", "nt", "nz", "j")))}
        self.alias("qA", f"{quad[0]}x1", "rf").alias("qB", f"1x{quad[1]}", "rf").alias("q", f"{quad[0]}x{quad[1]}", "rf")
        body = [f"%a = tile.part %rA[{place['m']}, 0] : !rA to !qA", f"%b = tile.part %rB[0, {place['n']}] : !rB to !qB",
                f"%q = tile.part %cw[{place['m']}, {place['n']}] : !cw to !q",
                "linalg.matmul ins(%a, %b : !qA, !qB) outs(%q : !q)"]
        lines = self.text.splitlines()
        first = next(i for i, line in enumerate(lines) if "%rB = tile.stage" in line)
        indent = " " * (len(lines[first]) - len(lines[first].lstrip()))
        last = next(i for i in range(first + 1, len(lines)) if lines[i] == indent[2:] + "}")
        text = [indent + "  " * depth + loop for depth, loop in enumerate(loops)]
        text += [indent + "  " * len(loops) + line for line in body]
        text += [indent + "  " * depth + "}" for depth in reversed(range(len(loops)))]
        self.text = "\n".join(lines[:first + 1] + text + lines[last:]) + "\n"
        return self

    def clause(self, old, new):
        """Changes what the loop over k says after `at dram`."""
        return self.sub(rf"(\(%k0\) .* at dram.*?) ?{old}", rf"\1{' ' if new else ''}{new}")

    def runs(self, depth):
        """How much of a slot is written out at a time."""
        return self.sub(r"\(%kh\) in \((\d+)\) by \(\d+\)", rf"(%kh) in (\1) by ({depth})").sub(r"\(%k1\) in \(\d+\)", f"(%k1) in ({depth})")

    def by_columns(self, *operands):
        """Operands whose columns are dense. What lies in global memory as in shared memory comes by TMA, the other way by 4 bytes."""
        depth = int(re.search(r"by \((\d+)\) at dram", self.text)[1])
        for name in operands:
            self.sub(rf"%{name}: !G\[", f"%{name}: !H[").sub(rf"(%{name}\[.*\]).* : !G to", r"\1 : !H to")
        if "A" in operands:
            self.tiles(layout="({bm},{bk}):(1,{bm})").sub(r"(%sA = tile.stage %A\[.*?\])", r"\1 copy(tma)")
        if "B" in operands:
            self.alias("sB", f"{depth}x256", "smem", f"({depth},256):(260,1)")
        self.text = self.text.replace("!sA =", "!H = memref<?x?xf32, strided<[1, ?]>>\n!sA =", 1)
        return self

    def grid(self, words):
        return self.sub(r"at dram on block.*\{$", f"at dram on block {words} {{")

    def uncut(self):
        return self.clause(r"tail\(cut\)", "")

    def cluster(self, m, n):
        """Clusters of m x n blocks."""

        def loops(found):
            tile = f"{m * int(found[1])}, {n * int(found[2])}"
            return (f"  tile.for (%mc, %nc) in (%M, %N) by ({tile}) at dram on cluster {found[3]}{{\n"
                    f"  tile.for (%m0, %n0) in ({tile}) by ({found[1]}, {found[2]}) at dram on block {{")

        self.sub(r"^  tile.for \(%m0, %n0\) in \(%M, %N\) by \((\d+), (\d+)\) at dram on block (.*)\{$", loops)
        self.sub(r"(%A\[|%C\[)%m0", r"\1%mc + %m0").sub(r"(, )%n0\]", r"\1%nc + %n0]")
        self.text += "}\n"
        return self


# What S1 and S2 have in common: (decision, edit).
COMMON = [
    ("as it is", lambda nest: nest),
    ("block tile 128x128", lambda nest: nest.tiles(bn=128)),
    ("block tile 256x128", lambda nest: nest.tiles(bm=256, bn=128)),
    ("warp tile 32x128", lambda nest: nest.tiles(wm=32, wn=128)),
    ("warp tile 128x32", lambda nest: nest.tiles(wm=128, wn=32)),
    ("lanes by rows", lambda nest: nest.inner(lanes="rows")),
    ("lanes by columns", lambda nest: nest.inner(lanes="columns")),
    ("A without padding", lambda nest: nest.tiles(layout="({bm},{bk}):(1,{bm})")),
    ("A swizzled", lambda nest: nest.tiles(layout="Sw<2,2,4> o 0 o ({bm},{bk}):(1,{bm})")),
    ("A by rows", lambda nest: nest.tiles(layout="({bm},{bk}):({bk}+4,1)")),
    ("products by 4x4", lambda nest: nest.inner(quad=(4, 4), order="nm")),
    ("products by rows, 2x4", lambda nest: nest.inner(quad=(2, 4), order="mni")),
    ("raster row", lambda nest: nest.sub(r"raster\(.*?\)", "raster(row)")),
    ("raster grouped = 16", lambda nest: nest.sub(r"raster\(.*?\)", "raster(grouped = 16)")),
    ("no register double buffer", lambda nest: nest.sub(r"(\(%k1\) .* at smem) pipeline\(2\)", r"\1")),
]

S1 = COMMON + [
    ("block tile 128x256x8", lambda nest: nest.tiles(bk=8)),
    ("products by (nu, j, mu)", lambda nest: nest.inner(order="njm")),
    ("persistent", lambda nest: nest.grid("persistent raster(grouped = 8)")),
    ("persistent, cut tail",
     lambda nest: nest.grid("persistent raster(grouped = 8)").clause("pipeline", "tail(cut) pipeline")),
    ("2 stages", lambda nest: nest.clause(r"pipeline\(3\)", "pipeline(2)")),
    ("5 stages", lambda nest: nest.clause(r"pipeline\(3\)", "pipeline(5)")),
    ("12 stages", lambda nest: nest.clause(r"pipeline\(3\)", "pipeline(12)")),
    ("no pipeline", lambda nest: nest.clause(r"pipeline\(3\)", "")),
    ("any strides", lambda nest: nest.sub(r"strided<\[\?, 1\]>", "strided<[?, ?]>")),
    ("2 producer warps", lambda nest: nest.clause(r"pipeline\(3\)", "pipeline(3) producers(2)")),
]

S2 = COMMON + [
    ("block tile 128x256x16", lambda nest: nest.tiles(bk=16)),
    ("block tile 128x256x32", lambda nest: nest.tiles(bk=32)),
    ("products by (j, nu, mu)", lambda nest: nest.inner(order="jnm")),
    ("runs of 8 along k", lambda nest: nest.runs(8)),
    ("runs of 32 along k", lambda nest: nest.runs(32)),
    ("tail not cut", lambda nest: nest.uncut()),
    ("not persistent, tail not cut", lambda nest: nest.uncut().grid("raster(grouped = 8)")),
    ("3 stages", lambda nest: nest.clause(r"pipeline\(2\)", "pipeline(3)")),
    ("A by columns", lambda nest: nest.by_columns("A")),
    ("B by columns", lambda nest: nest.by_columns("B")),
    ("A and B by columns", lambda nest: nest.by_columns("A", "B")),
    ("B by cp.async", lambda nest: nest.sub(r"(%B\[.*?\]) copy\(tma\)", r"\1")),
    ("B by TMA, padded", lambda nest: nest.alias("sB", "64x256", "smem", "(64,256):(260,1)")),
    ("A by rows, by TMA", lambda nest: nest.tiles(layout="").sub(r"(%A\[.*?\])", r"\1 copy(tma)")),
    ("8 producer warps", lambda nest: nest.clause(r"producers\(4\) registers\(.*?\)", "producers(8) registers(40, 208)")),
    ("1 producer warp", lambda nest: nest.clause(r"producers\(4\) registers\(.*?\)", "producers(1)")),
    ("registers 72 and 216", lambda nest: nest.clause(r"registers\(.*?\)", "registers(72, 216)")),
    ("registers 40 and 232", lambda nest: nest.clause(r"registers\(.*?\)", "registers(40, 232)")),
    ("registers 72 and 240", lambda nest: nest.clause(r"registers\(.*?\)", "registers(72, 240)")),
    ("registers not divided", lambda nest: nest.clause(r"registers\(.*?\)", "")),
    ("clusters of 2 along m, tail not cut", lambda nest: nest.uncut().cluster(2, 1)),
    ("clusters of 2 along n, tail not cut", lambda nest: nest.uncut().cluster(1, 2)),
    ("clusters of 16 along m, tail not cut", lambda nest: nest.uncut().cluster(16, 1)),
    ("clusters of 2 along m", lambda nest: nest.cluster(2, 1)),
]


def variants():
    """(base, decision, text) of each."""
    for base, edits in (("s1", S1), ("s2", S2)):
        for decision, edit in edits:
            yield base, decision, edit(Nest(base)).text
