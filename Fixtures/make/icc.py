"""ICC profiles from first principles: matrix/TRC RGB, gray, and a small CMYK table. ICC.1:2001-04
(version 2). Profiles are built so that conversions visibly change pixels."""

import io
import struct

import numpy as np
from PIL import Image, ImageCms

PRIMARIES = {
    "srgb": ((0.64, 0.33), (0.30, 0.60), (0.15, 0.06)),
    "p3": ((0.680, 0.320), (0.265, 0.690), (0.150, 0.060)),
    "bt2020": ((0.708, 0.292), (0.170, 0.797), (0.131, 0.046)),
    "adobe": ((0.64, 0.33), (0.21, 0.71), (0.15, 0.06)),
}
D65 = (0.3127, 0.3290)
D50 = np.array([0.9642, 1.0, 0.8249])
BRADFORD = np.array([[0.8951, 0.2664, -0.1614], [-0.7502, 1.7135, 0.0367], [0.0389, -0.0685, 1.0296]])


def xyz(x, y):
    return np.array([x / y, 1.0, (1 - x - y) / y])


def fixed(v):
    return struct.pack(">i", int(np.floor(v * 65536 + 0.5)))


def colorants(primaries, white=D65):
    m = np.array([xyz(*p) for p in primaries]).T
    m = m * np.linalg.solve(m, xyz(*white))
    adapt = np.linalg.inv(BRADFORD) @ np.diag(BRADFORD @ D50 / (BRADFORD @ xyz(*white))) @ BRADFORD
    return adapt @ m


def srgb_curve():
    v = np.arange(256) / 255
    v = np.where(v <= 0.04045, v / 12.92, ((v + 0.055) / 1.055) ** 2.4)
    return struct.pack(">4s4xI256H", b"curv", 256, *np.floor(v * 65535 + 0.5).astype(int).tolist())


def parametric_srgb():
    """Type 3 of parametricCurveType: 32 bytes instead of 524."""
    return (
        b"para\0\0\0\0"
        + struct.pack(">HH", 3, 0)
        + b"".join(fixed(v) for v in (2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045))
    )


def gamma_curve(gamma):
    return struct.pack(">4s4xIH", b"curv", 1, int(np.floor(gamma * 256 + 0.5))) + b"\0\0"


def description(text):
    raw = text.encode("ascii") + b"\0"
    return b"desc\0\0\0\0" + struct.pack(">I", len(raw)) + raw + b"\0" * 78


def build(device_class, space, pcs, tags, intent=0, version=0x02100000, size=None):
    """tags: (signature, data); equal data is stored once."""
    table, body, places = b"", b"", {}
    at = 128 + 4 + 12 * len(tags)
    for name, data in tags:
        data += b"\0" * (-len(data) % 4)
        if data not in places:
            places[data] = at + len(body)
            body += data
        table += struct.pack(">4sII", name, places[data], len(data))
    total = at + len(body)
    head = struct.pack(">I4sI4s4s4s", size or total, b"\0\0\0\0", version, device_class, space, pcs)
    head += struct.pack(">6H", 2024, 1, 1, 0, 0, 0) + b"acsp" + b"\0" * 4 + b"\0" * 4 + b"\0" * 16
    head += struct.pack(">I", intent) + b"".join(fixed(v) for v in D50)
    return head + b"\0" * (128 - len(head)) + struct.pack(">I", len(tags)) + table + body


def rgb_profile(primaries="p3", curve=None, text="Fixture RGB", white=D65):
    m = colorants(PRIMARIES[primaries] if isinstance(primaries, str) else primaries, white)
    curve = curve or parametric_srgb()
    point = [b"XYZ \0\0\0\0" + b"".join(fixed(v) for v in m[:, i]) for i in range(3)]
    return build(
        b"mntr",
        b"RGB ",
        b"XYZ ",
        [
            (b"desc", description(text)),
            (b"cprt", b"text\0\0\0\0CC0\0"),
            (b"wtpt", b"XYZ \0\0\0\0" + b"".join(fixed(v) for v in D50)),
            (b"rXYZ", point[0]),
            (b"gXYZ", point[1]),
            (b"bXYZ", point[2]),
            (b"rTRC", curve),
            (b"gTRC", curve),
            (b"bTRC", curve),
        ],
    )


def swapped_profile():
    """Red and green primaries exchanged: conversion is impossible to overlook."""
    r, g, b = PRIMARIES["srgb"]
    return rgb_profile((g, r, b), text="Fixture swapped")


def gray_profile(gamma=1.0):
    return build(
        b"mntr",
        b"GRAY",
        b"XYZ ",
        [
            (b"desc", description("Fixture gray")),
            (b"cprt", b"text\0\0\0\0CC0\0"),
            (b"wtpt", b"XYZ \0\0\0\0" + b"".join(fixed(v) for v in D50)),
            (b"kTRC", gamma_curve(gamma)),
        ],
    )


def cmyk_profile():
    """A 2 x 2 x 2 x 2 table (lut16) from CMYK to Lab; inks a little dirtier than ideal ones."""
    corners = b""
    for n in range(16):
        c, m, y, k = (n >> 3) & 1, (n >> 2) & 1, (n >> 1) & 1, n & 1
        rgb = np.array([1 - 0.9 * c, 1 - 0.8 * m, 1 - 0.85 * y]) * (1 - 0.9 * k)
        rgb = rgb * np.array([1 - 0.05 * m, 1 - 0.15 * c, 1 - 0.1 * m])
        linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
        t = colorants(PRIMARIES["srgb"]) @ linear / D50
        f = np.where(t > 216 / 24389, np.cbrt(t), (t * 24389 / 27 + 16) / 116)
        lab = [116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])]
        corners += struct.pack(
            ">3H",
            *[
                min(65280, max(0, int(v)))
                for v in (lab[0] * 652.8 + 0.5, (lab[1] + 128) * 256 + 0.5, (lab[2] + 128) * 256 + 0.5)
            ]
        )
    lut = b"mft2\0\0\0\0" + bytes([4, 3, 2, 0]) + b"".join(fixed(v) for v in (1, 0, 0, 0, 1, 0, 0, 0, 1))
    lut += struct.pack(">HH", 2, 2) + struct.pack(">2H", 0, 65535) * 4 + corners + struct.pack(">2H", 0, 65535) * 3
    return build(
        b"prtr",
        b"CMYK",
        b"Lab ",
        [
            (b"desc", description("Fixture CMYK")),
            (b"cprt", b"text\0\0\0\0CC0\0"),
            (b"wtpt", b"XYZ \0\0\0\0" + b"".join(fixed(v) for v in D50)),
            (b"A2B0", lut),
        ],
    )


def to_srgb(pixels, profile, mode="RGB"):
    """RGBA8 (mode RGB), gray taken from RGBA8 (mode L) or ink samples (mode CMYK) through lcms2, perceptual."""
    source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
    target = ImageCms.createProfile("sRGB")
    data = {"RGB": lambda: pixels[:, :, :3], "L": lambda: pixels[:, :, 0], "CMYK": lambda: pixels}[mode]()
    image = Image.fromarray(np.ascontiguousarray(data), mode)
    out = ImageCms.profileToProfile(image, source, target, 0, "RGB", flags=0)
    alpha = pixels[:, :, 3] if mode != "CMYK" else np.full(pixels.shape[:2], 255, np.uint8)
    return np.dstack([np.asarray(out), alpha])
