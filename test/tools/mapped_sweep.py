"""Runs the problems of mapped_gen.py, each fifth time one of row_gen.py, each seventh one of view_gen.py, each thirteenth one of chain_gen.py and each eleventh one of form_gen.py, through the command, and holds what they compute against Python.

  mapped_sweep.py TILEC FIRST END [--jobs=N] [--seconds=N] [--falsify] [--keep=FOLDER] [--gpu=TARGET] [--drawn=N]

The problem of each of the seeds FIRST .. END - 1 must get a nest, which runs and is right: status 0 of `tilec --run=cpu --verify`, and the result
that Python computes point by point. Every second one whose sizes are open is mapped for large sizes and run for its own, so that large tiles
meet all kinds of edges. A nest that leaves sizes open may be refused where nothing keeps its numbers; one with a mistake must be, for that mistake.

Prints how many were right, the reasons for refusals, and failures; exit status 1 where there is one, or where more than a third are refused.
--drawn: of each problem that gets one nest also N that are drawn from all mappings that there are (tilec-draw-mappings,
which is on PATH) must run and be right. --falsify changes one element of each result, which must be seen. --keep writes failing problems to a folder.
"""

import math
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

from chain_gen import ChainProblem
from form_gen import FormProblem
from generated import SweptNest, Tally, make_sweep_parser, sweep
from mapped_gen import FORM_MISTAKES, MISTAKES, VIEW_MISTAKES, Problem, ProblemPrinter, execute
from npy import read_npy, write_npy
from program_sweep import KINDS, TOLERANCE
from row_gen import RowProblem
from view_gen import ViewProblem

# Refusals of what an open nest asks for.
UNKEPT = re.compile(r"and keeps what its nest says|the loops? around leaves? |no multiple of its step|is not a multiple of its step")
# Problems that print and execute themselves.
PRINTED = (ChainProblem, FormProblem, RowProblem, ViewProblem)
LARGE = [256, 1000, 1024, 2048, 4096]


def draw_problem(seed):
    kind = ChainProblem if seed % 13 == 6 else RowProblem if seed % 5 == 3 else ViewProblem if seed % 7 == 5 else FormProblem if seed % 11 == 2 else Problem
    return kind(seed)


class Case(SweptNest):
    def __init__(self, seed):
        self.problem = draw_problem(seed)
        self.kind = self.problem.mistake or self.problem.launches or f"{self.problem.form} {self.problem.family}"
        self.asked = []
        self.drawn, self.skewed, self.turned, self.lines = 0, 0, 0, 0
        super().__init__(seed, f"seed {seed} ({self.kind})", self.printer().print(), self.problem.machine)

    def printer(self):
        return self.problem if isinstance(self.problem, PRINTED) else ProblemPrinter(self.problem)

    def sizes(self):
        """Of each size its name and dimension."""
        problem = self.problem
        if isinstance(problem, FormProblem):
            return {name: problem.open for name in self.asked}
        if problem.static:
            return {}
        if isinstance(problem, ViewProblem):
            return {"X0": "B"}
        if isinstance(problem, ChainProblem):
            return {f"Q{problem.q.dims.index('m')}": "B"}
        if problem.form != "function":
            return {dim.upper(): dim for operand in problem.get_operands() for subscript in operand.subscripts for dim in subscript}
        names = {}
        for operand in problem.inputs + [problem.result]:
            for position, subscript in enumerate(operand.subscripts):
                dim = next(iter(subscript))
                if dim not in names.values():
                    names[f"{operand.name}{position}"] = dim
        return names

    def ask_sizes(self, options, path):
        """Learns what tilec calls the open extents of a function, all of which have one length; false where it takes none."""
        run = subprocess.run([options.tilec, str(path), f"--target={options.gpu or self.machine}", "--emit=nest", "-o", "-"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=options.seconds, check=False)
        if run.returncode == 1:
            run.stdout = run.stderr
            self.judge_refusal(path, run)
        elif run.returncode:
            self.fail(f"fails with status {run.returncode}: {run.stderr[-300:]}")
        else:
            signature = re.search(r"tile\.program @\w+\((.*)\)", run.stdout) or re.search(r"tile\.kernel @\w+\((.*)\)", run.stdout)
            self.asked = re.findall(r"%(\w+): index", signature[1])
        return not run.returncode

    def map_for_large(self, options, path):
        """Replaces the text by the nest that large sizes get; false where it gets none."""
        rng = random.Random(self.seed)
        shape = ",".join(f"{name}={rng.choice(LARGE)}" for name in self.sizes())
        run = subprocess.run([options.tilec, str(path), f"--target={options.gpu or self.machine}", f"--shape={shape}", "--emit=nest", "-o", "-"],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=options.seconds, check=False)
        if run.returncode:
            self.judge_refusal(path, run)
            return False
        self.text = run.stdout[run.stdout.index("module"):]
        return True

    def run(self, options, folder):
        problem, path = self.problem, folder / f"{self.seed}.mlir"
        path.write_text(self.text)
        if isinstance(problem, FormProblem) and problem.open and not self.ask_sizes(options, path):
            return
        sizes = self.sizes()
        if sizes and not isinstance(problem, FormProblem) and not problem.mistake and not problem.launches and self.seed % 2 and not self.map_for_large(options, path):
            return
        arguments = ["--shape=" + ",".join(f"{name}={problem.sizes.get(dim, dim)}" for name, dim in sizes.items())] if sizes else []
        for operand in problem.get_operands():
            if operand.scalar:
                arguments.append(f"--arg={operand.name}={operand.values[0]}")
                continue
            file, (kind, code) = folder / f"{self.seed}.{operand.name}.npy", KINDS[operand.element]
            write_npy(file, kind, operand.shape(problem.sizes), struct.pack(f"<{len(operand.values)}{code}", *operand.values))
            arguments.append(f"--arg={operand.name}={file}")
            if operand.strided and len(operand.subscripts) > 1:
                arguments += [f"--arg={operand.name}.{word}" for word in random.Random(self.seed).choice([["gap=3"], ["order=columns"], ["order=columns", "gap=1"]])]
        self.saved = [(result, folder / f"{self.seed}.{result.name}.out.npy") for result in getattr(problem, "results", [problem.result])]
        arguments += [f"--save={result.name}={file}" for result, file in self.saved]
        self.run_nest(options, path, arguments)
        if options.drawn and self.verdict == "right" and not problem.launches and problem.form != "open":
            self.run_drawn(options, folder, arguments)

    def run_nest(self, options, path, arguments):
        run = self.execute(options, path, arguments)
        if not run:
            return
        if run.returncode == 1:
            self.judge_refusal(path, run)
        elif self.problem.mistake:
            self.fail(f"is accepted, status {run.returncode}, but must be refused")
        elif run.returncode:
            self.fail_by_status(run)
        else:
            self.verdict = "right"
            if not options.gpu:
                self.count_figures(path)
            expected = self.problem.execute() if isinstance(self.problem, PRINTED) else execute(self.problem)
            for (result, file), values in zip(self.saved, expected if isinstance(self.problem, FormProblem) else [expected], strict=True):
                self.compare(result, read_npy(file), values, options.falsify)

    def run_drawn(self, options, folder, arguments):
        """Runs other mappings of the problem, as its own sizes and machine have them."""
        problem, made, known, unknown = folder / f"{self.seed}.problem.mlir", folder / "drawn", self.known, self.unknown
        problem.write_text(self.printer().print())
        shape = ",".join(f"{name}={self.problem.sizes[dim]}" for name, dim in self.sizes().items())
        (folder / "list.txt").write_text(f"{problem}\t{shape}\n")
        names = subprocess.run(["tilec-draw-mappings", str(folder / "list.txt"), options.gpu or self.machine, "0", str(options.drawn), str(made)],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=options.seconds, check=True).stdout.splitlines()
        for number, name in enumerate(names):
            nest = made / f"0-{number}.mlir"
            self.text = nest.read_text()
            self.run_nest(options, nest, arguments)
            known, unknown = known + self.known, unknown + self.unknown
            if self.verdict != "right":
                return
            self.drawn += 1
            self.skewed += "skewed" in name
            self.turned += "turned at once" in name
            self.lines += "lines loaded" in name
        self.known, self.unknown = known, unknown

    def judge_refusal(self, path, run):
        refusal = self.get_refusal(path, run) or self.get_refusal(str(path) + " (mapped)", run)
        if not refusal:
            self.fail(f"is refused without a place: {run.stdout.strip()[-300:]}")
        elif self.problem.mistake and re.search({**FORM_MISTAKES, **MISTAKES, **VIEW_MISTAKES}[self.problem.mistake], refusal):
            self.verdict, self.why = "refused", f"{self.problem.mistake}: {refusal}"
        elif self.problem.form == "open" and UNKEPT.search(refusal):
            self.verdict, self.why = "unkept", f"open: {refusal}"
        elif isinstance(self.problem, FormProblem) and self.problem.open:
            self.verdict, self.why = "unkept", f"open extent: {refusal}"
        else:
            self.fail(f"is refused: {refusal}")

    def compare(self, result, data, expected, falsify):
        element = result.element
        code = KINDS[element][1]
        actual = list(struct.unpack(f"<{len(data) // struct.calcsize(code)}{code}", data))
        if falsify:
            actual[0] += 1
        wrong = [at for at, (a, b) in enumerate(zip(actual, expected, strict=True)) if not self.agree(element, a, b)]
        if wrong:
            self.fail(f"{len(wrong)} of {len(actual)} elements of {result.name} are wrong; the first, number {wrong[0]}, is {actual[wrong[0]]} instead of {expected[wrong[0]]}")

    def agree(self, element, actual, expected):
        if isinstance(self.problem, ChainProblem):
            return actual == expected or (math.isnan(expected) and not math.isfinite(actual)) or abs(actual - expected) <= self.problem.tolerance * max(1, abs(expected))
        # Results of 16 bits round what Python computes exactly.
        return actual == expected or (element in ("f16", "bf16") and abs(actual - expected) <= TOLERANCE[element] * max(1, abs(expected)))


def check(options, seed):
    case = Case(seed)
    with tempfile.TemporaryDirectory() as folder:
        try:
            case.run(options, pathlib.Path(folder))
        except subprocess.TimeoutExpired:
            case.fail(f"not mapped after {options.seconds} s")
    if case.verdict in ("failed", "unkept") and options.keep:
        case.keep(options.keep)
    case.problem = None
    return case


def main():
    parser = make_sweep_parser(__doc__)
    parser.add_argument("--falsify", action="store_true")
    parser.add_argument("--keep")
    parser.add_argument("--drawn", type=int, default=0, metavar="N")
    options = parser.parse_args()
    tally, drawn, skewed, turned, lines = Tally(options), 0, 0, 0, 0
    for case in sweep(options, check, range(options.first, options.end)):
        tally.add(case)
        drawn, skewed, turned, lines = drawn + case.drawn, skewed + case.skewed, turned + case.turned, lines + case.lines
    tally.print_reasons()
    tally.print_classes()
    tally.print_figures()
    counts = tally.counts
    if options.drawn:
        print(f"{drawn} drawn mappings right, {skewed} of them of skewed rows, {turned} turned in registers, {lines} of lines loaded by vectors")
    print(f"{counts['right']} right, {counts['refused']} refused as they must be, {counts['unkept']} whose numbers nothing keeps, {counts['failed']} failed")
    sys.exit(1 if counts["failed"] or 3 * counts["unkept"] > counts["right"] else 0)


if __name__ == "__main__":
    main()
