"""Random paths on small random maps, straightened: every leg and every cost compared with brute force in fractions.

    python tests/torture/straight.py [--minutes 10] [--seed 0] [--workers 1] [--only SEED]

A seed is a map. All legs of all paths are checked by `first_bad_leg`, in exact fractions; of every 20 paths one is
compared with the oracle of the tests as well, its costs too.
"""

import sys
from itertools import pairwise
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

import sight_oracle as oracle
from cases import grid_of
from torture import frame
from torture.edits import make_case

import waygrid as wg

FINDERS = ("astar", "bfs", "dfs", "best-first", "lazy-theta", "theta")
PATHS = 400  # of a map
THOROUGH = 20  # of so many paths one is compared with the oracle


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


def attack(seed, tally):
    """Straighten the paths of one map."""
    chance = np.random.default_rng(seed)
    case = make_case(chance)
    grid, cells = grid_of(case), np.array(case.cells()).reshape(-1, 2)
    info = wg.algorithms()
    able = [name for name in FINDERS if grid.topology in info[name].topologies]
    able = [name for name in able if info[name].weights or grid.weights is None]
    if not len(cells):
        return
    picks = chance.integers(0, len(cells), (2, PATHS))
    name = str(chance.choice(able))
    tally.note(f"{name} on a map of {grid.topology}")
    batch = wg.make_finder(name, grid).find_many(*cells[picks], threads=1)
    straight = batch.straighten(rounds=int(chance.integers(1, 5)))
    for k in range(PATHS):
        try:
            check(case, grid, batch[k], straight[k], (seed + k) % THOROUGH == 0)
        except AssertionError as error:
            tally.fault(f"{error}: path {k}: {batch[k].cells.tolist()} {straight[k].points.tolist()}")
        tally.count("paths")
        tally.count("legs", max(0, len(straight[k].points) - 1))


if __name__ == "__main__":
    sys.exit(frame.main(__doc__, attack))
