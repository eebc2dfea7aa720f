"""What generators of nests and the sweeps that run them have in common: command lines, and how a nest goes through the command."""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import re
import shlex
import subprocess
import tempfile

from check_counts import pairs
from plan_again import differs
from plan_decisions import redecide


def make_parser(description):
    return argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)


def fails(command, text):
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(text)
        file.flush()
        return subprocess.run(shlex.split(command) + [file.name], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, check=False).returncode != 0


def run_generator(description, generate, shrink):
    """SEED [END] prints generate(seed) of each, --shrink=CMD what shrink(seed, command) makes of one."""
    parser = make_parser(description)
    parser.add_argument("--shrink", metavar="CMD")
    parser.add_argument("seed", type=int)
    parser.add_argument("end", type=int, nargs="?")
    options = parser.parse_args()
    if options.shrink:
        print(shrink(options.seed, options.shrink), end="")
        return
    end = options.seed + 1 if options.end is None else options.end
    print("\n// -----\n\n".join(generate(seed) for seed in range(options.seed, end)), end="")


def make_sweep_parser(description):
    parser = make_parser(description)
    parser.add_argument("tilec")
    parser.add_argument("first", type=int)
    parser.add_argument("end", type=int)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--gpu", metavar="TARGET")
    parser.add_argument("--decide", action="store_true")
    parser.add_argument("--again", action="store_true")
    return parser


def sweep(options, check, work):
    """What `check` of the options makes of each piece of work, in order, several at a time."""
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        yield from pool.map(lambda piece: check(options, piece), work)


class Tally:
    """What became of the nests of a sweep."""

    def __init__(self, options):
        self.options, self.known, self.unknown = options, 0, 0
        self.counts, self.reasons, self.classes, self.failed = (collections.Counter() for _ in range(4))

    def add(self, nest, quiet=False):
        self.counts[nest.verdict] += 1
        self.known, self.unknown = self.known + nest.known, self.unknown + nest.unknown
        self.classes[nest.kind] += 1
        if nest.verdict == "failed":
            self.failed[nest.kind] += 1
            if not quiet:
                print(nest.why, flush=True)
        elif nest.verdict != "right":
            self.reasons[f"{nest.verdict}: {nest.why}"] += 1

    def print_reasons(self):
        for reason, number in sorted(self.reasons.items()):
            print(f"{number:5} {reason}")

    def print_classes(self, note=lambda name: ""):
        for name, number in sorted(self.classes.items()):
            print(f"{number:5} {name}: {self.failed[name]} failed{note(name)}")

    def print_figures(self):
        if not self.options.gpu:
            print(f"{self.known} figures predicted and counted, {self.unknown} not known")


class SweptNest:
    """One nest, and what became of it in the command; `machine` is where the emulator runs it, `kind` what it is counted among."""

    kind = ""

    def __init__(self, seed, title, text, machine):
        self.seed, self.title, self.text, self.machine = seed, title, text, machine
        self.verdict, self.why, self.known, self.unknown, self.decided = "", "", 0, 0, False

    def fail(self, why):
        self.verdict, self.why = "failed", f"{self.title}: {why}"

    def keep(self, folder):
        """Writes the text to a folder, with what is wrong."""
        pathlib.Path(folder).mkdir(exist_ok=True)
        (pathlib.Path(folder) / f"{self.seed}.mlir").write_text(self.text + f"// {self.why}\n".replace("\n", "\n// ")[:-3])

    def execute(self, options, path, arguments):
        """Runs and verifies the nest, with other decisions where that is asked for; None where that takes too long."""
        path.write_text(self.text)
        if options.decide:
            self.decide(options, path)
        where = ["--run=gpu", f"--target={options.gpu}"] if options.gpu else ["--run=cpu", f"--target={self.machine}"]
        command = [options.tilec, str(path), *where, "--verify", "--emit=report", "--advice=off", "--format=json", "-o", f"{path.parent}/"]
        try:
            run = subprocess.run(command + arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                 timeout=options.seconds, check=False)
        except subprocess.TimeoutExpired:
            return self.fail(f"not done after {options.seconds} s")
        if options.again and run.returncode == 0:
            shape = [argument for argument in arguments if argument.startswith("--shape=")]
            if kind := differs(options.tilec, self.text, options.gpu or self.machine, *shape):
                return self.fail(f"its plan gives another {kind}")
        return run

    def decide(self, options, path):
        """The same nest, if it is one, with other decisions."""
        plan = subprocess.run([options.tilec, str(path), f"--target={options.gpu or self.machine}", "--emit=plan", "-o", "-"],
                              capture_output=True, text=True, check=False)
        if plan.returncode == 0:
            self.text, self.decided = redecide(plan.stdout, random.Random(self.seed)), True
            path.write_text(self.text)

    @staticmethod
    def get_refusal(path, run):
        """The error at a place in the nest for which it is refused, without its numbers; None where there is none."""
        error = re.search(rf"{re.escape(str(path))}:\d+:\d+: error: (.*)", run.stdout)
        return re.sub(r"\d+", "N", error[1]) if run.returncode == 1 and error else None

    def fail_by_status(self, run):
        self.fail(f"status {run.returncode}: {run.stdout.strip()[-600:]}")

    def count_figures(self, path):
        report = json.loads(path.with_suffix(".report.json").read_text())
        figures = [figure for kernel in report["kernels"] for figure in pairs(kernel)]
        self.unknown = sum(predicted is None or counted is None for _, _, predicted, counted in figures)
        self.known = len(figures) - self.unknown
