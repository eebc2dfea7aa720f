"""Holds estimated registers against those of the compiler: check_registers.py TILEC EXAMPLES TARGET PERCENT

Prints both for each example that compiles for the target, and how many differ by more than PERCENT."""

import json
import pathlib
import subprocess
import sys
import tempfile

def report(tilec, nest, target):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([tilec, str(nest), "--target=" + target, "--format=json", "--emit=report,cubin", "-o", folder + "/"],
                              capture_output=True, text=True, check=False)
        found = list(pathlib.Path(folder).glob("*.json"))
        if done.returncode or not found:
            return None
        return json.loads(found[0].read_text())["kernels"][0]["resources"]


def main():
    tilec, examples, target, percent = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])
    beyond = compared = 0
    for nest in sorted(examples.rglob("*.mlir")):
        resources = report(tilec, nest, target)
        if not resources:
            continue
        estimate, real = (resources[key] for key in ("registers_estimated", "registers"))
        off = abs(estimate - real) * 100 > percent * real
        compared += 1
        beyond += off
        print(f"{nest.stem}: estimated {estimate}, compiled {real}{', beyond' if off else ''}")
    print(f"{compared} compared, {beyond} beyond {percent} percent" if compared > 10 else f"only {compared} compared")


main()
