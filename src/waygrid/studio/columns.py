"""Traces as columns of small numbers: what an event says is written as its distance from what was to be expected.

Expected is what the events before it said: a cell that is expanded has the parent, g and h of its last event, and a
cell that is generated is a neighbour of the one that is expanded. So most numbers are 0, or the same few for each
direction, and a general compressor makes them small. `static/columns.js` reads what this writes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from waygrid.core import layout

Integers = npt.NDArray[np.int64]

COLUMNS = ("kind", "node", "parent", "g", "h")
_FROM_EXPANDED = (layout.E_GENERATING, layout.E_UPDATING)  # their parent is the cell that is expanded


def code_trace(
    arrays: Mapping[str, npt.NDArray[Any]], unit: float
) -> tuple[dict[str, float], dict[str, npt.NDArray[np.uint8]]]:
    """Return the columns of a trace as bytes, and the units of g and h.

    A unit of 0 says that a column is no multiple of the trace's unit: its bits are coded instead.

    >>> arrays = {"kind": np.array([2, 3], np.uint8), "node": np.array([5, 5], np.int32)}
    >>> arrays |= {"parent": np.array([-1, -1], np.int32), "g": np.zeros(2, np.float32), "h": np.ones(2, np.float32)}
    >>> units, coded = code_trace(arrays, 10.0)
    >>> units, coded["node"].tolist()  # 5 after nothing, then 5 after nothing that was expanded
    ({'g': 10.0, 'h': 10.0}, [10, 10])
    """
    kind = arrays["kind"]
    node, parent = (arrays[name].astype(np.int64) for name in ("node", "parent"))
    expanded = _last_expanded(kind, node)
    same, above = _last_events(node, parent)
    known = np.where(same >= 0, parent[same], -1) if len(node) else parent
    coded = {
        "kind": kind.astype(np.uint8),
        "node": to_bytes(node - expanded),
        "parent": to_bytes(parent - np.where(np.isin(kind, _FROM_EXPANDED), expanded, known)),
    }
    units = {}
    nearest = np.where(same >= 0, same, above)
    for name in ("g", "h"):
        values, units[name] = _as_integers(arrays[name], unit)
        before = np.where(nearest >= 0, values[nearest], 0) if len(values) else values
        coded[name] = to_bytes(values - before)
    return units, coded


def to_bytes(values: Integers) -> npt.NDArray[np.uint8]:
    """Return whole numbers as bytes: the sign in the lowest bit, then seven bits a byte, the lowest first.

    >>> to_bytes(np.array([0, -1, 1, 64])).tolist()
    [0, 1, 2, 128, 1]
    """
    rest = ((values << 1) ^ (values >> 63)).astype(np.uint64)
    lengths = np.ones(len(rest), np.int64)
    most = int(rest.max()) if len(rest) else 0
    for bits in range(7, 64, 7):
        if most >> bits:
            lengths += rest >= np.uint64(1 << bits)
    starts = np.cumsum(lengths) - lengths
    written = np.zeros(int(lengths.sum()), np.uint8)
    for k in range(int(lengths.max(initial=0))):
        here = np.flatnonzero(lengths > k)
        more = np.where(lengths[here] > k + 1, 128, 0).astype(np.uint8)
        written[starts[here] + k] = ((rest[here] >> np.uint64(7 * k)) & np.uint64(127)).astype(np.uint8) | more
    return written


def _last_expanded(kind: npt.NDArray[Any], node: Integers) -> Integers:
    """Return for each event the cell that was expanded last before it, 0 before the first."""
    events = np.where(kind == layout.E_EXPANDING, np.arange(len(kind)), -1)
    last = np.concatenate([[-1], np.maximum.accumulate(events)[:-1]]) if len(kind) else events
    found: Integers = np.where(last >= 0, node[last], 0) if len(kind) else node
    return found


def _last_events(node: Integers, parent: Integers) -> tuple[Integers, Integers]:
    """Return for each event the last event before it on its cell, and that on its parent; -1 where there is none."""
    count = len(node)
    places = node * count + np.arange(count)  # by cell, then by time
    order = np.argsort(places, kind="stable")
    same = np.full(count, -1)
    repeated = node[order[1:]] == node[order[:-1]]
    same[order[1:][repeated]] = order[:-1][repeated]
    if not count:
        return same, same
    found = order[np.maximum(np.searchsorted(places[order], parent * count + np.arange(count)) - 1, 0)]
    above = np.where((node[found] == parent) & (found < np.arange(count)), found, -1)
    return same, above


def _as_integers(values: npt.NDArray[np.floating[Any]], unit: float) -> tuple[Integers, float]:
    """Return multiples of the unit from which a page computes the same numbers, or else the bits of single ones."""
    wide = np.nan_to_num(values.astype(np.float64) * unit, posinf=0, neginf=0)
    multiples: Integers = np.rint(np.clip(wide, -(2.0**52), 2.0**52)).astype(np.int64)
    told = multiples / unit
    if values.dtype == np.float64 and (told == values).all():
        return multiples, unit
    single = values.astype(np.float32)
    if (told.astype(np.float32).view(np.int32) == single.view(np.int32)).all():
        return multiples, unit
    return single.view(np.int32).astype(np.int64), 0.0
