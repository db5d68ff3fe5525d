"""Memory of large results is used again, but never while somebody holds it."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import waygrid as wg
from waygrid.search import scratch


@pytest.fixture
def finder(monkeypatch):
    monkeypatch.setattr(scratch, "_LARGE_RESULT", 0)
    return wg.make_finder("turntable", wg.generate("caves", width=60, height=50, seed=1))


def queries(grid, seed, count=400):
    ys, xs = np.nonzero(grid.passable)
    picks = np.random.default_rng(seed).integers(0, len(xs), (2, count))
    return tuple(np.stack([xs[p], ys[p]], axis=1) for p in picks)


def address(array):
    return array.__array_interface__["data"][0]


def test_a_batch_that_is_held_stays_as_it_is(finder):
    first = finder.find_many(*queries(finder.grid, 1), threads=1)
    cells, copy = first.cells, first.cells.copy()
    one = first[7].cells
    del first
    others = [finder.find_many(*queries(finder.grid, seed), threads=1).cells for seed in range(2, 6)]
    assert (cells == copy).all()
    assert len({address(array) for array in (cells, *others)}) == 5
    del cells
    again = finder.find_many(*queries(finder.grid, 9), threads=1)
    assert again.cells.base is not one.base
    assert one.tolist() == finder.find(*(tuple(end[7].tolist()) for end in queries(finder.grid, 1))).cells.tolist()


def test_memory_that_nobody_holds_is_used_again(finder):
    starts, goals = queries(finder.grid, 1)
    place = address(finder.find_many(starts, goals, threads=1).cells)
    assert address(finder.find_many(starts, goals, threads=1).cells) == place
    few = finder.find_many(starts[:4], goals[:4], threads=1).cells  # far too large for these
    assert address(few) != place


def test_threads_do_not_share_it(finder):
    asked = [queries(finder.grid, seed) for seed in range(24)]
    right = [finder.find_many(*ends, threads=1).cells.copy() for ends in asked]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda ends: finder.find_many(*ends, threads=1).cells, asked))
    assert all((one == other).all() for one, other in zip(right, found, strict=True))
