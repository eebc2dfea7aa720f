"""Prints random nests of many kinds, of which a third has one mistake that must be refused.

  program_gen.py SEED [END]            the nests of seeds SEED .. END - 1 (one without END), split by // -----
  program_gen.py --shrink=CMD SEED     the smallest nest like that of SEED for which CMD still fails; CMD gets a file's path

nest_gen.py draws contractions; this draws everything else: maps in all types and scalar ops, updates in place, stencils,
shared scratch, several steps and stores, conditions, reductions of every kind, softmax, scans, large numbers. A family
(program_maps.py, program_phases.py, program_reductions.py) builds a tree of statements that is printed as a nest and
executed by program_meaning.py. The first line of a nest says what must become of it:

  // must: right             computes what program_meaning.py does
  // must: either            the same, or is refused
  // must: refuse CLASS      its mistake, by construction; no shape or schedule makes it right

A nest is drawn by a list of choices, each from a list that begins with the simplest; the shrinker makes them simpler.
"""

import math
import random
import sys

import program_constants as constants
import program_counts as counts
import program_gathers as gathers
import program_held as held
import program_maps as maps
import program_phases as phases
import program_places as places
import program_prefixes as prefixes
import program_quotients as quotients
import program_reductions as reductions
import program_ties as ties
import program_triangles as triangles
import program_warpgroups as warpgroups
import program_warps as warps
from generated import fails, run_generator
from program_meaning import Interpreter
from program_scalars import EXACT, FLOATS, SHORT_FLOATS, fit, width
from program_tree import Compute, If, Loop, Program, Store, TreePrinter
from program_wild import wild_family

RIGHT = [maps.map_family, maps.map_family, maps.inplace_family, maps.stencil_family, maps.condition_family,
         maps.huge_family, maps.copies_family, maps.pieces_family, maps.named_family, phases.scratch_family, phases.steps_family, phases.readback_family,
         phases.stores_family, phases.scan_family, phases.ahead_family, phases.combine_family,
         reductions.reduce_family, reductions.reduce_family, reductions.columns_family, reductions.argmax_family,
         reductions.absent_family, reductions.softmax_family, reductions.held_family, reductions.cluster_family,
         wild_family, wild_family, wild_family]
# Classes of mistakes, and the families that make them.
WRONG = {
    "body memref.load": maps.map_family,
    "body memref.alloca": maps.map_family,
    "body tile.hold": maps.map_family,
    "body tile.stage": maps.map_family,
    "ins = outs by another map": maps.inplace_family,
    "ins = outs by another part": maps.inplace_family,
    "in-place stencil across threads": maps.stencil_family,
    "in-place stencil across blocks": maps.stencil_family,
    "tiles of extent 0": maps.copies_family,
    "forgotten store": maps.forgotten_family,
    "neighbour in a shared tile": phases.scratch_family,
    "steps across blocks": phases.steps_family,
    "steps in one thread loop": phases.steps_family,
    "reading what other blocks write": phases.readback_family,
    "two stores in one thread loop": phases.stores_family,
    "two stores across blocks": phases.stores_family,
    "scan across threads": phases.scan_family,
    "copied ahead and written": phases.ahead_family,
    "combine beside store": phases.combine_family,
    **{name: reductions.reduce_family for name in reductions.BODIES},
    "partial result read": reductions.reduce_family,
    "partial result stored": reductions.reduce_family,
    "argmax over threads": reductions.argmax_family,
    "whole tile stored by threads": reductions.held_family,
    "whole tile read by threads": reductions.held_family,
    "held outside of the loop on blocks": reductions.held_family,
    "held outside of the cluster's loop": reductions.held_family,
    "another kind over a cluster": reductions.cluster_family,
}


# Ops that give NaN, infinities and negative zeros a value.
SPECIAL = {*EXACT, "arith.cmpf", "arith.select", "arith.constant", "arith.extf", "arith.truncf"}
# What program_meaning.py finds in nests of no plan.
MEETING = "iterations that meet"


class Choices:
    """Draws from lists, and records which entry was taken; given a record, it is taken again, and the first entry after
    its end."""

    def __init__(self, rng=None, record=None):
        self.rng, self.given, self.record = rng, record, []

    def __call__(self, entries):
        if self.given is None:
            number = self.rng.randrange(len(entries))
        else:
            number = self.given[len(self.record)] if len(self.record) < len(self.given) else 0
            number = min(number, len(entries) - 1)
        self.record.append(number)
        return entries[number]


def takes_special(body):
    """Does `body` compute on floating-point numbers by ops alone that give NaN, infinities and negative zeros a value, in
    whatever order?"""
    for statement in body:
        if isinstance(statement, Compute) and not all(step.op in SPECIAL or step.source not in FLOATS for step in statement.body.steps):
            return False
        if isinstance(statement, Store) and statement.combine in ("max", "min"):
            return False
        inner = [statement.body] if isinstance(statement, Loop) else [statement.then, statement.otherwise] if isinstance(statement, If) else []
        if not all(map(takes_special, inner)):
            return False
    return True


# Families of a number of seeds each: from and to which share of them, and the mistakes that they know.
RARE = [(0.0, 0.03, places.places_family, places.MISTAKES), (0.97, 1.0, triangles.triangle_family, triangles.MISTAKES),
        (0.93, 0.97, gathers.gather_family, gathers.MISTAKES), (0.91, 0.93, constants.constant_family, constants.MISTAKES),
        (0.89, 0.91, counts.count_family, counts.MISTAKES), (0.03, 0.08, held.held_tiles_family, held.MISTAKES),
        (0.08, 0.105, warps.warp_family, warps.MISTAKES), (0.18, 0.2, quotients.quotient_family, quotients.MISTAKES), (0.105, 0.12, warpgroups.warpgroup_family, warpgroups.MISTAKES),
        (0.12, 0.15, ties.tie_family, ties.MISTAKES), (0.15, 0.18, prefixes.prefix_family, prefixes.MISTAKES)]


def draw_values(rng, memory, wide, special):
    count = 1
    for extent in memory.shape:
        count *= extent
    if memory.unique:
        return rng.sample(range(memory.numbers), count)
    if memory.numbers is not None:
        return [rng.randrange(memory.numbers) for _ in range(count)]
    if memory.element in SHORT_FLOATS:
        return [float(rng.randrange(-4, 5)) for _ in range(count)]
    if memory.element in FLOATS:
        if memory.rounded:  # By which dropping bits is seen.
            return [value and value + math.copysign(rng.choice([0, 0, 2.0 ** -14]), value) for value in (rng.randrange(-4, 5) * 0.25 for _ in range(count))]
        if special:
            picks = [math.nan, math.inf, -math.inf, -0.0, 0.0, 1.0]
            return [rng.choice(picks) if rng.random() < 0.1 else rng.randrange(-4, 5) * 0.25 for _ in range(count)]
        return [rng.randrange(-4, 5) * 0.25 for _ in range(count)]
    if wide:
        bits = width(memory.element)
        picks = [0, 1, -1, -(1 << (bits - 1)), (1 << (bits - 1)) - 1]
        return [fit(rng.choice(picks) if rng.random() < 0.3 else rng.getrandbits(bits), memory.element) for _ in range(count)]
    return [rng.randrange(-4, 5) for _ in range(count)]


def get_name(family):
    return family.__name__.removesuffix("_family")


def build(choices, seed, only=None):
    """The program of a list of choices; operands' values come from the seed. `only`: of the rare family of this name."""
    program = Program()
    program.wide = False
    rare = random.Random(seed ^ 544)
    wrong = choices([None, None] + ["wrong"])
    share = rare.random()  # A number of its own: what other seeds draw stays.
    found = [(family, mistakes) for least, most, family, mistakes in RARE if (get_name(family) == only if only else least <= share < most)]
    if found:
        family, mistakes = found[0]
        program.must = rare.choice(mistakes) if wrong else "right"
        family(program, choices, program.must if wrong else None)
    elif wrong:
        program.must = choices(list(WRONG))
        family = WRONG[program.must]
        family(program, choices, program.must)
    else:
        family = choices(RIGHT)
        family(program, choices)
    program.family = get_name(family)
    rng = random.Random(seed)
    special = rng.random() < 0.2 and takes_special(program.body)
    for memory in program.operands:
        memory.values = draw_values(rng, memory, program.wide, special)
    if family is wild_family:
        machine = Interpreter(program)
        machine.run()
        program.must = MEETING if machine.conflicts else "either"
    return program


def generate(seed, only=None):
    return build(Choices(random.Random(seed)), seed, only)


def shrink(seed, command):
    """Makes one choice after the other simpler as long as the command fails on the nest and its class stays."""
    choices = Choices(random.Random(seed))
    program = build(choices, seed)
    record, must, text = choices.record, program.must, TreePrinter(program).print()
    if not fails(command, text):
        sys.exit("the command does not fail on this nest")
    changed = True
    while changed:
        changed = False
        for at in range(len(record)):
            for simpler in range(record[at]):
                other = Choices(record=record[:at] + [simpler] + record[at + 1:])
                program = build(other, seed)
                other_text = TreePrinter(program).print()
                if program.must == must and other_text != text and len(other.record) <= len(record) and fails(command, other_text):
                    record, text, changed = other.record, other_text, True
                    break
            if changed:
                break
    return text


if __name__ == "__main__":
    run_generator(__doc__, lambda seed: TreePrinter(generate(seed)).print(), shrink)
