"""The pictures of the gallery and of the tutorials; examples/pictures.py draws them with all others."""

import runpy
from collections.abc import Callable
from contextlib import chdir, redirect_stdout, suppress
from doctest import DocTestParser
from functools import cache
from io import BytesIO, StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

import waygrid as wg
from waygrid.crowd.film import draw_crowd
from waygrid.draw.maps import draw_map, side_by_side
from waygrid.formats.text import parse
from waygrid.measure.problems import random_problems
from waygrid.papers.figures import COLOURS, MARKERS, png, sheet

INK, RED, PAPER = (40, 40, 40), (214, 40, 40), (255, 255, 255)

Picture = Image.Image
PICTURES: dict[str, Callable[[], Picture]] = {}


def picture(function: Callable[[], Picture]) -> Callable[[], Picture]:
    PICTURES[function.__name__.replace("_", "-")] = function
    return function


def example(name: str) -> dict[str, Any]:
    """Return the functions and constants of an example."""
    return runpy.run_path(str(Path(__file__).with_name(f"{name}.py")))


def count_visits(grid: wg.Grid, cells: np.ndarray) -> np.ndarray:
    """Return how often each cell is on a path, on a logarithmic scale, and -1 where it never is."""
    visits = np.zeros((grid.height, grid.width))
    np.add.at(visits, (cells[:, 1], cells[:, 0]), 1)
    return np.where(visits > 0, np.rint(20 * np.log2(np.maximum(visits, 1))), -1).astype(int)


# --- Crowds -----------------------------------------------------------------------------------------------------------


@picture
def crowds() -> Picture:
    grid = wg.generate("rooms", width=48, height=32, seed=2)
    labels = grid.components
    cells = np.argwhere(labels == np.bincount(labels[labels >= 0]).argmax())[:, ::-1]
    chance = np.random.default_rng(1)
    starts, goals = (cells[chance.permutation(len(cells))[:60]] for _ in range(2))
    crowd, panels = wg.Crowd(grid, starts, goals), []
    for steps in (0, 25):
        while crowd.steps < steps:
            crowd.step()
        panels.append(draw_crowd(grid, crowd.positions, goals, scale=11))
    return side_by_side(panels, ["the start: 60 agents", f"after 25 steps: {crowd.arrived.sum()} have arrived"])


# --- Gallery ----------------------------------------------------------------------------------------------------------


@picture
def example_first_path() -> Picture:
    functions, grid = example("first_path"), wg.generate("indoor", width=120, height=80, seed=1)
    start, goal = functions["far_apart"](grid)
    panels, labels = [], []
    for name in ("bfs", "astar", "best-first"):
        finder = wg.make_finder(name, grid)
        path = finder.find(start, goal)
        panels.append(functions["picture_of"](finder, start, goal, scale=3))
        labels.append(f"{name}: cost {path.cost:.1f}, {path.stats.expanded} expanded")
    return side_by_side(panels, labels)


@picture
def example_many_agents() -> Picture:
    grid = wg.generate("indoor", width=200, height=120, seed=1)
    floor = np.argwhere(grid.passable)[:, ::-1]
    chance = np.random.default_rng(1)
    starts, goals = chance.choice(floor, 500), chance.choice(floor, 500)
    batch = wg.make_finder("astar", grid).find_many(starts, goals)
    return draw_map(grid.passable, expanded=count_visits(grid, batch.cells), scale=4)


@picture
def example_sliced_search() -> Picture:
    grid = wg.generate("rooms", width=60, height=44, seed=4)
    finder = wg.make_finder("astar", grid)
    start, goal = (1, 1), (58, 42)
    order, search = finder.trace(start, goal).expansion_order(), finder.start(start, goal)
    panels, labels = [], []
    for frame in range(1, 4):
        search.advance(350)
        seen = np.where(order < 350 * frame, order, -1)
        panels.append(draw_map(grid.passable, expanded=seen, path=search.path(), start=start, goal=goal, scale=6))
        labels.append(f"frame {frame}: {search.expanded} expansions, {search.path().status.name}")
    return side_by_side(panels, labels)


@picture
def example_hex_map() -> Picture:
    drawn = parse(example("hex_map")["MAP"])
    grid = wg.Grid(drawn.passable, weights=drawn.weights, topology="hex")
    path = wg.make_finder("astar", grid).find((1, 4), (15, 5))
    return draw_map(grid, path=path, scale=40)


@picture
def example_navmesh() -> Picture:
    side, scale = 24, 20
    with TemporaryDirectory() as folder:
        file = Path(folder) / "hall.obj"
        file.write_text(example("navmesh")["hall"](side))
        graph = wg.Graph.from_obj(file)
        lines = [line.split() for line in file.read_text().splitlines()]
    finder = wg.make_finder("astar-gb", graph)
    ends = graph.node_at((0, 0, 1)), graph.node_at((side, side, 0))
    expanded = set(finder.expansion_order(*ends).tolist())
    path = finder.find(*ends)
    corners = np.array([line[1:3] for line in lines if line[0] == "v"], float) * scale
    image = Image.new("RGB", (side * scale + 1, side * scale + 1), (64, 66, 72))
    pen = ImageDraw.Draw(image)
    for node, face in enumerate(line[1:] for line in lines if line[0] == "f"):
        shape = [tuple(corners[int(corner) - 1]) for corner in face]
        colour = (250, 222, 130) if node in path.nodes else (198, 219, 239) if node in expanded else PAPER
        pen.polygon(shape, fill=colour, outline=(190, 190, 190))
    pen.line([tuple(point) for point in (path.points[:, :2] * scale).tolist()], fill=RED, width=3)
    return image


@picture
def example_processes() -> Picture:
    grid = wg.generate("rooms", width=150, height=90, seed=1)
    floor = np.argwhere(grid.passable)[:, ::-1]
    starts, goals = np.random.default_rng(0).choice(floor, (2, 400))
    finder, panels, labels = wg.make_finder("jps+", grid), [], []
    for process in range(2):
        batch = finder.find_many(starts[process::2], goals[process::2])
        panels.append(draw_map(grid.passable, expanded=count_visits(grid, batch.cells), scale=3))
        labels.append(f"process {process + 1}: {len(batch)} of 400 paths")
    return side_by_side(panels, labels)


@picture
def example_moving_obstacles() -> Picture:
    values = example("moving_obstacles")
    grid = wg.Grid(values["ROOMS"].split())
    finder, here, goal = wg.make_finder("astar", grid), (3, 2), (15, 3)
    crowd = [(6, 2), (6, 3), (6, 4), (12, 2), (12, 3)]
    panels, labels = [], []
    for label, blocked, closed in (
        ("alone", [], False),
        ("others in the way", crowd, False),
        ("a closed door", crowd, True),
    ):
        if closed:
            grid.set_passable(values["UPPER_DOOR"], False)
        path = finder.find(here, goal, blocked=blocked)
        panels.append(draw_map(grid.passable, path=path, expanded=blocked, scale=20))
        labels.append(f"{label}: cost {path.cost:.2f}")
    return side_by_side(panels, labels)


# --- Tutorials --------------------------------------------------------------------------------------------------------


@cache
def values_of(page: str) -> dict[str, Any]:
    """Run the code of a tutorial and return its variables, so that the picture shows what the page computes."""
    text = (Path(__file__).parent.parent / "docs" / f"{page}.md").read_text(encoding="utf-8")
    values: dict[str, Any] = {}
    with (
        TemporaryDirectory(ignore_cleanup_errors=True) as folder,  # Windows keeps files that are mapped into memory
        chdir(folder),
        redirect_stdout(StringIO()),
    ):
        for step in DocTestParser().get_examples(text):
            with suppress(wg.WaygridError):  # where the page shows one
                exec(compile(step.source, page, "single"), values)
    return values


@picture
def tutorial_game_units() -> Picture:
    game = values_of("tutorial-game")
    units = [(19, 9), (20, 9), (21, 9)]
    panels = [
        draw_map(game["level"], path=game["path"], scale=14),
        draw_map(game["level"], path=game["around"], expanded=units, scale=14),
    ]
    costs = [f"{game[name].cost:.2f}" for name in ("path", "around")]
    return side_by_side(panels, [f"find: cost {costs[0]}", f"three units in a door (blue): cost {costs[1]}"])


@picture
def tutorial_game_range() -> Picture:
    game = values_of("tutorial-game")
    reach = np.where(np.isfinite(game["reach"]), np.rint(game["reach"]), -1).astype(int)
    return draw_map(game["land"], expanded=reach, start=(6, 7), goal=game["enemies"], scale=32)


@picture
def tutorial_researcher_growth() -> Picture:
    grid = wg.generate("rooms", width=120, height=90, seed=7)
    problems = random_problems(grid, 400, seed=1)
    figure, (panel,) = sheet(height=3.6)
    for name, colour, marker in zip(("astar", "astar-gb", "jps", "jps+"), COLOURS, MARKERS, strict=False):
        expanded = wg.make_finder(name, grid).find_many(problems.starts, problems.goals, paths=False).expanded
        panel.plot(problems.costs, np.maximum(expanded, 1), marker, color=colour, markersize=2.5, label=name)
    panel.set(yscale="log", xlabel="cost of the path", ylabel="expansions")
    panel.legend(markerscale=2)
    return Image.open(BytesIO(png(figure)))


@picture
def tutorial_teacher_order() -> Picture:
    lesson, scale = values_of("tutorial-teacher"), 40
    board, ends = lesson["board"], (lesson["start"], lesson["goal"])
    panels, labels = [], []
    for name in ("bfs", "astar", "best-first"):
        trace = wg.make_finder(name, board).trace(*ends)
        order = trace.expansion_order()
        drawing = draw_map(board, expanded=order, start=ends[0], goal=ends[1], scale=scale)
        pen = ImageDraw.Draw(drawing)
        for y, x in np.argwhere(order >= 0).tolist():
            if (x, y) not in ends:
                at = ((x + 0.5) * scale, (y + 0.5) * scale)
                pen.text(at, str(order[y, x]), fill=INK, anchor="mm", font=ImageFont.load_default(17))
        panels.append(drawing)
        labels.append(f"{name}: {trace.path.stats.expanded} expanded, cost {trace.path.cost:g}")
    return side_by_side(panels, labels)


@picture
def tutorial_robotics_hall() -> Picture:
    robot = values_of("tutorial-robotics")
    occupancy, hall = robot["occupancy"], robot["hall"]
    panels = []
    for path, passable in ((robot["route"], hall.passable | robot["mask"]), (robot["again"], hall.passable)):
        rim = np.where((occupancy == 0) & ~passable, 0, -1)  # free, but too close to something for the robot
        weights = np.where(passable, hall.weights, 1)
        panels.append(draw_map(occupancy == 0, weights=weights, expanded=rim, path=path, scale=4))
    return side_by_side(panels, ["blue: too close, brown: expensive", "a box in the way: planned again from there"])


@picture
def tutorial_robotics_raster() -> Picture:
    raster = values_of("tutorial-robotics")
    land, surface = raster["land"], np.asarray(raster["surface"])
    shades = np.rint(1 + 16 * (land.weights / land.weights[land.passable].min() - 1)).clip(1).astype(int)
    bands = np.where(np.isfinite(surface), np.floor(surface / 0.1), -1).astype(int)
    panels = [
        draw_map(land.passable, weights=shades, path=raster["walk"], scale=3),
        draw_map(land.passable, expanded=bands, start=raster["huts"], scale=3),
    ]
    return side_by_side(panels, ["costs, and the least-cost path", "steps of six minutes to the nearest hut"])


@picture
def rasters() -> Picture:
    values = values_of("rasters")
    grid, path, corridor = values["grid"], values["path"], values["corridor"]
    dearer = np.rint(1 + 40 * np.log(np.where(grid.passable, grid.weights, 1) / grid.weights[grid.passable].min()))
    panels = [
        draw_map(grid.passable, weights=dearer.clip(1).astype(int), path=path, scale=10),
        corridor.draw(share=0.1, scale=10),
    ]
    return side_by_side(panels, ["costs, and the least-cost path", "the corridor: at most 10 % longer"])


@picture
def straight() -> Picture:
    """Draw a cheapest path from cell to cell, pulled straight, and as any-angle search finds one."""
    grid = wg.generate("caves", width=48, height=30, seed=4)
    cells = np.argwhere(grid.components == np.bincount(grid.components[grid.components >= 0]).argmax())[:, ::-1]
    start, goal = (tuple(cells[np.argmin(cells @ side)].tolist()) for side in (np.array([1, 1]), np.array([-1, -1])))
    steps = wg.make_finder("astar", grid).find(start, goal)
    pulled, lazy = steps.straighten(), wg.make_finder("lazy-theta", grid).find(start, goal)
    shown = {"astar": steps, "astar, straightened": pulled, "lazy-theta": lazy}
    labels = [f"{name}: {path.cost:.2f}" for name, path in shown.items()]
    return side_by_side([draw_map(grid, path=path, scale=12) for path in shown.values()], labels)
