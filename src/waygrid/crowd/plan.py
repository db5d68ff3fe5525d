"""Whole plans of crowds: where every agent is at every time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from waygrid.crowd.check import first_collision
from waygrid.search.path import Status

if TYPE_CHECKING:
    from waygrid.grid.grid import Grid


class CrowdPlan:
    """A plan without collisions; made by `Crowd.plan`.

    `status` is FOUND; UNREACHABLE if there is no plan; or CUTOFF if none was found in time: the positions then lead
    towards the goals as far as the search got. `positions` is (makespan + 1, n, 2): the cells (x, y) of all agents at
    each time.

    >>> import waygrid as wg
    >>> plan = wg.Crowd(wg.Grid([[1, 1, 1]], topology="tile"), [(0, 0)], [(2, 0)]).plan(max_time=0.1)
    >>> plan.positions[:, 0].tolist(), plan.sum_of_costs, plan.lower_bound
    ([[0, 0], [1, 0], [2, 0]], 2, 2)
    """

    def __init__(
        self,
        status: Status,
        positions: npt.NDArray[np.int32],
        goals: npt.NDArray[np.int32],
        lower_bound: int,
        first_cost: int,
        seconds: tuple[float, float],
    ) -> None:
        self.status = status  #: how the search ended
        self.positions = positions  #: (makespan + 1, n, 2)
        self.goals = goals  #: (n, 2)
        self.lower_bound = lower_bound  #: steps of all agents if each had the map for itself
        self.first_cost = first_cost  #: `sum_of_costs` before improvement
        self.first_seconds, self.seconds = seconds  #: when the first plan was found, and when the search ended

    @property
    def makespan(self) -> int:
        """The number of steps until the last agent has arrived."""
        return len(self.positions) - 1

    @property
    def costs(self) -> npt.NDArray[np.int64]:
        """The steps of each agent until it is at its goal for good, waits included."""
        away = (self.positions != self.goals).any(axis=2)
        last = len(away) - np.argmax(away[::-1], axis=0)
        return np.where(away.any(axis=0), last, 0)

    @property
    def sum_of_costs(self) -> int:
        """The steps of all agents together."""
        return int(self.costs.sum())

    def check(self, grid: Grid) -> str | None:
        """Return what is wrong with the plan on this map, None if it is free of collisions and illegal moves.

        It is judged by the rules alone, as by `waygrid.first_collision`; a plan that was FOUND must also end at the
        goals.
        """
        fault = first_collision(grid, self.positions)
        if fault is None and self.status == Status.FOUND:
            away = (self.positions[-1] != self.goals).any(axis=1)
            if away.any():
                k = int(np.argmax(away))
                fault = f"agent {k} ends at {tuple(self.positions[-1, k].tolist())} and not at its goal"
        return fault

    def __len__(self) -> int:
        return self.positions.shape[1]

    def __repr__(self) -> str:
        return (
            f"CrowdPlan({self.status.name}, {len(self)} agents, makespan {self.makespan}, "
            f"sum of costs {self.sum_of_costs}, at least {self.lower_bound})"
        )
