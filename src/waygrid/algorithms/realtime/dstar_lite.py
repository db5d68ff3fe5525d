"""D* Lite: an agent whose map may be wrong, and which repairs its plan (Koenig and Likhachev 2002)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from waygrid.algorithms.realtime import dstar_lite_query as query
from waygrid.algorithms.realtime.dstar_lite_belief import Beliefs
from waygrid.core import layout
from waygrid.core.moves import compile_window
from waygrid.core.types import Array
from waygrid.errors import WaygridError
from waygrid.formats import read_map
from waygrid.formats.rules import LARGEST_SIDE
from waygrid.search.realtime import RealTimeFinder
from waygrid.search.registry import remade
from waygrid.search.request import Memory, Request
from waygrid.search.scratch import Shape


def _node(distance: str) -> np.dtype[np.void]:
    """Return the type of an agent's records. Keys grow with the way that the agent walks, beyond all distances."""
    costs = [(name, distance) for name in ("g", "rhs", "prev")]
    return np.dtype([("key", "<i8"), *costs, *((name, "<i4") for name in ("cell", "ways", "next", "entry", "hash"))])


NODE, NODE_WIDE = _node("<i4"), _node("<i8")


class DstarLite(RealTimeFinder):
    """D* Lite: plan from the goal, walk, look around, and repair the plan where the map was wrong."""

    _kernel = staticmethod(query.run)
    _step_kernel = staticmethod(query.step)

    def _configure(self) -> None:
        super()._configure()
        self._policy[layout.RADIUS] = min(self.options["radius"], LARGEST_SIDE)
        self._mask = self._read_known()
        self._known: tuple[Array, Array] | None = None
        if self._mask is not None:
            geo, cells = self.grid.table.geo, self._mask.size
            walk, moves = np.zeros(cells, np.uint8), np.zeros(cells, np.uint8)
            passable, all_exits = self._mask.astype(np.uint8).reshape(-1), np.zeros(1, np.uint8)
            compile_window(
                passable, walk, moves, all_exits, geo, np.zeros(1024, np.uint8), 0, 0, self.grid.width, self.grid.height
            )
            self._known = walk, moves

    def _read_known(self) -> npt.NDArray[np.bool_] | None:
        """Return the mask of cells that agents believe to be passable at first; None: those that are."""
        known, where = self.options["known"], "known"
        if isinstance(known, Path):
            known, where = read_map(known).passable, f"known={known}"
        if known is not None and known.shape != (self.grid.height, self.grid.width):
            raise WaygridError(f"{where} has shape {known.shape}, the map has {(self.grid.height, self.grid.width)}")
        mask: npt.NDArray[np.bool_] | None = known
        return mask

    def _refresh(self) -> None:
        weights, policy = self.grid.weights, self._policy.copy()
        policy[layout.LEAST_WEIGHT] = 1 if weights is None else int(weights.min())
        self._policy = policy
        super()._refresh()

    @property
    def _wide(self) -> bool:
        """Whether distances need 64 bits. What agents believe to be passable may be any cell."""
        weights, cells = self.grid.weights, self.grid.width * self.grid.height
        total = cells if weights is None else int(weights.sum(dtype=np.int64))
        dearest = 1 if weights is None else int(weights.max())
        diagonal = int(self.grid.table.geo[layout.DIAGONAL])
        return max((total + dearest) * diagonal, self.grid.table.longest) >= 2**31

    def _shape(self) -> Shape:
        return self._sparse(NODE_WIDE if self._wide else NODE)

    def _agent_records(self) -> int:
        return self.grid.width * self.grid.height  # walls that an agent saw have records too

    def _index_arrays_for(self, moves: Array) -> Beliefs:
        return self._arrays_for_blocked(self.grid.table.walk, moves)

    def _arrays_for_blocked(self, walk: Array, moves: Array) -> Beliefs:
        """Agents do not know of blocked cells before they see them."""
        table = self.grid.table
        return Beliefs(walk, *((table.walk, table.moves) if self._known is None else self._known))

    def _agent_arrays(self) -> Beliefs:
        """Edits change the tables of the grid, so that the agents keep the map of when they were started."""
        table = self.grid.table
        return Beliefs(table.walk, *((table.walk.copy(), table.moves.copy()) if self._known is None else self._known))

    def _snapshot_bytes(self) -> int:
        table = self.grid.table
        return table.walk.nbytes + table.moves.nbytes if self._known is None else 0

    def _request(
        self, partial: bool, max_expansions: Any, max_time: Any, blocked: Any, waypoints: bool = False
    ) -> Request:
        if partial and self._mask is not None:
            raise WaygridError("partial is True; with known= an agent of dstar-lite only goes to its goal")
        return super()._request(partial, max_expansions, max_time, blocked, waypoints)

    @property
    def memory(self) -> Memory:
        """Bytes of the believed map, which all agents share, of an agent, and of one running search."""
        fixed = 0 if self._known is None else sum(array.nbytes for array in self._known)
        return super().memory._replace(fixed_bytes=fixed)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the believed map itself, and not the path of its file."""
        return remade, (self.info.name, self.grid, {**self.options, "known": self._mask}, None)
