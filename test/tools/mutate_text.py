"""Mutants of a generated kernel's text: each lacks one thing that the generator put there for a reason.

All mutants of a kernel make one text, so that they are compiled once: whatever one of them lacks is left out when
`tilec_mutant`, a variable of the program that runs them, has its number.

What is deleted, one at a time:
  - each statement that is a call: barriers, waits, commits, and all that moves data. Functions that join the vocabulary
    later are deleted too, since no name is asked for;
  - each predicate: a term of a condition (of `if`, of `?:`, of a bool variable, of an argument) becomes true, so what
    it guarded happens anyway;
  - each clamp: min and max give one of their arguments.

Not deleted, since nothing is guarded: a condition of one term that chooses between two ways, of which both are right
(`if` with `else`, `?:` whose other value is not zero), bounds of loops, and what only allows the compiler more.
"""

import re

# Names in capitals declare.
CALL = re.compile(r"^\s*(?![A-Z_]+\()[A-Za-z_]\w*(?:<[^;()]*>)?\(.*\);$")
# With fewer registers ptxas keeps values in memory, without settle it computes some twice, without loosen it takes others, and maps are fetched when they are used; none changes.
ALLOWS = re.compile(r"^\s*(setmaxnreg_inc<|settle\(|loosen\(|prefetch_map\()")
BOOL = re.compile(r"^\s*const bool (\w+) = (.*);$")
OPERATORS = [" < ", " > ", " <= ", " >= ", " == ", " != ", " && ", " || "]
ZERO = re.compile(r"^-?0(?:\.0*f?)?$|^false$")


def find_close(text, start):
    """Where the bracket that opens at `start` closes."""
    depth = 0
    for i in range(start, len(text)):
        depth += text[i] in "([{"
        depth -= text[i] in ")]}"
        if depth == 0:
            return i
    raise ValueError(f"no bracket closes in {text}")


def split_at(text, start, end, separators):
    """Spans of text[start:end] between separators outside of all brackets."""
    spans, depth, begin, i = [], 0, start, start
    while i < end:
        depth += text[i] in "([{"
        depth -= text[i] in ")]}"
        found = next((s for s in separators if depth == 0 and text.startswith(s, i)), None)
        if found:
            spans.append((begin, i))
            i += len(found)
            begin = i
        else:
            i += 1
    spans.append((begin, end))
    return [strip(text, span) for span in spans]


def strip(text, span):
    begin, end = span
    while begin < end and text[begin] == " ":
        begin += 1
    while end > begin and text[end - 1] == " ":
        end -= 1
    return begin, end


def get_terms(text, start, end):
    """Spans of the terms of a condition: what stands between && and ||, in brackets too."""
    start, end = strip(text, (start, end))
    while text[start] == "(" and find_close(text, start) == end - 1:
        start, end = strip(text, (start + 1, end - 1))
    spans = split_at(text, start, end, ["&&", "||"])
    if len(spans) == 1:
        return spans
    return [term for span in spans for term in get_terms(text, *span)]


class Line:
    """One line with the conditions in it: (spans of terms, is it a choice)."""

    def __init__(self, text, bools, has_else):
        self.text, self.bools, self.conditions = text, bools, []
        self.find_ternaries(0, len(text))
        if statement := re.match(r"^\s*(?:\} else )?if \(", text):
            opens = statement.end() - 1
            chooses = has_else or text.lstrip().startswith("} else")
            self.add(opens + 1, find_close(text, opens), chooses)
        elif declared := BOOL.match(text):
            self.add(declared.start(2), declared.end(2), False)
        elif not text.lstrip().startswith("for "):
            self.find_arguments()

    def add(self, start, end, chooses):
        terms = get_terms(self.text, start, end)
        self.conditions.append((terms, chooses and len(terms) == 1))

    def find_ternaries(self, start, end):
        """Conditions in front of ` ? `, from the innermost bracket out."""
        for match in re.finditer(r" \? ", self.text):
            at, depth, begin = match.start(), 0, match.start() - 1
            while begin >= 0:
                depth += self.text[begin] in ")]"
                depth -= self.text[begin] in "(["
                if depth < 0 or (depth == 0 and self.text[begin] in ",;{}") or (
                        depth == 0 and self.text[begin] == "=" and self.text[begin - 1] not in "=!<>" and
                        self.text[begin + 1] != "="):
                    break
                begin -= 1
            # The last part of the same bracket is the other value.
            stop, depth = match.end(), 0
            while stop < len(self.text):
                depth += self.text[stop] in "(["
                depth -= self.text[stop] in ")]"
                if depth < 0 or (depth == 0 and self.text[stop] in ",;"):
                    break
                stop += 1
            parts = split_at(self.text, match.end(), stop, [" : "])
            other = self.text[slice(*parts[-1])]
            self.add(begin + 1, at, not ZERO.match(other))

    def find_arguments(self):
        """Arguments of calls that are conditions."""
        for match in re.finditer(r"[\w>]\(", self.text):
            opens = match.end() - 1
            for start, end in split_at(self.text, opens + 1, find_close(self.text, opens), [","]):
                argument = self.text[start:end]
                if " ? " not in argument and (argument in self.bools or len(split_at(self.text, start, end, OPERATORS)) > 1):
                    self.add(start, end, False)


def has_else(lines, number):
    """Has the block that opens at the end of a line an else?"""
    depth = 1
    for line in lines[number + 1:]:
        text = line.strip()
        if depth == 1 and text.startswith("} else"):
            return True
        depth += text.count("{") - text.count("}")
        if depth == 0:
            return False
    return False


def find_clamps(text):
    """(span of a call of min or max, the argument that takes its place)."""
    for match in re.finditer(r"(?<![\w.])(?:min|max)\(", text):
        close = find_close(text, match.end() - 1)
        for start, end in split_at(text, match.end(), close, [","]):
            argument = text[start:end]
            yield (match.start(), close + 1), f"({argument})" if " " in argument else argument


def join_statements(lines):
    """Each statement in the line where it begins; lines that it went on in are empty."""
    joined, whole = [], True
    for line in lines:
        if whole:
            start = len(joined)
            joined.append(line)
        else:
            joined[start] += " " + line.strip()
            joined.append("")
        text = joined[start].strip()
        whole = not text or text.startswith("#") or text[-1] in ";{}"
    return joined


class Switched:
    """A line in which what some mutants lack can be switched off."""

    def __init__(self, text):
        self.text, self.switches = text, []

    def add(self, start, end, before, after):
        """What stands from start to end gets words before and after."""
        self.switches.append((start, end, before, after))

    def print(self):
        words = []
        # Longer spans are the outer ones; of two that are equal, the later.
        outer_first = sorted(reversed(self.switches), key=lambda switch: switch[0] - switch[1])
        for at in range(len(self.text) + 1):
            words += [after for _, end, _, after in reversed(outer_first) if end == at]
            words += [before for start, _, before, _ in outer_first if start == at]
            words.append(self.text[at:at + 1])
        return "".join(words)


def make_mutants(cuda):
    """(text, mutants): a text that is the kernel where tilec_mutant is 0, and mutant N where it is N; (line, what is gone) of
    each mutant, from mutant 1 on. What stands in front of the kernel is left alone, and lines keep their numbers."""
    body = cuda.index("{\n", cuda.index('extern "C"')) + 2
    head, kernel = cuda[:body], cuda[body:]
    lines = join_statements(kernel.split("\n"))
    bools = {match[1] for match in map(BOOL.match, lines) if match}
    parsed = [Line(text, bools, has_else(lines, number)) for number, text in enumerate(lines)]
    for line, text in zip(parsed, lines[1:]):
        if ALLOWS.match(text):  # Who is allowed more is no matter either.
            line.conditions = []
    # A variable of one term that only ever chooses guards nothing; of several terms each makes one of the ways right.
    choosing = {line.text[slice(*terms[0])] for line in parsed for terms, chooses in line.conditions if chooses}
    guarding = {line.text[slice(*term)] for line in parsed for terms, chooses in line.conditions if not chooses for term in terms}

    first, mutants, switched = head.count("\n") + 1, [], []
    for number, line in enumerate(parsed):
        switches, statement = Switched(line.text), line.text.strip()

        def gone(what):
            mutants.append((first + number, what))
            return f"tilec_mutant == {len(mutants)}"

        if CALL.match(line.text) and not ALLOWS.match(line.text):
            switches.add(0, len(line.text), f"{{ if (!({gone('deleted: ' + statement)})) {{ ", " } }")
        declared = BOOL.match(line.text)
        only_chooses = declared and declared[1] in choosing and declared[1] not in guarding
        for terms, chooses in line.conditions:
            for start, end in [] if chooses or (only_chooses and len(terms) == 1) else terms:
                term = line.text[start:end]
                if term not in ("true", "false"):
                    switches.add(start, end, f"({gone(f'true: {term} in: {statement}')} || (", "))")
        for (start, end), instead in find_clamps(line.text):
            switches.add(start, end, f"({gone(f'{instead} instead of {line.text[start:end]}')} ? {instead} : ", ")")
        switched.append(switches.print())
    return 'extern "C" int tilec_mutant; ' + head + "\n".join(switched), mutants
