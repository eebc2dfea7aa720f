"""Random functions of two products with something between them that is softmax of rows, or looks like it.

  chain_gen.py SEED [END]

A function is data (`ChainProblem`), in the form that mapped_sweep.py takes: scores(b, m, n) of queries and keys, what they are scaled by, added to and left out by, weights of
rows, and their product with values; queries may be the keys, and keys the values. It is printed as linalg ops on tensors, and executed number by number, which shares nothing with tilec. What is no softmax (weights that
are not divided, or by what is below 0, sums that begin with 1, powers of something else than what the maximum is of, scores that lie the other way) must be right as well, by more launches.
"""

import math
import random
import re
import sys

from mapped_gen import Operand

ODD = ["undivided", "begins with 1", "another power", "least", "by the maximum", "turned", "subtracted"]


def drop_conversions(body):
    """A body without conversions of f32 to itself, and what it yields."""
    same, kept = {}, []
    for line in body:
        line = re.sub(r"%\w+", lambda used: same.get(used[0], used[0]), line)
        if conversion := re.fullmatch(r"(%\w+) = arith\.(?:ext|trunc)f (%\w+) : f32 to f32", line):
            same[conversion[1]] = conversion[2]
        else:
            kept.append(line)
    return kept, same.get("%r", "%r")


class Matrix(Operand):
    """An operand whose dimensions are in some order: letters, of which n may be a size of the launch."""

    def __init__(self, name, element, dims, extents, dynamic):
        self.name, self.element, self.strided, self.dims, self.extents = name, element, False, dims, extents
        self.subscripts = [{"B" if dim in dynamic else f"n{number}": 1} for number, dim in enumerate(dims)]
        self.type = "tensor<" + "".join(f"{'?' if dim in dynamic else extents[dim]}x" for dim in dims) + element + ">"
        self.values = []

    def shape(self, _):
        return [self.extents[dim] for dim in self.dims]

    def at(self, **place):
        number = 0
        for dim in self.dims:
            number = number * self.extents[dim] + place[dim]
        return self.values[number]


class ChainProblem:
    launches = mistake = None
    form, family = "function", "chains"
    # Weights are rounded to 16 bits, of which bf16 has 8 digits, and are at most 1 for each of the values, which are at most 3.
    tolerance = 3 * 2.0**-7

    def __init__(self, seed):
        rng = self.rng = random.Random(seed)
        self.machine = rng.choice(["h100", "sm80", "h200", "l40s"])
        self.element = rng.choice(["bf16", "f32", "f16"])
        if self.element == "f32":  # Nothing is rounded.
            self.tolerance = 3 * 2.0**-18
        self.static = rng.random() < 0.6
        count = rng.choice([1, 5, 17, 33, 64, 65, 70, 100, 130])
        self.extents = {"b": rng.choice([1, 2]), "m": count, "n": count if not self.static or rng.random() < 0.7 else rng.choice([1, 8, 64, 77, 128]),
                        "d": rng.choice([16, 16, 32, 48, 24]), "e": rng.choice([16, 32, 64, 40, 12])}
        self.size, self.sizes = count, {"B": count}
        self.dynamic = () if self.static else ("m", "n")
        self.odd = rng.choice(ODD) if rng.random() < 0.3 else None
        if self.odd == "undivided":  # As many as there are.
            self.tolerance *= max(1, self.extents["n"] / 4)
        self.scale = rng.choice([None, 0.25, 0.5, -0.25])
        self.divides = bool(self.scale) and rng.random() < 0.3
        self.reach = rng.choice([None, None, 0, 0, 0, 3])
        self.late = rng.random() < 0.5
        self.rounded = rng.random() < 0.3 and self.element != "f32"
        self.narrow = rng.random() < 0.7 and self.element != "f32"
        order = rng.choice(["bm", "bm", "mb"])
        self.q, self.k, self.v = (self.draw(name, self.element, dims) for name, dims in (("Q", order + "d"), ("K", rng.choice(["bnd", "bnd", "nbd", "bdn"])), ("V", rng.choice(["bne", "bne", "nbe"]))))
        self.same = rng.choice("qk") if rng.random() < 0.15 and self.extents["m"] == self.extents["n"] else None
        if self.same == "q" and self.q.dims.replace("m", "n") == "bnd" and not self.dynamic:
            self.k = self.view("Q", self.q, "bnd")
        elif self.same == "k" and self.k.dims == "bnd" and not self.dynamic:
            self.extents["e"] = self.extents["d"]
            self.v = self.view("K", self.k, "bne")
        self.mask = self.draw("M", "f32", rng.choice(["mn", "bn", "bmn", "n"])) if rng.random() < 0.3 else None
        self.inputs = [operand for name, operand in (("Q", self.q), ("K", self.k), ("V", self.v), ("M", self.mask)) if operand and operand.name == name]
        # Sizes are told by the first operand that has them.
        self.result = Matrix("result", self.element if self.narrow else "f32", rng.choice([order, "bm"]) + "e", self.extents, self.dynamic)

    def draw(self, name, element, dims):
        operand = Matrix(name, element, dims, self.extents, self.dynamic)
        most = 1 if name in "QK" else 3
        operand.values = [self.rng.randint(-most, most) for _ in range(math.prod(operand.shape(None)))]
        return operand

    def view(self, name, operand, dims):
        """`operand` by other dimensions."""
        other = Matrix(name, operand.element, dims, self.extents, self.dynamic)
        other.values = operand.values
        return other

    def get_operands(self):
        return self.inputs

    def weigh(self, b, m):
        """The weights of a row."""
        extents, row = self.extents, []
        for n in range(extents["n"]):
            x = sum(self.q.at(b=b, m=m, d=d) * self.k.at(b=b, n=n, d=d) for d in range(extents["d"]))
            isLeft = self.reach is not None and n > m + self.reach
            if isLeft and not self.late:
                x = -math.inf
            if self.scale:
                x = x / self.scale if self.divides else x * self.scale
            if self.mask:
                x += self.mask.at(b=b, m=m, n=n)
            row.append(-math.inf if isLeft and self.late else x)
        most = min(row) if self.odd == "least" else max(row)

        def power(x):
            y = (x * 0.5 if self.odd == "another power" else x) - most
            return math.nan if math.isnan(y) else math.inf if y > 88 else math.exp(y)

        powers = [power(x) for x in row]
        whole = (-1 if self.odd == "subtracted" else 1) * sum(powers) + (self.odd == "begins with 1")
        if self.odd == "undivided":
            return powers
        return [power / most if self.odd == "by the maximum" and most else power / whole if self.odd != "by the maximum" else math.nan for power in powers]

    def execute(self):
        values = {}
        extents = self.extents
        for b in range(extents["b"]):
            for m in range(extents["m"]):
                weights = self.weigh(b, m)
                for e in range(extents["e"]):
                    values[b, m, e] = sum(weight * self.v.at(b=b, n=n, e=e) for n, weight in enumerate(weights))
        places = [()]
        for dim in self.result.dims:
            places = [place + (i,) for place in places for i in range(extents[dim])]
        order = [self.result.dims.index(dim) for dim in "bme"]
        return [values[tuple(place[at] for at in order)] for place in places]

    def print(self):
        text = [f"func.func @chain({', '.join(f'%{operand.name}: {operand.type}' for operand in self.inputs)}) -> {self.result.type} {{"]
        for name, value in (("zero", "0.0"), ("one", "1.0"), ("low", "0xFF800000"), ("high", "0x7F800000"), ("half", "0.5"), ("scale", repr(self.scale or 1.0))):
            text.append(f"  %{name} = arith.constant {value} : f32")
        text.append(f"  %shift = arith.constant {self.reach or 0} : index")
        if self.dynamic:
            text += [f"  %at = arith.constant {self.q.dims.index('m')} : index", f"  %size = tensor.dim %Q, %at : {self.q.type}"]
        e, low = self.element, "%high" if self.odd == "least" else "%low"

        def start(name, dims, element, fill=None):
            matrix = Matrix(name, element, dims, self.extents, self.dynamic)
            sizes = ", ".join("%size" for dim in dims if dim in self.dynamic)
            text.append(f"  %{name}_e = tensor.empty({sizes}) : {matrix.type}")
            if fill:
                text.append(f"  %{name}_f = linalg.fill ins({fill} : {element}) outs(%{name}_e : {matrix.type}) -> {matrix.type}")
            return matrix

        def generic(loops, inputs, output, begin, body, reduced=""):
            maps = ", ".join(f"affine_map<({', '.join(loops)}) -> ({', '.join(operand.dims)})>" for operand in inputs + [output])
            kinds = ", ".join('"reduction"' if dim in reduced else '"parallel"' for dim in loops)
            text.append(f"  %{output.name} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} ins({', '.join('%' + operand.name for operand in inputs)} : "
                        f"{', '.join(operand.type for operand in inputs)}) outs(%{output.name}_{begin} : {output.type}) {{")
            body, yielded = drop_conversions(body)
            names = ", ".join(f"%i{number}: {operand.element}" for number, operand in enumerate(inputs))
            text.append(f"  ^bb0({names}, %o: {output.element}):")
            text.extend("    " + line for line in body)
            text.append(f"    linalg.yield {yielded} : {output.element}\n  }} -> {output.type}")

        product = [f"%x = arith.extf %i0 : {e} to f32", f"%y = arith.extf %i1 : {e} to f32", "%z = arith.mulf %x, %y : f32", "%r = arith.addf %o, %z : f32"]
        places = "bnm" if self.odd == "turned" else "bmn"
        scores = start("scores", places, "f32", "%zero")
        generic("bmnd", [self.q, self.k], scores, "f", product, "d")
        if self.rounded:
            short, wide = start("short", places, e), start("wide", places, "f32")
            generic("bmn", [scores], short, "e", [f"%r = arith.truncf %i0 : f32 to {e}"])
            generic("bmn", [short], wide, "e", [f"%r = arith.extf %i0 : {e} to f32"])
            scores = wide
        body, last = [], "%i0"
        leave = ["%m0 = linalg.index 1 : index", "%n0 = linalg.index 2 : index", "%to = arith.addi %m0, %shift : index", "%in = arith.cmpi sle, %n0, %to : index"]
        if self.reach is not None and not self.late:
            body += leave + [f"%left = arith.select %in, {last}, %low : f32"]
            last = "%left"
        if self.scale:
            body.append(f"%scaled = arith.{'divf' if self.divides else 'mulf'} {last}, %scale : f32")
            last = "%scaled"
        if self.mask:
            body.append(f"%masked = arith.addf {last}, %i1 : f32")
            last = "%masked"
        if self.reach is not None and self.late:
            body += leave + [f"%left = arith.select %in, {last}, %low : f32"]
            last = "%left"
        if body:
            exponents = start("exponents", "bmn", "f32")
            generic("bmn", [scores] + ([self.mask] if self.mask else []), exponents, "e", body + [f"%r = arith.addf {last}, %zero : f32" if last == "%i0" else body.pop().replace(last, "%r", 1)])
        else:
            exponents = scores
        most = start("most", "bm", "f32", low)
        generic("bmn", [exponents], most, "f", [f"%r = arith.{'minimumf' if self.odd == 'least' else 'maximumf'} %o, %i0 : f32"], "n")
        powers = start("powers", "bmn", "f32")
        power = ["%h = arith.mulf %i0, %half : f32", "%d = arith.subf %h, %i1 : f32"] if self.odd == "another power" else ["%d = arith.subf %i0, %i1 : f32"]
        generic("bmn", [exponents, most], powers, "e", power + ["%r = math.exp %d : f32"])
        whole = start("whole", "bm", "f32", "%one" if self.odd == "begins with 1" else "%zero")
        generic("bmn", [powers], whole, "f", [f"%r = arith.{'subf' if self.odd == 'subtracted' else 'addf'} %o, %i0 : f32"], "n")
        weights = start("weights", "bmn", e)
        divide = ["%q = arith.addf %i0, %zero : f32"] if self.odd == "undivided" else ["%q = arith.divf %i0, %i1 : f32"]
        generic("bmn", [powers, most if self.odd == "by the maximum" else whole], weights, "e", divide + [f"%r = arith.truncf %q : f32 to {e}"])
        sums = start("sums" if self.narrow else "result", self.result.dims, "f32", "%zero")
        generic("bmen", [weights, self.v], sums, "f", product, "n")
        if self.narrow:
            start("result", self.result.dims, e)
            generic(list(self.result.dims), [sums], self.result, "e", [f"%r = arith.truncf %i0 : f32 to {e}"])
        return "\n".join(text + [f"  return %result : {self.result.type}", "}"]) + "\n"


def main():
    first = int(sys.argv[1])
    for seed in range(first, int(sys.argv[2]) if len(sys.argv) > 2 else first + 1):
        print(ChainProblem(seed).print())


if __name__ == "__main__":
    main()
