"""Runs generated nests through the command, each verified in the emulator.

  nest_sweep.py TILEC FIRST END [--jobs=N] [--seconds=N]

Each nest of nest_gen.py's seeds FIRST .. END - 1 must be right (status 0, which also says that the emulator counted what the analysis
predicts) or refused with an error that names a place in its text (status 1). Prints how many were, how many figures were held against
each other and how many of them one side did not know, the reasons for refusals, and the failures; exit status 1 where there is a
failure, or where fewer than half of the nests were accepted.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

from check_counts import pairs
from nest_gen import build, choose_genes


def check(tilec, folder, seconds, seed):
    """The verdict on one nest, why, and its figures: (predicted and counted, not known on one side)."""
    text = build(choose_genes(random.Random(seed)))
    header = json.loads(text.split("\n", 1)[0].partition("// nest: ")[2])
    path = pathlib.Path(folder) / f"{seed}.mlir"
    path.write_text(text)
    command = [tilec, str(path), "--run=cpu", "--verify", "--target=sm80", "--emit=report", "--format=json", "-o",
               folder + "/"]
    command += ["--shape=" + header["shape"]] if header["shape"] else []
    try:
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=seconds,
                                check=False)
    except subprocess.TimeoutExpired:
        return "failed", f"seed {seed}: not done after {seconds} s", (0, 0)
    if result.returncode == 0:
        report = path.with_suffix(".report.json")
        figures = [figure for kernel in json.loads(report.read_text())["kernels"] for figure in pairs(kernel)]
        report.unlink()
        unknown = sum(predicted is None or counted is None for _, predicted, counted in figures)
        return "right", "", (len(figures) - unknown, unknown)
    error = re.search(rf"{re.escape(str(path))}:\d+:\d+: error: (.*)", result.stdout)
    if result.returncode == 1 and error:
        return "refused", re.sub(r"\d+", "N", error[1]), (0, 0)
    return "failed", f"seed {seed}: status {result.returncode}: {result.stdout.strip()[-600:]}", (0, 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tilec")
    parser.add_argument("first", type=int)
    parser.add_argument("end", type=int)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=int, default=120)
    options = parser.parse_args()
    known, unknown = 0, 0
    counts, reasons = collections.Counter(), collections.Counter()
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        seeds = range(options.first, options.end)
        for verdict, why, figures in pool.map(lambda seed: check(options.tilec, folder, options.seconds, seed), seeds):
            counts[verdict] += 1
            known, unknown = known + figures[0], unknown + figures[1]
            if verdict == "refused":
                reasons[why] += 1
            elif verdict == "failed":
                print(why, flush=True)
    for reason, number in reasons.most_common():
        print(f"{number:5} refused: {reason}")
    print(f"{known} figures predicted and counted, {unknown} not known")
    print(f"{counts['right']} right, {counts['refused']} refused, {counts['failed']} failed")
    sys.exit(1 if counts["failed"] or 2 * counts["right"] < len(seeds) else 0)


if __name__ == "__main__":
    main()
