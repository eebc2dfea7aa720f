"""raster_orders.py TILEC NEST MACHINE CLAUSES ORDERS SHAPES [counted|cut]

Runs a nest in the emulator with each raster of ORDERS (parted by ;) and each shape of SHAPES (parted by spaces).
CLAUSES replace what the nest says between `on block` or `on cluster` and the brace, with {} for the raster. With
`counted`, the bytes of inputs that differ in each wave must be those of the sectors that the emulator saw in the
blocks of each wave; extents are then whole tiles. With `cut`, the loop over k has `tail(cut)`.
"""

import json
import re
import subprocess
import sys

tilec, nest, machine, clauses, orders, shapes = sys.argv[1:7]
with open(nest, encoding="utf-8") as file:
    text = file.read()
runs = 0
for order in orders.split(";"):
    clause = clauses.format(f"raster({order})")
    changed, places = re.subn(r"on (block|cluster)\b[^{]*{", lambda found: f"on {found[1]} {clause} {{", text, count=1)
    assert places == 1
    if "cut" in sys.argv[7:]:
        changed = re.sub(r"(tile\.for \(%k0\) in \(%K\) by \(\d+\) at dram)", r"\1 tail(cut)", changed)
    for shape in shapes.split():
        command = [tilec, "-", f"--target={machine}", f"--shape={shape}", "--run=cpu", "--verify", "--emit=report", "--advice=off",
                   "--format=json", "-o", "-"]
        result = subprocess.run(command, input=changed, text=True, capture_output=True)
        where = f"raster({order}) at {shape}"
        if result.returncode != 0:
            sys.exit(f"{where} ended with status {result.returncode}:\n{result.stderr}")
        kernel = json.loads(result.stdout)["kernels"][0]
        if "counted" in sys.argv[7:]:
            counted, predicted = kernel["counted_dram"]["least_bytes_read"], kernel["raster"]["unique_bytes"]
            if counted != predicted:
                sys.exit(f"{where}: the blocks of a wave read {counted} different bytes, {predicted} are predicted")
        runs += 1
print(runs, "runs right")
