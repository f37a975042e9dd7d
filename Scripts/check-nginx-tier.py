"""Checks of Scripts/check-nginx-tier; its header describes them."""

import asyncio
import json
import os
import random
import socket
import sys
import time
import threading
from collections import Counter

import loopback_load as load
import serving
from service_pictures import pictures
from slow_origin import SlowOrigin

WIDTHS = [20, 40, 60, 120, 250, 330, 500, 960]
wrong = 0


def check(what, value, is_good):
    global wrong
    wrong += not is_good
    print(f"    {what:<66} {value:>10}  {'ok' if is_good else 'WRONG'}", flush=True)


class Tier:
    """deploy/nginx.conf with test addresses, names and folders. `weaken` contains further (old, new) replacements."""

    def __init__(self, instances, weaken=()):
        with open(os.path.join(serving.ROOT, "deploy/nginx.conf")) as file:
            text = file.read()
        for old, new in [
            ("127.0.0.1:8081", f"127.0.0.1:{instances[0].port}"), ("127.0.0.1:8082", f"127.0.0.1:{instances[1].port}"),
            ("/var/cache/nginx/thumbnails", "FOLDER/cache"), ("listen 8080", "listen 127.0.0.1:PORT"),
            ("server_name images.example;", "server_name 127.0.0.1;"),
            ("/var/log/nginx/thumbnails.log", "FOLDER/thumbnails.log"), *weaken,
        ]:
            if old not in text:
                serving.fail(f"deploy/nginx.conf has no {old}")
            text = text.replace(old, new)
        # Two workers share cache and lock, but each has a separate record of failed instances.
        self.server = serving.nginx(text, workers=2)
        self.port = self.server.port
        self.log_path = os.path.join(self.server.folder, "thumbnails.log")
        self.read = 0

    def log(self, count):
        """Status, cache status, instances and target of each of the `count` requests since the last call. Waits,
        because nginx logs a request after its response was sent."""
        end = time.monotonic() + 10
        while True:
            with open(self.log_path) as file:
                lines = file.read().splitlines()
            if len(lines) >= self.read + count or time.monotonic() > end:
                break
            time.sleep(0.01)
        rows = []
        for line in lines[self.read:]:
            status, cache, rest = line.split(" ", 2)
            # Several instances are separated by ", ".
            addresses, _, target = rest.rsplit(" ", 2)
            rows.append((int(status), cache, [] if addresses == "-" else addresses.split(", "), target))
        self.read = len(lines)
        return rows


def info(port, line, host):
    """Status and `id` of info.json, for a literal request line and Host field. Status 0 means no response."""
    with socket.create_connection(("127.0.0.1", port), 30) as client:
        client.sendall(f"GET {line} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
        answer = b""
        while part := client.recv(65536):
            answer += part
    header, _, body = answer.partition(b"\r\n\r\n")
    status = int(header[9:12]) if header else 0
    return status, json.loads(body)["id"] if status == 200 else None


def check_host_fields(instances, tier):
    """A Host field from one client must not affect responses to others."""
    target, own = "/iiif/3/c.jpg/info.json", "http://127.0.0.1/iiif/3/c.jpg"
    print("info.json, after a request with the Host field of another")
    status, _ = info(tier.port, target, "evil.example")
    check("another name: status (0: closed without an answer)", status, status == 0)
    # nginx takes the host from such a request line and ignores the field (RFC 9112 section 3.2.2).
    absolute = f"http://127.0.0.1:{tier.port}{target}"
    for what, line, host in [
        ("a request line with a host", absolute, "evil.example"), ("then a plain request", target, "127.0.0.1"),
        ("another port", target, "127.0.0.1:99"), ("then a plain request", target, "127.0.0.1"),
    ]:
        status, found = info(tier.port, line, host)
        check(f"{what}: status", status, status == 200)
        check(f"{what}: id of the service", "yes" if found == own else "no", found == own)
    tier.log(4)

    print("info.json behind a proxy that passes every name on and has no host in its key")
    weak = Tier(instances, [
        ("server_name 127.0.0.1;", "server_name ~.;"),
        ("proxy_cache_key $host$request_uri;", "proxy_cache_key $request_uri;"),
    ])
    status, found = info(weak.port, target, "evil.example")
    check("another name: status", status, status == 200 and found == "http://evil.example/iiif/3/c.jpg")
    status, found = info(weak.port, target, "127.0.0.1")
    check("then a plain request: id of the service", "yes" if found == own else "no", status == 200 and found == own)
    hits = sum(cache == "HIT" for _, cache, _, _ in weak.log(2))
    check("answers from the cache", hits, hits == 0)
    two, _ = info(weak.port, target, "127.0.0.1\r\nHost: evil.example")
    check("two Host fields: status", two, two == 400)
    weak.server.stop()


def main():
    serving.needs_service()
    slow, origin = SlowOrigin("800x600.jpg", 0.3), serving.origin(pictures())
    instances = [
        serving.ours(
            "--iiif-prefix", f"http://127.0.0.1:{slow.port}/", origins=[slow.port, origin.port], name=f"instance-{n}")
        for n in (1, 2)]
    tier = Tier(instances)

    print("40 equal requests for what is not there yet, a source that takes 300 ms")
    for name, target in [
        ("thumbor", f"/unsafe/fit-in/200x200/127.0.0.1:{slow.port}/a.jpg"),
        ("IIIF", "/iiif/3/b.jpg/full/!200,200/0/default.jpg"),
    ]:
        slow.count = 0
        answers = load.at_once(tier.port, [target] * 40)
        asked = sum(len(addresses) for _, _, addresses, _ in tier.log(40))
        check(f"{name}: answers with 200", sum(a.status == 200 for a in answers), all(a.status == 200 for a in answers))
        check(f"{name}: upstream requests", asked, asked == 1)
        check(f"{name}: origin requests", slow.count, slow.count == 1)

    print("200 sources in two sizes each, 40 of them in all sizes and spellings")
    sources = [f"127.0.0.1:{origin.port}/u{n}/small.jpg" for n in range(200)]

    def nodes_of(sources, options):
        """The instance that answered last for each source."""
        answers = load.closed(tier.port, [f"/unsafe/{options}/{source}" for source in sources], 4)
        if any(answer.status != 200 for answer in answers):
            serving.fail(f"the tier answered {Counter(answer.status for answer in answers)}")
        return {target.partition(options + "/")[2]: addresses[-1] for _, _, addresses, target in tier.log(len(sources))}

    homes = nodes_of(sources, "fit-in/30x30")
    again = nodes_of(sources, "50x40/smart/filters:quality(70):grayscale()")
    check("sources that another size finds elsewhere", sum(homes[s] != again[s] for s in sources), homes == again)
    few, elsewhere = sources[:40], 0
    for options in [f"fit-in/{width}x{width}" for width in WIDTHS] + [
        "meta", "trim", "5x5:60x60", "adaptive-full-fit-in/20x30", "-20x-30/left/top", "origx20", "x40", "20x",
        "filters:fill(red):format(png)",
    ]:
        elsewhere += sum(homes[source] != node for source, node in nodes_of(few, options).items())
    for spelling in ["http://", "http%3A%2F%2F"]:
        found = nodes_of([spelling + source for source in few], "21x0")
        elsewhere += sum(homes[source] != found[spelling + source] for source in few)
    check("of 40, sizes and spellings that another instance answered", elsewhere, elsewhere == 0)
    shares = Counter(homes.values())
    check("sources of the busier instance, of 200", max(shares.values()), max(shares.values()) <= 140)

    print("what is cached: not found for a while, faults never")
    for target, status, most in [("missing.jpg", 404, 1), ("fault.jpg", 502, 10)]:
        answers = load.closed(tier.port, [f"/unsafe/30x30/127.0.0.1:{origin.port}/{target}"] * 10, 1)
        asked = sum(len(addresses) for _, _, addresses, _ in tier.log(10))
        check(f"{status}: upstream requests of 10", asked, asked == most and all(a.status == status for a in answers))

    check_host_fields(instances, tier)

    print("an instance is killed under load, 8 connections")
    # Kill the instance with fewer sources, so that at most half of all sources may move.
    victim = min(instances, key=lambda instance: shares[f"127.0.0.1:{instance.port}"])
    address = f"127.0.0.1:{victim.port}"
    chance = random.Random(20261121)
    targets = []
    for number in range(1_500):
        if chance.random() < 0.5:
            targets.append(f"/unsafe/fit-in/{chance.choice(WIDTHS)}x0/127.0.0.1:{origin.port}/u9{number}/small.jpg")
        else:
            targets.append(f"/unsafe/fit-in/{chance.choice(WIDTHS)}x{chance.randrange(30, 90)}/{chance.choice(sources)}")
    retried, failed = [], []

    async def under_load():
        rest, done = iter(targets), 0

        async def work():
            nonlocal done
            connection = load.Connection(tier.port)
            for target in rest:
                answer = await connection.get(target)
                if answer.status != 200:
                    retried.append(answer.status)
                    answer = await connection.get(target)
                if answer.status != 200:
                    failed.append((answer.status, target))
                done += 1
                if done == len(targets) // 3:
                    await asyncio.to_thread(victim.kill)
            connection.close()

        await asyncio.gather(*(work() for _ in range(8)))

    asyncio.run(under_load())
    rows = tier.log(len(targets) + len(retried))
    moved = sum(address in addresses and len(addresses) > 1 for _, _, addresses, _ in rows)
    check(f"requests of {len(targets)} that failed", len(failed), not failed)
    check("requests that clients had to repeat", len(retried), not retried)
    check("requests that nginx sent to the other instance", moved, moved >= 1)
    homes_now = nodes_of(sources, "fit-in/31x31")
    left = [source for source in sources if homes[source] != address]
    strays = sum(homes_now[source] != homes[source] for source in left)
    gone = sum(homes_now[source] != homes[source] for source in sources)
    check("sources of the other instance that moved", strays, strays == 0)
    check("sources that moved, of 200", gone, gone <= 100)

    print("no instance is left")
    next(instance for instance in instances if instance is not victim).kill()
    kept = load.closed(tier.port, [f"/unsafe/fit-in/31x31/{source}" for source in sources], 4)
    check("sizes that the cache still answers, of 200", sum(a.status == 200 for a in kept), all(a.status == 200 for a in kept))
    fresh = load.one(tier.port, f"/unsafe/fit-in/32x32/{sources[0]}")
    check("status of what it does not have", fresh.status, fresh.status in (502, 504))

    slow.stop()
    for server in (tier.server, origin):
        server.stop()
        check(f"processes of {server.name} that are left", len(server.pids()), not server.pids())
    print(f"check-nginx-tier: {wrong} wrong" if wrong else "check-nginx-tier: all is well")
    sys.exit(1 if wrong else 0)


main()
