"""What the page needs to know of a search, beside its trace, to show the open list in its order."""

from __future__ import annotations

from typing import Any

import numpy as np

from waygrid.core import layout
from waygrid.core.types import Array
from waygrid.search.finder import Finder

_EXACT = 2**23  # integers below this, divided by a unit, can be told apart in 32 bits


def describe_order(finder: Finder, goal: tuple[int, int]) -> dict[str, Any]:
    """Return how a finder orders its open list: {rule, shift, clamped, half, goal, width, legs}.

    rule: one of `declaration.OPEN_LISTS`, empty where the trace does not tell the order. shift: a range of keys spans 2
    to the power of it. clamped: keys below that of the last expansion are raised to it. half: places of the open list
    that are apart from those for entries whose keys fell. legs: a subgoal ends a search, and another one begins.

    >>> import waygrid as wg
    >>> describe_order(wg.make_finder("astar", wg.Grid([[1, 1, 1]])), (2, 0))["rule"]
    'f'
    """
    finder._check_version()
    traced = finder._for_trace()
    if traced._stand_in is not None:  # another one searches in its place
        traced = traced._stand_in.backup
    rule, policy, shape = traced.info.open_list, traced._policy, traced._pool.shape
    if rule == "hidden" or policy[layout.READING] == 2:  # K2: all keys change when an obstacle is met
        rule = ""
    if rule == "gates" and shape.heap:
        rule = "f"
    return {
        "rule": rule,
        "shift": int(policy[layout.BUCKET_SHIFT]),
        "clamped": (not shape.heap and not traced.info.real_time) or traced.info.name == "pra",
        "half": shape.queue // 2,
        "goal": goal[1] * finder.grid.width + goal[0],
        "width": finder.grid.width,
        "legs": traced.info.name == "pra",
    }


def in_cells(values: Array, unit: float) -> Array:
    """Return costs in cells: in 32 bits where those tell the kernel's integers apart.

    >>> in_cells(np.array([3, 6]), 3).dtype, in_cells(np.array([3, 2**40]), 3).dtype
    (dtype('float32'), dtype('float64'))
    """
    exact = values.size == 0 or int(np.abs(values).max()) < _EXACT
    costs: Array = (values / unit).astype(np.float32 if exact else np.float64)
    return costs
