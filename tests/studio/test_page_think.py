"""The page shows what a search thinks: values in cells, open list, pseudo-code, answers to why, details of events."""

import re

import pytest

from waygrid.search.registry import algorithms

BOUNDED = "astar-gb"


def show(studio, algorithm):
    """Let the board search with an algorithm, and open the page of the thinking."""
    studio.page.click("#tab-search")
    studio.page.select_option("#algorithm", algorithm)
    studio.wait("name => studio.panes[0].algorithm === name && studio.state === 'finished'", algorithm)
    studio.page.click("#tab-think")
    studio.rest()


def go(studio, time):
    studio.get("time => studio.jump(time)", time)
    studio.rest()


def find(studio, kind, after=0):
    """The number of the first event of a kind."""
    return studio.get(
        """([kind, after]) => {
            for (let i = after; i < studio.length; i++) if (studio.event(i).kind === kind) return i;
            return -1;
        }""",
        [kind, after],
    )


def expansions(studio):
    """The cells in the order in which they were first expanded, with the numbers of the events."""
    found = studio.get("""Array.from({ length: studio.length }, (_, i) => [i, studio.event(i)])
        .filter(([, { kind }]) => kind === "expanding").map(([i, { cell }]) => [cell, i])""")
    first = {}
    for cell, event in found:
        first.setdefault(tuple(cell), event)
    return first


# ---- values in cells


def test_zoomed_in_cells_show_values_and_an_arrow(field):
    page = field.page
    page.click("#tab-think")
    go(field, 40)
    assert field.get("studio.draw().cells") == field.get("studio.panes[0].memory")
    with_values = page.locator("#panes canvas").screenshot()
    page.click("#values")
    assert field.get("studio.draw().cells") == 0
    assert page.locator("#panes canvas").screenshot() != with_values
    page.click("#values")
    field.rest()
    assert page.locator("#panes canvas").screenshot() == with_values


@pytest.mark.parametrize("topology", ["tile", "hex", "tex"])
def test_values_are_shown_on_every_topology(field, topology):
    field.page.click(f"[role=radio][data-value={topology}]")
    field.wait("topology => studio.query.grid.topology === topology && studio.state === 'finished'", topology)
    go(field, 40)
    assert field.get("studio.draw().cells") == field.get("studio.panes[0].memory")


def test_small_cells_show_no_values(field):
    field.get("studio.jump(40)")
    for _ in range(8):
        field.page.keyboard.press("-")
    field.rest()
    assert field.get("studio.view.scale") < 14
    assert field.get("studio.draw().cells") == 0


def test_values_go_when_agents_walk(field):
    field.page.click("#tab-walk")
    field.page.click("#walk")
    field.wait("studio.walk.walkers[0] > 0")
    field.rest()
    assert field.get("studio.draw().cells") == 0


# ---- pseudo-code


def marked(studio):
    return [
        int(number)
        for number in studio.get("""[...document.querySelectorAll(".code li")]
        .flatMap((line, i) => line.ariaCurrent === "step" ? [i] : [])""")
    ]


@pytest.mark.parametrize("algorithm", ["astar", "jps", "ida", "lrta", "cpd"])
def test_line_of_each_event_is_marked(field, algorithm):
    show(field, algorithm)
    steps = algorithms()[algorithm].pseudo_code
    assert field.page.locator(".code li").all_inner_texts() == [step.text.strip() for step in steps]
    go(field, 0)
    assert marked(field) == []
    for time in range(1, min(60, field.get("studio.length")) + 1):
        field.page.keyboard.press("ArrowRight")
        event = field.get("time => studio.event(time - 1)", time)
        lines = marked(field)
        assert lines, event
        for line in lines:
            assert {event["kind"], f"{event['kind']}*"} & set(steps[line].events)


# ---- open list


def rows(studio):
    return studio.get("""[...document.querySelectorAll("table.open tbody tr")].map((row) =>
        [...row.children].map((part) => part.textContent))""")


def test_open_list_marks_what_is_taken_next(field):
    show(field, "astar")
    go(field, find(field, "expanding", 60))
    listed = rows(field)
    number, cell, *_ = listed[0]
    event = field.get("studio.event(studio.time)")
    assert number == "next"
    assert [int(side) for side in cell.split(", ")] == event["cell"]
    assert [row[0] for row in listed[1:]] == [str(k) for k in range(2, len(listed) + 1)]
    assert field.page.inner_text("#open-list .size") == f"{len(listed)} entries"
    f = [float(row[4]) for row in listed]
    assert f == sorted(f)
    assert "least f" in field.page.inner_text("#open-list")
    field.page.keyboard.press("ArrowRight")
    assert cell not in [row[1] for row in rows(field)]


def test_row_shows_its_cell_on_the_board(field):
    show(field, "astar")
    go(field, 60)
    row = field.page.locator("table.open tbody tr").nth(1)
    x, y = map(int, row.locator("button").inner_text().split(", "))
    before = field.page.locator("#panes canvas").screenshot()
    row.hover()
    field.rest()
    assert field.page.locator("#panes canvas").screenshot() != before
    assert field.cell(x, y) == "open"


@pytest.mark.parametrize(("algorithm", "text"), [("lrta", "keeps none"), ("dstar-lite", "does not tell its order")])
def test_searches_without_a_list_say_so(field, algorithm, text):
    show(field, algorithm)
    assert text in field.page.inner_text("#open-list")
    assert rows(field) == []


# ---- why


def ask_why(studio, one, other):
    studio.page.click("#why")
    for cell in (one, other):
        studio.page.mouse.click(*studio.place(*cell))
    studio.rest()
    return studio.page.inner_text("#why-answer")


def values_in(text):
    """What the answer says of both cells: f = g + h = f."""
    return [tuple(map(float, found)) for found in re.findall(r"f = ([\d.]+) \+ ([\d.]+) = ([\d.]+)", text)]


def test_why_this_cell_before_that_one(field):
    show(field, "astar")
    order = expansions(field)
    cells = list(order)
    walls = field.get("studio.panes[0].events")
    for first, second in ((cells[2], cells[5]), (cells[4], cells[-2]), (cells[1], cells[2])):
        text = ask_why(field, first, second)
        assert f"({first[0]}, {first[1]}) was expanded at event {order[first] + 1}" in text
        if "not yet generated" in text:
            assert "that happened at event" in text
            continue
        mine, theirs = values_in(text)
        assert mine[2] == pytest.approx(mine[0] + mine[1], abs=2e-3)
        assert mine[2] <= theirs[2]
        assert ("equal" in text) == (mine[2] == theirs[2])
        assert ("newest" in text) == (mine[2] == theirs[2])
    assert field.get("studio.panes[0].events") == walls  # nothing was drawn


def test_why_says_when_it_was_the_other_way_round(field):
    show(field, "astar")
    cells = list(expansions(field))
    text = ask_why(field, cells[5], cells[2])
    assert text.startswith("It was the other way round")


def test_why_leads_to_the_moment(field):
    show(field, "astar")
    order = expansions(field)
    cells = list(order)
    ask_why(field, cells[3], cells[6])
    field.page.click("#why-there")
    assert field.get("studio.time") == order[cells[3]]
    assert field.get("studio.open(1).entries[0][0]") == list(cells[3])


def test_why_of_cells_that_were_never_met(field):
    show(field, "astar")
    order = expansions(field)
    assert "never generated" in ask_why(field, next(iter(order)), (0, 0))
    assert "never came" in ask_why(field, (0, 0), (0, 8))
    field.page.click("#why")
    field.page.mouse.click(*field.place(7, 4))
    assert "is a wall" in field.page.inner_text("#why-answer")
    field.page.keyboard.press("Escape")
    assert field.page.inner_text("#why") == "Pick two cells"


@pytest.mark.parametrize(("algorithm", "text"), [("bfs", "First in, first out"), ("best-first", "h")])
def test_why_names_the_rule_of_the_search(field, algorithm, text):
    show(field, algorithm)
    cells = list(expansions(field))
    assert text in ask_why(field, cells[1], cells[2])


# ---- details of the current event


def detail(studio, name):
    studio.page.check(f"[data-detail={name}]")
    studio.wait("studio.details().length === 1")
    return studio.get("studio.details()[0]")


def number_in(text):
    return int(text.split(": ")[-1])


def test_learned_values_of_lrta(field):
    show(field, "lrta")
    taught = [i for i in range(field.get("studio.length")) if field.get("i => studio.event(i).kind", i) == "updating"]
    assert taught
    go(field, taught[0])
    assert number_in(detail(field, "learned")["legend"][0]) == 0
    go(field, taught[0] + 1)
    assert number_in(field.get("studio.details()[0].legend[0]")) == 1
    go(field, field.get("studio.length"))
    cells = {tuple(field.get("i => studio.event(i).cell", i)) for i in taught}
    assert number_in(field.get("studio.details()[0].legend[0]")) == len(cells)


def test_boxes_of_moves(field):
    show(field, BOUNDED)
    time = find(field, "expanding", 4)
    go(field, time + 1)
    shown = detail(field, "boxes")
    outside, inside = map(number_in, shown["legend"])
    x, y = field.get("time => studio.event(time).cell", time)
    legal = sum(
        field.get("([x, y]) => x >= 0 && y >= 0 && x < 14 && y < 9 && !studio.wall(x, y)", [x + dx, y + dy])
        for dx in (-1, 0, 1)
        for dy in (-1, 0, 1)
        if dx or dy
    )
    assert outside + inside == legal
    passed = field.get(
        """time => {
        let count = 0;
        for (let i = time + 1; studio.event(i).kind !== "closing"; i++) count += studio.event(i).kind === "generating";
        return count;
    }""",
        time,
    )
    assert passed <= inside < legal


def test_scanned_lines_of_jps(field):
    show(field, "jps")
    time = find(field, "expanding")
    go(field, time + 1)
    shown = detail(field, "scans")
    successors = field.get(
        """time => {
        let count = 0;
        for (let i = time + 1; studio.event(i).kind !== "closing"; i++) count += studio.event(i).kind === "generating";
        return count;
    }""",
        time,
    )
    assert number_in(shown["legend"][2]) == successors > 0
    assert shown["sizes"][2] == 4 * successors


@pytest.mark.parametrize("algorithm", ["jps+", "jps+gb"])
def test_stored_jumps(field, algorithm):
    show(field, algorithm)
    time = find(field, "expanding", find(field, "expanding") + 1)
    go(field, time + 1)
    shown = detail(field, "jumps" if algorithm == "jps+" else "boxes")
    assert sum(map(number_in, shown["legend"])) > 0


def test_gates_add_up_to_the_estimate(studio):
    """The parts are what the trace has as h, or less where the plain distance is more."""
    studio.example("zones")
    show(studio, "gateway")
    equal = 0
    time = -1
    for _ in range(6):
        time = find(studio, "expanding", time + 20)
        go(studio, time + 1)
        legend = detail(studio, "gates")["legend"]
        studio.rest()
        legend = studio.get("studio.details()[0].legend")
        if len(legend) < 3:
            continue
        parts = sum(map(float, re.findall(r"\d+\.\d+", legend[2])))
        h = studio.get("time => studio.event(time).h", time)
        assert parts <= h + 0.01
        equal += abs(parts - h) < 0.01
    assert equal


@pytest.mark.parametrize("algorithm", ["dba", "hcdps"])
def test_records_of_stored_paths(studio, algorithm):
    studio.example("zones")
    show(studio, algorithm)
    time = find(studio, "move")
    go(studio, time + 1)
    legend = detail(studio, "records")["legend"]
    joined, _, regions = map(number_in, legend)
    assert regions == joined + 1 > 1


def test_pairs_of_a_turn_table(studio):
    studio.example("zones")
    show(studio, "turntable")
    compared = [
        i for i in range(studio.get("studio.length")) if studio.get("i => studio.event(i).kind", i) == "updating"
    ]
    shown = detail(studio, "pairs")
    assert number_in(shown["legend"][0]) == len(compared)
    assert shown["sizes"] == [4 * len(compared), 12 if compared else 0]


def test_climb_of_a_contraction_hierarchy(studio):
    studio.example("zones")
    show(studio, "ch")
    shown = detail(studio, "climb")
    spots = studio.get("""Array.from({ length: studio.length }, (_, i) => studio.event(i))
        .filter(({ kind }) => kind === "expanding").length""")
    up, down, hub = shown["sizes"]
    assert up + down == 4 * (spots - 1)
    assert hub == 2


@pytest.mark.parametrize("algorithm", ["theta", "lazy-theta"])
def test_line_of_sight(field, algorithm):
    show(field, algorithm)
    time = find(field, "generating", find(field, "closing"))
    go(field, time + 1)
    shown = detail(field, "sight")
    event = field.get("time => studio.event(time)", time)
    assert shown["sizes"][1] == 4
    expanded = field.get(
        """time => {
        while (studio.event(time).kind !== "expanding") time--;
        return studio.event(time).cell;
    }""",
        time,
    )
    assert (shown["sizes"][0] == 4) == (event["parent"] == expanded)
