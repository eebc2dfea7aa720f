"""Draws bodies of linalg ops from the closed list of scalar ops; see program_scalars.py."""

from program_scalars import Body, EXACT, FLOAT_PREDICATES, FLOATS, INTEGER_PREDICATES, INTEGERS, width

UNARY = [op for op in ("arith.negf", "math.absf", "math.floor", "math.ceil", "math.trunc", "math.roundeven", "math.round")]
BINARY = ["arith.addf", "arith.subf", "arith.mulf", "arith.maximumf", "arith.minimumf", "arith.maxnumf", "arith.minnumf"]
# Of any number, of its absolute value, and of that and 1: where each function is defined, and far from its poles.
SMOOTH = [["math.exp", "math.exp2", "math.expm1", "math.tanh", "math.sin", "math.cos", "math.erf"],
          ["math.sqrt", "math.log1p"], ["math.rsqrt", "math.log", "math.log2"]]
WHOLE_BINARY = ["arith.addi", "arith.subi", "arith.muli", "arith.andi", "arith.ori", "arith.xori", "arith.maxsi",
                "arith.minsi", "arith.maxui", "arith.minui"]


class BodyDrawer:
    """Draws expressions over the arguments of one body. `rank` is the number of the op's loops; of `wide` operands
    integers take all values of their type, else small ones."""

    def __init__(self, draw, arguments, rank, wide=False):
        self.draw, self.body, self.rank, self.wide = draw, Body(arguments), rank, wide

    def leaf(self, kind, other_than=None):
        """An argument, an index or a constant; of two operands of one op the second is another, so that nothing folds."""
        names = [name for name, other in self.body.arguments if other == kind and name != other_than]
        if names and self.draw([True, True, True, False]):
            return self.draw(names)
        if kind in INTEGERS and self.rank and self.draw([False, False, True]):
            place = self.body.add("linalg.index", [], "index", self.draw(list(range(self.rank))))
            if width(kind) >= 32:
                return self.body.add("arith.index_cast", [place], kind)
            wider = self.body.add("arith.index_cast", [place], "i32")
            return self.body.add("arith.trunci", [wider], kind)
        if kind in FLOATS:
            return self.body.constant(self.draw([1.0, 0.5, -2.0, 0.25, 3.0]), kind)
        return self.body.constant(self.draw([1, 2, -3, 7, 100]), kind)

    def cast(self, kind):
        """A value of another type, converted; None where no argument has one."""
        others = [pair for pair in self.body.arguments if pair[1] != kind and pair[1] in FLOATS + INTEGERS]
        if not others:
            return None
        name, source = self.draw(others)
        if kind in FLOATS:
            if source in FLOATS:
                if width(source) == width(kind):
                    return None
                return self.body.add("arith.extf" if width(kind) > width(source) else "arith.truncf", [name], kind)
            if self.wide and width(source) > 16:  # 24 bits of f32 do not hold them.
                return None
            if self.wide and self.draw([False, True]):
                return self.body.add("arith.uitofp", [name], kind)
            return self.body.add("arith.sitofp", [name], kind)
        if source in FLOATS:  # Towards zero, from at most 4.
            if self.draw([False, True]):
                return self.body.add("arith.fptoui", [self.body.add("math.absf", [name], source)], kind)
            return self.body.add("arith.fptosi", [name], kind)
        if width(source) > width(kind):
            return self.body.add("arith.trunci", [name], kind)
        return self.body.add(self.draw(["arith.extsi", "arith.extui"]), [name], kind)

    def condition(self, depth):
        floats = [pair for pair in self.body.arguments if pair[1] in FLOATS]
        integers = [pair for pair in self.body.arguments if pair[1] in INTEGERS]
        if depth > 1 and self.draw([False, False, True]):
            op = self.draw(["arith.andi", "arith.ori", "arith.xori"])
            return self.body.add(op, [self.condition(depth - 1), self.condition(depth - 1)], "i1")
        if floats and (not integers or self.draw([True, False])):
            kind, op, predicates = self.draw(floats)[1], "arith.cmpf", FLOAT_PREDICATES
        else:
            kind, op, predicates = self.draw(integers)[1] if integers else "i32", "arith.cmpi", INTEGER_PREDICATES
        left = self.leaf(kind)
        return self.body.add(op, [left, self.leaf(kind, left)], "i1", self.draw(predicates))

    def pair(self, kind, depth):
        left = self.exact(kind, depth)
        right = self.exact(kind, depth)
        return [left, self.leaf(kind, left) if left == right else right]

    def use(self, value, name):
        """`value`, changed by an argument."""
        kind, other = self.body.types[value], self.body.types[name]
        if kind == other:
            return self.body.add("arith.addf" if kind in FLOATS else "arith.xori", [value, name], kind)
        op, predicate = ("arith.cmpf", "ogt") if other in FLOATS else ("arith.cmpi", "sgt")
        more = self.body.add(op, [name, self.body.constant(0, other)], "i1", predicate)
        return self.body.add("arith.select", [more, value, self.body.constant(2, kind)], kind)

    def exact(self, kind, depth):
        """An expression whose value no order or rounding changes."""
        if depth == 0:
            return self.leaf(kind)
        form = self.draw(["binary", "leaf", "binary", "select", "cast", "other", "other"])
        if form == "leaf":
            return self.leaf(kind)
        if form == "cast":
            value = self.cast(kind)
            if value:
                return value
            form = "binary"
        if form == "select":
            chosen = self.condition(2)
            return self.body.add("arith.select", [chosen, *self.pair(kind, depth - 1)], kind)
        if kind in FLOATS:
            if form == "binary":
                return self.body.add(self.draw(BINARY), self.pair(kind, depth - 1), kind)
            if self.draw([False, False, True]):
                return self.body.add("math.fma", [self.leaf(kind), self.leaf(kind), self.exact(kind, depth - 1)], kind)
            return self.body.add(self.draw(UNARY), [self.exact(kind, depth - 1)], kind)
        if form == "binary":
            return self.body.add(self.draw(WHOLE_BINARY), self.pair(kind, depth - 1), kind)
        return self.odd_integer(kind, depth)

    def odd_integer(self, kind, depth):
        """Ops that not all values may go into."""
        value = self.exact(kind, depth - 1)
        op = self.draw(["arith.shli", "arith.shrsi", "arith.shrui", "arith.divsi", "arith.remsi", "arith.divui",
                        "arith.remui", "math.absi"])
        if op == "math.absi":
            return self.body.add(op, [value], kind)
        if op.startswith("arith.sh"):
            if self.draw([False, True]):  # By another value, less than the width.
                other = self.body.add("arith.andi", [self.leaf(kind), self.body.constant(width(kind) - 1, kind)], kind)
            else:
                other = self.body.constant(self.draw([1, 3, width(kind) - 1]), kind)
        elif op.endswith("ui") and self.draw([False, True]):
            other = self.body.add("arith.ori", [self.leaf(kind), self.body.constant(1, kind)], kind)
        else:
            other = self.body.constant(self.draw([3, 7, -2, 100]), kind)
        if value == other:
            value = self.body.constant(100, kind)
        return self.body.add(op, [value, other], kind)

    def rounded(self, kind):
        """A value with one op in it that rounds."""
        value = self.exact(kind, 1)
        # Small: at most some tens.
        value = self.body.add("arith.minimumf", [value, self.body.constant(4.0, kind)], kind)
        value = self.body.add("arith.maximumf", [value, self.body.constant(-4.0, kind)], kind)
        form = self.draw(["smooth", "divide", "power", "remainder"])
        if form == "smooth":
            lift = self.draw([0, 1, 2])
            if lift:
                value = self.body.add("math.absf", [value], kind)
            if lift == 2:
                value = self.body.add("arith.addf", [value, self.body.constant(1.0, kind)], kind)
            return self.body.add(self.draw(SMOOTH[lift]), [value], kind)
        if form == "remainder":
            return self.body.add("arith.remf", [value, self.body.constant(self.draw([0.75, 3.0]), kind)], kind)
        positive = self.body.add("math.absf", [value], kind)
        positive = self.body.add("arith.addf", [positive, self.body.constant(1.0, kind)], kind)
        if form == "power":
            return self.body.add("math.powf", [positive, self.body.constant(self.draw([2.0, 0.5, -1.5]), kind)], kind)
        return self.body.add("arith.divf", [self.leaf(kind), positive], kind)

    def result(self, kind, depth, rounds=False):
        return self.rounded(kind) if rounds and kind in FLOATS else self.exact(kind, depth)


def draw_map(draw, ins, outs, rank, wide=False, rounds=False, depth=2, scalar=None):
    """A body that makes each output of the inputs, of what it held before, and of a scalar argument (name, type)."""
    arguments = [(f"x{n}", memory.element) for n, memory in enumerate(ins)]
    arguments += [(f"y{n}", memory.element) for n, memory in enumerate(outs)]
    drawer = BodyDrawer(draw, arguments, rank, wide)
    body = drawer.body
    body.give(*[drawer.result(memory.element, depth, rounds) for memory in outs])
    if scalar:
        body.types[scalar[0]] = scalar[1]
        body.give(drawer.use(body.results[0], scalar[0]), *body.results[1:])
    if draw([True] * 9 + [False]):
        for number, (name, _) in enumerate(arguments[:len(ins)]):
            if not body.reads(number):
                body.give(drawer.use(body.results[0], name), *body.results[1:])
    return body


UPDATES = {"add": ("addf", "addi"), "mul": ("mulf", "muli"), "max": ("maximumf", "maxsi"), "min": ("minimumf", "minsi"),
           "maxnum": ("maxnumf",), "minnum": ("minnumf",)}


def update(body, kind, old, value):
    """`old` combined with a value."""
    element = body.types[old]
    return body.add("arith." + UPDATES[kind][element not in FLOATS], [old, value], element)


def start_of(kind, element):
    """What a combination of nothing is."""
    if kind in ("add", "mul"):
        return int(kind == "mul")
    if element in FLOATS:
        return float("-inf") if kind.startswith("max") else float("inf")
    most = (1 << (width(element) - 1)) - 1
    return -most - 1 if kind == "max" else most


def simple(arguments, steps):
    """A body of few ops: `steps` are (op, operand names or numbers); the last one's result is yielded. Numbers are
    constants of the type of the first argument, v0, v1, .. the results of steps (of constants none counts)."""
    body = Body(arguments)
    kind, results = arguments[-1][1], []
    for op, *operands in steps:
        names = []
        for operand in operands:
            if isinstance(operand, (int, float)):
                names.append(body.constant(operand, kind))
            elif operand.startswith("v"):
                names.append(results[int(operand[1:])])
            else:
                names.append(operand)
        results.append(body.add(op, names, kind))
    return body.give(results[-1])


assert all(op in EXACT for op in UNARY + BINARY)
