"""Large builds: the same bytes for any number of threads, any memory and any interruption."""

import os
import signal
import subprocess
import sys
import threading
import time
from itertools import pairwise

import fake_work
import numpy as np
import pytest
from fake_work import KEY, FakeWork, same
from hypothesis import given, settings
from hypothesis import strategies as st

import waygrid as wg
from waygrid.build import progress_bar as build_progress
from waygrid.build import workers as build_workers
from waygrid.build.sweep import BuildInterrupted, Plan, build_key, fit_memory, plan_of, sweep
from waygrid.core.code_time import counting_code_time

POSIX = pytest.mark.skipif(os.name == "nt", reason="signals")


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("WAYGRID_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def keeping(monkeypatch, cache):
    """Keep everything at once; return the file."""
    monkeypatch.setenv("WAYGRID_CHECKPOINT_AFTER", "0")
    monkeypatch.setenv("WAYGRID_CHECKPOINT_EVERY", "0")
    return cache / "builds" / f"{KEY}.part"


def no_workers():
    return not any(thread.name.startswith("waygrid-build") for thread in threading.enumerate())


# --- Results ----------------------------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(
    st.integers(0, 300),
    st.integers(1, 8),
    st.booleans(),
    st.integers(1, 50),
    st.sampled_from((None, 2000, 5000, 9000, 10**6)),
)
def test_the_result_does_not_depend_on_the_plan(total, threads, even, batch, memory):
    work = FakeWork(total, even=even)
    work.batch = batch
    made = sweep(work, Plan(threads=threads, memory=memory), KEY)
    assert same(made, work.truth()) or total == 0
    assert sorted(made) == sorted(work.truth())
    assert {name: array.shape for name, array in made.items()} == {n: a.shape for n, a in work.truth().items()}
    assert no_workers()
    if total:
        bounds = sorted(work.ran)
        assert bounds[0][0] == 0
        assert bounds[-1][1] == total
        assert all(a[1] == b[0] for a, b in pairwise(bounds))


def test_sources_that_begin_even_and_go_on_otherwise():
    """One row for each source at first: the arrays that were laid out for that are left again."""

    class Late(FakeWork):
        def truth(self, first=0, last=None):
            sources = np.arange(first, self.total if last is None else last)
            return {"runs": np.repeat(sources, np.where(sources < 150, 1, sources % 3))}

    work = Late(200)
    assert same(sweep(work, Plan(threads=3), KEY), work.truth())


def test_ranges_follow_the_time_they_take(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(build_workers.time, "perf_counter", lambda: clock[0])

    class Timed(FakeWork):
        def run(self, scratch, first, last):
            clock[0] += (last - first) * (0.001 if first < 50_000 else 0.1)
            return super().run(scratch, first, last)

    work = Timed(60_000)
    sweep(work, Plan(threads=1), KEY)
    lengths = {first: last - first for first, last in work.ran}
    assert lengths[0] == 1
    quick = [n for first, n in lengths.items() if 1000 < first < 49_000]
    slow = [n for first, n in lengths.items() if first > 50_200]
    assert {min(quick), max(quick)} <= {149, 150}
    assert max(slow) == 1
    monkeypatch.undo()


def test_one_worker_at_most_where_the_work_says_so():
    work = FakeWork(100)
    work.max_workers = 1
    assert fit_memory(work, Plan(threads=8)).workers == 1
    assert fit_memory(FakeWork(3), Plan(threads=8)).workers == 3


def test_pieces_of_another_kind_are_refused():
    class Odd(FakeWork):
        def truth(self, first=0, last=None):
            return {"x": np.zeros(1, np.int8 if first < 50 else np.int16)}

    with pytest.raises(wg.WaygridError, match=r"of build fake-1 gave x int16\[\]; the pieces before gave x int8\[\]"):
        sweep(Odd(100), Plan(threads=1), KEY)


# --- Errors and interrupts --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 4])
def test_an_error_stops_all_workers(threads):
    work = FakeWork(100_000, nap=0.0005, fail=57)
    with pytest.raises(ArithmeticError, match="source 57"):
        sweep(work, Plan(threads=threads), KEY)
    assert no_workers()
    assert work.sources_run < 100_000


def test_an_error_of_the_scratch_is_raised():
    class NoMemory(FakeWork):
        def scratch(self):
            raise MemoryError("too large")

    with pytest.raises(MemoryError, match="too large"):
        sweep(NoMemory(10), Plan(threads=3), KEY)
    assert no_workers()


def test_ctrl_c_in_a_progress_function_tells_how_far_it_got(keeping):
    def tell(done, total, left):
        if done >= 20:
            raise KeyboardInterrupt

    with pytest.raises(BuildInterrupted) as caught:
        sweep(FakeWork(1000, nap=0.01), Plan(threads=2, progress=tell), KEY)
    stop = caught.value
    assert 20 <= stop.done < stop.total == 1000
    assert stop.kept == stop.done
    assert (
        str(stop) == f"interrupted with {stop.done} of 1000 sources done ({stop.done / 10:.1f}%); {stop.done} are kept"
    )
    assert keeping.exists()
    assert no_workers()


def test_a_short_build_leaves_nothing_behind(cache):
    def tell(done, total, left):
        if done:
            raise KeyboardInterrupt

    with pytest.raises(BuildInterrupted, match="nothing is kept"):
        sweep(FakeWork(1000, nap=0.01), Plan(progress=tell), KEY)
    assert not (cache / "builds").exists()


@POSIX
@pytest.mark.parametrize("memory", [[], ["20000"]], ids=["held", "spooled"])
@pytest.mark.parametrize("end", ["interrupt", "kill"])
def test_a_stopped_process_is_continued(keeping, end, memory):
    script = [sys.executable, fake_work.__file__, *memory]
    with subprocess.Popen(script, stdout=subprocess.PIPE, text=True) as process:
        while int(process.stdout.readline()) < 60:
            pass
        process.send_signal(signal.SIGINT if end == "interrupt" else signal.SIGKILL)
        said = process.communicate()[0].split("\n")
    assert process.returncode == (130 if end == "interrupt" else -signal.SIGKILL)
    work, told = FakeWork(4000), []
    made = sweep(work, plan_of({"progress": lambda *now: told.append(now), "memory": (memory or [None])[0]}), KEY)
    assert same(made, work.truth())
    resumed = told[0][0]
    assert resumed >= 50
    assert work.sources_run == 4000 - resumed
    if end == "interrupt":
        word, done, total, kept = said[-2].split()
        assert (word, int(total)) == ("stopped", 4000)
        assert int(done) == int(kept) == resumed
    assert not keeping.exists()


# --- Progress ---------------------------------------------------------------------------------------------------------


def test_a_function_is_told_on_the_calling_thread(monkeypatch):
    monkeypatch.setattr(build_progress, "TELL_S", 0.0)
    told = []
    sweep(FakeWork(500), Plan(threads=3, progress=lambda *now: told.append((threading.get_ident(), *now))), KEY)
    done = [entry[1] for entry in told]
    assert done == sorted(done)
    assert {entry[0] for entry in told} == {threading.get_ident()}
    assert told[0][1:] == (0, 500, None)
    assert told[-1][1:] == (500, 500, 0.0)
    assert all(entry[2] == 500 and (entry[3] is None or entry[3] >= 0) for entry in told)


def test_a_function_is_not_told_too_often(monkeypatch):
    monkeypatch.setattr(build_progress, "TELL_S", 1e9)
    told = []
    sweep(FakeWork(500), Plan(progress=lambda *now: told.append(now)), KEY)
    assert told == [(0, 500, None), (500, 500, 0.0)]


def test_the_time_left_is_that_of_the_recent_past(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(build_progress.time, "perf_counter", lambda: clock[0])
    told = []
    meter = build_progress.Meter(lambda *now: told.append(now), 1000, 100)
    for _ in range(100):
        clock[0] += 1.0
        meter.add(2)
    assert told[0] == (102, 1000, 449.0)
    assert told[-1] == (300, 1000, 350.0)
    for _ in range(30):  # five times as fast
        clock[0] += 1.0
        meter.add(10)
    assert told[-1] == (600, 1000, 40.0)
    monkeypatch.undo()


def test_a_function_that_raises_stops_the_build():
    def tell(done, total, left):
        if done:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        sweep(FakeWork(10_000, nap=0.001), Plan(progress=tell), KEY)
    assert no_workers()


@pytest.mark.parametrize("terminal", [True, False])
def test_the_bar(monkeypatch, capsys, terminal):
    monkeypatch.setattr(build_progress, "SHOW_S", 0.0)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    sweep(FakeWork(60, nap=0.01), Plan(progress=True, threads=1), KEY)
    said = capsys.readouterr()
    assert said.out == ""
    assert ("building" in said.err and "%" in said.err and "0:00:00" in said.err) == terminal
    sweep(FakeWork(60), Plan(progress=False), KEY)
    assert capsys.readouterr().err == ""


# --- Plans ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "size"),
    [("2GB", 2 * 10**9), ("500 MB", 5 * 10**8), ("1.5KiB", 1536), ("7", 7), (7, 7), ("3 b", 3), (np.int64(9), 9)],
)
def test_sizes(text, size):
    assert plan_of({"memory": text}).memory == size


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"device": "tpu"}, "device is 'tpu'; allowed are cpu, gpu"),
        ({"threads": 0}, "threads is 0; allowed are the integers from 1, or None"),
        ({"threads": "2"}, "threads is '2'; allowed are"),
        ({"progress": "yes"}, "progress is 'yes'; allowed are a function, True, False, or None"),
        ({"memory": 0}, "memory is 0; allowed are bytes from 1, as a number or a text such as '500 MB'"),
        ({"memory": "2 apples"}, "memory is '2 apples'; allowed are"),
        ({"memory": True}, "memory is True; allowed are"),
        ({"memory": 2.5}, "memory is 2.5; allowed are"),
        ({"memory": "1" * 400}, "allowed are bytes"),
    ],
)
def test_what_a_plan_refuses(options, words):
    with pytest.raises(wg.WaygridError) as caught:
        plan_of(options)
    assert words in str(caught.value)


def test_a_key_tells_builds_apart():
    keys = {
        build_key("jps+gb", "1f", {"ties": "all"}, 1),
        build_key("jps+gb", "1f", {"ties": "one"}, 1),
        build_key("jps+gb", "1e", {"ties": "all"}, 1),
        build_key("jps+gb", "1f", {"ties": "all"}, 2),
        build_key("astar-gb", "1f", {"ties": "all"}, 1),
    }
    assert len(keys) == 5
    assert all(set(key) <= set("abcdefghijklmnopqrstuvwxyz0123456789-") for key in keys)


def test_make_finder_takes_a_plan_and_forgets_it(tmp_path):
    grid = wg.generate("rooms", width=30, height=20, seed=1)
    files = []
    for number, options in enumerate(({}, {"threads": 2, "memory": "1GB", "progress": False, "device": "cpu"})):
        finder = wg.make_finder("jps+", grid, **options)
        assert finder.options == {}
        files.append(tmp_path / f"{number}.wgi")
        finder.save(files[-1])
    assert finder._plan == Plan("cpu", 2, False, 10**9)
    assert files[0].read_bytes() == files[1].read_bytes()
    assert wg.load_finder(files[0], grid)._plan == Plan()


def test_what_make_finder_refuses():
    grid = wg.Grid([[1, 1]])
    for name, options, words in (
        ("jps+", {"device": "gpu"}, "jps+ builds on device 'cpu' only; allowed to build on 'gpu'"),
        ("jps+", {"threads": -1}, "threads is -1"),
        (
            "jps+",
            {"speed": 3},
            "jps+ has no option 'speed'; allowed are device, threads, progress, memory, edits, cluster",
        ),
        ("astar", {"threads": 2}, "astar has no option 'threads'; allowed are heuristic, weight"),
    ):
        with pytest.raises(wg.WaygridError) as caught:
            wg.make_finder(name, grid, **options)
        assert words in str(caught.value)


def test_a_benchmark_gives_the_plan_to_what_builds():
    from waygrid.bench.runner import shared_options

    assert shared_options(["jps+", "astar"], {"threads": 2, "weight": 2}) == {
        "jps+": {"threads": 2},
        "astar": {"weight": 2},
    }


# --- Time -------------------------------------------------------------------------------------------------------------


def test_a_resumed_build_counts_the_time_of_its_earlier_part(keeping):
    def stop(done, total, left):
        if done >= 20:
            raise KeyboardInterrupt

    first = Plan(threads=2, progress=stop)
    first.watch.earlier = 5000.0  # as if it had run that long
    with pytest.raises(BuildInterrupted):
        sweep(FakeWork(1000, nap=0.01), first, KEY)
    assert keeping.exists()
    for memory in (20_000, None):  # spooled, held
        second = Plan(threads=2, progress=stop, memory=memory)
        with pytest.raises(BuildInterrupted):
            sweep(FakeWork(1000, nap=0.01), second, KEY)
        assert 5000 < second.watch.seconds < 9000  # each part once
    last = Plan(threads=2)
    sweep(FakeWork(1000), last, KEY)
    assert 5000 < last.watch.seconds < 9000
    assert not keeping.exists()


def test_time_spent_on_code_is_no_time_of_the_build(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    watch = build_progress.Stopwatch()
    now[0] += 3
    with counting_code_time():
        now[0] += 50
        assert watch.seconds == 3
        with counting_code_time():  # one kernel compiles another
            now[0] += 50
    now[0] += 4
    assert watch.seconds == 7


def test_finders_know_what_their_index_took(tmp_path):
    grid = wg.generate("rooms", width=20, height=20, seed=1)
    finder = wg.make_finder("astar-gb", grid)
    assert finder.build_seconds > 0
    finder.save(tmp_path / "a.wgi")
    assert wg.load_finder(tmp_path / "a.wgi", grid).build_seconds == 0.0
    assert wg.make_finder("astar", grid).build_seconds == 0.0
    graph = wg.Graph([(0, 0), (1, 0), (1, 1)], [(0, 1), (1, 2)])
    assert wg.make_finder("astar-gb", graph).build_seconds > 0
    assert wg.make_finder("astar", graph).build_seconds == 0.0
