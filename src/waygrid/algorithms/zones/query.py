"""A* that knows the zones of the map: the best-first loop with dead ends, gates, or both."""

from typing import NamedTuple

from waygrid.algorithms.classic.best_first_query import NO_INDEX, advance, begin, clear_open
from waygrid.algorithms.zones.dead_end_query import Ends, Trails, open_trails
from waygrid.algorithms.zones.gateway_query import Gates
from waygrid.core.driver import make_query_loop
from waygrid.core.jit import Array, jit


class Zoned(NamedTuple):
    """What a search may know of the zones."""

    zone: Array  # of each cell
    ends: Ends | None
    trails: Trails | None
    gates: Gates | None


@jit
def begin_in_zone(
    policy, geo, nodes, queue, bits, keys, ctl, zone, trails: Trails | None, gates: Gates | None, events
) -> None:
    """Find out which zones may lie on the way, and put the start on the open list."""
    open_trails(trails, zone, ctl)
    begin(policy, geo, nodes, queue, bits, keys, ctl, gates, events)


run = make_query_loop(
    __name__, begin_in_zone, advance, clear_open, names=NO_INDEX | {name: f"index.{name}" for name in Zoned._fields}
)
