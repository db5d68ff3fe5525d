"""Distances to walls and inflated maps, against brute force, against scipy, and against the costs of nav2."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import waygrid as wg
from waygrid.core import wall_distance
from waygrid.core.threads import share_lines

MAPS = npst.arrays(np.bool_, st.tuples(st.integers(1, 14), st.integers(1, 14)), elements=st.booleans())
SPARSE = npst.arrays(np.bool_, st.tuples(st.integers(1, 30), st.integers(1, 30)), fill=st.just(True))
PLACE = wg.Georeference.from_resolution(0.05, origin=(-3, -2), yaw=0.3)


def squared_by_hand(passable):
    """The squared distance of each cell to the nearest wall: every pair is looked at."""
    walls = np.argwhere(~passable)
    cells = np.indices(passable.shape).reshape(2, -1).T
    if not len(walls):
        return np.full(passable.shape, np.inf)
    return ((cells[:, None] - walls[None]) ** 2).sum(axis=2).min(axis=1).reshape(passable.shape).astype(float)


@pytest.mark.quick
@settings(max_examples=120, deadline=None)
@given(MAPS | SPARSE)
def test_distances_are_those_of_brute_force(passable):
    np.testing.assert_array_equal(wg.Grid(passable).clearance_map(), np.sqrt(squared_by_hand(passable)))


@pytest.mark.quick
@settings(max_examples=120, deadline=None)
@given(MAPS | SPARSE, st.sampled_from([0, 0.5, 1, 1.4, math.sqrt(2), 1.5, 2, math.sqrt(5), 3, 7.3, 50]))
def test_a_cell_is_a_wall_within_the_radius_and_no_farther(passable, radius):
    made = wg.Grid(passable).inflate(radius)
    np.testing.assert_array_equal(made.passable, squared_by_hand(passable) > round(radius**2, 9))


@settings(max_examples=80, deadline=None)
@given(MAPS, st.sampled_from([(1, 3.5, 40), (0, 2, 9), (1.5, 6, 300), (2, 2.1, 5)]), st.data())
def test_costs_fall_with_distance(passable, sizes, data):
    radius, reach, cost = sizes
    weights = data.draw(npst.arrays(np.uint16, passable.shape, elements=st.integers(1, 65535)))
    away = np.sqrt(squared_by_hand(passable))
    for kind in ("linear", "exponential"):
        made = wg.Grid(passable, weights=weights).inflate(radius, falloff=kind, reach=reach, cost=cost)
        assert (made.passable == (away > radius + 1e-9)).all()
        for (y, x), distance in np.ndenumerate(away):
            wanted = int(weights[y, x])
            if radius + 1e-9 < distance <= reach + 1e-9:
                share = (distance - radius) / (reach - radius)
                more = cost * (1 - share) if kind == "linear" else cost * math.exp(-math.log(cost) * share)
                wanted = min(65535, wanted + math.floor(more + 1e-9))
            if made.passable[y, x]:
                assert (1 if made.weights is None else made.weights[y, x]) == wanted


@pytest.mark.quick
def test_exponential_costs_are_those_of_nav2():
    """The formula of nav2's inflation layer, cell by cell: lethal 254, inscribed 253, then 252 * exp(-k * (d - r))."""
    rng = np.random.default_rng(5)
    passable = rng.random((40, 60)) > 0.01
    resolution, inscribed, reach, factor = 0.05, 0.22, 0.55, 3.0
    place = wg.Georeference.from_resolution(resolution)
    away = np.sqrt(squared_by_hand(passable)) * resolution
    costs = np.zeros(passable.shape, int)
    for (y, x), distance in np.ndenumerate(away):
        if distance == 0:
            costs[y, x] = 254
        elif distance <= inscribed:
            costs[y, x] = 253
        elif distance <= reach:
            costs[y, x] = int(252 * math.exp(-factor * (distance - inscribed)))
    made = wg.Grid(passable, georeference=place).inflate(
        inscribed, falloff="exponential", reach=reach, cost=252, steepness=factor
    )
    np.testing.assert_array_equal(made.passable, costs < 253)
    np.testing.assert_array_equal(made.weights[made.passable], 1 + costs[costs < 253])


@pytest.mark.parametrize("share", [0.0, 0.001, 0.2, 0.9, 1.0])
@pytest.mark.parametrize("shape", [(300, 517), (1, 700), (700, 1), (1300, 1100)])
def test_equal_to_scipy(share, shape):
    ndimage = pytest.importorskip("scipy.ndimage")
    passable = np.random.default_rng(3).random(shape) >= share
    grid = wg.Grid(passable)
    if passable.all():
        assert np.isinf(grid.clearance_map()).all()
        assert grid.inflate(9).passable.all()
        return
    away = ndimage.distance_transform_edt(passable)
    for threads in (1, 3):
        np.testing.assert_array_equal(grid.clearance_map(threads=threads), away)
        np.testing.assert_array_equal(grid.inflate(5.5, threads=threads).passable, away > 5.5)


def test_the_largest_sides():
    passable = np.ones((2, 65535), bool)
    passable[0, 0] = False
    away = wg.Grid(passable).clearance_map()
    assert away[1, -1] == math.hypot(1, 65534)
    tall = wg.Grid(passable.T)
    assert tall.clearance_map()[-1, 1] == math.hypot(1, 65534)
    assert not tall.inflate(65535).passable.any()
    assert tall.inflate(65533).passable.sum() == 3


@pytest.mark.quick
def test_metres_and_cells():
    passable = np.ones((40, 40), bool)
    passable[20, 20] = False
    grid = wg.Grid(passable, georeference=PLACE)
    # 0.6 / 0.05 is less than 12 in floating point; the cell at twelve steps is within the radius all the same.
    for made in (grid.inflate(0.6), grid.inflate(12, units="cells"), wg.Grid(passable).inflate(12)):
        assert not made.passable[20, 32]
        assert made.passable[20, 33]
    assert grid.clearance_map()[20, 33] == pytest.approx(0.65)
    assert grid.clearance_map(units="cells")[20, 33] == 13


@pytest.mark.quick
def test_all_else_is_kept():
    weights = np.arange(1, 65).reshape(8, 8)
    rules = {"topology": "tile", "corners": "one", "metric": (5, 7), "clearance": 2, "georeference": PLACE}
    grid = wg.Grid(np.ones((8, 8), bool), weights=weights, **rules)
    grid.set_passable((0, 0), False)
    grid.set_one_way((7, 7), ["N"])
    made = grid.inflate(1, units="cells")
    wanted = grid.copy()
    for cell in [(1, 0), (0, 1)]:
        wanted.set_passable(cell, False)
    assert made == wanted
    assert made.weights.tolist() == weights.tolist()
    made.set_passable((5, 5), False)
    made.set_weight((6, 6), 9)
    made.set_one_way((7, 7), None)
    assert grid.passable[5, 5]
    assert grid.weights[6, 6] == 55
    assert grid.has_one_way


@pytest.mark.quick
def test_costs_are_in_the_units_of_the_map():
    costs = np.full((1, 9), 0.5)
    costs[0, 0] = np.nan
    made = wg.Grid.from_costs(costs, scale=0.25).inflate(1, falloff="linear", reach=5, cost=2.0)
    assert made.scale == 0.25
    assert (made.weights[0, 2:] * made.scale).tolist() == [2.0, 1.5, 1.0, 0.5, 0.5, 0.5, 0.5]
    assert wg.Grid(["#...."]).inflate(1, falloff="linear", reach=2, cost=0).weights is None


@pytest.mark.quick
@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"radius": -1}, "radius is -1; allowed are numbers from 0"),
        ({"radius": math.nan}, "radius is nan"),
        ({"radius": "2"}, "radius is '2'"),
        ({"radius": True}, "radius is True"),
        ({"radius": 1e9}, "allowed are up to 65535 cells"),
        ({"radius": 1, "reach": 3}, "reach is 3, but without falloff= there are only walls"),
        (
            {"radius": 1, "falloff": "round", "reach": 3},
            "falloff is 'round'; allowed are linear, exponential, and None",
        ),
        ({"radius": 1, "falloff": "linear"}, "needs reach="),
        ({"radius": 3, "falloff": "linear", "reach": 3}, "reach is 3, 3 cells; allowed is more than the radius"),
        ({"radius": 3, "falloff": "linear", "reach": 5000}, "at most 4096 cells"),
        ({"radius": 1, "falloff": "linear", "reach": 3, "cost": -2}, "cost is -2"),
        ({"radius": 1, "falloff": "linear", "reach": 3, "steepness": 1}, "belongs to falloff='exponential'"),
        ({"radius": 1, "units": "miles"}, "units is 'miles'; allowed are cells, world, and None"),
        ({"radius": 1, "units": "world"}, "the grid has no coordinates"),
        ({"radius": 1, "threads": 0}, "threads is 0"),
    ],
)
def test_what_is_refused(options, words):
    with pytest.raises(wg.WaygridError) as error:
        wg.Grid(["..#"]).inflate(**options)
    assert words in str(error.value)


@pytest.mark.quick
def test_cells_that_are_no_squares():
    with pytest.raises(wg.WaygridError, match="inflate needs square cells"):
        wg.Grid(["..#"], topology="hex").inflate(1)
    place = wg.Georeference((2, 0, 0, 0, -1, 0), distortion="ignore")
    grid = wg.Grid(["..#"], georeference=place)
    with pytest.raises(wg.WaygridError, match="pass units='cells'"):
        grid.clearance_map()
    assert grid.clearance_map(units="cells").tolist() == [[2, 1, 0]]


@pytest.mark.quick
def test_lines_are_shared_whole():
    for lines in (1, 127, 128, 1000, 4097):
        for threads in (1, 2, 5):
            done = []
            share_lines(lambda first, last, done=done: done.extend(range(first, last)), lines, threads)
            assert sorted(done) == list(range(lines))


def test_plain_python_gives_the_same(monkeypatch):
    passable = np.random.default_rng(9).random((7, 9)) > 0.2
    steps = np.empty(passable.shape, np.uint16)
    away = np.empty(passable.shape)
    plain = {
        name: getattr(getattr(wall_distance, name), "py_func", getattr(wall_distance, name))
        for name in ("count_steps", "write_distances", "measure_row")
    }
    monkeypatch.setattr(wall_distance, "measure_row", plain["measure_row"])
    plain["count_steps"](passable.astype(np.uint8), steps, 0, 9)
    plain["write_distances"](steps, away, 1.0, 0, 7)
    np.testing.assert_array_equal(away, wg.Grid(passable).clearance_map())
