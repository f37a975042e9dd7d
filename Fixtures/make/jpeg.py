"""JPEG fixtures. What libjpeg-turbo makes of a file is the expectation: djpeg 2.1.5 where it writes
RGB or gray, Pillow for CMYK; a difference of 2 is allowed."""

import os
import re
import subprocess
import tempfile

import numpy as np

import icc
import oracles
from exif import exif
from jpegwriter import (
    EOI,
    JFIF,
    QUANT,
    Component,
    adobe,
    colour,
    deep_lengths,
    exif_segment,
    icc_segments,
    jpeg,
    progressive_script,
    segment,
    ycc,
)
from suite import multiply, oriented, rgba, smooth

W, H = 29, 23


def pnm(data):
    """P5 or P6 as RGBA8."""
    fields, at = [], 0
    while len(fields) < 4:
        stop = min(i for i in (data.find(b, at) for b in (b" ", b"\n")) if i >= 0)
        fields.append(data[at:stop])
        at = stop + 1
    w, h = int(fields[1]), int(fields[2])
    return rgba(np.frombuffer(data, np.uint8, offset=at).reshape(h, w, -1))


def djpeg(data, *options):
    run = subprocess.run(["djpeg", "-pnm", *options], input=data, capture_output=True, timeout=20)
    assert run.stdout.startswith(b"P"), run.stderr
    return pnm(run.stdout)


def jpegtran(data, *options):
    run = subprocess.run(["jpegtran", *options], input=data, capture_output=True, timeout=20)
    assert run.returncode == 0, run.stderr
    return run.stdout


def cjpeg(rgb, *options, scans=None):
    head = b"P%d\n%d %d\n255\n" % (6 if rgb.ndim == 3 else 5, rgb.shape[1], rgb.shape[0])
    words = ["cjpeg", *options]
    with tempfile.TemporaryDirectory() as folder:
        if scans:
            path = os.path.join(folder, "scans")
            open(path, "w").write(scans)
            words += ["-scans", path]
        run = subprocess.run(words, input=head + rgb.tobytes(), capture_output=True, timeout=20)
    assert run.returncode == 0, run.stderr
    return run.stdout


def add(
    suite,
    name,
    data,
    note,
    *,
    reference="djpeg",
    source=None,
    orientation=1,
    display=None,
    status="complete",
    rows=None,
    oracle=None,
    scaled=False,
    oracle_tolerance=2,
):
    """`source`: what was encoded; the picture must resemble it."""
    if reference == "djpeg":
        pixels = djpeg(data)
    else:
        pixels = oracles.pillow("jpeg", data) if reference == "pillow" else oracles.pillow_lenient("jpeg", data)
    if source is not None:
        error = np.abs(pixels[:, :, :3].astype(float) - source[:, :, :3]).mean()
        assert pixels.shape[:2] == source.shape[:2] and error < 14, (name, pixels.shape, error)
    path = f"jpeg/{name}.jpg"
    if display is not None:
        display = suite.display(path, *display(pixels))
    small = (
        [
            dict(denominator=n, **suite.display(path, djpeg(data, "-scale", f"1/{n}"), 2, f"scale-{n}"))
            for n in (2, 4, 8)
        ]
        if scaled
        else None
    )
    suite.ok(
        path,
        data,
        pixels,
        note,
        tolerance=2,
        orientation=orientation,
        display=display,
        status=status,
        rows=rows,
        reference_by=reference,
        oracle=oracle,
        oracle_tolerance=oracle_tolerance,
        scaled=small,
    )


def samplings(suite):
    rgb = smooth(W, H)
    source = rgba(rgb)
    for name, s in (
        ("444", ((1, 1),) * 3),
        ("422", ((2, 1), (1, 1), (1, 1))),
        ("420", ((2, 2), (1, 1), (1, 1))),
        ("440", ((1, 2), (1, 1), (1, 1))),
        ("411", ((4, 1), (1, 1), (1, 1))),
        ("410", ((4, 2), (1, 1), (1, 1))),
        ("441", ((1, 4), (1, 1), (1, 1))),
        ("311", ((3, 1), (1, 1), (1, 1))),
        ("133", ((1, 3), (1, 1), (1, 1))),
        ("2x2-2x1-1x2", ((2, 2), (2, 1), (1, 2))),
        ("2x2-1x2-2x1", ((2, 2), (1, 2), (2, 1))),
        ("luma-smaller", ((1, 1), (2, 2), (2, 2))),
        ("2x1-1x1-2x1", ((2, 1), (1, 1), (2, 1))),
        ("all-2x2", ((2, 2),) * 3),
        ("all-1x2", ((1, 2),) * 3),
        ("4x1-2x1-1x1", ((4, 1), (2, 1), (1, 1))),
        ("1x2-1x1-1x2", ((1, 2), (1, 1), (1, 2))),
        ("3x2", ((3, 2), (1, 1), (1, 1))),
    ):
        apart = sum(h * v for h, v in s) > 10  # more than one interleaved scan may hold
        each = [([i], 0, 63, 0, 0) for i in range(3)]
        add(
            suite,
            f"sampling-{name}",
            jpeg(colour(rgb, s), scans=each) if apart else jpeg(colour(rgb, s)),
            f"sampling {s}" + (", three scans" if apart else ""),
            source=source,
            scaled=name in ("444", "420", "422"),
        )
        if name in ("420", "411", "2x2-2x1-1x2", "440"):
            add(
                suite,
                f"progressive-{name}",
                jpeg(colour(rgb, s), marker=0xC2, scans=progressive_script(3)),
                f"progressive, sampling {s}",
                source=source,
                scaled=name == "420",
            )
    for w, h in ((1, 1), (8, 8), (7, 9), (16, 16), (17, 1), (1, 17), (33, 8), (15, 31)):
        rgb = smooth(w, h)
        add(
            suite,
            f"size-{w}x{h}",
            jpeg(colour(rgb, ((2, 2), (1, 1), (1, 1)))),
            "edge sizes at 4:2:0",
            source=rgba(rgb),
        )
        if w * h < 80:
            add(
                suite,
                f"size-{w}x{h}-progressive",
                jpeg(colour(rgb, ((2, 2), (1, 1), (1, 1))), marker=0xC2, scans=progressive_script(3)),
                "edge sizes at 4:2:0, progressive",
                source=rgba(rgb),
            )
    gray = smooth(W, H, 1)
    add(suite, "gray", jpeg([Component(1, gray[:, :, 0])]), "gray", source=rgba(gray), scaled=True)
    add(
        suite,
        "gray-2x2",
        jpeg([Component(1, gray[:, :, 0], 2, 2)]),
        "gray with sampling 2 x 2, which means nothing",
        source=rgba(gray),
    )
    add(
        suite,
        "gray-progressive",
        jpeg([Component(1, gray[:, :, 0])], marker=0xC2, scans=progressive_script(1)),
        "gray, progressive",
        source=rgba(gray),
    )
    tall = smooth(21, 70)
    add(suite, "tall-420", jpeg(colour(tall, ((2, 2), (1, 1), (1, 1)))), "several bands of rows", source=rgba(tall))


def coding(suite):
    rgb = smooth(W, H, 3, 4)
    source = rgba(rgb)
    s420 = ((2, 2), (1, 1), (1, 1))
    make = lambda s=s420, **o: jpeg(colour(rgb, s), **o)
    plain = make()
    add(suite, "huffman-long-codes", make(lengths=deep_lengths), "codes of 2 to 16 bits", source=source)
    add(suite, "tables-joined", make(tables="joined"), "all Huffman tables in one segment", source=source)
    add(suite, "extended", make(marker=0xC1), "SOF1, extended sequential", source=source)
    add(
        suite,
        "quant-16-bit",
        make(marker=0xC1, quants=[QUANT * 40], wide_quants=True),
        "16-bit quantization table",
        oracle_tolerance=2,
    )
    two = [Component(i + 1, c.plane, h, v, quant=min(i, 1)) for i, (c, (h, v)) in enumerate(zip(colour(rgb), s420))]
    add(suite, "quant-two-tables", jpeg(two, quants=[QUANT, QUANT * 2]), "two quantization tables", source=source)
    each = [([i], 0, 63, 0, 0) for i in range(3)]
    add(suite, "scans-one-a-component", make(scans=each), "sequential, three scans", source=source)
    add(
        suite,
        "scans-2-and-1",
        make(scans=[([0], 0, 63, 0, 0), ([1, 2], 0, 63, 0, 0)]),
        "sequential, Y and then Cb with Cr",
        source=source,
    )
    for n in (1, 2, 3):
        add(suite, f"restart-{n}", make(restart=n), f"restart interval {n}", source=source)
    add(suite, "restart-row-444", make(((1, 1),) * 3, restart=4), "restart interval of one MCU row", source=source)
    add(
        suite,
        "restart-progressive",
        make(marker=0xC2, scans=progressive_script(3), restart=3),
        "progressive with restarts",
        source=source,
    )
    add(suite, "restart-scans", make(scans=each, restart=2), "three scans with restarts", source=source)
    spectral = [(None, 0, 0, 0, 0)] + [([i], a, b, 0, 0) for a, b in ((1, 2), (3, 20), (21, 63)) for i in range(3)]
    add(suite, "progressive-spectral", make(marker=0xC2, scans=spectral), "spectral selection only", source=source)
    deep = (
        [(None, 0, 0, 0, 3), (None, 0, 0, 3, 2), (None, 0, 0, 2, 1), (None, 0, 0, 1, 0)]
        + [([i], 1, 63, 0, 3) for i in range(3)]
        + [([i], 1, 63, n, n - 1) for n in (3, 2, 1) for i in (2, 0, 1)]
    )
    add(
        suite,
        "progressive-successive",
        make(marker=0xC2, scans=deep),
        "successive approximation in four steps",
        source=source,
    )
    add(
        suite,
        "progressive-dc-apart",
        make(marker=0xC2, scans=[([i], 0, 0, 0, 0) for i in (2, 1, 0)] + [([i], 1, 63, 0, 0) for i in (1, 2, 0)]),
        "DC scans one component each, components out of order",
        source=source,
    )
    add(
        suite,
        "progressive-dc-only",
        make(marker=0xC2, scans=[(None, 0, 0, 0, 0)]),
        "only the DC scan: smoothed by libjpeg",
        oracle="djpeg",
    )
    add(
        suite,
        "progressive-no-last-scans",
        make(marker=0xC2, scans=progressive_script(3)[:5]),
        "refinement scans missing",
        oracle="djpeg",
    )
    add(
        suite,
        "progressive-16-scans",
        cjpeg(
            rgb,
            "-quality",
            "85",
            scans="0 1 2: 0 0, 0, 0;\n"
            + "".join(
                f"{c}: {a} {b}, 0, 0;\n" for c in range(3) for a, b in ((1, 1), (2, 5), (6, 30), (31, 40), (41, 63))
            ),
        ),
        "sixteen scans by cjpeg",
        source=source,
    )
    add(suite, "arithmetic", jpegtran(plain, "-arithmetic"), "SOF9, arithmetic coding", source=source)
    add(
        suite,
        "arithmetic-restart",
        jpegtran(plain, "-arithmetic", "-restart", "1B"),
        "SOF9 with restarts",
        source=source,
    )
    add(
        suite,
        "arithmetic-progressive",
        jpegtran(plain, "-arithmetic", "-progressive"),
        "SOF10, arithmetic and progressive",
        source=source,
    )
    add(
        suite,
        "arithmetic-gray",
        cjpeg(smooth(W, H, 1)[:, :, 0], "-arithmetic", "-grayscale"),
        "SOF9, gray",
        source=rgba(smooth(W, H, 1)),
    )
    add(suite, "cjpeg-default", cjpeg(rgb), "cjpeg with its defaults", source=source)
    add(suite, "cjpeg-quality-1", cjpeg(rgb, "-quality", "1"), "coarsest quantization")
    add(
        suite,
        "cjpeg-quality-100",
        cjpeg(rgb, "-quality", "100", "-sample", "1x1", "-optimize"),
        "quality 100, optimized tables",
        source=source,
    )
    add(
        suite,
        "no-dht",
        without(cjpeg(rgb), 0xC4),
        "no Huffman tables: the usual ones are meant (motion JPEG)",
        source=source,
        oracle="djpeg",
    )


def segments_of(data):
    """(marker, start, end) up to the first SOS; end of the last is where entropy-coded data begins."""
    at = 2
    while True:
        marker, size = data[at + 1], int.from_bytes(data[at + 2 : at + 4], "big")
        yield marker, at, at + 2 + size
        if marker == 0xDA:
            return
        at += 2 + size


def stray_bytes(data):
    """12 bytes of 11h before each restart marker: more than libjpeg reads ahead, so that each is a warning."""
    start = list(segments_of(data))[-1][2]
    return data[:start] + re.sub(rb"\xff([\xd0-\xd7])", b"\x11" * 12 + b"\xff\\1", data[start:])


def without(data, marker):
    parts = [data[a:b] for m, a, b in segments_of(data) if m != marker]
    last = list(segments_of(data))[-1][2]
    return data[:2] + b"".join(parts) + data[last:]


def colours(suite):
    rgb = smooth(W, H, 3, 2)
    source = rgba(rgb)
    planes = [rgb[:, :, i] for i in range(3)]
    straight = lambda ids, before, s=((1, 1),) * 3: jpeg(colour(rgb, s, ids, planes), before=before)
    add(suite, "rgb-adobe-0", straight((1, 2, 3), adobe(0)), "RGB by Adobe transform 0", source=source)
    add(suite, "rgb-ids", straight((82, 71, 66), b""), "RGB by component ids R, G, B", source=source)
    add(
        suite,
        "rgb-subsampled",
        straight((82, 71, 66), b"", ((2, 2), (1, 1), (1, 1))),
        "RGB with smaller green and blue",
        source=source,
    )
    add(suite, "ycc-adobe-1", jpeg(colour(rgb), before=adobe(1)), "YCbCr by Adobe transform 1", source=source)
    add(
        suite,
        "ycc-no-marker",
        jpeg(colour(rgb), before=b""),
        "neither JFIF nor Adobe: ids 1, 2, 3 mean YCbCr",
        source=source,
    )
    add(
        suite,
        "ycc-ids-012",
        jpeg(colour(rgb, ids=(0, 1, 2)), before=b""),
        "ids 0, 1, 2 without a marker: YCbCr",
        source=source,
    )
    add(
        suite,
        "ycc-ids-odd",
        jpeg(colour(rgb, ids=(7, 33, 200)), before=b""),
        "odd ids without a marker: YCbCr",
        source=source,
    )
    add(
        suite,
        "ycc-jfif-over-adobe-0",
        jpeg(colour(rgb), before=JFIF + adobe(0)),
        "JFIF wins over Adobe transform 0",
        source=source,
    )
    ink = smooth(W, H, 4, 3)
    light = 255 - ink
    four = lambda s=((1, 1),) * 4, ids=(1, 2, 3, 4), p=None: colour(
        None, s, ids, p or [light[:, :, i] for i in range(4)]
    )
    ycck = [np.asarray(p) for p in ycc(255 - light[:, :, :3])] + [light[:, :, 3]]
    for name, data, note in (
        ("cmyk-adobe-0", jpeg(four(), before=adobe(0)), "CMYK by Adobe transform 0, inverted ink"),
        ("cmyk-no-marker", jpeg(four(), before=b""), "CMYK without a marker: taken as inverted all the same"),
        (
            "cmyk-subsampled",
            jpeg(four(((2, 2), (1, 1), (1, 1), (2, 2))), before=adobe(0)),
            "CMYK, magenta and yellow smaller",
        ),
        (
            "cmyk-progressive",
            jpeg(four(), before=adobe(0), marker=0xC2, scans=progressive_script(4)),
            "CMYK, progressive",
        ),
        ("ycck-adobe-2", jpeg(four(p=ycck), before=adobe(2)), "YCCK by Adobe transform 2"),
        ("ycck-420", jpeg(four(((2, 2), (1, 1), (1, 1), (2, 2)), p=ycck), before=adobe(2)), "YCCK, chroma smaller"),
        (
            "ycck-progressive",
            jpeg(four(p=ycck), before=adobe(2), marker=0xC2, scans=progressive_script(4)),
            "YCCK, progressive",
        ),
    ):
        add(suite, name, data, note, reference="pillow", oracle="pillow")
    profile = icc.cmyk_profile()
    data = jpeg(four(), before=adobe(0) + icc_segments(profile))

    def cmyk_shown(pixels):
        from PIL import Image
        import io

        samples = np.asarray(Image.open(io.BytesIO(data)))  # Pillow turns the ink back
        return icc.to_srgb(samples, profile, "CMYK"), 3

    add(
        suite,
        "cmyk-icc",
        data,
        "CMYK with a profile: multiplied as stored, lcms2 when converted",
        reference="pillow",
        oracle="pillow",
        display=cmyk_shown,
    )


def metadata(suite):
    rgb = smooth(24, 16, 3, 1)
    source = rgba(rgb)
    s420 = ((2, 2), (1, 1), (1, 1))
    make = lambda before, **o: jpeg(colour(rgb, s420), before=before, **o)
    upright = lambda n: lambda p: (oriented(p, n), 2)
    for n in range(1, 9):
        add(
            suite,
            f"exif-orientation-{n}",
            make(exif_segment(exif(n, "<" if n % 2 else ">"))),
            f"EXIF orientation {n}",
            source=source,
            orientation=n,
            display=upright(n),
        )
    xmp = segment(0xE1, b"http://ns.adobe.com/xap/1.0/\0<x:xmpmeta/>")
    for name, note, before, n in (
        ("jfif-first", "JFIF ahead of EXIF", JFIF + exif_segment(exif(6)), 6),
        ("xmp-first", "XMP in an APP1 of its own ahead of EXIF", xmp + exif_segment(exif(8)), 8),
        ("twice", "two EXIF blocks: the first counts", exif_segment(exif(3)) + exif_segment(exif(6)), 3),
        ("zero", "orientation 0 counts as 1", exif_segment(exif(0)), 1),
        ("nine", "orientation 9 counts as 1", exif_segment(exif(9)), 1),
        ("long", "orientation stored as LONG: wrong type, ignored", exif_segment(exif(6, orientation_type=4)), 1),
        ("count-2", "orientation with count 2: ignored", exif_segment(exif(6, count=2)), 1),
        ("empty", "EXIF header with nothing behind", exif_segment(b""), 1),
        ("bad-magic", "TIFF header broken", exif_segment(b"II\x2b\0" + exif(6)[4:]), 1),
        (
            "offset-beyond",
            "offset of IFD0 behind the block",
            exif_segment(exif(6)[:4] + b"\xff\xff\xff\x7f" + exif(6)[8:]),
            1,
        ),
        ("ifd-loop", "the next IFD is the same one", exif_segment(exif(6, next_ifd=8)), 6),
        ("cut", "more entries than bytes", exif_segment(exif(6)[:16]), 1),
        (
            "exif-ifd-loop",
            "the Exif IFD points at IFD0",
            exif_segment(exif(6, entries=[(34665, 4, 1, b"\x08\0\0\0")])),
            6,
        ),
        ("many-entries", "65,535 entries claimed", exif_segment(exif(6)[:8] + b"\xff\xff" + exif(6)[10:]), 6),
    ):
        add(suite, f"exif-{name}", make(before), note, source=source, orientation=n, display=upright(n))
    swapped, p3 = icc.swapped_profile(), icc.rgb_profile("p3")
    through = lambda profile: lambda p: (icc.to_srgb(p, profile) if profile else p, 3 if profile else 2)
    for name, note, before, profile in (
        ("swapped", "red and green exchanged", icc_segments(swapped), swapped),
        ("p3", "Display P3", icc_segments(p3), p3),
        ("srgb", "sRGB in effect: not run", icc_segments(icc.rgb_profile("srgb")), None),
        ("3-chunks", "profile in three segments", icc_segments(swapped, 200), swapped),
        ("chunks-out-of-order", "segments 3, 1, 2", icc_segments(swapped, 200, [3, 1, 2]), swapped),
        ("chunk-missing", "segment 2 missing: profile ignored", icc_segments(swapped, 200, [1, 3]), None),
        ("chunk-twice", "segment 2 twice: profile ignored", icc_segments(swapped, 200, [1, 2, 2, 3]), None),
        (
            "chunk-count-wrong",
            "fewer segments than the count says: ignored",
            icc_segments(swapped, 200, total=9),
            None,
        ),
        ("chunk-zero", "segment number 0: ignored", segment(0xE2, b"ICC_PROFILE\0\0\1" + swapped), None),
        ("garbage", "does not parse: ignored", icc_segments(bytes(range(250))), None),
        ("gray-in-rgb", "gray profile in a colour picture: ignored", icc_segments(icc.gray_profile()), None),
        ("cmyk-in-rgb", "CMYK profile in a colour picture: ignored", icc_segments(icc.cmyk_profile()), None),
    ):
        add(suite, f"icc-{name}", make(before), note, source=source, display=through(profile))
    gray = smooth(24, 16, 1, 1)
    linear = icc.gray_profile(1.0)
    add(
        suite,
        "icc-gray",
        jpeg([Component(1, gray[:, :, 0])], before=icc_segments(linear)),
        "linear gray profile",
        source=rgba(gray),
        display=lambda p: (icc.to_srgb(p, linear, "L"), 3),
    )
    add(
        suite,
        "icc-rgb-in-gray",
        jpeg([Component(1, gray[:, :, 0])], before=icc_segments(swapped)),
        "RGB profile in a gray picture: ignored",
        source=rgba(gray),
        display=lambda p: (p, 2),
    )
    add(
        suite,
        "icc-and-orientation",
        make(exif_segment(exif(6)) + icc_segments(swapped)),
        "profile and orientation together",
        source=source,
        orientation=6,
        display=lambda p: (oriented(icc.to_srgb(p, swapped), 6), 3),
    )


def markers(suite):
    rgb = smooth(W, H, 3, 6)
    source = rgba(rgb)
    s420 = ((2, 2), (1, 1), (1, 1))
    make = lambda **o: jpeg(colour(rgb, s420), **o)
    plain = make()
    add(
        suite,
        "comments",
        make(
            before=JFIF + segment(0xFE, b"comment") + segment(0xED, b"Photoshop 3.0\0") + segment(0xEC, b"Ducky"),
            between=segment(0xFE, b"between"),
        ),
        "COM and APPn segments in many places",
        source=source,
    )
    add(
        suite,
        "fill-bytes",
        make(before=JFIF + b"\xff\xff\xff" + segment(0xFE, b"x"), end=b"\xff\xff\xff" + EOI),
        "fill bytes ahead of markers",
        source=source,
    )
    add(suite, "mpo", plain + make(before=b""), "a second JPEG behind EOI: ignored, no warning", source=source)
    add(suite, "trailing-bytes", plain + b"trailing bytes", "bytes behind EOI: ignored", source=source)
    add(suite, "no-eoi", make(end=b""), "no EOI behind the last row: a remark only", source=source, oracle="djpeg")
    add(
        suite,
        "junk-between-segments",
        make(before=JFIF + b"junk" + segment(0xFE, b"x")),
        "junk between segments",
        source=source,
        oracle="djpeg",
        status="corrupt",
    )
    add(
        suite,
        "jfif-thumbnail",
        make(before=segment(0xE0, b"JFIF\0\1\1\0\0\1\0\1\2\2" + bytes(12))),
        "JFIF with a thumbnail",
        source=source,
    )

    def flipped(at, mask=0x55):
        return lambda n, data: data[:at] + bytes([data[at] ^ mask]) + data[at + 1 :]

    add(
        suite,
        "bad-entropy",
        make(edit=flipped(40)),
        "a byte of entropy-coded data changed",
        oracle="djpeg",
        status="corrupt",
    )
    add(
        suite,
        "bad-entropy-restart",
        make(edit=flipped(40), restart=1),
        "a byte changed; restarts limit the damage",
        oracle="djpeg",
        status="corrupt",
    )
    add(
        suite,
        "extra-bytes-before-eoi",
        make(end=b"extra" + EOI),
        "extra bytes behind the last row: harmless",
        oracle="djpeg",
        source=source,
    )
    add(
        suite,
        "restart-missing",
        make(restart=1, restart_numbers=lambda n: None if n == 1 else n % 8),
        "restart marker 1 missing",
        oracle="djpeg",
        status="corrupt",
    )
    add(
        suite,
        "restart-wrong-number",
        make(restart=1, restart_numbers=lambda n: 5 if n == 1 else n % 8),
        "restart marker 1 numbered 5",
        oracle="djpeg",
        status="corrupt",
    )
    add(
        suite,
        "restart-all-missing",
        make(restart=1, restart_numbers=lambda n: None),
        "interval set, no restart marker there",
        oracle="djpeg",
        status="corrupt",
    )
    large = smooth(104, 80, 3, 4)  # 130 MCUs: more than a hundred warnings
    for name, options in (("", {}), ("-progressive", dict(marker=0xC2, scans=progressive_script(3)))):
        intact = jpeg(colour(large), restart=1, **options)
        stray = stray_bytes(intact)
        assert stray.count(b"\x11" * 12 + b"\xff") > 128 and np.array_equal(djpeg(stray), djpeg(intact))
        add(
            suite,
            f"restart-stray-bytes{name}",
            stray,
            "stray bytes before each of more than a hundred restart markers: no pixel is lost",
            source=rgba(large),
            oracle="djpeg",
            status="corrupt",
        )
    one = jpeg(colour(rgb), restart=4)  # one restart a row of MCUs: 8 pixel rows
    at = one.index(b"\xff\xd1")
    add(
        suite,
        "truncated-after-16-rows",
        one[:at],
        "the file ends behind the second row of MCUs",
        status="truncated",
        rows=16,
        oracle="djpeg",
    )
    at = one.index(b"\xff\xd0")
    add(
        suite,
        "truncated-after-8-rows",
        one[:at],
        "the file ends behind the first row of MCUs",
        status="truncated",
        rows=8,
        oracle="djpeg",
    )
    start = list(segments_of(plain))[-1][2]
    add(
        suite,
        "truncated-420",
        plain[: start + (len(plain) - start) * 3 // 4],
        "4:2:0, three quarters of the scan; row 15 needs chroma from the missing row of MCUs",
        status="truncated",
        rows=15,
        oracle="djpeg",
    )
    progressive = make(marker=0xC2, scans=progressive_script(3))
    scans = [i for i in range(len(progressive)) if progressive[i : i + 2] == b"\xff\xda"]
    add(
        suite,
        "truncated-progressive",
        progressive[: scans[6] + 16],
        "progressive, the file ends in the seventh of ten scans",
        status="truncated",
        rows=0,
        oracle="djpeg",
    )
    add(
        suite,
        "truncated-progressive-dc",
        progressive[: scans[1] - 5],
        "progressive, the file ends behind the first DC scan",
        status="truncated",
        rows=0,
        oracle="djpeg",
    )


def make(suite):
    suite.script = "jpeg.py"
    for part in (samplings, coding, colours, metadata, markers):
        part(suite)
