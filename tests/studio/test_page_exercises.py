"""The page: exercises from files, examples and links, and links to a step."""

import json
import re
from pathlib import Path

import pytest

import waygrid.studio
from waygrid.studio.examples import list_exercises

FOLDER = Path(waygrid.studio.__file__).parent / "static" / "exercises"

EXERCISE = {
    "exercise": 1,
    "title": "A short wall",
    "text": "Five cells high.",
    "map": {"rows": [".......", "...#...", "...#.2.", "...#...", "......."]},
    "start": [0, 2],
    "goal": [6, 2],
    "boards": [{"algorithm": "astar"}, {"algorithm": "dijkstra"}],
    "questions": [
        {"kind": "choice", "ask": "Which is greedy?", "choices": ["A*", "best-first"], "answer": "best-first"},
        {"kind": "number", "ask": "How many?", "answer": "expanded_B - expanded_A", "why": "So many."},
        {"kind": "cell", "ask": "Click a wall.", "where": "is_wall and x = 3", "at": "end", "hint": "It is dark."},
        {"kind": "predict", "ask": "Which is next?", "guesses": 3, "needed": 2},
    ],
}


def opened(studio, exercise, name="wall.exercise.json"):
    text = exercise if isinstance(exercise, str) else json.dumps(exercise)
    studio.page.set_input_files(
        "#exercise-picker", {"name": name, "mimeType": "application/json", "buffer": text.encode()}
    )
    return studio.page


def begun(studio, exercise=EXERCISE):
    page = opened(studio, exercise)
    studio.wait("studio.exercise !== null && studio.panes.every(({ events }) => events > 0)")
    studio.rest()
    return page


def guess(studio, right=True):
    """Click the cell that is expanded next, or a wall."""
    cell = studio.get("""() => {
        let at = studio.time;
        while (studio.event(at).kind !== "expanding") at++;
        return studio.event(at).cell;
    }""")
    studio.page.mouse.click(*studio.place(*(cell if right else [3, 1])))


def test_exercise_from_a_file_is_worked_through(studio):
    page = begun(studio)
    assert studio.get("[studio.map.width, studio.map.height, studio.wall(3, 1), studio.weight(5, 2)]") == [
        7,
        5,
        True,
        2,
    ]
    assert studio.get("studio.query.start") == [0, 2]
    assert [pane["algorithm"] for pane in studio.get("studio.panes")] == ["astar", "dijkstra"]
    assert page.locator("#page-learn").is_visible()
    assert "Five cells high." in page.inner_text("#exercise")
    page.check("input[name=choice][value='A*']")
    page.click("#check")
    assert page.inner_text("#exercise-news") == "Wrong."
    page.check("input[name=choice][value='best-first']")
    page.click("#check")
    assert page.inner_text("#exercise-news") == "Right."
    assert studio.get("studio.exercise.answered[0]") is False  # the first answer counts
    page.click("#question-next")
    expanded = studio.get("studio.panes.map(({ stats }) => stats.expanded)")
    page.fill("#answer", str(expanded[1] - expanded[0]))
    page.click("#check")
    assert "So many." in page.inner_text("#exercise-news")
    page.click("#question-next")
    page.mouse.click(*studio.place(3, 2))
    assert page.inner_text("#exercise-news") == "Right: cell 3, 2 is a wall."
    assert studio.get("studio.flags()") == [{"cell": [3, 2], "look": "right"}]
    page.click("#question-next")
    studio.wait("studio.time === 0")
    for right in (True, False, True):
        guess(studio, right)
    assert "Guess 3 of 3: 2 right." in page.inner_text("#exercise-news")
    assert studio.get("studio.exercise.answered") == [False, True, True, True]
    assert page.inner_text("#exercise-score") == "3 of 4 answered right, all done"
    assert not studio.get("studio.map.edited")


def test_example_of_the_documentation_is_an_exercise(studio):
    page = Path(__file__).parents[2] / "docs" / "exercises.md"
    (text,) = re.findall(r"```json\n(.*?)```", page.read_text(), re.DOTALL)
    begun(studio, text)
    assert studio.get("studio.exercise.title") == "Around the wall"


def test_exercises_that_come_with_the_studio(studio):
    assert [one["name"] for one in list_exercises()] == sorted(file.stem for file in FOLDER.glob("*.json"))
    for one in list_exercises():
        studio.page.select_option("#examples", f"exercise:{one['name']}")
        studio.wait("title => studio.exercise?.title === title", one["title"])
        studio.wait("studio.panes.every(({ events }) => events > 0)")
        assert studio.page.input_value("#examples") == f"exercise:{one['name']}"
        studio.page.select_option("#examples", "maze")
        studio.wait("studio.map.name === 'A maze' && studio.exercise === null")


def test_answers_of_the_pocket(studio):
    """Every question of the example can be answered, also that for a cell."""
    studio.page.select_option("#examples", "exercise:pocket")
    studio.wait("studio.exercise !== null && studio.panes.every(({ events }) => events > 0)")
    page = studio.page
    for _ in range(6):
        guess(studio)
    page.click("#question-next")
    studio.wait("studio.time === 40")
    cell = studio.get("""() => Array.from({ length: 126 }, (_, i) => [i % 14, Math.floor(i / 14)])
        .find(([x, y]) => studio.cell(x, y) === "open" && Number(studio.inspect(x, y).f) > 10)""")
    page.mouse.click(*studio.place(*cell))
    page.click("#question-next")
    page.locator("input[name=choice]").first.check()
    page.click("#check")
    page.click("#question-next")
    expanded = studio.get("studio.panes.map(({ stats }) => stats.expanded)")
    page.fill("#answer", str(expanded[0]))
    page.click("#check")
    page.click("#question-next")
    page.fill("#answer", str(expanded[1] - expanded[0]))
    page.click("#check")
    assert studio.get("studio.exercise.answered") == [True] * 5


def changed(**parts):
    return {**EXERCISE, **parts}


def asked(**question):
    return changed(questions=[{"ask": "?", **question}])


# What is wrong, and what the page says.
WRONG = [
    ("{", "is not JSON"),
    ([1], "the exercise is [1]; allowed is an object"),
    (changed(exercise=2), "exercise is 2; allowed is 1"),
    (changed(titel="x"), 'the exercise has the unknown key "titel"; allowed are exercise, title,'),
    (changed(title=""), 'title is ""; allowed is a text'),
    (changed(map={}), "map is {}; allowed is one of rows, example, generate"),
    (changed(map={"rows": ["..", "..."]}), 'map.rows[1] is "..."; allowed are rows of 2 characters'),
    (changed(map={"rows": [".x"]}), 'map.rows[0] has "x" at character 2; allowed are . # @ and digits 1 to 9'),
    (changed(map={"example": "nowhere"}), 'map.example is "nowhere"; allowed are indoor,'),
    (changed(map={"generate": {"kind": "rooms", "width": 1, "height": 9}}), "map.generate.width is 1; allowed are"),
    (changed(start=[3, 1]), "start is [3,1]; allowed are cells that are no walls"),
    (changed(goal=[7, 0]), "goal[0] is 7; allowed are the integers 0 to 6"),
    (changed(goal="there"), 'goal is "there"; allowed is a cell [x, y]'),
    (changed(grid={"topology": "round"}), 'grid.topology is "round"; allowed are tile,'),
    (changed(boards=[]), "boards is []; allowed is a list of 1 to 6 entries"),
    (changed(boards=[{"algorithm": "magic"}]), 'boards[0].algorithm is "magic"; allowed are '),
    (changed(boards=[{"algorithm": "astar", "options": {"wait": 1}}]), 'boards[0].options has the unknown key "wait"'),
    (changed(questions=[]), "questions is []; allowed is a list of 1 to 50 entries"),
    (asked(kind="riddle"), 'questions[0].kind is "riddle"; allowed are predict, choice, number, cell'),
    (asked(kind="number", answer="expandet"), "questions[0].answer: “expandet”: unknown name expandet"),
    (asked(kind="number", answer="1", tolerance=-1), "questions[0].tolerance is -1; allowed are numbers from 0"),
    (
        asked(kind="choice", choices=["a", "b"], answer="c"),
        'questions[0].answer is "c"; allowed are the choices: "a", "b"',
    ),
    (asked(kind="cell", where="f"), "questions[0].where: “f”: a condition is needed, and there is a number"),
    (asked(kind="cell", where="f > 1", guesses=2), 'questions[0] has the unknown key "guesses"'),
    (asked(kind="predict", guesses=2, needed=3), "questions[0].needed is 3; allowed are the integers 1 to 2"),
    (asked(kind="predict", board="C"), 'questions[0].board is "C"; allowed are A, B'),
    (asked(kind="predict", at="soon"), 'questions[0].at is "soon"; allowed are the integers'),
]


def test_wrong_exercises_say_what_is_wrong_and_where(studio):
    for exercise, what in WRONG:
        page = opened(studio, exercise)
        studio.wait("what => document.querySelector('#messages').textContent.includes(what)", what)
        assert "wall.exercise.json" in studio.message()
        page.locator("#messages [aria-label=Dismiss]").last.click()
        assert studio.get("studio.exercise") is None
    assert studio.get("studio.map.name") == "A building"


def linked(studio):
    """The address that the button copies."""
    studio.page.click("#link")
    studio.wait("location.hash.startsWith('#s1.')")
    return studio.get("location.hash")


def visit(studio, fragment):
    studio.page.goto("about:blank")
    studio.page.goto(studio.address + fragment)
    studio.wait("window.studio && ['finished', 'paused'].includes(studio.state) && studio.panes[0].events > 0")
    studio.rest()


def test_exercise_is_shared_by_link(studio):
    page = begun(studio)
    page.click("#question-next")
    page.click("#question-next")
    visit(studio, linked(studio))
    assert studio.get("studio.exercise") == {"title": "A short wall", "question": 2, "answered": [None] * 4}
    assert "It is dark." in page.text_content("#exercise")
    page.mouse.click(*studio.place(3, 3))
    assert "Right:" in page.inner_text("#exercise-news")


def test_exercise_is_saved_as_the_file_that_was_opened(studio):
    page = begun(studio)
    with page.expect_download() as waiting:
        page.click("#exercise-file")
    assert waiting.value.suggested_filename == "a-short-wall.exercise.json"
    assert json.loads(waiting.value.path().read_text()) == EXERCISE


@pytest.mark.parametrize("share", [0.0, 0.37, 1.0])
def test_link_restores_the_event(studio, share):
    time = int(share * studio.get("studio.length"))
    studio.get("time => studio.jump(time)", time)
    everything = "[studio.time, studio.state, studio.panes[0].cycles, studio.drawn()]"
    before = studio.get(everything)
    visit(studio, linked(studio))
    assert studio.get(everything) == before


def test_link_restores_breakpoints_and_plots(studio):
    page = studio.page
    page.click("#tab-learn")
    page.select_option("#stop-what", "generated")
    page.fill("#stop-if", "f > 100")
    page.click("#stop-add")
    page.click("#plots-button")
    studio.get("studio.jump(50)")
    visit(studio, linked(studio))
    assert studio.get("studio.stops.list") == [{"what": "generated", "if": "f > 100"}]
    assert studio.get("[studio.plots.shown, studio.time]") == [True, 50]


def test_event_of_a_link_is_forgotten_when_something_else_is_searched(studio):
    studio.get("studio.jump(50)")
    visit(studio, linked(studio))
    assert studio.get("studio.time") == 50
    studio.page.select_option("#algorithm", "dijkstra")
    studio.wait("studio.panes[0].algorithm === 'dijkstra' && studio.state === 'finished'")
    assert studio.get("studio.time === studio.length")
