"""Replays of dynamic scenarios: edits and queries in their order, each timed by the wall clock, every path checked.

The time of an edit is that of `grid.paste`. The time of a query is that of `find` and of reading the cells of its path:
it includes whatever the finder does to catch up with the edits since the query before.
"""

from __future__ import annotations

import copy
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from waygrid.measure.dynamic import DynamicScenario
from waygrid.measure.moves import make_whole_steps
from waygrid.measure.path_check import explain_fault
from waygrid.measure.problems import Problems
from waygrid.measure.rows import EDIT_COLUMNS, Rows, make_rows
from waygrid.measure.timing import Progress, wall_clock
from waygrid.search.finder import Finder
from waygrid.search.path import Path

_REHEARSED = 8  # queries that are replayed before, so that everything is compiled
_REPORTED = 64  # queries between two reports of progress

HOW = "edits and queries of dynamic scenarios one by one, by the wall clock"


class ReplayAnswers(NamedTuple):
    """What a finder answered, one entry for each query."""

    costs: npt.NDArray[np.float64]
    statuses: npt.NDArray[np.uint8]
    lengths: npt.NDArray[np.int64]
    expanded: npt.NDArray[np.int64]
    generated: npt.NDArray[np.int64]


class Replay(NamedTuple):
    """A replay: the answers, microseconds of every query and edit, and which paths are right."""

    answers: ReplayAnswers
    query_us: npt.NDArray[np.float64]
    edit_us: npt.NDArray[np.float64]
    valid: npt.NDArray[np.bool_]
    fault: str | None  # the first path that breaks the rules, in words
    check_s: float
    agent_bytes: int

    @property
    def query_s(self) -> float:
        """Seconds of all queries."""
        return float(self.query_us.sum()) / 1e6

    @property
    def edit_s(self) -> float:
        """Seconds of all edits."""
        return float(self.edit_us.sum()) / 1e6


def time_replay(
    finder: Finder,
    scenario: DynamicScenario,
    *,
    repeat: int = 1,
    max_expansions: int | None = None,
    report: Progress | None = None,
) -> Replay:
    """Replay a scenario with copies of a finder, which was made on the start map; finder and map stay as they are.

    repeat: replay so often; of each edit and query the quickest time counts.

    >>> import waygrid as wg
    >>> scenario = wg.generate_changes(wg.generate("caves", width=40, height=30), edits=20, queries=10)
    >>> replay = time_replay(wg.make_finder("jps", scenario.start_grid()), scenario)
    >>> len(replay.query_us), len(replay.edit_us), bool(replay.valid.all())
    (10, 20, True)
    >>> bool(np.allclose(replay.answers.costs, scenario.costs))
    True
    """
    _rehearse(finder, scenario, max_expansions)
    found = _replay(finder, scenario, max_expansions, report)
    for _ in range(repeat - 1):
        again = _replay(finder, scenario, max_expansions, report)
        query_us, edit_us = np.minimum(found.query_us, again.query_us), np.minimum(found.edit_us, again.edit_us)
        found = found._replace(query_us=query_us, edit_us=edit_us, check_s=found.check_s + again.check_s)
    return found


def _replay(finder: Finder, scenario: DynamicScenario, limit: int | None, report: Progress | None) -> Replay:
    twin = copy.deepcopy(finder)
    grid = twin.grid
    _ = grid.table.labels  # the start map is compiled before the clock runs
    edits = [(scenario.patches[number], x, y) for number, x, y in scenario.edits.tolist()]
    ends = list(zip(map(tuple, scenario.starts.tolist()), map(tuple, scenario.goals.tolist()), strict=True))
    query_us, edit_us = np.zeros(len(ends)), np.zeros(len(edits))
    valid = np.ones(len(ends), np.bool_)
    rows: list[tuple[float, int, int, int, int]] = []
    fault, check_s, done = None, 0.0, 0
    for query, before in enumerate([*scenario.before.tolist(), len(edits)]):
        for edit in range(done, before):
            began = wall_clock()
            grid.paste(*edits[edit])
            edit_us[edit] = 1e6 * (wall_clock() - began)
        done = before
        if query == len(ends):
            break
        start, goal = ends[query]
        began = wall_clock()
        path = twin.find(start, goal, max_expansions=limit)
        _ = path.cells
        ended = wall_clock()
        query_us[query] = 1e6 * (ended - began)
        rows.append(_row(path))
        wrong = explain_fault(grid, path, start, goal)
        if wrong is not None:
            valid[query] = False
            fault = fault or f"row {query}: {wrong}"
        check_s += wall_clock() - ended
        if report is not None and query % _REPORTED == 0:
            report(query / len(ends), "replaying")
    return Replay(_columns(rows), query_us, edit_us, valid, fault, check_s, twin.memory.agent_bytes)


def _row(path: Path) -> tuple[float, int, int, int, int]:
    stats = path.stats
    return path.cost, int(path.status), len(path), stats.expanded, stats.generated


def _columns(rows: list[tuple[float, int, int, int, int]]) -> ReplayAnswers:
    costs, statuses, *counts = zip(*rows, strict=True) if rows else ((),) * 5
    lengths, expanded, generated = (np.array(column, np.int64) for column in counts)
    return ReplayAnswers(np.array(costs, np.float64), np.array(statuses, np.uint8), lengths, expanded, generated)


def _rehearse(finder: Finder, scenario: DynamicScenario, limit: int | None) -> None:
    """Replay the first queries, and the smallest and the largest edit: small ones are followed by other code."""
    twin = copy.deepcopy(finder)
    few = scenario.take_first(_REHEARSED)
    for query in few.replay(twin.grid):
        start, goal = (tuple(cells[query].tolist()) for cells in (few.starts, few.goals))
        twin.find(start, goal, max_expansions=limit)
    sizes = [scenario.patches[number].size for number in scenario.edits[:, 0].tolist()]
    for edit in {int(np.argmin(sizes)), int(np.argmax(sizes))} if sizes else ():
        _ = twin.grid.table.labels
        scenario.apply(edit, twin.grid)
    _ = twin.grid.table.labels


def make_replay_rows(problems: Problems, replay: Replay) -> Rows:
    """Return the rows of the queries of a replay; a path comes as a whole, so all steps take the time of the query."""
    steps = make_whole_steps(replay.query_us)
    return make_rows(problems, replay.answers, replay.query_us, steps, replay.valid)


def make_edit_rows(scenario: DynamicScenario, edit_us: npt.NDArray[np.float64]) -> Rows:
    """Return a row for each edit."""
    shapes = np.array([patch.shape for patch in scenario.patches], np.int64).reshape(-1, 2)
    number = scenario.edits[:, 0]
    values = {
        "edit": np.arange(len(number)),
        "patch": number,
        "x": scenario.edits[:, 1],
        "y": scenario.edits[:, 2],
        "width": shapes[number, 1],
        "height": shapes[number, 0],
        "edit_us": edit_us,
    }
    return {name: np.ascontiguousarray(values[name], column.kind) for name, column in EDIT_COLUMNS.items()}
