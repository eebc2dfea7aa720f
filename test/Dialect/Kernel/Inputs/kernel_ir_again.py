"""kernel_ir_again.py TILEC TILEC_OPT EXAMPLES: is the kernel IR of every example what tilec-opt reads and prints again?

Names of values come from the nest, which tilec-opt does not keep: the first round is compared without them, the second as it is.
"""

import pathlib
import re
import subprocess
import sys


def again(text):
    run = subprocess.run([sys.argv[2], "-", "--mlir-print-local-scope"], input=text, capture_output=True, text=True)
    return run.stdout if run.returncode == 0 else run.stderr


def without_names(text):
    return re.sub(r"%[A-Za-z0-9_$.-]+", "%", text).strip()


differ = count = 0
for path in sorted(pathlib.Path(sys.argv[3]).rglob("*.mlir")):
    target = "sm90" if re.search(r"copy\(tma\)|on cluster", path.read_text()) else "sm80"
    run = subprocess.run([sys.argv[1], path, f"--target={target}", "--emit=kernel-ir", "-o", "-"], capture_output=True, text=True)
    if run.returncode != 0:
        continue
    count += 1
    once = again(run.stdout)
    if without_names(once) != without_names(run.stdout) or again(once) != once or "tilec." in once:
        differ += 1
        print(path.name, "differs")
print(f"{count} examples, {differ} differ")
