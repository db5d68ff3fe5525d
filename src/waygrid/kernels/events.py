"""The trace of a search: one row per event, written by the same kernels that search."""

from waygrid.kernels._jit import Array, jit
from waygrid.kernels.layout import E_DESTINATION, E_SOURCE, EVENTS, GOAL, START


@jit
def record(events: Array, ctl: Array, kind: int, node: int, parent: int, g: int, h: int) -> None:
    """Append one event."""
    row = ctl[EVENTS]
    events[row]["kind"] = kind
    events[row]["node"] = node
    events[row]["parent"] = parent
    events[row]["g"] = g
    events[row]["h"] = h
    ctl[EVENTS] = row + 1


@jit
def record_ends(events: Array, ctl: Array) -> None:
    """Append the start and the goal."""
    record(events, ctl, E_SOURCE, ctl[START], -1, 0, 0)
    record(events, ctl, E_DESTINATION, ctl[GOAL], -1, 0, 0)
