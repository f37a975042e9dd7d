"""A GIF encoder that does exactly what it is told, LZW included."""

import struct

INTERLACED = ((0, 8), (4, 8), (2, 4), (1, 2))


class Bits:
    """Codes, least significant bit first."""

    def __init__(self):
        self.value, self.count = 0, 0

    def put(self, code, width):
        self.value |= code << self.count
        self.count += width

    def bytes(self):
        return self.value.to_bytes((self.count + 7) // 8, "little")


def lzw(indexes, minimum=8, *, start_with_clear=True, full="clear", end=True, literal=False, clear_every=None):
    """`full`: "clear" sends a clear code when the table has 4,096 entries, "keep" goes on with the full table.
    `literal`: every pixel its own code. `clear_every`: a clear code after so many pixels."""
    clear, stop = 1 << minimum, (1 << minimum) + 1
    out = Bits()
    width, free, table = minimum + 1, stop + 1, {}
    first = True  # no entry is made for the first code after a clear

    def reset():
        nonlocal width, free, table, first
        out.put(clear, width)
        width, free, table, first = minimum + 1, stop + 1, {}, True

    def emit(code):
        """The decoder adds an entry for every code but the first, so its table is one behind ours."""
        nonlocal width, free, first
        out.put(code, width)
        if first:
            first = False
        elif free < 4096:
            free += 1
        if free == 1 << width and width < 12:
            width += 1

    if start_with_clear:
        reset()
    prefix = None
    next_entry = stop + 1
    for n, index in enumerate(int(i) for i in indexes):
        if clear_every and n and n % clear_every == 0:
            emit(prefix)
            reset()
            prefix, next_entry = None, stop + 1
        if prefix is None:
            prefix = index
            continue
        key = (prefix, index)
        if key in table and not literal:
            prefix = table[key]
            continue
        emit(prefix)
        if next_entry < 4096:
            table[key] = next_entry
            next_entry += 1
        elif full == "clear":
            reset()
            next_entry = stop + 1
        prefix = index
    if prefix is not None:
        emit(prefix)
    if end:
        out.put(stop, width)
    return out.bytes()


def blocks(data, size=255):
    return b"".join(bytes([len(data[i : i + size])]) + data[i : i + size] for i in range(0, len(data), size)) + b"\0"


def table_of(palette):
    """Size field and bytes, padded with white to a power of two."""
    bits = max(1, (len(palette) - 1).bit_length())
    raw = bytes(int(v) for entry in palette for v in entry)
    return bits - 1, raw + b"\xff" * (3 * (1 << bits) - len(raw))


def head(width, height, palette=None, version=b"GIF89a", background=0, aspect=0):
    flags, raw = 0x70, b""
    if palette is not None:
        size, raw = table_of(palette)
        flags |= 0x80 | size
    return version + struct.pack("<HHBBB", width, height, flags, background, aspect) + raw


def control(delay=0, transparent=None, disposal=0):
    flags = disposal << 2 | (transparent is not None)
    return b"\x21\xf9\x04" + struct.pack("<BHBB", flags, delay, transparent or 0, 0)


def loop(count, name=b"NETSCAPE2.0"):
    return b"\x21\xff\x0b" + name + b"\x03\x01" + struct.pack("<H", count) + b"\0"


def comment(text):
    return b"\x21\xfe" + blocks(text)


def image(indexes, x=0, y=0, palette=None, interlace=False, minimum=8, data=None, block=255, size=None, **options):
    """One image block; `data` replaces the LZW bytes, `size` the width and height in the descriptor."""
    height, width = indexes.shape if size is None else (size[1], size[0])
    flags, raw = 0x40 if interlace else 0, b""
    if palette is not None:
        bits, raw = table_of(palette)
        flags |= 0x80 | bits
    rows = indexes
    if interlace:
        rows = [indexes[y0] for start, step in INTERLACED for y0 in range(start, indexes.shape[0], step)]
    if data is None:
        data = lzw([i for row in rows for i in row], minimum, **options)
    return b"," + struct.pack("<HHHHB", x, y, width, height, flags) + raw + bytes([minimum]) + blocks(data, block)


TRAILER = b";"
