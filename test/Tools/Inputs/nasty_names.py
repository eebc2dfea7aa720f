"""Prints kernels whose names are words of C++, of CUDA or of tilec's own text, or no identifiers at all."""

symbols = ["int", "class", "__launch_bounds__", "threadIdx", "__global__", "a__b", "_Z3foo", "main", "block_x", "ldg", "SHARED",
           "a*/b", "a b", 'q"uote', "new\nline", "back\\slash", "??/", "\u00fcn\u00efcode", "\u202eright", "#include",
           "1st", "", "-", "a.b", "a$b", "thread", "block", "NULL", "asm", "A", "../escape", "x" * 300,
           "abs", "norm", "round", "rsqrt", "printf", "malloc", "size_t", "std", "memcpy", "strlen", "_1", "$1", ".1", "-1", "1", "v_1",
           "sqrtf", "expf32x", "float4", "dim3", "atomicAdd", "cudaMalloc", "cuInit", "EOF", "M_PI", "assert", "y0", "index", "time", "tilec_x",
           "\x1b[31mred", "x" * 64, "x" * 65, "fma_1", "log_"]
values = ["int", "float", "__syncthreads", "a__b", "a.b", "a$b", "a-b", "_", "ldg", "thread", "block", "sync_block",
          "blockIdx", "template", "asm", "inside", "tilec_dynamic_shared", "EXIT", "_A", "_1", "$1", ".1", "-1", "--", "abs", "EOF", "M_PI", "NAN",
          "INFINITY", "fmaxf", "min", "size_t", "tilecLoop", "A", "x" * 70, "lds", "SHARED", "float4", "isnan", "linux"]


def quote(name):
    """As MLIR writes a symbol: \\XX for each byte that is not plain."""
    plain = lambda c: c.isascii() and c.isprintable() and c not in '"\\'
    return "".join(c if plain(c) else "".join("\\%02X" % byte for byte in c.encode()) for c in name)


print("!V = memref<?xf32>\n!r = memref<1xf32, #tile.level<rf>>")
for i, symbol in enumerate(symbols):
    tensor, size, loop, held = (values[(i + j) % len(values)] for j in range(4))
    print(f"""tile.kernel @"{quote(symbol)}"(%{tensor}: !V[%{size}], %{size}: index) {{
  tile.for (%{loop}) in (%{size}) by (64) at dram on block {{
    tile.for (%t) in (64) by (1) at dram on thread {{
      %{held} = tile.stage %{tensor}[%{loop} + %t] : !V to !r
      linalg.exp ins(%{held} : !r) outs(%{held} : !r)
      tile.store %{held} to %{tensor}[%{loop} + %t] : !r to !V
    }}
  }}
}}""")
