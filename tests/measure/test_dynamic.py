import numpy as np
import pytest
from formats.support import refused
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import Case

import waygrid as wg
from waygrid.measure.changes import KINDS
from waygrid.measure.dynamic import find_start_map
from waygrid.measure.replay import make_edit_rows, time_replay
from waygrid.search.path import Status

DOOR = [[[0]], [[1]]]
FIELDS = ("edits", "edit_buckets", "starts", "goals", "costs", "buckets", "before", "start_map")


def small(**changes):
    """A door in a 3 x 2 map: closed, asked, opened, asked, closed."""
    known = {
        "width": 3,
        "height": 2,
        "patches": DOOR,
        "edits": [[0, 1, 0], [1, 1, 0], [0, 1, 0]],
        "starts": [[0, 0], [0, 0]],
        "goals": [[2, 0], [2, 0]],
        "costs": [4.0, 2.0],
        "before": [1, 2],
    }
    return wg.DynamicScenario(**{**known, **changes})


def assert_same(got, wanted):
    assert (got.width, got.height) == (wanted.width, wanted.height)
    for name in FIELDS:
        np.testing.assert_array_equal(getattr(got, name), getattr(wanted, name), err_msg=name)
    assert [patch.tolist() for patch in got.patches] == [patch.tolist() for patch in wanted.patches]


def test_a_scenario_by_hand():
    scenario = small()
    assert (len(scenario), repr(scenario)) == (2, "DynamicScenario('dynamic scenario', 3 edits, 2 queries)")
    grid = scenario.start_grid()
    assert grid.passable.all()
    scenario.check(grid)
    assert [bool(grid.passable[0, 1]) for _ in scenario.replay(grid)] == [False, True]
    assert not grid.passable[0, 1]  # the last edit comes after the last query
    assert grid.version == 3


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"edits": [[2, 1, 0]], "before": [0, 1]}, "dynamic scenario, edit 0: patch 2; allowed are 0 to 1"),
        ({"before": [2, 1]}, "before must not decrease"),
        ({"costs": [1.0]}, "costs of shape (1,); (2,) is needed"),
        ({"starts": [[0, 0], [0, -1]]}, "starts must be integers of 0 or more"),
        ({"goals": [[2, 0], [3, 0]]}, "query 1: goal (3, 0) is outside the map of 3 x 2 cells"),
        ({"start_map": np.ones((3, 2))}, "dynamic scenario is for a map of 3 x 2, this one has 2 x 3"),
        ({"patches": [[[2]]]}, "patch 0: the map holds 2"),
    ],
)
def test_bad_scenarios_are_refused(changes, words):
    assert words in refused(lambda: small(**changes))


def test_maps_that_do_not_fit_are_refused():
    scenario = small(name="door")
    assert "door is for a map of 3 x 2, this one has 4 x 2" in refused(lambda: scenario.check(wg.Grid(np.ones((2, 4)))))
    rules = {"corners": "one"}, {"topology": "tile"}, {"metric": "unit"}, {"clearance": 2}, {"weights": [[2] * 3] * 2}
    for rule in rules:
        words = refused(lambda rule=rule: scenario.check(wg.Grid(np.ones((2, 3)), **rule)))
        assert words.startswith("door: the lengths of dynamic scenarios hold for topology octile, corners never")
    walled = small(name="door", starts=[[1, 0], [0, 0]])
    assert refused(lambda: walled.check(walled.start_grid())) == (
        "door: query 0: start (1, 0) is in a wall on the map as it is then"
    )


def test_the_first_queries():
    part = small(buckets=[5, 6], edit_buckets=[1, 2, 3]).take_first(1)
    assert (len(part), part.edits.tolist(), part.buckets.tolist()) == (1, [[0, 1, 0]], [5])
    assert_same(small().take_first(2), small())


@pytest.mark.parametrize("kind", KINDS)
def test_files(tmp_path, kind):
    grid = wg.generate("rooms", width=30, height=20, seed=1)
    made = wg.generate_changes(grid, kind, edits=30, queries=12, burst=4, seed=7)
    made.save(tmp_path / "town.scen")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["town.map", "town.patch", "town.scen"]
    assert_same(wg.DynamicScenario.from_file(tmp_path / "town.scen"), made)
    assert wg.DynamicScenario.from_file(tmp_path / "town.scen").digest() == made.digest()
    (tmp_path / "town.map").unlink()
    assert wg.DynamicScenario.from_file(tmp_path / "town.scen").start_map.all()
    grid.save(tmp_path / "other.npy")
    for start in (tmp_path / "other.npy", grid):
        assert_same(wg.DynamicScenario.from_file(tmp_path / "town.scen", start), made)


def test_names_that_cannot_be_saved(tmp_path):
    for name in ("town.map", "my town.scen", "town"):
        assert "ends in .scen and has no white space" in refused(lambda name=name: small().save(tmp_path / name))
    assert not list(tmp_path.iterdir())


def test_the_map_beside_a_scenario(tmp_path):
    scenario = tmp_path / "town.scen"
    assert find_start_map(scenario) is None
    grid = wg.Grid([[1, 1, 1], [1, 0, 1]])
    for name in ("town.tmx", "town.txt", "town.map"):  # in this order each goes before the ones before
        grid.save(tmp_path / name)
        assert find_start_map(scenario) == tmp_path / name
    assert find_start_map(tmp_path / "town.txt.scen") == tmp_path / "town.txt"
    small().save(scenario)
    grid.save(tmp_path / "town.map")
    assert not wg.DynamicScenario.from_file(scenario).start_map[1, 1]
    wg.Grid(np.ones((2, 3)), weights=[[1, 2, 1], [1, 1, 1]]).save(tmp_path / "town.map")
    assert "town.map: the lengths of dynamic scenarios hold" in refused(lambda: wg.DynamicScenario.from_file(scenario))


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10**6), walls=st.sampled_from(["rooms", "caves", "maze", "random"]))
def test_lengths_are_those_of_an_obvious_search(kind, seed, walls):
    start = wg.generate(walls, width=24, height=17, seed=seed)
    before = start.passable.copy()
    try:
        scenario = wg.generate_changes(start, kind, edits=20, queries=8, burst=3, seed=seed)
    except wg.WaygridError:
        assert kind != "mixed"  # a maze has no room for bases, nor a random map
        return
    assert (start.passable == before).all()
    assert (len(scenario.edits), len(scenario)) == (20, 8)
    assert scenario.before[-1] == 20
    scenario.check(scenario.start_grid())
    now = before.copy()
    done = 0
    for query, until in enumerate(scenario.before.tolist()):
        for number, x, y in scenario.edits[done:until].tolist():
            patch = scenario.patches[number]
            now[y : y + patch.shape[0], x : x + patch.shape[1]] = patch
        done = until
        begin, end = (tuple(cells[query].tolist()) for cells in (scenario.starts, scenario.goals))
        assert Case(now).dijkstra(begin)[end] == pytest.approx(scenario.costs[query], rel=1e-9)


def test_a_seed_says_it_all():
    grid = wg.generate("rooms", width=40, height=30, seed=1)
    one, same, other = (wg.generate_changes(grid, edits=40, queries=20, seed=seed) for seed in (3, 3, 4))
    assert_same(one, same)
    assert one.digest() == same.digest() != other.digest()


def test_edits_are_spread_over_the_queries():
    grid = wg.generate("rooms", width=40, height=30, seed=1)
    made = wg.generate_changes(grid, "doors", edits=7, queries=11, burst=4)
    assert made.before.tolist() == [2] * 4 + [4] * 4 + [7] * 3
    assert made.buckets.tolist() == [0] * 4 + [1] * 4 + [2] * 3
    assert made.edit_buckets.tolist() == [0, 0, 1, 1, 2, 2, 2]
    assert len(made.patches) == 2
    assert len(wg.generate_changes(grid, edits=0, queries=5).edits) == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"kind": "floods"}, "there are no changes 'floods'; allowed are doors, walls, bases, mixed"),
        ({"edits": -1}, "edits is -1; allowed are the integers from 0"),
        ({"queries": 0}, "queries is 0; allowed are the integers from 1"),
        ({"burst": 1.5}, "burst is 1.5; allowed are the integers from 1"),
        ({"seed": -3}, "seed is -3; allowed are the integers from 0"),
        (
            {"kind": "doors"},
            "after 0 edits nothing is left to change by 'doors': the map has no passage of up to 4 cells",
        ),
        (
            {"kind": "walls"},
            "after 0 edits nothing is left to change by 'walls': the map has no wall beside a free cell",
        ),
    ],
)
def test_what_cannot_be_generated(options, words):
    assert words in refused(lambda: wg.generate_changes(wg.Grid(np.ones((9, 9))), **options))


def test_maps_on_which_nothing_can_be_generated():
    assert "hold for topology octile" in refused(lambda: wg.generate_changes(wg.Grid([[1, 1]], corners="one")))
    assert "no passable cell left" in refused(lambda: wg.generate_changes(wg.Grid([[0, 0]]), edits=0))
    lonely = wg.generate_changes(wg.Grid([[1, 0, 1]]), edits=0, queries=3)  # components of a single cell
    assert (lonely.starts == lonely.goals).all()
    assert (lonely.costs == 0).all()


@pytest.mark.parametrize("name", ["astar", "jps", "dijkstra", "best-first"])
def test_replays(name):
    scenario = wg.generate_changes(wg.generate("indoor", width=50, height=40, seed=2), edits=60, queries=30, seed=5)
    grid = scenario.start_grid()
    finder = wg.make_finder(name, grid)
    for repeat in (1, 2):
        found = time_replay(finder, scenario, repeat=repeat)
        assert (len(found.query_us), len(found.edit_us), found.fault) == (30, 60, None)
        assert found.valid.all()
        assert (found.query_us > 0).all()
        assert (found.edit_us > 0).all()
        assert found.query_s == pytest.approx(found.query_us.sum() / 1e6)
        assert (found.answers.statuses == Status.FOUND).all()
        if finder.optimal:
            assert found.answers.costs == pytest.approx(scenario.costs, rel=1e-9)
        else:
            assert (found.answers.costs >= scenario.costs - 1e-9).all()
    assert grid.version == 0  # the finder and its map stay as they are
    assert (grid.passable == scenario.start_map).all()


def test_a_replay_sees_paths_that_the_edits_forbid():
    class Stale:
        """A finder that does not notice edits."""

        def __init__(self, grid):
            self.grid = grid
            self._inner = wg.make_finder("astar", grid.copy())
            self.memory = self._inner.memory

        def find(self, start, goal, max_expansions=None):
            return self._inner.find(start, goal, max_expansions=max_expansions)

    scenario = small()
    found = time_replay(Stale(scenario.start_grid()), scenario)
    assert found.valid.tolist() == [False, True]
    assert found.fault == "row 0: cell 1 at (1, 0) cannot be entered"


def test_rows_of_edits():
    rows = make_edit_rows(small(), np.array([1.0, 2.0, 3.0]))
    assert rows["edit"].tolist() == [0, 1, 2]
    assert rows["patch"].tolist() == [0, 1, 0]
    assert rows["x"].tolist() == [1, 1, 1]
    assert rows["width"].tolist() == rows["height"].tolist() == [1, 1, 1]
    assert rows["edit_us"].tolist() == [1, 2, 3]


def test_limits_of_queries():
    scenario = wg.generate_changes(wg.generate("rooms", width=40, height=30, seed=1), edits=10, queries=10)
    found = time_replay(wg.make_finder("astar", scenario.start_grid()), scenario, max_expansions=2)
    assert (found.answers.statuses == Status.CUTOFF).any()
    assert found.valid.all()
