"""PRA*: A* over regions of sectors, refined cell by cell (Sturtevant 2007; Lee and Lawrence, section 2.2)."""

from __future__ import annotations

import numpy as np

from waygrid.algorithms.classic.best_first import AStar
from waygrid.algorithms.regions import pra_agent
from waygrid.algorithms.regions import pra_query as pra
from waygrid.algorithms.regions.checks import list_owners, require_joined, require_sectors
from waygrid.algorithms.regions.pra_centres import optimised_centres
from waygrid.algorithms.regions.sectors import find_sectors
from waygrid.algorithms.regions.stored_paths import smallest_kind
from waygrid.build.checks import require, require_array, require_offsets, require_range
from waygrid.build.indexed import IndexedFinder
from waygrid.core import layout
from waygrid.core.types import Array
from waygrid.search.cells import count_threads
from waygrid.search.heuristics import heuristic
from waygrid.search.realtime import FIRST_SLOTS, node_record, pool_shape
from waygrid.search.scratch import Scratch, Shape

LISTS = ("way0", "way1", "region")  # the leg that is walked, the next one, and the regions that are left
NODE, NODE_WIDE = node_record("<i4", LISTS), node_record("<i8", LISTS)


class Pra(IndexedFinder, AStar):
    """From the start to the centre of the second region, from centre to centre, and to the goal, each by A*."""

    _kernel = staticmethod(pra.run)
    _step_kernel = staticmethod(pra_agent.step)
    _ARRAYS = pra.Regions._fields
    optimal = False

    def _configure(self) -> None:
        self._heuristic = heuristic(None, self.grid, 1.0)
        self._policy[layout.TRIM] = self.options["trim"]

    def _build(self) -> dict[str, Array]:
        cut = find_sectors(self.grid, self.options["sector"])
        if self.options["centres"] == "optimised":
            cut = cut._replace(centres=optimised_centres(self.grid, cut, count_threads(self._plan.threads)))
        small = smallest_kind(len(cut.centres))
        regions = (cut.plan, cut.first.astype(small), cut.centres, cut.offsets, cut.neighbours.astype(small))
        return dict(zip(self._ARRAYS, (*regions, self._places(cut.centres)), strict=True))

    def _places(self, centres: Array) -> Array:
        """Return x and y of representatives."""
        kind = np.uint16 if max(self.grid.width, self.grid.height) <= 2**16 else np.int32
        return np.stack((centres % self.grid.width, centres // self.grid.width), axis=1).astype(kind)

    def _check_index(self) -> None:
        index = self.index
        components = require_sectors(self.grid, index, self.options["sector"])
        regions = len(components)
        neighbours = require_array(index, "neighbours", smallest_kind(regions), (None,))
        offsets = require_array(index, "offsets", np.int32, (regions + 1,))
        require_offsets(offsets, "array 'offsets'", len(neighbours))
        require_range(neighbours, "array 'neighbours'", 0, regions - 1)
        require_joined(neighbours, list_owners(offsets), "array 'neighbours'", components)
        places = self._places(index["centres"])
        require_array(index, "places", places.dtype, places.shape)
        require(np.array_equal(index["places"], places), "array 'places' does not agree with 'centres'")

    @property
    def compact_bytes(self) -> int:
        """Memory that the index would take in Sturtevant's layout: 4 bytes a sector, 2 a region, 1 an edge."""
        return find_sectors(self.grid, self.options["sector"]).compact_bytes

    def _shape(self) -> Shape:
        plan, regions = self.index["plan"], len(self.index["centres"])
        passable = int(np.count_nonzero(self.grid.table.walk))
        shape = self._bucket_shape()
        notes = pra.notes_size(int(plan[0] * plan[1]), regions)
        # A path may pass a cell more than once; twice as many as there are has not been seen.
        return shape._replace(cells=max(shape.cells, regions), listed=max(passable + 2, 2 * regions), notes=notes)

    def _agent_shape(self) -> Shape:
        """An agent keeps the search of one leg; the pool has room for one search within a sector."""
        plan = self.index["plan"]
        slot = NODE_WIDE if super()._shape().wide else NODE
        return pool_shape(slot, FIRST_SLOTS, 2 * int(plan[0] * plan[1]))

    def _index_arrays_for(self, moves: Array) -> pra.Regions:
        return pra.Regions(**{name: self.index[name] for name in self._ARRAYS})

    def _so_far(self, scratch: Scratch, ctl: Array) -> Array:
        assert scratch.spare is not None
        way: Array = np.concatenate((scratch.spare, np.zeros(scratch.nodes.size, np.int32)))
        start, best = int(ctl[layout.START]), int(ctl[layout.BEST])
        ctl[layout.LISTED] = pra.add_leg(self.grid.table.geo, scratch.nodes, start, best, way, int(ctl[pra.LENGTH]))
        return way

    def _record_bytes(self) -> tuple[int, int]:
        return super()._record_bytes()[0], 0
