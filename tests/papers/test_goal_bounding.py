"""Goal bounding: Table 22.1 and section 22.6 on small maps, the yardstick, and what is refused."""

import re
import shutil
import stat
from pathlib import Path

import numpy as np
import pytest

import waygrid as wg
from waygrid.errors import WaygridError
from waygrid.papers.goal_bounding import claims as goal_claims
from waygrid.papers.goal_bounding import figures as goal_pictures
from waygrid.papers.goal_bounding import measure as goal_measures
from waygrid.papers.goal_bounding import reproduce as goal_bounding
from waygrid.papers.goal_bounding import sizes as goal_sizes
from waygrid.papers.goal_bounding import yardstick
from waygrid.papers.goal_bounding.measure import Run, average_runs
from waygrid.papers.report import Report, show

FLOOR = {"width": 30, "height": 20, "seed": 5, "room": 6}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with one small map of a set and its scenario."""
    place = tmp_path_factory.mktemp("maps") / "dao"
    place.mkdir()
    grid = wg.generate("indoor", **FLOOR)
    grid.save(place / "floor.map")
    from waygrid.measure.problems import random_problems

    problems = random_problems(grid, 40)
    (place / "floor.map.scen").write_text(yardstick._as_file(problems).replace("map 1 1", "floor.map 30 20"))
    return place.parent


@pytest.fixture(scope="module")
def report(folder, tmp_path_factory):
    told = []
    made = goal_bounding.reproduce(
        tmp_path_factory.mktemp("out"),
        quick=True,
        maps=folder,
        only="floor",
        rounds=2,
        plain=False,
        progress=lambda done, text: told.append(done),
    )
    assert told == sorted(told)
    assert (told[0], told[-1]) == (0.0, 1.0)
    return made


def rows_of(table, where, column="algorithm"):
    rows = (dict(zip(table.columns, row, strict=True)) for row in table.rows)
    return {row[column]: row for row in rows if row[table.columns[0]] == where}


def test_every_algorithm_finds_the_scenarios_costs(report):
    rows = rows_of(report.tables["table-22-1"], "dao/floor")
    assert list(rows) == [name for name in goal_measures.ORDER if name in wg.algorithms()]
    assert {row["wrong costs"] for row in rows.values()} == {0}
    assert all(row["us"] > 0 and row["problems"] == 40 for row in rows.values())
    assert rows["astar"]["A* factor"] == 1
    assert rows["jps+gb"]["A* factor (paper)"] == 1549.2


def test_figures_have_intervals(report):
    for name in ("table-22-1", "maps", "ties", "overestimate", "mesh", "box-width"):
        table = report.tables[name]
        place = table.columns.index("us, 95 %")
        for row in table.rows:
            low, high = (float(end.replace(" ", "")) for end in row[place].strip("[]").split(","))
            assert low <= row[place - 1] * 1.001
            assert high >= row[place - 1] * 0.999
    assert re.fullmatch(r"[\d.]+ \[[\d.]+, [\d. ]+\] times on dao/floor", gain_of(report).ours)


def test_one_map_is_not_called_all_maps(report):
    table = report.tables["table-22-1"]
    assert set(table.column("maps")) == {"dao/floor"}
    assert "all 40 problems of dao/floor" in table.title
    assert "Searched: all 40 problems of dao/floor." in report.intro
    assert "all maps" not in report.summary()


def test_some_problems_are_called_some(folder):
    found = goal_bounding.Found(places=[goal_measures.load(folder / "dao" / "floor.map", 10)])
    assert found.what() == "10 of the 40 problems of dao/floor"


def gain_of(report):
    return next(claim for claim in report.claims if claim.text.startswith("Goal bounding makes JPS+"))


def test_the_gain_of_jps_is_explained_by_jps(report):
    """The A* that other factors are taken over cancels here; what counts is what boxes save JPS+."""
    rows = rows_of(report.tables["maps"], "dao/floor")
    plain, bounded = (
        Run("a", "dao", 9, name, 40, (us, us), rows[name]["expanded"], 0.0, 0, 0, 0.0)
        for name, us in (("jps+", 4.0), ("jps+gb", 1.0))
    )
    made = Report("t")
    made.tables = report.tables
    goal_claims._add_gain(made, "dao/floor", {"jps+": plain, "jps+gb": bounded})
    (claim,) = made.claims
    assert (claim.ours, claim.verdict) == ("4 [4, 4] times on dao/floor", "differs")
    assert "A*" not in claim.why
    assert f"{show(plain.expanded)} a path become {show(bounded.expanded)}" in claim.why


def test_the_gain_of_each_map_is_told():
    run = Run("a", "dao", 9, "jps+", 40, (4.0,), 100.0, 0.0, 0, 0, 0.0)
    every = [
        {"map": place, "algorithm": name, "us": us}
        for place, name, us in (("a", "jps+", 4.0), ("a", "jps+gb", 1.0), ("b", "jps+", 4.0), ("b", "jps+gb", 2.0))
    ]
    assert goal_claims._explain_gain(run, run, every).endswith("On single maps it is 2 (b) to 4 (a) times as fast.")


def test_boxes_prune_every_search(report):
    expanded = {name: row["expanded"] for name, row in rows_of(report.tables["maps"], "dao/floor").items()}
    assert expanded["astar-gb"] <= expanded["astar"] / 2
    assert expanded["dijkstra-gb"] <= expanded["dijkstra"] / 2
    assert expanded["jps+gb"] < expanded["jps+"]


def test_only_algorithms_with_an_index_have_bytes(report):
    rows = rows_of(report.tables["maps"], "dao/floor")
    assert {name for name, row in rows.items() if row["index bytes"]} == {
        name for name in rows if wg.algorithms()[name].index
    }


def test_fewer_ties_mean_smaller_boxes(report):
    table = report.tables["ties"]
    expanded = {(row[1], row[2]): row[5] for row in table.rows}
    for name in ("astar-gb", "dijkstra-gb"):
        assert expanded[name, "one"] <= expanded[name, "all"]
    assert set(table.column("wrong costs")) == {0}


def test_overestimating_is_exact_at_weight_1(report):
    above = {(row[1], row[2]): row[6] for row in report.tables["overestimate"].rows}
    assert above["astar", 1.0] == above["astar-gb", 1.0] == "0.00 %"
    assert len(above) == 2 * len(goal_bounding.WEIGHTS)


def test_a_missing_yardstick_is_told(report):
    """Without a plain A* there is a note instead of an empty column."""
    table = report.tables["table-22-1"]
    assert "There is no plain A* in C++ to compare with: the yardstick was not asked for" in table.notes[0]
    assert "over plain A*" not in {*table.columns, *report.tables["maps"].columns}
    assert "plain A* in C++" not in "".join(claim.ours + claim.why for claim in report.claims)


def test_the_mesh_has_the_papers_size_and_agrees_with_dijkstra(report):
    rows = rows_of(report.tables["mesh"], "astar-gb")
    assert len(goal_sizes.mesh()) == goal_sizes.POLYGONS
    assert rows["astar-gb"]["of them boxes"] < goal_sizes.paper_bytes(goal_sizes.POLYGONS, goal_sizes.MESH_VALUES)
    assert set(report.tables["mesh"].column("costs agree")) == {"yes"}


def test_sizes_of_the_paper(report):
    row = report.tables["sizes"].row("1000 x 1000, empty")
    assert row["all pairs"] == 4e6  # megabytes: four terabytes
    assert row["paper's count"] == row["astar-gb"] == 64
    assert row["jps+gb"] > row["astar-gb"]


@pytest.mark.parametrize("side", [30, 256])
def test_sizes_without_a_build_are_those_of_a_build(side):
    passable = np.zeros((side, 40), bool)
    passable[:20, :30] = wg.generate("indoor", **FLOOR).passable
    grid = wg.Grid(passable)
    assert wg.make_finder("astar-gb", grid).memory.fixed_bytes == goal_sizes.box_bytes(grid)
    assert wg.make_finder("jps+gb", grid).memory.fixed_bytes == goal_sizes.jump_bytes(grid)


def test_one_byte_and_two(report):
    table = report.tables["box-width"]
    narrow, wide = (row[5] for row in table.rows if row[0] == "astar-gb")
    assert wide == 2 * narrow


def test_files(report):
    written = {path.name for path in report.files}
    assert {"table-22-1.csv", "maps.csv", "sizes.csv", "figure-22-1.png", "times.png", "summary.md"} <= written


def test_boxes_serve_any_weight_and_dijkstra():
    grid = wg.generate("indoor", **FLOOR)
    made, _ = goal_measures.build("astar-gb", grid)
    ends = np.argwhere(grid.passable)[[0, -1], ::-1]
    cost = wg.make_finder("dijkstra", grid).find(*ends).cost
    wide = goal_measures.with_boxes(made, kind=np.uint16)
    assert wide.find(*ends).cost == goal_measures.with_boxes(made, "dijkstra-gb").find(*ends).cost == cost
    assert cost <= goal_measures.with_boxes(made, weight=2.0).find(*ends).cost <= 2 * cost


# --- Pictures --------------------------------------------------------------------------------------------------------


def test_the_box_in_the_picture_is_the_one_in_the_index():
    grid = wg.generate("indoor", **FLOOR)
    boxes = wg.make_finder("astar-gb", grid, ties="all").index["boxes"]
    x, y = np.argwhere(grid.passable)[40, ::-1].tolist()
    for number, move in enumerate(grid.directions):
        if grid.moves[y, x] >> number & 1:
            box = goal_pictures.box_of(goal_pictures.find_led_to(grid, (x, y), move))
            assert boxes[y * grid.width + x, number].tolist() == list(box)


def test_a_move_that_is_not_there_has_no_picture():
    with pytest.raises(WaygridError, match=r"there is no move 'N' from \(0, 0\)"):
        goal_pictures.find_led_to(wg.Grid([[1, 1]]), (0, 0), "N")


# --- Maps ------------------------------------------------------------------------------------------------------------


def test_without_maps_there_is_a_note_and_the_rest(tmp_path):
    report = goal_bounding.reproduce(tmp_path, quick=True, rounds=1)
    table = report.tables["table-22-1"]
    assert table.notes[0].startswith("No maps were measured: --maps DIR")
    assert table.column("A* factor (paper)") == [1.0, 8.2, 215.2, 1549.2]
    assert "maps" not in report.tables
    assert (tmp_path / "figure-22-1.png").is_file()


def test_default_maps_that_are_not_there_are_left_out(folder):
    assert goal_measures.choose_paper_maps(folder, None, False) == ([], list(goal_measures.MAPS))
    (file,), missing = goal_measures.choose_paper_maps(folder, "dao/floor", True)
    assert (file.name, missing) == ("floor.map", [])


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"only": "moon"}, r"only: there is no map 'moon' in .*; there are floor"),
        ({"only": " , "}, "only is ' , '; allowed are names of maps"),
        ({"rounds": 0}, "rounds is 0; allowed are the integers from 1"),
        ({"rows": 1.5}, "rows is 1.5; allowed are the integers from 1"),
        ({"plain": "nowhere.cpp"}, "plain is 'nowhere.cpp'; that is not a file"),
        ({"plain": 3}, "plain is 3; allowed is a program"),
    ],
)
def test_bad_options_are_refused_before_any_work(folder, tmp_path, options, told):
    with pytest.raises(WaygridError, match=told):
        goal_bounding.reproduce(tmp_path, maps=folder, **options)
    assert list(tmp_path.iterdir()) == []


def test_a_map_without_scenario_is_refused(tmp_path):
    (tmp_path / "dao").mkdir()
    wg.Grid([[1, 1]]).save(tmp_path / "dao" / "lonely.map")
    with pytest.raises(WaygridError, match="has no scenario"):
        goal_measures.choose_paper_maps(tmp_path, "lonely", False)


def test_real_maps(maps, tmp_path):
    report = goal_bounding.reproduce(tmp_path, quick=True, maps=maps, only="arena,lak303d", rows=60, rounds=1)
    rows = rows_of(report.tables["table-22-1"], "all 2 maps")
    assert {row["wrong costs"] for name, row in rows.items() if name in wg.algorithms()} == {0}
    assert rows["astar-gb"]["expanded"] * 5 < rows["astar"]["expanded"]
    if goal_measures.PLAIN in rows:
        assert rows[goal_measures.PLAIN]["expanded"] == pytest.approx(rows["astar"]["expanded"], rel=0.3)


def test_means_are_over_problems():
    one = Run("dao/a", "dao", 10, "astar", 1, (10.0, 20.0), 4.0, 1.0, 100, 0, 0.0)
    other = Run("dao/b", "dao", 30, "astar", 3, (2.0, 4.0), 8.0, 2.0, 300, 1, 0.4)
    both = average_runs([one, other], "dao")
    assert (both.times, both.expanded, both.problems, both.cells) == ((4.0, 8.0), 7.0, 4, 40)
    assert both.us == pytest.approx(32**0.5)  # the geometric mean of the rounds
    assert (both.build_s, both.index_bytes, both.wrong) == (3.0, 400, 1)
    assert both.suboptimality == pytest.approx(0.3)


# --- The yardstick ---------------------------------------------------------------------------------------------------


def script(tmp_path, text):
    program = tmp_path / "plain"
    program.write_text(f"#!/bin/sh\n{text}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program


def a_place(folder):
    return goal_measures.load(folder / "dao" / "floor.map", 10)


def test_a_program_may_take_the_place_of_the_yardstick(folder, tmp_path):
    program = script(tmp_path, "grep -c ^0 $2 >&2\necho 'total 0.002 s, expanded 50, more'\nexec sleep 60")
    place = a_place(folder)
    with yardstick.Yardstick(program) as plain:  # a round is one line; the program is not waited for
        assert plain.measure(place.file, place.scenario) == pytest.approx((200.0, 5.0))


def test_the_processor_time_of_the_yardstick_counts(folder, tmp_path):
    program = script(tmp_path, "echo 'total 0.9 s, processor 0.004 s, expanded 50, more'")
    place = a_place(folder)
    with yardstick.Yardstick(program) as plain:
        assert plain.measure(place.file, place.scenario) == pytest.approx((400.0, 5.0))


def test_a_program_that_prints_something_else_is_an_error(folder, tmp_path):
    place = a_place(folder)
    with (
        yardstick.Yardstick(script(tmp_path, "echo hello")) as plain,
        pytest.raises(WaygridError, match="printed no line"),
    ):
        plain.measure(place.file, place.scenario)


def test_a_file_that_is_no_program_is_an_error(tmp_path):
    (tmp_path / "notes.txt").write_text("")
    with pytest.raises(WaygridError, match=r"neither a program nor a \.cpp file"):
        yardstick.Yardstick(tmp_path / "notes.txt")


def test_without_a_compiler_there_is_no_yardstick(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with yardstick.Yardstick() as plain:
        assert "there is no C++ compiler" in plain.missing


def test_an_installed_package_has_the_yardstick():
    """What is in the folder of the package is in the wheel; what is beside it in a checkout is not."""
    package = Path(wg.__file__).parent
    assert yardstick.SOURCE.is_file()
    assert package in yardstick.SOURCE.parents
    text = (Path(__file__).parents[2] / "pyproject.toml").read_text()
    assert 'packages = ["src/waygrid"]' in text
    assert "exclude" not in text.split("[tool.hatch.build.targets.wheel]")[1].split("[tool.")[0]


@pytest.mark.skipif(shutil.which("g++") is None, reason="no g++")
def test_source_that_does_not_compile_is_an_error(tmp_path):
    (tmp_path / "bad.cpp").write_text("int main( {")
    with pytest.raises(WaygridError, match=r"g\+\+ cannot compile bad.cpp"):
        yardstick.Yardstick(tmp_path / "bad.cpp")


@pytest.mark.skipif(shutil.which("g++") is None, reason="no g++")
def test_our_yardstick_expands_what_astar_does(folder):
    place = a_place(folder)
    with yardstick.Yardstick() as plain:
        if plain.missing:
            pytest.skip(plain.missing)
        measured = plain.measure(place.file, place.scenario)
    batch = wg.make_finder("astar", place.grid).find_many(place.scenario.starts, place.scenario.goals)
    assert measured.expanded == pytest.approx(batch.expanded.mean(), rel=0.4)
