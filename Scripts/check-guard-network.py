"""Test of Scripts/check-guard-network, whose header describes it. This file also runs inside the namespaces."""

import http.server
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading

import loopback_load as load
import serving

PUBLIC, PUBLIC_NET = "45.45.45.2", "45.45.45.1/24"
PUBLIC6 = "2a00:45::2"
# Addresses of the internal host: private networks, a metadata service, carrier-grade NAT, IPv6 local addresses.
INTERNAL = ["10.99.0.2", "169.254.169.254", "100.64.7.2", "192.168.7.2", "172.16.7.2"]
INTERNAL6 = ["fd00:99::2", "fe80::99:2"]
PICTURE = os.path.join(serving.ROOT, "Fixtures/jpeg", sorted(
    name for name in os.listdir(os.path.join(serving.ROOT, "Fixtures/jpeg")) if name.endswith(".jpg"))[0])


# ------------------------------------------------------------------ in the namespaces


class Listener6(http.server.ThreadingHTTPServer):
    """HTTP server on all IPv4 and IPv6 addresses."""

    address_family = socket.AF_INET6
    daemon_threads = True

    def server_bind(self):
        self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        super().server_bind()


class Pictures(http.server.BaseHTTPRequestHandler):
    """Serves one image at every path, and at /to/HEX a redirect to the decoded URL."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if self.path.startswith("/to/"):
            self.send_response(302)
            self.send_header("Location", bytes.fromhex(self.path[4:]).decode())
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        with open(PICTURE, "rb") as file:
            body = file.read()
        self.send_response(200)
        self.send_header("Content-Type", "image/jpeg")
        self.send_header("Cache-Control", "no-store")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


ANSWERS = {
    "public": [PUBLIC], "public6": [PUBLIC6], "mixed": [PUBLIC, INTERNAL[0]], "mixed-back": [INTERNAL[0], PUBLIC],
    "local": ["127.0.0.1"], "local6": ["::1"], "zero": ["0.0.0.0"], "mapped": ["::ffff:10.99.0.2"],
    "nat64": ["64:ff9b::10.99.0.2"], "sixtofour": ["2002:a63:2::1"],
    **{f"inside{n}": [address] for n, address in enumerate(INTERNAL + INTERNAL6[:1])},
}


def resolve():
    """DNS server over UDP. `rebindN` resolves to the public address for the first query of each type and to an internal
    one afterwards; `trebindN` for the first two queries. A TTL of 0 prevents caching."""
    asked, listener = {}, socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    listener.bind((PUBLIC, 53))
    while True:
        question, client = listener.recvfrom(4096)
        labels, at = [], 12
        while question[at]:
            labels.append(question[at + 1 : at + 1 + question[at]].decode("latin-1").lower())
            at += question[at] + 1
        kind = struct.unpack(">H", question[at + 1 : at + 3])[0]
        name = labels[0]
        if "rebind" in name:
            asked[name, kind] = asked.get((name, kind), 0) + 1
            addresses = [PUBLIC] if asked[name, kind] <= (2 if name[0] == "t" else 1) else [INTERNAL[0]]
        else:
            addresses = ANSWERS.get(name, [])
        family, wanted = (socket.AF_INET6, ":") if kind == 28 else (socket.AF_INET, ".")
        records = [socket.inet_pton(family, a) for a in addresses if (":" in a) == (wanted == ":") and kind in (1, 28)]
        answer = question[:2] + b"\x85\x80" + struct.pack(">HHHH", 1, len(records), 0, 0) + question[12 : at + 5]
        for record in records:
            answer += b"\xc0\x0c" + struct.pack(">HHIH", kind, 1, 0, len(record)) + record
        listener.sendto(answer, client)


def public():
    threading.Thread(target=resolve, daemon=True).start()
    Listener6(("::", 80), Pictures).serve_forever()


def internal(path):
    """Serves images and counts incoming packets; on SIGUSR1 it writes the count to a file. Counts only ARP, IPv4, and
    IPv6 with TCP or UDP, not the background traffic of the system."""
    counted = 0

    def tell(*_):
        with open(path + ".part", "w") as file:
            file.write(str(counted))
        os.rename(path + ".part", path)

    signal.signal(signal.SIGUSR1, tell)
    listener = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    threading.Thread(target=Listener6(("::", 80), Pictures).serve_forever, daemon=True).start()
    print("ready", flush=True)
    while True:
        packet, origin = listener.recvfrom(65536)
        if origin[0] == "lo" or origin[2] == socket.PACKET_OUTGOING:
            continue
        kind = struct.unpack(">H", packet[12:14])[0]
        counted += kind in (0x0806, 0x0800) or kind == 0x86DD and packet[20] in (6, 17)


def quiet():
    """Reports each connection to port 80 of the service's host."""
    listener = socket.create_server(("::", 80), family=socket.AF_INET6, dualstack_ipv6=True)
    print("ready", flush=True)
    count = 0
    while True:
        listener.accept()[0].close()
        count += 1
        print(f"connection {count}", flush=True)


def ask(port):
    """Prints the status of each target from standard input."""
    targets = json.load(sys.stdin)
    print(json.dumps([load.one(int(port), target).status for target in targets]))


# ------------------------------------------------------------------ outside of them


class Network:
    """Three network namespaces, with a veth pair from the service's to each of the others."""

    def __init__(self):
        mark = f"guard{os.getpid()}"
        self.service, self.public, self.internal = mark + "s", mark + "p", mark + "i"
        self.resolver = f"/etc/netns/{self.service}"

    def __enter__(self):
        try:
            for name in (self.service, self.public, self.internal):
                self.ip("netns", "add", name)
                self.ip("-n", name, "link", "set", "lo", "up")
            for other, inner in ((self.public, "out"), (self.internal, "in")):
                self.ip("link", "add", inner, "netns", self.service, "type", "veth", "peer", "name", "eth", "netns", other)
            self.address(self.service, "out", PUBLIC_NET, "2a00:45::1/64")
            self.address(self.public, "eth", PUBLIC + "/24", PUBLIC6 + "/64")
            self.address(self.service, "in", "10.99.0.1/24", "169.254.0.1/16", "100.64.7.1/24", "192.168.7.1/24",
                         "172.16.7.1/24", "fd00:99::1/64", "fe80::99:1/64")
            self.address(self.internal, "eth", "10.99.0.2/24", "169.254.169.254/16", "100.64.7.2/24", "192.168.7.2/24",
                         "172.16.7.2/24", "fd00:99::2/64", "fe80::99:2/64")
            # Default routes to the internal host: for IPv6 addresses with an embedded IPv4 address, and for unassigned
            # addresses.
            self.ip("-n", self.service, "route", "add", "default", "via", "10.99.0.2")
            self.ip("-n", self.service, "-6", "route", "add", "default", "via", "fd00:99::2")
            os.makedirs(self.resolver)
            with open(self.resolver + "/resolv.conf", "w") as file:
                file.write(f"nameserver {PUBLIC}\noptions timeout:1 attempts:2\n")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for name in (self.service, self.public, self.internal):
            subprocess.run(["ip", "netns", "del", name], stderr=subprocess.DEVNULL)
        shutil.rmtree(self.resolver, ignore_errors=True)

    def ip(self, *words):
        result = subprocess.run(["ip", *words], capture_output=True, text=True)
        if result.returncode != 0:
            serving.fail(f"ip {' '.join(words)}: {result.stderr.strip()}")

    def address(self, name, interface, *addresses):
        for address in addresses:
            self.ip("-n", name, "addr", "add", address, "dev", interface, *(["nodad"] if ":" in address else []))
        self.ip("-n", name, "link", "set", interface, "up")

    def run(self, namespace, name, command):
        return serving.Server(name, ["ip", "netns", "exec", namespace, *command])

    def script(self, namespace, name, *words):
        server = self.run(namespace, name, [sys.executable, "-u", os.path.abspath(__file__), name, *words])
        return server

    def serve(self, *options):
        server = self.run(self.service, "ours", [
            serving.TOOL, "serve", "--port", "8080", "--unsafe", "--quiet", "--allow", "*", *options])
        return server.wait_until(lambda: "listening on" in server.log())

    def ask(self, targets):
        return json.loads(subprocess.run(
            ["ip", "netns", "exec", self.service, sys.executable, os.path.abspath(__file__), "ask", "8080"],
            input=json.dumps(targets), capture_output=True, text=True, check=True).stdout)

    def reach(self, address):
        """Connects without the guard, as a control."""
        program = f"import socket; socket.create_connection(({address!r}, 80), 5).close()"
        subprocess.run(["ip", "netns", "exec", self.service, sys.executable, "-c", program], check=True)


class Witness:
    def __init__(self, network):
        self.path = os.path.join(serving.scratch(), "packets")
        self.server = network.script(network.internal, "internal", self.path)
        self.server.wait_until(lambda: "ready" in self.server.log())

    def packets(self):
        if os.path.exists(self.path):
            os.remove(self.path)
        os.kill(self.server.group, signal.SIGUSR1)
        self.server.wait_until(lambda: os.path.exists(self.path), 5)
        with open(self.path) as file:
            return int(file.read())


def inside():
    """Targets that name the internal host or the service's host."""
    hosts = INTERNAL + [f"[{address}]" for address in INTERNAL6[:1]] + [
        "0x0a.0x63.0.2", "0x0a630002", "174260226", "10.99.2", "012.0143.0.2", "10.99.0.2.", "[::ffff:10.99.0.2]",
        "[::ffff:a63:2]", "[::10.99.0.2]", "[64:ff9b::10.99.0.2]", "[64:ff9b:1::a63:2]", "[2002:a63:2::1]",
        "[2001:0:a00:1::f59c:fffd]", "[fe80::5efe:a63:2]", "2852039166", "127.0.0.1", "127.1", "0177.0.0.1", "0x7f.1",
        "2130706433", "0.0.0.0", "0", "[::1]", "[::]", "localhost", "localhost.",
    ]
    return hosts + [f"{name}.test" for name in ANSWERS if not name.startswith("public")]


def main():
    serving.needs_service()
    wrong = 0

    def check(what, value, is_good):
        nonlocal wrong
        wrong += not is_good
        print(f"    {what:<74} {value:>6}  {'ok' if is_good else 'WRONG'}", flush=True)

    with Network() as network:
        outside = network.script(network.public, "public")
        witness = Witness(network)
        own = network.script(network.service, "quiet")
        own.wait_until(lambda: "ready" in own.log())

        print("the witness is awake")
        before = witness.packets()
        network.reach("10.99.0.2")
        check("packets of a program that asks the internal host", witness.packets() - before, witness.packets() > before)
        server = network.serve("--allow-cidr", "10.99.0.0/24")
        before = witness.packets()
        statuses = network.ask(["/unsafe/30x30/10.99.0.2/a.jpg", "/unsafe/30x30/inside0.test/a.jpg"])
        check("packets of a service that may go there, which has pictures from it", witness.packets() - before,
              statuses == [200, 200] and witness.packets() > before)
        server.stop()

        print("a service as it is by default")
        server = network.serve()
        statuses = network.ask(["/unsafe/30x30/public.test/a.jpg", "/unsafe/31x30/public6.test/a.jpg",
                                f"/unsafe/32x30/{PUBLIC}/a.jpg", "/unsafe/33x30/public.test/to/"
                                + b"http://public6.test/b.jpg".hex()])
        check("pictures from the public host, by name, address and redirect, of 4", statuses.count(200),
              statuses == [200] * 4)
        before = witness.packets()
        hosts = inside()
        statuses = network.ask([f"/unsafe/30x30/http://{host}/a.jpg" for host in hosts])
        odd = [(host, status) for host, status in zip(hosts, statuses) if status not in (400, 403)]
        check(f"addresses, spellings and names of the inside that are refused, of {len(hosts)}", len(hosts) - len(odd),
              not odd)
        statuses = network.ask([
            f"/unsafe/30x30/public.test/to/{f'http://{host}/a.jpg'.encode().hex()}" for host in hosts])
        more = [(host, status) for host, status in zip(hosts, statuses) if status not in (400, 403, 502)]
        check(f"redirects to each of them that are refused, of {len(hosts)}", len(hosts) - len(more), not more)
        names = [f"{kind}{number}.test" for kind in ("rebind", "trebind") for number in range(25)]
        statuses = network.ask([f"/unsafe/30x{30 + turn}/{name}/a.jpg" for name in names for turn in range(4)])
        check("answers of 50 names that change their address, asked 4 times, refused", statuses.count(403),
              set(statuses) <= {200, 403} and 403 in statuses)
        check("the same that show the public picture", statuses.count(200), 200 in statuses)
        for host, status in odd + more:
            print(f"        {host}: {status}")
        packets = witness.packets() - before
        check("packets that reached the internal host", packets, packets == 0)
        connections = len(re.findall("connection", own.log()))
        check("connections to the service's own machine", connections, connections == 0)
        for process in (server, own, witness.server, outside):
            process.stop()
    print(f"check-guard-network: {wrong} wrong" if wrong else "check-guard-network: nothing went inside")
    sys.exit(1 if wrong else 0)


ROLES = {"public": public, "internal": internal, "quiet": quiet, "ask": ask}
if len(sys.argv) > 1:
    ROLES[sys.argv[1]](*sys.argv[2:])
else:
    main()
