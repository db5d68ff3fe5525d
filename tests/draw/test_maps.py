import math
import os
import stat

import numpy as np
import pytest
from PIL import Image

import waygrid as wg
from waygrid.draw.canvas import BACKGROUND, PALETTES
from waygrid.draw.maps import draw_map, save_png, side_by_side
from waygrid.errors import WaygridError

TOPOLOGIES = ("tile", "octile", "hex", "tex")
STANDARD = PALETTES["standard"]
# Machado, Oliveira and Fernandes 2009, full loss of one kind of cone; on linear light.
COLOUR_LOSS = {
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


def centre(topology: str, x: int, y: int, scale: int) -> tuple[int, int]:
    """Return the pixel in the middle of a cell; columns of hexes are a whole number of pixels apart."""
    lower = scale // 2 if topology in ("hex", "tex") and x % 2 == 0 else 0
    pitch = round(scale * math.sqrt(3) / 2) if topology == "hex" else scale
    middle = 2 * pitch // 3 if topology == "hex" else scale // 2
    return pitch * x + middle, scale * y + scale // 2 + lower


def count(image: Image.Image, colour: tuple[int, int, int]) -> int:
    return int((np.asarray(image) == colour).all(axis=2).sum())


@pytest.mark.parametrize("topology", TOPOLOGIES)
@pytest.mark.parametrize("scale", [7, 16, 31])
def test_cells_have_their_colours(topology, scale):
    passable = np.array([[1, 0, 1, 1, 1], [1, 1, 0, 1, 1], [1, 1, 1, 1, 0]])
    order = np.full((3, 5), -1)
    order[0, 2], order[1, 3], order[2, 3], order[0, 1] = 0, 1, 2, 3
    image = draw_map(passable, topology=topology, scale=scale, expanded=order >= 0, opened=[(0, 1), (0, 2), (2, 0)])
    for y in range(3):
        for x in range(5):
            expected = STANDARD.ground
            if not passable[y, x]:
                expected = STANDARD.wall  # whatever else is said of it
            elif order[y, x] >= 0:
                expected = STANDARD.closed  # also where the cell is called open
            elif (x, y) in ((0, 1), (0, 2)):
                expected = STANDARD.opened
            assert image.getpixel(centre(topology, x, y, scale)) == expected, (x, y)


@pytest.mark.parametrize("topology", ["hex", "tex"])
def test_odd_columns_sit_half_a_cell_higher(topology):
    image = draw_map([[1, 0, 1]], topology=topology, scale=20, lines=False)
    dark = np.argwhere((np.asarray(image) == STANDARD.wall).all(axis=2))[:, 0]
    light = np.argwhere((np.asarray(image) == STANDARD.ground).all(axis=2))[:, 0]
    assert (dark.min(), dark.max()) == (0, 19)
    assert (light.min(), light.max()) == (10, 29)
    assert image.getpixel((2, 2)) == BACKGROUND


def test_hexes_are_regular_hexagons():
    image = np.asarray(draw_map(np.ones((1, 1)), topology="hex", scale=100, lines=False))
    width = (image == STANDARD.ground).all(axis=2).sum(axis=1)
    side = 100 / math.sqrt(3)
    assert width[50:].max() == pytest.approx(2 * side, abs=3)
    assert width[51] == pytest.approx(side, abs=4)
    assert width.sum() == pytest.approx(1.5 * side * 100, rel=0.02)


@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_every_hex_and_brick_has_the_same_number_of_pixels(topology):
    zones = np.arange(12).reshape(3, 4)
    pixels = np.asarray(draw_map(np.ones((3, 4)), topology=topology, scale=3, zones=zones)).reshape(-1, 3)
    colours, counts = np.unique(pixels, axis=0, return_counts=True)
    cells = counts[(colours != BACKGROUND).any(axis=1)]
    assert len(cells) == 12
    assert set(cells.tolist()) == {9}


@pytest.mark.parametrize(
    ("topology", "size"), [("tile", (50, 30)), ("octile", (50, 30)), ("tex", (50, 35)), ("hex", (48, 35))]
)
def test_sizes_at_a_given_scale(topology, size):
    assert draw_map(np.ones((3, 5)), topology=topology, scale=10).size == size


@pytest.mark.parametrize("topology", TOPOLOGIES)
@pytest.mark.parametrize(("width", "height"), [(1, 1), (1, 30), (5, 4), (97, 13), (480, 300), (801, 10), (1600, 1)])
def test_the_chosen_scale_gives_a_picture_for_the_screen(topology, width, height):
    image = draw_map(np.ones((height, width)), topology=topology)
    assert 700 <= max(image.size) <= 1950
    assert image.mode == "RGB"


def test_big_maps_are_drawn_one_to_one_and_huge_ones_are_shrunk():
    assert draw_map(np.ones((10, 4096), bool)).size == (4096, 10)
    passable = np.zeros((9, 9000), bool)
    passable[:, 4500:] = True
    image = draw_map(passable, path=[(4600, 4), (8900, 4)], lines=False)
    assert image.size == (3000, 3)
    assert image.getpixel((100, 0)) == STANDARD.wall


@pytest.mark.parametrize("topology", TOPOLOGIES)
@pytest.mark.parametrize("scale", [1, 2, 5, 8, 24])
def test_path_and_ends_are_visible(topology, scale):
    path = [(x, 10) for x in range(2, 38)]
    image = draw_map(np.ones((20, 40)), topology=topology, path=path, scale=scale)
    assert count(image, STANDARD.path) >= 36
    assert count(image, STANDARD.start) >= 4
    assert count(image, STANDARD.goal) >= 4
    assert image.getpixel(centre(topology, 2, 10, scale)) == STANDARD.start
    if scale > 2:
        assert image.getpixel(centre(topology, 20, 10, scale)) == STANDARD.path
        assert image.getpixel(centre(topology, 37, 10, scale)) == STANDARD.goal
        assert (np.asarray(image).max(axis=2) < 128).sum() > 36  # the outline; there are no walls


def test_path_is_visible_on_a_big_map():
    image = draw_map(np.ones((1000, 1500)), path=[(10 + i, 10 + i) for i in range(900)])
    assert image.size == (1500, 1000)
    assert count(image, STANDARD.path) > 900


def test_start_and_goal_alone_and_against_the_path():
    image = draw_map(np.ones((4, 4)), start=(0, 0), goal=(3, 3), scale=20)
    assert (image.getpixel((10, 10)), image.getpixel((70, 70))) == (STANDARD.start, STANDARD.goal)
    image = draw_map(np.ones((4, 4)), goal=[(0, 0), (3, 3)], scale=20)
    assert image.getpixel((10, 10)) == image.getpixel((70, 70)) == STANDARD.goal
    image = draw_map(np.ones((4, 4)), path=[(0, 0), (1, 1)], goal=(3, 3), scale=20)  # a path that goes only so far
    assert (image.getpixel((30, 30)), image.getpixel((70, 70))) == (STANDARD.path, STANDARD.goal)


def test_dots_stay_in_the_picture():
    image = draw_map(np.ones((200, 300)), start=(0, 0), goal=(299, 199), scale=1)
    assert count(image, STANDARD.start) == count(image, STANDARD.goal) > 8


@pytest.mark.parametrize("path", [[], [(1, 1)], np.zeros((0, 2), np.int32), [(0, 0), (1, 0), (0, 0)]])
def test_short_paths(path):
    image = draw_map(np.ones((3, 3)), path=path, scale=20)
    assert image.size == (60, 60)
    assert (count(image, STANDARD.path) > 0) == (len(path) == 3)


def test_the_order_of_expansion_is_a_gradient():
    order = np.array([[0, 1, 2, 3, -1]])
    image = draw_map(np.ones((1, 5)), expanded=order, scale=10)
    row = [image.getpixel((5 + 10 * x, 5)) for x in range(5)]
    assert (row[0], row[3], row[4]) == (STANDARD.closed, STANDARD.closed_last, STANDARD.ground)
    assert row[0][0] > row[1][0] > row[2][0] > row[3][0]


def test_cells_and_masks_are_the_same():
    cells = [(1, 0), (2, 2)]
    mask = np.zeros((3, 4), bool)
    mask[[0, 2], [1, 2]] = True
    one, two = (draw_map(np.ones((3, 4)), expanded=marks, opened=marks, scale=5) for marks in (cells, mask))
    assert one.tobytes() == two.tobytes()


def test_weights_grow_darker_and_warmer():
    image = draw_map(np.ones((1, 5)), weights=[[1, 2, 8, 100, 65535]], scale=10)
    row = [image.getpixel((5 + 10 * x, 5)) for x in range(5)]
    assert row[0] == STANDARD.ground
    assert row[4] == STANDARD.heavy
    assert [sum(colour) for colour in row] == sorted((sum(colour) for colour in row), reverse=True)
    assert all(red > green > blue for red, green, blue in row[1:])
    plain = draw_map(np.ones((1, 5)), weights=np.ones((1, 5), np.uint16), scale=10)
    assert plain.getpixel((15, 5)) == STANDARD.ground


def test_marks_are_glazes_over_weights():
    image = draw_map(np.ones((1, 2)), weights=[[1, 9]], expanded=[[True, True]], scale=10)
    assert image.getpixel((5, 5)) != image.getpixel((15, 5)) != STANDARD.closed


def test_zones_are_soft_distinct_colours():
    zones = np.append(np.arange(30), -1)[None]
    image = draw_map(np.ones((1, 31)), zones=zones, scale=10)
    row = np.array([image.getpixel((5 + 10 * x, 5)) for x in range(31)])
    assert len(np.unique(row[:30], axis=0)) == 30
    assert row[:30].max(axis=1).min() > 200
    assert tuple(row[30]) == STANDARD.ground
    assert np.abs(np.diff(row[:30], axis=0)).sum(axis=1).min() > 40


def test_grid_lines_begin_at_eight_pixels():
    assert count(draw_map(np.ones((3, 3)), scale=7), STANDARD.ground) == 21 * 21
    assert count(draw_map(np.ones((3, 3)), scale=8), STANDARD.ground) < 24 * 24
    assert count(draw_map(np.ones((3, 3)), scale=8, lines=False), STANDARD.ground) == 24 * 24


def lightness_and_hue(colour: tuple[int, int, int], loss: list[list[float]]) -> np.ndarray:
    """Return CIE Lab of a colour as seen without one kind of cone."""
    value = np.array(colour) / 255
    linear = np.array(loss) @ np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)
    matrix = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    x, y, z = np.cbrt(matrix @ np.clip(linear, 0.001, 1) / (0.9505, 1.0, 1.089))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("loss", COLOUR_LOSS)
def test_safe_colours_differ_for_every_eye(loss):
    palette = PALETTES["safe"]
    names = ("wall", "ground", "opened", "closed", "closed_last", "path", "start", "goal")
    seen = [lightness_and_hue(getattr(palette, name), COLOUR_LOSS[loss]) for name in names]
    distances = [np.linalg.norm(one - two) for i, one in enumerate(seen) for two in seen[:i]]
    assert min(distances) > 20


def test_safe_colours_are_used():
    image = draw_map([[1, 0]], colours="safe", scale=10)
    assert image.getpixel((15, 5)) == PALETTES["safe"].wall


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        ({"topology": "square"}, ("'square'", "tile, octile, hex, tex")),
        ({"colours": "neon"}, ("'neon'", "standard, safe")),
        ({"scale": 0}, ("scale is 0",)),
        ({"scale": 2.5}, ("scale is 2.5",)),
        ({"scale": 10**6}, ("scale is 1000000", "4 x 3")),
        ({"path": [(0, 0), (4, 0)]}, ("path", "(4, 0)", "4 x 3")),
        ({"start": (-1, 0)}, ("start", "(-1, 0)")),
        ({"goal": (0.5, 1)}, ("goal", "float64")),
        ({"path": [1, 2, 3]}, ("path", "(3,)")),
        ({"opened": np.ones((4, 3), bool)}, ("opened", "(4, 3)")),
        ({"expanded": [(0, 3)]}, ("expanded", "(0, 3)")),
        ({"weights": [[1, 2]]}, ("weights", "(1, 2)", "(3, 4)")),
        ({"zones": np.ones((3, 4))}, ("zones", "float64")),
    ],
)
def test_bad_input_is_named(arguments, parts):
    with pytest.raises(WaygridError) as caught:
        draw_map(np.ones((3, 4)), **arguments)
    assert all(part in str(caught.value) for part in parts)


@pytest.mark.parametrize("passable", [[], [1, 1], np.ones((0, 3)), np.ones((2, 2, 2))])
def test_what_is_no_map_is_not_drawn(passable):
    with pytest.raises(WaygridError, match="a map is an array of"):
        draw_map(passable)


@pytest.mark.parametrize(("number", "columns", "rows"), [(1, 1, 1), (2, 2, 1), (3, 3, 1), (4, 3, 2), (7, 3, 3)])
def test_side_by_side_wraps_to_rows_of_three(number, columns, rows):
    sheet = side_by_side([draw_map([[1, 0], [1, 1]], scale=50)] * number, ["astar"] * number)
    assert 100 * columns < sheet.width < 130 * columns
    assert 100 * rows < sheet.height < 150 * rows
    assert count(sheet, STANDARD.wall) >= number * 49 * 49


def test_captions_are_written_wrapped_and_may_be_empty():
    image = draw_map([[1]], scale=100)
    blank, short, long = (side_by_side([image], [text]) for text in ("", "jps+gb", "many words in a caption " * 4))
    assert blank.height <= short.height < long.height
    foot = np.asarray(short)[110:]
    assert (foot < 128).any()
    assert (np.asarray(blank)[110:] == 255).all()


def test_pictures_of_different_sizes_stand_on_one_line():
    sheet = side_by_side([draw_map([[0]], scale=60), draw_map([[0]], scale=20)], ["a", "b"])
    dark = (np.asarray(sheet) == STANDARD.wall).all(axis=2)
    left, right = np.flatnonzero(dark[:, :70].any(axis=1)), np.flatnonzero(dark[:, 70:].any(axis=1))
    assert abs(int(left.max()) - int(right.max())) <= 1


@pytest.mark.parametrize(("images", "labels"), [(0, 0), (1, 2), (2, 1)])
def test_side_by_side_needs_one_label_each(images, labels):
    with pytest.raises(WaygridError, match=f"{images} pictures and {labels} labels"):
        side_by_side([draw_map([[1]], scale=4)] * images, ["x"] * labels)


def test_saving_replaces_the_file_at_once(tmp_path):
    target = tmp_path / "map.png"
    target.write_bytes(b"old")
    image = draw_map([[1, 0], [1, 1]], scale=9)
    save_png(target, image)
    with Image.open(target) as read:
        assert read.format == "PNG"
        assert read.convert("RGB").tobytes() == image.tobytes()
    assert os.listdir(tmp_path) == ["map.png"]
    (tmp_path / "plain").touch()
    assert stat.S_IMODE(target.stat().st_mode) == stat.S_IMODE((tmp_path / "plain").stat().st_mode)


def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch):
    target = tmp_path / "map.png"
    target.write_bytes(b"old")
    image = draw_map([[1]], scale=9)

    def half(file, format):
        file.write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(image, "save", half)
    with pytest.raises(WaygridError, match=r"map\.png: no space left on device"):
        save_png(target, image)
    assert target.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["map.png"]


def test_saving_into_no_folder_names_it(tmp_path):
    with pytest.raises(WaygridError, match=r"nowhere.*no such file"):
        save_png(tmp_path / "nowhere" / "map.png", draw_map([[1]], scale=4))


@pytest.mark.parametrize("topology", ["octile", "hex"])
def test_a_grid_is_drawn_with_its_weights_and_topology(topology):
    grid = wg.Grid([[1, 0, 1], [1, 1, 1]], weights=[[1, 0, 9], [2, 1, 1]], topology=topology)
    by_hand = draw_map(grid.passable, weights=grid.weights, topology=topology, scale=12)
    assert draw_map(grid, scale=12).tobytes() == by_hand.tobytes()
    plain = np.ones((2, 3), int)
    other = draw_map(grid.passable, weights=plain, topology="tile", scale=12)
    assert draw_map(grid, weights=plain, topology="tile", scale=12).tobytes() == other.tobytes()


def test_the_answer_of_a_search_is_drawn():
    grid = wg.Grid(np.ones((4, 6)))
    path = wg.make_finder("astar", grid).find((0, 0), (5, 3))
    assert draw_map(grid, path=path, scale=20).tobytes() == draw_map(grid, path=path.cells, scale=20).tobytes()
    assert draw_map(grid, path=path, scale=20).tobytes() != draw_map(grid, scale=20).tobytes()
    assert draw_map(grid, path=list(path), scale=20).tobytes() == draw_map(grid, path=path, scale=20).tobytes()


def test_masked_cells_and_drawings_are_drawn_as_grids_read_them():
    masked = np.ma.masked_equal([[1, -9999]], -9999)
    assert draw_map(masked, scale=9).tobytes() == draw_map([[1, 0]], scale=9).tobytes()
    assert draw_map([".#"], scale=9).tobytes() == draw_map([[1, 0]], scale=9).tobytes()
