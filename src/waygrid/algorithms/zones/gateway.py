"""A* whose estimate leads through the gates between zones (Björnsson and Halldórsson)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from waygrid.algorithms.zones import gateway_query as gateway
from waygrid.algorithms.zones import query as zoned
from waygrid.algorithms.zones.dead_end import END_ARRAYS, ZonedFinder, zone_numbers
from waygrid.algorithms.zones.gate_costs import Crossings
from waygrid.algorithms.zones.gates import gate_work, inner_table
from waygrid.algorithms.zones.zones import Ports, crossings_of, find_ports
from waygrid.build.checks import require, require_array, require_offsets, require_range
from waygrid.build.sweep import build_key, sweep
from waygrid.core import layout
from waygrid.core.query import renew
from waygrid.core.types import Array
from waygrid.errors import WaygridError, show_bytes
from waygrid.search.scratch import Shape

GATE_ARRAYS = gateway.Gates._fields  # names in the index
_VERSION = 1  # of the table; a higher one when its meaning changes
_LENGTHS = (4, 8, 16, 32)  # of gates, tried in this order
_BYTES_PER_CELL = 256  # of the table, for gate_length="auto"
_LARGEST_TABLE = 2**31  # bytes
_KINDS: tuple[Any, ...] = (np.uint16, np.uint32, np.int64)  # of costs


class Gateway(ZonedFinder):
    """A* with h = max(octile, h^G). The estimate is admissible, not consistent: closed cells may be opened again."""

    _ARRAYS = (*GATE_ARRAYS, *END_ARRAYS)

    def _steer(self, policy: Array) -> None:
        super()._steer(policy)
        policy[layout.REOPEN] = 1
        step = int(self.grid.table.geo[layout.CARDINAL] * self.grid.table.geo[layout.MIN_WEIGHT])
        policy[layout.BUCKET_SHIFT] = max(0, step.bit_length() - 3)

    def _build(self) -> dict[str, Array]:
        ports, length = self._ports()
        unit = self._unit
        crossings = crossings_of(self.grid, ports)
        if self.options["table"] == "pairs":
            options = {"decomposition": self.options["decomposition"], "gate_length": length}
            key = build_key("gateway", self.grid.fingerprint(), options, _VERSION)
            costs, absent = _pack(sweep(gate_work(self.grid, crossings), self._plan, key)["costs"], unit)
            inner, inner_first = costs.reshape(-1)[:0], np.zeros(0, np.int64)
        else:
            distances, inner_first = inner_table(self.grid, ports, crossings)
            inner, absent = _pack(distances, unit)
            costs = inner[:0].reshape(0, 0)
        tables = (costs, ports.opposite, ports.enters, _prices(crossings), inner, inner_first)
        no_ends = {name: np.zeros(0, np.int32) for name in END_ARRAYS}
        return {
            "zone": zone_numbers(self.grid, ports),
            "first": ports.first.astype(np.int64),
            "boxes": ports.boxes,
            "scale": np.array([unit, absent], np.int64),
            **dict(zip(GATE_ARRAYS[4:], tables, strict=True)),
            **(self._end_arrays(ports, ports.bridge) if self.options["dead_ends"] else no_ends),
        }

    def _ports(self) -> tuple[Ports, int | None]:
        """Find zones and gates, and the length of gates; "auto" is the shortest whose table is not too large."""
        length, decomposition = self.options["gate_length"], self.options["decomposition"]
        if length != "auto":
            return self._not_too_many(find_ports(self.grid, decomposition, length)), length
        table = self.grid.table
        room = _BYTES_PER_CELL * np.count_nonzero(table.walk) // (8 if table.longest >= 2**31 else 4)
        for tried in _LENGTHS:
            ports = find_ports(self.grid, decomposition, tried)
            if len(ports.enters) ** 2 <= room or self.options["table"] == "zones":
                return ports, tried
        return self._not_too_many(find_ports(self.grid, decomposition)), None

    def _not_too_many(self, ports: Ports) -> Ports:
        """Refuse a table that would fill the memory of most machines."""
        size = 4 * len(ports.enters) ** 2
        if self.options["table"] == "pairs" and size > _LARGEST_TABLE:
            raise WaygridError(
                f"a table of all pairs of {len(ports.enters) // 2} gates would take {show_bytes(size)}, at most "
                f"{show_bytes(_LARGEST_TABLE)} are allowed; take table='zones', or dead-end"
            )
        return ports

    @property
    def _unit(self) -> int:
        """What a cost of 1 in the table stands for."""
        return math.gcd(*(int(self.grid.table.geo[price]) for price in (layout.CARDINAL, layout.DIAGONAL)))

    def _check_index(self) -> None:
        index = self.index
        first = require_array(index, "first", np.int64, (None,))
        ports = len(require_array(index, "boxes", np.int32, (None, 4)))
        require_offsets(first, "array 'first'", ports)
        zones, counts = first.size - 1, np.diff(first)
        self._require_zones(zones)
        opposite = require_array(index, "opposite", np.int64, (ports,))
        require_range(opposite, "array 'opposite'", 0, ports - 1)
        require(bool((opposite[opposite] == np.arange(ports)).all()), "array 'opposite' does not lead there and back")
        enters = require_array(index, "enters", np.int64, (ports,))
        behind = np.repeat(np.arange(zones), counts)[opposite]
        require(bool((enters == behind).all()), "array 'enters' has zones that are not those behind the gates")
        require_range(require_array(index, "prices", np.int64, (ports,)), "array 'prices'", 0, gateway.AWAY)
        self._require_table(ports, counts)
        if self.options["dead_ends"]:
            self._require_ends(zones, blocks=True)
        else:
            for name in END_ARRAYS:
                require_array(index, name, np.int32, (0,))

    def _require_table(self, ports: int, counts: Array) -> None:
        """Refuse a table that does not fit the gates; the costs in it are no addresses."""
        index, pairs = self.index, self.options["table"] == "pairs"
        places = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts**2)))
        costs = require_array(index, "costs", _KINDS, (ports, ports) if pairs else (0, 0))
        inner = require_array(index, "inner", costs.dtype, (0 if pairs else int(places[-1]),))
        own = require_array(index, "inner_first", np.int64, (0 if pairs else places.size,))
        require(pairs or bool((own == places).all()), "array 'inner_first' does not fit the gates of the zones")
        scale = require_array(index, "scale", np.int64, (2,)).tolist()
        expected = [self._unit, int(np.iinfo(inner.dtype).max)]
        require(scale == expected, f"array 'scale' is {scale}; it must be {expected}")

    def _shape(self) -> Shape:
        shape, first = super()._shape(), self.index["first"]
        most = int(np.diff(first).max(initial=0))
        notes = gateway.gate_notes(len(first) - 1, int(first[-1]), most, self.index["inner"].size == 0)
        shape = shape._replace(cells=max(shape.cells, int(first[-1])), notes=notes)
        if shape.heap:
            return shape
        return shape._replace(queue=2 * shape.queue, bits=2 * shape.bits)

    def _index_arrays_for(self, moves: Array) -> Any:
        index = self.index
        gates = gateway.Gates(*(index[name] for name in GATE_ARRAYS))
        return zoned.Zoned(index["zone"], self._ends(moves) if self.options["dead_ends"] else None, None, gates)

    def _estimate(self, start: Array, goal: Array) -> int:
        plain = super()._estimate(start, goal)
        labels, ends = self.grid.table.labels, [int(y) * self.grid.width + int(x) for x, y in (start, goal)]
        if labels[ends[1]] < 0 or labels[ends[0]] != labels[ends[1]]:  # no gate knows of such a goal
            return plain
        scratch = self._pool.take()
        renew(scratch.nodes, scratch.ctl)
        scratch.ctl[layout.START], scratch.ctl[layout.GOAL] = ends
        tables = (self._index_arrays.gates, self.grid.table.geo, self._policy, scratch.nodes, scratch.ctl)
        through = gateway.start_estimate(*tables)
        self._pool.give(scratch)
        return plain if through == gateway.AWAY else max(plain, through)


def _prices(crossings: Crossings) -> Array:
    """Return the price of the cheapest move out through each port."""
    first = crossings.tail_first
    prices = np.full(len(first) - 1, gateway.AWAY, np.int64)
    some = first[:-1] < first[1:]
    prices[some] = crossings.tail_price[first[:-1][some]]
    return prices


def _pack(costs: Array, unit: int) -> tuple[Array, int]:
    """Return costs in units, in the smallest type that holds them, and the number in it that stands for no way.

    Row by row, so that no more than the table itself is needed besides.
    """
    none, most = np.iinfo(costs.dtype).max, 0
    for row in costs if costs.ndim == 2 else (costs,):
        most = max(most, int(row.max(initial=0, where=row != none)) // unit)
    kind = next(kind for kind in _KINDS if most < np.iinfo(kind).max)
    absent = int(np.iinfo(kind).max)
    packed = np.empty(costs.shape, kind)
    for to, row in zip(packed, costs, strict=True) if costs.ndim == 2 else ((packed, costs),):
        to[:] = row // unit
        to[row == none] = absent
    return packed, absent
