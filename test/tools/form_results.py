"""Ops with several results, as form_gen.py draws them: what knows nothing of each other, and the place of a greatest or least element beside it."""

import math

from form_function import Body, dim, identity
from form_steps import EXACT, combine, draw_reduced


def draw_alike(p):
    """Several results element by element, numbers and flags, one of which may lie by another order."""
    rng, f = p.rng, p.f
    a = p.pick([p.number])
    b, places = p.beside(a.kind, a.extents)
    most = max(a.most(), b.most())
    kinds = [rng.choice([a.kind, a.kind, "i1"]) for _ in range(rng.choice([2, 2, 3]))]
    body = Body(f, [a.kind, b.kind, *kinds], 2)
    left, right = body.elements[:2]
    shared = combine(p, body, left, right, most)
    bound = most * most if most * most < EXACT else 2 * most
    yielded, inits = [], []
    for kind in kinds:
        if kind == "i1":
            yielded.append(body.compare(rng.choice(["gt", "le", "eq"]), shared, right))
        else:
            yielded.append(shared if rng.random() < 0.4 else combine(p, body, *p.shuffled([shared, left]), bound))
        order = p.order(range(len(a.extents)))
        inits.append((f.empty(kind, [a.extents[number] for number in order]), [dim(number) for number in order]))
    p.add(*f.generic(a.extents, [(a, identity(a.extents)), (b, places)], inits, body, yielded))


def draw_sums(p):
    """Sum and sum of squares, greatest and least, and others, along the same dimensions."""
    rng, f = p.rng, p.f
    a = p.pick([p.number], 1)
    reduced = draw_reduced(p, a.extents, a.most() ** 2)
    kinds = [a.kind] * rng.choice([2, 2, 3])
    body = Body(f, [a.kind, *kinds], 1)
    element, yielded, inits = body.elements[0], [], []
    for before in body.before:
        op = rng.choice(["sum", "squares", "max", "min"])
        kept = p.order([number for number in range(len(a.extents)) if number not in reduced])
        after = [a.extents[number] for number in kept]
        if op in ("sum", "squares") and a.most() ** 2 * math.prod(a.extents[number] for number in reduced) < EXACT:
            added = body.arith("mul", element, element) if op == "squares" else element
            init = p.begin(a.kind, after, rng.choice([0, 0, 2]))
            value = body.arith("add", *p.shuffled([added, before]))
        else:
            op = "min" if op == "min" else "max"
            init = p.begin(a.kind, after, rng.choice([-EXACT if op == "max" else EXACT, 0]))
            value = body.arith(op, *p.shuffled([element, before]))
        yielded.append(value)
        inits.append((init, [dim(number) for number in kept]))
    p.add(*f.generic(a.extents, [(a, identity(a.extents))], inits, body, yielded, reduced))


def draw_first(p, a, greater, after):
    """What the greatest begins with: what no element is as great as, what all are, or what some are; or an argument says it."""
    rng = p.rng
    far = math.inf if a.kind == "f32" else (1 << 31) - 1 if a.kind == "i32" else (1 << 63) - 1
    sign = -1 if greater else 1
    lowest = -far if a.kind == "f32" else -far - 1
    number = rng.choice([lowest if greater else far] * 3 + [-sign * (a.most() + 1), -sign * a.most(), 0])
    return p.begin(a.kind, after, number)


def draw_choice(p):
    """The greatest or least element along a dimension, and the first or last place where it is."""
    rng, f = p.rng, p.f
    a = p.pick([p.number], 1) if rng.random() < 0.6 else p.draw(p.number, p.draw_extents(1), 1)
    along, greater, orEqual = rng.randrange(len(a.extents)), rng.random() < 0.6, rng.random() < 0.3
    computed, more, index = rng.random() < 0.3, rng.random() < 0.15, rng.choice(["i64", "i64", "i32"])
    kept = p.order([number for number in range(len(a.extents)) if number != along])
    after = [a.extents[number] for number in kept]
    places = [dim(number) for number in kept]
    turned = rng.random() < 0.2
    body = Body(f, [a.kind, *([index, a.kind] if turned else [a.kind, index]), *([a.kind] if more else [])], 1)
    element, (best, place) = body.elements[0], body.before[:2][::-1] if turned else body.before[:2]
    if computed:
        element = body.arith("sub", *p.shuffled([element, body.constant(a.kind, rng.randint(-2, 2))]))
    here = body.cast("index_cast", body.index(along), index)
    predicate = ("g" if greater else "l") + ("e" if orEqual else "t")
    if rng.random() < 0.3:
        condition = body.compare({"g": "l", "l": "g"}[predicate[0]] + predicate[1], best, element)
    else:
        condition = body.compare(predicate, element, best)
    value = body.select(condition, element, best) if rng.random() < 0.4 else body.arith("max" if greater else "min", *p.shuffled([element, best]))
    chosen = body.select(condition, here, place)
    first, nowhere = draw_first(p, a, greater, after), p.begin(index, after, rng.choice([0, 0, 0, -1, 5]))
    inits, yielded = [(first, places), (nowhere, places)], [value, chosen]
    if turned:
        inits, yielded = inits[::-1], yielded[::-1]
    if more:
        exact = a.most() * a.extents[along] < EXACT
        inits.append((p.begin(a.kind, after, 0), places))
        yielded.append(body.arith("add" if exact else "max", body.elements[0], body.before[2]))
    p.add(*f.generic(a.extents, [(a, identity(a.extents))], inits, body, yielded, [along]))
