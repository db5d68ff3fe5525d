"""The page: the first view and the replay, served by the studio and in an exported file, which must not differ."""

import numpy as np
import pytest

from waygrid import Grid, make_finder
from waygrid.grid.generate import generate_passable


@pytest.fixture(params=["served", "exported"])
def studio(request, blank):
    """The page with its first example, searched."""
    if request.param == "exported":
        blank.address = request.getfixturevalue("exported").as_uri()
    return blank.open()


def panes(studio):
    return {pane["letter"]: pane for pane in studio.get("studio.panes")}


def test_first_view_shows_a_finished_search(studio):
    (pane,) = panes(studio).values()
    assert pane["status"] == "FOUND"
    assert studio.get("studio.time === studio.length && studio.length > 100")
    path = studio.get("studio.path()")
    query = studio.get("studio.query")
    assert path[0] == query["start"]
    assert path[-1] == query["goal"]
    assert studio.get("studio.drawn()") == path
    assert studio.page.locator("#play").is_enabled()
    assert "update cycles" in studio.page.inner_text(".pane .counters")
    assert "nodes in memory" in studio.page.inner_text(".pane .counters")


def test_first_view_agrees_with_the_library(studio):
    grid = Grid(generate_passable("indoor", 96, 60, 7))
    query = studio.get("studio.query")
    trace = make_finder("astar", grid).trace(query["start"], query["goal"])
    (pane,) = panes(studio).values()
    assert pane["cost"] == pytest.approx(trace.path.cost)
    assert pane["events"] == len(trace.events)
    order = trace.expansion_order()
    assert pane["cycles"] == order.max() + 1
    closed = np.array(
        studio.get("Array.from({length: 60}, (_, y) => Array.from({length: 96}, (_, x) => studio.cell(x, y)))")
    )
    np.testing.assert_array_equal(closed == "closed", order >= 0)
    np.testing.assert_array_equal(closed == "wall", ~grid.passable)


def test_steps_follow_the_order_of_the_trace(studio):
    page = studio.page
    page.click("#to-start")
    assert studio.get("studio.time") == 0
    query = studio.get("studio.query")
    assert studio.cell(*query["start"]) == "free"
    everything = """[studio.panes[0].cycles, studio.panes[0].memory,
        Array.from({length: 60 * 96}, (_, i) => studio.cell(i % 96, Math.floor(i / 96))).join()]"""
    seen = []
    for number in range(24):
        page.click("#forward")
        assert studio.get("studio.time") == number + 1
        event = studio.get("number => studio.event(number)", number)
        shown = {"source": "open", "generating": "open", "updating": "updated", "expanding": "closed"}
        if event["kind"] in shown:
            assert studio.cell(*event["cell"]) == shown[event["kind"]]
        seen.append(studio.get(everything))
    for number in reversed(range(23)):  # and back the same way
        page.click("#back")
        assert studio.get(everything) == seen[number]
    assert studio.get("studio.state") == "paused"


def test_line_while_replaying_leads_back_to_the_start(studio):
    length = studio.get("studio.length")
    for share in (0.1, 0.5, 0.9):
        studio.get("time => studio.jump(time)", int(share * length))
        line = studio.get("studio.drawn()")
        assert line[0] == studio.get("studio.query.start")
        steps = np.abs(np.diff(np.array(line), axis=0))
        assert steps.max() == 1
        assert studio.cell(*line[-1]) == "closed"


def test_playing_pausing_and_speed(studio):
    page = studio.page
    page.click("#play")
    studio.wait("studio.state === 'playing' && studio.time > 0 && studio.time < studio.length")
    assert page.get_attribute("#play", "aria-label") == "Pause"
    page.click("#play")
    assert studio.get("studio.state") == "paused"
    page.locator("#speed").fill("100")
    page.click("#play")
    studio.wait("studio.state === 'finished' && studio.time === studio.length")
    page.locator("#scrub").fill("7")
    assert studio.get("studio.time") == 7


def test_keys(studio):
    page = studio.page
    page.keyboard.press("Home")
    assert studio.get("studio.time") == 0
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert studio.get("studio.time") == 2
    page.keyboard.press("ArrowLeft")
    assert studio.get("studio.time") == 1
    page.keyboard.press("Shift+ArrowRight")
    assert studio.get("studio.event(studio.time - 1).kind") == "expanding"
    page.keyboard.press(" ")
    studio.wait("studio.state === 'playing'")
    page.keyboard.press(" ")
    assert studio.get("studio.state") == "paused"
    page.keyboard.press("End")
    assert studio.get("studio.time === studio.length")
    before = studio.get("studio.view.scale")
    page.keyboard.press("+")
    assert studio.get("studio.view.scale") > before
    page.keyboard.press("-")
    page.keyboard.press("-")
    assert studio.get("studio.view.scale") < before
    page.keyboard.press("f")
    assert studio.get("studio.view.scale") == pytest.approx(before)
    page.keyboard.press("?")
    assert page.locator("dialog#help").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("dialog#help").is_visible()
