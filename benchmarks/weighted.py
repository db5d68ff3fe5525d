"""Searches on weighted maps: `jpsw` against A*, and what goal bounds cost on such maps.

    python benchmarks/weighted.py [--maps DIR] [--only NAME,NAME] [--queries 100] [--rounds 5] [--far N]
                                  [--bounds] [--side 128]

Queries join cells of the largest connected component by chance; find_many on one thread, every path written. All costs
are compared with those of A*. The letters of a game's map stand for terrain; here each letter gets a price. "short" is
the share of steps along lines that end them: above 0.25 `jpsw` lets A* search, so a second column has its own search.

--bounds: a table for `astar-gb`, whose build searches from every cell, on the middle of each map, SIDE cells wide.
"""

from functools import partial

import numpy as np
from common import begin_run, make_parser, print_heading, print_row, split_words, time_finders

import waygrid as wg
from waygrid.measure.builds import build_finder
from waygrid.measure.timing import time_call

BAR, LEAST = 3.0, 0.9  # of the speed of A*: where terrain comes in areas, and everywhere


def price_letters(maps, name, prices):
    """Return a map of a set with a price for each letter; other letters are walls."""
    head, _, body = (maps / f"{name}.map").read_text().partition("map\n")
    height = int(head.split("height")[1].split()[0])
    letters = np.array([list(row) for row in body.split("\n")[:height]])
    weights = np.zeros(letters.shape, int)
    for letter, price in prices.items():
        weights[letters == letter] = price
    return wg.Grid(weights > 0, weights=np.where(weights > 0, weights, 1))


def make_areas(_, count, prices, side=512, seed=1):
    """Return a map of areas around random points: each cell has the price of the nearest one."""
    chance = np.random.default_rng(seed)
    points, kinds = chance.random((count, 2)) * side, chance.choice(prices, count)
    y, x = np.mgrid[:side, :side]
    nearest, weights = np.full((side, side), np.inf), np.ones((side, side), int)
    for (py, px), price in zip(points, kinds, strict=True):
        far = (y - py) ** 2 + (x - px) ** 2
        weights[far < nearest] = price
        nearest = np.minimum(nearest, far)
    return wg.Grid(np.ones((side, side), bool), weights=weights)


def make_blocks(_, size, prices, side=256, seed=1):
    """Return a map of square blocks of one price each; of one cell: random weights."""
    kinds = np.random.default_rng(seed).choice(prices, (side // size + 1,) * 2)
    weights = np.kron(kinds, np.ones((size, size), int))[:side, :side]
    return wg.Grid(weights > 0, weights=weights)


def read_plain(maps, name):
    return wg.Grid.from_file(maps / f"{name}.map")


AREAS = {  # terrain in areas: the bar is 3
    "bloodvenomfalls-mixed01": partial(read_plain, name="mixedcost/bloodvenomfalls-mixed01"),
    "divideandconquer, . 1 S 3 T 5 W 10": partial(
        price_letters, name="wc3maps512/divideandconquer", prices={".": 1, "S": 3, "T": 5, "W": 10}
    ),
    "battleground, . 1 S 3 W 10": partial(
        price_letters, name="wc3maps512/battleground", prices={".": 1, "S": 3, "W": 10}
    ),
    "battleground, . 2 S 3 T 4 W 5": partial(
        price_letters, name="wc3maps512/battleground", prices={".": 2, "S": 3, "T": 4, "W": 5}
    ),
    "Aftershock, . 1 T 3": partial(price_letters, name="sc1/Aftershock", prices={".": 1, "T": 3}),
    "40 areas of 1, 2, 5, 10": partial(make_areas, count=40, prices=(1, 2, 5, 10)),
    "400 areas of 1, 2, 5, 10": partial(make_areas, count=400, prices=(1, 2, 5, 10)),
}
OTHERS = {  # the bar is 0.9
    "4,000 areas of 1, 2, 5, 10": partial(make_areas, count=4000, prices=(1, 2, 5, 10)),
    "blocks of 4 x 4, 1 to 9": partial(make_blocks, size=4, prices=range(1, 10)),
    "blocks of 2 x 2, 1 and 2": partial(make_blocks, size=2, prices=(1, 2)),
    "every cell 1 or 2": partial(make_blocks, size=1, prices=(1, 2)),
    "every cell 1 to 9": partial(make_blocks, size=1, prices=range(1, 10)),
    "every cell 1 to 65535": partial(make_blocks, size=1, prices=range(1, 65536)),
    "no weights, no walls": lambda _: wg.Grid(np.ones((512, 512), bool)),
    "no weights: brc202d": partial(read_plain, name="dao/brc202d"),
    "no weights: random512-25-0": partial(read_plain, name="random/random512-25-0"),
}


def pick_queries(grid, count, far=None):
    """Return starts and goals in the largest connected component; far: that lie at most so many cells apart."""
    parts, chance = grid.components, np.random.default_rng(0)
    inside = parts == np.bincount(parts[parts >= 0]).argmax()
    ys, xs = np.nonzero(inside)
    if far is None:
        picks = chance.integers(0, len(xs), (2, count))
        return [np.stack([xs[pick], ys[pick]], axis=1) for pick in picks]
    pick = chance.integers(0, len(xs), 20 * count)
    starts = np.stack([xs[pick], ys[pick]], axis=1)
    goals = np.clip(starts + chance.integers(-far, far + 1, starts.shape), 0, (grid.width - 1, grid.height - 1))
    fit = np.flatnonzero(inside[goals[:, 1], goals[:, 0]])[:count]
    return [starts[fit], goals[fit]]


def cut_middle(grid, side):
    """Return the middle of a map."""
    x, y = max(0, (grid.width - side) // 2), max(0, (grid.height - side) // 2)
    window = slice(y, y + side), slice(x, x + side)
    return wg.Grid(grid.passable[window], weights=None if grid.weights is None else grid.weights[window])


def count_wrong(times, truth):
    return int((~np.isclose(times.column("costs"), truth.column("costs"), rtol=1e-7)).sum())


def show_us(times):
    """Return the time of a query with three digits."""
    return f"{times.us:,.0f}" if times.us >= 100 else f"{times.us:.3g}"


def compare(arguments, makers, bar):
    for name, make in makers.items():
        grid = make(arguments.maps)
        starts, goals = pick_queries(grid, arguments.queries, arguments.far)
        finders = {"astar": wg.make_finder("astar", grid), "jpsw": wg.make_finder("jpsw", grid)}
        finders["own"] = wg.make_finder("jpsw", grid, fallback="never")
        if grid.weights is None:
            finders["jps"] = wg.make_finder("jps", grid)
        for finder in finders.values():  # compiles
            finder.find(starts[0], goals[0])
        prepared, _ = time_call(lambda grid=grid: wg.make_finder("jpsw", grid).follows_lines)
        plain, ours, own, *jps = time_finders(finders, starts, goals, arguments.rounds).values()
        expanded = [f"{times.column('expanded').mean():,.0f}" for times in (plain, ours)]
        ratio = plain.us / ours.us
        print_row(
            name,
            f"{finders['own']._patterns.short:.3f}",
            "lines" if finders["jpsw"].follows_lines else "A*",
            show_us(plain),
            show_us(ours),
            f"{ratio:.2f}",
            bar,
            "yes" if ratio >= bar else "NO",
            f"{plain.us / own.us:.2f}",
            *(map(show_us, jps) if jps else "-"),
            *expanded,
            f"{1e3 * prepared:.1f}",
            f"{finders['jpsw'].memory.fixed_bytes / 1e6:.2f}",
            count_wrong(ours, plain) + count_wrong(own, plain),
        )


def show_bounds(arguments, makers):
    for name, make in makers.items():
        grid = cut_middle(make(arguments.maps), arguments.side)
        starts, goals = pick_queries(grid, arguments.queries)
        bounded, made = build_finder(grid, "astar-gb", {})
        finders = {"astar": wg.make_finder("astar", grid), "jpsw": wg.make_finder("jpsw", grid), "astar-gb": bounded}
        plain, ours, bounds = time_finders(finders, starts, goals, arguments.rounds).values()
        cells = int(grid.passable.sum())
        per_cell = f"{1e6 * made.build_s / cells:.0f}", f"{made.fixed_bytes / cells:.1f}"
        us = map(show_us, (plain, ours, bounds))
        print_row(name, f"{cells:,}", *us, f"{made.build_s:.1f}", f"{made.fixed_bytes:,}", *per_cell)


def main():
    parser = make_parser(__doc__)
    parser.add_argument("--only", type=split_words, help="maps whose name holds one of these words")
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--far", type=int, help="goals at most so many columns and rows away; the bar is then 0.9")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--bounds", action="store_true", help="what astar-gb costs, in place of the first table")
    parser.add_argument("--side", type=int, default=128, help="of the middle of each map, for --bounds")
    arguments = begin_run(parser)

    def choose(makers):
        return {k: v for k, v in makers.items() if not arguments.only or any(word in k for word in arguments.only)}

    if arguments.bounds:
        print_heading(
            "map", "cells", "astar us", "jpsw us", "astar-gb us", "build s", "bytes", "us per cell", "bytes per cell"
        )
        show_bounds(arguments, choose(AREAS))
        return
    titles = "map", "short", "searched by", "astar us", "jpsw us", "ratio", "bar", "met", "ratio of lines", "jps us"
    print_heading(*titles, "expanded, astar", "expanded, jpsw", "prepared in ms", "MB", "wrong")
    compare(arguments, choose(AREAS), BAR if arguments.far is None else LEAST)
    compare(arguments, choose(OTHERS), LEAST)


if __name__ == "__main__":
    main()
