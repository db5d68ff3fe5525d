"""What every finder offers after edits of the map, and what it knows of those that then answer for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

import numpy as np
import numpy.typing as npt

from waygrid.core.types import Array
from waygrid.search.path import Batch, Path
from waygrid.search.replan import replan

if TYPE_CHECKING:
    from waygrid.search.finder import Finder
    from waygrid.search.trace import Trace


class Followed(NamedTuple):
    """How queries were answered after edits: by the index as it was, with mended paths, or by a search without it."""

    kept: int
    mended: int
    searched: int


class StandIn(Protocol):
    """Answers while the map is not the one of the index; see `waygrid.build.follow`."""

    known: Finder  #: for the map of the index

    @property
    def backup(self) -> Finder:
        """The finder that searches where the index does not help."""

    def find(self, start: Any, goal: Any, *, waypoints: bool = False, **limits: Any) -> Path:
        """Answer as `Finder.find`."""

    def find_many(
        self, starts: Any, goals: Any, threads: int | None, *, paths: bool, timed: bool, waypoints: bool, **limits: Any
    ) -> Batch:
        """Answer as `Finder.find_many`."""

    def cost_matrix(self, starts: Array, goals: Array, threads: int) -> npt.NDArray[np.float64]:
        """Answer as `Finder.costs`."""

    def trace(self, start: Any, goal: Any, *, max_events: int, **limits: Any) -> Trace:
        """Answer as `Finder.trace`."""


class Rebuild(Protocol):
    """An index that is built for the map as it is; see `waygrid.build.indexed`."""

    @property
    def done(self) -> bool:
        """Whether the build has ended."""

    def wait(self) -> None:
        """Wait for the end of the build; raise an error if it failed."""


class FollowsEdits:
    """A finder on a map that changes."""

    @property
    def stale(self) -> int:
        """How far the map has moved from the one of the index: the number of cells that differ; 0 without an index.

        >>> import waygrid as wg
        >>> grid = wg.Grid([[1, 1, 1, 1, 1, 1]])
        >>> finder = wg.make_finder("cpd", grid)
        >>> grid.set_passable((5, 0), False)
        >>> finder.stale, finder.find((0, 0), (4, 0)).cost
        (2, 4.0)
        """
        return 0

    @property
    def followed(self) -> Followed:
        """How many queries the index answered since the map moved away from it, and how many it did not.

        Zeros where the map is that of the index, without an index, and where the index is repaired.

        >>> import waygrid as wg
        >>> grid = wg.Grid([[1, 1, 1, 1, 1, 1]])
        >>> finder = wg.make_finder("cpd", grid)
        >>> grid.set_passable((5, 0), False)
        >>> path = finder.find((0, 0), (4, 0))
        >>> finder.followed
        Followed(kept=1, mended=0, searched=0)
        """
        return Followed(0, 0, 0)

    def rebuild(self, background: bool = False) -> Rebuild | None:
        """Build the index for the map as it is; background=True: on a thread, while queries go on.

        Edits made meanwhile are followed as always. The new index is used from the next query on; where other threads
        may be querying the finder, from the next query after an edit, or after `wait()` of the build.
        Returns None without an index; otherwise the build: call its `wait()`, or look at `done`.

        >>> import waygrid as wg
        >>> grid = wg.Grid([[1, 1, 1, 1, 1, 1]])
        >>> finder = wg.make_finder("cpd", grid)
        >>> grid.set_passable((5, 0), False)
        >>> finder.rebuild(background=True).wait()
        >>> finder.stale
        0
        """
        return None

    def replan(self, path: Path, from_cell: tuple[int, int]) -> Path:
        """Return the way on from a cell of a path, on the map as it is.

        The rest of the path is kept as it is where it is still legal and no edit since can have made a cheaper one; of
        finders that promise no optimal paths, where it is legal. Else a new path is found.

        >>> import waygrid as wg
        >>> grid = wg.Grid(["....", "....", "...."])
        >>> finder = wg.make_finder("astar", grid)
        >>> path = finder.find((0, 0), (3, 0))
        >>> grid.set_passable((2, 0), False)
        >>> finder.replan(path, (1, 0)).cells.tolist()
        [[1, 0], [1, 1], [2, 1], [3, 1], [3, 0]]
        """
        return replan(cast("Finder", self), path, from_cell)
