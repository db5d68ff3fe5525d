"""What the studio shows of gates where a search stands."""

from __future__ import annotations

from typing import Any

import numpy as np

from waygrid.core import layout as at
from waygrid.core.types import Array
from waygrid.search.overlay import BLUE, GREEN, ORANGE, DetailRequest, Layer

_NONE = np.zeros((0, 2), np.float32)


def show_gates(wanted: DetailRequest) -> list[Layer]:
    """Return the gates in the estimate of a cell: out of its zone, into that of the goal, and on to the goal."""
    finder: Any = wanted.finder
    index, width = finder.index, finder.grid.width
    zone, home = (int(index["zone"][y * width + x]) for x, y in (wanted.cell, wanted.goal))
    if not finder.grid.table.walk[wanted.number]:
        return [Layer("points", _NONE, "walls belong to no zone", BLUE)]
    if zone == home:
        return [Layer("points", _NONE, "in the goal's zone the estimate needs no gates", BLUE)]
    if not index["costs"].size:
        return [Layer("points", _NONE, "table 'zones' combines the way behind a gate per query; not shown", BLUE)]
    own, its = (np.arange(*index["first"][number : number + 2]) for number in (zone, home))
    if not own.size or not its.size:
        return [Layer("points", _NONE, "no gate leads to the goal", BLUE)]
    unit, none = index["scale"].tolist()
    boxes = index["boxes"].astype(np.int64)
    out, into = (_reach(finder._policy, boxes[ports], at) for ports, at in ((own, wanted.cell), (its, wanted.goal)))
    table = index["costs"][np.ix_(own, its)].astype(np.int64)
    between = np.where(table == none, np.iinfo(np.int64).max // 4, table * unit)
    whole = out[:, None] + between + into
    a, b = np.unravel_index(int(whole.argmin()), whole.shape)
    if table[a, b] == none:
        return [Layer("points", _NONE, "no gate leads to the goal", BLUE)]
    gate, last = boxes[own[a]], boxes[its[b]]
    price = float(finder._event_unit)
    parts = " + ".join(f"{part / price:.3f}" for part in (out[a], between[a, b], into[b]))
    lines = [(*wanted.cell, *_middle(gate)), (*_middle(gate), *_middle(last)), (*_middle(last), *wanted.goal)]
    others = boxes[np.setdiff1d(own, own[a])]
    return [
        Layer("boxes", others.astype(np.int32), f"other gates of the zone: {len(others)}", ORANGE),
        Layer("boxes", np.stack((gate, last)).astype(np.int32), "the gates of the estimate", GREEN),
        Layer("lines", np.array(lines, np.float32), f"to the gate + between + on = {parts}", GREEN, 2.0),
    ]


def _reach(policy: Array, boxes: Array, cell: tuple[int, int]) -> Array:
    """Return the distance of a cell from boxes x0, y0, x1, y1, as the search estimates it."""
    x, y = cell
    dx = np.maximum(np.maximum(boxes[:, 0] - x, x - boxes[:, 2]), 0)
    dy = np.maximum(np.maximum(boxes[:, 1] - y, y - boxes[:, 3]), 0)
    far = int(policy[at.H_MAX]) * np.maximum(dx, dy) + int(policy[at.H_MIN]) * np.minimum(dx, dy)
    found: Array = far >> at.H_SHIFT
    return found


def _middle(box: Array) -> tuple[float, float]:
    return float(box[0] + box[2]) / 2, float(box[1] + box[3]) / 2
