"""Searches for the page: run in slices so that they can be cancelled, timed without a trace, then traced."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from waygrid.errors import WaygridError, show
from waygrid.measure.timing import time_call, wall_clock
from waygrid.search.finder import Finder
from waygrid.search.path import Path, Status
from waygrid.search.trace import Trace, record_trace
from waygrid.search.unchecked import can_search_unreachable, make_unchecked
from waygrid.studio.jobs import Job
from waygrid.studio.model import Made, Model
from waygrid.studio.thinking import describe_order, in_cells
from waygrid.studio.timing import StudioTimes, measure_best
from waygrid.studio.wire import pack

_SLICE = 100_000  # expansions between two checks for cancellation: about 5 ms


def cell_of(asked: Mapping[str, Any], name: str) -> tuple[int, int]:
    """Check and return a cell of a request."""
    cell = asked.get(name)
    if not isinstance(cell, list) or len(cell) != 2 or not all(type(n) is int and abs(n) < 2**31 for n in cell):
        raise WaygridError(f"{name} is {show(cell)}; a cell is [x, y], two whole numbers")
    return cell[0], cell[1]


class StudioSearch(NamedTuple):
    """A search, its finder, and whether it ran although no path can exist."""

    finder: Finder
    path: Path
    seconds: float  # of this one run
    anyway: str | None  # about goals in another component: see `search_pair`


def search(model: Model, asked: Mapping[str, Any], job: Job) -> bytes:
    """Answer one search of the page."""
    made = find_made(model, asked, job)
    searched = search_pair(model, made.finder, asked, job)
    path, best = searched.path, StudioTimes(searched.seconds, 1)
    if asked.get("timed"):
        best = measure_best(searched.finder, *read_ends(asked), searched.seconds, job)
    header = {**_facts(path, best, made), "optimum": None, "events": 0, "truncated": False, "anyway": searched.anyway}
    # What the line is drawn through: straight legs are no cells, so they travel as floats.
    arrays: dict[str, Any] = {"path": path.cells if path.model == "cells" else path.waypoints.astype(np.float32)}
    if asked.get("optimum"):
        header["optimum"] = _optimum(model, asked, made, path, job)
    if asked.get("trace"):
        trace = trace_search(model, searched, asked, job)
        events, unit = trace.events, float(trace.unit)
        header |= {"events": len(events), "truncated": trace.cut, "unit": trace.unit}
        header["order"] = describe_order(searched.finder, cell_of(asked, "goal"))
        arrays |= {
            "kind": events["kind"].astype(np.uint8),
            "node": events["node"].astype(np.int32),
            "parent": events["parent"].astype(np.int32),
            "g": in_cells(events["g"], unit),
            "h": in_cells(events["h"], unit),
        }
    return pack(header, arrays)


def find_made(model: Model, asked: Mapping[str, Any], job: Job) -> Made:
    """Return the finder of a request, with its index."""
    return model.finder(asked.get("map"), asked.get("grid", {}), asked.get("algorithm"), asked.get("options", {}), job)


def read_ends(asked: Mapping[str, Any]) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return start and goal of a request."""
    return cell_of(asked, "start"), cell_of(asked, "goal")


def search_pair(model: Model, finder: Finder, asked: Mapping[str, Any], job: Job) -> StudioSearch:
    """Search as the page asks; `anyway` says what became of a goal in another connected component.

    It is None if start and goal are in one component, "skipped" if the search was skipped, "searched" if the page
    requested to search anyway, and "impossible" if the algorithm cannot.
    """
    path, seconds = run_search(finder, *read_ends(asked), job, model.limits.search_s)
    if path.status != Status.UNREACHABLE or path.stats.expanded:
        return StudioSearch(finder, path, seconds, None)
    if not can_search_unreachable(finder.info):
        return StudioSearch(finder, path, seconds, "impossible")
    if not asked.get("anyway"):
        return StudioSearch(finder, path, seconds, "skipped")
    unchecked = make_unchecked(finder)
    path, seconds = run_search(unchecked, *read_ends(asked), job, model.limits.flood_s)
    return StudioSearch(unchecked, path, seconds, "searched")


def run_search(
    finder: Finder, start: tuple[int, int], goal: tuple[int, int], job: Job, allowed_s: float
) -> tuple[Path, float]:
    """Return the path and the seconds of the search; a search that takes too long ends with the path so far."""
    job.begin("searching", allowed_s)
    running = finder.start(start, goal)
    job.tell(0.0, "compiling")  # if need be, which is not the search's time
    running.advance(0)
    job.begin("searching", allowed_s)

    def search() -> None:
        while not running.advance(_SLICE) and not job.late:
            job.check()

    try:
        seconds, _ = time_call(search, wall_clock)
    except BaseException:
        running.cancel()
        raise
    path = running.path()
    if not running.done:
        running.cancel()
    return path, seconds


def trace_search(model: Model, searched: StudioSearch, asked: Mapping[str, Any], job: Job) -> Trace:
    """Record a search; if it was stopped, as far as it got."""
    finder, path = searched.finder, searched.path
    if finder._stand_in is not None:  # what answered in its place
        finder = finder._stand_in.backup
    job.begin("searching", 4 * model.limits.search_s)

    def look() -> None:
        job.check_time("the trace of this search")

    limit = path.stats.expanded if path.status == Status.CUTOFF else None
    request = finder._request(False, limit, None, None)
    start, goal = (np.array([cell_of(asked, name)], np.int32) for name in ("start", "goal"))
    return record_trace(finder, start, goal, request, model.limits.events, cut=True, look=look)


def _facts(path: Path, best: StudioTimes, made: Made) -> dict[str, Any]:
    stats, memory = path.stats, made.finder.memory
    return {
        "status": path.status.name,
        "cost": path.cost if math.isfinite(path.cost) else None,
        "moves": max(len(path) - 1, 0),
        "stats": {
            "expanded": stats.expanded,
            "generated": stats.generated,
            "peak_open": stats.peak_open,
            "nodes": stats.nodes,
            "bytes": stats.bytes,
            "estimate": stats.estimate,
        },
        "optimal": made.finder.optimal,  # with these options, which the declaration does not know
        "time_us": 1e6 * best.seconds,
        "runs": best.runs,
        "build_s": made.build_s,
        "index_bytes": made.index_bytes,
        "agent_bytes": memory.agent_bytes,
    }


def _optimum(model: Model, asked: Mapping[str, Any], made: Made, path: Path, job: Job) -> float | None:
    """Return the cost of the cheapest path; None if there is none or it took too long."""
    if path.status == Status.UNREACHABLE or (path.model != "cells" and not made.finder.optimal):
        return None  # straight legs are shorter than any path from cell to cell
    if made.finder.optimal and path.status == Status.FOUND:
        return path.cost
    plain = model.finder(asked.get("map"), asked.get("grid", {}), "astar", {}, job).finder
    best, _ = run_search(plain, *read_ends(asked), job, model.limits.search_s)
    return best.cost if best.status == Status.FOUND else None
