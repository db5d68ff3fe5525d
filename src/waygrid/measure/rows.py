"""The row of one query: what is measured, stored and exported, by the same names everywhere."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from waygrid.measure.path_check import same_cost
from waygrid.search.path import Status

if TYPE_CHECKING:
    from waygrid.measure.problems import Problems

Rows: TypeAlias = dict[str, npt.NDArray[Any]]
"""Columns by name, one entry for each query."""


class Column(NamedTuple):
    """A column: its type in arrays and in the store, and what it means."""

    kind: type[np.generic]
    sql: str
    meaning: str


COLUMNS: dict[str, Column] = {
    "number": Column(np.int32, "INTEGER", "of the problem in its scenario, from 0"),
    "start_x": Column(np.uint16, "USMALLINT", "where the path begins"),
    "start_y": Column(np.uint16, "USMALLINT", ""),
    "goal_x": Column(np.uint16, "USMALLINT", "where it should end"),
    "goal_y": Column(np.uint16, "USMALLINT", ""),
    "optimum": Column(np.float64, "DOUBLE", "cost of the cheapest path, inf where there is none"),
    "status": Column(np.uint8, "UTINYINT", "0 unreachable, 1 found, 2 partial, 3 cut off"),
    "cost": Column(np.float64, "DOUBLE", "of the path, inf where there is none"),
    "suboptimality": Column(np.float64, "DOUBLE", "cost / optimum - 1 where a path was found, else null"),
    "length": Column(np.int32, "INTEGER", "cells of the path, or waypoints of straight legs"),
    "expanded": Column(np.int64, "BIGINT", "cells expanded"),
    "generated": Column(np.int64, "BIGINT", "cells generated"),
    "time_us": Column(np.float32, "FLOAT", "of the whole query"),
    "first_move_us": Column(np.float32, "FLOAT", "until the first move is known"),
    "longest_step_us": Column(np.float32, "FLOAT", "the longest that was planned between two moves"),
    "first_20_us": Column(np.float32, "FLOAT", "until 20 moves are known"),
    "valid": Column(np.bool_, "BOOLEAN", "whether the path keeps to the rules, joins start and goal and has its cost"),
}


EDIT_COLUMNS: dict[str, Column] = {
    "edit": Column(np.int32, "INTEGER", "its number in the scenario, from 0"),
    "patch": Column(np.int32, "INTEGER", "number of the patch that was laid over the map"),
    "x": Column(np.uint16, "USMALLINT", "its top-left cell"),
    "y": Column(np.uint16, "USMALLINT", ""),
    "width": Column(np.uint16, "USMALLINT", "of the patch"),
    "height": Column(np.uint16, "USMALLINT", ""),
    "edit_us": Column(np.float32, "FLOAT", "time of the edit"),
}


class Answers(Protocol):
    """What searches answered, one entry for each query: a batch, or the queries of a replay."""

    @property
    def costs(self) -> npt.NDArray[np.float64]:
        """Of the paths, inf without one."""

    @property
    def statuses(self) -> npt.NDArray[Any]:
        """How searches ended."""

    @property
    def lengths(self) -> npt.NDArray[Any]:
        """Cells of the paths."""

    @property
    def expanded(self) -> npt.NDArray[Any]:
        """Cells expanded."""

    @property
    def generated(self) -> npt.NDArray[Any]:
        """Cells generated."""


class Steps(NamedTuple):
    """Times of single moves in microseconds, one entry for each query."""

    first: npt.NDArray[np.float64]
    longest: npt.NDArray[np.float64]
    first_20: npt.NDArray[np.float64]


def make_rows(
    problems: Problems, batch: Answers, times_us: npt.NDArray[np.float64], steps: Steps, valid: npt.NDArray[np.bool_]
) -> Rows:
    """Put together the rows of some problems and their answers."""
    costs, statuses = batch.costs, batch.statuses
    values = {
        "number": problems.numbers,
        "start_x": problems.starts[:, 0],
        "start_y": problems.starts[:, 1],
        "goal_x": problems.goals[:, 0],
        "goal_y": problems.goals[:, 1],
        "optimum": problems.optima,
        "status": statuses,
        "cost": costs,
        "suboptimality": above_optimum(costs, problems.optima, statuses),
        "length": batch.lengths,
        "expanded": batch.expanded,
        "generated": batch.generated,
        "time_us": times_us,
        "first_move_us": steps.first,
        "longest_step_us": steps.longest,
        "first_20_us": steps.first_20,
        "valid": valid,
    }
    return {name: np.ascontiguousarray(values[name], column.kind) for name, column in COLUMNS.items()}


def above_optimum(
    costs: npt.NDArray[np.float64], optima: npt.NDArray[np.float64], statuses: npt.NDArray[Any]
) -> npt.NDArray[np.float64]:
    """Return cost / optimum - 1 of the paths found, nan elsewhere; a file that says 0 for a real path knows no optimum.

    >>> above_optimum(np.array([3.0, 2.0, 2.0]), np.array([2.0, 2.0, np.inf]), np.array([1, 1, 0])).tolist()
    [0.5, 0.0, nan]
    """
    same = same_cost(costs, optima)
    solved = (statuses == Status.FOUND) & np.isfinite(optima) & (same | (optima > 0))
    above = np.full(len(costs), np.nan)
    above[solved] = np.where(same[solved], 0.0, costs[solved] / np.where(same[solved], 1.0, optima[solved]) - 1)
    return above


def join_rows(parts: Iterable[Rows]) -> Rows:
    """Put rows behind each other, in the order of their numbers."""
    kept = list(parts)
    order = np.argsort(np.concatenate([part["number"] for part in kept]), kind="stable")
    return {name: np.concatenate([part[name] for part in kept])[order] for name in COLUMNS}
