"""Makes whole plans: LaCAM* finds one, and what time is left goes into better ones."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from waygrid.core import layout as at
from waygrid.core import space_time as st
from waygrid.core.flood import flood_fields
from waygrid.core.types import Array
from waygrid.crowd import lacam_query as lacam
from waygrid.crowd import layout as of
from waygrid.crowd import refine_query as refine
from waygrid.crowd.plan import CrowdPlan
from waygrid.errors import WaygridError, show
from waygrid.search.path import Status

if TYPE_CHECKING:
    from waygrid.crowd.crowd import Crowd

_FIELDS = 2**31  # bytes
_MEMORY = 2**29  # bytes of nodes and constraints
_SLICE = 4000  # agents that are moved between two looks at the clock: about 1 ms
_TRIES = 8  # groups between two looks
_STAR_EVERY = 8  # slices of improvement for each that LaCAM* goes on for
_ENOUGH = 2000  # tries without gain, after which a plan that LaCAM* has proved is left
_FINE = 4096  # parts of a step that distances tell apart


class Planner:
    """One search for a plan."""

    def __init__(self, crowd: Crowd, seed: int) -> None:
        table, rows = crowd.grid.table, crowd._rows.copy()
        self.grid, self.moves, self.count = crowd.grid, table.moves, len(rows)
        rows[:, of.GOAL] = np.where(rows[:, of.STILL] != 0, rows[:, of.CELL], rows[:, of.GOAL])
        _refuse_shared_goals(crowd, rows)
        self.rows, self.starts = rows, rows[:, of.CELL].copy()
        self._flood(table)
        self.least = self.steps[rows[:, of.FIELD], self.starts]
        seeds = np.random.default_rng(seed)
        self.state = np.array([seeds.integers(2**31), 0, 0, 0], np.int64)
        self.work = np.zeros(refine.WORK_SIZE, np.int64)
        self.work[refine.SEED] = seeds.integers(2**31)
        self.board: npt.NDArray[np.int32] = np.full((table.moves.size, 2), -1, np.int32)
        self.tries = np.empty((self.count + 1, of.TRY_SIZE), np.int64)

    def _flood(self, table: Any) -> None:
        """Compute steps to each goal; among ways of equally many steps, distances prefer those with few diagonals."""
        cells, needed = table.moves.size, 4 * self.count * table.moves.size
        if needed > _FIELDS:
            raise WaygridError(
                f"a plan for {self.count} agents on {cells} cells needs {needed} bytes of distances; allowed are "
                f"{_FIELDS}: take steps of a crowd instead"
            )
        octile = table.geo[at.TOPOLOGY] == at.OCTILE
        unit = max(1, min(_FINE, (2**31 - 2) // (cells + 1))) if octile else 1
        goals, self.rows[:, of.FIELD] = np.unique(self.rows[:, of.GOAL], return_inverse=True)
        self.fields = np.empty((len(goals), cells), np.int32)
        places = np.arange(len(goals), dtype=np.int64)
        flood_fields(table.reverse, table.geo, unit, unit + (unit > 1), goals.astype(np.int64), places, self.fields)
        self.steps = self.fields if unit == 1 else np.where(self.fields == of.FAR, of.FAR, self.fields // unit)
        self.geo = table.geo.copy()
        self.geo[at.CARDINAL], self.geo[at.DIAGONAL] = unit, unit + (unit > 1)
        prices = self.geo[at.COST : at.COST + 8]
        prices[prices > 0] = np.where(np.arange(8) < 4, unit, unit + (unit > 1))[prices > 0] if octile else unit
        self.plan = np.zeros(lacam.PLAN_SIZE, np.int64)
        self.plan[lacam.UNIT] = unit

    # --- The search for a first plan ----------------------------------------------------------------------------------

    def open(self) -> None:
        """Begin the search where the agents stand."""
        n, room = self.count, 64
        self.configs: npt.NDArray[np.int32] = np.empty((room, n), np.int32)
        self.orders: npt.NDArray[np.int32] = np.empty((room, n), np.int32)
        self.nodes = np.empty((room, lacam.NODE_SIZE), np.int64)
        self.heads = np.empty(4 * room, np.int32)
        self.limits = np.empty((16 * room, lacam.LIMIT_SIZE), np.int32)
        self.edges = np.empty((4 * room, 3), np.int32)
        self.opened, self.stack = np.empty(4 * room, np.int32), np.empty(4096, np.int32)
        self.cells = self.starts.copy()
        levels = self.rows[:, of.LEVEL].astype(np.int64)
        self.orders[0] = np.lexsort((-self.least.astype(np.int64), -levels))
        lacam.open_plan(
            self.fields,
            self.rows,
            self.configs,
            self.orders,
            self.nodes,
            self.heads,
            self.opened,
            self.plan,
            self.cells,
        )

    def search(self, budget: int) -> int:
        """Go on with the search."""
        tables = self.moves, self.geo, self.fields
        crowd = self.rows, self.board, self.state, self.tries
        tree = self.configs, self.orders, self.nodes, self.heads
        memory = self.limits, self.edges, self.opened, self.stack, self.cells
        return int(lacam.search_plan(tables, crowd, tree, memory, self.plan, budget))

    def grow(self) -> bool:
        """Double the arrays that are nearly full; return False if that would be too much memory."""
        plan = self.plan
        if self.bytes > _MEMORY:
            return False
        if plan[lacam.NODES] + 1 >= len(self.configs):
            self.configs, self.orders, self.nodes = (_double(one) for one in (self.configs, self.orders, self.nodes))
            self.heads = np.empty(2 * self.heads.size, np.int32)
            lacam.rehash(self.configs, self.nodes, self.heads, int(plan[lacam.NODES]))
        if plan[lacam.LIMITS] + 9 >= len(self.limits):
            self.limits = _double(self.limits)
        if plan[lacam.ARCS] + 1 >= len(self.edges):
            self.edges = _double(self.edges)
        if plan[lacam.OPEN] + 4 >= self.opened.size:
            self.opened = _double(self.opened)
        return True

    @property
    def bytes(self) -> int:
        """Memory of the search."""
        arrays: list[Array] = [self.configs, self.orders, self.nodes, self.limits, self.edges, self.opened]
        return sum(one.nbytes for one in arrays)

    def find_first(self, deadline: float) -> Status:
        """Search until all agents have arrived in a node, or the time is over."""
        status, budget = Status.CUTOFF, max(1, _SLICE // max(1, self.count))
        while self.plan[lacam.BEST] < 0:
            why = self.search(budget)
            if why == lacam.DONE and self.plan[lacam.BEST] < 0:
                return Status.UNREACHABLE
            if why == lacam.FULL and not self.grow():
                return status
            if self.plan[lacam.BEST] < 0 and perf_counter() > deadline:
                return status
        return Status.FOUND

    def trail(self) -> npt.NDArray[np.int32]:
        """Return the cells of all agents at each time, (steps, n), to the best node, or to the most hopeful one."""
        node = int(self.plan[lacam.BEST])
        if node < 0:
            node = int(np.argmin(self.nodes[: self.plan[lacam.NODES], lacam.LEFT]))
        found = []
        while node >= 0:
            found.append(node)
            node = int(self.nodes[node, lacam.PARENT])
        return self.configs[found[::-1]]

    # --- Improvement --------------------------------------------------------------------------------------------------

    def reserve(self, trail: npt.NDArray[np.int32]) -> None:
        """Take a plan as the one to improve."""
        cells, n = self.moves.size, self.count
        self.paths = np.ascontiguousarray(trail.T)
        self.ends = arrivals(trail, self.rows[:, of.GOAL]).astype(np.int32)
        most, span = int(self.ends.sum()), self.paths.shape[1]
        table = np.empty(1 << max(10, (4 * max(most, n)).bit_length()), np.int64)
        self.reserved = table, np.zeros((cells, 2), np.int32)
        room = int(min(max(1 << 12, 32 * cells), 1 << 18))
        kept = np.empty((refine._LARGEST, span), np.int32), np.empty(refine._LARGEST, np.int32)
        self.found = self.paths, self.ends, *kept
        self.memory = (
            np.zeros(st.ASK_SIZE, np.int64),
            np.empty((room, 4), np.int32),
            np.full(span + 2, -1, np.int32),
            np.zeros(4 * (1 << (room - 1).bit_length()), np.int64),
            np.zeros(refine._LARGEST, np.int32),
        )
        refine.put_all(self.paths, self.ends, *self.reserved)

    def improve(self, tries: int) -> bool:
        """Try to make the plan cheaper; return False if that is impossible."""
        tables = self.moves, self.geo, self.steps, self.rows
        return bool(refine.improve_plan(tables, self.found, self.reserved, self.memory, self.work, tries))

    def improve_until(self, deadline: float) -> None:
        """Improve the plan by turns, and let LaCAM* search for others."""
        deadline += _time_of(self.improve)
        budget, number, proved = max(1, _SLICE // max(1, self.count)), 0, False
        while perf_counter() < deadline and self.improve(_TRIES):
            number += 1
            if number % _STAR_EVERY == 0 and not proved:
                cost = self.nodes[self.plan[lacam.BEST], lacam.COST]
                why = self.search(budget)
                proved = why == lacam.DONE or (why == lacam.FULL and not self.grow())
                if self.nodes[self.plan[lacam.BEST], lacam.COST] < cost:
                    trail = self.trail()
                    if arrivals(trail, self.rows[:, of.GOAL]).sum() < self.ends.sum():
                        self.reserve(trail)
            if proved and self.work[refine.SINCE] > _ENOUGH:
                return


def _compile_flood(table: Any) -> None:
    """Compile what is called first, before the clock starts."""
    none = np.zeros(0, np.int64)
    flood_fields(table.reverse, table.geo, 1, 1, none, none, np.empty((0, table.moves.size), np.int32))


def _time_of(call: Callable[[int], object]) -> float:
    """Call a kernel with nothing to do, and return the seconds: in the first call it is compiled."""
    began = perf_counter()
    call(0)
    return perf_counter() - began


def arrivals(trail: npt.NDArray[np.int32], goals: Array) -> npt.NDArray[np.int64]:
    """Return when each agent is at its goal for good."""
    away = trail != goals
    last = len(away) - np.argmax(away[::-1], axis=0)
    return np.where(away.any(axis=0), last, 0)


def _double(array: Array) -> Array:
    return np.concatenate((array, np.empty_like(array)))


def _refuse_shared_goals(crowd: Crowd, rows: Array) -> None:
    order = np.argsort(rows[:, of.GOAL], kind="stable")
    goals = rows[order, of.GOAL]
    same = np.flatnonzero(goals[1:] == goals[:-1])
    if len(same):
        one, other = sorted((int(order[same[0]]), int(order[same[0] + 1])))
        x, y = int(goals[same[0]]) % crowd.grid.width, int(goals[same[0]]) // crowd.grid.width
        raise WaygridError(
            f"agents {one} and {other} would both end in ({x}, {y}); a plan needs a goal of its own for each"
        )


def make_plan(crowd: Crowd, max_time: Any, seed: Any) -> CrowdPlan:
    """Return a plan for a crowd; see `Crowd.plan`."""
    if isinstance(max_time, bool) or not isinstance(max_time, (int, float)) or not 0 < max_time < 1e9:
        raise WaygridError(f"max_time is {show(max_time)}; allowed are seconds above 0")
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise WaygridError(f"seed is {show(seed)}; allowed are the integers from 0")
    _compile_flood(crowd.grid.table)
    began = perf_counter()
    planner = Planner(crowd, int(seed))
    goals = _pairs(planner.rows[:, of.GOAL], crowd.grid.width)
    if planner.count == 0 or (planner.least == of.FAR).any():
        status = Status.UNREACHABLE if planner.count else Status.FOUND
        spent = perf_counter() - began
        return CrowdPlan(status, crowd.positions[None], goals, 0, 0, (spent, spent))
    planner.open()
    began += _time_of(planner.search)
    status = planner.find_first(began + max_time)
    trail, first = planner.trail(), perf_counter() - began
    cost = int(arrivals(trail, planner.rows[:, of.GOAL]).sum())
    if status == Status.FOUND:
        planner.reserve(trail)
        planner.improve_until(began + max_time)
        trail = planner.paths.T[: int(planner.ends.max()) + 1]
    least = int(planner.least.sum(dtype=np.int64))
    return CrowdPlan(status, _pairs(trail, crowd.grid.width), goals, least, cost, (first, perf_counter() - began))


def _pairs(cells: Array, width: int) -> npt.NDArray[np.int32]:
    return np.stack((cells % width, cells // width), axis=-1).astype(np.int32)
