"""The core's bars, measured in one run and given as ratios where machines differ.

    python benchmarks/core.py [--maps DIR] [--yardstick plain_astar.cpp] [--only NAME,NAME]

The yardstick is a plain A* in C++ (plain_astar.cpp: binary heap with decrease-key, flat arrays, cost only), compiled
with g++ -O3 -march=native and run on the same scenarios, in turns with ours; of both the quickest round counts. Another
program that prints the same words may take its place.
"""

import os
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np
from common import begin_run, load_map, make_parser, print_heading, print_row, time_finders

import waygrid as wg
from waygrid.measure.intervals import ratio_of_pairs
from waygrid.measure.path_check import check_answers
from waygrid.measure.timing import Queries, time_best, time_call, time_in_turns, time_queries, wall_clock
from waygrid.papers.goal_bounding.yardstick import Yardstick

SCENARIOS = ("dao/arena2", "dao/brc202d", "dao/orz100d")


def astar(arguments):
    """`astar` through find_many on one thread against the yardstick; the bar is 0.6 of its time."""
    with Yardstick(arguments.yardstick) as yardstick:
        if yardstick.missing:
            print(f"no yardstick: {yardstick.missing}")
            return
        print_heading(
            "map", "queries", "C++ us/query", "ns/expansion", "waygrid us/query", "ns/expansion", "ratio", "wrong"
        )
        for name in SCENARIOS:
            grid, scenario = load_map(arguments.maps, name)
            file, theirs = arguments.maps / f"{name}.map", []
            finders, queries = {name: wg.make_finder("astar", grid)}, [Queries(scenario.starts, scenario.goals)]
            (ours,) = time_queries(
                finders,
                queries,
                3 * arguments.rounds,
                begin_round=lambda: theirs.append(yardstick.measure(file, scenario)),  # noqa: B023
            ).values()
            wrong, _ = check_answers(grid, scenario.costs, ours, optimal=True)
            plain = min(theirs)
            each = 1e3 * ours.us / ours.column("expanded").mean()
            cells = f"{plain.us:.0f}", f"{1e3 * plain.us / plain.expanded:.1f}", f"{ours.us:.0f}", f"{each:.1f}"
            print_row(name, len(scenario), *cells, f"{ours.us / plain.us:.2f}", wrong)


def threads(arguments):
    """Two threads against one; the bar is 1.8 times as fast."""
    for name in SCENARIOS:
        grid, scenario = load_map(arguments.maps, name)
        finder = wg.make_finder("astar", grid)
        works = {number: partial(finder.find_many, scenario.starts, scenario.goals, number) for number in (1, 2)}
        times = time_in_turns(works, arguments.rounds + 3, wall_clock)
        ratio = ratio_of_pairs(times[1], times[2])
        print(f"{name}: two threads are {ratio.ratio:.2f} [{ratio.low:.2f}, {ratio.high:.2f}] times as fast as one")


def algorithms(arguments):
    """Every algorithm that is meant for such maps, on arena2, beside A*."""
    grid, scenario = load_map(arguments.maps, "dao/arena2")
    names = ("astar", "dijkstra", "best-first", "astar-overestimate", "bfs", "bibfs", "dfs", "step")
    finders = {name: wg.make_finder(name, grid) for name in names}
    times = time_finders(finders, scenario.starts, scenario.goals, arguments.rounds)
    real = scenario.costs > 0
    for name, one in times.items():
        excess = (one.column("costs")[real] / scenario.costs[real]).mean() - 1
        print(
            f"{name:20} {one.us:9.1f} us/query {one.us / times['astar'].us:6.2f} of astar, "
            f"{one.column('expanded').mean():9.0f} expanded, {excess:8.2%} over the optimum"
        )


def overhead(_):
    """`find` for a short path; the bar is 5 us."""
    finder = wg.make_finder("astar", wg.Grid(np.ones((64, 64), bool)))
    finder.find((5, 5), (8, 6))
    for text, goal in (("start = goal", (5, 5)), ("3 moves", (8, 6))):

        def ask(goal=goal):
            for _ in range(1000):
                finder.find((5, 5), goal)

        print(f"find, {text}: {1e3 * time_best(ask, fill_s=0.5):.2f} us")


def startup(_):
    """Import, first path after a fresh install (empty cache), first path of a second process."""
    code = (
        "import time; t = time.perf_counter(); import waygrid as wg; u = time.perf_counter();"
        "wg.make_finder('astar', wg.Grid([[1] * 9] * 9)).find((0, 0), (8, 5)); v = time.perf_counter();"
        "import sys; print(u - t, v - t, 'numba' in sys.modules)"
    )
    with tempfile.TemporaryDirectory() as cache:
        for text in ("fresh cache", "second process", "third process"):
            command, environment = [sys.executable, "-c", code], os.environ | {"WAYGRID_CACHE": cache}
            start = partial(subprocess.run, command, capture_output=True, text=True, check=True, env=environment)
            whole, done = time_call(start, wall_clock)
            imported, first, _ = done.stdout.split()
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
    made_s, grid = time_call(lambda: wg.generate("caves", width=4096, height=4096, seed=1), wall_clock)
    finder = wg.make_finder("astar", grid)
    ready_s, labels = time_call(lambda: grid.components, wall_clock)
    ys, xs = np.nonzero(labels == np.bincount(labels[labels >= 0]).argmax())
    ends = (int(xs[0]), int(ys[0])), (int(xs[-1]), int(ys[-1]))
    first_s, path = time_call(lambda: finder.find(*ends), wall_clock)
    again_s, _ = time_call(lambda: finder.find(*ends), wall_clock)
    print(
        f"4096 x 4096: generated in {made_s:.1f} s, moves and components in {ready_s:.1f} s, "
        f"path of {len(path)} cells in {first_s:.2f} s, again in {again_s:.2f} s, "
        f"{path.stats.expanded} expanded, "
        f"{finder.memory.scratch_bytes / 4096**2:.1f} bytes of scratch per cell"
    )


def edits(arguments):
    """Closing and opening a cell, with move table and components up to date after each."""
    grid, _ = load_map(arguments.maps, "dao/orz100d")
    ys, xs = np.nonzero(grid.passable)
    picks = np.random.default_rng(0).integers(0, len(xs), 2001).tolist()

    def edit(numbers):
        for number in numbers:
            for value in (False, True):
                grid.set_passable((int(xs[number]), int(ys[number])), value)
                grid.components  # noqa: B018

    edit(picks[:1])
    seconds, _ = time_call(lambda: edit(picks[1:]))
    print(f"orz100d: {seconds / 4000 * 1e6:.1f} us per edit of one cell")


def verify(arguments):
    """Loading an index of orz100d, trusted and verified; processor time of all threads."""
    grid, _ = load_map(arguments.maps, "dao/orz100d")
    with tempfile.TemporaryDirectory() as folder:
        for name in ("jps+", "jps+gb", "astar-gb", "cpd", "gateway", "dead-end", "dba"):
            file = Path(folder) / f"{name}.wgi"
            wg.make_finder(name, grid).save(file)

            def load(check, name=name, file=file):
                wg.load_finder(file, grid, verify=check).finish_verification()

            trusted, verified = (time_best(partial(load, check), clock=time.process_time) for check in (False, True))
            print(
                f"{name:9} {file.stat().st_size / 1e6:5.1f} MB: {1e3 * trusted:.1f} ms, {1e3 * verified:.1f} verified"
            )


SECTIONS = {f.__name__: f for f in (astar, threads, algorithms, overhead, startup, memory, edits, verify)}


def main():
    parser = make_parser(__doc__)
    parser.add_argument("--yardstick", type=Path, help="a .cpp file or a program")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--only", default=",".join(SECTIONS))
    arguments = begin_run(parser)
    for name in arguments.only.split(","):
        print(f"\n## {name}: {SECTIONS[name].__doc__}")
        SECTIONS[name](arguments)


if __name__ == "__main__":
    main()
