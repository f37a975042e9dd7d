"""BMP fixtures: every header, depth and mask, run-length codes, embedded pictures and wrong numbers."""

import struct

import numpy as np

import icc
from bmpwriter import bmp, dib, pixel, rows, table
from jpeg import djpeg
from jpegwriter import colour, jpeg
from png import palette_of
from pngwriter import png
from suite import keep_rows, pattern, rgba, smooth, to8

W, H = 13, 9
BITFIELDS, ALPHABITFIELDS = 3, 6


def add(suite, name, data, pixels, note, **fields):
    suite.ok(f"bmp/{name}.bmp", data, pixels, note, **fields)


def upside(pixels, kept):
    """Bottom-up files lose their upper rows."""
    out = np.array(pixels)
    out[: len(out) - kept] = 0
    return out


def headers(suite):
    rgb = pattern(W, H, 3, 8)
    index = pattern(W, H, 1, 8)[:, :, 0] % 40
    table_40 = palette_of(40)
    for size in (12, 16, 20, 24, 36, 40, 52, 56, 60, 64, 108, 124):
        kind = {12: "OS/2 1.x", 40: "Windows 3", 52: "V2", 56: "V3", 108: "V4", 124: "V5"}.get(size, "OS/2 2.x")
        rare = "maker" if size not in (12, 40, 108, 124, 64) else None
        add(
            suite,
            f"header-{size}-rgb24",
            bmp(dib(size, W, H, 24), rows(rgb, 24)),
            rgba(rgb),
            f"{kind}, {size} bytes, 24 bits",
            oracle=rare,
        )
        colors = 40 if size >= 36 else 0
        palette = table_40 if colors else palette_of(256)
        shown = rgba(palette[index])
        add(
            suite,
            f"header-{size}-palette8",
            bmp(dib(size, W, H, 8, colors=colors), rows(index, 8), table(palette, 3 if size == 12 else 4)),
            shown,
            f"{kind}, {size} bytes, palette of {len(palette)}",
            oracle=rare,
        )


def palettes(suite):
    for bits in (1, 2, 4, 8):
        count = 1 << bits
        index = pattern(W, H, 1, bits)[:, :, 0]
        palette = palette_of(count)
        for top in (False, True):
            add(
                suite,
                f"palette{bits}{'-top-down' if top else ''}",
                bmp(dib(40, W, -H if top else H, bits), rows(index, bits, top), table(palette)),
                rgba(palette[index]),
                f"{bits} bits" + (", first row on top" if top else ""),
                oracle="maker" if bits == 2 else None,
            )
    for w in (1, 2, 7, 8, 9, 31, 32, 33):
        index = pattern(w, 3, 1, 1)[:, :, 0]
        add(
            suite,
            f"palette1-width-{w}",
            bmp(dib(40, w, 3, 1), rows(index, 1), table(palette_of(2))),
            rgba(palette_of(2)[index]),
            "padding of 1-bit rows",
        )
    for w in (1, 2, 3, 4, 5):
        rgb = pattern(w, 2, 3, 8)
        add(suite, f"rgb24-width-{w}", bmp(dib(40, w, 2, 24), rows(rgb, 24)), rgba(rgb), "padding of 24-bit rows")
    index = pattern(W, H, 1, 4)[:, :, 0]
    short = np.concatenate([palette_of(5), np.zeros((11, 3), np.uint8)])
    add(
        suite,
        "palette4-short",
        bmp(dib(40, W, H, 4, colors=5), rows(index, 4), table(palette_of(5))),
        rgba(short[index]),
        "five entries; indexes above are opaque black",
        status="corrupt",
        oracle="maker",
    )
    add(
        suite,
        "palette4-short-in-range",
        bmp(dib(40, W, H, 4, colors=5), rows(index % 5, 4), table(palette_of(5))),
        rgba(short[index % 5]),
        "five entries, none out of range",
    )
    add(
        suite,
        "palette4-too-long",
        bmp(dib(40, W, H, 4, colors=300), rows(index, 4), table(palette_of(300))),
        rgba(palette_of(16)[index]),
        "300 entries for 4 bits: the rest is passed over",
        oracle="maker",
    )
    add(
        suite,
        "palette1-colours",
        bmp(dib(40, W, H, 1), rows(pattern(W, H, 1, 1)[:, :, 0], 1), table([(200, 10, 60), (0, 90, 250)])),
        rgba(np.array([(200, 10, 60), (0, 90, 250)])[pattern(W, H, 1, 1)[:, :, 0]]),
        "1 bit with two colours",
    )
    rgb = pattern(W, H, 3, 8)
    add(
        suite,
        "rgb24-with-palette",
        bmp(dib(40, W, H, 24, colors=7), rows(rgb, 24), table(palette_of(7))),
        rgba(rgb),
        "24 bits with a palette for poorer screens: passed over",
    )


def masks(suite):
    def fields(name, bits, mask, header, note, compression=BITFIELDS, width=W, seed=1, **options):
        widths = [bin(m).count("1") for m in mask]
        channels = [
            (
                pattern(width, H, 4, 16, seed)[:, :, i] >> (16 - n)
                if n and n <= 16
                else pattern(width, H, 1, 16, seed)[:, :, 0] * 0
            )
            for i, n in enumerate(widths)
        ]
        values = np.dstack(channels)
        out = np.dstack(
            [
                to8(values[:, :, i], n) if n else np.full(values.shape[:2], 255 if i == 3 else 0, np.uint8)
                for i, n in enumerate(widths)
            ]
        )
        alpha = bool(mask[3])
        inside = header >= 52
        behind = (
            b""
            if inside
            else struct.pack(
                "<4I" if compression == ALPHABITFIELDS else "<3I", *mask[: 4 if compression == ALPHABITFIELDS else 3]
            )
        )
        data = bmp(
            dib(header, width, H, bits, compression, masks=mask), rows(pixel(values, mask), bits), behind=behind
        )
        # Decoders scale fields in slightly different ways.
        suite.ok(f"bmp/{name}.bmp", data, out, note, alpha=alpha, oracle_tolerance=2, tolerance=1, **options)

    values = pattern(W, H, 3, 5)
    data = bmp(dib(40, W, H, 16), rows(pixel(values, (0x7C00, 0x3E0, 0x1F)), 16))
    add(
        suite,
        "rgb16-555",
        data,
        rgba(to8(values, 5)),
        "16 bits without masks: 5, 5 and 5",
        oracle_tolerance=2,
        tolerance=1,
    )
    add(
        suite,
        "rgb16-555-core",
        bmp(dib(12, W, H, 16), rows(pixel(values, (0x7C00, 0x3E0, 0x1F)), 16)),
        rgba(to8(values, 5)),
        "16 bits with an OS/2 1.x header",
        oracle="maker",
        tolerance=1,
    )
    for header in (40, 52, 56, 108, 124):
        fields(
            f"rgb16-565-header-{header}",
            16,
            (0xF800, 0x7E0, 0x1F, 0),
            header,
            f"5, 6, 5; header of {header} bytes",
            oracle="maker" if header == 52 else None,
        )
    fields("rgb16-555-masks", 16, (0x7C00, 0x3E0, 0x1F, 0), 40, "5, 5, 5 by masks")
    fields("rgb16-444", 16, (0xF00, 0xF0, 0xF, 0), 40, "4, 4, 4", oracle="maker")
    fields("rgba16-4444", 16, (0xF00, 0xF0, 0xF, 0xF000), 108, "4, 4, 4 and 4 of alpha", oracle="maker")
    fields("rgba16-5551", 16, (0x7C00, 0x3E0, 0x1F, 0x8000), 124, "5, 5, 5 and 1 of alpha", oracle="maker")
    fields("rgb16-332", 16, (0xE0, 0x1C, 0x3, 0), 40, "3, 3 and 2 bits", oracle="maker")
    fields("rgb16-bgr", 16, (0x1F, 0x7E0, 0xF800, 0), 40, "red and blue exchanged", oracle="maker")
    fields("rgb16-no-blue", 16, (0xF800, 0x7E0, 0, 0), 40, "blue mask 0: no blue", oracle="maker")
    fields("rgb16-1-bit-fields", 16, (0x4, 0x2, 0x1, 0), 40, "fields of one bit", oracle="maker")
    fields("rgb32-888", 32, (0xFF0000, 0xFF00, 0xFF, 0), 40, "8, 8, 8")
    fields("rgb32-bgr", 32, (0xFF, 0xFF00, 0xFF0000, 0), 40, "red and blue exchanged")
    fields("rgb32-shifted", 32, (0xFF000000, 0xFF0000, 0xFF00, 0), 40, "the lowest byte unused")
    fields("rgb32-101010", 32, (0x3FF00000, 0xFFC00, 0x3FF, 0), 40, "10, 10, 10", oracle="maker")
    fields(
        "rgba32-1010102",
        32,
        (0x3FF00000, 0xFFC00, 0x3FF, 0xC0000000),
        124,
        "10, 10, 10 and 2 of alpha",
        oracle="maker",
    )
    fields("rgb32-111110", 32, (0xFFE00000, 0x1FFC00, 0x3FF, 0), 40, "11, 11, 10", oracle="maker")
    fields("rgb32-16-bit-field", 32, (0xFFFF0000, 0xFF00, 0xFF, 0), 40, "16, 8 and 8 bits", oracle="maker")
    for header in (56, 108, 124):
        fields(
            f"rgba32-header-{header}",
            32,
            (0xFF0000, 0xFF00, 0xFF, 0xFF000000),
            header,
            f"alpha mask; header of {header} bytes",
            oracle="maker" if header == 56 else None,
        )
    fields("rgba32-rgba-order", 32, (0xFF, 0xFF00, 0xFF0000, 0xFF000000), 124, "R, G, B, A in this order")
    fields(
        "rgba32-alphabitfields",
        32,
        (0xFF0000, 0xFF00, 0xFF, 0xFF000000),
        40,
        "BI_ALPHABITFIELDS of Windows CE: four masks behind the header",
        compression=ALPHABITFIELDS,
        oracle="maker",
    )
    fields(
        "rgba16-alphabitfields",
        16,
        (0xF00, 0xF0, 0xF, 0xF000),
        40,
        "BI_ALPHABITFIELDS, 16 bits",
        compression=ALPHABITFIELDS,
        oracle="maker",
    )
    four = pattern(W, H, 4, 8)
    packed = pixel(four, (0xFF0000, 0xFF00, 0xFF, 0xFF000000))
    add(
        suite,
        "rgb32-opaque",
        bmp(dib(40, W, H, 32), rows(packed, 32)),
        rgba(four[:, :, :3]),
        "32 bits without masks: the fourth byte is not alpha",
        oracle="maker",
    )
    add(
        suite,
        "rgb32-opaque-top-down",
        bmp(dib(40, W, -H, 32), rows(packed, 32, True)),
        rgba(four[:, :, :3]),
        "the same, first row on top",
        oracle="maker",
    )
    clear = four.copy()
    clear[:, :, 3] = 0
    opaque = clear.copy()
    opaque[:, :, 3] = 255
    add(
        suite,
        "rgba32-all-transparent",
        bmp(
            dib(124, W, H, 32, BITFIELDS, masks=(0xFF0000, 0xFF00, 0xFF, 0xFF000000)),
            rows(pixel(clear, (0xFF0000, 0xFF00, 0xFF, 0xFF000000)), 32),
        ),
        opaque,
        "alpha mask, alpha 0 everywhere: opaque",
        oracle="maker",
    )
    rgb = pattern(W, H, 3, 8)
    add(suite, "rgb24-top-down", bmp(dib(40, W, -H, 24), rows(rgb, 24, True)), rgba(rgb), "24 bits, first row on top")


def encode_runs(index, bits, top_down=False, absolute=True):
    """RLE4 or RLE8 with runs, absolute stretches and end-of-row codes."""
    out = b""
    for row in (index if top_down else index[::-1]):
        at = 0
        while at < len(row):
            run = 1
            while at + run < len(row) and row[at + run] == row[at] and run < 255:
                run += 1
            if run >= 3 or not absolute or len(row) - at < 3:
                v = int(row[at])
                out += bytes([run, v << 4 | v if bits == 4 else v])
                at += run
                continue
            stop = min(len(row), at + 7)
            n = stop - at
            values = [int(v) for v in row[at:stop]]
            if bits == 4:
                values += [0] * (n % 2)
                data = bytes(a << 4 | b for a, b in zip(values[::2], values[1::2]))
            else:
                data = bytes(values)
            out += bytes([0, n]) + data + b"\0" * (len(data) % 2)
            at = stop
        out += b"\0\0"
    return out[:-2] + b"\0\1"


def run_lengths(suite):
    for bits in (4, 8):
        index = np.repeat(pattern(7, H, 1, bits, 3)[:, :, 0] % 16, [1, 4, 1, 1, 3, 1, 2], axis=1)
        w = index.shape[1]
        palette = palette_of(16)
        shown = rgba(palette[index])
        method = 2 if bits == 4 else 1
        file = lambda data, height=H, header=40: bmp(
            dib(header, w, height, bits, method, len(data), 16), data, table(palette)
        )
        add(
            suite,
            f"rle{bits}",
            file(encode_runs(index, bits)),
            shown,
            f"RLE{bits}: runs and absolute stretches",
            alpha=True,
        )
        add(
            suite,
            f"rle{bits}-runs-only",
            file(encode_runs(index, bits, absolute=False)),
            shown,
            f"RLE{bits}: runs only",
            alpha=True,
        )
        add(
            suite,
            f"rle{bits}-top-down",
            file(encode_runs(index, bits, True), -H),
            shown,
            f"RLE{bits}, first row on top (not allowed, but seen)",
            alpha=True,
            oracle="maker",
        )
        add(
            suite,
            f"rle{bits}-no-end-code",
            file(encode_runs(index, bits)[:-2]),
            shown,
            f"RLE{bits} without an end code behind the last row: a remark",
            alpha=True,
            oracle="maker",
        )
        add(
            suite,
            f"rle{bits}-os2",
            file(encode_runs(index, bits), header=64),
            shown,
            f"RLE{bits} with an OS/2 2.x header",
            alpha=True,
            oracle="maker",
        )
        v = lambda i: i << 4 | i if bits == 4 else i
        # 6 x 5, bottom row first: a run, a delta, an early end of row, an early end of picture.
        codes = bytes([6, v(1), 0, 0, 2, v(2), 0, 2, 1, 1, 2, v(3), 0, 0, 3, v(4), 0, 1])
        small = np.zeros((5, 6, 4), np.uint8)
        put = lambda y, x, n, i: small.__setitem__((4 - y, slice(x, x + n)), (*palette[i], 255))
        put(0, 0, 6, 1), put(1, 0, 2, 2), put(2, 3, 2, 3), put(3, 0, 3, 4)
        add(
            suite,
            f"rle{bits}-delta",
            bmp(dib(40, 6, 5, bits, method, len(codes), 16), codes, table(palette)),
            small,
            f"RLE{bits}: delta, early end of row and of picture; what is skipped is transparent",
            alpha=True,
            oracle="maker",
        )
        codes = bytes([6, v(1), 0, 0, 6, v(2), 0, 0, 6, v(3), 0, 0, 3, v(4)])
        small = np.zeros((5, 6, 4), np.uint8)
        put(0, 0, 6, 1), put(1, 0, 6, 2), put(2, 0, 6, 3), put(3, 0, 3, 4)
        add(
            suite,
            f"rle{bits}-truncated",
            bmp(dib(40, 6, 5, bits, method, len(codes), 16), codes, table(palette)),
            small,
            f"RLE{bits}, the file ends in the fourth row",
            alpha=True,
            oracle="maker",
            status="truncated",
            rows=3,
        )
        codes = bytes([6, v(1), 0, 0, 9, v(2), 0, 0, 6, v(3), 0, 0, 6, v(4), 0, 0, 6, v(5), 0, 1])
        small = np.zeros((5, 6, 4), np.uint8)
        for y in range(5):
            put(y, 0, 6, y + 1)
        add(
            suite,
            f"rle{bits}-run-too-long",
            bmp(dib(40, 6, 5, bits, method, len(codes), 16), codes, table(palette)),
            small,
            f"RLE{bits}, a run leaves its row: cut there",
            alpha=True,
            oracle="maker",
            status="corrupt",
        )
    codes = bytes([5, 0x12, 0, 0, 0, 5, 0x34, 0x56, 0x70, 0, 0, 1])
    small = np.array([[3, 4, 5, 6, 7], [1, 2, 1, 2, 1]])
    add(
        suite,
        "rle4-two-colours",
        bmp(dib(40, 5, 2, 4, 2, len(codes), 16), codes, table(palette)),
        rgba(palette[small]),
        "RLE4: a run of two colours in turn, five absolute pixels",
        alpha=True,
    )
    rgb = np.repeat(pattern(5, 4, 3, 8), 3, axis=1)
    codes = b""
    for row in rgb[::-1]:
        for x in range(0, 12, 3):
            codes += bytes([3, int(row[x, 2]), int(row[x, 1]), int(row[x, 0])])
        codes += b"\0\3" + row[12:15, [2, 1, 0]].astype(np.uint8).tobytes() + b"\0" + b"\0\0"
    codes = codes[:-2] + b"\0\1"
    add(
        suite,
        "rle24",
        bmp(dib(64, 15, 4, 24, 4, len(codes)), codes),
        rgba(rgb),
        "RLE24 of OS/2 2.x: runs and absolute stretches",
        alpha=True,
        oracle="maker",
    )


def embedded(suite):
    rgb = smooth(20, 14)
    stream = jpeg(colour(rgb))
    add(
        suite,
        "embedded-jpeg",
        bmp(dib(124, 20, 14, 0, 4, len(stream)), stream),
        djpeg(stream),
        "BI_JPEG",
        tolerance=2,
        oracle="djpeg",
    )
    picture = pattern(15, 11, 4, 8)
    stream = png(picture, 6, 8)
    add(
        suite,
        "embedded-png",
        bmp(dib(124, 15, 11, 0, 5, len(stream)), stream),
        rgba(picture),
        "BI_PNG with alpha",
        alpha=True,
        oracle="maker",
    )
    add(
        suite,
        "embedded-png-info",
        bmp(dib(40, 15, 11, 0, 5, len(stream)), stream),
        rgba(picture),
        "BI_PNG with a header of 40 bytes",
        alpha=True,
        oracle="maker",
    )


def odd(suite):
    rgb = pattern(W, H, 3, 8)
    data = rows(rgb, 24)
    exact = rgba(rgb)
    stride = len(data) // H
    add(suite, "file-size-0", bmp(dib(40, W, H, 24), data, file_size=0), exact, "file size 0 in the header: ignored")
    add(
        suite,
        "file-size-wrong",
        bmp(dib(40, W, H, 24), data, file_size=99999999),
        exact,
        "file size far too large: ignored",
        oracle="maker",
    )
    add(suite, "image-size-wrong", bmp(dib(40, W, H, 24, image_size=12345), data), exact, "image size wrong: ignored")
    add(
        suite,
        "offset-gap",
        bmp(dib(40, W, H, 24), data, gap=b"gap bytes"),
        exact,
        "nine bytes between header and pixels",
    )
    add(
        suite,
        "offset-zero",
        bmp(dib(40, W, H, 24), data, offset=0),
        exact,
        "pixel offset 0: pixels start behind the headers",
        status="corrupt",
        oracle="maker",
    )
    add(
        suite,
        "offset-in-header",
        bmp(dib(40, W, H, 24), data, offset=20),
        exact,
        "pixel offset inside the headers: pixels start behind them",
        status="corrupt",
        oracle="maker",
    )
    index = pattern(W, H, 1, 8, 3)[:, :, 0]
    colors = palette_of(256)
    add(
        suite,
        "offset-at-palette",
        bmp(dib(40, W, H, 8), rows(index, 8), table(colors), offset=54),
        rgba(colors[index]),
        "pixel offset behind the headers, where the palette lies: pixels start behind it",
        status="corrupt",
        oracle="maker",
    )
    runs = encode_runs(index, 8)
    add(
        suite,
        "offset-at-palette-rle8",
        bmp(dib(40, W, H, 8, 1, len(runs)), runs, table(colors), offset=54),
        rgba(colors[index]),
        "the same with run-length codes",
        alpha=True,
        status="corrupt",
        oracle="maker",
    )
    add(suite, "planes-0", bmp(dib(40, W, H, 24, planes=0), data), exact, "0 planes: ignored", oracle="maker")
    add(
        suite, "trailing-bytes", bmp(dib(40, W, H, 24), data) + b"trailing", exact, "bytes behind the pixels: ignored"
    )
    add(
        suite,
        "no-last-padding",
        bmp(dib(40, W, H, 24), data)[:-1],
        exact,
        "the padding of the last row is missing",
        oracle="maker",
    )
    for kept, extra in ((1, 0), (5, 0), (6, 17)):
        add(
            suite,
            f"truncated-{kept}-rows{'-and-a-bit' if extra else ''}",
            bmp(dib(40, W, H, 24), data)[: 54 + kept * stride + extra],
            upside(exact, kept),
            "bottom-up, the file ends: the lowest rows are there",
            status="truncated",
            rows=kept,
            oracle="maker",
        )
    add(
        suite,
        "truncated-top-down",
        bmp(dib(40, W, -H, 24), rows(rgb, 24, True))[: 54 + 4 * stride],
        keep_rows(exact, 4),
        "top-down, the file ends behind row 3",
        status="truncated",
        rows=4,
        oracle="maker",
    )
    swapped = icc.swapped_profile()
    path = "bmp/v5-icc.bmp"
    head = dib(124, W, H, 24, color_space=0x4D424544, profile=(124 + len(data), len(swapped)))
    suite.ok(
        path,
        bmp(head, data) + swapped,
        exact,
        "V5 with an embedded profile: reported, not converted",
        display=suite.display(path, exact),
    )
    path = "bmp/v5-linked-profile.bmp"
    link = b"C:\\profiles\\x.icc\0"
    head = dib(124, W, H, 24, color_space=0x4C494E4B, profile=(124 + len(data), len(link)))
    suite.ok(
        path,
        bmp(head, data) + link,
        exact,
        "V5 with a linked profile: never followed",
        display=suite.display(path, exact),
    )
    path = "bmp/v4-calibrated.bmp"
    head = bytearray(dib(108, W, H, 24, color_space=0))
    head[60:96] = struct.pack(
        "<9i", *[int(v * (1 << 30)) for v in (0.68, 0.32, 0, 0.26, 0.69, 0.05, 0.15, 0.06, 0.79)]
    )
    head[96:108] = struct.pack("<3I", 65536, 65536, 65536)
    suite.ok(
        path,
        bmp(bytes(head), data),
        exact,
        "V4 with calibrated primaries: reported, not converted",
        display=suite.display(path, exact),
    )
    big = pattern(300, 2, 1, 8)[:, :, 0]
    add(
        suite,
        "palette8-wide",
        bmp(dib(40, 300, 2, 8), rows(big, 8), table(palette_of(256))),
        rgba(palette_of(256)[big]),
        "rows of 300 pixels",
    )


def make(suite):
    suite.script = "bmp.py"
    for part in (headers, palettes, masks, run_lengths, embedded, odd):
        part(suite)
