"""LRTA* with an index that guides it: what knn-lrta, sglrta and others share."""

from __future__ import annotations

from waygrid.finders.indexed import IndexedFinder
from waygrid.finders.lrta import VALUE, VALUE_WIDE
from waygrid.finders.realtime import RealTimeFinder
from waygrid.finders.scratch import Shape
from waygrid.kernels import layout, lookahead, lrta


class GuidedLrta(IndexedFinder, RealTimeFinder):
    """LRTA* from subgoal to subgoal; `extra` is a `guides.Guide`."""

    kernel = staticmethod(lrta.run)
    step_kernel = staticmethod(lrta.step)
    depth = 1  # of the lookahead

    def configure(self) -> None:
        super().configure()
        self._policy[layout.VARIANT] = self.depth

    def shape(self) -> Shape:
        return self.sparse(VALUE_WIDE if self.wide else VALUE, lookahead.notes_size(self.depth))
