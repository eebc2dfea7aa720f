"""Families of nests without reductions: maps, updates in place, stencils, conditions, large numbers in subscripts.

Each family is a function of (program, draw, wrong): it builds a program that is right, or one with the mistake `wrong`.
`draw` chooses from a list whose first entry is the simplest.
"""

from program_bodies import draw_map, simple
from program_scalars import Body, FLOATS
from program_space import Space, loops_of
from program_tree import Sum

ALL_TYPES = ["f32", "i32", "f64", "i8", "i16", "i64", "f16", "bf16"]
STRIDES = ["inner", "compact", "all"]


def bring(program, draw, source, space, lanes, permutation=None, how=None, shared=None, offset=0, pad=None):
    """A thread's elements of an operand: staged in registers, or named where they lie. `permutation` are the dimensions
    of the space that the operand has, in its order."""
    permutation = permutation or list(range(space.rank))
    at, shape = [(lanes if shared else space.at(lanes))[n] for n in permutation], [space.part[n] for n in permutation]
    at[0] = at[0] + offset
    how = how or draw(["rf", "part"])
    source = shared or source
    return program.stage(source, at, shape, pad=pad) if how == "rf" else program.part(source, at, shape)


def map_family(program, draw, wrong=None):
    """Y = f(X0, X1, ..), element by element, in all types; inputs permuted or with fewer dimensions."""
    space = Space(program, draw)
    element = draw(ALL_TYPES)
    program.wide = draw([False, False, True])
    inputs = []
    for _ in range(draw([1, 2, 3])):
        kind = draw([element, element, draw(ALL_TYPES)])
        dims = draw([list(range(space.rank)), list(range(space.rank)), list(reversed(range(space.rank))), [space.rank - 1]])
        how = draw(["rf", "part", "smem+rf", "smem+part"])
        inputs.append((program.operand(kind, [space.sizes[n] for n in dims], draw(STRIDES)), dims, how))
    result = program.operand(element, space.sizes, draw(STRIDES), name="Y")
    loops = loops_of(space.rank)
    with space.blocks() as outer:
        shared = {}
        for operand, dims, how in inputs:
            if how.startswith("smem"):
                shared[operand.name] = program.stage(operand, [outer[n] for n in dims], [space.tile[n] for n in dims], "smem")
        with space.lanes() as lanes:
            ins = [bring(program, draw, operand, space, lanes, dims, how.split("+")[-1], shared.get(operand.name))
                   for operand, dims, how in inputs]
            maps = [[loops[n] for n in dims] for _, dims, _ in inputs]
            form = draw(["part", "hold", "stage"])
            if form == "part":
                out = program.part(result, space.at(lanes), space.part)
            elif form == "stage":  # What was there may be read, or written over.
                out = program.stage(result, space.at(lanes), space.part)
            else:
                out = program.hold(element, space.part, draw([0, 1, -3]))
            scalar = (program.scalar(element, draw([2, -3, 1])), element) if draw([False, False, True]) else None
            body = draw_map(draw, ins, [out], space.rank, program.wide, draw([False, False, True]), draw([2, 1, 3]), scalar)
            if wrong:
                break_body(program, body, wrong, inputs[0][0])
            program.compute(ins, [out], maps + [loops], body)
            if form != "part":
                program.store(out, result, space.at(lanes))


# What a body may not hold, as text; {result} is a new value.
FOREIGN = {
    "memref.load": ("arith.constant 0 : index", "memref.load %{operand}[{zeros}] : {type}"),
    "memref.alloca": (None, "memref.alloca() : memref<4xf32>"),
    "tile.hold": (None, "tile.hold init(0.0 : f32) : memref<4xf32, #tile.level<rf>>"),
    "tile.stage": (None, "tile.stage %{operand}[{constants}] : {type} to memref<{ones}{element}, #tile.level<rf>>"),
}


def break_body(program, body, wrong, operand):
    """Puts an op into a body that is no scalar op."""
    rank = len(operand.shape)
    before, text = FOREIGN[wrong.split(" ")[-1]]
    zero = None
    if before:
        zero = body.add("raw", [], "index", "{result} = " + before)
    text = text.format(operand=operand.name, zeros=", ".join([f"%{zero}"] * rank), type=operand.type,
                       constants=", ".join(["0"] * rank), ones="1x" * rank, element=operand.element)
    body.add("raw", [], operand.element, "{result} = " + text)


def inplace_family(program, draw, wrong=None):
    """A = f(A, B): one computation reads what it writes. By the same map and part, that is the meaning of its body."""
    space = Space(program, draw, rank=2 if wrong == "ins = outs by another map" else None,
                  parts=(2, 4) if wrong else (1, 1, 2, 4))
    element = draw(ALL_TYPES)
    updated = program.operand(element, space.sizes, draw(STRIDES), name="Y")
    other = program.operand(element, space.sizes, draw(STRIDES))
    loops = loops_of(space.rank)
    if wrong == "ins = outs by another map":
        space.part = [max(space.part)] * 2
        space.set_tile()
    with space.blocks() as outer:
        level = draw(["dram", "smem"] if wrong == "ins = outs by another part" else ["dram", "rf", "smem"])
        shared = program.stage(updated, outer, space.tile, "smem") if level == "smem" else None
        with space.lanes() as lanes:
            if level == "dram":
                target = program.part(updated, space.at(lanes), space.part)
            elif level == "rf":
                target = program.stage(updated, space.at(lanes), space.part)
            else:
                target = program.part(shared, lanes, space.part)
            ins, maps, source = [target], [loops], target
            if wrong == "ins = outs by another part":
                # One element of the part that is written, for all of its points.
                source = program.part(target, [0] * space.rank, [1] * space.rank)
                maps = [[Sum()] * space.rank]
                ins = [source]
            elif wrong == "ins = outs by another map":
                maps = [list(reversed(loops))]
            if draw([False, True]):
                ins.append(bring(program, draw, other, space, lanes))
                maps.append(loops)
            body = draw_map(draw, ins, [target], space.rank)
            if wrong:
                body = simple([(name, kind) for name, kind in body.arguments],
                              [("arith.addf" if element in FLOATS else "arith.addi", "x0", "y0")])
            program.compute(ins, [target], maps + [loops], body)
            if level == "rf":
                program.store(target, updated, space.at(lanes))
        if level == "smem":
            with space.lanes("smem") as lanes:
                program.store(program.stage(shared, lanes, space.part), updated, space.at(lanes))


def stencil_family(program, draw, wrong=None):
    """Y[i] = f(X[i - 1], X[i], X[i + 1]): neighbours of another operand. In place it depends on who is first."""
    # A mistake needs several iterations.
    space = Space(program, draw, parts=(1, 1, 2), several=bool(wrong))
    element, sizes = draw(["f32", "i32", "f64"]), space.sizes
    source = program.operand(element, sizes, draw(STRIDES), name="A")
    target = source if wrong else program.operand(element, sizes, draw(STRIDES), name="Y")
    axis = draw(list(range(space.rank)))
    # Threads may be fewer than a wider stencil reaches past.
    taps = draw([[-1, 0, 1], [0, 1], [-1, 0]] + [[-2, 0, 2]] * (not wrong))
    loops = loops_of(space.rank)
    # Across blocks: all of a block's elements are there before it writes, but not before its neighbours do.
    across_blocks = wrong == "in-place stencil across blocks"
    if across_blocks:
        space.on_block = [n == axis or on for n, on in enumerate(space.on_block)]
    pad = draw([None, "zero", "clamp", "reflect", "wrap"])
    how = "halo" if across_blocks else draw(["shifted", "halo"]) if not wrong else "shifted"
    with space.blocks() as outer:
        if how == "halo":
            reach = max(taps) - min(taps)
            box = [tile + reach * (n == axis) for n, tile in enumerate(space.tile)]
            shared = program.stage(source, [o + min(taps) * (n == axis) for n, o in enumerate(outer)], box, "smem", pad)
        with space.lanes("smem" if how == "halo" else "dram") as lanes:
            ins = []
            for tap in taps:
                if how == "halo":
                    at = [lane + (tap - min(taps)) * (n == axis) for n, lane in enumerate(lanes)]
                    ins.append(program.stage(shared, at, space.part) if draw([True, False]) else
                               program.part(shared, at, space.part))
                else:
                    at = [place + tap * (n == axis) for n, place in enumerate(space.at(lanes))]
                    ins.append(program.stage(source, at, space.part, pad=pad))
            out = program.hold(element, space.part, 0)
            program.compute(ins, [out], [loops] * (len(ins) + 1), draw_map(draw, ins, [out], space.rank, depth=draw([2, 3])))
            if wrong:  # Every neighbour counts.
                add = "arith.addf" if element in FLOATS else "arith.addi"
                steps = [(add, "x0", "x1")] + [(add, f"v{n}", f"x{n + 2}") for n in range(len(ins) - 2)]
                arguments = [(f"x{n}", element) for n in range(len(ins))] + [("y0", element)]
                program.open_body[-1].body = simple(arguments, steps)
            program.store(out, target, space.at(lanes))


def condition_family(program, draw, wrong=None):
    """scf.if on a scalar argument or on an induction variable, around computations and stores."""
    space = Space(program, draw)
    element = draw(["f32", "i32"])
    source = program.operand(element, space.sizes, draw(STRIDES))
    target = program.operand(element, space.sizes, draw(STRIDES), name="Y")
    loops = loops_of(space.rank)
    kind = draw(["scalar", "block", "thread"])
    scalar = program.scalar("f32", draw([1.0, 0.0, -0.5])) if kind == "scalar" else None
    body = lambda ins, out: draw_map(draw, ins, [out], space.rank)  # noqa: E731

    def decide(lanes):
        if kind == "scalar":
            return program.condition(draw(["oeq", "une", "olt"]), scalar, 0.0, "f32")
        of = draw(list(range(space.rank)))
        value = space.outer[of] if kind == "block" else (lanes[of] if draw([True, False]) else space.at(lanes)[of])
        limit = space.tile[of] * (kind == "block") or max(1, space.tile[of] // 2)
        return program.condition(draw(["slt", "sge", "eq", "ne", "ult"]), value, limit)

    with space.blocks():
        with space.lanes() as lanes:
            tile = bring(program, draw, source, space, lanes, how="rf")
            form = draw(["compute", "store", "stage"])
            if form == "store":
                with decide(lanes) as statement:
                    program.elementwise([], [tile], body([], tile))
                    program.store(tile, target, space.at(lanes))
                if draw([False, True]):
                    with program.inside(statement.otherwise):
                        program.elementwise([], [tile], body([], tile))
                        program.store(tile, target, space.at(lanes))
                return
            out = program.hold(element, space.part, 1)
            with decide(lanes) as statement:
                ins = [bring(program, draw, target, space, lanes)] if form == "stage" else [tile]
                program.compute(ins, [out], [loops, loops], body(ins, out))
            if draw([False, True]):
                with program.inside(statement.otherwise):
                    program.elementwise([tile], [out], body([tile], out))
            if draw([True, False]):
                program.elementwise([tile], [out], body([tile], out))
            program.store(out, target, space.at(lanes))


HUGE = [1 << 22, 1 << 31, (1 << 31) - 1, 1 << 32, 1 << 40, -(1 << 31), -(1 << 32)]


def huge_family(program, draw, wrong=None):
    """Numbers past 32 bits in subscripts and steps: most of what they reach is absent."""
    element = draw(["f32", "i32"])
    size = program.size(draw([37, 5, 64]))
    source = program.operand(element, [size], draw(STRIDES))
    target = program.operand(element, [size], draw(STRIDES), name="Y")
    form = draw(["factor", "shift", "step", "both"])
    threads, number = draw([8, 4]), draw(HUGE)
    with program.loop([size], [threads], unit="block", stem="b") as (block,):
        with program.loop([threads], [1], unit="thread", stem="t") as (thread,):
            held = program.hold(element, [1], 0)
            body = simple([("x0", element), ("y0", element)], [("arith.addf" if element in FLOATS else "arith.addi", "y0", "x0")])

            def add(subscript):
                tile = (program.stage(source, [subscript], [1], pad=draw([None, None, "zero"])) if draw([True, False]) else
                        program.part(source, [subscript], [1]))
                program.elementwise([tile], [held], body)

            if form == "factor":
                add(block * abs(number) + thread)
            elif form == "shift":
                add(block + thread + number)
            elif form == "step":
                with program.loop([size], [abs(number)], stem="q") as (step,):
                    add(step + thread)
            else:
                with program.loop([draw([3, 2])], [1], stem="q") as (step,):
                    add(step * abs(number) + block + thread)
                    add(block * number + thread * -number)
            add(block + thread)
            program.store(held, target, [block + thread])


def copies_family(program, draw, wrong=None):
    """Several computations and stores: two outputs, permuted, through shared memory."""
    space = Space(program, draw)
    element = draw(ALL_TYPES)
    source = program.operand(element, space.sizes, draw(STRIDES))
    turned = list(reversed(range(space.rank)))
    first = program.operand(element, space.sizes, draw(STRIDES), name="Y")
    second = program.operand(element, [space.sizes[n] for n in turned], draw(STRIDES), name="Z")
    loops = loops_of(space.rank)
    with space.blocks() as outer:
        if wrong == "tiles of extent 0":
            level = draw(["smem", "rf"])
            program.stage(source, outer, [0] + space.tile[1:], level)
        shared = program.stage(source, outer, space.tile, "smem", draw([None, "clamp", "wrap"])) if draw([True, False]) else None
        with space.lanes() as lanes:
            tile = bring(program, draw, source, space, lanes, how="rf", shared=shared)
            out = program.part(second, [space.at(lanes)[n] for n in turned], [space.part[n] for n in turned])
            program.compute([tile], [out], [loops, [loops[n] for n in turned]], draw_map(draw, [tile], [out], space.rank))
            program.elementwise([], [tile], draw_map(draw, [], [tile], space.rank))
            program.store(tile, first, space.at(lanes))
            if draw([False, True]):
                program.elementwise([], [tile], draw_map(draw, [], [tile], space.rank))
                program.store(tile, first, space.at(lanes))


def pieces_family(program, draw, wrong=None):
    """Shared tiles staged piece by piece: in a loop that is written out, or over time, around or inside of which threads run."""
    element, unit = draw(ALL_TYPES), draw(["unroll", ""])
    pieces, threads, part = draw([2, 4]), draw([8, 16]), draw([1, 2])
    piece = threads * part
    size = program.size(draw([2 * pieces * piece + 1, pieces * piece, piece + 1, 1, 0]))
    source = program.operand(element, [size], draw(STRIDES))
    target = program.operand(element, [size], draw(STRIDES), name="Y")
    with program.loop([size], [pieces * piece], unit="block", stem="b") as (block,):
        with program.loop([pieces * piece], [piece], unit=unit, stem="q") as (number,):
            shared = program.stage(source, [block + number], [piece], "smem", draw([None, "zero"]))
            with program.loop([piece], [part], "smem", "thread", stem="t") as (lane,):
                value = program.stage(shared, [lane], [part])
                program.elementwise([], [value], draw_map(draw, [], [value], 1))
                program.store(value, target, [block + number + lane])


NAMED = {"add": ("addf", "addi"), "sub": ("subf", "subi"), "mul": ("mulf", "muli"), "max": ("maximumf", "maxsi"),
         "min": ("minimumf", "minsi")}


def named_family(program, draw, wrong=None):
    """Ops of linalg that have names: what two operands make, copies, transposes, products of matrices."""
    space = Space(program, draw, rank=2)
    element = draw(["f32", "i32", "f64"])
    turned = draw([False, True])
    first = program.operand(element, space.sizes, draw(STRIDES))
    second = program.operand(element, space.sizes, draw(STRIDES))
    target = program.operand(element, space.sizes[::-1] if turned else space.sizes, draw(STRIDES), name="Y")
    x, other, y = ("x0", element), ("x1", element), ("y0", element)
    loops = loops_of(3)
    copy = Body([x, y]).give("x0")
    with space.blocks():
        with space.lanes() as lanes:
            left = bring(program, draw, first, space, lanes)
            right = bring(program, draw, second, space, lanes)
            out = program.hold(element, space.part, 1)
            if draw([False, False, True]):  # The thread's rows by as many of the second operand, which lie as columns.
                program.compute([left, right], [out], [[loops[0], loops[2]], [loops[2], loops[1]], loops[:2]],
                                simple([x, other, y], [("arith.mulf" if element in FLOATS else "arith.muli", "x0", "x1"), (
                                    "arith.addf" if element in FLOATS else "arith.addi", "y0", "v0")]),
                                ["parallel", "parallel", "reduction"])
                square = space.part[0] == space.part[1]
                program.open_body[-1].named = ("matmul", "")
                if not square:
                    program.open_body.pop()
            for _ in range(draw([1, 2])):
                name = draw(list(NAMED))
                body = simple([x, other, y], [("arith." + NAMED[name][element not in FLOATS], "x0", "x1")])
                program.elementwise([left, draw([right, out])], [out], body, (name, ""))
            if not turned:
                last = program.part(target, space.at(lanes), space.part)
                program.elementwise([out], [last], copy, ("copy", ""))
                return
            last = program.part(target, space.at(lanes)[::-1], space.part[::-1])
            program.compute([out], [last], [loops[:2], loops[1::-1]], copy)
            program.open_body[-1].named = ("transpose", " permutation = [1, 0]")


def forgotten_family(program, draw, wrong=None):
    """The result is held and never stored."""
    space = Space(program, draw)
    element = draw(["f32", "i32"])
    source = program.operand(element, space.sizes)
    program.operand(element, space.sizes, name="Y")
    with space.blocks():
        with space.lanes() as lanes:
            tile = bring(program, draw, source, space, lanes, how="rf")
            out = program.hold(element, space.part, 0)
            program.elementwise([tile], [out], draw_map(draw, [tile], [out], space.rank))
