"""Dead ends and gateways against A* on the same maps, in the same run: nodes, time, estimates, builds and sizes.

    python benchmarks/zones.py [--maps DIR] [--sets bgmaps,dao] [--only AR0406SR,arena2] [--rounds 5] [--rows 300]

First, for every map of the sets: every row of the scenario answered and checked, its cost held against the file's
(corners never, metric octile); then some rows, evenly spread, timed on one thread, the finders in turns. Then the long
searches of the paper on AR0406SR: of 10,000 random pairs the 1,000 longest, costs 100/150.
"""

import numpy as np
from common import begin_run, make_parser, print_heading, print_row, time_finders

import waygrid as wg
from waygrid.core.layout import ROW_ESTIMATE
from waygrid.measure.builds import build_finder
from waygrid.measure.path_check import check_paths

WAYS = {
    "astar": ("astar", {}),
    "dead-end": ("dead-end", {}),
    "gateway": ("gateway", {}),
    "gateway, dead ends": ("gateway", {"dead_ends": True}),
    "gateway, whole gates": ("gateway", {"gate_length": None}),
    "gateway, within zones": ("gateway", {"table": "zones"}),
}
PLAIN = tuple(WAYS)[:3]


def build(names, grid):
    """Finders by name, and the seconds that each took to build on all cores."""
    built = {name: build_finder(grid, *WAYS[name]) for name in names}
    return {name: finder for name, (finder, _) in built.items()}, {
        name: made.build_s for name, (_, made) in built.items()
    }


def whole_sets(arguments, files):
    print_heading(
        "map", "rows", "wrong", "gateway nodes", "dead-end time", "gateway time", "build s", "KB", "KB of the map"
    )
    worst, nodes, rows, wrong = 0.0, [], 0, 0
    for file in files:
        grid, scenario = wg.Grid.from_file(file), wg.Scenario.from_file(f"{file}.scen")
        finders, seconds = build(PLAIN, grid)
        batches = {name: finder.find_many(scenario.starts, scenario.goals) for name, finder in finders.items()}
        bad = sum(
            check_paths(grid, scenario.starts, scenario.goals, batch, scenario.costs, optimal=True).wrong
            for batch in batches.values()
        )
        some = slice(None, None, max(1, len(scenario) // arguments.rows))
        times = time_finders(finders, scenario.starts[some], scenario.goals[some], arguments.rounds)
        fewer = batches["gateway"].expanded.sum() / batches["astar"].expanded.sum()
        dead, gate = (times[name].us / times["astar"].us for name in PLAIN[1:])
        size = finders["gateway"].memory.fixed_bytes / 1e3
        shown = f"{fewer:.3f}", f"{dead:.3f}", f"{gate:.3f}", f"{seconds['gateway']:.2f}", f"{size:.0f}"
        print_row(file.stem, len(scenario), bad, *shown, f"{grid.width * grid.height / 1e3:.0f}")
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
    finders, seconds = build(WAYS, grid)
    every = {name: finder.find_many(starts, goals) for name, finder in finders.items()}
    top = np.argsort(-every["astar"].costs, kind="stable")[:1000]
    times = time_finders(finders, starts[top], goals[top], arguments.rounds)
    print_heading("", "us", "time", "nodes", "estimate / cost", "build s", "KB", "wrong")
    for name, batch in every.items():
        estimates = batch.rows[:, ROW_ESTIMATE] / 100
        part = [batch.expanded[rows].sum() / every["astar"].expanded[rows].sum() for rows in (top, slice(None))]
        near = [estimates[rows].sum() / batch.costs[rows].sum() for rows in (top, slice(None))]
        bad = check_paths(grid, starts, goals, batch, every["astar"].costs, optimal=True).wrong
        size = f"{finders[name].memory.fixed_bytes / 1e3:.0f}"
        nodes, close = (f"{a:.3f} ({b:.3f})" for a, b in (part, near))
        shown = f"{times[name].us:.1f}", f"{times[name].us / times['astar'].us:.3f}", nodes, close
        print_row(name, *shown, f"{seconds[name]:.3f}", size, bad)
    print("\nbars: gateway nodes 0.40, time 0.6 (aim 0.4), estimate 0.985; dead-end time 0.8")


def main():
    parser = make_parser(__doc__)
    parser.add_argument("--sets", default="bgmaps,dao")
    parser.add_argument("--only", default=None, help="maps, such as AR0406SR,arena2")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--rows", type=int, default=300, help="of a scenario that are timed")
    arguments = begin_run(parser)
    files = [file for name in arguments.sets.split(",") for file in sorted((arguments.maps / name).glob("*.map"))]
    if arguments.only:
        files = [file for file in files if file.stem in arguments.only.split(",")]
    if not files:
        parser.error(f"{arguments.maps} has no such maps")
    whole_sets(arguments, files)
    large = arguments.maps / "bgmaps" / "AR0406SR.map"
    if large.is_file():
        large_map(arguments, large)


if __name__ == "__main__":
    main()
