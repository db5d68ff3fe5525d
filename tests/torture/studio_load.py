"""The studio under load: 200 clients draw, search, cancel and leave, and others send hostile requests meanwhile.

    python tests/torture/studio_load.py [--minutes 10] [--seed 0] [--only SEED]

A seed is a studio, started as people start it, that is under load until the run ends. No request may end as an error
of the server (status 500 or more), without an answer, or with an answer that is wrong; a refusal of a few known kinds
is an answer (busy, cancelled, a map that is no longer kept). Memory has to stay below MEMORY. Of small requests (the
page, its files, progress, cancel, a drawn map), 95 % have to be answered within SMALL_S. Prints what was asked, by
kind, with its times. With --only a seed takes a minute.
"""

import asyncio
import json
import os
import random
import subprocess
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

from torture import frame
from torture.hostile import HOSTILE

from waygrid.studio.wire import pack, unpack

CLIENTS, ENEMIES = 200, 4
MEMORY = 1_500_000_000  # bytes of the server
SMALL_S = 0.2
SMALL = {"page", "file", "progress", "cancel", "draw"}
ALGORITHMS = ("astar", "jps", "jps+", "dijkstra", "bfs", "lrta", "turntable", "cpd", "theta", "anya")
FILES = ("main.js", "studio.css", "machine.js")
LEAST, MOST = 20, 60  # sides of the maps that are drawn
THINK_S = 1.5  # between two requests of a client, on average
ANSWER_S = 120.0  # no answer after this is a fault; the kernels may be compiled first
REFUSALS = {404: "unknown-map", 409: "cancelled", 429: "busy"}


class Load:
    """What was asked and what came back."""

    def __init__(self):
        self.times, self.statuses, self.faults = defaultdict(list), Counter(), Counter()
        self.memory, self.processor_s = [], 0.0  # of the server: bytes each second, and what it has worked in all

    def fault(self, text):
        self.faults[text] += 1


class Connection:
    """One connection of a client, kept open as a browser does."""

    def __init__(self, port):
        self.port, self.reader, self.writer = port, None, None

    async def ask(self, method, path, body=b"", kind="application/json"):
        """Send a request; return status and body."""
        if isinstance(body, dict):
            body = json.dumps(body).encode()
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nContent-Length: {len(body)}\r\n"
        data = (head + (f"Content-Type: {kind}\r\n" if body else "") + "\r\n").encode() + body
        for attempt in range(2):
            fresh = self.writer is None
            if fresh:
                self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
            try:
                self.writer.write(data)
                await self.writer.drain()
                return await self._read()
            except (ConnectionError, asyncio.IncompleteReadError):
                self.close()
                if fresh or attempt:  # one that was idle may have been closed by the server: that is no fault
                    raise
        raise AssertionError

    async def _read(self):
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        fields = dict(line.lower().split(": ", 1) for line in head[1:] if ": " in line)
        body = await self.reader.readexactly(int(fields["content-length"]))
        if fields.get("connection") == "close":
            self.close()
        return int(head[0].split()[1]), body

    def close(self):
        if self.writer is not None:
            self.writer.close()
        self.reader = self.writer = None


class Visitor:
    """A client: a page with a map of its own."""

    def __init__(self, number, port, load, seed):
        self.name, self.port, self.load = f"client {number}", port, load
        self.chance, self.connection = random.Random(f"{seed} {number}"), Connection(port)
        self.walls, self.key = None, None

    async def visit(self, until):
        """Open the page, draw and search until it leaves; then the next one comes."""
        while time.monotonic() < until:
            await asyncio.sleep(self.chance.random() * THINK_S)
            await self.ask("page", "GET", "/")
            await self.ask("file", "GET", f"/static/{self.chance.choice(FILES)}")
            for _ in range(self.chance.randint(3, 30)):
                if time.monotonic() > until:
                    break
                await self.act()
                await asyncio.sleep(self.chance.expovariate(1 / THINK_S))
            self.connection.close()
            self.walls = self.key = None

    async def ask(self, kind, method, path, body=b"", media="application/json"):
        """Ask one thing; return status and body, None where no answer came."""
        began = time.monotonic()
        try:
            status, answer = await asyncio.wait_for(self.connection.ask(method, path, body, media), ANSWER_S)
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError) as error:
            self.load.fault(f"{kind}: no answer ({type(error).__name__})")
            self.connection.close()
            return None
        self.load.times[kind].append(time.monotonic() - began)
        self.load.statuses[kind, status] += 1
        if status >= 500 or (status >= 400 and status not in REFUSALS):
            self.load.fault(f"{kind}: status {status}: {answer[:200]!r}")
        return status, answer

    async def act(self):
        """Do one of the things that people do."""
        if self.key is None or self.chance.random() < 0.3:
            await self.draw()
        what = self.chance.random()
        if what < 0.25:
            await self.ask("progress", "GET", f"/api/progress?token={self.name.replace(' ', '-')}")
        elif what < 0.35:
            await self.leave()
        else:
            await self.search()

    async def draw(self):
        """Draw a map, or change a few cells of it."""
        if self.walls is None:
            sides = self.chance.randint(LEAST, MOST), self.chance.randint(LEAST, MOST)
            seed = self.chance.randrange(2**31)
            self.walls = (np.random.default_rng(seed).random(sides) > 0.2).astype(np.uint8)
        for _ in range(5):
            y, x = (self.chance.randrange(side) for side in self.walls.shape)
            self.walls[y, x] ^= 1
        height, width = self.walls.shape
        body = pack({"width": width, "height": height}, {"walls": self.walls.ravel()})
        answer = await self.ask("draw", "POST", "/api/terrain", body, "application/octet-stream")
        self.key = json.loads(answer[1])["id"] if answer is not None and answer[0] == 200 else None

    def choose_search(self):
        cells = np.argwhere(self.walls != 0)[:, ::-1].tolist()
        start, goal = self.chance.choice(cells), self.chance.choice(cells)
        more = {"trace": True, "token": f"{self.name} {self.chance.random()}", "client": self.name, "pane": "A"}
        return {"map": self.key, "algorithm": self.chance.choice(ALGORITHMS), "start": start, "goal": goal} | more

    async def search(self):
        """Search, and check the answer; sometimes another tab cancels it."""
        if self.key is None:
            return
        asked, cancelled = self.choose_search(), self.chance.random() < 0.15
        searching = asyncio.ensure_future(self.ask("search", "POST", "/api/search", asked))
        if cancelled:
            await asyncio.sleep(self.chance.random() * 0.02)
            other = Visitor("tab", self.port, self.load, asked["token"])
            await other.ask("cancel", "POST", "/api/cancel", {"token": asked["token"]})
            other.connection.close()
        answer = await searching
        if answer is None:
            return
        status, body = answer
        if status == 200:
            self.check(asked, *unpack(body))
        elif status == 404:
            self.key = None  # the page draws it again
        elif status == 409 and not cancelled:
            self.load.fault("search: cancelled by nobody")

    def check(self, asked, header, arrays):
        """Look at a path: its ends, and that no cell of it is a wall."""
        if header["status"] != "FOUND" or asked["algorithm"] in ("theta", "anya"):
            return
        path = arrays["path"].reshape(-1, 2)
        if path[0].tolist() != asked["start"] or path[-1].tolist() != asked["goal"]:
            self.load.fault(f"search: {asked['algorithm']} has other ends")
        if not self.walls[path[:, 1], path[:, 0]].all():
            self.load.fault(f"search: {asked['algorithm']} leads through a wall")

    async def leave(self):
        """Begin a search and leave without waiting for the answer."""
        if self.key is None:
            return
        body = json.dumps(self.choose_search() | {"pane": "B"}).encode()  # it may come late, and ends none of A
        head = f"POST /api/search HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nContent-Type: application/json\r\n"
        _, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        await asyncio.sleep(self.chance.random() * 0.05)
        writer.close()
        self.load.times["leave"].append(0.0)


async def offend(port, load, seed, until):
    """Send hostile requests, one after the other; each has to be refused, or answered, or cut off."""
    chance = random.Random(f"{seed} hostile")
    while time.monotonic() < until:
        name = chance.choice(sorted(HOSTILE))
        began = time.monotonic()
        try:
            status = await asyncio.wait_for(HOSTILE[name](port, chance), ANSWER_S)
            load.statuses[f"hostile: {name}", status] += 1
            if status is not None and (status >= 500 or status < 400):
                load.fault(f"hostile: {name}: status {status}")
        except TimeoutError:
            load.fault(f"hostile: {name}: no answer")
        except (OSError, asyncio.IncompleteReadError):
            load.statuses[f"hostile: {name}", "cut off"] += 1
        load.times["hostile"].append(time.monotonic() - began)
        await asyncio.sleep(chance.random() * 0.3)


def memory_of(process):
    """Return the resident bytes of a process, 0 where the system does not say."""
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError, ValueError):
        return 0


def processor_of(process):
    """Return the seconds of processor time that a process has taken, 0 where the system does not say."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError, ValueError):
        return 0.0


async def watch(process, load, until, alive):
    """Look at the server every second."""
    while time.monotonic() < until:
        alive(f"{sum(map(len, load.times.values()))} requests")
        load.memory.append(memory_of(process.pid))
        if load.memory[-1] > MEMORY:
            load.fault("the server takes more memory than allowed")
        if process.poll() is not None:
            load.fault(f"the server ended with {process.returncode}")
            return
        await asyncio.sleep(1.0)


async def come_all(port, process, seconds, seed, clients, enemies, alive):
    """Let all come at once; return what happened."""
    load, until, before = Load(), time.monotonic() + seconds, processor_of(process.pid)
    visitors = [Visitor(number, port, load, seed).visit(until) for number in range(clients)]
    hostile = [offend(port, load, f"{seed} {k}", until) for k in range(enemies)]
    await asyncio.gather(watch(process, load, until, alive), *visitors, *hostile)
    load.processor_s = processor_of(process.pid) - before
    return load


async def warm_up(port, seed, alive):
    """Let one client search with everything first, so that kernels are compiled; its times do not count."""
    first = Visitor("first", port, Load(), seed)
    for name in ALGORITHMS:
        alive(f"the first search with {name}")
        await first.draw()
        await first.ask("search", "POST", "/api/search", first.choose_search() | {"algorithm": name})
    first.connection.close()
    assert not first.load.faults, first.load.faults


def run_load(seconds, seed, clients=CLIENTS, enemies=ENEMIES, alive=lambda text: None):
    """Start a studio and put it under load; return what happened."""
    command = [sys.executable, "-m", "waygrid", "studio", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            line = process.stdout.readline()
            assert "http://" in line, line
            port = int(line.split("http://")[1].split("/")[0].rsplit(":", 1)[1])
            asyncio.run(warm_up(port, seed, alive))
            return asyncio.run(come_all(port, process, seconds, seed, clients, enemies, alive))
        finally:
            process.terminate()


def small_p95(load):
    """Return the seconds within which 95 % of the small requests were answered."""
    return float(np.quantile([seconds for kind in SMALL for seconds in load.times[kind]], 0.95))


def show(load):
    """Print what was asked, and the server's memory."""
    for kind, times in sorted(load.times.items()):
        statuses = {status: n for (name, status), n in load.statuses.items() if name.partition(":")[0] == kind}
        low, high = (1e3 * np.quantile(times, share) for share in (0.5, 0.95))
        print(f"{kind:9} {len(times):7} asked; median {low:7.1f} ms, 95 % within {high:7.1f} ms; {statuses}")
    print(f"small requests: 95 % within {1e3 * small_p95(load):.1f} ms")
    print(
        f"the server: {1e3 * load.processor_s / sum(map(len, load.times.values())):.1f} ms of processor time a request"
    )
    peaks = [max(part) // 10**6 for part in np.array_split(load.memory, 3) if len(part)]
    print(
        f"memory of the server, most in each third of the time: {', '.join(f'{peak} MB' for peak in peaks)}", flush=True
    )


def attack(seed, tally):
    """Put one studio under load."""
    seconds = 60.0 if tally.until == float("inf") else max(5.0, tally.left_s)
    load = run_load(seconds, seed, alive=tally.note)
    show(load)
    for kind, times in load.times.items():
        tally.count(f"requests: {kind}", len(times))
    for text, times in load.faults.items():
        tally.fault(f"{times} times: {text}")
    if small_p95(load) > SMALL_S:
        tally.fault(f"95 % of small requests take up to {1e3 * small_p95(load):.0f} ms")


if __name__ == "__main__":
    sys.exit(frame.main(__doc__, attack, limit_s=300.0))
