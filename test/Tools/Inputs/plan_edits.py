"""plan_edits.py TILEC EXAMPLES: does each decision of a plan, edited, change the kernel or get refused at its line?

An edit replaces the first place of a text in the plan, of a layout every place: types are written where tiles are used, too. What tilec accepts must be another text, and right on the emulator; what it
refuses must be refused with an error at the edited line that names the reason.
"""

import re
import subprocess
import sys
import tempfile

# Example, target, shape; then edits: what, by what, and "changes" or a part of the error.
CASES = [
    ("gemm.mlir", "sm80", "m=140,n=68,k=36", [
        ("raster(grouped = 8)", "raster(column)", "changes"),
        ("pipeline(3)", "pipeline(2)", "changes"),
        ("choose(copy)", "choose(loop)", "changes"),
        ("issue(after_loads)", "issue(first)", "changes"),
        ("forms(0 by 4, 0, 1)", "forms(0 by 2, 0, 1)", "changes"),
        ("forms(0 by 4, 0, 1)", "forms(1)", "changes"),
        ("forms(0 by 4, 0, 1)", "forms(1 by 4, 1)", "no launch has them side by side"),
        ("forms(0 by 4, 0, 1)", "forms(0 by 8, 1)", "expected 1, or as many as take 4, 8 or 16 bytes"),
        ("edges(element)", "edges(tile)", "changes"),
        ("unroll(32, 2)", "unroll(1, 2)", "changes"),
        ("unroll(32, 2)", "unroll(32, 0)", "no numbers from 1 to 1024"),
        ("smem_at(25344)", "smem_at(32768)", "changes"),
        ("smem_at(25344)", "smem_at(128)", "another one ends at byte"),
        ("smem_at(25344)", "smem_at(100)", "no multiple of 128"),
        ("wide(4)", "wide(2)", "changes"),
        ("wide(4)", "wide(3)", "expected 1, or as many as take 4, 8 or 16 bytes"),
        ("wide(1)", "wide(4)", "changes"),
        ("array<i64: 0, 1, 2>", "array<i64: 2, 1, 0>", "changes"),
        ("array<i64: 0, 1, 2>", "array<i64: 0, 1>", "each number below 3 once"),
        ('tile.instruction = "fma"', 'tile.instruction = "mma.m16n8k8.tf32"', "but its threads compute it by element"),
        ('tile.instruction = "fma"', 'tile.instruction = "ldmatrix.x4"', "which does not multiply"),
        ('spread("((16,', 'spread("((8,', "but the loops spread the tile as"),
        ("threads(256)", "threads(256) min_blocks(2)", "changes"),
        ("threads(256)", "threads(512)", "but the loops take 256"),
        ("by [128, 128] threads", "by [128, 64] threads", "states another grid"),
        ("dynamic_smem(49920)", "dynamic_smem(65536)", "changes"),
        ("dynamic_smem(49920)", "dynamic_smem(49919)", "but the kernel's arrays take"),
        ("dataflow(output_stationary)", "dataflow(weight_stationary)", "weight_stationary"),
        (":(1,132)", ":(1,128)", "changes"),
    ]),
    ("smem.mlir", "sm80", "m=70,n=66,k=36", [
        ("min_blocks(2) ", "", "changes"),
    ]),
    ("stencil.mlir", "sm90", "m=20,n=136", [
        ("edges(tile) wide(4)", "edges(tile) wide(2)", "changes"),
        ("edges(tile) wide(4)", "edges(element) wide(1)", "changes"),
        ("edges(tile) wide(4)", "edges(element) wide(4)", "in no launch side by side, aligned and all there"),
    ]),
    ("fast/wgmma.mlir", "sm90", "m=130,n=264,k=136", [
        ("Sw<3,3,3> o 0 o (128,64):(64,1)", "Sw<2,3,3> o 0 o (128,(32,2)):(32,(1,4096))", "changes"),
        ("copy(tma) slots(2)", "copy(cp_async) slots(2)", "copy is for slices of through(N) that TMA stores"),
        ("slots(2)", "slots(1)", "changes"),
        ("slots(2)", "slots(3)", "does not part the 4 slices of a warp"),
        ("through(64)", "through(48)", "into slices of so many columns"),
        ("release(next)", "release(end)", "changes"),
        ('"wgmma.m64n256k16"', '"fma"', "make it 'wgmma.m64n256k16'"),
        ("swizzle 128>", "swizzle 64>", "states other tensor maps"),
    ]),
    ("fast/wgmma_pingpong.mlir", "sm90", "m=130,n=264,k=136", [
        ("teams(2)", "teams(1)", "has no number from 2 to 15"),
        ("persistent teams(2)", "teams(2)", "write persistent, or leave out teams"),
        ("producers(4)", "producers(8)", "and would wait for more for ever"),
        ("smem_at(163840, 163968, 164096)", "smem_at(163840, 164096, 163968)", "changes"),
        ("smem_at(163840, 163968, 164096)", "smem_at(163840, 163968)", "lists 2 of the places"),
        ("smem_at(163840, 163968, 164096)", "smem_at(163840, 163968, 163968)", "another one ends at byte"),
        ("release(next)", "release(end)", "changes"),
        ("slots(2)", "slots(1)", "changes"),
        ("threads(384)", "threads(256)", "states threads 256, but the loops take 384"),
    ]),
    ("fast/mma.mlir", "sm80", "m=130,n=200,k=72", [
        ("Sw<2,3,3> o 0 o (128,32):(32,1)", "Sw<1,3,3> o 0 o (128,32):(32,1)", "changes"),
        ("copy(ldmatrix) wide(8) spread(\"((4,8),(2,2,8)):((2,16),(1,8,128))\")", "copy(ldmatrix) wide(4) spread(\"((4,8),(2,2,8)):((2,16),(1,8,128))\")", "changes"),
        ("copy(ldmatrix) wide(8)", "copy(ldmatrix) wide(4)", "changes"),
        ("copy(ldmatrix) wide(8)", "wide(2)", "changes"),
        ("copy(ldmatrix) wide(8)", "copy(tma) wide(8)", "copy(tma) needs a tile in smem"),
        ("begin(ahead)", "begin(here)", "changes"),
        ("issue(after_loads)", "issue(first)", "changes"),
        ("choose(loop)", "choose(copy)", "changes"),
        ("through(256)", "through(64)", "changes"),
        ("wide(8) through(256) smem_at(98304)", "through(0)", "changes"),
        ("through(256)", "through(0)", "smem_at needs through"),
        ("through(256)", "through(16)", "needs threads that hold the same of each slice of 16 columns"),
        ("issue(after_loads)", "issue(after_loads) begin(ahead)", "begin is for loads to rf ahead of their use"),
        ('"mma.m16n8k16.16"', '"mma.m16n8k8.16"', "expected m16 n8 k8 of its types"),
    ]),
    ("fast/s2.mlir", "sm90", "m=130,n=260,k=68", [
        ("raster(grouped = 8)", "raster(diagonal)", "changes"),
        ("tail(cut, 64, 16, 1)", "tail(cut, 2, 4, 5)", "changes"),
        ("tail(cut, 64, 16, 1)", "tail(cut, 0, 16, 1)", "no numbers from 1 to 65536"),
        ("producers(4)", "producers(8)", "and would wait for more for ever"),
        ("registers(80, 208)", "registers(40, 232)", "changes"),
        ("registers(80, 208)", "registers(32, 240)", "and would wait for more for ever"),
        ("registers(80, 208)", "registers(81, 208)", "expected a multiple of 8"),
        ("release(next)", "release(end)", "nothing waits for their values"),
        ("release(next)", "issue(first)", "issue is for a pipeline without producers"),
        ("edges(tile)", "edges(element)", "changes"),
        ("copy(tma) slices(1)", "", "changes"),
        ("slices(1)", "slices(2)", "but 1 block shares the tile"),
        ("min_blocks(1) ", "", "states no min_blocks"),
        ("[256, 64]>", "[128, 64]>", "states other tensor maps"),
        ("each part", "each tile", "states other workspaces"),
        ("wide(4) : memref<128x256xf32", "wide(2) : memref<128x256xf32", "changes"),
    ]),
    ("fast/s2_cluster.mlir", "sm90", "m=256,n=512,k=68", [
        ("slices(2)", "slices(1)", "changes"),
        ("slices(2)", "slices(4)", "but 2 blocks share the tile"),
        ("release(next)", "release(end)", "nothing waits for their values"),
    ]),
]


def run(*arguments):
    return subprocess.run([sys.argv[1], *arguments], capture_output=True, text=True)


def judge(plan, text, target, shape, edit, folder):
    old, new, expected = edit
    if old not in plan:
        return f"the plan has no {old}"
    line = plan[:plan.index(old)].count("\n") + 1
    path = f"{folder}/edited.mlir"
    launch = next(text for text in plan.split("\n") if "tile.launch" in text)
    if old not in launch:  # What is launched follows from the loops.
        plan = plan.replace(launch, "")
    with open(path, "w", encoding="utf-8") as file:
        file.write(plan.replace(old, new, -1 if ":(" in old else 1))
    cuda = run(path, f"--target={target}", "--emit=cuda", "-o", "-")
    if expected != "changes":
        found = [int(n) for n, what in re.findall(r"edited\.mlir:(\d+):\d+: error: (.*)", cuda.stderr) if expected in what]
        return None if cuda.returncode == 1 and found == [line] else f"expected an error at line {line}, got {cuda.stderr[:400]}"
    if cuda.returncode != 0:
        return f"is refused: {cuda.stderr[:400]}"
    if cuda.stdout == text:
        return "gives the same text"
    ran = run(path, f"--target={target}", f"--shape={shape}", "--run=cpu", "--verify")
    return None if ran.returncode == 0 else f"is wrong: {ran.stdout[-300:]}{ran.stderr[-300:]}"


def main():
    count = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, target, shape, edits in CASES:
            path = f"{sys.argv[2]}/{name}"
            plan = run(path, f"--target={target}", "--emit=plan", "-o", "-").stdout
            text = run(path, f"--target={target}", "--emit=cuda", "-o", "-").stdout
            for edit in edits:
                count += 1
                if problem := judge(plan, text, target, shape, edit, folder):
                    failed += 1
                    print(f"{name}: {edit[0]} -> {edit[1]}: {problem}")
    print(f"{count} edits, {failed} failed")


main()
