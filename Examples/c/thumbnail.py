"""Writes a thumbnail of an image file: thumbnail.py IN OUT WIDTH HEIGHT

The extension of OUT, .png, .jpg, .webp or .gif, selects its format. Uses libplatformimage.so.1 by ctypes, without a
compiler; PLATFORMIMAGE_LIBRARY is its path, by default the dynamic linker searches it.
"""

import ctypes
import os
import sys
from ctypes import POINTER, byref, c_char, c_double, c_int32, c_size_t, c_uint8, c_uint32, c_uint64

BUFFER_TOO_SMALL = 2
FORMATS = {".png": 1, ".jpg": 2, ".gif": 3, ".webp": 6}


class Struct(ctypes.Structure):
    """A struct of platformimage.h: zeros, and its size as the first member."""

    def __init__(self, **members):
        super().__init__(ctypes.sizeof(type(self)), **members)


class Error(Struct):
    _fields_ = [
        ("struct_size", c_size_t), ("status", c_int32), ("reserved", c_uint32), ("code", c_char * 32),
        ("detail", c_char * 64), ("message", c_char * 256)]


class DecodeOptions(Struct):
    _fields_ = [
        ("struct_size", c_size_t), ("max_input_bytes", c_uint64), ("max_pixels", c_uint64),
        ("max_memory_bytes", c_uint64), ("deadline_ms", c_uint32), ("strictness", c_int32), ("page", c_uint32),
        ("flags", c_uint32), ("allowed_formats", c_uint32), ("reserved", c_uint32)]


class ThumbnailOptions(Struct):
    _fields_ = [
        ("struct_size", c_size_t), ("width", c_uint32), ("height", c_uint32), ("fit", c_int32), ("filter", c_int32),
        ("accuracy", c_int32), ("flags", c_uint32), ("gravity_x", c_double), ("gravity_y", c_double),
        ("crop_x", c_int32), ("crop_y", c_int32), ("crop_width", c_uint32), ("crop_height", c_uint32),
        ("background", c_uint8 * 4), ("reserved", c_uint32)]


class EncodeOptions(Struct):
    _fields_ = [
        ("struct_size", c_size_t), ("max_bytes", c_uint64), ("format", c_int32), ("quality", c_uint32),
        ("webp_effort", c_int32), ("flags", c_uint32), ("deadline_ms", c_uint32), ("reserved", c_uint32)]


class File(Struct):
    _fields_ = [
        ("struct_size", c_size_t), ("bytes", POINTER(c_uint8)), ("capacity", c_size_t), ("byte_count", c_size_t),
        ("width", c_uint32), ("height", c_uint32), ("damage", c_int32), ("intact_rows", c_uint32)]


library = ctypes.CDLL(os.environ.get("PLATFORMIMAGE_LIBRARY", "libplatformimage.so.1"))
library.pi_thumbnail_encode.restype = c_int32
library.pi_thumbnail_encode.argtypes = [
    ctypes.c_char_p, c_size_t, POINTER(DecodeOptions), POINTER(ThumbnailOptions), POINTER(EncodeOptions),
    POINTER(File), POINTER(Error)]


def thumbnail(data, file_format, width, height, capacity=256 * 1024):
    """The bytes of an encoded thumbnail that fits into a box."""
    error, file = Error(), File(capacity=capacity)
    buffer = (c_uint8 * capacity)()
    file.bytes = buffer
    status = library.pi_thumbnail_encode(
        data, len(data), DecodeOptions(max_pixels=50_000_000, deadline_ms=10_000),
        ThumbnailOptions(width=width, height=height), EncodeOptions(format=file_format), byref(file), byref(error))
    if status == BUFFER_TOO_SMALL:
        return thumbnail(data, file_format, width, height, file.byte_count)
    if status != 0:
        raise ValueError(f"{error.code.decode()}: {error.message.decode()}")
    return bytes(buffer[:file.byte_count])


def main():
    if len(sys.argv) != 5:
        sys.exit("usage: thumbnail.py IN OUT WIDTH HEIGHT")
    source, target, width, height = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    with open(source, "rb") as file:
        data = file.read()
    try:
        encoded = thumbnail(data, FORMATS.get(os.path.splitext(target)[1], 0), width, height)
    except ValueError as error:
        sys.exit(f"{source}: {error}")
    with open(target, "wb") as file:
        file.write(encoded)
    print(f"{len(encoded)} bytes")


if __name__ == "__main__":
    main()
