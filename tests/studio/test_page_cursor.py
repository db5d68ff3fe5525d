"""The page without a mouse: the cell cursor of a board."""

import pytest


@pytest.fixture
def keyed(field):
    """The small map, its board with the focus, reached by Tab."""
    for _ in range(60):
        field.page.keyboard.press("Tab")
        if field.get("document.activeElement.tagName") == "CANVAS":
            return field
    raise AssertionError("Tab does not lead to the board")


def press(studio, *keys):
    for key in keys:
        studio.page.keyboard.press(key)
    studio.settle()


def told(studio):
    return studio.page.text_content("#cursor-text")


def test_cursor_draws_walls_and_sets_start_and_goal(keyed):
    assert keyed.get("document.activeElement.getAttribute('aria-label')").startswith("Board A")
    press(keyed, "Enter")
    assert told(keyed) == "Cell 2, 4, start"
    plain = keyed.pixel(4, 3)
    press(keyed, "ArrowRight", "ArrowRight", "ArrowUp", "Enter")
    assert keyed.get("studio.wall(4, 3)")
    assert told(keyed) == "Cell 4, 3, wall"
    assert keyed.pixel(4, 3) != plain
    assert "Cell 4, 3" in keyed.page.inner_text("#inspector")
    press(keyed, "s")
    assert "cannot be here" in told(keyed)
    assert keyed.get("studio.query.start") == [2, 4]
    press(keyed, "ArrowDown", "s")
    assert keyed.get("studio.query.start") == keyed.get("studio.path()[0]") == [4, 4]
    press(keyed, "Shift+ArrowRight", "Shift+ArrowDown", "g")
    assert keyed.get("studio.query.goal") == keyed.get("studio.path().at(-1)") == [13, 8]
    press(keyed, "Control+z", "Control+z")
    assert keyed.get("[studio.query.start, studio.query.goal]") == [[2, 4], [11, 4]]
    press(keyed, "Control+z")
    assert not keyed.get("studio.wall(4, 3)")


def test_arrows_step_through_the_replay_without_the_cursor(keyed):
    length = keyed.get("studio.length")
    keyed.page.keyboard.press("Home")
    assert keyed.get("studio.time") == 0
    keyed.page.keyboard.press("ArrowRight")
    assert keyed.get("studio.time") == 1
    keyed.page.keyboard.press("Enter")
    keyed.page.keyboard.press("ArrowRight")
    assert told(keyed) == "Cell 3, 4, free"
    assert keyed.get("studio.time") == 1
    keyed.page.keyboard.press("Escape")
    assert told(keyed) == ""
    assert keyed.page.locator("#inspector").is_hidden()
    keyed.page.keyboard.press("ArrowRight")
    assert keyed.get("studio.time") == 2 < length


def test_cursor_stays_in_sight_and_uses_the_tool(keyed):
    for _ in range(6):
        keyed.page.keyboard.press("+")
    press(keyed, "Enter", "Shift+ArrowLeft", "Shift+ArrowUp")
    x, y = keyed.place(0, 0)
    box = keyed.page.locator(".frame canvas").bounding_box()
    assert box["x"] <= x <= box["x"] + box["width"]
    assert box["y"] <= y <= box["y"] + box["height"]
    press(keyed, "t", "Enter")
    assert keyed.get("studio.weight(0, 0)") == 4
    assert told(keyed) == "Cell 0, 0, weight 4"
    keyed.page.keyboard.press("m")
    keyed.page.keyboard.press("Enter")
    keyed.page.keyboard.press("Escape")
    assert "Cell 0, 0" in keyed.page.inner_text("#inspector")  # kept
