"""Functions on tensors that are written and executed at once: each value of a body is its text and what computes it in Python, which shares nothing with tilec."""

import itertools
import math
import re

from mapped_gen import Operand

# Of each operation what it is called for floats and for integers, and what it computes.
ARITH = {
    "add": ("addf", "addi", lambda a, b: a + b),
    "sub": ("subf", "subi", lambda a, b: a - b),
    "mul": ("mulf", "muli", lambda a, b: a * b),
    "max": ("maximumf", "maxsi", max),
    "min": ("minimumf", "minsi", min),
}
COMPARED = {"gt": lambda a, b: a > b, "ge": lambda a, b: a >= b, "lt": lambda a, b: a < b, "le": lambda a, b: a <= b, "eq": lambda a, b: a == b, "ne": lambda a, b: a != b}


def is_float(kind):
    return kind.startswith("f")


class Array(Operand):
    """An array of a function; `kind` is what its elements are there, `values` what it holds, in row-major order. Truth values are bytes in files, and any but 0 is true."""

    def __init__(self, name, kind, extents, values):
        self.name, self.kind, self.extents, self.values, self.strided = name, kind, list(extents), values, False
        # What a slice was put into, at a place that is computed along one dimension, to make it.
        self.into = None
        self.element = "i8" if kind == "i1" else kind
        self.subscripts = [{f"n{number}": 1} for number in range(len(extents))]
        self.type = "tensor<" + "".join(f"{extent}x" for extent in extents) + kind + ">"

    def shape(self, _):
        return self.extents

    def number_of(self, point):
        number = 0
        for place, extent in zip(point, self.extents, strict=True):
            assert 0 <= place < extent, f"{point} is outside of {self.name}, {self.type}"
            number = number * extent + place
        return number

    def at(self, point):
        value = self.values[self.number_of(point)]
        return int(value != 0) if self.kind == "i1" else value

    def most(self):
        return max(abs(value) for value in self.values)

    def points(self):
        return itertools.product(*map(range, self.extents))


class Place:
    """A subscript of a map: its text, and its number at a point."""

    def __init__(self, text, get):
        self.text, self.get = text, get


def dim(number):
    return Place(f"d{number}", lambda point: point[number])


def identity(extents):
    return [dim(number) for number in range(len(extents))]


class Value:
    """A value of a body: its name, what it is, and what it is of a point, elements of the inputs and what the results were before."""

    def __init__(self, name, kind, get):
        self.name, self.kind, self.get = name, kind, get


class Body:
    """What a generic op computes with elements of arrays of `kinds`, those of `inputs` first."""

    def __init__(self, function, kinds, inputs):
        self.function, self.kinds, self.lines, self.taken = function, kinds, [], []
        self.elements = [Value(f"%a{number}", kind, lambda point, elements, number=number: elements[number]) for number, kind in enumerate(kinds)]
        self.before = self.elements[inputs:]

    def emit(self, kind, text, get):
        value = Value(f"%b{len(self.lines)}", kind, get)
        self.lines.append(f"{value.name} = {text}")
        return value

    def constant(self, kind, number):
        return Value(self.function.constant(kind, number), kind, lambda point, elements: number)

    def index(self, number):
        return self.emit("index", f"linalg.index {number} : index", lambda point, elements: point[number])

    def arith(self, op, a, b):
        floats, integers, compute = ARITH[op]
        return self.emit(a.kind, f"arith.{floats if is_float(a.kind) else integers} {a.name}, {b.name} : {a.kind}", lambda *of: compute(a.get(*of), b.get(*of)))

    def whole(self, op, a, b, compute):
        """An operation on integers alone."""
        return self.emit(a.kind, f"arith.{op} {a.name}, {b.name} : {a.kind}", lambda *of: compute(a.get(*of), b.get(*of)))

    def compare(self, predicate, a, b):
        compute, equal = COMPARED[predicate], predicate in ("eq", "ne")
        floats = is_float(a.kind)
        word = ("une" if predicate == "ne" else f"o{predicate}") if floats else predicate if equal else f"s{predicate}"
        return self.emit("i1", f"arith.cmp{'f' if floats else 'i'} {word}, {a.name}, {b.name} : {a.kind}", lambda *of: int(compute(a.get(*of), b.get(*of))))

    def select(self, condition, a, b):
        return self.emit(a.kind, f"arith.select {condition.name}, {a.name}, {b.name} : {a.kind}", lambda *of: a.get(*of) if condition.get(*of) else b.get(*of))

    def cast(self, op, value, kind):
        """A conversion that keeps the number."""
        return value if value.kind == kind else self.emit(kind, f"arith.{op} {value.name} : {value.kind} to {kind}", value.get)

    def extract(self, array, subscripts):
        self.taken.append(array)
        places = ", ".join(subscript.name for subscript in subscripts)
        return self.emit(array.kind, f"tensor.extract %{array.name}[{places}] : {array.type}", lambda *of: array.at([subscript.get(*of) for subscript in subscripts]))


def print_number(kind, number):
    if kind == "i1":
        return "true" if number else "false"
    if not is_float(kind):
        return str(number)
    return f"{number}.0" if math.isfinite(number) else "0x7F800000" if number > 0 else "0xFF800000"


class Function:
    """`lines` after constants; `read`: the names of arrays that ops have read."""

    def __init__(self):
        self.arguments, self.constants, self.lines, self.read, self.numbers = [], {}, [], set(), itertools.count()

    def argument(self, kind, extents, values):
        array = Array(f"X{len(self.arguments)}", kind, extents, values)
        self.arguments.append(array)
        return array

    def scalar(self, kind, value):
        """A number that whoever launches gives."""
        number = self.argument(kind, [], [value])
        number.type, number.scalar = kind, True
        self.read.add(number.name)
        return number

    def write(self, text):
        """The name of a number that the function computes outside of bodies."""
        name = f"%n{next(self.numbers)}"
        self.lines.append(f"{name} = {text}")
        return name

    def constant(self, kind, number):
        name = f"%c{len(self.constants)}"
        return self.constants.setdefault((kind, number), name)

    def splat(self, kind, extents, number):
        array = Array(f"s{next(self.numbers)}", kind, extents, [number] * math.prod(extents))
        self.lines.append(f"%{array.name} = arith.constant dense<{print_number(kind, number)}> : {array.type}")
        return array

    def empty(self, kind, extents):
        array = Array(f"e{next(self.numbers)}", kind, extents, [None] * math.prod(extents))
        self.lines.append(f"%{array.name} = tensor.empty() : {array.type}")
        return array

    def fill(self, kind, extents, number):
        empty, constant = self.empty(kind, extents), self.constant(kind, number)
        array = Array(f"f{next(self.numbers)}", kind, extents, [number] * math.prod(extents))
        self.lines.append(f"%{array.name} = linalg.fill ins({constant} : {kind}) outs(%{empty.name} : {array.type}) -> {array.type}")
        return array

    def generic(self, extents, inputs, inits, body, yielded, reduced=()):
        """Writes the op along dimensions of `extents` that yields `yielded` of `body`; inputs and inits are arrays with their subscripts. What it makes."""
        name = f"v{next(self.numbers)}"
        made = [Array(f"{name}#{number}" if len(inits) > 1 else name, init.kind, init.extents, list(init.values)) for number, (init, _) in enumerate(inits)]
        for point in itertools.product(*map(range, extents)):
            elements = [array.at([place.get(point) for place in places]) for array, places in inputs]
            numbers = [array.number_of([place.get(point) for place in places]) for array, (_, places) in zip(made, inits)]
            elements += [array.values[number] for array, number in zip(made, numbers)]
            new = [value.get(point, elements) for value in yielded]
            for array, number, value in zip(made, numbers, new):
                array.values[number] = value
        # Exporters leave no input that the body does not read.
        words = set(re.findall(r"%\w+", " ".join([*body.lines, *(value.name for value in yielded)])))
        elements = [element for element in body.elements if element in body.before or element.name in words]
        inputs = [operand for operand, element in zip(inputs, body.elements) if element in elements]
        both = inputs + inits
        dims = ", ".join(f"d{number}" for number in range(len(extents)))
        maps = ", ".join(f"affine_map<({dims}) -> ({', '.join(place.text for place in places)})>" for _, places in both)
        iterators = ", ".join('"reduction"' if number in reduced else '"parallel"' for number in range(len(extents)))
        types = ", ".join(array.type for array in made)

        def print_operands(word, operands):
            return f" {word}({', '.join('%' + array.name for array, _ in operands)} : {', '.join(array.type for array, _ in operands)})" if operands else ""

        self.lines.append(f"%{name}{f':{len(made)}' if len(made) > 1 else ''} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{iterators}]}}"
                          f"{print_operands('ins', inputs)}{print_operands('outs', inits)} {{")
        self.lines.append(f"^bb0({', '.join(f'{element.name}: {element.kind}' for element in elements)}):")
        self.lines += ["  " + line for line in body.lines]
        self.lines.append(f"  linalg.yield {', '.join(value.name for value in yielded)} : {', '.join(value.kind for value in yielded)}")
        self.lines.append(f"}} -> {types if len(made) == 1 else f'({types})'}")
        self.read |= {array.name for array, _ in both} | {array.name for array in body.taken}
        return made

    def get_read(self):
        return [array for array in self.arguments if array.name in self.read]

    def print(self, results):
        types = ", ".join(array.type for array in results)
        taken = ", ".join(f"%{array.name}: {array.type}" for array in self.get_read())
        constants = [f"{name} = arith.constant {print_number(kind, number)}{'' if kind == 'i1' else f' : {kind}'}" for (kind, number), name in self.constants.items()]
        returned = f"return {', '.join('%' + array.name for array in results)} : {types}"
        lines = "".join(f"  {line}\n" for line in [*constants, *self.lines, returned])
        return f"func.func @forms({taken}) -> {types if len(results) == 1 else f'({types})'} {{\n{lines}}}\n"
