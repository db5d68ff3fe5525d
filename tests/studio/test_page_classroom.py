"""For the classroom: presenter mode, languages, what a screen reader says, colours for colour-blind eyes."""

import itertools
import json
import re

import numpy as np
import pytest

from waygrid.studio.lesson import STATIC

PYTHON = STATIC.parent
CALL = re.compile(r"""\bt\(\s*(["'])((?:(?!\1).)*)\1""")
HOLE = re.compile(r"\$\{(?:[^{}]|\{[^{}]*\})*\}|\{\d\}")


def words():
    source = (STATIC / "words.js").read_text(encoding="utf-8")
    languages = re.findall(r"(\w+): \"", re.search(r"LANGUAGES = \{(.*?)\}", source)[1])
    return languages, json.loads(source[source.index("{", source.index("WORDS")) : source.rindex("}") + 1])


def sources():
    return {
        file.name: file.read_text(encoding="utf-8")
        for file in sorted(STATIC.rglob("*.*"))
        if file.suffix in (".js", ".html") and file.name != "words.js"
    }


# ---- languages


@pytest.mark.quick
def test_every_row_has_every_language_and_the_same_holes():
    languages, table = words()
    assert languages == ["en", "de", "es"]
    for english, others in table.items():
        assert list(others) == languages[1:], english
        for text in others.values():
            assert text.strip(), english
            assert sorted(re.findall(r"\{\d\}", text)) == sorted(re.findall(r"\{\d\}", english)), text


@pytest.mark.quick
def test_sentences_that_modules_ask_for_are_in_the_table():
    _, table = words()
    asked = {text for source in sources().values() for _, text in CALL.findall(source)}
    assert len(asked) > 5
    assert asked <= set(table)


@pytest.mark.quick
def test_every_row_stands_somewhere_in_the_page():
    """A row that nothing shows any more, or that was reworded in a module, is found."""
    _, table = words()
    shown = HOLE.sub("{}", "\n".join(sources().values()).replace("&amp;", "&"))
    from waygrid.studio import described

    shown += "\n" + json.dumps(described.EVENTS)
    assert [text for text in table if HOLE.sub("{}", text) not in shown] == []


@pytest.mark.parametrize(
    ("code", "tab", "cycles"), [("de", "Suchen", "Aktualisierungszyklen"), ("es", "Buscar", "ciclos de")]
)
def test_page_in_another_language_by_its_address(blank, code, tab, cycles):
    blank.page.goto(f"{blank.address}?lang={code}")
    blank.wait("window.studio && studio.state === 'finished'")
    page = blank.page
    assert page.get_attribute("html", "lang") == code
    assert page.locator("#tabs button", has_text=tab).count() == 1
    assert cycles in page.inner_text(".counters")
    assert cycles.split()[0] not in page.inner_text("#panes .caption")
    page.click("#to-start")
    page.click("#forward")  # what is written anew is translated too
    assert cycles in page.inner_text(".counters")
    assert page.get_attribute("#play", "aria-label") in ("Abspielen", "Reproducir")


def test_language_menu_and_the_way_back(studio):
    page = studio.page

    def texts():
        return studio.get("""[...document.querySelectorAll("header, #panel, #toolbar, #legend")].map((one) =>
            one.innerText + [...one.querySelectorAll("[title]")].map(({ title }) => title).join())""")

    before = texts()
    page.select_option("#language", "de")
    assert "Algorithmus" in page.inner_text("#panel")
    assert page.locator("#undo").get_attribute("title") == "Rückgängig (Strg-Z)"
    assert page.locator("[data-option=weight]").count() == 1
    page.select_option("#language", "es")
    assert "Algoritmo" in page.inner_text("#panel")
    page.select_option("#language", "en")
    assert texts() == before
    page.select_option("#language", "de")
    page.reload()
    studio.wait("window.studio && studio.state === 'finished'")
    assert "Algorithmus" in page.inner_text("#panel")


def test_words_of_people_are_not_translated(field, tmp_path):
    field.page.select_option("#language", "de")
    (tmp_path / "Walk.map").write_text("type octile\nheight 1\nwidth 3\nmap\n...\n")
    field.page.set_input_files("#file", tmp_path / "Walk.map")
    field.wait("studio.map.name === 'Walk.map' && studio.state === 'finished'")
    field.page.click("#tab-map")
    assert "Walk.map" in field.page.inner_text(".map-name")


def test_lesson_in_another_language(blank, exported):
    blank.page.goto(f"{exported.as_uri()}?lang=de")
    blank.wait("window.studio && studio.state === 'finished'")
    assert "Lektion" in blank.page.inner_text("#tabs")
    assert "Weg gefunden" in spoken(blank)


# ---- what a screen reader says


def spoken(studio):
    return studio.page.locator("#spoken").text_content()


def test_finished_search_is_summed_up(studio):
    pane = studio.get("studio.panes[0]")
    moves = studio.get("studio.path().length") - 1
    expanded = f"{pane['stats']['expanded']:,} cells expanded"
    said = f"Board A, astar: path found, cost {pane['cost']:.2f}, {moves} moves; {expanded}; optimal."
    assert spoken(studio) == f"Search from 3, 3 to 92, 55. {said}"
    box = studio.page.locator("#spoken")
    assert (box.get_attribute("aria-live"), box.get_attribute("role")) == ("polite", "status")
    studio.page.click("#compare")
    studio.wait("studio.panes.length === 2 && studio.state === 'finished'")
    assert "Board B, dijkstra: path found" in spoken(studio)


def test_summary_without_a_path(field):
    field.drag((5, 0), (5, 8), steps=20)
    assert "Board A, astar: no path exists; 0 cells expanded." in spoken(field)


def test_summary_is_not_repeated_while_replaying(studio):
    before = spoken(studio)
    studio.get("""() => {
        window.changes = 0;
        const watch = new MutationObserver(() => window.changes++);
        watch.observe(document.querySelector("#spoken"), { childList: true, characterData: true, subtree: true });
    }""")
    for key in ("Home", "ArrowRight", "End"):
        studio.page.keyboard.press(key)
    assert spoken(studio) == before
    assert studio.get("window.changes") == 0


# ---- presenter mode


def test_presenter_mode_by_keys(studio):
    page, keys = studio.page, studio.page.keyboard
    keys.press("l")
    assert page.locator("#panel").is_hidden()
    assert page.locator("#toolbar").is_hidden()
    assert float(studio.get("parseFloat(getComputedStyle(document.querySelector('.counters')).fontSize)")) >= 20
    keys.press("Home")
    assert page.inner_text("#told") == "Before the first event"
    keys.press("ArrowRight")
    assert page.inner_text("#told").startswith("Event 1 of ")
    assert "the search begins at 3, 3" in page.inner_text("#told")
    keys.press("PageDown")
    event = studio.get("studio.event(studio.time - 1)")
    assert event["kind"] == "expanding"
    assert "3, 3 is expanded · g 0 + h" in page.inner_text("#told")
    keys.press("PageUp")
    assert studio.get("studio.time") == 0
    studio.get("studio.jump(studio.length)")
    assert "the goal 92, 55 is reached" in page.inner_text("#told")
    keys.press("Shift+PageDown")
    studio.wait("studio.panes.length === 2 && studio.state === 'finished'")  # the second example
    keys.press("Shift+PageUp")
    studio.wait("studio.panes.length === 1 && studio.state === 'finished'")
    keys.press("Escape")
    assert page.locator("#panel").is_visible()
    assert page.locator("#told").is_hidden()


def test_boards_fit_while_presenting(studio):
    studio.page.click("#present")
    studio.rest()
    assert studio.get("document.documentElement.scrollWidth") <= 1280
    for x, y in (studio.place(0, 0), studio.place(95, 59)):
        assert 0 < x < 1280
        assert 0 < y < 800
    assert studio.page.get_attribute("#present", "aria-pressed") == "true"
    studio.page.click("#present")
    assert studio.page.locator("#panel").is_visible()


# ---- colours

SHOWN = ("wall", "ground", "open", "updated", "subgoal", "closed", "closedLast", "path", "start", "goal")
SEEN = {  # how eyes without one kind of cones see linear red, green and blue: Machado, Oliveira and Fernandes (2009)
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
}
XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
LEAST = 15  # CIE76; about 2 can just be seen side by side


def lab(colour, seen):
    """CIELAB of a colour as such eyes see it."""
    share = np.array(colour[:3]) / 255
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    x = XYZ @ np.clip(np.array(seen) @ linear, 0, 1) / [0.95047, 1, 1.08883]
    f = np.where(x > 0.008856, np.cbrt(x), 7.787 * x + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("eyes", SEEN)
def test_safe_colours_are_told_apart_by_colour_blind_eyes(studio, theme, eyes):
    colours = studio.get(f"import('/static/palette.js').then(({{ palette }}) => palette('safe', '{theme}'))")
    near = {
        (one, other): round(float(np.linalg.norm(lab(colours[one], SEEN[eyes]) - lab(colours[other], SEEN[eyes]))), 1)
        for one, other in itertools.combinations(SHOWN, 2)
    }
    assert {pair: apart for pair, apart in near.items() if apart < LEAST} == {}
