"""broken_text.py TILEC_RUN_CASES NEST: how a kernel without any barrier is caught."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))

from case_runner import Kernel

kernel = Kernel(sys.argv[1], sys.argv[2])
text = kernel.about["cuda"].replace("    sync_block();\n", "")
shape = {size: 64 for size in kernel.about["sizes"]}
for verdict, why in kernel.run([{"shape": shape}], text):
    print(f"{verdict}: {why.strip()}")
kernel.close()
