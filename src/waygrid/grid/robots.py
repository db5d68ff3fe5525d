"""Grids from the messages of robots, and back: occupancy grids and cost maps."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt

from waygrid.errors import WaygridError
from waygrid.formats import occupancy
from waygrid.formats.mapdata import MapData
from waygrid.grid.sources import ReadsMaps


class ReadsMessages(ReadsMaps):
    """The part of a grid that reads and writes what robots send each other."""

    @classmethod
    def from_occupancy(
        cls,
        data: npt.ArrayLike,
        width: int,
        height: int,
        resolution: float,
        origin: tuple[float, ...] = (0.0, 0.0),
        *,
        unknown: str = "wall",
        threshold: int = 65,
        weighted: bool = False,
        topology: str = "octile",
        corners: str = "never",
        metric: str | tuple[int, int] = "octile",
        clearance: int = 1,
    ) -> Self:
        """Return a grid from the fields of an OccupancyGrid: -1 is unknown, 0 free, 100 occupied.

        data: the numbers row by row, the first row lowest, as the message holds them; so cell (0, 0) is the lower left
        one. resolution: metres per cell. origin: (x, y) or (x, y, yaw) of the lower left corner. threshold: from this
        occupancy on, a cell is a wall. unknown: what unknown cells are: wall, free or error. weighted: occupancies
        below the threshold become weights, 1 + occupancy.

        >>> import waygrid as wg
        >>> grid = wg.Grid.from_occupancy([0, 0, 100, 0, -1, 30], 3, 2, 0.05, (-3, -2))
        >>> grid.passable.tolist(), grid.to_cell((-2.97, -1.92))
        ([[True, True, False], [True, False, True]], (0, 1))
        """
        rules: dict[str, Any] = {"topology": topology, "corners": corners, "metric": metric, "clearance": clearance}
        cells = occupancy.arrange(data, width, height, "data")
        place = occupancy.read_pose(resolution, origin)
        read = occupancy.read_occupancies(
            cells, unknown=unknown, threshold=threshold, weighted=weighted, georeference=place
        )
        return cls._keep(read, "enter", **rules)

    def to_occupancy(self) -> npt.NDArray[np.int8]:
        """Return the data of an OccupancyGrid, (height * width,), lowest row first: 100 in walls, else weight - 1.

        Weights above 100 are refused. The message's resolution and origin are those of `georeference`.

        >>> import waygrid as wg
        >>> wg.Grid.from_occupancy([0, 0, 100, 0, -1, 30], 3, 2, 0.05, weighted=True).to_occupancy().tolist()
        [0, 0, 100, 0, 100, 30]
        """
        return self._write_message(100, 99, "an occupancy grid").astype(np.int8)

    @classmethod
    def from_costmap(
        cls,
        data: npt.ArrayLike,
        width: int,
        height: int,
        resolution: float,
        origin: tuple[float, ...] = (0.0, 0.0),
        *,
        unknown: str = "wall",
        topology: str = "octile",
        corners: str = "never",
        metric: str | tuple[int, int] = "octile",
        clearance: int = 1,
    ) -> Self:
        """Return a grid from a cost map as nav2 keeps it: 254 is lethal, 253 inscribed, 255 unknown, 0 free.

        253 and 254 are walls: there the robot touches something. Other costs become weights, 1 + cost. The other
        arguments are those of `from_occupancy`.

        >>> import waygrid as wg
        >>> wg.Grid.from_costmap([0, 99, 253, 254], 4, 1, 0.05).weights.tolist()
        [[1, 100, 1, 1]]
        """
        rules: dict[str, Any] = {"topology": topology, "corners": corners, "metric": metric, "clearance": clearance}
        cells = occupancy.arrange(data, width, height, "data")
        place = occupancy.read_pose(resolution, origin)
        return cls._keep(occupancy.read_cost_cells(cells, unknown=unknown, georeference=place), "enter", **rules)

    def to_costmap(self) -> npt.NDArray[np.uint8]:
        """Return the data of a cost map, (height * width,), lowest row first: 254 in walls, else weight - 1 up to 252.

        >>> import waygrid as wg
        >>> wg.Grid(["3#."]).to_costmap().tolist()
        [2, 254, 0]
        """
        return self._write_message(254, 252, "a cost map").astype(np.uint8)

    def _write_message(self, wall: int, most: int, what: str) -> npt.NDArray[np.int16]:
        """Return a number for each cell in the order of messages, whose first row is the lowest."""
        if self._exits is not None:
            raise WaygridError(f"{what} cannot store one-way tiles; remove them before")
        data = MapData(self._passable.view(np.bool_), self._weights, None, None, self._scale)
        cells = occupancy.write_steps(data, wall, most, what)
        if self._georeference is not None and not occupancy.find_pose(self._georeference, len(cells))[2]:
            cells = cells[::-1]
        return cells.reshape(-1)

    def to_pose(self) -> tuple[float, tuple[float, float, float]]:
        """Return the resolution and the origin (x, y, yaw) of the lower left corner, as messages of robots want them.

        >>> import waygrid as wg
        >>> wg.Grid.from_occupancy([0, 0], 2, 1, 0.05, (-3, -2, 0.5)).to_pose()
        (0.05, (-3.0, -2.0, 0.5))
        """
        from waygrid.grid.placed import require_place

        resolution, origin, _ = occupancy.find_pose(require_place(self._georeference), len(self._passable))
        return resolution, origin
