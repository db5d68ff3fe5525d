"""The table of D LRTA*: for every two nodes of a clique abstraction the subgoal on the way from one to the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from waygrid.errors import WaygridError
from waygrid.grid.grid import Grid
from waygrid.kernels import dba_build, dlrta_build
from waygrid.kernels._types import Array
from waygrid.structures.climbable import region_spans
from waygrid.structures.cliques import Cliques, find_cliques
from waygrid.structures.floods import CanonicalFlood, uniform

MOST_NODES = 2**13  # the table takes 2 bytes for any two of them while it is built, and a flood for each
_GOALS = 32  # that a thread floods at a time


def subgoal_table(grid: Grid, level: int | None, enough: int, threads: int) -> dict[str, Array]:
    """Build what dlrta keeps: nodes of a level (None: the first with at most `enough`), and subgoals between them."""
    cut = find_cliques(grid, level, enough)
    nodes = len(cut.centres)
    if nodes > MOST_NODES:
        raise WaygridError(
            f"level {cut.level} makes {nodes} abstract nodes of this map, at most {MOST_NODES} are allowed; "
            "take a higher level"
        )
    known, counts, slots = _numbered(grid, cut, threads)
    places = np.zeros(nodes, np.int64)
    dba_build.depth_first(cut.offsets, cut.neighbours, places)
    bits = int(counts.max(initial=1)).bit_length()
    first = np.zeros(nodes + 1, np.int64)
    runs = np.zeros(dlrta_build.pack_rows(slots, places, bits, first, np.zeros(0, np.int64)), np.int64)
    dlrta_build.pack_rows(slots, places, bits, first, runs)
    spans, map_bits = region_spans(cut.region, nodes)
    listed = np.arange(known.shape[1]) < counts[:, None]
    return {
        "spans": spans,
        "offsets": np.concatenate((np.zeros(1, np.int64), np.cumsum(counts))).astype(np.uint32),
        "exits": known[listed],
        "places": places.astype(np.uint16),
        "row_first": first.astype(np.uint32),
        "runs": runs.astype(np.uint16 if nodes << bits <= 2**16 else np.uint32),
        "bits": np.array([bits, map_bits], np.int64),
        "level": np.array([cut.level], np.int64),
    }


def _numbered(grid: Grid, cut: Cliques, threads: int) -> tuple[Array, Array, Array]:
    """Return the subgoals of each node, how many they are, and for any two nodes the number of the subgoal + 1."""
    nodes = len(cut.centres)
    known, counts = np.zeros((nodes, 16), np.int32), np.zeros(nodes, np.int64)
    slots = np.zeros((nodes, nodes), np.uint16)
    for begin, exits in _subgoals(grid, cut, threads):
        done = 0
        while (done := done + dlrta_build.number_exits(exits[done:], begin + done, known, counts, slots)) < len(exits):
            known = np.concatenate((known, np.zeros_like(known)), axis=1)
    return known, counts, slots


def _subgoals(grid: Grid, cut: Cliques, threads: int) -> Iterator[tuple[int, Array]]:
    """Yield the subgoals of all nodes on the way to some goal nodes, from the first goal node on, in order."""
    nodes, flood = len(cut.centres), _flood(grid, cut)

    def part(begin: int) -> tuple[int, Array]:
        exits = np.empty((min(_GOALS, nodes - begin), nodes), np.int32)
        flood(begin, exits)
        return begin, exits

    with ThreadPoolExecutor(threads) as pool:
        yield from pool.map(part, range(0, nodes, _GOALS))


def _flood(grid: Grid, cut: Cliques) -> Callable[[int, Array], None]:
    """Return the function that fills the subgoals towards goal nodes from a first one on."""
    from waygrid.finders.flood import searched

    def canonical(begin: int, exits: Array) -> None:
        water = waters.take()
        dlrta_build.flood_out(ground, water, cut.region, cut.centres, begin, begin + len(exits), exits)
        waters.give(water)

    def plain(begin: int, exits: Array) -> None:
        table = grid.table
        for row in range(len(exits)):
            source = cut.centres[begin + row : begin + row + 1].astype(np.int64)
            dist = searched(grid, source, True)
            arrays = (table.moves, table.geo, dist, -1, cut.region, cut.centres)
            dlrta_build.walk_out(*arrays, begin + row, exits[row])

    if not uniform(grid):
        return plain
    made = CanonicalFlood(grid)
    ground, waters = made.ground, made.waters
    return canonical
