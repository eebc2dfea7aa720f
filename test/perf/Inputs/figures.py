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
                  {"cycles": 1.8e6, "seconds": 0.9e-3, "resources": {"issue": 1.7e6, "smem": 1.8e6}})
assert round(row["measured"]) == 1980000 and abs(row["error"] + 1 / 11) < 1e-9 and abs(row["time_error"] + 0.1) < 1e-9
assert row["tops"] == ["issue", "l1"] and row["unit"] == "l1" and row["agrees"]
row = model.judge({"seconds": 1e-3, "clock_ghz": 1.98, "ncu": {"dram": 90.0, "l1": 20.0}},
                  {"cycles": 1.8e6, "seconds": 0.9e-3, "resources": {"compute": 1.8e6}})
assert row["agrees"] is False

# What ncu writes: notes, names, units, values with separators.
with tempfile.TemporaryDirectory() as folder:
    ncu = pathlib.Path(folder) / "ncu"
    ncu.write_text("""#!/bin/sh
while [ "$1" != --log-file ]; do shift; done
printf '==PROF== noise\\n"ID","dram__throughput.x","sm__cycles_elapsed.max"\\n"","%%","cycle"\\n"0","12.5","1,234,567"\\n' > "$2"
""")
    ncu.chmod(ncu.stat().st_mode | stat.S_IXUSR)
    log = os.path.join(folder, "log")
    metrics = {"dram": "dram__throughput.x", "cycles": "sm__cycles_elapsed.max", "l2": "absent"}
    assert model.profile(str(ncu), metrics, ["true"], log, 20) == {"dram": 12.5, "cycles": 1234567.0}
    assert "error" in model.profile("/bin/false", metrics, ["true"], log + "2", 20)
print("as worked by hand")
