"""Bodies that extract elements, as form_gen.py draws them: where their dimensions say, or where data says."""

import math

from form_function import Body, dim, identity
from form_steps import combine, draw_reduced, finish


class Extract:
    """Extracts of one op: loops by number and extent, which are put in some order before anything is written; inputs that indices are read from, and bodies' values."""

    def __init__(self, p):
        self.p, self.loops, self.inputs, self.divisors = p, [], [], {}

    def add_loop(self, extent):
        self.loops.append(extent)
        return len(self.loops) - 1

    def settle(self):
        """Numbers the loops, and says what the op walks."""
        order = self.p.rng.sample(range(len(self.loops)), len(self.loops))
        self.place = {loop: number for number, loop in enumerate(order)}
        self.extents = [self.loops[loop] for loop in order]

    def read(self, array, loops):
        self.inputs.append((array, [dim(self.place[loop]) for loop in loops]))
        return len(self.inputs) - 1

    # Subscripts are drawn as what the body writes later; each fits `extent` elements.

    def draw_affine(self, extent):
        """A subscript of a table whose extent is known, along a loop of its own or one that there is."""
        rng = self.p.rng
        alike = [loop for loop, size in enumerate(self.loops) if size <= extent]
        kind = rng.choice(["plain", "plain", "mirror", "offset", "part", "rest", "twice", "constant"])
        if alike and rng.random() < 0.25:
            return rng.choice(["plain", "mirror"]), rng.choice(alike), extent
        by = rng.choice([2, 3])
        sizes = {"plain": extent, "mirror": extent, "offset": rng.randint(1, extent), "part": extent * by, "rest": extent * by, "twice": (extent - 1) // 2 + 1}
        if kind == "constant":
            return kind, rng.randrange(extent), extent
        loop = self.add_loop(sizes[kind])
        if kind in ("part", "rest"):
            self.divisors[loop] = [by if kind == "part" else extent]
        return (kind, loop, {"offset": extent - sizes["offset"], "part": by}.get(kind, extent))

    def draw_beside(self):
        """A subscript of a table that is made for the loops that there are, and the extent that it needs."""
        rng = self.p.rng
        loop = rng.randrange(len(self.loops))
        size = self.loops[loop]
        known = self.divisors.setdefault(loop, [])
        by = rng.choice([by for by in (1, 2, 3, 4, 6) if size % by == 0 and all(by % other == 0 or other % by == 0 for other in known)])
        known.append(by)
        kind, number, extent = rng.choice([("plain", None, size), ("mirror", size, size), ("offset", 2, size + 2), ("part", by, size // by), ("rest", by, by), ("twice", None, 2 * size)])
        return (kind, loop, number), extent

    def write_affine(self, body, subscript):
        """The value of a subscript, computed as an index or as an integer of 64 bits."""
        rng, (kind, loop, number) = self.p.rng, subscript
        if kind == "constant":
            return body.constant("index", loop)
        value = body.index(self.place[loop])
        value = body.cast("index_cast", value, "i64") if rng.random() < 0.25 else value
        if kind == "mirror":
            value = body.arith("sub", body.constant(value.kind, number - 1), value)
        elif kind == "offset":
            value = body.arith("add", value, body.constant(value.kind, number))
        elif kind == "part":
            value = body.whole(rng.choice(["divsi", "floordivsi", "divui"]), value, body.constant(value.kind, number), lambda a, b: a // b)
        elif kind == "rest":
            value = body.whole(rng.choice(["remsi", "remui"]), value, body.constant(value.kind, number), lambda a, b: a % b)
        elif kind == "twice":
            value = body.arith("mul", *self.p.shuffled([value, body.constant(value.kind, 2)]))
        return body.cast("index_cast", value, "index")

    # Indices.

    def draw_loops(self):
        """What an index is read along: new loops, or some that there are."""
        rng, loops = self.p.rng, []
        for _ in range(rng.choice([1, 1, 1, 2, 2, 3])):
            left = [loop for loop in range(len(self.loops)) if loop not in loops]
            loops.append(rng.choice(left) if left and rng.random() < 0.4 else self.add_loop(rng.choice([1, 2, 3, 5, 8, 17])))
        return rng.sample(loops, len(loops))

    def draw_data(self, extent):
        """How data says a subscript: the way, the element's type and along which loops it is read; the least and the greatest number that fit."""
        rng, p = self.p.rng, self.p
        held = [array for array in p.pool if array.kind in ("i64", "i32") and 1 <= len(array.extents) <= 3 and 0 <= min(array.values) and max(array.values) < extent]
        if held and rng.random() < 0.4:
            array = rng.choice(held)
            return "direct", array, [self.add_loop(size) for size in array.extents]
        way = rng.choice(["direct", "direct", "direct", "wrap", "wrap", "clamp", "sum", "beside", "whole"])
        kind = "f32" if way == "whole" else rng.choice(["i64", "i64", "i32"])
        return way, kind, self.draw_loops()

    def read_data(self, data, extent):
        """Reads what `draw_data` has drawn; the number of the input, of which a sum has the next as well."""
        p, (way, array, loops) = self.p, data
        if not isinstance(array, str):
            return self.read(array, loops)
        shape = [self.loops[loop] for loop in loops]
        low, high = {"wrap": (-extent, extent - 1), "clamp": (-3, extent + 2), "sum": (0, (extent - 1) // 2), "beside": (0, max(extent - max(shape), 0))}.get(way, (0, extent - 1))
        number = self.read(p.f.argument(array, shape, [p.rng.randint(low, high) for _ in range(math.prod(shape))]), loops)
        if way == "sum":
            self.read(p.f.argument(array, shape, [p.rng.randint(low, high) for _ in range(math.prod(shape))]), loops)
        return number

    def write_data(self, body, data, number, extent):
        rng, (way, _, loops) = self.p.rng, data
        value = body.elements[number]
        if way == "whole":
            value = body.cast("fptosi", value, rng.choice(["i64", "i32"]))
        elif value.kind == "i32" and way != "beside" and rng.random() < 0.3:
            value = body.cast("extsi", value, "i64")
        elif way == "beside" or rng.random() < 0.2:
            value = body.cast("index_cast", value, "index")

        def number_of(n):
            return body.constant(value.kind, n)

        if way == "wrap":
            condition, wrapped = body.compare("lt", value, number_of(0)), body.arith("add", value, number_of(extent))
            value = body.select(condition, wrapped, value)
        elif way == "clamp":
            value = body.arith("min", body.arith("max", value, number_of(0)), number_of(extent - 1))
        elif way == "sum":
            other = body.elements[number + 1]
            other = body.cast("index_cast" if value.kind == "index" else "extsi", other, value.kind)
            value = body.arith("add", value, other)
        elif way == "beside" and max(self.loops[loop] for loop in loops) <= extent:
            value = body.arith("add", value, body.index(self.place[rng.choice(loops)]))
        return body.cast("index_cast", value, "index")


class Data:
    """A subscript that data says of a dimension of `extent` elements: as `draw_data` draws it; the number of its input, and the value that it was written as."""

    def __init__(self, drawn, extent):
        self.drawn, self.extent, self.number, self.value = drawn, extent, None, None


def draw_table(p, extract):
    """A table with its subscripts. Data says none, one, or seldom two of them."""
    rng = p.rng
    table = p.pick([p.number, p.number, "i1"], 1)
    dims = p.shuffled(list(range(len(table.extents))))
    said = dims[:rng.choice([0, 0, 1, 1, 1, 2])]
    subscripts = {number: extract.draw_affine(table.extents[number]) for number in dims if number not in said}
    subscripts.update({number: Data(extract.draw_data(table.extents[number]), table.extents[number]) for number in said})
    return table, [subscripts[number] for number in range(len(dims))]


def draw_other_table(p, extract, said):
    """Another table of the same kind, along the loops that there are; what says where the first is read may say it of this one too."""
    rng = p.rng
    parts = [extract.draw_beside() for _ in range(rng.choice([1, 2, 2]))]
    subscripts, extents = [part[0] for part in parts], [part[1] for part in parts]
    if said and rng.random() < 0.6:
        subscripts[0] = rng.choice(said)
        extents[0] = subscripts[0].extent
    return extents, subscripts


def write_subscript(p, extract, body, subscript):
    if not isinstance(subscript, Data):
        return extract.write_affine(body, subscript)
    if subscript.value is None or p.rng.random() < 0.3:
        subscript.value = extract.write_data(body, subscript.drawn, subscript.number, subscript.extent)
    return subscript.value


def draw_extract(p):
    """One or several extracts, perhaps with something computed beside them, and reduced."""
    rng, f = p.rng, p.f
    extract = Extract(p)
    table, subscripts = draw_table(p, extract)
    if rng.random() < 0.15 or not extract.loops:
        extract.add_loop(rng.choice([1, 2, 5]))
    if math.prod(extract.loops) > 6000:
        return
    extract.settle()
    said, taken = [subscript for subscript in subscripts if isinstance(subscript, Data)], [(table, subscripts)]
    for data in said:
        data.number = extract.read_data(data.drawn, data.extent)
    if rng.random() < 0.3:
        extents, others = draw_other_table(p, extract, said)
        taken.append((p.draw(table.kind, extents), others))
    most = max(array.most() for array, _ in taken)
    reduced = draw_reduced(p, extract.extents, 2 * most + 9) if rng.random() < 0.3 and table.kind != "i1" else []
    beside = bool(reduced) or rng.random() < 0.3
    if beside:
        extract.inputs.append((p.draw(table.kind, extract.extents), identity(extract.extents)))
    body = Body(f, [array.kind for array, _ in extract.inputs] + [table.kind], len(extract.inputs))
    values = [body.extract(array, [write_subscript(p, extract, body, subscript) for subscript in places]) for array, places in taken]
    values += [body.elements[len(extract.inputs) - 1]] if beside else []
    value = values[0]
    for other in values[1:]:
        value = body.whole("andi", value, other, lambda a, b: a & b) if value.kind == "i1" else body.arith("add", value, other) if reduced else combine(p, body, value, other, max(most, 9))
        most = max(most, 9) ** 2
    finish(p, extract.extents, extract.inputs, body, value, reduced)
