"""Random groups of rows: ops that reduce the same rows one after the other, and what stands between them, element by element.

  row_gen.py SEED [END]

A group is data (`RowProblem`), in the form that mapped_sweep.py takes: steps over values of rows and of elements, each an array of its own, one that is written
over, or the result. It is printed as a kernel of linalg ops without loops, and executed step by step, which shares nothing with tilec. Operands hold small
integers, and no sum leaves what f32 holds exactly.
"""

import itertools
import random
import sys

from mapped_gen import FLOATS, Operand, ProblemPrinter, print_op
from mapped_gen import apply as apply_op

# Integers below are exact in f32.
EXACT = 1 << 22



def apply(op, element, a, b):
    """As `mapped_gen.apply`; a quotient is by a half, or by three and rounded towards zero."""
    if op != "div":
        return apply_op(op, a, b)
    return 2 * a if element in FLOATS else abs(a) // 3 * (1 if a > 0 else -1)


class Value:
    """An array at some time: `operand` says its name, type and dimensions; no number in it is larger than `bound`."""

    def __init__(self, operand, bound, is_input=False):
        self.operand, self.bound, self.is_input = operand, bound, is_input
        self.dims = [next(iter(subscript)) for subscript in operand.subscripts]


class Step:
    """`op` on `sources`, to `target`; where `reduces`, over all columns, from `init`. `updates`: the first source is what the target holds before."""

    def __init__(self, op, sources, target, reduces=False, init=0, updates=False, index=None):
        self.op, self.sources, self.target, self.reduces, self.init, self.updates, self.index = op, sources, target, reduces, init, updates, index


class RowProblem:
    mistake = launches = None
    form, family = "plain", "rows"

    def __init__(self, seed):
        rng = self.rng = random.Random(seed)
        self.machine = rng.choice(["h100", "h100", "h200", "sm80", "sm90", "sm86", "l40s"])
        self.static = rng.random() < 0.4
        self.rows, self.columns = rng.choice([(["i"], ["j"])] * 3 + [(["h", "i"], ["j"]), (["i"], ["j", "k"])])
        self.sizes = {dim: rng.choice([1, 2, 5, 8, 17, 33, 70]) for dim in self.rows}
        self.sizes.update({dim: rng.choice([1, 2, 7, 31, 32, 33, 64, 100, 130, 257]) for dim in self.columns})
        if len(self.sizes) > 2:
            self.sizes.update({dim: min(extent, 17) for dim, extent in self.sizes.items() if dim != "j"})
        # Few rows that are long and of odd lengths, which are walked apart (Skew.h).
        if self.static and len(self.columns) == 1 and random.Random(f"long {seed}").random() < 0.15:
            self.sizes = {dim: min(extent, 3) for dim, extent in self.sizes.items()} | {"j": 8195}
        self.element = rng.choice(["f32", "f32", "i32"])
        self.inputs, self.steps, self.names = [], [], itertools.count()
        self.pool = [self.draw_input("X", self.rows + self.columns)]
        if rng.random() < 0.5:
            self.pool.append(self.draw_input("W", rng.sample(self.rows + self.columns, rng.randint(1, len(self.sizes)))))
        is_long = rng.random() < 0.7
        self.result = Operand("R", self.element, self.permuted(self.rows + (self.columns if is_long else [])))
        self.draw_steps(is_long)
        self.follow = []
        for operand in self.inputs + [self.result]:
            operand.strided = not self.static and rng.random() < 0.3
            operand.values = [rng.randint(-3, 3) for _ in range(self.count(operand))]

    def count(self, operand):
        count = 1
        for extent in operand.shape(self.sizes):
            count *= extent
        return count

    def permuted(self, dims):
        dims = list(dims)
        if self.rng.random() < 0.3:
            self.rng.shuffle(dims)
        return [{dim: 1} for dim in dims]

    def draw_input(self, name, dims):
        element = "i32" if self.element == "i32" else self.rng.choice(["f32", "f32", "bf16", "f16"])
        operand = Operand(name, element, self.permuted(dims))
        self.inputs.append(operand)
        return Value(operand, 3, True)

    def get_operands(self):
        return self.inputs + [self.result]

    def is_long(self, value):
        return all(dim in value.dims for dim in self.rows + self.columns)

    def is_column(self, value):
        return not any(dim in value.dims for dim in self.rows)

    def is_row(self, value):
        return sorted(value.dims) == sorted(self.rows)

    # Steps.

    def make(self, dims, bound, last=False):
        """A new array, or the result in its place, which may be written before the last step too."""
        fits = sorted(dims) == sorted(next(iter(subscript)) for subscript in self.result.subscripts)
        held = any(value.operand is self.result for value in self.pool)
        if last or (fits and not held and self.rng.random() < 0.2):
            return Value(self.result, bound)
        return Value(Operand(f"t{next(self.names)}", self.element, self.permuted(dims)), bound)

    def pick(self, fits):
        """A value that fits, the younger ones more often."""
        values = [value for value in self.pool if fits(value)]
        return values[max(self.rng.randrange(len(values)), self.rng.randrange(len(values)))] if values else None

    def draw_steps(self, is_long):
        rng = self.rng
        for _ in range(rng.choice([1, 1, 2, 3])):
            if rng.random() < 0.5:
                self.draw_elementwise(self.is_long)
            if rng.random() < 0.3 and self.pick(self.is_column):
                self.draw_elementwise(self.is_column)
            self.draw_reduction()
            if rng.random() < 0.4:
                self.draw_elementwise(self.is_row)
        self.draw_elementwise(self.is_long if is_long else self.is_row, last=True)
        # What nobody reads is refused.
        kept, read = [], {"R"}
        for step in reversed(self.steps):
            if step.target.operand.name in read:
                kept.insert(0, step)
                read = (read if step.updates else read - {step.target.operand.name}) | {source.operand.name for source in step.sources}
        self.steps = kept

    def draw_reduction(self):
        source, extent = self.pick(self.is_long), 1
        for dim in self.columns:
            extent *= self.sizes[dim]
        op = self.rng.choice(["add", "add", "max", "min"])
        if op == "add" and source.bound * extent + 3 > EXACT:
            op = "max"
        bound = source.bound * extent + 3 if op == "add" else max(source.bound, 100)
        init = self.rng.choice([0, 0, 3]) if op == "add" else -100 if op == "max" else 100
        target = self.make(self.rows, bound)
        self.steps.append(Step(op, [source], target, reduces=True, init=init))
        self.add(target)

    def draw_elementwise(self, fits, last=False):
        """Of a value that fits and perhaps another that lies along some of its dimensions."""
        rng, first = self.rng, self.pick(fits)
        others = [value for value in self.pool if value is not first and set(value.dims) <= set(first.dims)]
        # What was computed for rows is what a group is about.
        rows = [value for value in others if self.is_row(value) and not value.is_input]
        other = rng.choice(rows) if rows and rng.random() < 0.8 else rng.choice(others) if others and rng.random() < 0.6 else None
        # A quotient is a function: dearer than what instructions do.
        op = rng.choice(["add", "sub", "max", "min", "div"])
        other = None if op == "div" else other
        index = rng.choice(first.dims) if rng.random() < 0.2 else None
        bound = first.bound * (2 if op == "div" else 1) + (other.bound if other else 2) + (max(self.sizes.values()) if index else 0)
        if bound > EXACT:
            op, index = "max", None
        updates = not last and not first.is_input and first.operand.element == self.element and rng.random() < 0.3
        if updates:
            self.pool.remove(first)
        target = Value(first.operand, bound) if updates else self.make(first.dims, bound, last)
        self.steps.append(Step(op, [first] + ([other] if other else []), target, updates=updates, index=index))
        self.add(target)

    def add(self, target):
        self.pool = [value for value in self.pool if value.operand is not target.operand] + [target]

    # Meaning.

    def points(self, dims):
        for numbers in itertools.product(*(range(self.sizes[dim]) for dim in dims)):
            yield dict(zip(dims, numbers))

    def execute(self):
        """The values of the result, in row-major order."""
        arrays = {operand.name: list(operand.values) for operand in self.get_operands()}

        def index(value, point):
            at = 0
            for dim in value.dims:
                at = at * self.sizes[dim] + point[dim]
            return at

        for step in self.steps:
            new = [step.init] * self.count(step.target.operand)
            for point in self.points(self.rows + self.columns if step.reduces else step.target.dims):
                read = [arrays[source.operand.name][index(source, point)] for source in step.sources]
                at = index(step.target, point)
                if step.reduces:
                    new[at] = apply(step.op, self.element, new[at], read[0])
                else:
                    new[at] = apply(step.op, self.element, read[0], read[1] if len(read) > 1 else 2) + (point[step.index] if step.index else 0)
            arrays[step.target.operand.name] = new
        return arrays["R"]

    # Text.

    def print_step(self, printer, step):
        element, dims = self.element, list(self.sizes) if step.reduces else sorted(step.target.dims)
        iterators = ['"reduction"' if step.reduces and dim in self.columns else '"parallel"' for dim in dims]
        ins = step.sources[1:] if step.updates else step.sources
        maps = [printer.print_map(value.operand.subscripts, dims) for value in ins + [step.target]]
        names, body = [], []
        for number, value in enumerate(ins):
            name = f"%a{number}"
            if value.operand.element != element:
                body.append(f"{name}w = arith.extf {name} : {value.operand.element} to {element}")
                name += "w"
            names.append(name)
        names = ["%old"] + names if step.updates or step.reduces else names
        other = names[1] if len(names) > 1 else "%divisor" if step.op == "div" else "%two"
        body.append(print_op(step.op, element, "%new", names[0], other))
        result = "%new"
        if step.index:
            body += [f"%index = linalg.index {dims.index(step.index)} : index", "%whole = arith.index_cast %index : index to i32"]
            body += [f"%number = arith.sitofp %whole : i32 to {element}"] if element in FLOATS else []
            body.append(print_op("add", element, "%moved", "%new", "%number" if element in FLOATS else "%whole"))
            result = "%moved"
        body.append(f"linalg.yield {result} : {element}")
        arguments = [(f"%a{number}", value.operand.element) for number, value in enumerate(ins)] + [("%old", element)]
        target = ("%" + step.target.operand.name, printer.type_of(step.target.operand))
        lines = []
        if step.reduces:
            init = f"%init{self.steps.index(step)}"
            lines += [printer.constant(init, step.init), f"linalg.fill ins({init} : {element}) outs({target[0]} : {target[1]})"]
        values = [("%" + value.operand.name, printer.type_of(value.operand)) for value in ins]
        return lines + printer.print_generic(maps, iterators, values, target, arguments, body)

    def print(self):
        printer, lines, made = ProblemPrinter(self), [], {"R"}
        lines.append(printer.constant("%two", 2))
        if any(step.op == "div" for step in self.steps):
            lines.append(printer.constant("%divisor", 0.5 if self.element in FLOATS else 3))
        for step in self.steps:
            operand = step.target.operand
            if operand.name not in made:
                made.add(operand.name)
                sizes = ", ".join(extent for extent in printer.extents(operand) if not extent.isdigit())
                lines.append(f"%{operand.name} = memref.alloc({sizes}) : {printer.type_of(operand)}")
            lines += self.print_step(printer, step)
        return "\n".join([printer.header(self.get_operands())] + ["  " + line for line in lines] + ["}"]) + "\n"


if __name__ == "__main__":
    first = int(sys.argv[1])
    end = int(sys.argv[2]) if len(sys.argv) > 2 else first + 1
    print("\n// -----\n\n".join(RowProblem(seed).print() for seed in range(first, end)), end="")
