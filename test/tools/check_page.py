"""Runs the commands that a page of the documentation shows, and compares their outputs with those shown below them.

  check_page.py PAGE EXAMPLES

A fenced block whose first line begins with "$ " has commands, each after a "$ ", and what they print, both outputs together. Commands
of all blocks run in turn in one folder, where `examples` is EXAMPLES, and which has a file for each fenced block that begins with
"// NAME.mlir". A line "..." stands for any lines, and "..." in a line for any text. Exit status 1 where an output is another one, or
where no command names a file.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile


def read_commands(text):
    """(command, lines of its output) of the page."""
    commands = []
    for block in re.findall(r"^```[^\n]*\n(\$ .*?)^```$", text, re.M | re.S):
        for line in block.splitlines():
            if line.startswith("$ "):
                commands.append((line[2:], []))
            else:
                commands[-1][1].append(line)
    for _, output in commands:
        while output and not output[-1]:
            output.pop()
    return commands


def read_files(text):
    """(name, text) of the page's files."""
    return [(block.split()[1], block) for block in re.findall(r"^```mlir\n(// [\w-]+\.mlir\n.*?)^```$", text, re.M | re.S)]


def agrees(expected, actual):
    pattern = "\n".join(r"(?:.*\n)*?.*" if line == "..." else ".*".join(map(re.escape, line.split("..."))) for line in expected)
    return re.fullmatch(pattern, "\n".join(actual)) is not None


def main():
    page, examples = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    text = page.read_text()
    commands, files, wrong = read_commands(text), read_files(text), 0
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(examples, pathlib.Path(folder) / "examples")
        for name, nest in files:
            (pathlib.Path(folder) / name).write_text(nest)
            if not any(name in command for command, _ in commands):
                wrong += 1
                print(f"no command uses {name}")
        for command, expected in commands:
            result = subprocess.run(["bash", "-c", command], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                    check=False)
            actual = result.stdout.rstrip("\n").splitlines()
            if not agrees(expected, actual):
                wrong += 1
                print(f"$ {command}", *actual, "is not what the page shows:", *expected, sep="\n")
    print(f"{len(commands)} commands, {len(files)} files, {wrong} wrong")
    sys.exit(1 if wrong or not commands else 0)


if __name__ == "__main__":
    main()
