"""Bodies of linalg ops: random expressions of scalar ops, and what they compute, in plain Python.

Integers are Python's, wrapped to their width after each op; f64 is Python's float, f32 is rounded from it after each op,
which rounds sums, products, quotients and roots rightly (24 bits twice are fewer than 53), and so are f16 and bf16. Every op is drawn only where
LLVM and PTX give its result a value: no division by zero, no shift past the width, no conversion out of range.
"""

import dataclasses
import math
import struct

from narrow import to_float

FLOATS = ("f32", "f64", "f16", "bf16")
SHORT_FLOATS = ("f8E4M3FN", "f8E5M2")  # Elements that are only read.
INTEGERS = ("i8", "i16", "i32", "i64")
INF = float("inf")
NAN = float("nan")


def width(kind):
    return 64 if kind == "index" else int(kind.lstrip("bfi"))


def wrap(value, kind):
    """As a signed number; i1 is 0 or 1."""
    bits = width(kind)
    value &= (1 << bits) - 1
    return value - (1 << bits) if bits > 1 and value >> (bits - 1) else value


def unsigned(value, kind):
    return value & ((1 << width(kind)) - 1)


def to_f32(value):
    try:
        return struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return math.copysign(INF, value)


def to_tf32(value):
    """Without the 13 last bits of the significand."""
    bits, = struct.unpack("<I", struct.pack("<f", value))
    return value if math.isnan(value) else struct.unpack("<f", struct.pack("<I", bits & ~0x1fff))[0]


def fit(value, kind):
    """A value as an element or a register of a type holds it."""
    if kind == "f32":
        return to_f32(value)
    if kind == "tf32":
        return to_tf32(value)
    if kind in SHORT_FLOATS:
        return float(value)
    return to_float(float(value), kind) if kind in FLOATS else wrap(int(value), kind)


def divide(a, b):
    if b == 0:
        return NAN if a == 0 or math.isnan(a) else math.copysign(INF, a) * math.copysign(1, b)
    return a / b


def maximum(a, b):
    """NaN wins, and +0 is more than -0."""
    if math.isnan(a) or math.isnan(b):
        return NAN
    return b if a < b or (a == b and math.copysign(1, a) < 0) else a


def minimum(a, b):
    return -maximum(-a, -b)


def number_of(pick):
    """Numbers win against NaN."""
    return lambda a, b: b if math.isnan(a) else a if math.isnan(b) else pick(a, b)


def truncate(a, b):
    """A quotient towards zero."""
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def remainder(a, b):
    return a - b * truncate(a, b)


def round_even(a):
    return math.copysign(float(round(a)), a) if math.isfinite(a) else a


def round_away(a):
    return math.copysign(math.floor(abs(a) + 0.5), a) if math.isfinite(a) else a


def whole(function):
    return lambda a: math.copysign(float(function(a)), a) if math.isfinite(a) else a


ORDERED = {"eq": lambda a, b: a == b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b, "lt": lambda a, b: a < b,
           "le": lambda a, b: a <= b, "ne": lambda a, b: a < b or a > b, "rd": lambda a, b: True}
SIGNED = {"eq": ORDERED["eq"], "ne": lambda a, b: a != b, "slt": ORDERED["lt"], "sle": ORDERED["le"],
          "sgt": ORDERED["gt"], "sge": ORDERED["ge"]}


def compare_floats(predicate, a, b):
    """`o..` is false, `u..` true where one is not a number; `ord` and `uno` ask for that."""
    if math.isnan(a) or math.isnan(b):
        return predicate[0] == "u"
    return predicate != "uno" and ORDERED[predicate[1:]](a, b)


def compare_integers(predicate, a, b, kind):
    if predicate[0] == "u":
        return SIGNED["s" + predicate[1:]](unsigned(a, kind), unsigned(b, kind))
    return SIGNED[predicate](a, b)


FLOAT_PREDICATES = [o + p for p in ("lt", "le", "gt", "ge", "eq", "ne") for o in "ou"] + ["ord", "uno"]
INTEGER_PREDICATES = ["slt", "eq", "ne", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"]

# Of floating-point numbers. What is exact stays a small sum of powers of two.
EXACT = {
    "arith.addf": lambda a, b: a + b, "arith.subf": lambda a, b: a - b, "arith.mulf": lambda a, b: a * b,
    "arith.negf": lambda a: -a, "arith.maximumf": maximum, "arith.minimumf": minimum,
    "arith.maxnumf": number_of(maximum), "arith.minnumf": number_of(minimum), "math.absf": abs,
    "math.floor": whole(math.floor), "math.ceil": whole(math.ceil), "math.trunc": whole(math.trunc),
    "math.roundeven": round_even, "math.round": round_away, "math.fma": lambda a, b, c: a * b + c,
}
ROUNDED = {
    "arith.divf": divide, "math.sqrt": math.sqrt, "math.rsqrt": lambda a: 1 / math.sqrt(a), "math.exp": math.exp,
    "math.exp2": lambda a: 2.0 ** a, "math.expm1": math.expm1, "math.log": math.log, "math.log2": math.log2,
    "math.log1p": math.log1p, "math.tanh": math.tanh, "math.sin": math.sin, "math.cos": math.cos, "math.erf": math.erf,
    "math.powf": lambda a, b: a ** b, "arith.remf": math.fmod,
}
# Of integers, as signed numbers.
WHOLE = {
    "arith.addi": lambda a, b, k: a + b, "arith.subi": lambda a, b, k: a - b, "arith.muli": lambda a, b, k: a * b,
    "arith.andi": lambda a, b, k: a & b, "arith.ori": lambda a, b, k: a | b, "arith.xori": lambda a, b, k: a ^ b,
    "arith.maxsi": lambda a, b, k: max(a, b), "arith.minsi": lambda a, b, k: min(a, b),
    "arith.maxui": lambda a, b, k: max(unsigned(a, k), unsigned(b, k)),
    "arith.minui": lambda a, b, k: min(unsigned(a, k), unsigned(b, k)),
    "arith.divsi": lambda a, b, k: truncate(a, b), "arith.remsi": lambda a, b, k: remainder(a, b),
    "arith.divui": lambda a, b, k: unsigned(a, k) // unsigned(b, k),
    "arith.remui": lambda a, b, k: unsigned(a, k) % unsigned(b, k),
    "arith.shli": lambda a, b, k: a << b, "arith.shrsi": lambda a, b, k: a >> b,
    "arith.shrui": lambda a, b, k: unsigned(a, k) >> b, "math.absi": lambda a, k: abs(a),
}
# From one type to another.
CASTS = {
    "arith.extf": lambda a, k: a, "arith.truncf": lambda a, k: a, "arith.extsi": lambda a, k: a,
    "arith.extui": unsigned, "arith.trunci": lambda a, k: a, "arith.sitofp": lambda a, k: float(a),
    "arith.uitofp": lambda a, k: float(unsigned(a, k)), "arith.fptosi": lambda a, k: int(a),
    "arith.fptoui": lambda a, k: int(a), "arith.index_cast": lambda a, k: a,
}


@dataclasses.dataclass
class Step:
    """One op: `result : kind`, of values of type `source`."""
    result: str
    op: str
    operands: list
    kind: str
    source: str = ""
    # A constant's value, a predicate, or the number of a loop.
    attribute: object = None


class Body:
    """The region of a linalg op: `arguments` are (name, type), `results` the names that it yields."""

    def __init__(self, arguments):
        self.arguments, self.steps, self.results, self.exact = arguments, [], [], True
        self.types = dict(arguments)

    def add(self, op, operands, kind, attribute=None):
        name = f"v{len(self.steps)}"
        source = self.types[operands[-1]] if operands else kind
        self.steps.append(Step(name, op, list(operands), kind, source, attribute))
        self.types[name] = kind
        self.exact &= op not in ROUNDED
        return name

    def constant(self, value, kind):
        return self.add("arith.constant", [], kind, value)

    def give(self, *results):
        self.results = list(results)
        return self

    def lines(self, end="linalg.yield"):
        from program_tree import print_number
        for step in self.steps:
            words = ", ".join("%" + name for name in step.operands)
            if step.op == "arith.constant":
                yield f"%{step.result} = arith.constant {print_number(step.attribute, step.kind)} : {step.kind}"
            elif step.op == "linalg.index":
                yield f"%{step.result} = linalg.index {step.attribute} : index"
            elif step.op in ("arith.cmpf", "arith.cmpi"):
                yield f"%{step.result} = {step.op} {step.attribute}, {words} : {step.source}"
            elif step.op in CASTS:
                rounding = " toward_zero" if step.kind == "tf32" else ""
                yield f"%{step.result} = {step.op} {words}{rounding} : {step.source} to {step.kind}"
            elif step.op == "raw":
                yield step.attribute.format(result="%" + step.result)
            else:
                yield f"%{step.result} = {step.op} {words} : {step.kind}"
        yield f"{end} {', '.join('%' + name for name in self.results)} : {', '.join(self.types[n] for n in self.results)}"

    def reads(self, number):
        """Does anything use argument `number`?"""
        name = self.arguments[number][0]
        return name in self.results or any(name in step.operands for step in self.steps)

    def evaluate(self, values, place, scalars):
        """The results where arguments have `values`, at the point `place` of the op's loops; `scalars` are the kernel's."""
        known = {**scalars, **dict(zip((name for name, _ in self.arguments), values))}
        for step in self.steps:
            value = evaluate_step(step, [known[name] for name in step.operands], place)
            known[step.result] = fit(value, step.kind)
            # A sum that was rounded depends on the order of its terms.
            self.exact &= step.kind != "f32" or known[step.result] == value or value != value
        return [known[name] for name in self.results]


def evaluate_step(step, values, place):
    """The value before it is made to fit the step's type."""
    op, kind = step.op, step.kind
    if op == "arith.constant":
        value = step.attribute
    elif op == "linalg.index":
        value = place[step.attribute]
    elif op == "arith.cmpf":
        value = compare_floats(step.attribute, *values)
    elif op == "arith.cmpi":
        value = compare_integers(step.attribute, *values, step.source)
    elif op == "arith.select":
        value = values[1] if values[0] else values[2]
    elif op in CASTS:
        value = CASTS[op](values[0], step.source)
    elif op in WHOLE:
        value = WHOLE[op](*values, kind)
    else:
        value = (EXACT.get(op) or ROUNDED[op])(*values)
    return value
