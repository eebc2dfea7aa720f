"""Random problems without a mapping: kernels of linalg ops without loops, functions on tensors, and nests that leave sizes open.

  mapped_gen.py SEED [END]

A problem is data (`Problem`): dimensions, operands with maps, a body, what follows. It is printed as text of one of three forms, and
executed point by point (`execute`), which shares nothing with tilec: renamed, permuted and batched contractions, convolutions, sums
of rows and columns, elementwise ops with broadcasts and transposes, windows; fills, epilogues, types, odd sizes; and mistakes.
Operands hold small integers, so that all orders of sums agree.
"""

import itertools
import random
import sys

FLOATS = {"f64": 8, "f32": 4, "f16": 2, "bf16": 2}
INTEGERS = {"i32": 4, "i8": 1}
# What a mistake makes the message say.
MISTAKES = {
    "shifted": "writes its result by map",
    "modulo": "which is no sum of multiples of dimensions|indexing maps are non-invertible",
    "extents": "has another extent along dimension",
}
# What view_gen.py puts in.
VIEW_MISTAKES = {
    "view-product": "has a product of sizes for extent",
    "view-argument": "has no linalg op",
}
# What form_gen.py puts in.
FORM_MISTAKES = {
    "form-results": "has [N0-9]+ results",
    "form-constant": "is an array of several constants",
    "form-divisor": "which is no sum of multiples of dimensions",
    "form-open": "takes elements of an array of type",
}


class Operand:
    """`subscripts` is a list of {dimension: factor}, one for each of the operand's own dimensions; a scalar is given as one number."""
    scalar = False

    def __init__(self, name, element, subscripts):
        self.name, self.element, self.subscripts = name, element, subscripts
        self.values, self.strided = None, False

    def shape(self, sizes):
        return [sum(factor * (sizes[dim] - 1) for dim, factor in subscript.items()) + 1 for subscript in self.subscripts]


class Problem:
    """sizes: by dimension; reduced: those that are summed over; steps: (operation, operand or None) after the root, on its result."""

    def __init__(self, seed):
        rng = self.rng = random.Random(seed)
        self.mistake = rng.choice(list(MISTAKES)) if rng.random() < 0.12 else None
        # What takes several launches: the root again, or the result doubled before it.
        self.launches = rng.choice(["second", "ahead"]) if not self.mistake and rng.random() < 0.06 else None
        self.form = rng.choice(["plain", "plain", "open", "open", "function"]) if not self.mistake and not self.launches else "plain"
        self.family = rng.choice(["product", "product", "window", "sum", "elementwise", "crossed"])
        self.machine = rng.choice(["h100", "h100", "h200", "sm80", "sm90", "sm86", "l40s"])
        self.static = rng.random() < 0.3 or self.family == "window"
        if self.mistake in ("extents", "shifted") or self.launches:
            self.family, self.static = "product", bool(self.launches) and self.static
        getattr(self, "draw_" + self.family)()
        rng.shuffle(self.order)
        self.compute = self.choose_types()
        # What is added for the number of the point along a dimension; sums of them are exact in wide types.
        self.number = rng.choice(list(self.sizes)) if self.form == "plain" and rng.random() < 0.2 and self.compute in ("f32", "f64", "i32") else None
        self.fill = rng.choice([None, 0, 0, 0, 1, -2]) if self.reduced and self.launches != "ahead" else None
        if self.combine in ("max", "min") and self.fill is not None:
            self.fill = rng.choice([-100, 0]) if self.combine == "max" else rng.choice([100, 0])
        self.follow = self.draw_following() if self.form != "function" else []
        for operand in self.inputs + [self.result] + [step[1] for step in self.follow if step[1]]:
            operand.strided = not self.static and self.form != "function" and rng.random() < 0.3
            count = 1
            for extent in operand.shape(self.sizes):
                count *= extent
            operand.values = [rng.randint(-3, 3) for _ in range(count)]

    # Families: each sets sizes, reduced, order of the result's dimensions, inputs (as lists of subscripts) and the body.

    def size(self, most):
        return self.rng.choice([1, 2, 3, 4, 7, 8, 16, 17, 31, 32, 33, 40, 64, 65, 100, 130][:most])

    def permuted(self, dims):
        dims = list(dims)
        self.rng.shuffle(dims)
        return [{dim: 1} for dim in dims]

    def draw_product(self):
        rng = self.rng
        batch = ["b"] if rng.random() < 0.3 else []
        depth = ["k"] if rng.random() < 0.85 else ["k", "l"]
        self.sizes = {"m": self.size(14), "n": self.size(14), **{dim: self.size(4) for dim in batch}}
        # A matrix and a vector.
        if rng.random() < 0.15:
            self.sizes[rng.choice("mn")] = 1
        self.sizes.update({dim: self.size(11 if len(depth) == 1 else 5) for dim in depth})
        self.reduced, self.order = depth, batch + ["m", "n"]
        shared = batch if rng.random() < 0.7 else []
        self.maps = [self.permuted(batch + ["m"] + depth), self.permuted(shared + ["n"] + depth)]
        self.body, self.combine = "mul", rng.choice(["add", "add", "add", "max"])

    def draw_window(self):
        rng = self.rng
        rank = rng.choice([1, 2])
        stride = rng.choice([1, 1, 2])
        places, windows = ["x", "y"][:rank], ["p", "q"][:rank]
        self.sizes = {**{dim: self.size(11) for dim in places}, **{dim: rng.choice([1, 2, 3, 5]) for dim in windows}}
        slid = [{place: stride, window: 1} for place, window in zip(places, windows)]
        channels = rng.random() < 0.4 and rank == 2
        if channels:
            self.sizes.update({"c": self.size(4), "o": self.size(8)})
            self.reduced, self.order = windows + ["c"], places + ["o"]
            self.maps = [slid + [{"c": 1}], [{dim: 1} for dim in windows + ["c", "o"]]]
        else:
            self.reduced, self.order = windows, places
            # Without weights something must say how far a window goes.
            self.maps = [slid, [{dim: 1} for dim in windows]]
        self.body, self.combine = rng.choice([("mul", "add"), ("add", "max"), ("mul", "add")])

    def draw_sum(self):
        rng = self.rng
        kept, lost = rng.choice([(1, 1), (2, 1), (1, 2)])
        dims = ["i", "j", "k"][:kept + lost]
        rng.shuffle(dims)
        self.order, self.reduced = dims[:kept], dims[kept:]
        self.sizes = {dim: self.size(14 if len(dims) == 2 else 8) for dim in dims}
        self.maps = [self.permuted(dims)] + ([self.permuted(rng.sample(dims, rng.randint(1, len(dims))))] if rng.random() < 0.4 else [])
        self.body = rng.choice(["add", "mul", "max"])
        self.combine = rng.choice(["add", "max", "min"])

    def draw_elementwise(self):
        rng = self.rng
        dims = ["i", "j", "k"][:rng.choice([1, 2, 2, 3])]
        self.sizes = {dim: self.size(16 if len(dims) < 3 else 9) for dim in dims}
        self.reduced, self.order = [], list(dims)
        self.maps = [self.permuted(dims)]
        self.maps += [self.permuted(rng.sample(dims, rng.randint(1, len(dims)))) for _ in range(rng.randint(0, 2))]
        self.body, self.combine = rng.choice(["add", "sub", "mul", "max", "min"]), None

    def draw_crossed(self):
        """Elementwise, of rows that vectors of 16 bytes make, most of them: what lies across may be turned in registers. Or of rows one element longer or shorter, whose
        vectors are loaded from where they begin."""
        rng = self.rng
        dims = ["i", "j", "k"][:rng.choice([2, 2, 3])]
        is_odd = rng.random() < 0.4
        extents = [127, 129, 159, 161, 223, 225, 97, 65] if is_odd else [16, 32, 48, 64, 80, 144, 144, 272, 40, 33]
        self.static |= is_odd
        self.sizes = {dim: rng.choice(extents) for dim in dims[:2]} | {dim: rng.choice([1, 2, 3]) for dim in dims[2:]}
        self.reduced, self.order = [], list(dims)
        self.maps = [self.permuted(dims)] + [self.permuted(dims if rng.random() < 0.6 else dims[:1]) for _ in range(rng.choice([0, 0, 1]))]
        self.body, self.combine = rng.choice(["add", "sub", "mul", "max", "min"]), None

    def choose_types(self):
        rng = self.rng
        types = [("f32", "f32"), ("f32", "f32"), ("f32", "f32"), ("bf16", "f32"), ("bf16", "f32"), ("f16", "f32"), ("f16", "f16"), ("f64", "f64"), ("i32", "i32"), ("i8", "i32")]
        if self.family == "crossed":
            types = [("f16", "f16"), ("bf16", "bf16"), ("i8", "i8"), ("i8", "i8"), ("f32", "f32"), ("i8", "i32")]
        inputs, result = rng.choice(types)
        self.inputs = [Operand("AXW"[number] if number < 3 else "V", inputs, subscripts) for number, subscripts in enumerate(self.maps)]
        self.result = Operand("R", result, [{dim: 1} for dim in self.order])
        # Of f32 what tensor cores multiply; small integers it leaves as they are.
        self.rounded = self.family == "product" and inputs == "f32" and rng.random() < 0.4
        return result

    def draw_following(self):
        """Ops on the result, element by element: with a scalar, or an operand that some of the result's dimensions move."""
        rng, follow = self.rng, []
        for number in range(rng.choice([0, 0, 1, 2])):
            dims = rng.sample(self.order, rng.randint(1, len(self.order)))
            operand = Operand("EF"[number], self.result.element, [{dim: 1} for dim in dims]) if rng.random() < 0.6 else None
            follow.append((rng.choice(["add", "mul", "max", "sub"]), operand))
        return follow

    def get_operands(self):
        return self.inputs + [step[1] for step in self.follow if step[1]] + [self.result]


def apply(op, a, b):
    return {"add": a + b, "sub": a - b, "mul": a * b, "max": max(a, b), "min": min(a, b)}[op]


def execute(problem):
    """The values of the result, in row-major order."""
    sizes, dims = problem.sizes, list(problem.sizes)

    def index(operand, point):
        at = 0
        for extent, subscript in zip(operand.shape(sizes), operand.subscripts):
            at = at * extent + sum(factor * point[dim] for dim, factor in subscript.items())
        return at

    values = list(problem.result.values)
    if problem.fill is not None:
        values = [problem.fill] * len(values)
    if problem.launches == "ahead":
        values = [2 * value for value in values]
    for numbers in itertools.product(*(range(sizes[dim]) for dim in dims)):
        point = dict(zip(dims, numbers))
        read = [operand.values[index(operand, point)] for operand in problem.inputs]
        value = read[0]
        for other in read[1:]:
            value = apply(problem.body, value, other)
        value += point[problem.number] if problem.number else 0
        at = index(problem.result, point)
        for _ in range(2 if problem.launches == "second" else 1):
            values[at] = apply(problem.combine, values[at], value) if problem.combine else value
    for op, operand in problem.follow:
        for numbers in itertools.product(*(range(sizes[dim]) for dim in problem.order)):
            point = dict(zip(problem.order, numbers))
            at = index(problem.result, point)
            values[at] = apply(op, values[at], operand.values[index(operand, point)] if operand else 2)
    return values


# Text.

OPS = {"add": "add", "sub": "sub", "mul": "mul"}


def print_op(op, element, result, a, b):
    kind = "f" if element in FLOATS else "i"
    names = {"div": {"f": "divf", "i": "divsi"}}.get(op, {"f": f"{op}imumf", "i": f"{op}si"})
    name = OPS[op] + kind if op in OPS else names[kind]
    return f"{result} = arith.{name} {a}, {b} : {element}"


class ProblemPrinter:
    def __init__(self, problem):
        self.p = problem
        self.dims = list(problem.sizes)

    # What forms share.

    def print_map(self, subscripts, dims, extra=""):
        def term(dim, factor):
            return dim if factor == 1 else f"{dim} * {factor}"
        words = [" + ".join(term(dim, factor) for dim, factor in subscript.items()) for subscript in subscripts]
        if extra and words:
            words[0] += extra
        return f"affine_map<({', '.join(dims)}) -> ({', '.join(words)})>"

    def extents(self, operand):
        """Of each dimension a size or a number, as text."""
        shape = operand.shape(self.p.sizes)
        return [str(extent) if self.p.static or len(subscript) > 1 or any(factor > 1 for factor in subscript.values())
                else "%" + next(iter(subscript)).upper() for extent, subscript in zip(shape, operand.subscripts)]

    def type_of(self, operand, tensor=False):
        words = [extent if extent.isdigit() else "?" for extent in self.extents(operand)]
        layout = f", strided<[{', '.join('?' * len(words))}]>" if operand.strided else ""
        return f"{'tensor' if tensor else 'memref'}<{'x'.join(words + [operand.element])}{layout}>"

    def print_body(self, arguments, result):
        """A region over values of `arguments` (name, element) that combines them with %old of the result."""
        p, lines, names = self.p, [], []
        for name, element in arguments:
            names.append(name)
            if element != result:
                lines.append(f"{name}w = arith.{'extf' if element in FLOATS else 'extsi'} {name} : {element} to {result}")
                names[-1] = name + "w"
            if p.rounded:
                lines += [f"{name}t = arith.truncf {name} toward_zero : f32 to tf32", f"{name}r = arith.extf {name}t : tf32 to f32"]
                names[-1] = name + "r"
        value = names[0]
        for number, name in enumerate(names[1:]):
            lines.append(print_op(p.body, result, f"%v{number}", value, name))
            value = f"%v{number}"
        if p.number:
            lines += [f"%index = linalg.index {self.dims.index(p.number)} : index", "%whole = arith.index_cast %index : index to i32"]
            number = "%whole"
            if result in FLOATS:
                lines.append(f"%number = arith.sitofp %whole : i32 to {result}")
                number = "%number"
            lines.append(print_op("add", result, "%shifted", value, number))
            value = "%shifted"
        if p.combine:
            lines.append(print_op(p.combine, result, "%new", "%old", value))
            value = "%new"
        return lines + [f"linalg.yield {value} : {result}"]

    def print_generic(self, maps, iterators, ins, outs, arguments, body, tensor=False):
        head = f"linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{', '.join(iterators)}]}}"
        ins = f" ins({', '.join(n for n, _ in ins)} : {', '.join(t for _, t in ins)})" if ins else ""
        lines = [f"{head}{ins} outs({outs[0]} : {outs[1]}) {{", f"^bb0({', '.join(f'{n}: {e}' for n, e in arguments)}):"]
        lines += ["  " + line for line in body]
        return lines + ["}" + (f" -> {outs[1]}" if tensor else "")]

    def print_root(self, ins, outs, mistake=None, tensor=False):
        p = self.p
        iterators = ['"reduction"' if dim in p.reduced else '"parallel"' for dim in self.dims]
        maps = [self.print_map(operand.subscripts, self.dims, " mod 3" if mistake == "modulo" and number == 0 else "")
                for number, operand in enumerate(p.inputs)]
        maps.append(self.print_map(p.result.subscripts, self.dims, " + 1" if mistake == "shifted" else ""))
        arguments = [(f"%a{number}", operand.element) for number, operand in enumerate(p.inputs)]
        body = self.print_body(arguments, p.result.element)
        return self.print_generic(maps, iterators, ins, outs, arguments + [("%old", p.result.element)], body, tensor)

    def print_follow(self, number, value, outs):
        """Op `number` after the root on `outs`."""
        op, operand = self.p.follow[number]
        element, dims = self.p.result.element, self.p.order
        maps = ([self.print_map(operand.subscripts, dims)] if operand else []) + [self.print_map(self.p.result.subscripts, dims)]
        arguments = ([("%e", element)] if operand else []) + [("%old", element)]
        body = [print_op(op, element, "%new", "%old", "%e" if operand else "%two"), f"linalg.yield %new : {element}"]
        return self.print_generic(maps, ['"parallel"'] * len(dims), [value] if operand else [], outs, arguments, body)

    def constant(self, name, value):
        element = self.p.result.element
        number = str(float(value)) if element in FLOATS else str(value)
        return f"{name} = arith.constant {number} : {element}"

    def header(self, operands):
        sizes = sorted({extent for operand in operands for extent in self.extents(operand) if not extent.isdigit()})
        words = [f"%{operand.name}: {self.type_of(operand)}[{', '.join(self.extents(operand))}]" for operand in operands]
        return f"tile.kernel @drawn({', '.join(words + [size + ': index' for size in sizes])}) {{"

    # Forms.

    def print_plain(self):
        p, mistake = self.p, self.p.mistake
        operands, result = p.get_operands(), ("%R", self.type_of(p.result))
        lines = [self.constant("%two", 2)] if any(not operand for _, operand in p.follow) or p.launches else []
        if p.fill is not None:
            lines += [self.constant("%init", p.fill), f"linalg.fill ins(%init : {p.result.element}) outs(%R : {result[1]})"]
        ins = [("%" + operand.name, self.type_of(operand)) for operand in p.inputs]
        if p.launches == "ahead":
            # Doubles the result before anything is combined with it.
            dims = p.order
            lines += self.print_generic([self.print_map(p.result.subscripts, dims)], ['"parallel"'] * len(dims), [], result, [("%old", p.result.element)],
                                        [print_op("mul", p.result.element, "%new", "%old", "%two"), f"linalg.yield %new : {p.result.element}"])
        root = self.print_root(ins, result, mistake)
        lines += root * (2 if p.launches == "second" else 1)
        for number, (_, operand) in enumerate(p.follow):
            lines += self.print_follow(number, operand and ("%" + operand.name, self.type_of(operand)), result)
        header = self.header(operands)
        if mistake == "extents":  # The last operand but the result has a size of its own.
            place, before = header.index("%X: "), header.index("%M")
            header = header[:place] + header[place:].replace("%K", "%Q", 1).replace("%M: index", "%M: index, %Q: index") if before else header
        text = [header] + ["  " + line for line in lines] + ["}"]
        return "\n".join(text) + "\n"

    def plain_type(self, operand):
        return self.type_of(operand).split(", strided")[0].rstrip(">") + ">"

    def print_function(self):
        p = self.p
        element, result = p.result.element, self.type_of(p.result, tensor=True)
        arguments = [f"%{operand.name}: {self.type_of(operand, tensor=True)}" for operand in p.inputs + [p.result]]
        lines, start = [], "%R"
        if p.fill is not None:
            lines += [self.constant("%init", p.fill), f"%start = linalg.fill ins(%init : {element}) outs(%R : {result}) -> {result}"]
            start = "%start"
        root = self.print_root([("%" + operand.name, self.type_of(operand, tensor=True)) for operand in p.inputs], (start, result), tensor=True)
        root[0] = "%done = " + root[0]
        lines += root + [f"return %done : {result}"]
        text = [f"func.func @drawn({', '.join(arguments)}) -> {result} {{"] + ["  " + line for line in lines] + ["}"]
        return "\n".join(text) + "\n"

    def print_open(self):
        """Loops on block over some dimensions, on time over some that are summed over, and perhaps on threads; steps open or not."""
        p, rng = self.p, self.p.rng
        self.left = {dim: None for dim in self.dims}  # None: the whole dimension; else the step, or "?".
        self.at = {dim: [] for dim in self.dims}
        lines, indent = [], 1
        grid = rng.sample(p.order, rng.randint(1, len(p.order)))
        held = p.fill is not None

        def step(choices):
            return "?" if rng.random() < 0.75 else str(rng.choice(choices))

        def emit(text):
            lines.append("  " * indent + text)

        def open_loop(dims, unit, level, choices, suffix, clause=""):
            nonlocal indent
            steps = [step(choices) for _ in dims]
            extents = [self.whole(dim) if self.left[dim] is None else self.left[dim] for dim in dims]
            emit(f"tile.for ({', '.join(f'%{dim}{suffix}' for dim in dims)}) in ({', '.join(extents)}) by ({', '.join(steps)}) at {level}"
                 f"{' on ' + unit if unit else ''}{clause} {{")
            indent += 1
            for dim, one in zip(dims, steps):
                self.left[dim] = one
                self.at[dim].append(f"%{dim}{suffix}")

        opened = 0
        open_loop(grid, "block", "dram", [8, 16, 32, 64], "0", rng.choice(["", "", " raster(row)"]))
        opened += 1
        if "?" not in lines[0].split(" by ")[1].split(" at ")[0]:
            lines[0] = lines[0].replace(" by (" + self.left[grid[0]], " by (?", 1)
            self.left[grid[0]] = "?"
        threads = rng.random() < 0.3
        if threads:
            open_loop(grid, "thread", "dram", [1, 2, 4], "1")
            opened += 1
        name, kind = "%r", None
        if held:
            kind = self.tile(p.result, "rf")
            emit(f"%r = tile.hold init({p.fill}{'.0' if p.result.element in FLOATS else ''} : {p.result.element}) : {kind}")
        walked = rng.sample(p.reduced, rng.randint(0, len(p.reduced))) if p.reduced else []
        for number, dim in enumerate(walked):
            open_loop([dim], "", "dram", [4, 8, 16], "0", "" if number < len(walked) - 1 or rng.random() < 0.8 or threads else " pipeline(2)")
        ins = [self.place(operand, emit, rng, threads) for operand in p.inputs]
        if not held:
            name, kind = self.place(p.result, emit, rng, True, write=True)
        for line in self.print_root(ins, (name, kind)):
            emit(line)
        for dim in walked:
            indent -= 1
            emit("}")
            self.left[dim] = None
            self.at[dim].pop()
        follows = p.follow
        if follows and any(operand is None for _, operand in follows):
            lines.insert(0, "  " + self.constant("%two", 2))
        if follows and not held:
            name, kind = self.place(p.result, emit, rng, True, write=True, prefix="f")
        for number, (_, operand) in enumerate(follows):
            value = self.place(operand, emit, rng, True) if operand else None
            for line in self.print_follow(number, value, (name, kind)):
                emit(line)
        if held:
            emit(f"tile.store %r to %R[{self.subscripts(p.result)}] : {kind} to {self.type_of(p.result)}")
        for _ in range(opened):
            indent -= 1
            emit("}")
        return "\n".join([self.header(p.get_operands())] + lines + ["}"]) + "\n"

    def whole(self, dim):
        return str(self.p.sizes[dim]) if self.p.static else "%" + dim.upper()

    def tile(self, operand, level):
        """The type of a tile or, where `level` is none, of a part."""
        words = []
        for subscript in operand.subscripts:
            dim, factor = next(iter(subscript.items()))
            left = self.left[dim] if len(subscript) == 1 and factor == 1 else None
            words.append(left if left and left != "?" and self.p.rng.random() < 0.5 else "?")
        layout = f", strided<[{', '.join('?' * len(words))}], offset: ?>" if not level else f", #tile.level<{level}>"
        return f"memref<{'x'.join(words + [operand.element])}{layout}>"

    def subscripts(self, operand):
        words = []
        for subscript in operand.subscripts:
            terms = [f"{factor} * {value}" if factor > 1 else value for dim, factor in subscript.items() for value in self.at[dim]]
            words.append(" + ".join(terms) or "0")
        return ", ".join(words)

    def place(self, operand, emit, rng, threads, write=False, prefix="t"):
        """A part of an operand, or a staged tile of it; name and type."""
        name = f"%{prefix}{operand.name}"
        if not write and not threads and rng.random() < 0.3:
            kind = self.tile(operand, "smem")
            emit(f"{name} = tile.stage %{operand.name}[{self.subscripts(operand)}] : {self.type_of(operand)} to {kind}")
        else:
            kind = self.tile(operand, None)
            emit(f"{name} = tile.part %{operand.name}[{self.subscripts(operand)}] : {self.type_of(operand)} to {kind}")
        return name, kind

    def print(self):
        return getattr(self, "print_" + self.p.form)()


def generate(seed):
    return ProblemPrinter(Problem(seed)).print()


if __name__ == "__main__":
    first = int(sys.argv[1])
    end = int(sys.argv[2]) if len(sys.argv) > 2 else first + 1
    print("\n// -----\n\n".join(generate(seed) for seed in range(first, end)), end="")
