"""APNG fixtures: every disposal and blend, still pictures outside the animation, and broken sequences."""

import io
import struct

import numpy as np
from PIL import Image, ImageSequence

from pngwriter import SIGNATURE, chunk, deflate, ihdr, image_data
from png import palette_of, shown
from suite import Suite, over, pattern, rgba, to8

KEEP, CLEAR, RESTORE = 0, 1, 2
SOURCE, OVER = 0, 1


class Frame:
    def __init__(self, samples, x=0, y=0, delay=(1, 10), dispose=KEEP, blend=SOURCE):
        self.samples, self.x, self.y = np.asarray(samples), x, y
        self.delay, self.dispose, self.blend = delay, dispose, blend


def compose(width, height, frames, pixels_of):
    canvas = np.zeros((height, width, 4), np.uint8)
    out = []
    for n, f in enumerate(frames):
        pixels = pixels_of(f.samples)
        h, w = pixels.shape[:2]
        area = (slice(f.y, f.y + h), slice(f.x, f.x + w))
        before = canvas.copy()
        canvas[area] = over(canvas[area], pixels) if f.blend == OVER else pixels
        out.append(canvas.copy())
        dispose = CLEAR if n == 0 and f.dispose == RESTORE else f.dispose
        if dispose == CLEAR:
            canvas[area] = 0
        elif dispose == RESTORE:
            canvas = before
    return out


def fctl(sequence, f, w=None, h=None):
    height, width = f.samples.shape[:2]
    return chunk(
        "fcTL",
        struct.pack(
            ">5IHHBB", sequence, w or width, h or height, f.x, f.y, f.delay[0], f.delay[1], f.dispose, f.blend
        ),
    )


def data_of(f, depth, **options):
    return deflate(image_data(f.samples, depth, **options))


def apng(
    width, height, frames, colour=6, depth=8, plays=0, still=None, count=None, before=b"", interlace=False, split=1
):
    """`still`: a default image that is not part of the animation. `split`: fdAT chunks a frame."""
    out = SIGNATURE + chunk("IHDR", ihdr(width, height, depth, colour, int(interlace)))
    out += chunk("acTL", struct.pack(">II", len(frames) if count is None else count, plays)) + before
    sequence = 0
    if still is not None:
        out += chunk("IDAT", deflate(image_data(still, depth, interlace)))
    for n, f in enumerate(frames):
        out += fctl(sequence, f)
        sequence += 1
        stream = data_of(f, depth, interlace=interlace)
        if n == 0 and still is None:
            out += chunk("IDAT", stream)
            continue
        step = -(-len(stream) // split)
        for at in range(0, len(stream), step):
            out += chunk("fdAT", struct.pack(">I", sequence) + stream[at : at + step])
            sequence += 1
    return out + chunk("IEND")


def pillow_agrees(data, canvases):
    try:
        image = Image.open(io.BytesIO(data))
        got = [np.asarray(f.convert("RGBA")) for f in ImageSequence.Iterator(image)]
    except Exception:
        return False
    if image.info.get("default_image"):
        got = got[1:]
    if len(got) != len(canvases):
        return False
    for a, b in zip(got, canvases):
        a, b = a.astype(int), b.astype(int)
        if a.shape != b.shape or np.abs(a * (a[..., 3:] > 0) - b * (b[..., 3:] > 0)).max() > 1:
            return False
    return True


def picture(width, height, seed=1, alpha=None):
    p = pattern(width, height, 4, 8, seed=seed).astype(np.uint8)
    p[:, :, 3] = 255
    if alpha == "holes":
        y, x = np.mgrid[0:height, 0:width]
        p[:, :, 3] = np.where((x + y) % 3 == 0, 0, 255)
    elif alpha == "half":
        y, x = np.mgrid[0:height, 0:width]
        p[:, :, 3] = (x * 40 + y * 23 + seed * 17) & 255
    return p


def add(
    suite,
    name,
    data,
    still,
    canvases,
    delays,
    plays,
    note,
    *,
    status="complete",
    alpha=True,
    oracle=None,
    claimed=None,
):
    """`claimed`: the number in acTL, where fewer frames are good."""
    oracle = oracle or ("maker+pillow" if pillow_agrees(data, canvases) else "maker")
    suite.ok(
        f"apng/{name}.png",
        data,
        still,
        note,
        frames=claimed or len(canvases),
        alpha=alpha,
        oracle=oracle,
        animation=Suite.animation(canvases, delays, plays, status),
    )


def simple(
    suite, name, note, frames, width=12, height=10, plays=0, colour=6, depth=8, pixels_of=None, still=None, **options
):
    alpha = colour >= 4 or "tRNS" in str(options.get("before", b""))
    pixels_of = pixels_of or (lambda s: rgba(to8(s, depth)))
    canvases = compose(width, height, frames, pixels_of)
    data = apng(width, height, frames, colour, depth, plays, still, **options)
    first = canvases[0] if still is None else pixels_of(still)
    add(
        suite,
        name,
        data,
        first,
        canvases,
        [(f.delay[0], f.delay[1] or 100) for f in frames],
        plays,
        note,
        alpha=alpha,
    )


def sound(suite):
    base = picture(12, 10, 1)
    for d1, disposal in enumerate(("keep", "clear", "restore")):
        for blend, kind in enumerate(("source", "over")):
            frames = [
                Frame(base, delay=(1, 10)),
                Frame(picture(6, 5, 2, "holes"), 3, 2, dispose=d1, blend=blend),
                Frame(picture(5, 6, 3, "half"), 5, 3, dispose=KEEP, blend=blend),
                Frame(picture(4, 4, 4, "holes"), 0, 0, dispose=d1, blend=SOURCE),
                Frame(picture(3, 3, 5), 9, 7, blend=OVER),
            ]
            simple(
                suite,
                f"dispose-{disposal}-blend-{kind}",
                f"second and fourth frame: dispose {disposal}; blend {kind}",
                frames,
            )
    simple(
        suite,
        "blend-half-over-half",
        "half-transparent frames over half-transparent ones, thrice",
        [Frame(picture(12, 10, 1, "half"))] + [Frame(picture(12, 10, s, "half"), blend=OVER) for s in (2, 3, 4)],
    )
    simple(
        suite,
        "first-dispose-clear",
        "first frame disposed to transparent",
        [Frame(base, dispose=CLEAR), Frame(picture(4, 4, 2), 2, 2), Frame(picture(3, 3, 6), 6, 5)],
    )
    simple(
        suite,
        "first-dispose-restore",
        "restore on the first frame acts as clear",
        [Frame(base, dispose=RESTORE), Frame(picture(4, 4, 2), 2, 2, blend=OVER)],
    )
    simple(
        suite,
        "restore-twice",
        "two frames in a row restored to what was before them",
        [
            Frame(base),
            Frame(picture(5, 5, 2), 1, 1, dispose=RESTORE),
            Frame(picture(5, 5, 3), 4, 4, dispose=RESTORE),
            Frame(picture(2, 2, 4), 0, 0),
        ],
    )
    simple(suite, "one-frame", "an animation of one frame", [Frame(base)], plays=1)
    simple(suite, "plays-3", "played three times", [Frame(base), Frame(picture(12, 10, 2))], plays=3)
    simple(
        suite,
        "delays",
        "delay 0, denominator 0 (means 100), and large ones",
        [
            Frame(base, delay=(0, 100)),
            Frame(picture(12, 10, 2), delay=(7, 0)),
            Frame(picture(12, 10, 3), delay=(65535, 1)),
            Frame(picture(12, 10, 4), delay=(1, 65535)),
        ],
    )
    simple(
        suite,
        "split-fdat",
        "frames cut over several fdAT chunks",
        [Frame(base), Frame(picture(12, 10, 2)), Frame(picture(6, 6, 3), 2, 2)],
        split=4,
    )
    simple(
        suite,
        "hidden-still",
        "default image is not part of the animation",
        [Frame(picture(12, 10, 2)), Frame(picture(4, 4, 3), 1, 1)],
        still=picture(12, 10, 7),
    )
    simple(
        suite,
        "hidden-still-small-first",
        "default image outside, first frame smaller than the canvas",
        [Frame(picture(6, 5, 2), 3, 3), Frame(picture(4, 4, 3), 1, 1, blend=OVER)],
        still=picture(12, 10, 7),
    )
    rgb = lambda w, h, s: pattern(w, h, 3, 8, seed=s)
    simple(suite, "rgb8", "colour type 2", [Frame(rgb(12, 10, 1)), Frame(rgb(5, 5, 2), 3, 3)], colour=2)
    simple(
        suite, "gray8", "colour type 0", [Frame(pattern(12, 10, 1, 8)), Frame(pattern(5, 5, 1, 8, 2), 3, 3)], colour=0
    )
    simple(
        suite,
        "gray1",
        "colour type 0, 1 bit",
        [Frame(pattern(12, 10, 1, 1)), Frame(pattern(5, 5, 1, 1, 2), 3, 3)],
        colour=0,
        depth=1,
    )
    simple(
        suite,
        "gray-alpha8",
        "colour type 4",
        [Frame(pattern(12, 10, 2, 8)), Frame(pattern(5, 5, 2, 8, 2), 3, 3, blend=OVER)],
        colour=4,
    )
    simple(
        suite,
        "rgba16",
        "colour type 6, 16 bits: reduced before blending",
        [Frame(pattern(8, 6, 4, 16)), Frame(pattern(4, 4, 4, 16, 2), 2, 1, blend=OVER)],
        8,
        6,
        depth=16,
    )
    simple(suite, "interlaced", "Adam7 in every frame", [Frame(base), Frame(picture(5, 7, 2), 3, 3)], interlace=True)
    table, alpha = palette_of(16), np.arange(16) * 17
    simple(
        suite,
        "palette4",
        "palette with tRNS, shared by all frames",
        [Frame(pattern(12, 10, 1, 4)), Frame(pattern(5, 5, 1, 4, 2), 3, 3, blend=OVER)],
        colour=3,
        depth=4,
        pixels_of=lambda s: shown(s, 3, 4, table, alpha),
        before=chunk("PLTE", table.tobytes()) + chunk("tRNS", bytes(alpha.tolist())),
    )
    simple(
        suite,
        "many-frames",
        "thirty frames of 2 x 2",
        [Frame(picture(8, 8, 0))] + [Frame(picture(2, 2, i), i % 7, i * 3 % 7, blend=i % 2) for i in range(1, 30)],
        8,
        8,
    )
    simple(
        suite,
        "text-between",
        "another chunk between fcTL and IDAT, and behind",
        [Frame(base), Frame(picture(4, 4, 2))],
        before=chunk("tEXt", b"a\0b"),
    )


def damaged(suite):
    a, b, c = Frame(picture(12, 10, 1)), Frame(picture(5, 5, 2), 2, 2), Frame(picture(4, 4, 3), 6, 5)
    canvases = compose(12, 10, [a, b, c], rgba)
    delays = [(1, 10)] * 3
    head = SIGNATURE + chunk("IHDR", ihdr(12, 10, 8, 6))
    actl = lambda n, plays=0: chunk("acTL", struct.pack(">II", n, plays))
    idat = chunk("IDAT", data_of(a, 8))
    fdat = lambda seq, f: chunk("fdAT", struct.pack(">I", seq) + data_of(f, 8))
    end = chunk("IEND")

    def broken(name, note, body, kept, status="corrupt", claimed=3):
        add(
            suite,
            name,
            head + body,
            canvases[0],
            canvases[:kept],
            delays[:kept],
            0,
            note,
            status=status,
            oracle="maker",
            claimed=claimed,
        )

    sound_start = actl(3) + fctl(0, a) + idat
    broken(
        "bad-sequence-fdat",
        "fdAT with a wrong sequence number ends the animation before its frame",
        sound_start + fctl(1, b) + fdat(2, b) + fctl(3, c) + fdat(9, c) + end,
        2,
    )
    broken(
        "bad-sequence-fctl",
        "fcTL with a wrong sequence number ends the animation",
        sound_start + fctl(1, b) + fdat(2, b) + fctl(7, c) + fdat(8, c) + end,
        2,
    )
    broken(
        "missing-frame", "acTL promises three frames, two are there", sound_start + fctl(1, b) + fdat(2, b) + end, 2
    )
    outside = Frame(picture(5, 5, 3), 9, 2)
    broken(
        "frame-outside",
        "third frame leaves the canvas",
        sound_start + fctl(1, b) + fdat(2, b) + fctl(3, outside) + fdat(4, outside) + end,
        2,
    )
    broken(
        "frame-zero-size",
        "third frame is 0 pixels wide",
        sound_start
        + fctl(1, b)
        + fdat(2, b)
        + chunk("fcTL", struct.pack(">5IHHBB", 3, 0, 4, 0, 0, 1, 10, 0, 0))
        + fdat(4, c)
        + end,
        2,
    )
    broken(
        "frame-offset-overflow",
        "x offset near 2^32",
        sound_start
        + fctl(1, b)
        + fdat(2, b)
        + chunk("fcTL", struct.pack(">5IHHBB", 3, 4, 4, 0xFFFFFFFE, 0, 1, 10, 0, 0))
        + fdat(4, c)
        + end,
        2,
    )
    broken(
        "bad-dispose",
        "disposal 7 does not exist",
        sound_start
        + fctl(1, b)
        + fdat(2, b)
        + chunk("fcTL", struct.pack(">5IHHBB", 3, 4, 4, 6, 5, 1, 10, 7, 0))
        + fdat(4, c)
        + end,
        2,
    )
    broken(
        "bad-blend",
        "blend 2 does not exist",
        sound_start
        + fctl(1, b)
        + fdat(2, b)
        + chunk("fcTL", struct.pack(">5IHHBB", 3, 4, 4, 6, 5, 1, 10, 0, 2))
        + fdat(4, c)
        + end,
        2,
    )
    whole = sound_start + fctl(1, b) + fdat(2, b) + fctl(3, c) + fdat(4, c) + end
    cut = len(sound_start + fctl(1, b) + fdat(2, b) + fctl(3, c)) + 6
    broken(
        "truncated-third-frame",
        "the file ends in the header of the third frame's data",
        whole[:cut],
        2,
        status="truncated",
    )
    broken(
        "truncated-after-second",
        "the file ends behind the second frame",
        sound_start + fctl(1, b) + fdat(2, b),
        2,
        status="truncated",
    )
    broken("no-iend", "all frames there, no IEND: a remark only", whole[:-12], 3, status="complete")
    broken(
        "more-frames-than-actl",
        "frames beyond the number in acTL are ignored",
        actl(2) + whole[len(actl(3)) :],
        2,
        status="complete",
        claimed=2,
    )

    # No usable acTL: a plain PNG.
    def plain(name, note, body, status="complete"):
        suite.ok(f"apng/{name}.png", head + body, canvases[0], note, alpha=True, oracle="maker", status=status)

    plain("actl-zero-frames", "acTL with 0 frames: a plain PNG", actl(0) + fctl(0, a) + idat + end, "corrupt")
    plain("actl-behind-idat", "acTL behind IDAT: a plain PNG", idat + actl(1) + end)
    plain("actl-short", "acTL of 4 bytes: a plain PNG", chunk("acTL", b"\0\0\0\2") + idat + end, "corrupt")
    plain("no-actl", "fcTL and fdAT without acTL: a plain PNG", fctl(0, a) + idat + fctl(1, b) + fdat(2, b) + end)


def make(suite):
    suite.script = "apng.py"
    sound(suite)
    damaged(suite)
