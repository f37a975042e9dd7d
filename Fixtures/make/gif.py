"""GIF fixtures: palettes, LZW corners, interlace, disposal, odd frames, loops and damage."""

import numpy as np

from apng import pillow_agrees
from gifwriter import TRAILER, Bits, blocks, comment, control, head, image, loop, lzw
from png import palette_of
from suite import Suite, keep_rows, pattern


class Frame:
    def __init__(
        self, indexes, x=0, y=0, delay=10, transparent=None, disposal=0, palette=None, control=True, **options
    ):
        self.indexes, self.x, self.y, self.delay = np.asarray(indexes), x, y, delay
        self.transparent, self.disposal, self.palette = transparent, disposal, palette
        self.control, self.options = control, options

    def bytes(self):
        out = control(self.delay, self.transparent, self.disposal) if self.control else b""
        return out + image(self.indexes, self.x, self.y, self.palette, **self.options)


def colours(palette):
    """No palette at all: the index is shown as gray."""
    table = np.zeros((256, 4), np.uint8)
    table[:, 3] = 255
    if palette is None:
        table[:, :3] = np.arange(256)[:, None]
    else:
        table[: len(palette), :3] = palette
        full = 1 << max(1, (len(palette) - 1).bit_length())
        table[len(palette) : full, :3] = 255  # the writer pads with white
    return table


def canvas_for(width, height, first):
    """The first image makes the canvas grow, as in every decoder asked; later ones are clipped."""
    h, w = first.indexes.shape
    return max(width, first.x + w), max(height, first.y + h)


def opaque(width, height, first):
    width, height = canvas_for(width, height, first)
    h, w = first.indexes.shape
    return (first.x, first.y, w, h) == (0, 0, width, height) and not (first.control and first.transparent is not None)


def has_alpha(width, height, frames):
    """Known once frames are counted: holes in the first canvas, or a way to make some later."""
    later = any(f.control and (f.transparent is not None or f.disposal in (2, 3)) for f in frames[1:])
    cleared = len(frames) > 1 and frames[0].control and frames[0].disposal in (2, 3)
    return not opaque(width, height, frames[0]) or later or cleared


def compose(width, height, frames, palette):
    width, height = canvas_for(width, height, frames[0])
    canvas = np.zeros((height, width, 4), np.uint8)
    out = []
    for n, f in enumerate(frames):
        before = canvas.copy()
        pixels = colours(palette if f.palette is None else f.palette)[f.indexes]
        drawn = (
            np.ones(f.indexes.shape, bool) if f.transparent is None or not f.control else f.indexes != f.transparent
        )
        h, w = f.indexes.shape
        bottom, right = min(height, f.y + h), min(width, f.x + w)
        if f.y < bottom and f.x < right:
            area = (slice(f.y, bottom), slice(f.x, right))
            part = (slice(0, bottom - f.y), slice(0, right - f.x))
            canvas[area] = np.where(drawn[part][..., None], pixels[part], canvas[area])
        out.append(canvas.copy())
        disposal = f.disposal if f.control else 0
        if disposal == 2 or (disposal == 3 and n == 0):
            canvas[f.y : bottom, f.x : right] = 0
        elif disposal == 3:
            canvas = before
    return out


def index(width, height, bits=4, seed=1):
    return pattern(width, height, 1, bits, seed)[:, :, 0]


PALETTE = palette_of(16)


def still(
    suite,
    name,
    note,
    indexes,
    palette=PALETTE,
    canvas=None,
    x=0,
    y=0,
    before=b"",
    after=b"",
    transparent=None,
    gce=False,
    global_palette=True,
    version=b"GIF89a",
    covered=True,
    oracle=None,
    status="complete",
    rows=None,
    trailer=TRAILER,
    background=0,
    **options,
):
    height, width = indexes.shape
    canvas = canvas or (width, height)
    f = Frame(
        indexes,
        x,
        y,
        transparent=transparent,
        control=gce or transparent is not None,
        delay=0,
        palette=None if global_palette else palette,
        **options,
    )
    data = head(canvas[0], canvas[1], palette if global_palette else None, version, background) + before + f.bytes()
    expected = compose(*canvas, [f], palette)[0]
    suite.ok(
        f"gif/{name}.gif",
        data + after + trailer,
        expected,
        note,
        alpha=not opaque(*canvas, f),
        status=status,
        rows=rows,
        oracle=oracle if covered else oracle or "maker",
    )


def stills(suite):
    for bits in range(1, 9):
        still(
            suite,
            f"palette-{1 << bits}",
            f"global palette of {1 << bits} entries",
            index(17, 13, bits),
            palette_of(1 << bits),
            minimum=max(2, bits),
        )
    still(suite, "gif87a", "version 87a", index(11, 9), version=b"GIF87a", minimum=4)
    still(suite, "palette-local", "local palette only", index(11, 9), global_palette=False, minimum=4)
    both = Frame(index(11, 9), palette=palette_of(16, 9), minimum=4, control=False)
    suite.ok(
        "gif/palette-local-over-global.gif",
        head(11, 9, PALETTE) + both.bytes() + TRAILER,
        compose(11, 9, [both], PALETTE)[0],
        "the local palette wins",
    )
    none = Frame(index(11, 9, 8), control=False)
    suite.ok(
        "gif/palette-none.gif",
        head(11, 9) + none.bytes() + TRAILER,
        compose(11, 9, [none], None)[0],
        "no palette at all: the index is shown as gray",
        oracle="maker",
    )
    still(
        suite,
        "palette-index-out-of-range",
        "indexes above the palette are opaque black",
        index(11, 9, 4),
        palette_of(4),
        minimum=4,
        oracle="maker",
    )
    still(suite, "transparent", "one index is transparent", index(13, 11), transparent=5, minimum=4)
    still(
        suite,
        "transparent-out-of-palette",
        "transparent index above the palette: nothing is transparent",
        index(13, 11, 2),
        palette_of(4),
        transparent=200,
        minimum=2,
    )
    still(suite, "control-opaque", "graphic control without transparency", index(13, 11), gce=True, minimum=4)
    for w, h in ((1, 1), (16, 16), (7, 1), (5, 2), (5, 3), (4, 4), (3, 5), (9, 9), (6, 17)):
        still(suite, f"interlaced-{w}x{h}", "rows in four passes", index(w, h), interlace=True, minimum=4)
    still(
        suite,
        "interlaced-transparent",
        "interlaced with a transparent index",
        index(13, 11),
        interlace=True,
        transparent=3,
        minimum=4,
    )
    still(
        suite,
        "background",
        "background index 5 is ignored",
        index(6, 5),
        canvas=(12, 10),
        x=3,
        y=2,
        background=5,
        covered=False,
        minimum=4,
    )
    still(
        suite,
        "frame-smaller",
        "frame smaller than the canvas: the rest is transparent",
        index(6, 5),
        canvas=(12, 10),
        covered=False,
        minimum=4,
    )
    still(
        suite,
        "frame-larger",
        "first frame larger than the canvas: the canvas grows",
        index(16, 14),
        canvas=(12, 10),
        minimum=4,
    )
    still(
        suite,
        "frame-partly-outside",
        "first frame leaves the canvas: the canvas grows",
        index(8, 8),
        canvas=(12, 10),
        x=7,
        y=6,
        covered=False,
        minimum=4,
    )
    still(
        suite,
        "frame-outside",
        "first frame wholly outside: the canvas grows",
        index(4, 4),
        canvas=(12, 10),
        x=20,
        y=30,
        covered=False,
        minimum=4,
    )
    still(
        suite,
        "canvas-0x0",
        "canvas 0 x 0: takes the first frame's size",
        index(9, 7),
        canvas=(0, 0),
        minimum=4,
        oracle="maker",
    )
    still(
        suite,
        "aspect-and-sort",
        "pixel aspect ratio is ignored",
        index(9, 7),
        minimum=4,
        before=comment(b"a comment") + b"\x21\xff\x0bXMP DataXMP" + blocks(b"<x/>"),
    )
    text = b"\x21\x01\x0c" + bytes(12) + blocks(b"plain text")
    still(
        suite,
        "extensions",
        "comment, plain text, application and unknown extensions are passed over",
        index(9, 7),
        minimum=4,
        before=comment(b"hello " * 60)
        + text
        + b"\x21\xff\x0bUNKNOWN1.00"
        + blocks(b"x" * 300)
        + b"\x21\x77"
        + blocks(b"?"),
        after=comment(b"end"),
    )


def lzw_corners(suite):
    small = index(13, 11)
    still(
        suite, "lzw-no-first-clear", "data does not start with a clear code", small, minimum=4, start_with_clear=False
    )
    still(suite, "lzw-no-end-code", "no end code after the last pixel", small, minimum=4, end=False)
    still(
        suite,
        "lzw-literal",
        "every pixel its own code, clear codes in between",
        small,
        minimum=4,
        literal=True,
        clear_every=14,
    )
    still(suite, "lzw-clear-every-pixel", "a clear code after each pixel", small, minimum=4, clear_every=1)
    still(suite, "lzw-minimum-8-for-16", "minimum code size larger than the palette needs", small, minimum=8)
    still(suite, "lzw-minimum-2", "minimum code size 2", index(13, 11, 2), palette_of(4), minimum=2)
    still(suite, "lzw-minimum-1", "minimum code size 1", index(13, 11, 1), palette_of(2), minimum=1)
    still(
        suite,
        "lzw-one-colour",
        "long runs: codes used before they are complete (KwKwK)",
        np.zeros((30, 40), int),
        minimum=2,
    )
    still(suite, "blocks-of-1", "data blocks of one byte", small, minimum=4, block=1)
    still(suite, "blocks-of-7", "codes cross data blocks", small, minimum=4, block=7)
    y, x = np.mgrid[0:64, 0:80]
    noise = ((x * x * 7 + y * y * 13 + x * y * 5) // 3 + x * 31) & 255
    for minimum in (9, 10, 11):
        for full in ("clear", "keep"):
            still(
                suite,
                f"lzw-minimum-{minimum}-{full}",
                f"minimum code size {minimum}, indexes below 256: codes stay within 12 bits",
                noise,
                palette_of(256),
                minimum=minimum,
                full=full,
                oracle="maker",
            )
    for full, note in (
        ("clear", "4,096 entries, then a clear code"),
        ("keep", "4,096 entries, the full table stays in use"),
    ):
        still(suite, f"lzw-full-table-{full}", note, noise, palette_of(256), full=full)
    bits = ((x * 3 + y * y) >> 1 ^ (x * y >> 3)) & 1
    still(
        suite,
        "lzw-full-table-2-bits",
        "full table grown from 2 bits, long strings",
        np.kron(bits, np.ones((2, 2), int)),
        palette_of(4),
        minimum=2,
        full="keep",
    )
    plain = lzw(small.ravel(), 4)
    still(suite, "lzw-extra-data", "bytes behind the end code: ignored", small, minimum=4, data=plain + bytes(300))
    more = np.concatenate([small, small])
    still(
        suite,
        "lzw-too-many-pixels",
        "more pixels than the frame has: ignored",
        small,
        minimum=4,
        data=lzw(more.ravel(), 4),
    )
    still(
        suite, "trailing-bytes", "bytes behind the trailer: ignored", small, minimum=4, trailer=TRAILER + b"trailing"
    )


def animated(
    suite,
    name,
    note,
    frames,
    width=12,
    height=10,
    palette=PALETTE,
    before=loop(0),
    loops=0,
    after=b"",
    trailer=TRAILER,
    oracle=None,
    kept=None,
    status="complete",
    canvas=None,
):
    canvases = compose(*(canvas or (width, height)), frames, palette)
    data = (
        head(*(canvas or (width, height)), palette) + before + b"".join(f.bytes() for f in frames) + after + trailer
    )
    kept = len(frames) if kept is None else kept
    canvases = canvases[:kept]
    oracle = oracle or ("maker+pillow" if pillow_agrees(data, canvases) else "maker")
    suite.ok(
        f"gif/{name}.gif",
        data,
        canvases[0],
        note,
        frames=len(frames),
        alpha=has_alpha(*(canvas or (width, height)), frames),
        oracle=oracle,
        animation=Suite.animation(
            canvases, [(f.delay if f.control else 0, 100) for f in frames[:kept]], loops, status
        ),
    )


def animations(suite):
    base = lambda **o: Frame(index(12, 10), minimum=4, **o)
    part = lambda s, x, y, **o: Frame(index(6, 5, 4, s), x, y, minimum=4, **o)
    for disposal in range(8):
        animated(
            suite,
            f"disposal-{disposal}",
            f"second and third frame with disposal {disposal}" + (" (as keep)" if disposal > 3 else ""),
            [
                base(),
                part(2, 1, 1, disposal=disposal, transparent=3),
                part(3, 5, 4, disposal=disposal, transparent=2),
                part(4, 2, 3, transparent=1),
            ],
        )
    animated(suite, "disposal-2-first", "first frame cleared", [base(disposal=2), part(2, 2, 2), part(3, 4, 4)])
    animated(
        suite,
        "disposal-3-first",
        "restore on the first frame clears",
        [base(disposal=3), part(2, 2, 2), part(3, 4, 4)],
    )
    animated(
        suite,
        "disposal-3-chain",
        "restore several times in a row",
        [base()] + [part(s, s, s - 1, disposal=3, transparent=s) for s in (1, 2, 3)] + [part(5, 0, 0)],
    )
    animated(
        suite,
        "disposal-mixed",
        "1, 2, 3 and 0 in turn",
        [
            base(disposal=1),
            part(2, 0, 0, disposal=2),
            part(3, 6, 5, disposal=3),
            part(4, 3, 3, disposal=0),
            part(5, 5, 1),
        ],
    )
    animated(
        suite,
        "disposal-2-partly-outside",
        "a cleared frame that leaves the canvas",
        [base(), part(2, 9, 8, disposal=2), part(3, 1, 1)],
    )
    animated(
        suite,
        "local-palettes",
        "a palette of its own in every frame",
        [base(palette=palette_of(16, 5)), part(2, 2, 2, palette=palette_of(16, 8)), part(3, 4, 4)],
    )
    animated(
        suite,
        "interlaced-frames",
        "interlaced frames",
        [base(interlace=True), part(2, 2, 2, interlace=True, transparent=4)],
    )
    animated(
        suite,
        "delays",
        "delays 0, 1, 7 and 65,535",
        [base(delay=0), part(2, 0, 0, delay=1), part(3, 1, 1, delay=7), part(4, 2, 2, delay=65535)],
    )
    animated(
        suite,
        "no-control",
        "frames without graphic control: no delay, keep",
        [base(control=False), part(2, 2, 2, control=False)],
    )
    animated(suite, "loop-none", "no loop extension", [base(), part(2, 2, 2)], before=b"", loops=None)
    animated(suite, "loop-3", "loop count 3", [base(), part(2, 2, 2)], before=loop(3), loops=3)
    animated(
        suite,
        "loop-animexts",
        "ANIMEXTS1.0 is the same as NETSCAPE2.0",
        [base(), part(2, 2, 2)],
        before=loop(5, b"ANIMEXTS1.0"),
        loops=5,
    )
    animated(
        suite,
        "loop-twice",
        "two loop extensions: the first wins",
        [base(), part(2, 2, 2)],
        before=loop(7) + loop(2),
        loops=7,
    )
    first = base(delay=5)
    several = Frame(first.indexes, delay=33, disposal=2, transparent=6, minimum=4)
    canvases = compose(12, 10, [several, part(2, 2, 2)], PALETTE)
    suite.ok(
        "gif/control-several.gif",
        head(12, 10, PALETTE)
        + control(5, 1, 1)
        + control(9, 2, 3)
        + several.bytes()
        + part(2, 2, 2).bytes()
        + TRAILER,
        canvases[0],
        "several graphic control extensions: the last wins",
        frames=2,
        alpha=True,
        oracle="maker",
        animation=Suite.animation(canvases, [(33, 100), (10, 100)], None),
    )
    animated(
        suite,
        "control-at-end",
        "a graphic control extension behind the last frame",
        [base(), part(2, 2, 2)],
        after=control(1, 1, 1),
    )
    animated(
        suite,
        "frame-0x0",
        "second frame 0 x 0: draws nothing, its data is passed over",
        [base(), Frame(np.zeros((0, 0), int), 3, 3, data=lzw(range(8), 4), minimum=4), part(3, 4, 4)],
        oracle="maker",
    )
    animated(
        suite,
        "frame-0-wide",
        "second frame 0 pixels wide",
        [base(), Frame(np.zeros((4, 0), int), 3, 3, data=b"\x44\1", minimum=4, disposal=2), part(3, 4, 4)],
        oracle="maker",
    )
    animated(
        suite,
        "canvas-0x0-animated",
        "canvas 0 x 0, two frames: the first one's size counts",
        [base(), part(2, 9, 8)],
        canvas=(0, 0),
        oracle="maker",
    )
    animated(
        suite,
        "frames-40",
        "forty small frames",
        [Frame(index(8, 8), minimum=4)]
        + [Frame(index(2, 2, 4, i), i % 7, i * 3 % 7, delay=2, minimum=4, disposal=i % 4) for i in range(1, 40)],
        8,
        8,
    )
    animated(
        suite, "first-frame-small", "first frame smaller than the canvas, second covers it", [part(2, 3, 3), base()]
    )


def damage(suite):
    # 16 pixels of 9-bit codes a row, a clear code every 8 rows: known bit positions.
    picture = index(16, 12, 8, 3)
    palette = palette_of(256)
    exact = colours(palette)[picture]
    bits = Bits()
    ends = []
    for y, row in enumerate(picture):
        if y % 8 == 0:
            bits.put(256, 9)
        for v in row:
            bits.put(int(v), 9)
        ends.append((bits.count + 7) // 8)
    bits.put(257, 9)
    whole = bits.bytes()
    start = head(16, 12, palette) + b"," + b"\0\0\0\0\x10\0\x0c\0\0\x08"
    for name, rows, extra in (("after-1-row", 1, 0), ("after-7-rows", 7, 0), ("mid-row", 5, 8), ("last-row", 11, 8)):
        data = whole[: ends[rows - 1] + extra]
        pixels = len(data) * 8 // 9 - (1 if rows < 8 else 2)
        assert pixels // 16 == rows and pixels % 16 == (7 if extra else 0)
        shown = exact.reshape(-1, 4).copy()
        shown[pixels:] = 0
        suite.ok(
            f"gif/truncated-{name}.gif",
            start + bytes([len(whole[:255])]) + data,
            shown.reshape(exact.shape),
            "the file ends inside the first frame",
            status="truncated",
            rows=rows,
            oracle="maker",
        )
    wide = Bits()
    wide.put(512, 10)
    for v in picture[:3].ravel():
        wide.put(int(v), 10)
    for v in (1, 2, 256, 3):
        wide.put(v, 10)
    shown = keep_rows(exact, 3)
    shown[3, :2] = colours(palette)[[1, 2]]
    suite.ok(
        "gif/lzw-minimum-9-index-256.gif",
        start[:-1] + b"\x09" + blocks(wide.bytes()) + TRAILER,
        shown,
        "minimum code size 9 with an index of 256 in row 3: what comes before is kept",
        status="corrupt",
        oracle="maker",
    )
    early = Bits()
    early.put(256, 9)
    for v in picture[:6].ravel():
        early.put(int(v), 9)
    early.put(257, 9)
    suite.ok(
        "gif/truncated-early-end-code.gif",
        start + blocks(early.bytes()) + TRAILER,
        keep_rows(exact, 6),
        "end code after six rows",
        status="truncated",
        rows=6,
        oracle="maker",
    )
    suite.ok(
        "gif/truncated-short-blocks.gif",
        start + blocks(whole[: ends[3]]) + TRAILER,
        keep_rows(exact, 4),
        "the data blocks end after four rows",
        status="truncated",
        rows=4,
        oracle="maker",
    )
    small = index(13, 11)
    still(suite, "no-trailer", "no trailer after the last frame: a remark only", small, minimum=4, trailer=b"")
    base, part = Frame(index(12, 10), minimum=4), Frame(index(6, 5, 4, 2), 2, 2, minimum=4)
    animated(suite, "animation-no-trailer", "no trailer after the last frame", [base, part], trailer=b"")
    bad = Bits()
    for code, width in ((16, 5), (1, 5), (2, 5), (30, 5), (1, 5)):
        bad.put(code, width)
    animated(
        suite,
        "animation-bad-code",
        "second frame has a code beyond the table: refused, the first is kept",
        [base, Frame(part.indexes, 2, 2, minimum=4, data=bad.bytes())],
        kept=1,
        status="corrupt",
        oracle="maker",
    )
    animated(
        suite,
        "animation-bad-minimum",
        "second frame has minimum code size 12: refused, the first is kept",
        [base, Frame(part.indexes, 2, 2, minimum=12, data=b"\0\1\2")],
        kept=1,
        status="corrupt",
        oracle="maker",
    )
    two = head(12, 10, PALETTE) + loop(0) + base.bytes()
    first = compose(12, 10, [base], PALETTE)
    suite.ok(
        "gif/animation-truncated.gif",
        two + part.bytes()[:14],
        first[0],
        "the file ends in the second frame's descriptor",
        oracle="maker",
        animation=Suite.animation(first, [(10, 100)], 0, "truncated"),
    )


def make(suite):
    suite.script = "gif.py"
    for part in (stills, lzw_corners, animations, damage):
        part(suite)
