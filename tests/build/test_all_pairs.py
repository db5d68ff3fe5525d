"""Distances between all nodes of a graph, compared with Dijkstra's algorithm."""

import heapq

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from waygrid.build import all_pairs
from waygrid.core import elimination


def dijkstra(count, edges, source):
    near = [[] for _ in range(count)]
    for tail, head, cost in edges:
        near[tail].append((head, cost))
        near[head].append((tail, cost))
    done, waiting = {}, [(0, source)]
    while waiting:
        cost, node = heapq.heappop(waiting)
        if node not in done:
            done[node] = cost
            for other, price in near[node]:
                heapq.heappush(waiting, (cost + price, other))
    return done


def take_out(count, edges):
    ends = np.array([edge[:2] for edge in edges], np.int64).reshape(-1, 2)
    first, tails, heads = all_pairs.list_edges(count, ends[:, 0], ends[:, 1])
    price = {frozenset(edge[:2]): edge[2] for edge in edges}
    costs = np.array([price[frozenset((a, b))] for a, b in zip(tails.tolist(), heads.tolist(), strict=True)], np.int64)
    return all_pairs.take_out_nodes(first, heads, costs)


@st.composite
def graphs(draw):
    count = draw(st.integers(0, 90))
    chance = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    most = draw(st.sampled_from((1, 9, 10**4, 2**40)))
    edges = {}
    for _ in range(int(count * draw(st.sampled_from((0.5, 1.5, 4))))):
        tail, head = (int(end) for end in chance.integers(0, count, 2))
        if tail != head:
            edges[min(tail, head), max(tail, head)] = int(chance.integers(1, most, endpoint=True))
    return count, [(*ends, cost) for ends, cost in edges.items()]


@settings(max_examples=200)
@given(graphs())
def test_distances_are_those_of_dijkstra(graph):
    count, edges = graph
    upward = take_out(count, edges)
    assert sorted(upward.rank.tolist()) == list(range(count))
    owner = np.repeat(np.arange(count), np.diff(upward.first))
    assert (upward.upper < owner).all()
    memory = upward.columns()
    for first in range(0, count, all_pairs.COLUMNS):
        sources = np.arange(first, min(count, first + all_pairs.COLUMNS))
        dist = upward.measure(sources, memory)
        for k, source in enumerate(sources.tolist()):
            truth = dijkstra(count, edges, source)
            assert dist[upward.rank, k].tolist() == [truth.get(node, upward.far) for node in range(count)]


def test_lists_grow_as_they_are_needed():
    """A star whose middle goes first would join all others; on a wheel lists have to move to get longer."""
    spokes = [(0, node, 3) for node in range(1, 60)]
    rim = [(node, node % 59 + 1, 1) for node in range(1, 60)]
    upward = take_out(60, spokes + rim)
    dist = upward.measure(np.arange(60), upward.columns())
    for source in range(60):
        truth = dijkstra(60, spokes + rim, source)
        assert dist[upward.rank, source].tolist() == [truth[node] for node in range(60)]


def test_only_detours_are_marked():
    first, _, heads = all_pairs.list_edges(4, np.array([0, 1, 0, 2, 0]), np.array([1, 2, 2, 3, 3]))
    price = {(0, 1): 2, (1, 2): 3, (0, 2): 5, (2, 3): 1, (0, 3): 5}
    tails = np.repeat(np.arange(4), np.diff(first))
    costs = np.array([price[tuple(sorted(pair))] for pair in zip(tails.tolist(), heads.tolist(), strict=True)])
    marks = np.zeros(len(heads), np.uint8)
    elimination.mark_detours(first, heads, costs, marks)
    gone = np.sort(np.stack((tails, heads), axis=1)[marks != 0], axis=1)
    assert np.unique(gone, axis=0).tolist() == [[0, 2]]


def test_wide_numbers_only_where_they_are_needed():
    assert take_out(3, [(0, 1, 5), (1, 2, 7)]).prices.dtype == np.int32
    assert take_out(3, [(0, 1, 2**30), (1, 2, 7)]).prices.dtype == np.int64
