"""What other programs wrote, for the page: search traces, dynamic scenarios, paths."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from waygrid.core import layout
from waygrid.errors import WaygridError, show
from waygrid.formats import dynamic, patches, path_rows, posthoc_reader
from waygrid.grid.grid import Grid
from waygrid.grid.legal import first_fault, path_cost
from waygrid.search.path import Status
from waygrid.studio.jobs import Job
from waygrid.studio.limits import StudioLimits
from waygrid.studio.model import Model
from waygrid.studio.searches import run_search
from waygrid.studio.wire import pack, unpack

_REACHED = (layout.E_EXPANDING, layout.E_GENERATING, layout.E_UPDATING)
_MOST_PATHS = 200
_COLOURS = ("#1f6feb", "#d1242f", "#1a7f37", "#bf6a02", "#8250df", "#0e7490")


def read_trace(name: str, data: bytes, limits: StudioLimits) -> bytes:
    """Return a trace of another solver as the answer to a search; cells are (x, y), as the map is not known here."""
    trace = posthoc_reader.parse(data, name[-100:], limits.events + 1)
    cut = len(trace.kinds) > limits.events
    kinds, cells, parents, g, h = (column[: limits.events] for column in trace[1:6])
    start, goal = _find_ends(kinds, cells)
    path, cost = _find_path(kinds, cells, parents, g, goal)
    generated = np.unique(cells[np.isin(kinds, (layout.E_SOURCE, *_REACHED))], axis=0)
    stats = {
        "expanded": int((kinds == layout.E_EXPANDING).sum()),
        "generated": int((kinds == layout.E_GENERATING).sum()),
        "peak_open": None,
        "nodes": len(generated),
        "bytes": None,
        "estimate": None,
    }
    header = {
        "version": trace.version,
        "width": int(cells[:, 0].max()) + 1,
        "height": int(cells[:, 1].max()) + 1,
        "start": start,
        "goal": goal,
        "left_out": dict(trace.left_out),
        "status": "FOUND" if len(path) else "UNREACHABLE",
        "cost": cost,
        "moves": max(len(path) - 1, 0),
        "stats": stats,
        "events": len(kinds),
        "truncated": cut,
        "unit": 1,
    }
    arrays: dict[str, Any] = {"kind": kinds, "cells": cells, "parents": parents, "path": path}
    with np.errstate(over="ignore"):  # costs of 1e300 are infinite to the page
        arrays |= {"g": g.astype(np.float32), "h": h.astype(np.float32)}
    return pack(header, arrays)


def _find_ends(kinds: npt.NDArray[Any], cells: npt.NDArray[Any]) -> tuple[list[int], list[int] | None]:
    """Return start and goal of a trace; the goal is None if no event names it."""
    starts, goals = (np.flatnonzero(kinds == kind) for kind in (layout.E_SOURCE, layout.E_DESTINATION))
    ends = np.flatnonzero(kinds == layout.E_END)
    goal = goals[0] if len(goals) else ends[-1] if len(ends) else None
    return cells[starts[0] if len(starts) else 0].tolist(), None if goal is None else cells[goal].tolist()


def _find_path(
    kinds: npt.NDArray[Any], cells: npt.NDArray[Any], parents: npt.NDArray[Any], g: npt.NDArray[Any], goal: Any
) -> tuple[npt.NDArray[np.int32], float | None]:
    """Return the way back from the goal by the last parent of each cell, and its cost; empty if it was not reached."""
    reached = np.isin(kinds, (*_REACHED, layout.E_END)) & (cells == goal).all(axis=1) if goal else np.zeros(0, np.bool_)
    if not reached.any():
        return np.zeros((0, 2), np.int32), None
    valued = np.isin(kinds, _REACHED) | ((kinds == layout.E_END) & (parents[:, 0] >= 0))
    above = dict(zip(map(tuple, cells[valued].tolist()), map(tuple, parents[valued].tolist()), strict=True))
    path: list[Any] = []
    cell = tuple(goal)
    while cell[0] >= 0 and len(path) <= len(above):
        path.append(cell)
        cell = above.get(cell, (-1, -1))
    last = np.flatnonzero(reached & valued) if (reached & valued).any() else np.flatnonzero(reached)
    cost = float(g[last[-1]])
    return np.array(path[::-1], np.int32), cost if np.isfinite(cost) else None


def read_dynamic(message: bytes, width: int, height: int, limits: StudioLimits) -> bytes:
    """Return a dynamic scenario: its problems, its edits and its patches, which the page lays over its map.

    The message has the bytes of the scenario and of its patches.
    """
    _, arrays = unpack(message)
    missing = [name for name in ("scenario", "patches") if name not in arrays]
    if missing:
        raise WaygridError(f"a dynamic scenario comes with its patches; {missing[0]} is missing")
    data = dynamic.parse(arrays["scenario"].tobytes(), "scenario").data
    laid = dynamic.check_dynamic(data, patches.parse(arrays["patches"].tobytes(), "patches"), "scenario")
    if (data.width, data.height) != (width, height):
        raise WaygridError(
            f"the scenario is for a map of {data.width} x {data.height} cells, not of {width} x {height}"
        )
    most = limits.problems
    sizes = [[patch.shape[1], patch.shape[0]] for patch in laid]
    return pack(
        {"rows": len(data.starts), "patches": sizes},
        {
            "problems": np.concatenate([data.starts, data.goals], axis=1)[:most].astype(np.int32),
            "costs": data.costs[:most].astype(np.float64),
            "before": data.before[:most].astype(np.int32),
            "edits": data.edits.astype(np.int32),
            "cells": np.concatenate([patch.ravel() for patch in laid] or [np.zeros(0, np.bool_)]).astype(np.uint8),
        },
    )


def check_paths(model: Model, asked: Mapping[str, Any], job: Job) -> bytes:
    """Return what is true of paths from a file, and lines that show them: legal or why not, cost and optimal cost."""
    text, name, rules = asked.get("text"), asked.get("name", "paths"), asked.get("grid", {})
    if not isinstance(text, str) or not isinstance(name, str):
        raise WaygridError(f"text is {show(text)} and name {show(name)}; the rows of a file and its name are needed")
    found = path_rows.parse(text.encode(errors="surrogatepass"), name)
    if len(found) > _MOST_PATHS:
        raise WaygridError(f"{name} has {len(found)} paths; at most {_MOST_PATHS} can be shown")
    grid = model.grid(asked.get("map"), rules)
    plain = model.finder(asked.get("map"), rules, "astar", {}, job).finder
    rows, layers, arrays = [], [], {}
    for number, (name, cells) in enumerate(found):
        job.begin("searching", model.limits.search_s)
        fault = first_fault(grid, cells)
        colour = _COLOURS[number % len(_COLOURS)]
        ends = [cells[0].tolist(), cells[-1].tolist()]
        rows.append(
            {
                "name": name[:60],
                "colour": colour,
                "fault": fault,
                "moves": len(cells) - 1,
                "cost": None if fault else path_cost(grid, cells),
                "optimum": _optimum(grid, plain, ends, job, model.limits.search_s),
                "start": ends[0],
                "goal": ends[1],
            }
        )
        legs = np.concatenate([cells[:-1], cells[1:]], axis=1) if len(cells) > 1 else np.tile(cells, (1, 2))
        arrays[str(number)] = legs.astype(np.float32)
        layers.append({"type": "lines", "array": str(number), "colour": colour, "size": 2.0, "width": 3.0})
    legend = [{"text": row["name"], "colour": row["colour"]} for row in rows]
    return pack({"title": "Paths", "legend": legend, "layers": layers, "paths": rows}, arrays)


def _optimum(grid: Grid, plain: Any, ends: list[list[int]], job: Job, allowed_s: float) -> float | None:
    """Return the cost of the cheapest path between the ends of a path, None if there is none."""
    inside = all(0 <= x < grid.width and 0 <= y < grid.height and bool(grid.passable[y, x]) for x, y in ends)
    if not inside:
        return None
    path, _ = run_search(plain, (ends[0][0], ends[0][1]), (ends[1][0], ends[1][1]), job, allowed_s)
    return path.cost if path.status == Status.FOUND else None
