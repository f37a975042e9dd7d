"""Thumbnails, pixels and headers of images through a resident `imagetool worker` process."""

from .aio import AsyncWorker
from .errors import (
    DamagedImage, DamagedImageWarning, ImageError, InputError, InvalidRequest, LimitExceeded, PlatformImageError,
    ProtocolError, RequestTimedOut, WorkerClosed, WorkerDied, WorkerError, WorkerUnavailable)
from .requests import ImageInfo, Page, Request, Result, Url
from .worker import Worker

__version__ = "0.2.0.dev0"

__all__ = [
    "AsyncWorker", "DamagedImage", "DamagedImageWarning", "ImageError", "ImageInfo", "InputError", "InvalidRequest",
    "LimitExceeded", "Page", "PlatformImageError", "ProtocolError", "Request", "RequestTimedOut", "Result", "Url",
    "Worker", "WorkerClosed", "WorkerDied", "WorkerError", "WorkerUnavailable", "__version__"]
