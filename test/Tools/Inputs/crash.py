"""crash.py COMMAND...: starts a command that takes long, sends it SIGSEGV, and prints its exit status."""

import signal
import subprocess
import sys
import time

process = subprocess.Popen(sys.argv[1:])
time.sleep(0.5)
process.send_signal(signal.SIGSEGV)
print("status", process.wait(), flush=True)
