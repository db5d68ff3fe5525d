"""Wall layers beside tile properties, and object layers."""

import pytest

from waygrid.errors import WaygridError
from waygrid.formats import tiled

pytestmark = pytest.mark.quick

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


@pytest.mark.parametrize("option", ["property", "weight"])
@pytest.mark.parametrize("walls", [layer("Walls", "0,9,0"), ""])
def test_a_misspelt_property_is_refused(option, walls):
    parts = (TILESET, layer("Ground", "2,3,1"), walls)
    with pytest.raises(WaygridError, match="no tile has the property 'wieght'") as caught:
        tiled.parse(document(*parts), **{option: "wieght"})
    if walls or option == "weight":
        assert f"of {option}=; the tiles have blocks, weight" in str(caught.value)


def test_properties_named_by_their_usual_names_are_looked_for_too():
    plain = document('<tileset firstgid="1"/>', layer("Ground", "1,1,1"), layer("Walls", "0,9,0"))
    assert tiled.parse(plain).weights is None
    for option, name in (("weight", "weight"), ("property", "blocks")):
        with pytest.raises(WaygridError, match=f"no tile has the property '{name}' of {option}=; the tiles have none"):
            tiled.parse(plain, **{option: name})


def test_a_property_that_is_asked_for_counts_beside_a_wall_layer():
    data = document(TILESET, layer("Ground", "3,1,1"), layer("Walls", "0,9,0"))
    assert tiled.parse(data, property="blocks").passable.tolist() == [[False, False, True]]


def test_a_tileset_is_not_passed_over_where_its_weights_are_asked_for(tmp_path):
    away = '<tileset firstgid="1" source="away.tsx"/>'
    data = document(away, layer("Ground", "1,1,1"), layer("Walls", "0,9,0"))
    assert tiled.parse(data, folder=tmp_path).passable.tolist() == [[True, False, True]]
    with pytest.raises(WaygridError, match=r"away\.tsx"):
        tiled.parse(data, folder=tmp_path, weight="weight")
