"""Intact images, large enough that damage at 60 % of the file is in the pixel data.

The tests damage them and compare the decoded rows with the tables of Docs/conformance.md. `damage.py` as a program
prints the rows that Pillow decodes of the same files.
"""

import io
import os
import sys
import warnings

import numpy as np

import apng
import bmp
import gif
from bmpwriter import dib, rows, table
from bmpwriter import bmp as bmp_file
from gifwriter import TRAILER, head, loop
from jpeg import djpeg
from jpegwriter import QUANT, colour, jpeg, progressive_script
from png import palette_of, shown
from pngwriter import png
from suite import FIXTURES, Suite, rgba, smooth

W, H = 96, 80


def textured(channels, seed=0):
    """Soft, with enough texture that no format compresses it to a few bytes."""
    y, x, c = np.mgrid[0:H, 0:W, 0:channels]
    noise = (x * x * 7 + y * y * 13 + x * y * 5 + c * 31 + seed * 17) // 3 % 13
    return np.clip(smooth(W, H, channels, seed).astype(int) + noise - 6, 0, 255).astype(np.uint8)


def pngs(suite):
    palette = palette_of(256)
    for name, kind, samples in (
        ("gray", 0, textured(1)),
        ("rgb", 2, textured(3)),
        ("palette", 3, textured(1)),
        ("gray-alpha", 4, textured(2)),
        ("rgba", 6, textured(4)),
    ):
        for interlace in (False, True):
            suite.ok(
                f"damage/png-{name}{'-interlaced' if interlace else ''}.png",
                png(samples, kind, 8, interlace=interlace, filters=4, palette=palette if kind == 3 else None),
                shown(samples, kind, 8, palette),
                "to be damaged",
                format="png",
                alpha=kind >= 4,
            )
    frames = [apng.Frame(textured(4, n)) for n in range(5)]
    canvases = apng.compose(W, H, frames, rgba)
    suite.ok(
        "damage/apng.png",
        apng.apng(W, H, frames),
        canvases[0],
        "to be damaged",
        format="png",
        alpha=True,
        frames=5,
        animation=Suite.animation(canvases, [(1, 10)] * 5, 0),
    )


def jpegs(suite):
    rgb = textured(3)
    s420 = ((2, 2), (1, 1), (1, 1))
    for name, options in (
        ("baseline", {}),
        ("restart", dict(restart=6)),
        ("progressive", dict(marker=0xC2, scans=progressive_script(3))),
    ):
        data = jpeg(colour(rgb, s420), quants=[QUANT // 6 + 1], **options)
        path = f"damage/jpeg-{name}.jpg"
        suite.ok(path, data, djpeg(data), "to be damaged", format="jpeg", tolerance=2, reference_by="djpeg")


def gifs(suite):
    palette = palette_of(256)
    index = lambda seed=0: textured(1, seed)[:, :, 0]
    for name, frames in (
        ("still", [gif.Frame(index(), control=False)]),
        ("interlaced", [gif.Frame(index(), control=False, interlace=True)]),
        ("animated", [gif.Frame(index(n)) for n in range(5)]),
    ):
        canvases = gif.compose(W, H, frames, palette)
        moves = len(frames) > 1
        data = head(W, H, palette) + (loop(0) if moves else b"") + b"".join(f.bytes() for f in frames) + TRAILER
        suite.ok(
            f"damage/gif-{name}.gif",
            data,
            canvases[0],
            "to be damaged",
            format="gif",
            frames=len(frames),
            animation=Suite.animation(canvases, [(10, 100)] * 5, 0) if moves else None,
        )


def bmps(suite):
    palette = palette_of(256)
    rgb, index = textured(3), textured(1)[:, :, 0]
    runs = bmp.encode_runs(index, 8)
    for name, data, pixels, alpha in (
        ("rgb", bmp_file(dib(40, W, H, 24), rows(rgb, 24)), rgba(rgb), False),
        ("palette", bmp_file(dib(40, W, H, 8), rows(index[:, :], 8), table(palette)), rgba(palette[index]), False),
        ("rle8", bmp_file(dib(40, W, H, 8, 1, len(runs)), runs, table(palette)), rgba(palette[index]), True),
    ):
        suite.ok(f"damage/bmp-{name}.bmp", data, pixels, "to be damaged", format="bmp", alpha=alpha)


def make(suite):
    suite.script = "damage.py"
    for part in (pngs, jpegs, gifs, bmps):
        part(suite)


# ---------------------------------------------------------------- what Pillow shows


def frames_of(data):
    """The canvases, up to the first that Pillow refuses."""
    from PIL import Image

    out = []
    try:
        image = Image.open(io.BytesIO(data))
        for n in range(getattr(image, "n_frames", 1)):
            image.seek(n)
            out.append(np.asarray(image.convert("RGBA")))
    except Exception:  # any refusal at all
        pass
    return out


def references():
    """One line a file and kind of damage: pixels that are as in the intact file, frames."""
    from PIL import ImageFile

    ImageFile.LOAD_TRUNCATED_IMAGES = True
    warnings.simplefilter("ignore")
    folder = os.path.join(FIXTURES, "damage")
    for name in sorted(os.listdir(folder)):
        data = open(os.path.join(folder, name), "rb").read()
        at = len(data) * 6 // 10
        intact = frames_of(data)
        for kind, damaged in (
            ("wrong byte", data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1 :]),
            ("cut", data[:at]),
        ):
            got = frames_of(damaged)
            if len(intact) > 1:
                whole = sum(np.array_equal(a, b) for a, b in zip(got, intact))
                print(f"| {name} | {kind} | {whole} of {len(intact)} frames |")
            else:
                same = (got[0] == intact[0]).all(axis=2).mean() if got and got[0].shape == intact[0].shape else 0
                print(f"| {name} | {kind} | {int(same * 100)} % |")


if __name__ == "__main__":
    sys.exit(references())
