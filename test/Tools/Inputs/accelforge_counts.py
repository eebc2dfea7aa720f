"""Has AccelForge count what an exported mapping moves, and holds it against a report.

  accelforge_counts.py EXPORT.yaml REPORT.json

AccelForge needs Python 3.12 and up: the interpreters tried are ACCELFORGE_PYTHON, the one that runs this, and python3.12 to python3.14 on
the path. What it counts are words; inputs are those written to a memory, results those written to DRAM.
"""

import json
import os
import shutil
import subprocess
import sys

COUNT = """
import json, sys
import accelforge
counts = {}
result = accelforge.Spec.from_yaml(sys.argv[1]).evaluate_mapping().data
for column in result.columns:
    parts = column.split("<SEP>")
    if parts[1] == "action" and parts[4] == "write":
        counts[parts[3] + " " + parts[2]] = float(result[column].iloc[0])
print("counts", json.dumps(counts))
"""
KNOWN = "import importlib.util, sys; sys.exit(importlib.util.find_spec('accelforge') is None)"


def find():
    names = [os.environ.get("ACCELFORGE_PYTHON"), sys.executable, *(shutil.which(f"python3.{minor}") for minor in (12, 13, 14))]
    for name in filter(None, names):
        if subprocess.run([name, "-c", KNOWN], capture_output=True, check=False).returncode == 0:
            return name
    return None


def main():
    python = find()
    if not python:
        print("SKIPPED: AccelForge is not installed (neither in this Python nor in python3.12 to python3.14 nor in ACCELFORGE_PYTHON)")
        return
    done = subprocess.run([python, "-c", COUNT, sys.argv[1]], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit("AccelForge refuses the file, but should not: " + done.stderr[-500:])
    counts = json.loads(next(line for line in done.stdout.splitlines() if line.startswith("counts "))[len("counts "):])
    report = json.load(open(sys.argv[2]))["kernels"][0]
    for stage in report["stages"]:
        for operand in stage["operands"]:
            key = operand["name"] + " " + ("DRAM" if operand["to"] == "dram" else operand["to"])
            if key not in counts:
                continue
            moved = int(counts[key] * 4)
            print(key, moved, "as counted" if moved == operand["bytes"] else f"but tilec counts {operand['bytes']}")


main()
