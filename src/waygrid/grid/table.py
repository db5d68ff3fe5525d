"""The move table of a grid: all rules about legal moves, compiled into one byte per cell."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from waygrid.core import layout, moves
from waygrid.errors import WaygridError
from waygrid.grid.components import Components
from waygrid.grid.where import Window, as_list

if TYPE_CHECKING:
    from waygrid.grid.grid import Grid

_ALL_EXITS = np.zeros(1, np.uint8)  # a single entry stands for "no one-way tiles"
_ALL_ONE = np.ones(1, np.uint16)  # and here for "no weights"


class MoveTable:
    """The arrays that kernels read. They belong to one grid; its edits change them in place."""

    def __init__(self, grid: Grid) -> None:
        self._grid = grid
        cells = grid.width * grid.height
        self.geo = grid._geo
        # Where the agent can stand: passable, with room for its clearance. Without one it is the map itself.
        self.walk = grid._passable.reshape(-1) if grid.clearance == 1 else np.zeros(cells, np.uint8)
        self.moves = np.zeros(cells, np.uint8)
        self._components = Components(self.walk, self.moves, self.geo, lambda: self._grid._exits is not None)
        self._reverse: npt.NDArray[np.uint8] | None = None
        self._overlays: list[_Overlay] = []
        self._side, self._diagonal = int(self.geo[layout.CLEARANCE]), int(self.geo[layout.DIAGONAL])
        self._legal = np.zeros(1024, np.uint8)  # working memory
        self.max_weight = self.longest = 0
        self._compile(Window(0, 0, grid.width, grid.height))
        self._ignore_walls()

    @property
    def exits(self) -> npt.NDArray[np.uint8]:
        """Moves that one-way tiles allow."""
        return _ALL_EXITS if self._grid._exits is None else self._grid._exits.reshape(-1)

    @property
    def weights(self) -> npt.NDArray[np.uint16] | None:
        """Cost of entering each cell; None if all cost 1."""
        return None if self._grid._weights is None else self._grid._weights.reshape(-1)

    @property
    def weights_or_one(self) -> npt.NDArray[np.uint16]:
        """Cost of entering each cell; a single entry if all cost 1. Kernels that take it are the same for all maps."""
        return _ALL_ONE if self._grid._weights is None else self._grid._weights.reshape(-1)

    def recompile(self, window: Window) -> None:
        """Recompile the moves of a window and of the ring around it."""
        self._compile(window)
        self._reverse = None
        self._components.follow(self._ring(window), self._grid._exits is not None)
        self.widen_bounds(window)

    def _compile(self, window: Window) -> None:
        passable = self._grid._passable.reshape(-1)
        moves.compile_window(passable, self.walk, self.moves, self.exits, self.geo, self._legal, *window)

    def _ring(self, window: Window) -> Window:
        """Return the window with every cell whose moves may change and one more around."""
        wide, grid = self._side + 1, self._grid
        x0, y0, x1, y1 = window
        return Window(max(0, x0 - wide), max(0, y0 - wide), min(grid._width, x1 + 2), min(grid._height, y1 + 2))

    def widen_bounds(self, window: Window) -> None:
        """Widen the bounds on weights and on the longest path, which heuristics and queues rely on, by a window.

        Closing a cell narrows neither: a bound that is too wide costs a little time, one that is too narrow gives
        wrong results.
        """
        side, both = self._side, self._both
        x0, y0, x1, y1 = window
        if x0 == x1 or y0 == y1:
            return
        x0, y0 = max(0, x0 - side + 1), max(0, y0 - side + 1)  # an opened cell makes room to its left and above
        cells = (x1 - x0) * (y1 - y0)
        if self.max_weight and 8 * cells >= self.walk.size:  # after a large edit, compute exact bounds
            self._ignore_walls()
            return
        least, most, total = 1, 1, cells
        if self._grid._weights is not None:
            changed = self._grid._weights[y0:y1, x0:x1]
            least, most, total = int(changed.min()), int(changed.max()), int(changed.sum(dtype=np.int64))
        least, most, total = both * least, both * most, both * total
        if least < self.geo[layout.MIN_WEIGHT]:
            self.geo[layout.MIN_WEIGHT] = least
        self.max_weight = max(most, self.max_weight)
        before = self.longest
        self.longest += total * self._diagonal  # no path enters a cell twice
        if before < 2**31 <= self.longest:  # if the bound would need 64 bits, compute it exactly
            self._ignore_walls()

    def _ignore_walls(self) -> None:
        """Compute the exact bounds of the whole map, once, without its walls."""
        both = self._both
        least, most, total = (both * int(one) for one in moves.weigh_cells(self.walk, self.weights_or_one, self.geo))
        self.geo[layout.MIN_WEIGHT], self.max_weight = least, most
        self.longest = total * int(self.geo[layout.DIAGONAL])

    @property
    def _both(self) -> int:
        """How many weights make the factor of a move; a path counts each of its cells so often at most."""
        return 2 if self._grid._rule == "mean" else 1

    @property
    def has_labels(self) -> bool:
        """Whether connected components are numbered already: `labels` costs nothing then."""
        return self._components.known

    @property
    def labels(self) -> npt.NDArray[np.int32]:
        """The connected component of each cell, -1 for walls."""
        return self._components.labels

    @property
    def reverse(self) -> npt.NDArray[np.uint8]:
        """The moves that lead into each cell; the same table if no tile is one-way."""
        if self._grid._exits is None:
            return self.moves
        if self._reverse is None:
            self._reverse = self.reversed(self.moves)
        return self._reverse

    def reversed(self, table: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        """Return the moves of a table backwards."""
        backwards = np.zeros_like(table)
        moves.reverse_moves(table, backwards, self.geo)
        return backwards

    @contextmanager
    def blocked(self, cells: npt.NDArray[np.int64]) -> Iterator[_Overlay]:
        """Lend a copy of the table in which these cells are walls; the time depends on the cells, not on the map."""
        try:
            overlay = self._overlays.pop()
        except IndexError:
            overlay = _Overlay()
        if overlay.version != self._grid.version:
            overlay.walk, overlay.moves, overlay.version = self.walk.copy(), self.moves.copy(), self._grid.version
        arrays = (overlay.walk, overlay.moves, self.exits, self.geo, self.walk, self.moves)
        moves.block(cells, *arrays, False)
        try:
            yield overlay
        finally:
            moves.block(cells, *arrays, True)
            self._overlays.append(overlay)


class _Overlay:
    walk: npt.NDArray[np.uint8]
    moves: npt.NDArray[np.uint8]
    version = -1


def cell_numbers(blocked: Any, grid: Grid) -> npt.NDArray[np.int64]:
    """Return the numbers of cells given as a (height, width) mask or as cells (x, y) in any kind of collection."""
    try:
        array = np.asarray(as_list(blocked))
    except ValueError:
        raise WaygridError("blocked is a (height, width) mask of bools or a collection of cells (x, y)") from None
    if array.dtype == np.bool_ and array.ndim == 2:
        if array.shape != (grid.height, grid.width):
            raise WaygridError(f"blocked has shape {array.shape}, the map has {(grid.height, grid.width)}")
        return np.flatnonzero(array)
    if array.size == 0:
        return np.zeros(0, np.int64)
    if array.ndim == 1 and array.size == 2:
        array = array.reshape(1, 2)
    if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "iu":
        raise WaygridError(f"blocked is a (height, width) mask of bools or cells (x, y), not shape {array.shape}")
    x, y = array[:, 0].astype(np.int64), array[:, 1].astype(np.int64)
    bad = (x < 0) | (x >= grid.width) | (y < 0) | (y >= grid.height)
    if bad.any():
        k = int(np.argmax(bad))
        raise grid.cell_error("blocked cell", int(x[k]), int(y[k]))
    return y * grid.width + x
