"""Random paths on small random maps, straightened: every leg and every cost compared with brute force in fractions.

    python tests/torture/straight.py [--paths 1000000] [--seed 1] [--minutes 60] [--oracle 20]

Map k has the seed `seed` + k, so a fault can be repeated with --seed. All legs of all paths are checked by
`first_bad_leg`, in exact fractions; of every `oracle` paths one is compared with the oracle of the tests as well, its
costs too. Prints what was tried, and the seed of every fault.
"""

import argparse
import sys
import time
from itertools import pairwise
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

import sight_oracle as oracle
from cases import grid_of
from edits import make_case

import waygrid as wg

FINDERS = ("astar", "bfs", "dfs", "best-first", "lazy-theta", "theta")
PATHS = 400  # of a map


def check(case, grid, path, straight, thorough):
    """Check a straightened path; raise an error that says what is wrong."""
    if path.status != wg.Status.FOUND:
        assert len(straight.points) == 0, "there is a path where there was none"
        return
    bends = [tuple(cell) for cell in straight.waypoints.tolist()]
    assert (bends[0], bends[-1]) == (path[0], path[-1]), "other ends"
    assert straight.is_valid(grid), "an illegal leg"
    if thorough:
        assert all(oracle.is_legal(case, a, b) for a, b in pairwise(bends)), "an illegal leg, says the oracle"
        case.path_cost(straight.cells)
        paid = sum(oracle.leg_cost(case, a, b) for a, b in pairwise(bends))
        before = sum(oracle.leg_cost(case, tuple(a), tuple(b)) for a, b in pairwise(path.cells.tolist()))
        assert abs(paid - straight.cost) < 1e-9 * max(1, paid), "a wrong cost"
        assert path.model != "cells" or paid <= before * (1 + 1e-9), "dearer than the path"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--paths", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--oracle", type=int, default=20)
    arguments = parser.parse_args()
    until, done, legs, maps, faults, seed = time.time() + 60 * arguments.minutes, 0, 0, 0, 0, arguments.seed
    while done < arguments.paths and time.time() < until:
        chance = np.random.default_rng(seed)
        case = make_case(chance)
        grid, cells = grid_of(case), np.array(case.cells()).reshape(-1, 2)
        info = wg.algorithms()
        able = [name for name in FINDERS if grid.topology in info[name].topologies]
        able = [name for name in able if info[name].weights or grid.weights is None]
        if len(cells):
            picks = chance.integers(0, len(cells), (2, PATHS))
            batch = wg.make_finder(str(chance.choice(able)), grid).find_many(*cells[picks], threads=1)
            straight = batch.straighten(rounds=int(chance.integers(1, 5)))
            for k in range(PATHS):
                try:
                    check(case, grid, batch[k], straight[k], (done + k) % arguments.oracle == 0)
                except AssertionError as error:
                    faults += 1
                    print(f"seed {seed}, path {k}: {error}: {batch[k].cells.tolist()} {straight[k].points.tolist()}")
                legs += max(0, len(straight[k].points) - 1)
            done += PATHS
        seed, maps = seed + 1, maps + 1
    print(f"{done} paths with {legs} legs on {maps} maps: {faults} faults; next seed {seed}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
