"""The family of nests whose loops tie held tiles together: tuples that a region of the nest makes one of two.

What an iteration begins with is neutral, so program_meaning.py combines what iterations have changed, in their order: one that
does not commute tells lower iterations from upper ones.
"""

from program_maps import STRIDES
from program_scalars import Body, FLOATS
from program_tree import Sum

STORED, CHANGES, TYPES, SHAPES, LEFT_OUT, PARTED, FEW = (
    "tied tile stored in its loop", "tiles held with what is not neutral", "combine of other types", "tied tiles of two shapes", "tile that is not tied",
    "tied tiles parted otherwise", "combine that gives too little")
MISTAKES = [STORED, CHANGES, TYPES, SHAPES, LEFT_OUT, PARTED, FEW]
ROW, ALL, COLUMN = [Sum({"d0": 1})], [Sum({"d0": 1}), Sum({"d1": 1})], [Sum({"d1": 1})]


def op(kind, word):
    return f"arith.{word}{'f' if kind in FLOATS else 'i'}"


class Monoid:
    """Elements of the tuple with what they are held with, the body that adds an element x0 (and a key x1) to it, and that of combine."""

    def __init__(self, elements, inits, add, combine, keyed=False):
        self.elements, self.inits, self.keyed = elements, inits, keyed
        inputs = [("x0", elements[0])] + ([("x1", "i32")] if keyed else [])
        self.add = Body(inputs + [(f"y{n}", kind) for n, kind in enumerate(elements)])
        self.add.give(*add(self.add, [f"y{n}" for n in range(len(elements))], ["x0", "x1"]))
        names = [f"{side}{n}" for side in ("lo", "hi") for n in range(len(elements))]
        self.combine = Body(list(zip(names, elements * 2)))
        self.combine.give(*combine(self.combine, names[:len(elements)], names[len(elements):]))


def greatest(draw):
    """The greatest element and its key, of equal ones the lowest key."""
    kind = draw(["f32", "i32", "f64"])
    compare, more = ("arith.cmpf", ["ogt", "oeq"]) if kind in FLOATS else ("arith.cmpi", ["sgt", "eq"])

    def better(body, old, new):
        takes = body.add("arith.ori", [body.add(compare, [new[0], old[0]], "i1", more[0]), body.add("arith.andi", [
            body.add(compare, [new[0], old[0]], "i1", more[1]), body.add("arith.cmpi", [new[1], old[1]], "i1", "slt")], "i1")], "i1")
        return [body.add("arith.select", [takes, b, a], body.types[a]) for a, b in zip(old, new)]

    return Monoid([kind, "i32"], [float("-inf") if kind in FLOATS else -(1 << 31), (1 << 31) - 1], better, better, keyed=True)


def polynomial(draw):
    """x -> a x + b, one after the other, for which the order matters."""
    kind = draw(["i32", "i64"])

    def after(body, first, then):
        moved = body.add("arith.addi", [body.add("arith.muli", [first[1], then[0]], kind), then[1]], kind)
        return [body.add("arith.muli", [first[0], then[0]], kind), moved]

    def add(body, old, new):
        return after(body, old, [body.add("arith.addi", [new[0], body.constant(draw([2, 3]), kind)], kind), body.constant(draw([1, 5]), kind)])

    return Monoid([kind, kind], [1, 0], add, after)


def moments(draw):
    """How many there are, their mean, and the sum of squares of what they differ from it by (Welford)."""
    kind = draw(["f32", "f64"])

    def add(body, old, new):
        count = body.add("arith.addf", [old[0], body.constant(1.0, kind)], kind)
        d = body.add("arith.subf", [new[0], old[1]], kind)
        mean = body.add("arith.addf", [old[1], body.add("arith.divf", [d, count], kind)], kind)
        far = body.add("arith.mulf", [d, body.add("arith.subf", [new[0], mean], kind)], kind)
        return [count, mean, body.add("arith.addf", [old[2], far], kind)]

    def combine(body, lower, upper):
        count = body.add("arith.addf", [lower[0], upper[0]], kind)
        share = body.add("arith.divf", [upper[0], body.add("arith.maximumf", [count, body.constant(1.0, kind)], kind)], kind)
        d = body.add("arith.subf", [upper[1], lower[1]], kind)
        move = body.add("arith.mulf", [d, share], kind)
        between = body.add("arith.mulf", [body.add("arith.mulf", [d, move], kind), lower[0]], kind)
        inside = body.add("arith.addf", [lower[2], upper[2]], kind)
        return [count, body.add("arith.addf", [lower[1], move], kind), body.add("arith.addf", [inside, between], kind)]

    return Monoid([kind] * 3, [0, 0, 0], add, combine)


def exponentials(draw):
    """The greatest element, and the sum of exponentials of what others lie below it."""
    lowest, kind = draw([-2.0 ** 100, -128.0]), draw(["f32", "f64"])

    def scaled(body, part, most):
        return body.add("arith.mulf", [part[1], body.add("math.exp", [body.add("arith.subf", [part[0], most], kind)], kind)], kind)

    def add(body, old, new):
        most = body.add("arith.maximumf", [old[0], new[0]], kind)
        own = body.add("math.exp", [body.add("arith.subf", [new[0], most], kind)], kind)
        return [most, body.add("arith.addf", [scaled(body, old, most), own], kind)]

    def combine(body, lower, upper):
        most = body.add("arith.maximumf", [lower[0], upper[0]], kind)
        return [most, body.add("arith.addf", [scaled(body, lower, most), scaled(body, upper, most)], kind)]

    return Monoid([kind] * 2, [lowest, 0], add, combine)


def bounds(draw):
    """The least and the greatest, and what nobody changes."""
    def pair(body, old, new):
        return [body.add("arith.minsi", [old[0], new[0]], "i32"), body.add("arith.maxsi", [old[1], new[-1]], "i32"), old[2]]

    return Monoid(["i32"] * 3, [(1 << 31) - 1, -(1 << 31), draw([0, 7])], lambda body, old, new: pair(body, old, new[:1]),
                  lambda body, lower, upper: pair(body, lower, upper[:2]))


def make_wrong(monoid, wrong):
    body = monoid.combine
    if wrong == CHANGES:
        monoid.inits[0] = 3
    elif wrong == TYPES:
        names = [name for name, _ in body.arguments]
        body.arguments = [(names[0], "f16")] + body.arguments[1:]
        body.steps, body.results = [], names[len(monoid.elements):]
    elif wrong == FEW:
        body.results = body.results[:-1]


def draw_units(draw, wrong):
    """Who combines: the threads of a block, those of each row of its tile, warps and their threads, blocks of a cluster and theirs."""
    if wrong in (PARTED, SHAPES):
        return "several"
    return draw(["thread", "several"] if wrong == LEFT_OUT else ["thread", "thread", "several", "warp", "cluster"])


class Nest:
    """The loops of one nest around `step`, which takes a place of the operand."""

    def __init__(self, program, draw, monoid, wrong):
        self.program, self.monoid, self.wrong = program, monoid, wrong
        self.units, self.form = draw_units(draw, wrong), draw(["outside", "inside"])
        self.threads, self.part = draw([32, 64] if wrong else {"thread": [32, 64, 12, 20, 48, 128], "warp": [32, 64, 16, 24]}.get(self.units, [32, 64])), draw([1, 2])
        if self.units == "cluster":
            program.machine, self.form = "h100-sxm", "outside"
        self.height = 4 if self.units == "several" else 1
        threads, part = self.threads, self.part
        self.width = {"thread": threads * part, "several": threads // 4 * part, "warp": 2 * threads, "cluster": 4 * threads * part}[self.units]
        self.tiles, self.tied = [], {}

    def draw_operands(self, draw):
        """X, keys of its columns, a row of results for each member, and T, which threads of the block beyond those that reduce write."""
        program, monoid = self.program, self.monoid
        rows, columns = draw([5, 4, 1, 9]), draw([70, 33, 128, 3, 0])
        if not monoid.combine.exact:  # Of a tuple without elements nothing is known but that it is small.
            columns = max(columns, 3)
        if self.wrong:
            rows, columns = max(rows, 4), 70
        self.sizes = [program.size(rows), program.size(columns)]
        self.source = program.operand(monoid.elements[0], self.sizes, draw(STRIDES), name="A")
        self.keys = program.operand("i32", [self.sizes[1]], name="K") if monoid.keyed else None
        self.results = [program.operand(kind, [self.sizes[0]], draw(STRIDES), name=f"S{n}") for n, kind in enumerate(monoid.elements)]
        self.beside = draw([0, 0, 40, 96]) if self.units == "thread" and not self.wrong else 0

    def hold(self):
        for number, (kind, init) in enumerate(zip(self.monoid.elements, self.monoid.inits)):
            self.tiles.append(self.program.hold(kind, [self.height + (self.wrong == SHAPES and number == 1)], init))
        combine = self.monoid.combine
        self.tied.update(tied=self.tiles[:-1] if self.wrong == LEFT_OUT else self.tiles, combine=combine)
        if self.wrong == LEFT_OUT:
            names = [name for name, _ in combine.arguments]
            last = {names[len(self.tiles) - 1], names[-1]}
            combine.arguments = [pair for pair in combine.arguments if pair[0] not in last]
            combine.steps, combine.results = [], names[:len(self.tiles) - 1]

    def step(self, at, row):
        program, first = self.program, self.monoid.elements[0]
        inputs = [program.stage(self.source, at, [1, self.part])] + ([program.stage(self.keys, at[1:], [self.part])] if self.keys else [])
        parts = [program.part(tile, [row], [1]) if row is not None else tile for tile in (self.tiles[:1] if self.wrong == PARTED else self.tiles)]
        body = self.monoid.add
        if self.wrong == PARTED:  # The others are held by all.
            body, inputs = Body([("x0", first), ("y0", first)]), inputs[:1]
            body.give(body.add(op(first, "add"), ["x0", "y0"], first))
        program.compute(inputs, parts, [ALL] + [COLUMN] * (len(inputs) - 1) + [ROW] * len(parts), body, ["parallel", "reduction"])
        if self.wrong == STORED:
            program.store(parts[0], self.results[0], [at[0]], combine="add")

    def walk(self, block, outer, inner):
        """The loops that combine, around what `inner` does with the place that they give."""
        loop, threads, part = self.program.loop, self.threads, self.part
        if self.units == "several":
            with loop([4, threads // 4 * part], [1, part], unit="thread", stem="t", **self.tied) as (row, lane):
                inner(block + row, outer + lane, row)
        elif self.units == "warp":
            with loop([2 * threads], [threads], unit="warp", stem="w", **self.tied) as (warp,):
                with loop([threads], [part], unit="thread", stem="t", **self.tied) as (lane,):
                    inner(block, outer + warp + lane, None)
        else:
            with loop([threads * part], [part], unit="thread", stem="t", **self.tied) as (lane,):
                inner(block, outer + lane, None)

    def reduce(self, block, first):
        if self.form == "inside":
            with self.program.loop([self.sizes[1]], [self.width], stem="q") as (outer,):
                self.walk(block, outer, lambda i, j, row: self.step([i, j], row))
            return

        def inner(i, j, row):
            with self.program.loop([self.sizes[1]], [self.width], stem="q") as (outer,):
                self.step([i, j + outer], row)
        self.walk(block, first, inner)

    def store(self, block):
        for tile, result in zip(self.tiles, self.results):
            self.program.store(tile, result, [block])
        if not self.beside:
            return
        kind = self.monoid.elements[1]
        copies = self.program.operand(kind, [self.sizes[0], self.beside], name="T")
        with self.program.loop([self.beside], [1], unit="thread", stem="c") as (lane,):
            seen = self.program.hold(kind, [1, 1], 0)
            body = Body([("x0", kind), ("y0", kind)])
            self.program.compute([self.tiles[1]], [seen], [ROW, ALL], body.give(body.add(op(kind, "add"), ["x0", "y0"], kind)))
            self.program.store(seen, copies, [block, lane])


def tie_family(program, draw, wrong=None):
    """Tuples of the rows of X, over one or two induction variables of loops on threads, warps and blocks of a cluster, inside or outside of a loop over time."""
    # Of counts: that 3 and 3 are 6 is found in a combination of constants.
    monoid = (moments if wrong == CHANGES else draw([greatest, polynomial, moments, exponentials, bounds]))(draw)
    make_wrong(monoid, wrong)
    nest = Nest(program, draw, monoid, wrong)
    nest.draw_operands(draw)
    if nest.units == "cluster":
        with program.loop([nest.sizes[0]], [1], unit="cluster", stem="b") as (block,):
            nest.hold()
            with program.loop([4 * nest.threads * nest.part], [nest.threads * nest.part], unit="block", stem="u", **nest.tied) as (rank,):
                nest.reduce(block, rank)
            nest.store(block)
        return
    with program.loop([nest.sizes[0]], [nest.height], unit="block", stem="b") as (block,):
        nest.hold()
        nest.reduce(block, Sum())
        nest.store(block)
