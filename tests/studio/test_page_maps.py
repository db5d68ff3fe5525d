"""The page: maps from files, generators and scenarios; links that restore them; broken files."""

import re

import numpy as np
import pytest
from PIL import Image

from waygrid.grid.generate import generate_passable


def walls(studio):
    size = studio.get("studio.map")
    rows = studio.get(
        """([width, height]) => Array.from({length: height}, (_, y) =>
            Array.from({length: width}, (_, x) => studio.wall(x, y)))""",
        [size["width"], size["height"]],
    )
    return np.array(rows)


def test_map_file_and_scenario(field):
    shown = walls(field)
    assert shown.shape == (9, 14)
    assert np.argwhere(shown).tolist() == [[3, 7], [4, 7], [5, 7]]
    field.page.click("#tab-map")
    assert "10.656854" in field.page.inner_text("#problem-facts")
    assert field.get("studio.panes[0].cost") == pytest.approx(10.65685425)
    field.page.click("[aria-label='Next problem']")
    field.wait("studio.query.goal.join() === '3,0' && studio.state === 'finished'")
    assert re.search(r"optimal length\s+3\s+found\s+3", field.page.inner_text("#problem-facts"))
    field.enter("#problem", "1")
    field.wait("studio.query.goal.join() === '11,4' && studio.state === 'finished'")


def test_dropped_picture(studio, tmp_path):
    cells = np.full((20, 30), 255, np.uint8)
    cells[5:15, 12] = 0
    Image.fromarray(cells).save(tmp_path / "room.png")
    data = list((tmp_path / "room.png").read_bytes())
    studio.get(
        """(data) => {
            const files = new DataTransfer();
            files.items.add(new File([new Uint8Array(data)], "room.png"));
            for (const name of ["dragover", "drop"]) document.dispatchEvent(
                new DragEvent(name, { dataTransfer: files, bubbles: true, cancelable: true }));
        }""",
        data,
    )
    studio.wait("studio.map.name === 'room.png' && studio.state === 'finished'")
    np.testing.assert_array_equal(walls(studio), cells == 0)
    assert studio.get("studio.panes[0].status") == "FOUND"


def test_broken_file_shows_a_message_and_the_page_still_works(studio, tmp_path):
    broken = tmp_path / "broken.map"
    before = studio.get("studio.map")
    for content in ("", "type octile\nheight 3\nwidth 3\nmap\n...\n..", "nonsense", "\x00\x01\x02"):
        broken.write_text(content)
        studio.refusals += 1
        studio.page.set_input_files("#file", broken)
        studio.wait("document.querySelector('#messages .error') !== null")
        assert "broken.map" in studio.message()
        assert studio.get("studio.map") == before
        studio.page.click("[aria-label=Dismiss]")
        assert studio.message() == ""
    studio.page.click("#to-start")
    assert studio.get("studio.state") == "paused"
    studio.drag((1, 1), (2, 1))
    assert studio.get("studio.state") == "finished"


def test_scenario_of_another_map_is_refused(studio, tmp_path):
    scenario = tmp_path / "other.scen"
    scenario.write_text("version 1\n0\tother.map\t5\t5\t0\t0\t4\t4\t5.65685425\n")
    studio.refusals = 1
    studio.page.set_input_files("#scenario-file", scenario)
    studio.wait("document.querySelector('#messages .error') !== null")
    assert "5 x 5" in studio.message()


def test_generators_have_their_options(studio):
    page = studio.page
    page.click("#tab-map")
    page.select_option("#kind", "rooms")
    for name, value in (("width", 41), ("height", 33), ("seed", 6), ("room", 7), ("loops", 0.25)):
        studio.enter(f"#page-map [data-option={name}]", str(value))
    page.click("#generate")
    studio.wait("studio.map.width === 41 && studio.state === 'finished'")
    np.testing.assert_array_equal(walls(studio), ~generate_passable("rooms", 41, 33, 6, room=7, loops=0.25))
    page.click("#dice")
    studio.wait("studio.map.name.includes('seed 7') && studio.state === 'finished'")
    page.click("#clear")
    studio.settle()
    assert not walls(studio).any()


def link_of(studio):
    studio.page.click("#link")
    studio.wait("location.hash.length > 4")
    return studio.get("location.hash")


def shown_by(studio):
    return studio.get("""({map: studio.map, query: studio.query, path: studio.path(),
        panes: studio.panes.map(({algorithm, options, cost}) => [algorithm, options, cost])})""")


def test_link_restores_a_drawn_map(field):
    page = field.page
    field.drag((4, 2), (4, 6))
    page.keyboard.press("t")
    field.drag((9, 0), (9, 8), steps=10)
    page.click("#compare")
    field.wait("studio.panes.length === 2 && studio.state === 'finished'")
    page.select_option("#algorithm", "astar")
    field.settle()
    field.enter("[data-option=weight]", "3")
    field.wait("studio.panes[1].options.weight === 3 && studio.state === 'finished'")
    page.select_option("#style", "safe")
    before, cells, link = shown_by(field), walls(field), link_of(field)
    weights = field.get("Array.from({length: 9}, (_, y) => studio.weight(9, y))")
    page.goto("about:blank")
    field.open(link)
    after = shown_by(field)
    for state in (before, after):
        del state["map"]["edited"]
    assert after == before
    np.testing.assert_array_equal(walls(field), cells)
    assert field.get("Array.from({length: 9}, (_, y) => studio.weight(9, y))") == weights == [4] * 9
    assert page.input_value("#style") == "safe"


def test_link_of_an_example_is_short(studio):
    studio.example("figures-9-10")
    studio.drag((27, 12), (25, 3))
    before, link = shown_by(studio), link_of(studio)
    assert len(link) < 500
    studio.page.goto("about:blank")
    studio.open(link)
    assert shown_by(studio) == before
    assert studio.page.input_value("#examples") == "figures-9-10"


def test_link_of_a_large_map_says_that_it_depends_on_the_server(studio, tmp_path):
    noise = np.random.default_rng(1).random((900, 900)) < 0.9
    Image.fromarray((255 * noise).astype(np.uint8)).save(tmp_path / "noise.png")
    studio.page.set_input_files("#file", tmp_path / "noise.png")
    studio.wait("studio.map.width === 900 && studio.state === 'finished'")
    link = link_of(studio)
    assert "too large" in studio.message()
    studio.page.goto("about:blank")
    studio.open(link)
    assert studio.get("studio.map.width") == 900


@pytest.mark.parametrize("fragment", ["#s1.AAAA", "#s1.%%%", "#s1.", "#something"])
def test_broken_link_shows_the_first_example(blank, fragment):
    blank.open(fragment)
    assert blank.get("studio.panes[0].status") == "FOUND"
    if fragment != "#something":
        assert "The link cannot be shown: it is damaged or cut short. Copy it again" in blank.message()


def test_link_with_more_than_it_may_hold_is_read_without_it(field):
    link = field.get("""import('/static/link.js').then(({ write }) => {
        const terrain = { width: 3, height: 2, walls: Uint8Array.of(1, 1, 1, 1, 0, 1), weights: null, name: 7 };
        const grid = { topology: "octile", corners: "sometimes", metric: "unit", colour: "red" };
        const state = { start: [0, 0], goal: [2, 1], grid, panes: [{ algorithm: "astar" }] };
        return write(state, { source: {}, edited: true, terrain, weighted: false });
    })""")["fragment"]
    field.page.goto("about:blank")
    field.open("#" + link)
    assert field.get("studio.query.grid") == {"topology": "octile", "corners": "never", "metric": "unit"}
    assert field.get("[studio.map.name, studio.map.width, studio.panes[0].status]") == ["7", 3, "FOUND"]
    np.testing.assert_array_equal(walls(field), [[False] * 3, [False, True, False]])


def test_link_that_unfolds_without_end_is_refused(studio):
    said = studio.get("""(async () => {
        const { read, write } = await import('/static/link.js');
        const walls = new Uint8Array(4_000_000);
        const terrain = { width: 2000, height: 2000, walls, weights: new Uint16Array(4_000_000), name: "large" };
        const { fragment } = await write({}, { source: {}, edited: true, terrain, weighted: true });
        const tried = (most) => read(fragment, most).then(() => "read", ({ message }) => message);
        return Promise.all([4_000_000, 1000].map(tried));
    })()""")
    assert said == ["read", "it is larger than the largest map"]


def test_map_is_sent_again_when_the_server_forgot_it(studio):
    forgotten = []

    def forget(route):
        if not forgotten:
            forgotten.append(route.request.post_data_json["map"])
            route.fulfill(status=404, json={"error": "no such map", "code": "unknown-map"})
        else:
            route.continue_()

    studio.refusals = 1
    studio.page.route("**/api/search", forget)
    with studio.page.expect_request("**/api/terrain"):
        studio.page.select_option("#algorithm", "dijkstra")
    studio.settle()
    assert studio.get("studio.panes[0].status") == "FOUND"
    assert forgotten


def test_server_that_is_gone_is_said(studio):
    studio.page.route("**/api/search", lambda route: route.abort())
    studio.refusals = 1
    studio.page.select_option("#algorithm", "dijkstra")
    studio.wait("document.querySelector('#messages .error') !== null")
    assert "does not respond" in studio.message()
    studio.page.unroute("**/api/search")
    studio.page.keyboard.press("s")
    studio.page.click("#search")
    studio.wait("studio.state === 'finished'")
    assert studio.get("studio.panes[0].algorithm") == "dijkstra"
