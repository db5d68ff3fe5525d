"""Progress of an index that several sweeps make: it is counted once, from the first to the last."""

import re
import sys

import pytest
from fake_work import KEY, FakeWork

import waygrid as wg
from waygrid.build import progress_bar as build_progress
from waygrid.build.progress_bar import split_progress
from waygrid.build.sweep import Plan, sweep
from waygrid.core import announce

PARTS = 60, 40  # sources of two sweeps


@pytest.mark.parametrize("name", ["turntable", "cpd", "ch", "taut", "dba", "hcdps"])
def test_an_index_of_several_parts_counts_its_sources_once(name, monkeypatch):
    monkeypatch.setattr(build_progress, "TELL_S", 0.0)
    told = []
    grid = wg.generate("random", width=40, height=40, seed=1, walls=0.2)
    wg.make_finder(name, grid, progress=lambda *now: told.append(now))
    done, totals, left = zip(*told, strict=True)
    assert len(set(totals)) == 1
    assert list(done) == sorted(done)
    assert (done[0], done[-1], left[-1]) == (0, totals[0], 0.0)


@pytest.mark.parametrize("name", ["turntable", "ch", "dba", "hcdps"])
def test_a_map_of_walls_has_nothing_to_report(name):
    told = []
    wg.make_finder(name, wg.Grid(["##", "##"]), progress=lambda *now: told.append(now))
    assert told == []


def test_the_time_left_is_that_of_all_parts():
    told = []
    first, second = split_progress(lambda *now: told.append(now), PARTS)
    first(0, 60, None), first(40, 60, 2.0), first(60, 60, 0.0), second(20, 40, 3.0), second(40, 40, 0.0)
    assert told == [(0, 100, None), (40, 100, 6.0), (60, 100, None), (80, 100, 3.0), (100, 100, 0.0)]


def test_one_bar_for_all_parts(monkeypatch, capsys):
    monkeypatch.setattr(build_progress, "SHOW_S", 0.0)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    for part, report in enumerate(split_progress(True, PARTS)):
        sweep(FakeWork(PARTS[part], nap=0.01), Plan(progress=report, threads=1), f"{KEY}{part}")
        shown = [int(number) for number in re.findall(r"(\d+)%", capsys.readouterr().err)]
        assert shown == sorted(shown)
        assert shown[0] >= (0, 60)[part]
        assert shown[-1] <= (60, 100)[part]
    assert announce.show is None


def test_without_progress_nothing_is_reported():
    assert split_progress(None, PARTS) == split_progress(False, PARTS) == [None, None]
