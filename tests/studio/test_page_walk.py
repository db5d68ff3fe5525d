"""The page: agents that walk while doors and walls are toggled."""

from itertools import pairwise

import numpy as np
import pytest

from waygrid import Grid
from waygrid.grid.legal import first_fault


def walk(studio):
    return studio.get("studio.walk")


def planned(studio):
    studio.wait("!studio.walk.planning && studio.walk.walkers[0] > 0")


def begin(studio, agents=1, step=3):
    """Start a walk and hold it at a step."""
    page = studio.page
    page.click("#tab-walk")
    studio.enter("#walk-agents", str(agents))
    page.click("#walk")
    planned(studio)
    page.click("#walk-play")
    page.locator("#walk-time").fill(str(step))


def draw(studio, *cells):
    """Draw walls, or erase them, while agents walk: no search follows."""
    studio.drag(*cells, drop=False)
    studio.page.mouse.up()
    planned(studio)


def click(studio, cell):
    studio.page.mouse.click(*studio.place(*cell))
    planned(studio)


def door(studio, number):
    studio.page.click(f".doors button:nth-child({number})")
    planned(studio)


def passable(studio):
    size = studio.get("studio.map")
    rows = studio.get(
        "({width, height}) => Array.from({length: height}, (_, y) => "
        "Array.from({length: width}, (_, x) => !studio.wall(x, y)))",
        size,
    )
    return np.array(rows)


def all_cells(studio, first=0):
    """The cells of all agents of each board, step by step."""
    steps = walk(studio)["steps"]
    read = "([from, to]) => Array.from({length: to - from + 1}, (_, i) => studio.agents(from + i).map(b => b.cells))"
    return studio.get(read, [first, steps])


def test_agent_goes_on_around_a_wall_that_is_drawn_in_its_way(field):
    begin(field, step=3)
    before = walk(field)
    shown = all_cells(field)
    draw(field, (7, 2), (7, 0))  # the wall in the middle now reaches the upper border
    after = walk(field)
    assert (after["time"], after["edits"], after["edited"], after["walkers"]) == (3, 1, 3, [1])
    assert field.get("studio.state") == "modified"  # nothing is searched while agents walk
    cells = all_cells(field)
    assert cells[: 3 + 1] == shown[: 3 + 1]
    grid = Grid(passable(field))
    for here, there in pairwise(step[0][0] for step in cells[3:]):
        assert first_fault(grid, [here] if here == there else [here, there]) is None
    assert cells[-1][0][0] == [11, 4]
    assert after["steps"] >= before["steps"]
    figures = field.get("studio.agents(4)[0].figures")
    assert figures["kept"] + figures["searched"] == 1
    assert "After an edit: has no index" in field.page.inner_text(".tracks")
    field.page.click("#walk-end")
    field.settle()  # the edited map is searched when the walk is over
    assert field.get("studio.panes[0].status") == "FOUND"
    assert walk(field)["walkers"] == [0]
    assert field.get("studio.wall(7, 0)")


def test_agent_that_is_cut_off_waits_and_goes_on(field):
    begin(field, agents=4, step=2)
    draw(field, (7, 2), (7, 0))
    draw(field, (7, 6), (7, 8))
    assert field.get("studio.agents(studio.walk.steps)[0].waiting") > 0
    field.page.click("#walk-play")
    field.wait("studio.walk.time === studio.walk.steps")
    waiting = field.get("studio.agents()[0].waiting")
    assert waiting > 0
    assert "for a way to open" in field.page.inner_text("#walk-news")
    assert f"waiting {waiting}" in field.page.inner_text(".pane .counters")
    step = walk(field)["time"]
    click(field, (7, 4))  # a gap: they go on by themselves
    field.wait("step => studio.walk.time > step", step)
    field.wait("studio.walk.time === studio.walk.steps")
    assert field.get("studio.agents()[0].arrived") == 4
    assert field.page.locator("#walk-news").is_hidden()


def test_no_wall_is_drawn_where_agents_stand(field):
    begin(field, agents=5, step=2)
    taken = field.get("studio.agents()[0].cells")
    field.page.select_option("#brush", "15")
    draw(field, (5, 4), (8, 4))
    for x, y in taken:
        assert not field.get(f"studio.wall({x}, {y})")
    assert field.get("studio.agents()[0].cells") == taken


def test_undo_is_an_edit_too(field):
    begin(field, step=3)
    shown = all_cells(field)
    draw(field, (7, 2), (7, 0))
    field.page.keyboard.press("Control+z")
    planned(field)
    assert (walk(field)["edits"], walk(field)["edited"], walk(field)["time"]) == (2, 0, 3)
    assert all_cells(field, 3)[-1] == shown[-1]
    field.page.keyboard.press("Control+y")
    planned(field)
    assert walk(field)["edited"] == 3


def test_walk_that_is_over_is_ended_by_an_edit(field):
    begin(field, step=3)
    field.page.click("#walk-play")
    field.wait("studio.walk.time === studio.walk.steps")
    field.drag((4, 1), (4, 2))
    assert walk(field)["walkers"] == [0]
    assert field.get("studio.state") == "finished"


def test_goal_that_is_moved_and_weights_end_the_walk(field):
    begin(field, step=3)
    draw(field, (7, 2), (7, 1))
    field.drag((11, 4), (12, 7))
    assert (walk(field)["walkers"], field.get("studio.path().at(-1)")) == ([0], [12, 7])
    begin(field, step=3)
    draw(field, (4, 1), (4, 2))
    field.page.keyboard.press("t")
    field.drag((5, 1), (5, 2))
    assert walk(field)["walkers"] == [0]
    assert field.get("studio.panes[0].status") == "FOUND"


def test_edits_one_after_another_and_the_slider(field):
    begin(field, step=2)
    draw(field, (7, 2), (7, 1))
    field.page.locator("#walk-time").fill("5")
    draw(field, (9, 3), (9, 5))
    assert (walk(field)["time"], walk(field)["edits"]) == (5, 2)
    assert field.page.get_attribute("#walk-time", "min") == "5"  # before the edit the map was another
    grid = Grid(passable(field))
    for here, there in pairwise(step[0][0] for step in all_cells(field, 5)):
        assert first_fault(grid, [here] if here == there else [here, there]) is None


def test_answers_of_an_edit_that_come_after_the_next_one_are_not_shown(field):
    begin(field, step=3)
    held = field.hold("**/api/agents")
    field.drag((7, 2), (7, 2), drop=False)
    field.page.mouse.up()
    held.wait()
    field.drag((7, 1), (7, 0), drop=False)
    field.page.mouse.up()
    held.wait(2)
    held.release()
    planned(field)
    assert walk(field)["edits"] == 2
    grid = Grid(passable(field))
    for here, there in pairwise(step[0][0] for step in all_cells(field, 3)):
        assert first_fault(grid, [here] if here == there else [here, there]) is None


def test_an_edit_that_the_server_refuses_ends_the_walk(field):
    begin(field, step=3)
    field.refusals = 1
    refused = '{"error": "the studio is busy; try again in a moment"}'
    field.page.route("**/api/agents", lambda route: route.fulfill(status=429, body=refused))
    field.drag((7, 2), (7, 1), drop=False)
    field.page.mouse.up()
    field.settle()
    assert "busy" in field.message()
    assert walk(field)["walkers"] == [0]


@pytest.fixture
def doors(studio):
    studio.example("doors")
    return studio


def test_doors_are_toggled_by_click_while_agents_walk(doors):
    assert doors.page.get_attribute("#tab-walk", "aria-selected") == "true"
    assert "Press Walk" in doors.page.inner_text("#about")
    assert doors.page.input_value("#walk-agents") == "6"
    begin(doors, agents=6, step=4)
    found = doors.get("studio.doors")
    assert any(not one["open"] for one in found)
    doors.page.select_option("#brush", "5")  # a door is one cell, whatever the brush
    number = next(i for i, one in enumerate(found) if one["open"] and one["cell"] not in taken(doors))
    click(doors, found[number]["cell"])
    assert doors.get("studio.doors")[number]["open"] is False
    assert walk(doors)["edited"] == 1
    figures = [board["figures"] for board in doors.get("studio.agents()")]
    assert figures[0]["repairs"] == 1
    assert figures[1]["stale cells"] > 0
    for row in figures[:2]:
        assert row["kept"] + row["by index"] + row["searched"] == 6
    assert "edited" in doors.page.inner_text("#legend")
    rows = doors.page.locator("#comparison tbody tr").all_inner_texts()
    assert "the index is repaired around the edit" in rows[0]
    click(doors, found[number]["cell"])
    assert (doors.get("studio.doors")[number]["open"], walk(doors)["edited"]) == (True, 0)
    assert doors.get("studio.agents()[1].figures")["stale cells"] == 0


def taken(studio):
    """Where agents stand or are about to."""
    return [cell for step in (0, 1) for board in studio.get(f"studio.agents(4 + {step})") for cell in board["cells"]]


def test_doors_are_toggled_by_keyboard(doors):
    begin(doors, agents=6, step=4)
    page = doors.page
    button = page.locator(".doors button:nth-child(3)")
    assert button.get_attribute("aria-label") == "Door 3, closed"
    button.focus()
    page.keyboard.press("Enter")
    planned(doors)
    assert button.get_attribute("aria-label") == "Door 3, open"
    assert button.get_attribute("aria-pressed") == "true"
    assert doors.get("document.activeElement.textContent") == "3"
    assert walk(doors)["edits"] == 1
    page.locator(".pane canvas").first.focus()  # and with the cursor on a board
    page.keyboard.press("Enter")
    cell = doors.get("studio.doors")[2]["cell"]
    x, y = doors.get("studio.query.start")
    for key, count in (("ArrowRight", cell[0] - x), ("ArrowDown", cell[1] - y)):
        for _ in range(count):
            page.keyboard.press(key)
    page.keyboard.press("Enter")
    planned(doors)
    assert doors.get("studio.doors")[2]["open"] is False


def test_all_agents_wait_behind_closed_doors_and_go_on(doors):
    begin(doors, agents=6, step=4)
    for number in (16, 17):  # those of the room with the goal
        door(doors, number)
    doors.page.click("#walk-play")
    doors.wait("studio.walk.time === studio.walk.steps")
    assert [board["waiting"] for board in doors.get("studio.agents()")] == [6, 6, 6]
    assert doors.page.inner_text("#walk-news") == " ".join(
        f"{name}: 6 agents wait for a way to open." for name in "ABC"
    )
    door(doors, 17)
    doors.page.locator("#walk-speed").fill("120")
    doors.wait("studio.walk.time === studio.walk.steps && studio.walk.time > 20")
    assert [board["arrived"] for board in doors.get("studio.agents()")] == [6, 6, 6]


def test_door_in_which_an_agent_stands_stays_open(doors):
    begin(doors, agents=6, step=0)
    cells = [one["cell"] for one in doors.get("studio.doors")]
    steps = all_cells(doors)
    step = next(t for t, boards in enumerate(steps) if any(cell in cells for cell in boards[0]))
    doors.page.locator("#walk-time").fill(str(step))
    number = next(i for i, cell in enumerate(cells) if cell in steps[step][0])
    doors.page.click(f".doors button:nth-child({number + 1})")
    assert "stands in this door" in doors.message()
    assert doors.get("studio.doors")[number]["open"] is True
    assert walk(doors)["edits"] == 0


def test_doors_survive_a_reload_of_an_edited_map(doors):
    door_cell = doors.get("studio.doors")[0]["cell"]
    doors.page.mouse.click(*doors.place(*door_cell))
    doors.wait("studio.state === 'finished' && studio.map.edited")
    doors.page.reload()
    doors.wait("window.studio && studio.state === 'finished'")
    found = doors.get("studio.doors")
    assert found[0] == {"cell": door_cell, "open": False}
    assert len(found) == 17
    doors.example("indoor")
    assert doors.get("studio.doors") == []
    assert doors.page.locator("#doors").is_hidden()


def test_door_is_toggled_without_a_walk(doors):
    cost = doors.get("studio.panes[0].cost")
    path = doors.get("studio.path()")
    number = next(i for i, one in enumerate(doors.get("studio.doors")) if one["cell"] in path)
    doors.page.click("#tab-walk")
    doors.page.click(f".doors button:nth-child({number + 1})")
    doors.wait("cost => studio.state === 'finished' && studio.panes[0].cost > cost", cost)
