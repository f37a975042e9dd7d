"""Images, expected results and processes for the tests.

PLATFORMIMAGE_IMAGETOOL names the tool. Expected thumbnails are those of the command `imagetool thumb`.
"""

from __future__ import annotations

import functools
import os
import pathlib
import shutil
import subprocess
import sys
from typing import Callable

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
