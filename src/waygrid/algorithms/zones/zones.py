"""A map cut into zones, and the gates between them (Björnsson and Halldórsson, Decomposition Algorithm)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from waygrid.algorithms.zones.bridges import find_blocks
from waygrid.algorithms.zones.gate_costs import Crossings
from waygrid.algorithms.zones.gates_build import list_crossings, number_runs
from waygrid.algorithms.zones.zones_build import FREE, WALL
from waygrid.algorithms.zones.zones_build import decompose as fill_zones
from waygrid.core import layout
from waygrid.core.types import Array
from waygrid.errors import WaygridError, show
from waygrid.grid.grid import Grid
from waygrid.grid.topology import choose

ALGORITHMS = ("repaired", "printed")
ORIENTATIONS = ("horizontal", "vertical", "corner")  # of the line of a gate's cells; a corner gate is one diagonal
GATE = np.dtype(
    [("zones", "<i4", 2), ("orientation", "u1"), ("first", "<i4", (2, 2)), ("last", "<i4", (2, 2)), ("bridge", "?")]
)
_ENDLESS = 2**31 - 1


@dataclass(frozen=True)
class Decomposition:
    """The zones of a map.

    `zones` is the zone of each cell, indexed [y, x], -1 for walls. `gates` has one row for each gate: its two `zones`,
    the number of its `orientation` in ORIENTATIONS, the `first` and `last` cell (x, y) of its line on each side, and
    whether it is a `bridge`, the only way between two parts of the map. As edges between zones they form a multigraph.
    `marked_walls` counts walls that the printed algorithm took for zones.
    """

    zones: npt.NDArray[np.int32]
    count: int
    gates: npt.NDArray[np.void]
    blocks: npt.NDArray[np.int32]  #: for each zone, the number of its block: zones between which no bridge lies
    marked_walls: int

    def neighbours(self, zone: int) -> list[int]:
        """Return the zones behind the gates of a zone, one for each gate."""
        if zone not in range(self.count):
            raise WaygridError(f"there is no zone {zone}; the map has {self.count}, numbered from 0")
        pairs = self.gates["zones"]
        return [*pairs[pairs[:, 0] == zone, 1].tolist(), *pairs[pairs[:, 1] == zone, 0].tolist()]


def decompose(grid: Grid, algorithm: str = "repaired", gate_length: int | None = None) -> Decomposition:
    """Cut a map into zones whose rows and columns are single runs of cells, and find the gates between them.

    algorithm: "repaired", or "printed" for the paper's listing as it stands. gate_length: longer gates are cut evenly.

    >>> import waygrid as wg
    >>> two_rooms = wg.Grid([[1, 1, 1, 0, 1, 1, 1],
    ...                      [1, 1, 1, 1, 1, 1, 1],
    ...                      [1, 1, 1, 0, 1, 1, 1]])
    >>> cut = wg.decompose(two_rooms)
    >>> cut.zones.tolist()
    [[0, 0, 0, -1, 1, 1, 1], [0, 0, 0, 0, 1, 1, 1], [0, 0, 0, -1, 1, 1, 1]]
    >>> cut.gates["zones"].tolist(), cut.neighbours(0)
    ([[0, 1]], [1])
    """
    ports = find_ports(grid, algorithm, gate_length)
    walk = grid.table.walk.reshape(grid.height, grid.width) != 0
    zones = np.where(walk, ports.zone.reshape(walk.shape), -1).astype(np.int32)
    one, other = ports.sides[:, 0], ports.sides[:, 1]
    gates = np.zeros(len(one), GATE)
    gates["zones"] = np.stack((ports.enters[other], ports.enters[one]), axis=1)
    for side, port in enumerate((one, other)):
        gates["first"][:, side] = ports.boxes[port, :2]
        gates["last"][:, side] = ports.boxes[port, 2:]
    gates["orientation"] = ports.orientation
    gates["bridge"] = ports.bridge[one]
    return Decomposition(zones, ports.zones, gates, ports.block.astype(np.int32), ports.marked_walls)


class Ports(NamedTuple):
    """Zones and gates as searches want them; a port is a gate seen from one side, numbered zone by zone."""

    zone: Array  # of each cell; anything at walls
    zones: int  # how many
    marked_walls: int
    first: Array  # for each zone, its first port; one more at the end
    enters: Array  # for each port, the zone behind it
    opposite: Array  # for each port, the same gate seen from the other side
    gate: Array  # for each port, the number of its gate
    sides: Array  # for each gate, its two ports
    orientation: Array  # for each gate
    boxes: Array  # for each port, x0, y0, x1, y1 of the gate's cells in the port's own zone
    moves: Array  # all moves between zones: rows of cell, direction, port
    bridge: Array  # for each port, 1 if its gate is a bridge
    block: Array  # for each zone, the number of its block, in preorder
    last: Array  # for each block, the last one behind it


def find_ports(grid: Grid, algorithm: str = "repaired", gate_length: int | None = None) -> Ports:
    """Cut a map into zones and list what leads from one to another."""
    choose("algorithm", algorithm, ALGORITHMS)
    if not isinstance(grid, Grid):
        raise WaygridError(f"zones are those of a Grid, not of {type(grid).__name__}")
    if grid.topology not in ("tile", "octile"):
        raise WaygridError(
            f"zones are made of rows and columns; topology {show(grid.topology)} has none, take tile or octile"
        )
    if gate_length is not None and (isinstance(gate_length, bool) or not isinstance(gate_length, (int, np.integer))):
        raise WaygridError(f"gate_length is {show(gate_length)}; allowed are the integers from 1, or None for no limit")
    if gate_length is not None and gate_length < 1:
        raise WaygridError(f"gate_length is {gate_length}; allowed are the integers from 1, or None for no limit")
    table, width = grid.table, grid.width
    zone = np.where(table.walk != 0, FREE, WALL).astype(np.int32)
    count = fill_zones(zone, width, algorithm == "printed")
    marked = int(np.count_nonzero((zone >= 0) & (table.walk == 0)))
    zone[table.walk == 0] = WALL
    below, beside = np.full(zone.size, -1, np.int32), np.full(zone.size, -1, np.int32)
    runs = number_runs(
        zone, table.geo, _ENDLESS if gate_length is None else min(int(gate_length), _ENDLESS), below, beside
    )
    arrays = (table.moves, table.geo, zone, below, beside, runs)
    crossings, gates = list_crossings(*arrays, np.zeros((0, 3), np.int32))
    listed = np.zeros((crossings, 3), np.int32)
    list_crossings(*arrays, listed)
    horizontal = np.zeros(gates, np.bool_)
    horizontal[below[below >= 0]] = True
    orientation = np.where(np.arange(gates) >= runs, 2, np.where(horizontal, 0, 1)).astype(np.uint8)
    return _number_ports(grid, zone, count, marked, listed, gates, orientation)


def _number_ports(
    grid: Grid, zone: Array, count: int, marked: int, listed: Array, gates: int, orientation: Array
) -> Ports:
    """Number both sides of every gate zone by zone; a gate that one-way tiles close altogether has no ports."""
    cell, way, gate = listed.T.astype(np.int64)
    head = cell + grid.table.geo[layout.STEP + way]
    alive, gate = np.unique(gate, return_inverse=True)
    gates, orientation = len(alive), orientation[alive]
    pair = np.zeros((gates, 2), np.int64)  # the two zones of each gate, the lower number first
    pair[gate, 0], pair[gate, 1] = np.minimum(zone[cell], zone[head]), np.maximum(zone[cell], zone[head])
    order = np.argsort(pair.reshape(-1), kind="stable")
    number = np.empty(2 * gates, np.int64)
    number[order] = np.arange(2 * gates)
    sides = number.reshape(gates, 2)
    enters, opposite, gate_of = (np.empty(2 * gates, np.int64) for _ in range(3))
    for side in (0, 1):
        enters[sides[:, side]] = pair[:, 1 - side]
        opposite[sides[:, side]] = sides[:, 1 - side]
        gate_of[sides[:, side]] = np.arange(gates)
    first = np.searchsorted(pair.reshape(-1)[order], np.arange(count + 1))
    out = sides[gate, (zone[cell] != pair[gate, 0]).astype(np.int64)]
    bridge, block, last = np.zeros(2 * gates, np.uint8), np.zeros(count, np.int64), np.zeros(count, np.int64)
    blocks = find_blocks(first, enters, opposite, bridge, block, last)
    boxes = _boxes(grid.width, 2 * gates, (out, cell), (opposite[out], head))
    moves = np.stack((cell, way, out), axis=1)
    numbers = (first, enters, opposite, gate_of, sides, orientation, boxes, moves)
    return Ports(zone, count, marked, *numbers, bridge, block, last[:blocks])


def _boxes(width: int, ports: int, *touched: tuple[Array, Array]) -> Array:
    """Box in the cells that moves through each port leave or enter."""
    boxes = np.empty((ports, 4), np.int32)
    boxes[:, :2], boxes[:, 2:] = _ENDLESS, -1
    for port, cell in touched:
        x, y = cell % width, cell // width
        for column, reduce, value in ((0, np.minimum, x), (1, np.minimum, y), (2, np.maximum, x), (3, np.maximum, y)):
            reduce.at(boxes[:, column], port, value)
    return boxes


def moves_of(ports: Ports, chosen: Array) -> Array:
    """Return the moves through the chosen ports: rows of cell, direction, port."""
    return np.ascontiguousarray(ports.moves[chosen[ports.moves[:, 2]] != 0], np.int32)


def lines_of(grid: Grid, ports: Ports, chosen: Array) -> Array:
    """Return the steps along the line of each chosen port's gate, on its own side: rows of cell, direction, port."""
    rows: list[Array] = []
    for port in np.flatnonzero(chosen).tolist():
        x0, y0, x1, y1 = ports.boxes[port].tolist()
        cells = np.array([y * grid.width + x for y in range(y0, y1 + 1) for x in range(x0, x1 + 1)])
        for ahead in (1, -1):
            step = ahead * (1 if y0 == y1 else grid.width)
            d = int(np.flatnonzero(grid.table.geo[layout.STEP : layout.STEP + 4] == step)[0])
            tails = cells[:-1] if ahead == 1 else cells[1:]
            rows.append(np.stack((tails, np.full(len(tails), d), np.full(len(tails), port)), axis=1))
    return np.concatenate(rows).astype(np.int32) if rows else np.zeros((0, 3), np.int32)


def detours(grid: Grid, moves: Array, lines: Array) -> Array:
    """Return the ports whose gates a cheapest path may pass twice, out and in again.

    It never does where it could as well walk along the gate's line: on plain ground that costs no more than any way
    round. Walls of one query, one-way tiles and dear ground on the line can make the way round worth it. (The paper
    has it that blocked cells change nothing here; they do, beside wide gates.)
    """
    cell, way, port = lines.T.astype(np.int64)
    closed = (moves[cell] >> way.astype(np.uint8)) & 1 == 0
    if grid.table.weights is not None:
        entered = grid.table.weights[cell + grid.table.geo[layout.STEP + way]]
        closed |= entered > grid.table.geo[layout.MIN_WEIGHT]
    return np.unique(port[closed])


def doors_of(cells: int, moves: Array, but: Array) -> Array:
    """Return for each cell, as bits, its moves out of rows of cell, direction, port; without those of some ports."""
    doors = np.zeros(cells, np.uint8)
    cell, way, port = moves.T.astype(np.int64)
    kept = ~np.isin(port, but)
    np.bitwise_or.at(doors, cell[kept], (1 << way[kept]).astype(np.uint8))
    return doors


def crossings_of(grid: Grid, ports: Ports) -> Crossings:
    """Return the cells on both sides of every port with their cheapest moves."""
    cell, way, port = ports.moves.T
    table = grid.table
    head = cell + table.geo[layout.STEP + way]
    price = table.geo[layout.COST + way]
    if table.weights is not None:
        price = price * table.weights[head].astype(np.int64)
    lists: list[tuple[Array, Array, Array]] = []
    for side in (cell, head):
        order = np.lexsort((price, side, port))
        _, unique = np.unique(port[order] * ports.zone.size + side[order], return_index=True)
        kept = order[unique]  # of each cell the cheapest move
        kept = kept[np.lexsort((price[kept], port[kept]))]
        lists.append((np.searchsorted(port[kept], np.arange(len(ports.enters) + 1)), side[kept], price[kept]))
    return Crossings(*lists[0], *lists[1], ports.opposite)
