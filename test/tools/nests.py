"""Compiles hand-written nests, runs them in the emulator, and compares what they leave with formulas.

    nests.py TILEC FOLDER|FILE... [--only=REGEX] [--list] [--quick]

A file holds nests between lines `// -----`; what stands ahead of the first such line (type aliases, maps) belongs to each of them.
The comment at the head of a nest says what is expected of it. Its first line is the title; the others are prose, but for

    // Y[i, j] = EXPR         each element of operand Y after the run: EXPR in Python, equal
    // Y[i, j] ~ EXPR         the same, but |difference| <= 1e-5 * (1 + |EXPR|): floating point with roundings
    // T(N, 3)[i, j] = EXPR   an array for later formulas, filled in row-major order; EXPR may use what is already filled
    // X from EXPR            what operand X or scalar X is drawn from, a sequence; without it from -3 ... 3
    // shapes: N=3 M=4; N=0 M=1   without it two, of odd numbers and of ones; --quick: the first alone
    // refused: REGEX         no such meaning: status 1, an error at a place of the nest that matches with its notes
    // limit: REGEX           a meaning, but docs/limits.md says that it is not compiled; status 1 and an error as above
    // with: A=x, B=y; A=z, B=w   several nests of one text, in which $A and $B are replaced

and what is indented by four spaces, which continues the line before. In formulas operands are what they hold ahead of the run: X[i, j],
at(X, i, j) with 0 outside, clamp, reflect and around as the pads clamp, reflect and wrap do. An operand without formula must stay as it is.
"""

import argparse
import concurrent.futures
import math
import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

import npy

KINDS = {"f32": ("<f4", "f"), "f64": ("<f8", "d"), "i32": ("<i4", "i"), "i8": ("|i1", "b"), "i64": ("<i8", "q"), "f16": ("<f2", "e"),
         "i16": ("<i2", "h"), **dict.fromkeys(["bf16", "f8E4M3FN", "f8E5M2"], ("<f4", "f"))}  # NumPy has none of these.
SHAPES = [[37, 21, 13, 6, 5], [1, 66, 5, 2, 3]]
SHAPES_OF_ONE_SIZE = [[70], [1]]
FORMULA = re.compile(r"(\w+)(?:\(([^)]*)\))?\[([\w, ]*)\] ([=~]) (.*)")
PLACE = re.compile(r":(\d+):(\d+): error: (.*)")


class Array:
    """An array of Python numbers; a subscript outside is an error."""

    def __init__(self, shape, values=None):
        self.shape = tuple(shape)
        self.values = values if values is not None else [None] * math.prod(self.shape)

    def offset(self, place):
        offset = 0
        for index, extent in zip(place, self.shape, strict=True):
            if not 0 <= index < extent:
                raise IndexError(f"{place} in {self.shape}")
            offset = offset * extent + index
        return offset

    def __getitem__(self, place):
        return self.values[self.offset(place if isinstance(place, tuple) else (place,))]

    def places(self):
        places = [()]
        for extent in self.shape:
            places = [(*place, index) for place in places for index in range(extent)]
        return places


def at(array, *place):
    return array[place] if all(0 <= p < e for p, e in zip(place, array.shape)) else 0


def clamp(array, *place):
    return array[tuple(min(max(p, 0), e - 1) for p, e in zip(place, array.shape))]


def reflect(array, *place):
    def mirror(p, e):
        p %= max(2 * e - 2, 1)
        return min(p, 2 * e - 2 - p)
    return array[tuple(mirror(p, e) for p, e in zip(place, array.shape))]


def around(array, *place):
    return array[tuple(p % e for p, e in zip(place, array.shape))]


def wrap(value, bits):
    return (value + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)


class Nest:
    def __init__(self, path, number, prelude, text):
        self.name = f"{path.name}:{number}"
        self.text = text
        self.prelude = prelude
        self.formulas, self.draws, self.shapes, self.expected = [], {}, None, None
        lines = []
        for line in text.splitlines():
            if not line.startswith("//"):
                break
            if line.startswith("//     ") and lines:
                lines[-1] += " " + line[2:].strip()
            else:
                lines.append(line[2:].strip())
        self.title = lines[0]
        for line in lines[1:]:
            if match := FORMULA.fullmatch(line):
                self.formulas.append(match.groups())
            elif match := re.fullmatch(r"(\w+) from (.*)", line):
                self.draws[match[1]] = match[2]
            elif match := re.fullmatch(r"(refused|limit): (.*)", line):
                self.expected = match.groups()
            elif match := re.fullmatch(r"shapes: (.*)", line):
                self.shapes = [dict((n, int(v)) for n, v in (s.split("=") for s in case.split())) for case in match[1].split(";")]
        self.parse_signature()

    def parse_signature(self):
        """Operands {name: (kind, extents)}, sizes and scalars {name: kind} of the kernel, from its text."""
        aliases = dict(re.findall(r"^(![\w]+) = (memref<.*>)$", self.prelude + self.text, re.M))
        signature = re.search(r"tile\.kernel @\w+\((.*?)\)\s*(?:dataflow\(\w+\)\s*)?\{", self.text, re.S)
        self.operands, self.sizes, self.scalars = {}, [], {}
        for name, kind, extents in re.findall(r"%(\w+): (!\w+|memref<(?:[^<>]|<[^<>]*>)*>|\w+)(?:\[([^\]]*)\])?", signature[1] if signature else ""):
            memref = aliases.get(kind, kind)
            if memref.startswith("memref"):
                element = re.match(r"memref<(?:[\d?]+x)*(\w+)", memref)[1]
                self.operands[name] = element, [e.strip().lstrip("%") for e in extents.split(",") if e.strip()]
            elif kind == "index":
                self.sizes.append(name)
            else:
                self.scalars[name] = kind

    def evaluate(self, formulas, scope):
        """The arrays that formulas give, by name, each with whether it has to be equal."""
        scope = {**vars(math), **scope, "at": at, "clamp": clamp, "reflect": reflect, "around": around, "wrap": wrap}
        results = {}
        for name, shape, places, relation, expression in formulas:
            code = compile(expression, self.name, "eval")
            if shape is None:
                array = Array(scope[name].shape)
            else:
                array = scope[name] = Array(eval(f"({shape},)", scope))
            variables = [p.strip() for p in places.split(",") if p.strip()]
            for place in array.places():
                array.values[array.offset(place)] = eval(code, {**scope, **dict(zip(variables, place))})
            if shape is None:
                results[name] = array, relation == "="
        return results

    def run(self, tilec, folder, sizes):
        """Runs the nest at a shape: (outcome, message), where the outcome is right, refused, wrong or failed."""
        folder.mkdir()
        source = folder / "nest.mlir"
        source.write_text(self.prelude + self.text)
        draw = random.Random(self.name)
        command = [tilec, str(source), "--run=cpu"]
        command += ["--target=h100-sxm"] if re.search(r"copy\(tma\)|on cluster", self.text) else []
        command += ["--shape=" + ",".join(f"{n}={v}" for n, v in sizes.items())] if sizes else []
        scope = dict(sizes)

        def choose(name):
            return eval(self.draws.get(name, "range(-3, 4)"), {**vars(math), **sizes})

        for name, kind in self.scalars.items():
            scope[name] = draw.choice(choose(name))
            command += ["--arg", f"{name}={scope[name]}"]
        for name, (element, extents) in self.operands.items():
            array = Array([sizes[e] if e in sizes else int(e) for e in extents])
            values = choose(name)
            array.values = [draw.choice(values) for _ in array.values]
            scope[name] = array
            if element in KINDS:
                descr, pack = KINDS[element]
                npy.write_npy(folder / f"{name}.npy", descr, array.shape, struct.pack(f"<{len(array.values)}{pack}", *array.values))
            command += ["--arg", f"{name}={folder / name}.npy", "--save", f"{name}={folder / name}.out.npy"]
        result = subprocess.run(command, capture_output=True, text=True, timeout=60)
        if result.returncode == 1 and (places := PLACE.search(result.stderr)):
            return "refused", places[3] + "".join("\n      " + line for line in result.stderr.splitlines()[1:] if ": note: " in line)
        if result.returncode:
            return "failed", f"status {result.returncode}: {result.stdout[-800:]}{result.stderr[:1500]}"
        if self.expected:
            return "failed", "accepted"
        formulas = self.evaluate(self.formulas, scope)
        for name, (element, _) in self.operands.items():
            descr, pack = KINDS[element]
            got = [value for value, in struct.iter_unpack("<" + pack, npy.read_npy(folder / f"{name}.out.npy"))]
            want, equal = formulas.get(name, (scope[name], True))
            if element.startswith("i"):
                want.values = [wrap(int(v), int(element[1:])) for v in want.values]
            for place, g, w in zip(want.places(), got, want.values, strict=True):
                if not (g == w or g != g and w != w or not equal and abs(g - w) <= 1e-5 * (1 + abs(w))):
                    return "wrong", f"{name}{list(place)} is {g} for {w}"
        return "right", ""

    def get_shapes(self):
        """What to run the nest at, {size: extent} each."""
        if self.shapes:
            return self.shapes
        shapes = SHAPES if len(self.sizes) > 1 else SHAPES_OF_ONE_SIZE
        return [dict(zip(self.sizes, values)) for values in shapes] if self.sizes else [{}]


def expand(text):
    """The texts of a nest with `// with:`."""
    match = re.search(r"^// with: (.*(?:\n//     .*)*)\n", text, re.M)
    if not match:
        return [text]
    texts = []
    for case in match[1].replace("\n//", " ").split(";"):
        one = text.replace(match[0], "")
        for item in re.split(r"(?<!\\),", case):
            name, value = item.strip().split("=", 1)
            one = one.replace("$" + name, value.replace("\\,", ","))
        texts.append(one)
    return texts


def read_nests(path):
    prelude, *texts = re.split(r"^// -----\n", path.read_text(), flags=re.M)
    return [Nest(path, number, prelude, one) for number, one in enumerate(one for text in texts for one in expand(text))]


def judge(nest, tilec, folder, quick):
    """(kind, verdict, message): kind is one of right, refused, limit, and verdict empty, or what is wrong with it."""
    try:
        for number, sizes in enumerate(nest.get_shapes()[:1 if quick else None]):
            outcome, message = nest.run(tilec, folder / str(number), sizes)
            if nest.expected:
                kind, pattern = nest.expected
                if outcome != "refused" or not re.search(pattern, message, re.S):
                    return kind, f"{outcome}: {message}", message
                return kind, "", message
            if outcome != "right":
                return "right", f"{outcome} at {sizes}: {message}", message
        return "right", "", ""
    except Exception as error:  # a formula that does not evaluate
        return "right", f"test: {type(error).__name__} {error}", ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tilec")
    parser.add_argument("paths", nargs="+", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--list", action="store_true", help="each nest and its verdict")
    parser.add_argument("--quick", action="store_true", help="one shape of each nest")
    arguments = parser.parse_args()
    files = [file for path in arguments.paths for file in (sorted(path.glob("*.mlir")) if path.is_dir() else [path])]
    nests = [nest for file in files for nest in read_nests(file)]
    nests = [nest for nest in nests if re.search(arguments.only, f"{nest.name} {nest.title}")]
    counts, bad = {"right": 0, "refused": 0, "limit": 0}, 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = []
        for number, nest in enumerate(nests):
            (place := pathlib.Path(folder) / str(number)).mkdir()
            jobs.append(pool.submit(judge, nest, arguments.tilec, place, arguments.quick))
        for nest, job in zip(nests, jobs):
            kind, verdict, message = job.result()
            if verdict:
                bad += 1
            else:
                counts[kind] += 1
            if verdict or arguments.list:
                print(f"{nest.name} {nest.title}: {verdict or kind}{'  ' + message if message and not verdict else ''}")
    print(f"{len(nests)} nests: {counts['right']} right, {counts['refused']} refused, {counts['limit']} not compiled yet, {bad} failed")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
