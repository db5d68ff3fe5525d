"""The figures of Goal Bounding: the box of a move (22.1), all boxes of a cell (22.4, 22.5), and times of searches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from waygrid.algorithms.classic.distances import distances
from waygrid.draw import maps as draw
from waygrid.errors import WaygridError
from waygrid.grid.legal import path_cost
from waygrid.papers import figures

if TYPE_CHECKING:
    from PIL.Image import Image

    from waygrid.grid.grid import Grid

_RED = (214, 40, 40)
_OUTLINES = (
    (0, 84, 140),
    (170, 70, 0),
    (0, 110, 80),
    (150, 60, 110),
    (150, 100, 0),
    (20, 110, 160),
    _RED,
    (60, 60, 60),
)

Box = tuple[int, int, int, int]
Mask = npt.NDArray[np.bool_]


def find_led_to(grid: Grid, cell: tuple[int, int], move: str) -> Mask:
    """Return which cells a cheapest path from a cell reaches that begins with a move, such as "W".

    >>> from waygrid.grid.grid import Grid
    >>> find_led_to(Grid([[1, 1, 1]]), (1, 0), "W").tolist()
    [[True, False, False]]
    """
    if move not in grid.directions or not grid.moves[cell[1], cell[0]] >> grid.directions.index(move) & 1:
        raise WaygridError(f"there is no move {move!r} from {cell}")
    ahead = _ahead(grid, cell, move)
    here = np.asarray(distances(grid, cell))
    with np.errstate(invalid="ignore"):  # inf - inf, where nothing leads
        through = path_cost(grid, np.array([cell, ahead])) + np.asarray(distances(grid, ahead))
        led: Mask = np.isfinite(here) & (np.abs(through - here) < 1e-6)
    return led


def _ahead(grid: Grid, cell: tuple[int, int], move: str) -> tuple[int, int]:
    return cell[0] + ("E" in move) - ("W" in move), cell[1] + ("S" in move) - ("N" in move)


def box_of(mask: Mask) -> Box | None:
    """Return left, top, right and bottom of the marked cells, all included; None where there are none.

    >>> box_of(np.array([[False, True], [False, True]]))
    (1, 0, 1, 1)
    """
    if not mask.any():
        return None
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    return int(columns[0]), int(rows[0]), int(columns[-1]), int(rows[-1])


def box_picture(grid: Grid, cell: tuple[int, int], move: str, scale: int) -> Image:
    """Draw Figure 22.1: where a move leads, and its box; and the boxes of all moves of the cell (22.4, 22.5)."""
    reached = find_led_to(grid, cell, move)
    box = box_of(reached)
    first = draw.draw_map(grid.passable, expanded=reached, start=cell, scale=scale, lines=False)
    second = draw.draw_map(grid.passable, start=cell, scale=scale, lines=False)
    if box is not None:
        _frame(second, box, scale, _RED)
    labels = np.full(grid.passable.shape, -1)
    boxes = []
    for number, name in enumerate(grid.directions):
        if grid.moves[cell[1], cell[0]] >> number & 1:
            mask = find_led_to(grid, cell, name)
            labels[mask & (labels < 0)] = number  # of several first moves the one with the lowest number
            boxes.append((number, box_of(mask & (labels == number))))
    third = draw.draw_map(grid.passable, zones=labels, start=cell, scale=scale, lines=False)
    for number, found in boxes:
        if found is not None:
            _frame(third, found, scale, _OUTLINES[number])
    count = int(reached.sum())
    return draw.side_by_side(
        [first, second, third],
        [
            f"{count:,} cells are best reached by going {move} first",
            f"what is kept: their box, ({box[0]}, {box[1]}) to ({box[2]}, {box[3]})" if box else "nothing is kept",
            "every cell by its first move, and a box for each",
        ],
    )


def _frame(image: Image, box: Box, scale: int, colour: tuple[int, int, int]) -> None:
    from PIL import ImageDraw

    left, top, right, bottom = box
    inside = (left * scale, top * scale, (right + 1) * scale - 1, (bottom + 1) * scale - 1)
    ImageDraw.Draw(image).rectangle(inside, outline=colour, width=max(2, scale // 3))


def times_chart(
    ours: Mapping[str, float], paper_us: Mapping[str, float], factors: Mapping[str, Sequence[float | None]]
) -> bytes:
    """Draw mean times of all algorithms beside the paper's, and the A* factors, both on logarithmic axes.

    factors: of each algorithm of the paper against our own A*, against the plain one, and the paper's.
    """
    figure, panels = figures.sheet(2, width=11.0, height=4.0)
    places = np.arange(len(ours))
    panels[0].bar(places, list(ours.values()), 0.6, color=figures.COLOURS[0], label="waygrid, mean of all problems")
    at = [k for k, name in enumerate(ours) if name in paper_us]
    panels[0].plot(
        at, [paper_us[list(ours)[k]] for k in at], "D", color=figures.COLOURS[1], label="paper (2.4 GHz, other maps)"
    )
    panels[0].set_yscale("log")
    panels[0].set_ylabel("us per path")
    panels[0].set_xticks(places, list(ours), rotation=30, ha="right")
    panels[0].legend(frameon=False, fontsize=8)
    kinds = ("against our A*", "against a plain A* in C++", "paper")
    rows = np.arange(len(factors))
    for k, kind in enumerate(kinds):
        heights = [values[k] if values[k] is not None else np.nan for values in factors.values()]
        if not np.isnan(np.array(heights, float)).all():
            panels[1].bar(rows + 0.27 * (k - 1), heights, 0.25, color=figures.COLOURS[(0, 2, 1)[k]], label=kind)
    panels[1].set_yscale("log")
    panels[1].set_ylabel("A* factor")
    panels[1].set_xticks(rows, list(factors), rotation=30, ha="right")
    panels[1].legend(frameon=False, fontsize=8)
    return figures.png(figure)
