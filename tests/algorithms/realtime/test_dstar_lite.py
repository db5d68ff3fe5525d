"""D* Lite: after every planning the plan costs what a search from scratch on the believed map finds."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from cases import cases, grid_of, pairs_of
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import Case

import waygrid as wg
from waygrid.algorithms.realtime.dstar_lite_belief import RAISED
from waygrid.core import layout
from waygrid.grid.legal import first_fault

MAPS = cases(one_way=False)


class Mind:
    """What an agent must believe, plainly: places to stand, corrected by what is in sight."""

    def __init__(self, case, grid, known, radius):
        self.case, self.radius = case, radius
        stands = np.zeros(known.shape, bool)
        for x, y in replace(case, passable=known).cells():
            stands[y, x] = True
        self.believed = replace(case, passable=stands, clearance=1, weights=grid.weights)

    def look(self, x, y):
        """See everything within the radius; return whether anything was a surprise."""
        height, width = self.case.passable.shape
        surprised = False
        for row in range(max(0, y - self.radius), min(height, y + self.radius + 1)):
            for column in range(max(0, x - self.radius), min(width, x + self.radius + 1)):
                stands = self.case.fits(column, row)
                surprised |= stands != self.believed.passable[row, column]
                self.believed.passable[row, column] = stands
        return surprised

    def cost(self, cell, goal):
        """Return what the cheapest path costs on the believed map, inf if there is none."""
        return self.believed.dijkstra(cell).get(goal, np.inf) if self.believed.fits(*cell) else np.inf


def case_of(grid):
    """Return the oracle's version of a grid."""
    return Case(grid.passable.copy(), grid.topology, grid.corners, "octile", grid.weights)


def draw_known(case, seed, share):
    """Return a map that is wrong in a share of its cells, both ways."""
    return case.passable ^ (np.random.default_rng(seed).random(case.passable.shape) < share)


def planned_cost(pool, grid):
    """Return what the only agent of a pool plans to pay for the rest of its way, by its own records."""
    x, y = pool.positions[0].tolist()
    records = pool.records(0)
    (rhs,) = records["rhs"][records["cell"] == y * grid.width + x].tolist()
    return np.inf if rhs < 0 else rhs / grid.cardinal_price


def check_step(mind, pool, grid, goal):
    """Let the agent make a step, and compare what it does with what it should believe and plan."""
    before = tuple(pool.positions[0].tolist())
    mind.look(*before)
    least = mind.cost(before, goal)
    x, y = pool.step()[0].tolist()
    if (x, y) == before:
        assert pool.statuses[0] in (-1, wg.Status.UNREACHABLE)
        if pool.done[0]:
            assert least == np.inf
        return
    prices = {(nx, ny): price for nx, ny, price in mind.case.neighbours(*before)}
    assert (x, y) in prices  # a move of the true map
    rest = 0 if pool.done[0] else planned_cost(pool, grid)
    assert prices[x, y] + rest == pytest.approx(least, rel=1e-6)
    assert rest == pytest.approx(mind.cost((x, y), goal), rel=1e-6)


@pytest.mark.quick
@settings(max_examples=300)
@given(
    MAPS,
    st.sampled_from((0.0, 0.05, 0.3)),
    st.sampled_from((1, 2, 5)),
    st.sampled_from((1, 4, 10**6)),
    st.integers(0, 99),
)
def test_the_plan_is_the_cheapest_on_the_believed_map(case, share, radius, expansions, seed):
    grid, known = grid_of(case), draw_known(case, seed, share)
    finder = wg.make_finder("dstar-lite", grid, radius=radius, known=known)
    for start, goal in pairs_of(case, 3, seed):
        mind, pool = Mind(case, grid, known, radius), finder.agents([start], [goal], expansions, history=True)
        reachable = goal in case.dijkstra(start)
        while not pool.done[0]:
            check_step(mind, pool, grid, goal)
        assert pool.max_expanded[0] <= expansions
        (way,) = pool.paths()
        assert first_fault(grid, way) is None
        if pool.statuses[0] == wg.Status.FOUND:
            assert tuple(way[-1]) == goal
            assert pool.costs[0] == pytest.approx(case.path_cost(way))
        else:
            assert pool.statuses[0] == wg.Status.UNREACHABLE
            assert not reachable or mind.cost(tuple(way[-1].tolist()), goal) == np.inf


@settings(max_examples=200)
@given(MAPS, st.sampled_from((1, 3)), st.sampled_from((1, 3, 10**6)), st.integers(0, 99))
def test_edits_while_it_walks_and_while_it_plans_are_surprises(case, radius, expansions, seed):
    grid, chance = grid_of(case), np.random.default_rng(seed)
    case = replace(case, passable=case.passable.copy())
    finder = wg.make_finder("dstar-lite", grid, radius=radius)
    for start, goal in pairs_of(case, 2, seed):
        if not (case.fits(*start) and case.fits(*goal)):
            continue  # closed by an edit
        mind, pool = Mind(case, grid, case.passable.copy(), radius), finder.agents([start], [goal], expansions)
        for _ in range(300):
            if pool.done[0]:
                break
            if chance.random() < 0.3:
                y, x = (int(chance.integers(0, size)) for size in case.passable.shape)
                case.passable[y, x] ^= True
                grid.set_passable((x, y), bool(case.passable[y, x]))
                pool._version = grid.version  # pools of other algorithms refuse a map that was edited
            check_step(mind, pool, grid, goal)


@pytest.mark.quick
@settings(max_examples=100)
@given(MAPS, st.sampled_from((0.0, 0.1, 0.3)), st.sampled_from((1, 3)), st.integers(0, 99))
def test_find_walks_as_an_agent_does(case, share, radius, seed):
    grid, known = grid_of(case), draw_known(case, seed, share)
    finder = wg.make_finder("dstar-lite", grid, radius=radius, known=known)
    for start, goal in pairs_of(case, 3, seed):
        pool = finder.agents([start], [goal], 7, history=True)
        while not pool.done[0]:
            pool.step()
        trace = finder.trace(start, goal)
        path, events = trace.path, trace.events
        assert path.status == pool.statuses[0]
        assert path.stats.expanded == pool.expanded[0] == (events["kind"] == layout.E_EXPANDING).sum()
        walked = events["node"][events["kind"] == layout.E_MOVE]
        moves = [[int(n % grid.width), int(n // grid.width)] for n in walked]
        assert moves == pool.paths()[0][1:].tolist()
        if path.status == wg.Status.FOUND:
            assert path.is_valid(grid)
            assert path.cells.tolist() == pool.paths()[0].tolist() == finder.find(start, goal).cells.tolist()
            assert path.cost == pytest.approx(pool.costs[0])


@pytest.mark.quick
@settings(max_examples=100)
@given(MAPS, st.integers(0, 99))
def test_with_a_true_map_the_way_is_the_cheapest_and_nothing_is_planned_twice(case, seed):
    finder = wg.make_finder("dstar-lite", grid_of(case))
    for start, goal in pairs_of(case, 3, seed):
        path, truth = finder.find(start, goal), case.dijkstra(start)
        assert path.cost == pytest.approx(truth.get(goal, np.inf), rel=1e-7)
        assert path.stats.expanded <= len(truth)


@settings(max_examples=100)
@given(MAPS, st.integers(0, 99), st.sampled_from((1, 4)))
def test_blocked_cells_are_surprises(case, seed, radius):
    finder = wg.make_finder("dstar-lite", grid_of(case), radius=radius)
    cells, chance = case.cells(), np.random.default_rng(seed)
    for start, goal in pairs_of(case, 3, seed):
        blocked = {cell for cell in cells if chance.random() < 0.2 and cell != goal}
        closed = replace(case, blocked=blocked)
        if not closed.fits(*goal):
            continue
        path = finder.find(start, goal, blocked=sorted(blocked))
        reachable = goal in closed.dijkstra(start)
        assert path.status == (wg.Status.FOUND if reachable else wg.Status.UNREACHABLE)
        if reachable:
            assert path.cost == pytest.approx(closed.path_cost(path.cells, blocked_start=True))


def test_an_agent_finds_a_wall_and_goes_round_it():
    grid = wg.Grid(["......", "......", "####..", "......", "......"])
    finder = wg.make_finder("dstar-lite", grid, radius=1, known=np.ones((5, 6), bool))
    path = finder.find((0, 0), (0, 4))
    assert path.cells.tolist()[:2] == [[0, 0], [0, 1]]  # it walks up to the wall
    assert path.is_valid(grid)
    seeing = wg.make_finder("dstar-lite", grid, radius=9, known=np.ones((5, 6), bool)).find((0, 0), (0, 4))
    assert seeing.cost == wg.make_finder("astar", grid).find((0, 0), (0, 4)).cost < path.cost


def test_an_opening_is_used_once_it_is_seen():
    grid, known = wg.Grid(np.ones((3, 7), bool)), np.ones((3, 7), bool)
    known[1, 1:] = False
    far, near = (wg.make_finder("dstar-lite", grid, radius=r, known=known).find((6, 0), (6, 2)) for r in (1, 2))
    assert far.cost == near.cost == 2
    known[:, 3] = False
    assert (
        wg.make_finder("dstar-lite", grid, radius=1, known=known).find((0, 0), (6, 0)).status == wg.Status.UNREACHABLE
    )
    assert wg.make_finder("dstar-lite", grid, radius=3, known=known).find((0, 0), (6, 0)).cost == 6


def test_an_agent_waits_while_it_plans():
    grid = wg.Grid(np.ones((20, 20), bool))
    agent = wg.make_finder("dstar-lite", grid).agent((0, 0), (19, 19), 5)
    waited = 0
    while agent.step() == (0, 0):
        waited += 1
        assert agent.expanded == 5 * waited
    assert waited >= 3
    expanded = agent.expanded
    while not agent.done:
        agent.step()
    assert (agent.moves, agent.expanded) == (19, expanded)  # no surprise, no planning


def test_pools_keep_the_map_of_when_they_were_started():
    grid = wg.Grid(np.ones((1, 30), bool))
    finder = wg.make_finder("dstar-lite", grid, radius=2)
    pool = finder.agents([(0, 0)], [(29, 0)], 1000)
    pool.step()
    grid.set_passable((20, 0), False)
    pool._version = grid.version
    while not pool.done[0]:
        pool.step()
    assert pool.positions.tolist() == [[18, 0]]  # from there it saw the wall
    assert pool.statuses.tolist() == [wg.Status.UNREACHABLE]
    assert finder.find((0, 0), (29, 0)).stats.expanded == 0  # a new one knows it


def test_a_cell_that_is_closed_under_an_agent_ends_it():
    grid = wg.Grid(np.ones((3, 9), bool))
    pool = wg.make_finder("dstar-lite", grid).agents([(0, 1)], [(8, 1)], 1000)
    x, y = pool.step()[0].tolist()
    grid.set_passable((x, y), False)
    pool._version = grid.version
    assert pool.step().tolist() == [[x, y]]
    assert pool.statuses.tolist() == [wg.Status.UNREACHABLE]


def test_believed_ways_may_be_cheaper_than_any_real_one():
    """Estimates count on the least weight of all cells: a believed way may lead over what is a wall."""
    passable, weights = np.ones((9, 30), bool), np.full((9, 30), 7)
    passable[4, 3:27], weights[4, 3:27] = False, 1
    grid = wg.Grid(passable, weights=weights, topology="tile")
    assert grid.table.geo[layout.MIN_WEIGHT] == 7
    known = np.ones((9, 30), bool)
    mind = Mind(case_of(grid), grid, known, 1)
    assert mind.cost((0, 0), (29, 0)) < 7 * 29
    pool = wg.make_finder("dstar-lite", grid, radius=1, known=known).agents([(0, 0)], [(29, 0)], 10**6)
    while not pool.done[0]:
        check_step(mind, pool, grid, (29, 0))
    assert pool.statuses[0] == wg.Status.FOUND


@pytest.mark.parametrize("seed", range(24))
def test_long_walks_with_many_surprises(seed):
    """On small maps everything is planned anew so often that keys which are out of date do no harm."""
    chance = np.random.default_rng(seed)
    kind = ("caves", "rooms", "random", "maze")[seed % 4]
    truth = wg.generate(kind, width=34, height=26, seed=seed).passable.copy()
    known = truth ^ (chance.random(truth.shape) < (0.04 if seed % 3 else 0.15))
    weights = chance.integers(1, 4, truth.shape) if seed % 5 == 0 else None
    topology = ("octile", "octile", "tile", "hex")[seed // 4 % 4]
    grid = wg.Grid(truth, topology=topology, weights=weights, corners=("never", "one", "always")[seed % 3])
    case, radius = case_of(grid), (1, 2, 4)[seed // 2 % 3]
    finder = wg.make_finder("dstar-lite", grid, radius=radius, known=known)
    largest = np.bincount(grid.components[grid.components >= 0]).argmax()
    ys, xs = np.nonzero((grid.components == largest) & known)
    for a, b in ((0, -1), (-1, 0)):
        start, goal = (int(xs[a]), int(ys[a])), (int(xs[b]), int(ys[b]))
        mind, pool = Mind(case, grid, known, radius), finder.agents([start], [goal], 10**6)
        while not pool.done[0]:
            check_step(mind, pool, grid, goal)


def test_keys_grow_beyond_32_bits_on_long_walks():
    """Keys are raised by the way that an agent walked, which has no bound but its moves."""
    grid = wg.Grid(np.ones((2, 40), bool), metric=(30_000, 42_000))
    finder = wg.make_finder("dstar-lite", grid, radius=1)
    pool = finder.agents([(0, 0)], [(39, 0)], 10**6)
    pool._rows[0, RAISED] = 2**40
    case = case_of(grid)
    case.metric = (30_000, 42_000)
    mind = Mind(case, grid, grid.passable.copy(), 1)
    for column in range(5, 35, 6):
        case.passable[column // 6 % 2, column] = False
        grid.set_passable((column, column // 6 % 2), False)
    pool._version = grid.version
    while not pool.done[0]:
        check_step(mind, pool, grid, (39, 0))
    assert pool.statuses[0] == wg.Status.FOUND


def test_memory_limits_and_slices():
    grid = wg.generate("rooms", width=40, height=30, seed=3)
    known = np.ones((30, 40), bool)
    finder = wg.make_finder("dstar-lite", grid, known=known)
    whole = finder.find((1, 1), (38, 28))
    cut = finder.find((1, 1), (38, 28), max_expansions=whole.stats.expanded // 2)
    assert (cut.status, cut.stats.expanded) == (wg.Status.CUTOFF, whole.stats.expanded // 2)
    assert cut.cells.tolist() == whole.cells[: len(cut)].tolist()
    search = finder.start((1, 1), (38, 28))
    while not search.advance(2):
        pass
    assert search.path().cells.tolist() == whole.cells.tolist()
    assert wg.make_finder("dstar-lite", grid, max_moves=3).find((1, 1), (38, 28)).status == wg.Status.CUTOFF
    assert finder.memory.fixed_bytes == 2 * 1200
    assert wg.make_finder("dstar-lite", grid).memory.fixed_bytes == 0
    pool = wg.make_finder("dstar-lite", grid).agents([(1, 1)], [(38, 28)])
    assert pool.memory.scratch_bytes == finder.agents([(1, 1)], [(38, 28)]).memory.scratch_bytes + 2 * 1200


def test_a_believed_map_from_a_file(tmp_path):
    grid = wg.Grid(["....", ".##.", "...."])
    wg.Grid(np.ones((3, 4), bool)).save(tmp_path / "believed.map")
    finder = wg.make_finder("dstar-lite", grid, known=tmp_path / "believed.map", radius=1)
    same = wg.make_finder("dstar-lite", grid, known=np.ones((3, 4)) == 1, radius=1)
    assert finder.find((0, 1), (3, 1)).cells.tolist() == same.find((0, 1), (3, 1)).cells.tolist()
    (tmp_path / "believed.map").unlink()
    again = pickle.loads(pickle.dumps(finder))
    assert again.find((0, 1), (3, 1)).cells.tolist() == same.find((0, 1), (3, 1)).cells.tolist()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"radius": 0}, "radius is 0; allowed are the integers from 1"),
        ({"known": np.ones((3, 3), bool)}, r"known has shape \(3, 3\), the map has \(2, 4\)"),
        ({"known": np.full((2, 4), 2)}, r"known is <ndarray of shape \(2, 4\).*; allowed are a \(height, width\) mask"),
        ({"known": [[1, 0], [1]]}, r"known is \[\[1, 0\], \[1\]\]; allowed"),
        ({"known": "believed.map"}, "known is 'believed.map'; allowed"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(wg.WaygridError, match=message):
        wg.make_finder("dstar-lite", wg.Grid(np.ones((2, 4), bool)), **options)


def test_partial_paths():
    finder = wg.make_finder("dstar-lite", wg.Grid([[1, 1, 1, 0, 1]]))
    path = finder.find((0, 0), (4, 0), partial=True)
    assert (path.status, path.cells.tolist()) == (wg.Status.PARTIAL, [[0, 0], [1, 0], [2, 0]])
    finder = wg.make_finder("dstar-lite", wg.Grid([[1, 1, 1]]), known=[[1, 1, 1]])
    with pytest.raises(wg.WaygridError, match="partial is True; with known= an agent"):
        finder.find((0, 0), (2, 0), partial=True)
