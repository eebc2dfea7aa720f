"""The family of nests in which warpgroups multiply tiles of shared memory by wgmma (rule C7 of docs/language.md)."""

import contextlib

from program_phases import add_all
from program_products import TYPES, Product, plain_conversion, turn
from program_scalars import Body
from program_tree import Sum

ROWS, COLUMNS, WIDE, INTEGERS = "instructions of 32 rows", "instructions of 12 columns", "instructions of 264 columns", "integers of 40 columns"
DEPTH, UNROUNDED, SUMS, MIXED = "another depth of a warpgroup", "f32 that is not rounded", "sums of another type", "factors of two types"
REGISTERS, SHARED, MAXIMUM, SUBTRACTED = "a factor in registers", "sums in shared memory", "a maximum of products", "products that are subtracted"
IN_WARP, IN_THREAD, TWICE, REDUCED = "a warpgroup in a warp", "a warpgroup in a thread", "sums of two warpgroups in one place", "warpgroups that reduce"
BESIDE, NO_BOXES, NO_PRODUCERS, TURNED = "something beside instructions", "tiles without boxes", "a ring without producers", "bytes that do not run along k"
OTHERWISE, STATED, BEYOND, NO_KIND, TRIANGLE = "sums of warpgroups parted otherwise", "another instruction than it is", "instructions beyond a tile", "rows put together by no kind", "a triangle in a cluster"
FLEETING, SINGLE, UNFED, CUT, COMMON, UNEVEN = "teams of blocks that do not persist", "one team, or too many", "teams without producers", "teams of cut tiles", "a tile that teams share", "teams of a triangle"
TEAMS = [FLEETING, SINGLE, UNFED, CUT, COMMON, UNEVEN]
MISTAKES = [ROWS, COLUMNS, WIDE, INTEGERS, DEPTH, UNROUNDED, SUMS, MIXED, REGISTERS, SHARED, MAXIMUM, SUBTRACTED, IN_WARP, IN_THREAD, TWICE, REDUCED, BESIDE,
            NO_BOXES, NO_PRODUCERS, TURNED, OTHERWISE, STATED, BEYOND, NO_KIND, TRIANGLE] + TEAMS
BYTES = ("f8E4M3FN", "f8E5M2", "i8")


def swizzled(rows, columns, size):
    """The layout of rows of `columns` elements of `size` bytes as wgmma reads them, in pieces of 128 bytes or the longest that divide them."""
    bits = next((bits for bits in (3, 2, 1) if columns * size % (16 << bits) == 0), None)
    if bits is None:
        return None
    run, base = (16 << bits) // size, {1: 4, 2: 3, 4: 2}[size]
    layout = f"({rows},{columns}):({run},1)" if columns == run else f"({rows},({run},{columns // run})):({run},(1,{rows * run}))"
    return f"Sw<{bits},{base},3> o 0 o {layout}"


class WarpgroupNest:
    """C = A * B in tiles of blocks, of warpgroups one above the other, and of instructions."""

    def __init__(self, program, draw, wrong):
        self.program, self.draw, self.wrong = program, draw, wrong
        program.machine = "h100"
        elements = {INTEGERS: ["i8"], UNROUNDED: ["f32"], MIXED: ["bf16"], SUMS: ["bf16", "i8"], TURNED: list(BYTES) + ["f32"]}.get(wrong, ["bf16", "f16", "f32", "i8", *BYTES[:2]])
        first = draw(elements)
        second = "f16" if wrong == MIXED else draw(list(BYTES[:2])) if first in BYTES[:2] else first
        program.wide = first == "i8" and draw([False, True])
        size, sums = TYPES[first]
        self.step = 32 // size * (2 if wrong == DEPTH and draw([False, True]) else 1)
        if wrong == DEPTH and self.step == 32 // size:
            self.step //= 2
        self.groups, self.high = (2, 1) if wrong in (TWICE, REDUCED, OTHERWISE) else (draw([1, 2, 1]), draw([1, 1, 2]))
        rows = 32 if wrong == ROWS else 64
        columns = {COLUMNS: 12, WIDE: 264, INTEGERS: 40}.get(wrong) or 8 * draw([2, 4, 8, 1, 3, 6, 16] if first != "i8" else [2, 4, 8, 1, 3, 6])
        self.cells = [rows, columns]
        self.beside = 1 if wrong or columns > 64 else draw([1, 1, 1, 2])
        self.own = [rows * self.high, columns * self.beside]
        # Rows of TMA have 16 bytes or a multiple.
        self.tile = [self.own[0] * self.groups, self.own[1], self.step * draw([2, 4, 1, 8] if size == 2 else [2, 4, 1])]
        self.product = Product(program, draw, [first, second], self.tile, {SUMS: first if first == "bf16" else "f32"}.get(wrong))
        short = size != 2
        self.product.turned_a = (wrong == TURNED) if short else self.product.turned_a
        self.product.turned_b = (wrong != TURNED) if short else self.product.turned_b
        batches = 1 if wrong else draw([1, 1, 1, 1, 2])
        # A may be held by the threads, who make it of elements of another type.
        self.held = not wrong and size == 2 and draw([False, False, False, True])
        if self.held:
            self.product.from_a = draw(["i8", "f32", first])
        self.product.make_operands(batches=batches, strided=("pitch", "pitch", "compact", "inner"), several=bool(wrong), batched=batches == 1 and draw([False, False, not wrong]))
        self.pad = "zero" if wrong == NO_KIND else None if wrong else draw([None, "zero"])
        self.instruction = None
        name = f"wgmma.m{rows}n{columns}k{self.step}"
        if wrong == STATED:
            self.instruction = draw(["fma", f"wgmma.m64n{columns + 8}k{self.step}", "mma.m16n8k16.16"])
        elif not wrong and draw([False, False, True]):
            self.instruction = name

    def list_teams(self):
        """How many teams' sums, and what is made of them, leave half of an SM's registers."""
        if self.wrong:
            return []
        own = self.own[0] * self.own[1] * self.groups
        return [teams for teams in (2, 3, 4) if teams * own * 4 <= 65536 and teams * self.groups <= 4]

    def copy(self, which, at, shape):
        """A ring's tile, in a layout that is stated or left to the plan; or A in registers."""
        if which == "a" and self.held:
            return self.hold_a(at, shape)
        product, turned = self.product, self.product.turned_a if which == "a" else self.product.turned_b
        source = product.a if which == "a" else product.b
        rows, columns = turn(shape, turned)
        layout = swizzled(rows, columns, TYPES[source.element][0]) if not product.places and self.draw([False, False, True]) else None
        clauses = "" if self.wrong in (NO_BOXES, NO_PRODUCERS, UNFED) else " copy(tma)"
        # What threads make of absent elements is zero.
        return product.take(which, source, at, shape, level="smem", clauses=clauses, strides=layout, pad="zero" if self.held else self.pad)

    def hold_a(self, at, shape):
        """A's tile as the threads hold it, straight from the operand or by way of the ring."""
        program, draw, product = self.program, self.draw, self.product
        source, element = product.a, product.types[0]
        # B is padded with zero; what is no zero of A, but absent, must be made one by a conversion.
        pad = draw(["zero", None]) if source.element != element else "zero"
        if not product.teams and draw([True, False]):
            clauses = draw([" copy(tma)", ""])
            source, at = product.take("a", source, at, shape, level="smem", clauses=clauses, pad=pad), [Sum(), Sum()]
        loaded = product.take("a", source, at, shape, pad=pad if source is product.a else None)
        if loaded.element == element:
            return loaded
        held = program.hold(element, loaded.shape, 0)
        program.elementwise([loaded], [held], plain_conversion(loaded.element, element))
        return held

    def multiply(self, tiles, sums, row):
        """The instructions of a warpgroup whose part begins at `row`."""
        draw, program, own, cells, wrong = self.draw, self.program, self.own, self.cells, self.wrong
        extents, steps = [own[0], own[1], self.tile[2]], [cells[0], cells[1], self.step]
        several = [n for n in range(3) if extents[n] != steps[n] or (n == 2 and draw([True, False]))]
        several = draw([several, several[::-1]])
        unit = draw(["unroll", "unroll", ""])
        ivs = [Sum(), Sum(), Sum()]
        with contextlib.ExitStack() as loops:
            if several and draw([True, False]):
                found = loops.enter_context(program.loop([extents[n] for n in several], [steps[n] for n in several], "smem", unit, stem="u"))
            else:
                found = [loops.enter_context(program.loop([extents[n]], [steps[n]], "smem", unit, stem="u"))[0] for n in several]
            for n, iv in zip(several, found):
                ivs[n] = iv
            depth = ivs[2] + (self.step if wrong == BEYOND else 0)
            a = self.product.take("a", tiles[0], [row + ivs[0], depth], [cells[0], self.step], part=True)
            b = self.product.take("b", tiles[1], [depth, ivs[1]], [self.step, cells[1]], part=wrong != REGISTERS)
            c = self.product.part(sums, [(Sum() if wrong == TWICE else row) + ivs[0], ivs[1]], cells)
            self.product.multiply(a, b, c, {UNROUNDED: "unrounded", MAXIMUM: "maximum", SUBTRACTED: "subtracted"}.get(wrong), self.instruction)
            if wrong == BESIDE:
                program.elementwise([], [c], add_all(sums.element, 0))

    def run_groups(self, tiles, sums):
        program, wrong = self.program, self.wrong
        if wrong in (IN_WARP, IN_THREAD):
            with program.loop([2], [1], "smem", "warp" if wrong == IN_WARP else "thread", stem="w"):
                with program.loop([self.tile[0]], [self.own[0]], "smem", "warpgroup", stem="w") as (row,):
                    self.multiply(tiles, sums, row)
        elif self.groups == 1 and self.draw([True, False]):
            with program.loop([1], [1], "smem", "warpgroup", stem="w"):
                self.multiply(tiles, sums, Sum())
        else:
            with program.loop([self.tile[0]], [self.own[0]], "smem", "warpgroup", reduce="add" if wrong == REDUCED else None, stem="w") as (row,):
                self.multiply(tiles, sums, row)

    def take_factors(self, along, step, steps, words):
        """The factors of the rows or columns of a tile in one step along k, in registers, from DRAM or by way of the ring."""
        program, draw, product = self.program, self.draw, self.product
        size, extent, at = [product.m, product.n][along], self.tile[along], product.at[along]
        if draw([False, False, True]):  # One for the whole tile; there is another for the next.
            return program.stage(program.operand("f32", [steps, size], draw(["pitch", "compact"]), name=program.name("F")), [step, at], [1, 1]), [Sum(), Sum()]
        vector = program.operand("f32", [steps, size], "pitch", name=program.name("F"))
        # What threads read of slots is given back in the next iteration.
        if extent % 32 == 0 and not product.teams and "release(end)" not in words and draw([False, True]):
            line = program.stage(vector, [step, at], [1, extent], level="smem", clauses=draw(["", " copy(tma)"]))
            return program.stage(line, [Sum(), Sum()], [1, extent]), [Sum(), Sum({f"d{along}": 1})]
        return program.stage(vector, [step, at], [1, extent], pad=draw(["zero", None])), [Sum(), Sum({f"d{along}": 1})]

    def scale(self, part, factors, sums):
        """sums += part * u * v."""
        body = Body([("x0", "f32"), ("x1", "f32"), ("x2", "f32"), ("y0", "f32")])
        scaled = body.add("arith.mulf", ["x0", body.add("arith.mulf", ["x1", "x2"], "f32")], "f32")
        body.give(body.add("arith.addf", ["y0", scaled], "f32"))
        identity = [Sum({"d0": 1}), Sum({"d1": 1})]
        self.program.compute([part, *(tile for tile, _ in factors)], [sums], [identity, *(place for _, place in factors), identity], body)

    def make(self):
        """The block walks k; its warpgroups have their parts of one tile of sums, or of a tile for each step that is added to it."""
        draw, program, product, tile, wrong = self.draw, self.program, self.product, self.tile, self.wrong
        element = product.sums
        sums = program.hold_shared(element, tile[:2], 0) if wrong == SHARED else product.start([self.own[0] if wrong == TWICE else tile[0], tile[1]], None if wrong else product.at)
        promoted = not wrong and draw([False, False, False, True])
        words = f"pipeline({draw([2, 3, 4])})"
        if wrong == CUT:
            words += " producers(1)"
            product.cut = "tail(cut)"
        elif wrong not in (NO_PRODUCERS, UNFED):
            producers = draw([1, 4, 4])
            words += f" producers({producers})"
            if producers == 4:
                words += draw(["", "", f" registers({draw([40, 56])}, {draw([160, 232])})"])
            words += draw(["", "", " release(end)" if not self.held else "", " release(next)"])
        if wrong == COMMON:
            program.hold_shared(element, [self.groups * 32], 0)
        # Factors have one place for each step along k: the loop counts these.
        scaled = promoted and element == "f32" and not product.places and product.batches == 1 and not product.cut and draw([False, True])
        extent = program.size(-(-program.extent(product.k) // tile[2]) + draw([0, 0, 0, 1])) if scaled else product.k
        # Of a triangle the blocks of a row go as far as its end.
        if wrong in (TRIANGLE, UNEVEN) or (not wrong and not scaled and not product.cut and not product.teams and not self.clustered and draw([False] * 4 + [True])):
            extent = product.at[0] + tile[0]
        with program.loop([extent], [1 if scaled else tile[2]], clauses=(product.cut + " " + words).strip(), stem="e") as (step,):
            k = step * tile[2] if scaled else step
            tiles = [self.copy("a", [product.at[0], k], [tile[0], tile[2]]), self.copy("b", [k, product.at[1]], [tile[2], tile[1]])]
            factors = [self.take_factors(n, step, extent, words) for n in (0, 1)] if scaled else []
            part = product.hold(element, tile[:2], draw([0, 0, 2])) if promoted else sums
            with contextlib.nullcontext() if scaled else product.sometimes(k):
                self.run_groups(tiles, part)
            if scaled:
                self.scale(part, factors, sums)
            elif promoted:
                program.elementwise([part], [sums], add_all(element, 1))
        if wrong == SHARED:
            with program.loop([tile[0]], [1], "smem", "thread", stem="t") as (row,):
                line = program.stage(sums, [row, 0], [1, tile[1]])
                product.at = [product.at[0] + row, product.at[1]]
                product.keep(line, whole=False)
            return
        if wrong == OTHERWISE:
            with program.loop([tile[0]], [1], "rf", "thread", stem="t") as (row,):
                line = program.part(sums, [row, 0], [1, tile[1]])
                program.elementwise([], [line], add_all(element, 0))
        if wrong == NO_KIND:
            product.rows(sums, "no kind")
        product.finish(sums)


def warpgroup_family(program, draw, wrong=None):
    """Warpgroups multiply what producers copy by TMA; what follows is done element by element, or for each row, on what threads hold."""
    nest = WarpgroupNest(program, draw, wrong)
    cluster = None if wrong or nest.product.batches > 1 or nest.product.places else draw([None, None, None, None, [2, 1], [1, 2]])
    if wrong == TRIANGLE:
        cluster = [2, 1]
    nest.clustered = cluster is not None
    if wrong in TEAMS:
        clauses = {FLEETING: f"teams({draw([2, 3])})", SINGLE: f"persistent teams({draw([1, 0, 16, -1])})"}.get(wrong, "persistent teams(2)")
        nest.product.cut, nest.clustered = "", False
        with program.loop([nest.product.m, nest.product.n], nest.tile[:2], unit="block", clauses=clauses, stem="b") as nest.product.at:
            nest.make()
        return
    with nest.product.blocks(cluster, draw([0, 0, 0, 0] + nest.list_teams())):
        nest.make()
