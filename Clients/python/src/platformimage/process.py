"""One process of `imagetool worker` and its pipes."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import threading
from dataclasses import dataclass

try:
    import fcntl
except ImportError:  # pragma: no cover
    fcntl = None  # type: ignore[assignment]

PIPE_BYTES = 1 << 20
STDERR_BYTES = 4096

# Held while descriptors are opened or closed, and during a fork, so that a forked process knows which ones to close.
descriptors_lock = threading.Lock()


@dataclass(frozen=True)
class Settings:
    """Settings of a worker; `Worker` describes them."""

    jobs: int = 0
    tool: str | None = None
    root: str | None = None
    isolation: bool = True
    decoder: str | None = None
    allow_url: bool = False
    allow_hosts: tuple[str, ...] = ()
    max_in_flight: int | None = None
    max_bytes_in_flight: int | None = None
    timeout: float = 120.0
    retries: int = 1
    restarts: int = 5
    restart_period: float = 60.0
    kill_after: float = 30.0
    close_timeout: float = 10.0
    max_answer_bytes: int = 1 << 30
    on_damage: str = "warn"

    def __post_init__(self) -> None:
        for name in ("jobs", "retries", "restarts"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} is {getattr(self, name)}, expected 0 or more")
        if self.max_in_flight is not None and self.max_in_flight < 1:
            raise ValueError(f"max_in_flight is {self.max_in_flight}, expected 1 or more")
        if self.on_damage not in ("warn", "raise", "ignore"):
            raise ValueError(f"on_damage is {self.on_damage!r}, expected 'warn', 'raise' or 'ignore'")

    @property
    def requests_in_flight(self) -> int:
        """Requests that are sent and not answered."""
        if self.max_in_flight is not None:
            return self.max_in_flight
        affinity = getattr(os, "sched_getaffinity", None)
        return 4 * (self.jobs or (len(affinity(0)) if affinity else os.cpu_count() or 1))

    def command(self) -> list[str]:
        """The command line. The environment of the process that starts the worker selects the tool."""
        tool = self.tool or os.environ.get("PLATFORMIMAGE_IMAGETOOL") or "imagetool"
        found = shutil.which(tool)
        if found is None:
            raise FileNotFoundError(f"{tool} does not exist or is not executable; PLATFORMIMAGE_IMAGETOOL names it")
        command = [found, "worker", "--jobs", str(self.jobs), "--max-in-flight", str(self.requests_in_flight)]
        if self.max_bytes_in_flight is not None:
            command += ["--max-bytes-in-flight", str(self.max_bytes_in_flight)]
        command += ["--isolation", "on" if self.isolation else "off"]
        if self.decoder is not None:
            command += ["--decoder", self.decoder]
        if self.root is not None:
            command += ["--root", self.root]
        if self.allow_url:
            command.append("--allow-url")
        for host in self.allow_hosts:
            command += ["--allow-host", host]
        return command


class WorkerProcess:
    """A started process with non-blocking pipes. Only the thread of the engine uses it."""

    def __init__(self, command: list[str]) -> None:
        self.stderr_tail = b""
        with descriptors_lock:
            # A separate session: Ctrl-C in a terminal must not end the worker before its requests are answered.
            self.popen = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0,
                start_new_session=True)
            assert self.popen.stdin and self.popen.stdout and self.popen.stderr
            self.stdin: int | None = self.popen.stdin.fileno()
            self.stdout = self.popen.stdout.fileno()
            self.stderr = self.popen.stderr.fileno()
            self.pid = self.popen.pid
            for descriptor in (self.stdin, self.stdout, self.stderr):
                os.set_blocking(descriptor, False)
            # Reports the end of the process also when another process holds its stdout open.
            self.pidfd: int | None = None
            if hasattr(os, "pidfd_open"):
                try:
                    self.pidfd = os.pidfd_open(self.pid)
                except OSError:
                    pass
        for descriptor in (self.stdin, self.stdout):
            try:
                fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
            except (AttributeError, OSError):
                pass  # the limit of the user, or a system without this call

    def read_stderr(self) -> bytes:
        """Returns new text of stderr, and retains its last bytes; empty at the end and when there is none."""
        try:
            text = os.read(self.stderr, STDERR_BYTES)
        except (BlockingIOError, OSError):
            return b""
        self.stderr_tail = (self.stderr_tail + text)[-STDERR_BYTES:]
        return text

    def close_stdin(self) -> None:
        with descriptors_lock:
            if self.stdin is not None and self.popen.stdin is not None:
                self.stdin = None
                _close(self.popen.stdin)

    def end(self, seconds: float, signal_first: bool = False) -> int:
        """Waits for the end of the process, then stops it; closes all descriptors. Returns its exit status."""
        try:
            if signal_first:
                self._signal(signal.SIGKILL)
            try:
                self.popen.wait(seconds)
            except subprocess.TimeoutExpired:
                self._signal(signal.SIGKILL)
                self.popen.wait()
            while self.read_stderr():
                pass
        finally:
            with descriptors_lock:
                self.close_descriptors()
        return self.popen.returncode

    def _signal(self, number: signal.Signals) -> None:
        try:
            self.popen.send_signal(number)
        except ProcessLookupError:
            pass

    def close_descriptors(self) -> None:
        """Closes all descriptors; `descriptors_lock` is held."""
        self.stdin = None
        for file in (self.popen.stdin, self.popen.stdout, self.popen.stderr):
            if file is not None:
                _close(file)
        if self.pidfd is not None:
            os.close(self.pidfd)
            self.pidfd = None

    def abandon_in_child(self) -> None:
        """Closes the descriptors in a forked process, which is not the parent of the worker."""
        self.popen.returncode = 0
        self.close_descriptors()

    def describe_end(self, status: int) -> str:
        """Text for people: exit status or signal, and the last lines of stderr."""
        text = f"exit status {status}"
        if status < 0:
            try:
                text = f"signal {signal.Signals(-status).name}"
            except ValueError:
                text = f"signal {-status}"
        lines = self.stderr_tail.decode(errors="replace").strip()
        return f"{text}: {lines}" if lines else text


def _close(file: object) -> None:
    try:
        file.close()  # type: ignore[attr-defined]
    except OSError:
        pass  # the descriptor is closed nevertheless
