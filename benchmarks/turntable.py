"""Turn tables: every row of every scenario, random maps, other finders side by side, cold caches, costs, single paths.

    python benchmarks/turntable.py [--maps DIR] [--only rows,random,sets,cold,costs] [--random 2000] [--rounds 5]
                                   [--device cpu|gpu]

The comparison with C++ programs, scaled by a plain A* that runs beside it, is in benchmarks/jumps.py. Queries:
find_many on one thread, every path written. `cold` asks each query of another map than the one before, so that no
index stays in the processor's caches; its times are taken inside compiled code, since Python's own would be longer than
a query.
"""

import time

import numpy as np
from common import begin_run, load_map, make_parser, print_heading, print_row, split_words, time_finders

import waygrid as wg
from waygrid.measure.builds import build_finder
from waygrid.measure.path_check import check_answers
from waygrid.measure.timing import time_best, wall_clock

FOUR = ("dao/arena2", "dao/brc202d", "dao/orz100d", "dao/orz900d")
SETS = (*FOUR, "bgmaps/AR0406SR", "cities/Berlin_0_512", "mazes/maze512-16-0", "rooms/32room_000")
SETS += ("sc1/Expedition", "wc3maps512/battleground")  # random/ has too many spots
OTHERS = ("jps+", "jps+gb", "cpd")
MOST_CELLS = 130_000  # of a map for which a finder with a flood from every cell is built
KINDS = ("caves", "rooms", "indoor", "random")


def list_maps(folder):
    """Return the names of all maps with a scenario, as set/name."""
    return sorted(f"{file.parent.name}/{file.name.split('.')[0]}" for file in folder.glob("*/*.map.scen"))


def check_rows(arguments):
    """Answer every row of every scenario, and compare costs and paths."""
    print_heading("map", "cells", "spots", "MB", "build s", "us", "costs only us", "rows", "wrong")
    rows = wrong = 0
    for name in list_maps(arguments.maps):
        grid, scenario = load_map(arguments.maps, name)
        if grid.weights is not None:
            continue
        cells = int(np.count_nonzero(grid.table.walk))
        try:
            finder, made = build_finder(grid, "turntable", {"device": arguments.device, "memory": "16 GB"}, repeat=3)
        except wg.WaygridError as error:
            print_row(name, f"{cells:,}", str(error))
            continue
        times = time_finders({"turntable": finder}, scenario.starts, scenario.goals, arguments.rounds)["turntable"]
        bad, _ = check_answers(grid, scenario.costs, times, optimal=True)
        ask = finder.find_many
        alone = time_best(lambda: ask(scenario.starts, scenario.goals, 1, paths=False), fill_s=0.05)  # noqa: B023
        rows, wrong = rows + len(scenario.starts), wrong + bad
        spots, size = len(finder.index["spots"]) - 1, made.fixed_bytes / 1e6
        figures = f"{size:.1f}", f"{made.build_s:.3f}", f"{times.us:.2f}", f"{alone / len(scenario.starts) * 1e6:.2f}"
        print_row(name, f"{cells:,}", f"{spots:,}", *figures, f"{len(scenario.starts):,}", bad)
    print(f"\n{rows:,} rows, {wrong} wrong\n")


def check_random(arguments):
    """Compare all pairs of cells of small random maps with Dijkstra's algorithm."""
    rng, pairs, wrong = np.random.default_rng(7), 0, 0
    for number in range(arguments.random):
        width, height = rng.integers(3, 17, 2).tolist()
        passable = rng.random((height, width)) >= rng.choice((0.05, 0.15, 0.25, 0.4))
        passable[0, 0] = True
        rules = {"corners": ("never", "always")[number % 2], "clearance": 1 + (number % 6 == 5)}
        grid = wg.Grid(passable, metric=("octile", "octile", "dba", "unit")[number % 4], **rules)
        ys, xs = np.nonzero(grid.table.walk.reshape(height, width))
        cells = np.stack((xs, ys), axis=1)
        starts, goals = np.repeat(cells, len(cells), axis=0), np.tile(cells, (len(cells), 1))
        found = wg.make_finder("turntable", grid, threads=1).find_many(starts, goals, 1)
        right = wg.make_finder("dijkstra", grid).find_many(starts, goals, 1, paths=False)
        legal = [path.is_valid(grid) for path in found if path.status]
        pairs, wrong = pairs + len(starts), wrong + len(legal) - sum(legal)
        wrong += int(np.count_nonzero(~np.isclose(found.costs, right.costs, rtol=1e-7)))
    print(f"{arguments.random} random maps, {pairs:,} pairs, {wrong} wrong\n")


def compare_sets(arguments):
    """Time the finder beside others, on the four maps and on one map of each set."""
    print_heading("map", "finder", "us", "build s", "MB", "wrong")
    for name in SETS:
        grid, scenario = load_map(arguments.maps, name)
        small = np.count_nonzero(grid.table.walk) <= MOST_CELLS
        built = {}
        for algorithm in ("turntable", *OTHERS):
            if algorithm in ("turntable", "jps+") or small:
                built[algorithm] = build_finder(grid, algorithm, {"memory": "8 GB"})
        finders = {algorithm: finder for algorithm, (finder, _) in built.items()}
        times = time_finders(finders, scenario.starts, scenario.goals, arguments.rounds)
        for algorithm, (_, made) in built.items():
            bad, _ = check_answers(grid, scenario.costs, times[algorithm], optimal=True)
            size = f"{made.fixed_bytes / 1e6:.1f}"
            print_row(name, algorithm, f"{times[algorithm].us:.2f}", f"{made.build_s:.2f}", size, bad)
    print()


def compare_cold(arguments):
    """Time queries each of which is asked on another map."""
    grids = [wg.generate(KINDS[k % 4], width=200, height=200, seed=k) for k in range(50)]
    rng, queries = np.random.default_rng(3), []
    for grid in grids:
        ys, xs = np.nonzero(
            grid.table.labels.reshape(200, 200) == np.bincount(grid.table.labels[grid.table.walk != 0]).argmax()
        )
        picks = rng.integers(0, len(xs), (2, 40))
        queries.append(tuple(np.stack((xs[p], ys[p]), axis=1) for p in picks))
    print_heading("finder", "MB of 50 indexes", "us warm", "us cold")
    for algorithm in ("turntable", *OTHERS):
        finders = [wg.make_finder(algorithm, grid) for grid in grids]
        size = sum(finder.memory.fixed_bytes for finder in finders) / 1e6
        warm = np.mean(
            [
                min(finder.find_many(*ends, 1, timed=True).times_ns.mean() for _ in range(arguments.rounds))
                for finder, ends in zip(finders, queries, strict=True)
            ]
        )
        cold = []
        for k in range(40):
            for finder, (starts, goals) in zip(finders, queries, strict=True):
                cold.append(finder.find_many(starts[k : k + 1], goals[k : k + 1], 1, timed=True).times_ns[0])
        print_row(algorithm, f"{size:.0f}", f"{warm / 1e3:.2f}", f"{np.median(cold) / 1e3:.2f}")
    print()


def measure_costs(arguments):
    """Time a matrix of costs and single paths."""
    print_heading("map", "1,000 x 1,000 costs, one thread", "two threads", "find of 100 cells", "of waypoints")

    def time_costs(finder, ends, threads):
        return time_best(lambda: finder.costs(*ends, threads), fill_s=0.0, least=3, clock=wall_clock)

    for name in FOUR:
        grid, scenario = load_map(arguments.maps, name)
        finder = wg.make_finder("turntable", grid)
        picks = np.random.default_rng(0).integers(0, len(scenario.starts), (2, 1000))
        ends = scenario.starts[picks[0]], scenario.goals[picks[1]]
        finder.costs(ends[0][:2], ends[1][:2])
        seconds = [time_costs(finder, ends, threads) for threads in (1, 2)]
        lengths = finder.find_many(scenario.starts, scenario.goals).lengths
        row = int(np.argmin(np.abs(lengths - 100)))
        start, goal = tuple(scenario.starts[row].tolist()), tuple(scenario.goals[row].tolist())
        singles = []
        for waypoints in (False, True):
            began = time.perf_counter()
            for _ in range(20_000):
                finder.find(start, goal, waypoints=waypoints)
            singles.append((time.perf_counter() - began) / 20_000 * 1e6)
        print_row(name, *(f"{each:.2f} s" for each in seconds), *(f"{each:.2f} us" for each in singles))
    print()


PARTS = {
    "rows": check_rows,
    "random": check_random,
    "sets": compare_sets,
    "cold": compare_cold,
    "costs": measure_costs,
}


def main():
    parser = make_parser(__doc__)
    parser.add_argument("--only", type=split_words, default=list(PARTS), help="parts, with commas")
    parser.add_argument("--random", type=int, default=2000, help="maps")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--device", default="cpu")
    arguments = begin_run(parser)
    for part in arguments.only:
        PARTS[part](arguments)


if __name__ == "__main__":
    main()
