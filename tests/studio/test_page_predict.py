"""The page: predictions of the next expansion, and the plots of the search."""

import numpy as np
import pytest

from waygrid import Grid, make_finder
from waygrid.grid.generate import generate_passable

EXPANDING = 3


def trace_of(studio, name, **options):
    query = studio.get("studio.query")
    return make_finder(name, Grid(generate_passable("indoor", 96, 60, 7)), **options).trace(
        query["start"], query["goal"]
    )


def begin(studio):
    studio.page.click("#tab-learn")
    studio.page.click("#predict")
    return studio.page


def click(studio, cell):
    studio.page.mouse.click(*studio.place(*cell))


def test_right_guesses_are_the_order_of_expansion(studio):
    trace = trace_of(studio, "astar")
    nodes = trace.events["node"][trace.events["kind"] == EXPANDING]
    page = begin(studio)
    for number, node in enumerate(nodes[:6].tolist(), 1):
        click(studio, [node % 96, node // 96])
        assert "Right." in page.inner_text("#predict-news")
        assert studio.get("studio.predict.streak") == number
        assert studio.get("studio.panes[0].cycles") == number
    assert "6 of 6 right (100 %), streak 6" in page.inner_text("#predict-score")
    assert studio.get("studio.flags()") == [{"cell": [int(node) % 96, int(node) // 96], "look": "right"}]
    assert not studio.get("studio.map.edited")


def test_wrong_guesses_are_explained_with_both_cells(studio):
    page = begin(studio)
    start = studio.get("studio.query.start")
    click(studio, start)
    wall = studio.get(
        "Array.from({length: 5760}, (_, i) => [i % 96, Math.floor(i / 96)]).find(([x, y]) => studio.wall(x, y))"
    )
    click(studio, wall)
    assert f"Cell {wall[0]}, {wall[1]} is a wall." in page.inner_text("#predict-news")
    click(studio, studio.get("studio.query.goal"))
    assert "has not generated it yet" in page.inner_text("#predict-news")
    click(studio, start)
    assert "it was expanded as no. 1" in page.inner_text("#predict-news")
    assert studio.get("[studio.predict.right, studio.predict.wrong, studio.predict.streak]") == [1, 3, 0]
    assert studio.get("studio.predict.percent") == 25
    # a cell of the open list with a larger f
    values = studio.get("""Array.from({length: 5760}, (_, i) => [i % 96, Math.floor(i / 96)])
        .filter(([x, y]) => studio.cell(x, y) === "open").map((cell) => [cell, studio.inspect(...cell)])""")
    cell, inspected = max(values, key=lambda one: float(one[1]["f"]))
    click(studio, cell)
    said = page.inner_text("#predict-news")
    assert f"Cell {cell[0]}, {cell[1]} has g {inspected['g']} + h {inspected['h']} = f {inspected['f']}" in said
    assert "on the open list" in said
    answer = studio.get("studio.predict.last.answer")
    assert f"The search expands cell {answer[0]}, {answer[1]}: g " in said
    looks = {mark["look"]: mark["cell"] for mark in studio.get("studio.flags()")}
    assert looks == {"wrong": cell, "right": answer}


def test_equals_are_nearly_right_and_the_newest_is_taken(studio):
    page = begin(studio)
    trace = trace_of(studio, "astar")
    events, unit = trace.events, trace.unit
    found = None
    on_list = {}
    columns = (events[name].tolist() for name in ("kind", "node", "g", "h"))
    for i, (kind, node, g, h) in enumerate(zip(*columns, strict=True)):
        if kind == EXPANDING:
            equals = [cell for cell, f in on_list.items() if cell != node and f == on_list[node]]
            if equals and i > 40:
                found = i, equals[0]
                break
            on_list.pop(node)
        elif kind in (2, 4):
            on_list[node] = g + h
    time, cell = found
    studio.get("time => studio.jump(time)", time)
    click(studio, [cell % 96, cell // 96])
    said = page.inner_text("#predict-news")
    assert said.startswith("Nearly.")
    assert "of equals the newest on the list is taken first" in said
    assert studio.get("[studio.predict.near, studio.predict.percent]") == [1, None]
    assert unit > 0


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("dijkstra", "least f"),
        ("best-first", "least h"),
        ("bfs", "the cell that has waited longest"),
        ("dfs", "the cell put there last"),
        ("jps", "least f"),
        ("lrta", "The search expands cell"),
    ],
)
def test_every_kind_of_open_list_is_explained(studio, name, words):
    page = studio.page
    page.select_option("#algorithm", name)
    studio.wait(f"studio.panes[0].algorithm === '{name}' && studio.state === 'finished'")
    begin(studio)
    for _ in range(4):
        page.click("#predict-show")
    assert words in page.inner_text("#predict-news")
    assert studio.get("[studio.predict.right, studio.predict.wrong]") == [0, 0]


def test_predictions_end_with_the_search_and_begin_anew_with_another(field):
    page = begin(field)
    click(field, [2, 4])
    assert field.get("studio.predict.right") == 1
    field.get("studio.jump(studio.length - 1)")
    click(field, [0, 0])
    click(field, [0, 0])
    assert "The search is over" in page.inner_text("#predict-news")
    page.click("#tab-search")
    page.select_option("#algorithm", "dijkstra")
    field.wait("studio.panes[0].algorithm === 'dijkstra' && studio.predict.right === 0 && studio.panes[0].events > 0")
    page.click("#tab-learn")
    page.click("#predict")
    assert field.get("studio.predict.on") is False
    field.drag((4, 1), (4, 3))  # and the tools draw again
    assert field.get("studio.wall(4, 2)")


def test_algorithm_that_expands_nothing_has_nothing_to_predict(studio):
    studio.page.select_option("#algorithm", "dba")
    studio.wait("studio.panes[0].algorithm === 'dba' && studio.state === 'finished'")
    page = begin(studio)
    if studio.get("studio.panes[0].cycles") == 0:
        assert "nothing to predict" in page.inner_text("#predict-news")
        assert studio.get("studio.predict.on") is False


# ---- plots


def tree_of(events):
    """Parents of the expansions, slowly."""
    last, parents = {}, []
    for event in events[events["kind"] == EXPANDING].tolist():
        row = dict(zip(events.dtype.names, event, strict=True))
        parents.append(last.get(row["parent"], -1))
        last[row["node"]] = len(parents) - 1
    return parents


@pytest.mark.parametrize("name", ["astar", "jps", "lrta"])
def test_search_tree_is_that_of_the_trace(studio, name):
    if name == "lrta":  # expands cells several times
        studio.example("figure-9")
    page = studio.page
    page.select_option("#algorithm", name)
    studio.wait("name => studio.panes[0].algorithm === name && studio.state === 'finished'", name)
    found = studio.get("""Promise.all([import('/static/tree.js'), import('/static/moments.js'),
            import('/static/player.js')]).then(([{ layOutTree }, { Moments }, { Player }]) => {
        const { width, height } = studio.map;
        const names = ["source", "destination", "generating", "expanding", "updating", "closing", "end", "", "subgoal",
            "", "pruned", "", "move", "bound"];
        const all = Array.from({ length: studio.panes[0].events }, (_, i) => studio.event(i));
        const number = (cell) => cell ? cell[1] * width + cell[0] : -1;
        const trace = { kind: Uint8Array.from(all, ({ kind }) => names.indexOf(kind)),
            node: Int32Array.from(all, ({ cell }) => number(cell)),
            parent: Int32Array.from(all, ({ parent }) => number(parent)),
            g: Float32Array.from(all, ({ g }) => g), h: Float32Array.from(all, ({ h }) => h) };
        const player = new Player(trace, names, width * height);
        const { parent, depth, across, leaves, deepest } = layOutTree(player, new Moments(player, width));
        return { kind: [...trace.kind], node: [...trace.node], above: [...trace.parent],
            parent: [...parent], depth: [...depth], across: [...across], leaves, deepest };
    })""")
    rows = np.zeros(len(found["kind"]), [("kind", int), ("node", int), ("parent", int)])
    rows["kind"], rows["node"], rows["parent"] = found["kind"], found["node"], found["above"]
    want = tree_of(rows)
    assert found["parent"] == want
    depth = []
    for above in want:
        depth.append(0 if above < 0 else depth[above] + 1)
    assert found["depth"] == depth
    assert found["deepest"] == max(depth)
    leaves = sorted(set(range(len(want))) - set(want))
    assert found["leaves"] == len(leaves)
    assert sorted(found["across"][leaf] for leaf in leaves) == list(range(len(leaves)))
    for node in set(want) - {-1}:
        below = [found["across"][child] for child, above in enumerate(want) if above == node]
        assert found["across"][node] == pytest.approx((min(below) + max(below)) / 2)


def show_plots(studio):
    studio.page.keyboard.press("p")
    studio.wait("studio.plots.shown && studio.plots.nodes > 0")


def test_plots_show_the_search_and_follow_the_boards(studio):
    page = studio.page
    show_plots(studio)
    (pane,) = studio.get("studio.panes")
    assert studio.get("[studio.plots.nodes, studio.plots.values]") == [pane["cycles"], pane["cycles"]]
    assert "expansions" in page.get_attribute("#tree", "aria-label")
    assert "f of each expansion" in page.get_attribute("#f-plot", "aria-label")
    studio.get("studio.jump(0)")
    studio.wait("document.querySelector('#plot-text').textContent.startsWith('0 of')")
    page.select_option("#algorithm", "dijkstra")
    studio.wait("studio.panes[0].algorithm === 'dijkstra' && studio.state === 'finished'")
    studio.wait("studio.plots.nodes === studio.panes[0].cycles")
    page.click("#plots .close")
    assert page.locator("#plots").is_hidden()
    assert page.get_attribute("#plots-button", "aria-pressed") == "false"


def test_plots_point_at_cells_and_cells_at_plots(studio):
    page = studio.page
    show_plots(studio)
    trace = trace_of(studio, "astar")
    order = trace.expansion_order()
    events = np.flatnonzero(trace.events["kind"] == EXPANDING)
    number = len(events) // 3
    node = int(trace.events["node"][events[number]])
    cell = [node % 96, node // 96]
    assert order[cell[1], cell[0]] == number
    page.mouse.move(*studio.place(*cell))  # from the map to the plots
    assert studio.get("studio.plots.pointed") == [number]
    studio.wait("document.querySelector('#plot-text').textContent.includes('Expansion')")
    assert f"cell {cell[0]}, {cell[1]}" in page.inner_text("#plot-text")
    for kind in ("node", "value"):  # and from the plots to the map
        page.mouse.move(*studio.get(f"studio.{kind}({number})"))
        (mark,) = studio.get("studio.flags()")
        pointed = studio.get("studio.plots.pointed[0]")
        there = int(trace.events["node"][events[pointed]])
        assert mark == {"cell": [there % 96, there // 96], "look": "linked"}
        if kind == "value":
            assert abs(pointed - number) <= 1
    page.mouse.move(4, 400)
    assert studio.get("[studio.flags().length, studio.plots.pointed.length]") == [0, 0]
    page.mouse.click(*studio.get(f"studio.value({number})"))
    pointed = studio.get("studio.panes[0].cycles") - 1
    assert abs(pointed - number) <= 1
    assert studio.get("studio.time") == events[pointed] + 1


def test_plots_of_a_search_that_expands_nothing(studio):
    show_plots(studio)
    studio.page.fill("[data-option=weight]", "2")
    studio.get("document.querySelector('#auto').click()")
    studio.page.keyboard.press("Tab")
    studio.wait("studio.state === 'modified' || studio.state === 'finished'")
    studio.rest()
    assert studio.page.inner_text("#plot-text")


def test_exported_file_has_predictions_breakpoints_and_plots(blank, exported):
    blank.address = exported.as_uri()
    page = begin(blank.open())
    node = next(
        event
        for event in blank.get("Array.from({length: 60}, (_, i) => studio.event(i))")[3:]
        if event["kind"] == "expanding"
    )
    blank.get("studio.jump(3)")
    click(blank, node["cell"])
    assert "Right." in page.inner_text("#predict-news")
    page.fill("#stop-if", "expanded = 30")
    page.click("#stop-add")
    page.click("#run-on")
    assert blank.get("studio.panes[0].cycles") == 30
    assert page.locator("#open-exercise").is_hidden()
    assert page.locator("#examples [value^='exercise:']").count() == 0
    show_plots(blank)
    page.click("#link")
    blank.wait("location.hash.startsWith('#s1.')")
