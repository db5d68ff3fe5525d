"""Things that were wrong once."""

import numpy as np
import pytest

import waygrid as wg
from waygrid.kernels import layout as at


def walled():
    grid = wg.Grid(np.ones((50, 50), bool))
    grid.set_passable((30, slice(0, 50)), False)
    return grid


@pytest.mark.parametrize("name", ["astar", "bfs", "dijkstra", "best-first"])
def test_partial_respects_limits(name):
    path = wg.make_finder(name, walled()).find((0, 0), (49, 49), partial=True, max_expansions=5)
    assert path.status == wg.Status.CUTOFF
    assert path.stats.expanded <= 10
    assert path.is_valid(walled())


def test_no_expansions_leave_the_agent_at_the_start():
    for name in wg.algorithms():
        path = wg.make_finder(name, wg.Grid(np.ones((5, 5), bool))).find((1, 2), (4, 4), max_expansions=0)
        assert (path.status, path.cells.tolist(), path.cost) == (wg.Status.CUTOFF, [[1, 2]], 0.0), name


def test_toggling_a_cell_does_not_widen_searches():
    grid = wg.Grid(np.ones((400, 400), bool))
    finder = wg.make_finder("astar", grid)
    finder.find((0, 0), (9, 9))
    before = finder.memory
    exact = grid.table.longest
    grid.table.longest = 2**31 - 1  # as if cells had been edited many times
    grid.set_passable((5, 5), False)
    grid.set_passable((5, 5), True)
    assert grid.table.longest <= exact + grid.table.geo[at.DIAGONAL]
    assert finder.memory == before


def test_only_truth_values_open_cells():
    grid = wg.Grid([[1, 0]])
    with pytest.raises(wg.WaygridError, match="takes True or False"):
        grid.set_passable((1, 0), "no")
    with pytest.raises(wg.WaygridError, match="takes True or False"):
        grid.set_passable((1, 0), [True])
    assert not grid.passable[0, 1]


@pytest.mark.parametrize("topology", ["tile", "octile", "hex", "tex"])
def test_map_files_remember_the_topology(tmp_path, topology):
    grid = wg.Grid([[1, 0, 1], [1, 1, 1]], topology=topology)
    grid.save(tmp_path / "a.map")
    assert wg.Grid.from_file(tmp_path / "a.map") == grid
    assert wg.Grid.from_file(tmp_path / "a.map", topology="tile").topology == "tile"


def test_parts_of_a_distance_map_carry_no_flow():
    field = wg.distances(wg.Grid(np.ones((4, 4), bool)), (0, 0))
    assert field.flow.shape == (4, 4)
    assert field[1:].flow.size == 0
    assert field.copy().flow.shape == (4, 4)


@pytest.mark.parametrize("reading", ["K1", "K2", "K3", "K4"])
def test_traced_estimates_are_those_that_steered_the_search(reading):
    grid = wg.generate("random", width=14, height=12, seed=6, walls=0.25)
    ys, xs = np.nonzero(grid.components == np.bincount(grid.components[grid.components >= 0]).argmax())
    ends = (int(xs[0]), int(ys[0])), (int(xs[-1]), int(ys[-1]))
    events = wg.make_finder("astar-overestimate", grid, reading=reading).trace(*ends).events
    queued = {}
    for event in events:
        if event["kind"] in (at.E_GENERATING, at.E_UPDATING):
            queued[int(event["node"])] = int(event["h"])
        elif event["kind"] == at.E_EXPANDING and reading != "K2":  # K2 gives waiting cells new estimates
            assert event["h"] == queued[int(event["node"])]
    assert len(queued) > 20


def test_traces_of_searches_that_count_moves_are_exported_as_moves(tmp_path):
    trace = wg.make_finder("bfs", wg.Grid([[1, 1, 1]])).trace((0, 0), (2, 0))
    assert trace.unit == 1
    trace.save(tmp_path / "a.trace.yaml")
    assert "g: 2" in (tmp_path / "a.trace.yaml").read_text()


def test_ida_on_cut_off_goals_ends():
    """Behind one-way tiles or blocked cells the goal may be out of reach within one part of the map."""
    grid = wg.Grid([[1, 1, 1]], topology="tile")
    finder = wg.make_finder("ida", grid)
    assert finder.find((0, 0), (2, 0), blocked=[(1, 0)]).status == wg.Status.UNREACHABLE
    grid.set_one_way((1, 0), ["W"])
    assert finder.find((0, 0), (2, 0)).status == wg.Status.UNREACHABLE
    assert finder.find((2, 0), (0, 0)).status == wg.Status.FOUND
