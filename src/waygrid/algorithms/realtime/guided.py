"""LRTA* with an index that guides it: what knn-lrta, sglrta and others share."""

from __future__ import annotations

from waygrid.algorithms.realtime import lookahead
from waygrid.algorithms.realtime import lrta_query as lrta
from waygrid.algorithms.realtime.lrta import VALUE, VALUE_WIDE
from waygrid.build.indexed import IndexedFinder
from waygrid.core import layout
from waygrid.search.realtime import RealTimeFinder
from waygrid.search.scratch import Shape


class GuidedLrta(IndexedFinder, RealTimeFinder):
    """LRTA* from subgoal to subgoal; `extra` is a `guides.Guide`."""

    _kernel = staticmethod(lrta.run)
    _step_kernel = staticmethod(lrta.step)
    _depth = 1  # of the lookahead

    def _configure(self) -> None:
        super()._configure()
        self._policy[layout.LOOKAHEAD] = self._depth

    def _shape(self) -> Shape:
        return self._sparse(VALUE_WIDE if self._wide else VALUE, lookahead.notes_size(self._depth))
