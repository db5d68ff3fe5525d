"""Step taking: no search, only the next step."""

from __future__ import annotations

import numpy as np

from waygrid.algorithms.classic import step_query as step
from waygrid.core import layout
from waygrid.errors import WaygridError, show
from waygrid.grid.topology import choose
from waygrid.search.finder import Finder
from waygrid.search.scratch import Shape

_AVOID = {"random": step.AVOID_RANDOM, "trace": step.AVOID_TRACE, "robust": step.AVOID_ROBUST}


class Step(Finder):
    """Walk towards the goal; round obstacles by random steps, by tracing the wall or by robust tracing."""

    _kernel = staticmethod(step.run)

    def _configure(self) -> None:
        self._policy[layout.AVOID] = _AVOID[choose("avoid", self.options["avoid"], _AVOID)]
        for name, least in (("seed", -(2**62)), ("max_steps", 1)):
            value = self.options[name]
            if value is not None and (not isinstance(value, (int, np.integer)) or not least <= value < 2**62):
                raise WaygridError(f"{name} is {show(value)}; allowed are {self.info.options[name].allowed}")
        self._policy[layout.SEED] = self.options["seed"] or 0
        cells = self.grid.width * self.grid.height
        self._policy[layout.LIMIT_STEPS] = self.options["max_steps"] or 16 * cells

    def _refresh(self) -> None:
        self._policy[layout.ONE_WAY] = self.grid.has_one_way
        super()._refresh()

    def _record_bytes(self) -> tuple[int, int]:
        return 4, 0  # the way walked

    def _shape(self) -> Shape:
        return Shape(self.grid.width * self.grid.height, False, 4096, 0, False)
