"""What a build keeps: resumed after any cut or damage, never shared, never in the way, bounded memory."""

import errno
import os
import tempfile
import tracemalloc

import numpy as np
import pytest
from fake_work import KEY, FakeWork, same

import waygrid as wg
from waygrid.build import pieces as build_pieces
from waygrid.build import resume_file as build_file
from waygrid.build.resume_file import BuildFile
from waygrid.build.sweep import Plan, fit_memory, sweep
from waygrid.build.workers import Piece

MIB = 2**20


@pytest.fixture
def part(tmp_path, monkeypatch):
    """The file of the fake build, which keeps everything at once."""
    monkeypatch.setenv("WAYGRID_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("WAYGRID_CHECKPOINT_AFTER", "0")
    monkeypatch.setenv("WAYGRID_CHECKPOINT_EVERY", "0")
    return tmp_path / "cache" / "builds" / f"{KEY}.part"


def stop_at(source, total=60, **options):
    """Leave an unfinished build behind."""
    work = FakeWork(total, fail=source, **options)
    with pytest.raises(ArithmeticError, match=f"source {source}"):
        sweep(work, Plan(threads=1), KEY)
    return work


def records_of(part, total=60):
    file = BuildFile.open(part, KEY, total, create=False)
    records = list(file.records)
    file.close()
    return records


def resume(part, total=60, memory=None, **options):
    """Finish the build; return how many sources had to be run."""
    work = FakeWork(total, **options)
    assert same(sweep(work, Plan(threads=2, memory=memory), KEY), work.truth())
    assert not part.exists()
    return work.sources_run


# --- Resuming ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("even", [True, False])
@pytest.mark.parametrize("memory", [None, 1500], ids=["held", "spooled"])
def test_a_build_goes_on_where_it_was(part, even, memory):
    first = stop_at(40, even=even)
    assert first.sources_run == sum(record.last - record.first for record in records_of(part)) == 40
    assert resume(part, even=even, memory=memory) == 20


def test_records_of_several_fields(part):
    edge = np.dtype([("turn", np.int32), ("flag", np.int8), ("ends", np.uint16, (2, 2))], align=True)

    class Edges(FakeWork):
        def truth(self, first=0, last=None):
            sources = np.arange(first, self.total if last is None else last)
            made = np.zeros(len(sources), edge)
            made["turn"], made["ends"] = sources, sources[:, None, None]
            return {"edges": made}

    with pytest.raises(ArithmeticError):
        sweep(Edges(60, fail=40), Plan(threads=1), KEY)
    for memory in (None, 2200):
        work, kept = Edges(60), part.read_bytes()
        assert same(sweep(work, Plan(memory=memory), KEY), work.truth())
        assert work.sources_run == 20
        part.write_bytes(kept)


def test_stopped_again_and_again(part):
    ran = sum(stop_at(source).sources_run for source in (7, 20, 21, 58))
    assert ran == 58
    assert resume(part) == 2


def test_a_build_that_was_only_to_be_put_together(part):
    part.parent.mkdir(parents=True)
    work = FakeWork(60)
    file = BuildFile.open(part, KEY, 60, create=True)
    for first in (30, 0, 45, 15):
        file.append(Piece(first, first + 15, work.truth(first, first + 15)))
    file.close()
    before = part.read_bytes()
    for memory in (None, 1500):
        part.write_bytes(before)
        assert resume(part, memory=memory) == 0


def test_nothing_is_written_before_its_time(part, monkeypatch):
    monkeypatch.setenv("WAYGRID_CHECKPOINT_AFTER", "1e9")
    stop_at(40)
    assert not part.exists()
    monkeypatch.delenv("WAYGRID_CHECKPOINT_AFTER")
    assert build_pieces.CHECKPOINT_AFTER == 60
    stop_at(40)
    assert not part.exists()
    monkeypatch.setenv("WAYGRID_CHECKPOINT_AFTER", "soon")
    with pytest.raises(wg.WaygridError, match="WAYGRID_CHECKPOINT_AFTER is 'soon'; allowed are seconds"):
        sweep(FakeWork(5), Plan(), KEY)


def test_another_build_under_the_same_name_is_not_taken_over(part):
    stop_at(40)
    assert resume(part, total=61) == 61


# --- Cuts and damage --------------------------------------------------------------------------------------------------


def test_a_file_cut_at_any_byte_of_its_last_record(part):
    stop_at(40)
    records, whole = records_of(part), part.read_bytes()
    assert len(whole) == records[-1].end
    last = records[-1].last - records[-1].first
    for cut in range(records[-2].end, len(whole)):
        part.write_bytes(whole[:cut])
        assert resume(part) == 20 + last
    part.write_bytes(whole + whole[records[-2].end : len(whole) - 1])  # the beginning of one more
    assert resume(part) == 20


@pytest.mark.parametrize("cut", [0, 1, 10, 23, 24, 30])
def test_a_file_cut_in_its_name(part, cut):
    stop_at(40)
    part.write_bytes(part.read_bytes()[:cut])
    assert resume(part) == 60


def test_a_damaged_record_is_never_used(part):
    stop_at(40)
    records, whole = records_of(part), part.read_bytes()
    for place in (*range(0, records[-2].end, 9), *range(records[-2].end, len(whole))):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << place % 8
        part.write_bytes(damaged)
        good = sum(record.last - record.first for record in records if record.end <= place)
        assert resume(part) == 60 - good


@pytest.mark.parametrize(
    ("first", "last", "arrays"),
    [
        (39, 45, {}),  # overlaps
        (50, 50, {}),
        (55, 61, {}),  # behind the end
        (45, 46, {"boxes": np.zeros((1, 2), np.uint8), "runs": np.zeros(0, np.int32)}),
        (45, 46, {"boxes": np.zeros((1, 3), np.uint16), "runs": np.zeros(0, np.int32)}),
        (45, 46, {"boxes": np.zeros((1, 2), np.uint16)}),
        (45, 46, {"boxes": np.zeros((1, 2), np.uint16), "runs": np.array(["a"])}),
    ],
)
def test_a_record_that_makes_no_sense_is_not_used(part, first, last, arrays):
    stop_at(40)
    file = BuildFile.open(part, KEY, 60, create=False)
    file.append(Piece(first, last, arrays or FakeWork(100).truth(first, last)))
    file.close()
    assert resume(part) == 20


@pytest.mark.parametrize("memory", [None, 1500], ids=["held", "spooled"])
def test_ctrl_c_in_the_middle_of_writing(part, monkeypatch, memory):
    """An interrupt at any system call leaves a file that the next build goes on from."""
    for name in ("write", "ftruncate", "lseek"):
        plain, calls = getattr(os, name), [0]
        for when in range(1, 40, 4):

            def hit(*arguments, plain=plain, calls=calls, when=when):
                calls[0] += 1
                done = plain(*arguments)
                if calls[0] == when:
                    raise KeyboardInterrupt
                return done

            calls[0] = 0
            with monkeypatch.context() as patch:
                patch.setattr(build_file.os, name, hit)
                work = FakeWork(60)
                try:
                    sweep(work, Plan(threads=1, memory=memory), KEY)
                except KeyboardInterrupt:
                    kept = sum(record.last - record.first for record in records_of(part)) if part.exists() else 0
                    assert resume(part, memory=memory) == 60 - kept


# --- Other processes, bad folders -------------------------------------------------------------------------------------


@pytest.mark.parametrize("memory", [None, 1500], ids=["held", "spooled"])
def test_a_file_in_use_is_left_alone(part, memory):
    stop_at(40)
    other = BuildFile.open(part, KEY, 60, create=False)
    before = part.read_bytes()
    with pytest.raises(OSError, match="unavailable"):
        BuildFile.open(part, KEY, 60, create=True)
    work = FakeWork(60)
    assert same(sweep(work, Plan(threads=2, memory=memory), KEY), work.truth())
    assert work.sources_run == 60
    assert part.read_bytes() == before
    other.close()
    other.close()
    assert resume(part) == 20


def test_a_file_removed_between_opening_and_locking_is_opened_anew(part, monkeypatch):
    stop_at(40)
    plain = build_file.lock

    def lock(handle):
        if part.exists():
            part.unlink()  # as a build does that has just ended
        plain(handle)

    with monkeypatch.context() as patch:
        patch.setattr(build_file, "lock", lock)
        assert BuildFile.open(part, KEY, 60, create=False) is None
    assert resume(part) == 60


@pytest.mark.parametrize("memory", [None, 1500], ids=["held", "spooled"])
def test_no_folder_to_write_in(tmp_path, part, monkeypatch, memory):
    (tmp_path / "plain").write_text("")
    monkeypatch.setenv("WAYGRID_CACHE", str(tmp_path / "plain"))
    assert resume(part, memory=memory) == 60
    assert (tmp_path / "plain").read_text() == ""


def test_no_home_and_no_folder_at_all(part, monkeypatch):
    def none(*_arguments, **_options):
        raise RuntimeError("Could not determine home directory.")

    def full(*_arguments, **_options):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(build_pieces, "cache_home", none)
    assert resume(part) == resume(part, memory=1500) == 60
    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    assert resume(part) == 60
    with pytest.raises(
        wg.WaygridError, match="cannot write a temporary file: no space left on device; an index that exceeds"
    ):
        sweep(FakeWork(60), Plan(memory=1500), KEY)


def test_a_full_disk(part, monkeypatch):
    plain, left = os.write, [0]

    def write(handle, data):
        if left[0] <= 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        written = plain(handle, data[: left[0]])
        left[0] -= written
        return written

    for space in range(0, 1200, 60):
        with monkeypatch.context() as patch:
            patch.setattr(build_file.os, "write", write)
            left[0] = space
            assert resume(part) == 60
            left[0] = space
            stopped = stop_at(40).sources_run
            assert stopped == 40
        kept = sum(record.last - record.first for record in records_of(part)) if part.exists() else 0
        assert resume(part) == 60 - kept
        with monkeypatch.context() as patch:
            patch.setattr(build_file.os, "write", write)
            left[0] = space
            with pytest.raises(
                wg.WaygridError, match="no space left on device; an index that exceeds the memory limit"
            ):
                sweep(FakeWork(600), Plan(memory=1500), KEY)
        part.unlink(missing_ok=True)


# --- Memory -----------------------------------------------------------------------------------------------------------


def test_workers_that_fit():
    work = FakeWork(100, output_bytes=50_000)  # each worker needs 1000, a source 500
    for memory, workers, spooling in (
        (None, 8, False),
        (10**6, 8, False),
        (54_000, 4, False),
        (51_999, 1, False),
        (51_000, 1, False),
        (50_999, 8, True),
        (4_500, 2, True),
        (2_500, 1, True),
    ):
        room = fit_memory(work, Plan(threads=8, memory=memory))
        assert (room.workers, room.spooling) == (workers, spooling)
        if memory is not None:
            assert room.workers * 1000 + room.piece_bytes <= memory
    with pytest.raises(wg.WaygridError) as caught:
        fit_memory(work, Plan(threads=8, memory=2_499))
    assert str(caught.value) == (
        "memory is 2499 bytes; this build needs 2500 or more, and 51000 to hold the whole index"
    )


class Large(FakeWork):
    """A KiB for each source, in one row or in many."""

    def truth(self, first=0, last=None):
        sources = np.arange(first, self.total if last is None else last, dtype=np.int64)
        if self.even:
            return {"rows": np.repeat(sources, 128).reshape(-1, 128)}
        return {"rows": np.repeat(sources, sources * 7919 % 257)}


def peak(work, memory):
    """Return the largest memory in use while building, and check the result."""
    tracemalloc.start()
    made = sweep(work, Plan(threads=2, memory=memory), KEY)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert same(made, work.truth())
    return most


@pytest.mark.parametrize("even", [True, False])
def test_memory_stays_bounded_when_the_index_does_not_fit(part, even):
    work = Large(40_000, even=even)
    work.scratch_bytes = MIB
    assert peak(work, 8 * MIB) < 9 * MIB


@pytest.mark.parametrize("even", [True, False])
def test_memory_stays_bounded_when_more_comes_than_was_expected(part, even):
    work = Large(40_000, even=even, output_bytes=MIB)
    assert peak(work, 8 * MIB) < 12 * MIB


def test_rows_of_known_place_are_not_held_twice(part):
    work = Large(40_000, even=True)
    assert peak(work, None) < 1.5 * work.output_bytes
    assert peak(Large(40_000), None) < 2.1 * work.output_bytes


def test_rows_that_are_copied_together_count_twice(part, monkeypatch):
    spooled, plain = [], build_pieces.Pieces.spool
    monkeypatch.setattr(build_pieces.Pieces, "spool", lambda self: spooled.append(self) or plain(self))
    for even, spools in ((True, 0), (False, 1)):
        work = Large(4_000, even=even)
        peak(work, int(1.5 * work.output_bytes))
        assert len(spooled) == spools


def test_arrays_without_rows_are_mapped_too(part):
    class Empty(FakeWork):
        def truth(self, first=0, last=None):
            sources = np.arange(first, self.total if last is None else last)
            return {"none": np.zeros((0, 3), np.int16), "flags": sources % 2 == 0, "late": np.zeros(0)}

    work = Empty(60, output_bytes=10**6)
    assert same(sweep(work, Plan(memory=60_000), KEY), work.truth())
