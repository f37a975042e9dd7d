"""operations/: two small images with transparency, and the results of operations on the first one by other programs.

Composition: libvips and Skia; blur: OpenCV in float64 on premultiplied colours; the other operations: Pillow.
"""

import hashlib

import cv2
import numpy as np
import pyvips
import skia
from PIL import Image, ImageChops, ImageDraw, ImageOps

from pngwriter import png
from suite import cleared, pattern

WIDTH, HEIGHT = 26, 19
OVERLAY = (15, 12)
X, Y = 14, -4

# The names of CompositeOperator, and those of libvips.
OPERATORS = {
    "clear": "clear",
    "source": "source",
    "destination": "dest",
    "sourceOver": "over",
    "destinationOver": "dest-over",
    "sourceIn": "in",
    "destinationIn": "dest-in",
    "sourceOut": "out",
    "destinationOut": "dest-out",
    "xor": "xor",
}
# Skia for the operators for which libvips 8.18 does not multiply the premultiplied colour of one image by the alpha of
# the other: its results are too bright where that alpha is below 255.
SKIA_OPERATORS = {"sourceAtop": skia.BlendMode.kSrcATop, "destinationAtop": skia.BlendMode.kDstATop}


def image(width, height, seed):
    """Textured colours; opaque, transparent and translucent parts."""
    pixels = pattern(width, height, 4, seed=seed).astype(np.uint8)
    y, x = np.mgrid[0:height, 0:width]
    alpha = (x * 255 // (width - 1) + y * 5) % 256
    alpha[(x // 4 + y // 3) % 4 == 0] = 255
    alpha[(x // 3 + y // 4) % 5 == 0] = 0
    pixels[..., 3] = alpha
    return pixels


def vips_composited(base, overlay, mode, opacity):
    below = pyvips.Image.new_from_array(base, interpretation="srgb")
    above = pyvips.Image.new_from_array(overlay, interpretation="srgb") * [1, 1, 1, opacity]
    result = below.composite2(above.copy(interpretation="srgb"), mode, x=X, y=Y, compositing_space="srgb")
    assert (result.width, result.height, result.bands) == (WIDTH, HEIGHT, 4)
    return result.rint().cast("uchar").numpy()


def skia_composited(base, overlay, mode, opacity):
    """In premultiplied float32; the overlay is extended with transparent pixels."""
    layer = np.zeros_like(base)
    layer[: overlay.shape[0] + Y, X:] = overlay[-Y:, : WIDTH - X]
    kind = skia.ColorType.kRGBA_F32_ColorType
    surface = skia.Surface.MakeRaster(skia.ImageInfo.Make(WIDTH, HEIGHT, kind, skia.AlphaType.kPremul_AlphaType))
    for pixels, blend, alpha in ((base, skia.BlendMode.kSrc, 1), (layer, mode, opacity)):
        picture = skia.Image.fromarray(pixels, colorType=skia.ColorType.kRGBA_8888_ColorType)
        paint = skia.Paint(BlendMode=blend, Alphaf=alpha)
        surface.getCanvas().drawImage(picture, 0, 0, skia.SamplingOptions(), paint)
    result = np.zeros((HEIGHT, WIDTH, 4), np.float32)
    info = skia.ImageInfo.Make(WIDTH, HEIGHT, kind, skia.AlphaType.kUnpremul_AlphaType)
    assert surface.readPixels(info, result, WIDTH * 16)
    return np.floor(result * 255 + 0.5).clip(0, 255).astype(np.uint8)


def cv_blurred(pixels, sigma):
    """The Gaussian up to four standard deviations; pixels at the edges are repeated."""
    p = pixels.astype(np.float64)
    p[..., :3] *= p[..., 3:] / 255
    side = 2 * int(np.ceil(4 * sigma)) + 1
    p = cv2.GaussianBlur(p, (side, side), sigma, borderType=cv2.BORDER_REPLICATE)
    alpha = p[..., 3:]
    color = np.where(alpha >= 0.5, p[..., :3] * 255 / np.maximum(alpha, 0.5), 0)
    return np.floor(np.concatenate([color, alpha], axis=2) + 0.5).clip(0, 255).astype(np.uint8)


def masked(picture, draw):
    """With its alpha multiplied by a mask that Pillow draws 32 times as large, without antialiasing."""
    mask = Image.new("L", (picture.width * 32, picture.height * 32), 0)
    draw(ImageDraw.Draw(mask))
    mask = mask.resize(picture.size, Image.Resampling.BOX)
    result = picture.copy()
    result.putalpha(ImageChops.multiply(picture.getchannel("A"), mask))
    return np.asarray(result)


def rounded(picture, radius):
    box = (0, 0, picture.width * 32 - 1, picture.height * 32 - 1)
    return masked(picture, lambda draw: draw.rounded_rectangle(box, radius * 32, 255))


def circle(picture):
    side = min(picture.size)
    left, top = (picture.width - side) // 2, (picture.height - side) // 2
    square = picture.crop((left, top, left + side, top + side))
    return masked(square, lambda draw: draw.ellipse((0, 0, side * 32 - 1, side * 32 - 1), 255))


def gray(picture):
    luma = picture.convert("RGB").convert("L")
    return np.asarray(Image.merge("RGBA", (luma, luma, luma, picture.getchannel("A"))))


def brighter(picture, percent):
    channels = [c.point(lambda v: min(255, max(0, v + int(255 * percent / 100)))) for c in picture.split()[:3]]
    return np.asarray(Image.merge("RGBA", (*channels, picture.getchannel("A"))))


def tinted(picture, color):
    opaque = picture.convert("RGB").convert("RGBA")
    result = Image.alpha_composite(opaque, Image.new("RGBA", picture.size, color))
    result.putalpha(picture.getchannel("A"))
    return np.asarray(result)


def filled(picture, color, box):
    result = picture.copy()
    result.paste(color, box)
    return np.asarray(result)


def pillow_over(base, overlay):
    result = Image.fromarray(base)
    result.alpha_composite(Image.fromarray(overlay[-Y:, : WIDTH - X]), (X, 0))
    return np.asarray(result)


def results(base, overlay):
    """(operation, its arguments, program, pixels, largest difference)"""
    picture = Image.fromarray(base)
    for name, mode in OPERATORS.items():
        for opacity in (1, 0.4):
            arguments = {"x": X, "y": Y, "operator": name, "opacity": opacity}
            yield "composite", arguments, "libvips", vips_composited(base, overlay, mode, opacity), 1
    for name, mode in SKIA_OPERATORS.items():
        for opacity in (1, 0.4):
            arguments = {"x": X, "y": Y, "operator": name, "opacity": opacity}
            yield "composite", arguments, "Skia", skia_composited(base, overlay, mode, opacity), 1
    arguments = {"x": X, "y": Y, "operator": "sourceOver", "opacity": 1}
    yield "composite", arguments, "Pillow", pillow_over(base, overlay), 1
    for sigma in (0.7, 2.5, 5, 9, 60):
        yield "blur", {"sigma": sigma}, "OpenCV", cv_blurred(base, sigma), 1 if sigma <= 5 else 2
    yield "grayscale", {}, "Pillow", gray(picture), 0
    for percent in (20, -35):
        yield "brightness", {"percent": percent}, "Pillow", brighter(picture, percent), 0
    for color in ((200, 30, 90, 255), (200, 30, 90, 100)):
        yield "tint", {"color": color}, "Pillow", tinted(picture, color), 1
    # Pillow's edges are up to half a pixel of the enlarged mask farther out.
    for radius in (3, 6.5, 100):
        limited = min(radius, min(picture.size) / 2)
        yield "roundedCorners", {"radius": radius}, "Pillow", rounded(picture, limited), 14
    yield "circle", {}, "Pillow", circle(picture), 14
    color, box = (9, 250, 77, 130), (3, 5, 20, 12)
    arguments = {"color": color, "rectangle": (box[0], box[1], box[2] - box[0], box[3] - box[1])}
    yield "fill", arguments, "Pillow", filled(picture, color, box), 0
    border = {"left": 3, "top": 1, "right": 0, "bottom": 4}
    expanded = ImageOps.expand(picture, tuple(border.values()), color)
    yield "pad", {**border, "color": color}, "Pillow", np.asarray(expanded), 0


def make(suite):
    suite.script = "operations.py"
    base, overlay = image(WIDTH, HEIGHT, 3), image(*OVERLAY, 8)
    out = []
    for operation, arguments, program, pixels, difference in results(base, overlay):
        data = cleared(pixels).tobytes()
        words = [str(v).replace(".", "_") for k, v in arguments.items() if k in ("operator", "opacity", "sigma")]
        number = f"{len(out):02}"
        reference = "-".join([f"reference/operation-{number}", operation, *words]) + ".rgba"
        suite.put(reference, data)
        out.append(
            {
                "operation": operation,
                **arguments,
                "program": program,
                "width": pixels.shape[1],
                "height": pixels.shape[0],
                "pixels": hashlib.sha256(data).hexdigest(),
                "reference": reference,
                "maxDifference": difference,
            }
        )
    note = "small, with opaque, transparent and translucent parts: "
    suite.ok(
        "operations/base.png",
        png(base, 6, 8, filters=[4]),
        base,
        note + "the input of pixel operations",
        format="png",
        alpha=True,
        operations=out,
    )
    suite.ok(
        "operations/overlay.png",
        png(overlay, 6, 8, filters=[4]),
        overlay,
        note + "drawn over operations/base.png",
        format="png",
        alpha=True,
    )
