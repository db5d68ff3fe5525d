"""D LRTA*: the rule against a plain version, arrival, quality by level, the index, what is refused."""

import numpy as np
import pytest
from cases import cases, grid_of, pairs_of
from hypothesis import given, settings
from hypothesis import strategies as st

import waygrid as wg
from waygrid.algorithms.realtime.dlrta_groups import find_cliques
from waygrid.core import layout

MAPS = cases(topologies=("tile", "octile"), one_way=False, weighted=False, largest=14)


def many(grid, count=200, seed=1):
    cells = np.argwhere(grid.components == np.bincount(grid.components[grid.components >= 0]).argmax())[:, ::-1]
    return cells[np.random.default_rng(seed).integers(len(cells), size=(2, count))]


def looked_up(index, node, goal):
    """Read the table plainly."""
    bits = int(index["bits"][0])
    row = index["runs"][index["row_first"][node] : index["row_first"][node + 1]].astype(np.int64)
    run = row[np.searchsorted(row >> bits, index["places"][goal], side="right") - 1]
    return int(index["exits"][index["offsets"][node] + (run & ((1 << bits) - 1))])


def plain_walk(case, grid, region, index, start, goal):
    """Head for the subgoal by LRTA* with one cell of lookahead, until in its node; in the goal's node for the goal."""
    straight, diagonal = grid.cardinal_price, int(grid.table.geo[layout.DIAGONAL])
    names, width = list(case.steps(0)), grid.width

    def node(cell):
        return int(region[cell[1] * width + cell[0]])

    def estimate(cell, aim):
        dx, dy = abs(cell[0] - aim[0]), abs(cell[1] - aim[1])
        octile = straight * max(dx, dy) + (diagonal - straight) * min(dx, dy)
        return octile if case.topology == "octile" else straight * (dx + dy)

    walk, learned, aim, wanted = [start], {}, None, node(start)
    while walk[-1] != goal:
        here = walk[-1]
        if aim != goal and node(here) == wanted:
            learned = {}
            if node(here) == node(goal):
                aim = goal
            else:
                cell = looked_up(index, node(here), node(goal))
                aim = cell % width, cell // width
                wanted = node(aim)
        options = []
        for x, y, _ in case.neighbours(*here):
            by = next(k for k, name in enumerate(names) if case.steps(here[0])[name] == (x - here[0], y - here[1]))
            cost = diagonal if x != here[0] and y != here[1] else straight
            options.append((cost + learned.get((x, y), estimate((x, y), aim)), -cost, by, (x, y)))
        best = min(options)
        learned[here] = max(learned.get(here, estimate(here, aim)), best[0])
        walk.append(best[3])
    return walk


@pytest.mark.quick
@settings(max_examples=200)
@given(MAPS, st.integers(1, 4), st.integers(0, 99))
def test_the_walk_goes_from_subgoal_to_subgoal(case, level, seed):
    grid = grid_of(case)
    finder = wg.make_finder("dlrta", grid, level=level, max_moves=10**6)
    finder.verify()
    region = find_cliques(grid, level, 1).region
    for start, goal in pairs_of(case, 4, seed):
        path = finder.find(start, goal)
        if goal not in case.dijkstra(start):
            assert path.status == wg.Status.UNREACHABLE
            continue
        assert path.status == wg.Status.FOUND
        cells = [tuple(cell) for cell in path.cells.tolist()]
        assert cells == plain_walk(case, grid, region, finder.index, start, goal)
        assert path.cost == pytest.approx(case.path_cost(cells))
        assert path.stats.expanded == len(cells) - 1


@settings(max_examples=150)
@given(MAPS, st.integers(1, 4), st.integers(1, 4), st.integers(1, 20), st.integers(0, 99))
def test_agents_arrive_with_any_lookahead_and_hold_to_their_bound(case, level, lookahead, expansions, seed):
    finder = wg.make_finder("dlrta", grid_of(case), level=level, lookahead=lookahead, max_moves=10**6)
    for start, goal in pairs_of(case, 3, seed):
        agent = finder.agents([start], [goal], expansions, history=True)
        while not agent.done.all():
            agent.step()
        assert (agent.statuses[0] == wg.Status.FOUND) == (goal in case.dijkstra(start))
        assert agent.max_expanded[0] <= min(expansions, (2 * lookahead - 1) ** 2)
        case.path_cost(agent.paths()[0])


def test_lower_levels_make_shorter_ways_and_all_far_shorter_than_without_subgoals():
    grid = wg.generate("caves", width=160, height=120, seed=3)
    starts, goals = many(grid)
    best = wg.make_finder("astar", grid).find_many(starts, goals).costs.sum()
    over = [wg.make_finder("dlrta", grid, level=k).find_many(starts, goals).costs.sum() / best - 1 for k in (2, 4, 6)]
    assert 0 < over[0] < over[1] < over[2]
    assert over[0] < 0.07
    assert wg.make_finder("lrta", grid).find_many(starts, goals).costs.sum() / best - 1 > 5 * over[2]


def test_the_level_follows_from_the_map_and_the_index_is_small():
    for side, level in ((40, 1), (240, 3)):
        grid = wg.generate("caves", width=side, height=side, seed=1)
        sizes = wg.make_finder("dlrta", grid).subgoals()
        assert (sizes["level"], sizes["regions"] <= 2500) == (level, True)
    finder = wg.make_finder("dlrta", grid, level=5)
    assert finder.subgoals()["level"] == 5
    assert finder.memory.fixed_bytes == sum(array.nbytes for array in finder.index.values()) < 240 * 240 * 8


def test_saved_and_loaded(tmp_path):
    grid = wg.generate("rooms", width=80, height=60, seed=5)
    finder = wg.make_finder("dlrta", grid, level=3, lookahead=2)
    finder.save(tmp_path / "subgoals.wgi")
    loaded = wg.load_finder(tmp_path / "subgoals.wgi", grid, verify=True)
    starts, goals = many(grid, 60)
    one, other = finder.find_many(starts, goals), loaded.find_many(starts, goals)
    assert (one.rows == other.rows).all()
    assert (one.cells == other.cells).all()


def test_a_changed_subgoal_is_noticed():
    grid = wg.generate("maze", width=41, height=41, seed=3)
    finder = wg.make_finder("dlrta", grid, level=3)
    index = finder.index
    for exits, words in (
        (np.full_like(index["exits"], index["exits"][0]), "the stored subgoals do not lead from abstract node"),
        (index["exits"], None),
    ):
        finder.index = index | {"exits": exits}
        if words is None:
            finder.verify()
        else:
            with pytest.raises(wg.WaygridError, match=words):
                finder.verify()


def test_traces_show_subgoals_and_moves():
    grid = wg.generate("rooms", width=80, height=60, seed=5)
    finder = wg.make_finder("dlrta", grid, level=3)
    for start, goal in np.stack(many(grid, 20), axis=1).tolist():
        trace = finder.trace(tuple(start), tuple(goal))
        moves = trace.events[trace.events["kind"] == layout.E_MOVE]
        cells = [[int(node % 80), int(node // 80)] for node in moves["node"]]
        assert cells == trace.path.cells[1:].tolist()
        subgoals = trace.events["node"][trace.events["kind"] == layout.E_SUBGOAL]
        assert set(subgoals.tolist()) <= {*finder.index["exits"].tolist(), goal[1] * 80 + goal[0]}
        assert len(subgoals) <= finder.subgoals()["regions"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 0}, "level is 0; allowed are the integers from 1 to 16, or None"),
        ({"level": True}, "level is True; allowed are the integers from 1 to 16, or None"),
        ({"level": "high"}, "level is 'high'; allowed are the integers from 1 to 16, or None"),
        ({"lookahead": 0}, "lookahead is 0; allowed are the integers from 1 to 16"),
        ({"max_moves": 0}, "max_moves is 0; allowed are the integers from 1"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(wg.WaygridError, match=message):
        wg.make_finder("dlrta", wg.Grid([[1, 1]]), **options)


def test_an_edited_map_is_refused_where_that_is_wanted():
    grid = wg.Grid(np.ones((6, 6), bool))
    finder = wg.make_finder("dlrta", grid, edits="refuse")
    grid.set_passable((3, 3), False)
    with pytest.raises(wg.WaygridError, match="the index of dlrta was built for version 0 of the grid"):
        finder.find((0, 0), (5, 5))
