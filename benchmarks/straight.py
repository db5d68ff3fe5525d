"""Straight paths: straighten, theta and lazy-theta on game maps, and against brute force on small ones.

    python benchmarks/straight.py [--maps DIR] [--sets dao] [--only brc202d,orz100d] [--rows 100] [--rounds 3]
    python benchmarks/straight.py --small
    python benchmarks/straight.py --models

The first table: how far lengths lie above those of lazy-theta (mean over some rows of each scenario, evenly spread),
how long lazy-theta takes against astar in the same run, and what straightening a path of about 400 cells takes (inside
`batch.straighten`, on one thread). The second, with --small: how far they lie above the shortest path that bends at
cell centres, from all lines of sight of small maps. The third, with --models: how far the two models of straight paths
are apart.
"""

import numpy as np
from common import begin_run, make_parser, print_heading, print_row, time_finders

import waygrid as wg
from waygrid.core.jit import jit
from waygrid.core.sight import sees_square
from waygrid.grid.straight import first_bad_leg
from waygrid.measure.timing import time_best

_LONG = 350, 450  # cells of the paths whose straightening is timed


def above(costs, shortest):
    """Return how far the mean ratio lies above 1, in words."""
    some = np.isfinite(costs) & np.isfinite(shortest) & (shortest > 0)
    return f"{100 * (np.mean(costs[some] / shortest[some]) - 1):+.2f} %"


def game_maps(arguments):
    """Print the table of game maps."""
    print_heading(
        *("map", "moves", "straighten, 1 round", "2 rounds", "theta", "theta / astar", "lazy-theta / astar"),
        *("us for 400 cells, 1 round", "2 rounds"),
    )
    means = []
    for file in sorted((arguments.maps / arguments.sets).glob("*.map")):
        if arguments.only and file.stem not in arguments.only.split(","):
            continue
        grid, scenario = wg.Grid.from_file(file), wg.Scenario.from_file(f"{file}.scen")
        rows = slice(None, None, max(1, len(scenario) // arguments.rows))
        ends = scenario.starts[rows], scenario.goals[rows]
        finders = {name: wg.make_finder(name, grid) for name in ("astar", "theta", "lazy-theta")}
        times = time_finders(finders, *ends, arguments.rounds)
        answers = {name: finder.find_many(*ends) for name, finder in finders.items()}
        lazy = answers["lazy-theta"].costs
        straight = [answers["astar"].straighten(rounds=rounds).costs for rounds in (1, 2)]
        shown = [above(costs, lazy) for costs in (answers["astar"].costs, *straight, answers["theta"].costs)]
        ratios = [times[name].us / times["astar"].us for name in ("theta", "lazy-theta")]
        means.append([np.nanmean(costs / lazy) - 1 for costs in straight] + ratios)
        print_row(file.stem, *shown, *(f"{ratio:.2f}" for ratio in ratios), *time_straightening(grid, scenario))
    first, second, theta, lazy_time = np.mean(means, axis=0)
    print(f"\nmean: straighten {100 * first:+.2f} %, {100 * second:+.2f} %")
    print(f"of astar's time: theta {theta:.2f}, lazy-theta {lazy_time:.2f}")


def time_straightening(grid, scenario):
    """Return the microseconds of a path of about 400 cells, by rounds."""
    batch = wg.make_finder("jps", grid).find_many(scenario.starts, scenario.goals, paths=False)
    long = np.flatnonzero((batch.lengths > _LONG[0]) & (batch.lengths < _LONG[1]))
    if len(long) == 0:
        return "-", "-"
    paths = wg.make_finder("jps", grid).find_many(scenario.starts[long], scenario.goals[long])
    seconds = [time_best(lambda rounds=rounds: paths.straighten(rounds=rounds)) for rounds in (1, 2)]
    return [f"{1e6 * one / len(long):.1f}" for one in seconds]


@jit
def measure_lines(moves, geo, cells, lengths) -> None:
    """Write the length of every legal leg between two cells, 0 where there is none."""
    for i in range(len(cells)):
        for j in range(len(cells)):
            x0, y0, x1, y1 = cells[i, 0], cells[i, 1], cells[j, 0], cells[j, 1]
            lengths[i, j] = 0.0
            if sees_square(moves, geo, x0, y0, x1, y1):
                lengths[i, j] = np.sqrt(float((x1 - x0) ** 2 + (y1 - y0) ** 2))


def small_maps():
    """Print the table of small maps: brute force over all lines of sight."""
    from scipy.sparse.csgraph import shortest_path

    print_heading("maps of 24 x 24", "corners", "moves", "straighten", "theta", "lazy-theta", "worst lazy-theta")
    chance = np.random.default_rng(1)
    for kind in ("rooms", "caves", "indoor", "random, 10 % walls", "random, 25 % walls"):
        for corners in ("never", "one", "always"):
            ratios = {name: [] for name in ("moves", "straighten", "theta", "lazy-theta")}
            for seed in range(8):
                if kind.startswith("random"):
                    grid = wg.Grid(chance.random((24, 24)) > float(kind.split()[1]) / 100, corners=corners)
                else:
                    grid = wg.generate(kind, width=24, height=24, seed=seed, corners=corners)
                table = grid.table
                cells = np.argwhere(table.walk.reshape(24, 24))[:, ::-1].astype(np.int64)
                lengths = np.empty((len(cells), len(cells)))
                measure_lines(table.moves, table.geo, cells, lengths)
                picks = chance.integers(0, len(cells), (2, 150))
                truth = shortest_path(lengths)[picks[0], picks[1]]
                some = np.isfinite(truth) & (truth > 0)
                ends = cells[picks[0]][some], cells[picks[1]][some]
                moves = wg.make_finder("astar", grid).find_many(*ends)
                found = {"moves": moves, "straighten": moves.straighten()}
                found |= {name: wg.make_finder(name, grid).find_many(*ends) for name in ("theta", "lazy-theta")}
                for name, batch in found.items():
                    ratios[name] += (batch.costs / truth[some]).tolist()
            shown = [f"{100 * (np.mean(every) - 1):+.2f} %" for every in ratios.values()]
            print_row(kind, corners, *shown, f"{100 * (max(ratios['lazy-theta']) - 1):+.1f} %")


def corners_of(grid):
    """Return the corners of walls that stick out, in halves of a cell, where no two walls touch at a corner."""
    free = np.pad(grid.table.walk.reshape(grid.height, grid.width) != 0, 1)
    places = []
    for y in range(grid.height + 1):
        for x in range(grid.width + 1):
            around = free[y : y + 2, x : x + 2]
            if around.sum() == 3:
                places.append((x - 0.5, y - 0.5))
    return places


def models(arguments):
    """Print how far the shortest paths of both models are apart: all lines of sight, those of corners in fractions."""
    from scipy.sparse.csgraph import shortest_path

    print_heading("maps of 24 x 24, corners never", "pairs", "bends at centres above bends at corners")
    chance = np.random.default_rng(2)
    for kind in ("rooms", "caves", "indoor", "random, 10 % walls", "random, 25 % walls"):
        ratios = []
        for seed in range(arguments.rounds):
            grid = (
                wg.Grid(chance.random((24, 24)) > float(kind.split()[1]) / 100) if kind.startswith("random") else None
            )
            grid = grid or wg.generate(kind, width=24, height=24, seed=seed)
            cells = np.argwhere(grid.table.walk.reshape(24, 24))[:, ::-1].astype(np.int64)
            lengths = np.empty((len(cells), len(cells)))
            measure_lines(grid.table.moves, grid.table.geo, cells, lengths)
            ends = chance.choice(len(cells), 12, replace=False)
            truth = shortest_path(lengths)[np.ix_(ends, ends)]
            places = [tuple(map(float, cells[end])) for end in ends] + corners_of(grid)
            apart = np.zeros((len(places), len(places)))
            for i, one in enumerate(places):
                for j, other in enumerate(places[:i]):
                    if first_bad_leg(grid, [one, other], "corners") is None:
                        apart[i, j] = apart[j, i] = np.hypot(*np.subtract(one, other))
            least = shortest_path(apart)[:12, :12]
            some = np.isfinite(truth) & (least > 0)
            ratios += (truth[some] / least[some]).tolist()
        print_row(kind, len(ratios), f"{100 * (np.mean(ratios) - 1):+.2f} %")


def main():
    parser = make_parser(__doc__)
    parser.add_argument("--sets", default="dao")
    parser.add_argument("--only", default="")
    parser.add_argument("--rows", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--models", action="store_true")
    arguments = begin_run(parser)
    if arguments.small:
        small_maps()
    elif arguments.models:
        models(arguments)
    else:
        game_maps(arguments)


if __name__ == "__main__":
    main()
