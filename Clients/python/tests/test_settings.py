"""Settings of a worker, and arguments that are refused before a process starts."""

from __future__ import annotations

import asyncio
import io
import math
import pathlib
from importlib import metadata
from typing import Any, Callable

import pytest
from conftest import descriptors, images

import platformimage
from platformimage import AsyncWorker, InvalidRequest, Request, Url, Worker, WorkerUnavailable
from platformimage.requests import size_text

Server = tuple[str, list[dict[str, str]]]


@pytest.mark.parametrize(("settings", "error", "text"), [
    ({"jobs": "2"}, TypeError, "jobs is '2', expected an integer"),
    ({"jobs": 1.5}, TypeError, "jobs is 1.5"),
    ({"jobs": True}, TypeError, "jobs is True"),
    ({"jobs": -1}, ValueError, "jobs is -1, expected 0 or more"),
    ({"max_in_flight": "4"}, TypeError, "max_in_flight is '4'"),
    ({"max_bytes_in_flight": 0}, ValueError, "max_bytes_in_flight is 0, expected 1 or more"),
    ({"timeout": "10"}, TypeError, "timeout is '10', expected a number of seconds"),
    ({"timeout": None}, TypeError, "math.inf is no limit"),
    ({"timeout": 0}, ValueError, "timeout is 0"),
    ({"timeout": math.nan}, ValueError, "timeout is nan"),
    ({"kill_after": "1"}, TypeError, "kill_after is '1'"),
    ({"close_timeout": -1}, ValueError, "close_timeout is -1, expected 0 or more seconds"),
    ({"isolation": "off"}, TypeError, "isolation is 'off', expected True or False"),
    ({"allow_url": "no"}, TypeError, "allow_url is 'no', expected True or False"),
    ({"allow_hosts": "127.0.0.1"}, TypeError, r"allow_hosts is the text '127.0.0.1', expected a list"),
    ({"allow_cidr": "127.0.0.1/32"}, TypeError, "allow_cidr is the text"),
    ({"allow_hosts": [1]}, TypeError, "allow_hosts contains 1"),
    ({"allow_hosts": 1}, TypeError, "allow_hosts is 1"),
    ({"headers": [("Accept", "*")]}, TypeError, "headers is a list, expected a mapping"),
    ({"headers": {"Accept": 1}}, TypeError, "not a text, at 'Accept'"),
    ({"headers": {"A:b": "c"}}, ValueError, "without a colon"),
    ({"user_agent": 1}, TypeError, "user_agent is 1"),
    ({"root": b"folder"}, TypeError, "root is b'folder', expected a path"),
    ({"on_damage": "stop"}, ValueError, "on_damage is 'stop'"),
])
@pytest.mark.parametrize("kind", [Worker, AsyncWorker])
def test_settings_of_wrong_types_are_refused(
        kind: Callable[..., object], settings: dict[str, object], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        kind(**settings)


@pytest.mark.parametrize(("settings", "text"), [
    ({"decoder": "/none/decoder"}, r'"/none/decoder" does not exist'),
    ({"root": "/none/folder"}, "/none/folder: noInput"),
    ({"allow_hosts": ["a.example"]}, "--allow-host and --allow-cidr require --allow-url"),
    ({"allow_cidr": ["10.0.0.0/8"]}, "--allow-host and --allow-cidr require --allow-url"),
    ({"headers": {"A": "b"}}, "--user-agent and --header require --allow-url"),
    ({"user_agent": ""}, "--user-agent and --header require --allow-url"),
    ({"allow_url": True, "allow_cidr": ["10.0.0.0/99"]}, "10.0.0.0/99 is not an IP address range"),
    ({"decoder": "a\0b"}, "embedded null"),
], ids=lambda value: next(iter(value)) if isinstance(value, dict) else "")
def test_refused_settings_are_unavailable_for_all_requests(settings: dict[str, Any], text: str) -> None:
    before = descriptors()
    requests = [Request.info(path) for path in images()]

    async def collect() -> None:
        async with AsyncWorker(jobs=1, **settings) as worker:
            with pytest.raises(WorkerUnavailable, match=text):
                await worker.info(images()[0])
            with pytest.raises(WorkerUnavailable, match=text):
                [result async for result in worker.map(requests)]

    with Worker(jobs=1, **settings) as worker:
        for call in (
                lambda: worker.info(images()[0]), lambda: list(worker.map(requests)),
                lambda: list(worker.map_unordered(requests))):
            with pytest.raises(WorkerUnavailable, match=text) as raised:
                call()
            assert "Usage:" not in str(raised.value) and raised.value.code == "workerUnavailable"
    asyncio.run(collect())
    assert descriptors() == before


def test_worker_can_be_used_when_its_root_exists_later(tmp_path: pathlib.Path) -> None:
    root = tmp_path / "root"
    with Worker(jobs=1, root=root) as worker:
        with pytest.raises(WorkerUnavailable):
            worker.info("a.jpg")
        root.mkdir()
        (root / "a.jpg").write_bytes(images()[0].read_bytes())
        assert worker.info("a.jpg").format == "jpeg"


def test_program_and_decoder_can_be_path_objects() -> None:
    with Worker(jobs=1, tool=pathlib.Path("/none/imagetool"), decoder=pathlib.Path("/none")) as worker:
        with pytest.raises(WorkerUnavailable, match="/none/imagetool"):
            worker.info(b"image")


def test_url_is_loaded_with_the_header_fields_of_the_settings(tmp_path: pathlib.Path, server: Server) -> None:
    host, received = server
    (tmp_path / "a.jpg").write_bytes(images()[0].read_bytes())
    url = Url(f"http://{host}/a.jpg")
    settings: dict[str, Any] = {"jobs": 1, "allow_url": True, "allow_hosts": [host], "allow_cidr": ["127.0.0.1/32"]}

    async def load() -> int:
        async with AsyncWorker(**settings, headers={"-X": "async"}, user_agent="-agent") as worker:
            return (await worker.info(url)).width

    with Worker(**settings, headers={"Authorization": "Bearer a:b", "X-Empty": ""}, user_agent="") as worker:
        assert worker.info(url).width == asyncio.run(load())
        assert "Bearer" not in repr(worker.settings)
    blocking, concurrent = received
    assert blocking["Authorization"] == "Bearer a:b" and "User-Agent" not in blocking
    assert (concurrent["-X"], concurrent["User-Agent"]) == ("async", "-agent")


def test_private_address_needs_a_range(server: Server) -> None:
    host, received = server
    with Worker(jobs=1, allow_url=True, allow_hosts=[host]) as worker:
        with pytest.raises(InvalidRequest, match="not public") as raised:
            worker.info(Url(f"http://user:password@{host}/a.jpg"))
    assert received == [] and raised.value.code == "urlNotAllowed"
    assert str(raised.value).startswith(f"http://{host}/a.jpg: ")
    assert raised.value.source == f"http://user:password@{host}/a.jpg"


@pytest.mark.parametrize("url", ["http://a.example/a.jpg", "HTTPS://a.example/a.jpg"])
def test_text_of_a_url_is_refused_with_a_hint(url: str) -> None:
    with Worker(jobs=1, allow_url=True) as worker:
        with pytest.raises(InvalidRequest, match=r"pass Url\(\.\.\.\)") as raised:
            worker.thumbnail(url, 64)
        assert [result.code for result in worker.map([Request.info(url), Request.info(images()[0])])] == [
            "invalidRequest", None]
    assert raised.value.source == url


@pytest.mark.parametrize(("size", "text"), [
    (64, "64"), (64.0, "64"), ("80x60^", "80x60^"), ((64, None), "64x"), ((None, 64.0), "x64"), ([64, 32], "64x32")])
def test_whole_numbers_are_sizes(size: Any, text: str) -> None:
    assert size_text(size) == text


def test_numbers_of_numpy_are_sizes() -> None:
    numpy = pytest.importorskip("numpy")
    assert size_text(numpy.int64(64)) == size_text(numpy.float32(64)) == "64"
    assert size_text((numpy.uint8(64), numpy.float64(32))) == size_text(numpy.array([64, 32])) == "64x32"
    with pytest.raises(TypeError, match="size is"):
        size_text(numpy.float64(0.5))


@pytest.mark.parametrize(
    "size", [64.5, math.nan, math.inf, True, None, (64,), (64, 32, 1), (64, "32"), (64, 0.5), b"64", {}, object()])
def test_other_sizes_are_refused(size: Any) -> None:
    with pytest.raises(TypeError, match=r"size is .*, expected an integer, a \(width, height\) pair or a text such as"):
        Request.thumbnail("a.jpg", size)


@pytest.mark.parametrize(("source", "text"), [
    (io.BytesIO(b"image"), r"the BytesIO .*pass its bytes, source.getvalue\(\)"),
    (1, "the int 1, expected a path, a Url, bytes"),
    (["a.jpg"], r"the list \['a.jpg'\]"),
    (None, "the NoneType None"),
])
def test_sources_of_wrong_types_are_refused(source: Any, text: str) -> None:
    with Worker(jobs=1) as worker:
        with pytest.raises(TypeError, match=text):
            worker.thumbnail(source, 64)
        with pytest.raises(TypeError, match=text):
            list(worker.map([Request.info(source)]))
        assert worker.pid is None


def test_open_file_is_refused_with_a_hint() -> None:
    with Worker(jobs=1) as worker, images()[0].open("rb") as file:
        with pytest.raises(TypeError, match=r"the BufferedReader .*pass the path of the file, or .*source\.read\(\)"):
            worker.info(file)  # type: ignore[arg-type]


@pytest.mark.parametrize("item", ["photo.jpg", pathlib.Path("photo.jpg"), b"image", io.BytesIO(b"image")])
def test_map_of_sources_names_the_request_to_pass(item: Any) -> None:
    async def collect() -> None:
        async with AsyncWorker(jobs=1) as worker:
            [result async for result in worker.map([item])]

    text = rf"expected a Request, such as Request.thumbnail\(source, 256\), not the {type(item).__name__} "
    with Worker(jobs=1) as worker:
        for call in (
                lambda: list(worker.map([item])), lambda: list(worker.map_unordered([item])),
                lambda: worker.run(item), lambda: asyncio.run(collect())):
            with pytest.raises(TypeError, match=text):
                call()


@pytest.mark.parametrize("timeout", ["10", True, [1]])
def test_time_limits_of_wrong_types_are_refused(timeout: Any) -> None:
    with Worker(jobs=1) as worker, pytest.raises(TypeError, match="timeout is .*, expected a number of seconds"):
        worker.info(images()[0], timeout=timeout)


def test_version_is_that_of_the_package() -> None:
    assert platformimage.__version__ == metadata.version("platformimage")
