"""Prints random nests that verify, for tests that hold one part of tilec against another.

  nest_gen.py SEED [END]           the nests of seeds SEED .. END - 1 (one without END), split by // -----
  nest_gen.py --shrink=CMD SEED    the smallest nest like that of SEED for which CMD still fails; CMD gets a file's path

A nest computes a contraction: each input is subscripted by sums of loops, their product is combined into the output
by addition or maximum. What varies: rank and shape, tile sizes and edges, order and units of loops, where each input is
staged, layouts and strides, pads and halos, pipelines, producers and TMA, clusters, persistent grids and cut tails, who
holds the result, how it is stored, the dataflow. The first line of
a nest has its sizes, as --shape takes them.

A nest is built from a dictionary of plain choices, the genes; all combinations that `repair` lets through are valid.
The shrinker replaces genes by simpler ones.
"""

import json
import random
import sys

from generated import fails, run_generator
from nest_printer import NestPrinter, count, get_box, get_tile

MAX_THREADS = 256
MAX_SMEM = 48 * 1024
MAX_REGISTERS = 96
# Points of the loops' space, or elements of an input: beyond them one nest takes as long as a hundred others.
MAX_POINTS = 1 << 22


def choose_genes(rng):
    """Random genes, to be repaired."""
    parallel = rng.choice([1, 2, 2, 2, 3])
    reduced = rng.choice([0, 1, 1, 1, 2])
    dims = []
    for number in range(parallel + reduced):
        is_parallel = number < parallel
        dims.append({
            "size": rng.choice([0, 1, 3, 7, 16, 17, 33, 40, 65]),
            "static": rng.random() < 0.2,
            "reduced": not is_parallel,
            "part": rng.choice([1, 1, 2, 4]),
            "threads": rng.choice([1, 2, 4, 8, 16]) if is_parallel else 1,
            "unroll": rng.choice([1, 1, 2]),
            "warps": rng.choice([1, 1, 1, 2]) if is_parallel else 1,
            "steps": rng.choice([1, 1, 2, 4]),
            "on_block": is_parallel and rng.random() < 0.85,
            "split": not is_parallel and rng.random() < 0.15,
        })
    numbers = list(range(len(dims)))
    inputs = []
    for number in range(rng.choice([1, 2, 2, 3])):
        used = rng.sample(numbers, rng.randint(1, min(3, len(numbers))))
        subscripts = [[[dim, rng.choice([1, 1, 1, 2])]] for dim in used]
        free = [dim for dim in numbers if dim not in used]
        if free and rng.random() < 0.25:
            subscripts[rng.randrange(len(subscripts))].append([rng.choice(free), 1])
        inputs.append({
            "subscripts": subscripts,
            "shift": rng.choice([0, 0, 0, -1, 2]),
            "pad": rng.choice([None, None, "zero", "clamp", "reflect", "wrap"]),
            "stages": rng.choice([[], ["smem"], ["smem"], ["rf"], ["smem", "rf"]]),
            "gap": rng.choice([0, 0, 4]),
            "transposed": rng.random() < 0.3,
            "strided": rng.choice(["compact", "inner", "all"]),
        })
    order = rng.sample(numbers, len(numbers))
    genes = {
        "dims": dims, "inputs": inputs, "order": order,
        "output": rng.sample(range(parallel), parallel),
        "type": rng.choice(["f32", "f32", "f32", "f16", "i32"]),
        "combine": rng.choice(["add", "add", "add", "max"]),
        "hold": rng.choice(["block", "block", "thread", "none"]),
        "store_parts": rng.random() < 0.3,
        "epilogue": rng.random() < 0.3,
        "nested_threads": rng.random() < 0.4,
        "reduce_threads": rng.random() < 0.25,
        "raster": rng.choice([None, "row", "column", "grouped = 4", "boxes = 2x3", "diagonal"]),
        "pipeline": rng.choice([None, None, 2, 3]),
        "dataflow": rng.random() < 0.5,
        # Blocks of a cluster that part the first reduction.
        "cluster": rng.choice([None, None, None, None, 2, 3]),
        # Blocks of a cluster that lie beside each other along the first of the grid's loops.
        "team": rng.choice([None, None, None, None, 2, 3]),
        # Warps that do nothing but copy.
        "producers": rng.choice([None, None, None, 1, 2, 4]),
        "persistent": rng.random() < 0.3,
        "tail": rng.random() < 0.7,
    }
    for operand in inputs:
        operand["tma"] = rng.random() < 0.8
    # Steps that a thread reads its registers ahead; whether producers give registers to the others.
    genes["ahead"] = rng.choice([None, None, 2, 3])
    genes["registers"] = rng.random() < 0.5
    for operand in inputs:
        operand["swizzle"] = rng.choice([None, "Sw<1,2,3>", "Sw<2,2,3>", "Sw<1,0,4>"])
    return genes


def get_block_threads(genes):
    """Threads of a block that compute."""
    dims = genes["dims"]
    threads = count([dim["threads"] for dim in dims])
    if genes["reduce_threads"]:
        threads *= dims[next(n for n in genes["order"] if dims[n]["reduced"])]["steps"]
    warps = count([dim["warps"] for dim in dims])
    return -(-threads // 32) * 32 * warps if warps > 1 else threads


def repair_grid(genes):
    """Who shares a tile: halves of a split, blocks of a cluster, all blocks of a persistent grid."""
    dims = genes["dims"]
    reduced = sum(dim["reduced"] for dim in dims)
    if not reduced or genes["combine"] == "max":
        for dim in dims:
            dim["split"] = False
    split = any(dim["split"] for dim in dims)
    if not reduced or genes["hold"] != "block" or split:
        genes["cluster"] = None
    if genes["cluster"] or split:
        genes["team"] = None
    # Parts of a tile are sums of one loop, right in the loop on block.
    if not genes["persistent"] or reduced != 1 or genes["hold"] != "block" or genes["combine"] == "max" or split:
        genes["tail"] = False
    if genes["tail"]:
        genes["cluster"] = None
    if genes["cluster"] or genes["team"] or genes["tail"]:
        for dim in dims:
            dim["on_block"] = not dim["reduced"]
    if not any(d["on_block"] or d["split"] for d in dims):
        dims[0]["on_block"] = True
    if genes["raster"] not in (None, "row", "column") and sum(d["on_block"] or d["split"] for d in dims) != 2:
        genes["raster"] = "row"


def repair_ring(genes):
    """Producers need a pipeline that they fill, and whole warps beside them; TMA needs producers, and boxes."""
    dims, inputs = genes["dims"], genes["inputs"]
    if genes["hold"] != "block" or genes["cluster"] or not any(dim["reduced"] for dim in dims):
        genes["producers"] = None
    if genes["producers"]:
        if not any("smem" in i["stages"] for i in inputs):
            inputs[0]["stages"] = ["smem"]
        genes["pipeline"] = genes["pipeline"] or 2
        # setmaxnreg is for whole warpgroups.
        while get_block_threads(genes) % (128 if genes["registers"] and genes["producers"] == 4 else 32):
            dims[0]["threads"] *= 2
    for i in inputs:
        if not genes["producers"] or "smem" not in i["stages"]:
            i["tma"] = False
        if i["tma"]:
            i["pad"] = "zero" if i["pad"] else None
            i["gap"], i["transposed"] = 0, False
            i["strided"] = "compact" if i["strided"] == "compact" else "inner"


def repair(genes):
    """Makes a combination of genes a valid one, by the simplest change."""
    genes = json.loads(json.dumps(genes))
    dims, inputs = genes["dims"], genes["inputs"]
    for number, dim in enumerate(dims):
        # A loop's extent is that of a subscript it has for itself; a reduction must move some input.
        if number not in {s[0][0] for i in inputs for s in i["subscripts"] if len(s) == 1 and s[0][1] == 1} and (
                dim["reduced"] or number not in genes["output"]):
            inputs[-1]["subscripts"].append([[number, 1]])
    for key in ("pipeline", "cluster", "team", "ahead"):  # Of fewer than two there is none.
        genes[key] = genes[key] if (genes[key] or 0) >= 2 else None
    reduces = any(dim["reduced"] for dim in dims)
    if genes["hold"] == "none" and reduces:
        genes["hold"] = "block"
    if genes["hold"] != "block":  # Shared memory belongs to the block, so it is not staged by a thread.
        for i in inputs:
            i["stages"] = [stage for stage in i["stages"] if stage == "rf"]
        genes["reduce_threads"] = False
    repair_grid(genes)
    if genes["reduce_threads"]:
        # Threads that share an element combine it at the loop's end; whoever else parts the tile would do so otherwise.
        genes["epilogue"] = genes["store_parts"] = False
        if not reduces:
            genes["reduce_threads"] = False
    for dim in dims:
        if dim["split"]:
            genes["epilogue"] = False
    if genes["hold"] == "none":
        genes["epilogue"] = genes["store_parts"] = False
        genes["type"] = "f32" if genes["type"] == "f16" else genes["type"]
    repair_ring(genes)
    while True:
        sizes = [dim["size"] for dim in dims]
        if max(count(sizes), *(count(get_box(i, [max(size, 1) for size in sizes])) for i in inputs)) <= MAX_POINTS:
            break
        dims[sizes.index(max(sizes))]["size"] //= 2
    while True:  # Sizes of a block: halve what is largest until it fits.
        tile = [get_tile(dim) for dim in dims]
        total = get_block_threads(genes)
        smem = sum(4 * count(get_box(i, tile)) + 16 for i in inputs if "smem" in i["stages"]) * (genes["pipeline"] or 1)
        parts = [dim["part"] for dim in dims]
        registers = sum(count(get_box(i, parts)) for i in inputs) + count(
            [parts[n] * (dims[n]["unroll"] if genes["hold"] == "block" else 1) for n in genes["output"]])
        if total > MAX_THREADS:
            kinds = ["warps"] if any(dim["warps"] > 1 for dim in dims) else ["threads", "steps"] if genes["reduce_threads"] else ["threads"]
            key = max((d[k], k, n) for n, d in enumerate(dims) for k in kinds)
        elif smem > MAX_SMEM:
            key = max((d[k], k, n) for n, d in enumerate(dims) for k in ["threads", "steps", "part", "unroll"])
        elif registers > MAX_REGISTERS:
            key = max((d[k], k, n) for n, d in enumerate(dims) for k in ["part", "unroll"])
        else:
            break
        dims[key[2]][key[1]] = max(1, key[0] // 2)
    if total % 32:
        genes["producers"] = None
    genes["registers"] = bool(genes["registers"] and genes["producers"] == 4 and total % 128 == 0)
    for i in inputs:
        # A box is a multiple of 128 bytes, its rows are of 16.
        box, width = get_box(i, tile), 2 if genes["type"] == "f16" else 4
        i["tma"] = bool(i["tma"] and genes["producers"] and width * box[-1] % 16 == 0 and width * count(box) % 128 == 0)
        row = width * box[-1]
        # Parts of a swizzled tile have no strides; a swizzle of TMA is that of its rows and repeats after 8; other places stay within whole runs of 2^5.
        if i["tma"] and i["swizzle"] and i["stages"] == ["smem", "rf"] and row in (32, 64, 128) and width * count(box) % (8 * row) == 0:
            i["swizzle"] = f"Sw<{row.bit_length() - 5},{5 - width.bit_length()},3>"
        elif i["tma"] or i["stages"] != ["smem", "rf"] or count(box) % 32 or i["gap"]:
            i["swizzle"] = None
    return genes


def build(genes):
    return NestPrinter(repair(genes)).print()


def simpler(value):
    """Simpler values of one gene, the simplest first."""
    if isinstance(value, bool):
        return [False] if value else []
    if isinstance(value, int):
        return sorted({0, 1, value // 2, value - 1} - {value} if value > 0 else ({0} if value < 0 else set()))
    if isinstance(value, str):
        return [v for v in {"f16": ["f32"], "i32": ["f32"], "max": ["add"], "thread": ["block"], "none": ["block"],
                            "all": ["compact"], "inner": ["compact"]}.get(value, []) + (
                                [None] if value in ["zero", "clamp", "reflect", "wrap", "row", "column", "grouped = 4"] else [])]
    if isinstance(value, list) and value and isinstance(value[0], str):
        return [value[:-1]]
    return []


def without_dim(genes, gone):
    """Genes without one loop, if something is left."""
    copy = json.loads(json.dumps(genes))
    del copy["dims"][gone]
    for key in ("order", "output"):
        copy[key] = [n - (n > gone) for n in copy[key] if n != gone]
    for operand in copy["inputs"]:
        subscripts = [[[n - (n > gone), f] for n, f in s if n != gone] for s in operand["subscripts"]]
        operand["subscripts"] = [s for s in subscripts if s]
    copy["inputs"] = [operand for operand in copy["inputs"] if operand["subscripts"]]
    if copy["output"] and copy["inputs"]:
        yield copy


def neighbours(genes):
    """All genes with one of them simpler, or one loop, input or subscript less."""
    def walk(node, path):
        items = node.items() if isinstance(node, dict) else enumerate(node)
        for key, value in items:
            if path + [key] == ["order"] or "subscripts" in path or key in ("output", "subscripts", "reduced"):
                continue
            for other in simpler(value):
                if key in ("part", "threads", "unroll", "warps", "steps") and other < 1:
                    continue
                yield path + [key], other
            if isinstance(value, (dict, list)):
                yield from walk(value, path + [key])

    for number in range(len(genes["dims"]) - 1, -1, -1):
        yield from without_dim(genes, number)
    for number in range(len(genes["inputs"]) - 1, -1, -1):
        if len(genes["inputs"]) > 1:
            yield {**genes, "inputs": genes["inputs"][:number] + genes["inputs"][number + 1:]}
        for axis, subscript in enumerate(genes["inputs"][number]["subscripts"]):
            for other in ([], subscript[:1], [[dim, 1] for dim, _ in subscript]):
                copy = json.loads(json.dumps(genes))
                copy["inputs"][number]["subscripts"][axis:axis + 1] = [other] if other else []
                if copy["inputs"][number]["subscripts"]:
                    yield copy
    for path, value in walk(genes, []):
        copy = json.loads(json.dumps(genes))
        node = copy
        for key in path[:-1]:
            node = node[key]
        node[path[-1]] = value
        yield copy


def shrink(seed, command):
    """Walks to simpler neighbours as long as the command fails on one."""
    genes = repair(choose_genes(random.Random(seed)))
    text = build(genes)
    if not fails(command, text):
        sys.exit("the command does not fail on this nest")
    seen = {text}
    while True:
        for other in neighbours(genes):
            other = repair(other)
            other_text = build(other)
            if other_text in seen:
                continue
            seen.add(other_text)
            if fails(command, other_text):
                genes, text = other, other_text
                break
        else:
            return text


if __name__ == "__main__":
    run_generator(__doc__, lambda seed: build(choose_genes(random.Random(seed))), shrink)
