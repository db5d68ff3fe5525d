"""The limits of a query for a kernel, and what to do when the kernel returns early."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from waygrid.core import clock, layout
from waygrid.core.types import Array
from waygrid.errors import WaygridError, damage_error, show
from waygrid.grid.table import cell_numbers
from waygrid.search.legs import Legs
from waygrid.search.path import Path, Sizes
from waygrid.search.scratch import Scratch

if TYPE_CHECKING:
    from waygrid.search.finder import Finder

Tables: TypeAlias = tuple[Array, Array | None, Array, Array]  # moves, weights, geometry, labels
SLICE = 1 << 24  # expansions after which a kernel returns, so that Ctrl-C works


class Memory(NamedTuple):
    """Bytes of the arrays, as the DBA* paper divides them (section 2), and of a thread that answers queries.

    fixed_bytes: the index alone, which all share. agent_bytes: the most that an agent owns between two moves; without
    real-time agents, the memory of a running search. scratch_bytes: what one running `find` allocates.
    """

    fixed_bytes: int
    agent_bytes: int
    scratch_bytes: int


class Request(NamedTuple):
    """The per-query options, checked."""

    flags: int = 0
    limit: int = -1
    max_ns: int = 0
    blocked: npt.NDArray[np.int64] | None = None
    partial: bool = False

    def array(self, first: int, last: int, resume: bool, budget: int = SLICE) -> Array:
        """Return the array that kernels read (see `layout`)."""
        return np.array((first, last, resume, self.flags, self.limit, self.max_ns, budget), np.int64)


PLAIN = Request()


@cache
def make_requests(flags: int) -> tuple[Request, tuple[Array, ...], tuple[Array, ...]]:
    """Return a plain query, and what kernels read of it to begin and to resume: for paths as cells and as waypoints."""
    request = PLAIN._replace(flags=PLAIN.flags | flags)
    kept = request._replace(flags=request.flags | layout.KEEP_WAYPOINTS)
    as_cells, as_waypoints = (tuple(one.array(0, 1, resume) for resume in (False, True)) for one in (request, kept))
    return request, as_cells, as_waypoints


def astray_error() -> WaygridError:
    """Return the error for an index that cannot lead a query to its goal."""
    return damage_error("its entries lead out of the map or in a circle; build the index again")


def make_room(scratch: Scratch, number: int, rows: Array) -> None:
    """Enlarge the buffer that the kernel found too small; raise an error if it found the index damaged."""
    if scratch.ctl[layout.PAUSE] == layout.PAUSE_STACK:
        scratch.grow_stack()
    elif scratch.ctl[layout.PAUSE] == layout.PAUSE_STORE:
        scratch.grow_store()
    elif scratch.ctl[layout.PAUSE] == layout.PAUSE_CELLS:
        needed = int(rows[number, layout.ROW_OFFSET] + rows[number, layout.ROW_LENGTH]) * 2
        grown = np.empty(max(needed, 2 * scratch.cells.size), np.int32)
        grown[: scratch.cells.size] = scratch.cells
        scratch.cells = grown
    elif scratch.ctl[layout.PAUSE] == layout.PAUSE_DAMAGED:
        raise astray_error()


def cells_of(scratch: Scratch, row: list[int]) -> npt.NDArray[np.int32]:
    """Copy the path that a kernel left in the scratch."""
    return scratch.cells[: 2 * row[layout.ROW_LENGTH]].reshape(-1, 2).copy()


def path_of_waypoints(scratch: Scratch, row: list[int], sizes: Sizes) -> Path:
    """Return the path whose waypoints a kernel left in the scratch."""
    count = row[layout.ROW_LENGTH]
    row[layout.ROW_LENGTH] = row[layout.ROW_STRAIGHT] + row[layout.ROW_DIAGONAL] + 1 if count else 0
    return Path(row, None, sizes, Legs(np.array([count]), scratch.cells[: 2 * count].copy()))


def refuse_blocked(finder: Finder) -> None:
    """Refuse walls of one query where the algorithm takes none."""
    if not finder.info.blocked:
        raise WaygridError(f"{finder.info.name} does not support blocked=: its index was built without these walls")


def make_request(
    finder: Finder, partial: bool, max_expansions: Any, max_time: Any, blocked: Any, waypoints: bool
) -> Request:
    """Check the options of a query."""
    flags, limit, max_ns = finder._plain.flags | (layout.KEEP_WAYPOINTS if waypoints else 0), -1, 0
    if blocked is not None:
        refuse_blocked(finder)
        flags |= layout.CHECK_REACH
    if partial:
        flags |= layout.WALL_GOAL
    if max_expansions is not None:
        if not isinstance(max_expansions, (int, np.integer)) or max_expansions < 0:
            raise WaygridError(f"max_expansions is {show(max_expansions)}; allowed are the integers from 0")
        limit, flags = min(int(max_expansions), 2**62), flags | layout.TRACK_BEST
    if max_time is not None:
        if not clock.AVAILABLE:
            raise WaygridError("max_time needs a clock that compiled code can read; use max_expansions on this system")
        if not isinstance(max_time, (int, float)) or not 0 < max_time < 1e9:
            raise WaygridError(f"max_time is {show(max_time)}; allowed are seconds above 0")
        max_ns, flags = max(1, int(max_time * 1e9)), flags | layout.TRACK_BEST
    cells = None if blocked is None else cell_numbers(blocked, finder.grid)
    return Request(flags, limit, max_ns, cells, bool(partial))
