"""A family of nests without a plan: loops on threads in one block or several that read and write two operands and a shared
tile at subscripts drawn at random. program_meaning.py says what each is: where two iterations of a loop on units meet at
an element that one of them writes, it must be refused; else it is right, or refused because that cannot be shown.
"""

from program_bodies import simple
from program_tree import Sum


def wild_family(program, draw, wrong=None):
    tile, threads = draw([8, 4, 16]), draw([4, 2, 8])
    threads = min(threads, tile)
    size = program.size(draw([2 * tile + 1, tile, 3 * tile, tile - 1, 5]))
    operands = [program.operand("i32", [size], draw(["inner", "compact", "all"]), name=name) for name in ("A", "B")]
    slack = draw([2, 0, tile])
    body = simple([("x0", "i32"), ("y0", "i32")], [("arith.muli", "y0", 3), ("arith.addi", "v0", "x0")])

    def subscript(canonical, extra, shifts):
        """Mostly an element for each iteration, at times moved, mirrored, spread or shared."""
        at = canonical + draw([0, 0, 0, 0] + shifts)
        form = draw(["as it is"] * 6 + ["factor", "without", "extra", "mirrored"])
        names = list(at.terms)
        if form == "extra" and extra:
            return at + draw(extra) * draw([1, 2, -1, tile])
        if form == "mirrored":
            return at * -1 + draw([tile - 1, size_value - 1])
        if form in ("factor", "without") and names:
            name = draw(names)
            return at + Sum({name: 1}) * (-at.terms[name] if form == "without" else at.terms[name])
        return at

    size_value = program.sizes[size]
    with program.loop([size] if draw([True, True, False]) else [tile], [tile], unit="block", stem="b") as (block,):
        scratch = program.stage(operands[0], [block], [tile + slack], "smem", "zero") if draw([False, True]) else None

        def phase(steps):
            """One loop on threads; what is read is added up and written."""
            strip = tile // threads
            two = threads % 2 == 0 and draw([False, False, True])
            by_strips = draw([True, False]) or two
            extents, jumps = ([threads // 2, 2], [1, 1]) if two else ([tile], [strip]) if by_strips else ([threads], [1])
            with program.loop(extents, jumps, unit="thread", stem="t") as ivs:
                lane = (ivs[0] * 2 + ivs[1]) * strip if two else ivs[0]
                with program.loop([strip], [1], stem="q") as (step,):
                    inner = lane + step if by_strips else lane + step * threads
                    total = program.hold("i32", [1], draw([0, 1]))
                    extra = steps + [step] + ivs
                    for _ in range(draw([1, 2, 0])):
                        if scratch and draw([False, True]):
                            value = program.stage(scratch, [inner + draw([0, 0, min(1, slack), slack])], [1])
                        else:
                            at = subscript(block + inner, extra, [1, -1, tile, -tile])
                            source = draw(operands)
                            value = program.stage(source, [at], [1]) if draw([True, False]) else program.part(source, [at], [1])
                        program.elementwise([value], [total], body)
                    for _ in range(draw([1, 1, 2])):
                        if scratch and draw([False, False, True]):
                            target = program.part(scratch, [inner + draw([0, 0, min(1, slack), slack])], [1])
                            program.elementwise([total], [target], body)
                        else:
                            program.store(total, draw(operands), [subscript(block + inner, extra, [1, -1, tile, -tile])])

        phases = draw([1, 2, 3])
        if draw([True, True, False]):
            for _ in range(phases):
                phase([])
        else:
            with program.loop([draw([2, 3])], [1], stem="q") as (outer,):
                for _ in range(min(phases, 2)):
                    phase([outer])
