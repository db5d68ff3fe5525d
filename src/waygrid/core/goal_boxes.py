"""The test of goal bounding: does the box of a move hold the goal? (Rabin and Sturtevant, listing 22.1)"""

from waygrid.core.jit import jit


@jit
def holds(bounds, place: int, x: int, y: int) -> bool:
    """Return whether the box of a record holds the goal (x, y).

    Helpers like this have one exit and no branch around an array: else Numba counts references in every call, which
    took a third of all time.
    """
    box = bounds[place]
    return bool((box["left"] <= x) & (x <= box["right"]) & (box["top"] <= y) & (y <= box["bottom"]))


@jit
def open_moves(boxes, cell: int, x: int, y: int) -> int:
    """Return the moves of a cell, as bits, whose boxes hold the goal (x, y)."""
    found = 0
    for d in range(8):
        left, top, right, bottom = boxes[cell, d, 0], boxes[cell, d, 1], boxes[cell, d, 2], boxes[cell, d, 3]
        found |= ((left <= x) & (x <= right) & (top <= y) & (y <= bottom)) << d
    return found
