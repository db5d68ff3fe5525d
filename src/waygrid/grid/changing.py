"""Changes of a map, by chance: doors that open and close, walls that fall, bases that are built and torn down.

As in `waygrid.grid.generate`, all randomness comes from `Generator.random`: a seed gives the same changes everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

Mask = npt.NDArray[np.bool_]

WIDEST_DOOR = 4
_TOGGLES = 4  # edits for each door, as far as there are enough doors
_DRAWS = 64  # cells or places that are tried at once
_TRIES = 8  # times that is done
_PIECE = 4  # longest side of a piece of wall that falls
_RUBBLE = 0.2  # share of its cells that stay walls
_BASE = (3, 8)  # sides of a base
_SOLID = 0.5  # share of bases without a yard
_TORN_DOWN = 0.3  # chance that a base is torn down and none is built


class Change(NamedTuple):
    """A patch, and the place of its top-left cell."""

    patch: Mask
    x: int
    y: int


class Changer(Protocol):
    """A source of changes."""

    def next(self, passable: Mask) -> Change | None:
        """Return a change of the map as it is; None if there is nothing to change."""


def draw_number(rng: np.random.Generator, count: int) -> int:
    """Return a random number from 0 to count - 1."""
    return int(rng.random() * count)


def find_doorways(passable: Mask) -> npt.NDArray[np.int64]:
    """Return passages of up to WIDEST_DOOR cells between two walls: rows of x, y, width and height.

    >>> find_doorways(np.array([[1, 1, 1], [0, 1, 0], [1, 1, 1]], bool)).tolist()
    [[1, 1, 1, 1]]
    """
    across, down = _find_gaps(passable), _find_gaps(passable.T)
    return np.concatenate((across, down[:, [1, 0, 3, 2]]))


def _find_gaps(passable: Mask) -> npt.NDArray[np.int64]:
    """Return gaps in horizontal walls with free cells above and below."""
    height, width = passable.shape
    room = np.pad(passable, 1)
    found = []
    for size in range(1, min(WIDEST_DOOR, width) + 1):
        ends = width - size + 1  # places of the first cell
        gap = ~room[1:-1, :ends] & ~room[1:-1, size + 1 : size + 1 + ends]
        for shift in range(1, size + 1):
            for row in range(3):
                gap &= room[row : row + height, shift : shift + ends]
        y, x = np.nonzero(gap)
        found.append(np.stack((x, y, np.full_like(x, size), np.ones_like(x)), axis=1))
    return np.concatenate(found)


class Doors:
    """Doors in narrow passages of the map; each change opens or closes one."""

    def __init__(self, rng: np.random.Generator, passable: Mask, edits: int) -> None:
        self._rng = rng
        every = find_doorways(passable)
        chosen = np.argsort(rng.random(len(every)), kind="stable")[: max(1, edits // _TOGGLES)]
        self._doors = every[chosen]
        self._open = np.ones(len(self._doors), np.bool_)

    def next(self, passable: Mask) -> Change | None:
        """Open or close a door."""
        if not len(self._doors):
            return None
        number = draw_number(self._rng, len(self._doors))
        x, y, width, height = self._doors[number].tolist()
        self._open[number] = not self._open[number]
        return Change(np.full((height, width), self._open[number]), x, y)


class Walls:
    """Walls beside free cells; each change lets a piece of one fall."""

    def __init__(self, rng: np.random.Generator, passable: Mask, edits: int) -> None:
        self._rng = rng

    def next(self, passable: Mask) -> Change | None:
        """Let a piece of wall fall."""
        spot = self._find_wall(passable)
        if spot is None:
            return None
        x, y = spot
        (x0, x1), (y0, y1) = (self._span(at, side) for at, side in ((x, passable.shape[1]), (y, passable.shape[0])))
        part = passable[y0:y1, x0:x1]
        patch = part | (self._rng.random(part.shape) >= _RUBBLE)
        patch[y - y0, x - x0] = True
        return Change(patch, x0, y0)

    def _span(self, at: int, side: int) -> tuple[int, int]:
        """Return a few cells around a place, inside the map."""
        first = max(0, at - draw_number(self._rng, _PIECE))
        return first, min(side, max(at, first + draw_number(self._rng, _PIECE)) + 1)

    def _find_wall(self, passable: Mask) -> tuple[int, int] | None:
        height, width = passable.shape
        for _ in range(_TRIES):
            x, y = (self._rng.random((2, _DRAWS)) * ((width,), (height,))).astype(np.int64)
            free = [
                passable[np.clip(y + dy, 0, height - 1), np.clip(x + dx, 0, width - 1)]
                for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1))
            ]
            good = np.flatnonzero(~passable[y, x] & np.logical_or.reduce(free))
            if good.size:
                return int(x[good[0]]), int(y[good[0]])
        room = np.pad(passable, 1)  # a map with few walls: look at all of them
        beside = room[1:-1, :-2] | room[1:-1, 2:] | room[:-2, 1:-1] | room[2:, 1:-1]
        ys, xs = np.nonzero(beside & ~passable)
        if not ys.size:
            return None
        number = draw_number(self._rng, ys.size)
        return int(xs[number]), int(ys[number])


class Bases:
    """Buildings on free ground, solid or with a yard and a gate; each change builds one or tears one down."""

    def __init__(self, rng: np.random.Generator, passable: Mask, edits: int) -> None:
        self._rng = rng
        self._standing: list[tuple[int, int, int, int]] = []

    def next(self, passable: Mask) -> Change | None:
        """Build a base, or tear one down."""
        place = None
        if not self._standing or self._rng.random() >= _TORN_DOWN:
            place = self._find_room(passable)
        if place is not None:
            self._standing.append(place)
            x, y, width, height = place
            return Change(self._plan(width, height), x, y)
        if not self._standing:
            return None
        x, y, width, height = self._standing.pop(draw_number(self._rng, len(self._standing)))
        return Change(np.ones((height, width), np.bool_), x, y)

    def _plan(self, width: int, height: int) -> Mask:
        patch = np.zeros((height, width), np.bool_)
        if self._rng.random() >= _SOLID:
            patch[1:-1, 1:-1] = True
            if self._rng.random() < 0.5:
                patch[-draw_number(self._rng, 2), 1 + draw_number(self._rng, width - 2)] = True
            else:
                patch[1 + draw_number(self._rng, height - 2), -draw_number(self._rng, 2)] = True
        return patch

    def _find_room(self, passable: Mask) -> tuple[int, int, int, int] | None:
        """Return a place of free ground with a free ring around it, if chance finds one."""
        (rows, columns), (least, most) = passable.shape, _BASE
        for _ in range(_TRIES * _DRAWS):
            width, height = (least + draw_number(self._rng, most - least + 1) for _ in range(2))
            if width + 2 > columns or height + 2 > rows:
                continue
            x, y = 1 + draw_number(self._rng, columns - width - 1), 1 + draw_number(self._rng, rows - height - 1)
            if passable[y - 1 : y + height + 1, x - 1 : x + width + 1].all():
                return x, y, width, height
        return None


class ChangeKind(NamedTuple):
    """A kind of changes: what happens, what it needs of the map, and what makes it."""

    summary: str
    needs: str
    make: Callable[[np.random.Generator, Mask, int], Changer]


CHANGES: dict[str, ChangeKind] = {
    "doors": ChangeKind(
        f"doors in passages of up to {WIDEST_DOOR} cells open and close",
        f"passage of up to {WIDEST_DOOR} cells between two walls",
        Doors,
    ),
    "walls": ChangeKind("pieces of walls fall", "wall beside a free cell", Walls),
    "bases": ChangeKind(
        "bases are built on free ground, and torn down",
        f"free ground of {_BASE[0] + 2} x {_BASE[0] + 2} cells",
        Bases,
    ),
}
MIXED = "mixed"


class Mixed:
    """Changes of all kinds that the map allows, in random order."""

    def __init__(self, rng: np.random.Generator, passable: Mask, edits: int) -> None:
        self._rng = rng
        share = -(-edits // len(CHANGES))
        self._every: list[Changer] = [kind.make(rng, passable, share) for kind in CHANGES.values()]

    def next(self, passable: Mask) -> Change | None:
        """Return a change of any kind."""
        first = draw_number(self._rng, len(self._every))
        for turn in range(len(self._every)):
            change = self._every[(first + turn) % len(self._every)].next(passable)
            if change is not None:
                return change
        return None
