"""Maps the tiles of a Tiled map to cells of a grid with the same neighbours.

Orthogonal and isometric maps are squares in rows and columns: cell (x, y) is tile (x, y). Hexagonal maps shift every
second column (stagger axis x) or row (y) by half a tile, the odd or the even ones (stagger index). The columns of a hex
grid are shifted, the even ones downwards. So rows become columns where the axis is y, and where the odd ones are
shifted a column of walls in front makes them even.
"""

from typing import NamedTuple, TypeVar
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import NDArray

from waygrid.errors import WaygridError

Kind = TypeVar("Kind", bound=np.generic)
ORIENTATIONS = ("orthogonal", "isometric", "hexagonal")


class Layout(NamedTuple):
    """How an array of tiles becomes one of cells."""

    topology: str | None = None
    swap: bool = False  # tile (x, y) is cell (y, x)
    shift: bool = False  # and one column further to the right, behind a column of walls

    def arrange(self, tiles: NDArray[Kind], wall: int) -> NDArray[Kind]:
        """Return the cells of an array of tiles; `wall` is what the column in front holds.

        >>> Layout("hex", swap=True, shift=True).arrange(np.array([[1, 2], [3, 4]]), 0)
        array([[0, 1, 3],
               [0, 2, 4]])
        """
        cells = tiles.T if self.swap else tiles
        if self.shift:
            cells = np.pad(cells, ((0, 0), (1, 0)), constant_values=wall)
        return np.ascontiguousarray(cells)

    def size(self, width: int, height: int) -> tuple[int, int]:
        """Return width and height in cells of a map of so many tiles."""
        across, down = (height, width) if self.swap else (width, height)
        return across + self.shift, down


def read_layout(root: Element, left: int, top: int, name: str) -> Layout:
    """Return the layout of a <map>; `left` and `top` are the tile coordinates of its first tile."""
    orientation = root.get("orientation", "orthogonal")
    if orientation in ("orthogonal", "isometric"):
        return Layout()
    if orientation != "hexagonal":
        why = ": no topology of waygrid has the neighbours of its shifted diamonds"
        raise WaygridError(
            f"{name}: orientation {orientation[:40]!r} is not supported{why if orientation == 'staggered' else ''}; "
            f"allowed are {', '.join(ORIENTATIONS)}"
        )
    axis = _one_of(root, "staggeraxis", ("y", "x"), name)
    even = _one_of(root, "staggerindex", ("odd", "even"), name) == "even"
    first = left if axis == "x" else top
    return Layout("hex", axis == "y", even == (first % 2 == 1))


def _one_of(root: Element, key: str, allowed: tuple[str, str], name: str) -> str:
    """Return an attribute; if it is missing, the first of the allowed values, as in Tiled."""
    value = root.get(key, allowed[0])
    if value not in allowed:
        raise WaygridError(f"{name}: {key} {value[:40]!r}; allowed are {' and '.join(allowed)}")
    return value
