"""What the studio shows of goal bounds where a search stands."""

from __future__ import annotations

from typing import Any

import numpy as np

from waygrid.core.types import Array
from waygrid.search.overlay import GREEN, RED, DetailRequest, Layer


def show_boxes(wanted: DetailRequest) -> list[Layer]:
    """Return the boxes of the moves of a cell: those that hold the goal let their move pass."""
    finder: Any = wanted.finder
    table, number = finder.grid.table, wanted.number
    boxes = finder.index["boxes"][number].astype(np.int64)
    legal = np.flatnonzero((int(table.moves[number]) >> np.arange(8)) & 1)
    return draw_boxes(boxes[legal], wanted.goal, "moves")


def draw_boxes(boxes: Array, goal: tuple[int, int], what: str) -> list[Layer]:
    """Return boxes (left, top, right, bottom) in two colours: those that hold the goal, and the others."""
    left, top, right, bottom = boxes.T
    holds = (left <= goal[0]) & (goal[0] <= right) & (top <= goal[1]) & (goal[1] <= bottom)
    return [
        Layer(
            "boxes",
            boxes[~holds].astype(np.int32),
            f"{what} with the goal outside their box, skipped: {(~holds).sum()}",
            RED,
        ),
        Layer("boxes", boxes[holds].astype(np.int32), f"{what} with the goal in their box: {holds.sum()}", GREEN),
    ]
