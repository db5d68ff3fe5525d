"""Wall layers beside tile properties, and object layers."""

import pytest

from waygrid.errors import WaygridError
from waygrid.formats import tiled

TILESET = (
    '<tileset firstgid="1"><tile id="1"><properties><property name="weight" type="int" value="5"/></properties></tile>'
    '<tile id="2"><properties><property name="blocks" type="bool" value="true"/></properties></tile></tileset>'
)


def document(*parts):
    return f'<map width="3" height="1">{"".join(parts)}</map>'.encode()


def layer(name, cells):
    return f'<layer name="{name}"><data encoding="csv">{cells}</data></layer>'


def test_a_wall_layer_and_weights_of_the_ground_stand_side_by_side():
    data = tiled.parse(document(TILESET, layer("Ground", "2,2,1"), layer("Walls", "0,9,0")))
    assert data.passable.tolist() == [[True, False, True]]
    assert data.weights.tolist() == [[5, 1, 1]]


def test_a_wall_layer_alone_says_what_blocks():
    data = tiled.parse(document(TILESET, layer("Ground", "3,1,1"), layer("Walls", "0,9,0")))
    assert data.passable.tolist() == [[True, False, True]]


def test_a_tileset_out_of_reach_matters_only_without_a_wall_layer():
    outside = '<tileset firstgid="1" source="../elsewhere.tsx"/>'
    data = tiled.parse(document(outside, layer("Ground", "1,1,1"), layer("Walls", "0,9,0")))
    assert data.passable.tolist() == [[True, False, True]]
    with pytest.raises(WaygridError, match="outside the folder"):
        tiled.parse(document(outside, layer("Ground", "1,1,1")))


def test_walls_drawn_as_objects_are_refused():
    group = '<objectgroup name="Collision"><object id="1" x="0" y="0" width="16" height="16"/></objectgroup>'
    with pytest.raises(WaygridError, match="'Collision' is an object layer"):
        tiled.parse(document(TILESET, layer("Ground", "1,3,1"), group))
    assert tiled.parse(document(TILESET, layer("Ground", "1,3,1"), layer("Walls", "9,0,0"), group)).passable[0, 2]
