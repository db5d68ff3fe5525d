"""Orientations of Tiled maps: tiles that touch in Tiled are neighbours on the grid, and no others are."""

import math

import numpy as np
import pytest
from formats.support import assert_same, quick, refused
from hypothesis import given
from hypothesis import strategies as st

import waygrid as wg
from waygrid.formats import MapData, read_map, tiled, write_map

pytestmark = pytest.mark.quick

TILESET = (
    '<tileset firstgid="1"><tile id="0"><properties><property name="weight" type="int" value="7"/></properties></tile>'
    "</tileset>"
)


def centre(x, y, axis, index):
    """Where Tiled draws the middle of a hexagon of side 1: every second column or row is half a hexagon further on."""
    across, along = (x, y) if axis == "x" else (y, x)
    staggered = across % 2 == (1 if index == "odd" else 0)
    far, near = (along + staggered / 2) * math.sqrt(3), across * 1.5
    return (near, far) if axis == "x" else (far, near)


def touch(one, other, axis, index):
    """Whether two hexagons have a side in common."""
    return math.isclose(math.dist(centre(*one, axis, index), centre(*other, axis, index)), math.sqrt(3))


def cell_of(x, y, axis, index):
    """The cell of a tile, as docs/formats.md has it."""
    across, down = (x, y) if axis == "x" else (y, x)
    return across + (index == "odd"), down


def hexagonal(walls, axis, index, left=None, top=None):
    height, width = walls.shape
    cells = ",".join(str(2 * tile) for tile in walls.ravel().astype(int).tolist())
    ground = ",".join(["1"] + ["9"] * (walls.size - 1))
    stagger = f'orientation="hexagonal" hexsidelength="8" staggeraxis="{axis}" staggerindex="{index}"'
    size = f'width="{width}" height="{height}"'
    if left is None:
        layers = "".join(
            f'<layer name="{name}"><data encoding="csv">{data}</data></layer>'
            for name, data in (("Ground", ground), ("Walls", cells))
        )
        return f"<map {size} {stagger}>{TILESET}{layers}</map>".encode()
    chunk = f'<chunk x="{left}" y="{top}" {size}>{cells}</chunk>'
    layer = f'<layer name="Walls"><data encoding="csv">{chunk}</data></layer>'
    return f'<map width="9" height="9" infinite="1" {stagger}>{layer}</map>'.encode()


def neighbours(grid):
    """Pairs of cells between which a move leads, found by searches of one step."""
    grid = wg.Grid(grid.passable, topology=grid.topology)  # without weights every move costs 1
    pairs = set()
    for y, x in np.argwhere(grid.passable).tolist():
        near = wg.distances(grid, (x, y), max_cost=1)
        pairs |= {((x, y), (int(a), int(b))) for b, a in np.argwhere(near == 1)}
    return pairs


LAYOUTS = pytest.mark.parametrize(("axis", "index"), [(axis, index) for axis in "xy" for index in ("odd", "even")])


@LAYOUTS
@quick
@given(seed=st.integers(0, 10**6), width=st.integers(1, 6), height=st.integers(1, 6))
def test_neighbours_are_those_of_tiled(tmp_path_factory, axis, index, seed, width, height):
    walls = np.random.default_rng(seed).random((height, width)) < 0.25
    path = tmp_path_factory.mktemp("tmx") / "a.tmx"
    path.write_bytes(hexagonal(walls, axis, index))
    grid = wg.Grid.from_file(path)
    assert grid.topology == "hex"
    free = [(x, y) for y in range(height) for x in range(width) if not walls[y, x]]
    wanted = {
        (cell_of(*one, axis, index), cell_of(*other, axis, index))
        for one in free
        for other in free
        if touch(one, other, axis, index)
    }
    assert neighbours(grid) == wanted
    assert grid.passable.sum() == len(free)


@LAYOUTS
@pytest.mark.parametrize(("left", "top"), [(0, 0), (-3, 2), (5, -1), (-2, -7)])
def test_infinite_maps_count_from_tile_0_0(axis, index, left, top):
    """A chunk may begin at an odd column or row: what is shifted depends on the tile's own coordinates."""
    data = tiled.parse(hexagonal(np.zeros((4, 5), bool), axis, index, left, top))
    grid = wg.Grid(data.passable, topology=data.topology)
    tiles = [(x, y) for y in range(top, top + 4) for x in range(left, left + 5)]
    wanted = sum(touch(one, other, axis, index) for one in tiles for other in tiles)
    assert len(neighbours(grid)) == wanted
    assert grid.passable.sum() == 20


@LAYOUTS
def test_weights_stay_with_their_tiles(axis, index):
    data = tiled.parse(hexagonal(np.zeros((3, 4), bool), axis, index))
    x, y = cell_of(0, 0, axis, index)
    assert data.weights[y, x] == 7
    assert data.weights.sum() == 7 + data.weights.size - 1


def test_missing_stagger_is_what_tiled_takes():
    walls = np.array([[0, 1, 0], [0, 0, 1]], bool)
    text = hexagonal(walls, "y", "odd")
    plain = text.replace(b' staggeraxis="y" staggerindex="odd"', b"")
    assert plain != text
    assert_same(tiled.parse(plain), tiled.parse(text))


@pytest.mark.parametrize("orientation", ["orthogonal", "isometric"])
def test_squares_are_read_row_by_row(orientation):
    text = hexagonal(np.array([[0, 1, 0], [0, 0, 1]], bool), "x", "odd").replace(b"hexagonal", orientation.encode())
    data = tiled.parse(text)
    assert data.passable.astype(int).tolist() == [[1, 0, 1], [1, 1, 0]]
    assert data.topology is None


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (b"hexagonal", b"staggered", "orientation 'staggered' is not supported: no topology of waygrid has"),
        (b"hexagonal", b"round", "orientation 'round' is not supported; allowed are orthogonal, isometric, hexagonal"),
        (b'staggeraxis="x"', b'staggeraxis="z"', "staggeraxis 'z'; allowed are y and x"),
        (b'staggerindex="odd"', b'staggerindex="all"', "staggerindex 'all'; allowed are odd and even"),
    ],
)
def test_what_cannot_be_mapped_is_refused(old, new, words):
    text = hexagonal(np.zeros((2, 2), bool), "x", "odd").replace(old, new)
    assert words in refused(lambda: tiled.parse(text, "a.tmx"))


def test_the_column_of_walls_counts():
    wide = hexagonal(np.zeros((1, 4), bool), "x", "odd")
    assert tiled.parse(wide, max_cells=5).passable.shape == (1, 5)
    assert "5 x 1 cells; at most 4" in refused(lambda: tiled.parse(wide, max_cells=4))


@pytest.mark.parametrize("topology", ["hex", "tex"])
def test_hexes_come_back_as_hexes(tmp_path, topology):
    data = MapData(np.array([[1, 0, 1], [1, 1, 1]], bool), np.array([[1, 1, 4], [2, 1, 1]], np.uint16), topology)
    write_map(tmp_path / "a.tmx", data)
    back = read_map(tmp_path / "a.tmx")
    assert_same(back, data)
    assert back.topology == "hex"
