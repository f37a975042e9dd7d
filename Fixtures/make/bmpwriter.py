"""A BMP encoder that does exactly what it is told: every header, depth, mask and run-length code."""

import struct

import numpy as np


def dib(
    size,
    width,
    height,
    bits,
    compression=0,
    image_size=0,
    colors=0,
    planes=1,
    masks=(0, 0, 0, 0),
    color_space=0x73524742,
    profile=(0, 0),
    intent=4,
):
    """The first `size` bytes of the headers that grew out of each other; 12 is OS/2 1.x."""
    if size == 12:
        return struct.pack("<IHHHH", 12, width, height, planes, bits)
    out = struct.pack(
        "<IiiHHIIiiII", size, width, height, planes, bits, compression, image_size, 2835, 2835, colors, 0
    )
    if size in (52, 56, 108, 124):
        out += struct.pack("<4I", *masks)
        out += struct.pack("<I", color_space) + bytes(48)
        out += struct.pack("<4I", intent, profile[0], profile[1], 0)
    return out[:size].ljust(size, b"\0")


def table(palette, entry=4):
    return b"".join(bytes([int(b), int(g), int(r)]) + b"\0" * (entry - 3) for r, g, b in palette)


def rows(samples, bits, top_down=False):
    """Rows of packed pixel values, each padded to 4 bytes; bottom row first."""
    out = []
    for row in samples:
        if bits in (1, 2, 4):
            value = "".join(format(int(v), f"0{bits}b") for v in row)
            value += "0" * (-len(value) % 8)
            data = int(value, 2).to_bytes(len(value) // 8, "big")
        elif bits == 24:
            data = np.asarray(row)[:, [2, 1, 0]].astype(np.uint8).tobytes()
        else:
            data = np.asarray(row).astype(f"<u{bits // 8}").tobytes()
        out.append(data + b"\0" * (-len(data) % 4))
    return b"".join(out if top_down else out[::-1])


def bmp(header, data, palette=b"", *, behind=b"", gap=b"", offset=None, file_size=None, magic=b"BM"):
    """`behind`: masks behind the header; `gap`: bytes between palette and pixels."""
    start = 14 + len(header) + len(behind) + len(palette) + len(gap)
    total = start + len(data)
    head = magic + struct.pack(
        "<IHHI", total if file_size is None else file_size, 0, 0, start if offset is None else offset
    )
    return head + header + behind + palette + gap + data


def pixel(values, masks):
    """Channel values of any width put where the masks say."""
    out = np.zeros(values.shape[:2], np.uint64)
    for channel, mask in enumerate(masks):
        if mask:
            shift = (mask & -mask).bit_length() - 1
            out |= values[:, :, channel].astype(np.uint64) << np.uint64(shift)
    return out
