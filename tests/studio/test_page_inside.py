"""The page: overlays, the inspector, agents that walk, files to keep."""

import io
import re
from datetime import datetime

import numpy as np
import pytest
from PIL import Image

from waygrid import Grid, decompose, make_finder
from waygrid.formats import read_map
from waygrid.grid.generate import generate_passable


def choose(studio, name):
    studio.page.click("#tab-inside")
    studio.page.check(f"input[name=overlay][value='{name}']")
    studio.wait("studio.overlay !== null")


def layers(studio):
    found = {}
    for layer in studio.get("studio.overlay.layers"):
        found.setdefault(layer["type"], []).append(layer["size"])
    return found


def test_overlay_of_sectors(studio):
    plain = studio.pixel(20, 13)
    choose(studio, "sectors")
    assert studio.get("studio.overlay.title") == "Sectors and regions"
    shown = layers(studio)
    assert shown["labels"] == [96 * 60]
    assert shown["points"]
    assert "regions" in studio.page.inner_text("#legend")
    free = studio.get("""Array.from({length: 5760}, (_, i) => [i % 96, Math.floor(i / 96)])
        .find(([x, y]) => studio.cell(x, y) === "free" && studio.cell(x + 1, y) === "free")""")
    zoned = studio.pixel(*free)
    studio.enter("#page-inside [data-option=sector]", "32")
    before = shown["points"]
    studio.wait("before => studio.overlay.layers.filter(({type}) => type === 'points')[0].size < before", before[0])
    studio.page.check("input[name=overlay][value='']")
    studio.wait("studio.overlay === null")
    assert studio.pixel(*free) != zoned
    assert studio.pixel(20, 13) == plain


def test_overlay_of_zones_and_gates(studio):
    choose(studio, "zones")
    cut = decompose(Grid(generate_passable("indoor", 96, 60, 7)))
    shown = layers(studio)
    assert shown["labels"] == [96 * 60]
    assert sum(shown["lines"]) == 4 * len(cut.gates)
    assert f"{cut.count} zones" in studio.page.inner_text("#legend")


def test_overlay_of_goal_bounds_follows_the_mouse(studio):
    choose(studio, "goal-bounds")
    studio.wait("studio.overlay.layers.some(({type}) => type === 'boxes')")
    assert "goals by" in studio.page.inner_text("#legend")
    free = studio.get("""Array.from({length: 5760}, (_, i) => [i % 96, Math.floor(i / 96)])
        .filter(([x, y]) => !studio.wall(x, y))""")
    for cell in free[:: len(free) // 3]:
        studio.page.mouse.move(*studio.place(*cell))
    wall = next([x, y] for x in range(96) for y in range(60) if studio.get(f"studio.wall({x}, {y})"))
    studio.page.mouse.move(*studio.place(*wall))
    studio.wait("studio.overlay.layers.length === 0")  # a wall has no bounds
    studio.page.mouse.move(*studio.place(*free[0]))
    studio.wait("studio.overlay.layers.some(({type}) => type === 'boxes')")


def test_every_overlay_is_drawn_and_survives_an_edit(studio):
    names = studio.get("[...document.querySelectorAll('input[name=overlay]')].map(({value}) => value).filter(Boolean)")
    assert len(names) >= 5
    for name in names:
        choose(studio, name)
        studio.pixel(3, 3)
    choose(studio, "parts")
    studio.drag((10, 10), (12, 10))
    studio.wait("studio.overlay !== null && studio.overlay.title === 'Connected components'")


def test_overlay_that_does_not_exist_on_a_grid_says_why(studio):
    studio.example("hex")
    studio.refusals = 1
    studio.page.click("#tab-inside")
    studio.page.click("input[name=overlay][value=sectors]")  # check would click again, as it does not stay chosen
    studio.wait("document.querySelector('#messages .error') !== null")
    assert "hex" in studio.message()
    assert studio.page.is_checked("input[name=overlay][value='']")


def test_inspector_tells_g_h_f_parent_and_order(studio):
    page = studio.page
    query = studio.get("studio.query")
    x, y = studio.get("studio.path()[12]")
    page.mouse.move(*studio.place(x, y))
    text = page.inner_text("#inspector")
    assert f"Cell {x}, {y}" in text
    assert "weight 1" in text
    rows = studio.get("([x, y]) => studio.inspect(x, y)", [x, y])
    trace = make_finder("astar", Grid(generate_passable("indoor", 96, 60, 7))).trace(query["start"], query["goal"])
    mine = trace.events[trace.events["node"] == y * 96 + x]
    last = mine[mine["kind"] <= 4][-1]
    assert float(rows["g"]) == pytest.approx(last["g"] / trace.unit, abs=1e-3)
    assert float(rows["f"]) == pytest.approx((last["g"] + last["h"]) / trace.unit, abs=2e-3)
    assert rows["parent"] == f"{last['parent'] % 96}, {last['parent'] // 96}"
    assert rows["expanded as"] == f"no. {trace.expansion_order()[y, x] + 1:,}"
    page.keyboard.press("m")
    page.mouse.down()
    page.mouse.up()
    page.mouse.move(4, 300)  # off the board: the cell that was clicked stays
    assert f"Cell {x}, {y}" in page.inner_text("#inspector")
    page.keyboard.press("Home")
    assert "not reached yet" in page.inner_text("#inspector")


def test_agent_walks_along_the_path(studio):
    page = studio.page
    page.click("#tab-walk")
    page.click("#walk")
    studio.wait("studio.walk.walkers[0] === 1")
    assert studio.get("studio.walk.steps") == studio.get("studio.path().length") - 1
    studio.wait("studio.walk.time > 1")
    page.click("#walk-play")
    page.locator("#walk-time").fill("10")
    assert "Step 10 of" in page.inner_text("#walk-text")
    page.click("#walk-end")
    assert studio.get("studio.walk.walkers") == [0]


def test_real_time_agents_walk_with_their_budget(studio):
    page = studio.page
    studio.example("real-time")
    page.click("#tab-walk")
    studio.enter("#walk-agents", "5")
    studio.enter("#walk-budget", "25")
    page.click("#walk")
    studio.wait("studio.walk.walkers.join() === '5,5'")
    page.click("#walk-play")
    page.locator("#walk-time").fill("3")
    lines = page.locator(".tracks section p").all_inner_texts()
    assert len(lines) == 2
    for line in lines:
        spent, budget = map(int, re.match(r"(\d+) of (\d+) expansions", line).groups())
        assert budget == 25
        assert spent <= budget
    assert "First move after" in page.inner_text(".tracks")


def downloaded(studio, button):
    with studio.page.expect_download(timeout=120_000) as waiting:
        studio.page.click(button)
    path = waiting.value.path()
    return waiting.value.suggested_filename, path.read_bytes()


def test_files_to_keep(field, tmp_path):
    field.drag((4, 2), (4, 6))
    field.page.click("#tab-keep")
    name, data = downloaded(field, "#export-png")
    picture = Image.open(io.BytesIO(data)).convert("RGB")
    assert re.fullmatch(r"field-astar-picture-\d{8}-\d{6}\.png", name)
    assert picture.width == round(picture.height * 14 / 9)
    side = picture.width / 14
    assert picture.getpixel((round(7.5 * side), round(3.5 * side))) == (64, 66, 72)
    name, data = downloaded(field, "#export-gif")
    animation = Image.open(io.BytesIO(data))
    assert re.fullmatch(r"field-astar-animation-\d{8}-\d{6}\.gif", name)
    assert animation.n_frames > 5
    name, data = downloaded(field, "#export-map")
    assert re.fullmatch(r"field-map-\d{8}-\d{6}\.map", name)
    (tmp_path / name).write_bytes(data)
    kept = read_map(tmp_path / name).passable
    assert np.argwhere(~kept)[:, 1].tolist().count(4) == 5
    name, data = downloaded(field, "#export-trace")
    assert re.fullmatch(r"field-astar-search-\d{8}-\d{6}\.trace\.yaml", name)
    assert b"expand" in data


def test_files_have_different_names(field):
    page = field.page
    page.clock.set_fixed_time(datetime(2026, 1, 31, 23, 59, 58))  # both within a second, as two clicks are
    field.enter("[data-option=weight]", "5")
    field.wait("studio.panes[0].options.weight === 5 && studio.state === 'finished'")
    page.click("#tab-keep")
    names = [downloaded(field, button)[0] for button in ("#export-png", "#export-png", "#export-gif", "#export-map")]
    assert names == [
        "field-astar-weight-5-picture-20260131-235958.png",
        "field-astar-weight-5-picture-20260131-235958-2.png",
        "field-astar-weight-5-animation-20260131-235958.gif",
        "field-map-20260131-235958.map",
    ]


def test_overlays_dim_the_colours_of_the_search(field):
    """Also those that colour no ground: points, lines and boxes would be lost on a strong blue."""
    page = field.page
    ground = [252, 252, 250]
    cells = "Array.from({length: 126}, (_, i) => [i % 14, Math.floor(i / 14)])"
    closed = field.get(f"{cells}.filter(([x, y]) => studio.cell(x, y) === 'closed').map((cell) => cell.join())")
    off_path = field.get("studio.path().map((cell) => cell.join())")
    x, y = map(int, next(cell for cell in closed if cell not in off_path).split(","))
    strong = field.pixel(x, y)
    page.click("#tab-inside")
    page.click("input[name=overlay][value=jump-points]")
    field.wait("studio.overlay !== null")
    dimmed = field.pixel(x, y)
    expected = [0.6 * low + 0.4 * high for low, high in zip(ground, strong, strict=True)]
    assert dimmed == pytest.approx(expected, abs=1)
    page.click("input[name=overlay][value='']")
    field.wait("studio.overlay === null")
    assert field.pixel(x, y) == strong
