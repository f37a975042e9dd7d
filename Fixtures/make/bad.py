"""Files that must be refused, each with its code: other formats, features we do not decode, broken structure
and bombs. Bombs that decode all the same because their load is never unpacked are in bombs_that_decode."""

import struct
import zlib

import numpy as np

from bmpwriter import bmp, dib, rows, table
from gif import PALETTE, index
from gifwriter import TRAILER, blocks, control, head, image
from jpegwriter import (
    EOI,
    JFIF,
    QUANT,
    SOI,
    Component,
    Encoder,
    colour,
    dqt,
    jpeg,
    progressive_script,
    segment,
    sof,
)
from png import palette_of, u32
from pngwriter import SIGNATURE, chunk, deflate, ihdr, image_data, png, stored_blocks
from suite import pattern, rgba, smooth
from tiffwriter import LONG, SHORT, Page, tiff


def other_formats(suite):
    def refused(name, token, data, note):
        suite.bad(f"bad/{name}", data, "unsupported", note, token=token, format=token if token != "cgbi" else "cgbi")

    ftyp = lambda major, *more: u32(16 + 4 * len(more)) + b"ftyp" + major + bytes(4) + b"".join(more)
    for major, more, token in (
        (b"avif", (b"mif1", b"miaf"), "avif"),
        (b"avis", (b"avif", b"msf1"), "avif"),
        (b"mif1", (b"avif",), "avif"),
        (b"heic", (b"mif1",), "heic"),
        (b"heix", (), "heic"),
        (b"hevc", (b"msf1",), "heic"),
        (b"hevx", (), "heic"),
        (b"mif1", (b"heic",), "heic"),
        (b"msf1", (b"hevc",), "heic"),
    ):
        name = "-".join(b.decode() for b in (major,) + more[:1])
        refused(f"{token}-{name}.{token}", token, ftyp(major, *more) + u32(8) + b"meta", f"brand {name}")
    refused("jxl-codestream.jxl", "jpegxl", b"\xff\x0a" + bytes(20), "JPEG XL codestream")
    refused("jxl-container.jxl", "jpegxl", b"\0\0\0\x0cJXL \r\n\x87\n" + ftyp(b"jxl "), "JPEG XL container")
    refused("jp2-container.jp2", "jpeg2000", b"\0\0\0\x0cjP  \r\n\x87\n" + ftyp(b"jp2 "), "JPEG 2000 container")
    refused("jp2-codestream.j2k", "jpeg2000", b"\xff\x4f\xff\x51" + bytes(20), "JPEG 2000 codestream")
    svg = b'<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'
    refused("svg-plain.svg", "svg", svg, "SVG")
    refused("svg-bom-space.svg", "svg", b"\xef\xbb\xbf \r\n\t" + svg, "SVG behind a byte order mark and white space")
    refused(
        "svg-xml.svg",
        "svg",
        b'<?xml version="1.0"?>\n<!-- ' + b"x" * 300 + b" -->\n" + svg,
        "SVG behind an XML declaration and a comment",
    )
    refused("svg-doctype.svg", "svg", b"<!DOCTYPE svg>" + svg, "SVG behind a document type")
    cgbi = (
        SIGNATURE
        + chunk("CgBI", b"\x50\0\x20\x02")
        + chunk("IHDR", ihdr(2, 2, 8, 6))
        + chunk("IDAT", deflate(bytes(18))[2:-4])
        + chunk("IEND")
    )
    refused("cgbi.png", "cgbi", cgbi, "PNG as iOS applications store it")

    def unknown(name, data, note):
        suite.bad(f"bad/{name}", data, "unknownFormat", note, format="unknown")

    unknown("unknown-empty.bin", b"", "no byte at all")
    unknown("unknown-1-byte.bin", b"\x89", "one byte")
    unknown("unknown-text.bin", b"Hello, world.\n" * 5, "text")
    unknown("unknown-html.bin", b"<!DOCTYPE html><html><body>not found</body></html>", "an HTML error page")
    unknown("unknown-wave.bin", b"RIFF\x24\0\0\0WAVEfmt " + bytes(24), "RIFF, but not WebP")
    unknown("unknown-mp4.bin", ftyp(b"isom", b"mp41"), "ISO base media, but no picture")
    unknown("unknown-png-lf.bin", b"\x89PNG\n\x1a\n" + bytes(40), "PNG signature spoilt by text-mode transfer")
    unknown("unknown-gif88a.bin", b"GIF88a" + head(2, 2, PALETTE)[6:] + TRAILER, "GIF88a does not exist")
    unknown("unknown-tiff-43.bin", b"II\x2c\0" + bytes(20), "TIFF with version 44")
    unknown(
        "unknown-bm-text.bin", b"BMW cars are not bitmaps, whatever the first two letters say", "BM without a header"
    )
    for magic in (b"BA", b"IC", b"CI", b"PT", b"CP"):
        unknown(
            f"unknown-os2-{magic.decode().lower()}.bin",
            bmp(dib(12, 4, 4, 24), bytes(48), magic=magic),
            "OS/2 array, icon or pointer",
        )


def bad_png(suite):
    rgb = pattern(9, 7, 3, 8)
    stream = deflate(image_data(rgb, 8))
    whole = png(rgb, 2, 8)
    end = chunk("IEND")

    def bad(name, code, data, note, token=None):
        suite.bad(f"bad/png-{name}.png", data, code, note, token=token)

    def with_header(header, *more):
        return SIGNATURE + chunk("IHDR", header) + b"".join(more) + chunk("IDAT", stream) + end

    bad("signature-only", "truncated", whole[:8], "eight bytes of signature")
    bad("cut-in-ihdr", "truncated", whole[:20], "ends inside IHDR")
    bad("cut-before-idat", "truncated", whole[:33], "ends behind IHDR")
    bad(
        "cut-in-first-row",
        "truncated",
        SIGNATURE + chunk("IHDR", ihdr(9, 7, 8, 2)) + chunk("IDAT", stored_blocks([image_data(rgb, 8)]))[:30],
        "ends in the first row",
    )
    bad("width-0", "malformed", with_header(ihdr(0, 7, 8, 2)), "width 0")
    bad("height-0", "malformed", with_header(ihdr(9, 0, 8, 2)), "height 0")
    bad("depth-3", "malformed", with_header(ihdr(9, 7, 3, 0)), "bit depth 3")
    bad("colour-1", "malformed", with_header(ihdr(9, 7, 8, 1)), "colour type 1")
    bad("rgb-4-bit", "malformed", with_header(ihdr(9, 7, 4, 2)), "RGB with 4 bits")
    bad(
        "palette-16-bit", "malformed", with_header(ihdr(9, 7, 16, 3), chunk("PLTE", bytes(9))), "palette with 16 bits"
    )
    bad("compression-1", "malformed", with_header(ihdr(9, 7, 8, 2, compression=1)), "compression method 1")
    bad("filter-method-1", "malformed", with_header(ihdr(9, 7, 8, 2, filter_method=1)), "filter method 1")
    bad("interlace-2", "malformed", with_header(ihdr(9, 7, 8, 2, 2)), "interlace method 2")
    bad(
        "ihdr-short",
        "malformed",
        SIGNATURE + chunk("IHDR", ihdr(9, 7, 8, 2)[:12]) + chunk("IDAT", stream) + end,
        "IHDR of 12 bytes",
    )
    bad(
        "ihdr-not-first",
        "malformed",
        SIGNATURE + chunk("gAMA", u32(45455)) + chunk("IHDR", ihdr(9, 7, 8, 2)) + chunk("IDAT", stream) + end,
        "another chunk first",
    )
    bad("no-idat", "malformed", SIGNATURE + chunk("IHDR", ihdr(9, 7, 8, 2)) + end, "no IDAT")
    bad(
        "no-plte",
        "malformed",
        SIGNATURE + chunk("IHDR", ihdr(9, 7, 8, 3)) + chunk("IDAT", stream) + end,
        "palette picture without PLTE",
    )
    bad(
        "bad-zlib-header",
        "malformed",
        SIGNATURE + chunk("IHDR", ihdr(9, 7, 8, 2)) + chunk("IDAT", b"\x12\x34" + stream[2:]) + end,
        "zlib header broken",
    )
    bad(
        "bad-first-block",
        "malformed",
        SIGNATURE + chunk("IHDR", ihdr(9, 7, 8, 2)) + chunk("IDAT", b"\x78\x01\x07" + bytes(60)) + end,
        "reserved deflate block first",
    )
    bad(
        "bad-first-filter",
        "malformed",
        SIGNATURE + chunk("IHDR", ihdr(9, 7, 8, 2)) + chunk("IDAT", deflate(b"\x07" + image_data(rgb, 8)[1:])) + end,
        "filter type 7 in the first row",
    )
    bad(
        "idat-empty",
        "truncated",
        SIGNATURE + chunk("IHDR", ihdr(9, 7, 8, 2)) + chunk("IDAT") + end,
        "IDAT without a byte",
    )
    bad(
        "critical-chunk",
        "malformed",
        SIGNATURE + chunk("IHDR", ihdr(9, 7, 8, 2)) + chunk("ABCD", b"?") + chunk("IDAT", stream) + end,
        "an unknown critical chunk ahead of the pixels",
    )
    bad(
        "chunk-length-2-gib",
        "malformed",
        SIGNATURE + chunk("IHDR", ihdr(9, 7, 8, 2)) + u32(0x80000001) + b"IDAT" + stream,
        "chunk length above 2^31 - 1",
    )
    bad("width-2-31", "malformed", with_header(ihdr(0x80000000, 1, 8, 0)), "width 2^31: more than PNG allows")
    bad("side-70000", "limitExceeded", with_header(ihdr(70000, 1, 8, 0)), "70,000 pixels wide", "max_side")
    zeros = zlib.compressobj(9)
    bomb = zeros.compress(bytes(46_000_000)) + zeros.flush()
    bad(
        "bomb-65535x65535",
        "limitExceeded",
        SIGNATURE + chunk("IHDR", ihdr(65535, 65535, 1, 0)) + chunk("IDAT", bomb) + end,
        "claims 4.3 gigapixels and inflates to 46 MB",
        "max_pixels",
    )
    bad(
        "bomb-rgba16-interlaced",
        "limitExceeded",
        SIGNATURE + chunk("IHDR", ihdr(65535, 65535, 16, 6, 1)) + chunk("IDAT", stream) + end,
        "claims 4.3 gigapixels of 8 bytes, interlaced",
        "max_pixels",
    )


def bad_jpeg(suite):
    rgb = smooth(20, 15)
    s420 = ((2, 2), (1, 1), (1, 1))
    plain = jpeg(colour(rgb, s420))
    start = plain.index(b"\xff\xda")
    frame = Encoder(colour(rgb, s420))

    def bad(name, code, data, note, token=None):
        suite.bad(f"bad/jpeg-{name}.jpg", data, code, note, token=token)

    def claimed(marker, width=None, height=None, precision=8, **options):
        return jpeg(colour(rgb, s420), frame=sof(marker, frame, width, height, precision), **options)

    bad("lossless", "unsupported", claimed(0xC3), "SOF3", "lossless")
    bad("lossless-arithmetic", "unsupported", claimed(0xCB), "SOF11", "lossless")
    bad("12-bit", "unsupported", claimed(0xC1, precision=12), "12 bits a sample", "12bit")
    bad("12-bit-progressive", "unsupported", claimed(0xC2, precision=12), "12 bits a sample, progressive", "12bit")
    for marker in (0xC5, 0xC6, 0xC7, 0xCD):
        bad(f"hierarchical-{marker:x}", "unsupported", claimed(marker), f"SOF{marker - 0xC0}", "hierarchical")
    bad("dnl", "unsupported", claimed(0xC0, height=0), "height 0: a DNL segment would tell", "dnl")
    bad(
        "fractional-sampling",
        "unsupported",
        jpeg(colour(rgb, ((3, 1), (2, 1), (1, 1)))),
        "sampling 3 to 2: libjpeg-turbo cannot",
    )
    bad("2-components", "unsupported", jpeg(colour(rgb, ((1, 1),) * 3)[:2], before=b""), "two components")
    bad("precision-9", "malformed", claimed(0xC0, precision=9), "9 bits a sample")
    bad("width-0", "malformed", claimed(0xC0, width=0), "width 0")
    bad("side-65535", "unsupported", claimed(0xC0, width=65535, height=8), "65,535 wide: libjpeg stops at 65,500")
    bad("soi-only", "truncated", plain[:3], "SOI and one byte")
    bad("cut-in-header", "truncated", plain[:60], "ends in the quantization table")
    bad("cut-before-sos", "truncated", plain[:start], "ends ahead of SOS")
    bad("cut-behind-sos", "truncated", plain[: start + 14], "ends where the scan begins")
    bad("soi-eoi", "malformed", SOI + EOI, "SOI and EOI")
    bad("no-sof", "malformed", SOI + JFIF + dqt([QUANT]) + plain[start:], "no frame header")
    bad("no-dqt", "malformed", plain.replace(dqt([QUANT]), b""), "no quantization table")
    dht = plain.index(b"\xff\xc4")
    bad(
        "bogus-huffman",
        "malformed",
        plain[: dht + 5] + b"\xff" * 16 + plain[dht + 21 :],
        "Huffman table with 255 codes of each length",
    )
    bad("sof-twice", "malformed", jpeg(colour(rgb, s420), between=sof(0xC0, frame)), "two frame headers")
    bad(
        "sampling-0",
        "malformed",
        plain.replace(b"\x01\x22\x00\x02\x11", b"\x01\x00\x00\x02\x11"),
        "sampling factor 0",
    )
    bad(
        "sampling-5",
        "malformed",
        plain.replace(b"\x01\x22\x00\x02\x11", b"\x01\x52\x00\x02\x11"),
        "sampling factor 5",
    )
    gray = Component(1, np.zeros((8, 8)))
    few = jpeg([gray], before=b"", marker=0xC2, scans=[([0], 0, 0, 0, 0)])
    huge = few.replace(sof(0xC2, Encoder([gray])), sof(0xC2, Encoder([gray]), 65500, 65500))
    bad(
        "bomb-65500x65500",
        "limitExceeded",
        huge,
        f"progressive, claims 4.3 gigapixels in {len(huge)} bytes",
        "max_pixels",
    )
    three = Encoder(colour(smooth(8, 8)))
    small = jpeg(colour(smooth(8, 8)), before=b"", marker=0xC2, scans=progressive_script(3))
    wide = small.replace(sof(0xC2, three), sof(0xC2, three, 9900, 10000))
    bad(
        "bomb-coefficients",
        "limitExceeded",
        wide,
        "progressive, 99 MP 4:4:4: coefficients and pixels are over the memory limit",
        "max_memory",
    )
    gray = Component(1, smooth(64, 64, 1)[:, :, 0])
    base = jpeg([gray], before=b"", marker=0xC2, scans=[([0], 0, 0, 0, 0), ([0], 1, 63, 0, 0)])
    # One end-of-band run over all 64 blocks, a thousand times over: table 1 has the one code.
    empty = segment(0xDA, b"\1\1\1\1\x3f\0") + b"\x3f\xff"
    bomb = base[:-2] + segment(0xC4, b"\x11" + b"\1" + bytes(15) + b"\x60") + empty * 3000 + EOI
    bad("bomb-scans", "limitExceeded", bomb, "progressive with 3,002 scans", "max_scans")


def bad_gif(suite):
    small = index(12, 10)

    def bad(name, code, data, note, token=None):
        suite.bad(f"bad/gif-{name}.gif", data, code, note, token=token)

    frame = image(small, minimum=4)
    whole = head(12, 10, PALETTE) + frame + TRAILER
    bad("cut-in-header", "truncated", whole[:10], "ends in the screen descriptor")
    bad("cut-in-palette", "truncated", whole[:30], "ends in the global palette")
    bad("cut-before-frame", "truncated", whole[:61], "ends behind the global palette")
    bad("cut-in-descriptor", "truncated", whole[:66], "ends in the image descriptor")
    bad("cut-in-first-row", "truncated", whole[: 61 + 14], "ends in the first row")
    bad("no-frame", "malformed", head(12, 10, PALETTE) + TRAILER, "no frame at all")
    bad(
        "no-frame-control",
        "malformed",
        head(12, 10, PALETTE) + control(5) + TRAILER,
        "a graphic control extension, but no frame",
    )
    bad(
        "minimum-0",
        "malformed",
        head(12, 10, PALETTE) + image(small, minimum=4)[:10] + b"\0" + frame[11:] + TRAILER,
        "minimum code size 0",
    )
    bad(
        "minimum-12",
        "malformed",
        head(12, 10, PALETTE) + frame[:10] + b"\x0c" + frame[11:] + TRAILER,
        "minimum code size 12",
    )
    bad(
        "bad-first-code",
        "malformed",
        head(12, 10, PALETTE) + frame[:10] + b"\4" + blocks(b"\xf0\xff\xff\xff") + TRAILER,
        "first code behind the clear code is beyond the table",
    )
    bad(
        "zero-size",
        "malformed",
        head(0, 0, PALETTE) + image(np.zeros((0, 0), int), minimum=4, data=b"\x50\1") + TRAILER,
        "canvas and frame 0 x 0",
    )
    bad(
        "bomb-canvas",
        "limitExceeded",
        head(65535, 65535, PALETTE) + frame + TRAILER,
        "canvas of 65,535 x 65,535",
        "max_pixels",
    )
    bad(
        "bomb-frame",
        "limitExceeded",
        head(12, 10, PALETTE) + image(small, minimum=4, size=(65535, 65535)) + TRAILER,
        "first frame of 65,535 x 65,535",
        "max_pixels",
    )
    bad(
        "frame-at-65535",
        "limitExceeded",
        head(12, 10, PALETTE) + image(small, 65535, 65535, minimum=4) + TRAILER,
        "the canvas would have to grow to 65,547",
        "max_side",
    )


def bad_tiff(suite):
    rgb = pattern(9, 7, 3, 8)
    gray = pattern(9, 7, 1, 8)
    whole = tiff(Page(rgb, 8, 2))

    def bad(name, code, data, note, token=None):
        suite.bad(f"bad/tiff-{name}.tif", data, code, note, token=token)

    def tagged(name, code, note, tags, token=None, samples=gray, photometric=1, **options):
        bad(name, code, tiff(Page(samples, 8, photometric, tags=tags, **options)), note, token)

    bad("header-only", "truncated", whole[:8], "header only")
    bad("cut-in-header", "truncated", whole[:6], "six bytes")
    bad("cut-in-ifd", "truncated", whole[:-60], "ends inside the IFD")
    bad("ifd-beyond-end", "truncated", whole[:4] + b"\xff\xff\xff\x7f" + whole[8:], "IFD behind the end")
    bad("ifd-offset-0", "malformed", whole[:4] + bytes(4) + whole[8:], "no IFD")
    bad("ifd-empty", "malformed", b"II\x2a\0\x08\0\0\0" + bytes(6), "IFD without an entry")
    bad(
        "bigtiff-offset-size-4",
        "malformed",
        b"II\x2b\0\4\0\0\0" + struct.pack("<Q", 16) + bytes(40),
        "BigTIFF with offsets of 4 bytes",
    )
    tagged("no-width", "malformed", "no ImageWidth", {256: None})
    tagged("width-0", "malformed", "ImageWidth 0", {256: (LONG, [0])})
    tagged("no-strip-offsets", "malformed", "no StripOffsets", {273: None})
    tagged("strips-beyond-end", "truncated", "strips behind the end", {273: (LONG, [0x7FFFFF00])})
    tagged("rgb-one-sample", "malformed", "RGB with one sample a pixel", {262: (SHORT, [2])})
    tagged("samples-0", "malformed", "0 samples a pixel", {277: (SHORT, [0])})
    tagged("bits-0", "malformed", "0 bits a sample", {258: (SHORT, [0])})
    tagged("bits-128", "unsupported", "128 bits a sample", {258: (SHORT, [128])})
    tagged("bits-mixed", "unsupported", "5, 6 and 5 bits", {258: (SHORT, [5, 6, 5])}, samples=rgb, photometric=2)
    for code, note in (
        (34712, "JPEG 2000"),
        (50002, "JPEG XL"),
        (34933, "PNG"),
        (65000, "a private kind"),
        (32771 + 5000, "an unknown kind"),
    ):
        tagged(f"compression-{code}", "unsupported", f"compression: {note}", {259: (SHORT, [code])})
    for code, note in (
        (32803, "colour filter array"),
        (34892, "linear raw"),
        (10, "ITU Lab"),
        (77, "an unknown kind"),
    ):
        tagged(
            f"photometric-{code}",
            "unsupported",
            f"photometric: {note}",
            {262: (SHORT, [code])},
            samples=rgb,
            photometric=2,
        )
    tagged(
        "inkset-not-cmyk",
        "unsupported",
        "four inks that are not CMYK",
        {332: (SHORT, [2])},
        samples=pattern(9, 7, 4, 8),
        photometric=5,
    )
    tagged(
        "samples-65", "limitExceeded", "65 samples a pixel", {}, "max_samples_per_pixel", samples=pattern(2, 2, 65, 8)
    )
    tile = Page(gray, 8, 1, tile=(16, 16), tags={322: (LONG, [65552]), 323: (LONG, [16])})
    bad("tile-side-65552", "limitExceeded", tiff(tile), "tiles 65,552 wide", "max_tile_side")
    tile = Page(gray, 8, 1, tile=(16, 16), tags={322: (LONG, [0])})
    bad("tile-width-0", "malformed", tiff(tile), "tiles 0 wide")
    tagged(
        "bomb-length",
        "limitExceeded",
        "three thousand million rows in one strip",
        {257: (LONG, [3000000000]), 278: (LONG, [0xFFFFFFFF])},
        "max_side",
    )
    tagged(
        "bomb-length-most",
        "malformed",
        "ImageLength 2^32 - 1: the number of strips overflows",
        {257: (LONG, [0xFFFFFFFF])},
    )
    tagged(
        "bomb-60000x60000",
        "limitExceeded",
        "60,000 x 60,000 in one strip of 63 bytes",
        {256: (LONG, [60000]), 257: (LONG, [60000])},
        "max_pixels",
    )
    # Within the limits on pixels, and no row there.
    tagged(
        "bomb-strip-of-9000x9000",
        "truncated",
        "9,000 x 9,000, one uncompressed strip, 63 bytes at the end of the file",
        {256: (SHORT, [9000]), 257: (SHORT, [9000]), 278: (SHORT, [9000]), 279: (LONG, [81000000])},
    )
    page = Page(rgb, 8, 2, rows=7)
    page.segments = [b"no zlib data"]
    page.extra_tags = {259: (SHORT, [8])}
    bad("bad-only-strip", "malformed", tiff(page), "the only strip is garbage")


def bad_bmp(suite):
    rgb = pattern(9, 7, 3, 8)
    data = rows(rgb, 24)
    whole = bmp(dib(40, 9, 7, 24), data)

    def bad(name, code, file, note, token=None):
        suite.bad(f"bad/bmp-{name}.bmp", file, code, note, token=token)

    bad("cut-in-header", "truncated", whole[:30], "ends in the header")
    bad("no-pixels", "truncated", whole[:54], "ends behind the header")
    bad("cut-in-first-row", "truncated", whole[:70], "ends in the first row")
    bad("width-0", "malformed", bmp(dib(40, 0, 7, 24), data), "width 0")
    bad("height-0", "malformed", bmp(dib(40, 9, 0, 24), data), "height 0")
    bad("width-negative", "malformed", bmp(dib(40, -9, 7, 24), data), "width -9")
    bad("height-minimum", "malformed", bmp(dib(40, 9, -0x80000000, 24), data), "height -2^31")
    for bits in (0, 3, 5, 12, 48, 128):
        bad(f"bits-{bits}", "malformed", bmp(dib(40, 9, 7, bits), data), f"{bits} bits a pixel")
    bad("bits-64", "unsupported", bmp(dib(40, 4, 4, 64), bytes(128)), "64 bits a pixel")
    bad(
        "huffman-1d",
        "unsupported",
        bmp(dib(64, 9, 7, 1, 3), bytes(40), table(palette_of(2))),
        "Huffman 1D of OS/2 2.x",
    )
    bad("compression-99", "malformed", bmp(dib(40, 9, 7, 24, 99), data), "compression 99")
    for name, masks, note in (
        ("overlap", (0xF800, 0xFE0, 0x1F), "masks overlap"),
        ("gap", (0xF800, 0x5E0, 0x1F), "a mask has a gap"),
        ("same", (0xFF, 0xFF, 0xFF), "three times the same mask"),
    ):
        bad(
            f"masks-{name}",
            "malformed",
            bmp(dib(40, 4, 4, 16, 3), bytes(32), behind=struct.pack("<3I", *masks)),
            note,
        )
    bad("masks-cut", "truncated", bmp(dib(40, 4, 4, 16, 3), b"", behind=b"\0\xf8\0\0"), "ends inside the masks")
    bad("embedded-itself", "malformed", bmp(dib(40, 9, 7, 0, 5), whole), "BI_PNG with a bitmap inside")
    bad("embedded-garbage", "malformed", bmp(dib(40, 9, 7, 0, 4), b"no JPEG here" * 4), "BI_JPEG with garbage")
    broken = png(rgb, 2, 8)[:40]
    bad("embedded-truncated", "truncated", bmp(dib(40, 9, 7, 0, 5), broken), "BI_PNG that ends ahead of its pixels")
    huge = png(np.zeros((1, 1, 3), int), 2, 8, header=ihdr(65535, 65535, 8, 2))
    bad(
        "embedded-bomb",
        "limitExceeded",
        bmp(dib(40, 1, 1, 0, 5), huge),
        "BI_PNG of 65,535 x 65,535 in a bitmap of 1 x 1",
        "max_pixels",
    )
    bad(
        "rle-first-row",
        "truncated",
        bmp(dib(40, 9, 7, 8, 1, colors=4), b"\4\1", table(palette_of(4))),
        "RLE8, ends in the first row",
    )
    bad(
        "bomb-side",
        "limitExceeded",
        bmp(dib(40, 65536, 1, 1), bytes(40), table(palette_of(2))),
        "65,536 pixels wide",
        "max_side",
    )
    bad(
        "bomb-pixels",
        "limitExceeded",
        bmp(dib(40, 65535, 65535, 1), bytes(40), table(palette_of(2))),
        "65,535 x 65,535",
        "max_pixels",
    )
    bad(
        "bomb-2-31",
        "limitExceeded",
        bmp(dib(40, 0x7FFFFFFF, 0x7FFFFFFF, 32), bytes(40)),
        "both sides 2^31 - 1",
        "max_side",
    )


def bombs_that_decode(suite):
    rgb = pattern(9, 7, 3, 8)
    exact = rgba(rgb)

    def inflating(megabytes):
        z = zlib.compressobj(9)
        return z.compress(bytes(megabytes << 20)) + z.flush()

    for name, part, note in (
        ("iccp", chunk("iCCP", b"x\0\0" + inflating(8)), "iCCP that inflates to 8 MiB: over the limit, ignored"),
        ("ztxt", chunk("zTXt", b"x\0\0" + inflating(40)), "zTXt that inflates to 40 MiB: never inflated"),
        ("itxt", chunk("iTXt", b"x\0\1\0\0\0" + inflating(40)), "iTXt that inflates to 40 MiB: never inflated"),
        (
            "iccp-header",
            chunk("iCCP", b"x\0\0" + zlib.compress(struct.pack(">I", 0xFFFFFFF0) + bytes(124))),
            "a profile that claims 4 GiB: ignored",
        ),
    ):
        suite.ok(f"png/bomb-{name}.png", png(rgb, 2, 8, before=part), exact, note)
    # The rows that are wanted are few; the rest of the stream is not.
    z = zlib.compressobj(9)
    stream = z.compress(image_data(rgb, 8) + bytes(40 << 20)) + z.flush()
    suite.ok("png/bomb-idat.png", png(rgb, 2, 8, stream=stream), exact, "40 MiB behind the last row: not needed")
    gray = pattern(9, 7, 1, 8)
    body = bytearray(tiff(Page(gray, 8, 1)))
    link = len(body) - 4  # all values are inside the entries
    assert body[link:] == bytes(4)
    for _ in range(4999):
        struct.pack_into("<I", body, link, len(body))
        body += struct.pack("<HHHIII", 1, 254, LONG, 1, 1, 0)
        link = len(body) - 4
    suite.ok(
        "tiff/bomb-5000-ifds.tif",
        bytes(body),
        rgba(gray),
        "5,000 IFDs: the first is to be had, their number stays unknown: more than may be walked",
        frames=0,
        oracle="maker",
    )
    frames = b"".join(
        b"," + struct.pack("<4HB", i % 8, i // 8 % 8, 1, 1, 0) + b"\2\2" + bytes([0x44 | (i & 1) << 3, 1]) + b"\0"
        for i in range(2999)
    )
    first = index(8, 8, 2)
    suite.ok(
        "gif/frames-3000.gif",
        head(8, 8, palette_of(4)) + image(first, minimum=2) + frames + TRAILER,
        rgba(palette_of(4)[first]),
        "3,000 frames, more than the default limit allows: the first is still to be had",
        frames=3000,
        oracle="maker",
    )


def make(suite):
    suite.script = "bad.py"
    for part in (other_formats, bad_png, bad_jpeg, bad_gif, bad_tiff, bad_bmp, bombs_that_decode):
        part(suite)
