import sys
from types import ModuleType

import pytest

from waygrid.cli import reproduce
from waygrid.errors import WaygridError


class FakeReport:
    def print(self, console):
        console.print("report of the fake paper")


@pytest.fixture
def paper(monkeypatch):
    """A paper whose module records how it was called."""
    module = ModuleType("fake_paper")
    module.calls = []

    def run(out, *, quick, maps, **options):
        if "wrong" in options:
            raise WaygridError("wrong is no option of the fake paper")
        module.calls.append((out, quick, maps, options))
        return FakeReport()

    module.reproduce = run
    monkeypatch.setitem(sys.modules, "fake_paper", module)
    monkeypatch.setitem(reproduce.PAPERS, "fake", "fake_paper")
    monkeypatch.setitem(reproduce.PAPERS, "missing", "waygrid.papers.not_there")
    return module


def test_runs_the_paper_and_prints_its_report(cli, paper, tmp_path):
    answer = cli("reproduce", "fake", "--out", "figures", "--maps", tmp_path, "--quick", "--set", "runs=3")
    assert (answer.code, answer.out) == (0, "report of the fake paper\n")
    ((out, quick, maps, options),) = paper.calls
    assert (str(out), quick, maps, options) == ("figures", True, tmp_path, {"runs": 3})
    assert (tmp_path / "figures").is_dir()


def test_defaults(cli, paper):
    assert cli("reproduce", "fake").code == 0
    ((out, quick, maps, options),) = paper.calls
    assert (str(out), quick, maps, options) == ("out", False, None, {})


def test_progress_goes_to_papers_that_take_it(cli, paper):
    told = []

    def run(out, *, quick, maps, progress=None, runs=1):
        progress(0.5, "half")
        told.append(runs)
        return FakeReport()

    paper.reproduce = run
    assert cli("reproduce", "fake", "--set", "runs=2").code == 0
    assert told == [2]
    answer = cli("reproduce", "fake", "--set", "rnus=2")
    assert answer.code == 2
    assert "fake has no option 'rnus'; allowed are runs" in answer.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["chess"], "there is no paper 'chess'; allowed are path-finder-tool, grid-based, goal-bounding"),
        (["missing"], "paper 'missing' is not part of this version"),
        (["fake", "--maps", "nowhere"], "maps is 'nowhere'; that is not a folder"),
        (["fake", "--set", "wrong=1"], "wrong is no option of the fake paper"),
        (["fake", "--out", "file/in/it"], "cannot write file/in/it"),
    ],
)
def test_bad_input(cli, paper, tmp_path, words, told):
    (tmp_path / "file").write_text("")
    answer = cli("reproduce", *words)
    assert answer.code == 2
    assert told in answer.err


def test_a_missing_library_is_named(cli, paper, monkeypatch, tmp_path):
    (tmp_path / "needs_more.py").write_text("import library_that_is_not_there\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(reproduce.PAPERS, "needy", "needs_more")
    answer = cli("reproduce", "needy")
    assert answer.code == 2
    assert "needs library_that_is_not_there, which is not installed" in answer.err


def test_goal_bounding_without_maps_says_so(cli):
    answer = cli("reproduce", "goal-bounding", "--quick", "--set", "rounds=1", "--set", "plain=false")
    assert answer.code == 0
    assert "No maps were measured: --maps DIR" in answer.out
    assert "wrote out/figure-22-1.png" in answer.out


def test_goal_bounding_takes_a_list_of_maps(cli, tmp_path):
    (tmp_path / "dao").mkdir()
    answer = cli("reproduce", "goal-bounding", "--maps", tmp_path, "--set", "only=arena2,brc202d")
    assert answer.code == 2
    assert "there is no map 'arena2'" in answer.err
