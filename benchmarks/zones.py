"""Dead ends and gateways against A* on the same maps, in the same run: nodes, time, estimates, builds and sizes.

    python benchmarks/zones.py [--maps DIR] [--sets bgmaps,dao] [--only AR0406SR,arena2] [--rounds 5] [--rows 300]

First, for every map of the sets: every row of the scenario answered, its cost held against the file's (corners never,
metric octile); then every so-manieth row timed on one thread, finder by finder in turn, the best of some rounds. Then
the long searches of the paper on AR0406SR: of 10,000 random pairs the 1,000 longest, costs 100/150.
"""

import argparse
import os
import time
from pathlib import Path

import numpy as np

import waygrid as wg
from waygrid.core.layout import ROW_ESTIMATE

ROOT = Path(__file__).resolve().parent.parent
WAYS = {
    "astar": ("astar", {}),
    "dead-end": ("dead-end", {}),
    "gateway": ("gateway", {}),
    "gateway, dead ends": ("gateway", {"dead_ends": True}),
    "gateway, whole gates": ("gateway", {"gate_length": None}),
    "gateway, within zones": ("gateway", {"table": "zones"}),
}
PLAIN = tuple(WAYS)[:3]


def row(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def heading(*cells):
    row(*cells)
    row(*("---" for _ in cells))


def built(names, grid):
    """Finders by name, and the seconds that each took to build on all cores."""
    finders, seconds = {}, {}
    for name in names:
        begin = time.perf_counter()
        finders[name] = wg.make_finder(WAYS[name][0], grid, **WAYS[name][1])
        seconds[name] = time.perf_counter() - begin
    return finders, seconds


def times(finders, starts, goals, rounds):
    """us per query of each finder, paths written, one thread: in turn, the best of some rounds."""
    best = dict.fromkeys(finders, float("inf"))
    for _ in range(rounds):
        for name, finder in finders.items():
            begin = time.perf_counter()
            finder.find_many(starts, goals, threads=1)
            best[name] = min(best[name], (time.perf_counter() - begin) / len(starts) * 1e6)
    return best


def whole_sets(arguments, files):
    heading("map", "rows", "wrong", "gateway nodes", "dead-end time", "gateway time", "build s", "KB", "KB of the map")
    worst, nodes, rows, wrong = 0.0, [], 0, 0
    for file in files:
        grid, scenario = wg.Grid.from_file(file), wg.Scenario.from_file(f"{file}.scen")
        finders, seconds = built(PLAIN, grid)
        batches = {name: finder.find_many(scenario.starts, scenario.goals) for name, finder in finders.items()}
        bad = sum(int((np.abs(batch.costs - scenario.costs) > 1e-4).sum()) for batch in batches.values())
        some = slice(None, None, max(1, len(scenario) // arguments.rows))
        took = times(finders, scenario.starts[some], scenario.goals[some], arguments.rounds)
        fewer = batches["gateway"].expanded.sum() / batches["astar"].expanded.sum()
        dead, gate = (took[name] / took["astar"] for name in PLAIN[1:])
        size = finders["gateway"].memory.fixed_bytes / 1e3
        shown = f"{fewer:.3f}", f"{dead:.3f}", f"{gate:.3f}", f"{seconds['gateway']:.2f}", f"{size:.0f}"
        row(file.stem, len(scenario), bad, *shown, f"{grid.width * grid.height / 1e3:.0f}")
        worst, rows, wrong = max(worst, dead), rows + len(scenario), wrong + bad
        nodes.append(fewer)
    print(f"\n{rows} rows, {wrong} wrong; dead-end at most {worst:.3f} of astar's time (bar 1.05)\n")


def pairs(grid, count, seed):
    """Random pairs of cells between which there is a way."""
    chance, cells = np.random.default_rng(seed), np.argwhere(grid.components >= 0)[:, ::-1]
    starts, goals = cells[chance.integers(len(cells), size=(2, 3 * count))]
    parts = grid.components
    joined = parts[starts[:, 1], starts[:, 0]] == parts[goals[:, 1], goals[:, 0]]
    return starts[joined][:count], goals[joined][:count]


def large_map(arguments, file):
    print(f"{file.stem}, costs 100/150, of 10,000 random pairs the 1,000 longest; in brackets all 10,000\n")
    grid = wg.Grid.from_file(file, metric="bg")
    starts, goals = pairs(grid, 10_000, 1)
    finders, seconds = built(WAYS, grid)
    every = {name: finder.find_many(starts, goals) for name, finder in finders.items()}
    top = np.argsort(-every["astar"].costs, kind="stable")[:1000]
    took = times(finders, starts[top], goals[top], arguments.rounds)
    heading("", "us", "time", "nodes", "estimate / cost", "build s", "KB", "wrong")
    for name, batch in every.items():
        estimates = batch.rows[:, ROW_ESTIMATE] / 100
        part = [batch.expanded[rows].sum() / every["astar"].expanded[rows].sum() for rows in (top, slice(None))]
        near = [estimates[rows].sum() / batch.costs[rows].sum() for rows in (top, slice(None))]
        bad = int((np.abs(batch.costs - every["astar"].costs) > 1e-6).sum())
        size = f"{finders[name].memory.fixed_bytes / 1e3:.0f}"
        nodes, close = (f"{a:.3f} ({b:.3f})" for a, b in (part, near))
        shown = f"{took[name]:.1f}", f"{took[name] / took['astar']:.3f}", nodes, close
        row(name, *shown, f"{seconds[name]:.3f}", size, bad)
    print("\nbars: gateway nodes 0.40, time 0.6 (aim 0.4), estimate 0.985; dead-end time 0.8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = Path(os.environ.get("WAYGRID_MAPS", ROOT.parent / "shared" / "maps"))
    parser.add_argument("--maps", type=Path, default=default)
    parser.add_argument("--sets", default="bgmaps,dao")
    parser.add_argument("--only", default=None, help="maps, such as AR0406SR,arena2")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--rows", type=int, default=300, help="of a scenario that are timed")
    arguments = parser.parse_args()
    files = [file for name in arguments.sets.split(",") for file in sorted((arguments.maps / name).glob("*.map"))]
    if arguments.only:
        files = [file for file in files if file.stem in arguments.only.split(",")]
    if not files:
        parser.error(f"{arguments.maps} has no such maps")
    for name in WAYS:  # compiles
        made = wg.make_finder(WAYS[name][0], wg.generate("rooms", width=30, height=30, seed=1), **WAYS[name][1])
        made.find_many([(1, 1)], [(28, 28)], threads=1)
    whole_sets(arguments, files)
    large = arguments.maps / "bgmaps" / "AR0406SR.map"
    if large.is_file():
        large_map(arguments, large)


if __name__ == "__main__":
    main()
