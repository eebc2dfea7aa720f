"""Reads and writes the data of .npy files, version 1.0 and row-major, as --arg and --save of the command do."""

import struct

MAGIC = b"\x93NUMPY\x01\x00"


def write_npy(path, kind, shape, data):
    """Writes `data`, the bytes of an array of NumPy's type `kind`, as in "<f4"."""
    header = str({"descr": kind, "fortran_order": False, "shape": tuple(shape)})
    # The data begins at a multiple of 64 bytes.
    header += " " * (-(len(MAGIC) + 2 + len(header) + 1) % 64) + "\n"
    path.write_bytes(MAGIC + struct.pack("<H", len(header)) + header.encode() + data)


def read_npy(path):
    """The bytes of an array."""
    file = path.read_bytes()
    length, = struct.unpack_from("<H", file, len(MAGIC))
    return file[len(MAGIC) + 2 + length:]
