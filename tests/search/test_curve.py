"""Rounded bends: every point of a curve lies in a cell where an agent can stand."""

import numpy as np
import pytest
from cases import cases, grid_of, pairs_of
from hypothesis import given, settings
from hypothesis import strategies as st

import waygrid as wg
from waygrid.grid.straight import place_centres

pytestmark = pytest.mark.quick


def cells_under(points, grid):
    """Return the cell whose centre is the closest to each point: on squares by the larger distance."""
    cells = np.stack(np.meshgrid(np.arange(grid.width), np.arange(grid.height)), -1).reshape(-1, 2)
    apart = np.abs(points[:, None] - place_centres(cells, grid.topology))
    far = (apart**2).sum(-1) if grid.topology == "hex" else apart.max(-1)
    return cells[far.argmin(1)]


@settings(max_examples=100, deadline=None)
@given(cases(largest=9, one_way=False, weighted=False), st.integers(0, 99), st.sampled_from((0.3, 1.0, 5.0)))
def test_a_curve_stays_free(case, seed, radius):
    grid = grid_of(case)
    finder = wg.make_finder("astar", grid)
    for start, goal in pairs_of(case, 4, seed):
        path = finder.find(start, goal)
        if path.status != wg.Status.FOUND:
            continue
        straight = path.straighten()
        curve = straight.curve(radius)
        assert curve.points[[0, -1]].tolist() == straight.points[[0, -1]].tolist()
        assert curve.length <= straight.length + 1e-9
        under = cells_under(curve.along(np.linspace(0, curve.length, 200)), grid)
        assert all(case.fits(x, y) for x, y in np.unique(under, axis=0).tolist())


def test_what_is_refused():
    grid = wg.Grid(["...", ".#.", "..."])
    path = wg.make_finder("theta", grid).find((0, 0), (2, 2))
    assert len(path.curve(pieces=4)) > len(path.points)
    assert "Curve(" in repr(path.curve())
    assert path.curve(np.int64(1)).length == path.curve(np.float32(1)).length == path.curve(1).length
    for options, words in (({"radius": 0}, "radius is 0"), ({"pieces": 1}, "pieces is 1")):
        with pytest.raises(wg.WaygridError, match=words):
            path.curve(**options)
    grid.set_one_way((0, 0), ["E"])
    with pytest.raises(wg.WaygridError, match="one-way"):
        path.curve()
