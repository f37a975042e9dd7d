"""Scenarios of Scripts/bench/service that measure the server of the service: C, J and K."""

import contextlib
import os
import socket
import statistics
import time

import http_costs
import loopback_load as load
import serving
from service_images import noise_image

# Thumbnails of 800x600.jpg with about 3 and 15 kB.
WIDTHS = (100, 250)
CONNECTIONS = 32
IDLE_CONNECTIONS = 5_000
READERS = 110


def hot(setting, report):
    """Results in memory against nginx with static files of the same size: one core for the server, one for wrk."""
    report.begin("C", f"hot: one target repeatedly, {CONNECTIONS} connections (wrk), rounds alternate")
    targets = {width: f"/unsafe/fit-in/{width}x{width}/127.0.0.1:{setting.origin.port}/u/800x600.jpg"
               for width in WIDTHS}
    small, target = targets[WIDTHS[0]], targets[WIDTHS[1]]
    service = setting.start_service()
    logging = setting.start_service(name="service-log", quiet=False)
    disk = setting.start_service(
        "--result-memory", "0", "--cache-dir", os.path.join(serving.scratch(), "hot"), name="service-disk")
    bodies = {path: load.one(service.port, path).body for path in targets.values()}
    static = http_costs.start_static_nginx(bodies, setting.server_core)
    proxy = serving.start_nginx(f"""
    proxy_cache_path FOLDER/cache keys_zone=thumbnails:8m;
    upstream service {{ server 127.0.0.1:{service.port}; keepalive 8; }}
    server {{
        listen 127.0.0.1:PORT;
        location / {{
            proxy_pass http://service; proxy_http_version 1.1; proxy_set_header Connection "";
            proxy_cache thumbnails; proxy_cache_valid 200 1h;
        }}
    }}""", setting.server_core, name="nginx-proxy-cache")
    servers = [service, logging, disk, proxy, static]
    for server in servers:
        for path in targets.values():
            for _ in range(3):
                if load.one(server.port, path).status != 200:
                    serving.fail(f"{server.name} does not respond with 200")
    sizes = {path: f"{len(body) / 1e3:.1f} kB" for path, body in bodies.items()}

    def unchanged(server):
        return {"If-None-Match": http_costs.entity_tag(server, small)}

    rows = {}
    for path in targets.values():
        rows[f"nginx static file, {sizes[path]}"] = (static, path, {}, 200)
        rows[f"service, {sizes[path]}"] = (service, path, {}, 200)
    rows |= {
        "nginx, head of a browser": (static, small, http_costs.BROWSER, 200),
        "service, head of a browser": (service, small, http_costs.BROWSER, 200),
        "nginx, 304": (static, small, unchanged(static), 304),
        "service, 304": (service, small, unchanged(service), 304),
        "service with a log line per request": (logging, small, {}, 200),
        "nginx proxy_cache": (proxy, target, {}, 200),
        "service, results on disk": (disk, target, {}, 200),
    }
    values = {name: [] for name in rows}
    seconds = 1 if setting.quick else 2
    for turn in range(setting.rounds):
        names = list(rows)
        for name in names[turn % len(names):] + names[:turn % len(names)]:
            server, path, fields, status = rows[name]
            values[name].append(http_costs.load(server, path, fields, seconds, status, CONNECTIONS))
    for server in servers:
        server.stop()
    values |= loops(setting, small, bodies[small], seconds)
    http_costs.table(values, report.write_line)

    def ratio(name, other, text, **threshold):
        report.add(text, http_costs.ratio(values, name, other), "x", **threshold)

    for path in targets.values():
        ratio(f"service, {sizes[path]}", f"nginx static file, {sizes[path]}",
              f"result of {sizes[path]} in memory: CPU, service / nginx static file", at_most=0.8)
    ratio("service, head of a browser", "nginx, head of a browser",
          "the same with the head of a browser: CPU, service / nginx", at_most=0.8)
    ratio("service, 304", "nginx, 304", "304: CPU, service / nginx", at_most=1.0)
    report.add(f"context switches per request at {CONNECTIONS} connections",
               statistics.median(row[1] for row in values[f"service, {sizes[small]}"]), "", at_most=0.1)
    ratio("two loops on two cores", "one loop on two cores", "CPU per request, two loops / one loop, on two cores",
          at_most=1.15)
    ratio("nginx, two workers on two cores", "nginx, one worker on two cores", "the same for nginx, two workers / one")
    ratio("service with a log line per request", f"service, {sizes[small]}",
          "CPU, service with a log line per request / without")
    ratio("service, results on disk", "nginx proxy_cache", "results on disk: CPU, service / nginx proxy_cache")


def loops(setting, target, body, seconds):
    """The service with one and with two loops, each on two cores, which wrk shares; nginx likewise."""
    if setting.server_core is None or setting.server_core == setting.load_core:
        return {}
    both = {setting.server_core, setting.load_core}
    one = setting.start_service(name="service-1-loop")
    # The service starts one loop per processor that it may use.
    one.move(both)
    two = setting.start_service(name="service-2-loops", core=both)
    servers = {
        "one loop on two cores": one, "two loops on two cores": two,
        "nginx, one worker on two cores": http_costs.start_static_nginx({target: body}, both),
        "nginx, two workers on two cores": http_costs.start_static_nginx({target: body}, both, workers=2)}
    values = {name: [] for name in servers}
    cores = ",".join(str(core) for core in sorted(both))
    for server in servers.values():
        load.one(server.port, target)
    for turn in range(setting.rounds):
        for name in list(servers) if turn % 2 == 0 else reversed(list(servers)):
            values[name].append(http_costs.load(servers[name], target, {}, seconds, 200, CONNECTIONS, cores))
    for server in servers.values():
        server.stop()
    return values


def idle(setting, report):
    """Memory of idle keep-alive connections."""
    count = 500 if setting.quick else IDLE_CONNECTIONS
    report.begin("J", f"idle: resident memory of {count:,} keep-alive connections, each after one request")
    http_costs.allow_descriptors()
    target = f"/unsafe/fit-in/100x100/127.0.0.1:{setting.origin.port}/u/800x600.jpg"
    service = setting.start_service(
        "--set", "server.maxConnections=20000", "--set", "server.idleTimeout=10m", name="service")
    body = load.one(service.port, target).body
    static = http_costs.start_static_nginx({target: body}, setting.server_core, workers=2)
    # Without the decode workers, whose memory changes on its own.
    own = http_costs.idle_bytes(service, target, count, service.first)
    report.add("bytes per idle connection, service", own, "", at_most=4_096)
    report.add("bytes per idle connection, nginx", http_costs.idle_bytes(static, target, count))
    service.stop()
    static.stop()


def slow_readers(setting, report):
    """Clients that request a large result and do not read it."""
    report.begin("K", f"slow readers: {READERS} clients request one large result and do not read it")
    target = f"/unsafe/filters:format(png)/{setting.source(noise_image())}"
    service = setting.start_service("--set", "limits.work=60s", "--set", "server.deadline=2m", name="service")
    size = len(load.one(service.port, target).body)
    load.one(service.port, f"/unsafe/100x100/{setting.source('800x600.jpg')}")
    time.sleep(1)
    before = service.first()
    with contextlib.ExitStack() as stack:
        connections = []
        for _ in range(READERS):
            # A small receive buffer, so that the system holds little of each response.
            connection = stack.enter_context(socket.socket())
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
            connection.connect(("127.0.0.1", service.port))
            connections.append(connection)
        service.reset_peak()
        for connection in connections:
            connection.sendall(f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        heads = [connection.recv(4_096) for connection in connections]
        time.sleep(0.5)
        grown = service.first("VmHWM") - before
        answers = sum(head.startswith(b"HTTP/1.1 200") for head in heads)
        other = load.one(service.port, f"/unsafe/120x120/{setting.source('800x600.jpg')}").status
    service.stop()
    report.add("size of the result", size / 1e6, "MB", at_least=30)
    report.add("clients that received the begin of a response with 200", answers, "", at_least=READERS)
    report.add("resident memory before, with one copy in the result cache", before / 1e6, "MB")
    report.add("growth of resident memory with all clients", grown / 1e6, "MB", at_most=size / 1e6)
    report.add("status of another client's request meanwhile", other, "", at_most=200)
