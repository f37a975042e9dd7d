"""What the fixture makers share: test pictures, the rules that turn samples into RGBA8, and the
Suite that collects files together with what a decoder must make of them."""

import hashlib
import json
import os

import numpy as np

import oracles

FIXTURES = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CONTENT_TYPES = {
    "png": "image/png",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "tiff": "image/tiff",
    "bmp": "image/bmp",
    "webp": "image/webp",
    "avif": "image/avif",
    "heic": "image/heic",
    "jpegxl": "image/jxl",
    "jpeg2000": "image/jp2",
    "svg": "image/svg+xml",
    "cgbi": "image/png",
    "unknown": "application/octet-stream",
}


# ---------------------------------------------------------------- pictures


def pattern(width, height, channels, bits=8, seed=1):
    """Samples of `bits` bits: a slope in each direction with some texture, so that rows, columns,
    channels and bytes of a sample all differ. Shape (height, width, channels)."""
    y, x, c = np.mgrid[0:height, 0:width, 0:channels].astype(np.int64)
    top = (1 << bits) - 1
    slope = (x * 2 + 1) * (3 + c) + (y * 2 + 1) * (5 - c) + seed * 11 + c * 29
    if bits <= 2:
        v = (x + 2 * y + c + seed + x * y // 3) & top
    elif bits <= 8:
        v = (slope * (top + 1) // 128 + ((x * y + seed) & 3)) & top
    else:
        v = (slope * ((top + 1) // 128) + (x * 41 + y * 67 + c * 13 + x * y * 5) * 3) & top
    return v.astype(np.uint64) if bits > 32 else v.astype(np.uint32)


def smooth(width, height, channels=3, seed=0):
    """A soft 8-bit picture for lossy kinds."""
    y, x, c = np.mgrid[0:height, 0:width, 0:channels].astype(np.float64)
    v = 128 + 90 * np.sin((x + seed) / (width / 4 + c)) * np.cos((y - seed) / (height / 3 + c * 2))
    v += (c - 1) * (x / width - 0.5) * 60
    return np.clip(np.floor(v + 0.5), 0, 255).astype(np.uint8)


# ---------------------------------------------------------------- samples to RGBA8


def to8(v, bits):
    """The depth rules of the decoder: replication, round to nearest, or the top 16 bits."""
    v = v.astype(object) if bits > 32 else v.astype(np.uint64)
    if bits in (32, 64):
        v = v >> (bits - 16)
        bits = 16
    if bits == 16:
        return ((np.asarray(v, dtype=np.uint64) * 255 + 32895) >> np.uint64(16)).astype(np.uint8)
    top = (1 << bits) - 1
    return ((np.asarray(v, dtype=np.uint64) * 255 + top // 2) // top).astype(np.uint8)


def float8(v):
    v = np.asarray(v, dtype=np.float64)
    v = np.where(np.isnan(v), 0, v)
    return np.floor(np.clip(v, 0, 1) * 255 + 0.5).astype(np.uint8)


def multiply(a, b):
    t = a.astype(np.uint32) * b + 128
    return ((t + (t >> 8)) >> 8).astype(np.uint8)


def rgba(samples, alpha=None):
    """8-bit gray, gray + alpha, RGB or RGBA samples as RGBA8."""
    s = np.asarray(samples, dtype=np.uint8)
    if s.ndim == 2:
        s = s[:, :, None]
    n = s.shape[2]
    out = np.full(s.shape[:2] + (4,), 255, np.uint8)
    out[:, :, :3] = s[:, :, :1] if n <= 2 else s[:, :, :3]
    if n in (2, 4):
        out[:, :, 3] = s[:, :, n - 1]
    if alpha is not None:
        out[:, :, 3] = alpha
    return out


def cmyk_ink(samples):
    """CMYK as TIFF stores it (255 = full ink)."""
    light = 255 - np.asarray(samples, dtype=np.uint8)
    return rgba(multiply(light[:, :, :3], light[:, :, 3:4]))


def unpremultiply(pixels):
    p = pixels.astype(np.uint32)
    a = p[:, :, 3:4]
    c = np.minimum(255, (p[:, :, :3] * 255 + a // 2) // np.maximum(a, 1))
    return np.concatenate([np.where(a == 0, 0, c), a], axis=2).astype(np.uint8)


def over(below, above):
    """Straight alpha over straight alpha, each result rounded to nearest."""
    b, f = below.astype(np.int64), above.astype(np.int64)
    u = f[..., 3:4] * 255
    v = (255 - f[..., 3:4]) * b[..., 3:4]
    total = np.maximum(u + v, 1)
    colour = (2 * (f[..., :3] * u + b[..., :3] * v) + total) // (2 * total)
    alpha = (u + v + 127) // 255
    out = np.concatenate([colour, alpha], axis=-1).astype(np.uint8)
    return np.where(f[..., 3:4] == 255, above, np.where(f[..., 3:4] == 0, below, out))


def oriented(pixels, orientation):
    """Stored pixels, upright."""
    turn = {
        1: lambda p: p,
        2: lambda p: p[:, ::-1],
        3: lambda p: p[::-1, ::-1],
        4: lambda p: p[::-1],
        5: lambda p: p.transpose(1, 0, 2),
        6: lambda p: p.transpose(1, 0, 2)[:, ::-1],
        7: lambda p: p.transpose(1, 0, 2)[::-1, ::-1],
        8: lambda p: p.transpose(1, 0, 2)[::-1],
    }
    return np.ascontiguousarray(turn[orientation](pixels))


def cleared(pixels):
    """RGB under alpha 0 is not part of equality."""
    out = np.array(pixels, dtype=np.uint8)
    out[out[:, :, 3] == 0] = 0
    return out


def keep_rows(pixels, rows):
    out = np.array(pixels)
    out[rows:] = 0
    return out


def pixel_hash(pixels):
    return hashlib.sha256(cleared(pixels).tobytes()).hexdigest()


# ---------------------------------------------------------------- the collection


class Suite:
    def __init__(self):
        self.files = {}  # path below Fixtures -> bytes
        self.entries = []
        self.script = ""

    def put(self, path, data):
        assert path not in self.files, path
        self.files[path] = bytes(data)

    def _reference(self, path, pixels):
        folder, name = os.path.split(path)
        reference = f"reference/{folder}-{os.path.splitext(name)[0]}.rgba"
        if reference not in self.files:
            self.put(reference, cleared(pixels).tobytes())
        return reference

    def _expect(self, path, pixels, tolerance):
        expect = {"pixels": pixel_hash(pixels)}
        if tolerance:
            expect["maxDifference"] = tolerance
            expect["reference"] = self._reference(path, pixels)
        return expect

    def _entry(self, path, data, format, **fields):
        self.put(path, data)
        entry = {
            "path": path,
            "format": format,
            "contentType": CONTENT_TYPES[format],
            "bytes": len(data),
            "sha256": hashlib.sha256(data).hexdigest(),
        }
        entry.update(fields)
        entry["source"] = f"made by Fixtures/make/{self.script}"
        entry["licence"] = "CC0-1.0"
        return entry

    def ok(
        self,
        path,
        data,
        pixels,
        note,
        *,
        format=None,
        tolerance=0,
        alpha=False,
        status="complete",
        rows=None,
        orientation=1,
        frames=1,
        animation=None,
        display=None,
        oracle=None,
        oracle_tolerance=None,
        samples=None,
        reference_by=None,
        pages=None,
        scaled=None,
        resized=None,
        operations=None,
    ):
        """Adds a file with its expected `pixels`; `frames` 0 means that the number is not known from the header.

        Unless `oracle` names the source of the pixels, at least one other decoder must agree within `oracle_tolerance`.
        `samples` are the values that tifffile must read.
        """
        data = bytes(data)
        format = format or path.split("/")[0].replace("apng", "png")
        pixels = np.asarray(pixels, dtype=np.uint8)
        height, width = pixels.shape[:2]
        if oracle is None:
            limit = tolerance if oracle_tolerance is None else oracle_tolerance
            agree, others = oracles.agreeing(format, data, cleared(pixels), limit, samples)
            assert agree, f"{path}: no other decoder agrees; {others}"
            oracle = "+".join([reference_by or "maker"] + [a for a in agree if a != reference_by])
        entry = self._entry(
            path, data, format, width=width, height=height, orientation=orientation, frames=frames, hasAlpha=alpha
        )
        entry["expect"] = self._expect(path, pixels, tolerance)
        if display is not None:
            entry["display"] = display
        if scaled is not None:
            entry["scaled"] = scaled
        if resized is not None:
            entry["resized"] = resized
        if operations is not None:
            entry["operations"] = operations
        if animation is not None:
            entry["animation"] = animation
        if pages is not None:
            entry["pages"] = pages
        entry["status"] = status
        if status == "truncated":
            entry["rows"] = rows
        entry["oracle"] = oracle
        entry["note"] = note
        self.entries.append(entry)

    def bad(self, path, data, code, note, *, token=None, format=None):
        """A file that must be refused with this code."""
        expect = {"error": code}
        if token:
            head, *rest = token.split("_")  # the names of DecodeLimits, which C spells with underscores
            expect["token"] = head + "".join(word.title() for word in rest)
        entry = self._entry(path, bytes(data), format or os.path.basename(path).split("-")[0])
        entry["expect"] = expect
        entry["oracle"] = "maker"
        entry["note"] = note
        self.entries.append(entry)

    def display(self, path, pixels, tolerance=0, kind="display"):
        """What default options show: upright, sRGB. Other kinds of view likewise."""
        out = {"width": pixels.shape[1], "height": pixels.shape[0]}
        out.update(self._expect(f"{os.path.splitext(path)[0]}-{kind}.x", pixels, tolerance))
        return out

    @staticmethod
    def animation(canvases, delays, loop, status="complete"):
        """Composed canvases with delays (numerator, denominator); loop None: no count stored."""
        out = {
            "frames": [{"pixels": pixel_hash(c), "delay": list(d)} for c, d in zip(canvases, delays, strict=True)],
            "status": status,
        }
        if loop is not None:
            out["loopCount"] = loop
        return out

    def manifest(self):
        rows = [json.dumps(e, ensure_ascii=False) for e in sorted(self.entries, key=lambda e: e["path"])]
        return ("[\n" + ",\n".join(rows) + "\n]\n").encode()
