"""What the studio shows of jumps where a search stands."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from waygrid.algorithms.jumps.jump_points import scan_diagonal, scan_straight, worthwhile
from waygrid.algorithms.jumps.turns_build import turn_number
from waygrid.core import layout as at
from waygrid.core.types import Array
from waygrid.search.overlay import BLUE, GREEN, RED, DetailRequest, Layer

_GREY = "#8a94a3"
_STEPS = ((0, -1), (1, 0), (0, 1), (-1, 0), (1, -1), (1, 1), (-1, 1), (-1, -1))  # of the directions


def show_scans(wanted: DetailRequest) -> list[Layer]:
    """Return the lines that jump point search scans from a cell: to a jump point, or in vain."""
    table, number = wanted.finder.grid.table, wanted.number
    moves, geo = table.moves, table.geo
    goal = wanted.goal[1] * wanted.finder.grid.width + wanted.goal[0]
    tried = int(moves[number])
    if wanted.parent not in (None, wanted.cell):
        tried = worthwhile(moves, geo, number, _direction(wanted.parent, wanted.cell))
    sides: list[tuple[int, ...]] = []
    vain: list[tuple[int, ...]] = []
    found: list[tuple[int, ...]] = []
    for d in np.flatnonzero((tried >> np.arange(8)) & 1).tolist():
        scan = scan_straight if d < 4 else scan_diagonal
        steps = int(scan(moves, geo, number, d, goal))
        (found if steps > 0 else vain).append((*wanted.cell, *_walk(wanted.cell, d, abs(steps))))
        for k in range(1, abs(steps) + 1) if d >= 4 else ():
            x, y = _walk(wanted.cell, d, k)
            for side in (d & 3, (d + 1) & 3):
                along = int(scan_straight(moves, geo, number + k * int(geo[at.STEP + d]), side, goal))
                sides.append((x, y, *_walk((x, y), side, abs(along))))
    points = np.array([line[2:] for line in found], np.float32).reshape(-1, 2)
    return [
        Layer("lines", _lines(sides), f"scans to the sides of diagonals: {len(sides)}", _GREY, 0.7),
        Layer("lines", _lines(vain), f"scans that end at a wall: {len(vain)}", RED, 1.5),
        Layer("lines", _lines(found), f"scans that find a jump point: {len(found)}", GREEN, 3.0),
        Layer("points", points, "", GREEN, 4.0),
    ]


def show_jumps(wanted: DetailRequest) -> list[Layer]:
    """Return the jumps that are stored for the turn at a cell; with goal bounds those that pass and those that do not.

    The lines of the start are drawn by the search from another table; they are not shown.
    """
    finder: Any = wanted.finder
    tables, d = finder._index_arrays, -1
    if wanted.parent not in (None, wanted.cell):
        d = _direction(wanted.parent, wanted.cell)
    if d < 0 or not (int(tables.tags[wanted.number]) >> d) & 1:
        return [Layer("points", np.zeros((0, 2), np.float32), "the start has no stored jumps", _GREY)]
    turn = tables.turns[turn_number(tables.tags, wanted.number, d)]
    edges = tables.edges[int(turn["edge"]) : int(turn["last"])]
    bends = [_bend(wanted.cell, (int(edge["x"]), int(edge["y"]))) for edge in edges]
    if tables.boxes is None:
        return _draw_jumps(bends, f"stored jumps: {len(bends)}", BLUE)
    holds = (edges["left"] <= wanted.goal[0]) & (wanted.goal[0] <= edges["right"])
    holds &= (edges["top"] <= wanted.goal[1]) & (wanted.goal[1] <= edges["bottom"])
    pass_by = [bend for bend, held in zip(bends, holds, strict=True) if held]
    skipped = [bend for bend, held in zip(bends, holds, strict=True) if not held]
    boxes = np.stack([edges[side] for side in ("left", "top", "right", "bottom")], axis=1).astype(np.int32)
    return [
        *_draw_jumps(skipped, f"jumps with the goal outside their box, skipped: {len(skipped)}", RED),
        *_draw_jumps(pass_by, f"jumps with the goal in their box: {len(pass_by)}", GREEN),
        Layer("boxes", boxes[~holds], "", RED),
        Layer("boxes", boxes[holds], "", GREEN),
    ]


def _draw_jumps(bends: list[list[tuple[int, int]]], text: str, colour: str) -> list[Layer]:
    lines = [(*one, *other) for bend in bends for one, other in itertools.pairwise(bend)]
    ends = np.array([bend[-1] for bend in bends], np.float32).reshape(-1, 2)
    return [Layer("lines", _lines(lines), text, colour, 2.0), Layer("points", ends, "", colour, 4.0)]


def _lines(lines: Sequence[tuple[int, ...]]) -> Array:
    found: Array = np.array(lines, np.float32).reshape(-1, 4)
    return found


def _walk(cell: tuple[int, int], d: int, steps: int) -> tuple[int, int]:
    """Return the cell so many steps away."""
    return cell[0] + steps * _STEPS[d][0], cell[1] + steps * _STEPS[d][1]


def _bend(cell: tuple[int, int], end: tuple[int, int]) -> list[tuple[int, int]]:
    """Return the points of a jump: diagonally first, then straight."""
    dx, dy = end[0] - cell[0], end[1] - cell[1]
    both = min(abs(dx), abs(dy))
    return [cell, (cell[0] + both * int(np.sign(dx)), cell[1] + both * int(np.sign(dy))), end]


def _direction(parent: tuple[int, int], cell: tuple[int, int]) -> int:
    """Return the direction in which a jump arrives: it goes diagonally first, so the longer side tells."""
    dx, dy = cell[0] - parent[0], cell[1] - parent[1]
    across, down = abs(dx) >= abs(dy), abs(dy) >= abs(dx)
    return _STEPS.index((int(np.sign(dx)) * across, int(np.sign(dy)) * down))
