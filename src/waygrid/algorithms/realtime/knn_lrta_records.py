"""Solved problems, kept as subgoals that hill climbing can follow: the database of kNN LRTA*."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from waygrid.algorithms.jumps.floods import uniform
from waygrid.algorithms.realtime import knn_lrta_guide as knn
from waygrid.algorithms.regions import dba_build
from waygrid.algorithms.regions.climb import ENDLESS
from waygrid.core.types import Array
from waygrid.errors import WaygridError
from waygrid.grid.grid import Grid


def random_pairs(grid: Grid, count: int, seed: int) -> Array:
    """Return rows of start and goal (x, y, x, y) in one part of the map, each pair once, so there may be fewer."""
    labels = _parts(grid.table.labels)
    cells = np.argsort(labels, kind="stable")[np.count_nonzero(labels < 0) :]
    # Not PCG64(seed): problems that a user draws with the same seed would be those of the database.
    chance = np.random.Generator(np.random.PCG64(np.random.SeedSequence((seed, len(cells)))))
    starts = cells[chance.integers(0, len(cells), count)] if len(cells) else cells
    own = labels[starts]
    first, behind = (np.searchsorted(labels[cells], own, side=side) for side in ("left", "right"))
    goals = cells[chance.integers(first, behind)] if len(cells) else cells
    pairs = np.unique(np.stack((starts, goals), axis=1), axis=0)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    rows = np.stack([pairs % grid.width, pairs // grid.width], axis=2)
    return np.asarray(rows.reshape(-1, 4), np.int64)


def _parts(labels: Array) -> Array:
    """Return the first cell of each cell's part, -1 for walls; labels depend on the edits of the map, this does not."""
    cells = np.flatnonzero(labels >= 0)[::-1]
    first = np.zeros(int(labels.max(initial=-1)) + 1, np.int64)
    first[labels[cells]] = cells  # of equal places the last stays
    parts = np.full(labels.shape, -1, np.int64)
    parts[cells] = first[labels[cells]]
    return parts


class RecordWork:
    """Subgoals of all pairs: `counts`, how many each has, and `subgoals`, one after the other."""

    def __init__(self, grid: Grid, pairs: Array) -> None:
        from waygrid.algorithms.make import make_finder

        self._grid, self._pairs = grid, pairs
        self._finder: Any = make_finder("jps" if uniform(grid) else "astar", grid)
        self.total = len(pairs)
        self.scratch_bytes = self._finder.memory.agent_bytes
        self.output_bytes = 32 * self.total

    def scratch(self) -> None:
        """Searches have memory of their own."""

    def run(self, scratch: None, first: int, last: int) -> dict[str, Array]:
        """Return the subgoals of pairs first to last - 1."""
        table, some = self._grid.table, self._pairs[first:last]
        paths = self._finder.find_many(some[:, :2], some[:, 2:], 1)
        counts, subgoals = np.zeros(len(some), np.int64), np.zeros(len(paths.cells) + 1, np.int64)
        known = (table.moves, table.geo, paths.cells, paths.offsets, ENDLESS)
        total = dba_build.compress_paths(*known, counts, subgoals)
        return {"counts": counts.astype(np.int32), "subgoals": subgoals[:total].astype(np.int32)}


def record_database(pairs: Array, made: Mapping[str, Array]) -> dict[str, Array]:
    """Return the index: pairs with subgoals, in blocks of records near each other."""
    counts = made["counts"].astype(np.int64)
    begins = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts)))
    kept = np.nonzero(counts)[0]
    kept = kept[near_order(pairs[kept])]
    counts = counts[kept]
    first = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts)))
    places = np.arange(first[-1]) + np.repeat(begins[kept] - first[:-1], counts)
    ends = pairs[kept]
    kind = np.int16 if ends.max(initial=0) < 2**15 else np.int32
    return {
        "boxes": block_boxes(ends),
        "ends": ends.astype(kind),
        "first": first.astype(np.int32),
        "subgoals": made["subgoals"][places].astype(np.int32),
    }


def block_boxes(ends: Array) -> Array:
    """Return for each block of records the box of its starts and that of its goals."""
    begins = np.arange(0, len(ends), knn.BLOCK)
    if len(begins) == 0:
        return np.zeros((0, 8), np.int32)
    low, high = np.minimum.reduceat(ends, begins), np.maximum.reduceat(ends, begins)
    return np.concatenate((low[:, :2], high[:, :2], low[:, 2:], high[:, 2:]), axis=1).astype(np.int32)


def near_order(ends: Array) -> Array:
    """Return an order in which each block of records lies close together: the leaves of a kd-tree, from left to right.

    A part is halved along its longest side, at a multiple of the size of blocks.
    """
    parts, done = [np.arange(len(ends))], []
    while parts:
        part = parts.pop()
        if len(part) <= knn.BLOCK:
            done.append(part)
            continue
        side = int(np.argmax(np.ptp(ends[part], axis=0)))
        sorted_part = part[np.argsort(ends[part, side], kind="stable")]
        half = -(-len(part) // (2 * knn.BLOCK)) * knn.BLOCK
        parts += (sorted_part[half:], sorted_part[:half])
    return np.concatenate([*done, np.zeros(0, np.int64)]).astype(np.int64)


def verify_records(grid: Grid, index: Mapping[str, Array]) -> None:
    """Climb along every record; an error names the first that cannot be followed."""
    table = grid.table
    record = knn.first_broken(table.moves, table.geo, *(index[name] for name in ("ends", "first", "subgoals")))
    if record >= 0:
        x, y, goal_x, goal_y = index["ends"][record].tolist()
        raise WaygridError(f"the stored path from {(x, y)} to {(goal_x, goal_y)} cannot be climbed")
