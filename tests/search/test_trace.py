"""Traces: the checks that Posthoc offers, on our own events."""

import numpy as np
import pytest

import waygrid as wg
from waygrid.core import layout as at

pytestmark = pytest.mark.quick

NAMES = list(wg.algorithms())


def small(topology="octile"):
    return wg.generate("random", width=9, height=8, seed=4, walls=0.25, topology=topology)


def ends(grid):
    ys, xs = np.nonzero(grid.components == np.bincount(grid.components[grid.components >= 0]).argmax())
    return (int(xs[0]), int(ys[0])), (int(xs[-1]), int(ys[-1]))


@pytest.mark.parametrize("name", NAMES)
def test_a_trace_is_the_same_search(name):
    grid = small()
    start, goal = ends(grid)
    finder = wg.make_finder(name, grid)
    trace, path = finder.trace(start, goal), finder.find(start, goal)
    assert trace.path.cells.tolist() == path.cells.tolist()
    assert trace.path.stats == path.stats
    kinds, nodes, parents = (trace.events[field] for field in ("kind", "node", "parent"))
    assert kinds[0] == at.E_SOURCE
    assert kinds[1] == at.E_DESTINATION
    assert kinds.tolist().count(at.E_END) == 1
    generated = set()
    for kind, node, parent in zip(kinds.tolist(), nodes.tolist(), parents.tolist(), strict=True):
        if kind == at.E_GENERATING:
            generated.add(node)
        if kind == at.E_BOUND:
            generated.add(node)
        if kind == at.E_EXPANDING:
            assert node in generated
        if kind in (at.E_GENERATING, at.E_EXPANDING, at.E_UPDATING) and parent >= 0:
            assert parent in generated or name == "bibfs" or parent == nodes[0]


@pytest.mark.parametrize("topology", ["tile", "octile", "hex", "tex"])
def test_astar_events_obey_the_theory(topology):
    grid = small(topology)
    start, goal = ends(grid)
    trace = wg.make_finder("astar", grid).trace(start, goal)
    events = trace.events
    expanding = events[events["kind"] == at.E_EXPANDING]
    f = expanding["g"] + expanding["h"]
    assert (np.diff(f) >= 0).all()  # a consistent heuristic never lowers f
    assert len(expanding) == trace.path.stats.expanded
    assert len(np.unique(expanding["node"])) == len(expanding)
    assert (events["kind"] == at.E_GENERATING).sum() == trace.path.stats.generated
    assert events["kind"][-1] == at.E_END
    assert events["g"][-1] == pytest.approx(trace.path.cost * grid.cardinal_price, rel=1e-6)
    parent = {}
    for event in events:
        if event["kind"] in (at.E_GENERATING, at.E_UPDATING):
            parent[int(event["node"])] = int(event["parent"])
    chain = [int(events["node"][-1])]
    while parent[chain[-1]] >= 0:
        chain.append(parent[chain[-1]])
    assert [[n % grid.width, n // grid.width] for n in chain[::-1]] == trace.path.cells.tolist()
    order = trace.expansion_order()
    assert order.max() == trace.path.stats.expanded - 1
    assert (order >= 0).sum() == trace.path.stats.expanded
    assert trace.generated().sum() == trace.path.stats.nodes


def test_long_traces_are_drained_and_bounded():
    grid = wg.Grid(np.ones((300, 300), bool))
    finder = wg.make_finder("dijkstra", grid)
    trace = finder.trace((0, 0), (299, 299))
    assert len(trace.events) > 2 * 65536
    assert len(trace.events) >= 3 * trace.path.stats.expanded
    with pytest.raises(wg.WaygridError, match="max_events=1000"):
        finder.trace((0, 0), (299, 299), max_events=1000)


def test_saved_traces_are_posthoc_files(tmp_path):
    trace = wg.make_finder("ida", small()).trace(*ends(small()))
    trace.save(tmp_path / "ida.trace.yaml")
    text = (tmp_path / "ida.trace.yaml").read_text()
    assert text.startswith("version: 1.4.0\n")
    assert "bound:" in text
    with pytest.raises(wg.WaygridError, match=r"\.trace\.yaml"):
        trace.save(tmp_path / "ida.yaml")
