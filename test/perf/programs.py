"""Finding programs and running them, for the scripts of this folder."""

import glob
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def find_tilec():
    named = os.environ.get("TILEC")
    places = [shutil.which(named)] if named else [str(ROOT / "build/tools/tilec/tilec"), shutil.which("tilec")]
    for place in places:
        if place and os.access(place, os.X_OK):
            return os.path.abspath(place)
    sys.exit("no tilec; build it, or name it in TILEC")


def find_ncu():
    places = [os.environ.get("NCU"), shutil.which("ncu")]
    places += sorted(glob.glob("/usr/local/cuda*/bin/ncu") + glob.glob("/opt/nvidia/nsight-compute/*/ncu"), reverse=True)
    return next((place for place in places if place and os.access(place, os.X_OK)), None)


def run(command, seconds):
    """(status, standard output, the last line of all output)."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return 124, "", f"not done after {seconds:.0f} s"
    except OSError as error:
        return 127, "", str(error)
    lines = (done.stderr.strip() or done.stdout.strip()).splitlines()
    return done.returncode, done.stdout, lines[-1] if lines else ""
