import json

import numpy as np
import pytest

import waygrid as wg


def test_info(cli, small):
    answer = cli("info", small)
    assert answer.code == 0
    assert "5 x 5 = 25 cells" in answer.out
    assert "17 cells (68.0%)" in answer.out
    assert "2 parts, the largest with 16 cells (94.1%)" in answer.out
    assert "none: every cell costs 1" in answer.out


def test_info_as_json(cli, small):
    facts = json.loads(cli("info", small, "--json").out)
    grid = wg.Grid.from_file(small)
    assert facts["fingerprint"] == grid.fingerprint()
    assert (facts["width"], facts["height"], facts["passable"], facts["parts"]) == (5, 5, 17, 2)
    assert facts["moves_per_cell"] == pytest.approx(np.unpackbits(grid.moves).sum() / 17)
    assert (facts["weights"], facts["move_table_bytes"]) == (None, 25)
    assert json.loads(cli("info", small, "--json", "--corners", "one").out)["moves_per_cell"] > facts["moves_per_cell"]


def test_info_of_weights_and_of_no_ground(cli, tmp_path, draw):
    grid = wg.Grid(np.ones((3, 3)), weights=np.arange(1, 10).reshape(3, 3))
    grid.save(tmp_path / "heavy.npy")
    assert "1 to 9" in cli("info", "heavy.npy").out
    answer = cli("info", draw("##\n##"))
    assert answer.code == 0
    assert "0 parts" in answer.out


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
