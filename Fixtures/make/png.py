"""PNG fixtures: every colour type, depth, filter, interlace pattern and chunk we look at, and damage."""

import struct
import zlib

import numpy as np

import icc
from exif import exif
from pngwriter import (
    ADAM7,
    CHANNELS,
    SIGNATURE,
    chunk,
    deflate,
    idats,
    ihdr,
    image_data,
    png,
    scanlines,
    stored_blocks,
)
from suite import keep_rows, oriented, pattern, rgba, smooth, to8

NAMES = {0: "gray", 2: "rgb", 3: "palette", 4: "gray-alpha", 6: "rgba"}
DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}


def palette_of(count, seed=3):
    i = np.arange(count)
    return np.stack([(i * 37 + seed * 5) & 255, (i * 91 + 60) & 255, (255 - i * 53) & 255], axis=1).astype(np.uint8)


def shown(samples, colour, depth, palette=None, alpha=None):
    if colour == 3:
        table = np.full((256, 4), (0, 0, 0, 255), np.uint8)
        table[: len(palette), :3] = palette
        if alpha is not None:
            table[: len(alpha), 3] = alpha
        return table[np.asarray(samples)[:, :, 0]]
    return rgba(to8(samples, depth))


def colour_types(suite):
    for colour, name in NAMES.items():
        for depth in DEPTHS[colour]:
            for interlace in (False, True):
                w, h = (19, 13) if depth < 16 else (11, 9)
                samples = pattern(w, h, CHANNELS[colour], depth)
                palette = palette_of(1 << depth) if colour == 3 else None
                if colour == 3 and depth == 8:
                    samples = samples % 64
                    palette = palette_of(64)
                data = png(
                    samples,
                    colour,
                    depth,
                    interlace=interlace,
                    palette=palette,
                    filters=[0, 1, 2, 3, 4] if depth >= 8 and colour != 3 else 0,
                )
                suite.ok(
                    f"png/{name}{depth}{'-interlaced' if interlace else ''}.png",
                    data,
                    shown(samples, colour, depth, palette),
                    f"{name}, {depth} bits" + (", Adam7, 7 passes" if interlace else ""),
                    alpha=colour in (4, 6),
                    oracle_tolerance=1 if depth == 16 else 0,
                )


def filters(suite):
    for colour, depth in ((0, 8), (2, 8), (6, 8), (6, 16), (0, 1), (4, 8), (0, 16), (2, 16)):
        kinds = range(5) if (colour, depth) in ((0, 8), (2, 8), (6, 8)) else ()
        samples = pattern(17, 12, CHANNELS[colour], depth, seed=5)
        if depth == 16:
            samples = samples[:7, :10]
        common = dict(alpha=colour in (4, 6), oracle_tolerance=1 if depth == 16 else 0)
        for kind in kinds:
            suite.ok(
                f"png/filter-{('none', 'sub', 'up', 'average', 'paeth')[kind]}-{NAMES[colour]}{depth}.png",
                png(samples, colour, depth, filters=kind),
                shown(samples, colour, depth),
                f"every row with filter {kind}, the first included",
                **common,
            )
        suite.ok(
            f"png/filter-mixed-{NAMES[colour]}{depth}.png",
            png(samples, colour, depth, filters=[4, 3, 2, 1, 0, 3, 4]),
            shown(samples, colour, depth),
            "filters in turn, Paeth on the first row",
            **common,
        )
    samples = pattern(70, 3, 4, 8, seed=9)
    suite.ok(
        "png/filter-wide-rgba8.png",
        png(samples, 6, 8, filters=[4, 3, 1]),
        rgba(samples),
        "rows long enough for vector code with a tail",
        alpha=True,
    )
    samples = pattern(67, 4, 3, 8, seed=8)
    suite.ok(
        "png/filter-wide-rgb8.png",
        png(samples, 2, 8, filters=[3, 4, 1, 2]),
        rgba(samples),
        "rows long enough for vector code with a tail",
    )


def sizes(suite):
    for w, h in ((1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (1, 8), (8, 1), (5, 1), (9, 9), (1, 5)):
        samples = pattern(w, h, 3, 8, seed=w)
        suite.ok(
            f"png/interlaced-{w}x{h}.png",
            png(samples, 2, 8, interlace=True, filters=[1, 4]),
            rgba(samples),
            "Adam7 with empty passes",
        )
    for w in (1, 2, 3, 7, 8, 9, 15, 17, 33):
        samples = pattern(w, 2, 1, 1, seed=w)
        suite.ok(f"png/gray1-width-{w}.png", png(samples, 0, 1), shown(samples, 0, 1), "bits left over in a row")
    for w in (3, 5):
        samples = pattern(w, 3, 1, 2, seed=w)
        suite.ok(
            f"png/palette2-width-{w}.png",
            png(samples, 3, 2, palette=palette_of(4)),
            shown(samples, 3, 2, palette_of(4)),
            "bits left over in a row",
        )
    samples = pattern(3000, 1, 1, 8)
    suite.ok("png/row-3000.png", png(samples, 0, 8, filters=1), rgba(samples), "one long row")
    suite.ok(
        "png/column-1000.png",
        png(pattern(1, 1000, 1, 8), 0, 8, filters=2),
        rgba(pattern(1, 1000, 1, 8)),
        "one pixel wide",
    )
    tall = pattern(5, 200, 3, 8)
    suite.ok(
        "png/interlaced-5x200.png",
        png(tall, 2, 8, interlace=True, filters=4),
        rgba(tall),
        "interlaced and taller than a band of rows",
    )


def transparency(suite):
    for depth in (1, 2, 4, 8, 16):
        samples = pattern(13, 9, 1, depth, seed=2)
        key = int(samples[4, 4, 0])
        for interlace in (False, True) if depth in (4, 16) else (False,):
            data = png(samples, 0, depth, trns=struct.pack(">H", key), interlace=interlace)
            suite.ok(
                f"png/trns-gray{depth}{'-interlaced' if interlace else ''}.png",
                data,
                rgba(to8(samples, depth), np.where(samples[:, :, 0] == key, 0, 255)),
                "one gray value is transparent",
                alpha=True,
                oracle_tolerance=1 if depth == 16 else 0,
            )
    samples = pattern(13, 9, 1, 8, seed=2)
    key = int(samples[4, 4, 0])
    suite.ok(
        "png/trns-gray8-high-byte.png",
        png(samples, 0, 8, trns=struct.pack(">H", 0x5500 | key)),
        rgba(samples, np.where(samples[:, :, 0] == key, 0, 255)),
        "bits above the depth are ignored (PNG 11.3.2.1)",
        alpha=True,
    )
    for depth in (8, 16):
        samples = pattern(11, 9, 3, depth, seed=2)
        samples[3:5, 3:6] = samples[4, 4]
        samples[6, 6] = samples[4, 4]
        samples[6, 6, 2] ^= 1  # differs in the lowest bit only: opaque
        key = samples[4, 4]
        for interlace in (False, True):
            data = png(samples, 2, depth, trns=struct.pack(">3H", *key.tolist()), interlace=interlace)
            suite.ok(
                f"png/trns-rgb{depth}{'-interlaced' if interlace else ''}.png",
                data,
                rgba(to8(samples, depth), np.where((samples == key).all(axis=2), 0, 255)),
                "one colour is transparent; a neighbour differs in the lowest bit",
                alpha=True,
                oracle_tolerance=1 if depth == 16 else 0,
            )
    for depth in (1, 2, 4, 8):
        count = min(1 << depth, 40)
        samples = pattern(13, 9, 1, depth, seed=2) % count
        alpha = (np.arange(max(1, count - count // 4)) * 83 + 20) & 255
        for interlace in (False, True) if depth in (2, 8) else (False,):
            data = png(samples, 3, depth, palette=palette_of(count), trns=bytes(alpha.tolist()), interlace=interlace)
            suite.ok(
                f"png/trns-palette{depth}{'-interlaced' if interlace else ''}.png",
                data,
                shown(samples, 3, depth, palette_of(count), alpha),
                "alpha for the first palette entries",
                alpha=True,
            )
    samples = pattern(9, 9, 1, 4, seed=2)
    alpha = np.arange(16) * 17
    suite.ok(
        "png/trns-palette4-full.png",
        png(samples, 3, 4, palette=palette_of(16), trns=bytes(alpha.tolist())),
        shown(samples, 3, 4, palette_of(16), alpha),
        "alpha for all entries, 0 among them",
        alpha=True,
    )
    picture = pattern(9, 7, 4, 8, seed=3)
    picture[2:4, 2:5, 3] = 0
    suite.ok(
        "png/rgba8-colour-under-alpha-0.png",
        png(picture, 6, 8),
        rgba(picture),
        "colour is stored under alpha 0; not part of equality",
        alpha=True,
    )


def palettes(suite):
    samples = pattern(13, 9, 1, 8, seed=2) % 3
    suite.ok(
        "png/palette8-three-entries.png",
        png(samples, 3, 8, palette=palette_of(3)),
        shown(samples, 3, 8, palette_of(3)),
        "a palette shorter than the depth allows",
    )
    suite.ok(
        "png/palette8-256.png",
        png(pattern(16, 16, 1, 8), 3, 8, palette=palette_of(256)),
        shown(pattern(16, 16, 1, 8), 3, 8, palette_of(256)),
        "256 entries",
    )
    for depth, count in ((8, 5), (4, 5), (2, 3), (1, 1)):
        samples = pattern(13, 9, 1, depth, seed=2) % min(1 << depth, 9)
        suite.ok(
            f"png/palette{depth}-index-out-of-range.png",
            png(samples, 3, depth, palette=palette_of(count)),
            shown(samples, 3, depth, palette_of(count)),
            "indexes above the palette are opaque black",
            status="corrupt",
            oracle="maker",
        )
    rgb = pattern(9, 7, 3, 8)
    suite.ok(
        "png/rgb8-suggested-palette.png",
        png(rgb, 2, 8, palette=palette_of(7)),
        rgba(rgb),
        "PLTE in an RGB picture is only a suggestion",
    )


def streams(suite):
    rgb = pattern(15, 11, 3, 8, seed=4)
    raw = image_data(rgb, 8, filters=[0, 1, 4])
    normal = deflate(raw)
    for name, split in (("idat-1-byte", [1]), ("idat-7-bytes", [7]), ("idat-empty-between", [0, 9, 0, 0, 30])):
        suite.ok(f"png/{name}.png", png(rgb, 2, 8, stream=normal, split=split), rgba(rgb), "IDAT cut into pieces")
    kinds = {
        "stored": (0, zlib.Z_DEFAULT_STRATEGY),
        "fixed": (9, zlib.Z_FIXED),
        "huffman-only": (9, zlib.Z_HUFFMAN_ONLY),
        "rle": (9, zlib.Z_RLE),
    }
    for name, (level, strategy) in kinds.items():
        suite.ok(
            f"png/deflate-{name}.png",
            png(rgb, 2, 8, stream=deflate(raw, level, strategy)),
            rgba(rgb),
            f"deflate: {name}",
        )
    suite.ok(
        "png/deflate-window-512.png", png(rgb, 2, 8, stream=deflate(raw, 9, window=9)), rgba(rgb), "smallest window"
    )
    many = zlib.compressobj(9)
    suite.ok(
        "png/deflate-many-blocks.png",
        png(
            rgb,
            2,
            8,
            stream=b"".join(
                many.compress(raw[i : i + 50]) + many.flush(zlib.Z_FULL_FLUSH) for i in range(0, len(raw), 50)
            )
            + many.flush(),
        ),
        rgba(rgb),
        "a flush every 50 bytes: empty stored blocks",
    )
    # A window of 256 bytes is claimed, matches reach back further.
    wide = np.tile(pattern(120, 1, 3, 8, seed=6), (6, 1, 1))
    stream = bytearray(deflate(image_data(wide, 8)))
    stream[0:2] = b"\x08\x1d"
    assert int.from_bytes(stream[0:2], "big") % 31 == 0
    suite.ok(
        "png/deflate-window-too-small.png",
        png(wide, 2, 8, stream=bytes(stream)),
        rgba(wide),
        "zlib header names a window smaller than the matches need",
    )
    suite.ok(
        "png/deflate-extra-rows.png",
        png(rgb, 2, 8, stream=deflate(raw + raw[:100])),
        rgba(rgb),
        "more bytes than rows: ignored",
    )
    suite.ok(
        "png/idat-trailing-bytes.png",
        png(rgb, 2, 8, stream=normal + b"trailing bytes"),
        rgba(rgb),
        "bytes behind the zlib stream: ignored",
    )
    suite.ok("png/after-iend.png", png(rgb, 2, 8) + b"trailing bytes", rgba(rgb), "bytes behind IEND: ignored")
    suite.ok("png/no-iend.png", png(rgb, 2, 8, end=False), rgba(rgb), "no IEND: a remark only")


def u32(*values):
    return struct.pack(">%dI" % len(values), *values)


def iccp(profile, name=b"fixture", method=0):
    return chunk("iCCP", name + b"\0" + bytes([method]) + zlib.compress(profile, 9))


SRGB_CHRM = u32(31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000)


def metadata(suite):
    rgb = smooth(16, 12, 3, seed=1)
    exact = rgba(rgb)

    def plain(name, note, before=b"", middle=b"", after=b"", **fields):
        suite.ok(
            f"png/{name}.png",
            png(rgb, 2, 8, before=before, middle=middle, after=after, filters=4),
            exact,
            note,
            **fields,
        )

    def coloured(name, note, chunks, profile):
        path = f"png/{name}.png"
        converted = exact if profile is None else icc.to_srgb(exact, profile)
        suite.ok(
            path,
            png(rgb, 2, 8, before=chunks, filters=4),
            exact,
            note,
            display=suite.display(path, converted, 0 if profile is None else 2),
        )

    chrm = {
        name: u32(31270, 32900, *[int(v * 100000 + 0.5) for xy in icc.PRIMARIES[name] for v in xy])
        for name in icc.PRIMARIES
    }
    swapped = icc.swapped_profile()
    gamma = lambda g, p="srgb": icc.rgb_profile(p, icc.gamma_curve(g))
    coloured("srgb", "sRGB chunk: nothing to convert", chunk("sRGB", b"\0"), None)
    coloured("gama-srgb", "gAMA 1/2.2 alone: nothing to convert", chunk("gAMA", u32(45455)), None)
    coloured("gama-within-5-percent", "gAMA 0.44 alone is close enough to 1/2.2", chunk("gAMA", u32(44000)), None)
    coloured("gama-linear", "gAMA 1.0 alone", chunk("gAMA", u32(100000)), gamma(1.0))
    coloured("gama-1.8", "gAMA 1/1.8 alone", chunk("gAMA", u32(55556)), gamma(1.8))
    coloured(
        "gama-chrm-p3",
        "gAMA and cHRM of Display P3",
        chunk("gAMA", u32(45455)) + chunk("cHRM", chrm["p3"]),
        gamma(2.2, "p3"),
    )
    coloured("chrm-srgb", "cHRM of sRGB alone", chunk("cHRM", chrm["srgb"]), None)
    coloured(
        "srgb-over-gama",
        "sRGB wins over gAMA and cHRM",
        chunk("sRGB", b"\0") + chunk("gAMA", u32(100000)) + chunk("cHRM", chrm["bt2020"]),
        None,
    )
    coloured("iccp-p3", "Display P3 profile", iccp(icc.rgb_profile("p3")), icc.rgb_profile("p3"))
    coloured("iccp-swapped", "red and green exchanged", iccp(swapped), swapped)
    coloured("iccp-srgb", "a profile that is sRGB in effect is not run", iccp(icc.rgb_profile("srgb")), None)
    coloured(
        "iccp-over-srgb-gama",
        "iCCP wins over gAMA and cHRM",
        chunk("gAMA", u32(100000)) + chunk("cHRM", chrm["bt2020"]) + iccp(swapped),
        swapped,
    )
    coloured(
        "cicp-p3",
        "cICP: Display P3 primaries, sRGB transfer",
        chunk("cICP", bytes([12, 13, 0, 1])),
        icc.rgb_profile("p3"),
    )
    coloured(
        "cicp-bt2020",
        "cICP: BT.2020 primaries, sRGB transfer",
        chunk("cICP", bytes([9, 13, 0, 1])),
        icc.rgb_profile("bt2020"),
    )
    coloured("cicp-srgb", "cICP: BT.709 primaries, sRGB transfer", chunk("cICP", bytes([1, 13, 0, 1])), None)
    coloured(
        "cicp-over-iccp",
        "cICP wins over iCCP",
        chunk("cICP", bytes([12, 13, 0, 1])) + iccp(swapped),
        icc.rgb_profile("p3"),
    )
    coloured(
        "cicp-pq",
        "cICP: PQ transfer is reported and left as stored",
        chunk("cICP", bytes([9, 16, 0, 1]))
        + chunk("mDCV", struct.pack(">8HII", 35400, 14600, 8500, 39850, 6550, 2300, 15635, 16450, 10000000, 1))
        + chunk("cLLI", u32(10000000, 4000000)),
        None,
    )
    coloured(
        "cicp-hlg", "cICP: HLG transfer is reported and left as stored", chunk("cICP", bytes([9, 18, 0, 1])), None
    )
    coloured("iccp-garbage", "a profile that does not parse is ignored", iccp(bytes(range(200))), None)
    coloured("iccp-gray-in-rgb", "gray profile in an RGB picture is ignored", iccp(icc.gray_profile()), None)
    coloured("iccp-cmyk-in-rgb", "CMYK profile in an RGB picture is ignored", iccp(icc.cmyk_profile()), None)
    broken = bytearray(zlib.compress(swapped, 9))
    broken[20:60] = b"\xff" * 40
    coloured(
        "iccp-bad-zlib", "a profile that does not inflate is ignored", chunk("iCCP", b"x\0\0" + bytes(broken)), None
    )
    coloured("iccp-truncated", "a profile shorter than its header says is ignored", iccp(swapped[:200]), None)

    gray = smooth(16, 12, 1, seed=2)
    path = "png/iccp-gray.png"
    suite.ok(
        path,
        png(gray, 0, 8, before=iccp(icc.gray_profile(1.0))),
        rgba(gray),
        "linear gray profile in a gray picture",
        display=suite.display(path, icc.to_srgb(rgba(gray), icc.gray_profile(1.0), "L"), 2),
    )
    path = "png/iccp-rgba.png"
    picture = np.dstack([rgb, pattern(16, 12, 1, 8, seed=1)[:, :, 0].astype(np.uint8)])
    suite.ok(
        path,
        png(picture, 6, 8, before=iccp(swapped)),
        picture,
        "profile with alpha: alpha stays",
        alpha=True,
        display=suite.display(path, icc.to_srgb(picture, swapped), 2),
    )
    path = "png/iccp-palette.png"
    index = pattern(12, 10, 1, 4, seed=1)
    stored = shown(index, 3, 4, palette_of(16))
    suite.ok(
        path,
        png(index, 3, 4, before=iccp(swapped), palette=palette_of(16)),
        stored,
        "profile with a palette",
        display=suite.display(path, icc.to_srgb(stored, swapped), 2),
    )

    for value in range(1, 9):
        path = f"png/exif-orientation-{value}.png"
        suite.ok(
            path,
            png(rgb, 2, 8, middle=chunk("eXIf", exif(value, "<" if value % 2 else ">"))),
            exact,
            f"eXIf orientation {value}",
            orientation=value,
            display=suite.display(path, oriented(exact, value)),
        )
    for name, note, block, value in (
        ("zero", "orientation 0 counts as 1", exif(0), 1),
        ("nine", "orientation 9 counts as 1", exif(9), 1),
        ("long", "orientation stored as LONG: wrong type, ignored", exif(6, orientation_type=4), 1),
        ("empty", "EXIF block of two letters", b"II", 1),
        ("garbage", "not a TIFF header", b"\x01\x02" * 20, 1),
        ("cut", "IFD with more entries than bytes", exif(6)[:14], 1),
    ):
        path = f"png/exif-{name}.png"
        suite.ok(
            path,
            png(rgb, 2, 8, middle=chunk("eXIf", block)),
            exact,
            note,
            orientation=value,
            display=suite.display(path, exact),
        )
    path = "png/exif-after-idat.png"
    suite.ok(
        path,
        png(rgb, 2, 8, after=chunk("eXIf", exif(6))),
        exact,
        "eXIf behind IDAT (allowed by PNG 11.3.3.5)",
        orientation=6,
        display=suite.display(path, oriented(exact, 6)),
    )

    plain(
        "text",
        "tEXt, zTXt and iTXt are never shown",
        before=chunk("tEXt", b"Title\0fixture") + chunk("zTXt", b"Comment\0\0" + zlib.compress(b"text " * 20)),
        after=chunk("iTXt", "Title\0\0\0de\0Titel\0Größe".encode()),
    )
    plain(
        "ancillary",
        "sBIT, bKGD, pHYs, tIME, hIST, sPLT and private chunks",
        before=chunk("sBIT", b"\5\6\5")
        + chunk("pHYs", u32(2835, 2835) + b"\1")
        + chunk("tIME", b"\7\xe8\1\2\3\4\5")
        + chunk("sPLT", b"p\0\x08" + bytes(18))
        + chunk("prVt", b"private"),
        middle=chunk("bKGD", bytes(6)),
        after=chunk("prVt", b"behind"),
    )
    plain(
        "chunks-300", "300 small private chunks", before=b"".join(chunk("prVt", bytes([i & 255])) for i in range(300))
    )


def damage(suite):
    rgb = pattern(15, 12, 3, 8, seed=7)
    exact = rgba(rgb)
    rows = scanlines(rgb, 8, [0, 1, 2, 3, 4])
    raw = b"".join(rows)
    normal = deflate(raw)
    head = SIGNATURE + chunk("IHDR", ihdr(15, 12, 8, 2))
    end = chunk("IEND")

    suite.ok(
        "png/bad-crc-idat.png",
        head + chunk("IDAT", normal, crc=1) + end,
        exact,
        "IDAT checksum wrong: data used",
        status="corrupt",
        oracle="maker",
    )
    suite.ok(
        "png/bad-crc-ihdr.png",
        SIGNATURE + chunk("IHDR", ihdr(15, 12, 8, 2), crc=2) + chunk("IDAT", normal) + end,
        exact,
        "IHDR checksum wrong: data used",
        status="corrupt",
        oracle="maker",
    )
    suite.ok(
        "png/bad-crc-text.png",
        head + chunk("tEXt", b"a\0b", crc=3) + chunk("IDAT", normal) + end,
        exact,
        "checksum of an ancillary chunk wrong: chunk dropped",
        status="corrupt",
        oracle="maker",
    )
    index = pattern(9, 7, 1, 4)
    table = chunk("PLTE", palette_of(16).tobytes(), crc=4)
    suite.ok(
        "png/bad-crc-plte.png",
        SIGNATURE + chunk("IHDR", ihdr(9, 7, 4, 3)) + table + chunk("IDAT", deflate(image_data(index, 4))) + end,
        shown(index, 3, 4, palette_of(16)),
        "PLTE checksum wrong: data used",
        status="corrupt",
        oracle="maker",
    )
    suite.ok(
        "png/bad-crc-trns.png",
        SIGNATURE
        + chunk("IHDR", ihdr(9, 7, 4, 3))
        + chunk("PLTE", palette_of(16).tobytes())
        + chunk("tRNS", bytes(16), crc=5)
        + chunk("IDAT", deflate(image_data(index, 4)))
        + end,
        shown(index, 3, 4, palette_of(16)),
        "tRNS checksum wrong: chunk dropped, so opaque",
        status="corrupt",
        oracle="maker",
    )
    suite.ok(
        "png/bad-crc-iend.png",
        head + chunk("IDAT", normal) + chunk("IEND", crc=6),
        exact,
        "IEND checksum wrong: a remark at most",
        oracle="maker",
    )
    suite.ok(
        "png/bad-adler.png",
        head + chunk("IDAT", normal[:-4] + b"\0\0\0\1") + end,
        exact,
        "Adler-32 wrong: not checked",
        oracle="maker",
    )
    suite.ok(
        "png/no-adler.png",
        head + chunk("IDAT", normal[:-4]) + end,
        exact,
        "Adler-32 missing, all rows there",
        oracle="maker",
    )

    # Stored blocks of one row each: the byte where a row ends is known.
    stored = stored_blocks(rows)
    size = len(rows[0]) + 5
    for name, cut, kept in (
        ("after-1-row", 2 + size, 1),
        ("after-7-rows", 2 + 7 * size, 7),
        ("mid-row-5", 2 + 4 * size + 20, 4),
        ("in-last-row", 2 + 11 * size + 30, 11),
    ):
        file = head + chunk("IDAT", stored)
        suite.ok(
            f"png/truncated-{name}.png",
            file[: len(head) + 8 + cut],
            keep_rows(exact, kept),
            "the file ends inside IDAT: complete rows are kept",
            status="truncated",
            rows=kept,
            oracle="maker",
        )
    suite.ok(
        "png/truncated-idat-missing.png",
        head + idats(stored[: 2 + 5 * size + 9], [64]) + end,
        keep_rows(exact, 5),
        "sound chunks, but the zlib stream stops early",
        status="truncated",
        rows=5,
        oracle="maker",
    )
    suite.ok(
        "png/truncated-short-stream.png",
        head + chunk("IDAT", stored_blocks(rows[:8])) + end,
        keep_rows(exact, 8),
        "a complete zlib stream with too few rows",
        status="truncated",
        rows=8,
        oracle="maker",
    )
    suite.ok(
        "png/truncated-before-iend.png",
        (head + chunk("IDAT", normal) + end)[:-9],
        exact,
        "the file ends inside IEND",
        oracle="maker",
    )

    # All passes must be there before a row counts; pass 7 holds the odd rows.
    raw7, samples = [], rgb
    for x0, y0, dx, dy in ADAM7:
        raw7 += scanlines(samples[y0::dy, x0::dx], 8, 0)
    blocks = stored_blocks(raw7)
    last = sum(len(r) + 5 for r in raw7[:-6]) + 2  # start of pass 7: 6 rows of 15 pixels
    cut = last + 2 * (len(raw7[-1]) + 5)
    seven = exact.copy()
    seven[5::2] = 0
    suite.ok(
        "png/truncated-interlaced.png",
        SIGNATURE + chunk("IHDR", ihdr(15, 12, 8, 2, 1)) + chunk("IDAT", blocks)[: 8 + cut],
        seven,
        "Adam7, the file ends in pass 7 after rows 1 and 3: rows 0 to 4 are complete, even rows are there",
        status="truncated",
        rows=5,
        oracle="maker",
    )

    bad_block = b"".join(struct.pack("<BHH", 0, len(r), 0xFFFF ^ len(r)) + r for r in rows[:6] + [rows[6][:20]])
    suite.ok(
        "png/bad-deflate-block.png",
        head + chunk("IDAT", b"\x78\x01" + bad_block + b"\x07" + bytes(60)) + end,
        keep_rows(exact, 6),
        "reserved deflate block type in the seventh row",
        status="corrupt",
        oracle="maker",
    )
    bad_filter = rows[:5] + [b"\x09" + r[1:] for r in rows[5:6]] + rows[6:]
    suite.ok(
        "png/bad-filter-type.png",
        head + chunk("IDAT", deflate(b"".join(bad_filter))) + end,
        keep_rows(exact, 5),
        "filter type 9 in row 5: nothing from there on is sure",
        status="corrupt",
        oracle="maker",
    )
    at = 2 + 5 * size + 30
    suite.ok(
        "png/idat-interrupted.png",
        head + chunk("IDAT", stored[:at]) + chunk("tEXt", b"a\0b") + chunk("IDAT", stored[at:]) + end,
        keep_rows(exact, 5),
        "another chunk between two IDAT: the rows ahead of it count",
        status="truncated",
        rows=5,
        oracle="maker",
    )
    suite.ok(
        "png/private-chunk-length-beyond-end.png",
        head + chunk("IDAT", normal) + u32(0x7FFFFFFF) + b"prVt" + b"abc",
        exact,
        "a chunk behind the picture claims 2 GiB",
        oracle="maker",
    )


def make(suite):
    suite.script = "png.py"
    for part in (colour_types, filters, sizes, transparency, palettes, streams, metadata, damage):
        part(suite)
