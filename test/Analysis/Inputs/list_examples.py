"""Lists all examples at 4096, with a scale for 128, and 8 for what they do one beside the other, for tilec-time-analysis: list_examples.py EXAMPLES"""

import pathlib
import sys

for nest in sorted(pathlib.Path(sys.argv[1]).rglob("*.mlir")):
    print(nest, ",".join([f"{name}=4096" for name in "mnkMNK"] + [f"{name}=8" for name in "jopqxJOPQX"] + ["NS=32", "KS=32"]), sep="\t")
