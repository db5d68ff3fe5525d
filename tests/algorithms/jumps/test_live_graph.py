"""The repaired graph of turns is the one that a fresh build makes."""

import numpy as np
import pytest

import waygrid as wg
from waygrid.algorithms.jumps import live_graph, turns
from waygrid.algorithms.jumps.live_graph import LiveGraph
from waygrid.algorithms.jumps.turns import turn_graph, turn_records


def describe(jumps, tags, turns, edges):
    """Return the jumps, and for every turn (cell, direction) the moves worth trying and where its edges lead."""
    graph = {}
    for cell in np.flatnonzero(tags & 255).tolist():
        number = int(tags[cell]) >> 8
        for d in range(8):
            if (int(tags[cell]) >> d) & 1:
                turn = turns[number]
                own = edges[turn["edge"] : turn["last"]]
                ends = sorted((int(e["x"]), int(e["y"]), int(turns[e["turn"]]["d"]), int(e["cost"])) for e in own)
                assert all(turns[e["turn"]]["x"] == e["x"] and turns[e["turn"]]["y"] == e["y"] for e in own)
                graph[cell, d] = (int(turn["wanted"]), ends)
                number += 1
    return jumps, graph


def edit(grid, rng):
    """Change some cells: one, a patch, or a line."""
    kind, w, h = rng.integers(4), grid.width, grid.height
    x, y = int(rng.integers(w)), int(rng.integers(h))
    if kind < 2:
        grid.set_passable((x, y), bool(rng.integers(2)))
    elif kind == 2:
        patch = rng.random((min(h - y, int(rng.integers(1, 5))), min(w - x, int(rng.integers(1, 5))))) < 0.6
        grid.paste(patch, x, y)
    else:
        grid.set_passable((slice(0, w), slice(y, y + 1)), bool(rng.integers(2)))


@pytest.mark.parametrize("corners", ["never", "always"])
@pytest.mark.parametrize("clearance", [1, 2])
@pytest.mark.parametrize("headroom", [1024, 4])  # little of it: lists are enlarged, and gaps closed, time and again
def test_the_repaired_graph_equals_a_fresh_one(corners, clearance, headroom, monkeypatch):
    monkeypatch.setattr(live_graph, "_HEADROOM", headroom)
    monkeypatch.setattr(live_graph, "_GARBAGE", 1 if headroom < 10 else 3)
    monkeypatch.setattr(turns, "_MOST_EDGES", 10**9)  # no relays, which a repair makes no new ones of
    rng = np.random.default_rng(clearance)
    for density in (0.05, 0.2, 0.4):
        for _ in range(8):
            shape = rng.integers(4, 40, 2)
            grid = wg.Grid(rng.random(shape) > density, corners=corners, clearance=clearance)
            live = LiveGraph(grid)
            for step in range(25):
                for _ in range(int(rng.integers(1, 3))):
                    edit(grid, rng)
                live.update()
                tables = live.tables
                jumps, graph = describe(tables.jumps, tables.tags, tables.turns, tables.edges)
                fresh = turn_graph(grid.table)
                wanted = describe(fresh["jumps"], fresh["tags"], *turn_records(grid.table, fresh))
                assert np.array_equal(jumps, wanted[0]), (shape, step)
                assert graph == wanted[1], (shape, step)
