"""The one way to time searches; everything that publishes a time uses it.

* What counts is the processor time of the thread: while other programs run, it stands still.
* A call that is timed takes about a millisecond. Shorter work is repeated within a turn, long lists of queries are cut
  into parts, and of each part the quickest call counts: whoever else uses the machine seldom breaks in on all calls.
* What is compared takes turns, round by round, so that a slow spell of the machine strikes all alike. Each round begins
  with another one, so that none always comes after the same other.
* Runs that are compared with other runs are timed beside a yardstick, see `waygrid.measure.rounds`.

Batches on several threads are timed by the wall clock, and single queries inside compiled code, see
`waygrid.measure.slices`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from time import get_clock_info, perf_counter, thread_time
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

Progress = Callable[[float, str], None]
"""Is given the share that is done, 0 to 1, and what is being done."""

Work = Callable[[], object]
Clock = Callable[[], float]
Floats = npt.NDArray[np.float64]
Key = TypeVar("Key")
Value = TypeVar("Value")

TURN_S = 0.02  # a turn takes at least so long
MOST_CALLS = 100  # of a turn
_PART_S = 0.001  # queries that are asked in one call take about so long
_PIECE_S = 0.5  # a call comes back about this often, so that progress is shown and Ctrl-C is heard
_WARM_UP = 64  # queries
_LEAST_S = 1e-9

# On some systems the processor time of a thread only ticks.
cpu_clock: Clock = thread_time if get_clock_info("thread_time").resolution < 1e-6 else perf_counter
wall_clock: Clock = perf_counter


def time_call(work: Callable[[], Value], clock: Clock | None = None) -> tuple[float, Value]:
    """Do some work once; return its seconds and what it returned."""
    clock = clock or cpu_clock
    began = clock()
    value = work()
    return clock() - began, value


def time_parts(
    parts: Sequence[Work], *, fill_s: float = TURN_S, least: int = 1, most: int = MOST_CALLS, clock: Clock | None = None
) -> Floats:
    """Take a turn: do all parts, again and again until fill_s have passed; return the least seconds of each part.

    least, most: how often all parts are done, whatever time that takes.
    """
    best, spent, calls = np.full(len(parts), np.inf), 0.0, 0
    while calls < least or (spent < fill_s and calls < most):
        for number, part in enumerate(parts):
            seconds, _ = time_call(part, clock)
            best[number], spent = min(best[number], seconds), spent + seconds
        calls += 1
    return best


def time_best(
    work: Work, *, fill_s: float = TURN_S, least: int = 1, most: int = MOST_CALLS, clock: Clock | None = None
) -> float:
    """Return the least seconds of some work that is done again and again until fill_s have passed."""
    return float(time_parts([work], fill_s=fill_s, least=least, most=most, clock=clock)[0])


def take_turns(every: Sequence[Value], rounds: int) -> Iterator[tuple[int, Value]]:
    """Yield the number of the round and who is next; each round begins with another one.

    >>> list(take_turns("ab", 2))
    [(0, 'a'), (0, 'b'), (1, 'b'), (1, 'a')]
    """
    for number in range(rounds):
        for one in rotate(every, number):
            yield number, one


def rotate(every: Sequence[Value], number: int) -> tuple[Value, ...]:
    """Return all, beginning with another one for each number.

    >>> rotate("abc", 4)
    ('b', 'c', 'a')
    """
    first = number % len(every)
    return (*every[first:], *every[:first])


def time_in_turns(works: Mapping[Key, Work], rounds: int, clock: Clock | None = None) -> dict[Key, list[float]]:
    """Time several works in turns; return the seconds of each in each round."""
    times: dict[Key, list[float]] = {key: [] for key in works}
    for _, key in take_turns(list(works), rounds):
        times[key].append(max(_LEAST_S, time_best(works[key], clock=clock)))
    return times


# --- Queries ---------------------------------------------------------------------------------------------------------


class FindsMany(Protocol):
    """What finders of grids and of graphs have in common."""

    def find_many(self, starts: Any, goals: Any, threads: int | None = None) -> Any:
        """Answer many queries."""


class Queries(NamedTuple):
    """Queries that are asked with the same obstacles; cells (x, y), or nodes of a graph."""

    starts: npt.NDArray[Any]
    goals: npt.NDArray[Any]
    blocked: npt.NDArray[np.bool_] | None = None

    def part(self, rows: slice | npt.NDArray[np.int64]) -> Queries:
        """Return some of the queries."""
        return Queries(self.starts[rows], self.goals[rows], self.blocked)

    def cut(self, size: int) -> list[Queries]:
        """Return the queries in parts of so many."""
        return [self.part(slice(first, first + size)) for first in range(0, len(self.starts), size)]

    def ask(self, finder: FindsMany) -> Any:
        """Ask all of them on one thread, with every path written."""
        obstacles = {} if self.blocked is None else {"blocked": self.blocked}
        return finder.find_many(self.starts, self.goals, threads=1, **obstacles)


@dataclass(frozen=True)
class QueryTimes:
    """The answers of a finder, and the seconds of the quickest call of each part (column) in each round (row)."""

    answers: list[tuple[Queries, Any]]
    parts_s: Floats

    def column(self, name: str) -> npt.NDArray[Any]:
        """Return a property of all answers, such as costs, in the order of the queries."""
        return np.concatenate([getattr(batch, name) for _, batch in self.answers])

    @property
    def count(self) -> int:
        """How many queries there are."""
        return sum(len(queries.starts) for queries, _ in self.answers)

    @property
    def seconds(self) -> float:
        """Of all queries, the quickest call of each part."""
        return float(self.parts_s.min(axis=0).sum())

    @property
    def us(self) -> float:
        """Microseconds of a query, by the quickest call of each part."""
        return 1e6 * self.seconds / self.count

    @property
    def rounds_us(self) -> tuple[float, ...]:
        """Microseconds of a query in each round."""
        return tuple((1e6 * self.parts_s.sum(axis=1) / self.count).tolist())


def time_queries(
    finders: Mapping[Key, FindsMany],
    groups: Sequence[Queries],
    rounds: int,
    *,
    most_s: float = math.inf,
    begin_round: Work | None = None,
    report: Progress | None = None,
    clock: Clock | None = None,
) -> dict[Key, QueryTimes]:
    """Ask every finder all queries, on one thread and with every path written; the finders take turns.

    most_s: no further round is begun after so many seconds. begin_round: is called when a round begins.
    """
    answers, parts = {}, {}
    for key, finder in finders.items():
        answers[key], parts[key] = _prepare(finder, groups, clock)
    times: dict[Key, list[Floats]] = {key: [] for key in finders}
    began, now = wall_clock(), -1
    for turn, (number, key) in enumerate(take_turns(list(finders), rounds)):
        if number > now:
            if number and wall_clock() - began > most_s:
                break
            now = number
            if begin_round is not None:
                begin_round()
        if report is not None:
            report(turn / (rounds * len(finders)), str(key))
        times[key].append(np.maximum(time_parts(parts[key], clock=clock), _LEAST_S))
    return {key: QueryTimes(answers[key], np.array(times[key])) for key in finders}


def _prepare(
    finder: FindsMany, groups: Sequence[Queries], clock: Clock | None
) -> tuple[list[tuple[Queries, Any]], list[Work]]:
    """Return the answers to all queries, and calls of about a millisecond that ask them again."""
    answers: list[tuple[Queries, Any]] = []
    parts: list[Queries] = []
    for group in groups:
        few = group.part(spread_rows(len(group.starts), _WARM_UP))
        few.ask(finder)  # compiles, and touches the memory
        each_s = max(1e-8, time_call(lambda few=few: few.ask(finder), clock)[0] / len(few.starts))  # type: ignore[misc]
        pieces = group.cut(max(1, int(_PIECE_S / each_s)))
        answers += [(piece, piece.ask(finder)) for piece in pieces]
        # Obstacles are laid out anew for each call: cut into parts, a group would be timed with too many of them.
        parts += pieces if group.blocked is not None else group.cut(max(1, int(_PART_S / each_s)))
    return answers, [lambda part=part: part.ask(finder) for part in parts]  # type: ignore[misc]


def spread_rows(count: int, most: int) -> npt.NDArray[np.int64]:
    """Return the numbers of at most `most` of `count` rows, evenly spread.

    >>> spread_rows(9, 3).tolist(), spread_rows(2, 3).tolist()
    ([0, 4, 8], [0, 1])
    """
    return np.unique(np.linspace(0, count - 1, min(count, most)).astype(np.int64))
