"""The clique abstraction and its table of subgoals against obvious versions."""

from itertools import combinations

import numpy as np
import pytest
from cases import cases, grid_of
from hypothesis import given, settings
from hypothesis import strategies as st

import waygrid as wg
from waygrid.algorithms.realtime.dlrta_groups import Graph, cell_graph, find_cliques, merge_groups
from waygrid.algorithms.realtime.dlrta_table import MOST_NODES, ExitWork, subgoal_table
from waygrid.algorithms.regions.hcdps_query import region_of
from waygrid.build.sweep import Plan, sweep

MAPS = cases(topologies=("tile", "octile"), one_way=False, weighted=False, largest=12)


def sets_of(graph):
    """The neighbours of every node, as sets."""
    return [set(graph.neighbours[a:b].tolist()) for a, b in zip(graph.offsets[:-1], graph.offsets[1:], strict=True)]


def plain_cliques(near):
    """Merge greedily, larger cliques first, earlier nodes first; tails join last."""
    clique_of, tails = {}, {node for node in range(len(near)) if len(near[node]) == 1}
    for size in (4, 3, 2):
        for node in range(len(near)):
            free = sorted(n for n in near[node] if n > node and n not in clique_of and n not in tails)
            if node in clique_of or node in tails:
                continue
            for others in combinations(free, size - 1):
                if all(b in near[a] for a, b in combinations(others, 2)):
                    for member in (node, *others):
                        clique_of[member] = node
                    break
    for node in range(len(near)):
        if node not in clique_of and node not in tails:
            clique_of[node] = node
    for node in sorted(tails):
        (only,) = near[node]
        clique_of[node] = clique_of.setdefault(only, node)
    numbers = {name: number for number, name in enumerate(dict.fromkeys(clique_of[node] for node in range(len(near))))}
    return [numbers[clique_of[node]] for node in range(len(near))]


@settings(max_examples=300)
@given(MAPS)
def test_every_level_merges_disjoint_cliques_and_their_tails(case):
    grid = grid_of(case)
    cells, graph = cell_graph(grid)
    places = [(int(cell % grid.width), int(cell // grid.width)) for cell in cells]
    assert places == sorted(case.cells(), key=lambda cell: (cell[1], cell[0]))
    numbers = {place: number for number, place in enumerate(places)}
    near = sets_of(graph)
    assert near == [{numbers[x, y] for x, y, _ in case.neighbours(*place)} for place in places]
    while len(graph.neighbours):
        group, above = merge_groups(graph)
        assert group.tolist() == plain_cliques(near)
        assert above.nodes < graph.nodes
        members = [set(np.flatnonzero(group == clique).tolist()) for clique in range(above.nodes)]
        for clique, nodes in enumerate(members):
            core = {node for node in nodes if len(near[node]) > 1} or nodes
            assert 1 <= len(core) <= 4
            assert all(b in near[a] for a, b in combinations(core, 2))  # a clique
            assert all(near[node] <= core for node in nodes - core)  # and tails
            touched = {int(group[n]) for node in nodes for n in near[node]} - {clique}
            assert above.neighbours[above.offsets[clique] : above.offsets[clique + 1]].tolist() == sorted(touched)
        graph, near = above, sets_of(above)


@settings(max_examples=200)
@given(MAPS, st.integers(0, 6))
def test_nodes_are_connected_parts_with_a_cell_near_their_mean(case, level):
    grid = grid_of(case)
    cut = find_cliques(grid, level, 1)
    assert cut.level <= level
    assert sorted(set(cut.region.tolist()) - {-1}) == list(range(len(cut.centres)))
    assert (cut.region >= 0).tolist() == (grid.table.walk > 0).tolist()
    for node, centre in enumerate(cut.centres.tolist()):
        inside = {(int(c % grid.width), int(c // grid.width)) for c in np.flatnonzero(cut.region == node)}
        assert (centre % grid.width, centre // grid.width) in inside
        mean = tuple(sum(cell[axis] for cell in inside) // len(inside) for axis in (0, 1))
        assert mean not in inside or (centre % grid.width, centre // grid.width) == mean
        found, todo = {min(inside)}, [min(inside)]
        while todo:
            for x, y, _ in case.neighbours(*todo.pop()):
                if (x, y) in inside - found:
                    found.add((x, y))
                    todo.append((x, y))
        assert found == inside


def test_open_ground_becomes_blocks():
    cut = find_cliques(wg.Grid(np.ones((8, 8), bool)), 2, 1)
    assert cut.region.reshape(8, 8).tolist() == np.kron([[0, 1], [2, 3]], np.ones((4, 4), int)).tolist()
    assert cut.centres.tolist() == [9, 13, 41, 45]


def test_tails_join_last():
    star = Graph(np.array([0, 4, 5, 6, 7, 8], np.int32), np.array([1, 2, 3, 4, 0, 0, 0, 0], np.int32))
    assert merge_groups(star)[0].tolist() == [0, 0, 0, 0, 0]
    pair = Graph(np.array([0, 1, 2, 2], np.int32), np.array([1, 0], np.int32))
    assert merge_groups(pair)[0].tolist() == [0, 0, 1]


def test_levels_are_chosen_by_the_number_of_nodes():
    grid = wg.generate("caves", width=120, height=90, seed=1)
    sizes = [len(find_cliques(grid, level, 1).centres) for level in range(8)]
    assert sizes == sorted(sizes, reverse=True)
    for enough in (sizes[2], sizes[4] + 1, sizes[5] - 1):
        chosen = find_cliques(grid, None, enough)
        assert len(chosen.centres) <= enough < sizes[chosen.level - 1]


def built(grid, level, threads=1):
    cut = find_cliques(grid, level, 1)
    return subgoal_table(cut, sweep(ExitWork(grid, cut), Plan(threads=threads), "exits")["exits"])


def subgoal(table, node, goal):
    """Read the table plainly."""
    bits = int(table["bits"][0])
    row = table["runs"][table["row_first"][node] : table["row_first"][node + 1]].astype(np.int64)
    if not len(row):
        return None
    run = row[np.searchsorted(row >> bits, table["places"][goal], side="right") - 1]
    return int(table["exits"][table["offsets"][node] + (run & ((1 << bits) - 1))])


@settings(max_examples=200)
@given(MAPS, st.integers(1, 3))
def test_subgoals_lie_outside_on_cheapest_ways_and_come_nearer(case, level):
    grid = grid_of(case)
    width, cut = grid.width, find_cliques(grid, level, 1)
    table = built(grid, level)
    assert [region_of(table["spans"], table["bits"], cell) for cell in np.flatnonzero(cut.region >= 0)] == cut.region[
        cut.region >= 0
    ].tolist()
    places = [(centre % width, centre // width) for centre in cut.centres.tolist()]
    truth = [case.dijkstra(place) for place in places]
    for goal, node in np.ndindex(len(places), len(places)):
        if goal == node or places[node] not in truth[goal]:
            continue
        cell = subgoal(table, node, goal)
        place, there = (cell % width, cell // width), int(cut.region[cell])
        assert there != node
        assert truth[node][place] + truth[goal][place] == pytest.approx(truth[goal][places[node]])
        assert truth[goal][places[there]] < truth[goal][places[node]]


def test_the_table_is_the_same_for_any_number_of_threads_and_either_flood():
    grid = wg.generate("caves", width=90, height=90, seed=5, corners="one")
    one, other = (built(grid, 3, threads) for threads in (1, 3))
    assert all((one[name] == other[name]).all() for name in one)
    ground = wg.generate("caves", width=90, height=90, seed=5)
    heavy = wg.Grid(ground.passable, weights=np.ones(ground.passable.shape, int))  # not for the canonical flood
    one, other = (built(each, 3) for each in (ground, heavy))
    assert all((one[name] == other[name]).all() for name in one)


def test_too_many_nodes_are_refused():
    side = int((4 * MOST_NODES) ** 0.5) + 2
    words = f"level 1 makes {(side // 2) ** 2} abstract nodes of this map, at most {MOST_NODES} are allowed"
    with pytest.raises(wg.WaygridError, match=words):
        wg.make_finder("dlrta", wg.Grid(np.ones((side // 2 * 2, side // 2 * 2), bool)), level=1)


def test_too_many_parts_are_called_parts():
    apart = np.zeros((2, 2 * MOST_NODES + 2), bool)
    apart[:, ::2] = True
    words = f"this map has {MOST_NODES + 1} connected components; at most {MOST_NODES} are allowed"
    with pytest.raises(wg.WaygridError, match=words):
        wg.make_finder("dlrta", wg.Grid(apart))
