"""One process of `imagetool worker` and its pipes."""

from __future__ import annotations

import operator
import os
import shutil
import signal
import subprocess
import threading
from dataclasses import dataclass, field
from typing import Iterable, Mapping

from .requests import Path, seconds, time_limit

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
    allow_cidr: tuple[str, ...] = ()
    # The values can be secret.
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    user_agent: str | None = None

    def __post_init__(self) -> None:
        """Raises TypeError and ValueError."""
        for name in ("jobs", "retries", "restarts", "max_answer_bytes"):
            self._set(name, _integer(name, getattr(self, name), 0))
        for name in ("max_in_flight", "max_bytes_in_flight"):
            if getattr(self, name) is not None:
                self._set(name, _integer(name, getattr(self, name), 1))
        for name in ("isolation", "allow_url"):
            if not isinstance(getattr(self, name), bool):
                raise TypeError(f"{name} is {getattr(self, name)!r}, expected True or False")
        self._set("timeout", time_limit(self.timeout))
        for name in ("restart_period", "kill_after", "close_timeout"):
            self._set(name, seconds(name, getattr(self, name)))
        if self.user_agent is not None and not isinstance(self.user_agent, str):
            raise TypeError(f"user_agent is {self.user_agent!r}, expected a text")
        if self.on_damage not in ("warn", "raise", "ignore"):
            raise ValueError(f"on_damage is {self.on_damage!r}, expected 'warn', 'raise' or 'ignore'")

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

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
        # The form with "=" also accepts a value that begins with "-", but no empty one.
        for option, values in (
                ("--allow-host", self.allow_hosts), ("--allow-cidr", self.allow_cidr),
                ("--header", [f"{name}:{value}" for name, value in self.headers]),
                ("--user-agent", [] if self.user_agent is None else [self.user_agent])):
            for value in values:
                command += [f"{option}={value}"] if value else [option, value]
        return command


def texts(name: str, values: Iterable[str]) -> tuple[str, ...]:
    """A setting that is a list of texts. Raises TypeError."""
    if isinstance(values, (str, bytes)):
        raise TypeError(f"{name} is the text {values!r}, expected a list of texts, such as [{values!r}]")
    try:
        checked = tuple(values)
    except TypeError:
        raise TypeError(f"{name} is {values!r}, expected a list of texts") from None
    for value in checked:
        if not isinstance(value, str):
            raise TypeError(f"{name} contains {value!r}, expected texts")
    return checked


def header_fields(headers: Mapping[str, str] | None) -> tuple[tuple[str, str], ...]:
    """Names and values of header fields. Raises TypeError, and ValueError for a name with a colon."""
    if headers is None:
        return ()
    if not isinstance(headers, Mapping):
        raise TypeError(f"headers is a {type(headers).__name__}, expected a mapping of names to values")
    for name, value in headers.items():
        if not isinstance(name, str) or not isinstance(value, str):
            raise TypeError(f"headers contains a name or a value that is not a text, at {name!r}")
        if ":" in name:
            raise ValueError(f"headers contains the name {name!r}, expected a name without a colon")
    return tuple(headers.items())


def _integer(name: str, value: object, minimum: int) -> int:
    try:
        if isinstance(value, bool):
            raise TypeError
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{name} is {value!r}, expected an integer") from None
    if number < minimum:
        raise ValueError(f"{name} is {number}, expected {minimum} or more")
    return number


def path_text(name: str, value: Path | None) -> str | None:
    """A setting that is a path. Raises TypeError."""
    path = os.fspath(value) if isinstance(value, os.PathLike) else value
    if path is not None and not isinstance(path, str):
        raise TypeError(f"{name} is {value!r}, expected a path")
    return path


class WorkerProcess:
    """A started process with non-blocking pipes. Only the thread of the engine uses it."""

    def __init__(self, command: list[str]) -> None:
        self.stderr_tail = b""
        self.has_answered = False
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
