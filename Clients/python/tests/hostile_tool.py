"""A program in place of `imagetool worker` that breaks the protocol or dies: hostile_tool.py MODE STARTS

Each start appends one character to the file STARTS.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from typing import Any, Callable, NoReturn

Fields = dict[str, Any]


def read() -> tuple[Fields, bytes]:
    """The next request and its bytes; exits at the end of stdin."""
    line = sys.stdin.buffer.readline()
    if not line:
        sys.exit(0)
    request = json.loads(line)
    return request, sys.stdin.buffer.read(request.get("bytes", 0))


def write(data: object) -> None:
    sys.stdout.buffer.write(data if isinstance(data, bytes) else json.dumps(data).encode() + b"\n")
    sys.stdout.buffer.flush()


def answer(request: Fields, count: int, **changes: object) -> Fields:
    return {
        "id": request["id"], "status": "complete", "code": None, "format": "png", "width": 2, "height": 1,
        "output": "inline", "bytes": count, "milliseconds": 1.0, **changes}


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def serve(reply: Callable[[Fields, bytes], object]) -> NoReturn:
    while True:
        request, data = read()
        reply(request, data)


def good(request: Fields, data: bytes = b"") -> None:
    write(answer(request, 4))
    write(b"good")


def double(request: Fields, data: bytes) -> None:
    good(request)
    good(request)


def dies_after_reading(count: int, generations: int) -> None:
    """The first processes read a number of requests and die; later ones answer."""
    if number <= generations:
        for _ in range(count):
            read()
        die()
    serve(good)


def dies_after_answers(count: int) -> None:
    """The first process answers a number of requests; then each one dies at its first request."""
    if number == 1:
        for _ in range(count):
            good(*read())
    read()
    die()


def dies_with_poison() -> None:
    def reply(request: Fields, data: bytes) -> None:
        if data == b"poison":
            die()
        good(request)
    serve(reply)


def closes_stdin() -> None:
    read()
    os.close(0)
    signal.pause()


def closes_stdout() -> None:
    read()
    os.close(1)
    signal.pause()


def exits_inside_answer(request: Fields, data: bytes) -> None:
    write(answer(request, 1000))
    write(b"x" * 10)
    sys.exit(0)


def dies_inside_answer(request: Fields, data: bytes) -> None:
    write(answer(request, 1000))
    write(b"x" * 10)
    die()


def endless_line(request: Fields, data: bytes) -> None:
    while True:
        write(b"x" * 65536)


def long_error(request: Fields, data: bytes) -> None:
    """The error text of the request `long` repeats 1,000,000 characters as JSON escapes."""
    if data == b"long":
        write(answer(request, 0, status="failed", code="invalidRequest", error="\1" * 1_000_000))
    else:
        good(request)


def silent(request: Fields, data: bytes) -> None:
    pass


def complains_and_exits() -> None:
    sys.stderr.write("error: unknown command worker\n")
    sys.exit(64)


def complains_after_answers() -> None:
    """Exits with the status of a wrong usage, but after an answer."""
    good(*read())
    read()
    complains_and_exits()


def late(request: Fields, data: bytes) -> None:
    """The first answer comes only after the second request."""
    second, _ = read()
    good(second)
    good(request)


MODES: dict[str, Callable[[], object]] = {
    "good": lambda: serve(good),
    "wrong-id": lambda: serve(lambda request, data: write(answer({"id": request["id"] + 1000}, 0))),
    "text-id": lambda: serve(lambda request, data: write(answer({"id": str(request["id"])}, 0))),
    "null-id": lambda: serve(lambda request, data: write(answer({"id": None}, 0))),
    "double": lambda: serve(double),
    "not-json": lambda: serve(lambda request, data: write(b"Segmentation fault\n")),
    "not-object": lambda: serve(lambda request, data: write([1, 2])),
    "not-utf8": lambda: serve(lambda request, data: write(b"\xff\xfe\xfd\n")),
    "deep-json": lambda: serve(lambda request, data: write(b"[" * 200_000 + b"\n")),
    "long-number": lambda: serve(lambda request, data: write(b"1" * 100_000 + b"\n")),
    "long-error": lambda: serve(long_error),
    "endless-line": lambda: serve(endless_line),
    "huge-bytes": lambda: serve(lambda request, data: write(answer(request, 10**18))),
    "negative-bytes": lambda: serve(lambda request, data: write(answer(request, -1))),
    "true-bytes": lambda: serve(lambda request, data: write(answer(request, True))),
    "no-status": lambda: serve(lambda request, data: write({"id": request["id"]})),
    "no-code": lambda: serve(lambda request, data: write({"id": request["id"], "status": "failed", "milliseconds": 1})),
    "no-width": lambda: serve(lambda request, data: write(answer(request, 0, width=None))),
    "no-rows": lambda: serve(lambda request, data: write(answer(request, 0, status="truncated"))),
    "file-output": lambda: serve(lambda request, data: write(answer(request, 4, output="/tmp/other"))),
    "exits-inside-answer": lambda: serve(exits_inside_answer),
    "dies-inside-answer": lambda: serve(dies_inside_answer),
    "exits": lambda: sys.exit(0),
    "complains": complains_and_exits,
    "complains-after-answers": complains_after_answers,
    "dies": lambda: serve(lambda request, data: die()),
    "dies-once-after-4": lambda: dies_after_reading(4, 1),
    "dies-twice-after-1": lambda: dies_after_reading(1, 2),
    "dies-after-8-answers": lambda: dies_after_answers(8),
    "poison": dies_with_poison,
    "silent": lambda: serve(silent),
    "never-reads": signal.pause,
    "closes-stdin": closes_stdin,
    "closes-stdout": closes_stdout,
    "late": lambda: serve(late),
}

if __name__ == "__main__":
    mode, starts = sys.argv[1:3]
    with open(starts, "a") as file:
        file.write(".")
    number = os.path.getsize(starts)
    MODES[mode]()
