"""Holds what the report predicts of a kernel's traffic against what the emulator counts, on launches of awkward shapes.

  check_counts.py TILEC EXAMPLES INPUTS

Every operand of every stage must have bytes and port bytes, predicted and counted, and every access requests and wavefronts or
sectors: all known, and all equal. A difference is an error of the command itself (status 4); here no figure may be absent either.
EXAMPLES is the folder of the examples, INPUTS one of further nests and of machine files. Prints how many figures were compared; exit status 1 where one
is absent or differs.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

from case_runner import find_target

# Sizes by their names in lower case, and further options. Edges, whole tiles, rows that are multiples of 16 bytes and those that are not.
# Of results of windows; of tables that indices number; of scales.
WINDOWS = {"o": 5, "p": 9, "q": 20, "v": 7, "d": 66, "b": 11, "x": 3, "ns": 2, "ks": 2}
LAUNCHES = [
    ({"m": 70, "n": 65, "k": 33, "j": 3, **WINDOWS}, []),
    ({"m": 260, "n": 136, "k": 100, "j": 2, **WINDOWS}, []),
    ({"m": 129, "n": 31, "k": 17, "j": 5, **WINDOWS}, ["order=columns"]),
    ({"m": 33, "n": 258, "k": 64, "j": 1, **WINDOWS}, ["gap=3", "offset=1"]),
    ({"m": 1, "n": 2, "k": 0, "j": 1, **WINDOWS}, []),
    ({"m": 9, "n": 1, "k": 1, "j": 1, **WINDOWS}, []),
]


def pairs(kernel):
    """(operand, what, predicted, counted) of every figure that has both."""
    for stage in kernel["stages"]:
        for operand in stage["operands"]:
            name = f"{operand['name']}, {stage['from']} -> {stage['to']}"
            for key in ("bytes", "port_bytes"):
                yield operand["name"], f"{name}: {key}", operand[key], operand["counted_" + key]
    for key, unit in (("banks", "wavefronts"), ("coalescing", "sectors"), ("constants", "accesses")):
        for access in kernel[key]:
            name = f"{access['location'].rsplit('/')[-1]}, {access['access']} of {access['operand']}"
            yield access["operand"], f"{name}: requests", access["requests"], access["counted_requests"]
            yield access["operand"], f"{name}: {unit}", access["total_" + unit], access["counted_" + unit]


def check(tilec, path, target, launch):
    """(figures compared, complaints) of one launch."""
    sizes, words = launch
    text = path.read_text()
    signature = re.split("tile.program @" if "tile.program @" in text else "tile.kernel @", text, maxsplit=1)[1].split("{", 1)[0]
    types = dict(re.findall(r"^(!\w+) = (memref<.*>)", text, re.M))
    shape = ",".join(f"{name}={sizes[name.lower()]}" for name in sorted(set(re.findall(r"%(\w+): index", signature))))
    # What a type leaves open may be said of a launch.
    tensors = {name: types[alias] for name, alias in re.findall(r"%(\w+): (!\w+)", signature)}
    takes = {"order": lambda kind: "strided<[?, ?]>" in kind, "gap": lambda kind: "strided<[?, " in kind,
             "offset": lambda kind: True}
    command = [tilec, str(path), f"--target={target}", "--run=cpu", "--emit=report", "--advice=off", "--format=json", "-o", "-"]
    command += ["--shape=" + shape] if shape else []
    # Scalars are numbers other than 0 and 1, so that no branch on them stays closed.
    command += [f"--arg={name}.{word}" for word in words for name, kind in tensors.items() if takes[word.split("=")[0]](kind)]
    command += [f"--arg={scalar}=-0.5" for scalar in re.findall(r"%(\w+): f32", signature)]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    name = f"{path.name} {shape} {' '.join(words)}"
    if result.returncode != 0:
        return 0, [f"{name}: status {result.returncode}: {result.stderr.strip()[-600:]}"]
    figures = [figure for kernel in json.loads(result.stdout)["kernels"] for figure in pairs(kernel)]
    # Of what indices number nobody says beforehand which sectors it lies in.
    scattered = set(re.findall(r"%(\w+)\[[^\]]*\] (?:gather|scatter)\(", text))
    complaints = [f"{name}: {what}: {predicted} predicted, {counted} counted" for operand, what, predicted, counted in figures
                  if (predicted is None or predicted != counted) and not (predicted is None and operand in scattered)]
    return len(figures), complaints + ([] if figures else [f"{name}: no figures"])


def main():
    tilec, examples, inputs = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    # The last wave of a persistent kernel is cut where it has more tiles than the machine runs blocks; seed/verbatim.mlir fits no machine.
    targets = {"persistent.mlir": str(inputs / "five.yaml")}
    paths = sorted(path for folder in (examples, inputs) for path in folder.glob("**/*.mlir") if path.name != "verbatim.mlir")
    cases = [(path, targets.get(path.name, find_target(path) or "sm80"), launch) for path in paths for launch in LAUNCHES]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda case: check(tilec, *case), cases))
    complaints = [complaint for _, found in results for complaint in found]
    print("\n".join(complaints))
    print(f"{sum(number for number, _ in results)} figures of {len(cases)} launches compared, {len(complaints)} complaints")
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main()
