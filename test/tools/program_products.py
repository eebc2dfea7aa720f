"""Products C = A * B in tiles, and what follows them element by element, or for each row or column: what families of program_warps.py and program_warpgroups.py have in common."""

import contextlib
import pathlib

from program_bodies import draw_map, simple
from program_scalars import FLOATS, Body
from program_tree import Sum

# Bytes of an element, and the type of sums.
TYPES = {"bf16": (2, "f32"), "f16": (2, "f32"), "f32": (4, "f32"), "i8": (1, "i32"), "f8E4M3FN": (1, "f32"), "f8E5M2": (1, "f32")}
# A machine of one SM; of clusters of two as many run at once as if it had two.
FEW = pathlib.Path(__file__).resolve().parents[1] / "Run/Inputs/one_sm90.yaml"
M, N, K, BATCH = (Sum({f"d{n}": 1}) for n in range(4))


def turn(pair, turned):
    return pair[::-1] if turned else list(pair)


def product_body(draw, types, sums, form):
    """c + a * b in one of its spellings, or what `form` makes of it."""
    body = Body([("x0", types[0]), ("x1", types[1]), ("y0", sums)])
    factors = []
    for name, kind in zip(("x0", "x1"), types):
        if kind == "f32" and form != "unrounded":
            name = body.add("arith.truncf", [name], "tf32")
            name = body.add("arith.extf", [name], "f32")
        elif kind != sums:
            name = body.add("arith.extf" if kind != "i8" else "arith.extsi" if sums == "i32" else "arith.sitofp", [name], sums)
        factors.append(name)
    kind = "i" if sums == "i32" else "f"
    factors = turn(factors, draw([False, True]))
    value = body.add("arith.mul" + kind, factors, sums)
    if form == "maximum":
        return body.give(body.add("arith.maximumf" if kind == "f" else "arith.maxsi", ["y0", value], sums))
    if form == "subtracted":
        return body.give(body.add("arith.sub" + kind, ["y0", value], sums))
    return body.give(body.add("arith.add" + kind, turn(["y0", value], draw([False, True])), sums))


class Product:
    """C = A * B in tiles: its types, its operands and which way they run, and where it is in the loops around."""

    def __init__(self, program, draw, types, tile, sums=None):
        """`tile` is (m, n, k) of a block; `types` are those of a and b."""
        self.program, self.draw, self.types, self.tile = program, draw, types, tile
        self.sums = sums or TYPES[types[0]][1]
        # Which dimension of operands and their tiles has a product of a batch for each of its places; tiles have one place of it.
        self.places, self.of_batch, self.teams = {}, Sum(), 0
        # Which of B's matrices a product of the batch takes, where indices say it.
        self.whose = None
        # The type of A in DRAM, where it is not the one that is multiplied.
        self.from_a = types[0]
        self.turned_a, self.turned_b = draw([False, True]), draw([False, True])

    def size(self, tile, several=False):
        extent = 2 * tile if several else self.draw([tile, tile + 1, 2 * tile, tile - 1, 2 * tile + 16, tile + 8, 2 * tile - 16, tile // 2, self.draw([1, 2, 0])])
        return extent if self.draw([False, False, True]) else self.program.size(extent)

    def extend(self, which, two, value):
        """What has two dimensions, with `value` for the one of the batch, if there is one."""
        place = self.places.get(which)
        return list(two) if place is None else [*two[:place], value, *two[place:]]

    def make_operands(self, batches=1, strided=("pitch", "compact", "inner"), several=False, batched=False):
        """`batches`: how many products lie one below the other, each as high as whole tiles; `batched`: they have a dimension of their own."""
        program, draw = self.program, self.draw
        m, n, k = self.tile
        self.batches, self.stride = batches, 0
        if batches > 1:
            self.stride = draw([m, 2 * m])
            self.m = program.size(batches * self.stride) if draw([False, True]) else batches * self.stride
        else:
            self.m = self.size(m, several)
        self.n, self.k = self.size(n, several), self.size(k, several)
        strided = list(strided)
        if batched:
            self.places = {which: draw([0, 0, 1, 2]) for which in "abc"}
            self.products = program.size(draw([2, 1, 3])) if draw([True, False]) else draw([2, 1, 3])
            if draw([False, False, True]):
                self.groups = program.size(draw([3, 1, 5])) if draw([True, False]) else draw([3, 1, 5])
                self.whose = program.operand("i32", [self.products], draw(["compact", "all"]), name="I")
                self.whose.numbers = program.extent(self.groups)
        self.a = self.operand("a", self.from_a, turn([self.m, self.k], self.turned_a), strided, "A")
        self.b = self.operand("b", self.types[1], turn([self.k, self.n], self.turned_b), strided, "B")
        for operand in (self.a, self.b):
            operand.rounded = operand.element == "f32"

    def operand(self, which, element, shape, strided, name):
        places = self.groups if which == "b" and self.whose else getattr(self, "products", None)
        return self.program.operand(element, self.extend(which, shape, places), self.draw(strided), name=name)

    def of_c(self, make, element, strided, stem, at, shape, **options):
        """A part or stage of another operand that is C's like."""
        other = self.operand("c", element, [self.m, self.n], strided, self.program.name(stem))
        return make(other, self.extend("c", at, self.of_batch), shape, **options)

    @contextlib.contextmanager
    def blocks(self, cluster=None, teams=0):
        """The loops over tiles of C; sets where its tile begins. Blocks that have teams persist."""
        program, draw = self.program, self.draw
        self.teams = teams
        clauses = "persistent" if teams else draw(["", "", "persistent", "raster(column)"])
        # Of these the last wave may be cut along k.
        self.cut = "tail(cut)" if clauses == "persistent" and not teams and draw([False, False, program.must == "right"]) else ""
        if teams:
            clauses = f"persistent teams({teams})" + draw([""] if self.batches > 1 or self.places else ["", " raster(column)", " raster(diagonal)"])
            # Each block has several tiles.
            program.machine = str(FEW)
        m, n, _ = self.tile
        with contextlib.ExitStack() as loops:
            if cluster:
                outer = loops.enter_context(program.loop([self.m, self.n], [m * cluster[0], n * cluster[1]], unit="cluster", clauses=clauses, stem="z"))
                inner = loops.enter_context(program.loop([m * cluster[0], n * cluster[1]], [m, n], unit="block", stem="b"))
                self.at = [a + b for a, b in zip(outer, inner)]
            elif self.places:
                order = draw([[0, 1, 2], [1, 2, 0], [1, 0, 2]])  # Where the batch's loop stands.
                extents, steps = [self.products, self.m, self.n], [1, m, n]
                ivs = loops.enter_context(program.loop([extents[n] for n in order], [steps[n] for n in order], unit="block", clauses=clauses, stem="b"))
                self.of_batch, *self.at = (ivs[order.index(n)] for n in range(3))
            elif self.batches > 1:
                batch, row, column = loops.enter_context(program.loop([self.batches * self.stride, self.stride, self.n], [self.stride, m, n], unit="block", clauses=clauses, stem="b"))
                self.at = [batch + row, column]
            else:
                self.at = loops.enter_context(program.loop([self.m, self.n], [m, n], unit="block", clauses=clauses, stem="b"))
            yield

    def take(self, which, source, at, shape, part=False, **options):
        """A tile or part of A or B, `at` and `shape` in the order (m, k) or (k, n)."""
        turned = self.turned_a if which == "a" else self.turned_b
        make = self.program.part if part else self.program.stage
        of_batch = self.of_batch if source is getattr(self, which) else Sum()
        if self.whose and source is self.b:
            options["gather"] = (self.whose, self.places["b"])
        return make(source, self.extend(which, turn(at, turned), of_batch), self.extend(which, turn(shape, turned), 1), **options)

    def part(self, sums, at, shape):
        """A part of a tile of sums."""
        return self.program.part(sums, self.extend("c", at, Sum()), self.extend("c", shape, 1))

    def hold(self, element, shape, value):
        return self.program.hold(element, self.extend("c", shape, 1), value)

    def multiply(self, a, b, c, form=None, instruction=None):
        """The computation, its dimensions and inputs in any order, and named where it can be."""
        draw, program = self.draw, self.program
        maps = [self.extend("a", turn([M, K], self.turned_a), BATCH), self.extend("b", turn([K, N], self.turned_b), BATCH), self.extend("c", [M, N], BATCH)]
        loops = 4 if self.places else 3
        body = product_body(draw, self.types, c.element, form)
        product = None if form in ("maximum", "subtracted") else "tf32" if self.types[0] == "f32" and form != "unrounded" else self.types[0]
        if not self.places and draw([True, False]) and (self.types[0] != "f32" or form == "unrounded") and not instruction and form in (None, "unrounded"):
            program.compute([a, b], [c], maps, body, ["parallel", "parallel", "reduction"])
            words = ", ".join(f"affine_map<(d0, d1, d2) -> ({', '.join(map(str, one))})>" for one in maps).replace("%", "")
            program.open_body[-1].named = (f"matmul indexing_maps = [{words}]", "")
        else:
            order = draw([[0, 1, 2], [2, 0, 1], [1, 0, 2], [0, 2, 1]])  # What of d0, d1, d2 is m, n and k.
            order = order + [3] if loops == 4 else order
            renamed = {f"d{n}": f"d{order[n]}" for n in range(loops)}
            maps = [[Sum({renamed[name]: 1 for name in subscript.terms}) for subscript in one] for one in maps]
            kinds = ["parallel"] * loops
            kinds[order[2]] = "reduction"
            ins = [a, b]
            if draw([False, False, True]):
                ins, maps = ins[::-1], [maps[1], maps[0], maps[2]]
                body = product_body(draw, self.types[::-1], c.element, form)
            program.compute(ins, [c], maps, body, kinds)
        program.open_body[-1].product = product
        program.open_body[-1].instruction = instruction

    def start(self, shape, at=None):
        """A tile of sums: of one number, or of what an operand has where its tile lies, which may be more than is compiled."""
        program, draw = self.program, self.draw
        if at is not None and not self.cut and draw([False] * 7 + [True]):
            program.must = "either" if program.must == "right" else program.must
            return self.of_c(program.stage, self.sums, ["pitch", "compact", "all"], "R", at, self.extend("c", shape, 1), pad=draw(["zero", None]))
        return self.hold(self.sums, shape, draw([0, 0, 3, -1]))

    @contextlib.contextmanager
    def sometimes(self, k):
        """A condition that some steps along k fulfil, in one of twelve programs."""
        if not self.draw([False] * 11 + [True]):
            yield
            return
        predicate, number = self.draw([("ult", 2 * self.tile[2]), ("uge", self.tile[2]), ("eq", 0)])
        with self.program.condition(predicate, k, number):
            yield

    # What follows.

    def finish(self, c, whole=True):
        """The sums, or what is made of them element by element, stored to one operand or two; `whole`: by the block together."""
        draw = self.draw
        if draw([False, False, True]):
            self.keep(c, whole)
        for _ in range(draw([0, 1, 2])):
            getattr(self, draw(["relu", "scale", "bias", "any", "residual", "rows"]))(c)
        self.keep(self.convert(c) if draw([True, True, False]) else c, whole)

    def keep(self, c, whole=True):
        program, draw = self.program, self.draw
        combine = draw([None] * 5 + ["add"]) if c.element in ("f32", "i32") else None
        target = self.operand("c", c.element, [self.m, self.n], ["pitch", "compact", "inner", "all"], program.name("Y"))
        clauses = ""
        if whole and not combine and draw([False, program.must == "right"]):
            slices = [columns for columns in (8, 16, 32, 64) if c.shape[-1] % columns == 0]
            clauses = f" through({draw([0] + slices)})"
        program.store(c, target, self.extend("c", self.at, self.of_batch), combine, clauses=clauses)

    def relu(self, c):
        zero = 0.0 if c.element in FLOATS else 0
        op = "arith.maximumf" if c.element in FLOATS else "arith.maxsi"
        self.program.elementwise([], [c], simple([("y0", c.element)], [(op, "y0", zero)]))

    def scale(self, c):
        program = self.program
        scalar = program.scalar(c.element, self.draw([2, 1, -1, 0.5 if c.element in FLOATS else 3]))
        body = Body([("y0", c.element)])
        body.types[scalar] = c.element
        kind = "f" if c.element in FLOATS else "i"
        program.elementwise([], [c], body.give(body.add("arith.mul" + kind, ["y0", scalar], c.element)))

    def bias(self, c):
        """A row or a column, added to all others, from DRAM or out of registers."""
        program, draw = self.program, self.draw
        along = draw([1, 0])
        dims = [n for n in range(len(c.shape)) if n != self.places.get("c")]
        element = draw([c.element] + (["f32", "bf16", "i8"] if c.element == "f32" else ["i8"] if c.element == "i32" else []))
        vector = program.operand(element, [[self.m, self.n][along]], draw(["compact", "all"]), name=program.name("V"))
        make, options = (program.stage, {"pad": draw(["zero", None])}) if draw([False, False, True]) else (program.part, {})
        line = make(vector, [self.at[along]], [c.shape[dims[along]]], **options)
        body = Body([("x0", element), ("y0", c.element)])
        value = "x0"
        if element != c.element:
            value = body.add("arith.sitofp" if element == "i8" and c.element == "f32" else "arith.extsi" if element == "i8" else "arith.extf", ["x0"], c.element)
        body.give(body.add("arith.addf" if c.element in FLOATS else "arith.addi", ["y0", value], c.element))
        identity = [Sum({f"d{n}": 1}) for n in range(len(c.shape))]
        program.compute([line], [c], [[identity[dims[along]]], identity], body, loops=len(c.shape))

    def rows(self, c, form=None):
        """What a kind, or `form`, makes of each row or column, put together with all of its elements."""
        program, draw = self.program, self.draw
        # Beyond the ends of operands that nobody pads it is not said what rows have, which may be more than is compiled; so may lines across warps.
        program.must = "either" if program.must == "right" else program.must
        along = draw([0, 0, 0, 1])
        dim = [n for n in range(len(c.shape)) if n != self.places.get("c")][along]
        line = program.hold(c.element, [c.shape[dim]], draw([0, 0, 1]))
        ops = ["add", "maximum", "minimum"] if c.element in FLOATS else ["add", "maxs", "mins"]
        word = "f" if c.element in FLOATS else "i"
        body = Body([("x0", c.element), ("y0", c.element)])
        value = body.add("arith." + draw(ops) + word, ["y0", "x0"], c.element)
        body.give(body.add("arith.add" + word, [value, value], c.element) if form == "no kind" else value)
        identity = [Sum({f"d{n}": 1}) for n in range(len(c.shape))]
        program.compute([c], [line], [identity, [identity[dim]]], body, ["parallel" if n == dim else "reduction" for n in range(len(c.shape))])
        body = Body([("x0", c.element), ("y0", c.element)])
        body.give(body.add("arith." + draw(ops[1:] + ["add"]) + word, ["y0", "x0"], c.element))
        program.compute([line], [c], [[identity[dim]], identity], body, loops=len(c.shape))

    def residual(self, c):
        """Another operand, element by element."""
        program, draw = self.program, self.draw
        make, options = (program.stage, {"pad": draw(["zero", None])}) if draw([False, False, True]) else (program.part, {})
        tile = self.of_c(make, draw([c.element, "f32"]), ["pitch", "compact", "all"], "R", self.at, c.shape, **options)
        program.elementwise([tile], [c], draw_map(draw, [tile], [c], len(c.shape)))

    def any(self, c):
        self.program.elementwise([], [c], draw_map(self.draw, [], [c], len(c.shape)))

    def convert(self, c):
        program, draw = self.program, self.draw
        element = draw(["bf16", "f16", "f32", "f64"] if c.element in FLOATS else ["i8", "i32", "f32", "bf16", "f64"])
        out = program.hold(element, c.shape, 0)
        program.elementwise([c], [out], draw_map(draw, [c], [out], len(c.shape), depth=draw([1, 2])) if draw([False, True]) else plain_conversion(c.element, element))
        return out


def plain_conversion(source, target):
    body = Body([("x0", source), ("y0", target)])
    if source == target:
        return body.give("x0")
    width = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64, "i8": 8, "i32": 32}
    if {source, target} == {"f16", "bf16"}:
        return body.give(body.add("arith.truncf", [body.add("arith.extf", ["x0"], "f32")], target))
    if source in FLOATS:
        op = "arith.extf" if width[target] > width[source] else "arith.truncf"
    else:
        op = "arith.sitofp" if target in FLOATS else "arith.trunci"
    return body.give(body.add(op, ["x0"], target))
