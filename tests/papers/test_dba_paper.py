"""The DBA* paper: configurations on small maps, its figures and claims, what is left out, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest

import waygrid as wg
from waygrid.errors import WaygridError
from waygrid.papers.dba import authors as dba_authors
from waygrid.papers.dba import claims as dba_claims
from waygrid.papers.dba import figures as dba_pictures
from waygrid.papers.dba import measure as dba_measures
from waygrid.papers.dba import reproduce as dba
from waygrid.papers.dba import tables as dba_tables
from waygrid.papers.dba.measure import Found, Run, Way, average_runs
from waygrid.papers.report import Report

ONE = Run("a", Way("dba", 16, 1, True), 100, 100, 1.0, 5.0, 0.5, 80.0, 0.08, 1000.0, 999.0, 5e4, 2e6, 0.1, 0.1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with two maps and their problems, one of them under the name of a map of the paper, and one without."""
    place = tmp_path_factory.mktemp("maps")
    (place / "dao").mkdir()
    for name, seed in (("orz103d", 5), ("hrt000d", 6), ("bare", 7)):
        grid = wg.generate("caves", width=90, height=70, seed=seed)
        grid.save(place / "dao" / f"{name}.map")
        if name != "bare":
            problems = dba_measures.random_problems(grid, 40, seed=1)
            rows = zip(problems.starts.tolist(), problems.goals.tolist(), problems.costs.tolist(), strict=True)
            lines = [f"0\t{name}.map\t90\t70\t{s[0]}\t{s[1]}\t{g[0]}\t{g[1]}\t{cost:.8f}" for s, g, cost in rows]
            (place / "dao" / f"{name}.map.scen").write_text("\n".join(["version 1", *lines, ""]))
    return place


@pytest.fixture(scope="module")
def report(folder, tmp_path_factory):
    told = []
    out = tmp_path_factory.mktemp("out")
    made = dba.reproduce(
        out, quick=True, maps=folder, longest=10, sglrta_cells=0, progress=lambda done, text: told.append(done)
    )
    assert told == sorted(told)
    assert (told[0], told[-1]) == (0.0, 1.0)
    return made


def rows_of(table):
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


# --- What is measured ------------------------------------------------------------------------------------------------


def test_every_configuration_solves_everything(report):
    rows = rows_of(report.tables["configurations"])
    present = [way for way in dba_measures.ways(True) if way.algorithm in wg.algorithms() and way.algorithm != "sglrta"]
    assert [tuple(row.values())[:4] for row in rows] == [way.cells for way in present]
    assert {(row["maps"], row["solved"], row["of"]) for row in rows} == {(1, 10, 10)}
    assert all(row["us"] > 0 for row in rows)
    assert "WRONG" not in report.summary()
    assert f"all {10 * len(rows)} paths are legal" in report.intro


def test_trimming_and_levels_shorten_paths(report):
    rows = {tuple(row.values())[:4]: row for row in rows_of(report.tables["trimming"])}
    plain, paper, smooth = (rows["dba", 16, 1, trim]["above %"] for trim in ("false", "paper", "true"))
    assert plain > paper >= smooth >= 0
    assert rows["dba", 16, 2, "true"]["above %"] <= smooth
    assert rows["dba", 16, 2, "true"]["index KB"] > rows["dba", 16, 1, "true"]["index KB"]
    assert rows["dba", 16, 1, "false"]["index KB"] == rows["dba", 16, 1, "true"]["index KB"]
    assert rows["pra", 16, None, "false"]["above %"] >= rows["pra", 16, None, "true"]["above %"]


def test_the_index_serves_every_way_of_trimming(folder):
    place = dba_measures.load(folder / "dao" / "orz103d.map", 5)
    wanted = [Way("dba", 16, 1, trim) for trim in (True, "paper", False)]
    finders, seconds = dba_measures.build(place, wanted, lambda share, text: None)
    assert len({id(finder.index) for finder in finders.values()}) == 1
    assert len(set(seconds.values())) == 1
    for way, finder in finders.items():
        fresh = wg.make_finder("dba", place.grid, **way.options)
        starts, goals = place.problems.starts, place.problems.goals
        assert finder.find_many(starts, goals).costs.tolist() == fresh.find_many(starts, goals).costs.tolist()


def test_problems_are_the_longest_and_optima_are_of_this_metric(folder):
    place = dba_measures.load(folder / "dao" / "orz103d.map", 7)
    every = wg.Scenario.from_file(folder / "dao" / "orz103d.map.scen")
    rows = np.argsort(-every.costs, kind="stable")[:7]
    assert place.problems.starts.tolist() == every.starts[rows].tolist()
    assert (place.grid.corners, place.grid.diagonal_cost) == ("never", 1.4)
    least = wg.make_finder("dijkstra", place.grid).find_many(place.problems.starts, place.problems.goals)
    assert place.problems.costs.tolist() == least.costs.tolist()


def test_indexes(report):
    rows = {tuple(row.values())[:3]: row for row in rows_of(report.tables["indexes"])}
    assert rows["dba", 16, 1]["regions"] == rows["pra", 16, None]["regions"] > rows["pra", 32, None]["regions"]
    assert rows["dba", 16, 2]["paths"] > rows["dba", 16, 1]["paths"] > 0
    assert rows["pra", 16, None]["compact KB"] < rows["pra", 16, None]["KB"] < rows["dba", 16, 1]["KB"]
    assert all(row["search KB"] > row["agent KB"] > 0 for row in rows.values())
    assert {rows[name]["agent KB"] for name in (("dba", 16, 1), ("dba", 32, 2), ("hcdps", None, 1))} == {0.264}


def test_agents(report):
    rows = {tuple(row.values())[:3]: row for row in rows_of(report.tables["agents"])}
    assert {("pra", 16, None), ("hcdps", None, 1), ("dba", 16, 1), ("dba", 32, 2)} <= set(rows)
    for row in rows.values():
        assert row["arrived"] == row["of"] > 0
        assert row["above %"] >= 0
    assert rows["pra", 16, None]["above %"] == pytest.approx(rows["pra", 16, None]["find: above %"])
    assert rows["pra", 16, None]["agent B"] > rows["dba", 16, 1]["agent B"] == 264


def test_means_are_over_maps():
    other = replace(ONE, place="b", problems=50, above=3.0, worst=9.0, slowest_s=0.7, build_s=0.7, searched=2, wrong=1)
    both = average_runs([replace(ONE, searched=1), other])
    assert (both.above, both.worst, both.build_s, both.slowest_s) == (2.0, 9.0, pytest.approx(0.4), 0.7)
    assert (both.problems, both.searched, both.wrong, both.maps, both.regions) == (150, 3, 1, 2, None)
    found = Found(runs=[ONE, other])
    assert found.mean(ONE.way).above == 2.0
    assert [run.way for run in found.means("dba", True)] == [ONE.way]
    assert found.means("dba", False) == []


# --- Beside the paper ------------------------------------------------------------------------------------------------


def test_the_authors_figures_stand_beside_ours(report):
    row = report.tables["authors"].row("dba", 16, 1, "paper")
    assert [row[f"{name} (Java)"] for name in ("above %", "worst %", "us", "us per move")] == [2.33, 9.2, 597, 0.5]
    assert report.tables["authors"].row("dba", 16, 1, "false")["above % (Java)"] == 4.94
    assert report.tables["indexes"].row("dba", 32, 1)["with matrix (Java)"] == 613
    assert dba_authors.java_of("dba", 16, 2, False) is None
    assert dba_authors.java_of("hcdps", None, 1, True) is None
    assert len(dba_authors.DBA) == 16


def test_figures_have_their_numbers(report):
    for name in ("figure-6", "figure-7", "figure-8"):
        assert report.pictures[name][0].startswith(b"\x89PNG")
        points = {row[:2] for row in report.tables[name].rows}
        assert {("DBA* 16", "L1"), ("DBA* 32", "L2"), ("PRA*", "16")} <= points
    point = report.tables["figure-7"].row("DBA* 16", "L1")
    ours = report.tables["configurations"].row("dba", 16, 1, "true")
    assert point["index, KB (waygrid's default)"] == ours["index KB"]
    assert point["above the optimum, % (waygrid's default)"] == ours["above %"]
    assert point["index, KB (authors' Java)"] == 278
    assert report.tables["figure-6"].row("DBA* 16", "L1")["us per move (as in the paper)"] > 0


def test_claims_of_each_configuration(report):
    rows = rows_of(report.tables["claims-each"])
    assert {(row["sector"], row["level"]) for row in rows} == {(16, 1), (16, 2), (32, 1), (32, 2)}
    for row in rows:
        assert row["under 3 %"] == ("yes" if row["above %"] < 3 else "no")
        assert row["under 200 KB"] == "yes"
        assert row["faster than PRA*"] in ("yes", "no")
    assert report.tables["claims"].rows[0][1] == "< 3 %"
    assert report.tables["claims"].row("DBA* takes less than 200 KB", "< 200 KB")[dba_tables.DEFAULT].startswith("4 of")


def test_claims_are_counted():
    def run(level, above, us_move, fixed, trim=True, algorithm="dba", sector=16):
        way = Way(algorithm, sector, level, trim)
        return replace(ONE, way=way, above=above, us_move=us_move, fixed_bytes=fixed, build_s=fixed / 1e6)

    runs = [run(1, 2.0, 0.05, 5e4), run(2, 4.0, 0.2, 3e5), run(1, 9.0, 0.9, 2e3, sector=128)]
    runs += [run(None, 6.0, 0.1, 1e4, algorithm="pra"), run(1, 3.0, 0.06, 6e4, algorithm="hcdps", sector=None)]
    runs += [run(2, 1.0, 0.07, 9e4, algorithm="hcdps", sector=None)]
    report = Report("claims")
    dba_claims.add_claims(report, Found(runs=runs), [])
    table = report.tables["claims"]
    told = dict(zip(table.column("claim"), table.column(dba_tables.DEFAULT), strict=True))
    assert told["DBA* is under 3 % above the optimum"] == "1 of 3, mean 5"
    assert told["DBA* takes less than 200 KB"].startswith("2 of 3")
    assert told["DBA* (not 128) is faster than PRA*"] == "1 of 2"
    assert told["DBA* (not 128) is faster than HCDPS"] == "1 of 2"
    assert told["DBA* 128 is faster than PRA*"] == "0 of 1"
    assert told["DBA* dominates HCDPS in Figure 7"].startswith("1 of 2")
    assert told["most DBA* are made faster and smaller than HCDPS"] == "faster 2, smaller 2, both 2 of 3"
    assert table.column(dba_tables.AS_PRINTED)[0] is None  # nothing was trimmed like that


def test_the_example_falls_as_the_papers_does(report):
    steps = dba_pictures.example_steps()
    assert [round(step.above) for step in steps] == [22, 11, 0]
    grid = dba_pictures.example()
    assert all(step.path.is_valid(grid) for step in steps)
    assert report.tables["figures-3-to-5"].column("above % (paper)") == [23, 11, 0]
    assert len(dba_pictures.find_sectors(grid, dba_pictures.SECTOR).centres) == 7


def test_a_plot_takes_what_is_optimal():
    png = dba_pictures.trade_off(
        {"a": {"sgLRTA*": [(5.0, 0.0, "")], "PRA*": [(1.0, 4.0, "16"), (2.0, 8.0, "32")]}}, "x", "y"
    )
    assert png.startswith(b"\x89PNG")


# --- Left out, wrong -------------------------------------------------------------------------------------------------


def test_algorithms_that_are_not_there_are_left_out_and_said(monkeypatch, tmp_path):
    known = {name: info for name, info in wg.algorithms().items() if name not in ("hcdps", "sglrta")}
    monkeypatch.setattr(dba_measures, "algorithms", lambda: known)
    monkeypatch.setattr(dba, "QUICK_CAVES", {"caves": {"width": 60, "height": 50, "seed": 1}})
    report = dba.reproduce(tmp_path, quick=True, longest=3)
    notes = report.tables["configurations"].notes
    for name in ("hcdps", "sglrta"):
        assert f"{name} is left out: this version of waygrid does not have it." in notes
        assert name not in report.tables["configurations"].column("algorithm")
    assert set(report.tables["claims-each"].column("faster than HCDPS")) == {None}
    assert any(note.startswith("No game maps were searched: --maps DIR") for note in notes)


def test_sglrta_is_for_small_maps(monkeypatch):
    place = dba_measures.generate_caves("caves", {"width": 40, "height": 30, "seed": 1}, 3, 0)
    monkeypatch.setattr(dba_measures, "algorithms", lambda: {"sglrta": None, "pra": None})
    both = [Way("pra", 16), Way("sglrta")]
    assert dba_measures.choose_manageable(place, both, place.cells) == (both, [])
    some, reasons = dba_measures.choose_manageable(place, both, place.cells - 1)
    assert some == both[:1]
    assert reasons == [
        f"sglrta is left out on maps of more than {place.cells - 1} passable cells: it keeps a tree per goal."
    ]


def test_sglrta_may_refuse_a_map(monkeypatch, tmp_path):
    real, known = dba_measures.build_finder, wg.algorithms()

    def refuse(grid, algorithm, options, **more):
        if algorithm == "sglrta":
            raise WaygridError("too many cells")
        return real(grid, algorithm, options, **more)

    monkeypatch.setattr(dba_measures, "algorithms", lambda: {"sglrta": None} | known)
    monkeypatch.setattr(dba_measures, "build_finder", refuse)
    monkeypatch.setattr(dba, "QUICK_CAVES", {"caves": {"width": 40, "height": 30, "seed": 1}})
    report = dba.reproduce(tmp_path, quick=True, longest=3)
    assert "sglrta refuses caves." in report.tables["configurations"].notes
    assert "sglrta" not in report.tables["configurations"].column("algorithm")


def test_wrong_paths_are_told_before_everything_else(monkeypatch, tmp_path):
    real = wg.Finder.find_many

    def broken(self, *args, **options):
        batch = real(self, *args, **options)
        if self.info.name == "pra" and batch.cells is not None:
            batch.cells[1] = batch.cells[0]  # the first path of every call stands still, however calls are split
        return batch

    monkeypatch.setattr(wg.Finder, "find_many", broken)
    monkeypatch.setattr(dba, "QUICK_CAVES", {"caves": {"width": 60, "height": 50, "seed": 1}})
    report = dba.reproduce(tmp_path, quick=True, longest=3)
    assert report.intro.startswith("WRONG PATHS: 4, see wrong-paths.")
    assert {row[1].split()[0] for row in report.tables["wrong-paths"].rows} == {"pra"}
    assert "is not a move of this grid" in report.tables["wrong-paths"].rows[0][-1]


# --- Maps and options ------------------------------------------------------------------------------------------------


def test_the_maps_of_the_paper(folder):
    files, missing = dba_measures.choose_paper_maps(folder, None, False)
    assert [file.stem for file in files] == ["hrt000d", "orz103d"]
    assert len(missing) == 8
    assert "orz702d" in missing
    assert [file.stem for file in dba_measures.choose_paper_maps(folder, "dao/hrt000d", True)[0]] == ["hrt000d"]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"only": "moon"}, r"only: there is no map 'moon' in .*; there are bare, hrt000d, orz103d"),
        ({"only": "bare"}, r"only: .*bare\.map has no scenario; bare\.map\.scen is needed beside it"),
        ({"only": ","}, "only is ','; allowed are names of maps"),
        ({"rounds": 0}, "rounds is 0; allowed are the integers from 1"),
        ({"longest": 0}, "longest is 0; allowed are the integers from 1"),
        ({"sglrta_cells": -1}, "sglrta_cells is -1; allowed are the integers from 0"),
        ({"seed": -1}, "seed is -1; allowed are the integers from 0"),
    ],
)
def test_bad_options_are_refused_before_any_work(folder, tmp_path, options, told):
    with pytest.raises(WaygridError, match=told):
        dba.reproduce(tmp_path, maps=folder, **options)
    assert list(tmp_path.iterdir()) == []


def test_files(report):
    written = {path.name for path in report.files}
    assert {"configurations.csv", "indexes.csv", "claims.csv", "claims-each.csv", "summary.md"} <= written
    assert {f"figure-{k}.{kind}" for k in (6, 7, 8) for kind in ("csv", "png")} <= written
    assert "figures-3-to-5.png" in written


def test_real_maps(maps, tmp_path):
    if not (maps / "dao" / "orz103d.map").is_file():
        pytest.skip("no orz103d")
    report = dba.reproduce(tmp_path, quick=True, maps=maps, longest=30, sglrta_cells=0)
    table = report.tables["configurations"]
    assert "WRONG" not in report.intro
    assert table.row("dba", 16, 1, "paper")["above %"] < 3
    assert table.row("dba", 16, 2, "true")["above %"] < 1
    assert table.row("dba", 16, 1, "true")["by A*"] == 0
    assert table.row("dba", 16, 1, "true")["index KB"] < 200
    assert table.row("pra", 16, None, "true")["above %"] > table.row("dba", 16, 1, "true")["above %"]
    assert report.tables["indexes"].row("dba", 16, 1)["regions"] == 445
