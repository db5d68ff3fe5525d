"""The map of a grid at one time, in little memory: what an index was built for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from waygrid.errors import WaygridError

if TYPE_CHECKING:
    from waygrid.grid.grid import Grid

PREFIX = "map."  # of the names under which an index file keeps these arrays


class Snapshot(NamedTuple):
    """Passable cells as bits, weights and one-way tiles where the grid has them.

    >>> import waygrid as wg
    >>> grid = wg.Grid([[1, 1, 0]])
    >>> before = Snapshot.take(grid)
    >>> grid.set_passable((2, 0), True)
    >>> before.restore(grid).passable.tolist()
    [[True, True, False]]
    """

    passable: npt.NDArray[np.uint8]
    weights: npt.NDArray[np.uint16] | None
    exits: npt.NDArray[np.uint8] | None

    @classmethod
    def take(cls, grid: Grid) -> Snapshot:
        """Return the map of a grid as it is."""
        weights, exits = grid._weights, grid._exits
        return cls(
            np.packbits(grid._passable),
            None if weights is None else weights.copy(),
            None if exits is None else exits.copy(),
        )

    def restore(self, like: Grid) -> Grid:
        """Return a new grid with this map and the rules of another."""
        shape = (like.height, like.width)
        passable = np.unpackbits(self.passable, count=shape[0] * shape[1]).reshape(shape)
        made = like.twin(passable, self.weights)
        made._exits = None if self.exits is None else self.exits.copy()
        return made

    def arrays(self) -> dict[str, npt.NDArray[np.uint8] | npt.NDArray[np.uint16]]:
        """Return the arrays under the names by which files keep them."""
        return {PREFIX + name: array for name, array in self._asdict().items() if array is not None}

    @classmethod
    def read(cls, arrays: Mapping[str, npt.NDArray[np.uint8]], like: Grid) -> Snapshot:
        """Return the snapshot that a file keeps; refuse arrays that are none of a map of this size."""
        shape = (like.height, like.width)
        wanted = {
            "passable": (np.uint8, (-(-shape[0] * shape[1] // 8),)),
            "weights": (np.uint16, shape),
            "exits": (np.uint8, shape),
        }
        parts: dict[str, Any] = {}
        for name, (kind, size) in wanted.items():
            parts[name] = array = arrays.get(PREFIX + name)
            if array is None and name != "passable":
                continue
            if array is None or array.dtype != kind or array.shape != size:
                raise WaygridError(f"the map that the index was made for is not one of {like.width} x {like.height}")
        return cls(**parts)
