"""Every row of map sets, answered by every algorithm that promises the cheapest path, and checked.

The file of the results is also what a run resumes from. A result holds as long as the map, its scenario and the sources
of waygrid are the same. What limits have left out is tried again under other limits.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from waygrid.bench.engine import part_of
from waygrid.bench.runner import units_of
from waygrid.errors import WaygridError
from waygrid.formats.files import read_bytes
from waygrid.grid.grid import Grid
from waygrid.maps import SETS, map_files
from waygrid.measure.builds import TooLong, build_finder, watch_build
from waygrid.measure.machine import code
from waygrid.measure.path_check import check_paths, judge, same_cost
from waygrid.measure.scenario import Scenario, has_scenario_rules
from waygrid.measure.slices import cut_slices, warm_up
from waygrid.measure.timing import Progress, time_call, wall_clock
from waygrid.measure.work import Unit
from waygrid.search.finder import Finder
from waygrid.search.registry import algorithms as known_algorithms
from waygrid.search.registry import refuse_unsupported

_MOST = 2000  # queries between two reports of progress


class FitLimits(NamedTuple):
    """What an algorithm may take on one map; beyond it, the algorithm is left out there."""

    memory: int = 2_000_000_000  # bytes of a build
    build_s: float = 60.0
    query_s: float = 600.0  # of all rows


class MapRows(NamedTuple):
    """A map and the file of its rows."""

    set: str
    map: Path
    scenario: Path | None

    @property
    def key(self) -> str:
        """A hash of both files."""
        digest = hashlib.sha256()
        for file in (self.map, self.scenario):
            digest.update(b"" if file is None else hashlib.sha256(read_bytes(file)).digest())
        return digest.hexdigest()[:16]


@dataclass(frozen=True)
class VerifiedUnit:
    """What became of one algorithm on one map."""

    set: str
    map: str
    key: str  #: of the files of map and scenario
    code: str  #: of the sources of waygrid
    algorithm: str
    rows: int  #: of the scenario
    answered: int = 0
    optimum: str = ""  #: where the optima come from
    differ: int = 0  #: rows whose cost is not the optimum
    illegal: int = 0  #: paths that break the rules
    unsolved: int = 0  #: rows without a path although there is one
    first_fault: str | None = None
    left_out: str | None = None  #: why the algorithm was left out here
    index_bytes: int = 0
    build_s: float = 0.0
    query_s: float = 0.0  #: of all rows, paths written
    check_s: float = 0.0

    @property
    def faults(self) -> int:
        """Rows with something wrong."""
        return self.differ + self.illegal + (self.answered < self.rows and self.left_out is None)


class Verification:
    """Results by map and algorithm, those of an earlier run among them."""

    def __init__(
        self, limits: FitLimits, known: Iterable[VerifiedUnit] = (), known_limits: FitLimits | None = None
    ) -> None:
        self.limits = limits
        self._known = {
            (unit.key, unit.algorithm): unit
            for unit in known
            if unit.code == code() and (unit.left_out is None or known_limits == limits)
        }
        self.units: list[VerifiedUnit] = []
        self.resumed = 0

    def recall(self, rows: MapRows, key: str, algorithm: str) -> VerifiedUnit | None:
        """Return the result of an earlier run, if it holds."""
        unit = self._known.get((key, algorithm))
        return unit if unit is not None and unit.map == rows.map.name else None

    def run(
        self,
        maps: Sequence[MapRows],
        algorithms: Sequence[str],
        *,
        threads: int | None = None,
        keep: Callable[[], None] = lambda: None,
        progress: Progress | None = None,
    ) -> None:
        """Verify what is not known yet; `keep` is called after each algorithm."""
        for number, rows in enumerate(maps):
            report = part_of(progress, number, len(maps), f"{rows.set}/{rows.map.name}")
            key = rows.key
            known = {name: self.recall(rows, key, name) for name in algorithms}
            self.units += [unit for unit in known.values() if unit is not None]
            self.resumed += sum(unit is not None for unit in known.values())
            missing = [name for name in algorithms if known[name] is None]
            if not missing or rows.scenario is None:
                continue
            for unit in _verify_map(rows, key, missing, self.limits, threads, report):
                self.units.append(unit)
                keep()

    def as_json(self) -> dict[str, Any]:
        """Return everything, ready for `json.dumps`: also earlier results that were not asked for, or not yet."""
        units = {**self._known, **{(unit.key, unit.algorithm): unit for unit in self.units}}
        return {"format": 1, "limits": self.limits._asdict(), "units": [asdict(unit) for unit in units.values()]}


def read_verification(data: Any, name: str) -> tuple[list[VerifiedUnit], FitLimits]:
    """Return the results of a file, and the limits that they were made under."""
    try:
        if data["format"] != 1:
            raise WaygridError(f"{name}: format {data['format']!r}; this version of waygrid reads 1")
        wanted = {field.name for field in fields(VerifiedUnit)}
        units = [VerifiedUnit(**unit) for unit in data["units"] if unit.keys() == wanted]
        return units, FitLimits(**data["limits"])
    except (KeyError, TypeError, AttributeError) as error:
        raise WaygridError(f"{name} is not a file of results of waygrid maps verify") from error


def optimal_algorithms() -> list[str]:
    """Return the algorithms that promise the cheapest path, without those whose time grows exponentially.

    >>> "astar" in optimal_algorithms(), "ida" in optimal_algorithms(), "dfs" in optimal_algorithms()
    (True, False, False)
    """
    return [name for name, info in known_algorithms().items() if info.optimal and not info.exponential]


def find_rows(home: Path, sets: Sequence[str]) -> list[MapRows]:
    """Return the maps of some sets, or of all folders; scenarios lie beside them.

    >>> find_rows(Path("/nowhere"), [])
    Traceback (most recent call last):
    waygrid.errors.WaygridError: /nowhere has no maps; waygrid maps fetch SET downloads a set
    """
    folders = {known.name: known.folder for known in SETS.values()}
    names = [folders.get(name, name) for name in sets]
    if not names and home.is_dir():
        names = sorted({file.relative_to(home).parts[0] for file in map_files(home)})
    found = []
    for name in names:
        files = map_files(home / name) if (home / name).is_dir() else []
        if not files:
            raise WaygridError(f"{home / name} has no maps; waygrid maps list shows the sets that are there")
        for file in files:
            beside = file.with_name(file.name + ".scen")
            found.append(MapRows(name, file, beside if beside.is_file() else None))
    if not found:
        raise WaygridError(f"{home} has no maps; waygrid maps fetch SET downloads a set")
    return found


def _verify_map(
    rows: MapRows, key: str, names: Sequence[str], limits: FitLimits, threads: int | None, report: Progress
) -> Iterable[VerifiedUnit]:
    """Verify algorithms on one map, one after the other."""
    assert rows.scenario is not None
    about: dict[str, Any] = {"set": rows.set, "map": rows.map.name, "key": key, "code": code()}
    try:
        grid, scenario = Grid.from_file(rows.map), Scenario.from_file(rows.scenario)
    except WaygridError as error:
        yield from (VerifiedUnit(**about, algorithm=name, rows=0, left_out=str(error)) for name in names)
        return
    for number, name in enumerate(names):
        whole = VerifiedUnit(**about, algorithm=name, rows=len(scenario))
        part = part_of(report, number, len(names), name)
        try:
            refuse_unsupported(known_algorithms()[name], grid)
            (unit,) = units_of(grid, scenario, [name], name=rows.map.name)
            yield _verify_unit(whole, unit, scenario, limits, threads, part)
        except TooLong as late:
            allowed = f"allowed are {limits.build_s:g} s"
            yield _leave_out(whole, f"its index would take about {late.seconds:.0f} s; {allowed}")
        except (WaygridError, MemoryError) as error:
            yield _leave_out(whole, str(error) or "there is not enough memory for it")


def _leave_out(unit: VerifiedUnit, why: str) -> VerifiedUnit:
    return VerifiedUnit(**{**asdict(unit), "left_out": why})


def _verify_unit(
    whole: VerifiedUnit, unit: Unit, scenario: Scenario, limits: FitLimits, threads: int | None, report: Progress
) -> VerifiedUnit:
    """Verify one algorithm on one map; raises `TooLong` where its index takes too long."""
    problems, options = unit.problems, {}
    if known_algorithms()[unit.algorithm].index:
        options = {"progress": watch_build(limits.build_s), "memory": limits.memory}
    report(0.0, "building")
    finder, made = build_finder(unit.grid, unit.algorithm, options)
    if made.build_s > limits.build_s:
        raise TooLong(made.build_s)
    if made.fixed_bytes > limits.memory:
        raise WaygridError(f"its index takes {made.fixed_bytes} bytes; allowed are {limits.memory}")
    pace = warm_up(finder, problems.starts, problems.goals, None)
    if pace.each_s * len(problems) > limits.query_s:
        expected = f"all rows would take about {pace.each_s * len(problems):.0f} s"
        return _leave_out(whole, f"{expected}; allowed are {limits.query_s:g} s")
    rows: dict[str, npt.NDArray[Any]] = {"number": problems.numbers, "optimum": problems.optima}
    parts, query_s, check_s, fault = [], 0.0, 0.0, None
    for first, last in cut_slices([(0, len(problems))], pace, threads or 1, _MOST):
        report(first / len(problems), "answering")
        answered = _answer_part(finder, unit, slice(first, last), threads)
        parts.append(answered)
        query_s, check_s, fault = query_s + answered.query_s, check_s + answered.check_s, fault or answered.fault
    for name in ("cost", "status", "valid"):
        rows[name] = np.concatenate([getattr(part, name) for part in parts])
    verdict = judge(rows, claims_optimal=True)
    strange = _out_of_bounds(unit, scenario, rows["cost"])
    if strange.any() and not verdict.differ:
        row = int(np.argmax(strange))
        fault = fault or f"row {row}: length {rows['cost'][row]:.6f} is outside of what the map allows"
    found = {
        "answered": len(problems) - verdict.cut_off,
        "optimum": problems.source,
        "differ": verdict.differ or int(strange.sum()),
        "illegal": verdict.illegal,
        "unsolved": verdict.unsolved,
        "first_fault": fault or verdict.first,
        "index_bytes": made.fixed_bytes,
        "build_s": made.build_s,
        "query_s": query_s,
        "check_s": check_s,
    }
    return VerifiedUnit(**{**asdict(whole), **found})


class _CheckedPart(NamedTuple):
    """Some answers, checked."""

    cost: npt.NDArray[np.float64]
    status: npt.NDArray[Any]
    valid: npt.NDArray[np.bool_]
    fault: str | None
    query_s: float
    check_s: float


def _answer_part(finder: Finder, unit: Unit, part: slice, threads: int | None) -> _CheckedPart:
    """Answer some rows and check every path by the map and the rules alone."""
    starts, goals = unit.problems.starts[part], unit.problems.goals[part]
    query_s, batch = time_call(lambda: finder.find_many(starts, goals, threads), wall_clock)
    check_s, checked = time_call(
        lambda: check_paths(unit.grid, starts, goals, batch, explained=len(starts)), wall_clock
    )
    fault = None if checked.first is None else f"row {unit.problems.numbers[part][checked.first]}: {checked.fault}"
    return _CheckedPart(batch.costs, batch.statuses, checked.valid, fault, query_s, check_s)


def _out_of_bounds(unit: Unit, scenario: Scenario, costs: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Tell which lengths of straight legs are below the air line, or above the cost of moves.

    Their optima come from another algorithm of ours: these bounds do not.
    """
    outside = np.zeros(len(costs), np.bool_)
    if known_algorithms()[unit.algorithm].metric == "grid" or not has_scenario_rules(unit.grid):
        return outside
    apart = (unit.problems.goals - unit.problems.starts).astype(np.float64)
    air = np.hypot(*apart.T) * unit.grid.scale
    outside |= (costs < air) & ~same_cost(costs, air)
    if scenario.metric == "grid":
        outside |= (costs > scenario.costs) & ~same_cost(costs, scenario.costs)
    return outside
