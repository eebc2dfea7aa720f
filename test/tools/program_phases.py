"""Families of nests of several phases: shared scratch, steps in time, reading back, several stores, scans.

Each is a function of (program, draw, wrong), as in program_maps.py. What one thread loop wrote, all threads of the block
see after it; other blocks do not. Iterations of one loop on units see nothing of each other.
"""

from program_bodies import draw_map, simple
from program_maps import STRIDES, bring
from program_scalars import FLOATS
from program_space import Space
from program_tree import Sum

ELEMENTS = ["f32", "i32", "f64", "i16", "i8"]


def plus(element):
    return "arith.addf" if element in FLOATS else "arith.addi"


def add_all(element, inputs, outs=1):
    """A body that adds up all of its inputs, and what one output held where there is none."""
    arguments = [(f"x{n}", element) for n in range(inputs)] + [(f"y{n}", element) for n in range(outs)]
    if inputs < 2:
        return simple(arguments, [(plus(element), "x0" if inputs else "y0", "y0" if inputs else 1)])
    steps = [(plus(element), "x0", "x1")] + [(plus(element), f"v{n}", f"x{n + 2}") for n in range(inputs - 2)]
    return simple(arguments, steps)


def scratch_family(program, draw, wrong=None):
    """Tiles in shared memory that threads change in place, each its own elements, in several thread loops; a neighbour's
    element is read from another tile, or in another loop."""
    space = Space(program, draw, rank=1, parts=(1, 1, 2), several=bool(wrong))
    if wrong:
        space.threads, space.part, space.unroll = [max(4, space.threads[0])], [1], [1]
        space.set_tile()
    element = draw(ELEMENTS)
    source = program.operand(element, space.sizes, draw(STRIDES), name="A")
    other = program.operand(element, space.sizes, draw(STRIDES), name="B")
    target = program.operand(element, space.sizes, draw(STRIDES), name="Y")
    pad = draw(["zero", None, "clamp", "wrap"])
    wide = space.tile[0] + 2
    with space.blocks() as outer:
        first = program.stage(source, outer, [wide], "smem", pad)
        second = program.stage(other, outer, [wide], "smem", pad)
        tiles = [first, second]

        def phase(number):
            with space.lanes("smem") as lanes:
                own = program.part(tiles[number % 2], lanes, space.part)
                form = draw(["own", "neighbour", "copy"]) if not wrong else "mistake"
                if form == "own":
                    program.elementwise([], [own], draw_map(draw, [], [own], 1))
                    return
                shifted = [lanes[0] + draw([1, 2])]
                if form == "mistake":
                    near = program.stage(tiles[number % 2], shifted, space.part)
                elif form == "neighbour":
                    near = program.part(tiles[(number + 1) % 2], shifted, space.part)
                else:
                    near = program.stage(tiles[(number + 1) % 2], shifted, space.part)
                program.elementwise([near], [own], add_all(element, 1))

        steps = draw([1, 2, 3])
        if draw([False, True]) and not wrong:
            with program.loop([steps], [1], "smem", stem="q"):
                phase(0)
                phase(1)
        else:
            for number in range(steps):
                phase(number)
        with space.lanes("smem") as lanes:
            program.store(program.stage(draw(tiles), lanes, space.part), target, space.at(lanes))


def steps_family(program, draw, wrong=None):
    """Steps in time from one operand to another and back, with neighbours: in one block that holds all of them, or where
    a block reads only what it wrote itself."""
    across = wrong == "steps across blocks"
    alone = not wrong and draw([True, True, False])
    space = Space(program, draw, rank=1, alone=alone, parts=(1, 1, 2), several=bool(wrong))
    element = draw(["f32", "i32", "f64"])
    first = program.operand(element, space.sizes, draw(STRIDES), name="A")
    second = program.operand(element, space.sizes, draw(STRIDES), name="B")
    taps = draw([[0, 1], [-1, 0], [-1, 0, 1], [1]]) if alone or across else [0]
    how = draw(["rf", "part"])
    if wrong == "steps in one thread loop":
        first, second, taps = first, first, [0, 1]
    repeat = draw([2, 3, 1])

    def step(source, target):
        with space.lanes() as lanes:
            ins = []
            for tap in taps:
                at = [space.at(lanes)[0] + tap]
                ins.append(program.stage(source, at, space.part, pad=pad) if how == "rf" or pad else
                           program.part(source, at, space.part))
            out = program.hold(element, space.part, 0)
            program.elementwise(ins, [out], add_all(element, len(ins)))
            program.store(out, target, space.at(lanes))

    pad = draw([None, "zero", "clamp"])
    if pad == "clamp" and not (alone or wrong):
        program.must = "either"  # Which block an absent element is read from is more than the rule follows.
    with space.blocks():
        if draw([True, False]):
            with program.loop([repeat], [1], stem="q"):
                step(first, second)
                step(second, first)
        else:
            for number in range(repeat + 1):
                step(*((first, second) if number % 2 == 0 else (second, first)))


def readback_family(program, draw, wrong=None):
    """A second thread loop reads from DRAM what the first wrote: mirrored or turned within the block's own tile, or
    beyond it."""
    rank = 1 if wrong else draw([1, 2])
    space = Space(program, draw, rank=rank, alone=not wrong and draw([True, False]), parts=(1,), several=bool(wrong))
    if rank == 2:
        space.threads, space.unroll, space.warps = [space.threads[0]] * 2, [1, 1], [1, 1]
        space.set_tile()
        space.sizes = [program.size(draw([tile, tile - 1, 1])) if space.alone else program.size(draw([2 * tile, tile, 3 * tile + 1]))
                       for tile in space.tile]
        program.sizes = {name: value for name, value in program.sizes.items() if name in space.sizes}
    element = draw(ELEMENTS)
    source = program.operand(element, space.sizes, draw(STRIDES), name="A")
    middle = program.operand(element, space.sizes, draw(STRIDES), name="B")
    target = program.operand(element, space.sizes, draw(STRIDES), name="Y")
    with space.blocks() as outer:
        with space.lanes() as lanes:
            tile = bring(program, draw, source, space, lanes, how="rf")
            program.elementwise([], [tile], draw_map(draw, [], [tile], rank))
            program.store(tile, middle, space.at(lanes))
        if draw([False, True]):
            shared = program.stage(middle, outer, space.tile, "smem") if not wrong else None
        else:
            shared = None
        with space.lanes() as lanes:
            if wrong:  # What the next block writes, or will write.
                at = [outer[0] + lanes[0] + draw([1, space.tile[0], -space.tile[0]])]
            elif rank == 2:
                at = [(Sum() if shared else outer[n]) + lanes[1 - n] for n in range(2)]
            else:
                at = [(Sum() if shared else outer[0]) + space.tile[0] - 1 - lanes[0]]
            tile = program.stage(shared or middle, at, space.part)
            if draw([True, False]):
                # Elements that are absent there are not stored here: other coordinates, so it may be refused.
                program.must = wrong or "either"
                program.elementwise([], [tile], draw_map(draw, [], [tile], rank))
                program.store(tile, target, space.at(lanes))
            else:
                out = program.hold(element, space.part, 1)
                program.elementwise([tile], [out], draw_map(draw, [tile], [out], rank))
                program.store(out, target, space.at(lanes))


def stores_family(program, draw, wrong=None):
    """Two stores to one operand: apart by strides or by shifts, or one after the other in one block; elements that two
    iterations of one loop write are a mistake."""
    space = Space(program, draw, rank=1, alone=not wrong and draw([True, False]), parts=(1,), several=bool(wrong))
    element = draw(ELEMENTS)
    size = space.values[0]
    source = program.operand(element, space.sizes, draw(STRIDES), name="A")
    double = program.size(2 * size + 4)
    target = program.operand(element, [double], draw(STRIDES), name="Y")
    form = wrong or draw(["interleaved", "again", "beside"] + (["mirrored"] if space.alone else []))
    with space.blocks() as outer:
        with space.lanes() as lanes:
            at = space.at(lanes)[0]
            tile = bring(program, draw, source, space, lanes, how="rf")
            other = program.hold(element, [1], draw([5, 0]))
            program.elementwise([tile], [other], add_all(element, 1))
            if draw([True, False]):
                copy = program.hold(element, [1], draw([0, 7]))
                program.elementwise([tile], [copy], add_all(element, 1))
                tile = copy
            else:  # What is absent is not stored, at other coordinates: it may be refused.
                program.must = wrong or "either"
            if form == "interleaved":
                program.store(tile, target, [at * 2])
                program.store(other, target, [at * 2 + 1])
            elif form == "again":
                program.store(tile, target, [at])
                program.store(other, target, [at])
            elif form == "beside":  # Tiles of blocks, twice as far apart.
                program.store(tile, target, [outer[0] * 2 + lanes[0]])
                program.store(other, target, [outer[0] * 2 + lanes[0] + space.tile[0]])
            elif form == "mirrored":
                program.store(tile, target, [at])
            elif wrong == "two stores in one thread loop":
                program.store(tile, target, [at])
                program.store(other, target, [at + 1])
            else:  # Across blocks: the second thread loop writes into the next block's part.
                program.store(tile, target, [at])
        if form == "mirrored" or wrong == "two stores across blocks":
            with space.lanes() as lanes:
                read = bring(program, draw, source, space, lanes, how="rf")
                tile = program.hold(element, [1], draw([0, 3]))
                program.elementwise([read], [tile], add_all(element, 1))
                if wrong:
                    program.store(tile, target, [space.at(lanes)[0] + draw([1, space.tile[0]])])
                else:
                    program.store(tile, target, [space.tile[0] - 1 - lanes[0]])


def scan_family(program, draw, wrong=None):
    """Running sums along rows: a thread walks its row in time. Shared out over threads, one reads what another writes."""
    rows, columns = draw([8, 3, 1, 9]), draw([5, 8, 1, 0, 17])
    if wrong:
        columns = 17
    element = draw(["f32", "i32", "f64", "i64"])
    sizes = [program.size(rows), program.size(columns)]
    source = program.operand(element, sizes, draw(STRIDES), name="A")
    target = source if draw([False, False, True]) else program.operand(element, sizes, draw(STRIDES), name="Y")
    threads = draw([4, 8, 2])
    form = "read" if wrong else draw(["hold", "read"])
    ins = [[Sum({"d0": 1}), Sum({"d1": 1})]] * 2
    with program.loop([sizes[0]], [threads], unit="block", stem="b") as (block,):
        if wrong:
            with program.loop([4], [1], unit="thread", stem="t") as (column,):
                with program.loop([threads], [1], stem="q") as (row,):
                    with program.loop([sizes[1]], [4], stem="q") as (outer,):
                        before = program.part(target, [block + row, outer + column - 1], [1, 1])
                        here = program.part(target, [block + row, outer + column], [1, 1])
                        program.compute([before], [here], ins, add_all(element, 1))
            return
        with program.loop([threads], [1], unit="thread", stem="t") as (row,):
            if form == "hold":
                total = program.hold(element, [1, 1], draw([0, 3]))
                with program.loop([sizes[1]], [1], stem="q") as (column,):
                    value = program.stage(source, [block + row, column], [1, 1])
                    program.elementwise([value], [total], add_all(element, 1))
                    program.store(total, target, [block + row, column])
                return
            with program.loop([sizes[1]], [1], stem="q") as (column,):
                if target is not source:
                    value = program.stage(source, [block + row, column], [1, 1])
                    program.store(value, target, [block + row, column])
                before = program.part(target, [block + row, column - 1], [1, 1])
                here = program.part(target, [block + row, column], [1, 1])
                program.compute([before], [here], ins, add_all(element, 1))


def ahead_family(program, draw, wrong=None):
    """A pipelined loop copies ahead what nobody writes in it."""
    tile, threads = draw([16, 8, 32]), draw([8, 4])
    element = draw(["f32", "i32", "f16", "bf16", "i8", "f64"])
    size = program.size(draw([3 * tile, 2 * tile + 1, tile, 1]) if not wrong else 5 * tile)
    source = program.operand(element, [size], "inner", name="A")
    target = source if wrong else program.operand(element, [size], draw(STRIDES), name="Y")
    depth = draw([2, 3])
    with program.loop([1], [1], unit="block", stem="b"):
        total = program.hold(element, [tile], 0)
        with program.loop([size], [tile], clauses=f"pipeline({depth})", stem="q") as (step,):
            shared = program.stage(source, [step], [tile], "smem", draw(["zero", "zero", "clamp", "reflect", "wrap"]))
            with program.loop([tile], [tile // threads], "smem", "thread", stem="t") as (lane,):
                sums = program.part(total, [lane], [tile // threads])
                value = program.stage(shared, [lane], [tile // threads])
                program.elementwise([value], [sums], add_all(element, 1))
                if wrong:
                    # The next step's elements, which are under way.
                    program.store(sums, target, [step + lane + tile])
                elif draw([True, False]):
                    program.store(value, target, [step + lane])
        if not wrong:
            program.store(total, target, [0])


def combine_family(program, draw, wrong=None):
    """Stores that add to what is there, from blocks and threads in any order; beside a store that replaces it, a mistake."""
    element = draw(["f32", "i32"])
    rows, columns = draw([9, 4, 1, 0]), draw([8, 3, 17])
    if wrong:
        rows, columns = 9, 17
    sizes = [program.size(rows), program.size(columns)]
    source = program.operand(element, sizes, draw(STRIDES), name="A")
    target = program.operand(element, [sizes[1]], draw(STRIDES), name="Y")
    across = draw(["block", "thread"])
    threads = draw([4, 8])
    with program.loop([sizes[0]], [1 if across == "block" else threads], unit="block", stem="b") as (block,):
        extents, steps = ([threads], [1]) if across == "block" else ([threads, 4], [1, 1])
        with program.loop(extents, steps, unit="thread", stem="t") as lanes:
            row = block if across == "block" else block + lanes[0]
            lane, width = (lanes[0], threads) if across == "block" else (lanes[1], 4)
            with program.loop([sizes[1]], [width], stem="q") as (outer,):
                value = program.stage(source, [row, outer + lane], [1, 1])
                out = program.hold(element, [1], 0)
                maps = [[Sum({"d0": 1}), Sum({"d1": 1})], [Sum({"d1": 1})]]
                program.compute([value], [out], maps, add_all(element, 1), loops=2)
                program.store(out, target, [outer + lane], combine="add")
                if wrong:
                    program.store(out, target, [outer + lane])
