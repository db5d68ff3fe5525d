"""The page's modules by themselves, in the browser that they are written for, against slow obvious answers."""

import itertools

import numpy as np
import pytest

from waygrid.draw.canvas import Layout
from waygrid.studio.described import EVENTS

SOURCE, GENERATING, EXPANDING, UPDATING, BOUND = (
    EVENTS.index(name) for name in ("source", "generating", "expanding", "updating", "bound")
)


def test_machine_refuses_what_is_not_in_its_table(studio):
    table = studio.get("import('/static/machine.js').then(({ TABLE }) => TABLE)")
    assert set(table) == {"ready", "searching", "playing", "paused", "finished", "modified", "dragging", "drawing"}
    assert {after for steps in table.values() for after in steps.values()} == set(table)  # each can be reached
    walk = """(path) => import('/static/machine.js').then(({ Machine }) => {
        const machine = new Machine();
        return path.map((event) => [machine.step(event), machine.state]);
    })"""
    assert studio.get(walk, ["play", "search", "play", "done", "play", "lift", "grab", "stroke", "drop", "search"]) == [
        [False, "ready"],
        [True, "searching"],
        [False, "searching"],
        [True, "finished"],
        [True, "playing"],
        [False, "playing"],
        [True, "dragging"],
        [False, "dragging"],
        [True, "modified"],
        [True, "searching"],
    ]


def test_board_that_was_taken_away_does_not_listen_any_more(studio):
    drawn = studio.get("""Promise.all([import('/static/board.js'), import('/static/camera.js')]).then(
        ([{ Board }, { Camera }]) => {
            const camera = new Camera();
            const boards = [1, 2].map(() => new Board(document.createElement("canvas"), camera));
            const drawn = [0, 0];
            boards.forEach((board, i) => (board.redraw = () => drawn[i]++));
            camera.fit([5, 5], [100, 100]);
            boards[0].dispose();
            camera.fit([5, 5], [100, 100]);
            return drawn;
        })""")
    assert drawn == [1, 2]


def test_envelope_is_read_as_it_was_written(studio):
    found = studio.get("""import('/static/wire.js').then(({ encode, decode }) => {
        const arrays = { a: [new Uint8Array([1, 2, 3]), [3]], b: [new Float64Array([1.5, -2]), [1, 2]],
                         c: [new Uint16Array([65535]), [1]], d: [new Int32Array(0), [0]] };
        const buffer = encode({ text: "Größe" }, arrays);
        const { header, arrays: read, shapes } = decode(buffer);
        return [header.text, header.arrays.map(({ offset }) => offset % 8), shapes,
                Object.values(read).map((values) => Array.from(values))];
    })""")
    assert found == [
        "Größe",
        [0, 0, 0, 0],
        {"a": [3], "b": [1, 2], "c": [1], "d": [0]},
        [[1, 2, 3], [1.5, -2], [65535], []],
    ]


def random_trace(cells, events, seed):
    rng = np.random.default_rng(seed)
    kinds = rng.choice([GENERATING, EXPANDING, UPDATING], events)
    kinds[0] = SOURCE
    kinds[rng.integers(1, events, 3)] = BOUND
    return kinds, rng.integers(0, cells, events), rng.integers(-1, cells, events)


def states_after(kinds, nodes, cells, time):
    """What every cell is after so many events, with the two counters."""
    states, seen, cycles = np.full(cells, "free", object), set(), 0
    for kind, node in zip(kinds[:time].tolist(), nodes[:time].tolist(), strict=True):
        if kind == BOUND:
            states[:] = "free"
        elif kind == EXPANDING:
            states[node] = "closed"
            cycles += 1
        else:
            states[node] = "updated" if kind == UPDATING else "open"
            seen.add(node)
    return states.tolist(), cycles, len(seen)


def test_jumps_show_what_playing_from_the_beginning_shows(studio):
    cells, events = 300, 60_000  # several snapshots
    kinds, nodes, parents = random_trace(cells, events, 5)
    times = [0, 1, 2, 16383, 16384, 16385, 40000, 39999, 59999, 60000, 7, 33000, 33001]
    shown = studio.get(
        """([kinds, nodes, parents, names, cells, times]) => import('/static/player.js').then(({ Player, ...all }) => {
            const zeros = new Float32Array(kinds.length);
            const trace = { kind: Uint8Array.from(kinds), node: Int32Array.from(nodes),
                            parent: Int32Array.from(parents), g: zeros, h: zeros };
            const player = new Player(trace, names, cells);
            const name = (state) => state >= all.CLOSED ? "closed" : { 0: "free", 1: "open", 2: "updated" }[state];
            return times.map((time) => {
                player.seek(time);
                return [Array.from(player.states, (state) => name(state & all.STATE)), player.cycles, player.memory];
            });
        })""",
        [kinds.tolist(), nodes.tolist(), parents.tolist(), list(EVENTS), cells, times],
    )
    for time, (states, cycles, memory) in zip(times, shown, strict=True):
        assert (states, cycles, memory) == states_after(kinds, nodes, cells, time)


def test_million_events_on_a_million_cells_are_scrubbed_quickly(studio):
    jumps = studio.get("""import('/static/player.js').then(({ Player }) => {
        const events = 1_000_000;
        const trace = { kind: new Uint8Array(events), node: new Int32Array(events), parent: new Int32Array(events),
                        g: new Float32Array(events), h: new Float32Array(events) };
        for (let i = 0; i < events; i++) {
            trace.kind[i] = 2 + i % 2;
            trace.node[i] = Math.floor(i / 2);
            trace.parent[i] = trace.node[i] - 1;
        }
        const player = new Player(trace, ["source", "destination", "generating", "expanding"], events);
        player.currentPath();
        return [0.9, 0.1, 0.5, 0.3, 0.7, 0.2, 0.99].map((share) => {
            const before = performance.now();
            player.seek(share * events);
            return performance.now() - before;
        });
    })""")
    assert np.median(jumps) < 250  # the bar is 50 ms on a machine of its own


@pytest.mark.parametrize(
    ("topology", "layout"), [("hex", (16, 14, 5, 8)), ("tex", (20, 20, 0, 10)), ("octile", (20, 20, 0, 0))]
)
def test_cells_lie_where_the_pictures_of_the_library_have_them(studio, topology, layout):
    scale, pitch, point, drop = layout  # chosen so that no middle of a pixel lies on an edge
    want = Layout(7, 5, scale, pitch, point, drop).cells()
    height, width = want.shape
    found = studio.get(
        """async ([topology, pitch, point, drop, scale, width, height]) => {
            const { Geometry } = await import("/static/geometry.js");
            const geometry = Object.assign(new Geometry(topology, 7, 5), { pitch, point, drop });
            return Array.from({ length: width * height }, (_, i) => {
                const at = [(i % width + 0.5) / scale, (Math.floor(i / width) + 0.5) / scale];
                const cell = geometry.cellAt(...at);
                return cell ? cell[1] * 7 + cell[0] : -1;
            });
        }""",
        [topology, pitch / scale, point / scale, drop / scale, scale, width, height],
    )
    np.testing.assert_array_equal(np.array(found).reshape(height, width), want)


def test_strokes_leave_no_gaps(studio):
    cells = studio.get("""import('/static/geometry.js').then(({ Geometry }) =>
        ["octile", "hex", "tex"].map((topology) => new Geometry(topology, 60, 40).between([2, 3], [55, 31])))""")
    for stroke in cells:
        assert stroke[0] == [2, 3]
        assert stroke[-1] == [55, 31]
        assert all(max(abs(a - c), abs(b - d)) == 1 for (a, b), (c, d) in itertools.pairwise(stroke))
