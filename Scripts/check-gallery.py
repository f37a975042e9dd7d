"""Gallery test in headless Chromium; started by Scripts/check-gallery."""

import argparse
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

from selenium import webdriver
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.chrome.service import Service

COUNT = 1_000
PATIENCE = 600
RESULT_MEMORY = 64 << 20
IN_FLIGHT = 128 << 20
# Allowance for memory besides in-memory results and renders: code, event loops, buffers, drawn originals.
REST = 256 << 20
failures = []


def check(is_good, text, found=""):
    print(f"{'ok  ' if is_good else 'BAD '} {text}{': ' + str(found) if found != '' else ''}", flush=True)
    if not is_good:
        failures.append(text)


class Server:
    """A service with a gallery on a free port: `imagetool serve --gallery` or `imagetool-bench gallery`."""

    def __init__(self, *command):
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [*command, "--port", "0", "--set", f"cache.resultMemory={RESULT_MEMORY}",
             "--set", f"limits.inFlightBytes={IN_FLIGHT}"],
            stderr=self.log)
        deadline = time.monotonic() + 60
        while True:
            self.log.seek(0)
            text = self.log.read().decode(errors="replace")
            address = re.search(r"gallery at (http://\S+)", text)
            if address:
                self.address = address.group(1)
                return
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                sys.exit(f"check-gallery: the service did not start: {text}")
            time.sleep(0.05)

    def get(self, path):
        with urllib.request.urlopen(self.address + path, timeout=30) as answer:
            return json.load(answer)

    def state(self):
        return self.get("/state")

    def peak(self):
        """Peak resident memory in bytes."""
        for line in open(f"/proc/{self.process.pid}/status"):
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
        return 0

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(40)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        return self.process.returncode


class Page:
    """A browser window that shows the gallery."""

    def __init__(self, width, height, ratio=1, scheme="light"):
        options = webdriver.ChromeOptions()
        for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu",
                         "--force-prefers-reduced-motion", "--hide-scrollbars"):
            options.add_argument(argument)
        options.binary_location = "/usr/bin/chromium"
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        self.size(width, height, ratio)
        self.scheme(scheme)

    def size(self, width, height, ratio=1):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": ratio, "mobile": width < 600})

    def scheme(self, scheme):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": scheme},
                         {"name": "prefers-reduced-motion", "value": "reduce"}]})

    def open(self, address):
        self.driver.get(address)
        self.wait("return document.querySelectorAll('.tile').length > 0")

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def wait(self, script, *arguments, patience=60):
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline:
            found = self.run(script, *arguments)
            if found:
                return found
            time.sleep(0.03)
        raise TimeoutError(script)

    def key(self, *keys):
        webdriver.ActionChains(self.driver).send_keys(*keys).perform()

    def click(self, name):
        self.driver.find_element("id", name).click()

    def order(self, name):
        """Clicks a cache's button and waits for the updated figures."""
        self.click(name)
        self.wait("return !document.getElementById(arguments[0]).hasAttribute('aria-disabled')", name)

    def complete(self):
        """Scrolls through the page, waiting for each screen to load; returns the counts."""
        self.run("scrollTo(0, 0)")
        in_sight = """
            const tiles = [...document.querySelectorAll('.tile')];
            const seen = tiles.filter((tile) => {
              const box = tile.getBoundingClientRect();
              return box.bottom > 0 && box.top < innerHeight;
            });
            return seen.length > 0 && seen.every((tile) =>
              !['waiting', 'loading'].includes(tile.dataset.source));"""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            self.wait(in_sight, patience=PATIENCE)
            if self.run("return scrollY + innerHeight >= document.documentElement.scrollHeight - 2"):
                break
            self.run("scrollBy(0, Math.round(innerHeight * 0.8))")
        return self.counts()

    def counts(self):
        return self.run("""
            const counts = {};
            for (const tile of document.querySelectorAll('.tile')) {
              const image = tile.querySelector('img');
              const source = tile.dataset.source;
              counts[source] = (counts[source] || 0) + 1;
              if (!image.src || !image.alt) counts.bare = (counts.bare || 0) + 1;
            }
            return counts;""")

    def broken(self):
        """Number of images that the browser cannot decode."""
        return self.driver.execute_async_script("""
            const done = arguments[arguments.length - 1];
            const images = [...document.querySelectorAll('.tile img')].filter((image) => image.src);
            Promise.allSettled(images.map((image) => image.decode())).then((ends) =>
              done(ends.filter((end) => end.status === 'rejected').length));""")

    def console(self):
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def screenshot(self, folder, name):
        if folder:
            self.driver.save_screenshot(str(folder / f"{name}.png"))

    def close(self):
        self.driver.quit()


def check_sources(page, address, server, folder):
    page.open(address)
    first = page.complete()
    check(first == {"render": COUNT}, "first pass: all rendered", first)
    check(page.broken() == 0, "every picture can be read")
    sums = page.run("""
        const of = (name) => document.getElementById(name).textContent;
        return [of('shown'), of('count'), document.querySelector('.legend [data-source=render] b').textContent,
          of('bytes'), of('median'), document.getElementById('status').textContent];""")
    check(sums[0].replace(",", "") == str(COUNT) and sums[2].replace(",", "") == str(COUNT), "the sums say so", sums)
    page.run("scrollTo(0, 0)")
    page.screenshot(folder, "wide")

    page.click("reload")
    second = page.complete()
    check(set(second) <= {"memory", "disk"} and sum(second.values()) == COUNT, "second pass: memory or disk", second)

    page.order("clear-memory")
    check(server.state()["memory"]["count"] == 0, "the memory cache is empty after its button")
    page.click("reload")
    third = page.complete()
    check(third == {"disk": COUNT}, "after clearing memory: all from disk", third)

    page.order("purge-disk")
    state = server.state()
    check(state["disk"]["count"] == 0 and state["sources"]["count"] == 0, "both disks are empty after their button")
    page.order("clear-memory")
    page.click("reload")
    page.wait("return document.querySelector('.tile').dataset.source === 'render'")
    check(True, "then pictures are rendered again")


def check_cancelling(page, server):
    """With empty caches, scrolling to the end of the page must cancel the requests at the top."""
    before = server.state()["cancelled"]
    for _ in range(40):
        # Disk before memory: images that the page loads meanwhile are stored on disk whenever they are in memory.
        page.order("purge-disk")
        page.order("clear-memory")
        page.run("scrollTo(0, 0); document.getElementById('reload').click();")
        page.run("""
            return new Promise((done) => {
              const look = () => document.querySelector('.tile[data-source=loading]') ? done() : requestAnimationFrame(look);
              look();
            });""")
        page.run("scrollTo(0, document.documentElement.scrollHeight)")
        page.wait("return !document.querySelector('.tile[data-source=loading]')")
        after = server.state()["cancelled"]
        if after > before:
            break
    shown = page.run("return document.getElementById('cancelled').textContent")
    check(after > before, "scrolling away cancels requests", f"{after - before} at the service; the page says {shown}")
    check(int(re.sub(r"\D", "", shown)) > 0, "the page counts them too")


def check_keyboard(page, address, folder):
    page.open(address)
    focused = "return document.activeElement.id || document.activeElement.parentElement.dataset.place"
    stops = []
    for _ in range(5):
        page.key(Keys.TAB)
        stops.append(page.run("return document.activeElement.id || document.activeElement.className || "
                              "'tile ' + document.activeElement.parentElement.dataset.place"))
    check(stops == ["skip", "reload", "clear-memory", "purge-disk", "tile 0"], "the tab key goes", ", ".join(stops))
    page.key(Keys.ARROW_RIGHT)
    check(page.run(focused) == "1", "an arrow goes to the next picture")
    page.key(Keys.ARROW_DOWN)
    columns = page.run("return getComputedStyle(document.getElementById('pictures')).gridTemplateColumns.split(' ').length")
    check(page.run(focused) == str(1 + columns), "an arrow down goes one row on")
    page.key(Keys.END)
    check(page.run(focused) == str(COUNT - 1), "End goes to the last picture")
    check(page.run("const box = document.activeElement.getBoundingClientRect();"
                   "return box.top >= 0 && box.bottom <= innerHeight"), "which is then in sight")
    page.key(Keys.HOME)
    check(page.run("""
        const box = document.activeElement.getBoundingClientRect();
        const top = document.elementFromPoint(box.left + box.width / 2, box.top + 4);
        return document.activeElement.contains(top);"""), "nothing lies over the picture in focus")
    page.key(Keys.ENTER)
    page.wait("return document.getElementById('large').open && document.getElementById('large-image').complete "
              "&& document.getElementById('large-image').naturalWidth > 0")
    page.wait("return document.getElementById('large-figures').textContent !== ''")
    found = page.run("return [document.getElementById('large-name').textContent, "
                     "document.getElementById('large-badge').textContent, "
                     "document.getElementById('large-figures').textContent]")
    check("Landscape 0" in found[0] and found[1] == "rendered" and "1200 × 900" in found[2],
          "Enter opens the large view", " | ".join(found))
    page.screenshot(folder, "large")
    page.key(Keys.ARROW_RIGHT)
    page.wait("return document.getElementById('large-name').textContent.includes('Landscape 1,')")
    page.key(Keys.ESCAPE)
    page.wait("return !document.getElementById('large').open")
    try:
        page.wait(f"return (() => {{ {focused} }})() === '1'", patience=10)
        check(True, "Escape closes it and the focus is on the picture that was shown")
    except TimeoutError:
        check(False, "Escape closes it and the focus is on the picture that was shown", page.run(focused))


def check_narrow(page, address, folder):
    for width, ratio in ((320, 2), (390, 3), (768, 1)):
        page.size(width, 780, ratio)
        page.open(address)
        page.wait("return document.querySelectorAll('.tile.shown').length >= 2")
        over = page.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
        check(over <= 0, f"no scrolling sideways at {width} pixels", over)
        sharp = page.run("""
            const image = document.querySelector('.tile.shown img');
            return [image.naturalWidth, Math.round(image.clientWidth * devicePixelRatio)];""")
        check(sharp[0] >= min(sharp[1], 640), f"thumbnails have the pixels of the screen at {width} x {ratio}", sharp)
        if width == 390:
            page.wait("return document.querySelectorAll('.tile.shown').length >= 4")
            page.screenshot(folder, "narrow")
            page.scheme("dark")
            page.run("scrollTo(0, 500)")
            page.wait("return document.querySelectorAll('.tile.shown').length >= 6")
            page.screenshot(folder, "narrow-dark")
            page.scheme("light")


def check_names(folder):
    """Hostile file names must be shown as text."""
    names = ["<img src=x onerror=document.title='owned'>.png", "\"><script>document.title='owned'<&.png", "a?b#c%41.png"]
    with tempfile.TemporaryDirectory() as pictures:
        source = next(pathlib.Path("Fixtures/png").glob("*.png")).read_bytes()
        for name in names:
            (pathlib.Path(pictures) / name.replace("/", "")).write_bytes(source)
        server = Server(
            os.environ["IMAGETOOL"], "serve", "--set", "server.adminPort=off", "--unsafe", "--quiet",
            "--gallery", pictures)
        page = Page(1000, 700)
        try:
            page.open(server.address)
            page.wait("return document.querySelectorAll('.tile.shown').length === 3")
            found = page.run("return [...document.querySelectorAll('.tile .name')].map((name) => name.textContent)")
            check(sorted(found) == sorted(names), "names of files stay text", found)
            check(page.run("return document.querySelectorAll('.tile img[onerror], main script').length") == 0
                  and "owned" not in page.run("return document.title"), "and nothing of them runs")
            check(page.console() == [], "no word on the console", page.console())
            page.screenshot(folder, "names")
        finally:
            page.close()
            server.stop()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--screenshots", type=pathlib.Path)
    folder = parser.parse_args().screenshots
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as cache:
        # The origin uses the same port in each run, so the source URLs are equal.
        command = (os.environ["IMAGETOOL_BENCH"], "gallery", "--set", f"cache.directory={cache}")
        server = Server(*command)
        page = Page(1440, 900)
        try:
            check_sources(page, server.address, server, folder)
            check_cancelling(page, server)
            page.click("reload")
            page.complete()
            said = page.console()
            check(said == [], "no word on the console", said[:3])
            peak = server.peak()
            bound = RESULT_MEMORY + IN_FLIGHT + REST
            check(peak <= bound, "resident memory within the budget", f"{peak >> 20} of {bound >> 20} MiB at most")
            check_narrow(page, server.address, folder)
        finally:
            page.close()
            code = server.stop()
        check(code == 0, "the service ends in good order", code)

        server = Server(*command)
        page = Page(1440, 900, scheme="dark")
        try:
            page.open(server.address)
            again = page.complete()
            check(again == {"disk": COUNT}, "after a restart: all from disk", again)
            page.run("scrollTo(0, 0)")
            page.screenshot(folder, "dark")
            check_keyboard(page, server.address, folder)
            said = page.console()
            check(said == [], "no word on the console", said[:3])
        finally:
            page.close()
            server.stop()
    check_names(folder)
    print(f"check-gallery: {len(failures)} failed" if failures else "check-gallery: all is well")
    sys.exit(1 if failures else 0)


main()
