"""The one way to time: turns, parts, and what is made of them."""

import numpy as np
import pytest

import waygrid as wg
from waygrid.measure import timing
from waygrid.measure.problems import random_problems
from waygrid.measure.timing import Queries, QueryTimes, time_best, time_call, time_in_turns, time_parts, time_queries


class Machine:
    """Works that take what the test says, by a clock that they turn."""

    def __init__(self):
        self.now, self.order = 0.0, []

    def clock(self):
        return self.now

    def work(self, name, *seconds):
        times = iter(seconds)
        last = [0.0]

        def run():
            last[0] = next(times, last[0])
            self.now += last[0]
            self.order.append(name)
            return name

        return run


def test_a_call_returns_what_the_work_does():
    machine = Machine()
    assert time_call(machine.work("a", 3.0), machine.clock) == (3.0, "a")


def test_the_quickest_call_counts_until_the_turn_is_full():
    machine = Machine()
    assert time_best(machine.work("a", 3.0, 1.0, 2.0), fill_s=6.0, clock=machine.clock) == 1.0
    assert len(machine.order) == 3
    assert time_best(machine.work("b", 9.0), fill_s=6.0, clock=machine.clock) == 9.0
    assert time_best(machine.work("c", 9.0), fill_s=6.0, least=2, clock=machine.clock) == 9.0
    assert time_best(machine.work("d", 0.0), fill_s=6.0, most=5, clock=machine.clock) == 0.0
    assert [machine.order.count(name) for name in "abcd"] == [3, 1, 2, 5]


def test_each_part_has_its_own_quickest_call():
    machine = Machine()
    parts = [machine.work("a", 3.0, 1.0), machine.work("b", 1.0, 3.0)]
    assert time_parts(parts, fill_s=8.0, clock=machine.clock).tolist() == [1.0, 1.0]


def test_works_take_turns_and_each_is_first_once(monkeypatch):
    monkeypatch.setattr(timing, "TURN_S", 0.0)
    machine = Machine()
    works = {name: machine.work(name, 1.0, 2.0) for name in "ab"}
    assert time_in_turns(works, 2, machine.clock) == {"a": [1.0, 2.0], "b": [1.0, 2.0]}
    assert machine.order == ["a", "b", "b", "a"]


def test_sums_are_made_of_the_same_rows():
    queries = Queries(np.zeros((4, 2)), np.zeros((4, 2)))
    times = QueryTimes([(queries, None)], np.array([[1e-6, 4e-6], [2e-6, 2e-6]]))
    assert times.seconds == pytest.approx(3e-6)
    assert times.us == pytest.approx(0.75)
    assert times.rounds_us == pytest.approx((1.25, 1.0))


@pytest.fixture
def asked():
    grid = wg.generate("rooms", width=30, height=20, seed=1)
    problems = random_problems(grid, 50, seed=1)
    return grid, problems, Queries(problems.starts, problems.goals)


def test_every_finder_answers_all_queries_in_order(asked):
    grid, problems, queries = asked
    rounds, shares = [], []
    finders = {name: wg.make_finder(name, grid) for name in ("astar", "dijkstra")}
    times = time_queries(
        finders, [queries], 3, begin_round=lambda: rounds.append(1), report=lambda share, what: shares.append(share)
    )
    for one in times.values():
        assert one.count == 50
        assert len(one.rounds_us) == 3
        assert one.us <= min(one.rounds_us)
        assert one.column("costs").tolist() == problems.costs.tolist()
    assert len(rounds) == 3
    assert shares == sorted(shares)
    assert len(shares) == 6


def test_long_lists_are_cut_and_stay_whole_among_obstacles(asked, monkeypatch):
    grid, problems, queries = asked
    monkeypatch.setattr(timing, "_PART_S", 1e-9)
    monkeypatch.setattr(timing, "_PIECE_S", 1e-9)
    (cut,) = time_queries({"astar": wg.make_finder("astar", grid)}, [queries.part(slice(0, 7))], 1).values()
    assert len(cut.answers) == 7
    assert cut.parts_s.shape == (1, 7)
    assert cut.column("costs").tolist() == problems.costs[:7].tolist()
    monkeypatch.setattr(timing, "_PIECE_S", 0.5)
    blocked = Queries(queries.starts, queries.goals, np.zeros((20, 30), bool))
    (whole,) = time_queries({"astar": wg.make_finder("astar", grid)}, [blocked], 1).values()
    assert whole.parts_s.shape == (1, 1)


def test_no_round_is_begun_after_the_time_is_spent(asked):
    grid, _, queries = asked
    (times,) = time_queries({"astar": wg.make_finder("astar", grid)}, [queries], 9, most_s=0.0).values()
    assert len(times.rounds_us) == 1
