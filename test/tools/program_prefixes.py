"""The family of nests whose loops scan: running sums, products, maxima and minima of rows, by threads that have some elements each."""

from program_bodies import start_of, update
from program_maps import STRIDES
from program_reductions import KINDS
from program_scalars import Body, FLOATS
from program_tree import Sum

OTHER, TWICE, INSIDE, READ, ORDERS, WARPS, PARTED, POINTS, SHARED, SOME = (
    "scan by another kind", "two ops that scan one tile", "scan inside of a loop over time", "running sum read by others", "scan over two variables",
    "scan over warps", "scan of several threads each", "scan of what points before wrote", "scan of elements in smem", "scan by some threads")
MISTAKES = [OTHER, TWICE, INSIDE, READ, ORDERS, WARPS, PARTED, POINTS, SHARED, SOME]
ROW, ALL = [Sum({"d0": 1})], [Sum({"d0": 1}), Sum({"d1": 1})]


def plus(element):
    return "arith.addf" if element in FLOATS else "arith.addi"


class Scan:
    """What is scanned, by which kind, and what becomes of it."""

    def __init__(self, draw, wrong):
        self.kind, self.wrong = draw(KINDS), wrong
        self.element = draw(["i32", "f32", "f64", "i64", "i8"] if self.kind != "mul" else ["i32", "i64"])
        if self.kind in ("max", "min") and self.element in FLOATS:
            self.kind += draw(["", "num"])
        self.reads = draw(["after", "before", "both", "nothing"]) if not wrong else "after"
        self.in_place, self.weighted = draw([True, False]), draw([False, True])
        self.start = draw([start_of(self.kind, self.element)] * 2 + [1, 3])

    def body(self):
        """y0 is what is before a point; y1 the point's own, where x0 is not."""
        element = self.element
        inputs = ([] if self.in_place else ["x0"]) + (["x1"] if self.weighted else [])
        inputs = [f"x{n}" for n in range(len(inputs))]
        body = Body([(name, element) for name in inputs] + [("y0", element), ("y1", element)] + ([("y2", element)] if self.wrong == POINTS else []))
        value = "y1" if self.in_place else "x0"
        if self.weighted:
            value = body.add(plus(element), [value, inputs[-1]], element)
        if self.wrong == POINTS:
            value = more = body.add(plus(element), [value, "y2"], element)
        kind = self.kind if self.wrong != OTHER else {"add": "max", "max": "add", "min": "max", "mul": "add", "maxnum": "max", "minnum": "maxnum"}[self.kind]
        after = update(body, kind, "y0", value)
        result = {"after": after, "before": "y0", "nothing": value}.get(self.reads) or body.add(plus(element), [after, "y0"], element)
        return body.give(after, result, *([more] if self.wrong == POINTS else []))


class Nest:
    """The loops around a scan."""

    def __init__(self, program, draw, wrong):
        self.program, self.wrong, self.scan = program, wrong, Scan(draw, wrong)
        # Whose rows: a block has one, or one for each value of another variable, or each warp, or each thread some.
        self.rows = draw(["one", "several", "warps", "of a thread"]) if not wrong else "one"
        self.threads = draw([32, 64, 12, 20, 48, 128]) if self.rows == "one" and not wrong else draw([32, 64])
        self.part, self.height = draw([1, 2, 4]) if wrong != POINTS else 2, {"one": 1, "several": 4, "warps": 4, "of a thread": 2}[self.rows]
        self.width = {"several": self.threads // 4, "warps": 32}.get(self.rows, self.threads) * self.part
        rows, columns = draw([5, 4, 1, 9]), draw([70, 33, 128, 3, 0, 200])
        if wrong:
            rows, columns = max(rows, 4), 200
        self.sizes = [program.size(rows), program.size(columns)]
        element = self.scan.element
        self.source = program.operand(element, self.sizes, draw(STRIDES), name="A")
        self.weights = program.operand(element, self.sizes, draw(STRIDES), name="W") if self.scan.weighted else None
        self.target = self.source if draw([False, False, True]) and not wrong else program.operand(element, self.sizes, draw(STRIDES), name="Y")
        self.totals = program.operand(element, [self.sizes[0]], draw(STRIDES), name="S")

    def step(self, at, held, shared):
        program, scan = self.program, self.scan
        shape = [self.height if self.rows == "of a thread" else 1, self.part]
        value = program.part(shared, [0, at[1]], shape) if shared else program.stage(self.source, at, shape)
        weights = [program.stage(self.weights, at, shape)] if self.weights else []
        target = value if scan.in_place else program.hold(scan.element, shape, 0)
        ins, outs = ([] if scan.in_place else [value]) + weights, [held, target]
        if self.wrong == POINTS:
            outs.append(program.hold(scan.element, shape[:1], 0))
        maps = [ALL] * len(ins) + [ROW, ALL] + [ROW] * (self.wrong == POINTS)
        for _ in range(2 if self.wrong == TWICE else 1):
            program.compute(ins, outs, maps, scan.body(), ["parallel", "reduction"])
        if self.wrong == READ:
            program.store(held, self.totals, [at[0]], combine="add")
        program.store(target, self.target, at)

    def walk(self, block, outer, held, shared=None):
        """The loop that scans, around a step at the place that it gives."""
        loop, kind, words = self.program.loop, self.scan.kind, {"reduce": self.scan.kind, "clauses": "prefix"}
        lanes = self.width
        if self.wrong == ORDERS:
            with loop([4, lanes], [1, self.part], unit="thread", stem="t", **words) as (group, lane):
                self.step([block, outer + lane + group * lanes], held, shared)
        elif self.wrong == WARPS:
            with loop([4 * lanes], [lanes], unit="warp", stem="w", **words) as (warp,):
                with loop([lanes], [self.part], unit="thread", reduce=kind, stem="t") as (lane,):
                    self.step([block, outer + warp + lane], held, shared)
        elif self.wrong == PARTED:
            with loop([4 * lanes], [lanes], unit="thread", stem="w", **words) as (group,):
                with loop([lanes], [self.part], unit="thread", reduce=kind, stem="t") as (lane,):
                    self.step([block, outer + group + lane], held, shared)
        elif self.wrong == INSIDE:
            with loop([lanes], [self.part], unit="thread", stem="t", **words) as (lane,):
                with loop([self.sizes[1]], [lanes], stem="q") as (outer,):
                    self.step([block, outer + lane], held, shared)
        elif self.rows == "several":
            with loop([4, lanes], [1, self.part], unit="thread", stem="t", **words) as (row, lane):
                self.step([block + row, outer + lane], self.program.part(held, [row], [1]), shared)
        elif self.rows == "warps":
            with loop([4], [1], unit="warp", stem="w") as (row,):
                with loop([lanes], [self.part], unit="thread", stem="t", **words) as (lane,):
                    self.step([block + row, outer + lane], self.program.part(held, [row], [1]), shared)
        else:
            with loop([lanes], [self.part], unit="thread", stem="t", **words) as (lane,):
                self.step([block, outer + lane], held, shared)

    def use_other_threads(self, block):
        """A loop on more threads than scan."""
        zeros = self.program.operand(self.scan.element, [self.sizes[0], 2 * self.threads], name="Z")
        with self.program.loop([2 * self.threads], [1], unit="thread", stem="z") as (lane,):
            self.program.store(self.program.hold(self.scan.element, [1, 1], 0), zeros, [block, lane])


def prefix_family(program, draw, wrong=None):
    """Running sums of the rows of X, which a loop over time carries on."""
    nest = Nest(program, draw, wrong)
    carries = draw([True, False])
    with program.loop([nest.sizes[0]], [nest.height], unit="block", stem="b") as (block,):
        held = program.hold(nest.scan.element, [nest.height], nest.scan.start)
        if wrong == SHARED:
            nest.walk(block, Sum(), held, program.stage(nest.source, [block, 0], [1, nest.width], "smem", pad="zero"))
        elif wrong == INSIDE or not carries:
            nest.walk(block, Sum(), held)
        else:
            with program.loop([nest.sizes[1]], [nest.width], stem="q") as (outer,):
                nest.walk(block, outer, held)
        if wrong == SOME:
            nest.use_other_threads(block)
        program.store(held, nest.totals, [block])
