"""JPS+ with goal bounding (Rabin and Sturtevant): jump points whose boxes hold the goal."""

from __future__ import annotations

from waygrid.algorithms.bounds.boxes import VERSION, box_work
from waygrid.algorithms.jumps.jps import JpsPlus
from waygrid.algorithms.jumps.turns import bound_turns, turn_graph
from waygrid.build.sweep import build_key, sweep
from waygrid.core.types import Array


class JpsPlusGb(JpsPlus):
    """JPS+ with goal bounds.

    The boxes hold all ties of canonical paths: with one label per cell the two ends of a tie can disagree, and the goal
    is lost between them.
    """

    _ARRAYS = ("moves", "tags", "turns", "edges")
    _askable = 12

    def _build(self) -> dict[str, Array]:
        grid, plan = self.grid, self._plan
        key = build_key("goal-bounds", grid.fingerprint(), {"ties": "canonical"}, VERSION)
        graph = turn_graph(grid.table)
        bounds = sweep(box_work(grid, "canonical", plan.device, plan.memory, graph), plan, key)
        bound_turns(grid.table, graph, bounds["boxes"])
        return graph
