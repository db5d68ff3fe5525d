from waygrid.core import jit as _jit


def test_names_the_cache(cli, monkeypatch):
    answer = cli("warmup", "bfs")
    assert answer.code == 0
    assert answer.out.startswith("1 algorithm ready in ")
    assert answer.out.endswith(f"kernels compiled; cache: {_jit.CACHE_FOLDER}\n")
    monkeypatch.setattr(_jit, "CACHE_FOLDER", None)
    assert cli("warmup", "bfs").out.endswith("; nothing is cached\n")


def test_refuses_an_unknown_algorithm(cli):
    answer = cli("warmup", "bfs", "astat")
    assert answer.code != 0
    assert "there is no algorithm 'astat'; did you mean 'astar'?" in answer.err
