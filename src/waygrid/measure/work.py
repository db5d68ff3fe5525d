"""The work of a benchmark: units (one map, algorithm and set of options), each measured in slices of its queries."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from waygrid.errors import WaygridError, show
from waygrid.grid.grid import Grid
from waygrid.measure.builds import Made
from waygrid.measure.dynamic import DynamicScenario
from waygrid.measure.machine import Machine
from waygrid.measure.moves import has_steps, make_whole_steps, time_steps
from waygrid.measure.path_check import check_paths
from waygrid.measure.problems import Problems
from waygrid.measure.replay import HOW as HOW_REPLAYED
from waygrid.measure.replay import make_edit_rows, make_replay_rows, time_replay
from waygrid.measure.rounds import ROUNDS, Round
from waygrid.measure.rows import Rows, make_rows
from waygrid.measure.slices import HOW, Pace, sample_rows, time_batch, warm_up
from waygrid.measure.timing import Progress, time_call, wall_clock
from waygrid.search.finder import Finder


@dataclass(frozen=True)
class Unit:
    """One algorithm with its options on the problems of one map."""

    map: str
    grid: Grid
    problems: Problems
    algorithm: str
    options: Mapping[str, Any]  # those that were given
    changes: DynamicScenario | None = None  # edits between the problems; the grid is then the map before the first

    @property
    def title(self) -> str:
        """Map and algorithm, for people."""
        return f"{self.map}, {self.algorithm}"

    @property
    def key(self) -> str:
        """A name for this work: the same for the same map, rules, problems, algorithm and options."""
        digest = hashlib.sha256()
        known = (self.map, self.map_hash, self.algorithm, options_text(self.options))
        digest.update(repr(known).encode())
        for array in (self.problems.starts, self.problems.goals, self.problems.optima, self.problems.numbers):
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()

    @property
    def map_hash(self) -> str:
        """A hash of the map and its rules, and of its changes."""
        whole = self.grid.fingerprint()
        if self.changes is None:
            return whole
        return hashlib.sha256((whole + self.changes.digest()).encode()).hexdigest()


class Settings(NamedTuple):
    """How all units are measured."""

    threads: int = 1
    repeat: int = 1
    max_expansions: int | None = None
    expansions: int = 10  # of an agent in one step
    rounds: int = ROUNDS  # that times of different runs are compared by; 0: none
    spacing_s: float = 0.0  # between two rounds at least

    def check(self) -> None:
        """Refuse numbers that make no sense."""
        if not isinstance(self.rounds, int) or isinstance(self.rounds, bool) or self.rounds < 0:
            raise WaygridError(f"rounds is {show(self.rounds)}; allowed are the integers from 0")
        for name, value in (("threads", self.threads), ("repeat", self.repeat), ("expansions", self.expansions)):
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise WaygridError(f"{name} is {show(value)}; allowed are the integers from 1")

    def check_units(self, units: Sequence[Unit]) -> None:
        """Refuse threads for dynamic scenarios, whose edits and queries follow each other."""
        changing = next((unit.map for unit in units if unit.changes is not None), None)
        if changing is not None and self.threads > 1:
            raise WaygridError(f"{changing}: threads is {self.threads}; a dynamic scenario is replayed on 1")


class Slice(NamedTuple):
    """The measured queries first to last - 1 of a unit."""

    first: int
    last: int
    rows: Rows
    seconds: float  # of the batch
    check_s: float  # of checking its paths; in no other time
    agent_bytes: int  # of the memory of one search, or of one agent
    fault: str | None  # the first path that breaks the rules, in words
    edits: Rows | None = None  # of a dynamic scenario: a row for each edit, see `waygrid.measure.rows.EDIT_COLUMNS`


class Sink(Protocol):
    """Where results go."""

    def gaps(self, number: int) -> list[tuple[int, int]]:
        """Return the ranges of queries of a unit that are still to be measured."""

    def begin(self, number: int, made: Made) -> None:
        """Take note of a unit's finder."""

    def add(self, number: int, part: Slice) -> None:
        """Keep a slice."""

    def rounds(self, number: int) -> list[Round]:
        """Return the rounds of a unit that are there."""

    def add_round(self, number: int, measured: Round) -> None:
        """Keep a round."""

    def ran_on(self, machines: Sequence[Machine]) -> None:
        """Take note of the machines that measure, where it is not this one."""


def describe_timing(units: Sequence[Unit]) -> str:
    """Say how the times of some units are taken."""
    kinds = {unit.changes is not None for unit in units}
    return "; ".join(words for replayed, words in ((False, HOW), (True, HOW_REPLAYED)) if replayed in kinds)


def options_text(options: Mapping[str, Any]) -> str:
    """Return options as JSON, always in the same order.

    >>> options_text({"weight": 2, "heuristic": "octile"})
    '{"heuristic": "octile", "weight": 2}'
    """
    return json.dumps(dict(options), sort_keys=True, default=_describe)


def _describe(value: Any) -> str:
    """Return an option that JSON has no type for as text; two arrays have the same text only if they are equal."""
    if isinstance(value, np.ndarray):
        return f"array of shape {value.shape}, {hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()[:16]}"
    return str(value)


def get_ready(finder: Finder, problems: Problems, settings: Settings) -> Pace:
    """Warm up all that is measured; return what a query takes."""
    if has_steps(finder):
        rows = sample_rows(len(problems))
        time_steps(finder, problems.starts[rows], problems.goals[rows], settings.expansions, 2)
    return warm_up(finder, problems.starts, problems.goals, settings.max_expansions)


def measure_slice(finder: Finder, problems: Problems, first: int, whole: int, settings: Settings) -> Slice:
    """Measure and check problems that are the queries from `first` on of `whole` ones."""
    starts, goals, limit = problems.starts, problems.goals, settings.max_expansions
    count = len(problems)
    timing = time_batch(
        finder,
        starts,
        goals,
        threads=settings.threads,
        repeat=settings.repeat,
        max_expansions=limit,
        share=count / whole,
    )
    steps, agent_bytes = make_whole_steps(timing.times_us), finder.memory.agent_bytes
    if has_steps(finder):
        steps, agent_bytes = time_steps(finder, starts, goals, settings.expansions, limit)
    check_s, checked = time_call(lambda: check_paths(finder.grid, starts, goals, timing.batch), wall_clock)
    fault = None if checked.first is None else f"row {problems.numbers[checked.first]}: {checked.fault}"
    rows = make_rows(problems, timing.batch, timing.times_us, steps, checked.valid)
    return Slice(first, first + count, rows, timing.seconds, check_s, agent_bytes, fault)


def measure_replay(unit: Unit, finder: Finder, settings: Settings, report: Progress | None = None) -> Slice:
    """Replay a dynamic scenario and check its paths: all of it is one slice."""
    assert unit.changes is not None
    repeat, limit = settings.repeat, settings.max_expansions
    replay = time_replay(finder, unit.changes, repeat=repeat, max_expansions=limit, report=report)
    rows, edits = make_replay_rows(unit.problems, replay), make_edit_rows(unit.changes, replay.edit_us)
    count = len(unit.problems)
    return Slice(0, count, rows, replay.query_s, replay.check_s, replay.agent_bytes, replay.fault, edits)
