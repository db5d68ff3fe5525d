"""Agents that walk along paths: each finds a path first, and plans anew from its cell when an edit concerns it."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic
from typing import Any

import numpy as np
import numpy.typing as npt

from waygrid.build.indexed import IndexedFinder
from waygrid.errors import WaygridError
from waygrid.search.finder import Finder
from waygrid.search.path import Path, Status
from waygrid.studio.jobs import Job
from waygrid.studio.limits import StudioLimits
from waygrid.studio.searches import run_search

Cell = tuple[int, int]
Numbers = npt.NDArray[np.int64]


class PathAgents:
    """Agents of a finder whose paths are found before they walk; made as `PoolAgents`, and used alike."""

    def __init__(
        self, finder: Finder, starts: Sequence[Cell], goals: Sequence[Cell], limits: StudioLimits, job: Job
    ) -> None:
        self._finder, self._goals, self._job = finder, goals, job
        self._limits, self._until = limits, monotonic() + limits.search_s
        self._kept = self._looked_up = self._mended = self._searched = 0
        self._expanded: Numbers = np.zeros(len(starts), np.int64)
        self._moves: Numbers = np.zeros(len(starts), np.int64)
        self._here = np.array(starts, np.int32)
        self._paths: list[Path | None] = [self._search(number, limits.search_s) for number in range(len(starts))]
        self._set_out(np.ones(len(starts), np.bool_))

    # --- Plans --------------------------------------------------------------------------------------------------------

    def _search(self, number: int, most_s: float) -> Path:
        """Find a path in slices, so that the search can be cancelled; it ends where there is no time left."""
        left = max(0.0, min(most_s, self._until - monotonic()))
        path, _ = run_search(self._finder, self._cell(number), self._goals[number], self._job, left)
        self._expanded[number] += path.stats.expanded
        return path

    def _cell(self, number: int) -> Cell:
        x, y = self._here[number].tolist()
        return x, y

    def follow(self) -> None:
        """Plan anew, from where each agent is, what the edit concerns."""
        self._finder._check_version()  # repairs the index, or finds out how far the map has moved from it
        allowed = self._limits.search_s
        self._until = monotonic() + allowed
        walking = self.statuses != Status.FOUND
        for number in np.flatnonzero(walking).tolist():
            self._job.check()
            if monotonic() > self._until:
                raise WaygridError(
                    f"after an edit the agents plan longer than the {allowed:g} s that the studio allows; "
                    f"use fewer agents or a smaller map"
                )
            self._paths[number] = self._replan(number)
        self._set_out(walking)

    def _replan(self, number: int) -> Path | None:
        """Return the way on of one agent; None where its cell or its goal has become a wall."""
        passable = self._finder.grid.passable
        here, goal, path = self._cell(number), self._goals[number], self._paths[number]
        if not (passable[here[1], here[0]] and passable[goal[1], goal[0]]):
            return None
        if self._finder.info.exponential:  # such a search may take years, and `replan` cannot be stopped
            self._searched += 1
            return self._search(number, self._limits.flood_s)
        ahead = self._cells[self._at[number] : self._end[number]]
        before = self._answers()
        if path is not None and path.status is Status.FOUND:
            found = self._finder.replan(path, here)
        else:
            found = self._finder.find(here, goal)
        self._expanded[number] += found.stats.expanded
        self._count(found, ahead, before)
        return found

    def _count(self, found: Path, ahead: npt.NDArray[np.int32], before: tuple[int, int, int]) -> None:
        """Count what a plan was: the way as it was, an answer of the index, or a search."""
        by_index, mended, searched = (now - then for now, then in zip(self._answers(), before, strict=True))
        if by_index or mended or searched:
            self._looked_up += by_index
            self._mended += mended
            self._searched += searched
        elif not found.stats.expanded and np.array_equal(found.cells, ahead[len(ahead) - len(found) :]):
            self._kept += len(found) > 1
        elif len(found) and self._finder.info.index:
            self._looked_up += 1
        else:
            self._searched += len(found) > 0  # where components tell that there is no way nothing is searched

    def _answers(self) -> tuple[int, int, int]:
        """Return how many queries the finder has answered after edits: by its index, with mended paths, by searches."""
        if not isinstance(self._finder, IndexedFinder):
            return 0, 0, 0
        counts = self._finder.followed
        return counts.kept, counts.mended, counts.searched

    # --- Steps --------------------------------------------------------------------------------------------------------

    def _set_out(self, walking: npt.NDArray[np.bool_]) -> None:
        """Lay all ways on behind each other, with the places where the agents are and where their ways end."""
        ways = [
            path.cells if path is not None and len(path) and walks else self._here[number : number + 1]
            for number, (path, walks) in enumerate(zip(self._paths, walking, strict=True))
        ]
        lengths = np.array([len(way) for way in ways], np.int64)
        self._cells = np.concatenate(ways).astype(np.int32)
        self._end = np.cumsum(lengths)
        self._at = self._end - lengths

    def step(self) -> npt.NDArray[np.int32]:
        """Let each agent make its next move; return all positions."""
        moves = self._at + 1 < self._end
        self._at += moves
        self._moves += moves
        self._here = self._cells[self._at]
        return self._here.copy()

    @property
    def positions(self) -> npt.NDArray[np.int32]:
        """The current cells."""
        return self._here.copy()

    @property
    def statuses(self) -> Numbers:
        """`Status` of each agent, -1 while it walks: FOUND at its goal, UNREACHABLE while it waits for a way."""
        ended = [Status.UNREACHABLE if path is None else path.status for path in self._paths]
        found = np.array([int(status) for status in ended], np.int64)
        return np.where(self._at + 1 < self._end, -1, found)

    @property
    def expanded(self) -> Numbers:
        """Expansions of each agent, in all its searches."""
        return self._expanded.copy()

    @property
    def followed(self) -> tuple[int, int, int, int]:
        """Ways that were kept after edits, that the index gave, that were mended, and that were searched for."""
        return self._kept, self._looked_up, self._mended, self._searched

    def describe(self) -> dict[str, Any]:
        """Return the moves that each agent has made."""
        return {"moves": self._moves.tolist()}
