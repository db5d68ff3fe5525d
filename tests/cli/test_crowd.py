"""`waygrid crowd`."""

import numpy as np
import pytest
from PIL import Image

import waygrid as wg
from waygrid.cli import main


@pytest.fixture
def level(tmp_path):
    file = tmp_path / "level.map"
    wg.Grid(np.ones((8, 12), bool)).save(file)
    return file


@pytest.mark.quick
def test_a_walk(level, tmp_path, capsys):
    film, picture = tmp_path / "walk.gif", tmp_path / "end.png"
    assert main(["crowd", str(level), "--agents", "9", "--seed", "1", "--gif", str(film), "--png", str(picture)]) == 0
    said = capsys.readouterr().out
    assert "collisions  none" in said
    assert "arrived     9" in said
    with Image.open(film) as frames:
        assert frames.n_frames > 2
    with Image.open(picture) as shown:
        assert shown.width > shown.height


@pytest.mark.quick
def test_a_plan_of_a_scenario(level, tmp_path, capsys):
    file = tmp_path / "random.scen"
    rows = ["0\tlevel.map\t12\t8\t0\t0\t11\t7\t14.0", "0\tlevel.map\t12\t8\t11\t7\t0\t0\t14.0"]
    file.write_text("\n".join(["version 1", *rows]) + "\n")
    assert main(["crowd", str(level), str(file), "--plan", "0.1"]) == 0
    said = capsys.readouterr().out
    assert "FOUND" in said
    assert "makespan      11" in said


@pytest.mark.quick
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--agents", "0"], "--agents is 0"),
        (["--plan", "-1"], "--plan is -1; allowed are seconds above 0"),
        (["--agents", "97"], "has 96 cells"),
        (["--steps", "0"], "--steps is 0"),
        (["--seed", "-1"], "--seed is -1; allowed are the integers from 0"),
        (["--gif", "walk.mp4"], "must end in .gif"),
    ],
)
def test_bad_words(level, words, said, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["crowd", str(level), *words]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.quick
def test_a_collision_is_no_success(level, capsys, monkeypatch):
    monkeypatch.setattr("waygrid.crowd.check.first_collision", lambda grid, positions: "step 3: two in a cell")
    assert main(["crowd", str(level), "--agents", "3"]) == 4
    assert "step 3: two in a cell" in capsys.readouterr().out
