"""The page: crowds that walk, their priorities, commands to units, and robots' maps."""

import zipfile

import numpy as np
import pytest
from crowd_rules import check_all
from oracle import Case


def walk(studio):
    return studio.get("studio.walk")


def planned(studio):
    studio.wait("!studio.walk.planning && studio.walk.walkers[0] > 0")


def cells_of(studio):
    read = "steps => Array.from({length: steps + 1}, (_, i) => studio.agents(i)[0].cells)"
    return np.array(studio.get(read, walk(studio)["steps"]))


def passable(studio):
    read = (
        "({width, height}) => Array.from({length: height}, (_, y) => "
        "Array.from({length: width}, (_, x) => !studio.wall(x, y)))"
    )
    return np.array(studio.get(read, studio.get("studio.map")))


def begin(studio, step=None, **settings):
    page = studio.page
    page.click("#tab-walk")
    for name, value in settings.items():
        if name in ("placing", "method"):
            page.select_option(f"#crowd-{name}", value)
        else:
            studio.enter(f"#crowd-{name}", str(value))
    page.click("#crowd-walk")
    planned(studio)
    if step is not None:
        hold(studio, step)


def hold(studio, step):
    if studio.page.inner_text("#walk-play") == "Pause":
        studio.page.click("#walk-play")
    studio.page.locator("#walk-time").fill(str(step))


def arrived(studio, step="studio.walk.steps"):
    return studio.get(f"studio.agents({step})[0].arrived")


@pytest.fixture
def crowd(studio):
    studio.example("crowd")
    return studio


def test_a_crowd_walks_without_collisions(crowd):
    assert crowd.page.locator("#crowd-walk").is_visible()  # the example opens the page where crowds are
    begin(crowd, step=20)
    assert walk(crowd)["walkers"] == [60]
    check_all(Case(passable(crowd)), cells_of(crowd))
    figures = crowd.get("studio.agents()[0].figures")
    assert figures["collisions"] == 0
    assert figures["sum of costs"] == 60 * 20
    assert "collisions 0" in crowd.page.inner_text(".pane .counters")
    assert "unit, first to last" in crowd.page.inner_text("#legend")
    x, y = crowd.get("studio.agents()[0].cells")[0]
    about = crowd.get("([x, y]) => studio.inspect(x, y)", [x, y])
    assert about["unit"] == "1 of 60"
    assert (about["priority"], about["chooses"]) == ("1", "no. 1")
    crowd.page.locator("#walk-time").fill(str(walk(crowd)["steps"]))
    assert arrived(crowd) == 60
    crowd.page.click("#walk-end")
    crowd.settle()
    assert "unit, first to last" not in crowd.page.inner_text("#legend")
    assert crowd.get("studio.panes[0].status") == "FOUND"


def test_walls_that_are_drawn_meanwhile(field):
    begin(field, step=4, units=10, placing="exchange")
    shown = cells_of(field)[:5]
    field.drag((7, 0), (7, 2), drop=False)
    field.page.mouse.up()
    planned(field)
    assert (walk(field)["edits"], walk(field)["time"]) == (1, 4)
    after = cells_of(field)
    np.testing.assert_array_equal(after[:5], shown)
    check_all(Case(passable(field)), after[4:])
    assert arrived(field) == 10
    field.page.keyboard.press("Control+z")
    planned(field)
    assert (walk(field)["edits"], walk(field)["edited"]) == (2, 0)
    assert field.get("studio.agents()[0].figures.collisions") == 0


def test_who_is_cut_off_waits(field):
    begin(field, step=2, units=6, placing="group")
    for first, last in (((7, 0), (7, 2)), ((7, 6), (7, 8))):
        field.drag(first, last, drop=False)
        field.page.mouse.up()
        planned(field)
    hold(field, walk(field)["steps"])
    assert field.get("studio.agents()[0].waiting") == 6
    assert "6 units wait" in field.page.inner_text("#walk-news")
    field.page.mouse.click(*field.place(7, 4))
    planned(field)
    assert arrived(field) == 6


def test_units_are_selected_and_sent(field):
    begin(field, step=5, units=8, placing="group")
    field.page.click("#crowd-command")
    cells = field.get("studio.agents()[0].cells")
    field.page.mouse.click(*field.place(*cells[0]))
    assert field.page.inner_text("#crowd-chosen").startswith("1 selected")
    assert len(field.get("studio.drawn()")) > 3  # the way of the unit that is selected alone
    before = cells_of(field)[:6]
    field.page.mouse.click(*field.place(1, 1))
    planned(field)
    field.wait("studio.agents(studio.walk.steps)[0].cells[0].join() === '1,1'")
    after = cells_of(field)
    np.testing.assert_array_equal(after[:6], before)
    assert arrived(field) == 8
    check_all(Case(passable(field)), after)
    field.page.mouse.click(*field.place(7, 4))
    assert "cannot be sent into a wall" in field.message()
    low, high = np.array(cells).min(axis=0), np.array(cells).max(axis=0)
    field.drag(tuple(low.tolist()), tuple(high.tolist()), drop=False)
    field.page.mouse.up()
    assert field.page.inner_text("#crowd-chosen").startswith("8 selected")
    assert not field.get("studio.map.edited")  # nothing was drawn
    field.page.click("#crowd-hold")
    field.wait("!studio.walk.planning && studio.agents(studio.walk.steps)[0].waiting > 0")
    assert (cells_of(field)[5:] == np.array(cells)).all()
    field.page.click("#crowd-hold")
    field.wait("!studio.walk.planning && studio.agents(studio.walk.steps)[0].arrived === 8")
    field.page.click("#crowd-first")
    field.wait("!studio.walk.planning")
    assert field.get("([x, y]) => studio.inspect(x, y).priority", cells[3]) == "1"
    field.page.click("#crowd-command")  # drawing again
    field.drag((4, 1), (4, 1), drop=False)
    field.page.mouse.up()
    planned(field)
    assert field.get("studio.wall(4, 1)")


def test_starts_and_goals_are_drawn(field):
    page = field.page
    page.click("#tab-walk")
    page.select_option("#crowd-placing", "drawn")
    assert page.get_attribute("#crowd-starts", "aria-pressed") == "true"
    field.drag((0, 0), (0, 3), drop=False)
    page.mouse.up()
    page.click("#crowd-goals")
    field.drag((13, 0), (13, 2), drop=False)
    page.mouse.up()
    assert page.inner_text("#crowd-drawn") == "4 starts, 3 goals; 1 more goals are chosen near the last."
    page.mouse.click(*field.place(13, 2))
    assert page.inner_text("#crowd-drawn").startswith("4 starts, 2 goals")
    assert not field.get("studio.map.edited")
    page.click("#crowd-walk")
    planned(field)
    cells = cells_of(field)
    assert cells[0].tolist() == [[0, 0], [0, 1], [0, 2], [0, 3]]
    assert cells[-1][:2].tolist() == [[13, 0], [13, 1]]
    assert arrived(field) == 4
    check_all(Case(passable(field)), cells)


def test_a_whole_plan(field):
    begin(field, step=1, units=12, method="plan (LaCAM*)", seconds=0.3)
    assert arrived(field) == 12
    figures = field.get("studio.agents(studio.walk.steps)[0].figures")
    assert figures["sum of costs"] >= figures["at least"] > 0
    assert "A whole plan by LaCAM*" in field.page.inner_text(".tracks")
    check_all(Case(passable(field)), cells_of(field))
    field.drag((7, 2), (7, 1), drop=False)
    field.page.mouse.up()
    planned(field)  # another plan, from where they are
    assert arrived(field) == 12
    assert field.get("studio.agents()[0].figures.collisions") == 0


def test_more_units_than_cells_and_the_other_walks(field):
    begin(field, step=0, units=1000, placing="spread")
    assert "There is room for 123 units only" in field.message()
    assert walk(field)["walkers"] == [123]
    field.enter("#walk-agents", "3")
    field.page.click("#walk")  # agents of the board instead
    field.wait("!studio.walk.planning && studio.walk.walkers[0] === 3")
    assert field.page.locator("#crowd-command").count() == 0


def test_a_crowd_beside_other_boards(studio):
    studio.example("doors")
    begin(studio, step=3, units=8)
    assert walk(studio)["walkers"] == [8, 0, 0]
    studio.page.click(".doors button:nth-child(1)")
    planned(studio)
    table = studio.page.inner_text("#comparison")
    assert "collisions 0" in table.replace("\n", " ")
    assert "units that never collide" in table
    studio.page.locator(".pane .close").first.click()  # the board of the crowd
    studio.settle()
    assert walk(studio)["walkers"] == [0, 0]
    assert studio.get("studio.panes.map((pane) => pane.status)") == ["FOUND", "FOUND"]


def test_another_map_comes_while_a_crowd_is_planned(crowd):
    crowd.page.click("#tab-walk")
    held = crowd.hold("**/api/crowd")
    crowd.page.click("#crowd-walk")
    held.wait()
    crowd.example("maze")
    held.release()
    assert walk(crowd)["walkers"] == [0, 0, 0]
    assert crowd.get("studio.state") == "finished"


def test_the_last_of_many_commands_counts(crowd):
    begin(crowd, step=5)
    crowd.page.click("#crowd-command")
    held = crowd.hold("**/api/crowd")
    for cell in ((10, 30), (40, 5), (25, 17)):
        while crowd.get("([x, y]) => studio.wall(x, y)", list(cell)):
            cell = (cell[0] + 1, cell[1])
        crowd.page.mouse.click(*crowd.place(*cell))
    held.wait(3)
    held.release()
    planned(crowd)
    assert arrived(crowd) == 60
    assert np.abs(cells_of(crowd)[-1] - cell).max() < 12
    assert crowd.get("studio.agents()[0].figures.collisions") == 0


def test_units_are_commanded_by_keyboard(field):
    begin(field, step=3, units=4, placing="group")
    field.page.click("#crowd-command")
    field.page.focus("#panes canvas")
    field.page.keyboard.press("Enter")  # the cursor, on the start
    for key in ("ArrowUp", "ArrowUp", "ArrowUp", "Enter"):
        field.page.keyboard.press(key)
    planned(field)
    field.wait("studio.agents(studio.walk.steps)[0].cells.some(([x, y]) => x === 2 && y === 1)")
    assert not field.get("studio.map.edited")


def test_a_refused_crowd_leaves_the_search(field):
    field.refusals = 1
    field.page.click("#tab-walk")
    field.page.select_option("#crowd-method", "plan (LaCAM*)")
    field.page.route("**/api/crowd", lambda route: route.fulfill(status=400, body='{"error": "no crowd today"}'))
    field.page.click("#crowd-walk")
    field.wait("document.querySelector('#messages').innerText.includes('no crowd today')")
    field.settle()
    assert field.get("studio.panes[0].status") == "FOUND"
    assert walk(field)["walkers"] == [0]


# --- Robots' maps -----------------------------------------------------------------------------------------------------


def test_the_example_of_a_robot(studio):
    studio.example("robot")
    studio.wait("studio.overlay && studio.overlay.title === 'Inflation'")
    about = studio.get("studio.inspect(60, 44)")
    assert about["world"] == "-1.95, 0.55 m"
    assert about["nearest wall (m)"] == "0.583"
    assert studio.get("studio.inspect(0, 0).world") == "-7.95, 4.95 m"  # walls too
    assert "within 0.3 m of a wall" in studio.page.inner_text("#legend")
    studio.enter("[data-option=radius]", "0.5")
    studio.wait("document.querySelector('#legend').innerText.includes('within 0.5 m of a wall')")
    studio.page.click("#tab-map")
    assert "0.1 m per cell, 16 \u00d7 10 m" in studio.page.inner_text(".map-name")


def test_the_overlay_of_an_example_goes_with_its_map(studio):
    """It was laid over the next examples, and failed on those whose cells are no squares."""
    for name in ("zones", "tex"):
        studio.example("robot")
        studio.wait("studio.overlay && studio.overlay.title === 'Inflation'")
        studio.example(name)
        studio.rest()
        assert studio.get("studio.overlay") is None
        assert studio.message() == ""
    studio.example("robot")
    studio.wait("studio.overlay")
    studio.page.check("input[name=overlay][value='parts']")
    studio.wait("studio.overlay.title === 'Connected components'")
    studio.example("zones")  # what a person has chosen stays
    studio.wait("studio.overlay && studio.overlay.title === 'Connected components'")


def test_the_inflated_map_is_searched(studio):
    studio.example("robot")
    studio.wait("studio.overlay")
    cost = studio.get("studio.panes[0].cost")
    studio.page.click("#apply-overlay")
    studio.wait("studio.map.weighted && studio.state === 'finished'")
    assert studio.get("studio.panes[0].cost") > cost
    assert studio.get("studio.wall(3, 3)")
    assert studio.get("studio.overlay") is None
    studio.page.keyboard.press("Control+z")
    studio.wait("!studio.map.weighted && studio.state === 'finished'")
    assert studio.get("studio.panes[0].cost") == cost


def test_a_map_of_ros_and_its_image_are_opened_together(studio, tmp_path):
    pytest.importorskip("yaml")
    hall = tmp_path / "hall.yaml"
    hall.write_text(
        "image: hall.pgm\nresolution: 0.05\norigin: [-3, -2, 0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n"
    )
    image = np.full((20, 30), 254, np.uint8)
    image[5:15, 12], image[0] = 0, 205
    (tmp_path / "hall.pgm").write_bytes(b"P5\n30 20\n255\n" + image.tobytes())
    studio.page.set_input_files("#file", [hall, tmp_path / "hall.pgm"])
    studio.wait("studio.map.name === 'hall.yaml' && studio.state === 'finished'")
    assert studio.get("[studio.wall(12, 7), studio.wall(3, 0), studio.wall(3, 3)]") == [True, True, False]
    assert studio.get("studio.inspect(0, 19).world") == "-2.975, -1.975 m"
    studio.drag((20, 10), (22, 10))  # the place survives drawing, a reload and the server's cache
    studio.page.reload()
    studio.wait("window.studio && studio.state === 'finished'")
    assert studio.get("studio.inspect(0, 19).world") == "-2.975, -1.975 m"
    studio.refusals = 1
    studio.page.set_input_files("#file", hall)
    studio.wait("document.querySelector('#messages').innerText.includes('is missing')")


def test_a_robots_map_is_exported_as_two_files(studio):
    studio.example("robot")
    studio.page.click("#tab-keep")
    studio.page.select_option("#map-format", ".yaml")
    with studio.page.expect_download() as coming:
        studio.page.click("#export-map")
    assert coming.value.suggested_filename.endswith(".zip")
    with zipfile.ZipFile(coming.value.path()) as both:
        assert both.namelist() == ["map.pgm", "map.yaml"]
        assert "origin: [-8.0, -5.0, 0.0]" in both.read("map.yaml").decode()
