"""TIFF fixtures, compressed kinds: our own encoders, libtiff's, JPEG old and new, subsampled YCbCr."""

import os
import subprocess
import tempfile

import numpy as np
import tifffile

from jpegwriter import colour, jpeg
from suite import float8, pattern, rgba, smooth, to8
from tiff import H, W, add, name_of, raw, reduce, samples_for
from tiffwriter import LONG, RATIONAL, SHORT, Page, by_libtiff, lzw, pack_row, tiff


def by_tiff2rgba(data):
    """libtiff's own RGBA interface, version of the system."""
    with tempfile.TemporaryDirectory() as folder:
        a, b = os.path.join(folder, "a.tif"), os.path.join(folder, "b.tif")
        open(a, "wb").write(data)
        run = subprocess.run(["tiff2rgba", "-c", "none", a, b], capture_output=True)
        assert os.path.exists(b) and run.returncode == 0, run.stderr
        out = tifffile.imread(b)
    return rgba(out[:, :, :3])


def compressions(suite):
    rgb = pattern(W, H, 3, 8)
    flat = np.repeat(np.repeat(pattern(5, 3, 3, 8), 6, 0), 9, 1)
    for endian in "<>":
        for code, name in ((5, "lzw"), (8, "deflate"), (32946, "deflate-32946"), (32773, "packbits")):
            if endian == ">" and code in (32946,):
                continue
            add(
                suite,
                f"{name}-{name_of(endian)}",
                tiff(Page(flat, 8, 2, compression=code, rows=5, endian=endian)),
                rgba(flat),
                name,
            )
    add(
        suite,
        "lzw-old",
        tiff(Page(flat, 8, 2, compression="old-lzw")),
        rgba(flat),
        "LZW with the bit order used before 1987",
    )
    y, x = np.mgrid[0:70, 0:80]
    noise = (((x * x * 7 + y * y * 13 + x * y * 5) // 3 + x * 31) & 255)[:, :, None]
    add(suite, "lzw-full-table", tiff(Page(noise, 8, 1, compression=5)), rgba(noise), "LZW, the table fills up")
    for bits, channels in ((8, 1), (8, 3), (16, 1), (16, 3), (32, 1), (64, 1)):
        for endian in "<>" if bits > 8 else "<":
            s = samples_for(bits, channels)
            add(
                suite,
                f"predictor-2-{channels}x{bits}-{name_of(endian)}",
                tiff(Page(s, bits, 1 if channels == 1 else 2, compression=5, predictor=2, endian=endian)),
                rgba(reduce(s, bits)),
                f"LZW, predictor 2, {bits} bits",
                samples=raw(s, bits),
                oracle_tolerance=1 if bits == 16 else 0,
            )
    for bits in (16, 24, 32, 64):
        for channels in (1, 3):
            for endian in "<>" if bits == 32 else "<":
                if bits == 24:
                    continue
                s = samples_for(bits, channels, "f")
                add(
                    suite,
                    f"predictor-3-{channels}x{bits}-{name_of(endian)}",
                    tiff(
                        Page(s, bits, 1 if channels == 1 else 2, kind="f", compression=8, predictor=3, endian=endian)
                    ),
                    rgba(float8(s)),
                    f"Deflate, predictor 3, {bits} bits",
                    samples=raw(s, bits, "f"),
                )
    four = samples_for(8, 4)
    add(
        suite,
        "predictor-2-rgba8",
        tiff(Page(four, 8, 2, extra=[2], compression=8, predictor=2)),
        rgba(four),
        "Deflate, predictor 2, RGBA",
        alpha=True,
    )
    gray2 = samples_for(2)
    add(
        suite,
        "next-2-bit",
        tiff(Page(gray2, 2, 1, compression=32766)),
        rgba(to8(gray2, 2)),
        "NeXT 2-bit, literal rows",
    )
    gray4 = samples_for(4, w=14)
    add(
        suite,
        "thunderscan",
        tiff(Page(gray4, 4, 1, compression=32809)),
        rgba(to8(gray4, 4)),
        "ThunderScan, raw codes",
    )

    def fields(w, h, bits, n, photometric, compression, *more, rows=None, extra=None):
        out = [(256, w), (257, h), (258, bits), (277, n), (262, photometric), (284, 1), (278, rows or h)]
        return out + ([(338, extra)] if extra else []) + [(259, compression)] + list(more)

    def strips(samples, bits, rows=None, kind="u"):
        lines = [pack_row(r.reshape(-1), bits, "<", kind) for r in samples]
        rows = rows or len(lines)
        return [b"".join(lines[i : i + rows]) for i in range(0, len(lines), rows)]

    line_art = (pattern(70, 21, 1, 8, 3) > 128).astype(np.uint32)
    for name, code, more in (
        ("rle", 2, ()),
        ("g3-1d", 3, ((292, 0),)),
        ("g3-2d", 3, ((292, 1),)),
        ("g3-fill", 3, ((292, 4),)),
        ("g4", 4, ()),
    ):
        for photometric in (0, 1):
            for order in (1, 2):
                if order == 2 and (photometric or name not in ("g3-1d", "g4", "rle")):
                    continue
                data = by_libtiff(
                    strips(line_art, 1, 8),
                    fields(70, 21, 1, 1, photometric, code, *more, rows=8) + ([(266, 2)] if order == 2 else []),
                )
                shown = rgba(line_art * 255 if photometric else 255 - line_art * 255)
                add(
                    suite,
                    f"ccitt-{name}{'-black-is-zero' if photometric else ''}{'-fill-order-2' if order == 2 else ''}",
                    data,
                    shown,
                    f"CCITT {name}, by libtiff",
                )
    for name, code in (("zstd", 50000), ("lzma", 34925)):
        add(
            suite,
            name,
            by_libtiff(strips(rgb, 8, 4), fields(W, H, 8, 3, 2, code, rows=4)),
            rgba(rgb),
            f"{name}, by libtiff",
        )
        deep = samples_for(16, 3)
        add(
            suite,
            f"{name}-rgb16-predictor",
            by_libtiff(strips(deep, 16, 4), fields(W, H, 16, 3, 2, code, (317, 2), rows=4)),
            rgba(to8(deep, 16)),
            f"{name}, 16 bits, predictor 2, by libtiff",
            oracle_tolerance=1,
        )
    add(
        suite,
        "webp-lossless",
        by_libtiff(strips(rgb, 8), fields(W, H, 8, 3, 2, 50001, (65569, 1))),
        rgba(rgb),
        "WebP, lossless, by libtiff",
    )
    add(
        suite,
        "webp-lossless-rgba",
        by_libtiff(strips(four, 8), fields(W, H, 8, 4, 2, 50001, (65569, 1), extra=(2,))),
        rgba(four),
        "WebP, lossless, with alpha, by libtiff",
        alpha=True,
        samples=raw(four, 8),
    )
    photo = smooth(W * 2, H * 2)
    data = by_libtiff(strips(photo, 8), fields(W * 2, H * 2, 8, 3, 2, 50001, (65568, 90)))
    add(suite, "webp-lossy", data, by_tiff2rgba(data), "WebP, lossy, by libtiff", tolerance=2, oracle="tiff2rgba")
    add(
        suite,
        "lerc",
        by_libtiff(strips(rgb, 8), fields(W, H, 8, 3, 2, 34887)),
        rgba(rgb),
        "LERC, lossless, by libtiff",
        samples=raw(rgb, 8),
    )
    f = samples_for(32, 1, "f")
    add(
        suite,
        "lerc-float32",
        by_libtiff(strips(f, 32, kind="f"), fields(W, H, 32, 1, 1, 34887)[:-1] + [(339, 3), (259, 34887)]),
        rgba(float8(f)),
        "LERC, float, by libtiff",
        samples=raw(f, 32, "f"),
    )
    add(
        suite,
        "jbig",
        by_libtiff(strips(line_art, 1), fields(70, 21, 1, 1, 0, 34661)),
        rgba(255 - line_art * 255),
        "JBIG, by libtiff",
        oracle="maker",
    )
    data = by_libtiff(strips(photo, 8), fields(W * 2, H * 2, 8, 3, 2, 32909, (65549, 0)))
    add(
        suite,
        "pixarlog-rgb8",
        data,
        by_tiff2rgba(data),
        "PixarLog, 8 bits, by libtiff",
        tolerance=1,
        oracle="tiff2rgba",
    )
    gray = smooth(W * 2, H * 2, 1)
    for name, code, photometric, n in (
        ("logluv", 34676, 32845, 3),
        ("logluv24", 34677, 32845, 3),
        ("logl", 34676, 32844, 1),
    ):
        y, x = np.mgrid[0:H, 0:W]
        xyz = np.dstack([0.2 + x / 20, 0.1 + (x + y) / 25, 0.15 + y / 12])[:, :, : n if n == 3 else 1].astype("<f4")
        more = fields(W, H, 32, n, photometric, code)
        data = by_libtiff([xyz.tobytes()], more[:-1] + [(339, 3), (259, code), (65560, 0)])
        add(suite, name, data, by_tiff2rgba(data), f"{name}, by libtiff", tolerance=2, oracle="tiff2rgba")

    # JPEG inside TIFF.
    for name, photometric, n, more in (
        ("jpeg-rgb", 2, 3, ()),
        ("jpeg-gray", 1, 1, ()),
        ("jpeg-ycbcr-420", 6, 3, ((65538, 1),)),
        ("jpeg-no-tables", 6, 3, ((65538, 1), (65539, 0))),
    ):
        for rows in (16, 18):
            if rows == 18 and name != "jpeg-ycbcr-420":
                continue
            source = (photo if n == 3 else gray)[:rows]
            tags = fields(26, rows, 8, n, photometric, 7, *more, rows=16)
            data = by_libtiff(strips(source, 8, 16), tags)
            add(
                suite,
                f"{name}{'-2-strips' if rows == 18 else ''}",
                data,
                by_tiff2rgba(data),
                "JPEG in TIFF, by libtiff",
                tolerance=2,
                reference_by="tiff2rgba",
            )
    blocks = [
        np.pad(
            photo[y : y + 16, x : x + 16],
            ((0, 16 - photo[y : y + 16].shape[0]), (0, 16 - photo[:, x : x + 16].shape[1]), (0, 0)),
            mode="edge",
        )
        for y in (0, 16)
        for x in (0, 16)
    ]
    tags = [(256, 26), (257, 18), (258, 8), (277, 3), (262, 6), (284, 1), (322, 16), (323, 16), (259, 7), (65538, 1)]
    data = by_libtiff([b.tobytes() for b in blocks], tags, tiled=True)
    add(
        suite, "jpeg-tiles", data, by_tiff2rgba(data), "JPEG tiles, by libtiff", tolerance=2, reference_by="tiff2rgba"
    )

    # Old JPEG: a whole stream behind JPEGInterchangeFormat.
    for name, sampling in (("444", (1, 1)), ("420", (2, 2))):
        stream = jpeg(colour(photo, (sampling, (1, 1), (1, 1))))
        page = Page(photo, 8, 6, compression=1, segments=[stream])

        def edit(tags, offsets, counts, sampling=sampling):
            tags[259] = (SHORT, [6])
            tags[512] = (SHORT, [1])
            tags[513], tags[514] = (LONG, offsets), (LONG, counts)
            tags[530] = (SHORT, list(sampling))
            del tags[273], tags[279]

        data = tiff(page, edit=edit)
        add(
            suite,
            f"old-jpeg-{name}",
            data,
            by_tiff2rgba(data),
            "old JPEG, one stream",
            tolerance=2,
            oracle="tiff2rgba",
        )


def ycbcr(suite):
    rgb = smooth(17, 11).astype(float)
    y = 0.299 * rgb[:, :, 0] + 0.587 * rgb[:, :, 1] + 0.114 * rgb[:, :, 2]
    planes = np.dstack([y, (rgb[:, :, 2] - y) / 1.772 + 128, (rgb[:, :, 0] - y) / 1.402 + 128])
    planes = np.clip(np.floor(planes + 0.5), 0, 255).astype(np.uint8)
    h, w = y.shape
    levels = {532: (RATIONAL, [(0, 1), (255, 1), (128, 1), (255, 1), (128, 1), (255, 1)])}
    for sx, sy in ((1, 1), (2, 1), (2, 2), (1, 2), (4, 1), (4, 4)):
        if (sx, sy) == (1, 2):
            continue  # TIFF 6.0 section 21: not below the horizontal factor
        wide, tall = -(-w // sx) * sx, -(-h // sy) * sy
        full = np.pad(planes, ((0, tall - h), (0, wide - w), (0, 0)), mode="edge")
        out = b""
        for by in range(0, tall, sy):
            for bx in range(0, wide, sx):
                block = full[by : by + sy, bx : bx + sx]
                out += block[:, :, 0].tobytes() + block[0, 0, 1:].tobytes()
        for code, name in ((1, ""), (5, "-lzw")):
            if code == 5 and (sx, sy) != (2, 2):
                continue
            data = tiff(
                Page(
                    planes,
                    8,
                    6,
                    segments=[out if code == 1 else lzw(out)],
                    tags=levels | {530: (SHORT, [sx, sy]), 531: (SHORT, [1]), 259: (SHORT, [code])},
                )
            )
            chroma = full.astype(float)
            chroma = chroma[np.arange(h) // sy * sy][:, np.arange(w) // sx * sx]
            cb, cr = chroma[:, :, 1] - 128, chroma[:, :, 2] - 128
            luma = planes[:, :, 0]
            shown = np.dstack([luma + 1.402 * cr, luma - 0.344136 * cb - 0.714136 * cr, luma + 1.772 * cb])
            shown = rgba(np.clip(np.floor(shown + 0.5), 0, 255))
            # libtiff leaves a corner of incomplete 4 x 4 blocks black.
            agree = np.abs(by_tiff2rgba(data).astype(int) - shown).max() <= 2
            assert agree or (sx, sy) == (4, 4)
            add(
                suite,
                f"ycbcr-{sx}x{sy}{name}",
                data,
                shown,
                f"YCbCr, subsampled {sx} x {sy}",
                tolerance=2,
                oracle="maker+tiff2rgba" if agree else "maker",
            )


def make(suite):
    suite.script = "tiff_packed.py"
    compressions(suite)
    ycbcr(suite)
