"""How long inflating a map takes, beside the distance transform of SciPy where that is installed.

Each row times both in turns, best of the rounds: `inflate` with walls only, with falling costs, the distances of all
cells, and SciPy's exact transform with the comparison that makes walls of it.
"""

import time

import numpy as np
from common import begin_run, make_parser, print_heading, print_row, split_numbers

import waygrid as wg


def make_maps(side):
    """Yield maps of different character."""
    random = np.random.default_rng(1)
    yield "rooms", wg.generate("rooms", width=side, height=side, seed=1)
    for share in (0.0001, 0.01, 0.3):
        yield f"{share:.2%} walls", wg.Grid(random.random((side, side)) >= share)


def time_best(works, rounds):
    """Return the best time of each work in milliseconds; the works take turns."""
    best = dict.fromkeys(works, np.inf)
    for _ in range(rounds):
        for name, work in works.items():
            begin = time.perf_counter()
            work()
            best[name] = min(best[name], 1000 * (time.perf_counter() - begin))
    return best


def list_works(grid, radius, threads):
    """Return what is timed, by name."""
    falling = {"falloff": "exponential", "reach": 3 * radius}
    works = {}
    for count in threads:
        works[f"walls, {count}"] = lambda count=count: grid.inflate(radius, threads=count)
        works[f"costs, {count}"] = lambda count=count: grid.inflate(radius, threads=count, **falling)
        works[f"distances, {count}"] = lambda count=count: grid.clearance_map(threads=count)
    try:
        from scipy import ndimage
    except ImportError:
        return works
    passable = grid.passable
    works["scipy"] = lambda: ndimage.distance_transform_edt(passable) > radius
    return works


def main():
    parser = make_parser(__doc__, maps=False)
    parser.add_argument("--side", type=int, default=4096, help="cells along each side of the maps")
    parser.add_argument("--radius", type=float, default=10, help="cells")
    parser.add_argument("--threads", type=split_numbers, default=[1, 2], help="such as 1,2")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--no-scipy", action="store_true", help="leave SciPy out")
    arguments = begin_run(parser)
    heading = False
    for name, grid in make_maps(arguments.side):
        works = list_works(grid, arguments.radius, arguments.threads)
        if arguments.no_scipy:
            works.pop("scipy", None)
        time_best(works, 1)  # compiled
        best = time_best(works, arguments.rounds)
        if not heading:
            print_heading(f"{arguments.side} x {arguments.side}, ms", *best)
            heading = True
        print_row(name, *(f"{value:.0f}" for value in best.values()))


if __name__ == "__main__":
    main()
