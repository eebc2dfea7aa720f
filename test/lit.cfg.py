"""lit over .mlir and .test files.

Features for REQUIRES lines, found by looking for what they name:
  nvrtc          libnvrtc can be loaded, so CUDA C++ can be compiled
  cuda           a CUDA driver with at least one device, so kernels can be run
  host-compiler  a C++ compiler, so kernels can be run by the emulator
  mlir-runner    mlir-opt and mlir-runner, so MLIR's own lowering can be run; a warning says where they are missing
"""

import ctypes
import ctypes.util
import glob
import os
import shutil
import sys

import lit.formats

sys.path.insert(0, os.path.join(config.tilec_source_root, "test", "tools"))
from host_code import use_cached_compiler

config.name = "tilec"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "tools", "unit"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.tilec_build_root, "test")

tools = os.path.join(config.tilec_build_root, "tools")
folders = [os.path.join(tools, "tilec"), os.path.join(tools, "tilec-opt")]
folders += [os.path.join(config.test_exec_root, "tools"), config.llvm_tools_dir]
config.environment["PATH"] = os.pathsep.join(folders + [os.environ["PATH"]])
config.environment["FILECHECK_OPTS"] = "-enable-var-scope --allow-unused-prefixes=false"
# What NVRTC, the compile cache and the test of AccelForge look for.
for name in ["CUDA_HOME", "CUDA_PATH", "LD_LIBRARY_PATH", "XDG_CACHE_HOME", "HOME", "ACCELFORGE_PYTHON"]:
    if name in os.environ:
        config.environment[name] = os.environ[name]

config.substitutions.append(("%python", config.python))
config.substitutions.append(("%tilec_root", config.tilec_source_root))
config.substitutions.append(("%tilec_build", config.tilec_build_root))
config.substitutions.append(("%llvm_include", os.path.join(config.llvm_tools_dir, os.pardir, "include")))


def load(patterns):
    """The first of the libraries that can be loaded, or None."""
    for path in patterns:
        try:
            return ctypes.CDLL(path)
        except OSError:
            continue
    return None


def find_nvrtc():
    roots = [os.environ.get(name) for name in ["CUDA_HOME", "CUDA_PATH"]] + ["/usr/local/cuda"]
    found = []
    for root in filter(None, roots):
        for folder in ["lib64", "targets/x86_64-linux/lib", "lib"]:
            found += sorted(glob.glob(os.path.join(root, folder, "libnvrtc.so*")))
    library = load([f"libnvrtc.so.{major}" for major in (13, 12, 11)] + found)
    major, minor = ctypes.c_int(), ctypes.c_int()
    if library and library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)) == 0:
        config.available_features.add(f"nvrtc-{major.value}.{minor.value}")
    return library is not None


def find_clang():
    return shutil.which("clang++", path=config.environment["PATH"]) is not None


def find_device():
    driver = load(["libcuda.so.1"])
    count = ctypes.c_int(0)
    return bool(driver and driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value)


def find_host_compiler():
    return use_cached_compiler(config)


def find_mlir_runner():
    missing = [name for name in ["mlir-opt", "mlir-runner"] if not shutil.which(name, path=config.environment["PATH"])]
    if missing:
        lit_config.warning(f"{' and '.join(missing)} not found (package mlir-22-tools): no kernel is held against MLIR's own lowering")
    return not missing


for feature, find in [("nvrtc", find_nvrtc), ("cuda", find_device), ("host-compiler", find_host_compiler), ("mlir-runner", find_mlir_runner),
                      ("clang", find_clang)]:
    if find():
        config.available_features.add(feature)
