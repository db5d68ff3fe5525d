"""Path Finder Studio in a real browser: until it is ready, live drags, jumps in a long trace, values in cells,
frames while a search is played.

    python benchmarks/studio.py --maps DIR [--chromium FILE]
    python benchmarks/studio.py --play [--chromium FILE]
    python benchmarks/studio.py --export

The last form measures exports alone, without maps and browser. The others need the extra `studio`, Playwright for
Python, and Chromium. The page is opened twice; the second time counts, with the kernels compiled and the browser's
cache warm.
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from common import begin_run, make_parser
from playwright.sync_api import Browser, Page, sync_playwright

import waygrid as wg
from waygrid.measure.timing import time_call, wall_clock
from waygrid.studio.columns import code_trace
from waygrid.studio.lesson import compress
from waygrid.studio.lesson_file import export_lesson, make_page
from waygrid.studio.model import Terrain
from waygrid.studio.wire import pack

FINISHED = "Boolean(window.studio) && studio.state === 'finished'"
PORT = 8771
VALUES_FROM = 42  # pixels per cell


@contextmanager
def serving(map_file: Path | None) -> Iterator[str]:
    """Serve the studio in a process of its own."""
    command = [sys.executable, "-m", "waygrid", "studio", *([str(map_file)] if map_file else [])]
    with subprocess.Popen([*command, "--no-browser", "--port", str(PORT)], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        line = server.stdout.readline()
        assert "http://" in line, line
        try:
            yield f"http://127.0.0.1:{PORT}/"
        finally:
            server.terminate()


def wait(page: Page) -> None:
    """Wait for a finished search; Playwright's own waiting needs eval, which the page's policy forbids."""
    until = time.monotonic() + 120
    while not page.evaluate(FINISHED):
        assert time.monotonic() < until
        time.sleep(0.01)


def open_page(page: Page, address: str) -> float:
    """Return the seconds until the page shows a finished search."""

    def show() -> None:
        page.goto(address)
        wait(page)

    return time_call(show, wall_clock)[0]


def far_apart(map_file: Path) -> tuple[list[int], list[int]]:
    """Return the ends of the longest problem of the map's scenario."""
    scenario = wg.Scenario.from_file(map_file.with_name(map_file.name + ".scen"))
    row = int(scenario.costs.argmax())
    return scenario.starts[row].tolist(), scenario.goals[row].tolist()


def drag(page: Page, at: list[int], to: list[int], steps: int) -> tuple[int, float]:
    """Drag from one cell to another; return the answers that came meanwhile and the seconds."""
    x0, y0 = places(page, at)
    x1, y1 = places(page, to)
    before = page.evaluate("studio.lives")
    page.mouse.move(x0, y0)
    page.mouse.down()
    seconds, _ = time_call(lambda: page.mouse.move(x1, y1, steps=steps), wall_clock)
    answers = page.evaluate("studio.lives") - before
    page.mouse.up()
    wait(page)
    return answers, seconds


def time_values(page: Page) -> None:
    """Print how long a board full of values takes to draw, at the smallest size at which they are written."""
    x, y = places(page, page.evaluate("[studio.map.width >> 1, studio.map.height >> 1]"))
    page.mouse.move(x, y)
    while page.evaluate("studio.view.scale") < VALUES_FROM:
        page.mouse.wheel(0, -10)
        time.sleep(0.02)
    drawn = [page.evaluate("studio.draw()") for _ in range(300)]
    times = [each["ms"] for each in drawn]
    print(
        f"a board with the values of {drawn[0]['cells']} cells of {page.evaluate('studio.view.scale'):.0f} pixels is "
        f"drawn in {statistics.median(times):.1f} ms median, {min(times):.1f} ms at least"
    )


def places(page: Page, cell: list[int]) -> tuple[float, float]:
    place: Any = page.evaluate(f"studio.place({cell[0]}, {cell[1]})")
    return (place[0], place[1]) if isinstance(place, list) else (place["x"], place["y"])


SPEED = 10_000  # events per second
PLAYED_S = 6
LATE_MS = 25  # a frame shown longer than this missed its turn: at 60 per second one takes 16.7 ms
# How long each frame is shown, and how long the page works for it; 0 to 100 of the slider is 4 to 4 million events.
FRAMES = """([speed, seconds, play]) => new Promise((done) => {
    const slider = document.querySelector("#speed");
    slider.step = "any";
    slider.value = 100 * Math.log(speed / 4) / Math.log(1e6);
    slider.dispatchEvent(new Event("input"));
    if (play) document.querySelector("#to-start").click();
    const plain = window.requestAnimationFrame.bind(window);
    const frames = [], works = [];
    let work = 0, before = null;
    window.requestAnimationFrame = (step) => plain((now) => {
        const from = performance.now();
        step(now);
        work += performance.now() - from;
    });
    const look = (now) => {
        if (before !== null) frames.push(now - before), works.push(work);
        [before, work] = [now, 0];
        const shown = frames.reduce((sum, one) => sum + one, 0);
        if (shown < 1000 * seconds && (!play || studio.state === "playing")) return plain(look);
        window.requestAnimationFrame = plain;
        if (play) document.querySelector("#play").click();
        done({ frames, works, time: studio.time });
    };
    if (play) document.querySelector("#play").click();
    plain(look);
})"""


def measure_playing(browser: Browser) -> None:
    """Play searches on maps of 512 x 512 cells; print the frames per second and the work of a frame."""
    for kind, algorithm in (("caves", "astar"), ("caves", "dijkstra"), ("maze", "dijkstra")):
        page = browser.new_page(viewport={"width": 1600, "height": 1000})
        with tempfile.TemporaryDirectory() as folder:
            square = Path(folder) / "square.map"
            wg.generate(kind, width=512, height=512, seed=1).save(square)
            with serving(square) as address:
                open_page(page, address)
                page.get_by_label("Algorithm", exact=True).first.select_option(algorithm)
                page.wait_for_timeout(200)
                wait(page)
                print_frames(f"512 x 512 {kind}, at rest", page, play=False)
                print_frames(f"512 x 512 {kind}, {algorithm}", page)
                page.click("#plots-button")
                print_frames(f"512 x 512 {kind}, {algorithm}, with plots", page)
        page.close()


def print_frames(name: str, page: Page, play: bool = True) -> None:
    """Print frames per second, frames that came late, and milliseconds that the page works for one.

    The processor time is that of the page's whole process: on a busy machine it says more than the frames.
    """
    before = processor_s(page)
    shown = page.evaluate(FRAMES, [SPEED, PLAYED_S if play else 2, play])
    used = processor_s(page) - before
    frames, works = shown["frames"], sorted(shown["works"])
    late = sum(frame > LATE_MS for frame in frames)
    rate = 1000 * len(frames) / sum(frames)
    print(
        f"{name}: {rate:.1f} frames per second, {late} of {len(frames)} late; work of a frame"
        f" {statistics.median(works):.1f} ms median, {works[int(0.99 * len(works))]:.1f} ms in 99 of 100,"
        f" processor {1000 * used / len(frames):.1f} ms"
    )


def processor_s(page: Page) -> float:
    """Return the processor time that the page's process has taken."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    found = {row["name"]: row["value"] for row in session.send("Performance.getMetrics")["metrics"]}
    session.detach()
    return float(found["ProcessTime"])


def measure_exports() -> None:
    """Print how long exports take and how large they are; the searches are compiled beforehand."""
    small = wg.generate("caves", width=200, height=200, seed=3).passable
    wide = wg.generate("caves", width=1000, height=700, seed=1).passable
    for passable, algorithms in ((small, ("dijkstra", "astar", "jps")), (wide, ("dijkstra",))):
        page = make_page("caves", Terrain(passable, None), {})._replace(boards=[(name, {}, "") for name in algorithms])
        export_lesson("warm", [page])
        seconds, file = time_call(lambda page=page: export_lesson("caves", [page]), wall_clock)
        trace = wg.make_finder(algorithms[0], wg.Grid(passable)).trace(page.start, page.goal)
        coded, _ = time_call(lambda trace=trace: code(trace), wall_clock)
        height, width = passable.shape
        print(f"{width} x {height}, {', '.join(algorithms)}: {seconds:.2f} s, {len(file):,} bytes; ", end="")
        print(f"{len(trace.events):,} events of {algorithms[0]} coded and compressed in {coded:.2f} s")


def code(trace: wg.Trace) -> bytes:
    """Return a trace as an export holds it."""
    events, unit = trace.events, float(trace.unit)
    arrays = {"kind": events["kind"]}
    arrays |= {name: events[name].astype(np.int32) for name in ("node", "parent")}
    arrays |= {name: (events[name] / unit).astype(np.float32) for name in ("g", "h")}
    return compress(pack({}, code_trace(arrays, unit)[1]))


def main() -> None:
    parser = make_parser(__doc__, maps=False)
    parser.add_argument("--maps", type=Path, help="folder of the dao set")
    parser.add_argument("--play", action="store_true", help="measure only the frames while a search is played")
    parser.add_argument("--export", action="store_true", help="measure exports alone")
    parser.add_argument("--chromium", default=shutil.which("chromium"), help="the browser")
    asked = begin_run(parser)
    if asked.export:
        return measure_exports()
    if asked.maps is None and not asked.play:
        parser.error("--maps DIR is needed; or --play, or --export")
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=asked.chromium, args=["--no-sandbox"])
        if asked.play:
            measure_playing(browser)
            return browser.close()
        page = browser.new_page(viewport={"width": 1600, "height": 1000})
        with serving(asked.maps / "orz900d.map") as address:
            open_page(page, address)
            print(f"orz900d, page ready: {open_page(page, address):.2f} s")
        with serving(asked.maps / "arena2.map") as address:
            open_page(page, address)
            for algorithm in ("astar", "jps+"):
                page.get_by_label("Algorithm", exact=True).first.select_option(algorithm)
                wait(page)
                start, goal = far_apart(asked.maps / "arena2.map")
                drag(page, page.evaluate("studio.query.start"), start, 3)
                drag(page, page.evaluate("studio.query.goal"), goal, 3)
                answers, seconds = drag(page, goal, start, 150)
                print(f"arena2, {algorithm}, drag of the goal: {answers / seconds:.0f} answers shown per second")
        with tempfile.TemporaryDirectory() as folder:
            wide = Path(folder) / "wide.map"
            wg.generate("caves", width=1000, height=700, seed=1).save(wide)
            with serving(wide) as address:
                open_page(page, address)
                page.get_by_label("Algorithm", exact=True).first.select_option("dijkstra")
                wait(page)
                events = page.evaluate("studio.length")
                jumps = [page.evaluate(f"studio.jump({events} * {k % 97} / 97)") for k in range(0, 970, 31)]
                page.click("#tab-think")
                thinks = [page.evaluate(f"studio.jump({events} * {k % 97} / 97)") for k in range(0, 970, 31)]
                print(f"the same with the open list shown: {statistics.median(thinks):.1f} ms median")
                print(f"{events} events, a jump: {statistics.median(jumps):.1f} ms median, {max(jumps):.1f} ms at most")
            plain = Path(folder) / "plain.map"
            wg.Grid(np.ones((200, 200), np.bool_)).save(plain)
            with serving(plain) as address:
                open_page(page, address)
                page.fill("[data-option=weight]", "0.1")  # A* then expands nearly all cells
                page.keyboard.press("Tab")
                wait(page)
                time_values(page)
        browser.close()


if __name__ == "__main__":
    main()
