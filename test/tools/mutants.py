"""Deletes each barrier, wait, copy, predicate and clamp of generated kernels, and sees that the emulator finds out.

  mutants.py TILEC_RUN_CASES [--jobs=N] [--list] [--without=EXAMPLE.mlir ..] [EXAMPLE.mlir ...]

mutate_text.py says what is deleted. Each mutant runs on launches whose loops over time take 2 * stages + 1 steps and a
part of one more, whose grids have partial tiles, with operands by rows and by columns, aligned and not; until one
launch is caught: a wrong value, a finding of the emulator, or other bytes moved than by the kernel, since tilec holds
what it counts against what it predicts. Persistent grids have whole tiles and tiles that blocks share. What no launch in
order catches runs in the other schedules too. Exit status 1 where a mutant is not caught, or where the kernel itself is.
"""

import argparse
import collections
import concurrent.futures
import math
import os
import pathlib
import sys
import threading

from case_runner import SCHEDULES, Kernel, find_examples
from mutate_text import make_mutants


def get_shape(kernel, rest, big=False, short=False):
    """Extents that end `rest` elements past a tile; big: grids of ten tiles along each side, and short loops; short: loops
    over time that end before a pipeline's first copies do, and 2 where no loop goes."""
    shape = {}
    for size in kernel.about["sizes"]:
        step = kernel.get_tile(size)
        if short and size not in kernel.times and size not in kernel.blocks:
            shape[size] = 2
        elif size in kernel.times and size not in kernel.blocks:
            shape[size] = 3 if big else rest if short else (2 * kernel.stages + 1) * step + rest
        else:
            shape[size] = 9 * step + 1 if big else step + rest
    return shape


def count_tiles(kernel, shape):
    return math.prod(-(-shape[size] // step) for size, step in kernel.blocks.items() if size in shape)


def make_persistent_launches(kernel, launches):
    """The same for a grid of as many blocks (clusters) as run at once."""
    def on(resident, launch):
        return {**launch, "resident": max(resident, 1) * kernel.about["cluster"]}

    def with_steps(steps, launch):
        times = {size for size in launch["shape"] if size in kernel.times and size not in kernel.blocks}
        shape = {size: steps * kernel.times[size] if size in times else extent for size, extent in launch["shape"].items()}
        return {**launch, "shape": shape}

    # By rows.
    plain = launches[1]
    tiles = count_tiles(kernel, plain["shape"])
    if kernel.about["cut"]:
        # No steps at all; fewer of them than blocks; and a share of as many as a tile has that begins within one.
        yield on(tiles - 1, with_steps(0, plain))
        yield on(2 * tiles - 1, with_steps(0, plain))
        yield on(tiles - 1, with_steps(2, plain))
        yield on(tiles + 1, with_steps(tiles - 1, plain))
        # The same with several blocks that share nothing.
        wide = with_steps(2, plain)
        first = next(size for size in kernel.blocks if size in wide["shape"])
        wide["shape"][first] += kernel.blocks[first]
        yield on(count_tiles(kernel, wide["shape"]) - 1, wide)
        # Two whole tiles of a block after its share.
        tall = with_steps(4, plain)
        tall["shape"][first] += 2 * kernel.blocks[first]
        yield on((count_tiles(kernel, tall["shape"]) - 1) // 2, tall)
        # Shares that end within tiles; at tiles, with one block to spare (CutWave); and nothing to cut.
        for resident in 2 * tiles - 1, 16 + -16 % tiles + 1, tiles:
            yield on(resident, plain)
    else:
        # One block has all tiles, which take no steps: nothing but barriers of its own orders its threads.
        yield on(1, with_steps(0, plain))
    for launch in launches:
        # One block less than tiles: whole tiles, and one that all blocks share.
        yield on(count_tiles(kernel, launch["shape"]) - 1, launch)


def make_launches(kernel):
    launches = list(make_plain_launches(kernel))
    return list(make_persistent_launches(kernel, launches)) if kernel.about["persistent"] else launches


def make_plain_launches(kernel):
    tensors = [tensor["name"] for tensor in kernel.about["tensors"]]
    factors = dict(zip(kernel.about["scalars"], ["2", "-0.5", "2", "-0.5"]))
    group = kernel.group  # Wide accesses take as many.
    odd, whole, big = get_shape(kernel, group + 1), get_shape(kernel, group), get_shape(kernel, 1, big=True)

    def launch(shape, columns, extra=factors, **layout):
        return {"shape": shape, "args": {**extra, **kernel.lay_out(shape, columns, **layout)}}

    # Most mutants fail at once where strides are multiples of a group and extents are not; few do in other factors.
    for columns in (tensors, []):
        yield launch(odd, columns, gap=lambda row: -row % group)
    yield launch(odd, [], extra={**factors, **{name: "0" for name in factors if name == "beta"}})
    for columns in (tensors, []):
        # The other way round; then only addresses are not; then no stride is 1.
        yield launch(whole, columns)
        yield launch(whole, columns, gap=lambda row: 1)
        yield launch(whole, columns, offset=1)
        yield {**launch(whole, columns), "spread": 4}
        # Wide accesses in rows that something else follows.
        yield launch(whole, columns, gap=lambda row: group)
        yield launch(get_shape(kernel, group, short=True), columns, gap=lambda row: group)
        yield launch(get_shape(kernel, group + 1, short=True), columns, gap=lambda row: 1)
    # What is asked of one tensor alone, the others being fit for the widest accesses.
    for name in tensors:
        yield launch(whole, [], offset=1, only=name)
        yield launch(whole, [], gap=lambda row: 1, only=name)
        strange = launch(odd, [], offset=1, only=name)
        yield {**strange, "args": {**strange["args"], **kernel.lay_out(odd, [], gap=lambda row: -row % group)}}
    yield launch(big, [])


class Workers(threading.local):
    """For each thread, the kernel it is at work on."""

    path = kernel = None

    def get(self, program, path):
        if path != self.path:
            self.close()
            self.path, self.kernel = path, Kernel(program, path)
        return self.kernel

    def close(self):
        if self.kernel:
            self.kernel.close()
        self.path = self.kernel = None


workers = Workers()


def try_kernel(program, path, launch, text):
    """(verdict, why) of the kernel itself; where it is right, `why` is what it moves."""
    return workers.get(program, path).run([launch], text)[0]


def try_mutant(program, path, launches, text, number):
    """(verdict, why) of a mutant."""
    verdict, why = "right", ""
    for schedule in SCHEDULES:
        if verdict == "right":
            cases = [{**launch, "schedule": schedule} for launch in launches]
            verdict, why = workers.get(program, path).run(cases, text, number)[-1]
    return verdict, why


def get_kind(verdict, why):
    """What a mutant was caught by; None where it was not."""
    if verdict == "costs":
        return "bytes"
    if verdict != "caught":
        return None
    # "kernel:LINE: KIND: WORDS", or a comparison.
    return why.split(": ")[1] if why.startswith("kernel:") else "ended" if "ended with" in why else "value"


def check(path, options, pool):
    """Starts the kernel on each launch. What is returned starts all mutants; what that returns waits for them: (how many of
    each kind, how many not caught, failures, lines to print)."""
    kernel = Kernel(options.program, path)
    launches, (text, mutants) = make_launches(kernel), make_mutants(kernel.about["cuda"])
    kernel.close()
    unchanged = [pool.submit(try_kernel, options.program, path, launch, text) for launch in launches]

    def start():
        results = [future.result() for future in unchanged]
        lines = [f"  unchanged: {launch}: {why.strip()}" for launch, (verdict, why) in zip(launches, results) if verdict != "right"]
        expecting = [{**launch, "traffic": why} for launch, (_, why) in zip(launches, results)]
        verdicts = [pool.submit(try_mutant, options.program, path, expecting, text, number + 1) for number in range(len(mutants))]
        return lambda: wait(lines, verdicts)

    def wait(lines, verdicts):
        kinds, bad = collections.Counter(), len(lines)
        for (line, gone), future in zip(mutants, verdicts):
            verdict, why = future.result()
            kind = get_kind(verdict, why)
            kinds[kind] += 1
            if not kind or options.list:
                lines.append(f"  line {line}: {gone}\n    {verdict}: {why.strip()}")
        survivors = kinds.pop(None, 0)
        return kinds, survivors, bad + survivors, lines

    return start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", metavar="TILEC_RUN_CASES")
    parser.add_argument("examples", nargs="*", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--without", action="append", default=[], help="of all examples, where none is named")
    parser.add_argument("--list", action="store_true", help="print each mutant and how it is caught")
    options = parser.parse_intermixed_args()
    examples = options.examples or [path for path in find_examples() if path.name not in options.without]
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        starts = [check(path, options, pool) for path in examples]
        for path, wait in zip(examples, [start() for start in starts]):
            kinds, survivors, bad, lines = wait()
            caught = ", ".join(f"{count} by {kind}" for kind, count in sorted(kinds.items()))
            print(f"{path.name}: {kinds.total()} mutants caught ({caught}), {survivors} not")
            print("\n".join(lines), end="\n" if lines else "", flush=True)
            failures += bad
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
