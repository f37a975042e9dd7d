"""A PNG encoder that does exactly what it is told: any filter, chunk, checksum or order."""

import struct
import zlib

import numpy as np

SIGNATURE = b"\x89PNG\r\n\x1a\n"
CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
ADAM7 = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]


def chunk(kind, data=b"", crc=None):
    kind = kind if isinstance(kind, bytes) else kind.encode("ascii")
    if crc is None:
        crc = zlib.crc32(kind + data)
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", crc & 0xFFFFFFFF)


def ihdr(width, height, depth, colour, interlace=0, compression=0, filter_method=0):
    return struct.pack(">IIBBBBB", width, height, depth, colour, compression, filter_method, interlace)


def pack(samples, depth):
    """(h, w, c) samples as rows of bytes, most significant bit first."""
    h, w, c = samples.shape
    flat = samples.reshape(h, w * c)
    if depth == 16:
        return [row.astype(">u2").tobytes() for row in flat]
    if depth == 8:
        return [row.astype(np.uint8).tobytes() for row in flat]
    bits = (flat[:, :, None] >> np.arange(depth - 1, -1, -1)) & 1
    return [row.tobytes() for row in np.packbits(bits.reshape(h, -1).astype(np.uint8), axis=1)]


def paeth(a, b, c):
    p = a + b - c
    pa, pb, pc = abs(p - a), abs(p - b), abs(p - c)
    return a if pa <= pb and pa <= pc else b if pb <= pc else c


def filtered(row, above, kind, bpp):
    out = bytearray([kind])
    for i, v in enumerate(row):
        a = row[i - bpp] if i >= bpp else 0
        b = above[i]
        c = above[i - bpp] if i >= bpp else 0
        out.append((v - (0, a, b, (a + b) // 2, paeth(a, b, c))[kind if kind < 5 else 0]) & 255)
    return bytes(out)


def scanlines(samples, depth, filters=0):
    """Filter bytes and rows. `filters`: one number, or a list used in turn."""
    rows = pack(samples, depth)
    bpp = max(1, depth * samples.shape[2] // 8)
    kinds = filters if isinstance(filters, (list, tuple)) else [filters]
    above, out = bytes(len(rows[0])) if rows else b"", []
    for y, row in enumerate(rows):
        out.append(filtered(row, above, kinds[y % len(kinds)], bpp))
        above = row
    return out


def image_data(samples, depth, interlace=False, filters=0):
    if not interlace:
        return b"".join(scanlines(samples, depth, filters))
    out = b""
    for x0, y0, dx, dy in ADAM7:
        part = samples[y0::dy, x0::dx]
        if part.size:
            out += b"".join(scanlines(part, depth, filters))
    return out


def deflate(raw, level=9, strategy=zlib.Z_DEFAULT_STRATEGY, window=15):
    z = zlib.compressobj(level, zlib.DEFLATED, window, 9, strategy)
    return z.compress(raw) + z.flush()


def stored_blocks(parts, final=True):
    """zlib stream of stored blocks, one a part: where each byte lies is then known."""
    out = b"\x78\x01"
    for i, part in enumerate(parts):
        last = final and i == len(parts) - 1
        out += struct.pack("<BHH", int(last), len(part), 0xFFFF ^ len(part)) + part
    return out + (struct.pack(">I", zlib.adler32(b"".join(parts))) if final else b"")


def idats(stream, sizes=None):
    """IDAT chunks; `sizes` are used in turn, None makes one chunk."""
    if sizes is None:
        return chunk("IDAT", stream)
    out, at, i = b"", 0, 0
    while at < len(stream):
        n = sizes[i % len(sizes)]
        out += chunk("IDAT", stream[at : at + n])
        at, i = at + n, i + 1
    return out


def png(
    samples,
    colour,
    depth,
    *,
    interlace=False,
    filters=0,
    palette=None,
    trns=None,
    before=b"",
    middle=b"",
    after=b"",
    stream=None,
    split=None,
    level=9,
    end=True,
    header=None
):
    """`before`: chunks ahead of PLTE; `middle`: between PLTE and IDAT; `after`: behind IDAT."""
    samples = np.asarray(samples)
    if samples.ndim == 2:
        samples = samples[:, :, None]
    h, w = samples.shape[:2]
    out = SIGNATURE + chunk("IHDR", header or ihdr(w, h, depth, colour, int(interlace))) + before
    if palette is not None:
        out += chunk("PLTE", bytes(np.asarray(palette, dtype=np.uint8).tobytes()))
    if trns is not None:
        out += chunk("tRNS", trns)
    if stream is None:
        stream = deflate(image_data(samples, depth, interlace, filters), level)
    out += middle + idats(stream, split) + after
    return out + chunk("IEND") if end else out
