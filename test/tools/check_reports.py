"""Holds reports against tilec itself: what they advise is tried, what they say twice is compared, and machines are changed.

  check_reports.py TILEC EXAMPLES [--machines=NAME,...] [--cases=N] [--perturb=N] [--only=TEXT] [--jobs=N]

Over the examples and the nests of report_nests.py, on each machine, or N of these cases, drawn at random:

  advice       each nest that a report proposes compiles and takes the time that is said, which is less than the nest's own
  suggestions  those of stages and warnings are among the advice
  headline     it is about the limiter, and so is each warning that a level starves the units
  bounds       none lies above the figure that it bounds
  explore      says what the report says
  machines     no faster machine makes a nest slower, no slower one faster: N of the 21 perturbations (all by default) are drawn for each case
"""

import argparse
import concurrent.futures
import json
import os
import random
import re
import subprocess
import sys
import tempfile

from report_nests import list_nests

MACHINES = ["a10", "a100-80gb-sxm", "a100-40gb", "h100-sxm", "h200", "b200", "l40s", "rtx3090", "rtx4090", "v100"]

# (key, factor, the way in which time may go): -1 not up, 1 not down.
# A larger L2 also holds more results of others, which a kernel drives out: nothing is said of its capacity.
PERTURBATIONS = [(key, factor, -sign if factor > 1 else sign) for key, sign in [
    ("sms", 1), ("levels.dram.bandwidth", 1), ("levels.dram.latency", -1), ("levels.l2.bandwidth", 1),
    ("levels.l2.latency", -1), ("levels.l2.loaded_latency", -1), ("levels.smem.latency", -1), ("levels.smem.capacity", 1),
    ("levels.rf.capacity", 1), ("limits.registers_per_thread", 1)] for factor in (2, 0.5)] + [("levels.smem.bandwidth", 0.5, 1)]
# Printed figures have four digits.
ROUNDING = 1.0011
# Where more blocks run together, waves end elsewhere and share a little more or less; and layouts are planned by requests of which the time knows
# that the compiler joins some.
WAVES = 1.005


def list_examples(root):
    shapes = {"fast/s2": "m=4096,n=4096,k=4096"}
    for folder, _, files in sorted(os.walk(root)):
        for file in sorted(files):
            name = os.path.relpath(os.path.join(folder, file), root)
            if name.endswith(".mlir") and not name.startswith("embed"):
                with open(os.path.join(folder, file), encoding="utf-8") as source:
                    yield name, source.read(), shapes.get(name[:-5], "")


def parse_numbers(described):
    """The numbers that --print-target lists, by path."""
    numbers = {}
    for line in described.splitlines():
        match = re.match(r"\s*([a-z0-9_.]+)\s+([0-9.e+]+)\s", line)
        if match:
            numbers[match[1]] = float(match[2])
    return numbers


class Tilec:
    def __init__(self, path, folder):
        self.path, self.folder = path, folder
        self.numbers = {}
        self.perturbed = {}

    def run(self, arguments, text=""):
        done = subprocess.run([self.path, *arguments], input=text, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    def report(self, text, machine, shape, emit="report"):
        """(the kernel's record or None, what was said)"""
        options = [f"--emit={emit}", "--format=json", f"--target={machine}"] + ([f"--shape={shape}"] if shape else [])
        code, out, said = self.run(["-", *options], text)
        return (json.loads(out)["kernels"][0] if code == 0 else None), said

    def number(self, machine, key):
        if machine not in self.numbers:
            code, out, said = self.run([f"--print-target={machine}"])
            if code:
                sys.exit(said)
            self.numbers[machine] = parse_numbers(out)
        return self.numbers[machine].get(key)

    def perturb(self, machine, key, factor):
        """The path of a machine file, or None where the machine has no such number."""
        place = (machine, key, factor)
        if place not in self.perturbed:
            value = self.number(machine, key)
            self.perturbed[place] = None
            if value is not None:
                path = os.path.join(self.folder, f"{machine}-{key}-{factor}.yaml")
                value = value * factor
                value = int(value) if key.startswith("limits.") else value
                lines = [f"inherit: {machine}", "name: other"]
                changes = {key: value}
                if key == "levels.smem.capacity":
                    reserved = self.number(machine, key) - self.number(machine, "limits.smem_per_block")
                    changes["limits.smem_per_block"] = value - reserved
                if key == "levels.smem.bandwidth":
                    value = max(value, 1)
                for name, number in changes.items():
                    parts = name.split(".")
                    whole = number == int(number)
                    lines.append(": {".join(parts) + f": {int(number) if whole else number}" + "}" * (len(parts) - 1))
                with open(path, "w", encoding="utf-8") as file:
                    file.write("\n".join(lines) + "\n")
                self.perturbed[place] = path
        return self.perturbed[place]


def seconds(record):
    return record["predicted"]["seconds"]


def first_error(errors):
    return next((line for line in errors.splitlines() if "error:" in line), errors)


def check_advice(tilec, case, record, wrong):
    own = seconds(record)
    said = {advice["change"] for advice in record["advice"]}
    for advice in record["advice"]:
        what = advice["change"]
        code, _, errors = tilec.run(["-", "--emit=cuda", f"--target={case.machine}", "--arch=sm_90a"] + case.shape_option(), advice["nest"])
        if code:
            wrong(f"advice '{what}' is rejected: {first_error(errors)}")
            continue
        changed, errors = tilec.report(advice["nest"], case.machine, case.shape)
        if not changed or not seconds(changed):
            wrong(f"advice '{what}' has no time")
        elif seconds(changed) >= own:
            wrong(f"advice '{what}' makes it {seconds(changed) / own:.3f} times as long")
        elif not advice["seconds"] / ROUNDING <= seconds(changed) <= advice["seconds"] * ROUNDING:
            wrong(f"advice '{what}' is to take {advice['seconds']}, but takes {seconds(changed)}")
    for stage in record["stages"]:
        for suggestion in stage["suggestions"] + [s for via in stage["via"] for s in via.get("suggestions", [])]:
            if suggestion["change"] not in said:
                wrong(f"stage {stage['from']} -> {stage['to']} suggests '{suggestion['change']}', which is no advice")
    for diagnostic in record["diagnostics"]:
        for fix in diagnostic["fixes"]:
            if fix["change"] not in said:
                wrong(f"a warning suggests '{fix['change']}', which is no advice")


def check_headline(record, wrong):
    headline, limiter = record["headline"], record["limiter"]
    if seconds(record) and not headline.startswith(f"Limited by {limiter}"):
        wrong(f"the headline is '{headline}', the limiter {limiter}")
    times = record["predicted"]["resource_cycles"] or {}
    if times and limiter != max(times, key=times.get) and not record["limiter_reason"]:
        wrong(f"{limiter} limits, but {max(times, key=times.get)} is busy longest, and nothing explains it")
    for diagnostic in record["diagnostics"]:
        starved = re.match(r"(\w+) -> \w+ needs .* reuse", diagnostic["message"])
        levels = {"dram": ["dram", "l2"], "smem": ["smem", "l1"]}
        if starved and limiter not in levels[starved[1]]:
            wrong(f"limited by {limiter}, but warned: {diagnostic['message']}")


def check_bounds(record, wrong):
    bound = record["lower_bound"]
    if bound and bound["bytes"] > bound["moved_bytes"]:
        wrong(f"the bound is {bound['bytes']}, {bound['moved_bytes']} are moved")
    times = record["predicted"]["resource_cycles"] or {}
    least = record["predicted"]["least_cycles"]
    if least and least > record["predicted"]["cycles"] * ROUNDING:
        wrong(f"no order takes less than {record['least_cycles']} cycles, but {record['predicted']['cycles']} are predicted {times}")


def explore(tilec, case, machine):
    """(what explore says of the nest on `machine`, or None, and why not)"""
    code, out, errors = tilec.run(["explore", "-", "--format=json", f"--target={machine}"] + case.shape_option(), case.text)
    return (None, errors) if code else (json.loads(out)["kernels"][0]["machines"][0], "")


def check_explore(tilec, case, record, wrong):
    row, errors = explore(tilec, case, case.machine)
    if not row:
        wrong(f"explore fails: {first_error(errors)}")
        return
    for key in ("cycles", "seconds"):
        ours, theirs = record["predicted"][key], row[key]
        if (ours is None) != (theirs is None) or (ours and not 1 / ROUNDING <= ours / theirs <= ROUNDING):
            wrong(f"explore has {key} {theirs}, the report {ours}")
    if row["limiter"] != record["limiter"]:
        wrong(f"explore has limiter {row['limiter']}, the report {record['limiter']}")


def check_machines(tilec, case, wrong, drawn):
    own = explore(tilec, case, case.machine)[0]["seconds"]
    for key, factor, way in drawn:
        path = tilec.perturb(case.machine, key, factor)
        if not path:
            continue
        row, errors = explore(tilec, case, path)
        if not row:
            wrong(f"{key} * {factor}: {first_error(errors)}")
        elif not row["refused"] and (not row["seconds"] or (row["seconds"] / own) ** -way > WAVES):
            wrong(f"{key} * {factor} takes {(row['seconds'] or 0) / own:.4f} times as long")


class Case:
    def __init__(self, name, text, shape, machine):
        self.name, self.text, self.shape, self.machine = name, text, shape, machine

    def shape_option(self):
        return [f"--shape={self.shape}"] if self.shape else []


def check(tilec, case, perturbations):
    found = []

    def wrong(message):
        found.append(f"{case.name} on {case.machine}: {message}")

    record, errors = tilec.report(case.text, case.machine, case.shape)
    if not record:
        refused = re.search(r"lacks|shared memory|threads|registers", errors)
        return (0, [] if refused else [f"{case.name} on {case.machine}: {errors}"])
    check_headline(record, wrong)
    check_bounds(record, wrong)
    check_advice(tilec, case, record, wrong)
    check_explore(tilec, case, record, wrong)
    if seconds(record):
        rng = random.Random(case.name + case.machine)
        check_machines(tilec, case, wrong, rng.sample(PERTURBATIONS, min(perturbations, len(PERTURBATIONS))))
    return 1, found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tilec")
    parser.add_argument("examples")
    parser.add_argument("--machines", default=",".join(MACHINES))
    parser.add_argument("--cases", type=int)
    parser.add_argument("--perturb", type=int, default=len(PERTURBATIONS))
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    nests = [nest for nest in list(list_examples(options.examples)) + list_nests() if options.only in nest[0]]
    cases = [Case(*nest, machine) for nest in nests for machine in options.machines.split(",")]
    if options.cases:
        # By numbers of their own, so that another example leaves the others drawn.
        cases = sorted(cases, key=lambda case: random.Random(case.name + case.machine).random())[:options.cases]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        tilec = Tilec(options.tilec, folder)
        reports, wrong = 0, []
        for count, found in pool.map(lambda case: check(tilec, case, options.perturb), cases):
            reports += count
            wrong += found
    for line in wrong:
        print(line)
    print(f"{len(cases)} cases, {reports} reports, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
