"""Agents and traces of dba and hcdps that begin on, or come back to, the points of stored paths."""

import itertools

import numpy as np
import pytest

import waygrid as wg
from waygrid.core import layout
from waygrid.grid.legal import first_fault

RULES = (("tile", "never"), ("octile", "never"), ("octile", "one"), ("octile", "always"))


def serpentine(width, height):
    """Rows one cell wide, joined at their ends by turns: ways lead back past the cells that they come from."""
    passable = np.ones((height, width), bool)
    passable[1::2] = False
    passable[1::4, -1] = True
    passable[3::4, 0] = True
    return passable


def scattered(seed):
    return np.random.default_rng(seed).random((24, 30)) >= 0.3


MAPS = {
    "serpentine": serpentine(32, 16),
    "upright": serpentine(40, 24).T,
    "rooms": np.asarray(wg.generate("rooms", width=48, height=40, seed=3).passable),
    "scattered": scattered(5),
    "thin": scattered(6) & scattered(7),
}
FINDERS = [
    *(("dba", {"sector": sector, "trim": trim}) for sector in (8, 16, 32) for trim in (True, False, "paper")),
    *(("hcdps", {"cutoff": cutoff, "trim": trim}) for cutoff in (4, 250) for trim in (True, False, "paper")),
]


def tries(finder):
    """Every stored point and centre as a start, with goals in all of the map and the stored points around it."""
    grid = finder.grid
    special = np.unique(np.concatenate((finder.index["subgoals"], finder.index["centres"])))
    cells = np.flatnonzero(grid.components.ravel() >= 0)
    goals = np.random.default_rng(1).choice(np.concatenate((special, cells)), 12)
    pairs = np.array(list(itertools.product(special, goals)))
    pairs = pairs[grid.components.ravel()[pairs[:, 0]] == grid.components.ravel()[pairs[:, 1]]]
    return (np.stack((cell % grid.width, cell // grid.width), axis=1) for cell in pairs.T)


@pytest.mark.parametrize(("name", "options"), FINDERS)
@pytest.mark.parametrize("kind", MAPS)
def test_every_move_is_legal_from_every_stored_point(kind, name, options):
    for topology, corners in RULES:
        finder = wg.make_finder(name, wg.Grid(MAPS[kind], topology=topology, corners=corners), threads=1, **options)
        starts, goals = tries(finder)
        for expansions in (1, 2, 10):
            pool = finder.agents(starts, goals, expansions, history=True)
            steps = 0
            while not pool.done.all() and steps < 4000:
                pool.step()
                steps += 1
            for way, start, goal in zip(pool.paths(), starts.tolist(), goals.tolist(), strict=True):
                assert first_fault(finder.grid, way) is None, (topology, corners, expansions, start, goal)
            assert (pool.statuses == wg.Status.FOUND).all()
            assert (pool.max_expanded <= expansions).all()


@pytest.mark.parametrize(("name", "options"), FINDERS)
@pytest.mark.parametrize("kind", MAPS)
def test_a_trace_has_the_path_of_find_where_two_points_are_the_same(kind, name, options):
    finder = wg.make_finder(name, wg.Grid(MAPS[kind]), threads=1, **options)
    for start, goal in itertools.islice(zip(*(ends.tolist() for ends in tries(finder)), strict=True), 400):
        trace, path = finder.trace(tuple(start), tuple(goal)), finder.find(tuple(start), tuple(goal))
        assert trace.path.cells.tolist() == path.cells.tolist(), (start, goal)
        moves = trace.events[trace.events["kind"] == layout.E_MOVE]
        if layout.E_EXPANDING not in trace.events["kind"]:
            width = finder.grid.width
            assert [[int(node) % width, int(node) // width] for node in moves["node"]] == path.cells[1:].tolist()
