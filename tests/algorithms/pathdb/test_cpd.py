"""Path databases: optimal, legal, small, the same on every device."""

import os
import subprocess
import sys

import numpy as np
import pytest
from cases import cases, check, grid_of, grid_with_a_block
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import waygrid as wg
from waygrid.algorithms.jumps.floods import CanonicalFlood
from waygrid.algorithms.pathdb.cpd_build import BLOCK, compress, pack_rows
from waygrid.algorithms.pathdb.cpd_query import look_up


@pytest.mark.quick
@settings(max_examples=600)
@given(cases(largest=13, topologies=("octile",), one_way=False, weighted=False), st.integers(0, 99))
def test_path_databases_are_optimal(case, seed):
    assume(case.corners != "one")
    check(case, wg.make_finder("cpd", grid_of(case), threads=1), sources=4, goals=20, seed=seed)


@settings(max_examples=150)
@given(st.integers(0, 2**32 - 1), st.sampled_from(("never", "always")))
def test_around_symmetric_obstacles(seed, corners):
    grid = grid_with_a_block(seed, corners)
    truth, finder = wg.make_finder("dijkstra", grid), wg.make_finder("cpd", grid)
    ys, xs = np.nonzero(grid.passable)
    cells = np.stack([xs, ys], axis=1)
    picks = np.random.default_rng(seed).integers(0, len(cells), (2, 60))
    right, found = (f.find_many(cells[picks[0]], cells[picks[1]]) for f in (truth, finder))
    assert np.allclose(right.costs, found.costs)


@settings(max_examples=300)
@given(st.lists(st.integers(0, 255), min_size=1, max_size=60))
def test_every_move_of_a_run_serves_all_its_goals(masks):
    first, order = np.array(masks, np.uint8), np.arange(len(masks))
    runs = np.zeros(len(masks) + 1, np.uint32)
    count = compress(first, order, 3, runs, 0)
    kept = runs[:count]
    assert kept[0] >> 3 == 0
    assert (np.diff((kept >> 3).astype(int)) > 0).all()
    assert (np.diff((kept & 7).astype(int)) != 0).all()
    blocks = -(-count // BLOCK)
    places, heads, packed = np.zeros((1, 2), int), np.zeros(blocks, np.uint32), np.zeros(blocks * BLOCK, np.uint32)
    pack_rows(np.array([count]), kept, places, heads, packed)
    assert places.tolist() == [[0, blocks]]
    for goal, mask in enumerate(masks):
        if mask:
            assert mask >> (look_up(heads, packed, 0, blocks, goal << 3 | 7) & 7) & 1
    fewest, common = 1, 255
    for mask in filter(None, masks):
        common &= mask
        if not common:
            fewest, common = fewest + 1, mask
    assert count <= fewest
    assert compress(first, order, 3, np.zeros(0, np.uint32), 7) == 7 + count


def test_one_look_up_for_a_turning_point():
    grid = wg.generate("rooms", width=60, height=60, seed=3)
    finder = wg.make_finder("cpd", grid)
    ys, xs = np.nonzero(grid.passable)
    picks = np.random.default_rng(0).integers(0, len(xs), (2, 200))
    batch = finder.find_many(*(np.stack([xs[p], ys[p]], axis=1) for p in picks))
    assert batch.expanded.mean() < batch.lengths.mean() / 2


def test_small_and_the_same_for_any_number_of_threads(tmp_path):
    grid = wg.generate("caves", width=60, height=50, seed=2)
    for threads in (1, 2):
        wg.make_finder("cpd", grid, threads=threads).save(tmp_path / f"{threads}.wgi")
    assert (tmp_path / "1.wgi").read_bytes() == (tmp_path / "2.wgi").read_bytes()
    loaded = wg.load_finder(tmp_path / "1.wgi", grid, verify=True)
    passable = int(grid.passable.sum())
    assert loaded.memory.fixed_bytes < passable * passable / 8
    with pytest.raises(wg.WaygridError, match=r"made for a map with [0-9]+ other walls"):
        wg.load_finder(tmp_path / "1.wgi", wg.generate("caves", width=60, height=50, seed=3), edits="refuse")


def test_rows_that_need_more_room_than_thought(monkeypatch):
    from waygrid.algorithms.pathdb import cpd

    grid = wg.generate("random", width=20, height=20, seed=2)
    whole = wg.make_finder("cpd", grid, threads=1).index
    monkeypatch.setattr(cpd, "_ROOM", 0)
    tight = wg.make_finder("cpd", grid, threads=1).index
    assert all((whole[name] == tight[name]).all() for name in whole)


def test_walls_around_every_cell():
    grid = wg.Grid(np.array([[1, 0, 1], [0, 0, 0], [1, 0, 1]], bool))
    finder = wg.make_finder("cpd", grid)
    assert finder.find((0, 0), (2, 2)).status == wg.Status.UNREACHABLE
    assert finder.find((0, 0), (0, 0)).cells.tolist() == [[0, 0]]
    assert CanonicalFlood(grid).turns == 0


SIMULATED = """
import sys, numpy as np, waygrid as wg
from waygrid.algorithms.bounds import gpu
gpu.LaunchShape.__new__.__defaults__ = (4, 2, 0)  # threads of the simulator are real ones
for corners, seed, names in (("never", 1, ("cpd", "jps+gb", "astar-gb")), ("always", 2, ("cpd",))):
    rng = np.random.default_rng(seed)
    grid = wg.Grid(rng.random((5, 7)) > 0.3, corners=corners)
    for name in names:
        for device in ("cpu", "gpu"):
            wg.make_finder(name, grid, device=device).save(f"{sys.argv[1]}/{device}.wgi")
        files = [open(f"{sys.argv[1]}/{device}.wgi", "rb").read() for device in ("cpu", "gpu")]
        assert files[0] == files[1], (name, corners)
print("equal")
"""


def test_indexes_of_cpu_and_simulated_gpu_are_equal_byte_for_byte(tmp_path):
    """The simulator must be chosen before numba.cuda is imported: a process of its own."""
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1"}
    command = [sys.executable, "-c", SIMULATED, str(tmp_path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=280)
    assert done.stdout.strip() == "equal", done.stderr[-2000:]


def test_without_a_gpu_the_reason_is_told():
    from waygrid.algorithms.bounds import gpu

    if gpu.available() is None:
        pytest.skip("there is a GPU")
    with pytest.raises(wg.WaygridError, match="GPU"):
        wg.make_finder("cpd", wg.Grid([[1, 1]]), device="gpu")


def test_real_maps(maps):
    grid = wg.Grid.from_file(maps / "dao" / "arena.map")
    scenario = wg.Scenario.from_file(maps / "dao" / "arena.map.scen")
    batch = wg.make_finder("cpd", grid).find_many(scenario.starts, scenario.goals)
    assert (np.abs(batch.costs - scenario.costs) < 1e-4).all()
