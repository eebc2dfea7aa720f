"""Slices at places that the function computes, as form_gen.py draws them: of a number that it is given, or of an element."""

import itertools

from form_function import Array


def draw_number(p, number, low, high):
    """The name of an index that is `number`, which lies between `low` and `high`."""
    rng, f = p.rng, p.f
    kind = rng.choice(["index", "i64", "i64", "i32"])
    shift = rng.choice([0, 0, 1, 5])
    clamped = rng.random() < 0.3
    if clamped and number in (low, high):
        number += rng.randint(-4, 0) if number == low else rng.randint(0, 4)
    held = number - shift
    if kind != "index" and rng.random() < 0.6:
        extents = [rng.choice([1, 2, 3])] if rng.random() < 0.4 else []
        places = [rng.randrange(extent) for extent in extents]
        array = f.argument(kind, extents, [held if [place] == places or not places else -99 for place in range(extents[0] if extents else 1)])
        f.read.add(array.name)
        value = f.write(f"tensor.extract %{array.name}[{', '.join(f.constant('index', place) for place in places)}] : {array.type}")
    else:
        value = "%" + f.scalar(kind, held).name
    if shift:
        value = f.write(f"arith.addi {value}, {f.constant(kind, shift)} : {kind}")
    if clamped:
        value = f.write(f"arith.maxsi {value}, {f.constant(kind, low)} : {kind}")
        value = f.write(f"arith.minsi {value}, {f.constant(kind, high)} : {kind}")
    return value if kind == "index" else f.write(f"arith.index_cast {value} : {kind} to index")


class Slice:
    """A slice of arrays of `extents`: where it begins, by dimension, how far it goes and in what steps; `kept` are the dimensions that it has itself."""

    def __init__(self, p, extents, parts=False):
        """`parts`: all that is computed is where a part of a dimension begins."""
        rng = p.rng
        among = [number for number, extent in enumerate(extents) if extent > 1 or not parts]
        computed = set(rng.sample(among, rng.choice([1, 1, min(2, len(among))])))
        self.computed = len(computed)
        self.sizes, self.strides, self.begins, self.words = [], [], [], []
        for number, extent in enumerate(extents):
            stride = rng.choice([1, 1, 1, 1, 2, 3])
            most = (extent - 1) // stride + 1
            size = rng.choice([1, most, rng.randint(1, most)]) if number in computed else rng.choice([most, most, most, rng.randint(1, most)])
            size = min(size, extent - 1) if parts and number in computed else size
            last = extent - 1 - (size - 1) * stride
            begin = rng.choice([0, last, rng.randint(0, last)])
            self.sizes.append(size)
            self.strides.append(stride)
            self.begins.append(begin)
            self.words.append(draw_number(p, begin, 0, last) if number in computed else str(begin))
        ones = [number for number, size in enumerate(self.sizes) if size == 1 and rng.random() < 0.7]
        self.kept = [number for number in range(len(extents)) if number not in ones] or [0]
        self.extents = [self.sizes[number] for number in self.kept]

    def print(self):
        return f"[{', '.join(self.words)}] {self.sizes} {self.strides}"

    def place(self, point):
        whole = [0] * len(self.sizes)
        for number, at in zip(self.kept, point):
            whole[number] = at
        return [begin + at * stride for begin, at, stride in zip(self.begins, whole, self.strides)]


def draw_take(p):
    f = p.f
    a = p.pick([p.number, p.number, "i1"], 1)
    taken = Slice(p, a.extents)
    made = Array(f"v{next(f.numbers)}", a.kind, taken.extents, [a.at(taken.place(point)) for point in itertools.product(*map(range, taken.extents))])
    f.lines.append(f"%{made.name} = tensor.extract_slice %{a.name}{taken.print()} : {a.type} to {made.type}")
    f.read.add(a.name)
    p.add(made)


def draw_put(p):
    f = p.f
    a = p.pick([p.number, p.number, "i1"], 1)
    if max(a.extents) == 1:
        return
    place = Slice(p, a.extents, parts=True)
    put, _ = p.beside(a.kind, place.extents, but=a)
    put = put if put.extents == place.extents else p.draw(a.kind, place.extents)
    made = Array(f"v{next(f.numbers)}", a.kind, a.extents, [a.at(point) for point in a.points()])
    made.into = a if place.computed == 1 else None
    for point in put.points():
        made.values[made.number_of(place.place(point))] = put.at(point)
    f.lines.append(f"%{made.name} = tensor.insert_slice %{put.name} into %{a.name}{place.print()} : {put.type} into {made.type}")
    f.read |= {a.name, put.name}
    p.add(made)
