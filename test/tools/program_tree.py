"""A kernel as a tree of statements: what program_gen.py builds, prints as a nest, and program_meaning.py executes.

Families of nests (program_*.py) build a Program by its methods. Loops and conditions are context managers, so that the
Python text of a family looks like the nest that it prints.
"""

import contextlib
import dataclasses

from program_scalars import FLOATS


class Sum:
    """A sum of multiples of induction variables and a constant: one subscript."""

    def __init__(self, terms=(), constant=0):
        self.terms, self.constant = dict(terms), constant

    def __add__(self, other):
        other = as_sum(other)
        terms = dict(self.terms)
        for name, factor in other.terms.items():
            terms[name] = terms.get(name, 0) + factor
        return Sum({name: factor for name, factor in terms.items() if factor}, self.constant + other.constant)

    def __mul__(self, factor):
        return Sum({name: value * factor for name, value in self.terms.items() if value * factor}, self.constant * factor)

    def __sub__(self, other):
        return self + as_sum(other) * -1

    def __rsub__(self, other):
        return as_sum(other) - self

    __radd__ = __add__

    def value(self, variables):
        return self.constant + sum(variables[name] * factor for name, factor in self.terms.items())

    def __str__(self):
        words = [f"%{name}" if factor == 1 else f"%{name} * {factor}" for name, factor in self.terms.items()]
        text = " + ".join(words) or str(self.constant)
        if words and self.constant:
            text += f" {'-' if self.constant < 0 else '+'} {abs(self.constant)}"
        return text


def as_sum(value):
    return value if isinstance(value, Sum) else Sum(constant=value)


def spread(shape):
    """Strides of rows whose elements are 2 or 3 apart, as text."""
    strides, stride = [], 2 + sum(shape) % 2
    for extent in reversed(shape):
        strides.insert(0, str(stride))
        stride *= max(extent, 1) + 1
    return strides


@dataclasses.dataclass(eq=False)
class Memory:
    """An operand, a tile, or a part of one. Extents are numbers; those of operands what they are in the launch."""
    name: str
    element: str
    shape: list
    level: str
    type: str
    # Of operands: names of sizes or numbers, which strides a launch chooses, the values before the launch.
    extents: list = None
    strided: str = ""
    values: list = None
    # Of shared tiles: strides in elements, or the text of a layout.
    strides: object = None
    # Of indices: they are below this.
    numbers: int = None
    # Are these numbers all different?
    unique: bool = False
    # Multiplied as tf32.
    rounded: bool = False


@dataclasses.dataclass
class Loop:
    names: list
    extents: list  # Numbers, names of sizes, or Sums.
    steps: list
    level: str
    unit: str
    clauses: str
    reduce: str
    pipelined: bool
    # Its iterations have an order.
    scans: bool
    body: list
    # Held tiles that are tied together, and the Body that makes one tuple of two: of the lower iterations' elements, then of the upper's.
    tied: list = ()
    combine: object = None


@dataclasses.dataclass
class Divide:
    name: str
    dividend: Sum
    divisor: int
    op: str


@dataclasses.dataclass
class Stage:
    tile: Memory
    source: Memory
    subscripts: list
    pad: str
    # Its place in shared memory, in bytes.
    at: int = None
    # An operand of indices, and the dimension that they number.
    gather: tuple = None
    clauses: str = ""


@dataclasses.dataclass
class Part:
    tile: Memory
    source: Memory
    subscripts: list


@dataclasses.dataclass
class Hold:
    tile: Memory
    init: object


@dataclasses.dataclass
class Store:
    tile: Memory
    target: Memory
    subscripts: list
    combine: str
    scatter: tuple = None
    clauses: str = ""
    # Says unordered where nothing depends on the order, or does not where something does.
    mistaken: bool = False


@dataclasses.dataclass
class Compute:
    """One linalg op. Maps are lists of subscripts: Sums of the loops' names d0, d1, ..; `body` is a scalars.Body."""
    ins: list
    outs: list
    maps: list
    kinds: list
    body: object
    # An op of linalg that means the same, and the text after its operands.
    named: tuple = ()
    # Of a product c(m, n) += a(m, k) * b(n, k): the type in which it is multiplied.
    product: str = None
    instruction: str = None


@dataclasses.dataclass
class If:
    """`left predicate right` of two Sums, or of a scalar argument and a number."""
    predicate: str
    left: object
    right: int
    element: str
    then: list
    otherwise: list


class Program:
    """One kernel, built statement by statement. `must` is "right", "either" or the class of the mistake in it."""

    def __init__(self):
        self.sizes, self.operands, self.scalars = {}, [], []
        self.body, self.must, self.machine, self.why = [], "right", "sm80", ""
        self.open_body, self.counts = self.body, {}
        self.dataflow = ""

    def name(self, stem):
        """A new name."""
        self.counts[stem] = self.counts.get(stem, -1) + 1
        return f"{stem}{self.counts[stem]}"

    # Arguments.

    def size(self, value):
        name = self.name("N")
        self.sizes[name] = value
        return name

    def extent(self, value):
        """A size's value, or the number itself."""
        return self.sizes[value] if isinstance(value, str) else value

    def operand(self, element, extents, strided="inner", name=None):
        shape = [self.extent(extent) for extent in extents]
        dynamic = ["?" if isinstance(extent, str) else str(extent) for extent in extents]
        words = "x".join(dynamic + [element])
        # One in eleven has strides in its type, with gaps between elements of a row.
        if strided == "inner" and (31 * sum(shape) + 17 * len(self.operands)) % 11 == 3:
            strided = "fixed"
        strides = {"inner": ["?"] * (len(shape) - 1) + ["1"], "pitch": ["?"] * (len(shape) - 1) + ["1"], "all": ["?"] * len(shape), "fixed": spread(shape)}.get(strided)
        text = f"memref<{words}" + (f", strided<[{', '.join(strides)}]>" if strides else "") + ">"
        memory = Memory(name or self.name("X"), element, shape, "dram", text, extents, strided)
        self.operands.append(memory)
        return memory

    def constant(self, element, extents):
        """An operand in constant memory."""
        words = "x".join([str(extent) for extent in extents] + [element])
        memory = Memory(self.name("W"), element, list(extents), "constant", f"memref<{words}, #tile.level<constant>>", extents, "compact")
        self.operands.append(memory)
        return memory

    def scalar(self, element, value):
        name = self.name("a")
        self.scalars.append((name, element, value))
        return name

    # Statements.

    @contextlib.contextmanager
    def inside(self, body):
        outer, self.open_body = self.open_body, body
        yield
        self.open_body = outer

    @contextlib.contextmanager
    def loop(self, extents, steps, level="dram", unit="", clauses="", reduce=None, stem="i", tied=(), combine=None):
        """Yields the induction variables, as Sums."""
        names = [self.name(stem) for _ in extents]
        if tied:
            reduce = f"{', '.join('%' + tile.name for tile in tied)} : {', '.join(tile.type for tile in tied)}"
        words = (f" on {unit}" if unit else "") + (f" reduce({reduce})" if reduce else "") + (f" {clauses}" if clauses else "")
        statement = Loop(names, list(extents), list(steps), level, unit, words, reduce, "pipeline" in clauses, "prefix" in clauses, [], tied, combine)
        self.open_body.append(statement)
        with self.inside(statement.body):
            yield [Sum({name: 1}) for name in names]

    @contextlib.contextmanager
    def condition(self, predicate, left, right, element="index"):
        statement = If(predicate, left, right, element, [], [])
        self.open_body.append(statement)
        with self.inside(statement.then):
            yield statement

    def tile_type(self, element, shape, level, strides=None):
        words = "x".join([str(extent) for extent in shape] + [element])
        if isinstance(strides, str):
            layout = f', #tile.layout<"{strides}">'
        else:
            layout = f", strided<[{', '.join(map(str, strides))}]>" if strides else ""
        return f"memref<{words}{layout}, #tile.level<{level}>>"

    def stage(self, source, subscripts, shape, level="rf", pad=None, strides=None, clauses="", gather=None):
        text = self.tile_type(source.element, shape, level, strides)
        tile = Memory(self.name("s" if level == "smem" else "r"), source.element, list(shape), level, text, strides=strides)
        self.open_body.append(Stage(tile, source, [as_sum(s) for s in subscripts], pad, gather=gather, clauses=clauses))
        return tile

    def divide(self, dividend, divisor, op):
        """A quotient or a remainder of subscripts, as a Sum."""
        name = self.name("div")
        self.open_body.append(Divide(name, as_sum(dividend), divisor, op))
        return Sum({name: 1})

    def part(self, source, subscripts, shape):
        text = self.tile_type(source.element, shape, source.level)
        if source.level == "dram" or isinstance(source.strides, list):
            words = "x".join([str(extent) for extent in shape] + [source.element])
            strides = source.strides or ["?"] * len(shape)
            level = f", #tile.level<{source.level}>" if source.level != "dram" else ""
            text = f"memref<{words}, strided<[{', '.join(map(str, strides))}], offset: ?>{level}>"
        tile = Memory(self.name("p"), source.element, list(shape), source.level, text, strides=source.strides)
        self.open_body.append(Part(tile, source, [as_sum(s) for s in subscripts]))
        return tile

    def hold(self, element, shape, init):
        tile = Memory(self.name("c"), element, list(shape), "rf", self.tile_type(element, shape, "rf"))
        self.open_body.append(Hold(tile, init))
        return tile

    def hold_shared(self, element, shape, init):
        tile = Memory(self.name("m"), element, list(shape), "smem", self.tile_type(element, shape, "smem"))
        self.open_body.append(Hold(tile, init))
        return tile

    def store(self, tile, target, subscripts, combine=None, scatter=None, clauses="", mistaken=False):
        self.open_body.append(Store(tile, target, [as_sum(s) for s in subscripts], combine, scatter, clauses, mistaken))

    def compute(self, ins, outs, maps, body, kinds=None, loops=None):
        """Without `kinds` all of the `loops` loops are parallel."""
        rank = loops if loops is not None else len(maps[-1])
        kinds = kinds or ["parallel"] * rank
        self.open_body.append(Compute(ins, outs, [[as_sum(s) for s in one] for one in maps], kinds, body))

    def elementwise(self, ins, outs, body, named=()):
        """Operands of one shape, element by element."""
        rank = len(outs[0].shape)
        identity = [Sum({f"d{n}": 1}) for n in range(rank)]
        self.compute(ins, outs, [identity] * (len(ins) + len(outs)), body)
        self.open_body[-1].named = named


class TreePrinter:
    """The text of a program."""

    def __init__(self, program):
        self.program, self.lines, self.depth, self.number = program, [], 1, 0

    def line(self, text):
        self.lines.append("  " * self.depth + text)

    def print_extent(self, extent):
        if not isinstance(extent, Sum):
            return f"%{extent}" if isinstance(extent, str) else str(extent)
        value = self.print_sum(extent)
        if extent.constant or not value:
            self.number += 1
            self.line(f"%n{self.number} = arith.constant {extent.constant} : index")
            if value:
                self.line(f"%l{self.number} = arith.addi {value}, %n{self.number} : index")
            value = f"%l{self.number}" if value else f"%n{self.number}"
        return value

    def print_all(self, body):
        self.depth += 1
        for statement in body:
            getattr(self, "print_" + type(statement).__name__.lower())(statement)
        self.depth -= 1

    def print_loop(self, loop):
        extents = ", ".join(map(self.print_extent, loop.extents))
        self.line(f"tile.for ({', '.join('%' + name for name in loop.names)}) in "
                  f"({extents}) by ({', '.join(map(str, loop.steps))})"
                  f" at {loop.level}{loop.clauses} {{")
        self.print_all(loop.body)
        if loop.tied:
            self.line(f"}} combine ({', '.join(f'%{name}: {kind}' for name, kind in loop.combine.arguments)}) {{")
            for text in loop.combine.lines("tile.yield"):
                self.line("  " + text)
        self.line("}")

    def subscripted(self, memory, subscripts):
        return f"%{memory.name}[{', '.join(map(str, subscripts))}]"

    def numbered(self, word, gather):
        return f" {word}(%{gather[0].name} : {gather[0].type} along {gather[1]})" if gather else ""

    def print_stage(self, stage):
        pad = f" pad({stage.pad})" if stage.pad else ""
        place = f" smem_at({stage.at})" if stage.at is not None else ""
        self.line(f"%{stage.tile.name} = tile.stage {self.subscripted(stage.source, stage.subscripts)}{self.numbered('gather', stage.gather)}{pad}{stage.clauses}{place}"
                  f" : {stage.source.type} to {stage.tile.type}")

    def print_part(self, part):
        self.line(f"%{part.tile.name} = tile.part {self.subscripted(part.source, part.subscripts)}"
                  f" : {part.source.type} to {part.tile.type}")

    def print_divide(self, divide):
        self.line(f"%{divide.name}_by = arith.constant {divide.divisor} : index")
        dividend = self.print_extent(divide.dividend)
        self.line(f"%{divide.name} = arith.{divide.op} {dividend}, %{divide.name}_by : index")

    def print_hold(self, hold):
        self.line(f"%{hold.tile.name} = tile.hold init({print_number(hold.init, hold.tile.element)} : {hold.tile.element})"
                  f" : {hold.tile.type}")

    def print_store(self, store):
        combine = f" combine({store.combine})" if store.combine else ""
        rounds = store.combine == "add" and store.tile.element[0] in "fb"
        combine += " unordered" if rounds != store.mistaken else ""
        self.line(f"tile.store %{store.tile.name} to {self.subscripted(store.target, store.subscripts)}{self.numbered('scatter', store.scatter)}{combine}{store.clauses}"
                  f" : {store.tile.type} to {store.target.type}")

    def print_compute(self, compute):
        loops = ", ".join(f"d{n}" for n in range(len(compute.kinds)))
        maps = [f"affine_map<({loops}) -> ({', '.join(map(str, one))})>".replace("%", "") for one in compute.maps]
        kinds = ", ".join(f'"{kind}"' for kind in compute.kinds)
        words = [f"{side}({', '.join('%' + m.name for m in memories)} : {', '.join(m.type for m in memories)})"
                 for side, memories in (("ins", compute.ins), ("outs", compute.outs)) if memories]
        if compute.named:
            name, after = compute.named
            self.line(f"linalg.{name} {' '.join(words)}{after}")
            return
        instruction = f'tile.instruction = "{compute.instruction}", ' if compute.instruction else ""
        self.line(f"linalg.generic {{{instruction}indexing_maps = [{', '.join(maps)}], iterator_types = [{kinds}]}}")
        self.line(f"    {' '.join(words)} {{")
        arguments = ", ".join(f"%{name}: {kind}" for name, kind in compute.body.arguments)
        self.line(f"^bb0({arguments}):")
        for text in compute.body.lines():
            self.line("  " + text)
        self.line("}")

    def print_sum(self, total):
        """The name of a value of type index."""
        value = None
        for name, factor in total.terms.items():
            term = f"%{name}"
            if factor != 1:
                self.number += 1
                self.line(f"%n{self.number} = arith.constant {factor} : index")
                self.line(f"%m{self.number} = arith.muli {term}, %n{self.number} : index")
                term = f"%m{self.number}"
            if value:
                self.number += 1
                self.line(f"%l{self.number} = arith.addi {value}, {term} : index")
                term = f"%l{self.number}"
            value = term
        return value

    def print_if(self, statement):
        """The constant of a Sum is the family's to move to the right."""
        kind = statement.element
        if kind == "index":
            left = self.print_sum(statement.left)
        else:
            left = f"%{statement.left}"
        self.number += 1
        number = self.number
        right = f"%g{number}"
        self.line(f"{right} = arith.constant {print_number(statement.right, kind)} : {kind}")
        op = "cmpf" if kind.startswith("f") else "cmpi"
        self.line(f"%k{number} = arith.{op} {statement.predicate}, {left}, {right} : {kind}")
        self.line(f"scf.if %k{number} {{")
        self.print_all(statement.then)
        if statement.otherwise:
            self.line("} else {")
            self.print_all(statement.otherwise)
        self.line("}")

    def print(self):
        program = self.program
        arguments = [f"%{m.name}: {m.type}[{', '.join(map(self.print_extent, m.extents))}]" for m in program.operands]
        arguments += [f"%{name}: index" for name in program.sizes]
        arguments += [f"%{name}: {kind}" for name, kind, _ in program.scalars]
        self.depth = 0
        self.line("// must: " + (program.must if program.must in ("right", "either") else "refuse " + program.must))
        sizes = ",".join(f"{name}={value}" for name, value in program.sizes.items())
        self.line(("// --shape=" + sizes if sizes else "// no sizes") + f" --target={program.machine}")
        self.line(f"tile.kernel @nest({', '.join(arguments)}) {{")
        self.print_all(program.body)
        self.line("}")
        return "\n".join(self.lines) + "\n"


def print_number(value, element):
    """A constant as MLIR spells it."""
    if element not in FLOATS:
        return "true" if element == "i1" and value else "false" if element == "i1" else str(int(value))
    if value in (float("inf"), float("-inf")):
        return {"f16": ("0x7C00", "0xFC00"), "bf16": ("0x7F80", "0xFF80"), "f32": ("0x7F800000", "0xFF800000"), "f64": ("0x7FF0000000000000", "0xFFF0000000000000")}[element][value < 0]
    return f"{value:.17e}" if value != int(value) else f"{value:.1f}"
