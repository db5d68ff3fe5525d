"""Random sequences of edits on small random maps: every finder's answers compared with the oracle's Dijkstra.

    python tests/torture/edits.py [--minutes 10] [--seed 0] [--workers 1] [--only SEED]

A seed is a map. After every edit a few of the finders that support the map answer some queries: those that promise
cheapest paths must give the cost of Dijkstra, all others a legal path whenever there is one. Agents of real-time
algorithms step between the edits; none of their moves may be illegal.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

from cases import METRICS, grid_of, pairs_of
from edited import edit, supporting
from oracle import Case
from torture import frame

import waygrid as wg

NEVER_SURE = {"ida", "dfs", "step"}  # may take too long, or give up
STEPS = 25  # edits of a map
ASKED = 4  # finders after each edit


def make_case(chance):
    """Return a random map with random rules."""
    height, width = (int(side) for side in chance.integers(1, 15, 2))
    passable = chance.random((height, width)) >= chance.choice((0.0, 0.1, 0.25, 0.4))
    passable[0, 0] |= not passable.any()
    topology = str(chance.choice(("tile", "octile", "octile", "octile", "hex", "tex")))
    weights = chance.integers(1, 9, (height, width), endpoint=True) if chance.random() < 0.25 else None
    clearance = 2 if topology in ("tile", "octile") and chance.random() < 0.2 else 1
    corners = str(chance.choice(("never", "never", "one", "always")))
    case = Case(passable, topology, corners, METRICS[chance.integers(len(METRICS))], weights, clearance)
    if chance.random() < 0.15:
        for cell in case.cells():
            if chance.random() < 0.2:
                case.one_way[cell] = {name for name in case.steps(0) if chance.random() < 0.5}
    return case


def check(case, finder, pairs):
    """Compare answers of a finder with the oracle's."""
    for start, goal in pairs:
        truth, path = case.dijkstra(start), finder.find(start, goal)
        assert (path.status == wg.Status.FOUND) == (goal in truth), (finder, start, goal, path.status)
        if path.status != wg.Status.FOUND:
            continue
        assert path[0] == start, finder
        assert path[-1] == goal, finder
        assert path.is_valid(finder.grid), (finder, start, goal)
        if path.model != "cells":  # straight legs, which the oracle does not know: a search on a new map does
            if finder.optimal:
                least = wg.make_finder("anya", grid_of(case)).find(start, goal).cost
                assert abs(path.cost - least) < 1e-7 * max(1, least), (finder, start, goal, path.cost, least)
            continue
        walked = case.path_cost(path.cells)
        assert abs(path.cost - walked) < 1e-9 * max(1, walked), (finder, start, goal, path.cost, walked)
        if finder.optimal:
            assert abs(path.cost - truth[goal]) < 1e-7 * max(1, walked), (finder, start, goal, path.cost, truth[goal])


def start_pools(chance, case, finders):
    """Return pools of agents of some real-time algorithms, and where their agents are."""
    pools = []
    for finder in finders:
        if finder.info.real_time and chance.random() < 0.3:
            pairs = pairs_of(case, 3, int(chance.integers(10**6)))
            if pairs:
                pool = finder.agents([start for start, _ in pairs], [goal for _, goal in pairs], max_moves=10**6)
                pools.append([pool, pool.positions])
    return pools


def step_pools(case, pools):
    """Let all agents move; refuse illegal moves."""
    for entry in pools:
        pool, before = entry
        entry[1] = after = pool.step()
        for here, there in zip(before.tolist(), after.tolist(), strict=True):
            assert here == there or case.path_cost([here, there]), pool


def attack(seed, tally):
    """Edit one map."""
    chance = np.random.default_rng(seed)
    case = make_case(chance)
    grid = grid_of(case)
    names = [name for name in wg.algorithms() if name not in NEVER_SURE]
    finders = supporting(grid, ["astar", *sorted(chance.choice(names, 12, replace=False))])
    pools = start_pools(chance, case, finders)
    for step in range(STEPS):
        tally.note(f"edit {step} of a map of {grid.topology}")
        undo = edit(chance, case, grid)
        if chance.random() < 0.15:
            undo()
        if chance.random() < 0.02:
            finders[chance.integers(len(finders))].rebuild(background=bool(chance.integers(2)))
        pairs = pairs_of(case, 2, seed + step)
        for k in chance.permutation(len(finders))[:ASKED]:
            check(case, finders[k], pairs)
            tally.count("queries", len(pairs))
        step_pools(case, pools)
        tally.count("edits")


if __name__ == "__main__":
    sys.exit(frame.main(__doc__, attack))
