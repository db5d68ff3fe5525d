"""Space-time A* against a search over all cells and times, by rules that are written out again."""

from itertools import pairwise

import numpy as np
import pytest
from oracle import Case

import waygrid as wg


class Slow:
    """Other units: the cell of each at each time."""

    def __init__(self, ways, stays):
        self.ways, self.stays = ways, stays

    def at(self, time):
        """Return who is where at a time."""
        found = {}
        for number, way in self.ways.items():
            if time < len(way) or self.stays[number]:
                found[tuple(way[min(time, len(way) - 1)])] = number
        return found

    def allows(self, time, here, there):
        now, then = self.at(time), self.at(time + 1)
        if there in then:
            return False
        if there in now and then.get(here) == now[there]:
            return False
        if here[0] != there[0] and here[1] != there[1]:  # two diagonals through one point
            beside = (there[0], here[1]), (here[0], there[1])
            for one, other in (beside, beside[::-1]):
                if one in now and then.get(other) == now[one]:
                    return False
        return True

    def arrival(self, case, start, goal, most):
        """Return the first time at which the goal is reached and stays free."""
        if start in self.at(0):
            return None
        last = max(map(len, self.ways.values()), default=0)
        layer = {start}
        for time in range(most):
            if goal in layer and all(goal not in self.at(later) for later in range(time, last + most + 1)):
                return time
            following = set()
            for here in layer:
                for there in [here, *((x, y) for x, y, _ in case.neighbours(*here))]:
                    if self.allows(time, here, there):
                        following.add(there)
            layer = following
        return None


def check_way(case, others, way):
    for time, (here, there) in enumerate(pairwise(way)):
        here, there = tuple(here), tuple(there)
        assert here == there or there in [(x, y) for x, y, _ in case.neighbours(*here)]
        assert others.allows(time, here, there)


@pytest.mark.quick
@pytest.mark.parametrize("topology", ["tile", "octile", "hex", "tex"])
def test_the_earliest_arrival(topology):
    chance, found = np.random.default_rng(5), 0
    for _ in range(12):
        case = Case(chance.random((5, 6)) > 0.2, topology=topology, corners=str(chance.choice(["never", "always"])))
        grid = wg.Grid(case.passable, topology=topology, corners=case.corners)
        free = case.cells()
        finder, table = wg.make_finder("astar", grid), wg.Reservations(grid)
        others = Slow({}, {})
        for _ in range(6):
            start, goal = (free[k] for k in chance.integers(len(free), size=2))
            path = finder.find(start, goal, reservations=table)
            least = others.arrival(case, start, goal, 60)
            assert path.arrival == (-1 if least is None else least)
            if least is None:
                assert path.status == wg.Status.UNREACHABLE
                assert not path.is_valid(grid)
                continue
            found += 1
            check_way(case, others, path.cells.tolist())
            assert path.is_valid(grid)
            stays = bool(chance.integers(2))
            if stays and any(goal in others.at(later) for later in range(least, 99)):
                continue
            number = table.add(path, stays=stays)
            others.ways[number], others.stays[number] = path.cells.tolist(), stays
        if others.ways:
            gone = next(iter(others.ways))
            table.remove(gone)
            del others.ways[gone], others.stays[gone]
            start, goal = free[0], free[-1]
            least = others.arrival(case, start, goal, 60)
            assert finder.find(start, goal, reservations=table).arrival == (-1 if least is None else least)
    assert found > 20


@pytest.mark.quick
@pytest.mark.parametrize("turned", [False, True])
def test_narrow_maps(turned):
    """On a map of two columns a step to the east and one to the south-west are as far apart in memory."""
    grid = wg.Grid(np.ones((2, 2), bool), corners="always")
    finder, table = wg.make_finder("astar", grid), wg.Reservations(grid)
    one, two = [(0, 1), (1, 1)], [(0, 0), (1, 0)]
    for path in (two, one) if turned else (one, two):  # side by side: no conflict
        assert table.add(finder.find(*path, reservations=table)) >= 0
    table = wg.Reservations(grid)
    table.add([(0, 0), (1, 1)], stays=False)
    with pytest.raises(wg.WaygridError, match="in the way"):
        table.add([(1, 0), (0, 1)])  # crosses


@pytest.mark.quick
def test_time_goes_on():
    grid = wg.Grid([[1] * 8])
    finder, table = wg.make_finder("astar", grid), wg.Reservations(grid)
    table.add([(3, 0), (4, 0), (5, 0), (6, 0)], stays=False)
    table.time = 2
    path = finder.find((2, 0), (7, 0), reservations=table)
    assert (path.begin, path.arrival, path.cost) == (2, 7, 5.0)
    table.time = 1
    assert finder.find((5, 0), (4, 0), reservations=table).arrival == 6  # it runs ahead of the other, and comes back
    assert table.holder((5, 0), 2) == 0
    assert table.holder((5, 0), 3) == wg.Reservations(grid).holder((5, 0), 3) == -1
    assert repr(path) == "TimedPath(FOUND, from time 2 to 7, cost 5.0000)"
    assert repr(table) == "Reservations(1 paths, until time 3)"


@pytest.mark.quick
def test_bad_reservations():
    grid = wg.Grid([[1, 1, 1]])
    finder, table = wg.make_finder("astar", grid), wg.Reservations(grid)
    table.add([(0, 0), (1, 0)])
    for call, words in [
        (lambda: table.add([(1, 0), (0, 0)]), r"somebody is in the way of cell \(0, 0\) at time 1"),
        (lambda: table.add([(1, 0)]), "somebody is in the way of cell .1, 0. later"),
        (lambda: table.add([(9, 0)]), "outside the map"),
        (lambda: table.remove(7), "number is 7"),
        (lambda: table.add([(2, 0)], begin=-1), "begin is -1"),
        (lambda: finder.find((0, 0), (2, 0), reservations=table, partial=True), "goes with none of"),
        (lambda: finder.find((0, 0), (2, 0), reservations=3), "reservations is 3"),
        (lambda: finder.find((0, 0), (5, 0), reservations=table), "outside the map"),
        (lambda: wg.Reservations(wg.Grid(np.ones((4, 4)), clearance=2)), "clearance is 2"),
        (lambda: wg.Reservations(3), "need a Grid"),
        (lambda: wg.make_finder("astar", grid.copy()).find((0, 0), (2, 0), reservations=table), "another grid"),
    ]:
        with pytest.raises(wg.WaygridError, match=words):
            call()


def test_distances_follow_edits():
    grid = wg.Grid([[1, 1, 1], [1, 1, 1]])
    finder, table = wg.make_finder("astar", grid), wg.Reservations(grid)
    assert finder.find((0, 0), (2, 0), reservations=table).arrival == 2
    grid.set_passable((1, 0), False)
    assert finder.find((0, 0), (2, 0), reservations=table).arrival == 4


def test_both_cells_weigh_a_move_where_the_rule_says_so():
    grid = wg.Grid(np.ones((1, 3)), topology="tile", weights=[[1, 2, 5]], rule="mean")
    finder = wg.make_finder("astar", grid)
    timed = finder.find((0, 0), (2, 0), reservations=wg.Reservations(grid))
    assert timed.cost == finder.find((0, 0), (2, 0)).cost == 5.0
