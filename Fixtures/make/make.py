#!/usr/bin/env python3
"""Makes every fixture and manifest.json again, byte for byte; --check compares instead of writing."""

import hashlib
import importlib
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import stored
from stored import FIXTURES

MAKERS = [
    "png", "apng", "jpeg", "gif", "tiff", "tiff_packed", "tiff_damage", "bmp", "bad", "demo", "resize", "operations",
    "damage", "webp", "webp_damage", "demo_webp"]
HAND_WRITTEN = {"README.md", "regressions/README.md"}
# Made by stored.py with an earlier version of the tool, and listed by itself.
KEPT = {"make", "stored"}


def found():
    for folder, names, files in os.walk(FIXTURES):
        names[:] = [n for n in names if not (folder == FIXTURES and n in KEPT)]
        for name in files:
            path = os.path.relpath(os.path.join(folder, name), FIXTURES)
            if path not in HAND_WRITTEN:
                yield path


def check_manifest():
    """What can be checked with nothing but Python: every file listed, every hash right, every licence named."""
    with open(os.path.join(FIXTURES, "manifest.json"), encoding="utf-8") as file:
        entries = json.load(file)
    problems, listed = [], {"manifest.json"}
    paths = [e["path"] for e in entries]
    if paths != sorted(set(paths)):
        problems.append("manifest.json: not sorted, or a path twice")
    for entry in entries:
        listed.add(entry["path"])
        for part in (
            [entry.get("expect", {}), entry.get("display", {})]
            + entry.get("scaled", [])
            + entry.get("pages", [])
            + entry.get("resized", [])
            + entry.get("operations", [])
        ):
            if "reference" in part:
                listed.add(part["reference"])
                path = os.path.join(FIXTURES, part["reference"])
                if not os.path.exists(path) or hashlib.sha256(open(path, "rb").read()).hexdigest() != part["pixels"]:
                    problems.append(f"{part['reference']}: missing, or not the pixels named in the manifest")
        for field in ("licence", "source", "note", "oracle", "expect"):
            if not entry.get(field):
                problems.append(f"{entry['path']}: no {field}")
        path = os.path.join(FIXTURES, entry["path"])
        if not os.path.exists(path):
            problems.append(f"{entry['path']}: missing")
            continue
        data = open(path, "rb").read()
        if len(data) != entry["bytes"] or hashlib.sha256(data).hexdigest() != entry["sha256"]:
            problems.append(f"{entry['path']}: bytes differ from the manifest")
    problems += stored.problems()
    problems += [f"{path}: not listed" for path in sorted(set(found()) - listed)]
    total = sum(os.path.getsize(os.path.join(FIXTURES, p)) for p in found())
    if total > 5_000_000:
        problems.append(f"the folder has {total} bytes, more than 5 MB")
    print("\n".join(problems) or f"{len(entries)} fixtures, {total} bytes: all in order")
    return not problems


def build(names):
    # Needs other decoders, which --check does without.
    from suite import Suite

    suite = Suite()
    for name in names:
        importlib.import_module(name).make(suite)
    suite.put("manifest.json", suite.manifest())
    return suite


def main(words):
    if words == ["--check"]:
        return 0 if check_manifest() else 1
    if words and words != ["--compare"]:
        print(
            "make.py [--check | --compare]\n  nothing: write all fixtures and manifest.json\n"
            "  --check: manifest against files, needs only Python\n  --compare: make again in memory and compare"
        )
        return 64
    suite = build(MAKERS)
    old = {p: open(os.path.join(FIXTURES, p), "rb").read() for p in found()}
    changed = sorted(p for p in set(old) | set(suite.files) if old.get(p) != suite.files.get(p))
    if words == ["--compare"]:
        print("\n".join(changed) or f"{len(suite.files)} files, all byte for byte the same")
        return 1 if changed else 0
    for path in changed:
        full = os.path.join(FIXTURES, path)
        if path not in suite.files:
            os.remove(full)
            continue
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "wb") as file:
            file.write(suite.files[path])
    print(f"{len(suite.entries)} fixtures, {len(changed)} files changed")
    return 0 if check_manifest() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
