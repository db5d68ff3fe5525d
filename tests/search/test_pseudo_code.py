"""Every algorithm declares its pseudo-code, and each kind of event in its traces belongs to a line."""

import numpy as np
import pytest

import waygrid as wg
from waygrid.search.declaration import OPEN_LISTS
from waygrid.search.registry import algorithms, import_place
from waygrid.studio.described import EVENTS

WIDEST = 52  # characters: the panel of the studio breaks longer lines
KINDS = {kind for kind in EVENTS if kind}
SHORT = ("iddfs", "ida")


def trace_some(name, info):
    """Traces of an algorithm on maps of several kinds; on one of them the goal is near the start."""
    options = {"known": np.ones((18, 24), bool)} if name == "dstar-lite" else {}
    for kind in ("rooms", "random", "caves"):
        passable = wg.generate(kind, width=24, height=18, seed=1).passable
        grid = wg.Grid(passable, corners=info.corners[0])
        finder = wg.make_finder(name, grid, **options)
        largest = np.bincount(grid.components[grid.components >= 0]).argmax()
        cells = np.argwhere(grid.components == largest)[:, ::-1]
        for end in (12,) if name in SHORT else (12, len(cells) - 1):
            yield finder.trace(tuple(map(int, cells[0])), tuple(map(int, cells[end])))


@pytest.mark.parametrize("name", algorithms())
def test_lines_name_events_that_exist_and_all_that_occur(name):
    info = algorithms()[name]
    assert len(info.pseudo_code) >= 5
    named = {event for step in info.pseudo_code for event in step.events}
    assert {event.removesuffix("*") for event in named} <= KINDS
    for step in info.pseudo_code:
        assert step.text.strip()
        assert len(step.text) <= WIDEST, step.text
    for trace in trace_some(name, info):
        kinds, first = np.unique(trace.events["kind"], return_index=True)
        for kind, at in zip(kinds.tolist(), first.tolist(), strict=True):
            alone = trace.events["parent"][at] < 0
            assert EVENTS[kind] in named or (alone and f"{EVENTS[kind]}*" in named), EVENTS[kind]
        for kind, parent in np.unique(trace.events[["kind", "parent"]]).tolist():
            assert EVENTS[kind] in named or (parent < 0 and f"{EVENTS[kind]}*" in named), (EVENTS[kind], parent)


@pytest.mark.parametrize("name", algorithms())
def test_order_of_the_open_list_and_details_exist(name):
    info = algorithms()[name]
    assert info.open_list == "" or info.open_list in OPEN_LISTS
    for detail in info.details.values():
        assert detail.title
        assert not detail.place or callable(import_place(detail.place))
