"""How a family's elements are dealt out to blocks and threads: loops, and subscripts in them."""

import contextlib

from program_tree import Sum


class Space:
    """A box of elements along `rank` dimensions, in tiles of blocks, in parts of threads.

    `sizes` are numbers or names of sizes. Each dimension has its tiles on blocks, or walks them in time; `alone` makes
    one block that holds everything in one tile, and sizes no larger than that; `several` makes several tiles.
    """

    def __init__(self, program, draw, rank=None, alone=False, parts=(1, 1, 2, 4), several=False):
        self.program, self.draw = program, draw
        self.rank = rank or draw([1, 1, 2])
        self.part = [draw(list(parts)) for _ in range(self.rank)]
        most = [8, 4, 16, 32, 2] if self.rank == 1 else [4, 2, 8]
        self.threads = [draw(most) for _ in range(self.rank)]
        self.unroll = [draw([1, 1, 1, 2]) for _ in range(self.rank)]
        self.warps = [draw([1, 1, 1, 1, 2]) for _ in range(self.rank)]
        self.set_tile()
        self.on_block = [draw([True, True, True, False]) for _ in range(self.rank)]
        if not any(self.on_block):
            self.on_block[0] = True
        self.alone = alone
        values = []
        for tile in self.tile:
            if alone:
                values.append(max(0, tile - draw([0, 0, 1, 3])))
            elif several:
                values.append(2 * tile + 1)
            else:
                values.append(draw([2 * tile - 1, tile, 2 * tile + 1, tile + 1, 3, 1, 0]))
        self.values = values
        self.sizes = [value if draw([False, False, True]) and not several else program.size(value) for value in values]
        self.nested = self.rank > 1 and draw([False, True])
        self.outer = [Sum()] * self.rank
        self.raster = draw(["", "", "raster(column)"])

    def set_tile(self):
        """After a change of what makes up a tile."""
        self.tile = [p * t * u * w for p, t, u, w in zip(self.part, self.threads, self.unroll, self.warps)]

    @contextlib.contextmanager
    def blocks(self):
        """The loops over tiles; sets `outer`, where a tile begins."""
        program = self.program
        sizes = self.tile if self.alone else self.sizes
        blocks = [n for n in range(self.rank) if self.on_block[n]]
        with contextlib.ExitStack() as loops:
            ivs = loops.enter_context(program.loop([sizes[n] for n in blocks], [self.tile[n] for n in blocks], unit="block",
                                                   clauses=self.raster, stem="b"))
            self.outer = [Sum()] * self.rank
            for n, iv in zip(blocks, ivs):
                self.outer[n] = iv
            for n in range(self.rank):
                if not self.on_block[n]:
                    iv, = loops.enter_context(program.loop([sizes[n]], [self.tile[n]], stem="q"))
                    self.outer[n] = iv
            yield self.outer

    @contextlib.contextmanager
    def lanes(self, level="dram", part=None, reduce=None):
        """The loops over a tile's threads; yields where a thread's part begins in the tile."""
        program, inside = self.program, list(self.tile)
        terms = [Sum() for _ in range(self.rank)]
        part = part or self.part
        with contextlib.ExitStack() as loops:
            for unit, counts, stem in (("unroll", self.unroll, "u"), ("warp", self.warps, "w")):
                several = [n for n in range(self.rank) if counts[n] > 1]
                if not several:
                    continue
                steps = [inside[n] // counts[n] for n in several]
                ivs = loops.enter_context(program.loop([inside[n] for n in several], steps, level, unit, stem=stem))
                for n, iv, step in zip(several, ivs, steps):
                    terms[n], inside[n] = terms[n] + iv, step
            groups = [[n] for n in range(self.rank)] if self.nested else [list(range(self.rank))]
            for group in groups:
                ivs = loops.enter_context(program.loop([inside[n] for n in group], [part[n] for n in group], level, "thread",
                                                       reduce=reduce, stem="t"))
                for n, iv in zip(group, ivs):
                    terms[n] = terms[n] + iv
            yield terms

    def at(self, lanes):
        """Where a thread's part begins in an operand."""
        return [outer + lane for outer, lane in zip(self.outer, lanes)]


def loops_of(rank):
    return [Sum({f"d{n}": 1}) for n in range(rank)]
