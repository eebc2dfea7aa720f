"""For lit's configurations: a compiler for the emulator that compiles what many tests launch once."""

import os
import shutil


def use_cached_compiler(config):
    """Has cached-cxx called in place of the host compiler, with nothing kept from before; False where there is no compiler."""
    names = [os.environ.get("CXX"), "c++", "g++", "clang++"]
    compiler = next(filter(None, map(shutil.which, filter(None, names))), None)
    if not compiler:
        return False
    folder = os.path.join(config.test_exec_root, "host-code")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder, exist_ok=True)
    config.environment["TILEC_TEST_CXX"], config.environment["TILEC_TEST_HOST_CODE"] = compiler, folder
    config.environment["CXX"] = os.path.join(config.tilec_source_root, "test", "tools", "cached-cxx")
    return True
