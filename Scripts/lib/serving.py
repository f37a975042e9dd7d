"""Servers on loopback, each in a separate process group, and their resource use; for the service scripts.

Environment: IMAGETOOL, the program (.build/release/imagetool); KEEP=1 retains the servers' logs.

CPU is user and system time of all processes of a server, from /proc, so other load on the machine does not count. Peak
memory is the largest resident size since the last reset.
"""

import atexit
import ctypes
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOL = os.path.abspath(os.environ.get("IMAGETOOL", os.path.join(ROOT, ".build/release/imagetool")))
NAME = os.path.relpath(os.path.abspath(sys.argv[0]), os.path.join(ROOT, "Scripts"))
HERTZ = os.sysconf("SC_CLK_TCK")

_libc = ctypes.CDLL(None)
_running = []
_scratch = None


def fail(message):
    sys.exit(f"{NAME}: {message}")


def scratch():
    """Temporary folder of this run, removed at its end unless KEEP is set."""
    global _scratch
    if _scratch is None:
        _scratch = tempfile.mkdtemp(prefix=os.path.basename(NAME) + "-")
    return _scratch


@atexit.register
def _end():
    for server in list(_running):
        server.stop()
    if _scratch and os.environ.get("KEEP"):
        print(f"{NAME}: logs are in {_scratch}", file=sys.stderr)
    elif _scratch:
        shutil.rmtree(_scratch, ignore_errors=True)


# A terminated script must still stop its servers.
for number in (signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, lambda number, frame: sys.exit(128 + number))


def free_port():
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def accepts_connections(port):
    try:
        socket.create_connection(("127.0.0.1", port), 0.2).close()
        return True
    except OSError:
        return False


class Server:
    """A program and its child processes. Its output goes to a file, because a pipe would block without a reader.

    `core` is a processor or a set of processors; None is that of this script.
    """

    def __init__(self, name, command, environment=None, core=None, port=None):
        self.name, self.port = name, port
        folder = tempfile.mkdtemp(prefix=name + "-", dir=scratch())
        self.log_path = os.path.join(folder, "log")

        def begin():
            _libc.prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG: the server ends when the script is killed.
            if core is not None:
                os.sched_setaffinity(0, core if isinstance(core, set) else {core})

        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, preexec_fn=begin,
                env={**os.environ, **(environment or {})}, cwd=folder)
        self.group = self.process.pid
        _running.append(self)

    def wait_until(self, is_ready, seconds=30):
        end = time.monotonic() + seconds
        while not is_ready():
            if self.process.poll() is not None or time.monotonic() > end:
                with open(self.log_path, errors="replace") as log:
                    text = log.read()[-2000:]
                self.stop()
                fail(f"{self.name} does not start:\n{text}")
            time.sleep(0.01)
        return self

    def pids(self):
        found = []
        for entry in os.listdir("/proc"):
            if entry.isdigit():
                fields = _stat(entry)
                if fields and int(fields[2]) == self.group:
                    found.append(int(entry))
        return found

    def cpu(self):
        """CPU seconds of all processes of the server, including those that have ended.

        /proc counts clock ticks of 10 ms, which is 1 to 2 % of the time of some rounds. The CPU clocks of the processes
        count nanoseconds; only processes that have ended are counted in ticks.
        """
        total = 0
        for pid in self.pids():
            try:
                total += time.clock_gettime(~pid << 3 | 2)  # clock_getcpuclockid(3), as Linux encodes it
            except OSError:  # it has ended
                pass
        fields = _stat(self.group)
        if fields:
            total += sum(int(value) for value in fields[13:15]) / HERTZ
        return total

    def resident(self, key="VmRSS"):
        """Resident bytes of each process, largest first."""
        sizes = []
        for pid in self.pids():
            try:
                with open(f"/proc/{pid}/status") as status:
                    match = re.search(rf"{key}:\s+(\d+) kB", status.read())
            except OSError:
                continue
            if match:
                sizes.append(int(match.group(1)) * 1024)
        return sorted(sizes, reverse=True)

    def first(self, key="VmRSS"):
        """Resident bytes of the process that was started, without its child processes."""
        with open(f"/proc/{self.group}/status") as status:
            return int(re.search(rf"{key}:\s+(\d+) kB", status.read()).group(1)) * 1024

    def peak(self):
        return self.resident("VmHWM")

    def move(self, cores):
        """Lets all threads of the server run on other processors."""
        for pid in self.pids():
            for thread in os.listdir(f"/proc/{pid}/task"):
                os.sched_setaffinity(int(thread), cores)

    def reset_peak(self):
        for pid in self.pids():
            try:
                with open(f"/proc/{pid}/clear_refs", "w") as file:
                    file.write("5")
            except OSError:
                pass

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.group}/fd"))

    def log(self):
        with open(self.log_path, errors="replace") as log:
            return log.read()

    def stop(self):
        if self not in _running:
            return
        _running.remove(self)
        for number, seconds in ((signal.SIGTERM, 5), (signal.SIGKILL, 5)):
            # Child processes may outlive the process that started them.
            try:
                os.killpg(self.group, number)
            except ProcessLookupError:
                break
            end = time.monotonic() + seconds
            while self._is_alive() and time.monotonic() < end:
                time.sleep(0.005)
            if not self._is_alive():
                break
        self.process.wait()

    def kill(self):
        """Kills the server immediately, as in a crash."""
        os.killpg(self.group, signal.SIGKILL)
        self.process.wait()
        _running.remove(self)

    def _is_alive(self):
        self.process.poll()
        return bool(self.pids())


def _stat(pid):
    """Fields of /proc/PID/stat after the command name, which may contain any characters.

    Returns None when the process does not exist.
    """
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()
    except OSError:
        return None


def require_tool():
    """Exits when the tool is missing."""
    if not os.access(TOOL, os.X_OK):
        fail(f"{TOOL} is missing: make tool")


def start_service(*options, core=None, environment=None, origins=(), name="ours", port=0, wait=True, quiet=True):
    """Starts the service on a port (0: any), allowed to fetch from the given ports of 127.0.0.1."""
    command = [
        TOOL, "serve", "--port", str(port), "--unsafe", "--allow", "127.0.0.1", "--allow-cidr", "127.0.0.0/8"]
    if quiet:
        command.append("--quiet")
    for origin_port in origins:
        command += ["--allow-port", str(origin_port)]
    admin = free_port()
    variables = {"IMAGETOOL_SERVER_ADMINPORT": str(admin), **(environment or {})}
    server = Server(name, command + list(options), variables, core, port)
    server.admin_port = admin
    return wait_for_port(server) if wait else server


def wait_for_port(server):
    """Waits until `imagetool serve` listens, and reads the port from its log."""
    server.wait_until(lambda: re.search(r"listening on .*:\d+\s", server.log()))
    server.port = int(re.search(r"listening on \S*:(\d+)\s", server.log()).group(1))
    return server


THUMBOR = """
LOADER = 'thumbor.loaders.http_loader'
STORAGE = 'thumbor.storages.no_storage'
RESULT_STORAGE = None
ENGINE = 'thumbor.engines.pil'
QUALITY = 80
PROGRESSIVE_JPEG = False
ENGINE_THREADPOOL_SIZE = 2
ALLOW_UNSAFE_URL = True
ALLOWED_SOURCES = []
HTTP_LOADER_CURL_ASYNC_HTTP_CLIENT = True
HTTP_LOADER_MAX_CLIENTS = 64
"""


def start_thumbor(core=None, processes=2, settings="", wait=True):
    """Starts thumbor 7.8.0 with the settings in `THUMBOR`."""
    port = free_port()
    path = os.path.join(scratch(), f"thumbor-{port}.conf")
    with open(path, "w") as file:
        file.write(THUMBOR + settings)
    command = [
        sys.executable, "-m", "thumbor.server", "--ip", "127.0.0.1", "--port", str(port), "--conf", path,
        "--processes", str(processes), "--log-level", "critical"]
    server = Server("thumbor", command, {"PYTHONPATH": ""}, core, port)
    return server.wait_until(lambda: accepts_connections(port)) if wait else server


def nginx_program():
    for folder in os.environ.get("PATH", "").split(":") + ["/usr/sbin", "/usr/local/sbin"]:
        if os.access(os.path.join(folder, "nginx"), os.X_OK):
            return os.path.join(folder, "nginx")
    fail("nginx is not installed: Scripts/bootstrap service")


def start_nginx(body, core=None, workers=1, port=None, name="nginx", main=""):
    """Starts nginx with `body` inside `http`; `PORT` and `FOLDER` in it are replaced.

    All files of the server are in a new folder.
    """
    port = port or free_port()
    folder = tempfile.mkdtemp(prefix=name + "-", dir=scratch())
    temporary = "".join(
        f"    {part}_temp_path {folder}/{part};\n" for part in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    with open(os.path.join(folder, "nginx.conf"), "w") as file:
        file.write(
            f"{main}daemon off;\nworker_processes {workers};\npid {folder}/nginx.pid;\nerror_log {folder}/error.log;\n"
            + ("user root;\n" if os.geteuid() == 0 else "")
            + f"events {{ worker_connections 4096; }}\nhttp {{\n{temporary}"
            + "    access_log off;\n    keepalive_requests 10000000;\n"
            + body.replace("PORT", str(port)).replace("FOLDER", folder) + "\n}\n")
    command = [nginx_program(), "-p", folder, "-e", f"{folder}/error.log", "-c", f"{folder}/nginx.conf"]
    server = Server(name, command, None, core, port)
    server.folder = folder
    return server.wait_until(lambda: accepts_connections(port))


def start_origin(images, core=None):
    """Starts an origin that serves images, and typical error responses.

    A first path segment that begins with `u` is ignored, so that many URLs name the same image.
    """
    return start_nginx(
        f"""
    sendfile on;
    open_file_cache max=256;
    types {{ image/jpeg jpg; image/png png; image/gif gif; image/webp webp; image/tiff tif; text/html html; }}
    server {{
        listen 127.0.0.1:PORT backlog=4096;
        root {images};
        location ~ ^/u[^/]*/(?<image>.*)$ {{ try_files /$image =404; }}
        location = /missing.jpg {{ return 404; }}
        location = /gone.jpg {{ return 410; }}
        location = /fault.jpg {{ return 500; }}
        location = /forbidden.jpg {{ return 403; }}
        location = /empty.jpg {{ return 200; }}
    }}""", core, name="origin")


def cores():
    """A core for the servers, and one for the load generator and the origin.

    Returns the same core twice when there is only one, and None when pinning is not supported.
    """
    if not hasattr(os, "sched_getaffinity"):
        return None, None
    allowed = sorted(os.sched_getaffinity(0))
    return allowed[0], allowed[min(1, len(allowed) - 1)]
