"""A function of known extents as one of open ones: all extents of one length become those of an argument that has it."""

import random
import re

TYPE = re.compile(r"tensor<((?:\d+x)+)(\w+)>")
SLICE = re.compile(r"(tensor\.(?:extract|insert)_slice [^\n]*?)\[([\d, ]*)\] (\[[\d, ]*\] : )")
SHAPE = re.compile(r"output_shape \[([\d, ]*)\]")


def choose_extent(problem):
    """The length that is open in one problem of three, one of an argument's; else none."""
    rng = random.Random(problem.seed * 31 + 5)
    lengths = [extent for array in problem.f.arguments for extent in array.extents if extent > 1]
    return rng.choice(lengths) if lengths and not problem.mistake and rng.random() < 0.35 else None


def open_text(text, length):
    """`text` where each extent `length` is that of the first argument that has it."""
    number = str(length)

    def open_type(match):
        return "tensor<" + "".join("?x" if extent == number else extent + "x" for extent in match[1].split("x")[:-1]) + match[2] + ">"

    def open_list(words):
        return ", ".join("%open" if word.strip() == number else word.strip() for word in words.split(","))

    text = SLICE.sub(lambda match: f"{match[1]}[{open_list(match[2])}] {match[3]}", text)
    text = SHAPE.sub(lambda match: f"output_shape [{open_list(match[1])}]", text)
    head, body = text.split("{\n", 1)
    argument, dims = next((name, dims.split("x")) for name, dims in re.findall(r"%(X\d+): tensor<((?:\d+x)+)", head) if number in dims.split("x")[:-1])
    body = TYPE.sub(open_type, body)
    body = re.sub(r"tensor\.empty\(\) : (tensor<[?\dx]*\w+>)", lambda match: f"tensor.empty({', '.join(['%open'] * match[1].count('?'))}) : {match[1]}", body)
    kind = re.search(rf"%{argument}: (tensor<[\w]*>)", head)[1]
    ask = f"  %open_dim = arith.constant {dims.index(number)} : index\n  %open = tensor.dim %{argument}, %open_dim : {TYPE.sub(open_type, kind)}\n"
    return TYPE.sub(open_type, head) + "{\n" + ask + body
