"""The WebP images of demo/: a lossy landscape and an animation whose frames cover only what changes."""

import numpy as np

from demo import bytes_of, dither, grid, lake, mountains
from suite import Suite, rgba
from webp_damage import ANIMATION, anim, anmf, decoded, encoded, lossless, lossy, riff, vp8x

DAWN = [(0, (58, 74, 120)), (0.4, (132, 128, 160)), (0.7, (238, 178, 150)), (1, (255, 226, 178))]


def comets(background, frames):
    """The background with a glowing point on an ellipse, one picture per frame."""
    height, width = background.shape[:2]
    x, y = grid(width, height)
    for n in range(frames):
        angle = 2 * np.pi * n / frames
        at = width * (0.5 + 0.36 * np.cos(angle)), height * (0.32 + 0.2 * np.sin(angle))
        glow = np.clip(1 - np.hypot(x - at[0], y - at[1]) / 14, 0, 1)[..., None] ** 1.5
        picture = background.copy()
        picture[..., :3] = background[..., :3] * (1 - glow) + np.array((255, 240, 200)) * glow + 0.5
        yield picture


def changed_area(before, after):
    """x, y, width and height of the pixels that differ; x and y are even, as ANMF requires."""
    differs = np.argwhere((before != after).any(axis=2))
    (top, left), (bottom, right) = differs.min(axis=0), differs.max(axis=0) + 1
    left, top = left // 2 * 2, top // 2 * 2
    return int(left), int(top), int(right - left), int(bottom - top)


def make(suite):
    suite.script = "demo_webp.py"
    data = encoded(bytes_of(dither(mountains(720, 480, DAWN, (30, 40, 56), (150, 140, 170), seed=11))), quality=82)
    suite.ok("demo/valley.webp", data, decoded(data), "landscape, lossy", format="webp")

    first = lossy(bytes_of(dither(lake(240, 160))), 85)
    pictures = list(comets(decoded(riff(first)), 20))
    # The first frame is the background alone, as lossy data; each later frame replaces what changed.
    canvases, frames = [decoded(riff(first))], [anmf(first, 0, 0, 240, 160, 60)]
    for picture in pictures:
        left, top, width, height = changed_area(canvases[-1], picture)
        part = np.ascontiguousarray(picture[top : top + height, left : left + width, :3])
        frames.append(anmf(lossless(part), left, top, width, height, 60))
        canvases.append(rgba(picture[..., :3]))
    suite.ok(
        "demo/comet.webp",
        riff(vp8x(ANIMATION, 240, 160), anim(), *frames),
        canvases[0],
        "an animation of 21 frames: a lossy one, then lossless parts",
        format="webp",
        frames=21,
        animation=Suite.animation(canvases, [(60, 1000)] * 21, 0),
    )
