"""files.py TILEC NEST: where outputs go, one line for each case. NEST copies X to Y, of N elements each."""

import os
import re
import signal
import stat
import subprocess
import sys
import threading
import time

tilec, nest = sys.argv[1:]
run = [tilec, nest, "--run=cpu", "--shape=n=300"]
source = open(nest).read()


def call(command, **options):
    options.setdefault("stdout", subprocess.PIPE)
    options.setdefault("stderr", subprocess.PIPE)
    return subprocess.run(command, timeout=120, **options)


def reason(result):
    lines = re.findall(r"error: (.*)", result.stderr.decode())
    return lines[-1] if lines else ""


def elements(data):
    assert data.startswith(b"\x93NUMPY"), data[:20]
    return (len(data) - 10 - int.from_bytes(data[8:10], "little")) // 4


def show(case, result, *facts):
    print(", ".join([f"{case}: status {result.returncode}", *facts]))


def device(path):
    return "still a device" if stat.S_ISCHR(os.stat(path).st_mode) else "NO DEVICE"


result = call(run + ["--save", "Y=/dev/null"])
show("--save to /dev/null", result, device("/dev/null"))

open("target.npy", "w").close()
for case, link, target in [("through a link", "link", "target.npy"), ("to a link that leads nowhere yet", "dangling", "later.npy")]:
    os.symlink(target, link)
    result = call(run + ["--save", f"Y={link}"])
    show("--save " + case, result, "still a link" if os.path.islink(link) else "NO LINK", f"{elements(open(target, 'rb').read())} elements behind it")

os.mkfifo("pipe")
received = []
reader = threading.Thread(target=lambda: received.append(open("pipe", "rb").read()), daemon=True)
reader.start()
result = call(run + ["--save", "Y=pipe"])
reader.join(5)
show("--save to a pipe", result, "still a pipe" if stat.S_ISFIFO(os.stat("pipe").st_mode) else "NO PIPE", f"{elements(received[0])} elements")

result = call(run + ["--save", "Y=-"])
show("--save to standard output", result, f"{elements(result.stdout)} elements", "and no file" if not os.path.exists("-") else "A FILE")

os.symlink(nest, "nest-link")
for case, path in [("the nest", nest), ("a link to the nest", "nest-link")]:
    result = call(run + ["--save", f"Y={path}"])
    show("--save over " + case, result, "unchanged" if open(nest).read() == source else "OVERWRITTEN", reason(result).split(": ")[-1])
result = call(run + ["--save", "Y=both.npy", "--save", "X=./both.npy"])
show("--save of two tensors to one file", result, reason(result).split(": ")[-1].replace("'both.npy'", "'./both.npy'"))
result = call(run + ["--save", "Y=copy.out", "--emit=cuda", "-o", "copy.out"])
show("--save and -o to one file", result, reason(result).split(": ")[-1])
result = call([tilec, "layout", "draw", "(4,2)", "--svg=/dev/null"])
show("--svg to /dev/null", result, device("/dev/null"))

os.mkdir("folder")
result = call([tilec, nest, "-o", "folder"])
if "NVRTC" in result.stderr.decode() and result.returncode == 3:
    print("-o into a folder: status 0, copy.cu copy.cubin")
else:
    show("-o into a folder", result, " ".join(sorted(os.listdir("folder"))))
result = call([tilec, nest, "--emit=cuda", "-o", "made/"])
show("-o makes a folder", result, " ".join(sorted(os.listdir("made"))))
result = call([tilec, nest, "--emit=cuda", "-o", "a/b/"])
show("-o makes no parents", result, reason(result))

full = open("/dev/full", "w")
for case, command in [("--help", ["--help"]), ("--version", ["--version"]), ("--print-targets", ["--print-targets"]),
                      ("--print-target=sm80", ["--print-target=sm80"]), ("explore", ["explore", nest, "--vary=sms"]),
                      ("layout", ["layout", "print", "(4,2)"]), ("layout --help", ["layout", "--help"]), ("--run", run[1:]),
                      ("--emit=cuda", [nest, "--emit=cuda"])]:
    result = call([tilec, *command], stdout=full)
    show(case + " on a full device", result, reason(result))
result = call(["sh", "-c", f"'{tilec}' --help >&-"])
show("--help on a closed output", result, reason(result))
# A nest with a warning, which a closed standard error must not put into the file that takes its number.
open("warns.mlir", "w").write(source.replace("%Y: !G[%N],", "%Y: !G[%N], %Z: !G[%N],"))
result = call(["sh", "-c", f"'{tilec}' warns.mlir --emit=cuda -o quiet.cu 2>&-"])
text = open("quiet.cu").read()
show("-o with standard error closed", result, "the text alone" if text.startswith("// copy for") and "warning" not in text else text)
show("standard error full", call([tilec, "missing.mlir"], stderr=full))

os.mkdir("-dash")
show("TMPDIR=-dash", call(run, env={**os.environ, "TMPDIR": "-dash"}))
result = call(run, env={**os.environ, "CXX": "/nonexistent/c++"})
show("CXX that is missing", result, reason(result).split("no emulator: ")[-1].split(";")[0] or result.stderr.decode())

# A compiler that says when it has begun, and takes its time.
open("slow-c++", "w").write("#!/bin/sh\ntouch \"$BEGUN\"\nsleep 2\nexec c++ \"$@\"\n")
os.chmod("slow-c++", 0o755)


def interrupted(number, begun):
    os.mkdir(begun)
    environment = {**os.environ, "TMPDIR": os.path.abspath(begun), "CXX": os.path.abspath("slow-c++"), "BEGUN": os.path.abspath(begun + ".begun")}
    process = subprocess.Popen(run, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not os.path.exists(begun + ".begun"):
        time.sleep(0.01)
    process.send_signal(number)
    return process.wait(60), os.listdir(begun)


for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]:
    # Where this script runs in the background they may be ignored, and children inherit that.
    signal.signal(number, signal.SIG_DFL)
    status, left = interrupted(number, "tmp-" + number.name)
    print(f"{number.name}: {'ended by it' if status == -number else f'STATUS {status}'}, {'nothing' if not left else left} left")
signal.signal(signal.SIGHUP, signal.SIG_IGN)
print(f"SIGHUP where it is ignored: status {interrupted(signal.SIGHUP, 'tmp-ignored')[0]}")
