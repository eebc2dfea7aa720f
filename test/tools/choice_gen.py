"""Programs that ask for their sizes, drawn, run through the command, and held against what Python makes of them.

  choice_gen.py TILEC FIRST END

The program of a seed is a tree of scf.if over conditions of two sizes; each leaf adds numbers of its own to a vector, some by way
of a workspace, some twice. It is run at several sizes. Prints how many were run, and the first that is wrong; exit status 1 for one.
"""

import pathlib
import random
import struct
import subprocess
import sys
import tempfile

from npy import read_npy, write_npy

KERNEL = """!V = memref<?xi32>
!t = memref<1xi32, #tile.level<rf>>
tile.kernel @add{number}(%X: !V[%N], %Y: !V[%N], %N: index) {{
  tile.for (%i) in (%N) by (32) at dram on block {{
    tile.for (%k) in (32) by (1) at dram on thread {{
      %x = tile.stage %X[%i + %k] : !V to !t
      %y = tile.hold init(0 : i32) : !t
      linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}} ins(%x : !t) outs(%y : !t) {{
      ^bb0(%a: i32, %b: i32):
        %c = arith.constant {number} : i32
        %s = arith.addi %a, %c : i32
        linalg.yield %s : i32
      }}
      tile.store %y to %Y[%i + %k] : !t to !V
    }}
  }}
}}
"""
PREDICATES = {"eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "ult": lambda a, b: a < b, "ule": lambda a, b: a <= b,
              "ugt": lambda a, b: a > b, "uge": lambda a, b: a >= b, "slt": lambda a, b: a < b, "sge": lambda a, b: a >= b}


class Writer:
    """Text of a program's body, and a function of sizes that says what is added."""

    def __init__(self, rng):
        self.rng = rng
        self.names = 0
        self.kernels = set()

    def name(self):
        self.names += 1
        return f"%v{self.names}"

    def size(self, lines, pad, depth=0):
        """A size, as text and as a function."""
        kind = self.rng.randrange(6 if depth < 2 else 3)
        if kind < 2:
            return ("%N", lambda n, m: n) if kind else ("%M", lambda n, m: m)
        if kind == 2:
            value, made = self.rng.randrange(1, 80), self.name()
            lines.append(f"{pad}{made} = arith.constant {value} : index")
            return made, lambda n, m: value
        (a, f), (b, g) = self.size(lines, pad, depth + 1), self.size(lines, pad, depth + 1)
        made = self.name()
        op, result = self.rng.choice([("addi", lambda x, y: x + y), ("muli", lambda x, y: x * y), ("minui", min), ("maxui", max)])
        lines.append(f"{pad}{made} = arith.{op} {a}, {b} : index")
        return made, lambda n, m: result(f(n, m), g(n, m))

    def truth(self, lines, pad, depth=0):
        made = self.name()
        kind = self.rng.randrange(4) if depth < 2 else 0
        if kind == 0 or kind == 3:
            (a, f), (b, g) = self.size(lines, pad), self.size(lines, pad)
            if kind == 3:
                number, zero, rest = self.rng.choice([2, 3, 4]), self.name(), self.name()
                divisor = self.name()
                lines += [f"{pad}{divisor} = arith.constant {number} : index", f"{pad}{zero} = arith.constant 0 : index",
                          f"{pad}{rest} = arith.remui {a}, {divisor} : index", f"{pad}{made} = arith.cmpi eq, {rest}, {zero} : index"]
                return made, lambda n, m: f(n, m) % number == 0
            predicate = self.rng.choice(list(PREDICATES))
            lines.append(f"{pad}{made} = arith.cmpi {predicate}, {a}, {b} : index")
            return made, lambda n, m: PREDICATES[predicate](f(n, m), g(n, m))
        (a, f), (b, g) = self.truth(lines, pad, depth + 1), self.truth(lines, pad, depth + 1)
        op, result = [("andi", lambda x, y: x and y), ("ori", lambda x, y: x or y)][kind - 1]
        lines.append(f"{pad}{made} = arith.{op} {a}, {b} : i1")
        return made, lambda n, m: result(f(n, m), g(n, m))

    def leaf(self, lines, pad):
        number = self.rng.randrange(1, 5)
        self.kernels.add(number)
        if self.rng.random() < 0.5:
            lines.append(f"{pad}tile.run @add{number}(%X, %Y, %N) : !V, !V, index")
            return lambda n, m: number
        other, array = self.rng.randrange(1, 5), self.name()
        self.kernels.add(other)
        lines += [f"{pad}{array} = tile.workspace [%N] : !V", f"{pad}tile.run @add{number}(%X, {array}, %N) : !V, !V, index",
                  f"{pad}tile.run @add{other}({array}, %Y, %N) : !V, !V, index"]
        return lambda n, m: number + other

    def block(self, lines, pad, depth):
        if depth == 0 or self.rng.random() < 0.2:
            return self.leaf(lines, pad)
        # In a quarter of them each part has a difference that is negative, and so no size, in the other.
        compares = self.rng.random() < 0.25
        if compares:
            truth, holds = self.name(), lambda n, m: n < m
            lines.append(f"{pad}{truth} = arith.cmpi ult, %N, %M : index")
        else:
            truth, holds = self.truth(lines, pad)
        lines.append(f"{pad}scf.if {truth} {{")
        if compares:
            lines.append(f"{pad}  {self.name()} = arith.subi %M, %N : index")
        yes = self.block(lines, pad + "  ", depth - 1)
        lines.append(f"{pad}}} else {{")
        if compares:
            lines.append(f"{pad}  {self.name()} = arith.subi %N, %M : index")
        no = self.block(lines, pad + "  ", depth - 1)
        lines.append(f"{pad}}}")
        return lambda n, m: yes(n, m) if holds(n, m) else no(n, m)


def check(tilec, seed, folder):
    rng = random.Random(seed)
    writer, lines = Writer(rng), []
    added = writer.block(lines, "  ", 3)
    text = "\n".join(KERNEL.format(number=number).split("\n", 2)[2] for number in sorted(writer.kernels))
    text = "!V = memref<?xi32>\n!t = memref<1xi32, #tile.level<rf>>\n" + text
    text += "tile.program @choose(%X: !V[%N], %Y: !V[%N], %Z: !V[%M], %N: index, %M: index) {\n" + "\n".join(lines) + "\n}\n"
    path = folder / f"{seed}.mlir"
    path.write_text(text)
    for _ in range(3):
        n, m = rng.randrange(1, 100), rng.randrange(1, 100)
        values = [rng.randrange(-1000, 1000) for _ in range(n)]
        write_npy(folder / "x.npy", "<i4", (n,), struct.pack(f"<{n}i", *values))
        command = [tilec, str(path), "--target=sm80", "--run=cpu", "--verify", f"--shape=N={n},M={m}", f"--arg=X={folder}/x.npy", f"--save=Y={folder}/y.npy"]
        ran = subprocess.run(command, capture_output=True, text=True)
        if ran.returncode != 0:
            return f"{text}N = {n}, M = {m}: status {ran.returncode}\n{ran.stderr}{ran.stdout}"
        data = read_npy(folder / "y.npy")
        found = list(struct.unpack(f"<{n}i", data))
        expected = [value + added(n, m) for value in values]
        if found != expected:
            return f"{text}N = {n}, M = {m}: {found[:4]} for {expected[:4]}"
    return None


def main():
    tilec, first, end = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, end):
            if wrong := check(tilec, seed, pathlib.Path(folder)):
                print(f"seed {seed}:\n{wrong}")
                return 1
    print(f"{end - first} programs, each at 3 sizes: right")
    return 0


if __name__ == "__main__":
    sys.exit(main())
