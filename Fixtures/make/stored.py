#!/usr/bin/env python3
"""Generates Fixtures/stored with a given imagetool: data on disk as one version of this project writes it.

    python3 Fixtures/make/stored.py PATH_OF_IMAGETOOL COMMIT

Later versions must still read these files, so they are generated once, with the code of the named commit, and not by
make.py: an entry of the disk cache contains the time of its response, and the key of the partitions is random.
`make.py --check` compares the files with stored/files.json, which this script writes.
"""

import hashlib
import http.server
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import zlib

FIXTURES = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = os.path.join(FIXTURES, "stored")
LISTED = "files.json"
# The address is part of the keys.
PORT = 47381
# Nanoseconds since 1970: the modified date of every input of the thumbnail runs, part of the manifest's lines.
MODIFIED = 1_700_000_000_123_456_789
LIFETIME = "max-age=31536000"

# Options of `imagetool thumb`, one run each; the input of run N is NN.png.
RUNS = [
    ["-s", "8"],
    ["-s", "8x6^", "--gravity", "north", "--filter", "box"],
    ["-s", "x9!", "--linear", "--enlarge"],
    ["-s", "30x20>", "--crop", "9x7+1+2", "--filter", "triangle"],
    ["-s", "16", "--pad", "--background", "#10203040", "--gravity", "0.25,0.5"],
    ["-s", "8", "--format", "jpeg", "--quality", "71", "--accuracy", "exact"],
    ["-s", "8", "--format", "png", "--max-bytes", "5000", "--accuracy", "fast", "--filter", "mitchell"],
    ["-s", "8", "--frame", "0", "--no-rotate", "--accuracy", "draft", "--filter", "nearest"],
    ["-s", "8", "--frame", "all", "--embedded", "--fit", "cover"],
]


def png(width, height):
    """A slope of colours, as a PNG of RGB with 8 bits."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + bytes((x * 9, y * 11, (x + y) * 5)[c] for x in range(width) for c in range(3))
                    for y in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")


PICTURE = png(12, 10)


class Origin(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        status, fields, body = 200, [("Cache-Control", LIFETIME), ("ETag", '"1"')], PICTURE
        if self.path == "/vary.png":
            fields.append(("Vary", "Accept-Language"))
            body = png(12, 10 if self.headers.get("Accept-Language") == "de" else 11)
        elif self.path == "/moved.png":
            status, fields, body = 301, [("Cache-Control", LIFETIME), ("Location", "/plain.png")], b""
        elif self.path == "/missing.png":
            status, fields, body = 404, [("Cache-Control", LIFETIME)], b""
        elif self.path == "/failing.png":
            status, fields, body = 503, [], b""
        self.send_response_only(status)
        if body:
            self.send_header("Content-Type", "image/png")
        self.send_header("Content-Length", str(len(body)))
        for name, value in fields:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


# One load after the other: path and fields. 503 twice, so that errors in a row are counted.
LOADS = [
    ("/plain.png", []),
    ("/vary.png", [["Accept-Language", "de"]]),
    ("/vary.png", [["Accept-Language", "fr"]]),
    ("/private.png", [["Authorization", "Bearer stored-token"]]),
    ("/moved.png", []),
    ("/missing.png", []),
    ("/failing.png", []),
    ("/failing.png", []),
]


def make_cache(tool, folder):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Origin)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        process = subprocess.Popen([tool, "pipe"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        config = {"defaultCacheControlMaxAgeForErrors": 31536000, "maxAttemptsForErrors": 2}
        lines = [{"op": "open", "loader": "a", "directory": folder, "config": config}]
        for path, fields in LOADS:
            url = f"http://127.0.0.1:{PORT}{path}"
            lines.append({"op": "load", "loader": "a", "url": url, "headers": fields})
        lines.append({"op": "flush", "loader": "a"})
        for number, line in enumerate(lines):
            process.stdin.write(json.dumps({"id": number} | line) + "\n")
            process.stdin.flush()
            answer = json.loads(process.stdout.readline())
            assert answer["id"] == number and "unsupported" not in answer, answer
        process.stdin.close()
        assert process.wait() == 0
    finally:
        server.shutdown()
        server.server_close()
    # The folder of `data`, empty, and the lock of the sweep say nothing.
    shutil.rmtree(os.path.join(folder, "data"), ignore_errors=True)
    if os.path.exists(os.path.join(folder, "sweep.lock")):
        os.remove(os.path.join(folder, "sweep.lock"))


def make_thumbs(tool, folder):
    for number, options in enumerate(RUNS):
        name = f"{number:02}.png"
        path = os.path.join(folder, name)
        with open(path, "wb") as file:
            file.write(PICTURE)
        os.utime(path, ns=(MODIFIED, MODIFIED))
        subprocess.run(
            [tool, "thumb", name, "-o", "{name}-small.{ext}", "--manifest", "manifest.ndjson"] + options,
            cwd=folder, check=True)
    with open(os.path.join(folder, "runs.json"), "w", encoding="utf-8") as file:
        file.write("[\n" + ",\n".join(json.dumps(options) for options in RUNS) + "\n]\n")
    for name in os.listdir(folder):
        # All inputs are the same picture: one stays. A run looks whether an output is there, and not into it.
        if name.endswith((".png", ".jpg")):
            os.remove(os.path.join(folder, name))
    with open(os.path.join(folder, "input.png"), "wb") as file:
        file.write(PICTURE)


def files(folder):
    for parent, _, names in os.walk(folder):
        for name in names:
            yield os.path.relpath(os.path.join(parent, name), folder)


def listing(folder, commit):
    entries = []
    for path in sorted(files(folder)):
        if path in (LISTED, "README.md"):
            continue
        data = open(os.path.join(folder, path), "rb").read()
        entries.append({"path": path, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()})
    head = {"commit": commit, "source": "made by Fixtures/make/stored.py", "licence": "CC0-1.0"}
    lines = ",\n".join(json.dumps(entry) for entry in entries)
    return json.dumps(head)[:-1] + ', "files": [\n' + lines + "\n]}\n"


def problems():
    """Files that are missing, differ, or are not listed, as lines for make.py --check."""
    with open(os.path.join(FOLDER, LISTED), encoding="utf-8") as file:
        listed = json.load(file)
    if listing(FOLDER, listed["commit"]) != open(os.path.join(FOLDER, LISTED), encoding="utf-8").read():
        return [f"stored/{LISTED}: does not match the files; made once, so restore them: git checkout Fixtures/stored"]
    return []


def main(words):
    if len(words) != 2:
        print(__doc__)
        return 64
    tool, commit = os.path.abspath(words[0]), words[1]
    with tempfile.TemporaryDirectory() as folder:
        cache, thumbs = os.path.join(folder, "cache"), os.path.join(folder, "thumb")
        os.mkdir(cache, 0o700)
        os.mkdir(thumbs)
        make_cache(tool, cache)
        make_thumbs(tool, thumbs)
        for part in ("cache", "thumb"):
            shutil.rmtree(os.path.join(FOLDER, part), ignore_errors=True)
            shutil.copytree(os.path.join(folder, part), os.path.join(FOLDER, part))
    with open(os.path.join(FOLDER, LISTED), "w", encoding="utf-8") as file:
        file.write(listing(FOLDER, commit))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
