"""Straight paths that bend at corners of walls: anya and taut on every row of the dao maps, and by brute force.

    python benchmarks/taut.py [--maps DIR] [--only rows,random] [--names dao/arena2,...] [--random 3000] [--rounds 3]

`rows` times both, and jps beside them, on every row of every scenario of the set dao, one thread, every path written,
and compares the lengths of anya and taut. Every path of the first hundred rows of a map is checked by the rules, in
fractions. `random` compares all pairs of cells of small random maps with a visibility graph by brute force
(tests/bends_oracle.py).
"""

import sys

import numpy as np
from common import ROOT, begin_run, load_map, make_parser, print_heading, print_row, split_words, time_finders

import waygrid as wg
from waygrid.measure.builds import build_finder

sys.path.insert(0, str(ROOT / "tests"))
import bends_oracle as oracle

_ROWS = 100  # of a map whose paths are checked
_CLOSE = 1e-9


def list_maps(folder):
    """Return the names of the maps of the set dao."""
    return sorted(f"dao/{file.stem}" for file in (folder / "dao").glob("*.map"))


def check_rows(arguments):
    """Time and compare both on every row."""
    print_heading(
        "map",
        "corners",
        "MB",
        "build s",
        "taut us",
        "anya us",
        "jps us",
        "anya / jps",
        "rows",
        "wrong",
        "farthest apart",
    )
    rows = wrong = 0
    sums = np.zeros(4)
    for name in arguments.names or list_maps(arguments.maps):
        grid, scenario = load_map(arguments.maps, name)
        taut, made = build_finder(grid, "taut", {"memory": "4 GB"}, repeat=2)
        finders = {"taut": taut} | {other: wg.make_finder(other, grid) for other in ("anya", "jps")}
        times = time_finders(finders, scenario.starts, scenario.goals, arguments.rounds)
        anya, found = (finders[each].find_many(scenario.starts, scenario.goals, 1) for each in ("anya", "taut"))
        apart = np.abs(anya.costs - found.costs)
        bad = int(np.count_nonzero(~(apart < _CLOSE)))
        bad += sum(not path.is_valid(grid) for batch in (anya, found) for path in list(batch)[:_ROWS])
        us = [times[each].us for each in ("taut", "anya", "jps")]
        rows, wrong = rows + len(apart), wrong + bad
        sums += [*us, us[1] / us[2]]
        figures = f"{us[0]:.2f}", f"{us[1]:.0f}", f"{us[2]:.0f}", f"{us[1] / us[2]:.2f}"
        size = f"{made.fixed_bytes / 1e6:.1f}"
        corners = f"{len(taut.index['corners']):,}"
        print_row(name, corners, size, f"{made.build_s:.2f}", *figures, f"{len(apart):,}", bad, f"{apart.max():.1e}")
    count = max(1, len(arguments.names or list_maps(arguments.maps)))
    means = " us, ".join(
        f"{each} {value:.2f}" for each, value in zip(("taut", "anya", "jps"), sums / count, strict=False)
    )
    print(f"\n{rows:,} rows, {wrong} wrong; mean of the maps: {means} us; anya / jps {sums[3] / count:.2f}\n")


def check_random(arguments):
    """Compare all pairs of cells of small random maps with the visibility graph."""
    rng, pairs, wrong = np.random.default_rng(11), 0, 0
    for number in range(arguments.random):
        width, height = rng.integers(2, 13, 2).tolist()
        passable = rng.random((height, width)) >= rng.choice((0.05, 0.15, 0.25, 0.4))
        passable[0, 0] = True
        rules = {"corners": ("never", "always", "one")[number % 3], "clearance": 1 + (number % 7 == 6)}
        cells, lengths = oracle.all_lengths(passable, **rules)
        grid = wg.Grid(passable, **rules)
        starts, goals = np.repeat(cells, len(cells), axis=0), np.tile(cells, (len(cells), 1))
        for name, options in (("anya", {}), ("taut", {"threads": 1})):
            if len(cells):
                costs = wg.make_finder(name, grid, **options).find_many(starts, goals, 1, paths=False).costs
                with np.errstate(invalid="ignore"):
                    apart = np.abs(costs - lengths.reshape(-1))
                same = np.isinf(costs) & np.isinf(lengths.reshape(-1))
                wrong += int(np.count_nonzero(~((apart < _CLOSE) | same)))
        pairs += len(starts)
    print(f"{arguments.random:,} random maps, {pairs:,} pairs, {wrong} wrong\n")


PARTS = {"rows": check_rows, "random": check_random}


def main():
    parser = make_parser(__doc__)
    parser.add_argument("--only", type=split_words, default=list(PARTS), help="parts, with commas")
    parser.add_argument(
        "--names", type=split_words, default=None, help="maps, with commas; default: all of the set dao"
    )
    parser.add_argument("--random", type=int, default=3000, help="maps")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = begin_run(parser)
    for part in arguments.only:
        PARTS[part](arguments)


if __name__ == "__main__":
    main()
