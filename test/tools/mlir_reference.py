"""What generated nests compute, by MLIR's own lowering of linalg.

A nest's linalg op is put on whole operands: one linalg.generic with the same indexing maps and the same product. Around
it is what the nest says of elements outside of an operand (a padded copy of each input, beside it a mask of the
elements that are present), of the result's start and of its scaling. mlir-opt lowers that to loops and to LLVM,
mlir-runner runs it. Nothing of tilec takes part.

Many nests make one module, which reads their operands one after another from standard input and writes their results to
standard output.
"""

import pathlib
import subprocess
import tempfile

from nest_printer import NestPrinter, count, get_box

# Of the nests' scalar; negative, and no power of two.
ALPHA = -3

PASSES = ["--convert-linalg-to-loops", "--lower-affine", "--convert-scf-to-cf", "--convert-arith-to-llvm",
          "--finalize-memref-to-llvm", "--convert-func-to-llvm", "--convert-cf-to-llvm", "--reconcile-unrealized-casts"]
ELEMENT_BYTES = {"f16": 2, "f32": 4, "i32": 4}

# Of the C library: it moves so many bytes between an address and a file.
MOVE = """
func.func private @{call}(i32, !llvm.ptr, i64) -> i64
func.func private @{name}(%address: index, %bytes: i64) {{
  %number = arith.index_cast %address : index to i64
  %pointer = llvm.inttoptr %number : i64 to !llvm.ptr
  %file = arith.constant {file} : i32
  %done = func.call @{call}(%file, %pointer, %bytes) : (i32, !llvm.ptr, i64) -> i64
  return
}}
"""
# From standard input and to standard output.
PRELUDE = MOVE.format(name="take", call="read", file=0) + MOVE.format(name="give", call="write", file=1)


class ReferencePrinter(NestPrinter):
    """One function without arguments that computes what a nest does."""

    def __init__(self, genes):
        super().__init__(genes)
        super().print()
        self.lines, self.depth = [], 0
        # A loop over time covers whole tiles. What is outside of an operand there is absent, or padded.
        self.extents = [-(-dim["size"] // span) * span if dim["reduced"] else dim["size"]
                        for dim, span in zip(self.dims, self.span)]

    def constant(self, name, value, kind):
        self.line(f"%{name} = arith.constant {value} : {kind}")

    def transfer(self, function, name, shape, element):
        """Reads or writes the elements of a compact memref."""
        address, size = f"{name}_{function}_at", f"{name}_{function}_bytes"
        kind = self.memref(shape, element)
        self.line(f"%{address} = memref.extract_aligned_pointer_as_index %{name} : {kind} -> index")
        self.constant(size, count(shape) * ELEMENT_BYTES[element], "i64")
        self.line(f"func.call @{function}(%{address}, %{size}) : (index, i64) -> ()")

    def read_operand(self, name, element):
        self.line(f"%{name} = memref.alloc() : {self.memref(self.shapes[name], element)}")
        self.transfer("take", name, self.shapes[name], element)

    def swap_subscripts(self):
        """Makes the reference a wrong one: the first input of several subscripts is read with two of them swapped."""
        several = [operand["subscripts"] for operand in self.inputs if len(operand["subscripts"]) > 1]
        if several:
            several[0][:2] = reversed(several[0][:2])

    # Elements outside of an operand.

    def place(self, axis, extent, shift, pad):
        """%at: the coordinate to read along an axis, %inside: whether it is the one asked for. The extent is not 0."""
        self.line(f"%i{axis} = linalg.index {axis} : index")
        self.line(f"%j{axis} = affine.apply affine_map<(d0) -> (d0 + {shift if axis == 0 else 0})>(%i{axis})")
        self.line(f"%low{axis} = arith.cmpi sge, %j{axis}, %zero : index")
        self.constant(f"extent{axis}", extent, "index")
        self.line(f"%high{axis} = arith.cmpi slt, %j{axis}, %extent{axis} : index")
        self.line(f"%inside{axis} = arith.andi %low{axis}, %high{axis} : i1")
        inner = f"%j{axis}"
        if pad == "reflect" and extent > 1:
            period = 2 * (extent - 1)
            self.line(f"%phase{axis} = affine.apply affine_map<(d0) -> (d0 mod {period})>(%j{axis})")
            self.line(f"%back{axis} = affine.apply affine_map<(d0) -> ({period} - d0)>(%phase{axis})")
            self.line(f"%mirror{axis} = arith.minsi %phase{axis}, %back{axis} : index")
            inner = f"%mirror{axis}"
        if pad == "wrap":
            self.line(f"%phase{axis} = affine.apply affine_map<(d0) -> (d0 mod {extent})>(%j{axis})")
            inner = f"%phase{axis}"
        self.constant(f"last{axis}", extent - 1, "index")
        self.line(f"%floor{axis} = arith.maxsi {inner}, %zero : index")
        self.line(f"%at{axis} = arith.minsi %floor{axis}, %last{axis} : index")

    def pad_input(self, number):
        """%P: all elements of an input that the loops ask for, %M: which of them are there."""
        operand, name, element = self.inputs[number], f"X{number}", self.genes["type"]
        pad = operand["pad"] if operand["stages"] else None
        source, box = self.shapes[name], self.get_boxes()[number]
        copy, mask = self.memref(box, element), self.memref(box, "i1")
        self.line(f"%P{number} = memref.alloc() : {copy}")
        self.line(f"%M{number} = memref.alloc() : {mask}")
        loops = ", ".join(f"d{axis}" for axis in range(len(box)))
        identity = f"affine_map<({loops}) -> ({loops})>"
        kinds = ", ".join(['"parallel"'] * len(box))
        self.open(f"linalg.generic {{indexing_maps = [{identity}, {identity}], iterator_types = [{kinds}]}}"
                  f" outs(%P{number}, %M{number} : {copy}, {mask})")
        self.line(f"^bb0(%x: {element}, %m: i1):")
        self.constant("zero", 0, "index")
        self.constant("nothing", "0" if element == "i32" else "0.0", element)
        if count(source) == 0:
            self.line(f"%present = arith.constant {'true' if pad else 'false'}")
            self.line(f"linalg.yield %nothing, %present : {element}, i1")
            return self.close()
        for axis, extent in enumerate(source):
            self.place(axis, extent, operand["shift"], pad)
        subscripts = ", ".join(f"%at{axis}" for axis in range(len(box)))
        self.line(f"%value = memref.load %{name}[{subscripts}] : {self.memref(source, element)}")
        inside = "%inside0"
        for axis in range(1, len(box)):
            self.line(f"%all{axis} = arith.andi {inside}, %inside{axis} : i1")
            inside = f"%all{axis}"
        value = "%value"
        if pad == "zero":
            self.line(f"%padded = arith.select {inside}, %value, %nothing : {element}")
            value = "%padded"
        if pad:
            self.line("%present = arith.constant true")
            inside = "%present"
        self.line(f"linalg.yield {value}, {inside} : {element}, i1")
        return self.close()

    def get_boxes(self):
        return [[max(extent, 0) for extent in get_box(operand, self.extents)] for operand in self.inputs]

    # The whole nest.

    def contract(self, y_type):
        boxes, element = self.get_boxes(), self.genes["type"]
        maps = [text for text in self.input_maps() for _ in range(2)] + [self.output_map()]
        names = ", ".join(f"%P{n}, %M{n}" for n in range(len(boxes)))
        types = ", ".join(f"{self.memref(box, element)}, {self.memref(box, 'i1')}" for box in boxes)
        self.open(f"linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{self.iterator_kinds()}]}}"
                  f" ins({names} : {types}) outs(%Y : {y_type})")
        arguments = ", ".join(f"%e{n}: {element}, %m{n}: i1" for n in range(len(boxes)))
        self.line(f"^bb0({arguments}, %old: {self.sums}):")
        result, present = self.combine(), "%m0"
        for number in range(1, len(boxes)):
            self.line(f"%present{number} = arith.andi {present}, %m{number} : i1")
            present = f"%present{number}"
        self.line(f"%kept = arith.select {present}, {result}, %old : {self.sums}")
        self.line(f"linalg.yield %kept : {self.sums}")
        self.close()

    def print_function(self, name):
        y_type = self.memref(self.shapes["Y"], self.sums)
        self.open(f"func.func private @{name}()")
        for number in range(len(self.inputs)):
            self.read_operand(f"X{number}", self.genes["type"])
            self.pad_input(number)
        self.read_operand("Y", self.sums)
        # Blocks that share a result add to what is there; with no tile held, what is absent leaves a result as it is.
        if self.genes["hold"] != "none" and not any(dim["split"] for dim in self.dims):
            self.constant("start", self.start(), self.sums)
            self.line(f"linalg.fill ins(%start : {self.sums}) outs(%Y : {y_type})")
        self.contract(y_type)
        if self.genes["epilogue"]:
            self.constant("alpha", f"{ALPHA}{'' if self.sums == 'i32' else '.0'}", self.sums)
            self.scale("%Y", y_type)
        self.transfer("give", "Y", self.shapes["Y"], self.sums)
        for number in range(len(self.inputs)):
            for letter, element in (("X", self.genes["type"]), ("P", self.genes["type"]), ("M", "i1")):
                shape = self.shapes[f"X{number}"] if letter == "X" else self.get_boxes()[number]
                self.line(f"memref.dealloc %{letter}{number} : {self.memref(shape, element)}")
        self.line(f"memref.dealloc %Y : {y_type}")
        self.line("return")
        self.close()
        return "\n".join(self.lines) + "\n"

    def result_bytes(self):
        return count(self.shapes["Y"]) * ELEMENT_BYTES[self.sums]


def print_module(references):
    functions = [reference.print_function(f"nest{number}") for number, reference in enumerate(references)]
    calls = "".join(f"  call @nest{number}() : () -> ()\n" for number in range(len(references)))
    return PRELUDE + "\n".join(functions) + f"\nfunc.func @main() {{\n{calls}  return\n}}\n"


def evaluate(references, operands, seconds):
    """The result of each nest, as bytes. `operands` are for each the bytes of its inputs and of what its output holds
    before. Raises subprocess.SubprocessError where a tool fails or takes more than `seconds`."""
    with tempfile.TemporaryDirectory() as folder:
        names = ("source.mlir", "lowered.mlir", "given", "made")
        source, lowered, given, made = (pathlib.Path(folder) / name for name in names)
        source.write_text(print_module(references))
        given.write_bytes(b"".join(data for nest in operands for data in nest))
        subprocess.run(["mlir-opt", *PASSES, str(source), "-o", str(lowered)], timeout=seconds, check=True)
        with given.open("rb") as stdin, made.open("wb") as stdout:
            subprocess.run(["mlir-runner", "-e", "main", "--entry-point-result=void", str(lowered)], stdin=stdin,
                           stdout=stdout, timeout=seconds, check=True)
        data, results = made.read_bytes(), []
    for reference in references:
        results.append(data[:reference.result_bytes()])
        data = data[reference.result_bytes():]
    return results
