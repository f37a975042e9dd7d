"""Scenarios of Scripts/bench-service; its header describes them."""

import argparse
import asyncio
import json
import os
import random
import re
import shutil
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter

import loopback_load as load
import serving
from service_pictures import SIZES, pictures, psnr
from slow_origin import SlowOrigin

# Hits per day by width on a large site (Wikimedia T402792).
WIDTHS = {250: 445, 40: 407, 60: 378, 500: 304, 120: 289, 20: 179, 330: 117, 960: 51}
SEED = 20261121


class Report:
    """Collected figures, each with its threshold where it has one."""

    def __init__(self, quiet):
        self.quiet, self.rows, self.scenario = quiet, [], ""

    def begin(self, letter, title):
        self.scenario = letter
        self.say(f"\n{letter}  {title}")

    def say(self, text):
        if not self.quiet:
            print(text, flush=True)

    def add(self, what, value, unit="", at_most=None, at_least=None):
        is_good = (at_most is None or value <= at_most) and (at_least is None or value >= at_least)
        bar = f"at most {at_most:g}" if at_most is not None else f"at least {at_least:g}" if at_least is not None else ""
        self.rows.append(
            {"scenario": self.scenario, "what": what, "value": value, "unit": unit, "bar": bar, "met": is_good})
        figure = f"{value:,.2f}" if isinstance(value, float) else f"{value:,}"
        self.say(f"    {what:<58} {figure:>12} {unit:<7} {bar:<14} {('ok' if is_good else 'MISSED') if bar else ''}")

    @property
    def missed(self):
        return sum(not row["met"] for row in self.rows)


class Setting:
    """State shared by the scenarios: cores, images, an origin, and unused source URLs."""

    def __init__(self, arguments):
        self.rounds, self.quick, self.soak = arguments.rounds, arguments.quick, arguments.soak
        self.server_core, self.load_core = (None, None) if arguments.free else serving.cores()
        if self.load_core is not None:
            os.sched_setaffinity(0, {self.load_core})
        self.origin = serving.origin(pictures(), self.load_core)
        self.fresh = 0
        self.widths = list(WIDTHS)
        self.weights = list(WIDTHS.values())

    def ours(self, *options, **settings):
        origins = [self.origin.port, *settings.pop("origins", ())]
        return serving.ours(*options, core=self.server_core, origins=origins, **settings)

    def source(self, picture):
        """A new source URL of an image."""
        self.fresh += 1
        return f"127.0.0.1:{self.origin.port}/u{self.fresh}/{picture}"

    def target(self, width, picture):
        return f"/unsafe/fit-in/{width}x{width}/{self.source(picture)}"

    def mixed(self, kind, count, seed=SEED):
        """Targets with the width distribution above, in equal parts for each source size."""
        chance = random.Random(seed)
        widths = chance.choices(self.widths, self.weights, k=count)
        sizes = [SIZES[number % len(SIZES)] for number in range(count)]
        chance.shuffle(sizes)
        return [self.target(width, f"{w}x{h}.{kind}") for width, (w, h) in zip(widths, sizes)]


def all_are(answers, status, name):
    other = Counter(answer.status for answer in answers if answer.status != status)
    if other:
        serving.fail(f"{name} answered {dict(other)} instead of {status}")


def measured(server, targets, connections, name):
    """CPU milliseconds per request, requests per second, latencies and bytes of one pass over the targets."""
    cpu, begin = server.cpu(), time.perf_counter()
    answers = load.closed(server.port, targets, connections)
    wall, cpu = time.perf_counter() - begin, server.cpu() - cpu
    all_are(answers, 200, name)
    seconds = [answer.seconds for answer in answers]
    return {
        "cpu": 1e3 * cpu / len(answers), "rate": len(answers) / wall,
        "bytes": statistics.mean(answer.bytes for answer in answers),
        **{f"p{n}": 1e3 * load.percentile(seconds, n / 100) for n in (50, 95, 99, 100)}}


def medians(rounds):
    return {key: statistics.median(row[key] for row in rounds) for key in rounds[0]}


def table(report, rows):
    """Prints name and figures of each server."""
    report.say(f"    {'':<22}{'CPU ms':>9}{'req/s':>9}{'p50 ms':>9}{'p95':>8}{'p99':>8}{'max':>8}{'bytes':>9}{'peak MB':>9}")
    for name, row in rows:
        peak = f"{row['peak'] / 1e6:9.1f}" if row.get("peak") else ""
        report.say(
            f"    {name:<22}{row['cpu']:9.2f}{row['rate']:9.1f}{row['p50']:9.1f}{row['p95']:8.1f}{row['p99']:8.1f}"
            f"{row['p100']:8.1f}{row['bytes']:9.0f}{peak}")


# ------------------------------------------------------------------ A, B


def side_by_side(setting, make, connections, rounds):
    """Sends equal target lists to both servers in alternating order; returns the servers, the medians of their figures,
    and the CPU ratio of each round."""
    servers = {
        "ours": setting.ours("--result-memory", "0"),
        "thumbor": serving.thumbor(setting.server_core),
    }
    for name, server in servers.items():
        all_are(load.closed(server.port, make(8), 2), 200, name)
        server.reset_peak()
    taken = {name: [] for name in servers}
    for turn in range(rounds):
        names = list(servers) if turn % 2 == 0 else list(servers)[::-1]
        for name in names:
            taken[name].append(measured(servers[name], make(None), connections, name))
    rows = {name: medians(taken[name]) for name in servers}
    for name, server in servers.items():
        rows[name]["peak"] = sum(server.peak())
        rows[name]["largest"] = max(server.peak())
    ratios = [b["cpu"] / a["cpu"] for a, b in zip(taken["ours"], taken["thumbor"])]
    return servers, rows, ratios


def cold(setting, report):
    report.begin("A", "cold: every cache off, targets that nobody has asked for, 2 connections")
    for kind, count, bar in [("jpg", 90, 1.45), ("png", 24, 2.0)]:
        def make(few, kind=kind, count=count):
            return setting.mixed(kind, few or count)

        servers, rows, ratios = side_by_side(setting, make, 2, setting.rounds)
        table(report, [(f"{name}, {kind}", rows[name]) for name in rows])
        report.add(f"{kind}: CPU of thumbor / ours", statistics.median(ratios), "x", at_least=bar)
        report.add(f"{kind}: lowest ratio of a round", min(ratios), "x")
        report.add(f"{kind}: CPU of a request", rows["ours"]["cpu"], "ms")
        report.add(f"{kind}: requests a second, ours / thumbor", rows["ours"]["rate"] / rows["thumbor"]["rate"], "x")
        report.add(f"{kind}: peak resident, ours / thumbor's largest process",
                   rows["ours"]["peak"] / rows["thumbor"]["largest"], "x")
        report.add(f"{kind}: peak resident, ours / thumbor's processes",
                   rows["ours"]["peak"] / rows["thumbor"]["peak"], "x", at_most=1.0)
        for width, name in [(250, f"2000x1500.{kind}"), (500, f"4000x3000.{kind}")]:
            files = {key: load.one(server.port, setting.target(width, name)).body for key, server in servers.items()}
            quality = {key: float(psnr(file, name)) for key, file in files.items()}
            report.say(f"    {name} at {width}: " + ", ".join(
                f"{key} {quality[key]:.2f} dB in {len(file):,} bytes" for key, file in files.items()))
            report.add(f"{name} at {width}: PSNR of ours - thumbor's", quality["ours"] - quality["thumbor"], "dB")
        if kind == "jpg" and not setting.quick:
            more = []
            for connections in (1, 4, 8):
                for name, server in servers.items():
                    server.reset_peak()
                    row = measured(server, make(None), connections, name)
                    row["peak"] = sum(server.peak())
                    more.append((f"{name}, {connections} connections", row))
            table(report, more)
        for server in servers.values():
            server.stop()


def diverse(setting, report):
    report.begin("B", "diverse: widths 485...500 of 2000x1500, every cache off, 16 connections")
    for kind, count, bar in [("jpg", 48, 1.45), ("png", 16, 2.0)]:
        def make(few, kind=kind, count=count):
            return [setting.target(485 + n % 16, f"2000x1500.{kind}") for n in range(few or count)]

        servers, rows, ratios = side_by_side(setting, make, 16, max(1, min(3, setting.rounds)))
        for server in servers.values():
            server.stop()
        table(report, [(f"{name}, {kind}", rows[name]) for name in rows])
        report.add(f"{kind}: CPU of thumbor / ours", statistics.median(ratios), "x", at_least=bar)
        report.add(f"{kind}: peak resident, ours / thumbor's processes",
                   rows["ours"]["peak"] / rows["thumbor"]["peak"], "x", at_most=1.0)


# ------------------------------------------------------------------ C

WRK = """
done = function(summary, latency, requests)
    local e = summary.errors
    io.write(string.format(
        '{"requests": %d, "microseconds": %d, "bytes": %d, "wrong": %d, "p50": %d, "p95": %d, "p99": %d, "p100": %d}',
        summary.requests, summary.duration, summary.bytes, e.status + e.connect + e.read + e.write + e.timeout,
        latency:percentile(50), latency:percentile(95), latency:percentile(99), latency.max))
end
"""


def wrk(server, target, seconds, connections=16):
    script = os.path.join(serving.scratch(), "done.lua")
    with open(script, "w") as file:
        file.write(WRK)
    cpu = server.cpu()
    output = subprocess.run(
        ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s", script, f"http://127.0.0.1:{server.port}{target}"],
        capture_output=True, text=True, check=True).stdout
    cpu = server.cpu() - cpu
    row = json.loads(output[output.rindex("{"):])
    if row["wrong"]:
        serving.fail(f"{server.name}: {row['wrong']} answers were wrong")
    return {
        "cpu": 1e3 * cpu / row["requests"], "rate": 1e6 * row["requests"] / row["microseconds"],
        "bytes": row["bytes"] / row["requests"], **{f"p{n}": row[f"p{n}"] / 1e3 for n in (50, 95, 99, 100)}}


def hot(setting, report):
    report.begin("C", "hot: one target again and again, 16 connections (wrk)")
    path = f"fit-in/250x250/127.0.0.1:{setting.origin.port}/u/800x600.jpg"
    target = "/unsafe/" + path
    memory = setting.ours()
    disk = setting.ours("--result-memory", "0", "--cache-dir", os.path.join(serving.scratch(), "hot"), name="ours-disk")
    body = load.one(memory.port, target).body
    folder = os.path.join(serving.scratch(), "static", "unsafe", os.path.dirname(path))
    os.makedirs(folder)
    with open(os.path.join(folder, "800x600.jpg"), "wb") as file:
        file.write(body)
    proxy = serving.nginx(f"""
    proxy_cache_path FOLDER/cache keys_zone=thumbnails:8m;
    upstream service {{ server 127.0.0.1:{memory.port}; keepalive 8; }}
    server {{
        listen 127.0.0.1:PORT;
        location / {{
            proxy_pass http://service; proxy_http_version 1.1; proxy_set_header Connection "";
            proxy_cache thumbnails; proxy_cache_valid 200 1h;
        }}
    }}""", setting.server_core, name="nginx-proxy-cache")
    static = serving.nginx(f"""
    sendfile on;
    types {{ image/jpeg jpg; }}
    server {{ listen 127.0.0.1:PORT; root {serving.scratch()}/static; }}""", setting.server_core, name="nginx-static")
    servers = [memory, disk, proxy, static]
    for server in servers:
        for _ in range(3):
            all_are([load.one(server.port, target)], 200, server.name)
    taken = {server.name: [] for server in servers}
    for turn in range(setting.rounds):
        for at in range(len(servers)):
            server = servers[(at + turn) % len(servers)]
            taken[server.name].append(wrk(server, target, 1))
    for server in servers:
        server.stop()
    rows = {name: medians(rounds) for name, rounds in taken.items()}
    table(report, rows.items())

    def ratio(ours, peer):
        return statistics.median(a["cpu"] / b["cpu"] for a, b in zip(taken[ours], taken[peer]))

    report.add("memory: CPU of ours / nginx proxy_cache", ratio("ours", "nginx-proxy-cache"), "x", at_most=3.0)
    report.add("memory: CPU of ours / nginx static file", ratio("ours", "nginx-static"), "x")
    report.add("disk: CPU of ours / nginx proxy_cache", ratio("ours-disk", "nginx-proxy-cache"), "x")
    report.add("memory: CPU of a request", 1e3 * rows["ours"]["cpu"], "us")
    report.add("memory: requests a second, ours / nginx proxy_cache",
               rows["ours"]["rate"] / rows["nginx-proxy-cache"]["rate"], "x")


# ------------------------------------------------------------------ D


def metrics(server):
    """Metrics of the service, summed over their labels; None without an admin listener."""
    if not serving.answers(server.admin_port):
        return None
    answer = load.one(server.admin_port, "/metrics")
    sums = Counter()
    for line in answer.body.decode().splitlines():
        match = re.match(r"([a-zA-Z_:]+)(?:\{.*\})? ([-+.0-9eEinfINF]+)$", line)
        if match:
            sums[match.group(1)] += float(match.group(2))
    return sums


def stampede(setting, report):
    report.begin("D", "stampede: 200 connections ask at once for one new target, the origin takes 300 ms")
    slow = SlowOrigin("2000x1500.jpg", 0.3)
    server = setting.ours(origins=[slow.port])
    thumbor = serving.thumbor(setting.server_core)
    for name, peer, count in [("ours", server, 200), ("thumbor", thumbor, 20)]:
        slow.count = 0
        target = f"/unsafe/fit-in/250x250/127.0.0.1:{slow.port}/{name}.jpg"
        cpu = peer.cpu()
        answers = load.at_once(peer.port, [target] * count)
        all_are(answers, 200, name)
        if name == "thumbor":
            report.add("thumbor: origin requests of 20 connections", slow.count)
            break
        report.add("answers that are not 200", sum(answer.status != 200 for answer in answers), at_most=0)
        report.add("different bodies", len({answer.body for answer in answers}), at_most=1)
        report.add("origin requests", slow.count, at_most=1)
        told = metrics(peer)
        if told is not None:
            for stage in ("decode", "render"):
                report.add(f"{stage}s", int(told[f"imagetool_{stage}_seconds_count"]), at_most=1, at_least=1)
        report.add("slowest answer", 1e3 * max(answer.seconds for answer in answers), "ms")
        report.add("CPU of all 200", 1e3 * (peer.cpu() - cpu), "ms")
    slow.stop()
    server.stop()
    thumbor.stop()


# ------------------------------------------------------------------ E


class Sampler:
    """Samples a metric of the service ten times per second and records its maximum."""

    def __init__(self, server, name):
        self.most, self.limit, self.is_over = None, None, False
        self.thread = threading.Thread(target=self._look, args=(server, name), daemon=True)
        self.thread.start()

    def _look(self, server, name):
        while not self.is_over:
            told = metrics(server)
            if told is None:
                return
            self.most = max(self.most or 0, told[name])
            self.limit = told[name + "_limit"]
            time.sleep(0.1)

    def end(self):
        self.is_over = True
        self.thread.join()


def overload(setting, report):
    seconds = 3 if setting.quick else 6
    report.begin("E", f"overload: 800x600 JPEG at 50, 80, 120 and 200 % of the capacity, {seconds} s each, open loop")
    server = setting.ours("--result-memory", "0")
    chance = random.Random(SEED)

    def targets(count):
        widths = chance.choices(setting.widths, setting.weights, k=count)
        return [setting.target(width, "800x600.jpg") for width in widths]

    load.closed(server.port, targets(50), 4)
    begin = time.perf_counter()
    answers = load.closed(server.port, targets(100_000), 16, seconds=seconds)
    capacity = len(answers) / (max(answer.ended for answer in answers) - begin)
    all_are(answers, 200, "ours")
    report.add("capacity, closed loop of 16 connections", capacity, "req/s")
    sampler = Sampler(server, "imagetool_inflight_bytes")
    goodput, refused, wrong, without, lags = {}, [], Counter(), 0, []
    for percent in (50, 80, 120, 200):
        rate = capacity * percent / 100
        answers, start = load.open_loop(server.port, targets(int(rate * seconds) + 1), rate, seconds)
        # The first second, which fills the queue, and responses after the last request was due are excluded.
        good = [a for a in answers if a.status == 200 and start + 1 <= a.ended < start + seconds]
        goodput[percent] = len(good) / (seconds - 1)
        latencies = [answer.seconds for answer in answers if answer.status == 200]
        over = [answer for answer in answers if answer.status in (429, 503)]
        refused += over
        lags += [answer.lag for answer in answers]
        without += sum(answer.field("retry-after") is None for answer in over)
        wrong.update(answer.status for answer in answers if answer.status not in (200, 429, 503))
        report.say(
            f"    {percent:>4} %: asked {rate:7.1f}/s, goodput {goodput[percent]:7.1f}/s, p50"
            f" {1e3 * load.percentile(latencies, 0.5):7.1f} ms, p95 {1e3 * load.percentile(latencies, 0.95):7.1f} ms,"
            f" refused {len(over)}, their p95 {1e3 * load.percentile([a.seconds for a in over], 0.95):.1f} ms")
    sampler.end()
    peak = max(goodput.values())
    report.add("goodput at 200 % / peak", goodput[200] / peak, "", at_least=0.9)
    report.add("goodput at 200 % / capacity of the closed loop", goodput[200] / capacity, "")
    report.add("refusals", len(refused), "", at_least=1)
    report.add("p95 of refusals", 1e3 * load.percentile([answer.seconds for answer in refused], 0.95), "ms", at_most=10)
    report.add("p95 of what the client itself was late", 1e3 * load.percentile(lags, 0.95), "ms")
    report.add("refusals without Retry-After", without, "", at_most=0)
    report.add("answers that are neither 200 nor refusals", sum(wrong.values()), "", at_most=0)
    if sampler.most is not None and sampler.limit:
        report.add("bytes in flight at most / limit", sampler.most / sampler.limit, "", at_most=1.0)
    server.stop()


# ------------------------------------------------------------------ F


ODD = ["turned.jpg", "palette.png", "progressive.jpg", "animated.gif", "cmyk.jpg", "gray.jpg", "alpha.png", "photo.tif"]
# Statuses that are accepted for each kind of broken source.
BROKEN = {
    "missing.jpg": (404,), "gone.jpg": (404,), "fault.jpg": (502,), "forbidden.jpg": (502,), "empty.jpg": (415, 502),
    "page.jpg": (415,), "stump.jpg": (415,), "nothing.jpg": (415, 502), "cut.jpg": (200,),
}


def soak(setting, report):
    count = 2_000 if setting.quick else setting.soak
    warm = 2 * count
    report.begin(
        "F", f"soak: {count:,} mixed requests with broken sources and clients that leave, 16 connections, after "
        f"{warm:,} of the same that fill caches and the allocator's reserves")
    folder = os.path.join(serving.scratch(), "soak")
    # Small limits, so that all caches are full early and memory growth is not that of a cache index.
    server = setting.ours(
        "--result-memory", str(8 << 20), "--cache-dir", folder,
        environment={"IMAGETOOL_CACHE_RESULTDISK": str(8 << 20), "IMAGETOOL_CACHE_SOURCEDISK": str(32 << 20)})
    chance = random.Random(SEED)
    closed_port = serving.free_port()
    known = [f"/unsafe/fit-in/{chance.choice(setting.widths)}x0/127.0.0.1:{setting.origin.port}/u{n}/800x600.jpg"
             for n in range(400)]

    def request():
        """A target, the accepted statuses, and the delay after which the client disconnects (None: it waits)."""
        kind = chance.random()
        if kind < 0.70:
            return chance.choice(known), (200,), None
        if kind < 0.88:
            return setting.target(chance.choice(setting.widths), chance.choice(["small.jpg", "odd.jpg"])), (200,), None
        if kind < 0.90:
            return setting.target(chance.choice([40, 60, 120]), chance.choice(ODD)), (200,), None
        if kind < 0.92:
            return setting.target(chance.choice([250, 500]), "2000x1500.jpg"), (200,), chance.random() * 0.02
        if kind < 0.94:
            return f"/unsafe/30x30/127.0.0.1:{closed_port}/u{chance.random()}.jpg", (403, 502), None
        if kind < 0.95:
            return "/unsafe/fit-in/99999999999x1/127.0.0.1/no.jpg", (400, 403, 422), None
        name = chance.choice(list(BROKEN))
        place = f"127.0.0.1:{setting.origin.port}/{name}"
        # Failing sources are cached negatively, so half of them get a new URL.
        if name in ("page.jpg", "stump.jpg", "nothing.jpg", "cut.jpg") and chance.random() < 0.5:
            place = setting.source(name)
        return f"/unsafe/fit-in/{chance.choice([40, 60])}x0/{place}", BROKEN[name], None

    statuses, wrong, samples = Counter(), [], []

    async def leg(requests, done):
        rest = iter([request() for _ in range(requests)])
        finished = 0

        async def work():
            nonlocal finished
            connection = load.Connection(server.port)
            for target, allowed, leaves in rest:
                if leaves is not None:
                    await load.Connection(server.port).leave(target, leaves)
                    statuses["left"] += 1
                else:
                    answer = await connection.get(target)
                    statuses[answer.status] += 1
                    if answer.status not in allowed:
                        wrong.append((answer.status, target))
                finished += 1
                if finished % 500 == 0:
                    samples.append((done + finished, server.resident()[0]))
            connection.close()

        await asyncio.gather(*(work() for _ in range(16)))

    def settled():
        """Number of open descriptors once all work has ended: the minimum over 1.5 seconds."""
        least = server.descriptors()
        for _ in range(15):
            time.sleep(0.1)
            least = min(least, server.descriptors())
        return least

    cpu = server.cpu()
    asyncio.run(leg(warm, 0))
    before = settled()
    asyncio.run(leg(count, warm))
    after = settled()
    cpu = server.cpu() - cpu
    late = [sample for sample in samples if sample[0] > warm]
    slope = statistics.linear_regression([n / 1000 for n, _ in late], [size / 1e6 for _, size in late]).slope
    server.stop()
    entries = [name for _, _, names in os.walk(folder) for name in names]
    temporary = [name for name in entries if name.endswith(".tmp")]
    report.say(f"    answers: {', '.join(f'{status}: {n}' for status, n in sorted(statuses.items(), key=str))}")
    for status, target in wrong[:5]:
        report.say(f"    unexpected {status}: {target}")
    step = max(1, len(samples) // 10)
    report.say("    resident MB: " + ", ".join(f"{n:,}: {size / 1e6:.1f}" for n, size in samples[step - 1::step]))
    if temporary:
        report.say(f"    temporary: {', '.join(temporary[:8])}")
    report.add("unexpected answers", len(wrong), "", at_most=0)
    report.add("resident after the warm-up", statistics.median(size for _, size in late[:5]) / 1e6, "MB")
    report.add("resident at the end", statistics.median(size for _, size in late[-5:]) / 1e6, "MB")
    report.add("slope of resident memory, a 1,000 requests", slope, "MB", at_most=0.2)
    report.add("descriptors at the end - after the warm-up", after - before, "", at_most=2)
    report.add("CPU of a request", 1e3 * cpu / (warm + count), "ms")
    report.add("temporary files that are left", len(temporary), "", at_most=0)
    report.add("files in the cache folder", len(entries), "", at_least=1)
    shutil.rmtree(folder, ignore_errors=True)


# ------------------------------------------------------------------ G


def start_time(begin, port, target):
    """Seconds from before exec to the complete first response, and CPU seconds of the server until then."""
    start = time.perf_counter()
    server = begin()
    request = f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode()
    while True:
        try:
            with socket.create_connection(("127.0.0.1", port), 5) as connection:
                connection.sendall(request)
                head = connection.recv(65536)
                if head.startswith(b"HTTP/1.1 200"):
                    while connection.recv(65536):
                        pass
                    break
                if head:
                    serving.fail(f"{server.name}: {head[:200]!r}")
        except OSError:
            pass
        if time.perf_counter() - start > 30:
            serving.fail(f"{server.name} does not answer")
        time.sleep(0.0005)
    seconds, cpu = time.perf_counter() - start, server.cpu()
    server.stop()
    return seconds, cpu


def cold_start(setting, report):
    report.begin("G", "start: from exec to the first answer, a thumbnail of a fetched 800x600 JPEG")
    taken = {"ours": [], "ours, health": [], "thumbor": []}
    for turn in range(5 if setting.quick else 20):
        target = setting.target(250, "800x600.jpg")
        port = serving.free_port()
        taken["ours"].append(start_time(lambda: setting.ours(port=port, wait=False), port, target))
        port = serving.free_port()
        taken["ours, health"].append(start_time(lambda: setting.ours(port=port, wait=False), port, "/health/ready"))
        if turn < 5:
            server = None

            def begin():
                nonlocal server
                server = serving.thumbor(setting.server_core, wait=False)
                return server

            port = serving.free_port()
            free, serving.free_port = serving.free_port, lambda: port
            taken["thumbor"].append(start_time(begin, port, target))
            serving.free_port = free
    for name, runs in taken.items():
        walls = [1e3 * wall for wall, _ in runs]
        report.say(
            f"    {name:<14} {len(runs)} runs: median {statistics.median(walls):7.1f} ms, from {min(walls):.1f} to"
            f" {max(walls):.1f}, CPU {1e3 * statistics.median(cpu for _, cpu in runs):.0f} ms")
    ours = statistics.median(1e3 * wall for wall, _ in taken["ours"])
    report.add("exec to first thumbnail, median", ours, "ms", at_most=100)
    report.add("exec to first thumbnail, slowest run", max(1e3 * wall for wall, _ in taken["ours"]), "ms")
    report.add("ours / thumbor", ours / statistics.median(1e3 * wall for wall, _ in taken["thumbor"]), "x", at_most=0.2)


# ------------------------------------------------------------------ writing


def machine():
    with open("/proc/cpuinfo") as file:
        model = re.search(r"model name\s*: (.*)", file.read())
    with open("/etc/os-release") as file:
        system = re.search(r'PRETTY_NAME="(.*)"', file.read())
    count = os.cpu_count()
    return f"{model.group(1) if model else 'unknown'}, {count} cores, {system.group(1) if system else 'unknown'}"


def versions():
    def output(*command):
        result = subprocess.run(command, capture_output=True, text=True)
        return (result.stdout + result.stderr).strip().splitlines()[0]

    import importlib.metadata as metadata
    names = ", ".join(f"{name} {metadata.version(name)}" for name in ("thumbor", "Pillow", "pycurl", "tornado"))
    nginx = output(serving.nginx_program(), "-v").partition("nginx/")[2]
    return f"{output(serving.TOOL, '--version')}, {names}, nginx {nginx}, {output('wrk', '-v').partition(' [')[0]}"


TITLES = {
    "A": "Cold", "B": "Diverse", "C": "Hot", "D": "Stampede", "E": "Overload", "F": "Soak", "G": "Start",
}


def write(report, text, arguments, loads):
    path = os.path.join(serving.ROOT, "Docs/service-benchmarks.md")
    lines = [
        "# Figures of the thumbnail service", "",
        "Written by `Scripts/bench-service --write`, which says what the scenarios are. CPU is user and system time of"
        " all processes of a server;", "servers run on one core, load and origin on another. Ratios are medians of"
        " those of each round.", "",
        f"- Machine: {machine()}; load average {loads[0]:.2f} before and {loads[1]:.2f} after the run.",
        f"- Versions: {versions()}.",
        f"- Command: `Scripts/bench-service --rounds {arguments.rounds}{' --free' if arguments.free else ''}`.", ""]
    lines += ["| scenario | figure | value | bar | |", "|---|---|---:|---|---|"]
    for row in report.rows:
        value = f"{row['value']:,.2f}" if isinstance(row["value"], float) else f"{row['value']:,}"
        verdict = ("met" if row["met"] else "**missed**") if row["bar"] else ""
        lines.append(
            f"| {row['scenario']} {TITLES[row['scenario']].lower()} | {row['what']} | {value} {row['unit']} | {row['bar']} |"
            f" {verdict} |")
    lines += ["", "The whole of what it printed:", "", "```", *text, "```", ""]
    with open(path, "w") as file:
        file.write("\n".join(lines))


SCENARIOS = {"A": cold, "B": diverse, "C": hot, "D": stampede, "E": overload, "F": soak, "G": cold_start}


def main():
    parser = argparse.ArgumentParser(prog="bench-service", description="The thumbnail service against its peers.")
    parser.add_argument("--only", default="A,B,C,D,E,F,G", help="letters of scenarios, with commas between")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--soak", type=int, default=20_000, help="requests of F")
    parser.add_argument("--free", action="store_true", help="pin nothing to a core")
    parser.add_argument("--quick", action="store_true", help="fewer requests, for a look")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON, and nothing else")
    parser.add_argument("--write", action="store_true", help="write Docs/service-benchmarks.md")
    arguments = parser.parse_args()
    chosen = [letter.strip().upper() for letter in arguments.only.split(",")]
    if any(letter not in SCENARIOS for letter in chosen) or arguments.rounds < 1 or arguments.soak < 4_000:
        parser.error("scenarios are A to G, there is at least one round, and a soak has 4,000 requests")
    serving.needs_service()
    report, text = Report(arguments.json), []
    if not arguments.json:
        say = report.say

        def keep(line):
            text.extend(line.splitlines())
            say(line)

        report.say = keep
    before = os.getloadavg()[0]
    setting = Setting(arguments)
    for letter in chosen:
        SCENARIOS[letter](setting, report)
    loads = before, os.getloadavg()[0]
    if arguments.json:
        print(json.dumps({"machine": machine(), "versions": versions(), "load": loads, "figures": report.rows}, indent=1))
    if arguments.write:
        write(report, text, arguments, loads)
    report.say(f"\nbench-service: {report.missed} bars missed" if report.missed else "\nbench-service: every bar is met")
    sys.exit(1 if report.missed else 0)


main()
