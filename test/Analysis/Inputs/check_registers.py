"""Holds estimated registers against those of the compiler: check_registers.py TILEC-PREDICT EXAMPLES TARGET PERCENT

Prints both for each example that compiles for the target, and how many differ by more than PERCENT."""

import json
import pathlib
import subprocess
import sys
import tempfile


def main():
    predict, examples, target, percent = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])
    nests = sorted(examples.rglob("*.mlir"))
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as listed:
        listed.write("".join(f"{nest}\t\n" for nest in nests))
        listed.flush()
        lines = subprocess.run([predict, target, listed.name, "cubin"], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    beyond = compared = 0
    for nest, kernel in zip(nests, map(json.loads, lines)):
        if "error" in kernel:
            continue
        estimate, real = (kernel["resources"][key] for key in ("registers_estimated", "registers"))
        off = abs(estimate - real) * 100 > percent * real
        compared += 1
        beyond += off
        print(f"{nest.stem}: estimated {estimate}, compiled {real}{', beyond' if off else ''}")
    print(f"{compared} compared, {beyond} beyond {percent} percent" if compared > 10 else f"only {compared} compared")


main()
