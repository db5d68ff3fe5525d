"""Goal bounding on A* and Dijkstra: a move is tried only if the box of its goals holds this one."""

from __future__ import annotations

from waygrid.algorithms.bounds import query as bounded
from waygrid.algorithms.bounds.box_type import box_type
from waygrid.algorithms.bounds.boxes import VERSION, box_work
from waygrid.algorithms.classic.best_first import AStar, BestFirstFinder, Dijkstra
from waygrid.algorithms.jumps.floods import uniform
from waygrid.build.checks import require_array
from waygrid.build.indexed import IndexedFinder
from waygrid.build.sweep import build_key, sweep
from waygrid.core.types import Array
from waygrid.errors import WaygridError


class Bounded(IndexedFinder, BestFirstFinder):
    """What both share: the boxes. Those of Dijkstra and A* are the same, and independent of the heuristic."""

    _kernel = staticmethod(bounded.run)
    _ARRAYS = ("boxes",)

    def _build(self) -> dict[str, Array]:
        ties, grid, plan = self.options["ties"], self.grid, self._plan
        if plan.device == "gpu" and (ties != "one" or not uniform(grid)):
            raise WaygridError(
                f"{self.info.name} builds on device 'gpu' with ties='one' and on octile grids with corners never or "
                f"always, without weights and one-way tiles; take device='cpu'"
            )
        key = build_key("goal-bounds", grid.fingerprint(), {"ties": ties}, VERSION)
        return sweep(box_work(grid, ties, plan.device, plan.memory), plan, key)

    def _check_index(self) -> None:
        # Goals are compared with boxes, and nothing else: whatever the numbers in them are, a search ends.
        require_array(self.index, "boxes", box_type(self.grid.table.geo), (self.grid.table.moves.size, 8, 4))

    def _index_arrays_for(self, moves: Array) -> Array:
        return self.index["boxes"]


class AStarGb(Bounded, AStar):
    """A* with goal bounding."""


class DijkstraGb(Bounded, Dijkstra):
    """Dijkstra with goal bounding."""
