"""Exported lessons: one file, opened from disk, that needs no server and asks nobody for anything."""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import waygrid as wg
from waygrid.errors import WaygridError
from waygrid.studio.lesson import STATIC, make_example_pages, read_modules
from waygrid.studio.lesson_file import choose_ends, export_lesson, make_page, read_lesson
from waygrid.studio.limits import StudioLimits
from waygrid.studio.model import Terrain


def export(*arguments):
    command = [sys.executable, "-m", "waygrid", "studio", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True)


def show(blank, file):
    blank.address = file.as_uri()
    return blank.open()


@pytest.fixture
def lesson(blank, exported):
    """The exported examples, opened from disk."""
    studio = show(blank, exported)
    yield studio
    asked = [url for url in studio.requests if not url.startswith(("data:", "blob:"))]
    assert asked == [studio.address], "the file asked for something else"


def test_nothing_but_the_file_is_asked_for(lesson):
    assert lesson.get("studio.panes.length === 1 && studio.panes[0].status === 'FOUND'")
    assert lesson.page.title() == "Path finding"
    assert lesson.page.locator("#toolbar").is_hidden()
    tabs = lesson.page.locator("#tabs button").all_inner_texts()
    assert tabs[:2] == ["Lesson", "Search"]
    assert not {"Map", "Inside", "Walk"} & set(tabs)


def test_every_page_of_the_panel_works_without_a_server(lesson):
    for tab in lesson.page.locator("#tabs button").all():
        tab.click()
        for time in (0, 1, 50, 4000):
            lesson.get("time => studio.jump(time)", time)
            lesson.rest()
    assert lesson.message() == ""


def test_boards_are_compared_on_one_clock(lesson):
    lesson.page.click(".reading button:has-text('Jump points')")
    lesson.wait("studio.panes.length === 3 && studio.state === 'finished'")
    boards = lesson.get("studio.panes")
    assert len({round(board["cost"], 6) for board in boards}) == 1
    assert lesson.page.locator("#comparison tbody tr").count() == 3
    lesson.get("studio.jump(40)")
    for board in lesson.get("studio.panes"):
        kinds = lesson.get(
            "([n, letter]) => Array.from({length: n}, (_, i) => studio.event(i, letter).kind)",
            [min(40, board["events"]), board["letter"]],
        )
        assert board["cycles"] == kinds.count("expanding")
    lesson.page.click("[aria-label='Remove board B']")
    assert [board["algorithm"] for board in lesson.get("studio.panes")] == ["astar", "jps+gb"]


def test_a_link_of_another_lesson_is_refused_in_words(blank, exported):
    """It was said that no server responds, of a page that has none."""
    blank.address = exported.as_uri()
    blank.page.goto(blank.address)
    blank.wait("window.studio && studio.state === 'finished'")
    source = "import('waygrid/link.js').then(({ write }) => write({}, { source: { example: 'page-99' } }))"
    link = blank.get(f"{source}.then(({{ fragment }}) => fragment)")
    blank.page.goto("about:blank")
    blank.open(f"#{link}")
    assert "has only the searches that were exported with it" in blank.message()
    assert blank.get("studio.panes[0].status") == "FOUND"


def test_thinking_is_shown(lesson):
    """The open list and the pseudo-code need the trace alone; details that need an index are not offered."""
    lesson.page.click("#tab-think")
    lesson.get("studio.jump(40)")
    lesson.wait("document.querySelectorAll('table.open tbody tr').length > 0")
    assert lesson.page.locator(".code [aria-current]").count()
    listed = lesson.get("studio.open()")
    assert listed["entries"][0][3] == min(f for *_, f in listed["entries"])
    served = lesson.page.locator("[data-detail=boxes], [data-detail=scans], [data-detail=gates]")
    assert served.count() == 0


def test_cells_are_inspected(lesson):
    x, y = lesson.get("studio.path()")[5]
    lesson.page.mouse.move(*lesson.place(x, y))
    lesson.wait("!document.querySelector('#inspector').hidden")
    shown = lesson.page.inner_text("#inspector")
    grid = wg.Grid(
        np.array(
            lesson.get("Array.from({length: 60}, (_, y) => Array.from({length: 96}, (_, x) => !studio.wall(x, y)))")
        )
    )
    trace = wg.make_finder("astar", grid).trace(*(lesson.get(f"studio.query.{end}") for end in ("start", "goal")))
    events = trace.events[trace.events["node"] == y * 96 + x]
    g = float(events["g"][-1]) / trace.unit
    assert f"Cell {x}, {y}" in shown
    assert lesson.get("([x, y]) => studio.inspect(x, y)", [x, y])["g"] == f"{g:.3f}".rstrip("0").rstrip(".")


def test_map_and_query_cannot_be_changed(lesson):
    before = lesson.get("[studio.query, studio.map]")
    start = before[0]["start"]
    lesson.page.keyboard.press("w")
    assert lesson.get("studio.tool") == "hand"
    lesson.drag(start, [start[0] + 3, start[1]])
    lesson.page.focus(".pane canvas")
    for key in ("Enter", "ArrowRight", "s", "Enter", "Escape"):
        lesson.page.keyboard.press(key)
    assert lesson.get("[studio.query, studio.map]") == before


def test_what_was_not_recorded_is_said(lesson):
    lesson.page.click("#tab-search")
    lesson.page.select_option("#algorithm", "dijkstra")
    lesson.wait("Boolean(studio.panes[0].error)")
    assert "only the searches that were exported" in lesson.page.inner_text(".fault")


@pytest.mark.parametrize("page", ["hex", "tex", "swamp", "real-time", "maze"])
def test_every_grid_and_kind_of_search(lesson, page):
    from waygrid.studio.examples import EXAMPLES

    names = [name for name, one in EXAMPLES.items() if one.walk is None]
    lesson.example(f"page-{names.index(page) + 1}")
    one = EXAMPLES[page]
    assert lesson.get("studio.panes.map(({algorithm}) => algorithm)") == [algorithm for algorithm, _, _ in one.compare]
    assert lesson.get("studio.panes.every(({events, status}) => events > 0 && status === 'FOUND')")
    lesson.page.keyboard.press("Home")
    lesson.page.keyboard.press(" ")
    lesson.wait("studio.time > 0")


def test_lesson_file_of_a_teacher(blank, tmp_path):
    (tmp_path / "room.map").write_text("type octile\nheight 3\nwidth 5\nmap\n.....\n.@@@.\n.....\n")
    text = "Which cell comes first?\n\nCount <b>them</b>."
    described = {
        "title": "Two rooms & more",
        "pages": [
            {"map": "room.map", "title": "A room", "text": text, "start": [0, 1], "goal": [4, 1],
             "boards": [{"algorithm": "astar", "options": {"weight": 2}, "title": "Weighted"}, {"algorithm": "bfs"}]},
            {"generate": {"kind": "maze", "width": 21, "height": 21, "seed": 1}, "grid": {"topology": "tile"}},
        ],
    }  # fmt: skip
    (tmp_path / "lesson.json").write_text(json.dumps(described))
    file = tmp_path / "out.html"
    ended = export("--lesson", tmp_path / "lesson.json", "--export", file)
    assert ended.returncode == 0, ended.stderr
    assert [one.name for one in tmp_path.glob("out*")] == ["out.html"]
    studio = show(blank, file)
    assert studio.page.title() == "Two rooms & more"
    assert studio.page.locator(".lesson-text p").all_inner_texts() == text.split("\n\n")
    assert studio.get("studio.panes.map(({algorithm, options}) => [algorithm, options])") == [
        ["astar", {"weight": 2}],
        ["bfs", {}],
    ]
    assert studio.page.locator(".pane .caption").first.inner_text().split() == ["A", "Weighted"]
    studio.page.click(".reading button >> nth=1")
    studio.wait("studio.map.width === 21 && studio.state === 'finished'")
    assert studio.get("studio.query.grid.topology") == "tile"


def test_button_exports_what_the_page_shows(field, browser, tmp_path):
    page = field.page
    field.drag((4, 7), (9, 7), steps=20)  # a wall that only this page has
    page.click("#compare")
    field.wait("studio.panes.length === 2 && studio.state === 'finished'")
    page.click("#tab-keep")
    page.click(".lesson summary")
    page.fill(".lesson input", "My field")
    page.fill(".lesson textarea", "Watch.")
    with page.expect_download() as coming:
        page.click("#export-lesson")
    file = tmp_path / "lesson.html"
    coming.value.save_as(file)
    assert coming.value.suggested_filename.endswith(".html")
    shown = field.get("[studio.query, studio.path(), studio.panes.map(({algorithm, cost}) => [algorithm, cost])]")
    other = type(field)(browser.new_page(), file.as_uri()).open()
    assert (
        other.get("[studio.query, studio.path(), studio.panes.map(({algorithm, cost}) => [algorithm, cost])]") == shown
    )
    assert other.get("studio.wall(6, 7)")
    assert other.page.title() == "My field"
    assert "Watch." in other.page.inner_text(".lesson-text")
    other.check()
    other.page.close()


def test_three_algorithms_on_200_x_200_cells_stay_under_5_mb(blank, tmp_path):
    wg.generate("caves", width=200, height=200, seed=3).save(tmp_path / "cave.map")
    file = tmp_path / "cave.html"
    ended = export(tmp_path / "cave.map", "--export", file, "-a", "dijkstra,astar,jps")
    assert ended.returncode == 0, ended.stderr
    assert file.stat().st_size < 1_000_000  # the bar is 5 MB
    studio = show(blank, file)
    assert studio.get("studio.panes.map(({algorithm}) => algorithm)") == ["dijkstra", "astar", "jps"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--export", "a.txt"], "a lesson is written as .html"),
        (["--export", "a.html", "-a", "astar"], "--algorithm is about a map; give MAP too"),
        (["--export", "a.html", "--corners", "one"], "--corners is about a map; give MAP too"),
        (["--export", "a.html", "--lesson", "c.json", "--grid", "hex"], "--grid is about a map; give MAP too"),
        (["--algorithm", "astar"], "--algorithm belongs to an export"),
        (["--set", "weight=2"], "--set belongs to an export"),
        (["none.map", "--metric", "5,7"], "--metric belongs to an export"),
        (["--export", "a.html", "--lesson", "none.json"], "cannot read none.json: no such file"),
        (["none.map", "--export", "a.html", "-a", "dijkstra,none"], "--algorithm none; allowed are bfs"),
        (["none.map", "--export", "a.html", "-a", "bfs", "--set", "weight=2"], "none of bfs has this option"),
    ],
)
def test_refusals_of_the_command_line(arguments, said):
    ended = export(*arguments)
    assert ended.returncode != 0
    assert said in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.quick
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[]", 'an object with "title" and a list of "pages"'),
        ("{", "not JSON"),
        ('{"pages": [{"boards": []}]}', "page 1: exactly one of map, example, generate is needed"),
        ('{"pages": [{"example": "none"}]}', "there is no example 'none'"),
        ('{"pages": [{"example": "maze", "start": [1]}]}', "page 1: start is [1]; a cell is [x, y]"),
        ('{"pages": [{"example": "maze", "boards": [{}]}]}', "a board is an object of algorithm, options, title"),
        ('{"pages": [{"example": "maze", "colour": 1}]}', "a page is an object of title"),
        ('{"pages": [{"example": ["maze"]}]}', "page 1: example is ['maze']; allowed is a text"),
        ('{"pages": [{"example": "hex"}, {"map": "none.map"}]}', "lesson.json, page 2: cannot read"),
        ('{"pages": [{"example": "hex", "grid": {"clearance": 2}}]}', "page 1: grid is {'clearance': 2}; allowed are"),
        ('{"pages": [{"generate": {"kind": "maze"}}]}', "page 1: width is None"),
        ('{"pages": [{"example": "none"}]}', "lesson.json, page 1: there is no example 'none'"),
    ],
)
def test_refusals_of_lesson_files(tmp_path, text, said):
    file = tmp_path / "lesson.json"
    file.write_text(text)
    with pytest.raises(WaygridError, match=re.escape(said)):
        read_lesson(file, StudioLimits())


@pytest.mark.quick
def test_names_that_are_no_text_are_written():
    """Linux allows such names of files, and JSON halves of characters."""
    (page,) = make_example_pages(["hex"])
    file = export_lesson("\udcff.map", [page._replace(title="\ud800")])
    assert b"<title>?.map</title>" in file


@pytest.mark.quick
def test_refusals_while_searches_are_recorded_name_the_page():
    good, bad = make_example_pages(["hex", "maze"])
    with pytest.raises(WaygridError, match=r"^page 2, 'A maze': start \(99, 0\) is outside the map"):
        export_lesson("Two", [good, bad._replace(start=(99, 0))])
    with pytest.raises(WaygridError, match=r"^there are 0 boards; allowed are 1 to 6 on a page"):
        export_lesson("One", [bad._replace(boards=[])])


@pytest.mark.quick
def test_lesson_file_of_the_documentation_is_read(tmp_path):
    page = (Path(__file__).parents[2] / "docs" / "studio.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"```json\n(\{\n  \"title\".*?)\n```", page, re.DOTALL)
    (tmp_path / "course.json").write_text(text)
    wg.generate("caves", width=180, height=160, seed=1).save(tmp_path / "arena2.map")
    title, pages = read_lesson(tmp_path / "course.json", StudioLimits())
    assert (title, len(pages)) == ("Week 3: heuristics", 3)
    assert pages[0].text.count("\n\n") == 1
    assert pages[0].boards == [("dijkstra", {}, ""), ("astar", {"weight": 2}, "A*, weight 2")]


@pytest.mark.quick
def test_every_module_is_in_the_file_under_the_name_that_others_use():
    modules = read_modules()
    assert set(modules) == {f"waygrid/{file.relative_to(STATIC).as_posix()}" for file in STATIC.rglob("*.js")}
    for name, source in modules.items():
        assert not re.search(r"""(from|import)\s*\(?\s*["']\.""", source), name
        asked = re.findall(r"""(?:\bfrom|\bimport)\s*\(?\s*["'](waygrid/[^"']+)""", source)
        assert set(asked) <= set(modules), name


@pytest.mark.quick
def test_ends_are_far_apart_in_the_largest_component():
    passable = np.ones((5, 20), np.bool_)
    passable[:, 6] = False
    start, goal = choose_ends(Terrain(passable, None), {"topology": "tile"})
    assert {start[0], goal[0]} == {7, 19}
    assert make_page("none", Terrain(passable, None), {}).boards == [("astar", {}, "")]
    with pytest.raises(WaygridError, match="no passable cell"):
        choose_ends(Terrain(~np.ones((2, 2), np.bool_), None), {})
