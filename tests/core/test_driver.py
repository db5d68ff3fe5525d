"""The loops that are written out for the functions of an algorithm."""

import linecache
import sys

import numpy as np
import pytest

import waygrid as wg
from waygrid.algorithms.classic import best_first_query
from waygrid.algorithms.realtime import lrta_query
from waygrid.algorithms.regions import dba_agent, hcdps_agent
from waygrid.core import agents, driver
from waygrid.core import layout as at
from waygrid.search.request import PLAIN


def begin(ctl) -> None:
    ctl[at.STATUS] = at.RUNNING


def advance(queries, i, ctl, twice) -> None:
    """Claim that the goal is reached, after as many expansions as the name stands for."""
    ctl[at.EXPANDED], ctl[at.STATUS], ctl[at.END] = twice, at.UNREACHABLE, -1


def close(ctl, rows, i) -> bool:
    rows[i, at.ROW_STATUS], rows[i, at.ROW_EXPANDED] = ctl[at.STATUS], ctl[at.EXPANDED]
    return True


def source(kernel):
    function = getattr(kernel, "py_func", kernel)
    return "".join(linecache.getlines(function.__code__.co_filename))


def answer(kernel, policy):
    """Let a kernel answer two queries on a map of four by four cells."""
    finder = wg.make_finder("astar", wg.Grid(np.ones((4, 4), bool)))
    finder._refresh()
    scratch = finder._pool.take()
    queries = np.array([[0, 0, 3, 3], [1, 1, 1, 1]], np.int32)
    rows = np.zeros((2, at.ROW_SIZE), np.int64)
    request = PLAIN.array(0, 2, False)
    done = kernel(finder._tables, policy, scratch.arrays, None, None, (queries, rows, scratch.cells, request))
    return done, rows


def test_functions_get_what_their_parameters_name():
    kernel = driver.make_query_loop(__name__, begin, advance, close=close, names={"twice": "2 * policy[0]"})
    function = getattr(kernel, "py_func", kernel)  # the test's own functions are not compiled
    done, rows = answer(function, np.array([21]))
    assert done == 2
    assert rows[0, [at.ROW_STATUS, at.ROW_EXPANDED]].tolist() == [at.UNREACHABLE, 42]
    assert rows[1, at.ROW_STATUS] == at.FOUND  # start and goal are one cell: no search, so no function but close


def test_a_name_that_nobody_offers_is_refused():
    with pytest.raises(TypeError, match=r"test_driver\.advance wants twice, which no driver offers"):
        driver.make_query_loop(__name__, begin, advance)


def test_a_move_with_one_return_is_written_out():
    assert "outcome = agent.ASTRAY" in source(dba_agent.step).replace(
        "d, outcome = (planned, agent.ASTRAY)", "outcome = agent.ASTRAY"
    )
    assert "move0(" not in source(dba_agent.step)
    assert "move0(" not in source(hcdps_agent.step)
    assert "outcome = move0(" in source(lrta_query.step)  # it has several


def other_move(agents, i) -> int:
    made = at.FOUND
    return made


def test_two_things_of_one_name_are_refused(monkeypatch):
    """A move that is written out must mean what it means in its own module."""
    twin = type(sys)("waygrid_twin")
    twin.__file__ = __file__
    twin.at = agents
    monkeypatch.setitem(sys.modules, twin.__name__, twin)
    monkeypatch.setattr(driver, "_SHARED", {})
    with pytest.raises(TypeError, match="two things called at"):
        driver.make_agent_loop(twin.__name__, other_move)


def test_loops_are_kept_under_the_sources_of_all_their_functions(monkeypatch):
    """An edit of a module that brings a function compiles the loop again."""
    files = []
    monkeypatch.setattr(driver, "jit", lambda function, sources: files.extend(sources))
    driver.make_query_loop(
        __name__, best_first_query.begin, advance, close=close, names={"twice": "1", **best_first_query.NO_INDEX}
    )
    names = {file.name for file in files}
    assert {"driver.py", "best_first_query.py", "test_driver.py"} <= names
