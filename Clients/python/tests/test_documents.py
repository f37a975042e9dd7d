"""The code of README.md, and the requests against the schema of the worker."""

from __future__ import annotations

import json
import math
import pathlib
import re
import shutil

import pytest
from conftest import images

import platformimage
from platformimage import Request, Url
from platformimage.requests import encode

ROOT = pathlib.Path(__file__).resolve().parents[3]
README = pathlib.Path(__file__).resolve().parents[1] / "README.md"
BLOCKS = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)


@pytest.mark.parametrize("code", BLOCKS)
def test_code_of_the_readme_runs(
        code: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch,
        server: tuple[str, list[dict[str, str]]]) -> None:
    for package in ("numpy", "pyarrow"):
        if package in code or package == "numpy" and ".decode(" in code:
            pytest.importorskip(package)
    (tmp_path / "photos").mkdir()
    shutil.copy(images()[0], tmp_path / "photo.jpg")
    for path in images():
        shutil.copy(path, tmp_path / "photos" / path.name)
    monkeypatch.chdir(tmp_path)
    code = code.replace("127.0.0.1:8000", server[0])
    exec(compile(code, str(README), "exec"), {"__name__": "readme"})


def test_text_of_an_error_in_the_readme_has_its_code_once(
        tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    code = next(block for block in BLOCKS if "missing.jpg" in block and "except ImageError" in block)
    exec(compile(code, str(README), "exec"), {"__name__": "readme"})
    line = capsys.readouterr().out.splitlines()[0]
    assert line == "missing.jpg: noInput: No such file or directory" and f"# {line}" in code


def test_version_of_the_readme_is_that_of_the_package() -> None:
    assert f" {platformimage.__version__} " in README.read_text()


def test_requests_match_the_schema() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((ROOT / "Docs/worker.schema.json").read_text())
    requests = [
        Request.thumbnail(b"image", 64), Request.thumbnail("a.jpg", (300, None), output="b.jpg", timeout=0.0001),
        Request.thumbnail("ä.jpg", "300x200^", format="webp", webp_lossless=True, webp_effort="small", frame="all"),
        Request.thumbnail(Url("https://a.example/a.jpg"), (None, 20), no_rotate=True, quality=80, max_bytes=1000),
        Request.decode(b"", as_stored=True, premultiplied=True, frame=2, max_pixels=10, strict=False),
        Request.decode("a.jpg", format="png", output="b.png", timeout=math.inf), Request.info("a.jpg", timeout=86400)]
    for request in requests:
        members = json.loads(b'{"id":1,%b}' % encode(request, 120, None).members)
        jsonschema.validate(members, {**schema, "oneOf": [{"$ref": "#/$defs/request"}]})


@pytest.mark.parametrize("timeout", [0, -1, math.nan, 86401])
def test_time_limits_outside_the_range_are_refused(timeout: float) -> None:
    with pytest.raises(ValueError, match="timeout"):
        encode(Request.info("a.jpg", timeout=timeout), 120, None)
