"""Dead ends and gateways: optimal under all rules, with and without walls for one query, and admissible everywhere."""

import numpy as np
import pytest
from cases import cases, check, grid_of, pairs_of
from hypothesis import given, settings
from hypothesis import strategies as st

import waygrid as wg
from waygrid.core import layout

SQUARE = ("tile", "octile")
WAYS = (
    ("dead-end", {}),
    ("dead-end", {"decomposition": "printed"}),
    ("gateway", {}),
    ("gateway", {"gate_length": None}),
    ("gateway", {"gate_length": 1, "dead_ends": True}),
    ("gateway", {"decomposition": "printed", "dead_ends": True}),
    ("gateway", {"table": "zones"}),
    ("gateway", {"table": "zones", "gate_length": 2, "dead_ends": True}),
)


def finder_of(way, grid):
    name, options = way
    return wg.make_finder(name, grid, threads=1, **options)


@pytest.mark.quick
@settings(max_examples=700)
@given(cases(topologies=SQUARE, largest=12), st.sampled_from(WAYS), st.integers(0, 99))
def test_paths_are_the_cheapest(case, way, seed):
    check(case, finder_of(way, grid_of(case)), seed=seed)


@settings(max_examples=500)
@given(cases(topologies=SQUARE, largest=12), st.sampled_from(WAYS), st.integers(0, 2**32 - 1))
def test_paths_are_the_cheapest_among_walls_of_one_query(case, way, seed):
    finder = finder_of(way, grid_of(case))
    chance = np.random.default_rng(seed)
    free = [cell for cell in case.cells() if chance.random() < 0.85]
    case.blocked = set(case.cells()) - set(free) if case.clearance == 1 else set()
    for start, goal in pairs_of(case, 8, seed % 100):
        if start in case.blocked or goal in case.blocked:
            continue
        path, truth = finder.find(start, goal, blocked=np.array(sorted(case.blocked), int).reshape(-1, 2)), None
        truth = case.dijkstra(start)
        assert (path.status == wg.Status.FOUND) == (goal in truth)
        if goal in truth:
            assert path.cost == pytest.approx(truth[goal], rel=1e-7)
            assert path.cost == pytest.approx(case.path_cost(path.cells), rel=1e-12)


@settings(max_examples=300)
@given(cases(topologies=("octile",), largest=9, weighted=False, one_way=False), st.integers(0, 99))
def test_enumerated_trails_give_the_same_search(case, seed):
    grid = grid_of(case)
    bridges, trails = wg.make_finder("dead-end", grid), wg.make_finder("dead-end", grid, relevance="trails")
    for start, goal in pairs_of(case, 8, seed):
        one, other = bridges.find(start, goal), trails.find(start, goal)
        assert (one.status, one.cost) == (other.status, other.cost)
        zone = bridges.index["zone"].reshape(grid.height, grid.width)
        block = bridges.index["block"][[zone[start[::-1]], zone[goal[::-1]]]]
        if block[0] == block[1]:  # no bridge is crossed; trails may go back into a zone that a bridge has been left by
            assert one.stats.expanded == other.stats.expanded
            assert one.cells.tolist() == other.cells.tolist()


@settings(max_examples=300)
@given(cases(topologies=SQUARE, largest=9), st.sampled_from([way for way in WAYS if way[0] == "gateway"]))
def test_estimates_are_admissible_and_no_less_than_octile(case, way):
    grid = grid_of(case)
    cells = np.array(case.cells(), int).reshape(-1, 2)
    if len(cells) == 0:
        return
    starts, goals = np.repeat(cells, len(cells), axis=0), np.tile(cells, (len(cells), 1))
    batch = finder_of(way, grid).find_many(starts, goals, threads=1)
    plain = wg.make_finder("astar", grid).find_many(starts, goals, threads=1)
    h, octile = batch.rows[:, layout.ROW_ESTIMATE], plain.rows[:, layout.ROW_ESTIMATE]
    reached = batch.statuses == wg.Status.FOUND
    assert (batch.statuses == plain.statuses).all()
    assert (h[reached] >= octile[reached]).all()
    assert (h[reached] <= np.rint(plain.costs[reached] * grid.cardinal_price * (1 + 1e-7)) + 1e-6).all()


# The lower row is a zone of its own, behind a gate as wide as itself: a bridge. With a wall in it, the cheapest way
# from one end of it to the other leads out through that gate and in again.
AROUND = wg.Grid([[1, 1, 1, 1], [0, 1, 1, 1], [1, 1, 1, 1]])


def test_walls_of_one_query_can_make_a_dead_end_a_way_round():
    assert wg.decompose(AROUND).gates["bridge"].all()
    for way in (*WAYS, ("dead-end", {"relevance": "trails"})):
        path = finder_of(way, AROUND).find((3, 2), (1, 2), blocked=[(2, 2)])
        assert (path.status, path.cost) == (wg.Status.FOUND, 4.0), way


def test_the_way_round_is_lost_without_a_look_at_the_gate(monkeypatch):
    from waygrid.algorithms.zones import dead_end as deadend

    monkeypatch.setattr(deadend, "detours", lambda grid, moves, lines: np.zeros(0, np.int64))
    path = wg.make_finder("dead-end", AROUND).find((3, 2), (1, 2), blocked=[(2, 2)])
    assert path.status == wg.Status.UNREACHABLE


def two_rooms():
    return wg.Grid([[sign == "." for sign in row] for row in ("....#....", "....#....", ".........", "....#....")])


def test_dead_ends_are_never_entered():
    grid = two_rooms()
    finder = wg.make_finder("dead-end", grid)
    trace = finder.trace((0, 0), (3, 3))
    kinds = trace.events["kind"]
    assert not (trace.events["node"][kinds == layout.E_EXPANDING] % 9 > 4).any()
    assert trace.path.cost == pytest.approx(3 * 2**0.5)
    far = finder.trace((0, 0), (8, 0))
    assert not (far.events["kind"] == layout.E_PRUNED).any()


@pytest.mark.parametrize("options", [{}, {"relevance": "trails"}, {"dead_ends": True}])
def test_traces_show_where_zones_were_left_out(options, tmp_path):
    grid = wg.generate("maze", width=31, height=31, seed=5)
    finder = wg.make_finder("gateway" if "dead_ends" in options else "dead-end", grid, **options)
    zones, relevance = wg.decompose(grid).zones.reshape(-1), wg.make_finder("dead-end", grid)
    cells = np.argwhere(grid.passable)[:, ::-1].tolist()
    shown = 0
    for start, goal in zip(cells[::50], cells[-1::-50], strict=True):
        trace = finder.trace(tuple(start), tuple(goal))
        pruned = trace.events[trace.events["kind"] == layout.E_PRUNED]
        shown += len(pruned)
        assert not relevance.relevant(tuple(start), tuple(goal)).reshape(-1)[pruned["node"]].any()
        generated = set(zones[trace.events["node"][trace.events["kind"] == layout.E_GENERATING]].tolist())
        assert not generated & set(zones[pruned["node"]].tolist())
        trace.save(tmp_path / "a.trace.yaml")
        assert ("type: pruned" in (tmp_path / "a.trace.yaml").read_text()) == bool(len(pruned))
    assert shown


def test_relevant_cells():
    grid = two_rooms()
    finder = wg.make_finder("dead-end", grid)
    assert (finder.relevant((0, 0), (8, 0)) == grid.passable).all()
    assert not finder.relevant((0, 0), (3, 3))[:, 5:].any()
    assert finder._zones().shape == (4, 9)
    with pytest.raises(wg.WaygridError, match=r"start \(4, 0\)"):
        finder.relevant((4, 0), (0, 0))


@pytest.mark.parametrize("way", WAYS)
def test_saved_and_loaded(way, tmp_path):
    grid = wg.generate("rooms", width=40, height=30, seed=5)
    finder = finder_of(way, grid)
    finder.save(tmp_path / "zones.wgi")
    loaded = wg.load_finder(tmp_path / "zones.wgi", grid, verify=True)
    cells = np.argwhere(grid.passable)[:, ::-1]
    chance = np.random.default_rng(1)
    starts, goals = cells[chance.integers(len(cells), size=(2, 50))]
    one, other = finder.find_many(starts, goals), loaded.find_many(starts, goals)
    assert (one.rows == other.rows).all()
    assert (one.cells == other.cells).all()
    blocked = cells[chance.integers(len(cells), size=20)]
    kept = ~(goals[:, None] == blocked).all(axis=2).any(axis=1)
    one, other = (each.find_many(starts[kept], goals[kept], blocked=blocked) for each in (finder, loaded))
    assert (one.rows == other.rows).all()


def test_the_table_is_the_same_for_any_number_of_threads():
    grid = wg.generate("caves", width=60, height=50, seed=2)
    tables = [wg.make_finder("gateway", grid, threads=threads).index["costs"] for threads in (1, 2, 3)]
    assert all((table == tables[0]).all() for table in tables)


def test_tables_take_the_smallest_type():
    passable = wg.generate("rooms", width=60, height=60, seed=3).passable
    kinds = {metric: wg.make_finder("gateway", wg.Grid(passable, metric=metric)).index for metric in ("bg", "octile")}
    assert kinds["bg"]["costs"].dtype == np.uint16
    assert kinds["bg"]["scale"][0] == 50
    assert kinds["octile"]["costs"].dtype == np.uint32
    assert kinds["octile"]["scale"][0] == 1
    assert kinds["bg"]["zone"].dtype == np.uint16


@settings(max_examples=150)
@given(cases(topologies=SQUARE, largest=8), st.sampled_from((None, 1, 3)))
def test_gate_costs_are_the_least_of_all_crossings(case, length):
    """By the oracle's distances: out by one move of a gate, and in by one move of another."""
    from waygrid.algorithms.zones.zones import find_ports

    grid = grid_of(case)
    ports = find_ports(grid, gate_length=length)
    index = wg.make_finder("gateway", grid, gate_length=length, threads=1).index
    truth = {cell: case.dijkstra(cell) for cell in case.cells()}
    directions, ways = list(case.steps(0)), [[] for _ in ports.enters]
    for cell, d, port in ports.moves.tolist():
        x, y = cell % grid.width, cell // grid.width
        dx, dy = case.steps(x)[directions[d]]
        price = next(price for nx, ny, price in case.neighbours(x, y) if (nx, ny) == (x + dx, y + dy))
        ways[port].append(((x, y), (x + dx, y + dy), price))
    for r in range(len(ways)):
        for c in range(len(ways)):
            if r == c:
                continue
            into = int(ports.opposite[c])
            least = min((price for _, _, price in ways[r]), default=np.inf) if into == r else np.inf
            for _, head, price in ways[r] if into != r else ():
                for tail, _, last in ways[into]:
                    least = min(least, price + truth[head].get(tail, np.inf) + last)
            found = int(index["costs"][r, c])
            cost = np.inf if found == index["scale"][1] else found * int(index["scale"][0]) / grid.cardinal_price
            assert cost == pytest.approx(least, rel=1e-7)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("gateway", {"dead_ends": 1}, "dead_ends is 1; allowed are True, False"),
        ("gateway", {"table": "all"}, "table is 'all'; allowed are pairs, zones"),
        ("gateway", {"gate_length": 0}, "gate_length is 0; allowed are the integers from 1"),
        ("gateway", {"gate_length": "long"}, "gate_length is 'long'; allowed are the integers from 1, auto, or None"),
        ("gateway", {"device": "gpu"}, "gateway builds on device 'cpu' only"),
        ("dead-end", {"relevance": "both"}, "relevance is 'both'; allowed are bridges, trails"),
        ("dead-end", {"decomposition": "x"}, "decomposition is 'x'; allowed are repaired, printed"),
    ],
)
def test_bad_options(name, options, message):
    with pytest.raises(wg.WaygridError, match=message):
        wg.make_finder(name, wg.Grid(np.ones((3, 3), bool)), **options)


def test_what_they_cannot_do_is_refused():
    with pytest.raises(wg.WaygridError, match="does not support topology 'hex'"):
        wg.make_finder("gateway", wg.Grid(np.ones((3, 3), bool), topology="hex"))
    with pytest.raises(wg.WaygridError, match="relevance='trails' is for plain ground"):
        wg.make_finder("dead-end", wg.Grid(np.ones((3, 3), bool), weights=np.full((3, 3), 2)), relevance="trails")


def test_finders_of_maps_of_one_size_do_not_share_notes():
    one = [[1, 1, 1, 0, 1, 1, 1], [1] * 7, [1] * 7, [1] * 7, [1] * 6 + [0], [0, 1, 1, 1, 1, 0, 1], [1] * 7]
    other = [[1, 0, 1, 1, 1, 1, 1], [1, 0, 0, 1, 1, 0, 1], [0, 1, 1, 0, 1, 1, 0], [1, 1, 0, 1, 0, 1, 1], [1] * 7]
    other += [[1] * 7, [1, 0, 0, 0, 1, 1, 0]]
    a, b = (wg.make_finder("gateway", wg.Grid(rows, metric="kumar"), gate_length=1) for rows in (one, other))
    for start, goal in [((6, 0), (6, 3)), ((4, 2), (4, 1)), ((1, 1), (1, 5)), ((3, 5), (1, 4)), ((6, 0), (4, 3))]:
        a.find(start, goal)
    a.find((2, 4), (4, 5))
    assert b.find((5, 6), (2, 0)).cost == pytest.approx(8.4)


@pytest.mark.parametrize("way", WAYS)
def test_partial_paths_towards_walls_and_other_parts(way):
    grid = wg.Grid([[1, 1, 0, 1, 1], [1, 1, 0, 1, 1], [1, 1, 1, 1, 1], [0, 0, 0, 0, 0], [1, 1, 1, 1, 1]])
    finder, astar = finder_of(way, grid), wg.make_finder("astar", grid)
    for goal in ((2, 0), (4, 4)):
        path, truth = (each.find((0, 0), goal, partial=True) for each in (finder, astar))
        assert (path.status, path.cost) == (wg.Status.PARTIAL, truth.cost)
        assert path.stats.estimate == truth.stats.estimate
    assert finder._estimate(np.array((0, 0)), np.array((4, 0))) >= astar._estimate(np.array((0, 0)), np.array((4, 0)))


def test_relevant_cells_where_a_gate_may_be_passed_twice():
    weights = [[1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 60, 1]]
    finder = wg.make_finder("dead-end", wg.Grid(AROUND.passable, weights=weights))
    path = finder.find((3, 2), (1, 2))
    relevant = finder.relevant((3, 2), (1, 2))
    assert all(relevant[y, x] for x, y in path.cells)


def test_traced_estimates_are_those_of_the_cells():
    grid = wg.generate("rooms", width=40, height=40, seed=3)
    cells = np.argwhere(grid.passable)[:, ::-1]
    chance = np.random.default_rng(1)
    for way in WAYS:
        finder = finder_of(way, grid)
        for start, goal in chance.choice(cells, (10, 2)).tolist():
            last = {}
            for kind, node, _, _, h in finder.trace(tuple(start), tuple(goal)).events.tolist():
                if kind in (layout.E_GENERATING, layout.E_UPDATING):
                    last[node] = h
                elif kind in (layout.E_EXPANDING, layout.E_CLOSING):
                    assert h == last[node]


def test_a_table_of_too_many_gates_is_refused(monkeypatch):
    from waygrid.algorithms.zones import gateway

    monkeypatch.setattr(gateway, "_LARGEST_TABLE", 1000)
    grid = wg.generate("rooms", width=40, height=40, seed=3)
    with pytest.raises(wg.WaygridError, match="are allowed; take table='zones', or dead-end"):
        wg.make_finder("gateway", grid, gate_length=1)
    assert wg.make_finder("gateway", grid, gate_length=1, table="zones").find((1, 1), (38, 38)).status


def test_numbers_of_searches_beginning_anew_do_not_mix_up_notes():
    """Notes are stamped with the number of the search, as records are; after the last number the first comes again."""
    grid = wg.generate("rooms", width=30, height=30, seed=4)
    cells = np.argwhere(grid.passable)[:, ::-1]
    chance = np.random.default_rng(2)
    starts, goals = cells[chance.integers(len(cells), size=(2, 40))]
    truth = wg.make_finder("dijkstra", grid).find_many(starts, goals).costs
    for way in (*WAYS, ("dead-end", {"relevance": "trails"})):
        finder = finder_of(way, grid)
        finder._refresh()
        scratch = finder._pool.take()
        scratch.ctl[layout.SEARCH] = layout.LAST_SEARCH - 20
        finder._pool.give(scratch)
        assert np.allclose(finder.find_many(starts, goals, threads=1).costs, truth), way
        assert np.allclose(finder.find_many(goals, starts, threads=1).costs, truth), way
        scratch = finder._pool.take()
        scratch.ctl[layout.SEARCH] = layout.LAST_SEARCH  # and the next query needs no search
        finder._pool.give(scratch)
        finder.find(starts[0], starts[0])
        assert np.allclose(finder.find_many(starts, goals, threads=1).costs, truth), way
