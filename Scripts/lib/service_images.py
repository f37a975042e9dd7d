"""Images for the service scripts: photographs of scikit-image in several sizes and formats, and broken files."""

import io
import os
import sys

import numpy as np
from PIL import Image

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(ROOT, ".build-thumbor/images")
sys.path.append(os.path.join(ROOT, "Fixtures/make"))
from mosaic import mosaic  # noqa: E402

SIZES = [(800, 600), (2000, 1500), (4000, 3000)]


def _framed(size, border, color):
    image = Image.new("RGB", size, color)
    inner = size[0] - 2 * border, size[1] - 2 * border
    image.paste(mosaic(*inner, seed=21), (border, border))
    return image


def _alpha(size):
    image = mosaic(*size, seed=4)
    x, y = np.meshgrid(np.linspace(0, 9, size[0]), np.linspace(0, 7, size[1]))
    image.putalpha(Image.fromarray(np.clip(128 + 200 * np.sin(x) * np.cos(y), 0, 255).astype(np.uint8)))
    return image


def _jpeg(image, **options):
    file = io.BytesIO()
    image.save(file, "JPEG", **{"quality": 87, "subsampling": 2, **options})
    return file.getvalue()


def _png(image, **options):
    file = io.BytesIO()
    image.save(file, "PNG", **{"compress_level": 6, **options})
    return file.getvalue()


def _gif(frames):
    images = [mosaic(240, 180, seed=number).quantize(64) for number in range(frames)]
    file = io.BytesIO()
    images[0].save(file, "GIF", save_all=True, append_images=images[1:], duration=40, loop=0)
    return file.getvalue()


def _webp(frames, **options):
    file = io.BytesIO()
    frames[0].save(file, "WEBP", save_all=len(frames) > 1, append_images=frames[1:], duration=40, **options)
    return file.getvalue()


def _rotated(size, orientation):
    exif = Image.Exif()
    exif[0x0112] = orientation
    return _jpeg(mosaic(*size, seed=8), exif=exif)


def _tiff(image):
    file = io.BytesIO()
    image.save(file, "TIFF", compression="tiff_lzw")
    return file.getvalue()


def _bmp(image):
    file = io.BytesIO()
    image.save(file, "BMP")
    return file.getvalue()


IMAGES = {
    **{f"{w}x{h}.jpg": (lambda w=w, h=h: _jpeg(mosaic(w, h, seed=w))) for w, h in SIZES},
    **{f"{w}x{h}.png": (lambda w=w, h=h: _png(mosaic(w, h, seed=w))) for w, h in SIZES},
    "portrait.jpg": lambda: _jpeg(mosaic(1500, 2000, seed=5)),
    "odd.jpg": lambda: _jpeg(mosaic(400, 201, seed=6)),
    "small.jpg": lambda: _jpeg(mosaic(100, 80, seed=7)),
    "thin.jpg": lambda: _jpeg(mosaic(3, 1000, seed=7)),
    "turned.jpg": lambda: _rotated((1200, 800), 6),
    "progressive.jpg": lambda: _jpeg(mosaic(1600, 1200, seed=9), progressive=True),
    "gray.jpg": lambda: _jpeg(mosaic(800, 600, seed=10).convert("L")),
    "cmyk.jpg": lambda: _jpeg(mosaic(800, 600, seed=10).convert("CMYK")),
    "framed.png": lambda: _png(_framed((640, 480), 40, (255, 255, 255))),
    "alpha.png": lambda: _png(_alpha((800, 600))),
    "palette.png": lambda: _png(mosaic(800, 600, seed=11).quantize(128)),
    "deep.png": lambda: _png(Image.fromarray(np.asarray(mosaic(400, 300, seed=12).convert("L"), np.uint16) * 257)),
    "animated.gif": lambda: _gif(30),
    "still.gif": lambda: _gif(1),
    "photo.tif": lambda: _tiff(mosaic(600, 400, seed=13)),
    "photo.webp": lambda: _webp([mosaic(600, 400, seed=13)], quality=90),
    "alpha.webp": lambda: _webp([_alpha((800, 600))], quality=90),
    "animated.webp": lambda: _webp([mosaic(240, 180, seed=number) for number in range(8)], quality=90),
    "photo.bmp": lambda: _bmp(mosaic(600, 400, seed=13)),
    "cut.jpg": lambda: _jpeg(mosaic(800, 600, seed=800))[:30_000],
    "stump.jpg": lambda: _jpeg(mosaic(800, 600, seed=800))[:200],
    "page.jpg": lambda: b"<!doctype html><title>not an image</title>",
    "nothing.jpg": lambda: b"",
}


def image_folder():
    """The folder of the images, which are generated on first use."""
    os.makedirs(FOLDER, exist_ok=True)
    for name, make in IMAGES.items():
        path = os.path.join(FOLDER, name)
        if not os.path.exists(path):
            with open(path + ".part", "wb") as file:
                file.write(make())
            os.rename(path + ".part", path)
    return FOLDER


def noise_image():
    """The name of an image of random pixels in the folder; its PNG is larger than 30 MB."""
    path = os.path.join(image_folder(), "noise.jpg")
    if not os.path.exists(path):
        pixels = np.random.default_rng(1).integers(0, 256, (3_400, 3_400, 3), np.uint8)
        with open(path + ".part", "wb") as file:
            file.write(_jpeg(Image.fromarray(pixels)))
        os.rename(path + ".part", path)
    return os.path.basename(path)


def _lanczos(length, size):
    """Lanczos3 weights for resampling `length` samples to `size`, in float64."""
    scale = length / size
    centres = (np.arange(size) + 0.5) * scale - 0.5
    x = (np.arange(length)[None, :] - centres[:, None]) / max(scale, 1)
    weights = np.where(np.abs(x) < 3, np.sinc(x) * np.sinc(x / 3), 0.0)
    return weights / weights.sum(1, keepdims=True)


def exact(name, width, height):
    """An opaque image resized in float64."""
    full = np.asarray(Image.open(os.path.join(image_folder(), name)).convert("RGB"), np.float64)
    down = np.einsum("oh,hwc->owc", _lanczos(full.shape[0], height), full, optimize=True)
    return np.clip(np.einsum("ow,hwc->hoc", _lanczos(full.shape[1], width), down, optimize=True), 0, 255)


def psnr(file, name):
    """PSNR in dB of an encoded file against the exact image of its size."""
    image = Image.open(io.BytesIO(file)).convert("RGB")
    error = ((np.asarray(image, np.float64) - exact(name, *image.size)) ** 2).mean()
    return 10 * np.log10(255**2 / error)
