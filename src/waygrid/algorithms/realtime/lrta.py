"""LRTA*: look a few moves ahead, learn, move (Korf 1990)."""

from __future__ import annotations

import numpy as np

from waygrid.algorithms.realtime import lookahead
from waygrid.algorithms.realtime import lrta_query as lrta
from waygrid.core import layout
from waygrid.search.realtime import RealTimeFinder
from waygrid.search.scratch import Shape

VALUE = np.dtype([("cell", "<i4"), ("h", "<i4")])
VALUE_WIDE = np.dtype([("cell", "<i4"), ("h", "<i8")])


class Lrta(RealTimeFinder):
    """LRTA*: move to the neighbour that looks best, and remember how good it looked."""

    _kernel = staticmethod(lrta.run)
    _step_kernel = staticmethod(lrta.step)

    def _configure(self) -> None:
        super()._configure()
        self._policy[layout.LOOKAHEAD] = self.options["lookahead"]

    def _shape(self) -> Shape:
        return self._sparse(VALUE_WIDE if self._wide else VALUE, lookahead.notes_size(self.options["lookahead"]))
