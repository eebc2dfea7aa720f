"""Checks the limits that the sources keep: check_structure.py ROOT.

  no file of more than 800 lines, no function of more than 80, no class of more than 30 methods;
  a folder includes what its component may depend on, and nothing else.

The sources are formatted by clang-format, and that is what makes so small a parser do: a brace that a blank stands in front
of opens a scope, any other an initializer.
"""

import ast
import os
import re
import sys

MOST_LINES, MOST_IN_FUNCTION, MOST_METHODS = 800, 80, 30

# What a component may include, besides what those include.
COMPONENTS = {
    "dialect/Layout": [],
    "dialect/Tile": ["dialect/Layout"],
    "dialect/Kernel": ["dialect/Tile"],
    "lib/Machine": [],
    "lib/Runtime": [],
    "lib/Reference": ["dialect/Tile"],
    "lib/Analysis": ["dialect/Tile", "lib/Machine"],
    "lib/Report": ["lib/Analysis"],
    # A module's sizes are those that a launch takes.
    "lib/Mapping": ["dialect/Tile", "lib/Machine"],
    "lib/Transforms": ["lib/Report", "lib/Runtime"],
    # A kernel comes with the description of its launch.
    "lib/Conversion": ["lib/Analysis", "dialect/Kernel", "lib/Runtime"],
    "codegen/CUDA": ["dialect/Kernel"],
    "codegen/NVRTC": ["lib/Runtime"],
    "codegen/Emulator": ["dialect/Kernel", "lib/Runtime"],
    "codegen/Driver": ["codegen/CUDA", "codegen/NVRTC", "codegen/Emulator", "lib/Conversion", "lib/Transforms", "lib/Reference", "lib/Mapping"],
    "tools/tilec": ["codegen/Driver"],
    "tools/tilec-opt": ["codegen/Driver"],
}

FOLDERS = ["dialect", "lib", "codegen", "tools", "test", "scripts", "examples"]


def list_sources(root):
    for folder in FOLDERS:
        for where, _, names in os.walk(os.path.join(root, folder)):
            for name in sorted(names):
                if name.endswith((".cpp", ".h", ".td", ".py")):
                    yield os.path.relpath(os.path.join(where, name), root)


# ---- C++ ----


def blank(match):
    return re.sub(r"[^\n]", " ", match.group(0))


def strip(text):
    """The text without comments, literals and directives, each character where it was."""
    literal = r'R"(\w*)\((?:.|\n)*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])*\''
    text = re.sub(rf"//.*|/\*(?:.|\n)*?\*/|{literal}", blank, text)
    return re.sub(r"^[ \t]*#(?:.*\\\n)*.*", blank, text, flags=re.M)


def skip_prefix(text, at, end):
    """Where a declaration begins after access specifiers, attributes and template parameters."""
    while True:
        match = re.compile(r"\s*(?:(?:public|private|protected):|\[\[[^]]*\]\]|__attribute__\(\(.*?\)\)|template\s*(?=<))?").match(text, at, end)
        if match.end() == at:
            return at
        at = match.end()
        if match.group(0).rstrip().endswith("template"):
            depth = 0
            while at < end and (depth or text[at] == "<"):
                depth += {"<": 1, ">": -1}.get(text[at], 0)
                at += 1


def drop_angles(text):
    shorter = re.sub(r"(?<!operator)(?<!operator<)<[^<>]*>", "", text)
    return text if shorter == text else drop_angles(shorter)


def get_function(declaration):
    """The name of the function that is declared, or None."""
    if re.match(r"(?:using|friend|typedef|static_assert|enum)\b", declaration):
        return None
    match = re.search(r"((?:\w+::)*(?:operator\s*(?:\(\)|[^\s\w(]+|[\w:]+\s*[&*]?)|~?\w+))\s*\(", drop_angles(declaration))
    before = match and drop_angles(declaration)[: match.start()]
    if not match or re.search(r"[=(]", before) or re.match(r"\(\s*\*", match.string[match.end() - 1 :]):
        return None
    return match.group(1)


class Scopes:
    """Finds the functions and classes of a file: (kind, name, first line, size)."""

    def __init__(self, text):
        self.text, self.found, self.stack = strip(text), [], []
        self.head = self.parens = 0
        for at, char in enumerate(self.text):
            if char in "()":
                self.parens += 1 if char == "(" else -1
            elif char == "{":
                self.open(at)
            elif char == "}":
                self.close(at)
            elif char == ";" and self.isOuter():
                self.declare(at)
                self.head = at + 1

    def isOuter(self):
        return not self.parens and (not self.stack or self.stack[-1][0] in ("namespace", "class"))

    def declare(self, end):
        """Counts what the declaration before `end` adds to its class; returns the function's name."""
        begin = skip_prefix(self.text, self.head, end)
        name = get_function(self.text[begin:end])
        if name and self.stack and self.stack[-1][0] == "class":
            self.stack[-1][3] += 1
        return name

    def open(self, at):
        begin = skip_prefix(self.text, self.head, at)
        head = self.text[begin:at]
        scope = ["inner", "", begin, 0, self.parens]
        if self.isOuter() and self.text[at - 1].isspace():
            if re.match(r"(?:inline\s+)?namespace\b|extern\s*$", head):
                scope[0] = "namespace"
            elif match := re.match(r"(?:class|struct|union)\s+(?:alignas\([^)]*\)\s*)?([\w:]*)[^()]*$", drop_angles(head)):
                scope[:2] = "class", match.group(1)
            elif name := self.declare(at):
                scope[:2] = "function", name
        self.stack.append(scope)
        self.parens = 0
        if scope[0] != "inner":
            self.head = at + 1

    def close(self, at):
        if not self.stack:
            raise ValueError("a brace closes nothing")
        kind, name, begin, methods, self.parens = self.stack.pop()
        line, end = (self.text.count("\n", 0, place) + 1 for place in (begin, at))
        if kind == "class":
            self.found.append((kind, name, line, methods))
        elif kind == "function":
            self.found.append((kind, name, line, end - line + 1))
        if kind in ("namespace", "function"):
            self.head = at + 1


def read_cpp(text):
    scopes = Scopes(text)
    if scopes.stack:
        raise ValueError("a brace is not closed")
    return scopes.found


def read_python(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            yield "function", node.name, node.lineno, node.end_lineno - node.lineno + 1
        elif isinstance(node, ast.ClassDef):
            yield "class", node.name, node.lineno, sum(isinstance(part, ast.FunctionDef) for part in node.body)


def check_sizes(path, text):
    if (lines := text.count("\n")) > MOST_LINES:
        yield f"{path} has {lines} lines, at most {MOST_LINES} are allowed"
    if path.endswith(".td"):
        return
    limits = {"function": (MOST_IN_FUNCTION, "lines"), "class": (MOST_METHODS, "methods")}
    for kind, name, line, size in (read_python if path.endswith(".py") else read_cpp)(text):
        most, unit = limits[kind]
        if size > most:
            yield f"{path}:{line}: {kind} {name} has {size} {unit}, at most {most} are allowed"


# ---- Components ----


def close_over(component, path=()):
    """All that a component may include; fails where the table goes in a circle."""
    if component in path:
        raise ValueError("components in a circle: " + ", ".join(path))
    allowed = {component}
    for other in COMPONENTS[component]:
        allowed |= close_over(other, (*path, component))
    return allowed


def get_component(path):
    """lib/include/tilec/Analysis/X.h and lib/Analysis/X.cpp belong to lib/Analysis; None for what belongs to none."""
    parts = path.replace("/include/tilec/", "/").split("/")
    return "/".join(parts[:2]) if parts[0] in ("dialect", "lib", "codegen", "tools") and len(parts) > 2 else None


def check_includes(path, text, owners):
    component = get_component(path)
    if component is None:
        return
    if component not in COMPONENTS:
        yield f"{path}: no component {component} is in the table of check_structure.py"
        return
    for match in re.finditer(r'^\s*#?include "tilec/(\w+)/', text, re.M):
        other = owners.get(match.group(1))
        if other not in close_over(component):
            line = text.count("\n", 0, match.start(1)) + 1
            yield f"{path}:{line}: {component} may not include {other or 'tilec/' + match.group(1)}"


def check(root):
    errors, count = [], 0
    owners = {component.partition("/")[2]: component for component in COMPONENTS}
    for path in list_sources(root):
        with open(os.path.join(root, path), encoding="utf-8") as file:
            text = file.read()
        count += 1
        try:
            errors += check_sizes(path, text)
        except (ValueError, SyntaxError) as error:
            errors.append(f"{path} cannot be read: {error}")
        errors += check_includes(path, text, owners)
    return errors, count


if __name__ == "__main__":
    errors, count = check(sys.argv[1])
    print("\n".join(errors) if errors else f"{count} files keep the limits")
    sys.exit(1 if errors or not count else 0)
