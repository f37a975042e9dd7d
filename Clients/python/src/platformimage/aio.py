"""The interface for asyncio."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, AsyncIterator, Iterable, overload

from .requests import ImageInfo, Path, Request, Result, Size, Source, ThumbnailFormat
from .worker import Configured, bytes_of, pixels_of, require_numpy

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray
    from types import TracebackType
    from typing_extensions import Self, Unpack

    from .requests import DecodeOptions, ThumbnailOptions


class AsyncWorker(Configured):
    """`Worker` for asyncio: no method blocks the event loop.

    A cancelled request that was not sent is not sent; otherwise its answer is discarded.
    """

    async def run(self, request: Request) -> Result:
        """Returns the result of a request; a failure of this request is a result with the status `failed`."""
        return await asyncio.wrap_future(self._engine.submit(request))

    @overload
    async def thumbnail(
            self, source: Source, size: Size, *, format: ThumbnailFormat | None = None, output: None = None,
            timeout: float | None = None, **options: Unpack[ThumbnailOptions]) -> bytes: ...

    @overload
    async def thumbnail(
            self, source: Source, size: Size, *, format: ThumbnailFormat | None = None, output: Path,
            timeout: float | None = None, **options: Unpack[ThumbnailOptions]) -> Result: ...

    async def thumbnail(
            self, source: Source, size: Size, *, format: ThumbnailFormat | None = None, output: Path | None = None,
            timeout: float | None = None, **options: Unpack[ThumbnailOptions]) -> bytes | Result:
        """Returns the encoded thumbnail, or the result when it was written to the file `output`.

        Without `format`, the extension of `output` selects the format; `Request` describes both.
        """
        request = Request.thumbnail(source, size, format=format, output=output, timeout=timeout, **options)
        result = self._checked(await self.run(request), stacklevel=2)
        return bytes_of(result) if output is None else result

    async def decode(
            self, source: Source, *, timeout: float | None = None,
            **options: Unpack[DecodeOptions]) -> NDArray[numpy.uint8]:
        """Returns the pixels as RGBA: an array of the shape (height, width, 4)."""
        require_numpy()
        request = Request.decode(source, timeout=timeout, **options)
        return pixels_of(self._checked(await self.run(request), stacklevel=2))

    async def info(self, source: Source, *, timeout: float | None = None) -> ImageInfo:
        """Returns the facts of the header, without decoding pixels."""
        result = self._checked(await self.run(Request.info(source, timeout=timeout)), stacklevel=2)
        return ImageInfo.from_result(result)

    async def map(self, requests: Iterable[Request]) -> AsyncIterator[Result]:
        """Returns one result per request, in the order of the requests, failures included.

        At most twice `max_in_flight` requests and results are in memory.
        """
        futures: deque[asyncio.Future[Result]] = deque()
        try:
            for request in requests:
                futures.append(asyncio.wrap_future(self._engine.submit(request)))
                if len(futures) >= 2 * self.max_in_flight:
                    yield await futures.popleft()
            while futures:
                yield await futures.popleft()
        finally:
            for future in futures:
                future.cancel()

    async def close(self, cancel: bool = False) -> None:
        """Waits for all requests, or fails them with WorkerClosed, and ends the process."""
        await asyncio.get_running_loop().run_in_executor(None, self._engine.close, cancel)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
            self, kind: type[BaseException] | None, error: BaseException | None,
            traceback: TracebackType | None) -> None:
        await self.close(cancel=error is not None)
