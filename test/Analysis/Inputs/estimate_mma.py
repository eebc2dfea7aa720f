"""estimate_mma.py TILEC ROOT MAPPING...: registers that a product by mma.sync is estimated to take."""

import json
import pathlib
import subprocess
import sys

tilec, root = sys.argv[1], pathlib.Path(sys.argv[2])
sys.path.insert(0, str(root / "test" / "perf"))
sys.dont_write_bytecode = True

import mma_nests  # noqa: E402

for mapping in sys.argv[3:]:
    command = [tilec, "-", "--target=h100-sxm", "--emit=report", "--advice=off", "--format=json", "-o", "-"]
    done = subprocess.run(command, input=mma_nests.nest(mma_nests.parse(mapping)), text=True, capture_output=True, check=True)
    print(json.loads(done.stdout)["kernels"][0]["resources"]["registers_estimated"], "estimated")
