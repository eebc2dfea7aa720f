"""Holds the op descriptions of a .td file against the tests.

  check_descriptions.py examples OPS.td TILEC_OPT     every ```mlir example is accepted and round-trips
  check_descriptions.py files FOLDER TILEC_OPT        every .mlir file of a folder is accepted and round-trips
  check_descriptions.py rules OPS.td INVALID.mlir...  every numbered rule has a test that expects an error

The test of rule (F3) of `tile.for` is a kernel whose name starts with `for_f3`, in a piece of an INVALID.mlir (pieces
are split by `// -----`) that expects an error; conversely no test may name a rule that is not described.
"""

import glob
import os
import re
import subprocess
import sys


def read_ops(path):
    """Yields mnemonic and description of each op of a .td file."""
    text = open(path, encoding="utf-8").read()
    starts = [(m.start(), m.group(1)) for m in re.finditer(r'^def \w+ : \w+_\w*Op<"(\w+)"', text, re.M)]
    for (start, mnemonic), end in zip(starts, [s for s, _ in starts[1:]] + [len(text)]):
        found = re.search(r"let description = \[\{(.*?)\}\];", text[start:end], re.S)
        yield mnemonic, found.group(1) if found else ""


def check_examples(td, others):
    (tilec_opt,) = others
    errors, count = [], 0
    for mnemonic, description in read_ops(td):
        examples = re.findall(r"```mlir\n(.*?)```", description, re.S)
        if not examples:
            errors.append(f"{mnemonic}: no example")
        for example in examples:
            count += 1
            run = subprocess.run([tilec_opt, "--verify-roundtrip", "-"], input=example, capture_output=True, text=True)
            if run.returncode != 0:
                errors.append(f"{mnemonic}: {run.stderr.strip()}\n{example}")
    return errors, f"{count} examples"


def check_files(folder, others):
    (tilec_opt,) = others
    errors, paths = [], sorted(glob.glob(os.path.join(folder, "*.mlir")))
    for path in paths:
        run = subprocess.run([tilec_opt, "--verify-roundtrip", path], capture_output=True, text=True)
        if run.returncode != 0:
            errors.append(run.stderr.strip())
    return errors or ([] if paths else [f"no file in {folder}"]), f"{len(paths)} files"


def check_rules(td, invalids):
    described = set()
    for mnemonic, description in read_ops(td):
        rules = description.partition("Rules:")[2]
        # Where a rule refers to another op's, as in "as (W4) says", its letter is not this op's: a family of rules
        # begins with number 1.
        labels = re.findall(r"\((\w)(\d+)\)", rules)
        own = {letter for letter, number in labels if number == "1"}
        described |= {f"{mnemonic}_{letter.lower()}{number}" for letter, number in labels if letter in own}
    tested, errors = set(), []
    text = "\n// -----\n".join(open(invalid, encoding="utf-8").read() for invalid in invalids)
    for piece in re.split(r"^// -----.*$", text, flags=re.M):
        names = re.findall(r'@([a-z]+_[a-z]\d+)\w*|sym_name = "([a-z]+_[a-z]\d+)', piece)
        names = {a or b for a, b in names}
        if names and "expected-error" not in piece:
            errors.append(f"the test of {', '.join(sorted(names))} expects no error")
        tested |= names
    errors += [f"rule {rule} has no test" for rule in sorted(described - tested)]
    errors += [f"{rule} is tested but not described" for rule in sorted(tested - described)]
    return errors, f"{len(described)} rules"


if __name__ == "__main__":
    kind, subject, *others = sys.argv[1:]
    checks = {"examples": check_examples, "files": check_files, "rules": check_rules}
    errors, what = checks[kind](subject, others)
    print("\n".join(errors) if errors else f"{what} hold")
    sys.exit(1 if errors else 0)
