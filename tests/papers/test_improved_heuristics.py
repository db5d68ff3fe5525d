"""Improved Heuristics: Table 1 on small maps, searches among obstacles, checks, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest

import waygrid as wg
from waygrid.algorithms.zones.zones import find_ports
from waygrid.errors import WaygridError
from waygrid.papers.improved_heuristics import checks as zones_checks
from waygrid.papers.improved_heuristics import measure as zones_measures
from waygrid.papers.improved_heuristics import reproduce as improved_heuristics
from waygrid.papers.improved_heuristics import tables as zones_tables
from waygrid.papers.improved_heuristics.measure import ALL, TOP, Found, Run, average_runs

FLOOR = {"width": 40, "height": 30, "seed": 5, "room": 6}
LABELS = list(zones_measures.METHODS)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with two small maps, one of them under the name of the large one, and one of another game."""
    place = tmp_path_factory.mktemp("maps")
    for name, seed in (("bgmaps/AR0012SR", 5), ("bgmaps/AR0406SR", 6), ("dao/arena", 7)):
        file = place / f"{name}.map"
        file.parent.mkdir(exist_ok=True)
        wg.generate("indoor", **(FLOOR | {"seed": seed})).save(file)
    return place


@pytest.fixture(scope="module")
def report(folder, tmp_path_factory):
    told = []
    made = improved_heuristics.reproduce(
        tmp_path_factory.mktemp("out"),
        quick=True,
        maps=folder,
        searches=40,
        progress=lambda done, text: told.append(done),
    )
    assert told == sorted(told)
    assert (told[0], told[-1]) == (0.0, 1.0)
    return made


def rows_of(table, *where):
    rows = (dict(zip(table.columns, row, strict=True)) for row in table.rows)
    return {row["algorithm"]: row for row in rows if tuple(row.values())[: len(where)] == where}


@pytest.mark.parametrize("maps", ["demo map", "game maps", "large map"])
@pytest.mark.parametrize("searches", [ALL, TOP])
def test_better_estimates_leave_costs_and_save_nodes(report, maps, searches):
    rows = rows_of(report.tables["table-1"], maps, searches)
    assert list(rows) == LABELS
    assert len({row["path cost"] for row in rows.values()}) == 1
    assert rows["octile"]["estimate"] == rows["dead-end"]["estimate"]
    cost, estimate = rows["gateway"]["path cost"], rows["gateway"]["estimate"]
    assert rows["octile"]["estimate"] <= rows["gateway, whole gates"]["estimate"] <= cost
    assert 0.9 * cost < estimate <= cost
    assert rows["dead-end"]["nodes"] < rows["octile"]["nodes"]
    assert rows["gateway"]["nodes"] < 0.5 * rows["octile"]["nodes"]
    assert all(row["us"] > 0 for row in rows.values())


def test_the_papers_figures_stand_beside_ours(report):
    table = report.tables["table-1"]
    row = table.row("large map", TOP, "gateway")
    assert [row[f"{name} (paper)"] for name in ("path cost", "estimate", "nodes", "ms")] == [30463, 30002, 2361, 71.3]
    assert table.row("large map", TOP, "gateway, whole gates")["nodes (paper)"] == 2361
    assert table.row("large map", ALL, "octile")["nodes (paper)"] is None  # the paper has no such row
    assert table.row("demo map", ALL, "gateway and dead ends")["nodes (paper)"] is None
    ratios = report.tables["ratios"].row("demo map", ALL, "gateway")
    assert ratios["nodes / octile (paper)"] == pytest.approx(0.23, abs=0.005)
    assert ratios["estimate / cost (paper)"] == pytest.approx(0.975, abs=0.0005)
    assert report.tables["ratios"].row("demo map", ALL, "octile")["nodes / octile"] == 1


def test_long_searches_are_the_longest_of_those_drawn():
    place = zones_measures.with_problems("floor", "floors", zones_measures.demo(), 20, 3)
    assert len(place.drawn) == 200
    longest = np.sort(place.drawn.costs)[::-1][:20]
    assert place.problems(TOP).costs.tolist() == longest.tolist()
    assert place.problems(ALL).costs.tolist() == place.drawn.costs[:20].tolist()


def test_every_search_among_obstacles_is_optimal(report):
    table = report.tables["blocked"]
    for maps in ("demo map", "game maps", "large map"):
        for share in ("0 %", "1 %", "5 %"):
            rows = rows_of(table, maps, share)
            assert list(rows) == LABELS
            assert {row["wrong costs"] for row in rows.values()} == {0}
            assert len({(row["path cost"], row["searches"], row["cut off"]) for row in rows.values()}) == 1
            assert rows["gateway"]["nodes / octile"] < 1
        assert table.row(maps, "5 %")["searches"] + table.row(maps, "5 %")["cut off"] < 40  # blocked ends are left out


def test_everything_was_checked_and_said(report):
    assert "WRONG" not in report.summary()
    assert "Every cost is dijkstra's, in all 2 " in report.intro  # thousand and some: blocked ends are left out
    assert set(report.tables["maps"].column("wrong costs")) == {0}
    assert set(report.tables["other-maps"].column("wrong costs")) == {0}


def test_indexes(report):
    rows = rows_of(report.tables["indexes"], "AR0012SR")
    assert "octile" not in rows
    cut = wg.decompose(wg.generate("indoor", **FLOOR))
    assert rows["gateway, whole gates"]["gates"] == len(cut.gates) <= rows["gateway"]["gates"]
    assert {row["zones"] for row in rows.values()} == {cut.count}
    assert rows["gateway"]["longest gate"] <= rows["gateway, whole gates"]["longest gate"]
    assert (
        rows["dead-end"]["index bytes"] < rows["gateway"]["index bytes"] < rows["gateway and dead ends"]["index bytes"]
    )


def test_a_consistent_estimate_calls_for_what_is_expanded(report):
    rows = report.tables["expansions"].rows
    assert {row[2] for row in rows} == set(zones_checks.EXPANDING)
    for _, _, label, below, up_to, nodes, repeated, _ in rows:
        assert below <= up_to
        if label == "octile":
            assert below <= nodes <= up_to
            assert repeated == "0.0 %"


def test_expansions_are_counted_one_by_one():
    grid = wg.Grid(np.ones((1, 9), bool), metric="bg")
    place = zones_measures.with_problems("line", "lines", grid, 10, 0)
    found = zones_checks.expansions(place, ALL, "octile", wg.make_finder("astar", grid), 10)
    costs = place.problems(ALL).costs
    nodes = np.where(costs > 0, costs + 1, 0).mean()  # a start that is the goal needs none
    assert found[3:] == pytest.approx((nodes, 0, 0, costs.mean() + 1))  # all have f equal to the cost


def test_the_printed_algorithm_marks_walls(report):
    table = report.tables["decomposition"]
    assert "takes walls for zones on 6 of 6 maps" in table.notes[0]
    assert min(table.column("walls that it marks")) > 0
    assert set(table.column("wrong costs")) == {0}


def test_bridges_tell_what_trails_tell(report):
    table = report.tables["relevance"]
    assert set(table.column("differ")) == {0}
    small = table.row("indoor 24 x 18, seed 0")
    assert small["finished"] == small["pairs of zones"] > 0
    assert small["nodes, bridges"] == small["nodes, trails"]


def test_trails_between_zones_that_nothing_connects():
    ports = find_ports(wg.Grid([[1, 0, 1]]))
    assert zones_checks.trails(ports, 0, 1).tolist() == [False, False]
    assert zones_checks.trails(ports, 0, 0).tolist() == [True, False]


def test_corner_rules_of_the_large_map(report):
    table = report.tables["corners"]
    assert table.column("corners") == ["never", "one", "always", "paper"]
    never, one, always, paper = table.column("path cost")
    assert never >= one >= always
    assert paper == 30463


def test_files(report):
    written = {path.name for path in report.files}
    assert {"table-1.csv", "ratios.csv", "blocked.csv", "table-1.png", "figures-1-to-3.png", "summary.md"} <= written
    assert "figure-6.png" in written
    assert "figure-5.png" not in written  # AR0205SR is not there


# --- A wrong cost ----------------------------------------------------------------------------------------------------


def test_a_wrong_cost_is_told_before_everything_else(monkeypatch, tmp_path):
    real = wg.Finder.find_many

    def detour(self, *args, **options):
        batch = real(self, *args, **options)
        if self.info.name == "gateway" and self.options["dead_ends"]:
            batch.rows[3, 2] += 2  # two straight moves more
        return batch

    monkeypatch.setattr(wg.Finder, "find_many", detour)
    monkeypatch.setattr(improved_heuristics, "QUICK_KINDS", ())
    monkeypatch.setattr(zones_measures, "SHARES", ())
    monkeypatch.setattr(improved_heuristics, "SHARES", ())
    monkeypatch.setattr(zones_tables, "SHARES", ())
    report = improved_heuristics.reproduce(tmp_path, quick=True, searches=10)
    assert report.intro.startswith("WRONG COSTS: 2 searches, see wrong-costs.")
    assert "Every cost" not in report.intro
    first = dict(zip(report.tables["wrong-costs"].columns, report.tables["wrong-costs"].rows[0], strict=True))
    assert (first["map"], first["algorithm"], first["wrong"]) == ("demo map", "gateway and dead ends", 1)
    assert "as it says" in first["first"]


def test_a_path_where_there_is_none_counts_as_wrong():
    place = zones_measures.with_problems("floor", "floors", zones_measures.demo(), 30, 0)
    finders = {"octile": wg.make_finder("astar", place.grid)}
    (run,) = zones_measures.measure_blocked(place, finders, 0.3, 1, 0)
    assert run.parted > 0
    assert run.wrong == 0
    _, parted = zones_measures._obstacles(place, 0.3, 0)
    assert sum(len(group.problems) for group in parted) == run.parted
    walls_ignored = {"octile": _Blind(place.grid)}
    (run,) = zones_measures.measure_blocked(place, walls_ignored, 0.3, 1, 0)
    assert run.wrong > run.parted > 0


class _Blind:
    """A finder that does not see temporary walls."""

    def __init__(self, grid):
        self._finder = wg.make_finder("astar", grid)

    def find_many(self, starts, goals, threads=None, blocked=None, paths=True):
        return self._finder.find_many(starts, goals, threads=threads, paths=paths)


# --- Maps and options ------------------------------------------------------------------------------------------------


def test_without_maps_generated_ones_are_searched(tmp_path):
    report = improved_heuristics.reproduce(tmp_path, quick=True, searches=20, corners="one", seed=4)
    table = report.tables["table-1"]
    assert {row[0] for row in table.rows} == {"demo map"}
    assert any(note.startswith("No game maps were searched: --maps DIR") for note in table.notes)
    assert "corners" not in report.tables


def test_the_maps_of_the_paper_are_those_of_its_folder(folder):
    def stems(*given):
        return [file.stem for file in zones_measures.choose_paper_maps(*given)]

    assert stems(folder, None, False) == stems(folder / "bgmaps", None, True) == ["AR0012SR", "AR0406SR"]
    assert stems(folder, "dao/arena, AR0406SR", False) == ["arena", "AR0406SR"]
    assert stems(folder / "dao", None, False) == []


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"only": "moon"}, r"only: there is no map 'moon' in .*; there are AR0012SR, AR0406SR, arena"),
        ({"only": ","}, "only is ','; allowed are names of maps"),
        ({"rounds": 0}, "rounds is 0; allowed are the integers from 1"),
        ({"searches": 5}, "searches is 5; allowed are the integers from 10"),
        ({"seed": -1}, "seed is -1; allowed are the integers from 0"),
        ({"corners": "some"}, "corners is 'some'; allowed are never, one, always"),
    ],
)
def test_bad_options_are_refused_before_any_work(folder, tmp_path, options, told):
    with pytest.raises(WaygridError, match=told):
        improved_heuristics.reproduce(tmp_path, maps=folder, **options)
    assert list(tmp_path.iterdir()) == []


def test_maps_with_terrain_are_refused(tmp_path):
    wg.Grid([[1, 1]], weights=[[1, 2]]).save(tmp_path / "swamp.map")
    with pytest.raises(WaygridError, match=r"swamp\.map has terrain weights"):
        zones_measures.read(tmp_path / "swamp.map", "never")


def test_the_demo_map_is_as_hard_as_the_papers():
    place = zones_measures.with_problems("demo map", "demo map", zones_measures.demo(), 1000, 0)
    octile = {"octile": wg.make_finder("astar", place.grid)}
    for searches in (ALL, TOP):
        (run,) = zones_measures.measure(place, searches, octile, 1)
        cost, estimate, nodes, _ = zones_tables.printed_row("demo map", searches, "octile")
        assert (run.cost, run.estimate, run.nodes) == pytest.approx((cost, estimate, nodes), rel=0.1)
        assert run.wrong == 0


def test_means_are_over_searches():
    one = Run("a", "game maps", ALL, "octile", 1, 100.0, 80.0, 4.0, 10.0, 0)
    other = replace(one, place="b", problems=3, nodes=8.0, us=2.0, wrong=1, parted=2)
    both = average_runs([one, other], "game maps")
    assert (both.problems, both.nodes, both.us, both.wrong, both.parted) == (4, 7.0, 4.0, 1, 2)
    found = Found(runs=[one, other])
    assert found.mean("b", ALL, "octile").nodes == 8.0


def test_real_maps(maps, tmp_path):
    if not (maps / "bgmaps" / "AR0406SR.map").is_file():
        pytest.skip("no AR0406SR")
    report = improved_heuristics.reproduce(tmp_path, quick=True, maps=maps, only="AR0406SR", searches=100)
    rows = rows_of(report.tables["table-1"], "large map", TOP)
    assert "WRONG" not in report.intro
    # the problems are others, the map is the paper's
    for name in ("path cost", "estimate", "nodes"):
        assert rows["octile"][name] == pytest.approx(rows["octile"][f"{name} (paper)"], rel=0.1)
    assert rows["gateway"]["nodes"] < 0.4 * rows["octile"]["nodes"]
    assert rows["dead-end"]["nodes"] < 0.8 * rows["octile"]["nodes"]
