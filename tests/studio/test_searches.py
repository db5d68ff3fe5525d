"""Searches as the page asks for them, without the server around."""

import numpy as np
import pytest

pytest.importorskip("starlette", reason="the studio's packages are not installed")

from waygrid.studio.jobs import Job
from waygrid.studio.limits import StudioLimits
from waygrid.studio.model import Model, Terrain
from waygrid.studio.searches import search
from waygrid.studio.wire import unpack


def _search(passable, algorithm, start, goal, **more):
    """Return header and arrays of the answer."""
    model = Model(StudioLimits(flood_s=0.2))
    key = model.add(Terrain(np.array(passable, np.bool_), None))
    asked = {"map": key, "algorithm": algorithm, "start": start, "goal": goal, "trace": True, **more}
    return unpack(search(model, asked, Job("a", ("", ""))))


def test_unreachable_goal_is_searched_anyway():
    rooms, found = [[1, 1, 0, 1]] * 3, {}
    for algorithm, anyway in (("astar", False), ("astar", True), ("jps+", True), ("lrta", True), ("ida", True)):
        header, arrays = _search(rooms, algorithm, [0, 0], [3, 0], anyway=anyway, optimum=True, timed=True)
        found[algorithm, anyway] = header["anyway"], header["status"], header["stats"]["expanded"]
        assert header["optimum"] is None
        assert header["events"] == len(arrays["kind"])
    assert found["astar", False] == ("skipped", "UNREACHABLE", 0)
    assert found["astar", True] == ("searched", "UNREACHABLE", 6)
    assert found["jps+", True][0] == found["lrta", True][0] == "impossible"
    assert found["ida", True][:2] in (("searched", "UNREACHABLE"), ("searched", "CUTOFF"))
    assert _search(rooms, "astar", [0, 0], [1, 2], anyway=True)[0]["anyway"] is None


@pytest.mark.parametrize(("options", "optimal"), [({}, True), ({"weight": 5}, False), ({"weight": 1}, True)])
def test_answer_says_whether_the_search_is_optimal_with_its_options(options, optimal):
    header, _ = _search(np.ones((4, 5)), "astar", [0, 0], [4, 3], options=options)
    assert header["optimal"] is optimal


def test_times_are_the_best_of_several_runs_where_asked_for():
    field = np.ones((4, 5))
    timed, _ = _search(field, "astar", [0, 0], [4, 3], timed=True)
    assert timed["runs"] >= 3
    assert timed["time_us"] > 0
    once, _ = _search(field, "astar", [0, 0], [4, 3], trace=False)
    assert once["runs"] == 1
