"""Results of the real tool through the blocking interface."""

from __future__ import annotations

import asyncio
import json
import os
import pathlib
import pickle
import re
import signal
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from conftest import FIXTURES, bmp, descriptors, expected, images, tool, with_exif

from platformimage import (
    AsyncWorker, DamagedImage, DamagedImageWarning, ImageError, ImageInfo, InputError, InvalidRequest, LimitExceeded,
    Page, Request, Result, Worker, WorkerClosed)

SIZES = ["64", "50x40^", "x30", "40x40!"]


@pytest.mark.parametrize("isolation", [True, False])
def test_thumbnails_are_those_of_the_command(isolation: bool) -> None:
    with Worker(jobs=2, isolation=isolation) as worker:
        for path in images():
            for size in SIZES:
                assert worker.thumbnail(path, size) == expected(path, size)
                assert worker.thumbnail(path.read_bytes(), size) == expected(path, size)


def test_options_and_formats_are_those_of_the_command() -> None:
    path = images()[0]
    with Worker(jobs=1) as worker:
        assert worker.thumbnail(path, 64, format="webp", webp_lossless=True, quality=50) == expected(
            path, "64", "--format", "webp", "--webp-lossless", "--quality", "50")
        assert worker.thumbnail(path, (30, 30), fit="cover", gravity="north", no_rotate=True) == expected(
            path, "30x30", "--fit", "cover", "--gravity", "north", "--no-rotate")
        assert worker.thumbnail(path, (None, 20), format="png", linear=False) == expected(
            path, "x20", "--format", "png")


def test_output_is_written_and_described(tmp_path: pathlib.Path) -> None:
    path, output = images()[0], tmp_path / "folder/thumbnail.jpg"
    with Worker(jobs=1) as worker:
        result = worker.thumbnail(path, 64, output=output)

    assert output.read_bytes() == expected(path, "64")
    assert (result.status, result.output, result.byte_count, result.data) == (
        "complete", str(output), output.stat().st_size, None)


@pytest.mark.parametrize(("name", "format"), [
    ("a.webp", "webp"), ("a.PNG", "png"), ("a.jpg", "jpeg"), ("a.JPEG", "jpeg"), ("a.jpe", "jpeg"),
    ("a.jfif", "jpeg"), ("a.gif", "gif"), ("a.jpg.webp", "webp"), (".webp", "webp"), ("webp", "auto"),
    ("a.bmp", "auto"), ("a.", "auto"), ("folder.webp/a", "auto")])
def test_extension_of_the_output_selects_the_format(name: str, format: str, tmp_path: pathlib.Path) -> None:
    path, output = images()[2], tmp_path / name  # a PNG, for which `auto` is png
    wanted = expected(path, "64", "--format", format)
    with Worker(jobs=1) as worker:
        assert worker.thumbnail(path, 64, output=output).format == ("png" if format == "auto" else format)
        assert output.read_bytes() == wanted
        output.unlink()
        assert worker.run(Request("thumb", path, "64", output=str(output))).code is None
        assert output.read_bytes() == wanted


@pytest.mark.parametrize("format", ["auto", "png", "jpeg", "jpg"])
def test_explicit_format_has_precedence_over_the_extension(format: Any, tmp_path: pathlib.Path) -> None:
    path, output = images()[2], tmp_path / "a.webp"
    with Worker(jobs=1) as worker:
        worker.thumbnail(path, 64, output=output, format=format)
    assert output.read_bytes() == expected(path, "64", "--format", "jpeg" if format == "jpg" else format)


def test_extension_selects_the_format_in_asyncio(tmp_path: pathlib.Path) -> None:
    async def main() -> None:
        async with AsyncWorker(jobs=1) as worker:
            assert (await worker.thumbnail(images()[0], 64, output=tmp_path / "a.webp")).format == "webp"

    asyncio.run(main())


def test_format_jpg_is_jpeg() -> None:
    with Worker(jobs=1) as worker:
        assert worker.thumbnail(images()[2], 64, format="jpg") == expected(images()[2], "64", "--format", "jpeg")
        assert worker.run(Request("thumb", images()[2], "64", "jpg")).format == "jpeg"


def test_other_formats_are_errors_of_the_type_checker() -> None:
    # With a wider type, mypy --strict reports the comments that ignore errors as unused.
    requests = [
        Request.thumbnail(images()[0], 64, format="bmp"),  # type: ignore[arg-type]
        Request.decode(images()[0], format="jpeg")]  # type: ignore[arg-type]
    with Worker(jobs=1) as worker:
        assert [result.code for result in worker.map(requests)] == ["invalidRequest"] * 2


def test_info_has_the_facts_of_the_header() -> None:
    with Worker(jobs=1) as worker:
        info = worker.info(FIXTURES / "demo/city-lights-turned.jpg")
        assert worker.info((FIXTURES / "demo/city-lights-turned.jpg").read_bytes()) == info

    assert info.format == "jpeg" and info.orientation > 1 and info.color_model
    assert (info.width, info.height) == (info.display_height, info.display_width)


def test_info_has_all_facts_of_the_command(tmp_path: pathlib.Path) -> None:
    document = (FIXTURES.parent / "Docs/worker.md").read_text()
    listed = re.search(r"`info` adds the facts .*? except `file` and `bytes`:(.*?)\. `pages`", document, re.DOTALL)
    assert listed is not None
    names = {"format", "width", "height", *re.findall(r"`(\w+)`", listed[1])}
    camera = tmp_path / "camera.jpg"
    camera.write_bytes(with_exif(images()[0].read_bytes()))
    tiffs = [FIXTURES / "tiff" / name for name in ("page-reduced-first.tif", "sub-ifd.tif", "rgb8-le-tags.tif")]
    with Worker(jobs=1) as worker:
        for path in [*images(), *tiffs, camera]:
            command = [tool(), "info", "--json", str(path)]
            facts = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)[0]
            info = worker.info(path)
            assert info.facts == {name: facts[name] for name in names}
            for name in names - {"pages"}:
                assert getattr(info, re.sub("(?<=[a-z])(?=[A-Z])", "_", name).lower()) == facts[name]
        reduced, sub_ifd = worker.info(tiffs[0]), worker.info(tiffs[1])
        assert pickle.loads(pickle.dumps(reduced)) == reduced and hash(reduced) == hash(worker.info(tiffs[0]))

    assert reduced.pages == (Page(9, 7, False, False), Page(5, 11, True, False))
    assert sub_ifd.pages == (Page(9, 7, False, False), Page(5, 11, False, True))
    assert (info.make, info.model, info.date_time_original, info.software, info.artist, info.copyright) == (
        "Maker", "Model 1", "2021:05:31 12:00:00", "Program", "Artist", "Owner")
    assert info.has_gps is True and info.pages is None


def test_facts_that_a_tool_does_not_report_are_none() -> None:
    facts = {
        "format": "png", "width": 1, "height": 1, "displayWidth": 1, "displayHeight": 1, "orientation": 1,
        "bitsPerChannel": 8, "colorModel": "rgb", "hasAlpha": False}
    info = ImageInfo.from_result(Result("complete", facts=facts))
    assert (info.pages, info.make, info.date_time_original, info.has_gps) == (None, None, None, None)
    for name, value in (("pages", 1), ("pages", [{}]), ("make", 1), ("hasGPS", "no")):
        with pytest.raises(ValueError, match=name if name != "pages" else "pages|width"):
            ImageInfo.from_result(Result("complete", facts={**facts, name: value}))


def test_pixels_are_an_array_of_rgba() -> None:
    numpy = pytest.importorskip("numpy")
    source, pixels = bmp(64, 32)
    with Worker(jobs=1) as worker:
        array = worker.decode(source)

    assert array.shape == (32, 64, 4) and array.dtype == numpy.uint8 and array.flags.writeable
    assert array.tobytes() == pixels


def test_decode_without_numpy_names_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)
    with Worker(jobs=1) as worker:
        with pytest.raises(ImportError, match=r"platformimage\[numpy\]"):
            worker.decode(images()[0])
        assert len(worker.run(Request.decode(bmp(8, 8)[0])).data or b"") == 256
        assert worker.thumbnail(images()[0], 64) == expected(images()[0], "64")


@pytest.mark.parametrize(("source", "options", "kind", "code"), [
    (FIXTURES / "none.jpg", {}, InputError, "noInput"),
    (b"not an image", {}, ImageError, "unknownFormat"),
    (b"", {}, ImageError, None),
    (FIXTURES / "bad/jpeg-bomb-65500x65500.jpg", {}, ImageError, None),
    (FIXTURES / "demo/chart.png", {"max_bytes": 10, "format": "jpeg"}, LimitExceeded, "overMaxBytes"),
    (FIXTURES / "demo/chart.png", {"sharpen": 1}, InvalidRequest, "invalidRequest"),
    (FIXTURES / "demo/chart.png", {"quality": "high"}, InvalidRequest, "invalidRequest"),
    (FIXTURES / "demo/chart.png", {"format": "bmp"}, InvalidRequest, "invalidRequest"),
    ("/folder/\udcff.jpg", {}, InvalidRequest, "invalidRequest"),
    ("/" + "x" * 1_100_000, {}, InvalidRequest, "lineTooLong"),
    ("", {}, InvalidRequest, "invalidRequest"),
], ids=["missing", "text", "empty", "bomb", "too-large", "unknown-option", "wrong-value", "unknown-format", "not-utf8",
        "long-line", "no-path"])
def test_failures_are_typed(
        source: pathlib.Path | str | bytes, options: dict[str, object], kind: type[ImageError],
        code: str | None) -> None:
    with Worker(jobs=1) as worker:
        with pytest.raises(kind) as raised:
            worker.thumbnail(source, 64, **options)  # type: ignore[call-overload]
        assert raised.value.code == code or code is None
        assert worker.thumbnail(images()[0], 64) == expected(images()[0], "64")


def test_damage_is_never_silent() -> None:
    path = FIXTURES / "demo/mountains.jpg"
    cut = path.read_bytes()[:path.stat().st_size // 2]
    with Worker(jobs=1) as worker, Worker(jobs=1, on_damage="raise") as strict, Worker(
            jobs=1, on_damage="ignore") as lenient:
        result = worker.run(Request.thumbnail(cut, 64))
        with pytest.warns(DamagedImageWarning, match="truncated"):
            assert worker.thumbnail(cut, 64) == result.data
        with pytest.raises(DamagedImage) as raised:
            strict.thumbnail(cut, 64)
        assert lenient.thumbnail(cut, 64) == result.data

    assert (result.status, raised.value.code) == ("truncated", "truncated") and result.rows


def test_warnings_of_several_damaged_images_name_each_image(tmp_path: pathlib.Path) -> None:
    data = images()[0].read_bytes()
    paths = [tmp_path / name for name in ("a.jpg", "b.jpg")]
    sources: list[Any] = [*paths, data[:len(data) // 2], data[:len(data) // 2 + 1]]
    for path in paths:
        path.write_bytes(data[:len(data) // 2])
    with Worker(jobs=1) as worker, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for source in sources:
            worker.thumbnail(source, 64)
    texts = [str(warning.message) for warning in caught]
    assert len(texts) == 4 and {warning.filename for warning in caught} == {__file__}
    for text, name in zip(texts, [*map(str, paths), f"{len(data) // 2} bytes", f"{len(data) // 2 + 1} bytes"]):
        assert text.startswith(f"{name}: the image is truncated (")


def test_errors_name_their_source(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a\n.jpg").write_bytes(b"not an image")
    data = images()[0].read_bytes()[:10_000]
    cases: list[tuple[Any, str, str]] = [
        ("missing.jpg", "missing.jpg", "missing.jpg"),
        (tmp_path / "missing.jpg", f"{tmp_path}/missing.jpg", f"{tmp_path}/missing.jpg"),
        (tmp_path / "a\n.jpg", f"{tmp_path}/a\n.jpg", f"{tmp_path}/a\\n.jpg"),
        ("/\udcff.jpg", "/\udcff.jpg", "/\\udcff.jpg"),
        ("/" + "x" * 2_000_000, "/" + "x" * 2_000_000, "/" + "x" * 199 + "..." + "x" * 200),
        (b"not an image", "12 bytes", "12 bytes"), (data, "10000 bytes", "10000 bytes")]
    with Worker(jobs=1, on_damage="raise") as worker:
        for source, name, text in cases:
            with pytest.raises(ImageError) as raised:
                worker.thumbnail(source, 64)
            error = raised.value
            result = worker.run(Request.thumbnail(source, 64))
            assert error.source == result.source == name
            assert str(error) == f"{text}: {error.message}"
            assert error.args == (error.message, error.code)
            if result.status == "failed":
                assert result.error == error.message and str(result.exception) == str(error)
        assert list(worker.map([Request.info("none.jpg")]))[0].source == "none.jpg"


def test_damaged_image_has_its_result_and_keeps_its_file(tmp_path: pathlib.Path) -> None:
    cut, output = images()[0].read_bytes()[:10_000], tmp_path / "a.png"
    with Worker(jobs=1, on_damage="raise") as worker, Worker(jobs=1, on_damage="ignore") as lenient:
        with pytest.raises(DamagedImage) as raised:
            worker.thumbnail(cut, 64, output=output)
        assert output.read_bytes() == lenient.thumbnail(cut, 64, format="png")
    assert raised.value.result and raised.value.result.output == str(output)
    copy = pickle.loads(pickle.dumps(raised.value))
    assert (copy.result, copy.source, copy.code) == (raised.value.result, "10000 bytes", "truncated")


def test_root_confines_paths(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.jpg").write_bytes(images()[0].read_bytes())
    with Worker(jobs=1, root=tmp_path) as worker:
        assert worker.thumbnail("a.jpg", 64) == expected(images()[0], "64")
        with pytest.raises(InvalidRequest) as raised:
            worker.thumbnail(images()[0], 64)
    assert raised.value.code == "outsideRoot"


@pytest.mark.parametrize("name", ["inline", "-"])
def test_reserved_names_of_outputs_are_files_in_the_root(name: str, tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.jpg").write_bytes(images()[0].read_bytes())
    with Worker(jobs=1, root=tmp_path) as worker:
        outputs = [None, name, pathlib.Path(name), None]
        results = list(worker.map(Request.thumbnail("a.jpg", 64, output=output) for output in outputs))

    assert [result.code for result in results] == [None] * 4
    assert (tmp_path / name).read_bytes() == results[0].data == results[3].data == expected(images()[0], "64")


def test_long_invalid_size_fails_only_its_request(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.jpg").write_bytes(images()[0].read_bytes())
    with Worker(jobs=1, root=tmp_path) as worker:
        worker.info("a.jpg")
        pid = worker.pid
        sizes = ["64", "\x7f" * 200_000, "64"]
        results = list(worker.map(Request.thumbnail("a.jpg", size) for size in sizes))
        assert worker.pid == pid

    assert [result.code for result in results] == [None, "invalidRequest", None]


def test_relative_paths_follow_the_working_directory(
        tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.jpg").write_bytes(images()[0].read_bytes())
    with Worker(jobs=1) as worker:
        worker.info(images()[0])
        monkeypatch.chdir(tmp_path)
        assert worker.thumbnail("a.jpg", 64) == expected(images()[0], "64")


def test_a_thousand_requests_of_16_threads_get_their_own_results() -> None:
    cases = [(path, size) for path in images() for size in SIZES]
    rows = [cases[index * 7 % len(cases)] for index in range(1000)]
    with Worker(jobs=2) as worker, ThreadPoolExecutor(16) as threads:
        results = list(threads.map(
            lambda row: worker.thumbnail(row[1][0] if row[0] % 2 else row[1][0].read_bytes(), row[1][1]),
            enumerate(rows)))
    assert [result == expected(*row) for result, row in zip(results, rows)] == [True] * 1000


def test_map_keeps_the_order_and_reports_each_failure() -> None:
    paths = [path for path in images() for _ in range(5)]
    paths[7] = paths[23] = FIXTURES / "none.jpg"
    with Worker(jobs=2) as worker:
        in_order = list(worker.map(Request.thumbnail(path, 48) for path in paths))
        unordered = dict(worker.map_unordered(Request.thumbnail(path, 48) for path in paths))

    assert [index for index, result in enumerate(in_order) if result.code == "noInput"] == [7, 23]
    assert sorted(unordered) == list(range(len(paths)))
    for index, path in enumerate(paths):
        if index not in (7, 23):
            assert in_order[index].data == unordered[index].data == expected(path, "48")


def test_map_reads_its_requests_in_steps() -> None:
    taken = 0

    def requests() -> object:
        nonlocal taken
        for path in images() * 20:
            taken += 1
            yield Request.thumbnail(path, 48)

    with Worker(jobs=1, max_in_flight=2) as worker:
        results = worker.map(requests())  # type: ignore[arg-type]
        next(results)
        assert taken == 4
        results.close()  # type: ignore[attr-defined]
        assert worker.thumbnail(images()[0], 64) == expected(images()[0], "64")


def test_large_inline_data_in_both_directions_does_not_block() -> None:
    source, pixels = bmp(2000, 1500)
    with Worker(jobs=2, max_in_flight=6) as worker, ThreadPoolExecutor(6) as threads:
        results = list(threads.map(lambda _: worker.run(Request.decode(source)).data, range(12)))
    assert [result == pixels for result in results] == [True] * 12


def test_a_closed_worker_leaves_no_process_and_no_descriptor() -> None:
    before = descriptors()
    pids = []
    for _ in range(3):
        with Worker(jobs=2) as worker:
            worker.thumbnail(images()[0], 64)
            assert worker.pid is not None
            pids.append(worker.pid)
        with pytest.raises(WorkerClosed):
            worker.thumbnail(images()[0], 64)

    assert descriptors() == before
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
    assert not any(os.path.exists(f"/proc/{pid}") for pid in pids)


def test_an_unreferenced_worker_ends_its_process() -> None:
    worker = Worker(jobs=1)
    worker.info(images()[0])
    assert worker.pid is not None
    process = os.pidfd_open(worker.pid)
    thread = worker._engine._thread
    assert thread is not None
    del worker
    thread.join()
    with pytest.raises(ProcessLookupError):
        signal.pidfd_send_signal(process, 0)
    os.close(process)


def test_a_worker_is_pickled_as_its_settings() -> None:
    with Worker(jobs=1, timeout=5, retries=0) as worker:
        worker.info(images()[0])
        copy = pickle.loads(pickle.dumps(worker))
        assert copy.settings == worker.settings and copy.pid is None
        with copy:
            assert copy.thumbnail(images()[0], 64) == expected(images()[0], "64")
            assert copy.pid != worker.pid


def test_errors_survive_pickling() -> None:
    with Worker(jobs=1) as worker, pytest.raises(InputError) as raised:
        worker.info("/none.jpg")
    copy = pickle.loads(pickle.dumps(raised.value))
    assert (type(copy), str(copy), copy.code) == (InputError, str(raised.value), "noInput")


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_forked_process_starts_its_own_worker() -> None:
    path = images()[0]
    parent_reads, child_writes = os.pipe()
    child_reads, parent_writes = os.pipe()
    with Worker(jobs=1) as worker:
        worker.info(path)
        pid = worker.pid
        child = os.fork()
        if child == 0:
            os.close(parent_writes)
            is_right = worker.thumbnail(path, 64) == expected(path, "64") and worker.pid != pid
            worker.close()
            os.write(child_writes, b"1" if is_right else b"0")
            os.read(child_reads, 1)  # the child must not hold the pipes of the parent's worker
            os._exit(0)
        assert os.read(parent_reads, 1) == b"1"
        assert worker.pid == pid and worker.thumbnail(path, 64) == expected(path, "64")
    assert not os.path.exists(f"/proc/{pid}")
    os.write(parent_writes, b"x")
    os.waitpid(child, 0)
    for descriptor in (parent_reads, parent_writes, child_reads, child_writes):
        os.close(descriptor)
