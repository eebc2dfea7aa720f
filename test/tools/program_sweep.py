"""Runs the nests of program_gen.py through the command, and holds what they write against program_meaning.py.

  program_sweep.py TILEC FIRST END [--jobs=N] [--seconds=N] [--falsify] [--classes] [--keep=FOLDER] [--gpu=TARGET] [--decide] [--again] [--family=NAME]

A nest of seeds FIRST .. END - 1 that must be right must end with status 0 (results are those of tilec's evaluator, and the
emulator counted what the analysis predicts) and leave what the Python reference computes; it may be refused only for a limit
that docs/limits.md names (LIMITS below). A nest that must be refused must be so, with an error at a place in its text, for
the reason of its class or for such a limit. Everything else is a failure, and the worst is a nest that must be refused and
is not.

Prints how many were right, how many refused by class and by limit, and the failures; exit status 1 where there is one, or
where more than a fifth of those that must be right are refused. --classes prints the first failing seed of each class instead. --falsify changes one element of each result, which must be
seen. --keep writes failing nests to a folder. With --decide the nests are planned, and run with other decisions (plan_decisions.py), for one of
which they may be refused. With --again the plan of each must give the same plan and the same text. With --gpu the nests run on a GPU that is such a machine, where nothing is counted.
With --family all are of one of the rare families of program_gen.py.
"""

import math
import pathlib
import random
import re
import struct
import sys
import tempfile

from generated import SweptNest, Tally, make_sweep_parser, sweep
from npy import read_npy, write_npy
from plan_decisions import REFUSALS
from program_gen import generate
from program_limits import LIMITS, REASONS
from program_meaning import Interpreter
from program_scalars import FLOATS
from program_tree import TreePrinter

# bf16 and 8-bit floats, which NumPy does not have, are read from and written to f32.
KINDS = {"f16": ("<f2", "e"), "bf16": ("<f4", "f"), "f8E4M3FN": ("<f4", "f"), "f8E5M2": ("<f4", "f"), "f32": ("<f4", "f"), "f64": ("<f8", "d"), "i8": ("|i1", "b"), "i16": ("<i2", "h"), "i32": ("<i4", "i"), "i64": ("<i8", "q")}
# Of results whose last bits depend on functions' approximations or on the order of a sum, relative to 1 or to the value.
TOLERANCE = {"f32": 2e-4, "f64": 2e-4, "f16": 4e-3, "bf16": 3e-2}


class Case(SweptNest):
    """One nest, and what must become of it."""

    def __init__(self, seed, only=None):
        self.program = generate(seed, only)
        self.must = self.program.must
        # The class of the mistake, or the family of what must be right.
        self.kind = f"{self.must} {self.program.family}" if self.must in ("right", "either") else self.must
        super().__init__(seed, f"seed {seed} ({self.kind})", TreePrinter(self.program).print(), self.program.machine)

    def run(self, options, folder):
        path = folder / f"{self.seed}.mlir"
        arguments = [f"--arg={name}={value}" for name, _, value in self.program.scalars]
        if self.program.sizes:
            arguments.append("--shape=" + ",".join(f"{name}={value}" for name, value in self.program.sizes.items()))
        for memory in self.program.operands:
            name, kind = f"{self.seed}.{memory.name}", KINDS[memory.element]
            write_npy(folder / f"{name}.npy", kind[0], memory.shape, struct.pack(f"<{len(memory.values)}{kind[1]}", *memory.values))
            arguments += [f"--arg={memory.name}={folder}/{name}.npy", f"--save={memory.name}={folder}/{name}.out.npy"]
            layout = {"compact": [], "fixed": [], "inner": ["gap=3"], "all": ["order=columns", "gap=2"], "pitch": [f"gap={-memory.shape[-1] % 16}"]}[memory.strided]
            arguments += [f"--arg={memory.name}.{word}" for word in layout if len(memory.shape) > 1]
        run = self.execute(options, path, arguments)
        if not run:
            return None
        if refusal := self.get_refusal(path, run):
            return self.judge_refusal(refusal)
        if run.returncode == 1:
            return self.fail(f"is refused without a place: {run.stdout.strip()[-300:]}")
        if self.must == "forgotten store":
            return self.judge_unverified(run)
        if self.must not in ("right", "either"):
            return self.fail(f"is accepted, status {run.returncode}, but must be refused")
        machine = Interpreter(self.program, random.Random(self.seed).shuffle)
        expected = machine.run()
        if run.returncode == 4 and not machine.written and "not verified: the nest stores nothing" in run.stdout:
            self.verdict = "right"
            return None
        if run.returncode == 4 and "cannot be checked, since rounding may change them" in run.stdout:
            self.verdict, self.why = "limit", "rounding: bounds of results drawn at random say nothing, and tilec says so"
            return None
        if run.returncode:
            return self.fail_by_status(run)
        self.verdict = "right"
        if not options.gpu:
            self.count_figures(path)
        return self.compare(folder, machine, expected, options.falsify)

    def judge_refusal(self, message):
        limit = next((name for name, pattern in LIMITS if re.search(pattern, message)), None)
        if self.must not in ("right", "either") and re.search(REASONS.get(self.must, "."), message):
            self.verdict, self.why = "refused", f"{self.must}: {message}"
        elif self.decided and REFUSALS.search(message):
            self.verdict, self.why = "refused", f"decision: {message}"
        elif limit:
            self.verdict, self.why = "limit", f"{limit}: {message}"
        elif self.must == "either":
            self.verdict, self.why = "limit", f"either: {message}"
        else:
            self.fail(f"is refused, by no limit and not for its class: {message}")

    def judge_unverified(self, run):
        if run.returncode == 4 and "not verified" in run.stdout:
            self.verdict, self.why = "refused", f"{self.must}: not verified"
        else:
            self.fail(f"status {run.returncode}: nothing is compared, and nothing said of it")

    def compare(self, folder, machine, expected, falsify):
        """Holds what the emulator's last run left against the reference."""
        if machine.conflicts:
            return self.fail(f"the generator's mistake: iterations meet at {machine.conflicts[0]}")
        for memory in self.program.operands:
            if not any(name == memory.name for name, _ in machine.written):
                continue
            kind = KINDS[memory.element][1]
            data = read_npy(folder / f"{self.seed}.{memory.name}.out.npy")
            actual = list(struct.unpack(f"<{len(data) // struct.calcsize(kind)}{kind}", data))
            if falsify:
                actual[min(at for name, at in machine.written if name == memory.name)] += 1
            wrong = [at for at, (a, b) in enumerate(zip(actual, expected[memory.name], strict=True))
                     if (memory.name, at) in machine.written and not self.agree(memory.element, a, b, machine.exact)]
            if wrong:
                return self.fail(f"{len(wrong)} of {len(actual)} elements of {memory.name}, {memory.shape}, are wrong; the "
                                 f"first, number {wrong[0]}, is {actual[wrong[0]]} instead of {expected[memory.name][wrong[0]]}")
        return None

    def agree(self, element, actual, expected, exact):
        if actual == expected or (actual != actual and expected != expected):
            return True
        if element not in FLOATS or exact or not math.isfinite(expected):
            return False
        return abs(actual - expected) <= TOLERANCE[element] * max(1, abs(expected))


def check(options, seed):
    case = Case(seed, options.family)
    with tempfile.TemporaryDirectory() as folder:
        case.run(options, pathlib.Path(folder))
    if case.verdict == "failed" and options.keep:
        case.keep(options.keep)
    case.program = None
    return case


def main():
    parser = make_sweep_parser(__doc__)
    parser.add_argument("--falsify", action="store_true")
    parser.add_argument("--classes", action="store_true")
    parser.add_argument("--keep")
    parser.add_argument("--family")
    options = parser.parse_args()
    tally, limited, firsts = Tally(options), 0, {}
    for case in sweep(options, check, range(options.first, options.end)):
        tally.add(case, quiet=options.classes)
        limited += case.must == "right" and case.verdict == "limit"
        if case.verdict == "failed":
            firsts.setdefault(case.kind, case.why)
    tally.print_reasons()
    tally.print_classes(lambda name: f", as {firsts[name]}" if options.classes and name in firsts else "")
    tally.print_figures()
    counts = tally.counts
    print(f"{counts['right']} right, {counts['refused']} refused as they must be, {counts['limit']} by a limit, {counts['failed']} failed")
    sys.exit(1 if counts["failed"] or 4 * limited > counts["right"] else 0)


if __name__ == "__main__":
    main()
