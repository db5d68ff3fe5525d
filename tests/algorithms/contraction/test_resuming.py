"""Unfinished builds of ch: strips and the hierarchy are kept, nothing of them is done twice, the index is the same."""

import os
import signal
import subprocess
import sys
import time
from threading import enumerate as list_threads

import numpy as np
import pytest

import waygrid as wg
from waygrid.algorithms.contraction import build, hierarchy
from waygrid.algorithms.contraction.build import build_labels
from waygrid.algorithms.contraction.neighbours import join_spots
from waygrid.algorithms.contraction.tiles import map_tiles
from waygrid.build import progress_bar
from waygrid.build import steps as build_steps
from waygrid.build.sweep import BuildInterrupted, Plan

STRIP = 300
POSIX = pytest.mark.skipif(os.name == "nt", reason="signals")


def make_map():
    return wg.generate("random", width=150, height=130, seed=2)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Keep everything at once, and report every step; return the folder of unfinished builds."""
    monkeypatch.setenv("WAYGRID_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("WAYGRID_CHECKPOINT_AFTER", "0")
    monkeypatch.setenv("WAYGRID_CHECKPOINT_EVERY", "0")
    for module in (progress_bar, build_steps):
        monkeypatch.setattr(module, "TELL_S", 0.0)
    return tmp_path / "cache" / "builds"


def cut_slowly(*strip):
    """Leave the thread that keeps strips time to do so: these take a few milliseconds, real ones seconds."""
    time.sleep(0.02)
    return cut(*strip)


cut = hierarchy._cut


@pytest.fixture
def slow(monkeypatch):
    monkeypatch.setattr(hierarchy, "_cut", cut_slowly)


@pytest.fixture
def ran(monkeypatch, slow):
    """Note which parts of a build are done: the strips by their first spots, and `graph`, `rest`, `labels`."""
    seen = []

    def note(module, name, what):
        whole = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *args, **kw: (seen.append(what(*args)), whole(*args, **kw))[1])

    note(hierarchy, "_cut", lambda edges, begin, end: begin)
    note(hierarchy, "_join", lambda *args: "rest")
    note(build, "join_spots", lambda *args: "graph")
    note(build, "write_labels", lambda *args: "labels")
    return seen


def run(progress=None, threads=1, strip=STRIP):
    grid = make_map()
    return build_labels(grid, map_tiles(grid.table), Plan(threads=threads, progress=progress), strip)


def same(made, other):
    return all(
        one.dtype == two.dtype and one.tobytes() == two.tobytes()
        for parts in zip(made, other, strict=True)
        for one, two in zip(*parts, strict=True)
    )


def stop_at(share, seen=None):
    """Return a progress function that interrupts at a share of the whole."""

    def stop(done, total, left):
        if seen is not None:
            seen.append(done)
        if done >= share * total:
            raise KeyboardInterrupt

    return stop


def begins():
    nodes = len(map_tiles(make_map().table).spots)
    count = nodes // STRIP
    return [nodes * k // count for k in range(count)]


@pytest.mark.parametrize("threads", [1, 2])
def test_finished_strips_are_not_done_again(folder, ran, threads):
    whole, told = run(threads=3), []
    assert not list(folder.glob("*"))
    ran.clear()
    before = set(list_threads())
    with pytest.raises(BuildInterrupted) as caught:
        run(stop_at(0.42), threads)
    stop, first = caught.value, [each for each in ran if each != "graph"]
    assert 0.42 * stop.total <= stop.done < 0.52 * stop.total
    assert stop.total == 3 * len(whole[0].ranks)
    assert 0 < stop.kept < stop.done
    assert [file.name[:9] for file in folder.glob("*")] == ["ch-strips"]
    assert set(list_threads()) <= before
    ran.clear()
    assert same(run(lambda *now: told.append(now[0]), threads), whole)
    again = [each for each in ran if isinstance(each, int)]
    assert ran == ["graph", *again, "rest", "labels"]
    assert set(first) | set(again) == set(begins())
    assert len(set(first) & set(again)) <= threads  # those that were under way
    assert told == sorted(told)
    assert stop.total // 3 + stop.kept in told  # the strips are counted where the hierarchy begins
    assert not list(folder.glob("*"))


def test_the_joined_rest_finds_all_strips(folder, ran):
    whole = run()
    ran.clear()
    with pytest.raises(BuildInterrupted) as caught:
        run(stop_at(0.6))
    assert ran == ["graph", *begins(), "rest"]
    assert caught.value.kept > 0.2 * caught.value.total
    ran.clear()
    assert same(run(threads=2), whole)
    assert ran == ["graph", "rest", "labels"]
    assert not list(folder.glob("*"))


@pytest.mark.parametrize("strip", [STRIP, 10**6])
def test_the_labels_find_the_hierarchy(folder, ran, strip):
    whole, told = run(strip=strip), []
    for _ in range(2):
        with pytest.raises(BuildInterrupted) as caught:
            run(stop_at(0.8), strip=strip)
        stop = caught.value
        assert stop.kept == 2 * stop.total // 3 <= stop.done < stop.total
        assert [file.name[:12] for file in folder.glob("*")] == ["ch-hierarchy"]
    ran.clear()
    assert same(run(lambda *now: told.append(now), 2, strip), whole)
    assert ran == ["labels"]
    assert told[0][:2] == (stop.kept, stop.total)
    assert told[-1] == (stop.total, stop.total, 0.0)
    assert not list(folder.glob("*"))


def test_stopped_again_and_again(folder, ran):
    whole, steps = run(), np.linspace(0.02, 0.98, 20)
    ran.clear()
    for number, share in enumerate(steps):
        with pytest.raises(BuildInterrupted):
            run(stop_at(share), 1 + number % 3)
    assert same(run(threads=2), whole)
    times = [sum(each == begin for each in ran) for begin in begins()]
    assert min(times) == 1
    assert ran.count("labels") < len(steps)


@pytest.mark.parametrize("lost", [1, 5000])
def test_a_file_that_was_cut_off_or_damaged(folder, ran, lost):
    whole = run()
    with pytest.raises(BuildInterrupted):
        run(stop_at(0.6))
    (file,) = folder.glob("ch-strips*")
    data = bytearray(file.read_bytes())
    if lost == 1:
        data[len(data) // 2] ^= 1
    file.write_bytes(data[: len(data) - lost])
    ran.clear()
    assert same(run(), whole)
    assert 1 <= sum(isinstance(each, int) for each in ran) < len(begins())
    assert not list(folder.glob("*"))


def test_a_disk_that_is_full_stops_nothing(folder, monkeypatch):
    from waygrid.build.resume_file import BuildFile

    def fail(*args):
        raise OSError(28, "No space left on device")

    whole = run()
    monkeypatch.setattr(BuildFile, "append", fail)
    assert same(run(threads=2), whole)
    with pytest.raises(BuildInterrupted, match="nothing is kept"):
        run(stop_at(0.8))
    assert not list(folder.glob("*"))


def test_a_short_build_leaves_nothing_behind(folder, monkeypatch):
    monkeypatch.delenv("WAYGRID_CHECKPOINT_AFTER")
    for share in (0.1, 0.5, 0.9):
        with pytest.raises(BuildInterrupted, match=r"interrupted with \d+ of \d+ sources done .*; nothing is kept"):
            run(stop_at(share))
    with pytest.raises(ArithmeticError):
        run(lambda done, total, left: 1 // (done < total // 2))
    assert not folder.exists()


def test_an_error_keeps_what_is_done(folder, ran):
    whole = run()
    with pytest.raises(ArithmeticError):
        run(lambda done, total, left: 1 // (done < 0.6 * total))
    ran.clear()
    assert same(run(), whole)
    assert ran == ["graph", "rest", "labels"]


def test_an_earlier_part_counts_its_time(folder):
    grid = make_map()
    plan = Plan(threads=1, progress=stop_at(0.8))
    plan.watch.earlier = 5000.0  # as if it had run that long
    with pytest.raises(BuildInterrupted):
        build_labels(grid, map_tiles(grid.table), plan, STRIP)
    plan = Plan(threads=1)
    build_labels(grid, map_tiles(grid.table), plan, STRIP)
    assert 5000 < plan.watch.seconds < 9000


def test_other_maps_and_strips_share_nothing(folder, ran):
    with pytest.raises(BuildInterrupted):
        run(stop_at(0.8))
    ran.clear()
    run(strip=400)
    other = wg.generate("random", width=150, height=130, seed=3)
    build_labels(other, map_tiles(other.table), Plan(), STRIP)
    assert ran.count("graph") == ran.count("labels") == 2
    assert len(list(folder.glob("ch-hierarchy*"))) == 1


@pytest.mark.parametrize("dear", [0.0, 0.5, 1.0])
def test_costs_that_take_64_bits_are_kept(folder, ran, monkeypatch, dear):
    """Costs of edges take 32 bits; those of shortcuts do not in some strips, or in all."""

    def join(grid, tiles, plan):
        edges = join_spots(grid, tiles, plan)
        far = np.maximum(edges.heads, np.repeat(np.arange(nodes), np.diff(edges.first))) >= (1 - dear) * nodes
        return edges._replace(costs=np.where(far, 2**30 + edges.costs // 2**10, edges.costs).astype(np.int32))

    def pack(strip, order):
        kept = whole_pack(strip, order)
        again = hierarchy.Contraction.unpack(kept)
        assert all((one == two).all() for one, two in zip(again.graph, strip.graph, strict=True))
        assert again.graph[1].dtype == strip.graph[1].dtype
        assert {array.dtype for array in kept.values()} == {np.dtype(np.int32)}
        widths.add(strip.graph[1].itemsize)
        return kept

    nodes, widths, whole_pack = len(map_tiles(make_map().table).spots), set(), hierarchy.Contraction.pack
    monkeypatch.setattr(build, "join_spots", join)
    monkeypatch.setattr(hierarchy.Contraction, "pack", pack)
    whole = run()
    assert widths == {0.0: {4}, 0.5: {4, 8}, 1.0: {8}}[dear]
    for share in (0.42, 0.6, 0.9):
        with pytest.raises(BuildInterrupted):
            run(stop_at(share))
    assert same(run(), whole)


def test_a_finder_resumes(folder, ran, monkeypatch, tmp_path):
    grid = make_map()
    wg.make_finder("ch", grid).save(tmp_path / "once.wgi")
    with pytest.raises(BuildInterrupted):
        wg.make_finder("ch", grid, progress=stop_at(0.9))
    ran.clear()
    wg.make_finder("ch", grid, threads=2).save(tmp_path / "twice.wgi")
    assert ran == ["labels"]
    assert (tmp_path / "once.wgi").read_bytes() == (tmp_path / "twice.wgi").read_bytes()


@POSIX
@pytest.mark.parametrize("share", [0.42, 0.9], ids=["strips", "labels"])
@pytest.mark.parametrize("end", ["interrupt", "kill"])
def test_a_stopped_process_is_continued(folder, ran, end, share):
    whole = run()
    ran.clear()
    with subprocess.Popen([sys.executable, __file__, str(share)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "waiting\n"
        process.send_signal(signal.SIGINT if end == "interrupt" else signal.SIGKILL)
        said = process.communicate()[0].split()
    assert process.returncode == (130 if end == "interrupt" else -signal.SIGKILL)
    assert same(run(), whole)
    again = [each for each in ran if isinstance(each, int)]
    if share == 0.9:
        assert ran == ["labels"]
    else:
        assert ran == ["graph", *again, "rest", "labels"]
        assert 0 < len(again) < len(begins())
    if end == "interrupt":
        assert int(said[0]) >= share * int(said[1])
        assert int(said[2]) > 0
    assert not list(folder.glob("*"))


def main():
    """Build on one thread until a share is done; then wait for the signal in the progress function."""
    progress_bar.TELL_S = build_steps.TELL_S = 0.0
    hierarchy._cut = cut_slowly

    def wait(done, total, left):
        if done >= float(sys.argv[1]) * total:
            print("waiting", flush=True)
            time.sleep(60)

    try:
        run(wait)
    except BuildInterrupted as stop:
        print(stop.done, stop.total, stop.kept, flush=True)
        sys.exit(130)


if __name__ == "__main__":
    main()
