"""LRTA* with an index that guides it: what knn-lrta, sglrta and others share."""

from __future__ import annotations

from waygrid.finders.indexed import IndexedFinder
from waygrid.finders.lrta import VALUE, VALUE_WIDE
from waygrid.finders.realtime import RealTimeFinder
from waygrid.finders.scratch import Shape
from waygrid.kernels import layout, lookahead, lrta


class GuidedLrta(IndexedFinder, RealTimeFinder):
    """LRTA* from subgoal to subgoal; `extra` is a `guides.Guide`."""

    _kernel = staticmethod(lrta.run)
    _step_kernel = staticmethod(lrta.step)
    _depth = 1  # of the lookahead

    def _configure(self) -> None:
        super()._configure()
        self._policy[layout.VARIANT] = self._depth

    def _shape(self) -> Shape:
        return self._sparse(VALUE_WIDE if self._wide else VALUE, lookahead.notes_size(self._depth))
