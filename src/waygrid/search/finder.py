"""What all finders share: input validation, batches, limits, searches in slices, traces."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from operator import index, is_
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from waygrid.core import clock, layout
from waygrid.core.compact import write_way
from waygrid.core.legs import expand, settle_lengths
from waygrid.core.query import close_query
from waygrid.core.types import Array
from waygrid.errors import WaygridError, show
from waygrid.options import plain
from waygrid.search.agents import StartsAgents, most_bytes
from waygrid.search.batch import add_partial_paths, answer
from waygrid.search.cells import count_threads, explain_bad_cell, pair_of, pairs_of
from waygrid.search.costs import AsksForCosts
from waygrid.search.following import FollowsEdits
from waygrid.search.path import Batch, GridLink, Path, Sizes
from waygrid.search.preferred import find_preferred
from waygrid.search.registry import refuse_unsupported, remade
from waygrid.search.request import (
    Memory,
    Request,
    Tables,
    cells_of,
    make_request,
    make_requests,
    make_room,
    path_of_waypoints,
)
from waygrid.search.reservations import Reservations, find_in_time
from waygrid.search.scratch import Scratch, ScratchPool, Shape, find_pool, record_type
from waygrid.search.sliced import Search
from waygrid.search.teams import find_for_teams, is_per_query
from waygrid.search.trace import Trace, record_trace

if TYPE_CHECKING:
    from waygrid.grid.grid import Grid
    from waygrid.search.declaration import AlgorithmInfo
    from waygrid.search.following import StandIn


_WRAPS = int(np.__version__.partition(".")[0]) < 2  # large numbers become small ones, instead of an error


class Finder(FollowsEdits, StartsAgents, AsksForCosts):
    """Finds paths on one grid; created by `waygrid.make_finder`.

    `build_seconds` is the build time of its index, without compilation; 0.0 without an index or for a loaded one.
    """

    info: AlgorithmInfo
    _kernel: ClassVar[Callable[..., int]]
    _step_kernel: ClassVar[Callable[..., int]]  # of real-time algorithms: see core.agents
    _knows_waypoints: ClassVar[bool] = False  # the kernel stores paths as waypoints and may write the cells later
    _askable: ClassVar[int] = 0  # cells whose costs can be asked for in less time than a search takes
    # Whether searches keep the records that traces and floods read; None: unless the map is large (see `core.compact`).
    _keeps_records: bool | None = None
    _takes_one_weight: ClassVar[bool] = False  # the kernel takes a single entry for "no weights", not None
    _path_type: ClassVar[type[Path]] = Path
    _batch_type: ClassVar[type[Batch]] = Batch
    _point_unit: ClassVar[int] = 1  # stored points of paths are in 1 / so much of a cell
    _damage: WaygridError | None = None  # of an index, found while queries ran
    _stand_in: StandIn | None = None  # answers while the map is not the one of the index
    _base: tuple[object, ...] | None = None  # what the tables were made from, see `_made_from`
    _preferred: Finder | None = None  # finds the cheapest path with the fewest turns
    build_seconds = 0.0  #: of the index, without compilation; 0.0 without an index or for a loaded one
    reason = ""  #: why "auto" chose this algorithm; empty where it was named

    def __init__(self, info: AlgorithmInfo, grid: Grid, options: Mapping[str, Any]) -> None:
        self.info = info  #: what the algorithm is and what it supports
        self.grid = grid  #: the map that is searched
        #: the options, defaults included
        self.options = {name: plain(value) for name, value in options.items()}
        self._version = -1
        self._policy: Array = np.zeros(layout.POLICY_SIZE, np.int64)
        self._pool: ScratchPool
        self._sizes: Sizes
        self._run: Callable[..., int]
        self._configure()

    # --- For subclasses ------------------------------------------------------------------------------------

    def _configure(self) -> None:
        """Check the options and write them into the policy; called once."""

    def _shape(self) -> Shape:
        """Return the search memory needed on the current grid."""
        raise NotImplementedError

    @property
    def _at_home(self) -> Finder:
        """This finder, or one for the map of the index, while the grid has another."""
        return self if self._stand_in is None else self._stand_in.known

    def _agent_shape(self) -> Shape:
        """Return the memory that a pool of real-time agents needs, and the type of their records."""
        return self._shape()

    def _agent_records(self) -> int:
        """Return the most records that a real-time agent can need: here one for every cell where it can stand."""
        return int(np.count_nonzero(self.grid.table.walk))

    def _labels_for_queries(self) -> Array:
        """Return the connected component of each cell, by which queries are answered without a search."""
        return self.grid.table.labels

    def _for_trace(self) -> Finder:
        """Return the finder whose kernel records events: this one, unless its own takes no trace."""
        return self

    def _index_arrays_for(self, moves: Array) -> Any:
        """Return the index arrays that the kernel needs, for the current move table, if any."""
        return None

    def _arrays_for_blocked(self, walk: Array, moves: Array) -> Any:
        """Return the same for tables in which some cells are blocked: where an agent can stand, and its moves."""
        return self._index_arrays_for(moves)

    def _agent_arrays(self) -> Any:
        """Return the same for a pool of agents that starts now; the pool keeps them."""
        return self._index_arrays

    def _snapshot_bytes(self) -> int:
        """Return the bytes of those that belong to the pool alone."""
        return 0

    def _close_so_far(self, scratch: Scratch, ctl: Array, request: Array) -> tuple[list[int], Array]:
        """Return the row and the path to the closest cell so far of a search in slices."""
        queue, rows = self._so_far(scratch, ctl), np.zeros_like(scratch.row)
        cells: Array = np.empty(2 * scratch.nodes.size + 2 * int(ctl[layout.LISTED]), np.int32)
        _, weights, geo, _ = self._tables
        if scratch.is_compact:
            write_way(weights, geo, scratch.nodes, ctl, rows, 0, cells, request)
        else:
            close_query(weights, geo, scratch.nodes, queue, ctl, rows, 0, cells, request)
        return rows[0].tolist(), cells

    def _so_far(self, scratch: Scratch, ctl: Array) -> Array:
        """Let `ctl` end at the closest cell so far; return the queue in which a listed path lies."""
        ctl[layout.END] = ctl[layout.BEST]
        return scratch.queue

    def _adopt(self, batch: Batch) -> Batch:
        """Return paths from cell to cell of another finder as if they were its own."""
        return batch

    def _keep(self, request: Request) -> int:
        """Return the flag of how a batch keeps its paths until their cells are written; 0: the kernel writes cells."""
        return layout.KEEP_WAYPOINTS if self._knows_waypoints else 0

    def _write_paths(self, kept: int, queries: Array, rows: Array, waypoints: Array) -> Array:
        """Write the cells of the paths of a batch, and their lengths into the rows.

        So each cell is written once, to where it stays. Written to memory of the search and copied, paths of brc202d
        took 1.0 us more than not kept at all, now 0.4.
        """
        counts = np.empty(len(rows), np.int64)
        cells = self._pool.make_cells(settle_lengths(rows, counts))
        expand(counts, waypoints, cells)
        return cells

    def _record_bytes(self) -> tuple[int, int]:
        """Return the memory of a cell's record and of a place in the open list."""
        shape = self._pool.shape
        return record_type(shape).itemsize, (12 if shape.wide else 8) if shape.heap else 0

    @property
    def _event_unit(self) -> int:
        """The cost of a straight move in g and h of traced events; 1 if they count moves."""
        return 1

    def _estimate(self, start: Array, goal: Array) -> int:
        """Return h(start) in the metric's integers; 0 for searches without a heuristic."""
        return 0

    @property
    def optimal(self) -> bool:
        """Whether paths are optimal with the given options."""
        return self.info.optimal

    # --- Following the grid -------------------------------------------------------------------------------------------

    def _made_from(self) -> tuple[object, ...] | None:
        """Return all that tables, costs and memory depend on; None where that may be more, so that any edit changes it.

        Where these are the same objects as at the last refresh, an edit has changed cells alone, in arrays that the
        tables hold already. Then 1 us is enough, and not 8 to 11.
        """
        return None

    def _refresh(self) -> None:
        """Update tables, costs and memory after edits of the grid."""
        base = self._made_from()
        if base is not None and self._base is not None and all(map(is_, base, self._base)):
            self._sizes = self._sizes.linked(self.grid)
            self._version = self.grid.version
            return
        self._base = None
        refuse_unsupported(self.info, self.grid)  # the grid may have got weights or one-way tiles since
        table = self.grid.table
        weights = table.weights_or_one if self._takes_one_weight else table.weights
        self._run = type(self)._kernel
        self._tables = (table.moves, weights, table.geo, self._labels_for_queries())
        self._index_arrays = self._index_arrays_for(table.moves)
        self._pool = find_pool(self._shape())
        grid, bytes_of = self.grid, self._record_bytes()
        diagonal, scale, link = grid._metric.diagonal_cost, grid.price_scale, GridLink(grid)
        made = Sizes(diagonal, grid._metric.cardinal, *bytes_of, grid.topology, scale, link, self.optimal)
        self._sizes = made._replace(place=grid.georeference, model=self.info.model)
        # Within one component a goal may still be unreachable behind one-way tiles.
        self._plain, self._as_cells, self._as_waypoints = make_requests(layout.CHECK_REACH if grid.has_one_way else 0)
        self._base = None if base is None else self._made_from()  # again: it may have been made with the tables
        self._version = self.grid.version

    def _check_version(self) -> None:
        if self._version != self.grid._version:
            self._refresh()

    # --- Queries ------------------------------------------------------------------------------------------------------

    def find(
        self,
        start: tuple[int, int],
        goal: tuple[int, int],
        *,
        partial: bool = False,
        max_expansions: int | None = None,
        max_time: float | None = None,
        blocked: Any = None,
        waypoints: bool = False,
        prefer: str | None = None,
        reservations: Reservations | None = None,
    ) -> Path:
        """Find a path from start to goal, both (x, y).

        partial: if the goal is unreachable, go to the closest reachable cell (of several, the cheapest to reach).
        max_expansions, max_time (seconds): stop there with CUTOFF; the path leads to the closest cell so far.
        blocked: cells (x, y) or a (height, width) mask that are walls for this query only.
        waypoints: keep `path.waypoints`, and write `path.cells` only when they are asked for. That is quicker where the
        algorithm knows waypoints: jps+, jps+gb, cpd, turntable and ch do.
        prefer: "straight": of all cheapest paths one with the fewest turns, where the algorithm finds cheapest paths.
        reservations: the path that arrives first around other units, by space-time A* whatever the algorithm; other
        options do not go with it. It is a `TimedPath`: see `Reservations`.

        >>> import waygrid as wg
        >>> finder = wg.make_finder("astar", wg.Grid([[1, 1, 0, 1]]))
        >>> finder.find((0, 0), (3, 0)).status.name, finder.find((0, 0), (3, 0), partial=True).cells.tolist()
        ('UNREACHABLE', [[0, 0], [1, 0]])
        """
        if self._version != self.grid._version:
            self._refresh()
        if reservations is not None:
            return find_in_time(self, reservations, start, goal, (partial, max_expansions, max_time, blocked, prefer))
        if self._stand_in is not None or prefer is not None:
            limits = {"partial": partial, "max_expansions": max_expansions, "max_time": max_time, "blocked": blocked}
            return find_preferred(self, prefer).find(start, goal, waypoints=waypoints, **limits)
        if partial or max_expansions is not None or max_time is not None or blocked is not None:
            request = self._request(partial, max_expansions, max_time, blocked, waypoints)
            return self._many(pair_of("start", start), pair_of("goal", goal), request, 1, True)[0]
        scratch = self._pool.take()
        query = scratch.query
        try:
            if _WRAPS and max(*start, *goal) >= 2**31:
                raise OverflowError
            query[0, 0], query[0, 1] = index(start[0]), index(start[1])
            query[0, 2], query[0, 3] = index(goal[0]), index(goal[1])
            if len(start) != 2 or len(goal) != 2:
                raise TypeError
        except (TypeError, IndexError, KeyError, ValueError, OverflowError):
            self._pool.give(scratch)
            raise explain_bad_cell(start, goal) from None
        as_waypoints = waypoints and self._knows_waypoints
        row = self._one(scratch, self._index_arrays, as_waypoints)
        if as_waypoints:
            path = path_of_waypoints(scratch, row, self._sizes)
        else:
            path = self._path_type(row, cells_of(scratch, row), self._sizes)
        self._pool.give(scratch)
        return path

    def find_many(
        self,
        starts: npt.ArrayLike,
        goals: npt.ArrayLike,
        threads: int | None = None,
        *,
        paths: bool = True,
        timed: bool = False,
        partial: bool = False,
        max_expansions: int | None = None,
        max_time: float | None = None,
        blocked: Any = None,
        waypoints: bool = False,
        prefer: str | None = None,
        teams: npt.ArrayLike | None = None,
    ) -> Batch:
        """Find many paths in one call, on all cores (threads=None) or on a number of threads.

        Options are those of `find`, for every query. paths=False keeps costs and counters but no cells; waypoints=True
        keeps `batch.waypoints`, and cells are written when they are asked for. timed=True
        measures each query inside the compiled code, for `batch.times_ns`; it costs about 10 ns a query. Results do
        not depend on the number of threads. teams: an integer for each query, whose walls are then blocked[team];
        blocked is a (teams, height, width) mask or a list with the cells of each team, and -1 is a team without walls.
        Without teams, a list of sets has the walls of each query.

        >>> import waygrid as wg
        >>> finder = wg.make_finder("astar", wg.Grid([[1, 1, 1], [1, 1, 1]], topology="tile"))
        >>> finder.find_many([(0, 0)] * 2, [(2, 0)] * 2, blocked=[{(1, 0)}, {(0, 1)}], teams=[0, 1]).costs.tolist()
        [4.0, 2.0]
        """
        if teams is not None or is_per_query(blocked):
            own: Any = {"partial": partial, "max_expansions": max_expansions, "max_time": max_time}
            own |= {"paths": paths, "timed": timed, "waypoints": waypoints, "prefer": prefer}
            return find_for_teams(self, starts, goals, threads, teams, blocked, **own)
        self._check_version()
        if self._stand_in is not None or prefer is not None:
            limits: Any = {"partial": partial, "max_expansions": max_expansions, "max_time": max_time}
            kept: Any = {"paths": paths, "timed": timed, "waypoints": waypoints, "blocked": blocked}
            return find_preferred(self, prefer).find_many(starts, goals, threads, **kept, **limits)
        request = self._request(partial, max_expansions, max_time, blocked, waypoints)
        if timed:
            clock.ns_per_tick()  # measured now, and not while queries run
            request = request._replace(flags=request.flags | layout.TIMED)
        return self._many(pairs_of("starts", starts), pairs_of("goals", goals), request, count_threads(threads), paths)

    def start(self, start: tuple[int, int], goal: tuple[int, int]) -> Search:
        """Begin a search that is advanced in slices, and can be cancelled.

        >>> import waygrid as wg
        >>> search = wg.make_finder("astar", wg.Grid([[1, 1, 1, 1]])).start((0, 0), (3, 0))
        >>> search.advance(2), search.advance(1000), len(search.path())
        (False, True, 4)
        """
        self._check_version()
        if self._stand_in is not None:
            return self._stand_in.backup.start(start, goal)
        return Search(self, pair_of("start", start), pair_of("goal", goal))

    def trace(
        self,
        start: tuple[int, int],
        goal: tuple[int, int],
        *,
        max_events: int = 20_000_000,
        partial: bool = False,
        max_expansions: int | None = None,
        max_time: float | None = None,
        blocked: Any = None,
    ) -> Trace:
        """Search as `find` does, with the same options, and record every event.

        >>> import waygrid as wg
        >>> trace = wg.make_finder("astar", wg.Grid([[1, 1, 1]])).trace((0, 0), (2, 0))
        >>> trace.path.cost, len(trace.events)
        (2.0, 11)
        """
        self._check_version()
        if self._stand_in is not None:
            return self._stand_in.trace(
                start,
                goal,
                max_events=max_events,
                partial=partial,
                max_expansions=max_expansions,
                max_time=max_time,
                blocked=blocked,
            )
        request = self._request(partial, max_expansions, max_time, blocked)
        return record_trace(self, pair_of("start", start), pair_of("goal", goal), request, max_events)

    # --- Index, agents ------------------------------------------------------------------------------------------------

    @property
    def memory(self) -> Memory:
        """Bytes of the index, of an agent, and of the memory of one running search.

        >>> import waygrid as wg
        >>> memory = wg.make_finder("dba", wg.generate("rooms", width=60, height=40, seed=1)).memory
        >>> memory.fixed_bytes, memory.agent_bytes, memory.scratch_bytes > 60 * 40
        (760, 264, True)
        """
        self._check_version()
        scratch = self._pool.take()
        self._pool.give(scratch)
        return Memory(0, most_bytes(self) if self.info.real_time else scratch.bytes, scratch.bytes)

    def finish_verification(self) -> None:
        """Wait until the checksums of a large index file are verified; raise an error if it is damaged.

        Returns at once if there is nothing to wait for; see `waygrid.load_finder`.

        >>> import waygrid as wg
        >>> wg.make_finder("astar", wg.Grid([[1, 1]])).finish_verification()
        """

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the index, if the algorithm has one."""
        raise WaygridError(f"{path}: {self.info.name} has no index to save; create the finder again instead")

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the grid, name and options; the receiver allocates memory and tables again."""
        return remade, (self.info.name, self.grid, self.options, None)

    def __repr__(self) -> str:
        chosen = "".join(f", {name}={show(value)}" for name, value in self.options.items())
        return f"<{self.info.name} finder on {self.grid!r}{chosen}>"

    # --- Calls of the kernels -------------------------------------------------------------------------------------

    def _call(
        self, scratch: Scratch, tables: Tables, index_arrays: Array | None, request: Array, events: Array | None = None
    ) -> bool:
        """Run the kernel on the scratch's own query; return whether it is answered."""
        batch = (scratch.query, scratch.row, scratch.cells, request)
        return self._run(tables, self._policy, scratch.arrays, index_arrays, events, batch) == 1

    def _one(self, scratch: Scratch, index_arrays: Array | None, waypoints: bool = False) -> list[int]:
        """Answer the scratch's own query and return its row; waypoints: leave the path as these."""
        begin, resume = self._as_waypoints if waypoints else self._as_cells
        done = self._call(scratch, self._tables, index_arrays, begin)
        while not done:
            make_room(scratch, 0, scratch.row)
            done = self._call(scratch, self._tables, index_arrays, resume)
        row: list[int] = scratch.row[0].tolist()
        if row[layout.ROW_STATUS] >= layout.BAD_START:
            query = scratch.query[0].tolist()
            self._pool.give(scratch)
            start_is_bad = row[layout.ROW_STATUS] == layout.BAD_START
            raise (
                self.grid.cell_error("start", *query[:2]) if start_is_bad else self.grid.cell_error("goal", *query[2:])
            )
        return row

    def _request(
        self, partial: bool, max_expansions: Any, max_time: Any, blocked: Any, waypoints: bool = False
    ) -> Request:
        return make_request(self, partial, max_expansions, max_time, blocked, waypoints)

    def _many(self, starts: Array, goals: Array, request: Request, threads: int, paths: bool) -> Batch:
        batch = answer(self, starts, goals, request, threads, paths)
        return add_partial_paths(self, batch, starts, goals, request, threads) if request.partial else batch
