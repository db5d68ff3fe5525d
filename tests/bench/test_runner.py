import json

import numpy as np
import pytest

import waygrid as wg
from waygrid.bench.runner import run
from waygrid.measure.problems import random_problems
from waygrid.measure.slices import time_batch


@pytest.fixture(scope="module")
def grid():
    return wg.generate("rooms", width=40, height=30, seed=1)


@pytest.fixture(scope="module")
def problems(grid):
    return random_problems(grid, 30, seed=1)


def test_results(grid, problems):
    told = []
    results = run(
        grid, problems, ["astar", "best-first"], name="rooms", progress=lambda share, what: told.append((share, what))
    )
    astar, greedy = results
    assert (astar.map, astar.algorithm, astar.queries, astar.optimum) == ("rooms", "astar", 30, "scenario")
    assert (astar.optimal, astar.differ, astar.illegal, astar.suboptimality) == (True, 0, 0, 0.0)
    assert not greedy.optimal
    assert greedy.suboptimality > 0 == greedy.differ
    batch = wg.make_finder("astar", grid).find_many(problems.starts, problems.goals, threads=1)
    assert (astar.expansions == batch.expanded).all()
    assert astar.expanded == batch.expanded.mean()
    assert (astar.costs == batch.costs).all()
    assert astar.ns_per_expansion == pytest.approx(1e3 * astar.mean_us / astar.expanded)
    assert astar.median_us == np.median(astar.times_us)
    assert (astar.build_s, astar.fixed_bytes) == (0, 0)
    shares = [share for share, _ in told]
    assert shares == sorted(shares)
    assert shares[-1] <= 1
    assert any("best-first" in what for _, what in told)
    assert json.loads(json.dumps(astar.as_json()))["queries"] == 30
    assert "times_us" not in astar.as_json()


def test_the_optimum_is_dijkstras_under_other_rules(grid, problems):
    worlds = [
        wg.Grid(grid.passable, topology="hex"),
        wg.Grid(grid.passable, corners="always"),
        wg.Grid(grid.passable, metric=(5, 7)),
        wg.Grid(grid.passable, weights=np.full(grid.passable.shape, 4)),
    ]
    for world in worlds:
        (result,) = run(world, problems, ["astar"], limit=10)
        assert (result.optimum, result.differ, result.queries) == ("dijkstra", 0, 10)


def test_given_optima_follow_the_limit(grid, problems):
    (result,) = run(grid, problems, ["astar"], limit=7, optima=problems.costs)
    assert (result.optimum, result.differ, len(result.optima)) == ("dijkstra", 0, 7)


def test_wrong_rows_are_counted_for_optimal_algorithms_only(grid, problems):
    costs = problems.costs.copy()
    costs[[4, 9]] += 0.5
    wrong = wg.Scenario(problems.starts, problems.goals, costs)
    astar, bfs, weighted = (
        run(grid, wrong, [name], options)[0] for name, options in (("astar", {}), ("bfs", {}), ("astar", {"weight": 2}))
    )
    assert (astar.differ, bfs.differ, weighted.differ) == (2, 0, 0)
    assert astar.first_fault.startswith("row 4: cost ")


def test_cut_off_queries_are_neither_wrong_nor_in_the_suboptimality(grid, problems):
    (result,) = run(grid, problems, ["ida"], max_expansions=50)
    assert 0 < result.cut_off <= 30
    assert (result.differ, result.unsolved) == (0, 0)
    assert result.suboptimality in (0, None)


def test_threads_give_the_same_answers(grid, problems):
    one, two = (run(grid, problems, ["astar"], threads=threads)[0] for threads in (1, 2))
    assert (one.costs == two.costs).all()
    assert (one.threads, two.threads) == (1, 2)


@pytest.mark.parametrize(
    ("algorithms", "options", "more", "told"),
    [
        (["astar", "quick-sort"], {}, {}, "there is no algorithm 'quick-sort'"),
        ([], {}, {}, "no algorithm is named"),
        (["astar", "bfs"], {"speed": 9}, {}, "has no option 'speed'"),
        (["astar"], {"weight": "heavy"}, {}, "weight is 'heavy'"),
        (["astar"], {}, {"threads": 0}, "threads is 0"),
        (["astar"], {}, {"repeat": 0}, "repeat is 0"),
        (["astar"], {}, {"limit": -1}, "limit is -1"),
    ],
)
def test_bad_input_is_refused_before_anything_is_measured(grid, problems, algorithms, options, more, told):
    steps = []
    with pytest.raises(wg.WaygridError, match=told):
        run(grid, problems, algorithms, options, progress=lambda *step: steps.append(step), **more)
    assert steps == []


def test_no_problems(grid):
    none = np.zeros((0, 2), np.int32)
    with pytest.raises(wg.WaygridError, match="no problems to run"):
        run(grid, wg.Scenario(none, none, np.zeros(0)), ["astar"])


def test_timing_has_an_entry_for_each_query_and_agrees_with_the_batch(grid, problems):
    finder = wg.make_finder("dijkstra", grid)
    timing = time_batch(finder, problems.starts, problems.goals, repeat=3)
    assert timing.times_us.shape == (30,)
    assert (timing.times_us > 0).all()
    assert timing.rounds >= 3
    # What is measured inside the compiled code is a part of what the whole call takes.
    assert timing.times_us.sum() <= 1.01e6 * timing.seconds
    assert len(timing.batch) == 30


def test_one_query(grid, problems):
    timing = time_batch(wg.make_finder("astar", grid), problems.starts[:1], problems.goals[:1])
    assert timing.times_us.shape == (1,)
    assert timing.seconds > 0


def test_moves_of_agents_come_before_the_path_and_others_with_it(grid, problems):
    tba, lrta, astar = run(grid, problems, ["tba", "lrta", "astar"])
    for result in (tba, lrta):
        rows = result.rows
        assert (rows["first_move_us"] <= rows["longest_step_us"]).all()
        assert (rows["first_move_us"] <= rows["first_20_us"]).all()
        assert (rows["first_20_us"] > 0).all()
        assert result.agent_bytes > 0
    pool = wg.make_finder("tba", grid).agents(problems.starts, problems.goals)
    while not pool.done.all():
        pool.step()
    assert tba.agent_bytes == pool.memory.agent_bytes
    for name in ("first_move_us", "longest_step_us", "first_20_us"):
        assert (astar.rows[name] == astar.rows["time_us"]).all()


def test_slices_of_a_unit_make_one_result(grid, problems, monkeypatch):
    from waygrid.measure import slices

    (whole,) = run(grid, problems, ["best-first"])
    monkeypatch.setattr(slices, "MOST_QUERIES", 7)
    (sliced,) = run(grid, problems, ["best-first"])
    for name in ("number", "cost", "expanded", "generated", "length", "status", "valid", "suboptimality"):
        assert np.array_equal(whole.rows[name], sliced.rows[name], equal_nan=name == "suboptimality")
    assert (sliced.queries, sliced.suboptimality) == (30, whole.suboptimality)


def test_scenario_of_a_real_map(maps):
    file = maps / "dao" / "arena2.map"
    if not file.exists():
        pytest.skip(f"{file} is not there")
    scenario = wg.Scenario.from_file(f"{file}.scen")
    results = run(wg.Grid.from_file(file), scenario, ["astar", "dijkstra"], limit=60)
    assert [(result.differ, result.illegal, result.unsolved) for result in results] == [(0, 0, 0)] * 2
    assert results[0].expanded < results[1].expanded


def test_rounds_take_turns_and_keep_apart(grid, problems, monkeypatch):
    from waygrid.bench import engine
    from waygrid.bench.runner import Kept, units_of
    from waygrid.measure.work import Settings

    slept, order = [], []
    monkeypatch.setattr(engine, "sleep", slept.append)
    units = units_of(grid, problems, ["astar", "bfs"], name="rooms")
    kept = Kept(units)
    keep = kept.add_round
    kept.add_round = lambda number, measured: order.append((number, measured.number)) or keep(number, measured)
    engine.measure_units(units, Settings(rounds=4, spacing_s=1000.0), kept)
    assert order == [(0, 0), (1, 0), (1, 1), (0, 1), (0, 2), (1, 2), (1, 3), (0, 3)]
    assert slept[0] == 0
    assert all(900 < seconds <= 1000 for seconds in slept[1:])
    assert [len(result.round_us) for result in kept.results(Settings())] == [4, 4]
    assert all(us > 0 for result in kept.results(Settings()) for us in (*result.round_us, *result.yardstick_us))
