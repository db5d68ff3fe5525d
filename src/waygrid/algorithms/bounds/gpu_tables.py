"""What the GPU floods read of a map: which moves are worth trying in each cell, by the direction entered."""

import numpy as np

from waygrid.algorithms.jumps.jump_points import worthwhile
from waygrid.core.jit import Array, jit
from waygrid.core.layout import OPPOSITE

CLASSES = 256


@jit
def successors(moves, geo, out) -> None:
    """Fill per cell eight bytes, one per direction entered: the moves worth trying, as bits."""
    for cell in range(moves.size):
        for d in range(8):
            if (moves[cell] >> geo[OPPOSITE + d]) & 1:  # nobody enters by d otherwise: every move can be undone
                out[cell, d] = worthwhile(moves, geo, cell, d)


def classify(moves: Array, geo: Array) -> tuple[Array, Array]:
    """Return each cell's class, a byte, and per class the successors of all eight directions as one word.

    Successors depend on the eight cells around alone, so there are at most 256 different sets of them: a byte per cell
    and 2 KB of shared memory take the place of 8 bytes per cell.
    """
    found = np.zeros((moves.size, 8), np.uint8)
    successors(moves, geo, found)
    words, classes = np.unique(found.view("<u8").reshape(-1), return_inverse=True)
    if words.size > CLASSES:
        raise AssertionError(f"{words.size} kinds of cells; moves depend on more than the cells around")
    table = np.zeros(CLASSES, np.uint64)
    table[: words.size] = words
    return classes.reshape(-1).astype(np.uint8), table
