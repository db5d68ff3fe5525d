"""A* and Dijkstra with goal bounding: the best-first loop, with a box of goals for every move."""

from waygrid.algorithms.classic.best_first_query import advance, begin
from waygrid.core import layout as at
from waygrid.core.jit import Array, jit
from waygrid.core.query import close_query, in_hand, open_query
from waygrid.core.queue import bucket_clear


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
    extra: Array | None,
    events: Array | None,
    queries: Array,
    rows: Array,
    cells: Array,
    ask: Array,
) -> int:
    """Answer queries, as `bestfirst.run` does; `extra` holds the boxes, (cells, 8, 4)."""
    ctl[at.BUDGET] = ask[at.ASK_BUDGET]
    for i in range(ask[at.ASK_FIRST], ask[at.ASK_LAST]):
        if not in_hand(ask, i):
            open_query(geo, labels, nodes, ctl, queries, i, ask, events)
            if ctl[at.STATUS] == at.RUNNING:
                begin(policy, geo, nodes, queue, bits, keys, ctl, None, events)
        if ctl[at.STATUS] == at.RUNNING:
            advance(moves, weights, geo, policy, nodes, queue, bits, keys, ctl, None, extra, None, None, events)
            if ctl[at.STATUS] == at.RUNNING:
                return i
            if keys is None:
                bucket_clear(queue, bits)
        if not close_query(weights, geo, nodes, queue, ctl, rows, i, cells, ask):
            return i
    return int(ask[at.ASK_LAST])
