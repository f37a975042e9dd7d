"""A TIFF encoder that does exactly what it is told: either byte order, classic or BigTIFF, any depth,
strips or tiles, planes together or apart. Kinds of compression that need a library go through libtiff
itself, driven by ctypes."""

import ctypes
import ctypes.util
import os
import struct
import tempfile
import zlib

import numpy as np

BYTE, ASCII, SHORT, LONG, RATIONAL, UNDEFINED, DOUBLE, LONG8 = 1, 2, 3, 4, 5, 7, 12, 16
SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 11: 4, 12: 8, 13: 4, 16: 8}
CODES = {1: "B", 3: "H", 4: "I", 6: "b", 8: "h", 9: "i", 11: "f", 12: "d", 13: "I", 16: "Q"}


# ---------------------------------------------------------------- compression


def packbits(data):
    out, at = bytearray(), 0
    while at < len(data):
        run = 1
        while at + run < len(data) and run < 128 and data[at + run] == data[at]:
            run += 1
        if run > 1:
            out += bytes([257 - run, data[at]])
            at += run
            continue
        stop = at + 1
        while stop < len(data) and stop - at < 128 and (stop + 1 >= len(data) or data[stop] != data[stop + 1]):
            stop += 1
        out += bytes([stop - at - 1]) + data[at:stop]
        at = stop
    return bytes(out)


def lzw(data, old=False):
    """TIFF 6.0 section 13; `old`: bits from the low end and code width changed late, as before 1987."""
    codes, table, prefix = [(256, 9)], {bytes([i]): i for i in range(256)}, b""
    free, width = 258, 9
    for byte in data:
        longer = prefix + bytes([byte])
        if longer in table:
            prefix = longer
            continue
        codes.append((table[prefix], width))
        table[longer] = free
        free += 1
        if free + (not old) > 1 << width:
            width += 1
        if free >= 4093:
            codes.append((256, min(width, 12)))
            table = {bytes([i]): i for i in range(256)}
            free, width = 258, 9
        prefix = bytes([byte])
    if prefix:
        codes.append((table[prefix], width))
        free += 1
        if free + (not old) > 1 << width:
            width += 1
    codes.append((257, min(width, 12)))
    value = count = 0
    if old:
        for code, n in codes:
            value |= code << count
            count += n
        return value.to_bytes((count + 7) // 8, "little")
    for code, n in codes:
        value = value << n | code
        count += n
    pad = -count % 8
    return (value << pad).to_bytes((count + pad) // 8, "big")


def thunder(data, width):
    """ThunderScan, every pixel a raw code; data has two pixels a byte, rows are whole bytes."""
    stride = (width + 1) // 2
    out = b""
    for at in range(0, len(data), stride):
        row = data[at : at + stride]
        pixels = [v for b in row for v in (b >> 4, b & 15)][:width]
        out += bytes(0xC0 | p for p in pixels)
    return out


def next_rle(data, width):
    """NeXT 2-bit, every row a literal one."""
    stride = (width * 2 + 7) // 8
    return b"".join(b"\0" + data[at : at + stride] for at in range(0, len(data), stride))


def by_rows(encode):
    """PackBits packs each row by itself."""
    return lambda data, width, stride: b"".join(encode(data[i : i + stride]) for i in range(0, len(data), stride))


COMPRESS = {
    1: lambda d, w, s: d,
    5: lambda d, w, s: lzw(d),
    "old-lzw": lambda d, w, s: lzw(d, old=True),
    8: lambda d, w, s: zlib.compress(d, 9),
    32946: lambda d, w, s: zlib.compress(d, 9),
    32773: by_rows(packbits),
    32766: lambda d, w, s: next_rle(d, w),
    32809: lambda d, w, s: thunder(d, w),
}


# ---------------------------------------------------------------- samples to bytes


def pack_row(row, bits, endian, kind="u"):
    """One row of samples, flat."""
    if kind == "f":
        if bits == 24:  # 1 + 7 + 16 bits (Photoshop TIFF Technical Note 3)
            whole = b"".join(half24(float(v)) for v in row)
            return whole if endian == ">" else b"".join(whole[i : i + 3][::-1] for i in range(0, len(whole), 3))
        return np.asarray(row).astype(f"{endian}f{bits // 8}").tobytes()
    if bits in (8, 16, 32, 64):
        return np.asarray(row).astype(np.uint64).astype(f"{endian}u{bits // 8}").tobytes()
    if bits == 24:
        order = "big" if endian == ">" else "little"
        return b"".join(int(v).to_bytes(3, order) for v in row)
    value = 0
    for v in row:
        value = value << bits | int(v)
    pad = -len(row) * bits % 8
    return (value << pad).to_bytes((len(row) * bits + pad) // 8, "big")


def half24(v):
    if v <= 0:
        return b"\0\0\0"
    exponent = int(np.floor(np.log2(v)))
    mantissa = int(v / 2.0**exponent * 65536 + 0.5) - 65536
    return ((exponent + 63) << 16 | mantissa).to_bytes(3, "big")


def difference(part, bits):
    """Predictor 2 over (rows, columns, samples)."""
    out = part.astype(object).copy()
    out[:, 1:] = (part[:, 1:].astype(object) - part[:, :-1].astype(object)) % (1 << bits)
    return out


def float_predictor(row, bits, samples):
    """Predictor 3 over one flat row: bytes by significance, then differences."""
    raw = np.frombuffer(np.asarray(row).astype(f">f{bits // 8}").tobytes(), np.uint8).reshape(-1, bits // 8)
    flat = raw.T.reshape(-1).astype(int)
    out = flat.copy()
    out[samples:] = (flat[samples:] - flat[:-samples]) % 256
    return bytes(out.tolist())


def reverse_bits(data):
    return bytes(int(f"{b:08b}"[::-1], 2) for b in data)


class Page:
    """One IFD. `tags`: number -> (type, values) and may replace or (value None) remove any tag."""

    def __init__(
        self,
        samples,
        bits=8,
        photometric=1,
        *,
        kind="u",
        compression=1,
        planar=1,
        rows=None,
        tile=None,
        predictor=1,
        extra=None,
        fill_order=1,
        endian="<",
        tags=None,
        colormap=None,
        segments=None,
        width=None,
        height=None,
        sub=(),
    ):
        samples = np.asarray(samples)
        if samples.ndim == 2:
            samples = samples[:, :, None]
        self.endian, self.sub = endian, list(sub)
        h, w, n = samples.shape
        self.bits, self.kind, self.predictor = bits, kind, predictor
        self.compression, self.fill_order = compression, fill_order
        self.tags = {}
        self.set(256, SHORT, width or w)
        self.set(257, SHORT, height or h)
        self.set(258, SHORT, *[bits] * n)
        self.set(259, SHORT, 5 if compression == "old-lzw" else compression)
        self.set(262, SHORT, photometric)
        self.set(277, SHORT, n)
        if planar != 1:
            self.set(284, SHORT, planar)
        if predictor != 1:
            self.set(317, SHORT, predictor)
        if kind != "u":
            self.set(339, SHORT, *[{"i": 2, "f": 3}[kind]] * n)
        if extra is not None:
            self.set(338, SHORT, *extra)
        if fill_order != 1:
            self.set(266, SHORT, fill_order)
        if colormap is not None:
            self.set(320, SHORT, *colormap)
        self.segments = []
        planes = [samples[:, :, i : i + 1] for i in range(n)] if planar == 2 else [samples]
        if tile:
            tw, th = tile
            self.set(322, SHORT, tw)
            self.set(323, SHORT, th)
            for plane in planes:
                for y in range(0, h, th):
                    for x in range(0, w, tw):
                        full = np.zeros((th, tw, plane.shape[2]), plane.dtype)
                        part = plane[y : y + th, x : x + tw]
                        full[: part.shape[0], : part.shape[1]] = part
                        self.segments.append(self.encode(full))
        else:
            rows = rows or h
            self.set(278, SHORT, min(rows, 65535))
            for plane in planes:
                self.segments += [self.encode(plane[y : y + rows]) for y in range(0, h, rows)]
        if segments is not None:
            self.segments = list(segments)
        self.tiled = bool(tile)
        self.extra_tags = tags or {}

    def set(self, tag, kind, *values):
        self.tags[tag] = (kind, list(values))

    def encode(self, part):
        h, w, n = part.shape
        if self.predictor == 2:
            part = difference(part, self.bits)
        rows = []
        for row in part.reshape(h, w * n):
            if self.predictor == 3:
                rows.append(float_predictor(row, self.bits, n))
            else:
                rows.append(pack_row(row, self.bits, self.endian, self.kind))
        data = COMPRESS[self.compression](b"".join(rows), w, len(rows[0]) if rows else 0)
        return reverse_bits(data) if self.fill_order == 2 and self.compression == 1 else data


def tiff(pages, big=False, edit=None, next_offset=0):
    """`edit(tags, offsets, counts)` may change a page's tags once the places of the segments are known."""
    pages = pages if isinstance(pages, list) else [pages]
    endian = pages[0].endian
    word = "Q" if big else "I"
    out = bytearray((b"II" if endian == "<" else b"MM") + struct.pack(endian + "H", 43 if big else 42))
    out += struct.pack(endian + "HHQ", 8, 0, 0) if big else struct.pack(endian + "I", 0)
    link = 8 if big else 4  # where the offset of the next IFD goes

    def values(kind, items):
        if kind in (ASCII, UNDEFINED) and isinstance(items[0], bytes):
            return len(items[0]), items[0]
        if kind == RATIONAL:
            return len(items), b"".join(struct.pack(endian + "II", *v) for v in items)
        return len(items), struct.pack(endian + str(len(items)) + CODES[kind], *items)

    def write_page(page, link):
        offsets = []
        for segment in page.segments:
            offsets.append(len(out))
            out.extend(segment)
            if len(out) % 2:
                out.append(0)
        counts = [len(s) for s in page.segments]
        kind = LONG8 if big else LONG
        tags = dict(page.tags)
        tags[324 if page.tiled else 273] = (kind, offsets)
        tags[325 if page.tiled else 279] = (kind, counts)
        if page.sub:
            tags[330] = (kind, [0] * len(page.sub))
        tags.update(page.extra_tags)
        if edit:
            edit(tags, offsets, counts)
        tags = {t: v for t, v in tags.items() if v is not None}
        here = len(out)
        struct.pack_into(endian + word, out, link, here)
        entry = 20 if big else 12
        end = here + (8 if big else 2) + entry * len(tags) + (8 if big else 4)
        table, body, fields = b"", b"", {}
        for tag in sorted(tags):
            count, data = values(*tags[tag])
            fields[tag] = here + (8 if big else 2) + len(table) + (12 if big else 8)
            table += struct.pack(endian + ("HHQ" if big else "HHI"), tag, tags[tag][0], count)
            if len(data) <= (8 if big else 4):
                table += data.ljust(8 if big else 4, b"\0")
            else:
                if tag == 330:
                    fields[tag] = end + len(body)
                table += struct.pack(endian + word, end + len(body))
                body += data + b"\0" * (len(data) % 2)
        out.extend(struct.pack(endian + ("Q" if big else "H"), len(tags)) + table)
        next_link = len(out)
        out.extend(struct.pack(endian + word, next_offset) + body)
        for i, sub in enumerate(page.sub):
            write_page(sub, fields[330] + i * (8 if big else 4))
        return next_link

    for page in pages:
        link = write_page(page, link)
    return bytes(out)


# ---------------------------------------------------------------- through libtiff

_library = None


def library():
    global _library
    if _library is None:
        _library = ctypes.CDLL(ctypes.util.find_library("tiff") or "libtiff.so.6")
        _library.TIFFOpen.restype = ctypes.c_void_p
        _library.TIFFWriteEncodedStrip.argtypes = [
            ctypes.c_void_p,
            ctypes.c_uint32,
            ctypes.c_char_p,
            ctypes.c_ssize_t,
        ]
        _library.TIFFWriteEncodedTile.argtypes = [ctypes.c_void_p, ctypes.c_uint32, ctypes.c_char_p, ctypes.c_ssize_t]
        _library.TIFFClose.argtypes = [ctypes.c_void_p]
    return _library


def by_libtiff(segments, fields, mode="wl", tiled=False):
    """`fields`: (tag, value) in order; float values are passed as double. `segments`: unpacked strips or tiles."""
    lib = library()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.tif").encode()
        handle = ctypes.c_void_p(lib.TIFFOpen(path, mode.encode()))
        assert handle, "TIFFOpen"
        for tag, value in fields:
            if isinstance(value, tuple):
                array = (ctypes.c_uint16 * len(value))(*value)
                arguments = [ctypes.c_uint16(len(value)), array]
            else:
                arguments = [ctypes.c_double(value) if isinstance(value, float) else ctypes.c_uint32(value)]
            assert lib.TIFFSetField(handle, ctypes.c_uint32(tag), *arguments) == 1, f"tag {tag}"
        write = lib.TIFFWriteEncodedTile if tiled else lib.TIFFWriteEncodedStrip
        for n, data in enumerate(segments):
            assert write(handle, n, bytes(data), len(data)) >= 0, f"segment {n}"
        lib.TIFFClose(handle)
        return open(path, "rb").read()
