import waygrid as wg
from waygrid.cli import warmup
from waygrid.core import jit as _jit
from waygrid.search import registry


def test_names_the_cache(cli, monkeypatch):
    known = {name: wg.algorithms()[name] for name in ("bfs", "astar", "dijkstra")}
    monkeypatch.setattr(registry, "algorithms", lambda: known)
    monkeypatch.setattr(warmup, "VARIANTS", warmup.VARIANTS[:1])
    answer = cli("warmup")
    assert answer.code == 0
    assert answer.out.startswith("3 algorithms ready in ")
    assert answer.out.endswith(f"cache: {_jit.CACHE_FOLDER}\n")
    monkeypatch.setattr(_jit, "CACHE_FOLDER", None)
    assert cli("warmup").out.endswith("; nothing is cached\n")


def test_it_only_compiles():
    """No variant needs a map on which building an index takes long."""
    for variant in warmup.VARIANTS:
        grid = warmup.make_grid(variant)
        assert grid.width * grid.height < 1000


def test_variants_are_different_types():
    """Every variant leads to another combination of weights, width of distances and kind of queue."""
    kinds = set()
    for variant in warmup.VARIANTS:
        grid = warmup.make_grid(variant)
        shape = wg.make_finder("astar", grid)._shape()
        kinds.add((grid.weights is None, shape.wide, shape.heap))
    assert len(kinds) == len(warmup.VARIANTS)
