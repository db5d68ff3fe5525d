"""What make_finder("auto", ...) takes: within its limits, for every grid, with a reason."""

import numpy as np
import pytest
from cases import cases, check, grid_of
from hypothesis import given, settings
from hypothesis import strategies as st

import waygrid as wg
from waygrid.algorithms import automatic
from waygrid.algorithms.automatic import CHOICES, MapFacts, choose_algorithm, measure_map
from waygrid.algorithms.jumps.spots import map_spots


@settings(max_examples=80)
@given(cases(), st.sampled_from((1, 5_000, 10**9)), st.integers(0, 99))
def test_it_never_refuses_and_is_optimal(case, memory, seed):
    finder = wg.make_finder("auto", grid_of(case), memory=memory, threads=1)
    assert finder.optimal
    assert finder.info.name in CHOICES
    assert finder.reason.startswith(f"{finder.info.name}: ")
    check(case, finder, sources=1, goals=8, seed=seed)


@pytest.mark.parametrize("seed", range(4))
def test_spots_are_counted_or_estimated(seed, monkeypatch):
    grid = wg.generate(("rooms", "caves", "random", "indoor")[seed], width=200, height=190, seed=seed)
    right, counted = len(map_spots(grid.table).cells), measure_map(grid)
    assert counted == (200 * 190, int(np.count_nonzero(grid.table.walk)), right)
    monkeypatch.setattr(automatic, "_LOOKED_AT", 10_000)
    assert 0.7 * right < measure_map(grid).spots < 1.4 * right


def test_limits_lead_down_the_list():
    grid = wg.generate("caves", width=150, height=150, seed=1)
    taken = [choose_algorithm(grid, memory=memory).algorithm for memory in ("1 GB", "600 KB", "1 KB")]
    assert taken[0] == "turntable"
    assert taken[2] == "jps"
    order = [list(CHOICES).index(name) for name in taken]
    assert order == sorted(order)
    assert choose_algorithm(grid, build_seconds=0).algorithm == "jps"
    reason = choose_algorithm(grid, memory="600 KB").reason
    assert "turntable would take about" in reason
    assert "allowed are 600 KB and 3 s" in reason


def test_reasons_write_numbers_out(monkeypatch):
    monkeypatch.setattr(automatic, "measure_map", lambda grid: MapFacts(10**6, 9 * 10**5, 60_000))
    reason = choose_algorithm(wg.Grid([[1, 1]])).reason
    assert "turntable would take about 11 GB and 100 s" in reason
    assert "e+" not in reason


def test_estimates_are_of_the_right_size():
    grid = wg.generate("caves", width=300, height=300, seed=1)
    facts = measure_map(grid)
    for name in ("turntable", "ch", "jps+"):
        size = wg.make_finder(name, grid).memory.fixed_bytes
        assert 0.5 * size < CHOICES[name](facts).bytes < 4 * size, name


def test_grids_that_few_algorithms_take():
    weighted = wg.Grid(np.ones((5, 5)), weights=np.full((5, 5), 3))
    assert wg.make_finder("auto", weighted).reason == "jpsw: no index that auto builds takes terrain weights"
    means = wg.Grid(np.ones((5, 5)), weights=np.full((5, 5), 3), rule="mean")
    assert choose_algorithm(means).algorithm == "astar"
    assert choose_algorithm(wg.Grid(np.ones((5, 5)), corners="one")).reason.endswith("corners 'one'")
    assert wg.make_finder("auto", wg.Grid([[0]])).find_many([], []).costs.tolist() == []


def test_options_are_checked():
    grid = wg.Grid([[1, 1]])
    with pytest.raises(wg.WaygridError, match=r"auto has no option 'sector'; allowed are memory, build_seconds"):
        wg.make_finder("auto", grid, sector=3)
    with pytest.raises(wg.WaygridError, match="build_seconds is -1; allowed are"):
        wg.make_finder("auto", grid, build_seconds=-1)
    with pytest.raises(wg.WaygridError, match="auto needs a Grid, not list"):
        wg.make_finder("auto", [[1, 1]])
    assert wg.make_finder("astar", grid).reason == ""
    assert wg.make_finder("auto", grid, device="gpu", memory=1).info.name == "jps"
