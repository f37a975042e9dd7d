"""TIFF fixtures that tests damage: every compression in one strip, several strips, one tile and several
tiles. The directory is in front, so that a file that is cut still has it."""

import struct

import numpy as np

from suite import multiply, rgba, to8
from tiff import add
from tiff_packed import by_tiff2rgba
from tiffwriter import Page, by_libtiff, pack_row, tiff

WIDTH, HEIGHT = 64, 64
LAYOUTS = {"strip": None, "strips": 16, "tile": (64, 64), "tiles": (32, 32)}


def directory_first(data):
    """A little-endian classic TIFF of one page with its directory and values before the samples."""
    (start,) = struct.unpack_from("<I", data, 4)
    (count,) = struct.unpack_from("<H", data, start)
    sizes = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 7: 1, 11: 4, 12: 8}
    entries = {}
    for i in range(count):
        tag, kind, n = struct.unpack_from("<HHI", data, start + 2 + 12 * i)
        at = start + 2 + 12 * i + 8
        size = n * sizes[kind]
        if size > 4:
            (at,) = struct.unpack_from("<I", data, at)
        entries[tag] = [kind, n, data[at : at + size]]

    def numbers(tag):
        kind, n, value = entries[tag]
        return struct.unpack(f"<{n}{'H' if kind == 3 else 'I'}", value)

    offsets_tag = 324 if 324 in entries else 273
    sizes_tag = offsets_tag + (1 if offsets_tag == 324 else 6)
    segments = [data[o : o + n] for o, n in zip(numbers(offsets_tag), numbers(sizes_tag))]
    entries[offsets_tag] = [4, len(segments), bytes(4 * len(segments))]
    long = [tag for tag in entries if len(entries[tag][2]) > 4]
    end = 8 + 2 + 12 * len(entries) + 4
    places, at = {}, end
    for tag in long:
        places[tag] = at
        at += len(entries[tag][2]) + len(entries[tag][2]) % 2
    offsets = []
    for segment in segments:
        offsets.append(at)
        at += len(segment) + len(segment) % 2
    entries[offsets_tag][2] = struct.pack(f"<{len(offsets)}I", *offsets)
    out = bytearray(b"II*\0" + struct.pack("<IH", 8, len(entries)))
    for tag in sorted(entries):
        kind, n, value = entries[tag]
        out += struct.pack("<HHI", tag, kind, n)
        out += struct.pack("<I", places[tag]) if tag in places else value.ljust(4, b"\0")
    out += bytes(4)
    for part in [entries[tag][2] for tag in long] + segments:
        out += part + b"\0" * (len(part) % 2)
    return bytes(out)


def parts(samples, bits, layout):
    """Strips or tiles, and the fields that describe them."""
    high, wide = samples.shape[:2]
    size = LAYOUTS[layout]

    def packed(part):
        return b"".join(pack_row(row.reshape(-1), bits, "<") for row in part)

    if isinstance(size, tuple):
        across, down = min(size[0], wide), size[1]
        if wide > WIDTH:  # 1-bit pages are twice as wide
            across = size[0] * 2
        corners = [(x, y) for y in range(0, high, down) for x in range(0, wide, across)]
        pieces = [packed(samples[y : y + down, x : x + across]) for x, y in corners]
        return pieces, [(322, across), (323, down)], True
    rows = size or high
    return [packed(samples[y : y + rows]) for y in range(0, high, rows)], [(278, rows)], False


def written(samples, bits, photometric, code, layout, *more):
    pieces, place, tiled = parts(samples, bits, layout)
    high, wide, count = samples.shape
    fields = [(256, wide), (257, high), (258, bits), (277, count), (262, photometric), (284, 1)] + place
    return by_libtiff(pieces, fields + [(259, code)] + list(more), tiled=tiled)


def own(samples, bits, photometric, layout, compression, **more):
    size = LAYOUTS[layout]
    place = {"tile": size} if isinstance(size, tuple) else {"rows": size}
    return tiff(Page(samples, bits, photometric, compression=compression, **place, **more))


def texture(channels, bits):
    """Slopes with noise in the lower half of the bits: no row is like another and none packs away."""
    y, x, c = np.mgrid[0:HEIGHT, 0:WIDTH, 0:channels].astype(np.int64)
    place = (y * WIDTH + x) * channels + c
    noise = (place * place * 40503 + place * 1103515245 + 12345) % (1 << 31) >> 13
    slope = (x * 2 + y * (2 + c)) % 256
    return ((slope & 0xF0) | (noise & 0x0F)) >> (8 - bits)


def line_art():
    """1-bit text-like marks, twice as wide as high, a few runs in every row."""
    y, x = np.mgrid[0:HEIGHT, 0 : WIDTH * 2]
    marks = ((x * 3 + y * 5) % 23 < 7) ^ ((x + y * y) % 31 < 4)
    return marks.astype(np.uint32)[:, :, None]


def make(suite):
    suite.script = "tiff_damage.py"
    rgb, gray4, gray2, page = texture(3, 8), texture(1, 4), texture(1, 2), line_art()
    colours = rgb.astype(np.uint8)
    soft = np.clip(np.kron(colours[::8, ::8], np.ones((8, 8, 1))) // 2 + colours // 8 + 64, 0, 255).astype(np.uint8)
    for layout in LAYOUTS:
        what = layout.replace("strips", "4 strips").replace("tiles", "4 tiles")

        def put(name, data, pixels, **fields):
            comment = f"to be damaged: {name}, {what}"
            add(suite, f"damage-{name}-{layout}", directory_first(data), pixels, comment, **fields)

        for name, code, more in (
            ("none", 1, {}),
            ("packbits", 32773, {}),
            ("lzw", 5, {}),
            ("lzw-predictor", 5, {"predictor": 2}),
            ("lzw-old", "old-lzw", {}),
            ("deflate", 8, {}),
            ("deflate-32946", 32946, {}),
            ("deflate-predictor", 8, {"predictor": 2}),
        ):
            put(name, own(rgb, 8, 2, layout, code, **more), rgba(rgb))
        for name, code in (("zstd", 50000), ("lzma", 34925)):
            put(name, written(rgb, 8, 2, code, layout), rgba(rgb))
        if "tile" not in layout:  # libtiff reads no tiles of these
            put("thunderscan", own(gray4, 4, 1, layout, 32809), rgba(to8(gray4, 4)))
            put("next", own(gray2, 2, 1, layout, 32766), rgba(to8(gray2, 2)))
        for name, code, more in (
            ("ccitt-rle", 2, ()),
            ("g3-1d", 3, ((292, 0),)),
            ("g3-2d", 3, ((292, 1),)),
            ("g4", 4, ()),
        ):
            put(name, written(page, 1, 0, code, layout, *more), rgba(255 - page * 255))
        data = written(soft, 8, 6, 7, layout, (65538, 1))
        put("jpeg", data, by_tiff2rgba(data), tolerance=2, oracle="tiff2rgba")
        if "tile" not in layout:  # libtiff writes no tiles of these
            data = written(soft, 8, 2, 32909, layout, (65549, 0))
            put("pixarlog", data, by_tiff2rgba(data), tolerance=1, oracle="tiff2rgba")
            light = np.dstack([soft[:, :, 1], multiply(soft[:, :, 0], soft[:, :, 1]), soft[:, :, 2]]) / 255
            size = [light[y : y + (LAYOUTS[layout] or HEIGHT)] for y in range(0, HEIGHT, LAYOUTS[layout] or HEIGHT)]
            fields = [(256, WIDTH), (257, HEIGHT), (258, 32), (277, 3), (262, 32845), (284, 1)]
            fields += [(278, LAYOUTS[layout] or HEIGHT), (339, 3), (259, 34676), (65560, 0)]
            data = by_libtiff([part.astype("<f4").tobytes() for part in size], fields)
            put("sgilog", data, by_tiff2rgba(data), tolerance=2, oracle="tiff2rgba")
