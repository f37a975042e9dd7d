"""TIFF fixtures: depths, sample formats, photometrics, compressions, layouts, pages and damage."""

import numpy as np
from PIL import Image, ImageCms

import icc
import oracles
from png import palette_of
from suite import cmyk_ink, float8, keep_rows, oriented, pattern, rgba, smooth, to8, unpremultiply
from tiffwriter import ASCII, DOUBLE, LONG, RATIONAL, SHORT, UNDEFINED, Page, lzw, tiff

W, H = 13, 9


def name_of(endian):
    return "le" if endian == "<" else "be"


def samples_for(bits, channels=1, kind="u", w=W, h=H, seed=1):
    if kind == "f":
        y, x, c = np.mgrid[0:h, 0:w, 0:channels]
        v = ((x * 3 + y * 5 + c * 7 + seed) % 64) / 48 - 0.1  # below 0 and above 1 too
        return np.floor(v * 64) / 64  # exact in every float width
    if bits > 32:
        return pattern(w, h, channels, 32, seed).astype(np.uint64) << 32 | pattern(w, h, channels, 32, seed + 1)
    if bits >= 24:
        return (pattern(w, h, channels, 16, seed) << (bits - 16)) | pattern(w, h, channels, bits - 16, seed + 2)
    return pattern(w, h, channels, bits, seed)


def raw(samples, bits, kind="u"):
    """As tifffile gives them."""
    if kind == "f":
        return np.asarray(samples).astype(f"f{bits // 8}") if bits != 24 else np.asarray(samples).astype("f4")
    container = 8 if bits <= 8 else 16 if bits <= 16 else 32 if bits <= 32 else 64
    unsigned = np.asarray(samples).astype(f"u{container // 8}")
    return unsigned.view(f"i{container // 8}") if kind == "i" else unsigned


def reduce(samples, bits, kind="u"):
    if kind == "i" and bits >= 32:
        # libtiff shows no such file; OpenCV and libvips take what is below 0 as black and scale the rest.
        v = raw(samples, bits, "i").astype(object) >> (bits - 32)
        return to8(np.clip(v, 0, None) * 2, 32)
    return float8(samples) if kind == "f" else to8(np.asarray(samples), bits)


def add(suite, name, data, pixels, note, **fields):
    suite.ok(f"tiff/{name}.tif", data, pixels, note, **fields)


def depths(suite):
    for bits in list(range(1, 17)) + [24, 32, 64]:
        for channels, kind in ((1, "gray"), (3, "rgb")):
            for endian in "<>" if bits in (12, 16, 24, 32, 64) else "<":
                if channels == 3 and bits in (3, 5, 6, 7, 9, 11, 13, 15):
                    continue
                samples = samples_for(bits, channels)
                data = tiff(Page(samples, bits, 1 if channels == 1 else 2, endian=endian))
                add(
                    suite,
                    f"{kind}{bits}-{name_of(endian)}",
                    data,
                    rgba(reduce(samples, bits)),
                    f"{kind}, {bits} bits, unsigned",
                    samples=raw(samples, bits),
                    oracle_tolerance=1 if bits > 8 else 0,
                )
    for bits in (20, 31):
        samples = samples_for(bits)
        add(
            suite,
            f"gray{bits}",
            tiff(Page(samples, bits)),
            rgba(reduce(samples, bits)),
            f"gray, {bits} bits",
            samples=raw(samples, bits),
        )
    for bits in (8, 16, 32, 64):
        for endian in "<>" if bits == 16 else "<":
            samples = samples_for(bits)
            data = tiff(Page(samples, bits, 1, kind="i", endian=endian))
            add(
                suite,
                f"gray{bits}-signed-{name_of(endian)}",
                data,
                rgba(reduce(samples, bits, "i")),
                f"signed {bits} bits: " + ("taken as unsigned" if bits < 32 else "below 0 is black"),
                samples=raw(samples, bits, "i"),
            )
    for bits in (16, 24, 32, 64):
        for channels, kind in ((1, "gray"), (3, "rgb")):
            for endian in "<>":
                samples = samples_for(bits, channels, "f")
                data = tiff(Page(samples, bits, 1 if channels == 1 else 2, kind="f", endian=endian))
                add(
                    suite,
                    f"{kind}-float{bits}-{name_of(endian)}",
                    data,
                    rgba(float8(samples)),
                    f"{kind}, {bits}-bit float, clamped to 0...1",
                    samples=raw(samples, bits, "f"),
                    oracle="maker" if bits == 24 else None,
                )
    odd = np.array([[np.nan, np.inf, -np.inf, -0.0, 1e-40, 1e30, 0.5, 1.0]])
    add(
        suite,
        "gray-float32-special",
        tiff(Page(odd, 32, 1, kind="f")),
        rgba(np.array([[0, 255, 0, 0, 0, 255, 128, 255]])),
        "NaN, infinities, minus zero, a denormal",
        samples=raw(odd, 32, "f"),
    )
    odd[0, 4:6] = 6e-8, 60000
    add(
        suite,
        "gray-float16-special",
        tiff(Page(odd, 16, 1, kind="f")),
        rgba(np.array([[0, 255, 0, 0, 0, 255, 128, 255]])),
        "half floats: NaN, infinities, minus zero, a denormal",
        samples=raw(odd, 16, "f"),
    )


def photometrics(suite):
    for bits in (1, 2, 4, 8, 16):
        samples = samples_for(bits)
        top = (1 << bits) - 1
        add(
            suite,
            f"white-is-zero{bits}",
            tiff(Page(samples, bits, 0)),
            rgba(to8(top - samples, bits)),
            f"WhiteIsZero, {bits} bits",
            oracle_tolerance=1 if bits == 16 else 0,
            samples=raw(samples, bits),
        )
    for bits in (1, 2, 4, 8):
        count = 1 << bits
        entries = palette_of(count).astype(np.uint16)
        samples = samples_for(bits)
        for endian in "<>" if bits == 8 else "<":
            data = tiff(Page(samples, bits, 3, colormap=(entries.T * 257).ravel().tolist(), endian=endian))
            add(
                suite,
                f"palette{bits}-{name_of(endian)}",
                data,
                rgba(entries[samples[:, :, 0]]),
                f"palette, {bits} bits",
            )
    entries = palette_of(16).astype(np.uint16)
    samples = samples_for(4)
    add(
        suite,
        "palette4-map-8-bit",
        tiff(Page(samples, 4, 3, colormap=entries.T.ravel().tolist())),
        rgba(entries[samples[:, :, 0]]),
        "colour map with entries below 256: taken as 8-bit",
    )
    deep = pattern(3, 16, 1, 16)[:, :, 0]
    add(
        suite,
        "palette4-map-16-bit",
        tiff(Page(samples, 4, 3, colormap=deep.T.ravel().tolist())),
        rgba(to8(deep, 16)[samples[:, :, 0]]),
        "colour map with full 16-bit entries: reduced to 8",
        tolerance=1,
    )
    samples = samples_for(16, w=7, h=5)
    index = np.arange(65536)
    table = np.stack([index & 255, index >> 8, (index * 7) & 255], axis=1)
    add(
        suite,
        "palette16",
        tiff(Page(samples, 16, 3, colormap=(table.T * 257).ravel().tolist())),
        rgba(table[samples[:, :, 0]]),
        "palette of 65,536 entries",
        oracle="maker+tifffile",
    )
    ink = samples_for(16, 4)
    light = 1 - ink / 65535
    shown = rgba(np.floor(light[:, :, :3] * light[:, :, 3:] * 255 + 0.5))
    add(
        suite,
        "cmyk16",
        tiff(Page(ink, 16, 5)),
        shown,
        "CMYK, 16 bits, not inverted; reduced before or after the multiply",
        samples=raw(ink, 16),
        tolerance=2,
    )
    ink = samples_for(8, 4)
    add(suite, "cmyk8", tiff(Page(ink, 8, 5)), cmyk_ink(ink), "CMYK, 8 bits, not inverted", samples=raw(ink, 8))
    add(suite, "cmyk8-planar", tiff(Page(ink, 8, 5, planar=2, rows=4)), cmyk_ink(ink), "CMYK, planes apart")
    five = samples_for(8, 5)
    add(
        suite,
        "cmyk8-alpha",
        tiff(Page(five, 8, 5, extra=[2])),
        np.dstack([cmyk_ink(five[:, :, :4])[:, :, :3], five[:, :, 4]]),
        "CMYK with unassociated alpha",
        alpha=True,
        samples=raw(five, 8),
    )
    profile = icc.cmyk_profile()
    path = "tiff/cmyk8-icc.tif"
    suite.ok(
        path,
        tiff(Page(ink, 8, 5, tags={34675: (UNDEFINED, [profile])})),
        cmyk_ink(ink),
        "CMYK with a profile",
        display=suite.display(path, icc.to_srgb(ink.astype(np.uint8), profile, "CMYK"), 3),
    )
    rgb = smooth(W, H)
    swapped = icc.swapped_profile()
    add(
        suite,
        "palette-no-map",
        tiff(Page(smooth(W, H, 1), 8, 3)),
        rgba(smooth(W, H, 1)),
        "palette picture without a colour map: libtiff takes it as gray",
        oracle="maker",
    )
    path = "tiff/rgb8-icc.tif"
    suite.ok(
        path,
        tiff(Page(rgb, 8, 2, tags={34675: (UNDEFINED, [swapped])})),
        rgba(rgb),
        "RGB with a profile: red and green exchanged",
        display=suite.display(path, icc.to_srgb(rgba(rgb), swapped), 2),
    )
    path = "tiff/gray8-icc.tif"
    gray, linear = smooth(W, H, 1), icc.gray_profile(1.0)
    suite.ok(
        path,
        tiff(Page(gray, 8, 1, tags={34675: (UNDEFINED, [linear])})),
        rgba(gray),
        "gray with a linear gray profile",
        display=suite.display(path, icc.to_srgb(rgba(gray), linear, "L"), 2),
    )
    path = "tiff/rgb8-icc-orientation.tif"
    suite.ok(
        path,
        tiff(Page(rgb, 8, 2, tags={34675: (UNDEFINED, [swapped]), 274: (SHORT, [6])})),
        rgba(rgb),
        "profile and orientation 6",
        orientation=6,
        oracle="maker",
        display=suite.display(path, oriented(icc.to_srgb(rgba(rgb), swapped), 6), 2),
    )
    path = "tiff/rgb8-icc-garbage.tif"
    suite.ok(
        path,
        tiff(Page(rgb, 8, 2, tags={34675: (UNDEFINED, [bytes(range(200))])})),
        rgba(rgb),
        "a profile that does not parse",
        display=suite.display(path, rgba(rgb)),
    )
    mask = samples_for(1)
    add(
        suite,
        "transparency-mask",
        tiff(Page(mask, 1, 4)),
        rgba(to8(mask, 1)),
        "photometric 4: shown as gray",
        oracle="maker",
    )
    add(
        suite,
        "no-photometric",
        tiff(Page(gray, 8, 1, tags={262: None})),
        rgba(gray),
        "no photometric tag, one sample: gray, 0 is black",
        oracle="maker",
    )


def lab_reference(lab):
    """lcms2 on 8-bit Lab with a and b signed, as Pillow takes the bytes."""
    image = Image.frombytes("LAB", (lab.shape[1], lab.shape[0]), np.ascontiguousarray(lab).tobytes())
    return rgba(
        np.asarray(
            ImageCms.profileToProfile(image, ImageCms.createProfile("LAB"), ImageCms.createProfile("sRGB"), 0, "RGB")
        )
    )


def lab(suite):
    y, x = np.mgrid[0:H, 0:W]
    unsigned = np.dstack([60 + y * 20, 100 + x * 5, 160 - x * 4 + y]).astype(np.uint8)
    signed = unsigned.copy()
    signed[:, :, 1:] ^= 128
    shown = lab_reference(signed)
    add(suite, "lab8", tiff(Page(signed, 8, 8)), shown, "CIELab, a and b signed", tolerance=3, oracle="lcms2")
    add(
        suite, "icclab8", tiff(Page(unsigned, 8, 9)), shown, "ICCLab, a and b around 128", tolerance=3, oracle="lcms2"
    )
    wide = np.dstack(
        [unsigned[:, :, 0].astype(np.uint32) * 257, ((unsigned[:, :, 1:].astype(int) - 128) * 256) & 0xFFFF]
    )
    add(suite, "lab16", tiff(Page(wide, 16, 8)), shown, "CIELab, 16 bits", tolerance=3, oracle="lcms2")


def alpha(suite):
    for bits in (8, 16):
        four = samples_for(bits, 4)
        four[2:4, 3:6, 3] = 0
        t = 1 if bits == 16 else 0
        add(
            suite,
            f"rgba{bits}-unassociated",
            tiff(Page(four, bits, 2, extra=[2])),
            rgba(to8(four, bits)),
            "unassociated alpha",
            alpha=True,
            samples=raw(four, bits),
            oracle_tolerance=t,
        )
        pre = four.copy()
        pre[:, :, :3] = pre[:, :, :3] * pre[:, :, 3:4] // ((1 << bits) - 1)
        if bits == 8:
            shown = unpremultiply(pre)
        else:  # before the reduction: 8 bits of a small alpha are too coarse
            straight = np.floor(pre[:, :, :3] * 65535.0 / np.maximum(pre[:, :, 3:], 1) + 0.5)
            shown = to8(np.dstack([np.minimum(straight, 65535), pre[:, :, 3]]), 16)
        add(
            suite,
            f"rgba{bits}-associated",
            tiff(Page(pre, bits, 2, extra=[1])),
            shown,
            "associated alpha: un-premultiplied",
            alpha=True,
            oracle="maker+tifffile",
            tolerance=t,
        )
        two = samples_for(bits, 2)
        add(
            suite,
            f"gray-alpha{bits}-unassociated",
            tiff(Page(two, bits, 1, extra=[2])),
            rgba(to8(two, bits)),
            "gray with alpha",
            alpha=True,
            samples=raw(two, bits),
            oracle_tolerance=t,
        )
    two = samples_for(8, 2)
    two[:, :, 0] = two[:, :, 0] * two[:, :, 1] // 255
    add(
        suite,
        "gray-alpha8-associated",
        tiff(Page(two, 8, 1, extra=[1])),
        unpremultiply(rgba(two)),
        "gray with associated alpha",
        alpha=True,
        samples=raw(two, 8),
    )
    bad = samples_for(8, 4)  # colour above alpha: breaks the rule, must be clamped
    add(
        suite,
        "rgba8-associated-too-bright",
        tiff(Page(bad, 8, 2, extra=[1])),
        unpremultiply(rgba(bad)),
        "colour above alpha: clamped",
        alpha=True,
        samples=raw(bad, 8),
    )
    add(
        suite,
        "rgbx8-unspecified",
        tiff(Page(bad, 8, 2, extra=[0])),
        rgba(bad[:, :, :3]),
        "fourth sample unspecified: opaque",
        samples=raw(bad, 8),
    )
    add(
        suite,
        "rgbx8-no-extrasamples",
        tiff(Page(bad, 8, 2)),
        rgba(bad),
        "four samples without ExtraSamples: the fourth is unassociated alpha",
        alpha=True,
        samples=raw(bad, 8),
    )
    five = samples_for(8, 5)
    add(
        suite,
        "rgb8-two-extra",
        tiff(Page(five, 8, 2, extra=[0, 2])),
        np.dstack([rgba(five[:, :, :3])[:, :, :3], five[:, :, 4]]),
        "an unspecified sample and then alpha",
        alpha=True,
        samples=raw(five, 8),
    )
    add(
        suite,
        "rgba8-planar",
        tiff(Page(bad, 8, 2, extra=[2], planar=2)),
        rgba(bad),
        "RGBA, planes apart",
        alpha=True,
        samples=raw(bad.transpose(2, 0, 1), 8),
    )
    add(
        suite,
        "gray8-extra-unspecified",
        tiff(Page(two, 8, 1, extra=[0])),
        rgba(two[:, :, 0]),
        "gray with an unspecified sample: opaque",
        samples=raw(two, 8),
    )
    floats = samples_for(32, 4, "f")
    add(
        suite,
        "rgba-float32",
        tiff(Page(floats, 32, 2, kind="f", extra=[2])),
        rgba(float8(floats)),
        "float RGBA",
        alpha=True,
        samples=raw(floats, 32, "f"),
    )


def layouts(suite):
    rgb = pattern(37, 29, 3, 8)
    gray = pattern(37, 29, 1, 8)
    for rows in (1, 7, 29):
        add(suite, f"strips-of-{rows}", tiff(Page(rgb, 8, 2, rows=rows)), rgba(rgb), f"strips of {rows} rows")
    add(
        suite,
        "rows-per-strip-huge",
        tiff(Page(rgb, 8, 2, tags={278: (LONG, [0xFFFFFFFF])})),
        rgba(rgb),
        "RowsPerStrip 2^32 - 1: one strip",
    )
    add(
        suite,
        "rows-per-strip-missing",
        tiff(Page(rgb, 8, 2, tags={278: None})),
        rgba(rgb),
        "no RowsPerStrip: one strip",
    )
    for tile in ((16, 16), (32, 16), (64, 64)):
        add(
            suite,
            f"tiles-{tile[0]}x{tile[1]}",
            tiff(Page(rgb, 8, 2, tile=tile)),
            rgba(rgb),
            "tiles, cut at the right and bottom",
        )
    add(
        suite,
        "tiles-gray1",
        tiff(Page(pattern(37, 29, 1, 1), 1, 1, tile=(16, 16))),
        rgba(to8(pattern(37, 29, 1, 1), 1)),
        "tiles of 1 bit",
        samples=raw(pattern(37, 29, 1, 1), 1),
    )
    add(
        suite,
        "tiles-deflate-predictor",
        tiff(Page(rgb, 8, 2, tile=(16, 16), compression=8, predictor=2)),
        rgba(rgb),
        "tiles, Deflate, predictor 2",
    )
    add(
        suite,
        "tiles-planar",
        tiff(Page(rgb, 8, 2, tile=(16, 16), planar=2)),
        rgba(rgb),
        "tiles, planes apart",
        samples=raw(rgb.transpose(2, 0, 1), 8),
    )
    for bits in (8, 16):
        s = samples_for(bits, 3)
        add(
            suite,
            f"planar{bits}",
            tiff(Page(s, bits, 2, planar=2, rows=4)),
            rgba(to8(s, bits)),
            "planes apart, strips of 4 rows",
            samples=raw(s.transpose(2, 0, 1), bits),
            oracle_tolerance=1 if bits == 16 else 0,
        )
    s = samples_for(4, 3)
    add(
        suite,
        "planar4",
        tiff(Page(s, 4, 2, planar=2)),
        rgba(to8(s, 4)),
        "planes apart, 4 bits",
        samples=raw(s.transpose(2, 0, 1), 4),
    )
    s = samples_for(32, 3, "f")
    add(
        suite,
        "planar-float32-lzw",
        tiff(Page(s, 32, 2, kind="f", planar=2, compression=5, predictor=3)),
        rgba(float8(s)),
        "planes apart, float, LZW, predictor 3",
        samples=raw(s.transpose(2, 0, 1), 32, "f"),
    )
    for endian in "<>":
        add(
            suite,
            f"bigtiff-{name_of(endian)}",
            tiff(Page(rgb, 8, 2, rows=10, endian=endian), big=True),
            rgba(rgb),
            "BigTIFF",
        )
        deep = samples_for(16, 3)
        add(
            suite,
            f"bigtiff-rgb16-{name_of(endian)}",
            tiff(Page(deep, 16, 2, endian=endian), big=True),
            rgba(to8(deep, 16)),
            "BigTIFF, 16 bits",
            oracle_tolerance=1,
        )
        add(
            suite,
            f"rgb8-{name_of(endian)}-tags",
            tiff(
                Page(
                    rgb,
                    8,
                    2,
                    endian=endian,
                    tags={
                        270: (ASCII, [b"description\0"]),
                        282: (RATIONAL, [(300, 1)]),
                        283: (RATIONAL, [(300, 1)]),
                        296: (SHORT, [2]),
                        305: (ASCII, [b"fixture\0"]),
                        700: (UNDEFINED, [b"<x/>"]),
                        65000: (DOUBLE, [1.5]),
                        34665: (LONG, [0]),
                    },
                )
            ),
            rgba(rgb),
            "descriptive and private tags",
        )
    add(
        suite,
        "offsets-short",
        tiff(Page(gray[:5, :5], 8, 1), edit=lambda t, o, c: t.update({273: (SHORT, o), 279: (SHORT, c)})),
        rgba(gray[:5, :5]),
        "strip offsets and counts stored as SHORT",
    )
    add(
        suite,
        "fill-order-2",
        tiff(Page(samples_for(1), 1, 1, fill_order=2)),
        rgba(to8(samples_for(1), 1)),
        "bits from the low end",
    )
    for n in range(1, 9):
        path = f"tiff/orientation-{n}.tif"
        small = pattern(11, 7, 3, 8)
        data = tiff(Page(small, 8, 2, tags={274: (SHORT, [n])}))
        upright = oriented(rgba(small), n)
        assert np.array_equal(oracles.pillow("tiff", data), upright)  # Pillow applies the tag
        suite.ok(
            path,
            data,
            rgba(small),
            f"orientation {n}",
            orientation=n,
            display=suite.display(path, upright),
            oracle="maker+pillow",
        )
    for value, note in ((0, "orientation 0 counts as 1"), (9, "orientation 9 counts as 1")):
        path = f"tiff/orientation-{value}.tif"
        suite.ok(
            path,
            tiff(Page(small, 8, 2, tags={274: (SHORT, [value])})),
            rgba(small),
            note,
            display=suite.display(path, rgba(small)),
        )
    path = "tiff/orientation-6-tiles.tif"
    suite.ok(
        path,
        tiff(Page(rgb, 8, 2, tile=(16, 16), tags={274: (SHORT, [6])})),
        rgba(rgb),
        "orientation 6 with tiles",
        orientation=6,
        display=suite.display(path, oriented(rgba(rgb), 6)),
        oracle="maker",
    )


def pages(suite):
    parts = [pattern(9, 7, 3, 8), pattern(5, 11, 1, 8), pattern(16, 4, 1, 1)]
    shown = [rgba(parts[0]), rgba(parts[1]), rgba(to8(parts[2], 1))]
    listed = lambda images: [dict(width=p.shape[1], height=p.shape[0], **suite._expect("", p, 0)) for p in images]
    for endian in "<>":
        ifds = [
            Page(parts[0], 8, 2, endian=endian),
            Page(parts[1], 8, 1, endian=endian),
            Page(parts[2], 1, 1, endian=endian),
        ]
        for big in (False, True):
            add(
                suite,
                f"pages-3-{'big' if big else 'classic'}-{name_of(endian)}",
                tiff(ifds, big=big),
                shown[0],
                "three pages of different kinds",
                frames=3,
                pages=listed(shown),
            )
    small = Page(parts[1], 8, 1, tags={254: (LONG, [1])})
    add(
        suite,
        "page-reduced",
        tiff([Page(parts[0], 8, 2), small]),
        shown[0],
        "second page is a reduced-resolution one: listed",
        frames=2,
        pages=listed(shown[:2]),
    )
    add(
        suite,
        "page-reduced-first",
        tiff([small, Page(parts[0], 8, 2)]),
        shown[0],
        "the first IFD is a reduced-resolution image: the last page",
        frames=2,
        pages=listed([shown[0], shown[1]]),
        oracle="maker",
    )
    add(
        suite,
        "sub-ifd",
        tiff(Page(parts[0], 8, 2, sub=[Page(parts[1], 8, 1)])),
        shown[0],
        "a SubIFD is a page",
        frames=2,
        pages=listed([shown[0], shown[1]]),
    )
    add(
        suite,
        "page-loop",
        tiff(Page(parts[0], 8, 2), next_offset=8 + parts[0].size + parts[0].size % 2),
        shown[0],
        "the next IFD is the same one: one page",
        oracle="maker",
    )
    add(
        suite,
        "page-next-beyond-end",
        tiff(Page(parts[0], 8, 2), next_offset=0x7FFFFFF0),
        shown[0],
        "the next IFD lies behind the end: one page",
        oracle="maker",
    )


def damage(suite):
    rgb = pattern(W, 12, 3, 8)
    exact = rgba(rgb)
    page = lambda **o: Page(rgb, 8, 2, rows=4, **o)
    add(
        suite,
        "no-byte-counts",
        tiff(Page(rgb, 8, 2, tags={279: None})),
        exact,
        "no StripByteCounts: repaired",
        oracle="maker",
    )
    one = Page(rgb, 8, 2)
    add(
        suite,
        "byte-count-zero",
        tiff(Page(rgb, 8, 2, tags={279: (LONG, [0])})),
        exact,
        "StripByteCounts 0: repaired",
        oracle="maker",
    )
    add(
        suite,
        "byte-count-too-large",
        tiff(one, edit=lambda t, o, c: t.update({279: (LONG, [c[0] + 4000])})),
        exact,
        "byte count reaches behind the end; all rows are there",
        oracle="maker",
    )

    # The IFD ahead of the data, so that cutting the end cuts pixels: write, then move the strips.
    def tail_first(cut):
        strips = page().segments
        blank = tiff(Page(rgb, 8, 2, rows=4, segments=[b""] * 3))
        base = len(blank)
        sizes = [len(s) for s in strips]
        offsets = [base + sum(sizes[:i]) for i in range(3)]
        head = tiff(Page(rgb, 8, 2, rows=4, segments=[b""] * 3, tags={273: (LONG, offsets), 279: (LONG, sizes)}))
        assert len(head) == base
        return (head + b"".join(strips))[: base + cut]

    row = W * 3
    assert np.array_equal(oracles.pillow("tiff", tail_first(12 * row)), exact)
    for rows, extra in ((4, 0), (8, 0), (6, 0), (7, 11)):
        add(
            suite,
            f"truncated-{rows}-rows{'-and-a-bit' if extra else ''}",
            tail_first(rows * row + extra),
            keep_rows(exact, rows),
            f"the file ends behind row {rows - 1}" + (" and some pixels" if extra else ""),
            status="truncated",
            rows=rows,
            oracle="maker",
        )
    packed = [lzw(rgb[y : y + 4].astype(np.uint8).tobytes()) for y in (0, 4, 8)]
    broken = [packed[0], b"\x80\x3f\xff\xff\xff\xff\xff\xff\xff", packed[2]]
    shown = exact.copy()
    shown[4:8] = 0
    add(
        suite,
        "bad-lzw-strip",
        tiff(Page(rgb, 8, 2, rows=4, segments=broken, tags={259: (SHORT, [5])})),
        shown,
        "second of three LZW strips is garbage: transparent",
        status="corrupt",
        oracle="maker",
    )
    import zlib

    packed = [zlib.compress(rgb[y : y + 4].astype(np.uint8).tobytes()) for y in (0, 4, 8)]
    broken = [packed[0], b"garbage, not zlib", packed[2]]
    add(
        suite,
        "bad-deflate-strip",
        tiff(Page(rgb, 8, 2, rows=4, segments=broken, tags={259: (SHORT, [8])})),
        shown,
        "second of three Deflate strips is garbage: transparent",
        status="corrupt",
        oracle="maker",
    )
    tiles = Page(pattern(32, 32, 1, 8), 8, 1, tile=(16, 16), compression=8)
    tiles.segments[1] = b"garbage, not zlib"
    shown = rgba(pattern(32, 32, 1, 8))
    shown[:16, 16:] = 0
    add(
        suite,
        "bad-deflate-tile",
        tiff(tiles),
        shown,
        "second of four Deflate tiles is garbage: transparent",
        status="corrupt",
        oracle="maker",
    )


def make(suite):
    suite.script = "tiff.py"
    for part in (depths, photometrics, lab, alpha, layouts, pages, damage):
        part(suite)
