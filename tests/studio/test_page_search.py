"""The page: the first view, the replay, comparison, the four grids."""

import itertools
import re

import numpy as np
import pytest


def panes(studio):
    return {pane["letter"]: pane for pane in studio.get("studio.panes")}


def test_figures_9_and_10_by_one_choice(studio):
    studio.example("figures-9-10")
    shown = panes(studio)
    assert [shown[letter]["cycles"] for letter in "AB"] == [120, 60]
    assert "update cycles 120" in studio.page.inner_text(".pane:nth-of-type(1) .counters")
    assert "update cycles 60" in studio.page.inner_text(".pane:nth-of-type(2) .counters")


def test_comparison_of_three_algorithms_on_one_clock(studio):
    page = studio.page
    for name in ("dijkstra", "jps"):
        page.click("#compare")
        page.select_option("#algorithm", name)
        studio.settle()
    studio.wait("studio.panes.length === 3 && studio.panes.every(pane => pane.events > 0)")
    shown = panes(studio)
    assert [shown[letter]["algorithm"] for letter in "ABC"] == ["astar", "dijkstra", "jps"]
    assert len({round(pane["cost"], 6) for pane in shown.values()}) == 1
    rows = page.locator("#comparison tbody tr")
    assert rows.count() == 3
    head = page.locator("#comparison thead th").all_inner_texts()
    assert head == ["Algorithm", "Cost", "Suboptimality", "Expanded", "Generated", "Time", "Index", "Build time"]
    for row, pane in zip(rows.all(), shown.values(), strict=True):
        texts = row.locator("td").all_inner_texts()
        assert texts[1] == "optimal"
        assert texts[2] == f"{pane['stats']['expanded']:,}"
    time = 40
    studio.get("time => studio.jump(time)", time)
    for letter, pane in panes(studio).items():
        kinds = studio.get(
            "([n, pane]) => Array.from({length: n}, (_, i) => studio.event(i, pane).kind)", [time, letter]
        )
        assert pane["cycles"] == kinds.count("expanding")
    page.click("[aria-label='Remove board B']")
    assert [pane["algorithm"] for pane in panes(studio).values()] == ["astar", "jps"]


@pytest.mark.parametrize("topology", ["hex", "tex"])
def test_hexes_and_texes(studio, topology):
    studio.example(topology)
    query = studio.get("studio.query")
    assert query["grid"]["topology"] == topology
    path = studio.get("studio.path()")
    for (x, y), (to_x, to_y) in itertools.pairwise(path):
        rows = (-1, 1) if to_x == x else (0, 1) if x % 2 == 0 else (-1, 0)
        assert abs(to_x - x) <= 1
        assert to_y - y in rows
    # Odd columns sit half a cell higher, and a click finds the cell that is drawn there.
    scale = studio.get("studio.view.scale")
    (left, low), (right, high) = studio.place(10, 10), studio.place(11, 10)
    assert low - high == pytest.approx(scale / 2)
    assert right - left == pytest.approx(scale * (3**0.5 / 2 if topology == "hex" else 1))
    walls = studio.get(
        "Array.from({length: 400}, (_, i) => [i % 20, Math.floor(i / 20)]).filter(([x, y]) => studio.wall(x, y))"
    )
    assert walls
    for x, y in walls[:: max(1, len(walls) // 6)]:
        assert studio.pixel(x, y) == [64, 66, 72]


def test_choices_that_do_not_exist_are_greyed_out_with_the_reason(studio):
    page = studio.page
    page.click("[role=radio][data-value=hex]")
    studio.settle()
    option = page.locator("#algorithm option[value=jps]")
    assert option.is_disabled()
    assert "not on hex grids" in option.inner_text()
    page.click("[role=radio][data-value=octile]")
    studio.settle()
    page.select_option("#algorithm", "jps")
    studio.settle()
    segment = page.locator("[role=radio][data-value=hex]")
    assert segment.get_attribute("aria-disabled") == "true"
    assert "jps works on octile grids only" in segment.get_attribute("title")
    segment.click(force=True)
    assert studio.get("studio.query.grid.topology") == "octile"


def test_options_come_from_the_registry(studio):
    page = studio.page
    registry = page.request.get(studio.address + "api/registry").json()
    for name in ("astar", "gateway", "lrta"):
        page.select_option("#algorithm", name)
        studio.settle()
        declared = next(one for one in registry["algorithms"] if one["name"] == name)
        shown = page.locator("#page-search .fields [data-option]").all()
        assert [one.get_attribute("data-option") for one in shown] == [one["name"] for one in declared["options"]]
    page.select_option("#algorithm", "astar")
    studio.settle()
    before = panes(studio)["A"]["cycles"]
    studio.enter("[data-option=weight]", "5")
    studio.wait("before => studio.state === 'finished' && studio.panes[0].cycles < before", before)


def test_controls_have_names_and_looks_can_be_changed(studio):
    page = studio.page
    nameless = studio.get("""[...document.querySelectorAll("button, select, input, canvas")].filter((element) =>
        !(element.getAttribute("aria-label") || element.textContent.trim() || element.labels?.length)
    ).map((element) => element.outerHTML)""")
    assert nameless == []
    wall = studio.pixel(0, 0)
    page.click("#theme")
    assert studio.get("document.documentElement.dataset.theme") == "dark"
    assert studio.pixel(0, 0) != wall
    page.click("#theme")
    page.select_option("#style", "safe")
    assert studio.pixel(0, 0) == [52, 52, 52]


def test_narrow_pages_do_not_overflow(blank):
    blank.page.set_viewport_size({"width": 400, "height": 800})
    blank.open()
    assert blank.get("document.documentElement.scrollWidth") <= 400
    assert re.search(r"update cycles\s+[\d,]+", blank.page.inner_text(".counters"))


def weigh(studio, weight):
    studio.enter("[data-option=weight]", str(weight))
    studio.wait("weight => (studio.panes[0].options.weight ?? 1) === weight && studio.state === 'finished'", weight)


def test_tag_optimal_depends_on_the_options(studio):
    page = studio.page
    assert page.locator(".tags span").all_inner_texts() == ["optimal"]
    weigh(studio, 5)
    assert page.locator(".tags span").all_inner_texts() == ["not optimal"]
    assert re.search(r"Suboptimality\s+\+[\d.]+ %", page.inner_text(".facts"))
    weigh(studio, 1)
    assert page.locator(".tags span").all_inner_texts() == ["optimal"]
    page.uncheck("#auto")  # without a search nobody knows
    studio.enter("[data-option=weight]", "3")
    studio.wait("studio.panes[0].options.weight === 3")
    assert page.locator(".tags span").all_inner_texts() == []


def test_path_that_is_cheapest_by_luck_is_not_called_optimal(field):
    weigh(field, 1.5)
    assert field.get("studio.panes[0].cost === studio.panes[0].optimum")
    assert re.search(r"Suboptimality\s+0 %", field.page.inner_text(".facts"))
    assert "optimal" not in re.sub("(not |sub)optimal", "", field.page.inner_text("#page-search").lower())


def test_time_says_what_it_is(studio):
    page = studio.page
    page.click("#compare")
    studio.wait("studio.panes.length === 2 && studio.state === 'finished'")
    runs = studio.get("studio.panes.map(({runs}) => runs)")
    for number, cell in enumerate(page.locator("#comparison tbody td:nth-of-type(5)").all()):
        assert cell.inner_text().endswith("s")
        assert runs[number] >= 3
        assert cell.get_attribute("title").startswith(f"The fastest of {runs[number]} runs")
        assert "no compilation" in cell.get_attribute("title")
    assert "The fastest of" in page.locator(".facts dt", has_text=re.compile("^Time$")).get_attribute("title")


def wall_off(field):
    """Draw a wall from the upper edge to the lower one, between start and goal."""
    field.drag((5, 0), (5, 8), steps=20)
    assert field.get("studio.panes[0].status") == "UNREACHABLE"


def test_unreachable_goal_can_be_searched_anyway(field):
    page = field.page
    wall_off(field)
    assert field.get("[studio.panes[0].anyway, studio.panes[0].cycles]") == ["skipped", 0]
    assert "different connected components" in page.inner_text(".notice")
    page.click(".notice button")
    field.wait("studio.panes[0].anyway === 'searched' && studio.state === 'finished'")
    assert page.locator(".notice").is_hidden()
    assert page.is_checked("#anyway")
    assert "no path" in page.inner_text(".counters")
    shown = field.get("Array.from({length: 126}, (_, i) => studio.cell(i % 14, Math.floor(i / 14)))")
    closed = np.array(shown).reshape(9, 14) == "closed"
    assert closed[:, :5].all()  # all that the start reaches
    assert not closed[:, 5:].any()
    page.keyboard.press("Home")
    page.click("#play")
    field.wait("studio.time > 2")
    page.uncheck("#anyway")
    field.wait("studio.panes[0].anyway === 'skipped' && studio.state === 'finished'")
    page.select_option("#algorithm", "jps+")
    field.wait("studio.panes[0].anyway === 'impossible' && studio.state === 'finished'")
    assert "jps+ cannot search anyway" in page.inner_text(".notice")
    assert page.locator(".notice button").count() == 0
