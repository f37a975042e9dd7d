"""Errors and warnings of the package. Programs compare `code`; the text is for people."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .requests import Result

# A longer source is shortened in the text of an error.
_MAX_SOURCE_CHARACTERS = 400
_USER_INFORMATION = re.compile(r"^(https?://)[^/?#]*@", re.IGNORECASE)


def displayed(source: str) -> str:
    """The source on one line of a text: without a password in the URL, with escapes for unprintable characters."""
    text = _USER_INFORMATION.sub(r"\1", source)
    if len(text) > _MAX_SOURCE_CHARACTERS:
        half = _MAX_SOURCE_CHARACTERS // 2
        text = f"{text[:half]}...{text[-half:]}"
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode() for character in text)


class PlatformImageError(Exception):
    """Base class of the errors of this package.

    `code` is a code of Docs/worker.md or Docs/exit-codes.md in an `ImageError`, and one of `workerDied`,
    `workerUnavailable`, `protocolError` and `workerClosed` in a `WorkerError`.

    `source` is the path or the URL of the image, or `N bytes` for an image of N bytes in memory; `None` in an error
    that concerns all requests. `message` is the reason without the source; `str` returns both.
    """

    def __init__(self, message: str, code: str, source: str | None = None) -> None:
        super().__init__(message, code)
        self.message = message
        self.code = code
        self.source = source

    def __str__(self) -> str:
        return f"{displayed(self.source)}: {self.message}" if self.source else self.message


class ImageError(PlatformImageError):
    """The request failed; the worker can answer other requests. Base class of the failures of one request."""


class InvalidRequest(ImageError):
    """The worker refused the request before it read the image."""


class InputError(ImageError):
    """The input cannot be read, or the output cannot be written."""


class LimitExceeded(ImageError):
    """The image or its result exceeds a limit."""


class RequestTimedOut(ImageError, TimeoutError):
    """The time limit of the request passed."""


class DamagedImage(ImageError):
    """Only a part of the image was decoded, and the worker has `on_damage="raise"`; `code` is the status.

    `result` is the result of the decodable part. With `output`, the worker has written this file before the error is
    raised; the client removes no files. `result.output` is its path.
    """

    result: Result | None = None


class WorkerError(PlatformImageError):
    """The worker process could not answer."""


class WorkerDied(WorkerError):
    """The process ended before it answered the request, and the request is not repeated again."""


class WorkerUnavailable(WorkerError):
    """The tool cannot be started, refuses its settings, or its process ended too often in a short time."""


class ProtocolError(WorkerError):
    """The tool wrote something that is not an answer. All requests in flight fail with this error."""


class WorkerClosed(WorkerError):
    """The worker was closed before the request was answered."""


class DamagedImageWarning(UserWarning):
    """The file is damaged, and the result contains only its decodable part. The text begins with the source."""


_INVALID = {"invalidRequest", "lineTooLong", "inputTooShort", "urlNotAllowed", "outsideRoot", "invalidArgument"}
_INPUT = {"noInput", "io", "http", "unexpectedStatus", "transport", "tls", "redirect"}
_LIMITS = {"limitExceeded", "overMaxBytes", "tooLarge", "bodyTooLarge", "pixelLimit"}
_WORKER: dict[str, type[PlatformImageError]] = {
    "workerDied": WorkerDied, "protocolError": ProtocolError, "workerClosed": WorkerClosed, "timedOut": RequestTimedOut}


def error_for(code: str, message: str, source: str | None = None) -> PlatformImageError:
    """Returns the error of a failed request."""
    name = code.partition("(")[0]
    if name in _WORKER:
        return _WORKER[name](message, code, source)
    if name in _INVALID:
        return InvalidRequest(message, code, source)
    if name in _INPUT:
        return InputError(message, code, source)
    if name in _LIMITS:
        return LimitExceeded(message, code, source)
    return ImageError(message, code, source)
