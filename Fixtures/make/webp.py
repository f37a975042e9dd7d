"""WebP fixtures: lossy, lossless and alpha in many sizes and with many settings, metadata, animations with every
combination of blending and disposal.

The images are encoded by Pillow or by `cwebp` (libwebp); the container is assembled by webp_damage.py. The pixels of
lossy images are those of libwebp. The canvases of an animation are computed here, with the formula of WebPAnimDecoder
for translucent pixels.
"""

import itertools
import os
import subprocess
import tempfile

import numpy as np
from PIL import Image

import icc
from exif import exif
from suite import Suite, pattern, rgba, smooth
from webp_damage import ALPHA, ANIMATION, EXIF, ICC, anim, anmf, chunk, decoded, lossless, lossy, riff, vp8x


def cwebp(samples, *options):
    """The file that `cwebp` writes."""
    with tempfile.TemporaryDirectory() as folder:
        source, result = os.path.join(folder, "a.png"), os.path.join(folder, "a.webp")
        Image.fromarray(samples).save(source)
        subprocess.run(["cwebp", "-quiet", *options, source, "-o", result], check=True)
        with open(result, "rb") as file:
            return file.read()


def put(suite, name, data, pixels, note, **fields):
    suite.ok(f"webp/{name}.webp", data, pixels, note, format="webp", **fields)


def translucent(width, height, seed=0):
    return np.dstack([smooth(width, height, seed=seed), pattern(width, height, 1, seed=seed + 3).astype(np.uint8)])


def sizes(suite):
    """Macroblocks have 16 x 16 pixels, and the chroma has half the size."""
    for width, height in ((1, 1), (2, 3), (15, 17), (16, 16), (17, 33), (33, 1), (1, 40)):
        data = riff(lossy(smooth(width, height)))
        put(suite, f"lossy-{width}x{height}", data, decoded(data), f"lossy, {width} x {height}", oracle="libwebp")
    for width, height in ((1, 1), (3, 2), (17, 9)):
        samples = pattern(width, height, 4).astype(np.uint8)
        note = f"lossless with alpha, {width} x {height}"
        put(suite, f"lossless-{width}x{height}", riff(lossless(samples)), rgba(samples), note, alpha=True)
    data = riff(vp8x(ALPHA, 21, 19), lossy(translucent(21, 19)))
    put(suite, "lossy-alpha-21x19", data, decoded(data), "lossy with alpha, 21 x 19", alpha=True, oracle="libwebp")


def settings(suite):
    """Encoder settings that select other filters, partitions and transforms."""
    soft = smooth(70, 60)
    for name, note, *options in (
        ("no-filter", "no loop filter", "-f", "0"),
        ("simple-filter", "simple loop filter", "-f", "60", "-nostrong"),
        ("strong-filter", "strong loop filter", "-f", "100", "-strong", "-sharpness", "3"),
        ("quality-0", "quality 0", "-q", "0"),
        ("quality-100", "quality 100", "-q", "100"),
        ("one-segment", "one segment", "-segments", "1"),
        ("method-0", "method 0", "-m", "0"),
    ):
        data = cwebp(soft, *options)
        put(suite, f"lossy-{name}", data, decoded(data), f"lossy, {note}", oracle="libwebp")
    clear = translucent(50, 40)
    for name, note, *options in (
        ("alpha-none", "alpha without compression", "-alpha_method", "0"),
        ("alpha-fast", "alpha filter fast", "-alpha_filter", "fast"),
        ("alpha-best", "alpha filter best", "-alpha_filter", "best"),
        ("alpha-quality-20", "alpha with few levels", "-alpha_q", "20"),
    ):
        data = cwebp(clear, *options)
        put(suite, f"lossy-{name}", data, decoded(data), note, alpha=True, oracle="libwebp")
    palette = (pattern(40, 30, 1, bits=2) * 60).astype(np.uint8)
    for name, samples, note in (
        ("palette", np.repeat(palette, 3, axis=2), "four colours: color-indexing transform, packed pixels"),
        ("flat", np.full((80, 90, 3), 77, np.uint8), "one colour: no bits per pixel"),
        ("soft", smooth(64, 48), "gradients: predictor and cross-color transforms"),
    ):
        put(suite, f"lossless-{name}", cwebp(samples, "-lossless", "-m", "6", "-q", "100"), rgba(samples), note)
    flat = cwebp(np.full((80, 90, 3), 77, np.uint8))
    put(suite, "lossy-flat", flat, decoded(flat), "one colour: macroblocks without coefficients", oracle="libwebp")


def metadata(suite):
    samples = pattern(13, 11, 3).astype(np.uint8)
    shown = rgba(samples)
    image = lossless(samples)
    for value in range(1, 9):
        order = {
            1: shown,
            2: shown[:, ::-1],
            3: shown[::-1, ::-1],
            4: shown[::-1],
            5: shown.transpose(1, 0, 2),
            6: shown[::-1].transpose(1, 0, 2),
            7: shown[::-1, ::-1].transpose(1, 0, 2),
            8: shown[:, ::-1].transpose(1, 0, 2),
        }
        turned = np.ascontiguousarray(order[value])
        name = f"orientation-{value}"
        put(
            suite,
            name,
            riff(vp8x(EXIF, 13, 11), image, chunk(b"EXIF", exif(value))),
            shown,
            f"EXIF orientation {value}",
            orientation=value,
            display=suite.display(f"webp/{name}.webp", turned),
        )
    profile = icc.swapped_profile()
    soft = lossy(smooth(24, 20))
    for name, part, pixels, fields in (
        ("icc-lossless", image, shown, {}),
        ("icc-lossy", soft, decoded(riff(soft)), {"oracle": "libwebp"}),
    ):
        height, width = pixels.shape[:2]
        data = riff(vp8x(ICC, width, height), chunk(b"ICCP", profile), part)
        converted = icc.to_srgb(pixels, profile)
        display = suite.display(f"webp/{name}.webp", converted, 2)
        put(suite, name, data, pixels, "ICC profile with swapped primaries", display=display, **fields)


# ---------------------------------------------------------------- animations


def blend(source, below):
    """The formula of WebPAnimDecoder; divisions round down."""
    s, d = source.astype(np.uint64), below.astype(np.uint64)
    alpha = s[..., 3]
    weight = d[..., 3] * (256 - alpha) >> 8
    total = np.maximum(alpha + weight, 1)
    mixed = (s * alpha[..., None] + d * weight[..., None]) * ((1 << 24) // total)[..., None] >> 24
    mixed[..., 3] = alpha + weight
    out = np.where(alpha[..., None] == 0, d, mixed)
    return np.where(alpha[..., None] == 255, s, out).astype(np.uint8)


def compose(width, height, frames):
    """The canvases: frames are (pixels, x, y, clears, replaces)."""
    canvas = np.zeros((height, width, 4), np.uint8)
    previous, out, key = None, [], False
    for pixels, x, y, clears, replaces in frames:
        h, w = pixels.shape[:2]
        full = (w, h) == (width, height)
        cleared = np.zeros((height, width), bool)
        was_key, key = key, previous is None or (full and (replaces or (pixels[..., 3] == 255).all()))
        if previous is not None and previous[4]:
            px, py, pw, ph, _ = previous
            canvas[py : py + ph, px : px + pw] = 0
            cleared[py : py + ph, px : px + pw] = True
            key |= (pw, ph) == (width, height) or was_key
        area = np.s_[y : y + h, x : x + w]
        fresh = cleared[area] | key | replaces
        canvas[area] = np.where(fresh[..., None], pixels, blend(pixels, canvas[area]))
        out.append(canvas.copy())
        previous = (x, y, w, h, clears)
    return out


def put_animation(suite, name, width, height, frames, note, loops=0, delays=None, alpha=True, oracle="maker"):
    """Frames are (chunks of the image, pixels, x, y, clears, replaces)."""
    delays = delays or [100] * len(frames)
    parts = [
        anmf(part, x, y, pixels.shape[1], pixels.shape[0], delay, int(clears) | int(replaces) << 1)
        for (part, pixels, x, y, clears, replaces), delay in zip(frames, delays)
    ]
    canvases = compose(width, height, [f[1:] for f in frames])
    put(
        suite,
        name,
        riff(vp8x(ANIMATION | ALPHA, width, height), anim(loops, 0xFF336699), *parts),
        canvases[0],
        note,
        alpha=alpha,
        frames=len(frames),
        oracle=oracle,
        animation=Suite.animation(canvases, [(d, 1000) for d in delays], loops),
    )


def frame(seed, width, height, x, y, clears, replaces, lossy_image=False, opaque=False):
    samples = translucent(width, height, seed)
    if opaque:
        samples = np.ascontiguousarray(samples[..., :3])
    part = lossy(samples, 60) if lossy_image else lossless(samples)
    wrapped = riff(vp8x(0 if opaque else ALPHA, width, height), part)
    return part, decoded(wrapped), x, y, clears, replaces


def animations(suite):
    # Three frames: every blend and disposal of the first two, the third blends over both.
    for first, second in itertools.product(itertools.product((False, True), repeat=2), repeat=2):
        name = "".join("cr"[i] if flag else "-" for flags in (first, second) for i, flag in enumerate(flags))
        frames = [frame(1, 20, 16, 0, 0, *first), frame(2, 12, 9, 4, 2, *second), frame(3, 13, 8, 6, 6, False, False)]
        note = "frames 1 and 2 with c: cleared, r: replaces; frame 3 is blended"
        put_animation(suite, f"blend-{name}", 20, 16, frames, note)
    partial = [frame(4, 9, 7, 6, 4, False, False), frame(5, 5, 5, 8, 6, True, False),
               frame(6, 7, 3, 0, 10, False, True)]
    put_animation(suite, "animation-partial-first", 18, 14, partial, "the first frame does not cover the canvas")
    mixed = [
        frame(7, 18, 14, 0, 0, False, False, lossy_image=True, opaque=True),
        frame(8, 11, 9, 2, 2, False, False, lossy_image=True),
        frame(9, 10, 6, 4, 4, True, False),
        frame(10, 18, 14, 0, 0, False, False, opaque=True),
    ]
    put_animation(
        suite, "animation-mixed", 18, 14, mixed, "lossy and lossless frames", loops=7, delays=[0, 1, 70_000, 16_777_215]
    )
    one = [frame(11, 8, 6, 0, 0, True, False)]
    put_animation(suite, "animation-one-frame", 8, 6, one, "one frame", loops=1)


def make(suite):
    suite.script = "webp.py"
    for part in (sizes, settings, metadata, animations):
        part(suite)
