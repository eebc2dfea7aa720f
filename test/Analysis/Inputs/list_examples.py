"""Lists all examples at 4096 for tilec-time-analysis: list_examples.py EXAMPLES"""

import pathlib
import sys

for nest in sorted(pathlib.Path(sys.argv[1]).rglob("*.mlir")):
    print(nest, ",".join(f"{name}=4096" for name in "mnkMNK"), sep="\t")
