"""Executes a program's tree by the language's meaning: one iteration after the other, one element at a time.

It knows nothing of tilec: not its text, its passes or its evaluator. Iterations of loops on units are taken in an order
that is drawn, since they have none; `conflicts` are elements that two iterations of such a loop touch, one of which
writes it. A program that is right has none, whatever the order.

Elements outside of an operand are absent: a point of a computation that touches one is left out, and none is stored.
"""

import itertools
import math
import operator

from program_scalars import compare_floats, compare_integers, fit
from program_tree import Sum

# What an absent element of a staged tile holds.
ABSENT = object()
COMBINES = {"add": lambda a, b: a + b, "mul": lambda a, b: a * b, "max": max, "min": min, "and": operator.and_, "or": operator.or_, "xor": operator.xor}


class Array:
    """Elements in row-major order. `depth` is the number of loops on units around its scope, `role` what made it:
    operand, stage or hold."""

    def __init__(self, memory, values, depth, role):
        self.name, self.element, self.shape = memory.name, memory.element, memory.shape
        self.values, self.depth, self.role = values, depth, role
        self.strides = [math.prod(self.shape[axis + 1:]) for axis in range(len(self.shape))]

    def place(self, coordinates):
        """Where an element is; None where it is outside."""
        total = 0
        for coordinate, extent, stride in zip(coordinates, self.shape, self.strides):
            if not 0 <= coordinate < extent:
                return None
            total += coordinate * stride
        return total


class View:
    """A box of an array."""

    def __init__(self, array, offsets):
        self.array, self.offsets = array, offsets

    def place(self, coordinates):
        return self.array.place([a + b for a, b in zip(self.offsets, coordinates)])


class Frame:
    """One loop on a unit that is running: who touched what so far."""

    def __init__(self, loop):
        self.loop, self.iteration, self.writers, self.readers = loop, 0, {}, {}


class Interpreter:
    """Runs a program once. Operands' values are changed in place."""

    def __init__(self, program, draw_order=None):
        self.program, self.shuffle = program, draw_order
        self.frames, self.ahead, self.conflicts, self.written = [], [], [], set()
        self.variables, self.views, self.exact = dict(program.sizes), {}, True
        self.scalars = {name: value for name, _, value in program.scalars}

    def run(self):
        """The values of each operand after the kernel."""
        for memory in self.program.operands:
            array = Array(memory, list(memory.values), 0, "operand")
            self.views[memory.name] = View(array, [0] * len(memory.shape))
        self.run_all(self.program.body)
        return {memory.name: self.views[memory.name].array.values for memory in self.program.operands}

    def run_all(self, body):
        for statement in body:
            getattr(self, "run_" + type(statement).__name__.lower())(statement)

    # Who touches what.

    def touch(self, array, place, writes, combine=None, updates=False):
        """`updates`: a computation that changes a held tile, as the iterations of a reducing loop may together."""
        if writes and array.role == "operand":
            self.written.add((array.name, place))
        for statement, seen in self.ahead:
            if writes and array.depth <= seen["depth"]:
                seen["written"].add(array.name)
        key = (id(array), place)
        for frame in self.frames[array.depth:]:
            if updates and frame.loop.reduce:
                continue
            for others in (frame.writers, frame.readers) if writes else (frame.writers,):
                for iteration, kind in others.get(key, ()):
                    if iteration != frame.iteration and not (combine and kind == combine):
                        self.conflicts.append((frame.loop.unit, array.name, place))
            known = (frame.writers if writes else frame.readers).setdefault(key, [])
            if (frame.iteration, combine) not in known and len(known) < 3:
                known.append((frame.iteration, combine))

    # Statements.

    def run_loop(self, loop):
        extents = [extent.value(self.variables) if isinstance(extent, Sum) else self.program.extent(extent) for extent in loop.extents]
        values = [range(0, extent, step) for extent, step in zip(extents, loop.steps)]
        iterations = list(itertools.product(*values))
        frame = None
        if loop.unit in ("cluster", "block", "warpgroup", "warp", "thread"):
            frame = Frame(loop)
            self.frames.append(frame)
            if self.shuffle and not loop.scans:
                self.shuffle(iterations)
        if loop.pipelined:
            self.ahead.append((loop, {"depth": len(self.frames), "written": set(), "staged": set()}))
        if loop.tied:
            self.run_tied(loop, itertools.product(*values), frame)
            iterations = []
        for iteration in iterations:
            self.variables.update(zip(loop.names, iteration))
            if frame:
                frame.iteration += 1
            self.run_all(loop.body)
        if frame:
            self.frames.pop()
        if loop.pipelined:
            _, seen = self.ahead.pop()
            self.conflicts += [("pipeline", name, 0) for name in seen["written"] & seen["staged"]]

    def run_divide(self, divide):
        whole, rest = divmod(divide.dividend.value(self.variables), divide.divisor)
        self.variables[divide.name] = rest if divide.op.startswith("rem") else whole

    def run_tied(self, loop, iterations, frame):
        """Each iteration has tiles of its own; what it has changed is combined, in the order of iterations, and then with what the tiles held."""
        arrays = [self.views[tile.name].array for tile in loop.tied]
        neutral = [fit(array.init, array.element) for array in arrays]
        before, changed = list(zip(*(array.values for array in arrays))), {}
        for iteration in iterations:
            self.variables.update(zip(loop.names, iteration))
            frame.iteration += 1
            for array, value in zip(arrays, neutral):
                array.values[:] = [value] * len(array.values)
            self.run_all(loop.body)
            for place, part in enumerate(zip(*(array.values for array in arrays))):
                if list(part) != neutral:
                    changed[place] = self.combine(loop, changed[place], part) if place in changed else part
        for place, part in enumerate(before):
            after = self.combine(loop, part, changed[place]) if place in changed else part
            for array, value in zip(arrays, after):
                array.values[place] = value

    def combine(self, loop, lower, upper):
        made = loop.combine.evaluate([*lower, *upper], (), self.scalars)
        self.exact &= loop.combine.exact
        return made

    def where(self, subscripts):
        return [subscript.value(self.variables) for subscript in subscripts]

    def number(self, coordinates, gather):
        """The coordinates of the element whose number stands where `coordinates` say; None where nothing stands there."""
        if not gather:
            return coordinates
        indices, along = self.views[gather[0].name], gather[1]
        place = indices.place([coordinates[along]])
        if place is None:
            return None
        self.touch(indices.array, place, False)
        return coordinates[:along] + [indices.array.values[place]] + coordinates[along + 1:]

    def run_stage(self, stage):
        source = self.views[stage.source.name]
        for loop, seen in self.ahead:
            if stage in loop.body:
                seen["staged"].add(source.array.name)
        values, at = [], self.where(stage.subscripts)
        for point in itertools.product(*map(range, stage.tile.shape)):
            coordinates = self.number([a + b for a, b in zip(at, point)], stage.gather)
            place = coordinates and source.place(coordinates)
            if place is None and stage.gather:
                values.append(fit(0, stage.tile.element) if stage.pad else ABSENT)
                continue
            if place is None and stage.pad:
                coordinates = pad(coordinates, source.array.shape, stage.pad)
                place = coordinates and source.place(coordinates)
                if place is None:
                    values.append(fit(0, stage.tile.element))
                    continue
            if place is None:
                values.append(ABSENT)
                continue
            self.touch(source.array, place, False)
            values.append(source.array.values[place])
        array = Array(stage.tile, values, len(self.frames), "stage")
        self.views[stage.tile.name] = View(array, [0] * len(array.shape))

    def run_part(self, part):
        source = self.views[part.source.name]
        offsets = [a + b for a, b in zip(source.offsets, self.where(part.subscripts))]
        self.views[part.tile.name] = View(source.array, offsets)

    def run_hold(self, hold):
        values = [fit(hold.init, hold.tile.element)] * math.prod(hold.tile.shape)
        array = Array(hold.tile, values, len(self.frames), "hold")
        array.init = hold.init
        self.views[hold.tile.name] = View(array, [0] * len(array.shape))

    def run_store(self, store):
        tile, target, at = self.views[store.tile.name], self.views[store.target.name], self.where(store.subscripts)
        for point in itertools.product(*map(range, store.tile.shape)):
            coordinates = self.number([a + b for a, b in zip(at, point)], store.scatter)
            source, place = tile.place(point), coordinates and target.place(coordinates)
            if source is None or place is None or tile.array.values[source] is ABSENT:
                continue
            self.touch(tile.array, source, False)
            self.touch(target.array, place, True, store.combine)
            value = tile.array.values[source]
            if store.combine:
                value = COMBINES[store.combine](target.array.values[place], value)
            target.array.values[place] = fit(value, target.array.element)

    def run_if(self, statement):
        if statement.element == "index":
            holds = compare_integers(statement.predicate, statement.left.value(self.variables), statement.right, "index")
        elif statement.element.startswith("f"):
            holds = compare_floats(statement.predicate, self.scalars[statement.left], statement.right)
        else:
            holds = compare_integers(statement.predicate, self.scalars[statement.left], statement.right, statement.element)
        self.run_all(statement.then if holds else statement.otherwise)

    def run_product(self, compute):
        """The points of `run_compute` of c(m, n) += a(m, k) * b(n, k), a row of k at a time; what is not there adds nothing. Dimensions of a batch have one place."""
        views = [self.views[memory.name] for memory in compute.ins + compute.outs]
        in_a, in_b, in_c = ([int(name[1:]) for subscript in subscripts for name in subscript.terms] for subscripts in compute.maps)
        batch = set(in_a) & set(in_b) & set(in_c)
        m, n = (dim for dim in in_c if dim not in batch)
        extents, (k,) = get_extents(compute), set(in_a) & set(in_b) - batch
        assert all(extents[dim] == 1 for dim in batch)
        rows = {}
        for view, dims in zip(views[:2], (in_a, in_b)):
            moved, = set(dims) - {k} - batch
            rows[moved] = []
            for row in range(extents[moved]):
                places = [view.place([row if dim == moved else at if dim == k else 0 for dim in dims]) for at in range(extents[k])]
                for place in places:
                    if place is not None and len(self.frames) > view.array.depth:
                        self.touch(view.array, place, False)
                values = [None if place is None or view.array.values[place] is ABSENT else fit(view.array.values[place], compute.product) for place in places]
                rows[moved].append(values)
        result = views[2].array
        complete = not any(None in row for row in rows[m] + rows[n])
        for (at, a), (to, b) in itertools.product(enumerate(rows[m]), enumerate(rows[n])):
            place = views[2].place([at if dim == m else to if dim == n else 0 for dim in in_c])
            if place is None or result.values[place] is ABSENT:
                continue
            self.touch(result, place, True, updates=result.role == "hold")
            total = sum(map(operator.mul, a, b)) if complete else sum(x * y for x, y in zip(a, b) if x is not None and y is not None)
            total += result.values[place]
            result.values[place] = fit(total, result.element)
            self.exact &= result.values[place] == total or total != total or not isinstance(total, float)

    def run_compute(self, compute):
        if compute.product:
            self.run_product(compute)
            return
        memories = compute.ins + compute.outs
        views = [self.views[memory.name] for memory in memories]
        read = [compute.body.reads(number) for number in range(len(memories))]
        for point in itertools.product(*map(range, get_extents(compute))):
            variables = {f"d{n}": value for n, value in enumerate(point)}
            places = [view.place([s.value(variables) for s in one]) for view, one in zip(views, compute.maps)]
            if None in places or any(view.array.values[place] is ABSENT for view, place in zip(views, places)):
                continue
            for number, (view, place) in enumerate(zip(views, places)):
                out = number >= len(compute.ins)
                if read[number] and not out:
                    self.touch(view.array, place, False)
                elif out:
                    self.touch(view.array, place, True, updates=view.array.role == "hold")
            values = [view.array.values[place] for view, place in zip(views, places)]
            for view, place, value in zip(views[len(compute.ins):], places[len(compute.ins):],
                                          compute.body.evaluate(values, point, self.scalars)):
                view.array.values[place] = fit(value, view.array.element)
        self.exact &= compute.body.exact


def get_extents(compute):
    """The extents of the op's loops, from subscripts that are one loop each."""
    extents = [None] * len(compute.kinds)
    for memory, one in zip(compute.ins + compute.outs, compute.maps):
        for subscript, extent in zip(one, memory.shape):
            if len(subscript.terms) == 1 and not subscript.constant and list(subscript.terms.values()) == [1]:
                extents[int(next(iter(subscript.terms))[1:])] = extent
    return extents


def pad(coordinates, shape, kind):
    """The coordinates that an element outside of an operand is read from; None where it is zero."""
    if kind == "zero" or 0 in shape:
        return None
    result = []
    for coordinate, extent in zip(coordinates, shape):
        if kind == "reflect" and extent > 1:
            phase = coordinate % (2 * (extent - 1))
            coordinate = min(phase, 2 * (extent - 1) - phase)
        if kind == "wrap":
            coordinate %= extent
        result.append(min(max(coordinate, 0), extent - 1))
    return result
