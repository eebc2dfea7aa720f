"""The family of nests that say where their tiles lie in shared memory."""

import math

from program_bodies import draw_map
from program_scalars import width
from program_space import Space, loops_of

OVERLAP, MISSING, ODD = "tiles in one place", "tile without a place", "place of a tile that is odd"
MISTAKES = [OVERLAP, MISSING, ODD]


def places_family(program, draw, wrong=None):
    """Y = f(X0, X1, ..) of tiles in shared memory, in any order and with gaps between them."""
    space = Space(program, draw)
    element = draw(["f32", "i32", "f64", "i8"])
    inputs = [program.operand(draw([element, "f32", "i8", "f64"]), space.sizes) for _ in range(draw([2, 3, 4] if wrong else [2, 1, 3, 4]))]
    result = program.operand(element, space.sizes, name="Y")
    with space.blocks() as outer:
        shared, stages = [], []
        for operand in inputs:
            shared.append(program.stage(operand, outer, space.tile, "smem"))
            stages.append(program.open_body[-1])
        order, end = list(stages), 0
        for number in range(len(order) - 1, 0, -1):
            other = draw(list(range(number + 1)))
            order[number], order[other] = order[other], order[number]
        for stage in order:
            gap = draw([0, 0, 1, 7, 300])
            stage.at = end + 128 * (gap if end < 64 << 10 else 0)  # The smallest machine has 96 KiB.
            end = stage.at + math.ceil(math.prod(stage.tile.shape) * width(stage.tile.element) / 8 / 128) * 128
        if wrong == OVERLAP:
            order[-1].at = order[0].at
        elif wrong == MISSING:
            draw(stages).at = None
        elif wrong == ODD:
            draw(stages).at += draw([64, 4, 1])
        with space.lanes("smem") as lanes:
            ins = [program.stage(tile, lanes, space.part) if draw([True, False]) else program.part(tile, lanes, space.part) for tile in shared]
            out = program.hold(element, space.part, 0)
            program.compute(ins, [out], [loops_of(space.rank)] * (len(ins) + 1), draw_map(draw, ins, [out], space.rank))
            program.store(out, result, space.at(lanes))
