"""Results of the real tool through asyncio."""

from __future__ import annotations

import asyncio
import pathlib
from typing import Callable

import pytest
from conftest import descriptors, expected, images

from platformimage import AsyncWorker, InputError, Request, WorkerUnavailable


def test_concurrent_tasks_get_their_own_results() -> None:
    async def main() -> None:
        async with AsyncWorker(jobs=2) as worker:
            paths = images() * 12
            results = await asyncio.gather(*(worker.thumbnail(path, 64) for path in paths))
            assert [result == expected(path, "64") for result, path in zip(results, paths)] == [True] * len(paths)
            info = await worker.info(paths[0])
            assert info.format == "jpeg"

    before = descriptors()
    asyncio.run(main())
    assert descriptors() == before


def test_map_keeps_the_order(tmp_path: pathlib.Path) -> None:
    async def main() -> None:
        async with AsyncWorker(jobs=2) as worker:
            paths = images() * 5
            paths[3] = tmp_path / "none.jpg"
            results = [result async for result in worker.map(Request.thumbnail(path, 64) for path in paths)]
            assert [result.data for result in results] == [
                None if index == 3 else expected(path, "64") for index, path in enumerate(paths)]

    asyncio.run(main())


def test_cancelled_task_does_not_disturb_the_others() -> None:
    async def main() -> None:
        async with AsyncWorker(jobs=2, max_in_flight=4) as worker:
            paths = images() * 12
            tasks = [asyncio.ensure_future(worker.thumbnail(path, 64)) for path in paths]
            await tasks[0]  # the worker runs, so that some of the cancelled requests are in flight
            for task in tasks[1::2]:
                task.cancel()
            results = await asyncio.gather(*tasks, return_exceptions=True)
            for index, (path, result) in enumerate(zip(paths, results)):
                if index % 2 == 0 or not isinstance(result, asyncio.CancelledError):
                    assert result == expected(path, "64")
            assert await worker.thumbnail(paths[0], 64) == expected(paths[0], "64")

    asyncio.run(main())


def test_cancelled_request_in_flight_ends_the_wait(hostile: Callable[[str], str]) -> None:
    async def main() -> None:
        worker = AsyncWorker(jobs=1, tool=hostile("silent"))
        task = asyncio.ensure_future(worker.thumbnail(b"image", 64))
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(task, 0.01)
        await worker.close(cancel=True)

    asyncio.run(main())


def test_errors_are_those_of_the_blocking_interface() -> None:
    async def main() -> None:
        async with AsyncWorker(jobs=1) as worker, AsyncWorker(tool="/none/imagetool") as missing:
            with pytest.raises(InputError):
                await worker.thumbnail("/none.jpg", 64)
            with pytest.raises(WorkerUnavailable):
                await missing.info(b"image")

    asyncio.run(main())


def test_decode_returns_pixels() -> None:
    pytest.importorskip("numpy")

    async def main() -> None:
        async with AsyncWorker(jobs=1) as worker:
            array = await worker.decode(images()[2])
            info = await worker.info(images()[2])
            assert array.shape == (info.display_height, info.display_width, 4)

    asyncio.run(main())
