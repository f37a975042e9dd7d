#!/usr/bin/env python3
"""Makes the pictures that `make bench` measures on: 3 megapixels, photo-like, in every format.

    Fixtures/make/bench.py FOLDER
    Fixtures/make/bench.py --large FOLDER    the images of 12 megapixels of Scripts/bench/budget

Needs Pillow and numpy. The same versions give the same files; they are not part of the repository.
"""

import os
import sys

import numpy as np
from PIL import Image, ImageFilter

WIDTH, HEIGHT = 2048, 1536


def large(folder):
    picture = photo().resize((4000, 3000), Image.BICUBIC)
    picture.save(os.path.join(folder, "12mp-baseline.jpg"), quality=85, subsampling=2)
    picture.save(os.path.join(folder, "12mp-progressive.jpg"), quality=85, subsampling=2, progressive=True)
    picture.quantize(64, dither=Image.NONE).save(os.path.join(folder, "12mp-palette.png"), compress_level=6)


def noise(rng, width, height):
    """Fractal noise: octaves of random values, each half as strong and twice as fine."""
    total = np.zeros((height, width), np.float32)
    cells, weight = 4, 1.0
    while cells < width:
        small = rng.random((max(2, cells * height // width), cells)).astype(np.float32)
        layer = Image.fromarray(small).resize((width, height), Image.BICUBIC)
        total += weight * np.asarray(layer)
        cells, weight = cells * 2, weight * 0.55
    total -= total.min()
    return total / total.max()


def photo(seed=7):
    rng = np.random.default_rng(seed)
    height, light = noise(rng, WIDTH, HEIGHT), noise(rng, WIDTH, HEIGHT)
    hue = noise(rng, WIDTH, HEIGHT)
    rgb = np.stack([height * 0.7 + light * 0.3, height * 0.5 + hue * 0.5, light * 0.6 + hue * 0.4], -1)
    rgb = rgb * 235 + 8 + rng.normal(0, 9.0, rgb.shape)  # sensor noise, softened as a lens and a camera do
    soft = Image.fromarray(np.clip(rgb, 0, 255).astype(np.uint8)).filter(ImageFilter.GaussianBlur(0.5))
    return soft


def main():
    arguments = [a for a in sys.argv[1:] if a != "--large"]
    if len(arguments) != 1:
        sys.exit(__doc__)
    folder = arguments[0]
    os.makedirs(folder, exist_ok=True)
    if "--large" in sys.argv:
        large(folder)
        return

    def path(name):
        return os.path.join(folder, name)

    picture = photo()
    alpha = Image.fromarray((noise(np.random.default_rng(9), WIDTH, HEIGHT) * 255).astype(np.uint8))
    rgba = picture.copy()
    rgba.putalpha(alpha)
    indexed = picture.quantize(256, dither=Image.FLOYDSTEINBERG)

    picture.save(path("photo-rgb.png"), compress_level=6)
    rgba.save(path("photo-rgba.png"), compress_level=6)
    indexed.save(path("photo-palette.png"), compress_level=6)
    picture.convert("L").save(path("photo-gray.png"), compress_level=6)
    picture.save(path("photo-420.jpg"), quality=87, subsampling=2)
    picture.save(path("photo-444.jpg"), quality=87, subsampling=0)
    picture.save(path("photo-progressive.jpg"), quality=87, subsampling=2, progressive=True)
    indexed.save(path("photo.gif"), interlace=0)
    frames = [indexed.resize((512, 384)).rotate(3 * n) for n in range(16)]
    frames[0].save(path("animation.gif"), save_all=True, append_images=frames[1:], duration=80, loop=0)
    picture.save(path("photo-none.tif"))
    picture.save(path("photo-lzw.tif"), compression="tiff_lzw", tiffinfo={317: 2})
    picture.save(path("photo-deflate.tif"), compression="tiff_adobe_deflate")
    picture.save(path("photo-jpeg.tif"), compression="jpeg", quality=87)
    picture.save(path("photo-24.bmp"))
    rgba.save(path("photo-32.bmp"))
    indexed.save(path("photo-8.bmp"))


if __name__ == "__main__":
    main()
