"""Death of processes, broken tools and time limits."""

from __future__ import annotations

import os
import pathlib
import select
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Callable

import pytest
from conftest import bmp, children, descriptors, expected, images

from platformimage import (
    ProtocolError, Request, RequestTimedOut, Worker, WorkerClosed, WorkerDied, WorkerUnavailable)

Hostile = Callable[[str], str]
Starts = Callable[[str], int]
THUMBNAIL = Request.thumbnail(b"image", 64)
VIOLATIONS = [
    "wrong-id", "text-id", "null-id", "not-json", "not-object", "not-utf8", "deep-json", "long-number", "endless-line",
    "huge-bytes", "negative-bytes", "true-bytes", "no-status", "no-code", "no-width", "no-rows", "file-output",
    "exits-inside-answer"]


@pytest.mark.parametrize("mode", VIOLATIONS)
def test_violation_of_the_protocol_is_a_typed_error(mode: str, hostile: Hostile, starts: Starts) -> None:
    before = descriptors()
    with Worker(jobs=1, tool=hostile(mode)) as worker:
        error = worker.run(THUMBNAIL).exception

    assert isinstance(error, ProtocolError) and error.code == "protocolError"
    assert starts(mode) == 1
    assert descriptors() == before


def test_pixels_of_another_size_are_a_violation(hostile: Hostile) -> None:
    with Worker(jobs=1, tool=hostile("good")) as worker:
        assert isinstance(worker.run(Request.decode(b"image")).exception, ProtocolError)
        assert isinstance(worker.run(Request.info(b"image")).exception, ProtocolError)
        assert worker.thumbnail(b"image", 64) == b"good"


def test_long_error_text_fails_only_its_request(hostile: Hostile, starts: Starts) -> None:
    mode = "long-error"
    with Worker(jobs=1, tool=hostile(mode)) as worker:
        results = list(worker.map([THUMBNAIL, Request.thumbnail(b"long", 64), THUMBNAIL]))
    assert [result.code for result in results] == [None, "invalidRequest", None]
    assert starts(mode) == 1


def test_second_answer_to_a_request_is_not_delivered(hostile: Hostile) -> None:
    with Worker(jobs=1, tool=hostile("double"), max_in_flight=1) as worker:
        results = [worker.run(THUMBNAIL) for _ in range(4)]
    assert {result.code for result in results} <= {None, "protocolError"}
    assert all(result.data == b"good" for result in results if result.code is None)
    assert results[0].code is None


def test_repeated_violations_end_with_worker_unavailable(hostile: Hostile, starts: Starts) -> None:
    with Worker(jobs=1, tool=hostile("not-json"), restarts=2) as worker:
        for _ in range(3):
            assert worker.run(THUMBNAIL).code == "protocolError"
        with pytest.raises(WorkerUnavailable, match="ended 3 times in 60 seconds.*not JSON"):
            worker.run(THUMBNAIL)
    assert starts("not-json") == 3


@pytest.mark.parametrize("mode", ["exits", "dies", "dies-inside-answer"])
def test_crash_loop_ends_with_a_clear_error(mode: str, hostile: Hostile, starts: Starts) -> None:
    before = descriptors()
    with Worker(jobs=1, tool=hostile(mode), restarts=3) as worker:
        codes = []
        with pytest.raises(WorkerUnavailable) as raised:
            while True:
                codes.append(worker.run(THUMBNAIL).code)
    assert set(codes) <= {"workerDied"} and len(codes) <= 4
    assert starts(mode) == 4
    assert "ended 4 times" in str(raised.value)
    assert descriptors() == before


def test_process_that_refuses_its_settings_is_started_once(hostile: Hostile, starts: Starts) -> None:
    before = descriptors()
    with Worker(jobs=1, tool=hostile("complains")) as worker:
        with pytest.raises(WorkerUnavailable, match="exit status 64: error: unknown command worker"):
            list(worker.map([THUMBNAIL] * 8))
    assert starts("complains") == 1
    assert descriptors() == before


def test_same_exit_status_after_an_answer_concerns_the_request(hostile: Hostile) -> None:
    with Worker(jobs=1, tool=hostile("complains-after-answers"), max_in_flight=1, retries=0) as worker:
        assert [worker.run(THUMBNAIL).code for _ in range(4)] == [None, "workerDied"] * 2


def test_missing_tool_is_unavailable() -> None:
    with Worker(tool="/none/imagetool") as worker, pytest.raises(WorkerUnavailable, match="/none/imagetool"):
        worker.info(b"image")


def test_without_retries_exactly_the_requests_in_flight_fail(hostile: Hostile, starts: Starts) -> None:
    mode = "dies-once-after-4"
    with Worker(jobs=1, tool=hostile(mode), max_in_flight=4, retries=0) as worker:
        results = list(worker.map([THUMBNAIL] * 8))
    assert [result.code for result in results] == ["workerDied"] * 4 + [None] * 4
    assert isinstance(results[0].exception, WorkerDied) and "SIGKILL" in str(results[0].error)
    assert starts(mode) == 2


def test_with_retries_no_request_fails(hostile: Hostile, starts: Starts) -> None:
    for mode, retries in (("dies-once-after-4", 1), ("dies-twice-after-1", 2)):
        with Worker(jobs=1, tool=hostile(mode), max_in_flight=4, retries=retries) as worker:
            assert [result.data for result in worker.map([THUMBNAIL] * 8)] == [b"good"] * 8
        assert starts(mode) == 1 + retries


def test_only_the_request_that_ends_the_process_twice_fails(hostile: Hostile) -> None:
    requests = [THUMBNAIL] * 8
    requests[2] = Request.thumbnail(b"poison", 64)
    with Worker(jobs=1, tool=hostile("poison"), max_in_flight=4) as worker:
        codes = [result.code for result in worker.map(requests)]
    assert codes == [None, None, "workerDied", None, None, None, None, None]


@pytest.mark.parametrize("batch", [
    "gPgPgPg", "PPPg", "gPPPPPPPPPP", "PgPPgPPPgPPPPgPPPPPg", "PPPPPPPPPPPPPPPPPPPP", "P", "gggggggggggggggP"])
@pytest.mark.parametrize(
    ("retries", "restarts", "max_in_flight"), [(1, 5, 1), (1, 1, 1), (0, 1, 1), (3, 2, 1), (1, 5, 4), (2, 1, 3)])
def test_requests_that_end_their_processes_get_rows_and_do_not_end_the_batch(
        batch: str, retries: int, restarts: int, max_in_flight: int, hostile: Hostile, starts: Starts) -> None:
    requests = [Request.thumbnail(b"poison" if letter == "P" else b"image", 64) for letter in batch]
    with Worker(
            jobs=1, tool=hostile("poison"), max_in_flight=max_in_flight, retries=retries,
            restarts=restarts) as worker:
        codes = [result.code for result in worker.map(requests)]
    assert codes == ["workerDied" if letter == "P" else None for letter in batch]
    # Each of these requests ends 1 + retries processes, and no other one does.
    assert starts("poison") <= 1 + batch.count("P") * (1 + retries)


def test_process_that_answers_nothing_ends_the_batch_after_earlier_answers(hostile: Hostile, starts: Starts) -> None:
    mode = "dies-after-8-answers"
    with Worker(jobs=1, tool=hostile(mode), max_in_flight=1, restarts=3) as worker:
        assert [worker.run(THUMBNAIL).code for _ in range(8)] == [None] * 8
        with pytest.raises(WorkerUnavailable, match="ended 4 times in 60 seconds without an answer"):
            list(worker.map([THUMBNAIL] * 8))
    assert starts(mode) == 4


@pytest.mark.parametrize("mode", ["silent", "never-reads", "closes-stdin", "closes-stdout"])
def test_unresponsive_tool_does_not_block(mode: str, hostile: Hostile) -> None:
    before = descriptors()
    # More than a pipe can hold, so that the write cannot complete.
    request = Request.thumbnail(bytes(4 << 20), 64, timeout=0.01)
    with Worker(jobs=1, tool=hostile(mode), kill_after=1, close_timeout=0.01, restarts=100) as worker:
        error = worker.run(request).exception
    assert isinstance(error, (RequestTimedOut, WorkerDied))
    assert descriptors() == before


def test_cancelled_request_is_awaited_without_polling(hostile: Hostile) -> None:
    with Worker(jobs=1, tool=hostile("silent"), kill_after=0.001, retries=0, max_in_flight=2) as worker:
        cancelled = worker._engine.submit(Request.thumbnail(b"image", 64, timeout=0.001))
        exchange = worker._engine._exchange
        while exchange is not None and not any(pending.is_sent for pending in list(exchange._in_flight.values())):
            time.sleep(0.001)
        cancelled.cancel()
        before = time.process_time()
        # The cancelled request ends the process 1 second after its time limit.
        assert worker.run(THUMBNAIL).code == "workerDied"
        assert time.process_time() - before < 0.1


def test_thread_that_cannot_start_concerns_one_request(hostile: Hostile, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    before = descriptors()
    with Worker(jobs=1, tool=hostile("good")) as worker:
        with monkeypatch.context() as patch, pytest.raises(RuntimeError, match="new thread"):
            patch.setattr(threading.Thread, "start", fail)
            worker.run(THUMBNAIL)
        assert descriptors() == before
        assert worker.thumbnail(b"image", 64) == b"good"
    assert descriptors() == before


def test_close_with_cancel_fails_the_waiting_requests(hostile: Hostile) -> None:
    worker = Worker(jobs=1, tool=hostile("silent"))
    with ThreadPoolExecutor(4) as threads:
        futures = [worker._engine.submit(THUMBNAIL) for _ in range(8)]
        waiting = [threads.submit(future.result) for future in futures]
        worker.close(cancel=True)
        for future in waiting:
            assert isinstance(future.exception(), WorkerClosed)


@pytest.mark.parametrize("mode", ["good", "none"])
def test_close_with_a_cancelled_last_request_returns(mode: str, hostile: Hostile) -> None:
    worker = Worker(jobs=1, tool=hostile(mode) if mode == "good" else "/none/imagetool")
    engine = worker._engine
    if mode == "good":
        worker.run(THUMBNAIL)
    with engine._lock:  # the thread receives the request and the end at the same time
        engine.submit(THUMBNAIL).cancel()
        engine.begin_close(cancel=False)
    assert engine._thread is not None
    engine._thread.join(10)
    is_alive = engine._thread.is_alive()
    worker.close(cancel=True)
    assert not is_alive


def test_late_answer_belongs_to_its_own_request(hostile: Hostile) -> None:
    with Worker(jobs=1, tool=hostile("late"), max_in_flight=2) as worker:
        assert [result.data for result in worker.map([THUMBNAIL] * 10)] == [b"good"] * 10


def test_deadline_of_the_worker_is_a_timeout() -> None:
    with Worker(jobs=1) as worker:
        with pytest.raises(RequestTimedOut) as raised:
            worker.thumbnail(bmp(4000, 3000)[0], 2000, timeout=0.001, filter="lanczos3")
        assert isinstance(raised.value, TimeoutError) and raised.value.code == "timedOut"
        assert worker.thumbnail(images()[0], 64) == expected(images()[0], "64")


@pytest.mark.parametrize("retries", [0, 1])
def test_sigkill_of_the_worker_concerns_only_requests_in_flight(retries: int) -> None:
    paths = images() * 50
    before = descriptors()
    with Worker(jobs=2, retries=retries, max_in_flight=5) as worker:
        results, pids = [], set()
        for index, result in enumerate(worker.map(Request.thumbnail(path, 64) for path in paths)):
            results.append(result)
            if index % 150 == 60 and worker.pid is not None:
                pids.add(worker.pid)
                os.kill(worker.pid, signal.SIGKILL)

    failed = [result for result in results if result.status == "failed"]
    assert len(results) == len(paths) and len(pids) >= 2
    assert {result.code for result in failed} <= {"workerDied"}
    assert len(failed) <= (0 if retries else 5 * len(pids))
    for path, result in zip(paths, results):
        assert result.status == "failed" or result.data == expected(path, "64")
    assert descriptors() == before


def test_sigkill_of_the_decoder_fails_only_its_requests() -> None:
    paths = images() * 50
    with Worker(jobs=2) as worker:
        worker.info(paths[0])
        pid, kills, results = worker.pid, 0, []
        assert pid is not None
        for index, result in enumerate(worker.map(Request.thumbnail(path, 64) for path in paths)):
            results.append(result)
            if index % 100 == 40:
                for child in children(pid):
                    try:
                        os.kill(child, signal.SIGKILL)
                        kills += 1
                    except ProcessLookupError:
                        pass
        assert worker.pid == pid

    failed = [result for result in results if result.status == "failed"]
    assert len(results) == len(paths) and kills > 0
    assert {(result.code or "").partition("(")[0] for result in failed} <= {"crashed"} and len(failed) <= kills
    for path, result in zip(paths, results):
        assert result.status == "failed" or result.data == expected(path, "64")


def test_decoders_end_with_a_killed_worker() -> None:
    with Worker(jobs=2, retries=0) as worker:
        worker.thumbnail(images()[0], 64)
        assert worker.pid is not None
        descriptors_of_children = [os.pidfd_open(child) for child in children(worker.pid)]
        os.kill(worker.pid, signal.SIGKILL)
        for process in descriptors_of_children:
            wait(process)
            os.close(process)


def wait(process: int) -> None:
    """Waits for the end of a process that is not a child of this one; the time limit of the test ends the wait."""
    poll = select.poll()
    poll.register(process, select.POLLIN)
    poll.poll()


def test_output_of_a_killed_worker_is_complete_or_absent(tmp_path: pathlib.Path) -> None:
    paths = images() * 10
    outputs = [tmp_path / f"{index}.out" for index in range(len(paths))]
    with Worker(jobs=2, retries=0) as worker:
        requests = (Request.thumbnail(path, 64, output=output) for path, output in zip(paths, outputs))
        codes = []
        for index, result in enumerate(worker.map(requests)):
            codes.append(result.code)
            if index == 30 and worker.pid is not None:
                os.kill(worker.pid, signal.SIGKILL)
    for path, output, code in zip(paths, outputs, codes):
        if code is None or output.exists():
            assert output.read_bytes() == expected(path, "64")
