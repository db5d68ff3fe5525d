"""Pictures of paths that bend at corners of walls; examples/pictures.py draws them with all others."""

from collections.abc import Callable

import numpy as np
from PIL import Image, ImageDraw

import waygrid as wg
from waygrid.algorithms.anyangle.taut_overlays import show_corners, show_visible
from waygrid.draw.maps import draw_map, side_by_side
from waygrid.search.overlay import OverlayRequest

GREEN, RED, VIOLET, INK, YELLOW = (27, 120, 55), (214, 96, 77), (130, 80, 223), (40, 40, 40), (255, 214, 0)
START, GOAL, SIZE = (5, 7), (27, 19), 9

Picture = Image.Image


def floor() -> wg.Grid:
    return wg.generate("indoor", width=48, height=30, seed=5, room=8)


def draw_floor(**drawn: object) -> Picture:
    return draw_map(floor().passable, start=START, goal=GOAL, scale=SIZE, lines=False, **drawn).convert("RGB")


def draw_legs(image: Picture, points: np.ndarray) -> None:
    """Draw straight legs between points, whose cell centres are whole numbers."""
    pen, places = ImageDraw.Draw(image), [tuple(point) for point in ((points + 0.5) * SIZE).tolist()]
    pen.line(places, fill=INK, width=5)
    pen.line(places, fill=YELLOW, width=3)
    for x, y in places[1:-1]:
        pen.ellipse([x - 4, y - 4, x + 4, y + 4], fill=INK)


def draw_points(image: Picture, points: np.ndarray, colour: tuple[int, int, int]) -> None:
    pen = ImageDraw.Draw(image)
    for x, y in ((points + 0.5) * SIZE).tolist():
        pen.ellipse([x - 3, y - 3, x + 3, y + 3], fill=colour)


def corner_paths() -> Picture:
    """One query by three models: moves from cell to cell, and what anya sees on the way to the shortest path."""
    grid = floor()
    octile, trace = wg.make_finder("astar", grid).find(START, GOAL), wg.make_finder("anya", grid).trace(START, GOAL)
    moves = draw_floor(path=octile)
    seen = draw_floor(expanded=trace.expansion_order())
    draw_legs(seen, trace.path.points)
    labels = [f"octile moves: {octile.cost:.2f}", f"anya: {trace.path.cost:.2f}; a cell of each run that was entered"]
    return side_by_side([moves, seen], labels)


def taut_table() -> Picture:
    """The corners of a map, those that both ends of a query see, and the path that the table leads."""
    grid = floor()
    finder = wg.make_finder("taut", grid)
    request = OverlayRequest(grid, {}, None, 0, lambda: finder, lambda: None)
    all_corners, ends, way = draw_floor(), draw_floor(), draw_floor()
    corners = show_corners(request)[0].array
    draw_points(all_corners, corners, VIOLET)
    pen = ImageDraw.Draw(ends)
    for end, colour in ((START, GREEN), (GOAL, RED)):
        lines = show_visible(request._replace(cell=end))[0].array
        for x, y, to_x, to_y in ((lines + 0.5) * SIZE).tolist():
            pen.line([x, y, to_x, to_y], fill=colour, width=1)
        draw_points(ends, lines[:, 2:], colour)
    path = finder.find(START, GOAL)
    draw_legs(way, path.points)
    labels = [f"{len(corners)} corners", "those that start and goal see", f"the path: {len(path.points) - 2} bends"]
    return side_by_side([all_corners, ends, way], labels)


PICTURES: dict[str, Callable[[], Picture]] = {"corner-paths": corner_paths, "taut-table": taut_table}
