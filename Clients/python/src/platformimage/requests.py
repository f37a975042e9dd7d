"""Requests and their results, as values."""

from __future__ import annotations

import json
import math
import numbers
import operator
import os
import reprlib
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
    """An image at an http or https URL; the worker needs `allow_url=True`, and for a private address `allow_cidr`."""

    url: str


Path = Union[str, "os.PathLike[str]"]
Source = Union[bytes, bytearray, memoryview, str, "os.PathLike[str]", Url]
Size = Union[int, str, "tuple[int | None, int | None]"]
ThumbnailFormat = Literal["auto", "png", "jpeg", "jpg", "webp", "gif"]
DecodeFormat = Literal["raw", "pam", "png"]
Option = Union[bool, int, str]
Status = Literal["complete", "truncated", "corrupt", "failed"]

MAX_LINE_BYTES = 1 << 20
MAX_TIMEOUT = 86_400.0
# Space for the braces and the id, which is added when the request is sent.
_ID_BYTES = 64
# The extensions that `imagetool thumb --output` knows.
_FORMAT_OF_EXTENSION = {
    "png": "png", "jpg": "jpeg", "jpeg": "jpeg", "jpe": "jpeg", "jfif": "jpeg", "webp": "webp", "gif": "gif"}
# Members of an answer to `info` that are not facts of the image.
_ENVELOPE = ("id", "status", "code", "rows", "warnings", "milliseconds")


def size_text(size: Size) -> str:
    """The size in the grammar of `imagetool thumb --size`; `(300, None)` is a width of 300 pixels.

    Numbers are integers, also those of NumPy, and floating-point numbers without a fraction. Raises TypeError.
    """
    if isinstance(size, str):
        return size
    try:
        length = _whole(size)
        if length is not None:
            return str(length)
        if isinstance(size, (bytes, bytearray, memoryview)):
            raise TypeError
        width, height = cast("tuple[object, object]", size)
        lengths = [None if value is None else _whole(value) for value in (width, height)]
        if width is not None and lengths[0] is None or height is not None and lengths[1] is None:
            raise TypeError
    except (TypeError, ValueError):
        raise TypeError(
            f"size is {reprlib.repr(size)}, expected an integer, a (width, height) pair or a text such as '100x80^'"
        ) from None
    return "x".join("" if length is None else str(length) for length in lengths)


def _whole(value: object) -> int | None:
    """The value as an integer; `None` when it is not a whole number."""
    if isinstance(value, bool):
        return None
    if isinstance(value, numbers.Real) and not isinstance(value, numbers.Integral):
        number = float(value)
        return int(number) if number.is_integer() else None
    try:
        return operator.index(cast(int, value))
    except TypeError:
        return None


def seconds(name: str, value: object) -> float:
    """A setting in seconds, 0 or more; math.inf is possible. Raises TypeError and ValueError."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} is {value!r}, expected a number of seconds")
    number = float(value)
    if not number >= 0:
        raise ValueError(f"{name} is {value}, expected 0 or more seconds")
    return number


def time_limit(value: object) -> float:
    """The time limit of a request in seconds. Raises TypeError and ValueError."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"timeout is {value!r}, expected a number of seconds; math.inf is no limit")
    number = float(value)
    if not number > 0 or MAX_TIMEOUT < number < math.inf:
        raise ValueError(f"timeout is {value}: more than 0 and at most {MAX_TIMEOUT:.0f} seconds, or math.inf")
    return number


def _thumbnail_format(format: str | None, output: Path | None) -> str:
    """The format that the worker receives. Without `format`, the extension of `output` selects it, otherwise `auto`."""
    if format is not None:
        return "jpeg" if format == "jpg" else format
    path = None if output is None else os.fspath(output)
    if not isinstance(path, str):
        return "auto"
    # ".webp" alone is also an extension, as for `imagetool thumb --output`.
    extension = os.path.splitext("x" + os.path.basename(path))[1]
    return _FORMAT_OF_EXTENSION.get(extension[1:].lower(), "auto")


def source_name(source: Source) -> str:
    """The path or the URL of an image, or `N bytes` for an image in memory."""
    if isinstance(source, Url):
        return source.url
    if isinstance(source, (bytes, bytearray, memoryview)):
        return f"{memoryview(source).nbytes} bytes"
    return os.fspath(source)


@dataclass(frozen=True)
class Request:
    """One request. The functions `thumbnail`, `decode` and `info` create requests with checked types.

    A `str` or `os.PathLike` source is a path, bytes are the image itself and must not change until the request is
    answered. `output` is the path of the file to write; `None` returns the bytes. `timeout` is the time in seconds from
    sending the request to the worker to its answer; `None` is the default of the worker, `math.inf` is no limit.

    `format` of a thumbnail: without it, the extension of `output` selects the format: png, jpg, jpeg, jpe, jfif, webp
    or gif, in upper or lower case. Without such an extension it is `auto`: jpeg for JPEG sources and WebP sources
    without alpha, and png for all others. `jpg` is `jpeg`.
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
            source: Source, size: Size, *, format: ThumbnailFormat | None = None, output: Path | None = None,
            timeout: float | None = None, **options: Unpack[ThumbnailOptions]) -> Request:
        return Request(
            "thumb", source, size_text(size), _thumbnail_format(format, output), output, timeout, _options(options))

    @staticmethod
    def decode(
            source: Source, *, format: DecodeFormat = "raw", output: Path | None = None, timeout: float | None = None,
            **options: Unpack[DecodeOptions]) -> Request:
        return Request("decode", source, None, format, output, timeout, _options(options))

    @staticmethod
    def info(source: Source, *, timeout: float | None = None) -> Request:
        return Request("info", source, timeout=timeout)


def _options(options: Mapping[str, object]) -> dict[str, Option]:
    return {name.replace("_", "-"): cast(Option, value) for name, value in options.items() if value is not None}


@dataclass(frozen=True)
class EncodedRequest:
    """The members of a request as JSON without braces and `id`, its inline image, its time limit and its source."""

    members: bytes
    payload: memoryview | None
    timeout: float
    source: str


def encode(request: Request, default_timeout: float, root: str | None) -> EncodedRequest:
    """Encodes a request; the worker checks all values that are not named here.

    Raises InvalidRequest when JSON cannot express the request or its path is a URL, TypeError for a source, an output
    or a time limit of another type, and ValueError for a time limit that is out of range.
    """
    timeout = time_limit(default_timeout if request.timeout is None else request.timeout)
    members: dict[str, object] = {"op": request.op}
    payload = None
    if isinstance(request.source, Url):
        members["url"] = request.source.url
    elif isinstance(request.source, (bytes, bytearray, memoryview)):
        payload = memoryview(request.source).cast("B")
        members["bytes"] = payload.nbytes
    else:
        if not isinstance(request.source, (str, os.PathLike)):
            raise _source_error(request.source)
        if isinstance(request.source, str) and request.source[:8].lower().startswith(("http://", "https://")):
            raise InvalidRequest(
                "the source is a URL: pass Url(...) instead of the text; a str is the path of a file", "invalidRequest")
        members["path"] = _path(request.source, root)
    if request.size is not None:
        members["ops"] = request.size
    if request.options:
        members["options"] = dict(request.options)
    if request.op == "thumb":
        members["format"] = _thumbnail_format(request.format, request.output)
    elif request.format is not None:
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
    return EncodedRequest(text, payload, timeout, source_name(request.source))


def _source_error(source: object) -> TypeError:
    text = (
        f"source is the {type(source).__name__} {reprlib.repr(source)}, expected a path, a Url, bytes, bytearray or "
        "memoryview")
    if hasattr(source, "getvalue"):
        return TypeError(f"{text}: pass its bytes, source.getvalue()")
    if hasattr(source, "read"):
        return TypeError(f"{text}: pass the path of the file, or its bytes, source.read()")
    return TypeError(text)


def not_a_request(value: object) -> TypeError:
    """The error for an object in place of a request, such as a path in the list for `map`."""
    return TypeError(
        f"expected a Request, such as Request.thumbnail(source, 256), not the {type(value).__name__} "
        f"{reprlib.repr(value)}; a source is a path, a Url or bytes")


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
    `source` is the path or the URL of the image, or `N bytes` for an image of N bytes in memory.
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
    source: str | None = field(default=None, compare=False)

    @property
    def exception(self) -> PlatformImageError | None:
        """The typed error of a failed request; `None` otherwise."""
        if self.status != "failed":
            return None
        return error_for(self.code or "internal", self.error or "", self.source)

    @staticmethod
    def failed(error: PlatformImageError) -> Result:
        return Result("failed", error.code, error.message, source=error.source)


@dataclass(frozen=True)
class Page:
    """A page of a TIFF: its size, and the kind of its image file directory (IFD)."""

    width: int
    height: int
    is_reduced: bool
    is_sub_ifd: bool


@dataclass(frozen=True)
class ImageInfo:
    """Facts of a header. `width` and `height` are the stored size, `display_*` the size after orientation.

    A fact that the file does not contain is `None`. `date_time_original` has the form of Exif: `2021:05:31 12:00:00`.
    `pages` are the pages of a TIFF in the order of `frame`. `facts` are all facts with the names of Docs/worker.md.
    """

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
    pages: tuple[Page, ...] | None = None
    make: str | None = None
    model: str | None = None
    date_time_original: str | None = None
    software: str | None = None
    artist: str | None = None
    copyright: str | None = None
    has_gps: bool | None = None
    facts: Mapping[str, object] = field(default_factory=dict, repr=False, compare=False)

    @staticmethod
    def from_result(result: Result) -> ImageInfo:
        """Raises ValueError when a fact is missing or has another type."""
        facts = result.facts

        def integer(name: str, facts: Mapping[str, object] = facts) -> int:
            value = facts.get(name)
            if type(value) is not int:
                raise ValueError(f"{name} is {value!r}, expected an integer")
            return value

        def text(name: str) -> str:
            value = facts.get(name)
            if not isinstance(value, str):
                raise ValueError(f"{name} is {value!r}, expected a string")
            return value

        def optional_text(name: str) -> str | None:
            return None if facts.get(name) is None else text(name)

        def boolean(name: str, facts: Mapping[str, object] = facts) -> bool:
            value = facts.get(name)
            if not isinstance(value, bool):
                raise ValueError(f"{name} is {value!r}, expected true or false")
            return value

        def pages() -> tuple[Page, ...] | None:
            value = facts.get("pages")
            if value is None:
                return None
            if not isinstance(value, list) or not all(isinstance(page, dict) for page in value):
                raise ValueError(f"pages is {value!r}, expected a list of objects")
            return tuple(
                Page(integer("width", page), integer("height", page), boolean("isReduced", page),
                     boolean("isSubIFD", page))
                for page in value)

        return ImageInfo(
            format=text("format"), width=integer("width"), height=integer("height"),
            display_width=integer("displayWidth"), display_height=integer("displayHeight"),
            frames=None if facts.get("frames") is None else integer("frames"),
            loop_count=None if facts.get("loopCount") is None else integer("loopCount"),
            orientation=integer("orientation"), bits_per_channel=integer("bitsPerChannel"),
            color_model=text("colorModel"), has_alpha=facts.get("hasAlpha") is True,
            icc_profile=optional_text("iccProfile"),
            decoded_bytes=None if facts.get("decodedBytes") is None else integer("decodedBytes"),
            status=result.status, pages=pages(), make=optional_text("make"), model=optional_text("model"),
            date_time_original=optional_text("dateTimeOriginal"), software=optional_text("software"),
            artist=optional_text("artist"), copyright=optional_text("copyright"),
            has_gps=None if facts.get("hasGPS") is None else boolean("hasGPS"),
            facts={name: value for name, value in facts.items() if name not in _ENVELOPE})
