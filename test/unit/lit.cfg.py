"""The GoogleTest programs: <build>/test/unit/*Tests, as tilec_unittest names them."""

import os
import sys

import lit.formats

sys.path.insert(0, os.path.join(config.tilec_source_root, "test", "tools"))
from host_code import use_cached_compiler

config.name = "tilec-unit"
config.test_format = lit.formats.GoogleTest(".", "Tests")
config.test_exec_root = os.path.join(config.tilec_build_root, "test", "unit")
config.test_source_root = config.test_exec_root
for name in ["CUDA_HOME", "CUDA_PATH", "LD_LIBRARY_PATH", "HOME"]:
    if name in os.environ:
        config.environment[name] = os.environ[name]

use_cached_compiler(config)
