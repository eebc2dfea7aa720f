"""Runs generated nests through the command, each verified in the emulator and held against MLIR's own lowering.

  nest_sweep.py TILEC FIRST END [--jobs=N] [--seconds=N] [--falsify=result|map] [--gpu=TARGET] [--decide]

Each nest of nest_gen.py's seeds FIRST .. END - 1 must be right, or refused with an error that names a place in its text
(status 1). Right means status 0, which says that results are those of tilec's evaluator and that the emulator counted
what the analysis predicts, and that the emulator's last result is, to the bit, what upstream MLIR computes on the same
operands (mlir_reference.py; mlir-opt and mlir-runner must be in PATH). Operands hold multiples of a quarter, or small
integers, so that all orders of additions agree. They lie by columns and with gaps where the nest allows it.

Prints how many were right and held against MLIR, how many figures were held against each other and how many of them one
side did not know, the reasons for refusals, and the failures; exit status 1 where there is a failure, or where fewer
than half of the nests were accepted. --falsify shows that the comparison sees a difference: it changes one element of
each result, or swaps two subscripts of an input in MLIR's linalg op. With --decide the nests are planned, and run with other decisions
(plan_decisions.py), for which most may be refused. With --gpu the nests run on a GPU that
TARGET describes; then results are held against tilec's evaluator alone, and nothing is counted.
"""

import pathlib
import random
import struct
import subprocess
import sys
import tempfile

import mlir_reference
from generated import SweptNest, Tally, make_sweep_parser, sweep
from mlir_reference import ReferencePrinter
from nest_gen import choose_genes, repair
from nest_printer import NestPrinter, count
from npy import read_npy, write_npy

FEW_SMS = pathlib.Path(__file__).resolve().parents[1] / "Run" / "Inputs" / "five_sm90.yaml"
# Nests that MLIR takes at once, in one process.
CHUNK = 25
# Values that are drawn for one operand; a prime.
PERIOD = 10007
# NumPy's names of element types, struct's, and the unit that operands hold multiples of.
KINDS = {"f16": ("<f2", "<e", 0.25), "f32": ("<f4", "<f", 0.25), "i32": ("<i4", "<i", 1)}


def find_machine(genes):
    """Where the emulator runs the nest."""
    if genes["persistent"]:  # Few enough SMs for a grid of several waves.
        return FEW_SMS
    return "sm90" if genes["cluster"] or genes["team"] or genes["producers"] else "sm80"


class Nest(SweptNest):
    """One nest and its operands."""

    def __init__(self, seed, falsify):
        rng = random.Random(seed)
        genes = repair(choose_genes(rng))
        self.printer = NestPrinter(genes)
        super().__init__(seed, f"seed {seed}", self.printer.print(), find_machine(genes))
        self.data = {name: draw(rng, self.element(name), shape) for name, shape in self.printer.shapes.items()}
        self.result, self.held = b"", False
        self.reference = ReferencePrinter(repair(genes))
        if falsify == "map":
            self.reference.swap_subscripts()

    def element(self, name):
        return self.printer.sums if name == "Y" else self.printer.genes["type"]

    def run(self, options, folder):
        """Fills in everything but whether MLIR agrees."""
        path, saved = folder / f"{self.seed}.mlir", folder / f"{self.seed}.npy"
        arguments = [f"--save=Y={saved}"]
        arguments += ["--shape=" + self.printer.shape_words()] if self.printer.sizes else []
        arguments += [f"--arg=alpha={mlir_reference.ALPHA}"] if self.printer.genes["epilogue"] else []
        for name, data in self.data.items():
            file = folder / f"{self.seed}.{name}.npy"
            write_npy(file, KINDS[self.element(name)][0], self.printer.shapes[name], data)
            arguments.append(f"--arg={name}={file}")
            arguments += [f"--arg={name}.{word}" for word in self.printer.layout_words(name)]
        run = self.execute(options, path, arguments)
        if not run:
            return
        if refusal := self.get_refusal(path, run):
            self.verdict, self.why = "refused", refusal
        elif run.returncode:
            self.fail_by_status(run)
        else:
            self.verdict = "right"
            if not options.gpu:
                self.count_figures(path)
                self.result = read_npy(saved)

    def compare(self, expected):
        """Holds the result against MLIR's."""
        self.held = True
        if self.result == expected:
            return
        if len(self.result) != len(expected):
            self.fail(f"{len(self.result)} bytes of Y, {len(expected)} by MLIR's lowering")
            return
        kind, size = KINDS[self.element("Y")][1], struct.calcsize(KINDS[self.element("Y")][1])
        starts = range(0, len(expected), size)
        wrong = [at for at in starts if self.result[at:at + size] != expected[at:at + size]]
        actual, wanted = (struct.unpack_from(kind, data, wrong[0])[0] for data in (self.result, expected))
        self.fail(f"{len(wrong)} of {len(starts)} elements of Y, {self.printer.shapes['Y']}, are not those of MLIR's "
                  f"lowering; the first, number {wrong[0] // size}, is {actual} instead of {wanted}")


def draw(rng, element, shape):
    """The bytes of an operand: random values, which in a large one come again after a prime number of elements, so that
    other elements take their places in every row."""
    _, kind, unit = KINDS[element]
    values = [struct.pack(kind, number * unit) for number in range(-4, 5)]
    elements = count(shape)
    period = b"".join(rng.choices(values, k=min(elements, PERIOD)))
    return (period * (elements // PERIOD + 1))[:elements * struct.calcsize(kind)]


def check(options, seeds):
    """The nests of a few seeds."""
    nests = [Nest(seed, options.falsify) for seed in seeds]
    with tempfile.TemporaryDirectory() as folder:
        for nest in nests:
            nest.run(options, pathlib.Path(folder))
    if options.gpu:
        return nests
    right = [nest for nest in nests if nest.verdict == "right"]
    if options.falsify == "result":
        for nest in right:
            nest.result = bytes(byte ^ (number == 0) for number, byte in enumerate(nest.result))
    try:
        operands = [list(nest.data.values()) for nest in right]
        results = mlir_reference.evaluate([nest.reference for nest in right], operands, options.seconds)
        for nest, expected in zip(right, results, strict=True):
            nest.compare(expected)
    except subprocess.SubprocessError as error:
        for nest in right:
            nest.fail(f"MLIR's tools: {error}")
    for nest in nests:
        nest.data = nest.result = nest.reference = None
    return nests


def main():
    parser = make_sweep_parser(__doc__)
    parser.add_argument("--falsify", choices=["result", "map"])
    options = parser.parse_args()
    tally, held = Tally(options), 0
    chunks = [range(start, min(start + CHUNK, options.end)) for start in range(options.first, options.end, CHUNK)]
    for nests in sweep(options, check, chunks):
        for nest in nests:
            tally.add(nest)
            held += nest.held
    tally.print_reasons()
    tally.print_figures()
    counts = tally.counts
    if not options.gpu:
        print(f"{held} held against MLIR's lowering")
    print(f"{counts['right']} right, {counts['refused']} refused, {counts['failed']} failed")
    sys.exit(1 if counts["failed"] or (4 if options.decide else 2) * counts["right"] < options.end - options.first else 0)


if __name__ == "__main__":
    main()
