"""A JPEG encoder that does exactly what it is told: any sampling, scan script, table layout and marker
order, sequential or progressive Huffman (ITU-T T.81). For small pictures; it is not fast."""

import struct

import numpy as np

ZIGZAG = [
    0,
    1,
    8,
    16,
    9,
    2,
    3,
    10,
    17,
    24,
    32,
    25,
    18,
    11,
    4,
    5,
    12,
    19,
    26,
    33,
    40,
    48,
    41,
    34,
    27,
    20,
    13,
    6,
    7,
    14,
    21,
    28,
    35,
    42,
    49,
    56,
    57,
    50,
    43,
    36,
    29,
    22,
    15,
    23,
    30,
    37,
    44,
    51,
    58,
    59,
    52,
    45,
    38,
    31,
    39,
    46,
    53,
    60,
    61,
    54,
    47,
    55,
    62,
    63,
]
QUANT = np.array([[6 + (x + y) * 2 for x in range(8)] for y in range(8)])
SOI, EOI = b"\xff\xd8", b"\xff\xd9"


def segment(marker, data=b""):
    return struct.pack(">BBH", 0xFF, marker, len(data) + 2) + data


JFIF = segment(0xE0, b"JFIF\0\1\1\0\0\1\0\1\0\0")


def adobe(transform):
    return segment(0xEE, b"Adobe\0\x64\0\0\0\0" + bytes([transform]))


def exif_segment(block):
    return segment(0xE1, b"Exif\0\0" + block)


def icc_segments(profile, size=65519, order=None, total=None):
    parts = [profile[i : i + size] for i in range(0, len(profile), size)]
    numbers = order or list(range(1, len(parts) + 1))
    return b"".join(segment(0xE2, b"ICC_PROFILE\0" + bytes([n, total or len(parts)]) + parts[n - 1]) for n in numbers)


def ycc(rgb):
    r, g, b = [rgb[:, :, i].astype(float) for i in range(3)]
    y = 0.299 * r + 0.587 * g + 0.114 * b
    planes = [y, (b - y) / 1.772 + 128, (r - y) / 1.402 + 128]
    return [np.clip(np.floor(p + 0.5), 0, 255) for p in planes]


class Component:
    def __init__(self, id, plane, h=1, v=1, quant=0, dc=None, ac=None):
        self.id, self.plane, self.h, self.v, self.quant = id, np.asarray(plane, dtype=float), h, v, quant
        self.dc = self.ac = None
        self.dc_id, self.ac_id = dc, ac


def dct_matrix():
    k = np.arange(8)
    m = np.cos((2 * k[None, :] + 1) * k[:, None] * np.pi / 16) / 2
    m[0] /= np.sqrt(2)
    return m


DCT = dct_matrix()


class Encoder:
    def __init__(self, components, width=None, height=None, quants=None):
        self.components = components
        self.height, self.width = components[0].plane.shape
        self.hmax = max(c.h for c in components)
        self.vmax = max(c.v for c in components)
        self.mcux = -(-self.width // (8 * self.hmax))
        self.mcuy = -(-self.height // (8 * self.vmax))
        self.quants = quants or [QUANT]
        for c in components:
            self._transform(c)

    def _transform(self, c):
        """Shrinks the plane to the component's size, pads it to whole MCUs, and quantizes."""
        c.width, c.height = -(-self.width * c.h // self.hmax), -(-self.height * c.v // self.vmax)
        c.wide, c.tall = self.mcux * c.h, self.mcuy * c.v
        y = np.minimum(np.arange(c.tall * 8) * self.vmax // c.v, self.height - 1)
        x = np.minimum(np.arange(c.wide * 8) * self.hmax // c.h, self.width - 1)
        s = c.plane[y][:, x] - 128
        blocks = s.reshape(c.tall, 8, c.wide, 8).transpose(0, 2, 1, 3)
        f = np.einsum("ij,abjk,lk->abil", DCT, blocks, DCT)
        q = np.floor(f / self.quants[c.quant] + 0.5).astype(int)
        c.blocks = q.reshape(c.tall, c.wide, 64)[:, :, ZIGZAG]

    def _units(self, indexes):
        """Lists of (component, block row, block column), one list an MCU."""
        if len(indexes) == 1:
            c = self.components[indexes[0]]
            for by in range(-(-c.height // 8)):
                for bx in range(-(-c.width // 8)):
                    yield [(c, by, bx)]
        else:
            for my in range(self.mcuy):
                for mx in range(self.mcux):
                    yield [
                        (self.components[i], my * self.components[i].v + v, mx * self.components[i].h + h)
                        for i in indexes
                        for v in range(self.components[i].v)
                        for h in range(self.components[i].h)
                    ]

    def scan_symbols(self, indexes, start, stop, high, low, restart):
        """The scan as a list: ("DC"/"AC", component, symbol, bits, count), ("raw", bits, count) or ("rst", n)."""
        out = []
        previous = {}
        run = 0  # blocks in the pending end-of-band run
        pending = []  # correction bits of those blocks

        def flush_run():
            nonlocal run, pending
            if run:
                size = run.bit_length() - 1
                out.append(("AC", self.components[indexes[0]], size << 4, run - (1 << size), size))
                run = 0
            out.extend(("raw", b, 1) for b in pending)
            pending = []

        for n, unit in enumerate(self._units(indexes)):
            if restart and n and n % restart == 0:
                flush_run()
                out.append(("rst", (n // restart - 1) % 8))
                previous = {}
            for c, by, bx in unit:
                block = c.blocks[by, bx]
                if start == 0:
                    if high == 0:
                        v = int(block[0]) >> low
                        d = v - previous.get(c.id, 0)
                        previous[c.id] = v
                        size = abs(d).bit_length()
                        out.append(("DC", c, size, d if d > 0 else d + (1 << size) - 1, size))
                    else:
                        out.append(("raw", (int(block[0]) >> low) & 1, 1))
                if stop == 0:
                    continue
                first = max(1, start)
                magnitude = [abs(int(v)) >> low for v in block]
                if high == 0:
                    zeros = 0
                    for k in range(first, stop + 1):
                        if magnitude[k] == 0:
                            zeros += 1
                            continue
                        flush_run()
                        while zeros > 15:
                            out.append(("AC", c, 0xF0, 0, 0))
                            zeros -= 16
                        size = magnitude[k].bit_length()
                        bits = magnitude[k] if block[k] > 0 else (1 << size) - 1 - magnitude[k]
                        out.append(("AC", c, zeros << 4 | size, bits, size))
                        zeros = 0
                    if zeros:
                        if start == 0:  # sequential: no runs of end-of-block
                            out.append(("AC", c, 0, 0, 0))
                        else:
                            run += 1
                            if run == 0x7FFF:
                                flush_run()
                else:
                    last = max([k for k in range(first, stop + 1) if magnitude[k] == 1], default=0)
                    zeros, bits = 0, []
                    for k in range(first, stop + 1):
                        if magnitude[k] == 0:
                            zeros += 1
                            continue
                        while zeros > 15 and k <= last:
                            flush_run()
                            out.append(("AC", c, 0xF0, 0, 0))
                            out.extend(("raw", b, 1) for b in bits)
                            zeros, bits = zeros - 16, []
                        if magnitude[k] > 1:
                            bits.append(magnitude[k] & 1)
                            continue
                        flush_run()
                        out.append(("AC", c, zeros << 4 | 1, int(block[k] > 0), 1))
                        out.extend(("raw", b, 1) for b in bits)
                        zeros, bits = 0, []
                    if zeros or bits:
                        run += 1
                        pending += bits
                        if run == 0x7FFF or len(pending) > 900:
                            flush_run()
        flush_run()
        return out


def flat_lengths(symbols):
    """Code lengths by symbol, all the same; the all-ones code stays free (T.81 C.2)."""
    return {s: max(1, len(symbols).bit_length()) for s in symbols}


def deep_lengths(symbols):
    """Eight codes of 2 to 9 bits, the rest of 16 bits."""
    return {s: (i + 2 if i < 8 else 16) for i, s in enumerate(symbols)}


def huffman(lengths):
    """DHT body and codes by symbol."""
    order = sorted(lengths, key=lambda s: (lengths[s], s))
    counts = [sum(1 for s in order if lengths[s] == n) for n in range(1, 17)]
    codes, code, at = {}, 0, 0
    for n in range(1, 17):
        for s in order[at : at + counts[n - 1]]:
            codes[s] = (code, n)
            code += 1
        at += counts[n - 1]
        code <<= 1
    return bytes(counts) + bytes(order), codes


def entropy_bytes(symbols, tables, restart_numbers=None):
    out, value, count, marker = bytearray(), 0, 0, 0

    def put(bits, n):
        nonlocal value, count
        value = value << n | bits
        count += n
        while count >= 8:
            count -= 8
            byte = value >> count & 255
            out.append(byte)
            if byte == 255:
                out.append(0)
        value &= (1 << count) - 1

    for item in symbols:
        if item[0] == "rst":
            if count:
                put((1 << (8 - count)) - 1, 8 - count)
            number = item[1] if restart_numbers is None else restart_numbers(marker)
            marker += 1
            if number is not None:
                out += bytes([0xFF, 0xD0 + number])
        elif item[0] == "raw":
            put(item[1], item[2])
        else:
            code, n = tables[item[0], item[1].id][item[2]]
            put(code, n)
            if item[4]:
                put(item[3], item[4])
    if count:
        put((1 << (8 - count)) - 1, 8 - count)
    return bytes(out)


def dqt(quants, wide=False):
    out = b""
    for i, q in enumerate(quants):
        values = np.asarray(q).reshape(64)[ZIGZAG]
        out += bytes([int(wide) << 4 | i]) + values.astype(">u2" if wide else "u1").tobytes()
    return segment(0xDB, out)


def sof(marker, encoder, width=None, height=None, precision=8):
    body = struct.pack(
        ">BHHB",
        precision,
        encoder.height if height is None else height,
        encoder.width if width is None else width,
        len(encoder.components),
    )
    for c in encoder.components:
        body += bytes([c.id, c.h << 4 | c.v, c.quant])
    return segment(marker, body)


SEQUENTIAL = [(None, 0, 63, 0, 0)]


def progressive_script(count):
    """The script libjpeg uses by default, for any number of components."""
    each = range(count)
    return (
        [(None, 0, 0, 0, 1), ([0], 1, 5, 0, 2)]
        + [([i], 1, 63, 0, 1) for i in each if i]
        + [([0], 6, 63, 0, 2), ([0], 1, 63, 2, 1), (None, 0, 0, 1, 0)]
        + [([i], 1, 63, 1, 0) for i in each if i]
        + [([0], 1, 63, 1, 0)]
    )


def jpeg(
    components,
    *,
    marker=0xC0,
    scans=SEQUENTIAL,
    before=JFIF,
    restart=0,
    quants=None,
    wide_quants=False,
    lengths=flat_lengths,
    tables="each",
    between=b"",
    end=EOI,
    frame=None,
    restart_numbers=None,
    edit=None,
    dht=True,
    precision=8
):
    """`before`: segments ahead of the tables; `between`: segments ahead of every scan; `edit`: changes the
    entropy-coded bytes of scan n; `tables`: "each" writes a DHT a table, "joined" one for all."""
    e = Encoder(components, quants=quants)
    out = SOI + before + dqt(e.quants, wide_quants) + (frame or sof(marker, e, precision=precision))
    if restart:
        out += segment(0xDD, struct.pack(">H", restart))
    for n, (indexes, start, stop, high, low) in enumerate(scans):
        indexes = list(range(len(components))) if indexes is None else indexes
        symbols = e.scan_symbols(indexes, start, stop, high, low, restart)
        codes, bodies, selectors = {}, [], []
        for slot, i in enumerate(indexes):
            c = components[i]
            # Luma uses table 0, everything else shares table 1 (baseline allows no more).
            group = [components[j] for j in indexes if (components[j] is components[0]) == (c is components[0])]
            number = 0 if c is components[0] else 1
            for kind, klass in (("DC", 0), ("AC", 1)):
                used = sorted({s[2] for s in symbols if s[0] == kind and s[1] in group})
                if used:
                    body, table = huffman(lengths(used))
                    codes[kind, c.id] = table
                    if (klass, number) not in [b[0] for b in bodies]:
                        bodies.append(((klass, number), bytes([klass << 4 | number]) + body))
            selectors.append(bytes([c.id, number << 4 | number]))
        if dht:
            parts = [b for _, b in bodies]
            out += b"".join(segment(0xC4, b) for b in parts) if tables == "each" else segment(0xC4, b"".join(parts))
        out += between
        out += segment(0xDA, bytes([len(indexes)]) + b"".join(selectors) + bytes([start, stop, high << 4 | low]))
        data = entropy_bytes(symbols, codes, restart_numbers)
        out += edit(n, data) if edit else data
    return out + end


def colour(rgb, samplings=((1, 1), (1, 1), (1, 1)), ids=(1, 2, 3), planes=None, **fields):
    planes = planes or ycc(rgb)
    return [Component(i, p, h, v, **fields) for i, p, (h, v) in zip(ids, planes, samplings)]
