"""Requests and their results, as values."""

from __future__ import annotations

import json
import math
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Mapping, Union, cast

from .errors import InvalidRequest, PlatformImageError, error_for

if TYPE_CHECKING:
    from typing_extensions import TypedDict, Unpack

    class ThumbnailOptions(TypedDict, total=False):
        """Options of `thumb`; `webp_effort` is `webp-effort` in Docs/worker.md."""

        fit: Literal["contain", "cover", "fill", "scaleDown"]
        gravity: str
        crop: str
        filter: Literal["nearest", "box", "triangle", "mitchell", "lanczos3"]
        linear: bool
        enlarge: bool
        pad: bool
        background: str
        no_rotate: bool
        frame: Union[int, Literal["all"]]
        embedded: bool
        accuracy: Literal["exact", "balanced", "fast", "draft"]
        quality: int
        webp_lossless: bool
        webp_effort: Literal["fast", "default", "small"]
        max_bytes: int
        metadata: Literal["strip", "copyright", "no-location", "all"]
        profile: Literal["srgb", "keep"]

    class DecodeOptions(TypedDict, total=False):
        """Options of `decode`."""

        as_stored: bool
        strict: bool
        frame: int
        premultiplied: bool
        max_pixels: int


@dataclass(frozen=True)
class Url:
    """An image at an http or https URL; the worker needs `allow_url=True`."""

    url: str


Path = Union[str, "os.PathLike[str]"]
Source = Union[bytes, bytearray, memoryview, str, "os.PathLike[str]", Url]
Size = Union[int, str, "tuple[int | None, int | None]"]
Option = Union[bool, int, str]
Status = Literal["complete", "truncated", "corrupt", "failed"]

MAX_LINE_BYTES = 1 << 20
MAX_TIMEOUT = 86_400.0
# Space for the braces and the id, which is added when the request is sent.
_ID_BYTES = 64


def size_text(size: Size) -> str:
    """The size in the grammar of `imagetool thumb --size`; `(300, None)` is a width of 300 pixels."""
    if isinstance(size, str):
        return size
    if isinstance(size, int):
        return str(size)
    width, height = size
    return "x".join("" if length is None else str(length) for length in (width, height))


@dataclass(frozen=True)
class Request:
    """One request. The functions `thumbnail`, `decode` and `info` create requests with checked types.

    A `str` or `os.PathLike` source is a path, bytes are the image itself and must not change until the request is
    answered. `output` is the path of the file to write; `None` returns the bytes. `timeout` is the time in seconds from
    sending the request to the worker to its answer; `None` is the default of the worker, `math.inf` is no limit.
    """

    op: Literal["thumb", "decode", "info"]
    source: Source = field(repr=False)
    size: str | None = None
    format: str | None = None
    output: Path | None = None
    timeout: float | None = None
    options: Mapping[str, Option] = field(default_factory=dict)

    @staticmethod
    def thumbnail(
            source: Source, size: Size, *, format: str = "auto", output: Path | None = None,
            timeout: float | None = None, **options: Unpack[ThumbnailOptions]) -> Request:
        return Request("thumb", source, size_text(size), format, output, timeout, _options(options))

    @staticmethod
    def decode(
            source: Source, *, format: str = "raw", output: Path | None = None, timeout: float | None = None,
            **options: Unpack[DecodeOptions]) -> Request:
        return Request("decode", source, None, format, output, timeout, _options(options))

    @staticmethod
    def info(source: Source, *, timeout: float | None = None) -> Request:
        return Request("info", source, timeout=timeout)


def _options(options: Mapping[str, object]) -> dict[str, Option]:
    return {name.replace("_", "-"): cast(Option, value) for name, value in options.items() if value is not None}


@dataclass(frozen=True)
class EncodedRequest:
    """The members of a request as JSON without braces and `id`, its inline image, and its time limit in seconds."""

    members: bytes
    payload: memoryview | None
    timeout: float


def encode(request: Request, default_timeout: float, root: str | None) -> EncodedRequest:
    """Encodes a request. Raises InvalidRequest when JSON cannot express it; the worker checks all other values."""
    timeout = default_timeout if request.timeout is None else request.timeout
    if not timeout > 0 or MAX_TIMEOUT < timeout < math.inf:
        raise ValueError(f"timeout is {timeout}: more than 0 and at most {MAX_TIMEOUT:.0f} seconds, or math.inf")
    members: dict[str, object] = {"op": request.op}
    payload = None
    if isinstance(request.source, Url):
        members["url"] = request.source.url
    elif isinstance(request.source, (bytes, bytearray, memoryview)):
        payload = memoryview(request.source).cast("B")
        members["bytes"] = payload.nbytes
    else:
        members["path"] = _path(request.source, root)
    if request.size is not None:
        members["ops"] = request.size
    if request.options:
        members["options"] = dict(request.options)
    if request.format is not None:
        members["format"] = request.format
    if request.output is not None:
        output = _path(request.output, root)
        # "inline" requests the bytes, and "-" is stdout for the other commands of the tool. Both are valid file names.
        members["output"] = f"./{output}" if output in ("inline", "-") else output
    if timeout != math.inf:
        members["deadlineMs"] = max(1, math.ceil(timeout * 1000))
    try:
        text = json.dumps(members, ensure_ascii=False, allow_nan=False, separators=(",", ":"))[1:-1].encode()
    except UnicodeEncodeError:
        raise InvalidRequest("the path is not UTF-8: pass the bytes of the file", "invalidRequest") from None
    if len(text) > MAX_LINE_BYTES - _ID_BYTES:
        raise InvalidRequest(f"the request has {len(text)} bytes, at most {MAX_LINE_BYTES}", "lineTooLong")
    return EncodedRequest(text, payload, timeout)


def _path(path: Path, root: str | None) -> str:
    text = os.fspath(path)
    if not isinstance(text, str):
        raise TypeError("a path is a str or an os.PathLike[str]; bytes are the image itself")
    if not text:
        raise InvalidRequest("the path is empty", "invalidRequest")
    # The worker resolves relative paths against the folder in which it was started, or against its root.
    return text if root is not None else os.path.abspath(text)


@dataclass(frozen=True)
class Result:
    """The answer to one request.

    `data` is the inline result: `bytes` of a thumbnail, `bytearray` of decoded pixels. `byte_count` is the size of the
    result, also of one that was written to `output`. `rows` is only set if `status` is `truncated`, `warnings` only
    if it is `corrupt`, `code` and `error` only if it is `failed`. `facts` are the members of an answer to `info`.
    """

    status: Status
    code: str | None = None
    error: str | None = None
    format: str | None = None
    width: int = 0
    height: int = 0
    data: bytes | bytearray | None = field(default=None, repr=False)
    byte_count: int = 0
    output: str | None = None
    rows: int | None = None
    warnings: tuple[str, ...] = ()
    milliseconds: float = 0.0
    facts: Mapping[str, object] = field(default_factory=dict, repr=False)

    @property
    def exception(self) -> PlatformImageError | None:
        """The typed error of a failed request; `None` otherwise."""
        return error_for(self.code or "internal", self.error or "") if self.status == "failed" else None

    @staticmethod
    def failed(error: PlatformImageError) -> Result:
        return Result("failed", error.code, error.message)


@dataclass(frozen=True)
class ImageInfo:
    """Facts of a header. `width` and `height` are the stored size, `display_*` the size after orientation."""

    format: str
    width: int
    height: int
    display_width: int
    display_height: int
    frames: int | None
    loop_count: int | None
    orientation: int
    bits_per_channel: int
    color_model: str
    has_alpha: bool
    icc_profile: str | None
    decoded_bytes: int | None
    status: Status

    @staticmethod
    def from_result(result: Result) -> ImageInfo:
        """Raises ValueError when a fact is missing or has another type."""
        facts = result.facts

        def integer(name: str) -> int:
            value = facts.get(name)
            if type(value) is not int:
                raise ValueError(f"{name} is {value!r}, expected an integer")
            return value

        def text(name: str) -> str:
            value = facts.get(name)
            if not isinstance(value, str):
                raise ValueError(f"{name} is {value!r}, expected a string")
            return value

        return ImageInfo(
            format=text("format"), width=integer("width"), height=integer("height"),
            display_width=integer("displayWidth"), display_height=integer("displayHeight"),
            frames=None if facts.get("frames") is None else integer("frames"),
            loop_count=None if facts.get("loopCount") is None else integer("loopCount"),
            orientation=integer("orientation"), bits_per_channel=integer("bitsPerChannel"),
            color_model=text("colorModel"), has_alpha=facts.get("hasAlpha") is True,
            icc_profile=None if facts.get("iccProfile") is None else text("iccProfile"),
            decoded_bytes=None if facts.get("decodedBytes") is None else integer("decodedBytes"),
            status=result.status)
