"""The family of nests whose operands indices number: rows gathered at each level, and added to rows that indices name."""

from program_bodies import draw_map
from program_maps import STRIDES
from program_phases import add_all
from program_space import Space

REPLACES, OTHERS, ABSENT, WRITTEN, TOUCHED = ("scatter that replaces", "gather of what others write", "absent indices", "indices that others write", "unique scatter beside another access")
MISTAKES = [REPLACES, OTHERS, ABSENT, WRITTEN, TOUCHED]


def gather_family(program, draw, wrong=None):
    """Y = f(X[I]), Y[I] += f(X), or Y[I] = f(X) by different indices, along one dimension, by indices of which some may be absent where a pad says what is there."""
    space = Space(program, draw, several=bool(wrong))
    along = draw(list(range(space.rank)))
    element = draw(["f32", "i32", "f64"])
    scatters = wrong in (REPLACES, TOUCHED) or (not wrong and draw([False, True, True]))
    unique = wrong == TOUCHED or (scatters and not wrong and draw([False, True]))
    rows = program.size(space.values[along] + draw([0, 1, 7])) if unique else space.sizes[along] if wrong == OTHERS else program.size(draw([5, 1, 3, 40]))
    # Not all of the nest's places have an index.
    short = wrong == ABSENT or (not wrong and draw([False, False, True]))
    numbered = program.size(max(space.values[along] - draw([1, 4]), 0)) if short else space.sizes[along]
    table = [rows if n == along else size for n, size in enumerate(space.sizes)]
    source = program.operand(element, space.sizes if scatters else table, draw(STRIDES), name="A")
    indices = program.operand("i32", [numbered], draw(["compact", "all"]), name="I")
    indices.numbers, indices.unique = program.extent(rows), unique
    target = source if wrong == OTHERS else program.operand(element, table if scatters else space.sizes, draw(STRIDES), name="Y")
    gather = (indices, along)
    pad = None if wrong == ABSENT or (scatters and not short and draw([True, False])) else "zero"
    with space.blocks() as outer:
        shared = None
        if not scatters and not wrong and draw([False, True]):
            shared = program.stage(source, outer, space.tile, "smem", pad=pad, gather=gather)
        with space.lanes() as lanes:
            if wrong == WRITTEN:
                ones = program.hold("i32", [space.part[along]], 0)
                program.store(ones, indices, [space.at(lanes)[along] + space.part[along]], combine="add")
            if shared:
                value = program.stage(shared, lanes, space.part)
            else:
                value = program.stage(source, space.at(lanes), space.part, pad=pad, gather=None if scatters else gather)
            if draw([True, False]) and wrong != ABSENT:
                program.elementwise([], [value], add_all(element, 0) if scatters else draw_map(draw, [], [value], space.rank))
            if wrong == TOUCHED:
                program.stage(target, space.at(lanes), space.part, pad="zero")
            program.store(value, target, space.at(lanes), combine="add" if scatters and not unique and wrong != REPLACES else None, scatter=gather if scatters else None,
                          clauses=" unique" if unique else "")
