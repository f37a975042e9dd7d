#!/usr/bin/env python3
"""Writes a table (decode.md) and a chart (decode.svg) of the output of `imagetool-bench decode --report FILE`.

    Benchmarks/report.py FILE FOLDER

Environment: SWIFT, the swift command whose version is printed. `make bench` starts this script.
"""

import json
import os
import platform
import re
import subprocess
import sys

# Ratios to the same baselines, measured earlier on the same kind of machine with other images of the same kinds.
EARLIER = {
    "png-rgb": {"Wuffs 0.4": 2.20, "zune-png": 1.82}, "png-rgba": {"Wuffs 0.4": 2.35, "zune-png": 2.31},
    "png-flat": {"Wuffs 0.4": 4.15, "zune-png": 4.14}, "png-screenshot": {"Wuffs 0.4": 5.72, "zune-png": 3.87},
    "png-palette": {"Wuffs 0.4": 2.17, "zune-png": 2.20}, "png-gray8": {"Wuffs 0.4": 1.13, "zune-png": 1.63},
    "png-gray16": {"Wuffs 0.4": 1.45, "zune-png": 2.04},
    "gif-still": {"Wuffs 0.4": 2.30}, "gif-dense": {"Wuffs 0.4": 2.25}, "gif-sparse": {"Wuffs 0.4": 4.93},
    "jpeg-0.5mp": {"Wuffs 0.4": 1.12, "zune-jpeg 0.5.9": 0.80},
    "jpeg-3mp": {"Wuffs 0.4": 0.97, "zune-jpeg 0.5.9": 0.77},
    "jpeg-3mp-444": {"Wuffs 0.4": 0.86, "zune-jpeg 0.5.9": 0.80},
    "jpeg-12mp": {"Wuffs 0.4": 0.99, "zune-jpeg 0.5.9": 0.87},
    "jpeg-3mp-progressive": {"Wuffs 0.4": 0.93, "zune-jpeg 0.5.9": 0.82},
    "jpeg-12mp-progressive": {"Wuffs 0.4": 0.74, "zune-jpeg 0.5.9": 0.81},
    "bmp-24": {"Wuffs 0.4": 2.2},
}
ORDER = ["png", "jpeg", "gif", "tiff", "bmp"]
BASELINES = {
    "png": "simplified interface", "jpeg": "`jpeg_read_scanlines`", "gif": "`DGifSlurp` and a palette loop",
    "tiff": "`TIFFReadRGBAImageOriented`", "bmp": "a scalar loop",
}


def name_of(row):
    return os.path.splitext(os.path.basename(row["file"]))[0]


def first_match(path, pattern):
    try:
        with open(path, encoding="utf-8") as file:
            found = re.search(pattern, file.read(), re.MULTILINE)
    except OSError:
        return None
    return found.group(1) if found else None


def system():
    """CPU, Python's name of the system, setting of huge pages, and the compiler."""
    cpu = first_match("/proc/cpuinfo", r"^model name\s*: (.*)$") or platform.machine()
    pages = first_match("/sys/kernel/mm/transparent_hugepage/enabled", r"\[(\w+)\]") or "unknown"
    distribution = first_match("/etc/os-release", r'^PRETTY_NAME="?([^"\n]*)') or platform.system()
    version = subprocess.run([os.environ.get("SWIFT", "swift"), "--version"], capture_output=True, text=True).stdout
    swift = re.search(r"Swift version (\S+)", version)
    return [
        f"CPU {cpu}, {os.cpu_count()} cores, {platform.machine()}", distribution,
        f"Linux {platform.release().split('-')[0]}",
        f"Swift {swift.group(1) if swift else '?'} and its clang, release build", f"transparent huge pages: {pages}",
    ]


def number(value, digits=2):
    return "" if value is None else f"{value:.{digits}f}"


def markdown(rows):
    versions = sorted({row["library"] for row in rows if row["format"] != "bmp"})
    lines = [
        "# Decoding against the plain C libraries",
        "",
        "Written by `make bench`. Ratio: CPU time of plain use of the library divided by ours; above 1 ours is faster."
        f" Median of {rows[0]['iterations']} rounds, one thread on one core, alternating in one process after one"
        " warm-up round; spread is the lowest and the highest round. Pixels are compared first: a row whose pixels"
        " differ has no verdict. The library decodes into memory of `malloc` and frees it, ours into its default"
        " allocation (the pixel pool, huge pages). A target is met from 5 % below it.",
        "",
        "- " + "; ".join(system()),
        "- " + ", ".join(versions) + " (" + ", ".join(f"{f.upper()}: {BASELINES[f]}" for f in ORDER) + ")",
        "- images: `Benchmarks/inputs.py`",
        "",
        "![ratios as a bar chart](decode.svg)",
        "",
        "| image | kind | size | frames | ours, ns per pixel | library | ratio | spread | target | |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        baseline = row["twin"]["cpuNanosecondsPerPixel"]["median"] if row["twin"] else None
        lines.append(
            f"| {name_of(row)} | {row['kind']} | {row['width']}x{row['height']} | {row['frames']} |"
            f" {number(row['cpuNanosecondsPerPixel']['median'])} | {number(baseline)} | **{number(row['ratio'])}** |"
            f" {number(row['leastRatio'])}-{number(row['greatestRatio'])} | {number(row['bar'])} |"
            f" {row['verdict'] or ''} |")
    lines += [
        "",
        "## Other decoders",
        "",
        "Ratios to the same plain libraries, measured earlier on the same kind of machine with other images of the same"
        " kinds,",
        "not in this run.",
        "",
        "| image | ours, this run | Wuffs 0.4 | zune |",
        "|---|---|---|---|",
    ]
    for row in rows:
        earlier = EARLIER.get(name_of(row))
        if earlier:
            zune = next((value for key, value in earlier.items() if key.startswith("zune")), None)
            wuffs = earlier.get("Wuffs 0.4")
            lines.append(f"| {name_of(row)} | {number(row['ratio'])} | {number(wuffs)} | {number(zune)} |")
    if os.path.exists(os.path.join(sys.argv[2], "peers.md")):
        lines += ["", "Pillow, pyvips, OpenCV and imagecodecs, in one run with ours: [peers.md](peers.md)."]
    return "\n".join(lines) + "\n"


# ------------------------------------------------------------------ chart

STYLE = """
  text { font: 13px system-ui, "DejaVu Sans", sans-serif; fill: #24292f; }
  .title { font-size: 17px; font-weight: 600; } .small { font-size: 11.5px; fill: #57606a; }
  .value { font-weight: 600; } .page { fill: #ffffff; } .grid { stroke: #d0d7de; } .one { stroke: #57606a; }
  .met { fill: #2f81c7; } .missed { fill: #cf222e; } .none { fill: #8c959f; }
  .bar { stroke: #24292f; stroke-width: 2.5; } .earlier { fill: #ffffff; stroke: #9a6700; stroke-width: 2; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; } .small { fill: #9198a1; } .page { fill: #0d1117; } .grid { stroke: #30363d; }
    .one { stroke: #9198a1; } .met { fill: #4493f8; } .missed { fill: #f85149; } .none { fill: #6e7681; }
    .bar { stroke: #f0f6fc; } .earlier { fill: #0d1117; stroke: #d29922; }
  }
"""


def svg(rows):
    left, top, step, thick, width = 250, 92, 24, 15, 960
    max_ratio = max([row["ratio"] for row in rows] + [row["bar"] or 0 for row in rows])
    scale = (width - left - 80) / max_ratio
    height = top + step * len(rows) + 46

    def x(ratio):
        return f"{left + ratio * scale:.1f}"

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        ' role="img">',
        "<title>CPU time of the plain C library by ours</title>",
        f"<style>{STYLE}</style>",
        f'<rect class="page" width="{width}" height="{height}" rx="8"/>',
        '<text class="title" x="20" y="30">Decoding: times as fast as the plain C library</text>',
        f'<text class="small" x="20" y="50">CPU time, one thread, medians of {rows[0]["iterations"]} rounds in turn;'
        f' {system()[0]}</text>',
        '<line class="bar" x1="24" y1="60" x2="24" y2="74"/><text class="small" x="34" y="71">at least</text>',
        '<path class="earlier" d="M110 62 l5 5 l-5 5 l-5 -5 z"/>',
        '<text class="small" x="122" y="71">Wuffs 0.4, measured earlier on the same kind of machine</text>',
    ]
    bottom = top + step * len(rows)
    for tick in range(0, int(max_ratio) + 1):
        kind = "one" if tick == 1 else "grid"
        out.append(f'<line class="{kind}" x1="{x(tick)}" y1="{top - 4}" x2="{x(tick)}" y2="{bottom}"/>')
        out.append(f'<text class="small" x="{x(tick)}" y="{bottom + 16}" text-anchor="middle">{tick}</text>')
    for index, row in enumerate(rows):
        y = top + index * step
        middle = y + thick / 2
        kind = {"MET": "met", None: "none"}.get(row["verdict"], "missed")
        out.append(f'<text x="{left - 10}" y="{middle + 4.5}" text-anchor="end">{name_of(row)}</text>')
        length = f"{row['ratio'] * scale:.1f}"
        out.append(f'<rect class="{kind}" x="{left}" y="{y}" width="{length}" height="{thick}" rx="2"/>')
        ends = [row["ratio"], row["bar"] or 0]
        if row["bar"] is not None:
            at = x(row["bar"])
            out.append(f'<line class="bar" x1="{at}" y1="{y - 3}" x2="{at}" y2="{y + thick + 3}"/>')
        earlier = EARLIER.get(name_of(row), {}).get("Wuffs 0.4")
        if earlier:
            ends.append(earlier)
            out.append(f'<path class="earlier" d="M{x(earlier)} {middle - 5} l5 5 l-5 5 l-5 -5 z"/>')
        out.append(
            f'<text class="value" x="{left + max(ends) * scale + 9:.1f}" y="{middle + 4.5}">'
            f'{number(row["ratio"])}</text>')
    out.append("</svg>")
    return "\n".join(out) + "\n"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        rows = [row for row in json.load(file) if row["ratio"] is not None]
    if not rows:
        sys.exit("report: nothing was measured against a library")
    rows.sort(key=lambda row: ORDER.index(row["format"]))
    os.makedirs(sys.argv[2], exist_ok=True)
    for name, text in (("decode.md", markdown(rows)), ("decode.svg", svg(rows))):
        with open(os.path.join(sys.argv[2], name), "w", encoding="utf-8") as file:
            file.write(text)
    print(f"report: wrote decode.md and decode.svg to {os.path.relpath(sys.argv[2])}")


if __name__ == "__main__":
    main()
