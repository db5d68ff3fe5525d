"""What results show of themselves in a notebook."""

import base64
import gc
import io
import pickle
import re
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

import waygrid as wg
from waygrid.draw.canvas import HEAT, PALETTES
from waygrid.draw.notebook import LARGEST_PNG, MOST_SIDE, card, draw_small, png_bytes, table

pytestmark = pytest.mark.quick

STANDARD = PALETTES["standard"]


def picture(html):
    data = re.findall(r'src="data:image/png;base64,([^"]+)"', html)
    assert len(data) == 1
    return Image.open(io.BytesIO(base64.b64decode(data[0]))).convert("RGB")


def count(image, colour):
    return int((np.asarray(image) == colour).all(axis=2).sum())


def results(topology):
    grid = wg.generate("random", width=9, height=8, seed=4, walls=0.25, topology=topology)
    ys, xs = np.nonzero(grid.components == np.bincount(grid.components[grid.components >= 0]).argmax())
    ends = (int(xs[0]), int(ys[0])), (int(xs[-1]), int(ys[-1]))
    finder = wg.make_finder("astar", grid)
    return (
        grid,
        finder.find(*ends),
        finder.find_many(ends, ends[::-1]),
        finder.trace(*ends),
        wg.distances(grid, ends[0]),
    )


@pytest.mark.parametrize("topology", ["tile", "octile", "hex", "tex"])
def test_everything_shows_itself_and_loads_nothing(topology):
    for result in results(topology):
        html, before = result._repr_html_(), repr(result)
        assert html.startswith(f"<div><div><b>{type(result).__name__}</b> · ")
        assert not re.search(r"<script|http|javascript|\son\w+=|color:", html)
        assert html.count("<div") == html.count("</div>")
        if not isinstance(result, wg.Batch):
            assert 100 < max(picture(html).size) <= MOST_SIDE
        assert repr(result) == before


def test_a_grid_of_one_cell():
    grid = wg.Grid([[1]])
    finder = wg.make_finder("astar", grid)
    for result in (grid, finder.find((0, 0), (0, 0)), finder.trace((0, 0), (0, 0)), wg.distances(grid, (0, 0))):
        assert picture(result._repr_html_()).size == (48, 48)
    assert "0 connected components" in wg.Grid([[0]])._repr_html_()


@pytest.mark.parametrize(("shape", "size"), [((3, 4), (192, 144)), ((1024, 9), (9, 1024)), ((5000, 3000), (500, 834))])
def test_small_maps_are_enlarged_and_huge_ones_reduced(shape, size):
    ground = np.ones(shape, np.bool_)
    ends = {"start": [(0, 0)], "goal": [(shape[1] - 1, shape[0] - 1)]}
    image = draw_small(
        ground, topology="hex" if shape[0] > 1024 else "tile", path=[(0, 0), (1, 1)], heat=ground, **ends
    )
    assert image.size == size
    assert count(image, STANDARD.goal) > 0


def test_a_picture_without_patterns_is_reduced_until_it_is_small():
    noise = np.random.default_rng(1).integers(0, 255, (900, 900, 3), np.uint8)
    data = png_bytes(Image.fromarray(noise))
    assert len(data) <= LARGEST_PNG
    assert Image.open(io.BytesIO(data)).size == (450, 450)


def test_few_colours_are_kept_exactly():
    image = draw_small(np.eye(30, dtype=np.bool_), topology="tile", heat=np.arange(900.0).reshape(30, 30))
    assert Image.open(io.BytesIO(png_bytes(image))).convert("RGB").tobytes() == image.tobytes()


def test_text_is_escaped():
    html = card("<a>", ["b & c"], draw_small(np.ones((1, 1)), topology="tile"), 'x" onload="y') + table(
        ["<t>"], [["<r>"]]
    )
    assert "&lt;a&gt;" in html
    assert "b &amp; c" in html
    assert 'alt="x&quot; onload=&quot;y"' in html
    assert "<t>" not in html
    assert "<r>" not in html


def test_a_grid_names_what_is_special():
    grid = wg.Grid(["..3#", "..9."], topology="tile", metric="unit", clearance=2)
    grid.set_one_way((0, 0), ["E"])
    html = grid._repr_html_()
    for fact in (
        "4 x 2 cells",
        "7 passable",
        "tile",
        "metric unit",
        "cost 1 to 9",
        "clearance 2",
        "one-way tiles",
    ):
        assert fact in html
    split = wg.Grid([[1, 1, 1, 0, 1]])._repr_html_()
    assert "2 connected components, the largest has 75.0% of the passable cells" in split


def test_components_of_a_huge_map_are_not_counted_for_a_picture(monkeypatch):
    monkeypatch.setattr("waygrid.draw.notebook.COUNTED_CELLS", 5)
    grid = wg.Grid(np.ones((2, 3)))
    assert "component" not in grid._repr_html_()
    wg.make_finder("astar", grid).find((0, 0), (2, 1))
    assert "1 connected component" in grid._repr_html_()


def test_a_path_is_drawn_on_its_grid():
    grid = wg.Grid([[1, 1, 1], [0, 0, 1], [1, 1, 1]])
    path = wg.make_finder("astar", grid).find((0, 0), (0, 2))
    html = path._repr_html_()
    for fact in ("FOUND", "cost 6.0000", "7 cells", "4 waypoints", "7 expanded"):
        assert fact in html
    walls = count(picture(html), STANDARD.wall)
    assert walls > 0
    assert count(picture(html), STANDARD.path) > 0
    assert "edited" not in html
    grid.set_passable((0, 1), True)
    assert "the map was edited since" in path._repr_html_()
    assert count(picture(path._repr_html_()), STANDARD.wall) < walls


def test_a_path_does_not_keep_its_grid_alive_and_shows_itself_without():
    for path in (
        wg.make_finder("astar", wg.Grid([[1, 1, 0]])).find((0, 0), (1, 0)),
        pickle.loads(pickle.dumps(wg.make_finder("astar", wg.Grid([[1, 1, 0]])).find((0, 0), (1, 0)))),
    ):
        gc.collect()  # a grid and its table refer to each other
        html = path._repr_html_()
        assert "its map is gone" in html
        assert count(picture(html), STANDARD.wall) == 0


def test_no_path_has_no_picture():
    path = wg.make_finder("astar", wg.Grid([[1, 0, 1]])).find((0, 0), (2, 0))
    assert path._repr_html_() == "<div><div><b>Path</b> · UNREACHABLE · 0 expanded</div></div>"


def test_a_batch_shows_its_first_queries():
    finder = wg.make_finder("astar", wg.Grid([[1, 1, 1, 0, 1]]))
    html = finder.find_many([(0, 0)] * 12, [(2, 0)] * 11 + [(4, 0)])._repr_html_()
    assert "12 queries · 1 UNREACHABLE · 11 FOUND · cost 2.00 to 2.00, mean 2.00 · 33 expanded" in html
    assert html.count("<tr>") == 1 + 10 + 1
    assert html.count(">2, 0<") == 10
    lost = finder.find_many([(0, 0)], [(4, 0)])._repr_html_()
    assert "mean" not in lost
    assert ">inf<" in lost
    bare = finder.find_many([(0, 0)], [(2, 0)], paths=False)._repr_html_()
    assert ">start<" not in bare
    assert bare.count("<td") == bare.count("<th") == 5
    none = np.zeros((0, 2), int)
    assert "<table" not in finder.find_many(none, none)._repr_html_()


def test_a_trace_shows_what_the_search_did_and_the_cells_that_were_blocked():
    finder = wg.make_finder("astar", wg.Grid(np.ones((5, 9))))
    trace = finder.trace((0, 2), (8, 2), blocked=[(4, 2)])
    image = picture(trace._repr_html_())
    assert count(image, STANDARD.wall) == pytest.approx(48 * 48, rel=0.1)
    assert count(image, STANDARD.opened) > 0
    assert f"{len(trace.events):,} events" in trace._repr_html_()
    lost = wg.make_finder("bfs", wg.Grid([[1, 1, 0, 1]])).trace((0, 0), (3, 0))
    assert "UNREACHABLE · 2 events" in lost._repr_html_()


def test_distances_are_a_heat_map():
    grid = wg.Grid([[1] * 9 + [0]])
    field = wg.distances(grid, (0, 0), max_cost=4)
    html = field._repr_html_()
    assert "10 x 1 cells · 5 reached · 0 (yellow) to 4 (blue) · dark: walls" in html
    row = [picture(html).getpixel((48 * x + 8, 8)) for x in range(10)]
    assert row[0] == HEAT[0]
    assert row[4] == HEAT[-1]
    assert row[5:9] == [STANDARD.ground] * 4  # out of reach
    assert row[9] == STANDARD.wall
    for lone in (pickle.loads(pickle.dumps(field)), field[:, 1:]):  # without the grid, walls are not known
        assert "dark: walls and cells out of reach" in lone._repr_html_()
    assert "edited" not in html
    grid.set_passable((9, 0), True)
    assert "dark: walls and cells out of reach" in field._repr_html_()
    for other in (field[0], field <= 3, field[:0]):
        assert other._repr_html_() is None


def test_heat_that_does_not_fit_is_refused():
    with pytest.raises(wg.WaygridError, match=r"heat has shape \(1, 2\) of float64; \(2, 2\) numbers are needed"):
        draw_small(np.ones((2, 2)), topology="tile", heat=np.ones((1, 2)))


def test_a_search_does_not_load_pillow():
    code = "import sys, waygrid as wg; print(wg.make_finder('astar', wg.Grid([[1, 1]])).find((0, 0), (1, 0)))"
    code += "; assert not {'PIL', 'IPython', 'waygrid.draw.notebook'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
