"""Indexes from damaged files: an error of our own or the right answer, never a crash (see `benchmarks/damage.py`)."""

import gc
import os
import threading

import damage
import numpy as np
import pytest

import waygrid as wg
from waygrid.algorithms.pathdb import cpd_build as rows
from waygrid.build import loading
from waygrid.formats.index import Checksums, read_index, write_index


def test_no_damage_crashes_hangs_or_misleads(tmp_path):
    """Every algorithm, in a child process; forged files, whose checksums fit the damage, may at most answer wrongly."""
    cases = list(damage.CASES)
    jobs = damage.list_jobs(cases, ["flip"], 100, 0, forged=False)
    jobs += damage.list_jobs(cases, ["block", "bytes"], 20, 0, forged=False)
    jobs += damage.list_jobs(cases, ["flip", "word", "shuffle"], 60, 0, forged=True)
    results = damage.Attack(tmp_path, cases, brief=True).run(jobs)
    assert len(results) == len(jobs)
    assert [result for result in results if damage.is_fault(result)] == []
    refused = [result for result in results if result.outcome == "own error" and not result.job.forged]
    assert all("the index is damaged" in result.note for result in refused)
    assert {result.job.case for result in refused} == set(cases)


START, GOAL = (ends[0].tolist() for ends in damage.make_queries(damage.make_world("rooms")))


# --- Files above the limit are compared while queries run -------------------------------------------------------------


@pytest.fixture
def saved(tmp_path, monkeypatch):
    """Return a map and its saved index, which counts as large; the comparison waits until it is let go."""
    monkeypatch.setattr(loading, "LARGE", 1000)
    gate, compare = threading.Event(), Checksums.compare

    def wait_first(self, wanted):
        gate.wait(60)
        compare(self, wanted)

    monkeypatch.setattr(Checksums, "compare", wait_first)
    grid = damage.make_world("rooms")
    wg.make_finder("dijkstra-gb", grid).save(tmp_path / "a.wgi")
    yield grid, tmp_path / "a.wgi", gate
    gate.set()


def change_last_byte(file):
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)


def test_a_large_file_answers_before_it_was_compared(saved):
    grid, file, gate = saved
    finder = wg.load_finder(file, grid)
    assert finder.find(START, GOAL).cost > 0  # while the comparison waits
    gate.set()
    finder.finish_verification()
    assert finder.find(START, GOAL).cost > 0


def test_damage_that_is_found_later_is_raised_by_every_query(saved):
    grid, file, gate = saved
    change_last_byte(file)
    finder = wg.load_finder(file, grid)
    search = finder.start(START, GOAL)
    finder.find(START, GOAL)
    gate.set()
    words = r"a\.wgi: the index is damaged: the checksum of array '[a-z.]+' is wrong"
    for ask in (
        finder.finish_verification,
        lambda: finder.find(START, GOAL),
        lambda: finder.find(START, GOAL),
        lambda: finder.find_many([START], [GOAL]),
        lambda: search.advance(5),
        lambda: finder.trace(START, GOAL),
    ):
        with pytest.raises(wg.WaygridError, match=words):
            ask()


def test_agents_stop_when_damage_is_found(saved, tmp_path):
    grid, _, _ = saved
    file = tmp_path / "agents.wgi"
    wg.make_finder("dba", grid, sector=8).save(file)
    change_last_byte(file)  # of an array that is no address
    finder = wg.load_finder(file, grid, verify=False)
    pool = finder.agents([START], [GOAL])
    pool.step()
    finder._set_damaged(wg.WaygridError("the index is damaged"))
    with pytest.raises(wg.WaygridError, match="the index is damaged"):
        pool.step()


def test_a_large_index_of_a_graph(saved, tmp_path):
    _, _, gate = saved
    graph, file = damage.make_world("graph"), tmp_path / "graph.wgi"
    wg.make_finder("astar-gb", graph).save(file)
    change_last_byte(file)
    finder = wg.load_finder(file, graph)
    assert finder.find(0, 90).cost > 0
    gate.set()
    for ask in (finder.finish_verification, lambda: finder.find(0, 90), lambda: finder.find_many([0], [90])):
        with pytest.raises(wg.WaygridError, match="the index is damaged: the checksum"):
            ask()


def test_a_thread_ends_with_its_finder(saved):
    grid, file, gate = saved
    finder = wg.load_finder(file, grid)
    thread = finder._verifying
    del finder
    gc.collect()
    gate.set()
    thread.join(60)
    assert not thread.is_alive()


def test_a_file_that_is_cut_off_in_use_is_reported(saved, tmp_path):
    grid, file, gate = saved
    data = file.read_bytes()
    finder = wg.load_finder(file, grid)
    os.truncate(file, len(data) - 5000)
    gate.set()
    try:
        with pytest.raises(wg.WaygridError, match="truncated while it was in use"):
            finder.finish_verification()
    finally:
        file.write_bytes(data)  # what is mapped must not be read beyond the end of the file


# --- Before the first query -------------------------------------------------------------------------------------------


def forge(file, change):
    """Change arrays of an index and write it with checksums that fit."""
    data = read_index(file)
    arrays = {name: array.copy() for name, array in data.arrays.items()}
    arrays.update(change(arrays) or {})
    about = {"algorithm": data.algorithm, "options": data.options, "map_hash": data.map_hash, "extra": data.extra}
    write_index(file, arrays, **about)


def put(name, place, value):
    def change(arrays):
        arrays[name][place] = value

    return change


FORGERIES = [
    ("jps+", put("tags", 60, 1 << 8), "array 'tags' does not number the turns one by one"),
    ("jps+", put("turns", (0, 0), -1), "array 'turns' has turns that are not those of 'tags'"),
    ("jps+", put("turns", (3, 2), 10**6), "array 'turns', edge, falls from 1000000"),
    ("jps+", put("edges", (0, 0), -1), "array 'edges', turn, holds -1"),
    ("jps+", put("edges", (0, 0), 10**6), "array 'edges', turn, holds 1000000"),
    ("jps+", put("edges", (0, 1), -5), "array 'edges' has costs that are not those of its ways"),
    ("jps+", put("edges", (0, 2), 3), "array 'edges' has places that are not those of its turns"),
    ("jps+", lambda arrays: {"jumps": arrays["jumps"][:-1]}, "array 'jumps' is int16 of shape (1727, 8)"),
    ("jps+", lambda arrays: {"jumps": arrays["jumps"].astype(np.int64)}, "array 'jumps' is int64"),
    ("jps+gb", lambda arrays: {"moves": arrays["moves"].reshape(-1)}, "array 'moves' is int16 of shape"),
    ("dijkstra-gb", lambda arrays: {"boxes": arrays["boxes"][:-1]}, "array 'boxes' is uint8 of shape (1727, 8, 4)"),
    ("cpd", put("cells", (60, rows.LOW), -1), "array 'cells', first block, holds -1"),
    ("cpd", put("cells", (60, rows.BLOCKS), 30_000), "array 'cells', blocks, holds 30000"),
    ("cpd", put("stops", (0, 0), -1), "array 'stops', first block, holds -1"),
    ("cpd", put("stops", (0, rows.FIRST_EDGE), -1), "array 'stops', edge, holds -1"),
    ("cpd", lambda arrays: {"runs": arrays["runs"][:-1]}, "array 'runs' is uint32 of shape"),
    ("turntable", put("first", 60, -1), "to -1"),
    ("turntable", put("accesses", (0, 0), -1), "array 'accesses', spot, holds 65535"),
    ("turntable", put("spots", (0, 0), -1), "array 'spots', x, holds 65535"),
    ("turntable", put("spots", (0, 1), -1), "array 'spots', link, runs from -1"),
    ("turntable", put("links", 0, 60_000), "array 'links' holds 60000"),
    ("turntable", lambda arrays: {"distances": arrays["distances"][:-1]}, "array 'distances' is int32 of shape"),
    ("turntable", lambda arrays: {"steps": arrays["steps"][:-1]}, "array 'steps' is uint8 of shape"),
    ("ch", put("places", 3, 10**6), "array 'places' holds 1000000"),
    ("ch", put("numbers", 3, -1), "array 'numbers' falls from"),
    ("ch", put("masks", 0, 2**63), "array 'numbers' does not number the spots one by one"),
    ("ch", put("ranks", 0, 10**6), "array 'ranks' holds 1000000"),
    ("ch", put("spots", (0, 0), 60_000), "array 'spots', x, holds 60000"),
    ("ch", put("jumps", (slice(64, None), 1), 127), "array 'jumps' leads from cell"),
    ("ch", put("jumps", (slice(64, None), 2), 1), "array 'jumps' leads from cell"),
    ("ch", put("first", 1, -1), "array 'first' falls from"),
    ("ch", put("arcs", (0, 0), -1), "array 'arcs', upper spot, holds -1"),
    ("ch", put("arcs", (0, 1), 10**6), "array 'arcs', middle spot, holds 1000000"),
    ("ch", put("arcs", (slice(None), 2), 5), "array 'arcs' has shortcuts that lead round other ways"),
    ("ch", put("labels", (1, 0), -1), "array 'labels' or 'steps' leads from spot 1 to no label"),
    ("ch", put("hubs", 0, -1), "array 'hubs' holds -1"),
    ("ch", put("costs", 0, -1), "array 'costs' holds -1"),
    ("ch", put("steps", 0, 60_000), "array 'labels' or 'steps' leads from spot"),
    ("dead-end", put("zone", 60, 60_000), "array 'zone' holds 60000"),
    ("dead-end", put("block", 0, -1), "array 'block' holds -1"),
    ("dead-end", put("door_moves", (0, 0), -1), "array 'door_moves', cell, holds -1"),
    ("dead-end", put("door_moves", (0, 1), 8), "array 'door_moves', direction, holds 8"),
    ("dead-end", lambda arrays: {"last": arrays["last"][:0]}, "array 'last' holds 0 numbers"),
    ("dead-end/trails", put("gate", 0, 10**6), "array 'gate' holds 1000000"),
    ("dead-end/trails", put("enters", 0, -1), "array 'enters' holds -1"),
    ("dead-end/trails", put("first", 1, -1), "array 'first' falls from 0 to -1"),
    ("gateway", put("first", 1, 10**6), "array 'first' falls from 1000000"),
    ("gateway", put("opposite", 0, 0), "array 'opposite' does not lead there and back"),
    ("gateway", put("enters", 0, 0), "array 'enters' has zones that are not those behind the gates"),
    ("gateway", put("scale", 0, 0), "array 'scale' is [0, "),
    ("gateway", put("prices", 0, -1), "array 'prices' holds -1"),
    ("gateway", lambda arrays: {"costs": arrays["costs"][:-1]}, "array 'costs' is uint32 of shape (65, 66)"),
    ("gateway/zones", put("inner_first", 1, -1), "array 'inner_first' does not fit the gates of the zones"),
    ("graph/astar-gb", lambda arrays: {"boxes": arrays["boxes"][:-1]}, "the index holds arrays of"),
]


@pytest.fixture(scope="module")
def indexes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("indexes")
    damage.Attack(folder, dict.fromkeys(case for case, _, _ in FORGERIES))
    return folder


@pytest.mark.parametrize(("case", "change", "words"), FORGERIES)
def test_forged_arrays_are_refused(indexes, tmp_path, case, change, words):
    file = tmp_path / "a.wgi"
    file.write_bytes(damage.case_file(indexes, case).read_bytes())
    world = damage.make_world(damage.CASES[case][2])
    wg.load_finder(file, world)
    forge(file, change)
    with pytest.raises(wg.WaygridError) as caught:
        wg.load_finder(file, world)
    assert str(caught.value).startswith(f"{file}: the index is damaged: ")
    assert words in str(caught.value)


def lead_round(arrays):
    """Let the rows of all cells and turns hold one label only, for all goals."""
    for name in ("runs", "turn_runs"):
        arrays[name][:] = 0


def leave_the_map(arrays):
    arrays["jumps"][:, :4] = 3000
    arrays["jumps"][:, 4:] = 0  # or it would seem that every goal is seen


def leave_the_map_by_looking_up(arrays):
    arrays["cells"][:, rows.JUMPS :] = 3000
    arrays["cells"][:, rows.NEAR] = 0
    arrays["stops"][:, rows.NEAR] = 0


@pytest.mark.parametrize(
    ("case", "change"),
    [
        ("cpd", lead_round),
        ("cpd", leave_the_map_by_looking_up),
        ("jps+", leave_the_map),
        ("turntable", put("steps", slice(None), 0)),
        ("turntable", put("distances", slice(None), -1)),
        ("turntable", put("distances", slice(None), 2**31 - 1)),
        ("ch", put("costs", slice(None), 2**31 - 1)),
    ],
)
def test_what_is_not_looked_at_when_loaded_is_found_by_queries(indexes, tmp_path, case, change):
    file, world = tmp_path / "a.wgi", damage.make_world("rooms")
    file.write_bytes(damage.case_file(indexes, case).read_bytes())
    forge(file, change)
    finder = wg.load_finder(file, world)
    starts, goals = damage.make_queries(world)
    messages = []
    for start, goal in zip(starts.tolist(), goals.tolist(), strict=True):
        for ask in (finder.find, lambda a, b: finder.find_many([a], [b]), finder.trace):
            try:
                ask(start, goal)
            except wg.WaygridError as error:
                messages.append(str(error))
    assert len(messages) > 20
    assert set(messages) == {
        "the index is damaged: its entries lead out of the map or in a circle; build the index again"
    }


@pytest.mark.parametrize(
    ("case", "options"),
    [
        ("astar-gb", {"weight": 1000, "ties": "one", "heuristic": None}),
        ("astar-gb", {"weight": "1", "ties": "one", "heuristic": None}),
        ("astar-gb", {"weight": 1, "ties": {"one": 1}, "heuristic": None}),
        ("astar-gb", {"weight": 1, "ties": "one", "heuristic": [1, 2]}),
        ("gateway", {"dead_ends": False, "table": "pairs", "gate_length": 0, "decomposition": "repaired"}),
        ("gateway", {"dead_ends": 1, "table": "pairs", "gate_length": None, "decomposition": "repaired"}),
        ("gateway", {"dead_ends": True, "table": "pairs", "gate_length": None, "decomposition": "repaired"}),
        ("gateway", {"dead_ends": False, "table": "zones", "gate_length": None, "decomposition": "repaired"}),
        ("dead-end", {"relevance": "trails", "decomposition": "repaired"}),
        ("graph/astar-gb", {"weight": -1, "ties": "one"}),
    ],
)
def test_options_in_a_file_are_checked_as_those_of_a_call(indexes, tmp_path, case, options):
    damage.Attack(indexes, [case])
    file, world = tmp_path / "a.wgi", damage.make_world(damage.CASES[case][2])
    data = read_index(damage.case_file(indexes, case))
    write_index(file, data.arrays, algorithm=data.algorithm, options=options, map_hash=data.map_hash, extra=data.extra)
    with pytest.raises(wg.WaygridError, match="the index is damaged"):
        wg.load_finder(file, world)


def test_a_finder_of_trails_is_made_for_plain_ground_only():
    with pytest.raises(wg.WaygridError, match="relevance='trails' is for plain ground"):
        wg.make_finder("dead-end", damage.make_world("weights"), relevance="trails")
