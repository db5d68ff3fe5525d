"""First paths with a pack and an empty cache: no compiler runs."""

import platform
from pathlib import Path

import numpy as np
import pytest
from compiled import variants_used
from core.test_jit import copy_package, run

import waygrid as wg
from waygrid.core.pack import list_levels
from waygrid.measure.path_check import check_paths
from waygrid.warm.jobs import list_jobs

LEVELS = list(list_levels())
PACK = """
import os, sys
from pathlib import Path
from waygrid.core.pack import FOLDER, write_pack
from waygrid.warm.packs import _collect
from waygrid.warm.workers import compile_kernels
assert compile_kernels(["bfs", "astar", "jps+"], workers=1) > 0
write_pack(FOLDER / (os.environ["NUMBA_CPU_NAME"] + ".pack"), _collect(Path(os.environ["WAYGRID_CACHE"])))
"""
FIRST = """
import numpy as np
from numba.core import event
with event.install_recorder("numba:compile") as compiler:  # of Numba, so also what is none of our kernels
    import waygrid as wg
    passable = np.ones((20, 20), np.uint8)
    passable[10, :-2] = 0
    path = wg.make_finder("{name}", wg.Grid(passable)).find((0, 0), (19, 19))
from waygrid.core.cache import count_compiled
from waygrid.core.pack import describe_pack
print(path.status.name, count_compiled(), len(compiler.buffer), describe_pack().partition(",")[0])
"""


HASHES = """
import runpy, sys
sys.argv = ["determinism.py", "--grids", "octile", "--only", "bfs,astar,jps+"]
try:
    runpy.run_path({script!r}, run_name="__main__")
except SystemExit as end:
    from waygrid.core.pack import describe_pack
    print(end.code, describe_pack().partition(",")[0])
"""


@pytest.fixture(scope="module")
def packed(tmp_path_factory):
    """A copy of the package with a pack of a few algorithms."""
    if not LEVELS:
        pytest.skip(f"there are no packs for {platform.machine()}")
    folder = tmp_path_factory.mktemp("packed")
    copy_package(folder)
    settings = {"NUMBA_CPU_NAME": LEVELS[0], "NUMBA_CPU_FEATURES": "", "WAYGRID_CACHE": str(folder / "compiled")}
    made = run(PACK, folder, PYTHONPATH=str(folder), **settings)
    assert made.returncode == 0, made.stderr
    return folder


@pytest.mark.parametrize("name", ["bfs", "astar", "jps+"])
def test_no_compiler_runs_for_the_first_path(packed, name):
    cache = packed / f"cache of {name}"
    done = run(FIRST.format(name=name), packed, PYTHONPATH=str(packed), WAYGRID_CACHE=str(cache))
    assert (done.stdout, done.stderr) == (f"FOUND 0 0 {LEVELS[0]}\n", "")
    assert [file.name for file in cache.rglob("*.*")] == []


def test_answers_of_a_pack_are_those_of_the_tree(packed):
    cache, script = packed / "cache of hashes", str(Path(__file__).parent.parent / "determinism.py")
    done = run(HASHES.format(script=script), packed, PYTHONPATH=str(packed), WAYGRID_CACHE=str(cache))
    assert done.stdout == f"3 hashes, 0 differ: -\n0 {LEVELS[0]}\n", done.stderr


@pytest.mark.parametrize("name", wg.algorithms())
def test_a_first_path_uses_nothing_that_was_not_compiled_ahead(monkeypatch, name):
    """Whatever the size of the map, up to 255 cells on a side: above that, `warmup --all` and the packs have more."""
    info, jobs = wg.algorithms()[name], list_jobs([name])
    with variants_used(monkeypatch) as ahead:
        for job in jobs.values():
            job()
    with variants_used(monkeypatch) as used:
        for side in (20, 100):
            passable = np.ones((side, side), np.uint8)
            passable[side // 2, :-2] = 0
            topology = "octile" if "octile" in info.topologies else info.topologies[0]
            corners = "never" if "never" in info.corners else info.corners[0]
            grid = wg.Grid(passable, topology=topology, corners=corners)
            goal = (2, 3) if name in ("ida", "iddfs") else (side - 1, side - 1)
            assert wg.make_finder(name, grid).find((0, 0), goal).status == wg.Status.FOUND
    assert used <= ahead, "\n".join(sorted(used - ahead))


@pytest.mark.parametrize("name", ["astar", "jps+", "cpd", "turntable", "ch", "pra"])
def test_all_ways_of_asking_are_compiled_ahead(monkeypatch, name):
    """What the packs of a wheel hold: costs and waypoints alone, times, fewest turns, answers after edits."""
    jobs = list_jobs([name], everything=True)
    passable = np.ones((20, 20), np.uint8)
    passable[10, :-2] = 0
    ends = [(0, 0)], [(19, 19)]
    with variants_used(monkeypatch) as ahead:
        for job in (name, f"{name}, plain", "fewest turns, plain", "checks, plain", "edits", "maps"):
            jobs[job]()
    with variants_used(monkeypatch) as used:
        finder = wg.make_finder(name, wg.Grid(passable))
        for cell, value in (((0, 0), True), ((5, 10), True), ((5, 9), False), ((5, 9), True), ((5, 10), False)):
            finder.grid.set_passable(cell, value)
            assert np.isfinite(finder.costs(*ends)).all()
            assert finder.find((0, 0), (19, 19), waypoints=True).waypoints.tolist()
            batch = finder.find_many(*ends, waypoints=True)
            assert len(batch.waypoints[0]) <= len(batch.cells)
            assert (finder.find_many(*ends, timed=True).times_ns >= 0).all()
            if finder.optimal:
                assert finder.find((0, 0), (19, 19), prefer="straight").cost == pytest.approx(batch.costs[0])
            assert not check_paths(finder.grid, *map(np.array, ends), finder.find_many(*ends)).wrong
    assert used <= ahead, "\n".join(sorted(used - ahead))


@pytest.mark.parametrize("name", ["turntable", "cpd", "taut", "ch"])
def test_a_map_without_corners_needs_no_kernels_of_its_own(monkeypatch, name):
    """Arrays without rows are of the same type as others: of index arrays, none can be written."""
    jobs = list_jobs([name])
    with variants_used(monkeypatch) as ahead:
        for job in jobs.values():
            job()
    with variants_used(monkeypatch) as used:
        finder = wg.make_finder(name, wg.Grid(np.ones((6, 7), np.uint8)))
        assert finder.find((0, 0), (6, 5)).status == wg.Status.FOUND
    assert used <= ahead, "\n".join(sorted(used - ahead))


@pytest.mark.parametrize("name", ["lrta", "tba", "dstar-lite", "dba"])
def test_changes_of_pools_are_compiled_ahead(monkeypatch, name):
    jobs = list_jobs([name], everything=True)
    with variants_used(monkeypatch) as ahead:
        jobs[name]()
        jobs[f"{name}, plain"]()
    with variants_used(monkeypatch) as used:
        pool = wg.make_finder(name, wg.Grid(np.ones((20, 20), np.uint8))).agents([(0, 0), (5, 5)], [(9, 9), (0, 0)])
        pool.step()
        pool.set_goals([0], [(3, 19)])
        pool.remove(pool.add([(7, 7)], [(1, 1)]))
        pool.step()
    assert used <= ahead, "\n".join(sorted(used - ahead))


def test_plans_of_any_size_are_compiled_ahead(monkeypatch):
    with variants_used(monkeypatch) as ahead:
        list_jobs()["plans of crowds"]()
    assert any(one.startswith("waygrid.crowd.lacam_query.rehash(") for one in ahead)
