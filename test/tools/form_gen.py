"""Random functions as exporters of models write them.

  form_gen.py SEED [END]

A function is data (`FormProblem`), in the form that mapped_sweep.py takes: steps on arrays of numbers, of truth values and of indices, each a linalg op on tensors. Among them are comparisons and choices, ops with
several results, the place of a greatest or least element, bodies that extract elements, maps that divide, splat constants and fills that are read, packs, slices at places that are computed; one in three of open extents (form_open.py). What each computes is executed on lists when it is drawn
(form_function.py), which shares nothing with tilec. Numbers are small integers, and no sum leaves what f32 holds exactly; indices are in their tables. Misuse: results that depend on each other otherwise, a constant of several elements, an extent that its divisor does not divide, and indices of two open extents.
"""

import math
import random
import re
import sys

from form_extracts import draw_extract
from form_function import Body, Function, Place, dim, identity
from form_open import choose_extent, open_text
from form_places import draw_put, draw_take
from form_results import draw_alike, draw_choice, draw_sums
from form_steps import draw_added, draw_choose, draw_compare, draw_constant, draw_convert, draw_divided, draw_flags, draw_join, draw_pack, draw_reduce, draw_unpack, finish

STEPS = {
    "compare": (draw_compare, 3), "flags": (draw_flags, 3), "choose": (draw_choose, 4), "convert": (draw_convert, 2), "join": (draw_join, 2), "added": (draw_added, 4), "reduce": (draw_reduce, 3), "constant": (draw_constant, 3),
    "divided": (draw_divided, 5), "pack": (draw_pack, 2), "unpack": (draw_unpack, 2), "alike": (draw_alike, 3), "sums": (draw_sums, 3), "choice": (draw_choice, 6), "extract": (draw_extract, 10), "take": (draw_take, 4), "put": (draw_put, 4),
}
MOST = 1 << 12


class FormProblem:
    launches = None
    form, static = "function", True

    def __init__(self, seed):
        rng = self.rng = random.Random(seed)
        self.seed = seed
        self.machine = rng.choice(["h100", "h100", "h200", "sm80", "sm90", "sm86", "l40s"])
        self.sizes, self.f = {}, Function()
        self.number = rng.choice(["f32", "f32", "i32"])
        self.pool, self.groups, self.packed = [], [], {}
        self.mistake = rng.choice(["form-results", "form-constant", "form-divisor", "form-open"]) if rng.random() < 0.1 else None
        self.names = []
        for _ in range(rng.choice([0, 1]) if self.mistake else rng.choice([1, 1, 2, 2, 3, 4])):
            self.draw_step()
        while not self.pool and not self.mistake:
            self.draw_step()
        if self.mistake:
            getattr(self, "draw_" + self.mistake[5:])()
        self.family = "forms " + (self.names[0] if self.names else "")
        self.results = self.choose_results()
        self.result = self.results[0]
        self.open = choose_extent(self)
        self.text = open_text(self.text, self.open) if self.open else self.text

    def draw_step(self):
        name = self.rng.choices(list(STEPS), [weight for _, weight in STEPS.values()])[0]
        made = len(self.groups)
        STEPS[name][0](self)
        self.names += [name] * (len(self.groups) - made)

    def choose_results(self):
        """What nobody reads, but for parts of what makes several; and seldom what is read."""
        rng, results = self.rng, []
        for group in self.groups:
            unread = [array for array in group if array.name not in self.f.read]
            if len(group) > 1 and unread and rng.random() < 0.4:
                unread = rng.sample(unread, rng.randint(int(len(unread) == len(group)), len(unread)))
            results += unread + [array for array in group if array.name in self.f.read and rng.random() < 0.1]
        rng.shuffle(results)
        self.text = self.f.print(results)
        homes = [self.find_home(array) for array in results]
        made = [array for array, home in zip(results, homes, strict=True) if not home]
        for array, home in zip(results, homes, strict=True):
            array.name = home or ("result" if len(made) == 1 else f"result{made.index(array)}")
        return results

    def find_home(self, array):
        """The argument that `array` is written in place of: one that only what makes it reads."""
        into = array.into
        if not into or len(re.findall(rf"%{into.name}\b", self.text)) != 2:
            return None
        return into.name if into in self.f.arguments else self.find_home(into)

    # What steps ask for.

    def shuffled(self, values):
        return self.rng.sample(values, len(values))

    def order(self, dims):
        """`dims`, seldom in another order."""
        return self.rng.sample(list(dims), len(dims)) if self.rng.random() < 0.3 else list(dims)

    def add(self, *arrays):
        self.groups.append(arrays)
        self.pool += arrays

    def draw_extents(self, least):
        rng = self.rng
        extents = [rng.choice([1, 2, 3, 4, 6, 8, 12, 16, 33]) for _ in range(rng.choice([least, 1, 2, 2, 3]) or rng.choice([0, 1]))]
        return extents if math.prod(extents) <= MOST else extents[:2]

    def draw(self, kind, extents, most=4):
        """An argument."""
        rng = self.rng
        values = [0, 1] if kind == "i1" else range(-most, most + 1)
        return self.f.argument(kind, extents, [rng.choice(values) for _ in range(math.prod(extents))])

    def pick(self, kinds, least=0):
        """An array of one of `kinds`, of rank `least` or more: one that there is, the younger ones more often, or an argument."""
        rng, kind = self.rng, self.rng.choice(kinds)
        held = [array for array in self.pool if array.kind == kind and least <= len(array.extents) <= 5 and len(array.values) <= MOST and array.most() < math.inf]
        if held and rng.random() < 0.8:
            return held[max(rng.randrange(len(held)), rng.randrange(len(held)))]
        return self.draw(kind, self.draw_extents(least))

    def beside(self, kind, extents, but=None):
        """An array of the same extents, or one along some of them, and its subscripts; not `but`, which would be compared with itself."""
        rng = self.rng
        held = [array for array in self.pool if array is not but and array.kind == kind and array.extents == extents and array.most() < math.inf]
        if held and rng.random() < 0.6:
            return rng.choice(held), identity(extents)
        dims = rng.sample(range(len(extents)), rng.randint(0, len(extents))) if rng.random() < 0.5 else list(range(len(extents)))
        return self.draw(kind, [extents[number] for number in dims]), [dim(number) for number in dims]

    def begin(self, kind, extents, number):
        """What a reduction begins with: a fill, a constant, or seldom numbers that an op makes of an argument."""
        rng, f = self.rng, self.f
        way = rng.random()
        if way > 0.12:
            return f.splat(kind, extents, number) if way < 0.25 else f.fill(kind, extents, number)
        # An argument itself would be written in its place. No integer is further away than the number, which may be the last that there is.
        far = -1 if number > 0 else 1
        a, dims = f.argument(kind, extents, [far * rng.randint(0, 2) for _ in range(math.prod(extents))]), identity(extents)
        body = Body(f, [kind, kind], 1)
        return f.generic(extents, [(a, dims)], [(f.empty(kind, extents), dims)], body, [body.arith("add", body.elements[0], body.constant(kind, number))])[0]

    # Misuse.

    def draw_results(self):
        """A mean that a count divides, as Welford's."""
        a = self.draw("f32", [5, 8])
        inits = [(self.f.fill("f32", [5], 0), [dim(0)]) for _ in range(2)]
        body = Body(self.f, ["f32"] * 3, 1)
        (element,), (mean, count) = body.elements[:1], body.before
        more = body.arith("add", count, body.constant("f32", 1))
        new = body.arith("add", mean, body.arith("mul", body.arith("sub", element, mean), more))
        self.add(*self.f.generic([5, 8], [(a, identity(a.extents))], inits, body, [new, more], [1]))

    def draw_constant(self):
        constant = self.f.splat("f32", [3], 1)
        self.f.lines[-1] = self.f.lines[-1].replace("dense<1.0>", "dense<[1.0, 2.0, 3.0]>")
        a, body = self.draw("f32", [4, 3]), Body(self.f, ["f32"] * 3, 2)
        finish(self, [4, 3], [(a, identity(a.extents)), (constant, [dim(1)])], body, body.arith("add", *body.elements[:2]))

    def draw_divisor(self):
        a, body = self.draw("f32", [4]), Body(self.f, ["f32"] * 2, 1)
        by, extent = self.rng.choice([(2, 7), (3, 10)])
        finish(self, [extent], [(a, [Place(f"d0 floordiv {by}", lambda point: point[0] // by)])], body, body.elements[0])

    def draw_open(self):
        """Indices of two open extents."""
        table = self.draw("f32", [4, 6])
        indices = self.f.argument("i64", [3, 7], [self.rng.randrange(4) for _ in range(21)])
        body = Body(self.f, ["i64", "f32"], 1)
        value = body.extract(table, [body.cast("index_cast", body.elements[0], "index"), body.index(2)])
        finish(self, [3, 7, 6], [(indices, [dim(0), dim(1)])], body, value)

    def get_operands(self):
        return self.f.get_read()

    def execute(self):
        return [array.values for array in self.results]

    def print(self):
        return self.text.replace("tensor<3x7xi64>", "tensor<?x?xi64>") if self.mistake == "form-open" else self.text


if __name__ == "__main__":
    first = int(sys.argv[1])
    end = int(sys.argv[2]) if len(sys.argv) > 2 else first + 1
    print("\n// -----\n\n".join(FormProblem(seed).print() for seed in range(first, end)), end="")
