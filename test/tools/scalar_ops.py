"""Runs every scalar op that a kernel may compute with, of every type that it takes, on awkward numbers.

  scalar_ops.py run SCALAROPS.CPP TILEC FOLDER
  scalar_ops.py cubin SCALAROPS.CPP TILEC FOLDER

SCALAROPS.CPP has the list (rule C1 of tile.kernel); an op that it names and this file does not, or the other way round, is
an error. Each kernel computes many ops on all pairs of some numbers, in the emulator, and Python says what must come out:
integers and exact operations to the bit, functions within a few units of the last place. Then `--verify` holds the same
text against the evaluator. With `cubin` the same texts are compiled by NVRTC instead.
"""

import itertools
import math
import pathlib
import re
import struct
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import npy  # noqa: E402
from narrow import FORMATS, decode, encode, to_float  # noqa: E402

INF, NAN = math.inf, math.nan
FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.0, 7.25, -7.25, 30.0, 1e-3, 3e38, -3e38, 1e-40, INF, -INF, NAN]
# Ties between neighbours, just beside ties, the largest numbers and what is above, and subnormal ones of 16 bits.
NARROW = {"f16": [0.0, -0.0, 1.0, -1.5, 2.5, -7.25, 30.0, 2049.0, 65504.0, -65504.0, 1e-3, 6e-8, 3e-5, 2.0 ** -24, INF, -INF, NAN],
          "bf16": [0.0, -0.0, 1.0, -1.5, 2.5, -7.25, 30.0, 257.0, 3.38e38, -3.38e38, 1e-3, 1e-40, 2.0 ** -133, INF, -INF, NAN]}
DTYPES = {"f16": ("<f2", "H"), "bf16": ("<V2", "H"), "f32": ("<f4", "f"), "f64": ("<f8", "d"), "i32": ("<i4", "i"), "i8": ("|i1", "b")}


def to_f32(x):
    try:
        return struct.unpack("f", struct.pack("f", x))[0]
    except OverflowError:
        return math.copysign(INF, x)


def wrap(x, bits):
    x &= (1 << bits) - 1
    return x - (1 << bits) if bits > 1 and x >> (bits - 1) else x


def unsigned(x, bits):
    return x & ((1 << bits) - 1)


# ---------------------------------------------------------------------------------------------------------------------
# Floating-point numbers
# ---------------------------------------------------------------------------------------------------------------------

def total(function):
    """The C function that Python raises an error for where C gives NaN or infinity."""
    def call(*x):
        if any(math.isnan(v) for v in x) and function is not math.pow:
            return NAN
        try:
            return function(*x)
        except ValueError:
            return NAN
        except OverflowError:
            return INF
    return call


def divide(a, b):
    if b != 0:
        return a / b
    if a == 0 or math.isnan(a) or math.isnan(b):
        return NAN
    return math.copysign(INF, a) * math.copysign(1.0, b)


def extremum(greater, keeps_nan):
    def call(a, b):
        if math.isnan(a) or math.isnan(b):
            return NAN if keeps_nan or (math.isnan(a) and math.isnan(b)) else b if math.isnan(a) else a
        if a == b:  # +0 is greater than -0.
            return a if (math.copysign(1.0, a) > 0) == greater else b
        return max(a, b) if greater else min(a, b)
    return call


def whole(function):
    return lambda x: x if math.isnan(x) or math.isinf(x) else math.copysign(float(function(x)), x)


def log(function, at_zero):
    def call(x):
        return NAN if math.isnan(x) or x < at_zero else -INF if x == at_zero else INF if x == INF else function(x)
    return call


FLOAT_TYPES = list(FORMATS)
EXACT, NEAR = 0, 8  # Units in the last place.
FLOAT_UNARY = {
    "arith.negf": (lambda x: -x, EXACT), "math.absf": (abs, EXACT), "math.ceil": (whole(math.ceil), EXACT),
    "math.floor": (whole(math.floor), EXACT), "math.trunc": (whole(math.trunc), EXACT), "math.roundeven": (whole(round), EXACT),
    "math.round": (whole(lambda x: math.copysign(math.floor(abs(x) + 0.5), x)), EXACT),
    "math.sqrt": (lambda x: x if x == 0 else total(math.sqrt)(x), EXACT),
    "math.rsqrt": (lambda x: divide(1.0, x) if x == 0 else 0.0 if x == INF else divide(1.0, total(math.sqrt)(x)), NEAR),
    "math.exp": (total(math.exp), NEAR), "math.exp2": (total(lambda x: 2.0 ** x), NEAR), "math.expm1": (total(math.expm1), NEAR),
    "math.log": (log(math.log, 0), NEAR), "math.log2": (log(math.log2, 0), NEAR), "math.log1p": (log(math.log1p, -1), NEAR),
    "math.tanh": (total(math.tanh), NEAR), "math.erf": (total(math.erf), NEAR),
    "math.sin": (total(math.sin), NEAR), "math.cos": (total(math.cos), NEAR),
}
FLOAT_BINARY = {
    "arith.addf": (lambda a, b: a + b, EXACT), "arith.subf": (lambda a, b: a - b, EXACT),
    "arith.mulf": (lambda a, b: a * b, EXACT), "arith.divf": (divide, EXACT),
    "arith.remf": (total(lambda a, b: NAN if b == 0 or math.isinf(a) else math.fmod(a, b)), EXACT),
    "arith.maximumf": (extremum(True, True), EXACT), "arith.minimumf": (extremum(False, True), EXACT),
    "arith.maxnumf": (extremum(True, False), EXACT), "arith.minnumf": (extremum(False, False), EXACT),
}
COMPARE_FLOATS = {
    "oeq": lambda a, b: a == b, "ogt": lambda a, b: a > b, "oge": lambda a, b: a >= b, "olt": lambda a, b: a < b,
    "ole": lambda a, b: a <= b, "one": lambda a, b: a < b or a > b, "ord": lambda a, b: a == a and b == b,
    "ueq": lambda a, b: not (a < b or a > b), "ugt": lambda a, b: not a <= b, "uge": lambda a, b: not a < b,
    "ult": lambda a, b: not a >= b, "ule": lambda a, b: not a > b, "une": lambda a, b: a != b,
    "uno": lambda a, b: a != a or b != b,
}


def float_kernels(t):
    """Bodies on %a, %b of type t: lines that compute %r, and what comes out."""
    for op, (function, ulps) in FLOAT_UNARY.items():
        yield op, [f"%r = {op} %a : {t}"], (lambda a, b, f=function: f(a)), ulps
    for op, (function, ulps) in FLOAT_BINARY.items():
        yield op, [f"%r = {op} %a, %b : {t}"], function, ulps
    yield "math.fma", [f"%r = math.fma %a, %b, %a : {t}"], (lambda a, b: a * b + a), NEAR
    # C's pow of a negative number; both sides are moderate.
    yield "math.powf", [f"%p = math.absf %a : {t}", f"%r = math.powf %p, %b : {t}"], power, 64
    for predicate, function in COMPARE_FLOATS.items():
        yield "arith.cmpf", [f"%p = arith.cmpf {predicate}, %a, %b : {t}", f"%r = arith.uitofp %p : i1 to {t}"], function, EXACT
    yield "arith.select", [f"%p = arith.cmpf olt, %a, %b : {t}", f"%r = arith.select %p, %b, %a : {t}"], (
        lambda a, b: b if a < b else a), EXACT
    yield "arith.constant", [f"%k = arith.constant -3.25 : {t}", f"%n = arith.negf %k : {t}",
                             f"%r = arith.addf %a, %n : {t}"], (lambda a, b: a + 3.25), EXACT
    for other in FLOAT_TYPES:
        if FORMATS[other] == FORMATS[t] or {t, other} == {"f16", "bf16"}:
            continue
        there, back = ("truncf", "extf") if FORMATS[other][1] < FORMATS[t][1] else ("extf", "truncf")
        for op in (there, back):
            yield f"arith.{op}", [f"%o = arith.{there} %a : {t} to {other}", f"%r = arith.{back} %o : {other} to {t}"], (
                lambda a, b, o=other: to_float(a, o)), EXACT
    # Just above the tie between 1 and its neighbour: what is rounded twice, by way of f32, is 1.
    if t in NARROW:
        above = 1.0 + 2.0 ** -(FORMATS[t][1] + 1) + 2.0 ** -40
        yield "arith.truncf", [f"%o = arith.constant {above!r} : f64", f"%z = arith.constant 0.0 : f64", f"%w = arith.extf %a : {t} to f64",
                               "%s = arith.subf %w, %w : f64", "%v = arith.maxnumf %s, %z : f64", "%u = arith.addf %o, %v : f64",
                               f"%r = arith.truncf %u : f64 to {t}"], lambda a, b: 1.0 + 2.0 ** -FORMATS[t][1], EXACT
    limit = [f"%lo = arith.constant -100.0 : {t}", f"%hi = arith.constant 100.0 : {t}",
             f"%c = arith.maxnumf %a, %lo : {t}", f"%d = arith.minnumf %c, %hi : {t}"]
    limited = extremum(True, False), extremum(False, False)
    for bits in (8, 16, 32, 64):
        yield "arith.fptosi", limit + [f"%i = arith.fptosi %d : {t} to i{bits}", f"%r = arith.sitofp %i : i{bits} to {t}"], (
            lambda a, b: float(int(limited[1](limited[0](a, -100.0), 100.0)))), EXACT
        yield "arith.fptoui", limit + [f"%e = math.absf %d : {t}", f"%f = arith.addf %e, %e : {t}",
                                       f"%i = arith.fptoui %f : {t} to i{bits}", f"%r = arith.uitofp %i : i{bits} to {t}"], (
            lambda a, b: float(int(2 * abs(limited[1](limited[0](a, -100.0), 100.0))))), EXACT
    yield "arith.sitofp", [f"%p = arith.cmpf olt, %a, %b : {t}", f"%r = arith.sitofp %p : i1 to {t}"], (
        lambda a, b: -1.0 if a < b else 0.0), EXACT


def power(a, b):
    a = abs(a)
    if b == 0 or a == 1:
        return 1.0
    if math.isnan(a) or math.isnan(b):
        return NAN
    if a == 0 and b < 0:
        return INF
    try:
        return math.pow(a, b)
    except OverflowError:
        return INF


# ---------------------------------------------------------------------------------------------------------------------
# Integers
# ---------------------------------------------------------------------------------------------------------------------

def integers(bits):
    low, high = -1 << (bits - 1), (1 << (bits - 1)) - 1
    return [0, 1, -1, 2, -2, 3, 7, -7, 100, -100, low, low + 1, high, high - 1]


def quotient(a, b):
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def safe(a, b, bits):
    """The divisor that the kernels divide by: another where there is no quotient."""
    return 3 if b == 0 or (b == -1 and a == -1 << (bits - 1)) else b


def integer_kernels(t):
    bits = int(t[1:])
    low = -1 << (bits - 1)
    simple = {
        "arith.addi": lambda a, b: a + b, "arith.subi": lambda a, b: a - b, "arith.muli": lambda a, b: a * b,
        "arith.andi": lambda a, b: a & b, "arith.ori": lambda a, b: a | b, "arith.xori": lambda a, b: a ^ b,
        "arith.maxsi": max, "arith.minsi": min,
        "arith.maxui": lambda a, b: max(unsigned(a, bits), unsigned(b, bits)),
        "arith.minui": lambda a, b: min(unsigned(a, bits), unsigned(b, bits)),
    }
    for op, function in simple.items():
        yield op, [f"%r = {op} %a, %b : {t}"], function
    # Sums that pass the width in between, and are shifted back.
    yield "arith.addi", [f"%one = arith.constant 1 : {t}", f"%s = arith.addi %a, %b : {t}", f"%r = arith.shrsi %s, %one : {t}"], (
        lambda a, b: wrap(a + b, bits) >> 1)
    yield "arith.muli", [f"%k = arith.constant -5 : {t}", f"%s = arith.muli %a, %k : {t}", f"%c = arith.cmpi slt, %s, %b : {t}",
                         f"%r = arith.select %c, %s, %k : {t}"], (
        lambda a, b: wrap(-5 * a, bits) if wrap(-5 * a, bits) < b else -5)
    divisor = [f"%zero = arith.constant 0 : {t}", f"%least = arith.constant {low} : {t}", f"%minus = arith.constant -1 : {t}",
               f"%three = arith.constant 3 : {t}", f"%p = arith.cmpi eq, %b, %zero : {t}", f"%q = arith.cmpi eq, %b, %minus : {t}",
               f"%s = arith.cmpi eq, %a, %least : {t}", "%u = arith.andi %q, %s : i1", "%v = arith.ori %p, %u : i1",
               f"%d = arith.select %v, %three, %b : {t}"]
    yield "arith.divsi", divisor + [f"%r = arith.divsi %a, %d : {t}"], lambda a, b: quotient(a, safe(a, b, bits))
    yield "arith.remsi", divisor + [f"%r = arith.remsi %a, %d : {t}"], (
        lambda a, b: a - quotient(a, safe(a, b, bits)) * safe(a, b, bits))
    yield "arith.divui", divisor + [f"%r = arith.divui %a, %d : {t}"], (
        lambda a, b: unsigned(a, bits) // unsigned(safe(a, b, bits), bits))
    yield "arith.remui", divisor + [f"%r = arith.remui %a, %d : {t}"], (
        lambda a, b: unsigned(a, bits) % unsigned(safe(a, b, bits), bits))
    for by in (7, -3):
        yield "arith.divsi", [f"%k = arith.constant {by} : {t}", f"%r = arith.divsi %a, %k : {t}"], lambda a, b, by=by: quotient(a, by)
        yield "arith.remsi", [f"%k = arith.constant {by} : {t}", f"%r = arith.remsi %a, %k : {t}"], (
            lambda a, b, by=by: a - quotient(a, by) * by)
        yield "arith.divui", [f"%k = arith.constant {by} : {t}", f"%r = arith.divui %a, %k : {t}"], (
            lambda a, b, by=by: unsigned(a, bits) // unsigned(by, bits))
    shifts = {"arith.shli": lambda a, n: a << n, "arith.shrsi": lambda a, n: a >> n,
              "arith.shrui": lambda a, n: unsigned(a, bits) >> n}
    for op, function in shifts.items():
        yield op, [f"%m = arith.constant {bits - 1} : {t}", f"%n = arith.andi %b, %m : {t}", f"%r = {op} %a, %n : {t}"], (
            lambda a, b, f=function: f(a, b & (bits - 1)))
        yield op, [f"%n = arith.constant {bits - 1} : {t}", f"%r = {op} %a, %n : {t}"], lambda a, b, f=function: f(a, bits - 1)
    yield "math.absi", [f"%r = math.absi %a : {t}"], lambda a, b: abs(a)
    yield from truth_kernels(t, bits)
    yield from conversion_kernels(t, bits)


def truth_kernels(t, bits):
    compares = {"eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "slt": lambda a, b: a < b, "sle": lambda a, b: a <= b,
                "sgt": lambda a, b: a > b, "sge": lambda a, b: a >= b,
                "ult": lambda a, b: unsigned(a, bits) < unsigned(b, bits), "ule": lambda a, b: unsigned(a, bits) <= unsigned(b, bits),
                "ugt": lambda a, b: unsigned(a, bits) > unsigned(b, bits), "uge": lambda a, b: unsigned(a, bits) >= unsigned(b, bits)}
    for predicate, function in compares.items():
        yield "arith.cmpi", [f"%p = arith.cmpi {predicate}, %a, %b : {t}", f"%r = arith.extui %p : i1 to {t}"], function
    truths = [f"%p = arith.cmpi slt, %a, %b : {t}", f"%one = arith.constant 1 : {t}", f"%m = arith.andi %a, %one : {t}",
              f"%q = arith.cmpi eq, %m, %one : {t}"]
    logic = {"arith.andi": lambda p, q: p and q, "arith.ori": lambda p, q: p or q, "arith.xori": lambda p, q: p != q}
    for op, function in logic.items():
        yield op, truths + [f"%x = {op} %p, %q : i1", f"%r = arith.extsi %x : i1 to {t}"], (
            lambda a, b, f=function: -1 if f(a < b, a & 1 == 1) else 0)
    for predicate in ("eq", "ne"):
        yield "arith.cmpi", truths + [f"%x = arith.cmpi {predicate}, %p, %q : i1", f"%r = arith.extui %x : i1 to {t}"], (
            lambda a, b, e=predicate == "eq": ((a < b) == (a & 1 == 1)) == e)


def conversion_kernels(t, bits):
    yield "arith.trunci", [f"%x = arith.trunci %a : {t} to i1", f"%r = arith.select %x, %a, %b : {t}"], (
        lambda a, b: a if a & 1 else b)
    for narrow in (8, 16, 32):
        if narrow < bits:
            for op, function in (("extsi", wrap), ("extui", unsigned)):
                yield f"arith.{op}", [f"%x = arith.trunci %a : {t} to i{narrow}", f"%r = arith.{op} %x : i{narrow} to {t}"], (
                    lambda a, b, f=function, n=narrow: f(a, n))
    for op, function in (("index_cast", wrap), ("index_castui", unsigned)):  # 64 bits in between.
        yield f"arith.{op}", [f"%x = arith.{op} %a : {t} to index", f"%y = arith.{op} %b : {t} to index", "%z = arith.muli %x, %y : index",
                              "%k = arith.constant 5 : index", "%s = arith.constant 3 : index", "%o = arith.addi %z, %s : index",
                              "%p = arith.divsi %o, %k : index", f"%r = arith.index_cast %p : index to {t}"], (
            lambda a, b, f=function: wrap(quotient(wrap(wrap(f(a, bits) * f(b, bits), 64) + 3, 64), 5), bits))
    yield "linalg.index", ["%x = linalg.index 1 : index", "%y = linalg.index 0 : index", "%z = arith.addi %x, %y : index",
                           f"%n = arith.index_cast %z : index to {t}", f"%r = arith.addi %a, %n : {t}"], None
    wide = 64 if bits < 64 else 32
    if bits < 64:
        yield "arith.sitofp", [f"%x = arith.sitofp %a : {t} to f64", f"%y = arith.constant 0.5 : f64", f"%z = arith.mulf %x, %y : f64",
                               f"%r = arith.fptosi %z : f64 to {t}"], lambda a, b: quotient(a, 2)
        yield "arith.uitofp", [f"%x = arith.uitofp %a : {t} to f64", f"%y = arith.constant 0.5 : f64", f"%z = arith.mulf %x, %y : f64",
                               f"%r = arith.fptoui %z : f64 to {t}"], lambda a, b: unsigned(a, bits) // 2
        yield "arith.extsi", [f"%x = arith.extsi %a : {t} to i{wide}", f"%y = arith.extsi %b : {t} to i{wide}",
                              f"%z = arith.muli %x, %y : i{wide}", f"%k = arith.constant {bits} : i{wide}",
                              f"%w = arith.shrsi %z, %k : i{wide}", f"%r = arith.trunci %w : i{wide} to {t}"], (
            lambda a, b: (a * b) >> bits)


# ---------------------------------------------------------------------------------------------------------------------
# Kernels
# ---------------------------------------------------------------------------------------------------------------------

THREADS, WIDTH = 32, 2


def write_kernel(name, memory, inner, bodies):
    """A nest whose threads take WIDTH elements each. `inner`: the type that is computed with, between conversions."""
    v, e = f"memref<?x{memory}>", f"memref<1x{WIDTH}x{memory}, strided<[{WIDTH}, 1], offset: ?>>"
    operands = "".join(f"%Y{i}: !V[%N, {WIDTH}], " for i in range(len(bodies)))
    lines = [f"!V = memref<?x{WIDTH}x{memory}>", f"!e = {e}", "#map = affine_map<(i, j) -> (i, j)>",
             f"tile.kernel @{name}(%A: !V[%N, {WIDTH}], %B: !V[%N, {WIDTH}], {operands}%N: index) {{",
             f"  tile.for (%i0) in (%N) by ({THREADS}) at dram on block {{",
             f"    tile.for (%i1) in ({THREADS}) by (1) at dram on thread {{"]
    for operand in ["A", "B"] + [f"Y{i}" for i in range(len(bodies))]:
        lines.append(f"      %part_{operand.lower()} = tile.part %{operand}[%i0 + %i1, 0] : !V to !e")
    for i, body in enumerate(bodies):
        lines += [f"      linalg.generic {{indexing_maps = [#map, #map, #map], iterator_types = [\"parallel\", \"parallel\"]}}",
                  f"          ins(%part_a, %part_b : !e, !e) outs(%part_y{i} : !e) {{", f"      ^bb0(%a_: {memory}, %b_: {memory}, %old: {memory}):"]
        if inner == memory:
            text = [re.sub(r"%([ab])\b", r"%\1_", line) for line in body]
        else:
            text = [f"%a = arith.extsi %a_ : {memory} to {inner}", f"%b = arith.extsi %b_ : {memory} to {inner}"] + body
            text = [re.sub(r"%r\b", "%wide", line) for line in text] + [f"%r = arith.trunci %wide : {inner} to {memory}"]
        lines += ["        " + line for line in text] + [f"        linalg.yield %r : {memory}", "      }"]
    return "\n".join(lines + ["    }", "  }", "}"]) + "\n"


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")


def ulps_between(x, y, t):
    bits, fmt = ("Q", "d") if t == "f64" else ("I", "f")
    def key(v):
        n = encode(v, t) if t in NARROW else struct.unpack(bits, struct.pack(fmt, v))[0]
        sign = 1 << (sum(FORMATS[t]))
        return sign - n if n & sign else n
    return abs(key(x) - key(y))


def agree(got, want, t, ulps):
    if t[0] == "i":
        return got == want
    if math.isnan(want) or math.isnan(got):
        return math.isnan(want) and math.isnan(got)
    if ulps == EXACT:
        return got == want and math.copysign(1.0, got) == math.copysign(1.0, want)
    return ulps_between(got, want, t) <= ulps or abs(got - want) < 2.0 ** (2 - (1 << (FORMATS[t][0] - 1)))


def check(mode, tilec, folder, name, memory, inner, values, kernels, errors):
    kernels = list(kernels)
    path = folder / f"{name}.mlir"
    path.write_text(write_kernel(name, memory, inner, [body for _, body, _, _ in kernels]))
    if mode == "cubin":
        run([tilec, path, "--emit=cubin", "-o", folder / f"{name}.cubin"])
        return {op for op, _, _, _ in kernels}
    dtype, fmt = DTYPES[memory]
    if memory in FORMATS:
        values = [to_float(x, memory) for x in values]
    pairs = list(itertools.product(values, repeat=2))
    pairs += pairs[:-len(pairs) % WIDTH]
    rows = len(pairs) // WIDTH
    for operand, numbers in zip("AB", zip(*pairs)):
        npy.write_npy(folder / f"{operand}.npy", dtype, (rows, WIDTH), struct.pack(f"<{len(pairs)}{fmt}", *(
            [encode(x, memory) for x in numbers] if memory in NARROW else numbers)))
    saves = [f"--save=Y{i}={folder}/Y{i}.npy" for i in range(len(kernels))]
    run([tilec, path, "--run=cpu", f"--shape=n={rows}", f"--arg=A={folder}/A.npy", f"--arg=B={folder}/B.npy"] + saves)
    for i, (op, body, function, ulps) in enumerate(kernels):
        data = npy.read_npy(folder / f"Y{i}.npy")
        stored = "f" if memory == "bf16" else fmt  # NumPy has no bf16.
        for place, (got, (a, b)) in enumerate(zip(struct.unpack(f"<{len(pairs)}{stored}", data), pairs)):
            if memory == "f16":
                got = decode(got, memory)
            if function is None:  # The position in the computation's own domain.
                want = a + place % WIDTH
            else:
                want = function(a, b)
            want = wrap(int(want), int(memory[1:])) if memory[0] == "i" else float(want)
            if memory in FORMATS:
                want = to_float(want, memory)
            if not agree(got, want, memory, ulps):
                errors.append(f"{name}: {op} of {a} and {b} is {got}, should be {want}\n    " + "\n    ".join(body))
                break
    run([tilec, path, "--run=cpu", "--verify", "--shape=n=50"])
    return {op for op, _, _, _ in kernels}


def main():
    mode, source, tilec, folder = sys.argv[1], sys.argv[2], sys.argv[3], pathlib.Path(sys.argv[4])
    folder.mkdir(parents=True, exist_ok=True)
    listed = set(re.findall(r'\{"([a-z]+\.[a-z0-9_]+)", \w+\}', open(source, encoding="utf-8").read()))
    tested, errors = set(), []
    for t in FLOAT_TYPES:
        tested |= check(mode, tilec, folder, f"on_{t}", t, t, NARROW.get(t, FLOATS), float_kernels(t), errors)
    for memory, inner in (("i8", "i8"), ("i32", "i32"), ("i32", "i64"), ("i8", "i16")):
        kernels = ((op, body, function, EXACT) for op, body, function in integer_kernels(inner))
        tested |= check(mode, tilec, folder, f"on_{inner}", memory, inner, integers(int(memory[1:])), kernels, errors)
    errors += [f"{op} is listed but not tested" for op in sorted(listed - tested)]
    errors += [f"{op} is tested but not listed" for op in sorted(tested - listed)]
    print("\n".join(errors) if errors else f"{len(listed)} ops hold")
    sys.exit(1 if errors else 0)


if __name__ == "__main__":
    main()
