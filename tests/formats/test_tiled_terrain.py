"""Costs of tiles and of terrains in Tiled maps."""

import pytest
from formats.support import refused

from waygrid.formats import tiled

pytestmark = pytest.mark.quick


def prop(name, value, kind="int"):
    return f'<properties><property name="{name}" type="{kind}" value="{value}"/></properties>'


WALL = f'<tile id="0">{prop("blocks", "true", "bool")}</tile>'
WANG = (
    f'<wangsets><wangset name="Ground" type="mixed"><wangcolor name="Grass">{prop("cost", 2)}</wangcolor>'
    f'<wangcolor name="Mud">{prop("cost", 6)}</wangcolor><wangcolor name="Road"/>'
    '<wangtile tileid="1" wangid="0,1,0,1,0,1,0,1"/><wangtile tileid="2" wangid="0,1,0,2,0,2,0,3"/>'
    '<wangtile tileid="3" wangid="0,3,0,3,0,3,0,3"/><wangtile tileid="4" wangid="0,2,0,2,0,2,0,2"/>'
    "</wangset></wangsets>"
)
OLD = (
    f'<terraintypes><terrain name="Grass" tile="0">{prop("cost", 2)}</terrain><terrain name="Mud" tile="1">'
    f'{prop("cost", 6)}</terrain></terraintypes><tile id="1" terrain="0,0,,0"/><tile id="2" terrain="0,1,1,0"/>'
)


def make_map(tileset, cells="1,2,3,4,5", width=5, **more):
    attributes = "".join(f' {name}="{value}"' for name, value in more.items())
    return (
        f'<map width="{width}" height="1"{attributes}><tileset firstgid="1">{tileset}</tileset>'
        f'<layer name="Ground" width="{width}" height="1"><data encoding="csv">{cells}</data></layer></map>'
    ).encode()


def test_tiles_of_a_terrain_cost_what_it_costs():
    data = tiled.parse(make_map(WALL + WANG))
    assert data.passable.tolist() == [[False, True, True, True, True]]
    assert data.weights.tolist() == [[1, 2, 6, 1, 6]]


def test_a_tile_of_its_own_cost_keeps_it():
    own = f'<tile id="4">{prop("cost", 3)}</tile><tile id="2">{prop("weight", 9)}</tile>'
    assert tiled.parse(make_map(WALL + own + WANG)).weights.tolist() == [[1, 2, 9, 1, 3]]
    assert tiled.parse(make_map(WALL + own + WANG), weight="cost").weights.tolist() == [[1, 2, 6, 1, 3]]
    assert tiled.parse(make_map(WALL + own + WANG), weight="weight").weights.tolist() == [[1, 1, 9, 1, 1]]


def test_terrains_of_old_files():
    assert tiled.parse(make_map(WALL + OLD, "2,3,4", 3)).weights.tolist() == [[2, 6, 1]]


def test_terrains_of_an_infinite_map():
    chunks = '<chunk x="-2" y="0" width="2" height="1">1,2</chunk><chunk x="1" y="1" width="2" height="1">3,5</chunk>'
    data = tiled.parse(make_map(WALL + WANG, chunks, 5, infinite=1))
    assert data.passable.shape == (2, 5)
    assert data.weights.tolist() == [[1, 2, 1, 1, 1], [1, 1, 1, 6, 6]]
    assert not data.passable[0, 0]


@pytest.mark.parametrize("cost", ["0", "-1", "1.5", "70000", "x"])
def test_a_cost_that_is_none(cost):
    message = refused(lambda: tiled.parse(make_map(WALL + WANG.replace('value="6"', f'value="{cost}"')), "a.tmx"))
    assert message == f"a.tmx, terrain 'Mud': cost '{cost}'; allowed are 1 to 65535"


@pytest.mark.parametrize("wangid", ["", "x", "9,9,9", "-1,1", "1" * 5000, "٣,1"])
def test_odd_corners_belong_to_no_terrain(wangid):
    odd = WANG.replace('tileid="4" wangid="0,2,0,2,0,2,0,2"', f'tileid="4" wangid="{wangid}"')
    assert tiled.parse(make_map(WALL + odd)).weights.tolist() in ([[1, 2, 6, 1, 1]], [[1, 2, 6, 1, 2]])
