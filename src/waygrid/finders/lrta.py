"""LRTA*: look a few moves ahead, learn, move (Korf 1990)."""

from __future__ import annotations

import numpy as np

from waygrid.errors import WaygridError, show
from waygrid.finders.realtime import RealTimeFinder
from waygrid.finders.scratch import Shape
from waygrid.kernels import layout, lookahead, lrta

VALUE = np.dtype([("cell", "<i4"), ("h", "<i4")])
VALUE_WIDE = np.dtype([("cell", "<i4"), ("h", "<i8")])


class Lrta(RealTimeFinder):
    """LRTA*: move to the neighbour that looks best, and remember how good it looked."""

    kernel = staticmethod(lrta.run)
    step_kernel = staticmethod(lrta.step)

    def configure(self) -> None:
        super().configure()
        depth = self.options["lookahead"]
        if isinstance(depth, bool) or not isinstance(depth, (int, np.integer)) or not 1 <= depth <= 16:
            raise WaygridError(f"lookahead is {show(depth)}; allowed are the integers from 1 to 16")
        self._policy[layout.VARIANT] = depth

    def shape(self) -> Shape:
        return self.sparse(VALUE_WIDE if self.wide else VALUE, lookahead.notes_size(int(self.options["lookahead"])))
