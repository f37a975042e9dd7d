"""Errors and warnings of the package. Programs compare `code`; the text is for people."""

from __future__ import annotations


class PlatformImageError(Exception):
    """Base class of the errors of this package.

    `code` is a code of Docs/worker.md or Docs/exit-codes.md in an `ImageError`, and one of `workerDied`,
    `workerUnavailable`, `protocolError` and `workerClosed` in a `WorkerError`.
    """

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message, code)
        self.message = message
        self.code = code

    def __str__(self) -> str:
        return self.message


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
    """Only a part of the image was decoded, and the worker has `on_damage="raise"`; `code` is the status."""


class WorkerError(PlatformImageError):
    """The worker process could not answer."""


class WorkerDied(WorkerError):
    """The process ended before it answered the request, and the request is not repeated again."""


class WorkerUnavailable(WorkerError):
    """The tool cannot be started, or its process ended too often in a short time."""


class ProtocolError(WorkerError):
    """The tool wrote something that is not an answer. All requests in flight fail with this error."""


class WorkerClosed(WorkerError):
    """The worker was closed before the request was answered."""


class DamagedImageWarning(UserWarning):
    """The file is damaged, and the result contains only its decodable part."""


_INVALID = {"invalidRequest", "lineTooLong", "inputTooShort", "urlNotAllowed", "outsideRoot", "invalidArgument"}
_INPUT = {"noInput", "io", "http", "unexpectedStatus", "transport", "tls", "redirect"}
_LIMITS = {"limitExceeded", "overMaxBytes", "tooLarge", "bodyTooLarge", "pixelLimit"}
_WORKER: dict[str, type[PlatformImageError]] = {
    "workerDied": WorkerDied, "protocolError": ProtocolError, "workerClosed": WorkerClosed, "timedOut": RequestTimedOut}


def error_for(code: str, message: str) -> PlatformImageError:
    """Returns the error of a failed request."""
    name = code.partition("(")[0]
    if name in _WORKER:
        return _WORKER[name](message, code)
    if name in _INVALID:
        return InvalidRequest(message, code)
    if name in _INPUT:
        return InputError(message, code)
    if name in _LIMITS:
        return LimitExceeded(message, code)
    return ImageError(message, code)
