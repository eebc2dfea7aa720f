"""Prints the bytes of DATAFLOW's operands in an exploration, and whether a report of a nest written so has the same.

  same_bytes.py EXPLORATION DATAFLOW=REPORT...
"""

import json
import sys

explored = {d["dataflow"]: d["bytes"] for d in json.load(open(sys.argv[1]))["kernels"][0]["machines"][0]["dataflows"]}
for pair in sys.argv[2:]:
    dataflow, _, path = pair.partition("=")
    report = json.load(open(path))["kernels"][0]
    bytes_of = {o["name"]: o["bytes"] for s in report["stages"] for o in s["operands"] if "dram" in (o["from"], o["to"])}
    same = bytes_of == explored[dataflow]
    print(f"{dataflow}: {dict(sorted(bytes_of.items()))}", "both" if same else f"but explored {explored[dataflow]}")
