"""Record batches of requests to record batches of results, for engines that move Arrow data. Needs pyarrow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator

import pyarrow as pa

from .errors import InvalidRequest
from .requests import Request, Result, Source
from .worker import Worker

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .requests import ThumbnailFormat, ThumbnailOptions

SCHEMA = pa.schema([
    ("bytes", pa.binary()), ("width", pa.int32()), ("height", pa.int32()), ("status", pa.string()),
    ("code", pa.string())])
FILE_SCHEMA = pa.schema([
    ("path", pa.string()), ("status", pa.string()), ("code", pa.string()), ("width", pa.int32()),
    ("height", pa.int32()), ("bytes", pa.int64())])


def thumbnails(
        worker: Worker, batch: pa.RecordBatch, *, format: ThumbnailFormat | None = None, timeout: float | None = None,
        **options: Unpack[ThumbnailOptions]) -> pa.RecordBatch:
    """Returns one row of `SCHEMA` per row of `batch`, in the same order.

    The columns of `batch` are `path` (string) or `bytes` (binary), and `ops`, the size. A failed row has the status
    `failed`, a code, and null in the other columns; a row with null in `path`, `bytes` or `ops` fails with
    `invalidRequest`. The thumbnails of a batch may have 2 GiB.
    """
    results = list(_results(worker, batch, format, timeout, options))
    return pa.RecordBatch.from_arrays([
        pa.array([result.data for result in results], pa.binary()),
        *_columns(results, "width", "height", "status", "code")], schema=SCHEMA)


def thumbnail_files(
        worker: Worker, batch: pa.RecordBatch, *, format: ThumbnailFormat | None = None, timeout: float | None = None,
        **options: Unpack[ThumbnailOptions]) -> pa.RecordBatch:
    """Writes a thumbnail per row and returns one row of `FILE_SCHEMA` for each, in the same order.

    `batch` has the columns of `thumbnails` and also `path` and `output`, the path of the file to write. Without
    `format`, the extension of each output selects the format. The column `bytes` of the result is the size of this
    file. Rows move, pixels do not: the worker reads and writes the files.
    """
    results = list(_results(worker, batch, format, timeout, options, writes_files=True))
    return pa.RecordBatch.from_arrays([
        batch.column("path").cast(pa.string()),
        *_columns(results, "status", "code", "width", "height"),
        pa.array([None if r.status == "failed" else r.byte_count for r in results], pa.int64())], schema=FILE_SCHEMA)


def _columns(results: list[Result], *names: str) -> Iterator[Any]:
    for name in names:
        has_value = name in ("status", "code")
        yield pa.array(
            [getattr(r, name) if has_value or r.status != "failed" else None for r in results],
            SCHEMA.field(name).type)


def _results(
        worker: Worker, batch: pa.RecordBatch, format: ThumbnailFormat | None, timeout: float | None,
        options: ThumbnailOptions, writes_files: bool = False) -> Iterator[Result]:
    names = batch.schema.names
    is_inline = "bytes" in names
    if "ops" not in names or not is_inline and "path" not in names or writes_files and "output" not in names:
        raise ValueError(f"the columns are {names}: expected path or bytes, and ops; output for files")
    sources, sizes = batch.column("bytes" if is_inline else "path"), batch.column("ops")
    outputs = batch.column("output") if writes_files else [None] * batch.num_rows
    is_valid = [
        source.is_valid and size.is_valid and (output is None or output.is_valid)
        for source, size, output in zip(sources, sizes, outputs)]

    def requests() -> Iterator[Request]:
        for source, size, output, valid in zip(sources, sizes, outputs, is_valid):
            if valid:
                # Binary values are not copied: the buffer is a part of the batch.
                value: Source = memoryview(source.as_buffer()) if is_inline else source.as_py()
                yield Request.thumbnail(
                    value, size.as_py(), format=format, output=None if output is None else output.as_py(),
                    timeout=timeout, **options)

    answered = worker.map(requests())
    for valid in is_valid:
        yield next(answered) if valid else Result.failed(InvalidRequest("a column is null", "invalidRequest"))
