"""Compressed path database: paths are looked up, not searched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

import numpy as np

from waygrid.algorithms.jumps import canonical
from waygrid.algorithms.jumps.checks import blocks_of, require_edges, require_turns
from waygrid.algorithms.jumps.floods import CanonicalFlood
from waygrid.algorithms.jumps.jps import JumpFinder
from waygrid.algorithms.jumps.turns import edge_records, turn_graph, turn_records
from waygrid.algorithms.pathdb import cpd_build as rows
from waygrid.algorithms.pathdb import cpd_query as cpd
from waygrid.build.checks import require_array, require_range
from waygrid.build.indexed import IndexedFinder
from waygrid.build.progress_bar import split_progress
from waygrid.build.sweep import Work, build_key, sweep
from waygrid.core.types import Array
from waygrid.grid.grid import Grid
from waygrid.search.scratch import Scratch, Shape

VERSION = 1  # of the rows; a higher one when their meaning changes
_ROOM = 128  # runs of a row, at first


class Cpd(IndexedFinder, JumpFinder):
    """The first move of every cell towards every other, in runs along a depth-first order of the cells."""

    _kernel = staticmethod(cpd.run)
    _knows_waypoints = True
    _askable = 24
    _ARRAYS = ("cells", "ids", "heads", "runs", "tags", "edges", "stops", "turn_heads", "turn_runs")

    def _build(self) -> dict[str, Array]:
        grid, plan, table = self.grid, self._plan, self.grid.table
        order, graph = depth_first(grid), turn_graph(table)
        flood = CanonicalFlood(grid, graph)
        names = {kind: build_key(f"first-{kind}", grid.fingerprint(), {}, VERSION) for kind in ("edges", "moves")}
        work = row_work(grid, flood, order, plan.device, plan.memory)  # where there is no GPU, this says so
        turn_work = TurnWork(grid, flood, order, turn_records(table, graph))
        parts = split_progress(plan.progress, [turn_work.total, work.total])
        cpu = replace(plan, device="cpu", progress=parts[0])  # turns are few, their labels too many for the GPU's bytes
        of_turns = sweep(turn_work, cpu, names["edges"])
        of_cells = sweep(work, replace(plan, progress=parts[1]), names["moves"])
        places, heads, runs = pack_cells(of_cells)
        turn_places, turn_heads, turn_runs = pack_cells(of_turns)
        turns = turn_records(table, graph)[0][:-1]
        stops = np.column_stack((turn_places, turns["edge"], turns["near"])).astype(turn_places.dtype)
        jumps = graph["jumps"]
        small = jumps.dtype == np.int16 and len(heads) < 2**30 and of_cells["counts"].max(initial=0) < 2**15
        cells = np.zeros((len(jumps), rows.JUMPS + 8), np.int16 if small else np.int64)
        cells[:, rows.JUMPS :] = jumps
        rows.measure_near(table.moves, table.geo, jumps, cells)
        rows.place_rows(places, order, cells)
        ids = np.full(grid.width * grid.height, -1, np.int32)
        ids[order] = np.arange(order.size)
        named = {"cells": cells, "ids": ids, "heads": heads, "runs": runs}
        of_turns = {"stops": stops, "turn_heads": turn_heads, "turn_runs": turn_runs}
        return {**named, "tags": graph["tags"], "edges": graph["edges"], **of_turns}

    def _check_index(self) -> None:
        index, table = self.index, self.grid.table
        turns, _ = require_turns(table, index)
        edges = require_edges(table, index, turns)
        cells = require_array(index, "cells", (np.int16, np.int64), (table.moves.size, rows.JUMPS + 8))
        stops = require_array(index, "stops", (np.int32, np.int64), (len(turns), rows.NEAR + 1))
        require_range(stops[:, rows.FIRST_EDGE], "array 'stops', edge,", 0, len(edges))
        require_range(
            require_array(index, "ids", np.int32, (table.moves.size,)), "array 'ids'", -1, table.moves.size - 1
        )
        for heads, runs in (("heads", "runs"), ("turn_heads", "turn_runs")):
            count = len(require_array(index, heads, np.uint32, (None,)))
            require_array(index, runs, np.uint32, (count * rows.BLOCK,))
        require_rows("stops", stops[:, 0], stops[:, 1], len(index["turn_heads"]))
        for part in blocks_of(len(cells)):
            low, high = (cells[part, half].astype(np.int64) for half in (rows.LOW, rows.HIGH))
            require_range(low, "array 'cells', first block,", 0, 2**15 - 1)
            require_range(high, "array 'cells', first block,", 0, len(index["heads"]) >> 15)
            require_rows("cells", high << 15 | low, cells[part, rows.BLOCKS], len(index["heads"]))

    def _shape(self) -> Shape:
        return Shape(1, False, 1, 1, False, self.grid.width * self.grid.height + 1)

    def _so_far(self, scratch: Scratch, ctl: Array) -> Array:
        return self._list_so_far(scratch, ctl, int(ctl[cpd.BEST_COUNT]))

    def _index_arrays_for(self, moves: Array) -> cpd.PathRows:
        index = self.index
        cells, tags = index["cells"], index["tags"]
        of_cells = (cells, cells[:, rows.JUMPS :], index["ids"], index["heads"], index["runs"])
        of_turns = (index["stops"], index["turn_heads"], index["turn_runs"])
        return cpd.PathRows(*of_cells, tags, edge_records(self.grid.table, index), *of_turns)


def require_rows(name: str, first: Array, count: Array, total: int) -> None:
    """Refuse rows that do not lie among so many blocks; what they hold is looked at by every query."""
    require_range(first, f"array {name!r}, first block,", 0, total)
    require_range(count, f"array {name!r}, blocks,", 0, total)
    require_range(first.astype(np.int64) + count, f"array {name!r}, last block,", 0, total)


def depth_first(grid: Grid) -> Array:
    """Return the cells in the order of the rows."""
    table = grid.table
    order = np.zeros(int(np.count_nonzero(table.walk)), np.int32)
    rows.depth_first(table.moves, table.walk, table.geo, order)
    return order


def pack_cells(made: Mapping[str, Array]) -> tuple[Array, Array, Array]:
    """Return rows in blocks: the first block and the number of blocks of each, the heads of blocks, the runs."""
    counts = made["counts"]
    blocks = int((-(-counts.astype(np.int64) // rows.BLOCK)).sum())
    places = np.zeros((len(counts), 2), np.int32 if blocks < 2**31 else np.int64)
    heads, runs = np.zeros(blocks, np.uint32), np.zeros(blocks * rows.BLOCK, np.uint32)
    rows.pack_rows(counts, made["runs"], places, heads, runs)
    return places, heads, runs


class RowWork:
    """The rows of all cells, in their order: `counts`, the runs of each, and `runs`, one row after the other."""

    def __init__(self, grid: Grid, flood: CanonicalFlood, order: Array) -> None:
        self._grid = grid
        self._flood, self._order, self._edges = flood, order, cast("Array | None", None)
        self.total = int(order.size)
        self.scratch_bytes = flood.bytes
        self.output_bytes = self.total * 4 * (1 + _ROOM)

    def __reduce__(self) -> tuple[Any, ...]:
        return _make_again, (type(self), self._grid)

    def scratch(self) -> canonical.Water:
        """Return the memory of one flood."""
        return self._flood.water()

    def run(self, scratch: canonical.Water, first: int, last: int) -> dict[str, Array]:
        """Return the rows of ids first to last - 1."""
        counts, runs = np.zeros(last - first, np.int32), np.zeros((last - first) * _ROOM, np.uint32)
        done = used = 0
        while True:
            known = (self._flood.ground, scratch, self._edges, self._order)
            done, used = rows.fill_rows(*known, first, counts, done, runs, used)
            if done == last - first:
                return {"counts": counts, "runs": runs[:used].copy()}
            runs = np.concatenate((runs, np.zeros(max(runs.size, self._order.size), np.uint32)))


class TurnWork(RowWork):
    """The rows of all turns, in the same form."""

    def __init__(self, grid: Grid, flood: CanonicalFlood, order: Array, records: tuple[Array, Array]) -> None:
        super().__init__(grid, flood, order)
        turns, self._edges = records
        self.total = len(turns) - 1
        self.scratch_bytes = flood.bytes + 3 * flood.cells
        self.output_bytes = self.total * 4 * (1 + _ROOM)

    def scratch(self) -> canonical.Water:
        """Return the memory of one flood, with room for labels of 32 bits."""
        water = self._flood.water()
        return water._replace(first=np.zeros(water.first.size, np.uint32))


def _make_again(kind: type[RowWork], grid: Grid) -> RowWork:
    """Return a work on another machine, made anew from the map."""
    graph = turn_graph(grid.table)
    known = (grid, CanonicalFlood(grid, graph), depth_first(grid))
    return TurnWork(*known, turn_records(grid.table, graph)) if kind is TurnWork else RowWork(*known)


def row_work(grid: Grid, flood: CanonicalFlood, order: Array, device: str, memory: int | None) -> Work:
    """Return the build of a path database's rows."""
    if device == "gpu":
        from waygrid.algorithms.bounds import gpu

        ground = flood.ground
        return gpu.RunWork(ground.moves, ground.geo, order, jumps=ground.jumps, memory=memory)
    return RowWork(grid, flood, order)
