"""follow_advice.py TILEC FILE [OPTION]...: compiles each nest that the report of FILE proposes, holds its predicted time against what was said,
and its results in the emulator, on small numbers, against those of FILE."""

import json
import os
import subprocess
import sys
import tempfile

TILEC, FILE, *OPTIONS = sys.argv[1:]
SHAPE = "--shape=m=160,n=136,k=72"


def run(*arguments):
    return subprocess.run([TILEC, *arguments], capture_output=True, text=True, check=True).stdout


def report(path):
    return json.loads(run(path, *OPTIONS, "--emit=report", "--format=json"))["kernels"][0]


def results(path, folder):
    """C of a run on random numbers, as a list of floats: k is short, so that orders of additions differ by little."""
    saved = os.path.join(folder, "c.npy")
    run(path, *OPTIONS, SHAPE, "--run=cpu", "--save", f"C={saved}")
    with open(saved, "rb") as file:
        data = file.read()
    values = memoryview(data[-160 * 136 * 4:]).cast("f")
    return list(values)


own = report(FILE)
with tempfile.TemporaryDirectory() as folder:
    expected = results(FILE, folder)
    for advice in own["advice"]:
        path = os.path.join(folder, "advised.mlir")
        with open(path, "w", encoding="utf-8") as file:
            file.write(advice["nest"])
        seconds = report(path)["predicted"]["seconds"]
        faster = "faster" if seconds < own["predicted"]["seconds"] else "SLOWER"
        said = "as said" if abs(seconds / advice["seconds"] - 1) < 1e-3 else f"NOT as said: {seconds}"
        wrong = max(abs(a - b) for a, b in zip(expected, results(path, folder)))
        print(f"{advice['change']}: {faster}, {said}, {'same results' if wrong < 1e-4 else f'results WRONG by {wrong}'}")
