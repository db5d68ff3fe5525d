"""Pictures of the zones of a map: neighbouring zones differ in colour, and every gate is a line."""

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from waygrid.draw.canvas import AUTO_SIDE, Colour, Floats
from waygrid.draw.maps import draw_map, stamp

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw

    from waygrid.grid.grid import Grid

GATE: Colour = (0, 62, 200)
BRIDGE: Colour = (214, 24, 12)
TINTS = 8  # colours of zones, more where a zone has that many neighbours
_FINE, _FINE_SIDE = 4, 3000  # zones are small: pixels per cell, as far as the longer side stays within so many


class Zones(Protocol):
    """What is drawn of a `Decomposition`."""

    @property
    def count(self) -> int:
        """The number of zones."""

    @property
    def zones(self) -> NDArray[np.int32]:
        """The zone of each cell, -1 for walls."""

    @property
    def gates(self) -> NDArray[Any]:
        """The gates between zones."""


def draw_zones(grid: "Grid", cut: Zones, scale: int | None = None) -> "Image":
    """Draw the zones of a map, with gates in blue and bridges in red.

    `scale` is in pixels per cell; without it large maps get more pixels than `draw_map` gives them.

    >>> import waygrid as wg
    >>> grid = wg.Grid([[1, 1, 0, 1, 1],
    ...                 [1, 1, 1, 1, 1]])
    >>> cut = wg.decompose(grid)
    >>> cut.gates["first"].tolist()
    [[[2, 1], [3, 1]]]
    >>> draw_zones(grid, cut, scale=20).getpixel((60, 30)) == BRIDGE
    True
    """
    longer = max(grid.width, grid.height)
    if scale is None:
        scale = max(round(AUTO_SIDE / longer), min(_FINE, _FINE_SIDE // longer)) or None
    image = draw_map(grid.passable, topology=grid.topology, zones=_tints(cut), scale=scale)
    pixels = max(image.size) / longer
    lines, bridge = _lines(cut.gates) * pixels, cut.gates["bridge"]
    broad = max(2.0, 0.25 * pixels)
    for chosen, colour in ((~bridge, GATE), (bridge, BRIDGE)):
        if chosen.any():
            stamp(image, lines[chosen].reshape(-1, 2), broad / 2, colour, _segments)
    return image


def _tints(cut: Zones) -> NDArray[np.int32]:
    """Return a colour's number per cell: zones that share a gate differ, and each colour is used about as often."""
    beside: list[set[int]] = [set() for _ in range(cut.count)]
    for one, other in cut.gates["zones"].tolist():
        beside[one].add(other)
        beside[other].add(one)
    tint = np.full(cut.count + 1, -1, np.int32)  # one more for -1, the zone of walls
    uses = [0] * TINTS
    for zone in range(cut.count):
        taken = {int(tint[other]) for other in beside[zone]}
        free = [number for number in range(len(uses)) if number not in taken]
        if not free:
            free = [len(uses)]
            uses.append(0)
        tint[zone] = min(free, key=uses.__getitem__)
        uses[tint[zone]] += 1
    return tint[cut.zones]


def _lines(gates: NDArray[np.void]) -> Floats:
    """Return the two ends of a line for each gate, in cells from the corner of the map.

    It runs along the edge between the facing cells of both sides; a gate of one diagonal move is drawn as that move.
    """
    low, high = gates["first"].max(axis=1), gates["last"].min(axis=1) + 1
    ends = np.stack([low, high], axis=1).astype(np.float64)
    diagonal = (low >= high).all(axis=1)
    ends[diagonal] = gates["first"][diagonal] + 0.5
    shorter: Floats = ends + 0.1 * np.sign(ends[:, ::-1] - ends)  # so that gates in one line can be distinguished
    return shorter


def _segments(draw: "ImageDraw", points: Floats, radius: float) -> None:
    for ends in points.reshape(-1, 4).tolist():
        draw.line(ends, fill=255, width=max(1, round(2 * radius)))
