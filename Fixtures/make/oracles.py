"""Other decoders, asked for a second opinion when a fixture is made. Each gives frame 0 as RGBA8
(straight alpha, as stored), or None when it cannot or is known to mean something else."""

import io
import subprocess
import warnings

import numpy as np
from PIL import Image, ImageFile

try:
    import imagecodecs
    import tifffile
except ImportError:
    imagecodecs = tifffile = None
try:
    import cv2

    cv2.utils.logging.setLogLevel(0)
except ImportError:
    cv2 = None

warnings.simplefilter("ignore")
Image.MAX_IMAGE_PIXELS = None


def rounded(a):
    if a.dtype == np.bool_:
        a = a.astype(np.uint8) * 255
    if a.dtype == np.uint16:
        a = ((a.astype(np.uint32) * 255 + 32895) >> 16).astype(np.uint8)
    return a if a.dtype == np.uint8 else None


def as_rgba(a):
    a = rounded(np.asarray(a))
    if a is None or a.ndim not in (2, 3):
        return None
    if a.ndim == 2:
        a = a[:, :, None]
    n = a.shape[2]
    if n > 4:
        return None
    out = np.full(a.shape[:2] + (4,), 255, np.uint8)
    out[:, :, :3] = a[:, :, :3] if n >= 3 else a[:, :, :1]
    if n in (2, 4):
        out[:, :, 3] = a[:, :, n - 1]
    return out


def pillow(format, data, lenient=False):
    ImageFile.LOAD_TRUNCATED_IMAGES = lenient
    image = Image.open(io.BytesIO(data))
    if image.mode in ("I;16", "I;16B", "I;16L", "I"):
        v = np.asarray(image)
        return as_rgba(v.astype(np.uint16)) if v.min() >= 0 and v.max() <= 65535 else None
    if image.mode == "F":
        return None
    if image.mode == "CMYK":
        image = image.convert("RGB")
    if image.mode in ("P", "PA", "L", "LA", "1", "RGB") or "transparency" in image.info:
        image = image.convert("RGBA")
    return as_rgba(np.asarray(image.convert("RGBA")))


def pillow_lenient(format, data):
    try:
        return pillow(format, data, lenient=True)
    finally:
        ImageFile.LOAD_TRUNCATED_IMAGES = False


def codecs(format, data):
    decode = {
        "png": "png_decode",
        "jpeg": "jpeg8_decode",
        "gif": "gif_decode",
        "bmp": "bmp_decode",
        "webp": "webp_decode",
    }
    if format not in decode:
        return None
    a = getattr(imagecodecs, decode[format])(data)
    return as_rgba(a[0] if format == "gif" and a.ndim == 4 else a)


def opencv(format, data):
    if format == "gif":
        return None
    a = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED | cv2.IMREAD_IGNORE_ORIENTATION)
    if a is None:
        return None
    if a.ndim == 3 and a.shape[2] >= 3:
        a = a[:, :, [2, 1, 0, 3][: a.shape[2]]]
    return as_rgba(a)


def graphicsmagick(format, data):
    if format == "gif":
        return None  # gives the frame, not the canvas
    # PAM names the size and keeps alpha.
    run = subprocess.run(
        ["gm", "convert", f"{format}:-[0]", "-depth", "8", "-matte", "pam:-"],
        input=data,
        capture_output=True,
        timeout=20,
    )
    head, found, body = run.stdout.partition(b"ENDHDR\n")
    if run.returncode or not found:
        return None
    fields = dict(line.split(None, 1) for line in head.splitlines()[1:] if b" " in line)
    shape = (int(fields[b"HEIGHT"]), int(fields[b"WIDTH"]), int(fields[b"DEPTH"]))
    return as_rgba(np.frombuffer(body, np.uint8)[: np.prod(shape)].reshape(shape))


def tifffile_samples(data):
    with tifffile.TiffFile(io.BytesIO(data)) as file:
        return file.pages[0].asarray()


ALL = [
    ("pillow", pillow),
    ("imagecodecs", codecs),
    ("opencv", opencv),
    ("graphicsmagick", graphicsmagick),
    ("pillow-lenient", pillow_lenient),
]


def agreeing(format, data, pixels, tolerance, samples=None):
    agree, others = [], []
    for name, decode in ALL:
        if name == "pillow-lenient" and agree:
            break  # asked for damaged files only
        if name == "graphicsmagick" and len(agree) >= 2:
            continue  # a process a file; two opinions are enough
        try:
            got = decode(format, data)
        except Exception as error:  # any refusal at all
            others.append(f"{name}: {type(error).__name__} {str(error)[:60]}")
            continue
        if got is None or got.shape != pixels.shape:
            others.append(f"{name}: {None if got is None else got.shape}")
            continue
        got = got.copy()
        got[got[:, :, 3] == 0] = 0
        difference = int(np.abs(got.astype(int) - pixels).max())
        if difference <= tolerance:
            agree.append(name)
        else:
            others.append(f"{name}: differs by {difference}")
    if samples is not None:
        try:
            got = tifffile_samples(data)
            if got.squeeze().shape == samples.squeeze().shape and np.array_equal(
                got.squeeze(), samples.squeeze(), equal_nan=got.dtype.kind == "f"
            ):
                agree.append("tifffile")
            else:
                others.append("tifffile: differs")
        except Exception as error:
            others.append(f"tifffile: {type(error).__name__} {str(error)[:60]}")
    return agree, others
