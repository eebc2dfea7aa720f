#!/usr/bin/env python3
"""Kernels beside what PyTorch takes for the same, on one GPU.

    torch_rivals.py TILEC [NAME...]

Runs each nest with `tilec --bench` and PyTorch's function on tensors of the same shapes in turns, three times, each the median of 15 runs with the L2
flushed ahead, f32 without TF32. Prints the median of the three, their ratio and the predicted time. A NAME runs the rows that begin with it.
"""

import json
import pathlib
import statistics
import subprocess
import sys

import torch
import torch.nn.functional as F

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parent.parent / "examples"
NESTS = HERE.parent / "Run" / "Inputs"


def draw(*shape, kind=torch.float32):
    return torch.rand(shape, device="cuda").to(kind) - 0.5


def attention(heads, tokens, numbers=64, kind=torch.float32, by="EFFICIENT_ATTENTION"):
    q, k, v = (draw(1, heads, tokens, numbers, kind=kind) for _ in range(3))

    def run():
        with torch.nn.attention.sdpa_kernel(getattr(torch.nn.attention.SDPBackend, by)):
            return F.scaled_dot_product_attention(q, k, v)

    return run


def heads(batch, tokens, count, numbers, kind, by):
    width = count * numbers
    x, wa, ba, wp, bp = (draw(*shape, kind=kind) for shape in ((batch, tokens, width), (3 * width, width), (3 * width,), (width, width), (width,)))

    def run():
        q, k, v = (part.view(batch, tokens, count, numbers).transpose(1, 2) for part in F.linear(x, wa, ba).split(width, 2))
        with torch.nn.attention.sdpa_kernel(getattr(torch.nn.attention.SDPBackend, by)):
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return F.linear(y.transpose(1, 2).reshape(batch, tokens, width), wp, bp)

    return run


def decode(width, count, shared, numbers, cached, hidden, compiles):
    """A token's way through a layer as one CUDA graph, so that the host's time for each op does not count; caches are written in place."""
    half = torch.float16
    x, wq, wk, wv, wo = (draw(*shape, kind=half) for shape in ((1, width), (count * numbers, width), (shared * numbers, width), (shared * numbers, width), (width, count * numbers)))
    w1, w3, w2, before, after = (draw(*shape, kind=half) for shape in ((hidden, width), (hidden, width), (width, hidden), (width,), (width,)))
    cosines, sines = draw(cached, numbers, kind=half), draw(cached, numbers, kind=half)
    keys, values = draw(1, shared, cached, numbers, kind=half), draw(1, shared, cached, numbers, kind=half)
    place, places = torch.tensor([cached - 96], device="cuda"), torch.arange(cached, device="cuda")

    def norm(x, scale):
        wide = x.float()
        return (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-5) * scale.float()).to(half)

    def rotate(x, heads):
        x = x.view(1, heads, numbers)
        first, second = x.chunk(2, 2)
        return (x * cosines[place] + torch.cat((-second, first), 2) * sines[place]).view(1, heads, 1, numbers)

    def layer():
        h = norm(x, before)
        q, keys[:, :, place], values[:, :, place] = rotate(F.linear(h, wq), count), rotate(F.linear(h, wk), shared), F.linear(h, wv).view(1, shared, 1, numbers)
        y = F.scaled_dot_product_attention(q, keys, values, attn_mask=(places <= place)[None, None, None], enable_gqa=True)
        y = x + F.linear(y.reshape(1, count * numbers), wo)
        h = norm(y, after)
        return y + F.linear((F.silu(F.linear(h, w1).float()) * F.linear(h, w3).float()).to(half), w2)

    run = torch.compile(layer) if compiles else layer
    with torch.cuda.stream(torch.cuda.Stream()):
        for _ in range(3):
            run()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        run()
    return graph.replay


def gated(tokens, width, hidden, compiles):
    x, w1, w3, w2 = (draw(*shape, kind=torch.float16) for shape in ((tokens, width), (hidden, width), (hidden, width), (width, hidden)))

    def run():
        return x + F.linear(F.silu(F.linear(x, w1)) * F.linear(x, w3), w2)

    return torch.compile(run, mode="max-autotune-no-cudagraphs") if compiles else run


def embedding(rows, width, *tokens):
    table, numbers = draw(rows, width, kind=torch.bfloat16), torch.randint(rows, tokens, device="cuda")
    return lambda: F.embedding(numbers, table)


def rotary(count, tokens, numbers):
    x, cos, sin = draw(count, tokens, numbers), draw(tokens, numbers), draw(tokens, numbers)

    def run():
        first, second = x.chunk(2, 2)
        return x * cos + torch.cat((-second, first), 2) * sin

    return run


def perceptron(m, k, h, n):
    x, w1, b1, w2, b2 = draw(m, k), draw(k, h), draw(h), draw(h, n), draw(n)
    return lambda: torch.addmm(b2, torch.relu_(torch.addmm(b1, x, w1)), w2)


def conv2d(images, channels, extent, outputs):
    x, w = draw(images, channels, extent, extent), draw(outputs, channels, 3, 3)
    return lambda: F.conv2d(x, w, stride=2, padding=(1, 2), dilation=(1, 2))


def filters(images, channels, extent, outputs, kind, last=True):
    x, w = draw(images, channels, extent, extent, kind=kind), draw(outputs, channels, 3, 3, kind=kind)
    if last:
        x, w = x.to(memory_format=torch.channels_last), w.to(memory_format=torch.channels_last)
    return lambda: F.conv2d(x, w)


def strided(images, channels, extent, outputs):
    x, w = draw(images, channels, extent, extent), draw(outputs, channels, 3, 3)
    return lambda: F.conv2d(x, w, stride=2, dilation=2)


def matvec(m, n):
    a, x = draw(m, n), draw(n)
    return lambda: torch.mv(a, x)


def max_pool(images, extent, channels):
    x = draw(images, channels, extent, extent).to(memory_format=torch.channels_last)
    return lambda: F.max_pool2d(x, 3, 2, 1)


def batched(count, extent, kind=torch.float32):
    a, b = draw(count, extent, extent, kind=kind), draw(count, extent, extent, kind=kind)
    return lambda: torch.bmm(a, b)


def products(m, k, j, n):
    a, b, c = draw(m, k), draw(k, j), draw(j, n)
    return lambda: torch.mm(torch.mm(a, b), c)


def of(shape, function):
    x = draw(*shape)
    return lambda: function(x)


def copy(m, n):
    x, y = draw(m, n), draw(m, n)
    return lambda: y.copy_(x)


# Name, nest, sizes, what PyTorch does.
ROWS = [
    ("perceptron 4096x1024x4096x1024", HERE / "Inputs" / "perceptron.mlir", {"x0": 4096, "x1": 1024, "w11": 4096, "w21": 1024}, lambda: perceptron(4096, 1024, 4096, 1024)),
    ("attention 16x2048x64", EXAMPLES / "chains" / "attention.mlir", {"J": 16, "N": 2048}, lambda: attention(16, 2048)),
    ("attention 16x8192x64", EXAMPLES / "chains" / "attention.mlir", {"J": 16, "N": 8192}, lambda: attention(16, 8192)),
    *[(f"attention 16x{n}x128", EXAMPLES / "fast" / "attention.mlir", {"J": 16, "N": n}, lambda n=n: attention(16, n, 128)) for n in (2048, 8192)],
    *[(f"attention 16x8192x128 bf16, {by}", EXAMPLES / "fast" / "attention_wgmma.mlir", {"J": 16, "N": 8192}, lambda by=by: attention(16, 8192, 128, torch.bfloat16, by))
      for by in ("FLASH_ATTENTION", "CUDNN_ATTENTION")],
    *[(f"linalg attention 16x8192x128 bf16, {by}", HERE / "Inputs" / "attention.mlir", {"q0": 16, "q1": 8192}, lambda by=by: attention(16, 8192, 128, torch.bfloat16, by))
      for by in ("FLASH_ATTENTION", "CUDNN_ATTENTION")],
    *[(f"linalg attention 16x{tokens}x64 f32", HERE / "Inputs" / "attention_f32.mlir", {"q0": 16, "q1": tokens}, lambda tokens=tokens: attention(16, tokens)) for tokens in (2048, 8192)],
    *[(f"linalg fused heads 4x1024x1024 bf16, {by}", HERE / "Inputs" / "heads.mlir", {}, lambda by=by: heads(4, 1024, 16, 64, torch.bfloat16, by))
      for by in ("FLASH_ATTENTION", "CUDNN_ATTENTION")],
    *[(f"linalg open heads 4x{tokens}x1024 bf16, cuDNN", HERE / "Inputs" / "heads_open.mlir", {"x1": tokens}, lambda tokens=tokens: heads(4, tokens, 16, 64, torch.bfloat16, "CUDNN_ATTENTION"))
      for tokens in (1024, 1500, 4096)],
    *[(f"linalg decode 4096 f16, graph{', compiled' if compiles else ''}", HERE / "Inputs" / "decode.mlir", {}, lambda compiles=compiles: decode(4096, 32, 8, 128, 4096, 14336, compiles))
      for compiles in (False, True)],
    *[(f"linalg gated 4096x2048x5632 f16{', compiled' if compiles else ''}", HERE / "Inputs" / "gated.mlir", {}, lambda compiles=compiles: gated(4096, 2048, 5632, compiles))
      for compiles in (False, True)],
    ("linalg embedding 8x1024 of 50257x1024 bf16", HERE / "Inputs" / "embedding.mlir", {}, lambda: embedding(50257, 1024, 8, 1024)),
    ("linalg places 4096x32000", HERE / "Inputs" / "places.mlir", {}, lambda: of((4096, 32000), lambda x: torch.max(x, 1))),
    ("linalg enlarged 16x64x64x64", HERE / "Inputs" / "enlarged.mlir", {}, lambda: of((16, 64, 64, 64), lambda x: F.interpolate(x, scale_factor=2))),
    ("linalg rotary 64x2048x128", HERE / "Inputs" / "rotary.mlir", {}, lambda: rotary(64, 2048, 128)),
    ("products 4096x64x4096x64", EXAMPLES / "chains" / "products.mlir", {"M": 4096, "K": 64, "J": 4096, "N": 64}, lambda: products(4096, 64, 4096, 64)),
    ("conv2d 16x64x128x128 to 64", EXAMPLES / "conv2d.mlir", {"J": 16, "K": 64, "M": 128, "N": 128, "O": 64, "P": 64, "Q": 64}, lambda: conv2d(16, 64, 128, 64)),
    ("filter 32x58x58x128 to 128", HERE / "Inputs" / "filter.mlir", {}, lambda: filters(32, 128, 58, 128, torch.float32)),
    ("filter 64x58x58x128 bf16", HERE / "Inputs" / "filter_half.mlir", {}, lambda: filters(64, 128, 58, 128, torch.bfloat16)),
    ("filter 16x64x128x128 to 64", HERE / "Inputs" / "filter_planes.mlir", {}, lambda: filters(16, 64, 128, 64, torch.float32, last=False)),
    ("filter 16x64x128x128 strided", HERE / "Inputs" / "filter_strided.mlir", {}, lambda: strided(16, 64, 128, 64)),
    ("linalg matvec 8192x8192", HERE / "Inputs" / "matvec.mlir", {}, lambda: matvec(8192, 8192)),
    ("batches 64x1024^3 bf16", HERE / "Inputs" / "batches.mlir", {"B": 64, "M": 1024, "N": 1024, "K": 1024}, lambda: batched(64, 1024, torch.bfloat16)),
    ("max_pool 32x112x112x64", EXAMPLES / "max_pool.mlir", {"J": 32, "M": 112, "N": 112, "K": 64, "P": 56, "Q": 56}, lambda: max_pool(32, 112, 64)),
    ("batched 256x256^3", EXAMPLES / "batched.mlir", {"J": 256, "M": 256, "N": 256, "K": 256}, lambda: batched(256, 256)),
    ("argmax 8192x8192", EXAMPLES / "argmax.mlir", {"M": 8192, "N": 8192}, lambda: of((8192, 8192), lambda x: torch.max(x, 1))),
    ("softmax 8192x8192", NESTS / "softmax.mlir", {"M": 8192}, lambda: of((8192, 8192), lambda x: torch.softmax(x, 1))),
    ("layer_norm 8192x8192", NESTS / "layer_norm.mlir", {"M": 8192}, lambda: of((8192, 8192), lambda x: F.layer_norm(x, (8192,)))),
    ("tied argmax 8192x8192", EXAMPLES / "tied" / "argmax.mlir", {"M": 8192, "N": 8192}, lambda: of((8192, 8192), lambda x: torch.max(x, 1))),
    ("tied softmax 8192x8192", EXAMPLES / "tied" / "softmax.mlir", {"M": 8192, "N": 8192}, lambda: of((8192, 8192), lambda x: torch.softmax(x, 1))),
    ("tied softmax 1024x131072", EXAMPLES / "tied" / "softmax.mlir", {"M": 1024, "N": 131072}, lambda: of((1024, 131072), lambda x: torch.softmax(x, 1))),
    ("tied layer_norm 8192x8192", EXAMPLES / "tied" / "layer_norm.mlir", {"M": 8192, "N": 8192}, lambda: of((8192, 8192), lambda x: F.layer_norm(x, (8192,)))),
    ("tied layer_norm 1024x131072", EXAMPLES / "tied" / "layer_norm.mlir", {"M": 1024, "N": 131072}, lambda: of((1024, 131072), lambda x: F.layer_norm(x, (131072,)))),
    ("rowsum 8192x8192", EXAMPLES / "rowsum.mlir", {"M": 8192, "N": 8192}, lambda: of((8192, 8192), lambda x: x.sum(1))),
    *[row for n in (128, 1024, 8192, 32768) for row in (
        (f"linalg softmax 8192x{n}", HERE / "Inputs" / "softmax.mlir", {"x0": 8192, "x1": n}, lambda n=n: of((8192, n), lambda x: torch.softmax(x, 1))),
        (f"linalg layer_norm 8192x{n}", HERE / "Inputs" / "layer_norm.mlir", {"x0": 8192, "x1": n}, lambda n=n: of((8192, n), lambda x: F.layer_norm(x, (n,)))),
        (f"linalg sums 8192x{n}", HERE / "Inputs" / "sums.mlir", {"x0": 8192, "x1": n}, lambda n=n: of((8192, n), lambda x: x.sum(1))),
        (f"copy 8192x{n}", HERE / "Inputs" / "copy.mlir", {"x0": 8192, "x1": n}, lambda n=n: copy(8192, n)))],
    ("colsum 8192x8192", NESTS / "colsum.mlir", {"M": 8192, "N": 8192}, lambda: of((8192, 8192), lambda x: x.sum(0))),
]


def time_torch(make):
    run = make()
    flush = torch.empty(256 << 20, dtype=torch.int8, device="cuda")
    for _ in range(5):
        run()
    times = []
    for _ in range(15):
        flush.zero_()
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        run()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) * 1e3)
    return statistics.median(times)


def time_tilec(tilec, nest, sizes):
    shape = [f"--shape={','.join(f'{name}={extent}' for name, extent in sizes.items())}"] if sizes else []
    ran = subprocess.run([tilec, nest, "--target=native", *shape, "--run=gpu", "--bench=15", "--emit=report", "--advice=off", "--format=json", "-o", "-"],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if ran.returncode != 0:
        sys.exit(f"{nest}: {ran.stderr.strip()}")
    report = json.loads(ran.stdout)
    if report["programs"]:
        one, predicted = report["programs"][0], report["programs"][0]["predicted_seconds"]
    else:
        one, predicted = report["kernels"][0], report["kernels"][0]["predicted"]["seconds"]
    return one["measured"]["seconds"] * 1e6, predicted * 1e6


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.benchmark = True
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}; microseconds")
    print(f"{'kernel':32} {'tilec':>9} {'PyTorch':>9} {'ratio':>6} {'predicted':>9}")
    for name, nest, sizes, make in ROWS:
        if sys.argv[2:] and not any(name.startswith(given) for given in sys.argv[2:]):
            continue
        pairs = [(time_tilec(sys.argv[1], nest, sizes), time_torch(make)) for _ in range(3)]
        own, rival = statistics.median(pair[0][0] for pair in pairs), statistics.median(pair[1] for pair in pairs)
        print(f"{name:32} {own:9.1f} {rival:9.1f} {rival / own:6.2f} {pairs[0][0][1]:9.1f}", flush=True)


if __name__ == "__main__":
    main()
