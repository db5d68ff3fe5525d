"""The page: drawing walls and weights, dragging start and goal, undo and redo."""

import pytest


def test_wall_across_the_path_changes_the_path(field):
    before = field.get("studio.path()")
    cost = field.get("studio.panes[0].cost")
    field.drag((7, 2), (7, 0))
    assert [field.get(f"studio.wall(7, {y})") for y in (0, 1, 2)] == [True] * 3
    after = field.get("studio.path()")
    assert after != before
    assert all(cell[0] != 7 or cell[1] > 5 for cell in after)
    field.drag((7, 6), (7, 8))  # the map is cut in two
    pane = field.get("studio.panes[0]")
    assert (pane["status"], pane["cost"]) == ("UNREACHABLE", None)
    field.drag((7, 4), (7, 4))  # begun on a wall: a gap opens
    assert field.get("studio.panes[0].cost") == pytest.approx(9)
    assert cost > 9


def test_unreachable_goal_is_said_and_the_page_goes_on(field):
    field.drag((7, 2), (7, 0))
    field.drag((7, 6), (7, 8))
    assert field.get("studio.state") == "finished"
    assert "no path" in field.page.inner_text(".pane .counters")
    assert "no path exists" in field.page.inner_text("#page-search")
    assert field.get("studio.path()") == []
    field.page.keyboard.press("Control+z")
    field.settle()
    assert field.get("studio.panes[0].status") == "FOUND"


def test_first_cell_decides_and_ends_stay_free(field):
    field.drag((0, 4), (13, 4))  # over start, wall and goal: draws
    row = field.get("Array.from({length: 14}, (_, x) => studio.wall(x, 4))")
    assert row == [x not in (2, 11) for x in range(14)]
    field.drag((7, 4), (0, 4))  # begun on a wall: erases
    row = field.get("Array.from({length: 14}, (_, x) => studio.wall(x, 4))")
    assert row == [7 < x < 14 and x != 11 for x in range(14)]


def test_brush_draws_several_cells_at_a_time(field):
    field.page.select_option("#brush", "3")
    field.drag((4, 1), (4, 1))
    drawn = [(x, y) for y in range(9) for x in range(14) if field.get(f"studio.wall({x}, {y})") and x != 7]
    assert (4, 1) in drawn
    assert {(3, 1), (5, 1), (4, 0), (4, 2)} <= set(drawn)
    assert len(drawn) in (5, 9)


def test_goal_follows_the_mouse_and_paths_follow_the_goal(field):
    lives = field.get("studio.lives")
    field.drag((11, 4), (11, 2), (12, 7), drop=False)
    assert field.get("studio.state") == "dragging"
    field.wait("studio.path().at(-1).join() === '12,7'")
    assert field.get("studio.lives") > lives
    assert field.get("studio.panes[0].events") == 0  # only paths while dragging
    field.page.mouse.up()
    field.settle()
    assert field.get("studio.query.goal") == [12, 7]
    assert field.get("studio.panes[0].events") > 0
    assert field.pixel(12, 7) != field.pixel(12, 1)
    field.drag((12, 7), (7, 4))  # not into a wall
    assert field.get("studio.query.goal") != [7, 4]


def test_start_can_be_dragged_over_several_boards(field):
    field.page.click("#compare")
    field.wait("studio.panes.length === 2 && studio.state === 'finished'")
    field.drag((2, 4), (3, 7), pane="B")
    assert field.get("studio.query.start") == [3, 7]
    assert field.get("studio.path('A')[0]") == field.get("studio.path('B')[0]") == [3, 7]


def test_undo_and_redo(field):
    page = field.page
    assert page.locator("#undo").is_enabled()  # the choice of the scenario
    field.drag((4, 2), (4, 6))
    field.drag((11, 4), (12, 1))
    page.keyboard.press("Control+z")
    field.settle()
    assert field.get("studio.query.goal") == [11, 4]
    assert field.get("studio.wall(4, 3)")
    page.keyboard.press("Control+z")
    field.settle()
    assert not field.get("studio.wall(4, 3)")
    page.keyboard.press("Control+y")
    field.settle()
    assert field.get("studio.wall(4, 3)")
    page.click("#redo")
    field.settle()
    assert field.get("studio.query.goal") == [12, 1]
    assert page.locator("#redo").is_disabled()


def test_weights_are_painted_and_counted(field):
    page = field.page
    page.keyboard.press("t")
    field.enter("#weight", "9")
    plain = field.pixel(4, 1)
    for x in (4, 5):
        field.drag((x, 0), (x, 8), steps=12)
    assert [field.get(f"studio.weight(4, {y})") for y in range(9)] == [9] * 9
    assert field.pixel(4, 0) != plain
    assert field.get("studio.panes[0].cost") == pytest.approx(10.65685425 + 16, abs=0.9)
    assert page.locator("#algorithm option[value=jps]").is_disabled()
    for x in (4, 5):
        field.drag((x, 0), (x, 8), steps=12)  # the first cell has this weight: back to 1
    assert not field.get("studio.map.weighted")
    assert page.locator("#algorithm option[value=jps]").is_enabled()


def test_moving_and_zooming(field):
    page = field.page
    x, y = field.place(3, 3)
    before = field.get("studio.view")
    page.mouse.move(x, y)
    page.mouse.wheel(0, -300)
    field.wait("before => studio.view.scale > before", before["scale"])
    assert field.place(3, 3) == pytest.approx([x, y], abs=1)
    page.keyboard.press("m")
    page.mouse.down()
    page.mouse.move(x - 60, y - 40)
    page.mouse.up()
    assert field.place(3, 3) == pytest.approx([x - 60, y - 40], abs=1)
    page.mouse.move(x, y)
    page.mouse.down(button="right")  # moves the map with every tool
    page.mouse.move(x + 30, y)
    page.mouse.up(button="right")
    assert field.place(3, 3) == pytest.approx([x - 30, y - 40], abs=1)
    assert field.get("studio.map.edited") is False


def test_two_fingers_pinch(field):
    x, y = field.place(5, 4)
    before = field.get("studio.view.scale")
    touch = field.page.context.new_cdp_session(field.page)

    def send(kind, *points):
        marks = [{"x": px, "y": py, "id": i} for i, (px, py) in enumerate(points)]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": marks})

    send("touchStart", (x - 40, y), (x + 40, y))
    for gap in (50, 60, 80):
        send("touchMove", (x - gap, y), (x + gap, y))
    send("touchEnd")
    field.settle()
    assert field.get("studio.view.scale") > 1.5 * before
    assert field.get("studio.map.edited") is False


def test_searching_only_when_told(field):
    page = field.page
    page.uncheck("#auto")
    field.page.mouse.move(*field.place(4, 1))
    field.page.mouse.down()
    field.page.mouse.up()
    assert field.get("studio.state") == "modified"
    assert field.get("studio.path()") == []
    assert page.locator("#play").is_disabled()
    page.click("#search")
    field.settle()
    assert field.get("studio.panes[0].status") == "FOUND"
