"""What a finder shows to its users: the calls and attributes that the documentation names, and nothing else."""

import pytest

import waygrid as wg

QUERIES = {"find", "find_many", "find_nearest", "start", "trace", "agent", "agents"}
SHOWN = QUERIES | {"info", "grid", "options", "optimal", "memory", "build_seconds", "save", "finish_verification"}
OF_AN_INDEX = {"index", "check_index"}
OF_SOME = {
    "dba": {"subgoals", "verify"},
    "hcdps": {"subgoals", "verify", "fallbacks"},
    "dlrta": {"subgoals", "verify"},
    "sglrta": {"subgoals", "verify"},
    "knn-lrta": {"verify"},
    "pra": {"compact_bytes"},
}


@pytest.mark.parametrize("name", wg.algorithms())
def test_internals_of_finders_are_private(name):
    info = wg.algorithms()[name]
    grid = wg.generate("rooms", width=12, height=12, seed=1)
    finder = wg.make_finder(name, grid)
    public = {attribute for attribute in dir(finder) if not attribute.startswith("_")}
    assert public == SHOWN | (OF_AN_INDEX if info.index else set()) | OF_SOME.get(name, set())
