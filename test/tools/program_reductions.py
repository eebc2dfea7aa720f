"""Families of nests that reduce: over threads, warps, blocks of a cluster; with absent elements; softmax; held tiles.

Each is a function of (program, draw, wrong), as in program_maps.py. What a loop with reduce(kind) does to the tile that is
held around it is an update by that kind; nobody reads a partial result in it.
"""

from program_bodies import BodyDrawer, draw_map, simple, start_of, update
from program_maps import STRIDES
from program_scalars import Body, FLOATS
from program_tree import Sum

KINDS = ["add", "max", "min", "mul"]
# Mistakes that are bodies: another kind's update, or none.
BODIES = {
    "another kind in the body": None,
    "partial sum twice": lambda body, add: body.add(add, [body.add(add, ["y0", "x0"], body.types["x0"]), "y0"], body.types["x0"]),
    "partial sum subtracted": lambda body, add: body.add(add.replace("add", "sub"), ["x0", "y0"], body.types["x0"]),
    "partial sum scaled": lambda body, add: body.add(add, [
        body.add(add.replace("add", "mul"), ["y0", body.constant(2, body.types["x0"])], body.types["x0"]), "x0"], body.types["x0"]),
    "partial sum replaced": lambda body, add: "x0",
}


def reducing_body(draw, kind, element, wrong):
    """y0 combined with a function of x0."""
    body = Body([("x0", element), ("y0", element)])
    add = "arith.addf" if element in FLOATS else "arith.addi"
    if wrong in BODIES and BODIES[wrong]:
        return body.give(BODIES[wrong](body, add))
    if wrong:
        kind = {"add": "max", "max": "add", "min": "max", "mul": "add", "maxnum": "max", "minnum": "maxnum"}[kind]
    value = "x0"
    if kind != "mul":
        drawer = BodyDrawer(draw, [("x0", element)], 0)
        drawer.body = body
        body.arguments = [("x0", element)]  # Of the input alone.
        value = drawer.exact(element, draw([0, 1, 2]))
        body.arguments = [("x0", element), ("y0", element)]
        if not (value == "x0" or any("x0" in step.operands for step in body.steps)):
            value = drawer.use(value, "x0")
    if kind == "add" and draw([False, False, True]):
        return body.give(body.add(add.replace("add", "sub"), ["y0", value], element))
    if draw([False, True]):
        result = body.add(update_name(kind, element), [value, "y0"], element)
    else:
        result = update(body, kind, "y0", value)
    return body.give(result)


def update_name(kind, element):
    body = Body([("y0", element)])
    update(body, kind, "y0", "y0")
    return body.steps[0].op


def reduce_family(program, draw, wrong=None):
    """S[i] or S[j] of X[i, j], over one or two induction variables of a loop on threads, inside or outside of a loop over
    time, from any start."""
    kind = draw(KINDS)
    element = draw(["f32", "i32", "f64", "i64", "i8"] if kind != "mul" else ["f32", "i32"])
    if kind in ("max", "min") and element in FLOATS:
        kind += draw(["", "num"])
    rows, columns = draw([5, 4, 1, 9]), draw([70, 33, 128, 3, 0])
    if kind == "mul" and element == "f32":
        columns = min(columns, 5)
    if wrong:
        rows, columns = max(rows, 4), 70
    sizes = [program.size(rows), program.size(columns)]
    source = program.operand(element, sizes, draw(STRIDES), name="A")
    result = program.operand(element, [sizes[0]], draw(STRIDES), name="S")
    threads, part = draw([32, 64]), draw([1, 2])
    maps = [[Sum({"d0": 1}), Sum({"d1": 1})], [Sum({"d0": 1})]]
    start = draw([start_of(kind, element)] * 2 + [1, 3, -2])
    several = draw([False, False, True])  # Two induction variables, one of which moves the part that is held.
    units = draw(["thread", "thread", "warp"])
    form = draw(["outside", "inside"])
    if units == "thread" and not wrong:
        threads = draw([threads, threads, 12, 20, 48])
    # Threads of the block beyond those that reduce have the result, too.
    beside = draw([0, 0, 0, 40, 96]) if not several and not wrong else 0

    def step(held, at):
        tile = (program.stage if draw([True, False]) else program.part)(source, at, [1, part])
        if wrong == "partial result read":
            seen = program.hold(element, [1], 0)
            program.elementwise([held], [seen], simple([("x0", element), ("y0", element)], [
                ("arith.addf" if element in FLOATS else "arith.addi", "x0", "y0")]))
            program.store(seen, result, [at[0]], combine="add")
        program.compute([tile], [held], maps, reducing_body(draw, kind, element, wrong), ["parallel", "reduction"])
        if wrong == "partial result stored":
            program.store(held, result, [at[0]], combine="add")

    def reducing(held, block, outer):
        if units == "warp" and not several:
            with program.loop([2 * threads], [threads], unit="warp", reduce=kind, stem="w") as (warp,):
                with program.loop([threads], [part], unit="thread", reduce=kind, stem="t") as (lane,):
                    yield [block, outer + warp + lane], held
        elif several:
            with program.loop([4, threads // 4 * part], [1, part], unit="thread", reduce=kind, stem="t") as (row, lane):
                yield [block + row, outer + lane], program.part(held, [row], [1])
        else:
            with program.loop([threads * part], [part], unit="thread", reduce=kind, stem="t") as (lane,):
                yield [block, outer + lane], held

    height = 4 if several else 1
    width = 2 * threads if units == "warp" and not several else threads // 4 * part if several else threads * part
    with program.loop([sizes[0]], [height], unit="block", stem="b") as (block,):
        held = program.hold(element, [height], start)
        if form == "inside":
            with program.loop([sizes[1]], [width], stem="q") as (outer,):
                for at, part_of in reducing(held, block, outer):
                    step(part_of, at)
        else:
            for at, part_of in reducing(held, block, Sum()):
                with program.loop([sizes[1]], [width], stem="q") as (outer,):
                    step(part_of, [at[0], at[1] + outer])
        program.store(held, result, [block])
        if beside:
            copies = program.operand(element, [sizes[0], beside], name="T")
            with program.loop([beside], [1], unit="thread", stem="c") as (lane,):
                seen = program.hold(element, [1, 1], 0)
                program.compute([held], [seen], [[Sum({"d0": 1})], [Sum({"d0": 1}), Sum({"d1": 1})]], simple(
                    [("x0", element), ("y0", element)], [("arith.addf" if element in FLOATS else "arith.addi", "x0", "y0")]))
                program.store(seen, copies, [block, lane])


def columns_family(program, draw, wrong=None):
    """Column sums by one loop of (rows, columns): only the rows are reduced over."""
    kind = draw(["add", "max", "min"])
    element = draw(["f32", "i32", "f64"])
    sizes = [program.size(draw([8, 3, 17, 0])), program.size(draw([16, 5, 33, 1]))]
    source = program.operand(element, sizes, draw(STRIDES), name="A")
    result = program.operand(element, [sizes[1]], draw(STRIDES), name="S")
    rows, columns, first = draw([8, 4]), draw([8, 4, 16]), draw([True, False])
    with program.loop([sizes[1]], [columns], unit="block", stem="b") as (block,):
        held = program.hold(element, [columns], start_of(kind, element))
        with program.loop([sizes[0]], [rows], stem="q") as (outer,):
            extents = [rows, columns] if first else [columns, rows]
            with program.loop(extents, [1, 1], unit="thread", reduce=kind, stem="t") as ivs:
                row, column = ivs if first else reversed(ivs)
                part = program.part(held, [column], [1])
                tile = program.stage(source, [outer + row, block + column], [1, 1], pad=None)
                program.compute([tile], [part], [[Sum({"d0": 1}), Sum({"d1": 1})], [Sum({"d1": 1})]],
                                reducing_body(draw, kind, element, None), ["reduction", "parallel"])
        program.store(held, result, [block])


def argmax_family(program, draw, wrong=None):
    """The greatest element of each row and where it is: a thread a row, in time. Over threads it is an update by no kind."""
    rows, columns = draw([5, 4, 9]), draw([9, 33, 1])
    sizes = [program.size(rows), program.size(40 if wrong else columns)]
    source = program.operand("f32", sizes, draw(STRIDES), name="A")
    best = program.operand("f32", [sizes[0]], "inner", name="S")
    where = program.operand("i32", [sizes[0]], "inner", name="W")
    pair = [[Sum({"d0": 1}), Sum({"d1": 1})], [Sum({"d0": 1})], [Sum({"d0": 1})]]

    def step(value, place, at):
        chunk = 4
        tile = program.stage(source, at, [1, chunk])
        body = Body([("x0", "f32"), ("y0", "f32"), ("y1", "i32")])
        more = body.add("arith.cmpf", ["x0", "y0"], "i1", "ogt")
        index = body.add("arith.index_cast", [body.add("linalg.index", [], "index", 1)], "i32")
        body.give(body.add("arith.select", [more, "x0", "y0"], "f32"), body.add("arith.select", [more, index, "y1"], "i32"))
        program.compute([tile], [value, place], pair, body, ["parallel", "reduction"])

    with program.loop([sizes[0]], [1 if wrong else 4], unit="block", stem="b") as (block,):
        if wrong:
            value, place = program.hold("f32", [1], float("-inf")), program.hold("i32", [1], 0)
            with program.loop([128], [4], unit="thread", reduce="max", stem="t") as (lane,):
                step(value, place, [block, lane])
            program.store(value, best, [block])
            program.store(place, where, [block])
            return
        with program.loop([4], [1], unit="thread", stem="t") as (lane,):
            value, place = program.hold("f32", [1], float("-inf")), program.hold("i32", [1], -1)
            with program.loop([sizes[1]], [4], stem="q") as (outer,):
                step(value, place, [block + lane, outer])
            program.store(value, best, [block + lane])
            program.store(place, where, [block + lane])


def absent_family(program, draw, wrong=None):
    """Staged tiles that are changed in place and used again: what is absent stays absent."""
    element = draw(["f32", "i32"])
    add, multiply = ("arith.addf", "arith.mulf") if element in FLOATS else ("arith.addi", "arith.muli")
    sizes = [program.size(draw([5, 3, 1])), program.size(draw([5, 9, 12, 1, 0]))]
    source = program.operand(element, sizes, draw(STRIDES), name="A")
    result = program.operand(element, [sizes[0]], draw(STRIDES), name="S")
    chunk, form = draw([4, 8]), draw(["sum", "fill", "product", "shifted", "twice"])
    pair = [[Sum({"d0": 1}), Sum({"d1": 1})], [Sum({"d0": 1})]]
    old = [("y0", element)]
    with program.loop([sizes[0]], [4], unit="block", stem="b") as (block,):
        with program.loop([4], [1], unit="thread", stem="t") as (lane,):
            total = program.hold(element, [1], draw([0, 2]))
            with program.loop([sizes[1]], [chunk], stem="q") as (outer,):
                shift = draw([1, -1, 2]) if form == "shifted" else 0
                tile = program.stage(source, [block + lane, outer + shift], [1, chunk])
                if form == "fill":
                    filled = Body(old)
                    program.elementwise([], [tile], filled.give(filled.constant(3, element)))
                elif form == "product":
                    program.elementwise([], [tile], simple(old, [(multiply, "y0", "y0"), (add, "v0", 1)]))
                else:
                    program.elementwise([], [tile], simple(old, [(add, "y0", draw([1, 2]))]))
                if form == "twice":
                    other = program.stage(source, [block + lane, outer + 1], [1, chunk])
                    program.elementwise([other], [tile], simple([("x0", element), ("y0", element)], [(add, "x0", "y0")]))
                program.compute([tile], [total], pair, simple([("x0", element), ("y0", element)], [(add, "x0", "y0")]),
                                ["parallel", "reduction"])
                if draw([False, False, True]):
                    # At other coordinates what is absent would be present.
                    program.must = "right" if shift == 0 and form != "twice" else "either"
                    program.store(tile, source, [block + lane, outer])
            program.store(total, result, [block + lane])


def softmax_family(program, draw, wrong=None):
    """Softmax of rows, a thread or a block a row: the tile is made exponentials in place, over partial tiles."""
    rows, columns = draw([5, 3, 1]), draw([5, 11, 16, 1])
    sizes = [program.size(rows), program.size(columns)]
    source = program.operand("f32", sizes, draw(STRIDES), name="A")
    target = program.operand("f32", sizes, draw(STRIDES), name="Y")
    whole, row = [Sum({"d0": 1}), Sum({"d1": 1})], [Sum({"d0": 1})]
    lowest = draw([float("-inf"), -1e30, -100.0])
    form = draw(["whole", "passes", "block"])
    x, y = ("x0", "f32"), ("y0", "f32")
    kinds = ["parallel", "reduction"]

    def highest(tile, top):
        program.compute([tile], [top], [whole, row], simple([x, y], [("arith.maximumf", "x0", "y0")]), kinds)

    def exponentials(tile, top):
        program.compute([top], [tile], [row, whole], simple([x, y], [("arith.subf", "y0", "x0"), ("math.exp", "v0")]))

    def add_up(tile, total):
        program.compute([tile], [total], [whole, row], simple([x, y], [("arith.addf", "y0", "x0")]), kinds)

    def divide(tile, total):
        program.compute([total], [tile], [row, whole], simple([x, y], [("arith.divf", "y0", "x0")]))

    if form == "block":
        with program.loop([sizes[0]], [1], unit="block", stem="b") as (block,):
            top, total = program.hold("f32", [1], lowest), program.hold("f32", [1], 0)
            with program.loop([64], [2], unit="thread", reduce="max", stem="t") as (lane,):
                highest(program.stage(source, [block, lane], [1, 2]), top)
            with program.loop([64], [2], unit="thread", reduce="add", stem="t") as (lane,):
                tile = program.stage(source, [block, lane], [1, 2])
                exponentials(tile, top)
                add_up(tile, total)
            with program.loop([64], [2], unit="thread", stem="t") as (lane,):
                tile = program.stage(source, [block, lane], [1, 2])
                exponentials(tile, top)
                divide(tile, total)
                program.store(tile, target, [block, lane])
        return
    with program.loop([sizes[0]], [4], unit="block", stem="b") as (block,):
        with program.loop([4], [1], unit="thread", stem="t") as (lane,):
            top, total = program.hold("f32", [1], lowest), program.hold("f32", [1], 0)
            if form == "whole":
                tile = program.stage(source, [block + lane, 0], [1, 16])
                for step, result in ((highest, top), (exponentials, top), (add_up, total), (divide, total)):
                    step(tile, result)
                program.store(tile, target, [block + lane, 0])
                return
            for number in range(3):
                with program.loop([sizes[1]], [4], stem="q") as (outer,):
                    tile = program.stage(source, [block + lane, outer], [1, 4])
                    if number == 0:
                        highest(tile, top)
                        continue
                    exponentials(tile, top)
                    if number == 1:
                        add_up(tile, total)
                        continue
                    divide(tile, total)
                    program.store(tile, target, [block + lane, outer])


def compute_together(program, draw, held, block, size):
    """Computations on the whole of what threads hold: of operands that they load themselves, or that are loaded ahead of what stands between."""
    shape, element = held.shape, held.element
    others = [program.operand(element, [size], draw(STRIDES), name=program.name("R")) for _ in range(draw([1, 1, 2]))]
    tiles = [program.stage(other, [block], shape, pad=draw(["zero", None])) for other in others]
    if draw([False, False, True]):
        program.store(held, program.operand(element, [size], draw(STRIDES), name=program.name("Z")), [block])
    program.elementwise(tiles, [held], draw_map(draw, tiles, [held], 1))
    if draw([False, False, True]):
        program.elementwise(tiles[:1], [held], draw_map(draw, tiles[:1], [held], 1))


def held_family(program, draw, wrong=None):
    """Tiles that a block holds and its threads change, each its part, or all together; stored as a whole by the block, or by parts."""
    element = draw(["f32", "i32", "f64"])
    add = "arith.addf" if element in FLOATS else "arith.addi"
    part, threads = draw([1, 2, 4]), draw([8, 4, 32])
    tile = part * threads
    outermost = wrong == "held outside of the loop on blocks"
    clusters = wrong == "held outside of the cluster's loop"
    size = program.size(2 * tile + 1 if wrong else draw([2 * tile + 1, tile, 3, 0]))
    source = program.operand(element, [size], draw(STRIDES), name="A")
    target = program.operand(element, [program.size(tile * (2 * tile + 1)) if wrong == "whole tile stored by threads" else size],
                             draw(STRIDES), name="Y")
    both = [("x0", element), ("y0", element)]
    if clusters:
        program.machine = "sm90"
    held = program.hold(element, [tile], draw([0, 1])) if outermost or clusters else None

    def block_body(block):
        nonlocal held
        held = held or program.hold(element, [tile], draw([0, 5, -1]))
        for _ in range(draw([1, 2, 3])):
            with program.loop([tile], [part], unit="thread", stem="t") as (lane,):
                own = program.part(held, [lane], [part])
                value = program.stage(source, [block + lane], [part])
                program.elementwise([value], [own], draw_map(draw, [value], [own], 1) if not wrong else
                                    simple(both, [(add, "x0", "y0")]))
        for _ in range(0 if wrong else draw([0, 0, 1, 2])):
            compute_together(program, draw, held, block, size)
        form = wrong or draw(["block", "parts"])
        if form == "block" or outermost or clusters:
            program.store(held, target, [block])
            return
        with program.loop([tile], [part], unit="thread", stem="t") as (lane,):
            if form == "parts":
                own = program.part(held, [lane], [part])
                program.elementwise([], [own], draw_map(draw, [], [own], 1))
                program.store(own, target, [block + lane])
            elif wrong == "whole tile stored by threads":
                program.store(held, target, [block * tile + lane * (tile // part * part)])
            else:  # Read as a whole by each thread.
                out = program.hold(element, [1], 0)
                program.compute([held], [out], [[Sum({"d0": 1})], [Sum()]], simple(both, [(add, "x0", "y0")]), ["reduction"])
                program.store(out, target, [block + lane])

    if clusters:
        with program.loop([size], [2 * tile], unit="cluster", stem="z") as (cluster,):
            with program.loop([2 * tile], [tile], unit="block", stem="b") as (block,):
                block_body(cluster + block)
        return
    with program.loop([size], [tile], unit="block", stem="b") as (block,):
        block_body(block)


def cluster_family(program, draw, wrong=None):
    """Blocks of a cluster part a reduction; or take tiles beside each other."""
    program.machine = "sm90"
    kind = draw(["add", "max", "min"])
    element = draw(["f32", "i32"])
    rows, columns = draw([9, 4, 1]), draw([40, 33, 3, 0])
    if wrong:
        rows, columns = 9, 40
    sizes = [program.size(rows), program.size(columns)]
    source = program.operand(element, sizes, draw(STRIDES), name="A")
    result = program.operand(element, [sizes[0]], draw(STRIDES), name="S")
    blocks, chunk, threads = draw([2, 3]), draw([4, 8]), 4
    maps = [[Sum({"d0": 1}), Sum({"d1": 1})], [Sum({"d0": 1})]]
    with program.loop([sizes[0]], [threads], unit="cluster", stem="z") as (cluster,):
        held = program.hold(element, [threads], start_of(kind, element) if draw([True, False]) else 2)
        with program.loop([blocks * chunk], [chunk], unit="block", reduce=kind, stem="b") as (block,):
            with program.loop([sizes[1]], [blocks * chunk], stem="q") as (outer,):
                with program.loop([threads], [1], unit="thread", stem="t") as (lane,):
                    part = program.part(held, [lane], [1])
                    tile = program.stage(source, [cluster + lane, outer + block], [1, chunk])
                    body = reducing_body(draw, kind, element, wrong)
                    program.compute([tile], [part], maps, body, ["parallel", "reduction"])
        program.store(held, result, [cluster])
