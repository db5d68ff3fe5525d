"""What is compiled ahead: every variant of maps, and nothing that takes long."""

import pytest

import waygrid as wg
from waygrid.core.cache import count_compiled
from waygrid.warm import jobs, workers


def test_no_variant_needs_a_large_map():
    for variant in jobs.VARIANTS:
        grid = jobs.make_grid(variant)
        assert grid.width * grid.height < 1000


def test_variants_are_different_types():
    """Every variant leads to another combination of weights, width of distances and kind of queue."""
    kinds = set()
    for variant in jobs.VARIANTS:
        grid = jobs.make_grid(variant)
        shape = wg.make_finder("astar", grid)._shape()
        kinds.add((grid.weights is None, shape.wide, shape.heap, variant.one_way))
    assert len(kinds) == len(jobs.VARIANTS)


def test_every_algorithm_has_its_jobs():
    plain, everything = jobs.list_jobs(), jobs.list_jobs(everything=True)
    assert set(wg.algorithms()) <= set(plain) <= set(everything)
    for name, info in wg.algorithms().items():
        assert f"{name}, plain" in everything
        assert (f"{name}, weights" in everything) == info.weights


def test_a_second_time_compiles_nothing():
    workers.do_job("astar")
    before = count_compiled()
    assert workers.do_job("astar") == ("astar", 0)
    assert count_compiled() == before


def test_workers_share_the_jobs():
    told = []
    compiled = workers.compile_kernels(["bfs", "astar"], workers=2, report=lambda *facts: told.append(facts))
    assert compiled >= 0
    assert [done for done, _, _ in told] == [1, 2, 3]
    assert {job for _, _, job in told} == {"maps", "bfs", "astar"}


@pytest.mark.parametrize("cores", [1, 2, 64])
def test_workers_fit_into_memory(monkeypatch, cores):
    monkeypatch.setattr(workers, "count_threads", lambda: cores)
    assert 1 <= workers.count_workers() <= cores
    assert workers.count_workers() * workers._WORKER <= workers.MEMORY


@pytest.mark.parametrize("topology", ["tile", "octile", "hex", "tex"])
def test_every_variant_makes_a_map_of_every_topology(topology):
    """One-way tiles name a move that the topology has; `warmup --all` and the packs of wheels failed on hexagons."""
    for variant in jobs.VARIANTS:
        grid = jobs.make_grid(variant, topology)
        assert grid.has_one_way == variant.one_way
