"""Pools of real-time agents: the same as single ones, bounded work, sparse memory, errors."""

import threading

import numpy as np
import pytest
from cases import cases, grid_of, pairs_of
from hypothesis import given, settings
from hypothesis import strategies as st

import waygrid as wg
from waygrid.core import agents as at
from waygrid.core import clock
from waygrid.search import agents
from waygrid.search.request import make_room

NAMES = [name for name, info in wg.algorithms().items() if info.real_time]
WALKERS = [name for name in NAMES if name not in ("pra", "dba", "hcdps")]  # whose `find` is the walk of an agent
SMALL_ONLY = ("sglrta",)  # refuses maps of that size
FEW = {"knn-lrta": {"records": 300}}  # on a large map


def some(grid, count, seed=0):
    """Random starts and goals, unreachable and equal ones among them."""
    ys, xs = np.nonzero(grid.passable)
    picks = np.random.default_rng(seed).integers(0, len(xs), (2, count))
    return tuple(np.stack([xs[p], ys[p]], axis=1) for p in picks)


def supported(name, case):
    info = wg.algorithms()[name]
    corners = case.topology != "octile" or case.corners in info.corners
    return case.topology in info.topologies and corners and (case.weights is None or info.weights)


@pytest.mark.quick
@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=60)
@given(
    case=cases(one_way=False).filter(lambda case: case.weights is None or case.weights.max() <= 9),
    expansions=st.sampled_from((1, 2, 5, 10, 100)),
    seed=st.integers(0, 99),
)
def test_agents_arrive_by_legal_moves_and_within_their_bound(name, case, expansions, seed):
    if not supported(name, case) or not case.cells():
        return
    finder = wg.make_finder(name, grid_of(case))
    starts, goals = (np.array(cells) for cells in zip(*pairs_of(case, 6, seed), strict=True))
    pool = finder.agents(starts, goals, expansions, max_moves=10**7, history=True)
    worked, ticks = pool.expanded, 0
    while not pool.done.all():
        before, moves = pool.positions, pool.moves
        after = pool.step()
        assert (pool.expanded - worked <= expansions).all()
        worked = pool.expanded
        assert ((after != before).any(axis=1) == (pool.moves - moves == 1)).all()
        ticks += 1
        assert ticks < 10**6
    assert (pool.max_expanded <= expansions).all()
    for k, way in enumerate(pool.paths()):
        start, goal = tuple(starts[k].tolist()), tuple(goals[k].tolist())
        if goal in case.dijkstra(start):
            assert pool.statuses[k] == wg.Status.FOUND
            assert (tuple(way[0]), tuple(way[-1])) == (start, goal)
            assert case.path_cost(way) == pytest.approx(pool.costs[k])
            assert len(way) == pool.moves[k] + 1
        else:
            assert pool.statuses[k] == wg.Status.UNREACHABLE
            assert (pool.costs[k], pool.moves[k]) == (np.inf, 0)


@pytest.mark.parametrize("name", NAMES)
def test_a_pool_is_its_agents_one_by_one(name):
    grid = wg.generate("indoor", width=50, height=40, seed=2)
    finder = wg.make_finder(name, grid)
    starts, goals = some(grid, 30)
    pool = finder.agents(starts, goals, history=True)
    while not pool.done.all():
        pool.step()
    again = finder.agents(starts[::-3], goals[::-3], history=True)
    for _ in range(int(pool.moves.max()) * 2 + 100):
        again.step()
    assert again.moves.tolist() == pool.moves[::-3].tolist()
    assert again.costs.tolist() == pool.costs[::-3].tolist()
    for way, other in zip(again.paths(), pool.paths()[::-3], strict=True):
        assert way.tolist() == other.tolist()
    for k in range(0, 30, 5):
        agent = finder.agent(tuple(starts[k].tolist()), tuple(goals[k].tolist()))
        way = [agent.position]
        while not agent.done:
            before = agent.position
            cell = agent.step()
            assert cell == agent.position
            if cell != before:
                way.append(cell)
        assert [list(cell) for cell in way] == pool.paths()[k].tolist()
        assert (agent.moves, agent.cost, agent.status) == (pool.moves[k], pool.costs[k], pool.statuses[k])
        assert agent.step() == agent.position  # done: stays


@pytest.mark.parametrize("name", WALKERS)
def test_find_runs_an_agent_to_the_end(name):
    grid = wg.generate("caves", width=60, height=50, seed=4)
    finder = wg.make_finder(name, grid)
    starts, goals = some(grid, 20, seed=1)
    pool = finder.agents(starts, goals, history=True)
    while not pool.done.all():
        pool.step()
    batch = finder.find_many(starts, goals, threads=2)
    assert batch.statuses.tolist() == pool.statuses.tolist()
    assert batch.costs.tolist() == pool.costs.tolist()
    for path, way, status in zip(batch, pool.paths(), pool.statuses, strict=True):
        if status == wg.Status.FOUND:
            assert path.cells.tolist() == way.tolist()
            assert path.is_valid(grid)


@pytest.mark.parametrize("name", NAMES)
def test_pools_on_several_threads_do_not_disturb_each_other(name):
    grid = wg.generate("rooms", width=60, height=40, seed=1)
    finder = wg.make_finder(name, grid)
    ends = [some(grid, 40, seed) for seed in range(3)]

    def run(number, results):
        pool = finder.agents(*ends[number])
        for _ in range(300):
            pool.step()
        results[number] = (pool.positions.tolist(), pool.moves.tolist(), pool.expanded.tolist())

    alone, together = {}, {}
    for number in range(3):
        run(number, alone)
    threads = [threading.Thread(target=run, args=(number, together)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert alone == together


@pytest.mark.parametrize("name", [name for name in NAMES if name not in SMALL_ONLY])
def test_memory_is_that_of_what_agents_touched(name):
    grid = wg.Grid(np.ones((500, 500), bool))
    grid.set_passable((250, slice(50, 450)), False)
    finder = wg.make_finder(name, grid, **FEW.get(name, {}))
    count = 1000
    starts, goals = some(grid, count)
    pool = finder.agents(starts, goals)
    at_first = pool.memory.agent_bytes
    assert at_first < 1000
    for _ in range(30):
        pool.step()
    assert pool.memory.agent_bytes < 120_000  # a byte per agent and cell would be 250,000
    assert pool.memory.fixed_bytes == finder.memory.fixed_bytes
    assert pool.bytes.sum() <= pool.memory.agent_bytes * count
    lively = ~pool.done
    assert (pool.bytes[pool.done] <= pool.bytes[lively].min()).all()  # they gave theirs back


@pytest.mark.skipif(not clock.AVAILABLE, reason="compiled code cannot read a clock here")
@pytest.mark.parametrize("name", ["pra", "tba"])
def test_the_time_before_a_pause_for_memory_is_part_of_the_step(name, monkeypatch):
    grid = wg.Grid(np.ones((60, 60), bool))
    pool = wg.make_finder(name, grid).agents(*some(grid, 300), expansions=200)
    spent = np.zeros(len(pool), np.int64)

    def paused(*memory):
        spent[:] = np.maximum(spent, pool._rows[:, at.SPENT_NS])
        make_room(*memory)

    monkeypatch.setattr(agents, "make_room", paused)
    while not pool.done.all():
        pool.step()
        assert (pool._rows[:, at.SPENT_NS] == 0).all()
    assert (spent > 0).any()
    assert (pool.max_step_ns >= spent).all()


@given(st.lists(st.integers(0, 40), max_size=200), st.integers(0, 99))
def test_chunks_of_memory_do_not_overlap_and_join_again(sizes, seed):
    store, ctl = np.zeros(2**14, [("cell", "<i4")]), np.zeros(at.NOTES, np.int64)
    at.open_store(store, ctl)
    rng, taken = np.random.default_rng(seed), {}
    for size in sizes:
        order = at.SMALLEST + size % 5
        if size > 12 and taken:
            base = int(rng.choice(list(taken)))
            assert (store["cell"][base : base + taken[base]] == base).all()  # nobody wrote there
            at.give_chunk(store, ctl, base, taken.pop(base))
        elif at.has_chunk(store, ctl, order):
            base = at.take_chunk(store, ctl, order)
            assert base > 0
            assert base % (1 << order) == 0
            assert (store["cell"][base : base + (1 << order)] == at.EMPTY).all()
            store["cell"][base : base + (1 << order)] = base
            taken[base] = 1 << order
    for base, room in taken.items():
        assert (store["cell"][base : base + room] == base).all()
        at.give_chunk(store, ctl, base, room)
    top, free = int(ctl[at.TOP]), 0
    for order in range(at.ORDERS):
        base = int(ctl[at.FREE + order])
        while base >= 0:
            free += 1 << order
            base = at.EMPTY - 2 - int(store[base]["cell"])
    assert free == top - at.RESERVED
    assert (ctl[at.FREE : at.FREE + at.ORDERS] >= 0).sum() <= 10  # joined: at most one of each size or so


@pytest.mark.parametrize("name", NAMES)
def test_times_are_measured(name):
    grid = wg.generate("rooms", width=60, height=40, seed=1)
    pool = wg.make_finder(name, grid).agents(*some(grid, 50))
    if not clock.AVAILABLE:
        assert pool.max_step_ns is None
        return
    assert not pool.first_step_ns.any()
    for _ in range(20):
        pool.step()
    going = pool.moves > 0
    assert (pool.first_step_ns[going] > 0).all()
    assert (pool.first_step_ns <= pool.max_step_ns).all()
    assert (pool.mean_step_ns <= pool.max_step_ns).all()


@pytest.mark.parametrize("name", NAMES)
def test_agents_end(name):
    finder = wg.make_finder(name, wg.Grid([[1, 1, 1, 1, 0, 1]]))
    agent = finder.agent((0, 0), (5, 0))
    assert (agent.done, agent.status, agent.cost, agent.step()) == (True, wg.Status.UNREACHABLE, np.inf, (0, 0))
    agent = finder.agent((2, 0), (2, 0))
    assert (agent.done, agent.status, agent.cost, agent.step()) == (True, wg.Status.FOUND, 0.0, (2, 0))
    agent = finder.agent((0, 0), (3, 0), max_moves=2)
    assert (agent.done, agent.status) == (False, None)
    for _ in range(10):
        agent.step()
    assert (agent.status, agent.moves, agent.position) == (wg.Status.CUTOFF, 2, (2, 0))
    assert len(finder.agents([], [])) == 0
    assert finder.agents([], []).step().shape == (0, 2)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda f: f.agent((9, 0), (0, 0)), "start (9, 0) is outside the map of 3 x 1 cells"),
        (lambda f: f.agent((0, 0), (1, 0)), "goal (1, 0) is in a wall"),
        (lambda f: f.agent((0.5, 0), (0, 0)), "start is (0.5, 0)"),
        (lambda f: f.agents([(0, 0), (1, 0)], [(0, 0), (0, 0)]), "agent 1: start (1, 0) is in a wall"),
        (lambda f: f.agents([(0, 0)], [(0, 0), (0, 0)]), "1 starts and 2 goals"),
        (lambda f: f.agents([(0, 0)], [(0, 0)], expansions=0), "expansions is 0; allowed are the integers from 1"),
        (lambda f: f.agents([(0, 0)], [(0, 0)], expansions=1.5), "expansions is 1.5"),
        (lambda f: f.agents([(0, 0)], [(0, 0)], expansions=True), "expansions is True"),
        (lambda f: f.agents([(0, 0)], [(0, 0)], max_moves=-1), "max_moves is -1; allowed are the integers from 1"),
        (lambda f: f.agents([(0, 0)], [(0, 0)]).paths(), "history=False"),
    ],
)
def test_bad_input_is_told_in_one_sentence(call, words):
    with pytest.raises(wg.WaygridError) as caught:
        call(wg.make_finder("lrta", wg.Grid([[1, 0, 1]])))
    assert words in str(caught.value)


def test_other_algorithms_have_no_agents():
    finder = wg.make_finder("astar", wg.Grid([[1, 1]]))
    with pytest.raises(wg.WaygridError, match="astar is not a real-time algorithm and has no agents"):
        finder.agent((0, 0), (1, 0))
    with pytest.raises(wg.WaygridError, match="astar is not a real-time algorithm and has no agents"):
        finder.agents([(0, 0)], [(1, 0)])


def test_ten_thousand_agents_on_a_real_map(maps):
    grid = wg.Grid.from_file(maps / "dao" / "ost100d.map")
    starts, goals = some(grid, 10_000)
    pool = wg.make_finder("lrta", grid).agents(starts, goals)
    for _ in range(50):
        pool.step()
    assert pool.memory.agent_bytes < 5_000
    assert (pool.max_expanded <= 10).all()
