#!/usr/bin/env python3
"""Runs a decoder over every fixture and compares with manifest.json.

  verify.py --cmd "COMMAND {file}" [--only TEXT] [--frame-cmd "COMMAND {n} {file}"]

The command writes frame 0, as stored, as one PAM of depth 4 to stdout and exits with 0; or refuses with
another code. What `imagetool decode --as-stored` and the `replay` tool of Fuzz/ tell on stderr about
damage and reasons is compared too. Examples, from the top of the repository:

  verify.py --cmd 'imagetool decode {file} --as-stored' --frame-cmd 'imagetool decode {file} --as-stored --frame {n}' \\
            --page-cmd 'imagetool decode {file} --as-stored --frame {n}' --display-cmd 'imagetool decode {file}'
  verify.py --cmd 'replay {file}' --frame-cmd 'replay -f {n} {file}' --page-cmd 'replay -p {n} {file}' \\
            --scale-cmd 'replay -d {n} {file}'     (knows no BMP)"""

import argparse
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys

FIXTURES = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CODES = {1: "unknownFormat", 2: "malformed", 3: "truncated", 4: "unsupported", 5: "limitExceeded"}


def run(command, path, **fields):
    words = [w.format(file=path, **fields) for w in shlex.split(command)]
    return subprocess.run(words, capture_output=True, timeout=20)


def pam(data):
    head, found, body = data.partition(b"ENDHDR\n")
    fields = dict(line.split(None, 1) for line in head.splitlines()[1:] if b" " in line)
    if not found or fields.get(b"DEPTH") != b"4":
        return None
    pixels = bytearray(body)
    alpha = pixels[3::4]
    if 0 in alpha:
        for channel in range(3):
            pixels[channel::4] = bytes(v if a else 0 for v, a in zip(pixels[channel::4], alpha))
    return int(fields[b"WIDTH"]), int(fields[b"HEIGHT"]), bytes(pixels)


def compare_pixels(expect, pixels):
    if hashlib.sha256(pixels).hexdigest() == expect["pixels"]:
        return None
    if "reference" not in expect:
        return "other pixels"
    reference = open(os.path.join(FIXTURES, expect["reference"]), "rb").read()
    if len(reference) != len(pixels):
        return f"{len(pixels)} bytes of pixels, not {len(reference)}"
    worst = max(abs(a - b) for a, b in zip(reference, pixels))
    return f"differs by {worst}" if worst > expect["maxDifference"] else None


def refusal(text):
    """(code, token, message) of a refused file, from either tool; None when stderr does not say."""
    match = re.search(r": status (\d+) (\w*): (.*)", text)
    if match:
        return CODES.get(int(match[1]), match[1]), match[2], match[3]
    match = re.search(r"\b(%s)(?:\((\w+)\))?: (.*)" % "|".join(CODES.values()), text)
    return (match[1], match[2] or "", match[3]) if match else None


def same_token(a, b):
    """`max_side` in C is `maxSide` in Swift."""
    return a.replace("_", "").lower() == b.replace("_", "").lower()


def judge_view(name, expect, command, path, **fields):
    """Another view of the file: a page, a frame, smaller, upright in sRGB."""
    done = run(command, path, **fields)
    got = pam(done.stdout)
    if done.returncode or got is None:
        yield f"{name}: refused ({done.stderr.decode(errors='replace').strip()})"
    elif "width" in expect and got[:2] != (expect["width"], expect["height"]):
        yield f"{name}: size {got[:2]}, should be {expect['width']} x {expect['height']}"
    else:
        difference = compare_pixels(expect, got[2])
        if difference:
            yield f"{name}: {difference}"


def judge(entry, options):
    path = os.path.join(FIXTURES, entry["path"])
    done = run(options.cmd, path)
    text = done.stderr.decode(errors="replace")
    if done.returncode < 0 or done.returncode >= 128 or "Sanitizer" in text or "runtime error" in text:
        yield f"crash ({done.returncode}) {text[-300:]}"
        return
    expect = entry["expect"]
    refused = refusal(text) if done.returncode else None
    if refused and "no codec for format" in refused[2]:
        if entry["format"] != "bmp" and expect.get("error") not in ("unknownFormat", "unsupported"):
            yield "no codec"
        return  # the command knows the other formats only
    if "error" in expect:
        if done.returncode == 0:
            yield f"accepted, should be {expect['error']} ({text.strip().split(': ', 1)[-1]})"
        elif refused and (
            refused[0] != expect["error"] or not same_token(expect.get("token", refused[1]), refused[1])
        ):
            yield f"{refused[0]} {refused[1]} ({refused[2]}), should be {expect['error']} {expect.get('token', '')}"
        return
    if done.returncode:
        yield f"refused ({text.strip().split(': ', 1)[-1]}), should decode"
        return
    got = pam(done.stdout)
    if got is None or got[:2] != (entry["width"], entry["height"]):
        yield f"size {got and got[:2]}, should be {entry['width']} x {entry['height']}"
        return
    difference = compare_pixels(expect, got[2])
    if difference:
        yield difference
    facts = re.search(r"frames (\d+) .*?alpha (\d)(.*)", text)
    told = facts[3] if facts else text
    status = (
        "truncated"
        if re.search(r"\btruncated\(", told)
        else "corrupt" if re.search(r"\bcorrupt\b", told) else "complete"
    )
    if status != entry["status"]:
        yield f"status {status}, should be {entry['status']} ({told.strip()})"
    rows = re.search(r"\btruncated\((?:rows:? )?(\d+)\)", told)
    if rows and entry["status"] == "truncated" and entry["rows"] is not None and int(rows[1]) != entry["rows"]:
        yield f"{rows[1]} rows, should be {entry['rows']}"
    if facts:
        if bool(int(facts[2])) != entry["hasAlpha"]:
            yield f"alpha {facts[2]}, should be {entry['hasAlpha']}"
        if int(facts[1]) != entry["frames"]:
            yield f"{facts[1]} frames, should be {entry['frames']}"
    if options.frame_cmd and "animation" in entry:
        for n, frame in enumerate(entry["animation"]["frames"]):
            yield from judge_view(f"frame {n}", frame, options.frame_cmd, path, n=n)
            told = run(options.frame_cmd, path, n=n).stderr.decode(errors="replace")
            delays = re.findall(r"delay (\d+)/(\d+)", told)
            if delays and [int(v) for v in delays[-1]] != frame["delay"]:
                yield f"frame {n}: delay {delays[-1]}, should be {frame['delay']}"
    if options.page_cmd:
        for n, page in enumerate(entry.get("pages", [])):
            yield from judge_view(f"page {n}", page, options.page_cmd, path, n=n)
    if options.scale_cmd:
        for view in entry.get("scaled", []):
            yield from judge_view(
                f"scale 1/{view['denominator']}", view, options.scale_cmd, path, n=view["denominator"]
            )
    if options.display_cmd and "display" in entry:
        yield from judge_view("display", entry["display"], options.display_cmd, path)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--cmd", required=True)
    for name, what in (
        ("frame", "composed frame {n}"),
        ("page", "TIFF page {n}"),
        ("scale", "a JPEG at 1/{n}"),
        ("display", "upright and in sRGB"),
    ):
        options.add_argument(f"--{name}-cmd", help=f"shows {what}")
    options.add_argument("--only", default="")
    options = options.parse_args()
    entries = json.load(open(os.path.join(FIXTURES, "manifest.json"), encoding="utf-8"))
    entries = [e for e in entries if options.only in e["path"]]
    bad = 0
    for entry in entries:
        problems = list(judge(entry, options))
        bad += bool(problems)
        for problem in problems:
            print(f"{entry['path']}: {problem}")
    print(f"{len(entries) - bad} of {len(entries)} fixtures as expected")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
