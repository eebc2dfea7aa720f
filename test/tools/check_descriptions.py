"""Compares the descriptions of ops and of the language with the tests.

  check_descriptions.py examples ROOT TILEC_OPT       every ```mlir example is accepted and round-trips
  check_descriptions.py files FOLDER TILEC_OPT        every .mlir file of a folder is accepted and round-trips
  check_descriptions.py rules ROOT                    every numbered rule has its place in the sources, and tests of both kinds

Rules are described once, in dialect/include/tilec/Tile/*Ops.td (rule (F3) of `tile.for`) or in the page language.md of docs
(rule **I1**). The name of the first is `for_f3`, that of the second `rule_i1`. For each rule there is

  a comment with its name in a source of dialect/ or lib/, where a kernel is refused for it;
  a kernel whose name starts with it in test/Dialect/Tile/invalid*.mlir or test/Conversion/invalid*.mlir, in a piece (pieces are split
  by `// -----`) that expects an error;
  a kernel whose name starts with it in test/Dialect/Tile/valid*.mlir, which satisfies the rule.

What the language allows and the compiler refuses is described by bullets of the page limits.md, up to what it says of machines. Each
begins with numbers: one of its own (limit **X3**), whose name is `limit_x3`, or those of rules that it repeats. For each limit there is

  a comment with its name in a source of dialect/, lib/ or codegen/, where it is refused;
  a kernel whose name starts with it in a .mlir file of test/, in a piece that expects an error; or where a limit is refused otherwise, a
  comment with its name in another test.

Conversely no comment and no test names a rule or a limit that is not described.
"""

import glob
import os
import re
import subprocess
import sys


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def read_ops(root):
    """Yields mnemonic and description of each op of the tile dialect."""
    text = "".join(read(path) for path in sorted(glob.glob(os.path.join(root, "dialect/include/tilec/Tile/*Ops.td"))))
    starts = [(m.start(), m.group(1)) for m in re.finditer(r'^def \w+ : \w+_\w*Op<"(\w+)"', text, re.M)]
    for (start, mnemonic), end in zip(starts, [s for s, _ in starts[1:]] + [len(text)]):
        found = re.search(r"let description = \[\{(.*?)\}\];", text[start:end], re.S)
        yield mnemonic, found.group(1) if found else ""


def check_examples(root, tilec_opt):
    errors, count = [], 0
    for mnemonic, description in read_ops(root):
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
    for mnemonic, description in read_ops(root):
        # Where a rule refers to another op's, as in "as (W4) says", its letter is not this op's: a family of rules
        # begins with number 1.
        labels = re.findall(r"\(([A-Z])(\d+)\)", description.partition("Rules:")[2])
        own = {letter for letter, number in labels if number == "1"}
        names += {f"{mnemonic}_{letter.lower()}{number}" for letter, number in labels if letter in own}
    for page in glob.glob(os.path.join(root, "docs", "language.md")):
        names += [f"rule_{label.lower()}" for label in re.findall(r"^- \*\*([A-Z]\d+)\*\* ", read(page), re.M)]
    return names


def list_limits(root, rules, errors):
    """The names of all limits, one for each bullet of their page that does not repeat rules."""
    names, known = [], {name.partition("_")[2].upper() for name in rules}
    for page in glob.glob(os.path.join(root, "docs", "limits.md")):
        for bullet in re.findall(r"^- .*", read(page).partition("**Machines**")[0], re.M):
            numbers = re.match(r"- \*\*([A-Z]\d+(?:, [A-Z]\d+)*)\*\* ", bullet)
            labels = numbers[1].split(", ") if numbers else []
            errors += [] if numbers else [f"limits.md: no number before '{bullet[2:40]}'"]
            errors += [f"limits.md: no rule {label} is described" for label in labels if label[0] != "X" and label not in known]
            names += [f"limit_{label.lower()}" for label in labels if label[0] == "X"]
    return names


def list_marked(root):
    """The names in comments of sources, with their files."""
    marked = {}
    for folder in ["dialect", "lib", "codegen"]:
        for path in glob.glob(os.path.join(root, folder, "**/*.cpp"), recursive=True):
            for comment in re.findall(r"//(.*)", read(path)):
                for name in re.findall(r"\b(?:kernel|program|workspace|run|for|launch|stage|part|hold|store|yield|rule|limit)_[a-z]\d+\b", comment):
                    marked.setdefault(name, os.path.relpath(path, root))
    return marked


def list_tested(root, patterns, refused, errors, family=r"(?!limit_)[a-z]+_[a-z]"):
    """The names of kernels in the pieces of test files, all of which expect an error or none does."""
    tested = {}
    for path in sorted(path for pattern in patterns for path in glob.glob(os.path.join(root, pattern), recursive=True)):
        for piece in re.split(r"^// -----.*$", read(path), flags=re.M):
            names = {a or b for a, b in re.findall(rf'@({family}\d+)\w*|sym_name = "({family}\d+)', piece)}
            if names and ("expected-error" in piece) != refused:
                errors.append(f"{os.path.relpath(path, root)}: {', '.join(sorted(names))} expects {'no' if refused else 'an'} error")
            tested.update(dict.fromkeys(names, os.path.relpath(path, root)))
    return tested


def list_refused(root, errors):
    """The names of limits in tests, with their files."""
    nests = list_tested(root, ["test/**/*.mlir"], True, errors, r"limit_x")
    for pattern in ["test/Tools/**/*.test", "test/Tools/**/*.py", "test/unit/**/*.cpp"]:
        for path in glob.glob(os.path.join(root, pattern), recursive=True):
            for line in read(path).splitlines():
                comment = re.search(r"(?:#|//)(.*)", line) if not path.endswith(".test") else re.match(r"(?!RUN:)(.*)", line)
                for name in re.findall(r"\blimit_x\d+\b", comment[1] if comment else ""):
                    nests.setdefault(name, os.path.relpath(path, root))
    return nests


def check_found(what, described, kinds, errors):
    """Holds what is described against what is found, by kind."""
    errors += [f"{what} {name} is described twice" for name in sorted(set(described)) if described.count(name) > 1]
    for kind, found in kinds.items():
        errors += [f"{what} {name} has no {kind}" for name in sorted(set(described) - set(found))]
        errors += [f"{found[name]}: no {what} {name} is described" for name in sorted(set(found) - set(described))]


def check_rules(root):
    errors, described = [], list_described(root)
    numbers = [name.partition("_")[2] for name in set(described)]
    errors += [f"two rules are called {number.upper()}" for number in sorted(set(numbers)) if numbers.count(number) > 1]
    marked, invalid = list_marked(root), ["test/Dialect/Tile/invalid*.mlir", "test/Conversion/invalid*.mlir"]
    kinds = {
        "comment at the place where it is checked": {name: path for name, path in marked.items() if not name.startswith("limit_")},
        "test that expects an error": list_tested(root, invalid, True, errors),
        "test that satisfies it": list_tested(root, ["test/Dialect/Tile/valid*.mlir"], False, errors),
    }
    check_found("rule", described, kinds, errors)
    limits = list_limits(root, described, errors)
    kinds = {
        "comment at the place where it is refused": {name: path for name, path in marked.items() if name.startswith("limit_")},
        "test that expects an error": list_refused(root, errors),
    }
    check_found("limit", limits, kinds, errors)
    return errors, f"{len(described)} rules and {len(limits)} limits"


if __name__ == "__main__":
    kind, *arguments = sys.argv[1:]
    checks = {"examples": check_examples, "files": check_files, "rules": check_rules}
    errors, what = checks[kind](*arguments)
    print("\n".join(errors) if errors else f"{what} hold")
    sys.exit(1 if errors else 0)
