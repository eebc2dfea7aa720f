"""The family of nests whose threads combine with elements of a tile that their block holds in shared memory: histograms of each block, added up in DRAM."""

from program_bodies import draw_map
from program_maps import STRIDES
from program_space import Space

READ, KINDS, REPLACED, PART, FLOATS, BESIDE, UNSAID, SAID = ("counts read in their loop", "counts of two kinds", "counts that are replaced", "counts in a part", "bits of floats",
                                                             "a store beside counts", "sums in an order that nothing says", "an order of what has none")
MISTAKES = [READ, KINDS, REPLACED, PART, FLOATS, BESIDE, UNSAID, SAID]


def count_family(program, draw, wrong=None):
    """Y[I[i]] += f(X[i]) along one dimension, or Y[0] += f(X[i]): what a block has of it in shared memory, that then in DRAM."""
    space = Space(program, draw, parts=(1, 1, 2, 4) if not wrong else (1, 1, 2), several=bool(wrong))
    if wrong:
        space.threads, space.unroll = [max(4, count) for count in space.threads], [1] * space.rank
        space.set_tile()
    along = draw(list(range(space.rank)))
    element = draw(["i32", "i32", "f32", "f64"]) if not wrong else "f32" if wrong in (FLOATS, UNSAID) else "i32"
    kinds = ["add", "max", "min", "and", "or", "xor"] if element == "i32" else ["add"]
    kind = draw(kinds)
    bins = draw([7, 1, 40, 3])
    scatters = bool(wrong) or draw([True, True, False])
    counts = [bins if n == along else tile for n, tile in enumerate(space.tile)]
    source = program.operand(element, space.sizes, draw(STRIDES), name="A")
    numbered = space.sizes[along] if wrong or not draw([False, False, True]) else program.size(max(space.values[along] - draw([1, 4]), 0))
    indices = program.operand("i32", [numbered], draw(["compact", "all"]), name="I")
    indices.numbers = bins
    target = program.operand(element, [bins if n == along else size for n, size in enumerate(space.sizes)], draw(STRIDES), name="Y")
    rounds = draw([1, 1, 2])
    early = draw([False, True])
    init = draw([0, 1, -3])

    def count(shared):
        with space.lanes("smem") as lanes:
            ones = draw([True, False])
            value = program.hold(element, space.part, draw([1, 2])) if ones else program.stage(source, space.at(lanes), space.part, pad="zero")
            if draw([True, False]):
                program.elementwise([], [value], draw_map(draw, [], [value], space.rank))
            place = [space.at(lanes)[n] if n == along else lane for n, lane in enumerate(lanes)]
            dest, scatter = shared, (indices, along)
            if wrong == PART:
                dest = program.part(shared, [0] * space.rank, counts)
            if not scatters:  # All of a part in one place.
                scatter, part = None, [min(size, bins) if n == along else size for n, size in enumerate(space.part)]
                value = value if part == space.part else program.hold(element, part, 1)
                place = [draw([0, bins - part[along]]) if n == along else lane for n, lane in enumerate(lanes)]
            if wrong == BESIDE:
                near = [0 if n == along else lane for n, lane in enumerate(lanes)]
                program.store(program.hold(element, [1 if n == along else size for n, size in enumerate(space.part)], 1), shared, near)
            program.store(value, dest, place, combine=None if wrong == REPLACED else "or" if wrong == FLOATS else kind, scatter=scatter, mistaken=wrong in (UNSAID, SAID))
            if wrong == KINDS:
                program.store(value, dest, place, combine="add" if kind != "add" else "max", scatter=scatter)
            if wrong == READ:
                seen = program.stage(shared, [0 if n == along else lane for n, lane in enumerate(lanes)], [1 if n == along else size for n, size in enumerate(space.part)])
                program.store(seen, target, [0 if n == along else at for n, at in enumerate(space.at(lanes))], combine="add")

    def add(shared):
        steps = [1 if n == along else tile for n, tile in enumerate(space.tile)]
        with program.loop(counts, steps, "smem", "thread", stem="c") as at:
            held = program.stage(shared, at, steps)
            program.store(held, target, [place if n == along else outer + place for n, (outer, place) in enumerate(zip(space.outer, at))], combine=kind)

    with space.blocks():
        shared = program.hold_shared(element, counts, init) if early else None
        with program.loop([rounds], [1], "smem", stem="q"):
            if not early:
                shared = program.hold_shared(element, counts, init)
            count(shared)
            if not wrong and draw([False, True]):  # Again, with no barrier in between.
                count(shared)
            add(shared)
