#!/usr/bin/env python3
"""Kernels that memory bounds, beside hand-written ones and the driver's copy, in one process on a GPU.

    memory.py TILEC [NAME...]

Compiles the nests below with tilec and memory.cu with nvcc, runs both interleaved with the L2 flushed, and prints a table of medians: GB/s of what
has to be moved, and each as a share of the driver's copy of 256 MiB. A NAME runs the groups that begin with it. Rows by `linalg` are functions of one
op, of sizes that are numbers, which tilec maps; those of several launches, of grids that the GPU decides, and stencils
it times by itself, right after, with the L2 flushed.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
NESTS = [HERE.parent.parent / "examples", HERE.parent / "Run" / "Inputs"]
SQUARE, ODD = (8192, 8192), (8191, 8193)


def two(m, n):
    """Bytes of a matrix that is read and one that is written."""
    return 8 * m * n


# Group with its type where that is not f32, nest or none, sizes, bytes moved, operands as buffers, the one that is written, its bytes, kernels by hand with their parameters.
def groups():
    for n in (1 << 26, (1 << 26) - 1):
        yield f"add {n}", "vecadd", {"N": n}, 12 * n, "XYZ", 2, 4 * n, [("add", f"b0 b1 b2 v{n}")]
    for m, n in (SQUARE, ODD):
        whole = [("transpose16", f"b0 b1 v{m} v{n}")] if m % 64 == n % 64 == 0 else []
        yield f"transpose {m}x{n}", "transpose64", {"M": m, "N": n}, two(m, n), "AB", 1, 4 * m * n, whole + [("transpose", f"b0 b1 v{m} v{n} v4")]
    for bits, width in (("f16", 2), ("i8", 1)):
        for m, n in (SQUARE, ODD):
            moved, parameters = 2 * width * m * n, f"b0 b1 v{m} v{n} v{width}"
            whole = [("transposeNarrow", parameters)] if (m, n) == SQUARE else []
            yield (f"transpose {m}x{n} {bits}", None, {"M": m, "N": n}, moved, "AB", 1, moved // 2,
                   [("transpose", parameters), *whole, ("copy", f"b0 b1 v{moved // 2}")])
    for m, n in (SQUARE, ODD):
        hand = "stencil" if n % 4 == 0 else "stencil1"
        yield f"stencil {m}x{n}", "stencil", {"M": m, "N": n}, two(m, n), "XWY", 2, 4 * m * n, [(hand, f"b0 b1 b2 v{m} v{n}")]
    for m, n in (SQUARE, (65536, 1024)):
        yield f"rowsum {m}x{n}", "rowsum", {"M": m, "N": n}, 4 * m * n, "XS", 1, 4 * m, [("rowsum", f"b0 b1 v{m} v{n}")]
    m, n = SQUARE
    yield f"softmax {m}x{n}", "softmax", {"M": m}, two(m, n), "XY", 1, 4 * m * n, [("softmax", f"b0 b1 v{m} v{n}")]
    yield f"layer_norm {m}x{n}", "layer_norm", {"M": m, "eps": 1}, two(m, n), "XGBY", 3, 4 * m * n, []
    yield f"gemv {m}x{n}", "gemv", {"M": m, "N": n}, 4 * m * n, "AXY", 2, 4 * m, []
    yield f"colsum {m}x{n}", "colsum", {"M": m, "N": n}, 4 * m * n, "XS", 1, 4 * n, [("colsum", f"b0 b1 v{m} v{n}")]


def function(kind, m, n, bits="f32"):
    """A function of one linalg op, on matrices of m rows and n columns; add on n elements."""
    matrix, zero = f"memref<{m}x{n}x{bits}>", "  %zero = arith.constant 0.0 : f32\n  linalg.fill ins(%zero : f32) outs(%y : {0})\n"
    unary = lambda op, result, more="": (f"%x: {matrix}, %y: {result}", f"  linalg.{op} ins(%x : {matrix}) outs(%y : {result}){more}")  # noqa: E731
    if kind == "copy":
        arguments, body = unary("copy", matrix)
    elif kind == "add":
        line = f"memref<{n}xf32>"
        arguments, body = f"%x: {line}, %y: {line}, %z: {line}", f"  linalg.add ins(%x, %y : {line}, {line}) outs(%z : {line})"
    elif kind == "transpose":
        arguments, body = unary("transpose", f"memref<{n}x{m}x{bits}>", " permutation = [1, 0]")
    elif kind == "stencil":
        around = f"memref<{m + 2}x{n + 2}xf32>"
        arguments = f"%x: {around}, %w: memref<3x3xf32>, %y: {matrix}"
        body = zero.format(matrix) + f"  linalg.conv_2d ins(%x, %w : {around}, memref<3x3xf32>) outs(%y : {matrix})"
    elif kind in ("rowsum", "colsum"):
        result, dim = (f"memref<{m}xf32>", 1) if kind == "rowsum" else (f"memref<{n}xf32>", 0)
        arguments = f"%x: {matrix}, %y: {result}"
        body = zero.format(result) + f"  linalg.reduce {{arith.addf}} ins(%x : {matrix}) outs(%y : {result}) dimensions = [{dim}]"
    else:
        return None
    return f"func.func @{kind}({arguments}) {{\n{body}\n  return\n}}\n"


def time_function(tilec, text, folder):
    """Microseconds of the function as tilec maps it."""
    path = pathlib.Path(folder) / "function.mlir"
    path.write_text(text)
    return float(re.search(r": ([\d.]+) us median", run(tilec, path, "--target=native", "--run=gpu", "--bench=21"))[1])


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr[-2000:]}")
    return done.stdout


# Of a text whose grid is known before its launch.
FIRST_LINE = re.compile(r"^// grid \((.*)\), block \((\d+), 1, 1\), shared memory .* static, (\d+) dynamic$", re.M)


def launch_of(text, sizes):
    """Kernel, grid, threads, shared memory and parameters, from a text's first lines and its signature."""
    grid, threads, shared = FIRST_LINE.search(text).groups()
    ceil = lambda a, b: -(-a // b)  # noqa: E731
    extents = re.sub(r"ceil\((\w+) / (\d+)\)", r"ceil(\1, \2)", grid)
    grid = eval(f"({extents},)", {"ceil": ceil, **sizes})  # pylint: disable=eval-used
    kernel, parameters = re.search(r"\n(\w+)\(([^{]*)\) \{", text[text.index('extern "C"'):]).groups()
    return kernel, grid, threads, shared, [words.split() for words in parameters.replace("*__restrict__", "* ").split(",")]


def strides_of(nest, sizes):
    """Of dense operands, from the kernel's bracket lists."""
    strides = {}
    for name, extents in re.findall(r"%(\w+): [^\[\]%]*\[([%\w, ]+)\]", re.search(r"tile\.kernel @\w+\((.*)\)", nest)[1]):
        dense = 1
        for dim, extent in reversed(list(enumerate(extents.replace("%", "").split(", ")))):
            strides[f"{name}_s{dim}"] = dense
            dense *= sizes.get(extent) or int(extent)
    return strides


def compile_nest(tilec, nest, sizes, operands, folder):
    path = next(path for folder in NESTS if (path := folder / f"{nest}.mlir").exists())
    stem = "_".join([nest, *map(str, sizes.values())])
    shape = ",".join(f"{name.lower()}={size}" for name, size in sizes.items() if name != "eps")
    run(tilec, path, "--target=native", f"--shape={shape}", "--emit=cuda,cubin", "-o", f"{folder}/{stem}/")
    kernel, grid, threads, shared, parameters = launch_of(pathlib.Path(f"{folder}/{stem}/{nest}.cu").read_text(), sizes)
    known = {**sizes, **strides_of(path.read_text(), sizes)}
    words = [f"b{operands.index(p[-1])}" if p[-1] in operands else f"v{known[p[-1]]}" for p in parameters]
    return " ".join(["tilec", nest, f"{folder}/{stem}/{nest}.cubin", kernel, *map(str, (list(grid) + [1, 1])[:3]), threads, shared, *words])


def compile_function(tilec, name, text, operands, folder):
    """The job of a function of one launch; None where it has several, parameters beside its operands or a grid that the GPU decides."""
    path, out = pathlib.Path(folder) / f"{name}.mlir", pathlib.Path(folder) / f"linalg_{name}"
    path.write_text(text)
    run(tilec, path, "--target=native", "--emit=cuda,cubin", "-o", f"{out}/")
    texts = list(out.glob("*.cu"))
    if len(texts) != 1 or not FIRST_LINE.search(texts[0].read_text()):
        return None
    kernel, grid, threads, shared, parameters = launch_of(texts[0].read_text(), {})
    order = re.findall(r"%(\w+):", text[:text.index("{")])
    if [p[-1] for p in parameters] != order or len(order) != len(operands):
        return None
    return " ".join(["tilec", "linalg", str(texts[0].with_suffix(".cubin")), kernel, *map(str, (list(grid) + [1, 1])[:3]), threads, shared,
                     *(f"b{number}" for number in range(len(order)))])


def main():
    tilec, names = sys.argv[1], sys.argv[2:]
    with tempfile.TemporaryDirectory() as folder:
        run("nvcc", "-O3", "-std=c++17", "-arch=native", HERE / "memory.cu", "-lcuda", "-o", f"{folder}/memory")
        lines = [f"group copy {1 << 29} 1 4", f"hand copy b0 b1 v{1 << 28}"]
        functions = {}

        def add_function(name, text, moved, operands):
            # A stencil's operand has a frame, which the others' has not.
            job = text and not name.startswith("stencil") and compile_function(tilec, name, text, operands, folder)
            if job:
                lines.append(job)
            elif text:
                functions[name] = text, moved

        add_function("copy", function("copy", *SQUARE), 1 << 29, "xy")
        for name, nest, sizes, moved, operands, out, out_bytes, by_hand in groups():
            if names and not any(name.startswith(wanted) for wanted in names):
                continue
            lines.append(f"group {name.replace(' ', '_')} {moved} {out} {out_bytes}")
            if nest:
                lines.append(compile_nest(tilec, nest, sizes, operands, folder))
            add_function(name.replace(" ", "_"), function(name.split()[0], sizes.get("M"), sizes.get("N"), *name.split()[2:]), moved, operands)
            lines += [f"hand {kernel} {parameters}" for kernel, parameters in by_hand]
        pathlib.Path(f"{folder}/jobs").write_text("\n".join(lines) + "\n")
        rows = [line.split("\t") for line in run(f"{folder}/memory", f"{folder}/jobs").splitlines()]
        for name, (text, moved) in functions.items():
            if text:
                time = time_function(tilec, text, folder)
                last = max(number for number, row in enumerate(rows) if row[0] == name)
                rows.insert(last + 1, [name, "linalg", name.split("_")[0], f"{time:.2f}", f"{moved / time / 1e3:.0f}"])
    copy = float(rows[0][4])
    print(f"{'what':24}{'by':8}{'kernel':14}{'us':>9}{'GB/s':>8}{'of copy':>9}")
    for group, who, label, time, rate in rows:
        rate, _, note = rate.partition(" ")
        print(f"{group.replace('_', ' '):24}{who:8}{label:14}{float(time):9.1f}{rate:>8}{float(rate) / copy:9.3f} {note}")


if __name__ == "__main__":
    main()
