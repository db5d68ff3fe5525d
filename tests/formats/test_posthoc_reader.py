"""Traces of other solvers: what we write is read back, and each version as its own documents show it."""

import json
import re

import numpy as np
import pytest

import waygrid as wg
from waygrid.errors import WaygridError
from waygrid.formats.posthoc import EVENT_KINDS
from waygrid.formats.posthoc_reader import parse, read_trace

pytestmark = pytest.mark.quick

EVENTS = [
    {"type": "source", "id": 1736, "x": 8, "y": 15},
    {"type": "destination", "id": 4419, "x": 9, "y": 17},
    {"type": "generating", "id": 1736, "pId": None, "g": 0, "f": 3.5, "x": 8, "y": 15},
    {"type": "expanding", "id": 1736, "pId": None, "g": 0, "f": 3.5, "x": 8, "y": 15},
    {"type": "generating", "id": 1640, "pId": 1736, "g": 1.5, "f": 4, "x": 9, "y": 16},
    {"type": "closing", "id": 1736, "pId": None, "g": 0, "f": 3.5, "x": 8, "y": 15},
    {"type": "end", "id": 4419, "pId": 1640, "g": 2.5e0, "f": 2.5, "x": 9, "y": 17},
]


def flow(events, style="- "):
    rows = [", ".join(f"{k}: {'null' if v is None else v}" for k, v in event.items()) for event in events]
    return "".join(f"{style}{{ {row} }}\n" for row in rows)


def block(events):
    lines = []
    for event in events:
        shown = [f"{k}: {'' if v is None else v}" for k, v in event.items()]
        lines += [f"  - {shown[0]}", *[f"    {row}" for row in shown[1:]]]
    return "\n".join(lines) + "\n"


def nested(event):
    """The event as it was until 1.0.4 in some files: coordinates apart."""
    return {k: v for k, v in event.items() if k not in "xy"} | {"variables": {"x": event["x"], "y": event["y"]}}


VERSIONS = {
    "1.0.4, eventList": ("a.trace.json", json.dumps({"version": "1.0.4", "render": {}, "eventList": EVENTS})),
    "1.0.4, variables": ("a.trace.json", json.dumps({"version": "1.0.4", "eventList": [nested(e) for e in EVENTS]})),
    "1.0.5, block": (
        "a.trace.yaml",
        "---\nversion: 1.0.5\nrender:\n  views:\n    main:\n      components:\n        - $: rect\n"
        f"path:\n  pivot:\n    x: 1\n\nevents:\n{block(EVENTS)}",
    ),
    "1.1.0, flow": ("a.trace.yml", f"version: 1.1.0\nrender:\n  main:\n  - $: rect # one\nevents:\n{flow(EVENTS)}"),
    "1.4.0, events first": (
        "a.trace.yaml",
        f"events: # all\n{flow(EVENTS, '  - ')}version: 1.4.0\nviews:\n  main: []\n",
    ),
    "1.4.0, JSON": (
        "A.TRACE.JSON",
        json.dumps({"version": "1.4.0", "views": {"main": []}, "events": EVENTS}, indent=1),
    ),
}


@pytest.mark.parametrize("version", VERSIONS)
def test_every_version_gives_the_same_events(version):
    name, text = VERSIONS[version]
    trace = parse(text.encode(), name)
    assert trace.version == version.split(",")[0]
    assert [EVENT_KINDS[kind] for kind in trace.kinds.tolist()] == [event["type"] for event in EVENTS]
    assert trace.cells.tolist() == [[event["x"], event["y"]] for event in EVENTS]
    assert trace.parents.tolist() == [[-1, -1]] * 4 + [[8, 15], [-1, -1], [9, 16]]
    assert trace.g.tolist() == [0, 0, 0, 0, 1.5, 0, 2.5]
    assert trace.h.tolist() == [0, 0, 3.5, 3.5, 2.5, 3.5, 0]
    assert trace.left_out == {}


@pytest.mark.parametrize("suffix", [".trace.yaml", ".trace.json"])
@pytest.mark.parametrize("algorithm", ["astar", "jps", "iddfs", "step"])
def test_our_own_traces_are_read_back(tmp_path, algorithm, suffix):
    grid = wg.generate("random", width=9, height=7, seed=2, walls=0.1)
    ys, xs = np.nonzero(grid.passable)
    trace = wg.make_finder(algorithm, grid).trace((int(xs[0]), int(ys[0])), (int(xs[-1]), int(ys[-1])))
    trace.save(tmp_path / f"a{suffix}")
    read, events = read_trace(tmp_path / f"a{suffix}"), trace.events
    assert read.version == "1.4.0"
    assert read.kinds.tolist() == events["kind"].tolist()
    assert (read.cells[:, 1] * 9 + read.cells[:, 0]).tolist() == events["node"].tolist()
    valued = np.isin(events["kind"], [2, 3, 4, 5, 6])
    parents = np.where(read.parents[:, 0] < 0, -1, read.parents[:, 1] * 9 + read.parents[:, 0])
    assert parents[valued].tolist() == events["parent"][valued].tolist()
    np.testing.assert_allclose(read.g[valued], events["g"][valued] / trace.unit, atol=1e-6)
    np.testing.assert_allclose(read.h[valued], events["h"][valued] / trace.unit, atol=2e-6)


def test_unknown_kinds_are_counted_and_limits_are_kept():
    strange = [*EVENTS, {"type": "colour", "x": 0, "y": 0}, {"x": 1, "y": 1}]
    trace = parse(json.dumps({"events": strange}).encode(), "a.trace.json")
    assert len(trace.kinds) == len(EVENTS)
    assert trace.left_out == {"colour": 1, "": 1}
    assert len(parse(json.dumps({"events": strange}).encode(), "a.trace.json", 3).kinds) == 3


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.yaml", "events:\n", "must end in .trace.yaml"),
        ("a.trace.json", "{", "not JSON"),
        ("a.trace.json", '{"a": 1}', "no list of events, called events or eventList"),
        ("a.trace.json", '{"events": [1]}', "event 0 is 1; an object is needed"),
        ("a.trace.yaml", "version: 1.4.0\n", "no list of events"),
        ("a.trace.yaml", "events: []\n", "no event has a kind that is known"),
        ("a.trace.yaml", "events:\nviews:\n- {type: source, x: 1, y: 1}\n", "no event has a kind"),
        ("a.trace.yaml", "events:\n- {type: source, x: 1.5, y: 2}\n", "x of event 0 is '1.5'; a cell of a grid"),
        ("a.trace.yaml", "events:\n- {type: source, y: 2}\n", "x of event 0 is None"),
        ("a.trace.yaml", "events:\n- {type: end, x: 1, y: 2, g: low}\n", "g of event 0 is 'low'; a number is needed"),
        ("a.trace.json", '{"events": [{"type": "end", "x": true, "y": 1}]}', "x of event 0 is True"),
    ],
)
def test_refusals(name, text, said):
    with pytest.raises(WaygridError, match=re.escape(said)):
        parse(text.encode(), name)
