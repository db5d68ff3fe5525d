"""Agents that walk, for the page: real-time agents and agents that follow paths, on a map that is edited as they go.

The server keeps nothing of a walk. A request brings the whole list of edits, and the walk is made anew from its start
with each edit between the same two steps: agents are deterministic, so they do again what the page has shown. So a page
that is closed leaves nothing behind, and a request cannot meet a walk in the wrong state.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from time import monotonic
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from waygrid.build.indexed import IndexedFinder
from waygrid.errors import WaygridError, show
from waygrid.search.agents import AgentPool
from waygrid.search.finder import Finder
from waygrid.search.path import Status
from waygrid.studio.edits import Edit, apply_edit, read_edits
from waygrid.studio.jobs import Job
from waygrid.studio.limits import StudioLimits
from waygrid.studio.model import Model
from waygrid.studio.paths import PathAgents
from waygrid.studio.searches import cell_of, find_made
from waygrid.studio.wire import pack

WALKING, ARRIVED, WAITING, GAVE_UP = range(4)  # states of an agent, as the page reads them
_STATES = {-1: WALKING, Status.FOUND: ARRIVED, Status.UNREACHABLE: WAITING}

Numbers = npt.NDArray[np.int64]


class Walkers(Protocol):
    """Agents that make a step together."""

    def follow(self) -> None:
        """Take note of an edit of the map."""

    def step(self) -> npt.NDArray[np.int32]:
        """Let each agent make at most one move; return all positions."""

    @property
    def positions(self) -> npt.NDArray[np.int32]:
        """The current cells."""

    @property
    def statuses(self) -> Numbers:
        """`Status` of each agent, -1 while it walks."""

    @property
    def expanded(self) -> Numbers:
        """Expansions of each agent so far."""

    @property
    def followed(self) -> tuple[int, int, int, int]:
        """What became of plans after edits: kept as they were, answered by the index, mended, searched for."""

    def describe(self) -> dict[str, Any]:
        """Return what is known of the agents at the end."""


class PoolAgents:
    """Real-time agents, which plan a little before every move."""

    def __init__(self, pool: AgentPool, finder: Finder, limits: StudioLimits) -> None:
        self._pool, self._finder, self._limits = pool, finder, limits
        self._edited = False

    def follow(self) -> None:
        """Take note of an edit: the pool itself follows it in its next step."""
        self._edited = True

    def step(self) -> npt.NDArray[np.int32]:
        """Let each agent make at most one move; agents that learn too much are refused."""
        positions = self._pool.step()
        memory = self._pool.memory
        taken, most = memory.agent_bytes * len(self._pool) + memory.scratch_bytes, self._limits.agent_bytes
        if taken > most:
            raise WaygridError(
                f"the agents take {taken} bytes of memory, at most {most} are allowed; "
                f"use fewer agents or a smaller map"
            )
        return positions

    @property
    def positions(self) -> npt.NDArray[np.int32]:
        """The current cells."""
        return self._pool.positions

    @property
    def statuses(self) -> Numbers:
        """`Status` of each agent, -1 while it walks."""
        return self._pool.statuses

    @property
    def expanded(self) -> Numbers:
        """Expansions of each agent so far."""
        return self._pool.expanded

    @property
    def followed(self) -> tuple[int, int, int, int]:
        """How many agents still go by the index after an edit, and how many go on without it."""
        if not self._edited or not self._finder.info.index:
            return 0, 0, 0, 0
        replaced = len(self._pool._follower.replaced)
        return len(self._pool) - replaced, 0, 0, replaced

    def describe(self) -> dict[str, Any]:
        """Return times, costs and memory of the agents."""
        pool = self._pool
        times = {
            "first_step_us": pool.first_step_ns,
            "max_step_us": pool.max_step_ns,
            "mean_step_us": pool.mean_step_ns,
        }
        return {
            "moves": pool.moves.tolist(),
            "costs": [cost if math.isfinite(cost) else None for cost in pool.costs.tolist()],
            **{name: None if ns is None else (ns / 1e3).tolist() for name, ns in times.items()},
            "agent_bytes": pool.memory.agent_bytes,
        }


def walk(model: Model, asked: Mapping[str, Any], job: Job) -> bytes:
    """Let agents walk and return the position, the state and the work of each after each step."""
    limits, finder = model.limits, find_made(model, asked, job).finder
    starts, goals = read_cells(asked, "starts", limits.agents), read_cells(asked, "goals", limits.agents)
    most = asked.get("max_steps", 20_000)
    if type(most) is not int or most < 1:
        raise WaygridError(f"max_steps is {show(most)}; allowed are the integers from 1")
    if len(starts) != len(goals):
        raise WaygridError(f"there are {len(starts)} starts and {len(goals)} goals; as many are needed")
    most = min(most, limits.positions // len(starts))
    edits = read_edits(asked.get("edits", []), finder.grid, most, limits)
    if edits:
        finder = _make_private(finder)
    agents, budget = _start(finder, starts, goals, asked, limits, job)
    header, arrays = _run(agents, finder, edits, most, job, limits.search_s)
    return pack({**header, "agents": len(starts), "expansions_per_step": budget}, arrays)


def _start(
    finder: Finder,
    starts: list[tuple[int, int]],
    goals: list[tuple[int, int]],
    asked: Mapping[str, Any],
    limits: StudioLimits,
    job: Job,
) -> tuple[Walkers, int | None]:
    """Return the agents at their starts, and how many expansions each may make in a step."""
    if not finder.info.real_time:
        return PathAgents(finder, starts, goals, limits, job), None
    expansions, most = asked.get("expansions", 10), limits.step_expansions // len(starts)
    if type(expansions) is not int or not 1 <= expansions <= most:
        raise WaygridError(
            f"expansions is {show(expansions)}; for {len(starts)} agents 1 to {most} are allowed in a step"
        )
    return PoolAgents(finder.agents(starts, goals, expansions), finder, limits), expansions


def _run(
    agents: Walkers, finder: Finder, edits: list[Edit], most: int, job: Job, allowed_s: float
) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Make the steps, with each edit before the step that it belongs to; return header and arrays of the answer."""
    positions, work, states = [agents.positions], [agents.expanded], [agents.statuses.astype(np.int8)]
    figures: list[tuple[int, ...]] = [(0, 0, 0, 0, 0)]
    waiting, applied = list(reversed(edits)), 0
    job.begin("searching", allowed_s)
    until = monotonic() + allowed_s  # agents that plan anew set the deadline of the job
    while len(work) <= most and monotonic() < until:
        due = False
        while waiting and waiting[-1].step < len(work):
            apply_edit(finder.grid, waiting.pop())
            due, applied = True, applied + 1
        if due:
            agents.follow()
            job.check()
        if not due and not waiting and (agents.statuses >= 0).all():
            break
        positions.append(agents.step())
        work.append(agents.expanded)
        states.append(agents.statuses.astype(np.int8))
        figures.append((finder.stale if applied else 0, *agents.followed))
        job.tell(len(work) / most, "walking")
    counts = np.stack(work)
    counts[1:] -= counts[:-1].copy()
    told = np.full(np.shape(states), GAVE_UP, np.uint8)
    for status, state in _STATES.items():
        told[np.equal(states, int(status))] = state
    header = {
        "steps": len(work) - 1,
        "edits": applied,
        "statuses": ["WALKING" if status < 0 else Status(status).name for status in agents.statuses.tolist()],
        **agents.describe(),
    }
    return header, {
        "positions": np.stack(positions).astype(np.uint16),
        "work": counts.astype(np.int32),
        "states": told,
        "figures": np.array(figures, np.int32),
    }


def _make_private(finder: Finder) -> Finder:
    """Return a finder with the same index for a copy of the grid, which can be edited: others share the finder."""
    grid = finder.grid.copy()
    if isinstance(finder, IndexedFinder):
        return type(finder)(finder.info, grid, finder.options, finder.index)
    return type(finder)(finder.info, grid, finder.options)


def read_cells(asked: Mapping[str, Any], name: str, most: int) -> list[tuple[int, int]]:
    """Check and return a list of cells of a request."""
    cells = asked.get(name)
    if not isinstance(cells, list) or not 1 <= len(cells) <= most:
        raise WaygridError(f"{name}: a list of 1 to {most} cells is needed")
    return [cell_of({name: cell}, name) for cell in cells]
