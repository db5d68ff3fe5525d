"""Searches on graphs: the cheapest paths, with and without boxes, whatever the graph."""

from itertools import pairwise

import numpy as np
import pytest
from graph.support import BOUNDED, NAMES, Drawn, dijkstra, drawn_graphs
from hypothesis import given, settings
from hypothesis import strategies as st

import waygrid as wg

pytestmark = pytest.mark.quick

TIES = ("one", "all")


def finders(graph):
    """Make every finder in every mode."""
    for name in NAMES:
        for options in [{"ties": ties} for ties in TIES] if name in BOUNDED else [{}]:
            yield wg.make_finder(name, graph, **options)


def walked(links, path):
    """Return the exact cost of a path, which must follow the edges."""
    nodes = path.nodes.tolist()
    assert all(b in links[a] for a, b in pairwise(nodes))
    return sum(links[a][b] for a, b in pairwise(nodes))


@settings(max_examples=600)
@given(drawn_graphs())
def test_all_pairs_cost_what_the_oracle_says(drawn):
    graph, links = drawn.graph, drawn.links()
    count = len(graph)
    starts, goals = np.divmod(np.arange(count * count), count)
    truth = [dijkstra(links, source) for source in range(count)]
    for finder in finders(graph):
        batch = finder.find_many(starts, goals, threads=1)
        for start, goal, path in zip(starts.tolist(), goals.tolist(), batch, strict=True):
            if goal not in truth[start]:
                assert (path.status, path.cost, len(path)) == (wg.Status.UNREACHABLE, float("inf"), 0)
                continue
            assert path.status == wg.Status.FOUND
            assert (path.nodes[0], path.nodes[-1]) == (start, goal)
            assert len(set(path.nodes.tolist())) == len(path)
            cost = walked(links, path)
            assert path.cost == pytest.approx(float(cost), rel=1e-12)
            assert float(cost) == pytest.approx(float(truth[start][goal]), rel=1e-9)


@settings(max_examples=300)
@given(drawn_graphs(whole=True))
def test_whole_costs_are_exact(drawn):
    graph, links = drawn.graph, drawn.links()
    truth = dijkstra(links, 0)
    for finder in finders(graph):
        for goal in range(len(graph)):
            assert finder.find(0, goal).cost == float(truth.get(goal, "inf"))


def holds(finder, arc, goal):
    places, box = finder.index["places"][goal], finder.index["boxes"][arc]
    return bool(((box[::2] <= places) & (places <= box[1::2])).all())


@settings(max_examples=300)
@given(drawn_graphs(), st.sampled_from(BOUNDED))
def test_boxes_hold_their_goals(drawn, name):
    """All: every goal to which the edge begins a cheapest path. One: of all those edges at least one."""
    graph = drawn.graph
    every, one = (wg.make_finder(name, graph, ties=ties) for ties in ("all", "one"))
    # In the integers that the searches use, so that ties are ties.
    links = {node: {} for node in range(len(graph))}
    for arc in graph.arcs:
        links[int(arc["source"])][int(arc["target"])] = int(arc["cost"])
    truth = [dijkstra(links, source) for source in range(len(graph))]
    for source in range(len(graph)):
        arcs = range(int(graph.offsets[source]), int(graph.offsets[source + 1]))
        reached = {arc: [] for arc in arcs}
        for goal in set(truth[source]) - {source}:
            begin = []
            for arc in arcs:
                target = int(graph.arcs[arc]["target"])
                if int(graph.arcs[arc]["cost"]) + truth[target].get(goal, 10**30) == truth[source][goal]:
                    begin.append(arc)
                    reached[arc].append(goal)
            assert all(holds(every, arc, goal) for arc in begin)
            assert any(holds(one, arc, goal) for arc in begin)
        for arc in arcs:
            box = every.index["boxes"][arc]
            places = every.index["places"][reached[arc]]
            if reached[arc]:  # and not more than those
                assert box[::2].tolist() == places.min(axis=0).tolist()
                assert box[1::2].tolist() == places.max(axis=0).tolist()
            else:
                assert (box[::2] > box[1::2]).all()
            # A box of one label lies inside that of all ties.
            small = one.index["boxes"][arc]
            assert (small[::2] >= box[::2]).all() or (small[::2] > small[1::2]).all()
            assert (small[1::2] <= box[1::2]).all()


@settings(max_examples=200)
@given(drawn_graphs(), st.sampled_from((1.0, 1.5, 3.0, 100.0)))
def test_an_overestimate_bounds_the_cost(drawn, weight):
    graph, links = drawn.graph, drawn.links()
    truth = dijkstra(links, 0)
    for name in ("astar", "astar-gb"):
        finder = wg.make_finder(name, graph, weight=weight)
        assert finder.optimal == (weight <= 1)
        for goal in range(len(graph)):
            path = finder.find(0, goal)
            assert (goal in truth) == (path.status == wg.Status.FOUND)
            if goal in truth:
                assert float(truth[goal]) * (1 - 1e-9) <= path.cost <= weight * float(truth[goal]) * (1 + 1e-9)


@settings(max_examples=200)
@given(drawn_graphs())
def test_the_estimate_is_admissible(drawn):
    graph, links = drawn.graph, drawn.links()
    finder = wg.make_finder("astar", graph)
    for goal, cost in dijkstra(links, 0).items():
        assert finder.find(0, goal).stats.estimate <= float(cost) * (1 + 1e-9)


def test_a_node_of_many_edges():
    """More than 64 edges leave one node: the marks of all ties go round several times."""
    rim = 150
    angle = np.linspace(0, 2 * np.pi, rim, endpoint=False)
    points = np.concatenate(([(0, 0)], np.stack([np.cos(angle), np.sin(angle)], axis=1)))
    edges = [(0, k) for k in range(1, rim + 1)] + [(k, k % rim + 1) for k in range(1, rim + 1)]
    drawn = Drawn(points, np.array(edges), np.ones(len(edges)), False)
    graph, links = drawn.graph, drawn.links()
    for finder in finders(graph):
        for start in (0, 1, 77):
            truth = dijkstra(links, start)
            assert finder.find_many([start] * (rim + 1), range(rim + 1)).costs.tolist() == [
                float(truth[k]) for k in range(rim + 1)
            ]
    all_ties = wg.make_finder("astar-gb", graph, ties="all").index
    for arc in range(rim):  # each spoke leads to its own end alone
        place = all_ties["places"][arc + 1]
        assert all_ties["boxes"][arc].tolist() == [place[0], place[0], place[1], place[1]]


def waypoints(side=40, seed=3):
    """A city of crossings, a third of the streets missing."""
    chance = np.random.default_rng(seed)
    y, x = np.divmod(np.arange(side * side), side)
    points = np.stack([x, y], axis=1) + chance.random((side * side, 2)) * 0.6
    right, down = np.flatnonzero(x < side - 1), np.flatnonzero(y < side - 1)
    edges = np.concatenate([np.stack([right, right + 1], 1), np.stack([down, down + side], 1)])
    return wg.Graph(points, edges[chance.random(len(edges)) > 0.3])


def test_boxes_save_expansions():
    graph = waypoints()
    chance = np.random.default_rng(0)
    starts, goals = chance.integers(0, len(graph), (2, 300))
    batches = {finder.info.name: finder.find_many(starts, goals) for finder in finders(graph)}
    expanded = {name: int(batch.expanded.sum()) for name, batch in batches.items()}
    assert expanded["astar-gb"] < expanded["astar"] / 3
    assert expanded["dijkstra-gb"] < expanded["dijkstra"] / 8
    for batch in batches.values():
        assert batch.costs == pytest.approx(batches["dijkstra"].costs)


def test_threads_change_nothing():
    graph = waypoints(20)
    chance = np.random.default_rng(1)
    starts, goals = chance.integers(0, len(graph), (2, 500))
    indexes = [wg.make_finder("astar-gb", graph, threads=threads).index for threads in (1, 3)]
    assert all((indexes[0][name] == indexes[1][name]).all() for name in ("boxes", "places"))
    for finder in finders(graph):
        one, many = (finder.find_many(starts, goals, threads=threads) for threads in (1, 4))
        assert (one.rows == many.rows).all()
        assert (one.nodes == many.nodes).all()
        assert (one.costs == many.costs).all()
        for number in (0, 17, 499, -1):
            alone = finder.find(int(starts[number]), int(goals[number]))
            assert alone.nodes.tolist() == one[number].nodes.tolist()
            assert (alone.cost, alone.stats) == (one[number].cost, one[number].stats)


def test_expansion_order():
    graph = waypoints(12)
    for finder in finders(graph):
        order = finder.expansion_order(0, 130)
        assert len(order) == finder.find(0, 130).stats.expanded
        assert (order[0], order[-1]) == (0, 130)
    assert wg.make_finder("astar", graph).expansion_order(5, 5).tolist() == []
