"""The trace of a search: one row per event, written by the same kernels that search."""

from waygrid.core.jit import jit
from waygrid.core.layout import EVENTS


@jit
def record(events, ctl, kind: int, node: int, parent: int, g: int, h: int) -> None:
    """Append one event."""
    row = ctl[EVENTS]
    events[row]["kind"] = kind
    events[row]["node"] = node
    events[row]["parent"] = parent
    events[row]["g"] = g
    events[row]["h"] = h
    ctl[EVENTS] = row + 1
