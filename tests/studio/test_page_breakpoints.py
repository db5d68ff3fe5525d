"""The page: conditions, and breakpoints that stop the replay."""

import numpy as np
import pytest

from waygrid import Grid, make_finder
from waygrid.grid.generate import generate_passable

VALUES = {"g": 4, "h": 1, "f": 5, "x": 7, "y": 0}

# The expression, and what it is with VALUES.
HOLD = [
    ("f > 4 and x == 7", True),
    ("f > 4 && x = 8", False),
    ("f < 4 or g >= 4", True),
    ("not f < 4 and not (x = 8 or y = 1)", True),
    ("3 < g <= 4 < f", True),
    ("3 < g <= 4 < 4", False),
    ("g + h == f", True),
    ("g - h - 1 = 2", True),
    ("2 + 3 * 4 = 14 and (2 + 3) * 4 = 20", True),
    ("-g + 4 = 0 and --g = 4", True),
    ("7 % 4 = 3 and 1 / 4 = .25", True),
    ("abs(h - f) = 4 and min(g, h, f) = 1 and max(g, 9) = 9", True),
    ("f / y > 0", True),  # infinity
    ("y / y > 0 or y / y <= 0", False),  # not a number
    ("5.00001 = f and 5.00001 <= f and not 5.00001 > f", True),  # as exact as a trace
    ("5.001 = f", False),
]

# The expression, what is wrong, and the place.
WRONG = [
    ("", "a condition is missing", 1),
    ("f", "a condition is needed, and there is a number", 1),
    ("f >> 3", "“>” stands where a number or a name is expected,", 4),
    ("f > 3 and", "something is missing", 10),
    ("fx > 3", "unknown name fx (allowed are g, h, f, x, y)", 1),
    ("constructor > 3", "unknown name constructor (allowed are g, h, f, x, y)", 1),
    ("__proto__ > 3", "unknown name __proto__ (allowed are g, h, f, x, y)", 1),
    ("x > 3 and f", "“and” needs on both sides a condition, and there is a number", 11),
    ("not f", "“not” needs a condition, and there is a number", 5),
    ("(f > 3) + 1 = 2", "“+” needs on both sides a number, and there is a condition", 1),
    ("(f > 3", "there is no ) for the bracket of character 1", 7),
    ("f > 3)", "“)” does not continue what is before it,", 6),
    ("f > 3 4", "“4” does not continue what is before it,", 7),
    ("f.x > 3", "there is a . that means nothing", 2),
    ("f = 'a'", "there is a ' that means nothing", 5),
    ("f[0] > 1", "there is a [ that means nothing", 2),
    ("alert(1)", "unknown name alert (allowed are g, h, f, x, y)", 1),
    ("abs 3 > 1", "“abs” needs brackets around its numbers, and there are none", 5),
    ("min(1) < 2", "“min” takes 2 to 8 numbers, and there are 1,", 1),
    ("abs(f > 1) = 1", "“abs” needs a number, and there is a condition", 5),
    ("(" * 60 + "f" + ")" * 60 + " > 1", "more than 40 brackets or signs within each other", 42),
    ("f > " + "1" * 300, "more than the 300 allowed characters end", 300),
]

PARSED = """([text, names, values]) => import('/static/expression.js').then(({ parse }) => {
    try {
        return [parse(text, names).run(values), null];
    } catch (error) {
        return [error.message, error.place];
    }
})"""
NAMES = dict.fromkeys(VALUES, "number")


def parsed(studio, text):
    return studio.get(PARSED, [text, NAMES, VALUES])


def test_conditions_hold_as_they_are_written(studio):
    for text, held in HOLD:
        assert parsed(studio, text) == [held, None], text


def test_wrong_conditions_say_what_is_wrong_and_where(studio):
    for text, what, place in WRONG:
        said, where = parsed(studio, text)
        assert where == place, (text, said)
        assert f": {what} at character {place}." in said, text
        assert len(said) < 200


def test_parser_agrees_with_python_on_random_conditions(studio):
    rng = np.random.default_rng(3)

    def number(depth):
        if depth == 0 or rng.random() < 0.3:
            return str(rng.choice(["g", "h", "f", "x", "2", "3.5", "(-h)"]))
        return f"({number(depth - 1)} {rng.choice(['+', '-', '*'])} {number(depth - 1)})"

    def truth(depth):
        if depth == 0 or rng.random() < 0.3:
            return f"{number(2)} {rng.choice(['<', '<=', '>', '>=', '==', '!='])} {number(2)}"
        if rng.random() < 0.2:
            return f"not ({truth(depth - 1)})"
        return f"({truth(depth - 1)}) {rng.choice(['and', 'or'])} {truth(depth - 1)}"

    texts = [truth(3) for _ in range(120)]
    texts = [text for text in texts if len(text) <= 300]
    found = [parsed(studio, text)[0] for text in texts]
    assert found == [bool(eval(text, {}, dict(VALUES))) for text in texts]
    assert {True, False} == set(found)


def learn(studio):
    studio.page.click("#tab-learn")
    return studio.page


def add(studio, what, condition="", cell=None):
    page = learn(studio)
    page.select_option("#stop-what", what)
    if cell:
        page.click("#stop-cell")
        page.mouse.click(*studio.place(*cell))
        assert page.inner_text("#stop-cell") == f"cell {cell[0]}, {cell[1]}"
    page.fill("#stop-if", condition)
    page.click("#stop-add")


def events(studio):
    """The trace of the first example."""
    query = studio.get("studio.query")
    trace = make_finder("astar", Grid(generate_passable("indoor", 96, 60, 7))).trace(query["start"], query["goal"])
    return trace.events, trace.unit


def times(studio):
    """Every time at which the replay stops, from the beginning."""
    studio.get("studio.jump(0)")
    found = []
    while True:
        before = studio.get("studio.time")
        studio.page.keyboard.press("n")
        if studio.get("studio.time") == before or len(found) > 400:
            return found
        found.append(studio.get("studio.time"))


KINDS = {"generated": 2, "expanded": 3, "updated": 4}


@pytest.mark.parametrize("what", KINDS)
def test_breakpoint_in_a_cell_stops_at_every_such_event(studio, what):
    trace, _ = events(studio)
    of_kind = trace["node"][trace["kind"] == KINDS[what]]
    if not len(of_kind):
        pytest.skip("no such event in this search")
    node = int(of_kind[len(of_kind) // 2])
    add(studio, what, cell=[node % 96, node // 96])
    want = np.flatnonzero((trace["kind"] == KINDS[what]) & (trace["node"] == node)) + 1
    assert times(studio) == want.tolist()
    assert studio.get("studio.flags()") == [{"cell": [node % 96, node // 96], "look": "stop"}]


def test_breakpoint_where_f_changes(studio):
    trace, unit = events(studio)
    expanded = np.flatnonzero(trace["kind"] == KINDS["expanded"])
    f = (trace["g"] + trace["h"])[expanded] / unit
    add(studio, "f", "expanded < 80")
    want = expanded[1:][np.abs(np.diff(f)) > 1e-3] + 1
    want = want[np.searchsorted(expanded, want) < 80]
    assert times(studio) == want.tolist()
    assert len(want) > 2


def test_conditions_know_the_event_the_expansions_and_the_open_list(studio):
    trace, _ = events(studio)
    open_cells, opened, expanded = set(), [], []
    for kind, node in zip(trace["kind"].tolist(), trace["node"].tolist(), strict=True):
        if kind in (KINDS["generated"], KINDS["updated"]) or kind == 0:
            open_cells.add(node)
        elif kind == KINDS["expanded"]:
            open_cells.discard(node)
        opened.append(len(open_cells))
        expanded.append((expanded[-1] if expanded else 0) + (kind == KINDS["expanded"]))
    add(studio, "any", "open > 20 and expanded < 40 and event > 3")
    want = [i + 1 for i in range(3, len(trace)) if opened[i] > 20 and expanded[i] < 40]
    assert times(studio) == want[:401]


def test_play_stops_at_a_breakpoint_and_goes_on_from_there(studio):
    page = studio.page
    add(studio, "expanded", "expanded = 10 or expanded = 20")
    studio.get("studio.jump(0)")
    for number in (10, 20):
        page.keyboard.press(" ") if number == 20 else page.click("#play")
        studio.wait("studio.state === 'paused'")
        assert studio.get("studio.panes[0].cycles") == number
        assert studio.get("studio.stops.hit.event") == studio.get("studio.time") - 1
        assert "Stopped after event" in page.inner_text("#stop-news")
        assert page.locator(".stops li.met").count() == 1
        page.locator("body").click(position={"x": 640, "y": 20})  # the keys work again
    page.click("#play")
    studio.wait("studio.state === 'finished'")
    assert studio.get("studio.time === studio.length")


def test_run_back_and_steps_over_expansions(studio):
    page = studio.page
    add(studio, "expanded", "expanded % 10 = 0")
    studio.get("studio.jump(studio.length)")
    page.click("#run-back")
    last = studio.get("studio.panes[0].cycles")
    assert last % 10 == 0
    page.click("#run-back")
    assert studio.get("studio.panes[0].cycles") == last - 10
    page.click("#step-over")
    assert studio.get("studio.panes[0].cycles") == last - 9
    page.click("#step-back")
    page.click("#step-back")
    assert studio.get("studio.panes[0].cycles") == last - 11
    page.click("#run-on")
    assert studio.get("studio.panes[0].cycles") == last - 10
    page.fill("#run-event", "33")
    page.click("#run-to-event")
    assert studio.get("studio.time") == 33


def test_run_to_a_cell(field):
    page = learn(field)
    field.get("studio.jump(0)")
    page.click("#run-to-cell")
    page.mouse.click(*field.place(5, 4))
    event = field.get("studio.event(studio.time - 1)")
    assert event["cell"] == [5, 4]
    assert event["kind"] == "generating"
    assert field.get("[studio.map.edited, studio.state]") == [False, "paused"]  # no wall was drawn
    page.click("#run-to-cell")
    page.mouse.click(*field.place(7, 4))
    assert "Nothing happens in cell 7, 4" in field.message()


def test_wrong_breakpoints_are_refused_with_the_place(field):
    page = learn(field)
    add(field, "expanded", "f > 3 and")
    assert "something is missing at character 10" in page.inner_text("#stop-fault")
    page.fill("#stop-if", "")
    page.select_option("#stop-what", "any")
    page.click("#stop-add")
    assert "Choose an event, a cell or a condition" in page.inner_text("#stop-fault")
    assert field.get("studio.stops.list") == []
    page.fill("#stop-if", "f > 3")
    page.click("#stop-add")
    assert page.locator("#stop-fault").is_hidden()
    assert field.get("studio.stops.list") == [{"what": "any", "if": "f > 3"}]


def test_breakpoints_are_switched_off_removed_and_marked(field):
    page = learn(field)
    add(field, "expanded", cell=[5, 4])
    add(field, "generated", "g > 2")
    assert len(field.get("studio.flags()")) == 1
    page.locator(".stops input").first.uncheck()
    assert field.get("studio.flags()") == []
    assert field.get("studio.stops.list[0].on") is False
    page.locator(".stops button").first.click()
    assert field.get("studio.stops.list") == [{"what": "generated", "if": "g > 2"}]
    page.click(".stops [aria-label^='Remove']")
    field.get("studio.jump(0)")
    page.click("#run-on")
    assert "There is no breakpoint" in field.message()
    assert field.get("studio.time") == 0


def test_breakpoints_hold_on_any_board(studio):
    studio.page.click("#compare")
    studio.wait("studio.panes.length === 2 && studio.state === 'finished'")
    add(studio, "expanded", "expanded = 60")
    found = times(studio)
    assert len(found) == 2
    boards = []
    studio.get("studio.jump(0)")
    for _ in found:
        studio.page.keyboard.press("n")
        boards.append(studio.get("studio.stops.hit.pane"))
    assert sorted(boards) == ["A", "B"]
