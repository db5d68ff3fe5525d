"""Canonical floods over a grid: what they read, made once for a version of the grid, and memory for each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from waygrid.algorithms.jumps import canonical
from waygrid.algorithms.jumps.turns import TurnTypes, list_turns, turn_records, turn_types
from waygrid.core import layout
from waygrid.core.types import Array
from waygrid.grid.grid import Grid
from waygrid.search.pool import Pool


def uniform(grid: Grid) -> bool:
    """Return whether the canonical flood serves a grid."""
    octile = grid.topology == "octile" and grid.corners in ("never", "always")
    return octile and grid.weights is None and not grid.has_one_way


class FloodTypes(NamedTuple):
    """What the compiled variant of a grid's canonical flood depends on."""

    wide: bool  # 64-bit distances
    turns: TurnTypes

    @classmethod
    def of(cls, grid: Grid) -> FloodTypes:
        """Return the types that a grid needs."""
        return cls(grid.table.longest >= 2**31, turn_types(grid.table))


def compile_flood(types: FloodTypes) -> None:
    """Compile a canonical flood by using it on a tiny map."""
    CanonicalFlood(Grid(np.ones((2, 2))), types=types).distances(np.zeros(1, np.int64))


class CanonicalFlood:
    """What canonical floods over a grid need: its jump table and turns, and memory for each flood."""

    def __init__(self, grid: Grid, graph: Mapping[str, Array] | None = None, types: FloodTypes | None = None) -> None:
        """graph: of turns, where it is known. types: where others than the grid needs are wanted."""
        table, types = grid.table, types or FloodTypes.of(grid)
        if graph is None:
            distances, tags, listed = list_turns(table, types=types.turns)
        else:
            distances, tags, listed = graph["jumps"], graph["tags"], turn_records(table, graph)[0]
        self.turns = len(listed) - 1
        turning = bool((listed["d"][:-1] >= 4).any())
        self.ground = canonical.Ground(table.moves, table.geo, distances, tags, listed, turning)
        side = max(grid.width, grid.height)
        # A line, diagonal and then straight, crosses at most so many buckets.
        reach = side * (1 + int(table.geo[layout.DIAGONAL]) // int(table.geo[layout.CARDINAL]) + 1) + 4
        self.window = max(4096, 1 << reach.bit_length())
        self.wide = types.wide
        self.cells = table.moves.size
        self._pool = Pool(self.water, kept=2)

    @property
    def bytes(self) -> int:
        """Memory of one flood."""
        return self.cells * (9 if self.wide else 5) + self.turns * 24 + self.window * 5

    def water(self) -> canonical.Water:
        """Return memory for one flood."""
        return canonical.Water(
            np.zeros(self.cells, np.int64 if self.wide else np.int32),
            np.zeros(self.cells, np.uint8),
            np.zeros(self.turns, layout.NODE_WIDE if self.wide else layout.NODE),
            np.full(self.window, -1, np.int32),
            np.zeros(self.window // 64 + self.window // 4096, np.uint64),
        )

    def distances(self, sources: Array) -> Array:
        """Return the distance of every cell from the nearest source; -1 where there is no way."""
        water = self._pool.take()
        canonical.flood(self.ground, water, sources)
        # 64-bit, as the best-first loop's: one type for what reads both
        dist = np.where(water.dist == canonical.largest_distance(water.dist), np.int64(-1), water.dist)
        self._pool.give(water)
        return dist
