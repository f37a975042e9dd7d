"""HTTP/1.1 load generator for a port of 127.0.0.1: closed loops, where a connection sends its next request after the
response, and open loops, where requests are sent at a fixed rate.

wrk and h2load walk one list of targets in step on all connections, so a server that coalesces equal requests
renders once for all of them. Here each target of the list is requested once. A request costs this client about 0.1 ms.
"""

import asyncio
import contextlib
import dataclasses
import math
import time

# Seconds; longer than all deadlines of the servers.
TIMEOUT = 60


@dataclasses.dataclass
class Response:
    """A response and its latency.

    Status 0 means a broken connection. `seconds` counts from the time at which the request was due; `lag` is the part
    of `seconds` that this client caused by sending late.
    """

    status: int
    seconds: float
    bytes: int = 0
    fields: bytes = b""
    ended: float = 0.0
    body: bytes = b""
    lag: float = 0.0

    def field(self, name):
        """Value of a header field; None when it is missing."""
        for line in self.fields.split(b"\r\n")[1:]:
            key, _, value = line.partition(b":")
            if key.strip().lower() == name.lower().encode():
                return value.strip().decode("latin-1")
        return None


class Connection:
    """An HTTP/1.1 connection, opened by its first request and reused by later ones."""

    def __init__(self, port, address="127.0.0.1"):
        self.port, self.address, self.reader, self.writer = port, address, None, None

    async def open(self):
        self.reader, self.writer = await asyncio.open_connection(self.address, self.port)

    async def get(self, target, due=None, keeps_body=False, method="GET", accept=None):
        now = time.perf_counter()
        start = due if due is not None else now
        try:
            async with asyncio.timeout(TIMEOUT):
                response = await self._get(target, keeps_body, method, accept)
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError):
            self.close()
            response = Response(0, 0)
        response.ended = time.perf_counter()
        response.seconds, response.lag = response.ended - start, now - start
        return response

    async def _get(self, target, keeps_body, method, accept):
        if self.writer is None:
            await self.open()
        fields = f"Host: 127.0.0.1:{self.port}\r\n" + (f"Accept: {accept}\r\n" if accept else "")
        self.writer.write(f"{method} {target} HTTP/1.1\r\n{fields}\r\n".encode())
        head = await self.reader.readuntil(b"\r\n\r\n")
        response = Response(int(head[9:12]), 0, fields=head)
        has_body = method != "HEAD" and response.status not in (204, 304)
        length = int(response.field("content-length") or 0) if has_body else 0
        body = await self.reader.readexactly(length) if length else b""
        response.bytes = length
        if keeps_body:
            response.body = body
        if (response.field("connection") or "").lower() == "close":
            self.close()
        return response

    async def disconnect(self, target, after):
        """Sends a request and disconnects after a delay without reading the response."""
        with contextlib.suppress(OSError):
            await self.open()
            self.writer.write(f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n\r\n".encode())
            await asyncio.sleep(after)
        self.close()

    def close(self):
        if self.writer is not None:
            self.writer.close()
        self.reader = self.writer = None


async def _closed(port, targets, connections, seconds, on_response):
    rest, responses = iter(targets), []
    end = None if seconds is None else time.perf_counter() + seconds

    async def work():
        connection = Connection(port)
        for target in rest:
            responses.append(await connection.get(target))
            if on_response:
                on_response(len(responses))
            if end is not None and responses[-1].ended > end:
                break
        connection.close()

    await asyncio.gather(*(work() for _ in range(connections)))
    return responses


def closed(port, targets, connections, seconds=None, on_response=None):
    """Responses to all targets, or to those requested within `seconds` seconds."""
    return asyncio.run(_closed(port, targets, connections, seconds, on_response))


async def _open(port, targets, rate, seconds):
    idle, responses, tasks = [], [], set()

    async def request(target, due):
        connection = idle.pop() if idle else Connection(port)
        responses.append(await connection.get(target, due))
        idle.append(connection)

    start = time.perf_counter()
    for number, target in enumerate(targets):
        due = start + number / rate
        if due - start >= seconds:
            break
        wait = due - time.perf_counter()
        if wait > 0:
            await asyncio.sleep(wait)
        task = asyncio.ensure_future(request(target, due))
        tasks.add(task)
        task.add_done_callback(tasks.discard)
    while tasks:
        await asyncio.wait(tasks)
    for connection in idle:
        connection.close()
    return responses, start


def open_loop(port, targets, rate, seconds):
    """Responses to requests at a fixed rate, and the start time."""
    return asyncio.run(_open(port, targets, rate, seconds))


async def _at_once(port, targets, accepts):
    connections = [Connection(port) for _ in targets]
    await asyncio.gather(*(connection.open() for connection in connections))
    responses = await asyncio.gather(
        *(connection.get(target, keeps_body=True, accept=accept)
          for connection, target, accept in zip(connections, targets, accepts)))
    for connection in connections:
        connection.close()
    return responses


def at_once(port, targets, accepts=None):
    """Responses to concurrent requests, each on a connection that was opened before the requests.

    `accepts` contains the Accept field of each request; None sends no field.
    """
    return asyncio.run(_at_once(port, targets, accepts or [None] * len(targets)))


def one(port, target, method="GET"):
    """One response, with its body."""
    async def request():
        connection = Connection(port)
        response = await connection.get(target, keeps_body=True, method=method)
        connection.close()
        return response

    return asyncio.run(request())


def percentile(values, share):
    """Nearest-rank percentile: smallest value not exceeded by at least `share` of the values; 0 for no values."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered) - 1e-9) - 1)] if ordered else 0.0
