"""Searches for goals in another connected component."""

import numpy as np
import pytest

import waygrid as wg
from waygrid.core import layout
from waygrid.errors import WaygridError
from waygrid.search.unchecked import can_search_unreachable, make_unchecked

ABLE = [name for name, info in wg.algorithms().items() if can_search_unreachable(info)]
SLOW = ("ida", "iddfs")  # deeper and deeper, although nothing new is met
START, GOAL = (1, 1), (7, 3)


def _two_rooms(topology):
    passable = np.ones((5, 9), np.bool_)
    passable[:, 4] = False
    return wg.Grid(passable, topology=topology)


def test_those_that_prepare_or_walk_are_left_out():
    assert {"astar", "dijkstra", "bfs", "dfs", "jps"} <= set(ABLE)
    assert not {"jps+", "astar-gb", "cpd", "dba", "lrta", "tba"} & set(ABLE)
    with pytest.raises(WaygridError, match=r"jps\+ cannot search for a goal in another connected component"):
        make_unchecked(wg.make_finder("jps+", _two_rooms("octile")))


@pytest.mark.parametrize("name", ABLE)
def test_the_start_s_component_is_searched_and_no_other(name):
    for topology in wg.algorithms()[name].topologies:
        grid = _two_rooms(topology)
        finder = wg.make_finder(name, grid)
        unchecked = make_unchecked(finder)
        trace = unchecked.trace(START, GOAL, max_expansions=2000)
        assert trace.path.status.name in (("UNREACHABLE", "CUTOFF") if name in SLOW else ("UNREACHABLE",))
        met = np.zeros(grid.passable.shape, np.bool_)
        met.flat[trace.events["node"][trace.events["kind"] == layout.E_EXPANDING]] = True
        assert met[:, :4].any()
        if name != "bibfs":  # it begins at the goal too
            assert not met[:, 4:].any()
        if name in ("astar", "dijkstra", "bfs", "dfs"):
            assert met[:, :4].all()
        assert finder.find(START, GOAL).stats.expanded == 0  # the finder itself is as it was
        assert unchecked.find(START, (3, 4)).cost == finder.find(START, (3, 4)).cost
