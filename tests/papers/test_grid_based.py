"""Yap: the facts behind both tables, with small numbers of trials."""

import itertools

import numpy as np
import pytest

from waygrid.errors import WaygridError
from waygrid.grid.grid import Grid
from waygrid.papers.grid_based import reproduce as grid_based
from waygrid.papers.grid_based import table2, theory, trials
from waygrid.papers.grid_based.cells import nearest, ring
from waygrid.papers.grid_based.checks import VancouverCheck, check_pruning, check_vancouver, counter_example


@pytest.mark.parametrize(("grid", "factor"), [("tile", 3), ("hex", 3), ("tex", 3), ("octile", 4.236)])
def test_branching_factors(grid, factor):
    assert theory.branching(grid) == pytest.approx(factor, abs=5e-4)
    assert theory.branching(grid) == pytest.approx(theory.BRANCHING[grid])


def test_levels_are_the_sequences_that_a_plain_count_finds():
    from waygrid.algorithms.classic import ida_query as ida

    geo = theory.empty("octile", 3).table.geo
    count = sum(
        all(ida.prune_moves(geo, ida.PRUNE_PAPER, False, a, 255) >> b & 1 for a, b in itertools.pairwise(moves))
        for moves in itertools.product(range(8), repeat=4)
    )
    assert theory.levels("octile", 4)[4] == count


@pytest.mark.parametrize(("grid", "share"), [("hex", 0.8059), ("tex", 0.8090), ("octile", 0.7071)])
def test_average_depths(grid, share):
    assert theory.mean_depth(grid) == pytest.approx(share, abs=0.002)
    assert theory.DEPTH[grid] == pytest.approx(share, abs=1e-4)


def test_pairs_of_a_small_tex_grid():
    assert theory.pair_depth("tex", 10) == pytest.approx(0.8087, abs=5e-5)


@pytest.mark.parametrize("grid", theory.GRIDS)
def test_every_cell_has_area_1(grid):
    fine = np.arange(-60, 60) / 10 + 0.05
    points = np.stack(np.meshgrid(fine, fine), axis=-1).reshape(-1, 2)
    cells, owned = np.unique(nearest(grid, points), axis=0, return_counts=True)
    inner = (np.abs(cells) <= 3).all(axis=1)  # those at the border of the sample own less
    assert np.count_nonzero(inner) == 49
    assert owned[inner].mean() / 100 == pytest.approx(1, abs=0.01)


@pytest.mark.parametrize("grid", theory.GRIDS)
def test_the_nearest_centre_wins(grid):
    side = np.sqrt(2 / np.sqrt(3)) if grid == "hex" else 1.0
    pitch = side * np.sqrt(3) / 2 if grid == "hex" else 1.0
    cells = np.array(list(itertools.product(range(-9, 10), repeat=2)))
    lift = 0.5 * (cells[:, 0] % 2) if grid in ("hex", "tex") else 0.0
    centres = np.stack([pitch * cells[:, 0], side * (cells[:, 1] - lift)], axis=1)
    points = np.concatenate([ring(radius, 61) for radius in np.linspace(0, 6, 25)])
    away = np.linalg.norm(points[:, None] - centres[None], axis=2)
    chosen = np.array([np.flatnonzero((cells == cell).all(axis=1))[0] for cell in nearest(grid, points)])
    assert away[np.arange(len(points)), chosen] == pytest.approx(away.min(axis=1))


def test_bases_of_ida():
    base = theory.ida_bases(3.5, 7.0).base
    for grid, paper in theory.PAPER_BASE.items():
        assert base[grid] == pytest.approx(paper, abs=0.06)
    assert base["hex"] < base["octile"] < base["tile"]


@pytest.mark.parametrize("grid", theory.GRIDS)
def test_astar_grows_with_the_square(grid):
    away = (10, 20, 40, 80, 160)
    assert theory.growth("", grid, away, "dijkstra", {}).exponent == pytest.approx(2, abs=0.1)
    assert theory.growth("", grid, away, "astar", {"weight": 0.5}).exponent == pytest.approx(2, abs=0.1)


def test_vancouver_as_printed_and_corrected():
    assert check_vancouver(True) == VancouverCheck(28561, 1540, 0, 2440)
    assert check_vancouver(False) == VancouverCheck(28561, 0, 0, 0)
    assert counter_example() == (2, 3, 3)


def test_octile_pruning_is_unsound_as_printed_where_corners_are_never_cut():
    printed = check_pruning("paper", "never", "unit")
    assert printed.wrong_maps > 200
    assert printed.dearer > 0
    assert printed.lost > 0


@pytest.mark.parametrize(
    ("pruning", "corners"), [("sound", "never"), ("sound", "one"), ("paper", "one"), ("paper", "always")]
)
@pytest.mark.parametrize("metric", ["unit", "octile"])
def test_octile_pruning_is_sound_elsewhere(pruning, corners, metric):
    found = check_pruning(pruning, corners, metric)
    assert (found.wrong_maps, found.dearer, found.lost) == (0, 0, 0)
    assert found.queries > 5000


# --- Table 2 ---------------------------------------------------------------------------------------------------------


def test_table_2_on_an_empty_grid():
    (row,) = table2.run_table(table2.PAPER[:1], most=20_000)
    assert row.solvable == row.count(trials.DRAWN) == 20_000
    assert row.ratio(trials.PATH) == pytest.approx(0.809, abs=0.005)
    assert 0 < row.error(trials.PATH) < 0.002
    assert 0 < row.ratio(trials.NODES) < 1


def test_table_2_with_obstacles():
    (row,) = table2.run_table(table2.PAPER[3:4], most=4_000, cap=200_000)
    assert row.count(trials.WRONG) == 0
    assert row.count(trials.UNSOLVABLE) > 0
    assert row.count(trials.CUT) > row.count(trials.CUT + 1)
    assert row.ratio(trials.PATH) == pytest.approx(0.809, abs=0.006)
    assert row.ratio(trials.CAPPED) < 0.3
    assert row.ratio(trials.NODES) < 0.4


def test_trials_do_not_depend_on_slices():
    whole = table2.Trials(table2.PAPER[1], cap=10_000)
    whole.advance(60, 60.0)
    sliced = table2.Trials(table2.PAPER[1], cap=10_000)
    for last in (1, 7, 30, 60):
        assert sliced.advance(last, 60.0) == last
    same = [k for k in range(trials.SUMS) if k not in (trials.NANOSECONDS, trials.NANOSECONDS + 1)]
    assert (whole.outcome.sums[:, same] == sliced.outcome.sums[:, same]).all()


def test_seconds_end_the_trials():
    outcomes = table2.run_table(table2.PAPER[:2], seconds=0.2)
    assert all(0 < row.count(trials.DRAWN) < 10**6 for row in outcomes)


def test_instances_have_their_number_of_obstacles_and_two_free_ends():
    order, walk, labels = np.empty(100, np.int64), np.empty(100, np.uint8), np.empty(100, np.int32)
    ends = set()
    for trial in range(200):
        trials.place(order, walk, labels, 30, 0, trial)
        assert sorted(order) == list(range(100))
        assert np.count_nonzero(walk == 0) == np.count_nonzero(labels < 0) == 30
        assert walk[order[30]]
        assert walk[order[31]]
        ends.add((order[30], order[31]))
    assert len(ends) > 190


def test_fair_moves_need_a_tile_that_touches_both_cells():
    walk = np.array([[1, 0], [0, 1]], np.uint8).ravel()  # the move from (0, 0) to (1, 1) squeezes between two walls
    moves = np.zeros(4, np.uint8)
    grid = Grid(walk.reshape(2, 2), topology="tex")
    trials.compile_fair(walk, moves, grid.table.geo)
    assert grid.moves[0, 0] != 0
    assert moves.tolist() == [0, 0, 0, 0]
    walk[1] = 1
    trials.compile_fair(walk, moves, grid.table.geo)
    opened = Grid(walk.reshape(2, 2), topology="tex")
    assert moves.tolist() == opened.moves.ravel().tolist()


def test_a_whole_iteration_visits_every_shortest_prefix():
    from math import comb

    total = sum(
        comb(abs(a - c) + abs(b - d) + 2, abs(a - c) + 1) - 1
        for a, b, c, d in itertools.product(range(4), repeat=4)
        if (a, b) != (c, d)
    )
    assert table2.whole_iterations(4)[0] == pytest.approx(total / (16 * 15))


def test_everything_is_written(tmp_path):
    told = []
    report = grid_based.reproduce(
        tmp_path, quick=True, seconds=1.5, trials=500, cap=20_000, progress=lambda done, text: told.append(done)
    )
    assert told == sorted(told)
    assert told[-1] == 1.0
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {path.name for path in report.files}
    assert {"table-1.csv", "table-2.csv", "table-2.png", "astar-growth.png", "ida-growth.png", "summary.md"} <= names
    assert len(report.tables["table-2"].rows) == len(table2.PAPER)
    assert set(report.tables["table-2-details"].column("wrong")) == {0}


@pytest.mark.parametrize("options", [{"trials": 0}, {"trials": 2.5}, {"seconds": -1}, {"seconds": "x"}, {"cap": 0}])
def test_bad_options_are_refused_before_any_work(tmp_path, options):
    with pytest.raises(WaygridError, match=next(iter(options))):
        grid_based.reproduce(tmp_path, quick=True, **options)
    assert list(tmp_path.iterdir()) == []
