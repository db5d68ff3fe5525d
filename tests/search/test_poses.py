"""Paths in metres: where a robot stands and looks."""

import math

import numpy as np
import pytest

import waygrid as wg

pytestmark = pytest.mark.quick


@pytest.mark.parametrize("yaw", [0.0, 0.7, -2.0, math.pi])
@pytest.mark.parametrize("image", [False, True])
def test_every_pose_looks_at_the_next(yaw, image):
    more = {"image_height": 12} if image else {}
    place = wg.Georeference.from_resolution(0.05, (-3, 2), yaw, **more)
    grid = wg.Grid(np.random.default_rng(4).random((12, 15)) > 0.15, georeference=place)
    grid.set_passable((0, 0), True)
    grid.set_passable((14, 11), True)
    path = wg.make_finder("astar", grid).find((0, 0), (14, 11))
    points, headings = path.coordinates, path.headings
    assert len(points) == len(headings) == len(path) > 10
    for here, there, heading in zip(points, points[1:], headings, strict=False):
        away = math.dist(here, there)
        np.testing.assert_allclose(here + away * np.array([math.cos(heading), math.sin(heading)]), there, atol=1e-9)
    assert headings[-1] == headings[-2]
    np.testing.assert_allclose(path.poses[:, :2], grid.to_world(path.waypoints))
    chosen = [path.cells.tolist().index(cell) for cell in path.waypoints.tolist()]
    np.testing.assert_allclose(np.cos(path.poses[:, 2]), np.cos(headings[chosen]), atol=1e-9)
    np.testing.assert_allclose(np.sin(path.poses[:, 2]), np.sin(headings[chosen]), atol=1e-9)


def test_the_way_the_world_is_turned_counts():
    """South in an image is down in the world; in a message row 1 lies above row 0."""
    for more, heading in (({"image_height": 2}, -math.pi / 2), ({}, math.pi / 2)):
        place = wg.Georeference.from_resolution(1, **more)
        path = wg.make_finder("astar", wg.Grid([".", "."], georeference=place)).find((0, 0), (0, 1))
        assert path.headings.tolist() == pytest.approx([heading, heading])


def test_positions_between_cells_are_placed_too():
    """A robot that follows a straight path at a speed is at grid.to_world(path.along(distance))."""
    place = wg.Georeference.from_resolution(0.05, (-3, 2), 0.7, image_height=12)
    grid = wg.Grid(np.ones((12, 15)), georeference=place)
    path = wg.make_finder("astar", grid).find((0, 0), (14, 11)).straighten()
    ends = path.coordinates[[0, -1]]
    np.testing.assert_allclose(grid.to_world(path.along(path.length / 2)), ends.mean(axis=0))
    np.testing.assert_allclose(grid.to_world(path.along([0, path.length])), ends)


def test_short_paths_and_none():
    place = wg.Georeference.from_resolution(1)
    finder = wg.make_finder("astar", wg.Grid([".#."], georeference=place))
    assert finder.find((0, 0), (0, 0)).poses.tolist() == [[0.5, 0.5, 0.0]]
    assert finder.find((0, 0), (2, 0)).poses.shape == (0, 3)
    assert finder.find((0, 0), (2, 0)).headings.shape == (0,)
    with pytest.raises(wg.WaygridError, match="the grid has no coordinates"):
        wg.make_finder("astar", wg.Grid([".."])).find((0, 0), (1, 0)).poses  # noqa: B018
