import json

import numpy as np
import pytest
from PIL import Image

import waygrid as wg
from waygrid.draw.zones import BRIDGE, GATE, draw_zones


def test_info(cli, small):
    answer = cli("info", small)
    assert answer.code == 0
    assert "5 x 5 = 25 cells" in answer.out
    assert "17 cells (68.0%)" in answer.out
    assert "2 components, the largest with 16 cells (94.1%)" in answer.out
    assert "none: every cell costs 1" in answer.out


def test_info_as_json(cli, small):
    facts = json.loads(cli("info", small, "--json").out)
    grid = wg.Grid.from_file(small)
    assert facts["fingerprint"] == grid.fingerprint()
    assert (facts["width"], facts["height"], facts["passable"], facts["components"]) == (5, 5, 17, 2)
    assert facts["moves_per_cell"] == pytest.approx(np.unpackbits(grid.moves).sum() / 17)
    assert (facts["weights"], facts["move_table_bytes"]) == (None, 25)
    assert json.loads(cli("info", small, "--json", "--corners", "one").out)["moves_per_cell"] > facts["moves_per_cell"]


def test_info_of_weights_and_of_no_ground(cli, tmp_path, draw):
    grid = wg.Grid(np.ones((3, 3)), weights=np.arange(1, 10).reshape(3, 3))
    grid.save(tmp_path / "heavy.npy")
    assert "1 to 9" in cli("info", "heavy.npy").out
    answer = cli("info", draw("##\n##"))
    assert answer.code == 0
    assert "0 components" in answer.out


def test_info_draws_zones(cli, draw):
    name = draw(
        """
        ..#...
        ....#.
        ..#...
        """
    )
    answer = cli("info", name, "--zones", "a.png")
    assert answer.code == 0
    assert "3 zones in 2 blocks" in answer.out
    assert "3 gates, 1 bridge among them" in answer.out
    assert "a.png" in answer.out
    picture = Image.open("a.png")
    assert picture.size == (1200, 600)
    # The door at 3,1, then the two ways round the pillar at 4,1.
    assert picture.getpixel((600, 300)) == BRIDGE
    assert [picture.getpixel(place) for place in ((700, 400), (1100, 200))] == [GATE, GATE]
    zones = {picture.getpixel(place) for place in ((100, 100), (700, 100), (1100, 500))}
    assert len(zones) == 3
    assert picture.getpixel((900, 300)) not in zones


def test_info_counts_zones_only_when_asked(cli, small):
    assert "zones" not in json.loads(cli("info", small, "--json").out)
    for algorithm in ("repaired", "printed"):
        facts = json.loads(cli("info", small, "--json", "--decomposition", algorithm).out)
        cut = wg.decompose(wg.Grid.from_file(small), algorithm)
        assert facts["decomposition"] == algorithm
        assert (facts["zones"], facts["gates"], facts["blocks"]) == (cut.count, len(cut.gates), len(set(cut.blocks)))
        assert (facts["bridges"], facts["marked_walls"]) == (cut.gates["bridge"].sum(), cut.marked_walls)
    assert "the printed algorithm also marks 1 wall" in cli("info", small, "--decomposition", "printed").out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--zones", "a.png", "--grid", "hex"], "topology 'hex' has none, take tile or octile"),
        (["--decomposition", "printed", "--grid", "tex"], "topology 'tex' has none, take tile or octile"),
        (["--zones", "a.gif"], "a.gif: pictures are PNG files"),
        (["--zones", "no/a.png"], "cannot write no/a.png"),
        (["--decomposition", "best"], "'best'; allowed are repaired, printed"),
    ],
)
def test_info_refuses(cli, small, words, told):
    answer = cli("info", small, *words)
    assert (answer.code, answer.out) == (2, "")
    assert told in answer.err
    assert answer.err.count("\n") == 1


def test_pictures_of_zones_on_maps_of_all_sizes(cli, draw):
    assert cli("info", draw("##\n##"), "--zones", "a.png").code == 0
    for width, height, size in ((1, 1, (1200, 1200)), (700, 2, (2800, 8)), (1500, 3, (3000, 6)), (9000, 9, (3000, 3))):
        grid = wg.Grid(np.ones((height, width)))
        assert draw_zones(grid, wg.decompose(grid)).size == size


def test_neighbouring_zones_differ_in_colour_and_diagonal_gates_are_seen():
    passable = np.indices((12, 12)).sum(axis=0) % 2 == 0  # cells that meet at their corners only
    passable[4:8, 4:8] = True
    grid = wg.Grid(passable, corners="always")
    cut = wg.decompose(grid)
    picture = draw_zones(grid, cut, scale=20)
    for row in cut.gates:
        (x, y), (i, j) = row["first"].tolist()
        assert picture.getpixel((20 * x + 3, 20 * y + 10)) != picture.getpixel((20 * i + 3, 20 * j + 10))
        if x != i and y != j and (row["first"] == row["last"]).all():
            assert picture.getpixel((10 * (x + i) + 10, 10 * (y + j) + 10)) in (GATE, BRIDGE)


@pytest.mark.parametrize("kind", ["random", "rooms", "maze", "caves", "indoor"])
def test_generate(cli, kind, tmp_path):
    answer = cli("generate", kind, "--size", "30x20", "--seed", 5, "-o", "a.map")
    assert answer.code == 0
    assert answer.out.startswith(f"a.map: {kind}, 30 x 20, seed 5")
    grid = wg.Grid.from_file(tmp_path / "a.map")
    assert (grid.passable == wg.generate(kind, width=30, height=20, seed=5).passable).all()


def test_generate_with_options(cli, tmp_path):
    assert cli("generate", "random", "--size", "10X10", "--set", "walls=0.5", "-o", "a.npy").code == 0
    assert wg.Grid.from_file(tmp_path / "a.npy").passable.sum() == 50


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["swamp", "--size", "9x9", "-o", "a.map"], "'swamp'"),
        (["maze", "--size", "9", "-o", "a.map"], "size is '9'; allowed is WxH in cells, such as 120x80"),
        (["maze", "--size", "9x-9", "-o", "a.map"], "size is '9x-9'"),
        (["maze", "--size", "0x9", "-o", "a.map"], "width is 0"),
        (["maze", "--size", "99999x99999", "-o", "a.map"], "99999"),
        (["maze", "--size", "9x9", "--seed", "-1", "-o", "a.map"], "seed is -1"),
        (["maze", "--size", "9x9", "--set", "walls=0.5", "-o", "a.map"], "no option 'walls'"),
        (["maze", "--size", "9x9", "-o", "a.gif"], "'.gif'"),
        (["maze", "--size", "9x9", "-o", "no/a.map"], "cannot write no/a.map"),
        (["maze", "--size", "9x9"], "missing option"),
    ],
)
def test_generate_refuses(cli, words, told):
    answer = cli("generate", *words)
    assert answer.code == 2
    assert told in answer.err
    assert answer.err.count("\n") == 1


def test_convert(cli, small, tmp_path):
    before = wg.Grid.from_file(small).passable
    source = small
    for target in ("a.map", "b.png", "c.npy", "d.txt"):
        answer = cli("convert", source, target)
        assert answer.code == 0
        assert answer.out == f"{target}: 5 x 5, 17 passable cells, without weights\n"
        assert (wg.Grid.from_file(tmp_path / target).passable == before).all()
        source = target


def test_convert_hands_options_to_the_reader(cli, small):
    assert cli("convert", small, "a.png").code == 0
    assert cli("convert", "a.png", "b.txt", "--set", "threshold=200").code == 0
    answer = cli("convert", "a.png", "b.txt", "--set", "layer=Walls")
    assert answer.code == 2
    assert "no option 'layer'" in answer.err


def test_convert_refuses(cli, small):
    assert cli("convert", "nowhere.map", "a.map").code == 2
    answer = cli("convert", small, "a.gif")
    assert answer.code == 2
    assert "'.gif'" in answer.err


def test_the_folder_may_come_before_the_command(cli, tmp_path):
    (tmp_path / "here" / "mine").mkdir(parents=True)
    wg.generate("rooms", width=8, height=8, seed=1).save(tmp_path / "here" / "mine" / "a.map")
    shown = [cli("maps", *words) for words in (("--dir", "here"), ("list", "--dir", "here"), ("--dir", "here", "list"))]
    assert {answer.code for answer in shown} == {0}
    assert len({answer.out for answer in shown}) == 1
    assert shown[0].out.endswith("folder: here\n")
    assert "your own folder" in shown[0].out
