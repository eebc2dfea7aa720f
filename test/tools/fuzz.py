"""Hostile input, made from nests that compile, by seed.

  fuzz.py TARGET TILEC [--kinds=KIND,...] [--count=N] [--first=N] [--keep=FOLDER] [--stress]
  fuzz.py TARGET TILEC --case=KIND:NUMBER      one case again, with its text

TARGET is tilec-fuzz-target, which embeds tilec and compiles many texts in one process; TILEC is the command. Kinds:

  truncate    the text ends somewhere                 attributes  clauses, types and attributes dropped, repeated, swapped
  flip        bytes are others                        names       kernels and values are called what nobody would call them
  lines       lines gone, repeated, swapped           machines    machine files with other numbers, words, lines
  numbers     numbers are others                      layouts     layouts with other numbers and brackets, `tilec layout`
  files       inputs and outputs that are none        options     command lines nobody would write
  signals     SIGINT, SIGTERM or SIGHUP while it runs

A case fails if it crashes (the process is gone, or status 70), hangs (10 s of processor time, or 300 s), takes over 2 GB, or is
silent (refused without an error, done with one, or a status that docs/command-line.md does not have). Each text that is
accepted has been compiled to CUDA; of kind `names`, and with --stress of every kind, also by NVRTC. Prints a line for each
failure, then how many were accepted, refused and failed. Equal arguments make equal cases.
"""

import argparse
import collections
import json
import os
import pathlib
import random
import re
import resource
import select
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from nest_gen import choose_genes, repair
from nest_printer import NestPrinter

ROOT = pathlib.Path(__file__).resolve().parents[2]
SECONDS, WALL_SECONDS, BYTES = 10, 300, 2 << 30
EXTREMES = ["0", "-1", "2147483648", "1099511627776", "9223372036854775807", "18446744073709551616", "1e99", "1", "3", "-2147483649",
            "65537", "0x7F800000"]
NAMES = ["int", "float", "_1", "$1", ".1", "-1", "_", "__x", "a-b", "a.b", "a$b", "template", "asm", "main", "printf", "malloc",
         "abs", "norm", "round", "rsqrt", "size_t", "std", "memcpy", "strlen", "threadIdx", "blockIdx", "warpSize", "NULL", "INFINITY",
         "SHARED", "ldg", "sync_block", "thread_x", "EOF", "errno", "M_PI", "isnan", "tilec", "inside", "thread", "block", "r", "x" * 300, "linux"]
SYMBOLS = NAMES + ["a b", "\\00", "\\1B[31m", "\\E2\\80\\AE", "a*/b", "//", "\\0A", "", "1", "1st", "\u00fc", "../x", "CON", "read", "y0", "index", "div",
                   "exp", "cuInit", "cudaMalloc", "float4", "dim3", "half", "atomicAdd", "max", "signal", "operator", "assert"]
STATUSES = {0, 1, 2, 3, 4, 5}


def find_sources():
    """Nests to begin with, each with its machine."""
    files = [path for folder in ["examples", "test/Run/Inputs"] for path in sorted((ROOT / folder).rglob("*.mlir"))]
    return [path.read_text() for path in files]


SOURCES = find_sources()


def choose_nest(rng):
    if rng.random() < 0.5:
        return rng.choice(SOURCES)
    return NestPrinter(repair(choose_genes(random.Random(rng.randrange(10000))))).print()


def choose_target(text):
    return "h100-sxm" if re.search(r"copy\(tma\)|on cluster", text) else "sm80"


def replace_one(rng, text, pattern, make):
    """`text` with one match of `pattern` replaced by make(match)."""
    matches = list(re.finditer(pattern, text))
    if not matches:
        return text
    match = rng.choice(matches)
    return text[:match.start()] + make(match) + text[match.end():]


def truncate(rng, text):
    return text[:rng.randrange(len(text))]


def flip(rng, text):
    data = bytearray(text.encode())
    for _ in range(rng.choice([1, 1, 2, 8])):
        data[rng.randrange(len(data))] = rng.choice([rng.randrange(256), ord(rng.choice("()[]{}<>%#!@\"/,:=+-*0 \n"))])
    return bytes(data)


def change_lines(rng, text):
    lines = text.splitlines(keepends=True)
    for _ in range(rng.choice([1, 1, 2, 4])):
        at = rng.randrange(len(lines))
        action = rng.choice(["drop", "repeat", "swap", "move", "many"])
        if action == "drop" and len(lines) > 1:
            del lines[at]
        elif action == "repeat":
            lines.insert(at, lines[at])
        elif action == "many":
            lines[at:at] = [lines[at]] * rng.choice([10, 100, 1000])
        else:
            other = rng.randrange(len(lines))
            if action == "swap":
                lines[at], lines[other] = lines[other], lines[at]
            else:
                lines.insert(other, lines.pop(at))
    return "".join(lines)


def change_number(rng, old):
    """A number that no machine has, or one near `old`."""
    if rng.random() < 0.6 or not re.fullmatch(r"-?\d{1,9}", old):
        return rng.choice(EXTREMES)
    return str(rng.choice([int(old) * 2, int(old) // 2, int(old) + 1, int(old) - 1, int(old) * 3, rng.choice([1, 2, 4, 8, 16, 32, 64, 128])]))


def change_numbers(rng, text):
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        text = replace_one(rng, text, r"(?<![\w%@#!])-?\d+(\.\d+)?(e-?\d+)?|(?<=<)\d+(?=x)|(?<=x)\d+(?=x)", lambda match: change_number(rng, match[0]))
    return text


CLAUSE = (r"\bon (?:block|thread|warp|cluster|unroll)\b|\bat (?:dram|smem|rf)\b|\b(?:pipeline|producers|registers|raster|tail|reduce|pad|copy|combine|unordered|dataflow|init)"
          r" ?\([^)]*\)|\bpersistent\b|\bby \([^)]*\)|\bin \([^)]*\)|#tile\.\w+<[^>]*>|strided<[^>]*>|\[[^\[\]]*\]|affine_map<[^>]*>[^>]*>|\{[^{}\n]*\}|"
          r"\b(?:ins|outs)\([^)]*\)|: ![\w]+(?: to ![\w]+)?|memref<[^>]*>|\"(?:parallel|reduction)\"|\b(?:arith|linalg|math|tile|scf)\.\w+|\bf32\b|%\w+")


def change_attributes(rng, text):
    for _ in range(rng.choice([1, 1, 2, 3])):
        matches = list(re.finditer(CLAUSE, text))
        if not matches:
            break
        one = rng.choice(matches)
        # Half of the time one of the same kind, which is more often accepted.
        alike = [match for match in matches if match[0][:3] == one[0][:3]]
        other = rng.choice(alike if rng.random() < 0.5 else matches)
        action = rng.choice(["drop", "repeat", "replace", "insert", "swap"])
        if action == "drop":
            text = text[:one.start()] + text[one.end():]
        elif action == "repeat":
            text = text[:one.end()] + " " + one[0] + text[one.end():]
        elif action == "replace":
            text = text[:one.start()] + other[0] + text[one.end():]
        elif action == "insert":
            text = text[:one.end()] + " " + other[0] + " " + text[one.end():]
        elif one.end() <= other.start():
            text = text[:one.start()] + other[0] + text[one.end():other.start()] + one[0] + text[other.end():]
    return text


def change_names(rng, text):
    for _ in range(rng.choice([1, 1, 2, 4])):
        old = rng.choice(re.findall(r"%[A-Za-z]\w*", text) or ["%none"])
        text = re.sub(re.escape(old) + r"(?![\w$.-])", lambda _, new=rng.choice(NAMES): "%" + new, text)
    if rng.random() < 0.5:
        symbol = rng.choice(SYMBOLS)
        text = re.sub(r"(tile\.kernel )@[\w$.-]+", lambda m: m[1] + f'@"{symbol}"', text, count=1)
    return text


TEXTS = {"truncate": truncate, "flip": flip, "lines": change_lines, "numbers": change_numbers, "attributes": change_attributes, "names": change_names}


class Failure(Exception):
    """A case that failed: what happened."""


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class Target:
    """The process that compiles texts; a new one where the last is gone or has had many."""

    def __init__(self, program):
        self.program, self.process, self.served = shlex.split(program), None, 0

    def start(self):
        self.close()
        self.process = subprocess.Popen(self.program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, preexec_fn=limit)
        self.served = 0

    def close(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process.stdin.close()
            self.process.stdout.close()
        self.process = None

    def get_processor_time(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def run(self, job):
        if not self.process or self.served >= 500:
            self.start()
        self.served += 1
        before, start = self.get_processor_time(), time.monotonic()
        self.process.stdin.write(json.dumps(job).encode() + b"\n")
        self.process.stdin.flush()
        line = b""
        while not line.endswith(b"\n"):
            ready, _, _ = select.select([self.process.stdout], [], [], 0.5)
            part = os.read(self.process.stdout.fileno(), 1 << 16) if ready else None
            if part == b"":
                self.process.wait()
                status = self.process.returncode
                self.close()
                raise Failure(f"crash: {signal.Signals(-status).name if status < 0 else f'status {status}'}")
            line += part or b""
            if not part and (self.get_processor_time() - before > SECONDS or time.monotonic() - start > WALL_SECONDS):
                self.close()
                raise Failure(f"hang: not done after {SECONDS} s")
        return json.loads(line)


def run_text(kind, rng, target, stress):
    text = choose_nest(rng)
    machine = choose_target(text)
    fuzzed = TEXTS[kind](rng, text)
    job = {"target": machine, "cubin": stress or kind == "names", "explore": rng.random() < 0.1}
    job.update({"bytes": fuzzed.hex()} if isinstance(fuzzed, bytes) else {"text": fuzzed})
    shown = fuzzed.decode("latin-1") if isinstance(fuzzed, bytes) else fuzzed
    yield f"--target={machine}" + (" explore" if job["explore"] else ""), shown
    answer = target.run(job)
    if answer["status"] not in STATUSES:
        raise Failure(f"crash: status {answer['status']}: {answer['why']}")
    if (answer["status"] == 0) != (answer["errors"] == 0):
        raise Failure(f"silent: status {answer['status']} with {answer['errors']} errors {answer['why']}")
    if answer["seconds"] > SECONDS:
        raise Failure(f"hang: {answer['seconds']:.1f} s")
    yield "accepted" if answer["status"] == 0 else "refused", answer["why"]


def run_command(command, **more):
    """Status and both outputs of a command under the limits."""
    started = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=more.pop("stdin", subprocess.DEVNULL), preexec_fn=limit, **more)
    try:
        out, err = started.communicate(timeout=WALL_SECONDS)
    except subprocess.TimeoutExpired:
        started.kill()
        started.communicate()
        raise Failure(f"hang: not done after {WALL_SECONDS} s") from None
    return started.returncode, out, err


def judge(status, out, err):
    if status not in STATUSES:
        raise Failure(f"crash: status {status}: {err[-300:]!r}")
    if status == 1 and not err.strip():
        raise Failure(f"silent: status {status} and no message")
    return "accepted" if status == 0 else "refused"


def change_figures(rng, text):
    """Numbers that are values of keys, not those in the words of a source."""
    for _ in range(rng.choice([1, 1, 2, 3])):
        text = replace_one(rng, text, r"(?<=: )-?\d+(\.\d+)?(?=[ ,}\n])|(?<=\[)\d+", lambda match: change_number(rng, match[0]))
    return text


def run_machine(rng, tilec, folder):
    path = rng.choice(sorted((ROOT / "lib/Machine/targets").glob("*.yaml")))
    text = path.read_text()
    changed = {0: change_figures, 1: change_lines, 2: truncate, 3: flip, 4: lambda r, t: replace_one(r, t, r"\w+:", lambda _: r.choice(["x:", "inherits:", "limits:", "- a:"]))}[
        rng.choice([0, 0, 0, 1, 2, 3, 4])](rng, text)
    data = changed if isinstance(changed, bytes) else changed.encode()
    file = folder / "machine.yaml"
    file.write_bytes(data)
    nest = ROOT / "examples" / rng.choice(["gemm.mlir", "vecadd.mlir", "stencil.mlir"])
    action = rng.choice([["--emit=report"], ["--emit=cuda"], ["explore"], ["--print-target"]])
    command = tilec + {"explore": ["explore", str(nest), f"--target={file}"], "--print-target": [f"--print-target={file}"]}.get(
        action[0], [str(nest), f"--target={file}", *action])
    yield " ".join(command), data.decode("latin-1")
    status, out, err = run_command(command)
    yield judge(status, out, err), err.decode("latin-1").split("\n")[0]


LAYOUTS = ["((2,2),2):((2,4),1)", "(8,64):(64,1)", "Sw<3,3,3> o 0 o (8,64):(64,1)", "(4,(2,?)):(1,(4,8))", "16", "(4,8)", "[3:3, (2,4):(1,8), _]", "Sw<2,0,3>", "7"]
# Each with as many arguments as it takes.
OPERATIONS = {"print": 1, "size": 1, "cosize": 1, "offset": 2, "coord": 2, "unflatten": 2, "coalesce": 1, "compose": 2, "complement": 2, "right-inverse": 1,
              "left-inverse": 1, "logical-divide": 2, "zipped-divide": 2, "tiled-divide": 2, "logical-product": 2, "blocked-product": 2, "raked-product": 2,
              "swizzle": 2, "draw": 1}


def run_layout(rng, tilec, folder):
    operation = rng.choice(list(OPERATIONS))
    command = [*tilec, "layout", operation]
    for _ in range(OPERATIONS[operation] if rng.random() < 0.9 else rng.randrange(4)):
        text = rng.choice(LAYOUTS)
        for _ in range(rng.choice([0, 0, 1, 2])):
            text = rng.choice([change_numbers, lambda r, t: replace_one(r, t, r"[(),:<>o]", lambda _: r.choice("(),:<>o[]_?")), lambda r, t: t[:r.randrange(len(t) + 1)]])(rng, text)
        command.append(text)
    if rng.random() < 0.2:
        command.append("--format=json")
    if rng.random() < 0.1:
        command.append(f"--svg={folder / 'drawn.svg'}")
    yield " ".join(map(repr, command)), ""
    status, out, err = run_command(command)
    yield judge(status, out, err), err.decode("latin-1").split("\n")[0]


OPTIONS = ["--target=", "--arch=", "--emit=", "-o", "--shape=", "--format=", "--run=cpu", "--verify", "--bench=", "--against=", "--arg", "--save", "--seed=", "--schedule=",
           "--kernel-text=", "--require=", "--werror", "--cuda-path=", "--diagnostics-format=", "--print-targets", "--print-target=", "--doctor", "--version", "--help", "--", "-", ""]
VALUES = ["cuda", "report", "cubin,cuda", "nest", "plan", "remarks", "kernel-ir", "N=0", "N=-1", "N=2147483648", "n=17", "N=1e9", "N=", "=", "sm80", "sm_90a", "sm_9999", "h100-sxm", "json", "text", "random",
          "X=1", "A=/dev/null", "A.gap=9223372036854775807", "A.offset=-1", "A.order=columns", "a=nan", "limiter==compute", "stages[99].slack>=1", "resources.registers<=-1", "x" * 5000, "\x1b[31m", "0",
          "-1", "18446744073709551616", "cpu", "gpu", "cublas", "/dev/null", "/", ".", "\u00fc"]


LIKELY = ["--format=json", "--diagnostics-format=json", "--werror", "--verify", "--seed=0", "--seed=18446744073709551615", "--schedule=random", "--schedule=ahead", "--target=h100-sxm",
          "--target=b200", "--arch=sm_90a", "--emit=nest,plan,report,kernel-ir", "--emit=remarks", "--require=limiter==compute", "--require=stages[0].slack>=1", "--shape=N=0", "--shape=N=2147418111",
          "--shape=N=1000000", "--run=cpu", "--arg=alpha=0", "--arg=alpha=1e308", "--arg=A.order=columns", "--arg=A.gap=1000000", "--arg=X.offset=3", "--cuda-path=/", "--save=Y=y.npy", "-oout/"]


def run_options(rng, tilec, folder):
    command = tilec + ([rng.choice(["explore", "layout"])] if rng.random() < 0.15 else [])
    words = [str(ROOT / "examples" / rng.choice(["vecadd.mlir", "rowsum.mlir", "gemm.mlir"]))]
    if rng.random() < 0.8:
        words.append(rng.choice(["--emit=report", "--emit=cuda", "--run=cpu"]))
        words.append("--shape=N=33" if "vecadd" in words[0] else "--shape=M=17,N=19" + (",K=5" if "gemm" in words[0] else ""))
    for _ in range(rng.choice([1, 1, 2, 3])):
        if rng.random() < 0.6:
            words.insert(rng.randrange(len(words) + 1), rng.choice(LIKELY))
            continue
        option = rng.choice(OPTIONS)
        words.insert(rng.randrange(len(words) + 1), option + rng.choice(VALUES) if option.endswith("=") else option)
        if option in ("--arg", "--save", "-o") and rng.random() < 0.9:
            words.insert(words.index(option) + 1, rng.choice(VALUES))
    command += words
    yield " ".join(map(repr, command)), ""
    status, out, err = run_command(command, cwd=folder)
    yield judge(status, out, err), err.decode("latin-1").split("\n")[0]


def run_file(rng, tilec, folder):
    nest = ROOT / "examples" / "vecadd.mlir"
    inputs = {"missing": folder / "missing.mlir", "empty": folder / "empty.mlir", "binary": folder / "binary.mlir", "folder": folder, "null": "/dev/null", "zero": "/dev/zero",
              "long name": folder / ("x" * 300), "itself": nest, "loop": folder / "loop.mlir", "closed": "-", "secret": folder / "secret.mlir"}
    (folder / "empty.mlir").write_text("")
    (folder / "binary.mlir").write_bytes(rng.randbytes(rng.choice([1, 100, 5000])))
    if not (folder / "loop.mlir").is_symlink():
        (folder / "loop.mlir").symlink_to("loop.mlir")
    name = rng.choice(sorted(inputs))
    output = rng.choice(["", "-o-", f"-o{folder / 'no/folder.cu'}", "-o/dev/null", "-o/dev/full", f"-o{folder}", "-o", "-o/proc/x"])
    extra = rng.choice([[], ["--emit=report"], ["--emit=cuda"], [f"--kernel-text={inputs[rng.choice(sorted(inputs))]}", "--run=cpu", "--shape=N=5"],
                        ["--run=cpu", "--shape=N=5", "--arg", f"X={inputs[rng.choice(sorted(inputs))]}"], [f"--target={inputs[rng.choice(sorted(inputs))]}"]])
    command = [*tilec, *(["explore"] if rng.random() < 0.1 else []), str(inputs[name]), *([output[:2], output[2:]] if output else []), *extra]
    yield " ".join(map(repr, command)), ""
    status, out, err = run_command(command, cwd=folder)
    yield judge(status, out, err), err.decode("latin-1").split("\n")[0]


def run_signal(rng, tilec, folder):
    sent = rng.choice([signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
    temporary = folder / "tmp"
    temporary.mkdir(exist_ok=True)
    command = [*tilec, str(ROOT / "examples/gemm.mlir"), *rng.choice([["--run=cpu", "--verify", "--shape=M=300,N=300,K=300"], ["--emit=cubin", "-o", "out.cubin"], ["--emit=report"]])]
    delay = rng.random() * 0.6
    yield f"TMPDIR={temporary} {' '.join(command)}, {sent.name} after {delay:.3f} s", ""
    started = subprocess.Popen(command, cwd=folder, env={**os.environ, "TMPDIR": str(temporary)}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=limit)
    time.sleep(delay)
    started.send_signal(sent)
    try:
        out, err = started.communicate(timeout=WALL_SECONDS)
    except subprocess.TimeoutExpired:
        started.kill()
        started.communicate()
        raise Failure("hang: goes on after the signal") from None
    if started.returncode not in (0, 1, -sent):
        raise Failure(f"crash: status {started.returncode}: {err[-300:]!r}")
    left = [str(path) for path in temporary.rglob("*")] + [str(path) for path in folder.glob("*tmp?*")]
    if left:
        raise Failure(f"silent: left behind {left}")
    yield "accepted" if started.returncode == 0 else "refused", ""


COMMANDS = {"machines": run_machine, "layouts": run_layout, "options": run_options, "files": run_file, "signals": run_signal}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target")
    parser.add_argument("tilec")
    parser.add_argument("--kinds", default=",".join([*TEXTS, *COMMANDS]))
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--case")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for the texts of cases that fail")
    parser.add_argument("--stress", action="store_true")
    options = parser.parse_args()
    if os.path.exists(options.tilec):  # Commands run in other folders.
        options.tilec = os.path.abspath(options.tilec)
    kinds, numbers = options.kinds.split(","), range(options.first, options.first + options.count)
    if options.case:
        kinds, numbers = [options.case.split(":")[0]], [int(options.case.split(":")[1])]
    target = Target(options.target)
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for kind in kinds:
            counts = collections.Counter()
            for number in numbers:
                rng = random.Random(f"{kind}:{number}")
                where = pathlib.Path(folder) / f"{kind}{number}"
                where.mkdir()
                steps = run_text(kind, rng, target, options.stress) if kind in TEXTS else COMMANDS[kind](rng, shlex.split(options.tilec), where)
                how, text = next(steps)
                if options.case:
                    print(f"// {how}\n{text}")
                try:
                    verdict, why = next(steps)
                except Failure as failure:
                    verdict, why = "failed", str(failure)
                    print(f"{kind}:{number}: {failure} ({how})", flush=True)
                    if options.keep:
                        options.keep.mkdir(parents=True, exist_ok=True)
                        (options.keep / f"{kind}-{number}.txt").write_text(f"// {how}\n{text}", encoding="latin-1", errors="replace")
                counts[verdict] += 1
                shutil.rmtree(where, ignore_errors=True)
                if options.case:
                    print(f"// {verdict}: {why}")
            failures += counts["failed"]
            print(f"{kind}: {counts['accepted']} accepted, {counts['refused']} refused, {counts['failed']} failed", flush=True)
    target.close()
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
