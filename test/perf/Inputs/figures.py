"""Checks the figures of test/perf/model on numbers worked by hand."""

import importlib.machinery
import importlib.util
import os
import pathlib
import stat
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(FOLDER))
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("model", str(FOLDER / "model"))
model = importlib.util.module_from_spec(importlib.util.spec_from_loader("model", loader))
loader.exec_module(model)

# Ranks 1, 2.5, 2.5, 4; against 1, 2, 3, 4: sums of (-1.5, 0, 0, 1.5) * (-1.5, -.5, .5, 1.5) = 4.5, sqrt(4.5 * 5) = 4.7434.
assert model.ranks([10, 20, 20, 30]) == [1, 2.5, 2.5, 4]
assert abs(model.spearman([10, 20, 20, 30], [1, 2, 3, 4]) - 4.5 / 4.743416) < 1e-6
assert model.spearman([1, 2, 3], [3, 2, 1]) == -1

# 1 ms at 1.98 GHz are 1.98e6 cycles; 1.8e6 are 9.09 % too few. Shared memory is ncu's l1, which is within 5 of issue.
row = model.judge({"seconds": 1e-3, "clock_ghz": 1.98, "ncu": {"dram": 10.0, "l1": 77.0, "issue": 81.0, "fma": 75.9}},
                  {"cycles": 1.8e6, "seconds": 0.9e-3, "unit": "fma", "resources": {"issue": 1.7e6, "smem": 1.8e6}})
assert round(row["measured"]) == 1980000 and abs(row["error"] + 1 / 11) < 1e-9 and abs(row["time_error"] + 0.1) < 1e-9
assert row["tops"] == ["issue", "l1"] and row["unit"] == "l1" and row["agrees"]
row = model.judge({"seconds": 1e-3, "clock_ghz": 1.98, "ncu": {"dram": 90.0, "l1": 20.0}},
                  {"cycles": 1.8e6, "seconds": 0.9e-3, "unit": "fma", "resources": {"compute": 1.8e6}})
assert row["agrees"] is False
# On ncu's scale L2 is busy for 0.63 * 1.8e6 = 1.134e6 cycles, less than issue; what mma.sync computes for 0.757 * 1.6e6 = 1.211e6, more.
assert model.busiest_unit({"l2": 1.8e6, "issue": 1.2e6}, "fma") == "issue"
assert model.busiest_unit({"l2": 1.8e6, "issue": 1.2e6, "compute": 1.6e6}, "mma") == "fma"

# What ncu writes: notes, names, units, a row for each launch; values with separators.
log = '''==PROF== noise
"ID","Kernel Name","dram__throughput.x","sm__cycles_elapsed.max"
"","","%","cycle"
"0","add","12.5","1,234,567"
"1","mul","99","-"
'''
metrics = {"dram": "dram__throughput.x", "cycles": "sm__cycles_elapsed.max", "l2": "absent"}
assert model.read_profiles(log, metrics) == ([("add", {"dram": 12.5, "cycles": 1234567.0}), ("mul", {"dram": 99.0})], "")
assert model.read_profiles("==ERROR== no permission\n", metrics) == ([], "==ERROR== no permission")

# Four lines: one cannot be compiled, the others take 1, 2 and 3 us; profiles begin with the end of the held half. The second
# launch of ncu's is of another kernel than the one that ran.
MEASURE = """#!/bin/sh
[ $# = 3 ] && [ $3 != 15 ] && exit 2
number=0
while read -r file shape; do
  number=$((number + 1))
  case $shape in
  *=0) echo '{"error": "no kernel"}' ;;
  *) echo "{\\"kernel\\": \\"${shape%=*}\\", \\"seconds\\": ${number}e-6, \\"device\\": \\"H100\\"}" ;;
  esac
done < "$1"
"""
NCU = """#!/bin/sh
[ "$1" = --query-metrics ] && echo "sm__cycles_elapsed   Counter" && exit 0
while [ "$1" != --log-file ]; do shift; done
log=$2; shift 2
printf '"ID","Kernel Name","sm__cycles_elapsed.max"\\n"","","cycle"\\n"0","d","40"\\n"1","x","20"\\n"2","c","30"\\n' > "$log"
exec "$@"
"""
with tempfile.TemporaryDirectory() as folder:
    for name, text in ("ncu", NCU), ("measure", MEASURE):
        script = pathlib.Path(folder) / name
        script.write_text(text)
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
    os.environ["NCU"] = os.path.join(folder, "ncu")
    entries = [(half, "examples/vecadd.mlir", shape) for half, shape in (("fit", "z=0"), ("held", "b=1"), ("fit", "c=1"), ("held", "d=1"))]
    kept = []
    model.measure_all(entries, os.path.join(folder, "measure"), model.Nests(folder), "h100-sxm", 60, lambda found: kept.append(len(found)))
    assert kept == [1, 2, 3, 4, 4]
    found = {}
    model.measure_all(entries, os.path.join(folder, "measure"), model.Nests(folder), "h100-sxm", 60, found.update)
    assert "seconds" not in found[entries[0]] and found[entries[0]]["error"] == "no kernel" and "ncu" not in found[entries[0]]
    assert [found[entry]["seconds"] for entry in entries[1:]] == [2e-6, 3e-6, 4e-6]
    assert found[entries[3]]["ncu"] == {"sm__cycles_elapsed": 40} and found[entries[2]]["ncu"] == {"sm__cycles_elapsed": 30}
    assert found[entries[1]]["ncu"] == {"error": "expected a profile of 'b', got one of 'x'"}
print("as worked by hand")
