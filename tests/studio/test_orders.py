"""The open list of the page: in its order the first entry is always the one that the kernel takes next."""

import numpy as np
import pytest

import waygrid as wg
from waygrid.errors import WaygridError
from waygrid.search.registry import algorithms, refuse_unsupported
from waygrid.studio.described import EVENTS
from waygrid.studio.thinking import describe_order

LISTED = [name for name, info in algorithms().items() if info.open_list not in ("", "hidden")]
SHORT = {"iddfs": 12, "ida": 12}  # searches whose time grows exponentially: so many cells away
READ = """async ([kind, node, parent, g, h, names, cells, order, unit]) => {
    const { Player } = await import("/static/player.js");
    const { Thinking } = await import("/static/thinking.js");
    const trace = { kind: Uint8Array.from(kind), node: Int32Array.from(node), parent: Int32Array.from(parent),
                    g: Float64Array.from(g), h: Float64Array.from(h) };
    const thinking = new Thinking(new Player(trace, names, cells), order, unit);
    const found = [];
    for (let time = 0; time < kind.length; time++) {
        if (names[kind[time]] !== "expanding") continue;
        const { next, size, entries } = thinking.open(time, 2);
        found.push([time, next, size, entries[0]?.cell]);
    }
    return found;
}"""


def make_grids(info):
    """Maps that the algorithm supports, with and without weights, on every topology."""
    for topology in info.topologies:
        for kind, weighted in (("rooms", False), ("random", False), ("caves", info.weights), ("maze", False)):
            passable = wg.generate(kind, width=24, height=18, seed=2).passable
            weights = np.kron(np.random.default_rng(1).integers(1, 5, (3, 4)), np.ones((6, 6), int))
            grid = wg.Grid(passable, topology=topology, weights=weights if weighted else None, corners=info.corners[0])
            try:
                refuse_unsupported(info, grid)
            except WaygridError:
                continue
            yield grid


def far_ends(grid, short):
    labels = grid.components
    largest = np.bincount(labels[labels >= 0]).argmax()
    cells = np.argwhere(labels == largest)[:, ::-1]
    return tuple(map(int, cells[0])), tuple(map(int, cells[min(short, len(cells) - 1)]))


@pytest.mark.parametrize("name", LISTED)
def test_first_entry_is_the_one_that_is_taken_next(studio, name):
    looked = 0
    for grid in make_grids(algorithms()[name]):
        start, goal = far_ends(grid, SHORT.get(name, 10_000))
        finder = wg.make_finder(name, grid)
        try:
            trace = finder.trace(start, goal, max_events=40_000)
        except WaygridError:  # of ida, on some maps
            continue
        events = trace.events
        columns = [events[field].tolist() for field in ("kind", "node", "parent")]
        columns += [(events[field] / trace.unit).tolist() for field in ("g", "h")]
        order = describe_order(finder, goal)
        cells = grid.width * grid.height
        for time, next_place, size, cell in studio.get(READ, [*columns, list(EVENTS), cells, order, trace.unit]):
            assert next_place == 0, (grid, time)
            assert size > 0
            assert cell == events["node"][time]
            looked += 1
    assert looked > 20 or name in ("dba",)


def test_entries_wait_from_their_generation_to_their_expansion(studio):
    """Of A*, against a list that is kept event by event."""
    grid = wg.generate("rooms", width=24, height=18, seed=2)
    start, goal = far_ends(grid, 10_000)
    finder = wg.make_finder("astar", grid)
    trace = finder.trace(start, goal)
    columns = [trace.events[field].tolist() for field in ("kind", "node", "parent")]
    columns += [(trace.events[field] / trace.unit).tolist() for field in ("g", "h")]
    read = """async ([kind, node, parent, g, h, names, cells, order, unit]) => {
        const { Player } = await import("/static/player.js");
        const { Thinking } = await import("/static/thinking.js");
        const trace = { kind: Uint8Array.from(kind), node: Int32Array.from(node), parent: Int32Array.from(parent),
                        g: Float64Array.from(g), h: Float64Array.from(h) };
        const thinking = new Thinking(new Player(trace, names, cells), order, unit);
        return kind.map((_, time) => thinking.open(time, Infinity).entries.map(({ cell }) => cell));
    }"""
    order = describe_order(finder, goal)
    found = studio.get(read, [*columns, list(EVENTS), grid.width * grid.height, order, trace.unit])
    waiting = {}
    for time, (kind, node, _, g, h) in enumerate(trace.events.tolist()):
        assert found[time] == sorted(waiting, key=lambda cell: (waiting[cell][0], -waiting[cell][1])), time
        if EVENTS[kind] in ("generating", "updating"):
            waiting[node] = (g + h, time)
        elif EVENTS[kind] == "expanding":
            del waiting[node]
