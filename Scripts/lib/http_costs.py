"""Costs of HTTP servers per request and per connection, measured with wrk and from /proc; for the benchmarks.

The servers are those of serving.py. wrk sends the same request on all connections.
"""

import os
import re
import resource
import socket
import statistics
import subprocess
import time

import serving

# Header fields of a browser, 15 with Host.
BROWSER = {
    "Accept": "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8",
    "Accept-Encoding": "gzip, deflate, br",
    "Accept-Language": "en-US,en;q=0.9,de;q=0.8", "Cache-Control": "max-age=0", "Connection": "keep-alive",
    "Cookie": "session=0123456789abcdef0123456789abcdef; theme=dark", "Referer": "https://www.example.com/gallery/page",
    "Sec-Ch-Ua": '"Chromium";v="130", "Not?A_Brand";v="99"', "Sec-Ch-Ua-Mobile": "?0", "Sec-Ch-Ua-Platform": '"Linux"',
    "Sec-Fetch-Dest": "image", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Site": "same-site",
    "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 "
                  "Safari/537.36"}


def start_static_nginx(files, core=None, workers=1):
    """Starts nginx with static files, a map from targets to bodies, from memory where it can: sendfile, open files."""
    folder = os.path.join(serving.scratch(), "static")
    shares = " reuseport" if workers > 1 else ""
    for target, body in files.items():
        path = folder + target
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(body)
    return serving.start_nginx(f"""
    sendfile on; open_file_cache max=10 inactive=1h; types {{ image/jpeg jpg; image/png png; }}
    add_header Cache-Control "public, max-age=86400"; add_header X-Content-Type-Options nosniff;
    server {{ listen 127.0.0.1:PORT backlog=4096{shares}; root {folder}; }}""", core, workers, name="nginx-static")


def switches(server):
    """Context switches of all threads of a server, voluntary and involuntary."""
    count = 0
    for pid in server.pids():
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/status") as file:
                count += sum(int(n) for n in re.findall(r"ctxt_switches:\s+(\d+)", file.read()))
    return count


def load(server, target, fields, seconds, status=200, connections=32, core=None):
    """One run of wrk: microseconds of CPU and context switches of the server per request, and requests per second."""
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}"]
    for name, value in fields.items():
        command += ["-H", f"{name}: {value}"]
    command.append(f"http://127.0.0.1:{server.port}{target}")
    if core is not None:
        command = ["taskset", "-c", str(core)] + command
    cpu, before, start = server.cpu(), switches(server), time.monotonic()
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    seconds, cpu, switched = time.monotonic() - start, server.cpu() - cpu, switches(server) - before
    count = int(re.search(r"(\d+) requests in", text).group(1))
    other = re.search(r"Non-2xx or 3xx responses: (\d+)", text)
    if other or "Socket errors" in text or first_status(server, target, fields) != status:
        serving.fail(f"{server.name}: other responses than {status}: {text}")
    return 1e6 * cpu / count, switched / count, count / seconds


def exchange(connection, target, fields):
    """Sends a GET request on a connection; returns status, head and body."""
    lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    connection.sendall(f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\n{lines}\r\n".encode())
    received = b""
    while b"\r\n\r\n" not in received:
        received += connection.recv(65_536) or serving.fail("a connection ended")
    head, _, body = received.partition(b"\r\n\r\n")
    status = int(head[9:12])
    length = re.search(rb"(?i)\r\ncontent-length: (\d+)", head)
    missing = (int(length.group(1)) if length and status != 304 else 0) - len(body)
    parts = [body]
    while missing > 0:
        parts.append(connection.recv(65_536) or serving.fail("a connection ended"))
        missing -= len(parts[-1])
    return status, head.decode("latin-1"), b"".join(parts)


def first_status(server, target, fields):
    with socket.create_connection(("127.0.0.1", server.port), 10) as connection:
        return exchange(connection, target, fields)[0]


def entity_tag(server, target):
    with socket.create_connection(("127.0.0.1", server.port), 10) as connection:
        return re.search(r"(?i)\r\netag: ([^\r]*)", exchange(connection, target, {})[1]).group(1)


def allow_descriptors():
    """Raises the limit of descriptors of this process and of the servers that it starts."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def idle_bytes(server, target, count, memory=None):
    """Resident bytes per keep-alive connection that has served one request.

    `memory` returns the resident bytes; by default those of all processes of the server.
    """
    memory = memory or (lambda: sum(server.resident()))
    connections = []

    def add():
        connections.append(socket.create_connection(("127.0.0.1", server.port), 10))
        exchange(connections[-1], target, {})

    for _ in range(100):
        add()
    before = memory()
    for _ in range(count):
        add()
    after = memory()
    for connection in connections:
        connection.close()
    return (after - before) / count


def table(values, write=print):
    """Writes medians and ranges of rounds: a map from names to lists of results of `load`."""
    write(f"    {'':<34}{'CPU us per request':>24}{'switches':>10}{'requests/s':>12}")
    for name, rounds in values.items():
        cpu, switch, rate = (statistics.median(column) for column in zip(*rounds))
        low, high = min(row[0] for row in rounds), max(row[0] for row in rounds)
        write(f"    {name:<34}{cpu:8.1f} ({low:5.1f} - {high:5.1f}){switch:10.3f}{rate:12,.0f}")


def ratio(values, name, other):
    """The median of the CPU ratios of all rounds."""
    return statistics.median(a[0] / b[0] for a, b in zip(values[name], values[other]))
