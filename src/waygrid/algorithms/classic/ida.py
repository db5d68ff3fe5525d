"""IDA*: the memory of one path, after Yap."""

from __future__ import annotations

from waygrid.algorithms.classic import ida_query as ida
from waygrid.core import layout
from waygrid.core.types import Array
from waygrid.search.finder import Finder
from waygrid.search.heuristics import heuristic
from waygrid.search.scratch import Scratch, Shape

_PRUNING = {
    "none": ida.PRUNE_NONE,
    "reverse": ida.PRUNE_REVERSE,
    "paper": ida.PRUNE_PAPER,
    "sound": ida.PRUNE_SOUND,
}


class Ida(Finder):
    """Iterative deepening A*; `pruning` says which moves are left out."""

    _kernel = staticmethod(ida.run)
    _takes_one_weight = True

    def _configure(self) -> None:
        self._heuristic = heuristic(self.options["heuristic"], self.grid, 1.0)

    @property
    def optimal(self) -> bool:
        return self._heuristic.admissible and self.options["pruning"] != "paper"

    @property
    def _event_unit(self) -> int:
        return self.grid.cardinal_price

    def _record_bytes(self) -> tuple[int, int]:
        return 0, 12  # a place on the stack: cell, cost so far, moves left

    def _estimate(self, start: Array, goal: Array) -> int:
        return self._heuristic.of(self._policy, self.grid, start, goal)

    def _refresh(self) -> None:
        self._heuristic.write(self._policy, self.grid)
        pruning = self.options["pruning"]
        if pruning == "sound" and self.grid.has_one_way:
            pruning = "reverse"  # the short cut that makes a turn superfluous may be against a one-way tile
        self._policy[layout.PRUNING] = _PRUNING[pruning]
        super()._refresh()

    def _shape(self) -> Shape:
        return Shape(self.grid.width * self.grid.height, False, 4096, 4096, False)

    def _so_far(self, scratch: Scratch, ctl: Array) -> Array:
        depth = int(ctl[ida.BEST_DEPTH])
        ctl[layout.END], ctl[layout.LISTED] = ctl[layout.BEST], depth + 1
        listed: Array = scratch.nodes["next"][: depth + 1].copy()
        return listed
