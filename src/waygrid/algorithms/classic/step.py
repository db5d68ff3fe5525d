"""Step taking: no search, only the next step."""

from __future__ import annotations

from waygrid.algorithms.classic import step_query as step
from waygrid.core import layout
from waygrid.search.finder import Finder
from waygrid.search.scratch import Shape

_MOST = 2**62  # larger seeds and limits do not fit the policy
_AVOID = {"random": step.AVOID_RANDOM, "trace": step.AVOID_TRACE, "robust": step.AVOID_ROBUST}


class Step(Finder):
    """Walk towards the goal; round obstacles by random steps, by tracing the wall or by robust tracing."""

    _kernel = staticmethod(step.run)
    _takes_one_weight = True

    def _configure(self) -> None:
        self._policy[layout.AVOID] = _AVOID[self.options["avoid"]]
        self._policy[layout.SEED] = (self.options["seed"] + _MOST) % (2 * _MOST) - _MOST
        cells = self.grid.width * self.grid.height
        self._policy[layout.LIMIT_STEPS] = min(self.options["max_steps"] or 16 * cells, _MOST)

    def _refresh(self) -> None:
        self._policy[layout.ONE_WAY] = self.grid.has_one_way
        super()._refresh()

    def _record_bytes(self) -> tuple[int, int]:
        return 4, 0  # the way walked

    def _shape(self) -> Shape:
        return Shape(self.grid.width * self.grid.height, False, 4096, 0, False)
