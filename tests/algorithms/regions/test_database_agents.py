"""Agents of pra, dba and hcdps: small regions, bounded work, the ways of `find`, and the memory that an agent owns."""

import numpy as np
import pytest
from cases import cases, grid_of, pairs_of
from hypothesis import given, settings
from hypothesis import strategies as st

import waygrid as wg
from waygrid.algorithms.regions.pra_agent import FORGETS
from waygrid.core import agents as at

SECTORS = st.sampled_from((1, 2, 3, 4, 8, (3, 5)))
OPTIONS = {
    "pra": st.fixed_dictionaries({"sector": SECTORS, "trim": st.booleans()}),
    "dba": st.fixed_dictionaries(
        {"sector": SECTORS, "level": st.integers(1, 3), "trim": st.sampled_from((False, "paper", True))}
    ),
    "hcdps": st.fixed_dictionaries(
        {"cutoff": st.sampled_from((1, 2, 4, 250)), "level": st.integers(1, 3), "trim": st.booleans()}
    ),
}
REAL_TIME = [name for name, info in wg.algorithms().items() if info.real_time]


def ends(grid, count, seed=0):
    """Random starts and goals that reach each other."""
    cells = np.argwhere(grid.components == np.bincount(grid.components[grid.components >= 0]).argmax())[:, ::-1]
    return cells[np.random.default_rng(seed).integers(len(cells), size=(2, count))]


def run(pool, most=10**6):
    """Step until all are done; return the ways."""
    steps = 0
    while not pool.done.all():
        pool.step()
        steps += 1
        assert steps < most
    return pool.paths()


@pytest.mark.parametrize("name", OPTIONS)
@settings(max_examples=150)
@given(
    data=st.data(),
    case=cases(topologies=("tile", "octile"), one_way=False, weighted=False, largest=14),
    expansions=st.sampled_from((1, 2, 10, 100)),
    seed=st.integers(0, 99),
)
def test_agents_arrive_by_legal_moves_and_within_their_bound(name, data, case, expansions, seed):
    if not case.cells():
        return
    options = data.draw(OPTIONS[name])
    finder = wg.make_finder(name, grid_of(case), **options)
    starts, goals = (np.array(cells) for cells in zip(*pairs_of(case, 8, seed), strict=True))
    pool = finder.agents(starts, goals, expansions, history=True)
    worked = pool.expanded
    while not pool.done.all():
        pool.step()
        assert (pool.expanded - worked <= expansions).all()
        worked = pool.expanded
        assert (pool.bytes <= finder.memory.agent_bytes).all()
    assert (pool.max_expanded <= expansions).all()
    for k, way in enumerate(pool.paths()):
        start, goal = tuple(starts[k].tolist()), tuple(goals[k].tolist())
        found = goal in case.dijkstra(start)
        assert pool.statuses[k] == (wg.Status.FOUND if found else wg.Status.UNREACHABLE)
        if found:
            assert (tuple(way[0]), tuple(way[-1])) == (start, goal)
            assert case.path_cost(way) == pytest.approx(pool.costs[k])
            if name == "pra" or (name, options["trim"]) == ("hcdps", False):
                path = finder.find(start, goal).cells  # an agent stops where it meets the goal first
                assert way.tolist() == path[: len(way)].tolist()


@pytest.mark.parametrize("expansions", [1, 10, 1000])
@pytest.mark.parametrize("options", [{}, {"trim": False}, {"sector": (9, 30)}])
def test_pra_agents_walk_the_path_of_find(options, expansions):
    grid = wg.generate("rooms", width=150, height=120, seed=3)
    finder = wg.make_finder("pra", grid, **options)
    starts, goals = ends(grid, 60)
    ways = run(finder.agents(starts, goals, expansions, history=True))
    for way, path in zip(ways, finder.find_many(starts, goals), strict=True):
        assert way.tolist() == path.cells[: len(way)].tolist()
        assert way[-1].tolist() == path.cells[-1].tolist()


def test_pra_agents_search_the_next_leg_while_they_walk():
    grid = wg.generate("caves", width=200, height=160, seed=4)
    finder = wg.make_finder("pra", grid)
    starts, goals = ends(grid, 40)
    waits = {}
    for expansions in (1, 10, 100):
        pool = finder.agents(starts, goals, expansions)
        steps = 0
        while not pool.done.all():
            steps += int((~pool.done).sum())
            pool.step()
        waits[expansions] = steps / pool.moves.sum() - 1
    assert waits[1] > waits[10] > waits[100]
    assert waits[10] < 0.25  # the regions and the first leg, and here and there a long one


@pytest.mark.parametrize("expansions", [1, 3])
def test_pra_agents_forget_a_leg_bit_by_bit(expansions):
    grid = wg.generate("caves", width=120, height=100, seed=4)
    pool = wg.make_finder("pra", grid, sector=32).agents(*ends(grid, 40), expansions)
    most = used = pool._rows[:, at.USED].copy()
    while not pool.done.all():
        pool.step()
        before, used = used, pool._rows[:, at.USED].copy()
        most = np.maximum(most, used)
        assert ((before - used)[~pool.done] <= FORGETS * expansions).all()
    assert most.max() > 4 * FORGETS * expansions


@pytest.mark.parametrize("name", ["dba", "hcdps"])
def test_ways_are_as_good_as_those_of_find(name):
    agents, found = [], []
    for kind, seed in (("caves", 4), ("rooms", 2), ("indoor", 5)):
        grid = wg.generate(kind, width=200, height=160, seed=seed)
        starts, goals = ends(grid, 200)
        pool = wg.make_finder(name, grid).agents(starts, goals, history=True)
        run(pool)
        least = wg.make_finder("astar", grid).find_many(starts, goals).costs
        agents.append(pool.costs.sum() / least.sum())
        found.append(wg.make_finder(name, grid, trim="paper").find_many(starts, goals).costs.sum() / least.sum())
    assert np.mean(agents) < np.mean(found)


@pytest.mark.parametrize("name", ["dba", "hcdps"])
def test_more_work_makes_ways_shorter(name):
    grid = wg.generate("caves", width=200, height=160, seed=4)
    starts, goals = ends(grid, 300)
    costs = []
    for expansions in (1, 10):
        pool = wg.make_finder(name, grid).agents(starts, goals, expansions, history=True)
        run(pool)
        costs.append(pool.costs.sum())
    assert costs[1] < costs[0]


# --- Memory ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", REAL_TIME)
def test_an_agent_never_owns_more_than_is_told(name):
    grid = wg.generate("indoor", width=60, height=50, seed=2)
    finder = wg.make_finder(name, grid)
    pool = finder.agents(*ends(grid, 50))
    owned, steps = pool.bytes, 0
    assert (owned == 264).all()
    while not pool.done.all() and steps < 2000:
        pool.step()
        owned = np.maximum(owned, pool.bytes)
        steps += 1
    assert owned.max() <= finder.memory.agent_bytes
    assert (pool.bytes[pool.done] == 264).all()  # records are given back
    if name in ("dba", "hcdps"):
        assert finder.memory.agent_bytes == 264
    elif name != "sglrta":  # which need not learn anything
        assert owned.max() > 264


def test_memory_is_fixed_of_an_agent_and_of_a_search():
    grid = wg.generate("caves", width=150, height=150, seed=5)
    for name in ("pra", "dba", "hcdps"):
        finder = wg.make_finder(name, grid)
        pool = finder.agents(*ends(grid, 5))
        scratch = finder._pool.take()
        assert finder.memory.fixed_bytes == pool.memory.fixed_bytes
        assert finder.memory.fixed_bytes == sum(array.nbytes for array in finder.index.values())
        assert finder.memory.scratch_bytes == scratch.bytes > 16 * 150 * 150
        assert pool.memory.scratch_bytes < 30_000  # a search within a sector; no map-sized array
    astar = wg.make_finder("astar", grid).memory
    assert (astar.fixed_bytes, astar.agent_bytes) == (0, astar.scratch_bytes)
