"""Runs generated nests through the command, each verified in the emulator.

  nest_sweep.py TILEC FIRST END [--jobs=N]

Each nest of nest_gen.py's seeds FIRST .. END - 1 must be right (status 0) or refused with an error that names a place in
its text (status 1). Prints how many were, the reasons for refusals, and the failures; exit status 1 where there is a
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

from nest_gen import build, choose_genes

SECONDS = 120


def check(tilec, folder, seed):
    """The verdict on one nest, and why."""
    text = build(choose_genes(random.Random(seed)))
    header = json.loads(text.split("\n", 1)[0].partition("// nest: ")[2])
    path = pathlib.Path(folder) / f"{seed}.mlir"
    path.write_text(text)
    command = [tilec, str(path), "--run=cpu", "--verify", "--target=sm80", "-o", folder + "/"]
    command += ["--shape=" + header["shape"]] if header["shape"] else []
    try:
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=SECONDS,
                                check=False)
    except subprocess.TimeoutExpired:
        return "failed", f"seed {seed}: not done after {SECONDS} s"
    # What the analysis predicts the emulator has counted, to the byte.
    if " counted" in result.stdout:
        return "failed", f"seed {seed}: {result.stdout.strip()[-600:]}"
    if result.returncode == 0:
        return "right", ""
    error = re.search(rf"{re.escape(str(path))}:\d+:\d+: error: (.*)", result.stdout)
    if result.returncode == 1 and error:
        return "refused", re.sub(r"\d+", "N", error[1])
    return "failed", f"seed {seed}: status {result.returncode}: {result.stdout.strip()[-600:]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tilec")
    parser.add_argument("first", type=int)
    parser.add_argument("end", type=int)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    counts, reasons = collections.Counter(), collections.Counter()
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        seeds = range(options.first, options.end)
        for verdict, why in pool.map(lambda seed: check(options.tilec, folder, seed), seeds):
            counts[verdict] += 1
            if verdict == "refused":
                reasons[why] += 1
            elif verdict == "failed":
                print(why, flush=True)
    for reason, number in reasons.most_common():
        print(f"{number:5} refused: {reason}")
    print(f"{counts['right']} right, {counts['refused']} refused, {counts['failed']} failed")
    sys.exit(1 if counts["failed"] or 2 * counts["right"] < len(seeds) else 0)


if __name__ == "__main__":
    main()
