"""The family of nests in which loops and sizes say how far others go: triangles, and subscripts that run backwards from a size."""

from program_maps import STRIDES
from program_phases import add_all
from program_space import Space
from program_tree import Sum

MIRRORED = "mirrored in place"
MISTAKES = [MIRRORED]


def triangle_family(program, draw, wrong=None):
    """Y[i] = the sum of X over as many elements as i says, from the front, from the end or from i on, in one loop or two."""
    space = Space(program, draw, rank=1, parts=(1,), several=bool(wrong))
    element = draw(["f32", "i32", "f64"])
    extent = space.sizes[0]
    size = Sum({extent: 1}) if isinstance(extent, str) else Sum(constant=extent)
    source = program.operand(element, [extent], draw(STRIDES), name="A")
    target = source if wrong else program.operand(element, [extent], draw(STRIDES), name="Y")
    ends = {"up": lambda at: at + draw([1, 0, 3, -2]), "down": lambda at: size - at - draw([0, 1, 4]), "twice": lambda at: at * 2 - draw([0, 5]),
            "front": lambda at: size - draw([1, 3])}
    with space.blocks() as (outer,):
        with space.lanes() as lanes:
            at, = space.at(lanes)
            if wrong:
                value = program.stage(source, [size - 1 - at], [1], pad="zero")
                program.store(value, target, [at])
                return
            held = program.hold(element, [1], 0)
            end = ends[draw(["up", "down", "twice", "front"])]
            inner = draw([False, False, True])
            # From where a block begins on all of its threads go as far.
            with program.loop([end(outer if draw([False, True]) else at)], [draw([1, 2, 5, 16] if not inner else [16, 7])], stem="k") as (k,):
                def add(place):
                    subscript = draw([place, size - 1 - place, at - place, place + at])
                    value = program.stage(source, [subscript], [1], pad=draw(["zero", "clamp", "wrap"]))
                    program.elementwise([value], [held], add_all(element, 1))
                if inner:
                    with program.loop([k + draw([1, 2])], [draw([1, 4])], stem="q") as (q,):
                        add(q)
                else:
                    add(k)
            program.store(held, target, [at])
