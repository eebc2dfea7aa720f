"""Finding programs and running them, for the scripts of this folder."""

import glob
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def find_program(variable, place):
    """The program that the environment names, or at a place in build/, or on the path."""
    named, name = os.environ.get(variable), pathlib.PurePath(place).name
    places = [shutil.which(named)] if named else [str(ROOT / "build" / place), shutil.which(name)]
    for found in places:
        if found and os.access(found, os.X_OK):
            return os.path.abspath(found)
    sys.exit(f"no {name}; build it, or name it in {variable}")


def find_tilec():
    return find_program("TILEC", "tools/tilec/tilec")


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
