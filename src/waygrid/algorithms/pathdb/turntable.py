"""Turn tables: cheapest paths from a table of all pairs of the cells where paths turn."""

from __future__ import annotations

from dataclasses import replace
from math import gcd

import numpy as np
import numpy.typing as npt

from waygrid.algorithms.jumps.jps import JumpFinder
from waygrid.algorithms.jumps.spots import SpotMap, join_spots, map_spots
from waygrid.algorithms.jumps.turns import jump_kind
from waygrid.algorithms.pathdb import turntable_build as made
from waygrid.algorithms.pathdb import turntable_query as turntable
from waygrid.algorithms.pathdb.turntable_work import AccessWork, DistanceWork, Links, StepWork
from waygrid.build.all_pairs import Upward
from waygrid.build.checks import require, require_array, require_offsets, require_range
from waygrid.build.indexed import IndexedFinder
from waygrid.build.progress_bar import split_progress
from waygrid.build.sweep import Work, build_key, sweep
from waygrid.core import layout
from waygrid.core.types import Array
from waygrid.errors import WaygridError, show_bytes
from waygrid.grid.grid import Grid
from waygrid.search.batch import run_jobs
from waygrid.search.costs import check_ends, share_rows
from waygrid.search.request import Request, astray_error
from waygrid.search.scratch import Scratch, Shape

VERSION = 1  # of the pieces; a higher one when their meaning changes
MOST_BYTES = 2**31  # of the table, where no limit is given
_MOST_SPOTS = 2**16 - 1
_LONGEST_SIDE = 2**16 - 1
_PAIR_BYTES = 3  # of two spots: half of two distances, and a step


class TurnTableFinder(IndexedFinder, JumpFinder):
    """Distances and steps between all spots, and the accesses of every cell."""

    _kernel = staticmethod(turntable.run)
    _knows_waypoints = True
    _askable = 200
    _measured: tuple[dict[str, Array] | None, int] = (None, 0)  # an index, and the most accesses of a cell in it
    _ARRAYS = ("jumps", "first", "accesses", "spots", "links", "distances", "steps")

    def _configure(self) -> None:
        metric = self.grid._metric
        if gcd(metric.cardinal, metric.diagonal) == 1:
            self._policy[layout.INVERSE] = pow(metric.diagonal, -1, metric.cardinal)
            self._policy[layout.APART_BELOW] = metric.cardinal * metric.diagonal * (1 + metric.diagonal % 2)

    # --- The index ----------------------------------------------------------------------------------------------------

    def _build(self) -> dict[str, Array]:
        grid, plan, table = self.grid, self._plan, self.grid.table
        if max(grid.width, grid.height) > _LONGEST_SIDE:
            raise WaygridError(
                f"the map has {grid.width} x {grid.height} cells; turntable takes sides up to {_LONGEST_SIDE}"
            )
        found = map_spots(table)
        self._check_size(len(found.cells))
        upward = join_spots(table, found)
        keys = {
            part: build_key(f"turntable-{part}", grid.fingerprint(), {}, VERSION) for part in ("distances", "steps")
        }
        here = replace(plan, progress=None, cluster=None, device="cpu")
        parts = split_progress(plan.progress, 2 * [len(found.cells)])
        distances = sweep(
            distance_work(grid, upward, plan.device), replace(plan, progress=parts[0]), keys["distances"]
        )["distances"]
        cells = np.flatnonzero(table.walk)
        ends = sweep(
            AccessWork(table, found, distances, cells), here, build_key("accesses", grid.fingerprint(), {}, VERSION)
        )
        first = np.zeros(table.moves.size + 1, np.int32)
        first[cells + 1] = ends["counts"]
        np.cumsum(first, out=first)
        links = self._link_spots(found, first, ends["accesses"])
        steps = sweep(
            step_work(distances, links, plan.device), replace(plan, progress=parts[1], cluster=None), keys["steps"]
        )
        spots = np.zeros(len(found.cells) + 1, made.SPOT)
        spots["x"][:-1], spots["y"][:-1] = found.cells % grid.width, found.cells // grid.width
        spots["link"] = links.first
        return {
            "jumps": found.jumps,
            "first": first,
            "accesses": _as_rows(ends["accesses"], np.int16),
            "spots": _as_rows(spots, np.int32),
            "links": np.ascontiguousarray(links.links["spot"]),
            "distances": distances,
            "steps": steps["steps"],
        }

    def _check_size(self, spots: int) -> None:
        """Refuse a table that would be too large."""
        size, limit = _PAIR_BYTES * spots * spots, MOST_BYTES if self._plan.memory is None else self._plan.memory
        if spots > _MOST_SPOTS or size > limit:
            more = "" if spots > _MOST_SPOTS else ", or raise memory="
            raise WaygridError(
                f"the map has {spots} cells where paths turn, and the table of all their pairs takes "
                f"{show_bytes(size)}; at most {show_bytes(limit)} and {_MOST_SPOTS} such cells are allowed: "
                f"take ch or jps+{more}"
            )

    @staticmethod
    def _link_spots(found: SpotMap, first: Array, accesses: Array) -> Links:
        """Return the accesses of all spots."""
        begin, count = first[found.cells], first[found.cells + 1] - first[found.cells]
        links = np.concatenate(([0], np.cumsum(count, dtype=np.int64)))
        places = np.repeat(begin - links[:-1], count) + np.arange(links[-1])
        return Links(links, accesses[places])

    def _check_index(self) -> None:
        index, table = self.index, self.grid.table
        cells = table.moves.size
        require_array(index, "jumps", jump_kind(table), (cells, 8))
        rows = require_array(index, "spots", np.int32, (None, made.SPOT.itemsize // 4))
        require(len(rows) > 0, "array 'spots' is empty")
        spots = rows.reshape(-1).view(made.SPOT)
        count = len(spots) - 1
        require_range(spots["x"], "array 'spots', x,", 0, self.grid.width - 1)
        require_range(spots["y"], "array 'spots', y,", 0, self.grid.height - 1)
        distances = require_array(index, "distances", (np.int32, np.int64), (count * (count + 1) // 2,))
        require_array(index, "steps", (np.uint8, np.uint16), (count, count))
        links = require_array(index, "links", np.uint16, (None,))
        require_offsets(spots["link"], "array 'spots', link,", len(links))
        require_range(links, "array 'links'", 0, count - 1)
        kind = made.access_record(distances.dtype.itemsize == 8)
        accesses = require_array(index, "accesses", np.int16, (None, kind.itemsize // 2))
        require_offsets(require_array(index, "first", np.int32, (cells + 1,)), "array 'first'", len(accesses))
        require_range(_as_records(accesses, kind)["spot"], "array 'accesses', spot,", 0, count - 1)

    # --- Queries ------------------------------------------------------------------------------------------------------

    def _shape(self) -> Shape:
        if self._measured[0] is not self.index:  # 0.1 ms on orz900d, at every edit that is undone
            self._measured = self.index, int(np.diff(self.index["first"]).max(initial=0))
        return Shape(1, False, 1, 2 * self._measured[1] + 1, False, len(self.index["spots"]) + 4)

    def _keep(self, request: Request) -> int:
        plain = request.limit < 0 and request.max_ns == 0 and not request.flags & layout.KEEP_WAYPOINTS
        return layout.KEEP_ENDS if plain else layout.KEEP_WAYPOINTS

    def _write_paths(self, kept: int, queries: Array, rows: Array, waypoints: Array) -> Array:
        if kept != layout.KEEP_ENDS:
            return super()._write_paths(kept, queries, rows, waypoints)
        cells = self._pool.make_cells(int(rows[:, layout.ROW_LENGTH].sum()))
        table = self._index_arrays
        if turntable.write_paths(queries, rows, table.spots, table.links, table.steps, cells) >= 0:
            raise astray_error()
        return cells

    def _cost_matrix(self, starts: Array, goals: Array, threads: int) -> npt.NDArray[np.float64]:
        starts, goals = check_ends(self, "start", starts), check_ends(self, "goal", goals)
        metric, table = self.grid._metric, self._index_arrays
        costs = np.empty((len(starts), len(goals)))
        # Where a diagonal costs what the integers say, the sum of a path's moves is the cost itself.
        diagonal = metric.diagonal_cost if metric.diagonal_cost != metric.diagonal / metric.cardinal else 0.0

        def fill(rows: slice) -> None:
            known = (self._tables[2], self._tables[3], self._policy, table, self._pool.shape.bits)
            turntable.fill_costs(*known, starts[rows], goals, diagonal, costs[rows])

        run_jobs(fill, share_rows(len(starts), threads), threads)
        costs *= self.grid.scale
        missing = np.isnan(costs)
        if missing.any():  # longer than costs can tell
            unknown = np.argwhere(missing)
            batch = self.find_many(starts[unknown[:, 0]], goals[unknown[:, 1]], threads, paths=False)
            costs[unknown[:, 0], unknown[:, 1]] = batch.costs
        return costs

    def _so_far(self, scratch: Scratch, ctl: Array) -> Array:
        return self._list_so_far(scratch, ctl, int(ctl[turntable.BEST_COUNT]))

    def _index_arrays_for(self, moves: Array) -> turntable.TurnTable:
        index = self.index
        accesses = _as_records(index["accesses"], made.access_record(index["distances"].dtype.itemsize == 8))
        spots = _as_records(index["spots"], made.SPOT)
        known = (index["jumps"], index["first"], accesses, spots)
        return turntable.TurnTable(*known, index["links"], index["distances"], index["steps"])


def _as_rows(records: Array, number: type[np.signedinteger]) -> Array:
    """Return records as rows of plain numbers, which an index file can hold."""
    width = records.itemsize // np.dtype(number).itemsize
    return np.ascontiguousarray(records).view(number).reshape(len(records), width)


def _as_records(rows: Array, kind: np.dtype[np.void]) -> Array:
    return rows.reshape(-1).view(kind)


def distance_work(grid: Grid, upward: Upward, device: str) -> Work:
    """Return the build of the distances."""
    if device == "gpu":
        from waygrid.algorithms.pathdb.turntable_gpu import GpuDistanceWork

        return GpuDistanceWork(upward)
    return DistanceWork(grid, upward)


def step_work(distances: Array, links: Links, device: str) -> Work:
    """Return the build of the steps."""
    if device == "gpu":
        from waygrid.algorithms.pathdb.turntable_gpu import GpuStepWork

        return GpuStepWork(distances, links)
    return StepWork(distances, links)
