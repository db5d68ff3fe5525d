"""The studio in a real browser: a server of its own, one Chromium for all tests, a page that must behave.

Every test ends with two checks: nothing was written to the browser's console as an error, and no request left for
another host. A test that makes the server refuse something says so with `studio.refusals`.
"""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import time
from urllib.parse import urlsplit

import pytest

SECONDS = 120  # kernels may have to be compiled first
NAMES = ("chromium", "chromium-browser", "google-chrome")


def free_port():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


@pytest.fixture(scope="session")
def address():
    """Where a studio listens that was started as people start it."""
    port = free_port()
    command = [sys.executable, "-m", "waygrid", "studio", "--no-browser", "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        deadline = time.monotonic() + SECONDS
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                assert server.poll() is None, f"waygrid studio ended with {server.returncode}"
                assert time.monotonic() < deadline, "waygrid studio does not listen"
                time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/"
        server.terminate()


@pytest.fixture(scope="session")
def browser():
    """Debian's Chromium, driven by Playwright."""
    found = os.environ.get("WAYGRID_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip("Chromium is not installed (apt-get install chromium, or set WAYGRID_CHROMIUM)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def exported(tmp_path_factory):
    """A lesson with the examples of the studio, exported as people export it."""
    file = tmp_path_factory.mktemp("lesson") / "lesson.html"
    command = [sys.executable, "-m", "waygrid", "studio", "--export", str(file)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return file


class Held:
    """Requests that wait, so that a test can do something before they are answered."""

    def __init__(self, studio, pattern, which):
        self.studio, self.pattern, self.routes = studio, pattern, []

        def take(route):
            if which(route.request):
                self.routes.append(route)
            else:
                route.continue_()

        studio.page.route(pattern, take)

    def wait(self, number=1):
        self.studio.until(lambda: len(self.routes) >= number, f"a request for {self.pattern}")
        return self

    def release(self):
        """Let them through, wait for the answers, and give the page time to use them."""
        from playwright.sync_api import Error

        self.studio.page.unroute(self.pattern)
        for route in self.routes:
            with contextlib.suppress(Error):  # the page may have given the request up
                route.continue_()
                route.request.response()
        self.studio.rest()


class Studio:
    """The page and what tests do with it; `window.studio` tells what it shows."""

    def __init__(self, page, address):
        self.page, self.address = page, address
        self.errors, self.requests = [], []
        self.refusals = 0  # answers of status 4xx that the test provokes; the browser writes each to its console
        page.on("console", lambda message: self.errors.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))

    def open(self, fragment=""):
        self.page.goto(self.address + fragment)
        self.wait("window.studio && studio.state === 'finished'")
        return self

    def get(self, expression, argument=None):
        # Playwright's wait_for_function would need eval in the page, which its policy forbids; evaluate does not.
        return self.page.evaluate(expression, argument)

    def wait(self, expression, argument=None):
        deadline = time.monotonic() + SECONDS
        while not self.get(expression, argument):
            assert time.monotonic() < deadline, f"waited in vain for {expression}: {self.page.inner_text('body')}"
            time.sleep(0.02)

    def until(self, happened, what):
        """Wait for something that the test itself hears of."""
        deadline = time.monotonic() + SECONDS
        while not happened():
            assert time.monotonic() < deadline, f"waited in vain for {what}"
            self.page.wait_for_timeout(10)

    def enter(self, field, value):
        """Write into a field and leave it, which is when the page hears of it."""
        box = self.page.locator(field)
        box.fill(value)
        assert box.input_value() == value
        box.press("Tab")  # it takes the focus first: a busy page may have moved it meanwhile

    def settle(self):
        """Wait until no search is under way."""
        self.wait("['finished', 'ready'].includes(studio.state)")

    def example(self, name):
        # Waits for its map, not only for an end of searching: the answer may take a moment.
        title = self.get("name => document.querySelector(`#examples [value='${name}']`).textContent", name)
        self.page.select_option("#examples", name)
        self.wait("title => studio.map.name === title && studio.state === 'finished'", title)

    def cell(self, x, y, pane="A"):
        return self.get("([x, y, pane]) => studio.cell(x, y, pane)", [x, y, pane])

    def place(self, x, y, pane="A"):
        return self.get("([x, y, pane]) => studio.place(x, y, pane)", [x, y, pane])

    def drag(self, *cells, pane="A", steps=4, drop=True):
        """Press at the first cell, move over the others, let go."""
        mouse = self.page.mouse
        mouse.move(*self.place(*cells[0], pane))
        mouse.down()
        for cell in cells[1:]:
            mouse.move(*self.place(*cell, pane), steps=steps)
        if drop:
            mouse.up()
            self.settle()

    def pixel(self, x, y):
        """The colour that the first board shows in a cell: right of its middle, where no values are written."""
        return self.get(
            """([x, y]) => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => {
                const canvas = document.querySelector("#panes canvas");
                const box = canvas.getBoundingClientRect();
                const [middle, py] = studio.place(x, y);
                const px = middle + 0.36 * studio.view.scale;
                const at = [px - box.left, py - box.top].map((side) => side * canvas.width / box.width);
                done([...canvas.getContext("2d").getImageData(...at, 1, 1).data].slice(0, 3));
            })))""",
            [x, y],
        )

    def hold(self, pattern, which=lambda request: True):
        """Keep requests from the server until `Held.release`; `which` tells which ones."""
        return Held(self, pattern, which)

    def rest(self):
        """Give the page time for what it should not do."""
        self.get("new Promise((done) => setTimeout(() => requestAnimationFrame(done), 60))")

    def message(self):
        return self.page.inner_text("#messages")

    def check(self):
        refused = [text for text in self.errors if text.startswith("Failed to load resource")]
        assert len(refused) == self.refusals, self.errors
        assert len(self.errors) == self.refusals, self.errors
        away = [url for url in self.requests if urlsplit(url).scheme in ("http", "https", "ws", "wss")]
        away = [url for url in away if not url.startswith(self.address)]
        assert not away, f"requests to other hosts: {away}"


@pytest.fixture
def blank(browser, address):
    """A page that was not opened yet."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, color_scheme="light", accept_downloads=True)
    studio = Studio(context.new_page(), address)
    yield studio
    studio.check()
    context.close()


@pytest.fixture
def studio(blank):
    """The page with its first example, searched."""
    return blank.open()


FIELD = """type octile
height 9
width 14
map
..............
..............
..............
.......@......
.......@......
.......@......
..............
..............
..............
"""


@pytest.fixture
def field(studio, tmp_path):
    """A small map with a short wall in the middle, opened as a file; start (2, 4), goal (11, 4)."""
    file = tmp_path / "field.map"
    file.write_text(FIELD)
    scenario = tmp_path / "field.map.scen"
    scenario.write_text(
        "version 1\n0\tfield.map\t14\t9\t2\t4\t11\t4\t10.65685425\n0\tfield.map\t14\t9\t0\t0\t3\t0\t3\n"
    )
    studio.page.set_input_files("#file", file)
    studio.wait("studio.map.name === 'field.map' && studio.state === 'finished'")
    studio.page.set_input_files("#scenario-file", scenario)
    studio.wait("studio.query.start.join() === '2,4' && studio.state === 'finished'")
    return studio
