"""Dead ends: moves through gates behind which the goal does not lie are never made (Björnsson and Halldórsson)."""

from typing import NamedTuple

from waygrid.algorithms.zones.bridges import mark_trails
from waygrid.core import layout as at
from waygrid.core.events import record
from waygrid.core.jit import Array, int64, jit

_OPENED = at.CTL_SIZE  # queries so far: never begins anew, unlike the numbers of searches
_MARKS = at.CTL_SIZE + 1
_TRAIL_STEPS = 1_000_000  # after which the enumeration of trails gives up, and all zones count as relevant


class Ends(NamedTuple):
    """Bridges: gates that are the only way between two parts of the map, which therefore form a tree of blocks.

    Blocks are numbered in preorder: those behind block b are b to last[b].
    """

    zone: Array  # of each cell
    doors: Array  # for each cell, its moves through bridges; where trails are enumerated, through all gates
    block: Array  # of each zone
    last: Array  # of each block; empty where trails are enumerated


class Trails(NamedTuple):
    """The multigraph of zones, for the paper's enumeration."""

    first: Array  # for each zone, its first port; one more at the end
    enters: Array  # for each port, the zone behind it
    gate: Array  # for each port, the number of its gate


def trail_notes(zones: int, ports: int) -> int:
    """Return the room that an enumeration needs behind the state of the search: marks, stack, gates in use."""
    return 1 + zones + 2 * (ports // 2) + 1


@jit
def open_trails(trails: Trails | None, zone, ctl) -> None:
    """Mark the zones that are relevant to a query, where they are to be enumerated."""
    if trails is not None:
        zones = trails.first.size - 1
        stack = _MARKS + zones
        used = stack + trails.gate.size // 2 + 1
        ctl[_OPENED] += 1
        mark_trails(
            trails.first,
            trails.enters,
            trails.gate,
            int64(zone[ctl[at.START]]),
            int64(zone[ctl[at.GOAL]]),
            ctl[used:],
            ctl[stack:used],
            ctl[_MARKS:stack],
            ctl[_OPENED],
            _TRAIL_STEPS,
        )


@jit
def leads_on(zone, block, last, ctl, cell: int, n: int, goal: int) -> bool:
    """Return whether a goal may lie behind the gate between two cells."""
    if last.size == 0:
        return bool(ctl[_MARKS + zone[n]] == ctl[_OPENED])
    here, there, wanted = int64(block[zone[cell]]), int64(block[zone[n]]), int64(block[zone[goal]])
    child = max(here, there)
    inside = child <= wanted <= last[child]
    return bool(inside == (there == child))


@jit
def through_doors(zone, block, last, geo, ctl, cell: int, legal: int, doors: int, g: int, events) -> int:
    """Return the legal moves without those into dead ends; `doors` are the moves in question."""
    kept = legal
    for d in range(8):
        if (legal & doors) >> d & 1:
            n = cell + geo[at.STEP + d]
            if not leads_on(zone, block, last, ctl, cell, n, ctl[at.GOAL]):
                kept &= ~(1 << d)
                if events is not None:  # the way back is no dead end, though it is not taken either
                    if not leads_on(zone, block, last, ctl, cell, n, ctl[at.START]):
                        record(events, ctl, at.E_PRUNED, n, cell, g, 0)
    return kept
