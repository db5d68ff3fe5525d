"""The core's bars, measured in one run and given as ratios where machines differ.

    python benchmarks/core.py [--maps DIR] [--yardstick plain_astar.cpp] [--only NAME,NAME]

The yardstick is a plain A* in C++ (plain_astar.cpp: binary heap with decrease-key, flat arrays, cost only), compiled
with g++ -O3 -march=native and run on the same scenarios, in turn with ours. Another program that prints the same words
may take its place.
"""

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import timeit
from pathlib import Path

import numpy as np

import waygrid as wg
from waygrid.papers.goal_bounding.yardstick import SOURCE

ROOT = Path(__file__).resolve().parent.parent
SCENARIOS = ("dao/arena2", "dao/brc202d", "dao/orz100d")


def load(maps, name, **rules):
    return wg.Grid.from_file(maps / f"{name}.map", **rules), wg.Scenario.from_file(maps / f"{name}.map.scen")


def timed_batch(finder, scenario, threads):
    begin = time.perf_counter()
    batch = finder.find_many(scenario.starts, scenario.goals, threads=threads)
    return time.perf_counter() - begin, batch


def astar(arguments):
    """`astar` through find_many on one thread against the yardstick; the bar is 0.6 of its time."""
    if not arguments.yardstick.is_file() or shutil.which("g++") is None:
        print(f"no yardstick: {arguments.yardstick} or g++ is missing")
        return
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "plain"
        subprocess.run(["g++", "-O3", "-march=native", "-o", program, arguments.yardstick], check=True)
        print("| map | queries | C++ us/query | ns/expansion | waygrid us/query | ns/expansion | ratio | cost error |")
        print("|---|---|---|---|---|---|---|---|")
        for name in SCENARIOS:
            grid, scenario = load(arguments.maps, name)
            finder = wg.make_finder("astar", grid)
            finder.find_many(scenario.starts[:1], scenario.goals[:1])
            theirs, ours = [], []
            for _ in range(arguments.rounds):
                path = arguments.maps / f"{name}.map"
                lines = subprocess.run(
                    [program, path, f"{path}.scen"], capture_output=True, text=True, check=True
                ).stdout
                theirs += [
                    (float(total), float(each))
                    for total, each in re.findall(r"total ([\d.]+) s.*?ns/expansion ([\d.]+)", lines)
                ]
                for _ in range(3):
                    seconds, batch = timed_batch(finder, scenario, 1)
                    ours.append(seconds)
            error = np.abs(batch.costs - scenario.costs).max()
            count, expanded = len(scenario), int(batch.expanded.sum())
            plain, mine = statistics.median(t for t, _ in theirs), statistics.median(ours)
            plain_ns = statistics.median(ns for _, ns in theirs)
            print(
                f"| {name} | {count} | {plain / count * 1e6:.0f} | {plain_ns:.1f} | {mine / count * 1e6:.0f} | "
                f"{mine / expanded * 1e9:.1f} | {mine / plain:.2f} | {error:.1e} |"
            )


def threads(arguments):
    """Two threads against one; the bar is 1.8 times as fast."""
    for name in SCENARIOS:
        grid, scenario = load(arguments.maps, name)
        finder = wg.make_finder("astar", grid)
        timed_batch(finder, scenario, 2)
        ratios = []
        for _ in range(arguments.rounds + 2):
            one, _ = timed_batch(finder, scenario, 1)
            two, _ = timed_batch(finder, scenario, 2)
            ratios.append(one / two)
        print(f"{name}: two threads are {statistics.median(ratios):.2f} times as fast as one (best {max(ratios):.2f})")


def algorithms(arguments):
    """Every algorithm that is meant for such maps, on arena2, beside A*."""
    grid, scenario = load(arguments.maps, "dao/arena2")
    base = None
    for name in ("astar", "dijkstra", "best-first", "astar-overestimate", "bfs", "bibfs", "dfs", "step"):
        finder = wg.make_finder(name, grid)
        timed_batch(finder, scenario, 1)
        seconds, batch = timed_batch(finder, scenario, 1)
        base = base or seconds
        excess = (batch.costs[1:] / np.maximum(scenario.costs[1:], 1e-9))[scenario.costs[1:] > 0].mean() - 1
        print(
            f"{name:20} {seconds / len(scenario) * 1e6:9.1f} us/query {seconds / base:6.2f} of astar, "
            f"{batch.expanded.mean():9.0f} expanded, {excess:8.2%} over the optimum"
        )


def overhead(_):
    """`find` for a short path; the bar is 5 us."""
    finder = wg.make_finder("astar", wg.Grid(np.ones((64, 64), bool)))
    finder.find((5, 5), (8, 6))
    for text, goal in (("start = goal", (5, 5)), ("3 moves", (8, 6))):
        times = timeit.repeat(lambda goal=goal: finder.find((5, 5), goal), number=20_000, repeat=5)
        print(f"find, {text}: {min(times) / 20_000 * 1e6:.2f} us")


def startup(_):
    """Import, first path after a fresh install (empty cache), first path of a second process."""
    code = (
        "import time; t = time.perf_counter(); import waygrid as wg; u = time.perf_counter();"
        "wg.make_finder('astar', wg.Grid([[1] * 9] * 9)).find((0, 0), (8, 5)); v = time.perf_counter();"
        "import sys; print(u - t, v - t, 'numba' in sys.modules)"
    )
    with tempfile.TemporaryDirectory() as cache:
        for text in ("fresh cache", "second process", "third process"):
            begin = time.perf_counter()
            done = subprocess.run(
                [sys.executable, "-c", code],
                capture_output=True,
                text=True,
                check=True,
                env=os.environ | {"WAYGRID_CACHE": cache},
            )
            imported, first, _ = done.stdout.split()
            whole = time.perf_counter() - begin
            print(
                f"{text}: import {float(imported):.3f} s, first path after {float(first):.2f} s ({whole:.2f} s in all)"
            )


def memory(arguments):
    """Search memory per cell, and a map of 4096 x 4096."""
    for text, rules in (("plain", {}), ("weights to 9", {"w": 9}), ("weights to 65535", {"w": 65535})):
        weights = np.full((512, 512), rules["w"]) if rules else None
        grid = wg.Grid(np.ones((512, 512), bool), weights=weights)
        for name in ("astar", "best-first", "bfs"):
            used = wg.make_finder(name, grid).memory.scratch_bytes
            print(f"{name} on 512 x 512, {text}: {used / 512**2:.1f} bytes of scratch per cell")
    begin = time.perf_counter()
    grid = wg.generate("caves", width=4096, height=4096, seed=1)
    made = time.perf_counter()
    finder = wg.make_finder("astar", grid)
    ys, xs = np.nonzero(grid.components == np.bincount(grid.components[grid.components >= 0]).argmax())
    compiled = time.perf_counter()
    ends = (int(xs[0]), int(ys[0])), (int(xs[-1]), int(ys[-1]))
    finder.find(*ends)
    first = time.perf_counter()
    path = finder.find(*ends)
    found = time.perf_counter()
    print(
        f"4096 x 4096: generated in {made - begin:.1f} s, moves and components in {compiled - made:.1f} s, "
        f"path of {len(path)} cells in {first - compiled:.2f} s, again in {found - first:.2f} s, "
        f"{path.stats.expanded} expanded, "
        f"{finder.memory.scratch_bytes / 4096**2:.1f} bytes of scratch per cell"
    )


def edits(arguments):
    """Closing and opening a cell, with move table and components up to date after each."""
    grid, _ = load(arguments.maps, "dao/orz100d")
    ys, xs = np.nonzero(grid.passable)
    picks = np.random.default_rng(0).integers(0, len(xs), 2001)
    for round_, number in enumerate(picks.tolist()):
        if round_ == 1:
            begin = time.perf_counter()
        for value in (False, True):
            grid.set_passable((int(xs[number]), int(ys[number])), value)
            grid.components  # noqa: B018
    print(f"orz100d: {(time.perf_counter() - begin) / 4000 * 1e6:.1f} us per edit of one cell")


SECTIONS = {f.__name__: f for f in (astar, threads, algorithms, overhead, startup, memory, edits)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = Path(os.environ.get("WAYGRID_MAPS", ROOT.parent / "shared" / "maps"))
    parser.add_argument("--maps", type=Path, default=default)
    parser.add_argument("--yardstick", type=Path, default=SOURCE)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--only", default=",".join(SECTIONS))
    arguments = parser.parse_args()
    for name in arguments.only.split(","):
        print(f"\n## {name}: {SECTIONS[name].__doc__}")
        SECTIONS[name](arguments)


if __name__ == "__main__":
    main()
