"""What form_gen.py draws of a function, but for several results and extracts: truth values, numbers, reductions, constants, maps that divide, packs. Each step adds to the problem `p` what it makes."""

import itertools
import math

from form_function import Array, Body, Place, dim, identity

# Sums below are exact in f32.
EXACT = 1 << 22


def combine(p, body, a, b, most):
    """Some operation on two numbers that are at most `most`."""
    ops = ["max", "min"] + ["add", "sub", "add"] * (2 * most < EXACT) + ["mul"] * (most * most < EXACT)
    return body.arith(p.rng.choice(ops), a, b)


def finish(p, extents, inputs, body, value, reduced=()):
    """An op that yields `value` along dimensions of `extents`, or reduces it to those that are not `reduced`, beginning with a number or an argument."""
    rng, f = p.rng, p.f
    kept = p.order([number for number in range(len(extents)) if number not in reduced])
    after = [extents[number] for number in kept]
    if value.kind == "i1" and reduced:
        op, first = rng.choice([("ori", 0), ("andi", 1), ("ori", 1)])
        value = body.whole(op, *p.shuffled([body.before[0], value]), (lambda a, b: a | b) if op == "ori" else lambda a, b: a & b)
        init = f.fill("i1", after, first)
    elif reduced:
        op = rng.choice(["add", "add", "max", "min"])
        first = rng.choice([0, 0, 3]) if op == "add" else rng.choice([0, -EXACT if op == "max" else EXACT])
        value = body.arith(op, *p.shuffled([body.before[0], value]))
        init = p.begin(value.kind, after, first)
    else:
        init = f.empty(value.kind, after)
    p.add(*f.generic(extents, inputs, [(init, [dim(number) for number in kept])], body, [value], reduced))


def draw_reduced(p, extents, most=1):
    """Some dimensions; none whose sum of numbers up to `most` would not be exact."""
    reduced = sorted(p.rng.sample(range(len(extents)), p.rng.randint(1, len(extents))))
    return reduced if most * math.prod(extents[number] for number in reduced) < EXACT else []


# Truth values.

def draw_compare(p):
    """Of numbers with numbers, a constant, or what a splat or a fill holds."""
    a = p.pick([p.number, p.number, "i32", "i64"])
    b, places = p.beside(a.kind, a.extents, but=a)
    body = Body(p.f, [a.kind, b.kind, "i1"], 2)
    right = body.elements[1] if p.rng.random() < 0.7 else body.constant(a.kind, p.rng.randint(-2, 2))
    value = body.compare(p.rng.choice(["gt", "ge", "lt", "le", "eq", "ne"]), *p.shuffled([body.elements[0], right]))
    finish(p, a.extents, [(a, identity(a.extents)), (b, places)], body, value)


def draw_flags(p):
    """And, or, exclusive or, equality and choice of flags, and their negation."""
    rng = p.rng
    a = p.pick(["i1"])
    b, places = p.beside("i1", a.extents)
    body = Body(p.f, ["i1", "i1", "i1"], 2)
    left, right = body.elements[:2]
    op = rng.choice(["andi", "ori", "xori", "not", "eq", "select"])
    if op == "not":
        value = body.whole("xori", left, body.constant("i1", 1), lambda a, b: a ^ b)
        value = body.whole("andi", value, right, lambda a, b: a & b)
    elif op == "eq":
        value = body.compare(rng.choice(["eq", "ne"]), left, right)
    elif op == "select":
        value = body.select(left, *p.shuffled([right, body.constant("i1", rng.randint(0, 1))]))
    else:
        value = body.whole(op, left, right, {"andi": lambda a, b: a & b, "ori": lambda a, b: a | b, "xori": lambda a, b: a ^ b}[op])
    finish(p, a.extents, [(a, identity(a.extents)), (b, places)], body, value)


def draw_choose(p):
    """By flags, which may lie along some of the dimensions."""
    a = p.pick([p.number])
    flags, places = p.beside("i1", a.extents)
    other, at = p.beside(a.kind, a.extents)
    body = Body(p.f, ["i1", a.kind, other.kind, a.kind], 3)
    right = body.elements[2] if p.rng.random() < 0.6 else body.constant(a.kind, p.rng.randint(-9, 9))
    value = body.select(body.elements[0], *p.shuffled([body.elements[1], right]))
    finish(p, a.extents, [(flags, places), (a, identity(a.extents)), (other, at)], body, value)


def draw_convert(p):
    """Flags to numbers, numbers to flags, or integers to numbers."""
    rng = p.rng
    a = p.pick([rng.choice(["i1", "i1", p.number, "i64"])])
    if a.kind == "i1":
        body = Body(p.f, ["i1", p.number], 1)
        value = body.cast("uitofp" if p.number == "f32" else "extui", body.elements[0], p.number)
    elif a.kind == "i64":
        body = Body(p.f, ["i64", p.number], 1)
        value = body.cast("sitofp" if p.number == "f32" else "trunci", body.elements[0], p.number)
    else:
        body = Body(p.f, [a.kind, "i1"], 1)
        value = body.compare("ne", body.elements[0], body.constant(a.kind, 0))
    finish(p, a.extents, [(a, identity(a.extents))], body, value)


# Numbers.

def draw_join(p, a=None):
    a = a or p.pick([p.number])
    b, places = p.beside(a.kind, a.extents)
    body = Body(p.f, [a.kind] * 3, 2)
    finish(p, a.extents, [(a, identity(a.extents)), (b, places)], body, combine(p, body, *body.elements[:2], max(a.most(), b.most())))


def draw_added(p):
    """Numbers combined in place with what an op has made, once or again, and what another reads then."""
    draw_join(p)
    for _ in range(p.rng.choice([1, 1, 2])):
        a = p.pool[-1]
        b, places = p.beside(a.kind, a.extents, but=a)
        body = Body(p.f, [a.kind] * 2, 1)
        value = combine(p, body, *p.shuffled([body.elements[0], body.before[0]]), max(a.most(), b.most()))
        p.add(*p.f.generic(a.extents, [(b, places)], [(a, identity(a.extents))], body, [value]))
    if p.rng.random() < 0.6:
        draw_join(p, p.pool[-1])


def draw_reduce(p):
    a = p.pick([p.number, p.number, "i1"], 1)
    body = Body(p.f, [a.kind, a.kind], 1)
    finish(p, a.extents, [(a, identity(a.extents))], body, body.elements[0], draw_reduced(p, a.extents, a.most()))


def draw_constant(p):
    """What reads a splat, of one element or of as many as there are, or a fill, beside something or alone."""
    rng, f = p.rng, p.f
    a = p.pick([p.number, p.number, "i1"])
    dims = sorted(rng.sample(range(len(a.extents)), rng.randint(0, len(a.extents))))
    extents, places = [a.extents[number] for number in dims], [dim(number) for number in dims]
    if not dims and rng.random() < 0.5:
        extents, places = [1], [Place("0", lambda point: 0)]
    number = rng.randint(0, 1) if a.kind == "i1" else rng.randint(-3, 3)
    b = rng.choice([f.splat, f.fill])(a.kind, extents, number)
    body = Body(f, [a.kind] * 3, 2)
    left, right = p.shuffled(body.elements[:2])
    if rng.random() < 0.1:
        value = body.elements[1]
    else:
        value = body.whole("ori", left, right, lambda a, b: a | b) if a.kind == "i1" else combine(p, body, left, right, max(a.most(), 3))
    finish(p, a.extents, p.shuffled([(a, identity(a.extents)), (b, places)]), body, value)


# Maps.

def divide(number, by):
    return Place(f"d{number} floordiv {by}", lambda point: point[number] // by)


def remainder(number, by):
    return Place(f"d{number} mod {by}", lambda point: point[number] % by)


def draw_divided(p):
    """An array is enlarged along some of its dimensions; beside it may stand another that is enlarged more, repeated, or as it is."""
    rng, f = p.rng, p.f
    a = p.pick([p.number, p.number, "i1"], 1)
    chains = [rng.choice([(1,), (2,), (2,), (3,), (2, 4), (3, 6), (4, 2)]) for _ in a.extents]
    extents = [extent * chain[0] for extent, chain in zip(a.extents, chains)]
    chains = [tuple(by for by in chain if extent % by == 0) for extent, chain in zip(extents, chains)]
    inputs = [(a, [dim(number) if chain[0] == 1 else divide(number, chain[0]) for number, chain in enumerate(chains)])]
    for _ in range(rng.choice([0, 1, 1, 2])):
        shape, places = [], []
        for number, chain in enumerate(chains):
            by, extent = chain[-1], extents[number]
            kind = rng.choice(["whole", "divided", "rest", "left", "nested"])
            if kind == "whole" or (by == 1 and kind != "left"):
                shape, places = [*shape, extent], [*places, dim(number)]
            elif kind == "divided":
                shape, places = [*shape, extent // by], [*places, divide(number, by)]
            elif kind == "rest":
                shape, places = [*shape, by], [*places, remainder(number, by)]
            elif kind == "nested" and len(chain) > 1 and chain[1] > chain[0]:
                shape.append(chain[1] // chain[0])
                places.append(Place(f"(d{number} floordiv {chain[0]}) mod {chain[1] // chain[0]}", lambda point, number=number, chain=chain: point[number] // chain[0] % (chain[1] // chain[0])))
        inputs.append((p.draw(a.kind, shape), places))
    reduced = draw_reduced(p, extents, a.most() + 9) if rng.random() < 0.25 and a.kind != "i1" else []
    if reduced:
        inputs.append((p.draw(a.kind, extents), identity(extents)))
    body = Body(f, [array.kind for array, _ in inputs] + [a.kind], len(inputs))
    value = body.elements[0]
    for element in body.elements[1:len(inputs)]:
        value = body.whole("xori", value, element, lambda a, b: a ^ b) if a.kind == "i1" else body.arith(rng.choice(["add", "max"]), value, element)
    finish(p, extents, inputs, body, value, reduced)


# Tiles.

def draw_pack(p):
    rng, f = p.rng, p.f
    a = p.pick([p.number], 1)
    inner = rng.sample(range(len(a.extents)), rng.randint(1, min(2, len(a.extents))))
    whole = {number: [tile for tile in (2, 3, 4, 8) if a.extents[number] % tile == 0] for number in inner}
    tiles = [rng.choice(whole[number]) if whole[number] and rng.random() < 0.6 else rng.choice([2, 3, 4, 8]) for number in inner]
    padded = any(a.extents[number] % tile for number, tile in zip(inner, tiles))
    outer = [-(-extent // dict(zip(inner, tiles)).get(number, 1)) for number, extent in enumerate(a.extents)]
    order = rng.sample(range(len(outer)), len(outer)) if rng.random() < 0.4 else None
    number = rng.choice([0, 0, 5])
    target = f.empty(a.kind, [outer[n] for n in order or range(len(outer))] + tiles)
    words = f" padding_value({f.constant(a.kind, number)} : {a.kind})" if padded else ""
    words += f" outer_dims_perm = {order}" if order else ""
    made = Array(f"v{next(f.numbers)}", a.kind, target.extents, [])
    f.lines.append(f"%{made.name} = linalg.pack %{a.name}{words} inner_dims_pos = {inner} inner_tiles = {tiles} into %{target.name} : {a.type} -> {made.type}")
    f.read.add(a.name)
    for point in made.points():
        place = list(point[:len(outer)])
        for at, n in enumerate(order or []):
            place[n] = point[at]
        for n, tile, rest in zip(inner, tiles, point[len(outer):]):
            place[n] = place[n] * tile + rest
        made.values.append(a.at(place) if all(at < extent for at, extent in zip(place, a.extents)) else number)
    p.packed[made.name] = (a.extents, inner, tiles, order)
    p.add(made)


def draw_unpack(p):
    """Of what was packed, perhaps by an earlier step."""
    rng, f = p.rng, p.f
    packed = [array for array in p.pool if array.name in p.packed]
    if packed and rng.random() < 0.8:
        a = rng.choice(packed)
        after, inner, tiles, order = p.packed[a.name]
    else:
        after = p.draw_extents(1)
        inner = rng.sample(range(len(after)), rng.randint(1, min(2, len(after))))
        tiles = [rng.choice([2, 3, 4, 8]) for _ in inner]
        order = rng.sample(range(len(after)), len(after)) if rng.random() < 0.4 else None
        outer = [-(-extent // dict(zip(inner, tiles)).get(number, 1)) for number, extent in enumerate(after)]
        a = p.draw(p.number, [outer[n] for n in order or range(len(after))] + tiles)
    target = f.empty(a.kind, after)
    made = Array(f"v{next(f.numbers)}", a.kind, after, [])
    f.lines.append(f"%{made.name} = linalg.unpack %{a.name}{f' outer_dims_perm = {order}' if order else ''} inner_dims_pos = {inner} inner_tiles = {tiles} into %{target.name} : {a.type} -> {made.type}")
    f.read.add(a.name)
    for point in itertools.product(*map(range, after)):
        outer, rest = list(point), []
        for n, tile in zip(inner, tiles):
            rest.append(outer[n] % tile)
            outer[n] //= tile
        made.values.append(a.at([outer[n] for n in order or range(len(after))] + rest))
    p.add(made)
