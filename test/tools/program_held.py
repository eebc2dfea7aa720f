"""The family of nests whose blocks make tiles in shared memory: threads store to them and compute in them, others read."""

from program_bodies import draw_map
from program_maps import STRIDES
from program_phases import add_all
from program_scalars import FLOATS
from program_space import Space, loops_of

NEIGHBOUR, ONE_PLACE, ABSENT, BEYOND, AHEAD, PADDED = ("neighbour in a held tile", "one element of a held tile for all", "absent elements in a held tile",
                                                       "beyond a held tile", "held tile copied ahead", "held tile padded")
MISTAKES = [NEIGHBOUR, ONE_PLACE, ABSENT, BEYOND, AHEAD, PADDED]


def held_tiles_family(program, draw, wrong=None):
    """Y = f(g(X)), what g makes in shared memory, f read in another order; around them a margin of which nobody writes."""
    space = Space(program, draw, parts=(1, 1, 2, 4) if not wrong else (1, 1, 2), several=bool(wrong))
    if wrong:
        space.threads, space.unroll = [max(4, count) for count in space.threads], [1] * space.rank
        space.set_tile()
    element = draw(["f32", "i32", "f64", "i8", "f16", "i16"] if not wrong else ["f32", "i32"])
    outer_element = "i32" if element == "i16" else element
    source = program.operand(outer_element, space.sizes, draw(STRIDES), name="A")
    target = program.operand(outer_element, space.sizes, draw(STRIDES), name="Y")
    margin = [draw([0, 0, 1, 3]) for _ in range(space.rank)]
    at = [draw(list(range(m + 1))) for m in margin]
    box = [tile + m for tile, m in zip(space.tile, margin)]
    convert = element != outer_element
    rounds = draw([1, 1, 2, 3])

    def make(shared):
        """Each thread stores what it computes, or computes where it lies."""
        with space.lanes("smem") as lanes:
            inside = [lane + offset for lane, offset in zip(lanes, at)]
            if draw([True, True, False]) or convert or wrong:
                pad = draw(["zero", "clamp", "reflect", "wrap"]) if wrong != ABSENT else None
                held = program.stage(source, space.at(lanes), space.part, pad=pad)
                if convert:
                    narrow = program.hold(element, space.part, 0)
                    program.elementwise([held], [narrow], draw_map(draw, [held], [narrow], space.rank))
                    held = narrow
                elif wrong != ABSENT and draw([True, False]):
                    program.elementwise([], [held], draw_map(draw, [], [held], space.rank))
                if wrong == ONE_PLACE:
                    inside = [0] * space.rank
                elif wrong == BEYOND:
                    inside = [place + extent for place, extent in zip(inside, margin)]
                    inside[0] = inside[0] + 1
                program.store(held, shared, inside)
                if wrong == NEIGHBOUR:
                    near = program.stage(shared, [inside[0] - at[0]] + inside[1:] if at[0] else [0] + inside[1:], space.part)
                    program.store(near, target, space.at(lanes))
                return
            part = program.part(shared, inside, space.part)
            held = program.stage(source, space.at(lanes), space.part, pad=draw(["zero", None]))
            program.elementwise([held], [part], add_all(element, 1))

    def read(shared):
        """Other threads read it backwards, or moved, and the margin with it."""
        with space.lanes("smem") as lanes:
            places = []
            for lane, tile, part, m in zip(lanes, space.tile, space.part, margin):
                places.append(draw([tile + m - part - lane, lane + draw(list(range(m + 1)))]))
            near = program.stage(shared, places, space.part, pad=draw(["zero", "clamp", "reflect", "wrap"]) if wrong == PADDED else None)
            out = program.hold(outer_element, space.part, 0)
            program.compute([near], [out], [loops_of(space.rank)] * 2, draw_map(draw, [near], [out], space.rank))
            program.store(out, target, space.at(lanes))

    with space.blocks():
        early = draw([True, False])
        shared = program.hold_shared(element, box, draw([0, 1, -3])) if early and wrong != AHEAD else None
        if wrong == AHEAD:
            with program.loop([4], [1], clauses="pipeline(2)", stem="p") as _:
                made = program.hold_shared(element, box, 1)
                ahead = program.stage(made, [0] * space.rank, space.part)
                program.store(ahead, target, space.outer)
            return
        with program.loop([rounds], [1], "smem", stem="q"):
            if not early:
                shared = program.hold_shared(element, box, draw([0, 1, -3]))
            make(shared)
            # What is multiplied again and again in few bits says nothing in the end.
            if draw([False, False, True]) and not wrong and (rounds == 1 or element not in FLOATS):
                with space.lanes("smem") as lanes:
                    part = program.part(shared, lanes, space.part)
                    program.elementwise([], [part], draw_map(draw, [], [part], space.rank))
            read(shared)
