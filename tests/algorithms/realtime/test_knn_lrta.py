"""kNN LRTA*: which record is taken, arrival, bounded steps, what is kept."""

import numpy as np
import pytest
from cases import cases, grid_of, pairs_of
from hypothesis import given, settings
from hypothesis import strategies as st

import waygrid as wg
from waygrid.algorithms.realtime import knn_lrta_guide as knn
from waygrid.algorithms.regions.climb import ENDLESS, climb
from waygrid.core import layout
from waygrid.core.heuristics import natural

SMALL = {"topologies": ("tile", "octile"), "one_way": False, "weighted": False}
OPTIONS = st.fixed_dictionaries(
    {
        "records": st.sampled_from((1, 20, 300)),
        "nearest": st.sampled_from((1, 3, 10)),
        "fallback": st.sampled_from(("record", "goal")),
        "seed": st.integers(0, 3),
    }
)


@pytest.mark.quick
@settings(max_examples=200)
@given(cases(largest=14, **SMALL), OPTIONS, st.integers(0, 99))
def test_every_walk_is_legal_and_arrives(case, options, seed):
    finder = wg.make_finder("knn-lrta", grid_of(case), threads=1, **options)
    finder.verify()
    for start, goal in pairs_of(case, 8, seed):
        truth, path = case.dijkstra(start), finder.find(start, goal)
        assert (path.status == wg.Status.FOUND) == (goal in truth)
        if goal in truth:
            assert (tuple(path.cells[0].tolist()), tuple(path.cells[-1].tolist())) == (start, goal)
            assert path.cost == pytest.approx(case.path_cost(path.cells), rel=1e-12)


@settings(max_examples=60)
@given(cases(largest=14, **SMALL), OPTIONS, st.sampled_from((1, 2, 10)), st.integers(0, 99))
def test_agents_walk_as_find_does_whatever_a_step_may_cost(case, options, expansions, seed):
    finder = wg.make_finder("knn-lrta", grid_of(case), threads=1, **options)
    pairs = pairs_of(case, 5, seed)
    if not pairs:
        return
    starts, goals = zip(*pairs, strict=True)
    pool = finder.agents(starts, goals, expansions, history=True)
    while not pool.done.all():
        pool.step()
    assert (pool.max_expanded <= expansions).all()
    for path, way in zip(finder.find_many(starts, goals, threads=1), pool.paths(), strict=True):
        if path.status == wg.Status.FOUND:
            assert path.cells.tolist() == way.tolist()


def test_the_records_do_not_depend_on_how_the_map_was_edited():
    passable = np.ones((30, 40), bool)
    passable[1:29, ::4] = False
    passable[12] = False  # a comb above, which is opened from its back on and is one part all the time, and one below
    fresh, edited = wg.Grid(passable), wg.Grid(passable & (np.arange(30) > 12)[:, None])
    for y, x in np.argwhere(passable[:12]).tolist():
        assert edited.components[y, x] < 0  # parts are made, and kept up to date from here on
        edited.set_passable((x, y), True)
    assert (edited.passable == fresh.passable).all()
    one, other = (wg.make_finder("knn-lrta", grid, threads=1, records=200).index for grid in (fresh, edited))
    assert len(one["subgoals"])
    assert all(one[name].tolist() == other[name].tolist() for name in one)


def aims_by_the_rule(finder, start, goal, nearest):
    """The cells that an agent should head for (section 17 of the rules), None where no record serves."""
    grid, index = finder.grid, finder.index
    moves, geo, width = grid.table.moves, grid.table.geo, grid.width

    def climbs(one, other):
        return climb(moves, geo, one[1] * width + one[0], other[1] * width + other[0], ENDLESS) >= 0

    if climbs(start, goal):
        return [goal]
    ranks = [
        (max(natural(geo, *start, x, y), natural(geo, *goal, end_x, end_y)), record)
        for record, (x, y, end_x, end_y) in enumerate(index["ends"].tolist())
        if grid.components[y, x] == grid.components[start[1], start[0]]
    ]
    for _, record in sorted(ranks)[:nearest]:
        ends = index["ends"][record].tolist()
        first, last = tuple(ends[:2]), tuple(ends[2:])
        if climbs(start, first) and climbs(last, goal):
            part = index["subgoals"][index["first"][record] : index["first"][record + 1]]
            way = [divmod(int(cell), width)[::-1] for cell in part]
            begin = [] if climbs(start, way[0]) or start == first else [first]
            end = [] if climbs(way[-1], goal) or last == goal else [last]
            return [*begin, *way, *end, goal]
    return None


@pytest.mark.parametrize("kind", ["rooms", "maze", "caves"])
def test_the_nearest_record_that_serves_is_followed(kind):
    grid = wg.generate(kind, width=60, height=50, seed=3)
    finder = wg.make_finder("knn-lrta", grid, records=20 * knn.BLOCK, nearest=4)
    cells = np.argwhere(grid.passable)[:, ::-1]
    picks = np.random.default_rng(2).integers(len(cells), size=(2, 150))
    served = 0
    for start, goal in zip(cells[picks[0]].tolist(), cells[picks[1]].tolist(), strict=True):
        start, goal = tuple(start), tuple(goal)
        if start == goal or grid.components[start[::-1]] != grid.components[goal[::-1]]:
            continue
        aims = aims_by_the_rule(finder, start, goal, 4)
        if aims is None:
            continue
        trace = finder.trace(start, goal)
        shown = trace.events["node"][trace.events["kind"] == layout.E_SUBGOAL].tolist()
        met = [divmod(node, grid.width)[::-1] for node in shown]
        # Of a plain climb nothing is shown: the goal is what an agent heads for at first.
        met, aims = [cell for cell in met if cell != goal], aims[: aims.index(goal)]
        assert met == aims[: len(met)]
        if len(met) < len(aims):  # it came upon the goal before
            assert aims[len(met) - 1] not in {tuple(cell) for cell in trace.path.cells.tolist()}
        served += len(aims) > 0
    assert served > 5


def test_more_records_and_falling_back_make_shorter_ways():
    grid = wg.generate("indoor", width=60, height=50, seed=2)
    cells = np.argwhere(grid.components == np.bincount(grid.components[grid.components >= 0]).argmax())[:, ::-1]
    starts, goals = cells[np.random.default_rng(0).integers(len(cells), size=(2, 100))]

    least = wg.make_finder("astar", grid).find_many(starts, goals).costs

    def walked(**options):
        return wg.make_finder("knn-lrta", grid, **options).find_many(starts, goals).costs

    few, many = walked(records=100), walked(records=5000, nearest=50)
    assert np.sum(many <= 1.1 * least) > 1.5 * np.sum(few <= 1.1 * least)
    alone = wg.make_finder("lrta", grid).find_many(starts, goals).costs
    assert many.sum() < few.sum() < walked(records=100, fallback="goal").sum() < alone.sum()


def test_records_are_distinct_and_have_subgoals():
    grid = wg.generate("maze", width=31, height=31, seed=4)
    finder = wg.make_finder("knn-lrta", grid, records=2000)
    ends, first = finder.index["ends"], finder.index["first"]
    assert len(np.unique(ends, axis=0)) == len(ends) > 500
    assert (np.diff(first) > 0).all()
    boxes = finder.index["boxes"]
    for block in range(len(boxes)):
        some = ends[block * knn.BLOCK : (block + 1) * knn.BLOCK]
        low, high = some.min(axis=0), some.max(axis=0)
        assert boxes[block].tolist() == [*low[:2], *high[:2], *low[2:], *high[2:]]
    open_ground = wg.make_finder("knn-lrta", wg.Grid(np.ones((9, 9), bool)))
    assert len(open_ground.index["ends"]) == 0
    assert open_ground.find((0, 0), (8, 3)).status == wg.Status.FOUND


def test_the_database_depends_on_the_seed_and_not_on_threads(tmp_path):
    grid = wg.generate("rooms", width=50, height=40, seed=5, corners="one")
    one, other, third = (
        wg.make_finder("knn-lrta", grid, threads=threads, seed=seed) for threads, seed in ((1, 0), (3, 0), (1, 1))
    )
    assert all(np.array_equal(one.index[name], other.index[name]) for name in one.index)
    assert not np.array_equal(one.index["ends"], third.index["ends"])
    one.save(tmp_path / "records.wgi")
    loaded = wg.load_finder(tmp_path / "records.wgi", grid, verify=True)
    loaded.verify()
    cells = np.argwhere(grid.passable)[:, ::-1][np.random.default_rng(1).integers(900, size=(2, 60))]
    batch, again = one.find_many(*cells), loaded.find_many(*cells)
    assert (batch.rows == again.rows).all()
    assert (batch.cells == again.cells).all()


def test_a_changed_record_is_noticed():
    finder = wg.make_finder("knn-lrta", wg.generate("maze", width=31, height=31, seed=3))
    broken = finder.index["subgoals"].copy()
    broken[0] = int(finder.index["subgoals"][-1]) if broken[0] != finder.index["subgoals"][-1] else 32
    finder.index["subgoals"] = broken
    with pytest.raises(wg.WaygridError, match=r"the stored path from \(\d+, \d+\) to \(\d+, \d+\) cannot be climbed"):
        finder.verify()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"records": 0}, "records is 0; allowed are the integers from 1"),
        ({"nearest": 0}, "nearest is 0; allowed are the integers from 1"),
        ({"seed": -1}, "seed is -1; allowed are the integers from 0"),
        ({"seed": True}, "seed is True; allowed are the integers from 0"),
        ({"fallback": "none"}, "fallback is 'none'; allowed are record, goal"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(wg.WaygridError, match=message):
        wg.make_finder("knn-lrta", wg.Grid([[1, 1]]), **options)
