"""The family of nests with an operand in constant memory: one element for all threads, or another for each, and what nobody may do with it."""

from program_bodies import draw_map
from program_maps import ALL_TYPES, STRIDES
from program_space import Space, loops_of
from program_tree import Sum

WRITTEN, SHARED = ("constant memory that is written", "constant memory that is staged to smem")
MISTAKES = [WRITTEN, SHARED]
# Elements of these types can be operands.
OPERANDS = [element for element in ALL_TYPES if element not in ("i16", "i64")]


def constant_family(program, draw, wrong=None):
    """Y = f(X, W), of which W lies in constant memory: read where it lies or staged to registers, all of it by each point, or an element by each."""
    space = Space(program, draw)
    element = draw(OPERANDS)
    spread = draw([False, True])  # Lanes read different elements.
    data = program.operand(draw([element, draw(OPERANDS)]), space.sizes, draw(STRIDES))
    constant = program.constant(draw([element, draw(OPERANDS)]), [space.tile[-1] if spread else 2])
    result = program.operand(element, space.sizes, draw(STRIDES), name="Y")
    loops = loops_of(space.rank)
    with space.blocks():
        shared = program.stage(constant, [0], constant.shape, "smem") if wrong == SHARED else None
        with space.lanes() as lanes:
            at, shape = ([lanes[-1]], [space.part[-1]]) if spread else ([draw([0, 1])], [1])
            if draw([True, False]):
                weight = program.stage(shared or constant, at, shape, pad=draw([None, "zero", "clamp", "wrap"]) if not shared else None)
            else:
                weight = program.part(shared or constant, at, shape)
            value = program.stage(data, space.at(lanes), space.part)
            out = program.hold(element, space.part, draw([0, 1]))
            body = draw_map(draw, [value, weight], [out], space.rank)
            program.compute([value, weight], [out], [loops, [loops[-1] if spread else Sum()], loops], body)
            program.store(out, result, space.at(lanes))
            if wrong == WRITTEN:
                held = program.hold(constant.element, shape, 1)
                program.store(held, constant, at)
