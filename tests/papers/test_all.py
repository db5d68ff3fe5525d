"""All papers in one run: made-up ones fail, are kept and are run again; one page holds everything."""

import base64
import json
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest
from pages import Page

from waygrid.draw import maps as draw
from waygrid.errors import WaygridError
from waygrid.measure import machine
from waygrid.measure.machine import _cpu
from waygrid.papers import all as every
from waygrid.papers import catalogue, html, markdown, saved
from waygrid.papers.report import AGREES, DIFFERS, NOT_MEASURED, Report, Table

HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(2)> & `a<b>` | [link](javascript:x)'


def a_report(title="A paper", words="plain"):
    report = Report(title, words)
    report.claim(words, words, words, False, rule=words, why=words)
    report.claim("It is fast", "8 times", "9 times", True, rule="within a quarter", why="never told")
    report.claim("It is small", "1 KB", "", None, rule="below it")
    table = report.table("depth", words, ("grid", "depth", "depth (paper)", words), notes=[words])
    table.add(words, 0.9, 0.75, "5 %")
    table.add("hex", None, 0.8, words)
    long = report.table("long", "A long one", ("n",))
    for k in range(40):
        long.add(k)
    report.picture("map", draw.draw_map([[1, 0]], scale=4), words, words)
    report.picture("depth", draw.draw_map([[0, 1]], scale=4), "of the table")
    return report


@pytest.fixture
def papers(monkeypatch):
    """Two papers in place of the real ones; `calls` tells which were run, `faults` which fail and how."""
    calls, faults = [], {}
    monkeypatch.setattr(catalogue, "PAPERS", {})

    def add(name, sets=()):
        module = ModuleType(f"paper_{name}")

        def reproduce(out, *, quick, maps, progress=None, size=1):
            calls.append((name, quick, maps, size))
            progress(0.5, "half")
            if name in faults:
                raise faults[name]
            report = a_report(f"Paper {name}", f"words of {name}")
            report.write(out)
            return report

        module.reproduce, module.SETS = reproduce, sets
        monkeypatch.setitem(sys.modules, module.__name__, module)
        catalogue.PAPERS[name] = module.__name__

    add("first")
    add("second", ("dao", "sc1"))
    return ModuleStub(calls, faults, add)


class ModuleStub:
    def __init__(self, calls, faults, add):
        self.calls, self.faults, self.add = calls, faults, add

    def names(self):
        names = [call[0] for call in self.calls]
        self.calls.clear()
        return names


def test_every_paper_has_its_folder_and_one_page_holds_them_all(papers, tmp_path):
    told = []
    found = every.reproduce_all(tmp_path / "new" / "out", quick=True, progress=lambda done, text: told.append(done))
    assert papers.names() == ["first", "second"]
    assert told == sorted(told)
    assert (told[0], told[-1]) == (0.0, 1.0)
    assert [path.name for path in found.files] == ["report.html", "report.md"]
    for name in ("first", "second"):
        there = {path.name for path in (tmp_path / "new" / "out" / name).iterdir()}
        assert there == {"depth.csv", "long.csv", "map.png", "depth.png", "summary.md", "report.json"}
    page = Page(found.files[0].read_text())
    for words in ("Paper first", "Paper second", "words of first", "6 claims: 2 agree, 2 differ, 2 were not measured."):
        assert words in page.text
    assert page.count("script") == page.count("link") == page.count("iframe") == 0


def test_a_paper_that_fails_does_not_stop_the_others(papers, tmp_path):
    papers.faults["first"] = WaygridError("the map is <torn>")
    found = every.reproduce_all(tmp_path)
    assert papers.names() == ["first", "second"]
    assert [one.error for one in found.outcomes] == ["the map is <torn>", ""]
    assert [one.paper for one in found.failed] == ["first"]
    assert "first could not run: the map is <torn>" in Page((tmp_path / "report.html").read_text()).text
    assert "**first could not run**: the map is &lt;torn>" in (tmp_path / "report.md").read_text()
    papers.faults["first"] = ZeroDivisionError("division by zero")
    assert every.reproduce_all(tmp_path).failed[0].error == "ZeroDivisionError: division by zero"
    papers.faults.clear()
    papers.calls.clear()
    assert every.reproduce_all(tmp_path).failed == []
    assert papers.names() == ["first"]  # the second was kept


def test_an_interrupt_is_not_a_failure_of_a_paper_and_keeps_what_is_done(papers, tmp_path):
    papers.faults["second"] = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        every.reproduce_all(tmp_path)
    papers.faults.clear()
    papers.calls.clear()
    found = every.reproduce_all(tmp_path)
    assert papers.names() == ["second"]
    assert [one.kept for one in found.outcomes] == [True, False]


def test_a_report_says_which_run_it_came_from(papers, tmp_path):
    found = every.reproduce_all(tmp_path, quick=True, options={"first": {"size": 3}})
    command = "waygrid reproduce first --quick --set size=3"
    run = found.outcomes[0].done.report.run
    assert run == machine.describe_run(command) | {"date": run["date"]}
    for file in ("first/summary.md", "first/report.json", "report.md"):
        assert command in (tmp_path / file).read_text()
    assert command in Page((tmp_path / "report.html").read_text()).text


def test_what_is_kept_is_what_was_made(papers, tmp_path):
    new = every.reproduce_all(tmp_path).outcomes[0].done
    old = every.reproduce_all(tmp_path).outcomes[0].done
    assert papers.names() == ["first", "second"]
    assert vars(old.report) | {"files": []} == vars(new.report) | {"files": []}
    assert (old.finished, old.seconds, old.remarks) == (new.finished, new.seconds, new.remarks)


@pytest.mark.parametrize(
    "change",
    [
        {"fresh": True},
        {"quick": True},
        {"options": {"first": {"size": 2}, "second": {"size": 2}}},
    ],
)
def test_papers_are_run_again_where_something_differs(papers, tmp_path, change):
    every.reproduce_all(tmp_path)
    papers.calls.clear()
    every.reproduce_all(tmp_path, **change)
    assert papers.names() == ["first", "second"]


def test_another_code_or_machine_runs_again(papers, tmp_path, monkeypatch):
    every.reproduce_all(tmp_path)
    papers.calls.clear()
    monkeypatch.setattr(machine, "code", lambda: "other")
    every.reproduce_all(tmp_path)
    assert papers.names() == ["first", "second"]
    here = machine.this_machine()
    monkeypatch.setattr(machine, "this_machine", lambda: here._replace(cpu="another one"))
    every.reproduce_all(tmp_path)
    assert papers.names() == ["first", "second"]


@pytest.mark.parametrize(
    "damage",
    [
        lambda folder: (folder / "map.png").unlink(),
        lambda folder: (folder / "map.png").write_bytes(b"of another run"),
        lambda folder: (folder / "depth.csv").write_text("grid,depth\n"),
        lambda folder: (folder / "depth.csv").unlink(),
        lambda folder: (folder / "summary.md").write_text("of another run"),
        lambda folder: (folder / "summary.md").unlink(),
        lambda folder: (folder / saved.NAME).write_text("{"),
        lambda folder: (folder / saved.NAME).write_text("[]"),
        lambda folder: (folder / saved.NAME).write_text(
            json.dumps(json.loads((folder / saved.NAME).read_text()) | {"claims": [{}]})
        ),
    ],
)
def test_a_damaged_report_is_made_again(papers, tmp_path, damage):
    every.reproduce_all(tmp_path)
    papers.calls.clear()
    damage(tmp_path / "first")
    every.reproduce_all(tmp_path)
    assert papers.names() == ["first"]


def test_missing_maps_are_named_with_the_command_that_gets_them(papers, tmp_path):
    found = every.reproduce_all(tmp_path / "out")
    assert found.outcomes[0].done.remarks == []
    (remark,) = found.outcomes[1].done.remarks
    assert "dao, sc1" in remark
    assert "`waygrid maps fetch dao` and `waygrid maps fetch sc1`" in remark
    assert "<code>waygrid maps fetch dao</code>" in (tmp_path / "out" / "report.html").read_text()


def test_new_maps_are_noticed_by_the_papers_that_use_them(papers, tmp_path):
    maps = tmp_path / "maps"
    (maps / "dao").mkdir(parents=True)
    every.reproduce_all(tmp_path / "out", maps=maps)
    assert [call[2] for call in papers.calls] == [maps, None]  # none that the second uses
    papers.calls.clear()
    (maps / "dao" / "a.map").write_text("x")
    found = every.reproduce_all(tmp_path / "out", maps=maps)
    assert papers.calls == [("second", False, maps, 1)]
    assert "not there: sc1." in found.outcomes[1].done.remarks[0]
    papers.calls.clear()
    (maps / "other").mkdir()
    (maps / "other" / "b.map").write_text("x")
    every.reproduce_all(tmp_path / "out", maps=maps)
    assert papers.names() == []


def test_wrong_options_are_refused_before_any_work(papers, tmp_path):
    with pytest.raises(WaygridError, match="first has no option 'sise'; allowed are size"):
        every.reproduce_all(tmp_path / "out", options={"first": {"sise": 2}})
    assert papers.names() == []
    (tmp_path / "file").write_text("")
    with pytest.raises(WaygridError, match="cannot write"):
        every.reproduce_all(tmp_path / "file" / "out")


# --- The pages -------------------------------------------------------------------------------------------------------


def everything(report, quick=False):
    done = saved.Finished(report, "2020-01-01 00:00 UTC", 3.0, [])
    return every.Everything([every.Outcome("a-paper", done)], quick, machine.describe_machine(), "2020-01-01 00:00 UTC")


def test_hostile_text_stays_text():
    report = a_report(HOSTILE, HOSTILE)
    text = html.page(everything(report))
    page = Page(text)
    assert page.count("script") == 0
    assert "<script" not in text
    assert page.count("img") == len(report.pictures)
    assert {image["alt"] for image in page.images} == {HOSTILE, "of the table"}
    assert '"><script>alert(1)</script>' in page.text  # told, not run
    assert all(link.startswith(("#", "data:image/png;base64,")) for link in page.links)


def test_hostile_text_stays_text_in_markdown():
    text = markdown.page(everything(a_report(HOSTILE, HOSTILE)))
    assert "<script" not in text
    assert "<img" not in text
    assert "](javascript" not in text.replace("\\[link](javascript", "")


def test_the_markdown_has_a_row_for_each_claim():
    text = markdown.page(everything(a_report()))
    for row in ("| plain | plain | plain | differs |", "| It is fast | 8 times | 9 times | agrees |"):
        assert row in text
    assert "| It is small | 1 KB | - | not measured |" in text
    assert "* It is fast: within a quarter." in text
    assert "| plain | 0.9 (+20 %) | 0.75 | 5 % |" in text


def test_nothing_is_asked_of_anyone():
    text = html.page(everything(a_report()))
    page = Page(text)
    assert [link for link in page.links if not link.startswith(("#", "data:"))] == []
    style = text.split("<style>")[1].split("</style>")[0]
    for word in ("url(", "@import", "http"):
        assert word not in style
    assert {link[1:] for link in page.links if link.startswith("#")} <= set(page.ids)
    assert len(page.ids) == len(set(page.ids))


def test_the_page_is_accessible():
    page = Page(html.page(everything(a_report())))
    given = dict(page.tags)
    assert given["html"] == {"lang": "en"}
    assert "width=device-width" in str(page.tags)
    assert all(image["alt"] and int(image["width"]) and int(image["height"]) for image in page.images)
    assert page.count("caption") == page.count("table") == 3
    assert all("scope" in attrs for tag, attrs in page.tags if tag == "th")
    assert all(attrs["tabindex"] == "0" for tag, attrs in page.tags if "scroll" in attrs.get("class", "").split())
    assert page.count("h1") == 1


def test_pictures_are_within_the_page():
    report = a_report()
    page = Page(html.page(everything(report)))
    inside = [base64.b64decode(image["src"].partition("base64,")[2]) for image in page.images]
    assert inside == [picture.png for picture in report.pictures.values()]
    assert html.picture_html(report.pictures["map"]._replace(png=b"no PNG")).startswith('<figure><img alt="plain" src')


def test_numbers_stand_beside_the_papers_and_far_ones_are_marked():
    text = html.page(everything(a_report()))
    assert '<td class="n whole">0.9<span class="off far">+20 %</span></td>' in text
    assert '<td class="n theirs whole">0.75</td>' in text
    assert '<td class="n whole">-</td>' in text  # nothing to compare


def test_no_line_breaks_within_a_figure():
    for told, kept in (
        ("median ratio 0.526 of 4 004 maps", "4_004"),
        ("1 540 of 28 561 pairs", "1_540 of 28_561 pairs"),
        ("15 492, 1 888, 72, 10 us", "15_492, 1_888, 72, 10_us"),
        ("(all, top 10 %)", "top 10_%)"),
        ("< 100 KB", "&lt;_100_KB"),
        ("on 30 x 25; 1.575", "on 30_x_25; 1.575"),
        ("3.5 [3.2, 1 004] times", "3.5_[3.2,_1_004]_times"),
        ("2 of 4, mean 1.6", "2 of 4, mean 1.6"),  # no figure: these may be broken
    ):
        assert kept in html.text(told).replace("\N{NO-BREAK SPACE}", "_")
    assert re.search(r"tbody \.n[^{}]*\{white-space:nowrap\}", html.page(everything(a_report())))


def test_intervals_stand_below_their_figures():
    table = Table("t", "T", ("algorithm", "us", "us, 95 %", "us (paper)"), rows=[("astar", 4.5, "[4, 5]", 9.0)])
    assert table.is_number(2)
    shown = html.table_html("paper", table).replace("\N{NO-BREAK SPACE}", "_")
    assert '4.5<span class="off far">-50 %</span><span class="off">[4,_5]</span>' in shown
    assert shown.count("<th ") == 4  # three columns, one row
    assert table.csv().splitlines()[1] == 'astar,4.5,"[4, 5]",9.0'


def test_long_tables_are_folded_unless_they_have_the_papers_figures():
    report = Report("t")
    for name, columns in (("ours", ("n", "m")), ("both", ("n", "n (paper)"))):
        table = report.table(name, name, columns)
        for k in range(40):
            table.add(k, k)
    page = Page(html.page(everything(report)))
    assert page.count("details") == 1
    assert "ours (40 rows)" in page.text


def test_verdicts_are_told_with_reasons_where_they_differ():
    page = Page(html.page(everything(a_report("A paper", "the reason"), quick=True)))
    for words in (AGREES, DIFFERS, NOT_MEASURED, "the reason", "It is small: below it.", "A quick run"):
        assert words in page.text
    assert "never told" not in page.text
    report = Report("t")
    report.claim("a", "b", "c", False, rule="d")
    assert "Why is not known." in Page(html.page(everything(report))).text


def test_the_machine_is_told():
    page = Page(html.page(everything(a_report())))
    for name, value in machine.describe_machine().items():
        assert name == "code" or name in page.text
        assert value in page.text


def test_the_processor_is_named_without_proc(monkeypatch):
    monkeypatch.setattr(Path, "read_text", lambda self: (_ for _ in ()).throw(OSError()))
    assert _cpu()
