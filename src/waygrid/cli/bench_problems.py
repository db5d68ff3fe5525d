"""What `waygrid bench` asks: the map and the scenario that a file name stands for, or random problems."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from waygrid.cli.options import load_grid, read_metric
from waygrid.errors import WaygridError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from waygrid.grid.grid import Grid
    from waygrid.measure.dynamic import DynamicScenario
    from waygrid.measure.scenario import Scenario
    from waygrid.measure.timing import Progress

SCENARIO = ".scen"


class MapRules(NamedTuple):
    """How maps are read, as the command line says it."""

    topology: str | None
    corners: str
    metric: str
    clearance: int
    reading: list[str] | None
    rule: str = "enter"

    def load(self, path: Path) -> Grid:
        """Read a map with these rules."""
        return load_grid(path, *self)

    def lay(self, passable: npt.NDArray[np.bool_]) -> Grid:
        """Return a map without a file, with these rules."""
        from waygrid.grid.grid import Grid

        if self.reading:
            raise WaygridError(f"--read {self.reading[0]} needs a map file; the scenario has none beside it")
        return Grid(
            passable,
            topology=self.topology or "octile",
            corners=self.corners,
            metric=read_metric(self.metric),
            clearance=self.clearance,
            rule=self.rule,
        )


class Asked(NamedTuple):
    """A map, its problems, and their optimal costs if they are already known for it."""

    grid: Grid
    scenario: Scenario | DynamicScenario
    optima: npt.NDArray[np.float64] | None = None


def load_problems(
    file: Path, scen: Path | None, rules: MapRules, count: int, seed: int, tell: Progress, notes: list[str]
) -> Asked:
    """Return a map and its problems: those of its scenario, or `count` random ones.

    file: the map, or a dynamic scenario.
    """
    from waygrid.formats.dynamic import is_dynamic
    from waygrid.measure.dynamic import DynamicScenario
    from waygrid.measure.problems import random_problems, with_room
    from waygrid.measure.scenario import Scenario

    if file.suffix.lower() == SCENARIO:
        return _load_dynamic(file, scen, rules)
    grid = rules.load(file)
    beside = file.with_name(file.name + SCENARIO)
    if scen is None and not beside.exists():
        notes.append(f"{file.name}: no scenario; {count} random problems, seed {seed}")
        problems = random_problems(grid, count, seed=seed, progress=tell)
        return Asked(grid, problems, problems.costs)
    if is_dynamic(scen or beside):
        return Asked(grid, DynamicScenario.from_file(scen or beside, grid))
    scenario = Scenario.from_file(scen or beside)
    fitting = with_room(scenario, grid)
    if len(fitting) < len(scenario):
        left = len(scenario) - len(fitting)
        notes.append(f"{file.name}: {left} of {len(scenario)} problems have no room for the agent and are skipped")
    return Asked(grid, fitting)


def _load_dynamic(file: Path, scen: Path | None, rules: MapRules) -> Asked:
    """Return a dynamic scenario that is named in place of a map, and its start map."""
    from waygrid.formats.dynamic import is_dynamic
    from waygrid.measure.dynamic import DynamicScenario, find_start_map

    if scen is not None:
        raise WaygridError(f"--scen {scen} needs a map, and {file} is a scenario itself")
    if file.is_file() and not is_dynamic(file):
        raise WaygridError(f"{file} is not a dynamic scenario (version 2); name its map instead, and --scen {file}")
    beside = find_start_map(file)
    if beside is not None:
        grid = rules.load(beside)
        return Asked(grid, DynamicScenario.from_file(file, grid))
    scenario = DynamicScenario.from_file(file)
    return Asked(rules.lay(scenario.start_map), scenario)
