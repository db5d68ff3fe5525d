"""What a finder shows to its users: the calls and attributes that the documentation names, and nothing else."""

import pytest

import waygrid as wg

pytestmark = pytest.mark.quick

QUERIES = {"find", "find_many", "find_nearest", "costs", "start", "trace", "agent", "agents"}
SHOWN = QUERIES | {"info", "grid", "options", "optimal", "memory", "save", "build_seconds", "finish_verification"}
SHOWN |= {"stale", "followed", "rebuild", "replan", "reason"}
ON_GRAPHS = (SHOWN - QUERIES - {"grid", "stale", "followed", "rebuild", "replan", "reason"}) | {
    "find",
    "find_many",
    "expansion_order",
    "graph",
    "index",
}
OF_SOME = {
    "dba": {"subgoals", "verify"},
    "hcdps": {"subgoals", "verify", "fallbacks"},
    "dlrta": {"subgoals", "verify"},
    "sglrta": {"subgoals", "verify"},
    "knn-lrta": {"verify"},
    "pra": {"compact_bytes"},
    "dead-end": {"relevant"},
    "jpsw": {"follows_lines"},
}


@pytest.mark.parametrize("name", wg.algorithms())
def test_internals_of_finders_are_private(name):
    info = wg.algorithms()[name]
    grid = wg.generate("rooms", width=12, height=12, seed=1)
    finder = wg.make_finder(name, grid)
    public = {attribute for attribute in dir(finder) if not attribute.startswith("_")}
    assert public == SHOWN | ({"index"} if info.index else set()) | OF_SOME.get(name, set())


@pytest.mark.parametrize("name", ["astar", "dijkstra", "astar-gb", "dijkstra-gb"])
def test_internals_of_finders_on_graphs_are_private(name):
    finder = wg.make_finder(name, wg.Graph([(0, 0), (1, 0)], [(0, 1)]))
    assert {attribute for attribute in dir(finder) if not attribute.startswith("_")} == ON_GRAPHS
