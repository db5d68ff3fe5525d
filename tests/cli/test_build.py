"""waygrid build, and find with an index."""

import waygrid as wg


def test_build_and_find(cli, tmp_path):
    grid = wg.generate("rooms", width=30, height=20, seed=1)
    grid.save(tmp_path / "a.map")
    answer = cli("build", "a.map", "-a", "jps+")
    assert answer.code == 0
    assert "9600 bytes of index" in answer.out
    assert (tmp_path / "a.wgi").exists()
    ys, xs = grid.passable.nonzero()
    ends = [f"{xs[0]},{ys[0]}", f"{xs[-1]},{ys[-1]}"]
    with_index = cli("find", "a.map", *ends, "--index", "a.wgi")
    assert with_index.code == 0
    plain = cli("find", "a.map", *ends)
    assert with_index.out.splitlines()[:2] == plain.out.splitlines()[:2]


def test_what_is_refused(cli, tmp_path):
    wg.Grid([[1, 1, 1]]).save(tmp_path / "a.map")
    wg.Grid([[1, 0, 1]]).save(tmp_path / "b.map")
    for words, told in (
        (["build", "a.map", "-a", "astar"], "astar has no index; allowed are jps+"),
        (["build", "a.map", "-a", "jps+", "--corners", "one"], "does not support corners 'one'"),
        (["build", "a.map"], "algorithm"),
    ):
        answer = cli(*words)
        assert answer.code == 2
        assert told in answer.err
    assert cli("build", "a.map", "-a", "jps+", "-o", "a.wgi").code == 0
    answer = cli("find", "b.map", "0,0", "2,0", "--index", "a.wgi")
    assert answer.code == 2
    assert "another map" in answer.err
