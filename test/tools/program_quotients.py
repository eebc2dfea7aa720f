"""The family of nests whose subscripts divide: rows that come again, several elements for one, matrices in tiles."""

from program_bodies import draw_map
from program_maps import STRIDES
from program_space import Space
from program_tree import Sum

MEET, NEGATIVE = "stored at a quotient", "divided below zero"
MISTAKES = [MEET, NEGATIVE]


def quotient_family(program, draw, wrong=None):
    """Y[i, ..] = f(X[i / a, ..]), f(X[i mod a, ..]), or Y[i / a, i mod a, ..] = f(X[i, ..])."""
    space = Space(program, draw, parts=(1,), several=bool(wrong))
    element = draw(["f32", "i32", "f64"])
    divided = draw(list(range(space.rank)))
    # Multiples of a thread's elements, divisors of tiles, and what is neither.
    divisor = draw([2, 2, 3, 4, 8, space.tile[divided], 1, 5])
    if wrong:
        space.unroll, space.warps = [1] * space.rank, [1] * space.rank
        space.threads[divided] = 8
        space.set_tile()
        divisor = 4
    most = max(space.values[divided] - 1, 0)
    parts = {"whole": most // divisor + 1, "rest": divisor}
    stores = wrong == MEET or (not wrong and draw([False, False, True]))
    kind = draw(["whole", "whole", "rest"])
    short = draw([0, 0, 1])  # The last of what is read, or stored to, may be absent.

    def extents(of):
        return [size for n, own in enumerate(space.sizes) for size in (of if n == divided else [own])]

    def named(count):
        return program.size(count) if draw([False, True]) else count

    if stores and not wrong:
        other = extents([named(max(parts["whole"] - short, 1)), divisor])
    else:
        other = extents([named(max(parts["whole" if wrong else kind] - short, 1))])
    source = program.operand(element, space.sizes if stores else other, draw(STRIDES), name="A")
    target = program.operand(element, other if stores else space.sizes, draw(STRIDES), name="Y")
    from_block = draw([True, False])

    with space.blocks():
        if from_block:  # What all threads of a block divide.
            with space.lanes() as lanes:
                work(program, draw, space, source, target, divided, divisor, kind, stores, wrong, lanes)
        else:
            with space.lanes("smem") as lanes:
                work(program, draw, space, source, target, divided, divisor, kind, stores, wrong, lanes)


def work(program, draw, space, source, target, divided, divisor, kind, stores, wrong, lanes):
    at = space.at(lanes)
    dividend = at[divided] + (0 if stores or wrong else draw([0, 0, 0, divisor, 1]))
    if wrong == NEGATIVE:
        dividend = dividend - 4
    ops = draw([("divsi", "remsi"), ("divui", "remui")])
    whole = program.divide(dividend, divisor, ops[0])
    rest = program.divide(dividend, divisor, ops[1])

    def place(of):
        return [one for n, own in enumerate(at) for one in (of if n == divided else [own])]

    if stores:
        value = program.stage(source, at, [1] * space.rank, pad="zero")
        program.elementwise([], [value], draw_map(draw, [], [value], space.rank))
        if wrong:
            program.store(value, target, place([whole]))
            return
        shape = [1] * (space.rank + 1)
        held = program.hold(value.element, shape, 0)
        zero = [Sum()] * space.rank
        loops = [Sum({f"d{n}": 1}) for n in range(space.rank + 1)]
        program.compute([value], [held], [zero, loops], draw_map(draw, [value], [held], space.rank + 1))
        program.store(held, target, place([whole, rest]))
        return
    value = program.stage(source, place([whole if wrong or kind == "whole" else rest]), [1] * space.rank, pad="zero")
    program.elementwise([], [value], draw_map(draw, [], [value], space.rank))
    program.store(value, target, at)
