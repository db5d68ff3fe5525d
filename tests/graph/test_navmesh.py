"""Navigation meshes: polygons from arrays, lists and OBJ files."""

from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import waygrid as wg
from waygrid.graph.obj import parse_obj

# Two squares side by side, the right one cut into two triangles, and a triangle elsewhere.
MESH = """\
# a mesh
mtllib some.mtl
o floor
v 0 0 0
v 2 0 0
v 2 2 0
v 0 2 0
v 4 0 0
v 4 2 0 1.0
v 9 9 0 0.5 0.5 0.5
v 9 8 0
v 8 9 0
vn 0 0 1
vt 0.5 0.5
usemtl grey
s off
f 1 2 3 4
f 2/1 5/1 6/1
f 2//1 6/1/1 \\
  3
f -3 -2 -1
"""


def refused(words, call, *args):
    with pytest.raises(wg.WaygridError) as caught:
        call(*args)
    assert words in str(caught.value), str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_an_obj_file(tmp_path, ending):
    file = tmp_path / "mesh.obj"
    file.write_bytes(MESH.replace("\n", ending).encode())
    graph = wg.Graph.from_obj(file)
    assert graph.points[:, :2].round(6).tolist() == [[1, 1], [3.333333, 0.666667], [2.666667, 1.333333], [8.666667] * 2]
    assert graph.edges.tolist() == [[0, 2], [1, 2]]
    assert graph.dimensions == 3
    path = wg.make_finder("astar-gb", graph).find(0, 1)
    assert path.nodes.tolist() == [0, 2, 1]
    assert path.cost == pytest.approx(np.hypot(5 / 3, 1 / 3) + np.hypot(2 / 3, 2 / 3))
    assert wg.make_finder("astar", graph).find(0, 3).status == wg.Status.UNREACHABLE


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "mesh: the file has no faces"),
        ("v 0 0 0\n", "mesh: the file has no faces"),
        ("v 0 0\n", "mesh, line 1: a vertex has 3 coordinates, not 2"),
        ("v 0 0 0\nv 0 zero 0\n", "mesh, line 2: 'zero' is not a coordinate"),
        ("v 0 nan 0\n", "mesh, line 1: 'nan' is not a coordinate"),
        ("v 0 inf 0\n", "mesh, line 1: 'inf' is not a coordinate"),
        ("v 0 1_0 0\n", "mesh, line 1: '1_0' is not a coordinate"),
        ("\n\nhello world\n", "mesh, line 3: 'hello' is not a keyword of an OBJ file"),
        ("v 0 0 0\nf 1 1 1\n", "mesh, line 2: the face has a vertex twice"),
        ("v 0 0 0\nf 1 2\n", "mesh, line 2: a face has 3 corners or more, not 2"),
        ("v 0 0 0\nf 1 2 3\n", "mesh, line 2: vertex 3; the file has 1"),
        ("v 0 0 0\nf 0 1 2\n", "mesh, line 2: vertex 0; vertices count from 1"),
        ("v 0 0 0\nf -1 -2 -3\n", "mesh, line 2: vertex -2; only 1 vertices come before this line"),
        ("f 1 2 x\n", "mesh, line 1: 'x' is not a corner of a face"),
        ("f 1 2 3/1/1/1\n", "mesh, line 1: '3/1/1/1' is not a corner"),
        ("f 1 2 /1\n", "mesh, line 1: '/1' is not a corner"),
        ("f 1 2 ²\n", "mesh, line 1: '²' is not a corner"),
        ("v 0 0 0 \\\n\\\nv 1", "mesh: the file has no faces"),
    ],
)
def test_malformed_files_are_refused(text, words):
    refused(words, parse_obj, text, "mesh")


def test_files_that_cannot_be_read(tmp_path):
    refused("cannot read", wg.Graph.from_obj, tmp_path / "none.obj")
    (tmp_path / "bytes.obj").write_bytes(b"v 0 0 0\n\xff\xfe")
    refused("bytes.obj, line 2: not UTF-8 text", wg.Graph.from_obj, tmp_path / "bytes.obj")


@settings(max_examples=300)
@given(st.text(alphabet="vf 0123-/.\\#\nné", max_size=60))
def test_any_text_is_read_or_refused(text):
    with suppress(wg.WaygridError):
        wg.Graph.from_navmesh(*parse_obj(text))


def test_arrays_and_lists():
    vertices = [(0, 0), (2, 0), (2, 2), (0, 2), (4, 0), (4, 2)]
    triangles = wg.Graph.from_navmesh(np.array(vertices), np.array([(0, 1, 2), (0, 2, 3), (1, 4, 5), (1, 5, 2)]))
    assert triangles.edges.tolist() == [[0, 1], [0, 3], [2, 3]]
    mixed = wg.Graph.from_navmesh(vertices, [(0, 1, 2, 3), (1, 4, 5), np.array((1, 5, 2))])
    assert mixed.edges.tolist() == [[0, 2], [1, 2]]
    assert mixed.points[0].tolist() == [1, 1]
    assert len(wg.Graph.from_navmesh(vertices, [])) == 0


def test_vertices_at_one_place_are_one():
    soup = [(0, 0), (2, 0), (2, 2), (0, 0), (2, 2), (0, 2)]
    assert wg.Graph.from_navmesh(soup, [(0, 1, 2), (3, 4, 5)]).edges.tolist() == [[0, 1]]


def test_three_walls_meet_in_one_edge():
    vertices = [(0, 0, 0), (0, 0, 1), (1, 0, 0), (0, 1, 0), (-1, -1, 0)]
    graph = wg.Graph.from_navmesh(vertices, [(0, 1, 2), (0, 1, 3), (1, 0, 4)])
    assert graph.edges.tolist() == [[0, 1], [0, 2], [1, 2]]


def test_centroids_are_those_of_the_area():
    # An L of three unit squares, with a needless corner that would pull a mean of corners aside.
    outline = [(0, 0), (1, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]
    flat = wg.Graph.from_navmesh(outline, [range(7)])
    assert flat.points[0] == pytest.approx([5 / 6, 5 / 6])
    leaning = np.array([(x, y, x + 2 * y) for x, y in outline], float)
    assert wg.Graph.from_navmesh(leaning, [range(7)]).points[0] == pytest.approx([5 / 6, 5 / 6, 2.5])
    line = wg.Graph.from_navmesh([(0, 0), (1, 1), (5, 5)], [(0, 1, 2)])  # no area: the mean of its corners
    assert line.points[0] == pytest.approx([2, 2])


def test_polygons_with_one_centroid():
    graph = wg.Graph.from_navmesh([(0, 0), (2, 0), (2, 2), (0, 2)], [(0, 1, 2, 3), (3, 2, 1, 0)])
    assert 0 < graph.costs[0] < 1e-5
    assert wg.make_finder("astar-gb", graph).find(0, 1).nodes.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("vertices", "faces", "words"),
    [
        ([(0, 0), (1, 1)], [(0, 1, 2)], "face 0 names vertex 2; allowed are 0 to 1"),
        ([(0, 0), (1, 1)], [(0, 1, -1)], "face 0 names vertex -1"),
        ([], [(0, 1, 2)], "face 0 names vertex 0; there are no vertices"),
        ([(0, 0), (1, 1), (2, 0)], [(0, 1)], "face 0 is [0, 1]; allowed are rows of three or more"),
        ([(0, 0), (1, 1), (2, 0)], [(0, 1, 2), (0, 1, 1)], "face 1 has vertex 1 twice"),
        ([(0, 0), (1, 1), (2, 0)], [(0.0, 1.0, 2.0)], "face 0 is [0.0, 1.0, 2.0]"),
        ([(0, 0), (1, 1), (2, 0)], 5, "faces cannot be read"),
        ([(0, 0), (1, float("nan"))], [], "vertex 1 has y = nan"),
        ([1, 2, 3], [], "vertices have shape (3,)"),
    ],
)
def test_bad_meshes_are_refused(vertices, faces, words):
    refused(words, wg.Graph.from_navmesh, vertices, faces)
