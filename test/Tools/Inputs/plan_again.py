"""plan_again.py TILEC EXAMPLES: is the text of every example that of its plan, and its plan that of the plan?"""

import pathlib
import re
import subprocess
import sys


def emit(kind, text, target):
    run = subprocess.run([sys.argv[1], "-", f"--target={target}", f"--emit={kind}", "-o", "-"], input=text, capture_output=True, text=True)
    return run.stdout if run.returncode == 0 else None


differ = count = 0
for path in sorted(pathlib.Path(sys.argv[2]).rglob("*.mlir")):
    text = path.read_text()
    target = "sm90" if re.search(r"copy\(tma\)|on cluster", text) else "sm80"
    plan, cuda = emit("plan", text, target), emit("cuda", text, target)
    if cuda is None:
        continue
    count += 1
    if emit("plan", plan, target) != plan or emit("cuda", plan, target) != cuda:
        differ += 1
        print(path.name, "differs")
print(f"{count} examples, {differ} differ")
