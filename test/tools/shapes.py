"""Runs examples in the emulator on awkward extents, orders and factors; results must be equal to the bit.

  shapes.py TILEC_RUN_CASES [--random=N] [--product] [--seed=N] [--jobs=N] [EXAMPLE.mlir ...]

Extents are of {0, 1, 2, 7, 8, 15, 16, 17, 31, 33, t-1, t, t+1, 2t+3} for the edge t of the tile, each operand lies by
rows or by columns, alpha and beta are of {0, 1, -0.5, 2}; of a persistent grid 1 to 16 blocks run at once. All pairs of
these values meet in some launch; N more (200) are drawn from the seed, with gaps between rows, offsets, wider strides,
other seeds of the values and each schedule of the emulator. With --product all combinations of extents, orders and
factors run instead, shared out among the jobs; blocks at once are drawn. Without files: all examples beside this
checkout. Exit status 1 where a launch is wrong.
"""

import argparse
import collections
import concurrent.futures
import itertools
import os
import pathlib
import random
import sys

from case_runner import SCHEDULES, Kernel, find_examples

FACTORS = ["1", "0", "-0.5", "2"]


def get_extents(tile):
    return sorted({0, 1, 2, 7, 8, 15, 16, 17, 31, 33, tile - 1, tile, tile + 1, 2 * tile + 3} - {-1})


def get_parameters(kernel):
    """Names and values to combine: sizes, orders of operands and scalars; and how many blocks of a persistent grid run
    at once."""
    sizes = [(name, get_extents(kernel.get_tile(name))) for name in kernel.about["sizes"]]
    orders = [(t["name"] + ".order", ["rows", "columns"]) for t in kernel.about["tensors"] if t["columns"] and len(t["shape"]) > 1]
    blocks = [("resident", [n * kernel.about["cluster"] for n in (1, 2, 3, 5, 16)])] if kernel.about["persistent"] else []
    return sizes + orders + [(name, FACTORS) for name in kernel.about["scalars"]], blocks


def cover_pairs(parameters, rng):
    """Rows of values in which every two values of different parameters meet. Each row starts with a pair that is not
    met yet; the other values are those that meet the most new ones."""
    count = len(parameters)
    values = [list(choices) for _, choices in parameters]
    if count == 1:
        return [(value,) for value in values[0]]
    missing = {(i, a, j, b) for i in range(count) for j in range(i + 1, count) for a in values[i] for b in values[j]}
    rows = []
    for first in sorted(missing, key=str):
        if first not in missing:
            continue
        row = {first[0]: first[1], first[2]: first[3]}
        for i in sorted(set(range(count)) - set(row), key=lambda _: rng.random()):
            def gain(value):
                return sum(((i, value, j, other) if i < j else (j, other, i, value)) in missing for j, other in row.items())
            best = max(gain(value) for value in values[i])
            row[i] = rng.choice([value for value in values[i] if gain(value) == best])
        rows.append(tuple(row[i] for i in range(count)))
        missing -= {(i, row[i], j, row[j]) for i in range(count) for j in range(i + 1, count)}
    return rows


def make_case(kernel, parameters, row, rng=None):
    chosen = dict(zip((name for name, _ in parameters), row))
    shape = {name: chosen.pop(name) for name in kernel.about["sizes"]}
    case = {"resident": chosen.pop("resident", 1), "shape": shape, "args": chosen, "seed": 1}
    if rng:
        gap = rng.choice([0, 0, 1, 4, 8])
        columns = {name.split(".")[0] for name, order in chosen.items() if order == "columns"}
        case["args"] = {**chosen, **kernel.lay_out(shape, columns, (lambda row: gap) if gap else None, rng.choice([0, 0, 1, 2, 4]))}
        case["spread"] = rng.choice([1, 1, 1, 2, 4])
        case["seed"], case["schedule"] = rng.randrange(1, 1000), rng.choice(SCHEDULES)
    return case


def make_cases(kernel, options, part):
    rng = random.Random(options.seed + part)
    named, blocks = get_parameters(kernel)
    parameters = named + blocks
    if options.product:
        product = itertools.product(*[values for _, values in named])
        for row in itertools.islice(product, part, None, options.jobs):
            yield make_case(kernel, parameters, row + tuple(rng.choice(values) for _, values in blocks))
        return
    for row in cover_pairs(parameters, rng):
        yield make_case(kernel, parameters, row)
    for _ in range(options.random):
        row = tuple(rng.choice(values) for _, values in parameters)
        yield make_case(kernel, parameters, row, rng)


def check(path, part, options):
    """Verdicts, and what to print of those that are not right."""
    kernel = Kernel(options.program, path)
    counts, lines = collections.Counter(), []
    cases = make_cases(kernel, options, part)
    while batch := list(itertools.islice(cases, 1000)):
        for case, (verdict, why) in zip(batch, kernel.run(batch, everything=True)):
            counts[verdict] += 1
            if verdict != "right":
                lines.append(f"  {verdict}: {case}: {why.strip()}")
    kernel.close()
    return counts, lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", metavar="TILEC_RUN_CASES")
    parser.add_argument("examples", nargs="*", type=pathlib.Path)
    parser.add_argument("--random", type=int, default=200)
    parser.add_argument("--product", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_intermixed_args()
    examples = options.examples or find_examples()
    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        parts = [[pool.submit(check, path, part, options) for part in range(options.jobs if options.product else 1)]
                 for path in examples]
        for path, answers in zip(examples, parts):
            counts, lines = collections.Counter(), []
            for answer in answers:
                counts += answer.result()[0]
                lines += answer.result()[1]
            print(f"{path.name}: {counts['right']} right, {counts['refused']} refused, {counts['caught']} wrong")
            print("\n".join(lines[:20]), end="\n" if lines else "", flush=True)
            wrong += len(lines)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
