"""Counts what an exported mapping moves by Timeloop's rule, and holds it against a report.

  timeloop_fills.py EXPORT.yaml REPORT.json

Fills of a level are its tile times all temporal factors outside, without the contiguous run of loops directly around the
level that do not move the operand; times all spatial factors outside. Timeloop itself is run on the file where it is found.
"""

import json
import re
import shutil
import subprocess
import sys

text = open(sys.argv[1]).read()
report = json.load(open(sys.argv[2]))["kernels"][0]

dims = re.search(r"dimensions: \[(.*)\]", text)[1].split(", ")
spaces = {name: re.findall(r"\[\[(\w+)\]\]", rest) for name, rest in re.findall(r"- \{name: (\w+), projection: (.*?)(?:, read_write.*)?\}", text)}
instance = {k: int(v) for k, v in re.findall(r"(\w+): (\d+)", re.search(r"instance: \{(.*)\}", text)[1])}
levels = []
for target, kind, factors, order in re.findall(r"- \{target: (\w+), type: (temporal|spatial), factors: \[(.*?)\], permutation: \[(.*?)\]\}", text):
    pairs = dict(f.split("=") for f in factors.split(", "))
    # Innermost first.
    levels.append((target, kind, [(d, int(pairs[d])) for d in order.split(", ")]))
for dim, extent in instance.items():
    product = 1
    for _, _, loops in levels:
        product *= dict(loops)[dim]
    assert product == extent, (dim, product, extent)


def fills(operand, inside):
    """Elements that all levels from `inside` on (targets) are filled with."""
    moved = spaces[operand]
    tile, outside = 1, []
    for target, kind, loops in levels:
        for dim, factor in reversed(loops):
            if target in inside:
                tile *= factor if dim in moved else 1
            else:
                outside.append((dim, factor, kind))
    while outside and outside[-1][2] == "temporal" and (outside[-1][0] not in moved or outside[-1][1] == 1):
        outside.pop()
    for dim, factor, kind in outside:
        tile *= factor
    return tile


for stage in report["stages"]:
    for operand in stage["operands"]:
        if operand["role"] != "input" or operand["name"] not in spaces:
            continue
        inside = {"smem", "thread", "rf"} if operand["to"] == "smem" else {"rf"}
        count = fills(operand["name"], inside) * 4
        print(operand["name"], operand["to"], count, "as counted" if count == operand["bytes"] else f"but tilec counts {operand['bytes']}")

model = shutil.which("timeloop-model") or shutil.which("tl")
if not model:
    print("SKIPPED: Timeloop is not installed (neither timeloop-model nor tl is on the path)")
else:
    done = subprocess.run([model, sys.argv[1]], capture_output=True, text=True, check=False)
    print("Timeloop:", "accepts" if done.returncode == 0 else done.stderr[-500:])
