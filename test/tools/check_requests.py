"""Holds wavefronts and sectors that the analysis predicts against those that the emulator counts.

  check_requests.py TILEC FILE [OPTION...] [-- FILE [OPTION...]]...

Runs each file in the emulator with its options. Every access of the nest whose figures are both known must have them equal.
Prints how many accesses were compared and how many figures were not known; exit status 1 where one differs.
"""

import collections
import json
import subprocess
import sys


def compare(report):
    """What is to say of a report: (accesses compared, accesses with a figure unknown, differences in words)."""
    compared, unknown, differences = 0, 0, []
    for kernel in report["kernels"]:
        for key, unit in [("banks", "wavefronts"), ("coalescing", "sectors")]:
            for access in kernel[key]:
                predicted, counted = access["total_" + unit], access["counted_" + unit]
                if predicted is None or counted is None:
                    unknown += 1
                    continue
                compared += 1
                if predicted != counted:
                    differences.append(f"{access['location']}: {access['access']} of {access['operand']}: "
                                       f"{predicted} {unit} predicted, {counted} counted")
    return compared, unknown, differences


def main():
    tilec, *words = sys.argv[1:]
    runs, totals, wrong = [[]], collections.Counter(), []
    for word in words:
        if word == "--":
            runs.append([])
        else:
            runs[-1].append(word)
    for run in runs:
        command = [tilec, *run, "--run=cpu", "--emit=report", "--format=json"]
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        if result.returncode != 0:
            wrong.append(f"{' '.join(run)}: status {result.returncode}: {result.stderr.strip()[-600:]}")
            continue
        compared, unknown, differences = compare(json.loads(result.stdout))
        totals.update(compared=compared, unknown=unknown)
        wrong += [f"{' '.join(run)}: {difference}" for difference in differences]
    print("\n".join(wrong))
    print(f"{totals['compared']} compared, {totals['unknown']} not known, {len(wrong)} wrong")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
