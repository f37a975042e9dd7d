#!/usr/bin/env python3
"""Measures Pillow, pyvips, OpenCV, imagecodecs and PlatformImage with the images of `make bench`, relative to the plain
use of the C library. Writes Docs/benchmarks/peers.md.

    Benchmarks/peers.py [--rounds N] [NAME...]      `make bench-peers` starts it in a Python with the packages

PlatformImage and the plain library run in `imagetool-bench decode --turns`, the Python packages in this process. All
decode from bytes in memory to a new buffer. Pillow returns RGBA; pyvips, OpenCV and imagecodecs return the layout of
the file (RGB or gray, in OpenCV BGR), which saves up to a quarter of the memory traffic. All frames of animations are
decoded. Each decoder decodes once per round, in rotating order, after one warm-up round. The CPU time is the user and
system time of the process, with one thread on one core; each ratio is the median of the ratios of the rounds. A
decoder that cannot decode an image, or returns another size or number of frames, has no ratio. Pixels are not
compared.
"""

import argparse
import io
import os
import statistics
import subprocess
import sys
import time

os.environ.update(VIPS_CONCURRENCY="1", OMP_NUM_THREADS="1", OPENCV_IO_MAX_IMAGE_PIXELS=str(1 << 30))
import cv2  # noqa: E402
import imagecodecs  # noqa: E402
import numpy as np  # noqa: E402
import PIL  # noqa: E402
import pyvips  # noqa: E402
from PIL import Image, features  # noqa: E402

import report  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = os.environ.get("IMAGETOOL_BENCH", os.path.join(ROOT, ".build/release/imagetool-bench"))
FOLDER = os.environ.get("INPUTS", os.path.join(ROOT, ".build-bench-inputs"))


# ------------------------------------------------------------------ decoders: bytes to (width, height, frames)


def pillow(data):
    with Image.open(io.BytesIO(data)) as image:
        frames = getattr(image, "n_frames", 1)
        for frame in range(frames):
            image.seek(frame)
            image.load() if image.mode == "RGBA" else image.convert("RGBA")
        return *image.size, frames


def may_be_animated(data):
    return data[:3] == b"GIF" or b"ANMF" in data[:1000]


def vips(data):
    image = pyvips.Image.new_from_buffer(data, "")
    frames = image.get("n-pages") if may_be_animated(data) else 1
    if frames > 1:
        image = pyvips.Image.new_from_buffer(data, "", n=-1)
    image.write_to_memory()
    return image.width, image.height // frames, frames


def opencv(data):
    bytes_of = np.frombuffer(data, np.uint8)
    if may_be_animated(data):
        _, animation = cv2.imdecodeanimation(bytes_of)
        height, width = animation.frames[0].shape[:2]
        return width, height, len(animation.frames)
    height, width = cv2.imdecode(bytes_of, cv2.IMREAD_UNCHANGED).shape[:2]
    return width, height, 1


def codecs(data):
    decode = {b"\x89PNG": imagecodecs.png_decode, b"\xff\xd8\xff\xe0": imagecodecs.jpeg8_decode,
              b"GIF8": imagecodecs.gif_decode, b"RIFF": imagecodecs.webp_decode}.get(data[:4])
    if data[:2] in (b"II", b"MM"):
        decode = imagecodecs.tiff_decode
    elif data[:2] == b"BM":
        decode = imagecodecs.bmp_decode
    pixels = decode(data)
    frames = pixels.shape[0] if pixels.ndim == 4 else 1
    height, width = pixels.shape[1:3] if pixels.ndim == 4 else pixels.shape[:2]
    return width, height, frames


PEERS = {"Pillow": pillow, "pyvips": vips, "OpenCV": opencv, "imagecodecs": codecs}


# ------------------------------------------------------------------ measuring


def cpu(work, data):
    start = time.process_time_ns()
    work(data)
    return time.process_time_ns() - start


def measure(path, rounds):
    """The properties of the image, and the ratios of each decoder over the plain library."""
    with open(path, "rb") as file:
        data = file.read()
    command = [PROGRAM, "decode", "--turns", path]
    tool = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    width, height, frames, kind = tool.stdout.readline().strip().split(" ", 3)
    able = {}
    for name, work in PEERS.items():
        try:
            if work(data) == (int(width), int(height), int(frames)):
                able[name] = work
        except Exception as error:  # a decoder that fails with any exception has no ratio
            print(f"{os.path.basename(path)}: {name}: {str(error).splitlines()[0][:90]}", file=sys.stderr)
    names, ratios = ["PlatformImage", *able], {}
    for turn in range(rounds + 1):
        figures = {}
        for at in range(len(names)):
            name = names[(at + turn) % len(names)]
            if name == "PlatformImage":
                tool.stdin.write("\n")
                tool.stdin.flush()
                figures["PlatformImage"], figures["plain"] = (int(word) for word in tool.stdout.readline().split())
            else:
                figures[name] = cpu(able[name], data)
        if turn > 0:
            for name in names:
                ratios.setdefault(name, []).append(figures["plain"] / figures[name])
    tool.stdin.close()
    tool.wait()
    return kind, {name: statistics.median(values) for name, values in ratios.items()}


def versions():
    turbo = features.version("libjpeg_turbo")
    return [
        f"Pillow {PIL.__version__} (libjpeg-turbo {turbo}, zlib-ng {features.version('zlib_ng') or 'no'})",
        f"pyvips {pyvips.__version__} with libvips {'.'.join(str(pyvips.version(n)) for n in range(3))}",
        f"OpenCV {cv2.__version__}", f"imagecodecs {imagecodecs.__version__}",
    ]


def main():
    parser = argparse.ArgumentParser(description="Measures other decoders with the images of `make bench`.")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    files = [f for kind in report.ORDER for f in sorted(os.listdir(FOLDER)) if f.startswith(kind + "-")]
    files = [f for f in files if not arguments.names or os.path.splitext(f)[0] in arguments.names]
    lines = [
        "# Decoding against Pillow, pyvips, OpenCV and imagecodecs",
        "",
        "`Benchmarks/peers.py` writes this page. The columns of decoders contain ratios: the CPU time of the plain C",
        "library divided by the CPU time of the decoder. A decoder is faster than the plain library if its ratio is",
        "above 1.",
        "",
        f"- Each ratio is the median of {arguments.rounds} alternating rounds, with one thread.",
        "- PlatformImage and Pillow return RGBA. pyvips, OpenCV and imagecodecs return the layout of the file, RGB or",
        "  gray, so they write fewer bytes.",
        "- An empty cell means that the decoder failed, or returned another size or number of frames than"
        " PlatformImage.",
        "",
        "Environment:",
        "",
        "- " + "; ".join(report.system()),
        "- " + ", ".join(versions()),
        "- [decode.md](decode.md) describes the plain libraries and the images.",
        "",
        "| image | kind | PlatformImage | " + " | ".join(PEERS) + " |",
        "|---|---|---|" + "---|" * len(PEERS),
    ]
    for file in files:
        kind, medians = measure(os.path.join(FOLDER, file), arguments.rounds)
        cells = [f"{medians[name]:.2f}" if name in medians else "" for name in PEERS]
        row = [os.path.splitext(file)[0], kind, f"**{medians['PlatformImage']:.2f}**", *cells]
        lines.append(f"| {' | '.join(row)} |")
        print(lines[-1], flush=True)
    if not arguments.names:
        target = os.path.join(ROOT, "Docs/benchmarks/peers.md")
        with open(target, "w", encoding="utf-8") as out:
            out.write("\n".join(lines) + "\n")
        print("peers: wrote Docs/benchmarks/peers.md")


if __name__ == "__main__":
    main()
