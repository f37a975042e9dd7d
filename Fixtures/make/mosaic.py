"""Large photographs for benchmarks: mosaics of the images that scikit-image ships, at their native resolution.

Enlarging would blur them and reducing sharpen them, and both change how they compress. Needs numpy, Pillow and
scikit-image, of which only the data is read: `Scripts/lib/environment.py` prints the path of a Python that has them.
"""

import importlib.util
import os
import sys

import numpy as np
from PIL import Image

# Every colour photograph that scikit-image ships.
PHOTOGRAPHS = [
    "astronaut.png", "chelsea.png", "coffee.png", "hubble_deep_field.jpg", "motorcycle_left.png",
    "motorcycle_right.png", "retina.jpg", "rocket.jpg",
]


def photographs():
    spec = importlib.util.find_spec("skimage")
    if spec is None:
        sys.exit(f"{os.path.basename(sys.argv[0])}: scikit-image is missing: pip install --no-deps scikit-image")
    data = os.path.join(os.path.dirname(spec.origin), "data")
    return [np.asarray(Image.open(os.path.join(data, name)).convert("RGB")) for name in PHOTOGRAPHS]


def mosaic(width, height, seed):
    """Photographs side by side at their own resolution, mirrored at random: detail as cameras have it, no scaling."""
    random, tiles = np.random.default_rng(seed), photographs()
    canvas = np.zeros((height, width, 3), np.uint8)
    y = 0
    while y < height:
        row = min(420, height - y)
        x = 0
        while x < width:
            tile = tiles[random.integers(len(tiles))]
            tile = tile[:, ::-1] if random.integers(2) else tile
            top = random.integers(max(1, tile.shape[0] - row + 1))
            part = tile[top : top + row]
            part = np.pad(part, ((0, row - part.shape[0]), (0, 0), (0, 0)), "reflect")[:, : width - x]
            canvas[y : y + row, x : x + part.shape[1]] = part
            x += part.shape[1]
        y += row
    return Image.fromarray(canvas)
