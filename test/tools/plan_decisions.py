"""Draws other decisions for a planned nest, mistakes among them.

  redecide(plan, rng) -> text     some clauses of the text replaced
  REFUSALS                        what tilec may say against such a text that it would not say against the plan

A text with other decisions is right, or refused for one of them: which, is for tilec to say. Run alone it redecides the nest of a
file:  plan_decisions.py FILE SEED
"""

import random
import re
import sys

REFUSALS = re.compile("|".join([
    r"form \d+ (moves|walks|is there twice|is one that any launch takes)", r"the last form moves", r"has \d+ forms",
    r"edges\((tile|block)\) (needs|beside|asks|is for)", r"copy\(ldmatrix\) loads rows", r"unroll\(.*has no numbers", r"wide\(\d+\)", r"has \d+ slices", r"tile\.order", r"tile\.snake", r"states (dynamic_smem|other tensor maps)",
    r"choose\(loop\) writes the body twice", r"cannot begin ahead", r"begins ahead, but no pipelined loop", r"tail\(cut, .*has no numbers",
    # What other decisions may take more of than a machine has.
    r"has release\(end\)", r"shared memory", r"registers"]).replace(r"\d", "[0-9N]"))


def draw_forms(rng, rank):
    def width():
        return rng.choice([1, 1, 1, 2, 4, 4, 4, 8, 3 if rng.random() < 0.1 else 1])

    dims = list(range(rank + (rng.random() < 0.02)))
    forms = [(rng.choice(dims), width()) for _ in range(rng.choice([0, 1, 1, 2, 3]))]
    forms.append((rng.choice(dims), 1 if rng.random() < 0.97 else 4))
    if rng.random() < 0.95:
        forms = list(dict.fromkeys(forms))
    return "forms(" + ", ".join(f"{along} by {width}" if width > 1 else str(along) for along, width in forms) + ")"


def draw_order(rng, dims):
    dims = dims[:]
    rng.shuffle(dims)
    if rng.random() < 0.03:
        dims[0] = dims[-1]
    return "array<i64: " + ", ".join(map(str, dims)) + ">"


def redecide(plan, rng):
    """Each clause is left as it is in most places, so that about half of the texts hold no mistake."""
    few = rng.random() < 0.5

    def sometimes(text, other, chance):
        return other() if rng.random() < (chance / 3 if few else chance) else text

    def clause(match):
        text, word = match[0], match[1]
        if word == "forms":
            rank = 1 + max(int(number) for number in re.findall(r"(?:\(|, )(\d+)", text))
            return sometimes(text, lambda: draw_forms(rng, rank), 0.5)
        if word == "tail(cut":
            return sometimes(text, lambda: f"tail(cut, {rng.choice([1, 2, 5, 16, 64, 65536])}, {rng.choice([1, 3, 16, 100])}, {rng.choice([1, 2, 9])})", 0.7)
        if word == "unroll":
            return sometimes(text, lambda: f"unroll({rng.choice([1, 2, 3, 8, 1024])}, {rng.choice([1, 2, 5])})", 0.6)
        others = {"edges": ["tile", "element", "block"], "choose": ["loop", "copy"], "issue": ["first", "after_loads"], "begin": ["here", "ahead"], "release": ["end", "next"],
                  "wide": ["1", "1", "2", "4", "8", "16"], "slices": ["1", "2", "2", "4", "3"]}[word]
        return sometimes(text, lambda: f"{word}({rng.choice(others)})", 0.25 if word == "wide" else 0.6)

    if rng.random() < 0.5:  # What is launched is planned again.
        plan = re.sub(r"\n *tile\.launch .*", "", plan)
    elif "min_blocks(" not in plan:
        plan = re.sub(r"(?<= threads\()\d+\)(?: cluster\(\d+\))?", lambda match: sometimes(match[0], lambda: f"{match[0]} min_blocks({rng.choice([1, 2, 4])})", 0.3), plan)
    plan = re.sub(r"(?<=dynamic_smem\()\d+", lambda match: sometimes(match[0], lambda: str(int(match[0]) + rng.choice([1, 128, 4096, -64])), 0.3), plan)
    plan = re.sub(r"\b(forms|tail\(cut|unroll|edges|choose|issue|begin|release|wide|slices)(?:\(|, )[^()]*\)", clause, plan)
    return re.sub(r"(?<=tile\.order = )array<i64: ([\d, ]+)>",
                  lambda match: sometimes(match[0], lambda: draw_order(rng, [int(n) for n in match[1].split(",")]), 0.5)
                  + sometimes("", lambda: ", tile.snake", 0.4), plan)


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as source:
        print(redecide(source.read(), random.Random(int(sys.argv[2]))), end="")
