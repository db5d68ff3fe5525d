"""Graphs of networkx: the same costs, and names that stay."""

import networkx as nx
import numpy as np
import pytest

import waygrid as wg


def placed(graph, seed=0, axes=2):
    chance = np.random.default_rng(seed)
    for node in graph.nodes:
        graph.nodes[node]["pos"] = tuple(chance.random(axes))
    return graph


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
@pytest.mark.parametrize("axes", [2, 3])
def test_costs_are_those_of_networkx(kind, axes):
    chance = np.random.default_rng(axes)
    theirs = kind()
    theirs.add_nodes_from("abcdefghijklmnop")
    for one, other in chance.integers(0, 16, (40, 2)).tolist():
        theirs.add_edge("abcdefghijklmnop"[one], "abcdefghijklmnop"[other], weight=float(chance.random() + 0.1))
    ours = wg.Graph.from_networkx(placed(theirs, axes=axes))
    assert ours.names == tuple(theirs.nodes)
    assert (ours.directed, ours.dimensions) == (theirs.is_directed(), axes)
    truth = dict(nx.all_pairs_dijkstra_path_length(theirs))
    for name in ("astar", "astar-gb", "dijkstra-gb"):
        finder = wg.make_finder(name, ours)
        for start in "abcp":
            for goal in theirs.nodes:
                path = finder.find(ours.number_of(start), ours.number_of(goal))
                assert path.cost == pytest.approx(truth[start].get(goal, float("inf")))
                if path.status == wg.Status.FOUND:
                    assert nx.is_path(theirs, path.names)


def test_positions_and_weights_by_other_names():
    theirs = nx.path_graph(3)
    nx.set_edge_attributes(theirs, {(0, 1): 2, (1, 2): 3}, "minutes")
    places = {0: (0, 0), 1: np.array([3, 4]), 2: [3, 5]}
    assert wg.Graph.from_networkx(theirs, pos=places, weight="minutes").costs.tolist() == [2, 3]
    for weight in (None, "weight"):  # no edge has it: lengths
        assert wg.Graph.from_networkx(theirs, pos=places, weight=weight).costs.tolist() == [5, 1]
    nx.set_node_attributes(theirs, places, "at")
    assert wg.Graph.from_networkx(theirs, pos="at").points.tolist() == [[0, 0], [3, 4], [3, 5]]


def test_an_empty_graph_and_one_without_edges():
    assert len(wg.Graph.from_networkx(nx.Graph())) == 0
    assert wg.Graph.from_networkx(placed(nx.empty_graph(3))).edges.tolist() == []


def test_what_cannot_be_is_refused():
    bare, some = nx.path_graph(3), placed(nx.path_graph(3))
    some.edges[0, 1]["weight"] = 2
    odd, off, mixed = placed(nx.path_graph(2)), placed(nx.path_graph(2)), placed(nx.path_graph(2))
    odd.nodes[1]["pos"] = (0, float("nan"))
    off.edges[0, 1]["weight"] = -1
    mixed.nodes[1]["pos"] = (0, 0, 0)
    good = wg.Graph.from_networkx(placed(nx.path_graph(3)))
    for words, call in (
        ("needs a networkx graph, not dict", lambda: wg.Graph.from_networkx({})),
        ("node 0 has no coordinates in its attribute 'pos'", lambda: wg.Graph.from_networkx(bare)),
        ("node 1 has no coordinates in pos", lambda: wg.Graph.from_networkx(bare, pos={0: (0, 0)})),
        ("edge (1, 2) has no 'weight', but others have", lambda: wg.Graph.from_networkx(some)),
        ("node 1 lies at (0, nan)", lambda: wg.Graph.from_networkx(odd)),
        ("node 1 has 3 coordinates, node 0 has 2", lambda: wg.Graph.from_networkx(mixed)),
        ("edge (0, 1) has weight -1; allowed are positive numbers", lambda: wg.Graph.from_networkx(off)),
        ("there is no node 'x' among the 3 names", lambda: good.number_of("x")),
        ("there is no node [] among", lambda: good.number_of([])),
        ("have no names", lambda: wg.Graph([(0, 0)], []).number_of(0)),
    ):
        with pytest.raises(wg.WaygridError) as caught:
            call()
        assert words in str(caught.value)


def test_nothing_is_imported_for_it():
    from subprocess import run
    from sys import executable

    code = "import sys, waygrid as wg; wg.Graph([(0, 0)], []); assert not {'networkx', 'numba'} & set(sys.modules)"
    assert run([executable, "-c", code]).returncode == 0
