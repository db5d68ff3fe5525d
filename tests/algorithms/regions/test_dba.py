"""DBA*: legal paths wherever there is one, the table of next hops, options, memory, what is kept."""

import numpy as np
import pytest
from cases import cases, grid_of, pairs_of
from hypothesis import given, settings
from hypothesis import strategies as st

import waygrid as wg
from waygrid.algorithms.regions.dba_build import next_hops, run_lengths
from waygrid.core import layout

# Figure 2 of the paper: stored paths between the regions A to G, times ten.
STORED = {
    "AB": 138, "AD": 132, "AE": 200, "BC": 148, "BD": 216, "BE": 200, "BF": 118, "BG": 236, "CF": 98, "CG": 136,
    "DE": 146, "FG": 130,
}  # fmt: skip
# What dynamic programming makes of them; A-C, A-F and D-F are misprinted in the paper (27.6, 15.6, 36.4).
CLOSED = {"AC": 286, "AF": 256, "AG": 374, "CD": 364, "CE": 348, "DF": 334, "DG": 452, "EF": 318, "EG": 436}


def database(paths):
    names = sorted({name for pair in paths for name in pair})
    both = sorted([(a, b, cost) for (a, b), cost in paths.items()] + [(b, a, cost) for (a, b), cost in paths.items()])
    numbers = {name: number for number, name in enumerate(names)}
    offsets = np.searchsorted([numbers[a] for a, _, _ in both], np.arange(len(names) + 1))
    targets, costs = np.array([numbers[b] for _, b, _ in both]), np.array([cost for _, _, cost in both])
    return names, offsets, targets, costs


def test_figure_2_closes_to_the_corrected_matrix():
    names, offsets, targets, costs = database({tuple(pair): cost for pair, cost in STORED.items()})
    places, bits = np.arange(7), 3
    counts, runs = np.zeros(7, np.int64), np.zeros(49, np.int32)
    next_hops(offsets, targets, costs, places, 0, 7, bits, counts, runs)
    begins = np.concatenate(([0], np.cumsum(counts)))
    for pair, cost in (STORED | CLOSED).items():
        for one, other in (pair, pair[::-1]):
            here, goal, walked = names.index(one), names.index(other), 0
            while here != goal:
                row = runs[begins[here] : begins[here + 1]]
                path = offsets[here] + int(row[np.searchsorted(row >> bits, goal, side="right") - 1] & 7)
                walked += costs[path]
                here = targets[path]
            assert walked == cost, pair


def test_runs_leave_out_what_no_one_asks_for():
    runs = np.zeros(9, np.int32)
    count = run_lengths(np.array([-1, 2, 2, -1, 2, 5, -1, 2]), 3, runs, 0)
    assert [(run >> 3, run & 7) for run in runs[:count].tolist()] == [(0, 2), (5, 5), (7, 2)]


OPTIONS = st.fixed_dictionaries(
    {
        "sector": st.sampled_from((2, 3, 4, 8, (3, 5), 100)),
        "level": st.integers(1, 4),
        "trim": st.sampled_from((True, False, "paper")),
    }
)


@pytest.mark.quick
@settings(max_examples=400)
@given(cases(topologies=("tile", "octile"), one_way=False, weighted=False, largest=14), OPTIONS, st.integers(0, 99))
def test_every_path_is_legal_and_there_is_one_wherever_there_can_be(case, options, seed):
    finder = wg.make_finder("dba", grid_of(case), threads=1, **options)
    finder.verify()
    for start, goal in pairs_of(case, 10, seed):
        truth, path = case.dijkstra(start), finder.find(start, goal)
        assert (path.status == wg.Status.FOUND) == (goal in truth)
        if goal in truth:
            assert tuple(path.cells[0].tolist()) == start
            assert tuple(path.cells[-1].tolist()) == goal
            assert path.cost == pytest.approx(case.path_cost(path.cells), rel=1e-12)
            assert path.cost >= truth[goal] * (1 - 1e-7)


def many(grid, seed=1, count=300):
    cells = np.argwhere(grid.components == np.bincount(grid.components[grid.components >= 0]).argmax())[:, ::-1]
    return cells[np.random.default_rng(seed).integers(len(cells), size=(2, count))]


def test_trimming_and_levels_make_paths_shorter():
    grid = wg.generate("caves", width=200, height=160, seed=4, metric="dba")
    starts, goals = many(grid)
    best = wg.make_finder("astar", grid).find_many(starts, goals).costs.sum()

    def over(**options):
        return wg.make_finder("dba", grid, **options).find_many(starts, goals).costs.sum() / best - 1

    plain, paper, smooth = (over(trim=trim) for trim in (False, "paper", True))
    assert 0 <= smooth < paper < plain
    assert over(level=3, trim="paper") < paper


def test_a_changed_record_is_noticed(tmp_path):
    grid = wg.generate("maze", width=41, height=41, seed=3)
    finder = wg.make_finder("dba", grid, sector=20)
    assert len(finder.index["subgoals"])
    broken = finder.index["subgoals"].copy()
    broken[0] = finder.index["centres"][-1] if broken[0] != finder.index["centres"][-1] else 1
    finder.index["subgoals"] = broken
    with pytest.raises(wg.WaygridError, match="the stored path from region 0 to"):
        finder.verify()


def test_the_database_is_small_and_the_same_for_any_number_of_threads():
    grid = wg.generate("caves", width=150, height=150, seed=5)
    one, other = (wg.make_finder("dba", grid, level=2, threads=threads) for threads in (1, 2))
    assert one.index.keys() == other.index.keys()
    assert all((one.index[name] == other.index[name]).all() for name in one.index)
    assert one.memory.fixed_bytes == sum(array.nbytes for array in one.index.values())
    assert one.memory.fixed_bytes < 150 * 150


def test_saved_and_loaded(tmp_path):
    grid = wg.generate("rooms", width=80, height=60, seed=5)
    finder = wg.make_finder("dba", grid, sector=(12, 20), level=2)
    finder.save(tmp_path / "paths.wgi")
    loaded = wg.load_finder(tmp_path / "paths.wgi", grid, verify=True)
    starts, goals = many(grid, count=60)
    one, other = finder.find_many(starts, goals), loaded.find_many(starts, goals)
    assert (one.rows == other.rows).all()
    assert (one.cells == other.cells).all()


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("dba", {"sector": (np.int64(8), 24), "level": np.int32(2)}),
        ("dba", {"sector": np.int16(8)}),
        ("hcdps", {"cutoff": np.int64(20), "level": np.uint8(2)}),
        ("pra", {"sector": [8, 24], "trim": np.bool_(False)}),
        ("knn-lrta", {"records": np.int64(30), "seed": np.int64(4), "max_moves": np.int64(10**6)}),
        ("dlrta", {"level": np.int64(2)}),
    ],
)
def test_options_of_numpy_are_kept_as_plain_ones(name, options, tmp_path):
    grid = wg.generate("caves", width=40, height=30, seed=1)
    finder = wg.make_finder(name, grid, threads=1, **options)
    finder.save(tmp_path / "index.wgi")
    loaded = wg.load_finder(tmp_path / "index.wgi", grid)
    assert loaded.options == finder.options
    for key, value in options.items():
        plain = tuple(int(side) for side in value) if isinstance(value, (list, tuple)) else value.item()
        assert finder.options[key] == plain
        assert type(finder.options[key]) is type(plain)


def test_traces_show_subgoals_and_moves():
    grid = wg.generate("rooms", width=80, height=60, seed=5)
    finder = wg.make_finder("dba", grid)
    starts, goals = many(grid, count=20)
    for start, goal in zip(starts.tolist(), goals.tolist(), strict=True):
        trace = finder.trace(tuple(start), tuple(goal))
        moves = trace.events[trace.events["kind"] == layout.E_MOVE]
        if len(moves):
            cells = [[int(node % 80), int(node // 80)] for node in moves["node"]]
            assert cells == trace.path.cells[1:].tolist()
            subgoals = set(trace.events["node"][trace.events["kind"] == layout.E_SUBGOAL].tolist())
            assert subgoals <= set(moves["node"].tolist())
            assert moves["node"][-1] in subgoals


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sector": 0}, "sector is 0; allowed are the integers from 1"),
        ({"level": 0}, "level is 0; allowed are the integers from 1 to 16"),
        ({"level": True}, "level is True; allowed are the integers from 1 to 16"),
        ({"trim": "all"}, "trim is 'all'; allowed are True, False, paper"),
        ({"trim": 1}, "trim is 1; allowed are True, False, paper"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(wg.WaygridError, match=message):
        wg.make_finder("dba", wg.Grid(np.ones((4, 4), bool)), **options)


def test_too_many_regions_are_refused():
    with pytest.raises(wg.WaygridError, match="makes 40000 regions of this map, at most 32768"):
        wg.make_finder("dba", wg.Grid(np.ones((200, 200), bool)), sector=1)
