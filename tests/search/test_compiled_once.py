"""A second identical call uses no compiled variant that the first one did not: nobody waits for the compiler twice."""

import pickle

import numpy as np
import pytest
from compiled import variants_used

import waygrid as wg
from waygrid.algorithms.classic import distances as flood
from waygrid.graph import finder as graphs

ROOM = ["........", ".######.", ".#......", ".#.####.", "...#....", "#######.", "........", "........"]
START, GOAL = (0, 0), (7, 7)


def make_grid(name="astar", *, weights=False, one_way=False):
    info = wg.algorithms()[name]
    passable = np.array([[letter == "." for letter in row] for row in ROOM])
    grid = wg.Grid(
        passable,
        topology="octile" if "octile" in info.topologies else info.topologies[0],
        corners="never" if "never" in info.corners else info.corners[0],
        weights=np.where(np.arange(64).reshape(8, 8) % 3, 1, 2) if weights else None,
    )
    if one_way:
        grid.set_one_way((1, 0), ["E"])
    return grid


@pytest.fixture
def used_by(monkeypatch):
    """Return the variants that a call uses, and what it returns."""

    def call(function, *arguments):
        with variants_used(monkeypatch) as used:
            returned = function(*arguments)
        return used, returned

    return call


def none_new(used, known, what):
    assert used <= known, f"{what}:\n" + "\n".join(sorted(used - known))


def queries(finder):
    """Return every way of asking a finder, by name."""
    ends = ([START, GOAL], [GOAL, (2, 2)])
    ways = {
        "find": lambda: finder.find(START, GOAL, max_expansions=1000),
        "find_many": lambda: finder.find_many(*ends, threads=2),
        "find_many without paths": lambda: finder.find_many(*ends, threads=1, paths=False, timed=True),
        "find_nearest": lambda: finder.find_nearest(START, ends[1]),
        "partial": lambda: finder.find(START, (1, 1), partial=True),
        "start": lambda: advance(finder.start(START, GOAL)),
        "trace": lambda: finder.trace(START, GOAL, max_expansions=1000),
        "memory": lambda: finder.memory,
    }
    if finder.info.blocked:
        ways["blocked"] = lambda: finder.find(START, GOAL, blocked=[(7, 4)], partial=True, max_expansions=1000)
    if finder.info.real_time:
        ways["agents"] = lambda: walk(finder.agents(*ends, history=True))
        ways["agent"] = lambda: finder.agent(START, GOAL).step()
    return ways


def advance(search):
    search.advance(2)
    search.path()
    search.advance(1000)
    return search.path()


def walk(pool):
    pool.step()
    pool.step()
    return pool.paths()


def others_like(finder, grid, folder):
    """Return other ways of getting the same finder, by name."""
    ways = {
        "on a copy of the map": lambda: wg.make_finder(finder.info.name, grid.copy()),
        "pickled": lambda: pickle.loads(pickle.dumps(finder)),
    }
    if finder.info.index:
        finder.save(folder / "index.wgi")
        ways["loaded"] = lambda: wg.load_finder(folder / "index.wgi", grid)
    return ways


@pytest.mark.parametrize(("name", "weights"), [*((name, False) for name in wg.algorithms()), ("astar", True)])
def test_finders(name, weights, used_by, tmp_path):
    """Neither a query that is repeated nor one of a finder that was copied, loaded or edited compiles anything."""
    making, grid = used_by(lambda: make_grid(name, weights=weights))
    more, finder = used_by(wg.make_finder, name, grid)
    making |= more
    asking = {way: used_by(ask)[0] for way, ask in queries(finder).items()}
    for way, ask in queries(finder).items():
        none_new(used_by(ask)[0], making | asking[way], way)
    for how, get in others_like(finder, grid, tmp_path).items():
        if how == "loaded":  # the first one also compiles the checks of files
            making |= used_by(get)[0]
        used, other = used_by(get)
        none_new(used, making | asking["find"], how)
        for way, ask in queries(other).items():
            none_new(used_by(ask)[0], making | asking[way], f"{way} of a finder that is {how}")
    if not finder.info.index:
        known = making.union(*asking.values(), used_by(grid.set_passable, (4, 6), False)[0])
        none_new(used_by(grid.set_passable, (4, 7), False)[0], known, "a second edit")
        for way, ask in queries(finder).items():
            none_new(used_by(ask)[0], known, f"{way} after an edit")


def make_graph():
    points = [(0, 0), (1, 0), (1, 1), (0, 1), (2, 2)]
    return wg.Graph(points, [(0, 1), (1, 2), (2, 3), (2, 4)])


@pytest.mark.parametrize("name", graphs.ALGORITHMS)
def test_graph_finders(name, used_by, tmp_path):
    """The same on graphs."""
    making, finder = used_by(lambda: wg.make_finder(name, make_graph()))
    others = {"made again": lambda: wg.make_finder(name, make_graph())}
    if finder.info.index:
        finder.save(tmp_path / "index.wgi")
        others["loaded"] = lambda: wg.load_finder(tmp_path / "index.wgi", make_graph())

    def ways(finder):
        return {
            "find": lambda: finder.find(0, 4),
            "find_many": lambda: finder.find_many([0, 3], [4, 1], threads=2),
            "find_many of other types": lambda: finder.find_many(np.arange(4, dtype=np.int16)[::2], (3, 1)),
            "expansion_order": lambda: finder.expansion_order(0, 4),
        }

    asking = {way: used_by(ask)[0] for way, ask in ways(finder).items()}
    asking["find_many of other types"] = asking["find_many"]
    for how, get in others.items():
        used, other = used_by(get)
        none_new(used, making, how)
        for finder_used in (finder, other):
            for way, ask in ways(finder_used).items():
                none_new(used_by(ask)[0], making | asking[way], f"{way}, {how}")


PLAIN, WEIGHTED, ONE_WAY = make_grid(), make_grid(weights=True), make_grid(one_way=True)
OTHERS = np.array([[0, 0, 9], [7, 7, 9]], np.int16)[:, :2]  # neither contiguous nor of the usual type
KINDS = ("random", "rooms", "maze", "caves", "indoor")
FUNCTIONS = {
    "distances": lambda grid: wg.distances(grid, START),
    "distances, reversed": lambda grid: wg.distances(grid, START, reverse=True),
    "distances of a new map": lambda grid: wg.distances(grid.copy(), START),
    "distances from several cells": lambda grid: wg.distances(grid, [START, GOAL]),
    "path_from": lambda grid: wg.distances(grid, START).path_from(GOAL),
    "decompose": wg.decompose,
    "components": lambda grid: grid.copy().components,
    "fingerprint": lambda grid: grid.fingerprint(),
    "quadtree": lambda grid: wg.Graph.quadtree(PLAIN),
    "components of a graph": lambda grid: make_graph().components,
    "is_valid": lambda grid: wg.make_finder("astar", grid).find(START, GOAL).is_valid(grid),
    **{kind: lambda grid, kind=kind: wg.generate(kind, width=30, height=30, seed=1).components for kind in KINDS},
}


DEAR = wg.Grid(np.ones((46, 46)), metric=(2**20, 2**20))  # 64-bit distances
MAPS = {"plain": PLAIN, "weights": WEIGHTED, "one-way": ONE_WAY, "dear": DEAR}


@pytest.mark.parametrize("original", MAPS.values(), ids=MAPS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name, original, used_by, monkeypatch):
    monkeypatch.setattr(flood, "_compiled", set())  # as in a new process
    grid = original.copy()
    known, _ = used_by(FUNCTIONS[name], grid)
    for _ in range(3):
        none_new(used_by(FUNCTIONS[name], grid)[0], known, "a later call")


def test_arguments_of_other_types(used_by):
    """Lists, tuples and arrays of any integers are one type to the compiler."""
    finder = wg.make_finder("astar", PLAIN)
    calls = [
        (lambda cells: wg.distances(PLAIN.copy(), cells), [START, GOAL]),
        (lambda cells: finder.find_many(cells, cells[::-1]), [START, GOAL]),
        (lambda cells: finder.find_nearest(START, cells), [GOAL, START]),
        (lambda cells: finder.find(START, (2, 2), blocked=cells), [START, GOAL]),
    ]
    for call, cells in calls:
        known, _ = used_by(call, cells)
        for other in (tuple(cells), np.array(cells), np.array(cells, np.uint8), OTHERS, OTHERS[::-1]):
            none_new(used_by(call, other)[0], known, repr(other))
