"""Answers for a finder whose map has moved away from its index: old answers that still hold, others searched for."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from waygrid.build.difference import Difference, map_of
from waygrid.build.mending import mend
from waygrid.build.shortcuts import is_cheapest
from waygrid.core import difference as kernels
from waygrid.core import equal_way, layout
from waygrid.core.types import Array
from waygrid.errors import WaygridError
from waygrid.search.batch import check_queries
from waygrid.search.cells import pair_of, pairs_of
from waygrid.search.costs import cost_matrix
from waygrid.search.following import Followed
from waygrid.search.path import Batch, Path, Status
from waygrid.search.registry import make_backup
from waygrid.search.request import PLAIN, refuse_blocked

if TYPE_CHECKING:
    from waygrid.build.indexed import IndexedFinder
    from waygrid.grid.grid import Grid
    from waygrid.search.finder import Finder
    from waygrid.search.trace import Trace

_LUCK = 0.2  # below this share of proofs that succeed, a proof by costs takes longer than it saves
_TRY_AGAIN = 16  # then one in so many is still tried


class StandIn:
    """Answers instead of a finder, exactly, while the grid is not the one of its index.

    The finder's own index still answers for the map it was built for. Such an answer is kept if it is legal on the map
    as it is and, where the finder promises optimal paths, if nothing that was opened can lead to a cheaper one (see
    `core.difference`). Where that cannot be proved, a finder without that index searches.
    """

    def __init__(self, owner: IndexedFinder, gap: Difference, home: Grid) -> None:
        self._owner, self._gap = owner, gap
        self.known: Finder = type(owner)(owner.info, home, owner.options, owner.index)
        self._backup: Finder | None = None
        self._kept = self._mended = self._searched = 0
        self._tries, self._luck = 0, 1.0  # of proofs by costs, and the share that succeeded lately

    def refresh(self) -> None:
        """Follow the grid."""
        self.known._check_version()
        self.known._sizes = self.known._sizes.linked(self._owner.grid)

    @property
    def backup(self) -> Finder:
        """The finder that searches; made when it is first needed."""
        if self._backup is None:
            with self._owner._lock:
                self._backup = self._backup or make_backup(self._owner)
        return self._backup

    def _holds(self, path: Path) -> bool:
        """Return whether an old answer is one for the map as it is."""
        return self._judge(path, False)[0]

    def _judge(self, path: Path, mends: bool) -> tuple[bool, bool]:
        """Return whether an old answer is one for the map as it is, and whether it had to be led around closed cells.

        mends: illegal moves may be replaced in the path itself, where that makes it no dearer; where the finder
        promises no cheapest paths, also some of them.
        """
        row, boxes = path._row, self._gap.boxes
        if row[layout.ROW_STATUS] != Status.FOUND:
            return row[layout.ROW_STATUS] == Status.UNREACHABLE and len(boxes) == 0, False
        exact, table = self._owner.optimal, self._owner.grid.table
        straight, diagonal = row[layout.ROW_STRAIGHT], row[layout.ROW_DIAGONAL]
        now = (table.geo, table.walk, table.moves, table.weights_or_one, path.cells, straight, diagonal)
        legal, mended, shorter = equal_way.judge(*now, boxes, exact, mends)
        if legal and shorter:
            legal = self.known._askable > 0 and self._is_cheapest(path)
        return legal, mended

    def _is_cheapest(self, path: Path) -> bool:
        """Return whether opened cells are proved to make no cheaper way; not always tried where it seldom succeeds."""
        self._tries += 1
        costs = self._luck >= _LUCK or self._tries % _TRY_AGAIN == 0
        proved = is_cheapest(self.known, self._owner.grid, path, self._gap, costs)
        if costs:
            self._luck += (proved - self._luck) / _TRY_AGAIN
        return proved

    def _ask(self, start: Any, goal: Any, waypoints: bool = False) -> Path | None:
        """Return the old answer, mended where that is allowed, or None if it does not hold."""
        one, other = self._components_of(start, goal)
        if min(one, other) < 0:
            return None
        if one != other:  # asked first, since what searches follows all edits before it can say so
            self._kept += 1
            return self._no_path()
        try:
            path = self.known.find(start, goal, waypoints=waypoints)
        except WaygridError:  # an end was a wall
            return None
        holds, mended = self._judge(path, True)
        if not holds:
            return self._mend(path)
        self._mended += mended
        self._kept += not mended
        return path

    def _look_up(self, start: Any, goal: Any) -> Path | None:
        """Return the old answer; None where an end was or is a wall, or none that any finder takes."""
        try:
            path = self.known.find(start, goal)
        except WaygridError:
            return None
        return path if min(self._components_of(start, goal)) >= 0 else None

    def _components_of(self, start: Any, goal: Any) -> tuple[int, int]:
        """Return the components of two cells on the map as it is; -1 for walls, and for what is no cell of it."""
        grid = self._owner.grid
        try:
            (x, y), (goal_x, goal_y) = start, goal
            x, y, goal_x, goal_y = index(x), index(y), index(goal_x), index(goal_y)
        except (TypeError, ValueError):
            return -1, -1
        width, height = grid._width, grid._height
        if not (0 <= x < width and 0 <= y < height and 0 <= goal_x < width and 0 <= goal_y < height):
            return -1, -1
        labels = grid.table.labels
        return int(labels[y * width + x]), int(labels[goal_y * width + goal_x])

    def _no_path(self) -> Path:
        """Return the answer where no path exists."""
        row = [0] * layout.ROW_SIZE
        row[layout.ROW_STATUS] = Status.UNREACHABLE
        return self._owner._path_type(row, np.zeros((0, 2), np.int32), self.known._sizes)

    def _mend(self, path: Path) -> Path | None:
        """Return an old path with ways around what is illegal now, where the finder promises no cheapest paths."""
        if self._owner.optimal or path._row[layout.ROW_STATUS] != Status.FOUND:
            return None
        made = mend(path, self._owner.grid, self.backup)
        self._count(mended=made is not None)
        return made

    def find(self, start: Any, goal: Any, *, waypoints: bool = False, **limits: Any) -> Path:
        """Answer as `Finder.find`; with limits, by a search."""
        path = self._ask(start, goal, waypoints) if self._unlimited(limits) else None
        if path is None:
            self._count(searched=1)
            return self.backup.find(start, goal, waypoints=waypoints, **limits)
        return path

    def _count(self, kept: int = 0, mended: int = 0, searched: int = 0) -> None:
        self._kept += kept
        self._mended += mended
        self._searched += searched
        if searched:
            self._owner._rebuild_if_wanted(self._searched)

    @property
    def followed(self) -> Followed:
        """How queries were answered so far."""
        return Followed(self._kept, self._mended, self._searched)

    def _unlimited(self, limits: dict[str, Any]) -> bool:
        if limits["blocked"] is not None:
            refuse_blocked(self._owner)
            return False
        if limits["partial"] or self._owner.info.follows == "searched":
            return False
        return limits["max_expansions"] is None and limits["max_time"] is None

    def find_many(
        self, starts: Any, goals: Any, threads: int | None, *, paths: bool, timed: bool, waypoints: bool, **limits: Any
    ) -> Batch:
        """Answer as `Finder.find_many`."""
        own, other = pairs_of("starts", starts), pairs_of("goals", goals)
        if not self._unlimited(limits):
            self._count(searched=len(own))
            return self.backup.find_many(own, other, threads, paths=paths, timed=timed, waypoints=waypoints, **limits)
        queries = check_queries(self._owner, own, other, PLAIN)
        known = self._walked_before(queries)
        batch = self.known.find_many(own[known], other[known], threads, timed=timed, waypoints=waypoints)
        proved = self._prove(batch)
        kept, old = known[proved], np.flatnonzero(proved)
        if len(kept) == len(own):
            self._count(kept=len(kept))
            return batch if paths else type(batch)(batch.rows, None, batch._sizes)
        mended = [(k, path) for k in np.flatnonzero(~proved).tolist() if (path := self._mend(batch[k])) is not None]
        whole = known[[k for k, _ in mended]] if mended else np.zeros(0, np.int64)
        rest = np.setdiff1d(np.arange(len(own)), np.concatenate((kept, whole)), assume_unique=True)
        self._count(kept=len(kept), searched=len(rest))
        found = self.backup.find_many(own[rest], other[rest], threads, paths=paths, timed=timed, waypoints=waypoints)
        parts = [(kept, batch, old), (rest, found, np.arange(len(rest)))]
        if mended:
            parts.append((whole, _gather([path for _, path in mended]), np.arange(len(mended))))
        return merge(len(own), parts, paths)

    def _prove(self, batch: Batch) -> npt.NDArray[np.bool_]:
        """Return which old answers hold on the map as it is."""
        proved, grid = np.zeros(len(batch), np.bool_), self._owner.grid
        now, boxes = map_of(grid), self._gap.boxes
        kernels.prove(grid.table.geo, now, batch.rows, batch.cells, boxes, self._owner.optimal, proved)
        if self.known._askable and len(boxes):
            for k in np.flatnonzero(~proved).tolist():
                proved[k] = self._holds(batch[k])
        return proved

    def _walked_before(self, queries: Array) -> npt.NDArray[np.int64]:
        """Return the queries whose ends were no walls when the index was built."""
        ends = queries.astype(np.int64)
        walk, width = self._gap.home.table.walk, self._gap.home.width
        both = (walk[ends[:, 1] * width + ends[:, 0]] != 0) & (walk[ends[:, 3] * width + ends[:, 2]] != 0)
        return np.flatnonzero(both)

    def cost_matrix(self, starts: Array, goals: Array, threads: int) -> npt.NDArray[np.float64]:
        """Return costs[i, j] from start i to goal j."""
        return cost_matrix(self._owner, starts, goals, threads)

    def trace(self, start: Any, goal: Any, *, max_events: int, **limits: Any) -> Trace:
        """Trace the look-up of an answer that still holds, or the search."""
        ends = pair_of("start", start)[0].tolist(), pair_of("goal", goal)[0].tolist()
        path = self._look_up(*ends) if self._unlimited(limits) else None
        if path is not None and self._holds(path):
            return self.known.trace(start, goal, max_events=max_events, **limits)
        return self.backup.trace(start, goal, max_events=max_events, **limits)


Part = tuple[npt.NDArray[np.int64], Batch, npt.NDArray[np.int64]]  # the places of answers, and which ones of a batch


def _gather(paths: list[Path]) -> Batch:
    """Return some paths as a batch."""
    rows = np.array([path._row for path in paths], np.int64)
    return Batch(rows, np.concatenate([path.cells for path in paths]), paths[0]._sizes)


def merge(count: int, parts: list[Part], paths: bool) -> Batch:
    """Return one batch of the answers of several."""
    rows, sizes = np.zeros((count, layout.ROW_SIZE), np.int64), parts[1][1]._sizes
    kind = type(parts[1][1])
    for places, batch, chosen in parts:
        rows[places] = batch.rows[chosen]
    if not paths:
        return kind(rows, None, sizes)
    offsets = np.concatenate(([0], np.cumsum(rows[:, layout.ROW_LENGTH])))
    cells = np.empty((int(offsets[-1]), 2), np.int32)
    for places, batch, chosen in parts:
        lengths = rows[places, layout.ROW_LENGTH]
        within = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        stored = batch._require_stored()
        cells[np.repeat(offsets[places], lengths) + within] = stored[np.repeat(batch.offsets[chosen], lengths) + within]
    return kind(rows, cells, sizes)
