"""Jump point search on weighted maps: optimal whatever the terrain, and A* where its lines would be short."""

import pickle

import numpy as np
import pytest
from cases import cases, check, grid_of, pairs_of
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import SQUARE, Case

import waygrid as wg
from waygrid.algorithms.jumps import terrain_patterns as terrain
from waygrid.algorithms.jumps.patterns import Patterns
from waygrid.core import layout

NAMES = tuple(SQUARE)  # of the directions, in their order


@st.composite
def terrains(draw, largest=14):
    """Draw a map whose terrain comes in blocks of some size, the smallest of one cell."""
    case = draw(cases(largest=largest, topologies=("octile",), one_way=False))
    if draw(st.booleans()):
        return case  # as it is: without weights, or with those of every cell by chance
    chance = np.random.Generator(np.random.PCG64(draw(st.integers(0, 2**32 - 1))))
    size, prices = draw(st.integers(1, 7)), draw(st.sampled_from(((1, 2), (1, 3, 9), (2, 3), (1, 20), (5, 6, 7, 8))))
    height, width = case.passable.shape
    kinds = chance.choice(prices, (height // size + 1, width // size + 1))
    case.weights = np.kron(kinds, np.ones((size, size), int))[:height, :width]
    return case


def areas(side=40, seed=0, prices=(1, 3, 8)):
    chance = np.random.default_rng(seed)
    kinds = chance.choice(prices, (side // 8, side // 8))
    weights = np.kron(kinds, np.ones((8, 8), int))
    return wg.Grid(chance.random(weights.shape) >= 0.05, weights=weights)


def some_pairs(grid, count=30, seed=0):
    ys, xs = np.nonzero(grid.components == np.bincount(grid.components[grid.components >= 0]).argmax())
    picks = np.random.default_rng(seed).integers(0, len(xs), (2, count))
    return [np.stack([xs[p], ys[p]], axis=1) for p in picks]


@pytest.mark.quick
@settings(max_examples=1000)
@given(terrains(), st.integers(0, 99))
def test_paths_along_lines_are_optimal(case, seed):
    check(case, wg.make_finder("jpsw", grid_of(case), fallback="never"), seed=seed)


@settings(max_examples=100)
@given(terrains(), st.integers(0, 99))
def test_lines_that_wait_early_are_as_right(case, seed):
    """Whatever a line may cost before it waits, and however wide the buckets are."""
    finder = wg.make_finder("jpsw", grid_of(case), fallback="never")
    finder._check_version()
    chance = np.random.default_rng(seed)
    for limit in (layout.LINE_UNIT, layout.LINE_CELLS, layout.LINE_SLACK):
        finder._policy[limit] = chance.integers(0, finder._policy[limit] + 1)
    finder._policy[layout.BUCKET_SHIFT] += chance.integers(0, 6)
    check(case, finder, seed=seed)


@settings(max_examples=150)
@given(terrains(largest=9), st.integers(0, 99))
def test_blocked_cells_are_walls(case, seed):
    grid = grid_of(case)
    finder = wg.make_finder("jpsw", grid, fallback="never")
    cells = np.random.default_rng(seed).integers(0, (grid.width, grid.height), (4, 2))
    case.blocked = {tuple(cell) for cell in cells.tolist()}
    for start, goal in pairs_of(case, 4, seed):
        truth = case.dijkstra(start)
        path = finder.find(start, goal, blocked=cells)
        assert (path.status == wg.Status.FOUND) == (goal in truth)
        if goal in truth:
            assert case.path_cost(path.cells) == pytest.approx(truth[goal])


def test_whoever_stands_on_a_blocked_cell_can_leave_it():
    grid = areas()
    starts, goals = some_pairs(grid)
    finder, truth = wg.make_finder("jpsw", grid, fallback="never"), wg.make_finder("astar", grid)
    for start, goal in zip(starts, goals, strict=True):
        if (start == goal).all():
            continue
        around = [start + step for step in ((0, 0), (1, 0), (0, 1), (-1, -1)) if (start + step != goal).any()]
        blocked = [cell for cell in around if ((cell >= 0) & (cell < (grid.width, grid.height))).all()]
        found = [one.find(start, goal, blocked=blocked) for one in (finder, truth)]
        assert found[0].status == found[1].status
        assert found[0].cost == pytest.approx(found[1].cost)


def slow_successors(case, entered):
    """Return the moves out of the middle of nine cells that no path around it replaces: paths are listed one by one."""
    dx, dy = SQUARE[entered]
    start, middle = (1 - dx, 1 - dy), (1, 1)
    best = {}  # cheapest path to a cell, and of those the first last move
    waiting = [(0.0, start, None, (start,))]
    while waiting:
        cost, cell, last, path = waiting.pop()
        if last is not None:
            best[cell] = min(best.get(cell, (np.inf, 99)), (round(cost, 6), NAMES.index(last)))
        for x, y, price in case.neighbours(*cell):
            if (x, y) != middle and (x, y) not in path:
                name = next(name for name, step in SQUARE.items() if step == (x - cell[0], y - cell[1]))
                waiting.append((cost + price, (x, y), name, (*path, (x, y))))
    into = [price for x, y, price in case.neighbours(*start) if (x, y) == middle]
    kept = 0
    for x, y, price in case.neighbours(*middle):
        name = next(name for name, step in SQUARE.items() if step == (x - 1, y - 1))
        own = (round(into[0] + price, 6), NAMES.index(name)) if into else None
        if (x, y) != start and (own is None or own < best.get((x, y), (np.inf, 99))):
            kept |= 1 << NAMES.index(name)
    return kept, bool(into)


@settings(max_examples=60)
@given(
    st.integers(0, 2**32 - 1), st.sampled_from(("never", "one", "always")), st.sampled_from(((2, 3), (1, 1), (7, 14)))
)
def test_successors_are_what_no_path_around_replaces(seed, corners, metric):
    chance = np.random.default_rng(seed)
    passable = chance.random((3, 3)) >= 0.3
    passable[1, 1] = True
    weights = chance.choice([1, 2, 5], (3, 3))
    case = Case(passable, "octile", corners, metric, weights)
    patterns = Patterns(grid_of(case))
    row = patterns.successors[patterns.numbers[4]]
    for d, name in enumerate(NAMES):
        dx, dy = SQUARE[name]
        if passable[1 - dy, 1 - dx]:
            kept, entered = slow_successors(case, name)
            if entered:
                assert row[d] == kept, (passable, weights, name)


@settings(max_examples=60)
@given(terrains(), st.integers(0, 2**32 - 1))
def test_edits_leave_what_a_fresh_map_has(case, seed):
    grid = grid_of(case)
    finder, chance = wg.make_finder("jpsw", grid, fallback="never"), np.random.default_rng(seed)
    finder._check_version()
    for _ in range(4):
        x, y = (int(chance.integers(0, side)) for side in (grid.width, grid.height))
        if chance.random() < 0.5:
            grid.set_weight((x, y), int(chance.choice([1, 2, 9])))
            case.weights = np.array(grid.weights) if grid.weights is not None else None
        else:
            grid.set_passable((x, y), bool(chance.random() < 0.5))
            case.passable = np.array(grid.passable)
        finder._check_version()
        fresh = Patterns(grid)
        assert (finder._patterns.successors[finder._patterns.numbers] == fresh.successors[fresh.numbers]).all()
    if case.cells():
        check(case, finder, seed=seed % 100)


def test_many_weights_and_many_patterns_are_only_slower():
    chance = np.random.default_rng(3)
    for weights in (chance.integers(1, 65536, (60, 60)), chance.integers(1, 9, (60, 60))):
        grid = wg.Grid(weights > 0, weights=weights)
        finder, truth = wg.make_finder("jpsw", grid, fallback="never"), wg.make_finder("dijkstra", grid)
        starts, goals = some_pairs(grid, 20)
        assert finder.find_many(starts, goals).costs == pytest.approx(truth.find_many(starts, goals).costs)
        assert (finder._patterns.numbers == 0).any()


def test_short_lines_are_left_to_astar():
    chance = np.random.default_rng(0)
    weights = chance.integers(1, 9, (60, 60))
    grid = wg.Grid(weights > 0, weights=weights)
    finder, astar = wg.make_finder("jpsw", grid), wg.make_finder("astar", grid)
    starts, goals = some_pairs(grid)
    assert not finder.follows_lines
    assert (finder.find_many(starts, goals).rows == astar.find_many(starts, goals).rows).all()
    assert finder.costs(starts[:3], goals[:4]).tolist() == astar.costs(starts[:3], goals[:4]).tolist()
    start, goal = starts[0], goals[0]
    assert finder.find(start, goal, max_expansions=9).stats == astar.find(start, goal, max_expansions=9).stats
    assert (finder.trace(start, goal).events == astar.trace(start, goal).events).all()
    search = finder.start(start, goal)
    while not search.advance(50):
        pass
    assert search.path().cost == astar.find(start, goal).cost
    assert wg.make_finder("jpsw", grid, fallback="never").follows_lines
    assert finder.memory.scratch_bytes == astar.memory.scratch_bytes
    grid.set_weight((slice(0, 60), slice(0, 60)), 5)
    assert finder.follows_lines
    assert finder.find_many(starts, goals).costs == pytest.approx(astar.find_many(starts, goals).costs)


def test_limits_slices_batches_traces_and_pickles():
    grid = areas(80)
    finder = wg.make_finder("jpsw", grid)
    assert finder.follows_lines
    starts, goals = some_pairs(grid)
    one, two = (finder.find_many(starts, goals, threads=threads) for threads in (1, 2))
    assert (one.rows == two.rows).all()
    assert one.costs == pytest.approx(wg.make_finder("astar", grid).find_many(starts, goals).costs)
    whole = finder.find(starts[0], goals[0])
    cut = finder.find(starts[0], goals[0], max_expansions=3)
    assert cut.status == wg.Status.CUTOFF
    assert cut.is_valid(grid)
    search = finder.start(starts[0], goals[0])
    while not search.advance(1):
        assert search.path().is_valid(grid)
    assert search.path().cells.tolist() == whole.cells.tolist()
    trace = finder.trace(starts[0], goals[0])
    assert (trace.events["kind"] == layout.E_EXPANDING).sum() == whole.stats.expanded
    assert (trace.events["kind"] == layout.E_END).sum() == 1
    twin = pickle.loads(pickle.dumps(finder))
    assert (twin.find_many(starts, goals).rows == one.rows).all()
    assert finder.memory.fixed_bytes >= 2 * 80 * 80


def test_partial_paths_end_closest():
    grid = areas(40)
    grid.set_passable((slice(30, 33), slice(0, 40)), False)
    finder, astar = wg.make_finder("jpsw", grid), wg.make_finder("astar", grid)
    starts, _ = some_pairs(grid, 4)
    for start in starts:
        ends = [one.find(start, (39, 39), partial=True) for one in (finder, astar)]
        assert ends[0].status == ends[1].status
        assert ends[0].cost == pytest.approx(ends[1].cost)


def test_far_fewer_expansions_than_astar():
    grid = areas(160)
    starts, goals = some_pairs(grid)
    expanded = [
        wg.make_finder(name, grid).find_many(starts, goals).rows[:, layout.ROW_EXPANDED].sum()
        for name in ("jpsw", "astar")
    ]
    assert expanded[0] < expanded[1] / 3


def test_even_terrain_has_the_jump_points_of_jps():
    """Where all weights are equal, the moves worth trying are those of jump point search."""
    from waygrid.algorithms.jumps.jump_points import worthwhile

    chance = np.random.default_rng(5)
    for corners in ("never", "always"):
        grid = wg.Grid(chance.random((30, 30)) >= 0.2, corners=corners)
        patterns, table = Patterns(grid), grid.table
        for cell in np.flatnonzero(table.walk):
            for d in range(8):
                before = cell - table.geo[layout.STEP + d]
                if 0 <= before < 900 and abs(before % 30 - cell % 30) <= 1 and (table.moves[before] >> d) & 1:
                    assert patterns.successors[patterns.numbers[cell], d] == worthwhile(table.moves, table.geo, cell, d)


def test_unsupported_rules_are_refused():
    with pytest.raises(wg.WaygridError, match="jpsw does not support topology 'tile'; allowed are octile"):
        wg.make_finder("jpsw", wg.Grid([[1, 1]], topology="tile"))
    grid = wg.Grid([[1, 1]])
    grid.set_one_way((0, 0), ["E"])
    with pytest.raises(wg.WaygridError, match="one-way tiles"):
        wg.make_finder("jpsw", grid)
    with pytest.raises(wg.WaygridError, match="fallback"):
        wg.make_finder("jpsw", wg.Grid([[1, 1]]), fallback="always")
    assert terrain.MOST_TERRAINS < terrain.UNKNOWN


def test_a_real_map(maps):
    grid = wg.Grid.from_file(maps / "mixedcost" / "bloodvenomfalls-mixed01.map")
    finder, astar = wg.make_finder("jpsw", grid), wg.make_finder("astar", grid)
    starts, goals = some_pairs(grid, 60)
    assert finder.follows_lines
    batch = finder.find_many(starts, goals)
    assert batch.costs == pytest.approx(astar.find_many(starts, goals).costs)
    assert all(path.is_valid(grid) for path in batch)
