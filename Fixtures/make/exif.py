"""EXIF blocks: a small TIFF structure, either byte order, sound or damaged."""

import struct


def exif(orientation=None, endian="<", entries=(), orientation_type=3, count=1, next_ifd=0):
    """IFD0 with the orientation and `entries`: (tag, type, count, 4 value bytes)."""
    rows = []
    if orientation is not None:
        value = (
            struct.pack(endian + "HH", orientation, 0)
            if orientation_type == 3
            else struct.pack(endian + "I", orientation)
        )
        rows.append((274, orientation_type, count, value))
    rows = sorted(rows + list(entries))
    out = (b"II" if endian == "<" else b"MM") + struct.pack(endian + "HI", 42, 8)
    out += struct.pack(endian + "H", len(rows))
    for tag, kind, n, value in rows:
        out += struct.pack(endian + "HHI", tag, kind, n) + value
    return out + struct.pack(endian + "I", next_ifd)
