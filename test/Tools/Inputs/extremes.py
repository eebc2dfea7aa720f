"""extremes.py TILEC: nests with numbers that no machine has, and of sizes that nobody writes by hand. Each must end within 10 s of
processor time and 2 GB with the status and the words below; prints those that do not, and how many did."""

import re
import resource
import subprocess
import sys
import time

SECONDS, WALL_SECONDS, BYTES = 10, 300, 2 << 30

COPY = """!V = memref<?xf32>
!r = memref<1xf32, #tile.level<rf>>
tile.kernel @copy(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%i) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %x = tile.stage %X[%i + %t] : !V to !r
      tile.store %x to %Y[%i + %t] : !r to !V
    }
  }
}
"""

SHARED = """!V = memref<?xf32>
!s = memref<{0}xf32, #tile.level<smem>>
!r = memref<1xf32, #tile.level<rf>>
tile.kernel @shared(%X: !V[%N], %Y: !V[%N], %N: index) {{
  tile.for (%i) in (%N) by (64) at dram on block {{
    tile.for (%k) in (%N) by (64) at dram {1} {{
      %s = tile.stage %X[%i] : !V to !s
      tile.for (%t) in (64) by (1) at dram on thread {{
        %x = tile.stage %s[%t] : !s to !r
        tile.store %x to %Y[%i + %t] : !r to !V
      }}
    }}
  }}
}}
"""


def pairs(count):
    """So many tiles, each staged and stored by threads of its own."""
    one = """    tile.for (%t) in (64) by (1) at dram on thread {
      %x = tile.stage %X[%i + %t] : !V to !r
      tile.store %x to %Y[%i + %t] : !r to !V
    }
"""
    head, tail = COPY.split("    tile.for (%t)", 1)
    return head + one * count + "  }\n}\n"


def body(count):
    """A computation of so many additions, each of the one before."""
    lines = [f"        %r{i} = arith.addf {'%v' if i == 0 else f'%r{i - 1}'}, %v : f32\n" for i in range(count)]
    op = ('      linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%x : !r) {\n'
          "      ^bb0(%v: f32):\n" + "".join(lines) + f"        linalg.yield %r{count - 1} : f32\n      }}\n")
    return COPY.replace("      tile.store", op + "      tile.store")


def operands(count):
    """A kernel with so many operands, of which two are used."""
    return COPY.replace("%N: index)", "%N: index" + "".join(f", %A{i}: !V[%N]" for i in range(count - 2)) + ")")


TRANSPOSE = """tile.kernel @t(%X: memref<4x4xf32>[4, 4], %Y: memref<4x4xf32>[4, 4]) {{
  linalg.{0} ins(%X : memref<4x4xf32>) outs(%Y : memref<4x4xf32>) {1} = {2}
}}
"""


def stores(count):
    """One store, so many times."""
    store = "      tile.store %x to %Y[%i + %t] : !r to !V\n"
    return COPY.replace(store, store * count)


def meetings(count):
    """So many stores to places that two loops on block move, each to its own."""
    stores = "".join(f"    tile.store %r to %Y[%i * 8192 + %j * 128 + {i}] : !r to !V\n" for i in range(count))
    return f"""!V = memref<?xf32>
!r = memref<1xf32, #tile.level<rf>>
tile.kernel @meetings(%Y: !V[%N], %N: index) {{
  tile.for (%i, %j) in (64, 64) by (1, 1) at dram on block {{
    %r = tile.hold init(0.0 : f32) : !r
{stores}  }}
}}
"""


BLOCKS = body(2).replace("      ^bb0(%v: f32):\n", "      ^bb0(%v: f32):\n      ^bb0(%v: f32):\n")
BOX = """!G = memref<?x?xf32, strided<[?, 1]>>
!s = memref<3x3xf32, #tile.level<smem>>
tile.kernel @box(%X: !G[%N, %N], %N: index) {
  tile.for (%i) in (%N) by (3) at dram on block {
    tile.for (%k) in (%N) by (3) at dram pipeline(2) producers(1) {
      %s = tile.stage %X[%i, %k] copy(tma) : !G to !s
      tile.for (%t) in (32) by (1) at smem on thread {
      }
    }
  }
}
"""
GRID = """!G = memref<?x?x?xf32, strided<[?, ?, ?]>>
!r = memref<1x1x1xf32, #tile.level<rf>>
tile.kernel @grid(%X: !G[%N, %N, %N], %Y: !G[%N, %N, %N], %N: index) {
  tile.for (%i, %j, %k) in (%N, 2, %N) by (1, 1, 1) at dram on block raster(row) {
    tile.for (%t) in (1) by (1) at dram on thread {
      %x = tile.stage %X[%k, %i, 0] : !G to !r
      tile.store %x to %Y[%i, %j, %k] : !r to !G
    }
  }
}
"""
CUDA, VERIFY, EXPLORE = ["-", "--emit=cuda", "-o", "-"], ["-", "--verify", "--target=sm80"], ["explore", "-", "--shape=N=4096"]
# What is given, the status, words of the message, and how tilec is called where it is not for CUDA C++.
CASES = [
    ("no threads", COPY.replace("(64) by (1)", "(0) by (1)"), 1, "loop 0 on thread has extent 0"),
    ("2^31 threads", COPY.replace("(64) by (1)", "(2147483648) by (1)"), 1, "loop 0 has extent 2147483648"),
    ("2^30 threads", COPY.replace("(64) by (1)", "(1073741824) by (1)").replace("t] : !r", "t] combine(add) unordered : !r"), 1, "runs on 1073741824 threads per block"),
    ("2^26 elements", SHARED.format(1 << 26, ""), 1, r"takes 268435456 bytes of shared memory, a100-80gb-sxm allows 166912"),
    ("2^31 - 1 elements", SHARED.format((1 << 31) - 1, ""), 1, r"takes 8589934592 bytes of shared memory"),
    ("2^31 elements", SHARED.format(1 << 31, ""), 1, "which is more than 2147483647 elements"),
    ("-1 producers", SHARED.format(64, "pipeline(2) producers(-1)"), 1, "has -1 warps of producers"),
    ("2^31 producers", SHARED.format(64, "pipeline(2) producers(2147483648)"), 1, "has 2147483648 warps of producers"),
    ("-1 stages", SHARED.format(64, "pipeline(-1)"), 1, r"pipeline\(-1\) has no depth"),
    ("2^63 - 1 stages", SHARED.format(64, "pipeline(9223372036854775807)"), 1, "has no depth from 2 to 1024"),
    ("1024 stages", SHARED.format(64, "pipeline(1024)"), 1, "takes 262144 bytes of shared memory"),
    ("no permutation", TRANSPOSE.format("transpose", "permutation", "[x]"), 1, "expected a list of numbers"),
    ("half a permutation", TRANSPOSE.format("transpose", "permutation", "[1, "), 1, "expected a list of numbers"),
    ("no dimensions", TRANSPOSE.format("broadcast", "dimensions", "[[0]]"), 1, "expected a list of numbers"),
    ("dimensions of a reduction", TRANSPOSE.format("reduce { arith.addf }", "dimensions", "x"), 1, "expected a list of numbers"),
    # limit_x33
    ("64 MiB and a byte", COPY.ljust((64 << 20) + 1), 1, "the input has 67108865 bytes but at most 67108864 are read"),
    ("sum of 100,000 in a subscript", COPY.replace("%X[%i + %t", "%X[%i + %t" + " + %t" * 100000), 1, "an expression has more than 1024 terms"),
    ("sum of 1,000 in a subscript", COPY.replace("%X[%i + %t]", "%X[%i + %t" + " + %t" * 1000 + "] pad(zero)"), 0, ""),
    ("sum of 100,000 in a body", body(100000), 1, "has 100001 ops in its region, which may have 1024"),
    ("sum of 1,000 in a body", body(1000), 0, ""),
    ("800 pairs", pairs(800), 0, ""),
    ("2,000 pairs", pairs(2000), 0, ""),
    ("2,000 tiles of one thread", COPY.replace("      %x", "      %x0").replace("      tile.store", "".join(f"      %x{i} = tile.stage %X[%i + %t] : !V to !r\n" for i in range(1, 2000)) + "".join(f"      tile.store %x{i} to %Y[%i + %t] : !r to !V\n" for i in range(1, 2000)) + "      tile.store").replace("store %x to", "store %x0 to"), 1, "tiles take 2000 registers of a thread"),
    ("20,000 pairs", pairs(20000), 1, "is the 16385th op of its kernel, which may have 16384"),
    # limit_x32
    ("5,000 operands", operands(5000), 1, "takes 40004 bytes of parameters.*CUDA allows 32764"),
    # limit_x16
    ("4,186 pairs of places", meetings(91), 1, "more than 4096 pairs of them"),
    ("4,095 pairs of places", meetings(90), 0, ""),
    ("1,000 stores", stores(1000), 0, ""),
    ("1,000 stores, explored", stores(1000), 0, "", EXPLORE),
    ("two blocks of one label", BLOCKS, 1, "a region has one block, whose label follows"),
    ("boxes of 36 bytes, explored", BOX, 1, "copies rows whose length is a multiple of 16 bytes", ["explore", "-", "--target=h100-sxm", "--shape=N=4096"]),
    ("a grid of 2,048,000,000 blocks", GRID, 0, "", ["-", "--emit=report", "--shape=N=32000"]),
    ("tensors of 16 GiB", COPY, 1, "takes about .* MiB of memory for tensors, more than this process gets|MiB are free", VERIFY + ["--shape=N=2147418111"]),
    ("tensors of 1 GiB", COPY, 1, "out of memory|takes about .* MiB of memory for tensors", VERIFY + ["--shape=N=134217728"]),
    ("bodies of 2^32 elements", COPY.replace("memref<1xf32", "memref<65536x65536xf32"), 1, "the tile's rank is 2 but the operand's is 1"),
]


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


failed = 0
for name, text, status, words, *call in CASES:
    start = time.monotonic()
    try:
        done = subprocess.run([sys.argv[1], *(call[0] if call else CUDA)], input=text, capture_output=True, text=True,
                              timeout=WALL_SECONDS, preexec_fn=limit)
        ended = done.returncode == status and re.search(words, done.stderr) is not None
        how = f"status {done.returncode}: {done.stderr.strip()[:300]}"
    except subprocess.TimeoutExpired:
        ended, how = False, f"still running after {WALL_SECONDS} s"
    print(f"{'ok' if ended else 'FAILED'} {name} ({time.monotonic() - start:.1f} s)" + ("" if ended else f": {how}"))
    failed += not ended
sys.exit(f"{failed} of {len(CASES)} failed" if failed else 0)
