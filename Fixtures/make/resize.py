"""resize/: two small images, and their reference reductions and enlargements in float64.

The reference is an independent model of the resampler.
"""

import hashlib

import numpy as np

from demo import SUNSET, bytes_of, dither, mountains
from pngwriter import png
from suite import rgba


def kernel(name, x):
    """At distances x, in source samples of a picture that is not reduced."""
    if name == "triangle":
        return np.maximum(0, 1 - x)
    if name == "mitchell":
        near = (7 * x**3 - 12 * x**2 + 16 / 3) / 6
        far = (-7 / 3 * x**3 + 12 * x**2 - 20 * x + 32 / 3) / 6
        return np.where(x < 1, near, np.where(x < 2, far, 0))
    return np.where(x < 3, np.sinc(x) * np.sinc(x / 3), 0)


def matrix(name, source, start, length, count):
    """Weights of `source` samples in each of `count`, made from the part at `start`."""
    step = length / count
    center = start + (np.arange(count)[:, None] + 0.5) * step
    at = np.arange(source)[None, :]
    if name == "nearest":
        weights = (np.floor(center) == at) * 1.0
    elif name == "box":
        weights = np.maximum(0, np.minimum(at + 1, center + step / 2) - np.maximum(at, center - step / 2))
    else:
        weights = kernel(name, np.abs(at + 0.5 - center) / max(1, step))
    return weights / weights.sum(axis=1, keepdims=True)


def resized(pixels, name, width, height, crop=None, light=False):
    """Colours times alpha, and alpha, 0 to 255."""
    rows, columns = pixels.shape[:2]
    x, y, w, h = crop or (0, 0, columns, rows)
    p = pixels / 255.0
    alpha, color = p[..., 3:], p[..., :3]
    if light:
        color = np.where(color <= 0.04045, color / 12.92, ((color + 0.055) / 1.055) ** 2.4)
    p = np.concatenate([color * alpha, alpha], axis=2)
    p = np.einsum("xc,rcs->rxs", matrix(name, columns, x, w, width), p)
    p = np.einsum("yr,rxs->yxs", matrix(name, rows, y, h, height), p)
    alpha = p[..., 3:]
    color = np.clip(np.where(alpha > 1e-9, p[..., :3] / np.maximum(alpha, 1e-9), 0), 0, 1)
    if light:
        color = np.where(color <= 0.0031308, color * 12.92, 1.055 * color ** (1 / 2.4) - 0.055)
    alpha = np.clip(alpha, 0, 1)
    return np.concatenate([color * alpha, alpha], axis=2) * 255


def cut_out(width, height):
    """Opaque stripes over magenta that nobody may see, and a soft edge."""
    p = rgba(bytes_of(dither(mountains(width, height, SUNSET, (22, 24, 40), (150, 118, 150), 8))))
    y, x = np.mgrid[0:height, 0:width]
    p[..., 3] = np.where((x + y // 4) % 9 < 5, 255, 0)
    p[: height // 3, :, 3] = (x[: height // 3] * 255 // (width - 1)).astype(np.uint8)
    p[p[..., 3] == 0] = (255, 0, 255, 0)
    return p


CASES = [(name, size, None, False) for name in ("nearest", "box", "triangle", "mitchell", "lanczos3")
         for size in ((17, 13), (70, 20))]
CASES += [(name, (19, 11), (3.25, 5.5, 40.5, 17.75), False) for name in ("box", "lanczos3")]
CASES += [("lanczos3", (16, 12), None, True), ("box", (31, 9), None, True)]


def make(suite):
    suite.script = "resize.py"
    for name, pixels, kind in (
        ("opaque", rgba(bytes_of(dither(mountains(60, 44, SUNSET, (22, 24, 40), (150, 118, 150))))), 2),
        ("cut-out", cut_out(60, 44), 6),
    ):
        out = []
        for filter, (width, height), crop, light in CASES:
            rows = np.floor(resized(pixels, filter, width, height, crop, light) * 257 + 0.5).astype("<u2").tobytes()
            part = "-crop" if crop else "-light" if light else ""
            reference = f"reference/resize-{name}-{filter}-{width}x{height}{part}.rgba16"
            suite.put(reference, rows)
            case = {"width": width, "height": height, "filter": filter, "weighsLight": light}
            if crop:
                case["crop"] = list(crop)
            case.update(
                pixels=hashlib.sha256(rows).hexdigest(),
                reference=reference,
                maxDifference=1 if light or kind == 6 else 0.6,
            )
            out.append(case)
        suite.ok(
            f"resize/{name}.png",
            png(pixels[..., : 4 if kind == 6 else 3], kind, 8, filters=[4]),
            pixels,
            "small, for resizing: " + ("magenta under alpha 0" if kind == 6 else "opaque"),
            format="png",
            alpha=kind == 6,
            resized=out,
        )
