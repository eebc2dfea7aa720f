"""The family of nests in which warps multiply register tiles by instructions of tensor cores (rule C8 of docs/language.md)."""

import contextlib

from program_phases import add_all
from program_products import TYPES, Product, turn
from program_tree import Sum

TWICE, BEYOND_SUMS, REST = "sums of two warps in one place", "a warp beyond its sums", "warps that leave a rest"
SIZES, UNROUNDED, PLACE, OTHER = ("an instruction of other sizes", "an instruction of f32 that is not rounded", "an instruction of an operand in smem",
                                  "an instruction of what is no product")
IN_THREAD, WHOLE, OTHERWISE, BEYOND = "a warp in a thread", "sums of all stored by each warp", "sums parted otherwise", "registers beyond a tile"
BY_WARP, NEIGHBOUR, NARROW, SHALLOW = "a shared tile of each warp", "sums of another warp", "sums in f16 of a warp", "half the depth of f16"
UNEVEN = "loads ahead of a run of other tiles"
MISTAKES = [UNEVEN, TWICE, BEYOND_SUMS, REST, SIZES, UNROUNDED, PLACE, OTHER, IN_THREAD, WHOLE, OTHERWISE, BEYOND, BY_WARP, NEIGHBOUR, NARROW, SHALLOW]
ROWS = {"bf16": "mma.m16n8k16.16", "f16": "mma.m16n8k16.16", "f32": "mma.m16n8k8.tf32", "i8": "mma.m16n8k32.8"}


class WarpNest:
    """C = A * B in tiles of blocks, of warps, and of instructions."""

    def __init__(self, program, draw, wrong):
        self.program, self.draw, self.wrong = program, draw, wrong
        element = {UNROUNDED: "f32", NARROW: "f16", SHALLOW: "f16"}.get(wrong) or draw(["bf16", "f16", "f32", "i8"])
        self.step = 32 // TYPES[element][0] // (2 if wrong == SHALLOW else 1)
        self.warps = [2, 2] if wrong else draw([[1, 1], [2, 1], [1, 2], [2, 2], [3, 1], [1, 4]])
        self.own = [16 * draw([1, 2, 1]), 8 * (draw([2, 4]) if wrong == SIZES else draw([1, 2, 1, 3, 4]))]
        self.cells = [16, 16 if wrong == SIZES else 8] if wrong or draw([True] * 11 + [False]) else [8, 8]  # Those are multiplied by each lane.
        self.form = draw(["inside", "whole", "outside", "alone"]) if not wrong else "inside"
        self.tile = [count * own for count, own in zip(self.warps, self.own)] + [draw([1, 2, 4, 3]) * self.step]
        program.machine = draw(["sm80", "sm80", "sm86", "sm90", "h100"])
        program.wide = element == "i8" and draw([False, True])
        self.instruction = ROWS[element] if wrong in (SIZES, UNROUNDED, PLACE, OTHER) or draw([False, False, not wrong and self.cells == [16, 8]]) else None
        self.product = Product(program, draw, [element, element], self.tile, "f16" if wrong == NARROW else None)
        batches = 1 if wrong else draw([1, 1, 1, 1, 2])
        self.product.make_operands(batches=batches, several=bool(wrong), batched=batches == 1 and draw([False, False, not wrong]))
        # What warps load from, and where the block's part of it begins, in the order (m, k) and (k, n).
        self.sources, self.origins = [self.product.a, self.product.b], None

    def load(self, at, depth, extent):
        """The register tiles of a warp, `extent` along k."""
        (row, left), (top, column) = self.origins
        places = [[row + at[0], left + depth], [top + depth, column + at[1]]]
        shapes = [[self.own[0], extent], [extent, self.own[1]]]
        return [self.product.take(which, source, place, shape, part=self.wrong == PLACE and which == "a")
                for which, source, place, shape in zip("ab", self.sources, places, shapes)]

    def multiply(self, tiles, sums, at, depth=0):
        """The instructions of a warp; `at` is where its sums begin."""
        draw, program, own, cells = self.draw, self.program, self.own, self.cells
        order = turn([0, 1], draw([False, False, True]))
        unit = draw(["unroll", "unroll", "unroll", ""])
        with contextlib.ExitStack() as loops:
            ivs = [Sum(), Sum()]
            if own != cells or draw([True, False]):
                if draw([True, True, False]):
                    found = loops.enter_context(program.loop([own[n] for n in order], [cells[n] for n in order], "rf", unit, stem="u"))
                else:
                    found = [loops.enter_context(program.loop([own[n]], [cells[n]], "rf", unit, stem="u"))[0] for n in order]
                for n, iv in zip(order, found):
                    ivs[n] = iv
            a = self.product.take("a", tiles[0], [ivs[0], depth], [cells[0], self.step], part=True)
            b = self.product.take("b", tiles[1], [depth, ivs[1]], [self.step, cells[1]], part=True)
            where = [place + iv for place, iv in zip(at, ivs)]
            if self.wrong == TWICE:
                where[0] = ivs[0]
            elif self.wrong == BEYOND_SUMS:
                where[0] = where[0] + 16
            part = self.product.part(sums, where, cells)
            self.product.multiply(a, b, part, {UNROUNDED: "unrounded", OTHER: "maximum"}.get(self.wrong), self.instruction)

    def walk(self, sums, at, sums_at):
        """The steps along k of a warp in the block's tile."""
        draw, program, (_, _, extent) = self.draw, self.program, self.tile
        if self.form == "whole":
            tiles = self.load(at, 0, extent)
            with program.loop([extent], [self.step], "smem", draw(["unroll", "unroll", ""]), stem="e") as (depth,):
                self.multiply(tiles, sums, sums_at, depth)
            return
        clauses = draw(["", "", "pipeline(2)", "pipeline(3)", "pipeline(2)", "pipeline(2) begin(here)"])
        if self.wrong == UNEVEN:
            clauses = f"pipeline({extent // self.step + 1}) begin(ahead)"
        with program.loop([extent], [self.step], "smem", "" if clauses else draw(["", "unroll"]), clauses, stem="e") as (depth,):
            self.multiply(self.load(at, depth + (self.step if self.wrong == BEYOND else 0), self.step), sums, sums_at)

    @contextlib.contextmanager
    def on_warps(self):
        """The loops on warps; yields where a warp's part begins."""
        draw, program, where = self.draw, self.program, [Sum(), Sum()]
        several = [n for n in range(2) if self.warps[n] > 1] if draw([False, True]) else [0, 1]
        extents = [extent + (8 if self.wrong == REST else 0) for extent in self.tile]
        with contextlib.ExitStack() as loops:
            if self.wrong == IN_THREAD:
                loops.enter_context(program.loop([2], [1], "smem", "thread", stem="t"))
            if not several:
                loops.enter_context(program.loop([1], [1], "smem", "warp", stem="w"))
            elif draw([True, True, False]):
                ivs = loops.enter_context(program.loop([extents[n] for n in several], [self.own[n] for n in several], "smem", "warp", stem="w"))
            else:
                ivs = [loops.enter_context(program.loop([extents[n]], [self.own[n]], "smem", "warp", stem="w"))[0] for n in several]
            for n, iv in zip(several, ivs if several else []):
                where[n] = iv
            yield where

    def stage(self, at, k, clauses):
        """Copies what `staged` says to shared memory."""
        product, tile = self.product, self.tile
        places, shapes = [[at[0], k], [k, at[1]]], [[tile[0], tile[2]], [tile[2], tile[1]]]
        self.origins = list(places)
        for number, which in enumerate("ab"):
            if self.staged[number]:
                self.sources[number] = product.take(which, [product.a, product.b][number], places[number], shapes[number], level="smem", clauses=clauses, pad=self.pad)
                self.origins[number] = [Sum(), Sum()]

    def make_alone(self):
        """Each warp makes its part of C from operands in DRAM, and stores it."""
        product = self.product
        with self.on_warps() as where:
            sums = product.start(self.own, [at + place for at, place in zip(product.at, where)])
            with self.program.loop([product.k], [self.step], stem="e") as (k,):
                self.origins = [[product.at[0], k], [k, product.at[1]]]
                self.multiply(self.load(where, 0, self.step), sums, [Sum(), Sum()])
            product.at = [at + place for at, place in zip(product.at, where)]
            product.finish(sums, whole=False)

    def make_together(self):
        """The block walks k; its warps have their parts of one tile of sums."""
        draw, program, product, wrong = self.draw, self.program, self.product, self.wrong
        sums = product.start([self.own[0] if wrong == TWICE else self.tile[0], self.tile[1]], None if wrong else product.at)
        promoted = not wrong and draw([False] * 5 + [True])
        self.staged = [True, True] if wrong else [draw([True, True, True, False]) for _ in range(2)]
        self.pad = "zero" if all(self.staged) and not wrong and draw([False, True]) else None
        ring, clauses = f"pipeline({draw([2, 3])})", ""
        producers = all(self.staged) and program.machine in ("sm90", "h100") and draw([False, not wrong])
        if any(self.staged):
            clauses = f"{ring} producers({draw([1, 4])})" if producers else draw(["", ring])
        bulk = " copy(tma)" if producers and draw([True, False]) else ""
        with program.loop([product.k], [self.tile[2]], clauses=(product.cut + " " + clauses).strip(), stem="e") as (k,):
            if wrong == BY_WARP:
                with self.on_warps() as where:
                    self.stage(product.at, k, bulk)
                    self.walk(sums, where, where)
                return
            self.stage(product.at, k, bulk)
            part = product.hold(product.sums, self.tile[:2], draw([0, 0, 2])) if promoted else sums
            with product.sometimes(k):
                if self.form == "outside":
                    with program.loop([self.tile[2]], [self.step], "smem", stem="e") as (depth,):
                        with self.on_warps() as where:
                            self.multiply(self.load(where, depth, self.step), part, where)
                else:
                    with self.on_warps() as where:
                        self.walk(part, where, where)
            if promoted:
                program.elementwise([part], [sums], add_all(product.sums, 1))
            if wrong in (NEIGHBOUR, WHOLE):
                with self.on_warps() as where:
                    if wrong == NEIGHBOUR:
                        other = program.part(sums, [self.tile[0] - self.own[0] - where[0], where[1]], self.own)
                        copy = program.hold(product.sums, self.own, 0)
                        program.elementwise([other], [copy], add_all(product.sums, 1))
                    elif wrong == WHOLE:
                        product.keep(sums)
        if wrong == OTHERWISE:
            with program.loop([self.tile[0], self.tile[1]], [1, self.tile[1] // 2], "rf", "thread", stem="t") as at:
                part = program.part(sums, at, [1, self.tile[1] // 2])
                program.elementwise([], [part], add_all(product.sums, 0))
        product.finish(sums)


def warp_family(program, draw, wrong=None):
    """Warps multiply register tiles that they load from shared memory or from operands, in steps along k."""
    nest = WarpNest(program, draw, wrong)
    with nest.product.blocks(draw([None] * 5 + [[2, 1], [1, 2]]) if program.machine == "h100" and nest.product.batches == 1 and not nest.product.places and not wrong else None):
        nest.make_alone() if nest.form == "alone" else nest.make_together()
