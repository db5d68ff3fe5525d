"""The table of D LRTA*: for every two nodes of a clique abstraction the subgoal on the way from one to the other."""

from __future__ import annotations

import numpy as np

from waygrid.algorithms.jumps.canonical import Water
from waygrid.algorithms.jumps.floods import CanonicalFlood, uniform
from waygrid.algorithms.realtime import dlrta_build
from waygrid.algorithms.realtime.dlrta_groups import Cliques
from waygrid.algorithms.regions import dba_build
from waygrid.algorithms.regions.hcdps_regions import region_spans
from waygrid.core.types import Array
from waygrid.errors import WaygridError
from waygrid.grid.grid import Grid

MOST_NODES = 2**13  # any two of them take 6 bytes while the table is built, and each takes a flood
_FEW = 16  # subgoals of a node that there is room for at first


class ExitWork:
    """Subgoals by goal node and node: the first cell outside a node on the way from it to a goal node."""

    def __init__(self, grid: Grid, cut: Cliques) -> None:
        self._grid, self._cut = grid, cut
        self.total = len(cut.centres)
        if self.total > MOST_NODES:
            raise _too_many(cut)
        self._flood = CanonicalFlood(grid) if uniform(grid) else None
        self.scratch_bytes = 32 * grid.table.walk.size if self._flood is None else self._flood.bytes
        self.output_bytes = 4 * self.total * self.total

    def scratch(self) -> Water | None:
        """Return memory for floods; searches have their own."""
        return None if self._flood is None else self._flood.water()

    def run(self, scratch: Water | None, first: int, last: int) -> dict[str, Array]:
        """Return the subgoals of all nodes on the way to goal nodes first to last - 1."""
        from waygrid.algorithms.classic.distances import search_distances

        grid, region, centres = self._grid, self._cut.region, self._cut.centres
        exits = np.empty((last - first, self.total), np.int32)
        if self._flood is not None and scratch is not None:
            dlrta_build.flood_out(self._flood.ground, scratch, region, centres, first, last, exits)
        else:
            table = grid.table
            for goal in range(first, last):
                dist = search_distances(grid, centres[goal : goal + 1].astype(np.int64), True)
                dlrta_build.walk_out(table.moves, table.geo, dist, -1, region, centres, goal, exits[goal - first])
        return {"exits": exits}


def _too_many(cut: Cliques) -> WaygridError:
    nodes = len(cut.centres)
    if not len(cut.neighbours):  # nothing is left to merge
        return WaygridError(f"this map has {nodes} connected components; at most {MOST_NODES} are allowed")
    return WaygridError(
        f"level {cut.level} makes {nodes} abstract nodes of this map, at most {MOST_NODES} are allowed; "
        "take a higher level"
    )


def subgoal_table(cut: Cliques, exits: Array) -> dict[str, Array]:
    """Return what dlrta keeps: where nodes lie, the subgoals of each, and which of them leads to which goal node.

    exits: by goal node and node. A row of the table has the number of the subgoal for all goal nodes, in the order of a
    depth-first walk through the abstract graph, where nodes beside each other mostly share it: it is kept as runs.
    """
    nodes = len(cut.centres)
    known, counts, slots = _number_exits(exits, nodes)
    places = np.zeros(nodes, np.int64)
    dba_build.depth_first(cut.offsets, cut.neighbours, places)
    bits = int(counts.max(initial=1)).bit_length()
    first = np.zeros(nodes + 1, np.int64)
    runs = np.zeros(dlrta_build.pack_rows(slots, places, bits, first, np.zeros(0, np.int64)), np.int64)
    dlrta_build.pack_rows(slots, places, bits, first, runs)
    spans, map_bits = region_spans(cut.region, nodes)
    return {
        "spans": spans,
        "offsets": np.concatenate((np.zeros(1, np.int64), np.cumsum(counts))).astype(np.uint32),
        "exits": known[np.arange(known.shape[1]) < counts[:, None]],
        "places": places.astype(np.uint16),
        "row_first": first.astype(np.uint32),
        "runs": runs.astype(np.uint16 if nodes << bits <= 2**16 else np.uint32),
        "bits": np.array([bits, map_bits], np.int64),
        "level": np.array([cut.level], np.int64),
    }


def _number_exits(exits: Array, nodes: int) -> tuple[Array, Array, Array]:
    """Return the subgoals of each node, how many they are, and for node and goal node the number of theirs + 1."""
    known, counts = np.zeros((nodes, _FEW), np.int32), np.zeros(nodes, np.int64)
    slots = np.zeros((nodes, nodes), np.uint16)
    done = 0
    while (done := dlrta_build.number_exits(exits, done, known, counts, slots)) < nodes:
        known = np.concatenate((known, np.zeros_like(known)), axis=1)
    return known, counts, slots
