"""Text of a nest from its genes; see nest_gen.py."""


def count(shape):
    product = 1
    for extent in shape:
        product *= extent
    return product


def get_tile(dim):
    """The extent of a dimension that one block takes at once."""
    return dim["part"] * (dim["steps"] if dim["reduced"] else dim["threads"] * dim["unroll"] * dim["warps"])


def get_box(operand, extents):
    """What an input's subscripts span where loops have these extents."""
    return [sum(factor * (extents[dim] - 1) for dim, factor in s) + 1 for s in operand["subscripts"]]


class NestText:
    """Lines of a nest and what they are made of."""

    def __init__(self):
        self.lines, self.depth = [], 0

    def line(self, text):
        self.lines.append("  " * self.depth + text)

    def open(self, text):
        self.line(text + " {")
        self.depth += 1

    def close(self, opened=1):
        for _ in range(opened):
            self.depth -= 1
            self.line("}")

    def memref(self, shape, element, level=None, strides=None, offset=False):
        text = "x".join([str(extent) for extent in shape] + [element])
        if strides:
            text += ", strided<[" + ", ".join(map(str, strides)) + "]" + (", offset: ?" if offset else "") + ">"
        return "memref<" + text + (f", #tile.level<{level}>" if level else "") + ">"

    def loop(self, numbers, letter, extents, steps, level, clauses=""):
        ivs = ", ".join(f"%{letter}{n}" for n in numbers)
        self.open(f"tile.for ({ivs}) in ({', '.join(map(str, extents))}) by ({', '.join(map(str, steps))}) "
                  f"at {level}{clauses}")


class NestPrinter(NestText):
    """Text of one nest."""

    def __init__(self, genes):
        super().__init__()
        self.genes, self.dims, self.inputs = genes, genes["dims"], genes["inputs"]
        self.reduced = [n for n, d in enumerate(self.dims) if d["reduced"]]
        self.parallel = [n for n, d in enumerate(self.dims) if not d["reduced"]]
        self.tile = [get_tile(d) for d in self.dims]
        # What one step of the blocks that share a result takes: two halves of a split, or the blocks of a cluster.
        self.span = [tile * (2 if dim["split"] else 1) for tile, dim in zip(self.tile, self.dims)]
        # The loops that the cluster's loop on block walks: outer ones step over its blocks together.
        self.shared_dim = self.first_reduced() if genes["cluster"] else self.first_parallel() if genes["team"] else None
        if self.shared_dim is not None:
            self.span[self.shared_dim] *= genes["cluster"] or genes["team"]
        self.part = [d["part"] for d in self.dims]
        self.sums = "i32" if genes["type"] == "i32" else "f32"
        # Filled by print: size arguments by name; of each operand its extents and which strides a launch chooses.
        self.sizes, self.shapes, self.strided = {}, {}, {}

    def first_reduced(self):
        return next(n for n in self.genes["order"] if n in self.reduced)

    def first_parallel(self):
        return next(n for n in self.genes["order"] if n in self.parallel)

    # Operands.

    def size_of(self, number):
        """The extent of a loop, as a loop or an operand writes it."""
        dim = self.dims[number]
        if dim["static"]:
            return str(dim["size"])
        self.sizes[f"d{number}"] = dim["size"]
        return f"%d{number}"

    def declare(self, name, extents, sizes, strided):
        """An operand's type and its brackets."""
        shape = ["?" if extent.startswith("%") else int(extent) for extent in extents]
        self.shapes[name], self.strided[name] = sizes, strided
        types = {"compact": None, "inner": ["?"] * (len(sizes) - 1) + [1], "all": ["?"] * len(sizes)}[strided]
        element = self.sums if name == "Y" else self.genes["type"]
        return self.memref(shape, element, strides=types), f"[{', '.join(extents)}]"

    def declare_input(self, number):
        extents, sizes = [], []
        for axis, subscript in enumerate(self.inputs[number]["subscripts"]):
            if len(subscript) == 1 and subscript[0][1] == 1:
                extents.append(self.size_of(subscript[0][0]))
                sizes.append(self.dims[subscript[0][0]]["size"])
            else:  # A size of its own, at times one short of what the loops reach.
                size = sum(f * max(self.dims[d]["size"] - 1, 0) for d, f in subscript) + axis % 2
                name = f"x{number}{axis}"
                self.sizes[name] = size
                extents.append("%" + name)
                sizes.append(size)
        return self.declare(f"X{number}", extents, sizes, self.inputs[number]["strided"])

    # Subscripts: the terms of a loop that lie outside of a tile, and those inside.

    def outer(self, number):
        dim = self.dims[number]
        terms = [f"%b{number}"]
        if dim["split"]:
            terms.append(f"%k{number}")
        if number == self.shared_dim:
            terms.append("%z")
        return terms

    def inner(self, number):
        dim = self.dims[number]
        if dim["reduced"]:
            return [f"%r{number}"]
        terms = []
        if dim["unroll"] > 1:
            terms.append(f"%u{number}")
        if dim["warps"] > 1:
            terms.append(f"%w{number}")
        return terms + [f"%t{number}"]

    def subscripts(self, operand, terms_of, shift=0):
        result = []
        for axis, subscript in enumerate(operand["subscripts"]):
            terms = [term if factor == 1 else f"{term} * {factor}"
                     for dim, factor in subscript for term in terms_of(dim)]
            text = " + ".join(terms)
            if shift and axis == 0:
                text += f" {'-' if shift < 0 else '+'} {abs(shift)}"
            result.append(text)
        return ", ".join(result)

    def smem_strides(self, operand, box):
        gap = operand["gap"]
        axes = list(range(len(box)))
        if not operand["transposed"]:
            axes.reverse()
        strides, span = [0] * len(box), 1
        for axis in axes:
            strides[axis] = span
            span = span * box[axis] + (gap if span == 1 else 0)
        return strides

    def smem_type(self, operand, box):
        strides = self.smem_strides(operand, self.smem_box(operand))
        if not operand["swizzle"]:
            return self.memref(box, self.genes["type"], "smem", strides)
        places = f"({','.join(map(str, box))}):({','.join(map(str, strides))})"
        shape = "x".join(map(str, box))
        return f'memref<{shape}x{self.genes["type"]}, #tile.layout<"{operand["swizzle"]} o 0 o {places}">, #tile.level<smem>>'

    def smem_box(self, operand):
        return get_box(operand, self.tile)

    # The nest.

    def stage_shared(self):
        for number, operand in enumerate(self.inputs):
            if "smem" not in operand["stages"]:
                continue
            pad = f" pad({operand['pad']})" if operand["pad"] else ""
            pad += " copy(tma)" if operand["tma"] else ""
            box = self.smem_box(operand)
            self.line(f"%s{number} = tile.stage %X{number}[{self.subscripts(operand, self.outer, operand['shift'])}]{pad}"
                      f" : {self.types[number]} to {self.smem_type(operand, box)}")

    def bring(self, number):
        """The input's elements for one linalg op: a name and a type."""
        operand = self.inputs[number]
        box = get_box(operand, self.part)
        shared = "smem" in operand["stages"]
        source, source_type = f"%X{number}", self.types[number]
        terms, shift, pad = lambda d: self.outer(d) + self.inner(d), operand["shift"], operand["pad"]
        if shared:
            source, source_type = f"%s{number}", self.smem_type(operand, self.smem_box(operand))
            terms, shift, pad = self.inner, 0, None
        subscripts = self.subscripts(operand, terms, shift)
        if "rf" in operand["stages"]:
            result = self.memref(box, self.genes["type"], "rf")
            clause = f" pad({pad})" if pad else ""
            self.line(f"%a{number} = tile.stage {source}[{subscripts}]{clause} : {source_type} to {result}")
        else:
            strides = self.smem_strides(operand, self.smem_box(operand)) if shared else ["?"] * len(box)
            result = self.memref(box, self.genes["type"], "smem" if shared else None, strides, offset=True)
            self.line(f"%a{number} = tile.part {source}[{subscripts}] : {source_type} to {result}")
        return f"%a{number}", result

    def compute(self, out, out_type):
        brought = [self.bring(number) for number in range(len(self.inputs))]
        maps = self.input_maps() + [self.output_map()]
        self.line(f"linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{self.iterator_kinds()}]}}")
        self.line(f"    ins({', '.join(n for n, _ in brought)} : {', '.join(t for _, t in brought)})"
                  f" outs({out} : {out_type}) {{")
        arguments = [f"%e{n}: {self.genes['type']}" for n in range(len(self.inputs))]
        self.line(f"^bb0({', '.join(arguments)}, %old: {self.sums}):")
        self.line(f"  linalg.yield {self.combine()} : {self.sums}")
        self.line("}")

    # The linalg op of the contraction.

    def input_maps(self):
        """Which element of each input a point of the loops' space uses."""
        loops = ", ".join(f"d{n}" for n in range(len(self.dims)))
        maps = []
        for operand in self.inputs:
            sums = [" + ".join(f"d{d}" if f == 1 else f"d{d} * {f}" for d, f in s) for s in operand["subscripts"]]
            maps.append(f"affine_map<({loops}) -> ({', '.join(sums)})>")
        return maps

    def output_map(self):
        loops = ", ".join(f"d{n}" for n in range(len(self.dims)))
        return f"affine_map<({loops}) -> ({', '.join(f'd{n}' for n in self.genes['output'])})>"

    def iterator_kinds(self):
        return ", ".join('"reduction"' if d["reduced"] else '"parallel"' for d in self.dims)

    def combine(self):
        """Combines the product of inputs %e0, %e1, .. with output %old; returns the result's name."""
        element, sums = self.genes["type"], self.sums
        suffix = "i" if sums == "i32" else "f"
        value = None
        for number in range(len(self.inputs)):
            factor = f"%e{number}"
            if element != sums:
                self.line(f"  %f{number} = arith.extf {factor} : {element} to {sums}")
                factor = f"%f{number}"
            if value:
                self.line(f"  %p{number} = arith.mul{suffix} {value}, {factor} : {sums}")
                factor = f"%p{number}"
            value = factor
        if self.genes["hold"] != "none":
            maximum = "maxsi" if sums == "i32" else "maximumf"
            op = f"add{suffix}" if self.genes["combine"] == "add" else maximum
            self.line(f"  %new = arith.{op} %old, {value} : {sums}")
            value = "%new"
        return value

    def thread_loops(self):
        """Opens the loops that share a block's tile out; returns how many."""
        opened = 0
        level = "smem" if any("smem" in i["stages"] for i in self.inputs) else "dram"
        inside = list(self.tile)
        order = [n for n in self.genes["order"] if n in self.parallel]
        for letter, gene, unit in [("u", "unroll", "unroll"), ("w", "warps", "warp")]:
            numbers = [n for n in order if self.dims[n][gene] > 1]
            if numbers:
                extents = [inside[n] for n in numbers]
                for n in numbers:
                    inside[n] //= self.dims[n][gene]
                self.loop(numbers, letter, extents, [inside[n] for n in numbers], level, f" on {unit}")
                opened += 1
        for numbers in [[n] for n in order] if self.genes["nested_threads"] else [order]:
            self.loop(numbers, "t", [inside[n] for n in numbers], [self.part[n] for n in numbers], level, " on thread")
            opened += 1
        return opened

    def reduction_loops(self):
        opened = 0
        numbers = [n for n in self.genes["order"] if n in self.reduced]
        for position, number in enumerate(numbers):
            dim = self.dims[number]
            extent, clause = self.tile[number], ""
            if position == 0 and self.genes["reduce_threads"]:
                clause = f" on thread reduce({self.genes['combine']})"
            elif number == numbers[-1] and self.genes["ahead"] and any("rf" in i["stages"] for i in self.inputs):
                clause = f" pipeline({self.genes['ahead']})"
            level = "smem" if any("smem" in i["stages"] for i in self.inputs) else "dram"
            self.loop([number], "r", [extent], [dim["part"]], level, clause)
            opened += 1
        return opened

    def outer_reduction_loops(self):
        opened = 0
        numbers = [n for n in self.genes["order"] if n in self.reduced]
        shared = any("smem" in i["stages"] for i in self.inputs)
        for position, number in enumerate(numbers):
            split = self.dims[number]["split"]
            extent = 2 * self.tile[number] if split else self.size_of(number)
            last = position == len(numbers) - 1
            clauses = " tail(cut, 16, 16, 1)" if self.genes["tail"] else ""
            if last and shared and self.genes["pipeline"]:
                clauses += f" pipeline({self.genes['pipeline']})"
                clauses += f" producers({self.genes['producers']})" if self.genes["producers"] else ""
                clauses += " registers(40, 152)" if self.genes["registers"] else ""
            step = self.tile[number] if split else self.span[number]
            self.loop([number], "k" if split else "b", [extent], [step], "dram", clauses)
            opened += 1
        return opened

    def output_subscripts(self, terms_of):
        return ", ".join(" + ".join(terms_of(n)) for n in self.genes["output"])

    def start(self):
        """What a combination of nothing is."""
        if self.genes["combine"] == "add":
            return "0" if self.sums == "i32" else "0.0"
        return "-2147483648" if self.sums == "i32" else "0xFF800000"

    def hold(self, extents):
        shape = [extents[n] for n in self.genes["output"]]
        held = self.memref(shape, self.sums, "rf")
        self.line(f"%c = tile.hold init({self.start()} : {self.sums}) : {held}")
        return held

    def scale(self, part, part_type):
        suffix = "i" if self.sums == "i32" else "f"
        loops = ", ".join(f"d{n}" for n in range(len(self.parallel)))
        kinds = ", ".join(['"parallel"'] * len(self.parallel))
        self.line(f"linalg.generic {{indexing_maps = [affine_map<({loops}) -> ({loops})>], iterator_types = [{kinds}]}}"
                  f" outs({part} : {part_type}) {{")
        self.line(f"^bb0(%x: {self.sums}):")
        self.line(f"  %y = arith.mul{suffix} %alpha, %x : {self.sums}")
        self.line(f"  linalg.yield %y : {self.sums}")
        self.line("}")

    def body(self):
        hold, everything = self.genes["hold"], lambda n: self.outer(n) + self.inner(n)
        part_shape = [self.part[n] for n in self.genes["output"]]
        part_type = self.memref(part_shape, self.sums, "rf")
        combine = f" combine(add){'' if self.sums == 'i32' else ' unordered'}" if any(d["split"] for d in self.dims) else ""
        if hold == "none":
            threads = self.thread_loops()
            part_type = self.memref(part_shape, self.sums, None, ["?"] * len(part_shape), offset=True)
            self.line(f"%y = tile.part %Y[{self.output_subscripts(everything)}] : {self.y_type} to {part_type}")
            self.compute("%y", part_type)
            return self.close(threads)
        if hold == "thread":
            threads = self.thread_loops()
            self.hold(self.part)
            loops = self.outer_reduction_loops() + self.reduction_loops()
            self.compute("%c", part_type)
            self.close(loops)
            if self.genes["epilogue"]:
                self.scale("%c", part_type)
            self.line(f"tile.store %c to %Y[{self.output_subscripts(everything)}]{combine} : {part_type} to {self.y_type}")
            return self.close(threads)
        held = self.hold(self.tile)
        part = f"%q = tile.part %c[{self.output_subscripts(self.inner)}] : {held} to {part_type}"
        loops = 0
        if self.genes["cluster"]:
            first = self.first_reduced()
            self.open(f"tile.for (%z) in ({self.span[first]}) by ({self.tile[first]}) at dram on block"
                      f" reduce({self.genes['combine']})")
            loops = 1
        loops += self.outer_reduction_loops()
        self.stage_shared()
        threads = self.thread_loops()
        self.line(part)
        inner = self.reduction_loops()
        self.compute("%q", part_type)
        self.close(loops + threads + inner)
        if self.genes["epilogue"] or self.genes["store_parts"]:
            threads = self.thread_loops()
            self.line(part)
            if self.genes["epilogue"]:
                self.scale("%q", part_type)
            if self.genes["store_parts"]:
                self.line(f"tile.store %q to %Y[{self.output_subscripts(everything)}]{combine} : {part_type} to {self.y_type}")
            self.close(threads)
        if not self.genes["store_parts"]:
            self.line(f"tile.store %c to %Y[{self.output_subscripts(self.outer)}]{combine} : {held} to {self.y_type}")

    def shape_words(self):
        """The sizes, as --shape takes them."""
        return ",".join(f"{name}={size}" for name, size in self.sizes.items())

    def layout_words(self, name):
        """How an operand lies in a launch, as --arg takes it: not by compact rows, where the nest allows that."""
        if len(self.shapes[name]) < 2:
            return []
        return {"compact": [], "inner": ["gap=3"], "all": ["order=columns", "gap=2"]}[self.strided[name]]

    def print(self):
        declared = [self.declare_input(n) for n in range(len(self.inputs))]
        self.types = [kind for kind, _ in declared]
        self.y_type, y_extents = self.declare("Y", [self.size_of(n) for n in self.genes["output"]],
                                              [self.dims[n]["size"] for n in self.genes["output"]], "inner")
        arguments = [f"%X{n}: {kind}{extents}" for n, (kind, extents) in enumerate(declared)]
        arguments += [f"%Y: {self.y_type}{y_extents}"] + [f"%{name}: index" for name in self.sizes]
        if self.genes["epilogue"]:
            arguments.append(f"%alpha: {self.sums}")
        split = any(d["split"] for d in self.dims)
        dataflow = ""
        if self.genes["dataflow"]:
            dataflow = f" dataflow({'split_reduction' if split else 'output_stationary'})"
        self.line("// --shape=" + self.shape_words() if self.sizes else "// no sizes")
        self.open(f"tile.kernel @nest({', '.join(arguments)}){dataflow}")
        grid = [n for n in self.genes["order"] if self.dims[n]["on_block"] or self.dims[n]["split"]]
        raster = f" raster({self.genes['raster']})" if self.genes["raster"] else ""
        unit = "block" if self.shared_dim is None else "cluster"
        persistent = " persistent" if self.genes["persistent"] else ""
        self.loop(grid, "b", [self.size_of(n) for n in grid], [self.span[n] for n in grid], "dram",
                  f" on {unit}{persistent}{raster}")
        opened = 1
        if self.genes["team"]:
            shared = self.shared_dim
            self.loop(["z"], "", [self.span[shared]], [self.tile[shared]], "dram", " on block")
            opened += 1
        for number in [n for n in self.genes["order"] if n in self.parallel and n not in grid]:
            self.loop([number], "b", [self.size_of(number)], [self.tile[number]], "dram")
            opened += 1
        self.body()
        self.close(opened + 1)
        return "\n".join(self.lines) + "\n"
