"""Overlays: what the preprocessing made of the map, as layers that the page draws by their type.

A layer is of type labels (a number per cell), cells, points, lines or boxes; the page knows nothing else of overlays,
so that a new one needs no change there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from waygrid.core.types import Array
from waygrid.errors import WaygridError, show
from waygrid.grid.grid import Grid
from waygrid.search.registry import Option, algorithms
from waygrid.studio.estimates import refuse_many_sectors
from waygrid.studio.jobs import Job
from waygrid.studio.model import Model
from waygrid.studio.wire import pack

BLUE, RED, GREEN, ORANGE, VIOLET = "#1f6feb", "#d1242f", "#1a7f37", "#bf6a02", "#8250df"


class Layer(NamedTuple):
    """One array and how it is drawn."""

    type: str
    array: Array
    text: str  # in the legend, empty: not there
    colour: str = ""
    size: float = 1.0


class Wanted(NamedTuple):
    """What an overlay is asked for: a map and its rules, values of its options and, if `cursor`, the cell."""

    model: Model
    key: Any  # of the map
    rules: Mapping[str, Any]
    grid: Grid
    options: dict[str, Any]
    cell: tuple[int, int] | None
    job: Job


@dataclass(frozen=True)
class Overlay:
    """What can be laid over the map; `show` makes the layers, and looks at the job between its steps."""

    title: str
    summary: str
    show: Callable[[Wanted], list[Layer]]
    options: Mapping[str, Option] = field(default_factory=dict)
    cursor: bool = False


def overlay(model: Model, asked: Mapping[str, Any], job: Job) -> bytes:
    """Return the layers of an overlay that the page asks for."""
    from waygrid.studio.searches import cell_of

    name = asked.get("overlay")
    if not isinstance(name, str) or name not in OVERLAYS:
        raise WaygridError(f"there is no overlay {show(name)}; allowed are {', '.join(OVERLAYS)}")
    chosen, rules = OVERLAYS[name], asked.get("grid", {})
    grid = model.grid(asked.get("map"), rules)
    options = _options(name, chosen, asked.get("options") or {})
    cell = cell_of(asked, "cell") if chosen.cursor else None
    if cell is not None and not (0 <= cell[0] < grid.width and 0 <= cell[1] < grid.height):
        raise WaygridError(f"cell {cell} is outside the map of {grid.width} x {grid.height} cells")
    job.begin("building", model.limits.build_s)
    key = (asked.get("map"), repr(rules), name, repr(sorted(options.items())), cell)
    wanted = Wanted(model, asked.get("map"), rules, grid, options, cell, job)
    layers = model.structure(key, lambda: _made(chosen, wanted), job)
    header = {
        "title": chosen.title,
        "legend": [{"text": layer.text, "colour": layer.colour} for layer in layers if layer.text],
        "layers": [
            {"type": layer.type, "array": str(k), "colour": layer.colour, "size": layer.size, "width": layer.size}
            for k, layer in enumerate(layers)
        ],
    }
    return pack(header, {str(k): layer.array for k, layer in enumerate(layers)})


def _made(chosen: Overlay, wanted: Wanted) -> tuple[list[Layer], int]:
    """Return the layers of an overlay and their bytes."""
    layers = chosen.show(wanted)
    wanted.job.check_time("this overlay")
    return layers, 1000 + sum(layer.array.nbytes for layer in layers)


def _options(name: str, chosen: Overlay, options: Any) -> dict[str, Any]:
    if not isinstance(options, Mapping) or options.keys() - chosen.options.keys():
        raise WaygridError(
            f"overlay {show(name)} has the options {', '.join(chosen.options) or 'none'}, not {show(options)}"
        )
    values = {key: options.get(key, option.default) for key, option in chosen.options.items()}
    return {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}


def _places(grid: Grid, cells: Array) -> Array:
    """Return cells as points (x, y)."""
    points: Array = np.stack((cells % grid.width, cells // grid.width), axis=1).astype(np.float32)
    return points


def _links(grid: Grid, one: Array, other: Array) -> Array:
    """Return lines between cells."""
    lines: Array = np.concatenate((_places(grid, one), _places(grid, other)), axis=1)
    return lines


def _need_squares(grid: Grid, what: str) -> None:
    if grid.topology not in ("tile", "octile"):
        raise WaygridError(f"{what} are made of rows and columns; topology {show(grid.topology)} has none")


def _parts(wanted: Wanted) -> list[Layer]:
    return [Layer("labels", wanted.grid.components.astype(np.int32).ravel(), "connected components")]


def _sectors(wanted: Wanted) -> list[Layer]:
    from waygrid.algorithms.regions.sectors import find_sectors

    grid, sector = wanted.grid, wanted.options["sector"]
    _need_squares(grid, "sectors")
    refuse_many_sectors(grid, sector, wanted.model.limits)
    cut = find_sectors(grid, sector)
    wanted.job.check_time("this overlay")
    sources = np.repeat(np.arange(len(cut.centres)), np.diff(cut.offsets))
    forth = sources < cut.neighbours
    links = _links(grid, cut.centres[sources[forth]], cut.centres[cut.neighbours[forth]])
    return [
        Layer("labels", cut.region, f"{len(cut.centres)} regions"),
        Layer("lines", _frame(grid, cut.plan), "sectors", "#57606a", 1.0),
        Layer("lines", links, "neighbours", BLUE, 1.0),
        Layer("points", _places(grid, cut.centres), "representatives", RED, 3.0),
    ]


def _frame(grid: Grid, plan: Array) -> Array:
    """Return the lines between sectors; cells reach half a unit around their centres."""
    rows, columns = int(plan[0]), int(plan[1])
    down = [(-0.5, y - 0.5, grid.width - 0.5, y - 0.5) for y in range(0, grid.height + rows, rows)]
    across = [(x - 0.5, -0.5, x - 0.5, grid.height - 0.5) for x in range(0, grid.width + columns, columns)]
    lines = np.array(down + across, np.float32)
    inside: Array = np.minimum(lines, np.array([grid.width, grid.height] * 2, np.float32) - 0.5)
    return inside


def _stored_paths(wanted: Wanted) -> list[Layer]:
    made = wanted.model.finder(wanted.key, wanted.rules, "dba", wanted.options, wanted.job)
    wanted.job.check_time("this overlay")
    return _database(wanted.grid, made.finder.index)  # type: ignore[attr-defined]


def _database(grid: Grid, index: Mapping[str, Array]) -> list[Layer]:
    """Return the stored paths of a database as lines from subgoal to subgoal."""
    centres, targets, counts = (index[name].astype(np.int64) for name in ("centres", "targets", "counts"))
    subgoals = index["subgoals"].astype(np.int64)
    sizes: Array = np.diff(index["offsets"].astype(np.int64))
    sources = np.repeat(np.arange(len(centres)), sizes)
    # Each path is its source, its subgoals and its target, one after another in one list of cells.
    lengths = counts + 2
    ends = np.cumsum(lengths)
    points = np.empty(int(lengths.sum()), np.int64)
    inner = np.ones(len(points), np.bool_)
    points[ends - lengths], points[ends - 1] = centres[sources], centres[targets]
    inner[ends - lengths] = inner[ends - 1] = False
    points[inner] = subgoals
    last = np.zeros(len(points), np.bool_)
    last[ends - 1] = True
    legs = np.flatnonzero(~last)
    pairs = np.unique(np.sort(np.stack((points[legs], points[legs + 1]), axis=1), axis=1), axis=0)
    return [
        Layer("lines", _links(grid, pairs[:, 0], pairs[:, 1]), f"{len(targets)} stored paths", BLUE, 1.0),
        Layer("points", _places(grid, np.unique(subgoals)), f"{len(subgoals)} subgoals", ORANGE, 2.0),
        Layer("points", _places(grid, centres), f"{len(centres)} representatives", RED, 3.0),
    ]


def _climbable(wanted: Wanted) -> list[Layer]:
    from waygrid.algorithms.make import make_finder
    from waygrid.algorithms.regions.hcdps_regions import find_climbable

    grid = wanted.grid
    make_finder("hcdps", Grid(np.ones((2, 2)), topology=grid.topology), **wanted.options)  # refuses bad options
    cut = find_climbable(grid, int(wanted.options["cutoff"]))
    return [
        Layer("labels", cut.region, f"{len(cut.centres)} regions"),
        Layer("points", _places(grid, cut.centres), "seeds", RED, 3.0),
    ]


def _zones(wanted: Wanted) -> list[Layer]:
    from waygrid.algorithms.zones.zones import decompose

    cut = decompose(wanted.grid, wanted.options["decomposition"])
    middle = (cut.gates["first"].astype(np.float32) + cut.gates["last"]) / 2  # of each side
    lines = np.concatenate((cut.gates["first"].mean(axis=1), cut.gates["last"].mean(axis=1)), axis=1).astype(np.float32)
    short = (cut.gates["first"] == cut.gates["last"]).all(axis=(1, 2))
    lines[short] = middle[short].reshape(-1, 4)  # a gate of one cell: the line leads through it
    bridge = cut.gates["bridge"]
    return [
        Layer("labels", cut.zones.ravel(), f"{cut.count} zones"),
        Layer("lines", lines[~bridge], f"{int((~bridge).sum())} gates", BLUE, 3.0),
        Layer("lines", lines[bridge], f"{int(bridge.sum())} bridges", RED, 3.0),
    ]


def _goal_bounds(wanted: Wanted) -> list[Layer]:
    from waygrid.algorithms.bounds.box_type import TIES
    from waygrid.algorithms.bounds.boxes import box_work
    from waygrid.grid.topology import choose

    grid, cell = wanted.grid, wanted.cell
    ties = choose("ties", wanted.options["ties"], TIES)
    assert cell is not None
    number = cell[1] * grid.width + cell[0]
    if grid.table.walk[number] == 0:
        return []
    work = box_work(grid, ties, "cpu", None)
    wanted.job.check_time("this overlay")
    boxes = work.run(work.scratch(), number, number + 1)["boxes"][0]
    none = np.iinfo(boxes.dtype).max
    layers = []
    for k, (name, box) in enumerate(zip(grid.directions, boxes, strict=False)):
        if box[0] != none:
            colour = (RED, GREEN, BLUE, ORANGE, VIOLET, "#0a7d91", "#a8326d", "#5c6b00")[k]
            layers.append(Layer("boxes", _corners(box), f"goals by {name}", colour, 2.0))
    return [*layers, Layer("points", np.array([cell], np.float32), "", "#000000", 4.0)]


def _corners(box: Array) -> Array:
    corners: Array = box.reshape(1, 4).astype(np.int32)
    return corners


def _jump_points(wanted: Wanted) -> list[Layer]:
    from waygrid.algorithms.jumps.turns import list_turns
    from waygrid.search.registry import refuse_unsupported

    refuse_unsupported(algorithms()["jps+"], wanted.grid)
    _, tags, _ = list_turns(wanted.grid.table)
    cells = np.flatnonzero(tags & 255)
    return [Layer("cells", cells.astype(np.int32), f"{len(cells)} jump points", VIOLET)]


def _taken(algorithm: str, *names: str) -> dict[str, Option]:
    """Return options as an algorithm declares them."""
    declared = algorithms()[algorithm].options
    return {name: declared[name] for name in names}


OVERLAYS: dict[str, Overlay] = {
    "sectors": Overlay(
        "Sectors and regions",
        "of PRA* and DBA*: representatives, and which regions touch",
        _sectors,
        _taken("dba", "sector"),
    ),
    "paths": Overlay(
        "Stored paths", "of DBA*: subgoals and the paths along them", _stored_paths, _taken("dba", "sector", "level")
    ),
    "climbable": Overlay(
        "Hill-climbable regions", "of HCDPS: cells that climb to a seed and back", _climbable, _taken("hcdps", "cutoff")
    ),
    "zones": Overlay(
        "Zones and gates",
        "of the improved heuristics; bridges part the map",
        _zones,
        _taken("gateway", "decomposition"),
    ),
    "goal-bounds": Overlay(
        "Goal bounds",
        "of the cell under the mouse: a box for each first move",
        _goal_bounds,
        _taken("astar-gb", "ties"),
        cursor=True,
    ),
    "jump-points": Overlay("Jump points", "cells where JPS+ stops", _jump_points),
    "parts": Overlay("Connected components", "no path leads from one to another", _parts),
}
