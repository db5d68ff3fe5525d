"""A* that knows the zones of the map: the best-first loop with dead ends, gates, or both."""

from typing import NamedTuple

from waygrid.algorithms.classic.best_first_query import advance, begin
from waygrid.algorithms.zones.dead_end_query import Ends, Trails, open_trails
from waygrid.algorithms.zones.gateway_query import Gates
from waygrid.core import layout as at
from waygrid.core.jit import Array, jit
from waygrid.core.query import close_query, in_hand, open_query
from waygrid.core.queue import bucket_clear


class Zoned(NamedTuple):
    """What a search may know of the zones."""

    zone: Array  # of each cell
    ends: Ends | None
    trails: Trails | None
    gates: Gates | None


@jit
def run(
    moves: Array,
    weights: Array | None,
    geo: Array,
    labels: Array,
    policy: Array,
    nodes: Array,
    queue: Array,
    bits: Array,
    keys: Array | None,
    ctl: Array,
    extra: Zoned,
    events: Array | None,
    queries: Array,
    rows: Array,
    cells: Array,
    ask: Array,
) -> int:
    """Answer queries, as `bestfirst.run` does; `extra` is what is known of the zones."""
    ctl[at.BUDGET] = ask[at.ASK_BUDGET]
    for i in range(ask[at.ASK_FIRST], ask[at.ASK_LAST]):
        if not in_hand(ask, i):
            open_query(geo, labels, nodes, ctl, queries, i, ask, events)
            if ctl[at.STATUS] == at.RUNNING:
                open_trails(extra.trails, extra.zone, ctl)
                begin(policy, geo, nodes, queue, bits, keys, ctl, extra.gates, events)
        if ctl[at.STATUS] == at.RUNNING:
            advance(
                moves, weights, geo, policy, nodes, queue, bits, keys, ctl, None, None, extra.ends, extra.gates, events
            )
            if ctl[at.STATUS] == at.RUNNING:
                return i
            if keys is None:
                bucket_clear(queue, bits)
        if not close_query(weights, geo, nodes, queue, ctl, rows, i, cells, ask):
            return i
    return int(ask[at.ASK_LAST])
