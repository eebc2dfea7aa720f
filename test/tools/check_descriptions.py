"""Compares the descriptions of ops and of the language with the tests.

  check_descriptions.py examples OPS.td TILEC_OPT     every ```mlir example is accepted and round-trips
  check_descriptions.py files FOLDER TILEC_OPT        every .mlir file of a folder is accepted and round-trips
  check_descriptions.py rules ROOT                    every numbered rule has its place in the sources, and tests of both kinds

Rules are described once, in dialect/include/tilec/Tile/TileOps.td (rule (F3) of `tile.for`) or in the page language.md of docs
(rule **I1**). The name of the first is `for_f3`, that of the second `rule_i1`. For each rule there is

  a comment with its name in a source of dialect/ or lib/, where a kernel is refused for it;
  a kernel whose name starts with it in test/Dialect/Tile/invalid*.mlir or test/Conversion/invalid*.mlir, in a piece (pieces are split
  by `// -----`) that expects an error;
  a kernel whose name starts with it in test/Dialect/Tile/valid*.mlir, which satisfies the rule.

Conversely no comment and no test names a rule that is not described.
"""

import glob
import os
import re
import subprocess
import sys


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def read_ops(path):
    """Yields mnemonic and description of each op of a .td file."""
    text = read(path)
    starts = [(m.start(), m.group(1)) for m in re.finditer(r'^def \w+ : \w+_\w*Op<"(\w+)"', text, re.M)]
    for (start, mnemonic), end in zip(starts, [s for s, _ in starts[1:]] + [len(text)]):
        found = re.search(r"let description = \[\{(.*?)\}\];", text[start:end], re.S)
        yield mnemonic, found.group(1) if found else ""


def check_examples(td, tilec_opt):
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


def check_files(folder, tilec_opt):
    errors, paths = [], sorted(glob.glob(os.path.join(folder, "*.mlir")))
    for path in paths:
        run = subprocess.run([tilec_opt, "--verify-roundtrip", path], capture_output=True, text=True)
        if run.returncode != 0:
            errors.append(run.stderr.strip())
    return errors or ([] if paths else [f"no file in {folder}"]), f"{len(paths)} files"


def list_described(root):
    """The names of all rules, one for each description."""
    names = []
    for mnemonic, description in read_ops(os.path.join(root, "dialect/include/tilec/Tile/TileOps.td")):
        # Where a rule refers to another op's, as in "as (W4) says", its letter is not this op's: a family of rules
        # begins with number 1.
        labels = re.findall(r"\(([A-Z])(\d+)\)", description.partition("Rules:")[2])
        own = {letter for letter, number in labels if number == "1"}
        names += {f"{mnemonic}_{letter.lower()}{number}" for letter, number in labels if letter in own}
    for page in glob.glob(os.path.join(root, "docs", "language.md")):
        names += [f"rule_{label.lower()}" for label in re.findall(r"^- \*\*([A-Z]\d+)\*\* ", read(page), re.M)]
    return names


def list_marked(root):
    """The names in comments of sources, with their files."""
    marked = {}
    for folder in ["dialect", "lib"]:
        for path in glob.glob(os.path.join(root, folder, "**/*.cpp"), recursive=True):
            for comment in re.findall(r"//(.*)", read(path)):
                for name in re.findall(r"\b(?:kernel|for|launch|stage|part|hold|store|rule)_[a-z]\d+\b", comment):
                    marked.setdefault(name, os.path.relpath(path, root))
    return marked


def list_tested(root, patterns, refused, errors):
    """The names of kernels in the pieces of test files, all of which expect an error or none does."""
    tested = {}
    for path in sorted(path for pattern in patterns for path in glob.glob(os.path.join(root, pattern))):
        for piece in re.split(r"^// -----.*$", read(path), flags=re.M):
            names = {a or b for a, b in re.findall(r'@([a-z]+_[a-z]\d+)\w*|sym_name = "([a-z]+_[a-z]\d+)', piece)}
            if names and ("expected-error" in piece) != refused:
                errors.append(f"{os.path.relpath(path, root)}: {', '.join(sorted(names))} expects {'no' if refused else 'an'} error")
            tested.update(dict.fromkeys(names, os.path.relpath(path, root)))
    return tested


def check_rules(root):
    errors, described = [], list_described(root)
    errors += [f"rule {name} is described twice" for name in sorted(set(described)) if described.count(name) > 1]
    numbers = [name.partition("_")[2] for name in set(described)]
    errors += [f"two rules are called {number.upper()}" for number in sorted(set(numbers)) if numbers.count(number) > 1]
    invalid = ["test/Dialect/Tile/invalid*.mlir", "test/Conversion/invalid*.mlir"]
    kinds = {
        "comment at the place where it is checked": list_marked(root),
        "test that expects an error": list_tested(root, invalid, True, errors),
        "test that satisfies it": list_tested(root, ["test/Dialect/Tile/valid*.mlir"], False, errors),
    }
    for kind, found in kinds.items():
        errors += [f"rule {name} has no {kind}" for name in sorted(set(described) - set(found))]
        errors += [f"{found[name]}: no rule {name} is described" for name in sorted(set(found) - set(described))]
    return errors, f"{len(described)} rules"


if __name__ == "__main__":
    kind, *arguments = sys.argv[1:]
    checks = {"examples": check_examples, "files": check_files, "rules": check_rules}
    errors, what = checks[kind](*arguments)
    print("\n".join(errors) if errors else f"{what} hold")
    sys.exit(1 if errors else 0)
