"""WebP files with damage: wrong sizes, missing, contradicting and repeated chunks, damaged streams and metadata, and
intact images that tests damage.

Intact parts are encoded by Pillow (libwebp); the container is assembled here (RFC 9649, section 2). Files with a
partial or repaired result are in `webp`, rejected files in `bad`. The pixels of a truncated file are those that the
incremental decoder of libwebp returns for the same bytes (`rows_of`). A file whose image chunk is longer than the file
is truncated even if all rows can be decoded.
"""

import ctypes
import io
import struct

import numpy as np
from PIL import Image

from damage import textured
from suite import Suite, over, pattern, rgba, smooth

ANIMATION, XMP, EXIF, ALPHA, ICC = 2, 4, 8, 16, 32  # flags of VP8X


# ---------------------------------------------------------------- container


def chunk(kind, body, size=None, pad=True):
    """A chunk with its padding byte; `size` replaces the stored size."""
    stored = struct.pack("<I", len(body) if size is None else size)
    return kind + stored + body + (b"\0" if pad and len(body) % 2 else b"")


def riff(*chunks, size=None):
    body = b"WEBP" + b"".join(chunks)
    return b"RIFF" + struct.pack("<I", len(body) if size is None else size) + body


def u24(value):
    return struct.pack("<I", value)[:3]


def vp8x(flags, width, height, more=b""):
    return chunk(b"VP8X", struct.pack("<I", flags) + u24(width - 1) + u24(height - 1) + more)


def anim(loops=0, background=0):
    return chunk(b"ANIM", struct.pack("<IH", background, loops))


def anmf(image, x, y, width, height, delay=100, flags=2, size=None):
    """A frame; flags 2: replaces the pixels, flags 0: blends. `x` and `y` are even."""
    head = u24(x // 2) + u24(y // 2) + u24(width - 1) + u24(height - 1) + u24(delay) + bytes([flags])
    return chunk(b"ANMF", head + image, size)


def chunks_of(data):
    """The chunks of an intact file: (kind, body)."""
    at = 12
    while at + 8 <= len(data):
        kind, (size,) = data[at : at + 4], struct.unpack_from("<I", data, at + 4)
        yield kind, data[at + 8 : at + 8 + size]
        at += 8 + size + size % 2


# ---------------------------------------------------------------- images


def encoded(samples, **options):
    out = io.BytesIO()
    Image.fromarray(samples).save(out, "WEBP", method=6, **options)
    return out.getvalue()


def stream(samples, **options):
    """The image chunks (VP8, VP8L, or ALPH and VP8) of an encoded image."""
    parts = [(k, b) for k, b in chunks_of(encoded(samples, **options)) if k in (b"VP8 ", b"VP8L", b"ALPH")]
    return b"".join(chunk(k, b) for k, b in parts)


def lossless(samples):
    return stream(samples, lossless=True, quality=100, exact=True)


def lossy(samples, quality=75):
    return stream(samples, quality=quality)


def body_of(part):
    return next(chunks_of(bytes(12) + part))[1]


def decoded(data):
    """The pixels that Pillow (libwebp) decodes."""
    with Image.open(io.BytesIO(data)) as image:
        return np.asarray(image.convert("RGBA"))


LIBRARY = ctypes.CDLL("libwebp.so.7")
LIBRARY.WebPINewRGB.restype = LIBRARY.WebPIDecGetRGB.restype = ctypes.c_void_p
LIBRARY.WebPINewRGB.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
LIBRARY.WebPIAppend.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t]
LIBRARY.WebPIDecGetRGB.argtypes = [ctypes.c_void_p] + [ctypes.POINTER(ctypes.c_int)] * 4
LIBRARY.WebPIDelete.argtypes = [ctypes.c_void_p]


def rows_of(data, width, height):
    """The rows that the incremental decoder of libwebp returns for a truncated file, and their number."""
    decoder = LIBRARY.WebPINewRGB(1, None, 0, 0)  # 1 is MODE_RGBA
    LIBRARY.WebPIAppend(decoder, data, len(data))
    last, wide, high, stride = (ctypes.c_int() for _ in range(4))
    fields = [ctypes.byref(value) for value in (last, wide, high, stride)]
    pixels = LIBRARY.WebPIDecGetRGB(decoder, *fields)
    out = np.zeros((height, width, 4), np.uint8)
    if pixels and last.value > 0:
        rows = ctypes.string_at(pixels, stride.value * (last.value - 1) + width * 4)
        for y in range(last.value):
            out[y] = np.frombuffer(rows, np.uint8, width * 4, y * stride.value).reshape(width, 4)
    LIBRARY.WebPIDelete(decoder)
    return out, last.value


# ---------------------------------------------------------------- the files

W, H = 13, 11
OPAQUE = pattern(W, H, 3).astype(np.uint8)
CLEAR = np.dstack([OPAQUE, pattern(W, H, 1, seed=9).astype(np.uint8)])
STILL, TRANSPARENT = lossless(OPAQUE), lossless(CLEAR)
SOFT = smooth(W, H)
LOSSY = lossy(SOFT)
SHOWN, SHOWN_CLEAR, SHOWN_LOSSY = rgba(OPAQUE), rgba(CLEAR), decoded(riff(LOSSY))


def put(suite, name, data, pixels, note, **fields):
    suite.ok(f"webp/{name}.webp", data, pixels, note, format="webp", **fields)


def bad(suite, name, code, data, note, token=None):
    suite.bad(f"bad/webp-{name}.webp", data, code, note, token=token, format="webp")


def sizes(suite):
    """RIFF and chunk sizes that do not match the bytes."""
    whole = riff(STILL)
    length = len(whole) - 8
    remark = dict(oracle="maker")
    put(suite, "riff-larger", riff(STILL, size=length + 100), SHOWN, "RIFF size 100 bytes too large", **remark)
    put(suite, "riff-maximum", riff(STILL, size=0xFFFFFFF6), SHOWN, "the largest RIFF size", **remark)
    put(suite, "riff-odd", riff(STILL, size=length - 1), SHOWN, "RIFF size without the padding byte")
    defect = dict(oracle="maker", status="corrupt")
    put(suite, "riff-smaller", riff(STILL, size=length - 20), SHOWN, "RIFF size 20 bytes too small", **defect)
    put(suite, "riff-0", riff(STILL, size=0), SHOWN, "RIFF size 0", **defect)
    put(suite, "trailing-bytes", whole + b"trailing", SHOWN, "bytes after the RIFF chunk: ignored")
    body = body_of(STILL)
    assert len(body) % 2, "the image chunk has an odd size"
    put(suite, "no-padding-at-end", riff(chunk(b"VP8L", body, pad=False)), SHOWN, "no padding after the last chunk")
    padded = chunk(b"VP8L", body)[:-1] + b"\xff"
    put(suite, "padding-not-zero", riff(padded), SHOWN, "the padding byte is not 0")
    head = vp8x(ICC, W, H)
    bad(
        suite,
        "no-padding-inside",
        "malformed",
        riff(head, chunk(b"ICCP", b"odd", pad=False), STILL),
        "an odd chunk without padding in the middle: no image chunk is found",
    )
    bad(suite, "riff-cut", "truncated", whole[:12], "ends after the RIFF header")
    bad(suite, "chunk-header-cut", "truncated", whole[:18], "ends in the header of the image chunk")
    bad(suite, "chunk-empty", "malformed", riff(chunk(b"VP8L", b"")), "image chunk of size 0")
    bad(suite, "vp8-chunk-empty", "malformed", riff(chunk(b"VP8 ", b"")), "lossy image chunk of size 0")
    put(
        suite,
        "chunk-larger",
        riff(chunk(b"VP8L", body, len(body) + 50)),
        SHOWN,
        "image chunk 50 bytes larger than the file",
        oracle="maker",
        status="truncated",
        rows=H,
    )
    bad(
        suite,
        "chunk-size-maximum",
        "malformed",
        riff(chunk(b"JUNK", b"", 0xFFFFFFFF), STILL),
        "a chunk of 4 GiB - 1",
    )
    bad(suite, "no-image", "malformed", riff(vp8x(0, W, H)), "no image chunk")
    bad(suite, "no-image-exif", "malformed", riff(vp8x(EXIF, W, H), chunk(b"EXIF", b"II*\0")), "only metadata")


def chunks(suite):
    """Unknown, repeated and misplaced chunks, and flags that contradict the chunks."""
    head = vp8x(0, W, H)
    junk = chunk(b"JUNK", b"five!")
    put(suite, "unknown-before", riff(head, junk, STILL), SHOWN, "unknown chunk of odd size before the image")
    put(suite, "unknown-after", riff(head, STILL, junk), SHOWN, "unknown chunk after the image")
    put(suite, "unknown-empty", riff(head, chunk(b"    ", b""), STILL), SHOWN, "unknown chunk of size 0")
    put(suite, "unknown-100", riff(head, chunk(b"JUNK", b"") * 100, STILL), SHOWN, "a hundred unknown chunks")
    put(suite, "unknown-simple", riff(STILL, junk), SHOWN, "unknown chunk in a file without VP8X")
    put(
        suite,
        "unknown-first",
        riff(junk, STILL),
        SHOWN,
        "unknown chunk before the image in a file without VP8X",
        oracle="maker",
    )
    put(suite, "two-images", riff(STILL, lossless(OPAQUE[::-1].copy())), SHOWN, "two image chunks: the first counts")
    put(
        suite,
        "two-images-extended",
        riff(head, STILL, LOSSY),
        SHOWN,
        "lossless and lossy image chunk: the first counts",
        oracle="maker",
    )
    put(
        suite,
        "flags-alpha-only",
        riff(vp8x(ALPHA, W, H), STILL),
        SHOWN,
        "flag for alpha, opaque image",
    )
    put(
        suite,
        "flags-alpha-missing",
        riff(head, TRANSPARENT),
        SHOWN_CLEAR,
        "lossless image with alpha, without the flag",
        alpha=True,
        oracle="maker",
    )
    put(suite, "flags-metadata-only", riff(vp8x(ICC | EXIF | XMP, W, H), STILL), SHOWN, "flags without their chunks")
    put(
        suite,
        "flags-metadata-missing",
        riff(head, chunk(b"XMP ", b"<x/>"), STILL),
        SHOWN,
        "XMP without the flag",
    )
    put(suite, "flags-reserved", riff(vp8x(0xFFFFFF01, W, H), STILL), SHOWN, "every reserved bit is set")
    bad(
        suite,
        "canvas-other-size",
        "malformed",
        riff(vp8x(0, W + 7, H + 2), STILL),
        "a still image of another size than the canvas",
    )
    put(suite, "vp8x-long", riff(vp8x(0, W, H, b"more"), STILL), SHOWN, "VP8X of 14 bytes", oracle="maker")
    bad(suite, "vp8x-short", "malformed", riff(chunk(b"VP8X", bytes(9)), STILL), "VP8X of 9 bytes")
    twice = riff(head, vp8x(0, 5, 5), STILL)
    put(suite, "vp8x-twice", twice, SHOWN, "two VP8X chunks: the first counts", oracle="maker", status="corrupt")
    put(suite, "vp8x-after", riff(STILL, head), SHOWN, "VP8X after the image: ignored", status="corrupt")
    bad(
        suite,
        "canvas-overflow",
        "malformed",
        riff(vp8x(0, 1 << 24, 1 << 24), STILL),
        "canvas of more than 2^32 - 1 pixels",
    )


def streams(suite):
    """Damaged VP8 and VP8L streams (RFC 6386, section 9.1; RFC 9649, section 3)."""
    body = body_of(LOSSY)

    def changed(at, value):
        return riff(chunk(b"VP8 ", body[:at] + value + body[at + len(value) :]))

    bad(suite, "vp8-not-key-frame", "malformed", changed(0, bytes([body[0] | 1])), "not a key frame")
    bad(suite, "vp8-profile-4", "malformed", changed(0, bytes([body[0] | 8])), "profile 4")
    bad(suite, "vp8-not-shown", "malformed", changed(0, bytes([body[0] & ~16])), "a frame that is not shown")
    bad(suite, "vp8-start-code", "malformed", changed(3, b"\x9d\x01\x2b"), "wrong start code")
    bad(suite, "vp8-width-0", "malformed", changed(6, b"\0\0"), "width 0")
    bad(suite, "vp8-height-0", "malformed", changed(8, b"\0\0"), "height 0")
    large_partition = changed(0, bytes([body[0], 0xFF, 0xFF]))
    bad(suite, "vp8-partition-large", "malformed", large_partition, "first partition larger than the chunk")
    bad(suite, "vp8-cut-in-header", "truncated", riff(LOSSY)[:27], "ends in the frame header")
    bad(suite, "vp8-cut-in-partition", "truncated", riff(LOSSY)[:40], "ends in the first partition")
    body = body_of(STILL)
    bad(suite, "vp8l-signature", "malformed", riff(chunk(b"VP8L", b"\x2e" + body[1:])), "wrong signature")
    version = bytes([body[4] | 0x20])
    bad(suite, "vp8l-version", "malformed", riff(chunk(b"VP8L", body[:4] + version + body[5:])), "version 1")
    zeros = riff(chunk(b"VP8L", body[:5] + b"\xff" * (len(body) - 5)))
    bad(suite, "vp8l-codes", "malformed", zeros, "invalid prefix codes")
    bad(suite, "vp8l-cut-in-codes", "truncated", riff(STILL)[:40], "ends in the prefix codes")
    short = riff(chunk(b"VP8L", body[: len(body) // 2]), b"")
    bad(suite, "vp8l-chunk-short", "malformed", short, "the chunk ends in the prefix codes, the file does not")
    high = textured(3)[:, :48]
    for name, part in (("lossless", lossless(high)), ("lossy", lossy(high, 90))):
        data = riff(part)
        for percent in (50, 95):
            cut = data[: len(data) * percent // 100]
            pixels, rows = rows_of(cut, 48, 80)
            assert 0 < rows < 80, (name, percent, rows)
            put(
                suite,
                f"truncated-{name}-{percent}",
                cut,
                pixels,
                f"{name}, ends after {percent} % of the file",
                status="truncated",
                rows=rows,
                oracle="libwebp-incremental",
            )


def alpha(suite):
    """Damaged ALPH chunks."""
    color = lossy(SOFT)
    plane = pattern(W, H, 1, seed=9)[:, :, 0].astype(np.uint8)
    whole = np.dstack([SHOWN_LOSSY[:, :, :3], plane])
    head = vp8x(ALPHA, W, H)

    def file(body, *more):
        return riff(head, chunk(b"ALPH", body), color, *more)

    raw = b"\0" + plane.tobytes()
    put(suite, "alph-raw", file(raw), whole, "alpha without compression", alpha=True)
    put(suite, "alph-raw-long", file(raw + b"more"), whole, "bytes after the alpha plane", alpha=True)
    for name, body, note in (
        ("reserved-bits", b"\xc0" + raw[1:], "reserved bits of ALPH are set"),
        ("raw-short", raw[:60], "alpha plane too short"),
        ("empty", b"", "ALPH of size 0"),
        ("method-2", b"\2" + raw[1:], "compression method 2"),
        ("stream", b"\1" + b"\xff" * 30, "invalid prefix codes of the alpha plane"),
    ):
        bad(suite, f"alph-{name}", "malformed", file(body), note)
    twice = riff(head, chunk(b"ALPH", raw), chunk(b"ALPH", b"\0" + bytes(W * H)), color)
    hidden = np.zeros_like(whole)
    put(suite, "alph-twice", twice, hidden, "two ALPH chunks: libwebp reads the last", alpha=True, oracle="maker")
    put(
        suite,
        "alph-after",
        riff(head, color, chunk(b"ALPH", raw)),
        SHOWN_LOSSY,
        "ALPH after the image: ignored",
        oracle="maker",
    )
    put(
        suite,
        "alph-lossless",
        riff(head, chunk(b"ALPH", raw), TRANSPARENT),
        SHOWN_CLEAR,
        "ALPH before a lossless image: ignored",
        alpha=True,
        oracle="maker",
    )
    put(
        suite,
        "alph-no-flag",
        riff(vp8x(0, W, H), chunk(b"ALPH", raw), color),
        whole,
        "ALPH without the flag of VP8X",
        alpha=True,
        oracle="maker",
    )


def metadata(suite):
    """Damaged and oversized ICC profiles, EXIF and XMP."""
    put(
        suite,
        "icc-damaged",
        riff(vp8x(ICC, W, H), chunk(b"ICCP", b"no profile" * 20), STILL),
        SHOWN,
        "a profile that is not a profile: ignored",
    )
    put(suite, "icc-empty", riff(vp8x(ICC, W, H), chunk(b"ICCP", b""), STILL), SHOWN, "ICCP of size 0")
    put(
        suite,
        "icc-after",
        riff(vp8x(ICC, W, H), STILL, chunk(b"ICCP", b"no profile")),
        SHOWN,
        "ICCP after the image",
    )
    bad(
        suite,
        "icc-size",
        "malformed",
        riff(vp8x(ICC, W, H), chunk(b"ICCP", b"", 100 << 20), STILL),
        "ICCP of 100 MiB in a small file: no image chunk is found",
    )
    for name, body, note in (
        ("damaged", b"MM\0*\xff\xff\xff\xff", "directory offset beyond the block"),
        ("short", b"II", "two bytes"),
        ("empty", b"", "no bytes"),
        ("orientation-9", orientation(9), "orientation 9: upright"),
        ("prefix", b"Exif\0\0" + orientation(6), "block with the prefix of JPEG"),
    ):
        turned = 6 if name == "prefix" else 1
        data = riff(vp8x(EXIF, W, H), STILL, chunk(b"EXIF", body))
        put(suite, f"exif-{name}", data, SHOWN, f"EXIF: {note}", orientation=turned)
    put(
        suite,
        "exif-size",
        riff(vp8x(EXIF, W, H), STILL, chunk(b"EXIF", b"II*\0", 100 << 20)),
        SHOWN,
        "EXIF of 100 MiB in a small file: ignored",
        oracle="maker",
    )
    put(
        suite,
        "exif-twice",
        riff(vp8x(EXIF, W, H), STILL, chunk(b"EXIF", orientation(1)), chunk(b"EXIF", orientation(6))),
        SHOWN,
        "two EXIF chunks: the first counts",
    )
    put(
        suite,
        "xmp-damaged",
        riff(vp8x(XMP, W, H), STILL, chunk(b"XMP ", b"\0\xff<<" * 9)),
        SHOWN,
        "XMP that is not XML",
    )


def orientation(value):
    return struct.pack("<2sHIHHHIHHI", b"II", 42, 8, 1, 0x0112, 3, 1, value, 0, 0)


def large(suite):
    """Large sizes in small files."""
    header = struct.pack("<I", 0x2F | (16383 << 8) | (16383 << 22) & 0xFFFFFFFF)
    bits = (16383 | 16383 << 14).to_bytes(4, "little")
    assert header[:1] == b"\x2f"
    tiny = riff(chunk(b"VP8L", b"\x2f" + bits + bytes(16)))
    bad(suite, "bomb-vp8l", "limitExceeded", tiny, "16,384 x 16,384 pixels in 50 bytes", token="max_pixels")
    body = body_of(LOSSY)
    tiny = riff(chunk(b"VP8 ", body[:6] + b"\xff\x3f\xff\x3f" + body[10:]))
    bad(suite, "bomb-vp8", "limitExceeded", tiny, "16,383 x 16,383 pixels in a small file", token="max_pixels")
    canvas = riff(vp8x(ANIMATION, 1 << 16, 1 << 15), anim(), anmf(STILL, 0, 0, W, H))
    bad(suite, "bomb-canvas", "limitExceeded", canvas, "animation on a canvas of 65,536 x 32,768", token="max_side")
    canvas = riff(vp8x(ANIMATION, 20_000, 20_000), anim(), anmf(STILL, 0, 0, W, H))
    bad(suite, "bomb-canvas-pixels", "limitExceeded", canvas, "canvas of 20,000 x 20,000", token="max_pixels")


def animations(suite):
    """Animations with damaged frames: the frames before the damage are kept."""
    wide, high = 24, 20
    parts = [(OPAQUE, 0, 0, 2), (OPAQUE[::-1].copy(), 6, 4, 2), (OPAQUE[:, ::-1].copy(), 10, 8, 2)]
    canvases, canvas = [], np.zeros((high, wide, 4), np.uint8)
    frames = []
    for samples, x, y, flags in parts:
        canvas = canvas.copy()
        canvas[y : y + H, x : x + W] = rgba(samples)
        canvases.append(canvas)
        frames.append(anmf(lossless(samples), x, y, W, H, flags=flags))
    head = vp8x(ANIMATION | ALPHA, wide, high)

    def put_frames(name, data, kept, note, status="complete", frames=3, loops=0, oracle="maker", count=None):
        shown = canvases[:kept]
        put(
            suite,
            name,
            data,
            shown[0],
            note,
            alpha=True,
            frames=frames,
            oracle=oracle,
            animation=Suite.animation(shown, [(100, 1000)] * kept, loops, status),
        )

    whole = riff(head, anim(), *frames)
    put_frames("animation", whole, 3, "three frames that replace parts of the canvas", oracle="maker+pillow")
    assert [np.array_equal(a, b) for a, b in zip(frames_of(whole), canvases)] == [True] * 3
    put_frames("anim-missing", riff(head, *frames), 3, "no ANIM: three frames, no loop count", loops=None)
    put_frames("anim-short", riff(head, chunk(b"ANIM", bytes(5)), *frames), 3, "ANIM of 5 bytes", loops=None)
    put_frames("anim-twice", riff(head, anim(3), anim(5), *frames), 3, "two ANIM chunks: the first counts", loops=3)
    put_frames("anim-late", riff(head, frames[0], anim(3), *frames[1:]), 3, "ANIM after the first frame", loops=3)
    between = riff(head, anim(), frames[0], chunk(b"JUNK", b"?"), *frames[1:])
    put_frames("anmf-unknown", between, 3, "unknown chunk between frames")
    outside = anmf(lossless(OPAQUE), 20, 18, W, H)
    put_frames(
        "anmf-outside",
        riff(head, anim(), *frames[:2], outside),
        2,
        "third frame partly outside the canvas: rejected",
        "corrupt",
    )
    other = anmf(lossless(OPAQUE), 0, 0, W - 1, H)
    differs = riff(head, anim(), *frames[:2], other)
    put_frames("anmf-other-size", differs, 2, "third frame of another size than its image", "corrupt")
    empty = anmf(b"", 0, 0, W, H)
    put_frames("anmf-empty", riff(head, anim(), *frames[:2], empty), 2, "third frame without an image", "corrupt")
    short = chunk(b"ANMF", bytes(15))
    put_frames("anmf-short", riff(head, anim(), *frames[:2], short), 2, "ANMF of 15 bytes", "corrupt", frames=2)
    wrong = anmf(chunk(b"VP8L", b"\x2e" + body_of(STILL)[1:]), 0, 0, W, H)
    put_frames("anmf-signature", riff(head, anim(), *frames[:2], wrong), 2, "wrong signature in frame 3", "corrupt")
    middle = riff(head, anim(), frames[0], wrong, frames[2])
    put_frames("anmf-damaged-middle", middle, 1, "wrong signature in frame 2: the first is kept", "corrupt")
    cut = whole[: len(whole) - 60]
    put_frames("animation-truncated", cut, 2, "ends in the image of frame 3", "truncated")
    cut = whole[: len(whole) - len(frames[2]) + 12]
    put_frames("animation-cut-in-anmf", cut, 2, "ends in the header of frame 3", "truncated", frames=2)
    cut = whole[: len(whole) - len(frames[2])]
    put_frames("animation-cut-between", cut, 2, "ends after frame 2: RIFF size too large", "truncated", frames=2)
    two = anmf(lossless(OPAQUE) + lossless(OPAQUE[::-1].copy()), 0, 0, W, H)
    put_frames("anmf-two-images", riff(head, anim(), two, *frames[1:]), 3, "two images in a frame: the first counts")
    inner = riff(head, anim(), frames[0], anmf(frames[1], 0, 0, W, H))
    put_frames("anmf-nested", inner, 1, "a frame in a frame: rejected", "corrupt", frames=2)
    bad(suite, "anim-no-frame", "malformed", riff(head, anim()), "an animation without a frame")
    put(
        suite,
        "anim-flag-missing",
        riff(vp8x(ALPHA, W, H), anim(), anmf(STILL, 0, 0, W, H), STILL),
        SHOWN,
        "frames without the flag for animation: the still image counts",
        oracle="maker",
    )
    first = riff(head, anim(), wrong, *frames[1:])
    bad(suite, "anmf-first", "malformed", first, "wrong signature in the first frame")
    far = riff(head, anim(), anmf(STILL, 1 << 24, 0, W, H))
    bad(suite, "anmf-first-outside", "malformed", far, "first frame outside the canvas")


def frames_of(data):
    """The canvases that Pillow decodes."""
    out = []
    with Image.open(io.BytesIO(data)) as image:
        for n in range(image.n_frames):
            image.seek(n)
            out.append(np.asarray(image.convert("RGBA")))
    return out


def intact(suite):
    """Images for the tables of Docs/conformance.md."""
    opaque, clear = textured(3), textured(4)
    # A slope needs few bytes in ALPH, so that the damage is in the image chunk.
    slope = np.tile(np.linspace(40, 255, 96).astype(np.uint8), (80, 1))
    soft_alpha = np.dstack([opaque, slope])
    for name, part, pixels, flags in (
        ("lossless", lossless(opaque), rgba(opaque), 0),
        ("lossless-alpha", lossless(clear), rgba(clear), 0),
        ("lossy", lossy(opaque, 90), None, 0),
        ("lossy-alpha", lossy(soft_alpha, 90), None, ALPHA),
    ):
        data = riff(vp8x(flags, 96, 80), part) if flags else riff(part)
        pixels = decoded(data) if pixels is None else pixels
        transparent = name.endswith("alpha")
        suite.ok(f"damage/webp-{name}.webp", data, pixels, "to be damaged", format="webp", alpha=transparent)
    canvases = [rgba(textured(4, n)) for n in range(5)]
    frames = [anmf(lossless(c), 0, 0, 96, 80) for c in canvases]
    suite.ok(
        "damage/webp-animated.webp",
        riff(vp8x(ANIMATION | ALPHA, 96, 80), anim(), *frames),
        canvases[0],
        "to be damaged",
        format="webp",
        alpha=True,
        frames=5,
        animation=Suite.animation(canvases, [(100, 1000)] * 5, 0),
    )


def make(suite):
    suite.script = "webp_damage.py"
    for part in (sizes, chunks, streams, alpha, metadata, large, animations, intact):
        part(suite)
