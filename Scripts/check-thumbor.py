"""Comparison of Scripts/check-thumbor; its header describes it."""

import argparse
import io
import json
import os
import re
import sys

import numpy as np
from PIL import Image

import loopback_load as load
import serving
from service_pictures import exact, pictures

# Largest accepted mean absolute difference of samples for photographs; both encode with quality 80, but differently.
MOST = 3.0
EXCEPTIONS = os.path.join(serving.ROOT, "Docs/service-thumbor.md")

# Options and source image: the part of the target after `unsafe/`.
CASES = [
    # Sizes: cover and crop, one side, none, the source's.
    ("300x200", "2000x1500.jpg"),
    ("200x300", "2000x1500.jpg"),
    ("300x0", "2000x1500.jpg"),
    ("0x200", "2000x1500.jpg"),
    ("300x", "2000x1500.jpg"),
    ("", "800x600.jpg"),
    ("0x0", "800x600.jpg"),
    ("200x0", "odd.jpg"),
    ("600x600", "small.jpg"),
    ("origx200", "800x600.jpg"),
    ("300xorig", "800x600.jpg"),
    ("320x240", "alpha.png"),
    ("320x240", "800x600.png"),
    ("320x0", "palette.png"),
    ("320x0", "gray.jpg"),
    ("310x0", "progressive.jpg"),
    ("320x0", "cmyk.jpg"),
    # fit-in and its variants.
    ("fit-in/300x200", "2000x1500.jpg"),
    ("fit-in/200x0", "odd.jpg"),
    ("fit-in/600x600", "small.jpg"),
    ("fit-in/50x50", "thin.jpg"),
    ("full-fit-in/300x200", "2000x1500.jpg"),
    ("adaptive-fit-in/300x200", "portrait.jpg"),
    ("adaptive-full-fit-in/300x200", "portrait.jpg"),
    # Crops and their alignment.
    ("100x100:500x400", "800x600.jpg"),
    ("100x100:500x400/200x0", "800x600.jpg"),
    ("500x400:100x100/200x0", "800x600.jpg"),
    ("700x500:2000x2000", "800x600.jpg"),
    ("300x100/top", "800x600.jpg"),
    ("300x100/bottom", "800x600.jpg"),
    ("100x300/left", "800x600.jpg"),
    ("100x300/right/middle", "800x600.jpg"),
    ("100x300/filters:focal(600x100:700x200)", "800x600.jpg"),
    # Flips and trims.
    ("-300x200", "800x600.jpg"),
    ("300x-200", "800x600.jpg"),
    ("-300x-200", "800x600.jpg"),
    ("trim", "framed.png"),
    ("trim:bottom-right:30/200x0", "framed.png"),
    # Filters.
    ("300x200/filters:no_upscale()", "small.jpg"),
    ("fit-in/600x600/filters:upscale()", "small.jpg"),
    ("fit-in/300x300/filters:fill(red)", "800x600.jpg"),
    ("300x200/filters:proportion(0.5)", "800x600.jpg"),
    ("300x200/filters:rotate(90)", "800x600.jpg"),
    ("300x200/filters:grayscale()", "800x600.jpg"),
    ("300x200/filters:brightness(40):contrast(20)", "800x600.jpg"),
    ("300x200/filters:blur(4)", "800x600.jpg"),
    ("300x200/filters:sharpen(2,1.0,true)", "800x600.jpg"),
    ("300x200/filters:saturation(0.4)", "800x600.jpg"),
    ("300x200/filters:rgb(20,-20,40)", "800x600.jpg"),
    ("300x200/filters:equalize()", "800x600.jpg"),
    ("300x200/filters:background_color(blue)", "alpha.png"),
    ("300x200/filters:round_corner(30,255,255,255)", "800x600.jpg"),
    ("300x200/filters:convolution(1;2;1;2;4;2;1;2;1,3,true)", "800x600.jpg"),
    ("300x200/filters:quality(40)", "800x600.jpg"),
    ("300x200/filters:stretch()", "800x600.jpg"),
    ("300x200/filters:no_such_filter(1)", "800x600.jpg"),
    # Formats.
    ("300x200/filters:format(png)", "800x600.jpg"),
    ("300x200/filters:format(jpeg)", "alpha.png"),
    ("300x200", "still.gif"),
    ("300x200", "animated.gif"),
    ("300x200/filters:quality(95)", "photo.tif"),
    ("300x200", "photo.bmp"),
    ("300x200", "turned.jpg"),
    ("300x200", "cut.jpg"),
    # Content types of sources.
    ("meta/300x200", "2000x1500.jpg"),
    ("meta/fit-in/300x200", "odd.jpg"),
    # Rejections.
    ("300x200", "missing.jpg"),
    ("300x200", "gone.jpg"),
    ("300x200", "forbidden.jpg"),
    ("300x200", "fault.jpg"),
    ("300x200", "empty.jpg"),
    ("300x200", "page.jpg"),
    ("300x200", "stump.jpg"),
    ("300x200/filters:brightness(abc)", "800x600.jpg"),
    ("300x200", "800x600.jpg?width=3"),
    ("debug/300x200", "800x600.jpg"),
]


def exceptions():
    """Target and kind of difference of each table row; their first two cells are code."""
    found = {}
    with open(EXCEPTIONS) as file:
        for line in file:
            match = re.match(r"\| `([^`]*)` \| ([a-z, ]+) \|", line)
            if match:
                for kind in match.group(2).split(","):
                    found[(match.group(1), kind.strip())] = False
    return found


def picture(answer):
    image = Image.open(io.BytesIO(answer.body))
    image.load()
    return image


def samples(image):
    """Composites over black, so that colours of pixels with alpha 0 do not count."""
    rgba = np.asarray(image.convert("RGBA"), np.float64)
    alpha = rgba[..., 3:] / 255
    return np.concatenate([rgba[..., :3] * alpha, rgba[..., 3:]], 2)


def distances(name, images):
    """Distance of each image from a float64 Lanczos3 reduction of the completely decoded image."""
    wanted = exact(name, *images[0].size)
    return [np.abs(samples(image)[..., :3] - wanted).mean() for image in images]


def told(answer):
    """Target and operations as reported by meta."""
    meta = json.loads(answer.body)["thumbor"]
    return [(meta["target"]["width"], meta["target"]["height"])] + [
        {key: value for key, value in step.items() if key != "origin"} for step in meta["operations"]]


def source(answer):
    meta = json.loads(answer.body)["thumbor"]["source"]
    return meta["width"], meta["height"]


def differences(ours, theirs, is_meta, whole=None):
    """Kinds of difference with short descriptions, and the mean difference of samples. `whole` names the source image
    when the target only resizes it."""
    if ours.status != theirs.status:
        return [("status", f"{ours.status}, thumbor {theirs.status}")], None
    if ours.status != 200:
        return [], None
    if is_meta:
        a, b = told(ours), told(theirs)
        found = [] if a == b else [("steps", f"{a}, thumbor {b}")]
        if source(ours) != source(theirs):
            found.append(("source", f"{source(ours)}, thumbor {source(theirs)}"))
        return found, None
    try:
        a, b = picture(ours), picture(theirs)
    except OSError as error:
        return [("picture", str(error))], None
    found = []
    if a.format != b.format:
        found.append(("format", f"{a.format}, thumbor {b.format}"))
    if a.size != b.size:
        return found + [("size", f"{a.size}, thumbor {b.size}")], None
    mean = np.abs(samples(a)[..., :3] - samples(b)[..., :3]).mean()
    if mean > MOST:
        words = f"{mean:.2f} on average"
        if whole:
            near, far = distances(whole, [a, b])
            words += f"; from exact ones ours {near:.2f}, thumbor's {far:.2f}"
        found.append(("pixels", words))
    return found, mean


def main():
    parser = argparse.ArgumentParser(prog="check-thumbor", description="Our answers against those of thumbor 7.8.0.")
    parser.add_argument("--all", action="store_true", help="print what is equal too")
    parser.add_argument("only", nargs="*", help="numbers or parts of targets")
    arguments = parser.parse_args()
    serving.needs_service()
    origin = serving.origin(pictures())
    ours, thumbor = serving.ours(origins=[origin.port]), serving.thumbor(processes=1)
    known, wrong, compared, worst, unused = exceptions(), 0, 0, 0.0, []
    for number, (options, name) in enumerate(CASES, 1):
        shown = "/".join(part for part in (options, name) if part)
        if arguments.only and not any(word == str(number) or word in shown for word in arguments.only):
            continue
        target = "/unsafe/" + "/".join(part for part in (options, f"127.0.0.1:{origin.port}/{name}") if part)
        is_whole = re.fullmatch(r"(full-)?(fit-in/)?(\d+x0|0x\d+)", options) and name.endswith("jpg")
        found, mean = differences(
            load.one(ours.port, target), load.one(thumbor.port, target), options.startswith("meta"),
            name if is_whole else None)
        compared += 1
        marks = []
        for kind, words in found:
            is_known = (shown, kind) in known
            if is_known:
                known[(shown, kind)] = True
            wrong += not is_known
            marks.append(f"{'meant' if is_known else 'DIFFERS'}: {kind} {words}")
        if not found and mean is not None:
            worst = max(worst, mean)
        if marks or arguments.all:
            print(f"{number:3} {shown:<62} {f'{mean:5.2f}' if mean is not None else '    -'}  {'; '.join(marks)}")
    if not arguments.only:
        unused = [row for row, is_used in known.items() if not is_used]
        for target, kind in unused:
            print(f"    {os.path.relpath(EXCEPTIONS, serving.ROOT)}: `{target}` no longer differs in {kind}")
    meant = sum(known.values())
    print(
        f"{compared} targets: {wrong} differ, {meant} differences are meant, {len(unused)} rows are not needed; mean"
        f" difference of samples at most {worst:.2f} of {MOST:g}")
    sys.exit(1 if wrong or unused else 0)


main()
