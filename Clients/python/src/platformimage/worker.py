"""The blocking interface, for any number of threads."""

from __future__ import annotations

import queue
import warnings
import weakref
from collections import deque
from concurrent.futures import Future
from typing import TYPE_CHECKING, Iterable, Iterator, Mapping, Sequence, overload

from .engine import Engine
from .errors import DamagedImage, DamagedImageWarning, displayed
from .process import Settings, header_fields, path_text, texts
from .requests import ImageInfo, Path, Request, Result, Size, Source, ThumbnailFormat

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray
    from types import TracebackType
    from typing_extensions import Self, Unpack

    from .requests import DecodeOptions, ThumbnailOptions


class Configured:
    """Settings, pickling and lifetime of a worker; base class of `Worker` and `AsyncWorker`."""

    def __init__(
            self, jobs: int = 0, *, tool: Path | None = None, root: Path | None = None, isolation: bool = True,
            decoder: Path | None = None, allow_url: bool = False, allow_hosts: Sequence[str] = (),
            allow_cidr: Sequence[str] = (), headers: Mapping[str, str] | None = None, user_agent: str | None = None,
            max_in_flight: int | None = None, max_bytes_in_flight: int | None = None, timeout: float = 120.0,
            retries: int = 1, restarts: int = 5, restart_period: float = 60.0, kill_after: float = 30.0,
            close_timeout: float = 10.0, max_answer_bytes: int = 1 << 30, on_damage: str = "warn") -> None:
        """Stores the settings. The process starts with the first request.

        Raises TypeError and ValueError for a setting of another type or outside its range. Settings that the tool
        refuses, such as a missing `root` or `allow_hosts` without `allow_url`, fail the requests with
        WorkerUnavailable.

        - jobs: decode processes and concurrent requests in the worker; 0 is one per core.
        - tool: the program `imagetool`; by default that of PLATFORMIMAGE_IMAGETOOL, otherwise of PATH.
        - root, isolation, decoder, allow_url, max_bytes_in_flight: as in Docs/worker.md.
        - allow_hosts: hosts for `Url`, `host` for the default port or `host:port`; by default all hosts with public
          addresses.
        - allow_cidr: address ranges such as `10.0.0.0/8` that are allowed although they are not public.
        - headers, user_agent: header fields and User-Agent of the requests for URLs; an empty `user_agent` sends none.
          Both are arguments of the process, which other users of the machine can read.
        - max_in_flight: requests that are sent and not answered; by default 4 per job.
        - timeout: default time limit of a request in seconds, from sending it to its answer; math.inf is none.
        - retries: how often a request is sent again after its process died; 0 fails it with WorkerDied at once.
        - restarts, restart_period: when more than `restarts` processes died within the period in seconds, without an
          answer in between, requests fail with WorkerUnavailable until the period has passed. The last permitted
          process first answers a request of the client for a valid image, so that several files in a row that end
          their processes do not end a batch.
        - kill_after: seconds after its time limit at which an unanswered request ends the process.
        - close_timeout: seconds in which the process must exit after the end of its stdin.
        - max_answer_bytes: an inline result that announces more is a ProtocolError.
        - on_damage: `warn` (DamagedImageWarning), `raise` (DamagedImage) or `ignore` for truncated and corrupt
          images in `thumbnail` and `decode`. `run` and `map` always report the status in the result. In all cases,
          a file `output` with the decodable part has been written and replaces an existing file.
        """
        self.settings = Settings(
            jobs, path_text("tool", tool), path_text("root", root), isolation, path_text("decoder", decoder), allow_url,
            texts("allow_hosts", allow_hosts), max_in_flight, max_bytes_in_flight, timeout, retries, restarts,
            restart_period, kill_after, close_timeout, max_answer_bytes, on_damage, texts("allow_cidr", allow_cidr),
            header_fields(headers), user_agent)
        self._start_engine()

    def _start_engine(self) -> None:
        self._engine = Engine(self.settings)
        # Ends the process of a worker that is not closed and no longer referenced.
        self._finalizer = weakref.finalize(self, Engine.begin_close, self._engine)
        self._finalizer.atexit = False

    def __getstate__(self) -> Settings:
        """A pickled worker is its settings; the copy starts its own process."""
        return self.settings

    def __setstate__(self, settings: Settings) -> None:
        self.settings = settings
        self._start_engine()

    @property
    def pid(self) -> int | None:
        """Process id of `imagetool worker`; `None` when it does not run."""
        return self._engine.pid

    @property
    def max_in_flight(self) -> int:
        return self.settings.requests_in_flight

    def _checked(self, result: Result, stacklevel: int) -> Result:
        """Raises the error of a failed request, and reports damage as the settings require."""
        error = result.exception
        if error is not None:
            raise error
        if result.status != "complete" and self.settings.on_damage != "ignore":
            detail = f"{result.rows} rows" if result.rows is not None else ", ".join(result.warnings)
            text = f"the image is {result.status} ({detail})"
            if self.settings.on_damage == "raise":
                damage = DamagedImage(text, result.status, result.source)
                damage.result = result
                raise damage
            # Python shows a text once per line of code: the source makes the texts of several images different.
            warnings.warn(
                DamagedImageWarning(f"{displayed(result.source or '')}: {text}"), stacklevel=stacklevel + 1)
        return result


def bytes_of(result: Result) -> bytes:
    """The inline result of a thumbnail."""
    assert isinstance(result.data, bytes)
    return result.data


def pixels_of(result: Result) -> NDArray[numpy.uint8]:
    """The inline result of `decode` as an array that shares its memory."""
    import numpy

    assert result.data is not None
    return numpy.frombuffer(result.data, numpy.uint8).reshape(result.height, result.width, 4)


def require_numpy() -> None:
    try:
        import numpy  # noqa: F401
    except ImportError:
        raise ImportError(
            "decode returns a NumPy array, and NumPy is not installed: pip install 'platformimage[numpy]', or use "
            "run(Request.decode(...)) for bytes") from None


class Worker(Configured):
    """A process of `imagetool worker`. All methods can be called from all threads."""

    def run(self, request: Request) -> Result:
        """Returns the result of a request; a failure of this request is a result with the status `failed`.

        Raises WorkerUnavailable and WorkerClosed, which concern all requests.
        """
        return _wait(self._engine.submit(request))

    @overload
    def thumbnail(
            self, source: Source, size: Size, *, format: ThumbnailFormat | None = None, output: None = None,
            timeout: float | None = None, **options: Unpack[ThumbnailOptions]) -> bytes: ...

    @overload
    def thumbnail(
            self, source: Source, size: Size, *, format: ThumbnailFormat | None = None, output: Path,
            timeout: float | None = None, **options: Unpack[ThumbnailOptions]) -> Result: ...

    def thumbnail(
            self, source: Source, size: Size, *, format: ThumbnailFormat | None = None, output: Path | None = None,
            timeout: float | None = None, **options: Unpack[ThumbnailOptions]) -> bytes | Result:
        """Returns the encoded thumbnail, or the result when it was written to the file `output`.

        Without `format`, the extension of `output` selects the format; `Request` describes both.
        """
        request = Request.thumbnail(source, size, format=format, output=output, timeout=timeout, **options)
        result = self._checked(self.run(request), stacklevel=2)
        return bytes_of(result) if output is None else result

    def decode(
            self, source: Source, *, timeout: float | None = None,
            **options: Unpack[DecodeOptions]) -> NDArray[numpy.uint8]:
        """Returns the pixels as RGBA: an array of the shape (height, width, 4)."""
        require_numpy()
        return pixels_of(self._checked(self.run(Request.decode(source, timeout=timeout, **options)), stacklevel=2))

    def info(self, source: Source, *, timeout: float | None = None) -> ImageInfo:
        """Returns the facts of the header, without decoding pixels."""
        return ImageInfo.from_result(self._checked(self.run(Request.info(source, timeout=timeout)), stacklevel=2))

    def map(self, requests: Iterable[Request]) -> Iterator[Result]:
        """Returns one result per request, in the order of the requests, failures included.

        At most twice `max_in_flight` requests and results are in memory; the iterable is read accordingly.
        """
        futures: deque[Future[Result]] = deque()
        try:
            for request in requests:
                futures.append(self._engine.submit(request))
                if len(futures) >= 2 * self.max_in_flight:
                    yield _wait(futures.popleft())
            while futures:
                yield _wait(futures.popleft())
        finally:
            for future in futures:
                future.cancel()

    def map_unordered(self, requests: Iterable[Request]) -> Iterator[tuple[int, Result]]:
        """Returns the index of a request and its result, in the order of completion; otherwise like `map`."""
        completed: queue.SimpleQueue[tuple[int, Future[Result]]] = queue.SimpleQueue()
        waiting: dict[int, Future[Result]] = {}

        def next_result() -> tuple[int, Result]:
            index, future = completed.get()
            del waiting[index]
            return index, future.result()

        def submit(index: int, request: Request) -> None:
            future = waiting[index] = self._engine.submit(request)
            future.add_done_callback(lambda future: completed.put((index, future)))

        try:
            for index, request in enumerate(requests):
                submit(index, request)
                if len(waiting) >= 2 * self.max_in_flight:
                    yield next_result()
            while waiting:
                yield next_result()
        finally:
            for future in waiting.values():
                future.cancel()

    def close(self, cancel: bool = False) -> None:
        """Waits for the requests of all threads, or fails them with WorkerClosed, and ends the process."""
        self._engine.close(cancel)

    def __enter__(self) -> Self:
        return self

    def __exit__(
            self, kind: type[BaseException] | None, error: BaseException | None,
            traceback: TracebackType | None) -> None:
        self.close(cancel=error is not None)


def _wait(future: Future[Result]) -> Result:
    try:
        return future.result()
    except BaseException:
        future.cancel()  # for example KeyboardInterrupt; has no effect on a completed future
        raise
