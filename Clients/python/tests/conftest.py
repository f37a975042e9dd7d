"""Images, expected results and processes for the tests.

PLATFORMIMAGE_IMAGETOOL names the tool. Expected thumbnails are those of the command `imagetool thumb`.
"""

from __future__ import annotations

import functools
import http.server
import os
import pathlib
import shutil
import subprocess
import sys
import threading
from typing import Callable, Iterator

import pytest

FIXTURES = pathlib.Path(__file__).resolve().parents[3] / "Fixtures"
HOSTILE_TOOL = pathlib.Path(__file__).with_name("hostile_tool.py")


def tool() -> str:
    found = shutil.which(os.environ.get("PLATFORMIMAGE_IMAGETOOL", "imagetool"))
    if found is None:
        pytest.exit("imagetool is missing: PLATFORMIMAGE_IMAGETOOL names it", returncode=2)
    return found


@functools.cache
def expected(path: pathlib.Path, size: str, *options: str) -> bytes:
    """The output of `imagetool thumb` for a file."""
    command = [tool(), "thumb", str(path), "--size", size, "--output", "-", *options]
    return subprocess.run(command, check=True, capture_output=True, stdin=subprocess.DEVNULL).stdout


def images() -> list[pathlib.Path]:
    """Complete images of several formats."""
    names = ["mountains.jpg", "aurora-progressive.jpg", "chart.png", "logo.png", "orbit.gif", "dunes-16-bit.tif",
             "city-lights-turned.jpg", "window.png"]
    return [FIXTURES / "demo" / name for name in names]


def bmp(width: int, height: int) -> tuple[bytes, bytes]:
    """An uncompressed BMP, and its pixels as RGBA. The width is a multiple of 4."""
    colors = [(x % 251, x // 251 % 251, x % 7) for x in range(width)]
    row = b"".join(bytes((blue, green, red)) for red, green, blue in colors)
    size = len(row) * height
    header = (
        b"BM" + (54 + size).to_bytes(4, "little") + bytes(4) + (54).to_bytes(4, "little")
        + (40).to_bytes(4, "little") + width.to_bytes(4, "little") + height.to_bytes(4, "little")
        + (1).to_bytes(2, "little") + (24).to_bytes(2, "little") + bytes(24))
    return header + row * height, b"".join(bytes((*color, 255)) for color in colors) * height


def with_exif(jpeg: bytes) -> bytes:
    """The JPEG with an APP1 segment of Exif: camera, date, texts and a position."""
    def directory(offset: int, fields: list[tuple[int, int, int, bytes]]) -> bytes:
        """An image file directory (IFD) at the offset: tag, type, count and value of each field."""
        entries, values = b"", b""
        start = offset + 2 + 12 * len(fields) + 4
        for tag, kind, count, value in fields:
            if len(value) > 4:
                position = start + len(values)
                values += value + bytes(len(value) % 2)
                value = position.to_bytes(4, "little")
            entries += (tag.to_bytes(2, "little") + kind.to_bytes(2, "little") + count.to_bytes(4, "little")
                        + value.ljust(4, b"\0"))
        return len(fields).to_bytes(2, "little") + entries + bytes(4) + values

    def text(tag: int, value: bytes) -> tuple[int, int, int, bytes]:
        return tag, 2, len(value) + 1, value + b"\0"

    def first(exif_offset: int, gps_offset: int) -> bytes:
        return directory(8, [
            text(0x010F, b"Maker"), text(0x0110, b"Model 1"), text(0x0131, b"Program"), text(0x013B, b"Artist"),
            text(0x8298, b"Owner"), (0x8769, 4, 1, exif_offset.to_bytes(4, "little")),
            (0x8825, 4, 1, gps_offset.to_bytes(4, "little"))])

    exif_offset = 8 + len(first(0, 0))
    exif = directory(exif_offset, [text(0x9003, b"2021:05:31 12:00:00")])
    gps_offset = exif_offset + len(exif)
    position = b"".join(number.to_bytes(4, "little") for number in (48, 1, 0, 1, 0, 1))
    gps = directory(gps_offset, [text(1, b"N"), (2, 5, 3, position), text(3, b"E"), (4, 5, 3, position)])
    segment = b"Exif\0\0II*\0" + (8).to_bytes(4, "little") + first(exif_offset, gps_offset) + exif + gps
    return jpeg[:2] + b"\xff\xe1" + (len(segment) + 2).to_bytes(2, "big") + segment + jpeg[2:]


def children(pid: int) -> list[int]:
    """Process ids of the direct children."""
    found: list[int] = []
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        found += map(int, (task / "children").read_text().split())
    return found


def descriptors() -> list[str]:
    """The open descriptors of this process, without the one that lists them."""
    folder = "/proc/self/fd"
    found = []
    for name in os.listdir(folder):
        try:
            found.append(f"{name} {os.readlink(f'{folder}/{name}')}")
        except FileNotFoundError:
            pass
    return sorted(found)


@pytest.fixture
def hostile(tmp_path: pathlib.Path) -> Callable[[str], str]:
    """Creates a program that behaves as the selected mode of hostile_tool.py."""
    def create(mode: str) -> str:
        program = tmp_path / f"imagetool-{mode}"
        state = tmp_path / f"starts-{mode}"
        program.write_text(
            f"#!{sys.executable} -IS\nimport runpy, sys\nsys.argv[1:] = [{mode!r}, {str(state)!r}]\n"
            f"runpy.run_path({str(HOSTILE_TOOL)!r}, run_name='__main__')\n")
        program.chmod(0o755)
        return str(program)
    return create


@pytest.fixture
def starts(tmp_path: pathlib.Path) -> Callable[[str], int]:
    """The number of processes that a program of `hostile` started."""
    return lambda mode: len((tmp_path / f"starts-{mode}").read_text())


@pytest.fixture
def server(tmp_path: pathlib.Path) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """An HTTP server of the folder of the test: `host:port`, and the header fields of the requests it received."""
    received: list[dict[str, str]] = []

    class Handler(http.server.SimpleHTTPRequestHandler):
        def do_GET(self) -> None:
            received.append(dict(self.headers.items()))
            super().do_GET()

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    listener = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Handler, directory=str(tmp_path)))
    thread = threading.Thread(target=listener.serve_forever, args=(0.01,))
    thread.start()
    yield f"127.0.0.1:{listener.server_port}", received
    listener.shutdown()
    thread.join()
    listener.server_close()
