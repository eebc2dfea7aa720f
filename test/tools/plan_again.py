"""plan_again.py TILEC EXAMPLES: is the text of every example that of its plan, and its plan that of the plan?"""

import pathlib
import subprocess
import sys

from case_runner import find_target


def emit(tilec, kind, text, target, *arguments):
    """What tilec makes of a text; None where it refuses it."""
    run = subprocess.run([tilec, "-", f"--target={target}", f"--emit={kind}", "-o", "-", *arguments], input=text, capture_output=True, text=True)
    return run.stdout if run.returncode == 0 else None


def differs(tilec, text, target, *arguments):
    """What the plan of a nest that tilec accepts gives otherwise than the nest: "plan", "cuda" or None."""
    plan = emit(tilec, "plan", text, target, *arguments)
    made = {kind: emit(tilec, kind, plan, target) for kind in ("plan", "cuda")}
    if made["plan"] != plan:
        return "plan"
    return "cuda" if made["cuda"] != emit(tilec, "cuda", text, target, *arguments) else None


def main():
    tilec, count, differ = sys.argv[1], 0, 0
    for path in sorted(pathlib.Path(sys.argv[2]).rglob("*.mlir")):
        text = path.read_text()
        target = "sm90" if find_target(path) else "sm80"
        if emit(tilec, "cuda", text, target) is None:
            continue
        count += 1
        if kind := differs(tilec, text, target):
            differ += 1
            print(f"{path.name}: the plan gives another {kind}")
    print(f"{count} examples, {differ} differ")


if __name__ == "__main__":
    main()
