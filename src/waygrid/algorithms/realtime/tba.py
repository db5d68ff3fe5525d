"""Time-Bounded A*: one A*, spread over the moves of an agent (Björnsson, Bulitko and Sturtevant 2009)."""

from __future__ import annotations

from waygrid.algorithms.realtime import tba_agent as tba
from waygrid.algorithms.realtime import tba_query as tba_run
from waygrid.core import layout
from waygrid.search.agents import check_count
from waygrid.search.realtime import RealTimeFinder, node_record
from waygrid.search.scratch import Shape

LISTS = ("way0", "way1", "at0", "at1")  # two paths, and where in them a node is
NODE, NODE_WIDE = node_record("<i4", LISTS), node_record("<i8", LISTS)


class Tba(RealTimeFinder):
    """TBA*: expand a little, trace a little, make a move."""

    _kernel = staticmethod(tba_run.run)
    _step_kernel = staticmethod(tba.step)

    def _configure(self) -> None:
        super()._configure()
        work, split = check_count("expansions", self.options["expansions"]), self.options["split"]
        self._policy[layout.STEP_WORK], self._policy[layout.SPLIT] = work, max(1, round(1000 * split))

    def _shape(self) -> Shape:
        return self._sparse(NODE_WIDE if self._wide else NODE)
