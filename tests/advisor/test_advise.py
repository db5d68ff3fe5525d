"""The rule, the reasons and the budget, on a bench that pretends."""

import math

import numpy as np
import pytest
from advisor.fake import FakeBench, Kind, NoisyBench

import waygrid as wg
from waygrid.advisor.builds import Parts, TooLong, build, forecast
from waygrid.advisor.candidate import Candidate
from waygrid.advisor.choose import RULE, choose, front_of
from waygrid.advisor.limits import limits_of
from waygrid.advisor.measure import Sample
from waygrid.advisor.problems import ProblemSource
from waygrid.advisor.ways import AGENT, FIND, Way, ways_of
from waygrid.algorithms.bounds.boxes import CanonicalBoxes
from waygrid.build.sample import sample_sweep

GRID = wg.generate("rooms", width=40, height=30, seed=1)


def ask(kinds, **options):
    bench = FakeBench(kinds)
    names = list(dict.fromkeys(name.split(",")[0].removesuffix(" agents") for name in kinds))
    advice = wg.advise(GRID, algorithms=names, bench=bench, clock=bench.clock, **options)
    return advice, bench


def reason(advice, name):
    return next(one.reason for one in advice.candidates if one.name == name)


# --- The rule ---------------------------------------------------------------------------------------------------------


def test_the_quickest_per_move_within_the_limits_is_recommended():
    kinds = {
        "bfs": Kind(above=0.02, move_us=0.5, response_us=40),
        "jps": Kind(move_us=0.3, response_us=60),
        "jps+": Kind(move_us=0.1, response_us=5, size=2_900_000),
        "dijkstra": Kind(move_us=2.0, response_us=30),
        "dfs": Kind(above=5.0, move_us=0.05, response_us=4),
    }
    advice, _ = ask(kinds, memory="200KB", suboptimality="3%", response="50us")
    assert advice.recommendation.name == "bfs"
    assert [one.name for one in advice.candidates if one.feasible] == ["bfs", "dijkstra"]
    assert reason(advice, "jps") == "its first move takes 60 us, the limit is 50 us"
    assert reason(advice, "jps+") == "needs 2.9 MB, the limit is 200 KB"
    assert reason(advice, "dfs") == "its paths are 500 % longer than optimal, the limit is 3 %"
    assert reason(advice, "dijkstra") == "meets the limits, but takes 200 us for a whole path; bfs takes 50 us"
    said = " / ".join(advice.summary())
    assert "bfs: 2 % longer than optimal, first move after 40 us, no index, 0.5 us per move" in said
    assert "jps+ would be optimal but needs 2.9 MB" in said
    assert "jps would be optimal but its first move takes 60 us" in said


def test_of_equally_quick_ones_the_shortest_paths_count_and_then_the_size():
    kinds = {
        "bfs": Kind(above=0.02, move_us=1.0),
        "jps": Kind(above=0.0005, move_us=1.05, size=500),
        "jps+": Kind(above=0.001, move_us=1.08, size=100),
        "dijkstra": Kind(move_us=1.2),
    }
    advice, _ = ask(kinds)
    assert advice.recommendation.name == "jps+"  # 0.05 % longer paths than those of jps count as equal
    assert "none is more than 10 % quicker" in advice.recommendation.reason
    assert "as quick as jps+, but its paths are 2 % longer" in reason(advice, "bfs")
    assert reason(advice, "jps") == "meets the limits, as quick and as good as jps+, but needs 500 bytes"
    assert "10 %" in RULE


def test_long_walks_do_not_win_by_making_many_quick_moves():
    kinds = {"dfs": Kind(above=40.0, move_us=0.5), "astar": Kind(move_us=2.0)}
    advice, _ = ask(kinds)
    assert advice.recommendation.algorithm == "astar"
    said = reason(advice, "dfs")
    assert said == "meets the limits, but takes 50 us for a whole path, 4000 % longer than optimal; astar takes 200 us"


def test_several_broken_limits_are_all_named():
    advice, _ = ask({"bfs": Kind(above=0.1, response_us=99, size=9000)}, memory=1000, suboptimality=0.05, response=1e-5)
    assert advice.recommendation is None
    said = reason(advice, "bfs")
    assert "needs 9 KB" in said
    assert "10 % longer than optimal" in said
    assert "first move takes 99 us" in said


def test_a_mean_too_near_to_the_limit_is_not_trusted():
    kinds = {"bfs": Kind(above=0.029, spread=0.02, move_us=0.1), "dijkstra": Kind(move_us=9)}
    advice, bench = ask(kinds, suboptimality="3%")
    bound = 0.029 + 2.326 * 0.02 / math.sqrt(400)
    assert bound > 0.03
    near = next(one for one in advice.candidates if one.name == "bfs")
    assert near.suboptimality_bound == pytest.approx(bound, rel=2e-3)
    assert near.suboptimality_worst == pytest.approx(0.049)
    assert advice.recommendation.name == "dijkstra"
    assert "perhaps 3.1 %) longer than optimal, too near to the limit of 3 %" in near.reason
    assert ("bfs", 400) in bench.taken  # but measured as well as could be


def test_only_what_promises_the_optimum_is_trusted_with_a_limit_of_0():
    lucky, sure = Candidate(Way("a"), fixed_bytes=0), Candidate(Way("b"), fixed_bytes=0)
    for one in (lucky, sure):
        one.learn(Sample(np.zeros(400), np.ones(400), 1.0, 1.0, 1.0, 400, 0, None, 8, one is sure))
    assert choose([lucky, sure], limits_of(suboptimality=0)) is sure
    assert "too near to the limit of 0 %" in lucky.reason
    assert not lucky.find_broken(limits_of(suboptimality="0.01%"))


def test_unsolved_problems_rule_out_whatever_the_limits():
    advice, _ = ask({"bfs": Kind(unsolved=2), "dijkstra": Kind(move_us=5)})
    assert reason(advice, "bfs") == "found no path in 2 of 25 problems, within the work allowed"
    assert advice.recommendation.name == "dijkstra"


def test_updates_ask_for_a_rebuild_within_a_frame():
    kinds = {
        "jps+": Kind(move_us=0.1, build_s=0.05),
        "jps": Kind(move_us=0.9),
        "pra, sector=16": Kind(above=0.02, move_us=0.2, build_s=0.01),
        "pra": Kind(above=0.02, move_us=0.7, build_s=0.01),
        "cpd": Kind(move_us=0.01, build_s=8, forecast_s=8),
    }
    advice, _ = ask(kinds, updates=True)
    assert advice.recommendation.name == "pra, sector=16"
    assert reason(advice, "jps+") == "the map changes, and rebuilding the index takes 50 ms, the limit is 17 ms"
    assert "about 8 s" in reason(advice, "cpd")
    none, _ = ask({"jps+": kinds["jps+"], "cpd": Kind(build_s=0.4)}, updates=True)
    assert none.summary()[0] == "nothing meets the limits; the hard one is updates. Nearest:"
    assert [line.split(":")[0] for line in none.summary()[1:]] == ["jps+", "cpd"]
    still, _ = ask(kinds)
    assert still.recommendation.name == "cpd"


def test_when_nothing_meets_the_limits_the_hard_one_and_the_nearest_are_named():
    kinds = {
        "bfs": Kind(above=0.01, size=2300, response_us=10),
        "jps": Kind(above=0.01, size=9000, response_us=10),
        "dfs": Kind(above=9.0, response_us=10),
        "dijkstra": Kind(response_us=5000, size=50_000),
    }
    advice, _ = ask(kinds, memory="1KB", suboptimality="2%", response="100us")
    assert advice.recommendation is None
    first, *rest = advice.summary()
    assert first == "nothing meets the limits; the hard one is memory. Nearest:"
    assert rest[0].startswith("bfs: needs 2.3 KB, the limit is 1 KB")
    assert advice.code("a.map") == ""
    assert advice.as_json()["recommendation"] is None
    assert "nothing" in repr(advice)


def test_what_the_grid_does_not_support_is_ruled_out_with_the_reason():
    hexes = wg.Grid(np.ones((12, 12)), topology="hex")
    advice = wg.advise(hexes, algorithms=["jps", "astar"], budget=20)
    assert "jps does not support topology 'hex'" in reason(advice, "jps")
    assert advice.recommendation.algorithm == "astar"


def test_the_front_has_what_nothing_beats():
    points = {"a": (0.0, 9.0, 5), "b": (0.1, 3.0, 5), "c": (0.1, 4.0, 5), "d": (0.2, 1.0, 0), "e": (0.2, 1.0, 0)}
    candidates = []
    for name, (above, response, size) in points.items():
        one = Candidate(Way(name), fixed_bytes=size)
        one.learn(Sample(np.full(25, above), np.full(25, response), response, 1.0, 1.0, 25, 0, None, 8, above == 0))
        candidates.append(one)
    assert [one.name for one in front_of(candidates)] == ["d", "e", "b", "a"]  # equals beat each other not
    best = choose(candidates, limits_of(response=5e-6, suboptimality=0.15))
    assert best.name == "b"


# --- The budget -------------------------------------------------------------------------------------------------------


def test_the_budget_is_kept_and_compiling_is_not_counted():
    compared = [name for name, info in wg.algorithms().items() if info.metric == "grid"]
    kinds = {name: Kind(query_s=0.02, move_us=1 + k) for k, name in enumerate(compared)}
    advice, bench = ask(kinds, budget=30)
    compiled = 100.0 * sum(one.problems > 0 for one in advice.candidates)
    assert 0.6 * 30 <= bench.now - compiled <= 30 + 3 * 25 * 0.02
    left_out = [one for one in advice.candidates if one.reason.startswith("not measured")]
    assert left_out
    assert reason(advice, left_out[0].name) == "not measured: the budget of 30 s was spent on others"
    assert advice.recommendation is not None
    said = f"{len(left_out)} candidates were not measured: the budget of 30 s was spent on others"
    assert advice.summary()[-1] == f"{said}; a larger one may find better ones"


def test_further_options_of_algorithms_near_the_limits_come_first():
    kinds = {"astar": Kind(response_us=900), "pra": Kind(above=0.02, response_us=60), "lrta": Kind(unsolved=1)}
    _, bench = ask(kinds, response="50us")
    options = [name for name, _ in bench.taken if not name.startswith("pra agents")]
    assert options[:5] == ["astar", "pra, sector=16", "lrta agents, lookahead=1", "pra, sector=32", "pra, sector=8"]
    assert options[5] == "astar, weight=1.2"
    assert options[-1] == "lrta agents, lookahead=2"


def test_a_small_budget_still_gives_every_algorithm_its_turn_before_further_options():
    order = [way.name for way in ways_of(wg.algorithms())]
    compared = {name for name, info in wg.algorithms().items() if info.metric == "grid"}
    first = len(compared)
    names = {name.split(",")[0].removesuffix(" agents") for name in order[: first + 3]}
    assert names == compared


def test_more_problems_for_those_that_may_meet_the_limits_only():
    kinds = {"bfs": Kind(move_us=1.5), "jps": Kind(move_us=1), "dfs": Kind(above=3.0), "dijkstra": Kind(move_us=9)}
    advice, bench = ask(kinds, suboptimality="5%")
    assert bench.taken[-2:] == [("jps", 400), ("bfs", 400)]  # the promising one first
    problems = {one.name: one.problems for one in advice.candidates}
    assert problems == {"bfs": 400, "jps": 400, "dfs": 25, "dijkstra": 25}  # too long; too slow to be the best


def test_a_build_that_takes_too_long_is_stopped_or_not_begun():
    kinds = {
        "cpd": Kind(forecast_s=400, build_s=400),
        "jps+gb": Kind(forecast_s=5, build_s=300),
        "astar-gb": Kind(forecast_s=4, build_s=4, move_us=0.1),
        "jps": Kind(),
    }
    advice, bench = ask(kinds)
    said = "the index would take about {} to build; the budget of 2 min has 15 s for one"
    assert reason(advice, "cpd") == said.format("7 min")
    assert reason(advice, "jps+gb") == said.format("5 min")
    assert advice.recommendation.name == "astar-gb"
    assert bench.taken[:2] == [("jps", 25), ("astar-gb", 25)]  # long builds come last


def test_what_was_skipped_is_in_the_summary_with_what_it_could_bring():
    kinds = {
        "cpd": Kind(forecast_s=400, build_s=400),
        "jps+gb": Kind(forecast_s=9, build_s=9, gain=3.04),
        "astar-gb": Kind(forecast_s=11, build_s=11, gain=0.8),
        "jps": Kind(),
        "ida": Kind(query_s=2.0),
    }
    advice, _ = ask(kinds, budget=60)
    said = advice.summary()
    built = "skipped {}: its index would take about {} to build, too long for the budget of 60 s"
    part = "; on a small copy of the map it was 3.0 times as quick as jps; --budget 90 measures it"
    skipped = [line for line in said if line.startswith("skipped")]
    assert skipped == [
        built.format("jps+gb", "9 s") + part,
        built.format("cpd", "7 min") + "; --budget 4000 measures it",
        "skipped astar-gb: too long to build within the budget of 60 s, "
        "and no quicker than jps on a small copy of the map",
        "skipped ida: a path takes too long to measure enough of them; --budget 1500 would do",
    ]
    assert not any(line.startswith("skipped") for line in ask(kinds, budget=4000)[0].summary())


def test_advice_does_not_flip_on_a_busy_machine():
    kinds = {
        "bfs": Kind(move_us=1.25),
        "jps": Kind(move_us=1.0, size=5000),
        "jps+": Kind(move_us=1.3, size=900),
    }
    chosen = []
    for seed in range(40):
        bench = NoisyBench(kinds, seed)
        advice = wg.advise(GRID, algorithms=list(kinds), bench=bench, clock=bench.clock)
        chosen.append(advice.recommendation.name)
    assert chosen.count("jps") >= 39


def test_a_large_index_is_not_built_for_nothing():
    advice, _ = ask({"cpd": Kind(forecast_s=9, build_s=9, size=29_000_000), "jps": Kind()}, memory="200KB")
    assert reason(advice, "cpd") == "would need about 29 MB, the limit is 200 KB"


def test_queries_that_take_too_long_are_not_measured():
    advice, _ = ask({"ida": Kind(query_s=2.0), "jps": Kind()}, budget=60)
    assert reason(advice, "ida") == "a path takes about 2 s, too long to measure enough of them"


@pytest.mark.parametrize("budget", [0, -1, True, "60", float("nan")])
def test_bad_budgets_are_refused(budget):
    with pytest.raises(wg.WaygridError, match="budget is"):
        wg.advise(GRID, budget=budget)


def test_unknown_algorithms_are_refused():
    with pytest.raises(wg.WaygridError, match="no algorithm 'a-star'"):
        wg.advise(GRID, algorithms=["a-star"])
    with pytest.raises(wg.WaygridError, match="theta are measured by their length"):
        wg.advise(GRID, algorithms=["astar", "theta"])


# --- Candidates, problems, builds -------------------------------------------------------------------------------------


def test_every_algorithm_has_a_candidate_and_options_it_knows():
    known = wg.algorithms()
    ways = ways_of(known)
    assert {way.algorithm for way in ways} == {name for name, info in known.items() if info.metric == "grid"}
    for way in ways:
        assert set(way.options) <= set(known[way.algorithm].options)
        assert way.use == FIND or known[way.algorithm].real_time
    assert len({(way.algorithm, str(dict(way.options)), way.use) for way in ways}) == len(ways)
    assert {way.use for way in ways if way.algorithm == "dba"} == {FIND, AGENT}
    assert not any("trim" in way.options for way in ways if way.use == AGENT)


def test_problems_are_the_same_for_a_seed_and_have_paths():
    holes = wg.generate("random", width=40, height=40, seed=3, walls=0.35)
    one, same, other = (ProblemSource(holes, None, 60, seed) for seed in (1, 1, 2))
    assert (one.first(40).starts == same.first(40).starts).all()
    assert (one.first(40).starts != other.first(40).starts).any()
    asked = one.first(1000)
    assert len(asked) == len(one)
    assert np.isfinite(asked.optima).all()
    assert (asked.optima > 0).all()
    assert (one.first(7).optima == asked.optima[:7]).all()


def test_a_map_without_two_joined_cells_is_refused():
    with pytest.raises(wg.WaygridError, match="no two cells"):
        wg.advise(wg.Grid([[1, 0, 1]]))


def test_parts_of_a_map_grow_fourfold():
    grid = wg.generate("caves", width=300, height=200, seed=2)
    parts = Parts(grid)
    cells = [int(parts[number].passable.sum()) for number in range(2)]
    assert 1500 <= cells[0] < 4000
    assert 6000 <= cells[1] < 13_000
    assert parts[2] is None or parts[2].passable.sum() < parts.cells
    assert Parts(wg.generate("caves", width=30, height=30, seed=2))[0] is None


def test_a_forecast_is_of_the_right_order():
    grid = wg.generate("caves", width=220, height=160, seed=2)
    expected = forecast(Way("jps+"), Parts(grid), 0.0)
    true = wg.make_finder("jps+", grid).memory.fixed_bytes
    assert 0.5 < expected.size / true < 2


class SlowWork:
    """Pretends to flood, by a clock that it turns itself: quick in one half of the sources, slow in the other."""

    total, scratch_bytes, output_bytes = 100_000, 0, 0

    def __init__(self, each_s):
        self.each_s, self.now, self.calls = each_s, 0.0, 0

    def clock(self):
        return self.now

    def scratch(self):
        return None

    def run(self, scratch, first, last):
        self.calls += 1
        for source in range(first, last):
            self.now += self.each_s * (2.0 if source >= self.total // 2 else 0.1)
        return {}


@pytest.mark.parametrize("each_s", [1e-6, 1e-4, 1e-2])
def test_a_sample_of_a_sweep_tells_how_long_it_takes(each_s):
    work = SlowWork(each_s)
    found = sample_sweep(work, 1, work.clock)
    true = each_s * (0.1 + 2.0) * work.total / 2
    assert true / 1.1 < found < 1.1 * true
    assert work.now < max(0.1 * true, 5.0)


def test_a_long_build_is_estimated_from_a_sample_of_its_floods(monkeypatch):
    grid = wg.generate("caves", width=150, height=120, seed=2)
    now, asked = [0.0], []

    def pretend(self, scratch, first, last):
        now[0] += (
            sum(grid.passable.flat[first:last]) * grid.passable.size / 2e7 if self.total == grid.passable.size else 1e-3
        )
        asked.append(last - first)
        return {"boxes": np.zeros((last - first, 8, 4), np.uint8)}

    monkeypatch.setattr(CanonicalBoxes, "run", pretend)
    monkeypatch.setattr(CanonicalBoxes, "max_workers", 1, raising=False)
    true = int(np.count_nonzero(grid.passable)) * grid.passable.size / 2e7
    expected = forecast(Way("astar-gb"), Parts(grid), 0.0, lambda: now[0], lambda: now[0])
    assert true / 1.5 < expected.seconds < 1.5 * true
    assert sum(asked) < grid.passable.size / 2 + Parts(grid)[0].passable.size


def test_a_build_is_stopped_where_it_takes_too_long():
    ticks = iter(np.arange(0, 1e6, 50.0))
    with pytest.raises(TooLong):
        build(wg.generate("caves", width=120, height=90, seed=1), Way("astar-gb"), 20.0, lambda: next(ticks))


def test_few_problems_recommend_nothing():
    few, enough = Candidate(Way("bfs"), fixed_bytes=0), Candidate(Way("astar"), fixed_bytes=0)
    for one, count, total_us in ((few, 19, 1.0), (enough, 20, 9.0)):
        one.learn(Sample(np.zeros(count), np.ones(count), 1.0, total_us, 1.0, count, 0, None, 8, True))
    assert choose([few], limits_of()) is None
    assert choose([few, enough], limits_of()) is enough  # though the other one is quicker
    assert few.reason == "measured on 19 problems only, and 20 are needed to recommend it"
    assert not few.feasible


def test_bounds_are_students():
    values = np.arange(25) / 100
    above = values.mean() + 2.4922 * values.std(ddof=1) / 5
    candidate = Candidate(Way("bfs"))
    candidate.learn(Sample(values, np.ones(25), 1.0, 1.0, 1.0, 25, 0, None, 8, False))
    assert candidate.suboptimality_bound == pytest.approx(above, rel=1e-3)
