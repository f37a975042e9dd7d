"""Compares encoded files with their source pixels: PNG and APNG exactly, decoded by Pillow; JPEG decoded by Pillow and
djpeg, against the quality of Pillow's encoder for the same pixels."""
import io
import pathlib
import re
import shutil
import subprocess
import sys

import numpy as np
from PIL import Image

folder = pathlib.Path(sys.argv[1])
failures, counts = [], {"png": 0, "apng": 0, "jpg": 0}


def flatten(pixels):
    """Composites over white, rounded to nearest."""
    alpha = pixels[..., 3:].astype(np.float64) / 255
    return np.floor(pixels[..., :3] * alpha + 255 * (1 - alpha) + 0.5).astype(np.uint8)


def psnr(a, b):
    error = ((a.astype(np.float64) - b) ** 2).mean()
    return 99.0 if error == 0 else 10 * np.log10(65025 / error)


def check(condition, path, what):
    if not condition:
        failures.append(f"{path.name}: {what}")


def check_png(path, pixels):
    with Image.open(path) as image:
        got = np.array(image.convert("RGBA"))
    check((got == pixels[0]).all(), path, "pixels differ")


def check_apng(path, pixels):
    with Image.open(path) as image:
        check(image.n_frames == len(pixels), path, f"{image.n_frames} frames")
        check(image.info.get("loop") == 2, path, f"loop {image.info.get('loop')}")
        for index, expected in enumerate(pixels):
            image.seek(index)
            check((np.array(image.convert("RGBA")) == expected).all(), path, f"frame {index} differs")
            delay = [100, 0, 250, 30][index]
            check(abs(image.info["duration"] - delay) < 1e-6, path, f"delay {image.info['duration']}")


SAMPLING = {"ratio444": 0, "ratio422": 1, "ratio420": 2}


def check_jpeg(path, pixels):
    flat = flatten(pixels[0])
    kind, chroma = re.search(r"-([pob])(ratio\d+)\.jpg$", path.name).groups()
    with Image.open(path) as image:
        image.load()
        check(set(image.info) <= {"jfif", "jfif_version", "jfif_unit", "jfif_density", "progressive", "progression"},
              path, f"metadata {sorted(image.info)}")
        check(bool(image.info.get("progressive")) == (kind == "p"), path, "progressive or not")
        is_gray = image.mode == "L"
        got = np.array(image.convert("RGB"))
    all_gray = (pixels[0][..., :3] == pixels[0][..., :1]).all()
    check(is_gray == all_gray, path, f"gray {is_gray}, pixels {all_gray}")
    twin = io.BytesIO()
    Image.fromarray(flat).convert("L" if is_gray else "RGB").save(
        twin, "JPEG", quality=95, subsampling=SAMPLING[chroma], progressive=kind == "p", optimize=kind == "o")
    with Image.open(twin) as image:
        reached = psnr(np.array(image.convert("RGB")), flat)
    check(psnr(got, flat) > reached - 0.05, path, f"{psnr(got, flat):.2f} dB, Pillow's file {reached:.2f}")
    if shutil.which("djpeg"):
        run = subprocess.run(["djpeg", "-ppm", path], capture_output=True, check=False)
        check(run.returncode == 0 and not run.stderr, path, f"djpeg: {run.stderr.decode()}")
        other = np.array(Image.open(io.BytesIO(run.stdout)).convert("RGB"))
        check((other == got).all(), path, "djpeg and Pillow differ")


for raw in sorted(folder.glob("*.rgba")):
    name, width, height = re.match(r"(.*)\.(\d+)x(\d+)\.rgba$", raw.name).groups()
    path = folder / name
    pixels = np.frombuffer(raw.read_bytes(), np.uint8).reshape(-1, int(height), int(width), 4)
    ending = path.suffix[1:]
    counts[ending] += 1
    {"png": check_png, "apng": check_apng, "jpg": check_jpeg}[ending](path, pixels)
    if ending != "jpg" and shutil.which("pngcheck"):
        run = subprocess.run(["pngcheck", "-q", path], capture_output=True, check=False)
        check(run.returncode == 0, path, f"pngcheck: {run.stdout.decode()}")

for line in failures[:20]:
    print("check-encoders:", line)
print(f"check-encoders: {counts['png']} PNG, {counts['apng']} APNG, {counts['jpg']} JPEG; {len(failures)} wrong")
sys.exit(1 if failures or not all(counts.values()) else 0)
