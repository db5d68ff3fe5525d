"""A benchmark on a Dask cluster: maps, builds and slices of queries are tasks.

Workers are sent maps, not the names of files. What a task needs is itself the result of a task (the map, the finder),
so the scheduler makes it again where a worker is lost, and that costs the tasks of this worker only. Times are taken
on the worker, as they are on one machine; give each worker one thread, or tasks disturb each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple
from weakref import WeakSet

from waygrid.build.dask import connected, same, slots, spread, the_library
from waygrid.errors import WaygridError
from waygrid.grid.grid import Grid
from waygrid.measure.builds import Made, build_finder, rehearse
from waygrid.measure.machine import this_machine
from waygrid.measure.problems import Problems
from waygrid.measure.rounds import Round, Yardstick, plan_rounds, time_round
from waygrid.measure.slices import Pace, cut_slices
from waygrid.measure.timing import Progress
from waygrid.measure.work import Settings, Sink, Slice, Unit, get_ready, measure_replay, measure_slice
from waygrid.search.finder import Finder
from waygrid.search.registry import algorithms

_SHARES = 4  # slices that each thread of the cluster gets of a unit, so that none works alone at the end,
_LEAST_S = 0.1  # unless they would be shorter than this: a task takes some milliseconds whatever it does
_ALONE_S = 0.5  # work of a unit that is left to the worker which has the finder, unless another one steals of it

# A finder that is there is measured before the next is built, or workers would hold the indexes of all units at once
# and an interruption lose them.
_MEASURE_FIRST, _THEN_LOOK = 2, 1  # priorities; builds have 0

_warm: WeakSet[Finder] = WeakSet()  # of this worker


class Built(NamedTuple):
    """A finder, and what is known of it."""

    finder: Finder
    made: Made


def build_there(grid: Grid, algorithm: str, options: dict[str, Any], address: str) -> Built:
    """Make a finder on a worker; a large build becomes tasks of the same cluster."""
    rehearse(grid, algorithm, options)
    more = {"cluster": address} if algorithms()[algorithm].index else {}
    return Built(*build_finder(grid, algorithm, {**options, **more}))


def look(built: Built, problems: Problems, settings: Settings) -> tuple[Made, Pace]:
    """Return what is known of a finder, and what a query takes."""
    return built.made, get_ready(built.finder, problems, settings)


def measure_there(built: Built, problems: Problems, first: int, whole: int, settings: Settings) -> Slice:
    """Measure some queries on a worker."""
    if built.finder not in _warm:
        get_ready(built.finder, problems, settings)
        _warm.add(built.finder)
    return measure_slice(built.finder, problems, first, whole, settings)


def time_there(built: Built, problems: Problems, number: int, each_s: float, settings: Settings) -> Round | None:
    """Measure a round on a worker; None where queries are too long for rounds."""
    get_ready(built.finder, problems.spread(1), settings)
    unit = plan_rounds(0, built.finder, problems, settings.max_expansions, [number], each_s)
    return time_round(unit, number, Yardstick()) if unit.rounds else None


def replay_there(built: Built, unit: Unit, settings: Settings) -> tuple[Made, Slice]:
    """Replay a dynamic scenario on a worker."""
    return built.made, measure_replay(unit, built.finder, settings)


class _Tasks:
    """The tasks of all units."""

    def __init__(self, client: Any, units: Sequence[Unit], settings: Settings, sink: Sink, address: str) -> None:
        self._client, self._units, self._settings, self._sink = client, units, settings, sink
        self._address = address
        self._finders: dict[int, Any] = {}
        self._left = {number: sink.gaps(number) for number in range(len(units))}
        self._slices: dict[Any, int] = {}  # unit of each task
        self._rounds: dict[Any, int] = {}
        self._replays: dict[Any, int] = {}
        self.total = sum(last - first for gaps in self._left.values() for first, last in gaps)
        self.done = 0

    def begin(self) -> dict[Any, int]:
        """Submit the builds; return the tasks that look at each finder, with their unit."""
        grids: dict[int, Any] = {}
        looks = {}
        for number, unit in enumerate(self._units):
            if not self._left[number]:
                continue
            if id(unit.grid) not in grids:
                grids[id(unit.grid)] = self._client.submit(same, unit.grid, pure=False)
            known = (grids[id(unit.grid)], unit.algorithm, dict(unit.options), self._address)
            self._finders[number] = self._client.submit(build_there, *known, pure=False)
            if unit.changes is not None:
                task = self._client.submit(
                    replay_there, self._finders[number], unit, self._settings, pure=False, priority=_MEASURE_FIRST
                )
                self._replays[task] = number
                continue
            few = unit.problems.spread(32)
            task = self._client.submit(
                look, self._finders[number], few, self._settings, pure=False, priority=_THEN_LOOK
            )
            looks[task] = number
        return looks

    def submit_slices(self, number: int, made: Made, pace: Pace) -> list[Any]:
        """Take note of a finder and submit its slices."""
        self._sink.begin(number, made)
        problems, whole = self._units[number].problems, len(self._units[number].problems)
        left = sum(last - first for first, last in self._left[number])
        whole_s = left * pace.each_s / self._settings.threads
        parts = max(1, min(_SHARES * slots(self._client), int(whole_s / _LEAST_S)))
        made_now = []
        spread(self._client, self._finders[number], min(len(self._client.nthreads()), int(whole_s / _ALONE_S)))
        # The last first: scenarios are sorted by length, and a long slice should not be what all wait for.
        for first, last in reversed(cut_slices(self._left[number], pace, self._settings.threads, -(-left // parts))):
            known = (self._finders[number], problems.part(slice(first, last)), first, whole, self._settings)
            future = self._client.submit(measure_there, *known, pure=False, priority=_MEASURE_FIRST)
            self._slices[future] = number
            made_now.append(future)
        return [*made_now, *self._time(number, problems, pace)]

    def _time(self, number: int, problems: Problems, pace: Pace) -> list[Any]:
        """Submit the rounds of a unit, each a task of its own: they are spread over time and workers."""
        there = {each.number for each in self._sink.rounds(number)}
        made = []
        for each in range(self._settings.rounds):
            if each not in there:
                known = (self._finders[number], problems, each, pace.each_s, self._settings)
                future = self._client.submit(time_there, *known, pure=False, priority=_MEASURE_FIRST)
                self._rounds[future] = number
                made.append(future)
        return made

    @property
    def replays(self) -> list[Any]:
        """The tasks that replay dynamic scenarios."""
        return list(self._replays)

    def keep_replay(self, future: Any, made: Made, part: Slice) -> str:
        """Keep a replay; return the title of its unit."""
        number = self._replays.pop(future)
        self._sink.begin(number, made)
        self._sink.add(number, part)
        self.done += part.last
        del self._finders[number]
        return self._units[number].title

    def keep(self, future: Any, found: Slice | Round | None) -> str:
        """Keep a slice or a round; return the title of its unit."""
        number = self._slices.pop(future) if future in self._slices else self._rounds.pop(future)
        if isinstance(found, Slice):
            self._sink.add(number, found)
            self.done += found.last - found.first
        elif found is not None:
            self._sink.add_round(number, found)
        if number not in (*self._slices.values(), *self._rounds.values()):
            del self._finders[number]  # the workers may forget it
        return self._units[number].title


def measure_on_cluster(
    units: Sequence[Unit], settings: Settings, sink: Sink, address: str, progress: Progress | None
) -> None:
    """Measure what the sink does not have yet."""
    with connected(address) as client:
        tasks = _Tasks(client, units, settings, sink, address)
        sink.ran_on(list(client.run(this_machine).values()))
        looks = tasks.begin()
        coming = the_library().as_completed([*looks, *tasks.replays], loop=client.loop)
        for future in coming:
            try:
                found = future.result()
            except the_library().scheduler.KilledWorker as error:
                raise WaygridError(
                    f"a task of {address} ended every worker that tried it; is their memory enough?"
                ) from error
            if future in looks:
                coming.update(tasks.submit_slices(looks.pop(future), *found))
                continue
            title = tasks.keep_replay(future, *found) if future in tasks.replays else tasks.keep(future, found)
            if progress is not None:
                progress(tasks.done / max(1, tasks.total), title)
