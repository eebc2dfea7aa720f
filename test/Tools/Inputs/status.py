"""status.py STATUS COMMAND...: succeeds if the command ends with the exit status."""

import subprocess
import sys

status = subprocess.call(sys.argv[2:])
if status != int(sys.argv[1]):
    sys.exit(f"{sys.argv[2]} ended with status {status} where {sys.argv[1]} is expected")
