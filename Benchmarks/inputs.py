#!/usr/bin/env python3
"""Generates the images for `make bench` and Scripts/bench/peak-memory.

    Benchmarks/inputs.py FOLDER [NAME...]

Photographs are mosaics of those that scikit-image contains (Fixtures/make/mosaic.py); flat art and the screenshot are
drawn by this script. Existing files are not written again. NAMEs (without name extension) select images. Equal versions
of Python's zlib, numpy, Pillow and its fonts generate equal files. The files (100 MB) are not part of the repository;
generating them takes about a minute.

This script encodes all PNG files in one way: level 6, for each row the filter with the smallest sum of magnitudes (no
filter for palettes and for less than 8 bits), IDAT chunks of 32 KiB.
"""

import os
import struct
import sys
import zlib

import numpy as np
from PIL import Image, ImageDraw, ImageFont

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../Fixtures/make"))
from mosaic import mosaic  # noqa: E402

LARGE, MEDIUM, SMALL = (4000, 3000), (2048, 1536), (816, 612)  # 12, 3 and 0.5 megapixels


# ------------------------------------------------------------------ PNG


def filtered(rows, bpp):
    """Rows of bytes with their filter bytes, each filtered so that the sum of magnitudes is least."""
    left = np.zeros_like(rows)
    left[:, bpp:] = rows[:, :-bpp]
    up = np.zeros_like(rows)
    up[1:] = rows[:-1]
    corner = np.zeros_like(rows)
    corner[1:, bpp:] = rows[:-1, :-bpp]
    a, b, c = (x.astype(np.int16) for x in (left, up, corner))
    pa, pb, pc = np.abs(b - c), np.abs(a - c), np.abs(a + b - 2 * c)
    paeth = np.where((pa <= pb) & (pa <= pc), left, np.where(pb <= pc, up, corner))
    average = ((a + b) // 2).astype(np.uint8)
    choices = [rows] + [rows - predicted for predicted in (left, up, average, paeth)]
    costs = np.stack([np.minimum(x, 256 - x.astype(np.int16)).sum(1) for x in choices])
    best = costs.argmin(0)
    out = np.empty((rows.shape[0], rows.shape[1] + 1), np.uint8)
    out[:, 0] = best
    for number, choice in enumerate(choices):
        out[best == number, 1:] = choice[best == number]
    return out.tobytes()


def packed(samples, bits):
    """Samples of 1, 2 or 4 bits, row by row, the first in the highest bits."""
    count = 8 // bits
    samples = np.pad(samples, ((0, 0), (0, -samples.shape[1] % count)))
    parts = samples.reshape(samples.shape[0], -1, count)
    return sum(parts[:, :, i] << (8 - bits * (i + 1)) for i in range(count)).astype(np.uint8)


def write_png(path, samples, color_type, bits=8, palette=None, interlaced=False):
    """`samples` is height x width x channels, or height x width."""
    samples = samples if samples.ndim == 3 else samples[:, :, None]
    height, width, channels = samples.shape
    passes = [(0, 0, 1, 1)]
    if interlaced:
        passes = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
    data = b""
    for x, y, across, down in passes:
        part = samples[y::down, x::across]
        if part.size == 0:
            continue
        if bits < 8:
            rows = packed(part[:, :, 0], bits)
        elif bits == 16:
            rows = part.astype(">u2").reshape(part.shape[0], -1).view(np.uint8)
        else:
            rows = part.reshape(part.shape[0], -1)
        plain = bits < 8 or color_type == 3
        rows = np.ascontiguousarray(rows)
        data += np.pad(rows, ((0, 0), (1, 0))).tobytes() if plain else filtered(rows, channels * bits // 8)
    stream = zlib.compress(data, 6)

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        file.write(chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, color_type, 0, 0, interlaced)))
        if palette is not None:
            file.write(chunk(b"PLTE", np.asarray(palette, np.uint8).tobytes()))
        for at in range(0, len(stream), 32768):
            file.write(chunk(b"IDAT", stream[at : at + 32768]))
        file.write(chunk(b"IEND", b""))


def write_indexed(path, image, bits):
    """The image's palette has at most 2 ** bits colours."""
    palette = np.asarray(image.getpalette(), np.uint8).reshape(-1, 3)[: 2**bits]
    write_png(path, np.asarray(image), 3, bits, palette)


# ------------------------------------------------------------------ TIFF without compression


def write_tiff(path, samples, tile=None):
    """RGB in strips of 16 rows, or in tiles of `tile` pixels a side."""
    height, width, _ = samples.shape
    if tile:
        padded = np.pad(samples, ((0, -height % tile), (0, -width % tile), (0, 0)), "edge")
        parts = [
            padded[y : y + tile, x : x + tile].tobytes()
            for y in range(0, height, tile)
            for x in range(0, width, tile)
        ]
        layout = [(322, 4, [tile]), (323, 4, [tile])]
        offsets, counts = 324, 325
    else:
        parts = [samples[y : y + 16].tobytes() for y in range(0, height, 16)]
        layout = [(278, 4, [16])]
        offsets, counts = 273, 279
    starts = [8 + sum(map(len, parts[:i])) for i in range(len(parts))]
    tags = [
        (256, 4, [width]), (257, 4, [height]), (258, 3, [8, 8, 8]), (259, 3, [1]), (262, 3, [2]), (277, 3, [3]),
        (284, 3, [1]), (offsets, 4, starts), (counts, 4, [len(p) for p in parts]), *layout,
    ]
    at = starts[-1] + len(parts[-1])
    directory, extra = struct.pack("<H", len(tags)), b""
    behind = at + 2 + 12 * len(tags) + 4
    for tag, kind, values in sorted(tags):
        body = struct.pack(f"<{len(values)}{'H' if kind == 3 else 'I'}", *values)
        if len(body) > 4:
            field, extra = struct.pack("<I", behind + len(extra)), extra + body
        else:
            field = body.ljust(4, b"\0")
        directory += struct.pack("<HHI", tag, kind, len(values)) + field
    with open(path, "wb") as file:
        file.write(b"II*\0" + struct.pack("<I", at))
        file.writelines(parts)
        file.write(directory + struct.pack("<I", 0) + extra)


# ------------------------------------------------------------------ images


def photo(size=MEDIUM, seed=3):
    return mosaic(*size, seed=seed)


def translucent(size=MEDIUM):
    """Every alpha there is, in soft waves."""
    x, y = np.meshgrid(np.linspace(0, 9, size[0]), np.linspace(0, 7, size[1]))
    alpha = np.clip(128 + 200 * np.sin(x) * np.cos(y), 0, 255).astype(np.uint8)
    return np.dstack([np.asarray(photo(size, seed=4)), alpha])


def flat_art(size=MEDIUM, seed=5, transparent=True):
    """Shapes of one colour each with smooth edges, as a drawing program writes them."""
    random = np.random.default_rng(seed)
    width, height = size[0] * 2, size[1] * 2
    canvas = Image.new("RGBA", (width, height), (0, 0, 0, 0) if transparent else (250, 248, 240, 255))
    draw = ImageDraw.Draw(canvas)
    for _ in range(60):
        color = tuple(int(v) for v in random.integers(30, 250, 3)) + (255,)
        x, y = int(random.integers(width)), int(random.integers(height))
        w, h = (int(v) for v in random.integers(200, 1400, 2))
        kind = random.integers(3)
        if kind == 0:
            draw.ellipse((x - w, y - h, x + w, y + h), fill=color)
        elif kind == 1:
            draw.rounded_rectangle((x - w, y - h, x + w, y + h), 160, fill=color)
        else:
            draw.polygon([(x, y - h), (x + w, y + h // 2), (x - w, y + h)], fill=color)
    return canvas.reduce(2)


WORDS = """window buffer decode row cache loader width height stream filter index palette frame picture bytes
limit""".split()


def screenshot(size=(1920, 1600), seed=6):
    """A desktop: windows with title bars, buttons, and text on white and on dark."""
    random = np.random.default_rng(seed)
    image = Image.new("RGB", size, (44, 62, 80))
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(15)

    def window(x, y, w, h, paper, ink):
        draw.rectangle((x, y, x + w, y + h), fill=paper, outline=(120, 120, 120))
        for line in range(28):
            shade = 235 - line
            draw.line((x + 1, y + 1 + line, x + w - 1, y + 1 + line), fill=(shade, shade, shade))
        for button, color in enumerate([(237, 106, 94), (245, 191, 79), (98, 197, 84)]):
            draw.ellipse((x + 10 + 20 * button, y + 8, x + 22 + 20 * button, y + 20), fill=color)
        draw.text((x + 90, y + 6), " ".join(random.choice(WORDS, 3)), (60, 60, 60), font)
        for top in range(y + 38, y + h - 20, 20):
            indent = 16 * int(random.integers(0, 5))
            text = " ".join(random.choice(WORDS, int(random.integers(2, max(3, w // 90)))))
            if random.integers(6) > 0:
                draw.text((x + 12 + indent, top), text, ink if random.integers(5) else (40, 110, 200), font)

    window(30, 30, 900, 1100, (255, 255, 255), (30, 30, 30))
    window(960, 60, 920, 700, (30, 32, 38), (210, 214, 220))
    window(500, 620, 1000, 860, (255, 255, 255), (30, 30, 30))
    window(1240, 900, 640, 640, (246, 246, 246), (50, 50, 50))
    draw.rectangle((0, size[1] - 40, size[0], size[1]), fill=(24, 24, 24))
    for icon in range(14):
        color = tuple(int(v) for v in random.integers(60, 240, 3))
        draw.rounded_rectangle((20 + icon * 52, size[1] - 36, 52 + icon * 52, size[1] - 4), 6, fill=color)
    return image


# ------------------------------------------------------------------ animations


def save_animation(path, frames, **options):
    frames[0].save(path, save_all=True, append_images=frames[1:], loop=0, duration=40, **options)


def dense(path):
    """48 frames of 640 x 480 that change everywhere: a camera moves over a photograph."""
    wide = photo((1024, 640), seed=8).quantize(256, dither=Image.Dither.FLOYDSTEINBERG)
    frames = [wide.crop((4 * n, 2 * n, 4 * n + 640, 2 * n + 480)) for n in range(48)]
    save_animation(path, frames, optimize=False, disposal=1)


def sparse_frames():
    """380 frames of 640 x 480 in which little changes: a pointer moves over a screen, text appears, a menu opens."""
    screen = screenshot((640, 480), seed=9).quantize(64, dither=Image.Dither.NONE)
    colors = np.asarray(screen.getpalette()).reshape(-1, 3)[:64].sum(1)
    dark, light = int(colors.argmin()), int(colors.argmax())
    draw = ImageDraw.Draw(screen)
    frames = []
    for n in range(380):
        x, y = 60 + n % 70 * 7, 60 + n // 70 * 60
        if n % 5 == 0:
            draw.rectangle((x, y, x + 25, y + 8), fill=light)
            draw.line((x + 1, y + 2 + n % 4, x + 20, y + 6), fill=dark)
        frame = screen.copy()
        pen = ImageDraw.Draw(frame)
        if n % 60 > 48:
            pen.rectangle((380, 100, 520, 300), fill=light, outline=dark)
        x, y = int(320 + 240 * np.sin(n / 21)), int(240 + 190 * np.sin(n / 13))
        pen.polygon([(x, y), (x + 9, y + 9), (x + 4, y + 9), (x, y + 14)], fill=dark, outline=light)
        frames.append(frame)
    return frames


def sparse(path):
    save_animation(path, sparse_frames(), optimize=False, disposal=1)


# ------------------------------------------------------------------ the set


def luma(image):
    return np.asarray(image).astype(np.float64) @ (0.299, 0.587, 0.114)


def dithered(image, levels):
    """Gray of few levels, by ordered thresholds."""
    order = np.array([[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]]) / 16
    height, width = image.size[1], image.size[0]
    noise = np.tile(order, (height // 4 + 1, width // 4 + 1))[:height, :width]
    return np.minimum(luma(image) / 255 * (levels - 1) + noise, levels - 1).astype(np.uint8)


def jpeg(size, **options):
    options = {"quality": 87, "subsampling": 2, **options}
    return lambda path: photo(size, seed=size[0]).save(path, "JPEG", **options)


def tiff(**options):
    return lambda path: photo().save(path, "TIFF", **options)


def webp(size=MEDIUM, **options):
    options = {"quality": 80, "method": 4, **options}
    return lambda path: photo(size, seed=size[0]).save(path, "WEBP", **options)


def sparse_webp(path):
    """The frames of `sparse`, as lossless rectangles that replace what changed; no key frames."""
    frames = [frame.convert("RGB") for frame in sparse_frames()]
    save_animation(path, frames, format="WEBP", lossless=True, quality=50, method=2, kmin=0, kmax=0)


def dense_webp(path):
    """48 lossy frames of 640 x 480: a camera moves over a photograph."""
    wide = photo((1024, 640), seed=8)
    frames = [wide.crop((4 * n, 2 * n, 4 * n + 640, 2 * n + 480)) for n in range(48)]
    save_animation(path, frames, format="WEBP", quality=75, method=2)


def indexed(colors):
    return photo().quantize(colors, dither=Image.Dither.FLOYDSTEINBERG)


INPUTS = {
    "png-rgb.png": lambda path: write_png(path, np.asarray(photo()), 2),
    "png-rgba.png": lambda path: write_png(path, translucent(), 6),
    "png-flat.png": lambda path: write_png(path, np.asarray(flat_art()), 6),
    "png-screenshot.png": lambda path: write_png(path, np.asarray(screenshot()), 2),
    "png-palette.png": lambda path: write_indexed(path, indexed(256), 8),
    "png-gray8.png": lambda path: write_png(path, luma(photo()).round().astype(np.uint8), 0),
    "png-gray16.png": lambda path: write_png(path, (luma(photo()) * 257).round().astype(np.uint16), 0, 16),
    "png-rgb16.png": lambda path: write_png(path, np.asarray(photo()).astype(np.uint16) * 257, 2, 16),
    "png-interlaced.png": lambda path: write_png(path, np.asarray(photo()), 2, interlaced=True),
    "png-1bit.png": lambda path: write_png(path, dithered(photo(), 2), 0, 1),
    "png-2bit.png": lambda path: write_png(path, dithered(photo(), 4), 0, 2),
    "png-4bit.png": lambda path: write_indexed(path, indexed(16), 4),
    "jpeg-0.5mp.jpg": jpeg(SMALL),
    "jpeg-3mp.jpg": jpeg(MEDIUM),
    "jpeg-3mp-444.jpg": jpeg(MEDIUM, subsampling=0),
    "jpeg-3mp-progressive.jpg": jpeg(MEDIUM, progressive=True),
    "jpeg-12mp.jpg": jpeg(LARGE),
    "jpeg-12mp-progressive.jpg": jpeg(LARGE, progressive=True),
    "gif-still.gif": lambda path: indexed(256).save(path, interlace=0, optimize=False),
    "gif-still-flat.gif": lambda path: flat_art(transparent=False).convert("RGB").quantize(
        128, dither=Image.Dither.NONE).save(path, interlace=0, optimize=False),
    "gif-dense.gif": dense,
    "gif-sparse.gif": sparse,
    "webp-3mp.webp": webp(),
    "webp-3mp-alpha.webp": lambda path: Image.fromarray(translucent(), "RGBA").save(path, "WEBP", quality=80),
    "webp-12mp.webp": webp(LARGE),
    "webp-lossless.webp": webp(lossless=True, quality=50, method=3),
    "webp-lossless-flat.webp": lambda path: flat_art().save(path, "WEBP", lossless=True, quality=50),
    "webp-sparse.webp": sparse_webp,
    "webp-dense.webp": dense_webp,
    "tiff-none.tif": lambda path: write_tiff(path, np.asarray(photo())),
    "tiff-none-tiles.tif": lambda path: write_tiff(path, np.asarray(photo()), tile=256),
    "tiff-lzw.tif": tiff(compression="tiff_lzw"),
    "tiff-lzw-predictor.tif": tiff(compression="tiff_lzw", tiffinfo={317: 2}),
    "tiff-deflate.tif": tiff(compression="tiff_adobe_deflate"),
    "tiff-jpeg.tif": tiff(compression="jpeg", quality=87),
    "bmp-24.bmp": lambda path: photo().save(path, "BMP"),
    "bmp-24-12mp.bmp": lambda path: photo(LARGE, seed=4000).save(path, "BMP"),
    "bmp-32.bmp": lambda path: Image.fromarray(translucent(), "RGBA").save(path, "BMP"),
}


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    folder, chosen = sys.argv[1], sys.argv[2:]
    os.makedirs(folder, exist_ok=True)
    for name, make in INPUTS.items():
        path = os.path.join(folder, name)
        if os.path.exists(path) or (chosen and os.path.splitext(name)[0] not in chosen):
            continue
        stem, ending = os.path.splitext(path)
        make(stem + ".part" + ending)
        os.replace(stem + ".part" + ending, path)
        print(f"{name}: {os.path.getsize(path) / 1e6:.1f} MB", file=sys.stderr, flush=True)


main()
