"""A program in place of `imagetool worker` that breaks the protocol or dies: hostile_tool.py MODE STARTS

Each start appends one character to the file STARTS.
"""

import json
import os
import signal
import sys


def read():
    """The next request and its bytes; exits at the end of stdin."""
    line = sys.stdin.buffer.readline()
    if not line:
        sys.exit(0)
    request = json.loads(line)
    return request, sys.stdin.buffer.read(request.get("bytes", 0))


def write(data):
    sys.stdout.buffer.write(data if isinstance(data, bytes) else json.dumps(data).encode() + b"\n")
    sys.stdout.buffer.flush()


def answer(request, count, **changes):
    return {
        "id": request["id"], "status": "complete", "code": None, "format": "png", "width": 2, "height": 1,
        "output": "inline", "bytes": count, "milliseconds": 1.0, **changes}


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def serve(reply):
    while True:
        request, data = read()
        reply(request, data)


def good(request, data=b""):
    write(answer(request, 4))
    write(b"good")


def double(request, data):
    good(request)
    good(request)


def dies_after_reading(count, generations):
    """The first processes read a number of requests and die; later ones answer."""
    if number <= generations:
        for _ in range(count):
            read()
        die()
    serve(good)


def dies_with_poison():
    def reply(request, data):
        if data == b"poison":
            die()
        good(request)
    serve(reply)


def closes_stdin():
    read()
    os.close(0)
    signal.pause()


def closes_stdout():
    read()
    os.close(1)
    signal.pause()


def exits_inside_answer(request, data):
    write(answer(request, 1000))
    write(b"x" * 10)
    sys.exit(0)


def dies_inside_answer(request, data):
    write(answer(request, 1000))
    write(b"x" * 10)
    die()


def endless_line(request, data):
    while True:
        write(b"x" * 65536)


def silent(request, data):
    pass


def complains_and_exits():
    sys.stderr.write("error: unknown command worker\n")
    sys.exit(64)


def late(request, data):
    """The first answer comes only after the second request."""
    second, _ = read()
    good(second)
    good(request)


MODES = {
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
    "dies": lambda: serve(lambda request, data: die()),
    "dies-once-after-4": lambda: dies_after_reading(4, 1),
    "dies-twice-after-1": lambda: dies_after_reading(1, 2),
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
