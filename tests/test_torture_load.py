"""The programs with threads and with a studio under load, for a moment; `make torture` runs them for long."""

import pytest
from torture import frame, threads

pytestmark = pytest.mark.filterwarnings("default")


def test_sixteen_threads():
    tally = frame.try_seed(threads.attack, 3)
    assert tally.faults == []
    assert tally.counts["jobs"] > 100


def test_a_difference_between_threads_is_a_fault(monkeypatch):
    answers = iter(range(10**6))
    monkeypatch.setattr(threads, "list_jobs", lambda *rest: {"odd": lambda: next(answers)})
    monkeypatch.setattr(threads, "check_changes", lambda *rest: None)
    monkeypatch.setattr(threads, "check_studio", lambda *rest: None)
    assert "odd differs on 16 threads" in frame.try_seed(threads.attack, 3).faults[0].text


def test_a_studio_under_load():
    pytest.importorskip("starlette", reason="the studio's packages are not installed")
    from torture import studio_load

    load = studio_load.run_load(4.0, 1, clients=12, enemies=2)
    assert not load.faults
    assert load.times["search"]
    assert load.times["hostile"]
    assert studio_load.small_p95(load) > 0
    studio_load.show(load)
