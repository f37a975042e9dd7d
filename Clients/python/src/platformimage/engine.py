"""The thread that exchanges requests and answers with one worker process at a time.

One thread per `Engine` owns the process and its pipes, all of which are non-blocking. Therefore a full pipe in one
direction never blocks the other direction. Callers wait for futures. The thread resolves every future exactly once.
"""

from __future__ import annotations

import atexit
import logging
import os
import selectors
import threading
import time
import weakref
from collections import deque
from concurrent.futures import Future
from dataclasses import replace
from typing import Union

from .errors import InvalidRequest, PlatformImageError, ProtocolError, RequestTimedOut, WorkerClosed, WorkerDied
from .errors import WorkerUnavailable
from .process import Settings, WorkerProcess, descriptors_lock
from .protocol import AnswerReader, Violation
from .requests import EncodedRequest, Request, Result, encode, not_a_request, source_name

logger = logging.getLogger("platformimage")

# The worker reports an expired time limit itself; after these seconds the client does so in its place.
TIMEOUT_GRACE = 1.0
# Bytes that are prepared for writing; one request may exceed this.
MAX_PREPARED_BYTES = 1 << 18
PROBE_TIMEOUT = 30.0
# Exit statuses of a process that refuses its settings: wrong usage or no decoder, no root folder.
_REFUSALS = (64, 66)
# The lines of stderr after this one repeat the options of the command.
_USAGE = "\nUsage: "
# A BMP of 1 x 1 pixel: a process that cannot answer a request for it is broken.
_PROBE_IMAGE = (
    b"BM" + (58).to_bytes(4, "little") + bytes(4) + (54).to_bytes(4, "little") + (40).to_bytes(4, "little")
    + (1).to_bytes(4, "little") * 2 + (1).to_bytes(2, "little") + (24).to_bytes(2, "little") + bytes(24 + 4))
_engines: weakref.WeakSet[Engine] = weakref.WeakSet()


class _Pending:
    """A request and its future."""

    __slots__ = ("attempts", "deadline", "encoded", "future", "is_resolved", "is_sent", "request")

    def __init__(self, request: Request, encoded: EncodedRequest) -> None:
        self.request = request
        self.encoded = encoded
        self.future: Future[Result] = Future()
        self.attempts = 0
        self.is_sent = False
        self.is_resolved = False
        self.deadline = float("inf")

    @property
    def is_discarded(self) -> bool:
        return self.is_resolved or self.future.cancelled()

    def resolve(self, result: Union[Result, PlatformImageError]) -> None:
        """Completes the future, unless it is complete or cancelled."""
        if self.is_resolved:
            return
        self.is_resolved = True
        if not self.future.set_running_or_notify_cancel():
            return
        if isinstance(result, Result):
            self.future.set_result(replace(result, source=self.encoded.source))
        else:
            self.future.set_exception(result)


class Engine:
    """Sends requests to a worker process, which it starts for the first request and restarts after its death."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._reset()
        _engines.add(self)

    def _reset(self) -> None:
        # Re-entrant: a finalizer can run in the thread that holds the lock.
        self._lock = threading.RLock()
        self._inbox: deque[_Pending] = deque()
        self._thread: threading.Thread | None = None
        self._exchange: _Exchange | None = None
        self._is_closing = False
        self._is_cancelling = False
        self._is_woken = False
        self._owner = os.getpid()

    def submit(self, request: Request) -> Future[Result]:
        """Returns a future of the result. Failures of the request are results; other errors are exceptions."""
        if not isinstance(request, Request):
            raise not_a_request(request)
        if self._owner != os.getpid():
            self.reset_in_child()  # a fork that did not run the handlers of os.register_at_fork
        try:
            pending = _Pending(request, encode(request, self.settings.timeout, self.settings.root))
        except InvalidRequest as error:
            refused: Future[Result] = Future()
            refused.set_result(replace(Result.failed(error), source=source_name(request.source)))
            return refused
        with self._lock:
            if self._is_closing:
                raise WorkerClosed("the worker is closed", "workerClosed")
            if self._thread is None:
                self._start_thread()
            self._inbox.append(pending)
            self._wake()
        return pending.future

    def _start_thread(self) -> None:
        self._exchange = _Exchange(self)
        self._thread = threading.Thread(target=self._exchange.run, name="platformimage", daemon=True)
        try:
            self._thread.start()
        except Exception:
            # No thread was created, for example because of a limit of the system; the next request retries.
            with descriptors_lock:
                self._exchange.close_descriptors()
            self._exchange = self._thread = None
            raise

    def close(self, cancel: bool = False) -> None:
        """Waits for all requests, or fails them, and ends the process and the thread."""
        self.begin_close(cancel)
        thread = self._thread
        if thread is not None and thread is not threading.current_thread() and self._owner == os.getpid():
            thread.join()

    def begin_close(self, cancel: bool = True) -> None:
        with self._lock:
            self._is_closing = True
            self._is_cancelling |= cancel
            self._wake()

    @property
    def pid(self) -> int | None:
        """Process id of the worker; `None` when none runs."""
        exchange = self._exchange
        process = exchange.process if exchange else None
        return process.pid if process else None

    def _wake(self) -> None:
        if self._exchange is not None and not self._is_woken:
            self._is_woken = self._exchange.wake()

    def drain_inbox(self) -> tuple[list[_Pending], bool, bool]:
        """New requests, whether the engine closes, and whether all requests are cancelled."""
        with self._lock:
            self._is_woken = False
            drained = list(self._inbox)
            self._inbox.clear()
            return drained, self._is_closing, self._is_cancelling

    def thread_ended(self) -> list[_Pending]:
        """Refuses further requests; returns those that the thread has not drained."""
        with self._lock:
            self._is_closing = True
            self._exchange = None
            drained = list(self._inbox)
            self._inbox.clear()
            return drained

    def reset_in_child(self) -> None:
        """Discards the state of the parent's process; `descriptors_lock` is held, except after an unusual fork."""
        if self._exchange is not None:
            self._exchange.abandon_in_child()
        is_closed = self._is_closing
        self._reset()
        self._is_closing = is_closed


class _Exchange:
    """The state of the thread."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._settings = engine.settings
        self._max_in_flight = engine.settings.requests_in_flight
        self.process: WorkerProcess | None = None
        self._reader: AnswerReader | None = None
        self._queue: deque[_Pending] = deque()
        self._in_flight: dict[int, _Pending] = {}
        self._outgoing: deque[tuple[_Pending, memoryview]] = deque()
        self._waits_for_stdin = False
        self._stdin_broke_at = float("inf")
        self._last_id = 0
        # Times at which processes ended since the last answer.
        self._ends: deque[float] = deque()
        self._last_end = ""
        self._violated_protocol = False
        with descriptors_lock:
            self._selector = selectors.DefaultSelector()
            self._wake_out, self._wake_in = os.pipe()
            os.set_blocking(self._wake_out, False)
            os.set_blocking(self._wake_in, False)
            self._selector.register(self._wake_out, selectors.EVENT_READ)

    def wake(self) -> bool:
        try:
            os.write(self._wake_in, b"\0")
        except BlockingIOError:
            pass  # the pipe is full, so the thread wakes up
        return True

    def run(self) -> None:
        cause: PlatformImageError = WorkerClosed("the worker is closed", "workerClosed")
        try:
            while self._step():
                pass
        except BaseException as error:
            logger.exception("the thread of the worker failed")
            cause = WorkerUnavailable(f"the thread of the worker failed: {error!r}", "workerUnavailable")
        finally:
            rest = self._engine.thread_ended()
            if self.process is not None:
                self._stop(0, kill=True)
            for pending in [*self._in_flight.values(), *self._queue, *rest]:
                pending.resolve(cause)
            with descriptors_lock:
                self.close_descriptors()

    def _step(self) -> bool:
        """Handles one group of events. Returns false when the thread has to end."""
        added, is_closing, is_cancelling = self._engine.drain_inbox()
        self._queue.extend(added)
        if is_cancelling:
            return False
        if is_closing and not self._queue and not self._in_flight:
            if self.process is not None:
                self.process.close_stdin()
                self._stop(self._settings.close_timeout)
            return False
        now = time.monotonic()
        if self.process is None and self._queue:
            self._start(now)
        self._prepare()
        if is_closing and not self._queue and not self._in_flight:
            return True  # the last requests failed or were cancelled: the next step ends the thread, without an event
        self._write(now)
        for key, _ in self._selector.select(self._seconds_to_deadline(time.monotonic())):
            if self._is_handled(key.fd):
                break  # the process ended; the other events belong to its descriptors
        self._check_deadlines(time.monotonic())
        return True

    def _is_handled(self, descriptor: int) -> bool:
        """Handles one event. Returns true when the process has ended."""
        process = self.process
        if descriptor == self._wake_out:
            try:
                os.read(self._wake_out, 64)
            except BlockingIOError:
                pass
        elif process is None:
            return True
        elif descriptor == process.stdout:
            return self._read(process)
        elif descriptor == process.stderr:
            text = process.read_stderr()
            if text:
                logger.warning("imagetool worker: %s", text.decode(errors="replace").strip())
            else:
                self._selector.unregister(process.stderr)
        elif descriptor == process.pidfd:
            while not self._read(process, is_last=True):
                pass
            return True
        return False

    # ------------------------------------------------------------ start and end of the process

    def _start(self, now: float) -> None:
        """Starts a process, or fails all requests."""
        while self._ends and now - self._ends[0] > self._settings.restart_period:
            self._ends.popleft()
        if len(self._ends) > self._settings.restarts:
            self._fail_queue(
                f"the worker ended {len(self._ends)} times in {self._settings.restart_period:g} seconds without an "
                f"answer; the last time with {self._last_end}")
            return
        try:
            self.process = WorkerProcess(self._settings.command())
        except (OSError, ValueError) as error:  # ValueError: an argument contains a null character
            self._fail_queue(f"the worker cannot be started: {error}")
            return
        self._reader = AnswerReader(self._request_of, self._settings.max_answer_bytes)
        for descriptor in (self.process.stdout, self.process.stderr, self.process.pidfd):
            if descriptor is not None:
                self._selector.register(descriptor, selectors.EVENT_READ)
        if self._ends and len(self._ends) == self._settings.restarts and not self._violated_protocol:
            self._queue.appendleft(self._probe())

    def _probe(self) -> _Pending:
        """A request that a working process answers.

        Several requests in a row can each end their processes, without an answer in between. The last permitted process
        answers this request first: only a process that cannot do that ends the other requests.
        """
        request = Request.thumbnail(_PROBE_IMAGE, 1, format="png")
        probe = _Pending(request, encode(request, min(self._settings.timeout, PROBE_TIMEOUT), self._settings.root))
        # As a repeated request: it is alone in flight, and it is not repeated again.
        probe.attempts = max(1, self._settings.retries)
        return probe

    def _request_of(self, id: int) -> Request | None:
        pending = self._in_flight.get(id)
        return pending.request if pending is not None and pending.is_sent else None

    def _fail_queue(self, message: str) -> None:
        while self._queue:
            self._queue.popleft().resolve(WorkerUnavailable(message, "workerUnavailable"))

    def _stop(self, seconds: float, kill: bool = False) -> tuple[int, str]:
        """Ends the process within a time and closes its descriptors. Returns its exit status and a text about it."""
        process = self.process
        assert process is not None
        self._wait_for_stdin(False)
        self._outgoing.clear()
        self._stdin_broke_at = float("inf")
        for descriptor in (process.stdout, process.stderr, process.pidfd):
            if descriptor is not None and descriptor in self._selector.get_map():
                self._selector.unregister(descriptor)
        self.process = None
        status = process.end(seconds, signal_first=kill)
        return status, process.describe_end(status)

    def _process_ended(self, now: float, violation: str | None = None, is_hung: bool = False) -> None:
        """Repeats or fails the requests in flight after the end of the process, or ends a faulty process."""
        is_inside_answer = self._reader is not None and self._reader.is_inside_answer
        has_answered = is_inside_answer or self.process is not None and self.process.has_answered
        status, text = self._stop(1.0, kill=is_hung or violation is not None)
        text = text.partition(_USAGE)[0]
        self._last_end = f"a violation of the protocol: {violation}" if violation else text
        self._violated_protocol = violation is not None
        if violation is None and not has_answered and status in _REFUSALS:
            # No request is the cause: a process with the same settings ends in the same way.
            self._queue.extendleft(reversed(self._in_flight.values()))
            self._in_flight.clear()
            self._fail_queue(f"the worker cannot be started: {text}")
            return
        self._ends.append(now)
        if violation is None and is_inside_answer and text.startswith("exit status 0"):
            violation = "the worker exited in the middle of an answer"
        repeated = []
        for pending in self._in_flight.values():
            if pending.is_discarded:
                pending.resolve(RequestTimedOut("", "timedOut"))
            elif not pending.is_sent:
                repeated.append(pending)
            elif violation is not None:
                pending.resolve(Result.failed(ProtocolError(violation, "protocolError")))
            elif pending.attempts < self._settings.retries:
                pending.attempts += 1
                pending.is_sent, pending.deadline = False, float("inf")
                repeated.append(pending)
            else:
                pending.resolve(Result.failed(WorkerDied(f"the worker ended with {text}", "workerDied")))
        logger.warning(
            "the worker ended with %s; %d of %d requests in flight are repeated", self._last_end, len(repeated),
            len(self._in_flight))
        self._in_flight.clear()
        self._queue.extendleft(reversed(repeated))

    # ------------------------------------------------------------ writing

    def _prepare(self) -> None:
        """Moves requests from the queue to the process."""
        prepared = sum(view.nbytes for _, view in self._outgoing)
        # Requests that were in flight when a process died are repeated one at a time: if one of them is the cause,
        # the others are not in flight when it ends the next process.
        is_repeating = any(pending.attempts for pending in self._in_flight.values())
        while self._queue and self.process is not None and self.process.stdin is not None:
            pending = self._queue[0]
            if pending.is_discarded:
                self._queue.popleft().resolve(RequestTimedOut("", "timedOut"))
                continue
            if (len(self._in_flight) >= self._max_in_flight or prepared > MAX_PREPARED_BYTES or is_repeating
                    or pending.attempts and self._in_flight):
                return
            self._queue.popleft()
            self._last_id += 1
            self._in_flight[self._last_id] = pending
            is_repeating = pending.attempts > 0
            line = memoryview(b'{"id":%d,%b}\n' % (self._last_id, pending.encoded.members))
            self._outgoing.append((pending, line))
            prepared += line.nbytes
            if pending.encoded.payload is not None and pending.encoded.payload.nbytes:
                self._outgoing.append((pending, pending.encoded.payload))
                prepared += pending.encoded.payload.nbytes

    def _write(self, now: float) -> None:
        process = self.process
        while process is not None and process.stdin is not None and self._outgoing:
            parts = [self._outgoing[index] for index in range(min(len(self._outgoing), 64))]
            try:
                written = os.writev(process.stdin, [view for _, view in parts])
            except BlockingIOError:
                self._wait_for_stdin(True)
                return
            except OSError:
                # The end of the process is reported by its stdout, which may contain further answers. A process that
                # only closed its stdin is ended.
                self._wait_for_stdin(False)
                process.close_stdin()
                self._outgoing.clear()
                self._stdin_broke_at = now
                return
            while written:
                pending, view = self._outgoing.popleft()
                if not pending.is_sent:
                    pending.is_sent, pending.deadline = True, now + pending.encoded.timeout
                if written < view.nbytes:
                    self._outgoing.appendleft((pending, view[written:]))
                    written = 0
                else:
                    written -= view.nbytes
            self._prepare()
        self._wait_for_stdin(False)

    def _wait_for_stdin(self, waits: bool) -> None:
        if waits == self._waits_for_stdin or self.process is None or self.process.stdin is None:
            return
        self._waits_for_stdin = waits
        if waits:
            self._selector.register(self.process.stdin, selectors.EVENT_WRITE)
        else:
            self._selector.unregister(self.process.stdin)

    # ------------------------------------------------------------ reading

    def _read(self, process: WorkerProcess, is_last: bool = False) -> bool:
        """Reads and delivers answers. Returns true when the process has ended."""
        assert self._reader is not None
        try:
            chunk = os.read(process.stdout, self._reader.wanted_bytes)
        except BlockingIOError:
            if not is_last:
                return False
            chunk = b""
        if not chunk:
            self._process_ended(time.monotonic())
            return True
        try:
            for id, result in self._reader.feed(chunk):
                self._ends.clear()
                process.has_answered = True
                self._in_flight.pop(id).resolve(result)
        except Violation as violation:
            self._process_ended(time.monotonic(), violation=str(violation))
            return True
        return False

    # ------------------------------------------------------------ time limits

    def _seconds_to_deadline(self, now: float) -> float | None:
        if self.process is None:
            return None
        deadlines = [
            self._kill_time(pending) if pending.is_discarded else pending.deadline + TIMEOUT_GRACE
            for pending in self._in_flight.values()]
        first = min([*deadlines, self._stdin_broke_at + TIMEOUT_GRACE])
        return None if first == float("inf") else max(0.0, first - now)

    def _kill_time(self, pending: _Pending) -> float:
        """The time at which a request without an answer ends the process."""
        return pending.deadline + max(self._settings.kill_after, TIMEOUT_GRACE)

    def _check_deadlines(self, now: float) -> None:
        is_hung = now >= self._stdin_broke_at + TIMEOUT_GRACE
        for pending in self._in_flight.values():
            if now >= pending.deadline + TIMEOUT_GRACE and not pending.is_discarded:
                pending.resolve(Result.failed(RequestTimedOut(
                    f"no answer after {pending.encoded.timeout:g} seconds", "timedOut")))
            is_hung |= now >= self._kill_time(pending)
        if is_hung and self.process is not None:
            self._process_ended(now, is_hung=True)

    # ------------------------------------------------------------ descriptors

    def close_descriptors(self) -> None:
        self._selector.close()
        os.close(self._wake_out)
        os.close(self._wake_in)

    def abandon_in_child(self) -> None:
        """Closes the descriptors in a forked process. The selector is shared with the parent: it is only closed."""
        self.close_descriptors()
        if self.process is not None:
            self.process.abandon_in_child()


def _after_fork_in_child() -> None:
    try:
        for engine in list(_engines):
            engine.reset_in_child()
    finally:
        descriptors_lock.release()


def _at_exit() -> None:
    engines = list(_engines)
    for engine in engines:
        engine.begin_close(cancel=True)
    for engine in engines:
        engine.close(cancel=True)


os.register_at_fork(
    before=descriptors_lock.acquire, after_in_parent=descriptors_lock.release, after_in_child=_after_fork_in_child)
atexit.register(_at_exit)
