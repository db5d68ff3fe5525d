"""Dynamic scenarios: maps that change while paths are asked for, with the lengths that the file claims."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from waygrid.errors import WaygridError, show
from waygrid.formats import SUFFIXES, MapData, write_map
from waygrid.formats.dynamic import DynamicData, check_dynamic, read_dynamic, write_dynamic
from waygrid.formats.rules import LARGEST_SIDE, read_walls
from waygrid.grid.grid import Grid
from waygrid.measure.scenario import has_scenario_rules
from waygrid.options import Integer

_SIDE = Integer(1, "of the map", least=1, greatest=LARGEST_SIDE)
_TITLES = ("edits", "starts", "goals", "costs", "before")
RULES = "topology octile, corners never, metric octile, clearance 1, without weights and one-way tiles"


class DynamicScenario:
    """Edits and queries of a map that changes, in order, with the claimed length of a shortest path at each query.

    An edit lays a patch over the map. The lengths hold for topology octile and corners "never". `before` holds, for
    each query, how many edits happen before it.

    >>> import numpy as np
    >>> import waygrid as wg
    >>> door = [np.zeros((1, 1)), np.ones((1, 1))]                      # patch 0 closes it, patch 1 opens it
    >>> ends = np.array([[0, 0], [0, 0]]), np.array([[2, 0], [2, 0]])
    >>> scenario = wg.DynamicScenario(3, 2, door, [[0, 1, 0], [1, 1, 0]], *ends, costs=[4.0, 2.0], before=[1, 2])
    >>> grid = scenario.start_grid()
    >>> finder = wg.make_finder("astar", grid)
    >>> [finder.find(scenario.starts[k], scenario.goals[k]).cost for k in scenario.replay(grid)]
    [4.0, 2.0]
    """

    def __init__(
        self,
        width: int,
        height: int,
        patches: Sequence[npt.ArrayLike],
        edits: npt.ArrayLike,
        starts: npt.ArrayLike,
        goals: npt.ArrayLike,
        costs: npt.ArrayLike,
        before: npt.ArrayLike,
        *,
        buckets: npt.ArrayLike | None = None,
        edit_buckets: npt.ArrayLike | None = None,
        start_map: npt.ArrayLike | None = None,
        name: str = "dynamic scenario",
    ) -> None:
        self.name = name
        self.width = _SIDE.check("width", width)  #: of the map
        self.height = _SIDE.check("height", height)
        edits, starts, goals, costs, before = (
            _read_numbers(f"{name}: {title}", values)
            for title, values in zip(_TITLES, (edits, starts, goals, costs, before), strict=True)
        )
        if not isinstance(patches, Iterable):
            raise WaygridError(f"{name}: patches is {show(patches)}; a list of arrays is needed")
        self.edits = _integers(edits, 3)  #: (m, 3): the number of the patch, x and y of its top-left cell
        self.starts = _integers(starts, 2)  #: (n, 2) cells
        self.goals = _integers(goals, 2)  #: (n, 2) cells
        self.costs = np.asarray(costs, np.float64)  #: the lengths that the file claims
        if np.asarray(before).dtype.kind == "f" and np.asarray(before).size:
            raise WaygridError(f"{name}: before must be integers of 0 or more")
        self.before = np.asarray(before, np.int64)  #: for each query, how many edits happen before it
        self.buckets = _buckets(buckets, len(self.starts))  #: of each query
        self.edit_buckets = _buckets(edit_buckets, len(self.edits))  #: of each edit
        self.patches = check_dynamic(self._data, patches, name)  #: arrays, True for passable cells
        #: passable cells of the map before the first edit; by default all are
        self.start_map = (
            np.ones((height, width), np.bool_)
            if start_map is None
            else read_walls(start_map, where=f"{name}: ").view(np.bool_)
        )
        self._refuse_size(*self.start_map.shape[::-1])

    @classmethod
    def from_file(
        cls, path: str | PathLike[str], start_map: str | PathLike[str] | Grid | None = None
    ) -> DynamicScenario:
        """Read a scenario of version 2 with its patches.

        start_map: the map before the first edit. By default it is the map of the same name in the same folder, such as
        `town.map` beside `town.scen`. Without one, every cell is passable.
        """
        data, patches = read_dynamic(path)
        name = fspath(path)
        beside = find_start_map(path) if start_map is None else start_map
        first = None
        if beside is not None:
            grid = beside if isinstance(beside, Grid) else Grid.from_file(beside)
            refuse_other_rules(grid, name if isinstance(beside, Grid) else fspath(beside))
            first = grid.passable
        return cls(
            data.width,
            data.height,
            patches,
            data.edits,
            data.starts,
            data.goals,
            data.costs,
            data.before,
            buckets=data.buckets,
            edit_buckets=data.edit_buckets,
            start_map=first,
            name=name,
        )

    def save(self, path: str | PathLike[str]) -> None:
        """Write the scenario, and beside it, under the same name, its patches (.patch) and its start map (.map).

        >>> import tempfile
        >>> import waygrid as wg
        >>> made = wg.generate_changes(wg.generate("rooms", width=30, height=20), "doors", edits=5, queries=3)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     made.save(f"{folder}/town.scen")
        ...     (sorted(file.name for file in Path(folder).iterdir()),
        ...      len(wg.DynamicScenario.from_file(f"{folder}/town.scen")))
        (['town.map', 'town.patch', 'town.scen'], 3)
        """
        target = check_name(path)
        write_map(target.with_suffix(".map"), MapData(self.start_map))
        write_dynamic(path, self._data, self.patches)

    def __repr__(self) -> str:
        return f"DynamicScenario({self.name!r}, {len(self.edits)} edits, {len(self)} queries)"

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def _data(self) -> DynamicData:
        return DynamicData(
            self.width,
            self.height,
            self.edits,
            self.edit_buckets,
            self.starts,
            self.goals,
            self.costs,
            self.buckets,
            self.before,
        )

    def start_grid(self) -> Grid:
        """Return the map before the first edit, with the rules of dynamic scenarios."""
        return Grid(self.start_map)

    def take_first(self, queries: int) -> DynamicScenario:
        """Return the first queries, and the edits before them."""
        edits = int(self.before[queries - 1]) if 0 < queries < len(self) else len(self.edits)
        return DynamicScenario(
            self.width,
            self.height,
            self.patches,
            self.edits[:edits],
            self.starts[:queries],
            self.goals[:queries],
            self.costs[:queries],
            self.before[:queries],
            buckets=self.buckets[:queries],
            edit_buckets=self.edit_buckets[:edits],
            start_map=self.start_map,
            name=self.name,
        )

    def apply(self, edit: int, grid: Grid) -> None:
        """Lay the patch of an edit over a map."""
        number, x, y = self.edits[edit].tolist()
        grid.paste(self.patches[number], x, y)

    def replay(self, grid: Grid) -> Iterator[int]:
        """Make all edits, in order; stop at each query and give its number."""
        self._refuse_size(grid.width, grid.height)
        done = 0
        for query, before in enumerate(self.before.tolist()):
            for edit in range(done, before):
                self.apply(edit, grid)
            done = before
            yield query
        for edit in range(done, len(self.edits)):
            self.apply(edit, grid)

    def check(self, grid: Grid) -> None:
        """Refuse a start map of other rules or size, and queries that then begin or end in a wall."""
        refuse_other_rules(grid, self.name)
        passable = Grid(grid.passable)  # without a compiled table, so that edits are quick
        for query in self.replay(passable):
            for what, (x, y) in (("start", self.starts[query].tolist()), ("goal", self.goals[query].tolist())):
                if not passable.passable[y, x]:
                    raise grid_error(self.name, query, what, x, y)

    def digest(self) -> str:
        """Return a hash of edits and patches: the same for the same changes."""
        made = hashlib.sha256()
        for array in (self.edits, self.before):
            made.update(np.ascontiguousarray(array).tobytes())
        for patch in self.patches:
            made.update(repr(patch.shape).encode() + patch.tobytes())
        return made.hexdigest()

    def _refuse_size(self, width: int, height: int) -> None:
        if (width, height) != (self.width, self.height):
            raise WaygridError(
                f"{self.name} is for a map of {self.width} x {self.height}, this one has {width} x {height}"
            )


def check_name(path: str | PathLike[str]) -> Path:
    """Refuse a name under which a dynamic scenario and its files could not be saved.

    >>> check_name("town.map")
    Traceback (most recent call last):
    waygrid.errors.WaygridError: town.map: the name of a dynamic scenario ends in .scen and has no white space
    """
    target = Path(path)
    if target.suffix.lower() != ".scen" or len(target.name.split()) != 1:
        raise WaygridError(f"{fspath(path)}: the name of a dynamic scenario ends in .scen and has no white space")
    return target


def grid_error(name: str, query: int, what: str, x: int, y: int) -> WaygridError:
    """Return the error for a query in a wall, for the caller to raise."""
    return WaygridError(f"{name}: query {query}: {what} ({x}, {y}) is in a wall on the map as it is then")


def find_start_map(path: str | PathLike[str]) -> Path | None:
    """Return the map file that lies beside a scenario under the same name, such as town.map beside town.scen."""
    stem = Path(path).with_suffix("")
    named = [stem] if stem.suffix.lower() in SUFFIXES else []
    candidates = [*named, *(stem.with_name(stem.name + suffix) for suffix in SUFFIXES)]
    return next((file for file in candidates if file.is_file()), None)


def refuse_other_rules(grid: Grid, name: str) -> None:
    """Refuse a grid on which the lengths of dynamic scenarios do not hold."""
    if not has_scenario_rules(grid):
        raise WaygridError(f"{name}: the lengths of dynamic scenarios hold for {RULES}; this map is {grid!r}")


def _read_numbers(where: str, values: npt.ArrayLike) -> npt.NDArray[Any]:
    """Return an array of numbers that fit into 64 bits, or refuse what is none."""
    try:
        found = np.asarray(values)
    except (TypeError, ValueError):  # rows of different lengths
        found = np.asarray(None)
    if found.dtype.kind not in "uif" or found.dtype == np.uint64:
        raise WaygridError(f"{where} is {show(values)}; an array of numbers is needed")
    return found


def _integers(values: npt.ArrayLike, columns: int) -> npt.NDArray[np.int32]:
    found = np.asarray(values)
    if found.size == 0:
        return np.zeros((0, columns), np.int32)
    # What is not a table of small integers stays as it is, for `check_dynamic` to refuse.
    fits = found.dtype.kind in "ui" and found.min() >= 0 and found.max() < 2**31
    return np.ascontiguousarray(found, np.int32) if fits else found


def _buckets(values: npt.ArrayLike | None, count: int) -> npt.NDArray[np.int32]:
    return np.zeros(count, np.int32) if values is None else np.asarray(values)
