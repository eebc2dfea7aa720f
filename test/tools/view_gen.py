"""Random functions that name arrays by other extents between what they compute.

  view_gen.py SEED [END]

A function is data (`ViewProblem`), in the form that mapped_sweep.py takes: steps on one tensor, each of which merges or parts dimensions, moves them, computes element by element, adds
what an earlier step has made, multiplies by a matrix or by itself, pads, slices or joins, or reduces some or all of them; reductions to the same extents may begin with one fill. It is printed as linalg ops on tensors, and executed on lists in row-major order, which shares nothing with tilec. Operands hold small
integers, and no sum leaves what f32 holds exactly. Misuse: merging a dimension whose extent is a size, and computing nothing.
"""

import itertools
import math
import random
import sys

from mapped_gen import Operand


class Dims(Operand):
    """An operand whose extents are numbers, but for one that is the size B, if it has it."""

    def __init__(self, name, element, extents, size):
        self.name, self.element, self.strided, self.extents, self.size = name, element, False, extents, size
        self.subscripts = [{"B" if extent == "B" else f"n{number}": 1} for number, extent in enumerate(extents)]
        self.values = []

    def shape(self, sizes):
        return [self.size if extent == "B" else extent for extent in self.extents]


BOXES = ("pad", "slice", "concat", "insert")


class ViewProblem:
    launches = None
    form, family = "function", "views"

    def __init__(self, seed):
        rng = self.rng = random.Random(seed)
        self.machine = rng.choice(["h100", "h100", "h200", "sm80", "sm90", "sm86", "l40s"])
        self.static = rng.random() < 0.4
        self.element = rng.choice(["f32", "f32", "i32"])
        self.size = rng.choice([1, 2, 5, 17, 33])
        self.sizes = {"B": self.size}
        extents = [rng.choice([1, 2, 3, 4, 6, 7, 8, 12, 16, 30]) for _ in range(rng.randint(1, 3))]
        if not self.static or rng.random() < 0.7:
            extents.insert(0, self.size if self.static else "B")
        self.mistake = rng.choice(["view-product", "view-argument"]) if not self.static and rng.random() < 0.15 else None
        self.inputs = [Dims("X", self.element, extents, self.size)]
        self.inputs[0].values = [rng.randint(-4, 4) for _ in range(self.count(extents))]
        self.steps, self.extents, self.bound = [], extents, 4
        self.bounds, self.sharesFills = [], rng.random() < 0.5
        for _ in range(rng.randint(1, 8) if self.static else rng.randint(1, 5)):
            self.draw_step()
            self.bounds += [self.bound] * (len(self.steps) - len(self.bounds))
        # A function that moves boxes returns no view, and no argument that it has written to.
        if any(step["kind"] in BOXES for step in self.steps) and self.steps[-1]["kind"] in ("merge", "part", "slice", "insert"):
            self.add("double", self.extents)
            self.bound *= 2
        if self.mistake == "view-argument":
            self.steps, self.extents = [], extents
            self.add("part", extents[:1] + [e for n in extents[1:] for e in (1, n)], groups=[[0]] + [[2 * n - 1, 2 * n] for n in range(1, len(extents))])
        elif self.mistake == "view-product":
            self.steps, self.extents = [], extents
            self.add("merge", ["?", *extents[2:]], groups=[[0, 1]] + [[n] for n in range(2, len(extents))])
            self.add("double", self.extents)
        elif all(step["kind"] in ("merge", "part", *BOXES) for step in self.steps):
            self.add("double", self.extents)
        self.result = Dims("result", self.element, self.extents, self.size)

    def count(self, extents):
        return math.prod(self.size if extent == "B" else extent for extent in extents)

    def add(self, kind, extents, **more):
        self.steps.append({"kind": kind, "before": self.extents, "after": extents, **more})
        self.extents = extents

    def draw_products(self, kind, before):
        """What is multiplied along the last dimension: by a matrix, which may lie the other way, or by itself, for each of what comes before the last two."""
        rng, depth = self.rng, before[-1]
        if kind == "times" and self.bound * 3 * depth < 1 << 18:
            columns, turned = rng.choice([1, 4, 6, 8]), rng.random() < 0.5
            extents = [columns, depth] if turned else [depth, columns]
            matrix = Dims(f"W{len(self.inputs)}", self.element, extents, self.size)
            matrix.values = [rng.randint(-3, 3) for _ in range(self.count(extents))]
            self.inputs.append(matrix)
            self.bound *= 3 * depth
            self.add(kind, before[:-1] + [columns], matrix=len(self.inputs) - 1, turned=turned, named=turned and rng.random() < 0.5)
        elif kind == "gram" and len(before) > 1 and self.bound ** 2 * depth < 1 << 18:
            self.bound = self.bound ** 2 * depth
            self.add(kind, before[:-1] + [before[-2]])

    def draw_step(self):
        rng, before = self.rng, self.extents
        kind = rng.choice(["merge", "part", "double", "move", "sum", "max"] + ["pad", "times", "gram", "join", "slice", "concat", "insert"] * self.static)
        if kind == "merge":
            groups = []
            for number, extent in enumerate(before):
                joins = number > 0 and extent != "B" and before[number - 1] != "B" and rng.random() < 0.6
                if joins:
                    groups[-1].append(number)
                else:
                    groups.append([number])
            if len(groups) < len(before):
                self.add(kind, [math.prod(before[n] for n in group) if len(group) > 1 else before[group[0]] for group in groups], groups=groups)
        elif kind == "part":
            after, groups = [], []
            for extent in before:
                factors = [f for f in range(1, extent + 1) if extent % f == 0] if extent != "B" else []
                parts = [factor := rng.choice(factors), extent // factor] if factors and len(before) < 5 and rng.random() < 0.6 else [extent]
                groups.append(list(range(len(after), len(after) + len(parts))))
                after += parts
            if len(after) > len(before) and len(after) < 7:
                self.add(kind, after, groups=groups)
        elif kind == "double":
            if self.bound < 1 << 18:
                self.bound *= 2
                self.add(kind, before)
        elif kind == "pad" and before:
            low, high = ([rng.choice([0, 0, 1, 3]) for _ in before] for _ in range(2))
            self.add(kind, [extent + a + b for extent, a, b in zip(before, low, high)], low=low, high=high, value=rng.choice([0, 0, 5]))
            self.bound = max(self.bound, 5)
        elif kind in ("times", "gram") and before:
            self.draw_products(kind, before)
        elif kind in ("slice", "concat", "insert") and before:
            self.draw_slice(kind, before)
        elif kind == "join":
            alike = [n for n, (step, bound) in enumerate(zip(self.steps, self.bounds)) if step["after"] == before and bound + self.bound < 1 << 18]
            if alike:
                other = rng.choice(alike)
                self.bound += self.bounds[other]
                self.add(kind, before, other=other)
        elif kind == "move" and len(before) > 1:
            order = rng.sample(range(len(before)), len(before))
            self.add(kind, [before[n] for n in order], order=order)
        elif kind in ("sum", "max") and before:
            gone = sorted(rng.sample(range(len(before)), rng.randint(1, len(before))))
            count = self.count([before[n] for n in gone])
            if kind == "max" or self.bound * count < 1 << 18:
                self.bound *= count if kind == "sum" else 1
                self.add(kind, [extent for n, extent in enumerate(before) if n not in gone], gone=gone)

    def draw_slice(self, kind, before):
        """A box of it, with strides, of which dimensions of extent 1 may go; it after what an earlier step has made, or itself; it in a box of an operand."""
        rng = self.rng
        if kind == "slice":
            strides = [rng.choice([1, 1, 1, 2, 3]) for _ in before]
            low = [rng.randrange(extent) for extent in before]
            sizes = [rng.randint(1, (extent - first - 1) // stride + 1) for extent, first, stride in zip(before, low, strides)]
            gone = [n for n, size in enumerate(sizes) if size == 1 and rng.random() < 0.5][:len(before) - 1]
            self.add(kind, [size for n, size in enumerate(sizes) if n not in gone], low=low, sizes=sizes, strides=strides, gone=gone)
        elif kind == "concat":
            axis = rng.randrange(len(before))
            others = [n for n, step in enumerate(self.steps) if step["after"][:axis] == before[:axis] and step["after"][axis + 1:] == before[axis + 1:] and len(step["after"]) == len(before)]
            if others:
                other = rng.choice(others)
                self.bound = max(self.bound, self.bounds[other])
                self.add(kind, before[:axis] + [before[axis] + self.steps[other]["after"][axis]] + before[axis + 1:], axis=axis, other=other)
        else:
            strides = [rng.choice([1, 1, 2]) for _ in before]
            low, high = ([rng.choice([0, 1, 2]) for _ in before] for _ in range(2))
            extents = [first + (extent - 1) * stride + 1 + last for extent, stride, first, last in zip(before, strides, low, high)]
            if self.count(extents) < 20000:
                given = Dims(f"D{len(self.inputs)}", self.element, extents, self.size)
                given.values = [rng.randint(-4, 4) for _ in range(self.count(extents))]
                self.inputs.append(given)
                self.add(kind, extents, into=len(self.inputs) - 1, low=low, sizes=before, strides=strides)

    def get_operands(self):
        return self.inputs

    # Meaning.

    @staticmethod
    def place_in(step, point):
        return tuple(first + place * stride for first, place, stride in zip(step["low"], point, step["strides"]))

    def numbers(self, extents):
        return [self.size if extent == "B" else extent for extent in extents]

    def execute(self):
        values, made_by = self.inputs[0].values, []
        for step in self.steps:
            before, after = self.numbers(step["before"]), self.numbers(step["after"])
            if step["kind"] == "double":
                values = [2 * value for value in values]
            elif step["kind"] == "join":
                values = [a + b for a, b in zip(values, made_by[step["other"]], strict=True)]
            elif step["kind"] == "slice":
                at = dict(zip(itertools.product(*map(range, before)), values, strict=True))
                values = [at[self.place_in(step, point)] for point in itertools.product(*map(range, step["sizes"]))]
            elif step["kind"] == "insert":
                at = dict(zip(itertools.product(*map(range, after)), self.inputs[step["into"]].values, strict=True))
                at.update(zip((self.place_in(step, point) for point in itertools.product(*map(range, before))), values, strict=True))
                values = [at[point] for point in itertools.product(*map(range, after))]
            elif step["kind"] == "concat":
                axis, first = step["axis"], self.numbers(self.steps[step["other"]]["after"])
                one = dict(zip(itertools.product(*map(range, first)), made_by[step["other"]], strict=True))
                two = dict(zip(itertools.product(*map(range, before)), values, strict=True))
                values = [one[point] if point[axis] < first[axis] else two[(*point[:axis], point[axis] - first[axis], *point[axis + 1:])] for point in itertools.product(*map(range, after))]
            elif step["kind"] == "times":
                depth, columns, matrix = before[-1], after[-1], self.inputs[step["matrix"]].values
                lies = (lambda k, n: matrix[n * depth + k]) if step["turned"] else (lambda k, n: matrix[k * columns + n])
                values = [sum(values[row + k] * lies(k, n) for k in range(depth)) for row in range(0, len(values), depth) for n in range(columns)]
            elif step["kind"] == "gram":
                rows, depth = before[-2:]
                values = [sum(values[part + m * depth + k] * values[part + n * depth + k] for k in range(depth))
                          for part in range(0, len(values), rows * depth) for m in range(rows) for n in range(rows)]
            elif step["kind"] == "move":
                at = dict(zip(itertools.product(*map(range, before)), values, strict=True))
                inverse = [step["order"].index(n) for n in range(len(before))]
                values = [at[tuple(point[n] for n in inverse)] for point in itertools.product(*map(range, after))]
            elif step["kind"] == "pad":
                at = dict(zip(itertools.product(*map(range, before)), values, strict=True))
                values = [at.get(tuple(place - low for place, low in zip(point, step["low"])), step["value"]) for point in itertools.product(*map(range, after))]
            elif step["kind"] in ("sum", "max"):
                made = {}
                for point, value in zip(itertools.product(*map(range, before)), values, strict=True):
                    kept = tuple(place for n, place in enumerate(point) if n not in step["gone"])
                    first = 0 if step["kind"] == "sum" else -(1 << 20)
                    made[kept] = made.get(kept, first) + value if step["kind"] == "sum" else max(made.get(kept, first), value)
                values = [made[point] for point in itertools.product(*map(range, after))]
            made_by.append(values)
        return values

    # Text.

    def type_of(self, extents):
        return f"tensor<{''.join(('?' if extent in ('B', '?') else str(extent)) + 'x' for extent in extents)}{self.element}>"

    def print_op(self, source, target, step):
        before, after = self.type_of(step["before"]), self.type_of(step["after"])
        kind = step["kind"]
        if kind in ("merge", "part"):
            op = "collapse_shape" if kind == "merge" else "expand_shape"
            shape = f" output_shape [{', '.join('%b' if extent == 'B' else str(extent) for extent in step['after'])}]" if kind == "part" else ""
            return [f"{target} = tensor.{op} {source} {step['groups']}{shape} : {before} into {after}"]
        if kind == "slice":
            return [f"{target} = tensor.extract_slice {source}{step['low']} {step['sizes']} {step['strides']} : {before} to {after}"]
        if kind == "insert":
            return [f"{target} = tensor.insert_slice {source} into %{self.inputs[step['into']].name}{step['low']} {step['sizes']} {step['strides']} : {before} into {after}"]
        if kind == "concat":
            other = self.type_of(self.steps[step["other"]]["after"])
            return [f"{target} = tensor.concat dim({step['axis']}) %v{step['other']}, {source} : ({other}, {before}) -> {after}"]
        if kind == "pad":
            indices = ", ".join(f"%i{n}: index" for n in range(len(step["before"])))
            number = f"{step['value']}.0" if self.element == "f32" else step["value"]
            return [f"{target}_c = arith.constant {number} : {self.element}", f"{target} = tensor.pad {source} low{step['low']} high{step['high']} {{",
                    f"^bb0({indices}):", f"  tensor.yield {target}_c : {self.element}", f"}} : {before} to {after}"]
        empty = f"{target}_e"
        sizes = "%b" if "B" in step["after"] else ""
        made = [f"{empty} = tensor.empty({sizes if not self.has_product(step) else '%p'}) : {after}"]
        yielded = "addf" if self.element == "f32" else "addi"
        dims = [f"d{n}" for n in range(len(step["before"]))]
        everything = f"affine_map<({', '.join(dims)}) -> ({', '.join(dims)})>"
        if kind == "double":
            iterators = ", ".join(['"parallel"'] * len(dims))
            return made + [f"{target} = linalg.generic {{indexing_maps = [{everything}, {everything}], iterator_types = [{iterators}]}} ins({source} : {before}) outs({empty} : {after}) {{",
                           f"^bb0(%a: {self.element}, %o: {self.element}):", f"  %r = arith.{yielded} %a, %a : {self.element}", f"  linalg.yield %r : {self.element}", f"}} -> {after}"]
        if kind == "join":
            other, iterators = f"%v{step['other']}", ", ".join(['"parallel"'] * len(dims))
            return made + [f"{target} = linalg.generic {{indexing_maps = [{everything}, {everything}, {everything}], iterator_types = [{iterators}]}} ins({source}, {other} : {before}, {before}) outs({empty} : {after}) {{",
                           f"^bb0(%a: {self.element}, %b: {self.element}, %o: {self.element}):", f"  %r = arith.{yielded} %a, %b : {self.element}", f"  linalg.yield %r : {self.element}", f"}} -> {after}"]
        if kind in ("times", "gram"):
            return made + self.print_product(source, target, step)
        if kind == "move":
            return made + [f"{target} = linalg.transpose ins({source} : {before}) outs({empty} : {after}) permutation = {step['order']}"]
        first = "%zero" if kind == "sum" else "%least"
        begin, fill = f"{target}_f", [f"{target}_f = linalg.fill ins({first} : {self.element}) outs({empty} : {after}) -> {after}"]
        if self.sharesFills:
            fill = [] if (first, after) in self.fills else fill
            begin = self.fills.setdefault((first, after), begin)
        kept = ", ".join(dim for n, dim in enumerate(dims) if n not in step["gone"])
        iterators = ", ".join('"reduction"' if n in step["gone"] else '"parallel"' for n in range(len(dims)))
        combine = yielded if kind == "sum" else "maximumf" if self.element == "f32" else "maxsi"
        return made + fill + [f"{target} = linalg.generic {{indexing_maps = [{everything}, affine_map<({', '.join(dims)}) -> ({kept})>], iterator_types = [{iterators}]}} ins({source} : {before}) outs({begin} : {after}) {{",
                       f"^bb0(%a: {self.element}, %o: {self.element}):", f"  %r = arith.{combine} %o, %a : {self.element}", f"  linalg.yield %r : {self.element}", f"}} -> {after}"]

    def print_product(self, source, target, step):
        before, after = self.type_of(step["before"]), self.type_of(step["after"])
        real = self.element == "f32"
        lines = [f"{target}_f = linalg.fill ins(%zero : {self.element}) outs({target}_e : {after}) -> {after}"]
        rank = len(step["before"])
        outer, m, n, k = [f"d{i}" for i in range(rank - 2)], f"d{rank - 2}" if rank > 1 else None, f"d{rank - 1}" if rank > 1 else "d0", f"d{rank}" if rank > 1 else "d1"
        row = [*outer, *([m] if m else [])]
        left, result = [*row, k], [*row, n]
        if step["kind"] == "times":
            name, kind = f"%{self.inputs[step['matrix']].name}", self.type_of(self.inputs[step["matrix"]].extents)
            right = [n, k] if step["turned"] else [k, n]
            if step["named"]:
                # As exporters write a layer: the matrix is transposed by an op of its own.
                turned = self.type_of(self.inputs[step["matrix"]].extents[::-1])
                lines += [f"{target}_t = tensor.empty() : {turned}", f"{target}_w = linalg.transpose ins({name} : {kind}) outs({target}_t : {turned}) permutation = [1, 0]"]
                name, kind, right = f"{target}_w", turned, [k, n]
        else:
            name, kind, right = source, before, [*outer, n, k]
        dims = ", ".join(f"d{i}" for i in range(rank + 1))
        maps = ", ".join(f"affine_map<({dims}) -> ({', '.join(places)})>" for places in (left, right, result))
        iterators = ", ".join(['"parallel"'] * rank + ['"reduction"'])
        mul, add = ("arith.mulf", "arith.addf") if real else ("arith.muli", "arith.addi")
        return lines + [f"{target} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{iterators}]}} ins({source}, {name} : {before}, {kind}) outs({target}_f : {after}) {{",
                        f"^bb0(%a: {self.element}, %b: {self.element}, %o: {self.element}):", f"  %p = {mul} %a, %b : {self.element}", f"  %r = {add} %o, %p : {self.element}",
                        f"  linalg.yield %r : {self.element}", f"}} -> {after}"]

    @staticmethod
    def has_product(step):
        return "?" in step["after"]

    def print(self):
        real = self.element == "f32"
        lines = [f"%zero = arith.constant {'0.0' if real else '0'} : {self.element}", f"%least = arith.constant {'-1048576.0' if real else '-1048576'} : {self.element}"]
        taken = self.type_of(self.inputs[0].extents)
        if not self.static:
            lines += ["%c0 = arith.constant 0 : index", f"%b = tensor.dim %X, %c0 : {taken}"]
        name, self.fills = "%X", {}
        for number, step in enumerate(self.steps):
            target = f"%v{number}"
            if self.has_product(step) and step["kind"] != "merge":
                lines.append(f"%p = tensor.dim {name}, %c0 : {self.type_of(step['before'])}")
            lines += self.print_op(name, target, step)
            name = target
        made = self.type_of(self.extents)
        body = "".join(f"  {line}\n" for line in [*lines, f"return {name} : {made}"])
        taken = ", ".join(f"%{array.name}: {self.type_of(array.extents)}" for array in self.inputs)
        return f"func.func @views({taken}) -> {made} {{\n{body}}}\n"


if __name__ == "__main__":
    first = int(sys.argv[1])
    end = int(sys.argv[2]) if len(sys.argv) > 2 else first + 1
    print("\n// -----\n\n".join(ViewProblem(seed).print() for seed in range(first, end)), end="")
