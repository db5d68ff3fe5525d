import sys
from types import ModuleType

import pytest

from waygrid.cli import reproduce
from waygrid.errors import WaygridError
from waygrid.papers.report import Report


class FakeReport:
    def record_run(self, out, run):
        self.run = run

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


# --- All papers ------------------------------------------------------------------------------------------------------


@pytest.fixture
def two_papers(monkeypatch):
    """Two quick papers in place of the real ones; the one of a name in `faulty` fails."""
    faulty, calls = set(), []
    for name in list(reproduce.PAPERS):
        monkeypatch.delitem(reproduce.PAPERS, name)
    for name in ("one", "two"):
        module = ModuleType(f"paper_{name}")

        def run(out, *, quick, maps, size=1, name=name):
            calls.append((name, quick, size))
            if name in faulty:
                raise WaygridError("no luck")
            report = Report(f"Paper {name}")
            report.claim("It is fast", "2 times", "3 times", False, rule="within a tenth")
            report.write(out)
            return report

        module.reproduce = run
        monkeypatch.setitem(sys.modules, module.__name__, module)
        monkeypatch.setitem(reproduce.PAPERS, name, module.__name__)
    return faulty, calls


def test_all_papers_in_one_go(cli, two_papers, tmp_path):
    _, calls = two_papers
    answer = cli("reproduce", "all", "--out", "all", "--quick", "--set", "two.size=3")
    assert answer.code == 0
    assert calls == [("one", True, 1), ("two", True, 3)]
    assert answer.out.splitlines() == [
        "paper  agrees  differs  not measured  time",
        "one         0        1             0  0 s",
        "two         0        1             0  0 s",
        "wrote all/report.html",
        "wrote all/report.md",
    ]
    assert (tmp_path / "all" / "one" / "summary.md").is_file()
    answer = cli("reproduce", "all", "--out", "all", "--quick", "--set", "two.size=4")
    assert "0 s, kept" in answer.out
    assert calls[2:] == [("two", True, 4)]
    cli("reproduce", "all", "--out", "all", "--quick", "--set", "two.size=4", "--fresh")
    assert calls[3:] == [("one", True, 1), ("two", True, 4)]


def test_a_paper_that_fails_is_an_error_after_the_others_ran(cli, two_papers, tmp_path):
    faulty, calls = two_papers
    faulty.add("one")
    answer = cli("reproduce", "all")
    assert answer.code == 2
    assert [call[0] for call in calls] == ["one", "two"]
    assert "1 of 2 papers could not run: one: no luck" in answer.err
    assert "one         -        -             -  could not run" in answer.out
    assert "no luck" in (tmp_path / "out" / "report.html").read_text()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["all", "--set", "size=3"], "with all, allowed is PAPER.OPTION=VALUE"),
        (["all", "--set", "three.size=3"], "with all, allowed is PAPER.OPTION=VALUE"),
        (["all", "--set", "one.sise=3"], "one has no option 'sise'; allowed are size"),
        (["one", "--fresh"], "--fresh works with all only"),
    ],
)
def test_bad_input_for_all(cli, two_papers, words, told):
    answer = cli("reproduce", *words)
    assert answer.code == 2
    assert told in answer.err
    assert two_papers[1] == []
