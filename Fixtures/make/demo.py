"""demo/: pictures that look like pictures, made from arithmetic alone, for trying the tools by hand."""

import io

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

import icc
import oracles
from bmpwriter import bmp, dib, table
from bmp import encode_runs
from exif import exif
from gif import Frame as GifFrame, compose as compose_gif
from gifwriter import TRAILER, head, loop
from apng import Frame as ApngFrame, apng
from jpeg import cjpeg, djpeg
from jpegwriter import exif_segment

from pngwriter import chunk, png
from suite import Suite, oriented, rgba, to8
from tiffwriter import Page, by_libtiff, pack_row, tiff
import zlib

# ---------------------------------------------------------------- brushes


def lattice(x, y, seed):
    """A number in 0...1 for each lattice point."""
    h = (
        x.astype(np.uint64) * np.uint64(374761393)
        + y.astype(np.uint64) * np.uint64(668265263)
        + np.uint64(seed * 2246822519)
    ) & np.uint64(0xFFFFFFFF)
    h = ((h ^ (h >> np.uint64(13))) * np.uint64(1274126177)) & np.uint64(0xFFFFFFFF)
    return (h ^ (h >> np.uint64(16))).astype(np.float64) / 0xFFFFFFFF


def noise(x, y, seed=0):
    xi, yi = np.floor(x).astype(np.int64) + 4096, np.floor(y).astype(np.int64) + 4096
    fx, fy = x - np.floor(x), y - np.floor(y)
    fx, fy = fx * fx * (3 - 2 * fx), fy * fy * (3 - 2 * fy)
    a, b = lattice(xi, yi, seed), lattice(xi + 1, yi, seed)
    c, d = lattice(xi, yi + 1, seed), lattice(xi + 1, yi + 1, seed)
    return (a + (b - a) * fx) * (1 - fy) + (c + (d - c) * fx) * fy


def fractal(x, y, seed=0, octaves=6, gain=0.5):
    total, amplitude, norm = 0, 1.0, 0
    for n in range(octaves):
        total = total + amplitude * noise(x * 2**n, y * 2**n, seed + n * 17)
        norm += amplitude
        amplitude *= gain
    return total / norm


def mix(a, b, t):
    t = np.clip(np.asarray(t), 0, 1)[..., None]
    return np.asarray(a, float) * (1 - t) + np.asarray(b, float) * t


def gradient(t, stops):
    """Colours along t by (position, colour) stops."""
    out = np.zeros(t.shape + (3,))
    for channel in range(3):
        out[..., channel] = np.interp(t, [s[0] for s in stops], [s[1][channel] for s in stops])
    return out


def soft(edge, width):
    return np.clip(edge / width + 0.5, 0, 1)


def bytes_of(picture):
    return np.clip(np.floor(picture + 0.5), 0, 255).astype(np.uint8)


def grid(w, h):
    y, x = np.mgrid[0:h, 0:w].astype(np.float64)
    return x, y


def dither(picture, amount=1.5):
    x, y = grid(picture.shape[1], picture.shape[0])
    return picture + (lattice(x, y, 99)[..., None] - 0.5) * amount


def font(size):
    return ImageFont.load_default(size)


# ---------------------------------------------------------------- pictures


def mountains(w, h, sky, near, far, seed=5, sun=(0.68, 0.42), haze=1.0, snow=True, base=0.44, layers=6):
    """Ridges in the haze under a low sun."""
    x, y = grid(w, h)
    u, v = x / w, y / h
    picture = gradient(v, sky)
    distance = np.hypot((u - sun[0]) * w / h, v - sun[1])
    glow = np.exp(-distance * 5)[..., None]
    picture += glow * np.array([120, 80, 30])
    clouds = np.clip(fractal(u * 4 + 3, v * 14, seed + 50, 6) - 0.5, 0, 1) * 3 * np.clip(1 - v * 1.6, 0, 1)
    picture = mix(picture, np.array([255, 214, 180]), clouds * 0.8)
    picture = mix(picture, np.array([255, 246, 220]), soft(0.038 - distance, 0.006))
    for n in range(layers):
        t = n / (layers - 1)
        line = base + (0.9 - base) * t**1.15
        height = (0.5 - 0.28 * t) * (1 - base) * 1.3
        ridge = 1 - np.abs(
            2 * fractal(u * (2.2 + n * 0.9) + n * 9.7, np.full_like(u, n * 3.1), seed + n, 7, 0.52) - 1
        )
        top = line - height * (ridge - 0.62)
        colour = mix(np.array(far, float), np.array(near, float), np.full(u.shape, t**0.8))
        slope = fractal(u * 18 + v * 9 + n * 5, v * 22, seed + 31 * n, 5)
        colour = colour * (0.82 + 0.36 * slope[..., None])
        if snow and n < 3:
            crest = np.clip((line - 0.02 - top) * 16, 0, 1)  # only high ridges carry snow
            white = (
                crest
                * np.clip((0.045 - (v - top)) * 26, 0, 1)
                * np.clip((slope - 0.46 + (0.03 - (v - top)) * 3) * 9, 0, 1)
            )
            colour = mix(colour, np.array([236, 228, 236]) * (0.75 + 0.25 * (1 - t)), white * 0.8)
        depth = np.clip((v - top) * 3.2, 0, 1) * (1 - t) * haze
        colour = mix(colour, gradient(np.full(u.shape, 0.62), sky), depth * 0.75)
        picture = mix(picture, colour, soft(v - top, 1.5 / h))
    return picture


SUNSET = [
    (0, (38, 52, 104)),
    (0.25, (110, 92, 150)),
    (0.45, (236, 142, 108)),
    (0.6, (255, 206, 148)),
    (1, (255, 226, 180)),
]
NIGHT = [(0, (6, 10, 32)), (0.4, (16, 36, 74)), (0.7, (44, 84, 112)), (1, (80, 120, 130))]


def lake(w, h):
    """Northern lights over mountains, mirrored in water."""
    top = int(h * 0.62)
    x, y = grid(w, top)
    u, v = x / w, y / top
    picture = mountains(w, top, NIGHT, (8, 14, 22), (34, 54, 80), 23, (0.3, -3), 0.8, False, 0.74, 4)
    sky = np.clip((0.72 - v) * 5, 0, 1)
    stars = (lattice(x, y, 7) > 0.9975) * lattice(x, y, 8)
    picture += (stars * sky)[..., None] * 230
    for n, colour in enumerate(((60, 230, 150), (90, 200, 210), (150, 90, 220))):
        band = 0.42 + 0.07 * n + 0.3 * (fractal(u * 2 + n * 4, np.zeros_like(u), 70 + n, 4) - 0.5)
        below = v - band
        light = np.exp(-np.clip(-below, 0, 1) * 6) * np.exp(-np.clip(below, 0, 1) * 26)
        rays = 0.4 + 0.9 * fractal(u * 30 + n * 11, v * 0.7, 80 + n, 3) ** 2
        picture += (light * rays * sky)[..., None] * np.array(colour) * 0.75
    out = np.zeros((h, w, 3))
    out[:top] = picture
    x, y = grid(w, h - top)
    wave = (fractal(x / w * 6, y / (h - top) * 50, 90, 4) - 0.5) * (2 + y / (h - top) * 14)
    row = np.clip(top - 1 - y * top / (h - top) * 0.96 + wave, 0, top - 1).astype(int)
    column = np.clip(x + wave * 1.4, 0, w - 1).astype(int)
    out[top:] = picture[row, column] * 0.72 + np.array([2, 8, 14])
    return out


def bokeh(w, h):
    """City lights out of focus."""
    x, y = grid(w, h)
    picture = gradient(y / h, [(0, (10, 8, 28)), (0.6, (38, 22, 56)), (1, (12, 10, 22))])
    picture *= (0.8 + 0.4 * fractal(x / w * 3, y / h * 3, 2, 4))[..., None]
    n = np.arange(120)
    cx, cy = lattice(n, n * 0, 11) * w, (0.15 + 0.75 * lattice(n, n * 0 + 1, 11)) * h
    radius = 8 + 34 * lattice(n, n * 0 + 2, 11) ** 1.6
    colours = [(255, 176, 74), (255, 92, 70), (250, 222, 140), (96, 178, 255), (226, 92, 196), (120, 255, 196)]
    for i in np.argsort(-radius):
        d = np.hypot(x - cx[i], y - cy[i])
        inside = soft(radius[i] - d, 2.5) * (0.55 + 0.45 * (d / radius[i]) ** 3)
        strength = 0.15 + 0.4 * lattice(n[i : i + 1], n[i : i + 1] * 0 + 4, 11)[0]
        picture += inside[..., None] * np.array(colours[i % 6]) * strength
    return 255 * (1 - np.exp(-picture / 190))


def spheres(w, h):
    """Glossy balls in strong colours on a table; the numbers are Display P3."""
    x, y = grid(w, h)
    floor = soft(y - h * 0.56, 60)
    picture = mix(gradient(y / h, [(0, (250, 244, 236)), (0.6, (236, 222, 210))]), np.array([222, 204, 190]), floor)
    balls = [
        (0.2, 0.62, 0.17, (255, 30, 20)),
        (0.44, 0.47, 0.2, (20, 220, 60)),
        (0.7, 0.6, 0.23, (255, 120, 0)),
        (0.37, 0.78, 0.12, (30, 60, 255)),
        (0.55, 0.8, 0.09, (255, 0, 190)),
        (0.87, 0.8, 0.11, (0, 215, 235)),
    ]
    for cx, cy, r, colour in sorted(balls, key=lambda b: b[1] + b[2]):
        px, py, radius = cx * w, cy * h, r * h
        shadow = np.hypot((x - px - radius * 0.35) / 1.25, (y - py - radius * 0.86) * 3.6)
        picture *= (1 - 0.5 * np.exp(-np.clip(shadow / radius, 0, 9) ** 2 * 1.6))[..., None]
        dx, dy = (x - px) / radius, (y - py) / radius
        z = np.sqrt(np.clip(1 - dx * dx - dy * dy, 0, 1))
        light = np.clip(-0.5 * dx - 0.62 * dy + 0.6 * z, 0, 1)
        shade = np.array(colour) * (0.28 + 0.8 * light)[..., None]
        shade += (np.clip(dy, 0, 1) ** 2 * (1 - z))[..., None] * np.array([90, 78, 70])
        half = np.clip(-0.33 * dx - 0.46 * dy + 0.82 * z, 0, 1)
        shade += (half**60)[..., None] * 235 + (half**12)[..., None] * 32
        picture = mix(picture, shade, soft(radius - np.hypot(x - px, y - py), 1.4))
    return picture


def dunes(w, h):
    x, y = grid(w, h)
    u, v = x / w, y / h
    picture = gradient(v, [(0, (70, 140, 214)), (0.42, (190, 218, 236)), (1, (240, 232, 214))])
    for n in range(4):
        t = n / 3
        top = (
            0.4
            + 0.16 * n
            + 0.11 * np.sin(u * (5 + n) + n * 2.2) * (1 - 0.4 * t)
            + 0.04 * (fractal(u * 4, u * 0 + n, 40 + n, 4) - 0.5)
        )
        slope = np.gradient(top, axis=1) * w
        ripple = np.sin((v - top) * (130 - 18 * n) + fractal(u * 5, v * 6, 60 + n, 4) * 14 + u * 16) * np.clip(
            (v - top) * 9, 0, 1
        )
        light = np.clip(0.74 - slope * 0.55 + 0.05 * ripple, 0.22, 1.15)
        colour = mix(np.array([226, 178, 120]), np.array([204, 120, 62]), np.full(u.shape, t)) * light[..., None]
        picture = mix(picture, colour, soft(v - top, 1.5 / h))
    return picture


def draw(w, h, colour, scale=3):
    image = Image.new("RGBA", (w * scale, h * scale), colour)
    return image, ImageDraw.Draw(image), scale


def finish(image, scale):
    return image.resize((image.width // scale, image.height // scale), Image.Resampling.LANCZOS)


def chart():
    image, d, s = draw(560, 360, (255, 255, 255, 255), 2)
    ink, faint = (52, 58, 70), (226, 230, 236)
    d.text((28 * s, 20 * s), "Decoded per second", font=font(20 * s), fill=ink)
    d.text((28 * s, 46 * s), "thumbnails, thousands, by month", font=font(12 * s), fill=(130, 138, 150))
    left, right, top, bottom = 56, 532, 84, 312
    for n in range(6):
        y = bottom - n * (bottom - top) / 5
        d.line([(left * s, y * s), (right * s, y * s)], fill=faint, width=s)
        d.text(((left - 12) * s, y * s), str(n * 10), font=font(11 * s), fill=(130, 138, 150), anchor="rm")
    values = [12, 15, 14, 19, 23, 22, 28, 31, 30, 38, 43, 47]
    step = (right - left) / 12
    points = []
    for n, value in enumerate(values):
        x = left + step * n + step * 0.2
        y = bottom - value / 50 * (bottom - top)
        t = n / 11
        d.rounded_rectangle(
            [x * s, y * s, (x + step * 0.6) * s, bottom * s],
            3 * s,
            fill=(int(86 + 20 * t), int(140 + 20 * t), int(240 - 40 * t)),
        )
        d.text(
            ((x + step * 0.3) * s, (bottom + 10) * s),
            "JFMAMJJASOND"[n],
            font=font(11 * s),
            fill=(130, 138, 150),
            anchor="mt",
        )
        points.append(((x + step * 0.3) * s, (y - 14 - 10 * np.sin(n)) * s))
    d.line(points, fill=(240, 112, 72), width=3 * s, joint="curve")
    for px, py in points:
        d.ellipse(
            [px - 4 * s, py - 4 * s, px + 4 * s, py + 4 * s],
            fill=(255, 255, 255),
            outline=(240, 112, 72),
            width=2 * s,
        )
    return finish(image, s).convert("RGB")


def screenshot():
    w, h = 640, 420
    image, d, s = draw(w, h, (0, 0, 0, 0), 2)
    shadow = Image.new("L", image.size, 0)
    ImageDraw.Draw(shadow).rounded_rectangle([24 * s, 26 * s, (w - 24) * s, (h - 16) * s], 12 * s, fill=150)
    image.putalpha(shadow.filter(ImageFilter.GaussianBlur(12 * s)))
    d.rounded_rectangle([24 * s, 18 * s, (w - 24) * s, (h - 28) * s], 10 * s, fill=(250, 250, 252, 255))
    d.rounded_rectangle([24 * s, 18 * s, (w - 24) * s, 66 * s], 10 * s, fill=(232, 234, 240, 255))
    d.rectangle([24 * s, 50 * s, (w - 24) * s, 66 * s], fill=(232, 234, 240, 255))
    for n, colour in enumerate(((252, 96, 92), (253, 188, 64), (52, 200, 74))):
        d.ellipse([(42 + n * 20) * s, 34 * s, (54 + n * 20) * s, 46 * s], fill=colour + (255,))
    d.rounded_rectangle([160 * s, 30 * s, 480 * s, 52 * s], 6 * s, fill=(255, 255, 255, 255))
    d.text((320 * s, 41 * s), "photos / summer", font=font(12 * s), fill=(110, 116, 128, 255), anchor="mm")
    d.rectangle([24 * s, 66 * s, 170 * s, (h - 38) * s], fill=(242, 244, 248, 255))
    d.rounded_rectangle([24 * s, (h - 60) * s, 170 * s, (h - 28) * s], 10 * s, fill=(242, 244, 248, 255))
    for n, name in enumerate(("Library", "Albums", "People", "Places", "Imports", "Deleted")):
        y = 92 + n * 30
        if n == 1:
            d.rounded_rectangle([34 * s, (y - 13) * s, 160 * s, (y + 13) * s], 6 * s, fill=(64, 128, 246, 255))
        d.ellipse(
            [44 * s, (y - 5) * s, 54 * s, (y + 5) * s], fill=(255, 255, 255, 255) if n == 1 else (140, 160, 196, 255)
        )
        d.text(
            (64 * s, y * s),
            name,
            font=font(13 * s),
            fill=(255, 255, 255, 255) if n == 1 else (64, 70, 84, 255),
            anchor="lm",
        )
    skies = [SUNSET, NIGHT, [(0, (80, 160, 230)), (1, (226, 240, 250))]]
    for row in range(2):
        for column in range(3):
            n = row * 3 + column
            x, y = 190 + column * 142, 84 + row * 148
            thumb = Image.fromarray(
                bytes_of(
                    mountains(
                        126 * s,
                        96 * s,
                        skies[n % 3],
                        (24, 36, 34),
                        (120, 110, 150),
                        60 + n * 7,
                        (0.2 + 0.3 * column, 0.35),
                    )
                )
            )
            mask = Image.new("L", thumb.size, 0)
            ImageDraw.Draw(mask).rounded_rectangle([0, 0, thumb.width - 1, thumb.height - 1], 8 * s, fill=255)
            image.paste(thumb, (x * s, y * s), mask)
            d.text(
                ((x + 2) * s, (y + 110) * s),
                f"IMG_{2041 + n}.jpg",
                font=font(11 * s),
                fill=(110, 116, 128, 255),
                anchor="lm",
            )
    return finish(image, s)


def logo():
    image, d, s = draw(320, 320, (0, 0, 0, 0), 4)
    c = 160 * s
    for n in range(3):
        layer = Image.new("RGBA", image.size, (0, 0, 0, 0))
        colour = ((255, 92, 56, 235), (255, 176, 32, 215), (64, 120, 255, 200))[n]
        ImageDraw.Draw(layer).ellipse([c - 62 * s, c - 128 * s, c + 62 * s, c + 20 * s], fill=colour)
        image = Image.alpha_composite(image, layer.rotate(n * 120, center=(c, c)))
    d = ImageDraw.Draw(image)
    d.ellipse([c - 34 * s, c - 34 * s, c + 34 * s, c + 34 * s], fill=(255, 255, 255, 255))
    d.ellipse([c - 20 * s, c - 20 * s, c + 20 * s, c + 20 * s], fill=(32, 36, 52, 255))
    return finish(image, s)


def poster():
    """CMYK, as a printer takes it: flat shapes, 255 is full ink."""
    w, h = 360, 500
    x, y = grid(w, h)
    out = np.zeros((h, w, 4))

    def put(mask, ink):
        nonlocal out
        out = out * (1 - mask[..., None]) + np.array(ink, float) * mask[..., None]

    put(np.ones((h, w)), (8, 18, 60, 0))
    angle = np.arctan2(y - 210, x - 180)
    put(soft(np.sin(angle * 12) * np.hypot(x - 180, y - 210), 3), (0, 40, 130, 0))
    put(soft(108 - np.hypot(x - 180, y - 210), 1.5), (0, 215, 225, 0))
    put(soft(y - (330 + 26 * np.sin(x / 48)), 1.5), (225, 130, 20, 10))
    put(soft(y - (362 + 22 * np.sin(x / 38 + 2)), 1.5), (250, 180, 40, 60))
    put(soft(y - (400 + 18 * np.sin(x / 52 + 4)), 1.5), (255, 200, 90, 140))
    words = Image.new("L", (w * 3, h * 3), 0)
    d = ImageDraw.Draw(words)
    d.text((w * 1.5, 456 * 3), "SUMMER BY THE SEA", font=font(30 * 3), fill=255, anchor="mm")
    d.text((w * 1.5, 484 * 3), "cyan, magenta, yellow and black", font=font(12 * 3), fill=255, anchor="mm")
    put(np.asarray(words.resize((w, h), Image.Resampling.LANCZOS)) / 255, (0, 0, 30, 0))
    return bytes_of(out)


def document():
    """A scanned letter: 1 bit."""
    w, h = 595, 770
    image = Image.new("L", (w, h), 255)
    d = ImageDraw.Draw(image)
    d.text((60, 60), "Fixture & Sons, Opticians", font=font(26), fill=0)
    d.line([(60, 98), (535, 98)], fill=0, width=2)
    words = (
        "the quick brown fox jumps over a lazy dog while five boxing wizards look on and pack my box with "
        "a dozen jugs of oil for bright vixens who jump and doze in the sun"
    ).split()
    n = 0
    for y in range(130, 640, 22):
        if (y - 130) // 22 % 8 == 7:
            continue
        line = ""
        while d.textlength(line, font=font(15)) < 420:
            line += words[n * n % len(words)] + " "
            n += 1
        d.text((60, y), line, font=font(15), fill=0)
    d.ellipse([400, 650, 500, 730], outline=0, width=4)
    d.text((450, 690), "SEEN", font=font(24), fill=0, anchor="mm")
    x, y = grid(w, h)
    gray = np.asarray(image).astype(float) + (fractal(x / 3, y / 3, 3, 2) - 0.5) * 130
    return (gray < 128).astype(np.uint32)


def invader():
    """Pixel art for RLE: runs of few colours."""
    art = [
        "................",
        ".....#....#.....",
        "......#..#......",
        ".....######.....",
        "....##o##o##....",
        "...##########...",
        "...#.######.#...",
        "...#.#....#.#...",
        "......##.##.....",
        "................",
        "..*....*....*...",
        "................",
        ".......ww.......",
        "......wwww......",
        "...wwwwwwwwww...",
        "...wwwwwwwwww...",
    ]
    key = {".": 0, "#": 1, "o": 2, "*": 3, "w": 4}
    small = np.array([[key[c] for c in row] for row in art])
    return np.kron(small, np.ones((12, 12), int)), [
        (16, 18, 40),
        (96, 232, 120),
        (255, 96, 96),
        (255, 220, 90),
        (230, 236, 246),
    ]


def orbit(frames, size):
    """Planets round a sun; palette indexes."""
    n = 32
    sky = [(8 + i, 8 + i, 24 + 2 * i) for i in range(8)]
    palette = (
        sky
        + [(255, 60 + i * 16, 20 + i * 4) for i in range(12)]
        + [(70 + 14 * i, 130 + 9 * i, 245) for i in range(6)]
        + [(230, 150 + 12 * i, 120 + 12 * i) for i in range(6)]
    )
    assert len(palette) == n
    x, y = grid(size, size)
    c = size / 2
    base = np.clip((fractal(x / 50, y / 50, 4, 3) * 10 - 2), 0, 7).astype(int)
    base[lattice(x, y, 3) > 0.995] = 25
    d = np.hypot(x - c, y - c)
    out = []
    for f in range(frames):
        picture = base.copy()
        picture[np.abs(d - size * 0.25) < 0.6] = 5
        picture[np.abs(d - size * 0.4) < 0.6] = 5
        pulse = size * (0.11 + 0.008 * np.sin(f / frames * 2 * np.pi))
        picture = np.where(d < pulse, 19 - np.clip(d / pulse * 8, 0, 8).astype(int), picture)
        for r, speed, radius, first, shades in ((0.25, 2, 0.045, 20, 5), (0.4, -1, 0.07, 26, 4)):  # 31 stays free
            a = 2 * np.pi * speed * f / frames
            px, py = c + np.cos(a) * r * size, c + np.sin(a) * r * size
            e = np.hypot(x - px, y - py) / (radius * size)
            toward = ((x - px) * (c - px) + (y - py) * (c - py)) / (r * size * radius * size)
            picture = np.where(e < 1, first + np.clip(2.6 + toward * 3, 0, shades).astype(int), picture)
        out.append(picture)
    return out, palette


def waves(frames, w, h):
    """Translucent ribbons on a clear ground."""
    x, y = grid(w, h)
    out = []
    for f in range(frames):
        picture = np.zeros((h, w, 4))
        for n, colour in enumerate(((64, 120, 255), (130, 90, 250), (255, 96, 150))):
            phase = 2 * np.pi * f / frames * (1 if n % 2 else -1)
            middle = h / 2 + h * 0.22 * np.sin(x / w * 2 * np.pi + phase + n * 2) * np.sin(np.pi * x / w)
            width = h * (0.1 + 0.05 * np.sin(x / w * 4 + n + phase))
            a = soft(width - np.abs(y - middle), 1.5) * 0.62 * np.clip(np.sin(np.pi * x / w) * 1.6, 0, 1)
            below = picture[..., 3]
            total = a + below * (1 - a)
            for k in range(3):
                picture[..., k] = np.where(
                    total > 0, (colour[k] * a + picture[..., k] * below * (1 - a)) / np.maximum(total, 1e-9), 0
                )
            picture[..., 3] = total
        picture[..., 3] *= 255
        p = bytes_of(picture)
        p[p[..., 3] == 0] = 0
        out.append(p)
    return out


# ---------------------------------------------------------------- files


def make(suite):
    suite.script = "demo.py"

    def add(name, format, data, pixels, note, **fields):
        suite.ok(f"demo/{name}", data, pixels, note, format=format, **fields)

    def photo(name, picture, note, *options, segment=b"", orientation=1, display=None):
        data = cjpeg(bytes_of(dither(picture)), *options)
        data = data[:2] + segment + data[2:]
        pixels = djpeg(data)
        add(
            name,
            "jpeg",
            data,
            pixels,
            note,
            oracle="djpeg",
            orientation=orientation,
            display=suite.display(f"demo/{name}", oriented(pixels, orientation)) if orientation != 1 else None,
        )

    photo(
        "mountains.jpg",
        mountains(760, 500, SUNSET, (22, 24, 40), (150, 118, 150)),
        "landscape, 4:2:0",
        "-quality",
        "84",
    )
    photo(
        "aurora-progressive.jpg", lake(720, 540), "landscape at night, progressive", "-quality", "82", "-progressive"
    )
    turned = bokeh(420, 600)
    photo(
        "city-lights-turned.jpg",
        oriented(turned, 8),
        "upright by EXIF orientation 6",
        "-quality",
        "82",
        segment=exif_segment(exif(6)),
        orientation=6,
    )

    image = chart()
    add(
        "chart.png",
        "png",
        png(np.asarray(image), 2, 8, filters=[0, 1, 2, 4]),
        rgba(np.asarray(image)),
        "a chart, RGB",
    )
    p = np.asarray(screenshot())
    add("window.png", "png", png(p, 6, 8, filters=[4]), p, "a window with a soft shadow, RGBA", alpha=True)
    p = np.asarray(logo())
    add("logo.png", "png", png(p, 6, 8, filters=[4]), p, "flat art with alpha", alpha=True)
    profile = icc.rgb_profile("p3", text="Display P3")
    p = bytes_of(spheres(460, 320))
    data = png(p, 2, 8, filters=[4], before=chunk("iCCP", b"Display P3\0\0" + zlib.compress(profile, 9)))
    add(
        "display-p3.png",
        "png",
        data,
        rgba(p),
        "strong colours with a Display P3 profile",
        display={"width": 460, "height": 320},
    )
    del suite.entries[-1]["display"]  # a reference would be larger than all the rest

    frames, palette = orbit(24, 160)
    gif_frames = [GifFrame(frames[0], delay=6, minimum=5)]
    for before, after in zip(frames, frames[1:]):
        changed = np.argwhere(before != after)
        (y0, x0), (y1, x1) = changed.min(axis=0), changed.max(axis=0) + 1
        part = np.where(before != after, after, 31)[y0:y1, x0:x1]
        assert not (after[y0:y1, x0:x1][(before != after)[y0:y1, x0:x1]] == 31).any()
        gif_frames.append(GifFrame(part, int(x0), int(y0), delay=6, transparent=31, disposal=1, minimum=5))
    canvases = compose_gif(160, 160, gif_frames, palette)
    data = head(160, 160, palette) + loop(0) + b"".join(f.bytes() for f in gif_frames) + TRAILER
    add(
        "orbit.gif",
        "gif",
        data,
        canvases[0],
        "an animation of 24 frames",
        frames=24,
        alpha=True,
        animation=Suite.animation(canvases, [(6, 100)] * 24, 0),
    )
    pictures = waves(16, 240, 120)
    apng_frames = [ApngFrame(p, delay=(1, 16)) for p in pictures]
    data = apng(240, 120, apng_frames)
    add(
        "ribbons.png",
        "png",
        data,
        pictures[0],
        "an animated PNG of 16 frames",
        frames=16,
        alpha=True,
        animation=Suite.animation(pictures, [(1, 16)] * 16, 0),
    )

    deep = np.clip(np.floor(dunes(300, 200) * 257 + 0.5), 0, 65535).astype(np.uint32)
    deep = deep & 0xFFF0 | deep >> 12  # twelve bits, as a camera has them: smaller files
    add(
        "dunes-16-bit.tif",
        "tiff",
        tiff(Page(deep, 16, 2, compression=8, predictor=2, rows=50)),
        rgba(to8(deep, 16)),
        "16 bits a sample, Deflate, predictor 2",
        oracle_tolerance=1,
    )
    ink = poster()
    stream = io.BytesIO()
    Image.fromarray(ink, "CMYK").save(stream, "JPEG", quality=85)
    data = stream.getvalue()
    add("poster-cmyk.jpg", "jpeg", data, oracles.pillow("jpeg", data), "CMYK", oracle="pillow")
    line_art = document()
    rows = [pack_row(r, 1, "<") for r in line_art]
    data = by_libtiff(
        [b"".join(rows)], [(256, 595), (257, 770), (258, 1), (277, 1), (262, 0), (284, 1), (278, 770), (259, 4)]
    )
    add("letter-g4.tif", "tiff", data, rgba(255 - line_art * 255), "a scanned letter, CCITT G4")
    index, palette = invader()
    codes = encode_runs(index, 4)
    palette = palette + [(0, 0, 0)] * 11
    add(
        "invader-rle4.bmp",
        "bmp",
        bmp(dib(40, 192, 192, 4, 2, len(codes), 16), codes, table(palette)),
        rgba(np.array(palette)[index]),
        "pixel art, RLE4",
        alpha=True,
    )
