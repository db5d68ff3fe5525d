"""The model: a cache of terrains (by content), grids and finders; the oldest are evicted first."""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from waygrid.algorithms.make import make_finder
from waygrid.errors import WaygridError, show
from waygrid.formats.georeference import Georeference
from waygrid.grid.grid import Grid
from waygrid.options import check_options
from waygrid.search.declaration import BUILD_OPTIONS, AlgorithmInfo
from waygrid.search.finder import Finder
from waygrid.search.registry import algorithms, import_place, refuse_unsupported
from waygrid.studio.jobs import Job
from waygrid.studio.limits import StudioLimits

Thing = TypeVar("Thing")

_LOOK_S = 0.1  # how often a caller that waits for another's work checks for cancellation
_GONE = "the studio no longer has this map; send it again"
_GRID_BYTES = 24  # of a grid and its tables, per cell


class UnknownMapError(WaygridError):
    """The page names a terrain that was evicted or never existed."""


class Kept(Generic[Thing]):
    """A cache with limits on entries and bytes; the least recently used entry is evicted first."""

    def __init__(self, most: int, most_bytes: int) -> None:
        self._most, self._most_bytes = most, most_bytes
        self._things: OrderedDict[Any, tuple[Thing, int]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Any) -> Thing | None:
        """Return an entry, or None if it is not in the cache."""
        with self._lock:
            if key not in self._things:
                return None
            self._things.move_to_end(key)
            return self._things[key][0]

    def put(self, key: Any, thing: Thing, size: int) -> None:
        """Add an entry and evict others if necessary."""
        with self._lock:
            self._things[key] = (thing, size)
            self._things.move_to_end(key)
            while len(self._things) > 1 and (
                len(self._things) > self._most or sum(size for _, size in self._things.values()) > self._most_bytes
            ):
                self._things.popitem(last=False)

    def __len__(self) -> int:
        return len(self._things)


@dataclass(frozen=True)
class Terrain:
    """Passable cells and, if they differ, the costs of entering cells."""

    passable: npt.NDArray[np.bool_]
    weights: npt.NDArray[np.uint16] | None
    doors: tuple[tuple[int, int], ...] = ()  # cells that the page marks as doors, open or closed
    place: Georeference | None = None  # where the cells lie in the world

    @property
    def bytes(self) -> int:
        """Memory of the arrays."""
        return self.passable.nbytes + (0 if self.weights is None else self.weights.nbytes)

    def key(self) -> str:
        """Return the key of the terrain: the same for the same cells."""
        digest = hashlib.sha256(repr(self.passable.shape).encode() + self.passable.tobytes())
        if self.weights is not None:
            digest.update(self.weights.tobytes())
        if self.place is not None:
            digest.update(repr(self.place.transform).encode())
        return digest.hexdigest()[:32]


@dataclass(frozen=True)
class Made:
    """A finder and its build time."""

    finder: Finder
    build_s: float
    index_bytes: int


class Model:
    """Terrains, grids and finders.

    >>> model = Model(StudioLimits())
    >>> key = model.add(Terrain(np.ones((2, 3), np.bool_), None))
    >>> model.grid(key, {"topology": "tile"}).topology
    'tile'
    """

    def __init__(self, limits: StudioLimits) -> None:
        self.limits = limits
        self._terrains: Kept[Terrain] = Kept(limits.kept, limits.kept_bytes)
        self._grids: Kept[Grid] = Kept(limits.kept, limits.kept_bytes)
        self._made: Kept[Made] = Kept(limits.kept, limits.kept_bytes)
        self._structures: Kept[Any] = Kept(limits.kept, limits.kept_bytes)
        self._making: dict[Any, Lock] = {}
        self._lock = Lock()

    def add(self, terrain: Terrain) -> str:
        """Add a terrain and return its key; a terrain that is too large is refused."""
        height, width = terrain.passable.shape
        check_cells(width, height, self.limits)
        if terrain.weights is not None and (terrain.weights[terrain.passable] < 1).any():
            raise WaygridError("a weight is 0; allowed are 1 to 65535")
        key = terrain.key()
        self._terrains.put(key, terrain, terrain.bytes)
        return key

    def terrain(self, key: Any) -> Terrain:
        """Return a terrain by its key."""
        found = self._terrains.get(_map_key(key))
        if found is None:
            raise UnknownMapError(_GONE)
        return found

    def grid(self, key: Any, rules: Mapping[str, Any]) -> Grid:
        """Return the grid of a terrain with some rules."""
        chosen = read_rules(rules)
        grid = self._grids.get((_map_key(key), chosen))
        if grid is None:
            terrain = self.terrain(key)
            topology, corners, metric = chosen
            place = terrain.place if topology in ("tile", "octile") else None
            grid = Grid(
                terrain.passable,
                topology=topology,
                corners=corners,
                metric=metric,
                weights=terrain.weights,
                georeference=place,
            )
            self._grids.put((key, chosen), grid, _GRID_BYTES * terrain.passable.size)
        return grid

    def finder(self, key: Any, rules: Mapping[str, Any], algorithm: Any, options: Any, job: Job) -> Made:
        """Return a finder; its index is built once, and the build stops if the job is cancelled."""
        grid, chosen = self.grid(key, rules), _options(options)
        name = (key, read_rules(rules), str(algorithm), json.dumps(chosen, sort_keys=True, default=str))
        made: Made = self.once(self._made, name, lambda: self._make(grid, algorithm, chosen, job), job)
        return made

    def structure(self, name: Any, make: Callable[[], tuple[Thing, int]], job: Job) -> Thing:
        """Return the layers of an overlay; computed once, by a function that also returns their bytes."""
        made: Thing = self.once(self._structures, name, make, job)
        return made

    def once(self, kept: Kept[Any], name: Any, make: Callable[[], tuple[Any, int]], job: Job) -> Any:
        """Return a cached value; if two jobs need it at once, one computes it and the other waits."""
        found = kept.get(name)
        if found is not None:
            return found
        with self._lock:
            lock = self._making.setdefault(name, Lock())
        while not lock.acquire(timeout=_LOOK_S):
            job.check()
        try:
            found = kept.get(name)
            if found is None:
                found, size = make()
                kept.put(name, found, size)
        finally:
            lock.release()
            with self._lock:
                self._making.pop(name, None)
        return found

    def _make(self, grid: Grid, algorithm: Any, options: dict[str, Any], job: Job) -> tuple[Made, int]:
        known = algorithms().get(algorithm) if isinstance(algorithm, str) else None
        building: dict[str, Any] = {}
        if known is not None and known.index:

            def report(done: int, total: int, _left: float | None) -> None:
                job.tell(done / max(total, 1), f"building the index of {algorithm}")
                if job.late:
                    raise WaygridError(
                        f"the index of {algorithm} takes longer than the {self.limits.build_s:.0f} s that the studio "
                        f"allows; use a smaller map, or build it with waygrid build"
                    )

            building["progress"] = report
        job.begin("building", self.limits.build_s)
        if known is not None and known.build_estimate:
            _refuse_long_build(known, grid, options, self.limits)
        if building:
            job.tell(0.0, "compiling")
            _load_build(algorithm, grid, options)
            job.begin("building", self.limits.build_s)  # the time limit starts now
        finder = make_finder(algorithm, grid, **options, **building)
        fixed = finder.memory.fixed_bytes
        return Made(
            finder, finder.build_seconds, fixed
        ), fixed + _GRID_BYTES * grid.passable.size  # it keeps its grid alive


def _refuse_long_build(info: AlgorithmInfo, grid: Grid, options: Mapping[str, Any], limits: StudioLimits) -> None:
    """Refuse a build that cannot be stopped midway and would take longer than the studio allows."""
    refuse_unsupported(info, grid)
    seconds, why, instead = import_place(info.build_estimate)(grid, check_options(info.name, info.options, options))
    if seconds > limits.build_s:
        raise WaygridError(
            f"{why} and takes about {seconds:.0f} s to build; the studio allows {limits.build_s:g} s: take {instead}"
        )


def _load_build(algorithm: str, grid: Grid, options: dict[str, Any]) -> None:
    """Build the same index on a tiny map first, so that the build time does not include compilation."""
    cells = np.ones((8, 8), np.bool_)
    weights = None if grid.weights is None else np.full(cells.shape, 2, np.uint16)
    tiny = Grid(cells, topology=grid.topology, corners=grid.corners, metric=grid.metric, weights=weights)
    with suppress(WaygridError):  # options may ask for more than so few cells have; the build itself will say what
        make_finder(algorithm, tiny, **options)


def _map_key(key: Any) -> str:
    """Return the key of a request's map; anything but a text is no key, and may not be one in Python either."""
    if not isinstance(key, str):
        raise UnknownMapError(_GONE)
    return key


def check_cells(width: int, height: int, limits: StudioLimits) -> None:
    """Refuse a map that is too large for the studio."""
    if width * height > limits.cells:
        raise WaygridError(
            f"a map of {width} x {height} cells is too large for the studio; at most {limits.cells} cells are allowed"
        )


def read_rules(rules: Any) -> tuple[str, str, Any]:
    """Return topology, corners and metric; other rules are refused."""
    if not isinstance(rules, Mapping) or rules.keys() - {"topology", "corners", "metric"}:
        raise WaygridError(f"grid is {show(rules)}; allowed are topology, corners and metric")
    metric = rules.get("metric", "octile")
    metric = tuple(metric) if isinstance(metric, list) else metric
    values = (rules.get("topology", "octile"), rules.get("corners", "never"), metric)
    for value in values:
        if not isinstance(value, str) and not (isinstance(value, tuple) and all(type(n) is int for n in value)):
            raise WaygridError(f"grid has {show(value)}; allowed are names, and pairs of whole numbers for the metric")
    return values


def _options(options: Any) -> dict[str, Any]:
    """Return the options of an algorithm as Python values: lists become pairs."""
    if not isinstance(options, Mapping):
        raise WaygridError(f"options is {show(options)}; allowed is an object of names and values")
    for name in options:
        if name in BUILD_OPTIONS:
            raise WaygridError(
                f"option {show(name)} is not available in the studio; allowed are those of the algorithm"
            )
    return {str(name): tuple(value) if isinstance(value, list) else value for name, value in options.items()}
