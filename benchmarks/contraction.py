"""Contraction hierarchies: four maps, every row of every scenario, random maps, a mosaic of 8,192 x 8,192 cells, auto.

    python benchmarks/contraction.py [--maps DIR] [--only four,rows,random,mosaic,auto] [--random 2000] [--rounds 5]
                                     [--side 8192]

Queries: find_many on one thread, every path written. Builds: the least of three, compiled and warm, on all cores. The
mosaic is made of the StarCraft maps of the folder sc1, turned over and laid side by side; their borders are open.
"""

import resource
import time

import numpy as np
from common import begin_run, load_map, make_parser, print_heading, print_row, split_words, time_finders
from turntable import list_maps

import waygrid as wg
from waygrid.algorithms.automatic import choose_algorithm
from waygrid.measure.builds import build_finder
from waygrid.measure.path_check import check_answers
from waygrid.measure.timing import time_best

FOUR = ("dao/arena2", "dao/brc202d", "dao/orz100d", "dao/orz900d")
BARS = {  # SGCH-JPD, a C++ program, on the same machine; what we want: 0.6 of it; and seconds of a build
    "dao/arena2": (6.3, 3.8, 0.1),
    "dao/brc202d": (12, 7, 0.4),
    "dao/orz100d": (18, 11, 1.0),
    "dao/orz900d": (20, 12, 1.0),
}
TILES = ("AcrosstheCape", "Aftershock", "Expedition")


def measure(grid, scenario, rounds, repeat=3):
    """Return the figures of one map: spots, MB, build, times with and without cells, wrong answers."""
    finder, made = build_finder(grid, "ch", {}, repeat=repeat)
    times = time_finders({"ch": finder}, scenario.starts, scenario.goals, rounds)["ch"]
    bad, _ = check_answers(grid, scenario.costs, times, optimal=True)
    ask = finder.find_many
    alone = time_best(lambda: ask(scenario.starts, scenario.goals, 1, paths=False), fill_s=0.05)
    alone_us = alone / len(scenario.starts) * 1e6
    spots, hubs = len(finder.index["spots"]), len(finder.index["hubs"])
    return spots, hubs / max(1, spots), made.fixed_bytes / 1e6, made.build_s, times.us, alone_us, bad


def compare_four(arguments):
    """Measure the four maps that other programs were measured on."""
    print_heading(
        "map", "spots", "hubs", "MB", "build s", "at most", "us", "at most", "SGCH-JPD us", "costs only us", "wrong"
    )
    for name in FOUR:
        peer, most_us, most_s = BARS[name]
        spots, hubs, size, build_s, us, alone, bad = measure(*load_map(arguments.maps, name), arguments.rounds)
        figures = f"{size:.2f}", f"{build_s:.3f}", most_s, f"{us:.2f}", most_us, peer, f"{alone:.2f}", bad
        print_row(name, f"{spots:,}", f"{hubs:.0f}", *figures)
    print()


def check_rows(arguments):
    """Answer every row of every scenario on an octile map."""
    print_heading("map", "cells", "spots", "hubs", "MB", "build s", "us", "costs only us", "rows", "wrong")
    rows = wrong = 0
    for name in list_maps(arguments.maps):
        grid, scenario = load_map(arguments.maps, name)
        if grid.weights is not None:
            continue
        spots, hubs, size, build_s, us, alone, bad = measure(grid, scenario, arguments.rounds, repeat=1)
        rows, wrong = rows + len(scenario.starts), wrong + bad
        cells = f"{int(np.count_nonzero(grid.table.walk)):,}"
        figures = f"{spots:,}", f"{hubs:.0f}", f"{size:.1f}", f"{build_s:.2f}", f"{us:.2f}", f"{alone:.2f}"
        print_row(name, cells, *figures, f"{len(scenario.starts):,}", bad)
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
        found = wg.make_finder("ch", grid).find_many(starts, goals, 1)
        right = wg.make_finder("dijkstra", grid).find_many(starts, goals, 1, paths=False)
        legal = [path.is_valid(grid) for path in found if path.status]
        pairs, wrong = pairs + len(starts), wrong + len(legal) - sum(legal)
        wrong += int(np.count_nonzero(~np.isclose(found.costs, right.costs, rtol=1e-7)))
    print(f"{arguments.random} random maps, {pairs:,} pairs, {wrong} wrong\n")


def make_mosaic(maps, side):
    """Return a square map of StarCraft maps, mirrored in turns; rows of tiles are as high as their lowest one."""
    parts = [wg.Grid.from_file(maps / "sc1" / f"{name}.map").passable for name in TILES]
    whole, number, top = np.zeros((side, side), bool), 0, 0
    while top < side:
        left, lowest = 0, side
        while left < side:
            part = parts[number % len(parts)]
            part = part[:: -1 if number % 3 == 2 else 1, :: -1 if number % 2 == 0 else 1]
            room = whole[top : top + part.shape[0], left : left + part.shape[1]]
            room[:] = part[: room.shape[0], : room.shape[1]]
            number, left, lowest = number + 1, left + part.shape[1], min(lowest, part.shape[0])
        top += lowest
    return wg.Grid(whole)


def measure_mosaic(arguments):
    """Build the index of a large map, and ask for random pairs of its largest component."""
    wg.make_finder("ch", wg.generate("rooms", width=60, height=60, seed=1)).find((1, 1), (50, 50))  # compiled
    began = time.perf_counter()
    grid = make_mosaic(arguments.maps, arguments.side)
    labels = grid.table.labels
    read_s, before = time.perf_counter() - began, peak_mb()
    began = time.perf_counter()
    finder = wg.make_finder("ch", grid)
    build_s, peak = time.perf_counter() - began, peak_mb()
    cells = np.flatnonzero(labels == np.bincount(labels[labels >= 0]).argmax())
    picks = np.random.default_rng(3).choice(cells, (2, 2000))
    starts, goals = (np.stack((pick % grid.width, pick // grid.width), axis=1) for pick in picks)
    us = [
        time_best(lambda p=p: finder.find_many(starts, goals, 1, paths=p), fill_s=1) / 2000 * 1e6 for p in (True, False)
    ]
    found = finder.find_many(starts[:20], goals[:20])
    right = wg.make_finder("jps", grid).find_many(starts[:20], goals[:20])
    wrong = int(np.count_nonzero(~np.isclose(found.costs, right.costs, rtol=1e-7)))
    wrong += sum(not path.is_valid(grid) for path in found)
    size = sum(array.nbytes for array in finder.index.values()) / 1e6
    print_heading(
        "cells",
        "open",
        "spots",
        "hubs",
        "MB",
        "read s",
        "build s",
        "MB before, at most",
        "cells a path",
        "us",
        "costs us",
        "wrong of 20",
    )
    spots = len(finder.index["spots"])
    print_row(
        f"{labels.size:,}",
        f"{int((labels >= 0).sum()):,}",
        f"{spots:,}",
        f"{len(finder.index['hubs']) / spots:.0f}",
        f"{size:.0f}",
        f"{read_s:.1f}",
        f"{build_s:.1f}",
        f"{before:.0f}, {peak:.0f}",
        f"{finder.find_many(starts, goals).lengths.mean():.0f}",
        f"{us[0]:.1f}",
        f"{us[1]:.1f}",
        wrong,
    )
    print()


def peak_mb():
    """Return the most memory that the process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def compare_choices(arguments):
    """Show what auto takes for every map, how long it thinks, and what was promised and measured."""
    print_heading("map", "cells", "auto takes", "thinks ms", "build s", "us", "us of jps+", "why")
    for name in list_maps(arguments.maps):
        grid, scenario = load_map(arguments.maps, name)
        grid.table.labels  # noqa: B018
        choose_algorithm(grid)
        began = time.perf_counter()
        choice = choose_algorithm(grid)
        thinks = (time.perf_counter() - began) * 1e3
        finder = wg.make_finder("auto", grid)
        finders = {"auto": finder}
        if grid.weights is None:
            finders["jps+"] = wg.make_finder("jps+", grid)
        times = time_finders(finders, scenario.starts[::20], scenario.goals[::20], arguments.rounds)
        other = f"{times['jps+'].us:.2f}" if "jps+" in times else "-"
        cells = f"{int(np.count_nonzero(grid.table.walk)):,}"
        figures = f"{thinks:.1f}", f"{finder.build_seconds:.2f}", f"{times['auto'].us:.2f}", other
        print_row(name, cells, choice.algorithm, *figures, choice.reason)
    print()


PARTS = {
    "four": compare_four,
    "rows": check_rows,
    "random": check_random,
    "mosaic": measure_mosaic,
    "auto": compare_choices,
}


def main():
    parser = make_parser(__doc__)
    parser.add_argument("--only", type=split_words, default=list(PARTS), help="parts, with commas")
    parser.add_argument("--random", type=int, default=2000, help="maps")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--side", type=int, default=8192, help="of the mosaic")
    arguments = begin_run(parser)
    for part in arguments.only:
        PARTS[part](arguments)


if __name__ == "__main__":
    main()
