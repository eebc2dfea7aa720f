"""Stands for tilec-fuzz-target, and with arguments for tilec: does in turn what neither may do."""

import json
import os
import pathlib
import signal
import sys

counter = pathlib.Path(os.environ.get("TMPDIR", "/tmp")) / f"bad-target-{os.getppid()}-{len(sys.argv) > 1}"
ANSWERS = [None, (1, 0), (0, 1), (70, 1)]


def take_turn():
    turn = int(counter.read_text()) if counter.exists() else 0
    counter.write_text(str(turn + 1))
    if turn == 3:
        counter.unlink()
    if turn == 0:
        os.kill(os.getpid(), signal.SIGSEGV)
    return turn


if len(sys.argv) > 1:
    turn = take_turn()
    if turn > 1:
        print("refused", file=sys.stderr)
    sys.exit(1)
for line in sys.stdin:
    status, errors = ANSWERS[take_turn()]
    print(json.dumps({"status": status, "errors": errors, "seconds": 0, "megabytes": 1, "why": ""}), flush=True)
