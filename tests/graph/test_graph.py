"""What a graph may be made of, what it says of itself, and the doors of its finders."""

import numpy as np
import pytest

import waygrid as wg

pytestmark = pytest.mark.quick

LINE = wg.Graph([(0, 0), (1, 0), (3, 0), (9, 9)], [(0, 1), (1, 2)])


def refused(words, call, *args, **options):
    with pytest.raises(wg.WaygridError) as caught:
        call(*args, **options)
    assert words in str(caught.value), str(caught.value)
    assert "\n" not in str(caught.value)


def test_lengths_are_the_default_costs():
    assert LINE.costs.tolist() == [1.0, 2.0]
    assert LINE.edges.tolist() == [[0, 1], [1, 2]]
    space = wg.Graph([(0, 0, 0), (1, 2, 2)], [(1, 0)])
    assert (space.costs.tolist(), space.dimensions) == ([3.0], 3)
    assert repr(space) == "Graph(2 nodes, 1 edges, 3D)"


def test_loops_and_duplicates():
    edges = [(0, 1), (1, 0), (0, 1), (1, 1), (2, 2)]
    graph = wg.Graph([(0, 0), (1, 0), (2, 0)], edges, [5, 3, 4, 1, 1])
    assert (graph.edges.tolist(), graph.costs.tolist()) == ([[0, 1]], [3.0])
    directed = wg.Graph([(0, 0), (1, 0), (2, 0)], edges, [5, 3, 4, 1, 1], directed=True)
    assert (directed.edges.tolist(), directed.costs.tolist()) == ([[0, 1], [1, 0]], [4.0, 3.0])
    assert wg.Graph([(0, 0)], [(0, 0)]).edges.tolist() == []  # a loop has no length, and none is needed


def test_the_order_of_edges_does_not_matter():
    points, edges = [(0, 0), (1, 0), (1, 1)], [(0, 1), (1, 2), (2, 0)]
    one, other = wg.Graph(points, edges), wg.Graph(points, [(2, 1), (0, 2), (1, 0)])
    assert one == other
    assert one != wg.Graph(points, edges, [1, 1, 1])
    assert one != wg.Graph(points, edges[:2])
    assert one != wg.Graph([(0, 0), (1, 0), (1, 2)], edges, one.costs)


def test_arrays_cannot_be_changed():
    points = np.array([(0.0, 0.0), (1.0, 0.0)])
    graph = wg.Graph(points, [(0, 1)])
    points[0] = 7
    assert graph.points[0].tolist() == [0, 0]
    for array in (graph.points, graph.arcs, graph.offsets, graph.components):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = array[-1]


@pytest.mark.parametrize("nodes", [[], np.zeros((0, 2)), np.zeros((0, 3))])
def test_an_empty_graph(nodes, tmp_path):
    graph = wg.Graph(nodes, [])
    assert (len(graph), graph.edges.shape) == (0, (0, 2))
    for name in ("astar", "astar-gb", "dijkstra-gb"):
        finder = wg.make_finder(name, graph)
        refused("start is 0, but the graph has no nodes", finder.find, 0, 0)
        assert len(finder.find_many([], [])) == 0
    wg.make_finder("astar-gb", graph).save(tmp_path / "a.wgi")
    assert len(wg.load_finder(tmp_path / "a.wgi", graph, verify=True).find_many([], [])) == 0
    refused("has no nodes", graph.node_at, (0.0,) * graph.dimensions)


def test_a_single_node_and_no_edges():
    for name in ("astar", "dijkstra", "astar-gb", "dijkstra-gb"):
        finder = wg.make_finder(name, wg.Graph([(0, 0), (0, 0)], []))
        assert finder.find(0, 0).nodes.tolist() == [0]
        assert finder.find(0, 0).cost == 0
        assert finder.find(0, 1).status == wg.Status.UNREACHABLE


@pytest.mark.parametrize(
    ("points", "edges", "costs", "words"),
    [
        ([1, 2], [], None, "points have shape (2,)"),
        ([(1, 2, 3, 4)], [], None, "points have shape (1, 4)"),
        ([(0, 0), (1,)], [], None, "points cannot be converted to an array"),
        ([("a", "b")], [], None, "allowed are (n, 2) or (n, 3) numbers"),
        ([(0, 0), (1, float("nan"))], [], None, "node 1 has y = nan"),
        ([(0, 0), (float("inf"), 0)], [], None, "node 1 has x = inf"),
        ([(0, 0), (1, 1)], [(0, 2)], None, "edge 0 names node 2; allowed are 0 to 1"),
        ([(0, 0), (1, 1)], [(0, 1), (-1, 0)], None, "edge 1 names node -1; allowed are 0 to 1"),
        ([(0, 0), (1, 1)], [(0, 1.5)], None, "edges have shape (1, 2) of float64"),
        ([(0, 0), (1, 1)], [0, 1], None, "edges have shape (2,)"),
        ([], [(0, 1)], None, "edge 0 names node 0; the graph has no nodes"),
        ([(0, 0), (1, 1)], [(0, 1)], [0], "edge 0 costs 0; allowed are positive numbers"),
        ([(0, 0), (1, 1)], [(0, 1)], [-2.5], "edge 0 costs -2.5"),
        ([(0, 0), (1, 1)], [(0, 1)], [float("nan")], "edge 0 costs nan"),
        ([(0, 0), (1, 1)], [(0, 1)], [float("inf")], "edge 0 costs inf"),
        ([(0, 0), (1, 1)], [(0, 1)], [1, 2], "costs have shape (2,) of int64; allowed is one positive number"),
        ([(0, 0), (1, 1)], [(0, 1)], ["x"], "costs have shape (1,)"),
        ([(1, 1), (1, 1)], [(0, 1)], None, "edge 0 joins nodes 0 and 1 at the same place; give costs"),
    ],
)
def test_bad_graphs_are_refused(points, edges, costs, words):
    refused(words, wg.Graph, points, edges, costs)


def test_bad_nodes_are_refused():
    for name in ("astar", "astar-gb"):
        finder = wg.make_finder(name, LINE)
        for value in (4, -1, 1.0, float("nan"), None, "0", (0, 0), True, 2**70):
            shown = value if isinstance(value, (int, float)) else repr(value)
            refused(f"start is {shown}; allowed are the node numbers 0 to 3", finder.find, value, 0)
            refused("goal is", finder.find, 0, value)
        refused("query 1: goal is 4; allowed are the node numbers 0 to 3", finder.find_many, [0, 1], [1, 4])
        refused("query 0: start is nan; allowed", finder.find_many, [float("nan")], [1])
        refused("query 0: start is -1; allowed", finder.find_many, [-1], [1])
        refused("there are 2 starts and 1 goals", finder.find_many, [0, 1], [1])
        refused("starts have shape (1, 2)", finder.find_many, [(0, 1)], [1])
        refused("threads is 0", finder.find_many, [0], [1], threads=0)
        refused("has no per-query option 'partial'", finder.find, 0, 1, partial=True)
        refused("has no per-query option 'blocked'", finder.find_many, [0], [1], blocked=[])
        assert finder.find(np.int64(0), np.uint8(2)).cost == 3.0


def test_other_algorithms_and_options_are_refused():
    for name in ("jps", "jps+", "ida", "nothing", None):
        refused(
            f"there is no algorithm {name!r} for a Graph; allowed are dijkstra, astar, dijkstra-gb, astar-gb",
            wg.make_finder,
            name,
            LINE,
        )
    refused("dijkstra has no option 'weight' on a graph; allowed are none", wg.make_finder, "dijkstra", LINE, weight=2)
    refused("astar has no option 'ties' on a graph; allowed are weight", wg.make_finder, "astar", LINE, ties="one")
    refused("ties is 'some'; allowed are one, all", wg.make_finder, "astar-gb", LINE, ties="some")
    for weight in (-1, 101, float("nan"), "2", True, None):
        refused(
            f"weight is {weight!r}; allowed are numbers from 0 to 100", wg.make_finder, "astar-gb", LINE, weight=weight
        )
    refused("'cpu' only", wg.make_finder, "astar-gb", LINE, device="gpu")
    refused("astar has no index to save", wg.make_finder("astar", LINE).save, "x.wgi")


def test_memory_and_small_places():
    """Bytes where no axis has more than 256 values, 16 bits otherwise; more values share a place."""
    for count, size in ((256, 1), (257, 2), (2000, 2)):
        line = np.arange(count)
        graph = wg.Graph(np.stack([line, 0 * line], axis=1), np.stack([line[:-1], line[1:]], axis=1))
        memory = wg.make_finder("astar-gb", graph, threads=1).memory
        assert memory.fixed_bytes == size * (4 * 2 * (count - 1) + 2 * count)
        assert memory.agent_bytes > 30 * count
        assert wg.make_finder("astar", graph).memory == (0, memory.agent_bytes, memory.agent_bytes)


def test_places_of_very_many_values_stay_in_order():
    from waygrid.graph.boxes import rank_coordinates

    points = np.random.default_rng(0).permutation(200_000).reshape(-1, 1).astype(float)
    places = rank_coordinates(np.concatenate([points, -points], axis=1))
    assert places.dtype == np.uint16
    assert places.max() == 65535
    order = np.argsort(points[:, 0])
    assert (np.diff(places[order, 0].astype(int)) >= 0).all()
    assert (np.diff(places[order, 1].astype(int)) <= 0).all()


def test_nearest_node():
    graph = wg.Graph([(0, 0, 0), (4, 0, 0), (4, 0, 4)], [(0, 1)])
    assert graph.node_at((4, 0, 3)) == 2
    assert graph.node_at([(2, 0, 0), (5, 5, 1)]).tolist() == [0, 1]  # halfway: the smaller number
    assert graph.node_at(np.zeros((0, 3))).tolist() == []
    for bad in ((1, 2), (1, 2, float("nan")), "abc", [[1], [2, 3]], None):
        refused("allowed are finite numbers (x, y, z)", graph.node_at, bad)


def test_neighbours_and_parts():
    assert LINE.neighbours(1).tolist() == [0, 2]
    assert LINE.components.tolist() == [0, 0, 0, 3]
    one_way = wg.Graph([(0, 0), (1, 0), (2, 0)], [(1, 0), (1, 2)], directed=True)
    assert one_way.components.tolist() == [0, 0, 0]
    assert one_way.neighbours(0).tolist() == []
    assert wg.make_finder("astar-gb", one_way).find(0, 2).status == wg.Status.UNREACHABLE
    refused("node is 4; allowed are the node numbers 0 to 3", LINE.neighbours, 4)


def test_costs_of_very_different_size():
    """One unit is the longest path over 2**54: the tiny edge counts as one, and paths are still the cheapest."""
    graph = wg.Graph([(0, 0), (1, 0), (2, 0), (0, 1)], [(0, 1), (1, 2), (0, 3), (3, 2)], [1e-30, 1e9, 1, 1e9])
    for name in ("dijkstra", "astar", "astar-gb"):
        path = wg.make_finder(name, graph).find(0, 2)
        assert path.nodes.tolist() == [0, 1, 2]
        assert path.cost == 1e9 + 1e-30
    for scale in (1e-149, 1e140):
        far = wg.Graph(np.array([(0, 0), (1, 0), (1, 1)]) * scale, [(0, 1), (1, 2), (0, 2)])
        assert wg.make_finder("astar-gb", far).find(0, 2).cost == pytest.approx(2**0.5 * scale)


def test_saved_and_loaded(tmp_path):
    chance = np.random.default_rng(5)
    points, edges = chance.random((120, 3)), chance.integers(0, 120, (300, 2))
    graph = wg.Graph(points, edges)
    starts, goals = chance.integers(0, 120, (2, 200))
    file = tmp_path / "a.wgi"
    for name, options in (("astar-gb", {"weight": 1.5, "ties": "all"}), ("dijkstra-gb", {"ties": "one"})):
        built = wg.make_finder(name, graph, **options)
        built.save(file)
        loaded = wg.load_finder(file, wg.Graph(points, edges), verify=True)
        assert (loaded.info.name, loaded.options, loaded.memory) == (name, options, built.memory)
        one, other = built.find_many(starts, goals), loaded.find_many(starts, goals)
        assert (one.rows == other.rows).all()
        assert (one.nodes == other.nodes).all()
    refused("built for another graph", wg.load_finder, file, wg.Graph(points, edges[1:]))
    refused("built for another graph", wg.load_finder, file, wg.Graph(points, edges, directed=True))
    refused("cannot read", wg.load_finder, tmp_path / "none.wgi", graph)
    with pytest.raises(wg.WaygridError):  # a grid is no graph
        wg.load_finder(file, wg.Grid([[1, 1]]))
    damaged = bytearray(file.read_bytes())
    damaged[-5] ^= 1
    file.write_bytes(damaged)
    refused("damaged", wg.load_finder, file, graph, verify=True)


def test_an_index_of_a_grid_or_of_other_arrays_is_refused(tmp_path):
    from waygrid.formats.index import write_index

    file = tmp_path / "a.wgi"
    write_index(file, {"jumps": np.zeros((2, 8))}, algorithm="jps+", options={}, map_hash="1f")
    refused("an index of 'jps+', which no Graph takes", wg.load_finder, file, LINE)
    good = wg.make_finder("dijkstra-gb", LINE)
    given = {"algorithm": "dijkstra-gb", "options": {"ties": "one"}, "map_hash": LINE.fingerprint()}
    for arrays in ({"boxes": good.index["boxes"]}, good.index | {"places": good.index["places"][1:]}):
        write_index(file, arrays, **given)
        refused("the index holds arrays of", wg.load_finder, file, LINE)
    write_index(file, good.index, **(given | {"options": {}}))
    refused("the options of the index", wg.load_finder, file, LINE)
    write_index(file, good.index, **(given | {"algorithm": "astar"}))
    refused("the options of the index", wg.load_finder, file, LINE)


def test_little_memory_changes_nothing():
    chance = np.random.default_rng(3)
    graph = wg.Graph(chance.random((300, 2)), chance.integers(0, 300, (900, 2)))
    plain, tight = (wg.make_finder("astar-gb", graph, memory=memory, threads=2) for memory in (None, 40_000))
    assert (plain.index["boxes"] == tight.index["boxes"]).all()
    starts, goals = chance.integers(0, 300, (2, 100))
    assert (plain.find_many(starts, goals).rows == tight.find_many(starts, goals).rows).all()


def test_progress_is_told():
    chance = np.random.default_rng(2)
    graph = wg.Graph(chance.random((60, 2)), chance.integers(0, 60, (150, 2)))
    told = []
    wg.make_finder("astar-gb", graph, progress=lambda done, total, left: told.append((done, total)), threads=2)
    assert told[-1] == (60, 60)


def test_what_results_say_of_themselves():
    finder = wg.make_finder("astar-gb", LINE)
    assert repr(finder) == "<astar-gb finder on Graph(4 nodes, 2 edges, 2D), weight=1.0, ties='one'>"
    batch = finder.find_many([0, 0, 1], [2, 3, 1])
    assert repr(batch) == "GraphBatch(3 queries: 1 UNREACHABLE, 2 FOUND)"
    assert batch.statuses.tolist() == [1, 0, 1]
    assert batch.generated.tolist() == [3, 0, 0]
    assert list(batch[0]) == [0, 1, 2] == batch[0].names
    assert batch[0].points.tolist() == [[0, 0], [1, 0], [3, 0]]
    with pytest.raises(IndexError):
        batch[3]
    assert not batch[1].status
