"""Holds the reference evaluator against plain loops over the contraction that a generated nest computes.

  nest_flat.py TILEC_EVALUATE SEED END

Operands hold small whole numbers, so that every order of additions gives the same result, to the bit. The loops here
know nothing of tiles but how far the last one reaches past the end.
"""

import itertools
import json
import random
import subprocess
import sys
import tempfile

from nest_gen import choose_genes, repair
from nest_printer import NestPrinter, count

MAX_POINTS = 50000


def pad_coordinate(coordinate, extent, pad):
    """The coordinate that is read, or None for one that is absent."""
    if 0 <= coordinate < extent:
        return coordinate
    if pad not in ("clamp", "reflect") or extent == 0:
        return None
    if pad == "clamp" or extent == 1:
        return 0 if coordinate < 0 or extent == 1 else extent - 1
    coordinate %= 2 * (extent - 1)
    return coordinate if coordinate < extent else 2 * (extent - 1) - coordinate


def read(operand, buffer, point):
    """The element of an input that a point of the loops' space uses; None where it is absent."""
    pad, offset = operand["pad"] if operand["stages"] else None, 0
    for axis, subscript in enumerate(operand["subscripts"]):
        coordinate = sum(factor * point[dim] for dim, factor in subscript)
        coordinate += operand["shift"] if axis == 0 else 0
        coordinate = pad_coordinate(coordinate, buffer["shape"][axis], pad)
        if coordinate is None:
            return 0 if pad else None
        offset += coordinate * buffer["strides"][axis]
    return buffer["data"][offset]


def make_buffers(printer, rng):
    dims, buffers = printer.dims, []
    shapes = [[dims[s[0][0]]["size"] if len(s) == 1 and s[0][1] == 1 else printer.sizes[f"x{number}{axis}"]
               for axis, s in enumerate(operand["subscripts"])] for number, operand in enumerate(printer.inputs)]
    shapes.append([dims[number]["size"] for number in printer.genes["output"]])
    names = [f"X{number}" for number in range(len(printer.inputs))] + ["Y"]
    for name, shape in zip(names, shapes):
        strides = printer.operand_shapes[name]
        last = sum(max(extent - 1, 0) * stride for extent, stride in zip(shape, strides))
        buffers.append({"shape": shape, "strides": strides, "data": [rng.randint(-4, 4) for _ in range(last + 1)]})
    return buffers


def contract(genes, buffers, extents, alpha):
    """The data of the output: what the nest computes, element by element."""
    dims, output = genes["dims"], genes["output"]
    reduced = [number for number, dim in enumerate(dims) if dim["reduced"]]
    result = list(buffers[-1]["data"])
    start = 0
    if genes["combine"] == "max":
        start = -2**31 if genes["type"] == "i32" else float("-inf")
    for element in itertools.product(*[range(dims[number]["size"]) for number in output]):
        point = dict(zip(output, element))
        offset = sum(i * stride for i, stride in zip(element, buffers[-1]["strides"]))
        value = result[offset] if genes["hold"] == "none" else start
        for steps in itertools.product(*[range(extents[number]) for number in reduced]):
            point.update(zip(reduced, steps))
            factors = [read(operand, buffer, point) for operand, buffer in zip(genes["inputs"], buffers)]
            if None in factors:
                continue
            product = count(factors)
            if genes["hold"] == "none":
                value = product
            else:
                value = value + product if genes["combine"] == "add" else max(value, product)
        if genes["epilogue"]:
            value *= alpha
            if genes["type"] == "i32":
                value = (value + 2**31) % 2**32 - 2**31
        result[offset] = result[offset] + value if any(dim["split"] for dim in dims) else value
    return ["-inf" if value == float("-inf") else value for value in result]


def check(evaluate, seed):
    """True where both agree, None where the nest takes too long."""
    rng = random.Random(seed)
    genes = repair(choose_genes(rng))
    printer = NestPrinter(genes)
    text = printer.print()
    spans = [tile * (2 if dim["split"] else 1) for dim, tile in zip(genes["dims"], printer.tile)]
    extents = [-(-dim["size"] // span) * span for dim, span in zip(genes["dims"], spans)]
    if count(extents) > MAX_POINTS:
        return None
    buffers, alpha = make_buffers(printer, rng), 3
    arguments = {"operands": buffers, "sizes": list(printer.sizes.values()), "scalars": [alpha]}
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as nest, tempfile.NamedTemporaryFile("w") as values:
        nest.write(text)
        json.dump(arguments, values)
        nest.flush()
        values.flush()
        run = subprocess.run([evaluate, nest.name, values.name], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        print(f"seed {seed}: {run.stderr}")
        return False
    actual, expected = json.loads(run.stdout), contract(genes, buffers, extents, alpha)
    if actual != expected:
        wrong = next(i for i, (a, e) in enumerate(zip(actual, expected)) if a != e)
        print(f"seed {seed}: element at offset {wrong} is {actual[wrong]} instead of {expected[wrong]}")
        return False
    return True


def main():
    evaluate, first, end = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    verdicts = [check(evaluate, seed) for seed in range(first, end)]
    print(f"{verdicts.count(True)} agree, {verdicts.count(False)} differ, {verdicts.count(None)} are too large")
    sys.exit(1 if False in verdicts else 0)


if __name__ == "__main__":
    main()
