"""Nests of kernels that memory bounds, and of products that are no output-stationary tiles, in many mappings, for measuring how well times are predicted.

A mapping is a form and what it leaves open, as in "transpose tile=32 rows=8 pad=1":

  elementwise  Z = X1 + X2 + ...: inputs, threads of a block, copies (elements a thread, a block apart), kind (type)
  transpose    through shared memory: tile, rows (a block has rows x tile threads), pad (of rows in shared memory)
  scatter      a transpose without: tile, rows, lanes (ij: reads run along rows; ji: writes do)
  rowsums      a block adds up a row: threads, width (elements that a thread loads at once)
  colsums      a thread adds up rows elements of a column: threads, rows
  stencil      3x3, from where X lies: bm, bn (a block's tile), tm, tn (a thread's)
  weights      weight-stationary product: bm, bn, bk
  split        product with k cut over blocks: bm, bn, bk, split
"""

import pathlib
import sys

from mapping_words import parse_form

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "test/tools"))

import report_nests  # noqa: E402  pylint: disable=wrong-import-position

KNOWN = {
    "elementwise": {"inputs": 2, "threads": 256, "copies": 4, "kind": "f32"},
    "transpose": {"tile": 32, "rows": 8, "pad": 1},
    "scatter": {"tile": 32, "rows": 8, "lanes": "ij"},
    "rowsums": {"threads": 256, "width": 4},
    "colsums": {"threads": 256, "rows": 64},
    "stencil": {"bm": 16, "bn": 128, "tm": 4, "tn": 4},
    "weights": {"bm": 64, "bn": 64, "bk": 16},
    "split": {"bm": 64, "bn": 64, "bk": 16, "split": 1024},
}


def stencil(v):
    """examples/stencil.mlir with other tiles."""
    text = (ROOT / "examples/stencil.mlir").read_text()
    for old, new in (("6x6xf32", f"{v['tm'] + 2}x{v['tn'] + 2}xf32"), ("4x4xf32", f"{v['tm']}x{v['tn']}xf32"),
                     ("(16, 128)", f"({v['bm']}, {v['bn']})"), ("by (4, 4)", f"by ({v['tm']}, {v['tn']})")):
        if old not in text:
            raise ValueError(f"examples/stencil.mlir has no '{old}'")
        text = text.replace(old, new)
    return text


def nest(words):
    """The text of a mapping's nest."""
    form, v = parse_form(words, KNOWN)
    if form == "stencil":
        return stencil(v)
    if form in ("weights", "split"):
        return report_nests.stationary_product(v["bm"], v["bn"], v["bk"], v.get("split", 0))
    arguments = {"elementwise": lambda: report_nests.elementwise(v["inputs"], v["threads"], v["copies"], kind=v["kind"]),
                 "transpose": lambda: report_nests.transpose(v["tile"], v["rows"], v["pad"]),
                 "scatter": lambda: report_nests.naive_transpose(v["tile"], v["rows"], v["lanes"]),
                 "rowsums": lambda: report_nests.row_sums(v["threads"], v["width"]),
                 "colsums": lambda: report_nests.column_sums(v["threads"], v["rows"])}
    return arguments[form]()


def small_shape(words):
    """Extents around the edges of a mapping's tiles."""
    form, v = parse_form(words, KNOWN)
    if form == "elementwise":
        return f"n={2 * v['threads'] * v['copies'] + 3}"
    if form in ("weights", "split"):
        return f"m={v['bm'] + 3},n={v['bn'] + 5},k={v.get('split', v['bk']) + 17}"
    if form in ("transpose", "scatter"):
        return f"m={2 * v['tile'] + 3},n={v['tile'] + 5}"
    if form == "rowsums":
        return f"m=5,n={v['threads'] * v['width'] + 3}"
    if form == "colsums":
        return f"m={v['rows'] + 3},n={v['threads'] + 5}"
    return f"m={v['bm'] + 3},n={v['bn'] + 5}"
