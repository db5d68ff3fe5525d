import heapq
import json
import re

import numpy as np
import pytest
from formats.support import refused

from waygrid.formats.posthoc import EVENT_DTYPE, EVENT_KINDS, write_trace
from waygrid.formats.text import parse

pytestmark = pytest.mark.quick

KINDS = {name: kind for kind, name in EVENT_KINDS.items()}
WIDTH = 6
DRAWN = parse("......\n.####.\n......\n.#.##.\n")
EVENT_LINE = re.compile(r"  - \{ (\w+: [^,{}]+(, \w+: [^,{}]+)*) \}")


def search(start: int, goal: int) -> tuple[np.ndarray, list[int]]:
    """A* on the drawn map (tile moves, price 10) that records what it does, and its path."""
    passable = DRAWN.passable
    h = lambda n: 10 * (abs(n % WIDTH - goal % WIDTH) + abs(n // WIDTH - goal // WIDTH))  # noqa: E731
    events, g, parent, closed = [], {start: 0}, {start: -1}, set()
    record = lambda name, n: events.append((KINDS[name], n, parent[n], g[n], h(n)))  # noqa: E731
    record("generating", start)
    heap = [(h(start), start)]
    while heap:
        _, node = heapq.heappop(heap)
        if node in closed:
            continue
        record("expanding", node)
        if node == goal:
            record("end", node)
            break
        x, y = node % WIDTH, node // WIDTH
        for nx, ny in ((x, y - 1), (x + 1, y), (x, y + 1), (x - 1, y)):
            if 0 <= nx < WIDTH and 0 <= ny < 4 and passable[ny, nx]:
                other = ny * WIDTH + nx
                if g[node] + 10 < g.get(other, 10**9):
                    name = "updating" if other in g else "generating"
                    g[other], parent[other] = g[node] + 10, node
                    record(name, other)
                    heapq.heappush(heap, (g[other] + h(other), other))
        closed.add(node)
        record("closing", node)
    path = [goal]
    while parent[path[-1]] >= 0:
        path.append(parent[path[-1]])
    return np.array(events, EVENT_DTYPE), path[::-1]


START, GOAL = 0 * WIDTH + 2, 3 * WIDTH + 2
EVENTS, PATH = search(START, GOAL)
OPTIONS = {"width": WIDTH, "topology": "tile", "cardinal": 10, "source": (2, 0), "destination": (2, 3)}


def written(tmp_path, events=EVENTS, name="a.trace.json", **changes) -> dict:
    path = tmp_path / name
    count = write_trace(path, events, **{**OPTIONS, **changes})
    tree = json.loads(path.read_text()) if name.endswith("json") else read_yaml(path.read_text())
    assert len(tree["events"]) == count
    return tree


def scalar(text: str):
    try:
        return json.loads(text)
    except ValueError:
        return text


def read_yaml(text: str) -> dict:
    """The little YAML that we write: blocks of two blanks, flow style in events only."""
    lines = text.splitlines()

    def block(indent: int):
        found = None
        while lines and len(lines[0]) - len(lines[0].lstrip()) == indent:
            line = lines[0][indent:]
            if line.startswith("- {"):
                match = EVENT_LINE.fullmatch(lines.pop(0))
                assert match, line
                pairs = (part.split(": ") for part in match[1].split(", "))
                found = [*(found or []), {key: scalar(value) for key, value in pairs}]
            elif line.startswith("- "):
                lines[0] = " " * (indent + 2) + line[2:]
                found = [*(found or []), block(indent + 2)]
            else:
                key, value = re.fullmatch(r"([$\w-]+):(?: (.+))?", lines.pop(0)[indent:]).groups()
                found = {**(found or {}), key: block(indent + 2) if value is None else scalar(value)}
        return found

    tree = block(0)
    assert not lines
    return tree


@pytest.mark.parametrize("suffix", ["yaml", "yml"])
@pytest.mark.parametrize("topology", ["tile", "octile", "hex", "tex"])
def test_yaml_and_json_say_the_same(tmp_path, suffix, topology):
    extra = np.array([(kind, 1 + kind, 1, 3, 0) for kind in range(7, 14)], EVENT_DTYPE)
    for events in (EVENTS, np.concatenate([EVENTS, extra])):
        tree = written(tmp_path, events, topology=topology)
        assert written(tmp_path, events, f"a.trace.{suffix}", topology=topology) == tree
        assert list(tree) == ["version", "views", "pivot", "events"]
        assert tree["version"] == "1.4.0"
        texts = re.findall(r'"((?:[^"\\]|\\.)*)"', json.dumps(tree))
        assert "" not in texts  # Posthoc's parser fails on them
        for text in texts:
            if "$." in text or "color" in text:
                assert re.fullmatch(r"\$\{\{ .+ \}\}", text)
                assert "colors" not in text


def test_lines_are_those_of_the_documentation(tmp_path):
    path = tmp_path / "a.trace.yaml"
    write_trace(path, EVENTS, **OPTIONS)
    lines = path.read_text().splitlines()
    assert lines[0] == "version: 1.4.0"
    start = lines.index("events:") + 1
    assert lines[1:start] == [
        "views:",
        "  main:",
        "    - $: rect",
        '      x: "${{ $.x }}"',
        '      y: "${{ $.y }}"',
        "      width: 1",
        "      height: 1",
        '      fill: "${{ color[$.type] }}"',
        "pivot:",
        '  x: "${{ $.x + 0.5 }}"',
        '  y: "${{ $.y + 0.5 }}"',
        "  scale: 1",
        "events:",
    ]
    assert lines[start : start + 4] == [
        "  - { type: source, id: 3, x: 2, y: 0 }",
        "  - { type: destination, id: 21, x: 2, y: 3 }",
        "  - { type: generating, id: 3, pId: null, g: 0, f: 3, x: 2, y: 0 }",
        "  - { type: expanding, id: 3, pId: null, g: 0, f: 3, x: 2, y: 0 }",
    ]
    assert all(EVENT_LINE.fullmatch(line) for line in lines[start:])


def test_the_checks_that_posthoc_offers(tmp_path):
    events = written(tmp_path)["events"]
    f, parent, generated = {}, {}, set()
    for event in events[2:]:
        assert event["id"] == event["y"] * WIDTH + event["x"] + 1
        p = event["pId"]
        if p is not None:
            assert p in generated
            assert event["f"] >= f[p]
        if event["type"] == "generating":
            generated.add(event["id"])
        if event["type"] == "expanding":
            assert event["id"] in generated
        f[event["id"]], parent[event["id"]] = event["f"], p
    assert events[-1]["type"] == "end"
    chain = [events[-1]["id"]]
    while parent[chain[-1]] is not None:
        chain.append(parent[chain[-1]])
    assert [node - 1 for node in chain[::-1]] == PATH


def test_type_names_are_those_posthoc_can_colour():
    names = "source destination generating expanding updating closing end"
    assert [EVENT_KINDS[i] for i in range(7)] == names.split()


def test_numbers_have_at_most_six_decimals(tmp_path):
    events = np.array([(2, 0, -1, 0, -1), (2, 1, 0, 8119, 0), (2, 2, 1, 1, 10**15)], EVENT_DTYPE)
    tree = written(tmp_path, events, cardinal=5741, source=None, destination=None)
    assert [e["g"] for e in tree["events"]] == [0, 1.414214, 0.000174]
    assert tree["events"][2]["f"] == round((10**15 + 1) / 5741, 6)
    assert "-0," not in (tmp_path / "a.trace.json").read_text().replace("-0.", "")


def test_ends_that_the_search_recorded_are_not_doubled(tmp_path):
    own = np.array([(1, 20, -1, 0, 0), (0, 2, -1, 0, 0)], EVENT_DTYPE)
    tree = written(tmp_path, np.concatenate([own, EVENTS]))
    assert [e["type"] for e in tree["events"][:3]] == ["destination", "source", "generating"]
    assert sum(e["type"] == "source" for e in tree["events"]) == 1


def test_bounds_of_ida(tmp_path):
    events = np.array([(13, 2, -1, 30, 0), (2, 2, -1, 0, 30), (13, 2, -1, 55, 0)], EVENT_DTYPE)
    tree = written(tmp_path, events)
    assert [e for e in tree["events"] if "bound" in e] == [
        {"type": "source", "id": 3, "bound": 3, "x": 2, "y": 0},
        {"type": "source", "id": 3, "bound": 5.5, "x": 2, "y": 0},
    ]


def test_own_kinds_have_own_views(tmp_path):
    extra = [
        (7, 5, 2, 30, 0),
        (8, 9, -1, 0, 0),
        (9, 12, -1, 6, 4),
        (10, 3, 2, 10, 0),
        (11, 2, -1, 2, 0),
        (12, 1, 0, 10, 5),
    ]
    tree = written(tmp_path, np.array(extra, EVENT_DTYPE))
    assert [part["$"] for part in tree["views"]["main"]] == [
        "cell",
        "jump",
        "subgoal",
        "region",
        "pruned",
        "refine",
        "move",
    ]
    shapes = {name: parts[0]["$"] for name, parts in tree["views"].items() if name != "main"}
    assert shapes == {
        "cell": "rect",
        "jump": "path",
        "subgoal": "circle",
        "region": "rect",
        "pruned": "rect",
        "refine": "rect",
        "move": "circle",
    }
    assert tree["views"]["pruned"][0]["alpha"] == 0.3
    assert tree["views"]["region"][0]["alpha"] == 0.2
    by_type = {e["type"]: e for e in tree["events"]}
    assert by_type["region"] == {"type": "region", "id": 13, "region": 4, "width": 6, "x": 0, "y": 2}
    assert by_type["refine"] == {"type": "refine", "id": 3, "pId": None, "level": 2, "x": 2, "y": 0}
    assert by_type["jump"]["pId"] == 3
    hexes = written(tmp_path, np.array(extra, EVENT_DTYPE), topology="hex")["events"]
    assert [e["x"] for e in hexes if e["type"] == "region"] == [0, 1, 2, 3, 4, 5]


def corners(tree: dict, x: int, y: int) -> set[tuple[float, float]]:
    """The corners of a cell as the view computes them."""
    value = lambda text: eval(text[4:-3].replace("$.x", str(x)).replace("$.y", str(y)))  # noqa: E731
    (part,) = tree["views"]["main"]
    assert part["$"] == "polygon"
    return {(round(value(p["x"]), 4), round(value(p["y"]), 4)) for p in part["points"]}


def test_hexagons_touch_their_neighbours(tmp_path):
    tree = written(tmp_path, topology="hex")
    for x, y in ((3, 5), (4, 5)):
        up = -1 if x % 2 else 0
        near = {(x, y - 1), (x, y + 1), *((x + dx, y + up + dy) for dx in (-1, 1) for dy in (0, 1))}
        for other in ((ox, oy) for ox in range(x - 2, x + 3) for oy in range(3, 8) if (ox, oy) != (x, y)):
            shared = len(corners(tree, x, y) & corners(tree, *other))
            assert shared == (2 if other in near else 0)


def test_odd_columns_sit_higher(tmp_path):
    tree = written(tmp_path, topology="tex")
    assert corners(tree, 2, 1) == {(2, 1), (3, 1), (3, 2), (2, 2)}
    assert corners(tree, 3, 1) == {(3, 0.5), (4, 0.5), (4, 1.5), (3, 1.5)}
    assert tree["pivot"]["y"] == "${{ $.y + 0.5 - ($.x % 2) / 2 }}"


def test_types_and_max_events(tmp_path):
    assert {e["type"] for e in written(tmp_path, types=["expanding", "end"])["events"]} == {"expanding", "end"}
    assert len(written(tmp_path, max_events=5)["events"]) == 5
    assert written(tmp_path, max_events=5)["events"] == written(tmp_path)["events"][:5]
    for name in ("a.trace.json", "a.trace.yaml"):
        assert written(tmp_path, max_events=0, types="source", name="a.trace.json")["events"] == []
        write_trace(tmp_path / name, EVENTS, **OPTIONS, max_events=0)
    assert (tmp_path / "a.trace.yaml").read_text().endswith("\nevents: []\n")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"name": "a.yaml"}, "the name of a trace must end in .trace.yaml, .trace.yml, .trace.json"),
        ({"topology": "square"}, "topology 'square'; allowed are tile, octile, hex, tex"),
        ({"width": 0}, "width 0; it must be above 0"),
        ({"cardinal": 0}, "cardinal price 0; it must be above 0"),
        ({"max_events": -1}, "max_events -1; it must be 0 or more"),
        ({"types": ["expand"]}, "event type 'expand'; allowed are source, destination, generating, expanding"),
        ({"source": (6, 0)}, "source (6, 0) is outside a map of width 6"),
        ({"destination": (0, -1)}, "destination (0, -1) is outside"),
        ({"events": np.zeros(3)}, "events need the fields kind, node, parent, g and h"),
        ({"events": np.zeros((2, 2), EVENT_DTYPE)}, "events must be a list"),
        ({"events": np.array([(14, 0, 0, 0, 0)], EVENT_DTYPE)}, "event 0 is"),
        ({"events": np.array([(2, 0, -1, 0, 0), (2, -1, 0, 0, 0)], EVENT_DTYPE)}, "event 1 is"),
        ({"events": np.array([(2, 0, -2, 0, 0)], EVENT_DTYPE)}, "event 0 is"),
    ],
)
def test_errors(tmp_path, changes, words):
    changes = dict(changes)
    name = changes.pop("name", "a.trace.yaml")
    events = changes.pop("events", EVENTS)
    message = refused(lambda: write_trace(tmp_path / name, events, **{**OPTIONS, **changes}))
    assert words in message
    assert str(tmp_path / name) in message
    assert list(tmp_path.iterdir()) == []
