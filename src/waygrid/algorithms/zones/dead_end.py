"""A* that never enters a part of the map from which the only way on leads back (Björnsson and Halldórsson)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from waygrid.algorithms.classic.best_first import AStar
from waygrid.algorithms.zones import dead_end_query as deadend
from waygrid.algorithms.zones import query as zoned
from waygrid.algorithms.zones.zones import Ports, detours, doors_of, find_ports, lines_of, moves_of
from waygrid.build.checks import require, require_array, require_offsets, require_range
from waygrid.build.difference import Difference
from waygrid.build.indexed import IndexedFinder
from waygrid.core import layout
from waygrid.core.types import Array
from waygrid.errors import WaygridError
from waygrid.grid.grid import Grid
from waygrid.search.cells import pair_of
from waygrid.search.heuristics import heuristic
from waygrid.search.request import PLAIN
from waygrid.search.scratch import Shape

END_ARRAYS = ("doors", "block", "last", "door_moves", "door_lines")


def zone_numbers(grid: Grid, ports: Ports) -> Array:
    """Return the zone of each cell, 0 for walls, in 2 bytes where they suffice.

    For each combination of types kernels are compiled anew, so small tables have one type only.
    """
    zone = np.where(grid.table.walk == 0, 0, ports.zone)
    return zone.astype(zone_kind(ports.zones))


def zone_kind(zones: int) -> np.dtype[np.unsignedinteger]:
    """Return the type that holds the numbers of so many zones.

    >>> zone_kind(70_000)
    dtype('uint32')
    """
    return np.dtype(np.uint16 if zones <= 2**16 else np.uint32)


class ZonedFinder(IndexedFinder, AStar):
    """What the finders over zones share."""

    _kernel = staticmethod(zoned.run)

    def _configure(self) -> None:
        self._heuristic = heuristic(None, self.grid, 1.0)

    def _zones(self) -> npt.NDArray[np.int32]:
        """Return the zone of each cell, indexed [y, x], -1 for walls."""
        self._check_version()
        zone = np.where(self.grid.table.walk != 0, self.index["zone"].astype(np.int32), -1)
        return zone.reshape(self.grid.height, self.grid.width)

    def _end_arrays(self, ports: Ports, chosen: Array) -> dict[str, Array]:
        """Return the part of an index that knows dead ends, by the chosen ports."""
        moves, lines = moves_of(ports, chosen), lines_of(self.grid, ports, chosen)
        table = self.grid.table
        return {
            "doors": doors_of(table.moves.size, moves, detours(self.grid, table.moves, lines)),
            "block": ports.block.astype(np.int32),
            "last": ports.last.astype(np.int32),
            "door_moves": moves,
            "door_lines": lines,
        }

    def _require_zones(self, zones: int) -> None:
        """Refuse zones of cells that are none of so many."""
        zone = require_array(self.index, "zone", zone_kind(zones), (self.grid.table.moves.size,))
        require_range(zone, "array 'zone'", 0, max(zones - 1, 0))

    def _require_ends(self, zones: int, *, blocks: bool) -> None:
        """Refuse dead ends that do not fit the map or so many zones; blocks: whether these are divided into blocks."""
        index, cells, geo = self.index, self.grid.table.moves.size, self.grid.table.geo
        require_array(index, "doors", np.uint8, (cells,))
        last = require_array(index, "last", np.int32, (None,))
        require(blocks == (last.size > 0) or zones == 0, f"array 'last' holds {last.size} numbers")
        most = last.size if blocks else zones
        require_range(require_array(index, "block", np.int32, (zones,)), "array 'block'", 0, max(most - 1, 0))
        for name in ("door_moves", "door_lines"):
            rows = require_array(index, name, np.int32, (None, 3))
            require_range(rows[:, 0], f"array {name!r}, cell,", 0, cells - 1)
            require_range(rows[:, 1], f"array {name!r}, direction,", 0, 7)
            there = rows[:, 0] + geo[layout.STEP + rows[:, 1].astype(np.int64)]
            require_range(there, f"array {name!r}, next cell,", 0, cells - 1)

    def _ends(self, moves: Array) -> deadend.Ends:
        """Return what knows dead ends, for the move table in use; walls added since may open some of them."""
        index, doors = self.index, self.index["doors"]
        if moves is not self.grid.table.moves or self.grid.version != self._fits:
            twice = detours(self.grid, moves, index["door_lines"])
            if len(twice):
                doors = self._fewer_doors(twice)
                doors.flags.writeable = False
        return deadend.Ends(index["zone"], doors, index["block"], index["last"])

    def _follow(self, gap: Difference) -> None:
        # Closed cells leave dead ends dead and the costs between gates lower bounds (see `_ends`).
        if gap.only_closed:
            self._stand_in = None
            self._refresh_tables()
        else:
            super()._follow(gap)

    def _fewer_doors(self, twice: Array) -> Array:
        """Return the doors without those of ports that a path may pass twice."""
        return doors_of(self.index["doors"].size, self.index["door_moves"], twice)


class DeadEnd(ZonedFinder):
    """A* without the moves through bridges behind which the goal does not lie."""

    _ARRAYS = ("zone", *END_ARRAYS, "first", "enters", "gate")

    def _configure(self) -> None:
        super()._configure()
        if self._enumerates and (self.grid.weights is not None or self.grid.has_one_way):
            raise WaygridError(
                "relevance='trails' is for plain ground, without weights and one-way tiles; take bridges"
            )

    @property
    def _enumerates(self) -> bool:
        return bool(self.options["relevance"] == "trails")

    def _build(self) -> dict[str, Array]:
        ports = find_ports(self.grid, self.options["decomposition"])
        chosen = np.ones_like(ports.bridge) if self._enumerates else ports.bridge
        index = {"zone": zone_numbers(self.grid, ports), **self._end_arrays(ports, chosen)}
        graph = {"first": ports.first, "enters": ports.enters, "gate": ports.gate}
        if self._enumerates:
            index["last"] = index["last"][:0]
        else:
            graph = {name: array[:0] for name, array in graph.items()}
        return index | {name: np.ascontiguousarray(array, np.int32) for name, array in graph.items()}

    def _check_index(self) -> None:
        zones = len(require_array(self.index, "block", np.int32, (None,)))
        self._require_zones(zones)
        self._require_ends(zones, blocks=not self._enumerates)
        gate = require_array(self.index, "gate", np.int32, (None,) if self._enumerates else (0,))
        enters = require_array(self.index, "enters", np.int32, (gate.size,))
        first = require_array(self.index, "first", np.int32, (zones + 1 if self._enumerates else 0,))
        if self._enumerates:
            require_offsets(first, "array 'first'", gate.size)
            require_range(enters, "array 'enters'", 0, zones - 1)
            require_range(gate, "array 'gate'", 0, gate.size // 2 - 1)

    def _fewer_doors(self, twice: Array) -> Array:
        if self._enumerates:  # marks cannot tell which zones a gate passed twice makes relevant: all are
            return np.zeros_like(self.index["doors"])
        return super()._fewer_doors(twice)

    def _shape(self) -> Shape:
        zones, ports = len(self.index["block"]), len(self.index["gate"])
        return super()._shape()._replace(notes=deadend.trail_notes(zones, ports) if self._enumerates else 0)

    def _index_arrays_for(self, moves: Array) -> Any:
        index = self.index
        trails = deadend.Trails(index["first"], index["enters"], index["gate"]) if self._enumerates else None
        return zoned.Zoned(index["zone"], self._ends(moves), trails, None)

    def relevant(self, start: tuple[int, int], goal: tuple[int, int]) -> npt.NDArray[np.bool_]:
        """Return which cells, indexed [y, x], lie in zones that a path between the two may need.

        >>> import waygrid as wg
        >>> rooms = wg.Grid([[1, 1, 0, 1, 1],
        ...                  [1, 1, 1, 1, 1],
        ...                  [0, 0, 0, 0, 1]])
        >>> wg.make_finder("dead-end", rooms).relevant((4, 0), (4, 2)).astype(int).tolist()
        [[0, 0, 0, 1, 1], [0, 0, 0, 1, 1], [0, 0, 0, 0, 1]]
        """
        from waygrid.search.batch import check_queries

        self._check_version()
        query = check_queries(self, pair_of("start", start), pair_of("goal", goal), PLAIN)[0].tolist()
        ports = find_ports(self.grid, self.options["decomposition"])
        walk = self.grid.table.walk.reshape(self.grid.height, self.grid.width) != 0
        zone = ports.zone.reshape(walk.shape)
        one, other = int(zone[query[1], query[0]]), int(zone[query[3], query[2]])
        lines = self.index["door_lines"]
        if self.stale:
            chosen = np.ones_like(ports.bridge) if self._enumerates else ports.bridge
            lines = lines_of(self.grid, ports, chosen)
        twice = detours(self.grid, self.grid.table.moves, lines)
        marks = relevant_zones(ports, one, other, twice)
        return np.asarray(walk & marks[np.maximum(zone, 0)])


def relevant_zones(ports: Ports, start: int, goal: int, twice: Array | None = None) -> npt.NDArray[np.bool_]:
    """Return the zones that a search from one zone to another may enter; none if there is no way.

    twice: ports of bridges that a cheapest path may pass out and in again, if there are any.
    """
    marks = np.zeros(ports.zones, np.bool_)
    marks[start], todo = True, [start]
    wanted = int(ports.block[goal])
    open_ports = set() if twice is None else set(twice.tolist())
    while todo:
        zone = todo.pop()
        for port in range(int(ports.first[zone]), int(ports.first[zone + 1])):
            other = int(ports.enters[port])
            here, there = int(ports.block[zone]), int(ports.block[other])
            child = max(here, there)
            behind = (child <= wanted <= int(ports.last[child])) == (there == child)
            if not marks[other] and (not ports.bridge[port] or behind or port in open_ports):
                marks[other] = True
                todo.append(other)
    return marks if marks[goal] else np.zeros(ports.zones, np.bool_)
