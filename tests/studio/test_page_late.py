"""The page: answers that come late, after something newer was asked for or while something else is being done."""

import re

import pytest

TITLES = "name => document.querySelector(`#examples [value='${name}']`).textContent"


def shows(studio, name):
    studio.wait("title => studio.map.name === title && studio.state === 'finished'", studio.get(TITLES, name))


def ask_generated(studio):
    studio.page.click("#tab-map")
    studio.page.click("#generate")


def ask_file(studio):
    studio.page.set_input_files(
        "#file", {"name": "a.map", "mimeType": "text/plain", "buffer": b"type octile\nheight 2\nwidth 2\nmap\n..\n..\n"}
    )


ASKED = {
    "**/api/examples/hex": lambda studio: studio.page.select_option("#examples", "hex"),
    "**/api/generate": ask_generated,
    "**/api/open?*": ask_file,
}


def test_board_that_is_removed_while_it_searches(studio):
    studio.page.click("#compare")
    studio.wait("studio.panes.length === 2 && studio.state === 'finished'")
    held = studio.hold("**/api/search", lambda request: request.post_data_json["pane"] == "B")
    studio.page.click("#search")
    held.wait()
    assert studio.get("studio.state") == "searching"
    studio.page.click("[aria-label='Remove board B']")
    studio.wait("studio.panes.length === 1 && studio.state === 'finished'")
    held.release()
    assert studio.get("studio.state") == "finished"
    assert studio.page.locator("#play").is_enabled()


@pytest.mark.parametrize("pattern", ASKED)
def test_map_that_comes_after_a_newer_one_is_not_shown(studio, pattern):
    held = studio.hold(pattern)
    ASKED[pattern](studio)
    held.wait()
    studio.example("figures-9-10")
    before = studio.get("[studio.map, studio.query]")
    held.release()
    assert studio.get("[studio.map, studio.query]") == before
    assert studio.page.input_value("#examples") == "figures-9-10"
    shows(studio, "figures-9-10")


def test_scenario_of_the_map_before_is_not_used(studio):
    held = studio.hold("**/api/scenario?*")
    line = b"version 1\n0\ta.map\t96\t60\t0\t0\t3\t0\t3\n"
    studio.page.set_input_files("#scenario-file", {"name": "a.scen", "mimeType": "text/plain", "buffer": line})
    held.wait()
    studio.example("figures-9-10")
    query = studio.get("studio.query")
    held.release()
    assert studio.get("studio.query") == query
    assert studio.page.locator("#problem").count() == 0


@pytest.mark.parametrize("cells", [[(4, 1), (4, 3)], [(11, 4), (11, 2)]], ids=["stroke", "drag"])
def test_map_that_comes_during_a_stroke_or_a_drag_ends_it(field, cells):
    held = field.hold("**/api/examples/hex")
    field.page.select_option("#examples", "hex")
    held.wait()
    field.drag(*cells, drop=False)
    assert field.get("studio.state") in ("drawing", "dragging")
    held.release()
    shows(field, "hex")
    before = field.get("[studio.map, studio.query]")
    field.page.mouse.move(*field.place(9, 9))
    field.page.mouse.up()
    assert field.get("studio.state") == "finished"
    assert field.get("[studio.map, studio.query]") == before
    assert not field.get("studio.map.edited")
    assert field.page.locator("#undo").is_disabled()
    field.page.keyboard.press("Control+z")
    assert field.get("[studio.map, studio.query]") == before
    field.drag((9, 9), (9, 11))  # and the mouse works as before
    assert field.get("studio.map.edited")


def test_undo_waits_for_the_end_of_a_stroke(field):
    field.drag((4, 1), (4, 2))
    field.drag((5, 1), (5, 2), drop=False)
    field.page.keyboard.press("Control+z")
    assert field.get("studio.state") == "drawing"
    assert field.get("[studio.wall(4, 1), studio.wall(5, 1)]") == [True, True]
    field.page.mouse.up()
    field.settle()
    field.page.keyboard.press("Control+z")
    field.settle()
    assert field.get("[studio.wall(4, 1), studio.wall(5, 1), studio.wall(5, 2)]") == [True, False, False]
    field.drag((6, 1), (6, 2), drop=False)
    field.page.keyboard.press("Control+y")
    assert field.get("[studio.wall(5, 1), studio.wall(6, 1)]") == [False, True]
    field.page.mouse.up()
    field.settle()


def test_walk_that_is_planned_when_another_map_comes(studio):
    studio.example("real-time")
    held = studio.hold("**/api/agents")
    studio.page.click("#tab-walk")
    studio.page.click("#walk")
    held.wait()
    assert studio.page.inner_text("#walk") == "Planning…"
    studio.example("hex")
    held.release()
    assert studio.get("studio.walk.walkers") == [0]
    assert studio.page.locator("#walk-play").is_hidden()
    assert studio.page.inner_text("#walk") == "Walk"
    assert studio.page.locator("#walk").is_enabled()


def test_walk_to_a_goal_that_was_moved_is_not_shown(studio):
    studio.example("real-time")
    held = studio.hold("**/api/agents")
    studio.page.click("#tab-walk")
    studio.page.click("#walk")
    held.wait()
    goal = studio.get("studio.query.goal")
    cell = studio.get("studio.path().at(-4)")
    studio.drag(goal, cell)
    assert studio.get("studio.query.goal") == cell
    held.release()
    assert studio.get("studio.walk.walkers.every((number) => number === 0)")
    studio.page.click("#walk")
    studio.wait("studio.walk.walkers.every((number) => number === 1)")


def test_files_to_keep_do_not_end_each_other(field):
    page = field.page
    page.click("#tab-keep")
    held = field.hold("**/api/export/*")
    buttons = ("#export-gif", "#export-trace", "#export-map")
    for number, button in enumerate(buttons):
        page.click(button)
        held.wait(number + 1)
    owners = {route.request.post_data_json["pane"] for route in held.routes}
    assert len(owners) == len(buttons)
    names = set()
    page.on("download", lambda download: names.add(download.suggested_filename))
    held.release()
    field.until(lambda: len(names) == 3 or field.message(), "three files")
    assert field.message() == ""
    assert {re.sub(r"-\d{8}-\d{6}", "", name) for name in names} == {
        "field-astar-animation.gif",
        "field-astar-search.trace.yaml",
        "field-map.map",
    }


def test_search_of_the_map_before_is_not_shown_on_a_new_one(studio):
    studio.page.click("#tab-map")
    studio.page.click("#generate")
    studio.wait("studio.map.name.endsWith('seed 1') && studio.state === 'finished'")
    held = studio.hold("**/api/search")
    studio.page.click("#dice")
    held.wait()
    assert studio.get("studio.map.name.endsWith('seed 2')")  # as large as the one before
    assert studio.get("[studio.panes[0].status, studio.panes[0].events, studio.drawn().length]") == [None, 0, 0]
    held.release()
    studio.wait("studio.state === 'finished'")
    assert studio.get("studio.panes[0].events") > 0


def test_overlay_of_the_walls_before_a_stroke_is_not_shown(field):
    held = field.hold("**/api/overlay")
    field.page.click("#tab-inside")
    field.page.click("input[name=overlay][value=parts]")
    held.wait()
    field.drag((4, 1), (4, 3), drop=False)
    held.release()
    assert field.get("[studio.state, studio.overlay]") == ["drawing", None]
    field.page.mouse.up()
    field.wait("studio.overlay !== null && studio.state === 'finished'")
