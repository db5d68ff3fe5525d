"""The page: legend and help say what is on the boards, boards fill the space."""

import itertools
import re

import pytest


def legend(studio):
    return studio.get("""[...document.querySelectorAll("#legend span")].map((row) =>
        [row.textContent, row.querySelector("i").style.background])""")


def colour(studio, name):
    """The colour of a row of the legend, as numbers."""
    return [int(number) for number in re.findall(r"\d+", dict(legend(studio))[name])][:3]


def test_legend_names_shades_and_terrain(studio):
    names = [name for name, _ in legend(studio)]
    assert names == ["wall", "free", "open", "updated", "closed, first to last", "path"]
    assert dict(legend(studio))["closed, first to last"].count("rgb") == 2
    studio.example("swamp")
    names = [name for name, _ in legend(studio)]
    assert names[2:5] == ["weight 2", "weight 4", "weight 8"]
    studio.get("studio.jump(0)")
    assert studio.pixel(36, 15) == colour(studio, "weight 8")
    assert studio.pixel(36, 24) == colour(studio, "weight 2")
    studio.page.select_option("#style", "safe")
    assert studio.pixel(36, 15) == colour(studio, "weight 8")


def test_legend_has_the_colours_of_the_board_under_an_overlay(field):
    page = field.page
    before = colour(field, "open")
    page.click("#tab-inside")
    page.click("input[name=overlay][value=parts]")
    field.wait("studio.overlay !== null")
    rows = dict(legend(field))
    assert "gradient" in rows["connected components"]
    assert colour(field, "open") == pytest.approx(
        [0.6 * low + 0.4 * high for low, high in zip([252, 252, 250], before, strict=True)], abs=1
    )


def test_help_follows_the_palette(studio):
    page = studio.page
    page.click("#help-button")
    assert "Drag the green start and the red goal" in page.inner_text("#help")
    page.keyboard.press("Escape")
    page.select_option("#style", "safe")
    page.keyboard.press("?")
    assert "Drag the blue start and the orange goal" in page.inner_text("#help")
    rows = studio.get("""[...document.querySelectorAll("#help .colours dt")].map((row) =>
        [row.textContent, row.querySelector("i").style.background])""")
    assert rows == legend(studio)
    assert studio.get("document.getElementById('help').scrollTop") == 0
    page.emulate_media(color_scheme="dark")  # while the help is open
    studio.wait("document.getElementById('help').textContent.includes('Drag the light blue start')")


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (1920, 1080)])
def test_boards_fill_the_space(blank, width, height):
    page = blank.page
    page.set_viewport_size({"width": width, "height": height})
    blank.open()
    for count in (1, 2, 3, 4, 5):
        if count > 1:
            page.click("#compare")
            blank.wait("count => studio.panes.length === count && studio.state === 'finished'", count)
        blank.rest()
        stage, *boxes = blank.get("""[document.querySelector("#panes"), ...document.querySelectorAll(".pane")]
            .map((element) => element.getBoundingClientRect())
            .map(({ left, top, right, bottom }) => [left, top, right, bottom])""")
        left, top, right, bottom = stage
        gaps = sum(area(one) for one in boxes) / area(stage)
        assert gaps > 0.95, f"{count} boards leave {1 - gaps:.0%} empty"
        for one, other in itertools.combinations(boxes, 2):
            assert one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
        assert all(left - 1 <= box[0] and top - 1 <= box[1] for box in boxes)
        assert all(box[2] <= right + 1 and box[3] <= bottom + 1 for box in boxes)
        for letter in "ABCDE"[:count]:  # the whole map is seen on each
            canvas = blank.get(
                """(letter) => { const { left, top, right, bottom } = document.querySelector(
                    `canvas[aria-label^="Board ${letter}"]`).getBoundingClientRect();
                    return [left, top, right, bottom]; }""",
                letter,
            )
            for x, y in (blank.place(0, 0, letter), blank.place(95, 59, letter)):
                assert canvas[0] < x < canvas[2]
                assert canvas[1] < y < canvas[3]


def area(box):
    return (box[2] - box[0]) * (box[3] - box[1])


@pytest.mark.parametrize("language", ["en", "de", "es"])
@pytest.mark.parametrize("width", [1280, 1920])
def test_no_words_are_cut_off(blank, width, language):
    """Counters of three boards, and the names of the panel's pages, whose words are longer in other languages."""
    blank.page.set_viewport_size({"width": width, "height": 800})
    blank.page.goto(f"{blank.address}?lang={language}")
    blank.wait("window.studio && studio.state === 'finished'")
    blank.example("databases")  # its third board has a third counter
    cut = blank.get("""[...document.querySelectorAll(".counters, .counters span, #tabs, #tabs button")]
        .filter((one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== "inline")
        .map((one) => one.textContent)""")
    outside = blank.get("""[...document.querySelectorAll(".counters b")].filter((one) => {
        const [inner, outer] = [one, one.closest(".pane")].map((each) => each.getBoundingClientRect());
        return inner.right > outer.right || inner.bottom > outer.bottom;
    }).map((one) => one.textContent)""")
    assert (cut, outside) == ([], [])
    names = blank.get("""[...document.querySelectorAll("#tabs button")].map((one) => {
        const range = document.createRange();
        range.selectNodeContents(one);
        const { left, right, top } = range.getBoundingClientRect();
        return [left, right, top];
    })""")
    for (_, right, row), (left, _, next_row) in itertools.pairwise(names):
        assert row < next_row or right + 3 <= left, names
    assert language != "en" or len({row for *_, row in names}) == 1
