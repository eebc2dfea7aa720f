"""Deletes each barrier, wait, copy, predicate and clamp of generated kernels, and sees that the emulator finds out.

  mutants.py TILEC_RUN_CASES [--jobs=N] [--list] [--target=NAME] [EXAMPLE.mlir ...]

mutate_text.py says what is deleted. Each mutant runs on launches whose loops over time take 2 * stages + 1 steps and a
part of one more, whose grids have partial tiles, with operands by rows and by columns, aligned and not; until one
launch is caught: a wrong value, or a finding of the emulator. What no launch in order catches runs in the other
schedules too. Exit status 1 where a mutant is not caught, or where the kernel itself is.
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import sys

from case_runner import SCHEDULES, Kernel, find_examples
from mutate_text import make_mutants


def get_shape(kernel, rest, big=False, short=False):
    """Extents that end `rest` elements behind a tile; big: grids of ten tiles along each side, and short loops; short: loops
    over time that end before a pipeline's first copies do."""
    shape = {}
    for size in kernel.about["sizes"]:
        step = kernel.get_tile(size)
        if size in kernel.times and size not in kernel.blocks:
            shape[size] = 3 if big else rest if short else (2 * kernel.stages + 1) * step + rest
        else:
            shape[size] = 9 * step + 1 if big else step + rest
    return shape


def make_launches(kernel):
    tensors = [tensor["name"] for tensor in kernel.about["tensors"]]
    factors = dict(zip(kernel.about["scalars"], ["2", "-0.5", "2", "-0.5"]))
    odd, whole, big = get_shape(kernel, 5), get_shape(kernel, 4), get_shape(kernel, 1, big=True)

    def launch(shape, columns, extra=factors, **layout):
        return {"shape": shape, "args": {**extra, **kernel.lay_out(shape, columns, **layout)}}

    for columns in ([], tensors):
        # Strides are multiples of 4 where extents are not, and the other way round; then only addresses are not; then
        # no stride is 1.
        yield launch(odd, columns, gap=lambda row: -row % 4)
        yield launch(whole, columns)
        yield launch(whole, columns, gap=lambda row: 1)
        yield launch(whole, columns, offset=1)
        yield {**launch(whole, columns), "spread": 4}
        # Wide accesses in rows that something else stands behind.
        yield launch(whole, columns, gap=lambda row: 4)
        yield launch(get_shape(kernel, 4, short=True), columns, gap=lambda row: 4)
        yield launch(get_shape(kernel, 5, short=True), columns, gap=lambda row: 1)
    # What is asked of one tensor alone, the others being fit for the widest accesses.
    for name in tensors:
        yield launch(whole, [], offset=1, only=name)
        yield launch(whole, [], gap=lambda row: 1, only=name)
        strange = launch(odd, [], offset=1, only=name)
        yield {**strange, "args": {**strange["args"], **kernel.lay_out(odd, [], gap=lambda row: -row % 4)}}
    yield launch(odd, [], extra={**factors, **{name: "0" for name in factors if name == "beta"}})
    yield launch(big, [])


def check(path, options):
    kernel = Kernel(options.program, path, target=options.target)
    launches = list(make_launches(kernel))
    unchanged = kernel.run(launches)
    lines = [f"  unchanged: {why.strip()}" for verdict, why in unchanged if verdict != "right"]
    kinds, survivors = collections.Counter(), 0
    for line, gone, text in make_mutants(kernel.about["cuda"]):
        verdict, why = kernel.run(launches, text)[-1]
        for schedule in SCHEDULES[1:]:
            if verdict == "right":
                verdict, why = kernel.run([{**launch, "schedule": schedule} for launch in launches], text)[-1]
        if verdict == "caught":
            # "kernel:LINE: KIND: WORDS", or a comparison.
            parts = why.split(": ")
            kinds[parts[1] if why.startswith("kernel:") else "ended" if "ended with" in why else "value"] += 1
        else:
            survivors += 1
        if verdict != "caught" or options.list:
            lines.append(f"  line {line}: {gone}\n    {verdict}: {why.strip()}")
    kernel.close()
    return kinds, survivors, lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", metavar="TILEC_RUN_CASES")
    parser.add_argument("examples", nargs="*", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--target", help="the machine, where it is not tilec's own choice")
    parser.add_argument("--list", action="store_true", help="print each mutant and how it is caught")
    options = parser.parse_intermixed_args()
    # A persistent kernel wants more tiles than blocks and cuts of every kind: no launch here has them yet.
    examples = options.examples or [path for path in find_examples() if path.name != "persistent.mlir"]
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for path, (kinds, survivors, lines) in zip(examples, pool.map(lambda path: check(path, options), examples)):
            caught = ", ".join(f"{count} by {kind}" for kind, count in sorted(kinds.items()))
            print(f"{path.name}: {sum(kinds.values())} mutants caught ({caught}), {survivors} not")
            print("\n".join(lines), end="\n" if lines else "", flush=True)
            bad += survivors + any(line.startswith("  unchanged") for line in lines)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
