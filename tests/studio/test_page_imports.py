"""Files of other programs on the page: traces on the common clock, dynamic scenarios, paths."""

import json

import numpy as np
import pytest

import waygrid as wg


def ends_of(studio):
    return studio.get("studio.query.start"), studio.get("studio.query.goal")


def open_files(studio, *files):
    studio.page.click("#tab-map")
    studio.page.set_input_files("#import-file", [str(file) for file in files])


@pytest.mark.parametrize("suffix", [".trace.yaml", ".trace.json"])
def test_trace_of_another_solver_on_the_same_clock(field, tmp_path, suffix):
    walls = field.get("Array.from({length: 9 * 14}, (_, i) => studio.wall(i % 14, Math.floor(i / 14)))")
    field_map = wg.Grid(~np.array(walls).reshape(9, 14))
    trace = wg.make_finder("dijkstra", field_map).trace((2, 4), (11, 4))
    trace.save(tmp_path / f"solver{suffix}")
    open_files(field, tmp_path / f"solver{suffix}")
    field.wait("studio.panes.length === 2 && studio.state === 'finished'")
    one, other = field.get("studio.panes")
    assert one["algorithm"] == "astar"
    assert other["algorithm"] == f"trace solver{suffix}"
    assert other["events"] == len(trace.events)
    assert other["cost"] == pytest.approx(trace.path.cost)
    assert other["stats"]["expanded"] == trace.path.stats.expanded
    path = field.get("studio.path('B')")
    assert (path[0], path[-1]) == ([2, 4], [11, 4])
    assert len(path) == len(trace.path.cells)
    for time in (1, 10, 57):
        field.get("time => studio.jump(time)", time)
        assert field.get("studio.panes[1].cycles") == (trace.events["kind"][:time] == 3).sum()
    event = trace.events[20]
    shown = field.get("studio.event(20, 'B')")
    assert shown["cell"] == [event["node"] % 14, event["node"] // 14]
    assert shown["g"] == pytest.approx(event["g"] / trace.unit, abs=1e-5)


def test_trace_keeps_its_query(field, tmp_path):
    events = [{"type": "source", "id": "s", "x": 0, "y": 0}, {"type": "destination", "id": "g", "x": 2, "y": 0}]
    events += [{"type": "expanding", "id": "s", "x": 0, "y": 0, "g": 0, "f": 2}]
    events += [{"type": "expanding", "id": "m", "pId": "s", "x": 1, "y": 0, "g": 1, "f": 2}]
    events += [{"type": "expanding", "id": "g", "pId": "m", "x": 2, "y": 0, "g": 2, "f": 2}, {"type": "noise"}]
    (tmp_path / "old.trace.json").write_text(json.dumps({"version": "1.0.4", "eventList": events}))
    open_files(field, tmp_path / "old.trace.json")
    field.wait("studio.panes.length === 2 && studio.state === 'finished'")
    assert ends_of(field) == ([0, 0], [2, 0])
    assert field.get("studio.path('B')") == [[0, 0], [1, 0], [2, 0]]
    assert "1 events noise left out" in field.message()
    field.drag((0, 0), (0, 3))
    assert "recorded from 0, 0 to 2, 0" in field.get("studio.panes[1].error")
    field.page.keyboard.press("Control+z")
    field.wait("studio.panes[1].error === null && studio.state === 'finished'")


def test_board_of_a_trace_is_not_in_a_lesson(field, tmp_path):
    wg.make_finder("astar", wg.Grid(np.ones((9, 14), np.bool_))).trace((2, 4), (11, 4)).save(tmp_path / "a.trace.yaml")
    open_files(field, tmp_path / "a.trace.yaml")
    field.wait("studio.panes.length === 2 && studio.state === 'finished'")
    field.page.click("#tab-keep")
    field.page.click(".lesson summary")
    with field.page.expect_download() as coming:
        field.page.click("#export-lesson")
    coming.value.save_as(tmp_path / "lesson.html")
    assert "traces from files are not in it" in field.message()


def test_trace_that_reaches_beyond_the_map_gets_an_empty_one(field, tmp_path):
    grid = wg.generate("caves", width=30, height=20, seed=1)
    ys, xs = np.nonzero(grid.passable)
    trace = wg.make_finder("astar", grid).trace((int(xs[0]), int(ys[0])), (int(xs[-1]), int(ys[-1])))
    trace.save(tmp_path / "far.trace.yaml")
    open_files(field, tmp_path / "far.trace.yaml")
    field.wait("studio.map.name === 'far.trace.yaml' && studio.state === 'finished'")
    assert field.get("studio.panes.map(({algorithm}) => algorithm)") == ["trace far.trace.yaml"]
    assert "shown on an empty one" in field.message()
    assert field.get("studio.panes[0].events") == len(trace.events)


def test_trace_on_another_map_is_doubted(field, tmp_path):
    grid = wg.Grid(np.ones((9, 14), np.bool_))
    wg.make_finder("astar", grid).trace((2, 4), (11, 4)).save(tmp_path / "open.trace.yaml")
    open_files(field, tmp_path / "open.trace.yaml")
    field.wait("studio.panes.length === 2 && studio.state === 'finished'")
    assert "are on walls of this map" in field.message()


def test_faulty_trace_is_refused(field, tmp_path):
    (tmp_path / "road.trace.json").write_text('{"events": [{"type": "source", "x": 0.5, "y": 1}]}')
    field.refusals = 1
    open_files(field, tmp_path / "road.trace.json")
    field.until(lambda: "a cell of a grid has whole numbers" in field.message(), "the refusal")


def test_paths_are_drawn_and_checked(field, tmp_path):
    rows = ["path,x,y"]
    good = wg.make_finder("astar", wg.Grid(np.ones((3, 14), np.bool_))).find((0, 0), (9, 0)).cells
    rows += [f"good,{x},{y}" for x, y in good.tolist()]
    rows += ["long,0,0", "long,0,1", "long,1,0", "wall,6,4", "wall,7,4", "jump,0,0", "jump,3,0"]
    (tmp_path / "ways.csv").write_text("\n".join(rows))
    open_files(field, tmp_path / "ways.csv")
    field.wait("studio.overlay !== null && document.querySelectorAll('#paths .path').length === 4")
    texts = field.page.locator("#paths .path").all_inner_texts()
    assert "legal: cost 9, 9 moves, optimal" in texts[0]
    assert "legal: cost 2.4142, 2 moves, +141.42 %" in texts[1]
    assert "cannot be entered" in texts[2]
    assert "move 0 from (0, 0) to (3, 0)" in texts[3]
    assert "2 of 4 paths are not legal" in field.message()
    layers = field.get("studio.overlay.layers")
    assert [layer["size"] for layer in layers] == [36, 8, 4, 4]
    field.page.locator("#paths .path button").first.click()
    field.wait("studio.query.goal.join() === '9,0' && studio.state === 'finished'")
    assert field.get("studio.panes[0].cost") == 9


SCENARIO = """version 2
height 9
width 14
cost 1 octile
patch doors.patch
commands
Q 0 2 4 11 4 10.65685425
P 1 0 7 3
Q 1 2 4 11 4 9
P 2 1 7 0
Q 2 2 4 11 4 13
"""
PATCHES = """type patch
patches 2
patch 0
height 3
width 1
map
.
.
.
patch 1
height 8
width 1
map
@
@
@
@
@
@
@
@
"""


def test_dynamic_scenario_shows_the_map_as_it_is_then(field, tmp_path):
    (tmp_path / "town.scen").write_text(SCENARIO)
    (tmp_path / "doors.patch").write_text(PATCHES)
    open_files(field, tmp_path / "town.scen", tmp_path / "doors.patch")
    field.wait("document.querySelector('#problem-facts') && studio.state === 'finished'")
    facts = field.page.inner_text("#problem-facts")
    assert "10.656854" in facts
    assert field.get("studio.wall(7, 4)")
    for number, (wall, cost) in enumerate([(True, 10.65685425), (False, 9)], 1):
        field.enter("#problem", str(number))
        field.wait("cost => Math.abs(studio.panes[0].cost - cost) < 1e-6 && studio.state === 'finished'", cost)
        assert field.get("studio.wall(7, 4)") is wall
    field.page.click("[aria-label='Next problem']")
    field.wait("studio.wall(7, 0) && !studio.wall(7, 8) && studio.state === 'finished'")
    field.page.click("[aria-label='Problem before']")
    field.wait("!studio.wall(7, 0) && !studio.wall(7, 4) && studio.state === 'finished'")


def test_patches_alone_are_explained(field, tmp_path):
    (tmp_path / "doors.patch").write_text(PATCHES)
    open_files(field, tmp_path / "doors.patch")
    field.until(lambda: "belongs to a dynamic scenario" in field.message(), "the explanation")


def test_files_that_are_no_use_say_why(field, tmp_path):
    """A file that the page does not know was left without a word, as was a trace whose name does not say what it is."""
    (tmp_path / "notes.doc").write_text("no map")
    (tmp_path / "search.yaml").write_text("version: 1.4.0\nevents: []\n")
    (tmp_path / "torn.csv").write_text("path,x,y\na,1\n")
    field.refusals = 3
    open_files(field, tmp_path / "notes.doc")
    field.until(lambda: "is not a map format" in field.message(), "the refusal of notes.doc")
    open_files(field, tmp_path / "torn.csv")
    field.until(lambda: "torn.csv, line 2" in field.message(), "the refusal of torn.csv")
    open_files(field, tmp_path / "search.yaml")
    field.until(lambda: "search.yaml" in field.message(), "a word about search.yaml")
    (tmp_path / "small.map").write_text("type octile\nheight 1\nwidth 3\nmap\n...\n")
    open_files(field, tmp_path / "small.map")
    field.wait("studio.map.name === 'small.map' && studio.state === 'finished'")
