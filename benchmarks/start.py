"""How soon waygrid is ready after it is installed: first path, first index, warm-up, with a wheel and an empty cache.

    make wheel
    python benchmarks/start.py dist/waygrid-*-cp311-*.whl --warmup --speed ../shared/maps/dao/arena2.map
    python benchmarks/start.py dist/waygrid-*-py3-none-any.whl --only astar,jps+gb,dba --warmup

Each wheel goes into a virtual environment of its own. Every path is the first of a process whose cache is empty; before
that, one process runs with another cache, so that the files of the installation are in the system's memory. Times are
wall-clock times from the start of the process, the better of --rounds.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FIRST = r"""
import sys, time
import numpy as np
import waygrid as wg
name, side = sys.argv[1], int(sys.argv[2])
info = wg.algorithms()[name]
topology = "octile" if "octile" in info.topologies else info.topologies[0]
corners = "never" if "never" in info.corners else info.corners[0]
passable = np.ones((side, side), np.uint8)
passable[side // 2, :-2] = 0
finder = wg.make_finder(name, wg.Grid(passable, topology=topology, corners=corners))
goal = (2, 3) if name in ("ida", "iddfs") else (side - 1, side - 1)
path = finder.find((0, 0), goal)
assert path.status.name == "FOUND"
from waygrid.core.cache import count_compiled
print(count_compiled())
"""
SPEED = r"""
import json, sys
import numpy as np
import waygrid as wg
from waygrid.measure.timing import time_best
grid = wg.Grid.from_file(sys.argv[1])
cells = np.argwhere(grid.passable)[:, ::-1]
labels = grid.components
cells = cells[labels[cells[:, 1], cells[:, 0]] == np.bincount(labels[labels >= 0]).argmax()]
pick = np.random.default_rng(0)
starts, goals = cells[pick.integers(0, len(cells), 2000)], cells[pick.integers(0, len(cells), 2000)]
found = {}
for name in ("astar", "jps+gb", "cpd", "dba"):
    finder = wg.make_finder(name, grid)
    count = 60 if name == "astar" else 2000
    ask = lambda: finder.find_many(starts[:count], goals[:count], 1)
    ask()
    found[name] = time_best(ask, fill_s=0.0, least=9) / count
print(json.dumps(found))
"""


class Install:
    """A virtual environment with one wheel."""

    def __init__(self, wheel: Path, folder: Path) -> None:
        self.folder = folder
        subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
        self.python = folder / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
        install = [self.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel]
        subprocess.run(install, check=True, stderr=subprocess.DEVNULL)

    def run(self, *arguments: str, cache: str = "cache", empty: bool = True, **settings: str) -> tuple[float, str]:
        """Run Python with a cache, emptied first, and return the seconds and what was printed."""
        place = self.folder / cache
        if empty:
            shutil.rmtree(place, ignore_errors=True)
        environment = {**os.environ, "WAYGRID_CACHE": str(place), **settings}
        environment.pop("PYTHONPATH", None)
        began = time.perf_counter()
        done = subprocess.run(
            [self.python, *arguments], cwd=self.folder, env=environment, capture_output=True, text=True, check=True
        )
        return time.perf_counter() - began, done.stdout


def first_paths(install: Install, names: list[str], rounds: int) -> None:
    print(f"{'algorithm':20} {'first path':>10} {'100 x 100':>10} {'compiled':>9}")
    worst = [0.0, 0.0, 0]
    for name in names:
        small = [install.run("-c", FIRST, name, "20") for _ in range(rounds)]
        large = [install.run("-c", FIRST, name, "100") for _ in range(rounds)]
        row = [min(small)[0], min(large)[0], int(small[0][1]) + int(large[0][1])]
        worst = [max(pair) for pair in zip(worst, row, strict=True)]
        print(f"{name:20} {row[0]:8.2f} s {row[1]:8.2f} s {row[2]:9}", flush=True)
    print(f"{'worst':20} {worst[0]:8.2f} s {worst[1]:8.2f} s {worst[2]:9}")


def warm_up(install: Install) -> None:
    """Time `waygrid warmup` and watch the memory of all its processes."""
    shutil.rmtree(install.folder / "cache", ignore_errors=True)
    environment = {**os.environ, "WAYGRID_CACHE": str(install.folder / "cache")}
    began, most = time.perf_counter(), 0
    process = subprocess.Popen([install.python, "-m", "waygrid", "warmup"], cwd=install.folder, env=environment)
    while process.poll() is None:
        most = max(most, _memory_of_tree(process.pid))
        time.sleep(0.1)
    assert process.returncode == 0
    print(f"warmup: {time.perf_counter() - began:.1f} s, at most {most / 1e6:.0f} MB in all processes together")


def _memory_of_tree(root: int) -> int:
    """Return the bytes that a process and those below it have in memory, shared pages counted once (Linux)."""
    parents, total = {root}, 0
    for folder in sorted(Path("/proc").glob("[0-9]*"), key=lambda each: int(each.name)):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if int(folder.name) in parents or parent in parents:
                parents.add(int(folder.name))
                lines = (folder / "smaps_rollup").read_text().splitlines()
                total += 1024 * sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
        except (OSError, IndexError, ValueError):
            continue
    return total


def compare_speed(install: Install, map_file: Path, rounds: int) -> None:
    """Compare kernels of the pack with those that are compiled for this processor."""
    settings: dict[str, dict[str, str]] = {"pack": {}, "host": {"WAYGRID_PACK": "0"}}
    for kind, setting in settings.items():  # build indexes and compile once
        install.run("-c", SPEED, str(map_file), cache=f"speed-{kind}", **setting)
    runs: dict[str, list[dict[str, float]]] = {kind: [] for kind in settings}
    for _ in range(rounds):  # in turns, so that both see the same machine
        for kind, setting in settings.items():
            result = install.run("-c", SPEED, str(map_file), cache=f"speed-{kind}", empty=False, **setting)[1]
            runs[kind].append(json.loads(result))
    print(f"{'us a query':12} {'host':>9} {'pack':>9} {'speed of the pack':>18}")
    for name in runs["host"][0]:
        host, pack = (min(run[name] for run in runs[kind]) * 1e6 for kind in ("host", "pack"))
        print(f"{name:12} {host:9.3f} {pack:9.3f} {host / pack:18.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--only", default="", help="names of algorithms, with commas")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--warmup", action="store_true")
    parser.add_argument("--speed", type=Path, metavar="MAP", help="compare the pack with kernels compiled here")
    options = parser.parse_args()
    wheel = options.wheel.resolve()
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB")
    with tempfile.TemporaryDirectory() as folder:
        install = Install(wheel, Path(folder))
        install.run("-c", FIRST, "bfs", "20", cache="other")
        print(install.run("-m", "waygrid", "info", "--system")[1])
        names = json.loads(install.run("-c", "import json, waygrid; print(json.dumps(list(waygrid.algorithms())))")[1])
        first_paths(install, options.only.split(",") if options.only else names, options.rounds)
        if options.warmup:
            warm_up(install)
        if options.speed:
            compare_speed(install, options.speed.resolve(), 4)


if __name__ == "__main__":
    main()
