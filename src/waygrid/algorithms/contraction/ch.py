"""Contraction hierarchies: cheapest paths from a small index that is built in a moment."""

from __future__ import annotations

from math import gcd

import numpy as np

from waygrid.algorithms.contraction import ch_query as query
from waygrid.algorithms.contraction.build import build_labels
from waygrid.algorithms.contraction.labels_build import find_bad_label
from waygrid.algorithms.contraction.neighbours_build import FROM_TARGET
from waygrid.algorithms.contraction.tiles import map_tiles
from waygrid.algorithms.contraction.tiles_build import find_bad_jump
from waygrid.algorithms.jumps.jps import JumpFinder
from waygrid.algorithms.pathdb.turntable_query import BEST_COUNT
from waygrid.build.checks import require, require_array, require_offsets, require_range
from waygrid.build.indexed import IndexedFinder
from waygrid.core import layout
from waygrid.core.types import Array
from waygrid.errors import WaygridError
from waygrid.search.scratch import Scratch, Shape

_LONGEST_SIDE = 2**16 - 1


class ContractionFinder(IndexedFinder, JumpFinder):
    """Jumps of all cells, the hierarchy of the spots, and their labels."""

    _kernel = staticmethod(query.run)
    _knows_waypoints = True
    _askable = 100
    _ARRAYS = query.Hierarchy._fields

    def _configure(self) -> None:
        metric = self.grid._metric
        if gcd(metric.cardinal, metric.diagonal) == 1:
            self._policy[layout.INVERSE] = pow(metric.diagonal, -1, metric.cardinal)
            self._policy[layout.APART_BELOW] = metric.cardinal * metric.diagonal * (1 + metric.diagonal % 2)

    def _build(self) -> dict[str, Array]:
        grid, table = self.grid, self.grid.table
        if max(grid.width, grid.height) > _LONGEST_SIDE:
            raise WaygridError(f"the map has {grid.width} x {grid.height} cells; ch takes sides up to {_LONGEST_SIDE}")
        tiles = map_tiles(table)
        made, (labels, hubs, costs, steps) = build_labels(grid, tiles, self._plan)
        spots = np.zeros_like(tiles.spots)
        spots[made.ranks] = tiles.spots
        return {
            **tiles._replace(spots=spots)._asdict(),
            "ranks": made.ranks,
            "first": made.first,
            "arcs": made.arcs,
            "labels": labels,
            "hubs": hubs,
            "costs": costs,
            "steps": steps,
        }

    def _check_index(self) -> None:
        index, geo = self.index, self.grid.table.geo
        tiles = -(-self.grid.width // 8) * -(-self.grid.height // 8)
        places = require_array(index, "places", np.int32, (tiles,))
        masks = require_array(index, "masks", np.uint64, (tiles,))
        jumps = require_array(index, "jumps", np.int8, (None, 8))
        require(len(jumps) > 0 and len(jumps) % 64 == 0, f"array 'jumps' has {len(jumps)} rows; they come in 64s")
        require_range(places, "array 'places'", 0, len(jumps) // 64 - 1)
        spots = require_array(index, "spots", np.uint16, (None, 2))
        numbers = require_array(index, "numbers", np.int32, (tiles + 1,))
        require_offsets(numbers, "array 'numbers'", len(spots))
        ranks = require_array(index, "ranks", np.int32, (len(spots),))
        require_range(ranks, "array 'ranks'", 0, len(spots) - 1)
        bits = np.unpackbits(masks.view(np.uint8)).reshape(-1, 64).sum(axis=1)
        require(np.array_equal(bits, np.diff(numbers)), "array 'numbers' does not number the spots one by one")
        require_range(spots[:, 0], "array 'spots', x,", 0, self.grid.width - 1)
        require_range(spots[:, 1], "array 'spots', y,", 0, self.grid.height - 1)
        bad = find_bad_jump(geo, places, masks, jumps)
        require(bad < 0, f"array 'jumps' leads from cell {bad} to where it may not")
        arcs = require_array(index, "arcs", np.int32, (None, 4))
        first = require_array(index, "first", np.int32, (len(spots) + 1,))
        require_offsets(first, "array 'first'", len(arcs))
        require_range(arcs[:, 0], "array 'arcs', upper spot,", 0, len(spots) - 1)
        require_range(arcs[:, 1], "array 'arcs', middle spot,", FROM_TARGET, len(spots) - 1)
        self._check_shortcuts(first, arcs)
        hubs = require_array(index, "hubs", np.int32, (None,))
        require_range(hubs, "array 'hubs'", 0, len(spots) - 1)
        costs = require_array(index, "costs", (np.int32, np.int64), (len(hubs),))
        require_range(costs, "array 'costs'", 0, 2**40)
        steps = require_array(index, "steps", np.uint16, (len(hubs),))
        labels = require_array(index, "labels", np.int64, (len(spots), 2))
        bad = find_bad_label(first, labels, hubs, steps)
        require(bad < 0, f"array 'labels' or 'steps' leads from spot {bad} to no label or arc of it")

    @staticmethod
    def _check_shortcuts(first: Array, arcs: Array) -> None:
        """Refuse shortcuts whose two arcs are not those from their middle to their ends."""
        sources = np.repeat(np.arange(len(first) - 1), np.diff(first))
        short = arcs[arcs[:, query.MIDDLE] >= 0]
        parts = short[:, query.DOWN :]
        require_range(parts, "array 'arcs', part,", 0, len(arcs) - 1)
        ends = np.stack((sources[arcs[:, query.MIDDLE] >= 0], short[:, query.UPPER]), axis=1)
        sound = (sources[parts] == short[:, query.MIDDLE : query.MIDDLE + 1]) & (arcs[parts, query.UPPER] == ends)
        require(bool(sound.all()), "array 'arcs' has shortcuts that lead round other ways")

    def _shape(self) -> Shape:
        spots = len(self.index["spots"])
        ends = 2 * 2 * (8 * min(self.grid.width, self.grid.height) + 8)
        return Shape(1, False, 4 * spots + 64, spots + ends, False, 2 * spots + 8)

    def _so_far(self, scratch: Scratch, ctl: Array) -> Array:
        return self._list_so_far(scratch, ctl, int(ctl[BEST_COUNT]))

    def _index_arrays_for(self, moves: Array) -> query.Hierarchy:
        return query.Hierarchy(**self.index)
