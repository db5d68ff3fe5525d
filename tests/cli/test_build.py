"""waygrid build, and find with an index."""

import os
import re
import signal
import subprocess
import sys
import time

import fake_work
import pytest

import waygrid as wg
from waygrid.build.progress_bar import Stopwatch

POSIX = pytest.mark.skipif(os.name == "nt", reason="signals and terminals")


def test_build_and_find(cli, tmp_path):
    grid = wg.generate("rooms", width=30, height=20, seed=1)
    grid.save(tmp_path / "a.map")
    answer = cli("build", "a.map", "-a", "jps+")
    assert answer.code == 0
    size = wg.make_finder("jps+", grid).memory.fixed_bytes
    each = size / grid.passable.sum()
    assert answer.out.startswith(f"a.wgi: jps+, {size} bytes of index, {each:.1f} per passable cell, built in ")
    assert re.search(r", built in [0-9.]+ (us|ms|s) on the cpu\n$", answer.out)
    assert (tmp_path / "a.wgi").exists()
    ys, xs = grid.passable.nonzero()
    ends = [f"{xs[0]},{ys[0]}", f"{xs[-1]},{ys[-1]}"]
    with_index = cli("find", "a.map", *ends, "--index", "a.wgi")
    assert with_index.code == 0
    plain = cli("find", "a.map", *ends)
    assert with_index.out.splitlines()[0].split() == ["algorithm", "jps+"]
    assert with_index.out.splitlines()[1:3] == plain.out.splitlines()[1:3]


def test_the_time_of_the_build_is_reported(cli, tmp_path, monkeypatch):
    """Neither the time of the compiler nor of loading modules; with the earlier parts of a resumed build."""
    monkeypatch.setattr(Stopwatch, "seconds", property(lambda watch: 4321.0 + watch.earlier))
    wg.Grid([[1, 1, 1]]).save(tmp_path / "a.map")
    assert cli("build", "a.map", "-a", "jps+").out.endswith(", built in 4321.0 s on the cpu\n")


def test_what_is_refused(cli, tmp_path):
    wg.Grid([[1, 1, 1]]).save(tmp_path / "a.map")
    wg.Grid([[1, 0, 1]]).save(tmp_path / "b.map")
    wg.Grid([[1, 1, 1, 1]]).save(tmp_path / "c.map")
    for words, told in (
        (["build", "a.map", "-a", "astar"], "astar has no index; allowed are jps+"),
        (["build", "a.map", "-a", "jps+", "--corners", "one"], "does not support corners 'one'"),
        (["build", "a.map"], "algorithm"),
        (["build", "a.map", "-a", "jps+", "--device", "tpu"], "device is 'tpu'; allowed are cpu, gpu"),
        (["build", "a.map", "-a", "jps+", "--device", "gpu"], "jps+ builds on device 'cpu' only"),
        (["build", "a.map", "-a", "jps+", "--threads", "0"], "threads"),
        (["build", "a.map", "-a", "jps+", "--memory", "much"], "memory is 'much'; allowed are bytes"),
        (["build", "a.map", "-a", "jps+", "--set", "threads=2"], "allowed here are --device, --threads"),
    ):
        answer = cli(*words)
        assert answer.code == 2
        assert told in answer.err
    assert cli("build", "a.map", "-a", "jps+", "-o", "a.wgi").code == 0
    answer = cli("find", "c.map", "0,0", "2,0", "--index", "a.wgi")
    assert answer.code == 2
    assert "another map" in answer.err
    assert cli("build", "a.map", "-a", "turntable", "-o", "a.wgi").code == 0
    answer = cli("find", "b.map", "0,0", "2,0", "--index", "a.wgi")
    assert answer.code == 1
    assert "3 cells differ" in answer.err


def test_an_algorithm_is_chosen(cli, tmp_path):
    wg.generate("rooms", width=60, height=60, seed=1).save(tmp_path / "a.map")
    answer = cli("build", "a.map", "-a", "auto")
    assert answer.code == 0
    assert "turntable: the map has" in answer.err
    assert "a.wgi: turntable, " in answer.out
    answer = cli("find", "a.map", "1,1", "50,50", "-a", "auto", "--set", "memory=200KB", "--json")
    assert answer.code == 0
    assert '"algorithm": "ch"' in answer.out
    assert answer.err.startswith("ch: the map has")
    answer = cli("build", "a.map", "-a", "auto", "--memory", "1 KB")
    assert answer.code == 2
    assert "jps was chosen, which has no index to save; allow more with --memory or --set build_seconds=S" in answer.err
    answer = cli("build", "a.map", "-a", "auto", "--grid", "hex")
    assert answer.code == 2
    assert "astar was chosen, which has no index to save; name one that has, with -a" in answer.err


def test_the_file_does_not_depend_on_the_plan(cli, tmp_path):
    wg.generate("rooms", width=30, height=20, seed=1).save(tmp_path / "a.map")
    assert cli("build", "a.map", "-a", "jps+").code == 0
    answer = cli("build", "a.map", "-a", "jps+", "--threads", "3", "--memory", "1 GB", "--quiet", "-o", "b.wgi")
    assert answer == (0, "", "")
    assert (tmp_path / "a.wgi").read_bytes() == (tmp_path / "b.wgi").read_bytes()


@pytest.fixture
def slow(tmp_path, monkeypatch):
    """Words that run the command line with an algorithm whose index takes long."""
    monkeypatch.setenv("WAYGRID_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("WAYGRID_CHECKPOINT_EVERY", "0")
    monkeypatch.chdir(tmp_path)
    wg.Grid([[1, 1, 1]]).save(tmp_path / "a.map")

    def words(total, *more):
        return [sys.executable, fake_work.__file__, "cli", str(total), "build", "a.map", "-a", "slow", *more]

    return words


@POSIX
def test_ctrl_c_and_the_same_command_again(slow, tmp_path, monkeypatch):
    monkeypatch.setenv("WAYGRID_CHECKPOINT_AFTER", "0")
    part = tmp_path / "cache" / "builds" / f"{fake_work.KEY}.part"
    with subprocess.Popen(slow(400), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while process.poll() is None and not (part.exists() and part.stat().st_size > 1000):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    assert process.returncode == 130
    assert out == ""
    # On a busy machine lines of progress come before it.
    said = re.search(
        r"waygrid: interrupted with (\d+) of 400 sources done \(\S+%\); (\d+) are kept; "
        r"run the same command again to resume\n\Z",
        err,
    )
    assert said, err
    assert 0 < int(said[1]) == int(said[2]) < 400
    assert not (tmp_path / "a.wgi").exists()
    again = subprocess.run(slow(400, "--quiet"), capture_output=True, text=True)
    assert (again.returncode, again.stdout, again.stderr) == (0, "", "")
    assert not part.exists()
    resumed = (tmp_path / "a.wgi").read_bytes()
    assert subprocess.run(slow(400, "--threads", "4"), capture_output=True).returncode == 0
    assert (tmp_path / "a.wgi").read_bytes() == resumed


@POSIX
def test_a_terminal_sees_the_time_left(slow):
    import pty

    master, terminal = pty.openpty()
    with subprocess.Popen(
        slow(150), stdout=subprocess.PIPE, stderr=terminal, env={**os.environ, "TERM": "xterm"}
    ) as run:
        os.close(terminal)
        seen = b""
        try:
            while data := os.read(master, 4096):
                seen += data
        except OSError:  # how a terminal without programs ends
            pass
        out = run.stdout.read()
    os.close(master)
    assert b"bytes of index" in out
    text = re.sub(rb"\x1b\[[0-9;?]*[a-zA-Z]", b"", seen).decode()
    assert "building a.wgi" in text
    assert re.search(r"\d+% \d+ s left", text), text
