"""What the studio shows of goal bounds."""

from __future__ import annotations

import numpy as np

from waygrid.algorithms.bounds.boxes import box_work
from waygrid.search.overlay import BLUE, GREEN, ORANGE, RED, VIOLET, Layer, OverlayRequest

_COLOURS = (RED, GREEN, BLUE, ORANGE, VIOLET, "#0a7d91", "#a8326d", "#5c6b00")  # of the first moves


def show_goal_bounds(wanted: OverlayRequest) -> list[Layer]:
    """Return a box for each first move from a cell, and the cell."""
    grid, cell = wanted.grid, wanted.cell
    assert cell is not None
    number = cell[1] * grid.width + cell[0]
    if grid.table.walk[number] == 0:
        return []
    work = box_work(grid, wanted.options["ties"], "cpu", None)
    wanted.check_time()
    boxes = work.run(work.scratch(), number, number + 1)["boxes"][0]
    none = np.iinfo(boxes.dtype).max
    layers = [
        Layer("boxes", box.reshape(1, 4).astype(np.int32), f"goals by {name}", colour, 2.0)
        for name, box, colour in zip(grid.directions, boxes, _COLOURS, strict=False)
        if box[0] != none
    ]
    return [*layers, Layer("points", np.array([cell], np.float32), "", "#000000", 4.0)]
