"""`waygrid crowd`: let many agents walk on a map without collisions."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import typer

from waygrid.cli.codes import ExitCode
from waygrid.cli.options import Corners, MapFile, MetricName, Reading, Topology
from waygrid.errors import WaygridError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from waygrid.grid.grid import Grid

_BREAK = 50  # steps between two lines of progress


def crowd(
    map_file: MapFile,
    scenario: Annotated[
        Path | None,
        typer.Argument(metavar="[SCEN]", help="Starts and goals: a .scen file of MAPF problems.", show_default=False),
    ] = None,
    agents: Annotated[
        int | None, typer.Option(metavar="N", help="Agents; default: 100, or all rows of the scenario.")
    ] = None,
    seed: Annotated[int, typer.Option(metavar="S", help="Of starts and goals, and of equal choices.")] = 0,
    steps: Annotated[int, typer.Option(metavar="K", help="Steps at most.")] = 1000,
    plan: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help="Make a whole plan in this time, instead of step by step."),
    ] = None,
    png: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw where the agents are at the end.")] = None,
    gif: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the walk as a film (.gif).")] = None,
    grid: Topology = None,
    corners: Corners = "never",
    metric: MetricName = "octile",
    reading: Reading = None,
) -> int:
    """Let many agents walk without collisions, and check every step."""
    from waygrid.cli.options import load_grid
    from waygrid.cli.show import TableColumn, duration, print_table, progress
    from waygrid.crowd.check import first_collision
    from waygrid.crowd.crowd import Crowd
    from waygrid.crowd.film import check_name, draw_crowd, save_film
    from waygrid.draw.maps import save_png

    if steps < 1:
        raise WaygridError(f"--steps is {steps}; allowed are the integers from 1")
    if seed < 0:
        raise WaygridError(f"--seed is {seed}; allowed are the integers from 0")
    if gif is not None:
        check_name(gif)
    if plan is not None and plan <= 0:
        raise WaygridError(f"--plan is {plan:g}; allowed are seconds above 0")
    world = load_grid(map_file, grid, corners, metric, 1, reading)
    starts, goals = _read_ends(world, scenario, agents, seed)
    began = perf_counter()
    with progress("crowd") as tell:
        walk = Crowd(world, starts, goals, history=True, seed=seed)
        if plan is None:
            for number in range(steps):
                walk.step()
                if walk.arrived.all():
                    break
                if number % _BREAK == 0:
                    tell(number / steps, f"{int(walk.arrived.sum())} of {len(walk)} arrived")
            positions, rows = walk.history, [("steps", str(walk.steps))]
        else:
            made = walk.plan(plan, seed=seed)
            positions = made.positions
            rows = [("status", made.status.name), ("makespan", str(made.makespan))]
            rows += [("sum of costs", str(made.sum_of_costs)), ("lower bound", str(made.lower_bound))]
    spent, fault = perf_counter() - began, first_collision(world, positions)
    there = int((positions[-1] == goals).all(axis=1).sum())
    rows = [("agents", str(len(goals))), *rows, ("arrived", str(there)), ("time", duration(spent))]
    rows.append(("collisions", fault or "none"))
    print_table([TableColumn("what"), TableColumn("value")], rows, titles=False)
    if png is not None:
        save_png(png, draw_crowd(world, positions[-1], goals))
    if gif is not None:
        save_film(gif, world, positions, goals)
    return ExitCode.WRONG if fault else ExitCode.DONE


def _read_ends(
    grid: Grid, scenario: Path | None, agents: int | None, seed: int
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Return starts and goals: of a scenario, or random ones in the largest connected component."""
    if agents is not None and agents < 1:
        raise WaygridError(f"--agents is {agents}; allowed are the integers from 1")
    if scenario is not None:
        from waygrid.measure.scenario import Scenario

        rows = Scenario.from_file(scenario)
        rows.check(grid)
        if agents is not None and agents > len(rows):
            raise WaygridError(f"--agents is {agents}, but {scenario} has {len(rows)} rows")
        return rows.starts[:agents], rows.goals[:agents]
    import numpy as np

    labels, count = grid.components, 100 if agents is None else agents
    if not (labels >= 0).any():
        raise WaygridError("the map has no passable cell")
    cells = np.argwhere(labels == np.bincount(labels[labels >= 0]).argmax())[:, ::-1].astype(np.int32)
    if count > len(cells):
        raise WaygridError(f"--agents is {count}; the largest connected component has {len(cells)} cells")
    chance = np.random.default_rng(seed)
    starts, goals = (cells[chance.permutation(len(cells))[:count]] for _ in range(2))
    return starts, goals
