"""Why nests of program_gen.py may be refused: what docs/limits.md names, and the reason of each class of mistakes."""

# (limit, pattern of messages), numbers in messages being N.
LIMITS = [
    ("a reduction over threads that are no whole warps", r"which is not a multiple of N"),
    ("a part of a register tile is stored", r"stores a part of a register tile"),
    ("an exchange through DRAM in a loop on warp", r"touch in an iteration of the same loop on"),
    ("steps past 31 bits over a dynamic extent", r"has step N; expected from N to N for a dynamic extent"),
    ("subscripts beyond any memory", r"subscript N may pass N\^N"),
    ("an exchange where not all threads come", r"threads that exchange data through shared memory may not all come here"),
    ("a part of a tile that is stored through shared memory", r"through\(N\) needs threads that hold the same of each slice|needs slices that N threads store in rounds"),
    ("registers of a thread", r"tiles take N registers of a thread"),
    ("registers of a block", r"and would wait for more for ever"),
    ("shared memory of a block", r"take N bytes of shared memory"),
    ("rows that boxes do not take", r"copy\(tma\) needs strides that are multiples of N bytes"),
]

MEETING = r"other iterations of a loop on|may write one element from several iterations"
SCALAR = r"is no scalar op"
OVERLAP = r"from where it writes outs"
UPDATE = r"does something else to a held tile|a held tile inside of the loop that reduces it"
# For each class of mistakes what its refusal says.
REASONS = {
    "body memref.load": SCALAR,
    "body memref.alloca": SCALAR + r"|requires an ancestor op",  # The second by MLIR's own verifier.
    "body tile.hold": SCALAR,
    "body tile.stage": SCALAR,
    "ins = outs by another map": OVERLAP,
    "ins = outs by another part": OVERLAP,
    "in-place stencil across threads": MEETING,
    "in-place stencil across blocks": MEETING,
    "tiles of extent 0": r"no elements",
    "forgotten store": r"nothing was compared",
    "neighbour in a shared tile": MEETING,
    "steps across blocks": MEETING,
    "steps in one thread loop": MEETING,
    "reading what other blocks write": MEETING,
    "two stores in one thread loop": MEETING,
    "two stores across blocks": MEETING,
    "scan across threads": MEETING,
    "copied ahead and written": MEETING + r"|ahead of the iterations of a pipelined loop",
    "combine beside store": MEETING,
    "another kind in the body": UPDATE,
    "partial sum twice": UPDATE,
    "partial sum subtracted": UPDATE,
    "partial sum scaled": UPDATE,
    "partial sum replaced": UPDATE,
    "partial result read": UPDATE,
    "partial result stored": UPDATE,
    "argmax over threads": UPDATE,
    "whole tile stored by threads": r"the whole of a register tile",
    "whole tile read by threads": r"whole|each thread|spread",
    "held outside of the loop on blocks": r"writes an element of a register tile from",
    "held outside of the cluster's loop": r"writes an element of a register tile from",
    "another kind over a cluster": UPDATE,
    "iterations that meet": MEETING,
    "tiles in one place": r"has an array at byte N of shared memory, where another one ends",
    "tile without a place": r"without a place, where others",
    "neighbour in a held tile": MEETING,
    "one element of a held tile for all": MEETING,
    "absent elements in a held tile": r"may not have to places that the destination has",
    "beyond a held tile": r"takes N elements? from there, but the tile has",
    "held tile copied ahead": r"ahead of the iteration",
    "held tile padded": r"is for a tile that is staged from dram",
    "place of a tile that is odd": r"is no multiple of N",
    "scatter that replaces": r"scatter is of a tile in rf, with combine",
    "gather of what others write": MEETING,
    "absent indices": r"may not have to places that the destination has",
    "indices that others write": MEETING,
    "mirrored in place": MEETING,
    "constant memory that is written": r"writes to constant memory",
    "constant memory that is staged to smem": r"stages an operand in constant memory to smem",
}
