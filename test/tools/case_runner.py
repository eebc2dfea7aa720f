"""A kernel under test: what tilec-run-cases says of it, and launches for it.

Used by shapes.py (one text, many launches) and mutants.py (many texts, few launches).
"""

import json
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEDULES = ["in-order", "reversed", "ahead", "random"]


# More shared memory than there is.
REJECTED = {"verbatim.mlir"}
# Launches of many batches, heads, channels or scales, which take minutes each, or of rows that are too short for several warps; and results that a sum
# fused with a product rounds otherwise, so that no bits are compared; and indices of what has no elements. test/Run runs some of each.
ELSEWHERE = {"attention.mlir", "attention_wgmma.mlir", "attention_mma.mlir", "argmax.mlir", "products.mlir", "conv2d.mlir", "max_pool.mlir", "batched.mlir", "gray.mlir", "gather.mlir", "histogram.mlir",
             "layer_norm.mlir", "softmax.mlir", "scan_blocks.mlir", "grouped_gemm.mlir", "grouped_mma.mlir", "grouped_wgmma.mlir", "wgmma_fp8.mlir"}


def find_examples():
    return [path for path in sorted((ROOT / "examples").rglob("*.mlir")) if path.name not in REJECTED | ELSEWHERE]


def find_target(path):
    """The machine that a kernel is for; None: tilec's own choice. Attention in fast needs as much shared memory as Hopper has."""
    large = path.parts[-2:] == ("fast", "attention.mlir")
    return "h100-sxm" if large or re.search(r"copy\(tma\)|on cluster", path.read_text()) else None


def read_steps(text):
    """For each size of a nest: steps of loops over it on blocks, and of loops over time, 16 where there are none;
    and the most stages of a pipeline."""
    blocks, times = {}, {}
    for extents, steps, rest in re.findall(r"tile\.for \([^)]*\) in \(([^)]*)\) by \(([^)]*)\)([^{]*)\{", text):
        for extent, step in zip(extents.split(","), steps.split(",")):
            into = blocks if re.search(r"\bon (block|cluster)\b", rest) else times
            name = extent.strip().lstrip("%")
            into[name] = max(into.get(name, 1), int(step))
    stages = max([int(n) for n in re.findall(r"\bpipeline\((\d+)\)", text)], default=1)
    return blocks, times, stages


def read_group(text):
    """The elements in 16 bytes of the narrowest operand, but no fewer than 4."""
    bits = [int(bits) for bits in re.findall(r"memref<[?\dx]*x(?:f|bf|i)(\d+)", text)]
    return max(4, 128 // min(bits))


class Kernel:
    """A process that runs launches of one kernel; started again where a text has ended it."""

    def __init__(self, program, path, number=0):
        target = find_target(pathlib.Path(path))
        self.command = [program, str(path), str(number), *([target] if target else [])]
        self.start()
        text = pathlib.Path(path).read_text()
        self.blocks, self.times, self.stages = read_steps(text)
        self.group = read_group(text)

    def start(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{' '.join(self.command)} failed")
        self.about = json.loads(line)

    def close(self):
        self.process.stdin.close()
        self.process.wait()

    def run(self, cases, text=None, mutant=0, everything=False):
        """(verdict, why) of each case, up to the first that is caught unless `everything` is asked for. `mutant` is what the text
        finds in tilec_mutant (mutate_text.py)."""
        job = {"cases": cases, "all": everything, "mutant": mutant}
        if text is not None:
            job["text"] = text
        try:
            self.process.stdin.write(json.dumps(job) + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            self.process.wait()
            status = self.process.returncode
            self.start()
            return [("caught", f"the emulator ended with status {status}")]
        answer = json.loads(answer)
        return [("error", answer["error"])] if "error" in answer else [tuple(pair) for pair in answer["results"]]

    def get_tile(self, size):
        """The edge of the tile along a size, 16 where it is one element."""
        step = max(self.blocks.get(size, 1), self.times.get(size, 1))
        return step if step > 1 else 16

    def get_row(self, tensor, shape, columns):
        """Elements in one row (column) of a tensor: the extent of the dense dimension."""
        extent = tensor["shape"][0 if columns else -1]
        return shape[extent] if isinstance(extent, str) else extent

    def lay_out(self, shape, columns=(), gap=None, offset=0, only=None):
        """Arguments for a launch: tensors of `columns` by columns, where they can be; gap(row) elements between rows, and
        `offset` ahead of the first, of all tensors or of one."""
        arguments = {}
        for tensor in self.about["tensors"]:
            name, by_columns = tensor["name"], tensor["name"] in columns and tensor["columns"]
            if by_columns:
                arguments[name + ".order"] = "columns"
            if only not in (None, name):
                continue
            if gap and tensor["gap"] and len(tensor["shape"]) > 1:
                arguments[name + ".gap"] = str(gap(self.get_row(tensor, shape, by_columns)))
            if offset and tensor["offset"]:
                arguments[name + ".offset"] = str(offset)
        return arguments
