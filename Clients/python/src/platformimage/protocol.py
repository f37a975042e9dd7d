"""The stream of answers: JSON lines, each followed by the announced number of bytes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Callable, Iterator

from .requests import ImageInfo, Request, Result

# An error text can repeat parts of a request, of at most 1 MiB, as JSON escapes of 6 bytes per character.
MAX_ANSWER_LINE_BYTES = 8 << 20
_STATUSES = ("complete", "truncated", "corrupt", "failed")


class Violation(Exception):
    """The stream does not follow the protocol."""


@dataclass
class _Announced:
    """An answer whose bytes follow."""

    id: int
    fields: dict[str, Any]
    byte_count: int
    payload: bytearray


class AnswerReader:
    """Splits a stream into answers and checks each of them against its request.

    `request_of` returns the request of an id that is in flight, otherwise `None`. Memory grows with the received bytes,
    not with the announced ones.
    """

    def __init__(self, request_of: Callable[[int], Request | None], max_answer_bytes: int) -> None:
        self._request_of = request_of
        self._max_answer_bytes = max_answer_bytes
        self._line = bytearray()
        self._announced: _Announced | None = None

    @property
    def is_inside_answer(self) -> bool:
        return bool(self._line) or self._announced is not None

    @property
    def wanted_bytes(self) -> int:
        """Bytes to read next: the rest of the announced bytes, within limits."""
        if self._announced is None:
            return 1 << 16
        return min(max(self._announced.byte_count - len(self._announced.payload), 1 << 16), 1 << 20)

    def feed(self, chunk: bytes) -> Iterator[tuple[int, Result]]:
        """Returns the answers that the chunk completes. Raises Violation."""
        position, view = 0, memoryview(chunk)
        while position < len(chunk):
            announced = self._announced
            if announced is None:
                end = chunk.find(b"\n", position)
                if end < 0:
                    self._line += view[position:]
                    position = len(chunk)
                else:
                    self._line += view[position:end]
                    position = end + 1
                if len(self._line) > MAX_ANSWER_LINE_BYTES:
                    raise Violation(f"a line has more than {MAX_ANSWER_LINE_BYTES} bytes")
                if end < 0:
                    return
                line, self._line = self._line, bytearray()
                announced = self._announced = self._parse(line)
            missing = announced.byte_count - len(announced.payload)
            part = view[position:position + missing]
            announced.payload += part
            position += len(part)
            if len(announced.payload) == announced.byte_count:
                self._announced = None
                yield announced.id, self._result(announced)

    def _parse(self, line: bytearray) -> _Announced:
        try:
            fields = json.loads(line)
        except (ValueError, RecursionError):
            raise Violation(f"a line is not JSON: {bytes(line[:80])!r}") from None
        if not isinstance(fields, dict):
            raise Violation(f"a line is not an object: {bytes(line[:80])!r}")
        id = fields.get("id")
        if type(id) is not int or (request := self._request_of(id)) is None:
            raise Violation(f"no request in flight has the id {id!r}: {bytes(line[:200])!r}")
        status = fields.get("status")
        if status not in _STATUSES:
            raise Violation(f"status is {status!r}")
        milliseconds = fields.get("milliseconds")
        if isinstance(milliseconds, bool) or not isinstance(milliseconds, (int, float)):
            raise Violation(f"milliseconds is {milliseconds!r}")
        if status == "failed":
            if not isinstance(fields.get("code"), str) or not isinstance(fields.get("error"), str):
                raise Violation("a failed answer has no code and error")
            return _Announced(id, fields, 0, bytearray())
        return _Announced(id, fields, self._announced_bytes(request, fields), bytearray())

    def _announced_bytes(self, request: Request, fields: dict[str, Any]) -> int:
        """Checks the members of a successful answer; returns the number of bytes that follow."""
        width, height = _count(fields, "width"), _count(fields, "height")
        if not isinstance(fields.get("format"), str):
            raise Violation(f"format is {fields.get('format')!r}")
        if fields["status"] == "truncated":
            _count(fields, "rows")
        warnings = fields.get("warnings", [])
        if not isinstance(warnings, list) or not all(isinstance(warning, str) for warning in warnings):
            raise Violation(f"warnings is {warnings!r}")
        if request.op == "info":
            facts = Result("complete", facts=fields)
            try:
                ImageInfo.from_result(facts)
            except ValueError as error:
                raise Violation(str(error)) from None
            return 0
        output, count = fields.get("output"), _count(fields, "bytes")
        if not isinstance(output, str) or (output == "inline") != (request.output is None):
            raise Violation(f"output is {output!r}")
        if output != "inline":
            return 0
        if count > self._max_answer_bytes:
            raise Violation(f"an answer announces {count} bytes, at most {self._max_answer_bytes}")
        if request.op == "decode" and request.format == "raw" and count != 4 * width * height:
            raise Violation(f"{count} bytes are not {width} x {height} pixels")
        return count

    def _result(self, announced: _Announced) -> Result:
        fields, request = announced.fields, self._request_of(announced.id)
        if fields["status"] == "failed":
            return Result("failed", fields["code"], fields["error"], milliseconds=fields["milliseconds"])
        is_info, is_inline = request is None or request.op == "info", fields.get("output") == "inline"
        data: bytes | bytearray | None = None
        if is_inline and not is_info:
            data = announced.payload if request is not None and request.op == "decode" else bytes(announced.payload)
        return Result(
            status=fields["status"], format=fields["format"], width=fields["width"],
            height=fields["height"], data=data, byte_count=fields.get("bytes", 0),
            output=None if is_inline else fields.get("output"), rows=fields.get("rows"),
            warnings=tuple(fields.get("warnings", ())),
            milliseconds=fields["milliseconds"], facts=fields if is_info else {})


def _count(fields: dict[str, Any], name: str) -> int:
    value = fields.get(name)
    if type(value) is not int or value < 0:
        raise Violation(f"{name} is {value!r}")
    return value
