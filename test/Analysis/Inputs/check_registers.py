"""Holds estimated registers against those of the compiler: check_registers.py TILEC EXAMPLES

Prints both for each example that compiles for sm_90, and how many differ by more than a tenth."""

import json
import pathlib
import subprocess
import sys
import tempfile

# ptxas gains nothing from the 32 registers that cost no occupancy (docs/analysis.md).
FEWER = {"vecadd"}


def report(tilec, nest):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([tilec, str(nest), "--target=h100-sxm", "--format=json", "--emit=report,cubin", "-o", folder + "/"],
                              capture_output=True, text=True, check=False)
        found = list(pathlib.Path(folder).glob("*.json"))
        if done.returncode or not found:
            return None
        return json.loads(found[0].read_text())["kernels"][0]["resources"]


def main():
    tilec, examples = sys.argv[1], pathlib.Path(sys.argv[2])
    beyond = compared = 0
    for nest in sorted(examples.rglob("*.mlir")):
        resources = report(tilec, nest)
        if not resources:
            continue
        estimate, real = resources["registers_estimated"], resources["registers"]
        off = abs(estimate - real) > 0.1 * real
        compared += 1
        beyond += off and nest.stem not in FEWER
        print(f"{nest.stem}: estimated {estimate}, compiled {real}{', beyond a tenth' if off else ''}")
    print(f"{compared} compared, {beyond} beyond a tenth" if compared > 10 else f"only {compared} compared")


main()
